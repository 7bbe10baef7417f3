"""`symgen library` and `symgen doctor` as a user meets them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from symgen.build.cache import Built
from symgen.build.notices import forget_notices
from symgen.build.recipe import ModuleSources
from symgen.cli.main import main
from symgen.library.newton.problem import can_solve
from symgen.model.pairs import PAIR_TYPES

INSTANCE: dict[str, Any] = {
    "schema": "symgen/group-instance/1",
    "space": "planar",
    "known": {"K1": {}, "K2": {"r": [2, 0]}},
    "bodies": ["x", "y"],
    "joints": {
        "A": {"type": "R", "bodies": ["K1", "x"], "frames": {"K1": {"at": [0, 0]}, "x": {"at": [0, 0]}}},
        "B": {"type": "R", "bodies": ["x", "y"], "frames": {"x": {"at": [1.5, 0]}, "y": {"at": [0, 0]}}},
        "C": {"type": "R", "bodies": ["K2", "y"], "frames": {"K2": {"at": [0, 0]}, "y": {"at": [1.5, 0]}}},
    },
}


def run(*words: str) -> int:
    try:
        return main(words)
    except SystemExit as stop:
        return int(stop.code or 0)


def document(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def instance_file(folder: Path, **second: Any) -> str:
    path = folder / "group.json"
    known = {**INSTANCE["known"], "K2": {"r": [2, 0], **second}}
    path.write_text(json.dumps({**INSTANCE, "known": known}))
    return str(path)


def test_list_names_every_type_with_its_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "list", "--json") == 0
    found = document(capsys)
    assert found["schema"] == "symgen/library/1"
    dyad = next(row for row in found["types"] if row["signature"] == "R.R.R 2D")
    assert (dyad["module"], dyad["method"], dyad["degree"], dyad["branches"]) == ("dyad_rrr", "closed form", 2, 2)
    assert 0 < dyad["operations"]["kernel"] < dyad["operations"]["group"]
    assert {"k1", "k2", "branch"} <= set(dyad["ports"]["inputs"])
    assert {"b1", "b2"} <= set(dyad["ports"]["outputs"])
    assert run("library", "list") == 0
    text = capsys.readouterr().out
    assert all(row["key"] in text for row in found["types"])


def test_list_names_the_solvers_of_any_other_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "list", "--json") == 0
    engines = {engine["module"]: engine for engine in document(capsys)["engines"]}
    assert {"R", "P", "H", "C", "U", "ER", "S", "PL"} <= set(engines["newton_spatial"]["pairs"])
    assert engines["newton_planar"]["method"] == "certified Newton"
    for engine in engines.values():
        assert all(can_solve(engine["space"], [code]) for code in engine["pairs"])
        assert {code for code in PAIR_TYPES if can_solve(engine["space"], [code])} == set(engine["pairs"])
    assert run("library", "list") == 0
    assert "newton_planar: R, P" in capsys.readouterr().out


def test_show_says_of_a_type_without_a_closed_form_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "show", "S.U.H 3D", "--json") == 0
    shown = document(capsys)
    assert (shown["method"], shown["note"]) == ("certified Newton", "solved by certified Newton; nothing to generate")
    assert [joint["type"] for joint in shown["arrangement"]["joints"]] == ["H", "U", "S"]
    assert {"start_b1", "start_b2", "pitch_j1"} <= {port["name"] for port in shown["functions"][0]["ports"]}
    assert run("library", "show", "H.U.S 3D") == 0
    assert "nothing to generate" in capsys.readouterr().out
    assert run("library", "build", "H.U.S 3D") == 0
    assert "no separate module to build" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["R.R.R 2D", "dyad_rrr"])
def test_show_tells_ports_branches_statuses_and_steps(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "show", name, "--json") == 0
    found = document(capsys)
    position = next(f for f in found["functions"] if (f["level"], f["stage"]) == ("group", "position"))
    assert [port["name"] for port in position["ports"]][:2] == ["k1", "k2"]
    assert "NO_ASSEMBLY" in found["statuses"]
    assert found["branch_bits"][0]["bit"] == 0
    assert run("library", "show", name) == 0
    text = capsys.readouterr().out
    for word in (
        "bit 0",
        "NO_ASSEMBLY",
        "group position",
        "f_j1_k1",
        "step by step",
        found["derivation"][0]["meaning"],
    ):
        assert word in text
    assert run("library", "show", name, "--no-steps") == 0
    assert "step by step" not in capsys.readouterr().out


def test_show_of_a_module_with_several_types_gives_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "show", "loop_rus", "--json") == 0
    assert {"R.S.U 3D", "R.U.S 3D", "U.R.S 3D"} <= {each["signature"] for each in document(capsys)}


def test_show_of_a_legal_type_without_a_solver_is_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "show", "R.EO 2D") == 1  # a pair without joint frames
    out, err = capsys.readouterr()
    assert out == ""
    assert 'no solved type "R.EO 2D"' in err


@pytest.mark.parametrize("verb", [("library", "show"), ("generate",)])
@pytest.mark.parametrize("text", ["foo", "R.R.R 4D", "R.R.X 2D", "R.R 2D"])
def test_a_text_that_is_no_signature_is_bad_input(
    verb: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*verb, text) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_build_engines_compiles_those_that_serve_all_mechanisms(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def build(sources: ModuleSources) -> Built:
        built.append(sources.name)
        return Built(Path("engine.so"), f"key{len(built)}", fresh=True)

    monkeypatch.setattr("symgen.build.load.build_module", build)
    assert main(["library", "build", "engines", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["modules"]
    assert len(rows) == len({row["module"] for row in rows}) == 15
    assert (built.count("dynamics"), built.count("transfer")) == (9, 6)


@pytest.mark.extension
def test_build_compiles_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    assert run("library", "build", "R* 2D", "driven_r_2d", "--json") == 0
    rows = document(capsys)["modules"]
    assert [(row["module"], row["precision"], row["compiled"]) for row in rows] == [
        ("driven_r_2d", "double", True),
        ("driven_r_2d", "float", True),
    ]
    assert all(Path(row["file"]).is_file() for row in rows)
    assert run("library", "build", "driven_r_2d", "--precision", "float") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "nothing to compile: 1 was in the cache\n"
    assert run("library", "build", "driven_r_2d", "driven_p_2d", "--precision", "float") == 0
    assert capsys.readouterr().err == "driven_p_2d float: compiled\n1 compiled, 1 was in the cache\n"


@pytest.mark.parametrize("words", [("--precision", "half"), ("--precision", ",")])
def test_build_refuses_an_unknown_precision(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "build", *words) == 2
    assert "double" in capsys.readouterr().err


def test_build_without_a_compiler_is_bad_usage_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert run("library", "build", "driven_r_2d") == 2
    assert "no-such-compiler" in capsys.readouterr().err


def test_solve_gives_all_branches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = instance_file(tmp_path)
    assert run("library", "solve", file, "--json", "--backend", "numpy") == 0
    found = document(capsys)
    assert (found["status"], found["signature"]) == ("OK", "R.R.R 2D")
    assert [branch["branch"] for branch in found["branches"]] == [0, 1]
    angles = [branch["joints"]["A"]["angle"][0] for branch in found["branches"]]
    assert angles[0] == pytest.approx(-angles[1], rel=1e-15)
    assert run("library", "solve", file, "--backend", "numpy") == 0
    text = capsys.readouterr().out
    assert "branch 1: OK" in text
    assert "A.angle" in text


def test_solve_out_of_reach_is_a_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "solve", instance_file(tmp_path, r=[9, 0]), "--json", "--backend", "numpy") == 1
    found = document(capsys)
    assert (found["status"], found["branches"]) == ("NO_ASSEMBLY", [])


def test_solve_of_a_stretched_group_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "solve", instance_file(tmp_path, r=[3, 0]), "--backend", "numpy") == 0
    assert "SINGULAR" in capsys.readouterr().out


def test_solve_of_a_wrong_file_names_the_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "solve", instance_file(tmp_path, w=[3, 0])) == 2
    assert "known.K2.w: unknown key" in capsys.readouterr().err


def test_without_a_compiler_solve_answers_on_stdout_and_explains_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    forget_notices()
    assert run("library", "solve", instance_file(tmp_path), "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == "OK"
    assert "using NumPy" in err


def findings(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found = document(capsys)
    assert found["schema"] == "symgen/doctor/1"
    return {each["name"]: each for each in found["findings"]}


def test_the_doctor_finds_a_sound_installation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("doctor", "--json") == 0
    found = findings(capsys)
    assert {"symgen", "numpy", "solved types", "templates", "C compiler", "Python.h", "cache"} <= set(found)
    assert run("doctor") == 0
    assert "solved types" in capsys.readouterr().out


def test_the_doctor_says_what_a_lack_costs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "/nowhere")
    assert run("doctor", "--json") == 0  # symgen works without
    found = findings(capsys)
    for name in ("C compiler", "clang", "nm"):
        assert found[name]["state"] == "lacking"
        assert found[name]["cost"]
    assert "NumPy" in found["C compiler"]["cost"]


def test_the_doctor_says_that_a_compiler_is_of_no_use_without_python_h(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    assert run("doctor", "--json") == 0
    found = findings(capsys)["Python.h"]
    assert found["state"] == "lacking"
    assert "python3-dev" in found["found"]
    assert "NumPy" in found["cost"]


def test_the_doctor_finds_an_unsafe_cache_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o777)
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path))
    assert run("doctor", "--json") == 1
    assert findings(capsys)["cache"]["state"] == "broken"


def test_the_doctor_finds_a_cache_that_cannot_be_written_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "file"))
    assert run("doctor", "--json") == 0
    assert findings(capsys)["cache"]["state"] == "lacking"


@pytest.mark.slow
@pytest.mark.extension
def test_the_doctor_tells_the_size_of_the_cache_and_clean_what_it_freed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    script = "import sys; from symgen.cli.main import main; main(sys.argv[1:])"
    words = ["library", "build", "driven_r_2d", "driven_p_2d", "--precision", "double"]
    subprocess.run([sys.executable, "-c", script, *words], check=True, capture_output=True)

    assert run("doctor", "--json") == 0
    cache = findings(capsys)["cache"]
    size = sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())
    # Two types, and what hands arrays to them.
    assert cache["facts"] == {"modules": 3, "damaged": 0, "bytes": size, "limit": 500_000_000}
    assert f"3 modules, {size / 1e6:.1f} MB (limit 500 MB)" in cache["found"]

    assert run("library", "clean", "--json") == 0  # below the limit and sound: nothing to do
    kept = document(capsys)
    assert (kept["schema"], kept["removed"], kept["kept"]) == ("symgen/clean-report/1", 0, 3)
    assert run("library", "clean", "--all") == 0
    assert (
        f"removed 3 entries of {kept['kept_bytes'] / 1e6:.1f} MB, kept 0 entries of 0.0 MB" in capsys.readouterr().out
    )
    assert list((tmp_path / "cache").rglob("meta.json")) == []


def test_a_limit_that_is_no_size_is_bad_usage_and_the_doctor_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SYMGEN_CACHE_LIMIT", "much")
    assert run("library", "clean") == 2
    assert "SYMGEN_CACHE_LIMIT='much'" in capsys.readouterr().err
    assert run("doctor", "--json") == 1
    assert findings(capsys)["cache"]["state"] == "broken"


def test_the_doctor_finds_a_wrong_library_folder_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path / "nowhere"))
    assert run("doctor", "--json") == 1
    assert findings(capsys)["$SYMGEN_LIBRARY"]["state"] == "broken"


def test_nothing_is_compiled_that_would_not_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "file" / "cache"))
    assert run("library", "build", "driven_r_2d") == 2
    said = capsys.readouterr().err
    assert "cannot be written" in said
    assert "SYMGEN_CACHE" in said


@pytest.mark.extension
def test_build_tells_what_has_no_lanes_and_show_what_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("library", "build", "--lanes", "--precision", "double", "U.U.U 3D") == 0
    assert "loop_uuu: its functions iterate" in capsys.readouterr().err
    assert run("library", "show", "R.R.R 2D", "--no-steps") == 0
    assert "kernel all: kernel_all (36 add, 43 mul, 2 div, 1 sqrt; batches in lanes)" in capsys.readouterr().out
    assert run("library", "show", "U.U.U 3D", "--no-steps", "--json") == 0
    assert not any(function["lanes"] for function in document(capsys)["functions"])


@pytest.mark.extension
def test_a_module_that_was_changed_is_told_once_and_found_by_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import symgen
    from symgen.resources import generated_folder

    own = tmp_path / "own"
    shutil.copytree(Path(str(generated_folder())) / "dyad_rrr", own / "dyad_rrr")
    monkeypatch.setenv("SYMGEN_LIBRARY", str(own))
    assert run("doctor") in (0, 1)
    assert "1 module of your own" in capfd.readouterr().out
    code = own / "dyad_rrr" / "dyad_rrr.c"
    code.write_text(code.read_text().replace("l_a + l_b", "l_a + l_a"))
    forget_notices()
    for _ in range(2):
        found = symgen.library(backend="c")["R.R.R 2D"].kernel.position([0, 0], [2, 0], 1.5, 1.2, 0)
        assert abs(found.p[1]) > 1.0  # it is used
    said = capfd.readouterr().err
    assert said.count(f"{code} was changed after it was generated") == 1
    assert f"symgen generate dyad_rrr --force --out {own}" in said
    assert run("doctor") in (0, 1)
    assert f"changed since they were generated: {code}" in capfd.readouterr().out
    forget_notices()


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "not a module manifest"), ('{"schema": "symgen/module/0"}', "this symgen reads")],
)
def test_a_manifest_that_cannot_be_read_says_where_it_is(
    content: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own" / "mine").mkdir(parents=True)
    manifest = tmp_path / "own" / "mine" / "mine.json"
    manifest.write_text(content)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path / "own"))
    assert run("library", "list") == 2
    error = capsys.readouterr().err
    assert f"{manifest}: " in error
    assert said in error
    assert "It is in a folder of SYMGEN_LIBRARY: generate the module again, or take it out of there" in error


def test_a_module_is_no_folder_of_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symgen.resources import generated_folder

    shutil.copytree(Path(str(generated_folder())) / "dyad_rrr", tmp_path / "own" / "dyad_rrr")
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path / "own" / "dyad_rrr"))
    assert run("library", "list") == 2
    assert f"is a module; give the folder that holds it: '{tmp_path / 'own'}'" in capsys.readouterr().err
    (tmp_path / "own" / "own.json").write_text('{"notes": 1}')  # of somebody else
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path / "own"))
    assert run("library", "list") == 0


def test_a_numpy_file_with_a_mistake_names_file_and_line(tmp_path: Path) -> None:
    from symgen.errors import InputError
    from symgen.library.python_files import load_python

    file = tmp_path / "mine.py"
    file.write_text("a = 1\nb = (\n")
    with pytest.raises(InputError, match=r"mine\.py: line 2: "):
        load_python("mine", file)
