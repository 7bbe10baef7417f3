"""Shapes of expressions: what passes and emitters look for in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr, branch_sign, positive_part, real_power


def angle_parts(value: Expr) -> tuple[Expr, Expr] | None:
    """Return (y, x) of an expression atan2(y, x), else None."""
    node = cast(Any, value)
    return (node.args[0], node.args[1]) if isinstance(node, sympy.atan2) else None


def names_of_directions(value: Expr) -> frozenset[str]:
    """Return the names that stand below an atan2 in an expression."""
    below = cast(Any, value).atoms(sympy.atan2)
    return frozenset(str(name) for node in below for name in node.free_symbols)


def angles_in(value: Expr) -> tuple[Expr, ...]:
    """Return what sines, cosines and tangents are taken of in an expression, in a fixed order."""
    turns = sorted(cast(Any, value).atoms(sympy.sin, sympy.cos, sympy.tan), key=sympy.default_sort_key)
    return tuple(dict.fromkeys(cast(Expr, turn.args[0]) for turn in turns))


def machine_functions_in(value: Expr) -> tuple[str, ...]:
    """Return the functions of ``<math.h>`` in an expression that are neither exact nor made of sine and atan2."""
    found = cast(Any, value).atoms(sympy.exp, sympy.log, real_power)
    return tuple(sorted({"pow" if isinstance(node, real_power) else str(node.func) for node in found}))


def sum_of_angles(value: Expr) -> tuple[dict[str, float], float] | None:
    """Return symbol -> factor of a sum of symbols times numbers, and what numbers and arctangents add at most.

    None of anything else.
    """
    found: dict[str, float] = {}
    beside = 0.0
    node = cast(Any, value)
    for term in node.args if isinstance(node, sympy.Add) else (node,):
        factor, rest = (term, sympy.S.One) if term.is_number else term.as_coeff_Mul()
        if isinstance(rest, sympy.Symbol):
            found[str(rest.name)] = found.get(str(rest.name), 0.0) + float(factor)
        elif rest == 1 or isinstance(rest, sympy.atan2):
            beside += abs(float(factor)) * (1.0 if rest == 1 else math.pi)
        else:
            return None
    return dict(sorted(found.items())), beside


def turned_length2(y: Expr, x: Expr) -> Expr | None:
    """Return a^2 + b^2 of x = a u + b v, y = a v - b u with numbers a, b and symbols u, v; None of anything else."""
    first, second = (_linear(cast(Any, value)) for value in (x, y))
    if first is None or second is None or len({*first, *second}) != 2:
        return None
    u, v = sorted({*first, *second})
    for p, q in ((u, v), (v, u)):
        a, b = first.get(p, 0), first.get(q, 0)
        if second.get(q, 0) == a and second.get(p, 0) == -b:
            return cast(Expr, a * a + b * b)
    return None


def turned_vectors(y: Expr, x: Expr) -> tuple[tuple[Expr, Expr], ...]:
    """Return (a, b) and (u, v) of x = a u + b v, y = a v - b u of four symbols; nothing of anything else."""
    along, across = (sorted(_products(cast(Any, value)), key=lambda term: term[0]) for value in (x, y))
    if [factor for factor, _ in along] != [1, 1] or [factor for factor, _ in across] != [-1, 1]:
        return ()
    (_, first), (_, second) = along
    (_, minus), (_, plus) = across
    shared = [one & other for one, other in ((first, plus), (second, minus), (first, minus), (second, plus))]
    if any(len(names) != 1 for names in shared) or len(set().union(*shared)) != 4:
        return ()
    a, b, u, v = (next(iter(names)) for names in shared)
    return (a, b), (u, v)


def _products(node: Any) -> list[tuple[int, frozenset[Any]]]:
    """Return 1 or -1 and both symbols of each summand of a sum of products of two symbols; nothing of anything else."""
    found: list[tuple[int, frozenset[Any]]] = []
    for term in node.args if isinstance(node, sympy.Add) else ():
        factor, rest = term.as_coeff_Mul()
        symbols = rest.args if isinstance(rest, sympy.Mul) else ()
        if abs(factor) != 1 or len(symbols) != 2 or not all(isinstance(each, sympy.Symbol) for each in symbols):
            return []
        found.append((int(factor), frozenset(symbols)))
    return found if len(found) == 2 else []


def _linear(node: Any) -> dict[str, Any] | None:
    """Return symbol -> number of a sum of symbols times numbers."""
    found: dict[str, Any] = {}
    for term in node.args if isinstance(node, sympy.Add) else (node,):
        factor, rest = term.as_coeff_Mul()
        if not isinstance(rest, sympy.Symbol):
            return None
        found[str(rest.name)] = factor
    return found


def difference(value: Expr) -> tuple[str, Expr] | None:
    """Return (x, y) of an expression x - y of two symbols, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Add) and len(node.args) == 2:
        first, second = sorted(node.args, key=lambda part: not isinstance(part, sympy.Symbol))
        if isinstance(first, sympy.Symbol) and isinstance(-second, sympy.Symbol):
            return str(first.name), cast(Expr, -second)
    return None


