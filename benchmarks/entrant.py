"""What competes: a tool's code for one problem, in one of three disciplines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

#: kernel: one call from C, in a loop over rows that stay in the cache.
#: batch: arrays of `ROWS["batch"]` rows, one core.  python: one call from Python.
Discipline = Literal["kernel", "batch", "python"]

ROWS: dict[Discipline, int] = {"kernel": 64, "batch": 1500, "python": 1}


class LeftOutError(Exception):
    """A tool cannot compete here; the text says why and goes into the report."""


@dataclass(frozen=True)
class Entrant:
    """One competitor.

    run : runs the given number of passes over its rows and returns the seconds that took.
    answers : (rows, numbers) what it computed for its rows, in the problem's order.
    made_in : seconds from expressions to something that can be called; None for hand-written code.
    size : its number of rows; 0: as many as its discipline has.
    """

    tool: str
    form: str
    discipline: Discipline
    run: Callable[[int], float]
    answers: Callable[[], np.ndarray]
    made_in: float | None = None
    size: int = 0

    @property
    def rows(self) -> int:
        """How many rows a pass has."""
        return self.size or ROWS[self.discipline]
