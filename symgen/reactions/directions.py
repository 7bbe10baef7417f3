"""The directions in which people ask for a joint's reaction: forces and moments along its axes or the world's.

u is the first axis of the joint, n1 = u x e normalised with e the axis of the world that u is farthest from (the first
of equals), n2 = u x n1. In the plane n is the normal of a slide, z x u.
"""

from __future__ import annotations

import numpy as np

from symgen.model.parts import Joint
from symgen.poses import Array

#: Pair type -> components of its reaction in space.
_SPATIAL: dict[str, tuple[str, ...]] = {
    "R": ("Fu", "Fn1", "Fn2", "Mn1", "Mn2"),
    "H": ("Fu", "Fn1", "Fn2", "Mn1", "Mn2"),
    "P": ("Fn1", "Fn2", "Mu", "Mn1", "Mn2"),
    "C": ("Fn1", "Fn2", "Mn1", "Mn2"),
    "U": ("Fx", "Fy", "Fz", "Muv"),
    "ER": ("Fx", "Fy", "Fz", "Muv"),
    "S": ("Fx", "Fy", "Fz"),
    "PL": ("Fu", "Mn1", "Mn2"),
    "FP": ("Fu", "Mn1", "Mn2"),
    "L": ("Fu", "Fn", "Mn1", "Mn2"),
    "W": ("Fx", "Fy", "Fz", "Mx", "My", "Mz"),
    "F": (),
}
_PLANAR: dict[str, tuple[str, ...]] = {
    "R": ("Fx", "Fy"),
    "P": ("Fn", "Mz"),
    "L": ("Fn",),
    "W": ("Fx", "Fy", "Mz"),
    "FP": (),
}
WRENCH = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
PLANAR_WRENCH = ("Fx", "Fy", "Mz")
#: Parts of the axis of smallest magnitude that differ by less are equal.
_TIED = 1e-9


def named_directions(joint: Joint, first: Array, second: Array, *, planar: bool) -> dict[str, Array]:
    """Return component -> unit wrench (6,) [F, M] along it, world axes, about the joint centre.

    Parameters
    ----------
    first, second : (3, 3) axes of the joint's frames as columns, world.
    """
    names = (_PLANAR if planar else _SPATIAL)[joint.type]
    axes = _axes(joint, first, second, planar=planar)
    return {name: _wrench(name, axes[name[1:]]) for name in names}


def farthest_axis(u: Array) -> int:
    """Return which axis of the world a unit vector is farthest from, the first of equals."""
    return int(np.argmin(np.round(np.abs(u) / _TIED)))


def _wrench(name: str, axis: Array) -> Array:
    found = np.zeros(6)
    found[0 if name[0] == "F" else 3 :][:3] = axis
    return found


def _axes(joint: Joint, first: Array, second: Array, *, planar: bool) -> dict[str, Array]:
    world = dict(zip("xyz", np.eye(3), strict=True))
    u = first[:, 2]
    if planar:
        slide = first[:, 0] if joint.type == "L" else u
        return {**world, "n": np.cross(world["z"], slide)}
    n1 = np.cross(u, np.eye(3)[farthest_axis(u)])
    n1 /= np.linalg.norm(n1)
    uv = np.cross(u, second[:, 0])
    length = float(np.linalg.norm(uv))
    return {**world, "u": u, "n1": n1, "n2": np.cross(u, n1), "n": first[:, 1], "uv": uv / length if length else uv}
