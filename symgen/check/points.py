"""Exact points at which side conditions hold: simple ones first, then random fractions, always the same."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symgen.algebra import Expr, at, differs_from_zero, part_of_turn, ratio, roots_of, sign_of, sphere_of, symbol_names

#: How many points are tried of the simplest kind, of the next, and altogether.
_SIMPLEST, _SIMPLE, MOST = 16, 60, 200
#: Parts of a turn that are tried where a condition is about angles.
_PARTS = 24


@dataclass(frozen=True)
class Relations:
    """Side conditions: what is zero, what is not, which symbols are positive.

    `domain` are arguments of functions, and divisors, with the function's name or "/": where formulas have a value.
    """

    zeros: tuple[Expr, ...] = ()
    apart: tuple[Expr, ...] = ()
    positive: tuple[str, ...] = ()
    domain: tuple[tuple[str, Expr], ...] = ()

    def hold(self, point: Mapping[str, Expr]) -> bool:
        """Tell whether all of them hold at a point."""
        for value in self.zeros:
            found = at(value, point)
            if found is None or differs_from_zero(found):
                return False
        for value in self.apart:
            found = at(value, point)
            if found is None or not differs_from_zero(found):
                return False
        if not all(sign_of(point[name]) > 0 for name in self.positive if name in point):
            return False
        return all(_is_within(name, at(value, point)) for name, value in self.domain)

    @property
    def names(self) -> set[str]:
        """The names of all symbols in them."""
        parts = (*self.zeros, *self.apart, *(value for _, value in self.domain))
        return {*self.positive, *(name for value in parts for name in symbol_names(value))}


def _is_within(function: str, argument: Expr | None) -> bool:
    """Tell whether a function has a real value, or a divisor is not zero."""
    if argument is None:
        return False
    if function == "sqrt":
        return sign_of(argument) >= 0
    if function == "log":
        return sign_of(argument) > 0
    if function in ("asin", "acos"):
        return sign_of(argument + 1) >= 0 and sign_of(argument - 1) <= 0
    return function != "/" or differs_from_zero(argument)


def points(names: Sequence[str], relations: Relations, *, plain: bool = False) -> Iterator[dict[str, Expr]]:
    """Yield points at which side conditions hold.

    Parameters
    ----------
    names : of all symbols.
    plain : leave the simple ones out, at which formulas agree by chance.
    """
    rng = random.Random(20_260)  # noqa: S311 - reproducible points, not secrets
    wanted = sorted({*names, *relations.names})
    for trial in range(_SIMPLE if plain else 0, MOST):
        point = _PointSearch(relations, rng, trial).point(wanted)
        if point is not None and relations.hold(point):
            yield point


class _PointSearch:
    """One try at a point."""

    def __init__(self, relations: Relations, rng: random.Random, trial: int) -> None:
        self._relations, self._rng, self._trial = relations, rng, trial
        self._found: dict[str, Expr] = {}

    def point(self, names: Sequence[str]) -> dict[str, Expr] | None:
        for value in self._relations.zeros:
            if not self._settle(value):
                return None
        for name in names:
            self._choose(name)
        return self._found

    def _settle(self, value: Expr) -> bool:
        """Choose symbols so that a condition holds."""
        ball = sphere_of(value)
        if ball is not None and not any(name in self._found for name in ball):
            self._found.update(zip(ball, self._on_sphere(len(ball)), strict=True))
            return True
        left = [name for name in symbol_names(value) if name not in self._found]
        for last in self._rng.sample(left, len(left)):
            others = {name: self._number(name) for name in left if name != last}
            here = at(value, {**self._found, **others})
            roots = () if here is None else roots_of(here, last)
            if roots:
                self._found.update(others)
                self._found[last] = self._rng.choice(roots)
                return True
            angle = None if here is None else self._angle(here, last)
            if angle is not None:
                self._found.update(others)
                self._found[last] = angle
                return True
        return not left

    def _angle(self, value: Expr, name: str) -> Expr | None:
        """Return a part of a turn at which a condition with sines or cosines holds."""
        for k in self._rng.sample(range(_PARTS), _PARTS):
            angle = part_of_turn(k, _PARTS)
            found = at(value, {name: angle})
            if found is not None and not differs_from_zero(found):
                return angle
        return None

    def _choose(self, name: str) -> None:
        if name not in self._found:
            self._found[name] = self._number(name)

    def _number(self, name: str) -> Expr:
        if self._trial < _SIMPLEST:
            value = Fraction(self._rng.choice((0, 1)))
        elif self._trial < _SIMPLE:
            value = Fraction(self._rng.choice((-1, 0, 1, 2, 3)))
        else:
            value = Fraction(self._rng.randint(-9, 9), self._rng.randint(1, 7))
        if name in self._relations.positive:
            value = abs(value) or Fraction(1)
        return _exact(value)

    def _on_sphere(self, size: int) -> list[Expr]:
        """Return a point of a unit sphere with rational coordinates."""
        if self._trial < _SIMPLEST:
            simple = [Fraction(0)] * size
            simple[self._rng.randrange(size)] = Fraction(1)
            if size == 4 and self._trial % 4 == 3:
                simple = [Fraction(1, 2)] * 4
            return list(map(_exact, simple))
        most = 2 if self._trial < _SIMPLE else 5
        flat = [Fraction(self._rng.randint(-most, most)) for _ in range(size - 1)]
        square = sum((x * x for x in flat), Fraction(0))
        sphere = [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in flat)]
        self._rng.shuffle(sphere)
        return list(map(_exact, sphere))


def _exact(value: Fraction) -> Expr:
    return ratio(value.numerator, value.denominator)
