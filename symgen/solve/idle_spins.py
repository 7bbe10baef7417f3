"""Assemblies that differ only in how far a rod has turned about the line between its balls are one.

A U in the place of a ball holds such a rod in two positions, half a turn apart. What tells assemblies apart is the
poses of all other bodies, and, within a leg of several bodies, how these lie to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array, compose, inverse, matrix
from symgen.solve.plan import Plan

#: Numbers of poses, lengths in parts of the mechanism's size, that are nearer than this are equal.
_SAME = 1e-6


def idle_bodies(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return the bodies of each leg whose idle rotation is left out; of bodies welded together the first."""
    leader = plan.rigid.leader
    return tuple(
        tuple(dict.fromkeys(leader[body] for body in finding.bodies))
        for finding in plan.structure.diagnosis
        if finding.kind == "idle"
    )


def one_of_each(
    poses: Mapping[str, Array],
    parents: NDArray[np.intp],
    legs: Sequence[Sequence[str]],
    given: Mapping[str, Array],
    size: float,
) -> NDArray[np.intp]:
    """Return the rows to keep, ascending: of those of one parent that differ by idle rotations alone, one.

    Parameters
    ----------
    poses : body of the group -> (n, 7).
    parents : (n,) row of the assembly so far.
    legs : bodies of each leg.
    given : poses (7,) of the mechanism file: the row whose legs have turned least from there is kept.
    size : length of the mechanism [m].
    """
    inside = [leg for leg in legs if set(leg) <= set(poses)]
    if not inside or not len(parents):
        return np.arange(len(parents))
    idle = {body for leg in inside for body in leg}
    parts = [poses[body] for body in poses if body not in idle]
    parts += [compose(inverse(poses[leg[0]]), poses[body]) for leg in inside for body in leg[1:]]
    numbers = np.concatenate(
        [np.concatenate([p[:, :3] / size, matrix(p[:, 3:]).reshape(-1, 9)], axis=1) for p in parts], axis=1
    ) if parts else np.zeros((len(parents), 1))  # fmt: skip
    turned = np.sum([1.0 - np.abs(poses[body][:, 3:] @ given[body][3:]) for body in sorted(idle)], axis=0)
    kept: list[int] = []
    for row in np.lexsort((np.arange(len(parents)), turned, parents)):
        beside = [other for other in kept if parents[other] == parents[row]]
        if not beside or np.all(np.max(np.abs(numbers[beside] - numbers[row]), axis=1) > _SAME):
            kept.append(int(row))
    return np.array(sorted(kept), dtype=np.intp)
