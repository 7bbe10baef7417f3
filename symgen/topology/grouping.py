"""From numbered components to the groups a user sees: pair lists, type, signature, reading order.

Groups are described when they are looked at; type and signature once for each
shape (see `symgen.topology.local_shapes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from symgen.model.pairs import Space
from symgen.topology.components import Component
from symgen.topology.graph import FRAME, PairGraph, PairSource
from symgen.topology.local_shapes import Key, LocalShapes
from symgen.topology.signatures import Bond, GroupShape, read_chain, signature_of, type_name
from symgen.topology.structure import Group, GroupChain, PairEnd

#: Larger groups have no key: equal shapes are rare among them.
LARGEST_KEY = 30


class GroupTable:
    """The groups of a mechanism: number n, from 1, is component ``order[n - 1]``.

    Attributes
    ----------
    graph, components, order : as given.
    groups : the groups in their order; their descriptions are made when they are read.
    shapes : makes keys.
    keys : key of each group in their order; None for one of more than `LARGEST_KEY` bodies.
    """

    def __init__(
        self, mechanism: PairSource, graph: PairGraph, components: Sequence[Component], order: Sequence[int]
    ) -> None:
        self.graph, self.components, self.order = graph, components, order
        self._mechanism = mechanism
        self._facts: dict[Key, dict[str, Any]] = {}
        number_of = [0] * len(order)
        group_of = [len(order) + 1] * graph.bodies  # bodies without a group come last
        group_of[FRAME] = 0
        for number, c in enumerate(order, start=1):
            number_of[c] = number
            for v in components[c].vertices:
                group_of[v] = number
        self._group_of = group_of
        self.shapes = LocalShapes(graph, group_of)
        self.groups = tuple(
            Group.filled_later(
                number, components[c].level, tuple(sorted([number_of[b] for b in components[c].depends_on])), self
            )
            for number, c in enumerate(order, start=1)
        )
        self.keys: list[Key | None] = [
            self.shapes.key(components[c].vertices) if len(components[c].vertices) <= LARGEST_KEY else None
            for c in order
        ]

    def vertices(self, number: int) -> tuple[int, ...]:
        """Return the vertices of a group, ascending."""
        return self.components[self.order[number - 1]].vertices

    def describe(self, number: int, field: str) -> Mapping[str, Any]:
        """Return a field of a group, and others that take no further work."""
        vertices = self.vertices(number)
        if field == "bodies":
            bodies = [body for v in vertices for body in self.graph.members[v]]
            return {field: tuple(sorted(bodies, key=self._rank.__getitem__) if self._rank else bodies)}
        if field in ("type", "signature", "driven"):
            return self._shape_facts(number, vertices, field)
        external, internal, assigns = self._active(number, vertices)
        if field == "chain":
            return {field: _chain(self.graph, vertices, external, internal)}
        lists = {"external": external, "internal": internal, "assigns": assigns}
        return {name: _pair_list(self.graph, half_edges) for name, half_edges in lists.items()}

    def _shape_facts(self, number: int, vertices: Sequence[int], field: str) -> Mapping[str, Any]:
        """Return what groups of one shape share."""
        key = self.keys[number - 1]
        facts = {} if key is None else self._facts.setdefault(key, {})
        if field not in facts:
            external, internal, _ = self._active(number, vertices)
            kinds = [self.graph.kinds[a // 2] for a in (*external, *internal)]
            space: Space = "planar" if self.graph.freedoms == 3 else "spatial"
            if field == "signature":
                facts[field] = signature_of(_shape(self.graph, vertices, external, internal))
            else:
                facts["type"] = type_name([type_ for type_, _ in kinds], space)
                facts["driven"] = sum(driven for _, driven in kinds)
        return facts

    def _active(self, number: int, vertices: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Return the half-edges to earlier groups, those inside (once each) and those to later ones, as printed."""
        graph, ranks, group_of = self.graph, self._rank, self._group_of

        def rank(a: int) -> int:
            return ranks[_body(graph, a)] if ranks else graph.end[a]

        def place(a: int) -> tuple[int, int, int]:
            return rank(a), rank(a ^ 1), a

        own = sorted((a for v in vertices for a in graph.incident[v]), key=place)
        external = [a for a in own if group_of[graph.end[a ^ 1]] < number]
        inside = [a for a in own if group_of[graph.end[a ^ 1]] == number]
        internal = [a for a in inside if rank(a) < rank(a ^ 1)]
        return external, internal, [a for a in own if group_of[graph.end[a ^ 1]] > number]

    @cached_property
    def _rank(self) -> Mapping[str, int] | None:
        """Return the rank of each body in the file; None if no bodies are welded: then vertices rank alike."""
        if len(self.graph.members) == len(self._mechanism.body_ids):
            return None
        return {body: number for number, body in enumerate(self._mechanism.body_ids)}


def _body(graph: PairGraph, half_edge: int) -> str:
    """Return the body id at a half-edge, as the joint names it."""
    return graph.joints[half_edge // 2].bodies[half_edge % 2]


def _pair_list(graph: PairGraph, half_edges: Iterable[int]) -> tuple[PairEnd, ...]:
    pairs = []
    for a in half_edges:
        joint = graph.joints[a // 2]
        pairs.append(PairEnd(joint.id, joint.bodies[a % 2], joint.bodies[1 - a % 2], joint.type))
    return tuple(pairs)


def _shape(graph: PairGraph, vertices: Sequence[int], external: Iterable[int], internal: Iterable[int]) -> GroupShape:
    """Return the group without names. Pairs without a constraint are no part of it: they change no equation."""
    position = {v: number for number, v in enumerate(vertices)}
    outer: list[list[Bond]] = [[] for _ in vertices]
    for a in external:
        if graph.units[a // 2]:
            outer[position[graph.end[a]]].append(_bond(graph, a))
    inner = tuple(
        (position[graph.end[a]], position[graph.end[a ^ 1]], _bond(graph, a)) for a in internal if graph.units[a // 2]
    )
    return GroupShape("planar" if graph.freedoms == 3 else "spatial", tuple(map(tuple, outer)), inner)


def _bond(graph: PairGraph, half_edge: int) -> Bond:
    return Bond(*graph.kinds[half_edge // 2], half_edge // 2)


def _chain(
    graph: PairGraph, vertices: Sequence[int], external: Sequence[int], internal: Sequence[int]
) -> GroupChain | None:
    reading = read_chain(_shape(graph, vertices, external, internal))
    if reading is None:
        return None
    across = {a // 2: _body(graph, a ^ 1) for a in external}
    ends = reading.bonds if len(vertices) == 1 else (reading.bonds[0], reading.bonds[-1])
    return GroupChain(
        joints=tuple(graph.joints[bond.number].id for bond in reading.bonds),
        bodies=tuple(graph.members[vertices[body]][0] for body in reading.bodies),
        known=tuple(across[bond.number] for bond in ends),
    )
