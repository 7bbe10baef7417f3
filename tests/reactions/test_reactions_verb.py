"""``symgen reactions``: the document, tables for people, pictures, refusals, exit statuses."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main
from symgen.cli.tables.reactions import picture


@pytest.fixture
def examples(repository: Path) -> Path:
    return repository / "examples" / "reactions"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error."""
    status = main(["reactions", *words])
    seen = capsys.readouterr()
    return status, seen.out, seen.err


def written(folder: Path, draft: dict[str, Any]) -> str:
    file = folder / "mechanism.json"
    file.write_text(json.dumps(draft), encoding="utf-8")
    return str(file)


def test_the_document_holds_what_the_contract_promises(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(examples / "spatial_parallelogram.toml")
    status, out, err = run(
        capsys, file, "--set", "A,C,E,G", "--set", "K,M", "--resultant", "platform:B,D,F,H", "--json"
    )
    found = json.loads(out)
    assert (status, err, found["schema"], found["status"]) == (0, "", "symgen/reactions/1", "OK")
    assert (found["rank"], found["redundant"], found["dof"]) == (44, 1, 16)
    assert found["gap"] > 1e10
    assert found["joints"]["A"]["unique"] is False
    assert found["joints"]["A"]["unique_directions"] == 2
    assert found["joints"]["A"]["components"] == {"Fx": False, "Fy": False, "Fz": False}
    assert found["joints"]["R"]["components"] == {"Fx": True, "Fy": True, "Fz": True}
    assert found["sets"]["A,C,E,G"]["effect_unique"] is True
    assert found["sets"]["A,C,E,G"]["unique"] is False
    assert found["sets"]["K,M"]["unique"] is True
    assert found["resultants"]["platform:B,D,F,H"]["unique"] is True


def test_the_table_says_what_is_unique_and_which_question_was_asked(
    examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(examples / "spatial_parallelogram.toml")
    status, out, _ = run(capsys, file, "--set", "A,C,E,G")
    lines = [line.split() for line in out.splitlines()]
    assert status == 0
    assert next(words for words in lines if words[:2] == ["A", "S"])[2:6] == ["no", "2", "of", "3"]
    assert next(words for words in lines if words[:2] == ["K", "S"])[2:6] == ["yes", "3", "of", "3"]
    assert ["A,C,E,G", "no", "yes", "11/12"] in lines
    assert "'reactions unique' asks whether each of the 4 reactions is known" in out
    assert "freed from the ground" in out
    assert "model as flexible: rod1" in out


@pytest.mark.slow
def test_values_are_the_same_everywhere_and_marked(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(examples / "fourbar_spatial.toml")
    at_first = json.loads(run(capsys, file, "--time", "0", "--json")[1])["values"]
    accelerations = symgen.accelerations(file)
    motion = symgen.simulate(file, method="riccati", step=0.01, until=0.1, sample=0.1, order=8, reactions=True)
    later = json.loads(run(capsys, file, "--time", "0.1", "--json")[1])["values"]
    unique = {"fx": True, "fy": True, "fz": False, "mx": False, "my": False, "mz": True}
    for name, load in accelerations.joints.items():
        one, two = at_first["joints"][name], later["joints"][name]
        assert one["components"] == two["components"] == load.components == motion.reactions[name].components == unique
        assert one["unique"] is load.unique is False
        np.testing.assert_allclose(one["force"], load.force, atol=1e-9)
        np.testing.assert_allclose(one["moment"], load.moment, atol=1e-9)
        np.testing.assert_allclose(motion.reactions[name].force[0], load.force, atol=1e-9)
        # Two integrations of order 8, errors far below their steps.
        np.testing.assert_allclose(two["force"], motion.reactions[name].force[-1], atol=1e-7)
    table = run(capsys, file, "--time", "0")[1]
    assert table.count("least norm, not unique: fz, mx, my") == 4


def test_springs_in_joints_are_no_reactions_and_drives_have_their_effort(tmp_path: Path) -> None:
    """A lever level on a driven hinge, 2 kg at 0.5 m: the drive bears 9.81 N m, less what a spring does."""
    draft: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "lever", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {"lever": {"mass": 2.0, "com": [0.5, 0.0, 0.0], "inertia": [0.1, 0.1, 0.1, 0, 0, 0]}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "lever"], "at": [0, 0, 0], "axis": [0, -1, 0], "driven": 1}
        },
        "drives": {"A": "0"},
    }  # fmt: skip
    alone = symgen.reactions(symgen.Mechanism.from_dict(draft), time=0.0).values
    assert alone is not None
    assert alone.efforts["A.angle"] == pytest.approx(9.81, rel=1e-12)
    spring = {"kind": "joint", "joint": "A", "freedom": "angle", "stiffness": 2.0, "rest": 0.75}
    helped = symgen.reactions(symgen.Mechanism.from_dict(draft | {"forces": {"f": spring}}), time=0.0).values
    assert helped is not None
    assert helped.efforts["A.angle"] == pytest.approx(9.81 - 1.5, rel=1e-12)
    assert helped.joints["A"].force[2] == pytest.approx(19.62, rel=1e-12)


