"""A vibrating beam under an axial load, exactly: transfer matrices of a beam-column over any length.

A force P presses it (a negative one pulls): `push` at the tip side, `push_end` at the root side, linear between them,
as under its own weight. It keeps its direction. Of the equations of `vibration_beam` only those of moments change:

    m_z' = -q_y + P theta_z       m_y' = q_z + P theta_y       so that  EI v'''' + (P v')' = w^2 mu v

Solutions are four deflections v_j: the derivative j is 1 at x = 0, the others are 0. Arguments here are all their
derivatives, W_ij = x^(i-j) d^i v_j/dx^i (`symgen.vibrations.beam_functions` has the values). Under a constant load they
are exponentials: `column_functions`.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, 1961, sections 1.2 and 2.22; E. C. Pestel,
F. A. Leckie 1963.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ZERO, Expr, derivative, number
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.dynamics.ports import kernel
from symgen.derive.transfer.vibration_beam import FRAME, beam_ports, claim_field, function_slopes, rod_ends, wave_port
from symgen.derive.transfer.vibration_ports import PLANAR, SPATIAL, of_map, put_matrix

SOURCE = "S. P. Timoshenko, J. M. Gere 1961, sections 1.2 and 2.22; E. C. Pestel, F. A. Leckie 1963"
_ORDER = 4
_Four = tuple[Expr, Expr, Expr, Expr]
_Rules = list[tuple[Expr, Expr]]


def column_spatial() -> Derivation:
    """Derive the transfer matrix of a beam under an axial load: bending in two planes, torsion, stretching."""
    d = kernel("vibration_column_spatial", "vibrating beam under an axial load, 12 x 12", SOURCE)
    x, mass, square, ea = beam_ports(d)
    polar = d.input_scalar("polar", meaning="polar inertia of the section per unit length", unit="kg m")
    gj = d.input_scalar("torsion", meaning="compliance of torsion, 1/GJ; 0: rigid", unit="1/(N m^2)")
    ei_y, ei_z = _bending(d, "bending_y", " about y, 1/EI_y"), _bending(d, "bending_z", " about z, 1/EI_z")
    push = _push(d)
    stretch, twist = wave_port(d, "stretch", "s"), wave_port(d, "twist", "t")
    about_y, about_z = _deflections(d, "about_y", "y"), _deflections(d, "about_z", "z")
    inertia = d.scalar("force", square * mass, "w^2 mu", "N/m^2")
    turning = d.scalar("moment", square * polar, "w^2 iota", "N m/(m rad)")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        u, qx = rod_ends(x, ea, inertia, stretch, z[0], z[9])
        theta_x, mx = rod_ends(x, gj, turning, twist, z[3], z[6])
        v, theta_z, mz, qy = _bend(x, ei_z, push, about_z, (z[1], z[5], z[8], z[10]))
        # The plane of x and z is that of x and y with theta_y and m_y counted the other way.
        w, theta_y, my, qz = _bend(x, ei_y, push, about_y, (z[2], ZERO - z[4], ZERO - z[7], z[11]))
        return (u, v, w, theta_x, ZERO - theta_y, theta_z, mx, ZERO - my, mz, qx, qy, qz)

    matrix = of_map(SPATIAL, carry)
    rows = [[ZERO] * SPATIAL for _ in range(SPATIAL)]
    for (i, j), value in {
        (0, 9): ZERO - ea, (9, 0): inertia, (3, 6): ZERO - gj, (6, 3): turning,
        (1, 5): number(1), (5, 8): ZERO - ei_z, (8, 10): number(-1), (8, 5): push[1], (10, 1): inertia,
        (2, 4): number(-1), (4, 7): ZERO - ei_y, (7, 11): number(1), (7, 4): push[1], (11, 2): inertia,
    }.items():  # fmt: skip
        rows[i][j] = value
    rules = [
        (push[1], push[1] - push[0]),
        *function_slopes(x, stretch, 2, ea, inertia), *function_slopes(x, twist, 2, gj, turning),
        *_slopes_under_load(x, ei_y, push, inertia, about_y), *_slopes_under_load(x, ei_z, push, inertia, about_z),
    ]  # fmt: skip
    claim_field(d, x, matrix, Matrix(tuple(map(tuple, rows))), rules)
    put_matrix(d, matrix, "transfer matrix, state [x theta m q]", FRAME)
    return d


def column_planar() -> Derivation:
    """Derive the transfer matrix of a beam under an axial load in the plane: bending and stretching."""
    d = kernel("vibration_column_planar", "vibrating beam under an axial load in the plane, 6 x 6", SOURCE)
    x, mass, square, ea = beam_ports(d)
    ei, push = _bending(d, "bending", ", 1/EI"), _push(d)
    stretch, bend = wave_port(d, "stretch", "s"), _deflections(d, "about_z", "z")
    inertia = d.scalar("force", square * mass, "w^2 mu", "N/m^2")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        u, qx = rod_ends(x, ea, inertia, stretch, z[0], z[4])
        v, theta, m, qy = _bend(x, ei, push, bend, (z[1], z[2], z[3], z[5]))
        return (u, v, theta, m, qx, qy)

    matrix = of_map(PLANAR, carry)
    rows = [[ZERO] * PLANAR for _ in range(PLANAR)]
    for (i, j), value in {
        (0, 4): ZERO - ea, (4, 0): inertia,
        (1, 2): number(1), (2, 3): ZERO - ei, (3, 5): number(-1), (3, 2): push[1], (5, 1): inertia,
    }.items():  # fmt: skip
        rows[i][j] = value
    rules = [
        (push[1], push[1] - push[0]), *function_slopes(x, stretch, 2, ea, inertia),
        *_slopes_under_load(x, ei, push, inertia, bend),
    ]  # fmt: skip
    claim_field(d, x, matrix, Matrix(tuple(map(tuple, rows))), rules)
    put_matrix(d, matrix, "transfer matrix, state [x y theta m qx qy]", FRAME)
    return d


def _bending(d: Derivation, name: str, about: str) -> Expr:
    return d.input_scalar(name, meaning=f"compliance of bending{about}", unit="1/(N m^2)", range="positive")


def _push(d: Derivation) -> tuple[Expr, Expr]:
    push = d.input_scalar("push", meaning="compressive force at the tip side; negative: tension", unit="N")
    return push, d.input_scalar("push_end", meaning="compressive force at the root side", unit="N")


def _deflections(d: Derivation, name: str, letter: str) -> tuple[Expr, ...]:
    meaning = f"W_ij of bending {name.replace('_', ' ')}, row by row: derivative i of the deflection that begins with j"
    names = [f"w{letter}_{i}{j}" for i in range(_ORDER) for j in range(_ORDER)]
    return d.input_array(name, names, meaning=meaning, unit="1", frame="")


def _bend(x: Expr, give: Expr, push: tuple[Expr, Expr], w: Sequence[Expr], start: _Four) -> _Four:
    """Return deflection, slope, moment and force at x: m = -EI v'', q = EI v''' + P v'."""
    v, theta, m, q = start
    first = (v, theta * x, ZERO - m * x * x * give, (q - theta * push[0]) * x * x * x * give)
    found = []
    for i in range(_ORDER):
        total = w[_ORDER * i] * first[0]
        for j in range(1, _ORDER):
            total = total + w[_ORDER * i + j] * first[j]
        found.append(total)
    slope = found[1] / x
    return found[0], slope, ZERO - found[2] / (x * x * give), found[3] / (x * x * x * give) + slope * push[1]


def _slopes_under_load(x: Expr, give: Expr, push: tuple[Expr, Expr], inertia: Expr, w: Sequence[Expr]) -> _Rules:
    """Return W_ij with their x d/dx, from EI v'''' + (P v')' = w^2 mu v with a linear P."""
    second, first, none = push[1] * x * x * give, (push[1] - push[0]) * x * x * give, inertia * x**4 * give
    return _slopes(w, second, first, none)


