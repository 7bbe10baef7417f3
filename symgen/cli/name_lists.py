"""Names that an option takes as a list separated by commas, given once or several times."""

from __future__ import annotations


def names_of(*texts: str) -> list[str]:
    """Return the names of lists separated by commas, all together."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]
