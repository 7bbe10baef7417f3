"""The sweep of right sides: loads e from the tips to the root, accelerations and joint rates back, S being known.

    body    e of a body at its centre of mass, and what all its joints do to it
    swept   e + S c: a port that is accelerated by c beyond its carrier (eta of its joint is -c)
    back    qdd of a hinge passed against its direction, and the acceleration of its inboard side

Loads pass hinges and levers as the columns of multipliers do: `loop_column_hinge_f`, `loop_column_shift`.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import dot
from symgen.derive.transfer.newton_euler import NewtonEulerBody, dynamic_residuals
from symgen.derive.transfer.ports import (
    RICCATI,
    array_port,
    articulated_ports,
    blocks,
    counted,
    inertia_port,
    load_ports,
    mass_port,
    matrix_port,
    omega_port,
    put_articulated,
    put_scalar,
    shifting,
    swapped,
    symmetric_port,
    unit,
    zeros,
)
from symgen.derive.vectors import Vector

_ACCELERATION = "m/s^2, rad/s^2"


def load_kernels() -> tuple[Derivation, ...]:
    """Derive what sweeps the right sides."""
    backs = tuple(back(freedoms) for freedoms in (1, 2, 3))
    return central_body(), drag(), reaction(), lever(), swept(), input_back(), *backs


def central_body() -> Derivation:
    """Derive S and e of a body alone at its centre of mass."""
    d = kernel("riccati_centre", "a single body: w = S a + e at its centre of mass", RICCATI)
    body = _body(d)
    held = blocks([[unit(3) * -body.mass, zeros(3, 3)], [zeros(3, 3), body.inertia * -1]])
    e = (*(body.moment - body.gyroscopic), *body.force)
    put_articulated(Results(d), held, e, "at the centre of mass")
    acceleration = array_port(d, "a", 6, "any acceleration of the centre of mass, for the proof", _ACCELERATION)
    wrench = [a + b for a, b in zip(swapped(held.times(acceleration)), e, strict=True)]
    _claim_newton_euler(d, body, acceleration, wrench)
    return d


def reaction() -> Derivation:
    """Derive what all joints of a body do to it together, from its acceleration."""
    d = kernel("riccati_reaction", "force and torque of all joints of a body, at its centre of mass", RICCATI)
    body = _body(d)
    acceleration = array_port(d, "a", 6, "acceleration of the centre of mass, [rdd wd]", _ACCELERATION)
    centre, alpha = Vector(tuple(acceleration[:3])), Vector(tuple(acceleration[3:]))
    force = centre * body.mass - body.force
    torque = body.inertia.apply(alpha) + body.gyroscopic - body.moment
    Results(d).put("reaction", [*force, *torque], "on the body at its centre of mass: [force, torque]", "N, N m")
    _claim_newton_euler(d, body, acceleration, [*(-torque), *(-force)])
    return d


def drag() -> Derivation:
    """Derive the force of a damper along what it feels."""
    d = kernel("damper_force", "force of a damper along the freedom that it acts on", "a viscous damper")
    damping = d.input_scalar("damping", meaning="damping", unit="N s/m or N m s/rad")
    speed = d.input_scalar("speed", meaning="rate of this freedom", unit="m/s or rad/s")
    put_scalar(Results(d), "force", -damping * speed, "force along this freedom", "N or N m")
    power = d.promise("force_value") * speed + damping * speed * speed
    d.claim_zero("power", "it takes the power damping speed^2", [power])
    return d


def _body(d: Derivation) -> NewtonEulerBody:
    mass, inertia, omega = mass_port(d), inertia_port(d), omega_port(d)
    force, moment = load_ports(d)
    spin = d.vector("spin", inertia.apply(omega), "angular momentum", "N m s")
    gyroscopic = d.vector("gyro", omega.cross(spin), "gyroscopic torque omega x J omega", "N m")
    none = Vector((ZERO, ZERO, ZERO))
    return NewtonEulerBody(mass, inertia, none, none, force, moment, gyroscopic, none)


def _claim_newton_euler(
    d: Derivation, body: NewtonEulerBody, acceleration: Sequence[Expr], wrench: Sequence[Expr]
) -> None:
    output = {"m": Vector(tuple(wrench[:3])), "q": Vector(tuple(wrench[3:]))}
    centre, alpha = Vector(tuple(acceleration[:3])), Vector(tuple(acceleration[3:]))
    gaps = dynamic_residuals(body, centre, alpha, output, ())
    d.claim_identity("newton_euler", "Newton's and Euler's equation hold about the centre of mass", gaps, squares={})


def lever() -> Derivation:
    """Derive the lever from one place to another."""
    d = kernel("lever", "lever from one point to another", RICCATI)
    start = d.input_vector("start", 3, meaning="where it starts", unit="m")
    end = d.input_vector("end", 3, meaning="where it ends", unit="m")
    found = end - start
    Results(d).put("lever", list(found), "from start to end", "m")
    d.claim_identity("there", "it leads from start to end", list(start + found - end), squares={})
    return d


def swept() -> Derivation:
    """Derive e where a port is accelerated beyond its carrier: w = S (a + c) + e = S a + e'."""
    d = kernel("riccati_swept", "e of a port whose acceleration relative to its carrier is c: e + S c", RICCATI)
    ps, e = articulated_ports(d)
    c = array_port(d, "c", 6, "acceleration beyond the carrier's (minus eta of the joint), [rdd wd]", _ACCELERATION)
    found = [a + b for a, b in zip(e, swapped(ps.times(c)), strict=True)]
    Results(d).put("e_out", found, "e of w = S a + e with the carrier's acceleration: [m q]", "N m, N")
    a = array_port(d, "a", 6, "any acceleration of the carrier, for the proof", _ACCELERATION)
    both = ps.times([x + y for x, y in zip(a, c, strict=True)])
    gaps = [x + y - z - w for x, y, z, w in zip(both, swapped(e), ps.times(a), swapped(found), strict=True)]
    d.claim_identity("same", "S (a + c) + e = S a + e'", gaps, squares={})
    return d


