"""Certified Newton against groups assembled by construction, against closed forms, against 50 digits."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from library.assembled_groups import PITCH, assemble, quaternion
from library.newton_groups import SHAPES, arrangement, newton_of, start_near

import symgen
from symgen.errors import MechanismError, UnsolvedTypeError
from symgen.library.instance import instance_of
from symgen.library.solve_instance import solve_instance
from symgen.status import Status

Tree = dict[str, Any]


@pytest.fixture(scope="module", params=[pytest.param("c", marks=pytest.mark.extension)])
def library(request: pytest.FixtureRequest) -> Any:
    return symgen.library(backend=request.param)


def _group(name: str, seed: int) -> Any:
    space, words = SHAPES[name]
    made = arrangement(words)
    turned = tuple(bool(b) for b in np.random.default_rng(seed).integers(0, 2, len(made.joints)))
    return assemble(made, space, seed, turned), space == "planar"


def _assert_motion(found: Tree, group: Any, planar: bool, condition: float) -> None:
    """Compare with the constructed motion.

    The construction differentiates numerically: known accelerations are good to 1e-9 (`assembled_groups.STEP`), which
    the condition of the group magnifies; positions are good to rounding times the condition.
    """
    for name, motion in group.bodies.items():
        body = found["bodies"][name]
        cut = 2 if planar else 3
        assert body["r"] == pytest.approx(motion.pose[:cut, 3].tolist(), abs=1e-13 * condition)
        if planar:
            assert np.exp(1j * body["phi"]) == pytest.approx(
                complex(motion.pose[0, 0], motion.pose[1, 0]), abs=1e-13 * condition
            )
            omega, alpha = [motion.twist[5]], [motion.acceleration[5]]
            assert [body["omega"]] == pytest.approx(omega, abs=1e-10 * condition)
            assert [body["alpha"]] == pytest.approx(alpha, abs=1e-8 * condition)
        else:
            assert abs(np.dot(body["q"], quaternion(motion.pose))) == pytest.approx(1.0, abs=1e-12)
            assert body["omega"] == pytest.approx(motion.twist[3:].tolist(), abs=1e-10 * condition)
            assert body["alpha"] == pytest.approx(motion.acceleration[3:].tolist(), abs=1e-8 * condition)
        assert body["v"] == pytest.approx(motion.twist[:cut].tolist(), abs=1e-10 * condition)
        assert body["a"] == pytest.approx(motion.acceleration[:cut].tolist(), abs=1e-8 * condition)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SHAPES)
def test_the_constructed_motion_is_found_from_a_start_near_it(name: str, library: Any) -> None:
    for seed in (1, 2, 3):
        group, planar = _group(name, seed)
        group.tree["start"] = start_near(group.bodies, planar, seed)
        instance = instance_of(group.tree)
        newton, given = newton_of(instance, "c")
        near = newton.near(given, newton.poses(given, instance.start))
        assert near is not None
        if near.condition > 1e3:  # nearly singular by chance: other roots are as near as the start
            continue
        answer = solve_instance(library, instance)
        assert answer["status"] == "OK"
        branch = min(answer["branches"], key=lambda each: _away(each, group))  # a closed form gives them all
        if answer["method"] == "certified Newton":
            assert branch["certified"]
        _assert_motion(branch, group, planar, near.condition)


def _away(branch: Tree, group: Any) -> float:
    """Return how far a branch's bodies are from the constructed ones."""
    gaps = []
    for name, motion in group.bodies.items():
        place = branch["bodies"][name]["r"]
        gaps.append(float(np.abs(np.array(place) - motion.pose[: len(place), 3]).max()))
        if "q" in branch["bodies"][name]:
            gaps.append(1 - abs(float(np.dot(branch["bodies"][name]["q"], quaternion(motion.pose)))))
    return max(gaps)


