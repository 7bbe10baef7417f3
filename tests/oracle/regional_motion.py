"""What the held elements of three letters between a body and a point do over time, by geometry alone.

The body carries all held elements; the point to be reached moves on a parabola. Coordinates are differenced as angles
and numbers. The columns of the system of rates come from axes placed by Rodrigues' formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracle.motion_forms import (
    Configuration,
    Direction,
    Form,
    Kernel,
    Numbers,
    Vector,
    along,
    body_rotation,
    cross,
    dot,
    minus,
    turned,
)

Ports = Mapping[str, Any]


def _later(s: Ports, t: Any) -> dict[str, Any]:
    rotation, target = body_rotation(s, "1", t), along(s["t"], s["v_2"], s["a_2"], t)
    carried = along(s["t"], s["v_1"], s["a_1"], t)  # the body's point that is at the target now
    found = {**s, "t": target}
    for name in ("a1", "a2", "a3"):
        if name in s:
            found[name] = turned(rotation, s[name])
    for name in ("p1", "p2", "p3", "s"):
        if name in s:
            found[name] = [x + y for x, y in zip(carried, turned(rotation, minus(s[name], s["t"])), strict=True)]
    return found


def _forms(_: Ports, __: Ports, r: Ports, ___: Any) -> Configuration:
    letters: list[Form] = []
    for k in (1, 2, 3):
        slides = f"slide_{k}" in r
        letters.append(Numbers(r[f"slide_{k}"]) if slides else Direction(r[f"cos_{k}"][0], r[f"sin_{k}"][0]))
    return {"rates": letters}


def _about(a: Vector, c: Any, s: Any, x: Vector) -> Vector:
    side, part = cross(a, x), dot(a, x)
    return [c * p + s * q + (1 - c) * part * n for p, q, n in zip(x, side, a, strict=True)]


def _columns(s: Ports, r: Ports) -> list[Vector]:
    columns = []
    for k in (1, 2, 3):
        axis = s.get(f"a{k}", s["a1"])
        slides = f"slide_{k}" in r
        point = s["t"] if slides else s.get(f"p{k}", s.get("p1"))
        for j in range(k - 1, 0, -1):
            before, shifts = s.get(f"a{j}", s["a1"]), f"slide_{j}" in r
            if shifts:
                point = [x + n * r[f"slide_{j}"][0] for x, n in zip(point, before, strict=True)]
                continue
            c, sine, base = r[f"cos_{j}"][0], r[f"sin_{j}"][0], s.get(f"p{j}", s.get("p1"))
            axis = _about(before, c, sine, axis)
            point = [x + y for x, y in zip(base, _about(before, c, sine, minus(point, base)), strict=True)]
        columns.append(axis if slides else cross(axis, minus(s["t"], point)))
    return columns


REGIONAL = Kernel(_later, _forms, _columns)
