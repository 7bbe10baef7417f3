"""What every joint and every drive can transmit, at one position: columns of the equilibrium A lambda = h.

A joint exerts on its second body a wrench in the range of its `basis`, and the opposite on its first; a drive one along
its freedom. With all wrenches about one point, the column of a body is the same wrench for both, with opposite signs:
A is the incidence of the graph with these wrenches. Masses do not matter, nor where centres of mass are.

The wrenches are the rows of the velocity constraints (`symgen.simulate.tables.joint_rows`), transposed.

Source: M. Wojtyra, J. Fraczek 2013 (uniqueness from the constraint matrix).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.reactions.directions import PLANAR_WRENCH, WRENCH, named_directions
from symgen.simulate.tables.joint_rows import JointRows, RowElement

#: Of rows, lengths in sizes, below this there is nothing.
_NONE = 1e-7
#: Parts of a wrench [F, M] in space and in the plane.
_PARTS = {"spatial": (0, 1, 2, 3, 4, 5), "planar": (0, 1, 5)}


@dataclass(frozen=True, eq=False)
class Source:
    """What transmits a wrench between two bodies: a joint, or the drive of one of its freedoms.

    Parameters
    ----------
    name : id of the joint, "joint.freedom" for a drive.
    joint : the joint.
    freedom : the driven freedom, or None.
    ends : numbers of the first and second body; 0 is the ground, others follow the file.
    centre : (3,) joint centre on the second body [m].
    axis : (3,) first axis of the joint, world.
    basis : (6, c) independent wrenches [F, M / size] on the second body about the centre; orthonormal for joints.
    directions : component -> (6,) unit wrench along it.
    elements : the rows of the constraints that it stands for.
    rows : (6, m) these rows as wrenches [F, M / size] on the second body about the centre; the basis spans them.
    """

    name: str
    joint: Joint
    freedom: str | None
    ends: tuple[int, int]
    centre: Array
    axis: Array
    basis: Array
    directions: Mapping[str, Array] = field(hash=False)
    elements: tuple[RowElement, ...]
    rows: Array

    @property
    def count(self) -> int:
        """Constraints it stands for: columns of A."""
        return int(self.basis.shape[1])

    def about(self, point: Array, size: float) -> Array:
        """Return the basis (6, c) about another point [m], lengths in sizes."""
        return moved(self.basis, (self.centre - point) / size)


@dataclass(frozen=True, eq=False)
class WrenchSystem:
    """All that transmits wrenches in a mechanism, at one position.

    Parameters
    ----------
    size : unit of length of wrenches [m].
    parts : of a wrench [F, M], those that count: six in space, three in the plane.
    sources : joints in the order of the file, then drives.
    places : (n, 3) centre of mass of every moving body, else its origin [m].
    """

    mechanism: Mechanism
    size: float
    parts: tuple[int, ...]
    sources: tuple[Source, ...]
    places: Array

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the parts."""
        return WRENCH if len(self.parts) == len(WRENCH) else PLANAR_WRENCH

    @property
    def columns(self) -> int:
        """Constraints of all joints and drives."""
        return sum(source.count for source in self.sources)

    @property
    def equations(self) -> int:
        """Equations of equilibrium."""
        return len(self.parts) * len(self.mechanism.bodies)


def moved(wrenches: Array, lever: Array) -> Array:
    """Return wrenches (6, ...) about a point from which the old one is at `lever`, in the same unit of length."""
    found = wrenches.copy()
    found[3:] += np.cross(lever, wrenches[:3].T).T
    return found


