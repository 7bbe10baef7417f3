"""The shipped examples: structure as in the paper, every time solved, motion checked by other means, scripts run."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.demo import example_names
from symgen.cli.main import main
from symgen.library.open import Library
from symgen.solve.result import MotionResult

TIMES = np.linspace(0.0, 1.0, 101)


@pytest.fixture(scope="module")
def examples(repository: Path) -> Path:
    return repository / "examples"


@pytest.fixture(scope="module")
def numpy_library() -> Library:
    return symgen.library(backend="numpy")


def solve(examples: Path, name: str, library: Library, times: Any = TIMES) -> MotionResult:
    return symgen.solve(symgen.load(examples / name / "mechanism.toml"), times, library=library)


def signatures(file: Path) -> list[str]:
    return [group.signature for group in symgen.analyse(symgen.load(file)).groups]


#: Groups without a closed form, which NumPy takes long to search.
SEARCHED = {"micro_manipulator", "stewart_forward"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SEARCHED else []) for name in example_names()]
)
def test_every_example_is_solved_at_every_time_and_described(examples: Path, numpy_library: Library, name: str) -> None:
    result = solve(examples, name, numpy_library)
    assert result.ok, result.first_failure()
    text = (examples / name / "README.md").read_text(encoding="utf-8")
    assert f"symgen solve examples/{name}/mechanism.toml" in text


def test_the_examples_are_those_that_are_documented() -> None:
    assert example_names() == (
        "double_coupler", "isosceles_slider_crank", "jansen_leg", "micro_manipulator", "nine_bar", "quick_return",
        "rotor", "rotor_original", "screw_rod", "spatial_four_bar", "stewart_forward", "stewart_inverse",
    )  # fmt: skip


def test_groups_are_those_of_the_paper(examples: Path, numpy_library: Library) -> None:
    assert signatures(examples / "jansen_leg" / "mechanism.toml") == ["R* 2D", "R.R.R 2D", "R.R.R 2D", "R.R.R 2D"]
    assert signatures(examples / "spatial_four_bar" / "mechanism.toml") == ["R* 3D", "P.C.S 3D"]
    assert signatures(examples / "stewart_inverse" / "mechanism.toml") == ["F****** 3D", *["U.P.S 3D"] * 6]
    nine = ["P* 3D", "P* 3D", "R* 3D", "R.S.U 3D", "P.U.S 3D", "R.S.U 3D", "R.S.U 3D", "R.U.S 3D", "P.U.S 3D"]
    assert signatures(examples / "rotor" / "mechanism.toml") == nine
    assert signatures(examples / "nine_bar" / "mechanism.toml") == ["R* 2D"] * 4 + ["R.R.R 2D"] * 2
    seven = ["P.R*.S.U 3D", "R* 3D", "P.U.S 3D", "R.U*.S.R 3D", "P.U.S 3D", "R.U.S 3D", "P.U.S 3D"]
    assert signatures(examples / "rotor_original" / "mechanism.toml") == seven
    for name in ("nine_bar", "rotor_original"):
        found = signatures(examples / name / "mechanism.toml")
        assert all(signature in numpy_library for signature in found)
    original = symgen.analyse(symgen.load(examples / "rotor" / "original_inputs.toml"))
    assert original.status == "determined"
    assert [group.type for group in original.groups][:2] == ["1R1P1U1S3D", "1R3D"]


def test_the_nine_bars_links_keep_their_lengths(examples: Path, numpy_library: Library) -> None:
    """Pins drawn at known places: each link's two pins, carried by its neighbours alone, stay as far apart as drawn."""
    result = solve(examples, "nine_bar", numpy_library)
    tree = result.mechanism.source["joints"]

    def carried(body: str, pin: str) -> Any:
        at = np.array([*tree[pin]["at"], 0.0])
        if body == "1":
            return np.tile(at, (len(TIMES), 1))
        track = result.bodies[body]
        return track.r + _rotated(track.q, np.tile(at, (len(TIMES), 1)))

    for first, pin, other, second in (("5", "I", "J", "1"), ("5", "E", "F", "8"), ("7", "F", "G", "9")):
        drawn = np.linalg.norm(np.array(tree[pin]["at"]) - np.array(tree[other]["at"]))
        apart = np.linalg.norm(carried(first, pin) - carried(second, other), axis=-1)
        np.testing.assert_allclose(apart, drawn, atol=1e-13)


