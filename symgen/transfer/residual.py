"""How well accelerations and joint wrenches fit: every body's equations of motion, every joint's accelerations."""

from __future__ import annotations

import numpy as np

from symgen.poses import Array
from symgen.simulate.tables.scale import unit_of_length
from symgen.transfer.beams.balance import modes_apart
from symgen.transfer.elements import cross, elsewhere
from symgen.transfer.hinges import hinge_motion
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.tree import GROUND


def residual(snapshot: Snapshot, solution: Solution) -> float:
    """Return the largest misfit, relative to the terms it is made of.

    Parameters
    ----------
    snapshot : in SI units.
    """
    modes = modes_apart(snapshot, solution.bent, solution.accelerations, solution.wrenches)[1]
    return max(_motion_misfit(snapshot, solution), _joint_misfit(snapshot, solution), modes)


def unbalanced(snapshot: Snapshot, solution: Solution) -> Array:
    """Return what is left of all that acts on each body, inertia included: force and moment (n, 6) at its centre."""
    accelerations, omega = solution.accelerations, snapshot.omega[:-1]
    rates = _momentum_rates(snapshot, accelerations)
    pushed = snapshot.force[:-1] - snapshot.mass[:-1, None] * accelerations[:, :3]
    turned = snapshot.moment[:-1] - np.cross(omega, _momenta(snapshot)) - rates
    for joint in snapshot.mechanism.joints:
        wrench, at = solution.wrenches[joint.id], snapshot.frames[joint.id].centres[1]
        for name, sign in zip(joint.bodies, (-1.0, 1.0), strict=True):
            body = snapshot.index[name]
            if body != GROUND:
                pushed[body] += sign * wrench[:3]
                turned[body] += sign * (wrench[3:] + cross(at - snapshot.centre[body], wrench[:3]))
    apart = np.hstack([pushed, turned])
    for body, bending in solution.bent.items():
        apart[body] -= bending.inertia(snapshot.centre[body])
    if snapshot.mechanism.space == "planar":
        apart[:, 2:5] = 0.0
    return apart


def _momenta(snapshot: Snapshot) -> Array:
    found: Array = (snapshot.inertia[:-1] @ snapshot.omega[:-1, :, None])[..., 0]
    return found


def _momentum_rates(snapshot: Snapshot, accelerations: Array) -> Array:
    found: Array = (snapshot.inertia[:-1] @ accelerations[:, 3:, None])[..., 0]
    return found


def _motion_misfit(snapshot: Snapshot, solution: Solution) -> float:
    """Return by how much m a and J alpha + omega x J omega differ from all that acts on a body.

    Forces are measured by the largest force of all, moments by the largest moment or force times the size: where all
    forces go through the centres, moments are rounding.
    """
    apart = unbalanced(snapshot, solution)
    inertial = snapshot.mass[:-1, None] * solution.accelerations[:, :3]
    turning = np.cross(snapshot.omega[:-1], _momenta(snapshot))
    forces = [_largest(snapshot.force), _largest(inertial)]
    moments = [_largest(each) for each in (snapshot.moment, turning, _momentum_rates(snapshot, solution.accelerations))]
    for joint in snapshot.mechanism.joints:
        wrench, frames = solution.wrenches[joint.id], snapshot.frames[joint.id]
        forces.append(_largest(wrench[:3]))
        levers = [_largest(frames.centres[1] - snapshot.centre[body]) for body in frames.bodies if body != GROUND]
        moments += [_largest(wrench[3:]), max(levers) * forces[-1]]
    moments.append(max(forces) * unit_of_length(snapshot.mechanism))
    return max(_relative(apart[:, :3], max(forces)), _relative(apart[:, 3:], max(moments)))


def _joint_misfit(snapshot: Snapshot, solution: Solution) -> float:
    """Return by how much relative accelerations leave what joints and drives allow.

    Where all is at rest, accelerations are roundings of the forces that hold each other.
    """
    planar = snapshot.mechanism.space == "planar"
    accelerations = np.vstack([solution.accelerations, np.zeros(6)])
    worst, largest = 0.0, _acceleration_of_forces(snapshot, solution)
    for joint in snapshot.mechanism.joints:
        motion = hinge_motion(snapshot, joint, reverse=False)
        one, two = (snapshot.index[name] for name in joint.bodies)
        ends = (
            end_acceleration(snapshot, solution, accelerations, one, motion.inboard),
            end_acceleration(snapshot, solution, accelerations, two, motion.outboard),
        )
        gap = motion.locked(planar=planar).T @ (ends[1] - motion.x @ ends[0] - motion.eta)
        worst = max(worst, float(np.abs(gap).max(initial=0.0)))
        largest = max(largest, *(float(np.abs(end).max()) for end in ends), float(np.abs(motion.eta).max()))
    return worst / largest if largest else 0.0


def _acceleration_of_forces(snapshot: Snapshot, solution: Solution) -> float:
    """Return the largest acceleration [m/s^2, rad/s^2] that one force alone would give a body, at the size's arm."""
    forces = [_largest(acting) for acting in snapshot.force]
    for joint in snapshot.mechanism.joints:
        for body in snapshot.frames[joint.id].bodies:
            forces[body] = max(forces[body], _largest(solution.wrenches[joint.id][:3]))
    unit, largest = unit_of_length(snapshot.mechanism), 0.0
    for force, mass, inertia in zip(forces[:-1], snapshot.mass, snapshot.inertia, strict=False):
        largest = max(largest, force / float(mass) if mass > 0.0 else 0.0)
        largest = max(largest, force * unit / _largest(inertia) if np.any(inertia) else 0.0)
    return largest


def end_acceleration(snapshot: Snapshot, solution: Solution, accelerations: Array, body: int, place: Array) -> Array:
    """Return the acceleration (6,) of a body at one of its joints, its modes included."""
    if body not in solution.bent:
        return acceleration_at(snapshot, accelerations, body, place)
    every = accelerations.copy()
    every[body] = solution.seen(body, every[body], snapshot.centre[body], place)
    return acceleration_at(snapshot, every, body, place)


def acceleration_at(snapshot: Snapshot, accelerations: Array, body: int, place: Array) -> Array:
    """Return the acceleration (6,) of a point of a body."""
    return elsewhere(accelerations[body], snapshot.omega[body], place - snapshot.centre[body])


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _relative(apart: Array, largest: float) -> float:
    return _largest(apart) / largest if largest else 0.0
