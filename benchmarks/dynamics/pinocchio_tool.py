"""Pinocchio: proximal constrained dynamics of a tree with held points, under RK4 in joint coordinates.

The loop over the steps is Python, which is no fault of the tool: the seconds are the number of evaluations times those
of one call of `constraintDynamics`, a lower bound. Two entries: without stabilisation, more accurate on the Bricard
linkage, and with Baumgarte's, critically damped, without which the double four-bar is lost after some singular
positions (from 20 to 100 1/s the errors are the same).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.dynamics.contestant import Contestant
from benchmarks.dynamics.linkages import BRICARD, GRAVITY, SECTION_ACROSS, SECTION_ALONG
from benchmarks.dynamics.problems import SAMPLE, Problem

_STEPS = (0.02, 0.01, 0.005, 0.0025, 0.001, 0.0005)
_CALLS = 2000
_PULLS = (0.0, 20.0)


def _model() -> Any:
    model = pin.Model()
    model.gravity.linear = GRAVITY
    return model


def _point(model: Any, one: int, at: Any, two: int, there: Any) -> Any:
    frames = [pin.SE3(np.eye(3), np.asarray(place, dtype=float)) for place in (at, there)]
    return pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, one, frames[0], two, frames[1], pin.ReferenceFrame.LOCAL
    )


def _joint(model: Any, parent: int, axis: Any, frame: Any, name: str, inertia: Any) -> int:
    joint = int(model.addJoint(parent, pin.JointModelRevoluteUnaligned(*map(float, axis)), frame, name))
    model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return joint


def _mark(model: Any, joint: int, name: str, at: Any) -> None:
    model.addFrame(pin.Frame(name, joint, 0, pin.SE3(np.eye(3), np.asarray(at, dtype=float)), pin.FrameType.OP_FRAME))


def bricard() -> tuple[Any, list[Any], np.ndarray]:
    """Return the model, what is held, and the rates at the start."""
    model, parent, before = _model(), 0, np.zeros(3)
    for name, start, end, axis in BRICARD.rods:
        moments = np.diag([SECTION_ALONG if part else SECTION_ACROSS for part in np.abs(end - start)])
        body = pin.Inertia(1.0, (end - start) / 2, moments)
        parent = _joint(model, parent, axis, pin.SE3(np.eye(3), start - before), name, body)
        _mark(model, parent, f"{name}.{name[1]}", end - start)
        before = start
    end, along = BRICARD.rods[-1][2], BRICARD.last_axis
    held = [_point(model, parent, end - before + s * along, 0, end + s * along) for s in (0.0, 0.5)]
    return model, held, np.zeros(model.nv)


def double_four_bar() -> tuple[Any, list[Any], np.ndarray]:
    """Return the model, what is held, and the rates at the start."""
    model, z = _model(), np.array([0.0, 0.0, 1.0])
    rod = pin.Inertia(1.0, np.array([0.5, 0.0, 0.0]), np.diag([1e-9, 1 / 12, 1 / 12]))
    up, down = (np.array([[0.0, -s, 0.0], [s, 0.0, 0.0], [0.0, 0.0, 1.0]]) for s in (1.0, -1.0))
    tip, flat = np.array([1.0, 0.0, 0.0]), np.eye(3)
    crank0 = _joint(model, 0, z, pin.SE3(up, np.zeros(3)), "crank0", rod)
    bar1 = _joint(model, crank0, z, pin.SE3(down, tip), "bar1", rod)
    bar2 = _joint(model, bar1, z, pin.SE3(flat, tip), "bar2", rod)
    crank2 = _joint(model, bar2, z, pin.SE3(down, tip), "crank2", rod)
    crank1 = _joint(model, 0, z, pin.SE3(up, tip), "crank1", rod)
    for joint, name, at in ((crank0, "crank0.B0", tip), (crank1, "crank1.B1", tip), (crank2, "crank2.B2", 0 * tip)):
        _mark(model, joint, name, at)
    held = [_point(model, crank1, tip, bar1, tip), _point(model, crank2, tip, 0, 2 * tip)]
    rates = np.zeros(model.nv)
    for joint, rate in ((crank0, -1.0), (bar1, 1.0), (crank2, -1.0), (crank1, -1.0)):
        rates[model.joints[joint].idx_v] = rate
    return model, held, rates


def contestants(problem: Problem) -> list[Contestant]:
    """Return RK4, without stabilisation and with it."""
    return [_contestant(problem, pull) for pull in _PULLS]


def _contestant(problem: Problem, pull: float) -> Contestant:
    build = {"bricard": bricard, "double_four_bar": double_four_bar}[problem.name]

    def run(step: float) -> tuple[float, np.ndarray]:
        model, points, v = build()
        for point in points:
            point.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(pull**2, 2.0 * pull))
        data = model.createData()
        held = pin.StdVec_RigidConstraintModel(points)
        inner = pin.StdVec_RigidConstraintData([point.createData() for point in points])
        pin.initConstraintDynamics(model, data, held, inner)
        settings, idle = pin.ProximalSettings(1e-12, 1e-9, 10), np.zeros(model.nv)

        def field(q: np.ndarray, rate: np.ndarray) -> np.ndarray:
            return np.array(pin.constraintDynamics(model, data, q, rate, idle, held, inner, settings))

        q, places = pin.neutral(model), []
        for _ in range(problem.samples):
            for _ in range(round(SAMPLE / step)):
                q, v = _runge_kutta(field, q, v, step)
            pin.framesForwardKinematics(model, data, q)
            places.append([data.oMf[model.getFrameId(point)].translation.copy() for point in problem.points])
        start = time.process_time()
        for _ in range(_CALLS):
            pin.constraintDynamics(model, data, q, v, idle, held, inner, settings)
        call = (time.process_time() - start) / _CALLS
        return call * 4 * round(problem.until / step), np.array(places)

    method = f"RK4, Baumgarte {pull:g}/s, lower bound" if pull else "RK4, lower bound"
    return Contestant("Pinocchio", method, _STEPS, run)


def _runge_kutta(field: Any, q: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    a1 = field(q, v)
    v2 = v + h / 2 * a1
    a2 = field(q + h / 2 * v, v2)
    v3 = v + h / 2 * a2
    a3 = field(q + h / 2 * v2, v3)
    v4 = v + h * a3
    a4 = field(q + h * v3, v4)
    return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
