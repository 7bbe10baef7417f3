"""C kernels: how each is called, and the compiler's part that the race and the single entrants share."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.entrant import ROWS, Discipline, Entrant, LeftOutError
from benchmarks.problems import Problem

COMPILER = "gcc"
KERNELS = Path(__file__).resolve().parent / "kernels"
STRICT = ("-std=c99", "-ffp-contract=off")
O2, O3 = ("-O2",), ("-O3",)
#: What symgen's library compiles with: `symgen.build.compiler.FLAGS` without those of the warnings and the link.
DEFAULT = ("-O3", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize")

# Repetition of the same pass must not be hoisted or merged: the barrier says that memory may have changed.
_LOOP = """
#include <stdint.h>
{declaration}
void {lane}(const double *in, double *out, const int32_t *branch, long rows, long passes)
{{
    {before}
    for (long pass = 0; pass < passes; ++pass) {{
        for (long i = 0; i < rows; ++i) {{
            const double *x = in + {size_in}*i;
            double *y = out + {size_out}*i;
            {call}
        }}
        __asm__ volatile("" ::: "memory");
    }}
    (void)branch;
}}
"""

_CLOCK = """#define _POSIX_C_SOURCE 199309L
#include <time.h>
{loop}
double run(const double *in, double *out, const int32_t *branch, long rows, long passes)
{{
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    lane(in, out, branch, rows, passes);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}}
"""


@dataclass(frozen=True)
class Kernel:
    """C text and how to call it.

    call : statement that reads ``x`` (this row's numbers), ``branch[i]``, and writes ``y``.
    inline : the kernel is part of the loop's file, for the compiler to inline (batch); else it is called from outside.
    yardstick : heading of the column of ratios to this kernel, if it is one.
    made_in : seconds from expressions to this text, None for hand-written C; the compiler's time is added.
    """

    tool: str
    form: str
    source: str
    symbol: str
    call: str
    declaration: str
    flags: Sequence[str] = O3
    include: Path | None = None
    before: str = ""
    inline: bool = False
    made_in: float | None = None
    yardstick: str = ""


def loop_text(kernel: Kernel, problem: Problem, lane: str = "lane") -> str:
    """Return the C function `lane`, which calls the kernel for every row in every pass."""
    return _LOOP.format(
        declaration=kernel.source if kernel.inline else kernel.declaration,
        lane=lane,
        before=kernel.before,
        size_in=problem.size_in,
        size_out=problem.size_out,
        call=kernel.call,
    )


def compile_entrant(kernel: Kernel, problem: Problem, discipline: Discipline = "kernel") -> Entrant:
    """Compile a kernel with a timed loop around its call, and load it into this process."""
    library = _shared_object(kernel, _CLOCK.format(loop=loop_text(kernel, problem)))
    rows = ROWS[discipline]
    inputs = np.ascontiguousarray(problem.instances(rows))
    outputs = np.full((rows, problem.size_out), np.nan)
    branch = branches(problem, inputs)
    library.run.restype = ctypes.c_double
    library.run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    pointers = inputs.ctypes.data, outputs.ctypes.data, branch.ctypes.data

    def run(passes: int) -> float:
        return float(library.run(*pointers, rows, passes))

    def answers() -> np.ndarray:
        run(1)
        return outputs

    run.keep = inputs, outputs, branch  # type: ignore[attr-defined]
    return Entrant(kernel.tool, kernel.form, discipline, run, answers, kernel.made_in)


def branches(problem: Problem, inputs: np.ndarray) -> np.ndarray:
    """Return symgen's branch numbers for the rows: of an R.R.R dyad, 0 is the joint to the left, `side` +1."""
    if problem.name.startswith("rrr"):
        return (inputs[:, 14] < 0).astype(np.int32)
    return np.zeros(len(inputs), dtype=np.int32)


def flat(tool: str, form: str, source: str, symbol: str, **options: object) -> Kernel:
    """Return a kernel called as ``symbol(x, y)``."""
    return Kernel(tool, form, source, symbol, f"{symbol}(x, y);", f"int {symbol}(const double *, double *);", **options)


def void_flat(tool: str, form: str, source: str, symbol: str, **options: object) -> Kernel:
    """Return a kernel called as ``symbol(x, y)`` that returns nothing and forgot `const`."""
    declaration = f"void {symbol}(double *, double *);"
    return Kernel(tool, form, source, symbol, f"{symbol}((double *)x, y);", declaration, **options)


def _shared_object(kernel: Kernel, loop: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "loop.c").write_text(loop)
        files = ["loop.c"]
        if not kernel.inline and kernel.source:
            (folder / "kernel.c").write_text(kernel.source)
            files.append("kernel.c")
        flags = [*STRICT, "-fPIC", "-shared", "-Wl,-Bsymbolic", *include_flags(kernel)]
        # The loop is compiled with the kernel's flags too: with -fPIC and one file each, nothing is inlined across.
        gcc([*kernel.flags, *flags, *files, "-o", "kernel.so", "-lm"], folder)
        return ctypes.CDLL(str(folder / "kernel.so"))


def include_flags(kernel: Kernel) -> list[str]:
    """Return the compiler's arguments for the folder of the kernel's headers."""
    return ["-I", str(kernel.include)] if kernel.include is not None else []


def gcc(arguments: Sequence[str], folder: Path) -> None:
    """Run the compiler in a folder.

    Raises
    ------
    LeftOutError
        It is not installed, or it refuses.
    """
    if shutil.which(COMPILER) is None:
        raise LeftOutError(f"{COMPILER} is not installed")
    done = subprocess.run([COMPILER, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LeftOutError(f"{COMPILER} refuses its C: {(done.stderr.splitlines() or ['no message'])[0][:200]}")
