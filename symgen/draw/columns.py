"""Items in columns: their order with few crossings, then heights that keep lines straight (Sugiyama's method).

Order: sweeps to and fro, each column sorted by the mean place of what its items
are linked to; of all orders seen the one with the fewest crossings stays.
Heights: each column in turn is put as near as it can be to where its links want
it, items keeping their order and distance: isotonic regression by pooling of
adjacent violators. No random numbers.

Sources: K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of
hierarchical system structures", 1981; R. E. Barlow et al., "Statistical
inference under order restrictions", 1972.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 8


@dataclass(slots=True, eq=False)
class Item:
    """Something of a height in a column; `y` is its top."""

    height: float
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class ColumnLink:
    """A line between items of neighbouring columns; offsets are from the items' tops."""

    left: Item
    left_offset: float
    right: Item
    right_offset: float


class ColumnLayout:
    """Columns of items, leftmost first, and the links between neighbours."""

    def __init__(self, columns: Sequence[Sequence[Item]], links: Sequence[ColumnLink], gap: float) -> None:
        self.columns = [list(column) for column in columns]
        self.gap = gap
        column_of = {id(item): number for number, column in enumerate(self.columns) for item in column}
        #: Links between column k and column k + 1.
        self.between: list[list[ColumnLink]] = [[] for _ in self.columns]
        for link in links:
            self.between[column_of[id(link.left)]].append(link)

    def arrange(self) -> float:
        """Set `y` of all items, the topmost at 0, and return the height of the whole; `columns` are put in order."""
        self._stack()
        best, least = [list(column) for column in self.columns], self._crossings()
        for sweep in range(_SWEEPS):
            if not least:
                break
            self._sweep(forward=sweep % 2 == 0)
            crossings = self._crossings()
            if crossings < least:
                best, least = [list(column) for column in self.columns], crossings
        self.columns = best
        self._stack()
        for sweep in range(6 * _SWEEPS):
            self._settle(forward=sweep % 2 == 0)
        top = min((item.y for column in self.columns for item in column), default=0.0)
        for column in self.columns:
            for item in column:
                item.y -= top
        return max((item.y + item.height for column in self.columns for item in column), default=0.0)

    def _stack(self) -> None:
        """Put each column's items under one another, all columns about one middle."""
        for column in self.columns:
            y = -(sum(item.height for item in column) + self.gap * (len(column) - 1)) / 2
            for item in column:
                item.y = y
                y += item.height + self.gap

    def _wishes(self, number: int, *, forward: bool | None) -> dict[int, list[float]]:
        """Return for each item of a column the tops its links ask for: from the left, the right, or (None) both."""
        wishes: dict[int, list[float]] = {}
        if forward is not False and number:
            for link in self.between[number - 1]:
                wish = link.left.y + link.left_offset - link.right_offset
                wishes.setdefault(id(link.right), []).append(wish)
        if forward is not True:
            for link in self.between[number]:
                wish = link.right.y + link.right_offset - link.left_offset
                wishes.setdefault(id(link.left), []).append(wish)
        return wishes

    def _sweep(self, *, forward: bool) -> None:
        numbers = range(len(self.columns))
        for number in numbers if forward else reversed(numbers):
            wishes = self._wishes(number, forward=forward)
            # What has no link that way keeps its place.
            key = {
                id(item): sum(wishes[id(item)]) / len(wishes[id(item)]) if id(item) in wishes else item.y
                for item in self.columns[number]
            }
            self.columns[number].sort(key=lambda item: key[id(item)])
            y = min((item.y for item in self.columns[number]), default=0.0)
            for item in self.columns[number]:
                item.y = y
                y += item.height + self.gap

    def _crossings(self) -> int:
        found = 0
        for links in self.between:
            ends = sorted((link.left.y + link.left_offset, link.right.y + link.right_offset) for link in links)
            passed: list[float] = []
            for _, right in ends:
                found += len(passed) - bisect_left(passed, right + 1e-9)
                insort(passed, right)
        return found

    def _settle(self, *, forward: bool) -> None:
        numbers = range(len(self.columns))
        for number in numbers if forward else reversed(numbers):
            column = self.columns[number]
            wishes = self._wishes(number, forward=None)
            blocks: list[list[float]] = []  # mean of the block, weight, items; tops less what lies above must not fall
            above = 0.0
            for item in column:
                asked = wishes.get(id(item))
                wish, weight = (sum(asked) / len(asked), float(len(asked))) if asked else (item.y, 0.1)
                blocks.append([wish - above, weight, 1.0])
                while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
                    mean, more, count = blocks.pop()
                    last = blocks[-1]
                    last[0] = (last[0] * last[1] + mean * more) / (last[1] + more)
                    last[1] += more
                    last[2] += count
                above += item.height + self.gap
            places = [mean for mean, _, count in blocks for _ in range(int(count))]
            above = 0.0
            for item, place in zip(column, places, strict=True):
                item.y = place + above
                above += item.height + self.gap
