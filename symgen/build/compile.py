"""One module to one shared object: cffi writes the wrapper, one compiler call makes the rest.

cffi's API mode is used out of line: the C compiler checks our declarations against
the header, calls release the GIL, and loading needs ``_cffi_backend`` only. The
compiler is called by us, so no setuptools is needed on any Python.
"""

from __future__ import annotations

from pathlib import Path

from symgen.build.compiler import FLAGS, Compiler, python_include, run_compiler, shared_object_flags
from symgen.build.errors import DeclarationError, NoCompilerError
from symgen.build.recipe import ModuleSources

WRAPPER = "wrapper.c"
SOURCE_FOLDER = "src"


def compile_module(sources: ModuleSources, compiler: Compiler, folder: Path) -> Path:
    """Write the sources to ``folder/src``, compile them to ``folder/<library name>`` and return that path.

    Raises
    ------
    NoCompilerError
        ``Python.h`` is missing.
    DeclarationError
        cffi cannot read the C declarations.
    CompilerFailedError
        The compiler refused.
    """
    include = python_include()
    source_folder = folder / SOURCE_FOLDER
    for file in sources.files:
        path = source_folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.text)
    write_wrapper(sources, source_folder / WRAPPER)
    run_compiler(compile_command(sources, compiler, include), source_folder)
    return folder / sources.library_name


def compile_command(sources: ModuleSources, compiler: Compiler, include: Path) -> list[str]:
    """Return the argument list of the one compiler call; it runs in the source folder."""
    headers = [f"-I{folder}" for folder in (".", *sources.include)]
    target = ["-o", f"../{sources.library_name}"]
    return [
        *compiler.command,
        *FLAGS,
        *headers,
        f"-I{include}",
        *shared_object_flags(),
        WRAPPER,
        *sources.units,
        *target,
        "-lm",
    ]


def write_wrapper(sources: ModuleSources, path: Path) -> None:
    """Write cffi's C file: the extension module around the functions of ``cdef``."""
    try:
        from cffi import FFI, CDefError
        from cffi.recompiler import make_c_source
    except ImportError as error:
        raise NoCompilerError(f"cffi cannot be imported ({error}): pip install cffi") from error
    ffi = FFI()
    try:
        ffi.cdef(sources.cdef)
    except CDefError as error:
        raise DeclarationError(f"{sources.name}: cffi cannot read the declarations of the manifest: {error}") from error
    # FFI.emit_c_code does the same and prints a line to standard output, which belongs to our answers.
    preamble = f'#include "{sources.header}"\n{sources.preamble}'
    make_c_source(ffi, sources.extension_name, preamble, str(path), verbose=False)
