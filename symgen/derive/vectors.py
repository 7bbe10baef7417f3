"""Small vectors of expressions: two components in the plane, three in space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symgen.algebra import ZERO, Expr, absolute, number
from symgen.errors import DerivationError

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Vector:
    """A vector with 2 or 3 components."""

    components: tuple[Expr, ...]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self.components)

    def __len__(self) -> int:
        return len(self.components)

    def __getitem__(self, index: int) -> Expr:
        return self.components[index]

    def __add__(self, other: Vector) -> Vector:
        return Vector(tuple(p + q for p, q in self._with(other, "+")))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(tuple(p - q for p, q in self._with(other, "-")))

    def __neg__(self) -> Vector:
        return Vector(tuple(-p for p in self))

    def __mul__(self, factor: Expr | int) -> Vector:
        if isinstance(factor, Vector):
            raise DerivationError("a product of two vectors: say which, dot(...), cross(...) or area(...)")
        return Vector(tuple(p * factor for p in self))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Expr | int) -> Vector:
        if isinstance(divisor, Vector):
            raise DerivationError("a vector divided by a vector; its size is what is wanted: sqrt(u.dot(u))")
        if divisor == 0:
            raise DerivationError("a vector divided by 0")
        return Vector(tuple(p / divisor for p in self))

    def dot(self, other: Vector) -> Expr:
        """Return the scalar product."""
        total = ZERO
        for p, q in self._with(other, "dot"):
            total = total + p * q
        return total

    def size(self) -> Expr:
        """Return the sum of absolute components: not less than the length, cheaper, and enough to bound rounding."""
        total = ZERO
        for p in self:
            total = total + absolute(p)
        return total

    def cross(self, other: Vector) -> Vector:
        """Return the vector product of two spatial vectors."""
        self._require(other, 3, "cross")
        (a, b, c), (x, y, z) = self.components, other.components
        return Vector((b * z - c * y, c * x - a * z, a * y - b * x))

    def area(self, other: Vector) -> Expr:
        """Return the signed area a_x b_y - a_y b_x of two planar vectors."""
        self._require(other, 2, "area")
        return self[0] * other[1] - self[1] * other[0]

    def turned(self) -> Vector:
        """Return the planar vector turned by a quarter turn, anticlockwise."""
        self._require(self, 2, "turned")
        return Vector((-self[1], self[0]))

    def _with(self, other: Vector, what: str) -> Iterator[tuple[Expr, Expr]]:
        if not isinstance(other, Vector) or len(self) != len(other):
            found = f"{len(other)} components" if isinstance(other, Vector) else f"no vector ({other})"
            raise DerivationError(f"{what}: a vector of {len(self)} components meets {found}")
        return zip(self.components, other.components, strict=True)

    def _require(self, other: Vector, size: int, what: str) -> None:
        if not isinstance(other, Vector) or {len(self), len(other)} != {size}:
            found = f"{len(self)} and {len(other) if isinstance(other, Vector) else 'no vector'}"
            raise DerivationError(f"{what}: of two vectors with {size} components; found {found}")


def unit_vector(axis: str) -> Vector:
    """Return the unit vector along x, y or z."""
    return Vector(tuple(number(int(axis == name)) for name in AXES))
