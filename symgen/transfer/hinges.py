"""Hinges of a mechanism at one time: how acceleration and wrench pass a joint from its tip side to its root side.

    a_O = X a_I + H qdd + eta,    w_O = X w_I,    H^T P w_O = tau

with a = [rdd, Wd] and w = [m, q] at the joint's centre on either side; w is what the tip side exerts on the root side.
Driven freedoms are in eta, with the acceleration of their law. A joint whose first body is on the root side is passed
in reverse: X^-1, -X^-1 H, -X^-1 eta; its coordinates and tau stay its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.library.rotations import Array
from symgen.model.parts import Joint
from symgen.transfer import elements
from symgen.transfer.snapshot import JointFrames, Snapshot, joint_motion

_ATTITUDE = ("yaw", "pitch", "roll")
#: Pair type -> freedoms that slide along x, y, z of the first frame, in the order of its coordinates.
_SLIDES = {
    "P": ("z",), "C": ("z",), "L": ("x",), "PL": ("x", "y"), "FP": ("x", "y"), "F": ("x", "y", "z"),
}  # fmt: skip
#: Out of the plane: acceleration along z, angular acceleration about x and y.
_ASIDE = np.eye(6)[:, 2:5]


@dataclass(frozen=True)
class HingeMotion:
    """A hinge in numbers, world axes.

    Parameters
    ----------
    inboard, outboard : (3,) joint centres on the two sides [m].
    x : (6, 6) of accelerations and of wrenches alike.
    h : (6, f) columns of what is free.
    eta : (6,).
    tau : (f,) force on the outboard side, conjugate to the columns.
    """

    inboard: Array
    outboard: Array
    x: Array
    h: Array
    eta: Array
    tau: Array

    @property
    def back(self) -> Array:
        """X^-1, (6, 6)."""
        return 2.0 * np.eye(6) - self.x

    def locked(self, *, planar: bool) -> Array:
        """Return an orthonormal basis (6, 6 - f) of the accelerations that the hinge does not allow; in the plane (6, 3 - f)."""
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
    x, columns, eta = _own_direction(snapshot, joint, frames)
    free, tau = [], []
    for name, column in columns:
        if (joint.id, name) in snapshot.drives:
            eta = eta + column * snapshot.drives[joint.id, name][1]
        else:
            free.append(column)
            tau.append(snapshot.joint_forces.get((joint.id, name), 0.0))
    h, forces = np.array(free).reshape(-1, 6).T, np.array(tau)
    if any(name == "" for name, _ in columns):
        forces[-3:] = _moment(snapshot, joint, frames)
    if not reverse:
        return HingeMotion(*frames.centres, x, h, eta, forces)
    back = 2.0 * np.eye(6) - x
    return HingeMotion(frames.centres[1], frames.centres[0], back, -back @ h, -back @ eta, forces)


def _own_direction(
    snapshot: Snapshot, joint: Joint, frames: JointFrames
) -> tuple[Array, list[tuple[str, Array]], Array]:
    """Return X, columns by freedom ("" for those of a ball), and eta from first to second body."""
    one, two = frames.bodies
    omega = snapshot.omega[one], snapshot.omega[two]
    axes = frames.axes[0].T
    columns: list[tuple[str, Array]] = []
    x, eta = np.eye(6), np.zeros(6)
    if joint.type in _SLIDES or joint.type == "H":
        s, v_r = _apart(snapshot, frames)
        x, eta = elements.shifting(s), elements.slide_bias(s, v_r, omega[0])
        for name, freedom in zip(_SLIDES.get(joint.type, ()), joint.freedoms, strict=False):
            columns.append((freedom, np.concatenate([axes["xyz".index(name)], np.zeros(3)])))
    if joint.type in ("U", "ER"):
        second = frames.axes[1][:, 0]
        relative = omega[1] - omega[0]
        rates = np.linalg.lstsq(np.array([axes[2], second]).T, relative, rcond=None)[0]
        h, turn = elements.universal(axes[2], second, *omega, *rates)
        columns += zip(joint.freedoms, h.T, strict=True)
        eta = eta + turn
    elif joint.type in ("S", "F"):
        turns, turn = _attitude(snapshot, joint, frames)
        columns += turns
        eta = eta + turn
    elif joint.type not in ("P", "W"):
        h, turn = elements.revolute(axes[2], *omega)
        column = h[:, 0]
        if joint.type == "H":
            column = column + np.concatenate([(joint.pitch or 0.0) / snapshot.unit * axes[2], np.zeros(3)])
        columns.append(("angle", column))
        eta = eta + turn
    return x, columns, eta


def _apart(snapshot: Snapshot, frames: JointFrames) -> tuple[Array, Array]:
    """Return s = r_B - r_A and the velocity of B's centre as A sees it."""
    s = frames.centres[1] - frames.centres[0]
    speeds = [
        snapshot.velocity[k] + np.cross(snapshot.omega[k], centre - snapshot.centre[k])
        for k, centre in zip(frames.bodies, frames.centres, strict=True)
    ]
    return s, speeds[1] - speeds[0] - np.cross(snapshot.omega[frames.bodies[0]], s)


def _attitude(
    snapshot: Snapshot, joint: Joint, frames: JointFrames
) -> tuple[list[tuple[str, Array]], Array]:
    """Return columns and eta of a ball; of yaw, pitch and roll one after another if one of them is driven."""
    if not any((joint.id, name) in snapshot.drives for name in _ATTITUDE):
        return [("", column) for column in np.eye(6)[3:]], np.zeros(6)
    one, two = frames.bodies
    turns = _gimbal(frames)
    rates = np.linalg.solve(turns.T, snapshot.omega[two] - snapshot.omega[one])
    eta, carrier = np.zeros(6), snapshot.omega[one]
    columns = []
    for name, axis, rate in zip(_ATTITUDE, turns, rates, strict=True):
        h, turn = elements.revolute(axis, carrier, carrier + rate * axis)
        columns.append((name, h[:, 0]))
        eta, carrier = eta + turn, carrier + rate * axis
    return columns, eta


def _gimbal(frames: JointFrames) -> Array:
    """Return the axes (3, 3), by rows, of yaw, pitch and roll: z of the first frame, y between, x of the second."""
    first, last = frames.axes[0][:, 2], frames.axes[1][:, 0]
    between = np.cross(first, last)
    return np.array([first, between / np.linalg.norm(between), last])


def _moment(snapshot: Snapshot, joint: Joint, frames: JointFrames) -> Array:
    """Return the moment (3,) on the second body that forces in yaw, pitch and roll make together."""
    values = np.array([snapshot.joint_forces.get((joint.id, name), 0.0) for name in _ATTITUDE])
    if not np.any(values):
        return np.zeros(3)
    found: Array = np.linalg.solve(_gimbal(frames), values)
    return found
