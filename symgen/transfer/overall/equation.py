"""The overall transfer equation of a system, without numbers: its tips, bodies, row blocks, unknowns and order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from symgen.model.parts import Joint
from symgen.transfer.system.system import GROUND, TransferBody, TransferSystem

Variant = Literal["transparent", "opaque"]
TipKind = Literal["free", "ground", "cut body", "cut hinge"]
RowKind = Literal["main", "geometric", "leftover", "root", "supplement"]


@dataclass(frozen=True)
class Tip:
    """Where the deduction begins.

    Parameters
    ----------
    number : from 1.
    kind : "free": free end, at the origin of the body frame, of a beam at its output; "ground": on the body at a joint
        to the ground; "cut body": on the body at a cut loop hinge; "cut hinge": at the inboard side of that hinge.
    body : index of the body that it enters.
    joint : the joint to the ground or the loop hinge; "" for a free end.
    partner : number of the tip on the other side of the cut, else 0.
    unknowns : entries of its state that are unknown.
    """

    number: int
    kind: TipKind
    body: int
    joint: str
    partner: int
    unknowns: int


@dataclass(frozen=True)
class BodyInput:
    """One input of a body.

    Parameters
    ----------
    input : its number on the body, from 1.
    joint : the hinge that leads into the body there; "" where a tip lies on the body itself.
    reverse : True where the body is that joint's first.
    number : of that element, 0 without a hinge.
    freedoms : unknown relative accelerations of the hinge.
    source : index of the body on the other side, or `GROUND` for a tip.
    tip : number of the tip, 0 for a body.
    """

    input: int
    joint: str
    reverse: bool
    number: int
    freedoms: int
    source: int
    tip: int


@dataclass(frozen=True)
class DeducedBody:
    """One step of the deduction: from the inputs of a body to its output.

    Parameters
    ----------
    body : of the transfer system.
    entries : its inputs, the main input first, which carries the accelerations.
    eliminates : whether the relative accelerations of the main hinge are eliminated here.
    output_freedoms : of the hinge at its output; all of them for a free root.
    branch : number of the branch subsystem it makes with its hinges; 0 with one input.
    tips : numbers of the tips that it carries.
    """

    body: TransferBody
    entries: tuple[BodyInput, ...]
    eliminates: bool
    output_freedoms: int
    branch: int
    tips: tuple[int, ...]


@dataclass(frozen=True)
class RowBlock:
    """A block of rows of the overall equation.

    Parameters
    ----------
    kind : "main", "geometric", "leftover", "root" or "supplement", see `symgen.transfer.overall.deduction`.
    body : index of the body whose input (geometric), output (leftover, main, root) or tip (leftover of a loop hinge,
        supplement) it belongs to.
    input : of a geometric block, else 0.
    joint : the hinge, "" for a free root or a tip on the body.
    rows : how many.
    tips : numbers of the tips that enter.
    """

    kind: RowKind
    body: int
    input: int
    joint: str
    rows: int
    tips: tuple[int, ...]


@dataclass(frozen=True)
class OverallEquation:
    """The deduced overall transfer equation, without numbers.

    Parameters
    ----------
    system : what it was deduced from.
    variant : "transparent" or "opaque".
    width : freedoms of a free body, 6 or 3; a state has twice as many entries and a 1.
    tips : by number.
    bodies : in the order of the system.
    blocks : row blocks in the order of the rows.
    root_unknowns : unknown entries of a root's state (transparent variant), else 0.
    """

    system: TransferSystem = field(repr=False)
    variant: Variant
    width: int
    tips: tuple[Tip, ...]
    bodies: tuple[DeducedBody, ...] = field(repr=False)
    blocks: tuple[RowBlock, ...]
    root_unknowns: int

    @cached_property
    def by_index(self) -> Mapping[int, DeducedBody]:
        """Steps by the index of their body."""
        return {step.body.body: step for step in self.bodies}

    @property
    def roots(self) -> tuple[DeducedBody, ...]:
        """The bodies at the roots."""
        return tuple(step for step in self.bodies if is_root(step.body))

    @property
    def order(self) -> int:
        """Number of rows and of unknowns."""
        return sum(block.rows for block in self.blocks)

    @property
    def unknowns(self) -> int:
        """Number of unknowns; equal to the order, which `deduce_equation` asserts."""
        return sum(tip.unknowns for tip in self.tips) + self.root_unknowns * len(self.roots)

    def pattern(self, kind: RowKind) -> dict[str, str]:
        """Return which tips enter the blocks of a kind: name of the block -> "1" or "0" for each tip."""
        return {
            self.label(block): "".join("1" if tip.number in block.tips else "0" for tip in self.tips)
            for block in self.blocks
            if block.kind == kind
        }

    def partner(self, tip: Tip) -> Tip:
        """Return the tip on the other side of a cut."""
        return self.tips[tip.partner - 1]

    def label(self, block: RowBlock) -> str:
        """Return the name of a row block: the body's id and input, or the joint's id."""
        name = self.by_index[block.body].body.id
        return f"{name}.{block.input}" if block.kind == "geometric" else block.joint or name


def is_root(body: TransferBody) -> bool:
    """Tell whether a body's output leads to the ground, or nowhere."""
    return body.output is None or body.output.outboard == GROUND


def freedoms_of(joint: Joint) -> int:
    """Return how many relative accelerations of a joint are unknown."""
    return joint.grade - joint.driven
