"""Idle rotations taken away: bodies that two S joints alone hold get a U in the place of one.

So does a rod that slides and turns on the axis of a C (or turns on that of an R) through the centre of its S, as the
piston rod of a strut: that it is idle is a matter of its drawing, not of the count.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from symgen.model.couplings import Relation
from symgen.model.joint_places import place_joint, size_of
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint, JointForce, JointFrame, Pose
from symgen.model.poses import compose, pose_of
from symgen.model.quaternions import (
    Z_AXIS,
    Vector3,
    conjugate,
    cross,
    difference,
    direction,
    frame_quaternion,
    normal_part,
    perpendicular,
    positive,
    product,
    rotate,
)
from symgen.topology.findings.diagnosis import connected_parts
from symgen.topology.findings.missing_inputs import ball_legs_of
from symgen.topology.graph import FRAME, PairGraph, build_graph
from symgen.topology.matching import assign_units
from symgen.topology.settle import settle

#: Two centres nearer than this [m] give no line.
_APART = 1e-12
#: A centre lies on an axis if it is no farther from it than this part of the mechanism's size: files carry some digits.
_ON_AXIS = 1e-6
#: The axis of a joint serves the U if it is at least this much (sine) off the line.
_ACROSS = 0.5
#: Pairs with one axis, the z axis of their frames.
_WITH_AXIS = ("R", "C", "H", "PL")


@dataclass(frozen=True)
class IdleLeg:
    """Bodies that turn freely about a line and move no other body by it.

    Parameters
    ----------
    bodies : the bodies, ranking as in the file.
    joints : the two joints that hold them, in the order of the file; one S at least.
    ball : the S that becomes U.
    outside, beyond : body that `ball` joins the leg to, and the one at the other joint.
    line : direction of the line in the world, in the configuration of the file; None if it is not known.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, str]
    ball: Joint
    outside: str
    beyond: str
    line: Vector3 | None


