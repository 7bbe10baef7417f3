"""Robots that move by their proportions alone: what they do in closed form, from slides and rod lengths."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import oracle.parallel_robots as robots
import pytest
from oracle.mechanism_motion import gap, matrices, relative_frames

from symgen.solve.result import MotionResult

TIMES = np.linspace(0.0, 1.0, 21)
Solve = Callable[..., MotionResult]


def _slides() -> np.ndarray:
    return np.stack([0.1 * np.sin(2 * np.pi * TIMES + k) - 0.1 * np.sin(k) for k in range(3)], axis=1)


def _check(result: MotionResult, places: np.ndarray) -> None:
    assert result.ok, result.first_failure()
    tool = matrices(result.bodies["tool"].r, result.bodies["tool"].q)
    # Conditions below 1e3, lengths of order 1: some hundred roundings of either side.
    np.testing.assert_allclose(tool[:, :3, :3], np.tile(np.eye(3), (len(TIMES), 1, 1)), atol=1e-11)
    np.testing.assert_allclose(tool[:, :3, 3], places, atol=1e-11)
    frames = relative_frames(result)
    assert all(gap(joint.type, frames[joint.id]) < 1e-12 for joint in result.mechanism.joints)


def test_the_tripteron_is_decoupled(solved: Solve) -> None:
    """Each slide moves the tool along itself and by as much. X. Kong, C. Gosselin, 2002."""
    _check(solved(robots.tripteron(), TIMES), _slides())


@pytest.mark.slow
def test_the_orthoglide_with_real_parallelograms_is_three_spheres(solved: Solve) -> None:
    """Parallelograms keep the tool from turning; its leg k is a length between slide k and the tool."""
    lengths = np.array([-0.6, 0.15, 0.0])  # of leg 0 in the drawing; the others have it rolled
    legs = np.stack([np.roll(lengths, k) for k in range(3)])
    place, places = np.zeros(3), []
    for slides in _slides():
        for _ in range(30):
            now = legs + place - np.diag(slides)
            place = place - np.linalg.solve(2 * now, np.sum(now**2, axis=1) - lengths @ lengths)
        places.append(place)
    for kind in ("parallelogram", "planar"):
        _check(solved(robots.orthoglide(kind=kind), TIMES), np.array(places))
