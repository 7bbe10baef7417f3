"""Beams with joints at both ends vibrate as they should with what a file takes by default."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symgen

L, MU, EI = 2.0, 3.0, 50.0
MASS = MU * L


def beam_with(joints: dict[str, Any], head: tuple[float, float], **more: Any) -> dict[str, Any]:
    """Return a clamped planar beam with a body of (mass, inertia) at its far end."""
    return {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -1e-6],
        "bodies": {
            "b": {"beam": {"length": L, "mass_per_length": MU, "bending": EI, **more}},
            "e": {"mass": head[0], "com": [0, 0], "inertia": [0, 0, head[1], 0, 0, 0], "pose": {"r": [L, 0]}},
        },
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]}, **joints},
    }  # fmt: skip


def held(code: str) -> dict[str, Any]:
    """Return joints that let a small body at the end slide along the beam, which is welded to it or pinned."""
    return {
        "B": {"type": code, "bodies": ["b", "e"], "at": [L, 0]},
        "C": {"type": "P", "bodies": ["ground", "e"], "at": [L, 0], "axis": [1, 0]},
    }


WELD = {"B": {"type": "W", "bodies": ["b", "e"], "at": [L, 0]}}
CASES = {
    "clamped and clamped": beam_with(held("W"), (1e-4, 1e-5)),
    "clamped and pinned": beam_with(held("R"), (1e-4, 1e-5)),
    "a light head": beam_with(WELD, (0.1 * MASS, 1e-4 * MASS * L**2)),
    "a heavy head": beam_with(WELD, (10.0 * MASS, 0.1)),
    "a head of much inertia": beam_with(WELD, (1.0, 5.0)),
    "a huge head": beam_with(WELD, (200.0, 200.0)),
}


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("case", CASES)
def test_the_first_three_frequencies_are_those_of_exact_beams(case: str) -> None:
    """Small motions have accelerations linear in the coordinates. A level load leaves modes turned into themselves
    by a half turn at rest: of a beam that is clamped at both ends the first and the third are seen."""
    tree = CASES[case]
    result = symgen.simulate(
        symgen.Mechanism.from_dict(tree), method="riccati", tolerance=1e-12, until=0.5, sample=1e-3
    )  # fmt: skip
    assert result.ok
    values, seconds = result.beams["b"].values, result.beams["b"].accelerations
    known = np.column_stack([values, np.full(len(values), np.abs(values).max())])
    fitted = np.linalg.lstsq(known, seconds, rcond=1e-9)[0][:-1]  # held ends: coordinates are not free
    squares = np.sort(np.linalg.eigvals(-fitted).real)
    found = np.sqrt(squares[squares > 1e-6 * squares[-1]])[:3] / math.tau
    exact = symgen.vibrations(symgen.Mechanism.from_dict({**tree, "gravity": [0, 0]}), modes=5).frequencies
    seen = exact[[0, 2, 4]] if case == "clamped and clamped" else exact[:3]
    count = 2 if case == "clamped and clamped" else 3
    # Rayleigh: never below but for the fit; docs/vibrations.md promises 0.1 %
    assert found[:count] == pytest.approx(seen[:count], rel=1e-3)
    assert found[0] == pytest.approx(seen[0], rel=1e-5)


@pytest.mark.parametrize("method", ["riccati", "transfer", "multiplier"])
def test_a_symmetric_beam_in_a_loop_has_symmetric_forces(method: str) -> None:
    """Modes that hold one end would share its weight as 1 to 3."""
    tree = beam_with(held("W"), (0.0, 0.0), axial=1e6)
    tree["gravity"] = [0.0, -9.81]
    tree["joints"]["C"] = {"type": "W", "bodies": ["ground", "e"], "at": [L, 0]}
    found = symgen.accelerations(symgen.Mechanism.from_dict(tree), method)
    assert found.ok
    left, right = found.joints["A"], found.joints["C"]
    # what the direct method promises is 1e-8
    assert left.force[1] == pytest.approx(right.force[1], rel=1e-8)
    assert left.moment[2] == pytest.approx(-right.moment[2], rel=1e-8)
    assert abs(left.force[1]) > 1.0


@pytest.mark.parametrize("start", [0.0, 0.4])
def test_motions_of_a_beam_with_two_joints_do_not_depend_on_the_end_that_is_held(start: float) -> None:
    """A coupler of a four-bar linkage, its x axis from one pin to the other or back; shapes of both ends are the same
    and so are all accelerations."""
    c, s = 0.5 * math.cos(1.0), 0.5 * math.sin(1.0)
    ground = [0.2 + c + 0.4 * math.cos(-1.2), s + 0.4 * math.sin(-1.2)]
    found = []
    for pose in ({"r": [0.2, 0], "angle": 1.0}, {"r": [0.2 + c, s], "angle": 1.0 + math.pi}):
        tree = {
            "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81],
            "bodies": {
                "crank": {"mass": 0.5, "com": [0.1, 0], "inertia": [0, 0, 0.002, 0, 0, 0]},
                "coupler": {"beam": {"length": 0.5, "mass_per_length": 1.2, "bending": 20.0, "axial": 1e4},
                            "pose": pose},
                "rocker": {"mass": 0.7, "com": [0.2, 0], "inertia": [0, 0, 0.004, 0, 0, 0],
                           "pose": {"r": [0.2 + c, s], "angle": -1.2}},
            },
            "joints": {
                "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0]},
                "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0.2, 0]},
                "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.2 + c, s]},
                "D": {"type": "R", "bodies": ["rocker", "ground"], "at": ground},
            },
            "initial": {"joints": {"A": {"rate": 10 * start}}},
        }  # fmt: skip
        for order in (list(tree["joints"]), list(tree["joints"])[::-1]):
            joints = {name: tree["joints"][name] for name in order}
            made = symgen.Mechanism.from_dict({**tree, "joints": joints})
            found.append(symgen.accelerations(made))
    for other in found[1:]:
        for body in ("crank", "rocker"):
            # sums over modes cancel most of a beam's inertia: 1e-4 of it is left
            assert other.bodies[body].alpha == pytest.approx(found[0].bodies[body].alpha, rel=1e-9, abs=1e-9)
        for joint in "ABCD":
            assert other.joints[joint].force == pytest.approx(found[0].joints[joint].force, rel=1e-8, abs=1e-9)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("joints", "given", "count"), [({}, {}, 4), (WELD, {}, 6), (WELD, {"end_shapes": 0}, 4)])
def test_shapes_of_a_load_at_the_far_end_are_taken_where_something_is_there(
    joints: dict[str, Any], given: dict[str, Any], count: int
) -> None:
    tree = beam_with(joints, (1.0, 0.1), **given)
    if not joints:
        del tree["bodies"]["e"]
    result = symgen.simulate(symgen.Mechanism.from_dict(tree), method="riccati", step=1e-4, until=1e-4)
    assert result.beams["b"].names == tuple(f"bend_y{k + 1}" for k in range(count))
