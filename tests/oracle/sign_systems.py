"""Small mixed systems that use every element of the general Riccati engine, with no symmetry that could hide a sign."""

from __future__ import annotations

from typing import Any


def _body(k: int, **more: Any) -> dict[str, Any]:
    com = [0.11 - 0.02 * k, 0.07 + 0.03 * k, 0.05 * (-1) ** k]
    inertia = [0.02 + 0.003 * k, 0.03, 0.025 - 0.001 * k, 0.002, -0.003, 0.004]
    return {"mass": 0.8 + 0.1 * k, "com": com, "inertia": inertia} | more


def _system(name: str, **parts: Any) -> dict[str, Any]:
    start = {"schema": "symgen/mechanism/1", "name": name, "space": "spatial", "gravity": [0.9, -1.7, -9.1]}
    return start | parts


#: Every kind of motion: a driven table, a ball, a cylindrical, a screw and a universal joint, a driven slide, a body
#: that flies; springs and dampers in joints and between points, a torque that turns with its body.
TREE = _system(
    "tree",
    bodies={
        "table": _body(0),
        "rod": _body(1, points={"P": [0.2, 0.1, 0]}),
        "slider": _body(2),
        "nut": _body(3),
        "cross": _body(4),
        "block": _body(5),
        "stone": _body(6, pose={"r": [1.5, 0.2, -0.4]}, points={"Q": [0.1, 0, 0.05]}),
    },
    joints={
        "T": {"type": "R", "bodies": ["ground", "table"], "driven": 1, "at": [0, 0, 0], "axis": [0.1, 0.2, 1]},
        "B": {"type": "S", "bodies": ["rod", "table"], "at": [0.2, 0.1, 0.05]},
        "S": {"type": "C", "bodies": ["rod", "slider"], "at": [0.3, 0.1, -0.1], "axis": [1, 0, 0.2]},
        "N": {"type": "H", "bodies": ["nut", "table"], "pitch": 0.05, "at": [0.1, 0.3, 0], "axis": [0, 0.1, 1]},
        "U": {
            "type": "U",
            "bodies": ["nut", "cross"],
            "at": [0.2, 0.4, 0.1],
            "axis": [1, 0.2, 0],
            "axis2": [-0.2, 1, 0],
        },
        "D": {"type": "P", "bodies": ["cross", "block"], "driven": 1, "at": [0.3, 0.4, 0.3], "axis": [0.3, 0, 1]},
    },
    drives={"T": "3*t + 0.4*sin(2*t + 1)", "D": "0.2*sin(3*t + 1)"},
    initial={
        "joints": {"S": {"slide": 0.05, "rate": {"slide": 0.3, "angle": 1.2}}, "N": {"rate": 2.0}},
        "bodies": {"stone": {"omega": [1.0, 2.0, 0.5], "v": [0.0, 0.3, 0.0]}},
    },
    forces={
        "spring": {"kind": "joint", "joint": "S", "freedom": "slide", "stiffness": 80.0, "damping": 1.5, "rest": 0.02},
        "brake": {"kind": "joint", "joint": "N", "freedom": "angle", "damping": 0.1, "value": "0.2*cos(t)"},
        "rope": {"kind": "spring", "between": ["rod.P", "stone.Q"], "stiffness": 20.0, "damping": 0.3, "length": 0.4},
        "push": {"kind": "torque", "body": "slider", "value": [0.1, "0.2 + t", 0.3], "axes": "body"},
    },
)

#: An arm held back twice: loops of three and five joints, one open at the bodies where the other closes.
LOOPS = _system(
    "loops",
    bodies={f"b{k}": _body(k, pose={"r": [0.3 * k, 0.1 * k, 0.0]}) for k in range(6)},
    joints={
        "J0": {"type": "C", "bodies": ["ground", "b0"], "at": [0, 0, 0], "axis": [0.2, 1, 0.1]},
        "J1": {"type": "S", "bodies": ["b0", "b1"], "at": [0.3, 0.1, 0.1]},
        "J2": {"type": "C", "bodies": ["b2", "b1"], "at": [0.6, 0.2, -0.1], "axis": [1, 0.3, 0.2]},
        "J3": {"type": "U", "bodies": ["b2", "b3"], "at": [0.9, 0.3, 0.1], "axis": [1, 0, 0], "axis2": [0, 1, 0.3]},
        "J4": {"type": "S", "bodies": ["b3", "b4"], "at": [1.2, 0.4, 0.0]},
        "J5": {"type": "R", "bodies": ["b4", "b5"], "at": [1.5, 0.5, 0.0], "axis": [0.2, 0.1, 1]},
        "K1": {"type": "S", "bodies": ["b1", "b4"], "at": [1.1, 0.9, 0.3]},
        "K2": {"type": "S", "bodies": ["b5", "ground"], "at": [1.6, 0.2, 0.4]},
    },
    initial={
        "joints": {"J0": {"rate": {"angle": 1.0, "slide": -0.5}}, "J5": {"rate": 2.0}, "J2": {"rate": {"angle": -1.5}}}
    },
    forces={
        "damper": {"kind": "joint", "joint": "J5", "freedom": "angle", "stiffness": 2.0, "damping": 0.2, "rest": 0.3}
    },
)

