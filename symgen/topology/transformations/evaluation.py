"""What a choice of inputs makes of the mechanism: number, size and kind of the groups, regular or not.

Many choices share most of their groups. A group is known by its bodies and its active pairs
with their inputs; signatures and verdicts are kept by that key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.topology.components import find_components
from symgen.topology.findings.diagnosis import judge_group
from symgen.topology.graph import FRAME
from symgen.topology.matching import Assignment
from symgen.topology.ordering import order_strict
from symgen.topology.signatures import Bond, GroupShape, signature_of
from symgen.topology.transformations.exchange import Matching
from symgen.topology.transformations.ground_set import Choice, GroundSet, assign
from symgen.topology.transformations.motions import find_motions

_GroupKey = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class ChoiceStructure:
    """Structure of the mechanism under a choice.

    Attributes
    ----------
    groups : number of structural groups.
    largest : number of bodies of the largest.
    levels : number of levels, groups of one level being independent of each other.
    regular : the inputs fix every body for almost every geometry (test L3; L2 where pair types or size forbid L3).
    signatures : of the groups, in canonical order.
    """

    groups: int
    largest: int
    levels: int
    regular: bool
    signatures: tuple[str, ...]


class Evaluator:
    """Finds the structure of one valid choice after the other."""

    def __init__(self, ground: GroundSet) -> None:
        self.ground = ground
        self._motions = find_motions(ground.graph, ground.highest)
        self._matching: Matching | None = None
        self._signatures: dict[_GroupKey, str] = {}
        self._verdicts: dict[_GroupKey, bool] = {}

    def evaluate(self, choice: Choice) -> ChoiceStructure:
        """Return the structure under a valid choice."""
        graph = self.ground.graph
        matching = self._match(choice)
        assignment = Assignment(matching.held, matching.load, (), ())
        components, _ = find_components(graph, assignment)
        ordered = [components[c] for c in order_strict(components)]
        keys = [self._key(choice, matching, component.vertices) for component in ordered]
        return ChoiceStructure(
            groups=len(components),
            largest=max(len(component.vertices) for component in components),
            levels=max(component.level for component in components),
            regular=self._is_regular(choice, assignment, keys),
            signatures=tuple(self._signature(key) for key in keys),
        )

    def _match(self, choice: Choice) -> Matching:
        if self._matching is None:
            start = assign(self.ground, choice)
            self._matching = Matching(self.ground.graph, list(choice), start.held, start.load)
        else:
            self._matching.move_to(choice)
        return self._matching

    def _key(self, choice: Choice, matching: Matching, vertices: tuple[int, ...]) -> _GroupKey:
        held, incident = matching.held, self.ground.graph.incident
        active = sorted({a // 2 for v in vertices for a in incident[v] if held[a]})
        return vertices, tuple((p, choice[p]) for p in active)

    def _signature(self, key: _GroupKey) -> str:
        known = self._signatures.get(key)
        if known is None:
            known = self._signatures[key] = signature_of(self._shape(key))
        return known

    def _shape(self, key: _GroupKey) -> GroupShape:
        graph = self.ground.graph
        vertices, active = key
        position = {v: number for number, v in enumerate(vertices)}
        outer: list[list[Bond]] = [[] for _ in vertices]
        inner = []
        for p, driven in active:
            ends = [position[v] for v in (graph.end[2 * p], graph.end[2 * p + 1]) if v != FRAME and v in position]
            bond = Bond(graph.joints[p].type, driven, p)
            if len(ends) == 1:
                outer[ends[0]].append(bond)
            else:
                inner.append((ends[0], ends[1], bond))
        return GroupShape("planar" if graph.freedoms == 3 else "spatial", tuple(map(tuple, outer)), tuple(inner))

    def _is_regular(self, choice: Choice, assignment: Assignment, keys: Sequence[_GroupKey]) -> bool:
        if self._motions is not None:
            return self._motions.are_fixed_by(choice)
        for key in keys:
            if key not in self._verdicts:
                finding = judge_group(self.ground.graph_of(choice), assignment, key[0], 0, False)
                self._verdicts[key] = finding is None or finding.kind == "unchecked"
            if not self._verdicts[key]:
                return False
        return True
