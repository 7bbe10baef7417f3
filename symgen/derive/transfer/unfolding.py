"""Expressions of a derivation in terms of its arguments: steps put in, nothing expanded."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import Expr, replace, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.items import Step


def unfolded(derivation: Derivation, values: Sequence[Expr], *, keep: Sequence[str] = ()) -> tuple[Expr, ...]:
    """Return values with the steps of a derivation, but those to keep, replaced by what they stand for."""
    known: dict[str, Expr] = {}
    for item in derivation.items:
        if isinstance(item, Step):
            for target, value in zip(item.targets, item.values, strict=True):
                if target not in keep:
                    known[target] = _put(value, known)
    return tuple(_put(value, known) for value in values)


def _put(value: Expr, known: dict[str, Expr]) -> Expr:
    return replace(value, {name: known[name] for name in symbol_names(value) if name in known})
