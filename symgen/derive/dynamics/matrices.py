"""Small matrices of expressions, and inertia as a symmetric one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symgen.algebra import ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.items import Step
from symgen.derive.vectors import AXES, Vector

#: The six entries of an inertia as ports give them, as places in the matrix.
INERTIA_PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Matrix:
    """A matrix by rows."""

    rows: tuple[tuple[Expr, ...], ...]

    def __iter__(self) -> Iterator[tuple[Expr, ...]]:
        return iter(self.rows)

    def __add__(self, other: Matrix) -> Matrix:
        pairs = zip(self.rows, other.rows, strict=True)
        return Matrix(tuple(tuple(a + b for a, b in zip(p, q, strict=True)) for p, q in pairs))

    def __sub__(self, other: Matrix) -> Matrix:
        return self + other * -1

    def __mul__(self, factor: Expr | int) -> Matrix:
        return Matrix(tuple(tuple(value * factor for value in row) for row in self.rows))

    __rmul__ = __mul__

    def __matmul__(self, other: Matrix) -> Matrix:
        columns = other.transposed.rows
        return Matrix(tuple(tuple(_dot(row, column) for column in columns) for row in self.rows))

    @property
    def transposed(self) -> Matrix:
        """The transpose."""
        return Matrix(tuple(zip(*self.rows, strict=True)))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def entries(self) -> tuple[Expr, ...]:
        """All entries, row by row."""
        return tuple(value for row in self.rows for value in row)

    def times(self, vector: Sequence[Expr] | Vector) -> tuple[Expr, ...]:
        """Return the product with a column."""
        return tuple(_dot(row, tuple(vector)) for row in self.rows)

    def apply(self, vector: Vector) -> Vector:
        """Return the product with a vector as a vector."""
        return Vector(self.times(vector))


def _dot(one: Sequence[Expr], two: Sequence[Expr]) -> Expr:
    total = ZERO
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return total


def skew(vector: Vector) -> Matrix:
    """Return v^ with v^ u = v x u."""
    x, y, z = vector
    return Matrix(((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO)))


def diagonal(value: Expr, size: int = 3) -> Matrix:
    """Return a number times the unit matrix."""
    return Matrix(tuple(tuple(value if i == j else ZERO for j in range(size)) for i in range(size)))


def columns(*vectors: Vector) -> Matrix:
    """Return the matrix of these columns."""
    return Matrix(tuple(tuple(v[k] for v in vectors) for k in range(len(vectors[0]))))


def symmetric(values: Sequence[Expr]) -> Matrix:
    """Return the matrix of xx yy zz xy xz yz."""
    xx, yy, zz, xy, xz, yz = values
    return Matrix(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def name_several(
    d: Derivation, name: str, targets: Sequence[str], values: Sequence[Expr], meaning: str, unit: str
) -> tuple[Expr, ...]:
    """Name values that belong together as one step."""
    item = Step(name, tuple(targets), tuple(values), None, None, meaning, unit, d.source, d.current_part)
    return d.append(item, item.values, item.targets)


def name_matrix(d: Derivation, name: str, value: Matrix, meaning: str, unit: str) -> Matrix:
    """Name the entries of a 3 x 3 matrix: `<name>_xx`, `<name>_xy`, ..."""
    targets = [f"{name}_{a}{b}" for a in AXES for b in AXES]
    steps = name_several(d, name, targets, value.entries, f"{meaning}, by rows", unit)
    return Matrix((steps[0:3], steps[3:6], steps[6:9]))
