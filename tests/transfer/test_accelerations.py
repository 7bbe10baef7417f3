"""Accelerations by recursion: against reference values, against multipliers, and the laws that both must keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix
from symgen.simulate.start.initial import initial_state
from symgen.transfer.acceleration_result import AccelerationResult
from symgen.transfer.start import take_snapshot

TYPES = ("W", "R", "P", "H", "C", "U", "ER", "L", "S", "PL", "F")
#: Rounding of some ten bodies, relative to the largest acceleration; measured 1e-12 where a loop's rows nearly depend
#: on each other.
ROUNDED = 1e-11


def difference(one: AccelerationResult, two: AccelerationResult) -> float:
    """Return the largest difference of accelerations, relative to the largest."""
    return float(np.abs(one.table - two.table).max() / max(1.0, np.abs(two.table).max()))


def wrench_difference(one: AccelerationResult, two: AccelerationResult) -> float:
    """Return the largest difference of unique joint wrenches, relative to the largest."""
    largest = max(1.0, *(float(np.abs([load.force, load.moment]).max()) for load in two.joints.values()))
    rest = [
        float(np.abs([load.force - two.joints[name].force, load.moment - two.joints[name].moment]).max())
        for name, load in one.joints.items()
        if load.unique
    ]
    return max(rest, default=0.0) / largest


def agree(mechanism: Mechanism, bound: float = ROUNDED) -> AccelerationResult:
    """Check riccati against multiplier: accelerations, wrenches, which of them are unique, and both residuals."""
    found, expected = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    assert difference(found, expected) < bound
    assert wrench_difference(found, expected) < 10 * bound
    assert {n: j.unique for n, j in found.joints.items()} == {n: j.unique for n, j in expected.joints.items()}
    for name, load in found.joints.items():
        assert load.accelerations == pytest.approx(expected.joints[name].accelerations, rel=1e-8, abs=1e-8)
    assert max(found.residual, expected.residual) < bound
    assert found.redundant == expected.redundant
    return found


def settled(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism whose given velocities fit its joints, so that nobody has to choose how to make them fit."""
    twists = initial_state(mechanism).twists
    bodies = {
        body.id: {"v": twist[:3].tolist(), "omega": twist[3:].tolist()}
        for body, twist in zip(mechanism.bodies, twists, strict=True)
    }
    return Mechanism.from_dict({**mechanism.source, "initial": {"bodies": bodies}})


# -- reference values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
@pytest.mark.parametrize("state", range(4))
def test_tree_of_23_elements_has_the_accelerations_and_wrenches_of_the_reference(
    systems: Any, state: int, method: str
) -> None:
    given = systems.reference["states"][state]
    result = symgen.accelerations(systems.tree23(given), method)
    # The reference agrees with itself to 1e-13; accelerations are up to 1e2, so 1e-11 is some thousand roundings.
    for name, body in result.bodies.items():
        np.testing.assert_allclose(body.a, given["acc_I1"][name], rtol=0, atol=1e-11)
        np.testing.assert_allclose(body.alpha, given["alpha"][name], rtol=0, atol=1e-11)
    for name, joint in result.joints.items():
        inboard = result.mechanism.joint(name).bodies[0]  # what it exerts on its outboard neighbour
        wrench = [*joint.moment, *joint.force]
        np.testing.assert_allclose(wrench, given["wrench_out"][inboard], rtol=0, atol=1e-11)
    assert result.residual < 1e-13


