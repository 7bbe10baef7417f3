"""Where a moved point meets a sphere or a cylinder: one square root each.

Each block names its steps in a derivation, guards them (out of reach, fold, degenerate) and returns named values.
The sign bit of each is continuous until a fold: it is the sign of the closing equation's derivative.

Source: docs/closed-forms.md (T2 to T4), derived there; claims are proved by `symgen.proofs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    TWO,
    ZERO,
    Expr,
    absolute,
    name_of,
    not_below_zero,
    sqrt,
)
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


@dataclass(frozen=True)
class TurnedPoint:
    """A point turned about an axis: cosine and sine of the angle, where the point is, and the size of its rounding.

    `spread` times EPSILON bounds the rounding of y - c, in metres.
    """

    cosine: Expr
    sine: Expr
    y: Vector
    spread: Expr


def unit_square(vector: Vector) -> dict[str, Expr]:
    """Return the square of a unit vector's last component, for claims."""
    return {names_of(vector)[-1]: ONE - sum_of_squares(vector.components[:-1])}


def sum_of_squares(values: Sequence[Expr]) -> Expr:
    """Return the sum of squares."""
    total = ZERO
    for value in values:
        total = total + value * value
    return total


def names_of(vector: Vector) -> list[str]:
    """Return the names of a vector's components, which must be symbols."""
    return [name_of(value) for value in vector]


def _margin(d: Derivation, margin: Expr, scale: Expr, noise: Expr, unreached: str, fold: str) -> None:
    """Guard and flag the radicand of a branch.

    `scale` is what the radicand is compared with to see how close its two branches are. `noise` times EPSILON bounds
    its rounding near a fold, which is the larger of the two where a short arm meets a long one.
    """
    rounding = REACH_TOLERANCE * noise
    d.guard(margin, ">=", -rounding, Status.NO_ASSEMBLY, unreached)
    d.flag(margin, "<", FOLD_TOLERANCE * scale + rounding, Status.SINGULAR, fold)


def _radius(d: Derivation, rho2: Expr, squares: Expr) -> None:
    """Refuse a sphere whose radius is rounding: a point of it has no direction from its centre.

    `squares` are those of the lengths that a point of it is made of. Such a sphere is reached in its centre alone, if
    at all; whether it is reached only rounding would tell.
    """
    least = TINY * squares + SMALL_LENGTH * SMALL_LENGTH
    d.guard(rho2, ">", least, Status.DEGENERATE, "both centres coincide in their link: its direction is lost")


def circle_meets_sphere(
    d: Derivation, a: Vector, p: Vector, y0: Vector, c: Vector, rho2: Expr, sigma: Expr
) -> TurnedPoint:
    """Turn y0 about the axis a through p until its squared distance from c is rho2 (T2 of docs/closed-forms.md).

    With f = p + a (a . (y0 - p)) the foot of y0 on the axis, r the arm from f to y0 and m = f - c,
    |f + cos r + sin (a x r) - c|^2 = rho2 reads A cos + B sin + C = 0.
    """
    q = d.vector("q", y0 - p, "from the axis point to the turned point", "m")
    axial = d.scalar("axial", a.dot(q), "part of that along the axis", "m")
    arm = d.vector("arm", q - a * axial, "radius of the circle, at zero angle", "m")
    side = d.vector("side", a.cross(q), "radius of the circle, turned by a quarter turn", "m")
    m = d.vector("m", p + a * axial - c, "from the sphere's centre to the circle's", "m")
    big_a = d.scalar("coef_c", TWO * m.dot(arm), "coefficient of the cosine", "m^2")
    big_b = d.scalar("coef_s", TWO * m.dot(side), "coefficient of the sine", "m^2")
    span = d.scalar("span", m.dot(m) + arm.dot(arm), "sum of squares of both arms", "m^2")
    big_c = d.scalar("coef_1", span - rho2, "constant of A cos + B sin + C = 0", "m^2")
    h2 = d.scalar("h2", big_a * big_a + big_b * big_b, "squared amplitude", "m^4")
    d.guard(h2, ">", TINY * span * span, Status.DEGENERATE, "the angle does not change the distance")
    margin = d.scalar("margin", h2 - big_c * big_c, "squared amplitude left over; negative: out of reach", "m^4")
    # At a fold coef_1^2 = h2, and coef_1 is a difference of these squares; q is there for an axis point far away.
    squares = d.scalar("squares", span + rho2 + q.dot(q), "squares of all arms", "m^2")
    _radius(d, rho2, squares)
    noise = d.scalar(
        "noise", absolute(big_c) * squares, "size of the terms that cancel in the margin near a fold", "m^4"
    )
    unreached, fold = "the circle does not reach the sphere", "the circle touches the sphere: branches meet"
    _margin(d, margin, h2, noise, unreached, fold)
    root = d.scalar("root", sigma * sqrt(not_below_zero(margin)), "root of the margin with the branch's sign", "m^2")
    i_h2 = d.scalar("i_h2", 1 / h2, "reciprocal of the squared amplitude", "1/m^4")
    cosine = d.scalar("cos_q", (big_b * root - big_a * big_c) * i_h2, "cosine of the angle")
    sine = d.scalar("sin_q", -(big_b * big_c + big_a * root) * i_h2, "sine of the angle")
    y = d.vector("y", p + a * axial + arm * cosine + side * sine, "the turned point", "m")
    d.claim_identity(
        "angle",
        "cosine and sine solve A cos + B sin + C = 0 and cos^2 + sin^2 = 1",
        [big_a * cosine + big_b * sine + big_c, cosine * cosine + sine * sine - ONE],
        squares={"root": margin},
        keep=["coef_c", "coef_s", "coef_1"],
    )
    gap = y - c
    d.claim_zero("sphere", "the turned point lies on the sphere: |y - c|^2 = rho^2", [gap.dot(gap) - rho2])
    # The angle is as good as the coefficients are: the point is off by the squares over the radius of the sphere.
    return TurnedPoint(cosine, sine, y, gap.size() * squares / rho2)


