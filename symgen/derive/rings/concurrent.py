"""The first axis of two turns whose axes meet, seen from beyond the second turn: one square root.

Source: docs/closed-forms.md (T5), for axes at any angle.
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    Expr,
    absolute,
    not_below_zero,
    sqrt,
)
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


def concurrent_axis(
    d: Derivation, u: Vector, e: Vector, rho2: Expr, along: Expr, cosine: Expr, sigma: Expr, spread: Expr
) -> Vector:
    """Find the unit vector v with v . u = `cosine` and v . e = `along`; `rho2` is the squared length of e.

    `spread` times EPSILON bounds the rounding of the components of e. The sign is that of v . (u x e): the flip.
    """
    axial = d.scalar("e_axial", u.dot(e), "part of e along the second axis", "m")
    across = d.vector("e_across", e - u * axial, "part of e across the second axis", "m")
    side = d.vector("e_side", u.cross(e), "that part, turned by a quarter turn", "m")
    size2 = d.scalar("e_size2", across.dot(across), "squared length of e across the second axis", "m^2")
    lost = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    text = "e lies along the second axis: any first axis fits, or none"
    d.guard(size2, ">", lost * rho2, Status.DEGENERATE, text)
    d.flag(size2, "<", FOLD_TOLERANCE * rho2, Status.SINGULAR, "e close to the second axis: first axis ill-defined")
    sine2 = d.scalar("sine2", (ONE - cosine) * (ONE + cosine), "squared sine of the angle between both axes")
    d.guard(sine2, ">", lost, Status.DEGENERATE, "both axes coincide: infinitely many assemblies, or none")
    rest = d.scalar("rest", along - cosine * axial, "part along e of what of v is normal to u, times its length", "m")
    flip2 = d.scalar("flip2", sine2 * size2 - rest * rest, "squared part of v on the turned direction", "m^2")
    # At a fold the part across, which has the rounding of e, is as long as `rest`.
    noise = d.scalar("noise_flip", absolute(rest) * spread, "size of the terms that cancel in flip2 near a fold", "m^2")
    rounding = REACH_TOLERANCE * noise
    d.guard(flip2, ">=", -rounding, Status.NO_ASSEMBLY, "the pair of turns cannot point there")
    scale = FOLD_TOLERANCE * sine2 * size2 + rounding
    d.flag(flip2, "<", scale, Status.SINGULAR, "both axes in one plane with e: branches meet")
    root = d.scalar("flip", sigma * sqrt(not_below_zero(flip2)), "that part, with the branch's sign", "m")
    i_size2 = d.scalar("i_size2", 1 / size2, "reciprocal of the squared length", "1/m^2")
    v = d.vector("v", u * cosine + (across * rest + side * root) * i_size2, "first axis, seen after the second turn")
    residuals = [v.dot(v) - ONE, v.dot(u) - cosine, v.dot(e) - along]
    d.claim_zero("concurrent", "v is a unit vector with the given parts along u and e", residuals)
    return v
