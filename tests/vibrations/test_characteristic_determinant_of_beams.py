"""Eigenfrequencies from the characteristic determinant: beams and loads against theory and counts; what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft
from vibrations.spring_chains import SpringChain, by_determinant, refused

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

# -- beams -------------------------------------------------------------------------------------------------------------

L, MU, EI = 1.2, 0.8, 40.0


def beams(ends: str, bending: tuple[float, float] = (EI, 3.0 * EI)) -> Mechanism:
    """Return a beam: "clamped-free", "clamped-clamped" and "pinned" (in two halves) or "free"."""
    beam = {"length": L, "mass_per_length": MU, "bending": list(bending), "torsion": 1e3, "polar": 1e-3}
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "space": "spatial",
        "bodies": {"b": {"beam": beam}}, "joints": {},
    }  # fmt: skip
    end = "R" if ends == "pinned" else "W"
    if ends != "free":
        tree["joints"]["A"] = {"type": end, "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    if ends in ("clamped-clamped", "pinned"):
        half = {"beam": {**beam, "length": 0.5 * L}}
        tree["bodies"] = {"b": half, "c": {**half, "pose": {"r": [0.5 * L, 0, 0]}}}
        tree["joints"]["B"] = {"type": "W", "bodies": ["b", "c"], "at": [0.5 * L, 0, 0], "axis": [1, 0, 0]}
        tree["joints"]["C"] = {"type": end, "bodies": ["c", "ground"], "at": [L, 0, 0], "axis": [1, 0, 0]}
    return Mechanism.from_dict(tree)


@pytest.mark.parametrize(("ends", "roots", "zero"), [
    ("clamped-free", [1.875104068711961, 4.694091132974174, 7.854757438237613, 10.995540734875467], 0),
    ("clamped-clamped", [4.730040744862704, 7.853204624095838, 10.995607838001671], 0),
    ("free", [4.730040744862704, 7.853204624095838, 10.995607838001671], 6),
])  # fmt: skip
def test_beams_vibrate_as_theory_says(ends: str, roots: list[float], zero: int) -> None:
    """Roots of 1 -+ cos x cosh x = 0; bending in two planes, here of equal stiffness: every frequency is double."""
    found = by_determinant(beams(ends, (EI, EI)), modes=2 * len(roots))
    expected = np.repeat(np.array(roots) ** 2 * math.sqrt(EI / MU) / L**2, 2)
    assert found.zero == zero
    assert [mode.omega for mode in found.modes] == pytest.approx(list(expected), rel=1e-11)


def test_a_beam_on_two_pins_bends_in_sines() -> None:
    """About z between pins, about y between clamps: frequencies of both theories."""
    tree = beams("pinned", (EI, EI)).to_dict()
    for name in "AC":
        tree["joints"][name]["axis"] = [0, 0, 1]
    tree["joints"]["C"]["type"] = "L"  # slides along the beam, which does not stretch
    tree["joints"]["C"] |= {"axis": [0, 0, 1], "axis2": [1, 0, 0]}
    found = by_determinant(Mechanism.from_dict(tree), modes=6)
    scale = math.sqrt(EI / MU) / L**2
    sines = [(k * math.pi) ** 2 * scale for k in range(1, 6)]
    clamps = [root**2 * scale for root in (4.730040744862704, 7.853204624095838, 10.995607838001671)]
    assert [mode.omega for mode in found.modes] == pytest.approx(sorted([*sines, *clamps])[:6], rel=1e-11)


@pytest.mark.slow
def test_a_chain_of_beams_bodies_and_springs_agrees_with_the_counts_of_riccati() -> None:
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "space": "spatial",
        "bodies": {
            "b": {"beam": {"length": L, "mass_per_length": MU, "bending": [EI, 2 * EI], "axial": 9e3, "torsion": 30.0,
                           "polar": 0.002}},
            "m": {"mass": 0.9, "com": [0.1, 0.05, 0.0], "inertia": [0.02, 0.03, 0.04, 0, 0, 0],
                  "pose": {"r": [L, 0, 0]}},
            "c": {"beam": {"length": 0.5, "mass_per_length": 0.4, "bending": [10.0, 12.0]},
                  "pose": {"r": [L + 0.2, 0, 0]}},
        },
        "joints": {
            "A": {"type": "U", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 1, 0], "axis2": [0, 0, 1]},
            "B": {"type": "W", "bodies": ["b", "m"], "at": [L, 0, 0]},
            "C": {"type": "R", "bodies": ["m", "c"], "at": [L + 0.2, 0, 0], "axis": [0, 0, 1]},
            "D": {"type": "F", "bodies": ["c", "ground"], "at": [L + 0.7, 0, 0]},
        },
        "forces": {
            "p": {"kind": "joint", "joint": "A", "freedom": "angle1", "stiffness": 300.0},
            "q": {"kind": "joint", "joint": "A", "freedom": "angle2", "stiffness": 500.0},
            "r": {"kind": "joint", "joint": "C", "stiffness": 20.0},
            **{f"s{freedom}": {"kind": "joint", "joint": "D", "freedom": freedom, "stiffness": 150.0 + 10 * k}
               for k, freedom in enumerate(FREEDOMS["F"])},
        },
    }  # fmt: skip
    for joints in (["A", "B", "C"], ["A", "B", "C", "D"]):
        part = {**tree, "joints": {name: tree["joints"][name] for name in joints},
                "forces": {k: f for k, f in tree["forces"].items() if f["joint"] in joints}}  # fmt: skip
        made = Mechanism.from_dict(part)
        counted, found = symgen.vibrations(made, modes=8), by_determinant(made, modes=8)
        np.testing.assert_allclose(found.frequencies, counted.frequencies, rtol=1e-10)
        for one, two in zip(counted.modes, found.modes, strict=True):
            np.testing.assert_allclose(two.bodies["m"].r, one.bodies["m"].r, atol=1e-5)


# -- forces at rest ----------------------------------------------------------------------------------------------------


def stack(weight: float, count: int = 4) -> Mechanism:
    """Return rods that stand on each other on spring pins, under their weight."""
    draft = Draft("stack", gravity=(0, 0, -weight))
    for i in range(count):
        draft.body(f"b{i}", [0, 0, i], np.eye(3), 1.0 + i, [0, 0, 0.5], 0.1 * np.diag([1.0, 1.0, 0.2]))
        draft.joint(f"j{i}", "U", (f"b{i - 1}" if i else "ground", f"b{i}"), [0, 0, i],
                    np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]))  # fmt: skip
        for freedom in FREEDOMS["U"]:
            draft.force(f"k{i}{freedom}", kind="joint", joint=f"j{i}", freedom=freedom, stiffness=500.0)
    return draft.resting()


@pytest.mark.parametrize("weight", [9.81, 60.0])
def test_weight_softens_and_makes_fall_as_the_counts_say(weight: float) -> None:
    made = stack(weight)
    counted, found = symgen.vibrations(made, modes=100), by_determinant(made, modes=100)
    assert bool(found.growth) == (weight > 50.0)
    np.testing.assert_allclose(sorted(found.growth), sorted(counted.growth), rtol=1e-9)
    np.testing.assert_allclose(found.frequencies, counted.frequencies, rtol=1e-9)


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_what_is_no_chain_is_named() -> None:
    rng = np.random.default_rng(0)
    branch = SpringChain(rng, ["R", "R", "R"])
    branch.draft.tree["joints"]["j2"] = {**branch.draft.tree["joints"]["j1"]}
    frames = branch.draft.tree["joints"]["j1"]["frames"]
    branch.draft.tree["joints"]["j2"] |= {
        "bodies": ["b0", "b2"], "frames": {"b0": frames["b0"], "b2": frames["b1"]},
    }  # fmt: skip
    branch.draft.tree["bodies"]["b2"] |= {"pose": branch.draft.tree["bodies"]["b1"]["pose"]}
    assert "bodies.b0" in refused(branch.mechanism)
    ring = SpringChain(rng, ["S", "F", "F", "F"])
    ring.draft.tree["joints"]["j4"] = {"type": "W", "bodies": ["b3", "b1"], "at": [1.2, 0, 0], "axis": [1, 0, 0]}
    assert "bodies.b1" in refused(ring.mechanism)
    inside = SpringChain(rng, ["R", "R", "R"])
    inside.draft.tree["joints"]["j3"] = {"type": "W", "bodies": ["b1", "ground"], "at": [1.2, 0, 0], "axis": [1, 0, 0]}
    assert "joints." in refused(inside.mechanism)
    two = SpringChain(rng, ["R", "R"])
    del two.draft.tree["joints"]["j1"], two.draft.tree["forces"]["k1_angle"]
    assert "bodies.b" in refused(two.mechanism)
    tied = SpringChain(rng, ["R", "R", "R"])
    for name in ("b0", "b2"):
        tied.draft.tree["bodies"][name]["points"] = {"P": [0, 0, 0]}
    tied.draft.force("far", kind="spring", between=["b0.P", "b2.P"], stiffness=3.0, length=0.0)
    assert "forces.far" in refused_or_loaded(tied)


def test_beams_that_the_product_does_not_pass_are_named() -> None:
    tree = beams("clamped-free").to_dict()
    held = {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0.4 * L, 0, 0], "axis": [1, 0, 0]}}
    assert "held inside" in refused(Mechanism.from_dict({**tree, "joints": held}))


def refused_or_loaded(chain: SpringChain) -> str:
    """Return the refusal; the spring is in tension, so the chain is let come to rest."""
    with pytest.raises(MechanismError) as caught:
        symgen.vibrations(chain.mechanism, method="determinant", settle=True)
    return str(caught.value)
