"""What pairs transmit, as derived objects: columns of wrenches, and the twists that they leave free.

A wrench is [force, moment about the joint centre] on the second body, a twist [velocity of the joint centre, angular
velocity] of the second body relative to the first, in world axes. At a closed pair the two joint frames are one: p is
its orientation, z the axis of a turn, x the slot; of a U the first axis is z of the first frame and the second x of the
second. The wrenches are the rows of the velocity constraint of the second body, transposed; the twists are the pair's
own motions.

Source: M. Wojtyra, J. Fraczek 2013 (uniqueness from the constraint matrix); constraints as in
`symgen.derive.constraints.rows`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache, partial

from symgen.algebra import ONE, ZERO, Expr
from symgen.derive.constraints.pairs import make_rows
from symgen.derive.constraints.rows import RowBuilder
from symgen.derive.constraints.sides import Side
from symgen.derive.derived_object import DerivedObject, ObjectDerivation, Registry
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.dynamics.rotation_objects import AXES, orientation, unit_squares
from symgen.derive.vectors import Vector

#: Pairs, with the motions each leaves: a slide or turn along an axis; of H both together.
MOTIONS: dict[str, tuple[str, ...]] = {
    "R": ("turn_z",), "P": ("slide_z",), "C": ("slide_z", "turn_z"), "U": ("turn_z", "turn_x"),
    "S": ("turn_x", "turn_y", "turn_z"), "H": ("helix_z",), "PL": ("slide_x", "slide_y", "turn_z"),
    "L": ("slide_x", "turn_z"), "W": (),
}  # fmt: skip
_SOURCE = "constraint rows of pairs, transposed; M. Wojtyra, J. Fraczek 2013"
_STILL = Vector((ZERO, ZERO, ZERO))


@cache
def objects() -> Mapping[str, DerivedObject]:
    """Return wrenches and freedoms of every pair."""
    found: dict[str, Callable[[], DerivedObject]] = {}
    for pair, motions in MOTIONS.items():
        found[f"wrenches_{pair}"] = partial(_wrenches, pair)
        if motions:
            found[f"freedoms_{pair}"] = partial(_freedoms, pair)
    return Registry(found)


@cache
def _derived(pair: str) -> dict[str, DerivedObject]:
    d = ObjectDerivation(pair, f"pair {pair}: wrenches that it transmits, twists that it leaves", _SOURCE, pair)
    turn = orientation(d, "p", "orientation of the joint frames")
    axes = {name: turn.axis(name) for name in AXES}
    columns = _columns_of(d, pair, axes)
    pitch = d.promise("pitch") if pair == "H" else ZERO
    twists = [_motion(word, axes, pitch) for word in MOTIONS[pair]]
    squares = unit_squares(turn)
    sizes = [ONE] * len(columns)
    if pair == "H":
        sizes[-1] = ONE + pitch * pitch
    products = [_dot(one, two) - (sizes[j] if j == k else ZERO) for j, one in enumerate(columns)
                for k, two in enumerate(columns)]  # fmt: skip
    statement = "the wrenches are independent: normal to each other, of length 1, that of a helix of 1 + pitch^2"
    d.claim_identity("independent", statement, products, squares=squares)
    if twists:
        power = [_dot(wrench, twist) for wrench in columns for twist in twists]
        d.claim_identity("power", "no wrench works on a motion that is free", power, squares=squares)
    found = {
        "wrenches": _given(d, "wrenches", f"wrenches that a pair {pair} transmits: [F, M] by columns", columns, "1, m")
    }
    if twists:
        title = f"twists that a pair {pair} leaves free: [v, w] by columns"
        found["freedoms"] = _given(d, "freedoms", title, twists, "1, m")
    return found


def _wrenches(pair: str) -> DerivedObject:
    return _derived(pair)["wrenches"]


def _freedoms(pair: str) -> DerivedObject:
    return _derived(pair)["freedoms"]


def _columns_of(d: ObjectDerivation, pair: str, axes: Mapping[str, Vector]) -> list[tuple[Expr, ...]]:
    """Return the rows of the second body where both frames are one, about the joint centre."""
    second = dict(axes)
    sides = [Side(d, 1, _STILL, _STILL, _STILL, dict(axes)), Side(d, 2, _STILL, _STILL, _STILL, second)]
    made = RowBuilder(d, *sides)
    if pair == "W":
        rows = (*make_rows(d, made, "spatial", "R", rates=False).rows, made.turn("x", "y"))
    else:
        rows = make_rows(d, made, "spatial", pair, rates=False).rows
    return [row.two for row in rows]


def _motion(word: str, axes: Mapping[str, Vector], pitch: Expr) -> tuple[Expr, ...]:
    kind, _, name = word.partition("_")
    axis = axes[name]
    if kind == "slide":
        return (*axis, *_STILL)
    return (*(axis * pitch if kind == "helix" else _STILL), *axis)


def _dot(one: tuple[Expr, ...], two: tuple[Expr, ...]) -> Expr:
    total = ZERO
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return total


def _given(d: ObjectDerivation, kind: str, title: str, columns: list[tuple[Expr, ...]], unit: str) -> DerivedObject:
    rows = Matrix(tuple(tuple(column) for column in columns)).transposed
    found = d.give_one_of(f"{kind}_{d.name}", kind, rows, unit)
    return dataclasses.replace(found, title=title)
