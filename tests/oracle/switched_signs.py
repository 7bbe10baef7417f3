"""The engine of method riccati with a switch at every sign of its arithmetic: compiled once, signs turned one by one.

`a - b*c` becomes `a - symgen_sign[k]*b*c`. Indices, pointers and integers have no switches.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray
from oracle.compilers import need, run

from symgen.build.recipe import ModuleSources, SourceFile
from symgen.simulate.articulated.engine import CompiledRiccati, riccati_sources, riccati_tables
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.tables.problem import Problem

KERNELS = "transfer_riccati_kernels.h"
#: Files of the engine with arithmetic.
OWN = (
    *("transfer_workspace.h", "transfer_motion.h", "transfer_closings.h", "transfer_joints.h", "transfer_sweep.h"),
    "transfer.c",
)
#: What it takes of the dynamics.
SHARED = ("dynamics_tree.h", "dynamics_elements.h", "dynamics_forces.h")
#: What all engines share.
STEPS = "symgen_steps.h"
#: Functions of the engine without mechanics: they choose steps.
STEP_CONTROL = ("lay_out_steps", "find_error", "sample_step", "run_equal", "run_chosen", "symgen_transfer_run")

#: What pivots are judged by enters no motion: it is asked for. In: P S, H (6 x 3), lever, sizes, column g, pivot.
JUDGED = """
void symgen_judge(
    const double *ps, const double *h, const double *lever, const double *size, const double *g, double pivot,
    double *out)
{
    double left[21], ka[18], di[6], pivots[3];
    (void)solve_riccati_hinge_inertia_1(ps, h, left, ka, di, pivots, out);
    (void)solve_riccati_hinge_inertia_2(ps, h, left, ka, di, pivots, out + 1);
    (void)solve_riccati_hinge_inertia_3(ps, h, left, ka, di, pivots, out + 3);
    (void)solve_riccati_size(ps, out + 6);
    (void)solve_riccati_input_size(size, lever, out + 8);
    (void)solve_riccati_hinge_size(h, size, out + 10);
    (void)solve_loop_hinge_size(h, g, pivot, out + 11);
}
"""
_JUDGE = "void symgen_judge(double *, double *, double *, double *, double *, double, double *);\n"

_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_FUNCTION = re.compile(r"^(?:static |inline )*(?:symgen_status|void|int32_t|int64_t|double) (\w+)\(", re.M)
_ASSIGNED = re.compile(r"^(\s*(?:const )?(?:double )?[a-zA-Z_][^;={}]*? [-+]?= )([^;{}]*);", re.M)
_SIGN, _EXPONENT = re.compile(r"(?<![-+])[-+](?![-+>=])"), re.compile(r"\d[eE]$")
_REMAINDER = re.compile(r"%\([^()]*\)")
_NO_NUMBER = re.compile(
    r"^\s*(?:const )?(?:for |int32_t|int64_t|symgen_status|\w+ \(?\*|static|end |total |w->body"
    r"|state->body|w->rank)|, \*\w+ = $"
)


@dataclass(frozen=True)
class Sign:
    """A sign in the engine's text: file, function, line and what follows it."""

    file: str
    function: str
    line: int
    text: str


class _Switches:
    def __init__(self, spared: Collection[str]) -> None:
        self.signs: list[Sign] = []
        self.spared = spared

    def file(self, name: str, text: str) -> str:
        """Return a file with its switches."""
        blank = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        functions = [(found.start(), found.group(1)) for found in _FUNCTION.finditer(blank)]
        pieces, done = [], 0
        for found in _ASSIGNED.finditer(blank):
            within = [function for start, function in functions if start < found.start()]
            if not within or within[-1] in self.spared or _NO_NUMBER.search(found.group(1)):
                continue
            line = blank.count("\n", 0, found.start(2)) + 1
            where = Sign(name, within[-1], line, "")
            left, right = found.group(1), self._expression(found.group(2), where)
            if re.search(r"[-+]= $", left):
                right = f"{self._switch(where, left.strip())}*({right})"
            pieces += [text[done : found.start()], left, right, ";"]
            done = found.end()
        return "".join(pieces) + text[done:]

    def _switch(self, where: Sign, text: str) -> str:
        self.signs.append(Sign(where.file, where.function, where.line, " ".join(text.split())))
        return f"symgen_sign[{len(self.signs) - 1}]"

    def _expression(self, text: str, where: Sign) -> str:
        found, depth, k = [], 0, 0
        whole = {k for span in _REMAINDER.finditer(text) for k in range(*span.span())}
        while k < len(text):
            depth += (text[k] == "[") - (text[k] == "]")
            found.append(text[k])
            if depth == 0 and k not in whole and _SIGN.match(text, k) and not _EXPONENT.search(text[:k]):
                found.append(f"{self._switch(where, text[k : k + 40])}*")
            k += 1
        return "".join(found)


