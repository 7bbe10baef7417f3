"""`symgen.accelerations`: accelerations and joint forces in the initial state, by one of four methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np

from symgen.beams.twin import straight_twin
from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError
from symgen.model.face import MechanismOrPath, loaded
from symgen.model.named import Named
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.simulate.articulated.beams import axial_advice
from symgen.simulate.results.records import unique_components
from symgen.simulate.start.initial import initial_state
from symgen.simulate.start.started import require_masses
from symgen.simulate.tables.inertias import unlikely_inertias
from symgen.simulate.tables.scale import unit_of_length
from symgen.status import Status
from symgen.transfer.acceleration_result import AccelerationResult, BodyAcceleration, JointLoad
from symgen.transfer.elements import elsewhere
from symgen.transfer.residual import residual
from symgen.transfer.singular import is_singular, is_singular_with_beams
from symgen.transfer.snapshot import Snapshot, joint_motions
from symgen.transfer.solution import Solution
from symgen.transfer.start import take_snapshot
from symgen.transfer.system.system import TransferSystem, deduce, deduce_others
from symgen.transfer.system.tree_choice import check_connected
from symgen.transfer.zero_inertia import ZeroInertiaError

_BEAM_NOTE = (
    "beams are straight, their modes are at rest, and one end does not feel the other at once. Joint forces and "
    "accelerations at the ends of beams are therefore those of this number of modes, not limits"
)
METHODS = ("riccati", "transfer", "multiplier", "dca")
#: A misfit above this is no rounding: the joints contradict each other.
_CONTRADICTS = 1e-6
#: Trees that are tried where the best one meets a freedom without inertia.
_MOST_TREES = 16


@one_blas_thread
def accelerations(
    mechanism: MechanismOrPath,
    method: str = "riccati",
    *,
    root: str | None = None,
    cuts: Sequence[str] = (),
    strict: bool = False,
) -> AccelerationResult:
    """Return accelerations and joint forces in the initial state, at t = 0.

    Parameters
    ----------
    mechanism : joints with geometry, laws for every drive, mass and inertia for every moving body; or a flexible beam,
        straight and its modes at rest. Or the path of its file.
    method : ``"riccati"``: one pass over the bodies to the roots and one back, any pairs, loops, redundant constraints;
        ``"transfer"``: the overall transfer equation, short systems with hinges of equal freedoms; ``"multiplier"``:
        Newton-Euler equations with multipliers, all at once; ``"dca"``: divide and conquer, chains and trees of bodies
        that have mass and inertia.
    root : joint to the ground from which the tree grows alone; by default all grow trees (transfer: one is chosen).
    cuts : the joints that close the loops; by default chosen.
    strict : refuse given velocities that do not fit the joints, instead of projecting them.

    Returns
    -------
    AccelerationResult
        ``.ok`` is False in a singular position, and where laws contradict each other so that no accelerations fit.

    Raises
    ------
    MechanismError
        Geometry, laws or masses are lacking; the joints do not close; bodies without a way to the ground, cuts that
        leave no tree; a freedom that moves no mass; a joint of a beam that is at neither end, a load on a beam.
    InputError
        A method there is not, or root and cuts for one that needs none.

    Notes
    -----
    Source: X. Rui et al. 2018 (transfer equations); docs/transfer-matrices.md (Riccati form with loops, conventions).
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}: use one of {', '.join(METHODS)}")
    if method == "multiplier" and (root is not None or cuts):
        raise InputError(
            "method multiplier takes all joints at once; root and cuts belong to methods riccati and transfer"
        )
    flexible = loaded(mechanism, "accelerations")
    mechanism, beams = straight_twin(flexible)
    if beams and method == "dca":
        raise InputError(
            "method dca takes rigid bodies only, but the mechanism has beams: use method riccati or multiplier"
        )
    require_masses(mechanism)
    mechanism.require_frames()
    check_connected(mechanism)
    system = (
        deduce(flexible, root=root, cuts=cuts, single_root=method == "transfer") if method != "multiplier" else None
    )
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are refused by name
        start = initial_state(mechanism, strict=strict)
        snapshot = replace(take_snapshot(mechanism, start), beams=beams)
    system, solution = _solve(snapshot, method, system, chosen=root is not None or bool(cuts))
    solution = replace(solution, messages=(*start.messages, *unlikely_inertias(mechanism), *solution.messages))
    singular = solution.rank < solution.rows and (
        is_singular_with_beams(flexible, start) if beams else is_singular(mechanism, start)
    )
    result = _result(snapshot, method, system, solution, singular=singular)
    return replace(result, notes=(_BEAM_NOTE,)) if beams else result


