"""Numbers that nothing can be computed with are refused by name, not by NumPy's warnings."""

from __future__ import annotations

from typing import Any

import pytest

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

_TREE: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "swing",
    "space": "planar",
    "gravity": [0.0, -9.81],
    "bodies": {"a": {"mass": 2.0, "com": [0.5, 0.1], "inertia": [0.1, 0.1, 0.2, 0.0, 0.0, 0.0]}},
    "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0.0, 0.0]}},
}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"gravity": [0.0, -1e308]}, "gravity"),
        ({"initial": {"joints": {"A": {"rate": 1e200}}}}, "initial.joints.A.rate.angle"),
        ({"initial": {"joints": {"A": {"angle": 1e300}}}}, "initial.joints.A.angle"),
        ({"initial": {"bodies": {"a": {"omega": [0.0, 0.0, 1e100]}}}}, "initial.bodies.a.omega"),
    ],
)
@pytest.mark.parametrize("method", ["riccati", "dimcd", "transfer"])
def test_the_field_is_named(method: str, change: dict[str, Any], field: str) -> None:
    mechanism = Mechanism.from_dict(_TREE | change)
    with pytest.raises(MechanismError) as refused:
        symgen.simulate(mechanism, method=method, step=1e-3, until=1e-2)
    assert refused.value.field == field


def test_whole_turns_are_to_be_left_out_of_an_angle() -> None:
    mechanism = Mechanism.from_dict(_TREE | {"initial": {"joints": {"A": {"angle": 1e10}}}})
    with pytest.raises(MechanismError, match="leave whole turns out"):
        symgen.accelerations(mechanism)
