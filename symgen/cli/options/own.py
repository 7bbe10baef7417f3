"""Derivations that are not symgen's, as verbs take them: the option ``--own``, and those that packages offer."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from symgen.library.catalogue import Entry

#: Of verbs that derive anew what the library holds: they have to know where it came from.
own_option = click.option(
    "--own",
    metavar="FILE.py:NAME",
    multiple=True,
    help="A derivation of your own that solves groups here (the file is run); repeatable. Those of installed packages "
    "are known.",
)


def is_own_file(text: str) -> bool:
    """Tell whether an argument names a derivation in a file: ``FILE.py`` or ``FILE.py:NAME``."""
    return text.endswith(".py") or text.rpartition(":")[0].endswith(".py")


def entries_of_file(text: str) -> list[Entry]:
    """Load a derivation from a file, prove it, and return its solved types, without keeping what is written.

    Raises
    ------
    symgen.errors.InputError
        It does not run, or is not proved.
    """
    from symgen.derivations.sources import load
    from symgen.derivations.writing import write_own
    from symgen.library.catalogue import Catalogue, modules_in

    own = load(text)
    with tempfile.TemporaryDirectory(prefix="symgen-") as folder:
        write_own(own, Path(folder))
        found = Catalogue(modules_in(Path(folder)))
    return [entry for entry in (*found.entries, *found.formulas) if entry.manifest.id == own.module.id]


def know(own: Sequence[str]) -> None:
    """Load derivations that were named; from now on those that packages offer are found by the ids of their modules.

    Raises
    ------
    symgen.errors.InputError
        A file is not there, does not run, or returns no module.
    """
    from symgen.third_party import derivations

    if not own and not derivations():
        return
    from symgen.derivations.sources import find_offered, load

    find_offered()
    for text in own:
        load(text)
