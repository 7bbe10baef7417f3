"""Groups without a closed form over time: certified Newton from the reference configuration on.

The reference configuration gives the first solution; known bodies and driven freedoms then move from there to the first
time, and from each time to the next, and the solution with them. It is one branch as long as the
determinant of the Jacobian keeps its sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.errors import SolveError, UnsolvedTypeError
from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.fit import GroupJoint
from symgen.library.newton.assemblies import Assembly
from symgen.library.newton.follow import CERTIFIED, CONDITION, SIGN, Followed, bridge, follow
from symgen.library.newton.group import Given, NewtonGroup
from symgen.library.newton.problem import METHOD, can_solve, make_problem
from symgen.library.rotations import Array
from symgen.library.solved_type import Library
from symgen.status import Status
from symgen.topology.structure import Group

#: The nearest solution must be nearer than the next by this factor; nearer than MEETING, in parts of the group's size,
#: the given poses are a solution.
CLEAR, MEETING = 2.0, 1e-6

Motions = Mapping[str, BodyMotion]
Drives = Mapping[tuple[str, str], Array]


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
    """Where a group starts from: poses of known and unknown bodies as ports hold them, and driven freedoms at rest."""

    known: Mapping[str, Array] = field(hash=False)
    drives: Drives = field(hash=False)
    poses: Mapping[str, Array] = field(hash=False)


@dataclass(frozen=True)
class Certificates:
    """For each time: whether the solution is certified, and the condition of the Jacobian; (n,) each."""

    certified: NDArray[np.bool_]
    condition: Array


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
        No solution is found (NO_ASSEMBLY), infinitely many are (DEGENERATE), two are about equally near (AMBIGUOUS),
        there is none of this number (BRANCH_LOST).
    """
    group = plan.newton
    given = group.given({body: BodyMotion(pose) for body, pose in known.items()}, drives)
    start = group.poses(given, poses)
    if choice is None:
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
            f"{plan} has no solution in the reference configuration that many starts find", Status.NO_ASSEMBLY
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


def _start(plan: NewtonPlan, given: Given, found: Assembly, known: Mapping[str, Array], drives: Drives) -> NewtonStart:
    return NewtonStart(known, drives, plan.newton.bodies(given, found.poses))


# -- over time ---------------------------------------------------------------------------------------------------------


def solve_newton(
    plan: NewtonPlan,
    known: Motions,
    drives: Drives,
    times: Array,
    before: NDArray[np.int32],
    start: NewtonStart,
) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
    """Solve one group for all times.

    Parameters
    ----------
    known : known body -> motion as ports hold it, (n, ...).
    drives : (joint, freedom) -> (n, 3).
    before : (n,) status of the groups it depends on.

    Returns
    -------
    tuple
        Motion, status (n,), where the group itself failed (n,), certificates. A solution is followed until the first
        time that fails; there it ends.
    """
    rows, group = len(times), plan.newton
    blocked = np.flatnonzero(before != Status.OK)
    reach = int(blocked[0]) if blocked.size else rows
    every = {body: _over_time(motion, rows) for body, motion in known.items() if body in plan.known}
    given = group.given(every, {key: np.broadcast_to(row, (rows, 3)) for key, row in drives.items()}, rows)
    found = _follow(plan, given, times, reach, start)
    status = np.full(rows, Status.BRANCH_LOST, dtype=np.int32)
    status[:reach] = found.status
    status = np.where(before != Status.OK, before, status).astype(np.int32)
    own = (before == Status.OK) & (status != Status.OK)
    count = len(group.problem.bodies)
    sizes = (group.problem.places, group.problem.freedoms, group.problem.freedoms)
    full = [np.full((rows, count, size), np.nan) for size in sizes]
    report = np.full((rows, found.report.shape[1]), np.nan)
    for whole, part in zip(
        (*full, report), (found.poses, found.twists, found.accelerations, found.report), strict=True
    ):
        whole[:reach] = part
    certificates = Certificates((report[:, CERTIFIED] == 1.0) & (status == Status.OK), report[:, CONDITION])
    return group.motion(given, *full), status, own, certificates


def _over_time(motion: BodyMotion, rows: int) -> BodyMotion:
    parts = (motion.pose, motion.twist, motion.acceleration)
    return BodyMotion(*(None if p is None else np.broadcast_to(p, (rows, p.shape[-1])) for p in parts))  # type: ignore[arg-type]


def _follow(plan: NewtonPlan, given: Given, times: Array, reach: int, start: NewtonStart) -> Followed:
    """Go from the reference configuration to the first time, then through the times before `reach`."""
    group = plan.newton
    shape = (reach, len(group.problem.bodies))
    lost = Followed(
        np.full((*shape, group.problem.places), np.nan),
        np.full((*shape, group.problem.freedoms), np.nan),
        np.full((*shape, group.problem.freedoms), np.nan),
        np.full((reach, 8), np.nan),
        np.full(reach, Status.BRANCH_LOST, dtype=np.int32),
    )
    if not reach:
        return lost
    ends = {body: BodyMotion(np.stack([start.known[body], _first(given.known[body].pose)])) for body in plan.known}
    still = {
        key: np.array([[row[0], 0.0, 0.0], [float(_first(given.drives[key])[0]), 0.0, 0.0]])
        for key, row in start.drives.items()
    }
    way = group.given(ends, still, 2)
    begin = group.poses(way, start.poses)
    near = group.near(way, begin)
    sign = 0 if near is None else int(near.report[SIGN])
    arrived = bridge(group.engine, group.plan, way.inputs, np.array([0.0, 1.0]), 1, begin, sign, (1, 4, 32, 256))
    if arrived.done < len(arrived.status):
        return lost
    first = group.poses(given, group.bodies(way, arrived.poses[-1]))
    inputs = given.inputs.rows(slice(0, reach))
    return follow(group.engine, group.plan, inputs, times[:reach], first)


def _first(rows: Array) -> Array:
    """Return the first of the rows (n, k), or the row itself."""
    first: Array = np.asarray(rows).reshape(-1, np.shape(rows)[-1])[0]
    return first
