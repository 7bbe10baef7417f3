"""The exact rank is taken of groups of any size that effort allows; beyond it, the analysis says so."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.linkages import ladder
from symgen.topology.analysis import analyse_pairs
from symgen.topology.findings import diagnosis
from symgen.topology.rank.elimination import eliminate
from symgen.topology.rank.generic import reduce_rows
from symgen.topology.rank.twists import PRIME


def _ladder_with_a_loop_of_sliders(size: int):
    """One giant group, in which five bodies of one loop only slide: a rotation constraint too many, one motion left."""
    linkage = ladder(size, input_last=True)
    loop = {frozenset(ends) for ends in ((0, 9), (9, 8), (8, 10), (10, 11), (0, 11))}
    pairs = [(i, j, "P" if {i, j} in loop else code, driven) for i, j, code, driven in linkage.pairs]
    assert sum(code == "P" for _, _, code, _ in pairs) == 5
    return linkage.bodies, pairs


def _float_rank(bodies: int, pairs) -> int:
    draw = np.random.default_rng(1)
    rows = []
    for i, j, code, driven in pairs:
        x, y = draw.normal(size=2)
        own = {"R": [[-y, 1, 0], [x, 0, 1]], "P": [[1, 0, 0], [0, -y, x]]}[code]
        for functional in [*own, *draw.normal(size=(driven, 3))]:
            row = np.zeros(3 * bodies)
            row[3 * j :][:3] = functional
            row[3 * i :][:3] -= functional
            rows.append(row[3:])
    return int(np.linalg.matrix_rank(np.array(rows), tol=1e-9))


@pytest.mark.parametrize("size", [31, 34, 60, 200])
def test_a_loop_of_sliders_in_a_large_group_is_found(size):
    bodies, pairs = _ladder_with_a_loop_of_sliders(size)
    structure = analyse_pairs("planar", bodies, *map(list, zip(*pairs, strict=True)))
    assert len(structure.groups[-1].bodies) >= size - 2
    missing = 3 * (bodies - 1) - _float_rank(bodies, pairs)
    assert (structure.status, [finding.deficit for finding in structure.diagnosis]) == ("singular", [missing])
    assert {joint for finding in structure.diagnosis for joint in finding.joints} == {
        f"j{p}" for p, (_, _, code, _) in enumerate(pairs) if code == "P"
    }


@pytest.mark.parametrize("size", [31, 34, 60])
def test_a_large_group_of_cylindrical_pairs_is_tested_and_sound(size):
    """C imposes 4 of 6 as R does 2 of 3: the same groups, in space."""
    linkage = ladder(size, input_last=True)
    pairs = [(i, j, "C", 2 * driven) for i, j, _, driven in linkage.pairs]
    structure = analyse_pairs("spatial", linkage.bodies, *map(list, zip(*pairs, strict=True)))
    assert len(structure.groups[-1].bodies) >= size - 2
    assert (structure.status, structure.diagnosis) == ("determined", ())


def test_beyond_the_effort_the_rank_is_reported_as_unchecked(monkeypatch):
    bodies, pairs = _ladder_with_a_loop_of_sliders(60)
    monkeypatch.setattr(diagnosis, "generic_rank", lambda *_: None)
    structure = analyse_pairs("planar", bodies, *map(list, zip(*pairs, strict=True)))
    assert (structure.status, [finding.kind for finding in structure.diagnosis]) == ("determined", ["unchecked"])
    assert "rank was not tested" in structure.diagnosis[0].advice


def test_sparse_elimination_agrees_with_reduction_and_keeps_the_bound():
    for seed in range(300):
        draw = random.Random(seed)
        columns = draw.randint(1, 12)
        rows = []
        for _ in range(draw.randint(0, 14)):
            held = draw.sample(range(columns), draw.randint(1, min(3, columns)))
            rows.append({c: draw.choice([1, 2, PRIME - 1]) for c in held})
        found = eliminate(rows, columns)
        assert found is not None
        assert columns - len(found.free) == len(reduce_rows(rows))
        for motion in [*found.basis(), *found.random_motions(1)]:
            assert all(sum(x * motion.get(c, 0) for c, x in row.items()) % PRIME == 0 for row in rows)
        assert len(reduce_rows(found.basis())) == len(found.free)
    assert eliminate([{0: 1, 1: 1}] * 3, 2, effort=3) is None
