"""Where branches are ranked zeros of a polynomial, a branch is followed: it moves as its rates say, or it is lost."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import SolveError
from symgen.solve.result import MotionResult
from symgen.status import Status

TIMES = np.linspace(0.0, 1.0, 801)


def _mechanism(seed: int) -> symgen.Mechanism:
    """A crank that moves a chain R, S, C back to the ground: random places and axes, assembled as drawn."""
    rng = np.random.default_rng(seed)

    def near(x: float, y: float, z: float) -> list[float]:
        return [float(v) for v in np.array([x, y, z]) + rng.uniform(-0.1, 0.1, 3)]

    def axis() -> list[float]:
        v = rng.normal(size=3)
        return [float(x) for x in v / np.linalg.norm(v)]

    joints: dict[str, Any] = {
        "crank": {"type": "R", "bodies": ["g", "b1"], "driven": 1, "at": [0.0, 0.0, 0.0], "axis": [0.0, 0.0, 1.0]},
        "knee": {"type": "R", "bodies": ["b1", "b2"], "at": near(0.2, 0.0, 0.0), "axis": axis()},
        "ball": {"type": "S", "bodies": ["b2", "b3"], "at": near(0.8, 0.6, 0.2)},
        "tube": {"type": "C", "bodies": ["b3", "g"], "at": near(1.2, 0.0, 0.3), "axis": axis()},
    }
    return symgen.Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "name": f"crank and tube {seed}",
            "space": "spatial",
            "ground": "g",
            "bodies": {"b1": {}, "b2": {}, "b3": {}},
            "joints": joints,
            "drives": {"crank": "0.3*sin(2*pi*t)"},
        }
    )


@pytest.fixture(scope="module")
def motions() -> list[MotionResult]:
    return [symgen.solve(_mechanism(seed), TIMES) for seed in range(16)]


def _rows(motion: MotionResult) -> int:
    """Number of times until the motion ends, at a fold or at the last."""
    bad = np.flatnonzero(motion.status != Status.OK)
    return int(bad[0]) if bad.size else len(TIMES)


@pytest.mark.slow
def test_motions_go_all_the_way_or_end_with_a_reason_and_stay_ended(motions: list[MotionResult]) -> None:
    ends = [_rows(motion) for motion in motions]
    assert sum(end == len(TIMES) for end in ends) >= 2
    reasons = {Status.SINGULAR, Status.NO_ASSEMBLY, Status.BRANCH_LOST, Status.AMBIGUOUS}
    for motion, end in zip(motions, ends, strict=True):
        assert set(np.unique(motion.status[end:])) <= reasons
        assert np.isnan(motion.bodies["b3"].v[end:]).all()


@pytest.mark.slow
def test_the_followed_pose_is_the_integral_of_its_velocity(motions: list[MotionResult]) -> None:
    dt, followed = TIMES[1] - TIMES[0], 0
    for motion in motions:
        end = _rows(motion)
        for body in ("b2", "b3"):
            track = motion.bodies[body]
            r, v, a = track.r[:end], track.v[:end], track.a[:end]
            # Trapezoidal rule with end correction: exact for cubics. A jump to another branch is no small change of
            # position; near a fold, where rates grow without bound, the change of velocity over the step bounds it.
            step = dt * (v[1:] + v[:-1]) / 2 - dt**2 * (a[1:] - a[:-1]) / 12
            gap = np.abs(np.diff(r, axis=0) - step).max(axis=1)
            bound = dt * np.abs(np.diff(v, axis=0)).max(axis=1)
            assert (gap <= bound + 1e-9).all()
            followed += end
    assert followed > 4 * len(TIMES)


@pytest.mark.slow
def test_the_same_motion_backwards_is_the_same_motion(motions: list[MotionResult]) -> None:
    for seed, motion in enumerate(motions):
        if _rows(motion) == len(TIMES):  # the law ends where it begins, so the drawing is the start again
            back = symgen.solve(_mechanism(seed), TIMES[::-1])
            # positions are functions of the crank alone; no digits are lost away from a fold
            np.testing.assert_allclose(back.bodies["b3"].r[::-1], motion.bodies["b3"].r, atol=1e-9)


@pytest.mark.slow
def test_ranks_change_on_the_way_so_that_following_is_needed(motions: list[MotionResult]) -> None:
    seen = [motion.groups[1].branch_rows for motion in motions]
    assert any(len(set(ranks[ranks >= 0])) > 1 for ranks in seen)


def test_a_branch_named_by_the_user_is_the_one_at_the_first_time() -> None:
    mechanism = _mechanism(0)
    starts = []
    for rank in range(4):
        with contextlib.suppress(SolveError):  # "has no real solution"
            starts.append(symgen.solve(mechanism, TIMES[:2], branch={2: rank}).bodies["b3"].r[0])
    assert len(starts) in (2, 4)
    gaps = [np.linalg.norm(p - q) for k, p in enumerate(starts) for q in starts[:k]]
    assert min(gaps) > 1e-3
