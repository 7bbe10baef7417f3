"""The driven helical pair against products of matrix exponentials, their differences, and certified Newton."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from oracle.instances import random_pose
from oracle.kinematics import Matrix, differences, inverse, matrix_pose, moved, pose_matrix
from oracle.modules import DTYPE, EPSILON, call, function, inputs_of, is_unwritten, manifest

import symgen
from symgen.library.newton.entry import newton_entry
from symgen.library.solved_type import SolvedType
from symgen.status import Status

MODULE = "driven_h_3d"
BACKENDS = [
    "numpy",
    pytest.param("double", marks=pytest.mark.extension),
    pytest.param("float", marks=pytest.mark.extension),
]
SEEDS = range(12)
#: Rounding of about fifty operations on numbers up to a few metres, in units of the last place of 1.
ROUNDING = 200
STEP = mpf("1e-13")


def _ports(seed: int, precision: str = "double") -> dict[str, Any]:
    """Return inputs of all stages, as numbers of this precision hold them: either sign of the pitch, many turns."""
    rng = random.Random(seed)
    ports: dict[str, Any] = {name: random_pose(rng, "spatial") for name in ("k1", "f_j1_k1", "f_j1_b1")}
    ports |= {f"{order}_k1": [rng.uniform(-1, 1) for _ in range(6)] for order in ("v", "a")}
    ports["pitch_j1"] = (-1) ** seed * 10 ** rng.uniform(-3, 0)
    ports["u_j1"] = [rng.choice([1.0, 10.0]) * rng.uniform(-3, 3)]
    ports |= {name: [rng.uniform(-2, 2)] for name in ("ud_j1", "udd_j1")}
    kind = DTYPE[precision]
    return {name: np.asarray(value, dtype=kind).astype(float).tolist() for name, value in ports.items()}


def _unit(pose: Any) -> list[Any]:
    """Return a pose with its quaternion of unit length to all digits."""
    size = mpmath.sqrt(sum(mpf(x) ** 2 for x in pose[3:]))
    return [mpf(x) for x in pose[:3]] + [mpf(x) / size for x in pose[3:]]


def _body(ports: dict[str, Any], t: Any) -> Matrix:
    """Return where the body is after t: K(t) F exp(u(t) [screw about z]) G^-1, by the series of the exponential."""
    u = sum(mpf(ports[name][0]) * t**k / mpmath.factorial(k) for k, name in enumerate(("u_j1", "ud_j1", "udd_j1")))
    screw = mpmath.matrix([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, mpf(ports["pitch_j1"])], [0, 0, 0, 0]])
    known = moved(_unit(ports["k1"]), ports["v_k1"], ports["a_k1"], t, "spatial")
    first, second = (pose_matrix(_unit(ports[name]), "spatial") for name in ("f_j1_k1", "f_j1_b1"))
    return pose_matrix(known, "spatial") * first * mpmath.expm(screw * u, method="taylor") * inverse(second)


def _motion(ports: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Return pose, twist and acceleration of the body by the exponential and its central differences."""
    before, now, after = (_body(ports, t) for t in (-STEP, mpf(0), STEP))
    return (matrix_pose(now, "spatial"), *differences(before, now, after, STEP))


def _off(found: Any, wanted: list[Any]) -> float:
    return max(abs(float(mpf(float(x)) - y)) for x, y in zip(found, wanted, strict=True))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_body_moves_along_the_exponential_of_its_screw(backend: str) -> None:
    for seed in SEEDS:
        ports = _ports(seed, backend)
        pose, twist, acceleration = _motion(ports)
        status, found = call(backend, MODULE, "h_all", ports)
        assert status is Status.OK
        if sum(float(x) * float(y) for x, y in zip(found["b1"][3:], pose[3:], strict=True)) < 0.0:
            pose[3:] = [-x for x in pose[3:]]  # of one orientation
        size = 1.0 + max(abs(float(x)) for x in (*pose, *twist, *acceleration, *ports["u_j1"]))
        for name, wanted in (("b1", pose), ("v_b1", twist), ("a_b1", acceleration)):
            assert _off(found[name], wanted) < ROUNDING * EPSILON[backend] * size, (seed, name)


