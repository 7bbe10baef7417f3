"""Energies of a motion from its masses and springs, whatever integrated it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.poses import Array, matrix, rotate
from symgen.simulate.tables.inertias import inertia_matrix
from symgen.solve.tracks import BodyTrack
from symgen.solve.trajectory import JointTrack, PointTrack


@dataclass(frozen=True)
class Energies:
    """Kinetic and potential energy over time, each (n,) [J]."""

    kinetic: Array
    potential: Array


def energies(
    mechanism: Mechanism,
    bodies: Mapping[str, BodyTrack],
    joints: Mapping[str, JointTrack],
    points: Mapping[str, PointTrack],
) -> Energies:
    """Return the energies of a motion: m v^2/2 + w I w/2; -m g r and k (l - l0)^2/2.

    v and r are of the centre of mass. A body without mass, or without inertia, has none. The potential is zero with
    all centres of mass at the world's origin and all springs at rest.

    Parameters
    ----------
    bodies : motion of the body frames.
    joints, points : coordinates of joints and places of points, for the springs.
    """
    rows = len(next(iter(bodies.values())).r)
    kinetic, potential = np.zeros(rows), np.zeros(rows)
    gravity = np.array(mechanism.gravity)
    for body in mechanism.bodies:
        track = bodies[body.id]
        r, v, _ = track.carry(rotate(track.q, np.array(body.com or (0.0, 0.0, 0.0))))
        mass = body.mass or 0.0
        kinetic += 0.5 * mass * np.sum(v * v, axis=-1)
        potential -= mass * (r @ gravity)
        if body.inertia is not None:
            turning = (np.swapaxes(matrix(track.q), -1, -2) @ track.omega[..., None])[..., 0]
            kinetic += 0.5 * np.sum(turning * (turning @ inertia_matrix(body)), axis=-1)
    for force in mechanism.forces:
        if isinstance(force, Spring):
            first, second = (points[f"{body}.{point}"].r for body, point in force.between)
            potential += 0.5 * force.stiffness * (np.linalg.norm(second - first, axis=-1) - force.length) ** 2
        elif isinstance(force, JointForce):
            value = joints[force.joint].coordinates[force.freedom]
            potential += 0.5 * force.stiffness * (value - force.rest) ** 2
    return Energies(kinetic, potential)


def conserves_energy(mechanism: Mechanism) -> bool:
    """Tell whether nothing does work on the mechanism but gravity and springs: no drive, damper or applied force."""
    for force in mechanism.forces:
        if isinstance(force, AppliedForce | AppliedTorque) or force.damping != 0.0:
            return False
        if isinstance(force, JointForce) and (force.value.names or force.value.evaluate({}) != 0.0):
            return False
    if any(body.beam is not None and body.beam.damping != 0.0 for body in mechanism.bodies):
        return False
    return not mechanism.drives
