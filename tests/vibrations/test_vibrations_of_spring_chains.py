"""Chains and rings some of whose freedoms have no spring: frequencies by both methods against dense eigenvalues.

The oracle is Newton's equations in the bodies' own displacements (mass matrix, springs, constraints) and LAPACK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from transfer.drafts import Draft
from vibrations.spring_chains import SpringChain

import symgen
from symgen.errors import AccuracyError
from symgen.vibrations import analysis as vibration
from symgen.vibrations.roots import Roots

MIXED = ["R", "C", "S", "P", "U", "F", "PL", "H", "W"]


def judge(chain: SpringChain, method: str) -> None:
    squares, zero = chain.squares(), chain.zero()
    found = symgen.vibrations(chain.mechanism, method=method, modes=1000)
    assert found.zero == zero
    # LAPACK's eigenvalues are right to rounding of the largest; the factor stands for some hundred operations
    atol = 1e-13 * float(squares.max(initial=0.0))
    np.testing.assert_allclose([mode.omega**2 for mode in found.modes], squares[zero:], rtol=1e-9, atol=atol)


def between_grounds(seed: int) -> SpringChain:
    rng = np.random.default_rng(seed)
    codes = [str(code) for code in rng.choice(MIXED, 2 + seed % 4)]
    return SpringChain(rng, [*codes, "R" if rng.integers(2) else "F"], last=True, free=float(rng.choice([0.2, 0.35])))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("method", ["riccati", "determinant"])
@pytest.mark.parametrize("seed", [*range(16), 141, 183])
def test_chains_between_two_grounds_with_free_hinges_have_the_dense_eigenvalues(seed: int, method: str) -> None:
    judge(between_grounds(seed), method)


@pytest.mark.parametrize("method", ["riccati", "determinant"])
@pytest.mark.parametrize("seed", range(8))
def test_trees_with_free_hinges_have_the_dense_eigenvalues(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    codes = [str(code) for code in rng.choice(MIXED, 2 + seed % 4)]
    judge(SpringChain(rng, codes, first=bool(seed % 3), free=0.3), method)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(10))
def test_rings_inside_a_chain_have_the_dense_eigenvalues(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 4 + seed % 3
    chain = SpringChain(rng, [str(code) for code in rng.choice(["R", "C", "S", "U", "F", "PL"], count)], free=0.3)
    chain.joint(count, str(rng.choice(["C", "S", "PL", "F"])), 0, 2)
    if seed % 2:
        chain.joint(count + 1, "F", 1, -1)
    judge(chain, "riccati")


@pytest.mark.parametrize("method", ["riccati", "determinant"])
def test_what_cannot_move_has_no_frequencies(method: str) -> None:
    """Six equations hold C and R; their pivots are rounding."""
    for seed in range(4):
        chain = SpringChain(np.random.default_rng(seed), ["W", "W", "C", "R"], last=True, free=0.5)
        assert not len(chain.squares())
        found = symgen.vibrations(chain.mechanism, method=method, modes=10)
        assert (found.modes, found.zero, found.growth) == ((), 0, ())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("count", [10, 31])
def test_equal_masses_on_equal_springs_have_all_digits(count: int, held: bool) -> None:
    """Where a part of the chain, held, has the same frequency as the whole, a pivot is zero at it."""
    draft = Draft("equal", space="planar", gravity=(0, 0, 0))
    turn = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    names = ["ground", *(f"b{i}" for i in range(count)), "ground"]
    for i in range(count):
        draft.body(f"b{i}", [i + 0.5, 0, 0], np.eye(3), 2.0, [0, 0, 0], 0.1 * np.eye(3))
    for i in range(count + held):
        draft.joint(f"j{i}", "P", (names[i], names[i + 1]), [i, 0.0, 0.0], turn)
        draft.force(f"k{i}", kind="joint", joint=f"j{i}", stiffness=300.0)
    numbers = np.arange(1, count + 1)
    angles = numbers * np.pi / (2 * count + 2) if held else (2 * numbers - 1) * np.pi / (4 * count + 2)
    expected = 2.0 * np.sqrt(150.0) * np.sin(angles)
    found = symgen.vibrations(draft.resting(), modes=100)
    # rounding of the highest square, 1e-16 of it, is more of the lowest: 1e3 times
    np.testing.assert_allclose([mode.omega for mode in found.modes], expected, rtol=3e-13)


@pytest.mark.parametrize("change", [1e-4, -0.3])
def test_a_frequency_that_is_not_that_of_its_shape_is_refused(change: float, monkeypatch: pytest.MonkeyPatch) -> None:
    right: Callable[..., Roots] = vibration.find_roots

    def wrong(*given: Any, **options: Any) -> Roots:
        roots = right(*given, **options)
        positive = roots.positive.copy()
        positive[-1] *= 1.0 + change
        return Roots(np.sort(positive), roots.negative, roots.zero, roots.largest)

    chain = SpringChain(np.random.default_rng(3), ["R", "C", "S"]).mechanism
    monkeypatch.setattr(vibration, "find_roots", wrong)
    with pytest.raises(AccuracyError, match="not confirmed"):
        symgen.vibrations(chain)
