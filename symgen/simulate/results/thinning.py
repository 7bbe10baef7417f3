"""Rows between those that are asked for: the energy account reads them, then they are left out."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque
from symgen.simulate.results.beam_track import BeamTrack
from symgen.simulate.results.result import SimulationResult
from symgen.solve.tracks import BodyTrack, continuous_sign

#: Rows up to which more are taken than asked for, and of all bodies together.
_MOST_ROWS, _MOST_TRACKS = 4000, 200_000
#: Times nearer than this part of the time between rows are one.
_NEAR = 1e-6


def rows_between(mechanism: Mechanism, step: float | None, sample: float | None, until: float) -> int:
    """Return in how many parts to take the time between two rows, so that steps stay what they are.

    Parameters
    ----------
    step : of equal length [s]; None where steps are chosen, and rows taken between them.
    """
    if sample is None:
        return 1
    rows = min(_MOST_ROWS, _MOST_TRACKS / max(len(mechanism.bodies), 1))
    most = int(max(1.0, rows * min(sample, until) / until))
    if step is None:
        return most
    steps = max(1, math.ceil(sample / step * (1 - 1e-9)))
    return max(parts for parts in range(1, min(most, steps) + 1) if steps % parts == 0)


def thinned(result: SimulationResult, sample: float) -> SimulationResult:
    """Return the result with rows at multiples of the sample time, where forces begin or end, and at the end only."""
    times = result.times
    spans = [each for each in result.mechanism.forces if isinstance(each, AppliedForce | AppliedTorque)]
    events = [time for each in spans for time in (each.start, each.until) if math.isfinite(time)]
    kept = np.abs(times / sample - np.round(times / sample)) <= _NEAR
    for event in events:
        kept |= np.abs(times - event) <= _NEAR * sample
    if result.ok:
        kept[-1:] = True
    rows = np.flatnonzero(kept)
    run = result.run
    if len(run.iterations) == len(times) and len(rows):
        most = np.maximum.reduceat(run.iterations, np.concatenate([[0], rows[:-1] + 1]))
        run = replace(run, iterations=most)
    parts = {name: _thin(getattr(result, name), rows) for name in _PARTS}
    return replace(result, run=run, **parts)


_PARTS = (
    "times", "bodies", "joints", "points", "kinetic", "potential", "violation", "resultants", "reactions", "beams",
    "work",
)  # fmt: skip


def _thin(part: Any, rows: NDArray[np.intp]) -> Any:
    """Return the rows of an array, of all arrays of a mapping, or of a track (a dataclass of arrays)."""
    if isinstance(part, np.ndarray):
        return part[rows] if len(part) else part
    if isinstance(part, dict):
        found = copy(part)
        for name, each in part.items():
            found[name] = _thin(each, rows)
        return found
    names = _OF_BEAMS if isinstance(part, BeamTrack) else _OVER_TIME
    changed = {each.name: _thin(getattr(part, each.name), rows) for each in fields(part) if each.name in names}
    if isinstance(part, BodyTrack):  # signs go on from row to row, and these are other rows
        changed["q"] = continuous_sign(changed["q"], part.q[0])
    return replace(part, **changed)


#: Fields of tracks that have a row for each time; those of beams, whose omega has one for each mode.
_OVER_TIME = frozenset(
    {"r", "q", "v", "omega", "a", "alpha", "coordinates", "rates", "accelerations", "force", "moment"}
)
_OF_BEAMS = frozenset({"values", "rates", "accelerations", "held"})
