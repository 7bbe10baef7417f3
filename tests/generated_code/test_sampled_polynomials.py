"""Sampled trigonometric polynomials in every backend: their coefficients come back, a higher degree is found out."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.lone_routines import LoneRoutines, lone_routine

from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner
from symgen.derive.sampling import sampled
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.status import Status

DEGREE = 3
BACKENDS = ("numpy", "double", "float")
EPSILON = {"numpy": 2.0**-52, "double": 2.0**-52, "float": 2.0**-23}
LABELS = ("0", "c1", "s1", "c2", "s2", "c3", "s3", "c4", "s4")


def _value() -> Inner:
    """Return a polynomial of degree 4 from its coefficients, by Chebyshev's recursion."""
    d = Derivation("value", level="kernel", title="a polynomial from its coefficients", source="this test")
    c, s = d.input_scalar("at_c", meaning="cosine", unit=""), d.input_scalar("at_s", meaning="sine", unit="")
    given = d.input_array("series", [f"given_{x}" for x in LABELS], meaning="coefficients", unit="")
    total, cosine, sine = given[0], c, s
    for k in range(1, 5):
        total = total + given[2 * k - 1] * cosine + given[2 * k] * sine
        following = (cosine * c - sine * s, sine * c + cosine * s)
        cosine = d.scalar(f"cosine_{k}", following[0], "cosine of the next multiple")
        sine = d.scalar(f"sine_{k}", following[1], "sine of the next multiple")
    d.output("value", d.scalar("value_there", total, "value"), meaning="value", unit="")
    return Inner("kernel_value", d)


def _routine() -> Routine:
    d = Derivation("sampled", level="kernel", title="coefficients from values", source="this test")
    given = d.input_array("series", [f"g_{x}" for x in LABELS], meaning="coefficients", unit="")
    found = sampled(d, "f", _value(), DEGREE, {"series": given}, "the values")  # type: ignore[dict-item]
    d.output("found", found, meaning="coefficients", unit="")
    return lone_routine(d, "position")


@pytest.fixture(scope="module")
def routines(tmp_path_factory: pytest.TempPathFactory) -> LoneRoutines:
    return LoneRoutines("lone_sampled", [_routine()], tmp_path_factory.mktemp("lone_sampled"))


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
def test_coefficients_of_the_degree_come_back(routines: LoneRoutines, backend: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        given = np.concatenate([rng.uniform(-1, 1, 7), [0.0, 0.0]])
        status, found = routines.call(backend, "kernel_position", {"series": given})
        assert status is Status.OK
        # each is a mean of 14 values of size 7 at most, with cosines from a rotation of as many steps
        assert np.abs(found["found"] - given[:7]).max() < 100 * EPSILON[backend]


@pytest.mark.extension
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("label", [7, 8])
def test_a_higher_degree_is_found_out(routines: LoneRoutines, backend: str, label: int) -> None:
    given = np.ones(9)
    given[7:] = 0.0
    given[label] = 1e-2
    status, found = routines.call(backend, "kernel_position", {"series": given})
    assert status is Status.NOT_CONVERGED
    assert np.isnan(found["found"]).all()
    assert evaluate(_routine(), {"series": given.tolist()})[0] is Status.NOT_CONVERGED


def test_many_digits_give_many_digits_back() -> None:
    given = [1, 2, -3, 4, 0, 5, -6, 0, 0]
    status, found = evaluate(_routine(), {"series": given})
    assert status is Status.OK
    assert max(abs(x - y) for x, y in zip(found["found"], given[:7], strict=True)) < 1e-45
