"""No undefined behaviour and no access out of bounds, whatever the inputs: every function under ASan and UBSan.

One program a file: each function runs on solved inputs of which some elements are replaced by hostile numbers, in
exactly sized heap arrays, alone and as a batch. The program itself checks that OK means finite outputs and that a
failure writes nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.cases import solved_inputs
from oracle.compilers import Unit, chosen_units, need, run
from oracle.modules import Tree, inputs_of, manifest, outputs_of

pytestmark = pytest.mark.compiler

ROUNDS, ROWS = 60, 5

_HEAD = """\
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "{header}"

typedef {real} real;
static const real hostile[] = {{{hostile}}};
static uint64_t seed = 88172645463325252u;

static uint32_t draw(uint32_t below)
{{
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % below;
}}

static void fill(real *to, const real *from, int rows, int size, uint32_t one_in)
{{
    for (int k = 0; k < rows*size; ++k) {{
        const int is_hostile = one_in != 0 && draw(one_in) == 0;
        to[k] = is_hostile ? hostile[draw(sizeof hostile/sizeof *hostile)] : from[k % size];
    }}
}}

static void check(const char *what, int status, const real *out, int size, int writes_singular)
{{
    const int written = status == 0 || (status == 2 && writes_singular);
    if (status < 0 || status > 7) {{ printf("%s: status %d\\n", what, status); exit(1); }}
    for (int k = 0; k < size; ++k) {{
        if (written ? !isfinite(out[k]) : out[k] != (real)-7.25) {{
            printf("%s: status %d, output %d is %g\\n", what, status, k, (double)out[k]);
            exit(1);
        }}
    }}
}}

static real *room(int count) {{ return malloc(sizeof(real)*(size_t)count); }}
static void blank(real *to, int count) {{ for (int k = 0; k < count; ++k) {{ to[k] = (real)-7.25; }} }}
"""


def _literal(value: float, precision: str) -> str:
    number = float(np.float32(value)) if precision == "float" else float(value)
    return number.hex() + ("F" if precision == "float" else "")


def _size(port: Tree) -> int:
    return int((port["shape"] or [1])[0])


def _function_test(entry: Tree, ports: dict[str, Any], precision: str, number: int, branches: int) -> str:
    lines = [f"static void test_{number}(uint32_t one_in)", "{"]
    names: dict[str, str] = {}
    for k, port in enumerate(entry["ports"]):
        names[port["name"]] = f"p{k}"
        if port["kind"] == "int":
            lines.append(f"    int32_t *p{k} = malloc(sizeof(int32_t)*{ROWS});")
            lines.append(f"    for (int k = 0; k < {ROWS}; ++k) {{ p{k}[k] = (int32_t)draw({branches + 2}) - 1; }}")
            continue
        lines.append(f"    real *p{k} = room({ROWS * _size(port)});")
        if port["direction"] == "in":
            values = ", ".join(_literal(v, precision) for v in np.atleast_1d(ports[port["name"]]).tolist())
            lines.append(f"    static const real base_{k}[] = {{{values}}};")
            lines.append(f"    fill(p{k}, base_{k}, {ROWS}, {_size(port)}, one_in);")
        else:
            lines.append(f"    blank(p{k}, {ROWS * _size(port)});")
    lines.append(f"    int32_t *status = malloc(sizeof(int32_t)*{ROWS});")
    batch = ", ".join(names[p["name"]] for p in entry["ports"])
    symbol, keeps = entry["symbol"][precision], int(entry["stage"] == "position")
    lines.append(f"    const int worst = (int){symbol}_batch({ROWS}, {batch}, status);")
    lines.append("    int first = 0;")
    lines.append(f"    for (int row = 0; row < {ROWS}; ++row) {{")
    lines.append("        if (first == 0) { first = status[row]; }")
    for port in outputs_of(entry):
        name, size = names[port["name"]], _size(port)
        what = f'"{entry["name"]}.{port["name"]}"'
        lines.append(f"        check({what}, status[row], {name} + {size}*row, {size}, {keeps});")
    lines.append("    }")
    lines.append(f'    if (worst != first) {{ printf("{entry["name"]}_batch returned %d\\n", worst); exit(1); }}')
    # the same rows one by one, each input in an array of its own size
    lines.append(f"    for (int row = 0; row < {ROWS}; ++row) {{")
    arguments = []
    for port in entry["ports"]:
        name, size = names[port["name"]], _size(port)
        if port["kind"] == "int" or (port["direction"] == "in" and not port["shape"]):
            arguments.append(f"{name}[row]")
        else:
            lines.append(f"        real *one_{name} = room({size});")
            if port["direction"] == "in":
                lines.append(f"        memcpy(one_{name}, {name} + {size}*row, sizeof(real)*{size});")
            else:
                lines.append(f"        blank(one_{name}, {size});")
            arguments.append(f"one_{name}")
    lines.append(f"        const int one = (int){symbol}({', '.join(arguments)});")
    lines.append(f'        if (one != status[row]) {{ printf("{entry["name"]}: alone %d\\n", one); exit(1); }}')
    for port in outputs_of(entry):
        name, size = names[port["name"]], _size(port)
        lines.append(f"        if (memcmp(one_{name}, {name} + {size}*row, sizeof(real)*{size}) != 0) {{")
        lines.append(f'            printf("{entry["name"]}.{port["name"]}: alone differs\\n"); exit(1);')
        lines.append("        }")
    lines += [f"        free({a});" for a in arguments if a.startswith("one_")]
    lines.append("    }")
    lines += [f"    free({name});" for name in (*names.values(), "status")]
    lines.append("}")
    return "\n".join(lines)


def _program(unit: Unit) -> str:
    real = unit.precision
    top = "FLT_MAX" if real == "float" else "DBL_MAX"
    tiny = ["1e-45F", "1e-38F", "1e-22F", "1e20F"] if real == "float" else ["5e-324", "1e-308", "1e-160", "1e160"]
    zero = "0.0F" if real == "float" else "0.0"
    hostile = [zero, f"-{zero}", "NAN", "INFINITY", "-INFINITY", top, f"-{top}", *tiny]
    parts = [_HEAD.format(header=unit.header.name, real=real, hostile=", ".join(hostile))]
    calls = []
    tree = manifest(unit.module)
    for number, entry in enumerate(tree["functions"]):
        ports = solved_inputs(unit.module, entry["arrangement"], 2)[0]
        assert all(p["name"] in ports for p in inputs_of(entry))
        parts.append(_function_test(entry, ports, real, number, tree["branches"]))
        calls.append(f"        test_{number}(round == 0 ? 0 : 3 + (uint32_t)round % 60);")
    body = "\n".join(calls)
    loop = f"    for (int round = 0; round < {ROUNDS}; ++round) {{\n{body}\n    }}\n"
    parts.append(f"int main(void)\n{{\n{loop}    return 0;\n}}\n")
    return "\n\n".join(parts)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", chosen_units(), ids=str)
def test_no_sanitizer_speaks_on_hostile_inputs(unit: Unit, tmp_path: Path) -> None:
    gcc = need("gcc")
    source, program = tmp_path / "harness.c", tmp_path / "harness"
    source.write_text(_program(unit), encoding="utf-8")
    flags = ("-std=c99", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wall", "-Werror")
    run(gcc, *flags, "-I", unit.header.parent, source, unit.source, "-lm", "-o", program)
    run(program, ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")
