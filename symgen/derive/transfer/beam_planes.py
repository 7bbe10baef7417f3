"""A flexible beam along x of its own axes: stretching, torsion and bending in a plane, each solved by itself.

The beam is straight, its frame is held at the output O, x leads from there to the input I; its modes have unit modal
mass and are at rest. The material at s from O deflects by the sum of phi_j(s) eta_j, so it has the acceleration
a + s (alpha + swing) + sum of phi_j eta_j'' in a plane, and each mode moves by

    eta_j'' = total_j (g - a) - lever_j (alpha + swing) + tip_j q_I + slope_j m_I,

with total = int mu phi ds, lever = int mu s phi ds and tip, slope of phi at I. The wrench at I drives modes directly:
nothing beyond the beam is asked for. Of the modes only sums of products count, whatever their number.

Source: A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5 (modes in a floating frame), as a transfer matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import (
    ONE,
    ZERO,
    Expr,
    absolute,
    determinant,
    number,
    ratio,
    replace,
    replace_parts,
    solve_linear,
    symbol,
)
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.transfer.newton_euler import read_off
from symgen.derive.transfer.ports import blocks, unit, zeros

#: Sums over the modes of bending in one plane, of stretching and of torsion, with their units.
BENDING_SUMS = (
    ("tip_tip", "1/kg"), ("tip_slope", "1/(kg m)"), ("slope_slope", "1/(kg m^2)"), ("tip_total", "1"),
    ("tip_lever", "m"), ("slope_total", "1/m"), ("slope_lever", "1"), ("total_total", "kg"), ("total_lever", "kg m"),
    ("lever_lever", "kg m^2"),
)  # fmt: skip
STRETCH_SUMS = (
    ("tip_tip", "1/kg"), ("tip_total", "1"), ("tip_lever", "m"), ("total_total", "kg"), ("total_lever", "kg m"),
)  # fmt: skip
TWIST_SUMS = (("tip_tip", "1/(kg m^2)"), ("tip_total", "1"), ("total_total", "kg m^2"))


@dataclass(frozen=True)
class Rod:
    """What is common to the planes: mass, length, inertia about the middle."""

    mass: Expr
    length: Expr
    aside: Expr

    @property
    def half(self) -> Expr:
        """Half of the length."""
        return self.length * ratio(1, 2)


@dataclass(frozen=True)
class PlaneLoad:
    """Components in one plane: centrifugal acceleration at unit distance, gravity, force and moment on the rod."""

    swing: Expr
    gravity: Expr
    force: Expr
    moment: Expr


@dataclass(frozen=True)
class Plane:
    """Part of the transfer matrix from I to O, states [a alpha m q], or [a q] or [alpha m].

    Parameters
    ----------
    slope, rest : of the state at O.
    pivot, size : of the matrix that is inverted, and of the terms that cancel in the pivot.
    """

    slope: Matrix
    rest: tuple[Expr, ...]
    pivot: Expr
    size: Expr


def sums_port(d: Derivation, name: str, kinds: Sequence[tuple[str, str]], what: str) -> dict[str, Expr]:
    """Declare sums of products over modes."""
    meaning = f"{what}: sums over its modes of " + ", ".join(kind.replace("_", " ") for kind, _ in kinds)
    values = d.input_array(
        name, [f"{name}_{kind}" for kind, _ in kinds], meaning=meaning, unit=", ".join(u for _, u in kinds), frame=""
    )
    return {kind: value for (kind, _), value in zip(kinds, values, strict=True)}


def bending(d: Derivation, name: str, rod: Rod, sums: Mapping[str, Expr], load: PlaneLoad) -> Plane:
    """Solve the equations of bending in one plane."""
    at, out = _state("i", 4), _state("o", 4)
    (a, alpha), (m, q) = out[:2], at[2:]
    drives = (load.gravity - a, ZERO - alpha - load.swing, q, m)
    names = ("total", "lever", "tip", "slope")
    end, turn, force, moment = (_summed(sums, each, names, drives) for each in ("tip", "slope", "total", "lever"))
    centre = a + rod.half * (alpha + load.swing)
    equations = [
        at[0] - a - rod.length * (alpha + load.swing) - end,
        at[1] - alpha - turn,
        rod.aside * alpha + rod.half * rod.mass * centre + moment - m + out[2] - rod.length * q
        - rod.half * load.force - load.moment,
        rod.mass * centre + force - q + out[3] - load.force,
    ]  # fmt: skip
    arm = rod.half * rod.mass
    carried = [[sums["total_total"] - rod.mass, sums["total_lever"] - arm]]
    carried += [[sums["total_lever"] - arm, sums["lever_lever"] - rod.aside - rod.half * arm]]
    return _through(d, name, equations, (at, out), Matrix(tuple(map(tuple, carried))))


def stretching(d: Derivation, rod: Rod, sums: Mapping[str, Expr], load: PlaneLoad) -> Plane:
    """Solve the equations of stretching; states [a q]."""
    at, out = _state("i", 2), _state("o", 2)
    drives = (load.gravity - out[0], ZERO - load.swing, at[1])
    end, force = (_summed(sums, each, ("total", "lever", "tip"), drives) for each in ("tip", "total"))
    equations = [
        at[0] - out[0] - rod.length * load.swing - end,
        rod.mass * (out[0] + rod.half * load.swing) + force - at[1] + out[1] - load.force,
    ]
    return _through(d, "stretch", equations, (at, out), Matrix(((sums["total_total"] - rod.mass,),)))


def torsion(d: Derivation, inertia: Expr, sums: Mapping[str, Expr], moment: Expr) -> Plane:
    """Solve the equations of torsion; states [alpha m]."""
    at, out = _state("i", 2), _state("o", 2)
    drives = (ZERO - out[0], at[1])
    end, turning = (_summed(sums, each, ("total", "tip"), drives) for each in ("tip", "total"))
    equations = [at[0] - out[0] - end, inertia * out[0] + turning - at[1] + out[1] - moment]
    return _through(d, "twist", equations, (at, out), Matrix(((sums["total_total"] - inertia,),)))


def _state(tag: str, size: int) -> tuple[Expr, ...]:
    return tuple(symbol(f"{tag}_{k}") for k in range(size))


def _summed(sums: Mapping[str, Expr], own: str, names: Sequence[str], drives: Sequence[Expr]) -> Expr:
    """Return the sum over the modes of one of their numbers times eta''."""
    total = ZERO
    for name, drive in zip(names, drives, strict=True):
        total = total + (sums[f"{own}_{name}"] if f"{own}_{name}" in sums else sums[f"{name}_{own}"]) * drive
    return total


def _through(
    d: Derivation, name: str, equations: Sequence[Expr], states: tuple[Sequence[Expr], Sequence[Expr]], carried: Matrix
) -> Plane:
    """Solve for the state at O; first for a at I and w at O, which needs no division.

    `carried` is P S of the recursion of Riccati beyond a free end I: inertia of the modes less that of the rod.
    """
    at, out = states
    half = len(at) // 2
    (a_at, w_at), (a_out, w_out) = (at[:half], at[half:]), (out[:half], out[half:])
    given = [str(v) for v in (*a_out, *w_at)]
    slope, rest = read_off(solve_linear(equations, [str(v) for v in (*a_at, *w_out)]), given)
    held = _named(d, f"{name}_held", slope, "a at I and w at O from a at O and w at I, the modes eliminated")
    rest = _named_row(d, f"{name}_load", rest, "both for a = 0 at O and w = 0 at I")
    b, f, s, v = (_part(held, i, j, half) for i in (0, 1) for j in (0, 1))
    x, pivot, size = _inverse(d, name, b)
    z = _named(d, f"{name}_give", x @ f * -1, "a at O from w at I")
    x0 = _named_row(d, f"{name}_free", [ZERO - e for e in x.times(rest[:half])], "a at O, the rest")
    y = _named(d, f"{name}_bear", s @ x, "w at O from a at I")
    w = _named(d, f"{name}_pass", v + s @ z, "w at O from w at I")
    y0 = [e + r for e, r in zip(s.times(x0), rest[half:], strict=True)]
    left = _named_row(d, f"{name}_left", y0, "w at O, the rest")
    found = Plane(blocks([[x, z], [y, w]]), (*x0, *left), pivot, size)
    _claim(d, name, found, equations, states)
    gap = y - Matrix(tuple(reversed((carried @ x).rows)))
    statement = f"{name}: a free I leaves what the recursion of Riccati leaves, P Y = (N N^T - M) X"
    d.claim_identity(f"{name}_free_end", statement, gap.entries, squares={})
    return found


def _part(matrix: Matrix, i: int, j: int, half: int) -> Matrix:
    return Matrix(tuple(tuple(row[half * j : half * (j + 1)]) for row in matrix.rows[half * i : half * (i + 1)]))


def _inverse(d: Derivation, name: str, b: Matrix) -> tuple[Matrix, Expr, Expr]:
    """Name the inverse of a matrix of one or two rows, by solving; return it, its pivot, and the pivot's size."""
    rows = len(b.rows)
    found, right = [symbol(f"x_{k}") for k in range(rows)], [symbol(f"r_{k}") for k in range(rows)]
    residuals = [value - r for value, r in zip(b.times(found), right, strict=True)]
    slope, _ = read_off(solve_linear(residuals, [str(v) for v in found]), [str(v) for v in right])
    pivot = determinant(b.rows)
    det = d.scalar(f"{name}_pivot", pivot, f"pivot of {name}: how far O follows I at once; without modes 1")
    one = d.scalar(f"{name}_i_pivot", ONE / det, "its reciprocal")
    move = Matrix(tuple(tuple(replace_parts(value, {ONE / pivot: one}) for value in row) for row in slope.rows))
    sizes = [[ONE + absolute(ONE - value) if i == j else absolute(value) for j, value in enumerate(row)]
             for i, row in enumerate(b.rows)]  # fmt: skip
    size = sizes[0][0] if rows == 1 else sizes[0][0] * sizes[1][1] + sizes[0][1] * sizes[1][0]
    return _named(d, f"{name}_move", move, "a at O from a at I"), det, size


