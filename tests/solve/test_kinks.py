"""Branches named by signs that meet another one: the parallelogram must not fold into its other shape unsaid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.status import Status


def four_bar(rocker: float) -> symgen.Mechanism:
    """Return a four-bar with a crank of 1 m, a ground link of 2 m and a coupler of 2 m."""
    reach = np.array([2.0, 0.0])
    crank = np.array([np.cos(1.0), np.sin(1.0)])
    apart = reach - crank
    length = float(np.hypot(*apart))
    along = (length**2 + 4.0 - rocker**2) / (2 * length)
    above = np.sqrt(4.0 - along**2)
    unit = apart / length
    pin = crank + along * unit + above * np.array([-unit[1], unit[0]])
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "bar"], "at": crank.tolist()},
        "C": {"type": "R", "bodies": ["bar", "rocker"], "at": pin.tolist()},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [2, 0]},
    }
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "four-bar", "space": "planar",
        "bodies": {"crank": {}, "bar": {}, "rocker": {}}, "joints": joints, "drives": {"A": "2*pi*t"},
    })  # fmt: skip


@pytest.mark.parametrize("steps", [60, 97, 100, 1001])
def test_a_parallelogram_does_not_fold_without_a_word(steps: int) -> None:
    result = symgen.solve(four_bar(1.0), np.linspace(0.0, 1.0, steps + 1))
    after = np.flatnonzero(result.status != Status.OK)
    assert after.size
    assert {int(each) for each in result.status[after]} <= {int(Status.SINGULAR), int(Status.AMBIGUOUS)}
    # up to there the coupler keeps its direction; what comes behind is not called OK
    before = result.bodies["bar"].q[: after[0]]
    assert np.abs(np.abs(before @ before[0]) - 1.0).max() < 1e-12
    assert not np.any(result.status[after[0] :] == Status.OK)


@pytest.mark.parametrize("steps", [12, 50, 400])
def test_a_crank_rocker_goes_round_without_a_word(steps: int) -> None:
    result = symgen.solve(four_bar(1.5), np.linspace(0.0, 1.0, steps + 1))
    assert np.all(result.status == Status.OK)
