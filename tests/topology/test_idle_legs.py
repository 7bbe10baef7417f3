"""Legs between two balls spin; a U for one ball stops just that. Oracle: exact ranks, and cuts by search."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from mechanisms_for_structure import plain

from symgen.cli.main import main
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.findings.ball_legs import find_ball_legs
from symgen.topology.graph import build_graph
from symgen.topology.idle import fix_idle_rotations
from symgen.topology.rank.generic import eliminate_pairs


def _nullity(graph) -> int:
    """Return the independent motions that joints and inputs leave, true pair types taken (test L3 as a whole)."""
    return len(eliminate_pairs(graph, range(len(graph.joints)), range(1, graph.bodies)).free)


def _mechanism(pairs):
    bodies = sorted({body for pair in pairs for body in pair[:2]} - {"0"})
    joints = {f"j{k}": {"type": t, "bodies": [i, j], "driven": w} for k, (i, j, t, w) in enumerate(pairs)}
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "ground": "0",
        "bodies": {body: {} for body in bodies}, "joints": joints,
    })  # fmt: skip


def _reached(graph, start, without) -> set[int]:
    reached = [start]
    for v in reached:
        for a in graph.incident[v]:
            if graph.units[a // 2] and a // 2 not in without and graph.end[a ^ 1] not in reached:
                reached.append(graph.end[a ^ 1])
    return set(reached)


def _legs_by_search(graph) -> set[tuple[int, ...]]:
    """Take away any two balls: what is then cut off from the frame is a leg, if nothing smaller lies between two."""
    balls = [p for p, kind in enumerate(graph.kinds) if kind == ("S", 0)]
    found = set()
    for pair in combinations(balls, 2):
        left = set(range(1, graph.bodies)) - _reached(graph, 0, pair)
        crossing = all(len(left & {graph.end[2 * p], graph.end[2 * p + 1]}) == 1 for p in pair)
        if left and crossing and left == _reached(graph, min(left), pair):
            found.add(tuple(sorted(left)))
    return found


def test_legs_are_the_parts_that_two_balls_cut_off():
    several = 0
    for seed in range(400):
        draw = random.Random(seed)
        bodies = draw.randint(3, 9)
        tree = [(draw.randrange(1, j), j) for j in range(2, bodies + 1)]
        more = [(i, j) for i, j in combinations(range(1, bodies + 1), 2) if (i, j) not in tree]
        ends = tree + draw.sample(more, min(len(more), draw.randint(1, 3)))
        draw.shuffle(ends)
        graph = build_graph(plain("spatial", bodies, [(i, j, draw.choice("SSSRPC"), 0) for i, j in ends]))
        legs = find_ball_legs(graph, range(1, bodies), range(len(graph.joints)))
        expected = _legs_by_search(graph)
        found = {leg.vertices for leg in legs}
        assert found <= expected
        # The others are several of these in series, swinging as one.
        assert all(any(set(leg) < set(whole) for leg in found) for whole in expected - found), seed
        assert len({leg.pair for leg in legs}) == len(legs)
        assert all(leg.pair in leg.balls for leg in legs)
        several += len(legs) > 1
    assert several > 30


#: Between crank 1 (driven) and rocker 2, both hinged to the ground.
LEGS = {
    "one body": [("1", "3", "S", 0), ("3", "2", "S", 0)],
    "S-P-S": [("1", "3", "S", 0), ("3", "4", "P", 0), ("4", "2", "S", 0)],
    "S-P*-S": [("1", "3", "S", 0), ("3", "4", "P", 1), ("4", "2", "S", 0)],
    "S-C-S": [("1", "3", "S", 0), ("3", "4", "C", 0), ("4", "2", "S", 0)],
    "S-C*-S": [("1", "3", "S", 0), ("3", "4", "C", 1), ("4", "2", "S", 0)],
    "S-R-P-S": [("1", "3", "S", 0), ("3", "4", "R", 1), ("4", "5", "P", 1), ("5", "2", "S", 0)],
    "branched": [("1", "3", "S", 0), ("3", "4", "P", 0), ("3", "5", "U", 0), ("5", "6", "P", 1), ("6", "4", "S", 0), ("4", "2", "S", 0)],  # noqa: E501
    "two in series": [("1", "3", "S", 0), ("3", "4", "S", 0), ("4", "2", "S", 0)],
    "against the order": [("4", "2", "S", 0), ("1", "3", "S", 0), ("3", "4", "S", 0)],
}  # fmt: skip


@pytest.mark.parametrize("name", LEGS)
def test_each_u_takes_one_motion_away_and_no_freedom_of_the_others(name):
    mechanism = _mechanism([("0", "1", "R", 1), *LEGS[name], ("0", "2", "R", 0)])
    fixed, changed = fix_idle_rotations(mechanism)
    assert len(changed) == (2 if "series" in name or "order" in name else 1)
    before, after = build_graph(mechanism), build_graph(fixed)
    assert _nullity(before) - _nullity(after) == len(changed)
    # With the ends of the leg held, the same motions are gone: nothing else was.
    leg = [v for v, members in enumerate(before.members) if members[0] in "3456"]
    inner = [p for p in range(len(before.joints)) if {before.end[2 * p], before.end[2 * p + 1]} & set(leg)]
    held = [len(eliminate_pairs(graph, inner, leg).free) for graph in (before, after)]
    assert held[0] - held[1] == len(changed)
    structure = analyse(mechanism)
    advice = "; ".join(finding.advice for finding in structure.diagnosis)
    idle = "without moving any other body" if structure.status == "determined" else "the idle rotation about the line"
    assert advice.count(idle) == len(changed)
    assert all(name in advice for name in changed)


@pytest.mark.parametrize("name", ["one body", "S-P*-S", "S-R-P-S"])
def test_legs_that_lack_nothing_else_are_determined_then(name):
    """The rocker needs one constraint of the leg: those without further freedoms supply it."""
    mechanism = _mechanism([("0", "1", "R", 1), *LEGS[name], ("0", "2", "R", 0)])
    structure = analyse(mechanism)
    fixed, changed = fix_idle_rotations(mechanism)
    counted = analyse(fixed)
    assert structure.status == counted.status == "determined"
    assert structure.mobility == counted.mobility + len(changed)
    assert [group.bodies for group in structure.groups] == [group.bodies for group in counted.groups]
    types = {joint.id: joint.type for joint in mechanism.joints}
    pairs = [pair for group in structure.groups for pair in (*group.external, *group.internal)]
    assert all(pair.type == types[pair.joint] for pair in pairs)
    assert all("U" not in group.signature for group in structure.groups)


def test_what_lacks_an_input_too_is_underdetermined_still():
    mechanism = _mechanism([("0", "1", "R", 0), *LEGS["one body"], ("0", "2", "R", 0)])
    assert (analyse(mechanism).status, analyse(mechanism).counted) == ("underdetermined", None)


def test_a_hexapod_on_balls_at_both_ends_is_determined_with_six_u():
    legs = [(f"b{k}", f"r{k}") for k in range(6)]
    pairs = [
        pair for barrel, rod in legs for pair in (("0", barrel, "S", 0), (barrel, rod, "P", 1), (rod, "p", "S", 0))
    ]
    fixed, changed = fix_idle_rotations(_mechanism(pairs))
    assert len(changed) == 6
    assert analyse(fixed).status == "determined"


def test_no_leg_where_a_third_constraint_holds_it_or_an_input_stops_it():
    held = [*LEGS["S-P-S"], ("0", "4", "SP", 0)]
    driven = [("1", "3", "S", 1), ("3", "4", "P", 1), ("4", "2", "S", 0)]
    for legs in (held, driven):
        mechanism = _mechanism([("0", "1", "R", 1), *legs, ("0", "2", "R", 0)])
        assert fix_idle_rotations(mechanism) == (mechanism, ())


def test_the_only_motion_of_a_mechanism_is_not_idle():
    """Between the ground and the ground nothing is moved but the bodies themselves: an input is wanted."""
    for pairs in (
        [("0", "a", "PL", 0), ("a", "b", "R", 0), ("0", "b", "PL", 0)],
        [("0", "a", "S", 0), ("a", "b", "P", 0), ("0", "b", "S", 0)],
    ):
        mechanism = _mechanism(pairs)
        (finding,) = analyse(mechanism).diagnosis
        assert "idle" not in finding.advice
        assert "drive 1 more of the freedoms of joints" in finding.advice
        assert fix_idle_rotations(mechanism)[1] == ()


def _rssr(joints):
    bodies = {"1": {}, "2": {"pose": {"r": [1, 0, 0], "q": [0, 1, 0, 0]}}, "3": {}}
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "ground": "0", "bodies": bodies,
        "joints": {
            "A": {"type": "R", "bodies": ["0", "1"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
            "B": {"type": "S", "bodies": ["1", "2"], "at": [1, 0, 0]},
            "C": joints,
            "D": {"type": "R", "bodies": ["0", "3"], "at": [3, 0, 1], "axis": [1, 1, 0]},
        },
    })  # fmt: skip


def test_joint_frames_in_the_bodies_get_axes_too():
    """Body 2 is turned half round about x and stands at [1, 0, 0]: [2, 1, 3] of the world is [1, -1, -3] in it."""
    sides = {"2": {"at": [1, -1, -3]}, "3": {"at": [2, 1, 3]}}
    fixed, changed = fix_idle_rotations(_rssr({"type": "S", "bodies": ["2", "3"], "frames": sides}))
    assert changed == ("C",)
    found = analyse(fixed).instantaneous
    assert (found.mobility, found.remaining) == (1, 0)


def test_a_ball_whose_freedoms_the_file_names_stays():
    mechanism = _rssr({"type": "S", "bodies": ["2", "3"], "at": [2, 1, 3]})
    tree = {**mechanism.source, "forces": {"f": {"kind": "joint", "joint": "C", "freedom": "yaw", "stiffness": 1.0}}}
    assert fix_idle_rotations(Mechanism.from_dict(tree))[1] == ("B",)


def _strut(at, **joint):
    """Crank 1, driven; upright 2 on a U of the crank; piston rod 3 in the upright, on a ball of the ground."""
    joints = {
        "A": {"type": "R", "bodies": ["0", "1"], "driven": 1, "at": [0, 0, 0], "axis": [1, 0.1, 0]},
        "B": {"type": "U", "bodies": ["1", "2"], "at": [0, 1, 0], "axis": [1, 0, 0], "axis2": [0, 0.1, 1]},
        "C": {"bodies": ["2", "3"], "at": [0, 1, 1], "axis": [0, -0.1, 1], **joint},
        "D": {"type": "S", "bodies": ["3", "0"], "at": at},
    }
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "ground": "0",
        "bodies": {body: {} for body in "123"}, "joints": joints,
    })  # fmt: skip


def test_a_piston_rod_whose_ball_lies_on_its_axis_spins():
    """The drawing decides: off the axis the same pairs let the upright move."""
    idle = analyse(_strut([0, 0.8, 3], type="C"))
    assert (idle.status, idle.mobility) == ("determined", 3 - 1)
    assert [(finding.kind, finding.bodies) for finding in idle.diagnosis] == [("idle", ("3",))]
    assert (idle.instantaneous.mobility, idle.instantaneous.remaining) == (2, 1)
    assert analyse(_strut([0, 0.9, 3], type="C")).status == "underdetermined"


def test_a_rotation_that_the_inputs_leave_is_told_as_idle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R.S.S with full geometry: one motion remains with the crank held, the rod's own."""
    joints = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 0, 1], "driven": 1},
        "B": {"type": "S", "bodies": ["crank", "rod"], "at": [0.2, 0, 0.1]},
        "C": {"type": "S", "bodies": ["rod", "rocker"], "at": [0.7, 0.5, 0.3]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [0.7, 0, 0], "axis": [1, 0, 0]},
    }
    tree = {
        "schema": "symgen/mechanism/1", "name": "rssr", "space": "spatial", "joints": joints,
        "bodies": {"crank": {}, "rod": {}, "rocker": {}},
    }  # fmt: skip
    file = tmp_path / "rssr.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    assert main(["analyse", str(file)]) == 0
    said = capsys.readouterr().out
    assert "1 remain with the inputs held: idle rotations, no fault" in said
    assert "do not hold" not in said
