"""What the drawing tells of redundancy by proportions: which constraints say something new, which groups are regular.

Each joint is a set of rows: the constraint wrenches, reciprocal to its screws in the reference configuration, on the
twists of its two bodies, translations divided by a length of the mechanism. Constraints that are kept must be
independent there. If they span all that the joints say, every block of the groups (which are those of the kept ones by
number) is regular: the whole matrix is block triangular and has full rank with the inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from symgen.model.joint_places import first_open, place_joint, size_of
from symgen.poses import Array
from symgen.topology.graph import FRAME, WELD, build_graph
from symgen.topology.rank.instantaneous import MOST_EQUATIONS, SMALL, joint_screws, numerical_rank

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint


@dataclass(frozen=True)
class DrawnRows:
    """Constraints of the joints in the drawing.

    Parameters
    ----------
    width : freedoms of a body.
    vertex : body -> number of its rigid body; 0 is the frame.
    wrenches : joint -> rows (c, width) without its inputs.
    inputs : joint -> further rows (w, width) with its driven freedoms held; None if the file does not name them.
    ends : joint -> numbers of its two rigid bodies.
    """

    width: int
    vertex: Mapping[str, int]
    wrenches: Mapping[str, Array] = field(hash=False)
    inputs: Mapping[str, Array | None] = field(hash=False)
    ends: Mapping[str, tuple[int, int]] = field(hash=False)

    def steps(self) -> dict[str, int]:
        """Return how many joints lie between each joint and the frame at least."""
        reached, number = {FRAME}, 0
        found: dict[str, int] = {}
        while True:
            near = [joint for joint, ends in self.ends.items() if joint not in found and reached.intersection(ends)]
            if not near:
                return {**dict.fromkeys(self.ends, number), **found}
            found.update(dict.fromkeys(near, number))
            reached.update(vertex for joint in near for vertex in self.ends[joint])
            number += 1

    def dropped(self, order: Sequence[str]) -> dict[str, int]:
        """Return how many constraints of each joint follow from those of the joints before it in `order`."""
        count = self.width * max(self.vertex.values())
        basis = np.zeros((0, count))
        found: dict[str, int] = {}
        for joint in order:
            rows = self._spread(joint, self.wrenches[joint], count)
            rest = rows - (rows @ basis.T) @ basis
            rest -= (rest @ basis.T) @ basis  # twice is enough
            _, sizes, directions = np.linalg.svd(rest, full_matrices=False)
            new = int(np.count_nonzero(sizes > SMALL))
            basis = np.concatenate([basis, directions[:new]])
            if new < len(rows):
                found[joint] = len(rows) - new
        return found

    def missing(self, bodies: Iterable[str], joints: Iterable[str]) -> int | None:
        """Return how many motions of a group its joints and inputs leave, all other bodies held; None if not known."""
        own = {vertex: number for number, vertex in enumerate(dict.fromkeys(self.vertex[body] for body in bodies))}
        count = self.width * len(own)
        matrix: list[Array] = []
        for joint in joints:
            inputs = self.inputs[joint]
            if inputs is None:
                return None
            rows = np.concatenate([self.wrenches[joint], inputs])
            spread = np.zeros((len(rows), count))
            for vertex, sign in zip(self.ends[joint], (-1.0, 1.0), strict=True):
                if vertex in own:
                    start = self.width * own[vertex]
                    spread[:, start : start + self.width] += sign * rows
            matrix.append(spread)
        return count - numerical_rank(np.concatenate(matrix))[0] if matrix else count

    def _spread(self, joint: str, rows: Array, count: int) -> Array:
        spread = np.zeros((len(rows), count))
        for vertex, sign in zip(self.ends[joint], (-1.0, 1.0), strict=True):
            if vertex != FRAME:
                start = self.width * (vertex - 1)
                spread[:, start : start + self.width] += sign * rows
        return spread


def drawn_rows(mechanism: Mechanism) -> DrawnRows | None:
    """Return the constraints in the drawing; None without one that closes, or if it is too large."""
    joints = [joint for joint in mechanism.joints if joint.type != WELD]
    if not joints or any(joint.frames is None or joint.lacking for joint in mechanism.joints):
        return None
    poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
    places = {joint.id: place for joint in mechanism.joints if (place := place_joint(joint, poses)) is not None}
    size, width = size_of(places), mechanism.freedom_count
    members = build_graph(mechanism).members
    if first_open(places, size) is not None or width * len(members) > MOST_EQUATIONS:
        return None
    vertex = {body: number for number, group in enumerate(members) for body in group}
    wrenches: dict[str, Array] = {}
    inputs: dict[str, Array | None] = {}
    for joint in joints:
        screws = joint_screws(joint, places[joint.id], size, width)
        wrenches[joint.id] = _complement(screws)
        inputs[joint.id] = _held(joint, screws)
    ends = {joint.id: (vertex[joint.bodies[0]], vertex[joint.bodies[1]]) for joint in joints}
    return DrawnRows(width, vertex, wrenches, inputs, ends)


def _complement(screws: Array) -> Array:
    """Return orthonormal rows that vanish on the columns."""
    left, sizes, _ = np.linalg.svd(screws, full_matrices=True)
    rank = int(np.count_nonzero(sizes > SMALL * sizes[0])) if sizes.size else 0
    return np.ascontiguousarray(left[:, rank:].T)


def _held(joint: Joint, screws: Array) -> Array | None:
    """Return the rows that holding the driven freedoms adds; None if it is not known which they are."""
    if joint.driven_freedoms is None:
        return None
    free = [k for k, name in enumerate(joint.freedoms) if name not in joint.driven_freedoms]
    whole, kept = _complement(screws[:, free]), _complement(screws)
    rest = whole - (whole @ kept.T) @ kept
    _, sizes, directions = np.linalg.svd(rest, full_matrices=False)
    return np.ascontiguousarray(directions[: int(np.count_nonzero(sizes > SMALL))])
