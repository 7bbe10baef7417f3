"""Batches in lanes on another machine: AArch64, whose registers hold two doubles, in an emulator.

The oracle is the scalar function on this machine; equality is of bits.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from oracle.compilers import Unit, need, once
from oracle.lanes import functions_in_lanes, rows_of_inputs
from oracle.modules import DTYPE, Tree, inputs_of, outputs_of

from symgen.build.compiler import FLAGS

pytestmark = [pytest.mark.compiler, pytest.mark.provers]

ROWS = 149
UNITS = [
    Unit("dyad_rrr", "double"),
    Unit("dyad_rrr", "float"),
    Unit("loop_rss", "double"),
    Unit("driven_f_3d", "float"),
]
CASES = [pytest.param(u, e, id=f"{u}-{e['name']}") for u in UNITS for e in functions_in_lanes(u.module)]


def _program(unit: Unit, entry: Tree) -> str:
    """Return a program that reads the rows of every input, and writes those of every result and the status."""
    declared, read, written, arguments = [], [], [], []
    for port in entry["ports"]:
        kind = "int32_t" if port["kind"] == "int" else unit.precision
        size = int(np.prod(port["shape"])) * ROWS
        name = f"{port['name']}_rows"
        declared.append(f"static {kind} {name}[{size}];")
        line = f"({name}, sizeof {name}, 1, "
        (read if port in inputs_of(entry) else written).append(line)
        arguments.append(name)
    reads = " ".join(f"if (fread{line}stdin) != 1) return 1;" for line in read)
    writes = " ".join(f"fwrite{line}stdout);" for line in [*written, "(status, sizeof status, 1, "])
    return (
        f'#include <stdio.h>\n#include "{unit.header.name}"\n'
        + "\n".join(declared)
        + f"\nstatic int32_t status[{ROWS}];\n"
        f"int main(void) {{ {reads} {entry['symbol'][unit.precision]}_batch({ROWS}, {', '.join(arguments)}, status);"
        f" {writes} return 0; }}\n"
    )


@pytest.mark.parametrize(("unit", "entry"), CASES)
def test_an_aarch64_gives_the_same_bits(unit: Unit, entry: Tree, tmp_path: Path) -> None:
    program = tmp_path / "rows.c"
    program.write_text(_program(unit, entry), encoding="utf-8")
    inputs = rows_of_inputs(unit, entry, ROWS)
    data = b"".join(np.ascontiguousarray(inputs[port["name"]]).tobytes() for port in inputs_of(entry))
    common = (*FLAGS, "-O3", f"-I{unit.source.parent}", "-D_FORTIFY_SOURCE=0")
    here = once(tmp_path, "here", need("gcc"), *common, program, unit.source, "-lm")
    cross = need("aarch64-linux-gnu-gcc")
    scalar = once(tmp_path, "scalar.o", cross, *common, "-DSYMGEN_LANES=1", "-c", unit.source)
    lanes = ("-DSYMGEN_LANES=2", f"-DSYMGEN_ONLY={entry['lanes']}")
    block = once(tmp_path, "lanes.o", cross, *common, *lanes, "-c", unit.source)
    there = once(tmp_path, "there", cross, *common, "-static", program, scalar, block, "-lm")
    wanted = subprocess.run([here], input=data, capture_output=True, check=True, timeout=60).stdout
    found = subprocess.run(
        [need("qemu-aarch64"), there], input=data, capture_output=True, check=True, timeout=120
    ).stdout
    results = sum(int(np.prod(p["shape"])) * ROWS * DTYPE[unit.precision]().itemsize for p in outputs_of(entry))
    status = np.frombuffer(wanted[results:], dtype=np.int32)
    assert (status == 0).sum() > ROWS // 3
    assert found == wanted
