"""Known bodies and driven freedoms between the times at which they are given.

Where nothing better is known they move between two times as the quintic does that has their values, rates and
accelerations at both.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symgen.library.newton.numbers import Inputs
from symgen.poses import Array, multiply

#: The inputs at some times (m,), as rows; rows that are not finite are not known.
InputsAt = Callable[[Array], Inputs]


def quintic_inputs(inputs: Inputs, times: Array, row: int) -> InputsAt:
    """Return the inputs around the step from the row before to this one, over all steps that go the same way.

    Before the first of these steps and behind the last one their quintics go on.
    """
    forward = times[row] >= times[row - 1]
    steps = np.diff(times)
    other = np.flatnonzero(~((steps > 0) if forward else (steps < 0)))
    first = int(max(other[other < row - 1], default=-1)) + 1
    last = int(min(other[other >= row], default=len(steps)))
    if times[row] == times[row - 1]:
        first, last = row - 1, row
    ahead = times[first : last + 1] if forward else -times[first : last + 1]

    def at(when: Array) -> Inputs:
        wanted = when if forward else -when
        ends = first + np.clip(np.searchsorted(ahead, wanted, side="left"), 1, last - first)
        parts = []
        for time, end in zip(when, ends, strict=True):
            step = float(times[end] - times[end - 1])
            within = np.array([(time - times[end - 1]) / step if step else 0.0])
            parts.append(interpolate(inputs, times, int(end), within))
        return Inputs(
            inputs.frames,
            inputs.pitches,
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("known", "twists", "accelerations", "drives")
            ),
        )

    return at


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
