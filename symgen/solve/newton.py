"""Groups without a closed form over time: certified Newton from the reference configuration on.

The reference configuration gives the first solution; known bodies and driven freedoms then move from there to the first
time, and from each time to the next, and the solution with them. Away from singular points the determinant of the
Jacobian keeps its sign; through change points the smooth motion decides (`symgen.library.newton.crossing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.errors import SolveError, UnsolvedTypeError
from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.group_joints import GroupJoint
from symgen.library.newton.assemblies import NewtonAssembly
from symgen.library.newton.between import InputsAt
from symgen.library.newton.engine import REPORT
from symgen.library.newton.follow import CERTIFIED, CONDITION, FollowedSolution, Lost, follow
from symgen.library.newton.group import Given, NewtonGroup
from symgen.library.newton.numbers import Inputs, body_motions, solver_inputs
from symgen.library.newton.problem import METHOD, can_solve, make_problem
from symgen.library.newton.states import apart
from symgen.library.newton.trace import Trace
from symgen.library.open import Library
from symgen.model.brief import Brief
from symgen.poses import Array, move
from symgen.solve.continuation import Ending, PathProgress
from symgen.status import Status
from symgen.topology.structure import Group

#: The nearest solution must be nearer than the next by this factor; nearer than MEETING, in parts of the group's size,
#: the given poses are a solution.
CLEAR, MEETING = 2.0, 1e-6
#: Inputs that differ by less [m in parts of the size, rad] are those of the reference configuration.
_SAME = 1e-9
#: A position is looked for near one that is no further away than this [sizes of the group, rad].
_CLOSE = 0.5

Motions = Mapping[str, BodyMotion]
Drives = Mapping[tuple[str, str], Array]
#: Times (m,) -> motions of known bodies and driven freedoms there, (m, ...); rows that are not finite are not known.
MotionAt = Callable[[Array], tuple[Motions, Drives]]
BodiesAt = Callable[[Array], Motions]


@dataclass(frozen=True)
class NewtonPlan:
    """A group that certified Newton solves; fields as of `symgen.solve.plan.GroupPlan`."""

    group: Group
    bodies: tuple[str, ...]
    joints: tuple[GroupJoint, ...]
    newton: NewtonGroup

    #: Solutions are not numbered: the one near the reference configuration is followed.
    branches = 1
    ranked = False
    method = METHOD

    @property
    def module(self) -> str:
        """The solver."""
        return f"newton_{self.newton.problem.space}"

    @property
    def known(self) -> tuple[str, ...]:
        """Bodies whose motion the group takes as given."""
        return self.newton.problem.known

    @property
    def driven(self) -> tuple[tuple[str, str], ...]:
        """Its driven freedoms, (joint, freedom)."""
        return tuple((joint.name, freedom) for joint in self.joints for freedom in joint.driven)

    def __str__(self) -> str:
        return f"group {self.group.number} ({self.group.signature}, bodies {', '.join(self.group.bodies[:6])})"


@dataclass(frozen=True)
class NewtonStart:
    """Where a group starts from: poses of known and unknown bodies as ports hold them, and driven freedoms at rest.

    Parameters
    ----------
    time : of the start; None for the reference configuration, which is no time.
    """

    known: Mapping[str, Array] = field(hash=False)
    drives: Drives = field(hash=False)
    poses: Mapping[str, Array] = field(hash=False)
    time: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Certificates(Brief):
    """For each time whether the solution is certified, the condition of the Jacobian, whether it is a limit; (n,) each.

    Parameters
    ----------
    limit : where the status is SINGULAR: motion is the limit of the smooth motion through this point.
    change_points : times of those that the motion goes through.
    endings : (first, last, why): times at which the solution is not known.
    bodies_at : the motion of the group's bodies at any time on the way; NaN where it does not lead.
    """

    certified: NDArray[np.bool_]
    condition: Array
    limit: NDArray[np.bool_]
    change_points: tuple[float, ...] = ()
    endings: tuple[tuple[float, float, Ending], ...] = ()
    bodies_at: BodiesAt | None = field(default=None, repr=False, compare=False)

    @property
    def reason(self) -> str:
        """Why the solution could not be followed to the end, empty where it was."""
        return self.endings[0][2].why if self.endings else ""


def plan_newton(
    group: Group,
    space: str,
    bodies: Sequence[str],
    joints: Sequence[GroupJoint],
    frames: Mapping[str, tuple[Array, Array]],
    pitches: Mapping[str, float],
    library: Library,
) -> NewtonPlan:
    """Return the plan of a group that the library has no solver for.

    Raises
    ------
    UnsolvedTypeError
        A pair type has no joint frames.
    """
    if not can_solve(space, [joint.type for joint in joints]):
        raise UnsolvedTypeError(f"{group.signature}: a pair type without joint frames")
    problem = make_problem(space, bodies, joints, frames, pitches)
    return NewtonPlan(group, tuple(bodies), tuple(joints), NewtonGroup(problem, library.precision, library.backend))


# -- the reference configuration ---------------------------------------------------------------------------------------


def reference_start(
    plan: NewtonPlan, known: Mapping[str, Array], drives: Drives, poses: Mapping[str, Array], choice: int | None
) -> tuple[int, NewtonStart]:
    """Return the solution of the reference configuration: the one near the given poses, or the one chosen.

    Parameters
    ----------
    known : known body -> pose as ports hold it.
    drives : driven freedoms in the reference configuration, (3,) at rest.
    poses : unknown body -> given pose as ports hold it.
    choice : place in the sorted list of all solutions that are found, or None.

    Raises
    ------
    SolveError
        The given poses close and are singular (SINGULAR); no solution is found (NO_ASSEMBLY), infinitely many are
        (DEGENERATE), two are about equally near (AMBIGUOUS), there is none of this number (BRANCH_LOST).
    """
    group = plan.newton
    given = group.given({body: BodyMotion(pose) for body, pose in known.items()}, drives)
    start = group.poses(given, poses)
    if choice is None:
        if group.is_singular(given, start):
            raise SolveError(
                f"{plan} is singular as drawn: known bodies and driven freedoms neither hold it there nor determine "
                "how it goes on. Draw it in another position (the motion may pass through this one), or drive other "
                "freedoms",
                Status.SINGULAR,
            )
        near = group.near(given, start)
        if near is not None and group.distance(given, near.poses, start) <= MEETING * given.scale.size:
            return 0, _start(plan, given, near, known, drives)
    search = group.search(given)
    found = search.assemblies
    if not found and search.continuum:
        raise SolveError(
            f"{plan} has infinitely many solutions in the reference configuration: a curve of them "
            "(a freedom is idle, or the geometry special)",
            Status.DEGENERATE,
        )
    if not found:
        raise SolveError(
            f"{plan} has no solution in the reference configuration that Newton's method finds from many starts",
            Status.NO_ASSEMBLY,
        )
    if choice is not None:
        if choice >= len(found):
            raise SolveError(
                f"{plan}: branch {choice} is none of the {len(found)} solutions found in the reference configuration",
                Status.BRANCH_LOST,
            )
        return choice, _start(plan, given, found[choice], known, drives)
    away = sorted((group.distance(given, each.poses, start), number) for number, each in enumerate(found))
    if len(away) > 1 and away[1][0] < CLEAR * away[0][0]:
        raise SolveError(
            f"{plan}: of {len(found)} solutions found in the reference configuration two are about equally near, "
            f"{away[0][0]:.3g} m (branch {away[0][1]}) and {away[1][0]:.3g} m (branch {away[1][1]}) away",
            Status.AMBIGUOUS,
            choose_advice(plan.group.number),
        )
    return away[0][1], _start(plan, given, found[away[0][1]], known, drives)


def choose_advice(number: int) -> str:
    """Return how a user who asks for a motion chooses among the branches of a group."""
    return (
        f"choose one with --branch {number}=K (Python: branch={{{number}: K}}), "
        "or give poses nearer to the one you mean"
    )


def _start(
    plan: NewtonPlan, given: Given, found: NewtonAssembly, known: Mapping[str, Array], drives: Drives
) -> NewtonStart:
    return NewtonStart(known, drives, plan.newton.bodies(given, found.poses))


# -- over time ---------------------------------------------------------------------------------------------------------


def solve_newton(
    plan: NewtonPlan,
    known: Motions,
    drives: Drives,
    times: Array,
    before: NDArray[np.int32],
    start: NewtonStart,
    motion_at: MotionAt | None = None,
    progress: PathProgress | None = None,
) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
    """Solve one group for all times.

    Parameters
    ----------
    known : known body -> motion as ports hold it, (n, ...).
    drives : (joint, freedom) -> (n, 3).
    before : (n,) status of the groups it depends on.
    motion_at : motions and drives at any other time; without it they are interpolated.
    progress : called with the time that is reached, now and then.

    Returns
    -------
    tuple
        Motion, status (n,), where the group itself failed (n,), certificates. A solution is followed through singular
        points where its motion goes on smoothly, and ends where it does not.

    Notes
    -----
    Where an earlier group is SINGULAR it has a position, and rates if its motion has a limit there; the group is
    followed over such rows, and has the earlier group's status there. Behind any other failure it ends.
    """
    rows, group = len(times), plan.newton
    every = {body: _over_time(motion, rows) for body, motion in known.items() if body in plan.known}
    given = group.given(every, {key: np.broadcast_to(row, (rows, 3)) for key, row in drives.items()}, rows)
    placed, rated = _known_rows(given.inputs)
    blocked = np.flatnonzero(((before != Status.OK) & (before != Status.SINGULAR)) | ~placed)
    reach = int(blocked[0]) if blocked.size else rows
    walked = np.flatnonzero(rated[:reach])
    found = _follow(plan, given, times, walked, start, _inputs_at(plan, given, motion_at), progress)
    status = np.full(rows, Status.BRANCH_LOST, dtype=np.int32)
    status[walked] = found.status
    full = [np.full((rows, *part.shape[1:]), np.nan) for part in (found.poses, found.twists, found.accelerations)]
    report, limit = np.full((rows, found.report.shape[1]), np.nan), np.zeros(rows, dtype=bool)
    parts = (found.poses, found.twists, found.accelerations, found.report, found.limit)
    for whole, part in zip((*full, report, limit), parts, strict=True):
        whole[walked] = part
    _place(plan, given, times, np.flatnonzero(~rated[:reach]), full, status)
    # the own status comes first where a position is lost that earlier groups have
    lost = (before == Status.SINGULAR) & ~np.isin(status, (Status.OK, Status.SINGULAR))
    own = (status != Status.OK) & ((before == Status.OK) | lost)
    status = np.where((before != Status.OK) & ~lost, before, status).astype(np.int32)
    certified = (report[:, CERTIFIED] == 1.0) & (status == Status.OK)
    limit |= (status == Status.SINGULAR) & np.all(np.isfinite(full[2]), axis=(1, 2))
    certificates = Certificates(
        certified,
        report[:, CONDITION],
        limit,
        found.points,
        _endings(found.lost, forward=bool(times[-1] >= times[0])),
        _bodies_at(plan, given, found.trace),
    )
    return group.motion(given, *full), status, own, certificates


def _over_time(motion: BodyMotion, rows: int) -> BodyMotion:
    parts = (motion.pose, motion.twist, motion.acceleration)
    return BodyMotion(*(None if p is None else np.broadcast_to(p, (rows, p.shape[-1])) for p in parts))  # type: ignore[arg-type]


def _known_rows(inputs: Inputs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return at which times the places of all that is known are, (n,), and at which rates and accelerations are too."""
    finite = [
        np.isfinite(each).reshape(len(each), -1).all(axis=1)
        for each in (inputs.known, inputs.drives, inputs.twists, inputs.accelerations)
    ]
    return np.logical_and.reduce(finite[:2]), np.logical_and.reduce(finite)


