"""`follow` of a whole mechanism goes on smoothly through change points; a row that says OK is on the smooth motion.

The families and the reference are those of tests/solve/test_motion_through_change_points.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.change_point_families import FAMILIES, SEARCHED
from oracle.change_points import Track
from oracle.whole_modules import Whole
from solve.test_motion_through_change_points import faults, grids_of, reference

from symgen.status import Status

pytestmark = pytest.mark.extension

Floats = NDArray[np.float64]
CLOSED = [family for family in FAMILIES if family not in SEARCHED]


@dataclass(frozen=True)
class Followed:
    """Rows of `follow` as the reference looks at them; what comes after a failure was not asked for."""

    times: Floats
    status: NDArray[np.int32]
    bodies: dict[str, Track]


def follow(whole: Whole, times: Floats, language: str = "double", start: float = 0.0) -> Followed:
    """Call `follow` from time to time, as the documentation does."""
    layout, planar = whole.module.layout, whole.module.layout.planar
    before, last = np.array(whole.manifest["reference"]["before"]), start
    names, status, rows = ("poses", "twists", "accelerations"), [], []
    for t in times:
        inputs: dict[str, Any] = {"t": [t], "dt": [t - last], "before": before[None]}
        found = whole.numpy("follow", **inputs) if language == "numpy" else whole.c("follow", 1, language, **inputs)
        status.append(int(found["status"][0]))
        rows.append([np.array(found[name][0], dtype=float) for name in names])
        if status[-1] not in (Status.OK, Status.SINGULAR):
            break
        before, last = np.array(found["state"][0], dtype=float), float(t)
    every = [np.stack(each).reshape(len(rows), len(layout.bodies), -1) for each in zip(*rows, strict=True)]
    tracks = {body: _track(*(each[:, k] for each in every), planar) for k, body in enumerate(layout.bodies)}
    return Followed(times[: len(rows)], np.array(status, dtype=np.int32), tracks)


def _track(pose: Floats, twist: Floats, growth: Floats, planar: bool) -> Track:
    if not planar:
        return Track(pose[:, :3], pose[:, 3:], twist[:, :3], twist[:, 3:], growth[:, :3], growth[:, 3:])
    zero, half = np.zeros(len(pose)), 0.5 * pose[:, 2]

    def flat(values: Floats) -> Floats:
        return np.column_stack([values[:, :2], zero])

    def turning(values: Floats) -> Floats:
        return np.column_stack([zero, zero, values[:, 2]])

    q = np.column_stack([np.cos(half), zero, zero, np.sin(half)])
    return Track(flat(pose), q, flat(twist), turning(twist), flat(growth), turning(growth))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the modules are written."""
    return tmp_path_factory.mktemp("followed")


def _whole(family: str, seed: int, folder: Path, precisions: Sequence[Any] = ("double",), **options: Any) -> Whole:
    mechanism = reference(family, seed)[1]
    name = f"{family}_{seed}_{len(precisions)}_{len(options)}"
    return Whole(folder / name, mechanism, "followed", precisions, results=("bodies",), **options)


#: What `follow` may give up, if it says so: branches that differ in the third order where they meet (position, rates
#: and accelerations of one time before do not tell them apart), and two groups that meet others at once (what rounding
#: makes of the first looks like a gap in the second).
GIVES_UP = {"rests_on_it", "two_at_once"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", CLOSED)
def test_no_row_of_follow_that_says_ok_is_off_the_smooth_motion(family: str, folder: Path) -> None:
    _, _, motion, scale = reference(family, 0)
    whole = _whole(family, 0, folder)
    if not whole.module.layout.followed:  # every group has one branch: there is nothing to follow
        return
    for grid, times in grids_of(family, 0).items():
        found = follow(whole, times)
        wrong = faults(found, motion, scale)
        if family in GIVES_UP:
            wrong = [each for each in wrong if "where OK is due" not in each]
        assert not wrong, f"{grid}: {wrong[0]}"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["parallelogram", "isosceles_slider_crank", "near_miss_6", "rod_parallelogram"])
def test_numpy_follows_as_c_does(family: str, folder: Path) -> None:
    whole = _whole(family, 0, folder)
    times = grids_of(family, 0)["on a point"][:20]
    one, two = follow(whole, times), follow(whole, times, "numpy")
    np.testing.assert_array_equal(one.status, two.status)
    _, _, motion, scale = reference(family, 0)
    assert not faults(two, motion, scale)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["parallelogram", "kite", "near_miss_3", "rod_isogram"])
