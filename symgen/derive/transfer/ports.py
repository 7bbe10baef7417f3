"""Arguments, block matrices and orders of components that the elements of the transfer matrix method share.

State of a port: z = [rdd, Wd, m, q, 1], all in world axes: acceleration of the port's point (gravity not taken away),
angular acceleration of the rigid piece it belongs to, and the moment about the point and the force that the neighbour
on the tip's side exerts on the one on the root's side. a = [rdd, Wd], w = [m, q]; P swaps m and q, so that a^T P w is
a power. A symmetric P S is its lower triangle, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, ZERO, Expr, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, skew, symmetric
from symgen.derive.dynamics.ports import Results
from symgen.derive.vectors import AXES, Vector

SOURCE = "X. Rui et al. 2018, automatic deduction of the overall transfer equation, derived anew"
RICCATI = "Riccati form of the transfer equation, X. Rui et al. 2018, with multipliers of loops, derived anew"
STATES = ("rdd", "wd", "m", "q")
_STATE_UNITS = "m/s^2, rad/s^2, N m, N"


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, which gets an s unless there is one of it: ``1 freedom``, ``2 freedoms``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def triangle(size: int) -> tuple[tuple[int, int], ...]:
    """Return the places of a lower triangle, row by row: (0, 0) (1, 0) (1, 1) (2, 0) ..."""
    return tuple((i, j) for i in range(size) for j in range(i + 1))


def packed(matrix: Matrix) -> list[Expr]:
    """Return the lower triangle of a symmetric matrix."""
    return [matrix.rows[i][j] for i, j in triangle(len(matrix.rows))]


def unpacked(values: Sequence[Expr], size: int) -> Matrix:
    """Return the symmetric matrix of a lower triangle."""
    at = {place: value for place, value in zip(triangle(size), values, strict=True)}
    return Matrix(tuple(tuple(at[max(i, j), min(i, j)] for j in range(size)) for i in range(size)))


def blocks(rows: Sequence[Sequence[Matrix]]) -> Matrix:
    """Return the matrix made of blocks."""
    return Matrix(
        tuple(tuple(value for part in row for value in part.rows[k]) for row in rows for k in range(len(row[0].rows)))
    )


def part(matrix: Matrix, rows: range, columns: range) -> Matrix:
    """Return a block of a matrix."""
    return Matrix(tuple(tuple(matrix.rows[i][j] for j in columns) for i in rows))


def unit(size: int) -> Matrix:
    """Return the unit matrix."""
    return Matrix(tuple(tuple(ONE if i == j else ZERO for j in range(size)) for i in range(size)))


def zeros(rows: int, columns: int) -> Matrix:
    """Return a matrix of zeros."""
    return Matrix(((ZERO,) * columns,) * rows)


def swap(size: int) -> Matrix:
    """Return P, which swaps the moments (first) and forces of a wrench, or the other way round: 6 x 6 or 3 x 3."""
    order = (3, 4, 5, 0, 1, 2) if size == 6 else (1, 2, 0)
    return Matrix(tuple(tuple(ONE if j == k else ZERO for j in range(size)) for k in order))


def swapped(wrench: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return [q, m] of a spatial wrench [m, q], or the other way round."""
    return (*wrench[3:], *wrench[:3])


def shifting(lever: Vector, sign: int = 1) -> Matrix:
    """Return [[1, sign lever^], [0, 1]]."""
    return blocks([[unit(3), skew(lever) * sign], [zeros(3, 3), unit(3)]])


def turning(omega: Vector, arm: Vector) -> Vector:
    """Return omega x (omega x arm)."""
    return omega.cross(omega.cross(arm))


def swing(d: Derivation, omega: Vector, arm: Vector, name: str) -> Vector:
    """Name omega x arm and omega x (omega x arm) as `turn_<name>` and `swing_<name>`."""
    inner = d.vector(f"turn_{name}", omega.cross(arm), f"omega x {name}", "m/s")
    return d.vector(f"swing_{name}", omega.cross(inner), f"omega x (omega x {name})", "m/s^2")


# -- arguments -------------------------------------------------------------------------------------------------------


def state(tag: str) -> dict[str, Vector]:
    """Return the symbols of a port's state, which are no arguments: they go when a matrix is read off."""
    return {name: Vector(tuple(symbol(f"{tag}_{name}_{a}") for a in AXES)) for name in STATES}