def test_joint_coordinates_are_those_of_the_construction(library: Any) -> None:
    for name in ("helix on a rod", "ring with a cross", "driven ball", "planar with slides"):
        group, planar = _group(name, 5)
        space, words = SHAPES[name]
        group = assemble(arrangement(words), space, 5, (False,) * len(words.split()))
        group.tree["start"] = start_near(group.bodies, planar, 5, 0.01)
        branches = solve_instance(library, instance_of(group.tree))["branches"]
        branch = min(branches, key=lambda each: _away(each, group))
        for joint, freedoms in group.coordinates.items():
            for freedom, triple in freedoms.items():
                found = branch["joints"][joint][freedom]
                assert found == pytest.approx(triple, abs=1e-5), (name, joint, freedom)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("signature", ["R.U.S 3D", "P.C.S 3D", "C.C.C 3D", "R.C.S 3D", "P.U.S 3D"])
def test_the_search_finds_what_the_closed_form_finds(signature: str) -> None:
    library = symgen.library(backend="numpy")  # the closed form; nothing more to compile
    entry = library.catalogue.find(signature)
    for seed in range(3):
        group = assemble(entry.arrangement, "spatial", seed, (False,) * 3)
        instance = instance_of(group.tree)
        wanted = solve_instance(library, instance)["branches"]
        newton, given = newton_of(instance, "c")
        found = newton.assemblies(given)
        assert len(found) == len(wanted)
        assert all(each.certified for each in found)
        for assembly in found:
            bodies = newton.bodies(given, assembly.poses)
            gaps = [max(_gap(branch["bodies"][name], pose) for name, pose in bodies.items()) for branch in wanted]
            assert min(gaps) < 1e-12 * assembly.condition + 1e-9


def _gap(body: Tree, pose: Any) -> float:
    """Return the difference of place and rotation."""
    q, place = np.array(body["q"]), np.abs(np.array(body["r"]) - pose[:3]).max()
    return float(place + min(np.abs(q - pose[3:]).max(), np.abs(q + pose[3:]).max()))


def test_a_helix_agrees_with_fifty_digits_of_its_joint_coordinates(library: Any) -> None:
    """Three joint coordinates of K1-H-a-U-b carry a point to K2: forward kinematics by hand, Newton with 50 digits."""
    space, words = SHAPES["helix on a rod"]
    group = assemble(arrangement(words), space, 11, (False, False, False))
    answer = solve_instance(library, instance_of(group.tree))
    assert answer["method"] == "certified Newton"
    assert len(answer["branches"]) >= 2
    joints = group.tree["joints"]
    with mpmath.workdps(50):
        frames = {(j, b): _pose_matrix(f["at"], f["q"]) for j in joints for b, f in joints[j]["frames"].items()}
        known = {b: _pose_matrix(m["r"], m["q"]) for b, m in group.tree["known"].items()}
        target = known["K2"] * frames["j3", "K2"]

        def left(angle: Any, one: Any, two: Any) -> list[Any]:
            helix = _turn(2, angle)
            helix[2, 3] = mpmath.mpf(PITCH) * angle
            a = known["K1"] * frames["j1", "K1"] * helix * frames["j1", "body_a"] ** -1
            b = a * frames["j2", "body_a"] * _turn(2, one) * _turn(0, two) * frames["j2", "body_b"] ** -1
            point = b * frames["j3", "body_b"]
            return [point[k, 3] - target[k, 3] for k in range(3)]

        for branch in answer["branches"]:
            if branch["condition"] > 1e4:
                continue
            values = branch["joints"]
            start = [values["j1"]["angle"][0], values["j2"]["angle1"][0], values["j2"]["angle2"][0]]
            root = mpmath.findroot(left, start, tol=1e-80, maxsteps=20)
            # the library's own rounding: some EPSILON times the condition
            assert max(abs(root[k] - start[k]) for k in range(3)) < 1e-14 * branch["condition"]


def _pose_matrix(place: Any, q: Any) -> Any:
    w, x, y, z = (mpmath.mpf(v) for v in q)
    size = w * w + x * x + y * y + z * z
    m = mpmath.eye(4)
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    for i in range(3):
        for j in range(3):
            m[i, j] = rows[i][j] / size
        m[i, 3] = mpmath.mpf(place[i])
    return m


