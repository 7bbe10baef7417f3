"""Machine operations: the add, sub, mul, div and sqrt instructions of a scalar -O2 build, whatever the load."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.native import STRICT, Kernel, gcc, include_flags

#: A hand-written kernel's function of this name says why it refuses; a call that succeeds does not run it.
COLD = "refuse"
#: One machine's instructions, and loops of a known number of turns written out, so that every turn counts.
SCALAR = (
    *("-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-math-errno", "-DSYMGEN_ONE_MACHINE"),
    *("-fpeel-loops", "--param=max-completely-peeled-insns=100000", "--param=max-completely-peel-times=64"),
)

_ARITHMETIC = re.compile(r"\tv?(add|sub|mul|div|sqrt)(sd|pd)\b")
# A call inside the file is resolved, one to a global symbol is left to the linker.
_CALL = re.compile(r"\t(?:call|jmp)\s+[0-9a-f]+ <([\w.]+)>|R_X86_64_(?:PLT|PC)32\t([\w.]+)-0x4")


def count_operations(kernel: Kernel) -> int | None:
    """Count add, sub, mul, div and sqrt instructions of a scalar -O2 build, in the kernel and what it calls itself."""
    if shutil.which("objdump") is None:
        return None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernel.c").write_text(kernel.source)
        gcc([*SCALAR, *STRICT, *include_flags(kernel), "-c", "kernel.c", "-o", "kernel.o"], folder)
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
    functions.pop(COLD, None)
    return _operations_of(kernel.symbol, functions)


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
