"""Screws as columns of a Jacobian: the velocity of the body point at the world's origin, then the angular velocity.

In the plane the angular part has one component. The order is that of twists everywhere in symgen; Mueller writes the
angular part first.

Source: A. Mueller, "Higher derivatives of the kinematic mapping and some applications", Mechanism and Machine Theory
76 (2014), 70-85: partial derivatives of instantaneous joint screws are Lie brackets of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import ZERO, Expr, is_zero
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class Screw:
    """A screw: `linear` with 3 (plane: 2) components, `angular` with 3 (plane: 1)."""

    linear: Vector
    angular: Vector

    @property
    def rows(self) -> tuple[Expr, ...]:
        """All components."""
        return (*self.linear, *self.angular)

    def __add__(self, other: Screw) -> Screw:
        return Screw(self.linear + other.linear, self.angular + other.angular)

    def __mul__(self, factor: Expr | int) -> Screw:
        return Screw(self.linear * factor, self.angular * factor)


def no_screw(planar: bool) -> Screw:
    """Return the zero screw."""
    return Screw(_zeros(2), _zeros(1)) if planar else Screw(_zeros(3), _zeros(3))


def bracket(a: Screw, b: Screw) -> Screw:
    """Return the Lie bracket [a, b]: how fast `b` changes when it is carried along by the twist `a`."""
    if len(a.linear) == 2:
        linear = b.linear.turned() * a.angular[0] - a.linear.turned() * b.angular[0]
        return Screw(linear, _zeros(1))
    return Screw(a.angular.cross(b.linear) - b.angular.cross(a.linear), a.angular.cross(b.angular))


def is_null(vector: Vector) -> bool:
    """Tell whether all components are the number zero."""
    return all(is_zero(value) for value in vector)


def _zeros(count: int) -> Vector:
    return Vector((ZERO,) * count)
