"""Small motions about rest from the oracle's accelerations: displaced a little, closed again, and asked once more.

With N a basis of the motions the joints allow, A = d(accelerations)/d(displacements) by central differences, and
accelerations N y'' = A N y: eigenvalues of N^+ A are -omega^2.
"""

from __future__ import annotations

import numpy as np
from transfer.oracle_multibody import Multibody, State
from transfer.oracle_series import Array

#: Displacements: their square is 1e-10, rounding over them 1e-11; Richardson takes the square away.
_STEP = 1e-4


def frequencies(mechanism: object) -> Array:
    """Return the squares of all angular frequencies [rad^2/s^2], ascending; free motions have zero."""
    bodies = Multibody(mechanism)
    rest = bodies.state()
    _, jacobian, *_ = bodies.constraints(rest)
    columns = bodies.kept()
    local = jacobian[:, columns]
    _, sizes, vt = np.linalg.svd(local)
    rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=1e-300)))
    free = np.zeros((6 * len(bodies.names), len(columns) - rank))
    free[columns] = vt[rank:].T

    if not free.shape[1]:
        return np.zeros(0)

    def slope(step: float) -> Array:
        found = []
        for column in free.T:
            ahead, back = (bodies.solve(_moved(bodies, rest, sign * step * column)).com for sign in (1.0, -1.0))
            found.append((ahead - back).reshape(-1) / (2 * step))
        return np.array(found).T

    matrix = free.T @ ((4 * slope(_STEP) - slope(2 * _STEP)) / 3)
    return np.sort(-np.linalg.eigvals(matrix).real)


def _moved(bodies: Multibody, rest: State, step: Array) -> State:
    """Return the state at rest after a displacement (6 n,), joints closed by shortest corrections."""
    now = _turned(rest, step)
    for _ in range(6):
        residual, jacobian, *_ = bodies.constraints(now)
        if np.abs(residual).max(initial=0.0) < 1e-15:
            break
        now = _turned(now, bodies.least_norm(jacobian, -residual))
    return now


def _turned(now: State, step: Array) -> State:
    parts = step.reshape(-1, 6)
    turns = np.array([_rotation(part) for part in parts[:, 3:]])
    return State(now.r + parts[:, :3], turns @ now.turn, now.v, now.omega)


def _rotation(vector: Array) -> Array:
    """Return Rodrigues' matrix of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)
