"""Every branch closes every joint; the configuration an instance was built from is one of the branches."""

from __future__ import annotations

from typing import Any

import pytest
from oracle.closure import body_matrices, distance, largest_gap, unknown
from oracle.instances import Instance, random_instance
from oracle.modules import ARRANGEMENTS, EPSILON, Arranged, call

from symgen.status import Status

pytestmark = pytest.mark.kinds

SEEDS = range(6)


def _instance(arranged: Arranged, seed: int) -> Instance:
    return random_instance(arranged.manifest, arranged.tree, seed)


def _branches(backend: str, arranged: Arranged, instance: Instance) -> list[tuple[Status, dict[str, Any]]]:
    name = arranged.function("position")
    count = arranged.manifest["branches"]
    return [call(backend, arranged.module, name, {**instance.ports, "branch": k}) for k in range(count)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("double", marks=pytest.mark.extension)])
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_every_branch_closes_every_joint(arranged: Arranged, backend: str) -> None:
    solved = 0
    # What is searched may stay open by 1024 EPSILON of the loop's size, here up to 4; see render/search.py.
    most = 4096 if arranged.manifest["branch_order"] == "rank" else 500
    for seed in SEEDS:
        instance = _instance(arranged, seed)
        for status, results in _branches(backend, arranged, instance):
            assert status in (Status.OK, Status.NO_ASSEMBLY, Status.BRANCH_LOST)
            if status is Status.OK:
                solved += 1
                # Lengths and matrix entries are of order 1 (a few of 10); a pose is some 100 operations from the
                # inputs. Closure does not feel the conditioning: a root moved by rounding moves both links alike.
                gap = largest_gap(instance, body_matrices(instance, results), results)
                assert gap < most * EPSILON[backend], (seed, gap)
    assert solved >= len(SEEDS)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_one_branch_is_the_configuration_the_instance_was_built_from(arranged: Arranged) -> None:
    for seed in SEEDS:
        instance = _instance(arranged, seed)
        found = []
        for status, results in _branches("numpy", arranged, instance):
            if status is Status.OK:
                gap = distance(instance.bodies, body_matrices(instance, results), unknown(instance))
                found.append((gap, results))
        gap, results = min(found, key=lambda pair: pair[0])
        # The last joint's frame is fitted in double: the instance is off by some EPSILON, the pose by that times the
        # condition of the closing system (twice: the closed form squares lengths before it takes roots).
        if any(f["name"] == arranged.function("condition") for f in arranged.manifest["functions"]):
            status, more = call("numpy", arranged.module, arranged.function("condition"), {**instance.ports, **results})
            assert status is Status.OK
            condition = float(more["condition"])
        else:
            condition = 1.0
        assert gap < 500 * EPSILON["numpy"] * condition, (seed, gap, condition)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("arranged", ARRANGEMENTS, ids=str)
def test_branches_are_different_configurations(arranged: Arranged) -> None:
    for seed in SEEDS:
        instance = _instance(arranged, seed)
        solved = [body_matrices(instance, r) for s, r in _branches("numpy", arranged, instance) if s is Status.OK]
        for k, first in enumerate(solved):
            for second in solved[k + 1 :]:
                # far from folds (statuses are OK, not SINGULAR) branches are at least sqrt(FOLD_TOLERANCE) apart
                assert distance(first, second, unknown(instance)) > 1e-7
