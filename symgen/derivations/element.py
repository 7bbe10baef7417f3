"""An element of transfer matrices: z_root = U z_tip between the states of its two ends, its blocks named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import ONE, ZERO, Expr
from symgen.derivations.formula import ELEMENT, formula
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.module import ModuleDerivation
from symgen.errors import DerivationError
from symgen.model.pairs import Space

#: Name of the port that holds the matrix, row by row.
PORT = "transfer"


def give_transfer_matrix(
    d: Derivation,
    state: Sequence[tuple[str, str]],
    rows: Sequence[Sequence[Expr]],
    *,
    pairs: Sequence[tuple[str, str]] = (),
    squares: Mapping[str, Expr] | None = None,
    keep: Sequence[str] = (),
) -> Matrix:
    """Name the blocks of a transfer matrix and give it as the result `transfer`, row by row.

    The block that leads from the quantity `b` of the tip's state to `a` of the root's is the step `u_<a>_<b>`.

    Parameters
    ----------
    state : name and unit of each quantity, in their order: (("p", "Pa"), ("q", "m^3/s")).
    rows : the matrix, as many rows and columns.
    pairs : names of quantities whose product is a power, such as (("p", "q"),). Then it is proved that the element has
        no losses: U^T Q U = Q with the skew matrix Q that pairs them. The determinant is then 1, for every quantity
        is in one pair.
    squares, keep : of that proof, as of `Derivation.claim_identity`: sine and cosine are steps with
        squares={"s": 1 - c*c}.

    Returns
    -------
    Matrix
        Of the named blocks, for claims of your own: `.rows`, `@`, `.transposed`.

    Raises
    ------
    DerivationError
        The matrix is not of the size of the state, a pair names no quantity, or pairs do not name each once.
    """
    names = [name for name, _ in state]
    if len(set(names)) < len(names) or not names:
        raise DerivationError(f"{d.name}: the quantities of a state have names of their own; found {names}")
    if [len(row) for row in rows] != [len(names)] * len(names):
        found = ", ".join(str(len(row)) for row in rows)
        raise DerivationError(
            f"{d.name}: {len(names)} quantities ({', '.join(names)}) want {len(names)} rows of {len(names)} entries; "
            f"found {len(rows)} rows of {found}"
        )
    units = dict(state)
    found_rows = tuple(
        tuple(
            d.scalar(f"u_{a}_{b}", value, f"{a} at the root for {b} at the tip", _unit(units[a], units[b]))
            for b, value in zip(names, row, strict=True)
        )
        for a, row in zip(names, rows, strict=True)
    )
    matrix = Matrix(found_rows)
    text = f"transfer matrix, row by row: state [{' '.join(names)}] at the root from that at the tip"
    d.output(PORT, matrix.entries, meaning=text, unit="SI", frame="")
    if pairs:
        form = _pairing(d, names, pairs)
        _check_cover(d, names, pairs)
        gap = matrix.transposed @ form @ matrix - form
        statement = "U^T Q U = Q: power that goes in comes out; det U = 1"
        d.claim_identity("symplectic", statement, gap.entries, squares=squares or {}, keep=keep)
    return matrix


def element(kernel: Derivation, *, id: str, space: Space = "spatial", summary: str | None = None) -> ModuleDerivation:
    """Return a module that is one element of transfer matrices; see `formula`.

    Raises
    ------
    DerivationError
        The kernel does not give a transfer matrix.
    """
    module = formula(kernel, id=id, space=space, summary=summary, method=ELEMENT)
    if PORT not in kernel.outputs:
        raise DerivationError(f"{id}: an element gives the result {PORT!r}: call give_transfer_matrix(d, state, rows)")
    return module


def _unit(above: str, below: str) -> str:
    return "1" if above == below else f"({above})/({below})"


def _pairing(d: Derivation, names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Matrix:
    rows = [[ZERO] * len(names) for _ in names]
    for pair in pairs:
        for name in pair:
            if name not in names:
                raise DerivationError(f"{d.name}: pair {pair}: {name!r} is none of {', '.join(names)}")
        i, j = map(names.index, pair)
        rows[i][j], rows[j][i] = ONE, -ONE
    return Matrix(tuple(map(tuple, rows)))


def _check_cover(d: Derivation, names: Sequence[str], pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse pairs that leave a quantity out or name one twice: U^T Q U = Q would say nothing of what is left."""
    named = [name for pair in pairs for name in pair]
    wrong = [name for name in names if named.count(name) != 1]
    if wrong:
        raise DerivationError(
            f"{d.name}: pairs must name every quantity of the state once; found {', '.join(wrong)} "
            f"{' and '.join(sorted({str(named.count(name)) for name in wrong}))} times. Without pairs, prove "
            "what holds by claim_identity"
        )
