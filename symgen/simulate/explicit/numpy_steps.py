"""Explicit Runge-Kutta steps in NumPy: of equal length, or as long as a tolerance allows; samples by an interpolant.

As in the engines' C, templates/c99/steps/symgen_steps.h. Source: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary
Differential Equations I", 2nd ed. 1993, section II.10 and code DOP853.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from symgen.poses import Array
from symgen.simulate.constants import constant
from symgen.simulate.contract import StoppableProgress
from symgen.simulate.explicit.schemes import ExplicitScheme
from symgen.status import Status

#: Steps that may be tried, taken or not.
_MOST_TRIED = 10**7
_NEARLY, _SHORTEST = constant("NEARLY_ALL"), constant("SHORTEST_STEP")
_SAFETY, _MOST, _LEAST = constant("SAFETY"), constant("MOST_FACTOR"), constant("LEAST_FACTOR")


class StepError(Exception):
    """A motion could not be found."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


class HasSlope(Protocol):
    """A motion at a time."""

    @property
    def slope(self) -> Array:
        """Rates of the state."""


class StepSettings(Protocol):
    """How a stretch is integrated: see `symgen.simulate.minimal.engine.MinimalSettings`."""

    @property
    def scheme(self) -> ExplicitScheme: ...  # noqa: D102
    @property
    def start(self) -> float: ...  # noqa: D102
    @property
    def end(self) -> float: ...  # noqa: D102
    @property
    def samples(self) -> int: ...  # noqa: D102
    @property
    def every(self) -> int: ...  # noqa: D102
    @property
    def tolerance(self) -> float | None: ...  # noqa: D102


class StepState(Protocol):
    """Where steps are: see `symgen.simulate.minimal.engine.MinimalState`."""

    vector: Array
    step: float
    time: float
    steps: int
    refused: int


Motion = TypeVar("Motion", bound=HasSlope)


