"""Times that cannot be solved: their status, NaN where it belongs, and nothing raised; inputs that are refused."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import InputError, MechanismError, StructureError
from symgen.solve.result import MotionResult
from symgen.status import Status

Solve = Callable[..., MotionResult]
Tree = dict[str, Any]


@pytest.fixture
def reaching(four_bar: Tree) -> Tree:
    """A slide carries the pivot of a dyad away until it does not reach; a second dyad hangs on the first."""
    tree = copy.deepcopy(four_bar)
    tree["bodies"] |= {"sledge": {}, "arm": {"points": {"E": [0.2, 0.4]}}, "hand": {}, "free": {}}
    joints = tree["joints"]
    joints["D"] = {"type": "R", "bodies": ["sledge", "rocker"], "at": [0.35, 0]}
    joints["slide"] = {"type": "P", "bodies": ["ground", "sledge"], "driven": 1, "at": [0, 0], "axis": [1, 0]}
    joints["E"] = {"type": "R", "bodies": ["rocker", "arm"], "at": [0.4, 0.25]}
    joints["F"] = {"type": "R", "bodies": ["arm", "hand"], "at": [0.2, 0.6]}
    joints["G"] = {"type": "R", "bodies": ["ground", "hand"], "at": [0, 0.2]}
    joints["K"] = {"type": "R", "bodies": ["ground", "free"], "driven": 1, "at": [1, 0]}
    tree["drives"] = {"A": "0", "slide": "t", "K": "t"}
    return tree


@pytest.mark.slow
def test_a_drive_out_of_reach_midway_leaves_nan_in_what_depends_on_it(solved: Solve, reaching: Tree) -> None:
    # Coupler sqrt(0.3^2 + 0.25^2) = 0.390, rocker sqrt(0.05^2 + 0.25^2) = 0.255: pins B (0.1) and D reach 0.645 apart,
    # so D at 0.35 + t reaches up to t = 0.395.
    reach = np.hypot(0.3, 0.25) + np.hypot(0.05, 0.25) - 0.25
    times = np.linspace(0.0, 0.6, 13)
    result = solved(reaching, times)
    lost = times > reach
    assert 0 < np.count_nonzero(lost) < len(times)
    group = {name: each for each in result.groups for name in each.bodies}
    np.testing.assert_array_equal(result.status, np.where(lost, Status.NO_ASSEMBLY, Status.OK))
    np.testing.assert_array_equal(result.failed, np.where(lost, group["rocker"].number, 0))
    for body in ("coupler", "rocker", "arm", "hand"):
        np.testing.assert_array_equal(group[body].status, result.status)
        for field in ("r", "q", "v", "omega", "a", "alpha"):
            rows = getattr(result.bodies[body], field)
            assert np.all(np.isnan(rows[lost]))
            assert np.all(np.isfinite(rows[~lost]))
    for body in ("crank", "sledge", "free"):  # not behind the failure
        assert np.all(group[body].status == Status.OK)
        assert np.all(np.isfinite(result.bodies[body].a))
    assert np.all(np.isnan(result.points["arm.E"].r[lost]))
    np.testing.assert_array_equal(result.joints["slide"].coordinates["slide"], times)


@pytest.mark.slow
def test_the_first_failure_names_time_group_and_reason(solved: Solve, reaching: Tree) -> None:
    text = solved(reaching, np.linspace(0.0, 0.6, 13)).first_failure()
    assert text is not None
    assert "t = 0.4 s" in text
    assert "(R.R.R 2D, bodies coupler, rocker): NO_ASSEMBLY (out of reach" in text
    assert solved(reaching, [0.0]).first_failure() is None


def test_a_failure_in_between_does_not_break_angles_and_signs(solved: Solve, four_bar: Tree) -> None:
    # The slide moves out of reach and back while the crank turns twice; angles continue behind the gap.
    tree = copy.deepcopy(four_bar)
    tree["bodies"]["sledge"] = {}
    tree["joints"]["D"]["bodies"] = ["sledge", "rocker"]
    tree["joints"]["s"] = {"type": "P", "bodies": ["ground", "sledge"], "driven": 1, "at": [0, 0], "axis": [1, 0]}
    tree["drives"] = {"A": "4*pi*t", "s": "max(0, 10*(t - 0.45)*(0.55 - t))*16"}
    result = solved(tree, np.linspace(0.0, 1.0, 2001))
    gap = result.status != Status.OK
    assert 0 < np.count_nonzero(gap) < 400
    for body in result.bodies.values():
        kept = body.q[~np.isnan(body.q[:, 0])]
        assert np.min(np.sum(kept[1:] * kept[:-1], axis=-1)) > 0.0
    angle = result.joints["B"].coordinates["angle"]
    assert abs(angle[-1] - (angle[0] - 4 * np.pi)) < 1e-12  # B is measured from the crank, which turned twice


def test_behind_a_singular_time_there_are_positions_but_no_rates(solved: Solve, reaching: Tree) -> None:
    # A symmetric dyad in a line at t = 0: exactly representable lengths make the fold exact.
    tree = copy.deepcopy(reaching)
    tree["joints"] |= {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0.25, 0]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.5, 0.0]},
        "D": {"type": "R", "bodies": ["sledge", "rocker"], "at": [0.75, 0]},
        "E": {"type": "R", "bodies": ["rocker", "arm"], "at": [0.5, 0.0]},
    }
    tree["drives"]["slide"] = "-t"
    group = {name: g.number for g in solved(reaching, [0.0]).groups for name in g.bodies}
    result = solved(tree, [0.0, 0.1], branch={group["rocker"]: 0, group["arm"]: 0})
    assert [Status(int(code)) for code in result.status] == [Status.SINGULAR, Status.OK]
    assert result.failed[0] == group["rocker"]
    for body in ("rocker", "arm"):
        assert np.all(np.isfinite(result.bodies[body].r))
        assert np.all(np.isnan(result.bodies[body].v[0]))
        assert np.all(np.isfinite(result.bodies[body].v[1]))
    assert result.groups[group["arm"] - 1].status[0] == Status.SINGULAR


def test_an_underdetermined_mechanism_is_refused_with_its_findings(solved: Solve, four_bar: Tree) -> None:
    four_bar["joints"]["A"]["driven"] = 0
    del four_bar["drives"]
    with pytest.raises(StructureError, match="underdetermined"):
        solved(four_bar, [0.0])


def test_lacking_geometry_and_laws_are_refused_by_name(solved: Solve, four_bar: Tree) -> None:
    del four_bar["joints"]["C"]["at"]
    with pytest.raises(MechanismError, match=r"joints\.C.*lacks at"):
        solved(four_bar, [0.0])
    four_bar["joints"]["C"]["at"] = [0.4, 0.25]
    del four_bar["drives"]
    with pytest.raises(MechanismError, match=r"joints\.A.*no law"):
        solved(four_bar, [0.0])


def test_a_law_without_a_value_names_the_time(solved: Solve, four_bar: Tree) -> None:
    four_bar["drives"]["A"] = "sqrt(1 - t)"
    with pytest.raises(MechanismError, match=r"drives\.A"):
        solved(four_bar, [0.0, 2.0])


@pytest.mark.parametrize("times", [[], [[0.0, 1.0]], [0.0, np.nan], [np.inf]])
def test_times_are_a_row_of_finite_numbers(solved: Solve, four_bar: Tree, times: Any) -> None:
    with pytest.raises(InputError, match="times"):
        solved(four_bar, times)


def test_text_is_no_time(four_bar: Tree) -> None:
    with pytest.raises(InputError, match="times: must be numbers"):
        symgen.solve(symgen.Mechanism.from_dict(four_bar), "now")


def test_welds_in_a_circle_must_agree(solved: Solve, four_bar: Tree) -> None:
    four_bar["bodies"] |= {"x": {}, "y": {}}
    four_bar["joints"] |= {
        "w1": {"type": "W", "bodies": ["rocker", "x"]},
        "w2": {"type": "W", "bodies": ["x", "y"]},
        "w3": {"type": "W", "bodies": ["y", "rocker"]},
    }
    assert solved(four_bar, [0.0, 0.3]).ok
    four_bar["joints"]["w3"]["frames"] = {"y": {"at": [0.1, 0]}, "rocker": {"at": [0, 0]}}
    with pytest.raises(MechanismError, match=r"joints\.w3: the welds w3, w2, w1 close a circle"):
        solved(four_bar, [0.0])


def test_solving_loads_no_sympy(repository: Path) -> None:
    code = (
        "import sys, symgen; from symgen.library.open import library\n"
        "m = symgen.load('examples/jansen_leg/mechanism.toml')\n"
        "assert symgen.solve(m, [0.0, 0.5], library=library(backend='numpy')).ok\n"
        "print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=repository, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
