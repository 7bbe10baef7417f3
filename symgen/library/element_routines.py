"""The elements of transfer matrices as they are generated: NumPy routines of ``generated/transfer/`` by their names."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from numpy.typing import ArrayLike

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array

FOLDER = "transfer"


@lru_cache(maxsize=1)
def routines() -> ModuleType:
    """Return the generated routines; see the docstring of each."""
    return load_routines(FOLDER, f"{FOLDER}.py")


def call(name: str, *arguments: ArrayLike) -> tuple[Array, ...]:
    """Return the results of a routine without its status; NaN where a number is not finite or too large."""
    found: tuple[Array, ...] = getattr(routines(), name)(*arguments)[:-1]
    return found
