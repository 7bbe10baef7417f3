"""A vibrating Euler-Bernoulli beam, exactly: transfer matrices over any length, from its differential equations.

Along the beam, from its tip side (x = 0) to its root side, axis x, with w the angular frequency:

    u' = -q_x/EA       q_x' = w^2 mu u          v' = theta_z     theta_z' = -m_z/EI_z   m_z' = -q_y   q_y' = w^2 mu v
    theta_x' = -m_x/GJ m_x' = w^2 iota theta_x  w' = -theta_y    theta_y' = -m_y/EI_y   m_y' = q_z    q_z' = w^2 mu w

Solutions are the functions of Rayleigh and Krylov, C_j(z) = sum over k of z^k/(4k + j)! with z = w^2 mu x^4/EI, and
c_j(a) = sum over k of (-a)^k/(2k + j)! with a = w^2 mu x^2/EA: entire functions, without a division by w, defined for
growth (w^2 < 0) too. They are arguments here (`symgen.vibrations.beam_functions` has their values).

Source: A. N. Krylov 1931; E. C. Pestel, F. A. Leckie 1963, section 5-2; J. W. S. Rayleigh, Theory of Sound, 1877.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ZERO, Expr, derivative, number
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.dynamics.ports import kernel
from symgen.derive.transfer.vibration_ports import PLANAR, SPATIAL, of_map, pairing, put_matrix, square_port

SOURCE = "A. N. Krylov 1931; E. C. Pestel, F. A. Leckie 1963, section 5-2"
FRAME = "beam: x along it, from the tip side to the root side"


def beam_spatial() -> Derivation:
    """Derive the transfer matrix of a beam in space: bending in two planes, torsion, stretching."""
    d = kernel("vibration_beam_spatial", "vibrating beam, 12 x 12", SOURCE)
    x, mass, square, ea = beam_ports(d)
    polar = d.input_scalar("polar", meaning="polar inertia of the section per unit length", unit="kg m")
    gj = d.input_scalar("torsion", meaning="compliance of torsion, 1/GJ; 0: rigid", unit="1/(N m^2)")
    ei_y = d.input_scalar("bending_y", meaning="compliance of bending about y, 1/EI_y; 0: rigid", unit="1/(N m^2)")
    ei_z = d.input_scalar("bending_z", meaning="compliance of bending about z, 1/EI_z; 0: rigid", unit="1/(N m^2)")
    stretch, twist = wave_port(d, "stretch", "s"), wave_port(d, "twist", "t")
    about_y, about_z = _bends(d, "about_y", "y"), _bends(d, "about_z", "z")
    inertia = d.scalar("force", square * mass, "w^2 mu", "N/m^2")
    turning = d.scalar("moment", square * polar, "w^2 iota", "N m/(m rad)")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        u, qx = rod_ends(x, ea, inertia, stretch, z[0], z[9])
        theta_x, mx = rod_ends(x, gj, turning, twist, z[3], z[6])
        v, theta_z, mz, qy = _bend(x, ei_z, inertia, about_z, (z[1], z[5], z[8], z[10]))
        # The plane of x and z is that of x and y with theta_y and m_y counted the other way.
        w, theta_y, my, qz = _bend(x, ei_y, inertia, about_y, (z[2], ZERO - z[4], ZERO - z[7], z[11]))
        return (u, v, w, theta_x, ZERO - theta_y, theta_z, mx, ZERO - my, mz, qx, qy, qz)

    matrix = of_map(SPATIAL, carry)
    rows = [[ZERO] * SPATIAL for _ in range(SPATIAL)]
    for (i, j), value in {
        (0, 9): ZERO - ea, (9, 0): inertia, (3, 6): ZERO - gj, (6, 3): turning,
        (1, 5): number(1), (5, 8): ZERO - ei_z, (8, 10): number(-1), (10, 1): inertia,
        (2, 4): number(-1), (4, 7): ZERO - ei_y, (7, 11): number(1), (11, 2): inertia,
    }.items():  # fmt: skip
        rows[i][j] = value
    functions = [(stretch, 2, ea, inertia), (twist, 2, gj, turning), (about_y, 4, ei_y, inertia),
                 (about_z, 4, ei_z, inertia)]  # fmt: skip
    _claim_equation(d, x, matrix, Matrix(tuple(map(tuple, rows))), functions)
    put_matrix(d, matrix, "transfer matrix, state [x theta m q]", FRAME)
    return d


def beam_planar() -> Derivation:
    """Derive the transfer matrix of a beam in the plane: bending and stretching."""
    d = kernel("vibration_beam_planar", "vibrating beam in the plane, 6 x 6", SOURCE)
    x, mass, square, ea = beam_ports(d)
    ei = d.input_scalar("bending", meaning="compliance of bending, 1/EI; 0: rigid", unit="1/(N m^2)")
    stretch, bend = wave_port(d, "stretch", "s"), _bends(d, "about_z", "z")
    inertia = d.scalar("force", square * mass, "w^2 mu", "N/m^2")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        u, qx = rod_ends(x, ea, inertia, stretch, z[0], z[4])
        v, theta, m, qy = _bend(x, ei, inertia, bend, (z[1], z[2], z[3], z[5]))
        return (u, v, theta, m, qx, qy)

    matrix = of_map(PLANAR, carry)
    rows = [[ZERO] * PLANAR for _ in range(PLANAR)]
    for (i, j), value in {
        (0, 4): ZERO - ea, (4, 0): inertia,
        (1, 2): number(1), (2, 3): ZERO - ei, (3, 5): number(-1), (5, 1): inertia,
    }.items():  # fmt: skip
        rows[i][j] = value
    functions = [(stretch, 2, ea, inertia), (bend, 4, ei, inertia)]
    _claim_equation(d, x, matrix, Matrix(tuple(map(tuple, rows))), functions)
    put_matrix(d, matrix, "transfer matrix, state [x y theta m qx qy]", FRAME)
    return d


def beam_ports(d: Derivation) -> tuple[Expr, Expr, Expr, Expr]:
    """Declare length, mass per unit length, square of the frequency and compliance of stretching."""
    x = d.input_scalar("length", meaning="length of the piece", unit="m", range="positive")
    mass = d.input_scalar("mass", meaning="mass per unit length", unit="kg/m")
    square = square_port(d)
    return x, mass, square, d.input_scalar("axial", meaning="compliance of stretching, 1/EA; 0: rigid", unit="1/N")


def wave_port(d: Derivation, name: str, letter: str) -> tuple[Expr, ...]:
    """Declare the two functions of stretching or torsion."""
    meaning = f"c_0 and c_1 of {name}: cosine and sine over its angle"
    return d.input_array(name, [f"c{letter}_{k}" for k in range(2)], meaning=meaning, unit="1", frame="")


def _bends(d: Derivation, name: str, letter: str) -> tuple[Expr, ...]:
    meaning = f"C_0 to C_3 of bending {name.replace('_', ' ')}"
    return d.input_array(name, [f"b{letter}_{k}" for k in range(4)], meaning=meaning, unit="1", frame="")


def rod_ends(x: Expr, give: Expr, inertia: Expr, c: Sequence[Expr], u: Expr, q: Expr) -> tuple[Expr, Expr]:
    """Return displacement and force at x: u'' = -give inertia u."""
    return u * c[0] - q * x * c[1] * give, q * c[0] + u * inertia * x * c[1]


def _bend(
    x: Expr, give: Expr, inertia: Expr, c: Sequence[Expr], start: tuple[Expr, Expr, Expr, Expr]
) -> tuple[Expr, Expr, Expr, Expr]:
    """Return deflection, slope, moment and force at x: v'''' = give inertia v, m = -EI v'', q = EI v'''."""
    v, theta, m, q = start
    pull = inertia * x * give  # z/x^3
    return (
        v * c[0] + theta * x * c[1] - m * x * x * c[2] * give + q * x * x * x * c[3] * give,
        v * pull * x * x * c[3] + theta * c[0] - m * x * c[1] * give + q * x * x * c[2] * give,
        ZERO - v * inertia * x * x * c[2] - theta * inertia * x * x * x * c[3] + m * c[0] - q * x * c[1],
        v * inertia * x * c[1] + theta * inertia * x * x * c[2] - m * pull * x * x * c[3] + q * c[0],
    )


def _claim_equation(
    d: Derivation,
    x: Expr,
    matrix: Matrix,
    field: Matrix,
    functions: Sequence[tuple[Sequence[Expr], int, Expr, Expr]],
) -> None:
    """Claim that the matrix solves the differential equations: dU/dx = A U.

    x d/dx of C_j is C_(j-1) - j C_j, and that of C_0 is z C_3; of c_j likewise, of c_0 -a c_1 (a claim of
    `beam_functions`).
    """
    rules = [
        rule for names, order, give, inertia in functions for rule in function_slopes(x, names, order, give, inertia)
    ]  # fmt: skip
    claim_field(d, x, matrix, field, rules)


def function_slopes(x: Expr, names: Sequence[Expr], order: int, give: Expr, inertia: Expr) -> list[tuple[Expr, Expr]]:
    """Return the functions of bending (order 4), stretching or torsion (2), each with its x d/dx."""
    turned = inertia * x**order * give * (1 if order == 4 else -1)
    return [(name, (names[j - 1] if j else turned * names[-1]) - name * j) for j, name in enumerate(names)]


def claim_field(d: Derivation, x: Expr, matrix: Matrix, field: Matrix, rules: Sequence[tuple[Expr, Expr]]) -> None:
    """Claim dU/dx = A U, and that U is symplectic; `rules`: what else depends on the length, with its x d/dx."""
    entries: list[Expr] = []
    for row, right in zip(matrix.rows, (field @ matrix).rows, strict=True):
        for value, other in zip(row, right, strict=True):
            slope = derivative(value, "length") * x
            for name, rate in rules:
                slope = slope + derivative(value, str(name)) * rate
            entries.append(slope - other * x)
    keep = ("force", "moment")
    statement = "dU/dx = A U: the matrix solves the differential equations of the beam"
    d.claim_identity("equation", statement, entries, squares={}, keep=keep[: 1 + (len(matrix.rows) == SPATIAL)])
    form = pairing(len(matrix.rows))
    gap = field.transposed @ form + form @ field
    statement = "A^T Q + Q A = 0: with U = 1 at x = 0 the matrix is symplectic, det U = 1"
    d.claim_identity("symplectic", statement, gap.entries, squares={})


def beam_functions() -> Derivation:
    """Derive the functions of a beam in closed form, with what they obey.

    With b the fourth root of z: C_0 = (cosh b + cos b)/2, C_1 = (sinh b + sin b)/(2 b), C_2 = (cosh b - cos b)/(2 b^2),
    C_3 = (sinh b - sin b)/(2 b^3). Arguments are exp b and tan(b/2), which make them rational.
    """
    d = kernel("vibration_beam_functions", "Rayleigh and Krylov functions", SOURCE)
    b = d.input_scalar("b", meaning="fourth root of z", unit="1", range="positive")
    e = d.input_scalar("growth", meaning="exp b", unit="1", range="positive")
    t = d.input_scalar("half", meaning="tan of b/2", unit="1")
    size = d.scalar("turned", 1 + t * t, "1 + tan^2")
    cos, sin = d.scalar("cosine", (1 - t * t) / size, "cos b"), d.scalar("sine", 2 * t / size, "sin b")
    cosh = d.scalar("cosine_h", (e + 1 / e) / 2, "cosh b")
    sinh = d.scalar("sine_h", (e - 1 / e) / 2, "sinh b")
    values = ((cosh + cos) / 2, (sinh + sin) / (2 * b), (cosh - cos) / (2 * b**2), (sinh - sin) / (2 * b**3))
    c = name_several(d, "functions", [f"c_{k}" for k in range(4)], values, "C_0 to C_3", "1")
    d.output("out", c, meaning="C_0 to C_3", unit="1", frame="")
    z = b**4
    first = c[0] * c[0] + z * c[2] * c[2] - 2 * z * c[1] * c[3] - 1
    relations = [first, 2 * c[0] * c[2] - c[1] * c[1] - z * c[3] * c[3]]
    statement = "C_0^2 + z C_2^2 - 2 z C_1 C_3 = 1 and 2 C_0 C_2 = C_1^2 + z C_3^2"
    d.claim_identity("squares", statement, relations, squares={})
    slopes = []
    unfolded = _unfolded(b, e, t)
    for k, value in enumerate(unfolded):
        slope = derivative(value, "b") + derivative(value, "growth") * e + derivative(value, "half") * (1 + t * t) / 2
        before = unfolded[k - 1] if k else z * unfolded[3]
        slopes.append(b * slope - before + k * value)
    d.claim_identity("slopes", "b dC_j/db = C_(j-1) - j C_j, of C_0 z C_3", slopes, squares={})
    return d


def _unfolded(b: Expr, e: Expr, t: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    cos, sin = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    cosh, sinh = (e + 1 / e) / 2, (e - 1 / e) / 2
    return (cosh + cos) / 2, (sinh + sin) / (2 * b), (cosh - cos) / (2 * b**2), (sinh - sin) / (2 * b**3)
