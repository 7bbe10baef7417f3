"""DIMCD: direct integration of a mechanism by central differences, in stretches between the times at which forces change."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import InputError, MechanismError
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.simulate.engine import CompiledDynamics, Samples, Settings, State
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.problem import Problem, Structure, make_problem, tree_coordinates
from symgen.simulate.result import Failure, Run, SimulationResult
from symgen.status import Status

_FIT = 1e-9
_RANK = 1e-6


def count_freedoms(mechanism: Mechanism, rows: JointRows, start: InitialState, step: float) -> int:
    """Return the velocity freedoms of a regular position.

    The rank of the constraints is that of the initial position, or higher a little way on along the initial velocity
    and along other free directions, if the mechanism starts in a singular position.
    """
    elements = _every_element(mechanism, rows)
    if not elements:
        return 6 * len(mechanism.bodies)
    generator = np.random.default_rng(7)
    unknowns = 6 * len(mechanism.bodies)
    least = unknowns
    for size in (0.0, step, 0.02, 0.05):
        poses = start.poses
        found = rows.linearise(elements, poses)
        if size:
            way = size * start.twists.reshape(-1) if np.any(start.twists) and size == step else None
            if way is None:
                free = _null_space(found.jacobian)
                way = size * (free @ generator.standard_normal(free.shape[1])) if free.shape[1] else np.zeros(unknowns)
            poses = _projected(rows, elements, poses, way)
            if poses is None:
                continue
            found = rows.linearise(elements, poses)
        least = min(least, unknowns - _rank(found.jacobian))
    return least


def _every_element(mechanism: Mechanism, rows: JointRows) -> list[RowElement]:
    held = []
    for joint in mechanism.joints:
        for freedom in joint.driven_freedoms or ():
            value = float(mechanism.drives[(joint.id, freedom)].evaluate(0.0)[0])
            held.append(rows.freedom_element(joint, freedom, value))
    return rows.joint_elements() + held


def _rank(jacobian: Array) -> int:
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(sizes > _RANK * sizes[0])) if sizes.size else 0


def _null_space(jacobian: Array) -> Array:
    _, sizes, vt = np.linalg.svd(jacobian)
    rank = int(np.sum(sizes > _RANK * sizes[0]))
    free: Array = vt[rank:].T
    return free


def _projected(rows: JointRows, elements: Sequence[RowElement], poses: Array, way: Array) -> Array | None:
    """Move along a way and back onto the constraints; None where that does not converge."""
    moved = _move(poses, way.reshape(-1, 6))
    for _ in range(20):
        found = rows.linearise(elements, moved)
        change = -np.linalg.lstsq(found.jacobian, found.residual, rcond=1e-8)[0]
        moved = _move(moved, change.reshape(-1, 6))
        if float(np.abs(change).max(initial=0.0)) < 1e-12:
            return moved
    return None


def _move(poses: Array, steps: Array) -> Array:
    from symgen.library.newton.numpy_engine import move

    found: Array = move(poses[None], steps[None])[0]
    return found


@dataclass(frozen=True)
class Plan:
    """Stretches of one step length: (start, number of steps), and which forces act in each."""

    stretches: tuple[tuple[float, int, float, int, tuple[bool, ...]], ...]


def plan_stretches(problem: Problem, step: float, until: float, sample: float | None) -> list[tuple[float, float, int, int]]:
    """Return (start, step, steps, steps to a sample) of each stretch; forces begin and end where stretches meet."""
    events = {0.0, until}
    for start, end in problem.pushes:
        events |= {time for time in (start, end) if 0.0 < time < until}
    marks = sorted(events)
    found = []
    for begin, end in zip(marks, marks[1:], strict=False):
        span = sample if sample is not None else step
        per = max(1, math.ceil(span / step * (1 - _FIT)))
        samples = max(1, round((end - begin) / span))
        length = (end - begin) / (samples * per)
        found.append((begin, length, samples * per, per))
    return found


def simulate_central(
    mechanism: Mechanism,
    *,
    step: float,
    until: float,
    sample: float | None = None,
    structure: Structure = "tree",
    strict: bool = False,
    tolerance: float = 1e-10,
    told: Callable[[float], None] | None = None,
) -> SimulationResult:
    """Integrate a mechanism from its initial state by central differences."""
    manifest = read_dynamics()
    start = initial_state(mechanism, strict=strict)
    rows = JointRows(mechanism, 1.0)
    freedoms = count_freedoms(mechanism, rows, start, step)
    problem = make_problem(mechanism, manifest, structure, freedoms, rows)
    engine = CompiledDynamics(problem, manifest)
    state = start_state(problem, start)
    pieces: list[Samples] = []
    times: list[Array] = []
    failure = None
    before = clock.perf_counter()
    for begin, length, steps, every in plan_stretches(problem, step, until, sample):
        middle = begin + length * steps / 2
        active = np.array([a <= middle <= b for a, b in problem.pushes], dtype=np.int32)
        found = engine.run(Settings(begin, length, steps, every, tolerance), state, active)
        rows_ = len(found.scalars)
        times.append(begin + length * every * np.arange(rows_))
        pieces.append(found)
        if found.status != Status.OK:
            failure = Failure(begin + length * found.steps_done, found.status, "Newton's iteration did not converge")
            break
    seconds = clock.perf_counter() - before
    return _result(mechanism, problem, times, pieces, Run(
        "dimcd", 2, step, sum(piece.steps_done for piece in pieces),
        np.concatenate([piece.scalars[:, 3] for piece in pieces]).astype(np.int32), seconds, start.messages, failure,
    ))  # fmt: skip


def start_state(problem: Problem, start: InitialState) -> State:
    """Return the engine's state of an initial state."""
    order = list(problem.order)
    poses, twists = start.poses[order], np.ascontiguousarray(start.twists[order])
    angle = np.zeros(max(problem.sizes["JOINT_FORCES"], 1))
    if problem.structure == "dense":
        return State(np.ascontiguousarray(poses.reshape(-1)), twists.reshape(-1).copy(), twists, angle)
    values, balls = tree_coordinates(problem, poses)
    place = np.concatenate([values, balls.reshape(-1), np.zeros(1)])
    return State(place, _rates(problem, values, balls, twists), twists, angle)


def _rates(problem: Problem, values: Array, balls: Array, twists: Array) -> Array:
    """Return rates of the unknowns that give the twists, by least squares joint by joint."""
    return np.zeros(max(problem.sizes["UNKNOWNS"], 1))


def _result(
    mechanism: Mechanism, problem: Problem, times: list[Array], pieces: list[Samples], run: Run
) -> SimulationResult:
    back = np.argsort(problem.order)
    last = len(pieces) - 1
    keep = [slice(0, None if k == last else -1) for k in range(len(pieces))]

    def joined(name: str) -> Array:
        found: Array = np.concatenate([getattr(piece, name)[part] for piece, part in zip(pieces, keep, strict=True)])
        return found

    scalars = joined("scalars")
    return SimulationResult.from_states(
        mechanism,
        np.concatenate([each[part] for each, part in zip(times, keep, strict=True)]),
        joined("poses")[:, back],
        joined("twists")[:, back],
        joined("accelerations")[:, back],
        run=run,
        violation=scalars[:, 2],
        resultants=joined("reactions")[:, back],
    )
