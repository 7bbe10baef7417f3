"""A12: what cannot be solved is refused by name, with the body or joint concerned, and no traceback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.drafts import Draft, random_inertia, random_turn
from transfer.judged import ask, ask_cli
from transfer.spec_systems import chain6_percussion, hinge_zoo

import symgen
from symgen.errors import SymgenError
from symgen.model.mechanism import Mechanism

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
NOTHING = np.zeros((3, 3))
METHODS = ("riccati", "transfer", "multiplier")


def words(mechanism: Mechanism, method: str = "riccati", **options: Any) -> str:
    """Return what the refusal says."""
    with pytest.raises(SymgenError) as raised:
        ask(mechanism, method, **options)
    return str(raised.value)


def pendulums(count: int) -> Draft:
    """Return bodies on balls, one below another."""
    rng, draft = np.random.default_rng(1), Draft("pendulums")
    for k in range(count):
        draft.body(f"b{k}", [0, 0, -0.5 * k], random_turn(rng), 1.0, 0.1 * rng.normal(size=3), random_inertia(rng, 0.2))
        draft.joint(f"j{k}", "S", (f"b{k}", f"b{k - 1}" if k else "ground"), [0, 0, -0.5 * k])
    return draft


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", ["S", "R"])
def test_a_freedom_without_inertia_is_named(method: str, code: str) -> None:
    """A point mass in the centre of its own joint, on bodies that move in the same freedoms."""
    rng, draft = np.random.default_rng(1), Draft("bob")
    for k in range(2):
        draft.body(f"b{k}", [0, 0, -0.5 * k], random_turn(rng), 1.0, 0.1 * rng.normal(size=3), random_inertia(rng, 0.2))
        draft.joint(f"j{k}", code, ("ground" if not k else "b0", f"b{k}"), [0, 0, -0.5 * k], np.eye(3))
    draft.body("point", [0, 0, -1.0], np.eye(3), 1.0, [0, 0, 0], NOTHING)
    draft.joint("bob", code, ("b1", "point"), [0, 0, -1.0], np.eye(3))
    said = words(draft.resting(), method)
    assert "bodies.point: " in said
    assert "without moving any mass" in said
    if method != "multiplier":  # which knows of bodies, not of the joints that carry them
        assert "zero articulated inertia: joint bob" in said


@pytest.mark.parametrize(("method", "named"), [("riccati", "flag"), ("transfer", "pin"), ("multiplier", "flag")])
def test_a_massless_tip_is_named(method: str, named: str) -> None:
    draft = pendulums(1)
    draft.body("flag", [0, 0, -0.5], np.eye(3), 0.0, [0, 0, 0], NOTHING)
    draft.joint("pin", "R", ("b0", "flag"), [0, 0, -0.5])
    assert named in words(draft.resting(), method)


@pytest.mark.parametrize("codes", [("R", "S"), ("S", "R"), ("P", "C"), ("U", "R")])
def test_unequal_freedoms_in_a_row_are_not_for_the_product(codes: tuple[str, str]) -> None:
    rng, draft = np.random.default_rng(2), Draft("unequal")
    for k, code in enumerate(codes):
        draft.body(
            f"b{k}", rng.normal(size=3), random_turn(rng), 1.0, 0.1 * rng.normal(size=3), random_inertia(rng, 0.2)
        )
        draft.joint(f"j{k}", code, (f"b{k - 1}" if k else "ground", f"b{k}"), rng.normal(size=3), random_turn(rng))
    mechanism = draft.resting()
    assert all(ask(mechanism, method).status == "OK" for method in ("riccati", "multiplier"))
    said = words(mechanism, "transfer")
    assert "unequal freedoms" in said
    assert "riccati" in said
    assert "j0" in said
    assert "j1" in said


def test_a_centre_of_percussion_is_a_singular_pivot() -> None:
    assert all(ask(chain6_percussion(), method).status == "OK" for method in ("riccati", "multiplier"))
    said = words(chain6_percussion(), "transfer")
    assert "singular pivot at body" in said
    assert "riccati" in said
    assert any(f"h{k}" in said or f'"{k}"' in said or f"bodies.{k}" in said for k in range(1, 7))


def test_slides_across_each_other_are_a_singular_pivot() -> None:
    """Two slides at right angles: a force along one says nothing of the motion along the other."""
    rng, draft = np.random.default_rng(4), Draft("cross slides")
    world = random_turn(rng)
    axes = [world, world @ np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])]
    for k in range(3):
        draft.body(
            f"b{k}", rng.normal(size=3), random_turn(rng), 1.0, 0.1 * rng.normal(size=3), random_inertia(rng, 0.2)
        )
        draft.joint(f"j{k}", "P", (f"b{k - 1}" if k else "ground", f"b{k}"), rng.normal(size=3), axes[k % 2])
    mechanism = draft.moving(rng)
    assert all(ask(mechanism, method).status == "OK" for method in ("riccati", "multiplier"))
    said = words(mechanism, "transfer")
    assert "singular pivot at body b" in said
    assert "riccati" in said


@pytest.mark.parametrize("method", METHODS)
def test_bodies_without_a_way_to_the_ground_are_named(method: str) -> None:
    draft = pendulums(2)
    for name in ("lost", "found"):
        draft.body(name, [1, 0, 0], np.eye(3), 1.0, [0, 0, 0], np.eye(3))
    draft.joint("link", "S", ("lost", "found"), [1, 0, 0])
    said = words(draft.resting(), method)
    assert "disconnected" in said
    assert "lost" in said


@pytest.mark.parametrize("method", METHODS)
def test_a_hinge_with_one_body_dangles(method: str) -> None:
    tree = pendulums(2).tree
    for bodies in (["b0", "b0"], ["b0"], ["b0", "nobody"]):
        changed = {**tree, "joints": {**tree["joints"], "loose": {"type": "S", "bodies": bodies, "at": [0, 0, 0]}}}
        with pytest.raises(SymgenError, match="loose"):
            symgen.accelerations(Mechanism.from_dict(changed), method)


def four_bar() -> Mechanism:
    """Return the slider-crank: one loop."""
    return symgen.load(EXAMPLES / "slider_crank" / "mechanism.toml")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cuts", "match"), [
    (["A", "B"], r"loop count mismatch: 2 joints are cut \(A, B\)"),
    (["nothing"], "nothing"),
    (["A", "A"], "joints.A: is cut twice"),
])  # fmt: skip
def test_cuts_that_are_not_one_in_each_loop_are_refused(method: str, cuts: list[str], match: str) -> None:
    said = words(four_bar(), method, cuts=cuts)
    # Newton-Euler equations with multipliers take all joints at once.
    assert re.search(
        match if method != "multiplier" else "root and cuts belong to methods riccati and transfer", said
    ), said


def test_beside_one_root_only_what_the_user_cut_is_named_as_cut() -> None:
    said = words(four_bar(), "transfer", cuts=["B"])
    assert "1 joint is cut (B); the mechanism has 1 independent loop and one root" in said
    assert re.search(r"all but one are cut \(here [AD]\)", said), said


@pytest.mark.parametrize("method", ["riccati", "transfer"])
def test_a_body_with_two_outputs_is_named(method: str) -> None:
    """The other method knows no outputs."""
    mechanism = symgen.load(EXAMPLES / "mixed24" / "mechanism.toml")
    said = words(mechanism, method, cuts=["h5"])
    assert re.search(r"bodies\.b?\d+: two outputs: both h\d+ and h\d+ lead from it", said), said


def test_a_root_must_be_a_joint_to_the_ground() -> None:
    said = words(symgen.load(EXAMPLES / "tree23" / "mechanism.toml"), root="h5")
    assert "h5" in said
    assert "root" in said


@pytest.mark.parametrize("key", ["mass", "inertia"])
def test_a_body_that_lacks_its_mass_is_named(key: str) -> None:
    tree = pendulums(2).tree
    del tree["bodies"]["b1"][key]
    said = words(Mechanism.from_dict(tree))
    assert "b1" in said
    assert key in said


def test_a_joint_without_geometry_is_named() -> None:
    tree = pendulums(2).tree
    del tree["joints"]["j1"]["frames"]
    said = words(Mechanism.from_dict(tree))
    assert "j1" in said


def test_an_unknown_method_is_refused_with_the_known_ones(capsys: Any) -> None:
    with pytest.raises(SymgenError, match="riccati"):
        symgen.accelerations(four_bar(), method="ricati")


def test_the_command_line_says_what_is_wrong_and_leaves_the_output_empty(tmp_path: Path, capsys: Any) -> None:
    from symgen.cli.main import main

    file = tmp_path / "zoo.json"
    file.write_text(json.dumps(hinge_zoo().tree), encoding="utf-8")
    assert main(["accelerations", str(file), "--method", "transfer", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "riccati" in said.err
    assert "Traceback" not in said.err
    status, document = ask_cli(file, capsys)
    assert (status, document["status"]) == (0, "OK")
