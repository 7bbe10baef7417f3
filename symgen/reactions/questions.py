"""What can be asked of the reactions, as functionals of the amounts lambda: joints, components, sets, resultants.

Two questions are asked of a set of joints. *Are its reactions known?* Each of them must be unique. *Is its effect
known?* That is less: what the set does as a whole. For joints to the ground it is what they do to the mechanism freed
from the ground, moving as its other joints allow (the question of the divide-and-conquer method, whose matrix G has the
same null space): Z^T A_T N_T = 0, Z the motions that all joints between moving bodies allow. For other sets it is what
they do to each body: A_T N_T = 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from symgen.poses import Array
from symgen.reactions.decision import EPS, SAFETY
from symgen.reactions.self_stress import Openness, SelfStresses, open_part
from symgen.reactions.wrenches import WrenchSystem, moved
from symgen.topology.loops.two_connected import blocks_of

#: Parts of unit wrenches that are rounding.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions in which one source is unique, and others in which it is open.

    Parameters
    ----------
    unique : (q, 6) orthonormal wrenches [F, M / size]: the parts of the reaction along them are unique.
    open : (k, 6) the same for what self-stresses load it with.
    """

    unique: Array
    open: Array


def whole_of(stresses: SelfStresses, number: int) -> Openness:
    """Return how much of one source is open."""
    return stresses.openness([(number, np.eye(stresses.system.sources[number].count))])


def along(stresses: SelfStresses, number: int, direction: Array) -> Openness:
    """Return how much of one source's part along a wrench (6,) about its centre is open."""
    return stresses.openness([(number, direction[None] @ stresses.system.sources[number].basis)])


def directions_of(stresses: SelfStresses, number: int, count: int) -> Directions:
    """Return the unique and the open directions of a source, of which `count` are open."""
    source = stresses.system.sources[number]
    if count in (0, source.count):
        known, none = source.basis.T.copy(), np.zeros((0, 6))
        known[np.abs(known) < _NOTHING] = 0.0
        return Directions(known, none) if not count else Directions(none, known)
    loads = source.basis @ stresses.amounts(number)
    open_ = np.linalg.svd(loads, full_matrices=False)[0][:, :count]
    rest = source.basis - open_ @ (open_.T @ source.basis)
    # What is left of the basis has length one or none.
    unique = np.linalg.svd(rest, full_matrices=False)[0][:, : source.count - count]
    return Directions(_plain(unique.T), _plain(open_.T))


def _plain(rows: Array) -> Array:
    """Return an orthonormal basis of the same span in echelon form as far as it stays orthonormal; signs fixed."""
    found = []
    rest = rows.copy()
    while len(rest):
        # The axis that lies deepest in the span is shown first: people read axes.
        depth = np.linalg.norm(rest, axis=0)
        axis = int(np.argmax(np.round(depth, 9)))
        row = rest.T @ rest[:, axis] / depth[axis]
        row[np.abs(row) < _NOTHING] = 0.0
        found.append(row / np.linalg.norm(row))
        rest = rest - np.outer(rest @ found[-1], found[-1])
        _, sizes, right = np.linalg.svd(rest, full_matrices=False)
        rest = right[sizes > 0.5]
    return np.array(found).reshape(-1, rows.shape[1])


def resultant(
    system: WrenchSystem, body: int, numbers: Sequence[int], point: Array
) -> dict[str, Callable[[SelfStresses], Openness]]:
    """Return, for each part of the wrench of some sources on a body about a point [m], how much of it is open."""
    parts: list[tuple[int, Array]] = []
    for k in dict.fromkeys(numbers):
        source = system.sources[k]
        sign = 1.0 if source.ends[1] == body else -1.0
        parts.append((k, sign * moved(source.basis, (source.centre - point) / system.size)))
    rows = zip(system.components, system.parts, strict=True)
    return {name: partial(_part, [(k, wrench[[row]]) for k, wrench in parts]) for name, row in rows}


