"""Does the energy account of a motion close? Where it does not, the step was too long, and which would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from symgen.errors import SymgenError
from symgen.simulate.results.energies import conserves_energy
from symgen.simulate.results.energy_account import energy_left, hidden_in_beams
from symgen.simulate.results.result import SimulationResult

#: Part of the energy that moves above which it is told that the account does not close.
_MUCH = 0.01
_MOST_HALVINGS = 14
_UNKNOWN = (
    "the rows are too far apart to compute the work of dampers, drives and forces, so the energy of this motion is "
    "not checked; take a smaller step or sample time"
)


def watch_energy(
    result: SimulationResult, step: float | None, most: int, again: Callable[[float], SimulationResult]
) -> SimulationResult:
    """Return the result, whose energy account is made, with a warning where that does not close.

    Parameters
    ----------
    step : that was asked for [s], None where steps were chosen.
    most : steps that may be spent on the search for one that would do.
    again : integrates with another step.
    """
    error = result.energy_error
    if len(result.times) > 1 and np.isnan(error) and not hidden_in_beams(result):
        return _with_warning(result, _UNKNOWN)
    if len(result.times) < 2 or not error > _MUCH:  # NaN is not
        return result
    if step is None:
        advice = "take a smaller tolerance"
    else:
        better = _better_step(step, float(result.times[-1]) / step, most, again)
        advice = f"a step of {better:.3g} s keeps it to a hundredth" if better else "take a much smaller step"
        advice += ", or use a tolerance instead of a step"
    left = float(np.max(np.abs(energy_left(result))))
    if conserves_energy(result.mechanism):
        what = (
            f"this model keeps its energy (no drive, damper or applied force), but the energy of the motion, "
            f"{result.total[0]:.4g} J at the start, drifts by up to {left:.3g} J"
        )
    else:
        what = (
            "the change of the motion's energy differs from the work of its dampers, drives and forces by up to "
            f"{left:.3g} J"
        )
    return _with_warning(
        result,
        (f"{what}, {100 * error:.2g} % of the energy that moves: this is not the motion of the mechanism; {advice}"),
    )


def _with_warning(result: SimulationResult, warning: str) -> SimulationResult:
    return replace(result, run=replace(result.run, warnings=(*result.run.warnings, warning)))


def _better_step(step: float, steps: float, most: int, again: Callable[[float], SimulationResult]) -> float | None:
    """Return a step, half of the given one or half of that and so on, that keeps the energy; None if none is found."""
    spent = 0.0
    for _ in range(_MOST_HALVINGS):
        step, steps = step / 2, 2 * max(steps, 1.0)
        spent += steps
        if spent > most:
            return None
        try:
            trial = again(step)
        except SymgenError:
            return None
        if trial.run.failure is not None and trial.run.failure.status is None:
            return None  # a signal has ended the search
        if trial.ok and trial.energy_error <= _MUCH:
            return step
    return None
