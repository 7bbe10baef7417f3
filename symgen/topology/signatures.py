"""Signatures: the key by which a structural group finds its solver.

The paper's type name counts pairs; different groups share it (R.S.U and R.U.S are
both 1R1U1S3D). The signature is the isomorphism class of a group: its bodies, the
pairs between them and, for each body, the pairs to solved bodies, all with type
and number of driven freedoms. Which solved body is at the other end does not matter: its
motion is known. A pair without a constraint (F or FP, nothing driven) is left out.

How it reads:

``R* 3D``, ``S*.S* 3D``
    one body: its pairs in the order of Table 3, one ``*`` for each driven freedom.
``P.R*.S.U 3D``
    a single open chain between two solved bodies, read in the direction that is
    smaller in the order of Table 3 (at equal type the pair with more driven freedoms first).
``<R|R|R; 1-2R 1-3R 2-3R> 2D``
    any other group of up to 8 bodies: outer pairs of each body (``-`` for none), then inner pairs.
``<13 bodies #9f2c...> 3D``
    larger ones: a digest of the same description (``~`` instead of ``#`` above 200 bodies: there equal
    signatures are necessary, but no longer sufficient, for equal groups).

Source: Celdran, Saura, Dopico 2022, Table 3 (order of the types); the canonical form is our own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES, Space, pair_types
from symgen.topology.canonical import canonical_order, certificate, stable_parts

_EXPLICIT, _EXACT = 8, 200


@dataclass(frozen=True, slots=True)
class Bond:
    """A pair as a group sees it: type, number of driven freedoms, and the caller's own number of it."""

    type: str
    driven: int
    number: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """Order of Table 3; at equal type more driven freedoms first."""
        return PAIR_TYPES[self.type].order, -self.driven

    @property
    def text(self) -> str:
        """Type with one star for each driven freedom."""
        return self.type + "*" * self.driven


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A structural group without names.

    Attributes
    ----------
    space : "spatial" or "planar".
    outer : for each body its pairs to solved bodies.
    inner : pairs between its bodies: (body, body, pair), bodies numbered from 0.
    """

    space: Space
    outer: tuple[tuple[Bond, ...], ...]
    inner: tuple[tuple[int, int, Bond], ...]

    @property
    def suffix(self) -> str:
        """Dimension as in the paper's names."""
        return "2D" if self.space == "planar" else "3D"


@dataclass(frozen=True, slots=True)
class ChainReading:
    """A chain in the direction of its signature: pairs, and the bodies between them (for one body: that body)."""

    bonds: tuple[Bond, ...]
    bodies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChainSignature:
    """A readable signature taken apart.

    Attributes
    ----------
    text : the canonical text, such as ``"R.S.U 3D"``.
    space : "spatial" or "planar".
    types : pair types in reading order.
    driven : driven freedoms of each pair.
    bodies : number of unknown bodies (1, or one less than there are pairs).
    """

    text: str
    space: Space
    types: tuple[str, ...]
    driven: tuple[int, ...]
    bodies: int


def read_chain(shape: GroupShape) -> ChainReading | None:
    """Return the pairs of one body, or of a single open chain, in reading order; None for any other group."""
    count = len(shape.outer)
    if count == 1:
        bonds = tuple(sorted(shape.outer[0], key=lambda bond: bond.key))
        return ChainReading(bonds, (0,)) if not shape.inner else None
    ends = [body for body, bonds in enumerate(shape.outer) if bonds]
    if len(shape.inner) != count - 1 or len(ends) != 2 or any(len(shape.outer[body]) != 1 for body in ends):
        return None
    neighbours: list[list[tuple[int, Bond]]] = [[] for _ in shape.outer]
    for first, second, bond in shape.inner:
        neighbours[first].append((second, bond))
        neighbours[second].append((first, bond))
    if any(len(around) != (1 if shape.outer[body] else 2) for body, around in enumerate(neighbours)):
        return None
    bodies, bonds_between = [ends[0]], []
    while len(bodies) < count:
        onward = [(body, bond) for body, bond in neighbours[bodies[-1]] if bodies[-2:-1] != [body]]
        if not onward or (onward[0][0] == ends[1] and len(bodies) < count - 1):
            return None
        bodies.append(onward[0][0])
        bonds_between.append(onward[0][1])
    bonds = (*shape.outer[ends[0]], *bonds_between, *shape.outer[ends[1]])
    if [bond.key for bond in reversed(bonds)] < [bond.key for bond in bonds]:
        return ChainReading(bonds[::-1], tuple(reversed(bodies)))
    return ChainReading(bonds, tuple(bodies))


def signature_of(shape: GroupShape) -> str:
    """Return the signature; equal texts if and only if the groups are isomorphic (up to 200 bodies)."""
    chain = read_chain(shape)
    if chain is not None:
        return _chain_text(chain.bonds, shape.suffix)
    colours = [tuple(sorted(bond.key for bond in bonds)) for bonds in shape.outer]
    edges: list[dict[int, tuple[tuple[int, int], ...]]] = [{} for _ in shape.outer]
    for first, second, bond in shape.inner:
        label = tuple(sorted((*edges[first].get(second, ()), bond.key)))
        edges[first][second] = edges[second][first] = label
    if len(colours) > _EXACT:
        return f"<{len(colours)} bodies ~{_digest(_quotient(colours, edges))}> {shape.suffix}"
    order = canonical_order(colours, edges)
    if len(colours) > _EXPLICIT:
        return f"<{len(colours)} bodies #{_digest(repr(certificate(colours, edges, order)))}> {shape.suffix}"
    return _explicit_text(shape, order)


