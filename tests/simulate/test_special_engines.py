"""Trees of bodies on ball joints and planar trees on pins are integrated by engines of their own; no one notices."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from oracle.ball_trees import dense_accelerations, rotation

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.poses import matrix
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.request import Request
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.special.engine import SpecialEngine
from symgen.simulate.special.simulation import simulate_special, special_engine, special_state
from symgen.simulate.special.tree import special_tree
from symgen.simulate.start.initial import initial_state

pytestmark = pytest.mark.compiler


def forest(space: str, count: int, seed: int, **changes: Any) -> Mechanism:
    """Return a mechanism: a forest on ball joints, or pins in the plane, in any order and direction of joints."""
    rng = np.random.default_rng(seed)
    size = 3 if space == "spatial" else 2
    names = [f"b{k}" for k in rng.permutation(count)]
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    velocities: dict[str, Any] = {}
    places: dict[str, np.ndarray] = {"ground": np.zeros(3)}
    for k, name in enumerate(names):
        carrier = "ground" if k == 0 else str(rng.choice(["ground", *names[:k]]))
        joint = places[carrier] + np.pad(rng.uniform(-0.6, 0.6, size), (0, 3 - size))
        places[name] = joint + np.pad(rng.uniform(-0.4, 0.4, size), (0, 3 - size))
        q = rng.normal(size=4) if space == "spatial" else np.array([rng.normal(), 0, 0, rng.normal()])
        com = np.pad(rng.uniform(-0.1, 0.1, size), (0, 3 - size))
        bodies[name] = {
            "mass": float(rng.uniform(0.5, 2.0)),
            "com": com.tolist(),
            "inertia": [0.02, 0.03, 0.025, 0.001, -0.002, 0.003],
            "pose": {"r": places[name].tolist(), "q": (q / np.linalg.norm(q)).tolist()},
        }
        both = [carrier, name] if rng.random() < 0.5 else [name, carrier]
        kind = "S" if space == "spatial" else "R"
        joints[f"j{k}"] = {"type": kind, "bodies": both, "at": joint.tolist(), "axis": [0.0, 0.0, 1.0]}
        if space == "spatial":
            velocities[name] = {"omega": rng.normal(size=3).tolist()}
        else:
            velocities[name] = {"omega": [0.0, 0.0, float(rng.normal())]}
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "forest", "space": space,
        "gravity": [0.3, -9.81, 0.0] if space == "planar" else [0.3, 0.2, -9.81],
        "bodies": bodies, "joints": joints, "initial": {"bodies": velocities},
    }  # fmt: skip
    return Mechanism.from_dict(tree | changes)


def run(mechanism: Mechanism, **options: Any) -> SimulationResult:
    engine = special_engine(mechanism, "c")
    assert engine is not None
    chosen: dict[str, Any] = {"step": 0.002, "until": 0.2, "sample": 0.02, "order": 4} | options
    result = simulate_special(Request(mechanism, method="riccati", **chosen), engine)
    assert result is not None
    return result


def motion_of(result: SimulationResult) -> np.ndarray:
    return np.concatenate(
        [np.concatenate([b.r, b.q, b.v, b.omega, b.a, b.alpha], axis=1) for b in result.bodies.values()]
    )


# -- which engine ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["spatial", "planar"])
def test_forests_of_one_kind_of_joint_have_a_special_engine(space: str) -> None:
    tree = special_tree(forest(space, 9, 1))
    assert tree is not None
    assert tree.kind == ("ball" if space == "spatial" else "planar")
    assert sorted(tree.order.tolist()) == list(range(9))


def _document() -> dict[str, Any]:
    return json.loads(json.dumps(forest("spatial", 4, 2).source))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("joints", "j1", "type"), "U"),
        (("joints", "j1", "driven"), 3),
        (("forces",), {"f": {"kind": "torque", "body": "b0", "value": [0, 0, 1.0]}}),
        (("bodies", "b9"), {"mass": 1.0, "inertia": [1.0, 1, 1, 0, 0, 0]}),
    ],
    ids=["other joint", "driven joint", "force", "free body"],
)
def test_what_is_more_than_a_tree_under_gravity_has_none(where: tuple[str, ...], value: Any) -> None:
    document = _document()
    place = document
    for key in where[:-1]:
        place = place.setdefault(key, {})
    place[where[-1]] = value
    if where[-1] == "type":
        document["joints"]["j1"]["axis2"] = [1.0, 0, 0]
    if where[-1] == "driven":
        document["drives"] = {f"j1.{name}": "t" for name in ("yaw", "pitch", "roll")}
    assert special_tree(Mechanism.from_dict(document)) is None
    assert special_engine(Mechanism.from_dict(document)) is None


def test_a_loop_beside_a_free_body_is_no_tree() -> None:
    """As many joints as bodies: the count alone does not tell."""
    document = _document()
    document["bodies"]["b9"] = {"mass": 1.0, "inertia": [1.0, 1, 1, 0, 0, 0]}
    first = next(iter(document["bodies"]))
    other = next(name for name in document["bodies"] if name not in (first, "b9") and not _joined(document, name))
    document["joints"]["j9"] = {"type": "S", "bodies": ["ground", other], "at": [5.0, 0, 0]}
    assert special_tree(Mechanism.from_dict(document)) is None


def _joined(document: dict[str, Any], name: str) -> bool:
    """Whether a body is joined to the ground."""
    return any({name, "ground"} == set(joint["bodies"]) for joint in document["joints"].values())


# -- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("space", "seed"), [("spatial", 1), ("spatial", 5), ("planar", 1), ("planar", 5)])
def test_it_gives_what_the_general_engine_gives(space: str, seed: int) -> None:
    mechanism = forest(space, 6, seed)
    special = run(mechanism, until=0.02, sample=0.01, step=0.001, reactions=True)
    asked = Request(mechanism, 0.02, 0.001, sample=0.01, method="riccati", order=4, backend="numpy", reactions=True)
    general = RiccatiSession(asked).result()
    assert special.ok
    assert special.times == pytest.approx(general.times, abs=0)
    # other coordinates, the same scheme: errors of order 4, h^4 times rates to the fifth
    assert motion_of(special) == pytest.approx(motion_of(general), rel=1e-6, abs=1e-7)
    for name, joint in general.joints.items():
        for freedom, values in joint.coordinates.items():
            assert special.joints[name].coordinates[freedom] == pytest.approx(values, abs=1e-7)
    assert special.total == pytest.approx(general.total, abs=1e-6)
    for name, reaction in general.reactions.items():
        assert special.reactions[name].force == pytest.approx(reaction.force, rel=1e-5, abs=1e-5)
        assert np.abs(special.reactions[name].moment).max() == 0.0
        assert np.abs(reaction.moment).max() <= 1e-9


def _with_loop(mechanism: Mechanism, seed: int) -> Mechanism:
    """Return a forest with one joint more, between two of its bodies that no joint holds together yet."""
    rng, document = np.random.default_rng(seed), json.loads(json.dumps(mechanism.source))
    joined = [set(joint["bodies"]) for joint in document["joints"].values()]
    names = list(document["bodies"])
    pairs = [[a, b] for k, a in enumerate(names) for b in names[:k] if {a, b} not in joined]
    planar = document["space"] == "planar"
    place = rng.uniform(-0.5, 0.5, 3) * np.array([1.0, 1.0, not planar])
    document["joints"]["loop"] = {
        "type": "R" if planar else "S", "bodies": pairs[int(rng.integers(len(pairs)))], "at": place.tolist(),
        "axis": [0.0, 0.0, 1.0],
    }  # fmt: skip
    return Mechanism.from_dict(document)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("loops", [0, 1])
@pytest.mark.parametrize(("space", "seed"), [("spatial", 11), ("planar", 12)])
def test_special_and_general_engines_find_the_same_accelerations(space: str, seed: int, loops: int) -> None:
    """C for balls or pins, C for any hinge, NumPy for any hinge: three programs, the first row of a motion."""
    mechanism = forest(space, 9, seed)
    if loops:
        mechanism = _with_loop(mechanism, seed)
    rows = [run(mechanism, until=1e-4, sample=1e-4, step=1e-4)]
    for backend in ("c", "numpy"):
        asked = Request(mechanism, 1e-4, 1e-4, sample=1e-4, method="riccati", order=4, backend=backend)
        rows.append(RiccatiSession(asked).result())
    tables = [
        np.array([[*each.a[0], *each.alpha[0], *each.v[0], *each.omega[0]] for each in row.bodies.values()])
        for row in rows
    ]
    # rounding of a recursion over nine bodies; a loop's multipliers have a worse condition
    bound = (1e-9 if loops else 1e-11) * np.abs(tables[0]).max()
    assert np.abs(tables[1] - tables[0]).max() <= bound
    assert np.abs(tables[2] - tables[0]).max() <= bound


@pytest.mark.parametrize("space", ["spatial", "planar"])
def test_accelerations_at_the_start_are_those_of_a_dense_solve(space: str) -> None:
    mechanism = forest(space, 8, 3)
    result, start = run(mechanism), initial_state(mechanism)
    tree = special_tree(mechanism)
    assert tree is not None
    state = special_state(tree, start.poses, start.twists)
    exact, turns = dense_accelerations(tree, state)
    for place, body in enumerate(tree.order):
        track, com = result.bodies[mechanism.bodies[body].id], np.array(mechanism.bodies[body].com)
        arm = matrix(track.q[0]) @ com
        centre = track.a[0] + np.cross(track.alpha[0], arm) + np.cross(track.omega[0], np.cross(track.omega[0], arm))
        assert track.alpha[0] == pytest.approx(turns[place], rel=1e-11, abs=1e-11)
        assert centre == pytest.approx(exact[place], rel=1e-11, abs=1e-11)


def test_angles_of_pins_count_turns_and_start_where_the_file_says() -> None:
    wheel = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "wheel", "space": "planar",
            "bodies": {"w": {"mass": 1.0, "com": [0.0, 0.0], "inertia": [1.0, 1.0, 1.0, 0, 0, 0]}},
            "joints": {"A": {"type": "R", "bodies": ["w", "ground"], "at": [0.0, 0.0]}},
            "initial": {"joints": {"A": {"angle": 7.0, "rate": -5.0}}},
        }
    )  # fmt: skip
    result = run(wheel, until=10.0, step=0.1, sample=1.0)
    assert result.joints["A"].coordinates["angle"] == pytest.approx(7.0 - 5.0 * result.times, abs=1e-10)
    assert result.bodies["w"].omega[:, 2] == pytest.approx(5.0, abs=1e-12)


def test_steps_that_are_chosen_keep_the_tolerance_of_places() -> None:
    mechanism = forest("spatial", 5, 9)
    rough, fine = (
        run(mechanism, step=None, tolerance=tolerance, until=0.5, sample=0.05, order=8) for tolerance in (1e-6, 1e-11)
    )
    assert rough.run.steps < fine.run.steps
    assert max(np.abs(rough.bodies[b].r - fine.bodies[b].r).max() for b in rough.bodies) <= 1e-6


def test_a_body_without_inertia_about_its_joint_is_refused_by_name() -> None:
    document = _document()
    last = next(n for n in document["bodies"] if not _carries(document, n))
    joint = next(j for j in document["joints"].values() if last in j["bodies"])
    body = document["bodies"][last]
    body["inertia"] = [0.0] * 6
    turn = matrix(np.array(body["pose"]["q"]))
    body["com"] = (turn.T @ (np.array(joint["at"]) - np.array(body["pose"]["r"]))).tolist()  # a point on its joint
    with pytest.raises(MechanismError, match=f"body {last},") as caught:
        run(Mechanism.from_dict(document))
    assert caught.value.field == f"bodies.{last}"


def _carries(document: dict[str, Any], name: str) -> bool:
    return sum(name in joint["bodies"] for joint in document["joints"].values()) > 1


# -- loops -----------------------------------------------------------------------------------------------------------


def ring(space: str, count: int, **changes: Any) -> Mechanism:
    """Return links in a row between two points of the ground, not straight, at rest."""
    size = 3 if space == "spatial" else 2
    rng = np.random.default_rng(count)
    knots = np.array([[0.4 * k, 0.3 * np.sin(k), 0.0] for k in range(count + 1)])
    if size == 3:
        knots[:, 2] = 0.2 * rng.normal(size=count + 1)
    bodies, joints = {}, {}
    for k in range(count):
        bodies[f"b{k}"] = {
            "mass": 1.0, "com": (0.5 * (knots[k + 1] - knots[k])).tolist(),
            "inertia": [0.02, 0.03, 0.025, 0.001, 0.0, 0.0], "pose": {"r": knots[k].tolist()},
        }  # fmt: skip
    names = ["ground", *bodies, "ground"]
    for k, knot in enumerate(knots):
        kind = "S" if space == "spatial" else "R"
        joints[f"j{k}"] = {"type": kind, "bodies": names[k : k + 2], "at": knot.tolist(), "axis": [0.0, 0.0, 1.0]}
    gravity = [0.0, 0.0, -9.81] if space == "spatial" else [0.0, -9.81, 0.0]
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "ring", "space": space, "gravity": gravity, "bodies": bodies,
        "joints": joints,
    }  # fmt: skip
    return Mechanism.from_dict(tree | changes)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("space", ["spatial", "planar"])
def test_a_loop_gives_what_the_general_engine_gives(space: str) -> None:
    mechanism = ring(space, 5)
    special = run(mechanism, until=0.03, sample=0.01, step=0.001, reactions=True)
    asked = Request(mechanism, 0.03, 0.001, sample=0.01, method="riccati", order=4, backend="numpy", reactions=True)
    general = RiccatiSession(asked).result()
    assert special.largest_violation <= 1e-13
    assert motion_of(special) == pytest.approx(motion_of(general), rel=1e-6, abs=1e-7)
    for name, reaction in general.reactions.items():
        assert special.reactions[name].force == pytest.approx(reaction.force, rel=1e-5, abs=1e-5)


def test_the_verb_takes_the_special_engine_and_another_one_for_redundant_loops() -> None:
    mechanism = ring("spatial", 5)
    chosen = symgen.simulate(mechanism, method="riccati", step=0.001, until=0.02, backend="c")
    assert motion_of(chosen) == pytest.approx(motion_of(run(mechanism, until=0.02, sample=None, step=0.001)), abs=0)
    two = ring("planar", 2)  # two links between two points of the ground: nothing moves
    assert special_engine(two) is not None
    assert simulate_special(Request(two, 0.01, 0.001, method="riccati", order=4), _engine(two)) is not None
    double = json.loads(json.dumps(ring("planar", 3).source))
    double["bodies"]["brace"] = {"mass": 1.0, "inertia": [0.0, 0.0, 0.1, 0, 0, 0], "pose": {"r": [0.1, 0.1, 0.0]}}
    # a parallelogram braced twice is redundant: the brace and the ring hold the same
    place = np.array(double["joints"]["j1"]["at"])
    double["joints"]["brace_0"] = {"type": "R", "bodies": ["ground", "brace"], "at": [0.0, 0.0, 0.0]}
    double["joints"]["brace_1"] = {"type": "R", "bodies": ["brace", "b1"], "at": place.tolist()}
    braced = Mechanism.from_dict(double)
    assert simulate_special(Request(braced, 0.01, 0.001, method="riccati", order=4), _engine(braced)) is None
    assert symgen.simulate(braced, method="riccati", step=0.001, until=0.005, backend="numpy").ok


def _engine(mechanism: Mechanism) -> SpecialEngine:
    engine = special_engine(mechanism, "c")
    assert engine is not None
    return engine


def test_rodrigues_and_quaternions_agree() -> None:
    """The oracle turns by axis and angle, the engine by the entries of the quaternion."""
    for q in np.random.default_rng(1).normal(size=(20, 4)):
        unit = q / np.linalg.norm(q)
        assert rotation(unit) == pytest.approx(matrix(unit), abs=1e-14)
