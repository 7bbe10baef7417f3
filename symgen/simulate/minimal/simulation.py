"""Simulation in minimal coordinates: from a mechanism to a result, all joints closed by the structural groups."""

from __future__ import annotations

import math

import numpy as np

from symgen.errors import SolveError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce
from symgen.poses import Array
from symgen.signals import StopRequest
from symgen.simulate.contract import EngineSamples, StoppableProgress
from symgen.simulate.diagnosis import law_without_value
from symgen.simulate.explicit.schemes import ExplicitScheme, choose_explicit
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.minimal.coordinates import MinimalCoordinates, choose_coordinates
from symgen.simulate.minimal.engine import MinimalSettings, MinimalState
from symgen.simulate.minimal.module import obtain_module
from symgen.simulate.minimal.numpy_branches import MOST_REGIONS
from symgen.simulate.minimal.open_engine import open_minimal
from symgen.simulate.minimal.tables import make_minimal_problem
from symgen.simulate.pieces import Ran, join_stretches, run_stretches, shared_progress
from symgen.simulate.request import Progress, Request
from symgen.simulate.results.records import Failure, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import result_of_states
from symgen.simulate.start.freedom_count import count_freedoms
from symgen.simulate.start.initial import InitialState
from symgen.simulate.start.started import first_values, started
from symgen.simulate.stopping import cut_short
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.status import Status

#: The error of a step that is allowed, as a part of the tolerance: errors of steps add up.
_SHARE = 0.01
#: Poses of the groups at the start and those of the file's assembly agree within this [m or 1].
_SAME = 1e-6
#: Times within a step that failed at which laws are looked at; the middle, where slopes are taken, is one.
_LOOKS = 9
#: A part of the usual step: a step that was made as short as this does not get shorter for the user either.
_TINY = 1e-3
#: Times this near, relative, are one.
_SAME_TIME = 1e-9
_ADVICE = "; method dimcd passes singular positions, or choose other coordinates"


def simulate_minimal(request: Request, progress: Progress | None, stop: StopRequest) -> SimulationResult:
    """Integrate in minimal coordinates; see `symgen.simulate.simulation.simulate`.

    Raises
    ------
    StructureError, UnsolvedTypeError, SolveError
        The mechanism is overconstrained, a group has no closed form, or its start is singular; the message says which
        group and what to use instead.
    """
    choose_explicit(request.order, request.tolerance)  # refused before anything is derived
    return MinimalSession(request).result(progress=progress, stop=stop)


