"""Assumed modes of a beam that is held at one end: the lowest combinations of the shapes that decouple.

Mass and stiffness of the shapes (`beam_bending_shapes`, `beam_rod_shapes` of the element library) give modes with unit
modal mass; the beam takes as many in each plane, in stretching and in torsion as its file says. Where something hangs
on the far end, or holds it, modes alone are a poor choice: they have neither shear nor moment there. Then the beam
takes the static shapes of a force and a moment at the far end, and modes that hold this end as well. Together with
those of the frame, its motions then are the same whichever end the frame is at.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from symgen.library.element_routines import call
from symgen.model.parts import Beam
from symgen.poses import Array


@dataclass(frozen=True)
class ModeFamily:
    """Modes of one kind, modal mass 1.

    Parameters
    ----------
    kind : "stretch", "twist", "y" (deflection along y, bending about z) or "z".
    omega : (n,) angular frequencies [rad/s] of the beam held at one end.
    total, lever : (n,) int mu phi ds and int mu s phi ds; of torsion the polar inertia in place of mu.
    tip, slope : (n,) shape at the other end, and its derivative (of stretching and torsion zero).
    vectors : (shapes, n) what the modes are made of.
    """

    kind: str
    omega: Array
    total: Array
    lever: Array
    tip: Array
    slope: Array
    vectors: Array


@cache
def mode_families(beam: Beam, planar: bool) -> tuple[ModeFamily, ...]:
    """Return the assumed modes of a beam; a planar one deflects along y only and does not twist.

    Where `end_shapes` of the beam is still None, the far end is taken as free; see `symgen.beams.ends.with_end_shapes`.
    """
    length, mass, counts = beam.length, beam.mass_per_length, (beam.modes, beam.end_shapes or 0)
    found = [_family("y", "beam_bending_shapes", counts, (length, mass, beam.bending[1]))]
    if not planar:
        found.append(_family("z", "beam_bending_shapes", counts, (length, mass, beam.bending[0])))
    if beam.axial is not None:
        found.append(_family("stretch", "beam_rod_shapes", counts, (length, mass, beam.axial)))
    if beam.torsion is not None and not planar:
        found.append(_family("twist", "beam_rod_shapes", counts, (length, beam.polar, beam.torsion)))
    return tuple(found)


def _family(kind: str, routine: str, counts: tuple[int, int], size: tuple[float, float, float]) -> ModeFamily:
    m, k, total, lever, tip, *slope = call(routine, *size)
    # In coordinates whose stiffness is 1, mass has eigenvalues 1/w^2, the largest of which are wanted and found well.
    root = 1.0 / np.sqrt(k)
    mass = root[:, None] * m.reshape(len(k), len(k)) * root
    basis = _basis(mass, root * np.array([tip, *slope])[: counts[1]], counts[0])
    values, turned = _largest(mass, basis)
    modes = root[:, None] * turned / np.sqrt(values)
    rates = slope[0] if slope else np.zeros(len(k))
    modes = modes * np.where(tip @ modes < 0.0, -1.0, 1.0)
    return ModeFamily(kind, 1.0 / np.sqrt(values), total @ modes, lever @ modes, tip @ modes, rates @ modes, modes)


def _basis(mass: Array, ends: Array, modes: int) -> Array:
    """Return what the beam may do, as orthonormal columns: static shapes and modes that hold both ends.

    A load at the far end bends the beam as its row of `ends` says, stiffness being 1; what does no work on any of them
    is orthogonal, and has modes of its own (R. R. Craig, M. C. C. Bampton 1968).

    Parameters
    ----------
    mass : (shapes, shapes).
    ends : (loads, shapes) what each load at the far end does work on; none: the far end of the modes is free.
    """
    every = np.linalg.qr(ends.T, mode="complete")[0]
    static, inner = every[:, : len(ends)], every[:, len(ends) :]
    return np.hstack([static, _largest(mass, inner)[1][:, :modes]])


def _largest(mass: Array, basis: Array) -> tuple[Array, Array]:
    """Return the eigenvalues of mass in a basis, the largest first, and their vectors."""
    values, turned = np.linalg.eigh(basis.T @ mass @ basis)
    return values[::-1], basis @ turned[:, ::-1]
