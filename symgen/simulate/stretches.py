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
#: Times nearer than this part of a step are one.
NEAR = 1e-6
_SIDES = (math.floor, math.ceil)
#: Steps that a run may take, and rows that it may have.
MOST_STEPS, _MOST_ROWS = 10**9, 10**6
#: What is asked of a simulation -> its unit, and what helps where it is no positive number.
_TIMES = {
    "step": ("seconds", "give the longest step, such as 0.001, or a tolerance instead"),
    "tolerance": ("metres or radians", "give the error that is allowed, such as 1e-6, or a step instead"),
    "until": ("seconds", "give the last time, such as 10"),
    "sample": ("seconds", "give the time between rows, such as 0.01, or leave it out"),
}


def check_times(**times: float | None) -> None:
    """Refuse what is no positive number; None is not given.

    Parameters
    ----------
    times : by name, as arguments have it or as options (``--step``).

    Raises
    ------
    InputError
        Names the time, what was found, what is allowed and the likely fix.
    """
    for name, value in times.items():
        if value is None:
            continue
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not (math.isfinite(value) and value > 0):
            what, fix = _TIMES.get(name.lstrip("-"), ("seconds", "give one"))
            raise InputError(f"{name} {value!r}: must be a positive, finite number of {what}; {fix}")


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
    sample : time between samples [s]: all its multiples are sampled, and where forces begin and end. None for every
        step.

    Raises
    ------
    InputError
        A time is not positive and finite, or there would be too many steps or rows.
    """
    check_times(step=step, until=until, sample=sample)
    if until / step > MOST_STEPS:
        raise InputError(f"until {until:g} s with step {step:g} s: more than {MOST_STEPS} steps")
    rows = until / (step if sample is None else sample)
    if rows > _MOST_ROWS:
        least = f"{until / _MOST_ROWS:.1g}"
        raise InputError(f"{rows:.3g} rows: at most {_MOST_ROWS} fit; give a sample time of {least} s or more")
    listed = list(spans)
    events = _distinct([0.0, *(time for span in listed for time in span if 0.0 < time < until), until], step)
    marks = events if sample is None else _distinct([*events, *_neighbours(events, sample)], step)
    found = []
    if len(marks) < 2:  # next to nothing beside a step
        marks = [0.0, until]
    for begin, end in pairwise(marks):
        whole = sample is not None and (_is_multiple(begin, sample) and _is_multiple(end, sample))
        samples = max(1, round((end - begin) / sample)) if sample is not None and whole else 1
        every = max(1, math.ceil((end - begin) / samples / step * (1 - _FIT)))
        if sample is None:
            samples, every = every, 1
        middle = 0.5 * (begin + end)
        active = np.array([first <= middle <= last for first, last in listed], dtype=np.int32)
        found.append(Stretch(begin, (end - begin) / (samples * every), samples * every, every, active))
    return found


def _distinct(times: Iterable[float], step: float) -> list[float]:
    """Return times in order, without those that are next to nothing behind another; the last one stays."""
    ordered = sorted(times)
    found: list[float] = []
    for time in ordered:
        if found and time - found[-1] <= NEAR * step:
            if time == ordered[-1] and len(found) > 1:
                found[-1] = time
            continue
        found.append(time)
    return found


def _neighbours(events: Iterable[float], sample: float) -> list[float]:
    """Return the multiples of the sample time on both sides of each event that is none."""
    last = max(events)
    beside = [sample * step(time / sample) for time in events if not _is_multiple(time, sample) for step in _SIDES]
    return [time for time in beside if 0.0 < time < last]


def _is_multiple(time: float, sample: float) -> bool:
    return abs(time / sample - round(time / sample)) <= _FIT * max(1.0, time / sample)
