"""All assemblies of a group that many starts find: certified where they can be, without doubles, in a fixed order.

What is found is a solution; what is not found may still be one. The search goes on until many starts have given
nothing new; docs/certified-newton.md says how many, and what they cover. Points of a curve of solutions are no
assemblies: that there is one is said once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.library.newton.continua import Continua
from symgen.library.newton.engine import Engine
from symgen.library.newton.follow import CERTIFIED, CONDITION
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.starts import start_batches, turns_covered
from symgen.library.newton.states import RESIDUAL
from symgen.poses import Array
from symgen.status import Status

#: Starts in one batch; without news before the search ends: at least, for each solution found, for each combination of
#: full turns of helical pairs, and where there is none; starts at most.
BATCH, QUIET, QUIET_EACH, QUIET_TURN, QUIET_NONE, MOST = 256, 1024, 48, 64, 2048, 24576
#: Solutions at most; a group with helical pairs of small pitch may have more.
MOST_FOUND = 1024
#: Singular solutions of one batch that are looked at as points of curves, before and after one was found.
LOOKED_AT, LOOKED_AT_AGAIN = 32, 4
#: Starts of one batch, at most, that ended near a solution without converging and are looked at as points of curves.
STALLED = 16
#: Starts for steps of least length, for a group of four bodies; the work grows with the cube of the bodies.
SETTLED, SETTLED_LEAST = 32, 4
#: Poses [size, quaternions] nearer than this are one; where branches meet half of the digits are lost.
SAME, SAME_SINGULAR = 1e-7, 1e-4
#: The same in units of epsilon times condition, and of its root: what float leaves open is more than the above.
_SPREAD = 64.0


@dataclass(frozen=True)
class NewtonAssembly:
    """One solution: poses (bodies, places) in the solver's order and units, report, status OK or SINGULAR."""

    poses: Array
    report: Array
    status: Status

    @property
    def certified(self) -> bool:
        """Whether a root is proved to be there, and to be the only one near."""
        return bool(self.report[CERTIFIED] == 1.0)

    @property
    def condition(self) -> float:
        """Condition number (Frobenius) of the Jacobian in the solver's units."""
        return float(self.report[CONDITION])


@dataclass(frozen=True)
class Search:
    """What a search found.

    Parameters
    ----------
    assemblies : isolated solutions, sorted by pose.
    continuum : whether there are curves of solutions besides.
    starts : number of starts.
    """

    assemblies: tuple[NewtonAssembly, ...]
    continuum: bool
    starts: int


def search_assemblies(engine: Engine, plan: SolverPlan, inputs: Inputs) -> Search:
    """Search the first row of `inputs`."""
    found, continua, continuum = _Found(engine.epsilon), Continua(plan, inputs), False
    wanted = max(QUIET, QUIET_TURN * turns_covered(plan, inputs))
    quiet = tried = 0
    first, settled = None, False
    for starts in start_batches(plan, inputs, BATCH):
        first = starts if first is None else first
        before = len(found.every)
        solutions, others = _solutions(engine, plan, inputs, starts)
        continuum = _sort_out(solutions, found, continua, continuum)
        continuum = continuum or _stall_on_a_curve(*others, continua)
        tried += len(starts)
        quiet = 0 if len(found.every) > before else quiet + len(starts)
        if quiet >= wanted and not settled and not any(each.status is Status.OK for each in found.every):
            continuum, settled = _settle(engine, plan, inputs, first, found, continua, continuum), True
        count = len(found.every)
        enough = max(wanted, QUIET_EACH * count if count or continuum else QUIET_NONE)
        if quiet >= enough or tried >= MOST or count >= MOST_FOUND:
            break
    return Search(tuple(sorted(found.every, key=lambda each: _key(each.poses))), continuum, tried)


