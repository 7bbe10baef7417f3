"""A motion as columns, and columns as the text of a CSV file (docs/solving.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import IO

import numpy as np

from symgen.library.rotations import Array
from symgen.solve.trajectory import Trajectory

_LAST = ("", ".rate", ".acc")
#: Numbers formatted at once: a block of rows that keeps memory small beside the table itself.
_BLOCK = 400_000


def columns(motion: Trajectory, *, every: bool = False) -> dict[str, Array]:
    """Return the numeric columns in the order of the CSV: name -> (n,).

    ``t``; points (``b.P.x`` ... ``b.P.az``), bodies (``b.x`` ... ``b.alz``), joint freedoms (``A.angle``,
    ``A.angle.rate``, ``A.angle.acc``), then the quantities that are listed (``kinetic`` ... of a simulation).

    Parameters
    ----------
    every : quantities that are not listed (reactions) too.
    """
    return dict(_columns(motion, every))


def _columns(motion: Trajectory, every: bool) -> Iterator[tuple[str, Array]]:
    yield "t", motion.times
    for name, point in motion.points.items():
        for letter, rows in (("", point.r), ("v", point.v), ("a", point.a)):
            yield from _spread(f"{name}.{letter}", "xyz", rows)
    for name, body in motion.bodies.items():
        yield from _spread(f"{name}.", "xyz", body.r)
        yield from _spread(f"{name}.q", "0123", body.q)
        parts = (("v", body.v), ("w", body.omega), ("a", body.a), ("al", body.alpha))
        for letter, rows in parts:
            yield from _spread(f"{name}.{letter}", "xyz", rows)
    for name, joint in motion.joints.items():
        for freedom in joint.coordinates:
            parts_of = (joint.coordinates, joint.rates, joint.accelerations)
            for ending, table in zip(_LAST, parts_of, strict=True):
                yield f"{name}.{freedom}{ending}", table[freedom]
    for name, quantity in motion.quantities.items():
        if quantity.listed or every:
            yield name, quantity.values


def _spread(prefix: str, letters: str, rows: Array) -> Iterator[tuple[str, Array]]:
    for k, letter in enumerate(letters):
        yield prefix + letter, rows[:, k]


def write_rows(stream: IO[str], table: Mapping[str, Array], words: Mapping[str, Sequence[str]] | None = None) -> None:
    """Write columns as CSV: seventeen significant digits, ``nan`` where there is no number, lines end with a line feed.

    One ``%`` formats a row, and a column of one value is formatted once: twice as quick as number by number.

    Parameters
    ----------
    table : name -> (n,), numbers.
    words : columns of text behind them, name -> n words without commas.
    """
    texts = words or {}
    stream.write(",".join([*table, *texts]) + "\n")
    rows = len(next(iter(table.values()), ()))
    if not rows:
        return
    still = {name for name, column in table.items() if _constant(column)}
    cells = [f"{float(column[0]) + 0.0:.17g}" if name in still else "%.17g" for name, column in table.items()]
    line = ",".join([*cells, *("%s" for _ in texts)]) + "\n"
    moving = [column for name, column in table.items() if name not in still]
    width = len(moving) + len(texts)
    step = max(1, _BLOCK // max(width, 1))
    for first in range(0, rows, step):
        block = slice(first, min(first + step, rows))
        count = block.stop - block.start
        if not width:
            stream.write(line * count)
            continue
        numbers = np.stack([column[block] for column in moving], axis=-1) + 0.0 if moving else np.empty((count, 0))
        cells_of = numbers.tolist()  # (-0.0) + 0.0 is 0.0
        words_of = zip(*(column[block] for column in texts.values()), strict=True) if texts else repeat((), count)
        stream.writelines([line % (*row, *last) for row, last in zip(cells_of, words_of, strict=True)])


def _constant(column: Array) -> bool:
    """Tell whether all values are one number: the columns out of the plane of a planar mechanism are."""
    first = column[0]
    return bool(np.isfinite(first)) and bool(np.all(column == first))
