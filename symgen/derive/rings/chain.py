"""The chain of a single-loop group: its joints from one known body to the other, taken apart into letters.

    k1 -j1- b1 -j2- b2 - ... -jn- bn -j(n+1)- k2

A *letter* is one free freedom: R turns about, P slides along its axis. A driven freedom is no letter; it only moves
what lies behind it. So a group is its *word* of letters, whatever joints they stem from: what the strategy of
docs/closed-forms.md works on.

Source: contract of the mechanism file, "Joint frames"; signatures as in `symgen.topology.signatures`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from symgen.derive.joints import PRIMITIVES, TABLE_3_ORDER, PairModel, Primitive, pair_model
from symgen.errors import InputError

_JOINT = re.compile(r"(?P<type>[A-Z]+)(?P<stars>\**)(?P<names>[a-z][a-z0-9]*(?:[,+][a-z][a-z0-9]*)*)?\Z")
#: What a driven freedom of an inner joint is called when its two bodies change places.
_TURNED = {"angle1": "angle2", "angle2": "angle1"}


@dataclass(frozen=True)
class RingJoint:
    """One joint: its place in the chain (from 0), type, driven freedoms by name, and the bodies it joins."""

    number: int
    type: str
    driven: tuple[str, ...]
    ends: tuple[str, str]

    @property
    def name(self) -> str:
        """Name in ports and comments."""
        return f"j{self.number + 1}"

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """All freedoms in the order in which they act, from the first body to the second."""
        return PRIMITIVES[self.type]

    @property
    def free(self) -> tuple[Primitive, ...]:
        """The free ones."""
        return tuple(p for p in self.primitives if p.freedom not in self.driven)

    @property
    def pair(self) -> PairModel:
        """The pair as other groups see it."""
        return pair_model(self.type, self.driven)

    @property
    def text(self) -> str:
        """The joint in a key: stars alone if all freedoms are driven."""
        names = "+".join(self.driven) if self.free else ""
        return self.type + ("*" if names else "*" * len(self.driven)) + names


@dataclass(frozen=True)
class ChainLetter:
    """One free freedom on the way from k1 to k2; `ahead` if its coordinate counts that way."""

    joint: RingJoint
    primitive: Primitive
    ahead: bool


@dataclass(frozen=True)
class RingChain:
    """The joints from k1 to k2; the last one counts from k2 inwards."""

    joints: tuple[RingJoint, ...]

    @property
    def bodies(self) -> tuple[str, ...]:
        """The unknown bodies."""
        return tuple(f"b{k + 1}" for k in range(len(self.joints) - 1))

    @property
    def letters(self) -> tuple[ChainLetter, ...]:
        """All free freedoms from k1 to k2."""
        last = self.joints[-1]
        ahead = [ChainLetter(joint, p, True) for joint in self.joints[:-1] for p in joint.free]
        return (*ahead, *(ChainLetter(last, p, False) for p in last.free[::-1]))

    @property
    def word(self) -> str:
        """The kinds of all letters from k1 to k2, such as RPRRPR."""
        return "".join(letter.primitive.kind for letter in self.letters)

    @property
    def key(self) -> str:
        """Signature with the driven freedoms by name."""
        return ".".join(joint.text for joint in self.joints) + " 3D"

    @property
    def id(self) -> str:
        """Identifier: `r_r_r_s`, `p_rd_s_u`, `c_slide_s_u`; d after a type that is driven wholly."""
        words = (
            "_".join([joint.type.lower(), *joint.driven]) if joint.free else f"{joint.type.lower()}d"
            for joint in self.joints
        )
        return "_".join(words)

    def canonical(self) -> RingChain:
        """Return the direction of reading that the signature has, the same one for a chain and its reverse."""
        return min(self, self.reversed(), key=lambda chain: (chain._rank(), chain.key))

    def _rank(self) -> list[tuple[int, int]]:
        return [(TABLE_3_ORDER.index(joint.type), -len(joint.driven)) for joint in self.joints]

    def reversed(self) -> RingChain:
        """Return the chain read from k2; inner joints are turned."""
        last = len(self.joints) - 1
        row = []
        for k, joint in enumerate(self.joints[::-1]):
            turned = k not in (0, last) and joint.type == "U"
            row.append((joint.type, tuple(_TURNED[f] for f in joint.driven) if turned else joint.driven))
        return make_chain(row)


def make_chain(joints: Sequence[tuple[str, Sequence[str]]]) -> RingChain:
    """Return the chain of joints given as type (ER is read as U) and names of driven freedoms."""
    row = []
    last = len(joints) - 1
    for k, (code, names) in enumerate(joints):
        type_ = "U" if code == "ER" else code
        ends = ("k2", f"b{last}") if k == last else ("k1" if k == 0 else f"b{k}", f"b{k + 1}")
        driven = tuple(p.freedom for p in PRIMITIVES[type_] if p.freedom in names)
        row.append(RingJoint(k, type_, driven, ends))
    return RingChain(tuple(row))


def read_key(text: str) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """Take a spatial signature or key apart: type, number of driven freedoms, their names (none: not said).

    Raises
    ------
    InputError
        Not of the form ``R.C*slide.S 3D``, a type without one-freedom motions, or a freedom it does not have.
    """
    words, _, space = " ".join(text.split()).rpartition(" ")
    if space != "3D" or not words:
        raise InputError(f"{text!r}: expected pair types joined by dots and 3D, such as 'R.R.R.S 3D'")
    row = []
    for word in words.split("."):
        match = _JOINT.match(word)
        code = "U" if match and match["type"] == "ER" else match["type"] if match else ""
        if match is None or code not in PRIMITIVES:
            raise InputError(f"{text!r}: {word!r} is no joint of a chain; types: {', '.join(PRIMITIVES)}, ER")
        names = tuple(re.split("[,+]", match["names"])) if match["names"] else ()
        freedoms = _freedoms(code)
        for name in names:
            if name not in freedoms:
                raise InputError(f"{text!r}: {match['type']} has no freedom {name!r}; it has {', '.join(freedoms)}")
        stars = max(len(match["stars"]), len(names))
        if stars > len(freedoms):
            raise InputError(f"{text!r}: {word} drives {stars} freedoms, {match['type']} has {len(freedoms)}")
        row.append((code, stars, names if len(names) == stars else ()))
    return tuple(row)


def chains_of(text: str) -> tuple[RingChain, ...]:
    """Return the chains that a signature or key stands for: several if it leaves open which freedom is driven.

    Raises
    ------
    InputError
        As `read_key`.
    """
    choices = [
        [(code, names)] if names or not count else [(code, each) for each in combinations(_freedoms(code), count)]
        for code, count, names in read_key(text)
    ]
    return tuple(make_chain(row) for row in product(*choices))


def _freedoms(code: str) -> tuple[str, ...]:
    return tuple(p.freedom for p in PRIMITIVES[code])


def chain_of_id(text: str) -> RingChain | None:
    """Return the chain with this identifier, or None."""
    row: list[tuple[str, list[str]]] = []
    codes = {code.lower(): code for code in PRIMITIVES}
    for word in text.split("_"):
        if word in codes:
            row.append((codes[word], []))
        elif word[:-1] in codes and word[-1:] == "d":
            row.append((codes[word[:-1]], [*_freedoms(codes[word[:-1]])]))
        elif row and word in _freedoms(row[-1][0]):
            row[-1][1].append(word)
        else:
            return None
    chain = make_chain(row) if len(row) > 1 else None
    return chain if chain is not None and chain.id == text else None
