"""Certified Newton through change points: the smooth motion on any grid, or a status that says why not.

A parallelogram's coupler does not turn and its rocker turns as its crank does: that is the smooth motion, whatever
the grid, also through the flat positions, where the antiparallelogram crosses it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult
from symgen.status import Status

Tree = dict[str, Any]
Z = [0, 0, 1]
#: By symmetry of the crank's angle: 2 pi t, a drive that turns back at the flat position, one that goes on behind it
#: and comes back, one that stops there and goes on.
LAWS = {
    "2*pi*t": lambda t: 2 * np.pi * t,
    "pi/2*sin(2*pi*t)": lambda t: np.pi / 2 * np.sin(2 * np.pi * t),
    "2*sin(2*pi*t)": lambda t: 2 * np.sin(2 * np.pi * t),
    "pi/2 + 4*pi*(t - 0.5)**3": lambda t: np.pi / 2 + 4 * np.pi * (t - 0.5) ** 3,
}
RANDOM = np.random.default_rng(12)
GRIDS = {
    "uniform, on the points": np.linspace(0, 1, 21),
    "uniform, beside them": np.linspace(0, 1, 38),
    "coarse": np.array([0, 0.1, 0.2, 0.3]),
    "one time": np.array([0.3]),
    "one time behind both points": np.array([0.9]),
    "one time at the point": np.array([0.25]),
    "twice the same": np.array([0, 0.1, 0.1, 0.3, 0.3]),
    "close around the point": np.linspace(0.2499, 0.2501, 7),
    "backwards": np.linspace(1, 0, 21),
    "from the point on": np.linspace(0.25, 0.5, 6),
    "up to the point": np.linspace(0, 0.25, 6),
    "random": np.sort(RANDOM.uniform(0, 1, 13)),
    "random, in no order": RANDOM.uniform(0, 1, 6),
}


def four_bar(ground: float = 0.6, law: str = "2*pi*t", crank: float = 0.2, rod: float = 0.6, **more: Any) -> Mechanism:
    """Return a planar four-bar with equal cranks, declared in space: certified Newton solves its dyad."""
    tip, pivot = np.array([0.0, crank]), np.array([ground, 0.0])
    way = pivot - tip
    length = float(np.hypot(*way))
    along = (length**2 + rod**2 - crank**2) / (2 * length)
    across = np.sqrt(rod**2 - along**2)
    pin = tip + along * way / length + across * np.array([-way[1], way[0]]) / length

    def joint(bodies: list[str], at: Any, **more: Any) -> Tree:
        return {"type": "R", "bodies": bodies, "at": [float(at[0]), float(at[1]), 0.0], "axis": Z, **more}

    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "four-bar in space", "space": "spatial", "ground": "0",
            "bodies": {"1": {}, "2": {}, "3": {}},
            "joints": {
                "A": joint(["0", "1"], [0, 0], driven=1), "B": joint(["1", "2"], tip), "C": joint(["2", "3"], pin),
                "D": joint(["0", "3"], pivot),
            },
            "special": {"flat": {"kind": "planar", "joints": ["A", "B", "C", "D"]}},
            "drives": {"A": law},
        }
    )  # fmt: skip


def turn(result: MotionResult, body: str) -> Any:
    """Return a body's angle about z."""
    q = result.bodies[body].q
    return 2 * np.arctan2(q[:, 3], q[:, 0])


def angle_between(one: Any, other: Any) -> Any:
    return np.abs(np.sin((one - other) / 2)) * 2


@pytest.fixture(scope="module")
def library() -> Library:
    return symgen.library()


def ring_parallelogram() -> Mechanism:
    """A parallelogram closed by a ring U.R.C: no constraint too many, certified Newton solves it."""
    x, y = 0.3 * np.cos(1.0), 0.3 * np.sin(1.0)
    joints: Tree = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": Z, "driven": 1},
        "B": {"type": "U", "bodies": ["crank", "rod"], "at": [x, y, 0], "axis": Z, "axis2": [0, 1, 0]},
        "M": {"type": "R", "bodies": ["rod", "second"], "at": [0.5 + x, y, 0], "axis": [1, 0, 0]},
        "C": {"type": "C", "bodies": ["second", "rock"], "at": [1.0 + x, y, 0], "axis": Z},
        "D": {"type": "R", "bodies": ["ground", "rock"], "at": [1, 0, 0], "axis": Z},
    }
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "joints": joints, "drives": {"A": "t"},
        "bodies": {"crank": {}, "rod": {}, "second": {}, "rock": {}},
    })  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["redundant", "ring"])
