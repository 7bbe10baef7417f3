"""Overconstrained linkages: reported by the right number, moving when declared, their rank found from the geometry."""

from __future__ import annotations

import json
import math
import tomllib

import numpy as np
import oracle.parallel_robots as robots
import overconstrained as linkages
import pytest
from mechanisms_for_structure import random_mechanism
from overconstrained import loop, mechanism

from symgen.cli.main import main
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.write import write_mechanism
from symgen.topology.analysis import analyse
from symgen.topology.rank.instantaneous import Instantaneous, instantaneous_mobility, numerical_rank
from symgen.topology.rank.special import judge_special

# name, axes, redundant constraints (K. Waldron, 1973; J. E. Baker, 1979; C. Huang and C. Sun, 2000)
LOOPS = [
    ("Bennett", linkages.bennett(), 3),
    ("Goldberg 5R", linkages.goldberg(), 2),
    ("Myard 5R", linkages.myard(), 2),
    ("Bricard, cube", linkages.bricard_cube(), 1),
    ("Bricard, line-symmetric", linkages.bricard_line_symmetric(), 1),
    ("Bricard, plane-symmetric", linkages.bricard_plane_symmetric(), 1),
    ("Sarrus", linkages.sarrus(), 1),
    ("planar four-bar in space", linkages.planar_four_bar(), 3),
    ("spherical four-bar in space", linkages.spherical_four_bar(), 3),
]


@pytest.mark.parametrize(("name", "axes", "redundant"), LOOPS, ids=[row[0] for row in LOOPS])
def test_without_a_declaration_it_is_overconstrained_by_the_right_number(name, axes, redundant):
    structure = analyse(loop(axes, driven=1))
    (finding,) = structure.diagnosis
    assert (structure.status, finding.excess) == ("overdetermined", redundant)
    assert "[special]" in finding.advice


@pytest.mark.parametrize(("name", "axes", "redundant"), LOOPS, ids=[row[0] for row in LOOPS])
def test_the_rank_of_its_screws_shows_that_it_moves(name, axes, redundant):
    found = analyse(loop(axes, driven=1)).instantaneous
    assert isinstance(found, Instantaneous)
    assert (found.mobility, found.rank, found.redundant, found.remaining) == (1, 6 - redundant, redundant, 0)
    assert found.gap > 1e9


@pytest.mark.parametrize(("name", "axes", "redundant"), LOOPS, ids=[row[0] for row in LOOPS])
def test_declared_it_is_determined_and_the_redundancy_is_reported(name, axes, redundant):
    special = {"s": {"kind": "proportions", "joints": [f"j{k}" for k in range(len(axes))], "redundant": redundant}}
    structure = analyse(loop(axes, driven=1, special=special))
    (finding,) = structure.diagnosis
    assert (structure.status, structure.mobility) == ("determined", 1)
    assert (finding.kind, finding.excess) == ("redundant", redundant)
    assert [len(group.bodies) for group in structure.groups] == [1, len(axes) - 2]
    assert structure.groups[1].signature.endswith("[proportions]")


@pytest.mark.parametrize("exact", [linkages.bricard_cube(), linkages.bricard_line_symmetric(), linkages.sarrus()])
def test_decimal_geometry_is_confirmed_exactly(exact):
    assert analyse(loop(exact)).instantaneous.exact


@pytest.mark.parametrize(
    ("kind", "axes"), [("planar", linkages.planar_four_bar()), ("spherical", linkages.spherical_four_bar())]
)
def test_a_loop_in_a_subgroup_closes_by_three_equations(kind, axes):
    for driven in range(4):
        tree = loop(axes, special={"s": {"kind": kind, "bodies": ["0", "1", "2", "3"]}}).source
        joints = {name: {**joint, "driven": int(name == f"j{driven}")} for name, joint in tree["joints"].items()}
        structure = analyse(Mechanism.from_dict({**tree, "joints": joints}))
        assert (structure.status, structure.mobility) == ("determined", 1)
        # As in the plane: two groups if the input is at the frame, else one.
        assert len(structure.groups) == (2 if driven in (0, 3) else 1)
        assert [finding.excess for finding in structure.diagnosis] == [3]


