"""The energy account closes at the order of the scheme in every model, and says so where a step is too long for it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from oracle.double_pendulum import double_pendulum

import symgen
from symgen.cli.main import main
from symgen.model.mechanism import Mechanism
from symgen.simulate.results.energy_account import _integrals

_AT_A = {"kind": "joint", "joint": "A", "freedom": "angle"}
FORCES: dict[str, dict[str, Any]] = {
    "damper": {**_AT_A, "damping": 0.5},
    "law": {**_AT_A, "value": "9*sin(3*t)"},
    "spring": {**_AT_A, "stiffness": 20.0, "damping": 0.3, "value": "cos(5*t)"},
    "force": {
        "kind": "force", "body": "b", "at": [0.2, 0.1], "value": ["30*cos(2*t)", "5"], "from": 0.31, "until": 1.7,
    },
    "torque": {"kind": "torque", "body": "a", "value": "4*cos(6*t)", "until": 0.9},
}  # fmt: skip


def model(name: str) -> Mechanism:
    """Return a double pendulum on which something does work."""
    if name != "drive":
        return double_pendulum(forces={"f": FORCES[name]})
    tree = double_pendulum().to_dict()
    tree["joints"]["A"]["driven"] = ["angle"]
    tree["drives"] = {"A": {"angle": "0.3 + 1.2*t + 0.5*sin(4*t)"}}
    del tree["initial"]["joints"]["A"]
    return Mechanism.from_dict(tree)


SCHEMES = [("dimcd", 2, 2e-2), ("variational", 4, 2e-2), ("riccati", 4, 2e-2), ("group", 4, 2e-2)]
#: The variational method takes no forces that depend on velocities.
CASES = [
    (name, *scheme)
    for scheme in SCHEMES
    for name in [*FORCES, "drive"]
    if scheme[0] != "variational" or name not in ("damper", "spring")
]


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize(("name", "method", "order", "step"), CASES)
def test_the_account_closes_at_the_order_of_the_scheme(name: str, method: str, order: int, step: float) -> None:
    """A quarter of the step: the error falls by 4 to the order of the scheme, at most that of the quadrature, 6.

    A factor of five is left for what is not asymptotic yet, and 1e-12 for rounding.
    """
    errors = [
        symgen.simulate(model(name), method=method, order=order, step=h, until=2.0).energy_error
        for h in (step, step / 4)
    ]
    assert errors[0] < 0.1
    assert errors[1] < 5 * errors[0] / 4 ** min(order, 6) + 1e-12


def draw(seed: int) -> Mechanism:
    """Return a double pendulum with masses, lengths, a damper, a force and a law of time at random."""
    rng = np.random.default_rng(seed)

    def body(**more: Any) -> dict[str, Any]:
        return {
            "mass": rng.uniform(0.5, 3),
            "com": list(rng.uniform(0.1, 0.8, 2)),
            "inertia": rng.uniform(0.02, 0.3),
            **more,
        }

    forces = {
        "d": {**_AT_A, "damping": 10.0 ** rng.uniform(-3, 0), "stiffness": rng.uniform(0, 30)},
        "v": {"kind": "joint", "joint": "B", "freedom": "angle", "value": f"{rng.uniform(0, 4):.3f}*sin(3*t)"},
        "f": {"kind": "force", "body": "b", "at": [0.3, 0.0], "value": [f"{rng.uniform(0, 9):.3f}*cos(2*t)", "1"]},
    }
    bodies = [body(), body(pose={"r": [1.0, 0.0]})]
    for each in bodies:
        each["inertia"] = [0.1, 0.1, each["inertia"], 0.0, 0.0, 0.0]
    tree = {**double_pendulum().to_dict(), "bodies": dict(zip("ab", bodies, strict=True)), "forces": forces}
    first, second = ({"angle": float(each[0]), "rate": float(each[1])} for each in rng.uniform(-2, 2, (2, 2)))
    return Mechanism.from_dict({**tree, "initial": {"joints": {"A": first, "B": second}}})


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("seed", range(12))
def test_a_motion_whose_energy_is_off_by_a_hundredth_does_not_pass_in_silence(seed: int) -> None:
    """The truth is the motion at 1e-10; a run is off by its energy at the same time over what moves.

    The account sees what the scheme loses, not what another path costs: half a second is short enough for these to be
    one. Who is off by more than two hundredths is told; who is off by less than a thousandth is left in peace.
    """
    mechanism = draw(seed)
    truth = symgen.simulate(mechanism, method="riccati", tolerance=1e-10, until=0.48, sample=0.08)
    moved = np.ptp(truth.kinetic) + 1e-9
    for step in (0.24, 0.16, 0.08, 0.04, 0.02):
        rough = symgen.simulate(mechanism, method="riccati", step=step, until=0.48, sample=0.08 if step < 0.1 else None)
        if not rough.ok:
            continue
        shared = (
            np.isclose(truth.times[:, None], rough.times).any(axis=1),
            np.isclose(rough.times[:, None], truth.times).any(axis=1),
        )
        off = np.abs(rough.total[shared[1]] - truth.total[shared[0]]).max() / max(moved, np.ptp(truth.potential))
        if off > 2e-2:
            assert any("energy" in each for each in rough.run.warnings), (step, off, rough.energy_error)
        if off < 1e-3:
            assert not any("what moves" in each for each in rough.run.warnings), (step, off, rough.energy_error)


@pytest.mark.compiler
def test_a_small_damper_does_not_hide_that_a_step_is_too_long(tmp_path: Any, capsys: Any) -> None:
    mechanism = double_pendulum(forces={"f": {**_AT_A, "damping": 0.001}})
    rough = symgen.simulate(mechanism, method="riccati", step=0.1, until=8.0)
    (said,) = rough.run.warnings
    assert "from the work of its dampers, drives and forces" in said
    file = tmp_path / "swing.json"
    file.write_text(json.dumps(mechanism.to_dict()), encoding="utf-8")
    assert main(["simulate", str(file), "--method=riccati", "--step=0.1", "--until=8", "--json"]) == 0
    energy = json.loads(capsys.readouterr().out)["energy"]
    assert energy["error"] == rough.energy_error > 0.1
    assert energy["work"] == rough.work[-1] < 0.0


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_the_account_does_not_depend_on_the_rows_that_are_asked_for(method: str) -> None:
    """Rows at every twentieth step: those between are read all the same, and steps stay what they are."""
    smooth = {name: FORCES[name] for name in ("damper", "law", "spring")}
    every = symgen.simulate(double_pendulum(forces=smooth), method=method, step=4e-3, until=2.0)
    some = symgen.simulate(double_pendulum(forces=smooth), method=method, step=4e-3, until=2.0, sample=0.08)
    assert np.allclose(some.times, every.times[::20], rtol=0.0, atol=1e-14)
    assert np.allclose(some.bodies["b"].r, every.bodies["b"].r[::20], rtol=0.0, atol=1e-9)  # times differ by rounding
    assert some.energy_error == pytest.approx(every.energy_error, rel=1e-6)
    assert np.allclose(some.work, every.work[::20], rtol=0.0, atol=1e-9)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_rows_where_forces_begin_and_end_are_kept(method: str) -> None:
    mechanism = double_pendulum(forces={"f": FORCES["force"], "t": FORCES["torque"]})
    some = symgen.simulate(mechanism, method=method, backend="numpy", step=2e-2, until=2.0, sample=0.5)
    assert np.allclose(some.times, [0.0, 0.31, 0.5, 0.9, 1.0, 1.5, 1.7, 2.0])
    assert len(some.work) == len(some.kinetic) == len(some.joints["A"].rates["angle"]) == 8


@pytest.mark.parametrize("rows", [4, 6])
def test_a_work_is_exact_for_powers_that_are_polynomials(rows: int) -> None:
    """Places at random: of degree `rows` - 1 at most; rounding grows with the differences of the places."""
    rng = np.random.default_rng(3)
    times = np.sort(rng.uniform(0.0, 2.0, 9))
    power = np.polynomial.Polynomial(rng.uniform(-1.0, 1.0, rows))
    whole = power.integ()
    assert np.allclose(_integrals(times, power(times), rows), np.diff(whole(times)), atol=1e-9)


def test_rows_that_are_too_far_apart_are_told() -> None:
    """Two rows cannot tell the work of a law that goes to and fro between them."""
    force = {**_AT_A, "value": "9*sin(40*t)"}
    result = symgen.simulate(
        double_pendulum(forces={"f": force}), method="dimcd", backend="numpy", step=0.02, until=0.4, sample=0.4,
        reactions=True,
    )  # fmt: skip
    assert np.isnan(result.energy_error)
    assert any("rows are too far apart" in each for each in result.run.warnings)
