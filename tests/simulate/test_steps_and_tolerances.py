"""What is said of steps, and tolerances that no step reaches, of methods with explicit steps."""

from __future__ import annotations

from typing import Any

import pytest

import symgen
from symgen.errors import InputError


def double_pendulum(**more: Any) -> symgen.Mechanism:
    body = {"mass": 1.0, "com": [0.5, 0.0], "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0.0, -9.81],
        "bodies": {"a": body, "b": body | {"pose": {"r": [1.0, 0.0]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0]},
                   "B": {"type": "R", "bodies": ["a", "b"], "at": [1, 0]}},
    } | more)  # fmt: skip


SPRUNG = {"forces": {"s": {"kind": "joint", "joint": "A", "stiffness": 1.0}}}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["riccati", "group"])
@pytest.mark.parametrize("more", [{}, SPRUNG])  # pendulums have an engine of their own
def test_the_step_said_is_the_one_taken(method: str, more: dict[str, Any]) -> None:
    result = symgen.simulate(double_pendulum(**more), method=method, step=0.01, sample=0.003, until=0.03)
    assert result.run.steps == len(result.times) - 1 == 10
    assert result.run.step == pytest.approx(0.003, rel=1e-12)


@pytest.mark.parametrize("method", ["riccati", "group"])
def test_a_tolerance_below_rounding_is_refused_at_once(method: str) -> None:
    with pytest.raises(InputError, match="of 16 digits cannot reach it"):
        symgen.simulate(double_pendulum(), method=method, tolerance=1e-20, until=1.0)
    assert symgen.simulate(double_pendulum(), method=method, tolerance=1e-15, until=0.1).ok
