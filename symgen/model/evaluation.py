"""Numbers from an expression tree: one number with `math`, arrays with NumPy; no NaN passes silently."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from symgen.model.expression_tree import Apply, Name, Node, Number, kept_nodes, names_in, print_tree

if TYPE_CHECKING:
    import numpy as np

    Value: TypeAlias = float | np.ndarray[Any, np.dtype[np.float64]]

_SCALAR: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": math.pow,  # not the operator: (-8)**(1/3) would become a complex number
    "negative": operator.neg,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": lambda y, x: math.atan2(y, x + 0.0),  # 0 for (0, -0.0) too, as in C
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda u: float((u > 0.0) - (u < 0.0)),
    "choose": lambda a, b, u, v: u if a <= b else v,
}

_NUMPY_NAMES = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power", "negative": "negative",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "min": "minimum", "max": "maximum",
}  # fmt: skip


class OutsideDomainError(ArithmeticError):
    """An operation has no finite real value for its arguments; the message names operation and arguments."""


def evaluate_scalar(root: Node, names: Mapping[str, float]) -> float:
    """Return the value of the tree for one number per name."""
    values: dict[int, float] = {}
    for node in kept_nodes(root):
        if isinstance(node, Number):
            values[id(node)] = node.value
        elif isinstance(node, Name):
            values[id(node)] = float(names[node.name])
            if not math.isfinite(values[id(node)]):
                raise OutsideDomainError(f"{node.name} = {values[id(node)]} is not a finite number")
        else:
            arguments = [values[id(argument)] for argument in node.arguments]
            try:
                value = _SCALAR[node.operation](*arguments)
            except (ValueError, OverflowError, ZeroDivisionError):
                value = math.nan
            if not math.isfinite(value):
                raise OutsideDomainError(_refusal(node, arguments, names))
            values[id(node)] = value
    return values[id(root)]


def evaluate_arrays(root: Node, names: Mapping[str, Value]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the values of the tree, in the common shape of all arrays among `names`."""
    import numpy as np

    shape = np.broadcast_shapes(*(np.shape(value) for value in names.values()))
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in kept_nodes(root):
            if isinstance(node, Number):
                values[id(node)] = node.value
            elif isinstance(node, Name):
                values[id(node)] = np.asarray(names[node.name], dtype=np.float64)
                if not np.isfinite(values[id(node)]).all():
                    raise OutsideDomainError(f"{node.name} has values that are not finite numbers")
            else:
                arguments = [values[id(argument)] for argument in node.arguments]
                value = _numpy_function(node.operation)(*arguments)
                finite = np.isfinite(value)
                if not finite.all():
                    first = int(np.argmin(np.broadcast_to(finite, shape).ravel()))
                    at = [float(np.broadcast_to(each, shape).ravel()[first]) for each in arguments]
                    row = {name: float(np.broadcast_to(each, shape).ravel()[first]) for name, each in names.items()}
                    raise OutsideDomainError(_refusal(node, at, row))
                values[id(node)] = value
    return np.array(np.broadcast_to(values[id(root)], shape), dtype=np.float64)


def _numpy_function(operation: str) -> Callable[..., Any]:
    import numpy as np

    if operation == "choose":
        return lambda a, b, u, v: np.where(np.asarray(a) <= b, u, v)
    if operation == "atan2":
        return lambda y, x: np.arctan2(y, np.add(x, 0.0))
    function: Callable[..., Any] = getattr(np, _NUMPY_NAMES.get(operation, operation))
    return function


def _refusal(node: Apply, arguments: list[float], names: Mapping[str, float]) -> str:
    values = [f"{argument:.6g}" for argument in arguments]
    if node.operation == "/" and arguments[1] == 0.0:
        found = f"division of {values[0]} by zero"
    elif len(values) == 2 and node.operation in {"+", "-", "*", "/", "**"}:
        found = f"{values[0]} {node.operation} {values[1]} has no finite real value"
    else:
        found = f"{node.operation}({', '.join(values)}) has no finite real value"
    text = print_tree(node, longest=120)
    where = f' in "{text}"' if text else ""
    used = names_in(node)
    given = ", ".join(f"{name} = {names[name]:.6g}" for name in sorted(used))
    return found + where + (f" (at {given})" if given else "")
