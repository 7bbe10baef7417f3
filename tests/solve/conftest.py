"""Mechanisms to solve: the examples and some that are written in every other way; NumPy runs them, nothing compiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Slider-crank, its slide written from the block to the ground along a slanted axis, with a welded flag on the rod,
#: a block welded in two pieces, a post welded to the ground that carries the crank, and an unconstrained FP pair.
SLIDER_CRANK: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "slider-crank with welds",
    "space": "planar",
    "bodies": {
        "post": {"pose": {"r": [0.1, 0.2], "angle": 0.3}},
        "crank": {},
        "flag": {"pose": {"r": [0.5, 0.1], "angle": -0.7}, "points": {"P": [0.1, 0.05]}},
        "rod": {},
        "block": {},
        "block2": {"pose": {"r": [0.9, 0.4], "angle": 0.2}, "points": {"Q": [0.0, 0.1]}},
    },
    "joints": {
        "weld_post": {"type": "W", "bodies": ["ground", "post"]},
        "A": {"type": "R", "bodies": ["post", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["flag", "crank"], "at": [0.1, 0.05]},
        "weld_flag": {"type": "W", "bodies": ["rod", "flag"]},
        "C": {"type": "R", "bodies": ["rod", "block2"], "at": [0.6, 0.1]},
        "weld_block": {"type": "W", "bodies": ["block2", "block"]},
        "D": {"type": "P", "bodies": ["block", "post"], "at": [0.6, 0.1], "axis": [1, 0.1]},
        "see": {
            "type": "FP",
            "bodies": ["crank", "rod"],
            "frames": {"crank": {"at": [0.1, 0]}, "rod": {"at": [0, 0.2]}},
        },
    },
    "drives": {"A": "3*t + 0.2*sin(5*t)"},
}

#: A quick-return drive: R.P.R by a pin in a slot, then P.R.P, R.P.P dyads behind driven slides.
SLOTS: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "slots",
    "space": "planar",
    "bodies": {"crank": {}, "stone": {}, "lever": {"points": {"tip": [0.0, 0.6]}}, "ram": {}, "shoe": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["crank", "ground"], "driven": 1, "at": [0, 0.3]},
        "B": {"type": "R", "bodies": ["crank", "stone"], "at": [0.1, 0.3]},
        "C": {"type": "P", "bodies": ["stone", "lever"], "at": [0.1, 0.3], "axis": [0.1, 0.3]},
        "D": {"type": "R", "bodies": ["ground", "lever"], "at": [0, 0]},
        "E": {"type": "R", "bodies": ["lever", "shoe"], "at": [0.2, 0.6]},
        "G": {"type": "P", "bodies": ["shoe", "ram"], "at": [0.2, 0.6], "axis": [0, 1]},
        "H": {"type": "P", "bodies": ["ground", "ram"], "at": [0.4, 0.6], "axis": [1, 0]},
    },
    "drives": {"A": "0.5*sin(4*t)"},
}

#: A loop R, ER, S with its joints written against the reading direction, a driven S, U and PL on one tree.
SPATIAL: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "loop and tree",
    "space": "spatial",
    "bodies": {
        "crank": {"pose": {"r": [0.1, 0, 0.2], "q": ["cos(0.3)", 0, "sin(0.3)", 0]}},
        "rocker": {"pose": {"r": [0.4, 0.3, 0.0]}},
        "rod": {"pose": {"r": [0.2, 0.1, 0.1], "q": ["cos(0.2)", "sin(0.2)", 0, 0]}, "points": {"P": [0.1, 0.1, 0]}},
        "ball": {}, "cross": {}, "puck": {}, "pin": {},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["crank", "ground"], "driven": 1, "at": [0, 0, 0], "axis": [0.1, 0, 1]},
        "B": {"type": "ER", "bodies": ["rod", "crank"], "at": [0.1, 0, 0.02], "axis": [0, 0, 1], "axis2": [0, 1, 0]},
        "C": {"type": "S", "bodies": ["rocker", "rod"], "at": [0.45, 0.1, 0.25]},
        "D": {"type": "R", "bodies": ["rocker", "ground"], "at": [0.45, 0.3, 0], "axis": [1, 0.2, 0]},
        "S": {"type": "S", "bodies": ["rocker", "ball"], "driven": 3, "at": [0.5, 0.3, 0.1]},
        "U": {"type": "U", "bodies": ["ball", "cross"], "driven": 2, "at": [0.6, 0.3, 0.1],
              "axis": [0, 1, 0], "axis2": [1, 0, 0]},
        "PL": {"type": "PL", "bodies": ["cross", "puck"], "driven": 3, "at": [0.7, 0.3, 0.1], "axis": [1, 1, 0]},
        "CY": {"type": "C", "bodies": ["puck", "pin"], "driven": 2, "at": [0.8, 0.3, 0.1], "axis": [0, 1, 1]},
    },
    "drives": {
        "A": "0.6*sin(3*t)",
        "S": {"yaw": "t", "pitch": "0.3*sin(2*t)", "roll": "-2*t"},
        "U": {"angle1": "t**2", "angle2": "0.4*cos(t)"},
        "PL": {"x": "0.1*t", "y": "0.1*sin(t)", "angle": "5*t"},
        "CY": {"slide": "0.1*cos(3*t)", "angle": "-4*t"},
    },
}  # fmt: skip

#: Loops without a spherical pair, between one crank and the ground: C.C.C, then P, U and PL, then R, C and PL in
#: other orders, some joints written from the unknown to the known body or against the reading direction.
TURNS: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "loops of three turns",
    "space": "spatial",
    "bodies": {name: {} for name in ("crank", "c1", "c2", "p1", "p2", "u1", "u2", "r1", "r2", "e1", "e2")},
    "joints": {
        "crank": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0, 0], "axis": [0.1, 0.2, 1]},
        "C1": {"type": "C", "bodies": ["crank", "c1"], "at": [0.3, 0, 0.1], "axis": [1, 0.2, 0.1]},
        "C2": {"type": "C", "bodies": ["c2", "c1"], "at": [0.5, 0.3, 0.2], "axis": [0.1, 1, -0.3]},
        "C3": {"type": "C", "bodies": ["c2", "ground"], "at": [0.2, 0.5, 0.4], "axis": [-0.3, 0.2, 1]},
        "P1": {"type": "P", "bodies": ["p1", "crank"], "at": [0.1, 0.2, 0], "axis": [0.3, 0.1, 1]},
        "U1": {"type": "U", "bodies": ["p1", "p2"], "at": [0.2, 0.4, 0.3], "axis": [1, 0, 0.2], "axis2": [0, 1, 0]},
        "E1": {"type": "PL", "bodies": ["ground", "p2"], "at": [0.1, 0.6, 0.2], "axis": [0.4, -0.2, 1]},
        "E2": {"type": "PL", "bodies": ["u1", "crank"], "at": [0, 0.3, 0.2], "axis": [0.2, 0.3, 1]},
        "P2": {"type": "P", "bodies": ["u1", "u2"], "at": [0.1, 0.3, 0.5], "axis": [0.2, 0.1, 1]},
        "U2": {"type": "ER", "bodies": ["u2", "ground"], "at": [0.3, 0.4, 0.3], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
        "R1": {"type": "R", "bodies": ["ground", "r1"], "at": [0.4, -0.3, 0], "axis": [1, 0.3, 0]},
        "E3": {"type": "PL", "bodies": ["r2", "r1"], "at": [0.4, -0.1, 0.2], "axis": [0.1, 1, 0.3]},
        "C4": {"type": "C", "bodies": ["crank", "r2"], "at": [0.1, -0.2, 0.3], "axis": [0.2, 0.5, 1]},
        "C5": {"type": "C", "bodies": ["e1", "ground"], "at": [-0.3, 0.2, 0.1], "axis": [0.2, 1, 0.5]},
        "R2": {"type": "R", "bodies": ["e1", "e2"], "at": [-0.4, 0.1, 0.1], "axis": [1, 0.1, -0.2]},
        "E4": {"type": "PL", "bodies": ["crank", "e2"], "at": [-0.2, 0, 0.2], "axis": [0.3, 0.2, 1]},
    },
    "drives": {"crank": "0.2*sin(3*t)"},
}  # fmt: skip

#: A 3-RRR platform driven by its cranks: a class III triad between three moving bodies; joints in mixed directions.
THREE_RRR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "3-RRR platform",
    "space": "planar",
    "bodies": {
        "crank1": {}, "crank2": {}, "crank3": {}, "link1": {}, "link2": {}, "link3": {},
        "platform": {"pose": {"r": [0.02, 0.05], "angle": 0.4}, "points": {"P": [0.01, 0.02]}},
    },
    "joints": {
        "A1": {"type": "R", "bodies": ["ground", "crank1"], "driven": 1, "at": [-0.5, -0.3]},
        "A2": {"type": "R", "bodies": ["crank2", "ground"], "driven": 1, "at": [0.5, -0.3]},
        "A3": {"type": "R", "bodies": ["ground", "crank3"], "driven": 1, "at": [0.0, 0.6]},
        "B1": {"type": "R", "bodies": ["link1", "crank1"], "at": [-0.45, 0.05]},
        "B2": {"type": "R", "bodies": ["crank2", "link2"], "at": [0.25, -0.52]},
        "B3": {"type": "R", "bodies": ["crank3", "link3"], "at": [0.3, 0.45]},
        "C1": {"type": "R", "bodies": ["link1", "platform"], "at": [-0.12, -0.08]},
        "C2": {"type": "R", "bodies": ["platform", "link2"], "at": [0.15, -0.1]},
        "C3": {"type": "R", "bodies": ["link3", "platform"], "at": [0.03, 0.17]},
    },
    "drives": {"A1": "0.15*sin(5*t)", "A2": "0.1*sin(4*t)", "A3": "0.12*sin(6*t)"},
}  # fmt: skip

#: Stephenson's third six-bar, driven at the crank outside its four-bar loop: coupler, both rockers and rod at once.
STEPHENSON: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "Stephenson III, driven outside the four-bar loop",
    "space": "planar",
    "bodies": {"crank": {}, "rod": {}, "left": {}, "coupler": {"points": {"Q": [0.1, 0.3]}}, "right": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0.6, 0.47]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [0.6, 0.5]},
        "C": {"type": "R", "bodies": ["coupler", "rod"], "at": [0.2, 0.45]},
        "D": {"type": "R", "bodies": ["left", "ground"], "at": [0.0, 0.0]},
        "E": {"type": "R", "bodies": ["left", "coupler"], "at": [0.05, 0.3]},
        "F": {"type": "R", "bodies": ["coupler", "right"], "at": [0.35, 0.25]},
        "G": {"type": "R", "bodies": ["ground", "right"], "at": [0.4, 0.0]},
    },
    "drives": {"A": "2*pi*t"},
}

TREES = {
    "slider_crank": SLIDER_CRANK,
    "slots": SLOTS,
    "spatial": SPATIAL,
    "turns": TURNS,
    "three_rrr": THREE_RRR,
    "stephenson": STEPHENSON,
}
NAMES = ("jansen_leg", "spatial_four_bar", "rotor", "stewart_inverse", *TREES)


@cache
def _mechanism(name: str) -> Mechanism:
    if name in TREES:
        return Mechanism.from_dict(TREES[name])
    return symgen.load(EXAMPLES / name / "mechanism.toml")


@pytest.fixture(scope="session")
def numpy_library() -> Library:
    return symgen.library(backend="numpy")


@pytest.fixture(params=NAMES)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return _mechanism(request.param)


@pytest.fixture
def solved(numpy_library: Library) -> Callable[..., MotionResult]:
    """Solve a tree, or a mechanism, with NumPy."""

    def run(what: dict[str, Any] | Mechanism, times: Any, **options: Any) -> MotionResult:
        made = what if isinstance(what, Mechanism) else Mechanism.from_dict(what)
        return symgen.solve(made, np.asarray(times, dtype=float), library=numpy_library, **options)

    return run


@pytest.fixture
def four_bar() -> dict[str, Any]:
    """Crank 0.1, coupler, rocker of lengths that turn fully, drawn away from dead centres."""
    return {
        "schema": "symgen/mechanism/1",
        "name": "four-bar",
        "space": "planar",
        "bodies": {"crank": {"points": {"P": [0.1, 0]}}, "coupler": {"points": {"Q": [0.2, 0.15]}}, "rocker": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
            "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0.1, 0]},
            "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.4, 0.25]},
            "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [0.35, 0]},
        },
        "drives": {"A": "2*pi*t"},
    }


@pytest.fixture
def class_three() -> dict[str, dict[str, Any]]:
    """Mechanisms with a class III group."""
    return {"three_rrr": THREE_RRR, "stephenson": STEPHENSON}
