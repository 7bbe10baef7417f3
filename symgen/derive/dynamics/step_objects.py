"""One step of the direct integration: central differences, the first step, residuals, and the forms (D) and (V).

With x+, x, x- the coordinates [r, q] a step later, now and a step before,

    xdot = (x+ - x-)/(2h),   xddot = (x+ - 2x + x-)/h^2,   M xddot + C xdot - F_E - F_CR = 0

and at the first step x- = x+ - 2 h v0. The rotational part is, in body axes and with phi+ = Vec(q^-1 q+),
phi- = Vec(q-^-1 q), the form (D); the variational form (V) is the discrete Euler-Lagrange equation of
L(q, q+) = (2/h) phi+ . I phi+, the kinetic energy of half turns.
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, TWO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.derived_object import DerivedObject, ObjectDerivation
from symgen.derive.dynamics.inertia_objects import (
    gyroscopic_torque,
    gyroscopic_wrench,
    mass_matrix,
    rate_matrix,
    step,
    wrench,
)
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.ports import inertia_port
from symgen.derive.dynamics.rotation_objects import axes_of, gaps, orientation, plus, pure, scaled, vector_part
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector, unit_vector

VARIATIONAL = "J. E. Marsden and M. West 2001, discrete Euler-Lagrange equations; form (V) of docs/dynamics.md"


def _numbers(d: Derivation, **meanings: str) -> list[Expr]:
    return [d.input_scalar(name, meaning=meaning, unit="m") for name, meaning in meanings.items()]


_NOW, _AFTER, _BEFORE = "coordinate now", "coordinate a step later", "coordinate a step before"


def central(name: str) -> DerivedObject:
    """Derive the central difference of a coordinate: its velocity or acceleration."""
    equation, letter = ("Eq. (67)", "xdot") if name == "velocity" else ("Eq. (68)", "xddot")
    d = ObjectDerivation(f"central_{name}", f"{name} by central differences", equation, letter)
    x, after, before = _numbers(d, x=_NOW, x_next=_AFTER, x_before=_BEFORE)
    h = step(d)
    found = (after - before) / (TWO * h) if name == "velocity" else (after - TWO * x + before) / (h * h)
    # of any parabola a + b t + c t^2 the difference is the derivative: b and 2 c
    a, b, c = x, after, before
    ends = [a + b * t + c * t * t for t in (h, -h)]
    exact = (
        (ends[0] - ends[1]) / (TWO * h) - b if name == "velocity" else (ends[0] - TWO * a + ends[1]) / (h * h) - c * 2
    )
    d.claim_identity("parabola", "the difference is exact for x, x_next, x_before as coefficients of a parabola",
                     [exact], squares={})  # fmt: skip
    return d.give(found, "m/s" if name == "velocity" else "m/s^2")


def first_velocity() -> DerivedObject:
    """Derive the velocity at the first step, with the coordinate that a step before would have."""
    d = ObjectDerivation("first_step_velocity", "velocity at the start by the central difference",
                         "first step, xdot(t0)", "xdot(t0)")  # fmt: skip
    x_0, x_1, before = _numbers(d, x_0="coordinate at the start", x_1="coordinate after the first step",
                                x_before="coordinate a step before the start")  # fmt: skip
    h = step(d)
    found = (x_1 - before) / (TWO * h)
    a, b, c = x_0, x_1, before
    ends = [a + b * t + c * t * t for t in (h, -h)]
    d.claim_identity("parabola", "exact for a parabola", [(ends[0] - ends[1]) / (TWO * h) - b], squares={})
    return d.give(found, "m/s")


def first_acceleration() -> DerivedObject:
    """Derive the acceleration at the first step; the coordinate before it is eliminated by the given velocity."""
    d = ObjectDerivation("first_step_acceleration", "acceleration at the start from the given velocity",
                         "first step, xddot(t0)", "xddot(t0)")  # fmt: skip
    x_0, x_1 = _numbers(d, x_0="coordinate at the start", x_1="coordinate after the first step")
    speed = d.input_scalar("v_0", meaning="velocity at the start", unit="m/s")
    h = step(d)
    found = TWO * (x_1 - x_0 - h * speed) / (h * h)
    before = x_1 - TWO * h * speed
    both = [(x_1 - TWO * x_0 + before) / (h * h) - found, (x_1 - before) / (TWO * h) - speed]
    d.claim_identity("central", "it is the central difference, with x_before = x_1 - 2 h v_0", both, squares={})
    return d.give(found, "m/s^2")


def remainder() -> DerivedObject:
    """Derive what Newton's linearisation leaves out, for a constant second derivative."""
    d = ObjectDerivation("linearisation_remainder", "Lagrange's remainder of the linearisation of f", "Eq. (24)", "R_1")
    x, at = _numbers(d, x="where f is taken", x_at="where f is linearised")
    second = d.input_scalar("second", meaning="second derivative of f in between", unit="")
    found = HALF * second * (x - at) ** 2

    def parabola(t: Expr) -> Expr:
        return ONE + t + HALF * second * t * t

    linear = parabola(at) + (ONE + second * at) * (x - at)
    d.claim_identity("parabola", "f - linearisation, for f = 1 + x + second x^2/2", [parabola(x) - linear - found],
                     squares={})  # fmt: skip
    return d.give(found, "")


