"""Kernel velocities and accelerations are the derivatives of kernel positions.

The oracle is the kernel's position routine, differenced centrally while the elements it is given move: it knows
nothing of the formulas for rates. Formulas are compared with many digits, where conditioning costs nothing; the
emitted code is compared with the same differences, relative to the condition number of the system of rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from oracle.cases import Ports, solved_inputs
from oracle.kernel_motion import condition, exact_inputs, kernel_of, rates_by_differences
from oracle.modules import EPSILON, KERNELS, call, function, inputs_of, manifest, outputs_of, routines

from symgen.ir.evaluate import evaluate
from symgen.status import Status

pytestmark = pytest.mark.kinds

SEEDS = range(21, 24)
#: 80 digits and this step: truncation is STEP^2 = 1e-50 times a third or fourth derivative, cancellation in the second
#: difference is 1e-80/STEP^2 = 1e-30. Derivatives grow by about condition^2 an order: (1e3)^8 = 1e24 is still covered.
DIGITS, STEP = 80, mpf("1e-25")
AGREEMENT = 1e-20
#: Beyond this a random instance is taken as near a fold and left out; there is tests/solvers/test_near_folds.py.
LARGEST_CONDITION = 1e3


@dataclass(frozen=True)
class Moving:
    """A kernel's inputs, all exact, and what follows from them: positions, and rates by differences."""

    inputs: Ports
    position: Ports
    rates: Ports
    condition: float


def _move(module: str, ports: Ports) -> Moving | None:
    """Difference the position routine along the motion of its elements; None near a fold."""
    kernel, routine = kernel_of(module), routines(module)["kernel_position"]
    with mpmath.workdps(DIGITS):
        inputs = exact_inputs(module, ports)
        status, position = evaluate(routine, inputs, digits=DIGITS)
        assert status is Status.OK
        cond = float(condition(module, inputs, position))
        if cond > LARGEST_CONDITION:
            return None
        found = []
        for t in (-STEP, mpf(0), STEP):
            later = kernel.later(inputs, t)
            status, results = evaluate(routine, later, digits=DIGITS)
            assert status is Status.OK
            found.append(kernel.forms(inputs, later, results, t))
        rates = rates_by_differences(*found, STEP)
    return Moving(inputs, position, rates, cond)


@cache
def _moving(module: str) -> tuple[Moving, ...]:
    """Return random kernels in motion, each real branch of each."""
    every = [_move(module, ports) for seed in SEEDS for ports in solved_inputs(module, None, seed)]
    return tuple(m for m in every if m is not None)


def _as_inputs(module: str, stage: str, results: Ports) -> Ports:
    """Return the reference's results as a later stage takes them: scalars as numbers."""
    shapes = {p["name"]: p["shape"] for p in outputs_of(function(module, f"kernel_{stage}"))}
    return {name: values if shapes[name] else values[0] for name, values in results.items()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("module", KERNELS)
def test_every_branch_of_every_kernel_is_among_the_moving_ones(module: str) -> None:
    branches = [m.inputs.get("branch", 0) for m in _moving(module)]
    ranked = manifest(module)["branch_order"] == "rank"  # high ranks are rare: all zeros have to be real
    every = set(range(manifest(module)["branches"]))
    assert {0, 1} <= set(branches) <= every if ranked else set(branches) == every
    assert len(branches) >= len(SEEDS)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("module", KERNELS)
def test_kernel_rates_are_central_differences_of_kernel_positions(module: str) -> None:
    for moving in _moving(module):
        known = {**moving.inputs, **_as_inputs(module, "position", moving.position)}
        for stage in ("velocity", "acceleration"):
            status, results = evaluate(routines(module)[f"kernel_{stage}"], known)
            assert status is Status.OK
            known |= _as_inputs(module, stage, results)
            for name, values in results.items():
                for x, y in zip(values, moving.rates[name], strict=True):
                    assert abs(x - y) <= AGREEMENT * (1 + abs(y)), (stage, name, float(x), float(y))
        assert set(moving.rates) <= set(known), "a rate was differenced that no stage gives"


def _in_double(module: str, name: str, values: Ports) -> dict[str, Any]:
    """Return the inputs of a function as a caller in double has them."""
    found: dict[str, Any] = {}
    for port in inputs_of(function(module, name)):
        value = values[port["name"]]
        if isinstance(value, list):
            numbers = [float(x) for x in value]
            found[port["name"]] = numbers if port["shape"] else numbers[0]
        else:
            found[port["name"]] = int(value) if port["kind"] == "int" else float(value)
    return found


def _worst(found: Any, truth: list[Any]) -> float:
    """Return the largest difference, relative to the largest number (or to 1 if they are small)."""
    pairs = list(zip(np.atleast_1d(found), truth, strict=True))
    return float(max(abs(mpf(float(x)) - y) for x, y in pairs) / (1 + max(abs(y) for y in truth)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.compiler)])
