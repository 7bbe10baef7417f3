"""Numbers with their nouns, for people."""

from __future__ import annotations


def count(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 body``, ``2 bodies``."""
    return f"{number} {one if number == 1 else several or one + 's'}"