@pytest.mark.parametrize("angle", np.linspace(0.3, 6.0, 5))
def test_slider_crank_accelerates_as_its_single_equation_of_motion_says(angle: float) -> None:
    r, length, rate = 0.3, 0.8, 2.0
    crank_m, rod_m, slider_m, crank_j, rod_j, g, k, c = 1.2, 0.7, 0.5, 0.02, 0.04, 9.81, 3.0, 0.4
    s_phi = -r / length * math.sin(angle)
    phi = math.asin(s_phi)
    joints = {
        "A": {
            "type": "R",
            "bodies": ["ground", "crank"],
            "frames": {"ground": {"at": [0, 0]}, "crank": {"at": [0, 0]}},
        },
        "B": {"type": "R", "bodies": ["rod", "crank"], "frames": {"crank": {"at": [r, 0]}, "rod": {"at": [0, 0]}}},
        "C": {
            "type": "R",
            "bodies": ["rod", "slider"],
            "frames": {"rod": {"at": [length, 0]}, "slider": {"at": [0, 0]}},
        },
        "D": {"type": "P", "bodies": ["slider", "ground"], "at": [0, 0], "axis": [1, 0]},
    }
    reach = r * math.cos(angle) + length * math.cos(phi)
    pins = {
        "crank": (crank_m, [r / 2, 0], crank_j, [0, 0], angle),
        "rod": (rod_m, [length / 2, 0], rod_j, [r * math.cos(angle), r * math.sin(angle)], phi),
        "slider": (slider_m, [0, 0], 0.01, [reach, 0], 0.0),
    }
    mechanism = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "space": "planar",
            "gravity": [0, -g],
            "bodies": {
                name: {
                    "mass": m,
                    "com": com,
                    "inertia": [0, 0, j, 0, 0, 0],
                    "pose": {"r": [*at, 0], "q": [math.cos(turn / 2), 0, 0, math.sin(turn / 2)]},
                }
                for name, (m, com, j, at, turn) in pins.items()
            },
            "joints": joints,
            "initial": {"joints": {"A": {"angle": angle, "rate": rate}}},
            "forces": {
                "s": {"kind": "joint", "joint": "A", "freedom": "angle", "stiffness": k, "damping": c, "rest": 0.4}
                | {"value": 1.5}
            },
        }
    )
    # phi(angle) and its derivatives; columns of the centres of mass for the rate of the crank, and their derivatives.
    p1 = -r * math.cos(angle) / (length * math.cos(phi))
    p2 = (r * math.sin(angle) + length * math.sin(phi) * p1**2) / (length * math.cos(phi))
    crank = r / 2 * np.array([-math.sin(angle), math.cos(angle)])
    crank_d = -r / 2 * np.array([math.cos(angle), math.sin(angle)])
    along, across = np.array([math.cos(phi), math.sin(phi)]), np.array([-math.sin(phi), math.cos(phi)])
    rod, rod_d = 2 * crank + length / 2 * p1 * across, 2 * crank_d + length / 2 * (p2 * across - p1**2 * along)
    slider, slider_d = 2 * crank + length * p1 * across, 2 * crank_d + length * (p2 * across - p1**2 * along)
    parts = ((crank_m, crank, crank_d), (rod_m, rod, rod_d), (slider_m, slider, slider_d))
    inertia = crank_j + rod_j * p1**2 + sum(m * column @ column for m, column, _ in parts)
    bias = rod_j * p1 * p2 + sum(m * column @ slope for m, column, slope in parts)
    turns = round((angle - math.remainder(angle, math.tau)) / math.tau)
    force = 1.5 - k * (math.remainder(angle, math.tau) + math.tau * turns - 0.4) - c * rate
    force -= sum(m * g * column[1] for m, column, _ in parts)
    expected = (force - bias * rate**2) / inertia
    for method in ("riccati", "multiplier"):
        found = symgen.accelerations(mechanism, method).joints
        assert found["A"].accelerations["angle"] == pytest.approx(expected, rel=1e-11)
        x_growth = slider[0] * expected + slider_d[0] * rate**2
        assert found["D"].accelerations["slide"] == pytest.approx(-x_growth, rel=1e-10, abs=1e-10)