def mass_port(d: Derivation) -> Expr:
    """Declare the mass."""
    return d.input_scalar("mass", meaning="mass of the body", unit="kg")


def inertia_port(d: Derivation) -> Matrix:
    """Declare the inertia about the centre of mass in world axes, [xx, yy, zz, xy, xz, yz]."""
    elements = [f"j_{pair}" for pair in ("xx", "yy", "zz", "xy", "xz", "yz")]
    what = "inertia about the centre of mass, world axes: xx yy zz xy xz yz, as entries of the matrix"
    return symmetric(d.input_array("inertia_world", elements, meaning=what, unit="kg m^2"))


def vector_port(d: Derivation, name: str, meaning: str, unit_text: str, size: int = 3) -> Vector:
    """Declare a vector in world axes."""
    return d.input_vector(name, size, meaning=meaning, unit=unit_text)


def omega_port(d: Derivation, name: str = "omega", whose: str = "the body") -> Vector:
    """Declare an angular velocity."""
    return vector_port(d, name, f"angular velocity of {whose}", "rad/s")


def load_ports(d: Derivation) -> tuple[Vector, Vector]:
    """Declare force and moment from outside on a body, about its centre of mass; weight belongs to the force."""
    force = vector_port(d, "f", "force on the body at its centre of mass, its weight too", "N")
    return force, vector_port(d, "moment", "moment on the body about its centre of mass", "N m")


def symmetric_port(d: Derivation, name: str, size: int, meaning: str, unit_text: str) -> Matrix:
    """Declare the lower triangle of a symmetric matrix."""
    elements = [f"{name}_{i}{j}" for i, j in triangle(size)]
    values = d.input_array(name, elements, meaning=f"{meaning}: lower triangle, row by row", unit=unit_text)
    return unpacked(values, size)


def matrix_port(d: Derivation, name: str, shape: tuple[int, int], meaning: str, unit_text: str) -> Matrix:
    """Declare a matrix, row by row."""
    rows, columns = shape
    elements = [f"{name}_{i}{j}" for i in range(rows) for j in range(columns)]
    values = d.input_array(name, elements, meaning=f"{meaning}: {rows} x {columns}, row by row", unit=unit_text)
    return Matrix(tuple(tuple(values[columns * i : columns * (i + 1)]) for i in range(rows)))


def array_port(d: Derivation, name: str, size: int, meaning: str, unit_text: str) -> tuple[Expr, ...]:
    """Declare a column of numbers."""
    return d.input_array(name, [f"{name}_{k}" for k in range(size)], meaning=meaning, unit=unit_text)


def articulated_ports(d: Derivation) -> tuple[Matrix, tuple[Expr, ...]]:
    """Declare P S and e of w = S a + e at a port."""
    held = "P S of the port's w = S a + e, rows [q m], columns [rdd wd]"
    ps = symmetric_port(d, "ps", 6, held, "kg, kg m, kg m^2")
    return ps, array_port(d, "e", 6, "e of the port's w = S a + e, [m q]", "N m, N")


# -- results ---------------------------------------------------------------------------------------------------------


def put_transfer(results: Results, matrix: Matrix, meaning: str, name: str = "u") -> None:
    """Declare a transfer matrix as a result."""
    size = f"{len(matrix.rows)} x {len(matrix.rows[0])}, row by row"
    results.put(name, matrix.entries, f"{meaning}: {size}", f"z = [rdd wd m q 1]: {_STATE_UNITS}")


def put_scalar(results: Results, name: str, value: Expr, meaning: str, unit_text: str) -> None:
    """Declare a number as a result."""
    step = results.d.scalar(f"{name}_value", value, meaning.rpartition(";")[2].strip(), unit_text)
    results.d.output(name, step, meaning=meaning, unit=unit_text, frame="")


def put_articulated(results: Results, ps: Matrix, e: Sequence[Expr], where: str) -> None:
    """Declare P S and e as results."""
    held = f"P S of w = S a + e {where}, rows [q m], columns [rdd wd]: lower triangle, row by row"
    results.put("ps_out", packed(ps), held, "kg, kg m, kg m^2")
    results.put("e_out", e, f"e of w = S a + e {where}: [m q]", "N m, N")
