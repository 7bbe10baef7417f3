"""Arguments of vibrating elements, and the order of their state vectors.

State vectors of the classical transfer matrix method hold amplitudes: displacement x and turn theta of a port, moment m
about it and force q which the tip side exerts on the root side; everything moves with one square of the angular
frequency. Spatial [x theta m q], 12 numbers; planar [x y theta m qx qy], 6 numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symgen.algebra import ONE, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.ports import Results

SOURCE = "E. C. Pestel, F. A. Leckie, Matrix Methods in Elastomechanics, 1963, in world axes"
SPATIAL, PLANAR = 12, 6
SQUARE_MEANING = "square of the angular frequency; negative for growth"


def square_port(d: Derivation) -> Expr:
    """Declare the square of the angular frequency."""
    return d.input_scalar("square", meaning=SQUARE_MEANING, unit="rad^2/s^2")


def put_matrix(d: Derivation, matrix: Matrix, meaning: str, frame: str = "world") -> None:
    """Declare a transfer matrix as an array result, row by row."""
    size = len(matrix.rows)
    Results(d).put("out", matrix.entries, f"{meaning}: {size} x {size}, row by row", "SI", frame)


def of_map(size: int, carry: Callable[[tuple[Expr, ...]], Sequence[Expr]]) -> Matrix:
    """Return the matrix of a linear map: its columns are where the unit vectors go."""
    columns = [carry(tuple(ONE if k == place else ZERO for k in range(size))) for place in range(size)]
    return Matrix(tuple(zip(*columns, strict=True)))


def pairing(size: int) -> Matrix:
    """Return the skew matrix that pairs displacements with wrenches: [x theta m q] with [q m], planar likewise.

    A transfer matrix U of an element without losses keeps it: U^T Q U = Q.
    """
    half = size // 2
    partner = {0: 3, 1: 4, 2: 5, 3: 0, 4: 1, 5: 2} if size == SPATIAL else {0: 1, 1: 2, 2: 0}
    rows = [[ZERO] * size for _ in range(size)]
    for k, other in partner.items():
        rows[k][half + other] = ONE
        rows[half + other][k] = -ONE
    return Matrix(tuple(map(tuple, rows)))


def claim_symplectic(d: Derivation, matrix: Matrix) -> None:
    """Claim that a transfer matrix keeps the pairing of displacements and wrenches: its determinant is then 1."""
    form = pairing(matrix.shape[0])
    gap = matrix.transposed @ form @ matrix - form
    statement = "U^T Q U = Q: power that goes in comes out; det U = 1"
    d.claim_identity("symplectic", statement, gap.entries, squares={})
