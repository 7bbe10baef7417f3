"""Position, velocity, acceleration and condition of a solved type in turn, over arrays, keeping a status a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symgen.library.solved_type import SolvedType
from symgen.poses import Array
from symgen.status import Status

#: Stages after the position, in order; each may use the outputs of those before it.
RATES = ("velocity", "acceleration")


@dataclass(frozen=True)
class SolvedStages:
    """Outputs of all stages.

    Parameters
    ----------
    status : int32 array of the batch shape: the first stage that did not say OK.
    values : output port -> array; NaN in rows a stage did not write. A SINGULAR row has positions only.
    condition : condition number of the matrix that gives the joint rates; NaN where there are no rates; None if it
        was not asked for or the type has none (a driven pair).
    """

    status: NDArray[np.int32]
    values: dict[str, Array] = field(default_factory=dict)
    condition: Array | None = None


def run_stages(
    solved: SolvedType, ports: Mapping[str, ArrayLike], branch: ArrayLike = 0, *, condition: bool = False
) -> SolvedStages:
    """Solve one branch for every row: positions, then rates where the position is regular.

    Parameters
    ----------
    ports : input ports of all stages by name, leading batch axes broadcast; see `GroupAdapter.ports`.
    branch : branch index, or an array of them.
    condition : whether to compute the condition number too.
    """
    pool: dict[str, Any] = {**ports, "branch": branch}
    values: dict[str, Array] = {}
    status = _run(solved, "position", pool, values)
    for stage in RATES:
        found = _run(solved, stage, pool, values)
        _blank(solved, stage, values, pool, np.asarray(status != Status.OK))
        status = np.where(status == Status.OK, found, status).astype(np.int32)
    number = None
    if condition and "condition" in solved.stages:
        extra: dict[str, Array] = {}
        _run(solved, "condition", pool, extra)
        number = np.where(status == Status.OK, extra["condition"], np.nan)
    return SolvedStages(np.asarray(status), values, number)


def _run(solved: SolvedType, stage: str, pool: dict[str, Any], values: dict[str, Array]) -> NDArray[np.int32]:
    function = solved[stage]
    result = function.in_passing(**{port.name: pool[port.name] for port in function.inputs}, check=False)
    for port, array in zip(function.outputs, result, strict=False):
        values[port.name] = pool[port.name] = np.asarray(array)
    return np.asarray(result.status, dtype=np.int32)


def _blank(solved: SolvedType, stage: str, values: dict[str, Array], pool: dict[str, Any], where: NDArray[Any]) -> None:
    """Rates of a row without a regular position are not results, whatever a stage made of its numbers."""
    for port in solved[stage].outputs:
        mask = where.reshape(where.shape + (1,) * len(port.shape))
        values[port.name] = pool[port.name] = np.where(mask, np.nan, values[port.name])