def _named(d: Derivation, name: str, matrix: Matrix, meaning: str) -> Matrix:
    width = len(matrix.rows[0])
    targets = [f"{name}_{i}{j}" for i in range(len(matrix.rows)) for j in range(width)]
    flat = name_several(d, name, targets, matrix.entries, meaning, "SI")
    return Matrix(tuple(tuple(flat[k : k + width]) for k in range(0, len(flat), width)))


def _named_row(d: Derivation, name: str, values: Sequence[Expr], meaning: str) -> tuple[Expr, ...]:
    return tuple(name_several(d, name, [f"{name}_{k}" for k in range(len(values))], values, meaning, "SI"))


def _claim(
    d: Derivation, name: str, found: Plane, equations: Sequence[Expr], states: tuple[Sequence[Expr], Sequence[Expr]]
) -> None:
    """Claim that the matrix solves the equations, is symplectic and of determinant one, and the way back."""
    at, out = states
    size, half = len(at), len(at) // 2
    any_state = d.input_array(
        f"any_{name}", [f"any_{name}_{k}" for k in range(size)], meaning="any state, for the proof", unit="SI"
    )
    at_end = [a + r for a, r in zip(found.slope.times(any_state), found.rest, strict=True)]
    by = {str(k): v for k, v in zip((*at, *out), (*any_state, *at_end), strict=True)}
    gaps = [replace(equation, by) for equation in equations]
    d.claim_identity(f"{name}_equations", f"{name}: motion of I and balance hold", gaps, squares={})
    d.claim_identity(f"{name}_determinant", f"{name}: det U = 1", [determinant(found.slope.rows) - ONE], squares={})
    pair = Matrix(tuple(reversed(unit(half).rows)))
    form = blocks([[zeros(half, half), pair], [pair * -1, zeros(half, half)]])
    gap = found.slope.transposed @ (form @ found.slope) - form
    d.claim_identity(f"{name}_symplectic", f"{name}: U^T [[0, P], [-P, 0]] U = [[0, P], [-P, 0]]", gap.entries,
                     squares={})  # fmt: skip
    # The equations solved for the state at I: with both wrenches turned, the beam passed from its held end.
    back, _ = read_off(solve_linear(equations, [str(v) for v in at]), [str(v) for v in out])
    gap = back @ found.slope - unit(size)
    d.claim_identity(f"{name}_back", f"{name}: from the held end to the other it is U^-1", gap.entries, squares={})


def zero_sums(*ports: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return replacements that take all modes away."""
    return {str(value): number(0) for port in ports for value in port.values()}
