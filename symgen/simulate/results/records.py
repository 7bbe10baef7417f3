"""What a result says of a run: how it was integrated, why it ended early, what joints transmit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.model.brief import Brief
from symgen.poses import Array
from symgen.status import Status

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")


def unique_components(open_: Iterable[bool]) -> dict[str, bool]:
    """Return part of a wrench -> whether it is unique, of which of fx fy fz mx my mz are open."""
    return dict(zip(WRENCH, (not each for each in open_), strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class JointReaction(Brief):
    """What a joint's first body exerts on its second, about the joint centre on the second body, world axes.

    Parameters
    ----------
    force, moment : (n, 3) [N, N m].
    unique : False where redundant constraints leave the joint's share open; the values are then the smallest ones.
    components : of fx fy fz mx my mz each, whether it is unique; by default as the whole.
    """

    force: Array
    moment: Array
    unique: bool = True
    components: Mapping[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.components:
            object.__setattr__(self, "components", unique_components((not self.unique,) * 6))


@dataclass(frozen=True)
class Failure:
    """Why a simulation ended early.

    Parameters
    ----------
    time : of the step that failed [s]; the rows before it stand.
    status : what the step said; None where a signal has stopped the run between two steps.
    message : in words, with body or joint where one is to blame.
    """

    time: float
    status: Status | None
    message: str

    @property
    def word(self) -> str:
        """The status in a word, STOPPED where a signal has ended the run."""
        return "STOPPED" if self.status is None else self.status.name

    def __str__(self) -> str:
        return f"at t = {self.time:.6g} s: {self.word} ({self.message})"


@dataclass(frozen=True, eq=False, repr=False)
class Run(Brief):
    """How a motion was integrated.

    Parameters
    ----------
    method, order : such as ``"dimcd"``, 2.
    step : [s]; of an integrator that chooses it, the mean.
    steps : how many were taken.
    iterations : (rows,) int32 greatest number of Newton iterations of a step since the row before; empty where
        nothing iterates.
    seconds : that the integration took, without compiling; `reactions_seconds` that the joints' reactions took.
    warnings : what the user should know, in sentences.
    advice : how method and step were chosen, if symgen chose them.
    processor : processor time of the integration [s].
    coordinates : minimal coordinates that were integrated, such as ``"A.angle"``; None where a method has none.
    failure : why it ended early, or None.
    """

    method: str
    order: int
    step: float
    steps: int
    iterations: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None
    advice: str = ""
    processor: float = 0.0
    reactions_seconds: float = 0.0
    coordinates: tuple[str, ...] | None = None