def test_without_masses_there_are_verdicts_and_a_note_instead_of_values(examples: Path) -> None:
    found = symgen.reactions(examples / "bennett.toml", time=0.0)
    assert (found.status, found.values, found.redundant) == ("OK", None, 3)
    assert any("masses" in note for note in found.notes)


def test_drives_alone_place_a_mechanism_without_masses(examples: Path) -> None:
    """A Bennett linkage is redundant wherever its crank is."""
    tree = tomllib.loads((examples / "bennett.toml").read_text(encoding="utf-8"))
    tree["joints"]["A"]["driven"] = 1
    tree["drives"] = {"A": "0.5*t"}
    mechanism = symgen.Mechanism.from_dict(tree)
    one, two = (symgen.reactions(mechanism, time=time) for time in (0.0, 0.6))
    assert float(np.abs(one.poses["l2"] - two.poses["l2"]).max()) > 0.05
    for found in (one, two):
        assert (found.status, found.rank, found.redundant, found.exact) == ("OK", 18, 3, found.exact)
        assert found.drives["A.angle"].unique


def test_pictures_mark_every_joint(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in ("svg", "html"):
        target = tmp_path / f"picture.{suffix}"
        status, _, err = run(capsys, str(examples / "internal_loop.toml"), "--draw", str(target))
        text = target.read_text(encoding="utf-8")
        assert (status, err.strip()) == (0, f"written: {target}")
        assert text.count('<rect class="open"') == 4 + 1  # the joints of the loop, and the legend
        assert text.count('<circle class="unique"') == 2 + 1
        assert all(f"<title>{name}: not unique</title>" in text for name in "ABCD")
    assert run(capsys, str(examples / "internal_loop.toml"), "--draw", "picture.png")[0] == 2


def test_a_unique_joint_is_seen_over_one_at_the_same_place_that_is_not() -> None:
    """A pendulum on a ball in the middle of a door's hinge: its disc is drawn after the square."""
    hinge = {"type": "R", "axis": [0, 0, 1]}
    draft = {
        "schema": "symgen/mechanism/1", "name": "door", "space": "spatial",
        "bodies": {"door": {}, "leaf": {}, "pendulum": {}},
        "joints": {
            "ball": {"type": "S", "bodies": ["door", "pendulum"], "at": [0, 0, 1]},
            "low": hinge | {"bodies": ["ground", "door"], "at": [0, 0, 0]},
            "high": hinge | {"bodies": ["leaf", "door"], "at": [0, 0, 1]},
            "screws": {"type": "W", "bodies": ["ground", "leaf"], "at": [0, 0, 1]},
        },
    }  # fmt: skip
    found = symgen.reactions(symgen.Mechanism.from_dict(draft))
    text = picture(found)
    assert text.index("<title>ball: unique</title>") > text.index("<title>high: not unique</title>")


def test_drives_that_share_the_load_are_named_in_the_picture(examples: Path) -> None:
    tree = tomllib.loads((examples / "planar_parallelogram.toml").read_text(encoding="utf-8"))
    tree["joints"]["A"]["driven"] = 1
    assert "drive not unique" not in picture(symgen.reactions(symgen.Mechanism.from_dict(tree)))
    tree["joints"]["C"]["driven"] = 1
    text = picture(symgen.reactions(symgen.Mechanism.from_dict(tree)))
    assert all(f">{name} (drive not unique)</text>" in text for name in "AC")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "lw,high"), 'no joint or drive "lw"; did you mean "low"?'),
        (("--set", ","), "names nothing"),
        (("--resultant", "doors:low"), 'no body "doors"; did you mean "door"?'),
        (("--resultant", "door.knob:low"), 'body door has no point "knob"; there are handle'),
        (("--resultant", "door"), "write BODY:A,B"),
        (("--resultant", "door:screws2"), "joins ground and leaf2, so it does not act on door"),
        (("--time", "-1"), "0 or more"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest(
    examples: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    status, out, err = run(capsys, str(examples / "door.toml"), *words)
    assert (status, out) == (2, "")
    assert said in err


def test_geometry_that_is_missing_or_open_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "one"], "at": [0, 0]},
        "B": {"type": "R", "bodies": ["one", "ground"]},
    }
    draft = {
        "schema": "symgen/mechanism/1", "name": "beam", "space": "planar", "bodies": {"one": {}, "two": {}},
        "joints": {"A": joints["A"], "B": {"type": "R", "bodies": ["one", "two"]}},
    }  # fmt: skip
    status, _, err = run(capsys, written(tmp_path, draft))
    assert status == 2
    assert "joints.B" in err
    triangle = {
        "A": {"type": "R", "bodies": ["ground", "one"], "at": [0, 0]},
        "B": {"type": "R", "bodies": ["one", "two"], "frames": {"one": {"at": [1, 0]}, "two": {"at": [0, 0]}}},
        "C": {"type": "R", "bodies": ["two", "ground"], "frames": {"two": {"at": [1, 0]}, "ground": {"at": [9, 0]}}},
    }
    status, _, err = run(capsys, written(tmp_path, draft | {"joints": triangle}))
    assert status == 2
    assert "does not close" in err


