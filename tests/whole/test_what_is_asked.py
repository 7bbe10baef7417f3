"""Results by name: the same numbers as all of them, from the groups that lead to them and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.whole_modules import Whole, difference, expected

import symgen
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.whole.asked import asked_of
from symgen.whole.module import whole_module

EXAMPLES = Path(__file__).parents[2] / "examples"
TIMES = np.linspace(0.0, 1.0, 23)
#: As in test_whole_mechanisms.py: the same formulas in another order of operations, condition numbers below 1e3.
CLOSE = 1e-9

#: A crank; a dyad on it; a second dyad on the crank whose links reach its far pivot only around t = 0; a weld on a rod.
TWO_DYADS: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "two dyads",
    "space": "planar",
    "bodies": {
        "crank": {"points": {"pin": [1.0, 0.0]}},
        "coupler": {"points": {"P": [2.0, 1.5]}},
        "rocker": {},
        "plate": {"points": {"tip": [0.5, 0.0]}},
        "rod": {},
        "lever": {"points": {"end": [1.0, 0.0]}},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [1, 0]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [2.5, 2]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [3.9, 0]},
        "W": {"type": "W", "bodies": ["rocker", "plate"], "at": [3, 1]},
        "E": {"type": "R", "bodies": ["crank", "rod"], "at": [1, 0]},
        "F": {"type": "R", "bodies": ["rod", "lever"], "at": [1.4, 0.9]},
        "G": {"type": "R", "bodies": ["ground", "lever"], "at": [1.9, 0.1]},
    },
    "drives": {"A": "2*pi*t"},
}


def _agrees(whole: Whole, found: dict[str, Any], mechanism: Mechanism, close: float) -> None:
    assert not np.any(found["status"])
    wanted = expected(whole, symgen.solve(mechanism, TIMES))
    assert wanted.keys() == found.keys() - {"status", "group"}
    for name, values in wanted.items():
        assert difference(whole, name, found[name], values) < close, name


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("example", "results", "solved"),
    [
        ("stewart_inverse", ("slider_3.slide",), (1, 4)),
        ("stewart_inverse", ("cardan_2", "14.middle", "13"), (1, 3, 7)),
        ("stewart_inverse", ("ball_5",), (1, 6)),
        ("stewart_inverse", ("hand.yaw",), (1,)),
        ("jansen_leg", ("foot.toe",), (1, 2, 3, 4)),
        ("jansen_leg", ("joints.shoulder", "crank"), (1, 2)),
        ("jansen_leg", ("bodies.hip",), (1, 3)),
    ],
)
@pytest.mark.compiler
def test_named_results_are_those_of_solve_from_the_groups_that_lead_to_them(
    example: str, results: tuple[str, ...], solved: tuple[int, ...], tmp_path: Path
) -> None:
    mechanism = symgen.load(EXAMPLES / example / "mechanism.toml")
    whole = Whole(tmp_path, mechanism, "asked", results=results)
    assert tuple(each["number"] for each in whole.manifest["groups"] if each["solved"]) == solved
    _agrees(whole, whole.numpy("motion", t=TIMES), mechanism, CLOSE)
    _agrees(whole, whole.c("motion", len(TIMES), t=TIMES), mechanism, CLOSE)


@pytest.mark.slow
def test_what_leads_to_no_result_is_not_checked_unless_all_checks_are_asked_for(tmp_path: Path) -> None:
    mechanism = Mechanism.from_dict(TWO_DYADS)
    every = symgen.solve(mechanism, TIMES)
    stuck = every.status != 0
    assert stuck.any(), "the second dyad has to be out of reach for a part of the turn"
    lean = Whole(tmp_path / "lean", mechanism, "lean", results=("plate.tip",))
    full = Whole(tmp_path / "full", mechanism, "full", results=("plate.tip",), checks="all")
    found, checked = lean.numpy("motion", t=TIMES), full.numpy("motion", t=TIMES)
    assert not np.any(found["status"])
    np.testing.assert_array_equal(checked["status"], every.status)
    np.testing.assert_array_equal(checked["group"], every.failed)
    np.testing.assert_allclose(found["points"][~stuck], checked["points"][~stuck], rtol=0.0, atol=1e-13)
    assert "(left out)" in lean.texts["lean.h"]
    assert "(left out)" not in full.texts["full.h"]
    # the place of the tip follows from the law of cosines in the triangle of pin, C and D
    turn = 2.0 * np.pi * TIMES
    pivot, coupler, rocker = np.array([3.9, 0.0]), 2.5, np.hypot(1.4, 2.0)
    to_pin = np.stack([np.cos(turn), np.sin(turn)], axis=1) - pivot
    away = np.linalg.norm(to_pin, axis=1)
    inside = np.arccos((rocker**2 + away**2 - coupler**2) / (2.0 * rocker * away))
    swing = np.arctan2(to_pin[:, 1], to_pin[:, 0]) - inside - np.arctan2(2.0, -1.4)  # since the drawing
    arm = np.array([0.5, 0.0]) - pivot  # the plate's frame lies in the ground's while it is drawn
    tip = np.stack(
        [arm[0] * np.cos(swing) - arm[1] * np.sin(swing), arm[0] * np.sin(swing) + arm[1] * np.cos(swing)], axis=1
    )
    tip += pivot
    np.testing.assert_allclose(found["points"], tip, rtol=0.0, atol=1e-12)


def test_a_branch_of_a_group_that_is_left_out_is_not_read(tmp_path: Path) -> None:
    whole = Whole(tmp_path, Mechanism.from_dict(TWO_DYADS), "unread", results=("plate.tip",))
    branch = list(whole.manifest["reference"]["branch"])
    left = next(k for k, each in enumerate(whole.manifest["groups"]) if not each["solved"])
    branch[left] = 77
    assert not np.any(whole.numpy("motion", t=TIMES, branch=branch)["status"])
    assert not np.any(whole.c("motion", len(TIMES), t=TIMES, branch=branch)["status"])
    branch[1 if left != 1 else 2] = 77
    assert np.all(whole.c("motion", len(TIMES), t=TIMES, branch=branch)["status"] == symgen.Status.BAD_INPUT)


@pytest.mark.slow
def test_what_is_followed_are_the_groups_that_are_solved(tmp_path: Path) -> None:
    mechanism = symgen.load(EXAMPLES / "stewart_inverse" / "mechanism.toml")
    whole = Whole(tmp_path, mechanism, "one_leg", results=("slider_3.slide",))
    assert [each.number for each in whole.module.layout.followed] == [4]
    before = np.array(whole.manifest["reference"]["before"])
    slides = symgen.solve(mechanism, TIMES).joints["slider_3"].coordinates["slide"]
    for row, time in enumerate(TIMES):
        step = 0.0 if row == 0 else TIMES[1] - TIMES[0]
        found = whole.c("follow", 1, t=[time], dt=[step], before=[before])
        assert found["status"][0] == symgen.Status.OK
        assert abs(found["q"][0, 0] - slides[row]) < CLOSE
        before = found["state"][0]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("bodys", r'"bodys" is neither a kind of result .*did you mean "bodies"'),
        ("plate.tup", r'BODY\.POINT; did you mean "plate\.tip"'),
        ("C.slide", r"nor the name of one"),
        ("ground", r"a moving body"),
        ("W", r"nor the name of one"),
    ],
)
def test_a_word_that_names_nothing_is_refused_with_the_nearest_that_does(word: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        whole_module(Mechanism.from_dict(TWO_DYADS), symgen.library(), results=("crank", word))


def test_a_word_with_two_meanings_takes_the_kind_before_it_and_a_kind_comes_first() -> None:
    names = {"rod": "C", "lever": "points"}
    bodies = {names.get(body, body): each for body, each in TWO_DYADS["bodies"].items()}
    joints = {
        name: {**each, "bodies": [names.get(body, body) for body in each["bodies"]]}
        for name, each in TWO_DYADS["joints"].items()
    }
    plan = whole_module(Mechanism.from_dict({**TWO_DYADS, "bodies": bodies, "joints": joints}), symgen.library()).plan
    with pytest.raises(InputError, match=r'"C" has two meanings; write bodies\.C or joints\.C'):
        asked_of(plan, ("C",))
    assert asked_of(plan, ("bodies.C",)).bodies == ("C",)
    assert asked_of(plan, ("joints.C",)).coordinates == (("C", "angle"),)
    assert [name for _, name, _ in asked_of(plan, ("points",)).points] == ["pin", "P", "tip", "end"]
    assert asked_of(plan, ("bodies.points",)).bodies == ("points",)
