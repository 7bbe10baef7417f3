"""Proof of polynomial identities, in a polynomial ring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr


def vanishes(value: Expr, where: Mapping[str, Expr]) -> bool:
    """Prove that a polynomial identity holds, given squares of symbols.

    Parameters
    ----------
    value : the difference of both sides, rational in its symbols.
    where : name of a symbol -> what its square equals (for example a sign: 1).

    Returns
    -------
    bool
        True if the numerator reduces to the zero polynomial modulo the given squares.
    """
    polynomial = _as_polynomial(value, where)
    if polynomial is not None:
        return not polynomial
    numerator = _numerator(value)
    for name, square in where.items():  # a later square may serve an earlier one's replacement
        root = sympy.Symbol(name, real=True)
        terms = sympy.Poly(numerator, root).terms()
        numerator = _numerator(sum((c * square ** (n // 2) * root ** (n % 2) for (n,), c in terms), sympy.Integer(0)))
    return bool(numerator == 0)


def _numerator(value: Any) -> Any:
    return sympy.expand(sympy.fraction(sympy.together(value))[0])


def _as_polynomial(value: Expr, where: Mapping[str, Expr]) -> Any:
    """Return the numerator, reduced modulo the squares, as a sparse polynomial; None if a part is not rational.

    Sums and products are carried out one by one in a polynomial ring: far quicker than expanding the whole.
    """
    parts = [cast(sympy.Expr, part) for part in (value, *where.values())]
    names = sorted({str(s.name) for part in parts for s in part.free_symbols} | set(where))
    if not names:
        return None
    ring = sympy.polys.rings.ring(names, sympy.QQ)[0]
    seen: dict[Any, Any] = {}
    found, *squares = (as_fraction(part, ring, seen) for part in parts)
    if found is None or None in squares:
        return None
    numerator = found[0]
    for name, (above, below) in zip(where, squares, strict=True):
        numerator = _reduced(numerator, names.index(name), above, below)
    return numerator


def _reduced(polynomial: Any, place: int, above: Any, below: Any) -> Any:
    """Replace the square of a generator by above/below; the result is the numerator."""
    most = max((powers[place] for powers in polynomial.keys()), default=0) // 2  # noqa: SIM118 - a polynomial, no dict
    if most == 0:
        return polynomial
    by_power = [polynomial.ring.zero for _ in range(most + 1)]
    for powers, coefficient in polynomial.terms():
        left = (*powers[:place], powers[place] % 2, *powers[place + 1 :])
        by_power[powers[place] // 2][left] = coefficient
    total = polynomial.ring.zero
    for k, part in enumerate(by_power):
        for factor, power in ((above, k), (below, most - k)):
            if power:  # the ring knows no 0**0
                part = part * factor**power
        total = total + part
    return total


def as_fraction(node: Any, ring: Any, seen: dict[Any, Any]) -> Any:
    """Return numerator and denominator of a rational expression in a ring; None if it is not rational."""
    if node not in seen:
        seen[node] = _new_fraction(node, ring, seen)
    return seen[node]


def _new_fraction(node: Any, ring: Any, seen: dict[Any, Any]) -> Any:
    if isinstance(node, sympy.Symbol):
        return ring.gens[[str(s) for s in ring.symbols].index(str(node.name))], ring.one
    if isinstance(node, sympy.Rational):
        return ring.one * sympy.QQ(int(node.p), int(node.q)), ring.one
    if isinstance(node, sympy.Pow) and node.exp.is_Integer:
        base = as_fraction(node.base, ring, seen)
        if base is None or (not base[0] and node.exp < 0):
            return None
        above, below = base if node.exp > 0 else (base[1], base[0])
        return above ** abs(int(node.exp)), below ** abs(int(node.exp))
    if not isinstance(node, (sympy.Add, sympy.Mul)):
        return None
    total = (ring.zero, ring.one) if isinstance(node, sympy.Add) else (ring.one, ring.one)
    for part in node.args:
        fraction = as_fraction(part, ring, seen)
        if fraction is None:
            return None
        total = _product(total, fraction) if isinstance(node, sympy.Mul) else _sum(total, fraction)
    return total


def _product(one: tuple[Any, Any], two: tuple[Any, Any]) -> tuple[Any, Any]:
    return one[0] * two[0], one[1] * two[1]


def _sum(one: tuple[Any, Any], two: tuple[Any, Any]) -> tuple[Any, Any]:
    (a, b), (c, e) = one, two
    return (a + c, b) if b == e else (a * e + c * b, b * e)
