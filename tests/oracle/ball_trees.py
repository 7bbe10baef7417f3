"""Accelerations of bodies on ball joints by one dense solve of the Newton-Euler equations with multipliers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symgen.simulate.special.loops import SpecialLoop
from symgen.simulate.special.tree import SpecialTree, make_tree

Array = NDArray[np.float64]


def skew(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation(q: Array) -> Array:
    """The matrix of a unit quaternion by Rodrigues' formula, from axis and angle."""
    angle = 2 * np.arctan2(np.linalg.norm(q[1:]), q[0])
    axis = skew(q[1:] / max(np.linalg.norm(q[1:]), 1e-300))
    return np.eye(3) + np.sin(angle) * axis + (1 - np.cos(angle)) * axis @ axis


@dataclass(frozen=True)
class Spatial:
    """A tree with its state in space: what the equations need, world axes."""

    parent: list[int]
    mass: Array
    inertia: list[Array]
    output: list[Array]
    input: list[Array]
    omega: Array
    gravity: Array
    loops: list[tuple[tuple[int, int], list[Array]]]


def in_space(tree: SpecialTree, state: Array) -> Spatial:
    """Turn the data of a tree to the world; a planar one moves in the x-y plane."""
    count = tree.bodies
    if tree.kind == "planar":
        half = 0.5 * state[:, 0]
        turns = [rotation(np.array([np.cos(h), 0, 0, np.sin(h)])) for h in half]
        omega = np.stack([np.zeros(count), np.zeros(count), state[:, 1]], axis=1)
        body_inertia = [np.diag([1.0, 1.0, moment]) for moment in tree.inertia]
        output, input_ = (np.pad(each, ((0, 0), (0, 1))) for each in (tree.output, tree.input))
        gravity = np.pad(tree.gravity, (0, 1))
    else:
        turns, omega = [rotation(q) for q in state[:, :4]], state[:, 4:]
        body_inertia = [np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]) for i in tree.inertia]
        output, input_, gravity = tree.output, tree.input, tree.gravity
    parent = tree.parent.tolist()
    return Spatial(
        parent,
        tree.mass,
        [turn @ inertia @ turn.T for turn, inertia in zip(turns, body_inertia, strict=True)],
        [turn @ point for turn, point in zip(turns, output, strict=True)],
        [turns[p] @ point if p >= 0 else point for p, point in zip(parent, input_, strict=True)],
        omega,
        gravity,
        [
            (loop.bodies, [_turned(turns, body, point) for body, point in zip(loop.bodies, loop.points, strict=True)])
            for loop in tree.loops
        ],
    )


def _turned(turns: list[Array], body: int, point: Array) -> Array:
    wide = np.pad(point, (0, 3 - len(point)))
    return turns[body] @ wide if body >= 0 else wide


def places(tree: SpecialTree, state: Array) -> Array:
    """Return the places of the centres of mass, (n, 3)."""
    s = in_space(tree, state)
    found = np.zeros((tree.bodies, 3))
    for i in reversed(range(tree.bodies)):
        carrier = found[s.parent[i]] if s.parent[i] >= 0 else 0.0
        found[i] = carrier + s.input[i] - s.output[i]
    return found


def with_loops(tree: SpecialTree, state: Array, count: int, seed: int, *, grounded: int = 0) -> SpecialTree:
    """Return the tree with loops whose ends meet in a state, `grounded` more to the ground, on bodies at random."""
    rng, where, size = np.random.default_rng(seed), places(tree, state), len(tree.gravity)
    turns = [_turned_axes(tree, state, body) for body in range(tree.bodies)]
    loops = []
    for k in range(count + grounded):
        one, two = (int(body) for body in rng.choice(tree.bodies, 2, replace=False))
        meet = where[one] + np.pad(rng.uniform(-0.5, 0.5, size), (0, 3 - size))
        ends = (one, two) if k < count else ((one, -1) if rng.random() < 0.5 else (-1, one))
        points = [turns[body].T @ (meet - where[body]) if body >= 0 else meet for body in ends]
        loops.append(SpecialLoop(ends, (points[0][:size], points[1][:size])))
    return replace(tree, loops=tuple(loops))


