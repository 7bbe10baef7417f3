"""Findings say what would help, and it does help."""

from __future__ import annotations

from dataclasses import replace

from mechanisms_for_structure import plain, random_mechanism

from symgen.cli.main import main
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.graph import build_graph
from symgen.topology.idle import fix_idle_rotations
from symgen.topology.matching import assign_units
from symgen.topology.remedies import propose_inputs, stressed_pairs
from symgen.topology.stiff_chains import find_blame


def test_inputs_that_are_proposed_supply_what_is_missing():
    tried = 0
    for seed in range(300):
        mechanism = random_mechanism(seed, balanced=False)
        if analyse(mechanism).status != "underdetermined":
            continue
        graph = build_graph(mechanism)
        assignment = assign_units(graph)
        missing = sum(max(0, graph.freedoms - assignment.load[v]) for v in range(1, graph.bodies))
        proposed = propose_inputs(graph, assignment, assignment.under, missing)
        if not proposed:
            continue
        joints = [
            replace(joint, driven=joint.driven + [graph.joints[p].id for p in proposed].count(joint.id))
            for joint in mechanism.joints
        ]
        repaired = analyse(replace(mechanism, joints=tuple(joints)))
        assert repaired.status in ("determined", "singular"), seed
        tried += 1
    assert tried > 30


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
    assert main(["analyse", str(path)]) == 1
    capsys.readouterr()
    main(["analyse", str(path), "--fix-idle", "--json"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["status"] == "determined"
    assert "idle rotations taken away: C" in captured.err
