"""Derivations that are not symgen's, as verbs take them: the option ``--own``, and those that packages offer."""

from __future__ import annotations

from collections.abc import Sequence

import click

#: Of verbs that derive anew what the library holds: they have to know where it came from.
own_option = click.option(
    "--own",
    metavar="FILE.py:NAME",
    multiple=True,
    help="A derivation of your own that solves groups here (the file is run); repeatable. Those of installed packages "
    "are known.",
)


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
