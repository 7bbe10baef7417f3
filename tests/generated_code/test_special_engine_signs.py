"""Whatever sign is turned in the C of the special engines, balls only and pins only, a law of their motion notices.

Laws: accelerations and angular accelerations are those of a dense solve, with forces on the bodies and with loops;
places and velocities those of the joints; loops are closed by the motion of least kinetic energy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from oracle.ball_trees import dense_matrix, in_space, places, random_tree, with_loops
from oracle.switched_signs import Sign, compile_switched

from symgen.simulate.special import engine as special_engine
from symgen.simulate.special.engine import SpecialEngine, SpecialSettings
from symgen.simulate.special.tree import Kind, SpecialTree
from symgen.status import Status

pytestmark = pytest.mark.compiler
#: What is right is better than this by orders (rounding), what is wrong is worse.
NOTICED = 1e-7
#: Turns [rad] by which loops are opened: their square is below what is noticed.
OPENED = 3e-6
#: Functions without mechanics: where things are in the workspace, whether tables are in order.
LAYOUT = ("lay_out", "layout_size", "strands", "spares", "pair_of", "strands_at", "check_loops",
          "symgen_transfer_ball_check", "symgen_transfer_planar_check")  # fmt: skip
#: Signs that only guard: number of a loop that fails, rounds of closing, all mass and blocks that pivots are next to.
GUARDS = (
    ("close_body", "-2 - system->loops"), ("close_body", "- system->loops.strand[closed"), ("close_gaps", "-1"),
    ("sweep", "mass +="), ("solve_ball_close", "-d_block_"),
)  # fmt: skip
Law = Callable[[], float]


# -- laws --------------------------------------------------------------------------------------------------------------


def _unfolded(tree: SpecialTree, solved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both = solved[: 6 * tree.bodies].reshape(2, -1, 3)
    return both[0], both[1]


def _velocities(tree: SpecialTree, state: np.ndarray) -> np.ndarray:
    """Return velocities of the centres of mass (n, 3): joints hold."""
    s, found = in_space(tree, state), np.zeros((tree.bodies, 3))
    for i in reversed(range(tree.bodies)):
        p = s.parent[i]
        carried = found[p] + np.cross(s.omega[p], s.input[i]) if p >= 0 else 0.0
        found[i] = carried - np.cross(s.omega[i], s.output[i])
    return found


def _flat(tree: SpecialTree, wide: np.ndarray) -> np.ndarray:
    """Return vectors (n, 6) as the engine gives them."""
    return wide if tree.kind == "ball" else wide[:, [0, 1, 5]]


def _motion_law(tree: SpecialTree, state: np.ndarray, wrenches: np.ndarray) -> Law:
    """Rates, places, velocities and accelerations under gravity and forces."""
    matrix, right = dense_matrix(tree, state)
    pushes = wrenches if tree.kind == "ball" else np.insert(wrenches, [2, 2, 2], 0.0, axis=1)
    right[: 6 * tree.bodies] += np.concatenate([pushes[:, :3].ravel(), pushes[:, 3:].ravel()])
    centres, turns = _unfolded(tree, np.linalg.solve(matrix, right))
    s, where, moved = in_space(tree, state), places(tree, state), _velocities(tree, state)
    if tree.kind == "ball":
        turning = np.array([_quaternion_rate(q, w) for q, w in zip(state[:, :4], s.omega, strict=True)])
        rate, pose = np.hstack([turning, turns]), np.hstack([where, state[:, :4]])
    else:
        rate, pose = np.stack([state[:, 1], turns[:, 2]], axis=1), np.hstack([where[:, :2], state[:, :1]])
    exact = [rate, pose, _flat(tree, np.hstack([moved, s.omega])), _flat(tree, np.hstack([centres, turns]))]
    sizes = [1.0 + np.abs(each).max() for each in exact]
    engine = SpecialEngine(tree, wrenches=wrenches)

    def law() -> float:
        rates = engine.rates(state)
        found = (rates, *engine.motion(state, rates))
        return max(float(np.abs(f - e).max()) / size for f, e, size in zip(found, exact, sizes, strict=True))

    return law


def _quaternion_rate(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the rate of a quaternion, from the turn of a small time: an even difference has no square."""
    h = 1e-5
    ahead, back = (_multiply(np.array([np.cos(a), *(np.sin(a) * omega / np.linalg.norm(omega))]), q)
                   for a in (0.5 * h * np.linalg.norm(omega), -0.5 * h * np.linalg.norm(omega)))  # fmt: skip
    return (ahead - back) / (2 * h)


