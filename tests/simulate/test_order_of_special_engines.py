"""The order in which special engines pass bodies, and where their loops are open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.errors import MechanismError
from symgen.simulate.special.engine import SpecialEngine
from symgen.simulate.special.loops import SpecialLoop, make_strands
from symgen.simulate.special.tree import GROUND, make_tree, postorder

pytestmark = pytest.mark.compiler


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_postorder_has_each_body_behind_all_it_carries_and_few_wait(choices: list[int], random: Any) -> None:
    count = len(choices)
    parent = [GROUND if not k or choice % 7 == 0 else choice % k for k, choice in enumerate(choices)]
    shuffled = list(range(count))
    random.shuffle(shuffled)
    renamed = np.empty(count, dtype=np.int64)
    for k, name in enumerate(shuffled):
        renamed[name] = GROUND if parent[k] == GROUND else shuffled[parent[k]]
    order = postorder(renamed)
    assert sorted(order.tolist()) == list(range(count))
    waiting: list[int] = []
    children = np.bincount(renamed[renamed >= 0], minlength=count)
    for body in order.tolist():
        popped = [waiting.pop() for _ in range(children[body])]
        assert all(renamed[child] == body for child in popped)
        if renamed[body] != GROUND:
            waiting.append(body)
        # what waits besides the children of one body doubles the size of its tree each time
        assert len(waiting) <= children.max(initial=0) + np.log2(count) * max(children.max(initial=0) - 1, 1) + 1
    assert not waiting


def test_bodies_that_carry_each_other_are_refused() -> None:
    with pytest.raises(MechanismError, match="in a circle"):
        postorder(np.array([1, 2, 0, GROUND]))


def test_the_order_of_the_bodies_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    parent = np.array([GROUND, 0, 0, 1, 1, 2, 5, GROUND, 7])
    count = len(parent)
    data = [
        rng.uniform(1, 2, count),
        np.tile([0.1, 0.2, 0.15, 0.01, 0, 0], (count, 1)),
        *rng.normal(size=(2, count, 3)),
    ]
    q = rng.normal(size=(count, 4))
    state = np.concatenate([q / np.linalg.norm(q, axis=1)[:, None], rng.normal(size=(count, 3))], axis=1)
    gravity = np.array([0.0, 0.0, -9.81])
    shuffle = rng.permutation(count)
    place = np.argsort(shuffle)
    other = np.where(parent[shuffle] >= 0, place[parent[shuffle]], GROUND)
    found = []
    for parents, values, start in ((parent, data, state), (other, [d[shuffle] for d in data], state[shuffle])):
        tree = make_tree("ball", parents, *values, gravity)
        rates = np.empty_like(start)
        rates[tree.order] = SpecialEngine(tree).rates(start[tree.order])
        found.append(rates)
    assert found[1] == pytest.approx(found[0][shuffle], rel=1e-12, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 25), st.integers(0, 10**6))
def test_a_loop_is_open_at_the_bodies_between_its_ends_and_closes_where_both_are_carried(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    parent = np.array([GROUND if k + 1 == count else int(rng.integers(k + 1, count + 1)) for k in range(count)])
    parent[parent == count] = GROUND
    ends = [tuple(int(b) for b in rng.choice(np.arange(-1, count), 2, replace=False)) for _ in range(4)]
    point = np.zeros(3)
    found = make_strands(parent, [SpecialLoop((one, two), (point, point)) for one, two in ends])
    carried: list[set[int]] = [{k} for k in range(count)] + [set(range(-1, count))]
    for k in range(count):
        if parent[k] != GROUND:
            carried[parent[k]] |= carried[k]
    for body in range(count + 1):
        here = found.strands[found.first[body] : found.first[body + 1]]
        for number, both in enumerate(ends):
            inside = [end in carried[body] for end in both]
            below = any(set(both) <= carried[k] for k in range(count) if k != body and carried[k] < carried[body])
            strands = [strand for strand in here if strand.loop == number]
            assert len(strands) == int(any(inside) and not (below and all(inside)))
            assert [strand.closes for strand in strands] == [all(inside)] * len(strands)
        assert [strand.closes for strand in here] == sorted((strand.closes for strand in here), reverse=True)
        for strand in here:
            for end, source, carrier in zip(ends[strand.loop], strand.source, strand.input, strict=True):
                if source >= 0:
                    assert found.first[carrier] <= source < found.first[carrier + 1]
                    assert found.strands[source].loop == strand.loop
                    assert end in carried[carrier]
                elif source == -2:
                    assert end == body
