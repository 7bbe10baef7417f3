"""Robots with the faults of real files: what is harmless is taken with a note, and what they say is kept."""

from __future__ import annotations

import re

import numpy as np
import pytest
from model.importers.foreign_robots import FINGERS, FRAMES, HUMANOID, LEG, NO_AXIS, ROBOTS, WORLD, Y, bare, joint, solid

import symgen
from symgen.errors import MechanismError, SymgenError
from symgen.model.couplings import Relation
from symgen.model.importers.imported import Imported
from symgen.model.importers.side_table import parse_side_table
from symgen.model.importers.urdf import parse_urdf
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism
from symgen.model.parts import JointForce


def under_weight(found: Imported) -> Mechanism:
    return Mechanism.from_dict({**found.tree, "gravity": [0.3, 0.2, -9.81]}).without_couplings()


@pytest.mark.parametrize("name", ROBOTS)
def test_a_foreign_robot_is_read_and_written(name: str) -> None:
    found = parse_urdf(ROBOTS[name])
    assert Mechanism.from_dict(parse_text(found.text(), ".toml")) == found.mechanism
    assert len(set(found.notes)) == len(found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_takes_massless_links_as_if_they_were_hardly_there(name: str) -> None:
    """Linear in the small mass: with 1e-9 kg and kg m^2 in place of nothing, accelerations change by as much."""
    massless = under_weight(parse_urdf(ROBOTS[name]))
    light = {
        body: {**entry, "mass": 1e-9, "inertia": [1e-9, 1e-9, 1e-9, 0, 0, 0]} if not entry.get("mass") else entry
        for body, entry in massless.source["bodies"].items()
    }
    expected = symgen.accelerations(Mechanism.from_dict({**massless.source, "bodies": light}), "multiplier")
    scale = np.abs(expected.table).max()
    for method in ("riccati", "multiplier"):
        found = symgen.accelerations(massless, method)
        np.testing.assert_allclose(found.table, expected.table, atol=1e-6 * scale)
    tip = massless.bodies[-1].id
    ends = [
        symgen.simulate(massless, method=method, step=5e-4, until=0.02, sample=0.02, backend="numpy").bodies[tip].r[-1]
        for method in ("dimcd", "riccati", *(["group"] if name == "world" else []))  # derived for each mechanism
    ]
    # order 2, step 5e-4 s: an error of some (rate step)^2, rates to 10 rad/s, of the 1 m that it is long
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], atol=1e-5)


def test_frames_welded_on_do_not_change_the_motion() -> None:
    bare_links = re.sub(r'<link name="(imu_link|gripper_tool)"/>', "", HUMANOID)
    without = re.sub(r'<joint name="(imu_joint|tool_joint)".*?</joint>', "", bare_links)
    for free in (False, True):
        with_frames, alone = (under_weight(parse_urdf(text, free_base=free)) for text in (HUMANOID, without))
        one, two = (symgen.accelerations(each).bodies["arm"] for each in (with_frames, alone))
        np.testing.assert_allclose(one.a, two.a, atol=1e-11)
        np.testing.assert_allclose(one.alpha, two.alpha, atol=1e-11)


def test_an_axis_of_no_length_is_passed_over_where_there_is_no_axis() -> None:
    found = parse_urdf(HUMANOID)
    assert "the axis 0 0 0 of a joint that needs none is ignored (base, imu_joint, tool_joint)" in found.notes
    moving = HUMANOID.replace('type="revolute"', 'type="floating"').replace(Y, NO_AXIS)
    assert "arm_1" in next(note for note in parse_urdf(moving).notes if note.startswith("the axis 0 0 0"))
    with pytest.raises(MechanismError, match='joint "arm_1": the axis has length 0; give a direction'):
        parse_urdf(HUMANOID.replace(Y, NO_AXIS))


def test_damping_becomes_a_force_and_friction_a_note() -> None:
    found = parse_urdf(HUMANOID)
    (damper,) = found.mechanism.forces
    assert isinstance(damper, JointForce)
    assert (damper.joint, damper.freedom, damper.damping, damper.stiffness) == ("arm_1", "angle", 0.7, 0.0)
    assert "dry friction is not kept: symgen does not use it yet (arm_1)" in found.notes
    assert parse_urdf(LEG).mechanism.forces == ()  # damping = 0 is none


def test_blanks_before_the_declaration_and_an_axis_given_twice_are_taken() -> None:
    found = parse_urdf(FRAMES)
    assert found.notes[0] == "blanks before <?xml ...?> are ignored"
    assert "<axis> is given twice: the first counts, as in ROS (hip)" in found.notes
    hip = found.mechanism.joint("hip")
    assert hip.frames is not None
    one_axis = parse_urdf(FRAMES.replace('<axis xyz="1 0 0"/>', "")).mechanism.joint("hip")
    assert hip.frames == one_axis.frames
    with pytest.raises(MechanismError, match="length 0") as refusal:
        parse_urdf(FRAMES.replace(Y, '\n<axis xyz="0 0 0"/>'))
    assert refusal.value.field == "line 6"  # the two blank lines count


