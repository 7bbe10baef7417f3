"""Signatures of planar groups as joints between named bodies: what a module on demand is derived from.

Beside the count of driven freedoms a signature may name them (`R.L*slide 2D`), and say for a pin in a slot (L) which
part its later body carries, known bodies coming before all others: `R.Lpin 2D`, `R.Lslot 2D`. What it leaves open is
read in every way.

Source: `symgen.topology.signatures`; the names are the keys of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from symgen.derive.module import JointSlot
from symgen.errors import InputError
from symgen.topology.signatures import Bond, GroupShape, parse_signature, read_chain, signature_of

FREEDOMS = {"R": ("angle",), "P": ("slide",), "L": ("slide", "angle")}
SIDES = ("pin", "slot")
_WORD = re.compile(r"(?P<type>[RPL])(?P<stars>\**)(?P<names>[a-z]+(?:[,+][a-z]+)*)?\Z")
_EXPLICIT = re.compile(r"<(?P<outer>[^;]+); (?P<inner>[^>]+)> 2D\Z")
_INNER = re.compile(r"(?P<first>\d)-(?P<second>\d)(?P<word>\S+)\Z")


@dataclass(frozen=True)
class Word:
    """One joint: `ends` are its bodies in natural order, -1 and below for known ones."""

    type: str
    stars: int
    names: tuple[str, ...]
    ends: tuple[int, int]

    @property
    def bond(self) -> Bond:
        """The joint as the structural analysis sees it."""
        return Bond(self.type, self.stars)

    @property
    def text(self) -> str:
        """The joint in a key."""
        return self.type + "*" * self.stars + "+".join(self.names)

    def readings(self) -> Iterator[Word]:
        """Yield the joint with everything said that the text leaves open."""
        freedoms = FREEDOMS[self.type]
        said = tuple(name for name in self.names if name in freedoms)
        sides = tuple(name for name in self.names if name in SIDES) or (SIDES if self.type == "L" else ())
        chosen = [said] if said or self.stars in (0, len(freedoms)) else [(name,) for name in freedoms]
        for driven in chosen:
            for side in sides or ("",):
                yield replace(self, names=(*driven, side) if side else driven)

    def slot(self, number: int, names: Sequence[str]) -> JointSlot:
        """Return the joint with its ports' names; the slot of an L comes first."""
        freedoms = FREEDOMS[self.type]
        driven = freedoms if self.stars == len(freedoms) else tuple(n for n in self.names if n in freedoms)
        first, second = (names[end] for end in self.ends)
        bodies = (second, first) if "slot" in self.names else (first, second)
        return JointSlot(f"j{number}", self.type, bodies, tuple(f for f in freedoms if f not in driven), driven)


@dataclass(frozen=True)
class NamedGroup:
    """A group with named bodies: known ones, unknown ones, joints; `id` names the arrangement."""

    id: str
    known: tuple[str, ...]
    bodies: tuple[str, ...]
    slots: tuple[JointSlot, ...]


def readings(text: str) -> tuple[NamedGroup, ...]:
    """Return the readings of a planar signature or key; none if it is not one, or has other pairs than R, P and L."""
    words = _words(text)
    if words is None:
        return ()
    count = 1 + max(max(word.ends) for word in words)
    outside = [word for word in words if word.ends[0] < 0]
    known, bodies = tuple(f"k{n + 1}" for n in range(len(outside))), tuple(f"b{n + 1}" for n in range(count))
    names = [*bodies, *reversed(known)]  # the n-th known body is number -n
    found: dict[str, NamedGroup] = {}
    for choice in product(*(word.readings() for word in words)):
        if _is_sorted(choice):
            slots = tuple(word.slot(n, names) for n, word in enumerate(choice, 1))
            name = _name(choice, count, chain=not text.lstrip().startswith("<"))
            found[name] = NamedGroup(name, known, bodies, slots)
    return tuple(found.values())


def _name(words: Sequence[Word], count: int, *, chain: bool) -> str:
    """Return an identifier: the joints of a chain; else those outside by body (o for none), then those inside."""
    if chain:
        return "_".join(_slug(word) for word in words)
    outer = ["".join(_slug(w) for w in words if w.ends[0] < 0 and w.ends[1] == body) or "o" for body in range(count)]
    inner = [f"{min(w.ends) + 1}{max(w.ends) + 1}{_slug(w)}" for w in words if w.ends[0] >= 0]
    return "_".join((*outer, *inner))


def _slug(word: Word) -> str:
    return f"{word.type.lower()}{word.stars or ''}{''.join(word.names) if word.type == 'L' else ''}"


def name_of(text: str) -> str:
    """Return the name of a signature with what it leaves open left open."""
    words = _words(text) or ()
    count = 1 + max((max(word.ends) for word in words), default=0)
    return _name(words, count, chain=not text.lstrip().startswith("<"))


_SLUG = re.compile(r"(?P<type>[rpl])(?P<stars>\d?)(?P<freedoms>(?:slide|angle)*)(?P<side>pin|slot)?")


