"""One rigid body: inertia in world axes, gyroscopic torque, kinetic energy. The pose is that of the centre of mass."""

from __future__ import annotations

from symgen.algebra import HALF
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import INERTIA_PLACES, Matrix, name_matrix
from symgen.derive.dynamics.ports import Results, inertia_port, kernel, quaternion_port, rotation
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector


def body_inertia() -> Derivation:
    """Derive the inertia in world axes: R I R^T."""
    d = kernel("body_inertia", "inertia in world axes", "any text on rigid bodies: R I R^T")
    q = quaternion_port(d, "q", "orientation of the body")
    inertia = inertia_port(d)
    axes = rotation(d, q)
    frame = Matrix(tuple(zip(axes.x, axes.y, axes.z, strict=True)))
    right = name_matrix(d, "right", inertia @ frame.transposed, "inertia times R^T", "kg m^2")
    full = frame @ right
    values = [full.rows[i][j] for i, j in INERTIA_PLACES]
    Results(d).put("inertia_world", values, "inertia in world axes: xx yy zz xy xz yz", "kg m^2")
    gaps = [full.rows[i][j] - full.rows[j][i] for i, j in ((0, 1), (0, 2), (1, 2))]
    d.claim_zero("symmetric", "the inertia in world axes is symmetric", gaps)
    return d


def gyroscopic() -> Derivation:
    """Derive the gyroscopic torque omega x (R I R^T) omega."""
    d = kernel("gyroscopic", "gyroscopic torque", "L. Euler, in world axes")
    q = quaternion_port(d, "q", "orientation of the body")
    omega = d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")
    spin = _spin(d, q, omega, inertia_port(d))
    torque = d.vector("turning", omega.cross(spin), "gyroscopic torque", "N m")
    d.output("torque", torque, meaning="omega x I omega", unit="N m")
    d.claim_zero("powerless", "the gyroscopic torque does no work", [omega.dot(torque)])
    return d


def kinetic() -> Derivation:
    """Derive the kinetic energy of a body from the twist of its centre of mass."""
    d = kernel("kinetic", "kinetic energy", "S. Koenig's theorem")
    mass = d.input_scalar("mass", meaning="mass", unit="kg")
    q = quaternion_port(d, "q", "orientation of the body")
    twist = d.input_array(
        "twist", [f"{p}_{a}" for p in "vw" for a in "xyz"], meaning="velocity of the centre of mass, angular velocity",
        unit="m/s, rad/s",
    )  # fmt: skip
    v, omega = Vector(twist[:3]), Vector(twist[3:])
    inertia = inertia_port(d)
    local = d.vector("wb", rotation(d, q).to_local(omega), "angular velocity in body axes", "rad/s")
    value = HALF * (mass * v.dot(v) + local.dot(inertia.apply(local)))
    energy = d.scalar("energy", value, "kinetic energy", "J")
    d.output("energy", energy, meaning="kinetic energy", unit="J", frame="")
    return d


def _spin(d: Derivation, q: Quaternion, omega: Vector, inertia: Matrix) -> Vector:
    triad = rotation(d, q)
    local = d.vector("wb", triad.to_local(omega), "angular velocity in body axes", "rad/s")
    lump = d.vector("lb", inertia.apply(local), "angular momentum in body axes", "N m s")
    return d.vector("spin", triad.to_world(lump), "angular momentum", "N m s")
