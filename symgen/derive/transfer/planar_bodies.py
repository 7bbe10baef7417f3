"""The rigid body in the plane: z = [ax, ay, alpha, m, qx, qy, 1], 7 x 7.

The planar equations are solved for themselves; that the result is the spatial one, cut to its components
(0, 1, 5, 8, 9, 10, 12), is a claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, ZERO, Expr, determinant, name_of, replace, solve_linear, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.bodies import body_transfer, closed
from symgen.derive.transfer.newton_euler import read_off
from symgen.derive.transfer.ports import SOURCE, blocks, mass_port, part, swap, unit, zeros
from symgen.derive.transfer.unfolding import unfolded
from symgen.derive.vectors import Vector

#: Where the components of a planar state are in a spatial one.
PLACES = (0, 1, 5, 8, 9, 10, 12)
#: Components of a spatial argument that vanish in the plane.
_OFF_PLANE = ("c_z", "l_z", "d_z", "omega_x", "omega_y", "f_z", "moment_x", "moment_y", "j_xz", "j_yz")


@dataclass(frozen=True)
class PlanarBody:
    """A planar body; `d` is the arm from the centre of mass to the output."""

    mass: Expr
    inertia: Expr
    d: Vector
    omega: Expr
    force: Vector
    moment: Expr


def planar_loads(d: Derivation, mass: Expr, inertia: Expr, arm: Vector) -> PlanarBody:
    """Declare angular velocity and loads of a planar body."""
    omega = d.input_scalar("omega", meaning="angular velocity of the body", unit="rad/s")
    force = d.input_vector("f", 2, meaning="force on the body at its centre of mass, its weight too", unit="N")
    moment = d.input_scalar("moment", meaning="moment on the body about its centre of mass", unit="N m")
    return PlanarBody(mass, inertia, arm, omega, force, moment)


def planar_inertia(d: Derivation) -> Expr:
    """Declare the moment of inertia."""
    return d.input_scalar("inertia", meaning="moment of inertia about the centre of mass", unit="kg m^2")


def planar_state(tag: str) -> dict[str, Vector]:
    """Return the symbols of a port's planar state."""
    elements = {"rdd": ("ax", "ay"), "wd": ("alpha",), "m": ("m",), "q": ("qx", "qy")}
    return {name: Vector(tuple(symbol(f"{tag}_{e}") for e in parts)) for name, parts in elements.items()}


def planar_names(tag: str) -> list[str]:
    """Return the names of a port's planar state, in order."""
    return [name_of(v) for vector in planar_state(tag).values() for v in vector]


def planar_residuals(
    body: PlanarBody,
    centre: Vector,
    alpha: Expr,
    output: Mapping[str, Vector],
    inputs: Sequence[tuple[Vector, Mapping[str, Vector]]],
) -> list[Expr]:
    """Return the residuals of Newton's and Euler's equation; `inputs` are levers to the output and wrenches."""
    force = body.force - output["q"]
    moment = body.moment - output["m"][0] - body.d.area(output["q"])
    for lever, wrench in inputs:
        force = force + wrench["q"]
        moment = moment + wrench["m"][0] + (body.d - lever).area(wrench["q"])
    return [*(centre * body.mass - force), body.inertia * alpha - moment]


def moved(at: Mapping[str, Vector], lever: Vector, omega: Expr) -> Vector:
    """Return the acceleration of a point at a lever from another one of the same body."""
    return at["rdd"] + lever.turned() * at["wd"][0] - lever * (omega * omega)


def _body_with_inputs(d: Derivation) -> tuple[PlanarBody, Vector, Vector]:
    mass, inertia = mass_port(d), planar_inertia(d)
    c = d.input_vector("c", 2, meaning="from the input I to the centre of mass", unit="m")
    lever = d.input_vector("l", 2, meaning="from the input I to the output O", unit="m")
    arm = d.vector("d", lever - c, "from the centre of mass to the output", "m")
    return planar_loads(d, mass, inertia, arm), c, lever


def _solve(body: PlanarBody, c: Vector, levers: Sequence[Vector]) -> list[Expr]:
    first, out = planar_state("i1"), planar_state("o")
    centre = Vector((symbol("centre_x"), symbol("centre_y")))
    inputs = [(lever, planar_state(f"i{k}")) for k, lever in enumerate(levers, start=1)]
    residuals = [
        *(centre - moved(first, c, body.omega)),
        *(out["rdd"] - moved(first, levers[0], body.omega)),
        *(out["wd"] - first["wd"]),
        *planar_residuals(body, centre, first["wd"][0], out, inputs),
    ]
    return solve_linear(residuals, [*(name_of(v) for v in centre), *planar_names("o")])[2:]


def planar_wrench(body: PlanarBody) -> tuple[list[Expr], list[str]]:
    """Solve for [m, q] at the output of a body without inputs, given its acceleration; return names of this, too."""
    out = planar_state("o")
    centre = Vector((symbol("centre_x"), symbol("centre_y")))
    residuals = [
        *(centre - moved(out, -body.d, body.omega)),
        *planar_residuals(body, centre, out["wd"][0], out, ()),
    ]
    names = planar_names("o")
    return solve_linear(residuals, [*(name_of(v) for v in centre), *names[3:]])[2:], names[:3]


