"""`solve`: a mechanism over time, group after group, each for all times at once.

    structure -> plan (solved type and frames of each group) -> branches (reference configuration)
              -> laws of the drives -> groups in order -> motion of bodies, joints and points

Nothing here derives or compiles anything but through the library; SymPy is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_pose
from symgen.library.rotations import Array
from symgen.model.face import MechanismOrPath, loaded
from symgen.solve.assembly import collect
from symgen.solve.branches import Choice, choose_branches, given_poses, mechanism_size, read_choice
from symgen.solve.newton import NewtonPlan, NewtonStart, solve_newton
from symgen.solve.plan import GroupPlan, Plan, make_plan
from symgen.solve.result import MotionResult
from symgen.solve.walk import SolvedGroup, Trail, solve_group
from symgen.status import Status

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symgen.library.solved_type import Library
    from symgen.solve.assemblies import Assembly

#: Told before each group: its place, from 0, the number of groups, and its name.
Progress = Callable[[int, int, str], None]


@one_blas_thread
def solve(
    mechanism: MechanismOrPath,
    times: ArrayLike,
    *,
    branch: Choice | None = None,
    assembly: Assembly | None = None,
    library: Library | None = None,
    progress: Progress | None = None,
) -> MotionResult:
    """Solve the kinematics of a mechanism over time.

    Parameters
    ----------
    mechanism : with joint frames and a law for each driven freedom; or the path of its file.
    times : (n,) [s], finite; in increasing order if angles are to be free of jumps. A single number is one time.
    branch : group number or signature -> branch index; for the others the branch is the one the reference
        configuration lies on.
    assembly : one of `symgen.assemblies(mechanism, times[0])`, to be followed from there; instead of `branch`.
    library : solved types; by default ``symgen.library()``, compiled on first use.
    progress : called before each group and once at the end.

    Returns
    -------
    MotionResult
        A time that cannot be solved has its status there and NaN in what depends on it; nothing is raised for it.

    Raises
    ------
    StructureError
        The mechanism is not kinematically determined.
    UnsolvedTypeError
        One of its groups has a pair without joint frames.
    MechanismError
        Geometry or laws are lacking, or a law has no finite value at one of the times.
    SolveError
        The reference configuration does not assemble (NO_ASSEMBLY), or does not tell which branch is meant
        (AMBIGUOUS; SINGULAR where branches meet).
    InputError
        `times` or `branch` is wrong, or `assembly` belongs to another time.
    """
    mechanism = loaded(mechanism, "solve")
    axis = _time_axis(times)
    if library is None:
        from symgen.library.catalogue import library as open_library

        library = open_library()
    plan = make_plan(mechanism, library)
    drives = {key: np.stack(law.evaluate(axis), axis=-1) for key, law in mechanism.drives.items()}
    starts: dict[int, NewtonStart] = {}
    if assembly is None:
        branches, chosen = choose_branches(plan, branch, starts), read_choice(plan, branch or {})
    else:
        branches, starts = _starts(plan, assembly, branch, float(axis[0]), drives)
        chosen = dict(enumerate(branches))
    size, given = mechanism_size(plan), given_poses(plan)
    solved: list[SolvedGroup] = []
    motions = {mechanism.ground: BodyMotion(port_pose(mechanism.ground_body.pose, mechanism.space))}
    for number, group in enumerate(plan.groups):
        if progress is not None:
            progress(number, len(plan.groups), str(group))
        before = _status_before(plan, group, solved, len(axis))
        if isinstance(group, NewtonPlan):
            newton = solve_newton(
                group, motions, {key: drives[key] for key in group.driven}, axis, before, starts[number]
            )
            solved.append(SolvedGroup(*newton))
            motions.update(solved[-1].motion.bodies)
            continue
        trail = Trail(axis, mechanism.space, size, chosen.get(number), given)
        solved.append(solve_group(group, motions, drives, branches[number], before, trail))
        motions.update(solved[-1].motion.bodies)
    if progress is not None:
        progress(len(plan.groups), len(plan.groups), "")
    return collect(plan, axis, branches, solved, drives)


def _starts(
    plan: Plan, assembly: Assembly, branch: Choice | None, first: float, drives: Mapping[tuple[str, str], Array]
) -> tuple[tuple[int, ...], dict[int, NewtonStart]]:
    """Return the branches of an assembly, and where groups without a closed form start from."""
    if branch is not None:
        raise InputError("assembly names the branches of all groups: give branch or assembly, not both")
    if len(assembly.branches) != len(plan.groups) or not set(plan.mechanism.body_ids).issubset(
        {*assembly.bodies, plan.mechanism.ground}
    ):
        raise InputError("assembly is one of another mechanism; take it from symgen.assemblies(mechanism, times[0])")
    if assembly.time != first:
        raise InputError(
            f"assembly is one of t = {assembly.time:g} s, and the first time is {first:g} s; "
            f"take it from symgen.assemblies(mechanism, {first:g})"
        )
    here = {key: rows[0] for key, rows in drives.items()}
    starts = {k: assembly.start_of(g, here) for k, g in enumerate(plan.groups) if isinstance(g, NewtonPlan)}
    return assembly.branches, starts


def _time_axis(times: ArrayLike) -> Array:
    try:
        axis: NDArray[Any] = np.atleast_1d(np.asarray(times, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(f"times: must be numbers [s], found {times!r:.60}") from error
    if axis.ndim != 1:
        raise InputError(f"times: must have one axis, found shape {axis.shape}")
    if not axis.size:
        raise InputError("times: there is none; give at least one time [s]")
    if not np.all(np.isfinite(axis)):
        raise InputError(f"times: entry {int(np.flatnonzero(~np.isfinite(axis))[0])} is not finite")
    return axis


def _status_before(
    plan: Plan, group: GroupPlan | NewtonPlan, solved: Sequence[SolvedGroup], rows: int
) -> NDArray[np.int32]:
    """Return for each time the status of the groups that one depends on.

    Anything worse than SINGULAR comes first: behind it there is no position.
    """
    status = np.full(rows, Status.OK, dtype=np.int32)
    for number in group.group.depends_on:
        other = solved[number - 1].status
        take = (status == Status.OK) | ((status == Status.SINGULAR) & (other != Status.OK))
        status = np.where(take, other, status).astype(np.int32)
    return status
