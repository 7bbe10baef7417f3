"""What a transformation answers: frozen records, and the JSON document symgen/transformations/1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symgen.topology.structure import Finding
from symgen.topology.transformations.database import SCHEMA

Method = Literal["enumeration", "search"]


@dataclass(frozen=True, slots=True)
class RankedChoice:
    """A choice of inputs and what it makes of the mechanism.

    Attributes
    ----------
    number : place in the order, from 1; None if it is no part of it.
    inputs : joint -> number of driven freedoms, in the order of the file.
    alike : number of choices that a symmetry of the mechanism makes of this one, itself counted.
    groups, largest, levels : number of structural groups, bodies of the largest, levels.
    regular : the inputs fix every body for almost every geometry.
    signatures : of the groups, in solving order.
    unsolved : signatures the library does not solve, each once; None if no library was at hand.
    solved : number of groups the library solves; None if no library was at hand.
    is_current : these are the inputs the mechanism has.
    """

    number: int | None
    inputs: Mapping[str, int] = field(hash=False)
    alike: int
    groups: int
    largest: int
    levels: int
    regular: bool
    signatures: tuple[str, ...]
    unsolved: tuple[str, ...] | None
    solved: int | None
    is_current: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as JSON data."""
        return {
            "number": self.number,
            "inputs": dict(self.inputs),
            "alike": self.alike,
            "groups": self.groups,
            "largest": self.largest,
            "levels": self.levels,
            "solved": self.solved,
            "regular": self.regular,
            "current": self.is_current,
            "signatures": list(self.signatures),
            "unsolved": None if self.unsolved is None else list(self.unsolved),
        }


@dataclass(frozen=True, slots=True)
class Transformations:
    """The choices of inputs of a mechanism, ranked.

    Attributes
    ----------
    mechanism : its name.
    space : "spatial" or "planar".
    inputs : number of freedoms to drive.
    vectors : number of ways to drive so many freedoms within the preferences, valid or not.
    method : ``enumeration``: all valid choices were looked at; ``search``: local optima of an exchange search, not
        proved to be the best.
    valid : number of choices looked at that satisfy the preferences; those that pass test L1.
    regular : how many of them are regular.
    classes : number of classes under the symmetries of the mechanism, among those ranked.
    ranked : number of choices ranked.
    by : the objectives, the first one first.
    best : number of choices as good as the first.
    reason : in words why there is no choice to rank; None if there is one.
    narrowed : preferences narrow a stored run further; `classes` and `alike` are then under the symmetries of that
        run, which the preferences may break.
    current : the inputs the mechanism has; None if they do not determine it.
    choices : the first ones in the order, one of each class.
    """

    mechanism: str
    space: str
    inputs: int
    vectors: int
    method: Method
    valid: int
    regular: int
    classes: int
    ranked: int
    by: tuple[str, ...]
    best: int
    current: RankedChoice | None
    choices: tuple[RankedChoice, ...]
    reason: str | None = None
    narrowed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/transformations/1 as JSON data."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism,
            "space": self.space,
            "inputs": self.inputs,
            "vectors": self.vectors,
            "method": self.method,
            "status": "found" if self.choices else "none",
            "reason": self.reason,
            "narrowed": self.narrowed,
            "proved": self.method == "enumeration",
            "valid": self.valid,
            "regular": self.regular,
            "ranked": self.ranked,
            "classes": self.classes,
            "by": list(self.by),
            "best": self.best,
            "current": None if self.current is None else self.current.to_dict(),
            "choices": [choice.to_dict() for choice in self.choices],
        }


def no_choice(mechanism: str, space: str, reason: str, diagnosis: Iterable[Finding]) -> dict[str, Any]:
    """Return the document symgen/transformations/1 of a mechanism that no inputs determine.

    Parameters
    ----------
    mechanism, space : its name; "spatial" or "planar".
    reason : why, in words.
    diagnosis : what the structural analysis finds with the inputs the mechanism has.
    """
    return {
        "schema": SCHEMA,
        "mechanism": mechanism,
        "space": space,
        "inputs": None,
        "vectors": None,
        "method": None,
        "status": "none",
        "reason": reason,
        "diagnosis": [finding.to_dict() for finding in diagnosis],
        "proved": True,
        "valid": 0,
        "regular": 0,
        "ranked": 0,
        "classes": 0,
        "by": [],
        "best": 0,
        "current": None,
        "choices": [],
    }
