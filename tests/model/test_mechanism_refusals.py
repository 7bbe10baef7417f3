"""Every rule of the file: broken once, the refusal names the field, what was found, what is allowed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

DELETE = object()


def edited(tree: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of the tree with one entry set or deleted; `path` is separated by slashes."""
    tree = copy.deepcopy(tree)
    *folders, last = path.split("/")
    table: Any = tree
    for key in folders:
        table = table[int(key)] if isinstance(table, list) else table.setdefault(key, {})
    if value is DELETE:
        del table[last]
    elif isinstance(table, list):
        table[int(last)] = value
    else:
        table[last] = value
    return tree


# path to edit, new value, field of the error, words of the message
BROKEN: list[tuple[str, Any, str, str]] = [
    ("schema", DELETE, "schema", 'the first line of a mechanism file is schema = "symgen/mechanism/1"'),
    ("schema", "symgen/mechanism/2", "schema", 'must be "symgen/mechanism/1", found "symgen/mechanism/2"'),
    ("space", DELETE, "", '"space" is missing'),
    ("space", "spacial", "space", 'found "spacial"; did you mean "spatial"? It must be one of "spatial", "planar"'),
    ("space", "2D", "space", 'found "2D"; did you mean "planar" (2D)? It must be one of "spatial", "planar"'),
    ("space", "3D", "space", 'found "3D"; did you mean "spatial" (3D)? It must be one of "spatial", "planar"'),
    ("space", "plane", "space", 'found "plane"; did you mean "planar"? It must be one of'),
    ("space", "qq", "space", 'found "qq"; must be one of "spatial", "planar"'),
    ("units", "mm", "units", "unknown key; everything is in SI and nothing is converted: lengths in m"),
    ("length_unit", "mm", "length_unit", "unknown key; everything is in SI"),
    ("gravity", [0, 0, "10*mm"], "gravity[2]", 'unknown name "mm"; do not write units: everything is in SI'),
    ("gravity", [0, 0, "10mm"], "gravity[2]", "do not write units: everything is in SI"),
    ("space", 3, "space", "must be text, found a number (3)"),
    ("name", "a\nb", "name", "printable"),
    ("name", "x" * 201, "name", "at most 200"),
    ("gravity", [0, 0], "gravity", "must have 3 entries, found 2"),
    ("gravity", 9.81, "gravity", "must be a list"),
    ("gravity", [0, 0, None], "gravity[2]", "found null"),
    ("gravity", [0, 0, 10**400], "gravity[2]", "must be a finite number, found an integer of"),
    ("gravity", [0, 0, "t"], "gravity[2]", "the time t may only be used"),
    ("ground", "0x ", "ground", "must be an id"),
    ("joint", {}, "joint", 'unknown key; did you mean "joints"?'),
    ("bodies", DELETE, "", '"bodies" is missing'),
    ("bodies", {}, "bodies", "there is no moving body"),
    ("bodies", {"1": {}}, "bodies", "there is no moving body"),
    ("bodies", [], "bodies", "must be a table, found a list"),
    ("bodies/2/mas", 1, "bodies.2.mas", 'did you mean "mass"?'),
    ("bodies/2/mass", -1, "bodies.2.mass", "must not be negative"),
    ("bodies/2/mass", "heavy", "bodies.2.mass", 'unknown name "heavy"'),
    ("bodies/2/mass", True, "bodies.2.mass", "found a truth value (true)"),
    ("bodies/2/inertia", [1, 1, 1], "bodies.2.inertia", "must have 6 entries"),
    ("bodies/2/inertia", [1, 1, 1, 2, 0, 0], "bodies.2.inertia", "negative principal moment"),
    ("bodies/2/inertia", [-1, 1, 1, 0, 0, 0], "bodies.2.inertia", "negative principal moment"),
    ("bodies/2/inertia", [1, 1, -0.25, 0, 0, 0], "bodies.2.inertia", "-0.25 kg m^2, and none may be below 0"),
    ("bodies/2/pose/q", [1, 0, 0], "bodies.2.pose.q", "must have 4 entries"),
    ("bodies/2/points/a b", [0, 0, 0], "bodies.2.points", '"a b" must be an id'),
    ("bodies/-2", {}, "bodies", '"-2" must be an id'),
    ("bodies/1/mass", 1, "bodies.1.mass", '"1" is the ground'),
    ("bodies/1/pose", {}, "bodies.1.pose", "may only have points"),
    ("parameters/sin", 1, "parameters.sin", "has a fixed meaning"),
    ("parameters/t", 1, "parameters.t", "has a fixed meaning"),
    ("parameters/lambda", 1, "parameters.lambda", "has a fixed meaning"),
    ("parameters/a-b", 1, "parameters", '"a-b" must be a name'),
    ("parameters/L", "K", "parameters.L", 'unknown name "K"'),
    ("parameters/L", "speed", "parameters.L", "defined by itself: L -> speed -> L"),
    ("parameters/L", "L", "parameters.L", "defined by itself: L -> L"),
    ("parameters/L", "1/0", "parameters.L", "division of 1 by zero"),
    ("parameters/L", float("inf"), "parameters.L", "finite"),
    ("parameters/L", "2*t", "parameters.L", "the time t"),
    ("joints/A/type", "Q", "joints.A.type", 'found "Q"'),
    ("joints/A/type", "revolute", "joints.A.type", 'did you mean "R" (revolute)?'),
    ("joints/A/type", "Spherical", "joints.A.type", 'did you mean "S" (spherical)?'),
    ("joints/A/driven", True, "joints.A.driven", "must be the number of freedoms"),
    ("joints/A/driven", None, "joints.A.driven", "found null"),
    ("drives/A", "2*time", "drives.A", 'did you mean "t"?'),
    ("joints/A/type", "r", "joints.A.type", 'did you mean "R"?'),
    ("joints/A/type", DELETE, "joints.A", '"type" is missing'),
    ("joints/A/bodies", ["1"], "joints.A.bodies", "must have 2 to 64 entries"),
    ("joints/A/bodies", [1, 2], "joints.A.bodies[0]", 'must be text, found a number (1): write "1"'),
    ("joints/A/bodies", "12", "joints.A.bodies", "must be a list"),
    ("joints/A/bodies", ["1", "22"], "joints.A.bodies[1]", 'no body has the id "22"; did you mean "2"?'),
    ("joints/A/bodies", ["1", "crank"], "joints.A.bodies[1]", "bodies are 1, 2, 3, 4"),
    ("joints/A/bodies", ["2", "2"], "joints.A.bodies", 'joins "2" with itself'),
    ("joints/E", {"type": "S", "bodies": ["3", "2"]}, "joints.E.bodies", 'already joined by joint "B"'),
    ("joints/A/axes", [0, 0, 1], "joints.A.axes", 'did you mean "axis"?'),
    ("joints/A/B/C", 1, "joints.A.B", "unknown key; allowed are type, bodies"),
    ("drives/A", [1], "drives.A", "must be a number, an expression or a table by freedom, found a list"),
    ("drives/A.angle.x", 1, "drives", '"A.angle.x" must be the id of a joint'),
    ("initial/joints/Z", {"angle": 0}, "initial.joints.Z", 'no joint has the id "Z"'),
    ("initial/joints/A/slide", 0, "initial.joints.A.slide", 'has no freedom "slide" (it has angle)'),
    ("initial/joints/A/speed", 0, "initial.joints.A.speed", "unknown key"),
    ("initial/joints/C", {"rate": 1}, "initial.joints.C.rate", "name the freedom: rate = { slide = ... }"),
    ("initial/bodies/9", {}, "initial.bodies.9", 'no body has the id "9"'),
    ("initial/bodies/1", {}, "initial.bodies.1", "is the ground"),
    ("initial/bodies/2/omega", 1, "initial.bodies.2.omega", "only planar mechanisms"),
    ("forces/f1/kind", DELETE, "forces.f1", '"kind" is missing; one of spring, force, torque, joint'),
    ("forces/f1/kind", "sprung", "forces.f1.kind", 'did you mean "spring"?'),
    ("forces/f1/between", ["1.Q"], "forces.f1.between", "must have 2 entries"),
    ("forces/f1/between", ["1.Q", "2"], "forces.f1.between[1]", 'must be a point of a body, such as "2.P"'),
    ("forces/f1/between", ["1.Q", "2.Q"], "forces.f1.between[1]", 'body "2" has no point "Q"; its points are P'),
    ("forces/f1/between", ["1.Q", "1.Q"], "forces.f1.between", "the same point"),
    ("forces/f1/length", -1, "forces.f1.length", "must not be negative"),
    ("forces/f1/body", "2", "forces.f1.body", "unknown key"),
    ("forces/f2/value", ["sin(x)", 0, 0], "forces.f2.value[0]", 'unknown name "x"'),
    ("forces/f2/body", "1", "forces.f2.body", "is the ground"),
    ("forces/f2/axes", "World", "forces.f2.axes", 'did you mean "world"?'),
    ("forces/f2/from", 3, "forces.f2.until", "must not be before from"),
    ("forces/f4/freedom", DELETE, "forces.f4", '"freedom" is missing; joint "C" (C) has slide, angle'),
    ("forces/f4/freedom", "roll", "forces.f4.freedom", 'has no freedom "roll"'),
    ("forces/f4/joint", "c", "forces.f4.joint", 'did you mean "C"?'),
]


