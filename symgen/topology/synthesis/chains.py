"""Kinematic chains and trusses whose pairs all have one grade: all of them, each once, grown body by body.

A chain of n links and m pairs of grade k (each imposes c = B - k constraints)
has mobility f = B(n - 1) - c m. What is wanted is connected, has no link with
fewer than two pairs, and no part T of its links is stiffer than allowed:

    B(|T| - 1) - c e(T) >= s     for every proper part T of two or more links,

e(T) being the pairs within T: s = 1 forbids rigid sub-chains, s = 0 allows
them but no over-constrained ones. The condition holds for every part of a
graph for which it holds, and some link of at most ceil(2B/c) - 1 pairs can
always be taken away without disconnecting the rest: a leaf block has, on
average, fewer than 2B/c pairs a link. So every chain is reached from a
smaller one by adding one link; isomorphic ones are recognised by their
canonical form, and of the ways to reach a chain those are left out early that
do not add the link which is least by a simple measure (B. D. McKay,
"Isomorph-free exhaustive generation", 1998, in weak form).

Source of the counts this reproduces for planar chains of R: T. S. Mruthyunjaya,
"Kinematic structure of mechanisms revisited", 2003.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from symgen.errors import InputError
from symgen.model.pairs import Space
from symgen.topology.synthesis.small_graphs import (
    Graph,
    canonical_form,
    cut_vertices,
    edges_of,
    is_connected,
    members,
)

#: Told how many of the graphs of a stage are done: (done, total, what).
Progress = Callable[[int, int, str], None]

MOST_LINKS = 16
_NEVER = 1 << 20


@dataclass(frozen=True, slots=True)
class ChainFamily:
    """What chains are wanted.

    Parameters
    ----------
    links : number of links n, the frame counted.
    mobility : f, freedoms of the chain as a whole; 0 for a truss.
    space : "planar" (B = 3) or "spatial" (B = 6).
    grade : freedoms of every pair.
    rigid_parts : True if rigid sub-chains are allowed.
    """

    links: int
    mobility: int = 1
    space: Space = "planar"
    grade: int = 1
    rigid_parts: bool = False

    @property
    def freedoms(self) -> int:
        """B: 3 or 6."""
        return 3 if self.space == "planar" else 6

    @property
    def load(self) -> int:
        """c, constraints of one pair."""
        return self.freedoms - self.grade

    @property
    def pairs(self) -> int:
        """m, number of pairs.

        Raises
        ------
        InputError
            if there is no such family.
        """
        self._check()
        total = self.freedoms * (self.links - 1) - self.mobility
        if total % self.load:
            near = ", ".join(map(str, self._near_sizes()))
            raise InputError(
                f"{self.links} links, mobility {self.mobility}: {self.freedoms}*({self.links} - 1) - {self.mobility} = "
                f"{total} constraints are no multiple of {self.load}, the number that one pair of {self.grade} "
                f"freedom{'s' * (self.grade > 1)} imposes; link numbers that fit: {near}"
            )
        return total // self.load

    def _near_sizes(self) -> list[int]:
        def fits(n: int) -> bool:
            return n > 1 and (self.freedoms * (n - 1) - self.mobility) % self.load == 0

        return [n for n in range(max(2, self.links - self.load), self.links + self.load + 1) if fits(n)][:4]

    def _check(self) -> None:
        if not 2 <= self.links <= MOST_LINKS:
            raise InputError(f"{self.links} links: allowed are 2 to {MOST_LINKS}")
        if not 1 <= self.grade < self.freedoms:
            raise InputError(
                f"pairs of {self.grade} freedoms: allowed are 1 to {self.freedoms - 1} ({self.space} mechanisms)"
            )
        if self.mobility < 0:
            raise InputError(
                f"mobility {self.mobility}: must not be negative; overconstrained chains are not enumerated"
            )


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain; links are numbered from 0 in canonical order, those with most joints first.

    Attributes
    ----------
    graph : neighbour masks of the links.
    joints : edges (link, link) in lexical order.
    fractionated : True if it falls apart when one link (or pair) is cut: its parts move independently.
    """

    graph: Graph
    joints: tuple[tuple[int, int], ...]
    fractionated: bool


def find_chains(family: ChainFamily, progress: Progress | None = None) -> list[Chain]:
    """Return all chains of a family, each once, in a fixed order.

    Cost for planar chains of R and f = 1, on one core: 230 of 10 links in 0.1 s, 6856 of 12 in 3 s.

    Raises
    ------
    InputError
        if sizes are out of range or do not fit together.
    """
    family.pairs  # noqa: B018 - refuses before the work
    level: list[Graph] = [(0,)]
    for size in range(2, family.links + 1):
        growth = _Growth(family, size)
        found: set[Graph] = set()
        for done, graph in enumerate(level):
            if progress is not None and done % 64 == 0:
                progress(done, len(level), f"{size} of {family.links} links")
            found.update(growth.children(graph))
        level = sorted(found)
    chains = [_chain(graph) for graph in level]
    return sorted(chains, key=lambda chain: (chain.fractionated, _degrees(chain.graph), chain.joints))


