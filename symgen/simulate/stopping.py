"""A simulation that a signal ends: it stops between two steps, and the rows up to there are its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from symgen.signals import Interrupted, StopRequest, name_of
from symgen.simulate.results.records import Failure, Run
from symgen.simulate.stretches import Stretch

if TYPE_CHECKING:
    from symgen.simulate.contract import StoppableProgress
    from symgen.simulate.results.result import SimulationResult


class SimulationStopped(Interrupted):
    """A KeyboardInterrupt that holds what there is.

    Parameters
    ----------
    result : the rows up to there; None if the signal came while the step was still being chosen.
    """

    def __init__(self, number: int, result: SimulationResult | None) -> None:
        super().__init__(number)
        self.result = result


def listener(
    stop: StopRequest, progress: Callable[[float], None] | None, stretch: Stretch, until: float
) -> StoppableProgress:
    """Return what an engine tells how far it is in a stretch; `progress` is told of the whole, `stop` answers."""

    def report(part: float) -> bool:
        if progress is not None:
            progress((stretch.start + part * (stretch.end - stretch.start)) / until)
        return stop.asked

    return report


def cut_short(run: Run, stop: StopRequest, time: float, *, whole: bool) -> Run:
    """Return how a motion was integrated that a signal has stopped at a time [s], unless it is whole all the same."""
    if whole or stop.number is None:
        return run
    return replace(run, failure=Failure(time, None, f"{name_of(stop.number)} ended the run"))
