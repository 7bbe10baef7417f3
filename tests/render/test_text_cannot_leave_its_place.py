"""Whatever a person wrote into a routine stays in its comment; a name that is none never reaches a file."""

from __future__ import annotations

import ast
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.algebra import FOLD_TOLERANCE, number, sign_of_branch, symbol
from symgen.errors import InputError
from symgen.ir.nodes import Flag, Guard, Let, Output, Port, Routine
from symgen.render.environment import render
from symgen.render.views import c_module_view, numpy_module_view
from symgen.status import Status

#: Ends a C comment, a docstring, a line, a trigraph, an f-string and a Jinja block.
EVIL = 'evil */ int evil = 1; """ \n evil = 1 # ??/\\\n{{ 7 }} {% raw %} \u2028 int evil2; /*'


def _routine(**changes: str) -> Routine:
    """Return a routine whose every text is hostile; `changes` replaces names."""
    name = changes.get
    port = replace(Port("a", "in", "real", (), ("a",), EVIL, EVIL, EVIL, EVIL))
    port = replace(port, name=name("port", "a"), elements=(name("element", "a"),))
    a = symbol(port.elements[0])
    body = (
        Let("sign", (name("target", "sign"),), (sign_of_branch(symbol("branch"), 0),), EVIL),
        Guard(a, ">", number(0), Status.BAD_INPUT, EVIL),
        Flag(a, "<", FOLD_TOLERANCE * 2, Status.SINGULAR, EVIL),
    )
    branch = Port("branch", "in", "int", (), ("branch",), "", "", EVIL, EVIL)
    out = Port("b", "out", "real", (), ("b",), EVIL, EVIL, EVIL, EVIL)
    value = symbol(name("target", "sign")) * a
    return Routine(
        name("routine", "kernel_position"),
        EVIL,
        "kernel",
        None,
        "position",
        (port, branch),
        body,
        (Output(out, (value,)),),
        (value,),
        2,
        lost_by_stage=True,
    )


def _texts(routine: Routine, module: str = "toy") -> dict[str, str]:
    about = (module, EVIL, (EVIL, f"    x  =  1   {EVIL}", ""), EVIL, (EVIL,), ())
    c, python = c_module_view(*about, (routine,), "double"), numpy_module_view(*about, (routine,))
    return {
        "toy.c": render("c99/module.c.j2", c),
        "toy.h": render("c99/module.h.j2", c),
        "toy.py": render("numpy/module.py.j2", python),
        "cdef": render("c99/_declarations.h.j2", c),
    }


def _without_text(source: str) -> str:
    """Return the syntax tree of a Python file without its docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree)


def _harmless(routine: Routine) -> Routine:
    """Return the routine with a plain word for every text."""

    def port(old: Port) -> Port:
        return replace(old, unit="m", frame="w", meaning="m", range="r")

    return replace(
        routine,
        title="t",
        inputs=tuple(port(p) for p in routine.inputs),
        body=tuple(replace(statement, comment="c") for statement in routine.body),  # type: ignore[type-var]
        outputs=tuple(replace(o, port=port(o.port)) for o in routine.outputs),
    )


def test_hostile_texts_do_not_change_what_numpy_runs() -> None:
    hostile, plain = _texts(_routine()), _texts(_harmless(_routine()))
    assert _without_text(hostile["toy.py"]) == _without_text(plain["toy.py"])
    assert hostile["cdef"] == plain["cdef"]


@pytest.mark.compiler
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_hostile_texts_do_not_change_what_c_compiles(tmp_path: Path) -> None:
    from symgen.render.views import StatusHeaderView, status_views

    preprocessed = []
    for number_, routine in enumerate((_routine(), _harmless(_routine()))):
        folder = tmp_path / str(number_)
        folder.mkdir()
        (folder / "symgen_status.h").write_text(render("c99/symgen_status.h.j2", StatusHeaderView((), status_views())))
        for name, text in _texts(routine).items():
            assert text.isascii()
            (folder / name).write_text(text, encoding="ascii")
        command = ["gcc", "-std=c99", "-trigraphs", "-Wall", "-Wextra", "-Wcomment", "-Werror"]
        subprocess.run([*command, "-c", "toy.c", "-o", "toy.o"], cwd=folder, check=True)
        done = subprocess.run(
            [*command, "-E", "-P", "toy.c"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        preprocessed.append(done.split())
    assert preprocessed[0] == preprocessed[1]


@pytest.mark.parametrize("what", ["routine", "port", "element", "target"])
@pytest.mark.parametrize("name", ["a; evil()", "double", "x\ny", "lambda", "A*/"])
def test_a_name_that_is_none_is_refused(what: str, name: str) -> None:
    with pytest.raises(InputError):
        _texts(_routine(**{what: name}))


def test_a_module_name_that_is_none_is_refused() -> None:
    with pytest.raises(InputError):
        _texts(_routine(), module="../evil")
