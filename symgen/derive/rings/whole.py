"""Rings that are solved as a whole: six letters from k1 to k2, coordinates from a kernel on held elements.

The letters lie held; together they carry the held last joint frame to the one on k2 (`Transport`). What a kernel makes
of that is its own affair; here the bodies are placed by its coordinates, and six equations give the rates.

Source: docs/closed-forms.md, "Rings"; product of exponentials: Brockett 1984.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from symgen.derive.derivation import Derivation
from symgen.derive.rings.group import Coordinates, RingGroup
from symgen.derive.rings.layout import Layout, Transport
from symgen.derive.rings.loop_rates import closing_point, derive_rates_of_loop, six_rates, whole_walk


class WholeClosing(ABC):
    """Closes a chain without a cut by a kernel of six letters."""

    @property
    def cut(self) -> int | None:
        """No joint is cut."""
        return None

    @abstractmethod
    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""

    @abstractmethod
    def solve(self, group: RingGroup, layout: Layout, move: Transport) -> Coordinates:
        """Call the kernel (`group.kernel`) and return the coordinate of every letter of `layout` by its `slot`.

        A letter's coordinate counts as its joint does: `letter.passed.signed(x)` of what is found along the walk.
        """

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        layout, _ = group.hold()
        coordinates = self.solve(group, layout, group.transport(layout))
        group.place(coordinates, layout)
        point = closing_point(group)
        walk = whole_walk(group)
        derive_rates_of_loop(group, walk, point, six_rates(group.d, walk, point))
