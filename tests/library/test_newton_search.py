"""The search of certified Newton against counts by other means: bisection of one equation, circles and lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from library.assembled_groups import PITCH, assemble, joint_motion, quaternion
from library.newton_groups import arrangement, newton_of

import symgen
from symgen.library.instance import GroupInstance, instance_of
from symgen.library.newton.answer import solve_by_newton
from symgen.library.newton.assemblies import Search
from symgen.library.newton.bounds import inverses
from symgen.library.newton.places import held_axes, solve_places
from symgen.library.newton.starts import start_batches, turns_covered
from symgen.library.solve_instance import solve_instance
from symgen.poses import Array, matrix
from symgen.status import Status

Tree = dict[str, Any]

pytestmark = pytest.mark.extension


def _search(tree: Tree) -> Search:
    newton, given = newton_of(instance_of(tree), "c")
    return newton.search(given)


def _assembled(words: str, space: str, seed: int) -> Tree:
    made = arrangement(words)
    return assemble(made, space, seed, (False,) * len(made.joints)).tree


# -- slides ------------------------------------------------------------------------------------------------------------

LEGS = {"RR": "k{n}-l{n}:R l{n}-p:R", "PR": "k{n}-l{n}:P l{n}-p:R", "RP": "k{n}-l{n}:R l{n}-p:P", "L": "k{n}-p:L"}


def _sine_between_slides(tree: Tree) -> float:
    """Return the sine of the angle between the slides of the first two joints, through the body they share."""
    one, two = tree["joints"]["j1"]["frames"]["body_l0"], tree["joints"]["j2"]["frames"]["body_l0"]
    return abs(float(np.sin(one["angle"] - two["angle"])))


@pytest.mark.slow
@pytest.mark.parametrize("legs", ["RR RR", "RR PR", "RR RP", "RR L"])
def test_slides_that_are_almost_parallel_hide_no_branch(legs: str) -> None:
    """A leg P.P holds the platform's angle; its place is where two circles, or a circle and a line, meet: twice.

    One of them is the constructed one, so that both are real. With slides almost parallel the leg's body may be a
    hundred times the group's size away.
    """
    words = "k0-l0:P l0-p:P " + " ".join(LEGS[leg].format(n=n) for n, leg in enumerate(legs.split(), start=1))
    tried = 0
    for seed in range(200):
        tree = _assembled(words, "planar", seed)
        if _sine_between_slides(tree) > 0.03:
            continue
        tried += 1
        search = _search(tree)
        assert len(search.assemblies) == 2, seed
        assert not search.continuum
    assert tried >= 2


def test_places_close_what_slides_at_any_orientation() -> None:
    """Three C pairs in a row hold six of the nine place coordinates' equations; with axes given they can all hold."""
    newton, given = newton_of(instance_of(_assembled("k1-a:C a-b:C b-k2:C", "spatial", 3)), "c")
    plan, inputs = newton.plan, given.inputs
    random = np.random.default_rng(1)
    poses = np.concatenate([random.normal(size=(20, 2, 3)), random.normal(size=(20, 2, 4))], axis=-1)
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    found = solve_places(plan, inputs, inputs.known[0], poses, inputs.frames)
    assert np.array_equal(found[..., 3:], poses[..., 3:])
    number = {plan.problem.bodies[k]: found[:, place] for place, k in enumerate(plan.order)}
    number |= {body: np.broadcast_to(inputs.known[0, k], (20, 7)) for k, body in enumerate(plan.problem.known)}
    for index, joint in enumerate(plan.problem.joints):
        ends = [number[body] for body in joint.bodies]
        one, two = (
            end[:, :3] + matrix(end[:, 3:]) @ frame[:3] for end, frame in zip(ends, inputs.frames[index], strict=True)
        )
        frame = matrix(ends[0][:, 3:]) @ matrix(inputs.frames[index, 0, 3:])
        apart = np.einsum("nij,ni->nj", frame, two - one)
        assert [axis for axis, _ in held_axes(plan, index)] == [0, 1]
        # rounding times the condition of random directions
        assert np.abs(apart[:, :2]).max() < 1e-9 * np.abs(found[..., :3]).max()


def test_starts_are_the_same_for_equal_groups() -> None:
    newton, given = newton_of(instance_of(_assembled("k1-a:H a-b:U b-k2:S", "spatial", 2)), "c")
    one, two = (next(start_batches(newton.plan, given.inputs, 64)) for _ in range(2))
    assert np.array_equal(one, two)


