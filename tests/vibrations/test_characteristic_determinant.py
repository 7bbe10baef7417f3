"""Eigenfrequencies from the characteristic determinant: chains of bodies and springs against dense eigenvalues.

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
from vibrations.spring_chains import SpringChain, by_determinant, refused

import symgen
from symgen.cli.main import main
from symgen.errors import InputError
from symgen.vibrations import search as vibration_search
from symgen.vibrations.analysis import linearise
from symgen.vibrations.chain import make_chain
from symgen.vibrations.determinant import characteristic_determinant, clearance
from symgen.vibrations.direct import overall_matrix, turned

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"


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


@pytest.mark.slow
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
