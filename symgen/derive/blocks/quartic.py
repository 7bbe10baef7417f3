"""Where a point that turns about an axis meets a cylinder: the real zeros of a trigonometric polynomial of degree 2.

Source: docs/closed-forms.md, derived there; claims are proved by `symgen.proofs`.
"""

from __future__ import annotations

from symgen.algebra import FOLD_TOLERANCE, HALF, SMALL_LENGTH, TINY, TWO, Expr
from symgen.derive.blocks.quadratic import TurnedPoint
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


def circle_meets_cylinder(
    d: Derivation, a: Vector, p: Vector, y0: Vector, c: Vector, u: Vector, rad2: Expr, rank: Expr
) -> TurnedPoint:
    """Turn y0 about the axis a through p until its squared distance from the axis u through c is rad2.

    Across the cylinder's axis the point is at M + cos X + sin Y, with M, X, Y the parts of centre and radii; then
    |M + cos X + sin Y|^2 = r^2 is a trigonometric polynomial of degree 2 in the angle: at most four real zeros.
    """
    q = d.vector("q", y0 - p, "from the axis point to the turned point", "m")
    axial = d.scalar("axial", a.dot(q), "part of that along the axis", "m")
    arm = d.vector("arm", q - a * axial, "radius of the circle, at zero angle", "m")
    side = d.vector("side", a.cross(q), "radius of the circle, turned by a quarter turn", "m")
    m = d.vector("m", p + a * axial - c, "from the cylinder's axis point to the circle's centre", "m")
    least = TINY * (m.dot(m) + arm.dot(arm)) + SMALL_LENGTH * SMALL_LENGTH
    d.guard(rad2, ">", least, Status.DEGENERATE, "the point lies on the cylinder's axis")
    mu = d.vector("mu", m.cross(u), "the centre across the cylinder's axis, turned", "m")
    xu = d.vector("xu", arm.cross(u), "the first radius across the cylinder's axis, turned", "m")
    yu = d.vector("yu", side.cross(u), "the second radius across the cylinder's axis, turned", "m")
    x2 = d.scalar("x2", xu.dot(xu), "squared length of the first radius across", "m^2")
    y2 = d.scalar("y2", yu.dot(yu), "squared length of the second radius across", "m^2")
    f0 = d.scalar("f0", mu.dot(mu) + HALF * (x2 + y2) - rad2, "constant", "m^2")
    fc = d.scalar("fc", TWO * mu.dot(xu), "coefficient of the cosine", "m^2")
    fs = d.scalar("fs", TWO * mu.dot(yu), "coefficient of the sine", "m^2")
    fcc = d.scalar("fcc", HALF * (x2 - y2), "coefficient of the cosine of twice the angle", "m^2")
    fss = d.scalar("fss", xu.dot(yu), "coefficient of the sine of twice the angle", "m^2")
    size = d.scalar("squares", mu.dot(mu) + x2 + y2, "squared lengths of centre and radii across", "m^2")
    reach2 = fc * fc + fs * fs + fcc * fcc + fss * fss
    reach2 = d.scalar("reach2", reach2, "squared size of what depends on the angle", "m^4")
    flat = TINY * size * size
    d.guard(reach2, ">", flat, Status.DEGENERATE, "the angle does not change the distance from the axis")
    text = "Angles at which |M + cos X + sin Y|^2 = r^2."
    cosine, sine = d.zero("q", (f0, fc, fs, fcc, fss), rank, text)
    slope = fs * cosine - fc * sine + TWO * (fss * (cosine * cosine - sine * sine) - TWO * fcc * cosine * sine)
    slope = d.scalar("slope", slope, "derivative of the polynomial there; zero where two zeros meet", "m^2")
    d.flag(slope * slope, "<=", FOLD_TOLERANCE * reach2, Status.SINGULAR, "two zeros meet")
    y = d.vector("y", p + a * axial + arm * cosine + side * sine, "the turned point", "m")
    across = (y - c).cross(u)
    d.claim_zero(
        "cylinder", "the turned point lies on the cylinder: |(y - c) x u|^2 = r^2", [across.dot(across) - rad2]
    )
    return TurnedPoint(cosine, sine, y, (y - c).size())
