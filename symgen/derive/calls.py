"""Calls of a part: its arguments by name, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from symgen.algebra import Expr
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.naming import did_you_mean

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
        if port not in self.values:
            raise DerivationError(
                f"{self.call}: there is no result {port!r}{did_you_mean(str(port), self.values)}; "
                f"results are {', '.join(self.values)}"
            )
        return self.values[port]

    def _numbers(self, port: str, sizes: tuple[int, ...], kind: str) -> tuple[Expr, ...]:
        found = self.numbers(port)
        if len(found) not in sizes:
            other = {1: "scalar", 2: "vector", 3: "vector"}.get(len(found), "numbers")
            raise DerivationError(
                f"{self.call}: the result {port!r} has {_count(len(found))}, so it is no {kind}; use {other}({port!r})"
            )
        return found


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
        raise DerivationError(f"{caller}: an Inner can be called, a part with a derivation; found {_kind(part)}{hint}")
    name = str(getattr(part, "name", ""))
    if any(port.name == "status" for port in results):
        raise DerivationError(
            f"{caller}: call of {name}: its result cannot be called 'status', as what it returns is; take another "
            "name, such as 'status_value'"
        )
    return name


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
    for name in given:
        if name not in by_name and not may_be_more:
            known = ", ".join(by_name)
            raise DerivationError(
                f"{call}: there is no argument {name!r}{did_you_mean(str(name), by_name)}; arguments are {known}"
            )
    found = []
    for name, port in by_name.items():
        if name not in given:
            raise DerivationError(f"{call} lacks {name!r}")
        numbers = numbers_of(given[name])
        if len(numbers) != len(port.elements):
            raise DerivationError(f"{call}: {name!r} takes {_count(len(port.elements))}; found {_count(len(numbers))}")
        found.append(numbers)
    return found


def check_parts(call: str, shared: Arguments, each: Sequence[Arguments]) -> None:
    """Refuse arguments of parts that are no list of names and values, or that all parts and one of them have.

    Raises
    ------
    DerivationError
        It begins with `call`.
    """
    _check_names(f"{call}: what they share is", shared)
    if not isinstance(each, Sequence) or not each:
        found = "none" if each in ([], (), {}) else "the arguments of one part"
        found = found if isinstance(each, (Sequence, Mapping)) else _kind(each)
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
        raise DerivationError(f"{what} names and values, {{name: value, ...}}; found {_kind(given)}")


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def _count(numbers: int) -> str:
    return "1 number" if numbers == 1 else f"{numbers} numbers"
