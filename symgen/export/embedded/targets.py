"""What an export takes on microcontrollers, where a cross compiler and an emulator are there to tell."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.errors import BuildError
from symgen.status import Status

COMPILER, EMULATOR, SIZE = "arm-none-eabi-gcc", "qemu-system-arm", "arm-none-eabi-size"
#: Flags that users have, not those that suit us: contraction is switched off in the files themselves.
FLAGS = ("-std=gnu99", "-O2", "-ffp-contract=fast")
#: The C library, with start-up code and a console.
LIBRARY = ("--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted")
_MEMORY = {
    "flash": "0x00000000", "flash_size": "0x00400000", "ram": "0x20000000", "ram_size": "0x00400000",
    "stack_size": "0x20000",
}  # fmt: skip
_SECONDS = 120
#: Bytes of stack that templates/export/embedded/measure.c.j2 looks at.
PAINTED = 65536


@dataclass(frozen=True)
class Core:
    """A core with its floating point unit, and the board that the emulator has with it; empty if it has none."""

    name: str
    flags: tuple[str, ...]
    board: str
    memory: Mapping[str, str]

    @property
    def defined(self) -> tuple[str, ...]:
        """What the linker is told of the memory."""
        return tuple(f"-Wl,--defsym=__{name}={value}" for name, value in {**_MEMORY, **self.memory}.items())


CORES = (
    Core("cortex-m0plus", ("-mcpu=cortex-m0plus", "-mfloat-abi=soft"), "", {}),
    Core("cortex-m3", ("-mcpu=cortex-m3", "-mfloat-abi=soft"), "mps2-an385", {}),
    Core("cortex-m4f", ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"), "mps2-an386", {}),
    Core("cortex-m7", ("-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"), "mps2-an500", {}),
    Core(
        "cortex-m33", ("-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"), "mps2-an505",
        {"flash": "0x10000000", "ram": "0x38000000"},
    ),
)  # fmt: skip

#: Cores with a floating point unit for double; elsewhere the compiler's library calculates it.
HAVE_DOUBLE = frozenset({"cortex-m7"})


@dataclass(frozen=True)
class Figures:
    """What was measured on one core.

    Parameters
    ----------
    differ : how many steps of the self-test differ; None where it cannot run.
    code : bytes that a program with the export has more than one without.
    stack : bytes that a step takes at most; None if it cannot run, or takes more than `PAINTED`.
    instructions : mean, least and most of a step that is solved; None if it cannot run, or the timer of 24 bits went
        round.
    median : of these.
    """

    name: str
    differ: int | None
    code: int
    stack: int | None
    instructions: tuple[int, int, int] | None
    median: int | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures as cells of a table."""
        test = "built only" if self.differ is None else f"{self.differ} differ"
        told = "" if self.instructions is None else "{} ({} to {})".format(*self.instructions)
        return (self.name, test, str(self.code), "" if self.stack is None else str(self.stack), told)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as a tree."""
        mean, least, most = self.instructions or (None, None, None)
        return {
            "selftest_differ": self.differ,
            "code_bytes": self.code,
            "stack_bytes": self.stack,
            "instructions": {"mean": mean, "median": self.median, "min": least, "max": most},
        }


@dataclass(frozen=True)
class Targets:
    """The figures that were found, and why others were not."""

    found: tuple[Figures, ...]
    not_run: tuple[str, ...]

    def notes(self, real: str) -> tuple[str, ...]:
        """Return what to know of cores where the self-test of code in `real` differs."""
        differ = [each.name for each in self.found if each.differ]
        if not differ:
            return ()
        said = f"the self-test differs on {', '.join(differ)}"
        if real != "double" or set(differ) & HAVE_DOUBLE:
            return (f"{said}: do not use the code there",)
        return (
            f"{said}, where double is calculated by the library of GCC, which does not round all differences to the"
            " nearest number: docs/export-embedded.md",
        )


def measure(files: Mapping[str, str], programs: Mapping[str, str], libm: str = "") -> Targets:
    """Build an export for every core, and run it where the emulator has the core.

    Parameters
    ----------
    files : of the export, by path.
    programs : C that is no part of it: ``measure.c`` runs the self-test, then tells the ticks of some instructions,
        and status, ticks, whether the timer went round, stack and steps of each row of the self-test that it takes;
        ``with.c`` takes a step, ``without.c`` does all but that.
    libm : why bits may differ from the host's, if they may; only the size and the costs are told then.
    """
    if shutil.which(COMPILER) is None or shutil.which(SIZE) is None:
        return Targets((), (f"Cortex-M: there is no {COMPILER} here",))
    runs = shutil.which(EMULATOR) is not None
    not_run = [] if runs else [f"Cortex-M was built and not run: there is no {EMULATOR} here"]
    if libm:
        not_run.append(f"the self-test on Cortex-M: {libm}")
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as place:
        folder = Path(place)
        for name, text in {**files, **programs}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            tried = list(pool.map(lambda core: _try_core(core, folder, files, runs, bool(libm)), CORES))
    found = [each for each in tried if isinstance(each, Figures)]
    not_run += [each for each in tried if isinstance(each, str)]
    return Targets(tuple(found), tuple(not_run))


def _try_core(core: Core, folder: Path, files: Mapping[str, str], runs: bool, uses_libm: bool) -> Figures | str:
    try:
        return _figures(core, folder, files, runs, uses_libm)
    except (BuildError, OSError, subprocess.TimeoutExpired) as error:
        lines = str(error).strip().splitlines()
        return f"{core.name}: {lines[0] if lines else type(error).__name__}"


def _figures(core: Core, folder: Path, files: Mapping[str, str], runs: bool, uses_libm: bool) -> Figures:
    sources = [name for name in files if name.startswith("src/") and name.endswith(".c")]
    flags = [*FLAGS, "-mthumb", *core.flags, "-Iinclude", "-Isrc", "-Itest", "-ffunction-sections", "-fdata-sections"]
    link = [*LIBRARY, "-Wl,--gc-sections", *core.defined]
    made, sizes = [], []
    for k, source in enumerate(sources):
        made.append(f"{core.name}-{k}.o")
        _run([COMPILER, *flags, LIBRARY[0], "-c", source, "-o", made[-1]], folder)
    for name in ("with", "without"):
        image = f"{core.name}-{name}.elf"
        _run([COMPILER, *flags, *made, f"{name}.c", "-o", image, *link, "-lm"], folder)
        text, data = _run([SIZE, image], folder).splitlines()[1].split()[:2]
        sizes.append(int(text) + int(data))
    code = sizes[0] - sizes[1]
    if not core.board or not runs:
        return Figures(core.name, None, code, None, None)
    image = f"{core.name}.elf"
    _run([COMPILER, *flags, *made, "test/selftest.c", "measure.c", "-o", image, *link, "-lm"], folder)
    told = _run(emulated(core, folder / image), folder).split("\n")
    differ = next(int(line.split()[1]) for line in told if line.startswith("selftest"))
    ticks, counted_in_them = next(map(int, line.split()[1:]) for line in told if line.startswith("ticks"))
    per_tick = counted_in_them / ticks
    rows = [[int(word) for word in line.split()[1:]] for line in told if line.startswith("step")]
    stack = max(row[3] for row in rows)
    solved = [
        (round(ticks * per_tick / steps), beyond)
        for status, ticks, beyond, _, steps in rows
        if status == int(Status.OK)
    ]
    counted = [count for count, beyond in solved if not beyond]
    spread = (
        (round(sum(counted) / len(counted)), min(counted), max(counted))
        if counted and len(counted) == len(solved)
        else None
    )
    median = None if spread is None else sorted(counted)[len(counted) // 2]
    return Figures(core.name, None if uses_libm else differ, code, stack if stack < PAINTED else None, spread, median)


def emulated(core: Core, image: Path) -> list[str]:
    """Return the command that runs an image; -icount makes time a count of instructions."""
    return [
        EMULATOR, "-M", core.board, "-display", "none", "-monitor", "none", "-serial", "none", "-icount", "shift=6",
        "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out", "-kernel", str(image),
    ]  # fmt: skip


def _run(command: Sequence[str], folder: Path) -> str:
    """Return what a command prints.

    Raises
    ------
    BuildError
        It failed, with the end of what it said.
    """
    done = subprocess.run(  # noqa: S603 - our own compiler and emulator, on files that we wrote
        command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no word"]
        line = next((each for each in said if "error" in each.lower()), said[-1])
        raise BuildError(f"{Path(command[0]).name} ended with {done.returncode}: {line}")
    return done.stdout
