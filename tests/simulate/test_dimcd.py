"""DIMCD on the public benchmarks: positions of the unique discrete solution, order, energy, constraints, iterations.

References: tests/simulate/references (other coordinates, other integrators), and the published discrete solution of the
Bricard linkage (all correct implementations agree on it to 1e-10).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.simulate.results.result import SimulationResult

REFERENCES = Path(__file__).resolve().parent / "references"
DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"


def stored(name: str) -> dict[str, Any]:
    folder = REFERENCES.parent if name.startswith("dimcd") else REFERENCES
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def example(name: str, **parameters: float) -> symgen.Mechanism:
    return symgen.load(DYNAMICS / name / "mechanism.toml").with_parameters(**parameters)


def largest_error(result: SimulationResult, reference: dict[str, Any]) -> float:
    """Return the largest distance [m] of a point from its reference over the common times."""
    rows = np.rint(np.array(reference["times"]) / (result.times[1] - result.times[0])).astype(int)
    kept = rows < len(result.times)
    return max(
        float(np.abs(result.point(name)[rows[kept]] - np.array(places)[kept]).max())
        for name, places in reference["points"].items()
        if name in result.points
    )


@pytest.fixture(scope="module")
def bricard() -> SimulationResult:
    return symgen.simulate(example("bricard"), step=0.01, until=10.0)


@pytest.mark.slow
def test_bricard_gives_the_known_discrete_solution(bricard: SimulationResult) -> None:
    discrete = stored("dimcd_bricard_10ms")
    rows = np.arange(1, 51) * 20
    # Two implementations with Newton stopped at corrections of 1e-10 agree to 1e-10; ten times that over 1000 steps.
    assert np.abs(bricard.point("BC.C")[rows] - np.array(discrete["C_xyz"])).max() < 1e-9


@pytest.mark.slow
def test_bricard_keeps_energy_constraints_and_iterations(bricard: SimulationResult) -> None:
    assert bricard.ok
    assert bricard.drift <= 3.7e-4  # published for the corrected method: 3.606e-4 J
    assert bricard.largest_violation <= 4e-15  # rounding of places of about 2 m
    assert int(bricard.run.iterations.max()) <= 3


def test_bricard_keeps_the_identity_of_its_angles(bricard: SimulationResult) -> None:
    places = [np.zeros_like(bricard.point("AB.B"))]
    places += [bricard.point(name) for name in ("AB.B", "BC.C", "CD.D", "DE.E", "EF.F")]
    rods = [after - before for before, after in zip(places, [*places[1:], places[0]], strict=True)]
    cosines = [np.sum(a * b, axis=1) for a, b in zip(rods, [*rods[1:], rods[0]], strict=True)]
    # c1 = c3 = c5, c2 = c4 = c6, c1 + c2 + c1 c2 = 0 (trihedral Bricard linkage), of unit rods
    for k in range(4):
        assert np.abs(cosines[k] - cosines[k + 2]).max() < 1e-13
    assert np.abs(cosines[0] + cosines[1] + cosines[0] * cosines[1]).max() < 1e-13


def test_reactions_at_the_start_are_those_known(bricard: SimulationResult) -> None:
    known = stored("dimcd_bricard_10ms")["force_torque_t0"]
    names = ("AB", "BC", "CD", "DE", "EF")
    # the reference holds force and torque of every body at the first step; printed with ten digits
    for name, wrench in zip(names, known, strict=True):
        assert bricard.resultants[name][0] == pytest.approx(np.ravel(wrench), abs=1e-7)


@pytest.mark.slow
def test_tree_and_poses_solve_the_same_equations(bricard: SimulationResult) -> None:
    dense = symgen.simulate(example("bricard"), step=0.01, until=10.0, structure="dense")
    apart = max(np.abs(bricard.point(name) - dense.point(name)).max() for name in bricard.points)
    assert apart < 2e-12  # measured 8e-13: rounding of a thousand steps, the motion is not chaotic
    assert dense.largest_violation <= 4e-15


@pytest.mark.parametrize(
    ("name", "steps", "until"),
    [("bricard", (0.02, 0.01, 0.005), 4.0), ("double_four_bar", (0.01, 0.005, 0.0025), 4.0)],
)
def test_order_is_two(name: str, steps: tuple[float, ...], until: float) -> None:
    reference = stored(name)
    mechanism = example(name)
    errors = [largest_error(symgen.simulate(mechanism, step=step, until=until), reference) for step in steps]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all((orders > 1.98) & (orders < 2.02)), orders


@pytest.mark.slow
def test_the_top_is_right_in_position_not_only_in_energy() -> None:
    reference = stored("spinning_top")
    top = example("spinning_top", push=0.0)
    errors = [largest_error(symgen.simulate(top, step=step, until=2.0), reference) for step in (1e-3, 5e-4)]
    # known: 4.2e-3 and 1.0e-3 m; a wrong gyroscopic sign is off by 0.3 m
    assert errors[0] < 4.4e-3
    assert 3.9 < errors[0] / errors[1] < 4.1


def test_double_four_bar_passes_its_singular_position_on_the_right_branch() -> None:
    result = symgen.simulate(example("double_four_bar"), step=0.01, until=10.0)
    assert result.ok
    assert result.drift <= 0.040
    assert largest_error(result, stored("double_four_bar")) < 7.5e-3  # known: 7.33e-3 m at 10 ms
    # cranks stay parallel: the branch of the pendulum
    cranks = [result.bodies[f"crank{k}"].q for k in range(3)]
    assert max(np.abs(np.abs(np.sum(cranks[0] * q, axis=1)) - 1.0).max() for q in cranks) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_it_starts_in_the_singular_position(structure: str) -> None:
    lying = lying_four_bars()
    result = symgen.simulate(lying, step=0.01, until=3.0, structure=structure)
    assert result.ok
    cranks = [result.bodies[f"crank{k}"].q for k in range(3)]
    assert max(np.abs(np.abs(np.sum(cranks[0] * q, axis=1)) - 1.0).max() for q in cranks) < 1e-12
    assert result.drift < 0.045  # known for a run from the vertical: 0.039 J


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_an_exact_hit_of_the_singular_position_does_not_disturb(backend: str) -> None:
    """The cranks lie flat to rounding in step 25: played backwards from there to where the run starts."""
    back = symgen.simulate(lying_four_bars(), step=0.01, until=0.25)
    state = {name: (track.q[-1], -track.omega[-1]) for name, track in back.bodies.items()}
    turned = four_bars(state["crank0"][0], float(state["crank0"][1][2]))
    result = symgen.simulate(turned, step=0.01, until=0.5, backend=backend)
    assert result.ok
    assert int(result.run.iterations.max()) <= 4
    cranks = [result.bodies[f"crank{k}"].q for k in range(3)]
    assert max(np.abs(np.abs(np.sum(cranks[0] * q, axis=1)) - 1.0).max() for q in cranks) < 1e-9


def lying_four_bars() -> symgen.Mechanism:
    half = np.sqrt(0.5)
    return four_bars(np.array([half, 0.0, 0.0, -half]), -3.0)


def four_bars(q: np.ndarray, rate: float) -> symgen.Mechanism:
    """Return the double four-bar with its cranks turned by q about z from the vertical, at a common rate."""
    angle = 2 * np.arctan2(q[3], q[0])
    tip = np.array([-np.sin(angle), np.cos(angle), 0.0])
    slender = [1e-9, 1 / 12, 1 / 12, 0.0, 0.0, 0.0]
    along = [float(np.cos(angle / 2 + np.pi / 4)), 0.0, 0.0, float(np.sin(angle / 2 + np.pi / 4))]
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(3):
        bodies[f"crank{k}"] = {
            "mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": slender, "pose": {"r": [float(k), 0.0, 0.0], "q": along},
        }  # fmt: skip
        joints[f"A{k}"] = {"type": "R", "bodies": ["ground", f"crank{k}"], "at": [float(k), 0, 0], "axis": [0, 0, 1]}
    for k in range(2):
        place = (tip + np.array([k, 0.0, 0.0])).tolist()
        bodies[f"rod{k}"] = {
            "mass": 1.0,
            "com": [0.5, 0, 0],
            "inertia": slender,
            "pose": {"r": place, "q": [1, 0, 0, 0]},
        }
        ends = (place, (tip + np.array([k + 1.0, 0.0, 0.0])).tolist())
        for end, at in enumerate(ends):
            joints[f"B{k}{end}"] = {"type": "R", "bodies": [f"crank{k + end}", f"rod{k}"], "at": at, "axis": [0, 0, 1]}
    rates = {f"A{k}": {"rate": rate} for k in range(3)}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "double four-bar", "space": "spatial", "ground": "ground",
        "gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints, "initial": {"joints": rates},
    })  # fmt: skip


@pytest.mark.slow
def test_redundant_rows_change_nothing() -> None:
    """A massless strut beside a rod of the double four-bar holds a distance that is held already."""
    once = four_bars(np.array([1.0, 0.0, 0.0, 0.0]), -1.0)
    strut = {"mass": 0.0, "com": [0, 0, 0], "inertia": [0.0] * 6, "pose": {"r": [0.0, 0.5, 0.0], "q": [1, 0, 0, 0]}}
    joints = {
        "C0": {"type": "R", "bodies": ["crank0", "strut"], "at": [0.0, 0.5, 0.0], "axis": [0, 0, 1]},
        "C1": {"type": "R", "bodies": ["crank1", "strut"], "at": [1.0, 0.5, 0.0], "axis": [0, 0, 1]},
    }
    source = once.source
    twice = symgen.Mechanism.from_dict(
        {**source, "bodies": {**source["bodies"], "strut": strut}, "joints": {**source["joints"], **joints}}
    )
    results = [symgen.simulate(each, step=0.01, until=1.0) for each in (once, twice)]
    apart = max(np.abs(results[0].bodies[name].r - results[1].bodies[name].r).max() for name in results[0].bodies)
    assert apart < 1e-12  # measured 4e-14 over 2 s elsewhere
