"""What the elements of planar kernels do over time; see `oracle.kernel_motion`."""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import Matrix, turn
from oracle.motion_forms import (
    Configuration,
    Direction,
    Kernel,
    Numbers,
    Ports,
    Vector,
    along,
    dot,
    minus,
    turned,
)


def _rrr_later(s: Ports, t: Any) -> dict[str, Any]:
    return {**s, "a": along(s["a"], s["v_a"], s["a_a"], t), "b": along(s["b"], s["v_b"], s["a_b"], t)}


def _rrr_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {
        "v_p": [Numbers(r["p"])],
        "omega_1": [Direction(*minus(r["p"], s["a"]))],
        "omega_2": [Direction(*minus(r["p"], s["b"]))],
    }


def _planar_rotation(s: Ports, k: str, t: Any) -> Matrix:
    return turn(2, s[f"omega_{k}"] * t + s[f"alpha_{k}"] * t * t / 2)


def _rrp_later(s: Ports, t: Any) -> dict[str, Any]:
    return {
        **s,
        "a": along(s["a"], s["v_a"], s["a_a"], t),
        "c": along(s["c"], s["v_c"], s["a_c"], t),
        "n": turned(_planar_rotation(s, "2", t), s["n"]),
    }


def _rrp_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {
        "v_p": [Numbers(r["p"])],
        "omega_1": [Direction(*minus(r["p"], s["a"]))],
        "s_rate": [Numbers(r["s"])],
    }


def _prp_later(s: Ports, t: Any) -> dict[str, Any]:
    found = dict(s)
    for k in "12":
        found[f"p{k}"] = along(s[f"p{k}"], s[f"v_p{k}"], s[f"a_p{k}"], t)
        found[f"n{k}"] = turned(_planar_rotation(s, k, t), s[f"n{k}"])
    return found


def _prp_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    return {"v_p": [Numbers(r["p"])], "s1_rate": [Numbers(r["s1"])], "s2_rate": [Numbers(r["s2"])]}


def _triad_later(s: Ports, t: Any) -> dict[str, Any]:
    """Move on the fixed points and lines of the legs."""
    found = dict(s)
    for k in "123":
        if f"a{k}" in s:
            found[f"a{k}"] = along(s[f"a{k}"], s[f"v_a{k}"], s[f"a_a{k}"], t)
        else:
            found[f"c{k}"] = along(s[f"c{k}"], s[f"v_c{k}"], s[f"a_c{k}"], t)
            found[f"n{k}"] = turned(_planar_rotation(s, f"c{k}", t), s[f"n{k}"])
    return found


def _on_platform(r: Ports, x: Vector) -> Vector:
    c, n = r["cos_phi"][0], r["sin_phi"][0]
    return [c * x[0] - n * x[1], n * x[0] + c * x[1]]


def _triad_tips(s: Ports, r: Ports) -> list[Vector]:
    """Return the legs' points of the platform in the world."""
    arms = [[mpf(0), mpf(0)], *(_on_platform(r, s[f"d{k}"]) for k in "23")]
    return [[x + y for x, y in zip(r["p"], arm, strict=True)] for arm in arms]


def _triad_forms(_: Ports, s: Ports, r: Ports, t: Any) -> Configuration:
    tips = _triad_tips(s, r)
    found: Configuration = {"v_p": [Numbers(r["p"])], "omega": [Direction(r["cos_phi"][0], r["sin_phi"][0])]}
    links = [Direction(*minus(tip, s[f"a{k}"])) for k, tip in enumerate(tips, 1) if f"l{k}" in s]
    if links:
        found["omega_legs"] = [*links]
    slides = [
        dot(s[f"n{k}"], minus(tip, s[f"c{k}"])) if f"n{k}" in s
        else dot(_on_platform(r, s[f"m{k}"]), minus(s[f"a{k}"], tip))
        for k, tip in enumerate(tips, 1) if f"l{k}" not in s
    ]  # fmt: skip
    if slides:
        found["slide_rates"] = [Numbers(slides)]
    return found


def _triad_columns(s: Ports, r: Ports) -> list[Vector]:
    """Return the columns of v_x, v_y and of omega, the last one in units of the arms of the legs' forces."""
    forces, arms = [], []
    for k, tip in enumerate(_triad_tips(s, r), 1):
        if f"l{k}" in s:
            force, at = minus(tip, s[f"a{k}"]), tip
        else:
            along_line = s[f"n{k}"] if f"n{k}" in s else _on_platform(r, s[f"m{k}"])
            force, at = [-along_line[1], along_line[0]], tip if f"n{k}" in s else s[f"a{k}"]
        size = mpmath.sqrt(dot(force, force))
        forces.append([x / size for x in force])
        arms.append(minus(at, r["p"]))
    size = mpmath.sqrt(sum(dot(arm, arm) for arm in arms))
    turning = [(arm[0] * f[1] - arm[1] * f[0]) / size for arm, f in zip(arms, forces, strict=True)]
    return [[f[0] for f in forces], [f[1] for f in forces], turning]


PLANAR = {
    "dyad_rrr": Kernel(_rrr_later, _rrr_forms, lambda s, r: [minus(r["p"], s["a"]), minus(r["p"], s["b"])]),
    "dyad_rrp": Kernel(_rrp_later, _rrp_forms, lambda s, r: [[s["a"][1] - r["p"][1], r["p"][0] - s["a"][0]], s["n"]]),
    "dyad_prp": Kernel(_prp_later, _prp_forms, lambda s, r: [s["n1"], s["n2"]]),
}


TRIAD = Kernel(_triad_later, _triad_forms, _triad_columns)
