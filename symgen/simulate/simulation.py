"""A mechanism under forces over time: from its file to a result."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError, MechanismError
from symgen.model.face import MechanismOrPath, loaded
from symgen.model.mechanism import Mechanism
from symgen.model.parts import JointForce
from symgen.poses import Array
from symgen.signals import StopRequest
from symgen.simulate.energy_account import with_account
from symgen.simulate.energy_watch import watch_energy
from symgen.simulate.engine import Samples, Settings, State, open_engine
from symgen.simulate.freedom_count import count_freedoms
from symgen.simulate.idle_bodies import check_masses
from symgen.simulate.inertias import unlikely_inertias
from symgen.simulate.initial import InitialState, initial_state
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.magnitudes import check_magnitudes
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.mechanism_tables import Structure
from symgen.simulate.problem import Problem, make_problem
from symgen.simulate.records import Failure, JointReaction, Run
from symgen.simulate.result import SimulationResult
from symgen.simulate.scale import in_metres, scaled_motion, size_of_mechanism
from symgen.simulate.schemes import Scheme, choose_scheme, possible_schemes
from symgen.simulate.states import result_of_states
from symgen.simulate.stopping import SimulationStopped, cut_short, listener
from symgen.simulate.stretches import Stretch, check_times, plan_stretches
from symgen.simulate.thinning import rows_between, thinned
from symgen.simulate.tree_state import tree_coordinates, tree_rates
from symgen.solve.limit_notes import limit_notes
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.simulate.advice import Advice

NEWTON = 1e-10
Piece: TypeAlias = tuple[Stretch, Samples]
Spent: TypeAlias = tuple[float, float]
"""Seconds on the clock, and of processor time."""
BACKENDS = ("auto", "c", "numpy")
#: Steps that may be spent on the search for a step that keeps the energy, in C and where a step takes long.
_MOST_SEARCHED, _MOST_SEARCHED_SLOWLY = 20_000, 100


@one_blas_thread
def simulate(
    mechanism: MechanismOrPath,
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
    loops: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> SimulationResult:
    """Integrate the motion of a mechanism from its initial state at t = 0.

    Parameters
    ----------
    mechanism : joints with geometry, laws for every drive, mass and inertia for every moving body; or the path of its
        file.
    method : ``"dimcd"``: central differences, order 2, any forces; ``"variational"``: order 2, 4 or 6, forces that
        depend on positions and time only; ``"group"``: minimal coordinates through the structural groups, explicit,
        any forces, order 4 with equal steps or 8 with equal ones or a tolerance; groups in closed form only;
        ``"riccati"``: coordinates of a spanning tree, explicit as group, any forces, accelerations by the Riccati form
        of the transfer matrices, work that grows with the number of bodies; ``"transfer"``: the same with the overall
        transfer equation solved directly, in NumPy, for small systems to compare. By default dimcd, or with `tolerance`
        whatever of the first two is cheapest.
    step : largest time step [s]; stretches between events have steps that divide them.
    until : end of the motion [s].
    order : of the variational method, or of methods group, riccati, transfer.
    tolerance : in place of `step`: error [m or rad] at the end for which method, order and step are chosen.
    sample : time between rows of the result [s]; by default every step is one.
    structure : ``"tree"``: unknowns are the coordinates of a spanning tree; ``"dense"``: poses of all bodies. Both
        solve the same discrete equations.
    strict : refuse initial velocities that do not fit the joints, instead of projecting them.
    reactions : find force and moment of every joint too.
    newton : Newton's corrections below this end a step [sizes of the mechanism, or rad].
    backend : ``"c"``, ``"numpy"`` or ``"auto"`` (C where it can be compiled).
    coordinates : of method group: ``"joint.freedom"`` or ``"joint"`` of each; by default they are chosen.
    loops : of methods riccati and transfer: ``"projection"`` (default): closed after every step; ``"stabilised"``:
        called back as they open (Baumgarte); ``"free"``: left to open.
    progress : called now and then with the part done, 0 to 1.

    Returns
    -------
    SimulationResult
        ``.ok`` is False where the integration had to stop; the rows up to there are whole. Where the model keeps its
        energy and the motion does not, a warning says by how much, and which step would do.

    Raises
    ------
    MechanismError
        Geometry, laws or masses are lacking, or numbers are too large; the joints do not close; `strict` and the
        velocities do not fit.
    InputError
        A step or time that is no positive number, a method or order there is not.
    SimulationStopped
        Ctrl-C while it integrated: a KeyboardInterrupt whose ``result`` holds the rows up to there.

    Notes
    -----
    Source: G. Urkullu, I. Fernandez de Bustos, V. Garcia-Marina, H. Uriarte 2019, corrected as docs/dynamics.md says;
    variational form and compositions: docs/dynamics.md.
    """
    mechanism = loaded(mechanism, "simulate")
    if (step is None) == (tolerance is None):
        raise InputError("give either a step or a tolerance")
    for name, choice, choices in (("structure", structure, ("tree", "dense")), ("backend", backend, BACKENDS)):
        if choice not in choices:
            raise InputError(f"{name} {choice!r}: use one of {', '.join(choices)}")
    check_times(step=step, tolerance=tolerance, until=until, sample=sample)
    check_magnitudes(mechanism)
    most = _MOST_SEARCHED_SLOWLY if method == "transfer" or backend == "numpy" else _MOST_SEARCHED
    with StopRequest() as stop:

        def integrate(
            step: float | None, progress: Callable[[float], None] | None, sample: float | None, reactions: bool
        ) -> SimulationResult:
            found = _integrate(
                mechanism, method=method, step=step, until=until, order=order, tolerance=tolerance, sample=sample,
                structure=structure, strict=strict, reactions=reactions, newton=newton, backend=backend,
                coordinates=coordinates, loops=loops, progress=progress, stop=stop,
            )  # fmt: skip
            return with_account(found)

        # rows between those that are asked for, where they cost nothing that counts
        chosen = step is None and method in (None, "dimcd", "variational")
        parts = 1 if reactions or chosen else rows_between(mechanism, step, sample, until)
        finer = None if sample is None else sample / parts
        result = integrate(step, progress, finer, reactions)
        result = watch_energy(
            result, step, 0 if stop.asked else most, lambda shorter: integrate(shorter, None, finer, False)
        )
        if sample is not None and parts > 1:
            result = thinned(result, sample)
        notes = limit_notes(mechanism, result.times, result.joints)
        if notes:
            result = replace(result, run=replace(result.run, warnings=(*result.run.warnings, *notes)))
        if stop.number is not None:
            raise SimulationStopped(stop.number, result)
        return result


def _integrate(
    mechanism: Mechanism,
    *,
    method: str | None,
    step: float | None,
    until: float,
    order: int | None,
    tolerance: float | None,
    sample: float | None,
    structure: Structure,
    strict: bool,
    reactions: bool,
    newton: float,
    backend: str,
    coordinates: Sequence[str] | None,
    loops: str | None,
    progress: Callable[[float], None] | None,
    stop: StopRequest,
) -> SimulationResult:
    """Integrate by the method's own integrator; arguments as of `simulate`."""
    if loops is not None and method not in ("riccati", "transfer"):
        raise InputError("loops is an option of methods riccati and transfer; other methods keep every loop closed")
    if method == "group":
        from symgen.simulate.minimal.simulation import simulate_minimal

        return simulate_minimal(
            mechanism, step=step, tolerance=tolerance, until=until, order=order, sample=sample, strict=strict,
            reactions=reactions, backend=backend, coordinates=coordinates, progress=progress, stop=stop,
        )  # fmt: skip
    if method in ("riccati", "transfer"):
        from symgen.simulate.articulated.simulation import simulate_riccati

        if structure == "dense":
            raise InputError(
                f"structure dense: method {method} always uses the coordinates of a tree; leave structure out"
            )
        if coordinates is not None:
            raise InputError(f"coordinates can be chosen for method group only; method {method} uses those of a tree")
        return simulate_riccati(
            mechanism, method=method, step=step, tolerance=tolerance, until=until, order=order, sample=sample,
            strict=strict, reactions=reactions, backend=backend, loops=loops, progress=progress, stop=stop,
        )  # fmt: skip
    if coordinates is not None:
        raise InputError("coordinates can be chosen for method group only; use method group, or leave them out")
    session = Session(
        mechanism, structure=structure, strict=strict, backend=backend, newton=newton, guess=until / 1000,
        stop=stop,
    )  # fmt: skip
    progress, finding = shared_progress(progress, reactions=reactions)
    if step is not None:
        scheme = choose_scheme(mechanism, method or "dimcd", order)
        pieces, spent = session.integrate(scheme, step, until, sample, progress)
        words = ""
    else:
        advice, pieces, spent = session.reach(method, order, float(tolerance or 0.0), until, sample, progress)
        scheme, step, words = advice.scheme, advice.step, f"{advice}, for a tolerance of {tolerance:g}"
    run = replace(session.describe(scheme, step, pieces, spent), advice=words)
    stretch, last = pieces[-1]
    time, ended = stretch.start + last.steps_done * stretch.step, stretch.end >= until * (1 - 1e-12)
    run = cut_short(run, stop, time, whole=ended and last.status == Status.OK)
    return session.result(pieces, run, reactions=reactions, progress=finding)


