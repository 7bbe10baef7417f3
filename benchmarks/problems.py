"""The problems: numbers in, numbers out, random instances, and the equations as any number type may evaluate them.

The equations are staged (position, then linear solves for velocity and
acceleration): the best form a user of a peer could write down without the tricks
that need the constraints. Every peer starts from the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Functions = Any  # something with sqrt and atan2: math, mpmath, sympy, casadi, heyoka ...


@dataclass(frozen=True)
class Problem:
    """A function of `size_in` numbers with `size_out` results."""

    name: str
    title: str
    size_in: int
    size_out: int
    equations: Callable[[Sequence[Any], Functions], list[Any]]
    instances: Callable[[int], np.ndarray]
    """instances(n) -> (n, size_in), the same for every call"""
    hand_source: str
    hand_symbol: str
    hand_defines: tuple[str, ...] = ()
    remark: str = ""


def rrr(x: Sequence[Any], f: Functions, *, angles: bool) -> list[Any]:
    """Return position, velocity and acceleration of the inner joint and both links of a planar R.R.R dyad."""
    ax, ay, bx, by, ra, rb, vax, vay, vbx, vby, aax, aay, abx, aby, side = x
    dx, dy = bx - ax, by - ay
    d2 = dx * dx + dy * dy
    s = (d2 + ra * ra - rb * rb) / (2 * d2)
    h = side * f.sqrt(ra * ra / d2 - s * s)
    ux, uy = s * dx - h * dy, s * dy + h * dx
    wx, wy = ux - dx, uy - dy
    det = ux * wy - uy * wx
    ex, ey = vbx - vax, vby - vay
    omega1, omega2 = (wx * ex + wy * ey) / det, (ux * ex + uy * ey) / det
    gx = abx - aax + omega1 * omega1 * ux - omega2 * omega2 * wx
    gy = aby - aay + omega1 * omega1 * uy - omega2 * omega2 * wy
    alpha1, alpha2 = (wx * gx + wy * gy) / det, (ux * gx + uy * gy) / det
    out = [
        ax + ux,
        ay + uy,
        vax - omega1 * uy,
        vay + omega1 * ux,
        omega1,
        omega2,
        aax - alpha1 * uy - omega1 * omega1 * ux,
        aay + alpha1 * ux - omega1 * omega1 * uy,
        alpha1,
        alpha2,
    ]
    return [*out, f.atan2(uy, ux), f.atan2(wy, wx)] if angles else out


def _rrr_instances(count: int) -> np.ndarray:
    random = np.random.default_rng(15)
    a = random.uniform(-1, 1, (count, 2))
    b = random.uniform([2, -1], [4, 1], (count, 2))
    d = np.linalg.norm(b - a, axis=1)
    # Well away from the folds, so that every competitor solves every row.
    ra = d * random.uniform(0.5, 0.9, count)
    rb = d * random.uniform(0.6, 0.9, count)
    rates = random.normal(size=(count, 8))
    side = random.choice([-1.0, 1.0], count)
    return np.column_stack([a, b, ra, rb, rates, side])


def cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Return the vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def ups6(x: Sequence[Any], f: Functions) -> list[Any]:
    """Return length, rate, acceleration, unit vector and angular velocity of six legs from the platform's motion."""
    r, q, v, w, a, e = x[0:3], x[3:7], x[7:10], x[10:13], x[13:16], x[16:19]
    q0, q1, q2, q3 = q
    rotation = [
        [1 - 2 * (q2 * q2 + q3 * q3), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1 * q1 + q3 * q3), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)],
    ]
    out: list[Any] = []
    for leg in range(6):
        base, local = x[19 + 3 * leg : 22 + 3 * leg], x[37 + 3 * leg : 40 + 3 * leg]
        b = [dot(row, local) for row in rotation]
        line = [r[k] + b[k] - base[k] for k in range(3)]
        length = f.sqrt(dot(line, line))
        u = [line[k] / length for k in range(3)]
        spin = cross(w, b)
        velocity = [v[k] + spin[k] for k in range(3)]
        tangential, centripetal = cross(e, b), cross(w, spin)
        acceleration = [a[k] + tangential[k] + centripetal[k] for k in range(3)]
        rate = dot(velocity, u)
        omega = [term / length for term in cross(u, velocity)]
        second = dot(acceleration, u) + (dot(velocity, velocity) - rate * rate) / length
        out += [length, rate, second, *u, *omega]
    return out