@pytest.mark.parametrize(("path", "value", "field", "words"), BROKEN)
def test_a_broken_rule_is_refused_where_it_stands(
    spatial_tree: dict[str, Any], path: str, value: Any, field: str, words: str
) -> None:
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_dict(edited(spatial_tree, path, value), "four-bar.toml")
    assert (caught.value.field or "") == field
    assert words in str(caught.value)
    assert str(caught.value).startswith("four-bar.toml: ")
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("code", ["H", "C", "S", "F", "U", "PL"])
def test_types_without_planar_meaning_are_refused_there(planar_tree: dict[str, Any], code: str) -> None:
    with pytest.raises(MechanismError, match=r"joints\.B\.type: .*allowed there are R, P, L, EO, EPI, RP, RD, FP, W"):
        Mechanism.from_dict(edited(planar_tree, "joints/B", {"type": code, "bodies": ["crank", "rod"]}))


@pytest.mark.parametrize("tree", [[], None, "text", 3])
def test_a_tree_that_is_no_table_is_refused(tree: Any) -> None:
    with pytest.raises(MechanismError, match="must be a table"):
        Mechanism.from_dict(tree)


def test_problems_that_do_not_depend_on_each_other_are_reported_together(spatial_tree: dict[str, Any]) -> None:
    spatial_tree["joints"]["A"]["axis"] = [0, 0, 0]
    spatial_tree["joints"]["D"]["axis2"] = [2, 4, 4]
    spatial_tree["bodies"]["2"]["mass"] = -2
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_dict(spatial_tree)
    assert caught.value.field == "bodies.2.mass"
    for field in ("2 more:", "joints.A.axis: ", "joints.D.axis2: "):
        assert field in str(caught.value)