def _turned_axes(tree: SpecialTree, state: Array, body: int) -> Array:
    if tree.kind == "planar":
        return rotation(np.array([np.cos(state[body, 0] / 2), 0, 0, np.sin(state[body, 0] / 2)]))
    return rotation(state[body, :4])


def dense_accelerations(tree: SpecialTree, state: Array) -> tuple[Array, Array]:
    """Return accelerations of the centres of mass and angular accelerations, (n, 3) each.

    Unknowns: those, and the force of every joint on the body it carries. Refined twice with residuals in extended
    precision: the answer is exact to rounding as far as the matrix is not singular.
    """
    matrix, right = dense_matrix(tree, state)
    found = np.linalg.solve(matrix, right)
    exact, wanted = matrix.astype(np.longdouble), right.astype(np.longdouble)
    for _ in range(2):
        found = found + np.linalg.solve(matrix, (wanted - exact @ found).astype(np.float64))
    both = found[: 6 * tree.bodies].reshape(2, -1, 3)
    return both[0], both[1]


def dense_matrix(tree: SpecialTree, state: Array) -> tuple[Array, Array]:
    """Return the matrix of accelerations, angular accelerations and joint forces, and the right-hand side."""
    s, count = in_space(tree, state), tree.bodies
    a, al, f = (slice(3 * count * k, 3 * count * (k + 1)) for k in range(3))
    used = (0, 1) if tree.kind == "planar" else (0, 1, 2)  # loops of pins are redundant out of the plane
    size = 9 * count + len(used) * len(s.loops)
    matrix, right = np.zeros((size, size)), np.zeros(size)

    def block(rows: slice, i: int, columns: slice, j: int, value: Array) -> None:
        matrix[rows.start + 3 * i : rows.start + 3 * i + 3, columns.start + 3 * j : columns.start + 3 * j + 3] += value

    for i, p in enumerate(s.parent):
        w = skew(s.omega[i])
        block(a, i, a, i, s.mass[i] * np.eye(3))
        block(al, i, al, i, s.inertia[i])
        right[3 * i : 3 * i + 3] = s.mass[i] * s.gravity
        right[al.start + 3 * i : al.start + 3 * i + 3] = -w @ s.inertia[i] @ s.omega[i]
        block(a, i, f, i, -np.eye(3))
        block(al, i, f, i, -skew(s.output[i]))
        block(f, i, a, i, np.eye(3))
        block(f, i, al, i, -skew(s.output[i]))
        bias = -w @ w @ s.output[i]
        if p >= 0:
            block(a, p, f, i, np.eye(3))
            block(al, p, f, i, skew(s.input[i]))
            block(f, i, a, p, -np.eye(3))
            block(f, i, al, p, skew(s.input[i]))
            bias = bias + skew(s.omega[p]) @ skew(s.omega[p]) @ s.input[i]
        right[f.start + 3 * i : f.start + 3 * i + 3] = bias
    for k, (bodies, points) in enumerate(s.loops):
        for row, axis in enumerate(used):
            place = 9 * count + len(used) * k + row
            for sign, body, point in zip((-1.0, 1.0), bodies, points, strict=True):
                if body >= 0:
                    slopes = np.concatenate([np.eye(3)[axis], -skew(point)[axis]])
                    w = skew(s.omega[body])
                    for columns, part in ((a, slopes[:3]), (al, slopes[3:])):
                        where = slice(columns.start + 3 * body, columns.start + 3 * body + 3)
                        matrix[place, where] += sign * part
                        matrix[where, place] -= sign * part
                    right[place] -= sign * (w @ w @ point)[axis]
    return matrix, right


