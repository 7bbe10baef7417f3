"""What was likely meant by a formula that does not hold: one small change, the likeliest misprints first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from symgen.check.formula import (
    AppliedFunction,
    ArrayEntry,
    ExactNumber,
    Formula,
    FormulaProduct,
    Negative,
    Power,
    Quotient,
    SourceLetter,
    Sum,
    edits,
    letters,
    with_parts,
)

#: Changes that are tried.
_MOST = 4000
_TWO = ExactNumber(Fraction(2))


def repairs(formula: Formula, known: Sequence[str]) -> Iterator[tuple[str, Formula]]:
    """Yield what was changed and the formula with one change.

    Parameters
    ----------
    known : letters that may stand there.
    """
    used = letters(formula)
    kinds: tuple[tuple[str, Callable[[Formula], Iterator[Formula]]], ...] = (
        ("a sign changed", _signs),
        ("a factor 2 added or taken away", _twos),
        ("an index changed", _indices),
        ("a square added or taken away", _squares),
        ("a matrix transposed", _transposed),
        ("two factors in the other order", _orders),
        ("a number changed", _numbers),
        ("another letter", lambda node: _letters(node, (*used, *(n for n in known if n not in used)))),
        ("a term or a factor less", _less),
    )
    seen = {formula}
    for change, edit in kinds:
        for number, other in enumerate(edits(formula, edit)):
            if number >= _MOST:
                break
            if other not in seen:
                seen.add(other)
                yield change, other


def _signs(node: Formula) -> Iterator[Formula]:
    if isinstance(node, Negative):
        yield node.parts[0]
    elif isinstance(node, Sum):
        for k, part in enumerate(node.parts):
            other = part.parts[0] if isinstance(part, Negative) else Negative((part,))
            yield with_parts(node, (*node.parts[:k], other, *node.parts[k + 1 :]))
    else:
        yield Negative((node,))


def _twos(node: Formula) -> Iterator[Formula]:
    if isinstance(node, (ExactNumber, Negative)):
        return
    if isinstance(node, FormulaProduct) and _TWO in node.parts:
        rest = tuple(part for k, part in enumerate(node.parts) if k != node.parts.index(_TWO))
        yield rest[0] if len(rest) == 1 else FormulaProduct(rest)
    if isinstance(node, Quotient) and node.parts[1] == _TWO:
        yield node.parts[0]
    yield FormulaProduct((_TWO, node))
    yield Quotient((node, _TWO))


def _indices(node: Formula) -> Iterator[Formula]:
    if isinstance(node, ArrayEntry):
        for k, place in enumerate(node.places):
            for other in range(8):
                if other != place:
                    yield ArrayEntry(node.parts, (*node.places[:k], other, *node.places[k + 1 :]))


def _squares(node: Formula) -> Iterator[Formula]:
    if isinstance(node, Power):
        yield node.parts[0]
    elif not isinstance(node, (ExactNumber, Negative)):
        yield Power((node, _TWO))
    if isinstance(node, Sum):  # the same slip in several terms
        squared = [_squared(part) for part in node.parts]
        if squared.count(None) < len(squared) - 1:
            yield with_parts(node, tuple(part if s is None else s for part, s in zip(node.parts, squared, strict=True)))


def _squared(term: Formula) -> Formula | None:
    """Return the square of a letter or entry with its sign; None for other terms."""
    if isinstance(term, Negative):
        inner = _squared(term.parts[0])
        return None if inner is None else Negative((inner,))
    return Power((term, _TWO)) if isinstance(term, (SourceLetter, ArrayEntry)) else None


def _transposed(node: Formula) -> Iterator[Formula]:
    if isinstance(node, AppliedFunction) and node.function == "transpose":
        yield node.parts[0]
    elif isinstance(node, (SourceLetter, AppliedFunction)):
        yield AppliedFunction((node,), "transpose")


def _orders(node: Formula) -> Iterator[Formula]:
    if isinstance(node, FormulaProduct) or (isinstance(node, AppliedFunction) and len(node.parts) == 2):
        for k in range(len(node.parts) - 1):
            one, two = node.parts[k : k + 2]
            yield with_parts(node, (*node.parts[:k], two, one, *node.parts[k + 2 :]))


def _numbers(node: Formula) -> Iterator[Formula]:
    if isinstance(node, ExactNumber):
        value = node.value
        for other in (value + 1, value - 1, value * 2, value / 2, 1 / value if value else value):
            if other >= 0:
                yield ExactNumber(Fraction(other))


def _letters(node: Formula, known: Sequence[str]) -> Iterator[Formula]:
    if isinstance(node, SourceLetter):
        for name in known:
            if name != node.name:
                yield SourceLetter(name)


def _less(node: Formula) -> Iterator[Formula]:
    if isinstance(node, (Sum, FormulaProduct)) and len(node.parts) > 1:
        for k in range(len(node.parts)):
            rest = (*node.parts[:k], *node.parts[k + 1 :])
            yield rest[0] if len(rest) == 1 else with_parts(node, rest)