def test_allowed_types_are_listed_once_however_many_joints_have_a_wrong_one(spatial_tree: dict[str, Any]) -> None:
    for joint, wrong in zip("ABCD", ("revolut", "revolut", "qqqq", "spherica"), strict=True):
        spatial_tree["joints"][joint]["type"] = wrong
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_dict(spatial_tree)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith('joints.A.type: found "revolut"; did you mean "R" (revolute)? It must be one of "R", ')
    assert lines[1:] == [
        "3 more:",
        '  joints.B.type: found "revolut"; did you mean "R" (revolute)?',
        '  joints.C.type: found "qqqq"; allowed is what is listed for joints.A.type',
        '  joints.D.type: found "spherica"; did you mean "S" (spherical)?',
    ]


def test_a_file_that_is_wrong_throughout_is_not_reported_without_end(spatial_tree: dict[str, Any]) -> None:
    spatial_tree["bodies"].update({f"b{i}": {"mas": 1} for i in range(3000)})
    with pytest.raises(MechanismError) as caught:
        Mechanism.from_dict(spatial_tree)
    assert str(caught.value).count("\n") <= 21
    assert "reading stopped at 20 problems; there may be more" in str(caught.value)


def test_control_characters_of_the_file_do_not_reach_the_terminal(spatial_tree: dict[str, Any]) -> None:
    for path in ("\x1b[31m", "bodies/\x1b[31m", "joints/A/\x1b[31m", "bodies/2/points/\x1b[31m", "drives/\x1b[31m"):
        with pytest.raises(MechanismError) as caught:
            Mechanism.from_dict(edited(spatial_tree, path, "\x1b[0m"))
        assert "\x1b" not in str(caught.value)


def test_both_ends_of_a_beam_on_one_body_are_told_the_way_that_works() -> None:
    beam = {"beam": {"length": 1.0, "mass_per_length": 3.0, "bending": 50.0}}
    idle = {"mass": 0.0, "com": [0, 0], "inertia": [0] * 6, "pose": {"r": [1, 0]}}

    def weld(one: str, two: str, x: float) -> dict[str, Any]:
        return {"type": "W", "bodies": [one, two], "at": [x, 0]}

    tree = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {"b": beam}}
    joints = {"A": weld("ground", "b", 0), "B": weld("b", "ground", 1)}
    with pytest.raises(MechanismError, match=r'joints\.B\.bodies: .*for both ends of beam "b" add a body at one end'):
        Mechanism.from_dict({**tree, "joints": joints})
    held = {**joints, "B": weld("b", "end", 1), "C": weld("end", "ground", 1)}
    Mechanism.from_dict({**tree, "bodies": {"b": beam, "end": idle}, "joints": held})