def wrench_system(rows: JointRows, poses: Array) -> WrenchSystem:
    """Return what joints and drives transmit at poses (n, 7) of the centres of mass."""
    mechanism = rows.mechanism
    pairs = rows.joint_elements()
    drives = [
        rows.freedom_element(joint, freedom, rows.coordinate(joint, freedom, poses))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    blocks = rows.blocks([*pairs, *drives], poses)
    of_pairs: dict[str, list[int]] = {joint.id: [] for joint in mechanism.joints}
    for k, element in enumerate(pairs):
        of_pairs[element.joint.id].append(k)
    placed = rows.world_frames(mechanism.joints, poses)
    frames = dict(zip([joint.id for joint in mechanism.joints], placed, strict=True))
    parts = _PARTS[mechanism.space]
    found = []
    for joint in mechanism.joints:
        wrenches = _wrenches(rows, joint, [blocks[k] for k in of_pairs[joint.id]], frames[joint.id][1], poses, parts)
        elements = tuple(pairs[k] for k in of_pairs[joint.id])
        found.append(_joint_source(rows, joint, elements, wrenches, frames[joint.id]))
    for element, block in zip(drives, blocks[len(pairs) :], strict=True):
        wrenches = _wrenches(rows, element.joint, [block], frames[element.joint.id][1], poses, parts)
        found.append(_drive_source(rows, element, wrenches, frames[element.joint.id]))
    return WrenchSystem(mechanism, rows.size, parts, tuple(found), poses[:, :3])


def _wrenches(
    rows: JointRows,
    joint: Joint,
    blocks: Sequence[tuple[Array, Array]],
    frame: tuple[Array, Array],
    poses: Array,
    parts: Sequence[int],
) -> Array:
    """Return the rows (6, m) of a joint as wrenches on the second body about its centre there."""
    second = joint.bodies[1] in rows.number
    body = rows.number[joint.bodies[1 if second else 0]]
    if not blocks:
        return np.zeros((6, 0))
    found: Array = np.concatenate([one if not second else two for one, two in blocks]).T * (1.0 if second else -1.0)
    found = moved(found, (poses[body, :3] - frame[0]) / rows.size)
    seen = np.zeros_like(found)
    seen[list(parts)] = found[list(parts)]
    return seen


def _ends(rows: JointRows, joint: Joint) -> tuple[int, int]:
    first, second = (rows.number.get(body, -1) + 1 for body in joint.bodies)
    return first, second


def _joint_source(
    rows: JointRows,
    joint: Joint,
    elements: tuple[RowElement, ...],
    wrenches: Array,
    frames: tuple[tuple[Array, Array], tuple[Array, Array]],
) -> Source:
    """Return a joint with its named components as basis, as far as they span what its rows do."""
    (_, first), (centre, second) = frames
    directions = named_directions(joint, first, second, planar=rows.mechanism.space == "planar")
    basis: Array = np.zeros((6, 0))
    if wrenches.size:
        left, sizes, _ = np.linalg.svd(wrenches, full_matrices=False)
        basis = left[:, sizes > _NONE]
        if directions and len(directions) == basis.shape[1]:
            named = basis @ (basis.T @ np.array(list(directions.values())).T)
            named /= np.maximum(np.linalg.norm(named, axis=0), _NONE)
            if np.linalg.svd(named, compute_uv=False)[-1] > _NONE:
                basis = named
    return Source(joint.id, joint, None, _ends(rows, joint), centre, first[:, 2], basis, directions, elements, wrenches)


def _drive_source(
    rows: JointRows,
    element: RowElement,
    wrenches: Array,
    frames: tuple[tuple[Array, Array], tuple[Array, Array]],
) -> Source:
    """Return a drive; one that holds nothing where it stands has a column of zeros."""
    length = float(np.linalg.norm(wrenches))
    basis = wrenches / length if length > _NONE else np.zeros((6, 1))
    joint, freedom = element.joint, element.freedom or ""
    name = f"{joint.id}.{freedom}"
    (_, first), (centre, _) = frames
    directions = {"effort": basis[:, 0]}
    return Source(
        name, joint, freedom, _ends(rows, joint), centre, first[:, 2], basis, directions, (element,), wrenches
    )  # fmt: skip
