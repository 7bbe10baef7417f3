"""Discrete momenta against rigid body dynamics: angular momenta and torques of analytic motions, not (D) or (V)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import pytest
from mpmath import mpf
from oracle.dynamics_kernels import Draw, call, cross, gap, quaternion, rotation, same_rotation
from oracle.kinematics import matrix_pose, rotation_exp
from oracle.turning_motion import TurningMotion

#: What is exact is asked for with 40 of the 50 digits; arguments are of order one.
EXACT = mpf("1e-40")
SCHEMES = ("central", "start", "variational")


def _phi(q_from: Any, q_to: Any) -> list[Any]:
    return call("half_turn", q_from=q_from, q_to=q_to)["phi"]


def _central(motion: TurningMotion, t: Any, h: Any) -> Any:
    """Return the torque that the central form finds from three orientations."""
    before, now, after = (motion.q(t + k * h) for k in (-1, 0, 1))
    phi = _phi(before, now)
    out = call("central_departure", q_from=now, q_to=after, phi_before=phi, inertia=motion.inertia, h=h)
    known = call("central_arrival", q=now, phi_before=phi, inertia=motion.inertia, h=h)
    return (mpmath.matrix(out["momentum"]) - mpmath.matrix(known["momentum"])) / h


def _variational(motion: TurningMotion, t: Any, h: Any) -> Any:
    before, now, after = (motion.q(t + k * h) for k in (-1, 0, 1))
    out = call("variational_departure", q_from=now, q_to=after, inertia=motion.inertia, h=h)
    known = call("variational_arrival", q_from=before, q_to=now, inertia=motion.inertia, h=h)
    return (mpmath.matrix(out["momentum"]) - mpmath.matrix(known["momentum"])) / h


@pytest.mark.parametrize("form", [_central, _variational])
def test_two_steps_give_the_torque_to_second_order(form: Callable[[TurningMotion, Any, Any], Any]) -> None:
    motion, t = TurningMotion(1), mpf("0.3")
    errors = [mpmath.norm(form(motion, t, mpf(h)) - motion.torque(t), mpmath.inf) for h in ("1e-3", "5e-4")]
    assert 1.99 < mpmath.log(errors[0] / errors[1], 2) < 2.01


def test_the_first_step_gives_the_torque_to_first_order() -> None:
    """h T/2 with an error of h^2: half a step on one side; the position error it makes is h^3."""
    motion, t = TurningMotion(2), mpf("0.2")
    errors = []
    for h in (mpf("1e-3"), mpf("5e-4")):
        out = call("start_departure", q_from=motion.q(t), q_to=motion.q(t + h), inertia=motion.inertia, h=h)
        given = {"q": motion.q(t), "omega": list(motion.omega(t)), "inertia": motion.inertia, "h": h}
        known = call("start_momentum", **given)
        found = (mpmath.matrix(out["momentum"]) - mpmath.matrix(known["momentum"])) * 2 / h
        errors.append(mpmath.norm(found - motion.torque(t), mpmath.inf))
    assert 0.98 < mpmath.log(errors[0] / errors[1], 2) < 1.02


def test_a_step_without_torque_conserves_momentum_whatever_the_step() -> None:
    """The momentum that leaves and the one that arrives are the same vector in the world (Noether)."""
    draw = Draw(3)
    inertia, _ = draw.inertia()
    given = {"q_from": draw.quaternion(), "q_to": draw.quaternion(), "inertia": inertia, "h": mpf("0.1")}
    left, arrived = call("variational_departure", **given), call("variational_arrival", **given)
    assert gap(left["momentum"], arrived["momentum"]) < EXACT


def _departure(scheme: str, draw: Draw, q_from: Any, q_to: Any, inertia: Any, before: Any) -> dict[str, Any]:
    given = {"q_from": q_from, "q_to": q_to, "inertia": inertia, "h": mpf("0.1")}
    if scheme == "central":
        given["phi_before"] = before
    return call(f"{scheme}_departure", **given)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_tangent_is_the_derivative_for_a_world_turn(scheme: str) -> None:
    draw = Draw(4)
    inertia, _ = draw.inertia()
    q_from, q_to, before = draw.quaternion(), draw.quaternion(), draw.vector()
    tangent = _departure(scheme, draw, q_from, q_to, inertia, before)["tangent"]
    h = mpf("1e-15")
    for k in range(3):
        ends = []
        for sign in (1, -1):
            small = rotation_exp([sign * h * int(i == k) for i in range(3)])[:3, :3]
            turned = quaternion(small * rotation(q_to))
            if gap(turned, q_to) > 1:  # the other quaternion of the same rotation
                turned = [-x for x in turned]
            ends.append(mpmath.matrix(_departure(scheme, draw, q_from, turned, inertia, before)["momentum"]))
        slope = (ends[0] - ends[1]) / (2 * h)
        # truncation h^2 = 1e-30, rounding 1e-50/h
        assert gap(slope, [tangent[3 * i + k] for i in range(3)]) < mpf("1e-28")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_world_axes_give_the_same_step(scheme: str) -> None:
    draw = Draw(5)
    inertia, _ = draw.inertia()
    q_from, q_to, before = draw.quaternion(), draw.quaternion(), draw.vector()
    body = _departure(scheme, draw, q_from, q_to, inertia, before)
    turned = call("body_inertia", q=q_from, inertia=inertia)["inertia_world"]
    given = {"q_from": q_from, "q_to": q_to, "inertia_world": turned, "h": mpf("0.1")}
    if scheme == "central":
        given["turn_before"] = list(rotation(q_from) * mpmath.matrix(before))
    world = call(f"{scheme}_departure_world", **given)
    assert gap(body["momentum"], world["momentum"]) < EXACT
    assert gap(body["tangent"], world["tangent"]) < EXACT
    if scheme != "variational":
        assert gap(rotation(q_to) * mpmath.matrix(body["phi"]), world["turn"]) < EXACT
        assert gap(rotation(q_from) * mpmath.matrix(body["phi"]), world["turn"]) < EXACT


def test_what_arrives_is_the_same_in_world_axes() -> None:
    draw = Draw(6)
    inertia, _ = draw.inertia()
    q, phi, omega, h = draw.quaternion(), draw.vector(), draw.vector(), mpf("0.1")
    turned = call("body_inertia", q=q, inertia=inertia)["inertia_world"]
    one = call("central_arrival", q=q, phi_before=phi, inertia=inertia, h=h)
    turn = list(rotation(q) * mpmath.matrix(phi))
    two = call("central_arrival_world", turn_before=turn, inertia_world=turned, h=h)
    assert gap(one["momentum"], two["momentum"]) < EXACT
    one = call("start_momentum", q=q, omega=omega, inertia=inertia, h=h)
    two = call("start_momentum_world", omega=omega, inertia_world=turned, h=h)
    assert gap(one["momentum"], two["momentum"]) < EXACT


def test_half_turns_are_those_of_axis_and_angle() -> None:
    draw = Draw(7)
    q_from, vector = draw.quaternion(), draw.vector()
    angle = mpmath.norm(mpmath.matrix(vector))
    q_to = quaternion(rotation(q_from) * rotation_exp(vector)[:3, :3])
    if gap(q_to, q_from) > 1:
        q_to = [-x for x in q_to]
    found = call("half_turn", q_from=q_from, q_to=q_to)
    assert gap(found["phi"], [x / angle * mpmath.sin(angle / 2) for x in vector]) < EXACT
    assert gap(found["s"], [mpmath.cos(angle / 2)]) < EXACT
    world = call("world_turn", q_from=q_from, q_to=q_to)
    assert gap(world["turn"], rotation(q_from) * mpmath.matrix(found["phi"])) < EXACT


def test_inertia_energy_and_gyroscopic_torque_are_those_of_point_masses() -> None:
    draw = Draw(8)
    points = [mpmath.matrix(draw.vector()) for _ in range(4)]
    masses = [abs(draw.number()) + 1 for _ in points]
    centre = sum((m * p for m, p in zip(masses, points, strict=True)), mpmath.zeros(3, 1)) / sum(masses)
    levers = [p - centre for p in points]
    tensor = mpmath.zeros(3)
    for m, x in zip(masses, levers, strict=True):
        tensor += m * ((x.T * x)[0] * mpmath.eye(3) - x * x.T)
    inertia = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    q, v, omega = draw.quaternion(), draw.vector(), draw.vector()
    r = rotation(q)
    speeds = [mpmath.matrix(v) + cross(omega, r * x) for x in levers]
    energy = sum(m * (u.T * u)[0] for m, u in zip(masses, speeds, strict=True)) / 2
    assert gap(call("kinetic", mass=sum(masses), q=q, twist=[*v, *omega], inertia=inertia)["energy"], [energy]) < EXACT
    # without angular acceleration the points accelerate by w x (w x l): their moments are the gyroscopic torque
    torque = mpmath.zeros(3, 1)
    for m, x in zip(masses, levers, strict=True):
        torque += m * cross(r * x, cross(omega, cross(omega, r * x)))
    assert gap(call("gyroscopic", q=q, omega=omega, inertia=inertia)["torque"], torque) < EXACT
    world = r * tensor * r.T
    wants = [world[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    assert gap(call("body_inertia", q=q, inertia=inertia)["inertia_world"], wants) < EXACT


def test_a_spin_is_a_unit_turn_right_to_second_order() -> None:
    draw = Draw(9)
    q, vector = draw.quaternion(), draw.vector()
    errors = []
    for scale in (mpf("1e-4"), mpf("5e-5")):
        small = [scale * x for x in vector]
        found = call("spin", q=q, dtheta=small)["out"]
        assert abs(sum(x * x for x in found) - 1) < EXACT
        exact = matrix_pose(rotation_exp(small) * _full(q), "spatial")[3:]
        errors.append(same_rotation(found, exact))
    assert 2.99 < mpmath.log(errors[0] / errors[1], 2) < 3.01
    assert gap(call("spin", q=q, dtheta=[0, 0, 0])["out"], q) < EXACT


def _full(q: Any) -> Any:
    m = mpmath.eye(4)
    m[:3, :3] = rotation(q)
    return m
