"""A mechanism by the textbook: Newton-Euler equations of free bodies and the constraint primitives of Haug.

Nothing of symgen's derivations is used, only the numbers of the mechanism file. Primitives, between bodies i and j:

    coincide(P_i, P_j)      r_i + s_i - r_j - s_j = 0
    normal(a_i, b_j)        a . b = 0                     two directions
    beside(a_i, P_i, P_j)   a . d = 0, d from P_i to P_j

with Jacobian and right side of the accelerations written out. Accelerations are taken from the null space N of the
Jacobian: a = a_p + N (N^T M N)^-1 N^T (F - M a_p), so redundant constraints and bodies without a moment of inertia do
no harm. The rank of J is that of the closed start: off the constraints redundant rows are not dependent. After every
step positions and velocities are projected.

Source: E. J. Haug, "Computer Aided Kinematics and Dynamics of Mechanical Systems", 1989, chapters 9 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cross(a: Array, b: Array) -> Array:
    """Return a x b; numpy's own is slow for single vectors."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(q: Array) -> Array:
    """Return the rotation matrix of a quaternion of any length near 1."""
    w, x, y, z = q / np.sqrt(q @ q)
    return np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


@dataclass(frozen=True)
class Place:
    """Where a body is: matrix, place of the centre of mass, velocity, angular velocity."""

    turn: Array
    r: Array
    v: Array
    w: Array


@dataclass(frozen=True)
class Side:
    """A joint on one body: number (-1: ground), centre from the centre of mass, columns x y z of the joint frame."""

    body: int
    at: Array
    axes: Array


#: Pair -> directions (axis of the first side, of the second) that stay normal, axes along which P_j does not move.
_NORMAL = {
    "R": ((0, 2), (1, 2)), "S": (), "U": ((2, 0),), "C": ((0, 2), (1, 2)), "P": ((0, 2), (1, 2), (0, 1)),
    "PL": ((0, 2), (1, 2)),
}  # fmt: skip
_BESIDE = {"R": None, "S": None, "U": None, "C": (0, 1), "P": (0, 1), "PL": (2,)}


