"""Eigenfrequencies from counts: every one is held between two frequencies whose counts differ, so none is missed.

All brackets are divided at once, each into sixteen parts, until their ends are neighbouring numbers. Multiple roots are
several brackets that end at the same place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symgen.poses import Array
from symgen.vibrations.riccati import Recursion
from symgen.vibrations.system import VibratingSystem

Progress = Callable[[float], None]
_PARTS, _ROUNDS = 16, 40
_CHUNK = 1024
#: Squares within this part of the largest square of the mechanism are zero: rounding of its stiffest part.
ZERO = 1e-12
_LARGEST, _GROWTH = 1e30, 16.0
_PATIENCE = 8
#: A count is believed if it is the same this far above; off the frequencies of pivots, where signs are rounding.
_BESIDE, _OFF = 1e-6, 1.0173


@dataclass(frozen=True)
class Roots:
    """Squares of angular frequencies [rad^2/s^2].

    Parameters
    ----------
    positive : (n,) ascending.
    negative : (u,) squares of growing motions: rest is not stable.
    zero : how many motions meet no resistance.
    largest : about the largest square of the mechanism; of beams that of a piece.
    resolution : square below which rounding leaves nothing: what is slower counts as zero.
    """

    positive: Array
    negative: Array
    zero: int
    largest: float = 0.0
    resolution: float = 0.0


def find_roots(
    recursion: Recursion, *, wanted: int | None, largest: float | None, progress: Progress | None = None
) -> Roots:
    """Return the lowest eigenvalues.

    Parameters
    ----------
    wanted : how many positive ones, or None for all up to `largest`.
    largest : square of the largest angular frequency, or None.
    """
    if recursion.freedoms == 0:
        return Roots(np.zeros(0), np.zeros(0), 0)
    top = _scale(recursion)
    tolerance = ZERO * top
    below, through = (int(each) for each in recursion.count(np.array([-tolerance, tolerance])))
    end, count = _end(recursion, through, wanted, largest, top)
    positive = _bisect(recursion, range(through, count), (tolerance, end), progress)
    negative = _bisect(recursion, range(below), (-_bound(recursion, tolerance), -tolerance), None)
    return Roots(positive, negative, through - below, top, tolerance)


def _scale(recursion: Recursion) -> float:
    """Return about the largest square of the mechanism: of rigid bodies above all, of beams the first of a piece."""
    total = recursion.freedoms
    return _last_change(recursion, total) if total is not None else beam_square(recursion.system) or 1.0


def beam_square(system: VibratingSystem) -> float:
    """Return about the largest square [rad^2/s^2] of the beams' first frequencies, held at both ends; 0 without."""
    found = 0.0
    for element in system.elements:
        beam = element.beam
        if beam is not None:
            waves = [(beam.axial, beam.mass_per_length), (beam.torsion, beam.polar)]
            found = max([
                found, 500.0 * max(beam.bending) / (beam.mass_per_length * beam.length**4),
                *(10.0 * give / (mass * beam.length**2) for give, mass in waves if give is not None and mass > 0.0),
            ])  # fmt: skip
    return found


def _last_change(recursion: Recursion, total: int) -> float:
    """Return a square above all eigenvalues of rigid bodies; freedoms without mass have none.

    It goes up from a pivot's own frequency: far above all of them the wrenches of loops drown in rounding. There
    itself a pivot is zero, and its sign says nothing: the way leads past it.
    """
    high, (low, _), (top, _) = 1e12, recursion.run(np.zeros(1)), recursion.run(np.array([1e12]))
    found = 0.0
    for k, pivots in low.hinges.items():
        for still, moving in zip(pivots, top.hinges[k], strict=True):
            inertia = abs(float(moving.pivot[0]) - float(still.pivot[0])) / high
            if inertia > 0.0:
                found = max(found, abs(float(still.pivot[0])) / inertia)
    square = found = min(max(_OFF * found, 1e-6), 1e12)
    before = _sure_count(recursion, square)
    for _ in range(_PATIENCE):
        if before >= total:
            break
        square *= _GROWTH
        count = _sure_count(recursion, square)
        if count > before:
            found, before = square, count
    return found


def _sure_count(recursion: Recursion, square: float) -> int:
    """Return how many eigenvalues lie below a square: what is counted there and right above it alike, if anything."""
    return int(recursion.count(np.array([square, (1.0 + _BESIDE) * square])).min())


def _end(
    recursion: Recursion, through: int, wanted: int | None, largest: float | None, top: float
) -> tuple[float, int]:
    """Return a square above the wanted ones, and how many of them there are from the first on."""
    if largest is not None:
        count = int(recursion.count(np.array([largest]))[0])
        return largest, count if wanted is None else min(count, through + wanted)
    total = recursion.freedoms
    goal = through + (wanted or 0)
    goal = goal if total is None else min(goal, total)
    end = top * 1e-9 if total is None else top
    while True:
        count = _sure_count(recursion, end)
        if count >= goal or end > _LARGEST or (total is not None and end > 100.0 * top):
            return end, min(count, goal)
        end *= _GROWTH


def _bound(recursion: Recursion, tolerance: float) -> float:
    bound = tolerance
    while bound < _LARGEST and int(recursion.count(np.array([-bound]))[0]) > 0:
        bound *= _GROWTH
    return bound


def _bisect(recursion: Recursion, indices: range, ends: tuple[float, float], progress: Progress | None) -> Array:
    """Return the eigenvalues of these indices, which lie between two squares of one sign."""
    if not len(indices):
        return np.zeros(0)
    sign = 1.0 if ends[1] > 0.0 else -1.0
    low, high = np.full(len(indices), ends[0]), np.full(len(indices), ends[1])
    wanted = np.array(indices)
    parts = np.arange(1, _PARTS) / _PARTS
    width = float((high - low).max())
    for k in range(_ROUNDS):
        open_ = np.flatnonzero(high - low > 4.0 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high)))
        if not len(open_):
            break
        a, b = low[open_], high[open_]
        wide = (b / a > 4.0) | (a / b > 4.0)
        even = a[:, None] + (b - a)[:, None] * parts
        spread = sign * np.exp(np.log(np.abs(a))[:, None] + np.log(np.abs(b) / np.abs(a))[:, None] * parts)
        tried = np.where(wide[:, None], spread, even)
        squares, back = np.unique(tried, return_inverse=True)
        counts = np.concatenate([recursion.count(part) for part in np.array_split(squares, -(-len(squares) // _CHUNK))])
        above = counts[back.reshape(tried.shape)] > wanted[open_, None]
        first = np.where(above.any(axis=1), above.argmax(axis=1), _PARTS - 1)
        edges = np.hstack([a[:, None], tried, b[:, None]])
        rows = np.arange(len(open_))
        low[open_], high[open_] = edges[rows, first], edges[rows, first + 1]
        if progress is not None:
            left = float((high - low).max())
            progress(min(1.0, np.log(width / max(left, 1e-300)) / 36.0))
        del k
    found: Array = 0.5 * (low + high)
    return np.sort(found)
