"""Idle rotations taken away: bodies that two S joints alone hold get a U in the place of one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from symgen.model.couplings import Relation
from symgen.model.joint_places import place_joint
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.model.quaternions import (
    Vector3,
    conjugate,
    cross,
    difference,
    direction,
    frame_quaternion,
    perpendicular,
    positive,
    product,
)
from symgen.topology.diagnosis import connected_parts
from symgen.topology.graph import build_graph
from symgen.topology.matching import assign_units
from symgen.topology.missing_inputs import ball_legs_of
from symgen.topology.settle import settle

#: Two centres nearer than this [m] give no line.
_APART = 1e-12


def fix_idle_rotations(mechanism: Mechanism) -> tuple[Mechanism, tuple[str, ...]]:
    """Return the mechanism with U for one S of every leg that spins between two undriven S joints, and their ids.

    A leg is one body or several (S-P-S, S-C-S, branched ones too) that nothing but these two joints holds, and not
    both of them to the ground. Only legs in sets that lack constraints count: in others the rotation is the price of a
    constraint too many, which must go first. Other motions are not touched, since the rotation about the line of the
    two centres moves no other body and each U takes just one freedom away.

    Of the two joints the one later in the file is changed, unless another leg needs it, it is a joint of more than
    two bodies, or the file names its freedoms (`initial`, `forces`, `couplings`, `limits`). Where both have joint
    frames, the axes of the U are normal to the line; otherwise the U has no axes yet.
    """
    settled = settle(mechanism)
    joints = {joint.id: joint for joint in settled.mechanism.joints}
    graph = settled.reduce(build_graph(settled.mechanism))
    named = _named(mechanism)
    changed: dict[str, dict[str, Any]] = {}
    for part in connected_parts(graph, assign_units(graph).under):
        for leg in ball_legs_of(graph, part):
            ids = [graph.joints[p].id for p in sorted(leg.balls, key=lambda p: p != leg.pair)]
            free = [
                name for name in ids if name in mechanism.source["joints"] and name not in named and name not in changed
            ]
            if free:
                other = next(name for name in ids if name != free[0])
                changed[free[0]] = _universal(mechanism, joints[free[0]], joints[other])
    if not changed:
        return mechanism, ()
    table: Mapping[str, Any] = mechanism.source["joints"]
    tree = {**mechanism.source, "joints": {name: changed.get(name, entry) for name, entry in table.items()}}
    return Mechanism.from_dict(tree, mechanism.file), tuple(name for name in table if name in changed)


def _named(mechanism: Mechanism) -> set[str]:
    """Return the joints of which the file names freedoms: they would not be those of a U."""
    initial = mechanism.source.get("initial", {}).get("joints", {})
    forces = mechanism.source.get("forces", {}).values()
    coupled = (
        joint
        for coupling in mechanism.couplings
        for joint in ([joint for joint, _ in coupling.terms] if isinstance(coupling, Relation) else coupling.joints)
    )
    limited = (joint for joint, _ in mechanism.limits)
    return {*initial, *(force["joint"] for force in forces if "joint" in force), *coupled, *limited}


def _universal(mechanism: Mechanism, ball: Joint, far: Joint) -> dict[str, Any]:
    """Return the entry of a joint as U, its axes normal to the line to the centre of the other."""
    entry: Mapping[str, Any] = mechanism.source["joints"][ball.id]
    made: dict[str, Any] = {"type": "U", **{key: entry[key] for key in ("bodies", "at") if key in entry}}
    sides = {body: {"at": side["at"]} if "at" in side else {} for body, side in entry.get("frames", {}).items()}
    axes = _axes(mechanism, ball, far)
    if sides:
        made["frames"] = sides
    if axes is None:
        return made
    if not sides:
        return {**made, "axis": list(axes[0]), "axis2": list(axes[1])}
    in_world = frame_quaternion(*axes)
    for body, side in sides.items():
        side["q"] = list(positive(product(conjugate(mechanism.body(body).pose.q), in_world)))
    return made


def _axes(mechanism: Mechanism, ball: Joint, far: Joint) -> tuple[Vector3, Vector3] | None:
    """Return two directions normal to each other and to the line of the centres; None where that is not known."""
    poses = {body.id: body.pose for body in (mechanism.ground_body, *mechanism.bodies)}
    here, there = place_joint(ball, poses), place_joint(far, poses)
    if here is None or there is None:
        return None
    line = difference(here.at, there.at)
    if math.hypot(*line) < _APART:
        return None
    along = direction(line)
    first = perpendicular(along)
    return first, cross(along, first)