class _UnconfirmedError(Exception):
    """A signal came before a second run could tell how far off the first is; what there is of it."""

    def __init__(self, advice: Advice, pieces: list[Piece], spent: Spent) -> None:
        super().__init__()
        self.run = advice, pieces, spent


class Session:
    """A mechanism ready to be integrated, as often as one likes.

    Parameters
    ----------
    guess : a time in which little happens [s]: how far the velocity is followed to tell singular from regular.
    stop : asks to stop; a run then ends early.
    """

    def __init__(
        self, mechanism: Mechanism, *, structure: Structure, strict: bool, backend: str, newton: float, guess: float,
        stop: StopRequest | None = None,
    ) -> None:  # fmt: skip
        require_masses(mechanism)
        self.mechanism, self.newton, self.stop = mechanism, newton, stop if stop is not None else StopRequest()
        self.start = initial_state(mechanism, strict=strict)
        self.rows = JointRows(mechanism, size_of_mechanism(mechanism))
        check_masses(mechanism, self.rows, self.start)
        manifest = read_dynamics()
        self.problem = make_problem(
            mechanism, manifest, structure, lambda: count_freedoms(mechanism, self.rows, self.start, guess), self.rows
        )
        self.engine = open_engine(self.problem, manifest, backend)

    def reach(
        self,
        method: str | None,
        order: int | None,
        tolerance: float,
        until: float,
        sample: float | None,
        progress: Callable[[float], None] | None,
    ) -> tuple[Advice, list[Piece], Spent]:
        """Integrate so that the rows keep a tolerance; a method or order that is given is kept.

        Short runs choose scheme and step; the whole span is then run with the step and with half of it, finer until
        both agree, and the finer run is the result.
        """
        from symgen.simulate.advice import Advice, advise, confirm

        schemes = possible_schemes(self.mechanism, method, order)
        advice = advise(schemes, tolerance, until, self._trial)
        between = sample if sample is not None else min(until, 2 * advice.step)

        def whole(step: float) -> tuple[list[Piece], Spent] | None:
            pieces, spent = self.integrate(advice.scheme, step, until, between, progress)
            if self.stop.asked:
                raise _UnconfirmedError(Advice(advice.scheme, step, float("nan")), pieces, spent)
            return (pieces, spent) if pieces[-1][1].status == Status.OK else None

        try:
            found = confirm(advice, tolerance, whole, lambda run: _poses_of(run[0]))
        except _UnconfirmedError as early:
            return early.run
        return found[0], found[1][0], found[1][1]

    def _trial(self, scheme: Scheme, step: float, until: float, sample: float) -> Array | None:
        pieces, _ = self.integrate(scheme, step, until, sample, None)
        if self.stop.number is not None:
            raise SimulationStopped(self.stop.number, None)
        return _poses_of(pieces) if pieces[-1][1].status == Status.OK else None

    def integrate(
        self, scheme: Scheme, step: float, until: float, sample: float | None, progress: Callable[[float], None] | None
    ) -> tuple[list[Piece], Spent]:
        """Run all stretches, or those up to a failure; return them and the time taken."""
        state = start_state(self.mechanism, self.problem, self.start)
        before = clock.perf_counter(), clock.process_time()
        pieces: list[Piece] = []
        self.stop.hold()
        for stretch in plan_stretches(self.problem.pushes, step, until, sample):
            settings = Settings(
                stretch.start, stretch.step, stretch.steps, stretch.every, self.newton, fractions=scheme.fractions
            )
            told = listener(self.stop, progress, stretch, until)
            samples = self.engine.run(settings, state, stretch.active, told)
            pieces.append((stretch, in_metres(samples, self.problem.unit)))
            if samples.status != Status.OK or self.stop.asked:
                break
        return pieces, (clock.perf_counter() - before[0], clock.process_time() - before[1])

    def describe(self, scheme: Scheme, step: float, pieces: list[Piece], spent: Spent) -> Run:
        """Return how the motion was integrated."""
        messages = (*self.start.messages, *unlikely_inertias(self.mechanism))
        return _describe(self.mechanism, scheme, step, pieces, spent, messages)

    def result(
        self, pieces: list[Piece], run: Run, *, reactions: bool, progress: Callable[[float], None] | None = None
    ) -> SimulationResult:
        """Put the result together."""
        return join_stretches(self.mechanism, self.problem, pieces, run, self.rows if reactions else None, progress)


