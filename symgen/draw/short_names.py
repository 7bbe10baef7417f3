"""Ids cut to the room a picture has, so that they can still be told apart."""

from __future__ import annotations

from collections.abc import Iterable


def short_names(ids: Iterable[str], most: int) -> dict[str, str]:
    """Return each id as drawn: of at most `most` letters, an ellipsis in place of what is left out.

    All are cut at one place: in the middle, or where fewer of them become the same.

    Parameters
    ----------
    ids : of one picture, each once.
    most : letters, at least 3.
    """
    every = list(ids)
    middle = (most - 1) // 2
    heads = sorted(range(1, most - 1), key=lambda head: (abs(head - middle), head))
    if all(len(each) <= most for each in every):
        return {each: each for each in every}
    return max(
        ({each: _cut(each, most, head) for each in every} for head in heads),
        key=lambda names: len(set(names.values())),
    )


def _cut(text: str, most: int, head: int) -> str:
    return text if len(text) <= most else f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"
