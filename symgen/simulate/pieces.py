"""One loop over the stretches of a run, above any integrator, and its pieces joined to a result."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.signals import StopRequest
from symgen.simulate.contract import EngineSamples, StoppableProgress
from symgen.simulate.request import Progress
from symgen.simulate.results.joint_reactions import joint_reactions
from symgen.simulate.results.records import JointReaction, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import result_of_states
from symgen.simulate.stopping import listener
from symgen.simulate.stretches import Stretch
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.problem import Problem
from symgen.status import Status

Piece: TypeAlias = tuple[Stretch, EngineSamples]


class Integrator(Protocol):
    """What takes the steps of a stretch, and keeps the state from one stretch to the next."""

    def run(self, stretch: Stretch, progress: StoppableProgress) -> EngineSamples:
        """Return the rows of a stretch, in metres; `progress` is asked now and then whether to stop."""


@dataclass(frozen=True)
class Ran:
    """Stretches that were run.

    Parameters
    ----------
    pieces : each stretch with its rows; the last one may have ended early.
    whole : the last stretch was reached, and its last step taken.
    seconds, processor : that it took, on the clock and of the processor [s].
    """

    pieces: list[Piece]
    whole: bool
    seconds: float
    processor: float

    @property
    def last(self) -> EngineSamples:
        """The rows of the last stretch."""
        return self.pieces[-1][1]

    @property
    def longest_step(self) -> float:
        """The longest of the equal steps [s]."""
        return max(stretch.step for stretch, _ in self.pieces)


def run_stretches(
    integrator: Integrator, stretches: Sequence[Stretch], *, until: float, stop: StopRequest, progress: Progress | None
) -> Ran:
    """Run all stretches, or those up to a failure or a request to stop."""
    before = clock.perf_counter(), clock.process_time()
    pieces: list[Piece] = []
    stop.hold()
    for stretch in stretches:
        samples = integrator.run(stretch, listener(stop, progress, stretch, until))
        pieces.append((stretch, samples))
        if samples.status != Status.OK or stop.asked:
            break
    whole = len(pieces) == len(stretches) and pieces[-1][1].status == Status.OK
    return Ran(pieces, whole, clock.perf_counter() - before[0], clock.process_time() - before[1])


def joined_rows(pieces: list[Piece], name: str) -> Array:
    """Return an array of the samples over all stretches; where two meet, the row of the later one counts."""
    found: Array = np.concatenate([getattr(p, name)[part] for (_, p), part in zip(pieces, _kept(pieces), strict=True)])
    return found


def _kept(pieces: list[Piece]) -> list[slice]:
    counts = [len(piece.scalars) for _, piece in pieces]
    return [slice(0, -1 if any(counts[k + 1 : k + 2]) else None) for k in range(len(pieces))]


def shared_progress(
    progress: Callable[[float], None] | None, *, reactions: bool
) -> tuple[Callable[[float], None] | None, Callable[[float], None] | None]:
    """Return who is told of the integration and who of the reactions behind it: half of the way each."""
    if progress is None or not reactions:
        return progress, None
    return lambda part: progress(0.5 * part), lambda part: progress(0.5 + 0.5 * part)


def join_stretches(
    mechanism: Mechanism,
    problem: Problem,
    pieces: list[Piece],
    run: Run,
    rows: JointRows | None,
    progress: Callable[[float], None] | None = None,
) -> SimulationResult:
    """Join the stretches; where two meet, the row of the later one counts.

    Parameters
    ----------
    rows : of the joints whose reactions are found, or None.
    progress : is told the part of them that is found.
    """
    back = np.argsort(problem.order)

    def joined(name: str) -> Array:
        return joined_rows(pieces, name)

    times = [
        (stretch.start + stretch.step * stretch.every * np.arange(len(piece.scalars)))[part]
        for (stretch, piece), part in zip(pieces, _kept(pieces), strict=True)
    ]
    scalars, angles = joined("scalars"), joined("angles")
    poses, resultants = joined("poses")[:, back], joined("reactions")[:, back]
    every = np.concatenate(times)
    found: Mapping[str, JointReaction] | None = None
    if rows is not None:
        before = clock.perf_counter()
        found = joint_reactions(mechanism, rows, every, poses, resultants, progress)
        run = replace(run, reactions_seconds=clock.perf_counter() - before)
    return result_of_states(
        mechanism,
        every,
        poses,
        joined("twists")[:, back],
        joined("accelerations")[:, back],
        run=run,
        violation=scalars[:, 2],
        angles={freedom: angles[:, k] for k, freedom in enumerate(problem.watched)},
        resultants=resultants,
        reactions=found,
    )
