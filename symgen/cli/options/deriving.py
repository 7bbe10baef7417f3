"""Closed forms on demand, as verbs offer them: the option, and what could be derived."""

from __future__ import annotations

from collections.abc import Callable

import click

#: Of verbs that solve; the value goes to ``symgen.library(derive=...)``, None for what $SYMGEN_DERIVE says.
no_derive = click.option(
    "--no-derive",
    "derive",
    flag_value=False,
    type=bool,
    default=None,
    help="Do not derive missing closed forms; certified Newton solves such groups. SYMGEN_DERIVE=0 does the same.",
)


def derivable() -> Callable[[str], bool] | None:
    """Return what tells whether a closed form can be derived for a signature; None if $SYMGEN_DERIVE forbids it."""
    from symgen.library.on_demand import is_wanted

    return _can_be_derived if is_wanted() else None


def _can_be_derived(signature: str) -> bool:
    from symgen.demand import can_be_derived  # loads SymPy

    return can_be_derived(signature)
