"""The reference configuration of a topological graph as numbers: all tree coordinates zero.

Every body then has the pose C_i,0; every coordinate has an axis and every joint a centre in the world: the joint
screws Y_i. A loop need not close there: what remains between both sides of its cotree joint is the `gap`.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint, Pose
from symgen.model.poses import compose, inverse, pose_of
from symgen.model.quaternions import IDENTITY, ORIGIN, X_AXIS, Y_AXIS, Z_AXIS, Vector3, rotate
from symgen.topology.loops.coordinates import LoopCoordinates
from symgen.topology.loops.joint_motions import JOINT_MOTIONS
from symgen.topology.loops.topological_graph import FundamentalCycle, TopologicalGraph

_AXES = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}


@dataclass(frozen=True)
class ReferenceConfiguration:
    """Numbers of the reference configuration, world axes, SI.

    Parameters
    ----------
    bodies : body -> pose C_i,0; the root rests in the world frame.
    axes : unit direction of each coordinate.
    centres : joint -> its centre, on the side of the arc's tail.
    pitches : H joint -> pitch [m/rad].
    gaps : for each cycle G_tail G_head^-1, with G the frames of both sides of the cotree joint; identity if the
        reference configuration closes.
    cuts : for each cycle the joint frames of the file's first and second body of the cotree joint.
    """

    bodies: Mapping[str, Pose]
    axes: tuple[Vector3, ...]
    centres: Mapping[str, Vector3]
    pitches: Mapping[str, float]
    gaps: tuple[Pose, ...]
    cuts: tuple[tuple[Pose, Pose], ...]


def reference_configuration(
    mechanism: Mechanism, graph: TopologicalGraph, coordinates: LoopCoordinates
) -> ReferenceConfiguration:
    """Lay the mechanism out along its tree.

    Raises
    ------
    MechanismError
        A joint lacks its frames.
    InputError
        A joint has no frames by definition (higher pairs).
    """
    mechanism.require_frames()
    for joint in mechanism.joints:
        if joint.type not in JOINT_MOTIONS:
            raise InputError(f"joints.{joint.id}: {joint.type} is a higher pair without joint frames")
    bodies: dict[str, Pose] = {graph.root: Pose(ORIGIN, IDENTITY)}
    waiting = list(graph.tree)
    while waiting:
        left = []
        for entry in waiting:
            if entry.predecessor not in bodies:
                left.append(entry)
                continue
            joint = mechanism.joint(entry.joint)
            side = joint.bodies.index(entry.predecessor)
            there = compose(bodies[entry.predecessor], _frame(joint, side))
            bodies[entry.body] = compose(there, inverse(_frame(joint, 1 - side)))
        waiting = left
    sides = {joint.id: _sides(joint, bodies) for joint in mechanism.joints}
    tails = {arc.joint: sides[arc.joint][1 if arc.turned else 0] for arc in graph.arcs}
    return ReferenceConfiguration(
        bodies={body: bodies[body] for body in graph.bodies},
        axes=tuple(rotate(tails[c.joint].q, _AXES[c.motion.axis]) for c in coordinates.every),
        centres={joint: tail.r for joint, tail in tails.items()},
        pitches={joint.id: joint.pitch for joint in mechanism.joints if joint.pitch is not None},
        gaps=tuple(_gap(graph, cycle, sides) for cycle in graph.cycles),
        cuts=tuple(sides[cycle.joint] for cycle in graph.cycles),
    )


def _frame(joint: Joint, side: int) -> Pose:
    if joint.frames is None:
        raise InputError(f"joints.{joint.id} has no geometry")
    return pose_of(joint.frames[side])


def _sides(joint: Joint, bodies: Mapping[str, Pose]) -> tuple[Pose, Pose]:
    first, second = joint.bodies
    return compose(bodies[first], _frame(joint, 0)), compose(bodies[second], _frame(joint, 1))


def _gap(graph: TopologicalGraph, cycle: FundamentalCycle, sides: Mapping[str, tuple[Pose, Pose]]) -> Pose:
    tail, head = sides[cycle.joint][:: -1 if graph.arc(cycle.joint).turned else 1]
    return compose(tail, inverse(head))


def reference_values(
    reference: ReferenceConfiguration, graph: TopologicalGraph, coordinates: LoopCoordinates
) -> dict[str, list[float]]:
    """Return the values of the geometry ports of the generated loop constraints, by port.

    In the plane vectors have two entries, poses are [x, y, phi], axes are those of slides alone, and the joint frame
    of a P is turned so that its x lies along the slide.
    """
    planar = graph.space == "planar"
    size = 2 if planar else 3
    directed = [c for c in coordinates.every if not (planar and c.motion.kind == "turn")]
    turning = {c.joint for c in coordinates.every if c.motion.kind != "slide"}
    kinds = [graph.arc(cycle.joint).type for cycle in graph.cycles]
    values = {
        "axes": [x for c in directed for x in reference.axes[c.number - 1][:size]],
        "centres": [x for arc in graph.arcs if arc.joint in turning for x in reference.centres[arc.joint][:size]],
        "pitches": [reference.pitches[c.joint] for c in coordinates.every if c.motion.kind == "screw"],
        "references": [x for body in graph.bodies[1:] for x in _numbers(reference.bodies[body], planar)],
        "gaps": [x for gap in reference.gaps for x in _numbers(gap, planar)],
        "cuts": [
            x
            for kind, sides in zip(kinds, reference.cuts, strict=True)
            for side in sides
            for x in _numbers(side, planar, Z_AXIS if kind == "P" else X_AXIS)
        ],
    }
    return {port: numbers for port, numbers in values.items() if numbers}


def _numbers(pose: Pose, planar: bool, along: Vector3 = X_AXIS) -> tuple[float, ...]:
    """Return [r, q], or in the plane [x, y, angle of the image of `along`]."""
    if not planar:
        return (*pose.r, *pose.q)
    x, y, _ = rotate(pose.q, along)
    return (pose.r[0], pose.r[1], math.atan2(y, x))
