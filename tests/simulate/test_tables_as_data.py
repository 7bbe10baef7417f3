"""Tables as data: an engine that was compiled for one mechanism moves others of its shape, each to its own motion."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism
from symgen.simulate.results.result import SimulationResult

pytestmark = pytest.mark.compiler
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "dynamics"
METHODS: dict[str, dict[str, Any]] = {
    "dimcd": {"step": 0.002},
    "variational": {"order": 4, "step": 0.005},
    "riccati": {"step": 0.002},
}


def _heavier(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return the mechanism with the masses of every other body changed, so that the motion is another one."""
    bodies = [
        replace(body, mass=body.mass * factor if body.mass and k % 2 else body.mass)
        for k, body in enumerate(mechanism.bodies)
    ]
    return replace(mechanism, bodies=tuple(bodies))


def _simulate(mechanism: Mechanism, method: str, backend: str) -> SimulationResult:
    return symgen.simulate(mechanism, method=method, until=0.2, sample=0.1, backend=backend, **METHODS[method])


@pytest.mark.parametrize("method", METHODS)
def test_another_mechanism_of_the_shape_is_not_compiled_and_moves_as_in_numpy(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    first = _simulate(mechanism, method, "c")

    def refused(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("symgen.build.compile.compile_module", refused)
    other = _heavier(mechanism, 3.0)
    found, wanted = _simulate(other, method, "c"), _simulate(other, method, "numpy")
    moved = 0.0
    for name, body in wanted.bodies.items():
        # NumPy solves the same discrete equations in another order: rounding of some hundred steps
        np.testing.assert_allclose(found.bodies[name].r, body.r, atol=1e-9)
        moved = max(moved, float(np.abs(found.bodies[name].r - first.bodies[name].r).max()))
    assert moved > 1e-4
    again = _simulate(mechanism, method, "c")
    assert all((again.bodies[name].r == body.r).all() for name, body in first.bodies.items())


def test_mechanisms_of_one_shape_move_side_by_side() -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    asked = [_heavier(mechanism, factor) for factor in (1.0, 2.0, 3.0)]
    wanted = [_simulate(each, "dimcd", "c") for each in asked]
    found: list[SimulationResult | None] = [None] * len(asked)

    def work(k: int) -> None:
        for _ in range(3):
            found[k] = _simulate(asked[k], "dimcd", "c")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(found, wanted, strict=True):
        assert one is not None
        assert all((one.bodies[name].r == body.r).all() for name, body in other.bodies.items())
