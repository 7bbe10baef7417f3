"""Trees of rigid bodies solved without any element of a transfer matrix.

Motions are products of rigid motions that carry two derivatives in time; the equations are d'Alembert's principle with
virtual velocities, which are differences of affine functions.

Nothing here knows X, H, eta, U or S. Hinges are directed from the tips to the root: coordinates are those of the
outboard (root's) side relative to the inboard side, tau acts on the outboard side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
#: Two points, each with its body, and how many components of their accelerations are held equal.
Loop = tuple[tuple[int, Any], tuple[int, Any], int]
X, Y, Z, NONE = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.zeros(3)
PITCH = 0.3
#: Second axis of the universal hinge, not at a right angle to the first.
SECOND = np.array([0.2, 0.9, 0.3]) / np.linalg.norm([0.2, 0.9, 0.3])
#: Hinge -> elementary motions (axis of turn, slide), in the order from the inboard to the outboard side.
MOTIONS: dict[str, tuple[tuple[Array, Array], ...]] = {
    "fixed": (),
    "revolute": ((Z, NONE),),
    "prismatic": ((NONE, Z),),
    "screw": ((Z, PITCH * Z),),
    "cylindrical": ((NONE, Z), (Z, NONE)),
    "universal": ((X, NONE), (SECOND, NONE)),
    "pin_in_slot": ((NONE, X), (Z, NONE)),
    "planar": ((NONE, X), (NONE, Y), (Z, NONE)),
    "ball": ((Z, NONE), (Y, NONE), (X, NONE)),
}


def skew(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(axis: Array, angle: float) -> Array:
    """Return the rotation by Rodrigues' formula."""
    k = skew(axis)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


