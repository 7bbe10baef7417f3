"""The C compiler: which one, what it is, how it is called. Never through a shell."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from symgen.build.errors import CompilerFailedError, NoCompilerError
from symgen.errors import InputError

VARIABLE = "CC"
CANDIDATES = ("cc", "gcc", "clang")
LEVEL_VARIABLE = "SYMGEN_OPTIMISE"
#: `-O3` unrolls and inlines the kernels into the groups; `-O1` compiles in half the time, to the same results.
LEVELS = ("1", "2", "3")
#: Nothing here changes a result. sqrt need not set errno and no trap is read, so that it becomes one instruction and
#: guards may move behind it; NaN and infinity keep their meaning, on which guards rely (never `-ffast-math`). A fused
#: multiply-add rounds once where the source rounds twice: contraction stays off, so that every machine gives the same
#: bits, and with it GCC's vectoriser of straight-line code, which fuses alternating sums all the same; scalar kernels
#: gain from its absence (docs/benchmarks.md has the flags). Functions over columns row by row are left out: from Python
#: columns run in lanes, or not at all.
FLAGS = (
    "-std=c99",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-tree-slp-vectorize",
    "-ffp-contract=off",
    "-fPIC",
    "-DSYMGEN_NO_COLUMNS",
)
#: cffi's wrapper only takes arguments out of Python objects and passes them on: a call takes as long however it was
#: compiled (0.48 us with 28 arguments), but optimising its thousands of lines took as long as those of the module.
WRAPPER_FLAGS = (*FLAGS, "-O0", "-U_FORTIFY_SOURCE")
#: A module compiles in some seconds; this only ends a compiler that hangs.
TIME_LIMIT = 300.0


@dataclass(frozen=True)
class Compiler:
    """A C compiler: its command (an argument list), first line of ``--version`` and target machine."""

    command: tuple[str, ...]
    version: str
    machine: str


def module_flags() -> tuple[str, ...]:
    """Return the flags for modules: `FLAGS`, optimised as ``$SYMGEN_OPTIMISE`` says, by default as much as possible.

    Raises
    ------
    InputError
        It is no level.
    """
    level = os.environ.get(LEVEL_VARIABLE) or LEVELS[-1]
    if level not in LEVELS:
        raise InputError(f"{LEVEL_VARIABLE}={level!r}: allowed are {', '.join(LEVELS)} (the compiler's -O)")
    return (*FLAGS, f"-O{level}")


def find_compiler() -> Compiler:
    """Return the compiler of ``$CC``, else the first of cc, gcc and clang.

    Raises
    ------
    NoCompilerError
        There is none, or ``$CC`` does not name one.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        for name in CANDIDATES:
            if shutil.which(name):
                return _identify((name,), os.environ.get("PATH", ""))
        raise NoCompilerError(
            f"no C compiler: looked for {', '.join(CANDIDATES)}; install gcc or clang, or set {VARIABLE}"
        )
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise NoCompilerError(f"{VARIABLE}={text!r} cannot be read as a command: {error}") from error
    if shutil.which(command[0]) is None:
        raise NoCompilerError(
            f"{VARIABLE}={text!r}: {command[0]!r} is not a program; set it to a C compiler or unset it"
        )
    return _identify(command, os.environ.get("PATH", ""))


@lru_cache(maxsize=16)
def _identify(command: tuple[str, ...], _path: str) -> Compiler:
    """Ask the compiler what it is, once a process (two calls of some milliseconds)."""
    version = _answer([*command, "--version"])
    if version is None:
        raise NoCompilerError(f"{shlex.join(command)} --version failed: it does not work as a C compiler")
    return Compiler(command, version.splitlines()[0] if version else "", _answer([*command, "-dumpmachine"]) or "")


def _answer(command: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def python_include() -> Path:
    """Return the folder of ``Python.h`` of this interpreter.

    Raises
    ------
    NoCompilerError
        The header is not installed.
    """
    folder = Path(sysconfig.get_path("include"))
    if not (folder / "Python.h").is_file():
        raise NoCompilerError(
            f"no Python.h for {sys.executable}: install Python's development files "
            f"(Debian and Ubuntu: apt-get install python3-dev)"
        )
    return folder


def extension_suffix() -> str:
    """Return the suffix of an extension module of this interpreter, such as ``.cpython-311-x86_64-linux-gnu.so``."""
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def c_library() -> str:
    """Return the name and version of the C library, as far as it is known."""
    try:
        return str(os.confstr("CS_GNU_LIBC_VERSION") or "")
    except (AttributeError, ValueError, OSError):  # not glibc
        return " ".join((sys.platform, platform.release()))


def shared_object_flags() -> tuple[str, ...]:
    """Return what makes the compiler link an extension module here."""
    if sys.platform == "darwin":
        return ("-bundle", "-undefined", "dynamic_lookup")
    return ("-shared",)


def run_compiler(command: Sequence[str], folder: Path) -> None:
    """Run the compiler in a folder.

    Raises
    ------
    CompilerFailedError
        It failed or took longer than `TIME_LIMIT`; the message has the command and the first lines of its output.
    """
    environment = {**os.environ, "LC_ALL": "C"}  # messages we quote are then in one language
    try:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CompilerFailedError(command, f"did not finish within {TIME_LIMIT:g} s") from error
    except OSError as error:
        raise CompilerFailedError(command, str(error)) from error
    if done.returncode != 0:
        raise CompilerFailedError(command, done.stderr + done.stdout)
