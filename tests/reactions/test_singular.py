"""Singular configurations: shaky structures and change points against redundancy that stays, small and large."""

from __future__ import annotations

from typing import Any

import pytest

import symgen
from symgen.reactions.self_stress import self_stresses
from symgen.reactions.singular import does_work_in_a_part
from symgen.reactions.wrenches import wrench_system
from symgen.simulate.start import freedom_count
from symgen.simulate.start.freedom_count import is_singular_by_positions_nearby
from symgen.simulate.start.initial import assembled

Joints = dict[str, tuple[str, str, tuple[float, ...]]]


def pinned(joints: Joints, kind: str = "R", **driven: int) -> symgen.Mechanism:
    """Return bodies on hinges (plane) or balls (space)."""
    space = "planar" if kind == "R" else "spatial"
    bodies = {body: {} for one, two, _ in joints.values() for body in (one, two) if body != "ground"}
    made = {
        name: {"type": kind, "bodies": [one, two], "at": list(at)} | ({"driven": 1} if name in driven else {})
        for name, (one, two, at) in joints.items()
    }
    draft = {"schema": "symgen/mechanism/1", "name": "pinned", "space": space, "bodies": bodies, "joints": made}
    return symgen.Mechanism.from_dict(draft)


def on_bars(*bars: tuple[tuple[float, ...], tuple[float, ...]], kind: str = "R", **driven: int) -> symgen.Mechanism:
    """Return a platform on bars, each from the ground to the platform."""
    joints: Joints = {}
    for k, (foot, head) in enumerate(bars):
        joints[f"foot{k}"] = ("ground", f"bar{k}", foot)
        joints[f"head{k}"] = (f"bar{k}", "platform", head)
    return pinned(joints, kind, **driven)


def four_bars(count: int, height: float) -> symgen.Mechanism:
    """Return parallelograms, each on the coupler of the last; of height 0 all are flat."""
    joints: Joints = {}
    base, x = "ground", 0.0
    for k in range(count):
        for name, (one, two, dx, dy) in {
            "A": (base, f"c{k}", 0.0, 0.0), "B": (f"c{k}", f"o{k}", 0.3, 1.0),
            "C": (f"o{k}", f"r{k}", 1.3, 1.0), "D": (f"r{k}", base, 1.0, 0.0),
        }.items():  # fmt: skip
            joints[f"{name}{k}"] = (one, two, (x + dx, height * (k + dy)))
        base, x = f"o{k}", x + 0.3
    return pinned(joints)


_LINE: Joints = {"A": ("ground", "a", (0, 0)), "B": ("a", "b", (1, 0)), "C": ("b", "ground", (2, 0))}

#: What is singular, and redundant too: bars in one line; bars that are parallel, of different lengths.
SHAKY = {
    "two bars in line": pinned(_LINE),
    "two rods in line on balls": pinned({name: (*ends, (*at, 0.5)) for name, (*ends, at) in _LINE.items()}, "S"),
    "parallel bars": on_bars(((0, 0), (0, 1)), ((1, 0), (1, 1.5)), ((2, 0), (2, 2.25))),
    "parallel bars, driven": on_bars(((0, 0), (0, 1)), ((1, 0), (1, 1.5)), ((2, 0), (2, 2.25)), foot0=1),
    "bars through a point": on_bars(((-1, -1), (-0.5, -0.5)), ((1, -1), (0.5, -0.5)), ((0, -1), (0, -0.25))),
    "flat parallelogram": four_bars(1, 0.0),
}


@pytest.mark.parametrize("tool", ["nullspace", "svd"])
@pytest.mark.parametrize("name", SHAKY)
def test_motions_of_first_order_that_do_not_go_on_make_it_singular(name: str, tool: str) -> None:
    found = symgen.reactions(SHAKY[name], tool=tool)
    assert (found.status, found.redundant) == ("singular_configuration", 1)
    assert "for this position only" in found.warnings[-1]


#: Redundant in all positions; the last is not redundant at all.
REGULAR = (
    on_bars(((0, 0), (0.6, 0.8)), ((1, 0), (1.6, 0.8)), ((2, 0), (2.6, 0.8))),
    on_bars(((0, 0), (0.6, 0.8)), ((1, 0), (1.6, 0.8)), ((2, 0), (2.6, 0.8)), foot0=1),
    four_bars(1, 1.0),
)


@pytest.mark.parametrize("mechanism", REGULAR)
def test_redundancy_that_stays_is_not_singular(mechanism: symgen.Mechanism) -> None:
    assert symgen.reactions(mechanism).status == "OK"


def test_positions_nearby_tell_what_second_derivatives_do_not() -> None:
    """A rectangle on four equal parallel rods twists about their direction: all its corners sink alike."""
    twisting = on_bars(*(((x, y, 0), (x + 0.6, y, 0.8)) for x, y in ((0, 0), (2, 0), (2, 1), (0, 1))), kind="S")
    rows, poses = assembled(twisting)
    assert not does_work_in_a_part(self_stresses(wrench_system(rows, poses)), rows, poses)
    assert symgen.reactions(twisting).status == "singular_configuration"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("scale", "turn"), [(1.0, 0), (0.25, 1), (1024.0, 2)])
def test_what_positions_nearby_tell_hangs_neither_on_roundings_nor_on_the_step(
    scale: float, turn: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copies in other units and axes round otherwise, as other machines do; other steps lead to other branches."""

    def put(*at: float) -> tuple[float, ...]:
        return tuple(scale * value for value in (*at[turn:], *at[:turn]))

    corners = ((0, 0), (2, 0), (2, 1), (0, 1))
    twisting = on_bars(*((put(x, y, 0), put(x + 0.6, y, 0.8)) for x, y in corners), kind="S")
    skew = on_bars(*((put(x, y, 0), put(x + 0.6, y + 0.3, 0.8)) for x, y in corners), kind="S")
    monkeypatch.setattr(freedom_count, "_SEED", seed)
    assert symgen.reactions(twisting).status == "singular_configuration"
    rows, poses = assembled(skew)  # by second derivatives it is singular: it cannot twist
    assert does_work_in_a_part(self_stresses(wrench_system(rows, poses)), rows, poses)
    for regular in (REGULAR[0], REGULAR[1]):
        rows, poses = assembled(regular)
        assert not is_singular_by_positions_nearby(regular, rows, poses)


def test_the_examples_are_redundant_and_regular_by_second_derivatives_alone(repository: Any) -> None:
    for file in sorted((repository / "examples" / "reactions").glob("*.toml")):
        rows, poses = assembled(symgen.load(file))
        stresses = self_stresses(wrench_system(rows, poses))
        assert stresses.redundant
        assert not does_work_in_a_part(stresses, rows, poses), file.stem


@pytest.mark.parametrize(("height", "status", "redundant"), [(0.0, "singular_configuration", 50), (1.0, "OK", 0)])
def test_large_mechanisms_are_looked_at_too(height: float, status: str, redundant: int) -> None:
    """150 bodies: no positions nearby, second derivatives of each parallelogram."""
    found = symgen.reactions(four_bars(50, height))
    assert (found.status, found.redundant) == (status, redundant)


def test_large_redundant_mechanisms_are_regular_and_say_how_they_were_looked_at() -> None:
    found = symgen.reactions(on_bars(*(((float(x), 0.0), (x + 0.6, 0.8)) for x in range(120))))
    assert (found.status, found.redundant) == ("OK", 118)
    assert any("only second derivatives" in note for note in found.notes)
