"""The adapter over arrays, the fit of names onto places, and the angles of a spherical joint."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import symgen
from symgen.errors import InputError, UnsolvedTypeError
from symgen.library.adapt import BodyMotion, GroupAdapter
from symgen.library.fit import fit_group
from symgen.library.group_joints import GroupJoint
from symgen.library.instance import instance_of
from symgen.library.joint_coordinates import spherical_coordinates
from symgen.library.stages import run_stages
from symgen.status import Status

TIMES = np.linspace(0.0, 1.0, 7)


def dyad_joints() -> list[GroupJoint]:
    return [
        GroupJoint("A", "R", ("x", "ground")),
        GroupJoint("B", "R", ("x", "y")),
        GroupJoint("C", "R", ("crank", "y")),
    ]


@pytest.fixture(scope="module")
def library() -> Any:
    return symgen.library(backend="numpy")


@pytest.fixture
def over_time(library: Any) -> tuple[GroupAdapter, dict[str, Any]]:
    """A dyad whose second known body moves away until the links no longer reach."""
    adapter = GroupAdapter(fit_group(library.catalogue, "planar", ["x", "y"], dyad_joints()))
    zero = np.zeros_like(TIMES)
    crank = BodyMotion(np.stack([2 + 2 * TIMES, zero, zero], axis=-1), np.array([2.0, 0.0, 0.0]))
    frames = {
        "A": (np.zeros(3), np.zeros(3)),
        "B": (np.array([1.5, 0.0, 0.0]), np.zeros(3)),
        "C": (np.zeros(3), np.array([1.5, 0.0, 0.0])),
    }
    return adapter, adapter.ports({"ground": BodyMotion(np.zeros(3)), "crank": crank}, frames, {}, {})


def test_a_time_axis_is_a_loop_over_times(library: Any, over_time: tuple[GroupAdapter, dict[str, Any]]) -> None:
    adapter, ports = over_time
    solved = library.of(adapter.fit.entry)
    whole = run_stages(solved, ports, branch=1, condition=True)
    motion = adapter.motion(ports, whole.values)
    # 2 + 2 t = 3 is the stretched dyad.
    assert list(whole.status) == [Status.OK] * 3 + [Status.SINGULAR] + [Status.NO_ASSEMBLY] * 3
    for index, time in enumerate(TIMES):
        row = {name: value[index] if np.ndim(value) == 2 else value for name, value in ports.items()}
        single = run_stages(solved, row, branch=1, condition=True)
        at_once = adapter.motion(row, single.values)
        assert single.status == whole.status[index], time
        np.testing.assert_array_equal(single.condition, whole.condition[index])
        for body in ("x", "y"):
            np.testing.assert_array_equal(at_once.bodies[body].pose, motion.bodies[body].pose[index])
            np.testing.assert_array_equal(at_once.bodies[body].acceleration, motion.bodies[body].acceleration[index])
        for joint in "ABC":
            np.testing.assert_array_equal(at_once.joints[joint]["angle"], motion.joints[joint]["angle"][index])


def test_rates_are_nan_where_the_position_is_not_regular(
    library: Any, over_time: tuple[GroupAdapter, dict[str, Any]]
) -> None:
    adapter, ports = over_time
    solved = run_stages(library.of(adapter.fit.entry), ports, branch=0, condition=True)
    motion = adapter.motion(ports, solved.values)
    regular = solved.status == Status.OK
    posed = np.isin(solved.status, [Status.OK, Status.SINGULAR])
    for body in motion.bodies.values():
        assert body.twist is not None
        assert body.acceleration is not None
        np.testing.assert_array_equal(np.isfinite(body.pose).all(axis=-1), posed)
        np.testing.assert_array_equal(np.isfinite(body.twist).all(axis=-1), regular)
        np.testing.assert_array_equal(np.isfinite(body.acceleration).all(axis=-1), regular)
    np.testing.assert_array_equal(np.isfinite(solved.condition), regular)


def test_each_row_may_have_a_branch_of_its_own(library: Any, over_time: tuple[GroupAdapter, dict[str, Any]]) -> None:
    adapter, ports = over_time
    solved = library.of(adapter.fit.entry)
    branches = np.arange(len(TIMES)) % 2
    mixed = run_stages(solved, ports, branches)
    for branch in (0, 1):
        alone = run_stages(solved, ports, branch)
        np.testing.assert_array_equal(mixed.values["b1"][branches == branch], alone.values["b1"][branches == branch])


def test_a_fit_takes_the_bodies_in_the_order_they_are_given(library: Any) -> None:
    for order in (["x", "y"], ["y", "x"]):
        fit = fit_group(library.catalogue, "planar", order, dyad_joints())
        assert [fit.bodies[place] for place in fit.entry.arrangement.bodies] == order
        assert str(fit).startswith("R.R.R 2D (k1 = ")


def test_a_fit_knows_which_joints_are_written_the_other_way_round(library: Any) -> None:
    fit = fit_group(library.catalogue, "planar", ["x", "y"], dyad_joints())
    assert [(each.joint.name, each.turned) for each in fit.joints] == [("A", True), ("B", False), ("C", False)]


def test_er_is_solved_as_u(library: Any) -> None:
    joints = [
        GroupJoint("A", "S", ("g", "p")),
        GroupJoint("B", "R", ("p", "q")),
        GroupJoint("C", "ER", ("g", "q")),
    ]
    fit = fit_group(library.catalogue, "spatial", ["p", "q"], joints)
    assert fit.entry.arrangement.signature == "U.R.S 3D"


def test_a_group_of_no_solved_type_is_named(library: Any) -> None:
    joints = [GroupJoint("A", "C", ("g", "p")), GroupJoint("B", "C", ("p", "q")), GroupJoint("C", "H", ("g", "q"))]
    with pytest.raises(UnsolvedTypeError, match=r"C = H \(g-q\)"):
        fit_group(library.catalogue, "spatial", ["p", "q"], joints)


def test_a_driven_freedom_without_a_value_is_named(library: Any) -> None:
    adapter = GroupAdapter(
        fit_group(library.catalogue, "planar", ["x"], [GroupJoint("M", "R", ("g", "x"), ("angle",))])
    )
    with pytest.raises(InputError, match="joint M: the driven freedom 'angle'"):
        adapter.ports({"g": BodyMotion(np.zeros(3))}, {"M": (np.zeros(3), np.zeros(3))}, {}, {})


def turn(axis: int, angle: Any) -> Any:
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = mpmath.eye(3)
    result[i, i] = result[j, j] = c
    result[j, i], result[i, j] = s, -s
    return result


def rotation(angles: tuple[Any, Any, Any]) -> Any:
    yaw, pitch, roll = angles
    return turn(2, yaw) * turn(1, pitch) * turn(0, roll)


def spin(orientation: Any, order: int) -> list[Any]:
    """Angular velocity (order 1) or acceleration (order 2) at t = 0 from derivatives of the rotation matrix."""

    def derivative(n: int) -> Any:
        return mpmath.matrix(3, 3, *[0]) if n < 0 else mpmath.matrix(
            [[mpmath.diff(lambda t, i=i, j=j: orientation(t)[i, j], 0, n) for j in range(3)] for i in range(3)]
        )  # fmt: skip

    r, first = orientation(mpmath.mpf(0)), derivative(1)
    skew = first * r.T if order == 1 else derivative(2) * r.T + first * first.T
    return [skew[2, 1], skew[0, 2], skew[1, 0]]


def as_quaternion(r: Any) -> list[float]:
    w = mpmath.sqrt(1 + r[0, 0] + r[1, 1] + r[2, 2]) / 2
    return [
        float(each)
        for each in (w, (r[2, 1] - r[1, 2]) / 4 / w, (r[0, 2] - r[2, 0]) / 4 / w, (r[1, 0] - r[0, 1]) / 4 / w)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_angles_of_a_spherical_joint_are_those_it_was_made_with(seed: int) -> None:
    random = np.random.default_rng(seed)
    start, rate, acceleration = (random.uniform(-1, 1, 3) for _ in range(3))
    base = random.uniform(-0.5, 0.5, (3, 3))
    frames = [rotation(tuple(mpmath.mpf(float(each)) for each in random.uniform(-0.5, 0.5, 3))) for _ in range(2)]

    def first(t: Any) -> Any:
        return rotation(tuple(a + b * t + c * t * t / 2 for a, b, c in base.tolist()))

    def second(t: Any) -> Any:
        q = tuple(
            a + b * t + c * t * t / 2
            for a, b, c in zip(*map(np.ndarray.tolist, (start, rate, acceleration)), strict=True)
        )
        return first(t) * frames[0] * rotation(q) * frames[1].T

    with mpmath.workdps(40):
        bodies = (first, second)
        orientation = tuple(np.array(as_quaternion(body(mpmath.mpf(0)))) for body in bodies)
        omega, alpha = (
            tuple(np.array([float(each) for each in spin(body, order)]) for body in bodies) for order in (1, 2)
        )
        sides = tuple(np.array([0.0, 0.0, 0.0, *as_quaternion(each)]) for each in frames)
    found = spherical_coordinates(orientation, sides, omega, alpha)  # type: ignore[arg-type]
    # A few dozen roundings, divided by cos(pitch)^2 > 0.29.
    for k, name in enumerate(("yaw", "pitch", "roll")):
        np.testing.assert_allclose(found[name], [start[k], rate[k], acceleration[k]], atol=2e-14)


@pytest.mark.parametrize("sign", [1, -1])
def test_in_gimbal_lock_the_angles_still_make_the_rotation_and_rates_are_not_given(sign: int) -> None:
    half = np.sqrt(0.5)
    locked = np.array([half, 0.0, sign * half, 0.0])  # pitch of a quarter turn
    yawed = np.array([np.cos(0.2), 0.0, 0.0, np.sin(0.2)])
    product = np.array([yawed[0] * locked[0], -yawed[3] * locked[2], yawed[0] * locked[2], yawed[3] * locked[0]])
    still, frame = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    one = np.array([1.0, 0.0, 0.0, 0.0])
    found = spherical_coordinates((one, product), (frame, frame), (still, np.ones(3)), (still, still))
    # atan2 of a cosine that is rounding only: the pitch is right to the root of nothing, a few 1e-16.
    np.testing.assert_allclose([found[name][0] for name in found], [0.4, sign * np.pi / 2, 0.0], atol=1e-14)
    assert all(np.isnan(found[name][1:]).all() for name in found)


def test_the_contract_example_of_a_driven_slide_is_read() -> None:
    side = {"at": [0, 0, 0], "q": [1, 0, 0, 0]}
    instance = instance_of(
        {
            "schema": "symgen/group-instance/1",
            "known": {"K1": {"r": [0, 0, 0], "q": [1, 0, 0, 0], "v": [0, 0, 0]}, "K2": {}},
            "bodies": ["b1", "b2"],
            "joints": {
                "A": {"type": "R", "bodies": ["K1", "b1"], "frames": {"K1": side, "b1": side}},
                "B": {
                    "type": "C",
                    "bodies": ["b1", "b2"],
                    "frames": {"b1": {"at": [0, 0, 0], "axis": [0, 0, 2]}, "b2": side},
                    "driven": {"slide": [0.1, 0.0, 0.0]},
                },
            },
        }
    )
    assert instance.joints[1] == GroupJoint("B", "C", ("b1", "b2"), ("slide",))
    np.testing.assert_array_equal(instance.drives["B", "slide"], [0.1, 0.0, 0.0])
    np.testing.assert_array_equal(instance.frames["B"][0], [0, 0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(instance.known["K2"].pose, [0, 0, 0, 1, 0, 0, 0])
