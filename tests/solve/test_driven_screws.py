"""Bodies behind driven screws: closed form in every verb, against products of matrix exponentials and other methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from oracle.kinematics import Matrix, differences, inverse, matrix_pose, pose_matrix
from oracle.whole_modules import Whole, difference, expected

import symgen
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Tree = dict[str, Any]
TIMES = np.linspace(0.0, 2.0, 21)
STEP = mpmath.mpf("1e-13")

#: A nut on a skew screw, a plate that turns on the nut, and a second nut on a left-handed screw that is mounted on the
#: plate and written from the unknown body to the known one. No joint stands at the origin of a body.
NUTS: Tree = {
    "schema": "symgen/mechanism/1",
    "name": "two driven screws",
    "space": "spatial",
    "gravity": [0.0, 0.0, -9.81],
    "bodies": {
        "nut": {"pose": {"r": [0.3, -0.1, 0.2], "q": [0.9, 0.1, -0.3, 0.3]}},
        "plate": {"pose": {"r": [0.4, 0.2, 0.1]}},
        "left": {"pose": {"r": [0.1, 0.5, -0.2], "q": [0.1, 0.7, 0.1, -0.7]}, "points": {"tip": [0.1, 0.2, -0.3]}},
    },
    "joints": {
        "A": {
            "type": "H", "bodies": ["ground", "nut"], "driven": 1, "at": [0.1, 0.2, -0.1], "axis": [1, 2, 2],
            "pitch": 0.05,
        },
        "B": {"type": "R", "bodies": ["nut", "plate"], "driven": 1, "at": [0.2, 0.1, 0.3], "axis": [0, 1, 1]},
        "C": {
            "type": "H", "bodies": ["left", "plate"], "driven": 1, "at": [0.3, 0.4, 0], "axis": [2, -1, 1],
            "pitch": -0.12,
        },
    },
    "drives": {"A": "9*t + sin(3*t)", "B": "0.4*sin(2*t)", "C": "-2*t**2 + 0.3*t"},
}  # fmt: skip
for _body in NUTS["bodies"].values():
    _body |= {"mass": 1.5, "com": [0.05, -0.02, 0.1], "inertia": [0.02, 0.03, 0.025, 0.001, 0.0, -0.002]}


@pytest.fixture(scope="module")
def mechanism() -> Mechanism:
    return Mechanism.from_dict(NUTS)


@pytest.fixture(scope="module")
def solved(mechanism: Mechanism) -> MotionResult:
    return symgen.solve(mechanism, TIMES)


def _screw(at: Any, axis: Any, pitch: float) -> Matrix:
    """Return the matrix of a screw motion about a line of the drawing, at unit rate."""
    line = mpmath.matrix(axis) / mpmath.norm(mpmath.matrix(axis))
    x, y, z = line
    p, q, r = (mpmath.mpf(v) for v in at)
    moment = [q * z - r * y, r * x - p * z, p * y - q * x]
    rows = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return mpmath.matrix([[*rows[k], moment[k] + pitch * line[k]] for k in range(3)] + [[0, 0, 0, 0]])


def _drawn(body: str) -> Matrix:
    pose = NUTS["bodies"][body]["pose"]
    q = [mpmath.mpf(x) for x in pose.get("q", [1, 0, 0, 0])]
    size = mpmath.norm(mpmath.matrix(q))
    return pose_matrix([*pose["r"], *(x / size for x in q)], "spatial")


def _poses(t: Any) -> dict[str, Matrix]:
    """Return where the bodies are: exponentials of the drawing's screws, one after the other."""
    laws = {"A": 9 * t + mpmath.sin(3 * t), "B": mpmath.mpf("0.4") * mpmath.sin(2 * t), "C": -2 * t**2 + 0.3 * t}
    moves = {}
    for name, joint in NUTS["joints"].items():
        move = _screw(joint["at"], joint["axis"], joint.get("pitch", 0.0)) * laws[name]
        moves[name] = mpmath.expm(move, method="taylor")
    carried = moves["A"] * moves["B"]
    bodies = {"nut": moves["A"], "plate": carried, "left": carried * inverse(moves["C"])}
    return {body: move * _drawn(body) for body, move in bodies.items()}


def test_all_of_them_are_in_closed_form(mechanism: Mechanism, solved: MotionResult) -> None:
    assert solved.ok
    assert [group.method for group in solved.groups] == ["closed form"] * 3
    assert [group.module for group in solved.groups] == ["driven_h_3d", "driven_r_3d", "driven_h_3d"]
    assert [group.signature for group in symgen.analyse(mechanism).groups] == ["H* 3D", "R* 3D", "H* 3D"]


def test_bodies_go_where_the_exponentials_lead(solved: MotionResult) -> None:
    for k in range(0, len(TIMES), 4):
        t = mpmath.mpf(float(TIMES[k]))
        before, now, after = (_poses(t + s) for s in (-STEP, 0, STEP))
        for body, track in solved.bodies.items():
            if body not in now:
                continue
            pose = [float(x) for x in matrix_pose(now[body], "spatial")]
            np.testing.assert_allclose(track.r[k], pose[:3], atol=1e-13)
            assert abs(track.q[k] @ pose[3:]) == pytest.approx(1.0, abs=1e-13)
            twist, acceleration = differences(before[body], now[body], after[body], STEP)
            np.testing.assert_allclose([*track.v[k], *track.omega[k]], np.array(twist, float), atol=1e-11)
            np.testing.assert_allclose([*track.a[k], *track.alpha[k]], np.array(acceleration, float), atol=1e-9)


