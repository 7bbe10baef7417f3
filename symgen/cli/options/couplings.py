"""Couplings as verbs meet them: they are read and checked, but no verb uses them yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

#: Of verbs that refuse a mechanism with couplings; the value goes to `load_without`.
without_couplings = click.option(
    "--without-couplings",
    "left_out",
    is_flag=True,
    help=(
        "Ignore the couplings of the file: the coupled freedoms move independently. Without this option couplings "
        "are refused."
    ),
)


def load_without(file: str, left_out: bool) -> Mechanism:
    """Return the mechanism of a file, its couplings left out (and said) if that is asked for."""
    from symgen.model.load import load

    mechanism = load(file)
    if left_out and mechanism.couplings:
        click.echo(f"note: couplings left out: {_names(mechanism)}", err=True)
        return mechanism.without_couplings()
    return mechanism


def load_uncounted(file: str) -> Mechanism:
    """Return the mechanism of a file for a verb that counts constraints; says that couplings are not among them."""
    from symgen.model.load import load

    mechanism = load(file)
    if mechanism.couplings:
        click.echo(
            f"note: couplings ({_names(mechanism)}) are not counted yet: each removes one freedom from the counts "
            "given here",
            err=True,
        )
    return mechanism


def _names(mechanism: Mechanism) -> str:
    from symgen.model.nearest import list_names

    return list_names(coupling.id for coupling in mechanism.couplings)
