"""Random trees and loops of all hinges, rings, chains held at both ends, ladders: all methods against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft, chain, random_inertia, random_mechanism, random_turn
from transfer.judged import ask, errors, judge, judge_uniqueness
from transfer.oracle_multibody import Multibody
from transfer.spec_systems import ladder

METHODS = ("riccati", "multiplier")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(24))
def test_random_trees_of_random_hinges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draft = random_mechanism(rng, int(rng.integers(1, 9)), list(FREEDOMS), driven=0.3 if seed % 2 else 0.0)
    mechanism = draft.moving(rng)
    for method in METHODS:
        judge(mechanism, method)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(24))
def test_random_loops_ground_loops_and_redundant_ones(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    soft = ["S", "C", "U", "PL", "S", "F"]
    draft = random_mechanism(rng, int(rng.integers(3, 8)), soft if seed % 2 else list(FREEDOMS),
                             loops=int(rng.integers(1, 4)))  # fmt: skip
    mechanism = draft.moving(rng)
    truth = Multibody(mechanism).solve()
    for method in METHODS:
        found = ask(mechanism, method)
        worst, gap = errors(found, truth)
        # random loops may be stiff: spec measured 2.3e-12 of 119
        assert worst < 1e-10
        assert gap < 1e-9
        judge_uniqueness(found, truth)


def flat_in_space(rng: np.random.Generator, bodies: int, loops: int) -> Draft:
    """Return pins that are all parallel, in space: each loop has three redundant constraints."""
    draft = Draft("parallel pins", gravity=rng.normal(size=3) * 5)
    across = random_turn(rng)
    names = [f"b{k}" for k in range(bodies)]
    for key in names:
        draft.body(key, rng.normal(size=3), random_turn(rng), 1.0, 0.1 * rng.normal(size=3), random_inertia(rng, 0.2))
    pairs = [("ground" if k == 0 else names[k - 1], key) for k, key in enumerate(names)]
    pairs += [(names[-1 - k], "ground") if k % 2 == 0 else ("ground", names[-1 - k]) for k in range(loops)]
    for k, pair in enumerate(pairs):
        draft.joint(f"j{k}", "R", pair, rng.normal(size=3), across, values={"angle": float(rng.normal())})
    return draft


@pytest.mark.parametrize("seed", range(12))
def test_redundant_parallel_pins_leave_accelerations_unique(seed: int) -> None:
    rng = np.random.default_rng(2000 + seed)
    mechanism = flat_in_space(rng, 3 + seed % 4, 1 + seed % 2).moving(rng)
    truth = Multibody(mechanism).solve()
    assert truth.redundant >= 3
    for method in METHODS:
        found = ask(mechanism, method)
        worst, gap = errors(found, truth)
        assert worst < 1e-11
        assert gap < 1e-10
        judge_uniqueness(found, truth)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [5, 40, 300])
@pytest.mark.parametrize("ring", [False, True])
def test_rings_and_chains_held_at_both_ends(count: int, ring: bool) -> None:
    rng = np.random.default_rng(count)
    mechanism = chain(count, "S", rng, ends=2, ring=ring).moving(rng)
    # A9: 1e-11 (the accelerations grow with the length: they are the measure)
    judge(mechanism, "riccati", wrenches=1e-9)


@pytest.mark.parametrize("count", [6, 40])
def test_rings_of_pins_and_guides(count: int) -> None:
    rng = np.random.default_rng(count)
    codes = [str(code) for code in rng.choice(["R", "U", "C", "S", "R", "H"], size=count + 1)]
    codes = ["S" if code == "H" else code for code in codes]
    mechanism = chain(count, codes, rng, ring=True).moving(rng)  # type: ignore[arg-type]
    judge(mechanism, "riccati", accelerations=1e-10, wrenches=1e-9)


@pytest.mark.parametrize("rungs", [1, 2, 4, 8])
@pytest.mark.parametrize("code", ["S", "U"])
def test_many_loops_open_at_once(rungs: int, code: str) -> None:
    mechanism = ladder(rungs, code).moving(np.random.default_rng(rungs))
    for method in METHODS:
        judge(mechanism, method)
