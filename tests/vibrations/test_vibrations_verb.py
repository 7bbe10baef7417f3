"""``symgen vibrations``: what it prints, writes and refuses; small systems with known frequencies."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, MechanismError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
CHAIN = EXAMPLES / "spring_chain" / "mechanism.toml"


def mechanism(**tree: Any) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict({"schema": "symgen/mechanism/1", "space": "planar", **tree})


def pendulum(sign: float = -1.0, **more: Any) -> dict[str, Any]:
    return {
        "schema": "symgen/mechanism/1", "space": "planar", "name": "pendulum", "gravity": [0.0, -9.81],
        "bodies": {"rod": {"mass": 2.0, "com": [0.0, 0.4 * sign], "inertia": [0, 0, 0.05, 0, 0, 0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0.0, 0.0]}}, **more,
    }  # fmt: skip


def test_pendulum_swings_under_its_weight() -> None:
    found = symgen.vibrations(symgen.Mechanism.from_dict(pendulum()))
    assert (len(found.modes), found.zero, found.growth) == (1, 0, ())
    square = 2.0 * 9.81 * 0.4 / (0.05 + 2.0 * 0.16)
    assert found.modes[0].omega == pytest.approx(math.sqrt(square), rel=1e-12)
    # modal mass 1: half of the rate squared times the inertia about the pin
    assert found.modes[0].joints["A"]["angle"] ** 2 * (0.05 + 2.0 * 0.16) == pytest.approx(1.0, rel=1e-12)


def test_a_pendulum_upside_down_grows_and_the_verb_says_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "up.json"
    file.write_text(json.dumps(pendulum(1.0)))
    assert main(["vibrations", str(file), "--json"]) == 1
    out = capsys.readouterr()
    found = json.loads(out.out)
    assert found["modes"] == []
    assert found["stable"] is False
    assert found["growth"] == pytest.approx([math.sqrt(2.0 * 9.81 * 0.4 / 0.37)], rel=1e-12)
    assert "not stable" in out.err


def test_chain_of_springs_has_the_frequencies_of_its_closed_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vibrations", str(CHAIN), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    n = 8
    expected = 2.0 * math.sqrt(800.0 / 2.0) * np.sin((2 * np.arange(1, n + 1) - 1) * math.pi / (4 * n + 2)) / math.tau
    assert [mode["frequency"] for mode in found["modes"]] == pytest.approx(list(expected), rel=1e-12)
    # the first mode is a quarter of a sine over 2n + 1 half steps
    first = [found["modes"][0]["bodies"][str(k)]["r"][0] for k in range(1, n + 1)]
    shape = np.sin(np.arange(1, n + 1) * math.pi / (2 * n + 1))
    assert np.array(first) / first[-1] == pytest.approx(shape / shape[-1], rel=1e-9)


def test_to_gives_every_mode_below_and_modes_at_most_so_many() -> None:
    chain = symgen.load(CHAIN)
    assert len(symgen.vibrations(chain, to=4.0).modes) == 4
    assert len(symgen.vibrations(chain, to=4.0, modes=2).modes) == 2
    assert len(symgen.vibrations(chain, modes=50).modes) == 8


def test_pictures_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    cantilever = str(EXAMPLES / "cantilever" / "mechanism.toml")
    texts = []
    for name in ("a", "b"):
        plot, moving = tmp_path / f"{name}.svg", tmp_path / f"{name}_moving.svg"
        assert main(["vibrations", cantilever, "--modes", "3", "--plot", str(plot), "--animate", str(moving)]) == 0
        texts.append((plot.read_text(), moving.read_text()))
    assert texts[0] == texts[1]
    assert "<animate" not in texts[0][0]
    assert texts[0][1].count("<animate") == 6


def test_driven_freedoms_are_held_and_dampers_left_out_with_a_word() -> None:
    tree = pendulum()
    tree["joints"]["A"]["driven"] = 1
    tree["drives"] = {"A": "0.0"}
    found = symgen.vibrations(symgen.Mechanism.from_dict(tree))
    assert (len(found.modes), found.zero) == (0, 0)
    assert any("driven" in note for note in found.notes)
    damped = pendulum(forces={"d": {"kind": "joint", "joint": "A", "damping": 1.0}})
    assert any("dampers" in note for note in symgen.vibrations(symgen.Mechanism.from_dict(damped)).notes)


def refused(tree: dict[str, Any]) -> str:
    with pytest.raises(MechanismError) as caught:
        symgen.vibrations(symgen.Mechanism.from_dict(tree))
    return str(caught.value)


def test_a_mechanism_that_is_not_at_rest_is_refused_with_hinge_and_torque() -> None:
    tree = pendulum(initial={"joints": {"A": {"angle": 0.5}}})
    words = refused(tree)
    assert "joints.A.angle" in words
    assert f"{2.0 * 9.81 * 0.4 * math.sin(0.5):.3g} N m" in words


def test_lacking_masses_idle_freedoms_and_following_forces_are_named() -> None:
    tree = pendulum()
    del tree["bodies"]["rod"]["inertia"]
    assert "bodies.rod" in refused(tree)
    tree = pendulum(gravity=[0, 0])
    tree["bodies"]["rod"] |= {"mass": 0.0, "inertia": [0] * 6}
    assert "joints.A.angle" in refused(tree)
    follower = {"f": {"kind": "force", "body": "rod", "value": [0.0, 3.0], "axes": "body"}}
    assert "forces.f" in refused(pendulum(forces=follower))


def test_counts_and_frequencies_that_are_none_are_refused() -> None:
    chain = symgen.load(CHAIN)
    for bad in ({"modes": 0}, {"modes": "8"}, {"modes": 2.5}, {"to": 0.0}, {"to": math.inf}, {"to": "4"}):
        with pytest.raises(InputError):
            symgen.vibrations(chain, **bad)


@pytest.mark.parametrize("method", ["riccati", "determinant"])
def test_more_modes_of_a_beam_than_can_be_found_are_refused_with_their_number(method: str) -> None:
    """High modes of a cantilever have n half waves: f = n^2 pi/2 sqrt(EI/mu)/L^2."""
    made = mechanism(
        bodies={"b": {"beam": {"length": 2.0, "mass_per_length": 3.0, "bending": 50.0}}},
        joints={"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]}},
    )
    with pytest.raises(InputError) as caught:
        symgen.vibrations(made, to=1e12, method=method)
    number = math.sqrt(1e12 / (0.5 * math.pi * math.sqrt(50.0 / 3.0) / 4.0))
    assert f"about {number:.2g} modes" in str(caught.value)
    assert len(symgen.vibrations(made, to=1e12, modes=2, method=method).modes) == 2
    with pytest.raises(InputError, match="5000"):
        symgen.vibrations(made, modes=5000, method=method)


def test_stiff_and_soft_springs_in_one_chain_keep_their_digits() -> None:
    """Frequencies of 1 and of 1e5 rad/s: the soft one is found to what rounding of the stiff one leaves."""
    made = mechanism(
        bodies={"a": {"mass": 1.0, "inertia": [0] * 6}, "b": {"mass": 1.0, "inertia": [0] * 6}},
        joints={"A": {"type": "P", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0]},
                "B": {"type": "P", "bodies": ["a", "b"], "at": [0, 0], "axis": [1, 0]}},
        forces={"s": {"kind": "joint", "joint": "A", "stiffness": 2.0},
                "t": {"kind": "joint", "joint": "B", "stiffness": 0.5e10}},
    )  # fmt: skip
    low, high = np.linalg.eigvalsh([[2.0 + 0.5e10, -0.5e10], [-0.5e10, 0.5e10]])
    del low  # 1e-16 of the high one, of no use here
    omega = [mode.omega for mode in symgen.vibrations(made).modes]
    assert omega == pytest.approx([1.0, math.sqrt(high)], rel=1e-5)


def test_settling_finds_where_weight_and_springs_balance() -> None:
    """A pendulum with a spring at its pin, from 1 rad aside: k angle + m g l sin(angle) = k rest."""
    spring = {"s": {"kind": "joint", "joint": "A", "stiffness": 3.0, "rest": 1.4}}
    tree = pendulum(forces=spring, initial={"joints": {"A": {"angle": 1.0}}})
    found = symgen.vibrations(symgen.Mechanism.from_dict(tree), settle=True)
    weight, low, high = 2.0 * 9.81 * 0.4, 0.0, 1.4
    for _ in range(60):
        angle = 0.5 * (low + high)
        low, high = (low, angle) if 3.0 * (angle - 1.4) + weight * math.sin(angle) > 0.0 else (angle, high)
    assert found.modes[0].omega == pytest.approx(math.sqrt((3.0 + weight * math.cos(angle)) / 0.37), rel=1e-9)


def test_a_hanging_chain_settles_by_its_springs_and_stretches() -> None:
    made = mechanism(
        gravity=[0, -10.0],
        bodies={"a": {"mass": 1.0, "inertia": [0] * 6}, "b": {"mass": 2.0, "inertia": [0] * 6, "pose": {"r": [0, -1]}}},
        joints={"A": {"type": "P", "bodies": ["ground", "a"], "at": [0, 0], "axis": [0, 1]},
                "B": {"type": "P", "bodies": ["a", "b"], "at": [0, -1], "axis": [0, 1]}},
        forces={"s": {"kind": "joint", "joint": "A", "stiffness": 100.0},
                "t": {"kind": "joint", "joint": "B", "stiffness": 50.0}},
    )  # fmt: skip
    with pytest.raises(MechanismError, match="--settle"):
        symgen.vibrations(made)
    found = symgen.vibrations(made, settle=True)
    assert found.poses[:, 1] == pytest.approx([-0.3, -1.7], abs=1e-9)
    squares = np.linalg.eigvals(np.diag([1.0, 0.5]) @ np.array([[150.0, -50.0], [-50.0, 50.0]]))
    assert (found.frequencies * math.tau) ** 2 == pytest.approx(np.sort(squares), rel=1e-12)


def test_springs_at_rest_to_the_decimals_of_a_file_are_at_rest() -> None:
    tree = pendulum(gravity=[0, 0], initial={"joints": {"A": {"angle": 0.3}}})
    tree["forces"] = {"s": {"kind": "joint", "joint": "A", "stiffness": 7.0, "rest": 0.3 + 1e-13}}
    found = symgen.vibrations(symgen.Mechanism.from_dict(tree))
    assert found.modes[0].omega == pytest.approx(math.sqrt(7.0 / 0.37), rel=1e-12)
    assert repr(found).startswith("Vibrations('pendulum': 1 modes, ")


def test_a_body_that_is_a_point_is_drawn_as_a_dot(tmp_path: Path) -> None:
    """The last mass of the chain has its centre and its only joint at one place: a line of no length shows nothing."""
    target = tmp_path / "modes.svg"
    assert main(["vibrations", str(CHAIN), "--modes", "1", "--plot", str(target)]) == 0
    lines = re.findall(r'<path class="line"[^>]* d="M([^"]*)"', target.read_text(encoding="utf-8"))
    assert len(lines) >= 8
    for line in lines:
        x = [float(each) for each in re.findall(r"-?[\d.]+", line)][::2]
        assert max(x) - min(x) > 2.0