def _bodies_at(plan: NewtonPlan, given: Given, trace: Trace | None) -> BodiesAt | None:
    if trace is None:
        return None
    return lambda times: body_motions(plan.newton.plan, given.scale, *trace.at(times))


def _inputs_at(plan: NewtonPlan, given: Given, motion_at: MotionAt | None) -> InputsAt | None:
    if motion_at is None:
        return None

    def at(when: Array) -> Inputs:
        known, drives = motion_at(when)
        every = {body: _over_time(known[body], len(when)) for body in plan.known}
        return solver_inputs(plan.newton.plan, given.scale, every, drives, len(when))

    return at


def _follow(
    plan: NewtonPlan,
    given: Given,
    times: Array,
    walked: NDArray[np.intp],
    start: NewtonStart,
    inputs_at: InputsAt | None,
    progress: PathProgress | None,
) -> FollowedSolution:
    """Go from the reference configuration to the first time, then through all times with known inputs."""
    group = plan.newton
    if not walked.size:
        return _lost(plan, 0, None)
    axis, inputs = times[walked], given.inputs.rows(walked)
    begin = group.poses(given, start.poses)
    ends = {body: BodyMotion(np.stack([start.known[body], given.known[body].pose[walked[0]]])) for body in plan.known}
    still = {
        key: np.array([[row[0], 0.0, 0.0], [float(given.drives[key][walked[0], 0]), 0.0, 0.0]])
        for key, row in start.drives.items()
    }
    way = solver_inputs(group.plan, given.scale, ends, still, 2)
    if start.time is not None and start.time == axis[0]:
        return follow(group.engine, group.plan, inputs, axis, begin, inputs_at, progress=progress)
    if inputs_at is not None:
        # Where the laws pass the reference configuration at t = 0, the motion itself leads to the first time.
        here = inputs_at(np.zeros(1))
        if np.allclose(here.known[0], way.known[0], atol=_SAME, rtol=0.0) and np.allclose(
            here.drives[0, :, 0], way.drives[0, :, 0], atol=_SAME, rtol=0.0
        ):
            return follow(group.engine, group.plan, inputs, axis, begin, inputs_at, 0.0, progress)
    arrived = follow(group.engine, group.plan, way, np.array([0.0, 1.0]), begin)
    if not np.all(np.isfinite(arrived.poses[-1])):
        why = arrived.lost.why if arrived.lost is not None else "the solution could not be followed"
        why = f"on the way from the reference configuration to the first time: {why}"
        return _lost(plan, len(axis), Lost(float(axis[0]), Status.BRANCH_LOST, why))
    return follow(group.engine, group.plan, inputs, axis, arrived.poses[-1], inputs_at, progress=progress)


