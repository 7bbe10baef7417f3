"""Formulas as text and in LaTeX: what is read is what was meant, and what could be read in two ways is refused."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.algebra import is_zero, ratio
from symgen.check.evaluate import SYMBOLIC, NumberKind, Scope
from symgen.check.formula import (
    DEEPEST,
    AppliedFunction,
    Array,
    ArrayEntry,
    ExactNumber,
    Formula,
    FormulaError,
    FormulaProduct,
    Negative,
    Power,
    Quotient,
    SourceLetter,
    Sum,
    as_text,
    walk,
)
from symgen.check.latex import parse_latex, spelled
from symgen.check.latex_text import as_latex
from symgen.check.plain import LONGEST, parse_plain
from symgen.check.repair import repairs
from symgen.check.values import scalar


def _scalars() -> st.SearchStrategy[Formula]:
    leaves = st.one_of(
        st.integers(0, 9).map(lambda n: ExactNumber(Fraction(n))), st.sampled_from(list(VALUES)).map(SourceLetter)
    )

    def grown(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(parts, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            several.map(Sum),
            several.map(FormulaProduct),
            st.tuples(parts, parts).map(Quotient),
            st.tuples(parts).map(Negative),
            st.tuples(parts, st.integers(0, 3).map(lambda n: ExactNumber(Fraction(n)))).map(Power),
            st.lists(parts, min_size=3, max_size=3).map(lambda p: ArrayEntry((Array(tuple(p)),), (1,))),
            st.tuples(parts, parts).map(lambda p: AppliedFunction((Array(p), Array(p)), "dot")),
        )

    return st.recursive(leaves, grown, max_leaves=12)


VALUES = {"a": Fraction(3), "q_0": Fraction(-2, 7), "R": Fraction(11, 5), "omega": Fraction(-1, 3)}


def _of_scalars(name: str, value: Fraction) -> Fraction:
    raise AssertionError(f"no {name} of {value} here")


SCOPE: Scope[Fraction] = Scope(
    {name: scalar(value) for name, value in VALUES.items()},
    {},
    NumberKind(lambda value: value, _of_scalars, Fraction(22, 7)),
)


@settings(max_examples=300, deadline=None)
@given(_scalars())
def test_what_is_written_as_text_means_the_same_when_it_is_read(tree: Formula) -> None:
    try:
        wanted = SCOPE.evaluate(tree)
    except ZeroDivisionError:
        return
    assert SCOPE.evaluate(parse_plain(as_text(tree))) == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7), ("-2**2", -4), ("(-2)**2", 4), ("2/3/4", Fraction(1, 6)), ("2/3*4", Fraction(8, 3)),
        ("2**-1", Fraction(1, 2)), ("1 - 2 - 3", -4), ("2*-3", -6), ("0.1 + 0.2", Fraction(3, 10)),
        ("1e-2", Fraction(1, 100)), ("-(1 - 2)", 1), ("4**(1/2)", 2),
    ],
)  # fmt: skip
def test_arithmetic_is_that_of_python_but_exact(text: str, value: Fraction | int) -> None:
    found = Scope({}, {}, SYMBOLIC).evaluate(parse_plain(text)).entries[0]
    wanted = Fraction(value)
    assert is_zero(found - ratio(wanted.numerator, wanted.denominator))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"\frac{1}{2} \dot{q}_0 + R^{T} (\omega \times r)", r"1/2*\dot{q}_0 + transpose(R)*\times(\omega, r)"),
        (r"q_0^2 + q_{1}^{2}", "q_0**2 + q_1**2"),
        (r"\omega \times \mathbf{I}_g \omega", r"\times(\omega, I_g*\omega)"),
        (
            r"\begin{pmatrix} q_0 & -q_1 \\ 2 q_2 & \cos 2\theta \\ \end{pmatrix}",
            r"\below(beside(q_0, -q_1), beside(2*q_2, cos(2*\theta)))",
        ),
        (r"\sin^2\theta\,\cos(\theta + \phi)", r"sin(\theta)**2*cos(\theta + \phi)"),
        (r"-\left( a + b \right)^2", "-(a + b)**2"),
        (r"x_{t + h} - 2 x_t", "x_{t+h} - 2*x_t"),
        (r"\sqrt{a}^{-1}", "sqrt(a)**(-1)"),
        (r"\lVert r \rVert / h", r"\lvert(r)/h"),
        (r"\ddot q_{0}'", r"\ddot{q}_0'"),
        (r"a \cdot b c", r"\cdot(a, b*c)"),
    ],
)
def test_latex_means(text: str, meant: str) -> None:
    known = [r"\ddot{q}_0'"]
    assert as_text(parse_latex(text, known)) == meant


def test_a_letter_may_have_any_superscript_if_it_is_known() -> None:
    assert as_text(parse_latex(r"x^{+} - 2x^2", ["x^+"])) == "x^+ - 2*x**2"
    assert spelled(r"\mathbf{x}^{ + }") == "x^+"
    with pytest.raises(FormulaError, match="neither a number nor T"):
        parse_latex("x^{+}", [])


def test_bars_are_determinants_and_blocks_are_put_together() -> None:
    assert as_text(parse_latex(r"\begin{vmatrix} a & b \\ c & d \end{vmatrix}", [])).startswith("det(")
    assert as_text(parse_latex(r"$a^{\top}$", ["T"])) == "transpose(a)"
    with pytest.raises(FormulaError, match="T is a letter"):
        parse_latex("a^T", ["T"])


def test_brackets_behind_a_function_hold_its_arguments() -> None:
    assert as_text(parse_latex(r"S_p(q, r) q", [], ["S_p"])) == "S_p(q, r)*q"
    assert as_text(parse_latex(r"S_p(q) q", [])) == "S_p*q*q"
    with pytest.raises(FormulaError, match="allowed only after a function"):
        parse_latex(r"S_p(q, r)", [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a/b c", "two ways"), (r"\foo x", "not known here"), ("a = b", "one side only"), ("|x|", r"\\lvert"),
        ("(a)_0", "only letters have subscripts"), (r"\sin^{a} x", "power of 2 to 9"), ("", "empty"),
        (r"\begin{pmatrix} a", "cannot stand|too early"), (r"\sin \omega t", "in brackets"), (r"10\,000 a", "two ways"),
        ("2 5 a", "two ways"), ("2$5$x", "cannot stand"), ("a^t", "neither a number nor T"),
        (r"a/b \cdot c", "several ways"), (r"a \cdot b \times c", "several ways"),
        (r"\begin{pmatrix} a \end{bmatrix}", "ends with"),
    ],
)  # fmt: skip
def test_latex_that_is_not_plain_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        parse_latex(text, [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a^2", r"written with \*\*"), ("a.b", "attributes"), ("f(x)(y)", "cannot stand"), ("a b", "cannot stand"),
        ("(a", "too early"), ("", "empty"), ("a" * (LONGEST + 1), "at most"), ("(" * 61 + "1" + ")" * 61, "nested"),
        ("-" * (DEEPEST + 1) + "1", "nested"), ("1e999", "out of range"), ("'a'", "cannot stand"),
        ("lambda: 0", "cannot stand"), ("a if b else c", "cannot stand"), ("é", "cannot stand"),
    ],
)  # fmt: skip
def test_text_that_is_no_formula_is_refused(text: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said):
        parse_plain(text)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (r"\frac{x^{+} - 2x + x^{-}}{h^2}", ("x^+", "x^-")),
        (r"\frac{1}{2}\dot{q}_0 R^T (\omega\times r) - (a+b)^2 \sin(\omega t)", ()),
        (r"\begin{bmatrix} a & b \\ c & d\end{bmatrix}^T \sqrt{a^2+b^2} \lvert x \rvert", ()),
        (r"-a\cdot b - (a\cdot b)c + (2)(x+1) + \cos^2(x)", ()),
        (r"x'^2 + a^{-1/2} - (b - c) - (-d)", ()),
        (r"a \cdot \frac{1}{2} \omega_{x} t (-a) x_1^2", ()),
    ],
)
def test_what_is_written_in_latex_is_read_as_it_was_meant(text: str, known: tuple[str, ...]) -> None:
    """Every single change of a formula, too: what was likely meant is one of them."""
    formula = parse_latex(text, known)
    assert parse_latex(as_latex(formula), known) == formula
    for _, other in itertools.islice(repairs(formula, known), 300):
        written = as_latex(other)
        if not written:  # an exponent that is no number any more
            assert any(isinstance(node, Power) for node in walk(other))
            continue
        again = parse_latex(written, known)
        assert as_latex(again) == written
        assert _unsigned(again) == _unsigned(other)


def _unsigned(formula: Formula) -> list[str]:
    """Letters and numbers in their order: brackets around products of products mean nothing."""
    leaves = [node for node in walk(formula) if isinstance(node, (SourceLetter, ExactNumber))]
    words = [[leaf.name] if isinstance(leaf, SourceLetter) else str(leaf.value).split("/") for leaf in leaves]
    return [word for each in words for word in each]
