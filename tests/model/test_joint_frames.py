"""Joint frames: the closure laws of the contract hold for the frames made, and each wrong geometry is refused.

The oracle is rotation matrices built here from the quaternion's definition, not the model's own quaternion code.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.errors import MechanismError
from symgen.model.mechanism import JointFrame, Mechanism, Pose

# A few products of unit quaternions and a rotation: a dozen roundings of numbers of size one.
ROUNDING = 1e-14


def matrix(q: tuple[float, float, float, float]) -> np.ndarray:
    """Rotation matrix of a unit quaternion, scalar first: (q0^2 - |u|^2) 1 + 2 u u^T + 2 q0 [u x]."""
    u = np.array(q[1:])
    cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return (q[0] ** 2 - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * q[0] * cross


def in_world(pose: Pose, frame: JointFrame) -> tuple[np.ndarray, np.ndarray]:
    """Centre and axes (columns) of a joint frame, taken to the world."""
    return np.array(pose.r) + matrix(pose.q) @ np.array(frame.at), matrix(pose.q) @ matrix(frame.q)


def one_joint(
    space: str = "spatial", poses: tuple[dict[str, Any], dict[str, Any]] = ({}, {}), **joint: Any
) -> Mechanism:
    bodies = {name: {"pose": pose} if pose else {} for name, pose in zip("ab", poses, strict=True)}
    tree = {
        "schema": "symgen/mechanism/1",
        "space": space,
        "bodies": bodies,
        "joints": {"J": {"bodies": ["a", "b"], **joint}},
    }
    return Mechanism.from_dict(tree)


def both_sides(mechanism: Mechanism) -> list[tuple[np.ndarray, np.ndarray]]:
    frames = mechanism.joints[0].frames
    assert frames is not None
    return [in_world(body.pose, frame) for body, frame in zip(mechanism.bodies, frames, strict=True)]


unit = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
turn = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda v: math.hypot(*v) > 0.1)
    .map(lambda v: [x / math.hypot(*v) for x in v])
)
place = st.tuples(*[st.floats(-2, 2)] * 3)


@given(st.sampled_from(["R", "P", "H", "C", "PL", "S", "F", "FP", "W"]), place, unit, turn, turn, place, place)
def test_axes_in_world_give_both_sides_the_same_frame(
    code: str, at: Any, axis: Any, q1: Any, q2: Any, r1: Any, r2: Any
) -> None:
    poses = ({"r": list(r1), "q": q1}, {"r": list(r2), "q": q2})
    mechanism = one_joint(poses=poses, type=code, at=list(at), axis=list(axis))
    (at1, axes1), (at2, axes2) = both_sides(mechanism)
    np.testing.assert_allclose(at1, at, atol=10 * ROUNDING)
    np.testing.assert_allclose(at2, at, atol=10 * ROUNDING)
    np.testing.assert_allclose(axes1, axes2, atol=10 * ROUNDING)
    np.testing.assert_allclose(axes1[:, 2], np.array(axis) / np.linalg.norm(axis), atol=10 * ROUNDING)
    np.testing.assert_allclose(axes1.T @ axes1, np.eye(3), atol=10 * ROUNDING)
    assert np.linalg.det(axes1) > 0


@given(unit, unit)
def test_the_second_axis_is_made_normal_to_the_first(axis: Any, axis2: Any) -> None:
    z, x = np.array(axis) / np.linalg.norm(axis), np.array(axis2) / np.linalg.norm(axis2)
    if np.linalg.norm(np.cross(z, x)) < 1e-3:
        return
    (_, axes), _ = both_sides(one_joint(type="R", at=[0, 0, 0], axis=list(axis), axis2=list(axis2)))
    # x lies in the plane of both axes, on the side of axis2
    assert abs(axes[:, 0] @ np.cross(z, x)) < 1e-12
    assert axes[:, 0] @ x > 0
    assert abs(axes[:, 0] @ z) < 1e-12


@pytest.mark.parametrize(
    ("axis", "second"), [([0, 0, 2], [1, 0, 0]), ([1, 0, 0], [0, 1, 0]), ([0, 1, 0], [1, 0, 0]), ([1, 2, -3], None)]
)
def test_without_second_axis_the_documented_rule_decides(axis: list[float], second: list[float] | None) -> None:
    (_, axes), _ = both_sides(one_joint(type="R", at=[0, 0, 0], axis=axis))
    if second is None:  # the world axis with the smallest share, x here, made normal
        z = np.array(axis) / np.linalg.norm(axis)
        expected = np.array([1.0, 0, 0]) - z[0] * z
        second = list(expected / np.linalg.norm(expected))
    np.testing.assert_allclose(axes[:, 0], second, atol=ROUNDING)


@pytest.mark.parametrize("code", ["U", "ER"])
def test_crossed_axes_belong_to_one_body_each(code: str) -> None:
    mechanism = one_joint(type=code, at=[1, 2, 3], axis=[0, 0, 5], axis2=[0, 2, 0])
    for _, axes in both_sides(mechanism):
        np.testing.assert_allclose(axes[:, 2], [0, 0, 1], atol=ROUNDING)
        np.testing.assert_allclose(axes[:, 0], [0, 1, 0], atol=ROUNDING)
    sides = {"a": {"at": [0, 0, 0], "axis": [1, 0, 0]}, "b": {"at": [0, 0, 0], "axis2": [0, 0, 3]}}
    (_, first), (_, second) = both_sides(one_joint(type=code, frames=sides))
    np.testing.assert_allclose(first[:, 2], [1, 0, 0], atol=ROUNDING)
    np.testing.assert_allclose(second[:, 0], [0, 0, 1], atol=ROUNDING)


def test_crossed_axes_that_are_not_perpendicular_are_refused_with_the_angle() -> None:
    with pytest.raises(MechanismError, match=r"joints\.J\.axis2: .*perpendicular.*found an angle of 45") as caught:
        one_joint(type="U", at=[0, 0, 0], axis=[0, 0, 1], axis2=[1, 0, 1])
    assert caught.value.field == "joints.J.axis2"
    one_joint(type="U", at=[0, 0, 0], axis=[0, 0, 1], axis2=[1, 0, 9e-10])
    with pytest.raises(MechanismError, match="perpendicular"):
        one_joint(type="U", at=[0, 0, 0], axis=[0, 0, 1], axis2=[1, 0, 2e-9])


def test_a_side_frame_is_taken_as_it_is() -> None:
    q = [0.5, 0.5, 0.5, 0.5]
    mechanism = one_joint(type="P", frames={"a": {"at": [1, 2, 3], "q": q}, "b": {"at": [0, 0, 0], "axis": [0, 0, 1]}})
    assert mechanism.joints[0].frames == (
        JointFrame((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5)),
        JointFrame((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    )


def test_free_pairs_measure_one_body_frame_in_the_other_unless_placed() -> None:
    poses = ({"r": [1, 0, 0]}, {"q": [0, 1, 0, 0]})
    identity = JointFrame((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    for code in ("F", "FP"):
        assert one_joint(poses=poses, type=code).joints[0].frames == (identity, identity)


def test_a_weld_keeps_the_reference_configuration() -> None:
    mechanism = one_joint(poses=({"r": [1, 0, 0]}, {"r": [0, 2, 0], "q": [0, 1, 0, 0]}), type="W")
    (at1, axes1), (at2, axes2) = both_sides(mechanism)
    np.testing.assert_allclose(at1, at2, atol=ROUNDING)
    np.testing.assert_allclose(axes1, axes2, atol=ROUNDING)


def test_planar_frames_are_turned_about_z_and_slides_lie_in_the_plane() -> None:
    poses = ({"r": [1, 2], "angle": 0.4}, {"r": [0, 1], "angle": -2.0})
    (at1, axes1), (at2, axes2) = both_sides(one_joint("planar", poses, type="R", at=[3, 4]))
    np.testing.assert_allclose([at1, at2], [[3, 4, 0]] * 2, atol=10 * ROUNDING)
    np.testing.assert_allclose(axes1, np.eye(3), atol=10 * ROUNDING)
    np.testing.assert_allclose(axes2, np.eye(3), atol=10 * ROUNDING)
    for axis in ([1, 0], [0, 1], [-3, 4], [0.6, -0.8]):
        (_, axes), _ = both_sides(one_joint("planar", poses, type="P", at=[3, 4], axis=axis))
        np.testing.assert_allclose(axes[:, 2], [*np.array(axis) / np.linalg.norm(axis), 0], atol=10 * ROUNDING)
        np.testing.assert_allclose(axes[:, 1], [0, 0, 1], atol=10 * ROUNDING)


def test_planar_pose_angle_is_a_rotation_about_z() -> None:
    pose = one_joint("planar", ({"r": [1, 2], "angle": "pi/3"}, {}), type="R").bodies[0].pose
    c, s = math.cos(math.pi / 3), math.sin(math.pi / 3)
    np.testing.assert_allclose(matrix(pose.q), [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=ROUNDING)
    assert pose.r == (1.0, 2.0, 0.0)


@pytest.mark.parametrize(
    ("joint", "lacks"),
    [
        ({"type": "R"}, "R lacks at, axis"),
        ({"type": "R", "at": [0, 0, 0]}, "R lacks axis"),
        ({"type": "U", "at": [0, 0, 0], "axis": [0, 0, 1]}, "U lacks axis2"),
        ({"type": "S"}, "S lacks at"),
        ({"type": "H", "at": [0, 0, 0], "axis": [0, 0, 1]}, "H lacks pitch"),
        ({"type": "R", "frames": {"a": {"at": [0, 0, 0], "axis": [0, 0, 1]}}}, "R lacks frames.b"),
        (
            {"type": "R", "frames": {"a": {"at": [0, 0, 0]}, "b": {"axis": [0, 0, 1]}}},
            "R lacks frames.a.axis, frames.b.at",
        ),
        ({"type": "SP"}, "SP lacks a geometry"),
    ],
)
def test_geometry_left_out_is_named_when_it_is_needed(joint: dict[str, Any], lacks: str) -> None:
    mechanism = one_joint(**joint)
    with pytest.raises(MechanismError, match=lacks.replace(".", r"\.")) as caught:
        mechanism.require_frames()
    assert caught.value.field == "joints.J"


def test_nothing_is_missing_where_all_is_given() -> None:
    one_joint(type="H", at=[0, 0, 0], axis=[0, 0, 1], pitch=0.01).require_frames()
    one_joint(type="S", at=[0, 0, 0]).require_frames()
    one_joint("planar", type="R", at=[0, 0]).require_frames()
    one_joint(type="F").require_frames()


WRONG_SPATIAL = [
    ({"type": "R", "at": [0, 0, 0], "axis": [0, 0, 0]}, "axis", "must be a direction"),
    ({"type": "R", "at": [0, 0, 0], "axis": [0, 0, 1e-13]}, "axis", "must be a direction"),
    ({"type": "R", "at": [0, 0, 0], "axis": [1.7e308] * 3}, "axis", "must be a direction"),
    ({"type": "R", "at": [0, 0, 0], "axis": [0, 0, 1], "axis2": [0, 0, -2]}, "axis2", "parallel"),
    ({"type": "R", "at": [0, 0], "axis": [0, 0, 1]}, "at", "must have 3 entries"),
    ({"type": "R", "at": [0, 0, float("inf")], "axis": [0, 0, 1]}, "at[2]", "finite"),
    ({"type": "R", "at": [0, 0, 0], "axis": [0, 0, "1/0"]}, "axis[2]", "division"),
    ({"type": "R", "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": 1}, "pitch", "only an H"),
    ({"type": "H", "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": 0}, "pitch", "is an R"),
    ({"type": "EO", "at": [0, 0, 0]}, "at", "known to the structural analysis only"),
    ({"type": "R", "at": [0, 0, 0], "frames": {}}, "at", "exclude each other"),
    ({"type": "R", "frames": {"c": {}}}, "frames.c", "not a body of this joint"),
    (
        {"type": "R", "frames": {"a": {"at": [0, 0, 0], "q": [1, 0, 0, 1]}}},
        "frames.a.q",
        "unit length, found length 1.41",
    ),
    (
        {"type": "R", "frames": {"a": {"at": [0, 0, 0], "q": [1, 0, 0, 0], "axis": [0, 0, 1]}}},
        "frames.a.q",
        "are alternatives",
    ),
]
WRONG_PLANAR = [
    ({"type": "R", "at": [0, 0], "axis": [0, 0, -1]}, "axis", "exchange the two bodies"),
    ({"type": "R", "at": [0, 0], "axis": [1, 0]}, "axis", "must be [0, 0, 1]"),
    ({"type": "P", "at": [0, 0], "axis": [1, 0, 1]}, "axis", "must lie in the x-y plane"),
    ({"type": "P", "at": [0, 0], "axis": [1, 0], "axis2": [0, 1]}, "axis2", "remove it"),
    ({"type": "R", "at": [0, 0, 1]}, "at", "must lie in the x-y plane"),
    ({"type": "R", "frames": {"a": {"at": [0, 0], "q": [0, 1, 0, 0]}}}, "frames.a.q", "must be z of the body"),
    ({"type": "P", "frames": {"a": {"at": [0, 0], "q": [1, 0, 0, 0]}}}, "frames.a.q", "must be z of the body"),
]


@pytest.mark.parametrize(
    ("space", "joint", "field", "words"),
    [("spatial", *row) for row in WRONG_SPATIAL] + [("planar", *row) for row in WRONG_PLANAR],
)
def test_wrong_geometry_is_refused_where_it_stands(space: str, joint: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        one_joint(space, **joint)
    assert caught.value.field == f"joints.J.{field}"
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("space", "pose", "field", "words"),
    [
        ("spatial", {"q": [1, 1, 0, 0]}, "q", "unit length"),
        ("spatial", {"q": [0, 0, 0, 0]}, "q", "unit length"),
        ("spatial", {"angle": 1}, "angle", "only planar"),
        ("planar", {"q": [0, 1, 0, 0]}, "q", "rotation about z"),
        ("planar", {"angle": 1, "q": [1, 0, 0, 0]}, "angle", "are alternatives"),
        ("planar", {"r": [0, 0, 1]}, "r", "x-y plane"),
    ],
)
def test_wrong_poses_are_refused(space: str, pose: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(MechanismError) as caught:
        one_joint(space, (pose, {}), type="R")
    assert caught.value.field == f"bodies.a.pose.{field}"
    assert words in str(caught.value)


def test_a_hand_typed_quaternion_is_normalised() -> None:
    q = one_joint(poses=({"q": [0.707107, 0.707107, 0, 0]}, {}), type="F").bodies[0].pose.q
    assert math.hypot(*q) == pytest.approx(1.0, abs=3e-16)
    with pytest.raises(MechanismError, match="unit length"):
        one_joint(poses=({"q": [0.7071, 0.7071, 0, 0]}, {}), type="F")