@dataclass(frozen=True)
class Switched:
    """An engine, its switches (1: as it is, -1: turned), and what they are at."""

    engine: CompiledRiccati
    switches: NDArray[np.float64]
    signs: list[Sign]
    ffi: cffi.FFI
    lib: Any

    def judge(self, *given: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return what pivots are judged by; see `JUDGED`."""
        out = np.zeros(12)
        arrays = [np.ascontiguousarray(each, dtype=np.float64) for each in (*given[:-1], out)]
        *pointers, last = (self.ffi.from_buffer("double[]", each, require_writable=True) for each in arrays)
        self.lib.symgen_judge(*pointers, given[-1], last)
        return arrays[-1]


def signs_of(name: str, text: str) -> list[Sign]:
    """Return the signs of a file of the general engine that get switches."""
    switches = _Switches(STEP_CONTROL)
    switches.file(name, text)
    return switches.signs


def without_beams(text: str) -> str:
    """Return a file of the general engine as a compiler sees it for a mechanism without beams, line by line."""
    lines, open_ifs = [], [(False, True)]  # of each: whether it asks for beams, whether its lines are seen
    for line in text.splitlines():
        found = re.match(r"#(ifn?def|if|else|endif)\b *(\w*)", line)
        asks, seen = open_ifs[-1]
        if not found:
            lines.append(line if seen else "")
            continue
        if found[1] == "endif":
            open_ifs.pop()
        elif found[1] == "else":
            open_ifs[-1] = (asks, open_ifs[-2][1] and (asks or seen))
        else:
            open_ifs.append(
                (found[2] == "BEAMS" and found[1] == "if", seen and (found[1], found[2]) != ("if", "BEAMS"))
            )
        lines.append(line)
    return "\n".join(lines)


def signs_without_switch(text: str) -> int:
    """Return how many signs of a file of straight-line code have no switch."""
    switches, blank = _Switches(()), re.sub(r"\[[^]]*\]|^#.*$", "", _COMMENT.sub("", text), flags=re.M)
    switches.file("", text)
    return sum(not _EXPONENT.search(blank[: found.start()]) for found in _SIGN.finditer(blank)) - len(switches.signs)


@dataclass(frozen=True)
class _OneCopy:
    """What an engine borrows copies from; here there is one."""

    ffi: cffi.FFI
    lib: Any

    @contextmanager
    def one(self) -> Iterator[_OneCopy]:
        yield self


def make_switched(problem: Problem, folder: Path) -> Switched:
    """Compile the engine of a problem with its switches."""
    tables = riccati_tables(problem)
    sources = riccati_sources(problem, tables, read_dynamics())
    files = {KERNELS, *OWN, *SHARED, STEPS}
    if "BEAMS" not in problem.sizes:
        seen = (SourceFile(file.path, without_beams(file.text.decode()).encode()) for file in sources.files)
        sources = replace(sources, files=tuple(seen))
    ffi, lib, switches, signs = compile_switched(sources, files, folder, STEP_CONTROL, (JUDGED, _JUDGE))
    engine = CompiledRiccati.__new__(CompiledRiccati)
    work = np.zeros(-(-int(lib.symgen_transfer_workspace_size()) // 8))
    vars(engine).update(_problem=problem, _tables=tables, _copies=_OneCopy(ffi, lib), _work=work)
    return Switched(engine, switches, signs, ffi, lib)


def compile_switched(
    sources: ModuleSources, files: Collection[str], folder: Path, spared: Collection[str],
    more: tuple[str, str] = ("", ""),
) -> tuple[cffi.FFI, Any, NDArray[np.float64], list[Sign]]:  # fmt: skip
    """Compile an engine with switches in some of its files.

    Parameters
    ----------
    spared : functions without switches: there is no mechanics in them.
    more : functions behind the engine's own, and their declarations.

    Returns
    -------
    tuple
        Interface, library, switches (1: as it is, -1: turned), and what they are at.
    """
    switches, switched = _Switches(spared), {}
    for file in sources.files:
        name, text = Path(file.path).name, file.text.decode()
        switched[file.path] = switches.file(name, text) if name in files else text
    declared = f"extern double symgen_sign[{len(switches.signs)}];\n"
    for path, text in switched.items():
        where = folder / path
        where.parent.mkdir(parents=True, exist_ok=True)
        if where.name == sources.header:
            text = text.replace("#ifdef __cplusplus", declared + "#ifdef __cplusplus", 1)
        if path == sources.units[-1]:
            text += f"\ndouble symgen_sign[{len(switches.signs)}];\n{more[0]}"
        where.write_text(text, encoding="utf-8")
    includes = {f"-I{folder / each}" for each in ("", *sources.include, *(Path(f.path).parent for f in sources.files))}
    made = folder / "switched.so"
    units = [folder / unit for unit in sources.units]
    run(need("gcc"), "-std=c99", "-O1", "-w", "-fPIC", "-shared", *sorted(includes), *units, "-lm", "-o", made)
    ffi = cffi.FFI()
    ffi.cdef(sources.cdef + declared + more[1])
    lib = ffi.dlopen(str(made))
    signs = np.frombuffer(ffi.buffer(lib.symgen_sign), dtype=np.float64)
    signs[:] = 1.0
    return ffi, lib, signs, switches.signs