def test_a_singular_configuration_is_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = {"A": ("ground", "one", 0), "B": ("one", "two", 1), "C": ("two", "three", 3), "D": ("three", "ground", 2)}
    draft = {
        "schema": "symgen/mechanism/1", "name": "flat", "space": "planar",
        "bodies": {name: {} for name in ("one", "two", "three")},
        "joints": {
            name: {"type": "R", "bodies": [one, two], "at": [x, 0]} for name, (one, two, x) in places.items()
        },
    }  # fmt: skip
    status, out, err = run(capsys, written(tmp_path, draft), "--json")
    assert (status, json.loads(out)["status"]) == (1, "singular_configuration")
    assert err.startswith("singular_configuration:")


def test_a_flexible_beam_is_refused_with_what_to_do(repository: Path) -> None:
    with pytest.raises(symgen.SymgenError, match="flexible beam"):
        symgen.reactions(repository / "examples" / "transfer" / "cantilever" / "mechanism.toml")


def test_laws_that_contradict_each_other_leave_no_reactions_that_fit(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two rods of a parallelogram, driven alike up to their accelerations."""
    tree = tomllib.loads((examples / "planar_parallelogram.toml").read_text(encoding="utf-8"))
    tree["joints"]["A"]["driven"] = tree["joints"]["C"]["driven"] = 1
    for laws, wanted in (({"A": "t**2", "C": "t**2"}, "OK"), ({"A": "t**2", "C": "2*t**2"}, "not_in_equilibrium")):
        status, out, _ = run(capsys, written(tmp_path, tree | {"drives": laws}), "--time", "0", "--json")
        found = json.loads(out)
        assert (status, found["status"]) == (0 if wanted == "OK" else 1, wanted)
        assert not any(drive["unique"] for drive in found["drives"].values())


def test_a_time_is_refused_where_nothing_says_where_the_bodies_are_then(examples: Path) -> None:
    with pytest.raises(symgen.SymgenError, match="motions depend on forces"):
        symgen.reactions(examples / "bennett.toml", time=1.0)


def test_the_steps_of_every_tool_are_told(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(examples / "internal_loop.toml")
    for tool, words in (("nullspace", "loops cut"), ("rank", "rank [A; L]"), ("qr", "pivoting"), ("svd", "singular")):
        out = run(capsys, file, "--tool", tool, "--explain")[1]
        assert "28 constraints, 30 equations" in out
        assert "A, B, C, D: 20 constraints of rank 17, 3 redundant" in out
        assert words in out
    status, _, err = run(capsys, file, "--tool", "dca")
    assert status == 2
    assert "general method" in err
