"""Exports for CasADi: an external function with its exact Jacobian, for optimisation and optimal control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.export.backend import COMMON, Asked, Product, Setting

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.printers.c99 import Precision

#: CasADi calculates in double, one row at a time, and a function of it has no memory.
_FOREIGN = frozenset({"--precision", "--batch", "--period"})


@dataclass(frozen=True)
class Casadi:
    """A function that `casadi.external` loads."""

    name: str = "casadi"
    summary: str = "an external function of CasADi with its exact Jacobian"
    common: frozenset[str] = frozenset(COMMON) - _FOREIGN
    settings: tuple[Setting, ...] = ()
    precision: Precision = "double"
    manifest: str = "manifest.json"
    archive: str = ""
    tangent: bool = True

    def check(self, settings: Mapping[str, Any]) -> None:
        """Nothing of its own can be wrong."""

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return sources, the library if there is a compiler, an example and the manifest.

        Raises
        ------
        InputError
            The branch is followed or the caller's: a function of its inputs alone has no memory.
        """
        from symgen.export.casadi.bundle import bundle

        return bundle(subject, asked)


BACKEND = Casadi()
