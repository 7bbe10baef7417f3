"""Instantaneous mobility: the rank of the loop equations in the reference configuration, true geometry taken.

Every independent loop closes by B velocity equations in the rates of its joints: the sum of rate times joint screw
around the loop is zero. With a spanning tree of the bodies the loops are those of the other joints. If J is the
matrix of all of them (B loops x freedoms), mobility of first order is freedoms - rank J, and B loops - rank J of the
equations are redundant.

Sources: K. J. Waldron, 1966 (rank of the screws of a loop); A. Mueller, 2015 (fundamental cycles).

Rank in floating point: translations are divided by a length of the mechanism, so that the singular values have no
unit. They count as zero below the largest gap between neighbours of which the smaller is under 10^-6 of the largest;
files carry at least some seven digits. Where the file gives all joints by decimal numbers in the world, the
rank is also computed exactly (modulo the prime 2^61 - 1, which never gives more than the true rank).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.model.joint_places import JointPlace, first_open, place_joint, size_of
from symgen.poses import Array
from symgen.topology.graph import WELD
from symgen.topology.loops.independent import Loops, find_loops
from symgen.topology.loops.joint_motions import JOINT_MOTIONS
from symgen.topology.rank.exact_screws import exact_rank

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint


#: Larger systems of loop equations are not computed: a dense decomposition grows with the third power.
MOST_EQUATIONS = 1500
#: Singular values above this part of the largest are never taken as zero.
SMALL = 1e-6


@dataclass(frozen=True, slots=True)
class Instantaneous:
    """Mobility in the reference configuration.

    Attributes
    ----------
    mobility : independent motions of first order without inputs.
    remaining : independent motions of first order with the inputs held; None if the file does not say which
        freedoms are driven.
    loops : number of independent loops.
    rank : of the loop equations.
    redundant : loop equations that follow from the others.
    gap : ratio of the smallest singular value that counts to the largest that does not (or to rounding).
    exact : the rank was confirmed in exact arithmetic.
    """

    mobility: int
    remaining: int | None
    loops: int
    rank: int
    redundant: int
    gap: float
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "mobility": self.mobility,
            "remaining": self.remaining,
            "loops": self.loops,
            "rank": self.rank,
            "redundant": self.redundant,
            "gap": float(f"{self.gap:.3g}"),
            "exact": self.exact,
        }


def instantaneous_mobility(mechanism: Mechanism) -> Instantaneous | str | None:
    """Return the mobility in the reference configuration.

    Parameters
    ----------
    mechanism : with pairs for its multiple joints.

    Returns
    -------
    mobility : or, in words, why there is none (size; sides of a joint that do not meet); None without geometry.
    """
    joints = [joint for joint in mechanism.joints if joint.type != WELD]
    if not joints or any(joint.frames is None or joint.lacking for joint in mechanism.joints):
        return None
    poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
    places = {joint.id: place for joint in mechanism.joints if (place := place_joint(joint, poses)) is not None}
    size = size_of(places)
    apart = first_open(places, size)
    if apart is not None:
        gap = places[apart]
        return (
            f"the reference configuration is not assembled: the sides of joint {apart} are {gap.gap:.3g} m and "
            f"{gap.twist:.3g} rad apart"
        )
    loops = find_loops(mechanism, joints)
    width = mechanism.freedom_count
    freedoms = sum(joint.grade for joint in joints)
    if max(width * loops.count, freedoms) > MOST_EQUATIONS:
        return f"{width * loops.count} loop equations are too many for a dense rank (at most {MOST_EQUATIONS})"
    screws = {joint.id: joint_screws(joint, places[joint.id], size, width) for joint in joints}
    matrix = _matrix(joints, screws, loops, width)
    rank, gap_ratio = numerical_rank(matrix)
    return Instantaneous(
        mobility=freedoms + width * loops.floating - rank,
        remaining=_remaining(joints, matrix, width * loops.floating),
        loops=loops.count,
        rank=rank,
        redundant=width * loops.count - rank,
        gap=gap_ratio,
        exact=exact_rank(mechanism, joints, loops, width) == rank,
    )


def numerical_rank(matrix: Array) -> tuple[int, float]:
    """Return the rank and the gap of singular values that decides it (see the head of this file)."""
    if not matrix.size:
        return 0, 1.0 / float(np.finfo(float).eps)
    values = np.linalg.svd(matrix, compute_uv=False)
    floor = float(values[0]) * max(matrix.shape) * float(np.finfo(float).eps)
    if not floor:
        return 0, 1.0 / float(np.finfo(float).eps)
    steps = np.maximum(np.append(values, floor), floor)
    small = np.flatnonzero(steps[1:] < SMALL * steps[0])
    ratios = steps[:-1] / steps[1:]
    place = int(small[np.argmax(ratios[small])])
    return place + 1, float(ratios[place])


def _remaining(joints: list[Joint], matrix: Array, floating: int) -> int | None:
    columns: list[int] = []
    start = 0
    for joint in joints:
        if joint.driven_freedoms is None:
            return None
        driven = set(joint.driven_freedoms)
        columns += [start + k for k, name in enumerate(joint.freedoms) if name not in driven]
        start += joint.grade
    return len(columns) + floating - numerical_rank(matrix[:, columns])[0]


def _matrix(joints: list[Joint], screws: dict[str, Array], loops: Loops, width: int) -> Array:
    start: dict[str, int] = {}
    count = 0
    for joint in joints:
        start[joint.id] = count
        count += joint.grade
    matrix = np.zeros((width * loops.count, count))
    for number, loop in enumerate(loops.members):
        for joint_id, sign in loop:
            block = screws[joint_id]
            matrix[width * number : width * (number + 1), start[joint_id] : start[joint_id] + block.shape[1]] = (
                sign * block
            )
    return matrix


def joint_screws(joint: Joint, place: JointPlace, size: float, width: int) -> Array:
    """Return the screws of a joint's freedoms, in their order, as columns (width, grade); translations over `size`.

    The z axis of every turn is that of the first side, the x axis that of the second, y lies normal to both.
    """
    at = np.array(place.there) / size
    turns = {"z": np.array(place.axis), "x": np.array(place.axis2)}
    turns["y"] = np.cross(turns["z"], turns["x"])
    length = float(np.linalg.norm(turns["y"]))
    if length > SMALL:
        turns["y"] /= length
    else:  # yaw and roll about one line: take the other directions for the span
        turns["y"], turns["x"] = np.array(place.across), np.array(place.along)
    slides = {"z": turns["z"], "x": np.array(place.along), "y": np.array(place.across)}
    columns = []
    for motion in JOINT_MOTIONS[joint.type]:
        slide = np.concatenate([np.zeros(3), slides[motion.axis]])
        turn = np.concatenate([turns[motion.axis], np.cross(at, turns[motion.axis])])
        lead = (joint.pitch or 0.0) / size
        columns.append(slide if motion.kind == "slide" else turn + lead * slide if motion.kind == "screw" else turn)
    screws = np.array(columns).T
    return screws[[2, 3, 4]] if width == 3 else screws
