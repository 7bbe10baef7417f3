"""A mechanism with straight rigid rods in place of its beams: what its masses, places and structure are read from."""

from __future__ import annotations

from dataclasses import replace

from symgen.beams.ends import with_end_shapes
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, Beam, Body, Spring


def straight_twin(mechanism: Mechanism) -> tuple[Mechanism, dict[int, Beam]]:
    """Return the mechanism with rigid rods in place of its beams, and the beams by index, with their end shapes.

    Raises
    ------
    MechanismError
        A spring or load acts on a beam: its modes would feel where.
    """
    beams = with_end_shapes(mechanism)
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