@pytest.mark.parametrize("away", [1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6])
def test_rows_that_end_before_a_point_are_as_those_of_grids_that_go_on(
    kind: str, away: float, library: Library
) -> None:
    """From a report: accelerations wrong by 1 said OK where the last time was 1e-5 rad before a change point."""
    mechanism = four_bar(law="t") if kind == "redundant" else ring_parallelogram()
    rocker, point = ("3", np.pi / 2) if kind == "redundant" else ("rock", np.pi - 1.0)
    last = point - away
    statuses = set()
    for times in (np.array([last]), np.linspace(0.0, last, 101), np.linspace(0.0, last, 1001),
                  np.array([last, point + 0.1])):  # fmt: skip
        result = symgen.solve(mechanism, times, library=library)
        row = 0 if times[-1] > point else -1
        statuses.add(int(result.status[row]))
        track = result.bodies[rocker]
        # The limit is right to 1e-6 of what moves, so are rows outside of its zone.
        assert np.abs(track.alpha[row]).max() < 2e-6
        assert abs(track.omega[row][2] - 1.0) < 1e-8
    assert len(statuses) == 1  # whatever the grid


@pytest.mark.sampled(1)
def test_rows_before_a_point_behind_which_a_law_has_no_value_are_right_or_singular(library: Library) -> None:
    """Nobody can look on there: what the condition says has to do."""
    mechanism = four_bar(law=f"{np.pi / 2} - sqrt(1 - t)")
    times = 1.0 - 10.0 ** np.linspace(-3.0, -12.0, 37)
    result = symgen.solve(mechanism, times, library=library)
    ok = (result.status == Status.OK) & ~result.groups[1].certificates.limit
    assert np.any(ok)
    assert np.any(~ok)
    rate = 0.5 / np.sqrt(1.0 - times)
    off = np.abs(result.bodies["3"].omega[:, 2] - rate) / rate
    assert np.all(off[ok] < 1e-5)
    second = 0.25 * (1.0 - times) ** -1.5
    off = np.abs(result.bodies["3"].alpha[:, 2] - second) / (second + rate**2)
    assert np.all(off[ok] < 2e-3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("grid", GRIDS)
def test_a_parallelogram_stays_one_on_any_grid(grid: str, law: str, library: Library) -> None:
    times = GRIDS[grid]
    result = symgen.solve(four_bar(law=law), times, library=library)
    given = LAWS[law](times)
    limit = result.groups[1].certificates.limit
    assert np.all((result.status == Status.OK) | ((result.status == Status.SINGULAR) & limit))
    assert np.array_equal(limit, result.status == Status.SINGULAR)
    # Positions near the point: eps times a condition of 1e5; rates are promised to 1e-6 of (2 pi)^2 and more.
    assert np.max(angle_between(turn(result, "2"), 0.0)) < 1e-9
    assert np.max(angle_between(turn(result, "3"), given)) < 1e-9
    assert np.max(np.abs(result.bodies["2"].omega)) < 1e-5
    assert np.max(np.abs(result.bodies["2"].alpha)) < 1e-3


@pytest.mark.parametrize("law", ["2*pi*t", "pi/2*sin(2*pi*t)"])
def test_the_row_at_the_point_is_singular_and_carries_the_limit(law: str, library: Library) -> None:
    result = symgen.solve(four_bar(law=law), np.linspace(0, 0.5, 11), library=library)
    assert [Status(int(code)).name for code in result.status] == ["OK"] * 5 + ["SINGULAR"] + ["OK"] * 5
    assert result.groups[1].certificates.reason == ""
    (event,) = result.events
    assert (event.group, event.status) == (2, Status.SINGULAR)
    assert event.first == event.last == pytest.approx(0.25, abs=1e-6)
    rocker = result.bodies["3"]
    assert np.isfinite(rocker.alpha[5]).all()
    rate = 2 * np.pi if law == "2*pi*t" else 0.0
    second = 0.0 if law == "2*pi*t" else -np.pi / 2 * (2 * np.pi) ** 2
    assert rocker.omega[5, 2] == pytest.approx(rate, abs=1e-8)
    assert rocker.alpha[5, 2] == pytest.approx(second, abs=1e-5)


def test_no_row_is_ok_where_half_of_the_digits_are_lost(library: Library) -> None:
    times = 0.25 + np.concatenate([-(10.0 ** np.arange(-1, -13, -1)), 10.0 ** np.arange(-12, 0)])
    result = symgen.solve(four_bar(), np.concatenate([[0.0], times]), library=library)
    fine = result.status == Status.OK
    assert fine[0]
    assert np.max(result.groups[1].certificates.condition[fine]) < 1e6


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_c_and_numpy_go_the_same_way(backend: str) -> None:
    result = symgen.solve(four_bar(), [0.0, 0.1, 0.25, 0.3], library=symgen.library(backend=backend))
    assert [Status(int(code)).name for code in result.status] == ["OK", "OK", "SINGULAR", "OK"]
    assert np.max(angle_between(turn(result, "2"), 0.0)) < 1e-9


@pytest.mark.sampled(4)
@pytest.mark.parametrize("off", [1e-3, -1e-3, 1e-4, 1e-5, -1e-6, 1e-6, -1e-9, 1e-9, -1e-11])
def test_a_near_miss_stays_on_its_own_branch_or_says_so(off: float, library: Library) -> None:
    """Lengths that are off part the branches by the root of that; each then is a four-bar with a sign of its own."""
    ground = 0.6 + off
    times = np.linspace(0, 1, 16)
    result = symgen.solve(four_bar(ground), times, library=library)
    fine = result.status == Status.OK
    # The branch by its sign: the pin on the left of the way from tip to pivot, for as long as it is within reach.
    crank = 2 * np.pi * times + np.pi / 2
    tip = 0.2 * np.stack([np.cos(crank), np.sin(crank)], axis=-1)
    way = np.array([ground, 0.0]) - tip
    length = np.hypot(*way.T)
    along = (length**2 + 0.6**2 - 0.2**2) / (2 * length)
    across = np.sqrt(np.maximum(0.6**2 - along**2, 0.0))
    normal = np.stack([-way[:, 1], way[:, 0]], axis=-1)
    pin = tip + (along[:, None] * way + across[:, None] * normal) / length[:, None]
    arm = pin - np.array([ground, 0.0])
    expected = np.arctan2(arm[:, 1], arm[:, 0])
    start = np.arctan2(arm[0, 1], arm[0, 0])
    assert fine.sum() >= 4
    assert np.max(angle_between(turn(result, "3") + start, expected)[fine]) < 1e-8
    if not fine.all():
        assert result.groups[1].certificates.reason


def test_lengths_off_by_rounding_are_a_parallelogram(library: Library) -> None:
    for off in (1e-16, -1e-15, 3e-15):
        result = symgen.solve(four_bar(0.6 + off), np.linspace(0, 1, 16), library=library)
        assert result.ok
        # a coupler that closes a gap of 3e-15 over 0.2 turns by some 1e-13 near the flat position
        assert np.max(angle_between(turn(result, "2"), 0.0)) < 1e-11


def test_between_branches_too_near_to_tell_it_is_ambiguous_with_the_reason(library: Library) -> None:
    result = symgen.solve(four_bar(0.6 + 1e-13), np.linspace(0, 0.5, 8), library=library)
    fine = result.status == Status.OK
    assert fine[:4].all()
    assert not fine[4:].any()
    assert set(result.status[4:].tolist()) == {Status.AMBIGUOUS}
    assert "come together at t = 0.2" in result.groups[1].certificates.reason
    assert "come together at t = 0.2" in str(result.first_failure())
    (event,) = result.events
    assert event.status is Status.AMBIGUOUS
    assert (event.first, event.last) == (pytest.approx(0.25, abs=1e-4), 0.5)
    assert "--assemblies --from T" in event.text


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "times", [np.linspace(0, 1, 21), np.array([0, 0.1, 0.2, 0.3]), np.array([0.9]), np.linspace(0.4, 0, 7)], ids=len
)
def test_two_parallelograms_one_behind_the_other_are_flat_at_once(times: Any, library: Library) -> None:
    """The second one hangs on the first one's rocker: what is known moves through a change point at the same time."""

    def joint(bodies: str, x: float, y: float, **more: Any) -> Tree:
        return {"type": "R", "bodies": list(bodies), "at": [x, y, 0.0], "axis": Z, **more}

    mechanism = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "double", "space": "spatial", "ground": "0",
            "bodies": {str(k): {} for k in range(1, 6)},
            "joints": {
                "A": joint("01", 0, 0, driven=1), "B": joint("12", 0, 0.2), "C": joint("23", 0.6, 0.2),
                "D": joint("03", 0.6, 0), "E": joint("34", 0.6, 0.1), "F": joint("45", 1.0, 0.1),
                "G": joint("05", 1.0, 0),
            },
            "special": {"flat": {"kind": "planar", "joints": list("ABCDEFG")}},
            "drives": {"A": "2*pi*t"},
        }
    )  # fmt: skip
    result = symgen.solve(mechanism, times, library=library)
    at_point = np.isclose(np.abs(np.sin(2 * np.pi * times)), 1.0)
    assert np.array_equal(result.status == Status.SINGULAR, at_point)
    assert result.status[~at_point].max() == Status.OK
    for body, angle in (("2", 0.0), ("3", 2 * np.pi * times), ("4", 0.0), ("5", 2 * np.pi * times)):
        assert np.max(angle_between(turn(result, body), angle)) < 1e-9
    assert np.max(np.abs(result.bodies["5"].omega[:, 2] - 2 * np.pi)) < 1e-5


