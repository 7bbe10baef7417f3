"""From sources to callable functions: look in the cache, compile if need be, check the digest, load."""

from __future__ import annotations

import importlib.util
import itertools
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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


def key_of_module(sources: ModuleSources) -> str:
    """Return the key of a module on this machine: by it the cache and this process know it.

    Raises
    ------
    symgen.errors.BuildError
        No compiler.
    """
    from symgen.build.compiler import find_compiler
    from symgen.build.recipe import key_of

    return key_of(sources, find_compiler())


def is_loaded(key: str) -> bool:
    """Tell whether this process has loaded the module of a key; the cache is not looked at."""
    return key in _loaded


def is_built(sources: ModuleSources) -> bool:
    """Tell whether a module is in the cache, so that nobody waits for a compiler.

    Raises
    ------
    symgen.errors.BuildError
        No compiler, an unsafe cache folder.
    """
    from symgen.build.cache import Cache
    from symgen.build.entries import cache_place

    key = key_of_module(sources)
    return is_loaded(key) or Cache(cache_place()).lookup(key) is not None


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


class Copies:
    """A module that keeps data of its own: each call has one loaded copy to itself while it lasts.

    Copies are shared by all that want the same module, and used again: there are as many as calls at a time.

    Raises
    ------
    symgen.errors.BuildError
        As `load_module`.
    """

    def __init__(self, sources: ModuleSources) -> None:
        self._built, self._name = build_module(sources), sources.extension_name
        self._free = _free_copies.setdefault(self._built.key, [])
        with self.one():  # what cannot be loaded is said now
            pass

    @contextmanager
    def one(self) -> Iterator[ModuleType]:
        """Lend a copy."""
        try:
            module = self._free.pop()
        except IndexError:
            module = self._another()
        try:
            yield module
        finally:
            self._free.append(module)

    def _another(self) -> ModuleType:
        """Load the library, the first time from the cache; then from a file of its own, for a loader knows files."""
        library = self._built.library
        if next(_copies_made.setdefault(self._built.key, itertools.count())) == 0:
            return _load(self._name, library)
        try:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                path = Path(folder) / library.name
                shutil.copyfile(library, path)
                return _load(self._name, path)
        except OSError as error:
            raise LoadError(
                f"{library} cannot be copied for a second run at the same time: {error}; is there room for temporary "
                "files (TMPDIR)?"
            ) from error


#: Key of a module -> its copies that nobody uses; a list's `append` and `pop` are safe between threads.
_free_copies: dict[str, list[ModuleType]] = {}
#: Key of a module -> counts its copies; `next` is safe between threads.
_copies_made: dict[str, Iterator[int]] = {}


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
