"""A mechanism under forces over time: from its file to a result."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence

import numpy as np

from symgen.errors import InputError, MechanismError
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.simulate.advice import Advice, advise
from symgen.simulate.diagnosis import explain
from symgen.simulate.engine import Samples, Settings, State, open_engine
from symgen.simulate.freedom_count import count_freedoms
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_reactions import joint_reactions
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.problem import Problem, Structure, make_problem
from symgen.simulate.result import Failure, Run, SimulationResult
from symgen.simulate.schemes import Scheme, choose_scheme, possible_schemes
from symgen.simulate.stretches import Stretch, plan_stretches
from symgen.simulate.tree_state import tree_coordinates, tree_rates
from symgen.status import Status

NEWTON = 1e-10


def simulate(
    mechanism: Mechanism,
    *,
    method: str | None = None,
    step: float | None = None,
    until: float,
    order: int | None = None,
    tolerance: float | None = None,
    sample: float | None = None,
    structure: Structure = "tree",
    strict: bool = False,
    reactions: bool = False,
    newton: float = NEWTON,
    backend: str = "auto",
    coordinates: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> SimulationResult:
    """Integrate the motion of a mechanism from its initial state at t = 0.

    Parameters
    ----------
    mechanism : joints with geometry, laws for every drive, mass and inertia for every moving body.
    method : ``"dimcd"``: central differences, order 2, any forces; ``"variational"``: order 2, 4 or 6, forces that
        depend on positions and time only; ``"group"``: minimal coordinates through the structural groups, explicit,
        any forces, order 4 with equal steps or 8 with equal ones or a tolerance; groups in closed form only. By default
        dimcd, or with `tolerance` whatever of the first two is cheapest.
    step : largest time step [s]; stretches between events have steps that divide them.
    until : end of the motion [s].
    order : of the variational method, or of method group.
    tolerance : in place of `step`: error [m or rad] at the end for which method, order and step are chosen.
    sample : time between rows of the result [s]; by default every step is one.
    structure : ``"tree"``: unknowns are the coordinates of a spanning tree; ``"dense"``: poses of all bodies. Both
        solve the same discrete equations.
    strict : refuse initial velocities that do not fit the joints, instead of projecting them.
    reactions : find force and moment of every joint too.
    newton : Newton's corrections below this end a step [m or rad].
    backend : ``"c"``, ``"numpy"`` or ``"auto"`` (C where it can be compiled).
    coordinates : of method group: ``"joint.freedom"`` or ``"joint"`` of each; by default they are chosen.
    progress : called now and then with the part done, 0 to 1.

    Returns
    -------
    SimulationResult
        ``.ok`` is False where the integration had to stop; the rows up to there are whole.

    Raises
    ------
    MechanismError
        Geometry, laws or masses are lacking; the joints do not close; `strict` and the velocities do not fit.
    InputError
        A step or time that is no positive number, a method or order there is not.

    Notes
    -----
    Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected as docs/dynamics.md says;
    variational form and compositions: docs/dynamics.md.
    """
    if (step is None) == (tolerance is None):
        raise InputError("give a step or a tolerance, one of them")
    if method == "group":
        from symgen.simulate.minimal.simulation import simulate_minimal

        return simulate_minimal(
            mechanism, step=step, tolerance=tolerance, until=until, order=order, sample=sample, strict=strict,
            reactions=reactions, backend=backend, coordinates=coordinates, progress=progress,
        )  # fmt: skip
    if coordinates is not None:
        raise InputError("coordinates are those of method group; say method group, or leave them out")
    session = Session(mechanism, structure=structure, strict=strict, backend=backend, newton=newton, guess=until / 1000)
    messages = session.start.messages
    if step is None or tolerance is not None:
        advice = session.advise(method, order, float(tolerance or 0.0), until)
        scheme, step = advice.scheme, advice.step
        messages = (*messages, f"chosen for tolerance {tolerance:g}: {advice}")
    else:
        scheme = choose_scheme(mechanism, method or "dimcd", order)
    return session.result(scheme, step, until, sample, messages, reactions=reactions, progress=progress)


class Session:
    """A mechanism ready to be integrated, as often as one likes.

    Parameters
    ----------
    guess : a time in which little happens [s]: how far the velocity is followed to tell singular from regular.
    """

    def __init__(
        self, mechanism: Mechanism, *, structure: Structure, strict: bool, backend: str, newton: float, guess: float
    ) -> None:
        require_masses(mechanism)
        self.mechanism, self.newton = mechanism, newton
        self.start = initial_state(mechanism, strict=strict)
        self.rows = JointRows(mechanism, 1.0)
        manifest = read_dynamics()
        self.problem = make_problem(
            mechanism, manifest, structure, lambda: count_freedoms(mechanism, self.rows, self.start, guess), self.rows
        )
        self.engine = open_engine(self.problem, manifest, backend)

    def advise(self, method: str | None, order: int | None, tolerance: float, until: float) -> Advice:
        """Return scheme and step for a tolerance; a method or order that is given is kept."""
        return advise(possible_schemes(self.mechanism, method, order), tolerance, until, self._trial)

    def _trial(self, scheme: Scheme, step: float, until: float, sample: float) -> Array | None:
        pieces = self._integrate(scheme, step, until, sample, None)
        if pieces[-1][1].status != Status.OK:
            return None
        found: Array = np.concatenate([piece.poses for _, piece in pieces])
        return found

    def _integrate(
        self, scheme: Scheme, step: float, until: float, sample: float | None, progress: Callable[[float], None] | None
    ) -> list[tuple[Stretch, Samples]]:
        """Run all stretches, or those up to a failure."""
        state = start_state(self.problem, self.start)
        pieces: list[tuple[Stretch, Samples]] = []
        for stretch in plan_stretches(self.problem.pushes, step, until, sample):
            settings = Settings(
                stretch.start, stretch.step, stretch.steps, stretch.every, self.newton, fractions=scheme.fractions
            )

            def told(steps: int, stretch: Stretch = stretch) -> None:
                if progress is not None:
                    progress((stretch.start + steps * stretch.step) / until)

            told_or_none = told if progress is not None else None
            pieces.append((stretch, self.engine.run(settings, state, stretch.active, told_or_none)))
            if pieces[-1][1].status != Status.OK:
                break
        return pieces

    def result(
        self,
        scheme: Scheme,
        step: float,
        until: float,
        sample: float | None,
        messages: tuple[str, ...],
        *,
        reactions: bool,
        progress: Callable[[float], None] | None,
    ) -> SimulationResult:
        """Integrate and put the result together."""
        before = clock.perf_counter()
        pieces = self._integrate(scheme, step, until, sample, progress)
        seconds = clock.perf_counter() - before
        run = _describe(self.mechanism, self.problem, scheme, step, pieces, seconds, messages)
        return join_stretches(self.mechanism, self.problem, pieces, run, self.rows if reactions else None)


def require_masses(mechanism: Mechanism) -> None:
    """Refuse bodies without mass data.

    Raises
    ------
    MechanismError
        Names body and field; a massless body says so with zeros.
    """
    for body in mechanism.bodies:
        lacking = [name for name in ("mass", "inertia") if getattr(body, name) is None]
        if lacking:
            raise MechanismError(
                f"{' and '.join(lacking)} missing: dynamics needs them for every moving body; give zeros for a body "
                "without mass",
                file=mechanism.file,
                field=f"bodies.{body.id}",
            )


def start_state(problem: Problem, start: InitialState) -> State:
    """Return the engine's state of an initial state."""
    order = list(problem.order)
    poses, twists = np.ascontiguousarray(start.poses[order]), np.ascontiguousarray(start.twists[order])
    angle = np.zeros(max(problem.sizes["JOINT_FORCES"], 1))
    if problem.structure == "dense":
        return State(poses.reshape(-1), twists.reshape(-1).copy(), twists, angle)
    values, balls = tree_coordinates(problem, poses)
    place = np.concatenate([values, balls.reshape(-1), np.zeros(1)])
    return State(place, tree_rates(problem, poses, twists, values, balls), twists, angle)


