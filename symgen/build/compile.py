"""One module to one shared object: cffi writes the wrapper, two compiler calls make the rest.

cffi's API mode is used out of line: the C compiler checks our declarations against
the header, calls release the GIL, and loading needs ``_cffi_backend`` only. The
compiler is called by us, so no setuptools is needed on any Python.
"""

from __future__ import annotations

from pathlib import Path

from symgen.build.compiler import (
    WRAPPER_FLAGS,
    Compiler,
    module_flags,
    python_include,
    run_compiler,
    shared_object_flags,
)
from symgen.build.errors import DeclarationError, NoCompilerError
from symgen.build.recipe import ModuleSources

WRAPPER = "wrapper.c"
WRAPPER_OBJECT = "wrapper.o"
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
    if not sources.is_extension:
        write_wrapper(sources, source_folder / WRAPPER)
    for command in compile_commands(sources, compiler, include):
        run_compiler(command, source_folder)
    (source_folder / WRAPPER_OBJECT).unlink(missing_ok=True)
    return folder / sources.library_name


def compile_commands(sources: ModuleSources, compiler: Compiler, include: Path) -> list[list[str]]:
    """Return the argument lists of the compiler calls, that for the wrapper first; they run in the source folder."""
    headers = [f"-I{folder}" for folder in (".", *sources.include)]
    if sources.is_extension:
        system = [part for folder in (str(include), *sources.system) for part in ("-isystem", folder)]
        whole = [*module_flags(), *headers, *system, *shared_object_flags(), *sources.units]
        return [[*compiler.command, *whole, "-o", f"../{sources.library_name}", "-lm"]]
    wrapper = [*WRAPPER_FLAGS, *headers, f"-I{include}", "-c", WRAPPER, "-o", WRAPPER_OBJECT]
    library = [*module_flags(), *headers, *shared_object_flags(), WRAPPER_OBJECT, *sources.units]
    return [
        [*compiler.command, *wrapper],
        [*compiler.command, *library, "-o", f"../{sources.library_name}", "-lm"],
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
