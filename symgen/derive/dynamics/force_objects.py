"""Forces as derived objects: wrenches, springs and dampers between two points, and what dampers add to C.

A wrench is [force, torque about the centre of mass] in world axes. With L the distance of two points and row its
derivative for the twists of both bodies, a spring acts with -stiffness (L - L_0) row and a damper with -damping
(row . twists) row. The latter is linear in the twists: its derivative, -damping row row^T, enters C with the other
sign, and Newton's iteration stays exact.
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr, sqrt
from symgen.derive.derived_object import DerivedObject, ObjectDerivation
from symgen.derive.dynamics.differentiate import jacobian
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.rotation_objects import AXES, axes_of, gaps, orientation, rotated, world_rates
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector

SOURCE = "any text on mechanics: principle of virtual power"


def wrench_of_force(axes: str) -> DerivedObject:
    """Derive the wrench of a force at a point of a body, the force in world or body axes."""
    world = axes == "world"
    name = "wrench_of_force" if world else "wrench_of_body_force"
    d = ObjectDerivation(name, f"wrench of a force at a point, {axes} axes", SOURCE, "F_E")
    q = orientation(d)
    r = d.input_vector("r", 3, meaning="point fixed in the body", unit="m", frame="body")
    force = d.input_vector("force", 3, meaning="force", unit="N", frame=axes)
    turned = force if world else axes_of(q).apply(force)
    lever = axes_of(q).apply(r)
    moment = lever.cross(force) if world else axes_of(q).apply(r.cross(force))
    d.claim_zero("lever", "its torque is that of the lever", gaps(moment, lever.cross(turned)))
    return d.give((*turned, *moment), "N, N m")


def wrench_of_weight() -> DerivedObject:
    """Derive the wrench of gravity."""
    d = ObjectDerivation("wrench_of_weight", "wrench of gravity", SOURCE, "F_E")
    mass = d.input_scalar("mass", meaning="mass of the body", unit="kg")
    gravity = d.input_vector("gravity", 3, meaning="acceleration of gravity", unit="m/s^2")
    r = d.input_vector("x", 3, meaning="centre of mass", unit="m")
    energy = d.scalar("energy", -mass * gravity.dot(r), "potential energy", "J")
    slope = jacobian(d, [energy], [f"x_{a}" for a in AXES])
    weight = gravity * mass
    d.claim_identity("potential", "it is minus the gradient of -m g . r", gaps(weight, slope * -1), squares={})
    return d.give((*weight, ZERO, ZERO, ZERO), "N, N m")


def _distance(d: ObjectDerivation) -> tuple[Expr, tuple[Expr, ...]]:
    """Name the distance of two points; return it and its row for both twists. Proves the row."""
    places, levers, turns = [], [], []
    for k in (1, 2):
        parts = [f"x{k}_{part}" for part in ("x", "y", "z", "0", "1", "2", "3")]
        values = d.input_array(f"x_{k}", parts, meaning=f"coordinates [r, q] of body {k}", unit="m, 1", range="q unit")
        at = d.input_vector(f"at_{k}", 3, meaning=f"point on body {k}", unit="m", frame=f"body {k}")
        q = Quaternion((values[3], values[4], values[5], values[6]))
        lever = d.vector(f"s{k}", rotated(q, at), f"lever of the point on body {k}", "m")
        places.append(Vector(values[:3]) + lever)
        levers.append(lever)
        turns.append(world_rates(q).transposed * HALF)
    apart = d.vector("apart", places[1] - places[0], "from the first point to the second", "m")
    length2 = d.scalar("length2", apart.dot(apart), "squared distance", "m^2")
    length = d.scalar("length", sqrt(length2), "distance", "m")
    along = d.vector("along", apart * (ONE / length), "unit vector from the first to the second", "1")
    row = (*-along, *-levers[0].cross(along), *along, *levers[1].cross(along))
    names = [f"x{k}_{part}" for k in (1, 2) for part in ("x", "y", "z", "0", "1", "2", "3")]
    (slope,) = jacobian(d, [length2], names).rows
    effort = []
    for k, turn in enumerate(turns):
        moved = slope[7 * k : 7 * k + 7]
        effort += [*moved[:3], *turn.transposed.times(moved[3:])]
    d.claim_zero(
        "row",
        "2 L row is the derivative of L^2 with respect to both twists",
        gaps(effort, [TWO * length * v for v in row]),
    )
    return length, row


def spring() -> DerivedObject:
    """Derive the wrenches of a spring between two points."""
    d = ObjectDerivation("spring_wrenches", "wrenches of a spring on its two bodies", SOURCE, "F_E")
    length, row = _distance(d)
    stiffness = d.input_scalar("stiffness", meaning="stiffness", unit="N/m")
    rest = d.input_scalar("length_0", meaning="length without force", unit="m")
    pull = d.scalar("pull", stiffness * (length - rest), "force of the spring", "N")
    return d.give([-pull * value for value in row], "N, N m")


def damper(*, slope: bool) -> DerivedObject:
    """Derive the wrenches of a damper between two points, or less their derivative for the twists: what C takes up."""
    title = (
        "minus the derivative of a damper's wrenches with respect to both twists" if slope else "wrenches of a damper"
    )
    d = ObjectDerivation("damper_rates" if slope else "damper_wrenches", title, SOURCE, "C" if slope else "F_E")
    _, row = _distance(d)
    damping = d.input_scalar("damping", meaning="damping", unit="N s/m")
    names = [f"t{k}_{part}_{axis}" for k in (1, 2) for part in "vw" for axis in AXES]
    if slope:
        return d.give(Matrix(tuple(tuple(damping * a * b for b in row) for a in row)), "N s/m, N m s")
    twists = d.input_array("twists", names, meaning="twists of both bodies", unit="m/s, rad/s")
    total = ZERO
    for value, speed in zip(row, twists, strict=True):
        total = total + value * speed
    pull = d.scalar("pull", damping * total, "force of the damper", "N")
    found = [d.scalar(f"load_{k}", -pull * value, "component of the wrenches") for k, value in enumerate(row)]
    rates = jacobian(d, found, names)
    matrix = Matrix(tuple(tuple(-damping * a * b for b in row) for a in row))
    d.claim_zero("slope", "its derivative with respect to the twists is -damping row row^T", gaps(rates, matrix))
    return d.give(found, "N, N m")