@dataclass(frozen=True)
class Slid:
    """A point slid along a line: how far, where it is, and the size of its rounding, see `TurnedPoint`."""

    slide: Expr
    y: Vector
    spread: Expr


def line_meets_sphere(d: Derivation, a: Vector, y0: Vector, c: Vector, rho2: Expr, sigma: Expr) -> Slid:
    """Slide y0 along the unit direction a until its squared distance from c is rho2 (T3 of docs/closed-forms.md)."""
    m = d.vector("m", y0 - c, "from the sphere's centre to the point at zero slide", "m")
    along = d.scalar("along", a.dot(m), "part of that along the slide", "m")
    off = d.vector("off", m - a * along, "part of that across the slide", "m")
    _radius(d, rho2, m.dot(m) + rho2)
    h2 = d.scalar("h2", rho2 - off.dot(off), "squared half chord; negative: out of reach", "m^2")
    # The part across is a difference of parts as long as m; at a fold it is as long as rho.
    noise = d.scalar("noise", off.size() * m.size(), "size of the terms that cancel in the margin near a fold", "m^2")
    unreached, fold = "the line does not reach the sphere", "the line touches the sphere: branches meet"
    _margin(d, h2, rho2, noise, unreached, fold)
    half = d.scalar("half", sigma * sqrt(not_below_zero(h2)), "half chord with the branch's sign", "m")
    slide = d.scalar("slide", half - along, "slide", "m")
    y = d.vector("y", y0 + a * slide, "the slid point", "m")
    gap = y - c
    d.claim_identity(
        "sphere",
        "the slid point lies on the sphere: |y - c|^2 = rho^2",
        [gap.dot(gap) - rho2],
        squares={"half": h2, **unit_square(a)},
    )
    return Slid(slide, y, gap.size() + m.size())


def line_meets_cylinder(d: Derivation, a: Vector, y0: Vector, c: Vector, u: Vector, rad2: Expr, sigma: Expr) -> Slid:
    """Slide y0 along a until its squared distance from the axis u through c is rad2 (T4 of docs/closed-forms.md)."""
    m = d.vector("m", y0 - c, "from the cylinder's axis point to the point at zero slide", "m")
    least = TINY * m.dot(m) + SMALL_LENGTH * SMALL_LENGTH
    d.guard(rad2, ">", least, Status.DEGENERATE, "the point lies on the cylinder's axis")
    mu = d.vector("mu", m.cross(u), "across the cylinder's axis, turned", "m")
    au = d.vector("au", a.cross(u), "the slide across the cylinder's axis, turned")
    slope2 = d.scalar("slope2", au.dot(au), "squared sine between slide and cylinder's axis")
    d.guard(slope2, ">", TINY, Status.DEGENERATE, "the slide is parallel to the cylinder's axis")
    slope = d.scalar("slope", sqrt(slope2), "that sine")
    i_slope = d.scalar("i_slope", 1 / slope, "reciprocal of that sine")
    across = d.vector("across", au * i_slope, "direction of the slide across the cylinder's axis, turned")
    middle = d.scalar("middle", mu.dot(across), "from the middle of the chord back, across the axis", "m")
    near = d.vector("near", mu - across * middle, "closest approach of the line to the axis, turned", "m")
    h2 = d.scalar("h2", rad2 - near.dot(near), "squared half chord across the axis; negative: out of reach", "m^2")
    # The direction across is good to EPSILON over the sine; it turns m; at a fold `near` is as long as the radius.
    noise = d.scalar(
        "noise", near.size() * m.size() * i_slope, "size of the terms that cancel in the margin near a fold", "m^2"
    )
    unreached, fold = "the line does not reach the cylinder", "the line touches the cylinder: branches meet"
    _margin(d, h2, rad2, noise, unreached, fold)
    half = d.scalar("half", sigma * sqrt(not_below_zero(h2)), "half chord across the axis, with the branch's sign", "m")
    slide = d.scalar("slide", (half - middle) * i_slope, "slide", "m")
    y = d.vector("y", y0 + a * slide, "the slid point", "m")
    reach = mu + au * slide
    d.claim_identity(
        "cylinder",
        "the slid point lies on the cylinder: |(y - c) x u|^2 = r^2",
        [reach.dot(reach) - rad2],
        squares={"half": h2, "slope": slope2},
        keep=[name for vector in (mu, au) for name in names_of(vector)],
    )
    return Slid(slide, y, m.size() * i_slope)
