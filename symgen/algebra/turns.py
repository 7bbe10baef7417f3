"""Quaternions that are others turned about one of their own axes: q = p (c + s e), with the half angle's c and s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr
from symgen.algebra.vector_forms import product_of_quaternions

_UNITS = ((0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


@dataclass(frozen=True)
class OwnTurn:
    """A turn by `angle` about axis number `axis` of the frame that the quaternion `before` turns.

    `half_cosine` is the name of the cosine of half the angle.
    """

    before: tuple[Expr, ...]
    axis: int
    angle: Expr
    half_cosine: str


def own_turn_of(quaternion: Sequence[Expr], value_of: Callable[[Expr], Expr]) -> OwnTurn | None:
    """Return how a quaternion comes from another one by a turn, None if it does not.

    Parameters
    ----------
    quaternion : its components, numbers or names.
    value_of : name -> what it was given, itself if it was given nothing.
    """
    named = {symbol: _of_function(value_of(symbol)) for symbol in _symbols(quaternion, value_of)}
    for cosine, (kind, angle) in named.items():
        if kind is not sympy.cos:
            continue
        sine = next((each for each, found in named.items() if found == (sympy.sin, angle)), None)
        if sine is None:
            continue
        found = [_parts(_written(each, value_of, (cosine, sine)), cosine, sine) for each in quaternion]
        if any(each is None for each in found):
            continue
        before = tuple(each[0] for each in found if each is not None)
        turned = tuple(each[1] for each in found if each is not None)
        if not all(isinstance(each, (sympy.Symbol, sympy.Rational)) for each in before):
            continue
        for axis, unit in enumerate(_UNITS):
            if product_of_quaternions(before, unit) == turned:
                return OwnTurn(cast(tuple[Expr, ...], before), axis, cast(Expr, 2 * angle), str(cosine.name))
    return None


def _symbols(quaternion: Sequence[Expr], value_of: Callable[[Expr], Expr]) -> list[Any]:
    """Return the names that components are, and those that they are made of, in order."""
    found: dict[Any, None] = {}
    for component in quaternion:
        for each in (component, value_of(component)):
            found |= dict.fromkeys(sorted(cast(Any, each).free_symbols, key=str))
    return list(found)


def _of_function(value: Any) -> tuple[Any, Any]:
    return (value.func, value.args[0]) if isinstance(value, (sympy.cos, sympy.sin)) else (None, None)


def _written(component: Any, value_of: Callable[[Expr], Expr], turn: tuple[Any, Any]) -> Any:
    return component if component in turn else value_of(component)


def _parts(value: Any, cosine: Any, sine: Any) -> tuple[Any, Any] | None:
    """Return (p, q) of p cosine + q sine, None if there is anything else."""
    p: list[Any] = []
    q: list[Any] = []
    for term in sympy.Add.make_args(value):
        if term == 0:
            continue
        factors = sympy.Mul.make_args(term)
        if (cosine in factors) == (sine in factors):
            return None
        own = cosine if cosine in factors else sine
        (p if own is cosine else q).append(sympy.Mul(*(each for each in factors if each != own)))
    return sympy.Add(*p), sympy.Add(*q)
