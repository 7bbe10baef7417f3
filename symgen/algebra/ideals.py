"""Identities under side conditions: normal forms in a polynomial ring modulo an ideal.

What is not rational becomes rational first: cosine and sine of an angle are two symbols whose squares add up to 1 (sums
and multiples of angles are written out before), a root is a symbol whose power is the radicand. With the side
conditions these relations generate an ideal, and a Groebner basis decides whether a numerator lies in it. If it does,
the identity holds wherever both sides have a value. If it does not, nothing is proved yet: a counterexample does that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import sympy
from sympy.polys.groebnertools import groebner

from symgen.algebra.expressions import Expr
from symgen.algebra.identities import as_fraction

#: What an expression is under side conditions: zero, not shown to be zero, or without a value anywhere.
Finding = Literal["zero", "open", "undefined"]

_INFINITE = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)
#: Multiples of an angle that are written out.
_MOST_TURNS = 24
#: Polynomials of so many terms are factored to be shown.
_FEW_TERMS = 40
#: Radicands of so many terms are factored, so that squares come out of the root.
_SHORT_RADICAND = 400
#: Digits at which exact numbers are told apart.
_DIGITS = 60


class ContradictionError(ValueError):
    """Side conditions contradict each other, or have no value."""


class Conditions:
    """What may be used: expressions that are zero, expressions that are not, symbols that are positive.

    Parameters
    ----------
    zeros, apart : expressions that equal zero; that do not.
    positive, not_negative : names of symbols.

    Raises
    ------
    ContradictionError
        No complex numbers satisfy them. Whether real ones do is not asked.
    """

    def __init__(
        self,
        zeros: Sequence[Expr],
        apart: Sequence[Expr] = (),
        positive: Sequence[str] = (),
        not_negative: Sequence[str] = (),
    ) -> None:
        self._zeros = [cast(sympy.Expr, each) for each in zeros]
        self._apart = [cast(sympy.Expr, each) for each in apart]
        self._signs = {_real(name): sympy.Symbol(name, nonnegative=True) for name in not_negative}
        self._signs |= {_real(name): sympy.Symbol(name, positive=True) for name in positive}
        if any(each.has(*_INFINITE) for each in (*self._zeros, *self._apart)):
            raise ContradictionError("a side condition divides by zero")
        self._normal = _Normal(self._zeros)
        if self._zeros or self._apart:
            asked = self._in_ring(cast(Expr, sympy.Integer(1)))
            if asked is None or _is_in_radical(asked.ring.one, asked.basis, asked.apart, asked.ring):
                raise ContradictionError("the side conditions contradict each other")

    def finding(self, value: Expr, *, thorough: bool = False) -> Finding:
        """Tell whether an expression is zero wherever the conditions hold and it has a value.

        Parameters
        ----------
        thorough : ask, where its normal form is not zero, whether one of its powers' is: much slower.
        """
        if cast(Any, value).has(*_INFINITE):
            return "undefined"
        asked = self._in_ring(value)
        if asked is None:
            return "undefined"
        basis, (above, below) = asked.basis, asked.value
        if basis and not below.rem(basis):
            return "undefined"
        if not (above.rem(basis) if basis else above):
            return "undefined" if basis and thorough and asked.vanishes(below) else "zero"
        if not thorough or not basis:
            return "open"
        if asked.vanishes(below):
            return "undefined"
        return "zero" if asked.vanishes(above) else "open"

    def _in_ring(self, value: Expr) -> _Asked | None:
        """Return an expression and the conditions as polynomials; None where it divides by zero."""
        given = [
            self._normal.of(self._with_signs(each)) if k == 0 else self._with_signs(each)
            for k, each in enumerate((cast(sympy.Expr, value), *self._zeros, *self._apart))
        ]
        rational = _Rational(given)
        parts = [rational.of(each) for each in given]
        parts += rational.relations()
        names = sorted({str(s.name) for part in parts for s in part.free_symbols}) or ["@none"]
        ring = sympy.polys.rings.ring(names, sympy.QQ, sympy.polys.orderings.grevlex)[0]
        seen: dict[Any, Any] = {}
        fractions = [as_fraction(part, ring, seen) for part in parts]
        if fractions[0] is None:
            return None
        if None in fractions:
            raise ContradictionError("a side condition divides by zero")
        count = len(self._zeros)
        conditions = fractions[1 : 1 + count]
        others, own = fractions[1 + count : 1 + count + len(self._apart)], fractions[1 + count + len(self._apart) :]
        ideal = [f[0] for f in (*conditions, *own) if f[0]]
        basis = groebner(ideal, ring) if ideal else []
        apart = [f[0] for f in others] + [f[1] for f in (*conditions, *own)]
        return _Asked(ring, fractions[0], basis, apart)

    def _with_signs(self, value: Any) -> Any:
        """Return an expression with what is known of signs, and with functions of numbers evaluated."""
        found = value.xreplace(self._signs)
        return found.xreplace({node: node.func(*node.args) for node in found.atoms(sympy.Function)})

    def reduced(self, value: Expr) -> Expr:
        """Return a normal form of an expression; the expression itself where it is not rational in its symbols."""
        node = cast(sympy.Expr, value)
        if node.atoms(sympy.Function) or any(not each.exp.is_Integer for each in node.atoms(sympy.Pow)):
            return cast(Expr, sympy.factor_terms(node))
        return cast(Expr, self._normal.of(node, whole=True))


@dataclass(frozen=True)
class _Asked:
    """A fraction in a polynomial ring, a Groebner basis of the conditions, and what is not zero."""

    ring: Any
    value: tuple[Any, Any]
    basis: Sequence[Any]
    apart: Sequence[Any]

    def vanishes(self, polynomial: Any) -> bool:
        """Tell whether a polynomial is zero wherever the conditions hold."""
        if polynomial.is_ground:
            return not polynomial
        return _is_in_radical(polynomial, self.basis, self.apart, self.ring)


class _Normal:
    """Normal forms modulo those conditions that are rational: of radicands and angles."""

    def __init__(self, zeros: Sequence[Any]) -> None:
        self._zeros = [each for each in zeros if not each.atoms(sympy.Function, sympy.Pow) - _powers(each)]
        self._names = {str(s.name) for each in self._zeros for s in each.free_symbols}

    def of(self, value: Any, *, whole: bool = False) -> Any:
        """Return an expression with normal forms in its roots and functions, or of the whole of it."""
        if whole:
            return self._form(value)
        if not self._zeros:
            return value
        table = {}
        for node in _sorted(value.atoms(sympy.Pow, sympy.Function)):
            inner = node.args[0]
            is_root = isinstance(node, sympy.Pow) and not node.exp.is_Integer
            if self._names.isdisjoint(str(s.name) for s in inner.free_symbols):
                continue  # as it is written it may show its sign
            if (is_root or isinstance(node, (sympy.sin, sympy.cos, sympy.tan))) and not _irrational(inner):
                table[node] = node.func(self._form(inner), *node.args[1:])
        return value.xreplace(table)

    def _form(self, node: Any) -> Any:
        names = sorted({str(s.name) for part in (node, *self._zeros) for s in part.free_symbols})
        if not names:
            return node
        ring = sympy.polys.rings.ring(names, sympy.QQ, sympy.polys.orderings.grevlex)[0]
        seen: dict[Any, Any] = {}
        fractions = [as_fraction(_plainly(part), ring, seen) for part in (node, *self._zeros)]
        if None in fractions:
            return node
        (above, below), *conditions = fractions
        basis = groebner([f[0] for f in conditions if f[0]], ring) if conditions else []
        parts = [(part.rem(basis) if basis else part) for part in (above, below)]
        if not parts[1]:
            return node
        known = {str(s.name): s for s in node.free_symbols}
        top, under = (p.as_expr().xreplace({s: known.get(str(s), _real(str(s))) for s in p.as_expr().free_symbols})
                      for p in parts)  # fmt: skip
        return sympy.factor(top / under) if len(above.terms()) <= _FEW_TERMS else top / under


def _powers(node: Any) -> set[Any]:
    return {each for each in node.atoms(sympy.Pow) if each.exp.is_Integer}


def _irrational(node: Any) -> bool:
    return bool(node.atoms(sympy.Function) or node.atoms(sympy.Pow) - _powers(node))


def _plainly(node: Any) -> Any:
    """Return an expression in plain real symbols."""
    return node.xreplace({s: _real(str(s.name)) for s in node.free_symbols})


def _is_in_radical(value: Any, basis: Sequence[Any], apart: Sequence[Any], ring: Any) -> bool:
    """Tell whether a power of a polynomial, times what is not zero, lies in an ideal (Rabinowitsch 1929)."""
    product = value
    for each in apart:
        product = product * each
    wider = sympy.polys.rings.ring([*map(str, ring.symbols), "@t"], sympy.QQ, sympy.polys.orderings.grevlex)[0]
    lifted = [part.set_ring(wider) for part in basis]
    return bool(groebner([*lifted, 1 - wider.gens[-1] * product.set_ring(wider)], wider) == [wider.one])


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
        self._not_negative: set[str] = set()
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
            if node.is_nonnegative:
                self._not_negative.add(node.name)
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
            outside, inside = self._out_of_root(radicand) if degree == 2 else (sympy.Integer(1), radicand)
            self._opaque[key] = outside if inside == 1 else outside * self._new_root(inside, degree)
        return self._opaque[key]

    def _out_of_root(self, radicand: Any) -> tuple[Any, Any]:
        """Return what comes out of a square root because it is a square, and what stays.

        So roots of one radicand are one root, however they are written: sqrt(a/b**2) is sqrt(a)/|b|, and |b| is b where
        the form of the radicand shows that b is not negative.
        """
        names = sorted(str(s.name) for s in radicand.free_symbols)
        ring = sympy.polys.rings.ring(names or ["@none"], sympy.QQ, sympy.polys.orderings.grevlex)[0]
        seen: dict[Any, Any] = {}
        fraction = as_fraction(radicand, ring, seen)
        if not names or fraction is None or not fraction[0] or sum(map(len, fraction)) > _SHORT_RADICAND:
            return sympy.Integer(1), radicand
        parts = [as_fraction(part, ring, seen) for part in self._parts_not_negative(radicand)]
        known = {part[0].monic() for part in parts if part is not None and part[1].is_ground and part[0].LC > 0}
        content, factors = _factored(*fraction)
        number = sympy.Rational(content.numerator, content.denominator)
        outside, inside = sympy.Integer(1) / number.q, ring.from_expr(sympy.Integer(1))
        root, left = sympy.sqrt(abs(number.p) * number.q).as_coeff_Mul()
        outside, stays = outside * root, left**2 * sympy.sign(number.p)
        for factor, count in factors:
            half, odd = divmod(count, 2)
            base = _plainly(factor.as_expr())
            outside *= base**half if factor in known or half % 2 == 0 else base ** (half - 1) * self._size(base)
            inside *= factor**odd
        return outside, _plainly(sympy.expand(stays * inside.as_expr()))

    def _size(self, value: Any) -> Any:
        """Return the absolute value, a symbol."""
        return self._new_root(sympy.expand(value**2), 2)

    def _new_root(self, inside: Any, degree: int) -> Any:
        key = (inside, degree, "as it is")
        if key not in self._opaque:
            root = self._symbol()
            self._not_negative.add(root.name)
            self._opaque[key] = root
            self._relations.append(root**degree - inside)
        return self._opaque[key]

    def _parts_not_negative(self, node: Any) -> list[Any]:
        """Return the parts of an expression of which its form shows that they are not negative."""
        return [part for part in sympy.preorder_traversal(node) if not part.is_number and self._shows(part)]

    def _shows(self, node: Any) -> bool:
        if isinstance(node, sympy.Symbol):
            return node.name in self._not_negative
        if isinstance(node, sympy.Pow):
            return bool(node.exp.is_Integer and node.exp.is_even) or self._shows(node.base)
        if isinstance(node, (sympy.Add, sympy.Mul)):
            return all(map(self._shows, node.args))
        return bool(node.is_number and node.is_nonnegative)

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


def _factored(above: Any, below: Any) -> tuple[Any, list[tuple[Any, int]]]:
    """Return a rational number and monic factors with their powers, negative below, of a fraction of polynomials."""
    content = above.ring.domain.one
    powers: dict[Any, int] = {}
    for sign, polynomial in ((1, above), (-1, below)):
        number, factors = polynomial.factor_list()
        content *= number**sign
        for factor, count in factors:
            content *= factor.LC ** (sign * count)
            powers[factor.monic()] = powers.get(factor.monic(), 0) + sign * count
    return content, [(factor, count) for factor, count in powers.items() if count]


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
    for node in cast(Any, value).atoms(sympy.Pow, sympy.asin, sympy.acos, sympy.log):
        is_root = isinstance(node, sympy.Pow)
        if not (is_root and node.exp.is_Integer) and not _has_value(node, node.args[0].xreplace(table)):
            return None
    found = cast(Any, value).xreplace(table)
    if found.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        return None
    return cast(Expr, found)


def _has_value(node: Any, argument: Any) -> bool:
    """Tell whether a root, arc function or logarithm has a real value for an argument; symbols are left alone."""
    if not argument.is_number:
        return True
    if argument.has(sympy.I, *_INFINITE):
        return False
    if isinstance(node, sympy.Pow):
        return sign_of(argument) >= 0
    if isinstance(node, sympy.log):
        return sign_of(argument) > 0
    return sign_of(1 - argument) >= 0 and sign_of(1 + argument) >= 0


def differs_from_zero(number: Expr) -> bool:
    """Tell whether an exact number is not zero; False may mean that it is not seen with 60 digits."""
    node = cast(Any, number)
    if isinstance(node, sympy.Rational):
        return bool(node != 0)
    once, twice = (node.evalf(digits) for digits in (_DIGITS, 2 * _DIGITS))
    if not (once.is_Float and twice.is_Float) or abs(twice) <= sympy.Float(10) ** -(_DIGITS - 15):
        return False
    # rounding is another number with more digits
    return bool(abs(once - twice) <= abs(twice) * sympy.Float(10) ** -10)


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
