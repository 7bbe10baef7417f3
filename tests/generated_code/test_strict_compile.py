"""Every C file compiles without a word under all promised flags; its objects hold our symbols and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from oracle.compilers import (
    C_ONLY,
    COMPILERS,
    FUSING,
    IS_X86_64,
    LANGUAGES,
    QUICK_KINDS,
    WARNINGS,
    Unit,
    chosen_units,
    need,
    once,
    run,
    units,
)
from oracle.modules import manifest

pytestmark = pytest.mark.compiler

every_unit = pytest.mark.parametrize("unit", units(), ids=str)
kinds_of_units = pytest.mark.parametrize("unit", chosen_units(QUICK_KINDS), ids=str)
every_compiler = pytest.mark.parametrize("compiler", COMPILERS)

#: What double and float may take from the mathematical library; of a module with --math libm more. clang and gcc may
#: join sin and cos of one angle.
LIBM = {"sqrt", "fabs"}
MORE = {"sin", "cos", "sincos", "atan2"}
#: What every linked object may need besides: position-independent code, stack protection, and on Linux for x86-64 which
#: processor this is, where code for several kinds of machine searches zeros.
TOOLCHAIN = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__cpu_features2", "__cpu_indicator_init", "__cpu_model"}


def _object(objects: Path, compiler: str, unit: Unit) -> Path:
    """Compile as C99 with all warnings, at -O2, fusing allowed as far as the file lets it."""
    flags = (*WARNINGS, *LANGUAGES["c99"], *FUSING[compiler])
    return once(objects, f"{unit}.{compiler}.o", need(compiler), *flags, "-c", unit.source)


@pytest.mark.sampled(1)
@every_compiler
@kinds_of_units
def test_c99_compiles_without_a_word(unit: Unit, compiler: str, objects: Path) -> None:
    assert _object(objects, compiler, unit).stat().st_size > 0


@pytest.mark.sampled(4)
@every_compiler
@kinds_of_units
def test_cpp_compiles_without_a_word(unit: Unit, compiler: str) -> None:
    run(need(compiler), *WARNINGS, *LANGUAGES["c++"], "-fsyntax-only", unit.source)


@every_compiler
@kinds_of_units
def test_the_header_alone_compiles_in_both_languages(unit: Unit, compiler: str, tmp_path: Path) -> None:
    user = tmp_path / "user.c"
    # twice: the guard holds; nothing before it: the header includes what it needs
    user.write_text(f'#include "{unit.header.name}"\n#include "{unit.header.name}"\nint symgen_user;\n')
    warnings = [w for w in WARNINGS if w not in C_ONLY]
    for flags in LANGUAGES.values():
        run(need(compiler), *warnings, *flags, "-fsyntax-only", "-I", unit.header.parent, user)


@pytest.mark.sampled(2)
@every_compiler
@kinds_of_units
def test_symbols_are_ours_and_there_is_no_data(unit: Unit, compiler: str, objects: Path) -> None:
    compiled = _object(objects, compiler, unit)
    symbols = [line.split()[-2:] for line in run(need("nm"), compiled).splitlines() if line.strip()]
    linked = run(need("nm"), "--extern-only", compiled).splitlines()  # nm has one letter for clones, local or not
    prefix = f"symgen{'f' if unit.precision == 'float' else ''}_{unit.module}_"
    defined = {name for kind, name in (line.split()[-2:] for line in linked if line.strip()) if kind in "TWVuig"}
    assert all(name.startswith(prefix) for name in defined), sorted(defined)
    functions = {f["symbol"][unit.precision]: f for f in manifest(unit.module)["functions"]}
    columns = {f"{name}_columns" for name, entry in functions.items() if entry.get("lanes")}
    assert defined == {*functions} | {f"{name}_batch" for name in functions} | columns
    assert [name for kind, name in symbols if kind in "BbDdCGgSs"] == [], "writable data"
    tail = "f" if unit.precision == "float" else ""
    more = set() if (unit.source.parent / "symgen_math.h").is_file() else MORE
    allowed = {name + tail for name in LIBM | more} | TOOLCHAIN
    assert {name for kind, name in symbols if kind == "U"} <= allowed


@pytest.mark.sampled(1)
@every_compiler
@kinds_of_units
def test_no_section_can_be_written_to(unit: Unit, compiler: str, objects: Path) -> None:
    text = run(need("objdump"), "-h", _object(objects, compiler, unit))
    sizes = dict(re.findall(r"^\s*\d+ (\.(?:data|bss|tbss|tdata)\S*)\s+([0-9a-f]+)", text, flags=re.MULTILINE))
    assert all(int(size, 16) == 0 for size in sizes.values()), sizes


@pytest.mark.sampled(1)
@pytest.mark.skipif(not IS_X86_64, reason="reads x86-64 machine code")
@every_compiler
@kinds_of_units
def test_no_multiplication_and_addition_are_fused(unit: Unit, compiler: str, objects: Path) -> None:
    code = run(need("objdump"), "-d", "--no-show-raw-insn", _object(objects, compiler, unit))
    assert "mul" in code
    assert sorted(set(re.findall(r"\bvf[n]?m(?:add|sub)\w+", code))) == []


@pytest.mark.sampled(2)
@pytest.mark.skipif(not IS_X86_64, reason="reads x86-64 machine code")
@every_compiler
@pytest.mark.parametrize("unit", [u for u in chosen_units(QUICK_KINDS) if u.precision == "float"], ids=str)
def test_float_never_becomes_double(unit: Unit, compiler: str, objects: Path) -> None:
    code = run(need("objdump"), "-d", "--no-show-raw-insn", _object(objects, compiler, unit))
    assert sorted(set(re.findall(r"\bv?cvt(?:ss2sd|ps2pd|sd2ss|pd2ps)\b", code))) == []
    assert re.findall(r"\bv?(?:add|mul|div|sub|sqrt)sd\b", code) == []


@every_compiler
@pytest.mark.parametrize("precision", ["double", "float"])
def test_another_width_of_the_mantissa_is_an_error(precision: str, compiler: str, tmp_path: Path) -> None:
    unit = next(u for u in units() if u.precision == precision)
    name = "DBL_MANT_DIG" if precision == "double" else "FLT_MANT_DIG"
    (tmp_path / "float.h").write_text(f"#include_next <float.h>\n#undef {name}\n#define {name} 64\n")
    command = [need(compiler), "-std=c99", "-fsyntax-only", "-I", tmp_path, unit.source]
    with pytest.raises(AssertionError, match="bits of mantissa"):
        run(*command)
    run(need(compiler), "-std=c99", "-fsyntax-only", unit.source)


@every_unit
def test_sources_include_standard_headers_the_common_ones_and_their_own(unit: Unit) -> None:
    allowed = {"<float.h>", "<math.h>", "<stdbool.h>", "<stddef.h>", "<stdint.h>", '"symgen_status.h"'}
    inside = {
        '"symgen_real.h"',
        '"symgen_vectors.h"',
        '"symgen_math.h"',
        '"symgen_machines.h"',
        '"symgen_lanes.h"',
        f'"{unit.module}.h"',
        f'"{unit.module}_f32.h"',
        f'"{unit.module}.c"',
    }
    documented = {f'"{unit.module}.h"'} if unit.precision == "float" else set()
    for path, more in ((unit.source, inside), (unit.header, documented)):
        found = set(re.findall(r"^\s*#\s*include\s+(\S+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
        assert found <= allowed | more


@every_unit
def test_loops_are_bounded_and_nothing_is_kept(unit: Unit) -> None:
    text = re.sub(r"/\*.*?\*/", "", unit.source.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.search(r"\b(while|goto|do|malloc|calloc|alloca|printf)\b", text) is None
    # the only static things are functions
    others = r"^\s*static\s+(?!(?:inline\s+)?\w+\s+\w+\().*$"
    assert re.findall(others, text, flags=re.MULTILINE) == []
    assert re.findall(r"\bstatic\b[^(]*;", text) == []
    bounds = set(re.findall(r"\bfor \([^;]*; (\w+ < \w+);", text))
    named = {bound for bound in bounds if not bound.split(" < ")[1].isdigit()}
    # n: equations of the module; the counts are at most the sizes of the module's arrays, which words in capitals are
    systems = {"i < n", "j < i", "j < n", "k < n", "row < rows"}
    sizes = {"j < MOST_ZEROS", "k < LANES_OF_ZEROS"}
    counts = {"j < count", "k < count", "k < zero_count", "k < candidate_count"}
    assert named <= systems | sizes | counts, named
