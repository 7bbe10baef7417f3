"""How many velocity freedoms a mechanism has where it is regular: the rank of its constraints, measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgen.library.newton.numpy_engine import move
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.simulate.initial import InitialState
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.scale import scaled_motion

#: Singular values below this part of the largest count as zero: redundant rows are only so on the manifold.
_RANK = 1e-6
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
    """
    elements = rows.joint_elements() + _driven(mechanism, rows, time)
    unknowns = 6 * len(mechanism.bodies)
    if not elements:
        return unknowns
    here = rows.linearise(elements, start.poses).jacobian
    ranks = [_rank(here)]
    for way in _ways(start, here, step, rows.size):
        moved = _projected(rows, elements, start.poses, way)
        if moved is not None:
            ranks.append(_rank(rows.linearise(elements, moved).jacobian))
    return unknowns - max(ranks)


def _driven(mechanism: Mechanism, rows: JointRows, time: float) -> list[RowElement]:
    return [
        rows.freedom_element(joint, freedom, float(mechanism.drives[(joint.id, freedom)].evaluate(time)[0]))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]


def _ways(start: InitialState, jacobian: Array, step: float, size: float) -> list[Array]:
    """Return small displacements of all bodies, (6 n,) each, lengths in sizes: along the velocity, and along free directions."""
    ways = [step * scaled_motion(start.twists, size).reshape(-1)] if np.any(start.twists) else []
    free = _null_space(jacobian)
    generator = np.random.default_rng(7)  # any directions do; the same in every run
    for size in _PROBES if free.shape[1] else ():
        way = free @ generator.standard_normal(free.shape[1])
        ways.append(size * way / np.linalg.norm(way))
    return ways


def _rank(jacobian: Array) -> int:
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    return int(np.sum(sizes > _RANK * sizes[0])) if sizes.size else 0


def _null_space(jacobian: Array) -> Array:
    _, sizes, vt = np.linalg.svd(jacobian)
    free: Array = vt[int(np.sum(sizes > _RANK * sizes[0])) :].T
    return free


def _projected(rows: JointRows, elements: Sequence[RowElement], poses: Array, way: Array) -> Array | None:
    """Move along a way and back onto the constraints; None where that does not converge."""
    moved = moved_by(poses, way, rows.size)
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
