"""The shared library of an FMU for this machine: which folder it belongs to, how it is compiled, whether it begins."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symgen.build.compiler import find_compiler
from symgen.build.errors import NoCompilerError
from symgen.export.linking import ENDINGS, link, system_of

#: Symbols besides those of the standard stay inside.
_INSIDE = ("-fvisibility=hidden",)
_DISCARD = 2
#: Processor and system -> folder, in FMI 2.0, which knows these alone.
_FOLDERS_2 = {
    ("x86_64", "linux"): "linux64", ("i686", "linux"): "linux32", ("x86_64", "darwin"): "darwin64",
    ("x86_64", "windows"): "win64", ("i686", "windows"): "win32",
}  # fmt: skip
_PROCESSORS_3 = {"x86_64": "x86_64", "i686": "x86", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True)
class FmuBinaries:
    """The library by its path, or why there is none; `begins` says whether there are results at the start values."""

    files: Mapping[str, bytes]
    missing: str
    begins: bool | None = None


def place_of(machine: str, fmi: str, identifier: str) -> str | None:
    """Return the path of the library of a machine, by what its compiler calls it; None if FMI has no folder for it."""
    processor = machine.partition("-")[0]
    system = system_of(machine)
    if system is None:
        return None
    ending, name = ENDINGS[system], "windows" if system == "mingw" else system
    if fmi == "2":
        folder = _FOLDERS_2.get((processor, name))
    else:
        folder = f"{_PROCESSORS_3[processor]}-{name}" if processor in _PROCESSORS_3 else None
    return None if folder is None else f"binaries/{folder}/{identifier}{ending}"


def compiled(files: Mapping[str, str], fmi: str, identifier: str, token: str, result: int, time: float) -> FmuBinaries:
    """Compile an FMU, load it and let it begin, as a simulator does.

    Parameters
    ----------
    files : its sources by path.
    token : by which it knows its description.
    result : value reference of some result.
    time : when the motion begins [s].

    Raises
    ------
    CompilerFailedError
        The compiler refused the sources.
    """
    try:
        compiler = find_compiler()
    except NoCompilerError as error:
        return FmuBinaries({}, f"the library for this machine: {error}")
    place = place_of(compiler.machine, fmi, identifier)
    if place is None:
        return FmuBinaries({}, f"the library for this machine: FMI {fmi}.0 has no folder for {compiler.machine}")
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as folder:
        library = Path(folder) / "library"
        link(compiler, files, ("sources",), _INSIDE, library)
        begins = _begins(library, fmi, token, result, time)
        return FmuBinaries({place: library.read_bytes()}, "", begins)


def _begins(library: Path, fmi: str, token: str, result: int, time: float) -> bool | None:
    """Tell whether an instance has results where it begins; None if this machine cannot load it."""
    try:
        loaded = ctypes.CDLL(str(library))
    except OSError:  # of a cross compiler
        return None
    no, begin, name = ctypes.c_int(0), ctypes.c_double(time), ctypes.c_char_p(token.encode())
    null, text, two = ctypes.c_void_p(None), ctypes.c_char_p(b""), fmi == "2"
    references, values, one = (ctypes.c_uint * 1)(result), (ctypes.c_double * 1)(), ctypes.c_size_t(1)
    create = loaded.fmi2Instantiate if two else loaded.fmi3InstantiateModelExchange
    create.restype = ctypes.c_void_p
    if two:
        memory = ctypes.CDLL(None)
        places = [ctypes.cast(each, ctypes.c_void_p).value for each in (memory.calloc, memory.free)]
        callbacks = (ctypes.c_void_p * 5)(None, *places, None, None)
        made = create(text, no, name, text, callbacks, no, no)
    else:
        made = create(text, name, null, no, no, null, null)
    if made is None:
        return False
    instance = ctypes.c_void_p(made)
    if two:
        loaded.fmi2SetupExperiment(instance, no, begin, begin, no, begin)
        loaded.fmi2EnterInitializationMode(instance)
        status = loaded.fmi2GetReal(instance, references, one, values)
        loaded.fmi2FreeInstance(instance)
    else:
        loaded.fmi3EnterInitializationMode(instance, no, begin, begin, no, begin)
        status = loaded.fmi3GetFloat64(instance, references, one, values, one)
        loaded.fmi3FreeInstance(instance)
    return bool(status < _DISCARD)
