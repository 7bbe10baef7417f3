"""Linkages for the structural benchmarks, by number: body 0 is the frame. Same seed, same linkage.

The ASSUR cases of Celdran, Saura, Dopico 2022, Table 16, are described there but not
published: a crank and n Assur groups of class k (I: 2 bodies, II: 4, III: 6), the first
joined to crank and frame, every further one to bodies drawn at random; B: the input sits
between the two last bodies instead of on the crank. The seeds here are the first for which number
and size of the groups are those of the paper.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from symgen.model.mechanism import Mechanism

Pair = tuple[int, int, str, int]  # body, body, type, driven freedoms


@dataclass(frozen=True)
class Linkage:
    name: str
    space: Literal["planar", "spatial"]
    bodies: int
    pairs: tuple[Pair, ...]

    def mechanism(self) -> Mechanism:
        """Return it as read from a file: bodies b1, b2, ..., joints j1, j2, ...; no geometry."""
        tree = {
            "schema": "symgen/mechanism/1",
            "name": self.name,
            "space": self.space,
            "bodies": {f"b{body}": {} for body in range(1, self.bodies)},
            "joints": {
                f"j{number}": {"type": kind, "bodies": [f"b{i}" if i else "ground", f"b{j}"], "driven": driven}
                for number, (i, j, kind, driven) in enumerate(self.pairs, start=1)
            },
        }
        return Mechanism.from_dict(tree)

    def columns(self) -> tuple[str, int, list[int], list[int], list[str], list[int]]:
        """Return the arguments of `analyse_pairs`."""
        first, second, kinds, driven = (list(column) for column in zip(*self.pairs, strict=True))
        return self.space, self.bodies, first, second, kinds, driven


# Assur groups: bodies; pairs inside, by number; bodies with a pair to the outside.
_CLASSES: dict[str, tuple[int, tuple[tuple[int, int], ...], tuple[int, ...]]] = {
    "I": (2, ((0, 1),), (0, 1)),
    "II": (4, ((0, 3), (1, 3), (2, 3)), (0, 1, 2)),
    "III": (6, ((0, 4), (1, 4), (2, 5), (3, 5), (4, 5)), (0, 1, 2, 3)),
}


def assur(kind: str, groups: int, seed: int, *, input_last: bool = False) -> Linkage:
    """Return an ASSUR linkage: crank (body 1) and groups of one class."""
    size, inner, outer = _CLASSES[kind]
    draw = random.Random(seed)
    pairs: list[Pair] = [(0, 1, "R", int(not input_last))]
    base = 2
    for number in range(groups):
        ends = [1, *[0] * (len(outer) - 1)] if number == 0 else _ends(draw, base, len(outer))
        pairs += [(end, base + body, "R", 0) for end, body in zip(ends, outer, strict=True)]
        pairs += [(base + i, base + j, "R", 0) for i, j in inner]
        base += size
    if input_last:
        i, j, _, _ = pairs[-1]
        pairs[-1] = (i, j, "R", 1)
    return Linkage(f"ASSUR {kind}-{groups}{'B' if input_last else ''}", "planar", base, tuple(pairs))


def _ends(draw: random.Random, bodies: int, count: int) -> list[int]:
    """Draw different bodies while there are enough."""
    if count > bodies:
        return [draw.randrange(bodies) for _ in range(count)]
    chosen: dict[int, None] = {}
    while len(chosen) < count:
        chosen[draw.randrange(bodies)] = None
    return list(chosen)


@dataclass(frozen=True)
class Case:
    """A row of Table 16: what the paper found (None: not solved), in which time, and the seed that reproduces it."""

    kind: str
    groups: int
    input_last: bool
    found: int | None
    seconds: float | None
    largest: int
    seed: int

    def linkage(self) -> Linkage:
        return assur(self.kind, self.groups, self.seed, input_last=self.input_last)


#: The ASSUR rows of Table 16; seconds of the spatial program (the planar one solved fewer).
TABLE_16 = (
    Case("I", 2, False, 3, 0.9049, 2, 1),
    Case("I", 4, False, 5, 0.92285, 2, 1),
    Case("I", 8, False, 9, 0.98798, 2, 1),
    Case("I", 2, True, 2, 0.84546, 3, 1),
    Case("I", 4, True, 3, 0.92714, 5, 5),
    Case("I", 8, True, 3, 4.65035, 13, 2),
    Case("II", 2, False, 3, 0.91421, 4, 1),
    Case("II", 4, False, 5, 1.16003, 4, 1),
    Case("II", 8, False, 9, 2.33128, 4, 1),
    Case("II", 2, True, 1, 0.9084, 9, 1),
    Case("II", 4, True, 2, 5.3938, 13, 4),
    Case("II", 8, True, None, None, 33, 17),
    Case("III", 2, False, 3, 1.04206, 6, 1),
    Case("III", 4, False, 5, 5.22487, 6, 1),
    Case("III", 2, True, 1, 1.39049, 13, 1),
    Case("III", 4, True, 1, 70940.31, 25, 1),
)


def shuffled(linkage: Linkage, seed: int = 1) -> Linkage:
    """Return the same linkage with bodies renumbered and pairs reordered at random."""
    draw = random.Random(seed)
    number = [0, *draw.sample(range(1, linkage.bodies), linkage.bodies - 1)]
    pairs = [(number[i], number[j], kind, driven) for i, j, kind, driven in linkage.pairs]
    draw.shuffle(pairs)
    return Linkage(linkage.name, linkage.space, linkage.bodies, tuple(pairs))


def ladder(bodies: int, *, input_last: bool = False) -> Linkage:
    """Return a crank and dyads in a row, each from the dyad before to the frame; input_last makes it one group."""
    pairs: list[Pair] = [(0, 1, "R", int(not input_last))]
    for base in range(2, bodies - 1, 2):
        final = base + 3 >= bodies
        before = base - 2 if base > 2 else 1
        pairs += [(before, base, "R", 0), (base, base + 1, "R", int(input_last and final)), (0, base + 1, "R", 0)]
    return Linkage("ladder", "planar", 2 + 2 * ((bodies - 2) // 2), tuple(pairs))


def stewart_stacks(bodies: int, height: int = 5) -> Linkage:
    """Return Stewart platforms (6 legs S-P-U, P driven) stacked `height` high, each stack on the frame."""
    pairs: list[Pair] = []
    platforms = max(1, (bodies - 1) // 13)
    for number in range(platforms):
        base = 0 if number % height == 0 else 13 * number
        lower, top = 13 * number + 1, 13 * number + 13
        for leg in range(lower, top, 2):
            pairs += [(base, leg, "S", 0), (leg, leg + 1, "P", 1), (leg + 1, top, "U", 0)]
    return Linkage("stewart stacks", "spatial", 13 * platforms + 1, tuple(pairs))


FAMILIES: dict[str, Callable[[int], Linkage]] = {
    "random dyads": lambda bodies: assur("I", (bodies - 2) // 2, 1),
    "ladder, shuffled": lambda bodies: shuffled(ladder(bodies)),
    "one giant group, shuffled": lambda bodies: shuffled(ladder(bodies, input_last=True)),
    "random triads, shuffled": lambda bodies: shuffled(assur("II", (bodies - 2) // 4, 1)),
    "Stewart platforms, stacks of 5, shuffled": lambda bodies: shuffled(stewart_stacks(bodies)),
}
