"""A beam in the recursion: its places in order, its pieces as blocks of dynamic stiffness from the transfer matrix.

A piece is eliminated at its tip side: displacements there that bend (stretch, twist) the piece are unknowns of their
own, the others are those of the root side. Pieces are so short that none resonates when clamped: then the signs of the
pivots count eigenfrequencies (W. H. Wittrick, F. W. Williams 1971), and nothing grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from symgen.library.element_routines import call
from symgen.model.parts import Beam
from symgen.poses import Array
from symgen.vibrations.beam_functions import (
    MOST_BENDING,
    MOST_PUSH,
    MOST_WAVE,
    bending_functions,
    column_functions,
    wave_functions,
)

#: From the order [x theta m q] of the transfer matrices to wrenches [q m].
_WRENCH = [9, 10, 11, 6, 7, 8]
_HALF_TURN = np.diag([-1.0, 1.0, -1.0])


@dataclass(frozen=True)
class Piece:
    """Part of a beam between two places.

    Parameters
    ----------
    length : [m].
    axes : (3, 3) columns: axes of the piece in the world, x from the tip side to the root side.
    push : force along x at rest that the tip side exerts [N], positive where it is pressed.
    gain : by how much it grows for each length [N/m], under the own weight.
    """

    beam: Beam
    length: float
    axes: Array
    push: float
    gain: float
    planar: bool

    @property
    def loaded(self) -> bool:
        """There is a load along it."""
        return self.push != 0.0 or self.gain != 0.0

    @property
    def most_push(self) -> float:
        """Largest force along it, pressing or pulling [N]."""
        return max(abs(self.push), abs(self.push + self.gain * self.length))

    def parts(self, count: int) -> tuple[Piece, ...]:
        """Return so many equal parts, from the tip side on."""
        length = self.length / count
        return tuple(replace(self, length=length, push=self.push + k * length * self.gain) for k in range(count))

    @property
    def bends(self) -> list[int]:
        """Places in [x theta] of the displacements that deform it; the others it takes along as a rigid body."""
        free = [0] if self.beam.axial is not None else []
        if self.planar:
            return [*free, 1, 5]
        return [*free, 1, 2, *([3] if self.beam.torsion is not None else []), 4, 5]


@dataclass(frozen=True)
class Blocks:
    """Dynamic stiffness of a piece over n squares of the frequency, in its axes; `bends` are b of 6 places.

    tip, across, root : (n, b, b); rigid : (n, 6, 6), of the displacements that it takes along.
    """

    bends: list[int]
    tip: Array
    across: Array
    root: Array
    rigid: Array


def piece_axes(turn: Array, backwards: bool) -> Array:
    """Return the axes of a piece from those of the beam's frame; backwards: from x = length down."""
    return turn @ _HALF_TURN if backwards else turn


def division(piece: Piece, largest: float) -> int:
    """Return into how many equal parts a piece is cut for squares of the frequency up to `largest`."""
    beam = piece.beam
    bending = largest * beam.mass_per_length / min(beam.bending) * piece.length**4
    waves: list[float] = [largest * beam.mass_per_length / beam.axial] if beam.axial is not None else []
    waves += [largest * beam.polar / beam.torsion] if beam.torsion is not None else []
    wave: float = max(waves, default=0.0) * piece.length**2
    push: float = piece.most_push / min(beam.bending) * piece.length**2
    parts: float = max((bending / MOST_BENDING) ** 0.25, math.sqrt(wave / MOST_WAVE), math.sqrt(push / MOST_PUSH), 1.0)
    return math.ceil(parts)


def transfer_matrix(piece: Piece, length: float | Array, squares: Array) -> Array:
    """Return the transfer matrix (n, 12, 12) of lengths of a piece from its tip side on, for n squares, in its axes."""
    return _matrix(piece, length, squares, _functions(piece, length, squares))


def complex_transfer_matrix(piece: Piece, length: float, squares: Array) -> Array:
    """Return the transfer matrix (n, 12, 12) of a length of a piece for complex squares, from real evaluations.

    It is affine in the functions of rods and beams, and for given functions in the square that stands beside them: real
    and imaginary parts go through the routine one by one, and nothing small is lost beside something large.
    """
    functions = _functions(piece, length, squares)
    unit = float(np.abs(squares).max()) or 1.0
    given = [np.concatenate([0.0 * f.real, f.real, f.imag, f.real, f.imag]) for f in functions]
    beside = np.repeat([0.0, 0.0, 0.0, unit, unit], len(squares))
    plain, still, still_i, both, both_i = np.split(_matrix(piece, length, beside, given), 5)
    moving = both - still + 1j * (both_i - still_i)
    found: Array = plain + (still - plain) + 1j * (still_i - plain) + (squares / unit)[:, None, None] * moving
    return found


def _functions(piece: Piece, length: float | Array, squares: Array) -> list[Array]:
    """Return those of stretching and torsion (n, 2) and of both bendings (n, 4), under a load (n, 16)."""
    beam = piece.beam
    axial, torsion, *bending = _compliances(beam)
    mass = squares * beam.mass_per_length
    waves = [wave_functions(mass * axial * length**2), wave_functions(squares * beam.polar * torsion * length**2)]
    if not piece.loaded:
        return [*waves, *(bending_functions(mass * give * length**4) for give in bending)]
    push, gain = (np.asarray(each * length**2) for each in (piece.push, piece.gain * length))
    return [*waves, *(column_functions(mass * give * length**4, push * give, gain * give) for give in bending)]


def _compliances(beam: Beam) -> list[float]:
    return [1.0 / each if each is not None else 0.0 for each in (beam.axial, beam.torsion, *beam.bending)]


def _matrix(piece: Piece, length: float | Array, squares: Array | float, functions: list[Array]) -> Array:
    beam = piece.beam
    axial, torsion, about_y, about_z = _compliances(beam)
    name = "vibration_column_spatial" if piece.loaded else "vibration_beam_spatial"
    push = (piece.push, piece.push + piece.gain * length) if piece.loaded else ()
    (flat,) = call(
        name, length, beam.mass_per_length, squares, axial, beam.polar, torsion, about_y, about_z, *push, *functions
    )  # fmt: skip
    matrix: Array = flat.reshape(-1, 12, 12)
    return matrix


def blocks(piece: Piece, squares: Array) -> Blocks:
    """Return the dynamic stiffness of a piece that is short enough, see `division`."""
    u = transfer_matrix(piece, piece.length, squares)
    bends = piece.bends
    wrench = [_WRENCH[k] for k in bends]
    x, give = u[:, bends][:, :, bends], -u[:, bends][:, :, wrench]
    v = u[:, wrench][:, :, wrench]
    held = np.linalg.inv(give)
    tip, root = held @ x, v @ held
    tip, root, across = 0.5 * (tip + tip.swapaxes(1, 2)), 0.5 * (root + root.swapaxes(1, 2)), -held
    rigid = np.zeros((len(squares), 6, 6))
    along = [k for k in range(6) if k not in bends]
    if not piece.planar:  # in the plane the others do not move
        for k in along:
            rigid[:, k, k] = -u[:, _WRENCH[k], k]
    elif 0 in along:
        rigid[:, 0, 0] = -u[:, _WRENCH[0], 0]
    return Blocks(bends, tip, across, root, rigid)
