"""The other of two axes that meet, from its parts along the one and along a vector: one square root.

A universal pair has its axes at a right angle, two turns of a chain at any. The sign bit is continuous until a fold: it
is that of v . (u x e), the flip.

Source: docs/closed-forms.md (T5), derived there; claims are proved by `symgen.proofs`.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    ZERO,
    Expr,
    absolute,
    not_below_zero,
    sqrt,
)
from symgen.derive.blocks.quadratic import names_of, unit_square
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


@dataclass(frozen=True)
class _Words:
    """What messages and meanings say of the known axis, the other one, the pair, and the square root."""

    known: str
    other: str
    pair: str
    plane: str
    squared: str
    root: str
    found: str


_UNIVERSAL = _Words(
    "first", "second", "the universal pair", "second axis",
    "squared part of v on the turned direction; negative: out of reach",
    "part of v on the turned direction, with the branch's sign", "second axis of the universal pair",
)  # fmt: skip
_TURNS = _Words(
    "second", "first", "the pair of turns", "both axes", "squared part of v on the turned direction",
    "that part, with the branch's sign", "first axis, seen after the second turn",
)  # fmt: skip


def universal_axis(d: Derivation, u: Vector, e: Vector, rho2: Expr, along: Expr, sigma: Expr, spread: Expr) -> Vector:
    """Find the unit vector v, normal to u, whose part on e is `along`: the second axis of a universal pair.

    `rho2` is the squared length of e; `spread` times EPSILON bounds the rounding of its components.
    """
    v, flip2 = _other_axis(d, u, e, rho2, along, None, sigma, spread, _UNIVERSAL)
    d.claim_identity(
        "universal",
        "the second axis is a unit vector normal to the first, with the given part along e",
        [v.dot(v) - ONE, v.dot(u), v.dot(e) - along],
        squares={"flip": flip2, **unit_square(u)},
        keep=names_of(e),
    )
    return v


def concurrent_axis(
    d: Derivation, u: Vector, e: Vector, rho2: Expr, along: Expr, cosine: Expr, sigma: Expr, spread: Expr
) -> Vector:
    """Find the unit vector v with v . u = `cosine` and v . e = `along`: the first axis of two turns, from beyond them.

    `rho2` and `spread` as in `universal_axis`.
    """
    v, _ = _other_axis(d, u, e, rho2, along, cosine, sigma, spread, _TURNS)
    residuals = [v.dot(v) - ONE, v.dot(u) - cosine, v.dot(e) - along]
    d.claim_zero("concurrent", "v is a unit vector with the given parts along u and e", residuals)
    return v


def _other_axis(
    d: Derivation, u: Vector, e: Vector, rho2: Expr, along: Expr, cosine: Expr | None, sigma: Expr, spread: Expr,
    words: _Words,
) -> tuple[Vector, Expr]:  # fmt: skip
    """Return v, and the square of its part on the turned direction; no `cosine`: the axes are at a right angle."""
    known, other = words.known, words.other
    axial = d.scalar("e_axial", u.dot(e), f"part of e along the {known} axis", "m")
    across = d.vector("e_across", e - u * axial, f"part of e across the {known} axis", "m")
    side = d.vector("e_side", u.cross(e), "that part, turned by a quarter turn", "m")
    size2 = d.scalar("e_size2", across.dot(across), f"squared length of e across the {known} axis", "m^2")
    lost = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    text = f"e lies along the {known} axis: any {other} axis fits, or none"
    d.guard(size2, ">", lost * rho2, Status.DEGENERATE, text)
    text = f"e close to the {known} axis: {other} axis ill-defined"
    d.flag(size2, "<", FOLD_TOLERANCE * rho2, Status.SINGULAR, text)
    sine2, rest = ONE, along
    if cosine is not None:
        sine2 = d.scalar("sine2", (ONE - cosine) * (ONE + cosine), "squared sine of the angle between both axes")
        d.guard(sine2, ">", lost, Status.DEGENERATE, "both axes coincide: infinitely many assemblies, or none")
        text = "part along e of what of v is normal to u, times its length"
        rest = d.scalar("rest", along - cosine * axial, text, "m")
    flip2 = d.scalar("flip2", sine2 * size2 - rest * rest, words.squared, "m^2")
    # At a fold the part across, which has the rounding of e, is as long as `rest`.
    noise = d.scalar("noise_flip", absolute(rest) * spread, "size of the terms that cancel in flip2 near a fold", "m^2")
    rounding = REACH_TOLERANCE * noise
    d.guard(flip2, ">=", -rounding, Status.NO_ASSEMBLY, f"{words.pair} cannot point there")
    scale = FOLD_TOLERANCE * sine2 * size2 + rounding
    d.flag(flip2, "<", scale, Status.SINGULAR, f"{words.plane} in one plane with e: branches meet")
    root = d.scalar("flip", sigma * sqrt(not_below_zero(flip2)), words.root, "m")
    i_size2 = d.scalar("i_size2", 1 / size2, "reciprocal of the squared length", "1/m^2")
    parts = u * (ZERO if cosine is None else cosine) + (across * rest + side * root) * i_size2
    return d.vector("v", parts, words.found), flip2
