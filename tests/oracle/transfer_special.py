"""Systems that have elements of their own: a loop by columns of multipliers, balls only, pins only, the paper's form.

Each function puts a system together from given elements and returns how far it is off the independent solution.
"""

from __future__ import annotations

import numpy as np
from oracle.transfer_checks import relative
from oracle.transfer_elements import P6, Elements, Placed, body_matrix, lever_to_output, placed
from oracle.transfer_tree import Array, Loop, Tree, TreeBody, draw_chain, draw_tree, still

# -- a loop ------------------------------------------------------------------------------------------------------------


#: Number of multipliers of a loop -> hinges of two arms of two bodies each, and of the body that carries them.
ARMS = {
    1: ("screw", "cylindrical", "revolute", "planar", "screw"),
    2: ("revolute", "universal", "screw", "ball", "screw"),
    3: ("cylindrical", "planar", "universal", "ball", "screw"),
}


def loop_error(elements: Elements, count: int = 3) -> float:
    """Two arms on one body, points at their tips held together along the first `count` axes of the world."""
    rng = np.random.default_rng(5)
    tree = draw_tree(rng, ARMS[count], [1, 4, 3, 4, -1])
    loop = ((0, rng.uniform(-1, 1, 3)), (2, rng.uniform(-1, 1, 3)), count)
    exact = tree.accelerations(loop)
    assert relative(tree.accelerations(), exact) > 1e-2  # the loop matters
    return relative(_solve_loop(elements, tree, loop), exact)


class _Port:
    """What arrives at a port: P S, e, columns G, L, l."""

    def __init__(self, ps: Array, e: Array, g: Array, matrix: Array, rest: Array) -> None:
        self.ps, self.e, self.g, self.matrix, self.rest = ps, e, g, matrix, rest


def _empty(count: int) -> _Port:
    return _Port(np.zeros(21), np.zeros(6), np.zeros((6, count)), np.zeros((count, count)), np.zeros(count))


def _into_body(elements: Elements, part: Placed, ports: list[tuple[_Port, Array]], count: int) -> _Port:
    given = (part.lever - part.c, part.omega, part.force, part.moment)
    found = _empty(count)
    found.ps, found.e = elements.riccati_body(part.mass, part.inertia, *given)
    for port, lever in ports:
        ps, e = elements.riccati_input(port.ps, port.e, lever, part.omega)
        found.ps, found.e, found.matrix = found.ps + ps, found.e + e, found.matrix + port.matrix
        _, bias = elements.geometric_spatial(lever, part.omega)
        found.rest = found.rest + port.rest + (P6 @ port.g).T @ bias
        found.g = found.g + np.array([elements.loop_column_shift(g, lever) for g in port.g.T]).T
    return found


def _through_hinge(elements: Elements, part: Placed, port: _Port) -> tuple[_Port, tuple[Array, Array, Array]]:
    freedoms = part.h.shape[1]
    ps, e = elements.riccati_shift(port.ps, port.e, part.s)
    shifted = np.array([elements.loop_column_shift(g, part.s) for g in port.g.T])
    hinge = getattr(elements, f"riccati_hinge_{freedoms}")(ps, e, part.h.ravel(), part.eta, part.tau)
    ps, e, ka, k0, di, *_ = hinge
    columns = [getattr(elements, f"loop_column_hinge_{freedoms}")(g, part.h.ravel(), ka, di) for g in shifted]
    r, kl = (np.array([column[k] for column in columns]).T for k in (1, 2))
    rest = port.rest - (P6 @ shifted.T).T @ part.eta - r.T @ k0
    found = _Port(ps, e, np.array([column[0] for column in columns]).T, port.matrix - r.T @ kl, rest)
    return found, (ka.reshape(freedoms, 6), k0, kl)


def _solve_loop(elements: Elements, tree: Tree, loop: Loop) -> Array:
    parts = placed(elements, tree)
    arrived: list[list[tuple[_Port, Array]]] = [[] for _ in parts]
    *ends, count = loop
    for sign, (body, at) in zip((1.0, -1.0), ends, strict=True):  # the multiplier pushes the first, pulls the second
        port = _empty(count)
        port.g[3:] = sign * np.eye(3, count)
        turned = tree.still[body].value[:3, :3] @ at
        arrived[body].append((port, parts[body].lever - turned))
    gains = []
    lam_gain = np.zeros((count, 6)), np.zeros(count)
    for k, part in enumerate(parts):
        port = _into_body(elements, part, arrived[k], count)
        if k == len(parts) - 1:  # both arms are in here
            close = getattr(elements, f"loop_close_{count}")
            lower = port.matrix[np.tril_indices(count)]
            ps, e, gain, start, pivots = close(port.ps, port.e, port.g.ravel(), lower, port.rest)
            assert (pivots > 0).all()
            lam_gain = gain.reshape(count, 6), start
            port = _empty(count)
            port.ps, port.e = ps, e
        beyond, gain_k = _through_hinge(elements, part, port)
        gains.append(gain_k)
        if tree.bodies[k].parent >= 0:
            arrived[tree.bodies[k].parent].append((beyond, lever_to_output(tree, parts, k)))
    return _back(elements, tree, parts, gains, lam_gain)


