"""Where a branch that is named by signs goes on with a kink: between two times it met another branch.

Signs of square roots name a branch for good as long as it does not meet another. Where two branches cross (the flat
parallelogram), the motion that is smooth goes over to the other signs, and the signs go on with a kink. If a time is
there the group is SINGULAR; between two times only the smoothness tells: over a step the displacement must be what
velocities and accelerations at both ends make of it,

    x1 - x0 = dt (v0 + v1)/2 - dt^2 (a1 - a0)/12 + O(dt^5)

A step is a kink if it misses that by far while another branch at its end meets it well.

Source: the corrected trapezoidal rule, any text on quadrature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symgen.library.rotations import Array
from symgen.solve.follow import Points, points_of
from symgen.solve.tracks import BodyTrack

#: A step that misses its displacement by more than this part is looked at ...
_ROUGH = 0.1
#: ... and is a kink if another branch misses by less than this part of that, and of its own displacement.
_SMOOTH = 0.1
#: Displacements below this part of the size are none.
_STILL = 1e-7

#: Rows -> motion of the bodies in every other branch at these rows.
Others = Callable[[NDArray[np.intp]], Sequence[Mapping[str, BodyTrack]]]


def find_kinks(tracks: Mapping[str, BodyTrack], times: Array, size: float, others: Others) -> NDArray[np.intp]:
    """Return the rows that a branch reaches with a kink.

    Parameters
    ----------
    tracks : body -> motion over the n times; NaN where it has none.
    times : (n,) [s]; where they do not grow nothing is said.
    size : length [m] that makes angles comparable.
    """
    if len(times) < 2 or not np.all(np.diff(times) > 0):
        return np.empty(0, dtype=np.intp)
    own = [points_of([track], size) for track in tracks.values()]
    starts, ends = _steps(own)
    missed, moved = _misses(own, own, starts, ends, times[ends] - times[starts])
    rough = np.flatnonzero((missed > _ROUGH * moved) & (moved > _STILL * size))
    if not rough.size:
        return rough
    starts, ends = starts[rough], ends[rough]
    smooth = np.zeros(len(rough), dtype=bool)
    for other in others(ends):
        there = [points_of([other[body]], size) for body in tracks]
        error, length = _misses(own, there, starts, np.arange(len(ends)), times[ends] - times[starts])
        smooth |= (error < _SMOOTH * missed[rough]) & (error < _SMOOTH * length)
    return ends[smooth]


def _steps(own: Sequence[Points]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows with rates and the next ones, with positions all the way: singular rows have no rates."""
    placed = np.all([np.all(np.isfinite(each.place[0]), axis=(1, 2)) for each in own], axis=0)
    rated = np.flatnonzero(placed & np.all([np.all(np.isfinite(each.second[0]), axis=(1, 2)) for each in own], axis=0))
    starts, ends = rated[:-1], rated[1:]
    unplaced = np.concatenate([[0], np.cumsum(~placed)])
    whole = unplaced[ends + 1] == unplaced[starts]
    return starts[whole], ends[whole]


def _misses(
    before: Sequence[Points],
    after: Sequence[Points],
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    steps: Array,
) -> tuple[Array, Array]:
    """Return by how much the displacement of each step is missed, and how long it is."""
    missed, moved = np.zeros(len(starts)), np.zeros(len(starts))
    dt = steps[:, None, None]
    for one, two in zip(before, after, strict=True):
        way = two.place[0, ends] - one.place[0, starts]
        expected = 0.5 * dt * (one.rate[0, starts] + two.rate[0, ends])
        expected -= dt**2 / 12 * (two.second[0, ends] - one.second[0, starts])
        missed = np.fmax(missed, _largest(way - expected))
        moved = np.fmax(moved, _largest(way))
    return missed, moved


def _largest(displacements: Array) -> Array:
    """Return the root mean square displacement of the points (rows, 4, 3)."""
    found: Array = np.sqrt(np.mean(np.sum(displacements**2, axis=-1), axis=-1))
    return found
