"""Single elements against mechanics written out once more: how far they are off, relative to the size of the result."""

from __future__ import annotations

import numpy as np
from oracle.transfer_elements import Elements, hinge_in_world, upper
from oracle.transfer_tree import MOTIONS, NONE, Array, Moving, elementary, still, turn


def relative(found: Array, exact: Array) -> float:
    """Return the largest difference, relative to the largest entry; infinite if there is no number."""
    gap = np.abs(found - exact).max() / np.abs(exact).max()
    return float(gap) if np.isfinite(gap) else float("inf")


def body_error(elements: Elements, seed: int) -> float:
    """Return the error of a body with two inputs: state at the output, geometric rows, inverse."""
    rng = np.random.default_rng(seed)
    mass, c, lever, other, omega, force, moment, a, alpha, m1, q1, m2, q2 = (
        rng.uniform(-1, 1, 3) if k else rng.uniform(0.5, 2) for k in range(13)
    )
    points = rng.uniform(-1, 1, (3, 3))
    inertia = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)

    def carried(start: Array, arm: Array) -> Array:
        return start + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))

    d = lever - c
    out, centre = carried(a, lever), carried(a, c)
    q_out = q1 + q2 + force - mass * centre
    about = m1 + m2 + np.cross(-c, q1) + np.cross(d - other, q2) - np.cross(d, q_out) + moment
    m_out = about - inertia @ alpha - np.cross(omega, inertia @ omega)
    exact = np.array([*out, *alpha, *m_out, *q_out, 1.0])
    u = elements.body_transfer_spatial(mass, upper(inertia), c, lever, omega, force, moment).reshape(13, 13)
    second = elements.input_transfer_spatial(other).reshape(13, 13)
    at_second = carried(out, -other)
    found = u @ [*a, *alpha, *m1, *q1, 1.0] + second @ [*at_second, *alpha, *m2, *q2, 1.0]
    rows, rest = elements.geometric_spatial(other, omega)
    back = rows.reshape(6, 6) @ [*out, *alpha] + rest
    inverse = elements.body_inverse_spatial(mass, upper(inertia), c, lever).reshape(12, 12)
    start = inverse @ (u @ [*a, *alpha, *m1, *q1, 1.0] - u[:, 12])[:12]
    return max(
        relative(found, exact),
        relative(back, np.array([*at_second, *alpha])),
        relative(start, np.array([*a, *alpha, *m1, *q1])),
    )


def planar_body_error(elements: Elements, seed: int) -> float:
    """Return the error of a planar body with two inputs."""
    rng = np.random.default_rng(seed)
    mass, inertia, omega, moment, alpha, m1, m2 = rng.uniform(0.5, 2, 7)
    c, lever, other, force, a, q1, q2 = rng.uniform(-1, 1, (7, 2))

    def turned(v: Array) -> Array:
        return np.array([-v[1], v[0]])

    def carried(start: Array, arm: Array) -> Array:
        return start + alpha * turned(arm) - omega**2 * arm

    def area(u: Array, v: Array) -> float:
        return float(u[0] * v[1] - u[1] * v[0])

    d = lever - c
    out = carried(a, lever)
    q_out = q1 + q2 + force - mass * carried(a, c)
    m_out = m1 + m2 + area(-c, q1) + area(d - other, q2) - area(d, q_out) + moment - inertia * alpha
    u = elements.body_transfer_planar(mass, inertia, c, lever, omega, force, moment).reshape(7, 7)
    second = elements.input_transfer_planar(other).reshape(7, 7)
    at_second = carried(out, -other)
    found = u @ [*a, alpha, m1, *q1, 1.0] + second @ [*at_second, alpha, m2, *q2, 1.0]
    rows, rest = elements.geometric_planar(other, omega)
    back = rows.reshape(3, 3) @ [*out, alpha] + rest
    exact = np.array([*out, alpha, m_out, *q_out, 1.0])
    return max(relative(found, exact), relative(back, np.array([*at_second, alpha])))


def _wandering(rng: np.random.Generator) -> Moving:
    """Return some motion of a frame in space."""
    found = still(np.eye(3), NONE)
    for axis, slide in MOTIONS["ball"] + MOTIONS["planar"]:
        found = found @ elementary(axis, slide, *rng.uniform(-1, 1, 3))
    return found


def hinge_error(elements: Elements, hinge: str, seed: int) -> float:
    """Return the error of X a_A + H qdd + eta against the motion of the pair."""
    rng = np.random.default_rng(seed)
    inner = _wandering(rng)
    size = len(MOTIONS[hinge])
    values, rates, second = rng.uniform(-1, 1, (3, size))
    outer = inner
    for (axis, slide), *parts in zip(MOTIONS[hinge], values, rates, second, strict=True):
        outer = outer @ elementary(axis, slide, *parts)
    s, x, h, eta = hinge_in_world(elements, hinge, inner, outer, rates)
    if hinge == "ball":  # its coordinates are those of the relative angular acceleration
        second = outer.alpha - inner.alpha
    a_inner = np.array([*inner.point(NONE)[2], *inner.alpha])
    exact = np.array([*outer.point(NONE)[2], *outer.alpha])
    gap = relative(x @ a_inner + h @ second + eta, exact)
    wrench = rng.uniform(-1, 1, 6)  # the same wrench about the other point
    moved = np.array([*(wrench[:3] - np.cross(s, wrench[3:])), *wrench[3:]])
    return max(gap, relative(x @ wrench, moved))


def planar_hinge_error(elements: Elements, slot: bool, seed: int) -> float:
    """Return the error of a slide in the plane, with a pin or without, against the same motion in space."""
    rng = np.random.default_rng(seed)
    inner = still(np.eye(3), NONE)
    for axis, slide in MOTIONS["planar"]:
        inner = inner @ elementary(axis, slide, *rng.uniform(-1, 1, 3))
    motions = MOTIONS["pin_in_slot"] if slot else MOTIONS["pin_in_slot"][:1]
    values, rates, second = rng.uniform(-1, 1, (3, len(motions)))
    outer = inner
    for (axis, slide), *parts in zip(motions, values, rates, second, strict=True):
        outer = outer @ elementary(axis, slide, *parts)
    (r_a, v_a, a_a), (r_b, v_b, a_b) = inner.point(NONE), outer.point(NONE)
    s = (r_b - r_a)[:2]
    omega = inner.omega[2]
    v_r = (v_b - v_a)[:2] - omega * np.array([-s[1], s[0]])
    name = "hinge_pin_in_slot_planar" if slot else "hinge_prismatic_planar"
    x, h, eta = getattr(elements, name)(inner.value[:2, 0], s, v_r, omega)
    found = x.reshape(3, 3) @ [*a_a[:2], inner.alpha[2]] + h.reshape(3, -1) @ second + eta
    return relative(found, np.array([*a_b[:2], outer.alpha[2]]))


def random_turn(rng: np.random.Generator) -> Array:
    """Return some rotation."""
    v = rng.uniform(-1, 1, 3)
    return turn(v / np.linalg.norm(v), float(np.linalg.norm(v)))