def _turn(axis: int, angle: Any) -> Any:
    m = mpmath.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m[i, i] = m[j, j] = mpmath.cos(angle)
    m[j, i], m[i, j] = mpmath.sin(angle), -mpmath.sin(angle)
    return m


def test_what_cannot_be_reached_has_no_assembly_and_says_that_it_was_a_search(library: Any) -> None:
    group, _ = _group("ring of six", 1)
    known = group.tree["known"]["K2"]
    known["r"] = [r + 1000.0 for r in known["r"]]
    group.tree["start"] = start_near(group.bodies, False, 1)
    answer = solve_instance(library, instance_of(group.tree))
    assert answer["status"] == "NO_ASSEMBLY"
    assert answer["branches"] == []
    assert not answer["complete"]
    assert "not a proof" in answer["reason"]


def test_what_overflows_is_bad_input_as_in_closed_forms(library: Any) -> None:
    group, _ = _group("helix on a rod", 3)
    group.tree["known"]["K1"]["r"] = [1e200, 0.0, 0.0]
    answer = solve_instance(library, instance_of(group.tree))
    assert (answer["status"], answer["branches"]) == ("BAD_INPUT", [])
    assert "K1 are out of range" in answer["reason"]


def test_driven_freedoms_are_named_in_the_type(library: Any) -> None:
    group, _ = _group("driven ball", 6)
    answer = solve_instance(library, instance_of(group.tree))
    assert (answer["signature"], answer["type"]) == ("S**.U.S 3D", "S**yaw+roll.U.S 3D")


def test_a_group_without_a_rank_is_refused(library: Any) -> None:
    made = arrangement("k1-a:S a-k2:S")  # six rows for six freedoms, but the spin about the balls is free
    group = assemble(made, "spatial", 1, (False, False))
    with pytest.raises(UnsolvedTypeError, match="not a structural group"):
        solve_instance(library, instance_of(group.tree))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pitch": None}, r"joints\.j1: lacks pitch"),
        ({"pitch": 0}, r"joints\.j1\.pitch: must not be zero"),
        ({"start": {"body_c": {"r": [0, 0, 0], "q": [1, 0, 0, 0]}}}, r"start\.body_c: no unknown body"),
        ({"start": {"body_a": {"r": [0, 0, 0], "q": [1, 0, 0, 0]}}}, r"start: lacks"),
        ({"start": {"body_a": {"v": [0, 0, 0]}}}, "start.body_a"),
    ],
)
def test_wrong_pitches_and_starts_are_refused(change: Tree, message: str) -> None:
    group, _ = _group("helix on a rod", 3)
    joint = group.tree["joints"]["j1"]
    for key, value in change.items():
        target = joint if key == "pitch" else group.tree
        if value is None:
            del target[key]
        else:
            target[key] = value
    with pytest.raises(MechanismError, match=message):
        instance_of(group.tree)


def test_a_pair_that_is_no_helix_has_no_pitch() -> None:
    group, _ = _group("helix on a rod", 3)
    group.tree["joints"]["j2"]["pitch"] = 0.1
    with pytest.raises(MechanismError, match=r"only an H has a pitch, not U"):
        instance_of(group.tree)


@pytest.mark.slow
def test_equal_groups_have_equal_answers(library: Any) -> None:
    group, _ = _group("two crosses and a cylinder", 4)
    answers = [solve_instance(library, instance_of(group.tree)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0]["status"] in (Status.OK.name, Status.NO_ASSEMBLY.name)


@pytest.mark.parametrize("seed", [6, 8])
def test_a_ball_with_a_driven_yaw_may_be_pitched_beyond_sixty_degrees(seed: int, library: Any) -> None:
    group, planar = _group("driven ball", seed)
    assert abs(group.coordinates["j1"]["pitch"][0]) > np.pi / 3
    group.tree["start"] = start_near(group.bodies, planar, seed)
    branches = solve_instance(library, instance_of(group.tree))["branches"]
    assert min(_away(branch, group) for branch in branches) < 1e-9