def test_groups_of_planar_chains_in_space_are_those_of_the_plane():
    """Random planar linkages of R and P written as spatial ones: same partition, redundancy 3 for each loop."""
    compared = 0
    for seed in range(2000):
        flat = random_mechanism(seed)
        if flat.space != "planar" or any(joint.type not in "RP" for joint in flat.joints) or not flat.joints:
            continue
        reached, left = {flat.body_ids[0]}, set(flat.body_ids[1:])
        while near := {b for j in flat.joints for b in j.bodies if reached & set(j.bodies)} - reached:
            reached |= near
            left -= near
        if left or len(flat.joints) < max(2, len(flat.body_ids)):  # without a loop nothing is special
            continue
        joints = {j.id: {"type": j.type, "bodies": list(j.bodies), "driven": j.driven} for j in flat.joints}
        tree = {
            "schema": "symgen/mechanism/1", "space": "spatial", "ground": "1", "joints": joints,
            "bodies": {body: {} for body in flat.body_ids[1:]},
            "special": {"s": {"kind": "planar", "joints": list(joints)}},
        }  # fmt: skip
        expected, found = analyse(flat), analyse(Mechanism.from_dict(tree))
        assert {g.bodies for g in found.groups} == {g.bodies for g in expected.groups}, seed
        assert [g.level for g in found.groups] == [g.level for g in expected.groups], seed
        assert (found.status, found.mobility) == (expected.status, expected.mobility), seed
        compared += 1
    assert compared > 25


def _parallelogram(space, cranks, shift=0.0, **more):
    """Equal cranks 1, 2, ... between frame and coupler c; the last one is longer by `shift`."""
    joints = {}
    for k in range(cranks):
        axis = {"axis": [0, 0, 1]} if space == "spatial" else {}
        joints[f"a{k}"] = {"type": "R", "bodies": ["0", str(k + 1)], "at": [k, 0.0, 0.0], **axis}
        tip = [k + 0.5, 2.0 + (shift if k == cranks - 1 else 0.0), 0.0]
        joints[f"b{k}"] = {"type": "R", "bodies": [str(k + 1), str(cranks + 1)], "at": tip, **axis}
    joints["a0"]["driven"] = 1
    return mechanism(cranks + 2, joints, space, **more)


@pytest.mark.parametrize(("space", "redundant"), [("planar", 1), ("spatial", 7)])
def test_a_third_crank_of_a_parallelogram_is_redundant(space, redundant):
    names = [f"{end}{k}" for k in range(3) for end in "ab"]
    plain = analyse(_parallelogram(space, 3))
    assert plain.status == "overdetermined"
    assert plain.instantaneous.redundant == redundant
    assert plain.instantaneous.mobility == 1
    structure = analyse(_parallelogram(space, 3, special={"p": {"kind": "parallelogram", "joints": names}}))
    assert (structure.status, structure.mobility) == ("determined", 1)
    assert structure.diagnosis[0].excess == redundant


def test_a_declaration_that_the_geometry_contradicts_is_refused():
    tilted = linkages.planar_four_bar()
    tilted[2] = (tilted[2][0], (0, 0.1, 1))
    with pytest.raises(MechanismError, match=r"special\.s: joint \"j2\" is 5\.711 degrees off"):
        loop(tilted, special={"s": {"kind": "planar", "joints": ["j0", "j1", "j2", "j3"]}})
    apart = linkages.spherical_four_bar()
    apart[3] = ((0, 0, 0), (1, 0, 0))
    with pytest.raises(MechanismError, match="misses the common point"):
        loop(apart, special={"s": {"kind": "spherical", "joints": ["j0", "j1", "j2", "j3"]}})
    names = [f"{end}{k}" for k in range(3) for end in "ab"]
    with pytest.raises(MechanismError, match="differ from the first by 0"):
        _parallelogram("planar", 3, 0.1, special={"p": {"kind": "parallelogram", "joints": names}})
    # four screws that are not special span four dimensions: two equations are redundant, and nothing moves
    generic = [*linkages.LINES, ((3, 1, -2), (1, -1, 4))]
    made = loop(generic, special={"s": {"kind": "proportions", "joints": ["j0", "j1", "j2", "j3"], "redundant": 3}})
    with pytest.raises(MechanismError, match="only 2 of the loop equations"):
        analyse(made)


