"""Identities that are true by construction modulo random side conditions hold, and one slip in them is found out."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy

from symgen.check.claims import Claim, claims_of
from symgen.check.examine import examine

LETTERS = ("x", "y", "z", "u", "v")
SYMBOLS = dict(zip(LETTERS, sympy.symbols(LETTERS), strict=True))


def _polynomial(rng: random.Random, names: tuple[str, ...], terms: int, degree: int) -> sympy.Expr:
    found = sympy.Integer(0)
    for _ in range(terms):
        term = sympy.Rational(rng.choice((-3, -2, -1, 1, 2, 3)), rng.choice((1, 1, 2)))
        for _ in range(rng.randint(0, degree)):
            term *= SYMBOLS[rng.choice(names)]
        found += term
    return found


def _claim(left: sympy.Expr, right: sympy.Expr, conditions: list[sympy.Expr]) -> Claim:
    row = {
        "id": "one", "printed": str(left), "equals": str(right), "letters": {name: [] for name in LETTERS},
        "given": [f"{condition} = 0" for condition in conditions],
    }  # fmt: skip
    return claims_of({"schema": "symgen/claims/1", "claim": [row]}, "claims.toml").claims[0]


def _case(seed: int) -> tuple[sympy.Expr, sympy.Expr, list[sympy.Expr], dict[sympy.Symbol, sympy.Expr]]:
    """Both sides, conditions and a point on them: z follows from x and y, u and v lie on a circle."""
    rng = random.Random(seed)
    follows = _polynomial(rng, ("x", "y"), 3, 2)
    size = rng.choice((1, 4, sympy.Rational(9, 4)))
    graph, circle = SYMBOLS["z"] - follows, SYMBOLS["u"] ** 2 + SYMBOLS["v"] ** 2 - size
    # other generators of the same ideal: what has to be found is hidden
    conditions = [graph, circle + _polynomial(rng, LETTERS, 2, 1) * graph]
    left = _polynomial(rng, LETTERS, 5, 3)
    right = sum((_polynomial(rng, LETTERS, 3, 2) * each for each in (graph, circle)), left)
    t, x, y = (sympy.Rational(Fraction(rng.randint(-7, 7), rng.randint(1, 5))) for _ in range(3))
    point = {SYMBOLS["x"]: x, SYMBOLS["y"]: y, SYMBOLS["z"]: follows.subs({"x": x, "y": y})}
    radius = sympy.sqrt(size)
    point |= {SYMBOLS["u"]: radius * (1 - t**2) / (1 + t**2), SYMBOLS["v"]: radius * 2 * t / (1 + t**2)}
    return left, sympy.expand(right), [sympy.expand(each) for each in conditions], point


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(60))
def test_what_is_true_by_construction_holds_and_a_slip_fails(seed: int) -> None:
    left, right, conditions, point = _case(seed)
    assert all(each.subs(point) == 0 for each in conditions)
    assert examine(_claim(left, right, conditions)).verdict == "holds"
    rng = random.Random(1000 + seed)
    terms = sympy.Add.make_args(right)
    slip = rng.choice(terms) * rng.choice((-2, -1, sympy.Rational(-1, 2), 1))
    if slip.subs(point) == 0:
        slip = sympy.Integer(1)
    assert (left - right - slip).subs(point) != 0  # by substitution alone: it is wrong there
    assert examine(_claim(left, right + slip, conditions)).verdict == "fails"
