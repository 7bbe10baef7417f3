"""The Newton-Euler equations of a rigid body with ports, and their solution for the state at the output.

Nothing of a body's transfer matrix is typed in: kinematics, Newton's and Euler's equation are written down as
residuals, solved for what is unknown, and the matrices are the derivatives of the solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import ZERO, Expr, derivative, name_of, replace, solve_linear, symbol, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.items import Step
from symgen.derive.transfer.ports import STATES, inertia_port, load_ports, mass_port, omega_port, state, swing
from symgen.derive.vectors import AXES, Vector


@dataclass(frozen=True)
class NewtonEulerBody:
    """A spatial body: what its equations are made of, in world axes.

    `d` is the arm from the centre of mass to the output, `first` is mass times d, `gyroscopic` is omega x J omega,
    `swing_d` omega x (omega x d).
    """

    mass: Expr
    inertia: Matrix
    d: Vector
    first: Vector
    force: Vector
    moment: Vector
    gyroscopic: Vector
    swing_d: Vector


def body_loads(d: Derivation, mass: Expr, inertia: Matrix, arm: Vector) -> NewtonEulerBody:
    """Declare angular velocity and loads of a body with the arm d from its centre of mass to its output."""
    omega = omega_port(d)
    force, moment = load_ports(d)
    spin = d.vector("spin", inertia.apply(omega), "angular momentum", "N m s")
    gyroscopic = d.vector("gyro", omega.cross(spin), "gyroscopic torque omega x J omega", "N m")
    first = d.vector("md", arm * mass, "first moment: mass times d", "kg m")
    return NewtonEulerBody(mass, inertia, arm, first, force, moment, gyroscopic, swing(d, omega, arm, "d"))


def body_with_inputs(d: Derivation) -> tuple[NewtonEulerBody, Vector, Vector, Vector]:
    """Declare a body with frame at its first input; return it, c, l and omega x (omega x l)."""
    mass, inertia = mass_port(d), inertia_port(d)
    c = d.input_vector("c", 3, meaning="from the input I to the centre of mass", unit="m")
    lever = d.input_vector("l", 3, meaning="from the input I to the output O", unit="m")
    arm = d.vector("d", lever - c, "from the centre of mass to the output", "m")
    body = body_loads(d, mass, inertia, arm)
    omega = Vector(tuple(symbol(f"omega_{a}") for a in AXES))
    return body, c, lever, swing(d, omega, lever, "l")


def dynamic_residuals(
    body: NewtonEulerBody,
    centre: Vector,
    alpha: Vector,
    output: Mapping[str, Vector],
    inputs: Sequence[tuple[Vector, Mapping[str, Vector]]],
) -> list[Expr]:
    """Return the residuals of Newton's and Euler's equation, moments about the centre of mass.

    Parameters
    ----------
    centre, alpha : acceleration of the centre of mass, angular acceleration.
    output : wrench [m, q] that the body exerts at its output.
    inputs : lever to the output, and the wrench [m, q] on the body, of each input.
    """
    force, moment = body.force - output["q"], body.moment - output["m"] - body.d.cross(output["q"])
    for lever, wrench in inputs:
        force = force + wrench["q"]
        moment = moment + wrench["m"] + (body.d - lever).cross(wrench["q"])
    newton = centre * body.mass - force
    euler = body.inertia.apply(alpha) + body.gyroscopic - moment
    return [*newton, *euler]


def residuals_about_output(
    body: NewtonEulerBody,
    centre: Vector,
    alpha: Vector,
    output: Mapping[str, Vector],
    inputs: Sequence[tuple[Vector, Mapping[str, Vector]]],
) -> list[Expr]:
    """Return the residuals of Newton's and Euler's equation, moments about the output: what is solved."""
    force, moment = body.force - output["q"], body.moment - output["m"] - body.d.cross(body.force)
    for lever, wrench in inputs:
        force = force + wrench["q"]
        moment = moment + wrench["m"] - lever.cross(wrench["q"])
    newton = centre * body.mass - force
    euler = body.inertia.apply(alpha) + body.gyroscopic - body.first.cross(centre) - moment
    return [*newton, *euler]


def claim_about_centre(d: Derivation, residuals: Sequence[Expr], solved: Mapping[str, Expr]) -> None:
    """Claim that a solution solves the equations with moments about the centre of mass, too.

    Symbols of states that are left over are arguments for the proof only.
    """
    gaps = [replace(residual, solved) for residual in residuals]
    left = sorted({name for gap in gaps for name in symbol_names(gap)} - known_names(d))
    d.input_array("any_state", left, meaning="any state, for the proof", unit="SI")
    claim = "Newton's and Euler's equation hold, moments about the centre of mass"
    d.claim_identity("newton_euler", claim, gaps, squares={})


def known_names(d: Derivation) -> set[str]:
    """Return the names of arguments and steps."""
    steps = {target for item in d.items if isinstance(item, Step) for target in item.targets}
    return steps | {element for port in d.inputs.values() for element in port.elements}


def solve_for_output(
    d: Derivation, body: NewtonEulerBody, c: Vector, swing_c: Vector, levers: Sequence[Vector], swing_l: Vector
) -> list[Expr]:
    """Solve for [rdd, wd, m, q] at the output, given the states `i1`, `i2`, ... of the inputs.

    The kinematics are those of the first input: rdd_C = rdd + wd x c + swing_c, rdd_O = rdd + wd x l + swing_l.
    """
    first, out = state("i1"), state("o")
    centre = Vector(tuple(symbol(f"centre_{a}") for a in AXES))
    inputs = [(lever, state(f"i{k}")) for k, lever in enumerate(levers, start=1)]
    kinematics = [
        *(centre - first["rdd"] - first["wd"].cross(c) - swing_c),
        *(out["rdd"] - first["rdd"] - first["wd"].cross(levers[0]) - swing_l),
        *(out["wd"] - first["wd"]),
    ]
    given = (body, centre, first["wd"], out, inputs)
    unknowns = [name_of(v) for v in (*centre, *(v for name in STATES for v in out[name]))]
    found = solve_linear([*kinematics, *residuals_about_output(*given)], unknowns)
    claim_about_centre(d, dynamic_residuals(*given), dict(zip(unknowns, found, strict=True)))
    return found[3:]


def solve_for_wrench(d: Derivation, body: NewtonEulerBody) -> tuple[list[Expr], list[str]]:
    """Solve for [m, q] at the output of a body without inputs, given its acceleration; return names of this, too.

    The acceleration of the centre of mass is rdd_O - wd x d - omega x (omega x d).
    """
    out = state("o")
    centre = Vector(tuple(symbol(f"centre_{a}") for a in AXES))
    kinematics = [*(centre - out["rdd"] + out["wd"].cross(body.d) + body.swing_d)]
    given = (body, centre, out["wd"], out, ())
    unknowns = [name_of(v) for v in (*centre, *out["m"], *out["q"])]
    found = solve_linear([*kinematics, *residuals_about_output(*given)], unknowns)
    claim_about_centre(d, dynamic_residuals(*given), dict(zip(unknowns, found, strict=True)))
    return found[3:], [name_of(v) for v in (*out["rdd"], *out["wd"])]


def read_off(values: Sequence[Expr], names: Sequence[str]) -> tuple[Matrix, tuple[Expr, ...]]:
    """Return slope and rest of values that are affine in the named symbols."""
    slope = Matrix(tuple(tuple(derivative(value, name) for name in names) for value in values))
    rest = tuple(replace(value, dict.fromkeys(names, ZERO)) for value in values)
    return slope, rest


def state_names(tag: str) -> list[str]:
    """Return the names of a port's state, in order."""
    return [name_of(v) for vector in state(tag).values() for v in vector]