class NewtonEuler:
    """A mechanism of the joints R, P, C, U, S, PL under gravity, forces, torques and point springs.

    The state holds r, q, v, w of every body (13 numbers), of the centre of mass, world axes.
    """

    def __init__(self, mechanism: Any) -> None:
        self.mechanism = mechanism
        self.names = [body.id for body in mechanism.bodies]
        self.mass = np.array([body.mass for body in mechanism.bodies])
        self.com = [np.array(body.com or (0.0, 0.0, 0.0)) for body in mechanism.bodies]
        self.inertia = []
        for body in mechanism.bodies:
            xx, yy, zz, xy, xz, yz = body.inertia or (0.0,) * 6
            self.inertia.append(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        self.gravity = np.array(mechanism.gravity)
        self.joints = [(joint.type, *(self._side(joint, k) for k in (0, 1))) for joint in mechanism.joints]
        jacobian = self.constraints(self.places(self.state(np.zeros((len(self.names), 6)))))[1]
        values = np.linalg.svd(jacobian, compute_uv=False) if len(jacobian) else np.zeros(0)
        self.rank = int(np.sum(values > 1e-8 * values.max(initial=0.0)))

    def _side(self, joint: Any, k: int) -> Side:
        frame, name = joint.frames[k], joint.bodies[k]
        body = self.names.index(name) if name in self.names else -1
        offset = self.com[body] if body >= 0 else np.zeros(3)
        return Side(body, np.array(frame.at) - offset, rotation(np.array(frame.q)))

    # -- states ------------------------------------------------------------------------------------------------------

    def state(self, twists: Any) -> Array:
        """Return the state of the file's poses with twists (n, 6) of the centres of mass."""
        rows = []
        for body, com, twist in zip(self.mechanism.bodies, self.com, twists, strict=True):
            q = np.array(body.pose.q)
            rows.append(np.concatenate([np.array(body.pose.r) + rotation(q) @ com, q, twist]))
        return np.concatenate(rows)

    def places(self, state: Array) -> list[Place]:
        """Return matrices and vectors of all bodies."""
        rows = state.reshape(-1, 13)
        return [Place(rotation(row[3:7]), row[:3], row[7:10], row[10:]) for row in rows]

    def point(self, state: Array, body: str, at: Any) -> Array:
        """Return the place of a point [m, body frame]."""
        k = self.names.index(body)
        place = self.places(state)[k]
        return place.r + place.turn @ (np.array(at) - self.com[k])

    def energy(self, state: Array) -> float:
        """Return kinetic energy and that of gravity and springs [J]."""
        total = 0.0
        for place, m, inertia in zip(self.places(state), self.mass, self.inertia, strict=True):
            spin = place.turn.T @ place.w
            total += 0.5 * m * (place.v @ place.v) + 0.5 * spin @ inertia @ spin - m * (self.gravity @ place.r)
        for force in self.mechanism.forces:
            if hasattr(force, "between"):
                length = np.linalg.norm(np.subtract(*(self._point(state, *end)[0] for end in force.between)))
                total += 0.5 * force.stiffness * (length - force.length) ** 2
        return float(total)

    # -- constraints -------------------------------------------------------------------------------------------------

    def constraints(self, places: list[Place]) -> tuple[Array, Array, Array]:
        """Return residual, Jacobian for [v, w] of all bodies, and gamma in J a = gamma."""
        size = 6 * len(places)
        residual: list[float] = []
        jacobian: list[Array] = []
        gamma: list[float] = []
        ground = Place(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        for code, one, two in self.joints:
            p, q = (places[side.body] if side.body >= 0 else ground for side in (one, two))
            s, t = p.turn @ one.at, q.turn @ two.at
            a, b = p.turn @ one.axes, q.turn @ two.axes
            d = q.r + t - p.r - s
            rate = q.v + cross(q.w, t) - p.v - cross(p.w, s)
            bend = cross(q.w, cross(q.w, t)) - cross(p.w, cross(p.w, s))
            beside = _BESIDE[code]
            for k in range(3) if beside is None else ():
                row, e = np.zeros(size), np.eye(3)[k]
                _fill(row, one.body, -e, -cross(s, e))
                _fill(row, two.body, e, cross(t, e))
                residual.append(d[k])
                gamma.append(-bend[k])
                jacobian.append(row)
            for k in beside or ():
                row, e = np.zeros(size), a[:, k]
                spin = cross(p.w, e)
                _fill(row, one.body, -e, -cross(s, e) + cross(e, d))
                _fill(row, two.body, e, cross(t, e))
                residual.append(e @ d)
                gamma.append(-(e @ bend + 2 * spin @ rate + cross(p.w, spin) @ d))
                jacobian.append(row)
            for i, j in _NORMAL[code]:
                row, e, f = np.zeros(size), a[:, i], b[:, j]
                spin, turn = cross(p.w, e), cross(q.w, f)
                _fill(row, one.body, np.zeros(3), cross(e, f))
                _fill(row, two.body, np.zeros(3), cross(f, e))
                residual.append(e @ f)
                gamma.append(-(cross(p.w, spin) @ f + e @ cross(q.w, turn) + 2 * spin @ turn))
                jacobian.append(row)
        return np.array(residual), np.array(jacobian).reshape(-1, size), np.array(gamma)

    def loads(self, t: float, state: Array, places: list[Place]) -> Array:
        """Return forces and torques (6 n,) about the centres of mass, the gyroscopic torque taken off."""
        load = np.zeros((len(places), 6))
        for k, (place, m, inertia) in enumerate(zip(places, self.mass, self.inertia, strict=True)):
            load[k, :3] = m * self.gravity
            load[k, 3:] = -cross(place.w, place.turn @ (inertia @ (place.turn.T @ place.w)))
        for force in self.mechanism.forces:
            if hasattr(force, "between"):
                self._spring(force, state, load)
            elif force.start <= t < force.until:
                k = self.names.index(force.body)
                value = np.array([float(law.evaluate({"t": t})) for law in force.value])
                value = places[k].turn @ value if force.axes == "body" else value
                if hasattr(force, "at"):
                    lever = places[k].turn @ (np.array(force.at) - self.com[k])
                    load[k] += np.concatenate([value, cross(lever, value)])
                else:
                    load[k, 3:] += value
        return load.reshape(-1)

    def _point(self, state: Array, body: str, point: str) -> tuple[Array, Array, Array, int]:
        at = np.array(self.mechanism.body(body).points[point])
        if body not in self.names:
            return at, np.zeros(3), np.zeros(3), -1
        k = self.names.index(body)
        place = self.places(state)[k]
        lever = place.turn @ (at - self.com[k])
        return place.r + lever, place.v + cross(place.w, lever), lever, k

    def _spring(self, force: Any, state: Array, load: Array) -> None:
        (p, v, s, i), (q, u, t, j) = (self._point(state, *end) for end in force.between)
        length = float(np.linalg.norm(q - p))
        along = (q - p) / length
        pull = (force.stiffness * (length - force.length) + force.damping * float(along @ (u - v))) * along
        for k, lever, sign in ((i, s, 1.0), (j, t, -1.0)):
            if k >= 0:
                load[k] += sign * np.concatenate([pull, cross(lever, pull)])

    # -- motion ------------------------------------------------------------------------------------------------------

    def accelerations(self, t: float, state: Array) -> Array:
        """Return [dv/dt, dw/dt] of all bodies, (6 n,)."""
        places = self.places(state)
        _, jacobian, gamma = self.constraints(places)
        load, mass = self.loads(t, state, places), self._mass_matrix(places)
        if not len(gamma):
            return np.linalg.solve(mass, load)
        particular, free = _split(jacobian, gamma, self.rank)
        inner = np.linalg.solve(free.T @ mass @ free, free.T @ (load - mass @ particular))
        return particular + free @ inner

    def field(self, t: float, state: Array) -> Array:
        """Return d state / dt."""
        rows, out = state.reshape(-1, 13), np.zeros((len(self.names), 13))
        out[:, 7:] = self.accelerations(t, state).reshape(-1, 6)
        out[:, :3] = rows[:, 7:10]
        for row, rate in zip(rows, out, strict=True):
            w, v, turn = row[3], row[4:7], row[10:]
            rate[3], rate[4:7] = -0.5 * turn @ v, 0.5 * (w * turn + cross(turn, v))
        return out.reshape(-1)

    def project(self, state: Array) -> Array:
        """Return the state with unit quaternions, closed joints and velocities that keep them so."""
        rows = state.reshape(-1, 13).copy()
        for _ in range(10):
            rows[:, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
            residual, jacobian, _ = self.constraints(self.places(rows.reshape(-1)))
            if not residual.size or np.abs(residual).max() < 1e-15:
                break
            step = _split(jacobian, -residual, self.rank)[0].reshape(-1, 6)
            rows[:, :3] += step[:, :3]
            for row, turn in zip(rows, step[:, 3:], strict=True):
                w, v = row[3], row[4:7].copy()
                row[3], row[4:7] = w - 0.5 * turn @ v, v + 0.5 * (w * turn + cross(turn, v))
        if residual.size:
            twist = rows[:, 7:].reshape(-1)
            rows[:, 7:] = (twist - _split(jacobian, jacobian @ twist, self.rank)[0]).reshape(-1, 6)
        return rows.reshape(-1)

    def _mass_matrix(self, places: list[Place]) -> Array:
        mass = np.zeros((6 * len(places), 6 * len(places)))
        for k, (place, m, inertia) in enumerate(zip(places, self.mass, self.inertia, strict=True)):
            mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = m * np.eye(3)
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = place.turn @ inertia @ place.turn.T
        return mass


def _fill(row: Array, body: int, v: Array, w: Array) -> None:
    if body >= 0:
        row[6 * body : 6 * body + 3] += v
        row[6 * body + 3 : 6 * body + 6] += w


def _split(jacobian: Array, right: Array, rank: int) -> tuple[Array, Array]:
    """Return the shortest solution of J x = right for a Jacobian of known rank, and a basis of its null space."""
    u, s, vt = np.linalg.svd(jacobian)
    return vt[:rank].T @ ((u[:, :rank].T @ right) / s[:rank]), vt[rank:].T
