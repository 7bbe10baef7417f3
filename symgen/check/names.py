"""The names in a claim, before anything is evaluated: whether objects, functions and letters exist."""

from __future__ import annotations

from collections.abc import Collection

from symgen.check.catalogue import ObjectCatalogue, derived_objects
from symgen.check.claims import Claim
from symgen.check.evaluate import SYMBOLIC, Scope
from symgen.check.formula import FUNCTIONS, AppliedFunction, Formula, FormulaError, SourceLetter, letters, walk
from symgen.check.plain import quoted
from symgen.check.values import Value
from symgen.derive.derived_object import DerivedObject

#: Functions that only LaTeX writes.
_SIGNS = ("\\times", "\\cdot", "\\lvert", "\\below")


def check_names(claim: Claim) -> None:
    """Look up every name in a claim. It takes as long as the derivation of the objects that it names, no longer.

    Raises
    ------
    MechanismError
        A name is unknown, or a symbol has the name of an argument and is not used.
    """
    objects = derived_objects()
    for name, target in claim.functions.items():
        _object(target, claim, f"functions.{name}", objects)
    known = set(claim.letters)
    if claim.object:
        found = _object(claim.object, claim, "object", objects)
        arguments = {argument.name for argument in found.arguments}
        known |= arguments.union(*(argument.elements for argument in found.arguments))
        _refuse_unused(claim, arguments)
    used = used_symbols(claim)
    for name, formula in claim.symbols.items():
        if name in used:
            _look_up(formula, known, claim, f"symbols.{name}", objects)
            known.add(name)
    _look_up(claim.printed, known, claim, "printed", objects)
    if claim.equals is not None:
        _look_up(claim.equals, known, claim, "equals", objects)
    for relation in claim.given:
        for side in (relation.left, relation.right):
            _look_up(side, known, claim, "given", objects)


def used_symbols(claim: Claim) -> frozenset[str]:
    """Return the symbols that the formulas and conditions of a claim use, also by way of other symbols."""
    sides = [side for relation in claim.given for side in (relation.left, relation.right)]
    waiting = [claim.printed, *([] if claim.equals is None else [claim.equals]), *sides]
    found: set[str] = set()
    while waiting:
        new = [name for name in letters(waiting.pop()) if name in claim.symbols and name not in found]
        found.update(new)
        waiting += [claim.symbols[name] for name in new]
    return frozenset(found)


def _object(name: str, claim: Claim, field: str, objects: ObjectCatalogue) -> DerivedObject:
    found = objects.get(name)
    if found is None:
        message = f"there is no derived object {quoted(name)}{objects.near(name)}; symgen check --list names them"
        raise claim.error(message, field)
    return found


def _refuse_unused(claim: Claim, arguments: Collection[str]) -> None:
    unused = [name for name in claim.own_symbols if name in arguments and name not in used_symbols(claim)]
    if unused:
        raise claim.error(
            f"the claim does not use {quoted(unused[0])}, which is an argument of {claim.object}: symbols give letters "
            "of the formula a meaning, not arguments a value; to compare with the object for other arguments, write "
            f'equals = "{claim.object}(...)" in place of object',
            f"symbols.{unused[0]}",
        )


def _look_up(formula: Formula, known: Collection[str], claim: Claim, field: str, objects: ObjectCatalogue) -> None:
    scope = Scope(dict.fromkeys(known, Value((), ())), objects, SYMBOLIC, claim.functions)
    try:
        for node in walk(formula):
            if isinstance(node, SourceLetter):
                scope.evaluate(node)
            elif isinstance(node, AppliedFunction) and node.function not in FUNCTIONS and node.function not in _SIGNS:
                scope.refuse_unknown(node.function)
    except FormulaError as error:
        raise claim.error(str(error), field) from None
