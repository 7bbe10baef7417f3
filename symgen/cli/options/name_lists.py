"""Names that an option takes as a list separated by commas, given once or several times."""

from __future__ import annotations

from symgen.errors import InputError


def names_of(*texts: str) -> list[str]:
    """Return the names of lists separated by commas, all together."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def names_given(option: str, texts: tuple[str, ...]) -> list[str]:
    """Return the names of an option that may be left out, but names something where it is given.

    Raises
    ------
    InputError
        It was given and names nothing.
    """
    for text in texts:
        if not names_of(text):
            raise InputError(f"{option} {text!r}: gives no name; give names separated by commas, or omit the option")
    return names_of(*texts)
