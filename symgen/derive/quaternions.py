"""Unit quaternions [q0, q1, q2, q3], scalar first, active, body to world.

Source: Euler-Rodrigues parameters; product and rotation as in any text on attitude (for example Shuster 1993,
"A survey of attitude representations", Eq. 169 with the scalar moved to the front).
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import TWO, Expr
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class Quaternion:
    """A unit quaternion."""

    components: tuple[Expr, Expr, Expr, Expr]

    @property
    def conjugate(self) -> Quaternion:
        """The inverse rotation."""
        q0, q1, q2, q3 = self.components
        return Quaternion((q0, -q1, -q2, -q3))

    def __mul__(self, other: Quaternion) -> Quaternion:
        """Return the rotation that does `other` first, then `self`."""
        a0, a1, a2, a3 = self.components
        b0, b1, b2, b3 = other.components
        return Quaternion(
            (
                a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
                a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
                a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
                a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
            )
        )

    def norm2(self) -> Expr:
        """Return the squared length, 1 for a rotation."""
        q0, q1, q2, q3 = self.components
        return q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3

    def axis(self, name: str) -> Vector:
        """Return the image of the unit vector x, y or z: a column of the rotation matrix.

        The diagonal entry is written 1 - 2(...): exact for the identity.
        """
        q0, q1, q2, q3 = self.components
        if name == "x":
            return Vector((1 - TWO * (q2 * q2 + q3 * q3), TWO * (q1 * q2 + q0 * q3), TWO * (q1 * q3 - q0 * q2)))
        if name == "y":
            return Vector((TWO * (q1 * q2 - q0 * q3), 1 - TWO * (q1 * q1 + q3 * q3), TWO * (q2 * q3 + q0 * q1)))
        if name == "z":
            return Vector((TWO * (q1 * q3 + q0 * q2), TWO * (q2 * q3 - q0 * q1), 1 - TWO * (q1 * q1 + q2 * q2)))
        raise ValueError(f"axis {name!r}: x, y or z")


@dataclass(frozen=True)
class FrameAxes:
    """The three axes of a frame, as world vectors: the columns of its rotation matrix."""

    x: Vector
    y: Vector
    z: Vector

    def axis(self, name: str) -> Vector:
        """Return the axis called x, y or z."""
        return {"x": self.x, "y": self.y, "z": self.z}[name]

    def to_world(self, local: Vector) -> Vector:
        """Return the world components of a vector given in this frame."""
        return self.x * local[0] + self.y * local[1] + self.z * local[2]

    def to_local(self, world: Vector) -> Vector:
        """Return the components in this frame of a world vector."""
        return Vector((self.x.dot(world), self.y.dot(world), self.z.dot(world)))
