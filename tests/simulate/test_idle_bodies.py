"""Bodies that move without moving any mass are named before anything is integrated, in both sets of unknowns alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import MechanismError

FULL: dict[str, Any] = {"mass": 1.0, "com": [0.5, 0.1, 0], "inertia": [0.1, 0.2, 0.2, 0, 0, 0]}
NONE: dict[str, Any] = {"mass": 0.0, "com": [0, 0, 0], "inertia": [0.0] * 6}


def made(bodies: dict[str, Any], joints: dict[str, Any]) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "idle", "space": "spatial", "ground": "ground",
        "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints,
    })  # fmt: skip


def joint(code: str, one: str, two: str, at: list[float], axis: tuple[int, int, int] = (0, 0, 1)) -> dict[str, Any]:
    across = [0, 1, 0] if axis[0] else [1, 0, 0]
    return {"type": code, "bodies": [one, two], "at": at, "axis": list(axis), "axis2": across}


@pytest.mark.parametrize("structure", ["tree", "dense"])
@pytest.mark.parametrize("code", ["R", "C", "PL", "S", "F"])
def test_only_what_moves_is_named(structure: str, code: str) -> None:
    held = {"A": joint("R", "ground", "a", [0, 0, 0]), "B": joint("W", "a", "light", [1, 0, 0]),
            "C": joint(code, "a", "idle", [1, 0, 0])}  # fmt: skip
    with pytest.raises(MechanismError, match=r"bodies\.idle: idle can move without moving any mass"):
        symgen.simulate(made({"a": FULL, "light": NONE, "idle": NONE}, held), step=0.01, until=0.1, structure=structure)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_a_massless_body_that_carries_another_is_none(structure: str) -> None:
    cross = {"A": joint("R", "ground", "cross", [0, 0, 0]), "B": joint("R", "cross", "a", [0, 0, 0], (1, 0, 0))}
    joined = {"A": joint("U", "ground", "a", [0, 0, 0])}
    two = symgen.simulate(made({"cross": NONE, "a": FULL}, cross), step=0.01, until=0.3, structure=structure)
    one = symgen.simulate(made({"a": FULL}, joined), step=0.01, until=0.3, structure=structure)
    assert np.abs(two.bodies["a"].r - one.bodies["a"].r).max() < 1e-12


def test_a_point_mass_on_a_ball_turns_idly_about_its_line() -> None:
    point = {"mass": 1.0, "com": [0.5, 0.2, 0], "inertia": [0.0] * 6}
    with pytest.raises(MechanismError, match=r"bodies\.p: p can move"):
        symgen.simulate(made({"p": point}, {"A": joint("S", "ground", "p", [0, 0, 0])}), step=0.01, until=0.1)
    held = symgen.simulate(made({"p": point}, {"A": joint("U", "ground", "p", [0, 0, 0])}), step=0.01, until=0.1)
    assert held.ok


@pytest.mark.slow
def test_a_slender_rod_of_balls_turns_idly_between_its_neighbours() -> None:
    slender = {"mass": 1.0, "com": [1.5, 0, 0], "inertia": [0.0, 0.1, 0.1, 0, 0, 0]}
    joints = {"A": joint("R", "ground", "a", [0, 0, 0]), "B": joint("S", "a", "rod", [1, 0, 0]),
              "C": joint("S", "rod", "b", [2, 0, 0]), "D": joint("R", "b", "ground", [2, 1, 0])}  # fmt: skip
    bodies = {"a": FULL, "rod": slender, "b": {**FULL, "com": [2, 0.5, 0]}}
    with pytest.raises(MechanismError, match=r"bodies\.rod: rod can move"):
        symgen.simulate(made(bodies, joints), step=0.01, until=0.1)
    bodies["rod"] = {**slender, "inertia": [1e-9, 0.1, 0.1, 0, 0, 0]}
    assert symgen.simulate(made(bodies, joints), step=0.01, until=0.1).ok


@pytest.mark.parametrize(("what", "method"), [("rigid", "riccati"), ("rigid", "dimcd"), ("beam", "riccati")])
def test_a_planar_body_without_any_joint_is_told_how_to_be_free(what: str, method: str) -> None:
    rigid = {"mass": 2.0, "com": [0.2, 0], "inertia": [0, 0, 0.5, 0, 0, 0]}
    bent = {"beam": {"length": 2.0, "mass_per_length": 3.0, "bending": 50.0}}
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {"x": rigid if what == "rigid" else bent}}
    with pytest.raises(MechanismError, match=r"bodies\.x: no joint leads from x to the ground.*type FP to 'ground'"):
        symgen.simulate(symgen.Mechanism.from_dict(tree), method=method, step=0.01, until=0.1)
