"""The result as columns (the CSV of docs/solving.md) and as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from symgen.library.rotations import Array
from symgen.solve.columns import columns, write_rows
from symgen.status import Status

if TYPE_CHECKING:
    from typing import IO

    from symgen.solve.result import MotionResult

SCHEMA = "symgen/motion/1"


def write_csv(result: MotionResult, stream: IO[str]) -> None:
    """Write the CSV of docs/solving.md: shortest numbers that read back, ``nan`` where unknown, ``status`` last."""
    write_rows(stream, columns(result), {"status": [Status(int(code)).name for code in result.status]})


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
