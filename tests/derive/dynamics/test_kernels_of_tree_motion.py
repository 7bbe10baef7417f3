"""Motion along a tree, columns, wrenches and freedoms of pairs against 4 x 4 matrices and their differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import pytest
from mpmath import mpf
from oracle.dynamics_kernels import Draw, call, cross, gap, quaternion, rotation, same_rotation
from oracle.kinematics import (
    CHAIN,
    inverse,
    matrix_pose,
    pair_motion,
    pose_matrix,
    rotation_exp,
    rotation_log,
    translation,
    turn,
)

from symgen.derive.dynamics.freedoms import FREEDOMS
from symgen.model.pairs import PAIR_TYPES

EXACT = mpf("1e-40")
#: Central differences: truncation of order STEP^2, rounding of 1e-50/STEP.
STEP, DIFFERENCE = mpf("1e-15"), mpf("1e-27")
AXES = ("x", "y", "z")


def _same_pose(found: Any, matrix: Any) -> bool:
    want = matrix_pose(matrix, "spatial")
    return gap(found[:3], want[:3]) < EXACT and same_rotation(found[3:], want[3:]) < EXACT


def _unit(axis: str, size: Any) -> list[Any]:
    return [size * int(axis == name) for name in AXES]


def _screwed(axis: str, angle: Any, slide: Any) -> Any:
    return translation(_unit(axis, slide)) * turn(AXES.index(axis), angle)


def test_motions_are_products_of_matrices() -> None:
    draw = Draw(1)
    frame, held, q = draw.pose(), draw.pose(), draw.quaternion()
    a, b = draw.number(), draw.number()
    start = pose_matrix(frame, "spatial")
    assert _same_pose(call("compose", pose=frame, frame=held)["out"], start * pose_matrix(held, "spatial"))
    assert _same_pose(call("ball", frame=frame, q=q)["out"], start * pose_matrix([0, 0, 0, *q], "spatial"))
    for axis in AXES:
        assert _same_pose(call(f"turn_{axis}", frame=frame, angle=a)["out"], start * _screwed(axis, a, 0))
        assert _same_pose(call(f"slide_{axis}", frame=frame, slide=b)["out"], start * _screwed(axis, 0, b))
    screwed = call("screw_z", frame=frame, angle=a, pitch=b)["out"]
    assert _same_pose(screwed, start * _screwed("z", a, a * b))


def _twist_at(point: Any, motion: Callable[[Any], Any]) -> list[Any]:
    """Return the twist of what moves with motion(t), at t = 0 and a point that it carries."""
    ahead, behind = (motion(sign * STEP) * inverse(motion(mpf(0))) for sign in (1, -1))
    place = mpmath.matrix([*point, 1])
    v = (ahead * place - behind * place) / (2 * STEP)
    omega = [(p - m) / (2 * STEP) for p, m in zip(rotation_log(ahead), rotation_log(behind), strict=True)]
    return [*list(v)[:3], *omega]


def test_columns_are_the_twists_of_unit_rates() -> None:
    draw = Draw(2)
    frame, point, pitch = draw.pose(), draw.vector(), draw.number()
    start = pose_matrix(frame, "spatial")
    for axis in AXES:
        found = call(f"turn_column_{axis}", frame=frame, point=point)["column"]
        assert gap(found, _twist_at(point, lambda t, a=axis: start * _screwed(a, t, 0))) < DIFFERENCE
        found = call(f"slide_column_{axis}", frame=frame)["column"]
        assert gap(found, _twist_at(point, lambda t, a=axis: start * _screwed(a, 0, t))) < DIFFERENCE
    found = call("screw_column_z", frame=frame, point=point, pitch=pitch)["column"]
    assert gap(found, _twist_at(point, lambda t: start * _screwed("z", t, pitch * t))) < DIFFERENCE
    other = draw.vector()
    lever = [b - a for a, b in zip(point, other, strict=True)]
    wants = call("screw_column_z", frame=frame, point=other, pitch=pitch)["column"]
    assert gap(call("shift", column=found, lever=lever)["out"], wants) < EXACT


def test_the_rate_of_a_column_is_its_difference_along_a_motion() -> None:
    draw = Draw(3)
    frame, twist, point, speed = draw.pose(), draw.vector(6), draw.vector(), draw.vector()

    def column(t: Any) -> Any:
        turned = quaternion(rotation_exp([t * x for x in twist[3:]])[:3, :3] * rotation(frame[3:]))
        moved = [x + t * v for x, v in zip(frame[:3], twist[:3], strict=True)]
        place = [x + t * v for x, v in zip(point, speed, strict=True)]
        return mpmath.matrix(call("turn_column_z", frame=[*moved, *turned], point=place)["column"])

    axis = list(rotation(frame[3:])[:3, 2])
    lever = [b - a for a, b in zip(frame[:3], point, strict=True)]
    rate = [b - a for a, b in zip(twist[:3], speed, strict=True)]
    found = call("turn_column_rate", axis=axis, lever=lever, omega=twist[3:], lever_rate=rate)["rate"]
    assert gap(found, (column(STEP) - column(-STEP)) / (2 * STEP)) < DIFFERENCE


def _moved(pose: Any, twist: Any, t: Any) -> list[Any]:
    matrix = rotation_exp([t * x for x in twist[3:]])[:3, :3] * rotation(pose[3:])
    return [*(x + t * v for x, v in zip(pose[:3], twist[:3], strict=True)), *quaternion(matrix)]


def test_the_rows_of_a_distance_are_its_derivative() -> None:
    draw = Draw(4)
    one, two, at_1, at_2, t_1, t_2 = draw.pose(), draw.pose(), draw.vector(), draw.vector(), *_twists(draw)

    def length(t: Any) -> Any:
        ends = [pose_matrix(_moved(p, w, t), "spatial") * mpmath.matrix([*at, 1])
                for p, w, at in ((one, t_1, at_1), (two, t_2, at_2))]  # fmt: skip
        return mpmath.norm(ends[1] - ends[0])

    found = call("length_row", pose_1=one, at_1=at_1, pose_2=two, at_2=at_2)
    assert gap(found["length"], [length(0)]) < EXACT
    assert gap([_rate(found, t_1, t_2)], [(length(STEP) - length(-STEP)) / (2 * STEP)]) < DIFFERENCE


def _twists(draw: Draw) -> tuple[list[Any], list[Any]]:
    return draw.vector(6), draw.vector(6)


def _rate(found: Any, t_1: Any, t_2: Any) -> Any:
    rows = ((found["row_1"], t_1), (found["row_2"], t_2))
    return sum(r * t for row, twist in rows for r, t in zip(row, twist, strict=True))


def test_a_wrench_has_the_power_of_its_force() -> None:
    draw = Draw(5)
    pose, at, force, twist = draw.pose(), draw.vector(), draw.vector(), draw.vector(6)
    r = rotation(pose[3:])
    speed = mpmath.matrix(twist[:3]) + cross(twist[3:], r * mpmath.matrix(at))
    for name, world in (("push", mpmath.matrix(force)), ("push_in_body", r * mpmath.matrix(force))):
        wrench = call(name, pose=pose, at=at, force=force)["wrench"]
        assert gap([_dot(wrench, twist)], [_dot(world, speed)]) < EXACT
    wrench = call("twist_in_body", pose=pose, torque=force)["wrench"]
    assert gap([_dot(wrench, twist)], [_dot(r * mpmath.matrix(force), twist[3:])]) < EXACT


def _dot(a: Any, b: Any) -> Any:
    return sum(x * y for x, y in zip(list(a), list(b), strict=True))


def test_every_named_freedom_has_a_kernel() -> None:
    named = {code for code, pair in PAIR_TYPES.items() if pair.freedoms}
    assert named - {"ER", "FP"} == set(FREEDOMS)
    for code, names in FREEDOMS.items():
        assert tuple(names) == PAIR_TYPES[code].freedoms


@pytest.mark.parametrize("pair", FREEDOMS)
def test_freedoms_are_the_coordinates_of_a_closed_pair_and_rows_their_rates(pair: str) -> None:
    """The first body and the freedoms move together, so that the pair stays closed; the second body follows."""
    draw = Draw(6)
    one, frame_1, frame_2, twist = draw.pose(), draw.pose(), draw.pose(), draw.vector(6)
    names = list(FREEDOMS[pair])
    start, rates, pitch = draw.vector(len(names)), draw.vector(len(names)), draw.number()

    def second(t: Any) -> Any:
        values = {n: q + t * qd for n, q, qd in zip(names, start, rates, strict=True)}
        if pair == "H":
            motion = _screwed("z", values["angle"], pitch * values["angle"])
        else:
            motion = pair_motion(pair, "spatial", values)
        first = pose_matrix(_moved(one, twist, t), "spatial") * pose_matrix(frame_1, "spatial")
        return first * motion * inverse(pose_matrix(frame_2, "spatial"))

    assert pair == "H" or {name for _, _, name in CHAIN[pair]} == set(names)
    two = matrix_pose(second(mpf(0)), "spatial")
    follows = _twist_at(two[:3], second)
    for k, name in enumerate(names):
        given = {"pose_1": one, "frame_1": frame_1, "pose_2": two, "frame_2": frame_2}
        found = call(f"freedom_{pair}_{name}".lower(), **given)
        assert gap(found["value"], [start[k]]) < EXACT
        assert gap([_rate(found, twist, follows)], [rates[k]]) < DIFFERENCE
