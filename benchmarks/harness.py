"""Timing on a machine that is never quiet: competitors alternate inside every round; medians, minima, ratios.

A ratio is taken inside a round, where both were measured within milliseconds of
each other, and the median of the rounds' ratios is the figure. The ratio of the
quickest rounds of both is given beside it: what no disturbance could slow down.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.entrant import Entrant

#: Seconds one measurement should take: long against the clock, short against a disturbance.
SPAN = 2e-3


class UnfairError(Exception):
    """The machine had too much else to do."""


@dataclass(frozen=True)
class Ratio:
    """One competitor over a yardstick: median over the rounds, and quickest round over quickest round."""

    median: float
    least: float


#: So many rounds are tried for each that counts.
TRIES = 40


def measure(
    entrants: Sequence[Entrant], rounds: int, seed: int = 1, is_fair: Callable[[], bool] = lambda: True
) -> np.ndarray:
    """Measure entrants of one discipline side by side.

    Parameters
    ----------
    is_fair : asked before and after each round; one that is not fair is measured again, up to `TRIES` times in all.

    Returns
    -------
    ndarray, shape (rounds, entrants)
        Nanoseconds for one row.
    """
    passes = [_calibrate(entrant) for entrant in entrants]
    order = list(range(len(entrants)))
    shuffle = random.Random(seed)
    times = np.empty((rounds, len(entrants)))
    left = TRIES * rounds
    for taken in times:
        was_fair = False
        while not was_fair and left > 0:
            left -= 1
            was_fair = is_fair()
            shuffle.shuffle(order)
            for k in order:
                taken[k] = entrants[k].run(passes[k]) / (passes[k] * entrants[k].rows) * 1e9
            was_fair = was_fair and is_fair()
        if not was_fair:
            raise UnfairError(f"no fair round among {TRIES * rounds}")
    return times


def ratio_of(times: np.ndarray, yardstick: np.ndarray) -> Ratio:
    """Compare two columns of `measure` or of a race."""
    return Ratio(float(np.median(times / yardstick)), float(times.min() / yardstick.min()))


def _calibrate(entrant: Entrant) -> int:
    """Return how many passes over the rows take about `SPAN`."""
    entrant.run(1)  # some compile on their first call
    passes = 1
    while True:
        taken = entrant.run(passes)
        if taken > SPAN / 4:
            return max(1, round(passes * SPAN / taken))
        passes *= 4


def largest_error(found: np.ndarray, exact: np.ndarray) -> float:
    """Return the largest deviation from the exact values, relative to the size of each result."""
    found = found[: len(exact)]
    if found.shape != exact.shape or not np.isfinite(found).all():
        return float("inf")
    return float(np.max(np.abs(found - exact) / np.maximum(1.0, np.abs(exact))))
