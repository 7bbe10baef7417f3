"""Planar groups as revolute and prismatic pairs between bodies and links.

A pin in a slot (L) is a P from the body with the slot to the pin, then an R to the body with the pin; the pin itself is
a body without a name of its own in the group. Bodies that driven freedoms join are one link: their places in it follow
from the drives. What is left are free pairs of one freedom between links.

Source: kinematics of relative motion; docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.derive.module import JointSlot


@dataclass(frozen=True)
class Pair:
    """A pair of one freedom: its coordinate measures the second body against the first.

    `joint` and `freedom` say which freedom of which joint it is; `pin` names the pin of an L.
    """

    joint: str
    type: Literal["R", "P"]
    freedom: str
    first: str
    second: str
    driven: bool

    @property
    def name(self) -> str:
        """Name in steps."""
        return f"{self.joint}_{self.freedom}"

    @property
    def bodies(self) -> tuple[str, str]:
        """Both bodies."""
        return self.first, self.second

    def other(self, body: str) -> str:
        """Return the body on the other side."""
        return self.second if body == self.first else self.first


def pin_of(joint: str) -> str:
    """Return the name of the pin of a joint L."""
    return f"pin_{joint}"


def is_pin(body: str) -> bool:
    """Tell whether a body is a pin."""
    return body.startswith("pin_")


def pairs_of(slots: Sequence[JointSlot]) -> tuple[Pair, ...]:
    """Return the pairs of all joints, in order."""
    found = []
    for slot in slots:
        (first, second), driven = slot.bodies, slot.driven
        if slot.type == "L":
            pin = pin_of(slot.name)
            found.append(Pair(slot.name, "P", "slide", first, pin, "slide" in driven))
            found.append(Pair(slot.name, "R", "angle", pin, second, "angle" in driven))
        elif slot.type == "R":
            found.append(Pair(slot.name, "R", "angle", first, second, bool(driven)))
        else:
            found.append(Pair(slot.name, "P", "slide", first, second, bool(driven)))
    return tuple(found)


@dataclass(frozen=True)
class PassedPair:
    """A pair passed on the way through a group: forward from its first body to its second."""

    pair: Pair
    forward: bool

    @property
    def start(self) -> str:
        """Body on this side."""
        return self.pair.first if self.forward else self.pair.second

    @property
    def end(self) -> str:
        """Body beyond."""
        return self.pair.second if self.forward else self.pair.first

    def reversed(self) -> PassedPair:
        """Return the same pair passed the other way."""
        return PassedPair(self.pair, not self.forward)


class Links:
    """Bodies joined by driven pairs, and ways through them.

    Parameters
    ----------
    known, bodies : names of the known and of the unknown bodies.
    pairs : all pairs of the group.
    """

    def __init__(self, known: Sequence[str], bodies: Sequence[str], pairs: Sequence[Pair]) -> None:
        pins = [body for pair in pairs for body in pair.bodies if is_pin(body)]
        every = list(dict.fromkeys([*known, *bodies, *pins]))
        self.pairs = tuple(pairs)
        self.free = tuple(pair for pair in pairs if not pair.driven)
        self.known = frozenset(known)
        self._base = {body: body for body in every}
        rank = {body: place for place, body in enumerate(every)}
        for pair in pairs:
            if pair.driven:
                one, other = (self._base[body] for body in pair.bodies)
                low, high = sorted((one, other), key=rank.__getitem__)
                self._base = {body: low if base == high else base for body, base in self._base.items()}
        self.bodies = tuple(every)

    def base(self, body: str) -> str:
        """Return the body that stands for the link: a known one, else the first with a name, else the pin."""
        return self._base[body]

    def is_known(self, body: str) -> bool:
        """Tell whether the body's link is known."""
        return self.base(body) in self.known

    @property
    def unknown(self) -> tuple[str, ...]:
        """Bases of the links whose place is sought."""
        return tuple(dict.fromkeys(base for base in self._base.values() if base not in self.known))

    def members(self, base: str) -> tuple[str, ...]:
        """Return the bodies of a link, its base first."""
        return tuple(body for body, its in self._base.items() if its == base)

    def path(self, start: str, end: str) -> tuple[PassedPair, ...]:
        """Return the driven pairs from one body of a link to another."""
        ways: dict[str, tuple[PassedPair, ...]] = {start: ()}
        queue = [start]
        for body in queue:
            for pair in self.pairs:
                if pair.driven and body in pair.bodies and (there := pair.other(body)) not in ways:
                    ways[there] = (*ways[body], PassedPair(pair, pair.first == body))
                    queue.append(there)
        return ways[end]

    def around(self, base: str) -> tuple[Pair, ...]:
        """Return the free pairs at a link."""
        return tuple(pair for pair in self.free if base in (self.base(pair.first), self.base(pair.second)))

    def side(self, pair: Pair, base: str) -> str:
        """Return the body of a link that carries the pair."""
        return pair.first if self.base(pair.first) == base else pair.second
