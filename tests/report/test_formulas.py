"""Formulas of steps and of generated C: read as trees, with the values of their own definitions, written as LaTeX."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest
import sympy

from symgen.algebra.vector_forms import components_of, in_components, is_vector_form, vector_names
from symgen.printers.vector_functions import FIELDS, VECTOR_FUNCTIONS, VectorFunction
from symgen.report.formula import NoFormulaError, Values, component_names, evaluate, read_equations, read_formula
from symgen.report.latex_text import latex_text
from symgen.report.layout import latex, mathml
from symgen.report.typeset import Notation, typeset

SIZES = {"s": 3, "j1_at": 3, "j1_z": 3, "k1": 3, "k1_ex": 3, "k1_ey": 3, "k1_ez": 3, "f_j1_k1": 3, "omega_1": 3,
         "arm": 3, "q_b1": 4, "f_j1_b1_q": 4, "u": 2, "v": 2}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sub(s, j1_at)", r"\mathbf{s} - \mathbf{r}_{\mathrm{j1}}"),
        ("sub(s, sub(j1_at, k1))", r"\mathbf{s} - ( \mathbf{r}_{\mathrm{j1}} - \mathbf{r}_{\mathrm{k1}} )"),
        ("cross(j1_z, sub(s, j1_at))",
         r"\mathbf{e}_{z , \mathrm{j1}} \times ( \mathbf{s} - \mathbf{r}_{\mathrm{j1}} )"),
        ("squared(arm)", r"\lVert \mathbf{arm} \rVert^{2}"),
        ("scaled(R(0.5), omega_1)", r"0.5 \,\allowbreak  \boldsymbol{\omega}_{1}"),
        ("-rate*rate", r"- \mathrm{rate}^{2}"),
        ("a - -b*c", r"a - ( - b \,\allowbreak  c )"),
        ("a/(b*c)", r"\dfrac{a}{b \,\allowbreak  c}"),
        ("(margin > R(0.0) ? margin : R(0.0))", r"\max ( \mathrm{margin} , 0 )"),
        ("(u1 if a <= b else v1)", r"\begin{cases} u_{1} & \text{if } a \le  b \\ v_{1} & \text{else} \end{cases}"),
        ("sign(branch, bit 1)", r"( - 1 )^{b_{1}}"),
        ("real_abs(det) > SYMGEN_SINGULAR_TOLERANCE*size",
         r"\lvert \mathrm{det} \rvert > \epsilon_{\text{singular}} \,\allowbreak  \mathrm{size}"),
        ("quat_product(q_b1, quat_inverse(f_j1_b1_q))",
         r"\mathbf{q}_{\mathrm{b1}} \circ  ( \mathbf{q}_{\mathrm{j1} , \mathrm{b1}} )^{- 1}"),
        ("k1.x", r"r_{\mathrm{k1} , x}"),
        ("1e-09", r"{10}^{-9}"),
    ],
)  # fmt: skip
def test_a_formula_is_written_as_one_writes_it(text: str, expected: str) -> None:
    layout = typeset(read_formula(text), Notation(SIZES))
    assert latex(layout).replace("{-1}", "{- 1}") == expected
    ElementTree.fromstring(mathml(layout))  # noqa: S314 - made here


def test_squares_and_reciprocals_are_written_by_what_they_are_of() -> None:
    notation = Notation({}, {"h2": "h", "l_a2": "l_a"}, {"i_h2": "h2", "i_det": "det"})
    assert [latex(notation.symbol(name)) for name in ("h2", "l_a2", "i_h2", "i_det")] == [
        "h^{2}", "l_{a}^{2}", "h^{- 2}", r"\mathrm{det}^{- 1}",
    ]  # fmt: skip


@pytest.mark.parametrize("function", VECTOR_FUNCTIONS, ids=lambda function: function.name)
def test_functions_of_vectors_have_the_values_of_their_definitions(function: VectorFunction) -> None:
    # the oracle is what the passes recognise forms by: symgen.algebra.vector_forms
    drawn = random.Random(function.name)
    given: dict[str, Any] = {}
    values = Values(0)
    for name, size in function.arguments:
        numbers = [drawn.uniform(-2, 2) for _ in range(size or 1)]
        given[name] = tuple(map(sympy.Float, numbers)) if size else sympy.Float(numbers[0])
        names = component_names(name, size, ()) if size else (name,)
        values.update(zip(names, numbers, strict=True))
    text = f"{function.name}({', '.join(name for name, _ in function.arguments)})"
    sizes = {name: size for name, size in function.arguments if size}
    found = evaluate(read_formula(text), values, sizes)
    vectors = {name: given[name] for name in vector_names(function.form)}
    numbers_of = {sympy.Symbol(n, real=True): given[n] for n, size in function.arguments if not size}
    if is_vector_form(function.form):
        wanted = [float(sympy.Add(part, 0).subs(numbers_of)) for part in components_of(function.form, vectors)]
        assert found == pytest.approx(wanted, rel=1e-12)
        assert len(wanted) == len(FIELDS[function.size])
    else:
        assert found == pytest.approx(float(sympy.Add(in_components(function.form, vectors), 0)), rel=1e-12)


def test_both_spellings_have_one_value() -> None:
    values = Values(3)
    for plain, c in (("max(h, 0)", "(h > R(0.0) ? h : R(0.0))"), ("abs(h)*sqrt(k)", "real_abs(h)*real_sqrt(k)")):
        for h in (-1.5, 2.5):
            values["h"] = h
            assert evaluate(read_formula(plain), values, {}) == evaluate(read_formula(c), values, {})
    assert read_equations("a_x = b_x*2; a_y = -b_y")[1][0] == "a_y"


@pytest.mark.parametrize(
    "text",
    ["", "a +", "(" * 5000 + "a" + ")" * 5000, "a; b", "a = b", "'text'", "x[1:2]", "lambda: 1", "a b", "1..2", "@"],
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(NoFormulaError):
        read_formula(text)


@pytest.mark.parametrize("text", ["__import__(1)", "open(a)", "a/(b - b)", "a.b.c", "dot(a, b)", "9**9"])
def test_nothing_is_executed_and_what_has_no_value_has_none(text: str) -> None:
    with pytest.raises(NoFormulaError):
        evaluate(read_formula(text), Values(1), {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\input{x} 50% & $a_1$", r"\textbackslash{}input\{x\} 50\% \& \$a\_1\$"),
        ("^2 #~", r"\textasciicircum{}2 \#\textasciitilde{}"),
        ("Kurbel \u00f6 \u00e9 \u00df", r"Kurbel \"{o} \'{e} \ss{}"),
        ("\u4e2d \u03b1", "[U+4E2D] [U+03B1]"),
        ("a\x00\u202eb", "ab"),
    ],
)  # fmt: skip
def test_any_text_is_text_in_latex(text: str, expected: str) -> None:
    assert latex_text(text) == expected
