"""A rotation in closed form, with its angular velocity, momentum and torque by differences: no quaternion rates."""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf
from oracle.dynamics_kernels import Draw, quaternion
from oracle.kinematics import rotation_exp


class TurningMotion:
    """A rotation with real turning about all axes: R(t) = exp(a t) exp(b sin t) R_0."""

    def __init__(self, seed: int) -> None:
        draw = Draw(seed)
        self.a, self.b, self.c = draw.vector(), draw.vector(), draw.vector()
        self.inertia, self.matrix = draw.inertia()

    def turn(self, t: Any) -> Any:
        parts = ([x * t for x in self.a], [x * mpmath.sin(t) for x in self.b], self.c)
        first, second, third = (rotation_exp(part)[:3, :3] for part in parts)
        return first * second * third

    def q(self, t: Any) -> list[Any]:
        return quaternion(self.turn(t))

    def omega(self, t: Any) -> Any:
        """Return the world angular velocity: a + exp(a t) b cos t."""
        first = rotation_exp([x * t for x in self.a])[:3, :3]
        return mpmath.matrix(self.a) + first * mpmath.matrix(self.b) * mpmath.cos(t)

    def spin(self, t: Any) -> Any:
        """Return the angular momentum."""
        r = self.turn(t)
        return r * (self.matrix * (r.T * self.omega(t)))

    def torque(self, t: Any) -> Any:
        h = mpf("1e-15")
        return (self.spin(t + h) - self.spin(t - h)) / (2 * h)

    def rates(self, t: Any) -> tuple[list[Any], list[Any]]:
        """Return qdot and qddot by differences: truncation h^2 = 1e-24, rounding 1e-50/h^2."""
        h = mpf("1e-12")
        before, now, after = self.q(t - h), self.q(t), self.q(t + h)
        first = [(a - b) / (2 * h) for a, b in zip(after, before, strict=True)]
        return first, [(a - 2 * q + b) / (h * h) for a, q, b in zip(after, now, before, strict=True)]
