"""Hinges of a mechanism at one time: how acceleration and wrench pass a joint from its tip side to its root side.

    a_O = X a_I + H qdd + eta,    w_O = X w_I,    H^T P w_O = tau

with a = [rdd, Wd] and w = [m, q] at the joint's centre on either side; w is what the tip side exerts on the root side.
Driven freedoms are in eta, with the acceleration of their law. A joint whose first body is on the root side is passed
in reverse: X^-1, -X^-1 H, -X^-1 eta; its coordinates and tau stay its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symgen.errors import MechanismError
from symgen.library.element_routines import call
from symgen.library.joint_coordinates import GIMBAL_LOCK
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.transfer import elements
from symgen.transfer.snapshot import JointFrames, Snapshot

_ATTITUDE = ("yaw", "pitch", "roll")
#: Name of the columns of a ball, which are no coordinates.
BALL = ""
#: Out of the plane: acceleration along z, angular acceleration about x and y.
_ASIDE = np.eye(6)[:, 2:5]


@dataclass(frozen=True)
class HingeMotion:
    """A hinge in numbers, world axes.

    Parameters
    ----------
    inboard, outboard : (3,) joint centres on the two sides [m].
    apart : (3,) s of X = [[1, -s^], [0, 1]], of accelerations and of wrenches alike; zero where the joint cannot slide.
    h : (6, f) columns of what is free.
    eta : (6,).
    tau : (f,) force on the outboard side, conjugate to the columns.
    """

    inboard: Array
    outboard: Array
    apart: Array
    h: Array
    eta: Array
    tau: Array

    @property
    def x(self) -> Array:
        """X, (6, 6)."""
        return elements.shifting(self.apart)

    @property
    def back(self) -> Array:
        """X^-1, (6, 6)."""
        return elements.shifting(-self.apart)

    def locked(self, *, planar: bool) -> Array:
        """Return an orthonormal basis (6, 6 - f) of the accelerations it does not allow; in the plane (6, 3 - f)."""
        columns = np.hstack([self.h, _ASIDE]) if planar else self.h
        if not columns.shape[1]:
            return np.eye(6)
        found: Array = np.linalg.qr(columns, mode="complete")[0][:, columns.shape[1] :]
        return found


def hinge_motion(snapshot: Snapshot, joint: Joint, *, reverse: bool) -> HingeMotion:
    """Return a joint as a hinge.

    Parameters
    ----------
    reverse : passed from its second body to its first.
    """
    frames = snapshot.frames[joint.id]
    own = _own_direction(snapshot, joint, frames)
    led = np.array([(joint.id, name) in snapshot.drives for name in own.names], dtype=np.bool_)
    laws = [snapshot.drives[joint.id, name][1] for name, each in zip(own.names, led, strict=True) if each]
    eta = elements.driven(own.h[:, led], np.array(laws), own.eta)
    free = [name for name, each in zip(own.names, led, strict=True) if not each]
    h, forces = own.h[:, ~led], np.zeros(len(free))
    for k, name in enumerate(free):
        forces[k] = snapshot.joint_forces.get((joint.id, name), 0.0)
    if BALL in own.names:
        forces[-3:] = _moment(snapshot, joint, frames)
    if not reverse:
        return HingeMotion(*frames.centres, own.apart, h, eta, forces)
    h, eta = elements.reversed_hinge(own.apart, h, eta)
    return HingeMotion(frames.centres[1], frames.centres[0], -own.apart, h, eta, forces)


@dataclass(frozen=True)
class _Columns:
    """A joint from its first body to its second: s (3,), columns (6, grade) with their freedoms, eta (6,)."""

    apart: Array
    names: tuple[str, ...]
    h: Array
    eta: Array


def _own_direction(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> _Columns:
    one, two = frames.bodies
    omega = snapshot.omega[one], snapshot.omega[two]
    x_axis, y_axis, z_axis = frames.axes[0].T
    if joint.type == "W":
        return _Columns(np.zeros(3), (), np.zeros((6, 0)), np.zeros(6))
    if joint.type in ("S", "F"):
        return _attitude(snapshot, joint, frames) if joint.type == "S" else _free(snapshot, joint, frames)
    if joint.type == "R":
        return _turning(joint, "hinge_revolute", z_axis, *omega)
    if joint.type in ("U", "ER"):
        second = frames.axes[1][:, 0]
        rates = np.linalg.lstsq(np.array([z_axis, second]).T, omega[1] - omega[0], rcond=None)[0]
        return _turning(joint, "hinge_universal", z_axis, second, *omega, *rates)
    s, v_r = _apart(snapshot, frames)
    arguments: dict[str, tuple[str, tuple[Array | float, ...]]] = {
        "P": ("hinge_prismatic", (z_axis, s, v_r, omega[0])),
        "H": ("hinge_screw", (z_axis, (joint.pitch or 0.0) / snapshot.unit, s, v_r, *omega)),
        "C": ("hinge_cylindrical", (z_axis, s, v_r, *omega)),
        "L": ("hinge_pin_in_slot", (x_axis, z_axis, s, v_r, *omega)),
        "PL": ("hinge_planar", (x_axis, y_axis, z_axis, s, v_r, *omega)),
        "FP": ("hinge_planar", (x_axis, y_axis, z_axis, s, v_r, *omega)),
    }
    name, given = arguments[joint.type]
    _, h, eta = call(name, *given)
    return _Columns(s, joint.freedoms, h.reshape(6, -1), eta)


def _turning(joint: Joint, name: str, *arguments: Array | float) -> _Columns:
    h, eta = call(name, *arguments)
    return _Columns(np.zeros(3), joint.freedoms, h.reshape(6, -1), eta)


def _apart(snapshot: Snapshot, frames: JointFrames) -> tuple[Array, Array]:
    """Return s = r_B - r_A and the velocity of B's centre as A sees it."""
    s = frames.centres[1] - frames.centres[0]
    speeds = [
        snapshot.velocity[k] + elements.cross(snapshot.omega[k], centre - snapshot.centre[k])
        for k, centre in zip(frames.bodies, frames.centres, strict=True)
    ]
    return s, speeds[1] - speeds[0] - elements.cross(snapshot.omega[frames.bodies[0]], s)


