"""Rows of `follow` on either side of a change point, from 1e-6 to 1e-2 s away: OK means solved and right.

Near a change point positions are good, but rates and accelerations lose digits with the second and third power of the
distance, and behind short steps `follow` knows them better from the motion before. Such rows are limits of the smooth
motion: SINGULAR, however the caller came there. Families and reference are those of
tests/solve/test_motion_through_change_points.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.change_points import SmoothMotion
from oracle.whole_modules import Whole
from solve.test_motion_through_change_points import Scale, _off, reference
from whole.test_follow_through_change_points import CLOSED, Followed, _whole, follow

from symgen.model.mechanism import Mechanism
from symgen.status import Status

pytestmark = pytest.mark.extension

Floats = NDArray[np.float64]

#: Distances from the change point [s], four a decade; at rates of 3 to 20 rad/s the rough zone is inside.
AWAY = 10.0 ** np.linspace(-6.0, -2.0, 17)
NEAR = np.concatenate([-AWAY[::-1], [0.0], AWAY])
#: OK rows: what `follow` calls rough begins at 1e-5 of what accelerations are made of, d(omega)/dt and omega^2 times
#: lengths, by an estimate of 64 roundings. That is some 5e-4 rad from the point, and each order less divides once less
#: by the distance: rates are right to 1e-8, places to 1e-11, or 1e-10 where the drive turns back and comes near slowly.
RIGHT = (1e-10, 1e-8, 1e-5)
#: SINGULAR rows: predicted from a thousandth of a radian away, as docs/whole-mechanisms.md says: the third, the second
#: and the first power of that, times what the motion's further derivatives make of it, up to 5 here.
LIMIT = (5e-9, 5e-6, 5e-3)
#: Families without a change point, and those of which docs/whole-mechanisms.md says that `follow` may give them up:
#: branches that differ in the third order, two groups that meet others at once. No row of theirs is wrong, either.
WITHOUT = {"near_miss_3", "near_miss_6", "fold", "three_cranks"}
GIVES_UP = {"turns_back_at_it", "rests_on_it", "two_at_once"}
FAMILIES = [family for family in CLOSED if family not in WITHOUT]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the modules are written."""
    return tmp_path_factory.mktemp("near")


def grids(point: float, every: int) -> dict[str, Floats]:
    """Return times about a change point: in fine steps, in coarse ones, and in few that end near it."""
    first = point / 3.0
    found = {
        "fine": np.concatenate([[first, 2.0 * first], point + NEAR]),
        "coarse": np.concatenate([[first], point + NEAR[::5], [point + 2e-2]]),
        "backwards": np.concatenate([[first], (point + NEAR)[::-1], [first]]),
    }
    for away in NEAR[::every]:
        found[f"one step, to {away:+.0e}"] = np.array([first, point + away, point + 2e-2])
        found[f"two steps, by {away:+.0e}"] = np.concatenate([[first, point + away], point + NEAR[away < NEAR][2::9]])
    return found


def _errors(found: Followed, motion: SmoothMotion, scale: Scale) -> Floats:
    """Return how far each row is off, in parts of what places, rates and accelerations are made of."""
    true = motion.bodies(found.times)
    made = scale.acceleration + scale.rate**2
    units = np.array([scale.length, *(max(1.0, scale.length) * np.array([scale.rate, made]))])
    return np.array(
        [
            np.max([_off(found.bodies[b], true[b], row, row, b in motion.equations.spins) for b in true], axis=0)
            for row in range(len(found.times))
        ]
    ) / units  # fmt: skip


def wrong_rows(whole: Whole, motion: SmoothMotion, scale: Scale, times: Floats, language: str, whole_way: bool) -> str:
    """Say which row is wrong, nothing if none is."""
    times = times[(times >= motion.first) & (times <= motion.last)]
    found = follow(whole, times, language)
    point = motion.change_points[0]
    for row, off in enumerate(_errors(found, motion, scale)):
        status, t = Status(int(found.status[row])), f"{found.times[row] - point:+.1e}"
        if status not in (Status.OK, Status.SINGULAR):
            return f"{t} says {status.name}" if whole_way else ""
        if not (off <= (RIGHT if status == Status.OK else LIMIT)).all():
            return f"{t} says {status.name} and is off by {off}"
        if whole_way and status != Status.OK and abs(found.times[row] - point) * scale.rate > 1e-2:
            return f"{t} says {status.name} where OK is due"
    return ""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_near_a_change_point_is_right_or_says_that_it_is_a_limit(family: str, seed: int, folder: Path) -> None:
    _, _, motion, scale = reference(family, seed)
    whole = _whole(family, seed, folder)
    if not whole.module.layout.followed:
        return
    # One drawing of the isogram is lost by single steps that end in the noise of its change point: it says so.
    whole_way = family not in GIVES_UP and (family, seed) != ("rod_isogram", 1)
    wrong = {
        grid: told
        for grid, times in grids(motion.change_points[0], 1).items()
        if (told := wrong_rows(whole, motion, scale, times, "double", whole_way))
    }
    assert not wrong, wrong


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "family", ["isosceles_slider_crank", "galloway", "one_after_another", "two_at_once", "rod_isogram"]
)
def test_numpy_says_the_same_near_a_change_point(family: str, folder: Path) -> None:
    _, _, motion, scale = reference(family, 0)
    whole = _whole(family, 0, folder)
    for grid, times in grids(motion.change_points[0], 8).items():
        told = wrong_rows(whole, motion, scale, times, "numpy", family not in GIVES_UP)
        assert not told, f"{grid}: {told}"
        one, two = follow(whole, times), follow(whole, times, "numpy")
        if family not in GIVES_UP:  # what is lost there is lost by the last bits of sums
            np.testing.assert_array_equal(one.status, two.status)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "family", ["parallelogram", "isosceles_slider_crank", "kite", "one_after_another", "rod_isogram"]
)
def test_rows_in_float_are_right_to_a_thousandth_or_say_that_they_are_not(family: str, folder: Path) -> None:
    """From a report: 1 ms steps of an export, accelerations 4 % off said OK."""
    said: set[Status] = set()
    for seed in range(2):
        _, _, motion, scale = reference(family, seed)
        whole = _whole(family, seed, folder, precisions=("float",))
        if not whole.module.layout.followed:
            continue
        # A law reads the time in float, so the reference does.
        times = np.arange(motion.first, motion.last, 5e-3 / scale.rate).astype(np.float32).astype(float)[:2500]
        found = follow(whole, times, "float")
        statuses = [Status(int(each)) for each in found.status]
        errors = _errors(found, motion, scale)
        ok = np.array([each is Status.OK for each in statuses])
        # Told from 1e-3 on, by an estimate of 16 roundings that may be half of what it is. One order less divides once
        # less by the distance from the point, which is a tenth of a radian.
        assert (errors[ok] <= (1e-5, 2e-4, 2e-3)).all(), errors[ok].max(axis=0)
        said |= set(statuses)
    assert {Status.OK, Status.SINGULAR} <= said


