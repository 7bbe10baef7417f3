"""Smooth motion through times at which it cannot be computed: extrapolated, interpolated, and judged.

At a change point, where branches of a group cross, position and Jacobian do not determine the rates; the motion that
goes smoothly through is determined all the same by what lies before it. One polynomial takes value, rate and
acceleration of n samples: degree 3n - 1. Of what stands behind the point, the smooth motion alone is met by it:

    another branch that touches with order q misses by h^q, the smooth one by h^(3n), h: spacing of the samples.

The polynomial is written as a sum over the samples,

    p(t) = sum over i of l_i(t)^3 q_i(t),   q_i: the first three terms of f/l_i^3 about t_i,

with Lagrange's functions l_i; so a result is a weighted sum of data, and the weights tell how errors of data grow.

Nothing here knows mechanisms: values are any numbers that move smoothly (lengths, components of quaternions with one
sign, angles without jumps), in units that make them comparable.

Source: Ch. Hermite 1878, "Sur la formule d'interpolation de Lagrange"; J. Stoer, R. Bulirsch, "Introduction to
Numerical Analysis", 2.1.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array

#: A continuation is the smooth one if it misses by less than this part of what the next one misses by.
CLEAR = 1e-2


@dataclass(frozen=True)
class MotionSamples:
    """A motion at some times.

    Parameters
    ----------
    times : (n,) [s], no two equal, in any order.
    value, rate, second : (n, k) numbers that move, their first and second derivatives by time.
    """

    times: Array
    value: Array
    rate: Array
    second: Array

    def __len__(self) -> int:
        return len(self.times)

    def rows(self, where: slice | Sequence[int] | NDArray[np.intp] | NDArray[np.bool_]) -> MotionSamples:
        """Return some of the samples."""
        return MotionSamples(self.times[where], self.value[where], self.rate[where], self.second[where])


def evaluate(samples: MotionSamples, at: Array) -> MotionSamples:
    """Return the motion at other times, by the one polynomial through all samples.

    At a sample's own time it is the sample. In between and as far outside as the samples are apart, it is good to the
    order 3n; further outside errors of the samples grow fast.
    """
    at = np.atleast_1d(np.asarray(at, dtype=float))
    weights = hermite_weights(samples.times, at)
    data = np.stack([samples.value, samples.rate, samples.second], axis=1)  # (n, 3, k)
    # Differences to one sample keep what a large common value would cost.
    base = data[0, 0].copy()
    data[:, 0] -= base
    found = np.einsum("rmns,nsk->rmk", weights, data)
    return MotionSamples(at, found[0] + base, found[1], found[2])


def misfit(before: MotionSamples, after: MotionSamples, unit: float | None = None) -> Array:
    """Return by how much `after` misses what `before` expects there, (m,), in units of the values.

    The largest of: error of the value, error of the rate times `unit`, error of the acceleration times its square;
    each as the length of the k numbers. A row with NaN is NaN.

    Parameters
    ----------
    unit : time [s] that makes rates comparable; by default the mean spacing of `before`, of both if it is single.
    """
    expected = evaluate(before, after.times)
    if unit is None:
        every = before.times if len(before) > 1 else np.concatenate([before.times, after.times])
        unit = float(np.ptp(every)) / max(len(every) - 1, 1) or 1.0
    errors = [
        np.linalg.norm(after.value - expected.value, axis=-1),
        np.linalg.norm(after.rate - expected.rate, axis=-1) * unit,
        np.linalg.norm(after.second - expected.second, axis=-1) * unit**2,
    ]
    found: Array = np.max(errors, axis=0)
    return found


def clearest(misfits: Sequence[float] | Array, floor: float, clear: float = CLEAR) -> int | None:
    """Return the candidate that goes on smoothly, or None if that is not clear.

    Parameters
    ----------
    misfits : how far each candidate misses what is expected (the largest of `misfit`); NaN: none there.
    floor : errors below this are rounding: the best must be better than the next by `clear` also if it were this bad.
        For a single candidate the caller gives the distance within which there is no other as a second misfit.
    """
    each = np.where(np.isfinite(misfits), misfits, np.inf)
    if not each.size:
        return None
    order = np.argsort(each, kind="stable")
    best = int(order[0])
    if not np.isfinite(each[best]):
        return None
    following = float(each[order[1]]) if each.size > 1 else np.inf
    return best if max(float(each[best]), floor) <= clear * following else None


# -- weights -----------------------------------------------------------------------------------------------------------


def hermite_weights(times: Array, at: Array) -> Array:
    """Return the weights (3, m, n, 3): [r, m, n, s] is that of sample n's s-th derivative in the r-th derivative.

    Derivatives are by the time itself.
    """
    times = np.asarray(times, dtype=float)
    unit = float(np.ptp(times)) or 1.0
    nodes, count = times - times[0], len(times)
    apart = (nodes[:, None] - nodes[None, :]) / unit
    np.fill_diagonal(apart, np.inf)
    inverse = 1.0 / apart  # 0 on the diagonal
    # l_i at its own sample: 1, its slope, its second derivative; then those of l_i^-3
    slope = inverse.sum(axis=1)
    bend = slope**2 - (inverse**2).sum(axis=1)
    g1, g2 = -3.0 * slope, 12.0 * slope**2 - 3.0 * bend
    # times as they are: the difference of two that are close is exact
    away = (np.asarray(at, dtype=float)[:, None] - times[None, :]) / unit  # (m, n)
    zero, one = np.zeros_like(away), np.ones_like(away)
    lagrange = (one, zero, zero)
    for j in range(count):
        # the factor (t - t_j)/(t_i - t_j) for every i but j
        share = inverse[:, j]
        own = np.arange(count) == j
        factor = (np.where(own, 1.0, away[:, j, None] * share), np.where(own, 0.0, share) * one, zero)
        lagrange = _times(lagrange, factor)
    cube = _times(_times(lagrange, lagrange), lagrange)
    found = np.empty((3, len(away), count, 3))
    ones = np.ones(count)
    terms = ((ones, g1, 0.5 * g2), (0.0 * ones, ones, g1), (0.0 * ones, 0.0 * ones, 0.5 * ones))
    for s, (c0, c1, c2) in enumerate(terms):
        part = (c0 + away * (c1 + away * c2), c1 + 2.0 * away * c2, 2.0 * c2 * one)
        for r, weight in enumerate(_times(cube, part)):
            found[r, :, :, s] = weight * unit ** (s - r)
    return found


def _times(one: tuple[Array, Array, Array], two: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Return value, first and second derivative of a product."""
    return (
        one[0] * two[0],
        one[1] * two[0] + one[0] * two[1],
        one[2] * two[0] + 2.0 * one[1] * two[1] + one[0] * two[2],
    )
