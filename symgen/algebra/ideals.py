"""Identities under side conditions: normal forms in a polynomial ring modulo an ideal.

What is not rational becomes rational first: cosine and sine of an angle are two symbols whose squares add up to 1 (sums
and multiples of angles are written out before), a root is a symbol whose power is the radicand. With the side
conditions these relations generate an ideal, and a Groebner basis decides whether a numerator lies in it. If it does,
the identity holds wherever both sides have a value. If it does not, nothing is proved yet: a counterexample does that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import sympy
from sympy.polys.groebnertools import groebner

from symgen.algebra.expressions import Expr
from symgen.algebra.identities import _fraction

#: What an expression is under side conditions: zero, not shown to be zero, or without a value anywhere.
Finding = Literal["zero", "open", "undefined"]

#: Multiples of an angle that are written out.
_MOST_TURNS = 24
#: Polynomials of so many terms are factored to be shown.
_FEW_TERMS = 40
#: Digits at which exact numbers are told apart.
_DIGITS = 60


class Conditions:
    """What may be used: expressions that are zero, expressions that are not, symbols that are positive.

    Parameters
    ----------
    zeros, apart : expressions that equal zero; that do not.
    positive : names of symbols.
    """

    def __init__(self, zeros: Sequence[Expr], apart: Sequence[Expr] = (), positive: Sequence[str] = ()) -> None:
        self._zeros = [cast(sympy.Expr, each) for each in zeros]
        self._apart = [cast(sympy.Expr, each) for each in apart]
        self._positive = {_real(name): sympy.Symbol(name, positive=True) for name in positive}

    def finding(self, value: Expr, *, thorough: bool = False) -> Finding:
        """Tell whether an expression is zero wherever the conditions hold and it has a value.

        Parameters
        ----------
        thorough : ask, where its normal form is not zero, whether one of its powers' is: much dearer.

        Raises
        ------
        ValueError
            The conditions contradict each other.
        """
        given = [each.xreplace(self._positive) for each in (cast(sympy.Expr, value), *self._zeros, *self._apart)]
        rational = _Rational(given)
        parts = [rational.of(each) for each in given]
        parts += rational.relations()
        names = sorted({str(s.name) for part in parts for s in part.free_symbols})
        if not names:
            return _constant(parts[0])
        ring = sympy.polys.rings.ring(names, sympy.QQ, sympy.polys.orderings.grevlex)[0]
        seen: dict[Any, Any] = {}
        fractions = [_fraction(part, ring, seen) for part in parts]
        if fractions[0] is None:
            return "undefined"
        if None in fractions:
            raise ValueError("a side condition divides by zero")
        count = len(self._zeros)
        (above, below), conditions = fractions[0], fractions[1 : 1 + count]
        others, own = fractions[1 + count : 1 + count + len(self._apart)], fractions[1 + count + len(self._apart) :]
        ideal = [f[0] for f in (*conditions, *own) if f[0]]
        basis = groebner(ideal, ring) if ideal else []
        if any(part == 1 for part in basis):
            raise ValueError("the side conditions contradict each other")
        if basis and not below.rem(basis):
            return "undefined"
        if not (above.rem(basis) if basis else above):
            return "zero"
        apart = [f[0] for f in others] + [f[1] for f in (*conditions, *own)]
        return "zero" if thorough and basis and _is_in_radical(above, basis, apart, ring) else "open"

    def reduced(self, value: Expr) -> Expr:
        """Return a normal form of an expression; the expression itself where it is not rational in its symbols."""
        node = cast(sympy.Expr, value)
        if node.atoms(sympy.Function) or any(not each.exp.is_Integer for each in node.atoms(sympy.Pow)):
            return cast(Expr, sympy.factor_terms(node))
        names = sorted({str(s.name) for part in (node, *self._zeros) for s in part.free_symbols})
        if not names:
            return value
        ring = sympy.polys.rings.ring(names, sympy.QQ, sympy.polys.orderings.grevlex)[0]
        seen: dict[Any, Any] = {}
        fractions = [_fraction(part, ring, seen) for part in (node, *self._zeros)]
        if None in fractions:
            return value
        (above, below), *conditions = fractions
        basis = groebner([f[0] for f in conditions if f[0]], ring) if conditions else []
        rest = (above.rem(basis) if basis else above).as_expr() / below.as_expr()
        kept = {s: _real(str(s)) for s in rest.free_symbols}
        return cast(
            Expr, sympy.factor(rest.xreplace(kept)) if len(above.terms()) <= _FEW_TERMS else rest.xreplace(kept)
        )


def _is_in_radical(value: Any, basis: Sequence[Any], apart: Sequence[Any], ring: Any) -> bool:
    """Tell whether a power of a polynomial, times what is not zero, lies in an ideal (Rabinowitsch 1929)."""
    product = value
    for each in apart:
        product = product * each
    wider = sympy.polys.rings.ring([*map(str, ring.symbols), "@t"], sympy.QQ, sympy.polys.orderings.grevlex)[0]
    lifted = [part.set_ring(wider) for part in basis]
    return bool(groebner([*lifted, 1 - wider.gens[-1] * product.set_ring(wider)], wider) == [wider.one])


def _constant(value: Any) -> Finding:
    if value.has(sympy.zoo, sympy.nan, sympy.oo):
        return "undefined"
    return "zero" if value == 0 else "open"


class _Rational:
    """Makes expressions rational in symbols, some of which are new.

    Parameters
    ----------
    values : all expressions that will be asked for: what an angle is a multiple of has to suit all of them.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._made: dict[Any, Any] = {}
        self._bases: dict[Any, int] = {}
        self._circles: dict[Any, tuple[Any, Any]] = {}
        self._relations: list[Any] = []
        self._opaque: dict[Any, Any] = {}
        for value in values:
            for node in value.atoms(sympy.sin, sympy.cos, sympy.tan):
                for term, factor in _terms(node.args[0]):
                    self._bases[term] = int(sympy.ilcm(self._bases.get(term, 1), factor.q))

    def of(self, value: Any) -> Any:
        """Return a rational expression in old and new symbols."""
        return self._of(value.replace(sympy.tan, lambda u: sympy.sin(u) / sympy.cos(u)))

    def relations(self) -> list[Any]:
        """Return what is zero of the new symbols."""
        return [*self._relations, *(c * c + s * s - 1 for c, s in self._circles.values())]

    def _of(self, node: Any) -> Any:
        if node not in self._made:
            self._made[node] = self._new_of(node)
        return self._made[node]

    def _new_of(self, node: Any) -> Any:
        if isinstance(node, sympy.Symbol):
            return sympy.Symbol(node.name, real=True)
        if isinstance(node, sympy.Rational):
            return node
        if isinstance(node, (sympy.sin, sympy.cos)):
            turned = self._turn(node.args[0])
            if turned is not None:
                return turned[isinstance(node, sympy.sin)]
        if isinstance(node, sympy.Abs):
            return self._root(self._of(node.args[0]) ** 2, 2)
        if isinstance(node, sympy.Pow) and node.exp.is_Rational:
            base = self._of(node.base)
            return base**node.exp if node.exp.is_Integer else self._root(base, node.exp.q) ** node.exp.p
        if isinstance(node, (sympy.Add, sympy.Mul)):
            return node.func(*map(self._of, node.args))
        return self._opaque.setdefault(node, self._symbol())

    def _symbol(self) -> Any:
        return sympy.Symbol(f"@{len(self._circles)}_{len(self._relations)}_{len(self._opaque)}", real=True)

    def _root(self, radicand: Any, degree: int) -> Any:
        key = (radicand, degree)
        if key not in self._opaque:
            root = self._symbol()
            self._opaque[key] = root
            self._relations.append(root**degree - radicand)
        return self._opaque[key]

    def _turn(self, angle: Any) -> tuple[Any, Any] | None:
        """Return cosine and sine of a sum of multiples of angles; None if a multiple is too large."""
        cosine, sine = sympy.Integer(1), sympy.Integer(0)
        for term, factor in _terms(angle):
            if term not in self._circles:
                count = len(self._circles)
                self._circles[term] = sympy.symbols(f"@c{count} @s{count}", real=True)
            turns = int(factor * self._bases[term])
            if abs(turns) > _MOST_TURNS:
                return None
            c, s = self._circles[term]
            s = s if turns > 0 else -s
            for _ in range(abs(turns)):
                cosine, sine = sympy.expand(cosine * c - sine * s), sympy.expand(sine * c + cosine * s)
        return cosine, sine


