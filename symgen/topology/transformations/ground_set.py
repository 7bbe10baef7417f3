"""The ground set of a mechanism's inputs: which pairs can be driven, how far, and a first valid choice.

A choice is one number w for each pair: how many of its freedoms are driven. It
is valid if no set of bodies carries more constraints than freedoms and the
totals agree (test L1). With one clone of a pair for each of its freedoms the
valid choices are the bases of a matroid: of the constraint units that can be
assigned to bodies (transversal matroid), contracted by the units of the joints
themselves and restricted to the clones. As vectors w they are the integer points
of a base polytope: if w and w' are valid and w_a > w'_a, then there is a b with w_b < w'_b
such that taking one from a and giving one to b keeps w valid. Bounds on single entries keep this law.

Sources: J. Edmonds, "Submodular functions, matroids, and certain polyhedra",
1970; K. Murota, "Discrete Convex Analysis", 2003 (M-convex sets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symgen.topology.graph import PairGraph, build_graph
from symgen.topology.matching import Assignment, assign_units
from symgen.topology.transformations.exchange import Matching

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

Choice = tuple[int, ...]
"""Driven freedoms of each pair of the graph."""


@dataclass(frozen=True, slots=True)
class GroundSet:
    """What may be chosen.

    Attributes
    ----------
    graph : the pair graph; the inputs its joints have are not looked at here.
    lowest, highest : bounds of each pair's driven freedoms, 0 <= lowest <= highest <= grade.
    inputs : the number of freedoms to drive, f of Eq. (2).
    """

    graph: PairGraph
    lowest: Choice
    highest: Choice
    inputs: int

    def units_of(self, choice: Sequence[int]) -> list[int]:
        """Return the constraint units of each pair under a choice."""
        base = self.graph.freedoms
        return [base - joint.grade + w for joint, w in zip(self.graph.joints, choice, strict=True)]

    def graph_of(self, choice: Sequence[int]) -> PairGraph:
        """Return the pair graph with the inputs of a choice."""
        joints = tuple(
            replace(joint, driven=w, driven_freedoms=None) for joint, w in zip(self.graph.joints, choice, strict=True)
        )
        return replace(self.graph, joints=joints, units=self.units_of(choice))

    def named(self, choice: Sequence[int]) -> dict[str, int]:
        """Return a choice as joint -> number of driven freedoms, undriven joints left out."""
        return {joint.id: w for joint, w in zip(self.graph.joints, choice, strict=True) if w}

    def numbered(self, inputs: Mapping[str, int]) -> Choice:
        """Return the choice with these inputs."""
        return tuple(inputs.get(joint.id, 0) for joint in self.graph.joints)


def make_ground_set(
    mechanism: Mechanism, lowest: Mapping[str, int] | None = None, highest: Mapping[str, int] | None = None
) -> GroundSet:
    """Return the ground set of a mechanism; bounds by joint, none by default.

    The bounds are taken as they are: see `symgen.topology.transformations.preferences`.
    """
    graph = build_graph(mechanism)
    low, high = lowest or {}, highest or {}
    return GroundSet(
        graph,
        tuple(low.get(joint.id, 0) for joint in graph.joints),
        tuple(min(joint.grade, high.get(joint.id, joint.grade)) for joint in graph.joints),
        graph.mobility,
    )


def count_vectors(ground: GroundSet) -> int:
    """Return the number of vectors w within the bounds and with the right sum, valid or not."""
    return count_bounded(ground.lowest, ground.highest, ground.inputs)


def count_bounded(lowest: Sequence[int], highest: Sequence[int], total: int) -> int:
    """Return the number of vectors of whole numbers within bounds with this sum."""
    if total < sum(lowest) or total > sum(highest):
        return 0
    counts = [1] + [0] * (total - sum(lowest))
    for low, high in zip(lowest, highest, strict=True):
        room = high - low
        counts = [sum(counts[max(0, s - room) : s + 1]) for s in range(len(counts))]
    return counts[-1]


def assign(ground: GroundSet, choice: Sequence[int]) -> Assignment:
    """Assign the units of a choice from nothing."""
    return assign_units(replace(ground.graph, units=ground.units_of(choice)))


def greedy_matching(ground: GroundSet, order: Sequence[int] | None = None) -> Matching | None:
    """Drive pair after pair as far as bounds and bodies allow; None if the lowest inputs alone are too many.

    Parameters
    ----------
    order : the pairs in the order in which they are driven; by default that of the file. Every vertex of the
        base polytope is the answer to some order (Edmonds' greedy algorithm).
    """
    start = assign(ground, ground.lowest)
    if start.over:
        return None
    matching = Matching(ground.graph, list(ground.lowest), start.held, start.load)
    for p in order if order is not None else range(len(ground.lowest)):
        while matching.inputs[p] < ground.highest[p] and matching.drive(p):
            pass
    return matching


def first_matching(ground: GroundSet, order: Sequence[int] | None = None) -> Matching | None:
    """Return a valid choice with its assignment, or None if there is none; `order` as in `greedy_matching`."""
    if any(ground.graph.freedoms > joint.grade for joint in ground.graph.inner):
        return None
    matching = greedy_matching(ground, order)
    return matching if matching is not None and matching.is_complete else None