# -- pins in slots -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_pins_in_slots_have_the_branches_of_their_closed_forms() -> None:
    library = symgen.library(backend="numpy")  # the closed form; nothing more to compile
    entries = [e for e in library.catalogue.entries if any(joint.type == "L" for joint in e.arrangement.joints)]
    assert len(entries) >= 4
    for entry in entries:
        for seed in range(3):
            tree = assemble(entry.arrangement, "planar", seed, (False,) * len(entry.arrangement.joints)).tree
            wanted = solve_instance(library, instance_of(tree))
            found = _search(tree).assemblies
            assert len(found) == len(wanted["branches"]), (entry.key, seed)
            assert all(each.certified for each in found)


@pytest.mark.parametrize(
    "words", ["k1-a:R a-b:L*slide b-k2:R", "k1-a:L*angle a-b:R b-k2:P", "k1-a:R k2-b:R a-b:L b-a:L"]
)
def test_groups_with_slots_need_no_closed_form(words: str) -> None:
    tree = _two_slots() if "b-a" in words else _assembled(words, "planar", 4)
    answer = solve_instance(symgen.library(), instance_of(tree))
    assert answer["status"] == "OK"
    assert answer["method"] == "certified Newton"
    assert all(branch["certified"] for branch in answer["branches"])


def _two_slots() -> Tree:
    """Two cranks; each has a slot for a pin of the other. At the given poses it closes: cranks at zero angle."""
    slot, pin = {"at": [0.5, 0.2], "angle": 0.4}, {"at": [-0.4, 0.1], "angle": 0.0}
    place = np.array([0.5, 0.2]) + 0.1 * np.array([np.cos(0.4), np.sin(0.4)])  # of the pin, along the slot
    apart = place - np.array(pin["at"])  # from the first crank's centre to the second's
    other = {"at": [-0.6, -0.5], "angle": 1.3}
    place = apart + np.array(other["at"]) - 0.2 * np.array([np.cos(1.3), np.sin(1.3)])
    nothing = {"at": [0.0, 0.0], "angle": 0.0}
    return {
        "schema": "symgen/group-instance/1", "space": "planar", "bodies": ["a", "b"],
        "known": {"K1": {"r": [0.0, 0.0], "phi": 0.0}, "K2": {"r": apart.tolist(), "phi": 0.0}},
        "joints": {
            "A": {"type": "R", "bodies": ["K1", "a"], "frames": {"K1": nothing, "a": nothing}},
            "B": {"type": "R", "bodies": ["K2", "b"], "frames": {"K2": nothing, "b": nothing}},
            "C": {"type": "L", "bodies": ["a", "b"], "frames": {"a": slot, "b": pin}},
            "D": {"type": "L", "bodies": ["b", "a"],
                  "frames": {"b": other, "a": {"at": place.tolist(), "angle": 0.0}}},
        },
    }  # fmt: skip


# -- helical pairs -----------------------------------------------------------------------------------------------------


def _pose(numbers: Any) -> Any:
    result = np.eye(4)
    result[:3, 3], result[:3, :3] = numbers[:3], matrix(np.asarray(numbers[3:]))
    return result


def _branches_of_a_nut_on_a_rod(instance: GroupInstance) -> int:
    """Count the solutions of K1-H-a-U-b-S-K2 by bisection over 60 turns of the helix.

    The centre of the U must be as far from that of the S as the rod is long: one equation in the angle of the helix.
    A cross that can point the rod there can do so in two ways.
    """
    k1, k2 = (_pose(instance.known[name].pose) for name in ("K1", "K2"))
    frames = {joint.name: [_pose(side) for side in instance.frames[joint.name]] for joint in instance.joints}
    first, back = k1 @ frames["j1"][0], np.linalg.inv(frames["j1"][1]) @ frames["j2"][0]
    target = (k2 @ frames["j3"][1])[:3, 3]
    rod = (np.linalg.inv(frames["j2"][1]) @ frames["j3"][0])[:3, 3]

    def left(angle: Any) -> tuple[Any, Any]:
        c, s, nil = np.cos(angle), np.sin(angle), np.zeros_like(angle)
        rows = [[c, -s, nil, nil], [s, c, nil, nil], [nil, nil, nil + 1, PITCH * angle], [nil, nil, nil, nil + 1]]
        cross = first @ np.moveaxis(np.array(rows), -1, 0) @ back
        ahead = target - cross[:, :3, 3]
        height = np.einsum("nji,nj->ni", cross[:, :3, :3], ahead)[:, 2]
        return np.sum(ahead**2, axis=-1) - rod @ rod, np.hypot(rod[1], rod[2]) - np.abs(height)

    grid = np.linspace(-120 * np.pi, 120 * np.pi, 60 * 2 * 400)
    value = left(grid)[0]
    start = np.flatnonzero(value[1:] * value[:-1] < 0.0)
    low, high, sign = grid[start], grid[start + 1], np.sign(value[start])
    for _ in range(50):
        middle = 0.5 * (low + high)
        same = np.sign(left(middle)[0]) == sign
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return 2 * int(np.count_nonzero(left(low)[1] > 0.0))


