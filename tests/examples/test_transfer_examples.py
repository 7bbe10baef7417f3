"""The mechanisms for the transfer matrices: as the script writes them, as described, and their commands work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.oracle_multibody import Multibody
from transfer.write_examples import WRITTEN, text_of

import symgen
from symgen.cli.main import main

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "transfer"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/mechanism.toml"))


def readme(name: str) -> str:
    return (FOLDER / name / "README.md").read_text(encoding="utf-8")


def test_all_are_listed() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert NAMES == [
        "cantilever", "flexible_arm", "large250", "mixed24", "planar_mixed24", "robot_arm", "slider_crank",
        "spring_chain", "tree23",
    ]  # fmt: skip
    for name in NAMES:
        assert f"({name}/README.md)" in text


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_the_joints_of_the_files_are_closed_and_the_files_are_those_of_the_script(name: str) -> None:
    """The last digits may be those of another LAPACK: numbers are compared, the text around them exactly."""
    written = (FOLDER / name / "mechanism.toml").read_text(encoding="utf-8")
    number = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
    assert number.sub("#", written) == number.sub("#", text_of(name))
    found, made = ([float(x) for x in number.findall(text)] for text in (written, text_of(name)))
    np.testing.assert_allclose(found, made, rtol=0, atol=1e-12)
    bodies = Multibody(symgen.load(FOLDER / name / "mechanism.toml"))
    # places of a chain of 119 m are rounded to 1e-14
    assert np.abs(bodies.constraints(bodies.state())[0]).max() < (1e-15 if name != "large250" else 2e-14)


@pytest.mark.parametrize(("name", "bodies", "joints", "freedoms"), [
    ("tree23", 12, 12, 36), ("mixed24", 12, 13, 33), ("planar_mixed24", 12, 13, 10), ("large250", 250, 251, 747),
    ("robot_arm", 6, 6, 6), ("slider_crank", 3, 4, 1),
])  # fmt: skip
def test_they_have_the_bodies_joints_and_freedoms_of_the_source(
    name: str, bodies: int, joints: int, freedoms: int
) -> None:
    mechanism = symgen.load(FOLDER / name / "mechanism.toml")
    assert (len(mechanism.bodies), len(mechanism.joints)) == (bodies, joints)
    width = 6 if mechanism.space == "spatial" else 3
    held = sum(width - joint.grade for joint in mechanism.joints)
    assert width * bodies - held == freedoms


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_commands_of_the_readme_answer(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    """All but the simulations, which are compared with references elsewhere; their options are read at least."""
    monkeypatch.chdir(FOLDER.parents[1])
    lines = re.findall(r"^symgen (.*)$", readme(name), re.M)
    assert {shlex.split(line)[0] for line in lines} & {"accelerations", "vibrations"}
    for line in lines:
        words = [word if not word.endswith(".svg") else str(tmp_path / word) for word in shlex.split(line)]
        if words[0] == "simulate":
            assert words[words.index("--method") + 1] == "riccati"
            continue
        refused = name == "large250" and "transfer" in words
        assert (main(words) or 0) == (1 if refused else 0), line
    capsys.readouterr()


def test_the_flexible_arm_moves_as_its_readme_says() -> None:
    mechanism = symgen.load(FOLDER / "flexible_arm" / "mechanism.toml")
    result = symgen.simulate(mechanism, method="riccati", tolerance=1e-9, until=1.0, sample=0.1)
    x, y, _ = result.point("gripper.P")[-1]
    assert f"({x:.5f}, {y:.5f}) m" in readme("flexible_arm")
    assert result.drift < 1e-12


def test_numbers_of_the_readmes_are_those_of_the_oracle() -> None:
    shown: dict[str, Any] = {
        "tree23": lambda answer: [answer.a["1"], answer.alpha["1"], answer.force["root"]],
        "mixed24": lambda answer: [answer.force["h24"]],
        "planar_mixed24": lambda answer: [answer.a["1"][:2], answer.alpha["1"][2:]],
    }
    for name, choose in shown.items():
        answer = Multibody(symgen.load(FOLDER / name / "mechanism.toml")).solve()
        printed = [float(x) for x in re.findall(r"-?\d+\.\d+", readme(name))]
        for value in np.concatenate(choose(answer)):
            assert any(abs(value - number) < 6e-6 for number in printed), (name, value)


def test_the_crank_starts_as_its_readme_says() -> None:
    found = symgen.accelerations(symgen.load(FOLDER / "slider_crank" / "mechanism.toml"))
    assert "-8.0689 rad/s^2" in readme("slider_crank")
    assert found.bodies["crank"].alpha[2] == pytest.approx(-8.0689, abs=5e-5)
