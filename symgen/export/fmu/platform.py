"""The shared library of an FMU for this machine: which folder it belongs to, and how it is compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from symgen.build.compiler import find_compiler, run_compiler
from symgen.build.errors import NoCompilerError

#: What is compiled is what anyone else compiles; symbols besides those of the standard stay inside. No build number, no
#: name of a folder: the same sources and the same compiler give the same bytes.
FLAGS = (
    "-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-fvisibility=hidden", "-shared", "-Isources",
)  # fmt: skip
_LINUX = ("-s", "-Wl,--build-id=none,-z,defs")
_SYSTEMS = {"linux": ".so", "darwin": ".dylib", "mingw": ".dll"}
#: Processor and system -> folder, in FMI 2.0, which knows these alone.
_FOLDERS_2 = {
    ("x86_64", "linux"): "linux64", ("i686", "linux"): "linux32", ("x86_64", "darwin"): "darwin64",
    ("x86_64", "windows"): "win64", ("i686", "windows"): "win32",
}  # fmt: skip
_PROCESSORS_3 = {"x86_64": "x86_64", "i686": "x86", "aarch64": "aarch64", "arm64": "aarch64"}


def place_of(machine: str, fmi: str, identifier: str) -> str | None:
    """Return the path of the library of a machine, by what its compiler calls it; None if FMI has no folder for it."""
    processor = machine.partition("-")[0]
    system = next((name for name in _SYSTEMS if name in machine), None)
    if system is None:
        return None
    ending, name = _SYSTEMS[system], "windows" if system == "mingw" else system
    if fmi == "2":
        folder = _FOLDERS_2.get((processor, name))
    else:
        folder = f"{_PROCESSORS_3[processor]}-{name}" if processor in _PROCESSORS_3 else None
    return None if folder is None else f"binaries/{folder}/{identifier}{ending}"


def compiled(files: Mapping[str, str], fmi: str, identifier: str) -> tuple[dict[str, bytes], str]:
    """Return the library by its path, or nothing and why there is none.

    Raises
    ------
    CompilerFailedError
        The compiler refused the sources.
    """
    try:
        compiler = find_compiler()
    except NoCompilerError as error:
        return {}, f"the library for this machine: {error}"
    place = place_of(compiler.machine, fmi, identifier)
    if place is None:
        return {}, f"the library for this machine: FMI {fmi}.0 has no folder for {compiler.machine}"
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as folder:
        root = Path(folder)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        sources = sorted(name for name in files if name.endswith(".c"))
        more = _LINUX if "linux" in compiler.machine else ()
        run_compiler([*compiler.command, *FLAGS, *more, *sources, "-o", "library", "-lm"], root)
        return {place: (root / "library").read_bytes()}, ""
