"""The view of ``problem.h`` where the tables of a mechanism are data: what an engine has room for, what it is handed.

It imports neither Jinja nor SymPy: an engine that is compiled already is found by its view, without any text.
"""

from __future__ import annotations

from dataclasses import dataclass

PROBLEM_TEMPLATE = "simulate/problem.h.j2"


@dataclass(frozen=True)
class SizeView:
    """A macro and its number."""

    name: str
    number: int


@dataclass(frozen=True)
class DataTableView:
    """A table: its C type, its shape behind the name, and how many bytes of it are filled, as C."""

    name: str
    type: str
    shape: str
    filled: str


@dataclass(frozen=True)
class LayoutView:
    """A type of rows and how many bytes the caller takes it to have."""

    name: str
    type: str
    bytes: int


@dataclass(frozen=True)
class ProblemView:
    """What the template sees.

    Parameters
    ----------
    fixed, room : sizes that are compiled in, and the most that others may be.
    given : sizes that are handed over, in the order of the numbers.
    tables : in the order of the rows that are handed over.
    layouts : what is checked of them.
    declaration, head : the function that takes sizes and rows, with and without its semicolon.
    """

    fixed: tuple[SizeView, ...]
    room: tuple[SizeView, ...]
    given: tuple[str, ...]
    tables: tuple[DataTableView, ...]
    layouts: tuple[LayoutView, ...]
    declaration: str
    head: str
