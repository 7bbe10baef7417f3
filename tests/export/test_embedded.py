"""Exports for controllers: what is written compiles everywhere, steps as `symgen.solve` does, and proves it itself."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import C_ONLY, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.cli.terminal.publishing import staging
from symgen.errors import InputError
from symgen.export.code import code_files
from symgen.export.embedded import PACKAGINGS
from symgen.export.embedded.bundle import bundle
from symgen.export.following import period_notes
from symgen.export.host import Host
from symgen.export.mechanism import MechanismRequest, mechanism_subject
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.subject import Subject
from symgen.library.catalogue import Entry
from symgen.printers.c99 import Math
from symgen.status import Status

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.extension


def _mechanism(name: str) -> symgen.Mechanism:
    return symgen.load(EXAMPLES / name / "mechanism.toml")


def _of_mechanism(name: str, **asked: Any) -> Subject:
    return mechanism_subject(_mechanism(name), symgen.library(), MechanismRequest(**asked))


def _entry(signature: str, arrangement: str | None = None) -> Entry:
    entries = symgen.library().catalogue.matching(signature)
    return next(entry for entry in entries if arrangement in (None, entry.arrangement.id))


def _written(subject: Subject, folder: Path, packagings: tuple[str, ...] = PACKAGINGS) -> dict[str, str]:
    files = bundle(subject, packagings, "export X --for embedded", targets=False)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return files


SUBJECTS = {
    "leg": lambda: _of_mechanism("jansen_leg", prefix="leg", results=["foot.toe"], ranges={"axle.angle": (-700, 700)}),
    "followed": lambda: _of_mechanism("spatial_four_bar", prefix="Loop", branch="follow", period=0.01),
    "laws": lambda: _of_mechanism(
        "isosceles_slider_crank", branch="follow", drives="laws", precision="double", period=0.005
    ),
    "legs": lambda: _of_mechanism(
        "stewart_inverse", results=[f"slider_{k}.slide" for k in range(1, 7)], precision="double"
    ),
    "position": lambda: _of_mechanism("quick_return", prefix="q", branch="input", stage="position", batch=True),
    "libm": lambda: _of_mechanism("nine_bar", math="libm", precision="double", checks="all"),
    "dyad": lambda: type_subject(_entry("R.R.R 2D"), TypeRequest(prefix="P", branch="1")),
    "rod": lambda: type_subject(_entry("R.S.S 3D"), TypeRequest(branch="input", precision="double", batch=True)),
    "iterated": lambda: _of_mechanism(
        "stewart_forward", prefix="sf", precision="double", iterative=12, results=["bodies.14"], period=0.01
    ),
}
FEW = ("leg", "followed", "dyad")
SOME = [pytest.param(name, marks=() if name in FEW else pytest.mark.slow) for name in SUBJECTS]


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("name", SOME)
def test_what_is_written_compiles_everywhere_without_a_word_and_passes_its_own_test(name: str, tmp_path: Path) -> None:
    subject = SUBJECTS[name]()
    files = _written(subject, tmp_path)
    prefix, upper = subject.prefix, subject.prefix.upper()
    sources = [str(tmp_path / each) for each in files if each.startswith("src/") and each.endswith(".c")]
    include = f"-I{tmp_path / 'include'}"
    for compiler in ("gcc", "clang"):
        need(compiler)
        program = tmp_path / compiler
        strict = (*WARNINGS, *C_ONLY, "-std=c99", "-O1", include)
        test = (f"-D{prefix}_SELFTEST_MAIN", *sources, tmp_path / "test/selftest.c", "-o", program, "-lm")
        run(compiler, *strict, *test)
        count = sum(json.loads(files["manifest.json"])["vectors"].values())
        assert run(program).strip() == f"{prefix}: {count} vectors, 0 differ"
        run(compiler, *strict, *sources, tmp_path / "examples/fixed_rate.c", "-o", program, "-lm")
        assert f"{upper}_OUT_" in run(program)
    for each in sources:
        run("gcc", *WARNINGS, "-x", "c++", "-std=c++11", include, "-fsyntax-only", each)
    # an Arduino library is compiled with its folder src alone
    for each in sources:
        run("gcc", "-std=gnu99", f"-I{tmp_path / 'src'}", "-fsyntax-only", each)
    # the header by itself
    run("gcc", *WARNINGS, *C_ONLY, "-x", "c", "-std=c99", "-fsyntax-only", tmp_path / f"include/{prefix}.h")


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("name", ["leg", "followed", "dyad"])
def test_the_code_has_no_data_and_calls_a_square_root_at_most(name: str, tmp_path: Path) -> None:
    subject = SUBJECTS[name]()
    files = _written(subject, tmp_path)
    sources = [tmp_path / each for each in files if each.startswith("src/") and each.endswith(".c")]
    for each in sources:
        made = tmp_path / "x.o"
        run("gcc", "-std=c99", "-Os", "-fno-stack-protector", f"-I{tmp_path / 'include'}", "-c", each, "-o", made)
        symbols = [line.split() for line in run("nm", made).splitlines()]
        assert not [words for words in symbols if words[-2] in ("b", "B", "d", "D", "C")]
        called = {words[-1] for words in symbols if words[-2] == "U"}
        own = {name for name in called if name.startswith("symgen")}
        assert called - own <= {"sqrtf", "sqrt", "fabsf", "fabs", "memcpy", "memset", "_GLOBAL_OFFSET_TABLE_"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["leg", pytest.param("dyad", marks=pytest.mark.slow)])
@pytest.mark.parametrize("fault", ["sign", "bit", "state"])
def test_the_self_test_sees_a_planted_fault(name: str, fault: str, tmp_path: Path) -> None:
    subject = SUBJECTS[name]()
    _written(subject, tmp_path)
    solver = next(path for path in (tmp_path / "src").glob("*_solver*.c"))
    text = solver.read_text()
    step = tmp_path / f"src/{subject.prefix}.c"
    if fault == "sign":  # in the last product that is subtracted
        start, end = text.rsplit(" - ", 1)
        solver.write_text(f"{start} + {end}")
    elif fault == "bit":
        nearly = "results[0] *= 1.0000002F;\n    return status;\n}"
        step.write_text(step.read_text().replace("    return status;\n}\n", f"    {nearly}\n"))
    else:
        step.write_text(step.read_text().replace("return status;", "return SYMGEN_OK;"))
    program = tmp_path / "selftest"
    run("gcc", "-std=c99", "-O1", f"-I{tmp_path / 'include'}", f"-D{subject.prefix.upper()}_SELFTEST_MAIN",
        *(tmp_path / "src").glob("*.c"), tmp_path / "test/selftest.c", "-o", program, "-lm")  # fmt: skip
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert int(done.stdout.split(",")[1].split()[0]) > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("example", "asked"),
    [
        ("jansen_leg", {"branch": "follow"}),
        ("jansen_leg", {}),
        pytest.param("spatial_four_bar", {"results": ["bodies", "joints"]}, marks=pytest.mark.slow),
        pytest.param("stewart_inverse", {"results": ["joints", "points"]}, marks=pytest.mark.slow),
        pytest.param("nine_bar", {}, marks=pytest.mark.slow),
        pytest.param("isosceles_slider_crank", {"branch": "follow", "drives": "laws"}, marks=pytest.mark.slow),
        pytest.param("quick_return", {"stage": "position"}, marks=pytest.mark.slow),
    ],
)
def test_steps_are_what_solve_says_by_the_names_of_its_columns(example: str, asked: dict[str, Any]) -> None:
    mechanism = _mechanism(example)
    period = 0.004
    subject = mechanism_subject(
        mechanism, symgen.library(), MechanismRequest(precision="double", period=period, **asked)
    )
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    times = period * np.arange(60)
    result = symgen.solve(mechanism, times)
    wanted, solved = result.table(), np.asarray(result.status) == int(Status.OK)
    laws = {f"{joint}.{freedom}": law.evaluate(times) for (joint, freedom), law in mechanism.drives.items()}
    assert host.begin() is Status.OK
    steps = 0
    for row, time in enumerate(times):
        inputs = []
        for value in subject.inputs:
            name, end = value.name.rsplit(".", 1) if value.name.endswith((".rate", ".acc")) else (value.name, "")
            inputs.append(float(time) if value.name == "t" else float(laws[name][("", "rate", "acc").index(end)][row]))
        status, results = host.step(inputs)
        assert status in (Status.OK, Status.SINGULAR)
        if status is not Status.OK or not solved[row] or results is None:
            continue
        steps += 1
        for value, found in zip(subject.results, results, strict=True):
            expected = wanted[value.name][row]
            difference = found - expected
            if value.unit == "rad":  # angles may differ by full turns
                difference = math.remainder(difference, math.tau)
            if ".q" in value.name and value.unit == "1":
                difference = min(abs(difference), abs(found + expected))  # a quaternion and its negative turn alike
            # both solve in double; near change points accelerations keep some 8 digits
            assert abs(difference) <= 1e-6 * max(1.0, abs(expected)), (value.name, time)
    assert steps > 40


@pytest.mark.parametrize("name", ["leg", "dyad", pytest.param("legs", marks=pytest.mark.slow)])
def test_results_depend_on_the_inputs_that_are_named_and_on_no_other(name: str) -> None:
    subject = SUBJECTS[name]()
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    host.begin()
    trial = next(t for t in subject.trials if host.step(t.inputs)[0] is Status.OK)
    _, before = host.step(trial.inputs)
    assert before is not None
    moved: set[tuple[str, str]] = set()
    for k, value in enumerate(subject.inputs):
        for size in (1e-3, 1e-2):
            inputs = [x + size * (j == k) for j, x in enumerate(trial.inputs)]
            status, after = host.step(inputs)
            if status is Status.OK and after is not None:
                moved |= {
                    (r.name, value.name) for r, x, y in zip(subject.results, before, after, strict=True) if x != y
                }
    named = {(r.name, i) for r in subject.results for i in r.depends_on}
    assert moved <= named
    if name == "legs":  # nothing is named in vain, but for what is zero here by chance
        assert len(moved) > 0.8 * len(named)


def test_outside_a_range_and_before_init_nothing_is_touched() -> None:
    subject = SUBJECTS["leg"]()
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    assert host.step([0.0, 1.0, 0.0]) == (Status.BAD_INPUT, None)  # before init
    host.begin()
    assert host.step([0.0, 1.0, 0.0])[0] is Status.OK
    for angle in (700.1, -701.0, math.nan, math.inf):
        assert host.step([angle, 1.0, 0.0]) == (Status.BAD_INPUT, None)
    assert host.kept == (Status.OK, 0)
    for rate in (math.nan, -math.inf):  # without a range: the solver finds it
        assert host.step([0.0, rate, 0.0]) == (Status.BAD_INPUT, None)
        assert host.kept == (Status.OK, 0)


@pytest.mark.slow
def test_a_followed_branch_goes_on_after_steps_that_failed() -> None:
    """A sample that is lost has taken its time: the motion is found again where it is by then."""
    subject = _of_mechanism("jansen_leg", branch="follow", precision="double", results=["foot.toe"], period=0.002)
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    plain = _of_mechanism("jansen_leg", precision="double", results=["foot.toe"])
    fixed = Host(plain, bundle(plain, (), "export X", targets=False))
    law = _mechanism("jansen_leg").drives["axle", "angle"]
    host.begin()
    fixed.begin()
    for number, row in enumerate(np.stack(law.evaluate(0.002 * np.arange(60)), axis=1)):
        if number % 7 in (3, 4):
            assert host.step((math.nan, 0.0, 0.0)) == (Status.BAD_INPUT, None)
            continue
        status, found = host.step(tuple(row))
        assert status is Status.OK
        # the leg meets no other branch, so that the one that is compiled in is right all along
        assert found == pytest.approx(fixed.step(tuple(row))[1], rel=1e-12, abs=1e-12)


PARALLELOGRAM: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "parallelogram",
    "space": "planar",
    "bodies": {"crank": {}, "coupler": {}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [0, 0.2]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [0.6, 0.2]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [0.6, 0]},
    },
    "drives": {"A": "2*pi*t"},
}


def _parallelogram(**asked: Any) -> Subject:
    mechanism = symgen.Mechanism.from_dict(PARALLELOGRAM)
    return mechanism_subject(mechanism, symgen.library(), MechanismRequest(precision="double", **asked))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("law", "math_of"), [("log(t)", "libm"), ("sqrt(t)", "libm"), ("sqrt(t)", "own"), ("1/t", "own")]
)
def test_a_law_without_a_value_is_bad_input_and_no_fault_of_a_group(law: str, math_of: Math) -> None:
    mechanism = symgen.Mechanism.from_dict({**PARALLELOGRAM, "drives": {"A": law}})
    request = MechanismRequest(precision="double", math=math_of, drives="laws", branch="0,1", results=["coupler"])
    if law == "1/t":
        request = replace(request, stage="position")
    subject = mechanism_subject(mechanism, symgen.library(), request)
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    host.begin()
    assert host.step((0.9,))[0] is Status.OK
    assert host.step((0.0 if law == "1/t" else -1.0,))[0] is Status.BAD_INPUT


@pytest.mark.slow
def test_a_motion_that_leaves_its_branches_is_told_and_with_laws_refused() -> None:
    noted = _parallelogram(results=["coupler"])
    assert any("leaves them: group 2 is in branch" in note and "--branch follow" in note for note in noted.notes)
    assert not any("leaves them" in note for note in _of_mechanism("jansen_leg", results=["foot.toe"]).notes)
    with pytest.raises(InputError, match="leaves the branches in which it is drawn: group 2 is in branch"):
        _parallelogram(drives="laws", results=["coupler"])
    assert _parallelogram(drives="laws", branch="0,1", results=["coupler"]).chosen == (0, 1)


def test_branches_of_the_caller_begin_with_those_of_the_drawing() -> None:
    subject = _of_mechanism("jansen_leg", branch="input", results=["foot.toe"], precision="double")
    files = bundle(subject, (), "export X", targets=False)
    assert json.loads(files["manifest.json"])["reference_branch"] == [0, 1, 0, 1]
    plain = _of_mechanism("jansen_leg", results=["foot.toe"], precision="double")
    one, two = Host(subject, files), Host(plain, bundle(plain, (), "export X", targets=False))
    one.begin()
    two.begin()
    assert one.step((0.3, 1.0, 0.0)) == two.step((0.3, 1.0, 0.0))


@pytest.mark.slow
def test_a_followed_motion_is_taken_up_where_it_begins_and_nowhere_else() -> None:
    subject = _parallelogram(branch="follow", results=["coupler"])
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    for turns in np.linspace(0.0, 1.0, 41):
        host.begin()
        status, _ = host.step((2 * math.pi * turns, 2 * math.pi, 0.0))
        assert status is (Status.OK if turns == 0.0 else Status.BAD_INPUT)
    host.begin()
    # once around: what is OK is the smooth motion, in which the coupler does not turn
    turned = [str(v.name) for v in subject.results].index("coupler.phi")
    solved = 0
    for number in range(1001):
        status, found = host.step((2 * math.pi * number / 1000, 2 * math.pi, 0.0))
        if status is Status.OK:
            assert found is not None
            assert abs(math.remainder(found[turned], math.tau)) < 1e-9
            solved += 1
    assert solved >= 240


@pytest.mark.slow
def test_where_branches_meet_is_among_the_steps_of_the_self_test() -> None:
    for stage in ("all", "position"):
        subject = _parallelogram(stage=stage)
        tree = json.loads(bundle(subject, (), "export X", targets=False)["manifest.json"])
        assert tree["vectors"].get("SINGULAR", 0) >= 1


def test_an_input_that_no_result_needs_has_to_be_finite_too() -> None:
    tree = dict(PARALLELOGRAM, bodies={**PARALLELOGRAM["bodies"], "other": {}})
    tree["joints"] = {
        **PARALLELOGRAM["joints"],
        "E": {"type": "R", "bodies": ["ground", "other"], "at": [2, 0], "driven": 1},
    }
    tree["drives"] = {"A": "2*pi*t", "E": "t"}
    request = MechanismRequest(results=["other"], precision="double")
    subject = mechanism_subject(symgen.Mechanism.from_dict(tree), symgen.library(), request)
    host = Host(subject, bundle(subject, (), "export X", targets=False))
    host.begin()
    assert host.step((0.1, 1.0, 0.0, 0.2, 1.0, 0.0))[0] is Status.OK
    for k in range(6):
        for odd in (math.nan, math.inf, -math.inf):
            inputs = [0.1, 1.0, 0.0, 0.2, 1.0, 0.0]
            inputs[k] = odd
            assert host.step(inputs) == (Status.BAD_INPUT, None)


@pytest.mark.slow
def test_two_exports_link_into_one_program_whatever_their_prefixes_look_like(tmp_path: Path) -> None:
    prefixes = {"myLeg": ["foot.toe"], "my_leg": ["upper"], "Leg": ["hip"], "leg": ["lower"]}
    symbols: list[str] = []
    for prefix, results in prefixes.items():
        subject = _of_mechanism("jansen_leg", prefix=prefix, results=results)
        files = _written(subject, tmp_path / f"of_{prefix}", ())
        for name in files:
            if name.startswith("src/") and name.endswith(".c"):
                made = tmp_path / "x.o"
                path = tmp_path / f"of_{prefix}"
                run("gcc", "-std=c99", "-O0", f"-I{path / 'include'}", "-c", path / name, "-o", made)
                symbols += [line.split()[-1] for line in run("nm", "-g", "--defined-only", made).splitlines()]
    assert len(symbols) == len(set(symbols)) >= 12


def test_the_manifest_tells_the_files_the_ports_and_what_did_not_run(tmp_path: Path) -> None:
    subject = SUBJECTS["leg"]()
    files = _written(subject, tmp_path, ("cmake",))
    tree = json.loads(files["manifest.json"])
    assert tree["schema"] == "symgen/export/1"
    assert {"prefix": "leg", "precision": "float", "math": "own"}.items() <= tree.items()
    assert set(tree["files"]) == set(files) - {"manifest.json"}
    for name, digest in tree["files"].items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    assert [port["name"] for port in tree["inputs"]] == ["axle.angle", "axle.angle.rate", "axle.angle.acc"]
    assert [port["unit"] for port in tree["inputs"]] == ["rad", "rad/s", "rad/s^2"]
    assert (tree["inputs"][0]["min"], tree["inputs"][0]["max"]) == (-700.0, 700.0)
    assert tree["inputs"][1]["min"] is None
    assert [port["index"] for port in tree["results"]] == list(range(6))
    assert tree["results"][0]["depends_on"] == ["axle.angle"]
    assert tree["state_bytes"] > 0
    assert tree["not_run"]
    header = files["include/leg.h"]
    assert "ports" not in tree  # each name says what it is
    for wanted in ("typedef struct leg_state", "symgen_status leg_init(leg_state *state)", "#define LEG_INPUTS 3",
                   "#define leg_RESULTS LEG_RESULTS", "LEG_OUT_FOOT_TOE_X = 0"):  # fmt: skip
        assert wanted in header
    assert "FetchContent" not in files["CMakeLists.txt"]


def test_every_packaging_adds_its_files_and_an_unknown_one_is_refused(tmp_path: Path, capsys: Any) -> None:
    files = bundle(SUBJECTS["leg"](), PACKAGINGS, "export X", targets=False)
    told = json.loads(files["library.json"])
    assert told["name"] == "leg"
    assert {"library.properties", "zephyr/module.yml", "zephyr/Kconfig", "CMakeLists.txt"} <= set(files)
    assert "config LEG" in files["zephyr/Kconfig"]
    assert "name=leg" in files["library.properties"]
    code = _main(["R.R.R 2D", "--packaging", "cmak", "--out", str(tmp_path / "x")])
    assert code == 2
    assert 'did you mean "cmake"' in capsys.readouterr().err


def _main(arguments: list[str]) -> int:
    try:
        return main(["export", *arguments, "--for", "embedded", "--no-targets"])
    except SystemExit as stop:
        return int(stop.code or 0)


LEG = str(EXAMPLES / "jansen_leg" / "mechanism.toml")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([LEG, "--results", "foot.to"], "foot.toe"),
        ([LEG, "--prefix", "1leg"], "--prefix 1leg"),
        ([LEG, "--prefix", "symgen_x"], "symgen's own"),
        ([LEG, "--prefix", "stdio"], "'my_stdio'"),
        ([LEG, "--prefix", "all"], "'my_all'"),
        ([LEG, "--prefix", "sin"], "math.h"),
        ([LEG, "--at", "nan"], "--at nan"),
        ([LEG, "--at", "1e300"], "--at 1e+300"),
        ([LEG, "--period", "1e-60", "--branch", "follow"], "--period 1e-60"),
        ([LEG, "--allow-iterative", "3"], "no group iterates"),
        ([LEG, "--branch", "0,1,0,1", "--assembly", "1"], "omit one of the two"),
        ([LEG, "--results", "foot.toe.vx"], "give foot.toe"),
        ([LEG, "--results", "axle.angle.rate"], "give axle.angle"),
        ([LEG, "--results", "foot.phi"], "give foot"),
        ([LEG, "--period", "0.1"], "belongs to branches that are followed"),
        ([LEG, "--period", "0.1", "--branch", "follow", "--drives", "laws"], "belongs to drives that are inputs"),
        ([LEG, "--branch", "0,1"], "4 groups"),
        ([LEG, "--branch", "0,2,0,0"], "group 2 has no branch 2, only 0 to 1"),
        ([LEG, "--branch", "folow"], 'did you mean "follow"'),
        ([LEG, "--branch", "follow", "--stages", "position"], "needs rates"),
        ([LEG, "--arrangement", "rrr"], "belongs to a TYPE"),
        ([LEG, "--period", "0"], "--period 0"),
        ([str(EXAMPLES / "stewart_forward" / "mechanism.toml")], "--allow-iterative N"),
        (["R.R.R 2D", "--drives", "laws"], "belongs to a mechanism"),
        (["R.R.R 2D", "--branch", "2"], "branches 0 to 1"),
        (["R* 3D", "--branch", "1"], "one branch, 0"),
        (["R.R.R 2D", "--branch", "inptu"], 'did you mean "input"'),
        (["R.C.S 3D", "--arrangement", "x"], "--arrangement x"),
        (["R.S.S 5D"], "5D"),
        (["nothing.toml"], "nothing.toml"),
    ],
)
def test_what_is_not_allowed_is_refused_with_the_way_out(
    arguments: list[str], said: str, tmp_path: Path, capsys: Any
) -> None:
    assert _main([*arguments, "--out", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_without_a_compiler_there_is_one_message(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert _main([LEG, "--out", str(tmp_path / "x")]) == 2
    told = capsys.readouterr().err
    assert "no-such-compiler" in told
    assert "--for cpp" in told
    assert "NumPy" not in told
    assert len(told.strip().splitlines()) == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"axle.angel" = [0, 1]', "axle.angle"),
        ('"axle.angle" = [1, 0]', "first below the second"),
        ('"axle.angle" = [0, inf]', "first below the second"),
        ('"axle.angle" = 3', "two numbers"),
        ('"axle.angle" = [1, 1.00000000001]', "--precision double"),
        ('"axle.angle" = [-1e6, 1e6]', "angles may reach 12800 rad in float"),
        ("= 3", "not TOML"),
    ],
)
def test_a_range_that_is_none_is_refused(text: str, said: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "ranges.toml").write_text(text)
    assert _main([LEG, "--ranges", str(tmp_path / "ranges.toml"), "--out", str(tmp_path / "x")]) == 2
    assert said in capsys.readouterr().err


def test_ranges_that_no_input_has_are_noted_and_those_of_a_float_lie_within() -> None:
    tree = _mechanism("jansen_leg").to_dict()
    tree["ranges"] = {"axle.angle": [-0.1, 0.3], "axle.angle.rate": [-10, 10]}
    mechanism = symgen.Mechanism.from_dict(tree)
    subject = mechanism_subject(mechanism, symgen.library(), MechanismRequest(stage="position", results=["foot.toe"]))
    assert any("axle.angle.rate" in note for note in subject.notes)
    (value,) = subject.inputs
    assert value.least is not None
    assert value.most is not None
    assert -0.1 <= value.least < -0.0999999
    assert 0.2999999 < value.most <= 0.3
    # steps at random are drawn within: something is solved
    tree["ranges"] = {"axle.angle": [50, 60]}
    subject = mechanism_subject(
        symgen.Mechanism.from_dict(tree), symgen.library(), MechanismRequest(results=["foot.toe"])
    )
    assert json.loads(bundle(subject, (), "export X", targets=False)["manifest.json"])["vectors"]["OK"] >= 8


def test_ranges_of_the_mechanism_file_are_checked_and_reach_the_code(tmp_path: Path) -> None:
    tree = _mechanism("jansen_leg").to_dict()
    tree["ranges"] = {"axle.angle": [-4, 4], "axle": {"angle": {"rate": [-10, 10]}}}
    mechanism = symgen.Mechanism.from_dict(tree)
    assert mechanism.ranges == {"axle.angle": (-4.0, 4.0), "axle.angle.rate": (-10.0, 10.0)}
    for wrong, said in (
        ({"axle.angel": [0, 1]}, "angle"),
        ({"axle.angle": [1, 0]}, "below"),
        ({"axle.angle.speed": [0, 1]}, "rate"),
        ({"foot.angle": [0, 1]}, "foot"),
    ):
        tree["ranges"] = wrong
        with pytest.raises(symgen.SymgenError, match=said):
            symgen.Mechanism.from_dict(tree)


def test_only_what_symgen_exported_is_replaced(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "x"
    arguments = [LEG, "--results", "foot.toe", "--prefix", "leg", "--out", str(out)]
    assert _main(arguments) == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    request = json.loads((out / "manifest.json").read_text())["request"]
    assert request == "export mechanism.toml --for embedded --prefix leg --results foot.toe --no-targets --out DIR"
    assert _main(arguments) == 0  # what is there is symgen's own, untouched
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    other = [str(EXAMPLES / "quick_return" / "mechanism.toml"), "--prefix", "leg", "--out", str(out)]
    assert _main(other) == 2
    assert "holds the export of whole mechanism Jansen leg" in capsys.readouterr().err
    (out / "src" / "mine.c").write_text("int mine;")
    assert _main(arguments) == 2
    assert "mine.c" in capsys.readouterr().err
    (out / "src" / "mine.c").unlink()
    (out / "src" / "leg.c").write_text("edited")
    assert _main(arguments) == 2
    assert "has been edited" in capsys.readouterr().err
    assert _main([*arguments, "--force"]) == 0
    assert (out / "src" / "leg.c").read_bytes() == before[out / "src" / "leg.c"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: Any) -> str:
        raise OSError(28, "No space left on device", str(tmp_path / ".symgen-staging-abc"))

    monkeypatch.setattr("symgen.cli.terminal.publishing.tempfile.mkdtemp", full)
    with (
        pytest.raises(InputError, match=f"--out: nothing can be written in {tmp_path}: no space left") as found,
        staging(tmp_path),
    ):
        raise AssertionError
    assert "staging" not in str(found.value)


def test_ports_of_a_type_are_told_in_header_readme_and_manifest() -> None:
    files = bundle(SUBJECTS["dyad"](), (), "export X", targets=False)
    ports = {each["name"]: each for each in json.loads(files["manifest.json"])["ports"]}
    assert ports["k1"]["meaning"] == "pose of the first known body; x, y, angle; in world axes"
    assert ports["f_j2_b1"]["meaning"].startswith("frame of joint j2 in body b1")
    tree = json.loads(files["manifest.json"])
    sizes = [each["name"].partition("[")[0] for each in (*tree["inputs"], *tree["results"])]
    assert {name: sizes.count(name) for name in sizes} == {name: each["size"] for name, each in ports.items()}
    for name, each in ports.items():
        assert f"- `{name}`: {each['meaning']}" in files["README.md"]
        assert f" * {name}: {each['meaning']}" in files["include/P.h"]


@pytest.mark.parametrize(("least", "most"), [(0.5, 0.55), pytest.param(-3.0, -0.2, marks=pytest.mark.slow)])
def test_the_example_runs_where_the_start_is_out_of_range(least: float, most: float, tmp_path: Path) -> None:
    subject = _of_mechanism(
        "jansen_leg", prefix="leg", results=["foot.toe"],
        ranges={"axle.angle": (least, most), "axle.angle.rate": (-7.0, 7.0)},
    )  # fmt: skip
    files = _written(subject, tmp_path, ())
    begin = json.loads(files["manifest.json"])["inputs"][0]["start"]
    assert begin == pytest.approx(min(max(0.0, least), most), rel=1e-6)
    assert any("axle.angle would begin at 0, out of its range" in note for note in subject.notes)
    assert f"| 0 | `axle.angle` | rad | {least:g} to {most:g} | {begin:g} |" in files["README.md"]
    program = tmp_path / "example"
    run("gcc", "-std=c99", "-O1", f"-I{tmp_path / 'include'}",
        *(tmp_path / "src").glob("*.c"), tmp_path / "examples/fixed_rate.c", "-o", program, "-lm")  # fmt: skip
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == 10


def test_nothing_begins_at_minus_zero() -> None:
    mechanism = symgen.Mechanism.from_dict({**PARALLELOGRAM, "drives": {"A": "-2*pi*t"}})
    subject = mechanism_subject(mechanism, symgen.library(), MechanismRequest(results=["coupler"]))
    assert all(math.copysign(1.0, value.begin) == 1.0 for value in subject.inputs if value.begin == 0.0)


@pytest.mark.slow
def test_a_period_too_long_to_follow_is_refused_with_the_longest() -> None:
    subject = _of_mechanism("jansen_leg", branch="follow", period=0.3, precision="double", results=["foot.toe"])
    files = code_files(subject, "export X")
    with pytest.raises(InputError, match=r"--period 0\.3: too long .* give at most 0\.0\d+$") as found:
        period_notes(subject, files)
    longest = float(str(found.value).rpartition(" ")[2])
    # the oracle: the leg meets no other branch, so that steps of this length hold for good, and some longer ones do not
    host = Host(subject, files)

    def holds(period: float) -> bool:
        host.begin()
        host.set_period(period)
        return all(host.step((math.tau * t, math.tau, 0.0))[0] is Status.OK for t in np.arange(0.0, 7.0, period))

    assert all(holds(part * longest) for part in (0.4, 0.7, 0.9, 1.0, 1.1))
    assert not any(holds(part * longest) for part in (1.7, 2.0, 4.0))


@pytest.mark.slow
def test_a_motion_that_no_period_can_follow_is_noted() -> None:
    subject = _parallelogram(branch="follow", results=["coupler"], period=0.001)
    (note,) = period_notes(subject, code_files(subject, "export X"))
    assert "is lost at t = 0.2" in note  # it lies flat after a quarter of a second
    assert "in shorter steps too" in note
    assert period_notes(SUBJECTS["leg"](), {}) == ()


@pytest.mark.slow
def test_a_followed_export_says_how_it_begins_and_begins_anew() -> None:
    subject = SUBJECTS["followed"]()
    files = bundle(subject, (), "export X", targets=False)
    readme, header = files["README.md"], " ".join(files["include/Loop.h"].replace("\n *", "").split())
    for text in (" ".join(readme.split()), header):
        for wanted in (
            "The first step has to be taken where the motion begins: ",
            "`period` of the state is the time",
            "Rates and accelerations have to be those of the values",
            "Only Loop_init begins anew",
        ):
            assert wanted in text
    assert "| 3 | BRANCH_LOST | the motion is lost: " in readme
    assert "the requested branch" not in readme + header
    fixed = bundle(SUBJECTS["leg"](), (), "export X", targets=False)["README.md"]
    assert "The motion that is followed" not in fixed


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c++17", "gnu++11", "c++11"])
def test_the_self_test_compiles_as_cpp_or_says_why_not(standard: str, tmp_path: Path) -> None:
    _written(SUBJECTS["leg"](), tmp_path, ())
    command = [need("g++"), f"-std={standard}", "-fsyntax-only", "-x", "c++", f"-I{tmp_path / 'include'}",
               str(tmp_path / "test/selftest.c")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) is (standard != "c++11")
    assert ("hexadecimal constants are C99 and C++17" in done.stderr) is (standard == "c++11")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("power", ["0.5", "-0.5", "1.5", "-1.5"])
def test_powers_with_halves_are_roots_and_no_function_of_the_machine(power: str) -> None:
    mechanism = symgen.Mechanism.from_dict({**PARALLELOGRAM, "drives": {"A": f"0.1*(t + 1)**({power})"}})
    request = MechanismRequest(precision="double", drives="laws", results=["A.angle"], branch="0,0")
    subject = mechanism_subject(mechanism, symgen.library(), request)
    host = Host(subject, code_files(subject, "export X"))
    host.begin()
    for t in (0.0, 0.3, 7.0):
        status, found = host.step((t,))
        assert status is Status.OK
        n = float(power)
        wanted = (0.1 * (t + 1) ** n, 0.1 * n * (t + 1) ** (n - 1), 0.1 * n * (n - 1) * (t + 1) ** (n - 2))
        assert found == pytest.approx(wanted, rel=1e-14)


@pytest.mark.slow
def test_groups_that_are_left_out_are_told_in_plain_numbers() -> None:
    subject = _of_mechanism("jansen_leg", results=["upper"])
    assert any("groups 3, 4 lead to no result and are left out, with their checks" in note for note in subject.notes)
    subject = _of_mechanism("jansen_leg", results=["lower", "upper"])
    assert any("group 4 leads to no result and is left out, with its checks" in note for note in subject.notes)


@pytest.mark.parametrize(("way", "to_do"), [("follow", "follow"), ("input", "choose")])
def test_a_way_of_branches_without_effect_is_noted(way: str, to_do: str) -> None:
    tree = {**PARALLELOGRAM, "bodies": {"crank": {}}, "joints": {"A": PARALLELOGRAM["joints"]["A"]}}
    request = MechanismRequest(branch=way, results=["crank"])
    subject = mechanism_subject(symgen.Mechanism.from_dict(tree), symgen.library(), request)
    said = f"each group has only one branch, so there is nothing to {to_do}"
    assert f"--branch {way}: {said}" in subject.notes
    if way == "input":
        of_type = type_subject(_entry("R* 3D"), TypeRequest(branch="input"))
        assert of_type.notes == ("--branch input: it has only one branch, so there is nothing to choose",)
    assert not any(said in note for note in SUBJECTS["leg"]().notes)
