"""What every integrator takes and gives: the state a stretch starts from, its rows, and its progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from symgen.poses import Array
from symgen.status import Status

#: Numbers of a row: kinetic and potential energy, violation, iterations, last correction.
SCALARS = 5
StoppableProgress: TypeAlias = Callable[[float], bool]
"""Is told the part done of a stretch, 0 to 1; answers whether to stop there."""


@dataclass
class EngineState:
    """Where a stretch starts, and after it where it ended; bodies in the order of the engine.

    Parameters
    ----------
    coordinates : values and balls of the tree, or poses.
    rate : of the unknowns.
    twist : (bodies, 6).
    angle : of each joint force's freedom.
    watched : of the joints, to tell in which turn they are.
    """

    coordinates: Array
    rate: Array
    twist: Array
    angle: Array
    watched: Array


@dataclass(frozen=True)
class EngineSamples:
    """Rows of one stretch, from its start on; bodies in the order of the engine.

    `scalars` are kinetic and potential energy, violation, iterations, last correction; `modes` (rows, 3, modes) values,
    rates and accelerations of the modes of beams.
    """

    poses: Array
    twists: Array
    accelerations: Array
    reactions: Array
    angles: Array
    scalars: Array
    status: Status
    steps_done: int
    correction: float
    modes: Array = field(default_factory=lambda: np.empty((0, 3, 0)))


def empty_rows(rows: int, bodies: int, coordinates: int, modes: int = 0) -> list[Array]:
    """Return arrays for the rows of a stretch, as `samples_of` takes them; the last only where there are modes."""
    arrays = [np.full((rows, bodies, size), np.nan) for size in (7, 6, 6, 6)]
    arrays += [np.full((rows, size), np.nan) for size in (coordinates, SCALARS)]
    return [*arrays, np.full((rows, 3, modes), np.nan)] if modes else arrays


def samples_of(arrays: list[Array], status: Status, steps: int) -> EngineSamples:
    """Return the rows that were written without a gap."""
    reached = int(np.sum(np.cumprod(np.isfinite(arrays[5][:, 0]))))
    poses, twists, accelerations, reactions, places, scalars, *modes = (array[:reached] for array in arrays)
    return EngineSamples(poses, twists, accelerations, reactions, places, scalars, status, steps, 0.0, *modes)