def _poses_of(pieces: list[Piece]) -> Array:
    found: Array = np.concatenate([piece.poses for _, piece in pieces])
    return found


def require_masses(mechanism: Mechanism) -> None:
    """Refuse bodies without mass data, and flexible ones.

    Raises
    ------
    MechanismError
        Names body and field; a massless body says so with zeros.
    """
    mechanism.require_rigid("this simulation")
    for body in mechanism.bodies:
        lacking = [name for name in ("mass", "inertia") if getattr(body, name) is None]
        if lacking:
            raise MechanismError(
                f"{' and '.join(lacking)} missing: dynamics needs them for every moving body; give zeros for a body "
                "without mass",
                file=mechanism.file,
                field=f"bodies.{body.id}",
            )


def start_state(mechanism: Mechanism, problem: Problem, start: InitialState) -> State:
    """Return the engine's state of an initial state."""
    order = list(problem.order)
    poses, twists = (scaled_motion(each[order], problem.unit) for each in (start.poses, start.twists))
    forces = [(f.joint, f.freedom) for f in mechanism.forces if isinstance(f, JointForce)]
    angle, watched = (np.array([*first_values(mechanism, each), 0.0]) for each in (forces, problem.watched))
    if problem.structure == "dense":
        return State(poses.reshape(-1), twists.reshape(-1).copy(), twists, angle, watched)
    values, balls = tree_coordinates(problem, poses)
    _add_turns(problem, values, watched)
    place = np.concatenate([values, balls.reshape(-1), np.zeros(1)])
    return State(place, tree_rates(problem, poses, twists, values, balls), twists, angle, watched)


