"""C kernels: compile, call in a timed loop, count machine operations."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.entrant import ROWS, Discipline, Entrant, LeftOutError
from benchmarks.problems import Problem

COMPILER = "gcc"
KERNELS = Path(__file__).resolve().parent / "kernels"
STRICT = ("-std=c99", "-ffp-contract=off")
O2, O3 = ("-O2",), ("-O3",)
#: What symgen compiles scalar kernels with (spec/performance.md names them "default flags").
DEFAULT = ("-O3", "-fno-math-errno", "-fno-trapping-math", "-fno-tree-slp-vectorize")
SCALAR = ("-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-math-errno")

_LOOP = """
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>
{declaration}
double run(const double *in, double *out, const int32_t *branch, long rows, long passes)
{{
    struct timespec t0, t1;
    {before}
    clock_gettime(CLOCK_MONOTONIC, &t0);
    for (long pass = 0; pass < passes; ++pass) {{
        {loop}
    }}
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (double)(t1.tv_sec - t0.tv_sec) + 1e-9*(double)(t1.tv_nsec - t0.tv_nsec);
}}
"""

_ROWS = """for (long i = 0; i < rows; ++i) {{
            const double *x = in + {size_in}*i;
            double *y = out + {size_out}*i;
            {call}
        }}"""


@dataclass(frozen=True)
class Kernel:
    """C text and how to call it.

    call : statement that reads ``x`` (this row's numbers), ``branch[i]``, and writes ``y``.
    inline : the kernel is part of the loop's file, for the compiler to inline (batch); else it is called from outside.
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
    extra_includes: tuple[str, ...] = field(default=())


def compile_entrant(kernel: Kernel, problem: Problem, discipline: Discipline = "kernel") -> Entrant:
    """Compile a kernel with a timed loop around its call."""
    loop = _ROWS.format(size_in=problem.size_in, size_out=problem.size_out, call=kernel.call)
    # Pure repetition of the same pass must not be hoisted or merged: the barrier says that memory may have changed.
    text = _LOOP.format(
        declaration=kernel.source if kernel.inline else kernel.declaration,
        before=kernel.before,
        loop=loop + '\n        __asm__ volatile("" ::: "memory");',
    )
    library = _shared_object(kernel, text)
    return native_entrant(
        library,
        kernel.tool,
        kernel.form,
        problem,
        discipline,
        operations=count_operations(kernel),
        made_in=kernel.made_in,
    )


def native_entrant(
    library: ctypes.CDLL,
    tool: str,
    form: str,
    problem: Problem,
    discipline: Discipline,
    *,
    operations: int | None = None,
    made_in: float | None = None,
) -> Entrant:
    """Wrap a loaded ``run`` as an entrant on the problem's instances."""
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
    return Entrant(tool, form, discipline, run, answers, operations, made_in)


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
        if not kernel.inline:
            (folder / "kernel.c").write_text(kernel.source)
            files.append("kernel.c")
        flags = [*STRICT, "-fPIC", "-shared", "-Wl,-Bsymbolic", *_include(kernel)]
        # The loop is compiled with the kernel's flags too: with -fPIC and one file each, nothing is inlined across.
        _gcc([*kernel.flags, *flags, *files, "-o", "kernel.so", "-lm"], folder)
        return ctypes.CDLL(str(folder / "kernel.so"))


def count_operations(kernel: Kernel) -> int | None:
    """Count add, sub, mul, div and sqrt instructions of a scalar -O2 build, in the kernel and what it calls itself."""
    if shutil.which("objdump") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernel.c").write_text(kernel.source)
        _gcc([*SCALAR, *STRICT, *_include(kernel), "-c", "kernel.c", "-o", "kernel.o"], folder)
        listing = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", "kernel.o", "-r"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    functions = _functions(listing)
    for name in functions:
        # symgen's entry points call solve_<name> once, and again only to say why they refuse.
        if f"solve_{name}" in functions:
            functions[name] = functions[name][0], [f"solve_{name}"]
    return _operations_of(kernel.symbol, functions)


def _include(kernel: Kernel) -> list[str]:
    return ["-I", str(kernel.include)] if kernel.include is not None else []


_ARITHMETIC = re.compile(r"\tv?(add|sub|mul|div|sqrt)(sd|pd)\b")
# A call inside the file is resolved, one to a global symbol is left to the linker.
_CALL = re.compile(r"\t(?:call|jmp)\s+[0-9a-f]+ <([\w.]+)>|R_X86_64_(?:PLT|PC)32\t([\w.]+)-0x4")


def _functions(listing: str) -> dict[str, tuple[int, list[str]]]:
    """Return, for each function of a disassembly, its operations and the functions of the same file that it calls."""
    found: dict[str, tuple[int, list[str]]] = {}
    for block in re.split(r"\n(?=[0-9a-f]{16} <)", listing):
        head = re.match(r"[0-9a-f]{16} <([\w.]+)>:", block)
        if head is not None:
            count = sum(2 if kind == "pd" else 1 for _, kind in _ARITHMETIC.findall(block))
            calls = [inside or outside for inside, outside in _CALL.findall(block)]
            found[head[1]] = count, [name for name in calls if name != head[1]]
    return found


def _operations_of(symbol: str, functions: dict[str, tuple[int, list[str]]]) -> int | None:
    if symbol not in functions:
        return None
    count, calls = functions[symbol]
    # The generated C does not recurse, so neither does this without end.
    return count + sum(_operations_of(name, functions) or 0 for name in calls)


def _gcc(arguments: Sequence[str], folder: Path) -> None:
    done = subprocess.run([COMPILER, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LeftOutError(f"{COMPILER} refuses its C: {(done.stderr.splitlines() or ['no message'])[0][:200]}")
