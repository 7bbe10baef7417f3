"""Our own sine, cosine and angle of a vector: their bound holds, in float for every argument, and the bits are one.

The oracle is mpmath with 40 digits; for all floats at once the double version, whose error is 2^-29 of a float's.
"""

from __future__ import annotations

import ctypes
import importlib.util
import math
import struct
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from oracle.compilers import need

from symgen.pipeline import generate_texts
from symgen.pipeline.texts import render_view
from symgen.printers.c99 import Math, Precision
from symgen.printers.elementary import BOUNDS, FAR_BOUND, elementary_functions
from symgen.render.elementary import math_header_view
from symgen.status import Status

PRECISIONS: tuple[Precision, ...] = ("double", "float")
BITS = {"double": 53, "float": 24}
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Werror")

_CALLS = """
{define}
#include "symgen_math.h"
void sines(long n, const {real} *x, {real} *out)
{{ for (long i = 0; i < n; ++i) {{ out[i] = own_sin(x[i]); }} }}
void cosines(long n, const {real} *x, {real} *out)
{{ for (long i = 0; i < n; ++i) {{ out[i] = own_cos(x[i]); }} }}
void pairs(long n, const {real} *x, {real} *out)
{{ for (long i = 0; i < n; i += 2) {{
    const own_turn turn = own_turn_by(x[i]);
    out[i] = turn.cosine;
    out[i + 1] = turn.sine;
}} }}
void angles(long n, const {real} *y, const {real} *x, {real} *out)
{{ for (long i = 0; i < n; ++i) {{ out[i] = own_atan2(y[i], x[i]); }} }}
"""


def _library(folder: Path, precision: Precision, compiler: str = "gcc", *flags: str) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    header = render_view("c99/symgen_math.h.j2", math_header_view(), "symgen_math.h")
    (folder / "symgen_math.h").write_text(header, encoding="utf-8")
    source = folder / f"{precision}.c"
    is_float = precision == "float"
    source.write_text(
        _CALLS.format(real=precision, define="#define SYMGEN_SINGLE" if is_float else ""), encoding="utf-8"
    )
    target = folder / f"{precision}.so"
    command = [compiler, *STRICT, "-Wno-missing-prototypes", "-fPIC", "-shared", *(flags or ("-O2",))]
    subprocess.run([*command, str(source), "-o", str(target), "-lm"], check=True, capture_output=True)
    return ctypes.CDLL(str(target))


def _call(library: Any, name: str, precision: Precision, *arguments: Any) -> Any:
    kind = np.float32 if precision == "float" else np.float64
    arrays = [np.ascontiguousarray(each, dtype=kind) for each in arguments]
    out = np.empty_like(arrays[0])
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (*arrays, out)]
    getattr(library, name)(ctypes.c_long(len(out)), *pointers)
    return out


def _errors(found: Any, wanted: list[Any], precision: Precision) -> Any:
    """Return the errors in ulp of what is right."""
    least = -1022 if precision == "double" else -126
    errors = []
    for value, right in zip(found, wanted, strict=True):
        exponent = max(int(mpmath.frexp(right)[1]) - 1, least) if right else least
        errors.append(float(abs(mpmath.mpf(float(value)) - right) * mpmath.mpf(2) ** (BITS[precision] - 1 - exponent)))
    return np.array(errors)


