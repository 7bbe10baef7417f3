"""Mechanisms of the literature whose rods hang on a ball at each end; their dimensions are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Tree = dict[str, Any]
Point = Sequence[float]


def mechanism(name: str, bodies: Sequence[str], joints: Mapping[str, Tree], drives: Mapping[str, Any]) -> Tree:
    return {
        "schema": "symgen/mechanism/1",
        "name": name,
        "space": "spatial",
        "bodies": {body: {} for body in bodies},
        "joints": dict(joints),
        "drives": dict(drives),
    }


def rod(name: str, first: str, at: Point, second: str, there: Point) -> dict[str, Tree]:
    """Return the two balls of a rod."""
    return {
        f"{name}_1": {"type": "S", "bodies": [first, name], "at": list(map(float, at))},
        f"{name}_2": {"type": "S", "bodies": [name, second], "at": list(map(float, there))},
    }


def double_wishbone() -> Tree:
    """Bounce by the lower arm, steering by the rack; the tie rod spins. W. Matschinsky, 1987."""
    joints = {
        "lower": {"type": "R", "bodies": ["ground", "lower"], "driven": 1, "at": [0, 0.3, 0.2], "axis": [1, 0.02, 0]},
        "upper": {"type": "R", "bodies": ["ground", "upper"], "at": [0, 0.4, 0.5], "axis": [1, -0.03, 0.05]},
        "ball1": {"type": "S", "bodies": ["lower", "upright"], "at": [0.01, 0.7, 0.18]},
        "ball2": {"type": "S", "bodies": ["upper", "upright"], "at": [-0.02, 0.67, 0.48]},
        "steer": {"type": "P", "bodies": ["ground", "rack"], "driven": 1, "at": [-0.12, 0, 0.25], "axis": [0, 1, 0]},
        **rod("tie", "rack", [-0.12, 0.35, 0.25], "upright", [-0.13, 0.66, 0.24]),
    }  # fmt: skip
    drives = {"lower": "0.2*sin(2*pi*t)", "steer": "0.05*sin(4*pi*t)"}
    return mechanism("double wishbone", ["lower", "upper", "rack", "tie", "upright"], joints, drives)


def mcpherson() -> Tree:
    """The piston rod of the strut slides and turns in the upright and hangs on a ball: it spins, as the tie rod."""
    joints = {
        "lower": {"type": "R", "bodies": ["ground", "lower"], "driven": 1, "at": [0, 0.3, 0.2], "axis": [1, 0.02, 0]},
        "ball": {"type": "S", "bodies": ["lower", "upright"], "at": [0.01, 0.7, 0.18]},
        "tube": {"type": "C", "bodies": ["upright", "piston"], "at": [-0.02, 0.6, 0.4], "axis": [-0.02, -0.05, 0.4]},
        "top": {"type": "S", "bodies": ["piston", "ground"], "at": [-0.04, 0.55, 0.8]},
        "steer": {"type": "P", "bodies": ["ground", "rack"], "driven": 1, "at": [-0.12, 0, 0.25], "axis": [0, 1, 0]},
        **rod("tie", "rack", [-0.12, 0.35, 0.25], "upright", [-0.13, 0.66, 0.24]),
    }  # fmt: skip
    drives = {"lower": "0.2*sin(2*pi*t)", "steer": "0.05*sin(4*pi*t)"}
    return mechanism("MacPherson strut", ["lower", "rack", "tie", "piston", "upright"], joints, drives)


def five_link() -> Tree:
    """Five rods between chassis and wheel carrier; the strut, a driven telescope on balls, spins too."""
    ends = {
        "l1": ([0.15, 0.35, 0.15], [0.05, 0.72, 0.14]),
        "l2": ([-0.2, 0.38, 0.16], [-0.06, 0.71, 0.15]),
        "l3": ([0.12, 0.45, 0.5], [0.04, 0.66, 0.49]),
        "l4": ([-0.15, 0.44, 0.48], [-0.05, 0.65, 0.47]),
        "l5": ([-0.2, 0.36, 0.28], [-0.17, 0.7, 0.27]),
    }
    joints: dict[str, Tree] = {}
    for name, (at, there) in ends.items():
        joints |= rod(name, "ground", at, "carrier", there)
    joints |= {
        "top": {"type": "S", "bodies": ["ground", "barrel"], "at": [0.02, 0.5, 0.75]},
        "strut": {
            "type": "P", "bodies": ["barrel", "piston"], "driven": 1, "at": [0.01, 0.6, 0.4], "axis": [0, 0.2, -0.55]
        },
        "foot": {"type": "S", "bodies": ["piston", "carrier"], "at": [0.02, 0.7, 0.2]},
    }  # fmt: skip
    bodies = [*ends, "barrel", "piston", "carrier"]
    return mechanism("five-link suspension", bodies, joints, {"strut": "0.06*sin(2*pi*t)"})


def turned(angle: float, point: Point) -> list[float]:
    """Return a point turned about the z axis."""
    x, y, z = point
    return [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z]


def delta(*, inverse: bool = False) -> Tree:
    """Three arms, each with two rods side by side. R. Clavel, 1990. Inverse: the platform is led, its arms follow."""
    joints: dict[str, Tree] = {}
    for k in range(3):
        angle = 2.0 * np.pi * k / 3.0
        joints[f"arm{k}"] = {
            "type": "R", "bodies": ["ground", f"arm{k}"], "at": turned(angle, [0.2, 0, 0]),
            "axis": turned(angle, [0, 1, 0]), "driven": 0 if inverse else 1,
        }  # fmt: skip
        for side, beside in (("a", 0.05), ("b", -0.05)):
            at, there = turned(angle, [0.45, beside, -0.15]), turned(angle, [0.05, beside, -0.75])
            joints |= rod(f"rod{k}{side}", f"arm{k}", at, "platform", there)
    drives: dict[str, Any] = {f"arm{k}": f"0.3*sin(2*pi*t + {k}) - 0.3*sin({k})" for k in range(3)}
    if inverse:
        joints["lead"] = {
            "type": "F", "bodies": ["ground", "platform"], "driven": ["x", "y", "z"],
            "frames": {"ground": {"at": [0, 0, -0.75]}, "platform": {"at": [0, 0, -0.75]}},
        }  # fmt: skip
        drives = {"lead": {"x": "0.08*sin(2*pi*t)", "y": "0.06 - 0.06*cos(2*pi*t)", "z": "0.05*sin(4*pi*t)"}}
    rods = [f"rod{k}{side}" for k in range(3) for side in "ab"]
    return mechanism("Delta robot", [*(f"arm{k}" for k in range(3)), *rods, "platform"], joints, drives)


def orthoglide() -> Tree:
    """Three slides at right angles, each with two rods side by side. P. Wenger, D. Chablat, 2000."""
    joints: dict[str, Tree] = {}
    for k in range(3):
        along, across = np.roll([1.0, 0, 0], k), np.roll([0, 1.0, 0], k)
        joints[f"slide{k}"] = {
            "type": "P",
            "bodies": ["ground", f"slide{k}"],
            "driven": 1,
            "at": list(0.7 * along),
            "axis": list(along),
        }
        for side, beside in (("a", 0.06), ("b", -0.06)):
            joints |= rod(
                f"rod{k}{side}", f"slide{k}", 0.7 * along + beside * across, "tool", 0.1 * along + beside * across
            )
    drives = {f"slide{k}": f"0.1*sin(2*pi*t + {k}) - 0.1*sin({k})" for k in range(3)}
    rods = [f"rod{k}{side}" for k in range(3) for side in "ab"]
    return mechanism("Orthoglide", [*(f"slide{k}" for k in range(3)), *rods, "tool"], joints, drives)


def hexaglide() -> Tree:
    """Six slides on parallel rails, a rod each. M. Honegger, A. Codourey, E. Burdet, 1997."""
    joints: dict[str, Tree] = {}
    feet = [(0.44, -0.39), (0.38, 0.49), (-0.49, -0.27), (-0.4, -0.23), (0.03, 0.36), (0.12, -0.38)]
    tips = [
        (0.11, 0.08, -0.64), (0.04, -0.12, -0.64), (0.11, 0.11, -0.57), (0.02, -0.08, -0.58), (-0.03, 0.08, -0.56),
        (-0.13, -0.05, -0.56),
    ]  # fmt: skip
    for k, ((x, y), tip) in enumerate(zip(feet, tips, strict=True)):
        joints[f"slide{k}"] = {
            "type": "P", "bodies": ["ground", f"slide{k}"], "driven": 1, "at": [x, y, 0.0], "axis": [1, 0, 0]
        }  # fmt: skip
        joints |= rod(f"rod{k}", f"slide{k}", [x, y, 0.0], "platform", tip)
    drives = {f"slide{k}": f"0.1*sin(2*pi*t) + 0.02*(sin(2*pi*t + {2 * k}) - sin({2 * k}))" for k in range(6)}
    names = [f"{what}{k}" for what in ("slide", "rod") for k in range(6)]
    return mechanism("Hexaglide", [*names, "platform"], joints, drives)


TREES: dict[str, Tree] = {
    "double wishbone": double_wishbone(),
    "MacPherson": mcpherson(),
    "five-link": five_link(),
    "Delta forward": delta(),
    "Delta inverse": delta(inverse=True),
    "Orthoglide": orthoglide(),
    "Hexaglide": hexaglide(),
}
