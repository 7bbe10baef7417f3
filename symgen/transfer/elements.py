"""The element library in numbers."""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array


def tilde(v: Array) -> Array:
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def shifting(s: Array) -> Array:
    found = np.eye(6)
    found[:3, 3:] = -tilde(s)
    return found


def revolute(axis: Array, omega_a: Array, omega_b: Array) -> tuple[Array, Array]:
    eta = np.zeros(6)
    eta[3:] = np.cross(omega_a, axis) * (axis @ (omega_b - omega_a))
    return np.concatenate([np.zeros(3), axis])[:, None], eta


def slide_bias(s: Array, v_r: Array, omega_a: Array) -> Array:
    return np.concatenate([np.cross(omega_a, np.cross(omega_a, s)) + 2 * np.cross(omega_a, v_r), np.zeros(3)])


def universal(axis1, axis2, omega_a, omega_b, rate1, rate2):
    eta = np.zeros(6)
    eta[3:] = np.cross(omega_a, axis1) * rate1 + np.cross(omega_b, axis2) * rate2
    h = np.zeros((6, 2))
    h[3:, 0], h[3:, 1] = axis1, axis2
    return h, eta


def body(mass, inertia, d, omega, f, moment) -> tuple[Array, Array]:
    """P S and e of a body at its output."""
    td = tilde(d)
    ps = np.zeros((6, 6))
    ps[:3, :3] = -mass * np.eye(3)
    ps[:3, 3:] = -mass * td
    ps[3:, :3] = mass * td
    ps[3:, 3:] = -inertia + mass * td @ td
    f1 = f + mass * np.cross(omega, np.cross(omega, d))
    e = np.concatenate([-np.cross(d, f1) - np.cross(omega, inertia @ omega) + moment, f1])
    return ps, e


SWAP = np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


def carried(ps, e, lever, omega):
    """What an input adds at the output."""
    a = shifting(-lever)
    b = np.concatenate([-np.cross(omega, np.cross(omega, lever)), np.zeros(3)])
    v = shifting(lever)
    s = SWAP @ ps
    new = SWAP @ (v @ s @ a)
    return (new + new.T) / 2, v @ (e + s @ b)


from dataclasses import dataclass


@dataclass(frozen=True)
class HingeStep:
    ps: Array
    e: Array
    by_acceleration: Array
    constant: Array
    inverse: Array


def hinge(ps, e, h, eta, tau) -> HingeStep:
    from symgen.transfer.ports import NoInertiaError

    w = ps @ h
    d = h.T @ w
    if h.shape[1]:
        sizes = -np.linalg.eigvalsh((d + d.T) / 2)
        if not sizes.min() > 1e-13 * np.abs(ps).max() * (h * h).sum(axis=0).max():
            raise NoInertiaError
    inverse = np.linalg.inv(d) if h.shape[1] else np.zeros((0, 0))
    pe = np.roll(e, 3)
    ka = inverse @ w.T
    k0 = inverse @ (h.T @ pe - w.T @ eta - tau)
    new = ps - w @ ka
    pe = pe - ps @ eta - w @ k0
    return HingeStep((new + new.T) / 2, np.roll(pe, 3), ka, k0, inverse)
