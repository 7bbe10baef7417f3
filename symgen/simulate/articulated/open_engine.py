"""Open the engine of a problem in the coordinates of its tree: compiled, or in NumPy where there is no compiler."""

from __future__ import annotations

from symgen.build.notices import say_once
from symgen.errors import BuildError
from symgen.simulate.articulated.engine import CompiledRiccati, RiccatiEngine
from symgen.simulate.articulated.numpy_engine import NumpyRiccati
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.problem import Problem


def open_riccati(problem: Problem, manifest: DynamicsManifest, backend: str = "auto") -> RiccatiEngine:
    """Return what integrates a problem; ``"auto"`` is C where it can be compiled, else NumPy (said once).

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the engine cannot be compiled.
    """
    if backend == "numpy":
        return NumpyRiccati(problem, manifest)
    try:
        return CompiledRiccati(problem, manifest)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(f"backend {type(error).__name__}", f"{error}\nsymgen: using NumPy instead, which is slower")
        return NumpyRiccati(problem, manifest)