def test_nut_on_a_screw_falls_with_the_inertia_of_its_turn() -> None:
    pitch, m, j, g = 0.02, 2.0, 3e-4, 9.81
    body = {"mass": m, "com": [0, 0, 0], "inertia": [j, j, j, 0, 0, 0]}
    screw = {"type": "H", "bodies": ["nut", "ground"], "at": [0, 0, 0], "axis": [0, 0, 1], "pitch": pitch}
    mechanism = Mechanism.from_dict(
        {"schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -g], "bodies": {"nut": body},
         "joints": {"H": screw}}
    )  # fmt: skip
    found = symgen.accelerations(mechanism)
    turn = -m * g * pitch / (j + m * pitch**2)
    # the nut is the first body: its angle relative to the ground is less than none
    assert found.joints["H"].accelerations["angle"] == pytest.approx(-turn, rel=1e-13)
    assert found.bodies["nut"].a[2] == pytest.approx(pitch * turn, rel=1e-13)
    # what the nut exerts on the ground: its weight less what accelerates it
    assert found.joints["H"].force[2] == pytest.approx(-m * (g + pitch * turn), rel=1e-13)


@pytest.mark.parametrize(
    "example", ["andrews", "bricard", "double_four_bar", "flyball_governor", "spatial_slider_crank"]
)
def test_examples_agree_with_the_independent_method(repository: Any, example: str) -> None:
    mechanism = symgen.load(repository / "examples" / "dynamics" / example / "mechanism.toml")
    found, expected = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    # Andrews' mechanism weighs some grams and starts with 1e4 rad/s^2
    assert difference(found, expected) < 1e-10
    assert wrench_difference(found, expected) < 1e-10


def test_a_simulation_starts_with_the_same_accelerations(repository: Any) -> None:
    mechanism = symgen.load(repository / "examples" / "dynamics" / "spatial_slider_crank" / "mechanism.toml")
    step = 1e-4
    motion = symgen.simulate(mechanism, method="dimcd", step=step, until=2 * step, backend="numpy")
    found = symgen.accelerations(mechanism)
    for name, body in found.bodies.items():
        track = motion.bodies[name]
        # second differences of the discrete motion: as near as the change of the acceleration over a step
        twice = (track.omega[1] - track.omega[0]) / step
        assert np.abs(twice - body.alpha).max() < 1e-2 * max(1.0, float(np.abs(found.table).max()))


# -- against the independent method ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
def test_trees_of_one_pair_type(systems: Any, kind: str) -> None:
    agree(systems.random(5, 5, types=[kind]))


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_of_all_pair_types_in_both_directions(systems: Any, seed: int) -> None:
    agree(systems.random(100 + seed, 12, grounded=1 + seed % 3))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", range(14))
def test_random_systems_with_loops_redundant_ones_and_grounded_ones_too(systems: Any, seed: int) -> None:
    agree(systems.random(200 + seed, 8, loops=1 + seed % 4, grounded=1 + seed % 3))


@pytest.mark.parametrize(("seed", "bodies", "loops"), [(5077, 10, 5), (5097, 10, 4)])
def test_self_stresses_that_pass_loops_which_are_closed_already(
    systems: Any, seed: int, bodies: int, loops: int
) -> None:
    agree(systems.random(seed, bodies, loops=loops, types=("R", "S", "U", "C", "PL", "P")))


@pytest.mark.parametrize("seed", range(6))
def test_random_planar_systems(systems: Any, seed: int) -> None:
    found = agree(systems.planar(seed, 7, loops=seed % 4))
    for body in found.bodies.values():
        assert np.abs([body.a[2], *body.alpha[:2]]).max() < 1e-12


@pytest.mark.parametrize("seed", [1, 3, 7, 10])
def test_a_planar_mechanism_moves_as_the_spatial_one_of_the_same_file(systems: Any, seed: int) -> None:
    planar = settled(systems.planar(seed, 7, loops=2))
    # in space its loops are redundant, some of them wholly
    found = agree(Mechanism.from_dict({**planar.source, "space": "spatial"}))
    assert difference(symgen.accelerations(planar), found) < ROUNDED


