"""Simulation by the special engines: bodies on ball joints, planar bodies on pins; nothing is compiled anew."""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np

from symgen.build.notices import say_once
from symgen.errors import BuildError, MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array, matrix
from symgen.signals import StopRequest
from symgen.simulate.constants import constant
from symgen.simulate.explicit.schemes import choose_explicit
from symgen.simulate.finite_rows import finite_count
from symgen.simulate.pieces import shared_progress
from symgen.simulate.request import Progress, Request
from symgen.simulate.results.joint_reactions import joint_reactions
from symgen.simulate.results.records import Failure, JointReaction, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import result_of_states
from symgen.simulate.special.engine import LOOP, SpecialEngine, SpecialMotion, SpecialSettings
from symgen.simulate.special.tree import SpecialTree, special_tree
from symgen.simulate.start.initial import InitialState, initial_state
from symgen.simulate.start.started import first_values
from symgen.simulate.stopping import cut_short, listener
from symgen.simulate.stretches import plan_stretches
from symgen.simulate.tables.inertias import inertia_matrix, unlikely_inertias
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.scale import size_of_mechanism
from symgen.status import Status

#: Angle of a body in a step [rad] that no motion goes, and what is said of it.
_WILD = constant("WILD")
_GREW = (
    "the motion grew without bound: the step is too large for the speed; try a smaller step or a tolerance, or method "
    "dimcd"
)
#: The error of a step that is allowed, as a part of the tolerance: errors of steps add up.
_SHARE = 0.01


def special_engine(mechanism: Mechanism, backend: str = "auto") -> SpecialEngine | None:
    """Return the special engine of a mechanism, or None: it takes another one.

    Parameters
    ----------
    backend : ``"c"``, ``"numpy"`` (there is no special engine in NumPy) or ``"auto"``.

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the engine cannot be compiled.
    """
    tree = None if backend == "numpy" else special_tree(mechanism)
    if tree is None:
        return None
    try:
        return SpecialEngine(tree)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(f"backend {type(error).__name__}", f"{error}\nsymgen: using NumPy instead, which is slower")
        return None


def special_state(tree: SpecialTree, poses: Array, twists: Array) -> Array:
    """Return the engine's state (n, 7) or (n, 2) of poses (n, 7) and twists (n, 6) in the order of the mechanism."""
    q, omega = poses[tree.order, 3:], twists[tree.order, 3:]
    if tree.kind == "planar":
        found: Array = np.stack([2.0 * np.arctan2(q[:, 3], q[:, 0]), omega[:, 2]], axis=1)
        return found
    return np.concatenate([q, omega], axis=1)


def in_file_order(tree: SpecialTree, motion: SpecialMotion) -> tuple[Array, Array, Array]:
    """Return poses (rows, n, 7), twists and accelerations (rows, n, 6) in space, in the order of the mechanism."""
    back = np.argsort(tree.order)
    poses, twists, accelerations = (each[:, back] for each in (motion.poses, motion.twists, motion.accelerations))
    if tree.kind == "ball":
        return poses, twists, accelerations
    wide = np.zeros((*poses.shape[:2], 7))
    wide[..., :2], wide[..., 3], wide[..., 6] = poses[..., :2], np.cos(poses[..., 2] / 2), np.sin(poses[..., 2] / 2)
    return wide, _in_space(twists), _in_space(accelerations)


def _in_space(planar: Array) -> Array:
    found = np.zeros((*planar.shape[:2], 6))
    found[..., :2], found[..., 5] = planar[..., :2], planar[..., 2]
    return found


