"""The equations of the modes of beams, from accelerations of the frames and wrenches of the joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.poses import Array
from symgen.transfer.beams.element import Bending, HeldBeam
from symgen.transfer.elements import cross
from symgen.transfer.snapshot import Snapshot


def driven_modes(
    snapshot: Snapshot, k: int, beam: HeldBeam, acceleration: Array, wrenches: Mapping[str, Array]
) -> list[Array]:
    """Return what acts on the modes of a beam, (n,) each: loads, wrenches of joints, the motion of the frame.

    Parameters
    ----------
    acceleration : (6,) of the frame, at the centre of mass of the straight rod.
    wrenches : joint -> force and moment (6,) of its first body on its second, at the centre there.
    """
    lever, omega = beam.held - snapshot.centre[k], snapshot.omega[k]
    frame = acceleration.copy()
    frame[:3] += cross(frame[3:], lever) + cross(omega, cross(omega, lever))
    return [beam.loads, exerted_on(snapshot, k, beam, wrenches), -beam.columns.T @ frame]


def exerted_on(snapshot: Snapshot, k: int, beam: HeldBeam, wrenches: Mapping[str, Array]) -> Array:
    """Return what joints exert on the modes of a beam, (n,); `wrenches` (6,) may be of some joints only."""
    found = np.zeros(beam.count)
    for joint, frames in snapshot.frames.items():
        for side, sign in ((0, -1.0), (1, 1.0)):
            if frames.bodies[side] == k and joint in wrenches:
                place, wrench = frames.centres[side], wrenches[joint].copy()
                wrench[3:] += cross(frames.centres[1] - place, wrench[:3])
                found += sign * (beam.moves(place).T @ wrench)
    return found


def bend(
    snapshot: Snapshot, beams: Mapping[int, HeldBeam], accelerations: Array, wrenches: Mapping[str, Array]
) -> dict[int, Bending]:
    """Return the beams with the rates that follow from accelerations (n, 6) of the frames and wrenches."""
    return {
        k: Bending(beam, np.linalg.solve(beam.mass, sum(driven_modes(snapshot, k, beam, accelerations[k], wrenches))))
        for k, beam in beams.items()
    }


def modes_apart(
    snapshot: Snapshot, bent: Mapping[int, Bending], accelerations: Array, wrenches: Mapping[str, Array]
) -> tuple[dict[int, Array], float]:
    """Return what is left of all that acts on the modes, inertia included, (n,) by body, and the largest part of it."""
    apart: dict[int, Array] = {}
    worst = 0.0
    for k, bending in bent.items():
        beam = bending.beam
        terms = [*driven_modes(snapshot, k, beam, accelerations[k], wrenches), -beam.mass @ bending.rates]
        apart[k] = np.sum(terms, axis=0)
        largest = max(float(np.abs(term).max(initial=0.0)) for term in terms)
        gap = float(np.abs(apart[k]).max(initial=0.0))
        worst = max(worst, gap / largest if largest else 0.0)
    return apart, worst
