"""What the elements of rings with a rod between balls, or with a planar joint, do over time: see `kernel_motion`."""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import Matrix, rotation_exp
from oracle.motion_forms import (
    Configuration,
    Direction,
    Form,
    Kernel,
    Numbers,
    Orientation,
    Ports,
    Vector,
    along,
    body_rotation,
    cross,
    dot,
    minus,
    orientation,
    turned,
)


def _plane_points(s: Ports) -> list[str]:
    """Return the port with a point of each axis."""
    return [f"p{k}" if f"p{k}" in s else "o" for k in (1, 2, 3)]


def _plane_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move body 1, which carries all held elements, and body 2, which carries the plane wanted."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    names = _plane_points(s)
    at = along(s[names[0]], s["v_1"], s["a_1"], t)
    found = {**s, "n": turned(second, s["n"]), "c": along(s["c"], s["v_2"], s["a_2"], t)}
    found |= {name: turned(first, s[name]) for name in ("a1", "a2", "a3", "n0")}
    for name in (*names, "c0"):
        found[name] = [x + y for x, y in zip(at, turned(first, minus(s[name], s[names[0]])), strict=True)]
    return found


def _plane_placed(s: Ports, r: Ports) -> tuple[Matrix, Vector, list[tuple[Vector, Vector]]]:
    """Return how the carried plane is turned, where c0 is, and axis and point of each turn, by matrices."""
    rotation, at, placed = mpmath.eye(4), [mpf(0)] * 3, []
    for name, k in zip(_plane_points(s), "123", strict=True):
        angle = mpmath.atan2(r[f"sin_{k}"][0], r[f"cos_{k}"][0])
        axis = turned(rotation, s[f"a{k}"])
        point = [x + y for x, y in zip(at, turned(rotation, s[name]), strict=True)]
        placed.append((axis, point))
        rotation = rotation_exp([x * angle for x in axis]) * rotation
        at = minus(point, turned(rotation, s[name]))
    return rotation, [x + y for x, y in zip(at, turned(rotation, s["c0"]), strict=True)], placed


def _plane_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    rotation, tip, _ = _plane_placed(s, r)
    rates: list[Form] = [Direction(r[f"cos_{k}"][0], r[f"sin_{k}"][0]) for k in "123"]
    link = Orientation(rotation * body_rotation(start, "1", t))
    return {"rates": rates, "v_s": [Numbers(tip)], "omega_s1": [link]}


def _plane_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return how each turn tilts the normal and lifts the carried point, in units of the largest arm."""
    _, tip, placed = _plane_placed(s, r)
    size = max(mpmath.sqrt(dot(minus(tip, point), minus(tip, point))) for _, point in placed)
    found = []
    for axis, point in placed:
        lift = dot(s["n"], cross(axis, minus(tip, point))) / size
        found.append([x + y * lift for x, y in zip(cross(s["n"], axis), s["n"], strict=True)])
    return found


def _rod_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move body 1 (pair A: axis, its point, the ball at zero) and body 2 (the other ball, the reference's line)."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    ref = "p" if "p" in s else "s0"
    at = along(s[ref], s["v_1"], s["a_1"], t)
    zero = [x + y for x, y in zip(at, turned(first, minus(s["s0"], s[ref])), strict=True)]
    moved_on = {"a": turned(first, s["a"]), "s0": zero, ref: at, "e0": turned(second, s["e0"])}
    return {**s, **moved_on, "c": along(s["c"], s["v_2"], s["a_2"], t)}


def _rod_forms(start: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    if "cos_q" in r:
        pair: Form = Direction(r["cos_q"][0], r["sin_q"][0])
        link = orientation(s["a"], minus(r["y"], s["p"]))
    else:
        pair, link = Numbers(r["slide"]), Orientation(body_rotation(start, "1", t))
    e = minus(r["y"], s["c"])
    length = mpmath.sqrt(dot(e, e))
    across = cross(s["e0"], [x / length for x in e])
    sine = mpmath.sqrt(dot(across, across))
    angle = mpmath.atan2(sine, dot(s["e0"], e) / length)
    rod = Orientation(rotation_exp([x * angle / sine for x in across]) * body_rotation(start, "2", t))
    return {"rates": [pair], "v_s": [Numbers(r["y"])], "omega_s1": [link], "omega_s2": [rod]}


def _rod_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return the path of the ball and two directions across the rod: what path and sphere's tangent plane leave."""
    path = cross(s["a"], minus(r["y"], s["p"])) if "p" in s else s["a"]
    size = mpmath.sqrt(dot(path, path))
    e = minus(r["y"], s["c"])
    length = mpmath.sqrt(dot(e, e))
    frame = orientation([x / length for x in e], [mpf(int(abs(x) == min(map(abs, e)))) for x in e]).matrix
    return [[x / size for x in path], list(frame[:3, 1]), list(frame[:3, 2])]


ROD = Kernel(_rod_later, _rod_forms, _rod_columns)
PLANE_RING = Kernel(_plane_later, _plane_forms, _plane_columns)