def simulate_special(
    request: Request, engine: SpecialEngine, progress: Progress | None = None, stop: StopRequest | None = None
) -> SimulationResult | None:
    """Integrate with a special engine.

    None if a loop meets a position in which it holds nothing that is not held already, or always does: that is for
    the general engine.
    """
    stop = stop if stop is not None else StopRequest()
    mechanism, tolerance, until, step = request.mechanism, request.tolerance, request.until, request.step
    finding = None
    if engine.tree.loops:  # without loops they take no time
        progress, finding = shared_progress(progress, reactions=request.reactions)
    scheme = choose_explicit(request.order, tolerance, "riccati")
    start = initial_state(mechanism, strict=request.strict)
    stretches = plan_stretches((), request.longest, until, request.spacing)
    share = None if tolerance is None else _SHARE * tolerance / max(1.0, _reach(engine.tree))
    state, trial, times = special_state(engine.tree, start.poses, start.twists), request.trial, [0.0]
    parts: list[tuple[SpecialMotion, int]] = []
    before = clock.perf_counter(), clock.process_time()
    stop.hold()
    for stretch in stretches:
        settings = SpecialSettings(
            stretch.start, stretch.end, stretch.steps // stretch.every, stretch.every, share, trial, scheme
        )
        found = engine.run(settings, state, listener(stop, progress, stretch, until))
        state, trial = found.state, found.step
        first = 0 if not parts else 1
        times += [stretch.start + k * stretch.every * stretch.step for k in range(1, len(found.poses))]
        parts.append((found, first))
        if found.status == Status.SINGULAR and found.body <= LOOP:
            return None
        if found.status != Status.OK:
            _refuse_idle(mechanism, engine.tree, found)
        if found.status != Status.OK or stop.asked:
            break
    spent = clock.perf_counter() - before[0], clock.process_time() - before[1]
    longest = max(stretch.step for stretch in stretches) if step is not None else until
    run = _describe(mechanism, engine.tree, start, ("riccati", scheme.order, longest), [p for p, _ in parts], spent)
    run = cut_short(run, stop, found.time, whole=len(parts) == len(stretches) and found.status == Status.OK)
    arrays = [in_file_order(engine.tree, part) for part, _ in parts]
    poses, twists, accelerations = (
        np.concatenate([each[k][first:] for each, (_, first) in zip(arrays, parts, strict=True)]) for k in range(3)
    )
    angles = np.concatenate([part.poses[first:] for part, first in parts])
    if run.failure is not None:
        count = finite_count(poses, twists, accelerations)
        poses, twists, accelerations, angles = (each[:count] for each in (poses, twists, accelerations, angles))
    rows, states = np.array(times[: len(poses)]), (poses, twists, accelerations)
    return _result(mechanism, engine.tree, rows, states, angles, run, request.reactions, finding)


def _reach(tree: SpecialTree) -> float:
    """Return how far the farthest centre of mass may be from its tree's root [m]: angles count so much there."""
    reach = np.zeros(tree.bodies)
    for i in reversed(range(tree.bodies)):
        own = float(np.linalg.norm(tree.output[i]))
        parent = int(tree.parent[i])
        reach[i] = own if parent < 0 else own + reach[parent] + float(np.linalg.norm(tree.input[i]))
    return float(reach.max(initial=0.0))


def _describe(
    mechanism: Mechanism,
    tree: SpecialTree,
    start: InitialState,
    scheme: tuple[str, int, float],
    parts: list[SpecialMotion],
    spent: tuple[float, float],
) -> Run:
    last, steps = parts[-1], sum(part.steps for part in parts)
    chosen = any(part.refused for part in parts) or scheme[1] == 8
    failure = None
    if last.status != Status.OK:
        if not chosen and _grew(last.state, scheme[2]):
            failure = Failure(last.time, Status.NOT_CONVERGED, _GREW)
        else:
            failure = Failure(last.time, last.status, _explain(mechanism, tree, last, chosen=chosen))
    return Run(
        method=scheme[0],
        order=scheme[1],
        step=last.time / max(steps, 1) if chosen else scheme[2],
        steps=steps,
        seconds=spent[0],
        processor=spent[1],
        warnings=(*start.messages, *unlikely_inertias(mechanism)),
        failure=failure,
    )


def _grew(state: Array, step: float) -> bool:
    """Tell whether a body turns farther in a step than in any motion; rates come after a quaternion or an angle."""
    rates = state[:, 1:] if state.shape[1] == 2 else state[:, 4:]
    return not step * float(np.abs(rates).max(initial=0.0)) <= _WILD


def _refuse_idle(mechanism: Mechanism, tree: SpecialTree, found: SpecialMotion) -> None:
    """Refuse a mechanism that lacks mass from its start on, so that nothing is written of it."""
    if found.status == Status.SINGULAR and found.body >= 0 and found.time == 0.0:
        body = mechanism.bodies[int(tree.order[found.body])]
        if not body.mass or not any(body.inertia or ()):
            raise MechanismError(
                _explain(mechanism, tree, found, chosen=False), file=mechanism.file, field=f"bodies.{body.id}"
            )


def _explain(mechanism: Mechanism, tree: SpecialTree, last: SpecialMotion, *, chosen: bool) -> str:
    if last.status == Status.SINGULAR and last.body >= 0:
        body = mechanism.bodies[int(tree.order[last.body])].id
        return (
            f"zero articulated inertia: body {body}, with all that it carries, can turn about the joint that carries "
            "it without moving any mass; give it mass and inertia"
        )
    if not chosen and last.status == Status.NOT_CONVERGED and not tree.loops:
        return _GREW
    if tree.loops:
        return "the loops could not be closed, or steps became too small: try a smaller step, or method dimcd"
    return "steps became too small: the motion is too fast for the step, or the tolerance is below rounding"