def _back(
    elements: Elements,
    tree: Tree,
    parts: list[Placed],
    gains: list[tuple[Array, Array, Array]],
    closing: tuple[Array, Array],
) -> Array:
    found, outputs, lam = np.zeros((len(parts), 6)), {}, np.zeros(len(closing[1]))
    for k in reversed(range(len(parts))):
        part, parent = parts[k], tree.bodies[k].parent
        outer = np.zeros(6)
        if parent >= 0:
            a, b = elements.geometric_spatial(lever_to_output(tree, parts, k), parts[parent].omega)
            outer = a.reshape(6, 6) @ outputs[parent] + b
        ka, k0, kl = gains[k]
        outputs[k] = np.linalg.solve(part.x, outer - part.h @ (ka @ outer + k0 + kl @ lam) - part.eta)
        if parent < 0:
            lam = closing[0] @ outputs[k] + closing[1]
        a, b = elements.geometric_spatial(part.lever, part.omega)
        found[k] = a.reshape(6, 6) @ outputs[k] + b
    return found


# -- balls only --------------------------------------------------------------------------------------------------------


def ball_tree_error(elements: Elements) -> float:
    """A tree of balls by its own recursion."""
    tree = draw_tree(np.random.default_rng(6), ["ball"] * 5, [2, 2, 4, 4, -1])
    parts = placed(elements, tree)
    arrived: list[list[tuple[Array, Array, Array, Array]]] = [[] for _ in parts]
    gains = []
    for k, part in enumerate(parts):
        given = (part.lever - part.c, part.omega, part.force, part.moment)
        blocks = elements.ball_body(part.mass, part.inertia, *given)
        for s3, e3, lever, tau in arrived[k]:
            blocks = [a + b for a, b in zip(blocks, elements.ball_input(s3, e3, lever, part.omega), strict=True)]
            blocks[4] = blocks[4] + tau
        blocks[4] = blocks[4] - part.tau
        s3, e3, k3, k0, pivots, scales = elements.ball_close(*blocks)
        assert (pivots > 1e-9 * scales).all()
        gains.append((k3, k0))
        if tree.bodies[k].parent >= 0:
            arrived[tree.bodies[k].parent].append((s3, e3, lever_to_output(tree, parts, k), part.tau))
    found, rdd, wd = np.zeros((5, 6)), {}, {}
    for k in reversed(range(5)):
        part, parent = parts[k], tree.bodies[k].parent
        rdd[k] = np.zeros(3)
        if parent >= 0:
            rdd[k] = elements.ball_input_back(
                rdd[parent], wd[parent], lever_to_output(tree, parts, k), parts[parent].omega
            )
        wd[k] = elements.ball_back(*gains[k], rdd[k])
        found[k] = [*elements.ball_input_back(rdd[k], wd[k], part.lever, part.omega), *wd[k]]
    return relative(found, tree.accelerations())


def ball_chain_error(elements: Elements, count: int = 3) -> float:
    """A chain of balls in the paper's form: moments pass through, the root says what the tip's acceleration is."""
    tree = draw_chain(np.random.default_rng(count), "ball", count)
    parts = placed(elements, tree)
    z = np.vstack([np.eye(6, 7), np.zeros((6, 7)), np.eye(7)[6]])
    inputs = []
    for k, part in enumerate(parts):
        if k:
            body = body_matrix(elements, part)
            sizes = elements.body_transfer_sizes(part.mass, part.inertia, part.c, part.lever).reshape(6, 6)
            rows = (body[6:9, :6].ravel(), body[6:9, 6:12].ravel(), body[6:9, 12])
            u, _, det, scale = elements.far_side_ball(*rows, parts[k - 1].tau, part.tau, sizes[:3, 3:].ravel())
            assert abs(det) > 1e-6 * scale
            z = u.reshape(13, 13) @ z
        inputs.append(z)
        z = body_matrix(elements, part) @ z
    rows = np.vstack([z[:3], z[6:9]])
    tip = np.linalg.solve(rows[:, :6], [*-rows[:3, 6], *(parts[-1].tau - rows[3:, 6])])
    found = np.array([(z_in @ [*tip, 1.0])[:6] for z_in in inputs])
    return relative(found, tree.accelerations())


