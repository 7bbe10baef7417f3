"""A solver returns all assemblies and nothing else: its branches are the solutions that Newton's method finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.instances import random_instance
from oracle.modules import SOLVED, Arranged, call_batch
from oracle.newton import Assembler, distinct, flat_poses, matrices

from symgen.status import Status

pytestmark = pytest.mark.kinds

SEEDS = range(100, 105)
#: Starts come in rounds until every branch was hit; a solution that the solver lacks shows in any of them.
ROUND, AT_LEAST, ROUNDS = 150, 2, 10


def _branches(arranged: Arranged, ports: dict[str, Any]) -> np.ndarray[Any, Any]:
    branches = np.arange(arranged.manifest["branches"])
    ports = {**ports, "branch": branches}
    _, statuses, results = call_batch("numpy", arranged.module, arranged.function("position"), ports, len(branches))
    space = arranged.manifest["space"]
    every = flat_poses({b: matrices(results[b], space) for b in arranged.tree["bodies"]})
    return np.atleast_2d(every)[np.atleast_1d(statuses) == Status.OK]


def _unmatched(these: np.ndarray[Any, Any], those: np.ndarray[Any, Any]) -> int:
    """Count rows of one set that are not in the other.

    Newton stops at residuals of 1e-11, so a pose is that times the condition (1e4 at worst here) off.
    """
    return sum(1 for row in these if not len(those) or np.abs(those - row).max(axis=1).min() > 1e-6)


def _near(these: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the branches that Newton's starts, within 3 of the origin, can be expected to hit: slides run far."""
    return these[np.abs(these).max(axis=1) < 8.0] if len(these) else these


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_branches_are_all_solutions_of_newton_from_many_starts(arranged: Arranged) -> None:
    # three bodies share their kernel's word with the two-body groups, and cost Newton's method ten times as much
    for seed in SEEDS if len(arranged.tree["bodies"]) < 3 or arranged.manifest["space"] == "planar" else SEEDS[:2]:
        instance = random_instance(arranged.manifest, arranged.tree, seed)
        solver = _branches(arranged, instance.ports)
        assembler = Assembler(instance)
        rng = np.random.default_rng(seed)
        found = np.empty((0, solver.shape[1]))
        for done in range(1, ROUNDS + 1):
            solutions = assembler.solve(assembler.starts(rng, ROUND))
            found = distinct(np.concatenate([found, flat_poses(assembler.poses(solutions))]))
            if done >= AT_LEAST and not _unmatched(_near(solver), found):
                break
        assert _unmatched(found, solver) == 0, f"seed {seed}: Newton has a solution that the solver lacks"
        assert _unmatched(_near(solver), found) == 0, f"seed {seed}: the solver has a branch that Newton never reaches"
        assert len(solver) % 2 == 0 or arranged.manifest["degree"] == 1, "real solutions come in pairs"