def _result(
    mechanism: Mechanism,
    tree: SpecialTree,
    times: Array,
    states: tuple[Array, Array, Array],
    angles: Array,
    run: Run,
    reactions: bool,
    progress: Progress | None,
) -> SimulationResult:
    resultants = _resultants(mechanism, states)
    counted = _joint_angles(mechanism, tree, angles[..., 2]) if tree.kind == "planar" else {}
    before = clock.perf_counter()
    found = _reactions(mechanism, tree, times, states[0], resultants, progress) if reactions else None
    if reactions:
        run = replace(run, reactions_seconds=clock.perf_counter() - before)
    return result_of_states(
        mechanism,
        times,
        *states,
        run=run,
        violation=_violation(tree, angles),
        angles=counted,
        resultants=resultants,
        reactions=found,
    )


def _violation(tree: SpecialTree, poses: Array) -> Array:
    """Return the largest gap of a loop (rows,), of poses in the order of the engine; joints of the tree have none."""
    found = np.zeros(len(poses))
    for loop in tree.loops:
        ends = [_end(tree, poses, body, point) for body, point in zip(loop.bodies, loop.points, strict=True)]
        found = np.maximum(found, np.abs(ends[1] - ends[0]).max(axis=-1))
    return found


def _end(tree: SpecialTree, poses: Array, body: int, point: Array) -> Array:
    if body < 0:
        return np.broadcast_to(point, (len(poses), len(point)))
    pose = poses[:, body]
    if tree.kind == "ball":
        found: Array = pose[:, :3] + matrix(pose[:, 3:]) @ point
        return found
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    flat: Array = pose[:, :2] + np.stack([c * point[0] - s * point[1], s * point[0] + c * point[1]], axis=-1)
    return flat


def _resultants(mechanism: Mechanism, states: tuple[Array, Array, Array]) -> Array:
    """Return force and torque of all joints at the centres of mass, (rows, n, 6), by Newton and Euler."""
    poses, twists, accelerations = states
    turns = matrix(poses[..., 3:])
    mass = np.array([body.mass or 0.0 for body in mechanism.bodies])
    inertia = turns @ np.array([inertia_matrix(body) for body in mechanism.bodies]) @ np.swapaxes(turns, -1, -2)
    force = mass[:, None] * (accelerations[..., :3] - np.array(mechanism.gravity))
    spin = (inertia @ twists[..., 3:, None])[..., 0]
    torque = (inertia @ accelerations[..., 3:, None])[..., 0] + np.cross(twists[..., 3:], spin)
    return np.concatenate([force, torque], axis=-1)


def _reactions(
    mechanism: Mechanism,
    tree: SpecialTree,
    times: Array,
    poses: Array,
    resultants: Array,
    progress: Progress | None,
) -> dict[str, JointReaction]:
    """Return force and moment of every joint: a tree's joint carries all that hangs on it."""
    if tree.loops:
        rows = JointRows(mechanism, size_of_mechanism(mechanism))
        return joint_reactions(mechanism, rows, times, poses, resultants, progress)
    carried = resultants[:, tree.order, :3].copy()
    for body, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            carried[:, parent] += carried[:, body]
    found = {}
    for body in range(tree.bodies):
        joint = mechanism.joints[int(tree.joints[body])]
        force = carried[:, body] * (1.0 if tree.sides[body] else -1.0)
        found[joint.id] = JointReaction(force, np.zeros_like(force))
    return {joint.id: found[joint.id] for joint in mechanism.joints}


def _joint_angles(mechanism: Mechanism, tree: SpecialTree, angles: Array) -> dict[tuple[str, str], Array]:
    """Return the angles of the pins (rows,), in which turn they are: from the angles of the bodies (rows, n)."""
    found = {}
    for body, parent in enumerate(tree.parent.tolist()):
        joint = mechanism.joints[int(tree.joints[body])]
        turned = angles[:, body] - (angles[:, parent] if parent >= 0 else 0.0)
        sign = 1.0 if tree.sides[body] else -1.0
        between = [2.0 * np.arctan2(frame.q[3], frame.q[0]) for frame in joint.frames or ()]
        value = sign * turned + between[1] - between[0]
        (start,) = first_values(mechanism, [(joint.id, "angle")])
        found[joint.id, "angle"] = value + 2 * np.pi * np.round((start - value[:1]) / (2 * np.pi))
    return found
