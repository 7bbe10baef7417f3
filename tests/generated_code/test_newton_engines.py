"""The engines: what is shipped is what the sources generate; C is strict, and float stays float."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, once, run

from symgen.certificates.place import certificate_name
from symgen.pipeline import generate_engine_texts, known_engines
from symgen.resources import generated_folder

every_engine = pytest.mark.parametrize("engine", known_engines())
_SOLVERS = [engine for engine in known_engines() if engine.startswith("newton")]
every_unit = pytest.mark.parametrize("unit", [f"{solver}{end}" for solver in _SOLVERS for end in ("", "_f32")])


def _source(unit: str) -> Path:
    return generated_folder() / unit.removesuffix("_f32") / f"{unit}.c"


@pytest.mark.slow
@pytest.mark.sampled(1)
@every_engine
def test_what_is_shipped_is_what_the_sources_generate(engine: str) -> None:
    texts = generate_engine_texts(engine)
    folder = generated_folder() / engine
    there = {path.name for path in folder.iterdir() if path.is_file()} - {certificate_name(engine)}
    assert there == set(texts)
    for name, text in texts.items():
        assert (folder / name).read_text(encoding="utf-8") == text, f"{name}: run symgen generate engines"


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@every_unit
def test_it_compiles_without_a_word_as_c_and_as_cpp(unit: str, compiler: str) -> None:
    for flags in LANGUAGES.values():
        run(need(compiler), *WARNINGS, *flags, "-fsyntax-only", _source(unit))


@pytest.mark.sampled(1)
@pytest.mark.compiler
@every_unit
def test_objects_have_no_data_and_float_calls_float(unit: str, objects: Path) -> None:
    made = once(objects, f"{unit}.gcc.o", need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O1", "-c", _source(unit))
    lines = [line.split()[-2:] for line in run(need("nm"), made).splitlines() if line.strip()]
    assert [name for kind, name in lines if kind in "DdBbC"] == []
    prefix = "symgenf_" if unit.endswith("_f32") else "symgen_"
    assert all(name.startswith(prefix) for kind, name in lines if kind == "T")
    outside = {name for kind, name in lines if kind == "U"} - {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "memset"}
    libm = {"sqrt"}
    assert outside <= ({f"{name}f" for name in libm} if unit.endswith("_f32") else libm)


@every_unit
def test_nothing_is_allocated_and_every_loop_is_bounded(unit: str) -> None:
    text = re.sub(r"/\*.*?\*/", "", _source(unit).read_text(encoding="utf-8"), flags=re.S)
    assert re.findall(r"\b(malloc|calloc|free|while|goto|do)\b", text) == []
    for head in re.findall(r"\bfor \(([^)]*)\)", text):
        assert re.search(r"[<>]=? ", head.split(";")[1]), head
