"""Trees put together from the generated elements: the product of matrices, and the Riccati recursion.

`Elements` is the generated NumPy module; a test may put another function, or one with a sign turned, in its place.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from oracle.transfer_tree import NONE, PITCH, SECOND, Array, Moving, Tree, X, Y, Z

from symgen.resources import generated_folder

P6 = np.roll(np.eye(6), 3, axis=0)


@cache
def generated_module() -> ModuleType:
    """Return generated/transfer/transfer.py."""
    spec = importlib.util.spec_from_file_location("transfer", generated_folder() / "transfer" / "transfer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Elements:
    """Elements by name, without their status; `changed` stand in the place of generated ones."""

    def __init__(self, changed: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self._changed = dict(changed or {})

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in self._changed:
            return self._changed[name]
        function = getattr(generated_module(), name)

        def call(*arguments: Any) -> Any:
            *results, status = function(*arguments)
            assert int(status) == 0
            return results[0] if len(results) == 1 else results

        return call


def square(values: Array, size: int) -> Array:
    """Return the symmetric matrix of a lower triangle."""
    m = np.zeros((size, size))
    m[np.tril_indices(size)] = values
    return m + np.tril(m, -1).T


def upper(matrix: Array) -> Array:
    """Return the six entries xx yy zz xy xz yz of an inertia."""
    return np.array([matrix[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])


@dataclass(frozen=True)
class Placed:
    """A body and its output hinge in the world."""

    mass: float
    inertia: Array
    c: Array
    lever: Array
    omega: Array
    force: Array
    moment: Array
    x: Array
    s: Array
    h: Array
    eta: Array
    tau: Array


def placed(elements: Elements, tree: Tree) -> list[Placed]:
    """Return all bodies and hinges of a tree in the world, hinges by their elements."""
    found = []
    for k, b in enumerate(tree.bodies):
        m = tree.still[k]
        inner = m @ b.output
        outer = b.place if b.parent < 0 else tree.still[b.parent] @ b.place
        rotation, origin = m.value[:3, :3], m.value[:3, 3]
        s, x, h, eta = hinge_in_world(elements, b.hinge, inner, outer, b.qd)
        found.append(
            Placed(b.mass, upper(rotation @ b.inertia @ rotation.T), rotation @ b.com, inner.value[:3, 3] - origin,
                   m.omega, b.force, b.moment, x, s, h, eta, b.tau)
        )  # fmt: skip
    return found


def hinge_in_world(
    elements: Elements, hinge: str, inner: Moving, outer: Moving, rates: Array
) -> tuple[Array, Array, Array, Array]:
    """Return s, X, H, eta of a hinge between the motions of its inboard and its outboard frame."""
    axes = {name: inner.value[:3, :3] @ axis for name, axis in (("x", X), ("y", Y), ("z", Z))}
    (r_a, v_a, _), (r_b, v_b, _) = inner.point(NONE), outer.point(NONE)
    s = r_b - r_a
    v_r = v_b - v_a - np.cross(inner.omega, s)
    turns = inner.omega, outer.omega
    made = {
        "revolute": lambda: elements.hinge_revolute(axes["z"], *turns),
        "prismatic": lambda: elements.hinge_prismatic(axes["z"], s, v_r, inner.omega),
        "screw": lambda: elements.hinge_screw(axes["z"], PITCH, s, v_r, *turns),
        "cylindrical": lambda: elements.hinge_cylindrical(axes["z"], s, v_r, *turns),
        "universal": lambda: elements.hinge_universal(axes["x"], outer.value[:3, :3] @ SECOND, *turns, *rates),
        "planar": lambda: elements.hinge_planar(*axes.values(), s, v_r, *turns),
        "pin_in_slot": lambda: elements.hinge_pin_in_slot(axes["x"], axes["z"], s, v_r, *turns),
        "ball": lambda: elements.hinge_ball(X, Y, Z),
    }[hinge]()
    x, h, eta = made if len(made) == 3 else (np.eye(6).ravel(), *made)
    return s, x.reshape(6, 6), h.reshape(6, -1), eta


def solve_by_product(elements: Elements, tree: Tree) -> Array:
    """Return the accelerations of a chain by the product of its matrices, every hinge by its far side."""
    parts = placed(elements, tree)
    z = np.vstack([np.eye(6, 7), np.zeros((6, 7)), np.eye(7)[6]])  # of the tip's acceleration and 1
    inputs, rows = [], []
    for k, part in enumerate(parts):
        u = body_matrix(elements, part)
        z_in = far_side(elements, parts[k - 1], part, u) @ z if k else z
        inputs.append(z_in)
        z = u @ z_in
        if k == 0:  # nobody has used the force rows of the first hinge yet
            rows.append(part.h.T @ P6 @ part.x @ z[6:12] - np.outer(part.tau, np.eye(7)[6]))
    last = parts[-1]
    free = np.linalg.svd(last.h)[0][:, last.h.shape[1] :].T
    rows.append(free @ (last.x @ z[:6] + np.outer(last.eta, np.eye(7)[6])))
    system = np.vstack(rows)
    tip = np.linalg.solve(system[:, :6], -system[:, 6])
    return np.array([(z_in @ [*tip, 1.0])[:6] for z_in in inputs])


def body_matrix(elements: Elements, part: Placed) -> Array:
    given = (part.mass, part.inertia, part.c, part.lever, part.omega, part.force, part.moment)
    return elements.body_transfer_spatial(*given).reshape(13, 13)


def far_side(elements: Elements, own: Placed, body: Placed, u: Array) -> Array:
    """Return the matrix of a hinge before a body, by the force rows of the body's next hinge."""
    n = body.h.T @ P6 @ body.x
    sizes = elements.body_transfer_sizes(body.mass, body.inertia, body.c, body.lever)
    found, _, det, scale, *_ = getattr(elements, f"far_side_{own.h.shape[1]}")(
        *(u[6:12, :6].ravel(), u[6:12, 6:12].ravel(), u[6:12, 12]),
        *(own.s, own.h.ravel(), own.eta, n.ravel(), body.tau, sizes),
    )
    assert abs(det) > 1e-9 * scale
    return found.reshape(13, 13)


