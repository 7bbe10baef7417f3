"""From states of centre-of-mass frames to the result: body frames, points, joint coordinates, energies."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from symgen.model.expressions import ExpressionError
from symgen.model.mechanism import Mechanism
from symgen.model.named import Named
from symgen.model.parts import Body, Joint
from symgen.poses import Array
from symgen.simulate.results.energies import Energies, energies
from symgen.simulate.results.records import JointReaction, Run
from symgen.simulate.results.result import SimulationResult
from symgen.solve.coordinates import measure_motion
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack, continuous_sign, resting
from symgen.solve.trajectory import JointTrack, point_tracks
from symgen.solve.turns import ANGLES, follow_rates


@dataclass(frozen=True)
class Welded:
    """Bodies that an integrator takes as one.

    Parameters
    ----------
    places : body without a state of its own -> the body (or the ground) it is fixed to, which has one, and the pose
        (7,) of its frame in that one's.
    centres : body -> point (3,) [m, body frame] that its state is of, where that is not its own centre of mass.
    """

    places: Mapping[str, tuple[str, Array]] = field(default_factory=dict)
    centres: Mapping[str, Array] = field(default_factory=dict)


def result_of_states(
    mechanism: Mechanism,
    times: Array,
    poses: Array,
    twists: Array,
    accelerations: Array,
    *,
    run: Run,
    energy: Energies | None = None,
    violation: Array | None = None,
    resultants: Array | None = None,
    reactions: Mapping[str, JointReaction] | None = None,
    welded: Welded | None = None,
    angles: Mapping[tuple[str, str], Array] | None = None,
) -> SimulationResult:
    """Return the result of states of the centre-of-mass frames of all moving bodies.

    Parameters
    ----------
    times : (n,) [s].
    poses : (n, bodies, 7) centre of mass and orientation of each body, in the order of ``mechanism.bodies``.
    twists, accelerations : (n, bodies, 6) of the centre of mass, then angular; world axes.
    energy : by default from masses, gravity and springs.
    violation : (n,), by default NaN: not measured.
    resultants : (n, bodies, 6), see `SimulationResult.resultants`.
    welded : bodies without a state of their own, which `poses` and the others then leave out.
    angles : (joint, freedom) -> (n,) angles whose turns were counted while integrating; others are followed by their
        rates.

    Raises
    ------
    ValueError
        An array has another shape.
    """
    fixed = welded or Welded()
    free = [body for body in mechanism.bodies if body.id not in fixed.places]
    rows, count = len(times), len(free)
    wanted = [("poses", poses, 7), ("twists", twists, 6), ("accelerations", accelerations, 6)]
    if resultants is not None:
        wanted.append(("resultants", resultants, 6))
    for name, array, width in wanted:
        if array.shape != (rows, count, width):
            raise ValueError(f"{name}: shape {array.shape}, expected {(rows, count, width)}")
    tracks = {mechanism.ground: resting(rows)}
    for k, body in enumerate(free):
        centre = fixed.centres.get(body.id, np.array(body.com or (0.0, 0.0, 0.0)))
        tracks[body.id] = _body_track(body, centre, poses[:, k], twists[:, k], accelerations[:, k])
    for body in mechanism.bodies:
        if body.id in fixed.places:
            leader, place = fixed.places[body.id]
            track = tracks[leader].attached(place)
            tracks[body.id] = replace(track, q=continuous_sign(track.q, np.array(body.pose.q)))
    bodies = {body.id: tracks[body.id] for body in mechanism.bodies}
    points = dict(point_tracks(mechanism, tracks))
    joints = {
        joint.id: _joint_track(mechanism, joint, times, tracks, angles or {})
        for joint in mechanism.joints
        if joint.freedoms and joint.frames is not None
    }
    found = energy if energy is not None else energies(mechanism, bodies, joints, points)
    return SimulationResult(
        mechanism=mechanism,
        times=times,
        bodies=Named("body", bodies),
        joints=Named("joint", joints),
        points=Named("point", points),
        kinetic=found.kinetic,
        potential=found.potential,
        violation=np.full(rows, np.nan) if violation is None else violation,
        run=run,
        resultants={} if resultants is None else {body.id: resultants[:, k] for k, body in enumerate(free)},
        reactions=Named("joint with reactions", dict(reactions or {})),
    )


def no_rows(mechanism: Mechanism, *, reactions: bool = False) -> SimulationResult:
    """Return a result of no times, of rigid bodies.

    Parameters
    ----------
    reactions : with resultants and reactions.
    """
    count, none = len(mechanism.bodies), np.empty((0, 3))
    states = (np.empty((0, count, 7)), np.empty((0, count, 6)), np.empty((0, count, 6)))
    return result_of_states(
        mechanism,
        np.empty(0),
        *states,
        run=Run("none", 0, 0.0, 0),
        resultants=states[1] if reactions else None,
        reactions={joint.id: JointReaction(none, none) for joint in mechanism.joints if joint.frames}
        if reactions
        else {},
    )


def _body_track(body: Body, com: Array, pose: Array, twist: Array, acceleration: Array) -> BodyTrack:
    """Return the motion of the body frame from that of the frame at `com` (3,), whose axes are the same."""
    q = continuous_sign(pose[:, 3:], np.array(body.pose.q))
    centre = BodyTrack(pose[:, :3], q, twist[:, :3], twist[:, 3:], acceleration[:, :3], acceleration[:, 3:])
    return centre.attached(np.array([*-com, 1.0, 0.0, 0.0, 0.0]))


def _joint_track(
    mechanism: Mechanism,
    joint: Joint,
    times: Array,
    tracks: Mapping[str, BodyTrack],
    counted: Mapping[tuple[str, str], Array],
) -> JointTrack:
    first, second = joint.bodies
    if joint.frames is None:  # the caller looks
        raise ValueError(f"joints.{joint.id}: has no geometry")
    frames = frame_array(joint.frames[0]), frame_array(joint.frames[1])
    found = measure_motion(joint.type, (tracks[first], tracks[second]), frames)
    laws = _law_values(mechanism, joint.id, times)
    if "pitch" in laws:
        found = _read_as(laws["pitch"], found)
    columns: tuple[dict[str, Array], ...] = ({}, {}, {})
    for freedom in joint.freedoms:
        triple = found[freedom]
        for order, column in enumerate(columns):
            column[freedom] = np.ascontiguousarray(triple[:, order])
        values, rates = columns[0][freedom], columns[1][freedom]
        if freedom not in ANGLES:
            continue
        if freedom in laws:
            columns[0][freedom] = _in_turn_of(laws[freedom], values)
        elif (joint.id, freedom) in counted and "pitch" not in laws:
            columns[0][freedom] = _in_turn_of(counted[joint.id, freedom], values)
        else:
            columns[0][freedom] = follow_rates(times, values, rates, _start(mechanism, joint.id, freedom))
    return JointTrack(*columns)


def _law_values(mechanism: Mechanism, joint: str, times: Array) -> dict[str, Array]:
    """Return the values (n,) of a joint's drives, by freedom; without those that end at the last time."""
    found: dict[str, Array] = {}
    t = np.asarray(times, dtype=np.float64)
    for (name, freedom), law in mechanism.drives.items():
        if name == joint:
            with suppress(ExpressionError):
                found[freedom] = np.array(np.broadcast_to(law.value.evaluate({"t": t}), t.shape), dtype=np.float64)
    return found


def _in_turn_of(near: Array, values: Array) -> Array:
    turned: Array = values + 2 * np.pi * np.round((near - values) / (2 * np.pi))
    return turned


def _read_as(pitch: Array, found: Mapping[str, Array]) -> dict[str, Array]:
    """Return yaw, pitch and roll with the pitch that its law asks for, of the two readings that every turn has.

    They are measured with a pitch up to a quarter turn; (yaw + pi, pi - pitch, roll + pi) is the same turn.
    """
    other = (np.cos(pitch) < 0.0)[:, None]
    half = np.array([np.pi, 0.0, 0.0])
    turned = {"yaw": found["yaw"] + half, "pitch": half - found["pitch"], "roll": found["roll"] + half}
    return {**found, **{name: np.where(other, rows, found[name]) for name, rows in turned.items()}}


def _start(mechanism: Mechanism, joint: str, freedom: str) -> float | None:
    """Return what the file says of a coordinate at the start, or None."""
    for initial in mechanism.initial.joints:
        if initial.joint == joint and freedom in initial.coordinates:
            return initial.coordinates[freedom]
    return None
