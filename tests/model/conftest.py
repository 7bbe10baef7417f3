"""Trees of small mechanism files that the tests of this room start from, fresh for each test."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def spatial_tree() -> dict[str, Any]:
    """The spatial four-bar R, S, C, P with everything a file can hold."""
    return {
        "schema": "symgen/mechanism/1",
        "name": "spatial four-bar",
        "space": "spatial",
        "ground": "1",
        "gravity": [0.0, 0.0, -9.81],
        "parameters": {"L": 0.4, "speed": "2*pi*L"},
        "bodies": {
            "1": {"points": {"Q": [0.0, 0.0, "L"]}},
            "2": {
                "mass": 1.0,
                "com": [0.0, 0.0, 0.0],
                "inertia": [1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0],
                "pose": {"r": [0.0, 0.0, 0.0], "q": [1.0, 0.0, 0.0, 0.0]},
                "points": {"P": [0.1, 0.0, 0.0]},
            },
            "3": {},
            "4": {"pose": {"r": [0.1, 0.2, 0.3], "q": [0.5, 0.5, 0.5, 0.5]}},
        },
        "joints": {
            "A": {"type": "R", "bodies": ["1", "2"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
            "B": {"type": "S", "bodies": ["2", "3"], "at": ["L", 0, 0]},
            "C": {
                "type": "C",
                "bodies": ["3", "4"],
                "frames": {"3": {"at": [0, 0, 0], "axis": [1, 0, 0]}, "4": {"at": [0, 0, 0], "q": [1, 0, 0, 0]}},
            },
            "D": {"type": "P", "bodies": ["1", "4"], "at": [0, 0, 0], "axis": [1, 2, 2], "axis2": [0, 0, 1]},
        },
        "drives": {"A": "speed*t"},
        "initial": {
            "joints": {"A": {"angle": 0.0, "rate": 1.0}},
            "bodies": {"2": {"v": [0, 0, 0], "omega": [0, 0, 0]}},
        },
        "forces": {
            "f1": {"kind": "spring", "between": ["1.Q", "2.P"], "stiffness": 100.0, "length": 0.2},
            "f2": {
                "kind": "force",
                "body": "3",
                "at": [0, 0, 1],
                "value": ["sin(t)", 0, 0],
                "axes": "body",
                "until": 2,
            },
            "f3": {"kind": "torque", "body": "3", "value": [0, 0, "L*t"], "from": 1},
            "f4": {"kind": "joint", "joint": "C", "freedom": "slide", "stiffness": 5.0, "value": "exp(-t)"},
        },
        "couplings": {
            "c1": {"relation": "C.angle = -L*(A.angle - 1) + 2*D.slide"},
            "c2": {"kind": "gear", "joints": ["A", "C"], "teeth": [20, "40"], "mesh": "external", "carrier": "1"},
            "c3": {"kind": "rack", "joints": ["A", "D"], "radius": "L/2"},
            "c4": {"kind": "belt", "joints": ["A", "C"], "radii": [0.1, "L"], "crossed": True},
        },
        "limits": {"A.angle": [-1, "2*L"], "C": {"slide": [0, 1], "angle": [-3, 3]}},
    }


@pytest.fixture
def planar_tree() -> dict[str, Any]:
    """A planar crank and slider."""
    return {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "bodies": {
            "crank": {"points": {"tip": [0.1, 0.0]}},
            "rod": {"pose": {"r": [0.1, 0.0], "angle": 0.3}},
            "block": {},
        },
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
            "B": {"type": "R", "bodies": ["crank", "rod"], "at": [0.1, 0]},
            "C": {"type": "R", "bodies": ["rod", "block"], "at": [0.4, 0]},
            "D": {"type": "P", "bodies": ["ground", "block"], "at": [0.4, 0], "axis": [3, 4]},
        },
        "drives": {"A": "2*pi*t"},
    }
