"""The result as columns (the CSV of docs/solving.md) and as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.poses import Array
from symgen.solve.columns import write_rows

if TYPE_CHECKING:
    from typing import IO

    from symgen.solve.result import MotionResult

SCHEMA = "symgen/motion/1"


def write_csv(result: MotionResult, stream: IO[str]) -> None:
    """Write the CSV of docs/solving.md: shortest numbers that read back, ``nan`` where unknown, ``status`` last."""
    write_rows(stream, result.table(), result.words)


def motion_document(result: MotionResult) -> dict[str, Any]:
    """Return the document symgen/motion/1 as JSON data; what is not determined is null."""
    return {
        "schema": SCHEMA,
        "mechanism": result.mechanism.name,
        "status": result.overall.name,
        "first_failure": result.first_failure(),
        "notes": list(result.notes),
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
        "events": [
            {"group": each.group, "from": each.first, "to": each.last, "status": each.status.name, "text": each.text}
            for each in result.events
        ],
        "rows": {
            **{name: _numbers(column) for name, column in result.table().items()},
            **result.words,
            "failed_group": [int(number) or None for number in result.failed],
            "limit": [bool(each) for each in result.limit],
        },
    }


def _numbers(column: Array) -> list[float | None]:
    values: list[float | None] = column.tolist()
    for row in np.flatnonzero(~np.isfinite(column)):
        values[row] = None
    return values
