"""Rings with a spherical pair: cut there, three letters are left that carry a point to a point.

The side of k1 is laid out up to the spherical centre, the side of k2 too, with all free coordinates at zero. Where
E_A moves the former to s and E_B the latter to s, E_B^-1 E_A carries the held centre of k1's side to that of k2's
side: the word of the kernel, whichever bodies are known and however many there are.

Source: docs/closed-forms.md, "Rings"; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from symgen.algebra import Expr, atan2
from symgen.derive.derivation import Derivation
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.layout import HeldLetter, HeldPoint, HeldSide
from symgen.derive.rings.rates import derive_rates_at_point
from symgen.derive.rings.words import WordLetter, regional_reading
from symgen.derive.vectors import Vector

#: The letters as a kernel reads them.
Row = Sequence[WordLetter[HeldLetter]]


class SphericalClosing(ABC):
    """Closes a chain at its spherical pair; what solves the three letters is a kernel's own affair."""

    def __init__(self, cut: int) -> None:
        self._cut = cut

    @property
    def cut(self) -> int | None:
        """Number of the spherical joint."""
        return self._cut

    @abstractmethod
    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""

    @abstractmethod
    def solve(self, group: RingGroup, row: Row, carried: HeldPoint, target: HeldPoint) -> tuple[Expr, ...]:
        """Call the kernel and return the coordinates of the three letters as they count in the joints."""

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        layouts = group.hold()
        near, far = (
            group.held_centre(side, self._cut, name) for side, name in zip(layouts, ("near", "far"), strict=True)
        )
        _, row, backwards = regional_reading(_word(layouts))
        values = self.solve(group, row, *((far, near) if backwards else (near, far)))
        coordinates = {letter.source.slot: value for letter, value in zip(row, values, strict=True)}
        group.place(coordinates, *layouts)
        derive_rates_at_point(group, self._placed_centre(group, near, far))

    def _placed_centre(self, group: RingGroup, near: HeldPoint, far: HeldPoint) -> Vector:
        if not group.walk_b:
            return far.world
        if not group.walk_a:
            return near.world
        with group.d.part("geometry"):
            return group.joint_on(self._cut, group.walk_a[-1].far, "s", "spherical centre")


def counted(letter: WordLetter[HeldLetter], value: Expr) -> Expr:
    """Return a coordinate or a sine of a kernel's letter as it counts in its joint."""
    return value if letter.forward == letter.source.passed.ahead else -value


def angle_of(letter: WordLetter[HeldLetter], sine: Expr, cosine: Expr) -> Expr:
    """Return the angle of a kernel's letter as it counts in its joint."""
    return atan2(counted(letter, sine), cosine)


def _word(layouts: tuple[HeldSide, HeldSide]) -> tuple[WordLetter[HeldLetter], ...]:
    a, b = layouts
    far = [WordLetter(x.passed.joint, x.primitive, False, x) for x in b.letters[::-1]]
    return (*far, *(WordLetter(x.passed.joint, x.primitive, True, x) for x in a.letters))
