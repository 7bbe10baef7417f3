"""Ranges enclose what is computed, in double and in float; checks that fixed geometry decides are not made."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.whole_modules import Whole

from symgen.algebra import Expr, absolute, cos, exactly, not_below_zero, sin, sqrt, symbol
from symgen.model.mechanism import Mechanism
from symgen.status import Status
from symgen.whole.ranges import Range, range_of


def _four_bar(crank: float) -> Mechanism:
    """A ground of 4 with a crank, a coupler of 3 and a rocker of 2.5, drawn where the crank points up."""
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "bodies": {"crank": {}, "coupler": {"points": {"P": [1.0, 1.0]}}, "rocker": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
            "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0, crank]},
            "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": _cut((0.0, crank), 3.0, (4.0, 0.0), 2.5)},
            "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [4, 0]},
        },
        "drives": {"A": "t"},
    }
    return Mechanism.from_dict(tree)


def _cut(p: tuple[float, float], r: float, q: tuple[float, float], s: float) -> list[float]:
    d = math.dist(p, q)
    along = (d * d + r * r - s * s) / (2 * d)
    up = math.sqrt(r * r - along * along)
    e = ((q[0] - p[0]) / d, (q[1] - p[1]) / d)
    return [p[0] + along * e[0] - up * e[1], p[1] + along * e[1] + up * e[0]]


def _whole(crank: float, folder: Path) -> Whole:
    return Whole(folder, _four_bar(crank), "four_bar", drives="inputs", results=("points",))


def test_a_crank_that_turns_fully_is_not_asked_whether_it_reaches(tmp_path: Path) -> None:
    """Grashof: 1 + 4 < 3 + 2.5, so no position is out of reach or folded; 2 + 4 > 3 + 2.5, and some are."""
    turns, rocks = _whole(1.0, tmp_path / "turns"), _whole(2.0, tmp_path / "rocks")
    (one,), (other,) = (
        [set(f["statuses"]) for f in each.manifest["functions"] if f["name"] == "position"] for each in (turns, rocks)
    )
    assert one == {"OK", "BAD_INPUT"}
    assert {"OK", "BAD_INPUT", "NO_ASSEMBLY", "SINGULAR"} <= other
    angles = np.linspace(0.0, 2 * math.pi, 721)[:, None]
    assert (turns.numpy("position", u=angles)["status"] == Status.OK).all()
    statuses = set(rocks.numpy("position", u=angles)["status"].tolist())
    assert {int(Status.OK), int(Status.NO_ASSEMBLY)} <= statuses


@pytest.mark.extension
def test_without_checks_what_is_no_number_is_bad_input_still(tmp_path: Path) -> None:
    wrong = np.array([[math.nan], [math.inf], [-math.inf], [0.5]])
    whole = _whole(1.0, tmp_path)
    wanted = [Status.BAD_INPUT] * 3 + [Status.OK]
    assert whole.numpy("position", u=wrong)["status"].tolist() == wanted
    for precision in ("double", "float"):
        found = whole.c("position", 4, precision, u=wrong)
        assert found["status"].tolist() == wanted
        assert np.isnan(found["points"][:3]).all()


def _random_step(rng: random.Random, names: list[str]) -> Expr:
    one, other = (symbol(rng.choice(names)) for _ in range(2))
    number = exactly(round(rng.uniform(-3, 3), 3))
    return rng.choice(
        [
            one + other,
            one - number * other,
            one * other,
            one * one,
            number * one * other + number,
            cos(one),
            sin(other) * one,
            absolute(one) + other * other,
            not_below_zero(one),
            sqrt(one * one + exactly(0.5)),
            one / (other * other + exactly(0.25)),
        ]
    )


def _computed(value: Expr, at: dict[str, Any], real: type[np.floating[Any]]) -> Any:
    """Compute an expression in a precision, one rounding an operation, by its text."""
    scope = {
        "cos": lambda x: real(np.cos(x)),
        "sin": lambda x: real(np.sin(x)),
        "sqrt": lambda x: real(np.sqrt(x)),
        "Abs": abs,
        "positive_part": lambda x: max(x, real(0)),
        "Rational": lambda p, q: real(p) / real(q),
    }
    kind, arguments = type(value).__name__, value.args  # type: ignore[attr-defined]
    if not arguments:
        return at[str(value)] if str(value) in at else real(float(value))  # type: ignore[arg-type]
    parts = [_computed(part, at, real) for part in arguments]
    if kind == "Add":
        total = parts[0]
        for part in parts[1:]:
            total = real(total + part)
        return total
    if kind == "Mul":
        product = parts[0]
        for part in parts[1:]:
            product = real(product * part)
        return product
    if kind == "Pow":
        return real(parts[0] ** parts[1])
    return scope[kind](*parts)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(60))
def test_ranges_enclose_what_is_computed(seed: int) -> None:
    rng = random.Random(seed)
    names = ["u1", "u2"]
    ranges: dict[str, Range] = {}
    values = []
    for k in range(12):
        value = cos(symbol(names[k])) if k < 2 else _random_step(rng, names)
        name = f"x{k}"
        found = range_of(value, ranges)
        if found is not None:
            ranges[name] = found
        values.append((name, value))
        names.append(name)
    assert len(ranges) >= 2
    for real in (np.float64, np.float32):
        for _ in range(50):
            at: dict[str, Any] = {"u1": real(rng.uniform(-9, 9)), "u2": real(rng.uniform(-9, 9))}
            for name, value in values:
                at[name] = _computed(value, at, real)
                if name in ranges:
                    assert ranges[name][0] <= at[name] <= ranges[name][1], (name, str(value), real)


def test_nothing_is_said_of_what_may_be_anything() -> None:
    u, c = symbol("u"), symbol("c")
    assert range_of(u + exactly(1.0), {}) is None
    assert range_of(exactly(1.0) / c, {"c": (-1.0, 1.0)}) is None
    assert range_of(sqrt(c), {"c": (-1.0, 1.0)}) is None
    assert range_of(c * c * c, {"c": (0.0, 1e9)}) is None
    low, high = range_of(c * c, {"c": (-2.0, 1.0)}) or (math.nan, math.nan)
    assert low == pytest.approx(0.0, abs=1e-4)
    assert high == pytest.approx(4.0, rel=1e-5)
