"""User_Data.m written and read back holds the same structure; what it cannot hold is refused or said."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.errors import MechanismError
from symgen.model.importers.user_data import import_user_data, parse_user_data
from symgen.model.load import load
from symgen.model.mechanism import Mechanism
from symgen.model.write_user_data import write_user_data
from symgen.topology.analysis import analyse
from symgen.topology.multiple_joints import choose_trees

REPOSITORY = Path(__file__).resolve().parents[2]
LISTING = REPOSITORY / "tests" / "model" / "importers" / "data" / "User_Data.m"
FILES = sorted(
    path
    for pattern in ("*/mechanism.toml", "literature/**/*.toml", "dynamics/*.toml")
    for path in (REPOSITORY / "examples").glob(pattern)
    if "schema" in path.read_text(encoding="utf-8") and "[special" not in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(REPOSITORY / "examples")))
def test_what_is_written_has_the_structure_of_the_mechanism(path: Path) -> None:
    mechanism = choose_trees(load(path))
    written = write_user_data(mechanism)
    before, after = analyse(mechanism), analyse(parse_user_data(written.text).mechanism)
    if all(joint.grade for joint in mechanism.joints):  # welded bodies are one there: the table has another size
        assert after.results_sa == before.results_sa  # bodies keep their order
    assert (after.status, after.mobility, after.driven) == (before.status, before.mobility, before.driven)
    assert [g.type for g in after.groups] == [g.type for g in before.groups]


def test_writing_what_was_read_gives_the_same_script() -> None:
    first = write_user_data(import_user_data(LISTING).mechanism)
    again = parse_user_data(first.text)
    assert again.notes == ()
    assert again.mechanism.joints == import_user_data(LISTING).mechanism.joints
    assert write_user_data(again.mechanism).text == first.text
    assert first.notes == ()
    assert "ProblemType = 6;" in first.text


def mechanism(joints: dict[str, object], bodies: str = "abc", **more: object) -> Mechanism:
    head = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": {name: {} for name in bodies}}
    return Mechanism.from_dict({**head, "joints": joints, **more})


def test_welded_bodies_are_one_body_of_the_script() -> None:
    welded = mechanism(
        {
            "A": {"type": "R", "bodies": ["ground", "a"], "driven": 1},
            "B": {"type": "W", "bodies": ["c", "a"]},
            "C": {"type": "P", "bodies": ["c", "b"], "driven": 1},
        }
    )
    written = write_user_data(welded)
    read = parse_user_data(written.text).mechanism
    assert [(joint.type, joint.bodies, joint.driven) for joint in read.joints] == [
        ("R", ("1", "2"), 1),
        ("P", ("2", "3"), 1),
    ]
    assert written.notes == ("welded bodies become one: a, c",)
    assert analyse(read).status == analyse(welded).status == "determined"


def test_what_the_script_cannot_hold_is_refused_or_said() -> None:
    loop = {
        "A": {"type": "R", "bodies": ["ground", "a"]},
        "B": {"type": "W", "bodies": ["a", "b"]},
        "C": {"type": "R", "bodies": ["ground", "b"]},
    }
    with pytest.raises(MechanismError, match=r'joints\.C: joins the same two as "A"'):
        write_user_data(mechanism(loop, "ab"))
    with pytest.raises(MechanismError, match=r"special\.bennett: User_Data\.m cannot express that constraints follow"):
        write_user_data(load(REPOSITORY / "examples" / "literature" / "bennett.toml"))
    coupled = {"c": {"relation": "A.angle = 2"}}
    with pytest.raises(MechanismError, match=r"couplings\.c: User_Data\.m has no couplings"):
        write_user_data(mechanism({"A": loop["A"]}, "a", couplings=coupled))
    named = Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "space": "spatial",
            "bodies": {"a": {}},
            "joints": {"A": {"type": "C", "bodies": ["ground", "a"], "driven": ["slide"], "at": [0, 0, 0]}},
            "drives": {"A": "t"},
        }
    )
    assert write_user_data(named).notes == (
        "KnownInputs does not say which freedoms of A are driven",
        "only the structure is written, not places and axes, [drives]",
    )


def test_the_verb_writes_what_import_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(REPOSITORY / "examples" / "spatial_four_bar" / "mechanism.toml")
    assert main(["export", source, "--for", "mbssa3d", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert f"written: {tmp_path / 'User_Data.m'}" in told.err
    assert main(["export", source, "--for", "mbssa3d"]) == 0
    assert capsys.readouterr().out == (tmp_path / "User_Data.m").read_text(encoding="utf-8")
    assert main(["import", str(tmp_path / "User_Data.m"), "--out", str(tmp_path / "back.toml")]) == 0
    assert main(["analyse", str(tmp_path / "back.toml")]) == 0
    capsys.readouterr()
    assert main(["export", source, "--for", "mbssa3d", "--out", str(tmp_path / "x.txt")]) == 2
    assert "must end in .m" in capsys.readouterr().err
