"""The special engines of transfer matrices in C: bodies on ball joints, planar bodies on pins."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from oracle.ball_trees import (
    dense_accelerations,
    dense_matrix,
    extended_accelerations,
    places,
    random_tree,
    rotation,
    with_loops,
)
from oracle.compilers import C_ONLY, COMPILERS, FUSING, LANGUAGES, WARNINGS, need, run

from symgen.errors import InputError, SolveError
from symgen.resources import generated_folder
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.special.engine import SpecialEngine, SpecialSettings, read_special
from symgen.simulate.special.loops import SpecialLoop
from symgen.simulate.special.tree import Kind, SpecialTree, make_tree
from symgen.status import Status

pytestmark = pytest.mark.compiler
KINDS = ("ball", "planar")
every_kind = pytest.mark.parametrize("kind", KINDS)
every_compiler = pytest.mark.parametrize("compiler", COMPILERS)


def angular(tree: SpecialTree, rates: np.ndarray) -> np.ndarray:
    """Return angular accelerations (n, 3)."""
    return rates[:, 4:] if tree.kind == "ball" else np.pad(rates[:, 1:], ((0, 0), (2, 0)))


# -- accelerations ---------------------------------------------------------------------------------------------------


@pytest.mark.sampled(10)
@every_kind
@pytest.mark.parametrize("shape", ["chain", "forest"])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 20])
def test_accelerations_are_those_of_a_dense_solve(kind: str, shape: str, count: int) -> None:
    for seed in range(4):
        tree, state = random_tree(kind, count, 100 * count + seed, chain=shape == "chain")
        engine = SpecialEngine(tree)
        rates = engine.rates(state)
        centres, turns = dense_accelerations(tree, state)
        found = engine.motion(state, rates)[2]
        wide = found if kind == "ball" else np.insert(found, [2, 2, 2], 0.0, axis=1)
        # errors of recursion and refined solve are some 1e-14 of the largest acceleration at this size
        scale = max(np.abs(centres).max(), np.abs(turns).max())
        assert np.abs(wide[:, :3] - centres).max() <= 1e-13 * scale
        assert np.abs(wide[:, 3:] - turns).max() <= 1e-13 * scale
        assert np.abs(angular(tree, rates) - turns).max() <= 1e-13 * scale


@every_kind
@pytest.mark.parametrize("chain", [True, False])
def test_a_thousand_bodies_keep_all_digits(kind: str, chain: bool) -> None:
    """A recursion that stores all of S and uses its symmetry is unstable: no digit is left at 250 bodies."""
    tree, state = random_tree(kind, 1000, 5, chain=chain)
    found = angular(tree, SpecialEngine(tree).rates(state))
    exact = extended_accelerations(tree, state)
    assert np.abs(found - exact)[:, 2 if kind == "planar" else 0 :].max() <= 1e-13 * np.abs(exact).max()


def test_a_straight_hanging_chain_at_rest_stays_at_rest() -> None:
    count = 1000
    one = np.tile([0.0, 0.0, 0.25], (count, 1))
    inertia = np.tile([0.02, 0.02, 1e-4, 0.0, 0.0, 0.0], (count, 1))
    gravity = np.array([0.0, 0.0, -9.81])
    tree = make_tree("ball", np.arange(count) - 1, np.ones(count), inertia, one, -one, gravity)
    state = np.tile([1.0, 0, 0, 0, 0, 0, 0], (count, 1))
    assert np.abs(SpecialEngine(tree).rates(state)).max() == 0.0


@every_kind
def test_forces_on_bodies_act_as_gravity_does(kind: str) -> None:
    tree, state = random_tree(kind, 12, 3)
    size = len(tree.gravity)
    weight = np.zeros((12, 6 if kind == "ball" else 3))
    weight[:, :size] = tree.mass[:, None] * tree.gravity
    floating = replace(tree, gravity=np.zeros(size))
    pushed, pulled = SpecialEngine(floating, wrenches=weight).rates(state), SpecialEngine(tree).rates(state)
    assert np.abs(pushed - pulled).max() <= 1e-13 * np.abs(pulled).max()


@every_kind
def test_torques_do_work_at_their_rates(kind: str) -> None:
    """What torques add to the accelerations adds their power to the rate of the kinetic energy."""
    tree, state = random_tree(kind, 6, 8)
    width, first = (6, 3) if kind == "ball" else (3, 2)
    wrenches = np.zeros((6, width))
    wrenches[:, first:] = np.random.default_rng(1).normal(size=(6, width - first))
    tree = replace(tree, gravity=np.zeros_like(tree.gravity))
    engine = SpecialEngine(tree, wrenches=wrenches)
    short = engine.run(SpecialSettings(0.0, 2e-4, 2, 1), state)
    energy = [_kinetic(tree, pose, twist) for pose, twist in zip(short.poses, short.twists, strict=True)]
    power = float(np.sum(wrenches * short.twists[1]))
    assert (energy[2] - energy[0]) / 2e-4 == pytest.approx(power, rel=1e-5)  # central difference of step 1e-4


# -- loops -----------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@every_kind
@pytest.mark.parametrize(("loops", "grounded"), [(1, 0), (0, 1), (2, 0), (1, 1), (3, 0), (2, 2)])
def test_accelerations_of_loops_are_those_of_a_dense_solve(kind: str, loops: int, grounded: int) -> None:
    solved = 0
    for seed in range(10):
        count = 4 + 2 * (loops + grounded) + seed % 5
        tree, state = random_tree(kind, count, seed, chain=seed % 3 == 0)
        tree = with_loops(tree, state, loops, seed + 50, grounded=grounded)
        values = np.linalg.svd(dense_matrix(tree, state)[0], compute_uv=False)
        engine = SpecialEngine(tree)
        if values[-1] < 1e-12 * values[0]:  # redundant: two bodies on one another, joined twice, and the like
            with pytest.raises(SolveError, match="here it adds no constraint"):
                engine.rates(state)
            continue
        centres, turns = dense_accelerations(tree, state)
        scale = max(np.abs(centres).max(), np.abs(turns).max())
        # a loop that is nearly redundant costs digits, of a dense solve too
        bound = 1e-12 + 1e-15 * values[0] / values[-1]
        assert np.abs(angular(tree, engine.rates(state)) - turns).max() <= bound * scale
        solved += 1
    assert solved >= 2


def _arm(kind: str, count: int) -> tuple[SpecialTree, np.ndarray]:
    """Return a chain between two points of the ground, at rest and closed."""
    tree, state = random_tree(kind, count, 4, chain=True)
    where, size = places(tree, state), len(tree.gravity)
    free = int(np.flatnonzero(tree.inputs == 0)[0])
    meet = where[free] + np.array([0.1, 0.2, 0.0])
    turn = rotation(state[free, :4]) if kind == "ball" else _flat(state[free, 0])
    loop = SpecialLoop((free, -1), ((turn.T @ (meet - where[free]))[:size], meet[:size]))
    still = state.copy()
    still[:, 4 if kind == "ball" else 1 :] = 0.0
    return replace(tree, loops=(loop,)), still


def _flat(angle: float) -> np.ndarray:
    return rotation(np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]))


@every_kind
@pytest.mark.parametrize("tolerance", [None, 1e-10])
def test_loops_stay_closed_and_energy_stays(kind: str, tolerance: float | None) -> None:
    tree, state = _arm(kind, 8)
    scheme = EXPLICIT[4 if tolerance is None else 8]
    found = SpecialEngine(tree).run(SpecialSettings(0.0, 0.5, 10, 50, tolerance=tolerance, scheme=scheme), state)
    assert (found.status, len(found.poses)) == (Status.OK, 11)
    body, (point, meet), size = tree.loops[0].bodies[0], tree.loops[0].points, len(tree.gravity)
    energies = []
    for pose, twist in zip(found.poses, found.twists, strict=True):
        turn = rotation(pose[body, 3:]) if kind == "ball" else _flat(pose[body, 2])
        lever = turn @ np.pad(point, (0, 3 - size))
        assert pose[body, :size] + lever[:size] == pytest.approx(meet, abs=1e-12)
        omega = twist[body, 3:] if kind == "ball" else np.array([0.0, 0.0, twist[body, 2]])
        assert twist[body, :size] + np.cross(omega, lever)[:size] == pytest.approx(np.zeros(size), abs=1e-11)
        energies.append(_kinetic(tree, pose, twist) - float(np.sum(tree.mass * (pose[:, :size] @ tree.gravity))))
    assert np.ptp(energies) <= 1e-6 * np.abs(energies).max()


@every_kind
def test_a_ladder_of_loops_is_closed_rung_by_rung(kind: str) -> None:
    """Many loops open at once: two chains side by side, tied together at each body but the first ones."""
    rungs, size = 6, 3 if kind == "ball" else 2
    down, across = np.eye(size)[size - 1] * -0.5, np.eye(size)[0]
    parent = [-1 if k in (0, rungs) else k - 1 for k in range(2 * rungs)]
    input_ = [(across * (k >= rungs)) if p < 0 else down / 2 for k, p in enumerate(parent)]
    ties = []
    for k in range(rungs - 1):  # a rung hangs on the left chain and meets the right one
        parent.append(k)
        input_.append(down / 2)
        ties.append(SpecialLoop((2 * rungs + k, rungs + k), (across / 2, down / 2)))
    count = len(parent)
    output = np.array([-down / 2] * (2 * rungs) + [-across / 2] * (rungs - 1))
    inertia = np.tile([0.02, 0.03, 0.025, 0.0, 0.0, 0.0], (count, 1)) if kind == "ball" else np.full(count, 0.02)
    gravity = np.eye(size)[size - 1] * -9.81
    name: Kind = "ball" if kind == "ball" else "planar"
    tree = make_tree(name, parent, np.ones(count), inertia, output, np.array(input_), gravity, ties)
    omega = np.random.default_rng(2).normal(size=(count, 3))
    state = np.pad(omega, ((0, 0), (4, 0))) if kind == "ball" else np.pad(omega[:, 2:], ((0, 0), (1, 0)))
    if kind == "ball":
        state[:, 0] = 1.0
    turns = dense_accelerations(tree, state)[1]
    assert np.abs(angular(tree, SpecialEngine(tree).rates(state)) - turns).max() <= 1e-11 * np.abs(turns).max()


# -- trajectories ----------------------------------------------------------------------------------------------------


def _kinetic(tree: SpecialTree, poses: np.ndarray, twists: np.ndarray) -> float:
    if tree.kind == "planar":
        return float(
            0.5 * np.sum(tree.mass * np.sum(twists[:, :2] ** 2, 1)) + 0.5 * np.sum(tree.inertia * twists[:, 2] ** 2)
        )

    total = 0.5 * np.sum(tree.mass * np.sum(twists[:, :3] ** 2, axis=1))
    for pose, twist, i in zip(poses, twists, tree.inertia, strict=True):
        local = rotation(pose[3:]).T @ twist[3:]
        total += 0.5 * local @ np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]) @ local
    return float(total)


@every_kind
@pytest.mark.parametrize("tolerance", [None, 1e-11])
def test_energy_stays(kind: str, tolerance: float | None) -> None:
    tree, state = random_tree(kind, 9, 2)
    scheme = EXPLICIT[4 if tolerance is None else 8]
    found = SpecialEngine(tree).run(SpecialSettings(0.0, 0.5, 10, 50, tolerance=tolerance, scheme=scheme), state)
    assert found.status == Status.OK
    energies = []
    for pose, twist in zip(found.poses, found.twists, strict=True):
        potential = -float(np.sum(tree.mass * (pose[:, : len(tree.gravity)] @ tree.gravity)))
        energies.append((_kinetic(tree, pose, twist), potential))
    kinetic, potential = np.array(energies).T
    # steps of 1 ms: RK4 keeps some 1e-7 of the energy of such quick small bodies, DOP853 what its tolerance says
    bound = (1e-6 if tolerance is None else 1e-9) * kinetic.max()
    assert np.abs(kinetic + potential - kinetic[0] - potential[0]).max() <= bound


@every_kind
def test_both_schemes_agree_and_so_do_samples_between_steps(kind: str) -> None:
    tree, state = random_tree(kind, 5, 4)
    engine = SpecialEngine(tree)
    equal = engine.run(SpecialSettings(0.0, 0.3, 30, 2), state)
    chosen = engine.run(SpecialSettings(0.0, 0.3, 30, tolerance=1e-12, scheme=EXPLICIT[8]), state)
    assert (equal.steps, len(equal.poses), len(chosen.poses)) == (60, 31, 31)
    assert equal.time == chosen.time == 0.3
    # order 4: with steps of 5 ms at rates of some 10/s an error of 1e-6, 16 times smaller with half the step
    half = engine.run(SpecialSettings(0.0, 0.3, 30, 4), state)
    gaps = [np.abs(found.poses - chosen.poses).max() for found in (equal, half)]
    assert gaps[0] <= 1e-4
    assert 12 <= gaps[0] / gaps[1] <= 20


def test_quaternions_stay_unit() -> None:
    tree, state = random_tree("ball", 5, 4)
    found = SpecialEngine(tree).run(SpecialSettings(0.0, 2.0, 4, 25), state)  # coarse: lengths would drift
    assert np.abs(np.linalg.norm(found.poses[:, :, 3:], axis=2) - 1.0).max() <= 1e-15


@every_kind
def test_twists_and_accelerations_are_derivatives_of_the_poses(kind: str) -> None:
    tree, state = random_tree(kind, 6, 11)
    found = SpecialEngine(tree).run(SpecialSettings(0.0, 4e-4, 4, 4), state)
    size, h = len(tree.gravity), 1e-4
    places = found.poses[:, :, :size]
    velocity = (places[0] - 8 * places[1] + 8 * places[3] - places[4]) / (12 * h)
    change = found.twists[0] - 8 * found.twists[1] + 8 * found.twists[3] - found.twists[4]
    # fourth-order differences: h^4 times fifth derivatives, and rounding over h
    assert velocity == pytest.approx(found.twists[2, :, :size], rel=1e-7, abs=1e-8)
    assert change / (12 * h) == pytest.approx(found.accelerations[2], rel=1e-6, abs=1e-5)


@every_kind
def test_a_run_tells_how_far_it_is_and_can_be_continued(kind: str) -> None:
    tree, state = random_tree(kind, 4, 6)
    engine = SpecialEngine(tree)
    progress: list[float] = []
    whole = engine.run(SpecialSettings(0.0, 0.2, 2, 100), state, progress.append)
    first = engine.run(SpecialSettings(0.0, 0.1, 1, 100), state)
    second = engine.run(SpecialSettings(0.1, 0.2, 1, 100), first.state)
    assert np.abs(second.state - whole.state).max() <= 1e-12
    assert all(0.0 <= part <= 1.0 for part in progress)


# -- refusals --------------------------------------------------------------------------------------------------------


@every_kind
def test_a_body_without_inertia_about_its_joint_is_named(kind: str) -> None:
    tree, state = random_tree(kind, 5, 1, chain=True)
    inertia, output, mass = tree.inertia.copy(), tree.output.copy(), tree.mass.copy()
    inertia[0], output[0] = 0.0, 0.0  # the tip: a point on its joint
    with pytest.raises(SolveError, match=r"body 0 of the tree: it has no inertia about its joint") as caught:
        SpecialEngine(replace(tree, inertia=inertia, output=output, mass=mass)).rates(state)
    assert caught.value.status == Status.SINGULAR


def test_a_rod_without_inertia_about_its_axis_is_singular_on_a_ball() -> None:
    tree, state = random_tree("ball", 1, 1)
    rod = replace(tree, inertia=np.zeros((1, 6)), output=np.array([[0.3, 0.4, -0.2]]))
    with pytest.raises(SolveError, match="no inertia"):
        SpecialEngine(rod).rates(state)


@every_kind
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_state_that_is_not_finite_is_refused(kind: str, value: float) -> None:
    tree, state = random_tree(kind, 5, 1)
    engine = SpecialEngine(tree)
    state[2, -1] = value
    with pytest.raises(SolveError):
        engine.rates(state)
    assert engine.run(SpecialSettings(0.0, 0.1, 1, 10), state).status == Status.BAD_INPUT


@every_kind
def test_tables_in_another_order_or_with_bad_numbers_are_refused(kind: str) -> None:
    tree, _ = random_tree(kind, 6, 1, chain=True)
    with pytest.raises(InputError):
        SpecialEngine(replace(tree, parent=tree.parent[::-1].copy()))
    for name in ("mass", "inertia", "output", "input"):
        values = getattr(tree, name).copy()
        values[3] = np.nan
        with pytest.raises(InputError, match="body 3"):
            SpecialEngine(replace(tree, **{name: values}))
    with pytest.raises(InputError, match="body 3"):
        SpecialEngine(replace(tree, mass=np.where(np.arange(6) == 3, -1.0, tree.mass)))


@every_kind
def test_loops_between_points_that_are_not_finite_are_refused(kind: str) -> None:
    tree, state = random_tree(kind, 6, 1)
    loop = with_loops(tree, state, 1, 2).loops[0]
    for point in (loop.points[0] * np.nan, loop.points[0] * np.inf):
        with pytest.raises(InputError):
            SpecialEngine(replace(tree, loops=(replace(loop, points=(point, loop.points[1])),)))


# -- the files -------------------------------------------------------------------------------------------------------


def _source(kind: str) -> Path:
    return generated_folder() / "transfer" / f"transfer_{kind}.c"


@pytest.mark.sampled(1)
@every_kind
@every_compiler
def test_special_engines_compile_without_a_word_and_export_their_functions_only(
    kind: str, compiler: str, tmp_path: Path
) -> None:
    target = tmp_path / "object.o"
    run(need(compiler), *WARNINGS, *LANGUAGES["c99"], *FUSING[compiler], "-c", _source(kind), "-o", target)
    run(need(compiler), *WARNINGS, *LANGUAGES["c++"], "-fsyntax-only", _source(kind))
    symbols = [line.split()[-2:] for line in run(need("nm"), target).splitlines() if line.strip()]
    announced = set(re.findall(r"(symgen_transfer_\w+)\(", read_special().special[kind].cdef))
    assert {name for letter, name in symbols if letter in "TWVuig"} == announced
    assert [name for letter, name in symbols if letter in "BbDdCGgSs"] == [], "writable data"
    # a compiler may clear and copy by these two, which every platform has
    allowed = {"sqrt", "sin", "cos", "sincos", "pow", "fabs", "memset", "memcpy"}
    allowed |= {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}
    assert {name for letter, name in symbols if letter == "U"} <= allowed


@every_kind
@every_compiler
def test_the_header_of_a_special_engine_needs_nothing_before_it(kind: str, compiler: str, tmp_path: Path) -> None:
    user = tmp_path / "user.c"
    user.write_text(f'#include "transfer_{kind}.h"\n#include "transfer_{kind}.h"\nint symgen_user;\n')
    warnings = [warning for warning in WARNINGS if warning not in C_ONLY]
    for flags in LANGUAGES.values():
        run(need(compiler), *warnings, *flags, "-fsyntax-only", "-I", _source(kind).parent, user)
