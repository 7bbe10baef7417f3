"""Pages of spatial motions: complete in themselves, their data read back exactly, no name runs as code."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symgen
from symgen.draw.animate import animate
from symgen.draw.motion_html import playback
from symgen.draw.motion_webgl import three_as_object
from symgen.draw.scene import make_scene
from symgen.draw.solids import equal_block
from symgen.model.mechanism import Mechanism

NASTY = "<b>&\"'</script><!-- @@THREE@@"
VENDOR = Path(symgen.__file__).parent / "draw" / "vendor" / "three"


def ball(**body):
    return {
        "schema": "symgen/mechanism/1",
        "name": NASTY,
        "space": "spatial",
        "gravity": [0.0, -9.81, 0.0],
        "bodies": {"arm": {"points": {"tip": [0.4, 0.0, 0.1]}, **body}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "arm"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "drives": {"A": "pi*t"},
    }


@pytest.fixture(scope="module")
def page():
    motion = symgen.solve(
        Mechanism.from_dict(ball()), np.linspace(0.0, 2.0, 41), library=symgen.library(backend="numpy")
    )
    return motion, animate(motion, ".html")


def data_of(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_vendored_file_is_the_one_its_notice_names():
    notice = (VENDOR / "NOTICE").read_text(encoding="utf-8")
    for name in ("three.module.min.js", "LICENSE"):
        digest = hashlib.sha256((VENDOR / name).read_bytes()).hexdigest()
        assert f"sha256 {digest}  {name}" in notice
    assert "The MIT License" in (VENDOR / "LICENSE").read_text(encoding="utf-8")


def test_the_page_holds_everything_and_may_fetch_nothing(page):
    _, text = page
    assert "default-src 'none'" in text
    own = re.sub(r"/\* three\.js begins \*/.*/\* three\.js ends \*/", "", text, flags=re.DOTALL)
    assert re.findall(r"(?:href|src)\s*=|https?://|@import|url\(|\bfetch\(|import\s*[({\"']", own) == []
    assert "SPDX-License-Identifier: MIT" in text
    assert "@@DATA@@" not in text
    assert "@@SCRIPT@@" not in text
    assert len(text) < 800_000


def test_names_are_text_in_the_page(page):
    _, text = page
    assert "<b>" not in text
    assert text.count("</script") == 2
    assert data_of(text)["title"] == NASTY


def test_poses_come_back_with_the_digits_of_a_float(page):
    motion, text = page
    data = data_of(text)
    (body,) = data["bodies"]
    poses = np.frombuffer(base64.b64decode(body["poses"]), dtype="<f4").reshape(-1, 7)
    track = motion.bodies["arm"]
    np.testing.assert_allclose(poses, np.concatenate([track.r, track.q], axis=-1), atol=1e-7)
    assert data["times"] == pytest.approx(motion.times)
    (trace,) = data["traces"]
    path = np.frombuffer(base64.b64decode(trace["path"]), dtype="<f4").reshape(-1, 3)
    np.testing.assert_allclose(path, motion.points["arm.tip"].r, atol=1e-7)
    assert data["up"] == [0.0, 1.0, 0.0]
    assert body["links"] == [[[0.4, 0.0, 0.1], [0.0, 0.0, 0.0]]]


def test_long_motions_are_thinned_and_the_same_bytes_every_time():
    motion = symgen.solve(
        Mechanism.from_dict(ball()), np.linspace(0.0, 2.0, 5001), library=symgen.library(backend="numpy")
    )
    text = animate(motion, ".html")
    assert len(data_of(text)["times"]) == 600
    assert text == animate(motion, ".html")


def test_every_export_of_the_module_is_in_the_object():
    text = (VENDOR / "three.module.min.js").read_text(encoding="utf-8")
    names = re.findall(r"[\w$]+ as ([\w$]+)", text[text.rindex("export{") :])
    members = re.findall(r"([\w$]+):[\w$]+[,}]", three_as_object()[-20_000:])
    assert set(names) <= set(members)
    assert {"WebGLRenderer", "CapsuleGeometry", "Scene"} <= set(names)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to read the script")
def test_the_script_of_the_page_is_a_valid_module(page, tmp_path):
    _, text = page
    script = text.split('<script type="module">')[1].split("</script>")[0]
    (tmp_path / "page.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "--check", "page.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


_PLAY = """
const times = @TIMES@, speed = @SPEED@;
let t = times[0], clock = 0, rounds = 0, wrong = 0;
for (let k = 0; k < 4000 && !rounds; ++k) {
  const [row, part] = rowBefore(times, t);
  const shown = times[row] + part * (times[Math.min(row + 1, times.length - 1)] - times[row]);
  wrong = Math.max(wrong, Math.abs(shown - times[0] - speed * clock / 1000));
  clock += 16; t = playedOn(times, t, speed, 16); rounds += t === times[0];
}
const words = SPEEDS.map(wordsOfSpeed), first = firstSpeed(times[times.length - 1] - times[0]);
console.log(JSON.stringify({ wrong, words, first, speeds: SPEEDS }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to run the script")
@pytest.mark.parametrize("times", [[0.0, 0.4, 1.0], [2.0, 2.01, 2.5, 3.9], [0.0, 30.0], [0.0, 1e-3]])
@pytest.mark.parametrize("speed", [0.01, 1.0, 100.0])
def test_a_second_on_the_screen_is_a_second_times_the_speed(times, speed, tmp_path):
    # Short motions, and rows that are spread unevenly: after some milliseconds is shown where the motion is then.
    script = playback() + _PLAY.replace("@TIMES@", json.dumps(times)).replace("@SPEED@", str(speed))
    (tmp_path / "play.js").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "play.js"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    said = json.loads(done.stdout)
    assert said["wrong"] < 1e-9 * times[-1]  # sums of steps of 16 ms, rounded
    assert (min(said["speeds"]), max(said["speeds"])) == (0.01, 100)
    assert dict(zip(said["speeds"], said["words"], strict=True))[1] == "true speed"
    assert said["first"] in said["speeds"]


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_every_viewer_plays_by_the_same_clock_and_offers_the_same_speeds(page, space):
    text = page[1]
    if space == "planar":
        tree = ball()
        joint = {"type": "R", "bodies": ["ground", "arm"], "driven": 1, "at": [0, 0]}
        tree |= {"space": "planar", "gravity": [0.0, -9.81], "joints": {"A": joint}}
        tree["bodies"] = {"arm": {"points": {"tip": [0.4, 0.0]}}}
        motion = symgen.solve(
            Mechanism.from_dict(tree), np.linspace(0.0, 1.0, 11), library=symgen.library(backend="numpy")
        )
        text = animate(motion, ".html")
    assert text.count(playback()) == 1
    own = text.replace(playback(), "")
    assert 'offerSpeeds(element("speed"), times[last] - times[0])' in own
    assert own.count("playedOn(times, ") == 1
    assert "<option" not in own
    assert "@@PLAYBACK@@" not in text


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js to read the script")
def test_the_script_of_the_planar_page_is_valid(tmp_path):
    text = (VENDOR.parents[1] / "viewer.html").read_text(encoding="utf-8").replace("@@PLAYBACK@@", playback())
    (tmp_path / "page.js").write_text(text.split("<script>")[1].split("</script>")[0], encoding="utf-8")
    done = subprocess.run(["node", "--check", "page.js"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_block_of_a_body_has_its_mass_and_inertia():
    """A block of sides 1, 2, 3 turned by 30 degrees about z: the sides come back, and the inertia of its middle."""
    sides, mass, c, s = np.array([1.0, 2.0, 3.0]), 5.0, np.cos(np.pi / 6), 0.5
    moments = mass / 12 * (np.sum(sides**2) - sides**2)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    full = turn @ np.diag(moments) @ turn.T
    inertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]
    body = Mechanism.from_dict(ball(mass=mass, com=[0.1, 0.2, 0.3], inertia=inertia)).body("arm")
    block = equal_block(body)
    assert block is not None
    assert sorted(block.sides) == pytest.approx(sides)
    w, v = block.q[0], block.q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    axes = np.eye(3) + 2 * w * skew + 2 * skew @ skew
    again = axes @ np.diag(mass / 12 * (np.sum(block.sides**2) - block.sides**2)) @ axes.T
    np.testing.assert_allclose(again, full, atol=1e-12)
    assert block.at == pytest.approx([0.1, 0.2, 0.3])
    assert equal_block(Mechanism.from_dict(ball()).body("arm")) is None


def test_a_body_with_one_joint_reaches_to_its_centre_of_mass():
    tree = ball(mass=1.0, com=[0.0, 0.3, 0.0], inertia=[1, 1, 1, 0, 0, 0])
    tree["bodies"]["arm"].pop("points")
    motion = symgen.solve(Mechanism.from_dict(tree), [0.0, 1.0], library=symgen.library(backend="numpy"))
    (shape,) = make_scene(motion).shapes
    assert shape.marks.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.3, 0.0]]


def test_a_body_without_joint_or_point_is_still_in_the_picture():
    tree = {
        "schema": "symgen/mechanism/1", "name": "free", "space": "spatial",
        "bodies": {"stone": {"mass": 1.0, "inertia": [1, 2, 2.5, 0, 0, 0]}},
        "joints": {"J": {"type": "F", "bodies": ["ground", "stone"], "driven": 6}},
        "drives": {f"J.{name}": "t" if name == "x" else "0" for name in ("x", "y", "z", "yaw", "pitch", "roll")},
    }  # fmt: skip
    tree["joints"]["J"]["at"] = [0, 0, 0]
    motion = symgen.solve(Mechanism.from_dict(tree), np.linspace(0, 1, 5), library=symgen.library(backend="numpy"))
    data = data_of(animate(motion, ".html"))
    assert data["low"][0] < 0.0
    assert data["high"][0] > 1.0
    assert data["bodies"][0]["box"]["sides"]
