"""Which branch is solved: the reference configuration's, or the user's; refusals that say what to do."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symgen.errors import InputError, SolveError
from symgen.solve.result import MotionResult
from symgen.status import Status

Solve = Callable[..., MotionResult]
Tree = dict[str, Any]


def _by_bodies(second_angle: float, rocker_angle: float) -> Tree:
    """A four-bar 1, 3, 3, 3 given body by body, drawn only roughly: it has to be assembled."""
    frames = {
        "A": {"ground": {"at": [0, 0]}, "crank": {"at": [0, 0]}},
        "B": {"crank": {"at": [1, 0]}, "coupler": {"at": [0, 0]}},
        "C": {"coupler": {"at": [3, 0]}, "rocker": {"at": [3, 0]}},
        "D": {"ground": {"at": [3, 0]}, "rocker": {"at": [0, 0]}},
    }
    return {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "bodies": {
            "crank": {},
            "coupler": {"pose": {"r": [1, 0], "angle": second_angle}},
            "rocker": {"pose": {"r": [3, 0], "angle": rocker_angle}},
        },
        "joints": {
            name: {"type": "R", "bodies": list(sides), "frames": sides, **({"driven": 1} if name == "A" else {})}
            for name, sides in frames.items()
        },
        "drives": {"A": "0.5*t"},
    }


@pytest.mark.parametrize(("up", "sign"), [(1.0, 1.0), (-1.0, -1.0)])
def test_rough_poses_are_assembled_on_the_side_they_are_drawn(solved: Solve, up: float, sign: float) -> None:
    result = solved(_by_bodies(0.9 * up, 2.3 * up), [0.0])
    # Pins at (1, 0) and (3, 0), links of 3: the apex is at (2, +-sqrt(8)).
    apex = result.bodies["coupler"].r[0] + 3 * _direction(result.bodies["coupler"].q[0])
    np.testing.assert_allclose(apex, [2.0, sign * np.sqrt(8.0), 0.0], atol=1e-14)


def test_driven_coordinates_are_measured_from_the_given_poses(solved: Solve) -> None:
    # The crank is drawn at 0.8 rad and the law starts at 0: the branch is the drawn one, the motion follows the law.
    tree = _by_bodies(1.0, 2.2)
    tree["bodies"]["crank"]["pose"] = {"r": [0, 0], "angle": 0.8}
    tree["bodies"]["coupler"]["pose"]["r"] = [0.7, 0.7]
    result = solved(tree, [0.0])
    assert result.joints["A"].coordinates["angle"][0] == 0.0
    assert result.bodies["coupler"].q[0, 3] > 0.0


def test_the_branch_stays_the_drawn_one_however_far_the_motion_is(solved: Solve, four_bar: Tree) -> None:
    # Nothing but the bit is handed on: a first time far from the drawing needs no path to it.
    near, far = solved(four_bar, [0.0]), solved(four_bar, [0.5, 1000.25])
    assert near.branches == far.branches
    turn = solved(four_bar, np.linspace(0.0, 0.5, 101))
    np.testing.assert_allclose(far.bodies["coupler"].r[0], turn.bodies["coupler"].r[-1], atol=1e-13)


@pytest.mark.parametrize("key", [2, "2", "R.R.R 2D"])
def test_the_user_overrides_the_branch_by_number_or_signature(solved: Solve, four_bar: Tree, key: int | str) -> None:
    drawn = solved(four_bar, [0.1])
    other = solved(four_bar, [0.1], branch={key: 1 - drawn.branches[2]})
    assert other.ok
    assert other.branches[2] == 1 - drawn.branches[2]
    # The two apexes are mirror images at the line of the outer pins B and D.
    b = 0.1 * np.array([np.cos(0.2 * np.pi), np.sin(0.2 * np.pi)])
    line = (np.array([0.35, 0.0]) - b) / np.linalg.norm(np.array([0.35, 0.0]) - b)
    apex = [_apex(result) - b for result in (drawn, other)]
    mirrored = 2 * (apex[0] @ line) * line - apex[0]
    np.testing.assert_allclose(apex[1], mirrored, atol=1e-14)


def test_a_number_wins_over_a_signature(solved: Solve, four_bar: Tree) -> None:
    assert solved(four_bar, [0.0], branch={"R.R.R 2D": 0, 2: 1}).branches[2] == 1


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({7: 0}, "groups are 1 to 2"),
        ({"R.R.P 2D": 0}, 'did you mean "R.R.R 2D"?'),
        ({2: 2}, "branches 0 to 1"),
        ({2: -1}, "branches 0 to 1"),
        ({2: True}, "branches 0 to 1"),
        ({1: 1}, "only branch 0"),
    ],
)
def test_a_branch_that_is_not_there_is_refused(solved: Solve, four_bar: Tree, choice: Any, words: str) -> None:
    with pytest.raises(InputError, match="branch") as refusal:
        solved(four_bar, [0.0], branch=choice)
    assert words in str(refusal.value)


def test_a_drawing_between_two_branches_is_ambiguous_until_the_user_chooses(solved: Solve) -> None:
    tree = _by_bodies(0.05, np.pi - 0.05)  # nearly on the line of mirror symmetry
    with pytest.raises(SolveError) as refusal:
        solved(tree, [0.0])
    assert refusal.value.status is Status.AMBIGUOUS
    text = str(refusal.value)
    assert "group 2 (R.R.R 2D, bodies coupler, rocker)" in text
    assert "branch 0:" in text
    assert "branch 1:" in text
    assert "--branch 2=K" in text
    for branch in (0, 1):
        assert solved(tree, [0.0], branch={2: branch}).branches[2] == branch


def test_a_drawing_at_a_fold_is_singular_and_a_chosen_branch_goes_on(solved: Solve, four_bar: Tree) -> None:
    tree = copy.deepcopy(four_bar)
    tree["joints"]["B"]["at"] = [0.1, 0.0]
    tree["joints"]["C"]["at"] = [0.225, 0.0]  # on the line of B and D: both branches are one
    with pytest.raises(SolveError) as refusal:
        solved(tree, [0.0])
    assert refusal.value.status is Status.SINGULAR
    result = solved(tree, [0.0, 0.2], branch={2: 0})
    assert Status(int(result.status[0])) is Status.SINGULAR
    assert np.all(np.isfinite(result.bodies["coupler"].r[0]))
    assert np.all(np.isnan(result.bodies["coupler"].v[0]))


def test_links_that_do_not_reach_say_so(solved: Solve) -> None:
    tree = _by_bodies(0.9, 2.3)
    tree["joints"]["C"]["frames"]["coupler"]["at"] = [0.5, 0]
    tree["joints"]["C"]["frames"]["rocker"]["at"] = [0.5, 0]
    del tree["bodies"]["rocker"]["pose"]
    with pytest.raises(SolveError) as refusal:
        solved(tree, [0.0])
    assert refusal.value.status is Status.NO_ASSEMBLY
    assert "group 2" in str(refusal.value)
    assert "give `pose` of rocker" in str(refusal.value)


def test_a_chosen_branch_without_a_solution_in_the_drawing_needs_no_drawing(solved: Solve) -> None:
    # All branches chosen: the reference configuration is not asked, and the law may start where the links reach.
    tree = _by_bodies(0.9, 2.3)
    tree["joints"]["C"]["frames"]["coupler"]["at"] = [1.2, 0]
    tree["joints"]["C"]["frames"]["rocker"]["at"] = [1.2, 0]
    tree["bodies"]["crank"]["pose"] = {"r": [0, 0], "angle": np.pi}  # pins 4 apart: out of reach
    with pytest.raises(SolveError):
        solved(tree, [0.0])
    assert solved(tree, [0.0], branch={2: 0}).ok


def _apex(result: MotionResult) -> Any:
    """Pin C, drawn at (0.4, 0.25) in the world and so in the rocker's frame."""
    w, _, _, z = result.bodies["rocker"].q[0]
    c, s = w * w - z * z, 2 * w * z
    return result.bodies["rocker"].r[0, :2] + np.array([c * 0.4 - s * 0.25, s * 0.4 + c * 0.25])


def _direction(q: Any) -> Any:
    return np.array([q[0] ** 2 - q[3] ** 2, 2 * q[0] * q[3], 0.0])
