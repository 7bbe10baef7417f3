"""What is fixed in a body is folded, and coordinates asked for alone are differentiated: numbers stay what they are.

The oracle is `symgen.solve`: the library's routines, which know nothing of the mechanism's geometry and take all rates
from the system of the group's joints. Geometry is random, and every spatial arrangement of the library has its turn,
between two moving bodies and on the ground.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.modules import ARRANGEMENTS, Arranged
from oracle.placed_groups import placed_group
from oracle.whole_modules import Whole, difference, expected

import symgen
from symgen.ir.nodes import Let
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.pipeline.whole import lower_whole
from symgen.whole.fixed_steps import FixedSteps
from symgen.whole.module import whole_module

SPATIAL = [each for each in ARRANGEMENTS if each.manifest["space"] == "spatial"]
#: Short: `motion` keeps the number of a branch, which a ranked type may exchange along the way.
TIMES = np.linspace(0.0, 0.02, 4)
#: Both sides lose what the condition of the group's system says, some 1e3 for random geometry; accelerations square it.
CLOSE = 1e-8


@pytest.mark.kinds
@pytest.mark.sampled(1)
@pytest.mark.parametrize("arranged", SPATIAL, ids=str)
def test_folding_changes_no_result(arranged: Arranged, tmp_path: Path) -> None:
    grounded = SPATIAL.index(arranged) % 3 == 0
    mechanism = placed_group(arranged.manifest, arranged.tree, 11, grounded=grounded)
    solved = symgen.solve(mechanism, TIMES)
    good = solved.status == 0
    assert good[0]
    whole = Whole(tmp_path, mechanism, "folded", precisions=(), results=("bodies", "coordinates"))
    wanted, found = expected(whole, solved), whole.numpy("motion", t=TIMES)
    assert not np.any(found["status"][good])
    for name, values in wanted.items():
        assert difference(whole, name, found[name][good], values[good]) < CLOSE, name


def _lone(arranged: Arranged) -> list[str]:
    """Return the lengths among the coordinates that an arrangement finds: angles are never given by roots alone."""
    joints = arranged.tree["joints"]
    return [f"{joint['name']}.{f}" for joint in joints for f in joint["freedoms"] if f in ("slide", "x", "y")]


ALONE = [(each, name) for each in SPATIAL for name in _lone(each) if not each.is_driven]


@pytest.mark.slow
@pytest.mark.kinds
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("arranged", "coordinate"), ALONE, ids=str)
def test_a_coordinate_asked_for_alone_is_that_of_the_whole_group(
    arranged: Arranged, coordinate: str, tmp_path: Path
) -> None:
    mechanism = placed_group(arranged.manifest, arranged.tree, 12, grounded=len(coordinate) % 2 == 0)
    solved = symgen.solve(mechanism, TIMES)
    good = solved.status == 0
    assert good[0]
    whole = Whole(tmp_path, mechanism, "alone", precisions=(), results=(coordinate,))
    wanted = expected(whole, solved)
    for function in ("motion", "position"):
        found = whole.numpy(function, t=TIMES)
        assert not np.any(found["status"][good])
        for name in wanted.keys() & found.keys():
            assert difference(whole, name, found[name][good], wanted[name][good]) < CLOSE, (function, name)


@pytest.mark.slow
def test_the_length_of_a_leg_needs_no_other_joint_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    """A leg U.P.S: the slide is the distance of two points, and its first axis and its second never matter."""
    (arranged,) = [each for each in SPATIAL if str(each) == "loop_pus-u_p_s"]
    mechanism = placed_group(arranged.manifest, arranged.tree, 12, grounded=True)
    lean = Whole(tmp_path / "lean", mechanism, "lean", results=("j2.slide",))
    full = Whole(tmp_path / "full", mechanism, "full", results=("j2.slide",), checks="all")
    group = lean.manifest["groups"][-1]
    assert any("second axis" in text for text in group["unchecked"])
    assert not full.manifest["groups"][-1]["unchecked"]
    assert "the universal pair cannot point there" in lean.texts["lean.h"].partition("#")[0]
    found, checked = lean.numpy("motion", t=TIMES), full.numpy("motion", t=TIMES)
    for name in ("q", "qd", "qdd"):
        np.testing.assert_allclose(found[name], checked[name], rtol=0.0, atol=1e-10)
    code = lean.texts["lean.py"].partition("def motion")[2]
    assert "arctan2" not in code
    assert PAIR_TYPES["U"].freedoms[0] not in code


@pytest.mark.sampled(1)
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.0, 0.6, 0.8)], ids=str)
@pytest.mark.parametrize("q", [(1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5)], ids=["drawn", "turned"])
def test_axes_of_a_body_may_share_components(axis: tuple[float, ...], q: tuple[float, ...], tmp_path: Path) -> None:
    """A boom that turns about a coordinate axis: cosine and sine stand in two of its axes."""
    along = np.array([0.6, 0.3, 0.2])
    first = np.cross(along, [0.1, 0.9, 0.3])
    mechanism = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "name": "boom",
            "space": "spatial",
            "bodies": {"boom": {"pose": {"r": [0, 0, 0], "q": list(q)}}, "cylinder": {}, "rod": {}},
            "joints": {
                "hinge": {"type": "R", "bodies": ["ground", "boom"], "driven": 1, "at": [0, 0, 0], "axis": list(axis)},
                "foot": {
                    "type": "U",
                    "bodies": ["ground", "cylinder"],
                    "at": [0.1, 0.2, -0.3],
                    "axis": first.tolist(),
                    "axis2": np.cross(along, first).tolist(),
                },
                "lift": {"type": "P", "bodies": ["cylinder", "rod"], "at": [0.3, 0.3, -0.2], "axis": along.tolist()},
                "eye": {"type": "S", "bodies": ["rod", "boom"], "at": [0.7, 0.5, -0.1]},
            },
            "drives": {"hinge": "0.3*t"},
        }
    )
    times = np.linspace(0.0, 0.3, 4)
    whole = Whole(tmp_path, mechanism, "boom", precisions=(), results=("lift.slide",))
    wanted, found = expected(whole, symgen.solve(mechanism, times)), whole.numpy("motion", t=times)
    assert not np.any(found["status"])
    for name, values in wanted.items():
        assert difference(whole, name, found[name], values) < 1e-13, name


@pytest.mark.slow
def test_a_check_that_one_group_leaves_out_is_made_for_the_next(tmp_path: Path) -> None:
    """Two equal legs: of one its driven slide is asked, which needs no check, of the other a body, which needs all."""
    (arranged,) = [each for each in SPATIAL if str(each) == "loop_rus_c_slide-u_c_slide_s"]
    one = placed_group(arranged.manifest, arranged.tree, 12, grounded=True).to_dict()
    twin = copy.deepcopy(one)
    legs = {body: f"{body}_twin" for body in one["bodies"] if body not in ("k1", "k2")}
    twin["bodies"].update({new: copy.deepcopy(one["bodies"][old]) for old, new in legs.items()})
    for name, joint in one["joints"].items():
        if not name.startswith("hand"):
            bodies = [legs.get(body, body) for body in joint["bodies"]]
            frames = {legs.get(body, body): frame for body, frame in joint["frames"].items()}
            twin["joints"][f"{name}_twin"] = {**joint, "bodies": bodies, "frames": frames}
    for key, law in one["drives"].items():
        joint, _, freedom = key.partition(".")
        if not joint.startswith("hand"):
            twin["drives"][f"{joint}_twin.{freedom}" if freedom else f"{joint}_twin"] = law
            driven = joint
    mechanism, times = Mechanism.from_dict(twin), np.linspace(0.0, 30.0, 61)
    body = f"bodies.{next(iter(legs.values()))}"
    statuses = []
    for number, (results, checks) in enumerate([((f"{driven}.slide", body), "needed"), ((body,), "needed")]):
        whole = Whole(tmp_path / str(number), mechanism, "twin", precisions=(), results=results, checks=checks)
        statuses.append(whole.numpy("motion", t=times)["status"])
    np.testing.assert_array_equal(statuses[0], statuses[1])
    assert 0 < np.count_nonzero(statuses[0]) < len(times)


def test_whole_turns_are_named_by_what_steps_hold_not_by_their_comments(
    monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    mechanism = symgen.load(repository / "examples" / "spatial_four_bar" / "mechanism.toml")
    module = whole_module(mechanism, symgen.library(), drives="inputs", results=("coordinates",))

    def turns() -> dict[str, str]:
        (routine,) = lower_whole(module, ("all",))
        lets = [each for each in routine.body if isinstance(each, Let)]
        return {let.name: let.comment for let in lets if any(word in str(let.values) for word in ("cos(", "sin("))}

    told = turns()
    lets = FixedSteps.lets

    def silent(self: FixedSteps, let: Let, *others: Any) -> Any:
        return lets(self, let if let.turn is None else replace(let, comment="silent"), *others)

    monkeypatch.setattr(FixedSteps, "lets", silent)
    assert told
    assert turns() == told
    assert not any("half" in comment for comment in told.values())
