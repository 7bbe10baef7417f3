"""Simulation by articulated inertias: from a mechanism to a result, loops closed by multipliers."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from symgen.errors import InputError, SolveError
from symgen.model.mechanism import Mechanism
from symgen.signals import StopRequest
from symgen.simulate.articulated.accelerators import accelerator
from symgen.simulate.articulated.beam_result import add_beams
from symgen.simulate.articulated.beams import axial_advice, bend, has_beams
from symgen.simulate.articulated.engine import RiccatiEngine, RiccatiSettings, RiccatiState, open_riccati
from symgen.simulate.articulated.numpy_engine import NumpyRiccati
from symgen.simulate.articulated.numpy_motion import StopError, TreeMotions
from symgen.simulate.articulated.special import simulate_special, special_engine
from symgen.simulate.diagnosis import explain, law_without_value
from symgen.simulate.engine import Samples
from symgen.simulate.finite_rows import finite_rows
from symgen.simulate.idle_bodies import check_masses
from symgen.simulate.inertias import unlikely_inertias
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.minimal.schemes import ExplicitScheme, choose_explicit, oscillation_limit
from symgen.simulate.problem import Problem, make_problem
from symgen.simulate.records import Failure, Run
from symgen.simulate.result import SimulationResult
from symgen.simulate.scale import in_metres, size_of_mechanism
from symgen.simulate.simulation import Spent, join_stretches, require_masses, shared_progress, start_state
from symgen.simulate.stopping import cut_short, listener
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.status import Status

Loops = Literal["projection", "stabilised", "free"]
LOOPS: tuple[Loops, ...] = ("projection", "stabilised", "free")
#: Rows of a result whose integrator chooses its steps, if no sample time is given.
ROWS = 1000
#: The error of a step that is allowed, as a part of the tolerance: errors of steps add up.
_SHARE = 0.01
#: Rate at which open loops are called back: over the step; and where steps are chosen [1/s].
_RECALL, _CHOSEN_RECALL = 0.2, 20.0
#: How far beside the start constraints are looked at [rad or units of length].
AWAY = 1e-4
#: Bodies up to which that is done: it is done in NumPy.
_MOST_LOOKED_AT = 300
#: Way of an unknown in a step [rad or units of length] that no motion goes.
_WILD = 1e2


def simulate_riccati(
    mechanism: Mechanism,
    *,
    method: str = "riccati",
    step: float | None,
    tolerance: float | None,
    until: float,
    order: int | None,
    sample: float | None,
    strict: bool,
    reactions: bool,
    backend: str,
    loops: str | None,
    progress: Callable[[float], None] | None,
    stop: StopRequest,
) -> SimulationResult:
    """Integrate by transfer matrices; see `symgen.simulate.simulation.simulate`."""
    if method == "transfer" and backend == "c":
        raise InputError("method transfer runs in NumPy only; leave the backend out, or use method riccati")
    scheme = choose_explicit(order, tolerance, method)
    chosen = choose_loops(loops)
    if method == "transfer" and chosen == "stabilised":
        raise InputError(
            "loops stabilised: method transfer has no constraint rows to add the stabilisation to; use projection, or "
            "method riccati"
        )
    if has_beams(mechanism) and (method == "transfer" or reactions):
        what = "--reactions (reactions)" if reactions else "method transfer"
        raise InputError(
            f"{what} is for rigid bodies, but the mechanism has beams; leave it out: method riccati takes beams"
        )
    special = special_engine(mechanism, backend) if method == "riccati" and not has_beams(mechanism) else None
    if special is not None and (chosen == "projection" or not special.tree.loops):
        result = simulate_special(
            mechanism, special, scheme, step, tolerance, until, sample, method=method, strict=strict,
            reactions=reactions, progress=progress, stop=stop,
        )  # fmt: skip
        if result is not None:
            return result
    session = RiccatiSession(mechanism, method=method, strict=strict, backend=backend)
    return session.result(
        scheme, step, tolerance, until, sample, loops=chosen, reactions=reactions, progress=progress, stop=stop
    )


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

    def __init__(self, mechanism: Mechanism, *, method: str = "riccati", strict: bool = False, backend: str = "auto"):
        manifest = read_dynamics()
        self.bent = bend(mechanism, manifest) if has_beams(mechanism) else None
        rigid = self.bent.rigid if self.bent is not None else mechanism
        require_masses(rigid)
        self.mechanism, self.method = mechanism, method
        self.start = initial_state(rigid, strict=strict)
        self.rows = JointRows(rigid, size_of_mechanism(rigid))
        check_masses(rigid, self.rows, self.start)
        if self.bent is not None:
            self.mechanism, self.problem, self.rows = self.bent.split, self.bent.problem, self.bent.rows
            self.start = self.bent.start(self.start)
        else:
            self.problem = make_problem(mechanism, manifest, "tree", lambda: 0, self.rows)  # freedoms are not asked for
        self.engine: RiccatiEngine
        if method == "riccati":
            self.engine = open_riccati(self.problem, manifest, backend)
        else:
            self.engine = NumpyRiccati(self.problem, manifest, accelerator(mechanism, self.problem, self.start))
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
        find, place = TreeMotions(self.problem, read_dynamics()), self.first_state(1.0).place
        try:
            here, there = find.ranks_around(0.0, place, AWAY)
        except StopError:
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
        return first_state(self.mechanism, self.problem, self.start, step)

    def result(
        self,
        scheme: ExplicitScheme,
        step: float | None,
        tolerance: float | None,
        until: float,
        sample: float | None,
        *,
        loops: Loops = "projection",
        reactions: bool = False,
        progress: Callable[[float], None] | None = None,
        stop: StopRequest | None = None,
    ) -> SimulationResult:
        """Integrate and put the result together."""
        stop = stop if stop is not None else StopRequest()
        progress, finding = shared_progress(progress, reactions=reactions)
        spacing = sample if sample is not None or step is not None else until / ROWS
        stretches = plan_stretches(self.problem.pushes, step or spacing or until, until, spacing)
        state = self.first_state(until / ROWS)
        warnings = self._step_warnings(scheme, step)
        pieces: list[tuple[Stretch, Samples]] = []
        before = clock.perf_counter(), clock.process_time()
        stop.hold()
        for stretch in stretches:
            recall = 0.0 if loops != "stabilised" else _CHOSEN_RECALL if tolerance else _RECALL / stretch.step
            settings = RiccatiSettings(
                scheme,
                stretch.start,
                stretch.end,
                stretch.steps // stretch.every,
                stretch.every,
                None if tolerance is None else _SHARE * tolerance,
                recall,
                loops == "projection",
            )
            told = listener(stop, progress, stretch, until)
            samples = self.engine.run(settings, state, stretch.active, told)
            samples = samples if samples.status == Status.OK else finite_rows(samples)
            pieces.append((stretch, in_metres(samples, self.problem.unit)))
            if samples.status != Status.OK or stop.asked:
                break
        spent = clock.perf_counter() - before[0], clock.process_time() - before[1]
        taken = until / max(state.steps, 1) if step is None else max(stretch.step for stretch, _ in pieces)
        run = self._run(scheme, taken, state, pieces[-1][1], spent, chosen=step is None)
        run = replace(run, warnings=(*run.warnings, *warnings))
        run = cut_short(run, stop, state.time, whole=len(pieces) == len(stretches) and samples.status == Status.OK)
        found = join_stretches(self.mechanism, self.problem, pieces, run, self.rows if reactions else None, finding)
        return found if self.bent is None else add_beams(found, self.bent, pieces)

    def _step_warnings(self, scheme: ExplicitScheme, step: float | None) -> list[str]:
        """Say where equal steps are too long for the highest mode of a beam."""
        if self.bent is None or step is None:
            return []
        try:
            highest = TreeMotions(self.problem, read_dynamics()).highest_frequency(self.first_state(1.0).place)
        except StopError:
            return []  # the engine says what is wrong
        limit = oscillation_limit(scheme) / highest if highest > 0.0 else math.inf
        if step <= limit:
            return []
        return [
            f"the step of {step:.3g} s is too long for the highest mode of the beams, {highest / math.tau:.4g} Hz: "
            f"with order {scheme.order} this mode grows at steps above {limit:.3g} s; take a smaller step or a "
            "tolerance, fewer modes, or leave axial and torsion out"
        ]

    def _run(
        self, scheme: ExplicitScheme, step: float, state: RiccatiState, last: Samples, spent: Spent, *, chosen: bool
    ) -> Run:
        failure = None
        if last.status != Status.OK:
            grown = last.status == Status.SINGULAR and self._grew(state, step)
            status = Status.NOT_CONVERGED if grown else last.status
            failure = Failure(state.time, status, self._explain(state, last, step, chosen=chosen))
        return Run(
            method=self.method,
            order=scheme.order,
            step=step,
            steps=state.steps,
            seconds=spent[0],
            processor=spent[1],
            warnings=(*self.start.messages, *unlikely_inertias(self.mechanism)),
            failure=failure,
        )

    def _grew(self, state: RiccatiState, step: float) -> bool:
        """Tell whether unknowns go farther in a step than those of any motion."""
        rates = state.place[len(state.place) - self.problem.sizes["UNKNOWNS"] :]
        return not step * float(np.abs(rates).max(initial=0.0)) <= _WILD

    def _explain(self, state: RiccatiState, last: Samples, step: float, *, chosen: bool) -> str:
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


def first_state(mechanism: Mechanism, problem: Problem, start: InitialState, step: float) -> RiccatiState:
    """Return the engine's state of an initial state; `step` is the first to try [s]."""
    state, sizes = start_state(mechanism, problem, start), problem.sizes
    place = np.concatenate([state.place[:-1], state.rate[: sizes["UNKNOWNS"]]])
    rank = np.full(sizes["ROWS"], -1, dtype=np.int32)  # there are no more closings than rows
    return RiccatiState(place, state.angle[:-1], state.watched[: sizes["WATCHED"]], rank, step)
