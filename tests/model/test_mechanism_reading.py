"""What a right file becomes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model.mechanism import AppliedForce, AppliedTorque, JointForce, Mechanism, Spring


def test_everything_in_the_file_arrives(spatial_tree: dict[str, Any]) -> None:
    mechanism = Mechanism.from_dict(spatial_tree)
    assert mechanism.name == "spatial four-bar"
    assert mechanism.body_ids == ("1", "2", "3", "4")
    assert mechanism.freedom_count == 6
    assert mechanism.ground_body.points == {"Q": (0.0, 0.0, 0.4)}
    assert mechanism.gravity == (0.0, 0.0, -9.81)
    assert mechanism.parameters == {"L": 0.4, "speed": pytest.approx(2.5132741228718345, rel=1e-15)}
    assert [body.pose_given for body in mechanism.bodies] == [True, False, True]
    assert mechanism.body("2").mass == 1.0
    assert mechanism.body("2").inertia == (1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0)
    assert [(joint.id, joint.type, joint.bodies) for joint in mechanism.joints][1] == ("B", "S", ("2", "3"))
    assert mechanism.joint("C").freedoms == ("slide", "angle")
    assert mechanism.joint("C").grade == 2
    assert list(mechanism.drives) == [("A", "angle")]
    assert mechanism.initial.joints[0].rates == {"angle": 1.0}
    assert mechanism.initial.bodies[0].omega == (0.0, 0.0, 0.0)
    spring, force, torque, actuator = mechanism.forces
    assert isinstance(spring, Spring)
    assert spring.between == (("1", "Q"), ("2", "P"))
    assert isinstance(force, AppliedForce)
    assert (force.axes, force.until) == ("body", 2.0)
    assert isinstance(torque, AppliedTorque)
    assert torque.value[2].evaluate({"t": 2.0}) == 0.8
    assert isinstance(actuator, JointForce)
    assert actuator.stiffness == 5.0
    mechanism.require_frames()
    mechanism.require_drives()


def test_planar_vectors_may_have_two_entries(planar_tree: dict[str, Any]) -> None:
    planar_tree["gravity"] = [0, -9.81]
    planar_tree["forces"] = {
        "f": {"kind": "force", "body": "rod", "value": [1, "t"]},
        "m": {"kind": "torque", "body": "rod", "value": "2*t"},
    }
    planar_tree["initial"] = {"bodies": {"rod": {"v": [1, 2], "omega": 3}}}
    mechanism = Mechanism.from_dict(planar_tree)
    assert mechanism.freedom_count == 3
    assert mechanism.ground == "ground"
    assert mechanism.gravity == (0.0, -9.81, 0.0)
    assert mechanism.body("crank").points == {"tip": (0.1, 0.0, 0.0)}
    assert mechanism.initial.bodies[0].omega == (0.0, 0.0, 3.0)
    force, torque = mechanism.forces
    assert isinstance(force, AppliedForce)
    assert isinstance(torque, AppliedTorque)
    assert [law.evaluate({"t": 2.0}) for law in (*force.value, *torque.value)] == [1.0, 2.0, 0.0, 0.0, 0.0, 4.0]
    mechanism.require_frames()


def test_structure_alone_needs_no_geometry() -> None:
    mechanism = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "space": "planar",
            "bodies": {"a": {}, "b": {}},
            "joints": {
                "g": {"type": "EO", "bodies": ["a", "b"], "driven": 1},
                "p": {"type": "R", "bodies": ["ground", "a"]},
            },
        }
    )
    assert [(joint.driven, joint.grade, joint.frames) for joint in mechanism.joints] == [(1, 2, None), (0, 1, None)]


def test_parameters_may_use_each_other_in_any_order(spatial_tree: dict[str, Any]) -> None:
    spatial_tree["parameters"] = {"c": "a + b", "b": "2*a", "a": "L/4", "L": 0.4, "speed": 1}
    parameters = Mechanism.from_dict(spatial_tree).parameters
    assert list(parameters) == ["c", "b", "a", "L", "speed"]
    assert parameters["c"] == pytest.approx(0.3, rel=1e-15)


def test_a_long_chain_of_parameters_is_evaluated(spatial_tree: dict[str, Any]) -> None:
    chain = {f"p{i}": f"p{i + 1} + 1" for i in range(5000)}
    spatial_tree["parameters"].update(chain, p5000=0)
    assert Mechanism.from_dict(spatial_tree).parameters["p0"] == 5000.0


def test_with_parameters_evaluates_everything_again(spatial_tree: dict[str, Any]) -> None:
    mechanism = Mechanism.from_dict(spatial_tree)
    longer = mechanism.with_parameters(L=1.0)
    assert longer.ground_body.points["Q"] == (0.0, 0.0, 1.0)
    frames = longer.joint("B").frames
    assert frames is not None
    assert frames[0].at == (1.0, 0.0, 0.0)
    assert longer.drives["A", "angle"].rate.evaluate({"t": 0.0}) == pytest.approx(6.283185307179586, rel=1e-15)
    assert mechanism.parameters["L"] == 0.4
    assert mechanism.with_parameters(L=0.4) == mechanism
    assert longer != mechanism
    assert mechanism.with_parameters(speed=3.0).parameters == {"L": 0.4, "speed": 3.0}
    with pytest.raises(MechanismError, match='there is no parameter "sped"; did you mean "speed"'):
        mechanism.with_parameters(sped=1.0)
    with pytest.raises(MechanismError, match="finite"):
        mechanism.with_parameters(L=float("nan"))


def test_the_tree_given_is_neither_changed_nor_kept(spatial_tree: dict[str, Any]) -> None:
    before = copy.deepcopy(spatial_tree)
    mechanism = Mechanism.from_dict(spatial_tree)
    assert spatial_tree == before
    spatial_tree["joints"]["B"]["at"][0] = 77.0
    frames = mechanism.with_parameters(L=2.0).joint("B").frames
    assert frames is not None
    assert frames[0].at[0] == 2.0


def test_mechanisms_are_values(spatial_tree: dict[str, Any]) -> None:
    mechanism = Mechanism.from_dict(spatial_tree)
    again = copy.deepcopy(mechanism)
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    with pytest.raises(AttributeError):
        mechanism.name = "other"  # type: ignore[misc]


def test_unknown_ids_are_answered_with_the_nearest(spatial_tree: dict[str, Any]) -> None:
    mechanism = Mechanism.from_dict(spatial_tree)
    with pytest.raises(MechanismError, match='no joint has the id "a"; did you mean "A"'):
        mechanism.joint("a")
    with pytest.raises(MechanismError, match='no body has the id "9"; there are 1, 2, 3, 4'):
        mechanism.body("9")


def test_a_planar_body_may_give_its_inertia_as_a_number() -> None:
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1",
        "space": "planar",
        "gravity": [0.0, -9.81],
        "parameters": {"I": 0.02},
        "bodies": {"rod": {"mass": 1.0, "com": [0.5, 0.0], "inertia": 0.02}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0.0, 0.0]}},
    }
    found = Mechanism.from_dict(tree)
    (rod,) = found.bodies
    assert rod.inertia is not None
    assert rod.inertia[2] == 0.02
    tree["bodies"]["rod"]["inertia"] = [0.01, 0.01, 0.02, 0, 0, 0]
    assert Mechanism.from_dict(tree) == found
    tree["bodies"]["rod"]["inertia"] = "2*I/2"
    assert Mechanism.from_dict(tree) == found
    for wrong, words in ((-0.02, "must not be negative"), ([0.02], "must have 6 entries"), (True, "Izz alone")):
        tree["bodies"]["rod"]["inertia"] = wrong
        with pytest.raises(MechanismError, match=words):
            Mechanism.from_dict(tree)
    tree |= {"space": "spatial", "gravity": [0, 0, -9.81]}
    tree["bodies"]["rod"] |= {"inertia": 0.02, "com": [0.5, 0, 0]}
    tree["joints"]["A"] |= {"at": [0, 0, 0], "axis": [0, 0, 1]}
    with pytest.raises(MechanismError, match=r"bodies\.rod\.inertia: must be a list of 6 numbers; only bodies of pl"):
        Mechanism.from_dict(tree)
