"""A 2-connected part of a mechanism: its equations of equilibrium, as a whole and with loops cut.

Whole: A, one row of blocks for each body but one. Cut: a spanning tree of the sources with the largest ranks; the
wrenches w_c of the others load it, and each of its joints must hold what lies beyond it without moving:

    D mu_c = 0,   D = Z^T A_c (freedoms of the tree's joints x constraints that are cut),   mu_t = -A_t^+ A_c mu_c

A tree holds any load that does no work on its freedoms, in one way, so both have the same null space; D is the smaller.
Wrenches are about the middle of the block, in its own unit of length, and have unit length: mu_k = |a_k| lambda_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from symgen.poses import Array
from symgen.reactions.decision import EPS, Decision, decide
from symgen.reactions.wrenches import Source, WrenchSystem, moved
from symgen.topology.loops.spanning_tree import other_end, tree_by_rank
from symgen.topology.loops.two_connected import blocks_of

#: A wrench shorter than this, in sizes, is none.
_NONE = 1e-7
#: Products of an orthogonalisation beyond which it takes seconds.
_MOST = 2_000_000_000


@dataclass(frozen=True, eq=False)
class Block:
    """A 2-connected part.

    Parameters
    ----------
    numbers : of its sources in the system.
    sources : themselves.
    ends : of each source, numbers of its bodies within the block.
    members : numbers of these bodies in the system, 0 the ground.
    width : equations of a body.
    loads : of each source, the wrenches (width, c) about the middle of the block, of unit length.
    lengths : (columns,) lengths that the wrenches had: mu = lengths lambda.
    middle, unit : where moments are about, and their unit of length [m].
    """

    numbers: tuple[int, ...]
    sources: tuple[Source, ...]
    ends: tuple[tuple[int, int], ...]
    members: tuple[int, ...]
    width: int
    loads: tuple[Array, ...]
    lengths: Array
    middle: Array
    unit: float

    @property
    def bodies(self) -> int:
        """How many bodies it has."""
        return len(self.members)

    @property
    def columns(self) -> int:
        """Constraints of its sources."""
        return len(self.lengths)

    @cached_property
    def places(self) -> tuple[slice, ...]:
        """Columns of each source."""
        ends = np.cumsum([0, *(load.shape[1] for load in self.loads)]).tolist()
        return tuple(slice(one, two) for one, two in pairwise(ends))

    @cached_property
    def matrix(self) -> Array:
        """A: the equations of equilibrium of all bodies but the first."""
        found = np.zeros((self.width * (self.bodies - 1), self.columns))
        for (first, second), load, place in zip(self.ends, self.loads, self.places, strict=True):
            for body, sign in ((first, -1.0), (second, 1.0)):
                if body:
                    found[self.width * (body - 1) : self.width * body, place] = sign * load
        return found

    @cached_property
    def cut(self) -> CutForm:
        """The form with cut loops."""
        return CutForm(self)

    def undriven(self) -> Block:
        """Return it with drives that hold nothing."""
        loads = tuple(
            load if source.freedom is None else load[:, :0]
            for source, load in zip(self.sources, self.loads, strict=True)
        )
        kept = [k for s, place in zip(self.sources, self.places, strict=True) if not s.freedom for k in _range(place)]
        return replace(self, loads=loads, lengths=self.lengths[kept])


class CutForm:
    """A block with its loops cut: D, its rank, states of self-stress and motions."""

    def __init__(self, block: Block) -> None:
        self._block, self._tree = block, _BlockTree(block)
        self._cut = np.array([k for source in self._tree.cut for k in _range(block.places[source])], dtype=int)
        self._work = self._tree.work(self._tree.transmitted(np.eye(len(self._cut))))
        self._decision = decide(self._work)

    @cached_property
    def null(self) -> Decision:
        """Rank and null space of A."""
        block, decision = self._block, self._decision
        held = block.columns - len(self._cut)
        null: Array = np.zeros((block.columns, decision.null.shape[1]))
        if null.size:
            null[self._cut] = decision.null
            self._tree.hold(self._tree.transmitted(decision.null), null)
            null = _normal(null)
        tolerance = max(decision.tolerance, 100.0 * max(block.columns, block.width * block.bodies) * EPS)
        return Decision(held + decision.rank, decision.gap, decision.least, tolerance, null)

    def motion(self, random: np.random.Generator) -> Array:
        """Return a motion of first order (bodies, width) that all sources allow, drawn at random; the first body rests.

        Twists are [v / unit, omega] about the middle, the largest part one; none where nothing moves.
        """
        rates = self._tree.drawn(random)
        spread = self._decision.spread
        if len(self._work) == self._decision.rank or spread is None:
            return np.zeros((self._block.bodies, self._block.width))
        held = self._work @ spread
        for _ in range(2):  # once more for rounding
            rates = rates - held @ (held.T @ rates)
        found = self._tree.twists(rates)
        most = float(np.abs(found).max(initial=0.0))
        return found / most if most > 0.0 else found


def _range(place: slice) -> range:
    return range(place.start, place.stop)


class _BlockTree:
    """A spanning tree of a block and what its joints have to hold."""

    def __init__(self, block: Block) -> None:
        self.block = block
        # A drive is never in the tree: it holds one freedom of a joint beside it.
        ranks = [len(block.loads) if s.freedom else block.width - s.count for s in block.sources]
        parents = tree_by_rank(block.bodies, block.ends, ranks)
        used = set(parents)
        self.cut = [k for k in range(len(block.sources)) if k not in used]
        depth = _depths(parents, block.ends)
        self._outward = sorted(range(1, block.bodies), key=depth.__getitem__)
        self._parents = parents

    def transmitted(self, amounts: Array) -> dict[int, Array]:
        """Return source of the tree -> (width, k) what it exerts on its second body.

        Parameters
        ----------
        amounts : (cut columns, k).
        """
        block = self.block
        carried = np.zeros((block.bodies, block.width, amounts.shape[1]))
        start = 0
        for k in self.cut:
            load = block.loads[k]
            wrench = load @ amounts[start : start + load.shape[1]]
            start += load.shape[1]
            first, second = block.ends[k]
            carried[second] += wrench
            carried[first] -= wrench
        found: dict[int, Array] = {}
        for body in reversed(self._outward):
            source = self._parents[body]
            before = other_end(block.ends[source], body)
            found[source] = carried[body] if block.ends[source][0] == body else -carried[body]
            carried[before] += carried[body]
        return found

    def work(self, transmitted: dict[int, Array]) -> Array:
        """Return D: the work of what is transmitted on each freedom of the tree."""
        rows = [self._freedoms(source).T @ wrench for source, wrench in transmitted.items()]
        count = sum(self.block.loads[k].shape[1] for k in self.cut)
        return np.concatenate(rows) if rows else np.zeros((0, count))

    def twists(self, rates: Array) -> Array:
        """Return the twists (bodies, width) at rates of the freedoms, in the order of the rows of D."""
        steps, start = dict[int, Array](), 0
        for body in reversed(self._outward):
            freedoms = self._freedoms(self._parents[body])
            steps[body] = freedoms @ rates[start : start + freedoms.shape[1]]
            start += freedoms.shape[1]
        found = np.zeros((self.block.bodies, self.block.width))
        for body in self._outward:
            ends = self.block.ends[self._parents[body]]
            found[body] = found[other_end(ends, body)] + (steps[body] if ends[1] == body else -steps[body])
        return found

    def drawn(self, random: np.random.Generator) -> Array:
        """Return rates of the freedoms, in the order of the rows of D: of twists drawn at random what joints allow.

        Not rates drawn at random: which basis of its freedoms a joint has is rounding alone, on each machine another.
        """
        parents = (self._parents[body] for body in reversed(self._outward))
        rates = [self._freedoms(source).T @ random.standard_normal(self.block.width) for source in parents]
        return np.concatenate(rates) if rates else np.zeros(0)

    def _freedoms(self, source: int) -> Array:
        """Return what a joint of the tree allows its second body, (width, freedoms)."""
        left, sizes, _ = np.linalg.svd(self.block.loads[source], full_matrices=True)
        freedoms: Array = left[:, int(np.count_nonzero(sizes > _NONE)) :]
        return freedoms

    def hold(self, transmitted: dict[int, Array], null: Array) -> None:
        """Fill in with which amounts the tree transmits that."""
        for source, wrench in transmitted.items():
            null[self.block.places[source]] = np.linalg.pinv(self.block.loads[source], rcond=_NONE) @ wrench


def _normal(null: Array) -> Array:
    """Return an orthonormal basis of the same span; a large one is only made no longer than one.

    The part of it that belongs to the cut constraints is orthonormal, so that it is never far from normal.
    """
    if null.shape[0] * null.shape[1] ** 2 <= _MOST:
        return np.linalg.qr(null)[0]
    most = np.abs(null).sum(axis=0).max() * np.abs(null).sum(axis=1).max()
    bounded: Array = null / np.sqrt(most)
    return bounded


def _depths(parents: Sequence[int], ends: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many joints lie between each body and the root."""
    depth = [0, *(-1 for _ in parents[1:])]
    for body in range(len(parents)):
        way = []
        while depth[body] < 0:
            way.append(body)
            body = other_end(ends[parents[body]], body)
        for number, each in enumerate(reversed(way), start=1):
            depth[each] = depth[body] + number
    return depth