def _endings(lost: Lost | None, *, forward: bool) -> tuple[tuple[float, float, Ending], ...]:
    if lost is None:
        return ()
    span = (lost.at, np.inf) if forward else (-np.inf, lost.at)
    return ((*span, Ending(lost.at, lost.status, lost.why)),)


def _lost(plan: NewtonPlan, rows: int, lost: Lost | None) -> FollowedSolution:
    problem = plan.newton.problem
    shape = (rows, len(problem.bodies))
    return FollowedSolution(
        np.full((*shape, problem.places), np.nan),
        np.full((*shape, problem.freedoms), np.nan),
        np.full((*shape, problem.freedoms), np.nan),
        np.full((rows, REPORT), np.nan),
        np.full(rows, Status.BRANCH_LOST, dtype=np.int32),
        np.zeros(rows, dtype=bool),
        lost=lost,
    )


def _place(
    plan: NewtonPlan,
    given: Given,
    times: Array,
    rows: NDArray[np.intp],
    full: Sequence[Array],
    status: NDArray[np.int32],
) -> None:
    """Find the positions at times at which what is known has no rates, near those of a time close by."""
    group, solved = plan.newton, np.flatnonzero(status == Status.OK)
    for row in rows:
        around = solved[np.argsort(np.abs(times[solved] - times[row]), kind="stable")[:1]]
        if not around.size:
            continue
        k = around[0]
        dt = float(times[row] - times[k])
        expected = move(full[0][k], dt * (full[1][k] + 0.5 * dt * full[2][k]))
        if apart(expected, full[0][k]) > _CLOSE:  # too far to know that what is found there is the same branch
            continue
        poses, _, found = group.engine.search(group.plan, given.inputs.rows(slice(row, row + 1)), expected[None])
        if found[0] in (Status.OK, Status.SINGULAR):
            full[0][row], status[row] = poses[0], Status.SINGULAR
