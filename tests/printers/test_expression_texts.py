"""Exact texts of expressions in every language."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy

from symgen import algebra
from symgen.algebra import absolute, atan2, cos, not_below_zero, number, ratio, sign_of_branch, sin, sqrt, symbol
from symgen.errors import IRError
from symgen.printers.c99 import C99Printer
from symgen.printers.expression import ExpressionPrinter
from symgen.printers.numpy import NumPyPrinter
from symgen.printers.plain import PlainPrinter

x, y, z, branch = (symbol(name) for name in ("x", "y", "z", "branch"))
ORDER = {"x": 0, "y": 1, "z": 2}


def _printers(order: dict[str, int]) -> dict[str, ExpressionPrinter]:
    return {
        "double": C99Printer({}, order, "double"),
        "float": C99Printer({}, order, "float"),
        "numpy": NumPyPrinter({}, order),
        "plain": PlainPrinter({}, order),
    }


#: Expression -> texts in double, float, NumPy and for people. Rows follow the stock printers' traps first.
ROWS: list[tuple[Any, tuple[str, str, str, str]]] = [
    # powers are products, never pow
    (x**2, ("x*x", "x*x", "x*x", "x*x")),
    (x**3 * y, ("x*x*x*y", "x*x*x*y", "x*x*x*y", "x*x*x*y")),
    ((x * y) ** 2, ("x*x*y*y", "x*x*y*y", "x*x*y*y", "x*x*y*y")),
    (1 / x**2, ("1.0/(x*x)", "1.0F/(x*x)", "1.0/(x*x)", "1/(x*x)")),
    (x * y / z**2, ("x*y/(z*z)", "x*y/(z*z)", "x*y/(z*z)", "x*y/(z*z)")),
    # exact binary fractions are decimal numbers, others a division in the expression's own precision
    (x / 2, ("0.5*x", "0.5F*x", "0.5*x", "0.5*x")),
    (x / 3, ("x/3.0", "x/3.0F", "x/3.0", "x/3")),
    (-2 * x / 3, ("-2.0*x/3.0", "-2.0F*x/3.0F", "-2.0*x/3.0", "-2*x/3")),
    (ratio(1, 3), ("(1.0/3.0)", "(1.0F/3.0F)", "(1.0/3.0)", "(1/3)")),
    (ratio(-1, 2), ("-0.5", "-0.5F", "-0.5", "-0.5")),
    (number(0), ("0.0", "0.0F", "0.0", "0")),
    (number(10) ** 20, ("1e+20", "1e+20F", "1e+20", "100000000000000000000")),
    # precedence
    (x * (y + z), ("x*(y + z)", "x*(y + z)", "x*(y + z)", "x*(y + z)")),
    ((x + y) / z, ("(x + y)/z", "(x + y)/z", "(x + y)/z", "(x + y)/z")),
    (x / (y + z), ("x/(y + z)", "x/(y + z)", "x/(y + z)", "x/(y + z)")),
    (x / (y * z), ("x/(y*z)", "x/(y*z)", "x/(y*z)", "x/(y*z)")),
    (-2 * x * (y - z), ("-2.0*x*(y - z)", "-2.0F*x*(y - z)", "-2.0*x*(y - z)", "-2*x*(y - z)")),
    # sums start with a term that is added; a constant reads best first; the rest as defined
    (y - x, ("y - x", "y - x", "y - x", "y - x")),
    (-x - y, ("-x - y", "-x - y", "-x - y", "-x - y")),
    (1 - 2 * x, ("1.0 - 2.0*x", "1.0F - 2.0F*x", "1.0 - 2.0*x", "1 - 2*x")),
    (x - ratio(1, 2), ("x - 0.5", "x - 0.5F", "x - 0.5", "x - 0.5")),
    # functions carry the precision
    (sqrt(x**2 + y**2), ("sqrt(x*x + y*y)", "sqrtf(x*x + y*y)", "np.sqrt(x*x + y*y)", "sqrt(x*x + y*y)")),
    (-sqrt(x), ("-sqrt(x)", "-sqrtf(x)", "-np.sqrt(x)", "-sqrt(x)")),
    (sin(x) * cos(y), ("sin(x)*cos(y)", "sinf(x)*cosf(y)", "np.sin(x)*np.cos(y)", "sin(x)*cos(y)")),
    (atan2(y, x), ("atan2(y, x)", "atan2f(y, x)", "np.arctan2(y, x)", "atan2(y, x)")),
    (absolute(x), ("fabs(x)", "fabsf(x)", "np.abs(x)", "abs(x)")),
    # our own
    (
        not_below_zero(x),
        ("(x > 0.0 ? x : 0.0)", "(x > 0.0F ? x : 0.0F)", "np.maximum(x, 0.0)", "max(x, 0)"),
    ),
    (
        not_below_zero(x - y),
        (
            "((x - y) > 0.0 ? (x - y) : 0.0)",
            "((x - y) > 0.0F ? (x - y) : 0.0F)",
            "np.maximum(x - y, 0.0)",
            "max(x - y, 0)",
        ),
    ),
    (
        sign_of_branch(branch, 1),
        (
            "(branch/2 % 2 == 0 ? 1.0 : -1.0)",
            "(branch/2 % 2 == 0 ? 1.0F : -1.0F)",
            "np.where((branch >> 1) & 1, -1.0, 1.0)",
            "sign(branch, bit 1)",
        ),
    ),
]


@pytest.mark.parametrize(("expression", "texts"), ROWS, ids=[str(row[0]) for row in ROWS])
def test_an_expression_has_this_text(expression: Any, texts: tuple[str, str, str, str]) -> None:
    printers = _printers(ORDER)
    assert tuple(p.print_expression(expression) for p in printers.values()) == texts


#: What was not lowered has no text: the stock printers' answers (M_PI, pow, nested ? :, reduce, comments) never appear.
REFUSED = {
    "square of a sum": (x + y) ** 2,
    "pi": sympy.pi * x,
    "Float": sympy.Float(0.1) * x,
    "Piecewise": sympy.Piecewise((x, y > 0), (y, True)),
    "Max": sympy.Max(x, y),
    "unknown function": sympy.Function("f")(x),
    "sinh": sympy.sinh(x),
    "symbolic power": x ** sympy.Symbol("n"),
    "root of a power": sympy.sqrt(x) ** 3,
    "exponential in a product": x * sympy.exp(y),
    "reciprocal root": 1 / sympy.sqrt(x),
}


@pytest.mark.parametrize("language", ["double", "float", "numpy", "plain"])
@pytest.mark.parametrize("what", REFUSED)
def test_what_was_not_lowered_is_refused(what: str, language: str) -> None:
    with pytest.raises(IRError):
        _printers(ORDER)[language].print_expression(REFUSED[what])


def test_a_refusal_says_what_it_met() -> None:
    with pytest.raises(IRError, match="Piecewise"):
        _printers(ORDER)["double"].print_expression(REFUSED["Piecewise"])
    with pytest.raises(IRError, match="name the base first"):
        _printers(ORDER)["double"].print_expression(REFUSED["square of a sum"])


@pytest.mark.parametrize("language", ["double", "float", "numpy", "plain"])
def test_terms_and_factors_follow_the_order_of_definition(language: str) -> None:
    backwards = _printers({"z": 0, "y": 1, "x": 2})[language]
    assert backwards.print_expression(x + y + z) == "z + y + x"
    assert backwards.print_expression(x * y * z) == "z*y*x"
    forwards = _printers(ORDER)[language]
    assert forwards.print_expression(z + y + x) == "x + y + z"


@pytest.mark.parametrize("language", ["double", "float", "numpy", "plain"])
def test_a_text_is_one_line_without_a_statement(language: str) -> None:
    for expression, _ in ROWS:
        text = _printers(ORDER)[language].print_expression(expression)
        assert "\n" not in text
        assert ";" not in text
        assert "{%" not in text


def test_names_are_replaced_where_the_language_says_so() -> None:
    printer = C99Printer({"x": "a[0]", "y": "a[1]"}, ORDER, "double")
    assert printer.print_expression(x * x - y) == "a[0]*a[0] - a[1]"


def test_float_texts_hold_no_double() -> None:
    for expression, texts in ROWS:
        numbers = re.findall(r"\d+\.\d+F?|\d+e[+-]?\d+F?", texts[1])
        assert all(number.endswith("F") for number in numbers), texts[1]
        assert not {"sqrt", "sin", "cos", "atan2", "fabs"} & set(re.findall(r"[a-z_]\w*", texts[1])), expression


def test_creation_order_of_symbols_does_not_matter() -> None:
    names = ["gamma_1", "b_x", "alpha", "a_0"]
    order = {name: k for k, name in enumerate(names)}
    texts = set()
    for arrangement in (names, names[::-1], names[1:] + names[:1]):
        made = {name: algebra.symbol(name) for name in arrangement}
        total = sum((made[n] * made[m] for n in arrangement for m in names), start=number(0))
        texts.add(C99Printer({}, order, "double").print_expression(total))
    assert len(texts) == 1


def test_what_is_made_of_our_own_functions() -> None:
    """tan, asin, acos and atan call sine, cosine and atan2 where these are ours; exp has no other home."""
    rows = {
        sympy.tan(x + y) * z: ("(own_sin(x + y)/own_cos(x + y))*z", "tanf(x + y)*z"),
        sympy.asin(x - y): ("own_atan2((x - y), sqrt((1.0 - (x - y))*(1.0 + (x - y))))", "asinf(x - y)"),
        sympy.acos(x): ("own_atan2(sqrt((1.0 - x)*(1.0 + x)), x)", "acosf(x)"),
        sympy.atan(2 * x): ("own_atan2(2.0*x, 1.0)", "atanf(2.0F*x)"),
        sympy.exp(x): ("exp(x)", "expf(x)"),
    }
    for value, texts in rows.items():
        own, single = C99Printer({}, ORDER, "double_own"), C99Printer({}, ORDER, "float")
        assert (own.print_expression(value), single.print_expression(value)) == texts
