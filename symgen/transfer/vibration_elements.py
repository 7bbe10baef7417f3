"""The generated NumPy routines of vibrating elements."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from symgen.library.newton.numpy_engine import load_routines
from symgen.library.rotations import Array

_LOWER = np.tril_indices(6)


@cache
def routine(name: str) -> Callable[..., Any]:
    """Return a generated routine of ``generated/transfer/`` by name; it returns results and status."""
    found: Callable[..., Any] = getattr(load_routines("transfer", "transfer.py"), name)
    return found


def body_stiffness(mass: float, inertia_world: Array, arm: Array, squares: Array) -> Array:
    """Return the dynamic stiffness (n, 6, 6) of a rigid body at its output, rows [q m]; `arm` from com to output."""
    lower, _ = routine("vibration_body_stiffness")(mass, inertia_world, arm, squares)
    full = np.zeros((len(squares), 6, 6))
    full[:, _LOWER[0], _LOWER[1]] = lower
    full[:, _LOWER[1], _LOWER[0]] = lower
    return full


def rest_stiffness(lever: Array, force: Array) -> Array:
    """Return what a force at rest stiffens, (6, 6): turns only; `lever` from the point moments are about."""
    (xx, yy, zz, xy, xz, yz), _ = routine("vibration_rest_force")(lever, force)
    full = np.zeros((6, 6))
    full[3:, 3:] = -np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return full


def hinge_rest(along: Array, about: Array, moment: Array, force: Array) -> tuple[Array, Array]:
    """Return H and g (6,) of a hinge of one freedom under a wrench at rest."""
    column, rest, _ = routine("vibration_hinge_rest")(along, about, moment, force)
    return column, rest


def shift(lever: Array) -> Array:
    """Return A (6, 6): [x theta] of a point from that of another, `lever` from that other one to it."""
    x, y, z = lever
    found = np.eye(6)
    found[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return found


def six(matrix: Array) -> Array:
    """Return xx yy zz xy xz yz of a symmetric matrix (3, 3)."""
    return np.array([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
