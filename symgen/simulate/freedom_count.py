"""How many velocity freedoms a mechanism has where it is regular: the rank of its constraints, measured."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array, move
from symgen.model.mechanism import Mechanism
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.scale import scaled_motion
from symgen.simulate.second_order import RANK, is_singular_to_second_order, null_space

if TYPE_CHECKING:
    from symgen.simulate.initial import InitialState

#: How far from the start the rank is measured [sizes or rad], beside one step along the velocity.
_PROBES = (0.02, 0.05)
_ROUNDS, _CLOSED = 20, 1e-12


def count_freedoms(mechanism: Mechanism, rows: JointRows, start: InitialState, step: float, time: float = 0.0) -> int:
    """Return the velocity freedoms of a regular position, drives held.

    The rank of the constraints is that of the initial position, or the higher one a little way on, along the initial
    velocity or along the free directions, if the mechanism starts in a singular position.

    Parameters
    ----------
    step : time step [s]: how far the velocity is followed.

    Raises
    ------
    MechanismError
        The mechanism is at rest in a singular position: which way it goes is open.
    """
    pairs = rows.joint_elements()
    elements = pairs + _driven(mechanism, rows, time)
    unknowns = 6 * len(mechanism.bodies)
    if not elements:
        return unknowns
    here = rank_of(rows.linearise(elements, start.poses).jacobian)
    ways = [step * scaled_motion(start.twists, rows.size).reshape(-1)] if np.any(start.twists) else []
    rank = max([here, *ranks_nearby(rows, pairs, elements, start.poses, ways)])
    if here < rank and not ways:
        raise MechanismError(
            f"the mechanism starts at rest in a singular position, in which {unknowns - here} velocities are free "
            f"instead of {unknowns - rank}: several branches meet there and which one it takes is open; give an "
            "initial velocity (initial.joints.<joint>.<freedom>.rate) or another position",
            file=mechanism.file,
            field="initial",
        )
    return unknowns - rank


def is_singular_at(mechanism: Mechanism, rows: JointRows, poses: Array) -> bool:
    """Tell whether closed poses are singular, drives held: by second derivatives, and by positions a little away.

    Redundant constraints lower the rank everywhere: they are not singular.
    """
    pairs, elements = _held(mechanism, rows, poses)
    return bool(pairs) and (
        is_singular_to_second_order(rows, pairs, elements, poses) or holds_less_than_nearby(mechanism, rows, poses)
    )


def holds_less_than_nearby(mechanism: Mechanism, rows: JointRows, poses: Array) -> bool:
    """Tell whether the constraints, drives held, have a lower rank at closed poses than a little away."""
    pairs, elements = _held(mechanism, rows, poses)
    if not elements:
        return False
    here = rank_of(rows.linearise(elements, poses).jacobian)
    return here < max(ranks_nearby(rows, pairs, elements, poses, []), default=here)


def _held(mechanism: Mechanism, rows: JointRows, poses: Array) -> tuple[list[RowElement], list[RowElement]]:
    """Return the elements of joints, and these with drives held where they are."""
    pairs = rows.joint_elements()
    return pairs, pairs + [
        rows.freedom_element(joint, freedom, rows.coordinate(joint, freedom, poses))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]


def ranks_nearby(
    rows: JointRows, pairs: Sequence[RowElement], elements: Sequence[RowElement], poses: Array, ways: Sequence[Array]
) -> list[int]:
    """Return the ranks of elements at positions that are closed, a little away: along given ways, and along others.

    Parameters
    ----------
    pairs : what is kept closed; drives are not, as one may hold a singular position.
    ways : displacements (6 n,), lengths in sizes.
    """
    free = null_space(rows.linearise(pairs, poses).jacobian) if pairs else np.eye(6 * len(poses))
    generator = random.Random(7)  # noqa: S311 - any directions do; the same in every run
    others = []
    for size in _PROBES if free.shape[1] else ():
        way = free @ np.array([generator.gauss(0.0, 1.0) for _ in range(free.shape[1])])
        others.append(size * way / np.linalg.norm(way))
    found = [projected(rows, pairs, poses, way) for way in (*ways, *others)]
    return [rank_of(rows.linearise(elements, moved).jacobian) for moved in found if moved is not None]


def _driven(mechanism: Mechanism, rows: JointRows, time: float) -> list[RowElement]:
    return [
        rows.freedom_element(joint, freedom, float(mechanism.drives[(joint.id, freedom)].evaluate(time)[0]))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]


def rank_of(jacobian: Array) -> int:
    """Return the rank of rows (m, 6 n)."""
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(sizes > RANK * sizes[0])) if sizes.size else 0


def projected(rows: JointRows, elements: Sequence[RowElement], poses: Array, way: Array) -> Array | None:
    """Return poses moved along a way (6 n,) and back onto the constraints; None where that does not converge."""
    moved = moved_by(poses, way, rows.size)
    if not elements:
        return moved
    for _ in range(_ROUNDS):
        found = rows.linearise(elements, moved)
        change = -np.linalg.lstsq(found.jacobian, found.residual, rcond=1e-8)[0]
        moved = moved_by(moved, change, rows.size)
        if float(np.abs(change).max(initial=0.0)) < _CLOSED:
            return moved
    return None


def moved_by(poses: Array, steps: Array, size: float) -> Array:
    """Return poses (n, 7) [m] moved by steps (6 n,), lengths in sizes."""
    found: Array = move(poses[None], scaled_motion(steps.reshape(1, -1, 6), 1.0 / size))[0]
    return found
