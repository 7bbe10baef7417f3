"""What an export takes on microcontrollers, where a cross compiler and an emulator are there to tell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.errors import BuildError, InputError
from symgen.model.nearest import did_you_mean
from symgen.status import Status

COMPILER, EMULATOR = "arm-none-eabi-gcc", "qemu-system-arm"
#: Flags that users have, not those that suit us: contraction is switched off in the files themselves.
FLAGS = ("-std=gnu99", "-O2", "-ffp-contract=fast")
#: The C library, with start-up code and a console.
LIBRARY = ("--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted")
_MEMORY = {
    "flash": "0x00000000", "flash_size": "0x00400000", "ram": "0x20000000", "ram_size": "0x00400000",
    "stack_size": "0x20000",
}  # fmt: skip
_SECONDS = 120
#: What stands behind a self-test that does not end on a controller whose memory is small.
_MAYBE = ": the stack may be larger than the memory"
#: Bytes of stack that templates/export/embedded/_paint.c.j2 looks at.
PAINTED = 65536


@dataclass(frozen=True)
class CoreFamily:
    """Cores that one compiler builds for and one emulator runs.

    Parameters
    ----------
    name : as an option names it, and in words.
    program : what runs on it and measures, of the programs that `measure` is given.
    unit : what the emulator counts.
    compiling : flags of every core.
    linking : the C library: first what its headers need, then what a program needs.
    """

    name: str
    title: str
    compiler: str
    emulator: str
    program: str
    unit: str
    compiling: tuple[str, ...]
    linking: tuple[str, ...]

    @property
    def size(self) -> str:
        """The program that tells the sizes of an image."""
        return self.compiler.removesuffix("gcc") + "size"


ARM = CoreFamily("cortex-m", "Cortex-M", COMPILER, EMULATOR, "measure.c", "instructions", ("-mthumb",), LIBRARY)
RISCV = CoreFamily(
    "riscv", "RISC-V", "riscv64-unknown-elf-gcc", "qemu-system-riscv{bits}", "measure_riscv.c", "instructions",
    ("-mcmodel=medany",), LIBRARY,
)  # fmt: skip
AVR = CoreFamily("avr", "AVR", "avr-gcc", "simavr", "measure_avr.c", "cycles", (), ())
#: What an export is built for and run on if nothing else is asked for, and what can be asked for beside it.
ALWAYS, FAMILIES = (ARM,), (ARM, RISCV, AVR)


@dataclass(frozen=True)
class Core:
    """A core with its floating point unit, and the board that the emulator has with it; empty if it has none."""

    name: str
    flags: tuple[str, ...]
    board: str
    memory: Mapping[str, str]
    family: CoreFamily = ARM

    @property
    def defined(self) -> tuple[str, ...]:
        """What the linker is told of the memory."""
        if not self.memory:
            return ()
        return tuple(f"-Wl,--defsym=__{name}={value}" for name, value in self.memory.items())

    @property
    def emulator(self) -> str:
        """The program that runs its images."""
        return self.family.emulator.format(bits=self.name[2:4])


_RISCV_MEMORY = {**_MEMORY, "flash": "0x80000000", "ram": "0x80400000"}
CORES = (
    Core("cortex-m0plus", ("-mcpu=cortex-m0plus", "-mfloat-abi=soft"), "", _MEMORY),
    Core("cortex-m3", ("-mcpu=cortex-m3", "-mfloat-abi=soft"), "mps2-an385", _MEMORY),
    Core("cortex-m4f", ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"), "mps2-an386", _MEMORY),
    Core("cortex-m7", ("-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"), "mps2-an500", _MEMORY),
    Core(
        "cortex-m33", ("-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"), "mps2-an505",
        {**_MEMORY, "flash": "0x10000000", "ram": "0x38000000"},
    ),
    Core("rv32imafc", ("-march=rv32imafc", "-mabi=ilp32f"), "virt", _RISCV_MEMORY, RISCV),
    Core("rv64imafdc", ("-march=rv64imafdc", "-mabi=lp64d"), "virt", _RISCV_MEMORY, RISCV),
    Core("atmega2560", ("-mmcu=atmega2560",), "atmega2560", {}, AVR),
)  # fmt: skip

#: Cores with a floating point unit for double; elsewhere the compiler's library calculates it.
HAVE_DOUBLE = frozenset({"cortex-m7", "rv64imafdc"})
#: What a simulator puts around lines that a program prints.
_AROUND = re.compile(r"\x1b\[[0-9;]*m|\.$")
#: What memories hold: an image that has more is not run.
_DATA = {"atmega2560": 8192}


def families(text: str) -> tuple[CoreFamily, ...]:
    """Return the families of a list separated by commas, beside those that are always there.

    Raises
    ------
    InputError
        There is no such family.
    """
    named = [name.strip() for name in text.split(",") if name.strip()]
    known = {family.name: family for family in FAMILIES}
    for name in named:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError(f"--more-targets {name}: not known{hint} (allowed: {', '.join(known)})")
    return tuple(family for family in FAMILIES if family in ALWAYS or family.name in named)


@dataclass(frozen=True)
class Figures:
    """What was measured on one core.

    Parameters
    ----------
    differ : how many steps of the self-test differ; None where it cannot run.
    code : bytes that a program with the export has more than one without.
    stack : bytes that a step takes at most; None if it cannot run, or takes more than `PAINTED`.
    counted : mean, least and most of a step that is solved, in `unit`; None if it cannot run, or the timer went round.
    median : of these.
    """

    name: str
    differ: int | None
    code: int
    stack: int | None
    counted: tuple[int, int, int] | None
    unit: str = "instructions"
    median: int | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The figures as cells of a table."""
        test = "built only" if self.differ is None else f"{self.differ} differ"
        cell = "" if self.counted is None else "{} ({} to {})".format(*self.counted)
        cell += " cycles" if cell and self.unit == "cycles" else ""
        return (self.name, test, str(self.code), "" if self.stack is None else str(self.stack), cell)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as a tree."""
        mean, least, most = self.counted or (None, None, None)
        return {
            "selftest_differ": self.differ,
            "code_bytes": self.code,
            "stack_bytes": self.stack,
            self.unit: {"mean": mean, "median": self.median, "min": least, "max": most},
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
            f"{said}, where the library of GCC calculates doubles and does not round all differences to the nearest "
            "number: docs/export-embedded.md",
        )


def measure(
    files: Mapping[str, str], programs: Mapping[str, str], libm: str = "", asked: Sequence[CoreFamily] = ALWAYS
) -> Targets:
    """Build an export for every core of some families, and run it where the emulator has the core.

    Parameters
    ----------
    files : of the export, by path.
    programs : C that is no part of it: those that a family names run the self-test, then tell the ticks of some
        instructions, and status, ticks, whether the timer went round, stack and steps of each row of the self-test
        that it takes; ``with.c`` takes a step, ``without.c`` does all but that.
    libm : why bits may differ from the host's, if they may; only the size and the costs are told then.
    """
    not_run: list[str] = []
    tried: list[Figures | str] = []
    for family in asked:
        if family.program not in programs:
            not_run.append(f"{family.title}: double has 32 bits there")
            continue
        if shutil.which(family.compiler) is None or shutil.which(family.size) is None:
            not_run.append(f"{family.title}: there is no {family.compiler} here")
            continue
        cores = [core for core in CORES if core.family is family]
        runs = {core.name: shutil.which(core.emulator) is not None for core in cores}
        lacks = dict.fromkeys(core.emulator for core in cores if not runs[core.name])
        not_run += [f"{family.title} was built but not run: there is no {emulator} here" for emulator in lacks]
        if libm:
            not_run.append(f"the self-test on {family.title}: {libm}")
        with tempfile.TemporaryDirectory(prefix="symgen-export-") as place:
            folder = Path(place)
            for name, text in {**files, **programs}.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
                tasks = [pool.submit(_try_core, core, folder, files, runs[core.name], bool(libm)) for core in cores]
            tried += [task.result() for task in tasks]
    found = [each for each in tried if isinstance(each, Figures)]
    not_run += [each for each in tried if isinstance(each, str)]
    return Targets(tuple(found), tuple(not_run))


def _try_core(core: Core, folder: Path, files: Mapping[str, str], runs: bool, uses_libm: bool) -> Figures | str:
    try:
        return _figures(core, folder, files, runs, uses_libm)
    except (BuildError, OSError, subprocess.TimeoutExpired) as error:  # the compiler may hang, too
        lines = str(error).strip().splitlines()
        return f"{core.name}: {lines[0] if lines else type(error).__name__}"


def _figures(core: Core, folder: Path, files: Mapping[str, str], runs: bool, uses_libm: bool) -> Figures:
    sources = [name for name in files if name.startswith("src/") and name.endswith(".c")]
    family = core.family
    flags = [*FLAGS, *family.compiling, *core.flags, "-Iinclude", "-Isrc", "-Itest"]
    flags += ["-ffunction-sections", "-fdata-sections"]
    link = [*family.linking, "-Wl,--gc-sections", *core.defined]
    made, sizes = [], []
    for k, source in enumerate(sources):
        made.append(f"{core.name}-{k}.o")
        _run([family.compiler, *flags, *family.linking[:1], "-c", source, "-o", made[-1]], folder)
    for name in ("with", "without"):
        image = f"{core.name}-{name}.elf"
        _run([family.compiler, *flags, *made, f"{name}.c", "-o", image, *link, "-lm"], folder)
        text, data, _ = _sizes(family, image, folder)
        sizes.append(text + data)
    code = sizes[0] - sizes[1]
    if not core.board or not runs:
        return Figures(core.name, None, code, None, None, family.unit)
    image = f"{core.name}.elf"
    _run([family.compiler, *flags, *made, "test/selftest.c", family.program, "-o", image, *link, "-lm"], folder)
    _, begun, zeros = _sizes(family, image, folder)
    if begun + zeros >= _DATA.get(core.name, begun + zeros + 1):
        raise BuildError(f"the self-test has {begun + zeros} B of data, but the memory has only {_DATA[core.name]} B")
    try:
        said = _run(emulated(core, folder / image), folder, with_errors=family is AVR)
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"the self-test did not end within {_SECONDS} s{_MAYBE if family is AVR else ''}") from error
    lines = [_AROUND.sub("", line) for line in said.split("\n")]
    if family is AVR and "end" not in lines:
        raise BuildError(f"the self-test did not reach its end{_MAYBE}")
    differ = next(int(line.split()[1]) for line in lines if line.startswith("selftest"))
    ticks, counted_in_them = next(map(int, line.split()[1:]) for line in lines if line.startswith("ticks"))
    per_tick = counted_in_them / ticks
    rows = [[int(word) for word in line.split()[1:]] for line in lines if line.startswith("step")]
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
    known = stack if stack < PAINTED else None
    median = None if spread is None else sorted(counted)[len(counted) // 2]
    return Figures(core.name, None if uses_libm else differ, code, known, spread, family.unit, median)


def _sizes(family: CoreFamily, image: str, folder: Path) -> tuple[int, int, int]:
    """Return the bytes of code and constants, of data that begin with values, of data that begin with zero."""
    text, data, zeros = _run([family.size, image], folder).splitlines()[1].split()[:3]
    return int(text), int(data), int(zeros)


def emulated(core: Core, image: Path) -> list[str]:
    """Return the command that runs an image; -icount makes time a count of instructions."""
    if core.family is AVR:
        return [core.emulator, "-m", core.board, str(image)]
    bios = ["-bios", "none"] if core.family is RISCV else []
    return [
        core.emulator, *bios, "-M", core.board, "-display", "none", "-monitor", "none", "-serial", "none",
        "-icount", "shift=6",
        "-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out", "-kernel", str(image),
    ]  # fmt: skip


def _run(command: Sequence[str], folder: Path, *, with_errors: bool = False) -> str:
    """Return what a command prints; with what it prints as errors, where a simulator prints all there.

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
    return done.stdout + done.stderr if with_errors else done.stdout
