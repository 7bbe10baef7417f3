"""Eigenfrequencies from the characteristic determinant: chains of bodies, beams and springs against dense eigenvalues.

The oracle is Newton's equations in the bodies' own displacements (mass matrix, springs, constraints) and LAPACK.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft
from transfer.spring_chains import SpringChain

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, MechanismError
from symgen.model.mechanism import Mechanism
from symgen.transfer import vibration_search
from symgen.transfer.vibration import linearise
from symgen.transfer.vibration_chain import make_chain
from symgen.transfer.vibration_determinant import characteristic_determinant, clearance
from symgen.transfer.vibration_direct import overall_matrix, turned

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"


def by_determinant(mechanism: Mechanism, **options: Any) -> symgen.Vibrations:
    found = symgen.vibrations(mechanism, method="determinant", **options)
    assert found.method == "determinant"
    return found


def judge(chain: SpringChain, zero: int = 0) -> None:
    squares = chain.squares()
    found = by_determinant(chain.mechanism, modes=1000)
    assert found.zero == zero
    # LAPACK's eigenvalues are right to rounding of the largest; the factor stands for some hundred operations
    atol = 1e-13 * float(squares[-1])
    np.testing.assert_allclose([mode.omega**2 for mode in found.modes], squares[zero:], rtol=1e-10, atol=atol)


MIXED = ["R", "C", "S", "P", "U", "F", "PL", "H", "W"]


@pytest.mark.parametrize("seed", range(6))
def test_chains_from_tip_to_ground_have_the_dense_eigenvalues(seed: int) -> None:
    rng = np.random.default_rng(seed)
    judge(SpringChain(rng, [str(code) for code in rng.choice(MIXED, 1 + seed % 5)] + ["R"]))


@pytest.mark.parametrize("seed", range(4))
def test_chains_between_two_grounds_have_the_dense_eigenvalues(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = ["R", *(str(code) for code in rng.choice(["C", "S", "U", "F"], 1 + seed)), "F"]
    judge(SpringChain(rng, codes, last=True))


@pytest.mark.parametrize("seed", range(6))
def test_hinges_that_nothing_holds_turn_without_a_spring(seed: int) -> None:
    """Motions without resistance are as many as the dense matrices have zeros."""
    rng = np.random.default_rng(seed)
    codes = ["R", "C", "U", "R", "F"] if seed % 2 else ["S", "R", "C", "R"]
    chain = SpringChain(rng, codes, last=bool(seed % 2), free=0.4)
    judge(chain, zero=chain.zero())


def test_chains_of_pendula_swing_as_the_counts_say() -> None:
    """Nothing but weight: every hinge is free."""
    draft = Draft("pendula", gravity=(0.0, 0.0, -9.81))
    for i, code in enumerate("RUSR"):
        turn = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]) if code != "S" else np.eye(3)
        draft.body(f"b{i}", [0, 0, -0.5 * i], np.eye(3), 1.0 + i, [0, 0, -0.3], 0.05 * np.diag([1.0, 1.3, 0.2]))
        draft.joint(f"j{i}", code, (f"b{i - 1}" if i else "ground", f"b{i}"), [0, 0, -0.5 * i], turn)
    counted, found = (symgen.vibrations(draft.resting(), method=how) for how in ("riccati", "determinant"))
    assert found.zero == counted.zero == 1  # the ball's spin about the vertical
    np.testing.assert_allclose(found.frequencies, counted.frequencies, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_free_chains_have_six_motions_without_resistance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    judge(SpringChain(rng, [str(code) for code in rng.choice(MIXED[:-1], 2 + seed)], first=False), zero=6)


@pytest.mark.parametrize("middle", [0, 1, 2, 3])
def test_a_free_chain_may_be_written_from_any_of_its_bodies(middle: int) -> None:
    chain = SpringChain(np.random.default_rng(11), ["C", "S", "R"], first=False)
    bodies = chain.draft.tree["bodies"]
    names = list(bodies)[middle:] + list(bodies)[:middle]
    chain.draft.tree["bodies"] = {name: bodies[name] for name in names}
    judge(chain, zero=6)


@pytest.mark.parametrize(("first", "last", "zero"), [(True, False, 0), (True, True, 0), (False, False, 3)])
def test_planar_chains_have_the_dense_eigenvalues(first: bool, last: bool, zero: int) -> None:
    rng = np.random.default_rng(5)
    judge(SpringChain(rng, ["FP", "R", "R", "FP"], first=first, last=last, space="planar"), zero)


def test_parallel_slides_between_two_grounds_in_space_hold_each_other() -> None:
    """Five of six constraints of one end joint are redundant: that of the axis counts."""
    draft = Draft("wagons", gravity=(0, 0, 0))
    count, k, m = 6, 300.0, 2.0
    names = ["ground", *(f"b{i}" for i in range(count)), "ground"]
    for i in range(count):
        draft.body(f"b{i}", [i + 0.5, 0, 0], np.eye(3), m, [0.1, 0.2, 0.0], 0.1 * np.eye(3))
    across = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    for i in range(count + 1):
        draft.joint(f"j{i}", "P", (names[i], names[i + 1]), [i, 0.0, 0.0], across)
        draft.force(f"k{i}", kind="joint", joint=f"j{i}", stiffness=k)
    expected = 2.0 * math.sqrt(k / m) * np.sin(np.arange(1, count + 1) * math.pi / (2 * (count + 1)))
    found = by_determinant(draft.resting(), modes=100)
    assert [mode.omega for mode in found.modes] == pytest.approx(list(expected), rel=1e-12)


def test_double_and_threefold_frequencies_are_found_as_often_as_they_are() -> None:
    """Balls on bushings with equal springs across: each frequency of a string of beads three times."""
    draft = Draft("beads", gravity=(0, 0, 0))
    for i in range(4):
        draft.body(f"b{i}", [i, 0, 0], np.eye(3), 1.5, [0, 0, 0], 0.05 * np.eye(3))
        draft.joint(f"j{i}", "F", (f"b{i - 1}" if i else "ground", f"b{i}"), [i, 0, 0], np.eye(3))
        for freedom in FREEDOMS["F"]:
            value = 1e9 if freedom in ("yaw", "pitch", "roll") else 80.0
            draft.force(f"k{i}{freedom}", kind="joint", joint=f"j{i}", freedom=freedom, stiffness=value)
    found = by_determinant(draft.resting(), modes=12)
    expected = 2.0 * math.sqrt(80.0 / 1.5) * np.sin((2 * np.arange(1, 5) - 1) * math.pi / 18)
    # turning springs of 1e9 N m leave 1e-7 of softness; frequencies of one kind agree among themselves far better
    assert np.array([mode.omega for mode in found.modes]) == pytest.approx(np.repeat(expected, 3), rel=1e-5)
    across = np.array([mode.omega for mode in found.modes]).reshape(4, 3)
    assert np.sort(np.diff(across, axis=1), axis=1)[:, 0] == pytest.approx(np.zeros(4), abs=1e-9)


def test_a_long_chain_loses_nothing_by_growth() -> None:
    """Entries of the plain product grow beyond 1e20 here, so that its determinant is rounding."""
    chain = SpringChain(np.random.default_rng(2), ["R"] * 40)
    squares = chain.squares()
    found = by_determinant(chain.mechanism, modes=1000)
    # rounding of the largest in LAPACK's eigenvalues
    rounding = 1e-13 * float(squares[-1])
    assert [mode.omega**2 for mode in found.modes] == pytest.approx(list(squares), rel=1e-9, abs=rounding)
    plain = overall_matrix(make_chain(linearise(chain.mechanism)), squares[-1:])
    assert np.abs(plain).max() > 1e20


def test_no_zero_is_nearer_than_the_determinant_says() -> None:
    chain = SpringChain(np.random.default_rng(4), ["S", "C", "R", "U"])
    squares, made = chain.squares(), make_chain(linearise(chain.mechanism))
    rng = np.random.default_rng(1)
    for square in rng.uniform(-squares[-1], 2.0 * squares[-1], 40):
        distance = float(np.abs(squares - square).min())
        sizes = [clearance(made, float(square), step * distance, ()) for step in (1e-3, 0.1, 1.0, 10.0)]
        assert max(sizes) <= distance * (1.0 + 1e-9)
        assert sizes[0] >= 0.99 * distance / math.sqrt(len(squares))  # all zeros there would halve it so


def test_the_determinant_changes_its_sign_at_simple_zeros_only() -> None:
    chain = SpringChain(np.random.default_rng(6), ["C", "R", "U"])
    squares, made = chain.squares(), make_chain(linearise(chain.mechanism))
    beside = np.stack([squares * (1 - 1e-9), squares * (1 + 1e-9)])
    below, above = characteristic_determinant(made, beside.ravel())[0].reshape(2, -1)
    assert (below == -above).all()
    assert (above[:-1] == below[1:]).all()
    middle = 0.5 * (squares[1:] + squares[:-1])
    plain = np.linalg.slogdet(made.end @ overall_matrix(made, middle) @ made.start)
    sign, logarithm = characteristic_determinant(made, middle)
    assert (sign == plain[0]).all()
    np.testing.assert_allclose(logarithm, plain[1], rtol=1e-9, atol=1e-9)


def test_a_chain_passed_backwards_has_the_inverse_of_its_matrix() -> None:
    made = make_chain(linearise(SpringChain(np.random.default_rng(8), ["S", "C", "H"]).mechanism))
    u = overall_matrix(made, np.array([3.0]))[0]
    side = np.diag([1.0] * 6 + [-1.0] * 6)
    np.testing.assert_allclose(turned(u) @ side @ u, side, atol=1e-9 * np.abs(u).max() ** 2)


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
    tree = dict(beams("pinned", (EI, EI)).source)
    for name in "AC":
        tree["joints"][name]["axis"] = [0, 0, 1]
    tree["joints"]["C"]["type"] = "L"  # slides along the beam, which does not stretch
    tree["joints"]["C"] |= {"axis": [0, 0, 1], "axis2": [1, 0, 0]}
    found = by_determinant(Mechanism.from_dict(tree), modes=6)
    scale = math.sqrt(EI / MU) / L**2
    sines = [(k * math.pi) ** 2 * scale for k in range(1, 6)]
    clamps = [root**2 * scale for root in (4.730040744862704, 7.853204624095838, 10.995607838001671)]
    assert [mode.omega for mode in found.modes] == pytest.approx(sorted([*sines, *clamps])[:6], rel=1e-11)


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


def refused(mechanism: Mechanism) -> str:
    with pytest.raises(MechanismError) as caught:
        by_determinant(mechanism)
    assert "--method riccati" in str(caught.value)
    return str(caught.value)


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
    tree = dict(beams("clamped-free").source)
    assert "bodies.b" in refused(Mechanism.from_dict({**tree, "gravity": [-9.81, 0, 0]}))
    held = {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0.4 * L, 0, 0], "axis": [1, 0, 0]}}
    assert "held inside" in refused(Mechanism.from_dict({**tree, "joints": held}))


def refused_or_loaded(chain: SpringChain) -> str:
    """Return the refusal; the spring is in tension, so the chain is let come to rest."""
    with pytest.raises(MechanismError) as caught:
        symgen.vibrations(chain.mechanism, method="determinant", settle=True)
    return str(caught.value)


def test_a_determinant_without_digits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readings of a zero that differ by more than a millionth of it are none."""
    rng, right = np.random.default_rng(0), vibration_search.slopes

    def rounded(chain: Any, squares: Any, known: Any) -> Any:
        return right(chain, squares * (1.0 + size * rng.normal(size=len(squares))), known)

    chain = SpringChain(np.random.default_rng(0), ["R", "C"]).mechanism
    monkeypatch.setattr(vibration_search, "slopes", rounded)
    size = 1e-12
    assert len(by_determinant(chain).modes) == 3
    size = 1e-6
    assert "lost its digits" in refused(chain)


def test_the_verb_says_how_it_found_them(capsys: pytest.CaptureFixture[str]) -> None:
    chain = str(EXAMPLES / "spring_chain" / "mechanism.toml")
    documents = []
    for method in ("riccati", "determinant"):
        assert main(["vibrations", chain, "--json", "--method", method]) == 0
        documents.append(json.loads(capsys.readouterr().out))
        assert documents[-1]["method"] == method
    one, two = ([mode["frequency"] for mode in each["modes"]] for each in documents)
    assert one == pytest.approx(two, rel=1e-12)
    assert main(["vibrations", chain, "--method", "determinant", "--to", "3"]) == 0
    assert "characteristic determinant" in capsys.readouterr().out
    with pytest.raises(InputError, match="determinant"):
        symgen.vibrations(symgen.load(chain), method="product")