def test_a_fold_is_lost_with_the_reason(library: Library) -> None:
    """A rod that is too short to let the crank turn round: the branch turns back where crank and rod are in line."""
    result = symgen.solve(four_bar(0.7), np.linspace(0, 0.5, 11), library=library)
    lost = np.flatnonzero(result.status)
    # tip to pivot: rod + rocker = 0.8 at most, |0.7 - 0.2 exp(i angle)| is more behind cos = -0.39
    end = np.arccos((0.2**2 + 0.7**2 - 0.8**2) / (2 * 0.2 * 0.7)) - np.pi / 2
    assert lost[0] == int(end / (2 * np.pi) / 0.05) + 1
    assert set(result.status[lost].tolist()) == {Status.BRANCH_LOST}
    reason = result.groups[1].certificates.reason
    assert reason == f"the branch ends at t = {end / (2 * np.pi):.9g} s: within rounding, it turns back in a fold"
    (event,) = result.events
    assert (event.status, event.text) == (Status.BRANCH_LOST, reason)
    assert event.first == pytest.approx(end / (2 * np.pi), abs=1e-6)


def test_times_before_the_drawing_have_events_of_their_own(library: Library) -> None:
    result = symgen.solve(four_bar(), np.linspace(-0.6, 0.6, 13), library=library)
    assert [round(event.first, 4) for event in result.events] == [-0.25, 0.25]
    lost = symgen.solve(four_bar(0.7), np.linspace(-0.6, 0.6, 25), library=library)
    assert [event.status for event in lost.events] == [Status.BRANCH_LOST, Status.BRANCH_LOST]
    fine = np.flatnonzero(lost.status == Status.OK)
    (low, high) = lost.events
    assert (low.first, high.last) == (-0.6, 0.6)
    assert lost.times[fine[0] - 1] <= low.last <= lost.times[fine[0]]
    assert lost.times[fine[-1]] <= high.first <= lost.times[fine[-1] + 1]