def parse_signature(text: str) -> ChainSignature:
    """Read the name of a chain or of a single body, in either direction.

    Parameters
    ----------
    text : such as ``"U.S.R 3D"``; the answer's text is then ``"R.S.U 3D"``. A rod between two balls, as in
        ``"R.S.S 3D"``, may spin idly: its solver fixes the spin by convention.

    Raises
    ------
    InputError
        If it is no such name: what was found, what is allowed, the nearest type.
    """
    match = re.fullmatch(r"\s*(\S+)\s+([23])[Dd]\s*", text)
    if match is None:
        raise InputError(
            f"signature {text[:80]!r}: expected pair types joined by dots, a space, then 2D or 3D, such as 'R.S.U 3D'"
            f"{_with_a_space(text)}"
        )
    space: Space = "planar" if match[2] == "2" else "spatial"
    bonds = tuple(_parse_bond(part, text, space) for part in match[1].split("."))
    freedoms = 3 if space == "planar" else 6
    units = sum(freedoms - PAIR_TYPES[bond.type].grade + bond.driven for bond in bonds)
    bodies = len(bonds) - 1
    if units == freedoms:
        bodies, bonds = 1, tuple(sorted(bonds, key=lambda bond: bond.key))
    elif len(bonds) < 2 or freedoms * bodies - units not in (0, _idle_rods(bonds)):
        raise InputError(_not_a_group(text, len(bonds), units, freedoms))
    elif [bond.key for bond in reversed(bonds)] < [bond.key for bond in bonds]:
        bonds = bonds[::-1]
    return ChainSignature(
        _chain_text(bonds, f"{match[2]}D"),
        space,
        tuple(bond.type for bond in bonds),
        tuple(bond.driven for bond in bonds),
        bodies,
    )


def _with_a_space(text: str) -> str:
    """Return the question whether a text without its space was meant as a chain in the plane, or in space."""
    found = []
    for end in ("2D", "3D") if re.fullmatch(r"\s*[^\s.]+(\.[^\s.]+)+\s*", text) else ():
        with suppress(InputError):
            found.append(repr(parse_signature(f"{text.strip()} {end}").text))
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _idle_rods(bonds: Sequence[Bond]) -> int:
    """Return how many bodies of a chain hang on two undriven S: each spins about their line, and moves no other."""
    balls = [bond.type == "S" and not bond.driven for bond in bonds]
    return sum(first and second for first, second in pairwise(balls)) if len(bonds) > 2 else 0


def type_name(types: Sequence[str], space: Space) -> str:
    """Return the paper's count name, such as ``1P1C1S3D``: counts in the order of Table 3."""
    counted = sorted(set(types), key=lambda code: PAIR_TYPES[code].order)
    return "".join(f"{types.count(code)}{code}" for code in counted) + ("2D" if space == "planar" else "3D")


def _chain_text(bonds: Sequence[Bond], suffix: str) -> str:
    return f"{'.'.join(bond.text for bond in bonds)} {suffix}"


def _explicit_text(shape: GroupShape, order: Sequence[int]) -> str:
    position = {body: number for number, body in enumerate(order, start=1)}
    outer = (".".join(bond.text for bond in sorted(shape.outer[body], key=lambda bond: bond.key)) for body in order)
    inner = sorted(
        (*sorted((position[first], position[second])), bond.key, bond.text) for first, second, bond in shape.inner
    )
    pairs = " ".join(f"{first}-{second}{text}" for first, second, _, text in inner)
    return f"<{'|'.join(text or '-' for text in outer)}; {pairs}> {shape.suffix}"


def _quotient(colours: Sequence[object], edges: Sequence[dict[int, tuple[tuple[int, int], ...]]]) -> str:
    """Describe the stable parts: how many bodies of which colour, and the labels of one of them into every part."""
    parts = stable_parts(colours, edges)
    home = {body: number for number, part in enumerate(parts) for body in part}
    return repr(
        [
            (len(part), colours[part[0]], sorted((home[u], label) for u, label in edges[part[0]].items()))
            for part in parts
        ]
    )


def _digest(description: str) -> str:
    return hashlib.sha256(description.encode()).hexdigest()[:16]


def _parse_bond(part: str, text: str, space: Space) -> Bond:
    code = part.rstrip("*")
    allowed = {pair.code: pair for pair in pair_types(space) if pair.grade}
    if code not in allowed:
        shown = text[:80]
        if code in PAIR_TYPES and code != "W":
            raise InputError(
                f"signature {shown!r}: {code} has no meaning in the plane; types there: {', '.join(allowed)}"
            )
        raise InputError(
            f"signature {shown!r}: no pair type {code[:20]!r}{did_you_mean(code, allowed)} "
            f"(types: {', '.join(allowed)})"
        )
    driven = len(part) - len(code)
    if driven > allowed[code].grade:
        raise InputError(
            f"signature {text[:80]!r}: {part[:20]} drives {driven} freedoms, {code} has {allowed[code].grade}"
        )
    return Bond(code, driven)


def _not_a_group(text: str, pairs: int, units: int, freedoms: int) -> str:
    bodies = max(pairs - 1, 1)
    missing = freedoms * bodies - units
    hint = "too few; drive more freedoms (one * each)" if missing > 0 else "too many; drive fewer freedoms"
    return (
        f"signature {text[:80]!r} is not a structural group: its pairs impose {units} constraints, {bodies} "
        f"{'body has' if bodies == 1 else 'bodies have'} {freedoms * bodies} freedoms: {abs(missing)} {hint} or take "
        f"pairs that allow {'less' if missing > 0 else 'more'}"
    )
