"""Arguments of one's own derivation may have every name but those that the macros of batches cannot do without."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from oracle.compilers import need, run

import symgen
from symgen.derivations import Derivation, formula, generate
from symgen.derivations.checking import checked
from symgen.derive import catalogue
from symgen.derive.module import ModuleDerivation
from symgen.derive.ports import TAKEN_BY_BATCHES, TAKEN_BY_ROUTINES
from symgen.errors import InputError
from symgen.library.solved_type import BackendName
from symgen.lower import lower
from symgen.naming import check_identifier
from symgen.passes import run_passes
from symgen.pipeline.modules import LoweredModule, module_texts

_TYPES = r"int|int32_t|int64_t|bool|real|whole_column|symgen_\w+"
_LOCAL = re.compile(rf"\b(?:{_TYPES})\s+(?:\*\s*(?:const\s+)?)*(\w+)\s*(?:=|\[|;)|enum \{{ (.*?) \}}")


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})


def _module(name: str, result: str) -> ModuleDerivation:
    d = Derivation("names", level="kernel", title="squares", source="s")
    given = d.input_array(name, [f"v_{k}" for k in range(6)], meaning="lengths", unit="m")
    found = [d.scalar(f"s_{k}", value * value, "a square") for k, value in enumerate(given)]
    d.output(result, found, meaning="squares", unit="m^2")
    d.claim_identity("square", "they are the squares", [s - v * v for s, v in zip(found, given, strict=True)])
    return formula(d, id="names")


def _may_be_declared(name: str) -> bool:
    try:
        check_identifier(name)
    except InputError:
        return False
    return name not in TAKEN_BY_ROUTINES


@pytest.mark.compiler
def test_every_name_in_the_macros_of_batches_compiles_or_is_refused(repository: Path, tmp_path: Path) -> None:
    text = (repository / "generated" / "dyad_rrr" / "symgen_lanes.h").read_text(encoding="utf-8")
    found = [match for line in text.splitlines() if line.endswith("\\") for match in _LOCAL.findall(line)]
    names = {name for name, _ in found} | {word for _, enum in found for word in re.findall(r"(\w+) =", enum)}
    free = sorted(name for name in names - TAKEN_BY_BATCHES if name and _may_be_declared(name))
    assert {"k", "line", "solved"} <= {*free}
    for name in free:
        for given, result in ((name, "y"), ("x", name)):
            module = _module(given, result)
            lowered = LoweredModule(module, (), (run_passes(lower(module.kernel, "position")),))
            for file, content in module_texts(lowered, "this test").items():
                (tmp_path / file).write_text(content, encoding="utf-8")
            flags = ("-std=c99", "-O0", "-DSYMGEN_LANES=2", "-DSYMGEN_ONE_MACHINE", "-c")
            run(need("gcc"), *flags, tmp_path / "names.c", "-o", tmp_path / "names.o")


@pytest.mark.parametrize(("given", "result"), [("lane", "y"), ("x", "made"), ("x", "row"), ("x", "one")])
def test_a_refused_name_is_told(given: str, result: str) -> None:
    name = given if given != "x" else result
    with pytest.raises(InputError, match=rf"an argument or result cannot be called '{name}'.*such as '{name}_value'"):
        checked(_module(given, result), "here")


def _words_of_calls() -> ModuleDerivation:
    d = Derivation("words", level="kernel", title="a sum", source="s")
    given = [d.input_scalar(name, meaning=name, unit="m") for name in ("x", "check", "threads", "out")]
    total = d.scalar("total", given[0] + given[1] + given[2] * given[3], "sum")
    d.output("y", total, meaning="sum", unit="m")
    d.claim_identity("sum", "it is", [total - given[0] - given[1] - given[2] * given[3]])
    return formula(d, id="words")


@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=pytest.mark.compiler)])
def test_an_input_may_be_called_like_a_word_of_the_call(
    backend: BackendName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(_words_of_calls, tmp_path)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    position = symgen.library(backend=backend)["words"].kernel.position
    assert "x, check_, threads_, out_ -> y" in repr(position)
    assert position(1.0, 2.0, 3.0, 4.0).y == 15
    assert position(x=1.0, check_=2.0, threads_=3.0, out_=4.0).y == 15
    rows = np.arange(1.0, 9.0)
    found = position(x=rows, check_=rows, threads_=rows, out_=rows, threads=2)
    assert found.y.tolist() == (2 * rows + rows * rows).tolist()
    again = position(x=rows, check_=rows, threads_=rows, out_=rows[::-1].copy(), out=found)
    assert again.y is found.y
    for value in (4.0, rows):
        for name in ("check", "threads", "out"):
            others = {f"{other}_": value for other in ("check", "threads", "out") if other != name}
            with pytest.raises(
                InputError, match=rf"missing {name} .*says how the call runs, the input is {name}_=\.\.\."
            ):
                position(x=value, **others, **{name: value})
