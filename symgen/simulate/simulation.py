"""A mechanism under forces over time: from its file to a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symgen.blas_threads import one_blas_thread
from symgen.model.face import MechanismOrPath, loaded
from symgen.signals import StopRequest
from symgen.simulate.request import BY_TRANSFER, NEWTON, Progress, Request
from symgen.simulate.results.energy_account import with_account
from symgen.simulate.results.energy_watch import watch_energy
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.thinning import rows_between, thinned
from symgen.simulate.stopping import SimulationStopped
from symgen.simulate.tables.mechanism_tables import Structure
from symgen.solve.limit_notes import limit_notes

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
    asked = Request(
        loaded(mechanism, "simulate"), until, step, tolerance, method, order, sample, structure, strict, reactions,
        newton, backend, coordinates, loops,
    )  # fmt: skip
    with StopRequest() as stop:
        # rows between those that are asked for, where they cost nothing that counts
        chosen = step is None and method in (None, "dimcd", "variational")
        parts = 1 if reactions or chosen else rows_between(asked.mechanism, step, sample, until)
        finer = asked if sample is None else replace(asked, sample=sample / parts)
        result = _integrated(finer, progress, stop)
        most = _MOST_SEARCHED_SLOWLY if method == "transfer" or backend == "numpy" else _MOST_SEARCHED
        unmoved = replace(finer, reactions=False)
        result = watch_energy(
            result, step, 0 if stop.asked else most, lambda step: _integrated(replace(unmoved, step=step), None, stop)
        )
        if sample is not None and parts > 1:
            result = thinned(result, sample)
        notes = limit_notes(asked.mechanism, result.times, result.joints)
        if notes:
            result = replace(result, run=replace(result.run, warnings=(*result.run.warnings, *notes)))
        if stop.number is not None:
            raise SimulationStopped(stop.number, result)
        return result


def _integrated(asked: Request, progress: Progress | None, stop: StopRequest) -> SimulationResult:
    """Integrate by the method's own integrator, which is imported now, and account for the energy."""
    if asked.method == "group":
        from symgen.simulate.minimal.simulation import simulate_minimal as simulate_by
    elif asked.method in BY_TRANSFER:
        from symgen.simulate.articulated.simulation import simulate_riccati as simulate_by
    else:
        from symgen.simulate.central.simulation import simulate_central as simulate_by
    return with_account(simulate_by(asked, progress, stop))
