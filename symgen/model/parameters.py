"""Parameters, and the numbers of a file that may be expressions of them."""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping, Sequence
from typing import Any

from symgen.errors import MechanismError
from symgen.model.expressions import RESERVED, Expression, ExpressionError, constant, parse
from symgen.model.nearest import show
from symgen.model.pairs import Space
from symgen.model.quaternions import Vector3
from symgen.model.shapes import Problems, below

#: Squares and products of a few of these are finite.
LARGEST = 1e60


def refuse(path: str, message: str) -> MechanismError:
    """Return the error of one field; the file is added where all errors are gathered."""
    return MechanismError(message, field=path)


def _finite(value: float, path: str) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise refuse(path, f"must be a finite number, found {show(value)}")
    return number


class Numbers:
    """Evaluates numbers and expressions of a file for given parameters.

    Parameters
    ----------
    parameters : name -> value.
    space : planar mechanisms may leave out the third entry of a vector.
    """

    def __init__(self, parameters: Mapping[str, float], space: Space) -> None:
        self.parameters, self.space = parameters, space
        self._law_names = {*parameters, "t"}

    def number(self, value: Any, path: str) -> float:
        """Return a finite float from a number or an expression of the parameters."""
        if not isinstance(value, str):
            return _finite(value, path)
        try:
            return parse(value, names=self.parameters).bind(self.parameters).evaluate()
        except ExpressionError as error:
            raise refuse(path, str(error)) from None

    def optional(self, table: Mapping[str, Any], key: str, path: str, default: float) -> float:
        """Return the number under a key of a table, or the default."""
        return self.number(table[key], below(path, key)) if key in table else default

    def law(self, value: Any, path: str) -> Expression:
        """Return an expression of the time t, parameters bound, from a number or a text."""
        if not isinstance(value, str):
            return constant(_finite(value, path))
        try:
            return parse(value, names=self._law_names).bind(self.parameters)
        except ExpressionError as error:
            raise refuse(path, str(error)) from None

    def numbers(self, values: Sequence[Any], path: str) -> tuple[float, ...]:
        """Return finite floats from a list."""
        return tuple(self.number(value, f"{path}[{index}]") for index, value in enumerate(values))

    def vector(self, values: Sequence[Any], path: str) -> Vector3:
        """Return a vector; with two entries in a planar mechanism z is zero."""
        self.check_entries(values, path)
        x, y, *z = self.numbers(values, path)
        return (x, y, z[0] if z else 0.0)

    def place(self, values: Sequence[Any], path: str) -> Vector3:
        """Return a vector of lengths [m] that can be squared and multiplied."""
        found = self.vector(values, path)
        for value in found:
            self.check_size(value, path)
        return found

    def check_size(self, value: float, path: str) -> None:
        """Refuse a length whose products overflow."""
        if not abs(value) <= LARGEST:
            raise refuse(path, f"found {value:g} m: above {LARGEST:g}, too large to be computed with; check the unit")

    def check_entries(self, values: Sequence[Any], path: str) -> None:
        """Refuse two entries outside planar mechanisms."""
        if len(values) == 2 and self.space == "spatial":
            raise refuse(path, 'must have 3 entries, found 2; only with space = "planar" may the third be omitted')

    def turning(self, value: Any, path: str) -> Vector3:
        """Return a vector of rotation; in a planar mechanism a single number is its z component."""
        if isinstance(value, (list, tuple)):
            return self.vector(value, path)
        if self.space == "spatial":
            raise refuse(path, "must be a list of 3 numbers; only planar mechanisms may give the z component alone")
        return (0.0, 0.0, self.number(value, path))


def evaluate_parameters(table: Mapping[str, Any], problems: Problems) -> dict[str, float]:
    """Return the value of each parameter; expressions may use other parameters, in any order, but not in a circle."""
    formulas: dict[str, Expression] = {}
    for name, value in table.items():
        path = below("parameters", name)
        try:
            _check_name(name, path)
            formulas[name] = parse(value, names=table) if isinstance(value, str) else constant(_finite(value, path))
        except ExpressionError as error:
            problems.note(path, str(error))
        except MechanismError as error:
            problems.keep(error)
        if problems.full:
            break
    if problems.found:
        return {}
    return _in_order(formulas, problems)


def _check_name(name: str, path: str) -> None:
    if name in RESERVED or keyword.iskeyword(name):
        raise refuse(path, f'"{name}" has a fixed meaning in expressions; choose another name')


def _in_order(formulas: Mapping[str, Expression], problems: Problems) -> dict[str, float]:
    waiting = {name: set(formula.names) for name, formula in formulas.items()}
    users: dict[str, list[str]] = {name: [] for name in formulas}
    for name, used in waiting.items():
        for other in used:
            users[other].append(name)
    ready = [name for name, used in waiting.items() if not used]
    values: dict[str, float] = {}
    while ready:
        name = ready.pop()
        try:
            values[name] = formulas[name].bind(values).evaluate()
        except ExpressionError as error:
            problems.note(below("parameters", name), str(error))
            return {}
        for user in users[name]:
            waiting[user].discard(name)
            if not waiting[user]:
                ready.append(user)
    circle = _circle({name: used for name, used in waiting.items() if used})
    if circle:
        problems.note(below("parameters", circle[0]), f"defined by itself: {' -> '.join(circle[:12])}")
    return {name: values[name] for name in formulas if name in values}


def _circle(waiting: Mapping[str, set[str]]) -> list[str]:
    if not waiting:
        return []
    path = [next(iter(waiting))]
    while True:
        following = min(waiting[path[-1]])
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)
