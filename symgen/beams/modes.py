"""Assumed modes of a beam that is held at one end: the lowest combinations of the shapes that decouple.

Mass and stiffness of the shapes (`beam_bending_shapes`, `beam_rod_shapes` of the element library) give modes with unit
modal mass; the beam takes as many in each plane, in stretching and in torsion as its file says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from symgen.library.element_routines import call
from symgen.library.rotations import Array
from symgen.model.parts import Beam


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
    """Return the assumed modes of a beam; a planar one deflects along y only and does not twist."""
    length, mass = beam.length, beam.mass_per_length
    found = [_family("y", "beam_bending_shapes", beam.modes, (length, mass, beam.bending[1]))]
    if not planar:
        found.append(_family("z", "beam_bending_shapes", beam.modes, (length, mass, beam.bending[0])))
    if beam.axial is not None:
        found.append(_family("stretch", "beam_rod_shapes", beam.modes, (length, mass, beam.axial)))
    if beam.torsion is not None and not planar:
        found.append(_family("twist", "beam_rod_shapes", beam.modes, (length, beam.polar, beam.torsion)))
    return tuple(found)


def _family(kind: str, routine: str, count: int, size: tuple[float, float, float]) -> ModeFamily:
    m, k, total, lever, tip, *slope = call(routine, *size)
    mass = m.reshape(len(k), len(k))
    # K is a diagonal: M scaled by its roots has eigenvalues 1/w^2, the largest of which are wanted and found well.
    root = 1.0 / np.sqrt(k)
    values, vectors = np.linalg.eigh(root[:, None] * mass * root)
    lowest = np.argsort(values)[::-1][:count]
    modes = root[:, None] * vectors[:, lowest] / np.sqrt(values[lowest])
    rates = slope[0] if slope else np.zeros(len(k))
    signs = np.where(tip @ modes < 0.0, -1.0, 1.0)
    modes = modes * signs
    return ModeFamily(
        kind, 1.0 / np.sqrt(values[lowest]), total @ modes, lever @ modes, tip @ modes, rates @ modes, modes
    )