def text_of(name: str) -> str | None:
    """Return the signature or key that a name of readings stands for, or None."""
    outer: list[str] = []
    inner: list[str] = []
    for part in name.split("_"):
        match = re.fullmatch(r"(\d\d)?(\w+)", part)
        words = None if match is None else _shown(match[2])
        if match is None or words is None or (match[1] and len(words) != 1):
            return None
        if match[1]:
            inner.append(f"{match[1][0]}-{match[1][1]}{words[0]}")
        else:
            outer.append(".".join(words) or "-")
    return f"<{'|'.join(outer)}; {' '.join(inner)}> 2D" if inner else f"{'.'.join(outer)} 2D"


def _shown(slug: str) -> list[str] | None:
    """Return the joints that a part of a name stands for."""
    if slug == "o":
        return []
    words, place = [], 0
    while place < len(slug):
        match = _SLUG.match(slug, place)
        if match is None:
            return None
        names = [*re.findall("slide|angle", match["freedoms"]), *([match["side"]] if match["side"] else [])]
        words.append(match["type"].upper() + "*" * int(match["stars"] or 0) + "+".join(names))
        place = match.end()
    return words


def _is_sorted(choice: Sequence[Word]) -> bool:
    """Tell whether equal outer joints of one body stand in the order of their names: others are the same group."""
    for one, other in pairwise(choice):
        alike = one.ends[0] < 0 and other.ends[0] < 0 and one.ends[1] == other.ends[1]
        if alike and (one.type, one.stars) == (other.type, other.stars) and one.names > other.names:
            return False
    return True


def _word(text: str, ends: tuple[int, int]) -> Word | None:
    match = _WORD.match(text)
    if match is None:
        return None
    names = tuple(re.split("[,+]", match["names"])) if match["names"] else ()
    freedoms, stars = FREEDOMS[match["type"]], len(match["stars"])
    allowed = (*freedoms, *SIDES) if match["type"] == "L" else freedoms
    said = [name for name in names if name in freedoms]
    if stars > len(freedoms) or not set(names) <= set(allowed) or (said and len(said) != stars):
        return None
    return Word(match["type"], stars, names, ends)


def _words(text: str) -> tuple[Word, ...] | None:
    """Return the joints in the order of the canonical signature, outer ones first unless the group is a chain."""
    text = " ".join(text.split())
    return _explicit(text) if text.startswith("<") else _chain(text)


def _chain(text: str) -> tuple[Word, ...] | None:
    row = text.removesuffix(" 2D").split(".")
    words = [_word(each, (0, 0)) for each in row]
    if not text.endswith(" 2D") or any(word is None for word in words):
        return None
    joints = [word for word in words if word is not None]
    try:
        chain = parse_signature(f"{'.'.join(word.type + '*' * word.stars for word in joints)} 2D")
    except InputError:
        return None
    if chain.bodies == 1:
        joints.sort(key=lambda word: (word.bond.key, word.names))
        return tuple(replace(word, ends=(-1 - n, 0)) for n, word in enumerate(joints))
    if tuple(word.type for word in joints) != chain.types or tuple(word.stars for word in joints) != chain.driven:
        joints = [_turned(word) if 0 < n < len(joints) - 1 else word for n, word in enumerate(joints)][::-1]
    last = len(joints) - 1
    ends = [(-1, 0), *((n - 1, n) for n in range(1, last)), (-2, last - 1)]
    return tuple(replace(word, ends=its) for word, its in zip(joints, ends, strict=True))


def _turned(word: Word) -> Word:
    table = dict(zip(SIDES, SIDES[::-1], strict=True))
    return replace(word, names=tuple(table.get(name, name) for name in word.names))


def _explicit(text: str) -> tuple[Word, ...] | None:
    match = _EXPLICIT.match(text)
    if match is None:
        return None
    outer: list[Word] = []
    parts = match["outer"].split("|")
    for body, part in enumerate(parts):
        for each in [] if part == "-" else part.split("."):
            word = _word(each, (-1 - len(outer), body))
            if word is None:
                return None
            outer.append(word)
    inner: list[Word] = []
    for part in match["inner"].split(" "):
        found = _INNER.match(part)
        word = None if found is None else _word(found["word"], (int(found["first"]) - 1, int(found["second"]) - 1))
        if word is None or not 0 <= word.ends[0] < word.ends[1] < len(parts):
            return None
        inner.append(word)
    return _canonical(text, outer, inner, len(parts))


def _canonical(text: str, outer: Sequence[Word], inner: Sequence[Word], count: int) -> tuple[Word, ...] | None:
    """Return the joints if the text is the canonical one of its group, else those of the canonical one."""
    shape = GroupShape(
        "planar",
        tuple(tuple(word.bond for word in outer if word.ends[1] == body) for body in range(count)),
        tuple((*word.ends, word.bond) for word in inner),
    )
    if read_chain(shape) is not None:
        return None
    right = signature_of(shape)
    plain = re.sub(r"(?<=[RPL*])[a-z]+(?:[,+][a-z]+)*", "", text)
    if right != plain:
        named = any(word.names for word in (*outer, *inner))
        return None if named or not right.startswith("<") or "#" in right else _explicit(right)
    distance = [0 if any(word.ends[1] == body for word in outer) else 1 for body in range(count)]
    return (*outer, *(_inwards(word, distance) for word in inner))


def _inwards(word: Word, distance: Sequence[int]) -> Word:
    """Direct a joint that is no L from the body nearer to the known ones."""
    first, second = word.ends
    if word.type != "L" and distance[first] > distance[second]:
        return replace(word, ends=(second, first))
    return word