def _degrees(graph: Graph) -> list[int]:
    return sorted(-mask.bit_count() for mask in graph)


def _chain(graph: Graph) -> Chain:
    graph, _ = canonical_form(graph, [-mask.bit_count() for mask in graph])
    return Chain(graph, tuple(edges_of(graph)), bool(cut_vertices(graph)))


class _Growth:
    """Adds one link to graphs of ``size - 1`` links."""

    def __init__(self, family: ChainFamily, size: int) -> None:
        self.family, self.size = family, size
        self.left = family.links - size
        self.most = -(-2 * family.freedoms // family.load) - 1
        self.least_free = 0 if family.rigid_parts else 1
        self.weights = np.array([mask.bit_count() for mask in range(1 << self.most)], dtype=np.int64)

    def children(self, graph: Graph) -> Iterator[Graph]:
        """Yield canonical forms of all graphs that a link more makes of this one and that may lead to a chain."""
        old = len(graph)
        edges = sum(mask.bit_count() for mask in graph) // 2
        spare = self._spare(graph)
        lacking = [max(0, 2 - mask.bit_count()) for mask in graph]
        deficit = sum(lacking)
        for degree in range(1, min(self.most, old) + 1):
            missing = self.family.pairs - edges - degree
            if not self.left <= missing <= self.left * self.most:
                continue
            # a later link of d pairs mends at most d lacking pairs, and is itself complete only from two pairs on
            most_lacking = min(2 * (missing - self.left), self.left * self.most)
            for chosen in combinations(range(old), degree):
                lack = deficit - sum(min(1, lacking[v]) for v in chosen) + max(0, 2 - degree)
                if lack > most_lacking or not self._fits(spare, chosen):
                    continue
                grown = self._join(graph, chosen)
                if self._is_least(grown):
                    yield canonical_form(grown)[0]

    def _spare(self, graph: Graph) -> list[int]:
        """Return, for every set of links, the least B(|T| - 1) - c e(T) - s over the parts T that contain it."""
        b, c = self.family.freedoms, self.family.load
        free = np.array([-b], dtype=np.int64)
        for v, mask in enumerate(graph):
            parts = np.arange(1 << v, dtype=np.int64)
            free = np.concatenate([free, free + b - c * _bit_counts(parts & mask)])
        free -= self.least_free
        free[0] = _NEVER
        if not self.left:
            free[-1] = (
                _NEVER  # the whole has the mobility asked for, which for a truss is less than its parts must have
            )
        for v in range(len(graph)):
            halves = free.reshape(-1, 2, 1 << v)
            halves[:, 0, :] = np.minimum(halves[:, 0, :], halves[:, 1, :])
        result: list[int] = free.tolist()
        return result

    def _fits(self, spare: list[int], chosen: tuple[int, ...]) -> bool:
        """Tell whether a link joined to the chosen ones leaves every part as free as it must be."""
        b, c = self.family.freedoms, self.family.load
        for count in range(b // c + 1, len(chosen) + 1):
            for part in combinations(chosen, count):
                if spare[sum(1 << v for v in part)] + b - c * count < 0:
                    return False
        return True

    def _join(self, graph: Graph, chosen: tuple[int, ...]) -> Graph:
        masks = list(graph)
        new = 0
        for v in chosen:
            masks[v] |= 1 << len(graph)
            new |= 1 << v
        return (*masks, new)

    def _is_least(self, graph: Graph) -> bool:
        """Tell whether no other link that could have come last is smaller by (pairs, pairs of the neighbours)."""
        degrees = [mask.bit_count() for mask in graph]
        newest = len(graph) - 1
        measure = _measure(graph, degrees, newest)
        every = (1 << len(graph)) - 1
        for v in range(newest):
            smaller = degrees[v] <= degrees[newest] and _measure(graph, degrees, v) < measure
            if smaller and is_connected(graph, every & ~(1 << v)):
                return False
        return True


def _measure(graph: Graph, degrees: list[int], v: int) -> tuple[int, list[int]]:
    return degrees[v], sorted(degrees[u] for u in members(graph[v]))


_COUNTS = np.array([mask.bit_count() for mask in range(1 << MOST_LINKS)], dtype=np.int64)


def _bit_counts(masks: np.ndarray[tuple[int], np.dtype[np.int64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts: np.ndarray[tuple[int], np.dtype[np.int64]] = _COUNTS[masks]
    return counts