def _terms(angle: Any) -> list[tuple[Any, Any]]:
    found = sympy.expand(angle).as_coefficients_dict()
    return [(term, found[term]) for term in _sorted(found)]


def _sorted(nodes: Any) -> list[Any]:
    return sorted(nodes, key=sympy.default_sort_key)


def _real(name: str) -> Any:
    return sympy.Symbol(name, real=True)


def at(value: Expr, numbers: Mapping[str, Expr]) -> Expr | None:
    """Return what an expression is for exact numbers; None where it, or a part of it, has no real value."""
    table = {_real(name): number for name, number in numbers.items()}
    for root in cast(Any, value).atoms(sympy.Pow):
        if not root.exp.is_Integer:
            radicand = root.base.xreplace(table)
            if radicand.is_number and (radicand.has(sympy.I) or sign_of(cast(Expr, radicand)) < 0):
                return None
    found = cast(Any, value).xreplace(table)
    if found.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        return None
    return cast(Expr, found)


def differs_from_zero(number: Expr) -> bool:
    """Tell whether an exact number is not zero; False may mean that it is not seen with 60 digits."""
    node = cast(Any, number)
    if isinstance(node, sympy.Rational):
        return bool(node != 0)
    size = sympy.Abs(node.evalf(_DIGITS))
    return bool(size.is_number and size > sympy.Rational(1, 10 ** (_DIGITS - 15)))


