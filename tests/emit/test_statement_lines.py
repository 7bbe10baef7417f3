"""Exact lines of statements in C and NumPy: what a reader of generated/ sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symgen.algebra import FOLD_TOLERANCE, not_below_zero, number, sign_of_branch, sqrt, symbol
from symgen.emit import c99
from symgen.emit import numpy as numpy_emit
from symgen.ir.nodes import Call, Flag, Guard, Let, Output, Port, Routine
from symgen.ir.verify import verify
from symgen.status import Status

h2, root, sigma = symbol("h2"), symbol("root"), symbol("sigma")
a_x, a_y, length = symbol("a_x"), symbol("a_y"), symbol("length")


def _routine() -> Routine:
    """Return the height of a triangle: one of everything."""
    inputs = (
        Port("a", "in", "real", (2,), ("a_x", "a_y"), "m", "world", "a point"),
        Port("length", "in", "real", (), ("length",), "m", "", "a length", "> 0"),
        Port("branch", "in", "int", (), ("branch",), "", "", "which side", "0..1"),
    )
    body = (
        Let("sigma", ("sigma",), (sign_of_branch(symbol("branch"), 0),), "+1 for above"),
        Guard(length, ">", number(0), Status.BAD_INPUT, "no length"),
        Let("h2", ("h2",), (length**2 - a_x**2,), "squared height [m^2]"),
        Guard(h2, ">=", number(0), Status.NO_ASSEMBLY, "out of reach"),
        Flag(h2, "<", FOLD_TOLERANCE * length**2, Status.SINGULAR, "branches meet"),
        Let("root", ("root", "twice"), (sigma * sqrt(not_below_zero(h2)), 2 * a_y), "height [m]"),
    )
    outputs = (
        Output(Port("p", "out", "real", (2,), ("p_x", "p_y"), "m", "world", "tip"), (a_x, root + symbol("twice"))),
        Output(Port("height", "out", "real", (), ("height",), "m", "", "height"), (root,)),
    )
    return verify(Routine("kernel_position", "triangle", "kernel", None, "position", inputs, body, outputs, (root,), 2))


C_DOUBLE = """\
    symgen_status status = SYMGEN_OK;

    /* +1 for above */
    const double sigma = (branch % 2 == 0 ? 1.0 : -1.0);
    if (!(length > 0.0)) { /* no length */
        return SYMGEN_BAD_INPUT;
    }

    /* squared height [m^2] */
    const double h2 = length*length - a[0]*a[0];
    if (!(h2 >= 0.0)) { /* out of reach */
        return SYMGEN_NO_ASSEMBLY;
    }
    if (h2 < length*length*SYMGEN_FOLD_TOLERANCE) { /* branches meet */
        status = SYMGEN_SINGULAR;
    }

    /* height [m] */
    const double root = sigma*sqrt((h2 > 0.0 ? h2 : 0.0));
    const double twice = 2.0*a[1];
"""


def _words(lines: tuple[str, ...]) -> list[str]:
    """Return lines without blank ones: how they are spaced is the emitter's affair."""
    return [line.strip() for line in lines if line.strip()]


def test_c_lines_of_a_routine() -> None:
    found = _words(c99.emit_function("toy", _routine(), "double").body)
    expected = [line.strip() for line in C_DOUBLE.splitlines() if line.strip()]
    tolerant = {  # a tolerance may stand first or last in its product
        "if (h2 < SYMGEN_FOLD_TOLERANCE*length*length) { /* branches meet */",
        "if (h2 < length*length*SYMGEN_FOLD_TOLERANCE) { /* branches meet */",
    }
    for line, wanted in zip(found, expected, strict=False):
        assert line == wanted or {line, wanted} <= tolerant
    assert found[-1] == "return status;"
    # stores come last, after every way out
    returns = [k for k, line in enumerate(found) if line.startswith("return SYMGEN_")]
    stores = [k for k, line in enumerate(found) if line.startswith(("p[0] =", "p[1] =", "*height_out ="))]
    assert len(stores) == 3
    assert max(returns) < min(stores)


