"""What a user is told of change points, and how to choose where the motion alone does not tell."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import InputError
from symgen.library.open import Library
from symgen.status import Status

ARM = 0.2
REACH = 2 * np.sqrt(2.0) * ARM


def slider_crank(law: str = "2*pi*t") -> symgen.Mechanism:
    """Crank and rod equally long: change points where the crank is upright, at t = 0.125 s and 0.625 s."""
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [ARM, ARM]},
        "C": {"type": "R", "bodies": ["rod", "slider"], "at": [2 * ARM, 0]},
        "P": {"type": "P", "bodies": ["ground", "slider"], "at": [2 * ARM, 0], "axis": [1, 0]},
    }
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "isosceles", "space": "planar",
        "bodies": {"crank": {}, "rod": {}, "slider": {}}, "joints": joints, "drives": {"A": law},
    })  # fmt: skip


def smooth_slide(turned: Any) -> Any:
    """The smooth motion of the slider for the crank's angle from the drawing: the triangle stays isosceles."""
    return REACH * np.cos(np.pi / 4 + np.asarray(turned)) - 2 * ARM


@pytest.fixture(scope="module")
def numpy_library() -> Library:
    return symgen.library(backend="numpy")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "isosceles.json"
    path.write_text(json.dumps(slider_crank().to_dict()), encoding="utf-8")
    return str(path)


def test_rows_at_change_points_hold_limits_and_are_marked(numpy_library: Library) -> None:
    times = np.linspace(0.0, 1.0, 9)
    result = symgen.solve(slider_crank(), times, library=numpy_library)
    at_points = np.array([1, 5])
    np.testing.assert_array_equal(np.flatnonzero(result.limit), at_points)
    np.testing.assert_array_equal(np.flatnonzero(result.status == Status.SINGULAR), at_points)
    slide = result.joints["P"]
    # Limits come from a polynomial through regular rows: ten digits of positions, two fewer for each derivative.
    np.testing.assert_allclose(slide.coordinates["slide"], smooth_slide(2 * np.pi * times), atol=1e-10)
    rate = -2 * np.pi * REACH * np.sin(np.pi / 4 + 2 * np.pi * times)
    np.testing.assert_allclose(slide.rates["slide"], rate, atol=1e-8)
    second = -((2 * np.pi) ** 2) * REACH * np.cos(np.pi / 4 + 2 * np.pi * times)
    np.testing.assert_allclose(slide.accelerations["slide"], second, atol=1e-6)
    assert not result.ok
    assert result.overall is Status.OK
    assert result.first_failure() is None
    assert [(each.group, each.status) for each in result.events] == [(2, Status.SINGULAR)] * 2
    np.testing.assert_allclose([each.first for each in result.events], [0.125, 0.625], atol=1e-6)
    assert "branches meet" in str(result.events[0])
    np.testing.assert_array_equal(result.groups[1].branch_rows[[0, 3, 7]], np.array([0, 1, 0]))


def test_the_command_line_tells_them_and_calls_them_no_failure(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "motion.csv"
    words = ["solve", file, "--to", "1", "--steps", "8", "--backend", "numpy"]
    assert main([*words, "--output", str(out)]) == 0
    shown = capsys.readouterr()
    assert "at t = 0.125 s group 2: branches meet" in shown.err
    assert "0, 1 of 2" in shown.out
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["status"] for row in rows].count("SINGULAR") == 2
    assert "nan" not in {value for row in rows for value in row.values()}
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "OK"
    assert [round(each["from"], 6) for each in document["events"]] == [0.125, 0.625]
    assert document["rows"]["limit"] == [k in (1, 5) for k in range(9)]


def test_where_nothing_is_smooth_it_is_ambiguous_and_a_branch_can_be_chosen(numpy_library: Library) -> None:
    # The crank turns back at the change point with a corner in its law: no motion is smooth there.
    corner = slider_crank("2*pi*(0.125 - abs(t - 0.125))")
    times = np.linspace(0.0, 0.2, 21)
    result = symgen.solve(corner, times, library=numpy_library)
    behind = times > 0.126
    assert set(result.status[behind]) == {int(Status.AMBIGUOUS)}
    assert np.all(result.status[times < 0.124] == Status.OK)
    assert "--branch 2=K@T" in str(result.events[-1])
    assert result.first_failure() is not None
    for branch, slide in ((0, smooth_slide(2 * np.pi * (0.125 - np.abs(times - 0.125)))), (1, -2 * ARM)):
        chosen = symgen.solve(corner, times, branch={2: {0.13: branch}}, library=numpy_library)
        rows = times >= 0.13
        assert np.all(chosen.status[rows] == Status.OK)
        found = chosen.joints["P"].coordinates["slide"]
        np.testing.assert_allclose(found[rows], np.broadcast_to(slide, times.shape)[rows], atol=1e-9)


