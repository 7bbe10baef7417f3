"""What six held letters do while the first moves with one body and what is wanted with another."""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import rotation_exp
from oracle.motion_forms import (
    Configuration,
    Direction,
    Form,
    Kernel,
    Numbers,
    Ports,
    Vector,
    along,
    body_rotation,
    cross,
    minus,
    orientation,
    turned,
)


def _later(s: Ports, t: Any) -> dict[str, Any]:
    """Move the held letters with the body that carries the first one, what is wanted with that of the last one."""
    first, second = body_rotation(s, "1", t), body_rotation(s, "2", t)
    at = along(s["p_t"], s["v_1"], s["a_1"], t)
    found = dict(s)
    for name in s:
        if name in ("a5_t", "a6_t"):
            found[name] = turned(second, s[name])
        elif len(name) == 2 and name[0] == "a":
            found[name] = turned(first, s[name])
        elif len(name) == 2 and name[0] == "p":
            found[name] = [x + y for x, y in zip(at, turned(first, minus(s[name], s["p_t"])), strict=True)]
    return {**found, "p_t": along(s["p_t"], s["v_2"], s["a_2"], t)}


def _forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    rates: list[Form] = []
    for k in range(1, 7):
        slides = f"slide_{k}" in r
        rates.append(Numbers(r[f"slide_{k}"]) if slides else Direction(r[f"cos_{k}"][0], r[f"sin_{k}"][0]))
    return {"rates": rates}


def _columns(s: Ports, r: Ports) -> list[Vector]:
    """Return turning and moving of the wanted centre with each letter, in the length that the sum of arms is."""
    axes, points = _letter_axes(s)
    placed: list[tuple[Vector, Vector, bool]] = []
    for k in range(6, 0, -1):  # from the last one on: each letter moves all behind it
        axis, point = axes[k - 1], points[k - 1]
        if f"slide_{k}" in r:
            by = [x * r[f"slide_{k}"][0] for x in axis]
            placed = [(a, [x + y for x, y in zip(p, by, strict=True)], turns) for a, p, turns in placed]
        else:
            angle = mpmath.atan2(r[f"sin_{k}"][0], r[f"cos_{k}"][0])
            m = rotation_exp([x * angle for x in axis])
            back = [(turned(m, a), turned(m, minus(p, point)), turns) for a, p, turns in placed]
            placed = [(a, [x + y for x, y in zip(p, point, strict=True)], turns) for a, p, turns in back]
        placed = [(axis, point, f"cos_{k}" in r), *placed]
    moves = [cross(a, minus(s["p_t"], p)) if turns else a for a, p, turns in placed]
    size = sum(abs(x) for move, (_, _, turns) in zip(moves, placed, strict=True) for x in move if turns)
    zero = [mpf(0)] * 3
    return [[*(a if turns else zero), *(x / size for x in g)] for g, (a, _, turns) in zip(moves, placed, strict=True)]


def _letter_axes(s: Ports) -> tuple[list[Vector], list[Vector]]:
    """Return held axes, those of universal pairs at a right angle, and held points of all six letters."""
    square = [list(orientation(s["a6"], s["a5"]).matrix[:3, 1]), s["a6"]]
    second = list(orientation(s["a1"], s["a2"]).matrix[:3, 1]) if "a2" in s else s["a1"]
    middle = [s["a3"], list(orientation(s["a3"], s["a4"]).matrix[:3, 1]) if "a4" in s else s["a3"]]
    points = [s["p1"] if "p1" in s else s["p2"], s["p3"] if "p3" in s else s["p4"], s["p5"]]
    return [s["a1"], second, *middle, *square], [point for point in points for _ in range(2)]


LETTERS_MOTION = Kernel(_later, _forms, _columns)
