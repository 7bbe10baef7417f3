"""One structural group over all times in one batch call, and what a failure means for the groups behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.rotations import Array
from symgen.library.stages import Solved, run_stages
from symgen.solve.follow import follow
from symgen.solve.kinks import find_kinks
from symgen.solve.newton import Certificates
from symgen.solve.plan import GroupPlan
from symgen.solve.tracks import BodyTrack, track_of
from symgen.status import Status


@dataclass(frozen=True)
class Trail:
    """What it takes to follow a branch over time.

    Parameters
    ----------
    times : (n,) [s], in order.
    space : "spatial" or "planar".
    size : length of the mechanism [m].
    first : branch at the first time, or None for the one nearest to the given poses.
    given : body -> pose (7,) in the mechanism file.
    """

    times: Array
    space: str
    size: float
    first: int | None
    given: Mapping[str, Array]


@dataclass(frozen=True)
class SolvedGroup:
    """Motion of a group's bodies and joints over n times, and the status of each time.

    Parameters
    ----------
    status : (n,) int32; that of an earlier group where that one failed.
    own : (n,) bool: the group itself failed here.
    certificates : where certified Newton solved it.
    """

    motion: GroupMotion
    status: NDArray[np.int32]
    own: NDArray[np.bool_]
    certificates: Certificates | None = None


def solve_group(
    plan: GroupPlan,
    known: Mapping[str, BodyMotion],
    drives: Mapping[tuple[str, str], Array],
    branch: int,
    before: NDArray[np.int32],
    trail: Trail | None = None,
) -> SolvedGroup:
    """Solve one group for all times.

    Parameters
    ----------
    known : known body -> motion as ports hold it, (n, ...).
    drives : (joint, freedom) -> (n, 3) value, rate, acceleration.
    before : (n,) status of the groups it depends on: the first that is not OK.
    trail : what following a branch needs: where branches are ranks see `symgen.solve.follow`, else
        `symgen.solve.kinks`.

    Notes
    -----
    Where an earlier group is SINGULAR its position is known but its rates are not: this group then has a position too.
    Behind any other failure it has nothing.
    """
    rows = len(before)
    ports = plan.adapter.ports(known, plan.frames, drives)
    inputs = _over_time(ports, plan, rows)
    if trail is not None and plan.solved.ranked:
        found = _followed(plan, ports, inputs, trail)
    else:
        found = run_stages(plan.solved, inputs, np.full(rows, branch, dtype=np.int32))
        if trail is not None and plan.solved.branches > 1:
            found = _without_kinks(plan, ports, inputs, trail, branch, found)
    own = np.broadcast_to(found.status, (rows,)).astype(np.int32)
    blocked = before != Status.OK
    # Rates that were not given make a stage say BAD_INPUT; the reason is the earlier group.
    failed = (own != Status.OK) & ~blocked
    position_lost = blocked & (before == Status.SINGULAR) & _no_position(plan, found.values, rows)
    reason = np.where(position_lost, Status.NO_ASSEMBLY, before)
    status = np.where(blocked, reason, own).astype(np.int32)
    return SolvedGroup(plan.adapter.motion(ports, found.values), status, failed | position_lost)


def _followed(plan: GroupPlan, ports: Mapping[str, Array], inputs: Mapping[str, Array], trail: Trail) -> Solved:
    """Solve all branches and take at each time the one that is followed."""
    rows = len(trail.times)
    every = [
        run_stages(plan.solved, inputs, np.full(rows, branch, dtype=np.int32)) for branch in range(plan.solved.branches)
    ]
    motions = [plan.adapter.motion(ports, each.values).bodies for each in every]
    tracks = [
        {body: track_of(motion[body], trail.space, trail.given[body][3:]) for body in plan.bodies} for motion in motions
    ]
    status = np.stack([np.broadcast_to(each.status, (rows,)) for each in every])
    given = {body: trail.given[body] for body in plan.bodies}
    one = follow(tracks, status, trail.times, trail.size, trail.first, given)
    picked = np.maximum(one.rank, 0), np.arange(rows)
    values = {}
    for port in every[0].values:
        stack = np.stack([np.broadcast_to(each.values[port], (rows, *each.values[port].shape[1:])) for each in every])
        values[port] = np.where((one.rank >= 0).reshape(rows, *[1] * (stack.ndim - 2)), stack[picked], np.nan)
    return Solved(one.status, values)


def _without_kinks(
    plan: GroupPlan, ports: Mapping[str, Array], inputs: Mapping[str, Array], trail: Trail, branch: int, found: Solved
) -> Solved:
    """Call times AMBIGUOUS from the first on that the branch reaches with a kink: it met another one on the way."""
    rows = len(trail.times)

    def tracks(values: Mapping[str, Array], there: Mapping[str, Array]) -> dict[str, BodyTrack]:
        motion = plan.adapter.motion(there, values).bodies
        return {body: track_of(motion[body], trail.space, trail.given[body][3:]) for body in plan.bodies}

    def others(at: NDArray[np.intp]) -> list[dict[str, BodyTrack]]:
        here = {name: value[at] for name, value in inputs.items()}
        there = {name: np.broadcast_to(value, (rows, value.shape[-1]))[at] for name, value in ports.items()}
        numbers = [number for number in range(plan.solved.branches) if number != branch]
        every = [run_stages(plan.solved, here, np.full(len(at), number, dtype=np.int32)) for number in numbers]
        return [tracks(each.values, there) for each in every]

    with np.errstate(invalid="ignore"):
        kinks = find_kinks(tracks(found.values, ports), trail.times, trail.size, others)
    if not kinks.size:
        return found
    status = np.broadcast_to(found.status, (rows,)).astype(np.int32).copy()
    status[kinks[0] :] = Status.AMBIGUOUS
    lost = np.arange(rows) >= kinks[0]
    values = {
        name: np.where(
            lost.reshape(rows, *[1] * (value.ndim - 1)), np.nan, np.broadcast_to(value, (rows, *value.shape[1:]))
        )
        for name, value in found.values.items()
    }
    return Solved(status, values)


def _over_time(ports: Mapping[str, Array], plan: GroupPlan, rows: int) -> dict[str, Array]:
    """Give every port the time axis: a group at rest has to answer for each time as well."""
    return {name: np.broadcast_to(value, (rows, value.shape[-1])) for name, value in ports.items()}


def _no_position(plan: GroupPlan, values: Mapping[str, Array], rows: int) -> NDArray[np.bool_]:
    places = plan.adapter.fit.entry.arrangement.bodies
    finite = [np.all(np.isfinite(np.broadcast_to(values[p], (rows, values[p].shape[-1]))), axis=-1) for p in places]
    lost: NDArray[np.bool_] = ~np.all(finite, axis=0)
    return lost
