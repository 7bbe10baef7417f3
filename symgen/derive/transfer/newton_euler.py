"""The Newton-Euler equations of a rigid body with ports, and their solution for the state at the output.

Nothing of a body's transfer matrix is typed in: kinematics, Newton's and Euler's equation are written down as
residuals, solved for what is unknown, and the matrices are the derivatives of the solution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import ZERO, Expr, derivative, name_of, replace, solve_linear, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.transfer.ports import STATES, inertia_port, load_ports, mass_port, omega_port, state, turning
from symgen.derive.vectors import AXES, Vector


@dataclass(frozen=True)
class Body:
    """A spatial body: what its equations are made of, in world axes.

    `d` is the arm from the centre of mass to the output, `levers` those from the inputs to the output; `swing` is
    omega x (omega x .) of an arm as a named step; `gyroscopic` is omega x J omega.
    """

    mass: Expr
    inertia: Matrix
    d: Vector
    force: Vector
    moment: Vector
    gyroscopic: Vector
    swing_d: Vector


def body_loads(d: Derivation, mass: Expr, inertia: Matrix, arm: Vector) -> Body:
    """Declare angular velocity and loads of a body with the arm d from its centre of mass to its output."""
    omega = omega_port(d)
    force, moment = load_ports(d)
    spin = d.vector("spin", inertia.apply(omega), "angular momentum", "N m s")
    gyroscopic = d.vector("gyro", omega.cross(spin), "gyroscopic torque omega x J omega", "N m")
    swing = d.vector("swing_d", turning(omega, arm), "omega x (omega x d)", "m/s^2")
    return Body(mass, inertia, arm, force, moment, gyroscopic, swing)


def body_with_inputs(d: Derivation) -> tuple[Body, Vector, Vector, Vector]:
    """Declare a body with frame at its first input; return it, c, l and omega x (omega x l)."""
    mass, inertia = mass_port(d), inertia_port(d)
    c = d.input_vector("c", 3, meaning="from the input I to the centre of mass", unit="m")
    lever = d.input_vector("l", 3, meaning="from the input I to the output O", unit="m")
    arm = d.vector("d", lever - c, "from the centre of mass to the output", "m")
    body = body_loads(d, mass, inertia, arm)
    omega = Vector(tuple(symbol(f"omega_{a}") for a in AXES))
    swing = d.vector("swing_l", turning(omega, lever), "omega x (omega x l)", "m/s^2")
    return body, c, lever, swing


def dynamic_residuals(
    body: Body,
    centre: Vector,
    alpha: Vector,
    output: Mapping[str, Vector],
    inputs: Sequence[tuple[Vector, Mapping[str, Vector]]],
) -> list[Expr]:
    """Return the residuals of Newton's and Euler's equation.

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


def solve_for_output(body: Body, c: Vector, swing_c: Vector, levers: Sequence[Vector], swing: Vector) -> list[Expr]:
    """Solve for [rdd, wd, m, q] at the output, given the states `i1`, `i2`, ... of the inputs.

    The kinematics are those of the first input: rdd_C = rdd + wd x c + swing_c, rdd_O = rdd + wd x l + swing.
    """
    first, out = state("i1"), state("o")
    centre = Vector(tuple(symbol(f"centre_{a}") for a in AXES))
    inputs = [(lever, state(f"i{k}")) for k, lever in enumerate(levers, start=1)]
    residuals = [
        *(centre - first["rdd"] - first["wd"].cross(c) - swing_c),
        *(out["rdd"] - first["rdd"] - first["wd"].cross(levers[0]) - swing),
        *(out["wd"] - first["wd"]),
        *dynamic_residuals(body, centre, first["wd"], out, inputs),
    ]
    unknowns = [name_of(v) for v in (*centre, *(v for name in STATES for v in out[name]))]
    return solve_linear(residuals, unknowns)[3:]


def solve_for_wrench(body: Body) -> tuple[list[Expr], list[str]]:
    """Solve for [m, q] at the output of a body without inputs, given its acceleration; return names of this, too.

    The acceleration of the centre of mass is rdd_O - wd x d - omega x (omega x d).
    """
    out = state("o")
    centre = Vector(tuple(symbol(f"centre_{a}") for a in AXES))
    residuals = [
        *(centre - out["rdd"] + out["wd"].cross(body.d) + body.swing_d),
        *dynamic_residuals(body, centre, out["wd"], out, ()),
    ]
    unknowns = [name_of(v) for v in (*centre, *out["m"], *out["q"])]
    return solve_linear(residuals, unknowns)[3:], [name_of(v) for v in (*out["rdd"], *out["wd"])]


def read_off(values: Sequence[Expr], names: Sequence[str]) -> tuple[Matrix, tuple[Expr, ...]]:
    """Return slope and rest of values that are affine in the named symbols."""
    slope = Matrix(tuple(tuple(derivative(value, name) for name in names) for value in values))
    rest = tuple(replace(value, dict.fromkeys(names, ZERO)) for value in values)
    return slope, rest


def state_names(tag: str) -> list[str]:
    """Return the names of a port's state, in order."""
    return [name_of(v) for vector in state(tag).values() for v in vector]