@pytest.mark.parametrize("module", KERNELS)
def test_kernel_rates_in_double_are_as_good_as_the_condition_number_says(module: str, backend: str) -> None:
    for moving in _moving(module):
        truth = {**moving.position, **moving.rates}
        for stage in ("velocity", "acceleration", "all"):
            name = f"kernel_{stage}"
            status, results = call(backend, module, name, _in_double(module, name, {**moving.inputs, **truth}))
            assert status is Status.OK
            # A position (given or found) is off by EPSILON * condition, which changes the determinant of the system,
            # about 1/condition, by its condition**2 * EPSILON'th part: so much do rates lose, relative to their size.
            # Some tens of operations in sequence on numbers of order 1 amount to a few roundings: 20; found by Newton's
            # method on all closing equations, a position is as near as these can be evaluated: twice that.
            found = stage == "all" and manifest(module)["branch_order"] == "rank"
            allowed = (40 if found else 20) * EPSILON[backend] * max(moving.condition, 1.0) ** 2
            for port, values in results.items():
                worst = _worst(values, truth[port])
                assert worst <= allowed, (stage, port, worst / EPSILON[backend], moving.condition)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("module", KERNELS)
def test_a_kernel_in_one_call_says_what_its_stages_say(module: str) -> None:
    for moving in _moving(module):
        known: dict[str, Any] = dict(moving.inputs)
        for stage in ("position", "velocity", "acceleration"):
            status, results = evaluate(routines(module)[f"kernel_{stage}"], known)
            assert status is Status.OK
            known |= _as_inputs(module, stage, results)
        status, together = evaluate(routines(module)["kernel_all"], moving.inputs)
        assert status is Status.OK
        for name, values in together.items():
            alone = np.atleast_1d(np.array(known[name], dtype=object))
            # 50 digits, of which the condition number takes twice its own
            for x, y in zip(values, alone, strict=True):
                assert abs(x - y) <= mpf("1e-46") * moving.condition**2 * (1 + abs(y)), name


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.compiler) for b in ("double", "float"))]
)
@pytest.mark.parametrize("module", KERNELS)
def test_a_kernel_in_one_call_rounds_like_its_stages(module: str, backend: str) -> None:
    compared = 0
    for moving in _moving(module):
        known = dict(_in_double(module, "kernel_all", moving.inputs))
        allowed = 40 * EPSILON[backend] * max(moving.condition, 1.0) ** 2  # both are off, each by half of it
        if allowed > 0.1:
            continue  # float has no digits left there
        status, together = call(backend, module, "kernel_all", known)
        if backend == "float" and status is Status.SINGULAR:
            continue  # within float's margin of a fold
        assert status is Status.OK
        for stage in ("position", "velocity", "acceleration"):
            status, results = call(backend, module, f"kernel_{stage}", known)
            assert status is Status.OK
            known |= results
        for name, values in together.items():
            alone = [mpf(float(x)) for x in np.atleast_1d(known[name])]
            assert _worst(values, alone) <= allowed, (name, moving.condition)
        compared += 1
    # float has a wide margin of folds, and two instances a module
    assert compared or (backend == "float" and manifest(module)["branch_order"] == "rank")
