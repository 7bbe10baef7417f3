"""A smooth motion one step behind a place where its rates have no digits: weights of what is before it.

The polynomial of degree 8 through values, rates and second derivatives at -3, -2 and -1 gives the same three at 1.

Source: Ch. Hermite 1878, "Sur la formule d'interpolation de Lagrange".
"""

from __future__ import annotations

from math import perm

from symgen.algebra import Expr, number, solve_linear, symbol

_SAMPLES, _ORDERS = (-3, -2, -1), (0, 1, 2)


def extrapolation_weights() -> tuple[tuple[tuple[Expr, ...], ...], ...]:
    """Return the weights, whole numbers: of each derivative at 1, of each sample, of each derivative there."""
    given = [(at, order) for at in _SAMPLES for order in _ORDERS]
    names = [f"w{k}" for k in range(len(given))]
    found = []
    for wanted in _ORDERS:
        equations = []
        for degree in range(len(given)):  # what is right for every power of t is right for every polynomial
            terms = [symbol(name) * _derivative(degree, *each) for name, each in zip(names, given, strict=True)]
            equations.append(sum(terms, number(-_derivative(degree, 1, wanted))))
        weights = solve_linear(equations, names)
        found.append(tuple(tuple(weights[3 * k : 3 * k + 3]) for k in range(len(_SAMPLES))))
    return tuple(found)


def _derivative(degree: int, at: int, order: int) -> int:
    """Return a derivative of t^degree."""
    return perm(degree, order) * at ** (degree - order) if degree >= order else 0
