"""Six U-P-S legs of a Stewart platform, inverse problem: derived with symgen's own vocabulary, emitted by its pipeline.

The platform's rotation and (alpha~ + omega~ omega~) are shared by all legs; each leg takes one square root and one
division. With u the unit vector of a leg, p' and p'' velocity and acceleration of its upper end:

    rate = p' . u,    omega = u x p' / l,    acceleration = p'' . u + l |omega|^2
"""

from __future__ import annotations

from pathlib import Path

from symgen.algebra import TWO, ZERO, Expr, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.render.environment import render
from symgen.render.views import StatusHeaderView, c_module_view, status_views
from symgen.status import Status

MODULE = "ups_legs"
LEGS = range(6)


def derive() -> Derivation:
    """Derive all six legs in one routine."""
    d = Derivation("six legs", level="kernel", title="six U-P-S legs, inverse problem", source="elementary")
    r = d.input_vector("r", 3, meaning="platform origin", unit="m")
    q = d.input_array("q", [f"q_{k}" for k in range(4)], meaning="platform orientation", unit="1", range="unit")
    v = d.input_vector("v", 3, meaning="velocity of the platform origin", unit="m/s")
    omega = d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")
    a = d.input_vector("a", 3, meaning="acceleration of the platform origin", unit="m/s^2")
    alpha = d.input_vector("alpha", 3, meaning="angular acceleration", unit="rad/s^2")
    names = [[f"{kind}{k}_{axis}" for k in LEGS for axis in "xyz"] for kind in ("base", "top")]
    base = d.input_array("base", names[0], meaning="lower ends", unit="m")
    top = d.input_array("top", names[1], meaning="upper ends, platform frame", unit="m", frame="platform")
    rotation, swing = _rotation(d, q), _swing(d, omega, alpha)
    results: list[Expr] = []
    witnesses = []
    for k in LEGS:
        local, foot = Vector(top[3 * k : 3 * k + 3]), Vector(base[3 * k : 3 * k + 3])
        arm = d.vector(f"arm{k}", _product(rotation, local), f"platform origin to upper end {k}", "m")
        leg = d.vector(f"leg{k}", r + arm - foot, f"leg {k}", "m")
        l2 = d.scalar(f"l2_{k}", leg.dot(leg), f"squared length of leg {k}", "m^2")
        d.guard(l2, ">", ZERO, Status.DEGENERATE, f"leg {k} has no length")
        length = d.scalar(f"length{k}", sqrt(l2), f"length of leg {k}", "m")
        inverse = d.scalar(f"i_length{k}", 1 / length, "its reciprocal", "1/m")
        u = d.vector(f"u{k}", leg * inverse, f"unit vector of leg {k}")
        moving = d.vector(f"vp{k}", v + omega.cross(arm), f"velocity of upper end {k}", "m/s")
        rate = d.scalar(f"rate{k}", moving.dot(u), f"rate of leg {k}", "m/s")
        turning = d.vector(f"w{k}", u.cross(moving) * inverse, f"angular velocity of leg {k}, without spin", "rad/s")
        ap = d.vector(f"ap{k}", a + _product(swing, arm), f"acceleration of upper end {k}", "m/s^2")
        growth = d.scalar(f"acc{k}", ap.dot(u) + length * turning.dot(turning), f"acceleration of leg {k}", "m/s^2")
        results += [length, rate, growth, *u, *turning]
        witnesses.append(growth)
    d.output(
        "legs", results, meaning="length, rate, acceleration, unit vector, angular velocity of each leg", unit="SI"
    )
    d.witness("position", witnesses)
    return d


def _rotation(d: Derivation, q: tuple[Expr, ...]) -> list[Vector]:
    """Name the rows of the rotation matrix; products of doubled components are shared."""
    x2, y2, z2 = (d.scalar(f"{n}2", TWO * c, "doubled") for n, c in zip("xyz", q[1:], strict=True))
    xx, yy, zz = (
        d.scalar("xx", x2 * q[1], "shared product"),
        d.scalar("yy", y2 * q[2], "shared product"),
        d.scalar("zz", z2 * q[3], "shared product"),
    )
    xy, xz, yz = (
        d.scalar("xy", x2 * q[2], "shared product"),
        d.scalar("xz", x2 * q[3], "shared product"),
        d.scalar("yz", y2 * q[3], "shared product"),
    )
    sx, sy, sz = (
        d.scalar("sx", x2 * q[0], "shared product"),
        d.scalar("sy", y2 * q[0], "shared product"),
        d.scalar("sz", z2 * q[0], "shared product"),
    )
    rows = (
        (1 - (d.scalar("yyzz", yy + zz, "shared product")), xy - sz, xz + sy),
        (xy + sz, 1 - (d.scalar("xxzz", xx + zz, "shared product")), yz - sx),
        (xz - sy, yz + sx, 1 - (d.scalar("xxyy", xx + yy, "shared product"))),
    )
    return [d.vector(f"row{k}", Vector(row), f"row {k} of the rotation matrix") for k, row in enumerate(rows)]


def _swing(d: Derivation, w: Vector, e: Vector) -> list[Vector]:
    """Name the rows of alpha~ + omega~ omega~."""
    xx, yy, zz = (d.scalar(f"w{n}{n}", c * c, "shared product") for n, c in zip("xyz", w, strict=True))
    xy, xz, yz = (
        d.scalar("wxy", w[0] * w[1], "shared product"),
        d.scalar("wxz", w[0] * w[2], "shared product"),
        d.scalar("wyz", w[1] * w[2], "shared product"),
    )
    rows = (
        (-d.scalar("wyyzz", yy + zz, "shared product"), xy - e[2], xz + e[1]),
        (xy + e[2], -d.scalar("wxxzz", xx + zz, "shared product"), yz - e[0]),
        (xz - e[1], yz + e[0], -d.scalar("wxxyy", xx + yy, "shared product")),
    )
    return [d.vector(f"swing{k}", Vector(row), f"row {k} of alpha~ + omega~ omega~") for k, row in enumerate(rows)]


def _product(rows: list[Vector], vector: Vector) -> Vector:
    return Vector(tuple(row.dot(vector) for row in rows))


def routine() -> Routine:
    """Return the lowered routine."""
    return run_passes(lower(derive(), "position"))


def write_c(folder: Path) -> None:
    """Write the C files of the legs."""
    view = c_module_view(MODULE, "six U-P-S legs", (), "elementary", (), (), [routine()], "double")
    (folder / "symgen_status.h").write_text(render("c99/symgen_status.h.j2", StatusHeaderView((), status_views())))
    (folder / view.header).write_text(render("c99/module.h.j2", view))
    (folder / f"{MODULE}.c").write_text(render("c99/module.c.j2", view))