def _multiply(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    vector = one[0] * two[1:] + two[0] * one[1:] + np.cross(one[1:], two[1:])
    return np.array([one[0] * two[0] - one[1:] @ two[1:], *vector])


def _turned(tree: SpecialTree, state: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Return a state with bodies turned by vectors (n, 3)."""
    found = state.copy()
    if tree.kind == "planar":
        found[:, 0] += turns[:, 2]
        return found
    for i, turn in enumerate(turns):
        angle = np.linalg.norm(turn)
        if angle > 0.0:
            found[i, :4] = _multiply(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * turn / angle)]), state[i, :4])
    return found


def _gaps(tree: SpecialTree, state: np.ndarray) -> np.ndarray:
    """Return second end less first end of all loops, the axes that count."""
    s, where = in_space(tree, state), places(tree, state)
    rows = []
    for bodies, points in s.loops:
        one, two = (where[b] + p if b >= 0 else p for b, p in zip(bodies, points, strict=True))
        rows.append((two - one)[: len(tree.gravity)])
    return np.concatenate(rows)


def closed(tree: SpecialTree, state: np.ndarray) -> np.ndarray:
    """Return a state with loops closed: places, then velocities, by the motions of least kinetic energy."""
    for _ in range(3):
        matrix, right = dense_matrix(tree, state)
        right[:] = 0.0
        right[9 * tree.bodies :] = -_gaps(tree, state)
        state = _turned(tree, state, _unfolded(tree, np.linalg.solve(matrix, right))[1])
    matrix, right = dense_matrix(tree, state)
    moving = np.concatenate([_velocities(tree, state).ravel(), in_space(tree, state).omega.ravel()])
    right[:] = 0.0
    right[9 * tree.bodies :] = -matrix[9 * tree.bodies :, : 6 * tree.bodies] @ moving
    turns = _unfolded(tree, np.linalg.solve(matrix, right))[1]
    state = state.copy()
    if tree.kind == "planar":
        state[:, 1] += turns[:, 2]
    else:
        state[:, 4:] += turns
    return state


def _closing_law(tree: SpecialTree, state: np.ndarray) -> Law:
    """A step of no length leaves the loops closed."""
    engine, exact = SpecialEngine(tree), closed(tree, state)

    def law() -> float:
        found = engine.run(SpecialSettings(0.0, 1e-12, 1), state)
        return float(np.abs(found.state - exact).max()) if found.status == Status.OK else np.inf

    return law


def _systems(kind: Kind) -> Iterator[tuple[SpecialTree, np.ndarray]]:
    """Yield trees with states: branched, with loops of bodies and to the ground that are open together."""
    yield random_tree(kind, 5, 3)
    yield random_tree(kind, 4, 1, chain=True)
    for loops, grounded, count in ((1, 0, 6), (2, 1, 12), (0, 2, 9), (3, 2, 12), (5, 0, 16)):
        yield next(found for seed in range(99) if _is_regular(*(found := _looped(kind, loops, grounded, count, seed))))


def _looped(kind: Kind, loops: int, grounded: int, count: int, seed: int) -> tuple[SpecialTree, np.ndarray]:
    tree, state = random_tree(kind, count, seed, chain=seed % 2 == 0)
    return with_loops(tree, state, loops, seed + 50, grounded=grounded), state


def _is_regular(tree: SpecialTree, state: np.ndarray) -> bool:
    """Whether no loop is nearly redundant."""
    values = np.linalg.svd(dense_matrix(tree, state)[0], compute_uv=False)
    return bool(values[-1] > 1e-4 * values[0])


def laws(kind: Kind) -> list[Law]:
    """Return how far the engine is off each law, for engines that are bound to the module loaded now."""
    found: list[Law] = []
    for tree, state in _systems(kind):
        wrenches = np.random.default_rng(1).normal(size=(tree.bodies, 6 if kind == "ball" else 3))
        found.append(_motion_law(tree, state, wrenches))
        if tree.loops:
            turns = OPENED * np.random.default_rng(2).normal(size=(tree.bodies, 3))
            found.append(_closing_law(tree, _turned(tree, state, turns)))
    return found


# -- signs -------------------------------------------------------------------------------------------------------------


def _noticed(law: Law) -> bool:
    try:
        error = law()
    except Exception:  # a pivot vanishes, a state is not finite
        return True
    return not error <= NOTICED


def _guards(sign: Sign) -> bool:
    return any(sign.function == function and sign.text.startswith(text) for function, text in GUARDS)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["ball", "planar"])
def test_a_turned_sign_of_a_special_engine_is_noticed(
    kind: Kind, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = (f"transfer_special_{part}.h" for part in ("loops", "columns", "closing"))
    files = (f"transfer_{kind}_kernels.h", f"transfer_{kind}.c", *shared)
    ffi, lib, switches, signs = compile_switched(
        special_engine._sources(kind), files, tmp_path_factory.mktemp(kind), LAYOUT
    )
    monkeypatch.setattr(special_engine, "load_module", lambda _: SimpleNamespace(ffi=ffi, lib=lib))
    monkeypatch.setattr(special_engine, "MOST_STEPS", 200)
    held = laws(kind)
    assert max(law() for law in held) < NOTICED * 1e-3
    left: list[Sign] = []
    for k, sign in enumerate(signs):
        switches[k] = -1.0
        if not _guards(sign) and not any(_noticed(law) for law in held):
            left.append(sign)
        switches[k] = 1.0
    assert len(signs) > 100
    assert [f"{sign.file}:{sign.line} {sign.function}: {sign.text}" for sign in left] == []
