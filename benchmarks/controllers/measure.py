"""Instructions, stack and code of a competitor on one core in the emulator, and what it answered."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.controllers.entrants import Entrant
from symgen.export.embedded.bundle import bits_in_c
from symgen.export.embedded.targets import ARM, COMPILER, FLAGS, LIBRARY, Core, emulated
from symgen.render.environment import render

_MAIN = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
{call}
{stack}
static const {real} rows[{count}][{inputs}] = {{
{rows}
}};
static {real} results[{results}];
static __attribute__((noinline)) int step(int row) {{ return bench_step(rows[row], results); }}
int main(void)
{{
    RELOAD = 0xFFFFFF;
    CURRENT = 0;
    CONTROL = 5;
    const uint32_t one = CURRENT;
    __asm__ volatile(".rept 1100\\n nop\\n .endr");
    const uint32_t two = CURRENT;
    __asm__ volatile(".rept 100\\n nop\\n .endr");
    const uint32_t three = CURRENT;
    printf("ticks %lu\\n", (unsigned long)(((one - two) - (two - three)) & 0xFFFFFF));
    bench_init();
    for (int row = 0; row < {count}; ++row) {{
        paint();
        CURRENT = 0;
        const int status = step(row);
        const uint32_t after = CURRENT;
        printf("step %d %lu %d", status, (unsigned long)(0x1000000 - after), (PAINTED - untouched())*4);
        const unsigned char *told = (const unsigned char *)results;
        for (int k = 0; k < (int)sizeof results; ++k) {{
            printf("%s%02x", k % (int)sizeof results[0] == 0 ? " " : "", told[k]);
        }}
        printf("\\n");
    }}
    return 0;
}}
"""
_SIZED = """{call}
volatile float seen;
int main(void) {{ static {real} inputs[{inputs}], results[{results}]; bench_init(); {step}
seen = (float)(results[0] + inputs[0]); return 0; }}
"""


@dataclass(frozen=True)
class Cost:
    """What a step costs: instructions (mean, least, most), stack and code in bytes; and the answers, one row a step."""

    tool: str
    instructions: tuple[int, int, int]
    stack: int
    code: int
    answers: np.ndarray


@dataclass(frozen=True)
class _Nothing:
    """A view for a template that asks for nothing."""


def cost_of(entrant: Entrant, core: Core, real: str, rows: Sequence[Sequence[float]], results: int, at: Path) -> Cost:
    """Build a competitor and run it.

    Parameters
    ----------
    rows : inputs of the steps; all of them are solved.
    at : an empty folder.

    Raises
    ------
    subprocess.CalledProcessError
        It does not build or run.
    """
    inputs = len(rows[0])
    for name, text in entrant.files.items():
        place = at / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    lines = ",\n".join("{ " + ", ".join(bits_in_c(x, real) for x in row) + " }" for row in rows)
    stack = render("export/embedded/_stack.c.j2", _Nothing())
    told = dict(call=entrant.call, real=real, inputs=inputs, results=results)
    (at / "main.c").write_text(_MAIN.format(stack=stack, rows=lines, count=len(rows), **told), encoding="utf-8")
    call = "(void)bench_step(inputs, results);"
    for name, step in (("with.c", call), ("without.c", "(void)bench_step;")):
        (at / name).write_text(_SIZED.format(step=step, **told), encoding="utf-8")
    flags = [*FLAGS, *entrant.extra, "-mthumb", *core.flags, "-Iinclude", "-Isrc", "-ffunction-sections",
             "-fdata-sections"]  # fmt: skip
    link = [*LIBRARY, "-Wl,--gc-sections", *core.defined, "-lm"]
    sizes = []
    for name in ("with", "without", "main"):
        _run([COMPILER, *flags, *entrant.units, f"{name}.c", "-o", f"{name}.elf", *link], at)
        text, data = _run([ARM.size, f"{name}.elf"], at).splitlines()[1].split()[:2]
        sizes.append(int(text) + int(data))
    lines_told = _run(emulated(core, at / "main.elf"), at).splitlines()
    ticks = next(int(line.split()[1]) for line in lines_told if line.startswith("ticks"))
    steps = [line.split()[1:] for line in lines_told if line.startswith("step")]
    if any(step[0] != "0" for step in steps):
        raise ValueError(f"{entrant.tool}: a step that is solved has another status here")
    counts = [round(int(step[1]) * 1000 / ticks) for step in steps]
    letter = "f" if real == "float" else "d"
    answers = [[struct.unpack(f"<{letter}", bytes.fromhex(word))[0] for word in step[3:]] for step in steps]
    spread = (round(sum(counts) / len(counts)), min(counts), max(counts))
    return Cost(entrant.tool, spread, max(int(s[2]) for s in steps), sizes[0] - sizes[1], np.array(answers))


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout)[:2000]}")
    return done.stdout
