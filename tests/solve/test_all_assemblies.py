"""Every way to put a mechanism together is found once, closes, and is one that `solve` can follow."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, SolveError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Solve = Callable[..., MotionResult]
Array = NDArray[np.float64]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def _rotation(q: Array) -> Array:
    w, x, y, z = q
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def _gap(mechanism: Mechanism, bodies: Any, joint_id: str) -> float:
    """Return how far apart the two centres of a joint are [m]; of R and S they coincide."""
    joint = mechanism.joint(joint_id)
    assert joint.frames is not None
    places = []
    for body, frame in zip(joint.bodies, joint.frames, strict=True):
        pose = bodies.get(body, np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
        places.append(pose[:3] + _rotation(pose[3:]) @ np.array(frame.at))
    return float(np.linalg.norm(places[1] - places[0]))


def test_a_chain_of_dyads_within_reach_has_two_to_their_number_of_assemblies(numpy_library: Library) -> None:
    mechanism = symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml")
    found = symgen.assemblies(mechanism, library=numpy_library)
    assert [each.branches for each in found] == [(0, *bits) for bits in itertools.product((0, 1), repeat=3)]
    for each in found:
        for joint in mechanism.joints:
            assert _gap(mechanism, each.bodies, joint.id) < 1e-12  # lengths below 1 m


def test_platform_legs_multiply(numpy_library: Library) -> None:
    mechanism = symgen.load(EXAMPLES / "stewart_inverse" / "mechanism.toml")
    found = symgen.assemblies(mechanism, library=numpy_library)
    assert len(found) == 4**6
    assert len({each.branches for each in found}) == 4**6


@pytest.mark.slow
def test_every_assembly_is_where_solve_puts_it(numpy_library: Library, solved: Solve) -> None:
    mechanism = symgen.load(EXAMPLES / "rotor" / "mechanism.toml")
    found = symgen.assemblies(mechanism, 0.1, library=numpy_library)
    assert any(found.ended), "some groups are out of reach behind some branches upstream"
    assert len(found) > 1
    for each in found.every[:: max(1, len(found) // 5)]:
        motion = solved(mechanism, [0.1], branch=each.choice)
        assert motion.ok
        for body, pose in each.bodies.items():
            there = motion.bodies[body].pose[0]
            sign = np.sign(there[3:] @ pose[3:])
            np.testing.assert_allclose(pose, [*there[:3], *(sign * there[3:])], atol=1e-12)


def test_all_six_zeros_of_a_triad_are_asked_for(class_three: dict[str, dict[str, Any]], numpy_library: Library) -> None:
    mechanism = Mechanism.from_dict(class_three["three_rrr"])
    found = symgen.assemblies(mechanism, library=numpy_library)
    assert len(found) in (2, 4, 6)  # real zeros of a real polynomial of degree six come in pairs
    for each in found:
        assert max(_gap(mechanism, each.bodies, joint.id) for joint in mechanism.joints) < 1e-9
    places = np.array([np.concatenate(list(each.bodies.values())) for each in found])
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1) + np.eye(len(places))
    assert apart.min() > 1e-3, "each pose once"


def _stretched(four_bar: dict[str, Any], law: str) -> Mechanism:
    """A four-bar linkage whose coupler and rocker are in line while the crank points away from the other pivot."""
    joints = {**four_bar["joints"]}
    joints["B"] = {**joints["B"], "at": [-0.1, 0]}
    joints["C"] = {**joints["C"], "at": [0.1, 0]}
    joints["D"] = {**joints["D"], "at": [0.35, 0]}
    return Mechanism.from_dict({**four_bar, "joints": joints, "drives": {"A": law}})


def test_at_a_dead_centre_the_two_assemblies_are_one_and_say_so(
    four_bar: dict[str, Any], numpy_library: Library
) -> None:
    found = symgen.assemblies(_stretched(four_bar, "2*pi*t"), library=numpy_library)
    assert [each.status.name for each in found] == ["SINGULAR", "SINGULAR"]
    assert found[0].singular == (2,)
    np.testing.assert_allclose(found[0].bodies["rocker"], found[1].bodies["rocker"], atol=1e-7)


def test_a_motion_through_a_dead_centre_names_it_and_goes_on_smoothly(
    four_bar: dict[str, Any], numpy_library: Library
) -> None:
    mechanism = _stretched(four_bar, "0.5*t")
    # The links are stretched at t = 0, within reach before and after; two smooth motions cross there.
    times = np.linspace(-1.0, 1.0, 21)
    motions = [motion for _, motion in symgen.follow_assemblies(mechanism, times, library=numpy_library)]
    assert len(motions) == 2
    for motion in motions:
        assert motion.status[10] == symgen.Status.SINGULAR
        assert np.all(np.delete(motion.status, 10) == symgen.Status.OK)
        assert np.array_equal(np.flatnonzero(motion.limit), [10])
        turning, growth = motion.bodies["rocker"].omega[:, 2], motion.bodies["rocker"].alpha[:, 2]
        step = times[1] - times[0]
        # Trapezoidal rule with end correction on the rates: a corner at t = 0 would miss it by the jump of the rate.
        missed = np.diff(turning) - step / 2 * (growth[1:] + growth[:-1])
        assert np.abs(missed).max() < 0.05 * np.abs(turning).max()
        assert motion.groups[1].branch_rows[0] != motion.groups[1].branch_rows[-1]
        assert [event.first for event in motion.events] == [pytest.approx(0.0, abs=1e-3)]
    rates = [motion.bodies["rocker"].omega[10, 2] for motion in motions]
    assert abs(rates[0] - rates[1]) > 0.1, "two motions, not one twice"


def test_out_of_reach_there_is_none_and_following_says_so(four_bar: dict[str, Any], numpy_library: Library) -> None:
    joints = {**four_bar["joints"], "D": {**four_bar["joints"]["D"], "frames": None}}
    joints["D"] = {"type": "R", "bodies": ["ground", "rocker"], "at": [0.35, 0]}
    joints["C"] = {**joints["C"], "at": [0.26, 0.1]}  # short links: they part while the crank turns away
    mechanism = Mechanism.from_dict({**four_bar, "joints": joints, "drives": {"A": "pi + t"}})
    found = symgen.assemblies(mechanism, library=numpy_library)
    assert len(found) == 0
    assert found.ended == (0, 1)
    with pytest.raises(SolveError, match="no assembly at t = 0 s"):
        list(symgen.follow_assemblies(mechanism, np.array([0.0, 1.0]), library=numpy_library))


def test_too_many_are_refused_with_the_group_and_a_way_out(numpy_library: Library) -> None:
    mechanism = symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml")
    with pytest.raises(InputError, match=r"group 4 .*8 assemblies up to here and 7 are allowed; allow more \(--most N"):
        symgen.assemblies(mechanism, library=numpy_library, most=7)


def _run(*words: str) -> int:
    try:
        return main(["solve", *words, "--backend", "numpy"])
    except SystemExit as stop:
        return int(stop.code or 0)


def test_the_verb_lists_them_as_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = str(EXAMPLES / "spatial_four_bar" / "mechanism.toml")
    assert _run(mechanism, "--assemblies") == 0
    assert "2 assemblies at t = 0 s" in capsys.readouterr().out
    assert _run(mechanism, "--assemblies", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "symgen/assemblies/1"
    assert [each["branches"] for each in document["assemblies"]] == [[0, 0], [0, 1]]
    assert set(document["assemblies"][0]["bodies"]["2"]) == {"r", "q"}


def test_the_verb_follows_every_one_into_a_file_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = str(EXAMPLES / "spatial_four_bar" / "mechanism.toml")
    words = (mechanism, "--to", "1", "--steps", "4")
    assert _run(*words, "--all-branches", "--output", str(tmp_path / "four.csv")) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["four-1.csv", "four-2.csv"]
    for number in (1, 2):
        capsys.readouterr()
        _run(*words, "--branch", f"2={number - 1}", "--output", "-")
        assert (tmp_path / f"four-{number}.csv").read_text() == capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--assemblies", "--branch", "7=1"), "there is no group 7"),
        (("--assemblies", "--output", "a.csv"), "only lists"),
        (("--to", "1", "--most", "3"), "--most N limits"),
        (("--to", "1", "--all-branches", "--output", "-"), "a file for each assembly"),
        (("--assemblies", "--most", "1"), "allow more"),
        ((), "Missing option '--to'"),
    ],
)
def test_what_does_not_go_together_is_refused(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(str(EXAMPLES / "spatial_four_bar" / "mechanism.toml"), *words) == 2
    assert says in " ".join(capsys.readouterr().err.split())