def test_the_way_through_time_is_told(library: Library) -> None:
    seen: list[str] = []
    symgen.solve(four_bar(), np.linspace(0, 1, 5), library=library, progress=lambda *given: seen.append(given[2]))
    places = [float(each.split(", t = ")[1].removesuffix(" s")) for each in seen if ", t = " in each]
    assert len(places) > 1
    assert places == sorted(places)
    assert 0.0 <= places[0] < places[-1] <= 1.0


# -- behind groups that are singular themselves ------------------------------------------------------------------------


def test_a_group_is_followed_over_rows_at_which_what_is_before_it_has_no_rates(library: Library) -> None:
    """Rates of known bodies that are NaN at a row leave its position, with the status of the group before."""
    from symgen.library.adapt import BodyMotion
    from symgen.solve.branches import choose_branches
    from symgen.solve.newton import NewtonPlan, solve_newton
    from symgen.solve.plan import make_plan

    mechanism, times = four_bar(), np.linspace(0, 0.2, 9)
    whole = symgen.solve(mechanism, times, library=library)
    plan = make_plan(mechanism, library)
    starts: dict[int, Any] = {}
    choose_branches(plan, None, starts)
    dyad = plan.groups[1]
    assert isinstance(dyad, NewtonPlan)
    crank = whole.bodies["1"]
    twist, second = np.hstack([crank.v, crank.omega]), np.hstack([crank.a, crank.alpha])
    twist[4], second[4] = np.nan, np.nan
    known = {"0": BodyMotion(np.array([0, 0, 0, 1, 0, 0, 0.0])), "1": BodyMotion(crank.pose, twist, second)}
    for before, code in ((Status.SINGULAR, Status.SINGULAR), (Status.NO_ASSEMBLY, Status.NO_ASSEMBLY)):
        status = np.full(9, Status.OK, dtype=np.int32)
        status[4] = before
        motion, found, own, _ = solve_newton(dyad, known, {}, times, status, starts[1])
        assert found[4] == code
        assert not own[4]
        assert np.isfinite(motion.bodies["3"].pose[4]).all() == (before is Status.SINGULAR)
        assert set(found[5:].tolist()) == {Status.OK if before is Status.SINGULAR else Status.BRANCH_LOST}
        assert np.allclose(motion.bodies["3"].pose[:4], whole.bodies["3"].pose[:4], atol=1e-9)
        if before is Status.SINGULAR:
            assert np.allclose(motion.bodies["3"].pose, whole.bodies["3"].pose, atol=1e-9)


