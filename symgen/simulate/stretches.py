"""The time span in stretches: forces begin and end where two stretches meet, so no step runs across a jump."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError

#: A sample interval counts as so many whole steps if it is that near, relative.
_FIT = 1e-9
_MOST_STEPS, _MOST_ROWS = 10**9, 10**6


def check_times(**times: float | None) -> None:
    """Refuse what is no positive number; None is not given.

    Raises
    ------
    InputError
        Names the time.
    """
    for name, value in times.items():
        if value is None:
            continue
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not (math.isfinite(value) and value > 0):
            raise InputError(f"{name} {value!r}: a positive number{'' if name == 'tolerance' else ' of seconds'}")


@dataclass(frozen=True)
class Stretch:
    """Steps of equal length without events in between.

    Parameters
    ----------
    start, step : [s].
    steps : how many.
    every : steps from one sample to the next.
    active : which forces and torques act.
    """

    start: float
    step: float
    steps: int
    every: int
    active: NDArray[np.int32]

    @property
    def end(self) -> float:
        """Where it ends [s]."""
        return self.start + self.step * self.steps


def plan_stretches(
    spans: Iterable[tuple[float, float]], step: float, until: float, sample: float | None
) -> list[Stretch]:
    """Return the stretches from 0 to `until`.

    Parameters
    ----------
    spans : (start, end) of each force and torque [s].
    step : largest step [s]; a stretch has steps of a length that divides it, and the samples, exactly.
    sample : time between samples [s]; None for every step.

    Raises
    ------
    InputError
        A time is not positive and finite, or there would be too many steps.
    """
    check_times(step=step, until=until, sample=sample)
    if until / step > _MOST_STEPS:
        raise InputError(f"until {until:g} s with step {step:g} s: more than {_MOST_STEPS} steps")
    rows = until / (step if sample is None else sample)
    if rows > _MOST_ROWS:
        raise InputError(
            f"{rows:.3g} rows: at most {_MOST_ROWS} fit; give a sample time of {until / _MOST_ROWS:.1g} s or more"
        )
    listed = list(spans)
    marks = sorted({0.0, until, *(time for span in listed for time in span if 0.0 < time < until)})
    found = []
    for begin, end in pairwise(marks):
        between = step if sample is None else sample
        samples = max(1, math.ceil((end - begin) / between * (1 - _FIT)))
        every = max(1, math.ceil((end - begin) / samples / step * (1 - _FIT)))
        middle = 0.5 * (begin + end)
        active = np.array([first <= middle <= last for first, last in listed], dtype=np.int32)
        found.append(Stretch(begin, (end - begin) / (samples * every), samples * every, every, active))
    return found
