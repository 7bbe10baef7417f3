"""Turning vectors about axes inside kernels, and angles from cosine and sine.

Source: Rodrigues' rotation formula.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import ONE, Expr, absolute, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector


def turned_about(a: Vector, cosine: Expr, sine: Expr, vector: Vector) -> Vector:
    """Return a vector turned about the unit axis a."""
    return vector * cosine + a.cross(vector) * sine + a * (a.dot(vector) * (ONE - cosine))


def unit_pair(d: Derivation, name: str, x: Expr, y: Expr, what: str, unit: str) -> tuple[Expr, Expr]:
    """Name cosine and sine of the angle of the plane vector (x, y): `cos_<name>`, `sin_<name>`."""
    x = d.scalar(f"x_{name}", x, f"{what}: cosine times length", unit)
    y = d.scalar(f"y_{name}", y, f"{what}: sine times length", unit)
    # Squares of what may be a product of lengths leave the range of numbers: divided first.
    per = d.scalar(f"per_{name}", ONE / (absolute(x) + absolute(y)), f"{what}: reciprocal of about that length")
    x = d.scalar(f"part_c_{name}", x * per, f"{what}: cosine, times a length near 1")
    y = d.scalar(f"part_s_{name}", y * per, f"{what}: sine, times a length near 1")
    size = d.scalar(f"size_{name}", sqrt(x * x + y * y), f"{what}: that length")
    return d.scalar(f"cos_{name}", x / size, f"cosine of {what}"), d.scalar(f"sin_{name}", y / size, f"sine of {what}")


@dataclass(frozen=True)
class Circle:
    """The circle on which a turn carries a point: foot of the point on the axis, arm at zero angle, squared radius."""

    a: Vector
    foot: Vector
    arm: Vector
    side: Vector
    r2: Expr
    q: Vector


def circle_of(d: Derivation, k: str, a: Vector, p: Vector, point: Vector, what: str) -> Circle:
    """Name the circle of a point about the axis a through p."""
    q = d.vector(f"q_{k}", point - p, f"from the axis point {k} to {what}", "m")
    axial = d.scalar(f"axial_{k}", a.dot(q), f"part of that along axis {k}", "m")
    arm = d.vector(f"arm_{k}", q - a * axial, f"radius of the circle of {what} about axis {k}", "m")
    foot = d.vector(f"foot_{k}", point - arm, "centre of that circle", "m")
    side = d.vector(f"side_{k}", a.cross(q), "that radius, turned by a quarter turn", "m")
    r2 = d.scalar(f"r2_{k}", arm.dot(arm), "squared radius of that circle", "m^2")
    return Circle(a, foot, arm, side, r2, q)
