"""Simulation in minimal coordinates: from a mechanism to a result, all joints closed by the structural groups."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence

import numpy as np

from symgen.errors import SolveError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce
from symgen.poses import Array
from symgen.signals import StopRequest
from symgen.simulate.diagnosis import law_without_value
from symgen.simulate.engine import Samples
from symgen.simulate.freedom_count import count_freedoms
from symgen.simulate.idle_bodies import check_masses
from symgen.simulate.inertias import unlikely_inertias
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.minimal.coordinates import Coordinates, choose_coordinates
from symgen.simulate.minimal.engine import MinimalSettings, MinimalState, open_minimal
from symgen.simulate.minimal.module import obtain_module
from symgen.simulate.minimal.numpy_branches import MOST_REGIONS
from symgen.simulate.minimal.schemes import ExplicitScheme, choose_explicit
from symgen.simulate.minimal.tables import make_minimal_problem
from symgen.simulate.records import Failure, Run
from symgen.simulate.result import SimulationResult
from symgen.simulate.scale import size_of_mechanism
from symgen.simulate.simulation import Spent, first_values, join_stretches, require_masses, shared_progress
from symgen.simulate.states import result_of_states
from symgen.simulate.stopping import cut_short, listener
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.status import Status

#: Rows of a result whose integrator chooses its steps, if no sample time is given.
ROWS = 1000
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


def simulate_minimal(
    mechanism: Mechanism,
    *,
    step: float | None,
    tolerance: float | None,
    until: float,
    order: int | None,
    sample: float | None,
    strict: bool,
    reactions: bool,
    backend: str,
    coordinates: Sequence[str] | None,
    progress: Callable[[float], None] | None,
    stop: StopRequest,
) -> SimulationResult:
    """Integrate in minimal coordinates; see `symgen.simulate.simulation.simulate`.

    Raises
    ------
    StructureError, UnsolvedTypeError, SolveError
        The mechanism is overconstrained, a group has no closed form, or its start is singular; the message says which
        group and what to use instead.
    """
    scheme = choose_explicit(order, tolerance)
    require_masses(mechanism)
    session = MinimalSession(mechanism, strict=strict, backend=backend, guess=until / 1000, coordinates=coordinates)
    return session.result(scheme, step, tolerance, until, sample, reactions=reactions, progress=progress, stop=stop)


class MinimalSession:
    """A mechanism with its coordinates and groups, ready to be integrated as often as one likes.

    Parameters
    ----------
    guess : a time in which little happens [s]: how far the velocity is followed to tell singular from regular.
    coordinates : ``"joint.freedom"`` of each; None to have them chosen.

    Attributes
    ----------
    branch : of each group, where the last integration ended.
    """

    def __init__(
        self, mechanism: Mechanism, *, strict: bool, backend: str, guess: float, coordinates: Sequence[str] | None
    ) -> None:
        self.mechanism = mechanism
        self.start = initial_state(mechanism, strict=strict)
        self.rows = JointRows(mechanism, size_of_mechanism(mechanism))
        check_masses(mechanism, self.rows, self.start)
        mobility = count_freedoms(mechanism, self.rows, self.start, guess)
        self.coordinates = choose_coordinates(mechanism, self.start, mobility, coordinates)
        manifest = read_dynamics()
        module = obtain_module(self.coordinates)
        self.minimal = make_minimal_problem(mechanism, manifest, self.coordinates, module, self.rows)
        self.engine = open_minimal(self.minimal, manifest, backend)
        self.branch = self.minimal.branch

    def result(
        self,
        scheme: ExplicitScheme,
        step: float | None,
        tolerance: float | None,
        until: float,
        sample: float | None,
        *,
        reactions: bool = False,
        progress: Callable[[float], None] | None = None,
        stop: StopRequest | None = None,
    ) -> SimulationResult:
        """Integrate and put the result together."""
        stop = stop if stop is not None else StopRequest()
        progress, finding = shared_progress(progress, reactions=reactions)
        spacing = sample if sample is not None or step is not None else until / ROWS
        stretches = plan_stretches(self.minimal.problem.pushes, step or spacing or until, until, spacing)
        forces = [(f.joint, f.freedom) for f in self.mechanism.forces if isinstance(f, JointForce)]
        state = MinimalState(
            start_place(self.mechanism, self.start, self.coordinates),
            np.array(first_values(self.mechanism, forces)),
            np.array(self.minimal.branch, dtype=np.int32),
            until / ROWS,
        )
        pieces: list[tuple[Stretch, Samples]] = []
        before = clock.perf_counter(), clock.process_time()
        stop.hold()
        for stretch in stretches:
            settings = MinimalSettings(
                scheme,
                stretch.start,
                stretch.end,
                stretch.steps // stretch.every,
                stretch.every,
                None if tolerance is None else _SHARE * tolerance,
            )
            told = listener(stop, progress, stretch, until)
            samples = self.engine.run(settings, state, stretch.active, told)
            pieces.append((stretch, samples))
            if not pieces[1:] and len(samples.poses):
                self._check_start(samples)
            if samples.status != Status.OK or stop.asked:
                break
        spent = clock.perf_counter() - before[0], clock.process_time() - before[1]
        self.branch = tuple(map(int, state.branch))
        taken = until / max(state.steps, 1) if step is None else max(stretch.step for stretch, _ in pieces)
        run = self._run(scheme, taken, state, pieces[-1], tolerance, spent)
        run = cut_short(run, stop, state.time, whole=len(pieces) == len(stretches) and samples.status == Status.OK)
        rows = self.rows if reactions else None
        return join_stretches(self.mechanism, self.minimal.problem, pieces, run, rows, finding)

    def _check_start(self, samples: Samples) -> None:
        """Refuse to go on from other poses than those of the initial state."""
        wanted, found = self.start.poses[list(self.minimal.problem.order)], samples.poses[0]
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
        last: tuple[Stretch, Samples],
        tolerance: float | None,
        spent: Spent,
    ) -> Run:
        failure, (stretch, samples) = None, last
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
            seconds=spent[0],
            processor=spent[1],
            warnings=(*self.start.messages, *unlikely_inertias(self.mechanism)),
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
            place = int(self.minimal.groups[state.body])
            group = self._group(place) if place >= 0 else "its group"
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

    def _group(self, place: int) -> str:
        group = self.minimal.module.manifest.groups[place]
        return f"group {group.number} ({group.signature}: {', '.join(group.bodies)})"


def start_place(mechanism: Mechanism, start: InitialState, coordinates: Coordinates) -> Array:
    """Return coordinates and their rates (2 f,) of the initial state."""
    states = start.poses[None], start.twists[None], np.zeros((1, len(mechanism.bodies), 6))
    joints = result_of_states(mechanism, np.zeros(1), *states, run=Run("none", 0, 0.0, 0)).joints
    values = [joints[joint].coordinates[freedom][0] for joint, freedom in coordinates.freedoms]
    rates = [joints[joint].rates[freedom][0] for joint, freedom in coordinates.freedoms]
    found: Array = np.array([*values, *rates], dtype=np.float64)
    return found