def fix_idle_rotations(mechanism: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """Return the mechanism with U for one S of every leg that spins idly, and the ids of these joints.

    A leg is one body or several (S-P-S, S-C-S, branched ones too) that nothing but two undriven S joints holds, and not
    both of them to the ground; or one body on an S whose centre lies on the axis of its only other joint, a C or an R.
    Only legs in sets that lack constraints count: in others the rotation is the price of a
    constraint too many, which must go first. Other motions are not touched, since the rotation about the line
    moves no other body and each U takes just one freedom away.

    Of two S joints the one later in the file is changed, unless another leg needs it, it is a joint of more than
    two bodies, or the file names its freedoms (`initial`, `forces`, `couplings`, `limits`). Where joint frames are
    known, the axes of the U are normal to the line; otherwise the U has no axes yet.
    """
    legs = idle_legs(mechanism, spared=_named(mechanism))
    if not legs:
        return mechanism, ()
    changed = {leg.ball.id: _entry(mechanism, leg) for leg in legs}
    table: Mapping[str, Any] = mechanism.source["joints"]
    tree = {**mechanism.source, "joints": {name: changed.get(name, entry) for name, entry in table.items()}}
    return Mechanism.from_dict(tree, mechanism.file), tuple(name for name in table if name in changed)


def without_idle_rotations(mechanism: Mechanism) -> tuple[Mechanism, tuple[IdleLeg, ...]]:
    """Return the mechanism as it is counted and solved: every leg that spins idly with a U, whatever the file names.

    What comes out is for the analysis and the solver, which read coordinates off the S of the file; its `source` and
    its forces are still those of the file.
    """
    legs = idle_legs(mechanism)
    stand_ins = {leg.ball.id: _stand_in(mechanism, leg) for leg in legs}
    return replace(mechanism, joints=tuple(stand_ins.get(each.id, each) for each in mechanism.joints)), legs


def idle_legs(mechanism: Mechanism, spared: Collection[str] = ()) -> tuple[IdleLeg, ...]:
    """Return the legs that spin idly in sets that lack constraints, as far as a U can stop them.

    Parameters
    ----------
    spared : joints that must stay as they are.
    """
    settled = settle(mechanism)
    joints = {joint.id: joint for joint in settled.mechanism.joints}
    graph = settled.reduce(build_graph(settled.mechanism))
    places = _Places(mechanism, joints)
    found: list[IdleLeg] = []
    taken = {*spared}
    for part in connected_parts(graph, assign_units(graph).under):
        pairs = [(leg.vertices, leg.balls, leg.pair) for leg in ball_legs_of(graph, part)]
        for vertices, held, best in (*pairs, *_legs_on_axes(graph, part, places)):
            leg = _leg(graph, vertices, sorted(held, key=lambda p: p != best), taken, places)
            if leg is not None:
                taken.add(leg.ball.id)
                found.append(leg)
    return tuple(found)


class _Places:
    """Where joints stand in the configuration of the file, as far as it gives their frames."""

    def __init__(self, mechanism: Mechanism, joints: Mapping[str, Joint]) -> None:
        self.poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
        self._joints = joints

    @property
    def size(self) -> float:
        """A length of the mechanism [m]."""
        places = {name: place_joint(joint, self.poses) for name, joint in self._joints.items()}
        return size_of({name: place for name, place in places.items() if place is not None})

    def side(self, joint: Joint, body: str) -> Pose | None:
        """Return the joint frame on one of its bodies, in the world."""
        if joint.frames is None or joint.lacking:
            return None
        return compose(self.poses[body], pose_of(joint.frames[joint.bodies.index(body)]))

    def axis(self, joint: Joint, body: str) -> Vector3 | None:
        """Return the direction of a joint's first axis in the world."""
        frame = self.side(joint, body)
        return None if frame is None else rotate(frame.q, Z_AXIS)


def _leg(
    graph: PairGraph, vertices: tuple[int, ...], held: Iterable[int], taken: Collection[str], places: _Places
) -> IdleLeg | None:
    """Return a leg with the first of its joints that can become a U; None if there is none."""
    pairs = [graph.joints[p] for p in held]
    inside = {body for v in vertices for body in graph.members[v]}
    ball = next((each for each in pairs if each.type == "S" and each.multiple is None and each.id not in taken), None)
    if ball is None:
        return None
    far = next(each for each in pairs if each is not ball)
    own, across = ball.bodies if ball.bodies[0] in inside else ball.bodies[::-1]
    own_far, beyond = far.bodies if far.bodies[0] in inside else far.bodies[::-1]
    bodies = tuple(body for v in vertices for body in graph.members[v])
    first, second = sorted(pairs, key=graph.joints.index)
    return IdleLeg(bodies, (first.id, second.id), ball, across, beyond, _line(ball, far, own, own_far, places))


def _line(ball: Joint, far: Joint, own: str, own_far: str, places: _Places) -> Vector3 | None:
    """Return the direction of the line a leg turns about: through both centres, or the axis of the other joint."""
    here, there = places.side(ball, own), places.side(far, own_far)
    if here is None or there is None:
        return None
    if far.type != "S":
        return rotate(there.q, Z_AXIS)
    line = difference(here.r, there.r)
    return None if math.hypot(*line) < _APART else direction(line)


def _legs_on_axes(
    graph: PairGraph, part: Iterable[int], places: _Places
) -> Iterator[tuple[tuple[int, ...], tuple[int, int], int]]:
    """Yield single bodies whose two pairs are an S and, with its centre on the axis, a C or an R: (body,), pairs, S."""
    size: float | None = None
    for v in part:
        pairs = [a // 2 for a in graph.incident[v] if graph.units[a // 2]]
        if len(pairs) != 2 or all(FRAME in (graph.end[2 * p], graph.end[2 * p + 1]) for p in pairs):
            continue
        kinds = {graph.kinds[p]: p for p in pairs}
        other = kinds.get(("C", 0), kinds.get(("R", 0)))
        ball = kinds.get(("S", 0))
        if ball is None or other is None or any(graph.joints[p].multiple for p in pairs):
            continue
        size = places.size if size is None else size
        if _centre_on_axis(graph, v, ball, other, places, size):
            yield (v,), (ball, other), ball


def _centre_on_axis(graph: PairGraph, v: int, ball: int, other: int, places: _Places, size: float) -> bool:
    inside = graph.members[v]
    ends = [next(body for body in graph.joints[p].bodies if body in inside) for p in (ball, other)]
    centre, axis = places.side(graph.joints[ball], ends[0]), places.side(graph.joints[other], ends[1])
    if centre is None or axis is None:
        return False
    return math.hypot(*normal_part(difference(centre.r, axis.r), rotate(axis.q, Z_AXIS))) <= _ON_AXIS * size


def _named(mechanism: Mechanism) -> set[str]:
    """Return the joints of which the file names freedoms: they would not be those of a U."""
    forces = {force.joint for force in mechanism.forces if isinstance(force, JointForce)}
    coupled = (
        joint
        for coupling in mechanism.couplings
        for joint in ([joint for joint, _ in coupling.terms] if isinstance(coupling, Relation) else coupling.joints)
    )
    limited = (joint for joint, _ in mechanism.limits)
    return {*forces, *(initial.joint for initial in mechanism.initial.joints), *coupled, *limited}


def _axes(mechanism: Mechanism, leg: IdleLeg) -> tuple[Vector3, Vector3] | None:
    """Return two directions for the U, on its first and second body; None where the line is not known.

    Both are normal to the line and to each other. The U locks where the line comes to lie along the axis on the body
    outside. So that one is, if there is such a joint, near the axis of a joint about which the line turns:
    of a crank, the axis of its bearing.
    """
    if leg.line is None:
        return None
    places = _Places(mechanism, {})
    turning = leg.outside if leg.outside != mechanism.ground else leg.beyond
    across = [
        normal_part(axis, leg.line)
        for joint in mechanism.joints
        if joint.type in _WITH_AXIS and turning in joint.bodies and joint.id not in leg.joints
        for axis in [places.axis(joint, joint.bodies[0])]
        if axis is not None
    ]
    best = max(across, key=lambda vector: math.hypot(*vector), default=(0.0, 0.0, 0.0))
    outer = direction(best) if math.hypot(*best) >= _ACROSS else perpendicular(leg.line)
    inner = cross(leg.line, outer)
    return (outer, inner) if leg.ball.bodies[0] == leg.outside else (inner, outer)


def _stand_in(mechanism: Mechanism, leg: IdleLeg) -> Joint:
    """Return the U in the place of a ball."""
    ball, axes = leg.ball, _axes(mechanism, leg)
    if ball.frames is None or axes is None:
        return replace(ball, type="U", frames=None, lacking=ball.lacking or ("axis", "axis2"))
    in_world = frame_quaternion(*axes)
    poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
    first, second = (
        JointFrame(frame.at, positive(product(conjugate(poses[body].q), in_world)))
        for body, frame in zip(ball.bodies, ball.frames, strict=True)
    )
    return replace(ball, type="U", frames=(first, second))


def _entry(mechanism: Mechanism, leg: IdleLeg) -> dict[str, Any]:
    """Return the entry of a joint as U in a mechanism file."""
    entry: Mapping[str, Any] = mechanism.source["joints"][leg.ball.id]
    made: dict[str, Any] = {"type": "U", **{key: entry[key] for key in ("bodies", "at") if key in entry}}
    sides = {body: {"at": side["at"]} if "at" in side else {} for body, side in entry.get("frames", {}).items()}
    axes = _axes(mechanism, leg)
    if axes is None:
        return {**made, "frames": sides} if sides else made
    if not sides:
        return {**made, "axis": list(axes[0]), "axis2": list(axes[1])}
    turned = _stand_in(mechanism, leg)
    sides.update(
        {
            body: {**sides[body], "q": list(frame.q)}
            for body, frame in zip(turned.bodies, turned.frames or (), strict=False)
            if body in sides
        }
    )
    return {**made, "frames": sides}
