"""A spring of rest length 0 has a force where its ends meet: none of the spring, -c v of the damper, the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.status import Status

K, C, M = 40.0, 3.0, 2.0
METHODS = [
    pytest.param(method, backend, marks=[pytest.mark.compiler] if backend == "c" else [])
    for backend in ("c", "numpy")
    for method in ("dimcd", "riccati", "group")
]


def slider(value: float, rate: float, *, length: float = 0.0, stiffness: float = K, lever: float = 0.0) -> Mechanism:
    """Return a body on a rail, drawn to the rail's middle; `lever` shifts the spring's points on both bodies alike."""
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "slider", "space": "spatial", "gravity": [0.0, 0.0, 0.0],
        "bodies": {
            "ground": {"points": {"O": [0.0, lever, 0.1]}},
            "a": {
                "mass": M, "com": [0.02, -0.1, 0.0], "inertia": [0.1, 0.2, 0.3, 0.0, 0.0, 0.0],
                "points": {"P": [0.0, lever, 0.1]},
            }
        },
        "joints": {"A": {"type": "P", "bodies": ["ground", "a"], "at": [0.0, 0.0, 0.0], "axis": [1.0, 0.0, 0.0]}},
        "forces": {
            "s": {
                "kind": "spring", "between": ["ground.O", "a.P"], "stiffness": stiffness, "damping": C,
                "length": length,
            }
        },
        "initial": {"joints": {"A": {"slide": value, "rate": rate}}},
    }  # fmt: skip
    return Mechanism.from_dict(tree)


def damped(t: Any, value: float, rate: float) -> Any:
    """Return the motion of m x'' + c x' + k x = 0."""
    decay, omega = C / (2 * M), np.sqrt(K / M - (C / (2 * M)) ** 2)
    return np.exp(-decay * t) * (value * np.cos(omega * t) + (rate + decay * value) / omega * np.sin(omega * t))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("method", "backend"), METHODS)
@pytest.mark.parametrize("lever", [0.0, 0.3])
def test_a_start_where_the_ends_meet_is_damped_from_the_first_step(method: str, backend: str, lever: float) -> None:
    """Order 2 with h = 0.01: (omega h)^2/24 over 1 s is 1e-2 of 0.1 m; a first step without damper would be 2e-3."""
    step = 1e-3 if backend == "c" else 1e-2
    found = symgen.simulate(slider(0.0, 0.5, lever=lever), method=method, backend=backend, step=step, until=1.0)
    assert found.ok
    truth = damped(found.times, 0.0, 0.5)
    assert np.abs(found.joints["A"].coordinates["slide"] - truth).max() < 20 * step**2
    assert found.energy_error < 200 * step**2


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("method", "backend"), METHODS)
def test_a_run_does_not_die_where_it_comes_to_rest(method: str, backend: str) -> None:
    found = symgen.simulate(slider(0.0, 0.0), method=method, backend=backend, step=1e-2, until=0.1)
    assert found.ok
    assert np.abs(found.joints["A"].coordinates["slide"]).max() == 0.0


@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_a_motion_decays_to_nothing(method: str) -> None:
    """After half a minute amplitudes are 1e-12, later no more than can be squared."""
    found = symgen.simulate(slider(0.1, 0.0), method=method, step=0.02, until=600.0, sample=6.0)
    assert found.ok
    assert abs(found.joints["A"].coordinates["slide"][-1]) < 1e-9


@pytest.mark.parametrize("method", ["riccati", "transfer", "multiplier"])
def test_accelerations_have_the_limit(method: str) -> None:
    (rate,) = (0.5,)
    found = symgen.accelerations(slider(0.0, rate, lever=0.3), method=method)
    assert found.bodies["a"].a == pytest.approx([-C * rate / M, 0.0, 0.0], abs=1e-12)


def test_a_spring_with_a_rest_length_has_no_direction_there() -> None:
    result = symgen.simulate(slider(0.0, 0.5, length=0.1), method="dimcd", backend="numpy", step=1e-2, until=0.1)
    assert result.run.failure is not None
    assert result.run.failure.status == Status.BAD_INPUT
    with pytest.raises(MechanismError, match="no direction"):
        symgen.accelerations(slider(0.0, 0.5, length=0.1))


def test_vibrations_take_it_as_it_is() -> None:
    found = symgen.vibrations(slider(0.0, 0.0))
    assert found.frequencies[0] * 2 * np.pi == pytest.approx(np.sqrt(K / M), rel=1e-9)
