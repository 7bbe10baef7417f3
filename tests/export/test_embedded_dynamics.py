"""Dynamics for controllers: they compile everywhere, move as `symgen.simulate` does, and prove it themselves."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import C_ONLY, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.export.embedded import PACKAGINGS
from symgen.export.embedded.dynamics import Method, dynamics_tree

DYNAMICS = Path(__file__).parents[2] / "examples" / "dynamics"

pytestmark = pytest.mark.extension


def _mechanism(name: str) -> symgen.Mechanism:
    return symgen.load(DYNAMICS / name / "mechanism.toml")


@cache
def _files(name: str, method: Method, prefix: str = "Top") -> dict[str, str]:
    return dynamics_tree(_mechanism(name), prefix, method, PACKAGINGS, "export X --dynamics", targets=False)


def _write(files: dict[str, str], folder: Path) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _units(folder: Path) -> list[Path]:
    return sorted((folder / "src").glob("*.c"))


METHODS = ["dimcd", pytest.param("riccati", marks=pytest.mark.slow)]


@pytest.mark.compiler
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
def test_it_compiles_without_a_word_without_heap_and_passes_its_own_test(
    compiler: str, method: Method, tmp_path: Path
) -> None:
    need(compiler)
    _write(_files("spinning_top", method), tmp_path)
    (unit,) = _units(tmp_path)
    made, program = tmp_path / "engine.o", tmp_path / "program"
    strict = (*WARNINGS, *C_ONLY, "-std=c99", "-O1", f"-I{tmp_path / 'include'}")
    run(compiler, *strict, "-fno-stack-protector", "-c", unit, "-o", made)
    symbols = [line.split() for line in run("nm", made).splitlines()]
    assert not [words for words in symbols if words[-2] in ("b", "B", "d", "D", "C")]
    assert {words[-1] for words in symbols if words[-2] == "U"} <= {
        "sqrt", "fabs", "floor", "memcpy", "memset", "_GLOBAL_OFFSET_TABLE_",
    }  # fmt: skip
    run(compiler, *strict, "-DTop_SELFTEST_MAIN", made, tmp_path / "test/selftest.c", "-o", program, "-lm")
    assert run(program).strip() == f"Top: {10 if method == 'dimcd' else 9} vectors, 0 differ"
    run(compiler, *strict, made, tmp_path / "examples/run.c", "-o", program, "-lm")
    assert run(program).count("energy") == 11
    run(compiler, *strict, "-x", "c", "-fsyntax-only", tmp_path / "include/Top.h")


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_cpp_and_the_folder_of_arduino_read_it(method: Method, tmp_path: Path) -> None:
    _write(_files("bricard", method), tmp_path)
    for each in _units(tmp_path):
        run("gcc", *WARNINGS, "-x", "c++", "-std=c++11", f"-I{tmp_path / 'include'}", "-fsyntax-only", each)
        run("gcc", "-std=gnu99", f"-I{tmp_path / 'src'}", "-fsyntax-only", each)


#: A planted fault: a number of the tables, the last digits of what is written, the status of a run.
_FAULTS = {
    "mass": ("Top_problem.h", " 15.0, {", " 15.000000000000002, {"),
    "bit": ("Top.c", "scalar[4] = w->correction;", "scalar[0] *= 1.0000000000000003;"),
    "status": ("Top.c", "BAD_INPUT;\n    }\n    const double h", "OK;\n    }\n    const double h"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("fault", list(_FAULTS))
def test_the_self_test_sees_a_planted_fault(fault: str, tmp_path: Path) -> None:
    _write(_files("spinning_top", "dimcd"), tmp_path)
    file, old, new = _FAULTS[fault]
    text = (tmp_path / "src" / file).read_text()
    assert old in text
    (tmp_path / "src" / file).write_text(text.replace(old, new, 1))
    program = tmp_path / "program"
    (tmp_path / "tell.c").write_text("int Top_selftest(void);\nint main(void) { return Top_selftest() == 0; }\n")
    run("gcc", "-std=c99", "-O1", f"-I{tmp_path / 'include'}", *_units(tmp_path), tmp_path / "test/selftest.c",
        tmp_path / "tell.c", "-o", program, "-lm")  # fmt: skip
    run(program)  # 0: some vectors differ


def _numbers(files: dict[str, str]) -> list[list[float]]:
    table = files["test/vectors.h"].split("_numbers[")[1]
    return [[float.fromhex(x) for x in re.findall(r"-?0x[0-9a-fp.+-]+", row)] for row in table.split("{")[2:]]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "method"),
    [("spinning_top", "riccati"), ("bricard", "dimcd"), ("bricard", "riccati"), ("spatial_slider_crank", "dimcd")],
)
def test_its_vectors_are_the_motion_of_simulate(name: str, method: Method) -> None:
    files = _files(name, method)
    tree = json.loads(files["manifest.json"])
    mechanism = _mechanism(name)
    how: dict[str, Any] = {} if method == "dimcd" else {"method": "riccati", "order": 4}
    result = symgen.simulate(mechanism, step=1e-3, until=0.2, sample=0.02, reactions=True, **how)
    sizes, bodies = tree["sizes"]["samples"], tree["bodies"]
    # two runs of 0.1 s: six rows each, the last of the first is the first of the second
    for numbers, first in zip(_numbers(files), (0, 5), strict=True):
        place = len(numbers) - 6 * sum(max(1, size) for size in sizes.values())
        parts = {}
        for part, size in sizes.items():
            parts[part] = np.array(numbers[place : place + 6 * max(1, size)]).reshape(6, -1)
            place += 6 * max(1, size)
        energies = parts["scalars"][:, 0] + parts["scalars"][:, 1]
        assert energies == pytest.approx(result.total[first : first + 6], rel=1e-7)
        for k, body in enumerate(bodies):
            pose, twist = (parts[part].reshape(6, len(bodies), -1)[:, k] for part in ("poses", "twists"))
            moved = result.bodies[body]
            q, omega = np.asarray(moved.q)[first : first + 6], np.asarray(moved.omega)[first : first + 6]
            assert np.abs(np.sum(pose[:, 3:] * q, axis=1)) == pytest.approx(1.0, abs=1e-9)
            assert twist[:, 3:] == pytest.approx(omega, rel=1e-7, abs=1e-7)
            wanted = result.resultants[body][first : first + 6]
            reaction = parts["reactions"].reshape(6, len(bodies), 6)[:, k]
            # at its start a run takes them from half a step, which is another rounding of theirs
            assert reaction[1:] == pytest.approx(wanted[1:], rel=1e-4, abs=1e-4 * float(np.abs(wanted).max()))


@pytest.mark.slow
@pytest.mark.compiler
def test_two_exports_stand_in_one_program(tmp_path: Path) -> None:
    folders = {"one": ("spinning_top", "dimcd"), "two": ("bricard", "riccati")}
    objects: list[Path] = []
    for prefix, (name, method) in folders.items():
        folder = tmp_path / prefix
        _write(_files(name, method, prefix), folder)  # type: ignore[arg-type]
        for each in (*_units(folder), folder / "test/selftest.c"):
            objects.append(folder / f"{each.stem}.o")
            run("gcc", "-std=c99", "-O1", f"-I{folder / 'include'}", "-c", each, "-o", objects[-1])
    main_c = tmp_path / "main.c"
    main_c.write_text(
        '#include "one.h"\n#include "two.h"\n#include "two_schemes.h"\n'
        "int one_selftest(void);\nint two_selftest(void);\n"
        "int main(void) { return one_selftest() + two_selftest(); }\n"
    )
    folders_of = [f"-I{tmp_path / prefix / 'include'}" for prefix in folders]
    run("gcc", "-std=c99", *folders_of, main_c, *objects, "-o", tmp_path / "program", "-lm")
    run(tmp_path / "program")


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_what_moves_with_shorter_steps_only_is_tested_with_those(method: Method) -> None:
    name = "andrews" if method == "dimcd" else "flyball_governor"
    tree = json.loads(_files(name, method)["manifest.json"])
    assert tree["vectors"] == {"OK": 2, "BAD_INPUT": 8 if method == "dimcd" else 7}
    assert tree["figures"]["step"] == 1e-4
    assert not tree["notes"]
    assert len(_files(name, method)["test/vectors.h"]) < 60_000


SWING: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "swing",
    "space": "planar",
    "gravity": [0, -9.81],
    "bodies": {"a": {"mass": 2.0, "com": [0.5, 0.1], "inertia": [0.15, 0.15, 0.3, 0, 0, 0]}},
    "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0]}},
    "forces": {"push": {"kind": "force", "body": "a", "at": [1, 0], "value": ["exp(-t)", 0]}},
}


def _swing(**changed: Any) -> symgen.Mechanism:
    return symgen.Mechanism.from_dict({**SWING, **changed})


@pytest.mark.slow
@pytest.mark.compiler
def test_laws_that_call_the_mathematical_library_are_said_to_have_other_bits() -> None:
    tree = json.loads(dynamics_tree(_swing(), None, "dimcd", (), "export X", targets=False)["manifest.json"])
    assert tree["prefix"] == "swing"
    (note,) = tree["notes"]
    assert "exp" in note
    assert any("exp" in each for each in tree["not_run"])


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("count", [15, 25, 60])
def test_a_long_chain_has_fewer_rows(count: int, tmp_path: Path) -> None:
    bodies = {f"b{k}": SWING["bodies"]["a"] for k in range(count)}
    joints = {
        f"J{k}": {"type": "R", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [float(k), 0]}
        for k in range(count)
    }
    files = dynamics_tree(
        _swing(bodies=bodies, joints=joints, forces={}), "chain", "dimcd", (), "export X", targets=False
    )
    assert len(files["test/vectors.h"]) < 60_000
    tree = json.loads(files["manifest.json"])
    assert tree["vectors"]["OK"] == 2
    assert any("many bodies" in note for note in tree["notes"]) == (count == 60)
    _write(files, tmp_path)
    program = tmp_path / "program"
    run("gcc", *WARNINGS, "-std=c99", "-O0", f"-I{tmp_path / 'include'}", "-DCHAIN_SELFTEST_MAIN", *_units(tmp_path),
        tmp_path / "test/selftest.c", "-o", program, "-lm")  # fmt: skip
    assert run(program).strip() == "chain: 10 vectors, 0 differ"


@pytest.mark.compiler
def test_the_manifest_says_what_is_there(tmp_path: Path) -> None:
    files = _files("spinning_top", "dimcd")
    tree = json.loads(files["manifest.json"])
    wanted = {
        "schema": "symgen/export/1",
        "kind": "dynamics",
        "method": "dimcd",
        "precision": "double",
        "prefix": "Top",
    }
    assert wanted.items() <= tree.items()
    assert tree["bodies"] == ["top"]
    assert tree["sizes"]["workspace_bytes"] > 0
    assert tree["sizes"]["state"] == {"coordinates": 6, "rate": 3, "twist": 6, "angle": 0, "watched": 3}
    assert tree["sizes"]["samples"]["poses"] == 7
    assert tree["vectors"] == {"OK": 2, "BAD_INPUT": 8}
    assert "#define TOP_STATE_COORDINATES 6 " in files["include/Top.h"]
    assert tree["notes"] == ["active[0] is not 0 from 1 s until 1.05 s: runs end where that changes"]
    assert "active[1] = {0}" in files["examples/run.c"]  # it pushes later
    assert tree["not_run"] == ["Cortex-M, as it was asked not to"]
    assert set(tree["files"]) == set(files) - {"manifest.json"}
    for name, digest in tree["files"].items():
        assert hashlib.sha256(files[name].encode()).hexdigest() == digest
    assert {"include/Top.h", "include/symgen_status.h", "src/Top.c", "src/Top_problem.h", "examples/run.c"} <= set(
        files
    )
    assert {"CMakeLists.txt", "library.json", "library.properties", "zephyr/Kconfig"} <= set(files)
    assert "Kinematics" not in files["zephyr/Kconfig"]
    assert not [name for name, text in files.items() if name.startswith("src/") and "malloc" in text]
    assert "not a number" in files["test/vectors.h"]


TOP = str(DYNAMICS / "spinning_top" / "mechanism.toml")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([TOP, "--results", "top"], "--results does not go with --dynamics: the results are all bodies"),
        ([TOP, "--branch", "follow"], "--branch does not go with --dynamics"),
        ([TOP, "--stages", "all"], "--stages does not go with --dynamics"),
        ([TOP, "--drives", "inputs"], "inputs at each call are not written yet"),
        ([TOP, "--at", "1"], "--at does not go with --dynamics"),
        ([TOP, "--batch"], "--batch does not go with --dynamics"),
        ([TOP, "--precision", "float"], "--precision float: --dynamics is written in double only"),
        ([TOP, "--math", "libm"], "--math libm: --dynamics uses only symgen's own functions"),
        ([TOP, "--method", "dimdc"], "dimdc"),
        ([TOP, "--prefix", "stdio"], "'my_stdio'"),
        ([TOP, "--packaging", "cmak"], 'did you mean "cmake"'),
        (["R.R.R 2D"], "--dynamics takes a mechanism file"),
        ([str(DYNAMICS.parent / "jansen_leg" / "mechanism.toml")], "mass"),
    ],
)
def test_what_does_not_belong_to_dynamics_is_refused_with_a_reason(
    arguments: list[str], said: str, tmp_path: Path, capsys: Any
) -> None:
    assert _main([*arguments, "--for", "embedded", "--dynamics", "--out", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_a_method_without_dynamics_and_another_system_are_refused(tmp_path: Path, capsys: Any) -> None:
    assert _main([TOP, "--for", "embedded", "--method", "dimcd", "--out", str(tmp_path / "x")]) == 2
    assert "--method belongs to --dynamics" in capsys.readouterr().err
    assert _main([TOP, "--for", "fmu", "--dynamics", "--out", str(tmp_path / "x")]) == 2
    assert "--dynamics belongs to --for embedded, not to --for fmu" in capsys.readouterr().err


def test_without_a_compiler_nothing_is_written(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert _main([TOP, "--for", "embedded", "--dynamics", "--no-targets", "--out", str(tmp_path / "x")]) == 2
    assert "no-such-compiler" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.compiler
def test_the_command_writes_what_its_manifest_asks_for_again(tmp_path: Path, capsys: Any) -> None:
    words = [TOP, "--for", "embedded", "--dynamics", "--method", "riccati", "--prefix", "top", "--precision", "double"]
    for _ in range(2):  # what symgen exported it replaces
        assert _main([*words, "--no-targets", "--out", str(tmp_path / "x")]) == 0
    assert "a workspace of" in capsys.readouterr().out
    tree = json.loads((tmp_path / "x" / "manifest.json").read_text())
    for word in ("--dynamics", "--method riccati", "--prefix top", "--no-targets"):  # figures of targets would be in it
        assert word in tree["request"]
    assert (tmp_path / "x" / "include" / "top_sizes.h").is_file()
    # another export does not take its place unasked
    assert _main([LEG, "--for", "embedded", "--no-targets", "--out", str(tmp_path / "x")]) == 2
    assert "holds the export of dynamics of spinning top" in capsys.readouterr().err


LEG = str(DYNAMICS.parent / "jansen_leg" / "mechanism.toml")


def _main(arguments: list[str]) -> int:
    try:
        return main(["export", *arguments])
    except SystemExit as stop:
        return int(stop.code or 0)
