"""Findings say what would help, and it does help."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from mechanisms_for_structure import plain, random_mechanism, reference, reference_mechanism

from symgen.cli.main import main
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.findings.missing_inputs import find_remedy
from symgen.topology.findings.remedies import stressed_pairs
from symgen.topology.graph import build_graph
from symgen.topology.idle import fix_idle_rotations
from symgen.topology.matching import assign_units
from symgen.topology.rank.generic import eliminate_pairs, reduce_rows
from symgen.topology.rank.stiff_chains import find_blame
from symgen.topology.rank.twists import RandomSource, constraint_rows, named_rows


def _repaired(mechanism, graph, remedy, driven):
    """Drive further freedoms of pairs (once for each time a pair stands there); an idle motion is stopped by its pair.

    A pair that shall allow less acts like an input that is kept at rest.
    """
    more = [graph.joints[p].id for p in driven]
    more += [graph.joints[each.pair].id for each in remedy.idle for _ in range(each.count)]
    joints = tuple(replace(joint, driven=joint.driven + more.count(joint.id)) for joint in mechanism.joints)
    return replace(mechanism, joints=joints)


@pytest.mark.slow
def test_every_joint_that_is_named_leads_to_a_regular_mechanism_and_no_other_does():
    alone = examples = refused = 0
    for seed in range(1500):
        mechanism = random_mechanism(seed, balanced=False)
        graph = build_graph(mechanism)
        assignment = assign_units(graph)
        findings = analyse(mechanism).diagnosis
        if [finding.kind for finding in findings] != ["underdetermined"]:
            continue
        remedy = find_remedy(graph, assignment, assignment.under)
        assert remedy is not None
        assert not remedy.redundant
        if len(remedy.example) == remedy.needed:
            assert analyse(_repaired(mechanism, graph, remedy, remedy.example)).status == "determined", seed
            examples += 1
        if remedy.needed == 1:
            for p, joint in enumerate(graph.joints):
                if joint.driven + [each.pair for each in remedy.idle].count(p) < joint.grade:
                    helps = analyse(_repaired(mechanism, graph, remedy, [p])).status == "determined"
                    assert helps == (p in remedy.pairs), (seed, joint.id)
                    alone += helps
                    refused += not helps
    assert examples > 50
    assert alone > 50
    assert refused > 5


def test_a_rigid_part_with_an_input_inside_is_blamed_though_more_is_missing():
    """Triangle 3, 4, 5 with an input inside, hung on the chain 2, 3: inputs in the triangle cannot help."""
    pairs = [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 0), (4, 5, "R", 0), (3, 5, "R", 1)]
    under, stiff = analyse(plain("planar", 5, pairs)).diagnosis
    assert "drive 2 more of the freedoms of joints j1, j2, for example j1, j2" in under.advice
    assert (stiff.kind, stiff.bodies, stiff.excess) == ("singular_count", ("3", "4", "5"), 1)
    assert "the input of joint j5" in stiff.advice


def test_bodies_that_wait_for_others_are_tested_too():
    pairs = [
        (1, 2, "R", 1), (1, 3, "R", 1), (2, 3, "R", 0),
        (3, 4, "R", 0), (4, 5, "R", 0), (5, 6, "R", 0), (6, 4, "R", 1),
    ]  # fmt: skip
    kinds = [finding.kind for finding in analyse(plain("planar", 6, pairs)).diagnosis]
    assert kinds == ["overdetermined", "waiting", "singular_count"]


@pytest.mark.parametrize("code", ["P", "C"])
def test_a_link_between_two_balls_turns_idly_as_a_whole(code):
    pairs = [(1, 2, "R", 1), (2, 3, "S", 0), (3, 4, code, 1), (4, 5, "S", 0), (5, 1, "R", 0)]
    mechanism = plain("spatial", 5, pairs)
    (finding,) = analyse(mechanism).diagnosis
    assert "One freedom of bodies 3, 4 together is the idle rotation" in finding.advice
    changed = [(i, j, "U" if (i, j) == (4, 5) else k, w) for i, j, k, w in pairs]
    rest = analyse(plain("spatial", 5, changed))
    assert rest.status == ("determined" if code == "P" else "underdetermined")


def test_advice_in_the_plane_names_pairs_of_the_plane():
    (finding,) = analyse(plain("planar", 3, [(1, 2, "R", 1), (1, 3, "R", 1), (2, 3, "R", 0)])).diagnosis
    assert "(L for R or P)" in finding.advice


def test_the_advice_names_an_input_at_the_frame():
    structure = analyse(plain("planar", 4, [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0)]))
    assert structure.diagnosis[0].advice.endswith("j1, j2, j3, j4, for example j1")


def test_an_input_is_blamed_only_if_the_joints_are_sound():
    """Triangle 2, 3, 4 of R joints with an input inside; then the same with a fourth joint and no input."""
    triangle = [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 1), (2, 4, "R", 0)]
    (finding,) = analyse(plain("planar", 4, triangle)).diagnosis
    assert (finding.bodies, finding.excess) == (("2", "3", "4"), 1)
    assert "the input of joint j3" in finding.advice
    # two triangles on the edge 2-3: bodies 2, 3, 4, 5 with five joints and a sixth between 4 and 5
    block = [
        (2, 3, "R", 0), (2, 4, "R", 0), (3, 4, "R", 0), (2, 5, "R", 0), (3, 5, "R", 0),
    ]  # fmt: skip
    graph = build_graph(plain("planar", 5, [*block, (4, 5, "R", 0)]))
    blame = find_blame(graph, (1, 2, 3, 4))
    assert blame is not None
    assert not blame.is_input


@pytest.mark.slow
def test_the_chain_blamed_carries_too_much_and_no_smaller_one_does_with_its_two_bodies():
    found = 0
    for seed in range(1500):
        mechanism = random_mechanism(seed, most=5)
        for finding in analyse(mechanism).diagnosis:
            if finding.kind != "singular_count":
                continue
            found += 1
            freedoms = 3 if mechanism.space == "planar" else 6

            def carried(bodies, mechanism=mechanism, freedoms=freedoms):
                inside = [joint for joint in mechanism.joints if set(joint.bodies) <= bodies]
                return sum(freedoms - joint.grade + joint.driven for joint in inside)

            bodies = set(finding.bodies)
            assert carried(bodies) == freedoms * (len(bodies) - 1) + finding.excess
            assert finding.excess > 0
            if finding.excess == 1:
                for body in bodies:
                    smaller = bodies - {body}
                    assert carried(smaller) <= freedoms * max(len(smaller) - 1, 0)
    assert found > 5


def test_only_pairs_that_share_a_dependency_are_named():
    """Body 3 on two balls (distance prescribed twice), in one group with nothing else; a sound crank beside it."""
    pairs = [(1, 2, "R", 1), (1, 3, "S", 0), (2, 3, "S", 0)]
    structure = analyse(plain("spatial", 3, pairs))
    (finding,) = structure.diagnosis
    assert (finding.kind, finding.joints, finding.deficit) == ("singular_rank", ("j2", "j3"), 1)
    # sliders in a plane: all three take part
    graph = build_graph(plain("planar", 3, [(1, 2, "P", 0), (2, 3, "P", 0), (3, 1, "P", 0)]))
    assert stressed_pairs(graph, assign_units(graph).held, (1, 2)) == [0, 1, 2]


def test_a_body_on_ball_and_plane_turns_idly():
    structure = analyse(plain("spatial", 3, [(1, 2, "R", 1), (2, 3, "S", 0), (3, 1, "SC", 0)]))
    advice = structure.diagnosis[0].advice
    assert "idle" in advice or "drive" in advice
    pair = analyse(plain("spatial", 3, [(1, 2, "S", 0), (2, 3, "SP", 0), (1, 3, "F", 6)]))
    assert "Body 2 has 2 idle freedoms" in pair.diagnosis[0].advice


RSSR = {
    "schema": "symgen/mechanism/1", "space": "spatial", "ground": "0", "bodies": {"1": {}, "2": {}, "3": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["0", "1"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
        "B": {"type": "S", "bodies": ["1", "2"], "at": [1, 0, 0]},
        "C": {"type": "S", "bodies": ["2", "3"], "at": [2, 1, 3]},
        "D": {"type": "R", "bodies": ["0", "3"], "at": [3, 0, 1], "axis": [1, 1, 0]},
    },
}  # fmt: skip


def test_the_u_in_place_of_a_ball_stops_the_idle_rotation_and_nothing_else():
    before = analyse(Mechanism.from_dict(RSSR))
    after = analyse(fix_idle_rotations(Mechanism.from_dict(RSSR))[0])
    assert (before.instantaneous.mobility, before.instantaneous.remaining) == (2, 1)
    assert (after.instantaneous.mobility, after.instantaneous.remaining) == (1, 0)
    assert [group.signature for group in after.groups] == ["R* 3D", "R.U.S 3D"]


def test_the_verb_fixes_idle_rotations_if_asked(tmp_path, capsys):
    import json

    path = tmp_path / "rssr.json"
    path.write_text(json.dumps(RSSR), encoding="utf-8")
    main(["analyse", str(path), "--json"])
    assert [group["signature"] for group in json.loads(capsys.readouterr().out)["groups"]] == ["R* 3D", "R.S.S 3D"]
    main(["analyse", str(path), "--fix-idle", "--json"])
    captured = capsys.readouterr()
    assert [group["signature"] for group in json.loads(captured.out)["groups"]] == ["R* 3D", "R.U.S 3D"]
    assert "idle rotations removed: C" in captured.err


def _listed(advice: str, before: str, after: str) -> list[str]:
    """Return the joints that a text lists between two phrases."""
    found = re.search(re.escape(before) + r"(.*?)" + re.escape(after), advice)
    return [] if found is None else found[1].replace(" and ", ", ").split(", ")


def _changed(mechanism, driven=(), relaxed=()):
    """Change the inputs of joints (joint -> by how many), and let joints allow one freedom more."""
    changes, freer = dict(driven), {"R": "C", "P": "C"}
    if mechanism.space == "planar":
        freer = {"R": "L", "P": "L"}
    joints = []
    for joint in mechanism.joints:
        kind = freer[joint.type] if joint.id in relaxed else joint.type
        joints.append(replace(joint, type=kind, driven=joint.driven + changes.get(joint.id, 0)))
    return replace(mechanism, joints=tuple(joints))


def _lost(mechanism) -> tuple[int, int]:
    """Return the dependencies of all constraints, and the motions that they leave (exact generic rank of all)."""
    graph = build_graph(mechanism)
    rows = sum(graph.units)
    free = len(eliminate_pairs(graph, range(len(graph.joints)), range(1, graph.bodies)).free)
    return rows - (graph.freedoms * (graph.bodies - 1) - free), free


@pytest.mark.slow
def test_every_input_to_take_away_and_joint_to_relax_removes_a_dependency_and_no_other_input_does():
    taken = kept = relaxed = 0
    for seed in range(1200):
        mechanism = random_mechanism(seed, balanced=False)
        inputs = [joint for joint in mechanism.joints if joint.driven]
        if not inputs:
            continue
        extra = inputs[seed % len(inputs)]  # one input more than fits: at the pair beside, so that sets differ
        more = next((j for j in mechanism.joints if j.id != extra.id and j.driven < j.grade), extra)
        if more.driven == more.grade:
            continue
        mechanism = _changed(mechanism, {more.id: 1})
        over = [finding for finding in analyse(mechanism).diagnosis if finding.kind == "overdetermined"]
        if len(over) != 1 or over[0].excess != 1:
            continue
        lost, free = _lost(mechanism)
        advice = over[0].advice
        listed = _listed(advice, "remove an input (", ")")
        for joint in mechanism.joints:
            if joint.driven and set(joint.bodies) <= {"1", *over[0].bodies}:
                helps = _lost(_changed(mechanism, {joint.id: -1})) == (lost - 1, free)
                assert helps == (joint.id in listed), (seed, joint.id)
                taken += helps
                kept += not helps
        joints = _listed(advice, "let one of joints ", " allow more") or _listed(advice, "let joint ", " allow more")
        for joint in mechanism.joints:
            if joint.id in joints and joint.type in ("R", "P"):
                assert _lost(_changed(mechanism, {}, [joint.id])) == (lost - 1, free), (seed, joint.id)
                relaxed += 1
    assert taken > 30
    assert kept > 3
    assert relaxed > 30


@pytest.mark.slow
def test_exchanges_that_are_advised_make_one_more_constraint_independent():
    exchanged = released = 0
    for seed in range(2500):
        mechanism = random_mechanism(seed)
        structure = analyse(mechanism)
        findings = structure.diagnosis
        if [finding.kind for finding in findings] != ["singular_rank"] or "spin" in findings[0].advice:
            continue
        (finding,) = findings
        lost, free = _lost(mechanism)
        give = _listed(finding.advice, "Remove an input (", ")")
        relax = [] if give else _listed(finding.advice, "Let joint ", " allow more")
        relax = relax or ([] if give else _listed(finding.advice, "Let one of joints ", " allow more"))
        take = _listed(finding.advice, "a further freedom of joint ", " instead")
        take = take or _listed(finding.advice.replace(", not the same one,", ""), "of one of joints ", " instead")
        take = [name.split(" ")[-1] for name in take]
        for one, other in itertools.product(give, take):
            if one != other:
                assert _lost(_changed(mechanism, {one: -1, other: 1})) == (lost - 1, free - 1), (seed, one, other)
                exchanged += 1
        for one, other in itertools.product(relax, take):
            if next(joint for joint in mechanism.joints if joint.id == one).type in ("R", "P") and one != other:
                assert _lost(_changed(mechanism, {other: 1}, [one])) == (lost - 1, free - 1), (seed, one, other)
                released += 1
    assert exchanged > 20
    assert released > 20


@pytest.mark.slow
def test_an_input_inside_a_rigid_chain_is_exchanged_as_advised():
    exchanged = others = 0
    for seed in range(2500):
        mechanism = random_mechanism(seed)
        findings = analyse(mechanism).diagnosis
        if [finding.kind for finding in findings] != ["singular_count"]:
            continue
        (give,) = _listed(findings[0].advice, ": the input of joint ", " drives") or [None]
        take = _listed(findings[0].advice, "hold rigid; drive one of joints ", " instead")
        take = take or _listed(findings[0].advice, "hold rigid; drive joint ", " instead")
        lost, free = _lost(mechanism)
        assert give is None or take or "no other joint freedom" in findings[0].advice, seed
        others += give is None and "is not the only cause" in findings[0].advice
        for name in take:
            assert _lost(_changed(mechanism, {give: -1, name: 1})) == (lost - 1, free - 1), (seed, give, name)
            exchanged += 1
    assert exchanged > 5
    assert others > 0  # three slides of a triangle are dependent with and without the input


def test_the_spinning_body_of_the_micro_manipulator_is_put_right_as_advised():
    """E22: its distance between two balls is prescribed twice, by inputs of groups solved before."""
    data = reference("micro_manipulator")
    mechanism = reference_mechanism(data, data["cases"][0])
    structure = analyse(mechanism)
    (finding,) = structure.diagnosis
    assert "body 21 spins about the line through its two S joints" in finding.advice
    give = _listed(finding.advice, "Remove an input (", ")")
    (ball,) = _listed(finding.advice, "replace one of its S joints by U (", ", for example)")
    assert give
    assert structure.status == "singular"
    for name in give:
        changed = _changed(mechanism, {name: -1})
        joints = tuple(replace(j, type="U") if j.id == ball else j for j in changed.joints)
        assert analyse(replace(changed, joints=joints)).status == "determined"
    others = [joint.id for joint in mechanism.joints if joint.driven and joint.id not in give]
    assert all(_lost(_changed(mechanism, {name: -1}))[0] == 1 for name in others)


def _small(space, bodies, joints):
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": space, "ground": "g", "bodies": {body: {} for body in bodies},
        "joints": joints,
    })  # fmt: skip


@pytest.mark.parametrize(("freedom", "status"), [("angle", "singular"), ("x", "determined"), ("y", "determined")])
def test_the_freedom_that_is_driven_counts_and_not_only_how_many(freedom, status):
    """Two slides never turn: a driven angle of their end prescribes nothing that is left."""
    joints = {
        "A": {"type": "P", "bodies": ["g", "a"], "driven": 1},
        "B": {"type": "P", "bodies": ["a", "b"]},
        "C": {"type": "FP", "bodies": ["g", "b"], "driven": [freedom]},
    }
    structure = analyse(_small("planar", "ab", joints))
    assert structure.status == status
    joints["C"]["driven"] = 1
    assert analyse(_small("planar", "ab", joints)).status == "determined"
    if structure.diagnosis:
        assert "joint C has angle driven. Remove an input (C)" in structure.diagnosis[0].advice


def test_three_coordinates_of_a_point_do_not_hold_a_body_on_a_ball():
    joints = {
        "S": {"type": "S", "bodies": ["g", "a"]},
        "F": {"type": "F", "bodies": ["g", "a"], "driven": ["x", "y", "z"]},
    }
    with pytest.raises(MechanismError, match="already"):
        _small("spatial", "a", joints)
    joints["S"]["bodies"], joints["W"] = ["g", "b"], {"type": "W", "bodies": ["a", "b"]}
    assert analyse(_small("spatial", "ab", joints)).status == "singular"
    joints["F"]["driven"] = ["x", "y", "roll"]
    assert analyse(_small("spatial", "ab", joints)).status == "determined"


@pytest.mark.parametrize(
    ("space", "code", "names"),
    [
        ("spatial", "C", ["slide"]), ("spatial", "U", ["angle1"]), ("spatial", "S", ["pitch"]),
        ("spatial", "PL", ["x", "angle"]), ("planar", "L", ["slide"]), ("planar", "L", ["angle"]),
        ("planar", "FP", ["y"]),
    ],
)  # fmt: skip
def test_rows_of_named_freedoms_vanish_on_the_others_and_see_each_of_their_own(space, code, names):
    """The rows of joint and inputs leave as many freedoms as are not driven, all of them freedoms of the joint."""
    rows = named_rows(space, code, names, RandomSource(7))
    joint = constraint_rows(space, code, 0, RandomSource(7))
    rank = len(reduce_rows([{c: x for c, x in enumerate(row) if x} for row in rows]))
    assert rank == len(rows) == len(joint) + len(names)