def test_a_corner_of_the_law_away_from_change_points_does_not_matter(numpy_library: Library) -> None:
    law = "2*pi*abs(t - 0.07)"
    times = np.linspace(0.07, 1.0, 57)
    result = symgen.solve(slider_crank(law), times[::-1], library=numpy_library)
    turned = 2 * np.pi * np.abs(times[::-1] - 0.07)
    rows = result.status == Status.OK
    assert rows.sum() >= 55
    np.testing.assert_allclose(result.joints["P"].coordinates["slide"][rows], smooth_slide(turned)[rows], atol=1e-9)


@pytest.mark.parametrize("first", [0.3, -1.7, 2.5])
def test_a_drawing_elsewhere_leads_to_the_first_time(numpy_library: Library, first: float) -> None:
    times = np.array([0.41, 0.17, 0.0, 0.83])  # in no order
    result = symgen.solve(slider_crank(f"{first} + 2*pi*t"), times, library=numpy_library)
    assert result.ok
    found = result.joints["P"].coordinates["slide"]
    np.testing.assert_allclose(found, smooth_slide(first + 2 * np.pi * times), atol=1e-9)


def test_a_law_without_a_value_at_zero_is_begun_at_the_first_time(numpy_library: Library) -> None:
    times = np.array([0.4, 0.5, 0.9])
    result = symgen.solve(slider_crank("2*pi*(1 - 0.1/t)"), times, library=numpy_library)
    assert result.ok
    turned = 2 * np.pi * (1 - 0.1 / times)
    np.testing.assert_allclose(result.joints["P"].coordinates["slide"], smooth_slide(turned), atol=1e-9)


def test_too_far_to_follow_is_said_and_a_named_branch_is_solved(numpy_library: Library) -> None:
    times = np.array([0.0, 0.05, 1e7])
    result = symgen.solve(slider_crank(), times, library=numpy_library)
    assert [Status(int(code)) for code in result.status] == [Status.OK, Status.OK, Status.AMBIGUOUS]
    assert "too far" in str(result.events[-1])
    far = symgen.solve(slider_crank(), times[-1:], branch={2: 0}, library=numpy_library)
    assert far.ok


