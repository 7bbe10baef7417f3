"""The direct method against the multiplier method, and its refusals against its true errors.

Tolerances: the error that the method itself expects, which grows with the product of transfer matrices; below 1e-12 of
the largest acceleration or wrench the rounding of the multiplier method counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from transfer.drafts import chain
from transfer.spec_systems import chain6_percussion

from symgen.errors import AccuracyError, MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.simulate.start.initial import initial_state
from symgen.simulate.tables.scale import unit_of_length
from symgen.transfer.multipliers.method import solve_multiplier
from symgen.transfer.overall.direct import DirectMethod, solve_direct
from symgen.transfer.overall.elimination import LARGEST_ERROR
from symgen.transfer.solution import Solution
from symgen.transfer.start import take_snapshot
from symgen.transfer.system.system import deduce

ROUNDING = 1e-12
VARIANTS = ("transparent", "opaque")


def both(mechanism: Mechanism, variant: Any = None, **options: Any) -> tuple[Solution, Solution]:
    snapshot = take_snapshot(mechanism, initial_state(mechanism))
    system = deduce(mechanism, single_root=True, **options)
    return solve_direct(snapshot, system, variant=variant), solve_multiplier(snapshot, unit_of_length(mechanism))


def error(one: Solution, two: Solution) -> float:
    """Return the largest difference, relative to the largest acceleration or wrench, or to 1.

    Masses and lengths are of the size of 1: what accelerates so is a force too, be it inertia's.
    """
    largest = max(1.0, np.abs(two.accelerations).max())
    a = np.abs(one.accelerations - two.accelerations).max() / largest
    loads = max(largest, *(np.abs(wrench).max() for wrench in two.wrenches.values()))
    gaps = [np.abs(one.wrenches[name] - wrench).max() for name, wrench in two.wrenches.items() if name not in two.open]
    return float(max(a, max(gaps) / loads))


def loaded(tree: dict[str, Any], generator: np.random.Generator) -> None:
    """Put a spring, damper and motor into every freedom and a force on every body."""
    tree["forces"] = {
        f"{name}_{freedom}": {
            "kind": "joint", "joint": name, "freedom": freedom, "stiffness": float(generator.uniform(0, 5)),
            "damping": float(generator.uniform(0, 1)), "value": float(generator.normal()),
        }
        for name, joint in tree["joints"].items()
        for freedom in PAIR_TYPES[joint["type"]].freedoms
    }  # fmt: skip
    for name in tree["bodies"]:
        tree["forces"][f"push_{name}"] = {
            "kind": "force", "body": name, "at": [0.1, 0.2, -0.3], "value": generator.normal(size=3).tolist(),
        }  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize("kind", ["W", "R", "P", "H", "C", "U", "ER", "L", "S", "PL"])
@pytest.mark.parametrize("bodies", [1, 3, 5])
def test_trees_of_every_hinge_with_forces_agree_with_multipliers(kind: str, bodies: int, systems: Any) -> None:
    for seed in range(3):
        mechanism = systems.random(seed, bodies, types=[kind], change=loaded)
        for variant in VARIANTS if kind == "S" else ("opaque",):
            found, expected = both(mechanism, variant)
            assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


@pytest.mark.parametrize(("kind", "loops"), [("S", 1), ("S", 3), ("U", 1), ("L", 1)])
def test_loops_and_tips_on_the_ground_agree_with_multipliers(kind: str, loops: int, systems: Any) -> None:
    for seed in range(4):
        mechanism = systems.random(seed, 6, types=[kind], loops=loops, grounded=2, change=loaded)
        for variant in VARIANTS if kind == "S" else ("opaque",):
            found, expected = both(mechanism, variant)
            assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


def test_hinges_of_equal_freedoms_may_be_mixed(systems: Any) -> None:
    pairs = [("C", "ground", "b0"), ("L", "b0", "b1"), ("U", "b2", "b1"), ("ER", "b1", "b3"), ("C", "b4", "b3")]
    found, expected = both(systems.linked(3, pairs, 5))
    assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


@pytest.mark.parametrize("free", [[], [("F", "b2", "ground")]])
@pytest.mark.parametrize("kind", ["S", "R", "C"])
def test_a_free_root_agrees_with_multipliers(kind: str, free: list[tuple[str, str, str]], systems: Any) -> None:
    tree = dict(systems.linked(5, [(kind, "b0", "b1"), (kind, "b2", "b1"), (kind, "b2", "b3"), *free], 4).source)
    loaded(tree, np.random.default_rng(9))
    found, expected = both(Mechanism.from_dict(tree))
    assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


def planar(joints: dict[str, dict[str, Any]]) -> Mechanism:
    generator = np.random.default_rng(7)
    names = dict.fromkeys(name for joint in joints.values() for name in joint["bodies"] if name != "ground")
    bodies, initial = {}, {}
    for name in names:
        half = float(generator.uniform(-1, 1))
        bodies[name] = {
            "mass": float(generator.uniform(0.5, 2)), "com": [*generator.uniform(-0.4, 0.4, 2).tolist(), 0.0],
            "inertia": [0.0, 0.0, float(generator.uniform(0.05, 0.2)), 0.0, 0.0, 0.0],
            "pose": {"r": [*generator.uniform(-1, 1, 2).tolist(), 0.0], "q": [np.cos(half), 0.0, 0.0, np.sin(half)]},
        }  # fmt: skip
        initial[name] = {"v": [*generator.uniform(-1, 1, 2).tolist(), 0.0], "omega": [0.0, 0.0, float(half)]}
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "planar", "space": "planar", "gravity": [0.0, -9.81, 0.0],
            "bodies": bodies, "joints": joints, "initial": {"bodies": initial},
            "forces": {"motor": {"kind": "joint", "joint": "a", "freedom": "angle", "value": 1.5, "damping": 0.2}},
        }
    )  # fmt: skip


def pin(one: str, two: str, *at: float) -> dict[str, Any]:
    return {"type": "R", "bodies": [one, two], "at": list(at)}


FOUR_BAR = {
    "a": pin("ground", "x", 0, 0), "b": pin("y", "x", 0, 1), "c": pin("y", "z", 1.5, 1.3),
    "d": pin("z", "ground", 1.4, 0),
}  # fmt: skip
SLIDER = {**FOUR_BAR, "d": {"type": "P", "bodies": ["z", "ground"], "at": [1.4, 0.0], "axis": [1.0, 0.2, 0.0]}}


TRIANGLE = {"a": pin("ground", "x", 0, 0), "b": pin("x", "y", 1, 0), "c": pin("z", "y", 1, 1), "d": pin("x", "z", 0, 1)}


@pytest.mark.parametrize(
    ("joints", "options"),
    [
        (FOUR_BAR, {"root": "a"}), (FOUR_BAR, {"root": "d"}), (SLIDER, {"root": "a"}), (SLIDER, {"root": "d"}),
        (TRIANGLE, {"cuts": ["b"]}), (TRIANGLE, {"cuts": ["c"]}), (TRIANGLE, {"cuts": ["d"]}),
    ],
)  # fmt: skip
def test_planar_loops_agree_with_multipliers_wherever_root_and_cut_are(
    joints: dict[str, dict[str, Any]], options: dict[str, Any]
) -> None:
    for variant in VARIANTS if all(joint["type"] == "R" for joint in joints.values()) else ("opaque",):
        found, expected = both(planar(joints), variant, **options)
        assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_expected_error_bounds_the_true_one_until_the_method_refuses(variant: Any) -> None:
    """Balls in a row: digits are lost with every body, and no solution with less than eight is given."""
    refused = 0
    for count in (2, 5, 8, 11, 14, 18, 24, 40):
        mechanism = chain(count, "S", np.random.default_rng(count)).moving(np.random.default_rng(1))
        try:
            found, expected = both(mechanism, variant)
        except AccuracyError:
            refused += 1
            continue
        assert not refused  # what a shorter chain has lost, a longer one does not have
        assert error(found, expected) < max(found.figures["accuracy"], ROUNDING) <= LARGEST_ERROR
    assert refused >= 2


@pytest.mark.parametrize("miss", [0.0, 1e-9, 1e-6, 1e-3, 0.3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_near_the_centre_of_percussion_it_is_right_or_refuses(miss: float, variant: Any) -> None:
    mechanism = chain6_percussion(miss)
    if miss < 0.1:
        with pytest.raises(AccuracyError) as refusal:
            both(mechanism, variant)
        assert ("singular pivot at body" in str(refusal.value)) == (miss < 1e-8)
        return
    found, expected = both(mechanism, variant)
    assert error(found, expected) < max(found.figures["accuracy"], ROUNDING)


def test_the_refusal_does_not_depend_on_units() -> None:
    """The same chain in millimetres and tonnes: condition and expected error are the same but for rounding."""
    figures = []
    for length, mass in ((1.0, 1.0), (1000.0, 1e-3), (0.001, 1e6)):
        tree = dict(chain(4, "S", np.random.default_rng(2)).moving(np.random.default_rng(2)).source)
        tree["gravity"] = [length * x for x in tree["gravity"]]
        tree["bodies"] = {
            name: {
                **body, "mass": mass * body["mass"], "com": [length * x for x in body["com"]],
                "inertia": [mass * length**2 * x for x in body["inertia"]],
                "pose": {**body["pose"], "r": [length * x for x in body["pose"]["r"]]},
            }
            for name, body in tree["bodies"].items()
        }  # fmt: skip
        tree["joints"] = {
            name: {
                **joint,
                "frames": {
                    side: {**frame, "at": [length * x for x in frame["at"]]} for side, frame in joint["frames"].items()
                },
            }
            for name, joint in tree["joints"].items()
        }
        tree["initial"] = {}
        mechanism = Mechanism.from_dict(tree)
        snapshot = take_snapshot(mechanism, initial_state(mechanism))
        found = solve_direct(snapshot, deduce(mechanism, single_root=True)).figures
        figures.append([found["condition"], found["accuracy"]])
    # A power of two is next to 1000 and 1/1000 only within 3 %: conditions differ by that, times the order's powers.
    assert np.array(figures) == pytest.approx(np.array([figures[0]] * 3), rel=0.5)


def planar_in_space() -> Mechanism:
    tree = dict(planar(FOUR_BAR).source)
    tree["space"] = "spatial"
    tree["bodies"] = {name: {**body, "inertia": [0.1, 0.1, 0.1, 0, 0, 0]} for name, body in tree["bodies"].items()}
    tree["joints"] = {
        name: {**joint, "at": [*joint["at"], 0.0], "axis": [0.0, 0.0, 1.0]} for name, joint in tree["joints"].items()
    }
    return Mechanism.from_dict(tree)


def point_mass() -> Mechanism:
    tree = dict(chain(3, "S", np.random.default_rng(2)).resting().source)
    tip = {**tree["bodies"]["3"], "inertia": [0.0] * 6, "com": tree["joints"]["j2"]["frames"]["3"]["at"]}
    tree["bodies"] = {**tree["bodies"], "3": tip}
    return Mechanism.from_dict(tree)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (planar_in_space, "constraints are redundant"),
        (point_mass, "bodies.3: zero articulated inertia: joint j2 lets it move"),
        (lambda: chain(640, "S", np.random.default_rng(1)).resting(), "grown too large for floating-point numbers"),
    ],
)
def test_a_singular_equation_says_what_is_open(mechanism: Callable[[], Mechanism], words: str) -> None:
    with pytest.raises((AccuracyError, MechanismError), match=words):
        both_at_rest(mechanism())


def both_at_rest(mechanism: Mechanism) -> Solution:
    snapshot = take_snapshot(mechanism, initial_state(mechanism))
    return solve_direct(snapshot, deduce(mechanism, single_root=True))


def test_one_deduction_serves_many_states(systems: Any) -> None:
    mechanism = systems.tree23()
    method = DirectMethod(deduce(mechanism, single_root=True))
    for state in systems.reference["states"]:
        now = systems.tree23(state)
        snapshot = take_snapshot(now, initial_state(now))
        found, again = method.solve(snapshot), solve_direct(snapshot, deduce(now, single_root=True))
        # The unit of length is that of the mechanism the method was made for: equal but for the errors of both.
        assert error(found, again) < 2 * found.figures["accuracy"]


def test_unequal_hinges_are_refused_before_anything_is_computed(systems: Any) -> None:
    with pytest.raises(MechanismError, match="unequal freedoms"):
        DirectMethod(deduce(systems.linked(1, [("S", "ground", "b0"), ("R", "b0", "b1")], 2)))