def test_angles_are_those_of_the_laws_over_many_turns(solved: MotionResult) -> None:
    wanted = {"A": 9 * TIMES + np.sin(3 * TIMES), "C": -2 * TIMES**2 + 0.3 * TIMES}
    for joint, values in wanted.items():
        np.testing.assert_array_equal(solved.joints[joint].coordinates["angle"], values)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("geometry", ["constants", "parameters"])
def test_one_function_for_all_gives_the_same(
    mechanism: Mechanism, solved: MotionResult, geometry: str, tmp_path: Path
) -> None:
    whole = Whole(tmp_path, mechanism, f"screws_{geometry}", geometry=geometry)
    found = whole.numpy("motion", t=TIMES)
    assert not np.any(found["status"])
    for name, values in expected(whole, solved).items():
        assert difference(whole, name, found[name], values) < 1e-11, name


@pytest.mark.compiler
def test_one_compiled_function_for_all_gives_the_same(
    mechanism: Mechanism, solved: MotionResult, tmp_path: Path
) -> None:
    whole = Whole(tmp_path, mechanism, "screws_in_c")
    for precision, close in (("double", 1e-11), ("float", 1e-3)):
        found = whole.c("motion", len(TIMES), precision, t=TIMES)
        assert not np.any(found["status"])
        for name, values in expected(whole, solved).items():
            assert difference(whole, name, found[name], values) < close, name


def _freed(*joints: str) -> Mechanism:
    """Return the mechanism with some of its joints not driven, moving at first."""
    tree: Tree = {**NUTS, "joints": {}, "drives": {k: v for k, v in NUTS["drives"].items() if k not in joints}}
    for name, joint in NUTS["joints"].items():
        tree["joints"][name] = {k: v for k, v in joint.items() if k != "driven" or name not in joints}
    tree["initial"] = {"joints": {name: {"rate": 1.0 + k} for k, name in enumerate(joints)}}
    return Mechanism.from_dict(tree)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("joints", "backend"),
    [
        (("A", "B", "C"), "numpy"),
        *(pytest.param(joints, "c", marks=pytest.mark.compiler) for joints in (("A",), ("C",), ("A", "B", "C"))),
    ],
)
def test_free_screws_are_coordinates_of_method_group(joints: tuple[str, ...], backend: str) -> None:
    mechanism = _freed(*joints)
    how: dict[str, Any] = {"tolerance": 1e-9, "until": 2.0, "sample": 0.5}
    if backend == "numpy":  # the same steps, some thousand times as slowly
        how = {"step": 0.005, "order": 8, "until": 0.02}
    motion = symgen.simulate(mechanism, method="group", backend=backend, **how)
    other = symgen.simulate(mechanism, method="riccati", **how)
    assert motion.ok
    assert other.ok
    assert {f"{name}.angle" for name in joints} == set(motion.run.coordinates)
    for body in motion.bodies:
        for part in ("r", "v", "omega", "a", "alpha"):
            one, two = (getattr(each.bodies[body], part) for each in (motion, other))
            np.testing.assert_allclose(one, two, atol=1e-6 * (1 + np.abs(two).max()))


def test_accelerations_are_those_of_the_motion(mechanism: Mechanism, solved: MotionResult) -> None:
    found = symgen.accelerations(mechanism)
    for body, track in solved.bodies.items():
        if body == mechanism.ground:
            continue
        np.testing.assert_allclose(found.bodies[body].a, track.a[0], atol=1e-9)
        np.testing.assert_allclose(found.bodies[body].alpha, track.alpha[0], atol=1e-9)


@pytest.mark.slow
def test_a_driven_screw_in_a_longer_chain_is_left_to_certified_newton() -> None:
    tree: Tree = {
        "schema": "symgen/mechanism/1", "name": "screw in a chain", "space": "spatial",
        "bodies": {"one": {}, "two": {}, "three": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "one"], "at": [0, 0, 0], "axis": [0, 0.2, 1]},
            "B": {
                "type": "H", "bodies": ["one", "two"], "driven": 1, "at": [0.3, 0, 0], "axis": [1, 0.3, 0], "pitch": 0.1
            },
            "C": {"type": "C", "bodies": ["two", "three"], "at": [0.6, 0.2, 0.1], "axis": [0.2, 1, 0.3]},
            "D": {"type": "S", "bodies": ["three", "ground"], "at": [0.7, 0.1, 0.5]},
        },
        "drives": {"B": "0.3*sin(t)"},
    }  # fmt: skip
    motion = symgen.solve(Mechanism.from_dict(tree), np.linspace(0.0, 0.5, 6))
    assert [(group.signature, group.method) for group in motion.groups] == [("R.H*.C.S 3D", "certified Newton")]
    assert motion.ok
