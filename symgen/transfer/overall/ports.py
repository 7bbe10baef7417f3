"""Components of the states of an overall transfer equation, and the matrices of one body in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array

#: Rounding error times condition beyond which a solution is refused.
LARGEST_ERROR = 1e-8
EPS = float(np.finfo(np.float64).eps)
#: Components of the plane among those of space, in accelerations and in wrenches.
PLANE_A, PLANE_W = (0, 1, 5), (2, 3, 4)


def pairing(width: int) -> NDArray[np.intp]:
    """Return places such that a . w[places] is a power: P as a permutation."""
    return np.array((3, 4, 5, 0, 1, 2) if width == 6 else (1, 2, 0))


@dataclass(frozen=True)
class BodyMatrices:
    """The matrices of one body.

    Parameters
    ----------
    transfer : (2 d + 1, 2 d + 1), of the main input.
    sizes : (d, d) sizes of the terms that make the part of `transfer` from accelerations to wrenches.
    others : (2 d, 2 d) for each other input, in the order of the entries.
    geometric : for each other input slope (d, d) and rest (d,) of its acceleration from that of the output.
    slopes : of a flexible body: sizes (d, d) of the terms of each slope in `geometric`; else these are its entries.
    gains : of a flexible body: for each other input what the wrenches of all inputs, main input first, add to its
        acceleration, (d, d) each.
    terms : of a flexible body: (2 d, 2 d + 1) sizes of the terms that make `transfer`; else these are its entries.
    """

    transfer: Array
    sizes: Array
    others: tuple[Array, ...]
    geometric: tuple[tuple[Array, Array], ...]
    slopes: tuple[Array, ...] = ()
    gains: tuple[tuple[Array, ...], ...] = ()
    terms: Array | None = None

    @property
    def main_terms(self) -> Array:
        """Sizes (2 d, 2 d) of the terms from the main input to the output."""
        return np.abs(self.transfer[:-1, :-1]) if self.terms is None else self.terms[:, :-1]

    @property
    def rest_terms(self) -> Array:
        """Sizes (2 d,) of the terms of what is left at rest."""
        return np.abs(self.transfer[:-1, -1]) if self.terms is None else self.terms[:, -1]

    def other_terms(self, number: int) -> Array:
        """Return the sizes (2 d, 2 d) of the terms from another input to the output."""
        found = np.abs(self.others[number])
        if self.terms is not None:
            found[:, len(self.sizes) :] += self.terms[:, len(self.sizes) : -1]
        return found


def least_of(pivots: Array, sizes: Array) -> Array:
    """Return the least singular value (...) of pivots beside the terms they were formed from; 0 where not finite.

    Parameters
    ----------
    pivots, sizes : (..., f, f), rows and columns are scaled by the largest of `sizes`.
    """
    finite = np.all(np.isfinite(pivots) & np.isfinite(sizes), axis=(-2, -1), keepdims=True)
    scaled, terms = np.where(finite, pivots, 0.0), np.where(finite, sizes, 1.0)
    for axis in (-1, -2):
        largest = terms.max(axis=axis, keepdims=True)
        largest[largest == 0.0] = 1.0
        scaled, terms = scaled / largest, terms / largest
    found: Array = np.linalg.svd(scaled, compute_uv=False)[..., -1]
    return found
