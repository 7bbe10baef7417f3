"""The classical product: the transfer matrices of a chain of bodies, beams and hinges, from end to end.

States are z = [x theta m q], 12 numbers (6 in the plane): displacement, turn, and moment and force that the part behind
exerts on the one ahead. A chain begins at a free tip or at the ground, ends at the ground or free, and has no branches,
so that one matrix takes the state at its beginning to that at its end.

Source: E. C. Pestel, F. A. Leckie, Matrix Methods in Elastomechanics, 1963.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.transfer.elements import SWAP, shifting
from symgen.vibrations.beam import Piece, complex_transfer_matrix, division, transfer_matrix

ComplexArray = NDArray[np.complex128]
_PAIRING = np.block([[np.zeros((6, 6)), np.eye(6)[SWAP]], [-np.eye(6)[SWAP], np.zeros((6, 6))]])
#: Turns a chain round: forces act on the other side.
_ROUND = np.diag([1.0] * 6 + [-1.0] * 6)


@dataclass(frozen=True)
class ChainPart:
    """Part of a chain: U(s) = constant + s slope, s the square of the angular frequency."""

    constant: Array
    slope: Array

    def matrices(self, squares: Array | ComplexArray) -> Iterator[Any]:
        """Yield U (n, 12, 12); squares may be complex."""
        yield self.constant + squares[:, None, None] * self.slope

    def ahead(self, matrix: Array) -> ChainPart:
        """Return the part with a constant one behind it."""
        return ChainPart(matrix @ self.constant, matrix @ self.slope)

    def turned(self) -> ChainPart:
        """Return the part passed from its end to its beginning."""
        return ChainPart(turned(self.constant), turned(self.slope))


@dataclass(frozen=True)
class BeamPart:
    """A beam between two places, passed along its piece or, `backwards`, against it."""

    piece: Piece
    backwards: bool = False

    def matrices(self, squares: Array | ComplexArray) -> Iterator[Any]:
        """Yield U (n, 12, 12) of parts so short that they grow little; squares may be complex."""
        turn = np.kron(np.eye(4), self.piece.axes)
        matrix: Any = complex_transfer_matrix if np.iscomplexobj(squares) else transfer_matrix
        u: Any = None
        for part in self._parts(float(np.abs(squares).max())):
            if u is None or part.gain:  # without they are all alike
                u = turn @ matrix(part, part.length, squares) @ turn.T
                u = turned(u) if self.backwards else u
            yield u

    def _parts(self, largest: float) -> tuple[Piece, ...]:
        parts = self.piece.parts(division(self.piece, largest))
        return parts[::-1] if self.backwards else parts

    def turned(self) -> BeamPart:
        """Return the part passed from its end to its beginning."""
        return BeamPart(self.piece, not self.backwards)


@dataclass(frozen=True)
class Release:
    """A hinge of one freedom that nothing holds: z' = z + column dq with any dq, and row z = 0; both (12,)."""

    column: Array
    row: Array

    def matrices(self, squares: Array | ComplexArray) -> Iterator[Any]:
        """Yield itself: it has no matrix of its own."""
        del squares
        yield self

    def turned(self) -> Release:
        """Return the hinge passed from its end to its beginning."""
        return Release(_ROUND @ self.column, self.row @ _ROUND)


def turned(matrix: Array) -> Array:
    """Return the matrix from the end to the beginning: U^-1, by U^T Q U = Q, and forces that act on the other side."""
    found: Array = _ROUND @ _PAIRING.T @ matrix.swapaxes(-1, -2) @ _PAIRING @ _ROUND
    return found


AnyPart = ChainPart | BeamPart | Release


@dataclass(frozen=True)
class VibratingChain:
    """A chain, ready for any frequency.

    Parameters
    ----------
    parts : from the beginning to the end.
    start, end : (12, r) admissible states at the beginning, and (r, 12) what vanishes at the end.
    index : the places of a state that count; of a planar chain 6 of 12.
    size, force, mass : units: a length [m], a usual force of the springs [N], the mass [kg].
    freedoms : how many zeros the determinant has at most; with beams, without end.
    loaded : there are forces at rest or springs that push: rest may be unstable.
    beam_square : about the largest square of the beams' first frequencies [rad^2/s^2]; 0 without beams.
    """

    parts: tuple[AnyPart, ...]
    start: Array
    end: Array
    index: Array
    size: float
    force: float
    mass: float
    freedoms: float
    loaded: bool
    beam_square: float

    @property
    def rigid(self) -> bool:
        """There is no beam: the characteristic determinant is a polynomial."""
        return not any(isinstance(part, BeamPart) for part in self.parts)

    def units(self, squares: Array | ComplexArray) -> Array:
        """Return the units of a state, (n, 12): what is divided by them is of one size at these squares."""
        force = np.maximum(self.force, np.abs(squares) * self.mass * self.size)
        one, length = np.ones_like(force), np.full_like(force, self.size)
        return np.repeat(np.stack([length, one, force * self.size, force], axis=1), 3, axis=1)

    def matrices(self, squares: Array | ComplexArray) -> Iterator[Any]:
        """Yield the matrices of the parts, of the states that count over their units; free hinges as they are.

        Of those column and row are (n, 12), too.
        """
        pick = np.ix_(self.index, self.index)
        units = self.units(squares)[:, self.index]
        for part in self.parts:
            for u in part.matrices(squares):
                if isinstance(u, Release):
                    yield Release(u.column[self.index] / units, u.row[self.index] * units)
                    continue
                yield u[:, pick[0], pick[1]] * (units[:, None, :] / units[:, :, None])

    def ends(self, squares: Array | ComplexArray) -> tuple[Array, Array]:
        """Return admissible states at the beginning, rows that vanish at the end, of states over their units."""
        units = self.units(squares)
        return (self.start / units[:, :, None])[:, self.index], (self.end * units[:, None, :])[:, :, self.index]


def overall_matrix(chain: VibratingChain, squares: Array | ComplexArray) -> Array:
    """Return the overall transfer matrix (n, 12, 12), the plain product: it grows as a chain does.

    Raises
    ------
    ValueError
        A hinge that nothing holds has no matrix.
    """
    total = np.broadcast_to(np.eye(12), (len(squares), 12, 12))
    for part in chain.parts:
        for u in part.matrices(squares):
            if isinstance(u, Release):
                raise ValueError("a hinge that nothing holds has no matrix of its own")
            total = u @ total
    return total


def constant_part(matrix: Array) -> ChainPart:
    """Return a part without mass."""
    return ChainPart(matrix, np.zeros((12, 12)))


def way_matrix(lever: Array, stiffness: Array | None = None) -> Array:
    """Return the matrix (12, 12) of a massless way by a lever (3,); `stiffness` (6, 6) on [x theta] at its end."""
    found = np.zeros((12, 12))
    found[:6, :6] = shifting(lever)
    found[6:, 6:] = shifting(-lever).T[np.ix_(SWAP, SWAP)]
    if stiffness is not None:
        found[6:, :6] = -(stiffness @ found[:6, :6])[SWAP]
    return found
