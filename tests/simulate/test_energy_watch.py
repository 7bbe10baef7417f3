"""A model that keeps its energy says so where the motion does not, and names a step that would do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from oracle.double_pendulum import double_pendulum

import symgen
from symgen.cli.main import main
from symgen.status import Status

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize("method", ["riccati", "dimcd"])
def test_too_long_a_step_is_told_with_one_that_keeps_the_energy(method: str) -> None:
    mechanism = double_pendulum()
    rough = symgen.simulate(mechanism, method=method, step=0.25, until=8.0)
    (said,) = [each for each in rough.run.warnings if "energy" in each]
    assert f"{rough.drift:.3g} J" in said
    step = float(re.findall(r"a step of (\S+) s", said)[0])
    better = symgen.simulate(mechanism, method=method, step=step, until=8.0)
    assert better.ok
    assert better.drift < 0.02 * (better.kinetic.max() - better.kinetic.min())
    assert not better.run.warnings


def test_a_warning_is_in_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "swing.json"
    file.write_text(json.dumps(double_pendulum().source), encoding="utf-8")
    assert main(["simulate", str(file), "--method", "riccati", "--step", "0.1", "--until", "8", "--json"]) == 0
    assert any("drifts by up to" in each for each in json.loads(capsys.readouterr().out)["warnings"])


def test_a_step_that_goes_wild_ends_the_run() -> None:
    result = symgen.simulate(double_pendulum(), method="riccati", step=5.0, until=100.0)
    assert result.run.failure is not None
    assert result.run.failure.status == Status.NOT_CONVERGED
    assert "without bound" in result.run.failure.message


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", ["riccati", "dimcd", "variational"])
@pytest.mark.parametrize(
    ("gravity", "first", "second"),
    [
        (9.81, (0.3, 1.2), (0.7, -0.4)),  # swings
        (9.81, (1e-7 - 1.7681918866447774, 0.0), (0.0, 0.0)),  # nearly at rest, hanging
        (0.0, (0.3, 0.0), (0.7, 0.0)),  # at rest
        (0.0, (0.3, 4.0), (0.7, 0.0)),  # turns freely
    ],
)
def test_a_step_that_is_short_enough_is_no_news(
    method: str, gravity: float, first: tuple[float, float], second: tuple[float, float]
) -> None:
    mechanism = double_pendulum(gravity, first=first, second=second)
    assert symgen.simulate(mechanism, method=method, step=1e-3, until=0.5).run.warnings == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "force",
    [
        {"kind": "joint", "joint": "A", "freedom": "angle", "damping": 5.0},
        {"kind": "joint", "joint": "A", "freedom": "angle", "value": "9*t"},
        {"kind": "force", "body": "b", "at": [0.0, 0.0], "value": [30.0, 0.0]},
    ],
)
def test_a_model_that_does_not_keep_its_energy_is_not_asked_to(force: dict[str, Any]) -> None:
    result = symgen.simulate(double_pendulum(forces={"f": force}), method="dimcd", step=5e-3, until=2.0)
    assert result.drift > 1.0
    assert result.run.warnings == ()
