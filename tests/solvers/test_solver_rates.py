"""Velocities and accelerations are the derivatives of the positions.

The oracle is the 50-digit position routine, differenced centrally along a motion in which both known bodies and all
drives move. Formulas are compared with 50 digits, where conditioning costs nothing; the emitted code in double is then
compared with the same 50-digit numbers, relative to the condition number that the type itself reports.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from oracle.instances import Instance, random_instance
from oracle.kernel_motion import RODS
from oracle.kinematics import differences, moved, pose_matrix
from oracle.modules import ARRANGEMENTS, EPSILON, SOLVED, Arranged, call, routines

from symgen.ir.evaluate import evaluate
from symgen.status import Status

pytestmark = pytest.mark.kinds

SEEDS = range(3)
#: Truncation of the differences is of order STEP^2 = 1e-26 (times 1e4 at most for the higher derivatives),
#: cancellation in the second difference 1e-50/STEP^2 = 1e-24.
STEP = mpf("1e-13")
AGREEMENT = 1e-14


def _unit(values: list[Any]) -> list[Any]:
    """Make poses exact to 50 digits: the reference holds quaternions to a tighter tolerance than double has."""
    numbers = [mpf(x) for x in values]
    if len(numbers) != 7:
        return numbers
    size = mpmath.sqrt(sum(x * x for x in numbers[3:]))
    return numbers[:3] + [x / size for x in numbers[3:]]


def _exact_ports(instance: Instance, branch: int) -> dict[str, Any]:
    ports: dict[str, Any] = {
        name: _unit(values) if isinstance(values, list) else mpf(values) for name, values in instance.ports.items()
    }
    return {**ports, "branch": branch}


def _at(instance: Instance, ports: dict[str, Any], t: Any) -> dict[str, Any]:
    """Return the ports at time t: known bodies and drives have moved on."""
    later = dict(ports)
    for k in instance.arrangement["known"]:
        later[k] = moved(ports[k], ports[f"v_{k}"], ports[f"a_{k}"], t, instance.space)
    for joint in instance.arrangement["joints"]:
        if joint["driven"]:
            u, ud, udd = (ports[f"{kind}_{joint['name']}"] for kind in ("u", "ud", "udd"))
            later[f"u_{joint['name']}"] = [x + y * t + z * t * t / 2 for x, y, z in zip(u, ud, udd, strict=True)]
    return later


@cache
def _solved(arranged: Arranged, seed: int) -> list[tuple[Instance, dict[str, Any]]]:
    """Return the instance's ports with the exact position, velocity and acceleration of every real branch."""
    instance = random_instance(arranged.manifest, arranged.tree, seed)
    programs = routines(arranged.module)
    found = []
    for branch in range(arranged.manifest["branches"]):
        ports = _exact_ports(instance, branch)
        status, position = evaluate(programs[arranged.function("position")], ports)
        if status is not Status.OK:
            continue
        for stage in ("velocity", "acceleration"):
            ports |= position
            status, rates = evaluate(programs[arranged.function(stage)], ports)
            assert status is Status.OK
            ports |= rates
        found.append((instance, ports))
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_rates_are_central_differences_of_positions(arranged: Arranged) -> None:
    routine = routines(arranged.module)[arranged.function("position")]
    checked = 0
    for seed in SEEDS:
        for instance, ports in _solved(arranged, seed):
            runs = [evaluate(routine, _at(instance, ports, t)) for t in (-STEP, mpf(0), STEP)]
            assert [status for status, _ in runs] == [Status.OK] * 3
            before, now, after = (results for _, results in runs)
            for body in arranged.tree["bodies"]:
                v, a = differences(*(pose_matrix(r[body], instance.space) for r in (before, now, after)), STEP)
                if instance.space == "planar":
                    v, a = [v[0], v[1], v[5]], [a[0], a[1], a[5]]
                _agree(v, ports[f"v_{body}"])
                _agree(a, ports[f"a_{body}"])
            for joint in arranged.tree["joints"]:
                if joint["coordinates"]:
                    q = f"q_{joint['name']}"
                    triples = list(zip(before[q], now[q], after[q], strict=True))
                    _agree([(p - m) / (2 * STEP) for m, _, p in triples], ports[f"qd_{joint['name']}"])
                    _agree([(p - 2 * z + m) / STEP**2 for m, z, p in triples], ports[f"qdd_{joint['name']}"])
            checked += 1
    assert checked >= len(SEEDS)


def _agree(differenced: list[Any], given: list[Any]) -> None:
    for x, y in zip(differenced, given, strict=True):
        assert abs(x - y) <= AGREEMENT * (1 + abs(y)), (x, y)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.extension)])
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_rates_in_double_are_as_good_as_the_condition_number_says(arranged: Arranged, backend: str) -> None:
    for seed in SEEDS:
        for instance, exact in _solved(arranged, seed):
            inputs = {**instance.ports, "branch": exact["branch"]}
            status, results = call(backend, arranged.module, arranged.function("all"), inputs)
            assert status is Status.OK
            status, more = call(backend, arranged.module, arranged.function("condition"), {**inputs, **results})
            assert status is Status.OK
            condition = float(np.asarray(more["condition"]))
            for stage in ("v_", "a_"):
                # Position is off by EPSILON * condition, which changes the determinant of the system, about
                # 1/condition, by its condition**2 * EPSILON'th part: so much do rates lose, relative to their size.
                names = [f"{stage}{b}" for b in arranged.tree["bodies"]]
                pairs = [(x, mpf(float(y))) for n in names for x, y in zip(exact[n], results[n], strict=True)]
                worst = float(max(abs(x - y) for x, y in pairs) / (1 + max(abs(x) for x, _ in pairs)))
                assert worst <= 200 * EPSILON[backend] * max(condition, 1.0) ** 2, (seed, stage, worst, condition)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_all_in_one_call_says_what_the_stages_say(arranged: Arranged) -> None:
    for seed in SEEDS:
        for _, exact in _solved(arranged, seed):
            status, results = evaluate(routines(arranged.module)[arranged.function("all")], exact)
            assert status is Status.OK
            for name, values in results.items():
                assert all(abs(x - y) <= mpf("1e-30") * (1 + abs(y)) for x, y in zip(values, exact[name], strict=True))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("arranged", SOLVED, ids=str)
def test_condition_is_that_of_the_map_from_data_to_joint_rates(arranged: Arranged) -> None:
    """Condition numbers are at least the order of the system (2 planar, 3 spatial, 1 rod), finite off folds."""
    order = 2 if arranged.manifest["space"] == "planar" else 3
    order = 1 if arranged.module in RODS else order  # one freedom carries the ball; the rod follows
    for seed in SEEDS:
        for _, exact in _solved(arranged, seed):
            status, results = evaluate(routines(arranged.module)[arranged.function("condition")], exact)
            assert status is Status.OK
            (condition,) = results["condition"]
            assert condition >= order - mpf("1e-30")
