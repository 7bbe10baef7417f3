"""A derived object for a reader: the named steps that its entries are made of, and what is proved of it."""

from __future__ import annotations

from collections.abc import Callable

from symgen.algebra import Expr, is_symbol, name_of, symbol_names
from symgen.derive.derived_object import DerivedObject
from symgen.derive.items import Step
from symgen.printers.c99 import C99Printer
from symgen.printers.latex import latex, letter
from symgen.printers.numpy import NumPyPrinter
from symgen.printers.plain import PlainPrinter
from symgen.proofs import Proof, prove


def entries_as(found: DerivedObject, form: str) -> list[str]:
    """Return the steps of an object and its entries, a line each, in the order of the derivation.

    Parameters
    ----------
    form : text, latex, python or c.
    """
    steps = {
        target: value
        for item in found.derivation.items
        if isinstance(item, Step)
        for target, value in zip(item.targets, item.values, strict=True)
        if target not in found.signs
    }
    order = {name: k for k, name in enumerate([e for a in found.arguments for e in a.elements] + list(steps))}
    write = _writer(form, order)
    wanted = _needed(found.entries, steps)
    lines = [write(name, value) for name, value in steps.items() if name in wanted]
    lines += [write(f"entry_{k}", e) for k, e in enumerate(found.entries) if not (is_symbol(e) and name_of(e) in steps)]
    return lines


def _needed(entries: tuple[Expr, ...], steps: dict[str, Expr]) -> set[str]:
    needed: set[str] = set()
    waiting = [name for entry in entries for name in symbol_names(entry)]
    while waiting:
        name = waiting.pop()
        if name in steps and name not in needed:
            needed.add(name)
            waiting += symbol_names(steps[name])
    return needed


def _writer(form: str, order: dict[str, int]) -> Callable[[str, Expr], str]:
    if form == "latex":
        return lambda name, value: f"{letter(name)} = {latex(value)}"
    if form == "c":
        c = C99Printer({}, order, "double")
        return lambda name, value: f"const double {name} = {c.print_expression(value)};"
    python = NumPyPrinter({}, order) if form == "python" else PlainPrinter({}, order)
    return lambda name, value: f"{name} = {python.print_expression(value)}"


def proofs_of(found: DerivedObject) -> tuple[Proof, ...]:
    """Prove the claims of an object's derivation and return the proofs.

    Raises
    ------
    DerivationError
        A claim does not hold: a fault of ours.
    """
    return prove(found.derivation)