class ExplicitSteps(ABC, Generic[Motion]):
    """Steps of one stretch; what moves says the rest, each a `StepError` where it cannot.

    Parameters
    ----------
    state : state vector and time, kept up with the steps.
    progress : is told the part done, and answers whether to stop.
    """

    def __init__(self, settings: StepSettings, state: StepState, progress: StoppableProgress | None) -> None:
        self._settings, self._reached, self._progress = settings, state, progress or (lambda _: False)

    @abstractmethod
    def motion(self, time: float, state: Array) -> Motion:
        """Return the motion at a time."""

    def corrected(self, time: float, state: Array, *, at_end: bool) -> Array:
        """Return a state corrected for what rates cannot hold, at the end of a step or within it."""
        return state

    @abstractmethod
    def allowed(self, state: Array, tolerance: float) -> Array:
        """Return the errors of the numbers of a state that are allowed in a step."""

    def check(self, before: Motion, after: Motion, state: Array, h: float) -> None:
        """Refuse a step to `state` that was no motion."""

    def keep(self, after: Motion) -> None:
        """A step is accepted; samples in it follow."""

    @abstractmethod
    def accept(self, after: Motion) -> None:
        """A step is accepted, and its samples are taken."""

    @abstractmethod
    def record(self, row: int, motion: Motion, *, at_end: bool) -> None:
        """Write a sample, at the end of a step or within it."""

    def refuse(self, error: StepError | None) -> None:
        """A step was not taken; no error: it was not as exact as it should be."""

    def cause(self, now: Motion) -> StepError:
        """Return why steps became too short."""
        return StepError(Status.NOT_CONVERGED)

    def take(self, now: Motion) -> None:
        """Take all steps from the motion at the start, which is recorded."""
        if self._settings.tolerance is None:
            self._take_equal(now)
        else:
            self._take_chosen(now, self._settings.tolerance)

    def _take_equal(self, now: Motion) -> None:
        settings = self._settings
        steps = settings.samples * settings.every
        h = (settings.end - settings.start) / steps
        for n in range(1, steps + 1):
            time, slopes = settings.start + n * h if n < steps else settings.end, [now.slope]
            self._add_slopes(h, slopes, settings.scheme.stages - 1)
            state, after = self._finish(now, h, time, slopes)
            self.keep(after)
            self._start_next(state, after, time)
            now = after
            if n % settings.every == 0:
                self.record(n // settings.every, now, at_end=True)
            if self._progress(n / steps) and n < steps:
                raise StepError(Status.NOT_CONVERGED)

    def _take_chosen(self, now: Motion, tolerance: float) -> None:
        settings, reached = self._settings, self._reached
        span, row, control = settings.end - settings.start, 1, _StepControl()
        for _ in range(_MOST_TRIED):
            left = settings.end - reached.time
            last = not reached.step < _NEARLY * left
            h, time = (left, settings.end) if last else (reached.step, reached.time + reached.step)
            slopes, error, good = [now.slope], np.inf, False
            failed: StepError | None = None
            try:
                self._add_slopes(h, slopes, settings.scheme.stages - 1)
                scale = self.allowed(reached.vector, tolerance)
                error = error_of_step(settings.scheme, h, np.array(slopes), scale)
                if error <= 1.0:
                    state, after = self._finish(now, h, time, slopes)
                    good = True
            except StepError as found:
                failed, error = found, np.inf
            if good:
                self.keep(after)
                if last:
                    self.record(settings.samples, after, at_end=True)
                row = self._sample(h, slopes, state, row, last=last)
                self._start_next(state, after, time)
                now = after
                stopped = self._progress((reached.time - settings.start) / span)
                reached.step = control.accepted(reached.step, h, error, last=last)
                if last:
                    return
                if stopped:
                    raise StepError(Status.NOT_CONVERGED)
                continue
            self.refuse(failed)
            reached.step = control.refused(h, error)
            reached.refused += 1
            if not reached.step > _SHORTEST * (span + abs(reached.time)):
                raise self.cause(now)
        raise StepError(Status.NOT_CONVERGED)

    def _add_slopes(self, h: float, slopes: list[Array], last: int) -> None:
        """Add slopes up to the last."""
        scheme, reached = self._settings.scheme, self._reached
        for s in range(len(slopes), last + 1):
            state = reached.vector + h * (scheme.slopes[s, :s] @ np.array(slopes))
            slopes.append(self.motion(reached.time + scheme.nodes[s] * h, state).slope)

    def _finish(self, now: Motion, h: float, time: float, slopes: list[Array]) -> tuple[Array, Motion]:
        """Return state and motion at the end of a step; its slope is added."""
        scheme = self._settings.scheme
        weights = scheme.slopes[scheme.stages, : scheme.stages]
        state = self.corrected(time, self._reached.vector + h * (weights @ np.array(slopes)), at_end=True)
        after = self.motion(time, state)
        self.check(now, after, state, h)
        slopes.append(after.slope)
        return state, after

    def _start_next(self, state: Array, after: Motion, time: float) -> None:
        self.accept(after)
        self._reached.vector, self._reached.time = state, time
        self._reached.steps += 1

    def _sample(self, h: float, slopes: list[Array], end: Array, row: int, *, last: bool) -> int:
        """Record the samples within a step; return the next row."""
        settings, reached = self._settings, self._reached
        span = (settings.end - settings.start) / settings.samples
        within: _WithinStep | None = None
        while row < settings.samples and (last or settings.start + row * span <= reached.time + h):
            if within is None:
                self._add_slopes(h, slopes, settings.scheme.width - 1)
                within = _WithinStep(settings.scheme, h, reached.vector, end, slopes)
            time = settings.start + row * span
            state = self.corrected(time, reached.vector + within.moved((time - reached.time) / h), at_end=False)
            self.record(row, self.motion(time, state), at_end=False)
            row += 1
        return row


def error_of_step(scheme: ExplicitScheme, h: float, slopes: Array, scale: Array) -> float:
    """Return the error of a step over what is allowed.

    Parameters
    ----------
    slopes : (stages, n).
    scale : (n,) errors that are allowed.
    """
    stages = scheme.stages
    fine = float(np.sum((h * (scheme.fine[:stages] @ slopes) / scale) ** 2))
    coarse = float(np.sum((h * (scheme.coarse[:stages] @ slopes) / scale) ** 2))
    both = fine + coarse / 100
    return fine / float(np.sqrt(both * max(len(scale), 1))) if both > 0 else both


def _eighth_root(error: float) -> float:
    """Return the root by which a step of order 8 changes, as the engines' C does: square roots are exact everywhere."""
    return float(np.sqrt(np.sqrt(np.sqrt(error))))


class _StepControl:
    """Chooses the length of the next step from the error of the last."""

    def __init__(self) -> None:
        self._most = _MOST

    def accepted(self, step: float, h: float, error: float, *, last: bool) -> float:
        """Return the length after a step h that is kept; the last one may have been shortened from `step`."""
        factor = _SAFETY / _eighth_root(error) if error > 0 else self._most
        factor, self._most = min(factor, self._most), _MOST
        return (max(step, h) if last else h) * factor

    def refused(self, h: float, error: float) -> float:
        """Return the length after a step h that is not; the one after it does not grow."""
        factor = _SAFETY / _eighth_root(error) if np.isfinite(error) else 0.0
        self._most = 1.0
        return h * max(factor, _LEAST)


class _WithinStep:
    """States within a step.

    Parameters
    ----------
    begin, end : states at its ends.
    slopes : all that the scheme has.
    """

    def __init__(self, scheme: ExplicitScheme, h: float, begin: Array, end: Array, slopes: Sequence[Array]) -> None:
        increment, first, final = end - begin, h * slopes[0], h * slopes[scheme.stages]
        rest = h * (scheme.dense @ np.array(slopes))
        self._terms = [increment, first - increment, 2 * increment - (final + first), *rest]

    def moved(self, share: float) -> Array:
        """Return the way from the begin after a share of the step."""
        way: Array = np.zeros_like(self._terms[0])
        for k in reversed(range(len(self._terms))):
            way = (way + self._terms[k]) * (share if k % 2 == 0 else 1 - share)
        return way
