"""Texts with indices behind underscores as mathematics: ``T_1 = U_23 U_26,1`` and what stands beside it."""

from __future__ import annotations

import re

from symgen.report.layout import (
    CROSS,
    EQUALS,
    MINUS,
    PLUS,
    TIMES,
    Digits,
    Fence,
    Layout,
    Letter,
    Scripts,
    Sign,
    Words,
    joined,
    row,
)

_INDEXED = re.compile(r"\b([A-Za-z]{1,2})_([0-9A-Za-z]+(?:,[0-9]+)?)\b")
_TOKEN = re.compile(
    r"([A-Z]|z)(?:_([0-9A-Za-z]+(?:,[0-9]+)?))?(?![A-Za-z0-9_])|\d+(?![A-Za-z0-9_])|[-+=()]|\.\.\.|x(?= )"
)
_LABEL = re.compile(r"(\s*)((?:[^=]*?: (?= *[^ (])|[^=]*:(?=   \())?)(.*?)((?:   \([^()]*\))?)$")
_SIGNS: dict[str, Layout] = {"+": PLUS, "-": MINUS, "=": EQUALS, "x": CROSS, "...": Sign(r"\cdots ", "\u22ef")}


def pieces(text: str) -> list[str | Layout]:
    """Return a running text with the indexed letters in it as mathematics."""
    found: list[str | Layout] = []
    place = 0
    for match in _INDEXED.finditer(text):
        found += [text[place : match.start()], _indexed(match[1], match[2])]
        place = match.end()
    return [piece for piece in (*found, text[place:]) if piece != ""]


def line(text: str) -> list[str | Layout]:
    """Return a formula of one line; what is in front of a colon, and words, stay text."""
    match = _LABEL.match(text)
    if match is None:
        return [text]
    _, label, middle, after = match.groups()
    formula = _formula(middle)
    return [piece for piece in (label, formula if formula is not None else middle, after) if piece]


def indent_of(text: str) -> int:
    """Return how far a line is moved in."""
    return len(text) - len(text.lstrip())


def _formula(text: str) -> Layout | None:
    """Return letters, numbers and signs as mathematics, other words between them as text; None if nothing is there."""
    stack: list[list[Layout]] = [[]]
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            word = re.compile(r"\s+|[^\s()]+|.").match(text, place)
            place = place + 1 if word is None else word.end()
            if word is not None and not word[0].isspace():
                _add(stack[-1], Words(f" {word[0]} "))
            continue
        place = match.end()
        found = match[0]
        if found == "(":
            stack.append([])
        elif found == ")" and len(stack) > 1:
            inner = stack.pop()
            _add(stack[-1], Fence("()", row(*inner)) if inner else Words("()"))
        elif found in _SIGNS:
            stack[-1].append(_SIGNS[found])
        elif match[1] is None:
            _add(stack[-1], Digits(found) if found.isdigit() else Words(found))
        else:
            _add(stack[-1], _indexed(match[1], match[2] or ""))
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1] += [Words("("), *inner]
    return row(*stack[0]) if stack[0] else None


def _add(items: list[Layout], item: Layout) -> None:
    """Put a factor behind what is there."""
    if items and not isinstance(items[-1], (Sign, Words)) and not isinstance(item, Words):
        items.append(TIMES)
    items.append(item)


def _indexed(letter: str, index: str) -> Layout:
    style = "bold" if letter.isupper() or letter == "z" else "italic"
    base: Layout = Letter(letter, style if len(letter) == 1 else "upright")  # type: ignore[arg-type]
    if not index:
        return base
    parts: list[Layout] = [Digits(each) if each.isdigit() else Letter(each, "italic" if len(each) == 1 else "upright")
                           for each in index.split(",")]  # fmt: skip
    return Scripts(base, joined(parts, Sign(",", ",")))
