"""Entrants that are called from Python: one call with one row, or one call with a batch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from time import perf_counter

import numpy as np

from benchmarks.entrant import Discipline, Entrant


def python_entrant(
    tool: str,
    form: str,
    discipline: Discipline,
    call: Callable[[], object],
    answers: Callable[[], np.ndarray],
    made_in: float | None,
) -> Entrant:
    """Time a call without arguments; the loop around it costs about 15 ns and is the same for everyone."""

    def run(passes: int) -> float:
        started = perf_counter()
        for _ in repeat(None, passes):
            call()
        return perf_counter() - started

    return Entrant(tool, form, discipline, run, answers, made_in)
