"""Every pair type in motion: loops and chains of random geometry, two sets of unknowns, two discretisations, an oracle.

The oracle is energy where forces conserve it, and projected extrapolation of textbook Newton-Euler equations with
rotation matrices (tests/simulate/references/newton_euler.py) for the pairs it knows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from simulate.references.extrapolation import integrate
from simulate.references.newton_euler import NewtonEuler

import symgen

GRADES = {"R": 1, "P": 1, "H": 1, "C": 2, "U": 2, "ER": 2, "S": 3, "PL": 3}


def direction(generator: np.random.Generator) -> np.ndarray:
    found = generator.standard_normal(3)
    return found / np.linalg.norm(found)


def body(generator: np.random.Generator) -> dict[str, Any]:
    shape = generator.standard_normal((3, 3))
    moment = 0.02 * (shape @ shape.T + np.eye(3))
    inertia = [moment[0, 0], moment[1, 1], moment[2, 2], moment[0, 1], moment[0, 2], moment[1, 2]]
    pose = {"r": generator.uniform(-0.5, 0.5, 3).tolist(), "q": unit(generator)}
    return {"mass": generator.uniform(0.5, 2), "com": generator.uniform(-0.1, 0.1, 3).tolist(), "inertia": inertia,
            "pose": pose, "points": {"P": [0.1, 0.2, -0.1]}}  # fmt: skip


def unit(generator: np.random.Generator) -> list[float]:
    found = generator.standard_normal(4)
    return (found / np.linalg.norm(found)).tolist()


def joint(generator: np.random.Generator, code: str, bodies: list[str]) -> dict[str, Any]:
    axis, other = direction(generator), direction(generator)
    across = other - (other @ axis) * axis
    found: dict[str, Any] = {
        "type": code, "bodies": bodies, "at": generator.uniform(-0.5, 0.5, 3).tolist(), "axis": axis.tolist(),
        "axis2": (across / np.linalg.norm(across)).tolist(),
    }  # fmt: skip
    return {**found, "pitch": 0.2} if code == "H" else found


def mechanism(seed: int, codes: list[str], closing: str | None = None, **more: Any) -> symgen.Mechanism:
    """Return a chain of pairs from the ground, closed by one more to the ground if asked for."""
    generator = np.random.default_rng(seed)
    names = ["ground", *(f"b{k}" for k in range(len(codes)))]
    joints = {f"j{k}": joint(generator, code, names[k : k + 2]) for k, code in enumerate(codes)}
    if closing is not None:
        ends = [names[-1], "ground"] if seed % 2 else ["ground", names[-1]]
        joints["last"] = joint(generator, closing, ends)
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "pairs", "space": "spatial", "ground": "ground",
        "gravity": [1, 2, -9.81],
        "bodies": {name: body(generator) for name in names[1:]}, "joints": joints, **more,
    })  # fmt: skip


def apart(one: Any, two: Any) -> float:
    return max(float(np.abs(one.point(f"{name}.P") - two.point(f"{name}.P")).max()) for name in one.bodies)


def rates(seed: int, codes: list[str]) -> dict[str, Any]:
    """Return initial rates of the chain's first joint."""
    first = {
        "R": "angle",
        "P": "slide",
        "H": "angle",
        "C": "slide",
        "U": "angle1",
        "ER": "angle2",
        "S": "yaw",
        "PL": "x",
    }
    return {"joints": {"j0": {first[codes[0]]: 0.0, "rate": 0.5}}} if codes[0] in "RPH" else {}


CHAINS = [["S", "U"], ["C", "R"], ["PL", "H"], ["P", "ER"], ["U", "S"]]
LOOPS = [
    (["R", "S", "C"], "U"), (["C", "U", "R"], "S"), (["PL", "S"], "U"), (["U", "P", "S"], "ER"),
    (["H", "S", "R"], "S"), (["S", "C"], "PL"), (["R", "R", "R", "R"], "S"),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("codes", CHAINS, ids=".".join)
def test_open_chains_move_alike_in_tree_and_poses(codes: list[str]) -> None:
    made = mechanism(3, codes, initial=rates(3, codes))
    results = [symgen.simulate(made, step=2e-3, until=0.05, structure=s, backend="numpy") for s in ("tree", "dense")]
    assert all(result.ok for result in results)
    # rounding of 25 steps: places of about 1 m
    assert apart(*results) < 1e-12
    # acceleration is a second difference: rounding over the square of the step
    one, two = (result.resultants["b0"] for result in results)
    assert np.abs(one - two).max() < 1e-6


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("codes", "closing"), LOOPS, ids=lambda part: ".".join(part))
def test_loops_move_alike_in_tree_and_poses_and_keep_energy(codes: list[str], closing: str) -> None:
    made = mechanism(5, codes, closing)
    results = [symgen.simulate(made, step=2e-3, until=0.05, structure=s, backend="numpy") for s in ("tree", "dense")]
    assert all(result.ok for result in results)
    assert apart(*results) < 1e-11
    assert max(result.largest_violation for result in results) < 1e-13
    fine = symgen.simulate(made, method="variational", order=4, step=5e-3, until=0.05, backend="numpy")
    assert fine.drift < 1e-6 * max(1.0, float(fine.kinetic.max()))  # order 4 in 10 steps of a motion of about 1 s
    rows = results[0].times.searchsorted(fine.times - 1e-9)
    ends = [results[0].point(f"{name}.P")[rows[-1]] - fine.point(f"{name}.P")[-1] for name in fine.bodies]
    assert np.abs(ends).max() < 1e-4  # order 2


