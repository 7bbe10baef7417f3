"""Columns: what couples places of the tree beside its joints.

They are unknown forces of cut joints and springs, and the freedoms of cut joints.

With a the displacements of the tree, mu the columns' unknowns, the mechanism is at a stationary value of
1/2 a K a + a B mu + 1/2 mu L mu. A spring of stiffness k is a force s with L = -1/k; a cut joint is a wrench, with
L = 0, that holds a_end - M a_start - H dq = 0, and the freedoms dq with their springs. Wrenches of redundant joints are
taken as far as they are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.simulate.tables.spanning_tree import GROUND
from symgen.transfer.elements import shifting
from symgen.vibrations.elements import hinge_rest, rest_stiffness
from symgen.vibrations.rest import Rest
from symgen.vibrations.system import CutJoint, LinearisedSpring, VibratingSystem


@dataclass(frozen=True)
class Place:
    """What columns do at a point of a body: `stiffness` (6, 6) and `columns` (6, c) on its displacements there."""

    body: int
    point: Array
    stiffness: Array
    columns: Array


@dataclass(frozen=True)
class Columns:
    """All columns.

    Parameters
    ----------
    places : where they act.
    stiffness : (c, c) L.
    wrenches : which of the columns are wrenches of cut joints, of which some may depend on the others.
    negative : how many negative eigenvalues L adds that are no eigenfrequencies, without those of the wrenches.
    """

    places: tuple[Place, ...]
    stiffness: Array
    wrenches: NDArray[np.bool_]
    negative: int

    @property
    def count(self) -> int:
        """How many columns there are."""
        return len(self.stiffness)


def make_columns(system: VibratingSystem, rest: Rest) -> Columns:
    """Return the columns of a system."""
    widths = [6 + len(cut.steps) for cut in system.cuts] + [
        len(tie.stiffness) if GROUND not in tie.bodies else 0 for tie in system.ties
    ]
    firsts = np.concatenate([[0], np.cumsum(widths)]).astype(int)
    count = int(firsts[-1])
    stiffness = np.zeros((count, count))
    wrenches = np.zeros(count, dtype=bool)
    places: list[Place] = []
    negative = 0
    for c, cut in enumerate(system.cuts):
        here = slice(firsts[c], firsts[c + 1])
        wrenches[firsts[c] : firsts[c] + 6] = True
        found, stiffness[here, here] = _cut(cut, rest.cuts[c])
        places += [Place(p.body, p.point, p.stiffness, _wide(p.columns, here, count)) for p in found]
    for t, tie in enumerate(system.ties):
        k = len(system.cuts) + t
        here = slice(firsts[k], firsts[k + 1])
        if GROUND in tie.bodies:
            places += _to_ground(tie, count)
            continue
        stiffness[here, here] = -np.diag(1.0 / tie.stiffness)
        negative += int((tie.stiffness > 0.0).sum())
        for body, point, sign in zip(tie.bodies, tie.points, (-1.0, 1.0), strict=True):
            columns = np.vstack([sign * tie.directions.T, np.zeros((3, len(tie.stiffness)))])
            places.append(Place(body, point, np.zeros((6, 6)), _wide(columns, here, count)))
    return Columns(tuple(places), stiffness, wrenches, negative)


def _wide(columns: Array, here: slice, count: int) -> Array:
    wide = np.zeros((6, count))
    wide[:, here] = columns
    return wide


def _to_ground(tie: LinearisedSpring, count: int) -> list[Place]:
    stiffness = np.zeros((6, 6))
    stiffness[:3, :3] = (tie.directions.T * tie.stiffness) @ tie.directions
    return [
        Place(body, point, stiffness, np.zeros((6, count)))
        for body, point in zip(tie.bodies, tie.points, strict=True)
        if body != GROUND
    ]


def stiffness_at_port(cut: CutJoint, wrench: Array) -> Array:
    """Return what a cut joint's force at rest stiffens (6, 6) at its inboard body; zeros: the ground."""
    held = [place.stiffness for place in _cut(cut, wrench)[0] if place.body == cut.inboard]
    return held[0] if held else np.zeros((6, 6))


def _cut(cut: CutJoint, wrench: Array) -> tuple[list[Place], Array]:
    """Return where a cut joint acts, with its own columns [wrench, freedoms], and its block of L."""
    freedoms = len(cut.steps)
    size = 6 + freedoms
    moved: Array = np.hstack(
        [np.eye(6), np.zeros((6, freedoms))]
    )  # displacements from those at its start, and its freedoms
    energy = np.zeros((size, size))
    point = cut.port
    for k, step in enumerate(cut.steps):
        moved = _carry(moved, energy, point, step.point, wrench[:3])
        point = step.point
        here = shifting(cut.end - point).T @ wrench
        column, rest = hinge_rest(step.along, step.about, here[3:], here[:3])
        cross = rest @ moved
        energy[6 + k] -= cross
        energy[:, 6 + k] -= cross
        energy[6 + k, 6 + k] += step.stiffness
        moved[:, 6 + k] += column
    moved = _carry(moved, energy, point, cut.end, wrench[:3])
    block = np.zeros((size, size))
    block[:6, 6:], block[6:, :6], block[6:, 6:] = -moved[:, 6:], -moved[:, 6:].T, energy[6:, 6:]
    places = []
    if cut.inboard != GROUND:
        places.append(Place(cut.inboard, cut.port, energy[:6, :6], np.hstack([-moved[:, :6].T, energy[:6, 6:]])))
    if cut.outboard != GROUND:
        places.append(Place(cut.outboard, cut.end, np.zeros((6, 6)), np.eye(6, size)))
    return places, block


def _carry(moved: Array, energy: Array, start: Array, end: Array, force: Array) -> Array:
    """Carry displacements along a massless piece; `energy` gets what the force at rest stiffens."""
    energy += moved.T @ rest_stiffness(start - end, force) @ moved
    carried: Array = shifting(end - start) @ moved
    return carried


def independent_wrenches(columns: Columns, rows: Array, size: float) -> Array:
    """Return the columns of the independent unknowns, (c, r): combinations of wrenches that no others replace.

    Parameters
    ----------
    rows : (freedoms, c) what each column does on each freedom of the tree and of the beams.
    size : [m] a length of the mechanism; moments count divided by it.
    """
    held = np.flatnonzero(columns.wrenches)
    if not len(held):
        return np.eye(columns.count)
    others = np.flatnonzero(~columns.wrenches)
    weights: Array = np.tile([1.0, 1.0, 1.0, 1.0 / size, 1.0 / size, 1.0 / size], len(held) // 6)
    matrix = np.vstack([rows[:, held], columns.stiffness[np.ix_(others, held)]]) * weights
    _, values, vectors = np.linalg.svd(matrix, full_matrices=False)
    rank = int((values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)).sum())
    combined = np.zeros((columns.count, rank + len(others)))
    combined[held, :rank] = (weights * vectors[:rank]).T
    combined[others, rank:] = np.eye(len(others))
    return combined