def test_single_precision_is_right_or_says_that_it_does_not_know(numpy_library: Library) -> None:
    library = symgen.library(precision="float", backend="numpy")
    times = np.linspace(0.0, 1.0, 38)
    result = symgen.solve(slider_crank(), times, library=library)
    fine = result.status == Status.OK
    assert fine.sum() >= 5  # up to the first change point at the least
    assert set(result.status[~fine]) <= {int(Status.AMBIGUOUS), int(Status.SINGULAR)}
    # Seven digits, of which a quarter of a step from a change point costs two.
    found = result.joints["P"].coordinates["slide"][fine]
    np.testing.assert_allclose(found, smooth_slide(2 * np.pi * times)[fine], atol=2e-4)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("2=1@", "is not a time"),
        ("2=1@soon", "is not a time"),
        ("2=1@inf", "is not a time"),
        ("2=7@0.1", "branches 0 to 1"),
        ("9=1@0.1", "there is no group 9"),
        ("2@0.1", "write GROUP=K"),
    ],
)
def test_a_choice_in_time_that_is_wrong_is_refused(
    file: str, word: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", file, "--to", "1", "--backend", "numpy", "--branch", word]) == 2
    assert message in capsys.readouterr().err


def test_a_time_given_twice_is_refused(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--branch", "2=1@0.1", "--branch", "2=0@0.10"]
    assert main(["solve", file, "--to", "1", "--backend", "numpy", *words]) == 2
    assert "given twice from 0.1 s on" in capsys.readouterr().err


def test_times_of_a_choice_are_numbers(numpy_library: Library) -> None:
    with pytest.raises(InputError, match="is not a time"):
        symgen.solve(slider_crank(), [0.0], branch={2: {"now": 1}}, library=numpy_library)  # type: ignore[dict-item]


@pytest.mark.parametrize("law", ["pi/4 - 2*pi*t", "pi/4*cos(2*pi*t)", "pi/4*(1 - t**2)", "-3*pi/4 + 3*t"])
def test_laws_that_begin_at_a_change_point_are_not_guessed_from_a_drawing_elsewhere(
    law: str, numpy_library: Library
) -> None:
    result = symgen.solve(slider_crank(law), np.linspace(0.0, 1.0, 101), library=numpy_library)
    fine = result.status == Status.OK
    turned = result.joints["A"].coordinates["angle"]
    off = np.abs(result.joints["P"].coordinates["slide"] - smooth_slide(turned))
    assert not np.any(off[fine] > 1e-8)
    assert "begin where branches meet" in str(result.events[0])


def four_bar(crank: float, ground: float, turned: float) -> symgen.Mechanism:
    """An antiparallelogram: bar as long as the ground, rocker as long as the crank, links crossed."""
    pin, far = crank * np.exp(1j * turned), ground + 0j
    along = (far - pin) / abs(far - pin)
    end = pin + 2 * (ground * along.real) * along - ground  # the parallelogram's bar mirrored at the diagonal
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "bar"], "at": [pin.real, pin.imag]},
        "C": {"type": "R", "bodies": ["bar", "rocker"], "at": [end.real, end.imag]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [ground, 0]},
    }
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "antiparallelogram", "space": "planar",
        "bodies": {"crank": {}, "bar": {}, "rocker": {}}, "joints": joints, "drives": {"A": "2*pi*t"},
    })  # fmt: skip


@pytest.mark.parametrize("part", [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8])
def test_branches_that_come_apart_fast_are_right_or_not_called_ok(part: float, numpy_library: Library) -> None:
    # The nearer the crank is to the ground's length, the faster the bar turns at its change points: as 1/part.
    crank, start, times = 0.2, -1.0, np.linspace(0.0, 1.0, 101)
    ground = crank * (1 + part)
    result = symgen.solve(four_bar(crank, ground, start), times, library=numpy_library)
    pins = crank * np.exp(1j * (start + 2 * np.pi * times))
    along = (ground - pins) / np.abs(ground - pins)
    bar = 2 * (ground * along.real) * along - ground
    turned = np.angle(bar / bar[0])
    found = 2 * np.arctan2(result.bodies["bar"].q[:, 3], result.bodies["bar"].q[:, 0])
    off = np.abs(np.angle(np.exp(1j * (found - turned))))
    fine = result.status == Status.OK
    assert fine[0]
    assert not np.any(off[fine] > 1e-8)


def test_a_fold_between_two_rows_is_told(numpy_library: Library) -> None:
    # The slider is pulled past the point where the links are in line by 1e-6 m, and comes back, between two rows.
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [0.1, 0.1]},
        "C": {"type": "R", "bodies": ["rod", "slider"], "at": [0.4, 0]},
        "P": {"type": "P", "bodies": ["ground", "slider"], "at": [0.4, 0], "axis": [1, 0], "driven": 1},
    }
    reach = np.hypot(0.1, 0.1) + np.hypot(0.3, 0.1) - 0.4 + 1e-6
    tree = {
        "schema": "symgen/mechanism/1", "name": "pulled", "space": "planar",
        "bodies": {"crank": {}, "rod": {}, "slider": {}}, "joints": joints,
        "drives": {"P": f"{float(reach)!r}*sin(pi*t)"},
    }  # fmt: skip
    result = symgen.solve(symgen.Mechanism.from_dict(tree), np.linspace(0.0, 1.0, 38), library=numpy_library)
    assert np.all(result.status == Status.OK)
    assert result.overall is Status.NO_ASSEMBLY
    assert "out of reach" in str(result.first_failure())