def put_planar(results: Results, matrix: Matrix, meaning: str) -> None:
    """Declare a planar transfer matrix as a result."""
    size = f"{len(matrix.rows)} x {len(matrix.rows[0])}, row by row"
    unit_text = "z = [ax ay alpha m qx qy 1]: m/s^2, rad/s^2, N m, N"
    results.put("u", matrix.entries, f"{meaning}: {size}", unit_text)


def body_transfer_planar() -> Derivation:
    """Derive U of a planar rigid body by solving its equations for the state at its output."""
    d = kernel("body_transfer_planar", "transfer matrix of a planar rigid body, z_O = U z_I", SOURCE)
    body, c, lever = _body_with_inputs(d)
    slope, rest = read_off(_solve(body, c, [lever]), planar_names("i1"))
    found = closed(slope, rest)
    put_planar(Results(d), found, "transfer matrix from the input I to the output O")
    d.claim_identity("determinant", "det U = 1", [determinant(slope.rows) - ONE], squares={})
    form = blocks([[zeros(3, 3), swap(3)], [swap(3).transposed * -1, zeros(3, 3)]])
    gap = slope.transposed @ (form @ slope) - form
    d.claim_identity(
        "symplectic", "U^T [[0, P], [-P^T, 0]] U = [[0, P], [-P^T, 0]] without the 1", gap.entries, squares={}
    )
    x, y = (part(slope, range(k, k + 3), range(3)) for k in (0, 3))
    gap = x.transposed @ (swap(3) @ y) + _inertia_about(body, c)
    d.claim_identity("inertia", "X^T P Y is minus the inertia about I", gap.entries, squares={})
    claim = "it is the spatial matrix, cut to the plane"
    d.claim_identity("cut", claim, (found - _cut_of_spatial()).entries, squares={})
    return d


def _inertia_about(body: PlanarBody, c: Vector) -> Matrix:
    side = Matrix(tuple((value,) for value in c.turned() * body.mass))
    corner = Matrix(((body.inertia + body.mass * c.dot(c),),))
    return blocks([[diagonal(body.mass, 2), side], [side.transposed, corner]])


def _cut_of_spatial() -> Matrix:
    """Return the spatial transfer matrix in the plane, in terms of the planar arguments."""
    spatial = body_transfer()
    elements = spatial.outputs["u"].elements
    entries = unfolded(spatial, [symbol(e) for e in elements])
    flat: dict[str, Expr] = dict.fromkeys(_OFF_PLANE, ZERO)
    flat |= {"j_zz": symbol("inertia"), "omega_z": symbol("omega"), "moment_z": symbol("moment")}
    return Matrix(tuple(tuple(replace(entries[13 * i + j], flat) for j in PLACES) for i in PLACES))


def input_transfer_planar() -> Derivation:
    """Derive what a further input adds in the plane."""
    d = kernel("input_transfer_planar", "planar transfer matrix of a further input, which adds to z_O", SOURCE)
    lever = d.input_vector("lever", 2, meaning="from this input to the output O", unit="m")
    body, c, first = _body_with_inputs(d)
    slope, _ = read_off(_solve(body, c, [first, lever]), planar_names("i2"))
    rows = tuple((*row, ZERO) for row in slope.rows)
    put_planar(Results(d), Matrix((*rows, (ZERO,) * 7)), "what this input adds to the state at the output O")
    turned = swap(3).transposed @ (_arm(lever).transposed @ swap(3))
    gap = slope - blocks([[zeros(3, 6)], [zeros(3, 3), turned]])
    d.claim_identity("power", "it moves the wrench as the input moves: V = P^T A^T P", gap.entries, squares={})
    return d


def _arm(lever: Vector, sign: int = -1) -> Matrix:
    """Return [[1, sign * turned lever], [0, 1]] for [ax, ay, alpha]."""
    turned = lever.turned() * sign
    return Matrix(((ONE, ZERO, turned[0]), (ZERO, ONE, turned[1]), (ZERO, ZERO, ONE)))


def geometric_planar() -> Derivation:
    """Derive the acceleration of an input from that of the output in the plane: a_I = A a_O + b."""
    d = kernel("geometric_planar", "acceleration of an input in the plane, a_I = A a_O + b", SOURCE)
    lever = d.input_vector("lever", 2, meaning="from the input to the output O", unit="m")
    omega = d.input_scalar("omega", meaning="angular velocity of the body", unit="rad/s")
    out, at = planar_state("o"), planar_state("i1")
    residuals = [*(out["rdd"] - moved(at, lever, omega)), *(out["wd"] - at["wd"])]
    found = solve_linear(residuals, planar_names("i1")[:3])
    slope, rest = read_off(found, planar_names("o")[:3])
    results = Results(d)
    results.put("a", slope.entries, "A of a_I = A a_O + b, a = [ax ay alpha]: 3 x 3, row by row", "1 or m")
    results.put("b", rest, "b of a_I = A a_O + b", "m/s^2, rad/s^2")
    gap = slope @ _arm(lever, 1) - unit(3)
    d.claim_identity("back", "A and the way back from input to output are inverse", gap.entries, squares={})
    return d
