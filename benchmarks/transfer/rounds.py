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
    """Seconds of the processor for one call in the quickest round, and those over the first contestant's."""

    least: float
    ratio: float


def measure(calls: Sequence[Callable[[], object]], rounds: int, seed: int = 1) -> list[Times]:
    """Return the times of each call. What disturbs a round lengthens it: the quickest ones are compared."""
    passes = [_calibrate(call) for call in calls]
    order, shuffle = list(range(len(calls))), random.Random(seed)
    taken = np.empty((rounds, len(calls)))
    for row in taken:
        shuffle.shuffle(order)
        for k in order:
            row[k] = _run(calls[k], passes[k]) / passes[k]
    least = taken.min(axis=0)
    return [Times(float(seconds), float(seconds / least[0])) for seconds in least]


def _run(call: Callable[[], object], passes: int) -> float:
    start = time.process_time()  # one thread each: what other programs take does not count
    for _ in range(passes):
        call()
    return time.process_time() - start


def _calibrate(call: Callable[[], object]) -> int:
    """Return how many calls take about `_SPAN`."""
    call()  # the first one may prepare something
    passes = 1
    while (taken := _run(call, passes)) < _SPAN / 4:
        passes *= 4
    return max(1, round(passes * _SPAN / taken))