def split(system: WrenchSystem) -> list[Block]:
    """Return the 2-connected parts of a system; sources that transmit nothing at all are in none."""
    numbers = [k for k, source in enumerate(system.sources) if source.count]
    ends = [system.sources[k].ends for k in numbers]
    parts = blocks_of(len(system.mechanism.bodies) + 1, ends)
    return [_block(system, [numbers[k] for k in part]) for part in parts]


def _block(system: WrenchSystem, numbers: Sequence[int]) -> Block:
    sources = tuple(system.sources[k] for k in numbers)
    bodies = sorted({body for source in sources for body in source.ends})
    number = {body: k for k, body in enumerate(bodies)}
    centres = np.array([source.centre for source in sources])
    middle = centres.mean(axis=0)
    spread = float(np.sqrt(np.mean(np.sum((centres - middle) ** 2, axis=1))))
    unit = spread if spread > _NONE * system.size else system.size
    loads, lengths = [], []
    for source in sources:
        basis = source.basis.copy()
        basis[3:] *= system.size / unit
        load = moved(basis, (source.centre - middle) / unit)[list(system.parts)]
        length = np.linalg.norm(load, axis=0)
        length[length <= _NONE] = 1.0
        loads.append(load / length)
        lengths.append(length)
    return Block(
        tuple(numbers), sources, tuple((number[s.ends[0]], number[s.ends[1]]) for s in sources), tuple(bodies),
        len(system.parts), tuple(loads), np.concatenate(lengths), middle, unit,
    )  # fmt: skip
