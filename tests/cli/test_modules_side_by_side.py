"""What is generated of several mechanisms stands side by side: in one folder, in one program, nothing lost silently."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from oracle.compilers import need, run

from symgen.cli.main import main
from symgen.library.sources import STEPS_HEADER
from symgen.pipeline.texts import COMMON_HEADERS

_FILE = """
schema = "symgen/mechanism/1"
name = "{name}"
space = "planar"
gravity = [0.0, -9.81]
[bodies.rod]
mass = {mass}
com = [0.5, 0.0]
inertia = [0.0, 0.0, 0.1, 0.0, 0.0, 0.0]
[joints.A]
type = "R"
bodies = ["ground", "rod"]
at = [0.0, 0.0]
{driven}
"""
_DRIVEN = 'driven = 1\n[drives]\nA = "t"'
#: Words of the command -> what goes into C.
_KINDS = {
    "dimcd": ["--dynamics"],
    "dense": ["--dynamics", "--structure", "dense"],
    "riccati": ["--dynamics", "--method", "riccati"],
    "loops": ["--loops"],
    "whole": ["--whole"],
}


@pytest.mark.slow
@pytest.mark.compiler
def test_modules_of_two_mechanisms_link_into_one_program(tmp_path: Path, repository: Path) -> None:
    out = tmp_path / "out"
    made = []
    for title in ("3-RPS", "5-bar"):
        for kind, words in _KINDS.items():
            file = _write(tmp_path, title, driven=kind == "whole")
            name = f"{kind}_{title[0]}"
            assert main(["generate", "--mechanism", str(file), *words, "--name", name, "--out", str(out)]) == 0
            made.append(name)
    arm = repository / "examples" / "transfer" / "flexible_arm" / "mechanism.toml"
    for name in ("bent_1", "bent_2"):  # beams have an engine of their own
        words = ["--dynamics", "--method", "riccati", "--name", name]
        assert main(["generate", "--mechanism", str(arm), *words, "--out", str(out)]) == 0
        made.append(name)
    # All headers in one translation unit, all sources in one folder, as in the project of a controller.
    flat = tmp_path / "flat"
    flat.mkdir()
    headers = []
    for name in made:
        for path in (out / name).iterdir():
            if path.suffix in (".c", ".h") and path.name != "example.c" and "_f32" not in path.name:
                assert path.name.startswith(name) or path.name in (*COMMON_HEADERS, STEPS_HEADER)
                (flat / path.name).write_bytes(path.read_bytes())
        headers += [header for suffix in ("", "_schemes") if (flat / (header := f"{name}{suffix}.h")).is_file()]
    calls = [f"(int)symgen_{name}_workspace_size()" for name in made if not name.startswith(("loops", "whole"))]
    text = "".join(f'#include "{header}"\n' for header in headers)
    (flat / "main.c").write_text(f"{text}int main(void) {{ return {' + '.join(calls)} == 0; }}\n", encoding="utf-8")
    objects = []
    for unit in sorted(flat.glob("*.c")):
        objects.append(unit.with_suffix(".o"))
        run(need("gcc"), "-std=c99", "-O0", "-c", unit, "-o", objects[-1])
        exported = [line.split()[-1] for line in run(need("nm"), "-g", "--defined-only", objects[-1]).splitlines()]
        own = unit.stem
        assert exported
        assert own == "main" or all(symbol.startswith(f"symgen_{own}_") for symbol in exported)
    run(need("gcc"), *objects, "-lm", "-o", flat / "program")
    run(flat / "program")


@pytest.mark.parametrize("words", _KINDS.values(), ids=_KINDS)
def test_two_mechanisms_that_begin_with_a_digit_have_modules_of_their_own(words: list[str], tmp_path: Path) -> None:
    for title in ("3-RPS", "5-bar"):
        file = _write(tmp_path, title, driven="--whole" in words)
        assert main(["generate", "--mechanism", str(file), *words, "--out", str(tmp_path / "out")]) == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == 2
    assert ["3_rps" in names[0], "5_bar" in names[1]] == [True, True]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", _KINDS.values(), ids=_KINDS)
def test_a_module_of_another_mechanism_is_not_replaced_silently(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Both come to arm_...; the mass tells them apart.
    first, second = (_write(tmp_path, title, driven="--whole" in words) for title in ("arm", "ARM!"))
    out = str(tmp_path / "out")
    assert main(["generate", "--mechanism", str(first), *words, "--out", out]) == 0
    said = capsys.readouterr()
    (folder,) = (tmp_path / "out").iterdir()
    assert str(folder) in said.err  # where it is; nothing on standard output, which is for --json
    assert said.out == ""
    manifest = (folder / f"{folder.name}.json").read_bytes()
    assert main(["generate", "--mechanism", str(second), *words, "--out", out]) == 2
    said = capsys.readouterr()
    assert re.search(r"holds the .*\barm, which the .*\bARM! would replace.*--name", said.err)
    assert (folder / f"{folder.name}.json").read_bytes() == manifest
    assert main(["generate", "--mechanism", str(first), *words, "--out", out]) == 0  # its own is
    assert main(["generate", "--mechanism", str(second), *words, "--out", out, "--force"]) == 0
    assert main(["generate", "--mechanism", str(second), *words, "--out", out, "--name", "other"]) == 0
    assert len(list((tmp_path / "out").iterdir())) == 2


@pytest.mark.parametrize("words", _KINDS.values(), ids=_KINDS)
def test_the_document_lists_every_file_that_stands_in_the_folder(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = _write(tmp_path, "arm", driven="--whole" in words), tmp_path / "out"
    assert main(["generate", "--mechanism", str(file), *words, "--out", str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert document["files"] == found


def test_a_file_without_a_name_names_its_module(tmp_path: Path) -> None:
    file = _write(tmp_path, "", driven=False).rename(tmp_path / "crane.toml")
    assert main(["generate", "--mechanism", str(file), "--dynamics", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "crane_dynamics").is_dir()


def test_a_long_name_of_a_mechanism_is_cut_to_what_c_allows(tmp_path: Path) -> None:
    file = _write(tmp_path, "a very long name of a mechanism " * 4, driven=False)
    assert main(["generate", "--mechanism", str(file), "--dynamics", "--out", str(tmp_path / "out")]) == 0


def test_a_name_that_would_hide_the_common_header_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _write(tmp_path, "arm", driven=False)
    words = ["generate", "--mechanism", str(file), "--dynamics", "--out", str(tmp_path / "out")]
    assert main([*words, "--name", "status"]) == 2
    assert "take another" in capsys.readouterr().err


def _write(folder: Path, title: str, *, driven: bool) -> Path:
    file = folder / f"file_{len(list(folder.iterdir()))}.toml"
    mass = 1.0 + len(title)
    file.write_text(_FILE.format(name=title, mass=mass, driven=_DRIVEN if driven else ""), encoding="utf-8")
    return file
