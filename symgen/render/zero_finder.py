"""The view of the search for real zeros of a trigonometric polynomial in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.names import bounds_zeros, searches
from symgen.ir.nodes import LoopAssemblies, Routine, Zeros
from symgen.printers.c99 import REAL_WORDS, RealWords, Written
from symgen.printers.zero_finder import BAND, DOUBTS, NEARBY, NOISE, ROUNDS


@dataclass(frozen=True)
class FinderView:
    """One function that finds zeros: its head, whether it takes a least cosine, and how near each other is doubtful."""

    head: str
    bound: bool
    doubts: str


@dataclass(frozen=True)
class ZeroFinderView:
    """Numbers, types and functions in one precision; `most` is the largest number of zeros in the module."""

    real: str
    most: int
    rounds: int
    band: str
    nearby: str
    noise: str
    epsilon: str
    limit: str
    zero: str
    one: str
    literal_0: str
    literal_half: str
    literal_1: str
    literal_2: str
    literal_8: str
    inside: str
    outside: str
    turn: str
    finders: tuple[FinderView, ...]
    absolute: str
    sqrt: str
    cos: str
    sin: str
    atan2: str


def degrees_of(routines: Sequence[Routine]) -> tuple[int, ...]:
    """Return the degrees of all polynomials whose zeros the routines take."""
    return tuple(s.degree for routine in routines for s in routine.body if isinstance(s, (Zeros, LoopAssemblies)))


def takes_zeros(routines: Sequence[Routine]) -> bool:
    """Tell whether a routine takes a zero by itself."""
    return any(isinstance(s, Zeros) for routine in routines for s in routine.body)


def _finders(routines: Sequence[Routine], words: RealWords) -> tuple[FinderView, ...]:
    real, found = words.real, []
    if takes_zeros(routines):
        bound = bounds_zeros(routines)
        least = f"{real} least, " if bound else ""
        head = f"real_zeros(const {real} *c, int32_t highest, {least}complex_number *found)"
        found.append(FinderView(head, bound, ""))
    if searches(routines):
        ports = f"const {real} *c, int32_t highest, {real} least, complex_number *found, bool *doubtful"
        found.append(FinderView(f"every_zero({ports})", True, words.choice(DOUBTS)))
    return tuple(found)


def zero_finders(routines: Sequence[Routine], precision: Written) -> tuple[ZeroFinderView, ...]:
    """Return the view, or nothing if no routine takes zeros."""
    degrees = degrees_of(routines)
    if not degrees:
        return ()
    words = REAL_WORDS[precision]
    zero, one = words.literal("0.0"), words.literal("1.0")
    return (
        ZeroFinderView(
            real=words.real,
            most=2 * max(degrees),
            rounds=ROUNDS,
            band=words.choice(BAND),
            nearby=words.choice(NEARBY),
            noise=words.choice(NOISE),
            epsilon=words.limit("EPSILON"),
            limit=words.limit("MAX"),
            zero=f"{{{zero}, {zero}}}",
            one=f"{{{one}, {zero}}}",
            literal_0=words.literal("0.0"),
            literal_half=words.literal("0.5"),
            literal_1=words.literal("1.0"),
            literal_2=words.literal("2.0"),
            literal_8=words.literal("8.0"),
            inside=words.literal("0.75"),
            outside=words.literal("1.25"),
            finders=_finders(routines, words),
            turn=words.literal("6.283185307179586"),
            absolute=words.function("fabs"),
            sqrt=words.function("sqrt"),
            cos=words.function("cos"),
            sin=words.function("sin"),
            atan2=words.function("atan2"),
        ),
    )
