"""A motion as columns, and columns as the text of a CSV file (docs/solving.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.solve.number_text import WIDTH, number_cells, text_cell
from symgen.solve.trajectory import Trajectory
from symgen.solve.turns import turn_in_plane

_LAST = ("", ".rate", ".acc")
#: Numbers formatted at once: a block of rows that keeps memory small beside the table itself.
_BLOCK = 40_000


def columns(motion: Trajectory, *, every: bool = False) -> dict[str, Array]:
    """Return the numeric columns in the order of the CSV: name -> (n,).

    ``t``; points (``b.P.x`` ... ``b.P.az``), bodies (``b.x`` ... ``b.alz``, in the plane ``b.phi``), joint freedoms
    (``A.angle``, ``A.angle.rate``, ``A.angle.acc``), then the quantities that are listed (of a simulation ``kinetic``
    and others).

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
        if motion.mechanism.space == "planar":
            yield f"{name}.phi", turn_in_plane(motion.times, body.q, body.omega)
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
    """Write columns as CSV: the shortest digits that read back as the number, ``nan`` where there is none.

    Lines end with a line feed. A block of rows is one array of bytes in which every number has equally much room;
    what is empty is then left out.
    A column of one value is formatted once.

    Parameters
    ----------
    table : name -> (n,), numbers.
    words : columns of text behind them, name -> n words without commas.
    """
    texts = words or {}
    stream.write(",".join([*table, *texts]) + "\n")
    rows = len(next(iter(table.values()), ()))
    still = [_constant(column) for column in table.values()] if rows else []
    frame = np.zeros((1, len(table), WIDTH), dtype=np.uint8)
    for k, column in enumerate(table.values()):
        if still and still[k]:
            frame[0, k] = text_cell(float(column[0]))
    frame[:, :, -1] = ord(",")
    moving = np.flatnonzero(~np.array(still, dtype=np.bool_))
    columns_of = [column for column, rests in zip(table.values(), still, strict=False) if not rests]
    step = max(1, _BLOCK // max(len(table), 1))
    for first in range(0, rows, step):
        block = slice(first, min(first + step, rows))
        cells = np.repeat(frame, block.stop - block.start, axis=0)
        if columns_of:
            numbers = np.stack([column[block] for column in columns_of], axis=-1)
            cells[:, moving, :-1] = number_cells(numbers.reshape(-1)).reshape(*numbers.shape, WIDTH)[..., :-1]
        parts = [cells.reshape(len(cells), -1), *(_word_cells(column[block]) for column in texts.values())]
        parts[-1][:, -1] = ord("\n")
        stream.write(np.concatenate(parts, axis=1).tobytes().translate(None, b"\0").decode())


def _word_cells(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words as rows of bytes, filled up with zeros, each with a comma at its end."""
    encoded = np.array([word.encode() for word in words])
    comma = np.full((len(words), 1), ord(","), dtype=np.uint8)
    return np.concatenate([encoded[:, None].view(np.uint8), comma], axis=1)


def _constant(column: Array) -> bool:
    """Tell whether all values are one number: the columns out of the plane of a planar mechanism are."""
    first = column[0]
    return bool(np.isfinite(first)) and bool(np.all(column == first))
