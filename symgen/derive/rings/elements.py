"""Held elements of a word of three letters, and how a solved letter is written.

Source: docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class HeldElements:
    """Held elements: axis and point of each letter (a P has none), and the points to be carried and to be reached."""

    axes: tuple[Vector, Vector, Vector]
    points: tuple[Vector | None, Vector | None, Vector | None]
    s: Vector
    t: Vector

    def point(self, k: int) -> Vector:
        """Return the point of a turning letter (from 1)."""
        found = self.points[k - 1]
        assert found is not None  # noqa: S101 - asked for turns only
        return found


#: A solved letter: (cosine, sine) of a turn or (slide,).
Solved = tuple[Expr, ...]
