"""Groups solved from instances: what was assembled by forward kinematics comes back, however it is written."""

from __future__ import annotations

import copy
import importlib.util
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import MechanismError
from symgen.library.catalogue import Entry, load_catalogue
from symgen.library.instance import instance_of, load_instance
from symgen.library.solve_instance import solve_instance

_spec = importlib.util.spec_from_file_location("assembled_groups", Path(__file__).with_name("assembled_groups.py"))
assert _spec is not None
assert _spec.loader is not None
groups = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = groups
_spec.loader.exec_module(groups)

ENTRIES = load_catalogue().entries
TURNABLE = {"R", "P", "H", "C", "U"}


def may_be_turned(entry: Entry) -> list[tuple[bool, ...]]:
    row = [j.type != "L" and (j.type in TURNABLE or not j.driven) for j in entry.arrangement.joints]
    if len(row) > 4:  # all together, each for itself would be many
        return [tuple(may and turn for may in row) for turn in (False, True)]
    return list(itertools.product(*((False, True) if may else (False,) for may in row)))


def is_tree(entry: Entry) -> bool:
    """Tell whether known and unknown bodies hang together without a loop, so that joint laws can be chosen freely."""
    shape = entry.arrangement
    return len(shape.joints) < len(shape.known) + len(shape.bodies)


CASES = [
    pytest.param(entry, turned, id=f"{entry.key} {''.join('<' if t else '>' for t in turned)}")
    for entry in ENTRIES
    if is_tree(entry)
    for turned in may_be_turned(entry)
]


@pytest.fixture(scope="module")
def library() -> Any:
    return symgen.library(backend="numpy")


def gap(body: dict[str, Any], motion: Any, space: str) -> float:
    """Largest difference between a solved body's pose and the assembled one."""
    if space == "planar":
        turned = np.angle(np.exp(1j * (body["phi"] - np.arctan2(motion.pose[1, 0], motion.pose[0, 0]))))
        return float(max(np.abs(np.array(body["r"]) - motion.pose[:2, 3]).max(), abs(turned)))
    q = groups.quaternion(motion.pose)
    apart = min(np.abs(np.array(body["q"]) - sign * q).max() for sign in (1, -1))
    return float(max(np.abs(np.array(body["r"]) - motion.pose[:3, 3]).max(), apart))


def is_rod(tree: dict[str, Any], body: str) -> bool:
    """Tell whether all joints of a body are spherical and free: it spins idly between two balls."""
    joints = [joint for joint in tree["joints"].values() if body in joint["bodies"]]
    return all(joint["type"] == "S" and not joint.get("driven") for joint in joints)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("entry", "turned"), CASES)
def test_an_assembled_group_comes_back(library: Any, entry: Entry, turned: tuple[bool, ...]) -> None:
    space = entry.manifest.space
    for seed in range(6):
        group = groups.assemble(entry.arrangement, space, seed, turned)
        answer = solve_instance(library, instance_of(group.tree))
        assert answer["status"] == "OK"
        assert answer["signature"] == entry.arrangement.signature
        # assembled at random, a rod between two balls spins as it likes: its solver has a convention of its own
        kept = {b: m for b, m in group.bodies.items() if not is_rod(group.tree, b)}
        best = min(answer["branches"], key=lambda each: max(gap(each["bodies"][b], m, space) for b, m in kept.items()))
        condition = best["condition"] or 1.0
        if condition < 100.0:  # a nearly singular group tells little: take another
            break
    else:
        pytest.fail("six groups in a row were nearly singular")
    # Positions: rounding times the condition of the position problem (about that of the rates). Rates and
    # accelerations: the errors of the differences (see STEP), again times the condition, squared for accelerations.
    position, rate = 1e-13 * condition, 1e-8 * condition**2
    for body, motion in kept.items():
        found = best["bodies"][body]
        assert gap(found, motion, space) < position
        if space == "planar":
            twist, acceleration = ([*found[a], found[b]] for a, b in (("v", "omega"), ("a", "alpha")))
            chosen = [0, 1, 5]
        else:
            twist, acceleration = ([*found[a], *found[b]] for a, b in (("v", "omega"), ("a", "alpha")))
            chosen = [0, 1, 2, 3, 4, 5]
        np.testing.assert_allclose(twist, motion.twist[chosen], atol=rate)
        np.testing.assert_allclose(acceleration, motion.acceleration[chosen], atol=rate)
    for joint, freedoms in group.coordinates.items():
        assert list(best["joints"][joint]) == list(freedoms)
        if any(is_rod(group.tree, body) for body in group.tree["joints"][joint]["bodies"]):
            continue
        for freedom, wanted in freedoms.items():
            np.testing.assert_allclose(best["joints"][joint][freedom], wanted, atol=rate)


