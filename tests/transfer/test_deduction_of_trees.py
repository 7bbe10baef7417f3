"""Tips, roots, loops and numbers of a mechanism; what leaves no tree is refused by the element's name."""

from __future__ import annotations

from typing import Any

import pytest

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.transfer.system.system import GROUND, deduce

PAPER = "5:1-9 6:2-10 7:3-11 8:4-12 13:9-17 14:10-17 15:11-18 16:12-18 19:17-21 20:18-21 22:21-23 root:23-ground"


def make(words: str, **changes: Any) -> Mechanism:
    """Return a mechanism without geometry of balls ``name:body-body``."""
    joints = {}
    for word in words.split():
        name, ends = word.split(":")
        joints[name] = {"type": "S", "bodies": ends.split("-")}
    names = list(dict.fromkeys(body for each in joints.values() for body in each["bodies"] if body != "ground"))
    bodies: dict[str, Any] = {name: {} for name in sorted(names, key=lambda name: (len(name), name))}
    return Mechanism.from_dict(
        {"schema": "symgen/mechanism/1", "space": "spatial", "bodies": bodies, "joints": joints} | changes
    )


def test_elements_have_the_numbers_of_the_paper() -> None:
    system = deduce(make(PAPER))
    assert {body.id: body.number for body in system.bodies} == {body.id: int(body.id) for body in system.bodies}
    assert {hinge.joint: hinge.number for hinge in system.hinges} == {
        hinge.joint: 0 if hinge.joint == "root" else int(hinge.joint) for hinge in system.hinges
    }
    assert [body.id for body in system.tips] == ["1", "2", "3", "4"]
    assert [hinge.joint for hinge in system.roots if hinge] == ["root"]
    assert [[hinge.joint for hinge in body.inputs] for body in system.bodies if len(body.inputs) == 2] == [
        ["13", "14"], ["15", "16"], ["19", "20"],
    ]  # fmt: skip


def test_the_loop_of_the_mixed_system_has_the_highest_number_and_closes_where_its_ways_meet() -> None:
    mechanism = make(PAPER + " loop:2-3")
    system = deduce(mechanism)
    (loop,) = system.loops
    assert (loop.joint, loop.number) == ("loop", 24)
    assert mechanism.bodies[loop.closes].id == "21"
    assert deduce(mechanism, cuts=["14"]).loops[0].joint == "14"


def test_bodies_come_after_all_they_carry() -> None:
    system = deduce(make("r:b-ground a:a-b c:c-b d:d-c e:e-a x:e-d y:d-ground"))
    seen: set[int] = set()
    for body in system.bodies:
        assert {hinge.inboard for hinge in body.inputs} <= seen
        assert [hinge.input for hinge in body.inputs] == list(range(1, len(body.inputs) + 1))
        seen.add(body.body)


def test_a_hinge_is_reversed_where_its_first_body_is_on_the_root_side() -> None:
    system = deduce(make("r:ground-a h:a-b g:c-b"))
    assert {hinge.joint: hinge.reverse for hinge in system.hinges} == {"r": True, "h": True, "g": False}


def test_joints_to_the_ground_grow_a_tree_each_unless_one_root_is_asked_for() -> None:
    mechanism = make("r:a-ground h:a-b g:b-c k:c-d s:d-ground")
    forest, single = deduce(mechanism), deduce(mechanism, single_root=True)
    assert len(forest.roots) == 2
    assert len(single.roots) == 1
    assert single.loops[0].outboard == single.loops[0].closes == GROUND
    given = deduce(mechanism, root="s")
    assert [hinge.joint for hinge in given.roots if hinge] == ["s"]
    assert [loop.joint for loop in given.loops] == ["r"]


def test_rails_that_both_stand_on_the_ground_still_close_early() -> None:
    rungs = 12
    words = ["r:a0-ground", "s:b0-ground"] + [f"x{k}:a{k}-b{k}" for k in range(rungs)]
    words += [f"{s}{k}:{s}{k}-{s}{k - 1}" for k in range(1, rungs) for s in "ab"]
    system = deduce(make(" ".join(words)))
    assert len(system.loops) == rungs
    assert sum(loop.closes == GROUND for loop in system.loops) == 1


def test_short_loops_close_early() -> None:
    # a ladder: were its rungs cut, all loops would be open at the ground
    rungs = 12
    words = ["r:a0-ground"] + [f"x{k}:a{k}-b{k}" for k in range(rungs)]
    words += [f"{s}{k}:{s}{k}-{s}{k - 1}" for k in range(1, rungs) for s in "ab"]
    system = deduce(make(" ".join(words)))
    assert len(system.loops) == rungs - 1
    assert all(loop.closes != GROUND for loop in system.loops)


def test_a_free_system_has_a_free_root() -> None:
    system = deduce(make("h:a-b g:b-c"))
    assert system.roots == (None,)
    assert sum(body.output is None for body in system.bodies) == 1


@pytest.mark.parametrize(
    ("words", "options", "field", "message"),
    [
        ("r:a-ground h:b-c", {}, "bodies.b", "disconnected topology: no joint leads from b, c to the ground"),
        ("g:a-b h:c-d", {}, "bodies.c", "disconnected topology: no joint leads from c, d to the other bodies"),
        ("r:a-ground h:a-b", {"root": "h"}, "joints.h", "a root is a joint to the ground: joints to the ground are r"),
        (
            "r:a-ground h:a-b g:b-c k:c-a",
            {"cuts": ["h", "g"]},
            "joints",
            "loop count mismatch: 2 joints are cut (g, h); the mechanism has 1 independent loop;",
        ),
        ("r:a-ground h:a-b g:b-c k:c-a s:c-ground", {"cuts": ["h"]}, "bodies.c", "still has two outputs"),
        ("r:a-ground h:a-b g:b-c k:c-a l:c-d", {"cuts": ["l"]}, "bodies.c", "two outputs: both"),
        (
            "r:a-ground l:a-b m:b-c n:c-d k:d-b",
            {"cuts": ["l"]},
            "bodies.b",
            "no output: every way to the root is cut (l); leave one of them",
        ),
        ("r:a-ground h:a-b", {"cuts": ["h", "h"]}, "joints.h", "is cut twice"),
        ("r:a-ground s:b-ground h:a-b", {"root": "r", "cuts": ["r"]}, "joints.r", "is both root and cut"),
        ("r:a-ground h:a-b", {"cuts": ["x"]}, None, 'no joint has the id "x"'),
    ],
)
def test_what_leaves_no_tree_is_refused_by_name(
    words: str, options: dict[str, Any], field: str | None, message: str
) -> None:
    with pytest.raises(MechanismError) as caught:
        deduce(make(words), **options)
    assert caught.value.field == field
    assert message in str(caught.value)


def test_a_body_whose_ways_are_all_cut_has_no_output() -> None:
    mechanism = make("r:a-ground h:a-b g:b-c k:c-a l:c-d m:d-c2 n:c2-c")
    with pytest.raises(MechanismError, match=r"two outputs|no output"):
        deduce(mechanism, cuts=["l", "n"])


def test_pairs_without_a_hinge_are_refused() -> None:
    tree = make("r:a-ground h:a-b").source
    joints = {**tree["joints"], "h": {"type": "EO", "bodies": ["a", "b"]}}
    with pytest.raises(MechanismError, match=r"joints.h: Ordinary Gear \(EO\) has no hinge"):
        deduce(Mechanism.from_dict({**tree, "joints": joints}))
