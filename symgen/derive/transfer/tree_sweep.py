"""Motion along a tree: twists of bodies, and what each accelerates by beyond its carrier while its rates stay.

A joint is a row of motions; the column of a motion is the twist [v, omega] of the body's centre of mass for a unit
rate, that of a field of velocities which is fixed in the frame that the motion starts from. Seen from the centre of
mass P, which moves with u, a frame with the twist [v, omega] at the place of P changes such a field's value at P by

    [omega x c_v + c_w x (u - v), omega x c_w]

a turn's axis, a slide's direction and a screw's alike. After the motion its frame has the twist [v, omega] + c rate.

Source: any text on rigid bodies.
"""

from __future__ import annotations

from symgen.algebra import ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel, twist_port
from symgen.derive.vectors import Vector

_SOURCE = "any text on rigid bodies"
_ADDED = "acceleration relative to the carrier's, [rdd wd]"


def tree_kernels() -> tuple[Derivation, ...]:
    """Derive what finds twists and swept accelerations."""
    return twist_along(), carrier_swept(), column_swept()


def twist_along() -> Derivation:
    """Derive the twist after a motion."""
    d = kernel("twist_along", "twist after a motion of a joint", _SOURCE)
    v, omega = twist_port(d, "twist", "twist before it", "")
    c_v, c_w = twist_port(d, "column", "column of the motion", "c_")
    rate = d.input_scalar("rate", meaning="rate of the motion", unit="m/s or rad/s")
    Results(d).put("twist_out", [*(v + c_v * rate), *(omega + c_w * rate)], "twist after it", "m/s, rad/s")
    return d


def carrier_swept() -> Derivation:
    """Derive what the lever from the carrier adds while it changes: a_P = a + alpha x l + omega x l'."""
    d = kernel("carrier_swept", "acceleration of a body due to the change of its lever from the carrier", _SOURCE)
    v, omega = twist_port(d, "carrier", "twist of the carrier", "")
    u, _ = twist_port(d, "twist", "twist of the body", "b_")
    away = d.vector("away", u - v, "rate of the lever between the centres of mass", "m/s")
    lever = d.input_vector("lever", 3, meaning="a lever that is fixed in the carrier (proof)", unit="m")
    still = (u - v - omega.cross(lever)).components
    own = omega.cross(omega.cross(lever)) + omega.cross(Vector(still))
    d.claim_identity("fixed", "omega x (omega x l) where l' = omega x l", list(omega.cross(away) - own), squares={})
    Results(d).put("swept", [*omega.cross(away), ZERO, ZERO, ZERO], _ADDED, "m/s^2, rad/s^2")
    return d


def column_swept() -> Derivation:
    """Derive what a motion adds: its column's change times its rate, and its column times its acceleration."""
    d = kernel("column_swept", "contribution of a joint motion to the acceleration relative to the carrier's", _SOURCE)
    v, omega = twist_port(d, "frame", "twist of the frame before the motion, at the body's centre of mass", "")
    u, _ = twist_port(d, "twist", "twist of the body", "b_")
    c_v, c_w = twist_port(d, "column", "column of the motion", "c_")
    rate = d.input_scalar("rate", meaning="rate of the motion", unit="m/s or rad/s")
    second = d.input_scalar("second", meaning="acceleration of the motion that is known", unit="m/s^2 or rad/s^2")
    past = d.vector("past", u - v, "velocity of the centre of mass relative to the frame", "m/s")
    moved, turned = omega.cross(c_v) + c_w.cross(past), omega.cross(c_w)
    d.claim_identity("field", "it is the change of a field that turns with its frame", _gaps(d, moved), squares={})
    values = [*(moved * rate + c_v * second), *(turned * rate + c_w * second)]
    Results(d).put("swept", values, _ADDED, "m/s^2, rad/s^2")
    return d


def _gaps(d: Derivation, moved: Vector) -> list[Expr]:
    """Return the change of c_v less that of s + c_w x l, with s and the origin of l fixed in the frame."""

    def known(prefix: str, part: str) -> Vector:
        return Vector(tuple(d.promise(f"{prefix}{part}_{axis}") for axis in "xyz"))

    v, omega, u, c_v, c_w = (known(*part) for part in (("", "v"), ("", "w"), ("b_", "v"), ("c_", "v"), ("c_", "w")))
    lever = d.input_vector("lever", 3, meaning="from any point of the frame to the centre of mass (proof)", unit="m")
    origin = v - omega.cross(lever)
    start = c_v - c_w.cross(lever)
    change = omega.cross(start) + omega.cross(c_w).cross(lever) + c_w.cross(u - origin)
    return list(change - moved)
