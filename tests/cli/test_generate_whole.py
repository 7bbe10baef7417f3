"""``symgen generate --mechanism MECH --whole``: files that can be made again, notes on branches, refusals that help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symgen.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FOUR_BAR = str(EXAMPLES / "spatial_four_bar" / "mechanism.toml")


def _run(*words: str) -> int:
    try:
        return main(["generate", *words])
    except SystemExit as stop:
        return int(stop.code or 0)


def _whole(out: Path, *words: str) -> int:
    return _run("--mechanism", FOUR_BAR, "--whole", "--name", "bars", "--out", str(out), *words)


@pytest.mark.slow
def test_the_module_is_written_and_the_branches_of_the_drawing_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _whole(tmp_path, "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["modules"] == ["bars"]
    manifest = json.loads((tmp_path / "bars" / "bars.json").read_text(encoding="utf-8"))
    assert manifest["schema"] == "symgen/mechanism-module/1"
    assert f"{{{', '.join(map(str, manifest['reference']['branch']))}}}" in printed.err
    assert [f["name"] for f in manifest["functions"]] == ["position", "motion", "follow", "begin"]


@pytest.mark.slow
def test_it_is_replaced_unless_it_was_edited(tmp_path: Path) -> None:
    assert _whole(tmp_path) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "bars").iterdir()}
    assert _whole(tmp_path) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "bars").iterdir()} == before
    (tmp_path / "bars" / "bars.c").write_text("mine", encoding="utf-8")
    assert _whole(tmp_path) == 2
    assert _whole(tmp_path, "--force") == 0


@pytest.mark.slow
def test_precision_backend_and_results_are_chosen(tmp_path: Path) -> None:
    assert _whole(tmp_path, "--precision", "float", "--backend", "c", "--results", "joints") == 0
    names = sorted(path.name for path in (tmp_path / "bars").iterdir())
    assert names == [
        *("bars.json", "bars_f32.c", "bars_f32.h"),
        *("symgen_lanes.h", "symgen_machines.h", "symgen_math.h", "symgen_real.h"),
        "symgen_status.h",
    ]
    manifest = json.loads((tmp_path / "bars" / "bars.json").read_text(encoding="utf-8"))
    outputs = [p["name"] for p in manifest["functions"][1]["ports"] if p["direction"] == "out"]
    assert outputs == ["q", "qd", "qdd", "group"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--whole",), "Missing argument 'MECH'"),
        (
            ("--mechanism", FOUR_BAR, "--geometry", "constants"),
            "--geometry here; it belongs to `symgen generate mechanism`",
        ),
        (("--mechanism", FOUR_BAR, "--checks", "all"), "--checks here; it belongs to `symgen generate mechanism`"),
        (("--mechanism", FOUR_BAR, "--dynamics", "--math", "libm"), "--math here; it belongs to"),
        (("--engines", "--math", "own"), "it belongs to `symgen generate types|mechanism|loops|newton`"),
        (("--mechanism", FOUR_BAR, "--whole", "--loops"), "--loops here; it belongs to `symgen generate loops`"),
        (("--mechanism", FOUR_BAR, "--whole", "--results", "bodys"), 'did you mean "bodies"'),
        (("--mechanism", FOUR_BAR, "--whole", "--results", ""), "none of the results requested"),
        (("--mechanism", FOUR_BAR, "--whole", "--name", "int"), "keyword"),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_reason(
    words: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*words, "--out", str(tmp_path / "out")) == 2
    assert says in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


def test_groups_that_are_left_out_are_listed_and_all_checks_leave_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--mechanism", str(EXAMPLES / "jansen_leg" / "mechanism.toml"), "--whole", "--name", "leg")
    asked = ("--results", "upper", "--backend", "numpy", "--out", str(tmp_path))
    assert _run(*words, *asked) == 0
    assert "left out, because no result needs them: group 3, 4" in capsys.readouterr().err
    assert _run(*words, *asked, "--checks", "all") == 0
    assert "left out" not in capsys.readouterr().err


def test_laws_that_only_the_mathematical_library_has_are_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "jansen_leg" / "mechanism.toml").read_text(encoding="utf-8")
    file = tmp_path / "leg.toml"
    file.write_text(text.replace('axle = "2*pi*t"', 'axle = "exp(t)"'), encoding="utf-8")
    words = ["--mechanism", str(file), "--whole", "--results", "foot.toe", "--backend", "c", "--precision", "double"]
    assert _run(*words, "--out", str(tmp_path / "out")) == 0
    assert "the laws of the drives call exp, which only <math.h> has" in capsys.readouterr().err
    assert _run(*words, "--drives", "inputs", "--out", str(tmp_path / "other")) == 0
    assert "<math.h>" not in capsys.readouterr().err


def test_header_and_manifest_say_what_a_batch_takes_once_and_what_runs_in_lanes(tmp_path: Path) -> None:
    mechanism = str(EXAMPLES / "jansen_leg" / "mechanism.toml")
    assert _run("mechanism", mechanism, "--out", str(tmp_path), "--precision", "double") == 0
    (folder,) = tmp_path.iterdir()
    header = (folder / f"{folder.name}.h").read_text(encoding="utf-8")
    said = " ".join(line.removeprefix(" *").strip() for line in header.splitlines())
    assert "They take branch once for all rows; `_columns` functions take it for each row." in said
    assert "Operations: none." in said  # of where to begin
    functions = json.loads((folder / f"{folder.name}.json").read_text(encoding="utf-8"))["functions"]
    numbered = {each["name"]: each["lanes"] for each in functions if "lanes" in each}
    assert numbered == {"position": 1, "motion": 2}
    assert all((f"_{each['name']}_columns(" in header) == (each["name"] in numbered) for each in functions)