def input_back() -> Derivation:
    """Derive the acceleration of a body's input from that of its output, turning of the body apart."""
    d = kernel("riccati_input_back", "acceleration of an input from that of the output, without rate terms", RICCATI)
    outer = array_port(d, "a", 6, "acceleration of the output, [rdd wd]", _ACCELERATION)
    lever = d.input_vector("lever", 3, meaning="from the input to the output", unit="m")
    point, alpha = Vector(tuple(outer[:3])), Vector(tuple(outer[3:]))
    found = [*(point - alpha.cross(lever)), *alpha]
    Results(d).put("a_in", found, "acceleration of the input, [rdd wd]", _ACCELERATION)
    g = array_port(d, "g", 6, "any wrench at the input, [m q], for the proof", "N m, N")
    moved = shifting(lever, -1).times(g)
    gap = dot(swapped(g), found) - dot(swapped(moved), outer)
    d.claim_identity("power", "(P g)^T a_I = (P V g)^T a_O", [gap], squares={})
    return d


def back(freedoms: int) -> Derivation:
    """Derive qdd of the inboard side relative to the outboard side, and the acceleration of the inboard side.

    The hinge is passed against its direction: qdd is minus that of `riccati_hinge_f`, a_I = a_O + H qdd.
    """
    title = f"accelerations through a hinge with {counted(freedoms, 'freedom')}, against its direction"
    d = kernel(f"riccati_back_{freedoms}", title, RICCATI)
    outer = array_port(d, "a", 6, "a_O - eta: acceleration of the outboard side and what the joint adds", _ACCELERATION)
    h = matrix_port(d, "h", (6, freedoms), "H of the hinge, rows [rdd wd]", "m or 1")
    ka = matrix_port(d, "ka", (freedoms, 6), "Ka of the hinge", "1/m or 1")
    k0 = array_port(d, "k0", freedoms, "K0 of the hinge without eta", "m/s^2 or rad/s^2")
    di = symmetric_port(d, "di", freedoms, "D^-1 of the hinge", "inverse of the inertia")
    held = array_port(d, "r_lam", freedoms, "r^T lam of the loops open there", "N or N m")
    alone = [a + b for a, b in zip(k0, di.times(held), strict=True)]
    results = Results(d)
    rates = [-(a + b) for a, b in zip(ka.times(outer), alone, strict=True)]
    results.put("qdd", rates, "of the inboard side relative to the outboard side", "m/s^2 or rad/s^2")
    qdd = d.outputs["qdd"].elements
    steps = [d.promise(element) for element in qdd]
    inner = [a + b for a, b in zip(outer, h.times(steps), strict=True)]
    results.put("a_in", inner, "acceleration of the inboard side, [rdd wd]", _ACCELERATION)
    _claim_power(d, (outer, h, ka), alone, rates)
    return d


def _claim_power(
    d: Derivation, given: tuple[Sequence[Expr], Matrix, Matrix], alone: Sequence[Expr], rates: Sequence[Expr]
) -> None:
    """Claim that a wrench has the power on the inboard side that its column beyond the hinge has on the other.

    Columns go g' = P (1 - Ka^T H^T) P g towards the root: the way back is the transpose of the way there.
    """
    outer, h, ka = given
    held = array_port(d, "pg", 6, "P g of any wrench g on the inboard side, for the proof", "N, N m")
    work = h.transposed.times(held)
    beyond = [a - b for a, b in zip(held, ka.transposed.times(work), strict=True)]
    inner = [a + b for a, b in zip(outer, h.times(rates), strict=True)]
    gap = dot(held, inner) - dot(beyond, outer) + dot(work, alone)
    d.claim_identity("power", "(P g)^T a_I = (P g')^T a_O - r^T (K0 + Kl lam)", [gap], squares={})
