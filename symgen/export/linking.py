"""Shared libraries for this machine: the same sources and the same compiler give the same bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from symgen.build.compiler import Compiler, run_compiler

#: What is compiled is what anyone else compiles. No build number, no name of a folder.
_FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC")
_LINUX = ("-s", "-Wl,--build-id=none,-z,defs")
#: What compilers call systems -> ending of a shared library.
ENDINGS = {"linux": ".so", "darwin": ".dylib", "mingw": ".dll"}


def system_of(machine: str) -> str | None:
    """Return the system of a machine, as its compiler calls it: a key of `ENDINGS`, None if it is none of these."""
    return next((name for name in ENDINGS if name in machine), None)


def link(compiler: Compiler, files: Mapping[str, str], include: Sequence[str], flags: Sequence[str], to: Path) -> None:
    """Compile files into one shared library.

    Parameters
    ----------
    files : by path; all that end in ``.c`` are compiled.
    include : folders of headers.
    flags : what else the compiler is told; paths are those of `files`.
    to : the library.

    Raises
    ------
    CompilerFailedError
        The compiler refused the sources.
    """
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as folder:
        root = Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        units = sorted(name for name in files if name.endswith(".c"))
        own = [*_FLAGS, *(f"-I{name}" for name in include), *(_LINUX if "linux" in compiler.machine else ()), *flags]
        run_compiler([*compiler.command, *own, "-shared", *units, "-o", "library", "-lm"], root)
        to.write_bytes((root / "library").read_bytes())
