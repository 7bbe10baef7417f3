"""Laws of time as C: every distinct operation of an expression is a named constant, in the order of evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symgen.errors import MechanismError
from symgen.model.expression_tree import Apply, Name, Node, Number, distinct_nodes
from symgen.model.expressions import Expression

_INFIX = {"+": "+", "-": "-", "*": "*", "/": "/"}
#: Sine, cosine, atan2 and what is made of them are ours (symgen_math.h), with the same bits on every machine.
_FUNCTIONS = {"sin": "own_sin", "cos": "own_cos", "atan2": "own_atan2", "sqrt": "sqrt", "exp": "exp", "log": "log"}
_OTHERS = {
    "tan": "own_sin({0})/own_cos({0})",
    "asin": "own_atan2({0}, sqrt((1 - {0})*(1 + {0})))",
    "acos": "own_atan2(sqrt((1 - {0})*(1 + {0})), {0})",
    "atan": "own_atan2({0}, 1)",
    "abs": "fabs({0})",
    "**": "pow({0}, {1})",
    "min": "({0} < {1} ? {0} : {1})",
    "max": "({0} > {1} ? {0} : {1})",
    "negative": "(-{0})",
    "sign": "(double)(({0} > 0) - ({0} < 0))",
    "choose": "({0} <= {1} ? {2} : {3})",
}


#: Of these bits differ from one <math.h> to another.
_OF_LIBM = {"exp": "exp", "log": "log", "**": "pow"}


def functions_of_libm(laws: Sequence[Expression]) -> tuple[str, ...]:
    """Return the functions of ``<math.h>`` that laws call and whose bits differ from machine to machine."""
    nodes = [node for law in laws for node in distinct_nodes(law.root) if isinstance(node, Apply)]
    return tuple(
        sorted(
            {
                _OF_LIBM[node.operation]
                for node in nodes
                if node.operation in _OF_LIBM and not (node.operation == "**" and _is_square(node.arguments[1]))
            }
        )
    )


def literal(value: float) -> str:
    """Return a number as a C literal of the same value."""
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def laws_in_c(laws: Sequence[Expression], constant: Callable[[float], str] = literal) -> list[str]:
    """Return the lines of a C function's body that writes ``law[k]`` for each law, from the time ``t``.

    Parameters
    ----------
    constant : a number as C writes it, asked for in the order of the text.

    Raises
    ------
    MechanismError
        An operation that has no counterpart in C (none of a mechanism file's is).
    """
    lines: list[str] = []
    for k, law in enumerate(laws):
        lines += _law(k, law, constant)
    return lines


def _law(k: int, law: Expression, constant: Callable[[float], str]) -> list[str]:
    bound = dict(law.bound)
    names: dict[int, str] = {}
    lines: list[str] = []
    for node in distinct_nodes(law.root):
        if isinstance(node, Number):
            names[id(node)] = constant(node.value)
        elif isinstance(node, Name):
            names[id(node)] = constant(bound[node.name]) if node.name in bound else "t"
        else:
            name = f"l{k}_{len(lines)}"
            lines.append(f"const double {name} = {_operation(node, names)};")
            names[id(node)] = name
    return [*lines, f"law[{k}] = {names[id(law.root)]};"]


def _operation(node: Apply, names: dict[int, str]) -> str:
    arguments = [names[id(argument)] for argument in node.arguments]
    operation = node.operation
    if operation in _INFIX:
        return f" {_INFIX[operation]} ".join(arguments)
    if operation in _FUNCTIONS:
        return f"{_FUNCTIONS[operation]}({', '.join(arguments)})"
    if operation == "**" and _is_square(node.arguments[1]):
        return f"{arguments[0]}*{arguments[0]}"
    if operation not in _OTHERS:
        raise MechanismError(f"the operation {operation!r} of a law has no counterpart in C")
    return _OTHERS[operation].format(*arguments)


def _is_square(node: Node) -> bool:
    return isinstance(node, Number) and node.value == 2.0