KNOWN = {"R", "P", "C", "U", "S", "PL"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codes", "closing"),
    [(codes, closing) for codes, closing in LOOPS if {*codes, closing} <= KNOWN][:4]
    + [(codes, None) for codes in CHAINS if {*codes} <= KNOWN][:2],
    ids=lambda part: ".".join(part) if part else "open",
)
def test_order_six_agrees_with_textbook_equations(codes: list[str], closing: str | None) -> None:
    made = mechanism(7, codes, closing)
    found = symgen.simulate(made, method="variational", order=6, step=0.01, until=0.2, sample=0.2, backend="numpy")
    system = NewtonEuler(made)
    start = system.state(np.zeros((len(made.bodies), 6)))
    states = integrate(system.field, start, np.array([0.0, 0.2]), 1e-11, system.project)
    for name in found.bodies:
        known = system.point(states[-1], name, [0.1, 0.2, -0.1])
        assert found.point(f"{name}.P")[-1] == pytest.approx(known, abs=1e-8)


def test_accelerations_and_reactions_fulfil_newton_and_euler() -> None:
    """M a + w x I w = forces + joints, joints without power: for exact accelerations of the variational method."""
    made = mechanism(5, ["R", "S", "C"], "U")
    result = symgen.simulate(made, method="variational", order=6, step=0.01, until=0.1, backend="numpy")
    powers = np.zeros(len(result.times))
    for part in made.bodies:
        track, wrench = result.bodies[part.id], result.resultants[part.id]
        com = np.array(part.com)
        levers = np.array([turn(q) @ com for q in track.q])
        v = track.v + np.cross(track.omega, levers)
        powers += np.sum(wrench[:, :3] * v, axis=1) + np.sum(wrench[:, 3:] * track.omega, axis=1)
        a = track.a + np.cross(track.alpha, levers) + np.cross(track.omega, np.cross(track.omega, levers))
        force = part.mass * (a - np.array(made.gravity))
        assert np.abs(force - wrench[:, :3]).max() < 1e-10 * (1 + np.abs(force).max())
    assert np.abs(powers).max() < 1e-9 * (1 + np.abs(result.kinetic).max())


def turn(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("code", ["R", "P", "C", "U", "S", "PL", "H"])
def test_velocities_are_the_derivatives_of_positions_and_accelerations_of_velocities(code: str) -> None:
    """At the middle of three near samples, with one freedom of the first pair driven where a law can be given."""
    freedom = {"R": "angle", "P": "slide", "C": "angle", "U": "angle2", "S": "pitch", "PL": "y", "H": "angle"}[code]
    made = driven(code, freedom)
    result = symgen.simulate(made, method="variational", order=4, step=2e-3, until=0.02, backend="numpy")
    dense = symgen.simulate(made, step=2e-3, until=0.02, structure="dense", backend="numpy")
    assert max(result.largest_violation, dense.largest_violation) < 1e-13
    assert apart(symgen.simulate(made, step=2e-3, until=0.02, backend="numpy"), dense) < 1e-12
    k, h = 5, 2e-3
    for name in result.bodies:
        track = result.bodies[name]
        # central differences of order 4: h^4 times the fifth derivative of a motion of about 1 s
        slope = (8 * (track.r[k + 1] - track.r[k - 1]) - (track.r[k + 2] - track.r[k - 2])) / (12 * h)
        assert slope == pytest.approx(track.v[k], abs=1e-7)
        for rate, value in (("a", "v"), ("alpha", "omega")):
            of = getattr(track, value)
            slope = (8 * (of[k + 1] - of[k - 1]) - (of[k + 2] - of[k - 2])) / (12 * h)
            assert slope == pytest.approx(getattr(track, rate)[k], abs=1e-5 * (1 + np.abs(slope).max()))


def driven(code: str, freedom: str) -> symgen.Mechanism:
    base = mechanism(9, [code, "S"])
    joints = {**base.source["joints"]}
    joints["j0"] = {**joints["j0"], "driven": [freedom]}
    tree = {**base.source, "joints": joints, "drives": {f"j0.{freedom}": "0.3*sin(2*t)"}}
    return symgen.Mechanism.from_dict(tree)
