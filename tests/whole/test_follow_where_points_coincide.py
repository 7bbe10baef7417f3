"""`follow` where a pin comes to the pivot of its slot, or outer centres come to each other, on a sample or near it.

There one link may have any direction, though no other branch is near: the direction of the smooth motion is known on
paper. Both mechanisms are driven by a full turn a second and meet their point at 0.75 s and 1.75 s.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.whole_modules import Whole
from solve.test_change_points_told import slotted_wheel
from whole.test_follow_through_change_points import follow

from symgen.model.mechanism import Mechanism
from symgen.status import Status

pytestmark = pytest.mark.extension

Floats = NDArray[np.float64]

_CRANK: dict[str, Any] = {"type": "R", "bodies": ["frame", "crank"], "driven": 1, "at": [0.0, 0.0]}


def _joint(kind: str, first: str, second: str, at: list[float], **more: Any) -> dict[str, Any]:
    return {"type": kind, "bodies": [first, second], "at": at, **more}


def _tree(bodies: str, **joints: Any) -> dict[str, Any]:
    return {
        "schema": "symgen/mechanism/1", "name": "points that coincide", "space": "planar", "ground": "frame",
        "bodies": {body: {} for body in bodies.split()}, "joints": {"A": _CRANK, **joints},
        "drives": {"A": "2*pi*t"},
    }  # fmt: skip


def _slot() -> dict[str, Any]:
    along = [-(0.5**0.5), 0.5**0.5]
    return _tree(
        "crank rocker",
        B=_joint("R", "frame", "rocker", [0.2, 0.0]),
        C=_joint("L", "rocker", "crank", [0.0, 0.2], axis2=along),
    )


def _kite() -> dict[str, Any]:
    return _tree(
        "crank coupler rocker",
        B=_joint("R", "crank", "coupler", [0.0, 0.2]),
        C=_joint("R", "frame", "rocker", [0.2, 0.0]),
        D=_joint("R", "coupler", "rocker", [0.4, 0.4]),
    )


def _slot_angle(t: mp.mpf) -> mp.mpf:
    """Inscribed angle: a chord of the crank's circle turns half as fast as the crank."""
    return mp.pi * t


def _kite_angle(t: mp.mpf) -> mp.mpf:
    """Direction of the rocker's link, whose end is above the middle of a chord of the crank's circle."""
    half, radius, link2 = mp.pi / 4 + mp.pi * t, mp.mpf(0.2), mp.mpf(0.4) ** 2 + mp.mpf(0.2) ** 2
    # Seen along the normal of the chord, which turns half as fast as the crank and never jumps.
    along = radius * mp.sin(half)
    return half + mp.atan2(along, mp.sqrt(link2 - along**2))


CASES = {"slot": (_slot, _slot_angle), "kite": (_kite, _kite_angle)}
NEAR = np.array([sign * 10.0**-k for k in range(2, 16) for sign in (-1.0, 1.0)])
GRIDS = {
    "on the points": np.linspace(0.0, 2.0, 41),
    "ever nearer": np.sort(np.concatenate([np.linspace(0.0, 2.0, 41), 0.75 + NEAR, 1.75 + 3.0 * NEAR])),
    "far apart": np.array([0.1, 0.9, 1.7, 2.0]),
}  # fmt: skip


