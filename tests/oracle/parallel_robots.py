"""Parallel robots that move in translation alone, by parallel axes: overconstrained as a whole."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

Tree = dict[str, Any]


def _rolled(k: int, point: Any) -> list[float]:
    return [float(x) for x in np.roll(np.asarray(point, dtype=float), k)]


def _leg_point(k: int, x: float, y: float, z: float = 0.05) -> list[float]:
    return _rolled(k, [x, y, z])


def tripteron(redundant: int | None = 3) -> Tree:
    """Three legs P R R R, all axes of a leg parallel to its slide. X. Kong, C. Gosselin, 2002."""
    joints: dict[str, Tree] = {}
    for k in range(3):
        axis = _rolled(k, [1, 0, 0])
        # The leg lies in the plane normal to its slide.
        places = {"P": [0.0, 0.9, 0.2], "R1": [0.0, 0.9, 0.2], "R2": [0.0, 0.55, 0.6], "R3": [0.0, 0.1, 0.15]}
        bodies = ["ground", f"slide{k}", f"upper{k}", f"lower{k}", "tool"]
        for number, (name, at) in enumerate(places.items()):
            joints[f"{name}{k}"] = {
                "type": name[0], "bodies": bodies[number : number + 2], "at": _rolled(k, at), "axis": axis
            }  # fmt: skip
        joints[f"P{k}"]["driven"] = 1
    special = {"legs": {"kind": "proportions", "joints": list(joints), "redundant": redundant}}
    return _mechanism("Tripteron", joints, special if redundant else {})


def orthoglide(redundant: int | None = 3, kind: str = "parallelogram") -> Tree:
    """Three legs P R Pa R, Pa a parallelogram of four R. P. Wenger, D. Chablat, 2000."""
    joints: dict[str, Tree] = {}
    special: dict[str, Tree] = {}
    for k in range(3):
        along, turn = _rolled(k, [1, 0, 0]), _rolled(k, [0, 1, 0])  # the slide; the axes beside the parallelogram
        normal = _rolled(k, [0, 0, 1])  # of the parallelogram's plane at the start: turned about `turn`
        near, far, w = 0.8, 0.2, 0.06
        tilt = 0.15  # the parallelogram is sheared at the start: no corner is flat
        at = partial(_leg_point, k)
        joints[f"P{k}"] = {
            "type": "P",
            "bodies": ["ground", f"slide{k}"],
            "driven": 1,
            "at": at(near, 0),
            "axis": along,
        }
        joints[f"R{k}"] = {"type": "R", "bodies": [f"slide{k}", f"base{k}"], "at": at(near, 0), "axis": turn}
        for side, y in (("a", w), ("b", -w)):
            joints[f"{side}1{k}"] = {
                "type": "R",
                "bodies": [f"base{k}", f"bar{side}{k}"],
                "at": at(near, y),
                "axis": normal,
            }
            joints[f"{side}2{k}"] = {
                "type": "R",
                "bodies": [f"bar{side}{k}", f"end{k}"],
                "at": at(far, y + tilt),
                "axis": normal,
            }
        joints[f"S{k}"] = {"type": "R", "bodies": [f"end{k}", "tool"], "at": at(far, tilt), "axis": turn}
        special[f"pa{k}"] = {"kind": kind, "joints": [f"{side}{n}{k}" for side in "ab" for n in "12"]}
    if redundant:
        special["legs"] = {"kind": "proportions", "joints": list(joints), "redundant": redundant}
    return _mechanism("Orthoglide", joints, special)


def _mechanism(name: str, joints: dict[str, Tree], special: dict[str, Tree]) -> Tree:
    bodies = dict.fromkeys(body for joint in joints.values() for body in joint["bodies"] if body != "ground")
    drives = {f"P{k}": f"0.1*sin(2*pi*t + {k}) - 0.1*sin({k})" for k in range(3)}
    return {
        "schema": "symgen/mechanism/1",
        "name": name,
        "space": "spatial",
        "bodies": {body: {} for body in bodies},
        "joints": joints,
        "drives": drives,
        "special": special,
    }
