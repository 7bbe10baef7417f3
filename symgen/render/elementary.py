"""The header of our own sine, cosine and angle of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.printers.c99 import REAL_WORDS, Precision, written_with
from symgen.printers.elementary import BOUNDS, elementary_functions

PRECISIONS: tuple[Precision, ...] = ("double", "float")


@dataclass(frozen=True)
class ElementaryView:
    """The functions of one precision: names, numbers and polynomials in z as texts."""

    real: str
    sin: str
    cos: str
    atan2: str
    turn: str
    turn_by: str
    reduced: str
    small_sin: str
    small_cos: str
    abs: str
    copy_sign: str
    not_a_number: str
    zero: str
    half: str
    one: str
    turn_bound: str
    angle_bound: str
    range: str
    least: str
    most: str
    largest: str
    turns: str
    first_part: str
    parts: tuple[str, ...]
    last_part: str
    sine_first: str
    sine_behind: str
    cosine: str
    arctangent: str
    quarter: str
    quarter_rest: str


@dataclass(frozen=True)
class MathHeaderView:
    """The common header of elementary functions."""

    preamble: tuple[str, ...]
    types: tuple[ElementaryView, ...]


def math_header_view() -> MathHeaderView:
    """Return the view of the header, which holds both precisions."""
    return MathHeaderView((), tuple(map(_view, PRECISIONS)))


def _view(precision: Precision) -> ElementaryView:
    words, found, bounds = REAL_WORDS[precision], elementary_functions(precision), BOUNDS[precision]
    first, *parts, last = map(words.factor, found.right_angle)
    own = REAL_WORDS[written_with(precision, "own")]
    return ElementaryView(
        real=words.real,
        **{name: own.function(name) for name in ("sin", "cos", "atan2", "turn", "turn_by")},
        **{name: f"symgen_{words.function(name)}" for name in ("reduced", "small_sin", "small_cos")},
        abs=words.function("fabs"),
        copy_sign=words.function("copysign"),
        not_a_number="NAN" if precision == "float" else "(double)NAN",
        zero=words.literal("0.0"),
        half=words.literal("0.5"),
        one=words.literal("1.0"),
        turn_bound=f"{bounds[0]:g} ulp",
        angle_bound=f"{bounds[1]:g} ulp",
        range=f"{found.largest:.0f}",
        least="1e-30" if precision == "float" else "1e-300",
        most="1e38" if precision == "float" else "8e307",
        largest=words.factor(found.largest),
        turns=words.factor(found.turns),
        first_part=first,
        parts=tuple(parts),
        last_part=last,
        sine_first=words.factor(found.sine[0]),
        sine_behind=_nested([words.factor(c) for c in found.sine[1:]]),
        cosine=_nested([words.factor(c) for c in found.cosine]),
        arctangent=_nested([words.factor(c) for c in found.arctangent]),
        quarter=words.factor(found.quarter[0]),
        quarter_rest=words.factor(found.quarter[1]),
    )


def _nested(factors: Sequence[str]) -> str:
    """Return a polynomial in z by Horner's scheme, lowest factor first."""
    first, *rest = factors
    return f"{first} + z*({_nested(rest)})" if len(rest) > 1 else f"{first} + z*{rest[0]}" if rest else first
