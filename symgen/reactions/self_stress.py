"""States of self-stress of a mechanism, and what they leave open: a functional y = L lambda is unique if L N = 0.

N is the null space of A: multipliers that load joints against each other and no body. Four tools decide what N leaves
open: the null space of the form with cut loops, singular values and pivoted orthogonalisation of A, and ranks alone,
rank [A; L] = rank A + rank(L N).

Source: M. Wojtyra, J. Fraczek 2013 (four tools); L N = 0 for any functional: docs/reactions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symgen.poses import Array
from symgen.reactions.blocks import Block, split
from symgen.reactions.decision import CLEAR, Decision, decide, pivoted_null, rank_of
from symgen.reactions.wrenches import WrenchSystem

TOOLS = ("nullspace", "rank", "qr", "svd")


@dataclass(frozen=True, eq=False)
class Openness:
    """How much of a functional is open.

    Parameters
    ----------
    count : independent values that are open; 0 if it is unique.
    closest : of what counts as open, the least, and of what does not, the largest; relative to the functional.
    """

    count: int
    closest: tuple[float, float] = (1.0, 0.0)


class SelfStress:
    """Self-stresses of one block.

    Parameters
    ----------
    decision : rank and null space of its equations of equilibrium.
    by_rank : judge by ranks alone, not by the null space.
    """

    def __init__(self, block: Block, decision: Decision, *, by_rank: bool = False) -> None:
        self.block, self.decision, self._by_rank = block, decision, by_rank

    @property
    def null(self) -> Array:
        """N (columns, k), orthonormal, in the scaled amounts of the block."""
        return self.decision.null

    def amounts(self, place: int) -> Array:
        """Return the rows (c, k) of N of the source at a place, in amounts of its basis."""
        columns = self.block.places[place]
        return self.null[columns] / self.block.lengths[columns, None]

    def openness(self, parts: Mapping[int, Array]) -> Openness:
        """Return how much of L is open.

        Parameters
        ----------
        parts : place of a source in the block -> its columns of L (rows, c), on amounts of its basis.
        """
        if not self.null.shape[1]:
            return Openness(0)
        places = self.block.places
        scaled = {k: columns / self.block.lengths[places[k]] for k, columns in parts.items()}
        lengths = np.sqrt(sum(np.sum(columns**2, axis=1) for columns in scaled.values()))
        units = np.where(lengths > 0.0, lengths, 1.0)[:, None]
        if self._by_rank:
            rows = np.zeros((len(units), self.block.columns))
            for k, columns in scaled.items():
                rows[:, places[k]] = columns / units
            return Openness(rank_of(np.vstack([self.block.matrix, rows])) - self.decision.rank)
        image = sum((columns / units) @ self.null[places[k]] for k, columns in scaled.items())
        return open_part(np.asarray(image), self.decision.tolerance)


def open_part(image: Array, tolerance: float) -> Openness:
    """Return how many directions of an image L N are not zero, N orthonormal and rows of L of length one."""
    small = np.linalg.qr(image.T, mode="r") if image.shape[1] > image.shape[0] else image
    sizes = np.linalg.svd(small, compute_uv=False)
    threshold = float(np.sqrt(tolerance))
    kept = sizes > threshold
    over = float(sizes[kept].min()) if kept.any() else 1.0
    under = float(sizes[~kept].max()) if not kept.all() else 0.0
    return Openness(int(np.count_nonzero(kept)), (over, under))


@dataclass(frozen=True, eq=False)
class SelfStresses:
    """Self-stresses of all blocks of a system.

    Parameters
    ----------
    system : what transmits wrenches.
    blocks : of each block.
    """

    system: WrenchSystem
    blocks: tuple[SelfStress, ...]

    @cached_property
    def home(self) -> dict[int, tuple[int, int]]:
        """Number of a source -> its block and its place there."""
        return {
            source: (k, place) for k, each in enumerate(self.blocks) for place, source in enumerate(each.block.numbers)
        }

    @property
    def rank(self) -> int:
        """Rank of A."""
        return sum(each.decision.rank for each in self.blocks)

    @property
    def redundant(self) -> int:
        """Independent self-stresses."""
        return self.system.columns - self.rank

    @property
    def gap(self) -> float:
        """How clearly the rank is decided, in the block where it is least clear."""
        return min((each.decision.gap for each in self.blocks), default=1.0 / np.finfo(np.float64).eps)

    @property
    def least(self) -> float:
        """The least singular value that counts, over the largest of its block."""
        return min((each.decision.least for each in self.blocks), default=1.0)

    @property
    def clear(self) -> bool:
        """Whether all ranks are decided."""
        return self.gap >= CLEAR

    def openness(self, parts: Sequence[tuple[int, Array]]) -> Openness:
        """Return how much of a sum of functionals is open.

        Parameters
        ----------
        parts : number of a source and its functional (rows, c); all with the same rows, no source twice.
        """
        together: dict[int, dict[int, Array]] = {}
        for source, functional in parts:
            if source in self.home:  # else it transmits nothing
                block, place = self.home[source]
                together.setdefault(block, {})[place] = functional
        found = [self.blocks[k].openness(each) for k, each in together.items()]
        return Openness(
            sum(each.count for each in found),
            (
                min((each.closest[0] for each in found), default=1.0),
                max((each.closest[1] for each in found), default=0),
            ),
        )

    def amounts(self, source: int) -> Array:
        """Return what the self-stresses of its block load a source with, (c, k) amounts of its basis."""
        if source not in self.home:
            return np.zeros((0, 0))
        block, place = self.home[source]
        return self.blocks[block].amounts(place)

    def together(self, sources: Sequence[int]) -> Array:
        """Return what all self-stresses load some sources with, (their columns, k) amounts of their bases."""
        total = sum(each.null.shape[1] for each in self.blocks)
        starts = np.cumsum([0, *(each.null.shape[1] for each in self.blocks)])
        rows = []
        for source in sources:
            mine = np.zeros((self.system.sources[source].count, total))
            if source in self.home:
                block, place = self.home[source]
                mine[:, starts[block] : starts[block + 1]] = self.blocks[block].amounts(place)
            rows.append(mine)
        return np.concatenate(rows) if rows else np.zeros((0, total))


def self_stresses(system: WrenchSystem, tool: str = "nullspace") -> SelfStresses:
    """Return the self-stresses of a system.

    Parameters
    ----------
    tool : ``"nullspace"``: cut loops; ``"svd"``, ``"qr"``, ``"rank"``: the whole matrix of equilibrium.
    """
    return SelfStresses(
        system, tuple(SelfStress(block, _decided(block, tool), by_rank=tool == "rank") for block in split(system))
    )


def _decided(block: Block, tool: str) -> Decision:
    if tool == "nullspace":
        return block.cut.null
    return pivoted_null(block.matrix) if tool == "qr" else decide(block.matrix)


def given_stresses(system: WrenchSystem, amounts: Mapping[str, Array], decision: Decision) -> SelfStresses:
    """Return self-stresses that were found otherwise.

    Parameters
    ----------
    amounts : name of a source -> (c, k) its amounts in each of k self-stresses that span all.
    decision : the rank that decided them.
    """
    found = []
    for block in split(system):
        null = np.concatenate([amounts[source.name] for source in block.sources]) * block.lengths[:, None]
        left, sizes, _ = np.linalg.svd(null, full_matrices=False)
        kept = left[:, sizes > np.sqrt(decision.tolerance)]
        rank = block.columns - kept.shape[1]
        found.append(SelfStress(block, Decision(rank, decision.gap, decision.least, decision.tolerance, kept)))
    return SelfStresses(system, tuple(found))