@pytest.mark.extension
@pytest.mark.parametrize("entry", ENTRIES[-1:])
def test_c_gives_the_same_answer(library: Any, entry: Entry) -> None:
    turned = (False,) * len(entry.arrangement.joints)
    group = groups.assemble(entry.arrangement, entry.manifest.space, seed=1, turned=turned)
    answers = [solve_instance(each, instance_of(group.tree)) for each in (library, symgen.library(backend="c"))]
    first, second = (
        [leaf for branch in answer["branches"] for leaf in leaves(branch) if leaf is not None] for answer in answers
    )
    # libm and NumPy may differ by an ulp in sin, cos and atan2; times a condition below 1e3.
    np.testing.assert_allclose(first, second, rtol=1e-11, atol=1e-12)


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, list):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree] if isinstance(tree, float) else []


DYAD: dict[str, Any] = {
    "schema": "symgen/group-instance/1",
    "space": "planar",
    "known": {"K1": {}, "K2": {"r": [2, 0], "v": [1, 0], "phi": 0.3}},
    "bodies": ["x", "y"],
    "joints": {
        "A": {"type": "R", "bodies": ["x", "K1"], "frames": {"K1": {"at": [0, 0]}, "x": {"at": [0, 0]}}},
        "B": {"type": "R", "bodies": ["x", "y"], "frames": {"x": {"at": ["3/2", 0]}, "y": {"at": [0, 0]}}},
        "C": {"type": "R", "bodies": ["K2", "y"], "frames": {"K2": {"at": [0, 0]}, "y": {"at": [1.5, 0]}}},
    },
}


def dyad(**known: Any) -> dict[str, Any]:
    tree = copy.deepcopy(DYAD)
    tree["known"]["K2"].update(known)
    return tree


def test_a_group_out_of_reach_has_no_branches(library: Any) -> None:
    answer = solve_instance(library, instance_of(dyad(r=[9, 0])))
    assert (answer["status"], answer["branches"]) == ("NO_ASSEMBLY", [])


def test_a_stretched_group_has_a_pose_and_no_rates(library: Any) -> None:
    answer = solve_instance(library, instance_of(dyad(r=[3, 0])))
    assert answer["status"] == "SINGULAR"
    branch = answer["branches"][0]
    assert branch["status"] == "SINGULAR"
    assert branch["bodies"]["x"]["phi"] == pytest.approx(0.0, abs=1e-7)  # half of the digits are lost at a fold
    assert branch["bodies"]["x"]["v"] is None
    assert branch["joints"]["A"]["angle"][1:] == [None, None]
    assert branch["condition"] is None
    json.dumps(answer, allow_nan=False)


def test_known_bodies_that_coincide_are_degenerate(library: Any) -> None:
    assert solve_instance(library, instance_of(dyad(r=[0, 0])))["status"] == "DEGENERATE"


def test_both_ends_may_hang_on_one_known_body(library: Any) -> None:
    tree = dyad()
    del tree["known"]["K2"]
    tree["joints"]["C"] = {
        "type": "R", "bodies": ["K1", "y"], "frames": {"K1": {"at": [2, 0]}, "y": {"at": [1.5, 0]}}
    }  # fmt: skip
    found = solve_instance(library, instance_of(tree))
    wanted = solve_instance(library, instance_of(dyad(v=[0, 0], phi=0)))
    assert found["branches"] == wanted["branches"]


@pytest.mark.sampled(1)
@pytest.mark.extension
@pytest.mark.parametrize("code", ["FP", "S", "PL"])
def test_a_driven_joint_written_from_the_unknown_end_is_solved_by_certified_newton(code: str) -> None:
    """Closed forms take the freedoms of these pairs from the known body on; a file may have them either way."""
    entry = next(
        entry for entry in ENTRIES if any(joint.type == code and joint.driven for joint in entry.arrangement.joints)
    )
    turned = tuple(joint.type == code for joint in entry.arrangement.joints)
    group = groups.assemble(entry.arrangement, entry.manifest.space, seed=3, turned=turned)
    answer = solve_instance(symgen.library(), instance_of(group.tree))
    assert answer["method"] == "certified Newton"
    space = entry.manifest.space
    gaps = [max(gap(branch["bodies"][b], m, space) for b, m in group.bodies.items()) for branch in answer["branches"]]
    assert min(gaps) < 1e-9  # rounding times a condition of order one


