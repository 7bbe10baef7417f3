"""`follow` through change points of groups whose branches are ranked zeros: OK rows are right, none is given up.

Zeros that are almost double have roundings some thirty times as large as signs of square roots have beside a change
point. Mechanisms and their motion in closed form are those of tests/solve/test_ranked_change_points.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.crank_motions import Crossed, Triad, away_from, errors, random_triad, tell
from oracle.whole_modules import Whole
from whole.test_follow_through_change_points import follow

from symgen.status import Status

pytestmark = pytest.mark.extension

#: Errors of OK rows and of limits, in parts of the largest place, rate and acceleration. OK rows of platforms were off
#: by 3e-3, most by less than 1e-4 now, one in some thousand by 1.5e-3; limits as docs/whole-mechanisms.md says.
#: A call may be lost, and say so, if it ends this near to a point [s]: zeros that are almost double come and go.
LOST_WITHIN = 2e-2
RIGHT, LIMIT = (1e-9, 5e-7, 3e-3), (1e-8, 2e-5, 2e-2)
SOME = (
    Triad(1.0, 1.1, 0.9, 0.3, (0.2, -0.3), (1.3, 0.4), 0.7),
    Triad(1.24, 1.29, 1.15, 0.14, (0.2, -0.3), (1.48, -0.34), 2.0),
    Crossed(0.5, 1.2, 1.0, True, "SC", 0.3),
    Crossed(0.4, 1.0, 0.7, False, "SC", 0.3),
)


@pytest.mark.parametrize(
    "of", [*SOME, *(pytest.param(random_triad(np.random.default_rng(k)), marks=pytest.mark.slow) for k in (1, 2, 3))]
)
def test_ok_rows_are_right_on_random_grids(of: Triad | Crossed, tmp_path: Path) -> None:
    whole = Whole(tmp_path / "ranked", of.mechanism(), "ranked", ("double",), results=("bodies",))
    random = np.random.default_rng(7)
    for round_ in range(16):
        back = bool(round_ % 2)
        points = [each for each in of.points(-0.6, 0.6) if (each < 0.0) == back]
        even = np.linspace(0.0, -0.6 if back else 0.6, int(random.integers(5, 40)))[1:]
        times = np.sort(np.concatenate([away_from(points, random, 1e-5, 1e-2), even]))
        found = _followed(whole, times[::-1] if back else times, np.array(points))
        near = np.abs(found.times[:, None] - np.array(points)).min(axis=1)
        off, ok = errors(of, found), found.status == Status.OK
        for each, right, limit in zip((off.place, off.rate, off.second), RIGHT, LIMIT, strict=True):
            assert np.all(each[ok] <= right), tell(of, found)
            assert np.all(each[~ok] <= limit), (of, found.times[~ok], each[~ok])
        assert np.all(ok[near > 2e-3])


def _followed(whole: Whole, times: np.ndarray, points: np.ndarray) -> Any:
    """Follow a motion; where a call that ends beside a point is lost, go on from before it to the time after it."""
    while True:
        found = follow(whole, times)
        ends = np.flatnonzero(~np.isin(found.status, (Status.OK, Status.SINGULAR)))
        if not ends.size:
            return found
        at = found.times[ends[0]]
        assert found.status[ends[0]] == Status.BRANCH_LOST, at
        assert np.abs(points - at).min() < LOST_WITHIN, at
        times = times[times != at]
