"""The mechanism with a node for everything that several bodies share: pins of multiple joints, planes of sub-chains.

A joint of grade k on n bodies imposes (n - 1)(B - k) constraints, whatever tree of pairs stands for it. Written as a
node of its own with B - k freedoms, to which each of the n bodies is tied by B - k constraints, none of the trees is
preferred: sets that carry as much as they can in the model of any tree do so in this one too, so its groups are
the finest that any tree gives. The node is an ordinary body here, tied to the frame by k constraints, so that it has
B - k freedoms left. A sub-chain whose relative motions stay in a subgroup of dimension d is the same with k = d, and
its pairs then impose d - k + w constraints each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from symgen.topology.components import find_components
from symgen.topology.graph import FRAME, WELD, build_graph
from symgen.topology.matching import assign_units

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

NODE = "~"
"""First letter of the name of a node: no id of a file starts with it."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A number of scalar constraints between two bodies or nodes, as a joint that is free but for driven freedoms."""

    id: str
    type: str
    bodies: tuple[str, str]
    driven: int
    grade: int


@dataclass(frozen=True, slots=True)
class SharedModel:
    """What the structural analysis reads of a mechanism, with nodes as additional bodies."""

    space: str
    body_ids: tuple[str, ...]
    joints: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """Where bodies and nodes stand in the order of the groups of the model with nodes.

    Attributes
    ----------
    place : body or node -> number of its group, 0 for the frame; groups that depend on others have higher numbers.
        Bodies that are not determined stand behind all others.
    before : node -> places it depends on.
    over : bodies and nodes that carry too many constraints.
    under : bodies and nodes that carry too few.
    """

    place: Mapping[str, int]
    before: Mapping[str, tuple[int, ...]]
    over: frozenset[str]
    under: frozenset[str]


class ModelBuilder:
    """Collects bodies, nodes and ties.

    Parameters
    ----------
    mechanism : bodies and welds are taken from it, other joints are to be added.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.space = mechanism.space
        self.freedoms = 3 if mechanism.space == "planar" else 6
        self.ground = mechanism.body_ids[0]
        self.bodies = list(mechanism.body_ids)
        self.ties: list[Any] = [joint for joint in mechanism.joints if joint.type == WELD]

    def tie(self, first: str, second: str, constraints: int) -> None:
        """Add constraints between two bodies or nodes."""
        kind = "FP" if self.space == "planar" else "F"
        while constraints > 0:  # a pair has at most B of them
            share = min(constraints, self.freedoms)
            self.ties.append(Tie(f"t{len(self.ties)}", kind, (first, second), share, self.freedoms))
            constraints -= share

    def node(self, name: str, grade: int) -> None:
        """Add a node with B - `grade` freedoms."""
        self.bodies.append(name)
        self.tie(self.ground, name, grade)

    def order(self) -> NodeOrder:
        """Take the model apart."""
        model = SharedModel(self.space, tuple(self.bodies), tuple(self.ties))
        graph = build_graph(cast("Mechanism", model))
        assignment = assign_units(graph)
        components, _ = find_components(graph, assignment)
        place = dict.fromkeys(self.bodies, len(components) + 1)
        place.update(dict.fromkeys(graph.members[FRAME], 0))
        before: dict[str, tuple[int, ...]] = {}
        for number, component in enumerate(components, start=1):
            for v in component.vertices:
                place.update(dict.fromkeys(graph.members[v], number))
                before.update(dict.fromkeys(graph.members[v], tuple(b + 1 for b in component.depends_on)))
        over, under = (
            frozenset(name for v in part for name in graph.members[v]) for part in (assignment.over, assignment.under)
        )
        return NodeOrder(place, {name: before[name] for name in before if name.startswith(NODE)}, over, under)
