"""What is said of a word, a name or a value that a derivation cannot take: what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from symgen.algebra import is_expression
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.naming import did_you_mean

#: What a text may look like.
_TEXTS = {
    **{"title": "piston of a crank", "source": "Author 2020, eq. 4", "meaning": "length of the rod", "unit": "m"},
    **{"frame": "world", "range": "> 0", "id": "piston"},
}
#: Longer values are not shown.
_LONG = 60


def check_word(where: str, what: str, word: object, allowed: Sequence[str]) -> None:
    """Refuse a word that is none of those allowed.

    Raises
    ------
    DerivationError
        Begins with `where`, which is the derivation or the step; `what` is what the words are, such as "part".
    """
    if word not in allowed:
        hint = did_you_mean(str(word), allowed)
        raise DerivationError(f"{where}: there is no {what} {word!r}{hint}; {what}s are {', '.join(allowed)}")


def check_texts(where: str, **texts: object) -> None:
    """Refuse what is no text: meanings, units, frames, ranges and titles go into headers and manifests as they are.

    Raises
    ------
    DerivationError
        Begins with `where`; the keywords are what the texts are.
    """
    for what, text in texts.items():
        if not isinstance(text, str):
            raise DerivationError(f"{where}: its {what} is {kind_of(text)}; give a text, such as {_TEXTS[what]!r}")


def check_list(where: str, values: object, of: str) -> None:
    """Refuse what is no list, or one of nothing.

    Raises
    ------
    DerivationError
        Begins with `where`; `of` says what the list is of.
    """
    if isinstance(values, (list, tuple, Vector)):
        if not len(values):
            raise DerivationError(f"{where} is empty; give a list of {of}")
        return
    hint = f"; write [{values}]" if is_expression(values) else ""
    raise DerivationError(f"{where} is {kind_of(values)}; give a list of {of}{hint}")


def near_name(name: str, known: Collection[str]) -> str:
    """Return a hint to a known name: the one with this behind a prefix or before a component, else the nearest."""
    longer = next((each for each in known if each.endswith(f"_{name}") or each.startswith(f"{name}_")), None)
    return did_you_mean(name, known) if longer is None else f'; did you mean "{longer}"?'


def kind_of(value: object) -> str:
    """Return what a value is, in words; short ones with the value."""
    if value is None:
        return "None"
    if isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) < _LONG else f"a {type(value).__name__}"
    if is_expression(value):
        return f"the expression {value}" if len(str(value)) < _LONG else "an expression"
    return f"a {type(value).__name__}"


def no_expressions(value: object) -> list[object]:
    """Return what of a value is no expression: itself, or some of the numbers that it is made of."""
    parts = value.components if isinstance(value, (Vector, Quaternion)) else value
    return [each for each in (parts if isinstance(parts, (list, tuple)) else [parts]) if not is_expression(each)]
