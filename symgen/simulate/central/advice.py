"""Method, order and step for a wanted accuracy: chosen from short runs, confirmed on the whole span (Richardson).

A scheme of order p run over a short span with steps h and h/2 differs by (1 - 2^-p) of the error of the first. Errors
of time-symmetric schemes grow about linearly with time, so the error over the whole span is taken as that of the short
one times the ratio of the spans. The scheme that needs the fewest discrete steps is chosen. A short span may not be
like the rest: the whole one is then run with the step and half of it, and with finer ones until the two agree.

Source: L. F. Richardson 1911; growth: E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration (2006), XI.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from symgen.errors import InputError
from symgen.poses import Array
from symgen.simulate.central.schemes import Scheme

#: Part of the span that is tried, samples in it, and how much finer the step is taken than estimated.
_PART, _SAMPLES, _SAFETY = 0.1, 10, 0.8
_ROUNDS, _FINEST = 14, 2.0**-16


@dataclass(frozen=True)
class Advice:
    """A scheme and its step [s], with the error [m or rad] that the short runs let expect at the end."""

    scheme: Scheme
    step: float
    error: float

    def __str__(self) -> str:
        """Say it in words; the error is NaN where no second run has told it."""
        error = f"estimated error {self.error:.1g} m or rad" if math.isfinite(self.error) else "error not yet estimated"
        return f"{self.scheme.method} of order {self.scheme.order} with step {self.step:.3g} s, {error}"


Run = TypeVar("Run")
#: Runs a scheme with a step over a span, sampled that often; poses (T, n, 7), or None where it fails.
Trial = Callable[[Scheme, float, float, float], Array | None]


def advise(schemes: list[Scheme], tolerance: float, until: float, trial: Trial) -> Advice:
    """Return the cheapest scheme that keeps the tolerance.

    Raises
    ------
    InputError
        `tolerance` is not positive, or no scheme reaches it with a step that is not absurdly small.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise InputError(f"tolerance {tolerance!r}: a positive number, in metres or radians")
    found = [advice for scheme in schemes if (advice := _advise(scheme, tolerance, until, trial)) is not None]
    if not found:
        raise InputError(
            f"tolerance {tolerance!r}: no step tried here reaches it; choose method and step yourself, or a larger "
            "tolerance"
        )
    return min(found, key=lambda advice: advice.scheme.stages / advice.step)


def confirm(
    advice: Advice, tolerance: float, run: Callable[[float], Run | None], poses: Callable[[Run], Array]
) -> tuple[Advice, Run]:
    """Run the whole span with half the advised step, and again finer, until Richardson's estimate keeps the tolerance.

    Parameters
    ----------
    run : integrates with a step; None where that fails.
    poses : the poses (T, n, 7) of a run, at the same times for every step.

    Returns
    -------
    The step of the run that is returned, with its estimated error, and that run.

    Raises
    ------
    InputError
        No step that is not absurdly small reaches the tolerance.
    """
    scheme, step = advice.scheme, advice.step
    known: dict[float, Run | None] = {}
    for _ in range(_ROUNDS):
        for size in (step, step / 2):
            if size not in known:
                known[size] = run(size)
        coarse, fine = known[step], known[step / 2]
        if coarse is not None and fine is not None:
            error = _distance(poses(coarse), poses(fine)) / (2.0**scheme.order - 1.0)
            if error <= tolerance:
                return Advice(scheme, step / 2, error), fine
            factor = min(0.5, max(0.05, _SAFETY * (tolerance / error) ** (1.0 / scheme.order)))
            step *= 0.5 if factor > 0.25 else factor
        else:
            step /= 2
        if step < _FINEST * advice.step:
            break
    raise InputError(
        f"tolerance {tolerance!r}: not reached by {scheme.method} of order {scheme.order} with a step of {step:.1g} s; "
        "choose method and step yourself, or a larger tolerance"
    )


def _advise(scheme: Scheme, tolerance: float, until: float, trial: Trial) -> Advice | None:
    span = _PART * until
    wanted = tolerance * _PART
    step = span / _SAMPLES
    for _ in range(_ROUNDS):
        error = _error(scheme, step, span, trial)
        if error is not None and error <= wanted:
            return Advice(scheme, step, error / _PART)
        if error is None:
            step /= 2
        else:
            step *= min(0.7, max(0.1, _SAFETY * (wanted / error) ** (1.0 / scheme.order)))
        if step < _FINEST * span / _SAMPLES:
            return None
    return None


def _error(scheme: Scheme, step: float, span: float, trial: Trial) -> float | None:
    """Return the estimated error of a step over the short span; None where the integration fails."""
    coarse, fine = (trial(scheme, size, span, span / _SAMPLES) for size in (step, step / 2))
    if coarse is None or fine is None:
        return None
    return _distance(coarse, fine) / (1.0 - 2.0**-scheme.order)


def _distance(one: Array, two: Array) -> float:
    """Return the largest difference of places [m] and turns [rad] of poses."""
    apart = one - two
    apart[..., 3:] *= 2.0  # of a small turn, the quaternion changes by half
    return float(np.abs(apart).max())
