"""Numbers on the command line, refused in words that say what is allowed."""

from __future__ import annotations

import click


class WholeNumber(click.IntRange):
    """A whole number of something from `least` to `most` (None: no end)."""

    def __init__(self, what: str, least: int, most: int | None = None) -> None:
        super().__init__(least, most)
        self.what = what

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; text that is none, or out of range, is refused."""
        allowed = f"{self.min} or more" if self.max is None else f"{self.min} to {self.max}"
        try:
            number = int(str(value))
        except ValueError:
            self.fail(f"{str(value)!r} is not a whole number of {self.what} ({allowed})", param, ctx)
        if number < (self.min or 0) or (self.max is not None and number > self.max):
            self.fail(f"{number} {self.what}: allowed are {allowed}", param, ctx)
        return number
