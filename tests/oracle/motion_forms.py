"""What a kernel's results are while its elements move: numbers, directions and triads, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import Matrix, rotation_exp

Ports = Mapping[str, Any]


Vector = list[Any]


@dataclass(frozen=True)
class Numbers:
    """Plain numbers: their rates are their differences."""

    values: Vector


@dataclass(frozen=True)
class Direction:
    """A direction in a plane (any length): its rate is that of its angle."""

    cosine: Any
    sine: Any


@dataclass(frozen=True)
class Orientation:
    """A rotation matrix (4 x 4): its rate is the angular velocity."""

    matrix: Matrix


Form = Numbers | Direction | Orientation


#: Velocity port -> the forms that its numbers are the rates of, in order.
Configuration = dict[str, list[Form]]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Vector, b: Vector) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def along(p: Vector, v: Vector, a: Vector, t: Any) -> Vector:
    """Return a point after time t on its parabola."""
    return [x + y * t + z * t * t / 2 for x, y, z in zip(p, v, a, strict=True)]


def turned(rotation: Matrix, x: Vector) -> Vector:
    return [sum(rotation[i, j] * x[j] for j in range(len(x))) for i in range(len(x))]


def orientation(first: Vector, second: Vector) -> Orientation:
    """Return the triad of a unit vector and of what a second vector is across it."""
    across = minus(second, [x * dot(first, second) for x in first])
    length = mpmath.sqrt(dot(across, across))
    y = [x / length for x in across]
    m = mpmath.eye(4)
    for j, column in enumerate((first, y, cross(first, y))):
        for i in range(3):
            m[i, j] = column[i]
    return Orientation(m)


@dataclass(frozen=True)
class Kernel:
    """How the elements of a kernel move, what its results are, and the columns of its system of rates."""

    later: Callable[[Ports, Any], dict[str, Any]]
    forms: Callable[[Ports, Ports, Ports, Any], Configuration]
    columns: Callable[[Ports, Ports], list[Vector]]


def body_rotation(s: Ports, k: str, t: Any) -> Matrix:
    return rotation_exp(along([mpf(0)] * 3, s[f"omega_{k}"], s[f"alpha_{k}"], t))
