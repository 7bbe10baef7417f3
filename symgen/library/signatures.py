"""Signatures as the library looks them up: in either reading direction, ER counted as U.

A signature (``ER.C*.S 3D``) says how many freedoms of each joint are driven; a
*key* (``U.C*slide.S 3D``) also says which. Both are read here into one form
that does not depend on the direction in which the chain is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES
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

    @property
    def rank(self) -> tuple[int, str, int, tuple[str, ...]]:
        """Order of Table 3 as in signatures, more driven freedoms first; then by name."""
        place = PAIR_TYPES[self.type].order if self.type in PAIR_TYPES else len(PAIR_TYPES)
        return place, self.type, -self.driven, self.names

    @property
    def text(self) -> str:
        """The joint in a key: names in the order of its freedoms, the part of an L last."""
        order = (*PAIR_TYPES[self.type].freedoms, *_TURNED["L"]) if self.type in PAIR_TYPES else self.names
        return self.type + "*" * self.driven + "+".join(name for name in order if name in self.names)

    def counted(self) -> JointWord:
        """Return the joint without the names of its driven freedoms."""
        return JointWord(self.type, self.driven)


@dataclass(frozen=True)
class ChainKey:
    """A signature that is a row of joints between known bodies."""

    space: str
    joints: tuple[JointWord, ...]

    @property
    def text(self) -> str:
        """The key."""
        return f"{'.'.join(joint.text for joint in self.joints)} {'2D' if self.space == 'planar' else '3D'}"

    @property
    def named(self) -> bool:
        """Whether the names of driven freedoms, or of the parts of an L, are given."""
        return any(joint.names for joint in self.joints)

    def counted(self) -> ChainKey:
        """Return the canonical chain that only counts the driven freedoms."""
        return ChainKey(self.space, tuple(joint.counted() for joint in self.joints)).canonical()

    def reversed(self) -> ChainKey:
        """Return the same group read from its other end.

        The outer joints run from a known body inwards in both directions; only the inner ones turn.
        """
        last = len(self.joints) - 1
        row = [joint if index in (0, last) else joint.turned() for index, joint in enumerate(self.joints)]
        return ChainKey(self.space, tuple(row[::-1]))

    def canonical(self) -> ChainKey:
        """Return one of the two reading directions, always the same one."""
        return min(self, self.reversed(), key=lambda chain: [joint.rank for joint in chain.joints])


def chain_of(text: str) -> ChainKey | None:
    """Read a signature or key of a single chain; None for anything else (several loops, unknown form).

    >>> chain_of("S.ER.R 3D") == chain_of("R.U.S 3D")
    True
    """
    words, _, space = tidy(text).rpartition(" ")
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
    return ChainKey(_SPACE[space], tuple(joints)).canonical()


def tidy(text: str) -> str:
    """Return a signature with single blanks and none at its ends."""
    return " ".join(text.split())


def counted(text: str) -> str:
    """Return a key without the names of its driven freedoms, one star for each."""
    return _NAMED.sub(lambda match: _stars(match), text)


_NAMED = re.compile(r"(?P<stars>\**)(?<=[A-Z*])(?P<names>[a-z][a-z0-9]*(?:[,+][a-z][a-z0-9]*)*)")


def _stars(match: re.Match[str]) -> str:
    driven = [name for name in re.split("[,+]", match["names"]) if name not in _TURNED["L"]]
    return "*" * max(len(match["stars"]), len(driven))


def check_signature(text: str) -> None:
    """Refuse a text that cannot be the signature or key of a structural group.

    Names of several loops are not rows of joints and are let through.

    Raises
    ------
    InputError
        What was found, what is allowed, the nearest type.
    """
    if re.search(r"[][(){}<>|-]", text) is not None:
        return
    words, _, space = tidy(text).rpartition(" ")
    if space not in _SPACE and space.upper() in _SPACE:
        raise InputError(f"signature {text[:80]!r}: found {space!r}, expected {space.upper()!r} at its end")
    for word in words.split("."):
        _check_names(word, text)
    parse_signature(counted(tidy(text)))


def _check_names(word: str, text: str) -> None:
    """Refuse names that are no freedoms of their pair."""
    match = _JOINT.match(word)
    if match is None or match["type"] not in PAIR_TYPES or not match["names"]:
        return
    freedoms = PAIR_TYPES[match["type"]].freedoms
    allowed = (*freedoms, *(_TURNED["L"] if match["type"] == "L" else ()))
    for name in re.split("[,+]", match["names"]):
        if name not in allowed:
            raise InputError(
                f"signature {text[:80]!r}: {match['type']} has no freedom {name!r}{did_you_mean(name, allowed)}; "
                f"it has {', '.join(allowed)}"
            )
