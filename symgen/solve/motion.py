"""`solve`: a mechanism over time, group after group, each for all times at once.

    structure -> plan (solved type and frames of each group) -> branches (reference configuration)
              -> laws of the drives -> groups in order -> motion of bodies, joints and points

Nothing here derives or compiles anything but through the library; SymPy is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError
from symgen.model.face import MechanismOrPath, loaded
from symgen.poses import Array
from symgen.solve.assembly import collect
from symgen.solve.branches import Choice, choose_branches, drawn_drives, mechanism_size, split_choice
from symgen.solve.course import Anchor
from symgen.solve.nearby import bring_near
from symgen.solve.newton import NewtonPlan, NewtonStart
from symgen.solve.path import path_of_time, straight_path
from symgen.solve.plan import Plan, make_plan
from symgen.solve.result import MotionResult
from symgen.solve.walk import Progress, Walk

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symgen.library.open import Library
    from symgen.solve.assemblies import Assembly

#: A law begins where the drawing is if it differs by no more than this part: files carry some ten digits.
_SAME = 1e-9


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
    progress : called before each group, while it is followed, and once at the end.

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
        from symgen.library.open import library as open_library

        library = open_library()
    near = bring_near(mechanism)
    plan = make_plan(near.mechanism, library)
    drives = {key: np.stack(law.evaluate(axis), axis=-1) for key, law in mechanism.drives.items()}
    size = mechanism_size(plan)
    starts: dict[int, NewtonStart] = {}
    if assembly is None:
        plain, timed = split_choice(plan, branch or {})
        drawn = choose_branches(plan, plain, starts)
        begin, anchors = _set_out(plan, drawn, plain, timed, starts, axis, size, near.known_to)
    else:
        drawn, starts = _starts(plan, assembly, branch, float(axis[0]), drives)
        begin = float(axis[0])
        anchors = [[Anchor(begin, each)] for each in drawn]
    stops = np.array([anchor.at for group in anchors for anchor in group])
    path = path_of_time(plan.mechanism, axis, size, begin, stops)
    walk = Walk(plan, path, size, near.known_to)
    walk.follow(anchors, starts, progress)
    solved = walk.rows(axis)
    if progress is not None:
        progress(len(plan.groups), len(plan.groups), "")
    return collect(plan, near.restored(mechanism, plan.mechanism), near, axis, walk, solved, drives)


def _set_out(
    plan: Plan,
    drawn: Sequence[int],
    plain: Mapping[int, int],
    timed: Mapping[int, Mapping[float, int]],
    starts: dict[int, NewtonStart],
    axis: Array,
    size: float,
    known_to: float,
) -> tuple[float, list[list[Anchor]]]:
    """Return where the motion begins and which branches are known there: those that the drawing leads to.

    The drawing leads to t = 0, the driven freedoms going straight from where they are drawn to where their laws begin.
    A branch that the user names is that of the first time asked for, or of the time named with it.
    """
    first = float(axis[0])
    anchors = [Anchor(first, plain.get(number, 0)) for number in range(len(plan.groups))]
    begin = first
    drawing = [number for number, group in enumerate(plan.groups) if group.branches > 1 and number not in plain]
    if drawing or starts:
        path = path_of_time(plan.mechanism, axis[:1], size, None, np.empty(0))
        begin = path.begin
        led = _approach(plan, drawn, path.evaluate(np.array([begin])), starts, size, known_to)
        for number in drawing:
            anchors[number] = replace(led[number], at=begin)
    found = []
    for number, anchor in enumerate(anchors):
        at = {anchor.at: anchor}
        at.update({time: Anchor(time, branch) for time, branch in timed.get(number, {}).items()})
        found.append([at[time] for time in sorted(at)])
    return begin, found


def _approach(
    plan: Plan,
    drawn: Sequence[int],
    first: Mapping[tuple[str, str], Array],
    starts: Mapping[int, NewtonStart],
    size: float,
    known_to: float,
) -> list[Anchor]:
    """Return the branches to which the drawing leads when the driven freedoms go straight to where the laws begin."""
    given = drawn_drives(plan)
    laws = {key: float(first[key][0, 0]) for key in given}
    if all(abs(laws[key] - given[key]) <= _SAME * (1.0 + abs(laws[key])) for key in given):
        return [Anchor(0.0, label) for label in drawn]
    walk = Walk(plan, straight_path(plan.mechanism, given, laws, size), size, known_to)
    walk.follow([[Anchor(0.0, label)] for label in drawn], starts)
    return walk.ends(1.0)


def _starts(
    plan: Plan, assembly: Assembly, branch: Choice | None, first: float, drives: Mapping[tuple[str, str], Array]
) -> tuple[tuple[int, ...], dict[int, NewtonStart]]:
    """Return the branches of an assembly, and where groups without a closed form start from."""
    if branch is not None:
        raise InputError("assembly names the branches of all groups: give branch or assembly, not both")
    if len(assembly.branches) != len(plan.groups) or not set(plan.mechanism.body_ids).issubset(
        {*assembly.bodies, plan.mechanism.ground}
    ):
        raise InputError("assembly belongs to another mechanism; take it from symgen.assemblies(mechanism, times[0])")
    if assembly.time != first:
        raise InputError(
            f"assembly belongs to t = {assembly.time:g} s, but the first time is {first:g} s; take it from "
            f"symgen.assemblies(mechanism, {first:g})"
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