def extended_accelerations(tree: SpecialTree, state: Array) -> Array:
    """Return angular accelerations (n, 3) by the articulated-body algorithm in extended precision, O(n).

    R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, table 7.1, with reference points at the joints; nothing is
    assumed to be symmetric. In long double its rounding is some thousand times smaller than that of double, where the
    machine has such.
    """
    s = in_space(tree, state)
    wide = np.longdouble
    held: list[tuple[Array, Array]] = []
    inertia = [np.zeros((6, 6), dtype=wide) for _ in s.parent]
    bias = [np.zeros(6, dtype=wide) for _ in s.parent]
    for i, p in enumerate(s.parent):  # rows and columns: force, then moment about the joint
        d, w = skew(s.output[i]).astype(wide), skew(s.omega[i]).astype(wide)
        arm = np.hstack([np.eye(3, dtype=wide), d])  # a_C = [1, d^] [a, alpha] - w w d
        rest = -(w @ w) @ s.output[i]
        inertia[i] += s.mass[i] * arm.T @ arm
        inertia[i][3:, 3:] += s.inertia[i]
        load = s.mass[i] * (rest - s.gravity)
        bias[i][:3] += load
        bias[i][3:] += -d @ load + w @ s.inertia[i] @ s.omega[i]
        corner, side = inertia[i][3:, 3:], inertia[i][:3, 3:]
        gain = -inverse(corner) @ np.hstack([inertia[i][3:, :3], bias[i][3:, None]])
        held.append((gain[:, :3], gain[:, 3]))
        if p >= 0:
            seen = inertia[i][:3, :3] + side @ gain[:, :3]
            force = bias[i][:3] + side @ gain[:, 3]
            lever = s.input[i] - s.output[p]  # from the joint of the carrier to this one
            wp = skew(s.omega[p]).astype(wide)
            moved = np.hstack([np.eye(3, dtype=wide), -skew(lever)])
            inertia[p] += moved.T @ seen @ moved
            bias[p] += moved.T @ (force + seen @ (wp @ wp @ lever))
    alpha = np.zeros((tree.bodies, 3), dtype=wide)
    acceleration = np.zeros((tree.bodies, 3), dtype=wide)
    for i in reversed(range(tree.bodies)):
        p = s.parent[i]
        if p >= 0:
            lever, wp = s.input[i] - s.output[p], skew(s.omega[p]).astype(wide)
            acceleration[i] = acceleration[p] + np.cross(alpha[p], lever) + wp @ wp @ lever
        alpha[i] = held[i][0] @ acceleration[i] + held[i][1]
    return alpha


def inverse(m: Array) -> Array:
    """The inverse of a 3 x 3 matrix by cross products of its rows."""
    columns = np.array([np.cross(m[1], m[2]), np.cross(m[2], m[0]), np.cross(m[0], m[1])]).T
    return columns / (m[0] @ columns[:, 0])


def random_tree(kind: str, count: int, seed: int, *, chain: bool = False) -> tuple[SpecialTree, Array]:
    """Return a forest of bodies of ordinary proportions, in any order, and a state."""
    rng = np.random.default_rng(seed)
    parent = np.array([k - 1 if chain else int(rng.integers(-1, k)) for k in range(count)])
    length = rng.uniform(0.3, 0.6, count)
    mass = rng.uniform(0.8, 3.0, count)
    if kind == "planar":
        inertia = mass * length**2 * rng.uniform(0.05, 0.2, count)
        output = length[:, None] * rng.uniform(-1, 1, (count, 2))
        input_ = rng.uniform(-0.6, 0.6, (count, 2))
        state = rng.normal(size=(count, 2)) * np.array([2.0, 1.5])
        return make_tree("planar", parent, mass, inertia, output, input_, np.array([0.4, -9.81])), state
    square = rng.normal(size=(count, 3, 3))
    # bodies are point masses at the rows of `square`: any such inertia belongs to a body
    moments = np.einsum("nij,nij->n", square, square)[:, None, None] * np.eye(3) - np.einsum(
        "nki,nkj->nij", square, square
    )
    moments *= (0.02 * mass * length**2)[:, None, None]
    packed = np.stack([moments[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], axis=1)
    output = length[:, None] * rng.uniform(-1, 1, (count, 3))
    input_ = rng.uniform(-0.6, 0.6, (count, 3))
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    state = np.concatenate([q, 1.5 * rng.normal(size=(count, 3))], axis=1)
    return make_tree("ball", parent, mass, packed, output, input_, np.array([0.3, -0.2, -9.81])), state
