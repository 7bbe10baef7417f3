"""Accelerations of trees and loops with flexible beams: three methods, and mass points on the exact modes.

Sums over the modes cancel most of a beam's inertia: with three modes some 1e-4 of its moments of inertia is left at
once, so that 1e-16 becomes 1e-12, and the exact modes (of the package to 1e-14, 1e-12 and 1e-9 for the first three)
show as 1e-9.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.beam_drafts import BeamDraft, WithBeams, random_beams
from vibrations.oracle_beams import solve

import symgen
from symgen.cli.main import main
from symgen.errors import AccuracyError, MechanismError
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.beams import held_at_far_end
from symgen.transfer.acceleration_result import AccelerationResult
from symgen.transfer.beams import overall as beam_direct
from symgen.transfer.system.system import deduce

PAIRS = ("R", "S", "U", "C", "P", "H", "PL", "W", "F")
KINDS: dict[str, dict[str, Any]] = {
    "tree": {"codes": PAIRS},
    "loops": {"codes": ("R", "S", "U", "C", "H", "PL"), "loops": 2},
    "planar": {"codes": ("R", "R", "P", "L"), "planar": True},
    "planar loops": {"codes": ("R",), "planar": True, "loops": 2},
}


def held(made: WithBeams) -> dict[str, int]:
    """Return the ends that modes hold, as a simulation has them; in a tree towards the ground, which is checked."""
    far = held_at_far_end(made.mechanism)
    system = deduce(made.mechanism)
    for body in () if system.loops else system.bodies:
        if body.id in made.beams and body.output is not None:
            joint = made.mechanism.joint(body.output.joint)
            assert joint.frames is not None
            x = joint.frames[joint.bodies.index(body.id)].at[0]
            assert (x > 0.5 * made.beams[body.id]["length"]) == (body.id in far)
    return {name: int(name in far) for name in made.beams}


def apart(one: AccelerationResult, two: AccelerationResult, mass: float = 0.0) -> float:
    """Return by how much accelerations and the forces that are unique differ, relative to the largest.

    Forces relative to the inertia of a mass besides, where joints hold nothing.
    """
    gap = np.abs(one.table - two.table).max() / np.abs(one.table).max()
    loads = [(one.joints[name], two.joints[name]) for name in one.joints if one.joints[name].unique]
    size = max(max(np.abs(a.force).max(), np.abs(a.moment).max()) for a in one.joints.values())
    size += mass * np.abs(one.table).max()
    return max(gap, *(max(np.abs(a.force - b.force).max(), np.abs(a.moment - b.moment).max()) / size for a, b in loads))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("modes", [1, 3])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_bodies_and_beams_move_as_their_mass_points_do(kind: str, seed: int, modes: int) -> None:
    made = random_beams(seed, 5, modes=modes, end_shapes=0, **KINDS[kind])
    found, exact = symgen.accelerations(made.mechanism), solve(made.rods, made.beams, held(made))
    assert found.ok
    table = np.array([[*exact.a[name], *exact.alpha[name]] for name in found.bodies])
    assert np.abs(found.table - table).max() < 1e-8 * np.abs(table).max()
    size = max(np.abs(each).max() for each in (*exact.force.values(), *exact.moment.values()))
    for name, load in found.joints.items():
        assert load.unique == exact.unique[name]
        if load.unique:
            assert np.abs(load.force - exact.force[name]).max() < 1e-8 * size
            used = [2] if made.mechanism.space == "planar" else [0, 1, 2]
            assert np.abs(load.moment - exact.moment[name])[used].max() < 1e-8 * size


@pytest.mark.sampled(4)
@pytest.mark.parametrize("more", [{"modes": 2}, {"modes": 6, "end_shapes": 0}, {"modes": 3, "end_shapes": 1}])
@pytest.mark.parametrize("seed", range(10, 14))
@pytest.mark.parametrize("kind", KINDS)
def test_multipliers_give_the_same(kind: str, seed: int, more: dict[str, int]) -> None:
    mechanism = random_beams(seed, 6, **more, **KINDS[kind]).mechanism
    found = symgen.accelerations(mechanism)
    assert found.residual < 1e-11
    assert apart(found, symgen.accelerations(mechanism, "multiplier")) < 1e-9


SAME = {
    "pins": {"codes": ("R",)}, "balls": {"codes": ("S",)}, "a ball loop": {"codes": ("S",), "loops": 1},
    "planar pins": {"codes": ("R",), "planar": True},
    "planar loops": {"codes": ("R",), "planar": True, "loops": 1},
}  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("modes", [1, 2])
@pytest.mark.parametrize("kind", SAME)
def test_the_overall_equation_gives_the_same_as_far_as_it_promises(kind: str, modes: int) -> None:
    """Inputs at either end, several at one end, outputs at the end that the modes do not hold; chains of slender
    beams and loops of balls about an axis are refused."""
    answered = 0
    for seed in range(8):
        mechanism = random_beams(seed, 5, modes=modes, **SAME[kind]).mechanism
        try:
            found = symgen.accelerations(mechanism, "transfer")
        except AccuracyError:
            continue
        answered += 1
        # the promise is of errors of typical signs: ten of it, and rounding of the comparison
        assert apart(symgen.accelerations(mechanism), found) < 10 * found.figures["accuracy"] + 1e-11
    assert answered >= 2


def with_end_shapes(mechanism: Mechanism, count: int) -> Mechanism:
    return replace(mechanism, bodies=tuple(
        replace(body, beam=replace(body.beam, end_shapes=count)) if body.beam is not None else body
        for body in mechanism.bodies
    ))  # fmt: skip


MIXED = {
    "free": {"codes": ("FP",), "planar": True}, "a free loop": {"codes": ("FP",), "planar": True, "loops": 1},
    "pins": {"codes": ("R",), "loops": 1}, "planar pins": {"codes": ("R",), "planar": True, "loops": 1},
    "plates": {"codes": ("PL",)}, "crosses": {"codes": ("U",)},
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("end_shapes", [0, 1, 2])
@pytest.mark.parametrize("kind", MIXED)
def test_end_shapes_keep_what_the_overall_equation_promises(kind: str, end_shapes: int) -> None:
    """The free end of a frame answers to a wrench at the other end 1e5 times as much as a rigid body does."""
    answered = 0
    for seed in range(8):
        made = random_beams(seed, 1 + seed % 5, modes=1 + seed % 4, share=0.8, **MIXED[kind]).mechanism  # type: ignore[arg-type]
        mechanism = with_end_shapes(made, end_shapes)
        try:
            found = symgen.accelerations(mechanism, "transfer")
        except AccuracyError:
            continue
        answered += 1
        right = symgen.accelerations(mechanism, "multiplier")
        assert apart(right, found, mass=1.0) < 10 * found.figures["accuracy"] + 1e-11
    assert answered >= 2


@pytest.mark.parametrize("end_shapes", [0, 1, 2])
def test_a_wrench_at_the_far_end_of_a_free_beam_brings_its_rounding(end_shapes: int) -> None:
    """A known case: 5e-8 of the acceleration of a beam whose loop ends at its far end."""
    made = random_beams(381, 5, ["FP"], loops=1, planar=True, modes=4, share=0.8).mechanism
    mechanism = with_end_shapes(made, end_shapes)
    with pytest.raises(AccuracyError, match="lose their digits"):
        symgen.accelerations(mechanism, "transfer")
    assert apart(symgen.accelerations(mechanism, "multiplier"), symgen.accelerations(mechanism), mass=1.0) < 1e-10


def four_bar(seed: int, *, planar: bool, modes: int = 2) -> WithBeams:
    """Return a loop of three beams between two places on the ground, in a plane (turned in space) and not straight."""
    draft = BeamDraft(np.random.default_rng(seed), planar=planar, modes=modes, more={"end_shapes": 0})
    turn = draft.turn()
    corners = [turn @ np.array(c) for c in ([0.0, 0, 0], [0.3, 0.9, 0], [1.4, 1.1, 0], [1.2, -0.1, 0])]
    names = ["ground", "b0", "b1", "b2", "ground"]
    for k in range(3):
        way = corners[k + 1] - corners[k]
        length = float(np.linalg.norm(way))
        x = way / length
        axes = np.column_stack([x, np.cross(turn[:, 2], x), turn[:, 2]])
        draft.beam(f"b{k}", 0, corners[k], axes, length)
    draft.turn = lambda: turn  # type: ignore[method-assign]
    for k in range(4):
        draft.join("R", names[k], names[k + 1], corners[k], forces=False)
    return draft.finish()


@pytest.mark.parametrize("planar", [False, True])
def test_a_four_bar_of_three_beams_is_the_same_wherever_it_is_cut(planar: bool) -> None:
    """In space its three redundant constraints are those that lead out of the plane."""
    made = four_bar(3, planar=planar)
    found = symgen.accelerations(made.mechanism)
    exact = solve(made.rods, made.beams, held(made))
    table = np.array([[*exact.a[name], *exact.alpha[name]] for name in found.bodies])
    assert np.abs(found.table - table).max() < 1e-9 * np.abs(table).max()
    assert apart(found, symgen.accelerations(made.mechanism, "multiplier")) < 1e-10
    for cut in ("j0", "j1", "j2", "j3"):
        assert apart(found, symgen.accelerations(made.mechanism, cuts=(cut,))) < 1e-10


def test_a_four_bar_of_beams_has_an_overall_equation_from_either_end() -> None:
    """From one end the modes of some beams are held at their inputs: their matrix is passed the other way round."""
    mechanism = four_bar(3, planar=True, modes=1).mechanism
    found = symgen.accelerations(mechanism)
    for root in ("j0", "j3"):
        direct = symgen.accelerations(mechanism, "transfer", root=root)
        assert apart(found, direct) < 10 * direct.figures["accuracy"]


@pytest.mark.parametrize("method", ["riccati", "transfer", "multiplier"])
def test_a_beam_that_nothing_holds_falls(method: str) -> None:
    """Gravity bends nothing: all points fall alike; a beam turning about its middle is bent by nothing either."""
    tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0.3, -0.2, -9.81],
        "bodies": {
            "b": {"beam": {"length": 1.2, "mass_per_length": 1.5, "polar": 0.01, "bending": [60, 90], "modes": 3}}
        },
        "joints": {},
    }  # fmt: skip
    found = symgen.accelerations(symgen.Mechanism.from_dict(tree), method)
    # clamped modes that move nothing but themselves: the frame takes what they leave, 1e-16 of some 1e4
    assert np.abs(found.bodies["b"].a - tree["gravity"]).max() < 1e-10
    assert np.abs(found.bodies["b"].alpha).max() < 1e-9


def chain_tree(modes: int, count: int) -> dict[str, Any]:
    """Return beams in a row, on pins."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    for k in range(count):
        bodies[f"b{k}"] = {"beam": {"length": 1.0, "mass_per_length": 1.0, "bending": 80.0, "modes": modes},
                           "pose": {"r": [float(k), 0.0, 0.0]}}  # fmt: skip
        joints[f"j{k}"] = {"type": "R", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [float(k), 0.0, 0.0]}
    return {
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81], "bodies": bodies, "joints": joints,
    }  # fmt: skip


