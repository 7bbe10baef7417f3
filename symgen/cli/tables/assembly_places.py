"""Which places tell the assemblies of a mechanism apart, to show them in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symgen.poses import rotate

if TYPE_CHECKING:
    from symgen.poses import Array
    from symgen.solve.assemblies import Assemblies

#: Parts of the mechanism's extent: places in one cell of the first are one, coordinates below the second are rounding.
_SAME, _ROUNDING = 1e-6, 1e-12
_MOST = 3


def telling_places(found: Assemblies) -> list[tuple[str, list[str]]]:
    """Return names of points or joints with their coordinates in each assembly, as few as tell the assemblies apart.

    Each is the one that tells most of those apart that the ones before do not; of equal ones the first: named points,
    then joints, then origins of bodies. Where no place differs the first is shown alone.
    """
    every = list(_places(found)) if len(found) else []
    extent = max((float(np.abs(rows).max()) for _, rows in every), default=0.0) or 1.0
    classified = np.zeros(len(found), dtype=np.int64)
    chosen: list[tuple[str, list[str]]] = []
    while every and len(chosen) < _MOST:
        classes = [_classes(classified, np.round(rows / (_SAME * extent))) for _, rows in every]
        best = max(range(len(every)), key=lambda k: int(classes[k].max(initial=0)))
        if chosen and classes[best].max(initial=0) == classified.max(initial=0):
            break
        classified = classes[best]
        name, rows = every[best]
        chosen.append((name, [_text(row, _ROUNDING * extent) for row in rows]))
        if classified.max(initial=0) + 1 == len(found):
            break
    return chosen


def _classes(classified: np.ndarray, places: Array) -> np.ndarray:
    """Return numbers of the classes that are left when those before are told apart by rounded places (n, 3) too."""
    return np.unique(np.column_stack([classified, places]), axis=0, return_inverse=True)[1].reshape(-1)


def _places(found: Assemblies) -> Iterator[tuple[str, Array]]:
    mechanism = found.mechanism
    poses = {body.id: np.array([each.bodies[body.id] for each in found]).reshape(-1, 7) for body in mechanism.bodies}

    def carried(body: str, place: Sequence[float]) -> Array:
        lever: Array = rotate(poses[body][:, 3:], np.asarray(place, dtype=np.float64))
        return poses[body][:, :3] + lever

    for body in mechanism.bodies:
        for name, place in body.points.items():
            yield f"{body.id}.{name}", carried(body.id, place)
    for joint in mechanism.joints:
        for side, end in enumerate(joint.bodies):
            if end in poses and joint.frames is not None:
                yield f"joint {joint.id}", carried(end, joint.frames[side].at)
                break
    for body in mechanism.bodies:
        yield f"origin of {body.id}", poses[body.id][:, :3]


def _text(place: Array, nothing: float) -> str:
    return ", ".join(f"{x if abs(x) > nothing else 0.0:.6g}" for x in place.tolist())