# -- platforms ---------------------------------------------------------------------------------------------------------


def platform(base: Any, top: Any, place: Any, yaw: float, drives: Any) -> Tree:
    """Return a platform on six legs U-P-S with driven slides."""
    c, s = np.cos(yaw), np.sin(yaw)
    bodies: Tree = {"p": {}}
    joints: Tree = {}
    for k, (foot, hip) in enumerate(zip(base, top, strict=True)):
        ball = np.add(place, [c * hip[0] - s * hip[1], s * hip[0] + c * hip[1], hip[2]])
        leg = (ball - foot) / np.linalg.norm(ball - foot)
        side = np.cross(leg, [0.3, 0.5, 0.1])
        side /= np.linalg.norm(side)
        bodies |= {f"l{k}": {}, f"u{k}": {}}
        joints |= {
            f"U{k}": {
                "type": "U", "bodies": ["ground", f"l{k}"], "at": list(map(float, foot)), "axis": side.tolist(),
                "axis2": np.cross(leg, side).tolist(),
            },
            f"P{k}": {
                "type": "P", "bodies": [f"l{k}", f"u{k}"], "at": list(map(float, foot)), "axis": leg.tolist(),
                "driven": 1,
            },
            f"S{k}": {"type": "S", "bodies": [f"u{k}", "p"], "at": ball.tolist()},
        }  # fmt: skip
    return {
        "schema": "symgen/mechanism/1", "name": "platform", "space": "spatial", "bodies": bodies, "joints": joints,
        "drives": {f"P{k}": law for k, law in enumerate(drives)},
    }  # fmt: skip


