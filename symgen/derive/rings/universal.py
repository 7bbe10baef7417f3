"""Rings of cylindrical and universal pairs alone: {C,C,U}, {C,U,U}, {U,U,U}, whichever links are known.

The letters are laid out from k1 to k2, held, and make together the motion T. A cyclic shift, (E_1 E_2) E_3 ... E_6 = T
to E_3 ... E_6 T^-1 (E_1 E_2) T = T, and a reversal, E_6^-1 ... E_1^-1 = T^-1, bring each arrangement to the reading
that its kernel knows, cylindrical pairs first. Driven joints between only move held axes.

Source: docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symgen.algebra import Expr, atan2
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants import cylinder_universals, three_universals, two_cylinders
from symgen.derive.rings.chain import RingChain
from symgen.derive.rings.group import Coordinates, RingGroup
from symgen.derive.rings.layout import HeldLetter, HeldSide, Transport
from symgen.derive.rings.loop_rates import closing_point, derive_rates_of_loop, six_rates, whole_walk
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class UniversalWord:
    """A kernel: its reading, the ports of its letters' points and axes, the number of complex assembly modes."""

    name: str
    points: tuple[tuple[str, int], ...]
    axes: tuple[int, ...]
    slides: tuple[int, ...]
    modes: int
    derive_kernel: Callable[[], Derivation]
    input_branch: Callable[[Derivation], Expr]
    summary: str


WORDS = {
    "CCU": UniversalWord(
        "CCU", (("p2", 2), ("p4", 4)), (1, 3), (1, 3), 8,
        two_cylinders.derive_kernel, two_cylinders.input_branch, two_cylinders.__doc__ or "",
    ),
    "CUU": UniversalWord(
        "CUU", (("p2", 2), ("p3", 3)), (1, 3, 4), (1,), 16,
        cylinder_universals.derive_kernel, cylinder_universals.input_branch, cylinder_universals.__doc__ or "",
    ),
    "UUU": UniversalWord(
        "UUU", (("p1", 1), ("p3", 3)), (1, 2, 3, 4), (), 16,
        three_universals.derive_kernel, three_universals.input_branch, three_universals.__doc__ or "",
    ),
}  # fmt: skip

#: Order of the joints from k1 to k2 -> word, whether the first joint is shifted to the end, whether then reversed.
READINGS: dict[str, tuple[str, bool, bool]] = {
    "CCU": ("CCU", False, False),
    "CUC": ("CCU", True, True),
    "UCC": ("CCU", False, True),
    "CUU": ("CUU", False, False),
    "UCU": ("CUU", True, False),
    "UUC": ("CUU", False, True),
    "UUU": ("UUU", False, False),
}


def universal_word(chain: RingChain) -> UniversalWord | None:
    """Return the word of a chain whose free joints are whole cylindrical and universal pairs, or None."""
    free = [joint for joint in chain.joints if joint.free]
    if any(joint.driven for joint in free):
        return None
    reading = READINGS.get("".join(joint.type for joint in free))
    return WORDS[reading[0]] if reading else None


@dataclass(frozen=True)
class ReadLetter:
    """A letter as the kernel reads it: where it is held, where T would bring it, whether it counts as walked."""

    source: HeldLetter
    axis: Vector
    point: Vector
    wanted_axis: Vector
    wanted_point: Vector
    forward: bool


class UniversalClosing:
    """Closes a chain of cylindrical and universal pairs."""

    def __init__(self, chain: RingChain, word: UniversalWord) -> None:
        self.word = word
        _, self.shifted, self.reversed = READINGS["".join(joint.type for joint in chain.joints if joint.free)]

    @property
    def cut(self) -> int | None:
        """No joint is cut."""
        return None

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        return self.word.input_branch(d)

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        d = group.d
        layout, _ = group.hold()
        row = self._read(d, layout, group.transport(layout))
        given: dict[str, Vector | Expr] = {f"a{k}": row[k - 1].axis for k in self.word.axes}
        given |= {port: row[k - 1].point for port, k in self.word.points}
        near, far = row[4], row[5]
        given |= {"p5": near.point, "a5": near.axis, "a6": far.axis, "p_t": near.wanted_point}
        given |= {"a5_t": near.wanted_axis, "a6_t": far.wanted_axis, "branch": d.branch}
        found = d.call(group.kernel, given, "ring", "The six letters from known body to known body.")
        coordinates: Coordinates = {}
        for k, letter in enumerate(row, 1):
            counts = letter.forward == letter.source.passed.ahead
            if k in self.word.slides:
                value = found.scalar(f"slide_{k}")
                value = value if counts else -value
            else:
                sine = found.scalar(f"sin_{k}")
                value = atan2(sine if counts else -sine, found.scalar(f"cos_{k}"))
            coordinates[letter.source.slot] = value
        group.place(coordinates, layout)
        point, walk = closing_point(group), whole_walk(group)
        derive_rates_of_loop(group, walk, point, six_rates(d, walk, point))

    def _read(self, d: Derivation, layout: HeldSide, move: Transport) -> list[ReadLetter]:
        """Return the six letters in the kernel's order."""
        letters = list(layout.letters)
        row: list[ReadLetter] = []
        for k, letter in enumerate(letters, 1):
            shifted = self.shifted and letter.passed.joint.number == letters[0].passed.joint.number
            row.append(self._moved(d, k, letter, move, shifted=shifted))
        if self.shifted:
            row = [*row[2:], *row[:2]]
        if self.reversed:
            row = row[::-1]
        for k in (0, 2):  # a cylindrical pair slides first, then turns
            if row[k].source.primitive.kind == "R" and row[k + 1].source.primitive.kind == "P":
                row[k], row[k + 1] = row[k + 1], row[k]
        return row

    def _moved(self, d: Derivation, k: int, letter: HeldLetter, move: Transport, *, shifted: bool) -> ReadLetter:
        """Name where a letter is read: shifted ones are moved back, and wanted where they were."""
        axis, at = letter.axis, letter.point
        name, what = f"letter{k}", f"{letter.primitive.freedom} of {letter.passed.joint.name}"

        def there(back: bool) -> tuple[Vector, Vector]:
            if back:
                turned, arm = move.back(axis), move.held.at + move.back(at - move.target.at)
            else:
                turned, arm = move.of_axis(axis), move.of_point(at)
            text = f"{what}: axis as {'before' if back else 'after'} all letters"
            return d.vector(f"{name}_axis", turned, text), d.vector(f"{name}_at", arm, f"{what}: its point there", "m")

        forward = not self.reversed
        if shifted:
            held_axis, held_at = there(back=True)
            return ReadLetter(letter, held_axis, held_at, axis, at, forward)
        wanted_axis, wanted_at = there(back=self.reversed)
        return ReadLetter(letter, axis, at, wanted_axis, wanted_at, forward)
