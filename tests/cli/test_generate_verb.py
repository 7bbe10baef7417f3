"""`symgen generate`: what it writes, where, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symgen.cli.main import main


@pytest.mark.slow
def test_a_module_becomes_one_folder_with_its_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "dyad_rrr", "--out", str(tmp_path / "out"), "--json"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["modules"] == ["dyad_rrr"]
    written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert set(document["files"]) == written
    assert {"dyad_rrr/dyad_rrr.c", "dyad_rrr/dyad_rrr.py", "dyad_rrr/dyad_rrr.json"} <= written
    assert "dyad_rrr" in captured.err


def test_a_signature_names_its_module(tmp_path: Path) -> None:
    assert main(["generate", "R.R.R 2D", "--out", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["dyad_rrr"]


def test_precision_and_backend_choose_the_files(tmp_path: Path) -> None:
    assert main(["generate", "dyad_rrr", "--out", str(tmp_path), "--precision", "float", "--backend", "c"]) == 0
    names = {path.name for path in (tmp_path / "dyad_rrr").iterdir()}
    assert names == {
        *("dyad_rrr_f32.c", "dyad_rrr_f32.h", "dyad_rrr.json", "dyad_rrr.steps"),
        *("symgen_status.h", "symgen_real.h", "symgen_vectors.h"),
        *("symgen_machines.h", "symgen_lanes.h", "symgen_math.h"),
    }


def test_generating_again_replaces_and_gives_the_same_bytes(tmp_path: Path) -> None:
    trees = []
    for _ in range(2):
        assert main(["generate", "dyad_rrr", "--out", str(tmp_path)]) == 0
        trees.append({path.name: path.read_bytes() for path in (tmp_path / "dyad_rrr").iterdir()})
    assert trees[0] == trees[1]


@pytest.mark.slow
def test_the_groups_of_a_mechanism_are_generated(tmp_path: Path) -> None:
    mechanism = {
        "schema": "symgen/mechanism/1",
        "name": "four-bar",
        "space": "planar",
        "bodies": {"2": {}, "3": {}, "4": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "2"], "driven": 1},
            "B": {"type": "R", "bodies": ["2", "3"]},
            "C": {"type": "R", "bodies": ["3", "4"]},
            "D": {"type": "R", "bodies": ["4", "ground"]},
        },
    }
    file = tmp_path / "fourbar.json"
    file.write_text(json.dumps(mechanism))
    out = tmp_path / "out"
    assert main(["generate", "--mechanism", str(file), "--out", str(out), "--backend", "numpy"]) == 0
    assert "dyad_rrr" in {path.name for path in out.iterdir()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to generate: a TYPE, --mechanism MECH or --all"),
        (["dyad_rrq"], "no type 'dyad_rrq'; did you mean"),
        (["dyad_rrr", "--precision", "quad"], "--precision: 'quad' is not one of double, float"),
        (["dyad_rrr", "--backend", ","], "--backend: nothing chosen"),
        (["dyad_rrr", "--precision", "double,,float"], "missing between two commas"),
        (["--all", "dyad_rrr"], "--all takes every type"),
        (["--all", "--mechanism", "m.toml"], "--all takes every type"),
        (["dyad_rrr", "--backend", "rust"], "--backend: 'rust' is not one of c, numpy"),
        (["--mechanism", "there_is_no_such_file.toml"], "there_is_no_such_file.toml"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_of_someone_else_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dyad_rrr").mkdir()
    (tmp_path / "dyad_rrr" / "thesis.tex").write_text("mine")
    assert main(["generate", "dyad_rrr", "--out", str(tmp_path)]) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert (tmp_path / "dyad_rrr" / "thesis.tex").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["dyad_rrr"]


def test_a_narrower_run_does_not_remove_the_rest_of_a_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def names() -> set[str]:
        return {path.name for path in (tmp_path / "driven_r_2d").iterdir()}

    assert main(["generate", "driven_r_2d", "--out", str(tmp_path)]) == 0
    everything = names()
    narrow = ["generate", "driven_r_2d", "--out", str(tmp_path), "--backend", "numpy"]
    assert main(narrow) == 2
    error = capsys.readouterr().err
    assert "driven_r_2d.c" in error
    assert "--force" in error
    assert names() == everything
    assert main([*narrow, "--force"]) == 0
    assert "driven_r_2d.c is discarded" in capsys.readouterr().err
    assert names() == {"driven_r_2d.py", "driven_r_2d.json", "driven_r_2d.steps"}
    assert main(["generate", "driven_r_2d", "--out", str(tmp_path)]) == 0
    assert names() == everything


def test_an_edited_file_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["generate", "driven_r_2d", "--out", str(tmp_path)]
    assert main(arguments) == 0
    file = tmp_path / "driven_r_2d" / "driven_r_2d.c"
    ours = file.read_text()
    file.write_text(ours + "/* mine */")
    assert main(arguments) == 2
    assert "driven_r_2d.c has been edited" in capsys.readouterr().err
    assert file.read_text().endswith("/* mine */")
    assert main([*arguments, "--force"]) == 0
    assert file.read_text() == ours


def test_the_library_of_a_checkout_is_not_narrowed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository)
    before = sorted(path.name for path in (repository / "generated" / "dyad_rrp").iterdir())
    assert main(["generate", "dyad_rrp", "--backend", "numpy"]) == 2
    assert "symgen's own library" in capsys.readouterr().err
    assert sorted(path.name for path in (repository / "generated" / "dyad_rrp").iterdir()) == before


def test_what_of_a_mechanism_cannot_be_solved_is_said_and_the_answer_is_no(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "loose.json"
    file.write_text(
        json.dumps(
            {
                "schema": "symgen/mechanism/1",
                "name": "crank with a loose arm",
                "space": "planar",
                "bodies": {"crank": {}, "arm": {}},
                "joints": {
                    "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1},
                    "B": {"type": "R", "bodies": ["crank", "arm"]},
                },
            }
        )
    )
    assert main(["generate", "--mechanism", str(file), "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert "underdetermined" in error
    assert "or add a joint: body arm hangs on joint B alone" in error
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["driven_r_2d"]


@pytest.mark.slow
def test_a_ring_that_the_library_lacks_is_derived_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    out = tmp_path / "solvers"
    assert main(["generate", "S.P.R.P 3D", "--out", str(out), "--backend", "numpy"]) == 0
    assert [path.name for path in out.iterdir()] == ["ring_p_r_p_s"]
    monkeypatch.setenv("SYMGEN_LIBRARY", str(out))
    from symgen.library.catalogue import load_catalogue

    assert load_catalogue().find("P.R.P.S 3D").manifest.branches == 2


@pytest.mark.parametrize(
    ("text", "status", "words"),
    [
        ("R.S*foo.U 3D", 2, "S has no freedom 'foo'; it has yaw, pitch, roll"),
        ("R.S*pich.U 3D", 2, "S has no freedom 'pich'; did you mean \"pitch\"?"),
        ("R.L*slid.R 2D", 2, 'did you mean "slide"?'),
        ("R.R.R 2d", 2, "expected '2D'"),
        ("R.R.R", 2, "such as 'R.S.U 3D'"),
        ("R.S*.U 3D", 2, "1 too many"),
        ("H.U.S 3D", 1, "solved by certified Newton (symgen library solve, symgen solve); nothing to generate"),
        ("L.H.R 2D", 2, "H has no meaning in the plane"),
    ],
)
def test_a_signature_that_cannot_be_derived_says_why(
    text: str, status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", text, "--out", str(tmp_path)]) == status
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_blanks_in_a_signature_do_not_matter(tmp_path: Path) -> None:
    assert main(["generate", "  P.R.P   2D ", "--out", str(tmp_path), "--backend", "numpy"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["dyad_prp"]


def test_groups_of_a_mechanism_without_a_closed_form_are_named_and_the_others_made(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = repository / "examples" / "screw_rod" / "mechanism.toml"
    assert main(["generate", "--mechanism", str(file), "--out", str(tmp_path), "--backend", "numpy"]) == 0
    assert "group 2 (rod, nut): H.U.S 3D is solved by certified Newton; nothing to generate" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["driven_r_3d"]


def test_a_ring_without_a_closed_form_is_named_by_its_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "R.R.R.R.U 3D", "--out", str(tmp_path)]) != 0
    assert "RRRRRR" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