def test_the_ram_of_the_quick_return_moves_as_its_slots_say(examples: Path, numpy_library: Library) -> None:
    """The lever points at the crank's pin, the ram is where its pin is across: by trigonometry alone."""
    crank, apart, lever = 0.10, 0.25, 0.50
    assert signatures(examples / "quick_return" / "mechanism.toml") == ["R* 2D", "R.L 2D", "P.L 2D"]
    result = solve(examples, "quick_return", numpy_library)
    turn = 2 * math.pi * TIMES
    swing = np.arctan2(crank * np.sin(turn), apart + crank * np.cos(turn))
    np.testing.assert_allclose(result.bodies["ram"].r[:, 0], -lever * np.sin(swing), atol=1e-14)
    rate = (
        2 * math.pi * crank * (crank + apart * np.cos(turn)) / (apart**2 + crank**2 + 2 * apart * crank * np.cos(turn))
    )
    np.testing.assert_allclose(result.bodies["lever"].omega[:, 2], rate, atol=1e-12)


def test_the_foot_of_jansens_leg_moves_as_circles_cut_it(examples: Path, numpy_library: Library) -> None:
    """Theo Jansen's lengths in his letters [cm], `down` for l; every pin as the cut of two circles, chosen by side."""
    a, b, c, d, e, f, g, h, i, j, k, m, down = (
        38.0, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49.0, 50.0, 61.9, 15.0, 7.8,
    )  # fmt: skip

    def cut(p: complex, r: float, q: complex, s: float, side: int) -> complex:
        """Return the point at r from p and s from q, to the left (+1) or right of p -> q."""
        gap = abs(q - p)
        angle = math.acos((r * r + gap * gap - s * s) / (2 * r * gap))
        return p + r * (q - p) / gap * complex(math.cos(angle), side * math.sin(angle))

    toe = []
    for t in TIMES:
        pin = m * complex(math.cos(2 * math.pi * t), math.sin(2 * math.pi * t))
        fixed = complex(-a, -down)
        top = cut(pin, j, fixed, b, -1)
        hip = cut(pin, k, fixed, c, +1)
        corner = cut(fixed, d, top, e, +1)
        knee = cut(corner, f, hip, g, -1)
        toe.append(cut(hip, i, knee, h, +1) / 100)
    result = solve(examples, "jansen_leg", numpy_library)
    found = result.points["foot.toe"].r
    expected = np.array([[p.real, p.imag, 0.0] for p in toe])
    # four triangles in a row, none flatter than about 20 degrees: some hundred roundings of numbers of order one
    np.testing.assert_allclose(found, expected, atol=1e-13)
    assert np.ptp(expected[:, 0]) > 0.4  # it does step


def test_leg_lengths_of_the_platform_are_distances(examples: Path, numpy_library: Library) -> None:
    """The platform's pose from its six laws by plain matrices; a leg is as long as its ends are apart."""
    result = solve(examples, "stewart_inverse", numpy_library)
    mechanism = result.mechanism
    turn = 2 * np.pi * TIMES
    place = np.stack([0.06 * np.sin(turn), 0.06 * (1 - np.cos(turn)), 0.6 + 0.04 * np.sin(2 * turn)], axis=-1)
    yaw, pitch, roll = 0.15 * np.sin(turn), 0.12 * np.sin(turn + np.pi / 3), 0.12 * np.cos(turn)
    rotation = np.array([_rz(u) @ _ry(v) @ _rx(w) for u, v, w in zip(yaw, pitch, roll, strict=True)])
    for leg in range(1, 7):
        tree = mechanism.source["joints"]
        foot = np.array(tree[f"ball_{leg}"]["at"], dtype=float)
        x, y, _ = tree[f"cardan_{leg}"]["at"]
        head = place + rotation @ np.array([x, y, 0.0])
        drawn = np.linalg.norm(np.array([x, y, 0.6]) - foot)
        length = drawn + result.joints[f"slider_{leg}"].coordinates["slide"]
        np.testing.assert_allclose(length, np.linalg.norm(head - foot, axis=-1), atol=1e-13)


