"""A flexible beam in the recursion of accelerations: a rigid body with modes that are eliminated on the spot.

Its floating frame is held at the end of its output, so that the output moves with the frame and modes are felt at the
other end only. With y = [a, etadd] the equations of the body are

    [q m]_O = P S a + N etadd + ...,    0 = N^T a + E etadd + p,

E = -1 less what enters at the other end: etadd = -E^-1 (N^T a + p) leaves the form of a rigid body. The beam
is straight and its modes are at rest at the time looked at.

Source: A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5; W. Schiehlen, X. Rui (transfer form).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, Beam, Body, Spring
from symgen.transfer.beam_modes import mode_families
from symgen.transfer.elements import SWAP, call, shifting
from symgen.transfer.ports import Port


@dataclass(frozen=True)
class HeldBeam:
    """The modes of a beam in the world, at one time.

    Parameters
    ----------
    held, other : (3,) ends; the frame is that of the first.
    columns : (6, n) inertia between modes and frame, rows [q m] about the held end.
    loads : (n,) what drives the modes.
    end : (6, n) displacement and turn of the other end for each mode.
    """

    held: Array
    other: Array
    columns: Array
    loads: Array
    end: Array

    def moves(self, place: Array) -> Array:
        """Return displacement and turn (6, n) of what is fixed to the beam at a place, its nearer end."""
        far = float(np.linalg.norm(place - self.other)) < float(np.linalg.norm(place - self.held))
        found: Array = shifting(place - self.other) @ self.end if far else np.zeros_like(self.end)
        return found


@dataclass(frozen=True)
class Bending:
    """A beam with the second rates (n,) of its modes."""

    beam: HeldBeam
    rates: Array

    def seen(self, acceleration: Array, centre: Array, place: Array) -> Array:
        """Return the acceleration (6,) at the centre that a rigid body would need to move as this one at a place."""
        more = self.beam.moves(place) @ self.rates
        found: Array = acceleration + shifting(centre - place) @ more
        return found

    def inertia(self, centre: Array) -> Array:
        """Return force and moment (6,) about the centre that the modes take beside the frame's motion."""
        found: Array = shifting(self.beam.held - centre).T @ (self.beam.columns @ self.rates)
        return found


def straight_twin(mechanism: Mechanism) -> tuple[Mechanism, dict[int, Beam]]:
    """Return the mechanism with rigid rods in place of its beams, and the beams by index.

    Raises
    ------
    MechanismError
        A spring or load acts on a beam: its modes would feel where.
    """
    beams = {k: body.beam for k, body in enumerate(mechanism.bodies) if body.beam is not None}
    if not beams:
        return mechanism, {}
    names = {mechanism.bodies[k].id for k in beams}
    for force in mechanism.forces:
        on = {name for name, _ in force.between} if isinstance(force, Spring) else set()
        on |= {force.body} if isinstance(force, AppliedForce | AppliedTorque) else set()
        if on & names:
            raise MechanismError(
                f"acts on the beam {min(on & names)!r}; weld a small rigid body to an end of it, and let it act there",
                file=mechanism.file, field=f"forces.{force.id}",
            )  # fmt: skip
    return replace(mechanism, bodies=tuple(_rod(body) for body in mechanism.bodies)), beams


def _rod(body: Body) -> Body:
    beam = body.beam
    if beam is None:
        return body
    mass = beam.mass_per_length * beam.length
    aside = mass * beam.length**2 / 12.0
    return replace(body, beam=None, mass=mass, com=(0.5 * beam.length, 0.0, 0.0),
                   inertia=(beam.polar * beam.length, aside, aside, 0.0, 0.0, 0.0))  # fmt: skip


def in_unit(beam: Beam, unit: float) -> Beam:
    """Return a beam in another unit of length [m]; forces in kg unit/s^2."""
    return replace(
        beam, length=beam.length / unit, mass_per_length=beam.mass_per_length * unit, polar=beam.polar / unit,
        bending=(beam.bending[0] / unit**3, beam.bending[1] / unit**3),
        axial=None if beam.axial is None else beam.axial / unit,
        torsion=None if beam.torsion is None else beam.torsion / unit**3,
    )  # fmt: skip


def held_beam(
    beam: Beam, centre: Array, turn: Array, omega: Array, gravity: Array, port: Array, *, planar: bool
) -> HeldBeam:
    """Return a beam held at the end where its output is.

    Parameters
    ----------
    centre : (3,) middle of the beam; `turn` (3, 3) its axes in the world, as columns.
    port : (3,) place of the output.
    """
    along = turn[:, 0] if float((port - centre) @ turn[:, 0]) < 0.0 else -turn[:, 0]
    held, other = centre - 0.5 * beam.length * along, centre + 0.5 * beam.length * along
    columns, loads, ends = [], [], []
    for family in mode_families(beam, planar):
        if family.kind == "twist":
            for total, tip in zip(family.total, family.tip, strict=True):
                columns.append(np.concatenate([np.zeros(3), total * along]))
                loads.append(0.0)
                ends.append(np.concatenate([np.zeros(3), tip * along]))
            continue
        aside = {"y": turn[:, 1], "z": turn[:, 2], "stretch": along}[family.kind]
        for total, lever, tip, slope in zip(family.total, family.lever, family.tip, family.slope, strict=True):
            column, load, end = call("beam_mode", total, lever, tip, slope, along, aside, omega, gravity)
            columns.append(column)
            loads.append(float(load))
            ends.append(end)
    return HeldBeam(held, other, np.array(columns).T, np.array(loads), np.array(ends).T)


@dataclass(frozen=True)
class ModesOut:
    """Modes eliminated: etadd = by_acceleration a_O + constant."""

    beam: HeldBeam
    by_acceleration: Array
    constant: Array

    def bending(self, acceleration: Array) -> Bending:
        """Return the beam with its rates for an acceleration (6,) of the output."""
        return Bending(self.beam, self.by_acceleration @ acceleration + self.constant)


def eliminate_modes(
    port: Port, beam: HeldBeam, where: Array, omega: Array, inputs: Sequence[tuple[Port, Array]]
) -> tuple[Port, ModesOut]:
    """Return the output of a beam from that of the rigid rod, and how its modes follow.

    Parameters
    ----------
    port : the output as a rigid body's, at `where` (3,); without open loops.
    inputs : what enters, each with its place (3,).
    """
    coupling = -shifting(beam.held - where).T @ beam.columns
    modes = -np.eye(len(beam.loads))
    driven = beam.loads.copy()
    # The loads are those in a frame whose held end is not accelerated: at the output's own place it may be.
    swing = np.zeros(6)
    swing[:3] = np.cross(omega, np.cross(omega, beam.held - where))
    driven -= beam.columns.T @ swing
    for entering, place in inputs:
        moves = beam.moves(place)
        if not moves.any():
            continue
        lever = shifting(place - where)
        bias = np.zeros(6)
        bias[:3] = np.cross(omega, np.cross(omega, place - where))
        coupling += lever.T @ entering.ps @ moves
        modes += moves.T @ entering.ps @ moves
        driven += moves.T @ (entering.e[SWAP] + entering.ps @ bias)
    by_acceleration = -np.linalg.solve(modes, coupling.T)
    constant = -np.linalg.solve(modes, driven)
    ps = port.ps + coupling @ by_acceleration
    e = port.e + (coupling @ constant)[SWAP]
    return replace(port, ps=(ps + ps.T) / 2, e=e), ModesOut(beam, by_acceleration, constant)
