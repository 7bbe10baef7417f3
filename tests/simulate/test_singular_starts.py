"""Starts in a singular position: the velocity is that of a branch, or it is said what is open.

A parallelogram of cranks 1 m, coupler and ground 2 m lies flat. Its second branch is the antiparallelogram: with
crank angles a and d, the tips stay 2 m apart if (2 + cos d - cos a)^2 + (sin d - sin a)^2 = 4, to second order
(d - a)^2 = 2 (d^2 - a^2), so d = a or d = -3 a.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import MechanismError
from symgen.simulate.start.branches import branch_tangents
from symgen.simulate.start.initial import initial_state
from symgen.simulate.tables.joint_rows import JointRows


def flat(rates: dict[str, float], drive: str | None = None) -> symgen.Mechanism:
    inertia = [0.1, 0.1, 0.1, 0, 0, 0]
    joints: dict[str, Any] = {
        name: {"type": "R", "bodies": bodies, "at": [x, 0, 0], "axis": [0, 0, 1]}
        for name, bodies, x in (
            ("A", ["ground", "a"], 0), ("B", ["a", "b"], 1), ("C", ["b", "d"], 3), ("D", ["ground", "d"], 2),
        )
    }  # fmt: skip
    if drive is not None:
        joints["A"]["driven"] = ["angle"]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "flat", "space": "spatial", "ground": "ground",
        "gravity": [0, -9.81, 0],
        "bodies": {name: {"mass": 1.0, "com": [x, 0, 0], "inertia": inertia}
                   for name, x in (("a", 0.5), ("b", 2.0), ("d", 2.5))},
        "joints": joints,
        "drives": {} if drive is None else {"A": {"angle": drive}},
        "initial": {"joints": {name: {"rate": rate} for name, rate in rates.items()}},
    })  # fmt: skip


def test_both_branches_are_found() -> None:
    made = flat({})
    state = initial_state(made)
    rows = JointRows(made, 1.0)
    tangents = branch_tangents(rows, rows.joint_elements(), state.poses)
    ratios = sorted(float(tangent[17, 0] / tangent[5, 0]) for tangent in tangents)
    assert ratios == pytest.approx([-3.0, 1.0], abs=1e-8)  # J by differences: 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.0, -3.0])
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_the_rates_of_a_branch_lead_along_it(structure: str, ratio: float) -> None:
    made = flat({"A": 1.0, "D": ratio})
    errors, drops = [], []
    for step in (0.01, 0.005):
        result = symgen.simulate(made, step=step, until=0.3, structure=structure, strict=True)
        fine = symgen.simulate(made, method="variational", order=4, step=0.005, until=0.3, structure=structure)
        assert result.ok
        assert fine.ok
        errors.append(float(np.abs(result.bodies["d"].q[-1] - fine.bodies["d"].q[-1]).max()))
        drops.append(result.drift)
        assert fine.drift < 1e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)  # order 2 from the first step on
    assert drops[0] / drops[1] == pytest.approx(4.0, rel=0.2)
    if ratio == 1.0:
        assert result.joints["A"].coordinates["angle"] == pytest.approx(result.joints["D"].coordinates["angle"])


@pytest.mark.slow
def test_rates_that_two_branches_have_are_said_with_what_would_tell_them_apart() -> None:
    result = symgen.simulate(flat({"A": 1.0}), step=0.01, until=0.1)
    assert result.ok
    (warning,) = result.run.warnings
    assert "2 branches" in warning
    assert "B.angle.rate, -1 or -3" in warning  # b turns with (d - a)/2
    assert result.joints["D"].rates["angle"][0] == pytest.approx(1.0)  # that of less energy
    with pytest.raises(MechanismError, match="singular"):
        symgen.simulate(flat({"A": 1.0}), step=0.01, until=0.1, strict=True)


def test_rates_of_no_branch_are_moved_to_the_nearest_or_refused() -> None:
    between = flat({"A": 1.0, "D": 0.3})
    state = initial_state(between)
    assert state.twists[[0, 2], 5] == pytest.approx([0.65, 0.65], abs=1e-9)  # the mean
    assert "none of them has the given velocities" in state.messages[0]
    with pytest.raises(MechanismError, match=r"0\.65"):
        initial_state(between, strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_a_law_that_leads_through_needs_the_branch_too(structure: str) -> None:
    result = symgen.simulate(flat({"D": 1.0}, "t"), step=0.01, until=0.3, structure=structure, strict=True)
    assert result.ok
    assert result.joints["D"].coordinates["angle"] == pytest.approx(result.times, abs=1e-9)
    with pytest.raises(MechanismError, match="2 have the given velocities"):
        symgen.simulate(flat({}, "t"), step=0.01, until=0.3, structure=structure, strict=True)


@pytest.mark.parametrize("structure", ["tree", "dense"])
@pytest.mark.parametrize("rates", [{}, {"A": 0.0}])
def test_at_rest_it_is_refused(structure: str, rates: dict[str, float]) -> None:
    with pytest.raises(MechanismError, match="at rest in a singular position"):
        symgen.simulate(flat(rates), step=0.01, until=0.1, structure=structure)


def test_a_platform_of_two_loops_has_four_branches() -> None:
    """Three equal cranks on two couplers lie flat: each parallelogram has two branches (unlike lengths)."""
    bodies = {name: {"mass": 1.0, "com": [x, 0, 0], "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}
              for name, x in (("a", 0.5), ("b", 2.5), ("c", 5.0), ("r", 1.5), ("s", 4.0))}  # fmt: skip
    ends = [("A", "ground", "a", 0), ("B", "ground", "b", 2), ("C", "ground", "c", 5), ("AR", "a", "r", 1),
            ("BR", "b", "r", 3), ("BS", "b", "s", 3), ("CS", "c", "s", 6)]  # fmt: skip
    made = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "two loops", "space": "spatial", "ground": "ground", "bodies": bodies,
        "joints": {n: {"type": "R", "bodies": [p, q], "at": [x, 0, 0], "axis": [0, 0, 1]} for n, p, q, x in ends},
    })  # fmt: skip
    rows = JointRows(made, 1.0)
    tangents = branch_tangents(rows, rows.joint_elements(), initial_state(made).poses)
    ratios = sorted(tuple(np.round(t[[11, 17], 0] / t[5, 0], 6).tolist()) for t in tangents)
    # (d - a)^2 = 2 (d^2 - a^2) over 2 m, 2 (e - d)^2 = 6 (e^2 - d^2) over 3 m: e = d or e = -2 d
    assert ratios == [(-3.0, -3.0), (-3.0, 6.0), (1.0, -2.0), (1.0, 1.0)]
