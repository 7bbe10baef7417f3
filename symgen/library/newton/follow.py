"""One solution of a group over time: from each time to the next by prediction, in smaller steps where needed.

The solver follows the times as they are given. Where it stops because a solution is not near the prediction, has
another sign of the determinant, or was not found, the step before is cut into 4, 32, 256 parts: known bodies and driven
freedoms move between two times as the quintic does that has their values, rates and accelerations at both. If that
does not help either, the branch ends there: nothing jumps silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.newton.engine import Engine, Tracked
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.rotations import Array, multiply
from symgen.status import Status

#: Parts into which a step is cut, one attempt after another.
PARTS = (4, 32, 256)
#: Reports: condition, whether a root is certified, sign of the determinant.
CONDITION, CERTIFIED, SIGN = 1, 2, 5


@dataclass(frozen=True)
class Followed:
    """A solution over all times: as `symgen.library.newton.engine.Tracked`, with a status for every row."""

    poses: Array
    twists: Array
    accelerations: Array
    report: Array
    status: NDArray[np.int32]


def follow(engine: Engine, plan: SolverPlan, inputs: Inputs, times: Array, start: Array) -> Followed:
    """Follow the solution near `start` (bodies, places), which is for the first time.

    Behind a row that is not OK every row says BRANCH_LOST, but for the poses of a SINGULAR one.
    """
    rows = len(times)
    found = engine.track(plan, inputs, times, start)
    result = Followed(found.poses, found.twists, found.accelerations, found.report, found.status.copy())
    done = found.done
    while 0 < done < rows and result.status[done] != Status.SINGULAR:
        sign = int(result.report[done - 1, SIGN])
        way = bridge(engine, plan, inputs, times, done, result.poses[done - 1], sign)
        if way.done < len(way.status):
            result.status[done] = _why(way)
            break
        _put(result, done, way)
        if done + 1 == rows:
            done = rows
            break
        sign = int(way.report[-1, SIGN])
        rest = engine.track(plan, inputs.rows(slice(done, rows)), times[done:], result.poses[done], sign)
        for name in ("poses", "twists", "accelerations", "report", "status"):
            getattr(result, name)[done:] = getattr(rest, name)
        if rest.done == 0:
            break
        done += rest.done
    if done < rows:
        _lose(result, done)
    return result


def _put(result: Followed, row: int, way: Tracked) -> None:
    for name in ("poses", "twists", "accelerations", "report", "status"):
        getattr(result, name)[row] = getattr(way, name)[-1]


def _lose(result: Followed, row: int) -> None:
    result.status[row + 1 :] = Status.BRANCH_LOST
    keep = row + (result.status[row] == Status.SINGULAR)
    result.poses[keep:] = np.nan
    result.report[row + 1 :] = np.nan
    result.twists[row:] = result.accelerations[row:] = np.nan


def bridge(
    engine: Engine,
    plan: SolverPlan,
    inputs: Inputs,
    times: Array,
    row: int,
    start: Array,
    sign: int,
    attempts: Sequence[int] = PARTS,
) -> Tracked:
    """Go from the row before to this one in parts, finer ones where coarser ones fail; return the last attempt.

    `start` is the solution in the row before.
    """
    attempt = None
    for parts in attempts:
        within = np.linspace(0.0, 1.0, parts + 1)
        between = interpolate(inputs, times, row, within)
        axis = times[row - 1] + within * (times[row] - times[row - 1])
        attempt = engine.track(plan, between, axis, start, sign)
        if attempt.done == len(axis):
            break
    if attempt is None:
        raise ValueError("no attempt")
    return attempt


def _why(way: Tracked) -> int:
    """Return why a branch could not be followed: it meets another one, or it has no solution near."""
    status = int(way.status[way.done])
    return status if status == Status.SINGULAR and way.done + 1 == len(way.status) else int(Status.BRANCH_LOST)


def interpolate(inputs: Inputs, times: Array, row: int, within: Array) -> Inputs:
    """Return inputs between the rows `row - 1` and `row`, at parts `within` (n,) of the step."""
    dt = float(times[row] - times[row - 1]) or 1.0  # equal times: nothing moves
    cut = 3 if inputs.known.shape[-1] == 7 else 2
    weights = _quintic(within)
    pair = slice(row - 1, row + 1)
    places, v, a = _blend(
        weights, dt, inputs.known[pair, :, :cut], inputs.twists[pair, :, :cut], inputs.accelerations[pair, :, :cut]
    )
    rate, growth = inputs.twists[pair, :, cut:], inputs.accelerations[pair, :, cut:]
    if cut == 3:
        turn, w, g = _blend_turns(weights, dt, inputs.known[pair, :, 3:], rate, growth)
    else:
        turn, w, g = _blend(weights, dt, inputs.known[pair, :, 2:], rate, growth)
    driven = np.stack(_blend(weights, dt, *(inputs.drives[pair, :, k] for k in range(3))), axis=-1)
    return Inputs(
        inputs.frames,
        inputs.pitches,
        np.concatenate([places, turn], -1),
        np.concatenate([v, w], -1),
        np.concatenate([a, g], -1),
        driven,
    )


def _quintic(s: Array) -> Array:
    """Return the quintic Hermite functions, their first and second derivatives, (3, n, 6)."""
    # Coefficients by power of s; values, rates and accelerations at 0, then at 1.
    table = np.array(
        [
            [1, 0, 0, -10, 15, -6], [0, 1, 0, -6, 8, -3], [0, 0, 0.5, -1.5, 1.5, -0.5],
            [0, 0, 0, 10, -15, 6], [0, 0, 0, -4, 7, -3], [0, 0, 0, 0.5, -1, 0.5],
        ]
    )  # fmt: skip
    power = np.arange(6)
    found = []
    for order in range(3):
        factor = np.ones(6)
        for k in range(order):
            factor = factor * (power - k)
        terms = factor * s[:, None] ** np.maximum(power - order, 0)
        found.append(terms @ table.T)
    return np.stack(found)


def _blend(weights: Array, dt: float, value: Array, rate: Array, growth: Array) -> tuple[Array, Array, Array]:
    """Blend two rows (2, ...) of a motion; return value, rate and acceleration, (n, ...)."""
    corners = np.stack([value[0], dt * rate[0], dt * dt * growth[0], value[1], dt * rate[1], dt * dt * growth[1]])
    found = [np.tensordot(weights[k], corners, axes=1) / dt**k for k in range(3)]
    return found[0], found[1], found[2]


def _blend_turns(weights: Array, dt: float, q: Array, w: Array, g: Array) -> tuple[Array, Array, Array]:
    """Blend two rows of orientations (2, bodies, 4): quaternions by quintics, then brought to unit length."""
    q = q.copy()
    q[1] *= np.where(np.sum(q[0] * q[1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    rate = 0.5 * multiply(_pure(w), q)
    growth = 0.5 * multiply(_pure(g), q) + 0.5 * multiply(_pure(w), rate)
    p, p_dot, p_ddot = _blend(weights, dt, q, rate, growth)
    size = np.sum(p * p, axis=-1, keepdims=True)
    back = p * np.array([1.0, -1.0, -1.0, -1.0])
    turning = 2.0 * multiply(p_dot, back)[..., 1:] / size
    gain = 2.0 * multiply(p_ddot, back)[..., 1:] / size
    gain = gain - 2.0 * np.sum(p * p_dot, axis=-1, keepdims=True) / size * turning
    return p / np.sqrt(size), turning, gain


def _pure(vector: Array) -> Array:
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)
