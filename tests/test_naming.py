"""Names are valid in every language and file system; free text cannot leave its comment."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import InputError
from symgen.naming import MAX_LENGTH, check_identifier, free_text, nearest_few

HOSTILE = [
    "a */ int evil(void); /* b",
    "ends with a backslash \\",
    "splices \\\nint evil(void);",
    "trigraph ??/\nint evil(void);",
    "trigraph ????/",
    'ends the docstring """\nevil = 1\n"""',
    'ends with a quote "',
    "control \x00\x07\x1b[31m \x7f \x85 \u2028 int evil(void);",
    "right to left \u202e int evil(void);",
    "nested /* /* */ */ **//**/",
    "* / already apart",
    "{{ 7*7 }} {% raw %} %}",
    "// line comment \\",
    "*\u200b/ zero width *\u0301/ combining",
    "\uff0a\uff0f full width",
    "",
]


@pytest.mark.parametrize("name", ["dyad_rrr", "d", "v_link2", "r_ab", "h2", "q_j1", "loop_rus", "x" * MAX_LENGTH])
def test_snake_case_names_pass(name: str) -> None:
    assert check_identifier(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "I",
        "E",
        "y0",
        "y1",
        "j1",
        "jn",
        "gamma",
        "sinf",
        "cosl",
        "lgamma_r",
        "f32addf64",
        "int32_t",
        "uint_fast8_t",
        "double",
        "restrict",
        "class",
        "template",
        "xor",
        "lambda",
        "range",
        "id",
        "con",
        "com1",
        "symgen_ok",
        "np",
    ],
)
def test_reserved_names_are_refused_with_their_owner(name: str) -> None:
    with pytest.raises(InputError, match=r"is (a|symgen's) .*; take another"):
        check_identifier(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "_a",
        "a_",
        "a__b",
        "2a",
        "a-b",
        "a b",
        "a.b",
        "../a",
        "a/b",
        "a\n",
        "\u00e4",
        "a'",
        "A",
        "x" * (MAX_LENGTH + 1),
        "l1; system(1)",
        "a*/",
        "theta_1'",
    ],
)
def test_names_that_are_not_snake_case_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        check_identifier(name)


def test_refusal_names_the_likely_fix() -> None:
    with pytest.raises(InputError, match="write 'crank_angle'"):
        check_identifier("crankAngle")


def test_all_python_keywords_and_builtins_are_reserved() -> None:
    lower = [name for name in dir(builtins) if name.islower() and not name.startswith("_")]
    for name in [*keyword.kwlist, *keyword.softkwlist, *lower]:
        with pytest.raises(InputError):
            check_identifier(name)


@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_all_functions_of_the_systems_math_header_are_reserved() -> None:
    source = subprocess.run(
        ["gcc", "-E", "-P", "-D_GNU_SOURCE", "-xc", "-"],
        input="#include <math.h>\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = set(re.findall(r"\b([a-z][a-z0-9_]*)\s*\(", source))
    assert "y0" in names
    free = []
    for name in sorted(names):
        try:
            free.append(check_identifier(name))
        except InputError:
            continue
    assert free == []


def _assert_harmless(text: str) -> None:
    escaped = free_text(text)
    assert "\n" not in escaped
    assert all(" " <= char <= "~" for char in escaped)
    for mark in ("*/", "/*", "\\", "??", '"'):
        assert mark not in escaped
    assert free_text(escaped) == escaped
    module = ast.parse(f'def f():\n    """{escaped}"""\n# {escaped}\nx = 1\n')
    assert len(module.body) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_harmless(text: str) -> None:
    _assert_harmless(text)


@pytest.mark.slow
@given(st.text() | st.text(alphabet="*/\\?\"\n='<>x \u0301\u200b"))
def test_any_text_is_harmless(text: str) -> None:
    _assert_harmless(text)


@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_hostile_text_stays_inside_its_c_comment(tmp_path: Path) -> None:
    lines = []
    for number, text in enumerate(HOSTILE):
        lines.append(f"/* {free_text(text)} */\nint block_{number};")
        lines.append(f"// {free_text(text)}\nint line_{number};")
    source = tmp_path / "comments.c"
    source.write_text("\n".join(lines) + "\n", encoding="ascii")
    command = ["gcc", "-std=gnu11", "-trigraphs", "-Wall", "-Wextra", "-Wcomment", "-Wtrigraphs", "-Werror", "-c"]
    subprocess.run([*command, str(source), "-o", str(tmp_path / "comments.o")], check=True)
    symbols = subprocess.run(["nm", str(tmp_path / "comments.o")], capture_output=True, text=True, check=True).stdout
    found = {line.split()[-1] for line in symbols.splitlines()}
    assert found == {f"{kind}_{number}" for kind in ("block", "line") for number in range(len(HOSTILE))}


def test_plain_text_is_kept() -> None:
    text = "Foot of the perpendicular from P to AB, at distance s from A [m]: (d^2 + r_a^2)/(2 d)."
    assert free_text(text) == text


def test_known_signs_are_spelled_out() -> None:
    assert free_text("90\N{DEGREE SIGN} \N{EN DASH} M\u00fcller \N{RIGHTWARDS ARROW} x") == "90 deg - Muller -> x"


def test_the_nearest_names_come_in_order_whatever_their_case() -> None:
    known = ["position", "Velocity", "positions", "all"]
    assert nearest_few("positon", known) == ("position", "positions")
    assert nearest_few("velocty", known) == ("Velocity",)
    assert nearest_few("positon", known, count=1) == ("position",)
    assert nearest_few("xyz", known) == ()
