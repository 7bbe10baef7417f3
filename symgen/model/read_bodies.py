"""Bodies of the file: poses, points, mass properties."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from symgen.errors import MechanismError
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import Body, Inertia, Pose
from symgen.model.quaternions import IDENTITY, ORIGIN, Quaternion, normalised
from symgen.model.read_beam import read_beam
from symgen.model.shapes import below

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of a quaternion may be; nearer ones are normalised (hand-typed digits)."""

PLANE_TOLERANCE = 1e-9
"""How far out of the x-y plane a unit vector of a planar mechanism may point."""


def read_body(body: str, table: Mapping[str, Any], numbers: Numbers) -> Body:
    """Return a moving body."""
    path = below("bodies", body)
    mass = numbers.number(table["mass"], f"{path}.mass") if "mass" in table else None
    if mass is not None and mass < 0.0:
        raise refuse(f"{path}.mass", f"must not be negative, found {mass:g}")
    return Body(
        id=body,
        pose=_read_pose(table["pose"], f"{path}.pose", numbers) if "pose" in table else Pose(ORIGIN, IDENTITY),
        pose_given="pose" in table,
        points=_read_points(table, path, numbers),
        mass=mass,
        com=numbers.place(table["com"], f"{path}.com") if "com" in table else None,
        inertia=_read_inertia(table["inertia"], f"{path}.inertia", numbers) if "inertia" in table else None,
        beam=read_beam(table, path, numbers) if "beam" in table else None,
    )


def read_ground(ground: str, table: Mapping[str, Any], numbers: Numbers) -> Body:
    """Return the fixed body; it is the world, so it may have points and nothing else."""
    path = below("bodies", ground)
    for key in table:
        if key != "points":
            raise refuse(f"{path}.{key}", f'"{ground}" is the ground and does not move; it may only have points')
    return Body(ground, Pose(ORIGIN, IDENTITY), False, _read_points(table, path, numbers))


def _read_points(table: Mapping[str, Any], path: str, numbers: Numbers) -> dict[str, tuple[float, float, float]]:
    points: Mapping[str, Any] = table.get("points", {})
    return {name: numbers.place(entry, f"{path}.points.{name}") for name, entry in points.items()}


def _read_pose(table: Mapping[str, Any], path: str, numbers: Numbers) -> Pose:
    r = numbers.place(table["r"], f"{path}.r") if "r" in table else ORIGIN
    q = IDENTITY
    if "angle" in table:
        if numbers.space == "spatial":
            raise refuse(f"{path}.angle", "only planar mechanisms have a pose angle; give q = [q0, q1, q2, q3]")
        if "q" in table:
            raise refuse(f"{path}.angle", "angle and q are alternatives; give only one of them")
        angle = numbers.number(table["angle"], f"{path}.angle")
        q = (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))
    elif "q" in table:
        q = read_quaternion(table["q"], f"{path}.q", numbers)
    if numbers.space == "planar":
        if r[2] != 0.0:
            raise refuse(f"{path}.r", f"must lie in the x-y plane of a planar mechanism, found z = {r[2]:g}")
        if max(abs(q[1]), abs(q[2])) > PLANE_TOLERANCE:
            raise refuse(f"{path}.q", "must be a rotation about z in a planar mechanism: q1 = q2 = 0, or give angle")
        q = normalised((q[0], 0.0, 0.0, q[3]))
    return Pose(r, q)


def read_quaternion(values: Sequence[Any], path: str, numbers: Numbers) -> Quaternion:
    """Return a quaternion of unit length; one whose length is off by more than 1e-6 is refused."""
    q0, q1, q2, q3 = numbers.numbers(values, path)
    size = math.hypot(q0, q1, q2, q3)
    if not abs(size - 1.0) <= UNIT_TOLERANCE:
        order = "; scalar first: [q0, q1, q2, q3], no rotation is [1, 0, 0, 0]"
        raise refuse(path, f"must be a quaternion of unit length, found length {size:.9g}{order}")
    return normalised((q0, q1, q2, q3))


def _read_inertia(values: Any, path: str, numbers: Numbers) -> Inertia:
    if not isinstance(values, (list, tuple)):
        if numbers.space == "spatial":
            raise refuse(path, "must be a list of 6 numbers; only bodies of planar mechanisms may give Izz alone")
        moment = numbers.number(values, path)
        if moment < 0.0:
            raise refuse(path, f"must not be negative, found {moment:g}")
        return (0.5 * moment, 0.5 * moment, moment, 0.0, 0.0, 0.0)  # as of a thin disc: in the plane only Izz counts
    xx, yy, zz, xy, xz, yz = numbers.numbers(values, path)
    scale = max(abs(xx), abs(yy), abs(zz), abs(xy), abs(xz), abs(yz))
    if scale > 0.0:
        a, b, c, d, e, f = (entry / scale for entry in (xx, yy, zz, xy, xz, yz))
        minors = (a, b, c, a * b - d * d, a * c - e * e, b * c - f * f)
        determinant = a * b * c + 2.0 * d * e * f - a * f * f - b * e * e - c * d * d
        if min(*minors, determinant) < -1e-9:  # the rounding of typed digits; a thin rod has exactly 0
            raise _no_inertia((xx, yy, zz, xy, xz, yz), path)
    return (xx, yy, zz, xy, xz, yz)


def _no_inertia(entries: Inertia, path: str) -> MechanismError:
    """Return the refusal of a matrix that has a negative principal moment."""
    import numpy as np

    xx, yy, zz, xy, xz, yz = entries
    least = float(np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))[0])
    return refuse(
        path,
        f"no body has this inertia: the matrix has a negative principal moment, {least:.3g} kg m^2, and none may be "
        "below 0; check the order Ixx Iyy Izz Ixy Ixz Iyz, the signs (the last three are entries of the matrix) and "
        "the unit",
    )