def test_time_may_run_backwards(family: str, folder: Path) -> None:
    """There and back again: the second half goes through the same points with a negative dt."""
    _, _, motion, scale = reference(family, 0)
    there = grids_of(family, 0)["uniform"]
    found = follow(_whole(family, 0, folder), np.concatenate([there, there[-2::-1]]))
    assert len(found.times) == 2 * len(there) - 1
    assert not faults(found, motion, scale)


@pytest.mark.slow
def test_floats_go_through_as_far_as_they_can_tell(folder: Path) -> None:
    _, _, motion, scale = reference("isosceles_slider_crank", 0)
    case = reference("isosceles_slider_crank", 0)[0]
    times = np.linspace(0.0, case.until, 41)  # none is so near a change point that a float cannot tell
    found = follow(_whole("isosceles_slider_crank", 0, folder, ("float",)), times, "float")
    assert len(found.times) == len(times)
    ok = found.status == Status.OK
    assert ok.mean() > 0.9
    true = motion.bodies(found.times[ok])
    for name, track in found.bodies.items():
        # A branch of its own is off by the size of the mechanism; roundings near a meeting are the root of 1e-7.
        assert np.abs(track.r[ok] - true[name].r).max() < 3e-3 * scale.length


def test_behind_a_change_point_the_smooth_motion_has_other_bits(folder: Path) -> None:
    """So `motion` with the bits of the drawing is on the branch with a corner: only `follow` goes on smoothly."""
    _, _, motion, scale = reference("parallelogram", 0)
    whole = _whole("parallelogram", 0, folder)
    point = motion.change_points[0]
    times = np.array([0.5 * point, 1.2 * point])
    fixed = whole.c("motion", 2, t=times)["poses"].reshape(2, -1, 3)
    followed = follow(whole, times)
    off = [
        max(np.abs(fixed[row, k, :2] - followed.bodies[body].r[row, :2]).max() for k, body in
            enumerate(whole.module.layout.bodies))
        for row in (0, 1)
    ]  # fmt: skip
    assert off[0] < 1e-12 * scale.length
    assert off[1] > 1e-3 * scale.length


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["parallelogram", "near_miss_3", "near_miss_6"])
@pytest.mark.parametrize("width", [0.3, 1e-2, 1e-4])
def test_a_step_that_cannot_look_between_is_ambiguous(family: str, width: float, folder: Path) -> None:
    """With drives as inputs nothing lies between two calls: over a meeting, or a near miss, no guess is made."""
    case, mechanism, motion, _ = reference(family, 0)
    whole = _whole(family, 0, folder, drives="inputs")
    regular = motion.regularity(np.linspace(0.0, case.until, 4001))
    at = motion.change_points[0] if motion.change_points else float(np.argmin(regular)) * case.until / 4000
    law = next(iter(mechanism.drives.values()))
    first, last = at - 0.4 * width * case.until / 10, at + 0.6 * width * case.until / 10

    def inputs(t: float) -> dict[str, Any]:
        value, rate, second = (np.atleast_2d(each) for each in law.evaluate(np.array([t])))
        return {"u": value, "ud": rate, "udd": second}

    state = np.concatenate([  # of the first group only, whose branch is not known
        np.concatenate([track.r[0, :2], [2 * np.arctan2(track.q[0, 3], track.q[0, 0])], track.v[0, :2],
                        [track.omega[0, 2]], track.a[0, :2], [track.alpha[0, 2]]])
        for body, _ in whole.module.layout.followed[0].bodies
        for track in [motion.bodies(np.array([first]))[body]]
    ] + [[0.0]])  # fmt: skip
    found = whole.c("follow", 1, dt=[last - first], before=state[None], **inputs(last))
    status = int(found["status"][0])
    if status == Status.OK:
        true = motion.bodies(np.array([last]))
        poses = found["poses"][0].reshape(-1, 3)
        for k, body in enumerate(whole.module.layout.bodies):
            assert np.abs(poses[k, :2] - true[body].r[0, :2]).max() < 1e-6
    else:
        assert status in (Status.AMBIGUOUS, Status.BRANCH_LOST, Status.NO_ASSEMBLY)
        assert np.isnan(found["state"]).all()
    if motion.change_points:
        assert status != Status.OK
