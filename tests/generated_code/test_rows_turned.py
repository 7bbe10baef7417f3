"""Rows of results are written four numbers at a time, wherever they begin, and not a number beside them.

The oracle is a plain loop. Every width up to 19 is asked, the widest that has a function of its own and some beyond, at
each of four places that follow each other. Blocks of columns begin where most columns begin a line: by given addresses.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import C_ONLY, COMPILERS, IS_X86_64, WARNINGS, need, need_instructions, once, run
from oracle.modules import home

pytestmark = [pytest.mark.compiler, pytest.mark.skipif(not IS_X86_64, reason="only on x86-64 rows are turned")]

_WIDTHS = (*range(4, 20), 48)
_WIDER = (49, 50, 51, 52, 91)
_FLAGS = ("-std=c99", "-O2", "-mavx2", "-DSYMGEN_LANES=2", "-DSYMGEN_ONE_MACHINE")
_BODY = """
enum { LARGEST = 91, LANES = 64, BESIDE = 8 };
SYMGEN_ALIGNED static real columns[LARGEST*(SYMGEN_LINE + LANES)];
SYMGEN_ALIGNED static real rows[BESIDE + 4 + LARGEST*LANES + BESIDE];

static int faults(void (*give)(const real *, int, real *, int), int width, int skipped, int lanes)
{
    const int size = SYMGEN_LINE + LANES;
    real *begin = rows + BESIDE + skipped;
    int found = 0;
    for (size_t k = 0; k < sizeof rows/sizeof *rows; ++k) {
        rows[k] = R(-1.0);
    }
    for (int k = 0; k < width*size; ++k) {
        columns[k] = (real)k;
    }
    give(columns, size, begin, lanes);
    for (int k = -BESIDE - skipped; k < BESIDE + width*lanes; ++k) {
        const bool is_beside = k < 0 || k >= width*lanes;
        const real wanted = is_beside ? R(-1.0) : (real)(k%width*size + k/width);
        found += begin[k] < wanted || begin[k] > wanted;
    }
    return found;
}

int main(void)
{
    int found = 0;
    for (int skipped = 0; skipped < 4; ++skipped) {
        for (int lanes = 8; lanes <= LANES; lanes += 8) {
            CALLS
        }
    }
    return found == 0 ? 0 : 1;
}
"""


def _turning(compiler: str) -> str:
    """Return a compiler that turns rows, on a processor that can run what it makes."""
    found = need(compiler)
    need_instructions("avx2")
    if compiler == "gcc" and int(run(found, "-dumpversion").split(".")[0]) < 12:
        pytest.skip("rows are turned from GCC 12 on")
    return found


def _program(folder: Path, precision: str) -> Path:
    single = "#define SYMGEN_SINGLE\n" if precision == "float" else ""
    givers = "\n".join(f"SYMGEN_ROWS_OF({width})" for width in _WIDTHS)
    wider = "\n".join(
        f"static void give_{w}(const real *from, int size, real *to, int lanes)\n"
        f"{{ give_turned(from, size, {w}, to, lanes); }}"
        for w in _WIDER
    )
    names = {**{w: f"symgen_give_{w}" for w in _WIDTHS}, **{w: f"give_{w}" for w in _WIDER}}
    calls = "\n            ".join(f"found += faults({name}, {w}, skipped, lanes);" for w, name in names.items())
    text = f'{single}#include "symgen_lanes.h"\n{givers}\n{wider}\n{_BODY.replace("CALLS", calls)}'
    source = folder / f"turned_{precision}.c"
    source.write_text(text, encoding="utf-8")
    return source


@pytest.mark.sampled(1)
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_rows_of_any_width_are_written_at_any_place_and_nothing_beside_them(
    compiler: str, precision: str, tmp_path: Path
) -> None:
    source = _program(tmp_path, precision)
    flags = (*_FLAGS, *WARNINGS, *C_ONLY, "-Wno-unused-function", f"-I{home('dyad_rrr')}")
    run(once(tmp_path, f"turned.{compiler}", _turning(compiler), *flags, source, "-lm"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("precision", ["double", "float"])
def test_no_store_of_four_numbers_may_cross_a_line(precision: str, tmp_path: Path) -> None:
    # the point of it all: the compiler may use the move that faults where a place is no multiple of a vector's size
    source = _program(tmp_path, precision)
    built = once(tmp_path, "turned.o", _turning("gcc"), *_FLAGS, f"-I{home('dyad_rrr')}", "-c", source)
    text = run(need("objdump"), "-d", "--no-show-raw-insn", built)
    bodies = re.findall(r"<symgen_give_\d+[.\w]*>:\n(.*?)(?:\n\n|\Z)", text, flags=re.DOTALL)
    assert len(bodies) == len(_WIDTHS)
    register = "%ymm" if precision == "double" else "%xmm"
    stores = re.findall(rf"\b(vmov[au]p[sd])\s+{register}\d+,[-\w]*\(", "\n".join(bodies))
    assert len(stores) >= 4 * sum(_WIDTHS)  # fours of four rows, at each of four places
    assert set(stores) <= {"vmovaps", "vmovapd"}


_PLACES = """
static real numbers[64];
int main(void)
{
    const real *from[4];
    real *to[2];
    real *line = numbers;
    while ((uintptr_t)line % 64 != 0) {
        ++line;
    }
    for (int k = 0; k < 4; ++k) {
        from[k] = line + FROM[k];
    }
    for (int k = 0; k < 2; ++k) {
        to[k] = line + TO[k];
    }
    return symgen_numbers_behind_line(from, 4, to, 2);
}
"""


@pytest.mark.parametrize(("given", "found", "behind"), [
    ((3, 3, 3, 3), (3, 3), 3),
    ((11, 3, 3, 3), (2, 2), 2),  # results count twice
    ((5, 5, 5, 5), (1, 2), 5),
    ((0, 0, 7, 7), (7, 0), 0),  # as many here as there
    ((6, 7, 7, 1), (6, 5), 6),
])  # fmt: skip
@pytest.mark.parametrize("precision", ["double", "float"])
def test_blocks_begin_where_the_largest_number_of_columns_begins_a_line(
    precision: str, given: tuple[int, ...], found: tuple[int, ...], behind: int, tmp_path: Path
) -> None:
    line = 8 if precision == "double" else 16
    single = "#define SYMGEN_SINGLE\n" if precision == "float" else ""
    arrays = [
        f"static const int {name}[] = {{{', '.join(map(str, v))}}};" for name, v in (("FROM", given), ("TO", found))
    ]
    source = tmp_path / "places.c"
    source.write_text("\n".join([f'{single}#include "symgen_lanes.h"', *arrays, _PLACES]), encoding="utf-8")
    program = once(tmp_path, "places", need("gcc"), *_FLAGS, f"-I{home('dyad_rrr')}", source, "-lm")
    assert subprocess.run([program], check=False).returncode == behind % line
