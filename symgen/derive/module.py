"""What a family of derivations hands to the pipeline: a kernel and its re-rooted arrangements, with proofs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from symgen.derive.derivation import Derivation
from symgen.derive.refusals import check_texts, kind_of
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine
from symgen.topology.signatures import Bond, GroupShape, read_chain, signature_of


def overview(docstring: str | None) -> tuple[str, ...]:
    """Return the explanation of a derivation, from its file's docstring without the title and the source."""
    body = (docstring or "").partition("\n\n")[2]
    text = body.partition("\nSource:")[0].strip("\n")
    return tuple(line.rstrip() for line in text.split("\n"))


@dataclass(frozen=True)
class JointSlot:
    """One joint of an arrangement, in the direction in which its coordinates count.

    `free` and `driven` name the joint's freedoms; ports are named after the joint and its bodies.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    free: tuple[str, ...]
    driven: tuple[str, ...] = ()

    @property
    def bond(self) -> Bond:
        """The joint as the structural analysis sees it."""
        return Bond(self.type, len(self.driven))

    @property
    def text(self) -> str:
        """The joint in a signature: one star for each driven freedom."""
        return self.type + "*" * len(self.driven)

    @property
    def key_text(self) -> str:
        """The joint in a key: driven freedoms by name, unless all are driven; of a pin in a slot, who carries which."""
        names = self.driven if self.free else ()
        if self.type == "L":  # its slot comes first: what the later body carries, known bodies coming before all others
            first, second = ((not body.startswith("k"), int(body[1:])) for body in self.bodies)
            names = (*names, "pin" if first < second else "slot")
        return self.text + "+".join(names)


@dataclass(frozen=True, slots=True)
class _KeyBond(Bond):
    """A joint that reads as it does in a key."""

    shown: str = ""

    @property
    def text(self) -> str:
        """The joint in a key."""
        return self.shown


@dataclass(frozen=True)
class Arrangement:
    """One reading of the joints: along a chain from the first known body to the last, or outer ones before inner ones.

    A group that is no chain has its bodies in the order of its signature: `<-|R|R|R; 1-2R 1-3R 1-4R> 2D` says that
    the first body is the platform.
    """

    id: str
    space: Literal["spatial", "planar"]
    known: tuple[str, ...]
    bodies: tuple[str, ...]
    joints: tuple[JointSlot, ...]
    derivation: Derivation

    @property
    def signature(self) -> str:
        """Readable signature, such as `R.S.U 3D`."""
        if self._shape is not None:
            return signature_of(self._shape)
        return ".".join(j.text for j in self.joints) + self._suffix

    @property
    def key(self) -> str:
        """Signature that also says which freedom is driven."""
        shape = self._shape_of(named=True)
        if shape is not None:
            return signature_of(shape)
        return ".".join(j.key_text for j in self.joints) + self._suffix

    @property
    def _shape(self) -> GroupShape | None:
        """The group as the structural analysis sees it, or None if it is a chain."""
        return self._shape_of(named=False)

    def _shape_of(self, *, named: bool) -> GroupShape | None:
        outer: list[list[Bond]] = [[] for _ in self.bodies]
        inner = []
        for joint in self.joints:
            bond = _KeyBond(joint.type, len(joint.driven), 0, joint.key_text) if named else joint.bond
            ends = [self.bodies.index(body) for body in joint.bodies if body in self.bodies]
            if len(ends) == 1:
                outer[ends[0]].append(bond)
            else:
                inner.append((ends[0], ends[1], bond))
        shape = GroupShape(self.space, tuple(map(tuple, outer)), tuple(inner))
        return shape if read_chain(shape) is None else None

    @property
    def _suffix(self) -> str:
        return " 3D" if self.space == "spatial" else " 2D"


@dataclass(frozen=True)
class ModuleDerivation:
    """A module: one multiset of joints.

    `degree` is the number of assembly modes over the complex numbers. `arrange` derives the arrangements on the
    kernel's position routine, which they call; so the pipeline lowers the kernel first.
    """

    id: str
    title: str
    space: Literal["spatial", "planar"]
    degree: int
    source: str
    summary: tuple[str, ...]
    kernel: Derivation
    arrange: Callable[[Routine], tuple[Arrangement, ...]]
    method: str = "closed form"

    def __post_init__(self) -> None:
        """Refuse what a manifest cannot say.

        Raises
        ------
        DerivationError
            The id, the title or the source is no text, or the degree no whole number from 1 on.
        """
        where = f"module {self.id!r}"
        check_texts(where, id=self.id, title=self.title, source=self.source)
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or self.degree < 1:
            raise DerivationError(
                f"{where}: its degree is {kind_of(self.degree)}; give the number of assembly modes over the complex "
                "numbers, 1 or more"
            )