class MinimalSession:
    """A mechanism with its coordinates and groups, ready to be integrated as often as one likes.

    Attributes
    ----------
    branch : of each group, where the last integration ended.
    """

    def __init__(self, request: Request) -> None:
        self.request, self.mechanism = request, request.mechanism
        self.started = started(self.mechanism, strict=request.strict)
        mobility = count_freedoms(self.mechanism, self.started.rows, self.started.state, request.guess)
        self.coordinates = choose_coordinates(self.mechanism, self.started.state, mobility, request.coordinates)
        manifest = read_dynamics()
        module = obtain_module(self.coordinates)
        self.minimal = make_minimal_problem(self.mechanism, manifest, self.coordinates, module, self.started.rows)
        self.engine = open_minimal(self.minimal, manifest, request.backend)
        self.branch = self.minimal.branch

    def result(
        self, request: Request | None = None, *, progress: Progress | None = None, stop: StopRequest | None = None
    ) -> SimulationResult:
        """Integrate and put the result together; another request may ask for other steps and times."""
        asked, stop = request or self.request, stop if stop is not None else StopRequest()
        scheme = choose_explicit(asked.order, asked.tolerance)
        progress, finding = shared_progress(progress, reactions=asked.reactions)
        stretches = plan_stretches(self.minimal.problem.pushes, asked.longest, asked.until, asked.spacing)
        forces = [(f.joint, f.freedom) for f in self.mechanism.forces if isinstance(f, JointForce)]
        state = MinimalState(
            start_vector(self.mechanism, self.started.state, self.coordinates),
            np.array(first_values(self.mechanism, forces)),
            np.array(self.minimal.branch, dtype=np.int32),
            asked.trial,
        )
        integrator = _Integrator(self, scheme, asked.tolerance, state)
        ran = run_stretches(integrator, stretches, until=asked.until, stop=stop, progress=progress)
        self.branch = tuple(map(int, state.branch))
        taken = asked.until / max(state.steps, 1) if asked.step is None else ran.longest_step
        run = self._run(scheme, taken, state, ran, asked.tolerance)
        run = cut_short(run, stop, state.time, whole=ran.whole)
        rows = self.started.rows if asked.reactions else None
        return join_stretches(self.mechanism, self.minimal.problem, ran.pieces, run, rows, finding)

    def check_start(self, samples: EngineSamples) -> None:
        """Refuse to go on from other poses than those of the initial state."""
        wanted, found = self.started.state.poses[list(self.minimal.problem.order)], samples.poses[0]
        sign = np.where(np.sum(wanted[:, 3:] * found[:, 3:], axis=1) < 0.0, -1.0, 1.0)
        gap = np.abs(wanted - np.concatenate([found[:, :3], found[:, 3:] * sign[:, None]], axis=1)).max(initial=0.0)
        if not gap <= _SAME:
            raise SolveError(
                f"{self.mechanism.file or self.mechanism.name}: at the start the groups are assembled differently "
                f"from the file ({gap:.3g} m or 1 apart); choose other coordinates, or use method dimcd",
                Status.BRANCH_LOST,
            )

    def _run(
        self,
        scheme: ExplicitScheme,
        step: float,
        state: MinimalState,
        ran: Ran,
        tolerance: float | None,
    ) -> Run:
        failure, (stretch, samples) = None, ran.pieces[-1]
        if samples.status != Status.OK:
            if state.crowded:
                reason = self._too_many_regions(state, step, tolerance)
            elif state.group and stretch.start > 0.0 and not len(samples.poses):
                reason = self._no_new_start(state, stretch.start)
            else:
                reason = self._explain(state, samples.status, step)
            failure = Failure(state.time, samples.status, reason)
        return Run(
            method="group",
            order=scheme.order,
            step=step,
            steps=state.steps,
            seconds=ran.seconds,
            processor=ran.processor,
            warnings=self.started.messages,
            failure=failure,
            coordinates=tuple(".".join(freedom) for freedom in self.coordinates.freedoms),
        )

    def _too_many_regions(self, state: MinimalState, step: float, tolerance: float | None) -> str:
        """Return why the way to the next place was too long for the engine, and what helps."""
        found = f"{self._group(state.group - 1)}: {MOST_REGIONS} regions free of other branches did not lead "
        if tolerance is None:
            found += f"across a step of {step:.3g} s: take a shorter one"
        elif state.step > _TINY * step:
            found += f"to the next place: take a smaller tolerance, or a --step shorter than {state.step:.3g} s"
        else:
            return f"{found}further, however short the steps: branches come together there{_ADVICE}"
        return f"{found}; if the run still ends there, branches come together{_ADVICE}"

    def _no_new_start(self, state: MinimalState, time: float) -> str:
        """Return why a stretch of steps could not begin where the one before it ended, and what helps."""
        timed = [force for force in self.mechanism.forces if isinstance(force, (AppliedForce, AppliedTorque))]
        ends = [(force.id, end) for force in timed for end in (force.start, force.until)]
        names = dict.fromkeys(name for name, end in ends if math.isclose(time, end, rel_tol=_SAME_TIME))
        what = f"{', '.join(names)} begins or ends" if names else "a sample falls beside the begin or end of a force"
        return (
            f"{self._group(state.group - 1)} is where branches meet just when {what}, so nothing determines which "
            f"branch continues: shift that time a little{_ADVICE}"
        )

    def _explain(self, state: MinimalState, status: Status, step: float) -> str:
        """Return why the integration stopped, and what helps."""
        law = self._law_without_value(state.time, step)
        if law is not None:
            return law
        if state.group and status == Status.AMBIGUOUS:
            return (
                f"{self._group(state.group - 1)} meets another branch, and neither is clearly the smooth motion: drive "
                f"through this position without stopping, or change a length a little{_ADVICE}"
            )
        if state.group and status == Status.BRANCH_LOST:
            return (
                f"symgen cannot follow the branch of {self._group(state.group - 1)} any further: it ends in a fold, "
                "where a drive or coordinate turns back, or it reaches a change point that this method cannot "
                f"pass{_ADVICE}"
            )
        if state.group:
            where = "reaches a singular position" if status == Status.SINGULAR else "could not be solved"
            return f"{self._group(state.group - 1)} {where}{_ADVICE}"
        if state.body >= 0:
            body = self.mechanism.bodies[self.minimal.problem.order[state.body]].id
            index = int(self.minimal.groups[state.body])
            group = self._group(index) if index >= 0 else "its group"
            if status == Status.BRANCH_LOST:
                return (
                    f"the velocity of {body} jumps where a drive or coordinate turns back: {group} was driven to a "
                    f"fold, or the step is too large{_ADVICE}"
                )
            return (
                f"steps became too small for the tolerance: {group} is near a singular position, or forces change too "
                f"fast{_ADVICE}"
            )
        if status == Status.SINGULAR:
            light = [body.id for body in self.mechanism.bodies if not body.mass or not any((body.inertia or ())[:3])]
            which = f" (without mass or inertia: {', '.join(light)})" if light else ""
            return f"the accelerations are not determined: a coordinate moves no mass{which}"
        return "steps became too small: forces change too fast, or the tolerance is below rounding"

    def _law_without_value(self, time: float, step: float) -> str | None:
        """Return what law has no finite value, rate or acceleration within the step that failed."""
        spans = (step * share for share in np.linspace(0.0, 1.0, _LOOKS))
        found = (law_without_value(self.mechanism, time, float(span)) for span in spans)
        return next((reason for reason in found if reason is not None), None)

    def _group(self, index: int) -> str:
        group = self.minimal.module.manifest.groups[index]
        return f"group {group.number} ({group.signature}: {', '.join(group.bodies)})"