def test_what_mimics_becomes_a_coupling_that_is_not_ignored() -> None:
    found = parse_urdf(FINGERS)
    (mimic,) = found.mechanism.couplings
    assert isinstance(mimic, Relation)
    assert dict(mimic.terms) == {("finger-2", "slide"): 1.0, ("finger-1", "slide"): 1.5}
    assert mimic.offset == pytest.approx(0.01)
    assert any(note.startswith("couplings (mimic) are not used yet") for note in found.notes)
    with pytest.raises(MechanismError, match="does not use couplings yet"):
        symgen.simulate(found.mechanism, step=0.01, until=0.02)
    for joint_name, words in (
        ("finger_1", 'did you mean "finger-1"'),
        ("finger-2", "does not have exactly one freedom"),
    ):
        text = FINGERS.replace('mimic joint="finger-1"', f'mimic joint="{joint_name}"')
        lonely = parse_urdf(text)
        assert lonely.mechanism.couplings == ()
        assert any(words in note for note in lonely.notes)


def test_limits_are_kept_where_they_are_a_range() -> None:
    found = parse_urdf(FINGERS)
    assert found.mechanism.limits == {("j1", "angle"): (-3.0, -0.07), ("finger-1", "slide"): (0.0, 0.04)}
    assert "limits without lower and upper are not kept (finger-2)" in found.notes
    world = parse_urdf(WORLD)
    assert world.mechanism.limits == {}
    assert "limits whose lower is not below upper are not kept (bend)" in world.notes
    wild = parse_urdf(FINGERS.replace('upper="0.04"', 'upper="${pi}"'))  # never refused: it was not read at all once
    assert ("finger-1", "slide") not in wild.mechanism.limits
    assert any("<limit> cannot be read and is not kept" in note for note in wild.notes)
    endless = parse_urdf(FINGERS.replace('upper="0.04"', 'upper="inf"'))
    assert "limits at infinity are not kept (finger-1)" in endless.notes


def test_links_without_inertial_get_zeros_where_others_have_masses() -> None:
    found = parse_urdf(LEG)
    assert "links without <inertial> get zero mass and inertia (hip_frame, thigh_shoulder)" in found.notes
    assert "<mass> or <inertia> is missing: taken as zero (foot)" in found.notes
    foot, frame = (found.mechanism.body(name) for name in ("foot", "hip_frame"))
    assert (foot.mass, foot.inertia) == (0.04, (0.0,) * 6)
    assert (frame.mass, frame.com, frame.inertia) == (0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    shape_only = re.sub(r"<inertial>.*?</inertial>", "", LEG)
    assert all(body.mass is None for body in parse_urdf(shape_only).mechanism.bodies)


def test_a_freedom_that_moves_no_mass_is_refused_by_name() -> None:
    caster = "".join(
        ('<robot name="cart">', bare("floor"), solid("cart"), bare("caster"),
         joint("rail", "prismatic", "floor", "cart", Y), joint("swivel", "continuous", "cart", "caster", Y), "</robot>")
    )  # fmt: skip
    mechanism = under_weight(parse_urdf(caster))
    for method in ("riccati", "multiplier"):
        with pytest.raises(MechanismError, match="without moving any mass") as refusal:
            symgen.accelerations(mechanism, method)
        assert refusal.value.field == "bodies.caster"
    for method in ("dimcd", "variational", "group", "riccati"):
        with pytest.raises(MechanismError, match="caster can move without moving any mass"):
            symgen.simulate(mechanism, method=method, step=0.01, until=0.02)


def test_the_parent_world_need_not_be_a_link() -> None:
    found = parse_urdf(WORLD)
    assert found.mechanism.ground == "world"
    assert '"world" is not a link of the file: it is taken as the ground' in found.notes
    with pytest.raises(MechanismError, match='no link "wrld"'):
        parse_urdf(WORLD.replace('link="world"', 'link="wrld"'))


def test_a_link_that_no_joint_holds_is_left_out() -> None:
    found = parse_urdf(
        HUMANOID.replace('<link name="base_footprint"/>', '<link name="base_footprint"/><link name="x"/>')
    )
    assert "links without a joint are left out (x)" in found.notes
    assert found.mechanism == parse_urdf(HUMANOID).mechanism
    with pytest.raises(MechanismError, match="one link, the root, must have no parent joint"):
        parse_urdf(HUMANOID.replace("</robot>", joint("more", "fixed", "y", "z") + bare("y") + bare("z") + "</robot>"))


def test_what_is_given_twice_alike_is_taken_once() -> None:
    twice = HUMANOID.replace('<origin xyz="0.1 0.05 -0.2" rpy="0.2 -0.1 0.3"/>', '<origin xyz="0 0 1"/>' * 2)
    assert any(note.startswith("<origin> is given twice with the same content") for note in parse_urdf(twice).notes)
    with pytest.raises(MechanismError, match="<origin> is given twice with different contents"):
        parse_urdf(twice.replace('<origin xyz="0 0 1"/>', '<origin xyz="0 0 2"/>', 1))


def test_a_side_table_adds_to_what_the_robot_says() -> None:
    force = '[forces.k]\nkind = "joint"\njoint = "arm_1"\nstiffness = 5\n'
    for key in ("arm_1.angle", '"arm_1.angle"'):
        side = parse_side_table(f"{force}[limits]\n{key} = [0, 1]")
        mechanism = parse_urdf(HUMANOID, side=side).mechanism
        assert mechanism.limits == {("arm_1", "angle"): (0.0, 1.0)}
    assert [force.id for force in mechanism.forces] == ["damping_arm_1", "k"]
    wrong = parse_side_table('[couplings.c]\nrelation = "arm_2.angle = 1"')
    with pytest.raises(
        SymgenError, match=r"^loops\.toml \(merged into robot\.urdf\): couplings\.c\.relation: no joint"
    ):
        parse_urdf(HUMANOID, side=wrong)
