"""What the templates of an export see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NumberView:
    """An input or a result: its enumerator with what stands behind it, and what it is, in words."""

    c_name: str
    ending: str
    comment: str


@dataclass(frozen=True)
class MemberView:
    """A member of the state with its comment."""

    declaration: str
    comment: str


@dataclass(frozen=True)
class StepView:
    """The public header and the functions behind it.

    Parameters
    ----------
    upper : the prefix in upper case, of macros and enumerators; `aliases` are macros by the prefix as it is written.
    refused : a condition for each input with a range: it holds if the input lies out of it.
    begin : lines of the function that sets the state up, the last of which returns.
    given : declarations of what a step hands on.
    call : the arguments of the solver, folded.
    written : the statuses for which results are written.
    taken : lines that go on from what was followed.
    """

    preamble: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    source: str
    prefix: str
    upper: str
    guard: str
    real: str
    abi: str
    aliases: tuple[tuple[str, str], ...]
    inputs: tuple[NumberView, ...]
    results: tuple[NumberView, ...]
    input_count: int
    result_count: int
    statuses: tuple[str, ...]
    state: tuple[MemberView, ...]
    usage: tuple[str, ...]
    solver_header: str
    refused: tuple[str, ...]
    begin: tuple[str, ...]
    given: tuple[str, ...]
    symbol: str
    call: str
    follows: bool
    taken: tuple[str, ...]


@dataclass(frozen=True)
class VectorView:
    """One row of the self-test, as C."""

    head: str
    inputs: str
    results: str
    what: str


@dataclass(frozen=True)
class SelfTestView:
    """The rows of the self-test and the program that asks them."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    upper: str
    guard: str
    real: str
    untouched: str
    vectors: tuple[VectorView, ...]
    count: int


@dataclass(frozen=True)
class ExampleView:
    """A program that steps at a fixed rate: its lines that say what the drives do, the result that it prints."""

    preamble: tuple[str, ...]
    title: str
    prefix: str
    upper: str
    real: str
    period: str
    result: str
    drives: tuple[str, ...]


@dataclass(frozen=True)
class RowView:
    """One row of a table in the README."""

    cells: tuple[str, ...]


@dataclass(frozen=True)
class PackageView:
    """What build systems and readers are told."""

    preamble: tuple[str, ...]
    title: str
    about: tuple[str, ...]
    prefix: str
    upper: str
    real: str
    version: str
    sources: tuple[str, ...]
    inputs: tuple[RowView, ...]
    results: tuple[RowView, ...]
    figures: tuple[RowView, ...]
    targets: tuple[RowView, ...]
    notes: tuple[str, ...]
    not_run: tuple[str, ...]
    vectors: int
    request: str
    own_math: bool
