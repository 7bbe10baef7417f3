"""Mass matrices by their Cholesky factors C: body by body, or whole where beams couple their modes to their frames."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from symgen.poses import Array


class MassMatrix(Protocol):
    """A mass matrix M = C C^T over the unknowns (n,)."""

    def times(self, accelerations: Array) -> Array:
        """Return M a."""

    def half(self, force: Array, *, forward: bool) -> Array:
        """Return C^-1 f, or backward C^-T f."""

    def weighted(self, rows: Array) -> Array:
        """Return J C^-T for rows (m, n)."""


class BlockMasses:
    """Masses of bodies, one block (k, w, w) each."""

    def __init__(self, blocks: Array) -> None:
        self._blocks, self._back = blocks, np.linalg.inv(np.linalg.cholesky(blocks))

    def times(self, accelerations: Array) -> Array:
        """Return M a."""
        found: Array = (self._blocks @ accelerations.reshape(*self._blocks.shape[:2], 1)).reshape(-1)
        return found

    def half(self, force: Array, *, forward: bool) -> Array:
        """Return C^-1 f, or backward C^-T f."""
        turned = self._back if forward else np.swapaxes(self._back, 1, 2)
        found: Array = (turned @ force.reshape(*self._blocks.shape[:2], 1)).reshape(-1)
        return found

    def weighted(self, rows: Array) -> Array:
        """Return J C^-T for rows (m, n)."""
        count, width = self._blocks.shape[:2]
        parts = np.einsum("mbi,bji->mbj", rows.reshape(len(rows), count, width), self._back)
        found: Array = parts.reshape(len(rows), count * width)
        return found


class WholeMasses:
    """A mass matrix (n, n) as it is."""

    def __init__(self, matrix: Array) -> None:
        self._matrix, self._back = matrix, np.linalg.inv(np.linalg.cholesky(matrix))

    def times(self, accelerations: Array) -> Array:
        """Return M a."""
        found: Array = self._matrix @ accelerations
        return found

    def half(self, force: Array, *, forward: bool) -> Array:
        """Return C^-1 f, or backward C^-T f."""
        found: Array = (self._back if forward else self._back.T) @ force
        return found

    def weighted(self, rows: Array) -> Array:
        """Return J C^-T for rows (m, n)."""
        found: Array = rows @ self._back.T
        return found
