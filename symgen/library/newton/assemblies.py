"""All assemblies of a group that many starts find: certified where they can be, without doubles, in a fixed order.

What is found is a solution; what is not found may still be one. The search goes on until many starts have given
nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.library.newton.engine import Engine
from symgen.library.newton.follow import CERTIFIED, CONDITION
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.starts import start_batches
from symgen.library.rotations import Array
from symgen.status import Status

#: Starts in one batch; without news before the search ends: at least, and for each solution found; starts at most.
BATCH, QUIET, QUIET_EACH, MOST = 256, 1024, 48, 24576
#: Solutions at most: a group with a continuum of them has no end.
MOST_FOUND = 256
#: Poses [size, quaternions] nearer than this are one; where branches meet half of the digits are lost.
SAME, SAME_SINGULAR = 1e-7, 1e-4


@dataclass(frozen=True)
class Assembly:
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


def find_assemblies(engine: Engine, plan: SolverPlan, inputs: Inputs) -> tuple[Assembly, ...]:
    """Return the assemblies found for the first row of `inputs`, sorted by pose."""
    found: list[Assembly] = []
    quiet = tried = 0
    for starts in start_batches(plan, inputs, BATCH):
        poses, reports, statuses = engine.search(plan, inputs, starts)
        before = len(found)
        for pose, report, status in zip(poses, reports, statuses, strict=True):
            if status in (Status.OK, Status.SINGULAR):
                _add(found, Assembly(_signed(pose), report, Status(int(status))))
        tried += len(starts)
        quiet = 0 if len(found) > before else quiet + len(starts)
        if quiet >= max(QUIET, QUIET_EACH * len(found)) or tried >= MOST or len(found) >= MOST_FOUND:
            break
    return tuple(sorted(found, key=lambda each: _key(each.poses)))


def assembly_near(engine: Engine, plan: SolverPlan, inputs: Inputs, start: Array) -> Assembly | None:
    """Return the assembly that Newton's method finds from poses (bodies, places), or None."""
    poses, reports, statuses = engine.search(plan, inputs, start[None])
    status = Status(int(statuses[0]))
    return Assembly(_signed(poses[0]), reports[0], status) if status in (Status.OK, Status.SINGULAR) else None


def distance(one: Array, other: Array) -> float:
    """Return the largest difference of places or turns between two sets of poses (bodies, places)."""
    if one.shape[-1] == 3:
        gap = one - other
        gap[..., 2] -= 2.0 * np.pi * np.round(gap[..., 2] / (2.0 * np.pi))
        return float(np.abs(gap).max())
    signs = np.where(np.sum(one[:, 3:] * other[:, 3:], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return float(max(np.abs(one[:, :3] - other[:, :3]).max(), 2.0 * np.abs(one[:, 3:] - signs * other[:, 3:]).max()))


def _add(found: list[Assembly], new: Assembly) -> None:
    for k, old in enumerate(found):
        singular = Status.SINGULAR in (old.status, new.status)
        if distance(old.poses, new.poses) < (SAME_SINGULAR if singular else SAME):
            if new.certified and not old.certified:
                found[k] = new
            return
    found.append(new)


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
