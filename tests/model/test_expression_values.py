"""Values and derivatives of expressions against SymPy at 30 digits and against central differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symgen.model.expressions import Expression, ExpressionError, constant, parse

NAMES = {"x", "a"}

# Written for every rule; each is smooth near the points used below.
SMOOTH = [
    "3", "x", "a", "x + a", "a - x", "x*a*x", "a/x", "(x + 1)/(x**2 + a)", "-x", "x**3", "x**-2", "x**0.5", "x**a",
    "a**x", "x**x", "x**(1/3)", "x**pi", "pi*x", "-pi*x", "sqrt(x)", "sqrt(1 + x**2)", "sin(x)", "cos(a*x)", "tan(x/2)",
    "asin(x/4)", "acos(x/4)", "atan(a*x)", "atan2(x, a)", "atan2(a, x**2)", "atan2(sin(x), cos(x))", "exp(-x)",
    "log(x)", "exp(sin(x)**2)", "abs(x - 5)", "abs(x)*x", "min(x, 5)", "max(x, 5)", "min(x**2, 7*x, 9)",
    "max(sin(x), cos(x))", "x - -x", "2*-x", "(-x)**2", "-x**2", "x**2**x", "1/(1/x)", "0*x + 1", "x**1", "x**0",
    "(x + a)**2/(x - 5)",
]  # fmt: skip
POINTS = [(0.7, 1.3), (1.9, 0.4), (1.1, 2.2)]


def by_sympy(text: str) -> sympy.Expr:
    """The same text read by SymPy (trusted text of this file only)."""
    functions = {"min": sympy.Min, "max": sympy.Max, "abs": sympy.Abs, "pi": sympy.pi}
    x, a = sympy.symbols("x a", positive=True)
    return sympy.sympify(text, locals={**functions, "x": x, "a": a}, rational=True)  # noqa: TID251


def number_of(formula: sympy.Expr, x: float, a: float) -> float:
    symbols = {symbol.name: symbol for symbol in formula.free_symbols}
    values = {symbols[name]: sympy.Float(value, 30) for name, value in (("x", x), ("a", a)) if name in symbols}
    return float(formula.subs(values).doit().evalf(20))


@pytest.mark.parametrize("text", SMOOTH)
def test_value_and_two_derivatives_agree_with_sympy(text: str) -> None:
    ours, theirs = parse(text, names=NAMES), by_sympy(text)
    for _order in range(3):
        for x, a in POINTS:
            # A handful of roundings, none of them strongly cancelling at these points.
            assert ours.evaluate({"x": x, "a": a}) == pytest.approx(number_of(theirs, x, a), rel=1e-12, abs=1e-12)
        ours, theirs = (
            ours.derivative("x"),
            sympy.diff(theirs, "x" if not theirs.free_symbols else _symbol(theirs, "x")),
        )


def _symbol(formula: sympy.Expr, name: str) -> sympy.Symbol:
    return next((each for each in formula.free_symbols if each.name == name), sympy.Symbol(name, positive=True))


@pytest.mark.parametrize("text", SMOOTH)
def test_arrays_give_the_same_as_one_number_after_the_other(text: str) -> None:
    x = np.linspace(0.5, 2.5, 7).reshape(7, 1)
    a = np.array([0.5, 1.5])
    for law in (parse(text, names=NAMES), parse(text, names=NAMES).derivative("x")):
        together = law.evaluate({"x": x, "a": a})
        single = [[law.evaluate({"x": float(u), "a": float(v)}) for v in a] for u in x[:, 0]]
        expected = np.array(single) if law.names == NAMES else np.broadcast_to(single, (7, 2))
        # math and NumPy may round a function differently, by a unit in the last place each
        np.testing.assert_allclose(np.broadcast_to(together, (7, 2)), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("text", SMOOTH)
def test_the_text_of_a_derivative_reads_back_as_the_derivative(text: str) -> None:
    slope = parse(text, names=NAMES).derivative("x")
    if "sign" in slope.text or "choose" in slope.text:
        return  # of abs, min and max: these two are not in the language of the file
    again = parse(slope.text, names=NAMES)
    for x, a in POINTS:
        assert again.evaluate({"x": x, "a": a}) == slope.evaluate({"x": x, "a": a})


LEAVES = st.sampled_from(["x", "a", "2", "0.5", "pi"])


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda p: f"({p[0]}){p[1]}({p[2]})")
    call = st.tuples(st.sampled_from(["sin", "cos", "atan", "exp", "abs", "sqrt", "log"]), inner)
    pair = st.tuples(st.sampled_from(["min", "max", "atan2"]), inner, inner).map(lambda p: f"{p[0]}({p[1]},{p[2]})")
    square = inner.map(lambda u: f"({u})**2")
    return binary | call.map(lambda p: f"{p[0]}({p[1]})") | pair | square


@settings(max_examples=150, deadline=None)
@given(st.recursive(LEAVES, _grow, max_leaves=6), st.floats(0.3, 2.0), st.floats(0.3, 2.0))
def test_derivative_agrees_with_central_differences(text: str, x: float, a: float) -> None:
    law = parse(text, names=NAMES)
    slope = law.derivative("x")

    def value(at: float, formula: Expression = law) -> float:
        return formula.evaluate({"x": at, "a": a})

    step = 1e-5
    try:
        near = [value(x + k * step) for k in (-2, -1, 1, 2)]
        slopes = [value(x + k * step, slope) for k in (-2, -1, 0, 1, 2)]
    except ExpressionError:
        assume(False)
    size = max(1.0, *map(abs, near), *map(abs, slopes))
    # only where the function is smooth and tame: slopes vary little and smoothly over the stencil (no kink, no pole)
    assume(size < 1e3 and max(slopes) - min(slopes) < 1e-3 * size)
    fourth_order = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
    # rounding of the values over the step, 1e-16*size/1e-5, with a margin; kinks inside shift by the spread of slopes
    assert slopes[2] == pytest.approx(fourth_order, abs=1e-8 * size + 2 * (max(slopes) - min(slopes)))


@pytest.mark.parametrize(
    ("text", "x", "words"),
    [
        ("sqrt(x)", -1.0, "sqrt(-1) has no finite real value"),
        ("log(x)", 0.0, "log(0) has no finite real value"),
        ("1/x", 0.0, "division of 1 by zero"),
        ("0/x", 0.0, "division of 0 by zero"),
        ("asin(x)", 1.5, "asin(1.5) has no finite real value"),
        ("exp(x)", 1000.0, "exp(1000) has no finite real value"),
        ("x**0.5", -8.0, "-8 ** 0.5 has no finite real value"),
        ("x**-1", 0.0, "0 ** -1 has no finite real value"),
        ("x*x", 1e200, "1e+200 * 1e+200 has no finite real value"),
        ("1 + 2*sqrt(x - 1)", 0.0, 'in "sqrt(x - 1)" (at x = 0)'),
        ("x", math.inf, "finite number"),
        ("x + 1", math.nan, "finite number"),
    ],
)
def test_outside_its_domain_an_expression_says_so_and_never_gives_nan(text: str, x: float, words: str) -> None:
    law = parse(text, names={"x"})
    with pytest.raises(ExpressionError) as one:
        law.evaluate({"x": x})
    assert words in str(one.value)
    with pytest.raises(ExpressionError) as many:
        law.evaluate({"x": np.array([2.0 if text != "asin(x)" else 0.5, x, 3.0])})
    assert words in str(many.value)


def test_a_derivative_that_does_not_exist_is_reported() -> None:
    with pytest.raises(ExpressionError, match="division of 1 by zero"):
        parse("sqrt(x)", names={"x"}).derivative("x").evaluate({"x": 0.0})


def test_at_a_kink_the_documented_slope_is_taken() -> None:
    assert parse("abs(x)", names={"x"}).derivative("x").evaluate({"x": 0.0}) == 0.0
    assert parse("min(2*x, 3*x)", names={"x"}).derivative("x").evaluate({"x": 0.0}) == 2.0
    assert parse("max(2*x, 3*x)", names={"x"}).derivative("x").evaluate({"x": 0.0}) == 2.0


def test_bound_names_are_no_longer_asked_for_and_tell_expressions_apart() -> None:
    law = parse("a*x", names=NAMES)
    assert law.bind({"a": 2.0, "other": 1.0}).names == {"x"}
    assert law.bind({"a": 2.0}).evaluate({"x": 3.0}) == 6.0
    assert law.bind({"a": 2.0}) == parse("a*x", names=NAMES).bind({"a": 2.0})
    assert law.bind({"a": 2.0}) != law.bind({"a": 3.0})
    assert law.derivative("x") != law
    with pytest.raises(ExpressionError, match="no value given for x"):
        law.bind({"a": 2.0}).evaluate({})


def test_zeros_and_ones_are_dropped_from_derivatives() -> None:
    assert parse("2*pi*x", names={"x"}).derivative("x").text == "2*pi"
    assert parse("x**2", names={"x"}).derivative("x").text == "2*x"
    assert parse("a + 3*x", names=NAMES).derivative("x").text == "3"
    assert parse("sin(x)", names={"x"}).derivative("x").derivative("x").text == "-sin(x)"
    assert constant(4.0).derivative("x").text == "0"


def test_the_longest_and_deepest_expressions_are_differentiated_twice_at_once() -> None:
    for text in ("*".join(["x"] * 190), "sin(" * 99 + "x" + ")" * 99, "1" + "+x**x" * 190, "x**" * 60 + "x"):
        law = parse(text, names={"x"})
        second = law.derivative("x").derivative("x")
        assert math.isfinite(second.evaluate({"x": 0.9}))
        assert len(second.text) < 5000