@pytest.mark.parametrize("backend", BACKENDS)
def test_stages_one_by_one_give_what_all_gives(backend: str) -> None:
    ports = _ports(3, backend)
    _, whole = call(backend, MODULE, "h_all", ports)
    found = dict(ports)
    for stage in ("position", "velocity", "acceleration"):
        status, results = call(backend, MODULE, f"h_{stage}", found)
        assert status is Status.OK
        found |= results
    for name, values in whole.items():
        np.testing.assert_allclose(found[name], values, rtol=0.0, atol=20 * EPSILON[backend] * 10)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_screw_of_the_other_hand_mirrors_the_motion(backend: str) -> None:
    """With the frames along the axes: x and y as before, z the other way, and turns as before."""
    plain = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    ports = _ports(0, backend) | {"k1": plain, "f_j1_k1": plain, "f_j1_b1": plain, "v_k1": [0.0] * 6, "a_k1": [0.0] * 6}
    right, left = (call(backend, MODULE, "h_all", ports | {"pitch_j1": p})[1] for p in (0.25, -0.25))
    for name in ("b1", "v_b1", "a_b1"):
        mirrored = np.array(left[name])
        mirrored[2] *= -1
        np.testing.assert_array_equal(right[name], mirrored)
    assert right["b1"][2] == DTYPE[backend](0.25) * DTYPE[backend](ports["u_j1"][0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("bad", [0.0, -0.0, float("nan"), float("inf"), -float("inf")])
def test_a_pitch_of_zero_or_none_at_all_is_bad_input_in_every_function(backend: str, bad: float) -> None:
    ports = {**_ports(1), "e": _ports(1)["k1"], "v_e": [0.1] * 6, "a_e": [0.1] * 6}
    ports |= {f"{name}_j": ports[f"{name}_j1"] for name in ("pitch", "u", "ud", "udd")}
    ports |= call("numpy", MODULE, "h_all", ports)[1]
    asked = 0
    for entry in manifest(MODULE)["functions"]:
        for name in ("pitch_j", "pitch_j1"):
            if name in [port["name"] for port in inputs_of(function(MODULE, entry["name"]))]:
                status, results = call(backend, MODULE, entry["name"], {**ports, name: bad})
                assert status is Status.BAD_INPUT, entry["name"]
                assert all(is_unwritten(backend, value) for value in results.values())
                asked += 1
    assert asked == 8


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("sign", [1, -1])
def test_the_finest_thread_is_none_that_is_zero(backend: str, sign: int) -> None:
    pitch = sign * float(np.finfo(DTYPE[backend]).tiny)
    status, found = call(backend, MODULE, "h_all", {**_ports(2, backend), "pitch_j1": pitch})
    assert status is Status.OK
    turned = _motion({**_ports(2, backend), "pitch_j1": 0.0})
    assert _off(found["v_b1"], turned[1]) < ROUNDING * EPSILON[backend] * 20


@pytest.mark.extension
def test_certified_newton_says_the_same() -> None:
    entry = newton_entry("H* 3D")
    assert entry is not None
    iterated, closed = SolvedType(symgen.library(), entry), symgen.library()["H* 3D"]
    assert closed.entry.manifest.id == MODULE
    for seed in SEEDS:
        ports = _ports(seed)
        ports["u_j1"] = [float(np.remainder(ports["u_j1"][0], 2 * np.pi))]
        found = closed.all(**ports)
        start = np.array(found.b1) + np.random.default_rng(seed).normal(size=7) * 1e-3
        start[3:] /= np.linalg.norm(start[3:])
        other = iterated.all(**ports, start_b1=start)
        assert found.status is other.status is Status.OK
        np.testing.assert_allclose(other.b1[:3], found.b1[:3], atol=1e-11)
        assert abs(other.b1[3:] @ found.b1[3:]) == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(other.v_b1, found.v_b1, atol=1e-9)
        np.testing.assert_allclose(other.a_b1, found.a_b1, atol=1e-9)
