"""Bodies without mass, and masses many orders apart: what is determined is found, by both general methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transfer.drafts import random_mechanism
from transfer.small_trees import SOLID, Tree, tree_of

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

NOTHING = {"mass": 0.0, "com": [0, 0, 0], "inertia": [0.0] * 6}


def joint(code: str, *bodies: str, at: tuple[float, float, float], axis: Any = None, **more: Any) -> Tree:
    return {"type": code, "bodies": list(bodies), "at": list(at), **({"axis": list(axis)} if axis else {}), **more}


def fourbar(link: Tree) -> Tree:
    y = (0, 1, 0)
    joints = {
        "A": joint("R", "ground", "a", at=(0, 0, 0), axis=y), "B": joint("R", "a", "link", at=(1, 0, 0), axis=y),
        "C": joint("R", "link", "c", at=(1, 0, 1), axis=y), "D": joint("R", "c", "ground", at=(0, 0, 1), axis=y),
    }  # fmt: skip
    return tree_of(joints, a=SOLID, link=link, c=SOLID)


def difference(one: Any, two: Any) -> float:
    """Relative to the largest acceleration, or to gravity's size where all is locked."""
    return float(np.abs(one.table - two.table).max() / max(np.abs(two.table).max(), 1.0))


def test_a_massless_coupler_carries_a_rocker_so_that_it_is_no_tip() -> None:
    mechanism = Mechanism.from_dict(fourbar(NOTHING))
    found = symgen.accelerations(mechanism)
    assert set(found.loops) <= {"A", "D"}
    assert difference(found, symgen.accelerations(mechanism, "multiplier")) < 1e-12
    with pytest.raises(MechanismError, match="zero articulated inertia: joint B"):
        symgen.accelerations(mechanism, cuts=["C"])


def test_a_coupler_of_little_mass_moves_as_one_of_none() -> None:
    """Linear in the mass: 1e-9 of the others' changes accelerations by as much."""
    little = {**SOLID, "mass": 1e-9, "inertia": [1e-10, 2e-10, 3e-10, 0, 0, 0]}
    none, some = (symgen.accelerations(Mechanism.from_dict(fourbar(link))) for link in (NOTHING, little))
    assert difference(none, some) < 1e-8


def thin_strut(one: str, two: str) -> Tree:
    """A body on a pin, held by a thin rod along z that has no inertia about itself."""
    rod = {"mass": 0.5, "com": [1, 0, 0.5], "inertia": [0.04, 0.04, 0.0, 0, 0, 0]}
    ends = {"U": {"type": "U", "axis": [1, 0, 0], "axis2": [0, 1, 0]}, "S": {"type": "S"}}
    joints = {
        "A": joint("R", "ground", "a", at=(0, 0, 0), axis=(0, 1, 0)),
        "B": {**ends[one], "bodies": ["a", "rod"], "at": [1, 0, 0]},
        "C": {**ends[two], "bodies": ["rod", "c"], "at": [1, 0, 1]},
        "D": joint("R", "c", "ground", at=(0, 0, 1), axis=(0, 1, 0)),
    }
    return tree_of(joints, a=SOLID, rod=rod, c=SOLID)


@pytest.mark.parametrize("ends", [("U", "S"), ("S", "U")])
def test_a_turn_that_moves_no_mass_is_held_by_the_other_end(ends: tuple[str, str]) -> None:
    mechanism = Mechanism.from_dict(thin_strut(*ends))
    one, two = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    assert difference(one, two) < 1e-11
    assert one.residual < 1e-11


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
def test_a_turn_that_nobody_holds_is_refused(method: str) -> None:
    with pytest.raises(MechanismError, match="without moving any mass") as caught:
        symgen.accelerations(Mechanism.from_dict(thin_strut("S", "S")), method)
    assert caught.value.field == "bodies.rod"


def test_a_massless_tip_on_a_weld_or_a_drive_is_carried_along() -> None:
    joints = {"A": joint("R", "ground", "a", at=(0, 0, 0), axis=(0, 1, 0))}
    alone = symgen.accelerations(Mechanism.from_dict(tree_of(joints, a=SOLID)))
    for more in ({"type": "W"}, {"type": "R", "axis": [1, 0, 0], "driven": 1}):
        tree = tree_of({**joints, "B": {**more, "bodies": ["a", "flag"], "at": [1, 0, 0]}}, a=SOLID, flag=NOTHING)
        if more["type"] == "R":
            tree["drives"] = {"B": "3*t"}
        for method in ("riccati", "multiplier"):
            found = symgen.accelerations(Mechanism.from_dict(tree), method)
            np.testing.assert_allclose(found.bodies["a"].alpha, alone.bodies["a"].alpha, rtol=1e-12, atol=1e-12)


def scaled(body: Tree, factor: float) -> None:
    body["mass"] *= factor
    body["inertia"] = [factor * value for value in body["inertia"]]


@pytest.mark.parametrize("seed", range(12))
def test_massless_links_in_loops_by_both_methods(seed: int) -> None:
    """What one finds the other does; what is refused both refuse. Masses up to a million times apart."""
    rng = np.random.default_rng(seed)
    codes = ["S", "R", "U", "C", "P", "PL"]
    draft = random_mechanism(rng, int(rng.integers(3, 6)), codes, loops=int(rng.integers(1, 4)))
    names = list(draft.tree["bodies"])
    for name in names:
        scaled(draft.tree["bodies"][name], 10.0 ** rng.uniform(-3, 3))
    draft.tree["bodies"][names[int(rng.integers(len(names)))]] |= {"mass": 0.0, "inertia": [0.0] * 6}
    mechanism = draft.resting()
    try:
        one = symgen.accelerations(mechanism, "multiplier")
    except MechanismError:
        with pytest.raises(MechanismError, match="without moving any mass"):
            symgen.accelerations(mechanism)
        return
    assert difference(symgen.accelerations(mechanism), one) < 1e-8  # rounding times the ratio of masses


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_masses_a_million_million_apart_keep_their_digits_beside_a_massless_link(factor: float) -> None:
    """The fourbar does not feel a tip of 1e-12 of its mass; one of 1e12 of it falls as if alone on its pin."""
    tree = fourbar(NOTHING)
    tip = {"mass": factor, "com": [0.2, 0, 0], "inertia": [0.1 * factor, 0.2 * factor, 0.3 * factor, 0, 0, 0]}
    tree["bodies"]["tip"] = tip
    where = ("a", (0.5, 0, 0)) if factor < 1.0 else ("ground", (0, 0, 0))
    tree["joints"]["T"] = joint("R", where[0], "tip", at=where[1], axis=(0, 1, 0))
    if factor > 1.0:  # the fourbar hangs on it
        tree["joints"]["A"] = joint("R", "tip", "a", at=(0, 0, 0), axis=(0, 1, 0))
        tree["joints"]["D"] = joint("R", "c", "tip", at=(0, 0, 1), axis=(0, 1, 0))
    found = symgen.accelerations(Mechanism.from_dict(tree), "multiplier")
    if factor < 1.0:
        alone = symgen.accelerations(Mechanism.from_dict(fourbar(NOTHING)), "multiplier")
        np.testing.assert_allclose(found.table[:3], alone.table, atol=1e-10 * np.abs(alone.table).max())
    else:  # about y, horizontal to the right of its pin
        expected = 9.81 * 0.2 / (0.2 + 0.2**2)
        assert found.joints["T"].accelerations["angle"] == pytest.approx(expected, rel=1e-10)
    riccati = symgen.accelerations(Mechanism.from_dict(tree))
    assert difference(riccati, found) < 1e-8
