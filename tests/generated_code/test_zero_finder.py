"""Real zeros of trigonometric polynomials in C and NumPy: all of them, as eigenvalues and sign changes count them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import cffi
import mpmath
import numpy as np
import pytest

from symgen.ir.evaluate import real_zeros
from symgen.printers.c99 import Precision
from symgen.resources import generated_folder

MODULE = generated_folder() / "loop_rcs"
DEGREES = (1, 2)


def _polynomials(count: int, degree: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 2 * degree + 1))


def _value(c: np.ndarray, angle: np.ndarray) -> np.ndarray:
    total = np.full(angle.shape, c[0])
    for k in range(1, len(c) // 2 + 1):
        total = total + c[2 * k - 1] * np.cos(k * angle) + c[2 * k] * np.sin(k * angle)
    return total


def _sign_changes(c: np.ndarray) -> int:
    sign = np.sign(_value(c, np.linspace(-np.pi, np.pi, 20001)))
    return int(np.count_nonzero(sign[1:] != sign[:-1]))


@pytest.fixture(scope="module")
def in_numpy() -> Any:
    spec = importlib.util.spec_from_file_location("loop_rcs_zeros", MODULE / "loop_rcs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def finder(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):  # as every generated function has it around its calls
            return module._real_zeros(*arguments)

    return finder


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> dict[Precision, Any]:
    """The finder in both precisions, cut out of its file behind a function that can be called."""
    found: dict[Precision, Any] = {}
    for precision, single in (("double", ""), ("float", "#define SYMGEN_SINGLE\n")):
        real = precision
        text = single + (MODULE / "loop_rcs.c").read_text(encoding="utf-8")
        text = re.split(r"/\* (?:Position|What )", text)[0]
        text = re.sub(r'#include "loop_rcs(?:_f32)?\.h"', "", text)
        text = re.sub(r"static int all_within.*?\n}\n", "", text, flags=re.DOTALL)
        text += (
            f"int32_t zeros(const {real} *c, int32_t degree, {real} *angles);\n"
            f"int32_t zeros(const {real} *c, int32_t degree, {real} *angles) {{\n"
            "    complex_number found[4];\n"
            "    const int32_t count = real_zeros(c, degree, found);\n"
            f"    for (int32_t k = 0; k < count; ++k) angles[k] = ({real})atan2(found[k].im, found[k].re);\n"
            "    return count;\n}\n"
        )
        builder = cffi.FFI()
        builder.cdef(f"int32_t zeros(const {real} *c, int32_t degree, {real} *angles);")
        folder = tmp_path_factory.mktemp(precision)
        builder.set_source(f"_zeros_{precision}", text, include_dirs=[str(MODULE)])
        target = Path(builder.compile(tmpdir=str(folder)))
        spec = importlib.util.spec_from_file_location(f"_zeros_{precision}", target)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[precision] = module  # type: ignore[index]
    return found


def _call(module: Any, precision: Precision, c: np.ndarray) -> list[float] | None:
    given = module.ffi.new(f"{precision}[]", [float(x) for x in c])
    angles = module.ffi.new(f"{precision}[4]")
    count = module.lib.zeros(given, len(c) // 2, angles)
    return None if count < 0 else [angles[k] for k in range(count)]


@pytest.mark.sampled(1)
@pytest.mark.extension
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("precision", ["double", "float"])
def test_c_finds_every_sign_change_in_order(in_c: dict[Precision, Any], precision: Precision, degree: int) -> None:
    # a random polynomial has its zeros at angles known to a few EPSILON over the slope there, which is rarely small
    near = {"double": 1e-9, "float": 2e-2}[precision]
    for c in _polynomials(300, degree, seed=degree):
        found = _call(in_c[precision], precision, c)
        assert found == sorted(found or [])
        with mpmath.workdps(40):
            exact = [float(angle) for angle in real_zeros([mpmath.mpf(float(x)) for x in c])]
        if precision == "double":
            assert len(found) == len(exact) == _sign_changes(c)
        for x in found:
            assert min(abs((x - y + np.pi) % (2 * np.pi) - np.pi) for y in exact) < near


#: Powers of two, by which coefficients are multiplied without rounding.
SIZES: dict[Precision, tuple[int, ...]] = {"double": (-1000, -520, -40, 40, 500, 1000), "float": (-100, -66, 60, 100)}


@pytest.mark.extension
@pytest.mark.parametrize("precision", ["double", "float"])
def test_zeros_do_not_depend_on_how_large_coefficients_are(in_c: dict[Precision, Any], precision: Precision) -> None:
    for c in _polynomials(100, 2, seed=7).astype(precision):
        expected = _call(in_c[precision], precision, c)
        for power in SIZES[precision]:
            assert _call(in_c[precision], precision, c * c.dtype.type(2.0) ** power) == expected, power


@pytest.mark.extension
@pytest.mark.parametrize("precision", ["double", "float"])
def test_c_keeps_the_zeros_of_a_polynomial_without_its_leading_terms(
    in_c: dict[Precision, Any], precision: Precision
) -> None:
    for c in _polynomials(100, 1, seed=8):
        assert _call(in_c[precision], precision, np.append(c, [0.0, 0.0])) == _call(in_c[precision], precision, c)
    assert _call(in_c[precision], precision, np.array([1.0, 0.0, 0.0, 0.0, 0.0])) == []
    assert _call(in_c[precision], precision, np.full(5, np.nan)) in ([], None)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("degree", DEGREES)
def test_numpy_finds_the_same_zeros(in_numpy: Any, degree: int) -> None:
    c = _polynomials(300, degree, seed=10 + degree)
    for rank in range(2 * degree):
        cosine, sine, count = in_numpy(tuple(c.T), np.int32(rank))
        for row, x, y, found in zip(c, cosine, sine, count, strict=True):
            assert found == _sign_changes(row)
            if rank < found:
                assert abs(_value(row, np.arctan2(y, x))) < 1e-13


@pytest.mark.parametrize("where", [-3.0, -0.5, 0.0, 1.0, np.pi])
def test_a_double_zero_is_found_twice_and_a_near_miss_not_at_all(in_numpy: Any, where: float) -> None:
    # 1 - cos(q - where) = 2 sin^2((q - where)/2), times a polynomial without zeros
    touching = np.array([1.0, -np.cos(where), -np.sin(where)])
    _, _, count = in_numpy(tuple(touching), np.int32(0))
    assert count == 2
    _, _, count = in_numpy(tuple(touching + np.array([1e-10, 0.0, 0.0])), np.int32(0))
    assert count == 0


def test_a_polynomial_without_its_leading_terms_keeps_its_zeros(in_numpy: Any) -> None:
    lower = _polynomials(50, 1, seed=3)
    full = np.concatenate([lower, np.zeros((50, 2))], axis=1)
    for rank in (0, 1):
        one, other = in_numpy(tuple(lower.T), np.int32(rank)), in_numpy(tuple(full.T), np.int32(rank))
        assert (one[2] == other[2]).all()
        real = one[2] > rank
        np.testing.assert_allclose(np.stack(one[:2])[:, real], np.stack(other[:2])[:, real], atol=1e-12)


def test_numbers_that_are_not_finite_have_no_zeros(in_numpy: Any) -> None:
    c = np.array([[np.nan, 1.0, 0.0], [np.inf, 1.0, 1.0], [0.0, 0.0, 0.0], [1e308, 1e308, 1e308]])
    _, _, count = in_numpy(tuple(c.T), np.int32(0))
    assert count[0] == count[1] == count[2] == 0
