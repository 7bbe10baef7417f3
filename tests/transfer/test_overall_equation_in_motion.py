"""`simulate --method transfer`: the overall transfer equation at every time, judged once a step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import AccuracyError
from symgen.simulate.articulated.numpy_sweep import Sweep
from symgen.status import Status
from symgen.transfer.overall.direct import DirectMethod

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
STEP, UNTIL = 0.01, 0.03


def moved(name: str, method: str = "transfer", **options: Any) -> Any:
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    return symgen.simulate(mechanism, method=method, step=STEP, until=UNTIL, backend="numpy", **options)


@pytest.mark.parametrize("name", ["tree23", "mixed24", "slider_crank"])
def test_the_motion_is_that_of_the_recursion(name: str) -> None:
    """The same integrator; accelerations agree to the direct method's own error, 1e-11 of the largest here."""
    found, expected = moved(name), moved(name, "riccati")
    for body in found.mechanism.bodies:
        one, two = (motion.bodies[body.id] for motion in (found, expected))
        np.testing.assert_allclose(one.r, two.r, atol=1e-12)
        np.testing.assert_allclose(one.a, two.a, atol=1e-9)


def test_without_loops_nothing_is_swept_and_every_step_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def swept(*_: Any) -> None:
        raise AssertionError("the sweep of the recursion")

    judged, solve = [], DirectMethod.solve

    def counted(self: DirectMethod, snapshot: Any) -> Any:
        judged.append(snapshot.time)
        return solve(self, snapshot)

    monkeypatch.setattr(Sweep, "factorise", swept)
    monkeypatch.setattr(DirectMethod, "solve", counted)
    assert moved("tree23").run.failure is None
    np.testing.assert_allclose(judged, np.arange(0, UNTIL + STEP / 2, STEP))


def test_what_is_refused_on_the_way_ends_the_run_there(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = DirectMethod.solve

    def refused(self: DirectMethod, snapshot: Any) -> Any:
        if snapshot.time > 1.5 * STEP:
            raise AccuracyError("no digits here")
        return solve(self, snapshot)

    monkeypatch.setattr(DirectMethod, "solve", refused)
    failure = moved("tree23").run.failure
    assert failure is not None
    assert (failure.status, failure.message) == (Status.SINGULAR, "no digits here")
    assert failure.time == pytest.approx(STEP)
