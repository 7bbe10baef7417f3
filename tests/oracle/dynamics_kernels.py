"""Kernels of the dynamics called by name with 50 digits, and random arguments for them."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import Any

import mpmath
from mpmath import mpf
from oracle.kinematics import matrix_pose, pose_matrix, rotation_exp

from symgen.derive.dynamics.kernels import dynamics_kernels
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.status import Status


@cache
def kernel_routines() -> dict[str, Routine]:
    """Return every kernel, lowered as the engines take it."""
    return {
        kernel.name: run_passes(replace(lower(kernel.derivation, "position"), name=kernel.name))
        for kernel in dynamics_kernels()
    }


def call(kernel: str, **values: Any) -> dict[str, list[Any]]:
    """Run a kernel; scalars come as lists of one."""
    status, results = evaluate(kernel_routines()[kernel], values, digits=50)
    assert status is Status.OK
    return results


class Draw:
    """Random arguments of order one, with 50 digits."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def number(self) -> Any:
        return mpf(self._rng.uniform(-1, 1))

    def vector(self, size: int = 3) -> list[Any]:
        return [self.number() for _ in range(size)]

    def quaternion(self) -> list[Any]:
        return self.pose()[3:]

    def pose(self) -> list[Any]:
        return [*self.vector(), *matrix_pose(rotation_exp([2 * x for x in self.vector()]), "spatial")[3:]]

    def inertia(self) -> tuple[list[Any], Any]:
        """Return xx yy zz xy xz yz and the matrix, of three point masses."""
        m = mpmath.zeros(3)
        for _ in range(3):
            x = mpmath.matrix(self.vector())
            m += (x.T * x)[0] * mpmath.eye(3) - x * x.T
        return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]], m


def rotation(q: Any) -> Any:
    """Return the 3 x 3 matrix of a quaternion."""
    return pose_matrix([0, 0, 0, *q], "spatial")[:3, :3]


def quaternion(matrix: Any) -> list[Any]:
    """Return the quaternion of a 3 x 3 or 4 x 4 rotation."""
    full = mpmath.eye(4)
    full[:3, :3] = matrix[:3, :3]
    return matrix_pose(full, "spatial")[3:]


def cross(a: Any, b: Any) -> Any:
    """Return a x b as a column."""
    x, y = list(a), list(b)
    return mpmath.matrix([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])


def gap(a: Any, b: Any) -> Any:
    """Return the largest difference of two arrays."""
    return max(abs(x - y) for x, y in zip(list(a), list(b), strict=True))


def same_rotation(p: Any, q: Any) -> Any:
    """Return how far two quaternions are from the same rotation."""
    return min(gap(p, q), gap(p, [-x for x in q]))
