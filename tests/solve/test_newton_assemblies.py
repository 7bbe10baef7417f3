"""Assemblies of mechanisms whose groups are searched for: each closes and is followed, and the list says what it is."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray

import symgen
from symgen.cli.main import main
from symgen.draw.assemblies_svg import assemblies_svg
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.solve.assemblies import Assemblies, Assembly

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCREW = EXAMPLES / "screw_rod" / "mechanism.toml"
STEWART = EXAMPLES / "stewart_forward" / "mechanism.toml"

pytestmark = pytest.mark.extension


def _rotation(q: NDArray[np.float64]) -> NDArray[np.float64]:
    w, x, y, z = q
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def _gap(mechanism: Mechanism, each: Assembly, joint_id: str) -> float:
    """Return how far apart the two centres of a joint are [m]."""
    joint = mechanism.joint(joint_id)
    assert joint.frames is not None
    rest = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    poses = [each.bodies.get(body, rest) for body in joint.bodies]
    one, two = (p[:3] + _rotation(p[3:]) @ np.array(f.at) for p, f in zip(poses, joint.frames, strict=True))
    return float(np.linalg.norm(two - one))


@pytest.fixture(scope="module")
def platform() -> Assemblies:
    return symgen.assemblies(symgen.load(STEWART))


@pytest.fixture(scope="module")
def screw() -> Assemblies:
    return symgen.assemblies(symgen.load(SCREW), 0.1)


@pytest.mark.slow
def test_every_assembly_of_the_platform_closes_and_is_there_once(platform: Assemblies) -> None:
    assert len(platform) >= 64  # two attitudes of each leg for each place of the platform
    assert not platform.complete
    for each in platform.every[::16]:
        for leg in range(1, 7):  # of S and U both centres coincide
            assert _gap(platform.mechanism, each, f"ball_{leg}") < 1e-10
            assert _gap(platform.mechanism, each, f"cardan_{leg}") < 1e-10
    turns = np.array([np.concatenate([_rotation(p[3:]).ravel() for p in e.bodies.values()]) for e in platform])
    apart = np.abs(turns[:, None, :] - turns[None]).max(axis=-1) + np.eye(len(turns))
    assert apart.min() > 1e-6


@pytest.mark.slow
def test_the_document_says_that_the_list_comes_from_a_search(platform: Assemblies) -> None:
    document = platform.to_dict()
    assert document["complete"] is False
    assert [group["complete"] for group in document["groups"]] == [False]
    assert symgen.assemblies(symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml")).to_dict()["complete"] is True


def test_each_assembly_is_followed_from_its_own_poses(screw: Assemblies) -> None:
    times = np.linspace(0.1, 0.2, 5)
    assert len(screw) > 1
    first = []
    for each, motion in symgen.follow_assemblies(screw.mechanism, times):
        assert motion.ok, motion.first_failure()
        nut = motion.bodies["nut"].pose[0]
        sign = np.sign(nut[3:] @ each.bodies["nut"][3:])
        # one Newton step of a condition below 1e4 lies between
        np.testing.assert_allclose([*nut[:3], *(sign * nut[3:])], each.bodies["nut"], atol=1e-11)
        first.append(np.concatenate([_rotation(track.q[-1]).ravel() for track in motion.bodies.values()]))
    apart = np.abs(np.array(first)[:, None] - np.array(first)[None]).max(axis=-1) + np.eye(len(first))
    assert apart.min() > 1e-3, "as many motions as assemblies"


@pytest.mark.slow
def test_closed_forms_and_searched_groups_multiply() -> None:
    mechanism = symgen.load(EXAMPLES / "micro_manipulator" / "mechanism.toml")
    every = symgen.assemblies(mechanism, branch={2: 0, 3: 0, 5: 0, 6: 0, 7: 0})
    assert len(every) > 0
    assert every.searched == (True, False, False, True, False, False, False)
    for each in every:
        assert max(_gap(mechanism, each, j.id) for j in mechanism.joints if j.type in ("R", "S", "U", "ER")) < 1e-9


def test_what_does_not_belong_together_is_refused(screw: Assemblies) -> None:
    with pytest.raises(InputError, match=r"assembly belongs to t = 0\.1 s, but the first time is 0 s"):
        symgen.solve(screw.mechanism, [0.0], assembly=screw[0])
    with pytest.raises(InputError, match="not both"):
        symgen.solve(screw.mechanism, [0.1], assembly=screw[0], branch={1: 0})
    with pytest.raises(InputError, match="belongs to another mechanism"):
        symgen.solve(symgen.load(STEWART), [0.1], assembly=screw[0])
    with pytest.raises(InputError, match="found and numbered anew"):
        symgen.assemblies(screw.mechanism, branch={2: 0})


def test_the_verb_follows_one_and_draws_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> int:
        try:
            return main(["solve", str(SCREW), *words])
        except SystemExit as stop:
            return int(stop.code or 0)

    assert run("--assemblies", "--draw", str(tmp_path / "all.svg")) == 0
    shown = capsys.readouterr().out
    assert "complete: false" in shown
    cells = [e for e in ElementTree.parse(tmp_path / "all.svg").iter() if e.get("class") == "frame"]  # noqa: S314
    found = symgen.assemblies(symgen.load(SCREW))
    assert 1 < len(cells) <= len(found)  # a rod turned about its own line looks the same
    assert run("--assembly", "2", "--to", "0.05", "--steps", "2", "--json") == 0
    motion = json.loads(capsys.readouterr().out)
    place = [motion["rows"][f"nut.{axis}"][0] for axis in "xyz"]
    np.testing.assert_allclose(place, found[1].bodies["nut"][:3], atol=1e-11)
    assert run("--assembly", "99", "--to", "0.05") == 2
    assert "--assemblies lists them" in " ".join(capsys.readouterr().err.split())
    assert run("--to", "1", "--draw", str(tmp_path / "b.svg")) == 2
    assert run("--assembly", "1", "--branch", "1=0", "--to", "1") == 2


@pytest.mark.slow
def test_assemblies_that_look_alike_share_a_cell_of_the_picture(platform: Assemblies) -> None:
    text = assemblies_svg(platform)
    assert text == assemblies_svg(platform)
    cells = [e for e in ElementTree.fromstring(text).iter() if e.get("class") == "frame"]  # noqa: S314
    # a leg turned by half a turn about its own line looks the same: at most forty places of the platform are left
    assert 2 <= len(cells) <= 40
    assert "found by a search, there may be more" in text
