"""The header of our own sine, cosine and angle of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.folding import INDENT, broken
from symgen.printers.c99 import REAL_WORDS, Precision, RealWords
from symgen.printers.elementary import BOUNDS, FAR_BOUND, Elementary, elementary_functions
from symgen.render.documentation import WIDTH


@dataclass(frozen=True)
class BoundsView:
    """What the header tells of the functions in one precision."""

    real: str
    turn_bound: str
    angle_bound: str
    range: str
    least: str
    most: str


@dataclass(frozen=True)
class PolynomialsView:
    """What one precision alone has: polynomials in z, a part of pi/2."""

    sine_behind: str
    cosine: str
    arctangent: str
    third_part: str


@dataclass(frozen=True)
class FarView:
    """Steps of a far angle: how many are in 1 rad, one in parts."""

    steps: str
    first_step: str
    second_step: str
    last_step: str


@dataclass(frozen=True)
class NumbersView:
    """Numbers that each precision has, each pair as the macro that takes one of them."""

    zero: str
    half: str
    one: str
    two: str
    four: str
    whole: str
    near: str
    largest: str
    turns: str
    first_part: str
    second_part: str
    last_part: str
    sine_first: str
    quarter: str
    quarter_rest: str


@dataclass(frozen=True)
class MathHeaderView:
    """The common header of elementary functions."""

    preamble: tuple[str, ...]
    types: tuple[BoundsView, ...]
    both: NumbersView
    double: PolynomialsView
    single: PolynomialsView
    far: FarView


def math_header_view() -> MathHeaderView:
    """Return the view of the header, which is compiled in either precision."""
    found = elementary_functions("double"), elementary_functions("float")
    words = REAL_WORDS["double"], REAL_WORDS["float"]

    def pair(double: float, single: float) -> str:
        return f"OWN({words[0].factor(double)}, {words[1].factor(single)})"

    double, single = found
    return MathHeaderView(
        (),
        (_bounds("double"), _bounds("float")),
        NumbersView(
            zero=pair(0.0, 0.0),
            half=pair(0.5, 0.5),
            one=pair(1.0, 1.0),
            two=pair(2.0, 2.0),
            four=pair(4.0, 4.0),
            whole=pair(1.5 * 2.0**52, 1.5 * 2.0**23),
            near=words[0].factor(double.near),
            largest=pair(double.largest, single.largest),
            turns=pair(double.turns, single.turns),
            first_part=pair(double.right_angle[0], single.right_angle[0]),
            second_part=pair(double.right_angle[1], single.right_angle[1]),
            last_part=pair(double.right_angle[-1], single.right_angle[-1]),
            sine_first=pair(double.sine[0], single.sine[0]),
            quarter=pair(double.quarter[0], single.quarter[0]),
            quarter_rest=pair(double.quarter[1], single.quarter[1]),
        ),
        _polynomials(words[0], double),
        _polynomials(words[1], single),
        _far(words[0], double),
    )


def _far(words: RealWords, found: Elementary) -> FarView:
    first, second, last, steps = map(words.factor, found.steps)
    return FarView(steps, first, second, last)


def _bounds(precision: Precision) -> BoundsView:
    found, (turn, angle) = elementary_functions(precision), BOUNDS[precision]
    is_float = precision == "float"
    return BoundsView(
        real=precision,
        turn_bound=f"{turn:g} ulp for |x| <= {found.near:.0f} rad" + ("" if is_float else f", {FAR_BOUND:g} for more"),
        angle_bound=f"{angle:g} ulp",
        range=f"{found.largest:.0f}",
        least="1e-30" if is_float else "1e-300",
        most="3.4e38" if is_float else "1.79e308",
    )


def _polynomials(words: RealWords, found: Elementary) -> PolynomialsView:
    return PolynomialsView(
        sine_behind=_written([words.factor(c) for c in found.sine[1:]]),
        cosine=_written([words.factor(c) for c in found.cosine]),
        arctangent=_written([words.factor(c) for c in found.arctangent]),
        third_part=words.factor(found.right_angle[2]),
    )


def _written(factors: Sequence[str]) -> str:
    """Return a polynomial in z, broken into lines."""
    return f"\n{2 * INDENT}".join(broken(_nested(factors), WIDTH - 5 * len(INDENT)))


def _nested(factors: Sequence[str]) -> str:
    """Return a polynomial in z, lowest factor first: pairs, by Horner's scheme in z^2, half as deep as in z."""
    first, *rest = factors
    if not rest:
        return first
    second, *behind = rest
    pair = f"{first} + z*{second}"
    if not behind:
        return pair
    return f"{pair} + z*z*{_nested(behind)}" if len(behind) == 1 else f"{pair} + z*z*({_nested(behind)})"
