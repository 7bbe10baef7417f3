"""The engine of method riccati in C with the tables of a mechanism: strict C and C++, nothing allocated or static."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, run

import symgen
from symgen.resources import generated_folder
from symgen.simulate.articulated.bundle import riccati_bundle
from symgen.simulate.articulated.engine import BEAM_FILES, FILES

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
FOLDER = generated_folder() / "transfer"


@pytest.fixture
def folder(example: str, tmp_path: Path) -> Path:
    """A folder with engine and tables of an example."""
    mechanism = symgen.load(DYNAMICS / example / "mechanism.toml")
    for name, text in riccati_bundle(mechanism, "taken").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("example", ["andrews", "spinning_top"])
def test_it_compiles_without_a_word_as_c_and_as_cpp(folder: Path, compiler: str) -> None:
    for flags in LANGUAGES.values():
        run(need(compiler), *WARNINGS, *flags, "-O1", "-c", folder / "transfer.c", "-o", folder / "made.o")


@pytest.mark.compiler
@pytest.mark.parametrize("example", ["andrews"])
def test_the_object_has_no_data_and_calls_mathematics_only(folder: Path) -> None:
    made = folder / "made.o"
    run(need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O1", "-c", folder / "transfer.c", "-o", made)
    lines = [line.split()[-2:] for line in run(need("nm"), made).splitlines() if line.strip()]
    assert [name for kind, name in lines if kind in "DdBbC"] == []
    assert all(name.startswith("symgen_transfer_") for kind, name in lines if kind == "T")
    libm = {"sin", "cos", "sincos", "sqrt", "atan2", "floor", "pow"}
    allowed = libm | {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "memset", "memcpy"}
    assert {name for kind, name in lines if kind == "U"} <= allowed


@pytest.fixture
def bent(tmp_path: Path) -> Path:
    """A folder with engine and tables of the flexible arm."""
    mechanism = symgen.load(DYNAMICS.parent / "transfer" / "flexible_arm" / "mechanism.toml")
    for name, text in riccati_bundle(mechanism, "taken").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_engine_with_beams_compiles_without_a_word_as_c_and_as_cpp(bent: Path, compiler: str) -> None:
    for flags in LANGUAGES.values():
        run(need(compiler), *WARNINGS, *flags, "-O1", "-c", bent / "transfer_beams.c", "-o", bent / "made.o")


@pytest.mark.compiler
def test_a_run_with_beams_reads_and_writes_its_own_memory_only_and_keeps_the_energy(bent: Path) -> None:
    flags = ("-std=c99", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    run(need("gcc"), *flags, bent / "example.c", bent / "transfer_beams.c", "-lm", "-o", bent / "made")
    lines = run(bent / "made").splitlines()
    assert len(lines) == 11
    # equal steps of 1 ms resolve the highest mode, 150 Hz, with an error of some 1e-6 of the few mJ in it
    assert all(abs(float(line.split()[-2])) < 1e-4 for line in lines)


@pytest.mark.parametrize("name", sorted({*FILES, *BEAM_FILES}))
def test_nothing_is_allocated_and_every_loop_is_bounded(name: str) -> None:
    text = re.sub(r"/\*.*?\*/", "", (FOLDER / name).read_text(encoding="utf-8"), flags=re.S)
    assert re.findall(r"\b(malloc|calloc|free|while|goto|do)\b", text) == []
    for head in re.findall(r"\bfor \(([^)]*)\)", text):
        assert re.search(r"[<>]=? ", head.split(";")[1]), head


@pytest.mark.compiler
@pytest.mark.parametrize("example", ["bricard"])
def test_a_run_with_redundant_loops_reads_and_writes_its_own_memory_only(folder: Path) -> None:
    flags = ("-std=c99", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    run(need("gcc"), *flags, folder / "example.c", folder / "transfer.c", "-lm", "-o", folder / "made")
    assert "t = 1.0 s, energy -29.43 J" in run(folder / "made")
