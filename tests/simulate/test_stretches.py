"""Stretches of time: events and samples are hit, nothing is integrated over next to no time."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import InputError
from symgen.simulate.stretches import plan_stretches

times = st.floats(0.0, 2.0, allow_nan=False)


@given(st.lists(st.tuples(times, times), max_size=4), st.floats(1e-3, 0.3), st.floats(0.5, 2.0), st.floats(0.01, 0.7))
def test_stretches_join_and_hit_events_and_samples(
    spans: list[tuple[float, float]], step: float, until: float, sample: float
) -> None:
    found = plan_stretches(spans, step, until, sample)
    assert found[0].start == 0.0
    assert found[-1].end == pytest.approx(until, rel=1e-12)
    for one, two in pairwise(found):
        assert one.end == pytest.approx(two.start, rel=1e-12)
    assert all(each.step <= step * (1 + 1e-8) for each in found)
    assert all(each.end - each.start > 1e-7 * step for each in found)
    rows = np.concatenate([s.start + s.step * s.every * np.arange(s.steps // s.every + 1) for s in found])
    for k in range(math.floor(until / sample) + 1):
        assert np.abs(rows - k * sample).min() < 1e-6 * step + 1e-9
    for time in (t for span in spans for t in span if 0 < t < until):
        assert np.abs([s.start - time for s in found] + [found[-1].end - time]).min() < 1e-5 * step


def test_two_events_at_one_time_but_for_rounding_are_one() -> None:
    found = plan_stretches([(0.0, 0.3), (0.1 + 0.2, 1.0)], 0.01, 1.0, None)
    assert [each.start for each in found] == pytest.approx([0.0, 0.3])
    assert [list(each.active) for each in found] == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("step", "until", "sample"),
    [(0.0, 1.0, None), (0.1, math.inf, None), (0.1, 1.0, 1e-300), (1e-9, 1.0, None), (math.nan, 1.0, None)],
)
def test_silly_times_are_refused(step: float, until: float, sample: float | None) -> None:
    with pytest.raises(InputError):
        plan_stretches([], step, until, sample)