def other_summand(total: Expr, part: Expr) -> Expr | None:
    """Return y of a sum part + y of two symbols, else None."""
    node = cast(Any, total)
    if isinstance(node, sympy.Add) and len(node.args) == 2 and part in node.args:
        (other,) = (each for each in node.args if each != part)
        return cast(Expr, other) if isinstance(other, sympy.Symbol) else None
    return None


def operation(value: Expr) -> tuple[str, tuple[Expr, ...]]:
    """Return what an expression does, such as "add", "mul", "pow", "cos" or the name of our own functions, to what."""
    node = cast(Any, value)
    return type(node).__name__.lower(), tuple(node.args)


def opposite(value: Expr) -> Expr | None:
    """Return x of an expression -x that is one product, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Mul) and node.args[0].is_Rational and node.args[0] < 0:
        return cast(Expr, -node)
    return None


def without_positive_parts(value: Expr, is_positive: Callable[[Expr], bool]) -> Expr:
    """Put x in the place of max(x, 0) wherever x is positive."""
    node = cast(Any, value)
    if not node.args:
        return value
    parts = [without_positive_parts(part, is_positive) for part in node.args]
    if isinstance(node, positive_part) and is_positive(parts[0]):
        return parts[0]
    return value if list(node.args) == parts else cast(Expr, node.func(*parts))


def is_sum_of_squares(value: Expr) -> bool:
    """Tell whether an expression is a sum of squares of symbols or of such sums, times positive numbers."""
    return all(_is_square(term) for term in sympy.Add.make_args(cast(Any, value)))


def _is_square(term: Any) -> bool:
    factor, rest = term.as_coeff_Mul()
    return bool(factor > 0) and isinstance(rest, sympy.Pow) and rest.exp.is_Integer and bool(rest.exp % 2 == 0)


def summands(value: Expr) -> tuple[str, str] | None:
    """Return the names of x and y of an expression x + y of two symbols, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Add) and len(node.args) == 2 and all(isinstance(a, sympy.Symbol) for a in node.args):
        first, second = sorted(str(a.name) for a in node.args)
        return first, second
    return None


def turn_of(value: Expr) -> tuple[str, str] | None:
    """Return ("cos" or "sin", name) of the cosine or sine of a symbol, else None."""
    node = cast(Any, value)
    if isinstance(node, (sympy.sin, sympy.cos)) and isinstance(node.args[0], sympy.Symbol):
        return ("sin" if isinstance(node, sympy.sin) else "cos"), str(node.args[0].name)
    return None


def shows(value: Expr) -> tuple[str, ...]:
    """Return the names of symbols whose NaN or infinity makes the expression NaN or infinite: those in its sums,
    products, sines and cosines, sorted.
    """
    found: set[str] = set()
    stack: list[Any] = [cast(Any, value)]
    while stack:
        node = stack.pop()
        if isinstance(node, sympy.Symbol):
            found.add(str(node.name))
        elif isinstance(node, (sympy.Add, sympy.Mul, sympy.sin, sympy.cos)):
            stack += node.args
        elif isinstance(node, sympy.Pow) and (node.exp.is_positive):
            stack.append(node.base)
    return tuple(sorted(found))


def inverted(value: Expr) -> str | None:
    """Return the name of x of an expression 1/x of a symbol, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Pow) and node.exp == -1 and isinstance(node.base, sympy.Symbol):
        return str(node.base.name)
    return None


def size_of_symbol(value: Expr) -> str | None:
    """Return the name of x of an expression |x| of a symbol, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Abs) and isinstance(node.args[0], sympy.Symbol):
        return str(node.args[0].name)
    return None


def sign_and_root(value: Expr) -> tuple[str, Expr] | None:
    """Return (s, sqrt(y)) of an expression s sqrt(y) with a symbol s, else None."""
    node = cast(Any, value)
    if isinstance(node, sympy.Mul) and len(node.args) == 2:
        sign, root = sorted(node.args, key=lambda part: not isinstance(part, sympy.Symbol))
        if isinstance(sign, sympy.Symbol) and isinstance(root, sympy.Pow) and root.exp == sympy.Rational(1, 2):
            return str(sign.name), cast(Expr, root)
    return None


def is_branch_sign(value: Expr) -> bool:
    """Tell whether an expression is the sign that a bit of the branch index stands for."""
    return isinstance(value, branch_sign)
