"""One structural group over all times in one batch call, and what a failure means for the groups behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.rotations import Array
from symgen.library.stages import run_stages
from symgen.solve.plan import GroupPlan
from symgen.status import Status


@dataclass(frozen=True)
class SolvedGroup:
    """Motion of a group's bodies and joints over n times, and the status of each time.

    Parameters
    ----------
    status : (n,) int32; that of an earlier group where that one failed.
    own : (n,) bool: the group itself failed here.
    """

    motion: GroupMotion
    status: NDArray[np.int32]
    own: NDArray[np.bool_]


def solve_group(
    plan: GroupPlan,
    known: Mapping[str, BodyMotion],
    drives: Mapping[tuple[str, str], Array],
    branch: int,
    before: NDArray[np.int32],
) -> SolvedGroup:
    """Solve one group for all times.

    Parameters
    ----------
    known : known body -> motion as ports hold it, (n, ...).
    drives : (joint, freedom) -> (n, 3) value, rate, acceleration.
    before : (n,) status of the groups it depends on: the first that is not OK.

    Notes
    -----
    Where an earlier group is SINGULAR its position is known but its rates are not: this group then has a position too.
    Behind any other failure it has nothing.
    """
    rows = len(before)
    ports = plan.adapter.ports(known, plan.frames, drives)
    found = run_stages(plan.solved, _over_time(ports, plan, rows), np.full(rows, branch, dtype=np.int32))
    own = np.broadcast_to(found.status, (rows,)).astype(np.int32)
    blocked = before != Status.OK
    # Rates that were not given make a stage say BAD_INPUT; the reason is the earlier group.
    failed = (own != Status.OK) & ~blocked
    position_lost = blocked & (before == Status.SINGULAR) & _no_position(plan, found.values, rows)
    reason = np.where(position_lost, Status.NO_ASSEMBLY, before)
    status = np.where(blocked, reason, own).astype(np.int32)
    return SolvedGroup(plan.adapter.motion(ports, found.values), status, failed | position_lost)


def _over_time(ports: Mapping[str, Array], plan: GroupPlan, rows: int) -> dict[str, Array]:
    """Give every port the time axis: a group at rest has to answer for each time as well."""
    return {name: np.broadcast_to(value, (rows, value.shape[-1])) for name, value in ports.items()}


def _no_position(plan: GroupPlan, values: Mapping[str, Array], rows: int) -> NDArray[np.bool_]:
    places = plan.adapter.fit.entry.arrangement.bodies
    finite = [np.all(np.isfinite(np.broadcast_to(values[p], (rows, values[p].shape[-1]))), axis=-1) for p in places]
    lost: NDArray[np.bool_] = ~np.all(finite, axis=0)
    return lost
