"""Calls of a part: its arguments by name, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, cast

from symgen.algebra import Expr, is_undefined
from symgen.derive.quaternions import Quaternion
from symgen.derive.refusals import check_word, kind_of, no_expressions
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError

if TYPE_CHECKING:
    from symgen.ir.nodes import Port

Arguments = Mapping[str, Vector | Quaternion | Expr]


@dataclass(frozen=True)
class CallResults:
    """The named results of a call; `call` says which, for messages."""

    call: str
    values: Mapping[str, tuple[Expr, ...]]

    def scalar(self, port: str) -> Expr:
        """Return a scalar result."""
        return self._numbers(port, (1,), "scalar")[0]

    def vector(self, port: str) -> Vector:
        """Return a vector result."""
        return Vector(self._numbers(port, (2, 3), "vector"))

    def numbers(self, port: str) -> tuple[Expr, ...]:
        """Return the numbers of a result, however many it has."""
        check_word(self.call, "result", port, tuple(self.values))
        return self.values[port]

    def __getitem__(self, port: str) -> NoReturn:
        """Say how a result is taken: brackets do not tell of what shape it has to be."""
        raise DerivationError(
            f"{self.call}: results are not taken by brackets; use {_taken_by(self.numbers(port))}({port!r})"
        )

    def _numbers(self, port: str, sizes: tuple[int, ...], kind: str) -> tuple[Expr, ...]:
        found = self.numbers(port)
        if len(found) not in sizes:
            raise DerivationError(
                f"{self.call}: the result {port!r} has {_count(len(found))}, so it is no {kind}; "
                f"use {_taken_by(found)}({port!r})"
            )
        return found


def _taken_by(numbers: Sequence[Expr]) -> str:
    return {1: "scalar", 2: "vector", 3: "vector"}.get(len(numbers), "numbers")


def name_of_part(caller: str, part: object) -> str:
    """Return the name of what is called.

    Raises
    ------
    DerivationError
        It cannot be called.
    """
    results = getattr(part, "results", ())
    if isinstance(part, type) or not hasattr(part, "inputs") or isinstance(part.inputs, dict):
        hint = "; are the brackets of its function missing?" if callable(part) else "; write Inner(name, derivation)"
        raise DerivationError(
            f"{caller}: an Inner can be called, a part with a derivation; found {kind_of(part)}{hint}"
        )
    name = str(getattr(part, "name", ""))
    if any(port.name == "status" for port in results):
        raise DerivationError(
            f"{caller}: call of {name}: its result cannot be called 'status', as what it returns is; take another "
            "name, such as 'status_value'"
        )
    return name


def check_prefix(call: str, prefix: object) -> None:
    """Refuse what the names of results cannot begin with.

    Raises
    ------
    DerivationError
        Begins with `call`.
    """
    if not isinstance(prefix, str) or not prefix.isidentifier():
        raise DerivationError(
            f"{call}: its results are named <prefix>_<result>, so a prefix is a name, such as 'leg'; "
            f"found {kind_of(prefix)}"
        )


def numbers_of(value: Vector | Quaternion | Sequence[Expr] | Expr) -> tuple[Expr, ...]:
    """Return the numbers of a value: its components, the members of a sequence, or itself."""
    if isinstance(value, (Vector, Quaternion)):
        return value.components
    return tuple(value) if isinstance(value, (tuple, list)) else (cast(Expr, value),)


def arguments_of(call: str, ports: Sequence[Port], given: Arguments, *, may_be_more: bool) -> list[tuple[Expr, ...]]:
    """Return the arguments of a call in the order of the ports; `may_be_more` than these.

    Raises
    ------
    DerivationError
        One is missing, has no port, or has more or fewer numbers than its port; it begins with `call`.
    """
    _check_names(f"{call}: its arguments are", given)
    by_name = {port.name: port for port in ports}
    for name in () if may_be_more else given:
        check_word(call, "argument", name, tuple(by_name))
    missing = [name for name in by_name if name not in given]
    if missing:
        raise DerivationError(f"{call} lacks {', '.join(map(repr, missing))}")
    return [_numbers_of_argument(call, port, given[name]) for name, port in by_name.items()]


def _numbers_of_argument(call: str, port: Port, value: Vector | Quaternion | Expr) -> tuple[Expr, ...]:
    wanted = f"{call}: {port.name!r} takes {_count(len(port.elements))}"
    for wrong in no_expressions(value):
        place = "" if wrong is value else f" in {kind_of(value)}"
        hint = "; number(2) and exactly(0.1) make one of a number" if isinstance(wrong, (int, float)) else ""
        raise DerivationError(f"{wanted}; found {kind_of(wrong)}{place}{hint}")
    numbers = numbers_of(value)
    if len(numbers) != len(port.elements):
        raise DerivationError(f"{wanted}; found {_count(len(numbers))}")
    if any(map(is_undefined, numbers)):
        raise DerivationError(f"{call}: {port.name!r} divides by zero, whatever the inputs are")
    return numbers


def check_parts(
    call: str, ports: Sequence[Port], shared: Arguments, each: Sequence[Arguments], *, may_be_more: bool
) -> None:
    """Refuse arguments of parts that are no list of names and values, or that all parts and one of them have.

    What all parts share is looked at here: it is not wrong in one of them.

    Raises
    ------
    DerivationError
        It begins with `call`.
    """
    _check_names(f"{call}: what they share is", shared)
    for name in () if may_be_more else shared:
        check_word(call, "argument", name, [port.name for port in ports])
    for port in ports:
        if port.name in shared:
            _numbers_of_argument(call, port, shared[port.name])
    if not isinstance(each, Sequence) or not each:
        found = "none" if each in ([], (), {}) else "the arguments of one part"
        found = found if isinstance(each, (Sequence, Mapping)) else kind_of(each)
        raise DerivationError(f"{call}: the parts are a list of arguments, one for each part; found {found}")
    for number, own in enumerate(each, 1):
        _check_names(f"{call}: arguments of part {number} are", own)
        for name in own:
            if name in shared:
                raise DerivationError(
                    f"{call}: part {number} has {name!r}, which all parts share; leave one of them out"
                )


def _check_names(what: str, given: object) -> None:
    if not isinstance(given, Mapping):
        raise DerivationError(f"{what} names and values, {{name: value, ...}}; found {kind_of(given)}")


def _count(numbers: int) -> str:
    return "1 number" if numbers == 1 else f"{numbers} numbers"
