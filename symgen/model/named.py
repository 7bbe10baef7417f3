"""Tables by name whose lookups say what there is."""

from __future__ import annotations

from typing import TypeVar

from symgen.errors import InputError
from symgen.model.brief import brief_names
from symgen.model.nearest import did_you_mean, list_names, show

Value = TypeVar("Value")


class UnknownNameError(InputError, KeyError):
    """A name that is not in a table."""

    __str__ = Exception.__str__


class Named(dict[str, Value]):
    """A table by name; `what` says of what, for messages.

    Raises
    ------
    UnknownNameError
        On looking up a name that is not there: with the nearest, or what there is.
    """

    def __init__(self, what: str, entries: dict[str, Value]) -> None:
        super().__init__(entries)
        self.what = what

    def __repr__(self) -> str:
        return f"<{len(self)} entries by {self.what}: {brief_names(self)}>"

    def __missing__(self, name: object) -> Value:
        near = did_you_mean(str(name), self) or (f"; there are {list_names(self)}" if self else "; there is none")
        raise UnknownNameError(f"no {self.what} {show(str(name))}{near}")
