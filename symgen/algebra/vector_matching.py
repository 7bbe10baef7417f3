"""Find vectors in expressions in components, by matching their terms: what is found is equal, term by term.

A number in which u_x v_x + u_y v_y + u_z v_z occurs becomes one with u . v; components that together are a sum of
vectors times equal numbers, of vector products, of axes and products of quaternions become that vector expression.
Terms are matched as they stand, nothing is expanded: what only looks alike is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr
from symgen.algebra.vector_forms import (
    Components,
    VectorName,
    axis_of_quaternion,
    planar_area,
    planar_rotation,
    product_of_quaternions,
    quarter_turn,
    quaternion_axis,
    quaternion_inverse,
    quaternion_product,
    vector_along,
    vector_cross,
    vector_dot,
)


class VectorMatcher:
    """Matches expressions against the vectors of a routine.

    Parameters
    ----------
    known : the vectors; more may be added with `learn`.
    """

    def __init__(self, known: Components) -> None:
        self._known: dict[str, tuple[Any, ...]] = {}
        self._place: dict[Any, tuple[str, int]] = {}
        self._next: dict[int, dict[Any, Any]] = {2: {}, 3: {}, 4: {}}
        for name, components in known.items():
            self.learn(name, components)

    def learn(self, name: str, components: Sequence[Expr]) -> None:
        """Add a vector."""
        self._known[name] = tuple(components)
        for axis, component in enumerate(components):
            self._place[component] = (name, axis)
            self._next[len(components)][component] = components[(axis + 1) % len(components)]

    def number(self, value: Expr) -> Expr:
        """Return a number with products of vectors in place of sums of products."""
        return cast(Expr, self._number(value))

    def vector(self, values: Sequence[Expr]) -> Expr | None:
        """Return the vector expression whose components the values are, if one is found."""
        found = self._of_quaternions(tuple(values))
        if found is None:
            found = self._lift(tuple(self._number(value) for value in values))
        return cast(Expr | None, found)

    # -- numbers -------------------------------------------------------------------------------------------------

    def _number(self, node: Any) -> Any:
        if not node.args or not any(symbol in self._place for symbol in node.free_symbols):
            return node
        parts = [self._number(part) for part in node.args]
        if isinstance(node, sympy.Add):
            return sympy.Add(*self._with_products(parts))
        return node.func(*parts)

    def _with_products(self, terms: list[Any]) -> list[Any]:
        """Replace terms that together are a product of two vectors."""
        left = dict.fromkeys(terms)
        found = []
        for term in terms:
            if term not in left:
                continue
            for taken, product in self._products(term):
                if all(each in left for each in taken) and len(set(taken)) == len(taken):
                    for each in taken:
                        del left[each]
                    found.append(product())
                    break
        return [*left, *found]

    def _products(self, term: Any) -> Iterable[tuple[list[Any], Callable[[], Any]]]:
        factors = _factors(term)
        for i, p in enumerate(factors):
            for j in range(i + 1, len(factors)):
                q = factors[j]
                rest = sympy.Mul(*(f for k, f in enumerate(factors) if k not in (i, j)))
                for size in (4, 3, 2):
                    yield from self._products_of(p, q, rest, size)

    def _products_of(self, p: Any, q: Any, rest: Any, size: int) -> Iterable[tuple[list[Any], Callable[[], Any]]]:
        if self._axis(p, size) is None:  # such as a component of a vector product
            p, q = q, p
        us, vs = self._turned(p, size), self._turned(q, size)
        if us is None or vs is None or self._axis(p, size) != 0:
            return
        if self._axis(q, size) in (0, None):
            u, v = self._lift(us), self._lift(vs)
            if u is not None and v is not None:
                terms = [sympy.Mul(rest, a, b) for a, b in zip(us, vs, strict=True)]
                yield terms, lambda: rest * vector_dot(*sorted((u, v), key=str))
        elif size == 2:
            v0 = (vs[1], vs[0])
            u, v = self._lift(us), self._lift(v0)
            if u is not None and v is not None:
                yield [sympy.Mul(rest, us[0], v0[1]), -sympy.Mul(rest, us[1], v0[0])], lambda: _area(rest, u, v)

    def _axis(self, node: Any, size: int) -> int | None:
        """Return the axis that all components of vectors of that size in an expression have."""
        if node in self._place:
            return self._place[node][1]
        axes = {self._place[s][1] for s in node.free_symbols if s in self._next[size]}
        return next(iter(axes)) if len(axes) == 1 else None

    def _turned(self, node: Any, size: int) -> tuple[Any, ...] | None:
        """Return an expression and those with the next axes in its place; nothing if it has no axis."""
        step = self._next[size]
        if not isinstance(node, (sympy.Symbol, sympy.Add, sympy.Mul)):
            return None
        found = [node]
        for _ in range(size - 1):
            found.append(found[-1].xreplace(step))
        return None if found[1] == node else tuple(found)

    # -- vectors -------------------------------------------------------------------------------------------------

    def _lift(self, values: tuple[Any, ...]) -> Any:
        if all(value in self._place for value in values):
            places = [self._place[value] for value in values]
            name = places[0][0]
            if places == [(name, axis) for axis in range(len(values))] and len(self._known[name]) == len(values):
                return VectorName(name, real=True)
            return None
        terms = [list(sympy.Add.make_args(value)) for value in values]
        if len({len(each) for each in terms}) > 1 or any(value.is_number for value in values):
            return None
        open_terms = [dict.fromkeys(each) for each in terms]
        found: list[tuple[Any, Any]] = []
        for term in sorted(terms[0], key=sympy.default_sort_key):
            if term not in open_terms[0]:
                continue
            part = self._linear(term, open_terms) or self._crossed(term, open_terms)
            if part is None:
                return None
            found.append(part)
        if any(open_terms):
            return None
        return sympy.Add(*self._along(found, len(values)))

    def _linear(self, term: Any, open_terms: list[dict[Any, None]]) -> tuple[Any, Any] | None:
        """Take a vector times a number out of the terms."""
        factors = _factors(term)
        for index, factor in enumerate(factors):
            if factor.is_number or isinstance(factor, sympy.Pow):
                continue
            rest = sympy.Mul(*(f for k, f in enumerate(factors) if k != index))
            for matched in self._like(factor, rest, open_terms):
                ones = [sympy.Mul(rest, value) for value in matched]
                vector = self._lift(matched) if _all_in(ones, open_terms) else None
                if vector is not None:
                    for each, one in zip(open_terms, ones, strict=True):
                        del each[one]
                    return rest, vector
        return None

    def _like(self, factor: Any, rest: Any, open_terms: list[dict[Any, None]]) -> Iterable[tuple[Any, ...]]:
        """Return what may be the components of the vector whose first is `factor`, as the terms have them."""
        if factor in self._place:
            name, axis = self._place[factor]
            own = self._known[name]
            if axis == 0 and len(own) == len(open_terms):
                yield own
            return
        if not isinstance(factor, sympy.Add):
            return
        columns = []
        for each in open_terms[1:]:
            candidates = []
            for other in each:
                factors = _factors(other)
                for k, value in enumerate(factors):
                    others = sympy.Mul(*(f for m, f in enumerate(factors) if m != k))
                    if isinstance(value, sympy.Add) and others == rest:
                        candidates.append(value)
            columns.append(candidates)
        if len(columns) == 1:
            yield from ((factor, second) for second in columns[0])
        elif len(columns) == 2:
            yield from ((factor, second, third) for second in columns[0] for third in columns[1])

    def _crossed(self, term: Any, open_terms: list[dict[Any, None]]) -> tuple[Any, Any] | None:
        """Take a vector product, or a planar vector turned, times a number out of the terms."""
        size, factors = len(open_terms), _factors(term)
        if size == 2:
            for index, factor in enumerate(factors):
                pair = self._turned(factor, 2)
                rest = -sympy.Mul(*(f for k, f in enumerate(factors) if k != index))
                if pair is None or sympy.Mul(rest, pair[1]) not in open_terms[1]:
                    continue
                vector = self._lift((pair[1], factor))
                if vector is not None:
                    del open_terms[0][term]
                    del open_terms[1][sympy.Mul(rest, pair[1])]
                    return rest, quarter_turn(vector)
            return None
        if size != 3:
            return None
        for i, j in permutations(range(len(factors)), 2):
            second, third = self._turned(factors[i], 3), self._turned(factors[j], 3)
            if second is None or third is None:
                continue
            u = (second[2], second[0], second[1])
            v = (third[1], third[2], third[0])
            rest = sympy.Mul(*(f for k, f in enumerate(factors) if k not in (i, j)))
            wanted = [
                [sympy.Mul(rest, u[(k + 1) % 3], v[(k + 2) % 3]), -sympy.Mul(rest, u[(k + 2) % 3], v[(k + 1) % 3])]
                for k in range(3)
            ]
            if not all(one in each for each, ones in zip(open_terms, wanted, strict=True) for one in ones):
                continue
            a, b = self._lift(u), self._lift(v)
            if a is not None and b is not None:
                for each, ones in zip(open_terms, wanted, strict=True):
                    for one in ones:
                        del each[one]
                return (-rest, vector_cross(b, a)) if rest.could_extract_minus_sign() else (rest, vector_cross(a, b))
        return None

    def _along(self, found: list[tuple[Any, Any]], size: int) -> list[Any]:
        """Put vectors together whose factors are the components of one vector."""
        parts = list(found)
        for factor, _ in found:
            name = self._place.get(factor, ("", -1))[0]
            local = self._known.get(name, ())
            if len(local) != size:
                continue
            axes = [next((v for f, v in parts if f == component), None) for component in local]
            if all(axis is not None for axis in axes):
                parts = [(f, v) for f, v in parts if f not in local]
                parts.append((sympy.Integer(1), vector_along(VectorName(name, real=True), *axes)))
        return [f * v for f, v in _rotated(parts)]

    # -- quaternions ---------------------------------------------------------------------------------------------

    def _of_quaternions(self, values: tuple[Any, ...]) -> Any:
        """Return the axis or the product of quaternions that the values are."""
        names = {self._place[s][0] for value in values for s in value.free_symbols if s in self._place}
        rotations = [(n, VectorName(n, real=True)) for n in sorted(names) if len(self._known[n]) == 4]
        if len(names) == 1 and len(rotations) == 1 and len(values) == 3:
            q, word = rotations[0]
            return next(
                (quaternion_axis(word, k) for k in range(3) if axis_of_quaternion(self._known[q], k) == values), None
            )
        if len(names) == 2 and len(rotations) == 2 and len(values) == 4:
            for (p, a), (q, b) in permutations(rotations, 2):
                for first, x in ((self._known[p], a), (_inverse(self._known[p]), quaternion_inverse(a))):
                    for second, y in ((self._known[q], b), (_inverse(self._known[q]), quaternion_inverse(b))):
                        if product_of_quaternions(first, second) == values:
                            return quaternion_product(x, y)
        return None


def _area(factor: Any, u: Any, v: Any) -> Any:
    return -factor * planar_area(v, u) if factor.could_extract_minus_sign() else factor * planar_area(u, v)


def _rotated(parts: Sequence[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Put a vector and the same one turned by a quarter turn together, each times a number."""
    found = list(parts)
    for cosine, vector in parts:
        sine = next((f for f, v in found if v == quarter_turn(vector)), None)
        if sine is None or cosine.is_number or sine.is_number or (cosine, vector) not in found:
            continue
        found = [(f, v) for f, v in found if (f, v) not in ((cosine, vector), (sine, quarter_turn(vector)))]
        found.append((sympy.Integer(1), planar_rotation(vector, cosine, sine)))
    return found


def _all_in(ones: Sequence[Any], open_terms: Sequence[dict[Any, None]]) -> bool:
    return all(one in each for one, each in zip(ones, open_terms, strict=True))


def _inverse(q: tuple[Any, ...]) -> tuple[Any, ...]:
    return q[0], -q[1], -q[2], -q[3]


def _factors(term: Any) -> list[Any]:
    """Return the factors of a term; a square is one factor twice."""
    found: list[Any] = []
    for factor in sympy.Mul.make_args(term):
        if isinstance(factor, sympy.Pow) and factor.exp == 2:
            found += [factor.base, factor.base]
        else:
            found.append(factor)
    return found