def _solve(
    snapshot: Snapshot, method: str, system: TransferSystem | None, *, chosen: bool
) -> tuple[TransferSystem | None, Solution]:
    """Return the solution with the system that it was found with; `chosen` by the user."""
    unit = unit_of_length(snapshot.mechanism)
    if system is None:
        from symgen.transfer.multipliers.method import solve_multiplier

        return None, solve_multiplier(snapshot, unit)
    if method == "dca":
        from symgen.transfer.assemblies.method import solve_divide_and_conquer

        return system, solve_divide_and_conquer(snapshot, system, unit)
    if method == "riccati":
        return _solve_riccati(snapshot, system, unit, chosen=chosen)
    from symgen.transfer.overall.direct import solve_direct

    return system, solve_direct(snapshot, system)


def _solve_riccati(
    snapshot: Snapshot, system: TransferSystem, unit: float, *, chosen: bool
) -> tuple[TransferSystem, Solution]:
    """Solve; where a freedom of the tree moves no mass, which a loop holds, with other trees."""
    from symgen.transfer.riccati.recursion import solve_riccati

    try:
        return system, solve_riccati(snapshot, system, unit)
    except ZeroInertiaError:
        if chosen:
            raise
        for other in islice(deduce_others(system.mechanism), _MOST_TREES):
            with suppress(ZeroInertiaError):
                return other, solve_riccati(snapshot, other, unit)
        raise


def _result(
    snapshot: Snapshot, method: str, system: TransferSystem | None, solution: Solution, *, singular: bool
) -> AccelerationResult:
    mechanism, misfit = snapshot.mechanism, residual(snapshot, solution)
    fits = misfit < _CONTRADICTS
    warnings = solution.messages
    if singular:
        finds = (
            axial_advice(snapshot.beams.values())
            if snapshot.beams
            else "; a simulation finds the true ones if the mechanism moves at all"
        )
        warnings = (
            *warnings,
            "the position is singular: joints hold less in it than nearby, or motions of first order cannot be "
            "continued, so the equations of motion at one instant do not determine the accelerations. The values "
            f"given are the nearest to free motion{finds}",
        )
    if not fits:
        warnings = (
            *warnings,
            f"no accelerations fit: the equations are violated by {misfit:.2g} of their terms; laws of drives "
            "contradict each other, or the position is singular and the velocities belong to none of the branches "
            "that meet there",
        )
    roots = () if system is None else tuple(hinge.joint for hinge in system.roots if hinge is not None)
    return AccelerationResult(
        mechanism=mechanism,
        method=method,
        bodies=Named("body", _bodies(snapshot, solution)),
        joints=Named("joint", _joints(snapshot, solution)),
        roots=roots,
        loops=() if system is None else tuple(loop.joint for loop in system.loops),
        rows=solution.rows,
        rank=solution.rank,
        residual=misfit,
        warnings=warnings,
        figures=dict(solution.figures),
        status=Status.OK if fits and not singular else Status.SINGULAR,
    )


def _bodies(snapshot: Snapshot, solution: Solution) -> dict[str, BodyAcceleration]:
    """Return the accelerations of the origins of the body frames."""
    found = {}
    for k, body in enumerate(snapshot.mechanism.bodies):
        lever = -snapshot.rotation[k] @ np.array(body.com or (0.0, 0.0, 0.0))
        centre = snapshot.centre[k]
        omega, moving = snapshot.omega[k], solution.seen(k, solution.accelerations[k], centre, centre + lever)
        origin = elsewhere(moving, omega, lever)
        found[body.id] = BodyAcceleration(origin[:3], origin[3:])
    return found


def _joints(snapshot: Snapshot, solution: Solution) -> dict[str, JointLoad]:
    every = np.vstack([solution.accelerations, np.zeros(6)])
    seen: Callable[[Array], Array] = _in_plane if snapshot.mechanism.space == "planar" else np.copy
    motions = joint_motions(snapshot, snapshot.mechanism.joints, every)
    for joint in snapshot.mechanism.joints:
        if joint.freedoms and solution.bent.keys() & set(snapshot.frames[joint.id].bodies):
            motions |= joint_motions(snapshot, [joint], _seen(snapshot, solution, joint, every))
    found = {}
    for joint in snapshot.mechanism.joints:
        wrench = seen(solution.wrenches[joint.id])
        rates = {freedom: float(values[2]) for freedom, values in motions[joint.id].items()}
        components = unique_components(solution.open.get(joint.id, (False,) * 6))
        found[joint.id] = JointLoad(wrench[:3], wrench[3:], all(components.values()), rates, components)
    return found


def _seen(snapshot: Snapshot, solution: Solution, joint: Joint, accelerations: Array) -> Array:
    """Return accelerations of the centres with which rigid bodies would move as flexible ones do at a joint."""
    frames, found = snapshot.frames[joint.id], accelerations.copy()
    for body, place in zip(frames.bodies, frames.centres, strict=True):
        if body in solution.bent:
            found[body] = solution.seen(body, found[body], snapshot.centre[body], place)
    return found


def _in_plane(wrench: Array) -> Array:
    found = np.zeros(6)
    found[[0, 1, 5]] = wrench[[0, 1, 5]]
    return found
