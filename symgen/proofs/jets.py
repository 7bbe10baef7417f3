"""Numbers that carry their first and second derivative with respect to time, and rigid motions made of them.

A closure that vanishes with two derivatives is closed in position, velocity and acceleration; no formula for either
needs to be written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath


@dataclass(frozen=True)
class Jet:
    """A value with its first and second derivative."""

    value: Any
    rate: Any = 0
    second: Any = 0

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.value + other.value, self.rate + other.rate, self.second + other.second)

    def __sub__(self, other: Jet) -> Jet:
        return Jet(self.value - other.value, self.rate - other.rate, self.second - other.second)

    def __neg__(self) -> Jet:
        return Jet(-self.value, -self.rate, -self.second)

    def __mul__(self, other: Jet) -> Jet:
        return Jet(
            self.value * other.value,
            self.rate * other.value + self.value * other.rate,
            self.second * other.value + 2 * self.rate * other.rate + self.value * other.second,
        )

    @property
    def size(self) -> Any:
        """The largest of the three, as an absolute value."""
        return max(abs(self.value), abs(self.rate), abs(self.second))


ZERO, ONE = Jet(mpmath.mpf(0)), Jet(mpmath.mpf(1))
Row = tuple[Jet, Jet, Jet]
Rotation = tuple[Row, Row, Row]


@dataclass(frozen=True)
class Displacement:
    """A rigid motion: rotation matrix and translation."""

    rotation: Rotation
    origin: Row

    def then(self, inner: Displacement) -> Displacement:
        """Return the motion of a frame that moves by `inner` within this one."""
        a, b = self.rotation, inner.rotation
        rotation = tuple(tuple(_dot(row, [b[k][j] for k in range(3)]) for j in range(3)) for row in a)
        origin = tuple(at + _dot(row, inner.origin) for at, row in zip(self.origin, a, strict=True))
        return Displacement(rotation, origin)  # type: ignore[arg-type]


def _dot(row: Sequence[Jet], column: Sequence[Jet]) -> Jet:
    return row[0] * column[0] + row[1] * column[1] + row[2] * column[2]


def shift(axis: int, by: Jet) -> Displacement:
    """Return a translation along an axis, 0 to 2."""
    return Displacement(turn(2, ZERO).rotation, tuple(by if k == axis else ZERO for k in range(3)))  # type: ignore[arg-type]


def turn(axis: int, angle: Jet) -> Displacement:
    """Return a rotation about an axis, 0 to 2."""
    c, s = mpmath.cos(angle.value), mpmath.sin(angle.value)
    cosine = Jet(c, -s * angle.rate, -s * angle.second - c * angle.rate**2)
    sine = Jet(s, c * angle.rate, c * angle.second - s * angle.rate**2)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rows = [[ONE if m == n else ZERO for n in range(3)] for m in range(3)]
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = cosine, -sine, sine, cosine
    return Displacement(tuple(map(tuple, rows)), (ZERO, ZERO, ZERO))  # type: ignore[arg-type]


def planar(pose: Sequence[Any], twist: Sequence[Any], acceleration: Sequence[Any]) -> Displacement:
    """Return the motion of a body from its planar pose, twist and acceleration, each [x, y, angle]."""
    x, y, angle = (Jet(*values) for values in zip(pose, twist, acceleration, strict=True))
    return Displacement(turn(2, angle).rotation, (x, y, ZERO))


def spatial(pose: Sequence[Any], twist: Sequence[Any], acceleration: Sequence[Any]) -> Displacement:
    """Return the motion of a body from pose [r, q], twist [v, omega] and acceleration [a, alpha], world axes.

    The quaternion's derivatives follow from 2 q' = (0, omega) q.
    """
    q, omega, alpha = list(pose[3:]), [0, *twist[3:]], [0, *acceleration[3:]]
    rate = [value / 2 for value in _hamilton(omega, q)]
    second = [(a + b) / 2 for a, b in zip(_hamilton(alpha, q), _hamilton(omega, rate), strict=True)]
    a, b, c, d = (Jet(*values) for values in zip(q, rate, second, strict=True))
    two = Jet(2)
    rotation = (
        (a * a + b * b - c * c - d * d, two * (b * c - a * d), two * (b * d + a * c)),
        (two * (b * c + a * d), a * a - b * b + c * c - d * d, two * (c * d - a * b)),
        (two * (b * d - a * c), two * (c * d + a * b), a * a - b * b - c * c + d * d),
    )
    origin = tuple(Jet(*values) for values in zip(pose[:3], twist[:3], acceleration[:3], strict=True))
    return Displacement(rotation, origin)  # type: ignore[arg-type]


def _hamilton(p: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    a, b, c, d = p
    e, f, g, h = q
    return [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
