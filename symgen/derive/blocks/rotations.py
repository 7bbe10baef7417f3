"""Three turns in a row that close: the axis in the middle by one square root, and 3 x 3 systems of axes.

Three axes u1, u2, u3 with given angles between them are the corners of a spherical triangle with given sides. Where u1
and u3 are placed, u2 lies at either side of their plane: the sign is that of u2 . (u1 x u3), the determinant of the
three axes, which gives the rates too.

Source: docs/closed-forms.md (T6), derived there; claims are proved by `symgen.proofs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symgen.algebra import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    Expr,
    absolute,
    is_symbol,
    name_of,
    not_below_zero,
    sqrt,
)
from symgen.derive.blocks.quadratic import names_of, unit_square
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


def middle_axis(d: Derivation, u1: Vector, u3: Vector, c12: Expr, c23: Expr, sigma: Expr) -> Vector:
    """Find the unit vector u2 with u1 . u2 = c12 and u2 . u3 = c23 (T6 of docs/closed-forms.md)."""
    c13 = d.scalar("c_13", u1.dot(u3), "cosine of the angle between the outer axes")
    across = d.vector("across", u3 - u1 * c13, "part of the third axis across the first one")
    side = d.vector("side", u1.cross(u3), "that part, turned by a quarter turn")
    size2 = d.scalar("size2", across.dot(across), "squared sine of the angle between the outer axes")
    sine2 = d.scalar("sine2_12", (ONE - c12) * (ONE + c12), "squared sine of the angle between axes 1 and 2")
    lost = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    d.guard(size2, ">", lost, Status.DEGENERATE, "the outer axes are parallel: infinitely many assemblies, or none")
    d.flag(size2, "<", FOLD_TOLERANCE, Status.SINGULAR, "outer axes nearly parallel: middle axis ill-defined")
    along = d.scalar("along", c23 - c12 * c13, "part of the middle axis along `across`, times its length")
    margin = d.scalar("margin", sine2 * size2 - along * along, "squared determinant of the axes; negative: no triangle")
    # `along` is a difference of numbers up to 1, and so is each squared sine, which the other one multiplies.
    noise = d.scalar(
        "noise", absolute(along) + absolute(sine2) + size2, "size of the terms that cancel in the margin near a fold"
    )
    rounding = REACH_TOLERANCE * noise
    d.guard(margin, ">=", -rounding, Status.NO_ASSEMBLY, "the angles between the axes make no triangle")
    scale = FOLD_TOLERANCE * sine2 * size2 + rounding
    d.flag(margin, "<", scale, Status.SINGULAR, "the three axes lie in one plane: branches meet")
    root = d.scalar("root", sigma * sqrt(not_below_zero(margin)), "determinant of the axes, with the branch's sign")
    i_size2 = d.scalar("i_size2", 1 / size2, "reciprocal of the squared sine")
    u2 = d.vector("u2", u1 * c12 + (across * along + side * root) * i_size2, "the middle axis")
    d.claim_identity(
        "triangle",
        "the middle axis is a unit vector with the given cosines to both others",
        [u2.dot(u2) - ONE, u2.dot(u1) - c12, u2.dot(u3) - c23],
        squares={"root": margin, **unit_square(u1)},
        keep=[*names_of(u3), *(name_of(c) for c in (c12, c23) if is_symbol(c))],
    )
    return u2


@dataclass(frozen=True)
class AxisSystem:
    """The factorised system x1 g1 + x2 g2 + x3 g3 = rhs of three unit vectors: rows of the inverse and its size."""

    rows: tuple[Vector, Vector, Vector]
    det: Expr
    condition: Expr

    def solve(self, rhs: Vector) -> tuple[Expr, Expr, Expr]:
        """Return (x1, x2, x3)."""
        first, second, third = self.rows
        return first.dot(rhs), second.dot(rhs), third.dot(rhs)


def axis_system(
    d: Derivation, prefix: str, columns: Sequence[Vector], meaning: str, refuse: Callable[[Derivation, Expr], None]
) -> AxisSystem:
    """Factorise a system of three unit vectors, by their cross products; `refuse` guards the determinant."""
    g1, g2, g3 = columns
    c1 = d.vector(f"{prefix}_cross23", g2.cross(g3), f"{meaning}: normal of the second and third column")
    c2 = d.vector(f"{prefix}_cross31", g3.cross(g1), f"{meaning}: normal of the third and first column")
    c3 = d.vector(f"{prefix}_cross12", g1.cross(g2), f"{meaning}: normal of the first and second column")
    det = d.scalar(f"{prefix}_det", g1.dot(c1), f"{meaning}: determinant")
    refuse(d, det)
    i_det = d.scalar(f"{prefix}_i_det", 1 / det, f"{meaning}: reciprocal of the determinant")
    rows = tuple(
        d.vector(f"{prefix}_row{k}", c * i_det, f"{meaning}: row {k} of the inverse")
        for k, c in enumerate((c1, c2, c3), 1)
    )
    with d.part("condition"):
        total = g1.dot(g1) + g2.dot(g2) + g3.dot(g3)
        inverse = c1.dot(c1) + c2.dot(c2) + c3.dot(c3)
        size = d.scalar(f"{prefix}_condition", sqrt(total * inverse) / absolute(det), f"{meaning}: condition number")
    return AxisSystem((rows[0], rows[1], rows[2]), det, size)


def slides_along_turns(
    d: Derivation, columns: Sequence[Vector], det: Expr, gap: Vector, spread: Expr
) -> tuple[Expr, Expr, Expr]:
    """Solve for slides along the three axes of the turns, which come to lie in one plane at a fold.

    There a gap in that plane is closed by infinitely many slides, of which one is given, and another gap by none.
    `spread` times EPSILON bounds the rounding of the gap, in metres.
    """
    g1, g2, g3 = columns
    normal = d.vector("slide_normal", g3.cross(g1), "normal of the first and third slide")
    square = d.scalar("slide_normal2", normal.dot(normal), "squared sine between them")
    height = d.scalar("height", normal.dot(gap), "part of the gap along the normal, times its length", "m")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    det2 = d.scalar("slide_det2", least + not_below_zero(det * det - least), "squared determinant, kept away from zero")
    second = d.scalar("second", height * det / det2, "second slide; almost zero if all slides lie in one plane", "m")
    left = absolute(height - second * det)
    text = "all slides lie in one plane, across which the loop stays open"
    d.guard(left, "<=", REACH_TOLERANCE * spread, Status.NO_ASSEMBLY, text)
    rest = d.vector("rest", gap - g2 * second, "gap left to the first and third slide", "m")
    first, third = g3.cross(rest).dot(normal), rest.cross(g1).dot(normal)
    return first / square, second, third / square


def guard_turns(d: Derivation, det: Expr) -> None:
    """Refuse rates where the three axes of the turns lie in one plane."""
    with d.part("geometry"):
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE, Status.SINGULAR, "branches meet: no rates")


def guard_slides(d: Derivation, det: Expr) -> None:
    """Refuse positions and rates where the three slides lie in one plane: then none closes, or many do."""
    text = "the three slides lie in one plane: none closes the loop, or infinitely many"
    d.guard(absolute(det), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    with d.part("geometry"):
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text, when="given")