class _Integrator:
    """The engine from a state on, with equal steps or a tolerance."""

    def __init__(
        self, session: MinimalSession, scheme: ExplicitScheme, tolerance: float | None, state: MinimalState
    ) -> None:
        self.session, self.scheme, self.state = session, scheme, state
        self.share = None if tolerance is None else _SHARE * tolerance

    def run(self, stretch: Stretch, progress: StoppableProgress) -> EngineSamples:
        """See `symgen.simulate.pieces.Integrator`."""
        settings = MinimalSettings(
            self.scheme,
            stretch.start,
            stretch.end,
            stretch.steps // stretch.every,
            stretch.every,
            self.share,
        )
        samples = self.session.engine.run(settings, self.state, stretch.active, progress)
        if stretch.start == 0.0 and len(samples.poses):
            self.session.check_start(samples)
        return samples


def start_vector(mechanism: Mechanism, start: InitialState, coordinates: MinimalCoordinates) -> Array:
    """Return coordinates and their rates (2 f,) of the initial state."""
    states = start.poses[None], start.twists[None], np.zeros((1, len(mechanism.bodies), 6))
    joints = result_of_states(mechanism, np.zeros(1), *states, run=Run("none", 0, 0.0, 0)).joints
    values = [joints[joint].coordinates[freedom][0] for joint, freedom in coordinates.freedoms]
    rates = [joints[joint].rates[freedom][0] for joint, freedom in coordinates.freedoms]
    found: Array = np.array([*values, *rates], dtype=np.float64)
    return found