@pytest.mark.parametrize(
    ("special", "what"),
    [
        ({"kind": "flat", "joints": ["j0", "j1"]}, "must be one of planar"),
        ({"kind": "planar"}, "give either its joints or its bodies"),
        ({"kind": "planar", "joints": ["j0", "j9"]}, 'no joint has the id "j9"'),
        ({"kind": "planar", "joints": ["j0", "j2"]}, "are not connected"),
        ({"kind": "translational", "joints": ["j0", "j1"]}, "not allowed in a translational"),
        ({"kind": "proportions", "joints": ["j0", "j1"]}, '"redundant" is missing'),
        ({"kind": "proportions", "joints": ["j0", "j1"], "redundant": 0.5}, "whole number"),
        ({"kind": "parallelogram", "joints": ["j0", "j1"]}, "two joints for each crank"),
        ({"kind": "planar", "joints": ["j0", "j1", "j2"]}, "close no loop"),
        ({"kind": "planar", "joints": ["j0", "j1", "j0", "j2", "j3"]}, 'joints[2]: joint "j0" is named twice'),
        ({"kind": "proportions", "joints": ["j0", "j1", "j2", "j3"], "redundant": 6}, "allowed are at most 5"),
        ({"kind": "proportions", "joints": ["j0", "j1", "j2", "j3"], "redundant": 99}, "1 loop of 6 equations each"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(special, what):
    with pytest.raises(MechanismError) as refusal:
        loop(linkages.planar_four_bar(), special={"s": special})
    assert what in str(refusal.value)


def test_no_more_constraints_can_follow_than_the_loop_equations_leave():
    """B equations a loop, d where all its joints stay in a declared subgroup; joints of three freedoms keep three."""
    axes = [((k, k * k, 0), (0, 0, 1)) for k in range(3)]
    for kinds, freedoms in (("SSS", 3), ("RSS", 1)):
        for redundant in (6 - freedoms, 7 - freedoms):
            special = {"s": {"kind": "proportions", "joints": ["j0", "j1", "j2"], "redundant": redundant}}
            if redundant + freedoms == 6:
                assert loop(axes, kinds, special=special).special[0].redundant == redundant
            else:
                with pytest.raises(MechanismError, match=f"at most {6 - freedoms}$"):
                    loop(axes, kinds, special=special)
    every = ["j0", "j1", "j2", "j3"]
    more = {"kind": "proportions", "joints": every, "redundant": 3}
    with pytest.raises(MechanismError, match=r"special\.more\.redundant: .* 1 loop of 3 equations .* at most 2"):
        loop(linkages.planar_four_bar(), special={"more": more, "flat": {"kind": "planar", "joints": every}})


def test_a_loop_may_close_through_a_weld():
    joints = loop(linkages.planar_four_bar(), driven=1).to_dict()["joints"]
    joints["j2"] = {**joints["j2"], "bodies": ["4", "3"]}
    joints["weld"] = {"type": "W", "bodies": ["2", "4"]}
    special = {"s": {"kind": "planar", "joints": ["j0", "j1", "j2", "j3"]}}
    structure = analyse(mechanism(5, joints, special=special))
    assert (structure.status, structure.mobility) == ("determined", 1)


def test_a_declaration_that_finds_no_room_is_refused_and_never_cut():
    """Two loops through two pins: the constraints of pins stay whole, the two balls have three each."""
    joints = {
        "p": {"type": "R", "bodies": ["0", "1", "2"]}, "q": {"type": "R", "bodies": ["2", "3", "4"]},
        "a": {"type": "S", "bodies": ["3", "0"]}, "b": {"type": "S", "bodies": ["4", "1"]},
    }  # fmt: skip
    for redundant in (6, 7):
        special = {"s": {"kind": "proportions", "joints": ["p", "q", "a", "b"], "redundant": redundant}}
        made = mechanism(5, joints, special=special)
        if redundant == 6:
            (finding,) = [each for each in analyse(made).diagnosis if each.kind == "redundant"]
            assert finding.excess == 6
        else:
            with pytest.raises(
                MechanismError, match=r"special\.s: 7 constraints .* joints a, b have only 6 to leave out"
            ):
                analyse(made)


def test_rssr_spins_idly():
    axes = [((0, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 1)), ((2, 1, 3), (0, 0, 1)), ((3, 0, 1), (1, 1, 0))]
    structure = analyse(loop(axes, "RSSR", driven=1))
    found = structure.instantaneous
    assert (structure.status, structure.mobility) == ("determined", 2)
    assert [finding.kind for finding in structure.diagnosis] == ["idle"]
    assert (found.mobility, found.redundant, found.remaining) == (2, 0, 1)


def test_a_folded_parallelogram_is_a_singular_configuration():
    """All axes on one line: a second motion of first order, which the count rightly does not know."""
    z = [0, 0, 1]
    axes = [((0, 0, 0), z), ((1, 0, 0), z), ((4, 0, 0), z), ((3, 0, 0), z)]
    found = analyse(loop(axes, driven=1, special={"s": {"kind": "planar", "bodies": ["0", "1", "2", "3"]}}))
    assert (found.mobility, found.instantaneous.mobility) == (1, 2)


def test_sub_chains_may_be_part_of_a_larger_mechanism():
    """A planar four-bar in space whose rocker 3 drives a spatial chain 3-4-5 back to the frame (R.S.U)."""
    joints = loop(linkages.planar_four_bar(), driven=1).to_dict()["joints"]
    joints |= {
        "a": {"type": "R", "bodies": ["3", "4"]}, "b": {"type": "S", "bodies": ["4", "5"]},
        "c": {"type": "U", "bodies": ["5", "0"]},
    }  # fmt: skip
    special = {"flat": {"kind": "planar", "joints": ["j0", "j1", "j2", "j3"]}}
    structure = analyse(mechanism(6, joints, special=special))
    assert structure.status == "determined"
    assert [group.signature for group in structure.groups] == ["R* 3D", "R.R.R 3D [planar]", "R.S.U 3D"]
    assert structure.instantaneous is None


def test_a_planar_chain_of_sliders_alone_is_singular_as_in_the_plane():
    joints = {
        "a": {"type": "P", "bodies": ["0", "1"], "driven": 1}, "b": {"type": "P", "bodies": ["1", "2"]},
        "c": {"type": "P", "bodies": ["2", "3"]}, "d": {"type": "P", "bodies": ["3", "0"]},
    }  # fmt: skip
    structure = analyse(mechanism(4, joints, special={"s": {"kind": "planar", "joints": list(joints)}}))
    assert structure.status == "singular"
    assert {finding.kind for finding in structure.diagnosis} == {"singular_rank", "redundant"}


def test_a_mechanism_with_special_geometry_is_written_and_read_back():
    made = loop(linkages.planar_four_bar(), special={"s": {"kind": "planar", "bodies": ["0", "1", "2", "3"]}})
    assert Mechanism.from_dict(tomllib.loads(write_mechanism(made))) == made


def test_the_rank_does_not_depend_on_place_orientation_and_unit():
    """Rigid motion and scale of all data leave rank and mobility as they are."""
    rng = np.random.default_rng(7)
    for _, axes, redundant in LOOPS:
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        shift, scale = rng.normal(size=3), 10 ** rng.uniform(-4, 4)
        moved = [(scale * (turn @ np.array(p, float) + shift), turn @ np.array(e, float)) for p, e in axes]
        found = instantaneous_mobility(loop(moved))
        assert (found.mobility, found.redundant) == (1, redundant)


def test_numerical_rank_falls_at_the_gap():
    rng = np.random.default_rng(3)
    for rank in range(1, 6):
        matrix = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, 8))
        found, gap = numerical_rank(matrix)
        assert found == rank
        assert gap > 1e8
    assert numerical_rank(np.zeros((3, 2)))[0] == 0
    assert numerical_rank(np.eye(4))[0] == 4


def test_a_configuration_that_is_not_assembled_is_said_so():
    tree = loop(linkages.planar_four_bar()).source
    joint = {key: value for key, value in tree["joints"]["j3"].items() if key not in ("at", "axis")}
    joint["frames"] = {"3": {"at": [3, 0.5, 0], "axis": [0, 0, 1]}, "0": {"at": [3, 0, 0], "axis": [0, 0, 1]}}
    reason = analyse(Mechanism.from_dict({**tree, "joints": {**tree["joints"], "j3": joint}})).instantaneous
    assert isinstance(reason, str)
    assert "joint j3 are 0.5 m" in reason


def test_json_and_table_show_both_mobilities(tmp_path, capsys):
    path = tmp_path / "bennett.json"
    path.write_text(write_mechanism(loop(linkages.bennett(), driven=1, name="Bennett"), ".json"), encoding="utf-8")
    assert main(["analyse", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["mobility"] == -2
    assert document["instantaneous"] | {"gap": 0, "exact": 0} == {
        "mobility": 1, "remaining": 0, "loops": 1, "rank": 3, "redundant": 3, "gap": 0, "exact": 0,
    }  # fmt: skip
    assert main(["analyse", str(path)]) == 1
    out = capsys.readouterr().out
    assert "instantaneous mobility in the reference configuration 1 (rank 3" in out
    assert "3 more than counted" in out
    assert math.isfinite(document["instantaneous"]["gap"])


def test_a_group_that_is_not_tested_for_want_of_effort_is_reported():
    tree = loop(linkages.planar_four_bar(), driven=1, special={"s": {"kind": "planar", "bodies": ["0", "1", "2", "3"]}})
    structure = analyse(tree)
    assert judge_special(structure, tree.special) == []
    findings = judge_special(structure, tree.special, effort=10)
    assert [(finding.kind, finding.bodies) for finding in findings] == [
        ("unchecked", group.bodies) for group in structure.groups
    ]
    assert "because it is too large" in findings[0].advice


def test_groups_in_which_only_counts_are_tested_say_so():
    special = {"s": {"kind": "proportions", "joints": ["j0", "j1", "j2", "j3"], "redundant": 3}}
    drawn = loop(linkages.bennett(), driven=1, special=special)
    bare = {name: {key: joint[key] for key in ("type", "bodies", "driven") if key in joint}
            for name, joint in drawn.to_dict()["joints"].items()}  # fmt: skip
    (finding,) = analyse(Mechanism.from_dict({**drawn.source, "joints": bare})).diagnosis
    assert "only the counts are tested, not the rank" in finding.advice
    assert "not the rank" not in analyse(drawn).diagnosis[0].advice


@pytest.mark.parametrize("code", ["EO", "EPI", "RP", "RD", "L"])
def test_a_pair_whose_rank_is_not_known_in_space_is_no_fault_of_a_planar_sub_chain(code):
    """Crank, contact, slide: as in the plane, where each of these pairs takes one freedom away."""
    joints = {
        "A": {"type": "R", "bodies": ["0", "1"], "driven": 1},
        "B": {"type": code, "bodies": ["1", "2"]},
        "C": {"type": "P", "bodies": ["0", "2"]},
    }
    plane = {"s": {"kind": "planar", "joints": list(joints)}}
    structure = analyse(mechanism(3, joints, "spatial", special=plane))
    flat = analyse(mechanism(3, joints, "planar"))
    assert structure.status == flat.status == "determined"
    assert [group.bodies for group in structure.groups] == [group.bodies for group in flat.groups]
    assert {finding.kind for finding in structure.diagnosis} == {"redundant"}
    # A second slide beside the first: two contacts of one body with ground and crank, of which neither turns it.
    held = {**joints, "A": {"type": "P", "bodies": ["0", "1"], "driven": 1}, "B": {"type": "P", "bodies": ["1", "2"]}}
    held["C"] = {"type": code, "bodies": ["0", "2"]}
    status = analyse(mechanism(3, held, "planar")).status
    assert analyse(mechanism(3, held, "spatial", special=plane)).status == status


def test_what_could_not_be_tested_is_no_fault(monkeypatch):
    monkeypatch.setattr("symgen.topology.rank.special.eliminate", lambda *_: None)
    axes = linkages.planar_four_bar()
    structure = analyse(loop(axes, driven=1, special={"s": {"kind": "planar", "bodies": ["0", "1", "2", "3"]}}))
    assert structure.status == "determined"
    assert "unchecked" in {finding.kind for finding in structure.diagnosis}


ROBOTS = {
    "Tripteron": robots.tripteron,
    "Orthoglide, parallelograms": robots.orthoglide,
    "Orthoglide, planar loops": lambda count=3: robots.orthoglide(count, "planar"),
}


def _group_ranks(structure):
    """Return for each group its freedoms and the rank of its constraints in the drawing, by its joints' screws."""
    found = []
    joints = {joint.id: joint for joint in structure.mechanism.joints}
    for group in structure.groups:
        place = {body: 6 * number for number, body in enumerate(group.bodies)}
        rows = []
        for pair in (*group.external, *group.internal):
            joint = joints[pair.joint]
            entry = structure.mechanism.to_dict()["joints"][pair.joint]
            at, axis = (np.array(entry[key], dtype=float) for key in ("at", "axis"))
            screw = np.r_[axis, np.cross(at, axis)] if joint.type == "R" else np.r_[0, 0, 0, axis]
            held = np.eye(6) if joint.driven else np.linalg.svd(screw[None])[2][1:]
            for row in held:
                line = np.zeros(6 * len(place))
                for body, sign in zip(joint.bodies, (-1, 1), strict=True):
                    if body in place:
                        line[place[body] : place[body] + 6] += sign * row
                rows.append(line)
        found.append((6 * len(place), np.linalg.matrix_rank(np.array(rows), tol=1e-9)))
    return found


@pytest.mark.parametrize("name", ROBOTS)
def test_what_proportions_make_redundant_is_left_out_so_that_every_group_has_full_rank(name):
    assert analyse(Mechanism.from_dict(ROBOTS[name](None))).instantaneous.mobility == 3
    structure = analyse(Mechanism.from_dict(ROBOTS[name]()))
    assert (structure.status, structure.mobility, structure.driven) == ("determined", 3, 3)
    assert {finding.kind for finding in structure.diagnosis} == {"redundant"}
    assert all(freedoms == rank for freedoms, rank in _group_ranks(structure))


def test_groups_that_move_in_the_drawing_though_the_inputs_hold_it_are_singular(monkeypatch):
    """As if no choice were made by rank: all that is redundant is left out at one joint."""
    monkeypatch.setattr("symgen.topology.findings.redundancy.drawn_rows", lambda _: None)
    structure = analyse(Mechanism.from_dict(robots.tripteron()))
    assert structure.instantaneous.remaining == 0
    regular = all(freedoms == rank for freedoms, rank in _group_ranks(structure))
    assert not regular
    assert structure.status == "singular"


def test_a_dead_centre_of_the_drawing_is_told_and_no_fault_of_the_structure():
    """A four-bar with its axes in one plane: the input does not hold it there."""
    z = [0, 0, 1]
    axes = [((0, 0, 0), z), ((1, 0, 0), z), ((4, 0, 0), z), ((3, 0, 0), z)]
    made = loop(
        axes, driven=1, special={"s": {"kind": "proportions", "joints": [f"j{k}" for k in range(4)], "redundant": 3}}
    )
    structure = analyse(made)
    assert structure.instantaneous.remaining > 0
    assert structure.status == "determined"
    assert "unchecked" in {finding.kind for finding in structure.diagnosis}
