"""A zero of a sampled polynomial, polished on the routine that gives its values.

The coefficients of a polynomial carry the rounding of its largest values; close to a zero the routine itself carries
only that of its own terms there. Three values give slope and curvature, the nearest zero of the parabola through them
is taken, and one more value corrects it with the same slope.

Source: Muller 1956, "A method for solving algebraic equations using an automatic computer".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import FOLD_TOLERANCE, HALF, ONE, TINY, TWO, Expr, absolute, not_below_zero, ratio, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner
from symgen.derive.vectors import Vector
from symgen.status import Status

#: Angle between values: its square, times the polynomial's derivatives, is the error of the slope.
STEP = ratio(1, 1024)


@dataclass(frozen=True)
class PolishedZero:
    """Cosine and sine of the angle, and the slope of the polynomial there."""

    cosine: Expr
    sine: Expr
    slope: Expr
    bend: Expr

    def flag_double(self, d: Derivation, coefficients: Sequence[Expr], terms: Expr) -> None:
        """Flag a zero that rounding of coefficients, or of the terms of the value, cannot tell from a double one."""
        total = terms
        for value in coefficients:
            total = total + absolute(value)
        size = d.scalar("coefficient_size", total, "what bounds the polynomial and its terms")
        steep = d.scalar("steep", self.slope * self.slope, "squared slope of the polynomial at the zero")
        rounding = FOLD_TOLERANCE * size * absolute(self.bend)
        d.flag(steep, "<=", rounding, Status.SINGULAR, "a double zero, as far as the coefficients tell")


def polished_zero(
    d: Derivation, name: str, routine: Inner, inputs: Mapping[str, Vector | Expr], cosine: Expr, sine: Expr
) -> PolishedZero:
    """Name cosine and sine of a better zero; the routine's first two ports are cosine and sine of the angle."""
    at_c, at_s = (port.name for port in routine.inputs[:2])
    out = routine.results[0].name

    def value(label: str, c: Expr, s: Expr) -> Expr:
        c, s = d.scalar(f"{name}_c_{label}", c, "cosine"), d.scalar(f"{name}_s_{label}", s, "sine")
        results = d.call(routine, {at_c: c, at_s: s, **inputs}, f"{name}_{label}", "Value of the polynomial there.")
        return results.scalar(out)

    def turned(c: Expr, s: Expr, angle: Expr, label: str) -> tuple[Expr, Expr]:
        """Turn by a small angle, to third order and exactly on the circle."""
        half2 = d.scalar(f"{name}_t_{label}", HALF * angle, "tangent of half of the angle to turn")
        scale = 1 / (ONE + half2 * half2)
        cos_t, sin_t = (ONE - half2 * half2) * scale, TWO * half2 * scale
        return c * cos_t - s * sin_t, s * cos_t + c * sin_t

    here = value("here", cosine, sine)
    ahead = value("ahead", *turned(cosine, sine, STEP, "ahead"))
    behind = value("behind", *turned(cosine, sine, -STEP, "behind"))
    slope = d.scalar(f"{name}_slope", (ahead - behind) / (TWO * STEP), "slope there")
    bend = d.scalar(f"{name}_bend", (ahead - TWO * here + behind) / (STEP * STEP), "curvature there")
    size = d.scalar(f"{name}_size", absolute(ahead) + absolute(here) + absolute(behind), "size of the values")
    space = d.scalar(f"{name}_space", not_below_zero(slope * slope - TWO * here * bend), "discriminant of the parabola")
    steep = slope * slope + absolute(slope) * sqrt(space) + TINY * size * size + TINY * TINY
    step = d.scalar(f"{name}_step", -(TWO * here * slope) / steep, "how far its nearest zero is", "rad")
    next_c, next_s = turned(cosine, sine, step, "there")
    next_c = d.scalar(f"{name}_next_c", next_c, "cosine of that zero")
    next_s = d.scalar(f"{name}_next_s", next_s, "sine of that zero")
    there = value("there", next_c, next_s)
    new = d.scalar(f"{name}_new", slope + bend * step, "slope there")
    last = d.scalar(f"{name}_last", -(there * new) / (new * new + TINY * size * size + TINY * TINY), "rest", "rad")
    last_c, last_s = turned(next_c, next_s, last, "last")
    last_c = d.scalar(f"cos_{name}_polished", last_c, "cosine of the polished zero")
    last_s = d.scalar(f"sin_{name}_polished", last_s, "sine of the polished zero")
    return PolishedZero(last_c, last_s, new, bend)