def test_zoo_of_hinges_in_one_chain(systems: Any) -> None:
    kinds = ("R", "S", "R", "P", "C", "U", "H", "PL", "W", "L", "ER", "F")
    ends = ["ground", *(f"b{k}" for k in range(len(kinds)))]
    pairs = [(kind, ends[k], ends[k + 1]) for k, kind in enumerate(kinds)]
    agree(systems.linked(3, pairs, len(kinds)))


# -- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [201, 203, 206])
def test_joints_do_no_work(systems: Any, seed: int) -> None:
    mechanism = systems.random(seed, 8, loops=2, types=("R", "S", "U", "C", "P", "PL"))
    now = take_snapshot(mechanism, initial_state(mechanism))
    result = symgen.accelerations(mechanism)
    power = kinetic = 0.0
    for k, body in enumerate(result.bodies.values()):
        lever = now.rotation[k] @ np.array(mechanism.bodies[k].com)
        omega = now.omega[k]
        a = body.a + np.cross(body.alpha, lever) + np.cross(omega, np.cross(omega, lever))
        momentum_rate = now.inertia[k] @ body.alpha + np.cross(omega, now.inertia[k] @ omega)
        kinetic += now.mass[k] * a @ now.velocity[k] + momentum_rate @ omega
        power += now.force[k] @ now.velocity[k] + now.moment[k] @ omega
    assert kinetic == pytest.approx(power, rel=1e-9, abs=1e-9)


def test_exchanging_the_bodies_of_every_joint_changes_nothing_but_signs(systems: Any) -> None:
    mechanism = settled(systems.random(7, 8, loops=2, types=("R", "P", "S", "C", "H", "W")))
    tree = {**mechanism.source, "joints": {}}
    for name, each in mechanism.source["joints"].items():
        tree["joints"][name] = {**each, "bodies": each["bodies"][::-1]}
    # an inner loop of it locks what an outer one would move: that one's self-stress passes the inner
    found, turned = agree(mechanism), agree(Mechanism.from_dict(tree))
    assert difference(turned, found) < ROUNDED
    for name, load in found.joints.items():
        if load.unique:
            np.testing.assert_allclose(turned.joints[name].force, -load.force, atol=1e-8)


@pytest.mark.parametrize("cut", ["h24", "h14", "h6", "h19"])
def test_any_cut_of_the_loop_gives_the_same(systems: Any, cut: str) -> None:
    mechanism = _mixed(systems)
    found = symgen.accelerations(mechanism, cuts=[cut])
    assert found.loops == (cut,)
    expected = symgen.accelerations(mechanism, "multiplier")
    assert difference(found, expected) < ROUNDED
    assert wrench_difference(found, expected) < ROUNDED


def test_numbers_of_bodies_and_order_of_inputs_do_not_matter(systems: Any) -> None:
    mechanism = systems.random(11, 9, loops=3, grounded=2)
    tree = {
        **mechanism.source,
        "bodies": dict(reversed(mechanism.source["bodies"].items())),
        "joints": dict(reversed(mechanism.source["joints"].items())),
    }
    found, other = symgen.accelerations(mechanism), symgen.accelerations(Mechanism.from_dict(tree))
    for name, body in found.bodies.items():
        np.testing.assert_allclose(other.bodies[name].a, body.a, atol=1e-9)
        np.testing.assert_allclose(other.bodies[name].alpha, body.alpha, atol=1e-9)


