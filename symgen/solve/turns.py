"""Angles over time without jumps by full turns."""

from __future__ import annotations

import numpy as np

from symgen.poses import Array

_TURN = 2.0 * np.pi
#: Freedoms that are angles; all others are lengths.
ANGLES = frozenset({"angle", "angle1", "angle2", "yaw", "pitch", "roll"})


def without_jumps(angle: Array) -> Array:
    """Return angles (n,) with full turns added so that each is within half a turn of the last finite one before."""
    rows = np.flatnonzero(np.isfinite(angle))
    smooth = angle.copy()
    steps = np.diff(angle[rows])
    smooth[rows[1:]] -= _TURN * np.cumsum(np.round(steps / _TURN))
    return smooth


def turn_in_plane(times: Array, q: Array, omega: Array) -> Array:
    """Return the angle (n,) [rad] of a body that turns about z: within half a turn at first, on from there.

    Parameters
    ----------
    times, q, omega : (n,), (n, 4), (n, 3): as of a body's track.
    """
    angle = 2.0 * np.arctan2(q[:, 3], q[:, 0])
    return follow_rates(times, angle - _TURN * np.round(angle / _TURN), omega[:, 2])


def follow_rates(times: Array, angle: Array, rate: Array, start: float | None = None) -> Array:
    """Return angles (n,) [rad] with the full turns that their rates ask for, also where a row is turns from the next.

    Between two rows the angle is expected to grow by the mean of both rates times the time between; the turns added
    are those that come nearest to it. Right as long as the error of the trapezoidal rule stays below half a turn.

    Parameters
    ----------
    times, angle, rate : (n,) [s, rad, rad/s]; where a rate is not finite no growth is expected.
    start : the angle expected in the first row; by default it is left as it is.
    """
    smooth = angle.copy()
    rows = np.flatnonzero(np.isfinite(angle))
    if not rows.size:
        return smooth
    known = np.where(np.isfinite(rate[rows]), rate[rows], 0.0)
    expected = 0.5 * (known[1:] + known[:-1]) * np.diff(times[rows])
    turns = np.concatenate([[0.0], np.cumsum(np.round((expected - np.diff(angle[rows])) / _TURN))])
    if start is not None:
        turns += np.round((start - angle[rows[0]]) / _TURN)
    smooth[rows] += _TURN * turns
    return smooth