@dataclass(frozen=True)
class Moving:
    """A 4 x 4 rigid motion with its first two derivatives."""

    value: Array
    rate: Array
    second: Array

    def __matmul__(self, other: Moving) -> Moving:
        return Moving(
            self.value @ other.value,
            self.rate @ other.value + self.value @ other.rate,
            self.second @ other.value + 2 * self.rate @ other.rate + self.value @ other.second,
        )

    @property
    def omega(self) -> Array:
        return _axial(self.rate[:3, :3] @ self.value[:3, :3].T)

    @property
    def alpha(self) -> Array:
        r, rd, rdd = (m[:3, :3] for m in (self.value, self.rate, self.second))
        return _axial(rdd @ r.T + rd @ rd.T)

    def point(self, at: Array) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration of a point that is fixed in the frame."""
        return tuple((m @ [*at, 1.0])[:3] for m in (self.value, self.rate, self.second))  # type: ignore[return-value]


def _axial(m: Array) -> Array:
    return np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]) / 2


def still(rotation: Array, origin: Array) -> Moving:
    return Moving(_pose(rotation, origin), np.zeros((4, 4)), np.zeros((4, 4)))


def _pose(rotation: Array, origin: Array) -> Array:
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = rotation, origin
    return m


def inverse(m: Moving) -> Moving:
    """Return the inverse of a motion at rest."""
    r, p = m.value[:3, :3], m.value[:3, 3]
    return still(r.T, -r.T @ p)


def elementary(axis: Array, slide: Array, value: float, rate: float, second: float) -> Moving:
    """Return a turn about an axis, or a slide, or both along one line."""
    rotation = turn(axis, value) if axis.any() else np.eye(3)
    m, s = _pose(rotation, slide * value), np.zeros((4, 4))
    s[:3, :3], s[:3, 3] = skew(axis), slide
    return Moving(m, s @ m * rate, s @ s @ m * rate**2 + s @ m * second)


@dataclass(frozen=True)
class TreeBody:
    """A body: frame at its first input; what its output hinge joins it to.

    `parent` is the number of the outboard body (-1: the ground), `place` the pose of the hinge's outboard frame in it;
    `output` the pose of the hinge's inboard frame in this body.
    """

    mass: float
    inertia: Array
    com: Array
    output: Moving
    hinge: str
    parent: int
    place: Moving
    q: Array
    qd: Array
    tau: Array
    force: Array
    moment: Array


class Tree:
    """Bodies in order from the tips to the root: a parent has a higher number."""

    def __init__(self, bodies: Sequence[TreeBody]) -> None:
        self.bodies = tuple(bodies)
        self.sizes = [len(b.q) for b in self.bodies]
        self.total = sum(self.sizes)
        self.still = self.motions(np.zeros(self.total))

    def motions(self, qdd: Array) -> list[Moving]:
        """Return the motion of every body frame for accelerations of the coordinates."""
        starts = np.cumsum([0, *self.sizes])
        found: list[Moving | None] = [None] * len(self.bodies)
        for k in reversed(range(len(self.bodies))):
            b = self.bodies[k]
            outer = b.place if b.parent < 0 else found[b.parent] @ b.place
            second = qdd[starts[k] : starts[k + 1]]
            for (axis, slide), *values in reversed(list(zip(MOTIONS[b.hinge], b.q, b.qd, second, strict=True))):
                outer = outer @ elementary(axis, slide, *(-v for v in values))
            found[k] = outer @ inverse(b.output)
        return found  # type: ignore[return-value]

    def accelerations(self, loop: Loop | None = None) -> Array:
        """Return [acceleration of the frame's origin, angular acceleration] of every body: one row each.

        Accelerations of the points of a loop are held equal by a force on both.
        """
        start = self._rates(self.still)
        columns = [self._rates(self.motions(e)) - start for e in np.eye(self.total)]
        matrix, right = np.zeros((self.total, self.total)), np.zeros(self.total)
        for k, b in enumerate(self.bodies):
            m = self.still[k]
            inertia = m.value[:3, :3] @ b.inertia @ m.value[:3, :3].T
            mass = np.block([[b.mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), inertia]])
            gyration = np.cross(m.omega, inertia @ m.omega)
            load = np.array([*b.force, *(b.moment - gyration)]) - mass @ start[k]
            jacobian = np.array([c[k] for c in columns]).T
            matrix += jacobian.T @ mass @ jacobian
            right += jacobian.T @ load
        right += self._hinge_powers(columns)
        qdd = np.linalg.solve(matrix, right) if loop is None else self._closed(matrix, right, loop)
        moved = self.motions(qdd)
        return np.array([[*m.point(NONE)[2], *m.alpha] for m in moved])

    def _closed(self, matrix: Array, right: Array, loop: Loop) -> Array:
        """Solve with the accelerations of two points held equal by multipliers."""

        def gap(qdd: Array) -> Array:
            one, two = (self.motions(qdd)[body].point(at)[2] for body, at in loop[:2])
            return (one - two)[: loop[2]]

        start = gap(np.zeros(self.total))
        rows = np.array([gap(e) - start for e in np.eye(self.total)]).T
        whole = np.block([[matrix, rows.T], [rows, np.zeros((loop[2], loop[2]))]])
        return np.linalg.solve(whole, [*right, *-start])[: self.total]

    def _rates(self, moved: list[Moving]) -> Array:
        """Return [acceleration of the centre of mass, angular acceleration] of every body."""
        return np.array([[*m.point(b.com)[2], *m.alpha] for m, b in zip(moved, self.bodies, strict=True)])

    def _hinge_powers(self, columns: list[Array]) -> Array:
        """Return the generalised forces of the hinges; tau of a ball is a moment in world axes."""
        found, starts = np.zeros(self.total), np.cumsum([0, *self.sizes])
        for k, b in enumerate(self.bodies):
            if b.hinge != "ball":
                found[starts[k] : starts[k + 1]] += b.tau
                continue
            for j, c in enumerate(columns):
                outer = np.zeros(3) if b.parent < 0 else c[b.parent][3:]
                found[j] += b.tau @ (outer - c[k][3:])
        return found


def draw_tree(rng: np.random.Generator, hinges: Sequence[str], parents: Sequence[int]) -> Tree:
    """Return a tree of random bodies; `parents` as in `TreeBody`."""
    made = []
    first: set[int] = set()
    for hinge, parent in zip(hinges, parents, strict=True):
        size = len(MOTIONS[hinge])
        points = rng.uniform(-1, 1, (3, 3))
        inertia = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)
        at_input = parent >= 0 and parent not in first
        first.add(parent)
        origin = NONE if at_input else rng.uniform(-1, 1, 3)
        made.append(
            TreeBody(
                mass=rng.uniform(0.5, 2),
                inertia=inertia,
                com=rng.uniform(-1, 1, 3),
                output=still(_random_turn(rng), rng.uniform(-1, 1, 3)),
                hinge=hinge,
                parent=parent,
                place=still(_random_turn(rng), origin),
                q=rng.uniform(-1, 1, size),
                qd=rng.uniform(-1, 1, size),
                tau=rng.uniform(-1, 1, size),
                force=rng.uniform(-5, 5, 3),
                moment=rng.uniform(-2, 2, 3),
            )
        )
    return Tree(made)


def _random_turn(rng: np.random.Generator) -> Array:
    v = rng.uniform(-1, 1, 3)
    return turn(v / np.linalg.norm(v), np.linalg.norm(v) * 2)


def draw_chain(rng: np.random.Generator, hinge: str, count: int) -> Tree:
    """Return a chain of random bodies with equal hinges, the last to the ground."""
    return draw_tree(rng, [hinge] * count, [*range(1, count), -1])
