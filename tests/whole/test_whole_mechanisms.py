"""A whole mechanism in one function: the same motion as `symgen.solve`, which solves group by group in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle.whole_modules import Whole, difference, expected

import symgen

EXAMPLES = Path(__file__).parents[2] / "examples"
SOLVABLE = ("jansen_leg", "rotor", "spatial_four_bar", "stewart_inverse")
TIMES = np.linspace(0.0, 1.0, 41)
#: Both ways share their formulas but not their order of operations; condition numbers here are below 1e3, accelerations
#: gather three levels of it.
CLOSE = 1e-9


def _load(example: str) -> symgen.Mechanism:
    return symgen.load(EXAMPLES / example / "mechanism.toml")


@pytest.mark.parametrize("geometry", ["constants", "parameters"])
@pytest.mark.parametrize("example", SOLVABLE)
def test_one_call_gives_the_motion_that_solve_gives(example: str, geometry: str, tmp_path: Path) -> None:
    mechanism = _load(example)
    whole = Whole(tmp_path, mechanism, f"whole_{example}_{geometry}", geometry=geometry)
    wanted = expected(whole, symgen.solve(mechanism, TIMES))
    runs = {"numpy": whole.numpy("motion", t=TIMES), "c": whole.c("motion", len(TIMES), t=TIMES)}
    for backend, found in runs.items():
        assert not np.any(found["status"]), backend
        assert not np.any(found["group"]), backend
        for name, values in wanted.items():
            assert difference(whole, name, found[name], values) < CLOSE, (backend, name)