# -- one body --------------------------------------------------------------------------------------------------------


def _coordinates(d: Derivation, name: str, meaning: str) -> tuple[Vector, Quaternion]:
    elements = [f"{name}_{part}" for part in ("x", "y", "z", "0", "1", "2", "3")]
    values = d.input_array(name, elements, meaning=meaning, unit="m, 1", range="q unit")
    q0, q1, q2, q3 = values[3:]
    return Vector(values[:3]), Quaternion((q0, q1, q2, q3))


def _stack(place: Vector, turn: Quaternion) -> tuple[Expr, ...]:
    return (*place, *turn.components)


def newton_residual() -> DerivedObject:
    """Derive what Newton's iteration makes zero, before the null space: A x+ - E - B x- - D x."""
    d = ObjectDerivation("step_residual", "residual of the linearised equations of a body", "Eq. (69)", "F_R")
    r_a, q_a = _coordinates(d, "x_next", "coordinates a step later")
    r, q = _coordinates(d, "x_now", "coordinates now")
    r_b, q_b = _coordinates(d, "x_before", "coordinates a step before")
    mass, inertia = d.input_scalar("mass", meaning="mass of the body", unit="kg"), inertia_port(d)
    force, h = wrench(d), step(d)
    rate = d.quaternion("rate", scaled(plus(q_a, q_b, -1), HALF / h), "rate of q")
    bent = rate_matrix(q, rate, inertia) * (HALF / h)
    heavy = mass_matrix(mass, q, inertia) * (ONE / (h * h))
    own = Vector(force) + gyroscopic_wrench(q, rate, inertia)
    after, now, before = (_stack(*pair) for pair in ((r_a, q_a), (r, q), (r_b, q_b)))
    found = [
        a - e - b - c
        for a, e, b, c in zip(
            (heavy + bent).times(after), own, (bent - heavy).times(before), (heavy * 2).times(now), strict=True
        )
    ]
    local = central_torque(q_b, q, q_a, inertia, h)
    wants = [*((r_a - r * 2 + r_b) * (mass / (h * h))), *axes_of(q).apply(local)]
    d.claim_zero("central_form", "it is [m (r+ - 2 r + r-)/h^2, R (D)] minus the force",
                 gaps(found, [w - f for w, f in zip(wants, force, strict=True)]))  # fmt: skip
    return d.give(found, "N, N m")


def reaction_wrench() -> DerivedObject:
    """Derive what the joints exert on a body: F_R = M xddot + C xdot - F_E - F_CR."""
    d = ObjectDerivation("reaction_wrench", "force and torque of all joints on a body, about its centre of mass",
                         "Eq. (53), (69)", "F_R")  # fmt: skip
    q = orientation(d)
    parts = ("x", "y", "z", "a", "b", "c", "e")
    rates = d.input_array("xdot", [f"xdot_{part}" for part in parts], meaning="rates of [r, q]", unit="m/s, 1/s")
    seconds = d.input_array("xddot", [f"xddot_{part}" for part in parts], meaning="their rates", unit="m/s^2, 1/s^2")
    mass, inertia = d.input_scalar("mass", meaning="mass of the body", unit="kg"), inertia_port(d)
    force = wrench(d)
    rate, second = (Quaternion((v[3], v[4], v[5], v[6])) for v in (rates, seconds))
    inertial = mass_matrix(mass, q, inertia).times(seconds)
    bent = rate_matrix(q, rate, inertia).times(rates)
    own = Vector(force) + gyroscopic_wrench(q, rate, inertia)
    found = [m + c - e for m, c, e in zip(inertial, bent, own, strict=True)]
    wbar, alpha = (vector_part(q.conjugate * v) * TWO for v in (rate, second))
    torque = axes_of(q).apply(inertia.apply(alpha) + wbar.cross(inertia.apply(wbar)))
    wants = [*(mass * a for a in seconds[:3]), *torque]
    claim = "it is the residual of Newton's and Euler's equations: [m a, R (I wbar' + wbar x I wbar)] minus the force"
    d.claim_zero("balance", claim, gaps(found, [w - f for w, f in zip(wants, force, strict=True)]))
    return d.give(found, "N, N m")


