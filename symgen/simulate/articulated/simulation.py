"""Simulation by articulated inertias: from a mechanism to a result, loops closed by multipliers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from symgen.errors import InputError, SolveError
from symgen.model.mechanism import Mechanism
from symgen.signals import StopRequest
from symgen.simulate.articulated.accelerators import accelerator
from symgen.simulate.articulated.beam_result import add_beams
from symgen.simulate.articulated.beams import axial_advice, bend, has_beams
from symgen.simulate.articulated.engine import RiccatiEngine, RiccatiSettings, RiccatiState
from symgen.simulate.articulated.numpy_engine import NumpyRiccati
from symgen.simulate.articulated.numpy_motion import ArticulatedStopError, TreeMotions
from symgen.simulate.articulated.open_engine import open_riccati
from symgen.simulate.constants import constant
from symgen.simulate.contract import EngineSamples, StoppableProgress
from symgen.simulate.diagnosis import explain, law_without_value
from symgen.simulate.explicit.schemes import ExplicitScheme, choose_explicit, oscillation_limit
from symgen.simulate.finite_rows import finite_rows
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.pieces import Ran, join_stretches, run_stretches, shared_progress
from symgen.simulate.request import Progress, Request
from symgen.simulate.results.records import Failure, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.special.simulation import simulate_special, special_engine
from symgen.simulate.start.initial import InitialState
from symgen.simulate.start.started import Started, start_state, started
from symgen.simulate.stopping import cut_short
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.simulate.tables.problem import Problem, make_problem
from symgen.simulate.tables.scale import in_metres
from symgen.status import Status

Loops = Literal["projection", "stabilised", "free"]
LOOPS: tuple[Loops, ...] = ("projection", "stabilised", "free")
#: The error of a step that is allowed, as a part of the tolerance: errors of steps add up.
_SHARE = 0.01
#: Rate at which open loops are called back: over the step; and where steps are chosen [1/s].
_RECALL, _CHOSEN_RECALL = 0.2, 20.0
#: How far beside the start constraints are looked at [rad or units of length].
AWAY = 1e-4
#: Bodies up to which that is done: it is done in NumPy.
_MOST_LOOKED_AT = 300
#: Way of an unknown in a step [rad or units of length] that no motion goes.
_WILD = constant("WILD")


def simulate_riccati(request: Request, progress: Progress | None, stop: StopRequest) -> SimulationResult:
    """Integrate by transfer matrices; see `symgen.simulate.simulation.simulate`."""
    mechanism, method = request.mechanism, request.method or "riccati"
    if method == "transfer" and request.backend == "c":
        raise InputError("method transfer runs in NumPy only; leave the backend out, or use method riccati")
    choose_explicit(request.order, request.tolerance, method)  # refused before anything is compiled
    chosen = choose_loops(request.loops)
    if method == "transfer" and chosen == "stabilised":
        raise InputError(
            "loops stabilised: method transfer has no constraint rows to add the stabilisation to; use projection, or "
            "method riccati"
        )
    if has_beams(mechanism) and (method == "transfer" or request.reactions):
        what = "--reactions (reactions)" if request.reactions else "method transfer"
        raise InputError(
            f"{what} is for rigid bodies, but the mechanism has beams; leave it out: method riccati takes beams"
        )
    special = special_engine(mechanism, request.backend) if method == "riccati" and not has_beams(mechanism) else None
    if special is not None and (chosen == "projection" or not special.tree.loops):
        result = simulate_special(request, special, progress, stop)
        if result is not None:
            return result
    return RiccatiSession(request).result(progress=progress, stop=stop)


def choose_loops(loops: str | None) -> Loops:
    """Return what is done about loops that open.

    Raises
    ------
    InputError
        There is no such choice.
    """
    for each in LOOPS:
        if loops in (None, each):
            return each
    raise InputError(f"loops {loops!r}: use one of {', '.join(LOOPS)}")


class RiccatiSession:
    """A mechanism ready to be integrated by articulated inertias, as often as one likes."""

    def __init__(self, request: Request) -> None:
        self.request, self.method = request, request.method or "riccati"
        mechanism, manifest = request.mechanism, read_dynamics()
        self.bent = bend(mechanism, manifest) if has_beams(mechanism) else None
        self.started = started(self.bent.rigid if self.bent is not None else mechanism, strict=request.strict)
        if self.bent is not None:
            self.problem = self.bent.problem
            self.started = Started(self.bent.split, self.bent.start(self.started.state), self.bent.rows)
        else:  # freedoms are not asked for
            self.problem = make_problem(mechanism, manifest, "tree", lambda: 0, self.started.rows)
        self.mechanism = self.started.mechanism
        self.engine: RiccatiEngine
        if self.method == "riccati":
            self.engine = open_riccati(self.problem, manifest, request.backend)
        else:
            self.engine = NumpyRiccati(self.problem, manifest, accelerator(mechanism, self.problem, self.started.state))
        self._check_regular()

    def _check_regular(self) -> None:
        """Refuse to start where constraints of loops are independent nearby but not here: which way it goes is open.

        Raises
        ------
        SolveError
            Says what to use instead.
        """
        if not self.problem.sizes["ROWS"] or self.problem.sizes["BODIES"] > _MOST_LOOKED_AT:
            return
        find, vector = TreeMotions(self.problem, read_dynamics()), self.first_state(1.0).vector
        try:
            here, there = find.ranks_around(0.0, vector, AWAY)
        except ArticulatedStopError:
            return  # the engine says what is wrong
        if here < there:
            hint = "" if self.bent is None else axial_advice(each.beam for each in self.bent.beams)
            raise SolveError(
                f"{self.mechanism.file or self.mechanism.name}: the mechanism starts in a singular position "
                f"({there - here} of {there} constraints of loops depend on the others here): accelerations are not "
                f"determined; start a little beside it{self._else_dimcd(', or use method dimcd')}{hint}",
                Status.SINGULAR,
            )

    def _else_dimcd(self, words: str) -> str:
        """Return words about method dimcd, which takes rigid bodies only."""
        return "" if self.bent is not None else words

    def first_state(self, step: float) -> RiccatiState:
        """Return the state at the start; `step` is the first to try [s]."""
        return first_state(self.mechanism, self.problem, self.started.state, step)

    def result(
        self, request: Request | None = None, *, progress: Progress | None = None, stop: StopRequest | None = None
    ) -> SimulationResult:
        """Integrate and put the result together; another request may ask for other steps and times."""
        asked, stop = request or self.request, stop if stop is not None else StopRequest()
        scheme = choose_explicit(asked.order, asked.tolerance, self.method)
        progress, finding = shared_progress(progress, reactions=asked.reactions)
        stretches = plan_stretches(self.problem.pushes, asked.longest, asked.until, asked.spacing)
        state = self.first_state(asked.trial)
        warnings = self._step_warnings(scheme, asked.step)
        integrator = _Integrator(self, scheme, asked, state)
        ran = run_stretches(integrator, stretches, until=asked.until, stop=stop, progress=progress)
        taken = asked.until / max(state.steps, 1) if asked.step is None else ran.longest_step
        run = self._run(scheme, taken, state, ran, chosen=asked.step is None)
        run = replace(run, warnings=(*run.warnings, *warnings))
        run = cut_short(run, stop, state.time, whole=ran.whole)
        rows = self.started.rows if asked.reactions else None
        found = join_stretches(self.mechanism, self.problem, ran.pieces, run, rows, finding)
        return found if self.bent is None else add_beams(found, self.bent, ran.pieces)

    def _step_warnings(self, scheme: ExplicitScheme, step: float | None) -> list[str]:
        """Say where equal steps are too long for the highest mode of a beam."""
        if self.bent is None or step is None:
            return []
        try:
            highest = TreeMotions(self.problem, read_dynamics()).highest_frequency(self.first_state(1.0).vector)
        except ArticulatedStopError:
            return []  # the engine says what is wrong
        limit = oscillation_limit(scheme) / highest if highest > 0.0 else math.inf
        if step <= limit:
            return []
        return [
            f"the step of {step:.3g} s is too long for the highest mode of the beams, {highest / math.tau:.4g} Hz: "
            f"with order {scheme.order} this mode grows at steps above {limit:.3g} s; take a smaller step or a "
            "tolerance, fewer modes, or leave axial and torsion out"
        ]

    def _run(self, scheme: ExplicitScheme, step: float, state: RiccatiState, ran: Ran, *, chosen: bool) -> Run:
        failure, last = None, ran.last
        if last.status != Status.OK:
            grown = last.status == Status.SINGULAR and self._grew(state, step)
            status = Status.NOT_CONVERGED if grown else last.status
            failure = Failure(state.time, status, self._explain(state, last, step, chosen=chosen))
        return Run(
            method=self.method,
            order=scheme.order,
            step=step,
            steps=state.steps,
            seconds=ran.seconds,
            processor=ran.processor,
            warnings=self.started.messages,
            failure=failure,
        )

    def _grew(self, state: RiccatiState, step: float) -> bool:
        """Tell whether unknowns go farther in a step than those of any motion."""
        rates = state.vector[len(state.vector) - self.problem.sizes["UNKNOWNS"] :]
        return not step * float(np.abs(rates).max(initial=0.0)) <= _WILD

    def _explain(self, state: RiccatiState, last: EngineSamples, step: float, *, chosen: bool) -> str:
        """Return why the integration stopped, and what helps."""
        if state.reason:
            return state.reason
        law = law_without_value(self.mechanism, state.time, step)
        unstable = last.status == Status.NOT_CONVERGED and not state.opened
        unstable |= self._grew(state, step)
        if law is None and not chosen and unstable:
            return (
                "the motion grew without bound: the step is too large for the stiffness or damping of the forces, or "
                "for the speed; try a smaller step or a tolerance"
                + self._else_dimcd(", or method dimcd, which takes dampers implicitly")
            )
        if last.status == Status.SINGULAR and state.body >= 0:
            branch = self.problem.tree.branches[state.body]
            body = self.mechanism.bodies[branch.body].id
            joint = "its six freedoms" if branch.joint is None else f"joint {branch.joint.id}"
            return (
                f"zero articulated inertia: body {body}, with all that it carries, can move in {joint} without moving "
                "any mass; give it mass and inertia"
                + self._else_dimcd(", or use method dimcd, which needs mass only in each loop as a whole")
            )
        if last.status == Status.NOT_CONVERGED:
            if state.opened > 0.0:
                return (
                    "the loops opened by "
                    f"{state.opened * self.problem.unit:.2g} "
                    "m (or rad) and could not be "
                    "closed: the step is too "
                    "large, or branches of the "
                    "mechanism meet at this "
                    "position; try a smaller step" + self._else_dimcd(", or method dimcd, which passes such positions")
                )
            if law is None and chosen:
                singular = (
                    ", or the mechanism is near a singular position, which equal steps pass"
                    if self.problem.sizes["ROWS"]
                    else ""
                )
                return f"steps became too small: forces change too fast, the tolerance is below rounding{singular}"
        return explain(self.mechanism, state.time, step, last)


class _Integrator:
    """The engine from a state on, with equal steps or a tolerance."""

    def __init__(self, session: RiccatiSession, scheme: ExplicitScheme, asked: Request, state: RiccatiState) -> None:
        self.session, self.scheme, self.state = session, scheme, state
        self.tolerance, self.loops = asked.tolerance, choose_loops(asked.loops)

    def run(self, stretch: Stretch, progress: StoppableProgress) -> EngineSamples:
        """See `symgen.simulate.pieces.Integrator`."""
        recall = _CHOSEN_RECALL if self.tolerance else _RECALL / stretch.step
        settings = RiccatiSettings(
            self.scheme,
            stretch.start,
            stretch.end,
            stretch.steps // stretch.every,
            stretch.every,
            None if self.tolerance is None else _SHARE * self.tolerance,
            recall if self.loops == "stabilised" else 0.0,
            self.loops == "projection",
        )
        samples = self.session.engine.run(settings, self.state, stretch.active, progress)
        samples = samples if samples.status == Status.OK else finite_rows(samples)
        return in_metres(samples, self.session.problem.unit)


def first_state(mechanism: Mechanism, problem: Problem, start: InitialState, step: float) -> RiccatiState:
    """Return the engine's state of an initial state; `step` is the first to try [s]."""
    state, sizes = start_state(mechanism, problem, start), problem.sizes
    vector = np.concatenate([state.coordinates[:-1], state.rate[: sizes["UNKNOWNS"]]])
    rank = np.full(sizes["ROWS"], -1, dtype=np.int32)  # there are no more closings than rows
    return RiccatiState(vector, state.angle[:-1], state.watched[: sizes["WATCHED"]], rank, step)
