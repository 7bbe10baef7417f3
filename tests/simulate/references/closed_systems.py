"""Motions that have equations of their own, in few coordinates: what a general integrator is held to.

Sources: L. D. Landau, E. M. Lifshitz, "Mechanics" (symmetric top); elementary Lagrange equations (pendulums).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulate.references.extrapolation import integrate

Array = NDArray[np.float64]


def double_four_bar(times: Any, gravity: float = 9.81, theta: float = 0.0, rate: float = 1.0) -> Array:
    """Return theta and theta' (t, 2) on the parallel branch: 3 theta'' = 3.5 g sin theta, theta from upright.

    Three cranks of m l^2/3 about their pins and two bars that only translate: 3 m l^2; heights of the centres of mass
    (3/2 + 2) l cos theta. x of the point B0 is l sin theta.
    """
    return integrate(lambda _, s: np.array([s[1], 3.5 / 3.0 * gravity * np.sin(s[0])]), [theta, rate], times)


def physical_pendulum(
    times: Any, mass: float, arm: float, moment: float, angle: float, rate: float, gravity: float = 9.81
) -> Array:
    """Return angle from hanging and rate (t, 2); `moment` about the pin [kg m^2], `arm` from pin to centre of mass."""
    strength = mass * gravity * arm / moment
    return integrate(lambda _, s: np.array([s[1], -strength * np.sin(s[0])]), [angle, rate], times)


def heavy_top(
    times: Any, mass: float, arm: float, axial: float, across: float, spin: float, turn: float, lift: Any = None
) -> Array:
    """Return the centre of mass (t, 3) of a symmetric top that starts with its axis e along y, turning about z.

    The spin w3 about the axis is constant, so the moment of momentum about the tip is I e x e' + axial w3 e with
    I = across + mass arm^2; its rate, crossed with e, gives

        e'' = -|e'|^2 e + (arm (F - (F . e) e) + axial w3 e x e')/I

    Euler angles would do as well, but this top passes close to the vertical, where they are singular.

    Parameters
    ----------
    axial, across : moments of inertia about the centre of mass.
    lift : (force [N], from, until): a force upwards at the centre of mass; `times` must hold both boundaries.
    """
    moment, times = across + mass * arm**2, np.asarray(times, dtype=float)
    extra, start, until = lift or (0.0, 0.0, 0.0)
    rows: list[Array] = []
    state = np.array([0.0, 1.0, 0.0, -turn, 0.0, 0.0])
    edges = sorted({float(times[0]), float(times[-1]), *(e for e in (start, until) if times[0] < e < times[-1])})
    for low, high in pairwise(edges):
        force = np.array([0.0, 0.0, (extra if start <= low < until else 0.0) - mass * 9.81])

        def field(_: float, s: Array, force: Array = force) -> Array:
            e, rate = s[:3], s[3:]
            gyro = axial * spin * np.cross(e, rate)
            return np.concatenate([rate, -(rate @ rate) * e + (arm * (force - (force @ e) * e) + gyro) / moment])

        part = times[(times >= low) & (times <= high)]
        found = integrate(field, state, part)
        rows += list(found if low == edges[0] else found[1:])
        state = found[-1]
    return arm * np.array(rows)[:, :3]


def flyball_governor(times: Any) -> Array:
    """Return turn of the shaft, angle alpha of the rods below the horizontal, height s of the slider and rates (t, 6).

    The stiff governor of IFToMM A05, whose both sides move alike. With m, a, J = across + m a^2 mass, centre of mass
    and moment about the hinge of a rod with its ball, e = 0.05 m from hinge to axis, rod length l = 1 m:

        I(alpha) turn' = const,  I = shaft + slider + 2 (m (e + a cos)^2 + thick sin^2 + across cos^2)
        2 J alpha'' = I_alpha turn'^2/2 + 2 m g a cos(alpha) - 2 F L_alpha
        M s''       = -M g - 2 F L_s,   F = k (L - 0.5 m) + c L',  L^2 = (l/2 cos)^2 + (l - l/2 sin - s)^2
    """
    bar, cube, ball, e, g = 0.3, 3.0, 5.0, 0.05, 9.81
    m, k, c = bar + ball, 8e5, 4e4
    a = (0.5 * bar + ball) / m
    thick = bar * 1e-4 / 6
    across = bar * (1.0 + 1e-4) / 12 + bar * (a - 0.5) ** 2 + ball * (1.0 - a) ** 2
    fixed = thick + cube * 0.01 / 6  # shaft: as thick as a rod

    def moment(alpha: float) -> float:
        cos, sin = np.cos(alpha), np.sin(alpha)
        return float(fixed + 2 * (m * (e + a * cos) ** 2 + thick * sin**2 + across * cos**2))

    momentum = moment(np.pi / 6) * 2 * np.pi

    def field(_: float, state: Array) -> Array:
        _, alpha, s, turning, swing, rise = map(float, state)
        cos, sin = math.cos(alpha), math.sin(alpha)
        turning = momentum / moment(alpha)
        across_x, across_z = 0.5 * cos, 1.0 - 0.5 * sin - s
        length = math.hypot(across_x, across_z)
        by_alpha, by_s = (-0.5 * sin * across_x - 0.5 * cos * across_z) / length, -across_z / length
        pull = k * (length - 0.5) + c * (by_alpha * swing + by_s * rise)
        bend = 4 * (-m * (e + a * cos) * a * sin + (thick - across) * sin * cos)
        swing2 = (0.5 * bend * turning**2 + 2 * m * g * a * cos - 2 * pull * by_alpha) / (2 * (across + m * a * a))
        turning2 = -bend * swing * turning / moment(alpha)
        return np.array([turning, swing, rise, turning2, swing2, -g - 2 * pull * by_s / cube])

    return integrate(field, [0.0, np.pi / 6, 0.5, 2 * np.pi, 0.0, 0.0], times, 1e-11)


def chain(times: Any, links: int, mass: float, length: float, angles: Any, gravity: float = 9.81) -> Array:
    """Return angles from hanging and rates (t, 2 links) of uniform slender links in a plane, at rest first.

    With absolute angles, c_ij = m l^2 (n - max(i, j) + 1/2), c_ii = m l^2 (n - i + 1/3), i from 1:

        sum_j c_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) = -m g l (n - i + 1/2) sin a_i
    """
    number = np.arange(1, links + 1)
    weights = mass * length**2 * (links - np.maximum.outer(number, number) + 0.5)
    np.fill_diagonal(weights, mass * length**2 * (links - number + 1.0 / 3.0))
    pull = mass * gravity * length * (links - number + 0.5)

    def field(_: float, s: Array) -> Array:
        a, rates = s[:links], s[links:]
        apart = a[:, None] - a[None, :]
        right = -(weights * np.sin(apart)) @ rates**2 - pull * np.sin(a)
        return np.concatenate([rates, np.linalg.solve(weights * np.cos(apart), right)])

    return integrate(field, np.concatenate([np.asarray(angles, dtype=float), np.zeros(links)]), times)


#: Andrews' squeezing mechanism at t = 0.03 s: angles [rad] and rates [rad/s]. F. Mazzia, C. Magherini, "Test Set for
#: Initial Value Problem Solvers", problem andrews: PSIDE, tolerance 1e-14.
ANDREWS = {
    "beta": (15.81077119629904, 1139.920302151208),
    "Theta": (-15.75637105984298, -1424.379294994111),
    "gamma": (0.04082224013073101, 11.03291221937134),
    "Phi": (-0.5347301163226948, 19.29337464421385),
    "delta": (0.5244099658805304, 0.5735699284790808),
    "Omega": (0.5347301163226948, -19.29337464421385),
    "epsilon": (1.048080741042263, 0.3231791658026955),
}