def test_a_driven_joint_too_many_is_answered_with_the_count(library: Any) -> None:
    tree = dyad()
    tree["joints"]["B"]["driven"] = {"angle": 1}
    with pytest.raises(MechanismError, match=r"6 freedoms, .* 7 constraints: 1 too many"):
        solve_instance(library, instance_of(tree))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("joints.A.tpye", "R", r'joints\.A\.tpye: unknown key; did you mean "type"'),
        ("known.K1.w", [0, 0], r"known\.K1\.w: unknown key"),
        ("known.K1.q", [1, 0, 0, 0], r"known\.K1\.q: unknown key"),
        ("known.K1.r", [0, 0, 0], r"known\.K1\.r: must have 2 entries"),
        ("known.K1.r", [0, float("inf")], r"known\.K1\.r\[1\]: must be a finite number"),
        ("schema", "symgen/mechanism/1", "schema: this is a mechanism file"),
        ("bodies", ["x", "K1"], r'bodies\[1\]: "K1" is listed twice'),
        ("joints.A.type", "Q", r'joints\.A\.type: .*"Q"'),
        ("joints.A.type", "S", r"joints\.A\.type: S has no meaning in the plane"),
        ("joints.A.bodies", ["x", "K3"], r'joints\.A\.bodies\[1\]: no body has the id "K3"'),
        ("joints.A.bodies", ["K2", "K1"], "joins two known bodies"),
        ("joints.A.bodies", ["x", "x"], "with itself"),
        ("joints.A.frames", {"x": {"at": [0, 0]}}, r"joints\.A\.frames\.K1: lacks at"),
        ("joints.A.frames.y", {"at": [0, 0]}, '"y" is not a body of this joint'),
        ("joints.A.frames.x.axis", [0, 0, 0], r"joints\.A\.frames\.x\.axis"),
        ("joints.B.type", "P", r"joints\.B\.frames\.x: lacks axis \(or \"angle\"\)"),
        ("joints.A.driven", {"angel": 1}, 'no freedom "angel"; did you mean "angle"'),
        ("joints.A.driven", {"angle": [1, 2, 3, 4]}, "must have 1 to 3 entries"),
        ("joints.A.driven", {"angle": "import os"}, r"joints\.A\.driven\.angle"),
    ],
)
def test_a_wrong_instance_is_refused_with_file_and_field(path: str, value: Any, message: str) -> None:
    tree = dyad()
    *above, last = path.split(".")
    table = tree
    for key in above:
        table = table[key]
    table[last] = value
    with pytest.raises(MechanismError, match=message) as caught:
        instance_of(tree, "group.json")
    assert str(caught.value).startswith("group.json: ")


@pytest.mark.parametrize("tree", [None, 3, [], "text", {}])
def test_what_is_no_table_is_refused(tree: object) -> None:
    with pytest.raises(MechanismError):
        instance_of(tree, "group.json")


def test_files_are_json_or_toml(tmp_path: Path, library: Any) -> None:
    by_json = tmp_path / "group.json"
    by_json.write_text(json.dumps(DYAD))
    toml = tmp_path / "group.toml"
    lines = [
        'schema = "symgen/group-instance/1"',
        'space = "planar"',
        'bodies = ["x", "y"]',
        "[known.K1]",
        "[known.K2]",
    ]
    lines += ["r = [2, 0]", "v = [1, 0]", "phi = 0.3"]
    for name, joint in DYAD["joints"].items():
        lines += [f"[joints.{name}]", f"type = {json.dumps(joint['type'])}", f"bodies = {json.dumps(joint['bodies'])}"]
        lines += [f"frames.{body}.at = {json.dumps(side['at'])}" for body, side in joint["frames"].items()]
    toml.write_text("\n".join(lines))
    assert solve_instance(library, load_instance(by_json)) == solve_instance(library, load_instance(toml))
    for name, content in (("group.yaml", b""), ("none.json", None), ("bad.json", b"\xff"), ("cut.json", b"{")):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(MechanismError, match=name):
            load_instance(path)
