"""Does a motion keep the energy that its model keeps? Where it does not, the step was too long, and which would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from symgen.errors import SymgenError
from symgen.library.rotations import Array
from symgen.simulate.energies import conserves_energy
from symgen.simulate.result import SimulationResult
from symgen.simulate.scale import size_of_mechanism

#: Parts of the energy that moves: a drift above the first is told; a step that would do has one below the second.
_MUCH, _LITTLE = 0.1, 0.01
#: Part of the energies' own size below which all of it is rounding.
_ROUNDING = 1e-9
_MOST_HALVINGS = 14


def moving_energy(result: SimulationResult) -> float:
    """Return how much energy moves [J]: the largest change of one kind, or what the motion starts with; finite."""
    kinetic, potential = (_finite(each) for each in (result.kinetic, result.potential))
    if not len(kinetic) or not len(potential):
        return 0.0
    mechanism = result.mechanism
    weight = sum(body.mass or 0.0 for body in mechanism.bodies) * float(np.linalg.norm(mechanism.gravity))
    rounding = _ROUNDING * (
        float(np.abs(kinetic).max()) + float(np.abs(potential).max()) + weight * size_of_mechanism(mechanism)
    )
    return max(float(np.ptp(kinetic)), float(np.ptp(potential)), float(kinetic[0]), rounding)


def _finite(values: Array) -> Array:
    found: Array = values[np.isfinite(values)]
    return found


def watch_energy(
    result: SimulationResult, step: float | None, most: int, again: Callable[[float], SimulationResult]
) -> SimulationResult:
    """Return the result, with a warning where its model keeps its energy and it does not.

    Parameters
    ----------
    step : that was asked for [s], None where steps were chosen.
    most : steps that may be spent on the search for one that would do.
    again : integrates with another step.
    """
    if len(result.times) < 2 or not conserves_energy(result.mechanism):
        return result
    drift, moving = result.drift, moving_energy(result)
    if drift <= _MUCH * moving:
        return result
    if step is None:
        advice = "take a smaller tolerance"
    else:
        better = _better_step(step, float(result.times[-1]) / step, most, again)
        advice = f"a step of {better:.3g} s keeps it to a hundredth" if better else "take a much smaller step"
        advice += ", or use a tolerance in place of a step"
    warning = (
        f"this model keeps its energy (no drive, damper or applied force), but the energy of the motion, "
        f"{result.total[0]:.4g} J at the start, drifts by up to {drift:.3g} J: the motion is not that of the "
        f"mechanism; {advice}"
    )
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
        if trial.ok and trial.drift <= _LITTLE * moving_energy(trial):
            return step
    return None
