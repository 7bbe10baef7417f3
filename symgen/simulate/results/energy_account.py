"""The energy account of a motion: what dampers, drives and applied forces put in is what its energy grows by.

Work is the integral of their power over the rows of a motion, by polynomials of degree 5 through the rows next to each
span, none across a jump of the forces: its error is of order 6 in the time between rows.
The same with degree 3 tells how well rows resolve it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.poses import Array, rotate
from symgen.simulate.results.energies import conserves_energy
from symgen.simulate.tables.acting import laws_while_acting
from symgen.simulate.tables.scale import size_of_mechanism

if TYPE_CHECKING:
    from symgen.simulate.results.result import SimulationResult

#: Rows of the polynomials of the work; the other, which tells how well rows resolve it, has so many fewer.
_ROWS, _FEWER = 6, 2
#: Part of the energies' own size below which all of it is rounding.
_ROUNDING = 1e-9
#: Part of the energy that moves to which rows have to resolve the work, for the account to say anything.
_RESOLVED = 2e-3


def moving_energy(result: SimulationResult) -> float:
    """Return how much energy moves [J]: the largest change of one kind, the work, or what the motion starts with."""
    kinetic, potential = (_finite(each) for each in (result.kinetic, result.potential))
    if not len(kinetic) or not len(potential):
        return 0.0
    mechanism = result.mechanism
    weight = sum(body.mass or 0.0 for body in mechanism.bodies) * float(np.linalg.norm(mechanism.gravity))
    rounding = _ROUNDING * (
        float(np.abs(kinetic).max()) + float(np.abs(potential).max()) + weight * size_of_mechanism(mechanism)
    )
    work = _finite(result.work)
    done = float(np.ptp(work)) if len(work) else 0.0
    return max(float(np.ptp(kinetic)), float(np.ptp(potential)), float(kinetic[0]), done, rounding)


def _finite(values: Array) -> Array:
    found: Array = values[np.isfinite(values)]
    return found


def with_account(result: SimulationResult) -> SimulationResult:
    """Return the result with the work done and with what its energy account is off by."""
    counted = replace(result, work=work_done(result))
    if not len(counted.times) or not np.isfinite(counted.work).all():
        return counted
    left, moved = float(np.max(np.abs(energy_left(counted)))), moving_energy(counted)
    return replace(counted, energy_error=left / moved if moved > 0.0 else 0.0)


def energy_left(result: SimulationResult) -> Array:
    """Return what the account does not close by (n,) [J]."""
    found: Array = result.total - result.total[0] - result.work
    return found


def work_done(result: SimulationResult) -> Array:
    """Return the work [J] since the first row (n,) of all but gravity and springs; NaN where rows do not tell it."""
    times = result.times
    work = np.zeros(len(times))
    if conserves_energy(result.mechanism) or len(times) < 2:
        return work
    if hidden_in_beams(result):
        return np.full(len(times), np.nan)
    coarse = np.zeros(len(times))
    for first, last in pairwise(_jumps(result)):
        part = slice(first, last + 1)
        power = _power(result, part)
        rows = min(_ROWS, last - first + 1)
        for found, near in ((work, rows), (coarse, max(1, rows - _FEWER))):
            found[first + 1 : last + 1] = found[first] + np.cumsum(_integrals(times[part], power, near))
            found[last + 1 :] = found[last]
    lost = float(np.abs(work - coarse).max()) if np.isfinite(work).all() else np.inf
    size = max(float(np.ptp(each)) for each in (result.kinetic, result.potential, work))
    if not lost <= _RESOLVED * max(size, float(result.kinetic[0])) + _ROUNDING * float(np.abs(result.potential).max()):
        return np.full(len(times), np.nan)
    return work


def hidden_in_beams(result: SimulationResult) -> bool:
    """Tell whether work is done that the rows of beams do not show: by drives, or at a beam itself."""
    pushed = {each.body for each in result.mechanism.forces if isinstance(each, AppliedForce | AppliedTorque)}
    return bool(result.beams) and (bool(result.mechanism.drives) or bool(pushed & set(result.beams)))


def _jumps(result: SimulationResult) -> list[int]:
    """Return the rows between which no force begins or ends, the first and the last among them."""
    times = result.times
    spans = [each for each in result.mechanism.forces if isinstance(each, AppliedForce | AppliedTorque)]
    inside = {time for each in spans for time in (each.start, each.until) if times[0] < time < times[-1]}
    rows = {int(np.argmin(np.abs(times - time))) for time in inside}
    return sorted({0, len(times) - 1} | rows)


def _power(result: SimulationResult, part: slice) -> Array:
    """Return the power [W] of all but gravity and springs, in rows between two jumps of the forces."""
    times = result.times[part]
    middle = 0.5 * float(times[0] + times[-1])
    power: Array = np.sum([each[part] for each in _steady(result)], axis=0) + np.zeros(len(times))
    for force in result.mechanism.forces:
        if not isinstance(force, AppliedForce | AppliedTorque) or not force.start <= middle <= force.until:
            continue
        at: Mapping[str, Any] = {"t": times}
        track = result.bodies[force.body]
        q, omega = track.q[part], track.omega[part]
        value: Array = np.stack(
            [np.broadcast_to(each.evaluate(at), times.shape) for each in laws_while_acting(force)], axis=-1
        )
        value = value if force.axes == "world" else rotate(q, value)
        if isinstance(force, AppliedForce):
            speed = track.v[part] + np.cross(omega, rotate(q, np.array(force.at)))
            power += np.sum(value * speed, axis=-1)
        else:
            power += np.sum(value * omega, axis=-1)
    return power


def _steady(result: SimulationResult) -> Iterator[Array]:
    """Yield powers (n,) that have no jumps of their own: of dampers, actuators, modes of beams, and drives."""
    for force in result.mechanism.forces:
        if isinstance(force, Spring) and force.damping:
            one, two = (result.points[f"{body}.{point}"] for body, point in force.between)
            apart, parting = two.r - one.r, two.v - one.v
            length = np.linalg.norm(apart, axis=-1)
            met = length <= 16 * np.finfo(np.float64).eps * np.sum(np.abs(one.r) + np.abs(two.r), axis=-1)
            along = np.where(
                met, np.linalg.norm(parting, axis=-1), np.sum(apart * parting, axis=-1) / np.where(met, 1, length)
            )
            yield -force.damping * along**2
        elif isinstance(force, JointForce):
            speed = result.joints[force.joint].rates[force.freedom]
            at: Mapping[str, Any] = {"t": result.times}
            law = force.value.evaluate(at)
            yield (law - force.damping * speed) * speed
    for beam in result.beams.values():
        yield -(beam.rates**2) @ (2.0 * beam.beam.damping * beam.omega)
    if result.mechanism.drives:
        for body in result.mechanism.bodies:
            wrench, track = result.resultants[body.id], result.bodies[body.id]
            v = track.v + np.cross(track.omega, rotate(track.q, np.array(body.com or (0.0, 0.0, 0.0))))
            yield np.sum(wrench[:, :3] * v, axis=-1) + np.sum(wrench[:, 3:] * track.omega, axis=-1)


def _integrals(times: Array, values: Array, rows: int) -> Array:
    """Return the integrals (n - 1,) from row to row of the polynomials through the `rows` rows next to each span."""
    spans, count = len(times) - 1, rows
    first = np.clip(np.arange(spans) - (count // 2 - 1), 0, len(times) - count)
    places = first[:, None] + np.arange(count)
    length = np.diff(times)
    # in units of the span, from its begin: weights give the moments of the span exactly
    nodes = (times[places] - times[:-1, None]) / length[:, None]
    powers = np.arange(count)
    scale = np.maximum(np.abs(nodes).max(axis=1), 1.0)
    matrix = np.swapaxes((nodes / scale[:, None])[:, :, None] ** powers, 1, 2)
    moments = 1.0 / (powers + 1.0) / scale[:, None] ** powers
    weights = np.linalg.solve(matrix, moments[..., None])[..., 0]
    found: Array = length * np.sum(weights * values[places], axis=1)
    return found