def test_a_free_root_is_a_joint_that_holds_nothing(systems: Any) -> None:
    held = settled(systems.random(13, 6, loops=1, types=("R", "S", "C", "U"), change=_float))
    free = Mechanism.from_dict(
        {**held.source, "joints": {n: j for n, j in held.source["joints"].items() if j["type"] != "F"}}
    )
    assert symgen.accelerations(free).roots == ()
    assert difference(symgen.accelerations(free), symgen.accelerations(held)) < ROUNDED
    agree(free)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_body_without_joints_falls_and_tumbles(space: str) -> None:
    flat = space == "planar"
    inertia = [0, 0, 0.3, 0, 0, 0] if flat else [0.1, 0.2, 0.3, 0, 0, 0]
    tree = {
        "schema": "symgen/mechanism/1", "space": space, "gravity": [0, -9.81, 0],
        "bodies": {"a": {"mass": 2, "com": [0, 0, 0], "inertia": inertia}},
        "initial": {"bodies": {"a": {"omega": [0, 0, 3] if flat else [1, 2, 3]}}}, "joints": {},
    }  # fmt: skip
    for method in ("riccati", "multiplier"):
        body = symgen.accelerations(Mechanism.from_dict(tree), method).bodies["a"]
        np.testing.assert_allclose(body.a, [0, -9.81, 0], atol=1e-14)
        # Euler's equations
        expected = [0, 0, 0] if flat else [(0.2 - 0.3) * 6 / 0.1, (0.3 - 0.1) * 3 / 0.2, (0.1 - 0.2) * 2 / 0.3]
        np.testing.assert_allclose(body.alpha, expected, atol=1e-13)


def test_size_does_not_matter(systems: Any) -> None:
    mechanism = systems.random(17, 6, loops=2)
    small = _scaled(mechanism, 1e-3)
    found, other = symgen.accelerations(mechanism), symgen.accelerations(small)
    for name, body in found.bodies.items():
        np.testing.assert_allclose(other.bodies[name].a, 1e-3 * body.a, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(other.bodies[name].alpha, body.alpha, rtol=1e-7, atol=1e-6)
    assert other.rank == found.rank


def _mixed(systems: Any) -> Mechanism:
    """Return the tree of 23 elements with bodies 2 and 3 joined where their free ends are near."""
    tree = dict(systems.tree23().source)
    bodies = {name: tree["bodies"][name]["pose"] for name in ("2", "3")}
    place = 0.5 * (np.array(bodies["2"]["r"]) + np.array(bodies["3"]["r"]))
    frames = {}
    for name, pose in bodies.items():
        back: Array = matrix(np.array(pose["q"])).T
        frames[name] = {"at": (back @ (place - np.array(pose["r"]))).tolist()}
    tree["joints"] = {**tree["joints"], "h24": {"type": "S", "bodies": ["2", "3"], "frames": frames}}
    return Mechanism.from_dict(tree)


def _float(tree: dict[str, Any], generator: np.random.Generator) -> None:
    grounded = [each for each in tree["joints"].values() if "ground" in each["bodies"]]
    for each in grounded[:1]:
        each["type"] = "F"


def _scaled(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return a similar mechanism; gravity and velocities are scaled, so that angular accelerations stay."""
    tree = dict(mechanism.source)
    tree["gravity"] = [factor * value for value in tree["gravity"]]
    tree["bodies"] = {
        name: {
            **body,
            "com": [factor * value for value in body["com"]],
            "inertia": [factor**2 * value for value in body["inertia"]],
            "pose": {**body["pose"], "r": [factor * value for value in body["pose"]["r"]]},
        }
        for name, body in tree["bodies"].items()
    }
    tree["joints"] = {
        name: {
            **each,
            "frames": {
                body: {**frame, "at": [factor * value for value in frame["at"]]}
                for body, frame in each["frames"].items()
            },
        }
        | ({"pitch": factor * each["pitch"]} if "pitch" in each else {})
        for name, each in tree["joints"].items()
    }
    tree["initial"] = {
        "bodies": {
            name: {**each, "v": [factor * value for value in each["v"]]}
            for name, each in tree["initial"]["bodies"].items()
        }
    }
    return Mechanism.from_dict(tree)


def test_joints_are_named_by_their_ids(systems: Any) -> None:
    result = symgen.accelerations(systems.tree23())
    joint: Joint = result.mechanism.joint("h22")
    assert joint.bodies == ("21", "23")
    with pytest.raises(symgen.SymgenError, match=r'no joint .*"h2x"'):
        result.joints["h2x"]
