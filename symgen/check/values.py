"""Scalars, vectors and matrices over any kind of number: what formulas and derived objects are made of.

Formulas are evaluated over expressions: with letters, to prove, and with numbers, to look for what was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from symgen.check.formula import FormulaError, SizeError

Shape = tuple[int, ...]


class Scalar(Protocol):
    """What entries can do."""

    def __add__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __neg__(self) -> Any: ...


S = TypeVar("S", bound=Scalar)

#: Rows of matrices whose determinant, and whose inverse, is written out.
_LARGEST_DETERMINANT, _LARGEST_INVERSE = 16, 6
#: Products that a determinant may be the sum of: 7 rows without zeros have 5040.
_MOST_PRODUCTS = 6000


@dataclass(frozen=True)
class Value(Generic[S]):
    """Entries by rows; the shape is () for a scalar, (n,) for a vector, (rows, columns) for a matrix."""

    shape: Shape
    entries: tuple[S, ...]

    @property
    def rows(self) -> tuple[tuple[S, ...], ...]:
        """The rows of a matrix; a vector is one column."""
        height, width = self.shape if len(self.shape) == 2 else (len(self.entries), 1)
        return tuple(self.entries[k * width : (k + 1) * width] for k in range(height))


def named(shape: Shape) -> str:
    """Say a shape in words."""
    if not shape:
        return "a scalar"
    return f"a vector of {shape[0]}" if len(shape) == 1 else f"a {shape[0]} x {shape[1]} matrix"


def matrix(rows: Sequence[Sequence[S]]) -> Value[S]:
    """Return a matrix; of one column it is a vector, of one entry a scalar."""
    height, width = len(rows), len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        raise SizeError("the rows of a matrix have different lengths")
    entries = tuple(entry for row in rows for entry in row)
    if width == 1:
        return Value((height,) if height != 1 else (), entries)
    return Value((height, width), entries)


def vector(entries: Sequence[S]) -> Value[S]:
    """Return a vector."""
    return Value((len(entries),), tuple(entries))


def scalar(entry: S) -> Value[S]:
    """Return a scalar."""
    return Value((), (entry,))


def add(one: Value[S], two: Value[S]) -> Value[S]:
    """Return the sum."""
    if one.shape != two.shape:
        raise SizeError(f"{named(one.shape)} and {named(two.shape)} cannot be added")
    return Value(one.shape, tuple(a + b for a, b in zip(one.entries, two.entries, strict=True)))


def negative(value: Value[S]) -> Value[S]:
    """Return minus a value."""
    return each(value, lambda entry: -entry)


def each(value: Value[S], function: Callable[[S], S]) -> Value[S]:
    """Return a value with a function applied to every entry."""
    return Value(value.shape, tuple(map(function, value.entries)))


def multiply(one: Value[S], two: Value[S]) -> Value[S]:
    """Return the product: by a scalar, of matrices, of a matrix and a vector."""
    if not one.shape or not two.shape:
        factor, other = (one, two) if not one.shape else (two, one)
        return each(other, lambda entry: factor.entries[0] * entry)
    if len(one.shape) == 1 and len(two.shape) == 1:
        if one.shape != two.shape:
            raise SizeError(f"a product of {named(one.shape)} and {named(two.shape)} has no meaning")
        raise FormulaError("a product of two vectors can be read in two ways: write dot(a, b) or cross(a, b)")
    a = one.rows
    b = two.rows
    if len(a[0]) != len(b):
        raise SizeError(f"{named(one.shape)} times {named(two.shape)}: sizes do not fit")
    return matrix([[_dot(row, column) for column in zip(*b, strict=True)] for row in a])


def dot(one: Value[S], two: Value[S]) -> Value[S]:
    """Return the inner product of two vectors."""
    _want(one, "dot", len(one.shape) == 1 and one.shape == two.shape, "two vectors of one length")
    return scalar(_dot(one.entries, two.entries))


def _dot(one: Sequence[S], two: Sequence[S]) -> S:
    first, *others = (a * b for a, b in zip(one, two, strict=True))
    found: S = first
    for other in others:
        found = found + other
    return found


def cross(one: Value[S], two: Value[S]) -> Value[S]:
    """Return the vector product in space, or its only component in the plane."""
    _want(one, "cross", one.shape == two.shape and one.shape in ((3,), (2,)), "two vectors of 3, or of 2")
    a, b = one.entries, two.entries
    if len(a) == 2:
        return scalar(a[0] * b[1] - a[1] * b[0])
    return vector([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def hat(value: Value[S]) -> Value[S]:
    """Return the matrix of the vector product with a vector from the left."""
    _want(value, "hat", value.shape == (3,), "a vector of 3")
    x, y, z = value.entries
    o = x - x
    return matrix([[o, -z, y], [z, o, -x], [-y, x, o]])


def transpose(value: Value[S]) -> Value[S]:
    """Return the transposed matrix; of a vector it is a row."""
    _want(value, "transpose", bool(value.shape), "a vector or a matrix")
    rows = tuple(zip(*value.rows, strict=True))
    return (
        Value((len(rows), len(rows[0])), tuple(entry for row in rows for entry in row))
        if len(rows) == 1
        else matrix(rows)
    )


def symmetric(value: Value[S]) -> Value[S]:
    """Return the symmetric matrix of six numbers: xx, yy, zz, xy, xz, yz."""
    _want(value, "symmetric", value.shape == (6,), "a vector of 6: xx, yy, zz, xy, xz, yz")
    xx, yy, zz, xy, xz, yz = value.entries
    return matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def quaternion_product(one: Value[S], two: Value[S]) -> Value[S]:
    """Return the product of two quaternions, scalar first (Hamilton 1843)."""
    _want(one, "quaternion_product", one.shape == two.shape == (4,), "two quaternions")
    a, b, c, e = one.entries
    f, g, h, i = two.entries
    return vector([a * f - b * g - c * h - e * i, a * g + b * f + c * i - e * h,
                   a * h - b * i + c * f + e * g, a * i + b * h - c * g + e * f])  # fmt: skip


def conjugate(value: Value[S]) -> Value[S]:
    """Return the conjugate of a quaternion."""
    _want(value, "conjugate", value.shape == (4,), "a quaternion")
    first, *others = value.entries
    return vector([first, *(-entry for entry in others)])


def determinant(value: Value[S]) -> Value[S]:
    """Return the determinant of a square matrix, written out."""
    return scalar(_Minors(value, "det").whole())


class _Minors:
    """Determinants of parts of a matrix, each written out once; entries that are the number 0 cost nothing."""

    def __init__(self, value: Value[Any], function: str) -> None:
        _want(value, function, len(value.shape) == 2 and value.shape[0] == value.shape[1], "a square matrix")
        self._rows, self._called = value.rows, f"{function} of {named(value.shape)}"
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Any, int]] = {}
        if value.shape[0] > _LARGEST_DETERMINANT:
            raise FormulaError(f"{self._called}: at most {_LARGEST_DETERMINANT} rows are written out")

    def whole(self) -> Any:
        """Return the determinant of the matrix."""
        size = tuple(range(len(self._rows)))
        return self._of(size, size)[0]

    def without(self, row: int, column: int) -> Any:
        """Return the determinant of what is left without a row and a column."""
        size = range(len(self._rows))
        return self._of(tuple(j for j in size if j != row), tuple(k for k in size if k != column))[0]

    def _of(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> tuple[Any, int]:
        """Return a minor and of how many products it is the sum."""
        if not rows:
            return 1, 1
        if (rows, columns) not in self._known:
            self._known[rows, columns] = self._expanded(rows, columns)
        return self._known[rows, columns]

    def _expanded(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> tuple[Any, int]:
        place = min(range(len(rows)), key=lambda j: sum(self._rows[rows[j]][k] != 0 for k in columns))
        row, others = self._rows[rows[place]], (*rows[:place], *rows[place + 1 :])
        found, products = row[columns[0]] - row[columns[0]], 0
        for number, k in enumerate(columns):
            if row[k] == 0:
                continue
            minor, count = self._of(others, (*columns[:number], *columns[number + 1 :]))
            products += count
            if products > _MOST_PRODUCTS:
                raise FormulaError(f"{self._called}: more than {_MOST_PRODUCTS} products are not written out")
            found = found + row[k] * minor if (place + number) % 2 == 0 else found - row[k] * minor
        return found, products


def inverse(value: Value[S]) -> Value[S]:
    """Return the inverse of a small matrix by its cofactors."""
    if not value.shape:
        raise FormulaError("inverse of a scalar: write 1/a")
    minors = _Minors(value, "inverse")
    whole, size = minors.whole(), range(value.shape[0])
    if len(size) > _LARGEST_INVERSE:
        raise FormulaError(f"inverse of {named(value.shape)}: at most {_LARGEST_INVERSE} rows are written out")
    if len(size) == 1:
        return matrix([[value.entries[0] / whole / whole]])
    cofactors = [[minors.without(j, k) for j in size] for k in size]
    return matrix(
        [[e / whole if (j + k) % 2 == 0 else -e / whole for k, e in enumerate(row)] for j, row in enumerate(cofactors)]
    )


def trace(value: Value[S]) -> Value[S]:
    """Return the sum of the diagonal."""
    _want(value, "trace", len(value.shape) == 2 and value.shape[0] == value.shape[1], "a square matrix")
    first, *others = (row[k] for k, row in enumerate(value.rows))
    for entry in others:
        first = first + entry
    return scalar(first)


def block_diagonal(values: Sequence[Value[S]], zero: S) -> Value[S]:
    """Return a matrix with blocks along its diagonal."""
    blocks = [value.rows for value in values]
    width = sum(len(block[0]) for block in blocks)
    rows, before = [], 0
    for block in blocks:
        for row in block:
            rows.append([zero] * before + [*row] + [zero] * (width - before - len(row)))
        before += len(block[0])
    return matrix(rows)


def beside(values: Sequence[Value[S]]) -> Value[S]:
    """Return matrices side by side."""
    heights = {len(value.rows) for value in values}
    if len(heights) != 1:
        raise SizeError("beside: the matrices have different numbers of rows")
    return matrix([[entry for part in rows for entry in part] for rows in zip(*(v.rows for v in values), strict=True)])


def below(values: Sequence[Value[S]]) -> Value[S]:
    """Return matrices one below the other; scalars and vectors make a vector."""
    return matrix([row for value in values for row in value.rows])


def block(value: Value[S], corner: tuple[int, int], size: tuple[int, int]) -> Value[S]:
    """Return a block of a matrix from its first row and column on, counted from 0."""
    _want(value, "block", len(value.shape) == 2, "a matrix")
    (top, left), (height, width) = corner, size
    if top + height > value.shape[0] or left + width > value.shape[1]:
        raise SizeError(f"{named(value.shape)} has no block of {height} x {width} from [{top}, {left}] on")
    return matrix([row[left : left + width] for row in value.rows[top : top + height]])


def flat(value: Value[S]) -> Value[S]:
    """Return all entries, by rows, as a vector."""
    return vector(value.entries)


def by_rows(value: Value[S], count: int) -> Value[S]:
    """Return the matrix of so many rows that a vector holds row by row."""
    width, rest = divmod(len(value.entries), count)
    _want(value, "rows", len(value.shape) == 1 and rest == 0, f"a vector of {count} rows")
    return matrix([value.entries[k * width : (k + 1) * width] for k in range(count)])


def lower(value: Value[S]) -> Value[S]:
    """Return the lower triangle of a square matrix, by rows, as a vector."""
    _want(value, "lower", len(value.shape) == 2 and value.shape[0] == value.shape[1], "a square matrix")
    return vector([entry for k, row in enumerate(value.rows) for entry in row[: k + 1]])


def from_lower(value: Value[S]) -> Value[S]:
    """Return the symmetric matrix whose lower triangle a vector holds row by row."""
    size = next((n for n in range(2, 2 + len(value.entries)) if n * (n + 1) // 2 == len(value.entries)), 0)
    _want(value, "from_lower", len(value.shape) == 1 and size > 0, "a vector of 3, 6, 10, ...: a lower triangle")
    places = [[(max(j, k), min(j, k)) for k in range(size)] for j in range(size)]
    return matrix([[value.entries[j * (j + 1) // 2 + k] for j, k in row] for row in places])


def plain(shape: Shape) -> Shape:
    """Return a shape as formulas have it: a matrix of one column is a vector, a vector of one entry a scalar."""
    if len(shape) == 2 and shape[1] == 1:
        shape = shape[:1]
    return () if shape == (1,) else shape


def entry_of(value: Value[S], places: tuple[int, ...]) -> Value[S]:
    """Return one entry, or a row of a matrix; places count from 0."""
    if not value.shape or len(places) > len(value.shape):
        raise SizeError(f"{named(value.shape)} has no entry [{', '.join(map(str, places))}]")
    if any(place >= size for place, size in zip(places, value.shape, strict=False)):
        raise SizeError(f"{named(value.shape)} has no entry [{', '.join(map(str, places))}]: places count from 0")
    if len(value.shape) == 2:
        row = value.rows[places[0]]
        return scalar(row[places[1]]) if len(places) == 2 else vector(row)
    return scalar(value.entries[places[0]])


def _want(value: Value[S], function: str, is_so: bool, what: str) -> None:
    if not is_so:
        raise SizeError(f"{function} takes {what}, not {named(value.shape)}")
