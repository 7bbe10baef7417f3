"""Automatic deduction of the overall transfer equation: order, block patterns, products, choices and refusals.

The patterns are those of the theorem for the tree of figure 2 and the mixed system of figure 4, worked out by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.transfer.overall.blocks import coefficients, path, write_product
from symgen.transfer.overall.deduction import deduce_equation
from symgen.transfer.overall.equation import OverallEquation
from symgen.transfer.system.system import deduce

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
#: Joints (type, first, second) of bodies without data.
Joints = Mapping[str, tuple[str, str, str]]


def example(name: str) -> Mechanism:
    return symgen.load(EXAMPLES / name / "mechanism.toml")


def of(mechanism: Mechanism, variant: Any = None, **options: Any) -> OverallEquation:
    return deduce_equation(deduce(mechanism, single_root=True, **options), variant)


def sketch(space: str = "spatial", **joints: tuple[str, str, str] | tuple[str, str, str, int]) -> Mechanism:
    """Return bodies and joints without data; a fourth entry says how many freedoms are driven."""
    names = dict.fromkeys(name for joint in joints.values() for name in joint[1:3] if name != "ground")
    table = {
        key: {"type": joint[0], "bodies": list(joint[1:3])} | ({"driven": joint[3]} if len(joint) > 3 else {})
        for key, joint in joints.items()
    }
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "sketch", "space": space,
            "bodies": {name: {} for name in names}, "joints": table,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "variant", "order"),
    [
        ("tree23", None, 30), ("tree23", "opaque", 24), ("mixed24", None, 42), ("mixed24", "opaque", 36),
        ("planar_mixed24", None, 21), ("planar_mixed24", "opaque", 18), ("large250", None, 42),
    ],
)  # fmt: skip
def test_the_order_does_not_depend_on_the_length_of_branches(name: str, variant: str | None, order: int) -> None:
    equation = of(example(name), variant)
    assert equation.order == equation.unknowns == order
    assert equation.variant == (variant or "transparent")


GEOMETRIC = {"17.2": "1100", "18.2": "0011", "21.2": "1111"}


def test_the_mixed_system_has_the_pattern_of_the_theorem() -> None:
    equation = of(example("mixed24"), "opaque")
    assert [(tip.kind, tip.partner) for tip in equation.tips] == [
        ("free", 0), ("cut body", 3), ("cut hinge", 2), ("free", 0),
    ]  # fmt: skip
    assert equation.pattern("leftover") == {"h5": "1000", "h6": "0100", "h24": "0010", "h8": "0001"}
    assert equation.pattern("geometric") == GEOMETRIC
    assert equation.pattern("root") == {"root": "1111"}
    assert equation.pattern("supplement") == {"h24": "0110"}
    assert equation.pattern("main") == {}


def test_the_tree_has_a_main_equation_and_one_geometric_equation_a_further_input() -> None:
    equation = of(example("tree23"))
    assert equation.pattern("main") == {"root": "1111"}
    assert equation.pattern("geometric") == GEOMETRIC
    assert equation.pattern("leftover") == equation.pattern("supplement") == {}
    assert [block.rows for block in equation.blocks] == [12, 6, 6, 6]


def test_a_tip_is_multiplied_by_the_elements_on_its_way_to_the_root() -> None:
    tree, mixed = of(example("tree23")), of(example("mixed24"))
    assert write_product(path(tree, 1)) == "U_23 U_22 U_26,1 U_24,1 U_9 U_5 U_1"
    assert write_product(path(tree, 4)) == "U_23 U_22 U_26,2 U_25,2 U_12 U_8 U_4"
    # The loop hinge is the first element behind its tip; branches are numbered after it.
    assert write_product(path(mixed, 3)) == "U_23 U_22 U_27,2 U_26,1 U_11 U_7 U_3 U_24"


def test_a_geometric_equation_compares_the_output_with_the_own_input() -> None:
    equation = of(example("tree23"))
    block = next(block for block in equation.blocks if equation.label(block) == "21.2")
    assert {each.tip: str(each) for each in coefficients(equation, block)} == {
        1: "G_26,2 U_26,1 U_24,1 U_9 U_5 U_1",
        2: "G_26,2 U_26,1 U_24,2 U_10 U_6 U_2",
        3: "(G_26,2 U_26,2 - K_20) U_25,1 U_11 U_7 U_3",
        4: "(G_26,2 U_26,2 - K_20) U_25,2 U_12 U_8 U_4",
    }


def test_the_product_of_a_long_chain_is_shortened_to_its_ends() -> None:
    words = write_product(path(of(example("large250")), 1))
    assert "..." in words
    assert len(words) < 120


def test_the_cut_may_lie_at_another_hinge_of_the_loop() -> None:
    equation = of(example("mixed24"), "opaque", cuts=["h14"])
    assert equation.order == 36
    assert list(equation.pattern("supplement")) == ["h14"]


def test_a_joint_to_the_ground_beside_the_root_holds_a_tip() -> None:
    equation = of(sketch("planar", a=("R", "ground", "x"), b=("R", "x", "y"), c=("P", "y", "ground")), root="a")
    assert [(tip.kind, tip.joint, tip.unknowns) for tip in equation.tips] == [("ground", "c", 3)]
    assert equation.order == 3


def test_several_roots_give_a_main_equation_each() -> None:
    mechanism = sketch(a=("S", "ground", "x"), b=("S", "x", "y"), c=("S", "ground", "z"))
    equation = of(mechanism)
    assert equation.pattern("main") == {"a": "10", "c": "01"}
    assert equation.order == 24


def test_a_free_root_leaves_its_accelerations_unknown() -> None:
    assert of(sketch(a=("S", "x", "y"), b=("S", "y", "z"))).order == 12
    assert of(sketch(a=("R", "x", "y"), b=("R", "y", "z"))).order == 6
    assert of(sketch(a=("S", "x", "y"), b=("F", "ground", "y"))).order == 12


def test_the_main_input_is_chosen_to_fit_the_output() -> None:
    equation = of(sketch(a=("R", "ground", "x"), b=("S", "x", "y"), c=("R", "x", "z")))
    entries = equation.by_index[0].entries
    assert [entry.joint for entry in entries] == ["c", "b"]
    assert equation.order == 12


def test_a_loop_hinge_turns_round_where_it_would_not_fit() -> None:
    """Into the tip z, whose output is a P, an R would be eliminated by force rows of another kind of number."""
    joints = {
        "a": ("S", "ground", "x"), "b": ("S", "x", "y"), "c": ("C", "x", "z"), "d": ("S", "y", "z"),
    }  # fmt: skip
    one = of(sketch(**joints), cuts=["d"])
    two = of(sketch(**{**joints, "d": ("S", "z", "y")}), cuts=["d"])
    for equation in (one, two):
        tip = next(tip for tip in equation.tips if tip.kind == "cut hinge")
        assert equation.system.mechanism.bodies[tip.body].id == "y"


def test_welded_and_driven_hinges_need_no_elimination() -> None:
    equation = of(sketch(a=("R", "ground", "x"), b=("W", "x", "y"), c=("R", "y", "z", 1)))
    assert not any(step.eliminates for step in equation.bodies)
    assert equation.pattern("leftover") == {"a": "1"}


@pytest.mark.parametrize(
    ("joints", "names"),
    [
        ({"a": ("R", "ground", "x"), "b": ("S", "x", "y")}, ("b", "S, 3 freedoms", "x", "a", "R, 1 freedom")),
        ({"a": ("R", "ground", "x", 1), "b": ("R", "x", "y")}, ("b", "R, 1 freedom", "x", "a", "R, 0 freedoms")),
        ({"a": ("C", "ground", "x"), "b": ("P", "x", "y")}, ("b", "P, 1 freedom", "x", "a", "C, 2 freedoms")),
    ],
)
def test_unequal_freedoms_in_a_row_are_refused_by_name(joints: Joints, names: tuple[str, ...]) -> None:
    with pytest.raises(MechanismError, match="unequal freedoms") as found:
        of(sketch(**joints))
    message = str(found.value)
    assert 'use method "riccati"' in message
    assert "{} ({}) enters {}, whose output is {} ({})".format(*names) in message


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (lambda: sketch(a=("R", "ground", "x")), "of type R"),
        (lambda: sketch(a=("S", "ground", "x", 3)), "of type S and driven"),
        (lambda: sketch("planar", a=("P", "ground", "x")), "undriven pins"),
    ],
)
def test_the_transparent_variant_is_for_balls_and_pins(mechanism: Callable[[], Mechanism], reason: str) -> None:
    with pytest.raises(MechanismError, match=reason):
        of(mechanism(), "transparent")
