"""Open the engine of a problem in minimal coordinates: compiled, or in NumPy where there is no compiler."""

from __future__ import annotations

from symgen.build.notices import say_once
from symgen.errors import BuildError
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.minimal.engine import CompiledMinimal, MinimalEngine
from symgen.simulate.minimal.numpy_engine import NumpyMinimal
from symgen.simulate.minimal.tables import MinimalProblem


def open_minimal(minimal: MinimalProblem, manifest: DynamicsManifest, backend: str = "auto") -> MinimalEngine:
    """Return what integrates a problem; ``"auto"`` is C where it can be compiled, else NumPy (said once).

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the engine cannot be compiled.
    """
    if backend == "numpy":
        return NumpyMinimal(minimal, manifest)
    try:
        return CompiledMinimal(minimal, manifest)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(
            f"backend {type(error).__name__}",
            f"{error}\nsymgen: using NumPy instead, which takes about a thousand times as long",
        )
        return NumpyMinimal(minimal, manifest)
