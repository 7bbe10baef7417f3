"""The example in each header compiles, works, and its tables say what the functions return."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import C_ONLY, WARNINGS, Unit, need, run, units
from oracle.modules import function, manifest

#: The header for double documents both precisions; that for float names it.
TOLD = [unit for unit in units() if unit.precision == "double"]
SHOWN = [unit for unit in TOLD if unit.module in ("dyad_rrr", "loop_rus", "driven_r_2d")]


def _example(header: str) -> str:
    """Return the example of a header as a C function."""
    found = re.search(r"^ \* Example:\n \*\n((?: \* {5}.*\n)+)", header, flags=re.MULTILINE)
    assert found is not None
    return re.sub(r"^ \* {5}", "", found[1], flags=re.MULTILINE)


@pytest.mark.compiler
@pytest.mark.parametrize("unit", SHOWN, ids=str)
def test_the_example_of_a_header_compiles(unit: Unit, tmp_path: Path) -> None:
    text = _example(unit.header.read_text(encoding="utf-8"))
    assert "if (status != SYMGEN_OK) {" in text
    (tmp_path / "user.c").write_text(f'#include "{unit.header.name}"\n{text}')
    warnings = [w for w in WARNINGS if w not in C_ONLY]
    run(need("gcc"), "-std=c99", *warnings, "-fsyntax-only", "-I", unit.header.parent, tmp_path / "user.c")


@pytest.mark.compiler
def test_the_example_of_the_dyad_solves_an_isosceles_triangle(tmp_path: Path) -> None:
    unit = next(unit for unit in units() if str(unit) == "dyad_rrr")
    main = (
        "int main(void) { const double a[2] = {0.0, 0.0}, b[2] = {6.0, 0.0}; double p[2] = {7.0, 7.0};\n"
        'const int far = example(a, b, 1.0, 1.0, p); printf("%d %g %g\\n", far, p[0], p[1]);\n'
        'const int near = example(a, b, 5.0, 5.0, p); printf("%d %g %g\\n", near, p[0], p[1]); return 0; }\n'
    )
    text = _example(unit.header.read_text(encoding="utf-8"))
    (tmp_path / "user.c").write_text(f'#include <stdio.h>\n#include "{unit.header.name}"\n{text}{main}')
    program = tmp_path / "user"
    run(need("gcc"), "-std=c99", "-I", unit.header.parent, tmp_path / "user.c", unit.source, "-lm", "-o", program)
    answer = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert answer == ["0 7 7", "1 3 4"]  # 3-4-5 triangles: C lies 4 above the middle of AB


@pytest.mark.parametrize("unit", SHOWN, ids=str)
def test_each_function_names_its_statuses_and_the_table_above_tells_what_they_mean(unit: Unit) -> None:
    header = unit.header.read_text(encoding="utf-8")
    comments = []
    for comment, name in re.findall(r"/\*((?:(?!\*/).)*)\*/\nsymgen_status (\w+)\(", header, flags=re.DOTALL):
        comments.append((comment.split(" * Returns ")[1].split(".\n")[0], name))
    functions = manifest(unit.module)["functions"]
    assert [name for _, name in comments] == [f["symbol"][unit.precision] for f in functions]
    table = header.split(" * Statuses:\n")[1].split(" *\n")[0]
    told = {*re.findall(r"^ \*     SYMGEN_(\w+)  +\w", table, flags=re.MULTILINE)}
    for (returned, _), entry in zip(comments, functions, strict=True):
        assert returned.split(", ") == function(unit.module, entry["name"])["statuses"]
    assert told == {status for entry in functions for status in entry["statuses"]}


@pytest.mark.parametrize("unit", SHOWN, ids=str)
def test_the_header_for_float_renames_every_function_and_names_the_header_that_documents_it(unit: Unit) -> None:
    single = unit.header.with_name(f"{unit.module}_f32.h").read_text(encoding="utf-8")
    assert f"See {unit.header.name}: here float replaces double" in " ".join(single.split())
    named = re.findall(r"^#define (symgen_\w+) (symgenf_\w+)$", single, flags=re.MULTILINE)
    symbols = [
        (f["symbol"]["double"], f["symbol"]["float"], ("", "_batch", "_columns") if f.get("lanes") else ("", "_batch"))
        for f in manifest(unit.module)["functions"]
    ]
    assert named == [(one + end, other + end) for one, other, ends in symbols for end in ends]
    assert re.findall(r"^#undef (symgen_\w+)$", single, flags=re.MULTILINE) == [name for name, _ in named]


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("order", [("dyad_rrr.h", "dyad_rrr_f32.h"), ("dyad_rrr_f32.h", "dyad_rrr.h")])
def test_both_headers_stand_beside_each_other_in_any_order(
    tmp_path: Path, compiler: str, order: tuple[str, str]
) -> None:
    unit = next(unit for unit in units() if str(unit) == "dyad_rrr")
    text = "".join(f'#include "{name}"\n' for name in order) + (
        "int both(const double *a, const float *b, double *p, float *q);\n"
        "int both(const double *a, const float *b, double *p, float *q)\n{\n"
        "    return symgen_dyad_rrr_kernel_position(a, a, 1.0, 1.0, 0, p) == SYMGEN_OK\n"
        "        && symgenf_dyad_rrr_kernel_position(b, b, 1.0F, 1.0F, 0, q) == SYMGEN_OK;\n}\n"
    )
    (tmp_path / "user.c").write_text(text)
    run(need(compiler), "-std=c99", *WARNINGS, "-fsyntax-only", "-I", unit.header.parent, tmp_path / "user.c")


@pytest.mark.parametrize("unit", TOLD, ids=str)
def test_fold_tolerance_is_spoken_of_only_where_a_position_can_be_singular(unit: Unit) -> None:
    positions = [f for f in manifest(unit.module)["functions"] if f["stage"] == "position"]
    singular = any("SINGULAR" in f["statuses"] for f in positions)
    text = " ".join(unit.header.read_text(encoding="utf-8").replace("\n *", "").split())
    assert ("Position functions write them for SYMGEN_SINGULAR too" in text) == singular
