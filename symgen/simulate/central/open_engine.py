"""Open the engine of a problem: compiled, or in NumPy where there is no compiler."""

from __future__ import annotations

from symgen.build.notices import say_once
from symgen.errors import BuildError
from symgen.simulate.central.engine import CompiledDynamics, DynamicsEngine
from symgen.simulate.central.numpy_engine import NumpyDynamics
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.problem import Problem


def open_engine(problem: Problem, manifest: DynamicsManifest, backend: str = "auto") -> DynamicsEngine:
    """Return what integrates a problem; ``"auto"`` is C where it can be compiled, else NumPy (said once).

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the engine cannot be compiled.
    """
    if backend != "numpy":
        try:
            return CompiledDynamics(problem, manifest)
        except BuildError as error:
            if backend == "c":
                raise
            say_once(
                f"backend {type(error).__name__}",
                f"{error}\nsymgen: using NumPy instead, which takes about a thousand times as long",
            )
    return NumpyDynamics(problem, manifest)
