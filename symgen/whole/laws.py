"""Laws of drives as steps: from the trees of safe expressions to named values, functions with an argument of their own.

What value, rate and acceleration of a law have in common is named once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from symgen.algebra import ONE, ZERO, Expr, atan2, chosen, elementary, exactly, float_of, is_number, power, symbol
from symgen.model.expression_tree import Apply, Name, Number, distinct_nodes
from symgen.model.expressions import Expression
from symgen.model.parts import DriveLaw
from symgen.whole.steps import Steps

_MOST_FACTORS = 8
#: Operations that have no real value for some arguments, or one that grows beyond all bounds.
_PARTIAL = frozenset({"/", "**", "sqrt", "log", "exp", "tan", "asin", "acos"})
_ARITHMETIC: dict[str, Callable[..., Expr]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "negative": lambda a: -a,
    "min": lambda a, b: chosen(a, b, a, b),
    "max": lambda a, b: chosen(b, a, a, b),
    "sign": lambda a: chosen(a, ZERO, chosen(ZERO, a, ZERO, -ONE), ONE),
    "choose": chosen,
}


def law_steps(steps: Steps, law: DriveLaw, name: str, what: str) -> tuple[Expr, Expr, Expr]:
    """Name value, rate and acceleration of a driven freedom as functions of the time `t`.

    Parameters
    ----------
    name : beginning of the names of the steps.
    what : the freedom, for the comments.
    """
    parts = (("", law.value, "value"), ("_rate", law.rate, "rate"), ("_acc", law.acceleration, "acceleration"))
    value, rate, acceleration = (
        steps.let(name + end, _expression(steps, part, name + end, what), f"{title} of {what}")
        for end, part, title in parts
    )
    return value, rate, acceleration


def may_have_no_value(law: DriveLaw) -> bool:
    """Tell whether value, rate or acceleration may not be a number at some time: by what they are made of."""
    return any(
        isinstance(node, Apply) and _is_partial(node, dict(part.bound))
        for part in (law.value, law.rate, law.acceleration)
        for node in distinct_nodes(part.root)
    )


def _is_partial(node: Apply, bound: Mapping[str, float]) -> bool:
    if node.operation in ("/", "**"):
        last = node.arguments[1]
        number = last.value if isinstance(last, Number) else bound.get(last.name) if isinstance(last, Name) else None
        if number:
            return node.operation == "**" and (number < 0 or number != int(number))
    return node.operation in _PARTIAL


def law_value(steps: Steps, law: DriveLaw, time: Expr, name: str, what: str) -> Expr:
    """Name the value of a driven freedom at another time."""
    return steps.let(name, _expression(steps, law.value, name, what, time), f"value of {what} then")


def _expression(steps: Steps, formula: Expression, name: str, what: str, time: Expr | None = None) -> Expr:
    """Return a formula as an expression, at the time `t` if no other is given; results of functions are steps."""
    bound, now = dict(formula.bound), symbol("t") if time is None else time
    found: dict[int, Expr] = {}
    for number, node in enumerate(distinct_nodes(formula.root)):
        if isinstance(node, Number):
            found[id(node)] = exactly(node.value)
        elif isinstance(node, Name):
            found[id(node)] = exactly(bound[node.name]) if node.name in bound else now
        else:
            part = f"{name}_n{number}"
            arguments = [found[id(argument)] for argument in node.arguments]
            found[id(node)] = _operation(steps, node.operation, arguments, part, f"part of the law of {what}")
    return found[id(formula.root)]


def _operation(steps: Steps, operation: str, arguments: list[Expr], name: str, comment: str) -> Expr:
    if operation == "**":
        return _power(steps, arguments, name, comment)
    if operation in _ARITHMETIC:
        # named: a sum within a product would be spread by SymPy, and what other laws share is found again
        return steps.let(name, _ARITHMETIC[operation](*arguments), comment)
    if operation == "atan2":
        y, x = (steps.let(f"{name}_{end}", value, comment) for end, value in zip("yx", arguments, strict=True))
        return steps.let(name, atan2(y, x), comment)
    argument = steps.let(f"{name}_of", arguments[0], comment)
    return steps.let(name, elementary(operation, argument), comment)


def _power(steps: Steps, arguments: list[Expr], name: str, comment: str) -> Expr:
    base, exponent = (steps.let(f"{name}_{end}", value, comment) for end, value in zip("be", arguments, strict=True))
    if is_number(exponent):
        size = float_of(exponent)
        if size == int(size) and abs(size) <= _MOST_FACTORS:
            return steps.let(name, base ** int(size), comment)
        whole = math.floor(size)
        if size - whole == 0.5 and abs(whole) <= _MOST_FACTORS:  # so that rates of roots are roots
            root = steps.let(f"{name}_root", elementary("sqrt", base), comment)
            return steps.let(name, root * base**whole, comment)
    return steps.let(name, power(base, exponent), comment)