# -- pins only ---------------------------------------------------------------------------------------------------------


def _planar_tree(parents: list[int]) -> Tree:
    """Return a tree of pins about the world's z axis, forces in the plane."""
    rng = np.random.default_rng(7)
    bodies = []
    for k, drawn in enumerate(draw_tree(rng, ["revolute"] * len(parents), parents).bodies):
        flat = {name: getattr(drawn, name) * [1, 1, 0] for name in ("com", "force")}
        output, place = (still(np.eye(3), m.value[:3, 3] * [1, 1, 0]) for m in (drawn.output, drawn.place))
        inertia = np.diag([1.0, 1.0, 0.4 + 0.1 * k])
        bodies.append(
            TreeBody(drawn.mass, inertia, flat["com"], output, "revolute", drawn.parent, place, drawn.q, drawn.qd,
                     drawn.tau, flat["force"], drawn.moment * [0, 0, 1])
        )  # fmt: skip
    return Tree(bodies)


def _arms(tree: Tree, k: int) -> tuple[Array, Array, float]:
    """Return c and l of a planar body in the world, and its angular velocity."""
    m, b = tree.still[k], tree.bodies[k]
    origin = m.value[:3, 3]
    arms = (m.point(b.com)[0] - origin, (m @ b.output).value[:3, 3] - origin)
    return arms[0][:2], arms[1][:2], float(m.omega[2])


def _planar_lever(tree: Tree, k: int) -> Array:
    parent = tree.bodies[k].parent
    at = (tree.still[parent] @ tree.bodies[k].place).value[:2, 3]
    return tree.still[parent].value[:2, 3] + _arms(tree, parent)[1] - at


def pin_tree_error(elements: Elements) -> float:
    """A tree of pins by its own recursion."""
    tree = _planar_tree([2, 2, 4, 4, -1])
    arrived: list[list[tuple[Array, Array, Array, float]]] = [[] for _ in tree.bodies]
    gains = []
    for k, b in enumerate(tree.bodies):
        c, lever, omega = _arms(tree, k)
        blocks = elements.pin_body(b.mass, b.inertia[2, 2], lever - c, omega, b.force[:2], b.moment[2])
        for s2, e2, arm, tau in arrived[k]:
            blocks = [p + q for p, q in zip(blocks, elements.pin_input(s2, e2, arm, omega), strict=True)]
            blocks[4] = blocks[4] + tau
        blocks[4] = blocks[4] - b.tau[0]
        s2, e2, k2, k0 = elements.pin_close(*blocks)
        gains.append((k2, k0))
        if b.parent >= 0:
            arrived[b.parent].append((s2, e2, _planar_lever(tree, k), b.tau[0]))
    found, rdd, alpha = np.zeros((5, 3)), {}, {}
    for k in reversed(range(5)):
        parent = tree.bodies[k].parent
        rdd[k] = np.zeros(2)
        if parent >= 0:
            lever = _planar_lever(tree, k)
            rdd[k] = elements.pin_input_back(rdd[parent], alpha[parent], lever, _arms(tree, parent)[2])
        alpha[k] = elements.pin_back(*gains[k], rdd[k])
        _, lever, omega = _arms(tree, k)
        found[k] = [*elements.pin_input_back(rdd[k], alpha[k], lever, omega), alpha[k]]
    return relative(found, tree.accelerations()[:, [0, 1, 5]])


def pin_chain_error(elements: Elements) -> float:
    """A chain of pins in the paper's form."""
    tree = _planar_tree([1, 2, 3, -1])
    z = np.vstack([np.eye(3, 4), np.zeros((3, 4)), np.eye(4)[3]])
    inputs = []
    for k, b in enumerate(tree.bodies):
        c, lever, omega = _arms(tree, k)
        given = (b.mass, b.inertia[2, 2], c, lever, omega, b.force[:2], b.moment[2])
        body = elements.body_transfer_planar(*given).reshape(7, 7)
        if k:
            rows = (body[3, :3], body[3, 3:6], body[3, 6:])
            u, *_ = elements.far_side_pin(*rows, tree.bodies[k - 1].tau[:1], b.tau[:1], np.ones(1))
            z = u.reshape(7, 7) @ z
        inputs.append(z)
        z = body @ z
    rows = np.vstack([z[:2], z[3:4]])
    tip = np.linalg.solve(rows[:, :3], [*-rows[:2, 3], tree.bodies[-1].tau[0] - rows[2, 3]])
    found = np.array([(z_in @ [*tip, 1.0])[:3] for z_in in inputs])
    return relative(found, tree.accelerations()[:, [0, 1, 5]])