def _settle(
    engine: Engine, plan: SolverPlan, inputs: Inputs, starts: Array, found: _Found, continua: Continua, known: bool
) -> bool:
    """Go on by steps of least length from some of the starts; return whether there are curves of solutions."""
    count = max(SETTLED_LEAST, min(SETTLED, round(SETTLED * (4.0 / len(plan.problem.bodies)) ** 3)))
    settled = continua.settle(starts[:: len(starts) // count])
    if not len(settled):
        return known
    curved = bool(continua.lie_on_curves(settled).any())
    solutions, _ = _solutions(engine, plan, inputs, settled)
    return _sort_out(solutions, found, continua, known or curved)


def _solutions(
    engine: Engine, plan: SolverPlan, inputs: Inputs, starts: Array
) -> tuple[list[NewtonAssembly], tuple[Array, Array]]:
    """Return the solutions, and where other starts ended: poses (n, bodies, places), lengths of the residual (n,)."""
    poses, reports, statuses = engine.search(plan, inputs, starts)
    good = np.isin(statuses, (Status.OK, Status.SINGULAR))
    solutions = [
        NewtonAssembly(_signed(pose), report, Status(int(status)))
        for pose, report, status in zip(poses[good], reports[good], statuses[good], strict=True)
    ]
    return solutions, (poses[~good], reports[~good, RESIDUAL])


def _stall_on_a_curve(poses: Array, residual: Array, continua: Continua) -> bool:
    """Tell whether starts that did not converge ended at a curve of solutions.

    Beside a curve the residual goes down to rounding while Newton's steps, rounding over a singular value that is
    rounding too, do not: one of many starts ends with a short step by chance, another on each machine.
    """
    near = poses[continua.are_near(poses, residual)][:STALLED]
    return bool(len(near) and continua.lie_on_curves(near).any())


def _sort_out(solutions: Sequence[NewtonAssembly], found: _Found, continua: Continua, known: bool) -> bool:
    """Add the isolated ones among solutions; return whether some lie on a curve, or `known`."""
    singular = _Found(found.epsilon)
    for each in solutions:
        if each.status is Status.OK:
            found.add(each)
        elif found.like(each) is None:
            singular.add(each)
    looked_at = singular.every[: LOOKED_AT_AGAIN if known else LOOKED_AT]
    if not looked_at:
        return known
    curved = continua.lie_on_curves(np.stack([each.poses for each in looked_at]))
    for each, is_curved in zip(looked_at, curved, strict=True):
        if not is_curved:
            found.add(each)
    return known or bool(curved.any())


def assembly_near(engine: Engine, plan: SolverPlan, inputs: Inputs, start: Array) -> NewtonAssembly | None:
    """Return the assembly that Newton's method finds from poses (bodies, places), or None."""
    poses, reports, statuses = engine.search(plan, inputs, start[None])
    status = Status(int(statuses[0]))
    return NewtonAssembly(_signed(poses[0]), reports[0], status) if status in (Status.OK, Status.SINGULAR) else None


def distance(one: Array, other: Array) -> float:
    """Return the largest difference of places or turns between two sets of poses (bodies, places)."""
    return float(_distances(one[None], other)[0])


def _distances(many: Array, one: Array) -> Array:
    """Return the largest differences between many sets of poses (n, bodies, places) and one, (n,)."""
    gap = np.abs(many - one)
    if one.shape[-1] == 3:
        turns = (many - one)[..., 2]
        gap[..., 2] = np.abs(turns - 2.0 * np.pi * np.round(turns / (2.0 * np.pi)))
    else:
        signs = np.where(np.sum(many[..., 3:] * one[:, 3:], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        gap[..., 3:] = 2.0 * np.abs(many[..., 3:] - signs * one[:, 3:])
    most: Array = gap.max(axis=(1, 2))
    return most


class _Found:
    """Solutions without doubles.

    Parameters
    ----------
    epsilon : spacing at 1 of the numbers that they were computed in.
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon
        self.every: list[NewtonAssembly] = []
        self._poses: list[Array] = []

    def like(self, new: NewtonAssembly) -> int | None:
        """Return the place of a solution that is the same."""
        if not self.every:
            return None
        away = _distances(np.stack(self._poses), new.poses)
        near = away < np.array([self._spread(new, old) for old in self.every])
        return int(np.argmax(near)) if near.any() else None

    def _spread(self, *pair: NewtonAssembly) -> float:
        """Return how far two results of the same solution may lie apart."""
        singular = max(SAME_SINGULAR, _SPREAD * math.sqrt(self.epsilon))
        if any(each.status is Status.SINGULAR for each in pair):
            return singular
        return min(singular, max(SAME, *(_SPREAD * self.epsilon * each.condition for each in pair)))

    def add(self, new: NewtonAssembly) -> None:
        """Add a solution, or put it in the place of the same one if it is certified and that is not."""
        place = self.like(new)
        if place is None:
            self.every.append(new)
            self._poses.append(new.poses)
        elif new.certified and not self.every[place].certified:
            self.every[place] = new
            self._poses[place] = new.poses


def _signed(poses: Array) -> Array:
    """Return poses with angles in [-pi, pi], or quaternions whose first number off zero is positive."""
    if poses.shape[-1] == 3:
        angle = poses[:, 2] - 2.0 * np.pi * np.round(poses[:, 2] / (2.0 * np.pi))
        return np.column_stack([poses[:, :2], angle])
    lead = np.argmax(np.abs(poses[:, 3:]) > 1e-6, axis=1)
    signs = np.sign(poses[np.arange(len(poses)), 3 + lead])[:, None]
    return np.column_stack([poses[:, :3], signs * poses[:, 3:]])


def _key(poses: Array) -> tuple[float, ...]:
    """Return an order that rounding does not change, for poses that differ by more than it."""
    return tuple(float(value) + 0.0 for value in np.round(poses, 6).ravel())
