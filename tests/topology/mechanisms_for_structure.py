"""Mechanisms for the tests of the structural analysis: from the reference tables, and at random."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.model.pairs import PAIR_TYPES

DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True)
class PlainJoint:
    """What the structural analysis reads of a joint."""

    id: str
    type: str
    bodies: tuple[str, str]
    driven: int = 0
    multiple: str | None = None
    driven_freedoms: tuple[str, ...] | None = None

    @property
    def pair(self):
        return PAIR_TYPES[self.type]

    @property
    def grade(self) -> int:
        return PAIR_TYPES[self.type].grade


@dataclass(frozen=True)
class PlainMechanism:
    """What the structural analysis reads of a mechanism; any body names."""

    space: str
    body_ids: tuple[str, ...]
    joints: tuple[PlainJoint, ...]
    name: str = "plain"
    multiple_joints: tuple[object, ...] = ()


Pair = tuple[int, int, str, int]  # body, body, type, driven; bodies count from 1, 1 is the frame


def plain(space: str, bodies: int, pairs: Iterable[Pair]) -> PlainMechanism:
    """Return a mechanism whose bodies are called by their numbers and joints j1, j2, ..."""
    joints = tuple(
        PlainJoint(f"j{number}", kind, (str(first), str(second)), driven)
        for number, (first, second, kind, driven) in enumerate(pairs, start=1)
    )
    return PlainMechanism(space, tuple(str(body) for body in range(1, bodies + 1)), joints)


def reference(name: str) -> dict[str, Any]:
    """Return one of the paper's examples."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def reference_mechanism(data: dict[str, Any], case: dict[str, Any]) -> PlainMechanism:
    """Return the mechanism of a reference file with the inputs of one of its cases."""
    driven = {tuple(sorted(entry["bodies"])): entry["dofs"] for entry in case["driven"]}
    pairs = [(*pair["bodies"], pair["type"], driven.get(tuple(sorted(pair["bodies"])), 0)) for pair in data["pairs"]]
    return plain("planar" if data["B"] == 3 else "spatial", data["bodies"], pairs)


def random_mechanism(seed: int, *, most: int = 5, balanced: bool = True) -> PlainMechanism:
    """Return a small random mechanism; if balanced, one whose total count agrees."""
    draw = random.Random(seed)
    space = draw.choice(["planar", "spatial"])
    freedoms = 3 if space == "planar" else 6
    codes = ["R", "P", "L", "FP"] if space == "planar" else ["R", "P", "H", "C", "ER", "U", "S", "PL", "SC", "SP", "F"]
    while True:
        bodies = draw.randint(2, most + 1)
        places = [(i, j) for j in range(2, bodies + 1) for i in range(1, j)]
        draw.shuffle(places)
        pairs: list[Pair] = []
        units = 0
        for i, j in places:
            code = draw.choice(codes)
            grade = PAIR_TYPES[code].grade
            driven = draw.choice([0, 0, 0, min(1, grade), draw.randint(0, grade)])
            if units + freedoms - grade + driven > freedoms * (bodies - 1):
                continue
            units += freedoms - grade + driven
            pairs.append((i, j, code, driven))
        if not balanced or units == freedoms * (bodies - 1):
            return plain(space, bodies, pairs)


def relabel(mechanism: PlainMechanism, order: Sequence[int]) -> PlainMechanism:
    """Return the same mechanism with its moving bodies listed in another order (names keep)."""
    moving = mechanism.body_ids[1:]
    return PlainMechanism(
        mechanism.space, (mechanism.body_ids[0], *(moving[k] for k in order)), mechanism.joints, mechanism.name
    )