def _add_turns(problem: Problem, values: Array, watched: Array) -> None:
    """Add to the tree's angles the whole turns with which they start."""
    for k, (_, _, _, motion) in enumerate(problem.integers["WATCH"]):
        if motion >= 0:
            here = float(problem.numbers["MOTION_SIGN"][motion]) * values[motion]
            turns = np.round((watched[k] - here) / (2 * np.pi))
            values[motion] += problem.numbers["MOTION_SIGN"][motion] * 2 * np.pi * turns


def first_values(mechanism: Mechanism, freedoms: Sequence[tuple[str, str]]) -> list[float]:
    """Return near which value each freedom starts: what the drive says or the file gives, else zero."""
    given = {(each.joint, name): value for each in mechanism.initial.joints for name, value in each.coordinates.items()}
    driven = {key: float(law.evaluate(0.0)[0]) for key, law in mechanism.drives.items()}
    return [driven.get(freedom, given.get(freedom, 0.0)) for freedom in freedoms]


def _describe(
    mechanism: Mechanism,
    scheme: Scheme,
    step: float,
    pieces: list[Piece],
    spent: Spent,
    messages: tuple[str, ...],
) -> Run:
    stretch, last = pieces[-1]
    failure = None
    if last.status != Status.OK:
        from symgen.simulate.diagnosis import explain

        time = stretch.start + last.steps_done * stretch.step
        failure = Failure(time, last.status, explain(mechanism, time, stretch.step, last))
    iterations = np.concatenate([piece.scalars[:, 3] for _, piece in pieces])
    return Run(
        method=scheme.method,
        order=scheme.order,
        step=max(stretch.step for stretch, _ in pieces) if pieces else step,
        steps=sum(piece.steps_done for _, piece in pieces),
        iterations=iterations[np.isfinite(iterations)].astype(np.int32),
        seconds=spent[0],
        processor=spent[1],
        warnings=messages,
        failure=failure,
    )


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
        from symgen.simulate.joint_reactions import joint_reactions

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
