"""The compilers of this machine and the flags that generated C is promised to stand."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock
from oracle.modules import TESTED, home

from symgen.library.catalogue import modules_in

#: The whole list that docs/generated-code.md promises; the last two are for C only.
WARNINGS = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wdouble-promotion", "-Wfloat-equal"),
    *("-Wshadow", "-Wundef", "-Wcast-qual", "-Wvla", "-Werror"),
)
C_ONLY = ("-Wstrict-prototypes", "-Wmissing-prototypes")
COMPILERS = ("gcc", "clang")
LANGUAGES = {"c99": (*C_ONLY, "-x", "c", "-std=c99"), "c++": ("-x", "c++", "-std=c++11")}
IS_X86_64 = platform.machine().lower() in ("x86_64", "amd64")
#: What this processor has; on Linux it tells.
_CPU = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
#: The optimiser is invited to fuse multiplications and additions: the file itself has to forbid it. clang documents
#: that its `fast` ignores pragmas; `on` (its default, and the most that a file can forbid) honours them.
FUSING = {
    compiler: ("-O2", f"-ffp-contract={mode}", *(("-march=haswell",) if IS_X86_64 else ()))
    for compiler, mode in (("gcc", "fast"), ("clang", "on"))
}


@dataclass(frozen=True)
class Unit:
    """One C file of a module."""

    module: str
    precision: str

    @property
    def stem(self) -> str:
        return self.module if self.precision == "double" else f"{self.module}_f32"

    @property
    def source(self) -> Path:
        return home(self.module) / f"{self.stem}.c"

    @property
    def header(self) -> Path:
        return self.source.with_suffix(".h")

    def __str__(self) -> str:
        return self.stem


def units() -> tuple[Unit, ...]:
    """Return the C file of every shipped module; the solvers for groups of any shape have tests of their own."""
    found = []
    for path in sorted(path for m in modules_in(TESTED) for path in m.folder.glob("*.c")):
        is_float = path.stem.endswith("_f32")
        found.append(Unit(path.parent.name, "float" if is_float else "double"))
    return tuple(found)


#: A module of each kind of code that the templates place: what holds of their objects holds of the others, which differ
#: in their straight lines only. `make check` sets SYMGEN_EVERY_UNIT and takes all.
KINDS = (
    *("driven_f_3d", "dyad_prp", "dyad_rrr", "slot_rl", "triad_rr_rr_rr", "loop_rus", "loop_rcs", "loop_ccc"),
    *("loop_ccu", "loop_uuu", "loop_rss", "ring_r_r_r_s"),
)


#: Those that compile quickly, for warnings, symbols and sections under two compilers and two languages. `make check`
#: takes every file; the heavy ones are compiled in the suite too, by the tests of optimisation levels and sanitizers.
QUICK_KINDS = ("driven_f_3d", "dyad_rrr", "slot_rl", "triad_rr_rp_rp", "loop_ccc", "loop_rss")


def chosen_units(kinds: tuple[str, ...] = KINDS) -> tuple[Unit, ...]:
    """Return the C files of each kind; all of the library where that is asked for."""
    every = os.environ.get("SYMGEN_EVERY_UNIT", "0") not in ("", "0")
    return tuple(unit for unit in units() if every or unit.module in kinds)


def need(program: str) -> str:
    """Return the path of a program, or skip the test."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def has_instructions(name: str) -> bool:
    """Tell whether this processor has instructions, by the name that Linux tells."""
    return f" {name} " in _CPU


def need_instructions(name: str) -> None:
    """Skip the test unless this processor has them."""
    if not has_instructions(name):
        pytest.skip(f"this processor has no {name}")


def run(*command: str | Path, **environment: str) -> str:
    """Run a program; fail the test with its output if it fails."""
    variables = {**os.environ, "LC_ALL": "C", **environment}
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=600, check=False, env=variables
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{(done.stderr + done.stdout)[:4000]}"
    return done.stdout


def once(folder: Path, name: str, *command: str | Path) -> Path:
    """Run a compiler whose output is `name` in a folder that all workers share, unless one has done it."""
    target = folder / name
    with FileLock(folder / f"{name}.lock"):
        if not target.exists():
            run(*command, "-o", folder / f"{name}.part")
            (folder / f"{name}.part").rename(target)
    return target


#: By one machine's instructions alone, and for all machines, of which the loader chooses.
MACHINES = {
    "any": ("-DSYMGEN_ONE_MACHINE",),
    "all": (),
    **({"avx2": ("-DSYMGEN_ONE_MACHINE", "-mavx2")} if IS_X86_64 and has_instructions("avx2") else {}),
    **({"avx512": ("-DSYMGEN_ONE_MACHINE", "-march=x86-64-v4")} if has_instructions("avx512dq") else {}),
}
