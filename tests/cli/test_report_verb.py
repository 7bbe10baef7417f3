"""``symgen report``: the overall transfer equation as Markdown, HTML, JSON and picture; refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symgen.cli.main import main

TRANSFER = Path(__file__).resolve().parents[2] / "examples" / "transfer"
TREE, MIXED = (str(TRANSFER / name / "mechanism.toml") for name in ("tree23", "mixed24"))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["report", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_theorem_is_printed_for_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, TREE)
    assert (status, err) == (0, "")
    for line in (
        "z_r = T_1 z_1 + T_2 z_2 + T_3 z_3 + T_4 z_4",
        "T_1 = U_23 U_22 U_26,1 U_24,1 U_9 U_5 U_1",
        "    + (G_24,2 U_24,2 - K_14) U_10 U_6 U_2 z_2 = 0",
        "rows 12 (main) + 3 x 6 (geometric) = 30 = unknowns 4 x 6 (tips) + 6 (root)",
    ):
        assert line in out.splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if line.startswith("|")]
    assert ["6", "geometric equation", "17.2", "0", "G", "G", "0", "0"] in rows
    assert ["24", "17", "13, 14, 17", "1 (h13), 2 (h14)"] in rows
    assert ["z_r", "output of 23 at root to the ground", "rdd = 0, m", "Wd, q", "6"] in rows


def test_the_opaque_variant_has_leftover_and_root_rows(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, MIXED, "--variant", "opaque")
    assert status == 0
    assert "      F_24 z_3 = known" in out.splitlines()
    assert "h24: z_2 - D z_3 = 0   (12 rows)" in out.splitlines()
    assert (
        "rows 4 x 3 (leftover) + 3 x 3 (geometric) + 3 (root) + 12 (supplement) = 36 = unknowns 2 x 6 + 2 x 12 (tips)"
        in out.splitlines()
    )


def test_the_document_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, MIXED, "--json")
    found = json.loads(out)
    assert (status, err, found["schema"]) == (0, "", "symgen/overall-equation/1")
    assert (found["order"], found["variant"], found["state"]) == (42, "transparent", 13)
    assert [element["number"] for element in found["elements"]] == list(range(1, 25))
    assert found["elements"][23] == {
        "number": 24, "kind": "loop hinge", "id": "h24", "type": "S", "inboard": "2", "outboard": "3.1",
    }  # fmt: skip
    assert [branch["elements"] for branch in found["branches"]] == [[13, 14, 17], [15, 16, 18], [19, 20, 21]]
    assert found["tips"][2]["product"] == ["U_23", "U_22", "U_27,2", "U_26,1", "U_11", "U_7", "U_3", "U_24"]
    assert found["pattern"]["supplement"] == {"h24": "0110"}


def test_a_page_and_a_picture_are_well_formed_and_the_same_every_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for k in (1, 2):
        assert run(capsys, MIXED, "--out", str(tmp_path / f"{k}.html"), "--picture", str(tmp_path / f"{k}.svg"))[0] == 0
    page, svg = ((tmp_path / f"1.{kind}").read_text(encoding="utf-8") for kind in ("html", "svg"))
    assert page == (tmp_path / "2.html").read_text(encoding="utf-8")
    assert svg == (tmp_path / "2.svg").read_text(encoding="utf-8")
    assert r'data-tex="\mathbf{T}_{1} = \mathbf{U}_{23} \,\allowbreak ' in page
    assert "data:image/svg+xml;base64," in page
    svg_texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")  # noqa: S314 - made here
    texts = [element.text for element in svg_texts]
    # Every body and hinge is there by its number, the root by its id, tips by their states.
    assert {*(str(k) for k in range(1, 25)), "root", "z1", "z2", "z3", "z4"} <= set(texts)


def test_markdown_goes_to_a_file_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, TREE)[1]
    status, out, err = run(capsys, TREE, "--out", str(tmp_path / "tree.md"))
    assert (status, out) == (0, "")
    assert "tree.md" in err
    assert (tmp_path / "tree.md").read_text(encoding="utf-8") == printed


def test_names_are_text_not_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = {
        "schema": "symgen/mechanism/1", "name": "<b>|*x* `y` [z](w)", "space": "planar", "bodies": {"a": {}},
        "joints": {"j": {"type": "R", "bodies": ["ground", "a"]}},
    }  # fmt: skip
    path = tmp_path / "m.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    assert run(capsys, str(path), "--out", str(tmp_path / "m.html"), "--picture", str(tmp_path / "m.svg"))[0] == 0
    assert "<b>" not in (tmp_path / "m.html").read_text(encoding="utf-8")
    assert "<b>" not in (tmp_path / "m.svg").read_text(encoding="utf-8")
    assert r"# Overall transfer equation of \<b>\|\*x\* \`y\` [z]\(w)" in run(capsys, str(path))[1].splitlines()


def test_the_picture_has_a_bound_and_the_text_has_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = [f"b{k}" for k in range(500)]
    joints = {
        f"j{k}": {"type": "S", "bodies": [bodies[k - 1] if k else "ground", name]} for k, name in enumerate(bodies)
    }
    path = tmp_path / "long.json"
    file = {
        "schema": "symgen/mechanism/1",
        "space": "spatial",
        "bodies": {name: {} for name in bodies},
        "joints": joints,
    }
    path.write_text(json.dumps(file), encoding="utf-8")
    status, _, err = run(capsys, str(path), "--picture", str(tmp_path / "long.svg"))
    assert status == 2
    assert "500 bodies" in err
    assert not (tmp_path / "long.svg").exists()
    status, out, _ = run(capsys, str(path))
    assert status == 0
    assert "T_1 = U_999 U_998 ... U_1" in out.splitlines()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["3R"], "expected pair types joined by dots"),
        (["no_such_module"], "no_such_module"),
        ([TREE, "--numbers", "--variant", "opaque"], "omit --variant"),
        (["R.R.R 2D", "--root", "A", "--cut", "B"], "--root, --cut: for mechanisms only"),
        (["nothing.toml"], "nothing.toml"),
        ([TREE, "--out", "x.docx"], ".html or .tex or .pdf or .md"),
        ([TREE, "--picture", "x.png"], ".svg"),
        ([TREE, "--root", "h5"], "a root is a joint to the ground"),
        ([MIXED, "--cut", "h24", "--cut", "h14"], "loop count mismatch"),
        ([MIXED, "--cut", "h24,h14"], "loop count mismatch"),
        ([str(TRANSFER.parent / "spatial_four_bar" / "mechanism.toml"), "--numbers"], "unequal freedoms"),
    ],
)
def test_what_cannot_be_reported_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert message in err


def test_tips_on_the_ground_and_free_roots_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, str(TRANSFER / "slider_crank" / "mechanism.toml"), "--json")
    elements = json.loads(out)["elements"]
    assert status == 0
    assert elements[-1] == {
        "number": 6, "kind": "ground hinge", "id": "D", "type": "P", "inboard": "slider", "outboard": "ground",
    }  # fmt: skip
    file = {
        "schema": "symgen/mechanism/1", "space": "spatial", "bodies": {"x": {}, "y": {}},
        "joints": {"a": {"type": "S", "bodies": ["x", "y"]}},
    }  # fmt: skip
    path = tmp_path / "free.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    status, out, _ = run(capsys, str(path), "--picture", str(tmp_path / "free.svg"))
    assert status == 0
    assert "free root" in out
    assert json.loads(run(capsys, str(path), "--json")[1])["roots"] == [{"body": "x", "joint": None, "tips": [1]}]


def test_a_solved_type_is_written_with_its_derivation_and_proofs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "R.R.R 2D")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert "foot = 0.5*(d2 + total*rest)   [m^2]" in lines
    assert "        (C - A) . (B - A): foot of C on AB, times d" in lines
    assert {"## Proofs", "## Functions", "## Arguments and results", "## Status"} <= set(lines)
    assert json.loads(run(capsys, "R.R.R 2D", "--json")[1])["schema"] == "symgen/solved-type/1"
    assert run(capsys, "dyad_rrr", "--out", str(tmp_path / "dyad.html"))[0] == 0
    page = (tmp_path / "dyad.html").read_text(encoding="utf-8")
    assert ">Derivation: kernel position</h2>" in page
    assert 'data-tex="\\mathrm{total} = l_{a} + l_{b}"' in page


def test_a_module_of_several_arrangements_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "dyad_rrp")
    headings = [line for line in out.splitlines() if line.startswith("## ") and " 2D" in line]
    assert status == 0
    assert len(headings) == len(set(headings)) > 1


def test_numbers_of_the_initial_state_are_those_of_accelerations(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, TREE, "--numbers", "--json")
    found = json.loads(out)["initial_state"]
    assert (status, found["refusal"]) == (0, None)
    assert main(["accelerations", TREE, "--method", "transfer", "--json"]) == 0
    assert found["accelerations"] == json.loads(capsys.readouterr().out)
    rows = [line.split("|") for line in run(capsys, TREE, "--numbers")[1].splitlines() if line.startswith("| 23 ")]
    a = [float(cell) for cell in rows[-1][2:5]]
    assert a == pytest.approx(found["accelerations"]["bodies"]["23"]["a"], rel=1e-5, abs=1e-9)


@pytest.mark.slow
def test_numbers_that_the_equation_refuses_are_given_by_the_recursion(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, str(TRANSFER / "large250" / "mechanism.toml"), "--numbers")
    assert status == 0
    assert "By the Riccati form, for the overall transfer equation of order 42 is refused" in out


def _of_the_readme(folder: Path) -> str:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    file = folder / "fourbar.toml"
    file.write_text(readme.split("```toml\n", 1)[1].split("```", 1)[0], encoding="utf-8")
    return str(file)


def test_the_mechanism_of_the_readme_has_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, _of_the_readme(tmp_path))
    assert status == 0
    assert "Overall transfer equation of four-bar linkage" in out
    assert err.startswith("note: the overall transfer equation starts from joint D; from the usual root there is none")


def test_what_a_refusal_advises_can_be_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [_of_the_readme(tmp_path), "--root", "A"],
        [str(TRANSFER.parent / "spatial_four_bar" / "mechanism.toml"), "--variant", "opaque"],
    ):
        status, _, err = run(capsys, *words)
        assert status == 2
        assert "there is no overall transfer equation to report: unequal freedoms" in err
        assert "riccati" not in err  # `report` has no option --method
        named = re.findall(r"`symgen report '([^']+)'`", err)
        assert named
        for name in named:
            assert run(capsys, name)[0] == 0