def test_float_lines_differ_in_types_suffixes_and_functions_only() -> None:
    double = c99.emit_function("toy", _routine(), "double")
    single = c99.emit_function("toy", _routine(), "float")
    back = "\n".join(single.body)
    for word, other in (("float", "double"), ("sqrtf", "sqrt"), ("fabsf", "fabs"), ("FLT_", "DBL_"), ("0F", "0")):
        back = back.replace(word, other)
    assert back == "\n".join(double.body)
    assert (double.symbol, single.symbol) == ("symgen_toy_kernel_position", "symgenf_toy_kernel_position")


def test_c_signature_inputs_are_const_and_outputs_come_last() -> None:
    texts = c99.emit_function("toy", _routine(), "double")
    assert texts.parameters == (
        "const double a[2]",
        "double length",
        "int32_t branch",
        "double p[2]",
        "double *height_out",
    )
    assert texts.batch_parameters == (
        "const double *a",
        "const double *length",
        "const int32_t *branch",
        "double *p",
        "double *height_out",
    )
    assert texts.batch_arguments == ("a + 2*row", "length[row]", "branch[row]", "p + 2*row", "height_out + row")


def test_guards_are_written_so_that_nan_fails_them() -> None:
    for line in c99.emit_function("toy", _routine(), "double").body:
        if line.strip().startswith("if (") and "SYMGEN_" not in line and "status" not in line:
            assert line.strip().startswith("if (!(")


NUMPY = [
    "# +1 for above",
    "sigma = np.where((branch >> 0) & 1, -1.0, 1.0)",
    "status = _unless(length > 0.0, status, BAD_INPUT)  # no length",
    "# squared height [m^2]",
    "h2 = length*length - a_x*a_x",
    "status = _unless(h2 >= 0.0, status, NO_ASSEMBLY)  # out of reach",
]


def test_numpy_lines_of_a_routine() -> None:
    texts = numpy_emit.emit_function(_routine())
    found = _words(texts.body)
    assert found[: len(NUMPY)] == NUMPY
    assert "root = sigma*np.sqrt(np.maximum(h2, 0.0))" in found
    assert "twice = 2.0*a_y" in found
    assert texts.parameters == ("a", "length", "branch")
    assert [line.strip() for line in texts.unpack] == ["a_x, a_y = _parts(a)"]


@pytest.mark.parametrize("language", ["double", "float"])
def test_no_line_is_wider_than_a_page(language: Any) -> None:
    long = sum((symbol("a_x") * symbol("length") ** k for k in range(2, 9)), start=number(0))
    routine = _routine()
    routine = replace(routine, body=(*routine.body, Let("long", ("long_sum",), (long,), "word " * 60)))
    for line in c99.emit_function("toy", routine, language).body:
        assert len(line) <= 120, line


def test_a_call_passes_arrays_and_reads_its_results_by_element() -> None:
    inner = _routine()
    call = Call(
        "tri", inner, ((a_x, a_y), (length,), (symbol("branch"),)), (("tri_p_x", "tri_p_y"), ("tri_height",)), "Tip."
    )
    result = Output(Port("q", "out", "real", (), ("q",), "m", "", "q"), (symbol("tri_p_y") * symbol("tri_height"),))
    outer = replace(inner, name="r_position", body=(call,), outputs=(result,), finite=(symbol("tri_height"),))
    found = _words(c99.emit_function("toy", verify(outer), "double").body)
    assert "double tri_p[2];" in found
    assert "double tri_height;" in found
    assert any("symgen_toy_kernel_position(a, length, branch, tri_p, &tri_height)" in line for line in found)
    assert "*q_out = tri_p[1]*tri_height;" in found


def test_what_is_no_array_yet_becomes_one_for_a_call() -> None:
    inner = _routine()
    given = ((a_y, a_x), (length,), (symbol("branch"),))
    call = Call("tri", inner, given, (("tri_p_x", "tri_p_y"), ("tri_height",)), "Tip.")
    result = Output(
        Port("q", "out", "real", (2,), ("q_x", "q_y"), "m", "", "q"), (symbol("tri_p_x"), symbol("tri_p_y"))
    )
    outer = replace(inner, name="r_position", body=(call,), outputs=(result,), finite=())
    found = _words(c99.emit_function("toy", verify(outer), "double").body)
    assert "const double tri_a[2] = {a[1], a[0]};" in found
    assert "for (int32_t k = 0; k < 2; ++k) {" in found
    assert "q[k] = tri_p[k];" in found
