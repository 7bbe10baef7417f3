"""The result as columns (the CSV of docs/solving.md) and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.library.rotations import Array
from symgen.status import Status

if TYPE_CHECKING:
    from typing import IO

    from symgen.solve.result import MotionResult

SCHEMA = "symgen/motion/1"
_LAST = ("", ".rate", ".acc")


def columns(result: MotionResult) -> dict[str, Array]:
    """Return the numeric columns in the order of the CSV: name -> (n,).

    ``t``; points (``b.P.x`` ... ``b.P.az``), bodies (``b.x`` ... ``b.alz``), joint freedoms (``A.angle``,
    ``A.angle.rate``, ``A.angle.acc``).
    """
    return dict(_columns(result))


def _columns(result: MotionResult) -> Iterator[tuple[str, Array]]:
    yield "t", result.times
    for name, point in result.points.items():
        for letter, rows in (("", point.r), ("v", point.v), ("a", point.a)):
            yield from _spread(f"{name}.{letter}", "xyz", rows)
    for name, body in result.bodies.items():
        yield from _spread(f"{name}.", "xyz", body.r)
        yield from _spread(f"{name}.q", "0123", body.q)
        parts = (("v", body.v), ("w", body.omega), ("a", body.a), ("al", body.alpha))
        for letter, rows in parts:
            yield from _spread(f"{name}.{letter}", "xyz", rows)
    for name, joint in result.joints.items():
        for freedom in joint.coordinates:
            parts_of = (joint.coordinates, joint.rates, joint.accelerations)
            for ending, table in zip(_LAST, parts_of, strict=True):
                yield f"{name}.{freedom}{ending}", table[freedom]


def _spread(prefix: str, letters: str, rows: Array) -> Iterator[tuple[str, Array]]:
    for k, letter in enumerate(letters):
        yield prefix + letter, rows[:, k]


def write_csv(result: MotionResult, stream: IO[str]) -> None:
    """Write the CSV of docs/solving.md: seventeen significant digits, ``nan`` where not determined, ``status`` last."""
    table = columns(result)
    stream.write(",".join([*table, "status"]) + "\n")
    rows = np.stack(list(table.values()), axis=-1) + 0.0  # -0.0 becomes 0.0
    for row, status in zip(rows, result.status, strict=True):
        stream.write(",".join([f"{value:.17g}" for value in row] + [Status(int(status)).name]) + "\n")


def motion_document(result: MotionResult) -> dict[str, Any]:
    """Return the document symgen/motion/1 as JSON data; what is not determined is null."""
    return {
        "schema": SCHEMA,
        "mechanism": result.mechanism.name,
        "status": "OK" if result.ok else Status(int(result.status[np.flatnonzero(result.status)[0]])).name,
        "first_failure": result.first_failure(),
        "groups": [
            {
                "number": group.number,
                "level": group.level,
                "signature": group.signature,
                "bodies": list(group.bodies),
                "module": group.module,
                "branch": group.branch,
                "branches": group.branches,
                "method": group.method,
                "certified": None if group.certificates is None else int(group.certificates.certified.sum()),
                "statuses": {status.name: count for status, count in group.counts().items()},
            }
            for group in result.groups
        ],
        "statuses": {status.name: count for status, count in result.counts().items()},
        "rows": {
            **{name: _numbers(column) for name, column in columns(result).items()},
            "status": [Status(int(code)).name for code in result.status],
            "failed_group": [int(number) or None for number in result.failed],
        },
    }


def _numbers(column: Array) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in column]