# --- near misses -----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("short", [1e-4, 1e-8, 1e-9, 1e-11])
@pytest.mark.parametrize("more", [[], [1.0]], ids=["alone", "and a later time"])
def test_a_gap_however_narrow_is_no_change_point(short: float, more: list[float], numpy_library: Library) -> None:
    """A rod shorter than the crank by a part of it: upright the crank cannot pass; the same signs come back."""
    crank, start, speed = 0.35, 0.6, 1.5
    rod = crank * (1.0 - short)
    pin = [crank * np.cos(start), crank * np.sin(start)]
    slide = pin[0] + np.sqrt(rod**2 - pin[1] ** 2)
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": pin},
        "C": {"type": "R", "bodies": ["rod", "slider"], "at": [slide, 0]},
        "P": {"type": "P", "bodies": ["ground", "slider"], "at": [slide, 0], "axis": [1, 0]},
    }
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "too short", "space": "planar",
        "bodies": {"crank": {}, "rod": {}, "slider": {}}, "joints": joints, "drives": {"A": f"{speed}*t"},
    })  # fmt: skip
    upright = (np.pi / 2 - start) / speed
    gap = np.arccos(rod / crank) / speed  # |sin| of the crank's angle is above rod/crank for that long on either side
    times = np.array([upright + 0.4 * gap, *more])
    result = symgen.solve(mechanism, times, library=numpy_library)
    assert result.status[0] == Status.NO_ASSEMBLY
    for status, time, found in zip(result.status[1:], more, result.joints["P"].coordinates["slide"][1:], strict=True):
        assert status == Status.OK
        angle = start + speed * time
        assert found == pytest.approx(crank * np.cos(angle) + np.sqrt(rod**2 - (crank * np.sin(angle)) ** 2) - slide)
    assert {event.status for event in result.events} == {Status.NO_ASSEMBLY}


def slotted_wheel(off: float) -> symgen.Mechanism:
    """A pin passes the pivot of its slot at this distance: the wheel turns by half a turn, the sooner the nearer."""
    pin, pivot = np.array([0.4 * np.cos(1.0), 0.4 * np.sin(1.0)]), np.array([0.4 + off, 0.0])
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "W": {"type": "R", "bodies": ["ground", "wheel"], "at": pivot.tolist()},
        "S": {"type": "L", "bodies": ["wheel", "crank"], "at": pin.tolist(), "axis2": (pin - pivot).tolist()},
    }
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "slotted wheel", "space": "planar",
        "bodies": {"crank": {}, "wheel": {}}, "joints": joints, "drives": {"A": "1.1*t"},
    })  # fmt: skip


@pytest.mark.sampled(8)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-10, 1e-9, 1e-8, 2e-8, 1e-7, 1e-4])
@pytest.mark.parametrize("grid", ["alone", "even", "on the point"])
def test_a_pin_that_only_nearly_meets_a_pivot_is_followed_or_not_told(
    off: float, grid: str, numpy_library: Library
) -> None:
    """What says OK is right, whatever the grid: towards the pin from the pivot, or smoothly through if it is met.

    Rounding moves pin and pivot by some 1e-13 of what they are apart from the crank's axle: 1e-12 counts as met.
    """
    met = off <= 1e-12
    last, point = 5.5, (2 * np.pi - 1.0) / 1.1
    times = {"alone": [last], "even": [*np.linspace(0, 6, 41), last], "on the point": [point, last]}[grid]
    result = symgen.solve(slotted_wheel(off), times, library=numpy_library)
    q = result.bodies["wheel"].q[-1]
    angle = 1.0 + 1.1 * last
    way = np.array([0.4 * np.cos(angle) - 0.4 - off, 0.4 * np.sin(angle)])
    first = np.array([0.4 * np.cos(1.0) - 0.4 - off, 0.4 * np.sin(1.0)])
    turned = np.arctan2(way[1], way[0]) - np.arctan2(first[1], first[0]) + (np.pi if met else 0.0)
    if off == 0.0 or off >= 1e-7:
        assert result.status[-1] == Status.OK
    if result.status[-1] == Status.OK:
        assert np.cos(2 * np.arctan2(q[3], q[0]) - turned) == pytest.approx(1.0, abs=1e-9)
    else:
        assert result.status[-1] == Status.AMBIGUOUS
        assert any(event.status is Status.AMBIGUOUS for event in result.events)


