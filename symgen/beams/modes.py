"""Assumed modes of a beam that is held at one end: the lowest combinations of the shapes that decouple.

Mass and stiffness of the shapes (`beam_bending_shapes`, `beam_rod_shapes` of the element library) give modes with unit
modal mass; the beam takes as many in each plane, in stretching and in torsion as its file says, and the static shapes
of loads at the far end besides, if it says so.
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
    length, mass, counts = beam.length, beam.mass_per_length, (beam.modes, beam.end_shapes)
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
    mass = m.reshape(len(k), len(k))
    # K is a diagonal: M scaled by its roots has eigenvalues 1/w^2, the largest of which are wanted and found well.
    root = 1.0 / np.sqrt(k)
    values, vectors = np.linalg.eigh(root[:, None] * mass * root)
    order = np.argsort(values)[::-1]
    every, omega = root[:, None] * vectors[:, order] / np.sqrt(values[order]), 1.0 / np.sqrt(values[order])
    ends = np.array([tip, *slope])[: counts[1]]
    soft, fast = _end_shapes(every[:, counts[0] :], omega[counts[0] :], ends)
    modes = np.hstack([every[:, : counts[0]], soft])
    rates = slope[0] if slope else np.zeros(len(k))
    signs = np.where(tip @ modes < 0.0, -1.0, 1.0)
    modes = modes * signs
    frequencies = np.append(omega[: counts[0]], fast)
    return ModeFamily(kind, frequencies, total @ modes, lever @ modes, tip @ modes, rates @ modes, modes)


def _end_shapes(rest: Array, omega: Array, ends: Array) -> tuple[Array, Array]:
    """Return what static shapes of loads at the far end add to the modes kept, decoupled, with their frequencies.

    A load bends the beam by (phi_j(L)/w_j^2) of every mode: these are the parts of those left out (R. H. MacNeal 1971).

    Parameters
    ----------
    rest, omega : modes left out.
    ends : (loads, shapes) what the loads do work on.
    """
    bent = (ends @ rest / omega**2).T
    basis = np.linalg.qr(bent)[0]
    squares, turned = np.linalg.eigh(basis.T @ (omega[:, None] ** 2 * basis))
    return rest @ basis @ turned, np.sqrt(squares)
