"""The generated NumPy routines of vibrating elements."""

from __future__ import annotations

import numpy as np

from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.transfer.elements import inertia_entries, symmetric


def body_stiffness(mass: float, inertia: Array, arm: Array, square: float) -> Array:
    """Return the dynamic stiffness (6, 6) of a rigid body at its output, rows [q m]; `arm` from com to output."""
    (lower,) = call("vibration_body_stiffness", mass, inertia_entries(inertia), arm, square)
    return symmetric(lower)


def rest_stiffness(lever: Array, force: Array) -> Array:
    """Return what a force at rest stiffens, (6, 6): turns only; `lever` from the point moments are about."""
    ((xx, yy, zz, xy, xz, yz),) = call("vibration_rest_force", lever, force)
    full = np.zeros((6, 6))
    full[3:, 3:] = -np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return full


def hinge_rest(along: Array, about: Array, moment: Array, force: Array) -> tuple[Array, Array]:
    """Return H and g (6,) of a hinge of one freedom under a wrench at rest."""
    column, rest = call("vibration_hinge_rest", along, about, moment, force)
    return column, rest
