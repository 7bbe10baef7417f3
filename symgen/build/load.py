"""From sources to callable functions: look in the cache, compile if need be, check the digest, load."""

from __future__ import annotations

import importlib.util
import platform
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from symgen.build.errors import LoadError

if TYPE_CHECKING:
    from symgen.build.cache import Built
    from symgen.build.recipe import ModuleSources

_loaded: dict[str, ModuleType] = {}


def build_module(sources: ModuleSources) -> Built:
    """Return the compiled module from the cache, compiling it first if it is not there.

    Concurrent processes that want the same module wait for the one that compiles it.

    Raises
    ------
    symgen.errors.BuildError
        No compiler, no ``Python.h``, a refused source, an unsafe cache folder: see `symgen.build.errors`.
    """
    from symgen import __version__
    from symgen.build.cache import Cache, is_unwritable, private_cache
    from symgen.build.compile import compile_module
    from symgen.build.compiler import find_compiler, module_flags
    from symgen.build.entries import cache_place
    from symgen.build.notices import tell_compiling
    from symgen.build.recipe import key_of

    compiler = find_compiler()
    key = key_of(sources, compiler)

    def make(folder: Path) -> Path:
        tell_compiling(sources.name)
        return compile_module(sources, compiler, folder)

    about = {
        "module": sources.name,
        "compiler": compiler.version,
        "machine": compiler.machine,
        "flags": " ".join(module_flags()),
        "python": platform.python_version(),
        "symgen": __version__,
    }
    try:
        return Cache(cache_place()).obtain(key, make, about)
    except OSError as error:
        if not is_unwritable(error):
            raise
        return private_cache(error).obtain(key, make, about)


def load_module(sources: ModuleSources) -> ModuleType:
    """Return the loaded extension module, with ``ffi`` and ``lib``; each is loaded once a process.

    Raises
    ------
    symgen.errors.BuildError
        As `build_module`; `LoadError` if this Python cannot load the library.
    """
    built = build_module(sources)
    if built.key not in _loaded:
        _loaded[built.key] = _load(sources.extension_name, built.library)
    return _loaded[built.key]


def _load(name: str, library: Path) -> ModuleType:
    loader = ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_loader(name, loader)
    if spec is None:
        raise LoadError(f"{library} cannot be loaded as an extension module")
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise LoadError(f"{library} cannot be loaded: {error}; delete it to have it built again") from error
    return module