#: A loop that closes at a body where another one stays open, which a driven slide closes.
NESTED = _system(
    "nested",
    bodies={name: _body(k) for k, name in enumerate(("base", "middle", "left", "right", "far"))},
    joints={
        "G": {"type": "C", "bodies": ["ground", "base"], "at": [0, 0, 0], "axis": [0.2, 1, 0.1]},
        "M": {"type": "S", "bodies": ["base", "middle"], "at": [0.3, 0.1, 0.1]},
        "F": {"type": "S", "bodies": ["base", "far"], "at": [0.2, -0.4, 0.3]},
        "L": {"type": "U", "bodies": ["middle", "left"], "at": [0.6, 0.2, -0.1], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
        "R": {"type": "C", "bodies": ["right", "middle"], "at": [0.5, 0.5, 0.2], "axis": [1, 0.3, 0.2]},
        "X": {"type": "S", "bodies": ["left", "right"], "at": [0.9, 0.6, 0.0]},
        "Y": {"type": "C", "bodies": ["left", "far"], "at": [0.8, -0.2, 0.4], "axis": [0.3, 1, 0], "driven": ["slide"]},
    },
    drives={"Y.slide": "0.3*sin(3*t)"},
    initial={"joints": {"G": {"rate": {"angle": 1.0, "slide": -0.5}}, "R": {"rate": {"angle": -1.5}}}},
    forces={
        "spring": {"kind": "joint", "joint": "R", "freedom": "angle", "stiffness": 2.0, "damping": 0.2, "rest": 0.3}
    },
)

#: Three equal cranks carry a plate: one freedom, nine redundant rows.
PLATE = _system(
    "plate",
    bodies={
        **{f"crank{k}": _body(k, pose={"r": [k, 0.0, 0.0]}) for k in range(3)},
        "plate": _body(3, pose={"r": [0.0, 0.2, 1.0]}),
    },
    joints={
        name: {"type": "R", "bodies": bodies, "at": [k, 0.0, height], "axis": [0, 1, 0]}
        for k in range(3)
        for name, bodies, height in (
            (f"A{k}", ["ground", f"crank{k}"], 0.0), (f"B{k}", [f"crank{k}", "plate"], 1.0)
        )
    },
    initial={"joints": {"A0": {"rate": 1.0}}},
)  # fmt: skip

#: Two bodies, a loop of driven joints only: whichever is cut has a row that moves.
DRIVEN = _system(
    "driven",
    bodies={"one": _body(1), "two": _body(2)},
    joints={
        "X": {"type": "F", "bodies": ["ground", "one"], "at": [0.4, 0.5, 0.8], "driven": ["x"]},
        "Y": {
            "type": "C",
            "bodies": ["one", "two"],
            "at": [0.8, -0.2, 0.4],
            "axis": [0.3, 1, 0.1],
            "driven": ["slide"],
        },
        "Z": {"type": "F", "bodies": ["two", "ground"], "at": [0.3, -0.4, 0.1], "driven": ["y"]},
    },
    drives={"X.x": "0.2*sin(2*t)", "Y.slide": "0.3*sin(3*t)", "Z.y": "0.2*sin(4*t)"},
)

#: A thick beam carried by a body, across all axes, which a loop holds at its other end.
BENT = _system(
    "bent",
    bodies={
        "base": _body(0),
        "beam": {
            "pose": {"r": [0, 0, 0], "q": [0.8, 0.36, -0.288, 0.384]},
            "beam": {"length": 1.1, "mass_per_length": 1.7, "bending": [80.0, 130.0], "axial": 3.0e4, "torsion": 25.0,
                     "polar": 6.0e-3, "modes": 2, "damping": 3.0e-3},
        },
        "tip": _body(1, pose={"r": [0.59312, 0.447744, 0.811008]}, points={"Q": [0.1, 0.2, 0]}),
        "arm": _body(2, pose={"r": [0.0, 0.5, 0]}),
        "top": _body(3, pose={"r": [0.3, 0.5, 0.4]}, points={"P": [0.1, 0.1, 0.1]}),
    },
    joints={
        "O": {"type": "S", "bodies": ["ground", "base"], "at": [-0.3, 0.2, 0.4]},
        "A": {"type": "U", "bodies": ["base", "beam"], "at": [0, 0, 0], "axis": [0.3, 1, 0.2], "axis2": [0, -0.2, 1]},
        "B": {"type": "R", "bodies": ["beam", "tip"], "at": [0.59312, 0.447744, 0.811008], "axis": [0, 1, 0.3]},
        "G": {"type": "S", "bodies": ["ground", "arm"], "at": [0, 0.5, 0]},
        "K": {"type": "S", "bodies": ["tip", "arm"], "at": [0.5, 0.5, 1.0]},
        "T": {"type": "C", "bodies": ["arm", "top"], "at": [0.3, 0.5, 0.4], "axis": [0.3, 1, 0.2]},
    },
    initial={"joints": {"A": {"rate": {"angle1": 3.0, "angle2": -2.0}}, "T": {"rate": {"angle": 2.0}}}},
    forces={
        "rope": {"kind": "spring", "between": ["tip.Q", "top.P"], "stiffness": 50.0, "damping": 0.5, "length": 0.3}
    },
)  # fmt: skip

SYSTEMS = {"tree": TREE, "loops": LOOPS, "nested": NESTED, "plate": PLATE, "driven": DRIVEN}
