"""Legs that spin idly: sets of bodies that two S joints alone hold to all others.

Such a set turns as a whole about the line through the two centres, whatever its own joints and wherever they stand:
the rod of an RSSR linkage, a telescopic leg S-P-S, a frame of many bodies between two balls.

Two pairs are a cut of the graph if and only if the same cycles run through both. Cycles are sampled: each pair beside
a depth-first tree gets a random label, each pair of the tree the sum of the labels of all that pass over it; equal
labels mean, but for accidents of probability 2^-61, the same cycles. In a depth-first tree the pairs of one class
stand one above the other on one way from the root, and at most one pair closes the ring; what lies between two
neighbours of a class is what the tree has below the upper and not below the lower.

Source: D. Pritchard and R. Thurimella, "Fast computation of small cuts via cycle space sampling", 2011.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symgen.topology.graph import PairGraph
from symgen.topology.rank.twists import RandomSource


@dataclass(frozen=True, slots=True)
class BallLeg:
    """Bodies between two balls.

    Attributes
    ----------
    vertices : the bodies, ascending.
    balls : the two S pairs that hold them, ascending.
    pair : that of the two which can become U for this leg; no two legs have the same one.
    """

    vertices: tuple[int, ...]
    balls: tuple[int, int]
    pair: int


def find_ball_legs(graph: PairGraph, part: Sequence[int], pairs: Iterable[int]) -> list[BallLeg]:
    """Return the legs among some bodies, by their bodies, in linear time.

    Of three balls in series, two legs are given and not the swing of both as one.

    Parameters
    ----------
    part : bodies that can belong to legs; all others, the frame among them, count as one body at rest. If no pair
        leads there, the first of the part takes that place.
    pairs : the pairs that constrain.
    """
    pairs = set(pairs)
    if sum(_is_ball(graph, p) for p in pairs) < 2 or not part:
        return []
    tree = _BodyForest(graph, part, pairs)
    labels = tree.labels()
    classes: dict[int, list[int]] = {}
    for p in sorted(pairs):
        if labels.get(p) and _is_ball(graph, p):
            classes.setdefault(labels[p], []).append(p)
    legs: list[BallLeg] = []
    for balls in classes.values():
        legs += _legs_of_class(graph, tree, balls)
    return sorted(legs, key=lambda leg: leg.vertices)


def _is_ball(graph: PairGraph, pair: int) -> bool:
    return graph.kinds[pair] == ("S", 0) and graph.units[pair] == 3


def _legs_of_class(graph: PairGraph, tree: _BodyForest, balls: Sequence[int]) -> Iterator[BallLeg]:
    ring = sorted((p for p in balls if p in tree.below), key=lambda p: tree.place[tree.below[p]])
    closing = [p for p in balls if p not in tree.below]
    taken: set[int] = set()
    for upper, lower in pairwise([*ring, *closing]):
        inside = tree.under(tree.below[upper])
        if lower in tree.below:
            without = set(tree.under(tree.below[lower]))
            inside = [v for v in inside if v not in without]
        choices = [p for p in (upper, lower) if p not in taken]
        pair = max(choices, key=lambda p: (graph.joints[p].multiple is None, p))
        taken.add(pair)
        first, second = sorted((upper, lower))
        yield BallLeg(tuple(sorted(inside)), (first, second), pair)


_REST = -1


class _BodyForest:
    """Depth-first forest over the bodies of a part and one body that stands for all others.

    Attributes
    ----------
    order : vertices in the order in which they are reached, below each other without gaps.
    place : where they stand in it.
    below : for each pair of the forest the vertex that it leads to.
    """

    def __init__(self, graph: PairGraph, part: Sequence[int], pairs: Collection[int]) -> None:
        self._inside = set(part)
        self._end = graph.end
        around: dict[int, list[int]] = {v: [a for a in graph.incident[v] if a >> 1 in pairs] for v in part}
        around[_REST] = [a ^ 1 for v in part for a in around[v] if graph.end[a ^ 1] not in self._inside]
        self._around = around
        self.order: list[int] = []
        self.place: dict[int, int] = {}
        self.below: dict[int, int] = {}
        self._above: dict[int, int] = {}
        self._size: dict[int, int] = {}
        for root in (_REST, *part):
            if root not in self.place:
                self._grow(root)

    def _across(self, a: int) -> int:
        v = self._end[a ^ 1]
        return v if v in self._inside else _REST

    def _enter(self, v: int) -> None:
        self.place[v] = len(self.order)
        self.order.append(v)

    def _grow(self, root: int) -> None:
        self._enter(root)
        stack = [(root, iter(self._around[root]))]
        while stack:
            v, rest = stack[-1]
            for a in rest:
                u = self._across(a)
                if u not in self.place:
                    self.below[a >> 1] = u
                    self._above[u] = v
                    self._enter(u)
                    stack.append((u, iter(self._around[u])))
                    break
            else:
                self._size[v] = len(self.order) - self.place[v]
                stack.pop()

    def under(self, v: int) -> list[int]:
        """Return a vertex and all below it."""
        return self.order[self.place[v] : self.place[v] + self._size[v]]

    def labels(self) -> dict[int, int]:
        """Return the label of each pair; 0 for a pair that lies in no cycle."""
        placement = RandomSource(len(self.order))
        sums = dict.fromkeys(self.order, 0)
        labels: dict[int, int] = {}
        for v in self.order:
            for a in self._around[v]:
                if a >> 1 not in self.below and a >> 1 not in labels:
                    labels[a >> 1] = label = placement.number()
                    sums[v] ^= label
                    sums[self._across(a)] ^= label
        pair_above = {v: p for p, v in self.below.items()}
        for v in reversed(self.order):
            if v in pair_above:
                labels[pair_above[v]] = sums[v]
                sums[self._above[v]] ^= sums[v]
        return labels
