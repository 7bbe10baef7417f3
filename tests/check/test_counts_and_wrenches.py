"""Objects of structural analysis and of joint reactions, against counting one by one and against numbers."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import sympy

from symgen.check.catalogue import derived_objects
from symgen.derive.dynamics.wrench_objects import MOTIONS
from symgen.model.pairs import PAIR_TYPES
from symgen.topology.analysis import analyse_pairs


def _trees(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every choice of pairs that joins all bodies without a cycle, found by trying."""
    pairs = [(i, j) for i in range(count) for j in range(i)]
    for chosen in itertools.combinations(pairs, count - 1):
        part = list(range(count))
        for i, j in chosen:
            if part[i] == part[j]:
                break
            part = [part[i] if p == part[j] else p for p in part]
        else:
            yield chosen


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_trees_are_counted_as_they_are_found(count: int) -> None:
    (number,) = derived_objects()[f"spanning_trees_{count}"].formula
    assert int(str(number)) == sum(1 for _ in _trees(count)) == count ** (count - 2)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_sums_over_trees_are_those_over_the_trees_that_are_found(count: int) -> None:
    found = derived_objects()[f"spanning_tree_sum_{count}"]
    rng, names = random.Random(count), found.arguments[0].elements
    pairs = [(i, j) for i in range(count) for j in range(i)]
    for choices in ((0, 1), range(-3, 4)):
        weights = dict(zip(pairs, rng.choices(choices, k=len(pairs)), strict=True))
        expected = sum(math.prod(weights[pair] for pair in tree) for tree in _trees(count))
        table = {sympy.Symbol(name, real=True): value for name, value in zip(names, weights.values(), strict=True)}
        assert found.formula[0].subs(table) == expected  # type: ignore[attr-defined]


def _value(name: str, *arguments: int | Sequence[int]) -> int:
    found = derived_objects()[name]
    values = [v for given in arguments for v in ([given] if isinstance(given, int) else given)]
    elements = [e for argument in found.arguments for e in argument.elements]
    table = {sympy.Symbol(e, real=True): v for e, v in zip(elements, values, strict=True)}
    return int(found.formula[0].subs(table))  # type: ignore[attr-defined]


def test_mobilities_and_groups_are_those_of_the_analysis() -> None:
    """Four-bar of R, S, C, P and crank with dyad: the groups that the analysis finds are in balance, others are not."""
    types = ["R", "S", "C", "P"]
    found = analyse_pairs("spatial", 4, [0, 1, 2, 3], [1, 2, 3, 0], types, [1, 0, 0, 0])
    grades = [0] * 6
    for kind in types:
        grades[PAIR_TYPES[kind].grade - 1] += 1
    assert _value("mobility_spatial", 4, grades) == found.mobility == 1
    assert [len(group.bodies) for group in found.groups] == [1, 2]
    assert _value("chain_balance_spatial", 1, [1, 0, 0, 0, 0, 0], 1) == 0
    assert _value("chain_balance_spatial", 2, [1, 1, 1, 0, 0, 0], 0) == 0
    assert _value("chain_balance_spatial", 1, [0, 0, 1, 0, 0, 0], 0) != 0
    plane = analyse_pairs("planar", 4, [0, 1, 2, 0], [1, 2, 3, 3], "R", [1, 0, 0, 0])
    assert _value("mobility_planar", 4, [4, 0, 0]) == plane.mobility == 1


@pytest.mark.parametrize("pair", list(MOTIONS))
def test_wrenches_are_all_that_a_pair_transmits(pair: str) -> None:
    """In numbers: as many as the grade leaves, independent, no power on the freedoms, which are independent too."""
    rng = np.random.default_rng(3)
    p = rng.normal(size=4)
    numbers = {f"p_{k}": value for k, value in enumerate(p / np.linalg.norm(p))} | {"pitch": 0.7}
    wrenches, freedoms = (_matrix(f"{kind}_{pair}", numbers) for kind in ("wrenches", "freedoms"))
    grade = 0 if pair == "W" else PAIR_TYPES[pair].grade
    assert (np.linalg.matrix_rank(wrenches), np.linalg.matrix_rank(freedoms)) == (6 - grade, grade)
    assert np.abs(wrenches.T @ freedoms).max(initial=0.0) < 1e-14


def _matrix(name: str, numbers: dict[str, float]) -> np.ndarray:
    if name not in derived_objects():
        return np.zeros((6, 0))
    found = derived_objects()[name]
    table = {sympy.Symbol(n, real=True): value for n, value in numbers.items()}
    values = [float(entry.subs(table)) for entry in found.formula]  # type: ignore[attr-defined]
    return np.array(values).reshape(found.shape)
