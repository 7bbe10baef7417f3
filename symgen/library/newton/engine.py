"""The solver of groups without a closed form: its contract, and what its manifest says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.resources import generated_folder

if TYPE_CHECKING:
    from symgen.library.newton.numbers import Inputs
    from symgen.library.newton.plan import SolverPlan

REPORT = 8
Rows = NDArray[np.int32]


class NewtonPort(msgspec.Struct):
    """An argument of a routine."""

    name: str
    direction: str


class NewtonFunction(msgspec.Struct):
    """A routine of a kind."""

    name: str
    ports: list[NewtonPort]


class Kind(msgspec.Struct):
    """A kind of element; see `symgen.derive.constraints.module.ElementKind`."""

    code: int
    name: str
    rows: int
    points: int
    slides: int
    turns: int
    helices: int
    functions: list[NewtonFunction]


class EngineManifest(msgspec.Struct):
    """What the solver's manifest says, as far as it is read here."""

    schema: str
    id: str
    space: str
    kinds: list[Kind]
    files: dict[str, list[str]]
    cdef: dict[str, str]

    @property
    def rows(self) -> dict[str, int]:
        """Kind -> number of rows, in the order of the codes."""
        return {kind.name: kind.rows for kind in self.kinds}


@dataclass(frozen=True)
class Tracked:
    """A solution followed over times: arrays with a leading axis of rows; NaN in rows that were not reached.

    Parameters
    ----------
    poses, twists, accelerations : (rows, bodies, numbers), of the solver's bodies.
    report : (rows, 8), see the solver's header.
    status : (rows,) int32.
    done : number of rows that are OK, from the first on.
    """

    poses: Array
    twists: Array
    accelerations: Array
    report: Array
    status: Rows
    done: int


class Engine(Protocol):
    """What solves a planned group; `epsilon` is the spacing at 1 of the numbers that it computes in."""

    name: str
    epsilon: float

    def track(self, plan: SolverPlan, inputs: Inputs, times: Array, start: Array, sign: int = 0) -> Tracked:
        """Follow the solution near `start` (bodies, places) over all rows of `inputs`, until one is not OK.

        `sign` is that of the determinant on the branch, 0 if it is not known.
        """

    def search(self, plan: SolverPlan, inputs: Inputs, starts: Array) -> tuple[Array, Array, Rows]:
        """Return poses, reports, statuses from many starts (starts, bodies, places), for the first row of `inputs`."""


@lru_cache(maxsize=4)
def read_engine(space: str) -> EngineManifest:
    """Return the manifest of the solver of a space."""
    name = f"newton_{space}"
    return msgspec.json.decode((generated_folder() / name / f"{name}.json").read_bytes(), type=EngineManifest)


def kinds_by_name(manifest: EngineManifest) -> Mapping[str, Kind]:
    """Return the kinds of elements by name."""
    return {kind.name: kind for kind in manifest.kinds}
