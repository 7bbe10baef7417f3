"""What elements of vibrations, hinges and beams have to obey, each as how far given elements are off it.

Laws are balances, works and shapes written out by hand; none multiplies what the derivation multiplied.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from oracle.transfer_elements import Elements, square, upper
from oracle.transfer_tree import Array

from symgen.vibrations.beam_functions import bending_functions, column_functions, wave_functions

Law = Callable[[Elements], float]
#: Spatial state [x theta m q] -> planar state [x y theta m qx qy].
PLANE = [0, 1, 5, 8, 9, 10]
_NODES, _WEIGHTS = legendre.leggauss(30)
_XI = 0.5 * (_NODES + 1.0)
SHAPES = 12


def off(found: Array, exact: Array) -> float:
    """Return the largest deviation, relative to the largest value."""
    found, exact = np.asarray(found, dtype=float), np.asarray(exact, dtype=float)
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def _inertia(rng: np.random.Generator) -> Array:
    a = rng.normal(size=(3, 3))
    return a @ a.T + 0.5 * np.eye(3)


# -- hinges ------------------------------------------------------------------------------------------------------------


def reversed_law(freedoms: int) -> Law:
    """A hinge passed there and back changes nothing; the coordinates stay the same ones."""

    def law(elements: Elements) -> float:
        rng = np.random.default_rng(freedoms)
        s, h, eta, a, qdd = (rng.normal(size=n) for n in (3, 6 * freedoms, 6, 6, freedoms))
        b = np.concatenate([a[:3] + np.cross(a[3:], s), a[3:]]) + h.reshape(6, -1) @ qdd + eta
        x, h_back, eta_back = getattr(elements, f"hinge_reverse_{freedoms}")(s, h, eta)
        found = x.reshape(6, 6) @ b + h_back.reshape(6, -1) @ qdd + eta_back
        # lever, coordinates and bias each on their own: what one of them adds may not hide another's sign
        parts = [x.reshape(6, 6) @ np.concatenate([np.cross(a[3:], s), 0.0 * s]) - np.pad(np.cross(a[3:], s), (0, 3))]
        return max(off(found, a), float(np.abs(parts[0]).max()))

    return law


def driven_law(freedoms: int) -> Law:
    """Driving by its own accelerations leaves the motion: H qdd is in eta."""

    def law(elements: Elements) -> float:
        rng = np.random.default_rng(freedoms)
        h, qdd, eta = rng.normal(size=(6, freedoms)), rng.normal(size=freedoms), rng.normal(size=6)
        exact = [sum(h[i, k] * qdd[k] for k in range(freedoms)) + eta[i] for i in range(6)]
        return off(getattr(elements, f"hinge_driven_{freedoms}")(h.ravel(), qdd, eta), np.array(exact))

    return law


def effort_law(freedoms: int) -> Law:
    """The force along a coordinate is the power of the wrench at its unit rate."""

    def law(elements: Elements) -> float:
        rng = np.random.default_rng(freedoms)
        h, w = rng.normal(size=(6, freedoms)), rng.normal(size=6)
        exact = [column[:3] @ w[3:] + column[3:] @ w[:3] for column in h.T]
        return off(getattr(elements, f"hinge_effort_{freedoms}")(h.ravel(), w), np.array(exact))

    return law


def force_law(elements: Elements) -> float:
    """Actuators drive, springs pull back, dampers take power: each on its own, then all."""
    rng = np.random.default_rng(4)
    load, stiffness, damping, coordinate, rest, rate = rng.uniform(0.5, 2.0, 6)
    cases = [
        ((load, 0, 0, coordinate, rest, rate), load),
        ((0, stiffness, 0, rest + 0.3, rest, 0), -0.3 * stiffness),
        ((0, 0, damping, 0, 0, rate), -damping * rate),
        ((load, stiffness, damping, rest - 0.2, rest, rate), load + 0.2 * stiffness - damping * rate),
    ]
    return max(abs(float(elements.hinge_force(*given)) - exact) for given, exact in cases)


# -- vibrating bodies and hinges ---------------------------------------------------------------------------------------


def _carried(z: Array, mass: float, inertia: Array, c: Array, out: Array, s: float, gamma: Array) -> Array:
    """Return the state behind a rigid body: its momentum changes by what goes in less what goes out."""
    x, theta, m, q = z.reshape(4, 3)
    push = s * mass * (x + np.cross(theta, c))
    return np.concatenate([
        x + np.cross(theta, out), theta,
        m - np.cross(out, q) + np.cross(c - out, push) + s * inertia @ theta + gamma @ theta, q + push,
    ])  # fmt: skip


def body_law(elements: Elements) -> float:
    rng = np.random.default_rng(5)
    inertia, gamma, c, out, z = _inertia(rng), _inertia(rng), *rng.normal(size=(2, 3)), rng.normal(size=(20, 12))
    given = (1.4, upper(inertia), c, out, 1.7, upper(gamma))
    u = elements.vibration_body_spatial(*given).reshape(12, 12)
    return off(z @ u.T, np.array([_carried(each, 1.4, inertia, c, out, 1.7, gamma) for each in z]))


def planar_body_law(elements: Elements) -> float:
    rng = np.random.default_rng(6)
    c, out = (np.append(rng.normal(size=2), 0.0) for _ in range(2))
    flat = rng.normal(size=(20, 6))
    z = np.zeros((20, 12))
    z[:, PLANE] = flat
    turning = np.diag([0.0, 0.0, 1.0])
    u = elements.vibration_body_planar(1.4, 0.6, c[:2], out[:2], 1.7, 0.9).reshape(6, 6)
    exact = np.array([_carried(each, 1.4, 0.6 * turning, c, out, 1.7, 0.9 * turning)[PLANE] for each in z])
    return off(flat @ u.T, exact)


def stiffness_law(elements: Elements) -> float:
    """Work of two motions on each other is that of their momenta."""
    rng = np.random.default_rng(7)
    inertia, d, motions = _inertia(rng), rng.normal(size=3), rng.normal(size=(12, 6))
    k = square(elements.vibration_body_stiffness(1.4, upper(inertia), d, 1.7), 6)
    centres = motions[:, :3] - np.cross(motions[:, 3:], d)
    exact = -1.7 * (1.4 * centres @ centres.T + motions[:, 3:] @ inertia @ motions[:, 3:].T)
    return off(motions @ k @ motions.T, exact)


def rest_law(elements: Elements) -> float:
    """A force that keeps its direction does no work of second order but f . theta x (theta x l)/2."""
    rng = np.random.default_rng(8)
    lever, force, turns = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(12, 3))
    xx, yy, zz, xy, xz, yz = elements.vibration_rest_force(lever, force)
    gamma = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    exact = [force @ np.cross(turn, np.cross(turn, lever)) for turn in turns]
    return off(np.einsum("ni,ij,nj->n", turns, gamma, turns), np.array(exact))


def hinge_rest_law(elements: Elements) -> float:
    """The axis turns with A: what the wrench at rest does along it changes; moments count by half (symmetric ones)."""
    rng = np.random.default_rng(9)
    along, about, moment, force = rng.normal(size=(4, 3))
    column, rest = elements.vibration_hinge_rest(along, about, moment, force)
    turns = np.eye(3)
    exact = [-(np.cross(turn, along) @ force + 0.5 * np.cross(turn, about) @ moment) for turn in turns]
    return max(off(column, np.concatenate([along, about])), off(rest, np.concatenate([np.zeros(3), exact])))


def spring_law(elements: Elements) -> float:
    """What is pushed with q moves away from it by compliance times q, along each direction; forces pass."""
    rng = np.random.default_rng(10)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0].T
    along, about, z = rng.uniform(0.5, 1.5, 3), rng.uniform(0.5, 1.5, 3), rng.normal(size=(20, 12))
    u = elements.vibration_spring_spatial(*axes, along, about).reshape(12, 12)
    exact = z.copy()
    for axis, slide, turn in zip(axes, along, about, strict=True):
        exact[:, :3] -= slide * np.outer(z[:, 9:] @ axis, axis)
        exact[:, 3:6] -= turn * np.outer(z[:, 6:9] @ axis, axis)
    flat = z[:, PLANE]
    u_flat = elements.vibration_spring_planar(along[:2], about[2]).reshape(6, 6)
    exact_flat = flat.copy()
    exact_flat[:, :2] -= along[:2] * flat[:, 4:]
    exact_flat[:, 2] -= about[2] * flat[:, 3]
    return max(off(z @ u.T, exact), off(flat @ u_flat.T, exact_flat))


# -- vibrating beams ---------------------------------------------------------------------------------------------------

_GIVE, _LENGTH, _MASS, _POLAR, _SQUARE = (0.1, 0.3, 0.2, 0.5), 0.9, 1.7, 0.4, 1.6


def _beam_equations() -> Array:
    """Return A of dz/dx = A z from the balance of a slice."""
    axial, torsion, about_y, about_z = _GIVE
    a = np.zeros((12, 12))
    a[0, 9], a[9, 0] = -axial, _SQUARE * _MASS
    a[3, 6], a[6, 3] = -torsion, _SQUARE * _POLAR
    a[1, 5], a[5, 8], a[8, 10], a[10, 1] = 1, -about_z, -1, _SQUARE * _MASS
    a[2, 4], a[4, 7], a[7, 11], a[11, 2] = -1, -about_y, 1, _SQUARE * _MASS
    return a


def _exponential(a: Array) -> Array:
    term = total = np.eye(len(a))
    for k in range(1, 40):
        term = term @ a / k
        total = total + term
    return total


def beam_law(elements: Elements) -> float:
    """The matrix is the exponential of the balances of a slice."""
    axial, torsion, about_y, about_z = _GIVE
    mass, x = _SQUARE * _MASS, _LENGTH
    stretch = wave_functions(np.array(mass * axial * x**2))
    bend_y, bend_z = (bending_functions(np.array(mass * give * x**4)) for give in (about_y, about_z))
    twist = wave_functions(np.array(_SQUARE * _POLAR * torsion * x**2))
    exact = _exponential(_beam_equations() * x)
    given = (x, _MASS, _SQUARE, axial, _POLAR, torsion, about_y, about_z, stretch, twist, bend_y, bend_z)
    u = elements.vibration_beam_spatial(*given).reshape(12, 12)
    flat = elements.vibration_beam_planar(x, _MASS, _SQUARE, axial, about_z, stretch, bend_z).reshape(6, 6)
    return max(off(u, exact), off(flat, exact[np.ix_(PLANE, PLANE)]))


def column_law(elements: Elements) -> float:
    """The matrix is the power series of the balances of a slice, dU/dx = (A + x A') U with P = push + x gain."""
    (axial, torsion, about_y, about_z), x, mass = _GIVE, _LENGTH, _SQUARE * _MASS
    push, gain = 1.9, -0.7
    a, slope = _beam_equations(), np.zeros((12, 12))
    a[8, 5] = a[7, 4] = push
    slope[8, 5] = slope[7, 4] = gain
    before, term, exact = np.zeros((12, 12)), np.eye(12), np.eye(12)
    for n in range(60):
        before, term = term, (a @ term * x + slope @ before * x * x) / (n + 1)
        exact = exact + term
    stretch = wave_functions(np.array(mass * axial * x**2))
    twist = wave_functions(np.array(_SQUARE * _POLAR * torsion * x**2))
    bend_y, bend_z = (
        column_functions(*(np.array(give * each) for each in (mass * x**4, push * x**2, gain * x**3)))
        for give in (about_y, about_z)
    )  # fmt: skip
    given = (x, _MASS, _SQUARE, axial, _POLAR, torsion, about_y, about_z, push, push + gain * x)
    u = elements.vibration_column_spatial(*given, stretch, twist, bend_y, bend_z).reshape(12, 12)
    flat = elements.vibration_column_planar(
        x, _MASS, _SQUARE, axial, about_z, push, push + gain * x, stretch, bend_z
    ).reshape(6, 6)  # fmt: skip
    return max(off(u, exact), off(flat, exact[np.ix_(PLANE, PLANE)]))


def column_functions_law(elements: Elements) -> float:
    """The closed forms under a constant load are the power series."""
    a, b = 1.1, 1.7
    found = elements.vibration_column_functions(a, b, np.exp(a), np.tan(0.5 * b))
    return off(found, column_functions(*map(np.array, (a * a * b * b, b * b - a * a, 0.0))))


def functions_law(elements: Elements) -> float:
    """The closed forms are the power series."""
    b = 1.3
    found = elements.vibration_beam_functions(b, np.exp(b), np.tan(0.5 * b))
    return off(found, bending_functions(np.array(b**4)))


# -- assumed shapes of beams -------------------------------------------------------------------------------------------


def _shape(i: int, times: int, xi: Array | float) -> Array:
    """Return Legendre's polynomial over 0 to 1, integrated from 0."""
    series = legendre.legint(np.eye(SHAPES)[i], m=times, lbnd=-1.0, scl=0.5)
    return np.asarray(legendre.legval(2.0 * np.asarray(xi) - 1.0, series))


def shapes_law(name: str, times: int, power: int) -> Law:
    """Integrals are those of quadrature, values at the end those of the polynomials."""

    def law(elements: Elements) -> float:
        length, mass, stiffness = 1.3, 2.1, 40.0
        m, k, total, lever, tip, *slope = getattr(elements, name)(length, mass, stiffness)
        values = np.array([_shape(i, times, _XI) for i in range(SHAPES)])
        bends = np.array([_shape(i, 0, _XI) for i in range(SHAPES)])
        weights = 0.5 * _WEIGHTS * mass * length
        exact = [
            ((values * weights) @ values.T).ravel(), np.diag((bends * 0.5 * _WEIGHTS) @ bends.T) * stiffness
            / length**power, values @ weights, values @ (weights * length * _XI),
            [_shape(i, times, 1.0) for i in range(SHAPES)],
        ]  # fmt: skip
        found = [m, k, total, lever, tip]
        if slope:
            found, exact = [*found, *slope], [*exact, [_shape(i, 1, 1.0) / length for i in range(SHAPES)]]
        # entry by entry: those of high polynomials are a thousandth of the first; what is rounding is zero
        return max(
            float((np.abs(np.asarray(f) - e) / np.maximum(np.abs(e), 1e-5 * np.abs(e).max())).max())
            for f, e in zip(found, map(np.asarray, exact), strict=True)
        )

    return law


def mode_law(elements: Elements) -> float:
    """Virtual power of points r'' = a + alpha x r + omega x (omega x r) under gravity on one mode."""
    rng = np.random.default_rng(3)
    length, mass = 1.3, 2.1
    phi, weights = _shape(2, 2, _XI), 0.5 * _WEIGHTS * mass * length
    along = rng.normal(size=3)
    along /= np.linalg.norm(along)
    aside = np.linalg.svd(along[None])[2][1]
    omega, gravity = rng.normal(size=(2, 3))
    tip, slope = float(_shape(2, 2, 1.0)), float(_shape(2, 1, 1.0)) / length
    given = (weights @ phi, weights @ (length * _XI * phi), tip, slope, along, aside, omega, gravity)
    column, load, end = elements.beam_mode(*given)
    places = length * _XI[:, None] * along
    errors = [off(end, np.concatenate([tip * aside, slope * np.cross(along, aside)]))]
    for a, alpha in rng.normal(size=(6, 2, 3)):
        moved = a + np.cross(alpha, places) + np.cross(omega, np.cross(omega, places))
        power = weights @ (phi * ((gravity - moved) @ aside))
        errors.append(abs(float(load) - column @ np.concatenate([a, alpha]) - power) / abs(power))
    return max(errors)


#: Element -> the law that notices its signs.
LAWS: dict[str, Law] = {
    **{f"hinge_reverse_{freedoms}": reversed_law(freedoms) for freedoms in (1, 2, 3)},
    **{f"hinge_driven_{freedoms}": driven_law(freedoms) for freedoms in (1, 2, 3)},
    **{f"hinge_effort_{freedoms}": effort_law(freedoms) for freedoms in (1, 2, 3)},
    "hinge_force": force_law,
    "vibration_body_spatial": body_law,
    "vibration_body_planar": planar_body_law,
    "vibration_body_stiffness": stiffness_law,
    "vibration_rest_force": rest_law,
    "vibration_hinge_rest": hinge_rest_law,
    **dict.fromkeys(("vibration_spring_spatial", "vibration_spring_planar"), spring_law),
    **dict.fromkeys(("vibration_beam_spatial", "vibration_beam_planar"), beam_law),
    "vibration_beam_functions": functions_law,
    **dict.fromkeys(("vibration_column_spatial", "vibration_column_planar"), column_law),
    "vibration_column_functions": column_functions_law,
    "beam_bending_shapes": shapes_law("beam_bending_shapes", 2, 3),
    "beam_rod_shapes": shapes_law("beam_rod_shapes", 1, 1),
    "beam_mode": mode_law,
}
