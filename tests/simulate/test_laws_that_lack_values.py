"""Laws that have no value for a while: of forces that do not act then nothing is asked; others end the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.compilers import need

import symgen
from symgen.model.expressions import parse
from symgen.model.mechanism import Mechanism
from symgen.simulate.diagnosis import law_without_value
from symgen.status import Status

METHODS = ("dimcd", "variational", "group", "riccati")
BACKENDS = ("c", "numpy")


def _pendulum(law: str, drive: str | None = None, **more: float) -> Mechanism:
    """Return a body on a pin with a force whose third component follows a law."""
    arm = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0]}
    pin: dict[str, Any] = {"type": "R", "bodies": ["ground", "b"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]}
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "pendulum", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {"b": arm}, "joints": {"A": pin},
        "forces": {"f": {"kind": "force", "body": "b", "at": [0.5, 0.0, 0.0], "value": ["0", "0", law], **more}},
    }  # fmt: skip
    if drive is not None:
        pin["driven"], tree["drives"] = 1, {"A": drive}
    return Mechanism.from_dict(tree)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("law", "with_values", "acts"),
    [
        ("1/(t - 0.05)", "1/max(t - 0.05, 0.01)", {"from": 0.1}),
        ("sqrt(t - 0.1)", "sqrt(max(t - 0.1, 0))", {"from": 0.1}),
        ("1/(0.11 - t)", "1/max(0.11 - t, 0.005)", {"until": 0.1}),  # at the time after its last step
        ("sqrt(0.1 - t)", "sqrt(max(0.1 - t, 0))", {"until": 0.1}),
    ],
)
def test_a_force_needs_no_value_while_it_does_not_act(
    law: str, with_values: str, acts: dict[str, float], method: str, backend: str
) -> None:
    if backend == "c":
        need("gcc")
    found, wanted = (
        symgen.simulate(_pendulum(each, **acts), method=method, step=0.01, until=0.2, backend=backend)
        for each in (law, with_values)
    )
    assert found.ok, found.run.failure
    assert len(found.times) == 21
    assert np.array_equal(found.bodies["b"].q, wanted.bodies["b"].q)
    assert np.array_equal(found.bodies["b"].a, wanted.bodies["b"].a)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("law", "acts", "step"),
    [
        ("sqrt((t - 0.015)*(0.15 - t))", {"from": 0.015, "until": 0.15}, 0.1),  # steps add up to just behind its end
        ("sqrt(0.399999999 - t)", {"until": 0.399999999}, 0.01),  # it ends as near as nothing to the run
        ("sqrt(t - 0.000000001)", {"from": 1e-9}, 0.01),  # and begins there
    ],
)
def test_a_force_is_asked_for_no_time_outside_its_span(
    law: str, acts: dict[str, float], step: float, method: str, backend: str
) -> None:
    if backend == "c":
        need("gcc")
    found = symgen.simulate(_pendulum(law, **acts), method=method, step=step, until=0.4, backend=backend)
    assert found.ok, found.run.failure
    assert found.times[-1] == pytest.approx(0.4)


@pytest.mark.parametrize("method", METHODS)
def test_a_law_without_a_value_where_its_force_begins_is_named(method: str) -> None:
    pendulum = _pendulum("1/(t - 0.000000001)", **{"from": 1e-9})
    failure = symgen.simulate(pendulum, method=method, step=0.01, until=0.2, backend="numpy").run.failure
    assert failure is not None
    assert failure.status == Status.BAD_INPUT
    assert "forces.f.value[2]" in failure.message


def test_a_law_has_the_same_values_and_rates_while_its_force_acts() -> None:
    law = parse("p*sin(t)**2/(t + 1)", names=("t", "p")).bind({"p": 0.3})
    assert law.clipped("t", -np.inf, np.inf) is law
    assert law.clipped("p", 0.0, 1.0) is law
    for least, most in ((0.25, 1.5), (-np.inf, 1.5), (0.25, np.inf)):
        within = law.clipped("t", least, most)
        times = np.linspace(0.25, 1.5, 41)
        assert np.array_equal(within.evaluate({"t": times}), law.evaluate({"t": times}))
        rates = [each.derivative("t").evaluate({"t": times}) for each in (within, law)]
        assert np.array_equal(rates[0][1:-1], rates[1][1:-1])
        assert within.evaluate({"t": 9.0}) == law.evaluate({"t": min(most, 9.0)})
        assert within.evaluate({"t": 0.0}) == law.evaluate({"t": max(least, 0.0)})


def test_multipliers_ask_for_no_law_of_a_force_that_does_not_act_yet() -> None:
    pendulum = _pendulum("1/t", **{"from": 0.1})
    found, wanted = (symgen.accelerations(pendulum, method=method) for method in ("multiplier", "riccati"))
    np.testing.assert_allclose(found.bodies["b"].alpha, wanted.bodies["b"].alpha, rtol=1e-12)


def test_no_law_is_blamed_for_times_at_which_its_force_does_not_act() -> None:
    pendulum = _pendulum("1/(t - 0.05)", **{"from": 0.1})
    assert law_without_value(pendulum, 0.05, 0.01) is None
    assert "forces.f.value[2]" in str(law_without_value(_pendulum("1/(t - 0.05)"), 0.05, 0.01))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_rows_before_a_force_loses_its_value_are_kept_where_nothing_is_free(method: str, backend: str) -> None:
    if backend == "c":
        need("gcc")
    motion = symgen.simulate(_pendulum("sqrt(0.1 - t)", "t"), method=method, step=0.01, until=0.2, backend=backend)
    assert motion.run.failure is not None
    assert motion.run.failure.status == Status.BAD_INPUT
    assert motion.run.failure.time == pytest.approx(0.1)
    assert "forces.f.value[2]" in motion.run.failure.message
    assert len(motion.times) in {10, 11}  # central differences record a row when they know the next position


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", METHODS)
def test_a_drive_whose_acceleration_has_no_value_ends_the_run(method: str, backend: str) -> None:
    if backend == "c":
        need("gcc")
    driven = _pendulum("0", "abs(t - 0.125)**1.5")
    motion = symgen.simulate(driven, method=method, step=2**-7, until=0.25, backend=backend)
    assert motion.run.failure is not None
    assert motion.run.failure.status == Status.BAD_INPUT
    assert np.all(np.isfinite(motion.bodies["b"].alpha))
