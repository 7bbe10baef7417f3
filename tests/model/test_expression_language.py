"""What an expression may be, and that nothing else gets through."""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import SymgenError
from symgen.model.expressions import ExpressionError, parse

ACCEPTED = {
    "1": 1.0,
    " 2 + 3*4 ": 14.0,
    "2**3**2": 512.0,
    "-2**2": -4.0,
    "+-+3": -3.0,
    "(1 + 2)*3": 9.0,
    "7/2": 3.5,
    ".5e1": 5.0,
    "1.": 1.0,
    "1e-3": 1e-3,
    "1 +\n\t2": 3.0,
    "pi": math.pi,
    "atan2(1, 1)": math.pi / 4,
    "min(3, 1, 2)": 1.0,
    "max(3, 1, 2, 5)": 5.0,
    "abs(-2)": 2.0,
    "sqrt(2)**2": 2.0000000000000004,
    "L/2": 0.2,
    "exp(log(L))": 0.4,
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_language_of_the_contract_is_read(text: str) -> None:
    assert parse(text, names={"L"}).evaluate({"L": 0.4}) == pytest.approx(ACCEPTED[text], rel=1e-15)


HOSTILE = [
    "__import__('os').system('true')",
    "().__class__",
    "L.real",
    "L.__class__.__mro__",
    "lambda: 0",
    "(lambda: 0)()",
    "[x for x in (1,)]",
    "(x for x in L)",
    "{1: 2}",
    "{1}",
    "[1]",
    "L[0]",
    "'text'",
    '"text"',
    "f'{L}'",
    "b'1'",
    "1 if L else 2",
    "L and 1",
    "not L",
    "~L",
    "L < 1",
    "L == 1",
    "L in L",
    "L is L",
    "L := 2",
    "(L := 2)",
    "L = 2",
    "1; 2",
    "import os",
    "await L",
    "(yield)",
    "(yield L)",
    "*L",
    "sin(*L)",
    "sin(**L)",
    "sin(x=1)",
    "sin(1)(2)",
    "(sin)(1)(2)",
    "sin",
    "True",
    "None",
    "...",
    "L // 2",
    "L % 2",
    "L @ L",
    "L << 1",
    "L ^ 2",
    "L | 1",
    "0x10",
    "0b1",
    "0o7",
    "1_000",
    "1j",
    "1if L else 2",
    "010",
    "1,5",
    "(1, 2)",
    "1 2",
    "2L",
    "2(3)",
    "L(3)",
    "pi(3)",
    "()",
    "",
    "   ",
    "#",
    "1 # comment",
    "1)+(2",
    "(1",
    "1)",
    "sin()",
    "sin(1, 2)",
    "atan2(1)",
    "min(1)",
    "pow(2, 3)",
    "eval(1)",
    "exec(1)",
    "inf",
    "nan",
    "e",
    "t",
    "M",
    "ﬁ",
    "π",
    "2×3",
    "2−1",
    "1e999",
    "9" * 400,
    "9**9**9",
    "2**1000",
    "2**(50*50)",
    "2**(1/0)",
    "L**L**-1e9",
    "(" * 500 + "1" + ")" * 500,
    "-" * 1500 + "1",
    "1" + "**1" * 600,
    "+".join("1" * 400),
    "sin(" * 150 + "1" + ")" * 150,
    "1" * 5000,
    "\x00",
    "1\x00",
    "\\",
    "1\\\n+1",
    "\x0c1",
    "1\u2028+1",
    "`1`",
    "$L",
    "L!",
    "L?",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_anything_else_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, names={"L"})
    message = str(caught.value)
    assert message.startswith('expression "')
    assert message.isprintable()
    assert len(message) < 600


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("1 + speeed*2", 4, 'unknown name "speeed"; did you mean "speed"?'),
        ("1 + sn(2)", 4, 'unknown function "sn"; did you mean "sin"?'),
        ("speed^2", 5, "a power is written with **"),
        ("2*t", 2, "the time t may only be used in the laws"),
        ("1 + sin(1, 2)", 4, "sin takes 1 argument, not 2"),
        ("min(1)", 0, "min takes 2 or more arguments, not 1"),
        ("1,5", None, "decimals have a point"),
        ("2speed", 0, "a product needs *"),
        ("speed(2)", 0, "speed is a number, not a function"),
        ("2 + sin", 4, "sin is a function: write sin(...)"),
        ("speed = 3", 6, "right-hand side"),
        ("30°", 2, "angles are in radians"),
        ("2**200", 3, "the exponent is 200; at most 100"),
        ("(1", 1, "not closed"),
        ("1)", 1, "closes nothing"),
        ("1 +", None, "allowed are"),
    ],
)
def test_a_refusal_says_what_where_and_the_likely_fix(text: str, position: int | None, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, names={"speed"})
    assert words in str(caught.value)
    if position is not None:
        assert caught.value.position == position
        assert f"character {position + 1}" in str(caught.value)


def test_the_time_is_read_where_it_is_allowed() -> None:
    assert parse("2*t", names={"t"}).names == {"t"}


def test_a_sum_of_many_terms_is_not_too_deep() -> None:
    assert parse("+".join(["1"] * 190)).evaluate() == 190.0


@given(st.text(max_size=60) | st.text(alphabet="0123456789.eE+-*/() ,sincosLpit_'\"[]{}=<>:\\\n", max_size=60))
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning of Python's parser would reach the user
        message = "read"
        try:
            parse(text, names={"L"})
        except SymgenError as error:
            message = str(error)
    assert message.isprintable()


@pytest.mark.parametrize(
    ("text", "character", "words"),
    [
        ("sin(t) deg", 8, 'an operator is missing before "deg"'),
        ("0.1 m", 5, "do not write units"),
        ("2 t", 3, "a product needs *"),
        ("3 4", 3, 'missing before "4"'),
        ("1 +\n 2 rad", 8, "everything is in SI"),
        ("sin t", 5, "sin is a function: write sin(...)"),
    ],
)
def test_two_operands_beside_each_other_are_refused_at_the_second(text: str, character: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, names={"t"})
    assert f"character {character}: " in str(caught.value)
    assert words in str(caught.value)
