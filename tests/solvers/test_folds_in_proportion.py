"""A fold is a fold whatever the proportions: the largest length is the measure, in every kernel with a square root.

Inputs are rounded, each to EPSILON of the largest length at worst, so nothing finer than that can be told apart: a
kernel that is exactly at its fold before rounding must be SINGULAR after it, with links of one ten-thousandth too.
A step of 1e-6 of the largest length is told apart in double with room to spare.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from oracle.cases import Ports, plain_ports
from oracle.kernel_motion import condition, exact_inputs
from oracle.modules import (
    EPSILON,
    MODULES,
    Arranged,
    call,
    call_batch,
    function,
    inputs_of,
    is_unwritten,
    manifest,
    routines,
)
from oracle.proportions import RATIOS, Case, cases

from symgen.ir.evaluate import evaluate
from symgen.status import Status

pytestmark = pytest.mark.kinds

KERNELS = ("dyad_rrr", "dyad_rrp", "loop_pcs", "loop_pus", "loop_rus", "loop_ccc", "loop_pue", "loop_rce")
SEEDS = range(6)
STEP = mpf("1e-6")

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.compiler) for b in ("double", "float"))]
)
in_double = pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.compiler)])
kernels = pytest.mark.parametrize("module", KERNELS)


@cache
def _cases(module: str) -> tuple[Case, ...]:
    return tuple(case for seed in SEEDS for case in cases(module, seed))


def _rounded(case: Case, step: Any) -> dict[str, Any]:
    with mpmath.workdps(50):
        exact = case.at(mpf(step))
    return {k: [float(x) for x in v] if isinstance(v, list) else float(v) for k, v in exact.items()}


def _run(
    backend: str, module: str, stage: str, rows: Sequence[Ports]
) -> tuple[list[Status], dict[str, np.ndarray[Any, Any]]]:
    entry = function(module, f"kernel_{stage}")
    stacked = {p["name"]: np.array([row[p["name"]] for row in rows]) for p in inputs_of(entry)}
    _, statuses, results = call_batch(backend, module, entry["name"], stacked, len(rows))
    return [Status(int(s)) for s in statuses], results


def _brief(wrong: list[str], of: int) -> str:
    return f"{len(wrong)} of {of} wrong, such as {wrong[:: max(len(wrong) // 6, 1)]}"


#: Kernels with square roots whose folds are met by `test_near_folds` alone, in ordinary proportions.
ELSEWHERE = ("loop_pss", "loop_rss", "loop_rue", "ring_", "slot_", "triad_")


@pytest.mark.slow
def test_every_kernel_with_a_square_root_is_one_of_these() -> None:
    """Modules of one family have one kernel: a driven freedom is outside of it. Ranked zeros are no square roots."""
    for module in MODULES:
        if manifest(module)["degree"] == 1 or manifest(module)["branch_order"] == "rank":
            continue
        if module.startswith(ELSEWHERE):
            continue
        (family,) = (k for k in KERNELS if module.startswith(k))
        for name, routine in routines(family).items():
            if name.startswith("kernel_"):
                assert routines(module)[name].body == routine.body, (module, name)


@pytest.mark.sampled(1)
@kernels
def test_the_cases_are_at_their_folds(module: str) -> None:
    for case in cases(module, 0):
        for branch in range(manifest(module)["branches"]):
            inputs = {**case.at(mpf(0)), "branch": branch}
            status, results = evaluate(routines(module)["kernel_position"], inputs)
            assert (status is Status.SINGULAR) == (branch in case.branches), (case.name, branch, status)
            if branch in case.branches:
                point = next(results[name] for name in ("p", "y", "u2") if name in results)
                # the root of what 50 digits leave over, over the smallest length
                assert max(abs(x - y) for x, y in zip(point, case.meeting, strict=True)) < mpf("1e-18"), case.name


@pytest.mark.sampled(1)
@backends
@kernels
def test_a_fold_is_singular_in_all_proportions(module: str, backend: str) -> None:
    every = [(case, branch) for case in _cases(module) for branch in case.branches]
    rows = [{**_rounded(case, 0), "branch": branch} for case, branch in every]
    wrong = []
    for stage in ("position", "all"):
        statuses, results = _run(backend, module, stage, rows)
        for k, (case, branch) in enumerate(every):
            if statuses[k] is not Status.SINGULAR:
                wrong.append(f"{stage} {case.name} branch {branch}: {statuses[k].name}")
            elif stage == "all":
                assert all(is_unwritten(backend, r[k]) for r in results.values()), case.name
            else:
                assert all(np.isfinite(r[k]).all() for r in results.values()), case.name
    assert not wrong, _brief(wrong, 2 * len(every))


@in_double
@kernels
def test_a_step_beyond_a_fold_is_out_of_reach_in_all_proportions(module: str, backend: str) -> None:
    branches, wrong = range(manifest(module)["branches"]), []
    rows = [{**_rounded(case, STEP), "branch": branch} for case in _cases(module) for branch in branches]
    for stage in ("position", "all"):
        statuses, _ = _run(backend, module, stage, rows)
        for k, case in enumerate(_cases(module)):
            found = statuses[k * len(branches) : (k + 1) * len(branches)]
            others = any(s in (Status.OK, Status.SINGULAR) for s in found)
            expected = Status.BRANCH_LOST if others else Status.NO_ASSEMBLY
            wrong += [f"{stage} {case.name} branch {b}: {found[b].name}" for b in case.branches if found[b] != expected]
    assert not wrong, _brief(wrong, 2 * len(rows))


@pytest.mark.sampled(2)
@backends
@kernels
def test_well_inside_there_is_no_fold_in_any_proportion(module: str, backend: str) -> None:
    """A tenth of the smallest length away: margins must not swallow what solves. In float, of lengths of 1e-1."""
    every = [case for case in _cases(module) if backend != "float" or case.smallest == mpf(RATIOS[0])]
    rows = [{**_rounded(c, -c.smallest / 10), "branch": b} for c in every for b in c.branches]
    names = [f"{c.name} branch {b}" for c in every for b in c.branches]
    for stage in ("position", "all"):
        statuses, _ = _run(backend, module, stage, rows)
        wrong = [f"{stage} {n}: {s.name}" for n, s in zip(names, statuses, strict=True) if s is not Status.OK]
        assert not wrong, _brief(wrong, len(rows))


# -- rates a step inside ---------------------------------------------------------------------------------------------


def _largest(values: list[Any]) -> Any:
    return max(abs(x) for x in values)


def _shaken(module: str, inputs: Ports, size: float, rng: random.Random) -> Ports:
    """Return exact inputs off by one rounding: lengths by that of the largest one, all else by its own."""
    found: dict[str, Any] = dict(inputs)
    for port in inputs_of(function(module, "kernel_all")):
        if port["kind"] == "int":
            continue
        value, unit = inputs[port["name"]], port["unit"]
        numbers = value if port["shape"] else [value]
        step = [mpf(EPSILON["double"]) * rng.choice((-1, 1)) * (size if unit == "m" else abs(x)) for x in numbers]
        moved = [x + y for x, y in zip(numbers, step, strict=True)]
        if port["range"] == "unit":
            length = mpmath.sqrt(sum(x * x for x in moved))
            moved = [x / length for x in moved]
        found[port["name"]] = moved if port["shape"] else moved[0]
    return found


@cache
def _inside(module: str) -> list[tuple[str, Ports, Ports, Ports]]:
    """Return name, inputs in double, the reference's results and what each may be off, a step inside each fold."""
    rng, found = random.Random(5), []
    routine = routines(module)["kernel_all"]
    for k, case in enumerate(cases(module, 0)):
        ports = {**_rounded(case, -STEP), "branch": case.branches[k % len(case.branches)]}
        with mpmath.workdps(50):
            inputs = exact_inputs(module, ports)
            status, truth = evaluate(routine, inputs)
            assert status is Status.OK, case.name
            # Lengths are 1 at most, but where something was carried from afar.
            size = max([1.0, *(abs(x) for port in ("s0", "p") for x in ports.get(port, ()))])
            shaken = [evaluate(routine, _shaken(module, inputs, size, rng))[1] for _ in range(2)]
            squared = condition(module, inputs, truth) ** 2
            allowed = {}
            for port, values in truth.items():
                moved = max(abs(x - y) for run in shaken for x, y in zip(run[port], values, strict=True))
                allowed[port] = 20 * squared * EPSILON["double"] * (1 + _largest(values)) + 60 * moved
        found.append((case.name, ports, truth, allowed))
    return found


