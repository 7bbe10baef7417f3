"""Words: which letters lie between two cuts, in which order, and which kernel solves them.

A letter of a word stands for a held axis (and a point of it) and says how its coordinate counts against the one the
kernel finds. Reading a word backwards reverses all motions, so each word has one reading that its kernel knows.

Source: docs/closed-forms.md, "Rings".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from symgen.derive.joints import Primitive
from symgen.derive.rings.chain import RingChain, RingJoint

T = TypeVar("T")


@dataclass(frozen=True)
class WordLetter(Generic[T]):
    """One letter: what it stems from, and whether the kernel's coordinate is the one of the walk or its negative."""

    joint: RingJoint
    primitive: Primitive
    forward: bool
    source: T

    def flipped(self) -> WordLetter[T]:
        """Return the letter of the reversed motion."""
        return WordLetter(self.joint, self.primitive, not self.forward, self.source)


def pair_of(first: WordLetter[T], second: WordLetter[T]) -> str:
    """Return U for two turns about axes that meet, C for turn and slide along one axis, else ""."""
    if first.joint.number != second.joint.number:
        return ""
    kinds = {first.primitive.kind, second.primitive.kind}
    if kinds == {"R"}:  # all turns of one joint are about its centre
        return "U"
    return "C" if kinds == {"R", "P"} and first.primitive.axis == second.primitive.axis else ""


def is_square(first: WordLetter[T], second: WordLetter[T]) -> bool:
    """Tell whether two letters stem from one joint and stand at a right angle to each other."""
    same = first.joint.number == second.joint.number
    return same and first.primitive.axis != second.primitive.axis and pair_of(first, second) != "C"


def regional_reading(word: Sequence[WordLetter[T]]) -> tuple[str, tuple[WordLetter[T], ...], bool]:
    """Return the kernel's name of a word of three letters, the letters as it reads them, and whether backwards."""
    ahead = tuple(word)
    back = tuple(letter.flipped() for letter in word[::-1])
    for pair, name in (("U", "U"), ("C", "C")):
        for row, turned in ((ahead, False), (back, True)):
            if pair_of(row[0], row[1]) == pair:
                first = row[:2] if row[0].primitive.kind == "R" else row[1::-1]  # a C turns first, then slides
                return name + row[2].primitive.kind, (*first, row[2]), turned
    kinds = "".join(letter.primitive.kind for letter in ahead)
    turned = kinds in ("PRR", "RPP")
    if kinds == "RPR":
        turned = is_square(ahead[0], ahead[1]) and not is_square(ahead[1], ahead[2])
    row = back if turned else ahead
    return "".join(letter.primitive.kind for letter in row), row, turned


def cut_letters(chain: RingChain, cut: int) -> tuple[WordLetter[None], ...]:
    """Return the word between both sides of a cut: those of k2 backwards, then those of k1.

    What k1's side carries to the cut must be where k2's side has it: E_B^-1 E_A.
    """
    last = len(chain.joints) - 1
    near = [WordLetter(j, p, True, None) for j in chain.joints[:cut] for p in j.free]
    far = []
    for joint in chain.joints[:cut:-1]:
        row = joint.free if joint.number == last else joint.free[::-1]
        far += [WordLetter(joint, p, False, None) for p in row]
    return (*far[::-1], *near)


def spherical_cut(chain: RingChain) -> int | None:
    """Return the number of the first joint that is a free S, or None."""
    return next((j.number for j in chain.joints if j.type == "S" and not j.driven), None)