def chain(modes: int, count: int = 3) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict(chain_tree(modes, count))


def test_more_modes_cost_the_product_its_digits() -> None:
    """The pivot of bending falls with the fourth power of the number of modes."""
    errors = [symgen.accelerations(chain(modes, 2), "transfer").figures["accuracy"] for modes in (1, 2, 4)]
    assert errors[0] < errors[1] < errors[2]
    with pytest.raises(AccuracyError, match=r"b1|order"):
        symgen.accelerations(chain(8, 8), "transfer")


def test_an_output_that_does_not_follow_its_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam whose only mode moves its end by as much as its frame does, were there one."""
    held = beam_direct._sizes

    def alike(*given: Any) -> Any:
        b, size, worse = held(*given)
        return np.zeros_like(b), size, worse

    monkeypatch.setattr(beam_direct, "_sizes", alike)
    with pytest.raises(AccuracyError, match=r"singular pivot at beam b0: .* fewer modes, or use method .riccati"):
        symgen.accelerations(chain(1, 2), "transfer")


def test_the_transparent_variant_takes_no_beams() -> None:
    from symgen.transfer.overall.deduction import deduce_equation

    with pytest.raises(MechanismError, match=r"bodies\.b0\.beam.*opaque"):
        deduce_equation(deduce(chain(1)), "transparent")
    assert deduce_equation(deduce(chain(1))).variant == "opaque"


@pytest.mark.parametrize("seed", range(3))
def test_motions_in_loops_start_with_these_accelerations(seed: int) -> None:
    """Mass points and joint coordinates there, modal sums here: the same end of each beam is held."""
    mechanism = random_beams(seed, 5, modes=3, **KINDS["loops"]).mechanism
    found = symgen.accelerations(mechanism)
    started = symgen.simulate(mechanism, method="riccati", step=1e-6, until=1e-6, backend="numpy")
    for name, body in found.bodies.items():
        assert np.abs(started.bodies[name].a[0] - body.a).max() < 1e-11 * np.abs(found.table).max()


def test_the_report_has_beams_among_its_elements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chain.json"
    file.write_text(json.dumps(chain_tree(1, 2)), encoding="utf-8")
    assert not main(["report", str(file), "--numbers", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["variant"] == "opaque"
    kinds = {element["id"]: element["kind"] for element in data["elements"]}
    assert (kinds["b0"], kinds["b1"], kinds["j1"]) == ("beam", "beam", "hinge")
    assert data["initial_state"]["refusal"] is None
    assert data["initial_state"]["accelerations"]["method"] == "transfer"
    assert not main(["report", str(file)])
    assert "its modes are eliminated" in capsys.readouterr().out
