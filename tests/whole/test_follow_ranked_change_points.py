"""`follow` through change points of groups whose branches are ranked zeros: OK rows are right, none is given up.

Next to such a point the search loses assemblies, or those that are met are complex on one side: roundings are told
without them. Mechanisms and their motion in closed form are those of tests/solve/test_ranked_change_points.py.
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

#: Errors of OK rows and of limits, in parts of the largest place, rate and acceleration; limits as
#: docs/whole-mechanisms.md says. Of 50 mechanisms OK rows were off by 2.0e-12, 1.9e-9, 4.9e-6, limits by a tenth to a
#: third of these.
RIGHT, LIMIT = (1e-11, 5e-9, 1e-5), (5e-9, 5e-6, 5e-3)
#: Rows further off than this are OK [s].
ZONE = 5e-4
SOME = (
    Triad(1.0, 1.1, 0.9, 0.3, (0.2, -0.3), (1.3, 0.4), 0.7),
    Triad(1.24, 1.29, 1.15, 0.14, (0.2, -0.3), (1.48, -0.34), 2.0),
    Crossed(0.5, 1.2, 1.0, True, "SC", 0.3),
    Crossed(0.4, 1.0, 0.7, False, "SC", 0.3),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "of", [*SOME, *(pytest.param(random_triad(np.random.default_rng(k)), marks=pytest.mark.slow) for k in range(1, 7))]
)
def test_ok_rows_are_right_on_random_grids(of: Triad | Crossed, tmp_path: Path) -> None:
    whole = Whole(tmp_path / "ranked", of.mechanism(), "ranked", ("double",), results=("bodies",))
    random = np.random.default_rng(7)
    for round_ in range(10):
        back = bool(round_ % 2)
        points = [each for each in of.points(-0.6, 0.6) if (each < 0.0) == back]
        even = np.linspace(0.0, -0.6 if back else 0.6, int(random.integers(5, 40)))[1:]
        times = np.sort(np.concatenate([away_from(points, random, 1e-7, 1e-2), even]))
        assert_right(of, follow(whole, times[::-1] if back else times), np.array(points))


@pytest.mark.slow
def test_the_numpy_file_says_the_same(tmp_path: Path) -> None:
    of = random_triad(np.random.default_rng(1))
    whole = Whole(tmp_path / "ranked", of.mechanism(), "ranked", ("double",), results=("bodies",))
    points = of.points(0.0, 0.6)
    times = np.sort(away_from(points, np.random.default_rng(3), 1e-6, 1e-2))[::3]
    compiled, found = follow(whole, times), follow(whole, times, "numpy")
    np.testing.assert_array_equal(found.status, compiled.status)
    assert_right(of, found, np.array(points))


def assert_right(of: Triad | Crossed, found: Any, points: np.ndarray) -> None:
    """All rows are there, OK or limits, and right."""
    off, ok = errors(of, found), found.status == Status.OK
    assert set(found.status.tolist()) <= {Status.OK, Status.SINGULAR}, (of, found.times[-1], found.status[-1])
    for each, right, limit in zip((off.place, off.rate, off.second), RIGHT, LIMIT, strict=True):
        assert np.all(each[ok] <= right), tell(of, found)
        assert np.all(each[~ok] <= limit), (of, found.times[~ok], each[~ok])
    near = np.abs(found.times[:, None] - points).min(axis=1)
    assert np.all(ok[near > ZONE]), (of, near[~ok].max())
