"""Exports for MATLAB and Octave: a function file that needs no toolbox and no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.export.backend import COMMON, Asked, Product, Setting

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.printers.c99 import Precision

#: MATLAB calculates in double with functions of its own, and what a function file says has no memory.
_FOREIGN = frozenset({"--precision", "--batch", "--period", "--math", "--arrangement"})


@dataclass(frozen=True)
class Matlab:
    """A function file."""

    name: str = "matlab"
    summary: str = "a function file of MATLAB and Octave"
    common: frozenset[str] = frozenset(COMMON) - _FOREIGN
    settings: tuple[Setting, ...] = ()
    precision: Precision = "double"
    manifest: str = "manifest.json"
    archive: str = ""
    tangent: bool = False

    def check(self, settings: Mapping[str, Any]) -> None:
        """Nothing of its own can be wrong."""

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return the function file, a program that tests it and the manifest.

        Raises
        ------
        InputError
            It is a solved type, iterates, or would need a memory.
        """
        from symgen.export.matlab.bundle import bundle

        return bundle(subject, asked)


BACKEND = Matlab()
