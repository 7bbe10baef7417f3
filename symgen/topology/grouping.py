"""From numbered components to the groups a user sees: pair lists, type, signature, reading order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from symgen.topology.components import Component
from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.signatures import Bond, GroupShape, read_chain, signature_of, type_name
from symgen.topology.structure import Group, GroupChain, PairEnd

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism


def build_groups(
    mechanism: Mechanism, graph: PairGraph, components: Sequence[Component], order: Sequence[int]
) -> tuple[Group, ...]:
    """Number the components in the given order and describe each as a group."""
    rank = {body: number for number, body in enumerate(mechanism.body_ids)}
    number_of = {c: number for number, c in enumerate(order, start=1)}
    group_of = [0 if v == FRAME else len(order) + 1 for v in range(graph.bodies)]  # bodies without a group come last
    for c, number in number_of.items():
        for v in components[c].vertices:
            group_of[v] = number
    return tuple(
        _build_group(
            graph, rank, group_of, components[c], number, tuple(sorted(number_of[b] for b in components[c].depends_on))
        )
        for number, c in enumerate(order, start=1)
    )


def _build_group(
    graph: PairGraph,
    rank: dict[str, int],
    group_of: Sequence[int],
    component: Component,
    number: int,
    depends_on: tuple[int, ...],
) -> Group:
    def place(a: int) -> tuple[int, int, int]:
        return rank[_body(graph, a)], rank[_body(graph, a ^ 1)], a

    own = sorted((a for v in component.vertices for a in graph.incident[v]), key=place)
    external = [a for a in own if group_of[graph.end[a ^ 1]] < number]
    assigns = [a for a in own if group_of[graph.end[a ^ 1]] > number]
    inside = [a for a in own if group_of[graph.end[a ^ 1]] == number]
    internal = [a for a in inside if rank[_body(graph, a)] < rank[_body(graph, a ^ 1)]]
    shape = _shape(graph, component.vertices, external, internal)
    active = [graph.joints[a // 2] for a in (*external, *internal)]
    return Group(
        number=number,
        level=component.level,
        bodies=tuple(sorted((body for v in component.vertices for body in graph.members[v]), key=rank.__getitem__)),
        type=type_name([joint.type for joint in active], shape.space),
        signature=signature_of(shape),
        driven=sum(joint.driven for joint in active),
        depends_on=depends_on,
        external=_pair_list(graph, external),
        internal=_pair_list(graph, internal),
        assigns=_pair_list(graph, assigns),
        chain=_chain(graph, component.vertices, shape, external),
    )


def _body(graph: PairGraph, half_edge: int) -> str:
    """Return the body id at a half-edge, as the joint names it."""
    return graph.joints[half_edge // 2].bodies[half_edge % 2]


def _pair_list(graph: PairGraph, half_edges: Iterable[int]) -> tuple[PairEnd, ...]:
    return tuple(
        PairEnd(graph.joints[a // 2].id, _body(graph, a), _body(graph, a ^ 1), graph.joints[a // 2].type)
        for a in half_edges
    )


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
    joint = graph.joints[half_edge // 2]
    return Bond(joint.type, joint.driven, half_edge // 2)


def _chain(graph: PairGraph, vertices: Sequence[int], shape: GroupShape, external: Iterable[int]) -> GroupChain | None:
    reading = read_chain(shape)
    if reading is None:
        return None
    across = {a // 2: _body(graph, a ^ 1) for a in external}
    ends = reading.bonds if len(vertices) == 1 else (reading.bonds[0], reading.bonds[-1])
    return GroupChain(
        joints=tuple(graph.joints[bond.number].id for bond in reading.bonds),
        bodies=tuple(graph.members[vertices[body]][0] for body in reading.bodies),
        known=tuple(across[bond.number] for bond in ends),
    )