def first_residual() -> DerivedObject:
    """Derive the residual of the first step."""
    d = ObjectDerivation("first_step_residual", "residual of the first step of a body", "Eq. (70)", "F_R(t0)")
    r_1, q_1 = _coordinates(d, "x_1", "coordinates after the first step")
    r_0, q_0 = _coordinates(d, "x_0", "coordinates at the start")
    names = [f"v_0_{part}" for part in ("x", "y", "z", "a", "b", "c", "e")]
    speed = d.input_array("v_0", names, meaning="rates of the coordinates at the start", unit="m/s, 1/s")
    mass, inertia = d.input_scalar("mass", meaning="mass of the body", unit="kg"), inertia_port(d)
    force, h = wrench(d), step(d)
    rate = Quaternion((speed[3], speed[4], speed[5], speed[6]))
    after, now = _stack(r_1, q_1), _stack(r_0, q_0)
    second = [TWO * (a - h * v - x) / (h * h) for a, v, x in zip(after, speed, now, strict=True)]
    inertial = mass_matrix(mass, q_0, inertia).times(second)
    bent = rate_matrix(q_0, rate, inertia).times(speed)
    own = Vector(force) + gyroscopic_wrench(q_0, rate, inertia)
    found = [m + c - e for m, c, e in zip(inertial, bent, own, strict=True)]
    phi = vector_part(q_0.conjugate * q_1)
    phi_v = vector_part(q_0.conjugate * rate)
    turned = axes_of(q_0).apply(inertia.apply(phi - phi_v * h) * (TWO * TWO / (h * h)))
    wants = [w + g - t for w, g, t in zip(turned, gyroscopic_torque(q_0, rate, inertia), force[3:], strict=True)]
    claim = "its rotational part is R [4 I (phi_1 - h G4 qdot_0)/h^2 + w0 x I w0] minus the torque"
    d.claim_zero("start_form", claim, gaps(found[3:], wants))
    return d.give(found, "N, N m")


def central_torque(q_b: Quaternion, q: Quaternion, q_a: Quaternion, inertia: Matrix, h: Expr) -> Vector:
    """Return (D): 2 I (phi+ - phi-)/h^2 + (phi+ + phi-) x I (phi+ + phi-)/h^2, body axes."""
    ahead, behind = vector_part(q.conjugate * q_a), vector_part(q_b.conjugate * q)
    both = ahead + behind
    return (inertia.apply(ahead - behind) * TWO + both.cross(inertia.apply(both))) * (ONE / (h * h))


def _three(d: Derivation) -> tuple[Quaternion, Quaternion, Quaternion]:
    return (
        orientation(d, "q_before", "orientation a step before"),
        orientation(d, "q", "orientation now"),
        orientation(d, "q_next", "orientation a step later"),
    )


def central_form() -> DerivedObject:
    """Derive (D) from the rotational equation with central differences."""
    d = ObjectDerivation("central_form", "rotational equation with central differences, body axes (D)",
                         "Eq. (53), as corrected", "(D)")  # fmt: skip
    q_b, q, q_a = _three(d)
    inertia, h = inertia_port(d), step(d)
    found = central_torque(q_b, q, q_a, inertia, h)
    second = scaled(plus(plus(q_a, q, -2), q_b), ONE / (h * h))
    wbar = vector_part(q.conjugate * scaled(plus(q_a, q_b, -1), HALF / h)) * TWO
    direct = inertia.apply(vector_part(q.conjugate * second)) * TWO + wbar.cross(inertia.apply(wbar))
    d.claim_identity("differences", "it is 2 I G4 qdd + wbar x I wbar with central differences",
                     gaps(found, direct), squares={})  # fmt: skip
    return d.give(found, "N m")


def variational_form() -> DerivedObject:
    """Derive (V) and prove that it is the discrete Euler-Lagrange equation."""
    d = ObjectDerivation("variational_form", "rotational equation of the discrete Lagrangian, body axes (V)",
                         VARIATIONAL, "(V)")  # fmt: skip
    q_b, q, q_a = _three(d)
    inertia, h = inertia_port(d), step(d)

    def parts(one: Quaternion, two: Quaternion) -> tuple[Expr, Vector, Vector]:
        turn = one.conjugate * two
        phi = vector_part(turn)
        return turn.components[0], phi, inertia.apply(phi)

    (s_a, phi_a, lump_a), (s_b, phi_b, lump_b) = parts(q, q_a), parts(q_b, q)
    out, back = lump_a * s_a + phi_a.cross(lump_a), lump_b * s_b - phi_b.cross(lump_b)
    found = (out - back) * (TWO / (h * h))

    def action(now: Quaternion) -> Expr:
        (_, ahead, a), (_, behind, b) = parts(now, q_a), parts(q_b, now)
        return (ahead.dot(a) + behind.dot(b)) * (TWO / h)

    slopes = []
    for axis in "xyz":
        turned = q * pure(unit_vector(axis) * HALF)
        slopes.append((action(plus(q, turned)) - action(plus(q, turned, -1))) * HALF)
    claim = "h times it is minus the derivative of L(q-, q) + L(q, q+) with respect to a turn of q about a body axis"
    d.claim_zero("lagrange", claim, [slope + h * value for slope, value in zip(slopes, found, strict=True)])
    return d.give(found, "N m")
