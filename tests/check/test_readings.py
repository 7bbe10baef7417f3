r"""LaTeX whose brackets matter: what has one value however it is read stays, what has two is refused.

The oracle is every way to put brackets, computed here with NumPy.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from symgen.check.evaluate import NumberKind, Scope
from symgen.check.formula import FormulaError, SizeError
from symgen.check.latex import parse_latex
from symgen.check.latex_text import as_latex
from symgen.check.plain import parse_plain
from symgen.check.values import Value, matrix, scalar, vector

_A = [[1, 2, 0], [3, -1, 4], [0, 5, 2]]
_B = [[2, 0, 1], [1, 1, 0], [-3, 2, 1]]
_VECTORS = {"u": [1, -2, 3], "v": [4, 0, -1], "w": [2, 2, 5]}


def _fractions(numbers: list[int]) -> list[Fraction]:
    return [Fraction(n) for n in numbers]


def _none(name: str, value: Fraction) -> Fraction:
    return value * 0 + {"sin": 2, "cos": 3}[name] + value / 7


LETTERS: dict[str, Value[Fraction]] = {
    **{name: vector(_fractions(entries)) for name, entries in _VECTORS.items()},
    "A": matrix(list(map(_fractions, _A))), "B": matrix(list(map(_fractions, _B))),
    "k": scalar(Fraction(7)), "m": scalar(Fraction(-3)),
}  # fmt: skip
SCOPE: Scope[Fraction] = Scope(LETTERS, {}, NumberKind(lambda value: value, _none, Fraction(22, 7)))  # type: ignore[arg-type]


def _value(text: str) -> Value[Fraction]:
    return SCOPE.evaluate(parse_latex(text, LETTERS))


@pytest.mark.parametrize(
    "text",
    [
        r"u \cdot v \cdot w", r"u \times v \times w", r"A \cdot u \cdot v", r"u \cdot A \cdot v", r"A u \times v",
        r"A u \cdot v", r"-A u \times v", r"k A u \times v", r"u \times v A", r"u \cdot A v \cdot w",
        r"u * v * w", r"A \times u", r"k \cdot u \times v \cdot w",
    ],
)  # fmt: skip
def test_a_row_of_products_with_several_values_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="several ways") as caught:
        _value(text)
    assert not isinstance(caught.value, SizeError)  # a size that does not fit would be a verdict


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"k \cdot u \cdot v", 7 * np.dot([1, -2, 3], [4, 0, -1])),
        (r"u \cdot k \cdot v", 7 * np.dot([1, -2, 3], [4, 0, -1])),
        (r"u \times k v \times m", -21 * np.cross([1, -2, 3], [4, 0, -1])),
        (r"u \times A v", np.cross([1, -2, 3], np.array(_A) @ [4, 0, -1])),
        (r"u \cdot A B v", np.dot([1, -2, 3], np.array(_A) @ _B @ [4, 0, -1])),
        (r"(A u) \times v", np.cross(np.array(_A) @ [1, -2, 3], [4, 0, -1])),
        (r"A (u \times v)", np.array(_A) @ np.cross([1, -2, 3], [4, 0, -1])),
        (r"(u \times v) \times w", np.cross(np.cross([1, -2, 3], [4, 0, -1]), [2, 2, 5])),
        (r"(u \cdot v) w", np.dot([1, -2, 3], [4, 0, -1]) * np.array([2, 2, 5])),
        (r"A \cdot B \cdot v", np.array(_A) @ _B @ [4, 0, -1]),
        (r"k \cdot m \cdot k", np.array(-147)),
    ],
)
def test_what_has_one_value_or_brackets_stays(text: str, wanted: np.ndarray) -> None:
    formula = parse_latex(text, LETTERS)
    for tree in (formula, parse_latex(as_latex(formula), LETTERS)):
        assert [float(entry) for entry in SCOPE.evaluate(tree).entries] == list(np.ravel(wanted))


@pytest.mark.parametrize(
    "text",
    [
        r"\sin k/2",
        r"\cos k \cdot m",
        r"2 \sin k / m",
        r"-\sin k/2",
        r"\sin k \sqrt{m}",
        r"\sin k \times m",
        r"\det A k",
    ],
)
def test_a_function_without_brackets_before_a_sign_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="argument in brackets"):
        parse_latex(text, LETTERS)


@pytest.mark.parametrize("text", [r"\sin k^2", r"\cos k^{-1}"])
def test_a_power_behind_a_function_without_brackets_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="two ways"):
        parse_latex(text, LETTERS)


def test_functions_in_a_row_need_no_brackets() -> None:
    sine, cosine = 2 + Fraction(7, 7), 3 + Fraction(-3, 7)
    for text in (r"\sin k \cos m", r"\sin k \cdot \cos m", r"\sin(k) \cdot \cos m", r"\sin k \cos(m)"):
        assert _value(text) == scalar(sine * cosine)
    assert _value(r"\sin k \cos^2(m)") == scalar(sine * cosine**2)
    assert _value(r"\sin(k)/2") == scalar(sine / 2)
    assert _value(r"\det A") == _value(r"\det(A)") == scalar(Fraction(round(np.linalg.det(_A))))


@pytest.mark.parametrize("text", [r"\mathbf{A} A u", r"\vec{u} \cdot u", r"\dot{\mathbf q}_0 + \dot q_0"])
def test_one_letter_in_two_fonts_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="two fonts"):
        parse_latex(text, ["A", "u", r"\dot{q}_0"])


def test_fonts_that_are_the_same_everywhere_mean_nothing() -> None:
    assert _value(r"\mathbf{A} \mathbf A u") == _value("A A u")
    assert _value(r"\mathbf{u} \cdot A \mathbf{u}") == _value(r"u \cdot A u")


def _rows(text: str) -> np.ndarray:
    found = _value(text)
    return np.array([float(entry) for entry in found.entries]).reshape(found.shape)


def test_a_zero_among_blocks_has_the_size_of_its_row_and_column() -> None:
    a, b, u = np.array(_A), np.array(_B), np.array([[1], [-2], [3]])
    zero = np.zeros((3, 3))
    assert (_rows(r"\begin{bmatrix} A & B \\ 0 & A \end{bmatrix}") == np.block([[a, b], [zero, a]])).all()
    assert (
        _rows(r"\begin{bmatrix} A & 0 \\ 0 & 1 \end{bmatrix}") == np.block([[a, zero[:, :1]], [zero[:1], np.eye(1)]])
    ).all()
    assert (_rows(r"\begin{pmatrix} A & u \\ 0 & 1 \end{pmatrix}") == np.block([[a, u], [zero[:1], np.eye(1)]])).all()
    assert (_rows(r"\begin{bmatrix} k & 0 \\ 0 & 1 \end{bmatrix}") == [[7, 0], [0, 1]]).all()
    assert (_rows(r"\begin{bmatrix} 0 & B \\ u & 0 \end{bmatrix}") == np.block([[zero[:, :1], b], [u, zero]])).all()


def test_blocks_whose_size_is_not_said_are_refused_and_those_that_do_not_fit_are_a_verdict() -> None:
    with pytest.raises(FormulaError, match="identity"):
        _value(r"\begin{bmatrix} A & B \\ 1 & A \end{bmatrix}")
    for text in (r"\begin{bmatrix} 0 \\ u \end{bmatrix}", r"\begin{bmatrix} A & u \\ 0 & 0 \end{bmatrix}"):
        with pytest.raises(FormulaError, match=r"zeros\(3\)"):
            _value(text)
    for text in (r"\begin{bmatrix} A & k \\ 0 & A \end{bmatrix}", r"\begin{bmatrix} A & B \\ 0 & u \end{bmatrix}"):
        with pytest.raises(SizeError):
            _value(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"\tanh x", r'"\tanh" is not known here'), (r"a + \foo b", r'"\foo" is not known here'),
        (r"x^{+}", '"^+"'), (r"\hat{r}_{", r'"\hat{r}_{"'),
    ],
)  # fmt: skip
def test_messages_name_the_command_and_write_backslashes_once(text: str, said: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_latex(text, [])
    assert said in str(caught.value)
    assert "\\\\" not in str(caught.value).partition("; allowed")[0]


def test_a_hat_that_is_not_known_is_told_how_to_become_one() -> None:
    with pytest.raises(FormulaError) as caught:
        _value(r"\hat{u} v")
    assert r'"\\hat{u}" = "hat(u)"' in str(caught.value)
    assert r'the letter "\hat{u}" is not known' in str(caught.value)


def test_the_minus_sign_of_printed_texts_is_a_minus() -> None:
    assert _value("k \N{MINUS SIGN} m") == scalar(Fraction(10))
    assert SCOPE.evaluate(parse_plain("k \N{MINUS SIGN} m")) == scalar(Fraction(10))