def ring(radius: float, degrees: Any) -> Any:
    angles = np.deg2rad(np.array(degrees, dtype=float))
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), 0 * angles], axis=-1)


FEET, HIPS = ring(1.0, [-15, 15, 105, 135, 225, 255]), ring(0.6, [-45, 45, 75, 165, 195, 285])


@pytest.mark.parametrize(
    ("feet", "hips", "place", "yaw"),
    [
        pytest.param(FEET, HIPS, [0, 0, 1.0], np.pi / 2, id="fichter, yaw of a right angle"),
        pytest.param(FEET, HIPS, [0.1, -0.05, 0.8], -np.pi / 2, id="fichter, turned the other way"),
        pytest.param(
            ring(1.0, range(0, 360, 60)), ring(0.5, range(0, 360, 60)), [0.1, 0.05, 1.0], 0.2, id="similar hexagons"
        ),
    ],
)
def test_a_drawing_that_is_singular_says_so(feet: Any, hips: Any, place: Any, yaw: float, library: Library) -> None:
    mechanism = Mechanism.from_dict(platform(feet, hips, place, yaw, ["0.02*sin(t)"] * 6))
    with pytest.raises(SolveError, match="singular as drawn") as caught:
        symgen.solve(mechanism, [0.0, 0.1], library=library)
    assert caught.value.status is Status.SINGULAR


def test_analyse_tells_that_the_inputs_do_not_hold_a_singular_drawing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for yaw in (np.pi / 2, 0.3):
        file = tmp_path / "platform.json"
        file.write_text(json.dumps(platform(FEET, HIPS, [0, 0, 1.0], yaw, ["0"] * 6)), encoding="utf-8")
        assert main(["analyse", str(file)]) == 0
        said.append(" ".join(capsys.readouterr().out.split()))
    assert "1 remain with the inputs held: the inputs do not hold the mechanism in this configuration" in said[0]
    assert "inputs held" not in said[1]


def test_a_platform_goes_through_its_singular_position_along_the_motion_that_its_legs_were_taken_from(
    library: Library,
) -> None:
    """Legs as long as a platform has them that turns evenly through a right angle of yaw, where it is singular."""
    rate, height, begin = 0.5, 1.0, np.pi / 2 - 0.25
    drives = []
    for foot, hip in zip(FEET, HIPS, strict=True):
        # |p + R(yaw) h - f|^2 = z^2 + |h|^2 + |f|^2 - 2 |f| |h| cos(yaw + angle of h - angle of f)
        size = float(np.hypot(*foot[:2]) * np.hypot(*hip[:2]))
        phase = float(np.arctan2(hip[1], hip[0]) - np.arctan2(foot[1], foot[0]))
        square = height**2 + float(foot @ foot + hip @ hip)
        first = float(np.sqrt(square - 2 * size * np.cos(begin + phase)))
        drives.append(f"sqrt({square!r} - {2 * size!r}*cos({begin + phase!r} + {rate!r}*t)) - {first!r}")
    mechanism = Mechanism.from_dict(platform(FEET, HIPS, [0, 0, height], begin, drives))
    times = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    result = symgen.solve(mechanism, times, library=library)
    assert result.ok, result.groups[0].certificates.reason
    assert turn(result, "p") == pytest.approx(rate * times, abs=1e-9)
    assert result.bodies["p"].omega[:, 2] == pytest.approx(rate, abs=1e-8)


def test_an_assembly_of_a_later_time_is_followed_from_that_time(library: Library) -> None:
    """At t = 1 the crank stands as at t = 0; the crossed one among the assemblies there is not that of the drawing."""
    mechanism = four_bar(0.5)
    found = symgen.assemblies(mechanism, 1.0, library=library)
    ends = []
    for assembly in found:
        result = symgen.solve(mechanism, [1.0, 1.01], assembly=assembly, library=library)
        assert result.ok
        assert result.bodies["3"].q[0] == pytest.approx(assembly.bodies["3"][3:], abs=1e-9)
        ends.append(float(turn(result, "3")[1]))
    assert len(ends) == 2
    assert abs(ends[1] - ends[0]) > 0.1
