"""Whole mechanisms with our own elementary functions on Cortex-M in QEMU: every bit and every status of the host's."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import need, run

import symgen
from symgen.export.embedded.targets import COMPILER, CORES, EMULATOR, FLAGS, LIBRARY, emulated
from symgen.pipeline import generate_whole_texts
from symgen.printers.c99 import Precision
from symgen.whole.module import whole_module

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = 24
_MAIN = """
#include <stdio.h>
#include <string.h>
#include "{header}"
int main(void)
{{
    static const {real} given[{rows}][{inputs}] = {{
        {values}
    }};
    {branch}
    for (int row = 0; row < {rows}; ++row) {{
        {real} out[{outputs}] = {{0}};
        int32_t group = -1;
        const int status = (int){symbol}({arguments}, &group);
        printf("%d %ld", status, (long)group);
        for (int k = 0; k < {outputs}; ++k) {{
            unsigned char bytes[sizeof({real})];
            memcpy(bytes, &out[k], sizeof bytes);
            printf(" ");
            for (unsigned b = 0; b < sizeof bytes; ++b) {{
                printf("%02x", bytes[b]);
            }}
        }}
        printf("\\n");
    }}
    return 0;
}}
"""


def _write(folder: Path, example: str, results: tuple[str, ...], precision: Precision) -> list[Path]:
    """Write a module, and a program that solves rows, some beyond what is reached; return what is to be compiled."""
    mechanism = symgen.load(EXAMPLES / example / "mechanism.toml")
    module = whole_module(mechanism, symgen.library(), module_id="whole", drives="inputs", results=results)
    texts = generate_whole_texts(module, precisions=(precision,), backends=("c",), math="own")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    is_float = precision == "float"
    freedoms = len(module.layout.drives)
    # one turn of a crank, small motions of a platform; the last rows go far, where some cannot be assembled
    size = 6.0 if freedoms == 1 else 0.1
    rng = np.random.default_rng(8)
    given = rng.uniform(-size, size, (ROWS, 3 * freedoms))
    given[-4:] *= 20.0
    given[-1, freedoms - 1] = 1e10  # an angle beyond what our sine takes
    (function,) = [r for r in _functions(texts) if r["name"] == "motion"]
    ports = [p for p in function["ports"] if p["direction"] == "out" and p["name"] != "group"]
    counts = [p["shape"][0] for p in ports]
    starts = [0, *itertools.accumulate(counts)]
    branch = module.branch or ()
    arguments = [f"given[row] + {freedoms * k}" for k in range(3)]
    if any(p["name"] == "branch" for p in function["ports"]):
        arguments.append("branch")
    arguments += [f"out + {start}" for start in starts[:-1]]
    text = _MAIN.format(
        header="whole_f32.h" if is_float else "whole.h",
        real=precision,
        rows=ROWS,
        inputs=3 * freedoms,
        values=",\n        ".join(
            "{" + ", ".join(f"{x!r}{'F' if is_float else ''}" for x in map(float, row)) + "}" for row in given
        ),
        branch=f"static const int32_t branch[] = {{{', '.join(map(str, branch))}}};" if "branch" in arguments else "",
        outputs=starts[-1],
        symbol=function["symbol"][precision],
        arguments=", ".join(arguments),
    )
    (folder / "main.c").write_text(text, encoding="utf-8")
    return [folder / "main.c", folder / ("whole_f32.c" if is_float else "whole.c")]


def _functions(texts: dict[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(texts["whole.json"])["functions"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "results"),
    [
        ("stewart_inverse", tuple(f"slider_{k}.slide" for k in range(1, 7))),
        ("jansen_leg", ("foot.toe",)),
        ("spatial_four_bar", ("bodies", "coordinates")),
    ],
)
@pytest.mark.parametrize(
    ("precision", "targets"),
    [("double", ("cortex-m7", "cortex-m3")), ("float", ("cortex-m4f", "cortex-m33", "cortex-m3"))],
    ids=["double", "float"],
)
def test_targets_have_the_bits_of_the_host(
    example: str, results: tuple[str, ...], precision: Precision, targets: tuple[str, ...], tmp_path: Path
) -> None:
    compiler, _ = need(COMPILER), need(EMULATOR)
    sources = _write(tmp_path, example, results, precision)
    run("gcc", *FLAGS, *sources, "-o", tmp_path / "host", "-lm")
    wanted = run(tmp_path / "host").splitlines()
    assert len(wanted) == ROWS
    statuses = [line.split()[0] for line in wanted]
    assert statuses.count("0") > ROWS // 2
    assert statuses[-1] == str(int(symgen.Status.BAD_INPUT))
    for core in [core for core in CORES if core.name in targets]:
        image = tmp_path / f"{core.name}.elf"
        run(compiler, *FLAGS, "-mthumb", *core.flags, *LIBRARY, *sources, "-o", image, *core.defined, "-lm")
        found = run("timeout", "60", *emulated(core, image)).splitlines()
        assert found == wanted, core.name
