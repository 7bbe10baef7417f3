"""Shared libraries and the C++ header: programs that use them get the bits of the C that they are made of."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from oracle.compilers import WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.export.backend import Asked, as_bytes, backends
from symgen.export.embedded.bundle import bundle
from symgen.export.host import Host
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.subject import Subject

LEG = Path(__file__).parents[2] / "examples" / "jansen_leg" / "mechanism.toml"
INPUTS = (0.3, 2.0, -1.0)

pytestmark = pytest.mark.extension


def _subject(**asked: Any) -> Subject:
    request = MechanismRequest(**{"prefix": "leg", "precision": "double", "results": ["foot.toe"], **asked})
    return mechanism_subject(symgen.load(LEG), symgen.library(), request)


def _written(system: str, subject: Subject, folder: Path) -> dict[str, Any]:
    product = backends()[system].files(subject, Asked(f"export X --for {system}", {}))
    for name, text in product.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(text))
    return dict(product.manifest)


def _wanted(subject: Subject) -> tuple[float, ...]:
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    host.begin()
    _, found = host.step(INPUTS)
    assert found is not None
    return found


PROGRAM = """
#include "leg.h"
#include <stdio.h>
int main(void)
{
    leg_state state;
    const double inputs[LEG_INPUTS] = { 0.3, 2.0, -1.0 };
    double results[LEG_RESULTS];
    (void)leg_init(&state);
    if (leg_step(&state, inputs, results) != SYMGEN_OK) {
        return 1;
    }
    for (int k = 0; k < LEG_RESULTS; ++k) {
        printf("%.17g\\n", results[k]);
    }
    return 0;
}
"""


def _told(folder: Path) -> list[str]:
    """Return the flags of the .pc file: those of pkg-config, or, without it, by putting in what it stands for."""
    if shutil.which("pkg-config"):
        path = {**os.environ, "PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")}
        command = ["pkg-config", "--cflags", "--libs", "leg"]
        return subprocess.run(command, env=path, capture_output=True, text=True, check=True).stdout.split()
    text = (folder / "lib/pkgconfig/leg.pc").read_text()
    lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith("#"))
    flags = f"{lines['Cflags']} {lines['Libs']}".replace("${includedir}", "${prefix}/include")
    flags = flags.replace("${libdir}", "${prefix}/lib").replace("${prefix}", "${pcfiledir}/../..")
    return flags.replace("${pcfiledir}", str(folder / "lib/pkgconfig")).split()


@pytest.mark.slow
def test_a_program_finds_the_library_by_its_pc_file_and_sees_two_functions(tmp_path: Path) -> None:
    subject = _subject()
    folder = tmp_path / "moved"
    manifest = _written("shared", subject, folder)
    library = folder / manifest["library"]
    symbols = {line.split()[-1] for line in run(need("nm"), "-D", "--defined-only", library).splitlines()}
    assert symbols == {"leg_init", "leg_step"}
    (tmp_path / "program.c").write_text(PROGRAM)
    run("gcc", "-std=c99", tmp_path / "program.c", *_told(folder), "-o", tmp_path / "program")
    path = {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run([tmp_path / "program"], env=path, capture_output=True, text=True, check=True)
    wanted = _wanted(subject)
    assert tuple(map(float, done.stdout.split())) == wanted
    loaded, state, found = ctypes.CDLL(str(library)), (ctypes.c_double * 64)(), (ctypes.c_double * 6)()
    assert loaded.leg_init(state) == 0
    assert loaded.leg_step(state, (ctypes.c_double * 3)(*INPUTS), found) == 0
    assert tuple(found) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{}, {"branch": "input"}, {"branch": "follow"}, {"precision": "float"}])
def test_the_class_of_cpp_steps_as_the_c(asked: dict[str, Any], tmp_path: Path) -> None:
    subject = _subject(**asked)
    _written("cpp", subject, tmp_path)
    is_chosen = asked.get("branch") == "input"
    chosen = [f"moving.choose({k + 1}, {(0, 1, 0, 1)[k]});" for k in range(4)] if is_chosen else []
    inputs = "{0.0, 6.283185307179586, 0.0}" if asked.get("branch") == "follow" else "{0.3, 2.0, -1.0}"
    (tmp_path / "program.cpp").write_text(f"""