def _slopes(w: Sequence[Expr], second: Expr, first: Expr, none: Expr) -> _Rules:
    """Return W_ij with their x d/dx, from x^4 v'''' = -second x^2 v'' - first x v' + none v."""
    rules: _Rules = []
    for k, value in enumerate(w):
        i, j = divmod(k, _ORDER)
        last = none * w[j] - first * w[_ORDER + j] - second * w[2 * _ORDER + j]
        onward = w[k + _ORDER] if i < _ORDER - 1 else last
        rules.append((value, onward + value * (i - j)))
    return rules


def column_functions() -> Derivation:
    """Derive the deflections under a constant load in closed form, with what they obey.

    Exponents k of exp(k x) obey k^4 + P/EI k^2 = w^2 mu/EI: k x = +-a and +-ib, b^2 - a^2 = P x^2/EI and
    a^2 b^2 = w^2 mu x^4/EI. Arguments are exp a and tan(b/2), which make everything rational.
    """
    d = kernel("vibration_column_functions", "deflections of a beam under a constant axial load", SOURCE)
    a = d.input_scalar("a", meaning="exponent of the growing part", unit="1", range="positive")
    b = d.input_scalar("b", meaning="angle of the oscillating part", unit="1", range="positive")
    e = d.input_scalar("growth", meaning="exp a", unit="1", range="positive")
    t = d.input_scalar("half", meaning="tan of b/2", unit="1")
    size = d.scalar("turned", 1 + t * t, "1 + tan^2")
    cos, sin = d.scalar("cosine", (1 - t * t) / size, "cos b"), d.scalar("sine", 2 * t / size, "sin b")
    cosh = d.scalar("cosine_h", (e + 1 / e) / 2, "cosh a")
    sinh = d.scalar("sine_h", (e - 1 / e) / 2, "sinh a")
    meaning = "derivatives of the deflection that starts with its third derivative alone, from the third down"
    c = name_several(d, "functions", [f"c_{k}" for k in range(4)], _exponentials(a, b, (cosh, sinh, cos, sin)),
                     meaning, "1")  # fmt: skip
    push = d.scalar("push", b * b - a * a, "P x^2/EI")
    swing = d.scalar("swing", a * a * b * b, "w^2 mu x^4/EI")
    names = [f"w_{i}{j}" for i in range(_ORDER) for j in range(_ORDER)]
    w = name_several(d, "deflections", names, _under_load(c, push, swing), "W_ij", "1")
    d.output("out", w, meaning="W_ij, row by row", unit="1", frame="")
    given = ((e + 1 / e) / 2, (e - 1 / e) / 2, (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))
    loads = (b * b - a * a, a * a * b * b)
    gaps = []
    for value, rate in _slopes(_under_load(_exponentials(a, b, given), *loads), loads[0], ZERO, loads[1]):
        slope = derivative(value, "a") * a + derivative(value, "growth") * e * a
        slope = slope + derivative(value, "b") * b + derivative(value, "half") * (1 + t * t) / 2 * b
        gaps.append(slope - rate)
    d.claim_identity("slopes", "x d/dx of W_ij are those of EI v'''' + P v'' = w^2 mu v", gaps, squares={})
    return d


def _exponentials(a: Expr, b: Expr, given: _Four) -> _Four:
    cosh, sinh, cos, sin = given
    both = a * a + b * b
    return (
        (a * a * cosh + b * b * cos) / both, (a * sinh + b * sin) / both, (cosh - cos) / both,
        (sinh / a - sin / b) / both,
    )  # fmt: skip


def _under_load(c: Sequence[Expr], push: Expr, swing: Expr) -> tuple[Expr, ...]:
    """Return W_ij under a constant load from those of the last deflection."""
    return (
        c[0] + push * c[2], c[1] + push * c[3], c[2], c[3],
        swing * c[3], c[0] + push * c[2], c[1], c[2],
        swing * c[2], swing * c[3], c[0], c[1],
        swing * c[1], swing * c[2], swing * c[3] - push * c[1], c[0],
    )  # fmt: skip
