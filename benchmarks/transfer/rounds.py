"""Timing beside each other: contestants alternate inside every round, so a busy machine slows all of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

#: Seconds one measurement should take: long against the clock, short against a disturbance.
_SPAN = 4e-3


@dataclass(frozen=True)
class Times:
    """Seconds of one call: of the quickest round, and over the first contestant's (median of the rounds' ratios)."""

    least: float
    ratio: float


def measure(calls: Sequence[Callable[[], object]], rounds: int, seed: int = 1) -> list[Times]:
    """Return the times of each call; ratios are those within one round."""
    passes = [_calibrate(call) for call in calls]
    order, shuffle = list(range(len(calls))), random.Random(seed)
    taken = np.empty((rounds, len(calls)))
    for row in taken:
        shuffle.shuffle(order)
        for k in order:
            row[k] = _run(calls[k], passes[k]) / passes[k]
    ratios = np.median(taken / taken[:, :1], axis=0)
    return [Times(float(taken[:, k].min()), float(ratios[k])) for k in range(len(calls))]


def _run(call: Callable[[], object], passes: int) -> float:
    start = time.perf_counter()
    for _ in range(passes):
        call()
    return time.perf_counter() - start


def _calibrate(call: Callable[[], object]) -> int:
    """Return how many calls take about `_SPAN`."""
    call()  # the first one may prepare something
    passes = 1
    while (taken := _run(call, passes)) < _SPAN / 4:
        passes *= 4
    return max(1, round(passes * _SPAN / taken))
