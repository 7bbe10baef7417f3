"""Inertias of bodies as matrices, and those that no body has: one principal moment above the sum of the others."""

from __future__ import annotations

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Body
from symgen.poses import Array

_ROUNDED = 1e-6


def inertia_matrix(body: Body) -> Array:
    """Return the inertia (3, 3) [kg m^2] about the centre of mass, body axes; zero if the body has none."""
    xx, yy, zz, xy, xz, yz = body.inertia or (0.0,) * 6
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def unlikely_inertias(mechanism: Mechanism) -> tuple[str, ...]:
    """Return a warning for each body of a spatial mechanism whose inertia breaks the triangle inequality.

    The reader refuses negative moments. Planar mechanisms feel one moment only; others are often left zero there.
    """
    found = []
    for body in mechanism.bodies if mechanism.space == "spatial" else ():
        moments = np.linalg.eigvalsh(inertia_matrix(body))
        if moments[2] > (1 + _ROUNDED) * (moments[0] + moments[1]):
            words = ", ".join(f"{moment:.3g}" for moment in moments)
            found.append(
                f"bodies.{body.id}.inertia: principal moments {words} kg m^2 are impossible for a body: the largest "
                "exceeds the sum of the others"
            )
    return tuple(found)