def _truth(angle: Callable[[mp.mpf], mp.mpf], times: Floats, order: int) -> Floats:
    with mp.workdps(50):
        return np.array([float(mp.diff(angle, mp.mpf(float(t)), order)) for t in times])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the modules are written."""
    return tmp_path_factory.mktemp("coinciding")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", ["double", "numpy"])
@pytest.mark.parametrize("case", CASES)
def test_the_motion_goes_on_and_no_row_is_rough(case: str, language: str, folder: Path) -> None:
    tree, angle = CASES[case]
    mechanism = Mechanism.from_dict(tree())
    whole = Whole(folder / f"{case}_{language}", mechanism, "coinciding", ("double",), results=("bodies",))
    for grid, times in GRIDS.items():
        found = follow(whole, times, language)
        assert len(found.times) == len(times), f"{grid}: ends at {found.times[-1]} s with {found.status[-1]}"
        assert np.isin(found.status, [Status.OK, Status.SINGULAR]).all()
        point = np.minimum(abs(times - 0.75), abs(times - 1.75))
        assert (found.status[point > 1e-3] == Status.OK).all()
        assert (found.status[point < 1e-9] == Status.SINGULAR).all()
        rocker = found.bodies["rocker"]
        turned = np.unwrap(2.0 * np.arctan2(rocker.q[:, 3], rocker.q[:, 0]))
        expected = _truth(angle, times, 0)
        # Found a thousandth of a radian away or better: angles are predicted to 1e-9, rates to 1e-6, and accelerations
        # to 1e-3 of 10 to 40 rad/s^2, or have roundings of 1e-5 of that.
        assert abs((turned - turned[0] - expected + expected[0] + np.pi) % (2 * np.pi) - np.pi).max() < 1e-8
        assert abs(rocker.omega[:, 2] - _truth(angle, times, 1)).max() < 1e-5
        assert abs(rocker.alpha[:, 2] - _truth(angle, times, 2)).max() < 2e-2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", ["double", "numpy"])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3])
def test_a_pin_that_only_nearly_meets_the_pivot_is_not_taken_for_one_that_does(
    off: float, language: str, folder: Path
) -> None:
    """The wheel turns by half a turn, the sooner the nearer they come; a long step must not go straight on there.

    Rounding moves pin and pivot by some 1e-13 of what they are apart from the crank's axle: 1e-12 counts as met.
    """
    name = f"near_{off}_{language}".replace("-", "_").replace(".", "_")
    whole = Whole(folder / name, slotted_wheel(off), "coinciding", ("double",), results=("bodies",))
    for rows in (12, 41) if language == "numpy" else (12, 41, 401, 4001):
        found = follow(whole, np.linspace(0.0, 5.5, rows), language)
        angle = 1.0 + 1.1 * found.times
        way = np.arctan2(0.4 * np.sin(angle), 0.4 * np.cos(angle) - 0.4 - off)
        behind = 1.1 * found.times > 2.0 * np.pi - 1.0
        turned = way - way[0] + (np.pi * behind if off <= 1e-12 else 0.0)
        q = found.bodies["wheel"].q
        wrong = np.cos(2.0 * np.arctan2(q[:, 3], q[:, 0]) - turned) < 1.0 - 1e-9
        assert not wrong[np.isin(found.status, [Status.OK, Status.SINGULAR])].any(), rows
        if off in (0.0, 1e-12) or off >= 1e-8:
            assert len(found.times) == rows


def test_with_drives_as_inputs_a_short_step_goes_over_a_change_point(folder: Path) -> None:
    """Shorter than 6e-8 of the time of a radian, as the documentation says: here 1e-9 s of 0.16 s.

    Behind the point a step must end less than twice as far from it as it began, or the branches may have met in it.
    """
    tree = _tree(
        "crank coupler rocker",
        B=_joint("R", "crank", "coupler", [0.0, 0.2]),
        C=_joint("R", "frame", "rocker", [0.6, 0.0]),
        D=_joint("R", "coupler", "rocker", [0.6, 0.2]),
    )
    mechanism = Mechanism.from_dict(tree)
    whole = Whole(folder / "parallelogram", mechanism, "coinciding", ("double",), results=("bodies",), drives="inputs")
    before, last = np.array(whole.manifest["reference"]["before"]), 0.0
    point, seen = 0.25, []
    there = [*np.linspace(0.01, 0.24, 24), *(point - 0.01 * 1.5**-k for k in range(1, 42))]
    for t in [*there, *(point + 0.01 * 1.5**k for k in range(-41, 4))]:
        u = {"u": [[2 * np.pi * t]], "ud": [[2 * np.pi]], "udd": [[0.0]]}
        found = whole.c("follow", 1, dt=[t - last], before=before[None], **u)
        seen.append(int(found["status"][0]))
        assert seen[-1] in (Status.OK, Status.SINGULAR), (t, seen)
        before, last = np.array(found["state"][0], dtype=float), t
        rocker = found["twists"][0].reshape(-1, 3)[whole.module.layout.bodies.index("rocker")]
        assert abs(rocker[2] - 2 * np.pi) < 1e-5  # an antiparallelogram's is another one
    assert seen[-1] == Status.OK