@pytest.mark.slow
def test_solutions_at_other_turns_of_a_helix_are_found() -> None:
    turns = 0
    for seed in range(8):
        instance = instance_of(_assembled("k1-a:H a-b:U b-k2:S", "spatial", seed))
        newton, given = newton_of(instance, "c")
        search = newton.search(given)
        assert len(search.assemblies) == _branches_of_a_nut_on_a_rod(instance), seed
        assert search.starts > 64 * turns_covered(newton.plan, given.inputs)
        turns = max(turns, len(search.assemblies))
    assert turns > 6  # more than a helix of one turn could have


# -- curves of solutions -----------------------------------------------------------------------------------------------

TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]])


def _platform(length: float, base: Array = TRIANGLE) -> Tree:
    """A platform congruent with its base on three rods of one length: at angle zero it moves along a circle."""

    def frame(x: float, y: float) -> Tree:
        return {"at": [x, y], "angle": 0.0}

    joints: Tree = {}
    for k, (x, y) in enumerate(base.tolist()):
        joints[f"a{k}"] = {
            "type": "R",
            "bodies": [f"K{k}", f"l{k}"],
            "frames": {f"K{k}": frame(0, 0), f"l{k}": frame(0, 0)},
        }
        joints[f"b{k}"] = {
            "type": "R",
            "bodies": [f"l{k}", "p"],
            "frames": {f"l{k}": frame(length, 0), "p": frame(x, y)},
        }
    return {
        "schema": "symgen/group-instance/1", "space": "planar", "bodies": ["p", "l0", "l1", "l2"], "joints": joints,
        "known": {f"K{k}": {"r": place, "phi": 0.0} for k, place in enumerate(base.tolist())},
    }  # fmt: skip


def _turned_platforms(length: float) -> list[float]:
    """Return the angles, off zero, at which the platform closes: its place from two equations, the third bisected."""

    def left(angle: float) -> float:
        c, s = np.cos(angle), np.sin(angle)
        points = TRIANGLE @ np.array([[c, s], [-s, c]]) - TRIANGLE  # |place + point| = length
        rows = 2.0 * (points[1:] - points[0])
        place = np.linalg.solve(rows, np.sum(points[0] ** 2) - np.sum(points[1:] ** 2, axis=1))
        return float(np.sum((place + points[0]) ** 2) - length**2)

    grid = np.linspace(1e-3, 2 * np.pi - 1e-3, 2001)
    values = [left(angle) for angle in grid]
    return [float(grid[k]) for k in range(2000) if values[k] * values[k + 1] < 0.0]


