"""Timing on a machine that is never quiet: competitors alternate inside every round; medians and ratios are reported.

A ratio is taken inside a round, where both were measured within milliseconds of
each other, and the median of the rounds' ratios is the figure.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from benchmarks.entrant import ROWS, Entrant

#: Seconds one measurement should take: long against the clock, short against a disturbance.
SPAN = 2e-3


@dataclass(frozen=True)
class Figure:
    """Nanoseconds for one row, and the ratio to the yardstick of the same round; medians of all rounds."""

    entrant: Entrant
    nanoseconds: float
    ratio: float


def measure(entrants: Sequence[Entrant], yardstick: Entrant, rounds: int, seed: int = 1) -> list[Figure]:
    """Measure entrants of one discipline side by side."""
    passes = [_calibrate(entrant) for entrant in entrants]
    order = list(range(len(entrants)))
    shuffle = random.Random(seed)
    times: list[list[float]] = [[] for _ in entrants]
    for _ in range(rounds):
        shuffle.shuffle(order)
        for k in order:
            rows = ROWS[entrants[k].discipline]
            times[k].append(entrants[k].run(passes[k]) / (passes[k] * rows) * 1e9)
    base = times[entrants.index(yardstick)]
    return [
        Figure(entrant, median(taken), median(one / other for one, other in zip(taken, base, strict=True)))
        for entrant, taken in zip(entrants, times, strict=True)
    ]


def _calibrate(entrant: Entrant) -> int:
    """Return how many passes over the rows take about `SPAN`; the first passes warm up caches and compilers."""
    passes = 1
    while True:
        taken = entrant.run(passes)
        if taken > SPAN / 4:
            return max(1, round(passes * SPAN / taken))
        passes *= 4


def largest_error(entrant: Entrant, exact: np.ndarray) -> float:
    """Return the largest deviation from the exact values, relative to the size of each result."""
    found = entrant.answers()[: len(exact)]
    if found.shape != exact.shape or not np.isfinite(found).all():
        return float("inf")
    return float(np.max(np.abs(found - exact) / np.maximum(1.0, np.abs(exact))))
