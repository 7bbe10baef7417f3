"""Signatures as the library looks them up: in either reading direction, ER counted as U.

A signature (``ER.C*.S 3D``) says how many freedoms of each joint are driven; a
*key* (``U.C*slide.S 3D``) also says which. Both are read here into one form
that does not depend on the direction in which the chain is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from symgen.topology.signatures import parse_signature

_JOINT = re.compile(r"(?P<type>[A-Z]+)(?P<stars>\**)(?P<names>[a-z][a-z0-9]*(?:[,+][a-z][a-z0-9]*)*)?\Z")
_SPACE = {"2D": "planar", "3D": "spatial"}
#: What a driven freedom of an inner joint, or the part of an L on its later body, is called in the other direction.
_TURNED = {"U": {"angle1": "angle2", "angle2": "angle1"}, "L": {"pin": "slot", "slot": "pin"}}


@dataclass(frozen=True, order=True)
class JointWord:
    """One joint of a signature: type (ER read as U), number of driven freedoms, their names if the text gives them."""

    type: str
    driven: int = 0
    names: tuple[str, ...] = ()

    def turned(self) -> JointWord:
        """Return the same joint with its two bodies exchanged."""
        table = _TURNED.get(self.type, {})
        return JointWord(self.type, self.driven, tuple(sorted(table.get(name, name) for name in self.names)))

    def counted(self) -> JointWord:
        """Return the joint without the names of its driven freedoms."""
        return JointWord(self.type, self.driven)


@dataclass(frozen=True)
class Chain:
    """A signature that is a row of joints between known bodies."""

    space: str
    joints: tuple[JointWord, ...]

    @property
    def named(self) -> bool:
        """Whether the names of driven freedoms, or of the parts of an L, are given."""
        return any(joint.names for joint in self.joints)

    def counted(self) -> Chain:
        """Return the canonical chain that only counts the driven freedoms."""
        return Chain(self.space, tuple(joint.counted() for joint in self.joints)).canonical()

    def reversed(self) -> Chain:
        """Return the same group read from its other end.

        The outer joints run from a known body inwards in both directions; only the inner ones turn.
        """
        last = len(self.joints) - 1
        row = [joint if index in (0, last) else joint.turned() for index, joint in enumerate(self.joints)]
        return Chain(self.space, tuple(row[::-1]))

    def canonical(self) -> Chain:
        """Return one of the two reading directions, always the same one."""
        return min(self, self.reversed(), key=lambda chain: chain.joints)


def chain_of(text: str) -> Chain | None:
    """Read a signature or key of a single chain; None for anything else (several loops, unknown form).

    >>> chain_of("S.ER.R 3D") == chain_of("R.U.S 3D")
    True
    """
    words, _, space = text.strip().rpartition(" ")
    if space not in _SPACE or not words:
        return None
    joints = []
    for word in words.split("."):
        match = _JOINT.match(word)
        if match is None:
            return None
        kind = "U" if match["type"] == "ER" else match["type"]
        names = tuple(sorted(re.split("[,+]", match["names"]))) if match["names"] else ()
        joints.append(JointWord(kind, len(match["stars"]), names))
    return Chain(_SPACE[space], tuple(joints)).canonical()


def check_signature(text: str) -> None:
    """Refuse a text that cannot be the signature or key of a structural group.

    Names of several loops are not rows of joints and are let through.

    Raises
    ------
    InputError
        What was found, what is allowed, the nearest type.
    """
    words = re.sub(r"(?<=[A-Z*])[a-z][a-z0-9,+]*", "", text)
    if re.search(r"[\[\](){}|-]", words) is None:
        parse_signature(words)
