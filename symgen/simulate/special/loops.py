"""Loops of the special engines as tables: at which bodies of the tree a loop is open, and which one closes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array

Integers = NDArray[np.int64]
_GROUND, _HERE, _NEITHER = -1, -2, -1


@dataclass(frozen=True)
class SpecialLoop:
    """A joint besides those of the tree: where its ends are.

    Parameters
    ----------
    bodies : first and second body, -1 for the ground.
    points : (3,) each, from the centres of mass in the axes of the bodies, on the ground in the world [m].
    """

    bodies: tuple[int, int]
    points: tuple[Array, Array]


@dataclass(frozen=True)
class Strand:
    """A loop at a body that carries one of its ends, or both: then it closes there.

    Parameters
    ----------
    source : of each end: number of the strand at a body carried by this one; -2: the end is here; -1: neither.
    input : body of that strand, else -1.
    """

    loop: int
    source: tuple[int, int]
    input: tuple[int, int]
    closes: bool


@dataclass(frozen=True)
class Strands:
    """All strands, body by body, and those of the ground behind them; `first` (n + 2,) says where each body's begin."""

    strands: tuple[Strand, ...]
    first: Integers


def make_strands(parent: Integers, loops: Sequence[SpecialLoop]) -> Strands:
    """Return the strands of loops on a tree in postorder (-1: the ground, which counts as body n).

    Raises
    ------
    ValueError
        Both ends of a loop are on one body.
    """
    count = len(parent)
    at: list[list[tuple[int, bool]]] = [[] for _ in range(count + 1)]
    for number, loop in enumerate(loops):
        ways = [_way_down(parent, count if body == _GROUND else body) for body in loop.bodies]
        if ways[0][0] == ways[1][0]:
            raise ValueError(f"loop {number}: both ends are on body {loop.bodies[0]}")
        common = min(set(ways[0]) & set(ways[1]))
        for body in sorted({body for way in ways for body in way if body <= common}):
            at[body].append((number, body == common))
    indices: dict[tuple[int, int], int] = {}
    strands: list[Strand] = []
    first = [0]
    for body, here in enumerate(at):
        for number, closes in sorted(here, key=lambda each: (not each[1], each[0])):
            sources = [_source(parent, indices, number, end, body, count) for end in _ends(loops[number], count)]
            indices[body, number] = len(strands)
            source, inputs = (_two([each[k] for each in sources]) for k in (0, 1))
            strands.append(Strand(number, source, inputs, closes))
        first.append(len(strands))
    return Strands(tuple(strands), np.array(first, dtype=np.int64))


def _two(values: list[int]) -> tuple[int, int]:
    return values[0], values[1]


def _ends(loop: SpecialLoop, count: int) -> list[int]:
    return [count if body == _GROUND else body for body in loop.bodies]


def _way_down(parent: Integers, body: int) -> list[int]:
    """Return a body and all that carry it, the ground last."""
    count, way = len(parent), [body]
    while way[-1] != count:
        carrier = int(parent[way[-1]])
        way.append(count if carrier == _GROUND else carrier)
    return way


def _source(
    parent: Integers, indices: dict[tuple[int, int], int], loop: int, end: int, body: int, ground: int
) -> tuple[int, int]:
    """Return where the column of an end comes from at a body: strand and body, or that it is here, or does not."""
    if end == body:
        return (_NEITHER, -1) if body == ground else (_HERE, -1)  # the ground does not move
    before = end
    while before != ground:
        carrier = int(parent[before])
        carrier = ground if carrier == _GROUND else carrier
        if carrier == body:
            return indices[before, loop], before
        before = carrier
    return _NEITHER, -1
