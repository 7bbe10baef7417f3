"""Numbers without bound, in a file or in a motion: said as such, at the right place, and never written as NaN."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import MechanismError
from symgen.status import Status

METHODS = ["riccati", "dimcd", "group"]
SPRUNG = {"forces": {"s": {"kind": "joint", "joint": "A", "stiffness": 1.0}}}


def tree(*, rate: float = 1.0, body: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    link = {"mass": 1.0, "com": [0.5, 0.0], "inertia": [0.1, 0.1, 0.1, 0, 0, 0]} | (body or {})
    return {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0.0, -9.81],
        "bodies": {"a": link, "b": link | {"pose": {"r": [1.0, 0.0]}}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0]},
                   "B": {"type": "R", "bodies": ["a", "b"], "at": [1, 0]}},
        "initial": {"joints": {"B": {"rate": rate}}},
    } | more  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("made", "field"),
    [
        (tree(gravity=[0.0, -1e308]), "gravity"),
        (tree(rate=1e200), "initial.joints.B.rate.angle"),
        (tree(body={"mass": 1e300}), "bodies.a.mass"),
        (tree(body={"inertia": [0, 0, 1e70, 0, 0, 0]}), "bodies.a.inertia"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_numbers_of_a_file_that_no_product_can_hold_are_refused_by_field(
    made: dict[str, Any], field: str, method: str
) -> None:
    with pytest.raises(MechanismError, match="too large to compute with") as caught:
        symgen.simulate(symgen.Mechanism.from_dict(made), method=method, step=0.01, until=0.1)
    assert caught.value.field == field


@pytest.mark.parametrize("backend", ["auto", "numpy"])
@pytest.mark.parametrize("more", [{}, SPRUNG])  # pendulums alone have an engine of their own
def test_a_step_too_large_for_the_speed_is_not_called_a_lack_of_mass(more: dict[str, Any], backend: str) -> None:
    """1e9 rad/s with a step of 10 ms: forces of 1e18 N, squared with every stage."""
    made = symgen.Mechanism.from_dict(tree(rate=1e9, **more))
    result = symgen.simulate(made, method="riccati", step=0.01, until=1.0, backend=backend)
    assert result.run.failure is not None
    assert result.run.failure.status == Status.NOT_CONVERGED
    assert "grew without bound" in result.run.failure.message
    assert all(np.all(np.isfinite(column)) for column in result.table().values())
    assert math.isfinite(result.drift)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_written_of_a_mechanism_without_any_mass(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "none.json", tmp_path / "out.csv"
    file.write_text(json.dumps(tree(body={"mass": 0.0, "inertia": [0] * 6})))
    words = ["simulate", str(file), "--method", method, "--step", "0.01", "--until", "1", "--output", str(out)]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert "none.json: bodies." in err
    assert "mass and inertia" in err
    assert not out.exists()
