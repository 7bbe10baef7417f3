"""Wrenches of forces on bodies, and the distance of two points as a function of their poses.

Poses are of centres of mass, so a lever begins there; a wrench is [force, torque about the centre of mass], world.

Source: any text on mechanics; rows are derivatives for twists [v, omega] of the centres of mass.
"""

from __future__ import annotations

from symgen.algebra import ONE, ZERO, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel, pose_port
from symgen.derive.vectors import Vector

SOURCE = "any text on mechanics: principle of virtual power"
_WRENCH = "N, N m"


def length_row() -> Derivation:
    """Derive the distance of two points of two bodies, and its derivative for the twists of both."""
    d = kernel("length_row", "distance of two points of two bodies", SOURCE)
    places, levers = [], []
    for k in (1, 2):
        place, turn = pose_port(d, f"pose_{k}", f"pose of body {k}", f"p{k}")
        at = d.input_vector(f"at_{k}", 3, meaning=f"point on body {k}", unit="m", frame=f"body {k}")
        lever = d.vector(f"s{k}", d.triad(f"b{k}", turn, f"body {k}").to_world(at), f"lever of the point {k}", "m")
        places.append(place + lever)
        levers.append(lever)
    apart = d.vector("apart", places[1] - places[0], "from the first point to the second", "m")
    length = d.scalar("distance", sqrt(apart.dot(apart)), "distance of the points", "m")
    along = d.vector("along", apart * d.scalar("i_length", ONE / length, "its reciprocal", "1/m"), "unit vector", "1")
    d.output("length", length, meaning="distance of the points", unit="m", frame="")
    results = Results(d)
    for k, sign in ((1, -1), (2, 1)):
        values = [value * sign for value in (*along, *levers[k - 1].cross(along))]
        results.put(f"row_{k}", values, f"derivative of the distance with respect to the twist of body {k}", "1, m")
    return d


def push() -> Derivation:
    """Derive the wrench of a force in world axes at a point of a body."""
    d = kernel("push", "wrench of a force, world axes", SOURCE)
    lever, _ = _lever(d)
    force = d.input_vector("force", 3, meaning="force", unit="N")
    Results(d).put("wrench", (*force, *lever.cross(force)), "force and torque about the centre of mass", _WRENCH)
    return d


def push_in_body() -> Derivation:
    """Derive the wrench of a force in body axes at a point of the body."""
    d = kernel("push_in_body", "wrench of a force, body axes", SOURCE)
    _, turn = pose_port(d, "pose", "pose of the body", "p")
    at = d.input_vector("at", 3, meaning="point on the body", unit="m", frame="body")
    force = d.input_vector("force", 3, meaning="force", unit="N", frame="body")
    axes = d.triad("b", turn, "body")
    moment = d.vector("moment", at.cross(force), "its torque, body axes", "N m")
    Results(d).put(
        "wrench", (*axes.to_world(force), *axes.to_world(moment)), "force and torque about the centre of mass", _WRENCH
    )
    return d


def twist_in_body() -> Derivation:
    """Derive the wrench of a torque in body axes."""
    d = kernel("twist_in_body", "wrench of a torque, body axes", SOURCE)
    _, turn = pose_port(d, "pose", "pose of the body", "p")
    torque = d.input_vector("torque", 3, meaning="torque", unit="N m", frame="body")
    found = d.triad("b", turn, "body").to_world(torque)
    Results(d).put("wrench", (ZERO, ZERO, ZERO, *found), "force and torque about the centre of mass", _WRENCH)
    return d


def _lever(d: Derivation) -> tuple[Vector, Vector]:
    place, turn = pose_port(d, "pose", "pose of the body", "p")
    at = d.input_vector("at", 3, meaning="point on the body", unit="m", frame="body")
    return d.vector("s", d.triad("b", turn, "body").to_world(at), "lever of the point", "m"), place
