"""Laws of time as C, which exports take: every distinct operation of an expression is a named constant."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.engine_tables import LAW_OPERATIONS
from symgen.errors import MechanismError
from symgen.model.expression_tree import Apply, Name, Node, Number, distinct_nodes
from symgen.model.expressions import Expression

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


def laws_in_c(laws: Sequence[Expression]) -> list[str]:
    """Return the lines of a C function's body that writes ``law[k]`` for each law, from the time ``t``.

    Raises
    ------
    MechanismError
        An operation that has no counterpart in C (none of a mechanism file's is).
    """
    lines: list[str] = []
    for k, law in enumerate(laws):
        bound = dict(law.bound)
        names: dict[int, str] = {}
        count = len(lines)
        for node in distinct_nodes(law.root):
            if isinstance(node, Number):
                names[id(node)] = literal(node.value)
            elif isinstance(node, Name):
                names[id(node)] = literal(bound[node.name]) if node.name in bound else "t"
            else:
                operation, arguments = operation_of(node)
                names[id(node)] = f"l{k}_{len(lines) - count}"
                value = LAW_OPERATIONS[operation].format(*(names[id(each)] for each in arguments))
                lines.append(f"const double {names[id(node)]} = {value};")
        lines.append(f"law[{k}] = {names[id(law.root)]};")
    return lines


def operation_of(node: Apply) -> tuple[str, tuple[Node, ...]]:
    """Return the engine's operation for a node, and its arguments.

    Raises
    ------
    MechanismError
        It has no counterpart in C.
    """
    if node.operation == "**" and _is_square(node.arguments[1]):
        return "square", node.arguments[:1]
    if node.operation not in LAW_OPERATIONS:
        raise MechanismError(f"the operation {node.operation!r} of a law has no counterpart in C")
    return node.operation, node.arguments


def _is_square(node: Node) -> bool:
    return isinstance(node, Number) and node.value == 2.0
