"""The oracle over time: its accelerations integrated by extrapolation, joints closed after every step."""

from __future__ import annotations

from typing import Any

import numpy as np
from simulate.references.extrapolation import integrate
from transfer.oracle_multibody import Multibody, State, rotation
from transfer.oracle_series import Array


class Motion:
    """States of a mechanism as rows of r, q, v, omega of the centres of mass (13 numbers a body)."""

    def __init__(self, mechanism: Any) -> None:
        self.bodies = Multibody(mechanism)
        self.mechanism = mechanism

    def start(self) -> Array:
        """Return the state of the file."""
        now = self.bodies.state()
        q = np.array([body.pose.q for body in self.mechanism.bodies])
        return np.hstack([now.r, q, now.v, now.omega]).reshape(-1)

    def state(self, row: Array) -> State:
        """Return a row as a state."""
        rows = row.reshape(-1, 13)
        turn = np.array([rotation(q) for q in rows[:, 3:7]])
        return State(rows[:, :3], turn, rows[:, 7:10], rows[:, 10:])

    def field(self, t: float, row: Array) -> Array:
        """Return the rate of a row."""
        rows, out = row.reshape(-1, 13), np.zeros((len(self.bodies.names), 13))
        out[:, :3] = rows[:, 7:10]
        out[:, 3:7] = _turned(rows[:, 3:7], rows[:, 10:])
        out[:, 7:] = self.bodies.solve(self.state(row), t).com
        return out.reshape(-1)

    def project(self, row: Array) -> Array:
        """Return the row with unit quaternions, closed joints and velocities that keep them so (no laws)."""
        rows = row.reshape(-1, 13).copy()
        for _ in range(5):
            rows[:, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
            residual, jacobian, *_ = self.bodies.constraints(self.state(rows.reshape(-1)))
            if np.abs(residual).max(initial=0.0) < 2e-15:
                break
            step = self.bodies.least_norm(jacobian, -residual).reshape(-1, 6)
            rows[:, :3] += step[:, :3]
            rows[:, 3:7] += _turned(rows[:, 3:7], step[:, 3:])
        now = self.state(rows.reshape(-1))
        now = self.bodies.velocities(now, np.hstack([now.v, now.omega]))
        rows[:, 7:10], rows[:, 10:] = now.v, now.omega
        return rows.reshape(-1)

    def over(self, times: Any, tolerance: float = 1e-12) -> Array:
        """Return the states (t, n, 13) from the file's state at the first time."""
        found = integrate(self.field, self.start(), times, tolerance, self.project)
        return found.reshape(len(found), -1, 13)

    def energy(self, row: Array) -> float:
        """Return kinetic energy and that of gravity [J]; without springs."""
        now, bodies = self.state(row), self.bodies
        spin = np.einsum("nji,nj->ni", now.turn, now.omega)
        kinetic = 0.5 * np.sum(bodies.mass * np.sum(now.v**2, axis=1)) + 0.5 * np.einsum(
            "ni,nij,nj", spin, bodies.inertia, spin
        )
        return float(kinetic - np.sum(bodies.mass[:, None] * bodies.gravity * now.r))


def _turned(q: Array, omega: Array) -> Array:
    """Return dq/dt = (0, omega) q / 2."""
    w, v = q[:, :1], q[:, 1:]
    scalar = -np.sum(omega * v, axis=1, keepdims=True)
    return 0.5 * np.hstack([scalar, w * omega + np.cross(omega, v)])
