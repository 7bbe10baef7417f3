"""The dynamics engine's C with the tables of a mechanism: strict C and C++, nothing allocated, nothing static."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, run

import symgen
from symgen.resources import generated_folder
from symgen.simulate.central.simulation import CentralSession
from symgen.simulate.request import Request
from symgen.simulate.tables.problem_text import problem_header

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
FOLDER = generated_folder() / "dynamics"
#: A loop in redundant joints, a planar one with a spring and a torque, dampers, an open tree with a ball and an event.
every_example = pytest.mark.parametrize("example", ["bricard", "andrews", "flyball_governor", "spinning_top"])
every_structure = pytest.mark.parametrize("structure", ["tree", "dense"])


@pytest.fixture
def tables(example: str, structure: str, tmp_path: Path) -> Path:
    """A folder with the tables of an example."""
    mechanism = symgen.load(DYNAMICS / example / "mechanism.toml")
    session = CentralSession(Request(mechanism, 1.0, step=0.01, structure=structure, backend="numpy"))
    (tmp_path / "problem.h").write_text(problem_header(session.problem), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@every_structure
@every_example
def test_it_compiles_without_a_word_as_c_and_as_cpp(tables: Path, compiler: str) -> None:
    for flags in LANGUAGES.values():
        run(
            need(compiler),
            *WARNINGS,
            *flags,
            "-O1",
            "-I",
            tables,
            "-I",
            FOLDER,
            "-c",
            FOLDER / "dynamics.c",
            "-o",
            tables / "made.o",
        )


@pytest.mark.compiler
@pytest.mark.parametrize("structure", ["tree"])
@pytest.mark.parametrize("example", ["andrews"])
def test_the_object_has_no_data_and_calls_mathematics_only(tables: Path) -> None:
    made = tables / "made.o"
    run(
        need("gcc"),
        *WARNINGS,
        *LANGUAGES["c99"],
        "-O1",
        "-I",
        tables,
        "-I",
        FOLDER,
        "-c",
        FOLDER / "dynamics.c",
        "-o",
        made,
    )
    lines = [line.split()[-2:] for line in run(need("nm"), made).splitlines() if line.strip()]
    assert [name for kind, name in lines if kind in "DdBbC"] == []
    assert all(name.startswith("symgen_dynamics_") for kind, name in lines if kind == "T")
    libm = {"sqrt", "floor"}
    assert {name for kind, name in lines if kind == "U"} <= libm | {
        "_GLOBAL_OFFSET_TABLE_",
        "__stack_chk_fail",
        "memset",
        "memcpy",
    }


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.[ch]")))
def test_nothing_is_allocated_and_every_loop_is_bounded(name: str) -> None:
    text = re.sub(r"/\*.*?\*/", "", (FOLDER / name).read_text(encoding="utf-8"), flags=re.S)
    assert re.findall(r"\b(malloc|calloc|free|while|goto|do)\b", text) == []
    for head in re.findall(r"\bfor \(([^)]*)\)", text):
        assert re.search(r"[<>]=? ", head.split(";")[1]), head