def solve_by_riccati(elements: Elements, tree: Tree) -> Array:
    """Return the accelerations of a tree by the Riccati recursion."""
    parts = placed(elements, tree)
    arrived: list[list[tuple[Array, Array, Array]]] = [[] for _ in parts]
    gains = []
    for k, part in enumerate(parts):
        given = (part.lever - part.c, part.omega, part.force, part.moment)
        ps, e = elements.riccati_body(part.mass, part.inertia, *given)
        for child_ps, child_e, lever in arrived[k]:
            more = elements.riccati_input(child_ps, child_e, lever, part.omega)
            ps, e = ps + more[0], e + more[1]
        ps, e = elements.riccati_shift(ps, e, part.s)
        hinge = getattr(elements, f"riccati_hinge_{part.h.shape[1]}")
        ps, e, ka, k0, _, pivots, scales = hinge(ps, e, part.h.ravel(), part.eta, part.tau)
        assert (pivots > 1e-9 * scales).all()
        gains.append((ka.reshape(-1, 6), k0))
        if tree.bodies[k].parent >= 0:
            arrived[tree.bodies[k].parent].append((ps, e, lever_to_output(tree, parts, k)))
    return _back(elements, tree, parts, gains)


def lever_to_output(tree: Tree, parts: list[Placed], k: int) -> Array:
    """Return the lever from where a body's hinge meets its parent to the parent's output."""
    parent = tree.bodies[k].parent
    at = (tree.still[parent] @ tree.bodies[k].place).value[:3, 3]
    return tree.still[parent].value[:3, 3] + parts[parent].lever - at


def _back(elements: Elements, tree: Tree, parts: list[Placed], gains: list[tuple[Array, Array]]) -> Array:
    outputs: dict[int, Array] = {}
    found = np.zeros((len(parts), 6))
    for k in reversed(range(len(parts))):
        part, parent = parts[k], tree.bodies[k].parent
        outer = np.zeros(6)
        if parent >= 0:
            a, b = elements.geometric_spatial(lever_to_output(tree, parts, k), parts[parent].omega)
            outer = a.reshape(6, 6) @ outputs[parent] + b
        qdd = gains[k][0] @ outer + gains[k][1]
        outputs[k] = np.linalg.solve(part.x, outer - part.h @ qdd - part.eta)
        a, b = elements.geometric_spatial(part.lever, part.omega)
        found[k] = a.reshape(6, 6) @ outputs[k] + b
    return found