@in_double
@kernels
def test_rates_a_step_inside_a_fold_are_as_good_as_their_condition_in_all_proportions(
    module: str, backend: str
) -> None:
    """Bounds are those used elsewhere: 20 EPSILON condition^2 for rates, 60 times what rounded inputs do."""
    wrong = []
    for name, ports, truth, allowed in _inside(module):
        assert call(backend, module, "kernel_position", ports)[0] is Status.OK, name
        status, results = call(backend, module, "kernel_all", ports)
        assert status is Status.OK, name
        for port, values in truth.items():
            worst = max(abs(mpf(float(x)) - y) for x, y in zip(np.atleast_1d(results[port]), values, strict=True))
            if worst > allowed[port]:
                wrong.append(f"{name} {port}: {float(worst / allowed[port]):.3g} times")
    assert not wrong, wrong


# -- groups of the plane ---------------------------------------------------------------------------------------------


def _turned(length: Any, angle: float) -> list[float]:
    return [float(length * mpmath.cos(angle)), float(length * mpmath.sin(angle)), 0.0]


def _planar_groups(rng: random.Random, small: Any) -> list[tuple[str, Arranged, Ports]]:
    """Return groups at their folds: known bodies turned at random, links along random directions of theirs."""
    turn = [rng.uniform(-3, 3) for _ in range(5)]

    def placed(apart: Any) -> dict[str, list[float]]:
        return {"k1": [0.0, 0.0, turn[0]], "k2": [*_turned(apart, turn[1])[:2], turn[2]]}

    found = []
    rrr, rrp, rpr = Arranged("dyad_rrr", "rrr"), Arranged("dyad_rrp", "rrp"), Arranged("dyad_rrp", "rpr")
    for first, second in ((mpf(1), small), (small, mpf(1))):
        for word, apart in (("stretched", first + second), ("folded back", abs(first - second))):
            links = {"f_j2_b1": _turned(first, turn[3]), "f_j2_b2": _turned(second, turn[4])}
            found.append((f"R.R.R {word}", rrr, plain_ports(rrr, **placed(apart), **links)))
    for link, along, offset in ((small, mpf(1), mpf("0.3")), (mpf(1), small, small), (small, small, mpf(1))):
        # the slide along x of k2, whose origin lies `along` it and `offset - link` beside the centre of j1
        c, s = mpmath.cos(turn[2]), mpmath.sin(turn[2])
        beside = link - offset
        k2 = [float(c * along - s * beside), float(s * along + c * beside), turn[2]]
        arms = {"f_j2_b1": _turned(link, turn[3]), "f_j2_b2": [0.25, float(offset), 0.0]}
        found.append(("R.R.P", rrp, plain_ports(rrp, k1=[0.0, 0.0, turn[0]], k2=k2, **arms)))
        # the same seen from b1: distance of the known bodies and slide change places
        ends = {"f_j1_b1": [float(along), float(-link / 2), 0.0], "f_j3_b2": [0.25, float(link / 2), 0.0]}
        found.append(("R.P.R", rpr, plain_ports(rpr, **placed(link), **ends)))
    return found


@pytest.mark.sampled(1)
@backends
def test_a_planar_group_at_its_fold_is_singular_in_all_proportions(backend: str) -> None:
    wrong, count = [], 0
    for seed in SEEDS:
        for text in RATIOS:
            for name, arranged, ports in _planar_groups(random.Random(seed), mpf(text)):
                for branch in (0, 1):
                    for stage in ("position", "all"):
                        given = {**ports, "branch": branch}
                        status, _ = call(backend, arranged.module, arranged.function(stage), given)
                        count += 1
                        if status is not Status.SINGULAR:
                            wrong.append(f"{stage} {name} {text} seed {seed} branch {branch}: {status.name}")
    assert not wrong, _brief(wrong, count)
