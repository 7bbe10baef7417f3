"""Polynomials through values, rates and accelerations; who goes on smoothly behind a point where branches meet."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from symgen.library.smooth import MotionSamples, clearest, evaluate, hermite_weights, misfit


def sampled(times: np.ndarray, *motions) -> MotionSamples:
    """Sample motions that are given as (value, rate, second) of t."""
    columns = [np.stack([motion[k](times) for motion in motions], axis=-1) for k in range(3)]
    return MotionSamples(np.asarray(times, dtype=float), *columns)


def polynomial(coefficients) -> tuple:
    p = Polynomial(coefficients)
    return p, p.deriv(1), p.deriv(2)


WAVE = (np.sin, np.cos, lambda t: -np.sin(t))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_polynomials_of_degree_3n_less_1_come_back_in_any_order_of_the_samples(count: int) -> None:
    rng = np.random.default_rng(count)
    motion = polynomial(rng.normal(size=3 * count))
    nodes = rng.permutation(np.linspace(-1.0, 1.0, count + 2)[1:-1])
    at = np.array([-1.3, -0.2, 0.4, 1.2])
    found, true = evaluate(sampled(nodes, motion), at), sampled(at, motion)
    # Weights outside the samples grow up to 1e5 for four of them: 1e5 x 2e-16, with room.
    for name in ("value", "rate", "second"):
        np.testing.assert_allclose(getattr(found, name), getattr(true, name), rtol=0, atol=1e-9)


def test_at_a_sample_it_is_the_sample() -> None:
    samples = sampled(np.array([0.3, 0.5, 0.8]), WAVE)
    found = evaluate(samples, samples.times)
    np.testing.assert_allclose(found.value, samples.value, atol=1e-15)
    # divided by the spacing once and twice
    np.testing.assert_allclose(found.rate, samples.rate, atol=1e-14)
    np.testing.assert_allclose(found.second, samples.second, atol=1e-12)


def test_weights_of_values_sum_to_one_and_those_of_their_derivatives_to_zero() -> None:
    weights = hermite_weights(np.array([2.0, 2.1, 2.3]), np.array([1.9, 2.2, 2.35]))
    np.testing.assert_allclose(weights[0, :, :, 0].sum(axis=-1), 1.0, atol=1e-11)
    # second derivatives: divided by the spacing squared
    np.testing.assert_allclose(weights[1:, :, :, 0].sum(axis=-1), 0.0, atol=1e-8)


def test_extrapolation_converges_with_the_ninth_order() -> None:
    errors = []
    for h in (0.4, 0.2):
        samples = sampled(0.7 + h * np.array([-3.0, -2.0, -1.0]), WAVE)
        errors.append(abs(float(evaluate(samples, np.array([0.7 + h])).value[0, 0]) - np.sin(0.7 + h)))
    # 2^9, between 2^8 and 2^10: terms of the next order
    assert 2**8 < errors[0] / errors[1] < 2**10


def test_a_time_far_from_zero_costs_no_digits_of_the_spacing() -> None:
    start, h = 1e3, 2.0**-14
    nodes = start + h * np.array([-3.0, -2.0, -1.0])
    motion = polynomial([0.3, -1.0, 2.0, 0.5])
    samples = sampled(nodes - start, motion)
    found = evaluate(MotionSamples(nodes, samples.value, samples.rate, samples.second), np.array([start + h]))
    assert found.value[0, 0] == pytest.approx(motion[0](h), abs=1e-13)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("h", [0.1, 1e-2, 1e-4])
def test_the_smooth_branch_is_told_from_one_that_touches_it(order: int, h: float) -> None:
    def branch(sign):
        power = polynomial([0.0] * order + [1.0])
        return tuple(lambda t, a=a, b=b: a(t) + sign * b(t) for a, b in zip(WAVE, power, strict=True))

    before = sampled(h * np.array([-3.0, -2.0, -1.0]), branch(1.0))
    behind = h * np.array([1.0, 2.0])
    misses = [float(misfit(before, sampled(behind, branch(sign)))[0]) for sign in (-1.0, 1.0)]
    # Rounding of second derivatives is an error of eps here, of values eps; weights are some 1e3 at one spacing.
    if h**order > 1e-8:
        assert clearest(misses, floor=1e-12) == 1
    assert clearest([misses[1], misses[1]], floor=1e-12) is None


def test_where_branches_touch_below_rounding_nothing_is_clear() -> None:
    assert clearest([1e-17, 1e-13], floor=1e-14) is None
    assert clearest([], floor=0.0) is None
    assert clearest([np.nan, np.inf], floor=0.0) is None


def test_samples_on_both_sides_give_the_point_between() -> None:
    h = 0.05
    both = sampled(0.4 + h * np.array([-2.0, -1.0, 1.0, 2.0]), WAVE)
    found = evaluate(both, np.array([0.4]))
    # order 12 of 0.05: below rounding, whose part in seconds is eps/h^2
    assert found.value[0, 0] == pytest.approx(np.sin(0.4), abs=1e-15)
    assert found.rate[0, 0] == pytest.approx(np.cos(0.4), abs=1e-13)
    assert found.second[0, 0] == pytest.approx(-np.sin(0.4), abs=1e-11)
