"""Exports as functional mock-up units (FMI 2.0 and 3.0): kinematics for simulators.

`bundle` makes the files, `description` the description of the model, `units` its units, `platform` the shared library
for this machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.export.backend import COMMON, Asked, Product, Setting

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.printers.c99 import Precision


@dataclass(frozen=True)
class Fmu:
    """A functional mock-up unit, for model exchange and co-simulation."""

    name: str = "fmu"
    summary: str = "a functional mock-up unit for simulators"
    #: Its numbers are double, and nobody calls its C by rows.
    common: frozenset[str] = frozenset(COMMON) - {"--precision", "--batch"}
    settings: tuple[Setting, ...] = (Setting("--fmi", "Version of FMI.", choices=("2", "3"), default="3"),)
    precision: Precision = "double"
    manifest: str = "extra/symgen/manifest.json"
    archive: str = ".fmu"
    tangent: bool = True

    def check(self, settings: Mapping[str, Any]) -> None:
        """Nothing is wrong: the command line knows the versions."""

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return the files of an FMU."""
        from symgen.export.fmu.bundle import bundle

        return bundle(subject, asked)


BACKEND = Fmu()