def test_a_slider_crank_says_what_it_knows_of_its_accelerations(folder: Path) -> None:
    """Equal links: the block moves by 2 cos, on paper. From a report: accelerations 0.1 % off said OK."""
    joints = {
        "A": {"type": "R", "bodies": ["ground", "a"], "at": [0.0, 0.0], "driven": ["angle"]},
        "B": {"type": "R", "bodies": ["a", "b"], "at": [float(np.cos(0.6)), float(np.sin(0.6))]},
        "C": {"type": "R", "bodies": ["b", "c"], "at": [2.0 * float(np.cos(0.6)), 0.0]},
        "D": {"type": "P", "bodies": ["ground", "c"], "at": [2.0 * float(np.cos(0.6)), 0.0], "axis": [1.0, 0.0]},
    }
    tree = {
        "schema": "symgen/mechanism/1", "name": "equal links", "space": "planar", "bodies": {"a": {}, "b": {}, "c": {}},
        "joints": joints, "drives": {"A": "2*pi*t"},
    }  # fmt: skip
    whole = Whole(folder / "equal", Mechanism.from_dict(tree), "equal", ("double",), results=("bodies",))
    point, rate = (np.pi / 2 - 0.6) / (2 * np.pi), 2 * np.pi
    said = []
    for away in NEAR:
        times = np.array([point / 3, 2 * point / 3, point + away])
        found = follow(whole, times)
        said.append(int(found.status[-1]))
        th = 0.6 + rate * times[-1]
        off = abs(found.bodies["c"].a[-1, 0] + 2 * rate**2 * np.cos(th)) / (2 * rate**2)
        assert off < (1e-5 if said[-1] == Status.OK else 5e-3), away
    # One zone about the point, not a patchwork; it ends before a thousandth of the time of a turn.
    zone = np.flatnonzero(np.array(said) == Status.SINGULAR)
    assert (np.diff(zone) == 1).all()
    assert abs(NEAR[zone]).max() < 1e-3


@pytest.mark.slow
def test_short_steps_near_a_change_point_go_where_a_long_one_goes(folder: Path) -> None:
    """A Galloway linkage: from a report. Steps that began beside the point were AMBIGUOUS, though a long one passed."""
    joints = {
        "A": {"type": "R", "bodies": ["ground", "a"], "at": [0.0, 0.0], "driven": ["angle"]},
        "B": {"type": "R", "bodies": ["a", "b"], "at": [1.2432199365413288, 1.5666538192549668]},
        "C": {"type": "R", "bodies": ["b", "c"], "at": [1.9529305570233424, -0.30318864340733875]},
        "D": {"type": "R", "bodies": ["ground", "c"], "at": [1.0, 0.0]},
    }
    tree = {
        "schema": "symgen/mechanism/1", "name": "galloway", "space": "planar", "bodies": {"a": {}, "b": {}, "c": {}},
        "joints": joints, "drives": {"A": "2*pi*t"},
    }  # fmt: skip
    whole = Whole(folder / "galloway", Mechanism.from_dict(tree), "brief", ("double",), results=("bodies",))
    point, end = 0.3567605512172942, 1e-2
    straight = follow(whole, np.array([0.1, point + end]))
    assert straight.status[-1] == Status.OK
    ways: list[list[float]] = [
        [1e-3], [1e-4], [-5e-5, 1e-4], [7e-6, 1e-4], [0.0, 1e-4], [0.0, 7e-6, 1e-4], [-6e-6, 7e-6, 1e-4],
        [-6e-6, 0.0, 7e-6, 1e-4], [1e-4, 2e-4], [-5e-5, -2e-5, 2e-5, 5e-5],
    ]  # fmt: skip
    for language in ("double", "numpy"):
        for way in ways:
            found = follow(whole, np.array([0.1, *(point + np.array(way)), point + end]), language)
            assert len(found.times) == len(way) + 2, (way, found.status)
            assert found.status[-1] == Status.OK
            for name, track in found.bodies.items():
                # Accelerations there have roundings of some 1e-11 (docs/whole-mechanisms.md), the same for both.
                np.testing.assert_allclose(track.r[-1], straight.bodies[name].r[-1], rtol=0.0, atol=1e-12)
                np.testing.assert_allclose(track.a[-1], straight.bodies[name].a[-1], rtol=0.0, atol=1e-6)
