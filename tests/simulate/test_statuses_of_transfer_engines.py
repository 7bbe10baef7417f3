"""Every end that a run of the transfer engines may come to is reached: general (C and NumPy), balls only, pins only.

What a status of these engines means is in the headers; the library's own statuses are in tests/test_status_codes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated import engine as compiled
from symgen.simulate.articulated.engine import RiccatiSettings, RiccatiState
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.explicit import numpy_steps as explicit_steps
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.request import Request
from symgen.simulate.special import engine as special_engine
from symgen.simulate.special.engine import SpecialMotion, SpecialSettings
from symgen.simulate.special.simulation import special_engine as open_special
from symgen.simulate.special.simulation import special_state
from symgen.simulate.start.initial import initial_state
from symgen.status import Status

Patch = pytest.MonkeyPatch
BODY = {"mass": 1.0, "com": [0.2, 0.1, 0.05], "inertia": [0.03, 0.04, 0.05, 0, 0, 0]}
backends = pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.compiler), "numpy"])
spaces = pytest.mark.parametrize("space", ["spatial", "planar"])


def four_bar(space: str) -> Mechanism:
    """Three links in a row between two places of the ground: one loop."""
    kind = "S" if space == "spatial" else "R"
    knots = [[0.0, 0.0, 0.0], [0.1, 0.5, 0.2], [0.8, 0.6, -0.1], [1.0, 0.0, 0.0]]
    if space == "planar":
        knots = [[x, y, 0.0] for x, y, _ in knots]
    names = ["ground", "a", "b", "c", "ground"]
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": space, "gravity": [0, -9.81, 0],
        "bodies": {name: {**BODY, "pose": {"r": knot}} for name, knot in zip(names[1:4], knots, strict=False)},
        "joints": {f"J{k}": {"type": kind, "bodies": names[k : k + 2], "at": knot, "axis": [0, 0, 1]}
                   for k, knot in enumerate(knots)},
    })  # fmt: skip


# -- the general engine ----------------------------------------------------------------------------------------------


def general(
    backend: str, change: Callable[[RiccatiState], None] | None = None, tolerance: float | None = None, samples: int = 4
) -> tuple[Status, RiccatiState]:
    """Run a linkage for a tenth of a second."""
    session = RiccatiSession(Request(four_bar("planar"), 0.1, step=1e-3, method="riccati", backend=backend))
    state = session.first_state(1e-3)
    if change is not None:
        change(state)
    settings = RiccatiSettings(EXPLICIT[4 if tolerance is None else 8], 0.0, 0.1, samples, 5, tolerance)
    found = session.engine.run(settings, state, np.ones(1, dtype=np.int32))
    return found.status, state


def _changed(k: int, value: float) -> Callable[[RiccatiState], None]:
    def change(state: RiccatiState) -> None:
        state.vector[k] = value

    return change


@pytest.mark.sampled(2)
@backends
@pytest.mark.parametrize("tolerance", [None, 1e-8])
def test_a_run_of_the_general_engine_ends_well(backend: str, tolerance: float | None) -> None:
    status, state = general(backend, tolerance=tolerance)
    assert status == Status.OK
    assert state.time == 0.1


@pytest.mark.sampled(2)
@backends
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_a_state_that_is_no_state_is_bad_input(backend: str, value: float) -> None:
    status, state = general(backend, _changed(-1, value))
    assert status == Status.BAD_INPUT
    assert state.steps == 0


@backends
def test_a_tolerance_below_rounding_ends_with_steps_too_small(backend: str) -> None:
    status, state = general(backend, tolerance=1e-300)
    assert status == Status.NOT_CONVERGED
    assert state.refused > 3


@backends
@pytest.mark.parametrize("way", [0.3, 1.5])
def test_loops_too_far_open_to_be_closed_are_told_with_the_gap(backend: str, way: float) -> None:
    """A joint is put aside by so much [rad]: the loop is open by more than a step opens one."""

    def change(state: RiccatiState) -> None:
        state.vector[0] += way

    status, state = general(backend, change)
    assert status == Status.NOT_CONVERGED
    assert state.opened > 0.1


@backends
def test_no_more_steps_than_allowed(backend: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(compiled, "MOST_STEPS", 3)
    monkeypatch.setattr(explicit_steps, "_MOST_TRIED", 3)
    status, state = general(backend, tolerance=1e-9)
    assert status == Status.NOT_CONVERGED
    assert state.steps + state.refused == 3


def stopped(call: Callable[[], int], progress: NDArray[np.int64], *_: Any) -> int:
    """Call, stopped from the beginning."""
    progress[1] = 1
    return call()


@pytest.mark.compiler
@pytest.mark.parametrize("tolerance", [None, 1e-8])
def test_a_run_that_is_told_to_stop_does(tolerance: float | None, monkeypatch: Patch) -> None:
    monkeypatch.setattr(compiled, "watched", stopped)
    status, state = general("c", tolerance=tolerance)
    assert status == Status.NOT_CONVERGED
    assert state.steps == 0


# -- the special engines ---------------------------------------------------------------------------------------------


def special(space: str, change: Callable[[Any], None] | None = None, tolerance: float | None = None) -> SpecialMotion:
    """Run a linkage for a tenth of a second."""
    mechanism = four_bar(space)
    engine = open_special(mechanism, "c")
    assert engine is not None
    start = initial_state(mechanism)
    state = special_state(engine.tree, start.poses, start.twists)
    if change is not None:
        change(state)
    scheme = EXPLICIT[4 if tolerance is None else 8]
    return engine.run(SpecialSettings(0.0, 0.1, 4, 5, tolerance, scheme=scheme), state)


@pytest.mark.compiler
@spaces
@pytest.mark.parametrize("tolerance", [None, 1e-8])
def test_a_run_of_a_special_engine_ends_well(space: str, tolerance: float | None) -> None:
    found = special(space, tolerance=tolerance)
    assert found.status == Status.OK
    assert found.time == 0.1


@pytest.mark.compiler
@spaces
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_state_of_a_special_engine_that_is_not_finite_is_bad_input(space: str, value: float) -> None:
    def change(state: Any) -> None:
        state[0, -1] = value

    assert special(space, change).status == Status.BAD_INPUT


@pytest.mark.compiler
@spaces
def test_a_special_engine_ends_where_steps_become_too_small(space: str) -> None:
    found = special(space, tolerance=1e-300)
    assert found.status == Status.NOT_CONVERGED
    assert found.refused > 3


@pytest.mark.compiler
@pytest.mark.parametrize(("space", "rates"), [("spatial", (300.0, -600.0, 900.0)), ("planar", (-300.0, 500.0, 700.0))])
def test_a_loop_that_a_step_opens_too_far_is_not_closed(space: str, rates: tuple[float, float, float]) -> None:
    """Links turn by more than 1 rad in a step of 5 ms, each its own way: the first step ends where no loop is near."""

    def change(state: Any) -> None:
        state[:, -1] = rates

    found = special(space, change)
    assert found.status == Status.NOT_CONVERGED
    assert found.steps == 0
    assert np.isfinite(found.state).all()


@pytest.mark.compiler
@spaces
def test_a_special_engine_takes_no_more_steps_than_allowed(space: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(special_engine, "MOST_STEPS", 3)
    found = special(space, tolerance=1e-9)
    assert found.status == Status.NOT_CONVERGED
    assert found.steps + found.refused == 3


@pytest.mark.compiler
@spaces
@pytest.mark.parametrize("tolerance", [None, 1e-8])
def test_a_special_engine_that_is_told_to_stop_does(space: str, tolerance: float | None, monkeypatch: Patch) -> None:
    monkeypatch.setattr(special_engine, "watched", stopped)
    found = special(space, tolerance=tolerance)
    assert found.status == Status.NOT_CONVERGED
    assert found.steps == 0
