"""Simulation by central differences, or their variational form: unknowns are poses or the coordinates of a tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.poses import Array
from symgen.signals import StopRequest
from symgen.simulate.central.advice import Advice, advise, confirm
from symgen.simulate.central.engine import Settings
from symgen.simulate.central.open_engine import open_engine
from symgen.simulate.central.schemes import Scheme, choose_scheme, possible_schemes
from symgen.simulate.contract import EngineSamples, StoppableProgress
from symgen.simulate.diagnosis import explain
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.pieces import Piece, Ran, join_stretches, run_stretches, shared_progress
from symgen.simulate.request import Progress, Request
from symgen.simulate.results.records import Failure, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.start.freedom_count import count_freedoms
from symgen.simulate.start.started import start_state, started
from symgen.simulate.stopping import SimulationStopped, cut_short
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.simulate.tables.problem import make_problem
from symgen.simulate.tables.scale import in_metres
from symgen.status import Status


def simulate_central(request: Request, progress: Progress | None, stop: StopRequest) -> SimulationResult:
    """Integrate; see `symgen.simulate.simulation.simulate`."""
    session = CentralSession(request, stop)
    progress, finding = shared_progress(progress, reactions=request.reactions)
    if request.step is not None:
        scheme, step, words = (
            choose_scheme(request.mechanism, request.method or "dimcd", request.order),
            request.step,
            "",
        )
        ran = session.integrate(scheme, step, request.until, request.sample, progress)
    else:
        advice, ran = session.reach(progress)
        scheme, step = advice.scheme, advice.step
        words = f"{advice}, for a tolerance of {request.tolerance:g}"
    run = replace(session.describe(scheme, step, ran), advice=words)
    stretch, last = ran.pieces[-1]
    run = cut_short(run, stop, stretch.start + last.steps_done * stretch.step, whole=ran.whole)
    rows = session.started.rows if request.reactions else None
    return join_stretches(request.mechanism, session.problem, ran.pieces, run, rows, finding)


class _UnconfirmedError(Exception):
    """A signal came before a second run could tell how far off the first is; what there is of it."""

    def __init__(self, advice: Advice, ran: Ran) -> None:
        super().__init__()
        self.run = advice, ran


class CentralSession:
    """A mechanism ready to be integrated by central differences, as often as one likes.

    Parameters
    ----------
    stop : asks to stop; a run then ends early.
    """

    def __init__(self, request: Request, stop: StopRequest | None = None) -> None:
        self.request, self.stop = request, stop if stop is not None else StopRequest()
        mechanism = request.mechanism
        self.started = started(mechanism, strict=request.strict)
        manifest = read_dynamics()
        self.problem = make_problem(
            mechanism,
            manifest,
            request.structure,
            lambda: count_freedoms(mechanism, self.started.rows, self.started.state, request.guess),
            self.started.rows,
        )
        self.engine = open_engine(self.problem, manifest, request.backend)

    def reach(self, progress: Progress | None) -> tuple[Advice, Ran]:
        """Integrate so that the rows keep the tolerance; a method or order that is given is kept.

        Short runs choose scheme and step; the whole span is then run with the step and with half of it, finer until
        both agree, and the finer run is the result.
        """
        asked, until, tolerance = self.request, self.request.until, float(self.request.tolerance or 0.0)
        advice = advise(possible_schemes(asked.mechanism, asked.method, asked.order), tolerance, until, self._trial)
        between = asked.sample if asked.sample is not None else min(until, 2 * advice.step)

        def whole(step: float) -> Ran | None:
            ran = self.integrate(advice.scheme, step, until, between, progress)
            if self.stop.asked:
                raise _UnconfirmedError(Advice(advice.scheme, step, float("nan")), ran)
            return ran if ran.last.status == Status.OK else None

        try:
            return confirm(advice, tolerance, whole, lambda ran: _poses_of(ran.pieces))
        except _UnconfirmedError as early:
            return early.run

    def _trial(self, scheme: Scheme, step: float, until: float, sample: float) -> Array | None:
        ran = self.integrate(scheme, step, until, sample, None)
        if self.stop.number is not None:
            raise SimulationStopped(self.stop.number, None)
        return _poses_of(ran.pieces) if ran.last.status == Status.OK else None

    def integrate(
        self, scheme: Scheme, step: float, until: float, sample: float | None, progress: Progress | None
    ) -> Ran:
        """Run all stretches, or those up to a failure."""
        stretches = plan_stretches(self.problem.pushes, step, until, sample)
        return run_stretches(_Integrator(self, scheme), stretches, until=until, stop=self.stop, progress=progress)

    def describe(self, scheme: Scheme, step: float, ran: Ran) -> Run:
        """Return how the motion was integrated."""
        stretch, last = ran.pieces[-1]
        failure = None
        if last.status != Status.OK:
            time = stretch.start + last.steps_done * stretch.step
            failure = Failure(time, last.status, explain(self.request.mechanism, time, stretch.step, last))
        iterations = np.concatenate([piece.scalars[:, 3] for _, piece in ran.pieces])
        return Run(
            method=scheme.method,
            order=scheme.order,
            step=ran.longest_step if ran.pieces else step,
            steps=sum(piece.steps_done for _, piece in ran.pieces),
            iterations=iterations[np.isfinite(iterations)].astype(np.int32),
            seconds=ran.seconds,
            processor=ran.processor,
            warnings=self.started.messages,
            failure=failure,
        )


class _Integrator:
    """The engine from the start on, with equal steps."""

    def __init__(self, session: CentralSession, scheme: Scheme) -> None:
        self.session, self.scheme = session, scheme
        self.state = start_state(session.request.mechanism, session.problem, session.started.state)

    def run(self, stretch: Stretch, progress: StoppableProgress) -> EngineSamples:
        """See `symgen.simulate.pieces.Integrator`."""
        settings = Settings(
            stretch.start, stretch.step, stretch.steps, stretch.every, self.session.request.newton,
            fractions=self.scheme.fractions,
        )  # fmt: skip
        samples = self.session.engine.run(settings, self.state, stretch.active, progress)
        return in_metres(samples, self.session.problem.unit)


def _poses_of(pieces: list[Piece]) -> Array:
    found: Array = np.concatenate([piece.poses for _, piece in pieces])
    return found