def _free(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> _Columns:
    """Return a joint that holds nothing: three slides fixed in the first body, then a ball."""
    s, v_r = _apart(snapshot, frames)
    slides = np.zeros((6, 3))
    slides[:3] = frames.axes[0]
    eta = call("hinge_prismatic", frames.axes[0][:, 2], s, v_r, snapshot.omega[frames.bodies[0]])[2]
    ball = _attitude(snapshot, joint, frames)
    return _Columns(s, (*joint.freedoms[:3], *ball.names), np.hstack([slides, ball.h]), eta + ball.eta)


@lru_cache(maxsize=1)
def _ball() -> tuple[Array, Array]:
    """Return columns (6, 3) and eta (6,) of a ball with coordinates about the axes of the world, at all times."""
    h, eta = call("hinge_ball", *np.eye(3))
    return h.reshape(6, 3), eta


def _attitude(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> _Columns:
    """Return a ball; if one of yaw, pitch and roll is driven, three pins one after another."""
    if not any((joint.id, name) in snapshot.drives for name in _ATTITUDE):
        return _Columns(np.zeros(3), (BALL,) * 3, *_ball())
    one, two = frames.bodies
    turns = _gimbal(snapshot, joint, frames)
    rates = np.linalg.solve(turns.T, snapshot.omega[two] - snapshot.omega[one])
    eta: Array = np.zeros(6)
    carrier, columns = snapshot.omega[one], []
    for axis, rate in zip(turns, rates, strict=True):
        h, turn = call("hinge_revolute", axis, carrier, carrier + rate * axis)
        columns.append(h)
        eta, carrier = eta + turn, carrier + rate * axis
    return _Columns(np.zeros(3), _ATTITUDE, np.array(columns).T, eta)


def _gimbal(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> Array:
    """Return the axes (3, 3), by rows, of yaw, pitch and roll: z of the first frame, y between, x of the second."""
    first, last = frames.axes[0][:, 2], frames.axes[1][:, 0]
    between = elements.cross(first, last)
    c_pitch = float(np.linalg.norm(between))
    if not c_pitch > GIMBAL_LOCK:
        raise MechanismError(
            "yaw and roll turn about one axis (pitch is a quarter turn): drives and forces in them are not determined; "
            "start elsewhere, or turn the joint frames",
            file=snapshot.mechanism.file,
            field=f"joints.{joint.id}",
        )
    return np.array([first, between / c_pitch, last])


def _moment(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> Array:
    """Return the moment (3,) on the second body that forces in yaw, pitch and roll make together."""
    values = np.array([snapshot.joint_forces.get((joint.id, name), 0.0) for name in _ATTITUDE])
    if not np.any(values):
        return np.zeros(3)
    found: Array = np.linalg.solve(_gimbal(snapshot, joint, frames), values)
    return found