def _ups6_instances(count: int) -> np.ndarray:
    random = np.random.default_rng(54)
    r = random.uniform([-0.1, -0.1, 0.9], [0.1, 0.1, 1.1], (count, 3))
    q = random.normal([1.0, 0.0, 0.0, 0.0], 0.2, (count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    rates = random.normal(size=(count, 12))
    base = random.uniform(-1, 1, (count, 6, 3)) * [1.0, 1.0, 0.1]
    top = random.uniform(-0.5, 0.5, (count, 6, 3)) * [1.0, 1.0, 0.1]
    return np.column_stack([r, q, rates, base.reshape(count, 18), top.reshape(count, 18)])


def qjac(x: Sequence[Any], f: Functions) -> list[Any]:
    """Return residual and Jacobian of Euler's equations in quaternion coordinates, as in `quaternion_jacobian`."""
    q, s, t, moment = x[0:4], x[4:8], x[8:12], x[18:21]
    xx, yy, zz, xy, xz, yz = x[12:18]
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]

    def doubled(p: Sequence[Any]) -> list[list[Any]]:
        a, b, c, d = (2 * value for value in p)
        return [[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]]

    def times(rows: Sequence[Sequence[Any]], column: Sequence[Any]) -> list[Any]:
        return [sum((a * b for a, b in zip(row[1:], column[1:], strict=True)), row[0] * column[0]) for row in rows]

    turn, rate, second = doubled(q), doubled(s), doubled(t)
    w, e = times(turn, s), times(turn, t)
    spin = times(inertia, w)
    # w~ J - (J w)~, column by column
    columns = [cross(w, [inertia[j][c] for j in range(3)]) for c in range(3)]
    units = [[1 if j == c else 0 for j in range(3)] for c in range(3)]
    columns = [[a - b for a, b in zip(columns[c], cross(spin, units[c]), strict=True)] for c in range(3)]
    k = [[columns[c][r] for c in range(3)] for r in range(3)]
    out = [a + b - m for a, b, m in zip(times(inertia, e), cross(w, spin), moment, strict=True)]
    by_q, by_rate, by_second = [], [], []
    for r in range(3):
        for c in range(4):
            down, before, after = ([rows[j][c] for j in range(3)] for rows in (turn, rate, second))
            by_q.append(-(dot(inertia[r], after) + dot(k[r], before)))
            by_rate.append(dot(k[r], down))
            by_second.append(dot(inertia[r], down))
    return [*out, *by_q, *by_rate, *by_second]


def _qjac_instances(count: int) -> np.ndarray:
    random = np.random.default_rng(39)
    q = random.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    inertia = np.column_stack([random.uniform(1, 2, (count, 3)), random.uniform(-0.3, 0.3, (count, 3))])
    return np.column_stack([q, random.normal(size=(count, 8)), inertia, random.normal(size=(count, 3))])


PROBLEMS = (
    Problem(
        "rrr_na",
        "R.R.R kernel: position, velocity, acceleration",
        15,
        10,
        lambda x, f: rrr(x, f, angles=False),
        _rrr_instances,
        "rrr.c",
        "hand_rrr_na",
        remark="For symgen, *made in* is the first compilation and loading of the whole committed module of the R.R.R\n"
        "dyad (kernel and group, all stages). From the library's cache it takes some milliseconds.",
    ),
    Problem(
        "rrr",
        "R.R.R kernel with both link angles",
        15,
        12,
        lambda x, f: rrr(x, f, angles=True),
        _rrr_instances,
        "rrr.c",
        "hand_rrr",
        ("WITH_ANGLES",),
        "symgen's kernel gives points, not angles (its group gives angles). Here the caller takes two arc tangents:\n"
        "in C, in NumPy over a batch, or with `math.atan2`. So does the caller of the hand-written C with the same\n"
        "contract.",
    ),
    Problem(
        "ups6",
        "Six U-P-S legs, inverse position, velocity, acceleration",
        55,
        54,
        ups6,
        _ups6_instances,
        "ups6.c",
        "hand_ups6",
        remark="symgen's entries come from a separate derivation for this problem, `benchmarks/legs.py`, with all\n"
        "legs in one routine. It refuses a quaternion that is not of unit length, legs without length, NaN and\n"
        "overflow. *Made in* begins with that file: derive, prove, emit, compile (and load, from Python).",
    ),
    Problem(
        "qjac",
        "Euler's equations in quaternion coordinates: residual and Jacobian",
        21,
        39,
        qjac,
        _qjac_instances,
        "qjac.c",
        "hand_qjac",
        remark="symgen's entries come from a derivation of its own, `benchmarks/quaternion_jacobian.py`.\n"
        "It refuses NaN and overflow.",
    ),
)
