"""One claim from its letters to its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from symgen.algebra import (
    Conditions,
    ContradictionError,
    Expr,
    at,
    differs_from_zero,
    is_symbol,
    name_of,
    symbol,
    symbol_names,
)
from symgen.check import values as v
from symgen.check.catalogue import derived_objects
from symgen.check.claims import Claim, SideCondition
from symgen.check.evaluate import SYMBOLIC, Scope
from symgen.check.formula import Formula, FormulaError, SizeError, as_text
from symgen.check.latex_text import as_latex
from symgen.check.names import used_symbols
from symgen.check.points import Relations, points
from symgen.check.repair import repairs
from symgen.check.values import Value
from symgen.check.verdict import HOLDS, FormulaFinding, compare
from symgen.derive.derived_object import DerivedObject
from symgen.derive.items import Step
from symgen.errors import MechanismError
from symgen.model.nearest import show

#: Points at which an edited formula has to agree before a proof is tried.
_SCREENED = 2


@dataclass(frozen=True)
class Question:
    """A claim with all that is known of it.

    Attributes
    ----------
    derived : what it should equal.
    arguments : letters of values for whoever reads a counterexample: name -> symbols.
    """

    claim: Claim
    scope: Scope[Expr]
    derived: Value[Expr]
    relations: Relations
    arguments: Mapping[str, Value[Expr]]


def question(claim: Claim, *, keeping: bool = False) -> Question:
    """Return what a claim asks.

    Parameters
    ----------
    keeping : steps of the object's own derivation that the claim names stay names on both sides. What is equal then is
        equal; what is not may be, since nothing is known of them.

    Raises
    ------
    MechanismError
        A letter, object or condition means nothing; names claim and field.
    """
    objects = derived_objects()
    letters: dict[str, Value[Expr]] = {}
    zeros: list[Expr] = []
    for name, target in claim.functions.items():
        if target not in objects:
            message = f"there is no derived object {show(target)}{objects.near(target)}; symgen check --list names them"
            raise claim.error(message, f"functions.{name}")
    if claim.object:
        if claim.object not in objects:
            near = objects.near(claim.object)
            message = f"there is no derived object {show(claim.object)}{near}; symgen check --list names them"
            raise claim.error(message, "object")
        found = objects[claim.object]
        for argument in found.arguments:
            letters[argument.name] = Value(argument.shape, tuple(symbol(e) for e in argument.elements))
            letters.update({e: v.scalar(symbol(e)) for e in argument.elements})
        zeros += [symbol(name) * symbol(name) - square for name, square in found.given.items()]
    for name, shape in claim.letters.items():
        if name in letters:
            raise claim.error(f"{claim.object} has an argument of this name already", f"letters.{name}")
        letters[name] = _free(name, shape)
    arguments = {n: value for n, value in letters.items() if n not in _elements(letters)}
    own = found if keeping and claim.object else None
    scope: Scope[Expr] = Scope(letters, objects, SYMBOLIC, claim.functions, own=own)
    used = used_symbols(claim)
    for name in (name for name in claim.symbols if name in used):
        letters[name] = _evaluated(scope, claim.symbols[name], claim, f"symbols.{name}")
    if claim.object:
        if keeping:
            _evaluated(scope, claim.printed, claim, "printed")
        derived = Value(v.plain(found.shape), found.formula_of(frozenset(scope.kept)))
    else:
        assert claim.equals is not None  # noqa: S101 - a claim has one of both
        derived = _evaluated(scope, claim.equals, claim, "equals")
    apart: list[Expr] = []
    if claim.object:
        ports = found.derivation.inputs.values()
        positive = [e for port in ports if port.range.startswith("> ") for e in port.elements if e in letters]
        apart += [symbol(name) for name in positive]
    else:
        positive = []
    for relation in claim.given:
        _add(relation, scope, claim, zeros, apart, positive)
    return Question(claim, scope, derived, Relations(tuple(zeros), tuple(apart), tuple(positive)), arguments)


def _elements(letters: Mapping[str, Value[Expr]]) -> set[str]:
    """Return the names of the components of vectors and matrices."""
    return {name_of(entry) for value in letters.values() if value.shape for entry in value.entries}


def _free(name: str, shape: tuple[int, ...]) -> Value[Expr]:
    """Return a letter of its own; names of entries have brackets, which no argument has."""
    if not shape:
        return v.scalar(symbol(name))
    if len(shape) == 1:
        return v.vector([symbol(f"{name}[{k}]") for k in range(shape[0])])
    return v.matrix([[symbol(f"{name}[{j}][{k}]") for k in range(shape[1])] for j in range(shape[0])])


def _evaluated(scope: Scope[Expr], formula: Formula, claim: Claim, field: str) -> Value[Expr]:
    try:
        return scope.evaluate(formula)
    except FormulaError as error:
        raise claim.error(str(error), field) from None


def _add(
    relation: SideCondition, scope: Scope[Expr], claim: Claim, zeros: list[Expr], apart: list[Expr], positive: list[str]
) -> None:
    left, right = (_evaluated(scope, side, claim, "given") for side in (relation.left, relation.right))
    if left.shape != right.shape:
        message = f"{show(relation.text)}: {v.named(left.shape)} and {v.named(right.shape)}"
        raise claim.error(message, "given")
    differences = [a - b for a, b in zip(left.entries, right.entries, strict=True)]
    if relation.word == "=":
        zeros += differences
    elif relation.word == "!=":
        if left.shape:
            raise claim.error(f"{show(relation.text)}: != stands between scalars", "given")
        apart += differences
    else:
        (difference,) = differences if len(differences) == 1 else (None,)
        if difference is None or not is_symbol(difference):
            raise claim.error(f"{show(relation.text)}: the only inequality is LETTER > 0", "given")
        positive.append(name_of(difference))
        apart.append(difference)


def ask(claim: Claim) -> None:
    """Put values to all letters of a claim and to its printed formula, and look at its side conditions.

    Sizes that do not fit are no fault, but a verdict.

    Raises
    ------
    MechanismError
        Something in it means nothing.
    """
    asked = question(claim)
    try:
        asked.scope.evaluate(claim.printed)
    except SizeError:
        pass
    except FormulaError as error:
        raise claim.error(str(error), "printed") from None
    if claim.given:
        try:
            Conditions(asked.relations.zeros, asked.relations.apart, asked.relations.positive)
        except ContradictionError as error:
            raise claim.error(str(error), "given") from None


def examine(claim: Claim) -> FormulaFinding:
    """Decide a claim.

    Raises
    ------
    MechanismError
        Something in it means nothing.
    """
    if claim.object and not claim.given and _holds_by_steps(claim):
        return HOLDS
    asked = question(claim)
    try:
        printed = asked.scope.evaluate(claim.printed)
    except SizeError as error:
        return FormulaFinding("fails", "sizes", str(error))
    except FormulaError as error:
        raise claim.error(str(error), "printed") from None
    try:
        return compare(printed, asked.derived, replace(asked.relations, domain=tuple(asked.scope.domain)))
    except ContradictionError as error:
        raise claim.error(str(error), "given") from None


def _holds_by_steps(claim: Claim) -> bool:
    """Tell whether a formula is equal even if nothing is known of the steps that it names."""
    own = derived_objects().get(claim.object or "")
    if own is None or not _step_names(own).isdisjoint(claim.letters):
        return False  # a free letter is not the step whose name it has
    try:
        asked = question(claim, keeping=True)
        if not asked.scope.kept:
            return False
        printed = asked.scope.evaluate(claim.printed)
        finding = compare(printed, asked.derived, replace(asked.relations, domain=tuple(asked.scope.domain)))
    except (MechanismError, FormulaError, ContradictionError):
        return False  # said when it is asked without them
    return finding.verdict == "holds"


def _step_names(found: DerivedObject) -> set[str]:
    return {target for item in found.derivation.items if isinstance(item, Step) for target in item.targets}


def suggest(claim: Claim) -> str:
    """Return the formula that was likely meant, with what was changed; "" if no small change makes it right."""
    asked = question(claim)
    names = sorted({n for value in asked.derived.entries for n in symbol_names(value)} | _all_names(asked))
    tests = list(islice(points(names, asked.relations, plain=True), _SCREENED))
    if not tests:
        return ""
    scopes = [_at(asked, point) for point in tests]
    wanted = [tuple(at(entry, point) for entry in asked.derived.entries) for point in tests]
    for change, formula in repairs(claim.printed, tuple(asked.scope.letters)):
        if not all(
            _agrees(scope, formula, asked.derived.shape, right) for scope, right in zip(scopes, wanted, strict=True)
        ):
            continue
        try:
            finding = compare(asked.scope.evaluate(formula), asked.derived, asked.relations)
        except (FormulaError, ContradictionError):
            continue
        if finding.verdict == "holds":
            written = as_latex(formula) if claim.is_latex else ""
            return f"{written or as_text(formula)} ({change})"
    return ""


def _all_names(asked: Question) -> set[str]:
    return {n for value in asked.scope.letters.values() for entry in value.entries for n in symbol_names(entry)}


def _at(asked: Question, point: Mapping[str, Expr]) -> Scope[Expr]:
    """Return a scope in which letters are numbers; those without a value there are left out."""
    numbers: dict[str, Value[Expr]] = {}
    for name, value in asked.scope.letters.items():
        entries = [at(entry, point) for entry in value.entries]
        if None not in entries:
            numbers[name] = Value(value.shape, tuple(entry for entry in entries if entry is not None))
    return Scope(numbers, asked.scope.objects, SYMBOLIC, asked.scope.functions)


def _agrees(scope: Scope[Expr], formula: Formula, shape: v.Shape, wanted: tuple[Expr | None, ...]) -> bool:
    try:
        found = scope.evaluate(formula)
    except (FormulaError, ZeroDivisionError):
        return False
    if found.shape != shape:
        return False
    for one, two in zip(found.entries, wanted, strict=True):
        here = at(one, {})
        if here is None or two is None or differs_from_zero(here - two):
            return False
    return True
