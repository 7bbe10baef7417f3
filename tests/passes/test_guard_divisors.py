"""Divisors are checked from one side: nothing is divided by what may have either sign, and no result is another."""

from __future__ import annotations

import random

import numpy as np
import pytest

from symgen.algebra import inverted, size_of_symbol
from symgen.derive.catalogue import derive_module
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Guard, Let, Routine
from symgen.passes.guard_divisors import guard_divisors
from symgen.pipeline.modules import lower_module


def routine_of(module: str, level: str, stage: str) -> Routine:
    routines = lower_module(derive_module(module)).routines
    return next(each for each in routines if (each.level, each.stage) == (level, stage))


@pytest.mark.parametrize(("module", "stage"), [("dyad_rrr", "all"), ("dyad_rrr", "velocity"), ("dyad_rrp", "all")])
def test_no_divisor_has_an_unknown_sign(module: str, stage: str) -> None:
    before = routine_of(module, "kernel", stage)
    found = guard_divisors(before)
    divided = {name for let in found.body if isinstance(let, Let) for name in map(inverted, let.values) if name}
    signed = {let.targets[0] for let in found.body if isinstance(let, Let) and let.targets[0] in {"det", "t", "area"}}
    assert not divided & signed
    assert not any(isinstance(each, Guard) and size_of_symbol(each.left) in signed for each in found.body)
    assert found.inputs == before.inputs
    assert found.outputs == before.outputs
    assert guard_divisors(found) == found


@pytest.mark.parametrize("stage", ["all", "velocity"])
def test_results_stay_to_the_last_digit(stage: str) -> None:
    before = routine_of("dyad_rrr", "kernel", stage)
    after = guard_divisors(before)
    rng = random.Random(5)
    solved = 0
    for number in range(20):
        given: dict[str, object] = {
            port.name: [rng.uniform(-1, 1) for _ in port.elements] if port.shape else rng.uniform(0.5, 2)
            for port in before.inputs
        }
        given["branch"] = number % 2
        wanted = evaluate(before, given, digits=17)
        assert evaluate(after, given, digits=17) == wanted
        solved += bool(wanted[1])
    assert solved > 5


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_check_of_the_distance_alone_answers_nothing(real: type[np.floating]) -> None:
    """What derive/planar/dyad_rrr.py says of it: where the area is large enough, so is the distance."""
    rng = np.random.default_rng(3)
    epsilon = np.finfo(real).eps
    a = (10.0 ** rng.uniform(-3, 3, 400_000)).astype(real)
    b = (a * (1 + 10.0 ** rng.uniform(-8, 3, a.size))).astype(real)
    # distances about where both links fold back, and about the bound itself
    folded = (b - a) ** 2 * (1 + 10.0 ** rng.uniform(-8, 1, a.size))
    bound = 4096 * epsilon * a * b * rng.uniform(0.2, 2, a.size)
    for d2 in (folded.astype(real), bound.astype(real), (folded + bound).astype(real)):
        total, rest, size = a + b, a - b, a * b
        area2 = real(0.25) * (total * total - d2) * (d2 - rest * rest)
        fold = real(4096) * epsilon * size
        reached = area2 > fold * size + real(16) * epsilon * (total * total) * size
        assert reached.sum() > 1000
        assert (d2 > fold)[reached].all()