@pytest.mark.parametrize("length", [0.8, 1.5])
def test_a_curve_of_solutions_is_told_from_the_isolated_ones(length: float) -> None:
    search = _search(_platform(length))
    assert search.continuum
    assert len(search.assemblies) == len(_turned_platforms(length))
    assert all(each.status is Status.OK for each in search.assemblies)
    head, branches = solve_by_newton(symgen.library(), instance_of(_platform(length)))
    assert head["continuum"]
    assert len(branches) == len(search.assemblies)
    assert head["status"] == ("OK" if branches else "DEGENERATE")
    assert "infinitely many" in head["reason"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_a_curve_of_solutions_is_found_whatever_rounds(turns: int, mirrored: bool) -> None:
    """Turned and mirrored copies round otherwise, as other machines do: few starts converge there, others on each."""
    base = TRIANGLE * [1.0, -1.0] if mirrored else TRIANGLE
    for _ in range(turns):
        base = base[:, ::-1] * [-1.0, 1.0]
    search = _search(_platform(0.8, base))
    assert search.continuum
    assert len(search.assemblies) == len(_turned_platforms(0.8))


def _dyad(first: float, second: float, apart: float) -> Tree:
    def frame(x: float) -> Tree:
        return {"at": [x, 0.0], "angle": 0.0}

    return {
        "schema": "symgen/group-instance/1", "space": "planar", "bodies": ["a", "b"],
        "known": {"K1": {"r": [0.0, 0.0], "phi": 0.0}, "K2": {"r": [apart, 0.0], "phi": 0.0}},
        "joints": {
            "A": {"type": "R", "bodies": ["K1", "a"], "frames": {"K1": frame(0), "a": frame(0)}},
            "B": {"type": "R", "bodies": ["a", "b"], "frames": {"a": frame(first), "b": frame(0)}},
            "C": {"type": "R", "bodies": ["b", "K2"], "frames": {"b": frame(second), "K2": frame(0)}},
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lengths", "count", "continuum"),
    [
        ((0.5, 0.7, 1.0), 2, False),
        ((0.5, 0.7, 1.2), 1, False),  # stretched: branches meet
        ((0.5, 0.7, 0.2), 1, False),  # folded
        ((0.5, 0.7, 1.3), 0, False),  # out of reach
        ((0.5, 0.5, 0.0), 0, True),  # folded upon itself it turns about the common centre
    ],
)
def test_a_fold_is_one_solution_and_a_turn_about_a_common_centre_none(
    lengths: tuple[float, float, float], count: int, continuum: bool
) -> None:
    search = _search(_dyad(*lengths))
    assert len(search.assemblies) == count
    assert search.continuum is continuum


@pytest.mark.parametrize("rows", [2, 3])
def test_without_a_compiler_a_singular_value_of_zero_is_not_left_out(rows: int) -> None:
    """A pseudo-inverse without it is short, and a singular position would pass for a regular one."""
    regular, singular = (np.eye(rows, 2) * [1.0, least] for least in (0.5, 0.0))
    sizes = np.linalg.norm(inverses(np.stack([regular, singular])), axis=(1, 2))
    assert sizes[0] == pytest.approx(np.sqrt(5.0))
    assert sizes[1] > 1e16


def test_a_freedom_that_is_idle_everywhere_is_a_curve_of_solutions() -> None:
    """A body between two R on one axis: the Jacobian is singular everywhere, and Newton's method has no step at all."""
    words = "k1-a:R a-b:R b-c:R c-d:R d-k2:U"
    made = assemble(arrangement(words), "spatial", 2, (False,) * 5)
    instance = instance_of(made.tree)
    frames = {name: [_pose(side) for side in sides] for name, sides in instance.frames.items()}
    frames["j2"][0] = frames["j1"][1]
    made.tree["joints"]["j2"]["frames"]["body_a"] = made.tree["joints"]["j1"]["frames"]["body_a"]
    end = _pose(instance.known["K1"].pose)  # along the chain; the last frame on K2 is put where it ends
    for joint in instance.joints:
        values = {name: triple[0] for name, triple in made.coordinates[joint.name].items()}
        end = end @ frames[joint.name][0] @ joint_motion(joint.type, values, planar=False)
        end = end @ np.linalg.inv(frames[joint.name][1]) if joint.name != "j5" else end
    last = np.linalg.inv(_pose(instance.known["K2"].pose)) @ end
    made.tree["joints"]["j5"]["frames"]["K2"] = {"at": last[:3, 3].tolist(), "q": quaternion(last).tolist()}
    search = _search(made.tree)
    assert search.continuum
    assert search.assemblies == ()


# -- float -------------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["k1-a:H a-b:U b-k2:S", "k1-a:R a-b:S b-k2:C"])
@pytest.mark.parametrize("seed", [1, 2])
def test_single_precision_gives_each_assembly_once(words: str, seed: int) -> None:
    """Starts come to the same assembly with different last digits, which in float lie far above those of double."""
    tree = _assembled(words, "spatial", seed)
    double = solve_by_newton(symgen.library(), instance_of(tree))[1]
    single = solve_by_newton(symgen.library(precision="float"), instance_of(tree))[1]
    plain = [each for each, _ in double if each.condition < 1e3]
    assert plain
    assert len(single) <= len(double)
    for each in plain:
        # condition 1e3, epsilon 1.2e-7, some ten operations
        near = [np.abs(np.abs(each.poses) - np.abs(other.poses)).max() < 2e-3 for other, _ in single]
        assert sum(near) == 1


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [0, 8, 21, 31])
def test_what_a_closed_form_loses_in_single_precision_is_searched(seed: int) -> None:
    """Of degree 16, float may not tell a pair of zeros from none; far from folds all branches are found."""
    instance = instance_of(_assembled("k1-a:U a-b:U b-k2:U", "spatial", seed))
    double = solve_instance(symgen.library(), instance)
    single = solve_instance(symgen.library(precision="float"), instance)
    assert max(branch["condition"] for branch in double["branches"]) < 1e3
    assert len(single["branches"]) == len(double["branches"])
    assert not single["complete"]


@pytest.mark.slow
def test_gimbal_lock_is_no_way_to_meet_driven_turns() -> None:
    """Where the pitch of an S is a right angle, yaw and roll are one turn: driving both leaves it open."""
    seen = 0
    for seed in range(6):
        tree = _assembled("k1-a:C a-b:P b-c:PL*y k2-c:S*yaw+roll", "spatial", seed)
        for _, motion in solve_by_newton(symgen.library(derive=False), instance_of(tree))[1]:
            pitch = float(np.ravel(motion.joints["j4"]["pitch"])[0])
            assert abs(np.cos(pitch)) > 1e-6
            seen += 1
    assert seen
