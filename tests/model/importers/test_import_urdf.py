"""URDF: a small arm and a loop from a side table, frames and inertia by independent matrices, refusals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from symgen.errors import SymgenError
from symgen.model.importers.side_table import load_side_table, parse_side_table
from symgen.model.importers.urdf import import_urdf, parse_urdf
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse

DATA = Path(__file__).parent / "data"
ARM = (DATA / "arm.urdf").read_text(encoding="utf-8")
Matrix = NDArray[np.float64]


def matrix(q: tuple[float, ...]) -> Matrix:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def fixed_axes(roll: float, pitch: float, yaw: float) -> Matrix:
    """R = Rz(yaw) Ry(pitch) Rx(roll), as the URDF specification writes it."""
    (cr, cp, cy), (sr, sp, sy) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return rz @ ry @ rx


def test_an_arm_with_all_joints_driven_is_determined() -> None:
    found = import_urdf(DATA / "arm.urdf", drive=("all",))
    structure = analyse(found.mechanism)
    assert (structure.status, structure.mobility, structure.driven) == ("determined", 3, 3)
    assert [group.signature for group in structure.groups] == ["R* 3D", "R* 3D", "P* 3D"]
    found.mechanism.require_frames()
    assert found.mechanism.body_ids == ("world", "base_link", "upper", "rod", "tool")
    assert found.notes == (
        '"base link" is renamed base_link',
        "limits of effort and velocity are not kept (shoulder, reach)",
        "links without <inertial> get zero mass and inertia (rod, tool)",
        "limits are not used yet: motions do not stop at them",
        "URDF has no gravity: for dynamics add gravity = [0, 0, -9.81] to the file",
    )
    assert Mechanism.from_dict(parse_text(found.text(), ".toml")) == found.mechanism


def test_joint_frames_agree_on_both_sides_in_the_zero_configuration() -> None:
    mechanism = import_urdf(DATA / "arm.urdf").mechanism
    # rotations are written with 16 digits through a quaternion and an axis: errors of a few 1e-16
    for joint in mechanism.joints:
        ends = [mechanism.body(body) for body in joint.bodies]
        assert joint.frames is not None
        sides = [
            (np.array(b.pose.r) + matrix(b.pose.q) @ f.at, matrix(b.pose.q) @ matrix(f.q))
            for b, f in zip(ends, joint.frames, strict=True)
        ]
        np.testing.assert_allclose(sides[0][0], sides[1][0], atol=1e-15)
        np.testing.assert_allclose(sides[0][1], sides[1][1], atol=1e-14)


def test_poses_axes_and_inertia_follow_the_specification() -> None:
    mechanism = import_urdf(DATA / "arm.urdf").mechanism
    upper = mechanism.body("upper")
    tilt = fixed_axes(0.3, -0.2, 0.1)
    np.testing.assert_allclose(upper.pose.r, [0, 0.05, 0.2], atol=1e-15)
    np.testing.assert_allclose(matrix(upper.pose.q), tilt, atol=1e-15)
    shoulder = mechanism.joint("shoulder")
    assert shoulder.frames is not None
    np.testing.assert_allclose(matrix(shoulder.frames[1].q)[:, 2], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(matrix(shoulder.frames[0].q)[:, 2], tilt @ [0, 1, 0], atol=1e-14)
    reach = mechanism.joint("reach")
    assert reach.frames is not None
    np.testing.assert_allclose(matrix(reach.frames[1].q)[:, 2], [1, 0, 0], atol=1e-15)  # the default axis
    turned = fixed_axes(0, 0, np.pi / 2)
    table = np.array([[0.001, 0.0001, 0], [0.0001, 0.004, 0], [0, 0, 0.0045]])
    xx, yy, zz, xy, xz, yz = upper.inertia or ()
    np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], turned @ table @ turned.T, atol=1e-17)
    assert (upper.mass, upper.com) == (1.0, (0.2, 0.0, 0.0))


def test_a_side_table_closes_a_loop() -> None:
    found = import_urdf(DATA / "four_bar.urdf", load_side_table(DATA / "four_bar_loops.toml"))
    mechanism = found.mechanism
    assert mechanism.drives.keys() == {("A", "angle")}
    assert mechanism.body("coupler").points == {"tip": (0.25, 0.0, 0.0)}
    mechanism.require_frames()
    mechanism.require_drives()
    structure = analyse(mechanism)
    assert (structure.mobility, structure.status, structure.driven) == (1, "determined", 1)
    assert [group.signature for group in structure.groups] == ["R* 3D", "R.R.S.R 3D"]


def test_a_free_base_gets_six_freedoms_and_its_mass() -> None:
    text = ARM.replace('<link name="world"/>', '<link name="world"><inertial><mass value="3"/></inertial></link>')
    assert any("mass and inertia are not kept" in note for note in parse_urdf(text).notes)
    free = parse_urdf(text, free_base=True)
    assert free.mechanism.ground == "base"
    assert free.mechanism.body("world").mass == 3.0
    assert analyse(free.mechanism).mobility == 9


def robot(inside: str, links: str = '<link name="a"/><link name="b"/>') -> str:
    return f"<robot name='r'>\n{links}\n{inside}\n</robot>"


JOINT = "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>{}</joint>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not XML: no element found"),
        ("<robot>", "line 1, column 8: not XML"),
        ("<sdf/>", "begins with <robot>"),
        (robot("<xacro:macro/>"), "xacro file; expand it first"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><robot/>", "document type declaration"),
        ("<!DOCTYPE x SYSTEM 'file:///etc/passwd'><robot/>", "document type declaration"),
        ("<robot name='&x;'/>", "not XML"),
        ("<a>" * 60, "nested more than 50 levels deep"),
        (robot("", ""), "has no <link>"),
        (robot("", "<link/>"), "line 2: this <link> has no name"),
        (robot("", "<link name='a'/><link name='a'/>"), 'link "a" is given twice'),
        (robot(""), "one link, the root, must have no parent joint; a, b have none"),
        (robot(JOINT.format("").replace("revolute", "revolut")), 'no joint type "revolut"; did you mean "revolute"'),
        (robot(JOINT.format("").replace("'b'", "'c'")), 'joint "j": no link "c"'),
        (robot(JOINT.format("<axis xyz='0 0 0'/>")), "the axis has length 0"),
        (robot(JOINT.format("<axis xyz='0 0'/>")), 'must have 3 numbers, found "0 0"'),
        (robot(JOINT.format("<origin xyz='0 0 nan'/>")), 'xyz: "nan" is not a finite number'),
        (robot(JOINT.format("<origin xyz='0 0 1e999'/>")), "not a finite number"),
        (robot(JOINT.format("<origin/><origin xyz='1 0 0'/>")), "<origin> is given twice with different contents"),
        (robot(JOINT.format("<parent link='b'/>")), "<parent> is given twice"),
        (robot(JOINT.format("") + JOINT.format("").replace("'j'", "'k'")), "is the child of joints"),
        (
            robot(JOINT.format("") + "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
            "cycle",
        ),
        (robot("<joint name='j' type='fixed'/>"), '<parent link="..."/> is missing'),
        (robot("", "<link name='a'><inertial><mass/></inertial></link>"), "<mass> lacks value"),
    ],
)
def test_what_is_no_robot_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(SymgenError, match=words) as refusal:
        parse_urdf(text)
    assert str(refusal.value).startswith("robot.urdf: ")


@pytest.mark.parametrize(
    ("side", "words"),
    [
        ("joint = {}", 'unknown key; did you mean "joints"'),
        ("joints = 3", "must be a table"),
        ("[joints.new]\ntype = 'R'", "so this is a new one: give bodies"),
        ("[joints.new]\ntype = 'R'\nbodies = ['upper', 'rodd']", 'no link "rodd"; did you mean "rod"'),
        ("[joints.reach]\ntype = 'R'", "only its `driven` can be given"),
        ("[bodies.upper]\nmass = 1", "only a table of points"),
        ("[bodies]\nupper = 1", "must be a table"),
        ("[drives]\nreach = 't'", "no driven freedom"),
        ("[joints.new]\ntype = 'R'\nbodies = ['upper', 'rod']", "already joined"),
        ("a = [", "not TOML"),
    ],
)
def test_what_is_no_side_table_is_refused(side: str, words: str) -> None:
    with pytest.raises(SymgenError, match=words):
        parse_urdf(ARM, side=parse_side_table(side))


def test_unknown_driven_joints_are_refused_with_the_nearest() -> None:
    with pytest.raises(SymgenError, match='did you mean "shoulder"'):
        parse_urdf(ARM, drive=("sholder",))
    with pytest.raises(SymgenError, match="no freedom to drive"):
        parse_urdf(ARM, drive=("flange",))


def outcome(text: str) -> str:
    """The message if the text is refused; a text that is not must survive writing. Any other exception is a failure."""
    try:
        found = parse_urdf(text)
    except SymgenError as error:
        return str(error)
    assert Mechanism.from_dict(parse_text(found.text(), ".toml")) == found.mechanism
    return "read"


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_broken_robot_is_a_mechanism_or_a_refusal(data: st.DataObject) -> None:
    text = ARM
    pieces = st.sampled_from(["<", ">", '"', "/", "&", "nan", "-", "1e400", "\0", "é", "<link/>", "]]>", "world", " "])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:at] + "".join(data.draw(st.lists(pieces, max_size=3))) + text[at + cut :]
    assert all(line.isprintable() for line in outcome(text).split("\n"))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=8, unique=True))
def test_any_link_names_become_ids_of_their_own(names: list[str]) -> None:
    from symgen.model.importers.imported import Names

    table = Names()
    table.add_all(names)
    ids = [table.ids[name] for name in names]
    assert len(set(ids)) == len(ids)
    assert all(table.ids[name] == name for name in names if re.fullmatch("[A-Za-z0-9_][A-Za-z0-9_-]*", name))
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "ground": "-", "bodies": {name: {} for name in ids}}
    assert Mechanism.from_dict({**tree, "ground": "g-0"}).bodies


def test_a_name_that_is_an_id_stays_its_owners_wherever_it_stands() -> None:
    links = '<link name="base link"/><link name="base_link"/><link name="base-link"/>'
    joints = "".join(
        f'<joint name="{name}" type="fixed"><parent link="base link"/><child link="{child}"/></joint>'
        for name, child in (("j 1", "base_link"), ("j_1", "base-link"))
    )
    found = parse_urdf(f'<robot name="r">{links}{joints}</robot>')
    assert found.mechanism.ground == "base_link_2"
    assert [joint.bodies[1] for joint in found.mechanism.joints] == ["base_link", "base-link"]
    assert [joint.id for joint in found.mechanism.joints] == ["j_1_2", "j_1"]
    assert found.notes[:2] == ('"base link" is renamed base_link_2', '"j 1" is renamed j_1_2')


def test_what_is_wrong_in_the_side_table_is_said_of_the_side_table() -> None:
    text = (DATA / "arm.urdf").read_text(encoding="utf-8")
    double = '[joints.again]\ntype = "R"\nbodies = ["upper", "base link"]'
    for side, field in (
        (double, r"joints\.again\.bodies"),
        ("[joints.shoulder]\ndriven = 9", r"joints\.shoulder\.driven"),
        ('[forces.f]\nkind = "sprong"', r"forces\.f\.kind"),
    ):
        with pytest.raises(SymgenError, match=rf"^loops\.toml \(merged into arm\.urdf\): {field}"):
            parse_urdf(text, "arm.urdf", parse_side_table(side))
