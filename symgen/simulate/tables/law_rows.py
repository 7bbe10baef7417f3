"""Laws of time as rows that the engine works through, with the bits that they have as C (`laws`)."""

from __future__ import annotations

import math
import operator
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import LAW_ROW_OPERATIONS, LAW_RUN, LAW_STEP, TIMES_PLUS, TURN
from symgen.model.expression_tree import Name, Number, distinct_nodes
from symgen.model.expressions import Expression
from symgen.poses import Array
from symgen.simulate.tables.laws import operation_of
from symgen.simulate.tables.mechanism_tables import Table


@dataclass(frozen=True)
class LawRows:
    """Laws as the engine works through them.

    Parameters
    ----------
    runs : rows of `symgen.engine_tables.LAW_RUN`.
    steps : rows of `symgen.engine_tables.LAW_STEP`.
    values : (v,) of ``LAW_VALUE``: the time (not a number yet), numbers, results of the steps.
    results : of each law its number in ``LAW_VALUE``.
    """

    runs: Table
    steps: Table
    values: Array
    results: NDArray[np.int32]


def laws_in_rows(laws: Sequence[Expression]) -> LawRows:
    """Return laws as rows, which have the bits of `laws_in_c`.

    What occurs more than once, in one law or in several, is one row; what is known now is a number. Rows of one
    operation stand together where they can.
    """
    operations = _Operations()
    results = [operations.add_law(law) for law in laws]
    operations.join_products(results)
    order = operations.in_order()
    used = {argument: None for k in order for argument in operations.rows[k].arguments} | dict.fromkeys(results)
    numbers = [value for value in used if isinstance(value, float)]
    given: list[_Value] = [_TIME, *numbers]
    indices = {value: k for k, value in enumerate(given)}
    count = len(given)
    for k in order:
        for part in range(operations.rows[k].results):
            indices[_Result(k, part)] = count
            count += 1
    steps = [
        (*[*(indices[each] for each in operations.rows[k].arguments), 0, 0, 0, 0][:4], indices[_Result(k)])
        for k in order
    ]
    codes = {name: code for code, name in enumerate(LAW_ROW_OPERATIONS)}
    runs: list[tuple[int, int]] = []
    for name, members in groupby(operations.rows[k].operation for k in order):
        runs.append((codes[name], (runs[-1][1] if runs else 0) + len(list(members))))
    values = np.concatenate([[np.nan], numbers, np.zeros(count - len(given))])
    where = np.array([indices[each] for each in results], dtype=np.int32)
    return LawRows(LAW_RUN.of_rows(runs), LAW_STEP.of_rows(steps), values, where)


@dataclass(frozen=True, slots=True)
class _Result:
    """A result of a row; the second one of a turn is its cosine."""

    row: int
    part: int = 0


@dataclass(frozen=True, slots=True)
class _Time:
    """The time, which is the first of the values."""


#: What a row may take.
_Value: TypeAlias = float | _Result | _Time
_TIME = _Time()


@dataclass(frozen=True, slots=True)
class _Row:
    """An operation on values that are known before it."""

    operation: str
    arguments: tuple[_Value, ...]

    @property
    def results(self) -> int:
        """How many it has."""
        return 2 if self.operation == TURN else 1


class _Operations:
    """The distinct operations of laws."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._found: dict[_Row, int] = {}
        self._joined: set[int] = set()  # rows that others have taken in

    def add_law(self, law: Expression) -> _Value:
        """Return the value of a law."""
        bound = dict(law.bound)
        values: dict[int, _Value] = {}
        for node in distinct_nodes(law.root):
            if isinstance(node, Number):
                values[id(node)] = self._number(node.value)
            elif isinstance(node, Name):
                values[id(node)] = self._number(bound[node.name]) if node.name in bound else _TIME
            else:
                operation, arguments = operation_of(node)
                values[id(node)] = self._add(operation, tuple(values[id(each)] for each in arguments))
        return values[id(law.root)]

    def _number(self, value: float) -> _Value:
        """Return a number; zero with a sign is a row, as tables have none, and two zeros would be one number."""
        return self._add("negative", (0.0,)) if value == 0.0 and math.copysign(1.0, value) < 0.0 else value

    def _add(self, operation: str, arguments: tuple[_Value, ...]) -> _Value:
        if operation == "tan":
            return self._add("/", (self._add("sin", arguments), self._add("cos", arguments)))
        if operation in ("sin", "cos"):
            return _Result(self._row(TURN, arguments), int(operation == "cos"))
        numbers = [each for each in arguments if isinstance(each, float)]
        known = _known(operation, numbers) if len(numbers) == len(arguments) else None
        return _Result(self._row(operation, arguments)) if known is None else known

    def _row(self, operation: str, arguments: tuple[_Value, ...]) -> int:
        row = _Row(operation, arguments)
        if row not in self._found:
            self._found[row] = len(self.rows)
            self.rows.append(row)
        return self._found[row]

    def join_products(self, results: Sequence[_Value]) -> None:
        """Make one row of a product and the only sum that it is in."""
        uses = Counter(each for row in self.rows for each in row.arguments)
        uses.update(results)
        for k, row in enumerate(self.rows):
            if row.operation != "+":
                continue
            for product, other in (row.arguments, row.arguments[::-1]):
                if isinstance(product, _Result) and uses[product] == 1 and self.rows[product.row].operation == "*":
                    self.rows[k] = _Row(TIMES_PLUS, (*self.rows[product.row].arguments, other))
                    self._joined.add(product.row)
                    break

    def in_order(self) -> list[int]:
        """Return the rows, each after those that it takes results of, those of one operation together if they can be.

        The engine is quick where an operation repeats, and where a row need not wait for the one before it.
        """
        chosen = [k for k in range(len(self.rows)) if k not in self._joined]
        needs = [{each.row for each in row.arguments if isinstance(each, _Result)} for row in self.rows]
        waiting = [len(each) for each in needs]
        needed_by: list[list[int]] = [[] for _ in self.rows]
        for k in chosen:
            for other in needs[k]:
                needed_by[other].append(k)
        left = Counter(self.rows[k].operation for k in chosen)
        ready: dict[str, deque[int]] = {operation: deque() for operation in left}
        for k in chosen:
            if not waiting[k]:
                ready[self.rows[k].operation].append(k)
        order: list[int] = []
        while len(order) < len(chosen):
            # that of which the fewest rows have to wait for another time; of several that of most rows
            operation = min(
                (each for each in ready if ready[each]), key=lambda each: (left[each] - len(ready[each]), -left[each])
            )
            while ready[operation]:
                k = ready[operation].popleft()
                order.append(k)
                left[operation] -= 1
                for other in needed_by[k]:
                    waiting[other] -= 1
                    if not waiting[other]:
                        ready[self.rows[other].operation].append(other)
        return order


#: Of these Python has the bits of C; sines are our own there, and powers those of its library.
_KNOWN: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "square": lambda a: a * a,
    "negative": operator.neg,
    "sqrt": math.sqrt,
    "abs": abs,
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: a if a > b else b,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "choose": lambda a, b, u, v: u if a <= b else v,
}


def _known(operation: str, numbers: Sequence[float]) -> float | None:
    """Return the value of an operation on numbers; None leaves it to the engine, as where it has none."""
    if operation not in _KNOWN:
        return None
    try:
        value = _KNOWN[operation](*numbers)
    except (ArithmeticError, ValueError):
        return None
    is_zero_with_sign = value == 0 and math.copysign(1, value) < 0  # tables have none
    return value if math.isfinite(value) and not is_zero_with_sign else None