#include "leg.hpp"
#include <cstdio>
#include <type_traits>
static_assert(std::is_nothrow_default_constructible<leg::mechanism>::value, "");
static_assert(std::is_trivially_copyable<leg::mechanism>::value, "");
int main()
{{
    leg::mechanism moving;
    {" ".join(chosen)}
    const double given[] = {inputs};
    leg::inputs in{{}};
    leg::results out{{}};
    for (std::size_t k = 0; k < in.size(); ++k) {{
        in[k] = static_cast<leg::real>(given[k]);
    }}
    leg::mechanism other = moving;
    leg::results same{{}};
    const symgen_status status = moving.step(in, out);
    const symgen_status again = other.step(in, same);
    const leg::mechanism &seen = moving;
    if (!leg::mechanism::writes(status) || seen.status() != status || again != status || same != out) {{
        return 1;
    }}
    std::printf("%.17g\\n", static_cast<double>(out[leg::result::foot_toe_x]));
    return moving.restart() == SYMGEN_OK && seen.state().abi == LEG_ABI ? 0 : 1;
}}
""")
    strict = [flag for flag in WARNINGS if flag != "-Wfloat-equal"]  # the program compares all bits of results
    sources = [*sorted((tmp_path / "src").glob("*.c"))]
    for compiler in ("g++", "clang++"):
        need(compiler)
        program = tmp_path / compiler
        units = [argument for each in sources for argument in ("-x", "c++", each)]
        run(compiler, "-std=c++11", *strict, f"-I{tmp_path / 'include'}", tmp_path / "program.cpp", *units, "-o",
            program, "-lm")  # fmt: skip
        found = float(run(program))
        host = Host(subject, bundle(subject, (), "export X", targets=False))
        host.begin()
        row = (0.0, 6.283185307179586, 0.0) if asked.get("branch") == "follow" else INPUTS
        branch = (0, 1, 0, 1) if asked.get("branch") == "input" else ()
        _, wanted = host.step(row, branch)
        assert wanted is not None
        assert found == wanted[0]


@pytest.mark.slow
def test_functions_over_rows_are_shown_too(tmp_path: Path) -> None:
    manifest = _written("shared", _subject(batch=True), tmp_path)
    lines = run(need("nm"), "-D", "--defined-only", tmp_path / manifest["library"]).splitlines()
    assert {line.split()[-1] for line in lines} == {"leg_init", "leg_step", "symgen_leg_solver_motion_batch"}
    run("gcc", "-std=c99", "-fsyntax-only", f"-I{tmp_path / 'include'}", tmp_path / "include/leg_solver.h")


def test_without_a_compiler_there_is_no_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert main(["export", str(LEG), "--for", "shared", "--out", str(tmp_path / "x")]) == 2
    assert "no-such-compiler" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_the_command_line_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", str(LEG), "--for", "cpp", "--prefix", "leg", "--results", "foot.toe"]
    assert main([*arguments, "--out", str(tmp_path / "x"), "--json"]) == 0
    tree = json.loads(capsys.readouterr().out)
    assert (tree["schema"], tree["precision"]) == ("symgen/export/1", "double")
    assert {path.relative_to(tmp_path / "x").as_posix() for path in (tmp_path / "x").rglob("*") if path.is_file()} == {
        *tree["files"], "manifest.json"
    }  # fmt: skip
    assert main([*arguments, "--fmi", "3", "--out", str(tmp_path / "y")]) == 2
    assert "--fmi belongs to --for fmu, not to --for cpp" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("system", ["shared", "cpp"])
def test_a_period_too_long_to_follow_is_refused(
    system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--branch", "follow", "--results", "foot.toe", "--period", "0.3", "--out", str(tmp_path / "x")]
    assert main(["export", str(LEG), "--for", system, *words]) == 2
    assert "--period 0.3: too long to follow" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
