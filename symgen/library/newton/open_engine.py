"""Open the solver of a space: compiled, or in NumPy where there is no compiler."""

from __future__ import annotations

from functools import lru_cache

from symgen.build.notices import say_once
from symgen.errors import BuildError
from symgen.library.newton.compiled_engine import CEngine
from symgen.library.newton.engine import Engine, read_engine
from symgen.library.newton.numpy_engine import NumpyEngine


def open_engine(space: str, precision: str = "double", backend: str = "auto") -> Engine:
    """Return the solver of a space; ``"auto"`` is C where it can be built, else NumPy (said once).

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the solver cannot be compiled.
    """
    if backend == "numpy":
        return _numpy_engine(space)
    try:
        return _c_engine(space, precision)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(f"backend {type(error).__name__}", f"{error}\nsymgen: using NumPy instead, which is slower")
        return _numpy_engine(space)


@lru_cache(maxsize=8)
def _c_engine(space: str, precision: str) -> CEngine:
    return CEngine(read_engine(space), precision)


def _numpy_engine(space: str) -> Engine:
    return NumpyEngine(read_engine(space))
