"""Exports for controllers: C with a self-test that compares bits, an example, packagings, and what a step costs.

`bundle` makes the files, of dynamics `dynamics` does; `targets` runs them on microcontrollers, `provers` proves what
ranges can be proved to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.errors import InputError
from symgen.export.backend import COMMON, Asked, Product, Setting
from symgen.model.nearest import did_you_mean

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.model.mechanism import Mechanism
    from symgen.printers.c99 import Precision

#: What an export can be packed for; each adds a few files.
PACKAGINGS = ("cmake", "platformio", "arduino", "zephyr")


@dataclass(frozen=True)
class Embedded:
    """C for a controller."""

    name: str = "embedded"
    summary: str = "C for a controller, with self-test and figures"
    common: frozenset[str] = frozenset(COMMON)
    settings: tuple[Setting, ...] = (
        Setting("--packaging", f"Build systems: {', '.join(PACKAGINGS)}.", metavar="A,B,...", default="cmake"),
        Setting("--dynamics", "The motion of MECH under forces, not a step from drives to results.", default=False),
        Setting("--method", "With --dynamics: method of the engine.  [default: dimcd]", choices=("dimcd", "riccati")),
        Setting("--more-targets", "Targets in addition to Cortex-M: riscv, avr.", metavar="A,B", default=""),
        Setting("--prove", "Check a step within its ranges with Frama-C's EVA, if installed.", default=False),
        Setting("--targets/--no-targets", "Build and run it for Cortex-M, if the tools are installed.", default=True),
    )
    precision: Precision = "float"
    manifest: str = "manifest.json"
    archive: str = ""
    tangent: bool = False

    def check(self, settings: Mapping[str, Any]) -> None:
        """Refuse packagings and targets that there are not, a method without dynamics, and to begin without a compiler.

        Raises
        ------
        InputError
            A setting is not allowed.
        NoCompilerError
            The steps of the self-test cannot be calculated.
        """
        if settings["method"] is not None and not settings["dynamics"]:
            raise InputError(
                "--method belongs to --dynamics; without --dynamics the export is a step from drives to results"
            )
        if settings["prove"] and settings["dynamics"]:
            raise InputError(
                "--prove checks a step within the ranges of its inputs; --dynamics has no inputs: omit one of the two"
            )
        if settings["more_targets"]:
            from symgen.export.embedded.targets import families

            families(settings["more_targets"])
            if settings["dynamics"] or not settings["targets"]:
                why = "dynamics are run on Cortex-M only" if settings["dynamics"] else "--no-targets runs nothing"
                raise InputError(f"--more-targets {settings['more_targets']}: {why}")
        for name in packagings_of(settings["packaging"]):
            if name not in PACKAGINGS:
                hint = did_you_mean(name, PACKAGINGS)
                raise InputError(f"--packaging {name}: not known{hint} (allowed: {', '.join(PACKAGINGS)})")
        _require_compiler()

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return the tree of an export."""
        from symgen.export.embedded.bundle import bundle, product_of
        from symgen.export.embedded.targets import families

        packagings = packagings_of(asked.settings["packaging"])
        options = asked.settings
        files = bundle(
            subject,
            packagings,
            asked.command,
            targets=options["targets"],
            families=families(options["more_targets"]),
            prove=options["prove"],
        )
        return product_of(files)

    def dynamics(self, mechanism: Mechanism, prefix: str | None, asked: Asked) -> Product:
        """Return the tree of an export of dynamics."""
        from symgen.export.embedded.dynamics import dynamics_tree, product_of

        options = asked.settings
        packagings = packagings_of(options["packaging"])
        return product_of(
            dynamics_tree(
                mechanism, prefix, options["method"] or "dimcd", packagings, asked.command, targets=options["targets"]
            )
        )


def _require_compiler() -> None:
    from symgen.build.compiler import find_compiler
    from symgen.build.errors import NoCompilerError

    try:
        find_compiler()
    except NoCompilerError as error:
        raise NoCompilerError(
            f"--for embedded: {error}. The export is compiled here, because its self-test contains the bits of its "
            "results; --for cpp writes C without a self-test"
        ) from error


def packagings_of(text: str) -> tuple[str, ...]:
    """Return the names of a list separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


BACKEND = Embedded()