def _arguments(precision: Precision, rng: np.random.Generator) -> Any:
    largest = elementary_functions(precision).near
    spread = np.concatenate(
        [
            rng.uniform(-1, 1, 4000),
            rng.uniform(-10, 10, 4000),
            rng.uniform(-largest, largest, 4000),
            10.0 ** rng.uniform(-30, 4, 2000),
            # about multiples of a right angle, where nearly all of the argument is taken off
            rng.integers(-8000, 8000, 4000) * (np.pi / 2),
            np.arange(-40, 41) * (np.pi / 4),
            [0.0, largest, -largest],
        ]
    )
    kind = np.float32 if precision == "float" else np.float64
    return spread.astype(kind)[np.abs(spread.astype(kind)) <= largest]


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_bounds_hold(precision: Precision, tmp_path: Path) -> None:
    library, rng = _library(tmp_path, precision), np.random.default_rng(5)
    x = _arguments(precision, rng)
    of_turn, of_angle = BOUNDS[precision]
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(each)) for each in x]
        assert _errors(_call(library, "sines", precision, x), list(map(mpmath.sin, exact)), precision).max() < of_turn
        assert _errors(_call(library, "cosines", precision, x), list(map(mpmath.cos, exact)), precision).max() < of_turn
        kind = np.float32 if precision == "float" else np.float64
        u, v = (rng.uniform(-1, 1, 12000) * 10.0 ** rng.integers(-3, 4, 12000) for _ in range(2))
        v[:3000] = u[:3000] * rng.uniform(0.4, 0.6, 3000)  # where the eighth is taken apart
        u[3000:4000], v[4000:5000] = 0.0, 0.0
        u[5000:6000], v[5000:6000] = (rng.uniform(0.2, 1, 1000) * float(np.finfo(kind).max) for _ in range(2))
        u, v = u.astype(kind), v.astype(kind)
        wanted = [mpmath.atan2(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(u, v, strict=True)]
        assert _errors(_call(library, "angles", precision, u, v), wanted, precision).max() < of_angle


@pytest.mark.slow
@pytest.mark.compiler
def test_far_angles_in_double(tmp_path: Path) -> None:
    """Beyond what is reduced at once, up to the largest; multiples of right angles and of the steps among them."""
    library, rng = _library(tmp_path, "double"), np.random.default_rng(11)
    found = elementary_functions("double")
    steps = rng.integers(32, 19000, 2000) * 2.0**15
    whole = np.concatenate([steps, rng.integers(2**20, 6 * 10**8, 4000), steps + 2.0**14, steps + 2.0**14 + 0.5])
    x = np.concatenate([rng.uniform(found.near, found.largest, 6000), whole * (np.pi / 2), [found.largest]])
    x = np.concatenate([x, -x])
    with mpmath.workdps(40):
        exact = [mpmath.mpf(each) for each in x]
        for name, function in (("sines", mpmath.sin), ("cosines", mpmath.cos)):
            values = _call(library, name, "double", x)
            errors = [abs(mpmath.mpf(value) - function(each)) for value, each in zip(values, exact, strict=True)]
            assert max(errors) < FAR_BOUND


@pytest.mark.compiler
@pytest.mark.parametrize("precision", PRECISIONS)
def test_both_at_once_are_the_two_by_themselves(precision: Precision, tmp_path: Path) -> None:
    library = _library(tmp_path, precision)
    x = np.repeat(_arguments(precision, np.random.default_rng(9)), 2)
    x = np.concatenate([x, [np.nan, np.nan, 1e30, 1e30]])
    both = _call(library, "pairs", precision, x)
    np.testing.assert_array_equal(both[0::2], _call(library, "cosines", precision, x[0::2]))
    np.testing.assert_array_equal(both[1::2], _call(library, "sines", precision, x[0::2]))


@pytest.mark.compiler
@pytest.mark.parametrize("precision", PRECISIONS)
def test_special_arguments(precision: Precision, tmp_path: Path) -> None:
    library = _library(tmp_path, precision)
    largest = elementary_functions(precision).largest
    lost = [math.nan, math.inf, -math.inf, math.nextafter(largest, 1e30) + 1.0, 2.0 * largest, -1e30]
    assert np.isnan(_call(library, "sines", precision, lost)).all()
    assert np.isnan(_call(library, "cosines", precision, lost)).all()
    np.testing.assert_array_equal(_call(library, "sines", precision, [0.0, -0.0]), [0.0, 0.0])
    np.testing.assert_array_equal(_call(library, "cosines", precision, [0.0, -0.0]), [1.0, 1.0])
    y = [0.0, -0.0, 0.0, 1.0, -1.0, 0.0, math.nan, 1.0]
    x = [1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0, math.nan]
    kind = np.float32 if precision == "float" else np.float64
    angles = np.array([0.0, -0.0, np.pi, np.pi / 2, -np.pi / 2, 0.0, np.nan, np.nan]).astype(kind)
    found = _call(library, "angles", precision, y, x)
    np.testing.assert_array_equal(found, angles)
    assert np.signbit(found[1])


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_bits_are_one_on_every_compiler_and_level(precision: Precision, tmp_path: Path) -> None:
    x, rng = _arguments(precision, np.random.default_rng(6)), np.random.default_rng(7)
    u = rng.uniform(-1, 1, len(x))
    seen: dict[str, set[bytes]] = {"sines": set(), "cosines": set(), "angles": set()}
    for number, compiler in enumerate(("gcc", need("clang"))):
        for level in ("-O0", "-O2", "-O3", "-Os"):
            library = _library(tmp_path / f"{number}{level}", precision, compiler, level, "-march=native")
            for name, found in seen.items():
                found.add(_call(library, name, precision, *((u, x) if name == "angles" else (x,))).tobytes())
    assert {name: len(found) for name, found in seen.items()} == {"sines": 1, "cosines": 1, "angles": 1}


_RIGHT = """
#include "symgen_math.h"
void right_values(int number, const float *x, double *sine, double *cosine)
{
    for (int i = 0; i < number; ++i) {
        sine[i] = own_sin((double)x[i]);
        cosine[i] = own_cos((double)x[i]);
    }
}
"""

#: In blocks, a loop for each step, so that the compiler does several floats at once.
_EVERY = """
#include <stdio.h>
#include <string.h>
#define SYMGEN_SINGLE
#include "symgen_math.h"
enum { BLOCK = 512 };
void right_values(int number, const float *x, double *sine, double *cosine);
int main(void)
{
    static uint32_t bits[BLOCK];
    static float x[BLOCK], found[2][BLOCK], back[2][BLOCK];
    static double right[2][BLOCK], power[BLOCK], worst[2][BLOCK];
    static uint64_t size[BLOCK];
    const float largest = LARGEST;
    uint32_t last;
    memcpy(&last, &largest, sizeof last);
    for (uint32_t first = 1; first <= last; first += BLOCK) {
        for (uint32_t i = 0; i < BLOCK; ++i) {
            bits[i] = first + i < last ? first + i : last; /* the end of the last block is the last float again */
        }
        memcpy(x, bits, sizeof x);
        right_values(BLOCK, x, right[0], right[1]);
        for (int i = 0; i < BLOCK; ++i) {
            found[0][i] = own_sin(x[i]);
            found[1][i] = own_cos(x[i]);
        }
        for (int i = 0; i < BLOCK; ++i) {
            back[0][i] = own_sin(-x[i]);
            back[1][i] = own_cos(-x[i]);
        }
        int differ = 0;
        for (int i = 0; i < BLOCK; ++i) {
            differ |= (back[0][i] != -found[0][i]) | (back[1][i] != found[1][i]);
        }
        if (differ) { /* or one is not a number */
            return 1;
        }
        for (int k = 0; k < 2; ++k) {
            memcpy(size, right[k], sizeof size);
            for (int i = 0; i < BLOCK; ++i) {
                size[i] &= UINT64_C(0x7ff0000000000000); /* the power of two of the right value */
            }
            memcpy(power, size, sizeof power);
            for (int i = 0; i < BLOCK; ++i) {
                const double unit = power[i]*0x1p-23 > 0x1p-149 ? power[i]*0x1p-23 : 0x1p-149;
                const double error = fabs((double)found[k][i] - right[k][i])/unit;
                worst[k][i] = error > worst[k][i] ? error : worst[k][i];
            }
        }
    }
    for (int k = 0; k < 2; ++k) {
        for (int i = 1; i < BLOCK; ++i) {
            worst[k][0] = worst[k][i] > worst[k][0] ? worst[k][i] : worst[k][0];
        }
    }
    printf("%.17g %.17g", worst[0][0], worst[1][0]);
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.compiler
def test_every_float_is_within_the_bound(tmp_path: Path) -> None:
    """All 1.2e9 positive floats up to the largest angle; negative ones give the same with the sign changed."""
    _library(tmp_path, "float")
    (tmp_path / "every.c").write_text(_EVERY, encoding="utf-8")
    (tmp_path / "right.c").write_text(_RIGHT, encoding="utf-8")
    largest = f"-DLARGEST={elementary_functions('float').largest!r}F"
    flags = ("-std=c99", "-O3", "-march=native", "-ffp-contract=off", "-fno-trapping-math")  # none changes a bit
    # clang does several floats at once, gcc does not; the bits are those of both
    subprocess.run(
        [need("clang"), *flags, largest, "every.c", "right.c", "-o", "every", "-lm"], check=True, cwd=tmp_path
    )
    found = subprocess.run([str(tmp_path / "every")], check=True, capture_output=True, text=True, timeout=900).stdout
    assert max(map(float, found.split())) < BOUNDS["float"][0]


def _series(kind: str) -> list[Fraction]:
    """Return power series with a remainder below the last term, which is below 2^-80 on the interval."""
    if kind == "sine":
        return [Fraction((-1) ** (n + 1), math.factorial(2 * n + 3)) for n in range(14)]
    if kind == "cosine":
        return [Fraction((-1) ** n, math.factorial(2 * n + 4)) for n in range(14)]
    return [Fraction((-1) ** (n + 1), 2 * n + 3) for n in range(45)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(
    ("kind", "end", "share"),
    [
        # end of z, and by what of it the error of the polynomial counts relative to the function, at most
        ("sine", 0.6169, lambda z: 1.11 * z),
        ("cosine", 0.6169, lambda z: 1.42 * z * z),
        ("arctangent", 0.2501, lambda z: 1.08 * z),
    ],
)
def test_the_polynomials_are_near_enough(
    precision: Precision, kind: str, end: float, share: Callable[[Fraction], Fraction]
) -> None:
    """A proof by exact arithmetic: the difference from the series at close points, and between them.

    Rounding is the rest of the bound: half an ulp for the last operation, what the first operations lose in r (its own
    rounding is carried along), and an eighth of an ulp at most for the terms behind, which are small.
    """
    factors = [Fraction(each) for each in getattr(elementary_functions(precision), kind)]
    series = _series(kind)
    gap = [
        (factors[n] if n < len(factors) else Fraction(0)) - (series[n] if n < len(series) else Fraction(0))
        for n in range(max(len(factors), len(series)))
    ]
    points, order = 100, 6
    step = Fraction(end) / points
    worst = Fraction(0)
    for k in range(points + 1):
        # about z it is below the sum of its Taylor terms, half a step away; the last one is bounded on all of [0, end]
        z, near = step * k, Fraction(0)
        for m in range(order + 1):
            at = z if m < order else Fraction(end)
            terms = [math.comb(n, m) * g * at ** (n - m) for n, g in enumerate(gap) if n >= m]
            size = abs(sum(terms, Fraction(0))) if m < order else sum(map(abs, terms), Fraction(0))
            near += size * (step / 2) ** m
        worst = max(worst, near * Fraction(share(z + step / 2)))
    remainder = abs(series[-1]) * Fraction(end) ** (len(series) - 1)
    assert float(worst + remainder) < 0.06 * 2.0 ** -BITS[precision] * (2 if kind == "sine" else 1)


def test_the_constants_fit_their_type() -> None:
    for precision in PRECISIONS:
        found = elementary_functions(precision)
        numbers = (*found.sine, *found.cosine, *found.arctangent, *found.right_angle, *found.quarter, found.largest)
        for number in numbers:
            kept = struct.unpack("f", struct.pack("f", number))[0] if precision == "float" else number
            assert kept == number
        with mpmath.workdps(60):
            error = abs(mpmath.fsum(found.right_angle) - mpmath.pi / 2)
            assert error < mpmath.mpf(2) ** (-110 if precision == "double" else -58)


@pytest.mark.parametrize("math_of", ["own", "libm"])
def test_an_angle_beyond_the_range_is_bad_input_in_numpy_too(math_of: Math, tmp_path: Path) -> None:
    """The twin has NumPy's functions, but the same statuses."""
    texts = generate_texts("driven_r_2d", precisions=("double",), math=math_of)
    assert ("symgen_math.h" in texts) == (math_of == "own")
    assert ("own_turn_by" in texts["driven_r_2d.c"]) == (math_of == "own")
    (tmp_path / "twin.py").write_text(texts["driven_r_2d.py"], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("twin", tmp_path / "twin.py")
    assert spec is not None
    assert spec.loader is not None
    twin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(twin)
    still = np.zeros(3)
    *_, status = twin.r_position(still, still, still, np.array([[1.0], [1e10]]))
    wanted = [Status.OK, Status.BAD_INPUT if math_of == "own" else Status.OK]
    np.testing.assert_array_equal(status, wanted)