@pytest.mark.parametrize("rows", [2, 3, 4, 5])
def test_a_pin_that_slows_down_in_its_pivot_leaves_the_direction_open(rows: int, numpy_library: Library) -> None:
    """Near t = 1 its way is 0.5 s^3, 0.3 s^4: for a while it is so near that the wheel may have any direction.

    The smooth motion goes straight on; whatever says OK behind that place has to be on it.
    """
    joints: dict[str, Any] = {
        "X": {"type": "P", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0], "driven": ["slide"]},
        "Y": {"type": "P", "bodies": ["cart", "pin"], "at": [-0.5, 0.3], "axis": [0, 1], "driven": ["slide"]},
        "S": {"type": "L", "bodies": ["wheel", "pin"], "at": [-0.5, 0.3], "axis2": [-0.5, 0.3]},
        "O": {"type": "R", "bodies": ["ground", "wheel"], "at": [0, 0]},
    }
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "slow pin", "space": "planar", "joints": joints,
        "bodies": {"cart": {}, "pin": {}, "wheel": {}},
        "drives": {"X": "0.5*(t-1)**3 + 0.5", "Y": "0.3*(t-1)**4 - 0.3"},
    })  # fmt: skip
    times = np.linspace(0.0, 2.0, rows)
    result = symgen.solve(mechanism, times, library=numpy_library)
    s = times - 1.0
    turned = np.arctan2(0.3 * s, 0.5) + np.arctan2(0.3, 0.5)  # of the line through pin and pivot, s = 0 left out
    q = result.bodies["wheel"].q
    wrong = np.cos(2.0 * np.arctan2(q[:, 3], q[:, 0]) - turned) < 1.0 - 1e-9
    assert not np.any(wrong & (result.status == Status.OK))
    assert result.status[0] == Status.OK
    assert all(event.status is not Status.NO_ASSEMBLY for event in result.events)


def test_a_pin_that_turns_back_in_its_pivot_gives_no_accelerations_of_rounding(numpy_library: Library) -> None:
    """It comes on a straight line and goes back on it: the wheel stands still, and no other branch is met."""
    joints: dict[str, Any] = {
        "X": {"type": "P", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0], "driven": ["slide"]},
        "Y": {"type": "P", "bodies": ["cart", "pin"], "at": [0.5, 0.1], "axis": [0, 1], "driven": ["slide"]},
        "S": {"type": "L", "bodies": ["wheel", "pin"], "at": [0.5, 0.1], "axis2": [0.5, 0.1]},
        "O": {"type": "R", "bodies": ["ground", "wheel"], "at": [0, 0]},
    }
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "pin that turns back", "space": "planar", "joints": joints,
        "bodies": {"cart": {}, "pin": {}, "wheel": {}},
        "drives": {"X": "0.5*(t-1)**2 - 0.5", "Y": "0.1*(t-1)**2 - 0.1"},
    })  # fmt: skip
    away = np.array([0.5, 0.1, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6])
    result = symgen.solve(mechanism, np.concatenate([1.0 - away, 1.0 + away[::-1]]), library=numpy_library)
    wheel, ok = result.bodies["wheel"], result.status == Status.OK
    assert np.isin(result.status, [Status.OK, Status.SINGULAR]).all()
    assert ok[np.abs(result.times - 1.0) > 2e-3].all()
    assert np.abs(wheel.alpha[ok, 2]).max() < 1e-3 * 2.0  # of the pin's acceleration over its distance at the start
    assert np.isnan(wheel.omega[~ok]).all()
    assert np.abs(wheel.q[ok, 3]).max() < 1e-9


@pytest.mark.sampled(1)
@pytest.mark.parametrize("away", [1e-7, 7e-7, 1.5e-6, 4e-6, 1e-5])
def test_a_last_row_just_before_a_point_says_what_it_says_in_grids_that_go_on(away: float) -> None:
    """From a report: 1.5e-6 rad before the point the last row had no rates, and in a longer grid it was OK."""
    mechanism = slider_crank("t")
    last = np.pi / 4 - away
    short = symgen.solve(mechanism, [last])
    long = symgen.solve(mechanism, [last, 1.5])
    assert short.status[0] == long.status[0]
    for result in (short, long):
        slide = result.joints["P"]
        assert slide.coordinates["slide"][0] == pytest.approx(float(smooth_slide(last)), abs=1e-9)
        assert slide.rates["slide"][0] == pytest.approx(-REACH * np.sin(np.pi / 4 + last), abs=1e-6)
