"""A formula by itself as a module: a kernel without arrangements."""

from __future__ import annotations

import sys

from symgen.derive.derivation import Derivation
from symgen.derive.module import ModuleDerivation, overview
from symgen.errors import DerivationError
from symgen.model.pairs import Space

#: Methods of modules that hold a kernel and no structural group, as their manifests say it.
FORMULA, ELEMENT = "formula", "transfer element"


def formula(
    kernel: Derivation, *, id: str, space: Space = "spatial", summary: str | None = None, method: str = FORMULA
) -> ModuleDerivation:
    """Return a module that is one formula: what `symgen generate` writes of a kernel.

    Parameters
    ----------
    kernel : of level "kernel". Its functions are `position` (results of the part "position"), and `velocity`,
        `acceleration`, `all` if it has such parts.
    id : snake_case; the folder, the files and the C functions are named after it.
    space : "planar" or "spatial", where the formula belongs; nothing else depends on it.
    summary : the explanation at the head of the generated files, several lines if need be; by default what stands
        between title and "Source:" in the docstring of the file.

    Raises
    ------
    DerivationError
        `kernel` is no kernel.
    """
    if not isinstance(kernel, Derivation) or kernel.level != "kernel":
        found = f"level {kernel.level!r}" if isinstance(kernel, Derivation) else repr(kernel)
        raise DerivationError(f"{id}: a formula is made of a Derivation of level 'kernel'; found {found}")
    if summary is None:
        summary_lines = overview(_docstring_of_caller())
    else:
        summary_lines = tuple(line.rstrip() for line in summary.strip("\n").split("\n"))
    return ModuleDerivation(
        id=id,
        title=kernel.title,
        space=space,
        degree=kernel.branches,
        source=kernel.source,
        summary=summary_lines,
        kernel=kernel,
        arrange=lambda _: (),
        method=method,
    )


def _docstring_of_caller() -> str | None:
    """Return the docstring of the file that calls, the first one outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(__package__ or ""):
        frame = frame.f_back
    found = frame.f_globals.get("__doc__")
    return found if isinstance(found, str) else None