def test_the_crank_of_the_four_bar_turns_fully_and_comes_back(examples: Path, numpy_library: Library) -> None:
    result = solve(examples, "spatial_four_bar", numpy_library)
    slide = result.joints["D"].coordinates["slide"]
    assert slide[-1] == pytest.approx(slide[0], abs=1e-13)
    assert np.ptp(slide) > 0.15
    # the ball stays at the sleeve's distance from the slider's pin, which is along y
    ball = result.points["3.ball"].r - result.points["4.middle"].r
    np.testing.assert_allclose(np.hypot(ball[:, 0], ball[:, 2]), np.hypot(0.2, 0.05), atol=1e-13)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["rotor", "rotor_original"])
def test_rods_of_the_rotor_keep_their_lengths(examples: Path, numpy_library: Library, name: str) -> None:
    """Each rod between two bodies: the distance of its ends, carried by those bodies alone."""
    result = solve(examples, name, numpy_library)
    for rod in (5, 6, 7, 10, 12, 14):
        ends, drawn = [], []
        for joint in (result.mechanism.joint(f"rod_{rod}_{end}") for end in ("foot", "top")):
            side = 1 - joint.bodies.index(str(rod))
            body, at = joint.bodies[side], np.array(joint.frames[side].at)
            drawn.append(at)
            track = result.bodies.get(body)
            ends.append(np.tile(at, (len(TIMES), 1)) if track is None else track.r + _rotated(track.q, at))
        length = np.linalg.norm(ends[1] - ends[0], axis=-1)
        np.testing.assert_allclose(length, np.linalg.norm(drawn[1] - drawn[0]), atol=1e-13)
    moved = {"rotor": ("blade", 0.1), "rotor_original": ("mast", 0.01)}[name]
    assert np.ptp(next(iter(result.joints[moved[0]].coordinates.values()))) > moved[1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("script", ["jansen_leg/foot_path.py", "stewart_inverse/leg_lengths.py"])
@pytest.mark.compiler
def test_scripts_run(examples: Path, script: str) -> None:
    command = [sys.executable, "-W", "error", str(examples / script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "m/s" in done.stdout


def test_the_group_instance_of_the_readme_is_solved(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(examples / "instances" / "dyad_rrr.json")
    assert main(["library", "solve", file, "--backend", "numpy", "--json"]) in (0, None)
    answer = json.loads(capsys.readouterr().out)
    assert [branch["status"] for branch in answer["branches"]] == ["OK", "OK"]


@pytest.mark.compiler
def test_the_demo_shows_every_stage_and_writes_its_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "jansen_leg", "--out", str(tmp_path / "demo")]) == 0
    text = capsys.readouterr().out
    for words in ("structure", "derived", "R.R.R dyad", "compiled", "solved", "every group OK", "Where to look next"):
        assert words in text
    folder = tmp_path / "demo" / "jansen_leg"
    for name in ("motion.html", "motion.svg", "joints.svg", "structure.svg", "motion.csv"):
        assert (folder / name).stat().st_size > 1000
    assert (folder / "solvers" / "dyad_rrr" / "dyad_rrr.c").is_file()


def test_an_unknown_example_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "rotr"]) == 2
    assert 'did you mean "rotor"' in capsys.readouterr().err


def _rotated(q: Any, v: Any) -> Any:
    w, u = q[:, :1], q[:, 1:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def _rx(a: float) -> Any:
    return np.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])


def _ry(a: float) -> Any:
    return np.array([[math.cos(a), 0, math.sin(a)], [0, 1, 0], [-math.sin(a), 0, math.cos(a)]])


def _rz(a: float) -> Any:
    return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])


@pytest.mark.compiler
def test_the_python_of_the_document_runs(repository: Path) -> None:
    text = (repository / "docs" / "solving.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].startswith("True")
