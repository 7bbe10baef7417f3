"""How many velocity freedoms a mechanism has where it is regular: the rank of its constraints, measured."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array, move
from symgen.simulate.start.second_order import RANK, inside, is_singular_to_second_order, null_space
from symgen.simulate.tables.joint_rows import JointRows, RowElement
from symgen.simulate.tables.scale import scaled_motion

if TYPE_CHECKING:
    from symgen.simulate.start.initial import InitialState

#: How far from the start the rank is measured [sizes or rad], beside one step along the velocity: at the first two
#: positions of these that close.
_PROBES = (0.02, 0.05, 0.03, 0.04, 0.02, 0.05)
_WANTED, _SEED = 2, 7
#: A position no further from the start than this part of the step came back to it: where the start is regular it ends
#: about as far away as the step led, for what brings it back grows with the square of a step of 0.05 at most.
_BACK = 0.1
#: Newton's steps: where positions are singular each only halves what is left, down to where `_UNSEEN` ends it.
_ROUNDS, _CLOSED, _UNSEEN = 40, 1e-12, 1e-8
#: Residual that is rounding, in units of epsilon times the largest coordinate: some ten operations are behind it.
_NOISE = 32.0


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
    jacobian = rows.linearise(elements, start.poses).jacobian
    here = rank_of(jacobian)
    if here == len(jacobian):
        return unknowns - here  # no row depends on others: there is no higher rank
    ways = [step * scaled_motion(start.twists, rows.size).reshape(-1)] if np.any(start.twists) else []
    near = list(_nearby(rows, pairs, start.poses))
    rank = max([here, *_ranks(rows, elements, [*_along(rows, pairs, start.poses, ways), *(each for each, _ in near)])])
    # at rest only: it has no branch yet, and branches meet also where a higher rank is not the one that was met
    if not ways and (here < rank or _are_singular(mechanism, rows, [each for each, back in near if not back])):
        instead = f" instead of {unknowns - rank}" if here < rank else ""
        raise MechanismError(
            f"the mechanism starts at rest in a singular position, in which {unknowns - here} velocities are "
            f"free{instead}: several branches meet there, and nothing determines which one the motion takes; give an "
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
        is_singular_to_second_order(rows, pairs, elements, poses)
        or is_singular_by_positions_nearby(mechanism, rows, poses)
    )


def is_singular_by_positions_nearby(mechanism: Mechanism, rows: JointRows, poses: Array) -> bool:
    """Tell whether closed positions a little away show that closed poses are singular, drives held.

    Where a position is regular, those around it have its rank and are regular too, and fill all directions that its
    constraints leave free. So it is singular if one of them has a higher rank, or is singular to second order (singular
    positions that come as near as one likes), or if a step along free directions only closes where it began. Which of
    these is seen where branches meet depends on the branch that the step is brought back to, but one of them is.
    """
    pairs, elements = _held(mechanism, rows, poses)
    if not elements:
        return False
    jacobian = rows.linearise(elements, poses).jacobian
    here = rank_of(jacobian)
    if here == len(jacobian):
        return False  # no row depends on others
    for moved, came_back in _nearby(rows, pairs, poses):
        if came_back:
            return True
        held = _held(mechanism, rows, moved)[1]  # drives follow: a row off its value is bent by what it is off
        found = rows.linearise(held, moved)
        if here < rank_of(found.jacobian) or is_singular_to_second_order(rows, pairs, held, moved, found):
            return True
    return False


def _are_singular(mechanism: Mechanism, rows: JointRows, positions: Sequence[Array]) -> bool:
    """Tell whether one of some closed positions is singular to second order."""
    return any(is_singular_to_second_order(rows, *_held(mechanism, rows, each), each) for each in positions)


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
    near = [moved for moved, _ in _nearby(rows, pairs, poses)]
    return _ranks(rows, elements, [*_along(rows, pairs, poses, ways), *near])


def _along(rows: JointRows, pairs: Sequence[RowElement], poses: Array, ways: Sequence[Array]) -> list[Array]:
    """Return the positions along ways that close."""
    found = [projected(rows, pairs, poses, way) for way in ways]
    return [moved for moved in found if moved is not None]


def _ranks(rows: JointRows, elements: Sequence[RowElement], positions: Sequence[Array]) -> list[int]:
    return [rank_of(rows.linearise(elements, each).jacobian) for each in positions]


def _nearby(rows: JointRows, pairs: Sequence[RowElement], poses: Array) -> Iterator[tuple[Array, bool]]:
    """Yield closed poses a little away along free directions, and whether they came back to where they began."""
    yield from islice(_closed_nearby(rows, pairs, poses), _WANTED)


def _closed_nearby(rows: JointRows, pairs: Sequence[RowElement], poses: Array) -> Iterator[tuple[Array, bool]]:
    free = null_space(rows.linearise(pairs, poses).jacobian) if pairs else np.eye(6 * len(poses))
    generator = random.Random(_SEED)  # noqa: S311 - any directions do; the same in every run
    for size in _PROBES if free.shape[1] else ():
        way = inside(free, np.array([generator.gauss(0.0, 1.0) for _ in range(len(free))]))
        way *= size / np.linalg.norm(way)
        moved = projected(rows, pairs, poses, way)
        if moved is not None:
            yield moved, _apart(moved, poses, rows.size) <= _BACK * size


def _apart(one: Array, other: Array, size: float) -> float:
    """Return how far poses (n, 7) are apart, lengths in sizes."""
    places = (one[:, :3] - other[:, :3]) / size
    signs = np.where(np.sum(one[:, 3:] * other[:, 3:], axis=1) < 0.0, -1.0, 1.0)
    turns = 2.0 * (one[:, 3:] - signs[:, None] * other[:, 3:])
    return float(np.hypot(np.linalg.norm(places), np.linalg.norm(turns)))


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
    before = np.inf
    for _ in range(_ROUNDS):
        found = rows.linearise(elements, moved)
        left = float(np.abs(found.residual).max(initial=0.0))
        # Near singular positions steps are rounding over a small singular value, and never as short as `_CLOSED`.
        noise = _NOISE * np.finfo(np.float64).eps * (1.0 + float(np.abs(moved[:, :3]).max(initial=0.0)) / rows.size)
        if left <= noise and left >= 0.5 * before:
            return moved
        before = left
        change = -np.linalg.lstsq(found.jacobian, found.residual, rcond=_UNSEEN)[0]
        moved = moved_by(moved, change, rows.size)
        if float(np.abs(change).max(initial=0.0)) < _CLOSED:
            return moved
    return None


def moved_by(poses: Array, steps: Array, size: float) -> Array:
    """Return poses (n, 7) [m] moved by steps (6 n,), lengths in sizes."""
    found: Array = move(poses[None], scaled_motion(steps.reshape(1, -1, 6), 1.0 / size))[0]
    return found
