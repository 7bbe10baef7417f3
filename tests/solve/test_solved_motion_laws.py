"""What every solved motion obeys, judged by matrices of our own: joints close, rates are derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle.mechanism_motion import derivatives, gap, matrices, motion_of, relative_frames, spins, stencil

from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Solve = Callable[..., MotionResult]
TIMES = np.linspace(0.0, 1.0, 41)

#: Poses come from a few hundred roundings and one or two square roots per group, up to six groups in a row. All
#: mechanisms here keep away from folds (condition numbers below 1e2): 1e3 roundings of numbers of order one are 1e-13.
CLOSED = 1e-11

#: Five-point differences at this step: with motions like sin(14 t) or slower the truncation is h^4/30 14^5 = 3e-11 of
#: the amplitude for rates and h^4/90 14^6 = 1e-10 for accelerations; positions accurate to 1e-14 give 1e-14/h = 5e-11
#: and 1e-14 * 5/h^2 = 1e-6.
STEP = 2e-4
RATE, ACCELERATION = 1e-8, 2e-5


@pytest.mark.sampled(4)
def test_every_joint_closes_at_every_time(mechanism: Mechanism, solved: Solve) -> None:
    result = solved(mechanism, TIMES)
    assert result.ok, result.first_failure()
    frames = relative_frames(result)
    for joint in mechanism.joints:
        assert gap(joint.type, frames[joint.id]) < CLOSED, joint.id


@pytest.mark.sampled(4)
def test_joint_coordinates_place_the_second_body(mechanism: Mechanism, solved: Solve) -> None:
    result = solved(mechanism, TIMES)
    frames = relative_frames(result)
    for joint in mechanism.joints:
        if joint.freedoms:
            expected = motion_of(joint.type, dict(result.joints[joint.id].coordinates))
            np.testing.assert_allclose(expected, frames[joint.id], atol=CLOSED, err_msg=joint.id)


@pytest.mark.sampled(4)
def test_velocities_and_accelerations_are_the_derivatives_of_poses(mechanism: Mechanism, solved: Solve) -> None:
    result = solved(mechanism, stencil(np.linspace(0.05, 0.95, 7), STEP))
    middle = slice(2, None, 5)
    for name, body in result.bodies.items():
        _, v, a = derivatives(body.r, STEP)
        omega, alpha = spins(matrices(body.r, body.q)[:, :3, :3], STEP)
        for found, expected, bound in (
            (body.v, v, RATE), (body.omega, omega, RATE), (body.a, a, ACCELERATION), (body.alpha, alpha, ACCELERATION),
        ):  # fmt: skip
            scale = 1.0 + np.max(np.abs(expected))
            np.testing.assert_allclose(found[middle], expected, atol=bound * scale, err_msg=name)


@pytest.mark.sampled(4)
def test_rates_of_coordinates_and_points_are_their_derivatives(mechanism: Mechanism, solved: Solve) -> None:
    result = solved(mechanism, stencil(np.linspace(0.05, 0.95, 7), STEP))
    middle = slice(2, None, 5)
    triples: dict[str, tuple[Any, Any, Any]] = {name: (p.r, p.v, p.a) for name, p in result.points.items()}
    for name, joint in result.joints.items():
        for freedom, values in joint.coordinates.items():
            triples[f"{name}.{freedom}"] = (values, joint.rates[freedom], joint.accelerations[freedom])
    for name, (value, rate, acceleration) in triples.items():
        _, first, second = derivatives(value, STEP)
        for found, expected, bound in ((rate, first, RATE), (acceleration, second, ACCELERATION)):
            scale = 1.0 + np.max(np.abs(expected))
            np.testing.assert_allclose(found[middle], expected, atol=bound * scale, err_msg=name)


@pytest.mark.sampled(4)
def test_points_are_fixed_in_their_bodies(mechanism: Mechanism, solved: Solve) -> None:
    result = solved(mechanism, TIMES)
    for name, point in result.points.items():
        body, _, local = name.rpartition(".")
        if body != mechanism.ground:
            track = result.bodies[body]
            place = matrices(track.r, track.q) @ np.array([*mechanism.body(body).points[local], 1.0])
            np.testing.assert_allclose(point.r, place[:, :3], atol=CLOSED)


@pytest.mark.sampled(1)
def test_orientation_and_angles_have_no_jumps(mechanism: Mechanism, solved: Solve) -> None:
    # Between 401 rows of one second nothing here turns by more than 0.2 rad.
    result = solved(mechanism, np.linspace(0.0, 1.0, 401))
    for body in result.bodies.values():
        assert np.max(np.abs(np.diff(body.q, axis=0))) < 0.2
        np.testing.assert_allclose(np.linalg.norm(body.q, axis=-1), 1.0, atol=1e-13)
    for name, joint in result.joints.items():
        if mechanism.joint(name).type != "S":  # an S may pass its gimbal lock
            for values in joint.coordinates.values():
                assert np.max(np.abs(np.diff(values))) < 0.2


@pytest.mark.sampled(1)
def test_one_time_alone_gives_what_it_gives_among_others(mechanism: Mechanism, solved: Solve) -> None:
    many, one = solved(mechanism, TIMES), solved(mechanism, [TIMES[17]])
    for name, body in one.bodies.items():
        # NumPy may sum in another order for other lengths; q has its sign from the reference alone here
        np.testing.assert_allclose(body.r[0], many.bodies[name].r[17], rtol=0, atol=1e-13)
        assert abs(body.q[0] @ many.bodies[name].q[17]) > 1.0 - 1e-13


def test_the_reference_configuration_has_coordinates_zero(solved: Solve, four_bar: dict[str, Any]) -> None:
    result = solved(four_bar, [0.0])
    for joint in result.joints.values():
        assert abs(joint.coordinates["angle"][0]) < 1e-15 * 10  # a few roundings
    for body in result.bodies.values():
        np.testing.assert_allclose(body.r[0], 0.0, atol=1e-15)
