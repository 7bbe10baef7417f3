"""Numbers of a flexible beam for a motion over time: mass points along it, shapes there and at its far end.

Mass points are Gauss's: with as many, modal masses are one to rounding (products of two shapes have degree 26). What
bends is shortened by f = 1/2 eta^T H eta, H = int phi' phi'^T ds up to the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.beams.modes import ModeFamily, mode_families
from symgen.beams.twin import in_unit
from symgen.library.element_routines import call
from symgen.model.parts import Beam
from symgen.poses import Array

#: Gauss points along a beam, and those that integrate products of slopes (degree 24) exactly.
STATIONS, _SLOPE_POINTS = 14, 13
_NAMES = {"y": "bend_y", "z": "bend_z", "stretch": "stretch", "twist": "twist"}


@dataclass(frozen=True)
class Sections:
    """Modes at p places of a beam, in the floating frame: along, aside (the beam's y axis), across.

    Parameters
    ----------
    place : (p,) distance s from the held end.
    shape : (p, n, 3) what each mode adds to u, v, w.
    slope : (p, n, 3) what it adds to v', w' and twist.
    draws : (p, n, n) H.
    """

    place: Array
    shape: Array
    slope: Array
    draws: Array


@dataclass(frozen=True)
class BeamNumbers:
    """A beam held at one end.

    Parameters
    ----------
    names : of its n modes, "bend_y1" ... "twist3".
    omega : (n,) angular frequencies [rad/s] of the beam held alone; `damping` (n,) force [kg/s] for unit rate.
    mass : (p,) of its mass points; `stations` are their sections.
    end : section of the far end.
    polar : polar inertia of the whole beam; turning : (n,) int polar phi ds of each mode.
    """

    names: tuple[str, ...]
    omega: Array
    damping: Array
    mass: Array
    stations: Sections
    end: Sections
    polar: float
    turning: Array


def mode_names(beam: Beam, *, planar: bool) -> tuple[str, ...]:
    """Return the names of the modes of a beam."""
    return tuple(f"{_NAMES[each.kind]}{k + 1}" for each in mode_families(beam, planar) for k in range(len(each.omega)))


def beam_numbers(beam: Beam, unit: float, *, planar: bool, backwards: bool) -> BeamNumbers:
    """Return a beam in a unit of length [m].

    Parameters
    ----------
    backwards : whether it is held at the end where x is its length.
    """
    own = in_unit(beam, unit)
    families = mode_families(own, planar)
    nodes, weights = np.polynomial.legendre.leggauss(STATIONS)
    places = 0.5 * own.length * (nodes + 1.0)
    turning = [family.total if family.kind == "twist" else np.zeros(len(family.omega)) for family in families]
    omega = np.concatenate([family.omega for family in families])
    return BeamNumbers(
        mode_names(beam, planar=planar),
        omega,
        2.0 * beam.damping * omega,
        0.5 * own.length * weights * own.mass_per_length,
        sections(own, families, places, backwards=backwards),
        sections(own, families, np.array([own.length]), backwards=backwards),
        own.polar * own.length,
        np.concatenate(turning),
    )


def sections_of(beam: Beam, places: Array, *, planar: bool, backwards: bool) -> Sections:
    """Return the modes of a beam at distances from its held end, in metres."""
    return sections(beam, mode_families(beam, planar), places, backwards=backwards)


def sections(beam: Beam, families: Sequence[ModeFamily], places: Array, *, backwards: bool) -> Sections:
    """Return the modes at distances from the held end."""
    count, rows = sum(len(family.omega) for family in families), len(places)
    shape, slope = np.zeros((rows, count, 3)), np.zeros((rows, count, 3))
    draws = np.zeros((rows, count, count))
    phi, psi = call("beam_shape_values", places / beam.length)
    nodes, weights = np.polynomial.legendre.leggauss(_SLOPE_POINTS)
    inner = 0.5 * places[:, None] * (nodes + 1.0)
    across = -1.0 if backwards else 1.0  # the axis across is the beam's z, or against it
    first = 0
    for family in families:
        own = slice(first, first + len(family.omega))
        first = own.stop
        if family.kind == "stretch":
            shape[:, own, 0] = psi @ family.vectors
        elif family.kind == "twist":
            slope[:, own, 2] = psi @ family.vectors
        else:
            side, sign = (1, 1.0) if family.kind == "y" else (2, across)
            shape[:, own, side] = sign * (phi @ family.vectors)
            slope[:, own, side - 1] = sign * (psi @ family.vectors) / beam.length
            inside = call("beam_shape_values", inner / beam.length)[1] @ family.vectors / beam.length
            draws[:, own, own] = np.einsum("p,k,pki,pkj->pij", 0.5 * places, weights, inside, inside)
    return Sections(places, shape, slope, draws)