def _part(parts: list[tuple[int, Array]], stresses: SelfStresses) -> Openness:
    return stresses.openness(parts)


@dataclass(frozen=True, eq=False)
class Effect:
    """What a set does as a whole.

    Parameters
    ----------
    numbers : its sources.
    on : ``"mechanism"`` freed from the ground, or ``"bodies"``, each of them.
    loads : A_T, or Z^T A_T seen in A; of each column what it does.
    tolerance : relative size of a load below which there is none.
    """

    numbers: Sequence[int]
    on: str
    loads: Array
    tolerance: float

    @property
    def rank(self) -> int:
        """Independent effects that the set has."""
        return int(np.count_nonzero(np.linalg.svd(self.loads, compute_uv=False) > self.tolerance))

    @property
    def columns(self) -> int:
        """Its constraints."""
        return int(self.loads.shape[1])

    def openness_in(self, stresses: SelfStresses) -> Openness:
        """Return how much of it is open."""
        return open_part(self.loads @ stresses.together(self.numbers), self.tolerance)


def effect_of(system: WrenchSystem, numbers: Sequence[int]) -> Effect:
    """Return the effect of a set of sources."""
    grounded = all(0 in system.sources[k].ends for k in numbers)
    loads = _incidence(system, numbers)
    tolerance = SAFETY * EPS * max(system.equations, system.columns, 1)
    if grounded:  # what the other joints hold is no effect
        held = _incidence(system, _between(system, numbers))
        mine = np.any(held, axis=1)
        left, sizes, _ = np.linalg.svd(held[mine], full_matrices=False)
        basis = left[:, sizes > tolerance * float(sizes.max(initial=1.0))]
        loads[mine] -= basis @ (basis.T @ loads[mine])
    return Effect(tuple(numbers), "mechanism" if grounded else "bodies", loads, tolerance)


def _between(system: WrenchSystem, numbers: Sequence[int]) -> list[int]:
    """Return the sources between moving bodies that can hold what some ground joints do.

    Without the ground, a 2-connected part that hangs on one body alone, and on which no such joint acts, holds nothing.
    """
    inner = [k for k, source in enumerate(system.sources) if source.count and 0 not in source.ends]
    ends = [system.sources[k].ends for k in inner]
    parts = [
        (part, {body for edge in part for body in ends[edge]})
        for part in blocks_of(len(system.mechanism.bodies) + 1, ends)
    ]
    asked = {body for k in numbers for body in system.sources[k].ends}
    count = Counter(body for _, bodies in parts for body in bodies)
    on: dict[int, list[int]] = {}
    for k, (_, bodies) in enumerate(parts):
        for body in bodies:
            on.setdefault(body, []).append(k)
    kept, looked = set(range(len(parts))), list(range(len(parts)))
    while looked:
        k = looked.pop()
        bodies = parts[k][1]
        if k in kept and sum(body in asked or count[body] > 1 for body in bodies) < 2:
            kept.remove(k)
            count.subtract(bodies)
            looked += [other for body in bodies if count[body] == 1 for other in on[body]]
    return sorted(inner[edge] for k in kept for edge in parts[k][0])


def _incidence(system: WrenchSystem, numbers: Sequence[int]) -> Array:
    """Return the columns of A of some sources, wrenches about the middle of all centres."""
    middle = np.mean([source.centre for source in system.sources], axis=0)
    width = len(system.parts)
    columns = [np.zeros((system.equations, 0))]
    for k in numbers:
        source = system.sources[k]
        load = source.about(middle, system.size)[list(system.parts)]
        column = np.zeros((system.equations, source.count))
        for body, sign in zip(source.ends, (-1.0, 1.0), strict=True):
            if body:
                column[width * (body - 1) : width * body] += sign * load
        columns.append(column)
    return np.concatenate(columns, axis=1)
