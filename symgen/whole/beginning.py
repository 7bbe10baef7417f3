"""Where a whole mechanism begins: the branches of its groups, and the state of those that are followed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.errors import InputError, MechanismError, SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.assemblies import Assembly, assemblies
from symgen.solve.branches import choose_branches
from symgen.solve.motion import solve
from symgen.solve.plan import Plan
from symgen.solve.result import MotionResult
from symgen.status import Status
from symgen.whole.layout import PortLayout


@dataclass(frozen=True)
class Beginning:
    """Where the followed branches begin: the time [s], and the state there, as `PortLayout.state_port` lays it out."""

    time: float
    state: tuple[float, ...]


def choose_beginning(
    mechanism: Mechanism, plan: Plan, layout: PortLayout, library: Library, time: float, assembly: int | None
) -> tuple[tuple[int, ...] | None, Beginning | None, str]:
    """Return the branches to begin with and the state there, None for what the reference configuration does not tell.

    The last is why it does not tell the branches, in words, empty if it does.

    Raises
    ------
    InputError
        There is no assembly of this number.
    """
    chosen = None if assembly is None else _assembly(mechanism, library, time, assembly)
    branch = None if chosen is None else chosen.branches
    if branch is None:
        try:
            branch = choose_branches(plan)
        except SolveError as error:  # the code is the same; whoever calls it chooses
            if error.status is Status.BAD_INPUT and not layout.geometry:  # no branch of it will ever be solved
                raise
            return None, None, f"{error.status.name}, {error.facts}"
    if not layout.followed:
        return branch, None, ""
    try:
        result = solve(mechanism, [time], assembly=chosen, library=library)
    except (MechanismError, SolveError):  # its laws say nothing there, or it has none: whoever calls it begins
        return branch, None, ""
    return branch, Beginning(time, _state(layout, result)) if result.ok else None, ""


def _assembly(mechanism: Mechanism, library: Library, time: float, number: int) -> Assembly:
    every = assemblies(mechanism, time, library=library)
    if not 1 <= number <= len(every):
        raise InputError(
            f"assembly {number}: there are {len(every)} assemblies at t = {time:g} s; symgen solve MECH --assemblies "
            f"--from {time:g} lists them"
        )
    return every[number - 1]


def _state(layout: PortLayout, result: MotionResult) -> tuple[float, ...]:
    values: list[float] = []
    for each in layout.followed:
        for body, _ in each.bodies:
            track = result.bodies[body]
            if layout.planar:
                turn = 2.0 * np.arctan2(track.q[0, 3], track.q[0, 0])
                parts = [*track.r[0, :2], turn, *track.v[0, :2], track.omega[0, 2], *track.a[0, :2], track.alpha[0, 2]]
            else:
                parts = [*track.pose[0], *track.v[0], *track.omega[0], *track.a[0], *track.alpha[0]]
            values += map(float, parts)
        known = not each.iterated and not each.ranked and result.groups[each.number - 1].branch >= 0
        values.append(result.groups[each.number - 1].branch + 1.0 if known else 0.0)  # else the first `follow` tells
    return tuple(values)
