"""What is compiled, and the key under which the result is kept.

The key is the SHA-256 of everything that decides the bytes of the shared object,
each part with its length in front, so that no two lists of parts read the same.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import _cffi_backend  # type: ignore[import-untyped]

from symgen.build.compiler import WRAPPER_FLAGS, Compiler, c_library, extension_suffix, module_flags

#: Number of the cache's layout; a new one leaves old entries alone.
FORMAT = "symgen/build/1"


@dataclass(frozen=True)
class SourceFile:
    """One C file: its path below the source folder and its bytes."""

    path: str
    text: bytes

    @property
    def decides(self) -> bytes:
        """What decides its bytes."""
        return self.text


@dataclass(frozen=True)
class FileOnDemand:
    """A C file that is written out only where it is compiled.

    Parameters
    ----------
    path : below the source folder.
    decides : what decides its bytes, such as a template and what it is filled with.
    write : returns its text.
    """

    path: str
    decides: bytes
    write: Callable[[], str] = field(compare=False)

    @property
    def text(self) -> bytes:
        """Its bytes."""
        return self.write().encode()


@dataclass(frozen=True)
class ModuleSources:
    """A module in one precision, ready to be compiled.

    Parameters
    ----------
    name : id of the module and precision, an identifier such as ``dyad_rrr_double``.
    cdef : C declarations for cffi; the compiler checks them against the header.
    header : the header to include, as it is written behind ``#include``.
    units : paths of the ``.c`` files, as in `files`.
    include : folders below the source folder in which headers are looked for.
    files : every file that takes part.
    preamble : C behind the ``#include`` in the wrapper; what it defines may be declared in `cdef`.
    system : folders of this machine in which headers are looked for, such as NumPy's.
    versions : what says which headers those are.
    """

    name: str
    cdef: str
    header: str
    units: tuple[str, ...]
    include: tuple[str, ...]
    files: tuple[SourceFile | FileOnDemand, ...]
    preamble: str = ""
    system: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()

    @property
    def is_extension(self) -> bool:
        """Whether the units are an extension module as they stand: there is nothing to declare for cffi."""
        return not self.cdef

    @property
    def extension_name(self) -> str:
        """Name of the Python extension module."""
        return f"_symgen_{self.name}"

    @property
    def library_name(self) -> str:
        """File name of the shared object."""
        return self.extension_name + extension_suffix()


def digest(parts: Iterable[bytes]) -> str:
    """Return the SHA-256 of length-prefixed parts, in hexadecimal."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big"))
        total.update(part)
    return total.hexdigest()


def key_of(sources: ModuleSources, compiler: Compiler) -> str:
    """Return the content address of the shared object that `compiler` makes of `sources` here."""
    flags = module_flags()
    texts = [
        FORMAT,
        compiler.version,
        compiler.machine,
        str(len(compiler.command) - 1),  # the user's own options in $CC; the command's place does not count
        *compiler.command[1:],
        str(len(flags)),
        *flags,
        str(len(WRAPPER_FLAGS)),
        *WRAPPER_FLAGS,
        platform.machine(),
        c_library(),
        extension_suffix(),
        str(_cffi_backend.__version__),
        sources.name,
        sources.cdef,
        sources.header,
        sources.preamble,
        *sources.units,
        *sources.include,
        *sources.versions,
    ]
    parts = [text.encode() for text in texts]
    for file in sorted(sources.files, key=lambda file: file.path):
        parts += [file.path.encode(), file.decides]
    return digest(parts)
