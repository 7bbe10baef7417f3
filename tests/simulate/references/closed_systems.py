"""Motions that have equations of their own, in few coordinates: what a general integrator is held to.

Sources: L. D. Landau, E. M. Lifshitz, "Mechanics", section 35 (symmetric top); elementary Lagrange equations (pendulums).
"""

from __future__ import annotations

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
    """Return the centre of mass (t, 3) of a symmetric top that starts with its axis along y and no nutation.

    theta from the vertical, phi about it; the spin w3 about the axis is constant. About the tip, I = across + m arm^2:

        theta'' = phi'^2 sin cos - (axial w3/I) phi' sin + (mass g - lift) arm/I sin
        phi''   = (-2 phi' theta' cos + (axial w3/I) theta')/sin

    Parameters
    ----------
    axial, across : moments of inertia about the centre of mass.
    lift : (force [N], from, until): a force upwards at the centre of mass; `times` must hold both boundaries.
    """
    moment = across + mass * arm**2
    gyro = axial * spin / moment
    weight, times = mass * 9.81 * arm / moment, np.asarray(times, dtype=float)
    extra, start, until = lift or (0.0, 0.0, 0.0)
    rows, state = [], np.array([np.pi / 2, 0.0, 0.0, turn])  # theta, theta', phi, phi'
    edges = sorted({float(times[0]), float(times[-1]), *(e for e in (start, until) if times[0] < e < times[-1])})
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        strength = weight - (extra * arm / moment if start <= low < until else 0.0)

        def field(_: float, s: Array, strength: float = strength) -> Array:
            theta, nod, _, circle = s
            bend = circle**2 * np.sin(theta) * np.cos(theta) - gyro * circle * np.sin(theta)
            twist = (gyro - 2 * circle * np.cos(theta)) * nod / np.sin(theta)
            return np.array([nod, bend + strength * np.sin(theta), circle, twist])

        part = times[(times >= low) & (times <= high)]
        found = integrate(field, state, part)
        rows += list(found if low == edges[0] else found[1:])
        state = found[-1]
    theta, _, phi, _ = np.array(rows).T
    return arm * np.stack([-np.sin(phi) * np.sin(theta), np.cos(phi) * np.sin(theta), np.cos(theta)], axis=-1)


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