def sign_of(number: Expr) -> int:
    """Return -1, 0 or 1 for an exact real number; 0 also for one that 60 digits do not tell from zero."""
    if not differs_from_zero(number):
        return 0
    return 1 if cast(Any, number).evalf(_DIGITS) > 0 else -1


def part_of_turn(numerator: int, denominator: int) -> Expr:
    """Return an angle that is a part of a whole turn, exactly [rad]."""
    return cast(Expr, 2 * sympy.pi * sympy.Rational(numerator, denominator))


def sphere_of(value: Expr) -> tuple[str, ...] | None:
    """Return the names of symbols whose squares add up to 1 where an expression is zero; None if it says nothing so."""
    node = sympy.expand(cast(Any, value))
    names = sorted(str(s.name) for s in node.free_symbols)
    ball = sum((_real(name) ** 2 for name in names), sympy.Integer(-1))
    for factor in (1, -1):
        if len(names) > 1 and sympy.expand(node - factor * ball) == 0:
            return tuple(names)
    return None


def roots_of(value: Expr, name: str) -> tuple[Expr, ...]:
    """Return the real zeros of an expression in one symbol, exactly: of the first degree, or the second in radicals."""
    numerator = sympy.fraction(sympy.together(cast(Any, value)))[0]
    try:
        polynomial = sympy.Poly(numerator, _real(name))
    except sympy.PolynomialError:
        return ()
    if polynomial.degree() == 1:
        a, b = polynomial.all_coeffs()
        return (cast(Expr, -b / a),)
    if polynomial.degree() == 2:
        a, b, c = polynomial.all_coeffs()
        square = sympy.expand(b * b - 4 * a * c)
        if not square.is_number or sign_of(square) < 0:
            return ()
        root = sympy.sqrt(square)
        return tuple(cast(Expr, sympy.expand((-b + k * root) / (2 * a))) for k in (1, -1))
    return ()
