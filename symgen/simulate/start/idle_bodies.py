"""Bodies that can move without moving any mass: no forces, finite as they are, determine how."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.model.parts import Body
from symgen.poses import Array, matrix
from symgen.simulate.start.freedom_count import moved_by, projected
from symgen.simulate.start.initial import InitialState
from symgen.simulate.start.second_order import inside
from symgen.simulate.tables.inertias import inertia_matrix
from symgen.simulate.tables.joint_rows import JointRows, RowElement

#: Masses and moments of inertia below this part of the largest are none.
_LIGHT = 1e-13
#: Singular values below this (of rows in sizes, and of roots of mass) are none.
_NONE = 1e-8
#: Bodies lacking mass beyond which the engine is left to find out.
_MOST = 150
_NAMED = 5
#: How far an idle motion is tried [sizes or rad], and what part of that way the joints may lead aside.
_WAY, _ASIDE = 1e-3, 0.05


def check_masses(mechanism: Mechanism, rows: JointRows, start: InitialState) -> None:
    """Refuse a mechanism in which bodies can move without moving any mass.

    With N a basis of what joints and drives leave free, N^T M N must be regular. A motion t without energy has M t = 0:
    bodies with mass and inertia are at rest in it, so only the others and their joints are looked at.

    Raises
    ------
    MechanismError
        Names the bodies that can move so.
    """
    roots = [_root_of_mass(body, rows.size) for body in mechanism.bodies]
    largest = max((float(np.abs(root).max()) for root in roots), default=0.0) or 1.0
    light = [k for k, root in enumerate(roots) if _smallest(root) <= np.sqrt(_LIGHT) * largest]
    if not light or len(light) > _MOST:
        return
    names = {mechanism.bodies[k].id for k in light}
    held = rows.joint_elements() + [
        rows.freedom_element(joint, freedom, float(mechanism.drives[(joint.id, freedom)].evaluate(0.0)[0]))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    touching = [element for element in held if names & set(element.joint.bodies)]
    columns = np.concatenate([np.arange(6 * k, 6 * k + 6) for k in light])
    jacobian = rows.linearise(touching, start.poses).jacobian[:, columns]
    weights = np.zeros((len(columns), len(columns)))
    for index, k in enumerate(light):
        axes = matrix(start.poses[k, 3:]).T
        part = slice(6 * index, 6 * index + 6)
        weights[part, part] = roots[k] @ np.kron(np.eye(2), axes) / largest
    _, sizes, right = np.linalg.svd(np.vstack([jacobian, weights]), full_matrices=True)
    idle = right[int(np.sum(sizes > _NONE)) :]
    if not len(idle) or _only_at_first(rows, held, start, columns, idle):
        return
    amounts = np.sqrt((idle.reshape(len(idle), -1, 6) ** 2).sum(axis=(0, 2)))
    moving = [mechanism.bodies[k].id for k, amount in zip(light, amounts, strict=True) if amount > 1e-6]
    _check_joined(mechanism, moving)
    more = f" and {len(moving) - _NAMED} more" if len(moving) > _NAMED else ""
    whose, them = ("its", "it") if len(moving) == 1 else ("their", "them")
    raise MechanismError(
        f"{', '.join(moving[:_NAMED])}{more} can move without moving any mass, so {whose} motion is not determined: "
        f"give {them} mass and inertia (about one axis only a small one is enough), or a joint that holds the idle "
        "motion",
        file=mechanism.file,
        field=f"bodies.{moving[0]}",
    )


def _check_joined(mechanism: Mechanism, bodies: list[str]) -> None:
    """Refuse bodies that no joints lead to the ground from: nothing holds them, in the plane not even to the plane."""
    reached = {mechanism.ground}
    joints = [set(joint.bodies) for joint in mechanism.joints]
    while grown := [each for each in joints if each & reached and each - reached]:
        reached = reached.union(*grown)
    apart = [name for name in bodies if name not in reached]
    if not apart:
        return
    code = "FP" if mechanism.space == "planar" else "F"
    raise MechanismError(
        f"no joint leads from {list_names(apart)} to the ground, so nothing holds their motions that move no mass; if "
        f"a body should be free, give it a joint of type {code} to {mechanism.ground!r}",
        file=mechanism.file,
        field=f"bodies.{apart[0]}",
    )


def _only_at_first(
    rows: JointRows, held: list[RowElement], start: InitialState, columns: NDArray[Any], idle: Array
) -> bool:
    """Tell whether idle motions end where they begin: those of a singular position, which joints do not allow."""
    if len(start.poses) > _MOST:
        return False
    way = np.zeros(6 * len(start.poses))
    way[columns] = inside(idle.T, np.random.default_rng(7).standard_normal(len(columns)))  # the same in every run
    way *= _WAY / np.linalg.norm(way)
    moved = projected(rows, held, start.poses, way)
    if moved is None:
        return True
    gap = moved - moved_by(start.poses, way, rows.size)
    gap[:, :3] /= rows.size
    return float(np.linalg.norm(gap)) > _ASIDE * _WAY


def _root_of_mass(body: Body, size: float) -> Array:
    """Return W (6, 6) with 2 T = |W t|^2 for twists in sizes, axes of the body."""
    values, axes = np.linalg.eigh(inertia_matrix(body))
    values = np.where(values > _LIGHT * float(np.abs(values).max(initial=0.0)), values, 0.0)
    found = np.zeros((6, 6))
    found[:3, :3] = np.sqrt(max(body.mass or 0.0, 0.0)) * np.eye(3)
    found[3:, 3:] = np.sqrt(values)[:, None] * axes.T / size
    return found


def _smallest(root: Array) -> float:
    return float(np.linalg.svd(root, compute_uv=False).min())
