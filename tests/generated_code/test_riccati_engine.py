"""The engine of method riccati in C with the tables of a mechanism: strict C and C++, nothing allocated or static."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, run
from oracle.sign_systems import BENT

import symgen
from symgen.model.mechanism import Mechanism
from symgen.resources import generated_folder
from symgen.simulate.articulated.bundle import riccati_bundle
from symgen.simulate.articulated.engine import riccati_files

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOLDER = generated_folder() / "transfer"
#: Trees and loops, without beams and with them.
MECHANISMS: dict[str, Callable[[], Mechanism]] = {
    **{name: partial(symgen.load, EXAMPLES / "dynamics" / name / "mechanism.toml") for name in ("andrews", "bricard")},
    "spinning_top": partial(symgen.load, EXAMPLES / "dynamics" / "spinning_top" / "mechanism.toml"),
    "flexible_arm": partial(symgen.load, EXAMPLES / "transfer" / "flexible_arm" / "mechanism.toml"),
    "bent": partial(Mechanism.from_dict, BENT),
}
LIBM = {"sqrt", "floor"}


@pytest.fixture
def unit(example: str, tmp_path: Path) -> Path:
    """The engine's C file in a folder with the tables of an example."""
    files = riccati_bundle(MECHANISMS[example](), "taken")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "taken.c"


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("example", ["andrews", "spinning_top", "flexible_arm", "bent"])
def test_it_compiles_without_a_word_as_c_and_as_cpp(unit: Path, compiler: str) -> None:
    for flags in LANGUAGES.values():
        run(need(compiler), *WARNINGS, *flags, "-O1", "-c", unit, "-o", unit.with_suffix(".o"))
    example = unit.parent / "example.c"
    run(need(compiler), *WARNINGS, *LANGUAGES["c99"], "-O1", "-c", example, "-o", example.with_suffix(".o"))


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("example", ["andrews", "flexible_arm", "bent"])
def test_the_object_has_no_data_and_calls_mathematics_only(unit: Path) -> None:
    made = unit.with_suffix(".o")
    run(need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O1", "-c", unit, "-o", made)
    lines = [line.split()[-2:] for line in run(need("nm"), made).splitlines() if line.strip()]
    assert [name for kind, name in lines if kind in "DdBbC"] == []
    assert {name for kind, name in lines if kind == "T"} == {"symgen_taken_run", "symgen_taken_workspace_size"}
    allowed = LIBM | {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "memset", "memcpy"}
    assert {name for kind, name in lines if kind == "U"} <= allowed


@pytest.mark.parametrize("example", ["andrews", "bent"])
def test_tables_and_program_are_no_wider_than_the_rest_of_the_c(unit: Path) -> None:
    for name in ("taken_problem.h", "taken_loops.h", "taken_schemes.h", "taken_sizes.h", "example.c"):
        text = (unit.parent / name).read_text(encoding="utf-8")
        assert max(map(len, text.splitlines())) <= 120
        assert "-0.0" not in re.findall(r"[^\s{},;()]+", text)


@pytest.mark.parametrize("name", sorted(riccati_files()))
def test_nothing_is_allocated_and_every_loop_is_bounded(name: str) -> None:
    text = re.sub(r"/\*.*?\*/", "", (FOLDER / name).read_text(encoding="utf-8"), flags=re.S)
    assert re.findall(r"\b(malloc|calloc|free|while|goto|do)\b", text) == []
    for head in re.findall(r"\bfor \(([^)]*)\)", text):
        assert re.search(r"[<>]=? ", head.split(";")[1]), head


def _sanitized(unit: Path) -> list[str]:
    """Return the lines that the program of a folder prints, its memory and arithmetic watched."""
    flags, made = ("-std=c99", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), unit.parent / "made"
    run(need("gcc"), *flags, unit.parent / "example.c", unit, "-lm", "-o", made)
    lines = run(made).splitlines()
    assert len(lines) == 11
    return lines


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("example", ["bricard"])
def test_a_run_with_redundant_loops_reads_and_writes_its_own_memory_only(unit: Path) -> None:
    assert _sanitized(unit)[-1] == "t = 1.0 s, energy -29.43 J"


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("example", ["flexible_arm"])
def test_a_run_with_beams_reads_and_writes_its_own_memory_only_and_keeps_the_energy(unit: Path) -> None:
    # equal steps of 1 ms resolve the highest mode, 150 Hz, with an error of some 1e-6 of the few mJ in it
    assert all(abs(float(line.split()[-2])) < 1e-4 for line in _sanitized(unit))


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("example", ["bent"])
def test_a_run_with_beams_in_a_loop_reads_and_writes_its_own_memory_only(unit: Path) -> None:
    # dampers of the rope and the modes take energy, only they
    energies = [float(line.split()[-2]) for line in _sanitized(unit)]
    assert energies == sorted(energies, reverse=True)