def _describe(
    mechanism: Mechanism,
    problem: Problem,
    scheme: Scheme,
    step: float,
    pieces: list[tuple[Stretch, Samples]],
    seconds: float,
    messages: tuple[str, ...],
) -> Run:
    stretch, last = pieces[-1]
    failure = None
    if last.status != Status.OK:
        time = stretch.start + last.steps_done * stretch.step
        failure = Failure(time, last.status, explain(mechanism, problem, time, last))
    iterations = np.concatenate([piece.scalars[:, 3] for _, piece in pieces])
    return Run(
        method=scheme.method,
        order=scheme.order,
        step=step,
        steps=sum(piece.steps_done for _, piece in pieces),
        iterations=iterations[np.isfinite(iterations)].astype(np.int32),
        seconds=seconds,
        warnings=messages,
        failure=failure,
    )


def join_stretches(
    mechanism: Mechanism, problem: Problem, pieces: list[tuple[Stretch, Samples]], run: Run, rows: JointRows | None
) -> SimulationResult:
    """Join the stretches; where two meet, the row of the later one counts."""
    back = np.argsort(problem.order)
    keep = [slice(0, None if k == len(pieces) - 1 else -1) for k in range(len(pieces))]

    def joined(name: str) -> Array:
        parts = [getattr(piece, name)[part] for (_, piece), part in zip(pieces, keep, strict=True)]
        found: Array = np.concatenate(parts)
        return found

    times = [
        (stretch.start + stretch.step * stretch.every * np.arange(len(piece.scalars)))[part]
        for (stretch, piece), part in zip(pieces, keep, strict=True)
    ]
    scalars, poses, resultants = joined("scalars"), joined("poses")[:, back], joined("reactions")[:, back]
    every = np.concatenate(times)
    return SimulationResult.from_states(
        mechanism,
        every,
        poses,
        joined("twists")[:, back],
        joined("accelerations")[:, back],
        run=run,
        violation=scalars[:, 2],
        resultants=resultants,
        reactions=None if rows is None else joint_reactions(mechanism, rows, every, poses, resultants),
    )
