"""A whole mechanism in one function: the same motion as `symgen.solve`, which solves group by group in Python."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run
from oracle.whole_modules import Whole, difference, expected

import symgen
from symgen.model.mechanism import Mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
TIMES = np.linspace(0.0, 1.0, 41)
#: Both ways share their formulas but not their order of operations; condition numbers here are below 1e3, accelerations
#: gather three levels of it.
CLOSE = 1e-9
#: Float has 24 bits; positions keep about 1e-6 of the size, accelerations of these mechanisms a hundred times less.
CLOSE_FLOAT = 2e-3

#: Crank 1, coupler 2.5, rocker 2.5, ground 4; the law lets the crank swing through where the links do not reach.
FOUR_BAR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "four-bar",
    "space": "planar",
    "bodies": {"crank": {}, "coupler": {"points": {"P": [2.0, 1.5]}}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [1, 0]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [2.5, 2]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [4, 0]},
    },
    "drives": {"A": "2*pi*t"},
}


def _load(example: str) -> Mechanism:
    return symgen.load(EXAMPLES / example / "mechanism.toml")


def _same(whole: Whole, found: Mapping[str, Any], mechanism: Mechanism, times: np.ndarray, close: float) -> None:
    assert not np.any(found["status"])
    assert not np.any(found["group"])
    for name, values in expected(whole, symgen.solve(mechanism, times)).items():
        assert difference(whole, name, found[name], values) < close, name


@pytest.mark.sampled(1)
@pytest.mark.parametrize("geometry", ["constants", "parameters"])
@pytest.mark.parametrize("example", ["jansen_leg", "rotor", "spatial_four_bar", "stewart_inverse"])
def test_one_call_gives_the_motion_that_solve_gives(example: str, geometry: str, tmp_path: Path) -> None:
    mechanism = _load(example)
    whole = Whole(tmp_path, mechanism, f"whole_{example}_{geometry}", geometry=geometry)
    _same(whole, whole.numpy("motion", t=TIMES), mechanism, TIMES, CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize("geometry", ["constants", "parameters"])
@pytest.mark.parametrize("name", ["slider_crank", "slots", "spatial", "turns", "three_rrr", "stephenson"])
def test_welds_slots_and_turned_joints_come_out_as_in_solve(
    name: str, geometry: str, trees: Mapping[str, dict[str, Any]], tmp_path: Path
) -> None:
    # of ranked zeros the branch is named at the first time: a short time, within which no rank changes
    times = np.linspace(0.0, 0.02, 5)
    mechanism = Mechanism.from_dict(trees[name])
    solved = symgen.solve(mechanism, times)
    whole = Whole(tmp_path, mechanism, f"whole_{name}_{geometry}", geometry=geometry)
    _same(whole, whole.numpy("motion", t=times), mechanism, times, CLOSE)
    assert solved.ok


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("example", ["jansen_leg", "spatial_four_bar"])
def test_compiled_code_gives_the_same_in_both_precisions(example: str, tmp_path: Path) -> None:
    mechanism = _load(example)
    whole = Whole(tmp_path, mechanism, f"compiled_{example}")
    _same(whole, whole.c("motion", len(TIMES), t=TIMES), mechanism, TIMES, CLOSE)
    _same(whole, whole.c("motion", len(TIMES), "float", t=TIMES), mechanism, TIMES, CLOSE_FLOAT)


def test_drives_may_be_inputs(tmp_path: Path) -> None:
    mechanism = _load("jansen_leg")
    whole = Whole(tmp_path, mechanism, "driven_leg", drives="inputs")
    laws = np.stack([np.stack(mechanism.drives[key].evaluate(TIMES)) for key in whole.module.layout.drives], axis=-1)
    found = whole.numpy("motion", u=laws[0], ud=laws[1], udd=laws[2])
    _same(whole, found, mechanism, TIMES, CLOSE)
    assert [p["name"] for p in whole.ports("position") if p["direction"] == "in"] == ["u", "branch"]


@pytest.mark.slow
def test_positions_alone_are_those_of_the_motion(tmp_path: Path) -> None:
    whole = Whole(tmp_path, _load("spatial_four_bar"), "places")
    alone, both = whole.numpy("position", t=TIMES), whole.numpy("motion", t=TIMES)
    for name in ("poses", "q"):
        np.testing.assert_allclose(alone[name], both[name], rtol=0.0, atol=1e-14)


def test_only_what_is_asked_for_is_computed(tmp_path: Path) -> None:
    every = Whole(tmp_path / "a", Mechanism.from_dict(FOUR_BAR), "every")
    point = Whole(tmp_path / "b", Mechanism.from_dict(FOUR_BAR), "point", results=("points",))
    counts = [w.manifest["functions"][0]["operations"] for w in (every, point)]
    assert [c["trig"] for c in counts] == [4, 2], "sine and cosine of the crank; angles of links are not asked for"
    np.testing.assert_allclose(
        point.numpy("position", t=TIMES)["points"], every.numpy("position", t=TIMES)["points"], atol=1e-14
    )


@pytest.mark.slow
@pytest.mark.compiler
def test_the_group_that_fails_and_why_are_told_and_nothing_else_is_written(tmp_path: Path) -> None:
    tree = {**FOUR_BAR, "joints": {**FOUR_BAR["joints"], "D": {**FOUR_BAR["joints"]["D"], "at": [5.5, 0]}}}
    mechanism = Mechanism.from_dict(tree)
    times = np.linspace(0.0, 1.0, 21)
    solved = symgen.solve(mechanism, times)
    whole = Whole(tmp_path, mechanism, "short_links")
    lost = solved.status != 0
    assert lost.any()
    assert not lost.all()
    for found in (whole.numpy("motion", t=times), whole.c("motion", len(times), t=times)):
        np.testing.assert_array_equal(found["status"], solved.status)
        np.testing.assert_array_equal(found["group"], solved.failed)
        assert np.all(np.isnan(found["poses"][lost]))
        assert np.all(np.isfinite(found["poses"][~lost]))


@pytest.mark.slow
@pytest.mark.compiler
def test_every_choice_of_branches_has_the_status_and_the_group_that_solve_names(tmp_path: Path) -> None:
    mechanism = _load("rotor")
    whole = Whole(tmp_path, mechanism, "rotor_branches", results=("joints",))
    draw = np.random.default_rng(3)
    seen = set()
    for _ in range(15):
        branch = [int(draw.integers(count)) for count in whole.module.layout.branches]
        solved = symgen.solve(mechanism, [0.1], branch=dict(enumerate(branch, start=1)))
        seen.add(symgen.Status(int(solved.status[0])).name)
        for found in (whole.numpy("motion", t=[0.1], branch=branch), whole.c("motion", 1, t=[0.1], branch=branch)):
            assert int(found["status"][0]) == int(solved.status[0]), branch
            assert int(found["group"][0]) == int(solved.failed[0]), branch
    assert {"OK", "NO_ASSEMBLY"} <= seen, seen


#: A driven crank and the loop R.S.U behind it: two roots, the second within reach or not as the first one has it.
CRANK_AND_LOOP: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "crank and loop",
    "space": "spatial",
    "bodies": {"crank": {}, "rod": {}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [1, 0, 0], "axis": [0, 1, 0.2]},
        "C": {"type": "S", "bodies": ["rod", "rocker"], "at": [2, 1, 1]},
        "D": {"type": "U", "bodies": ["ground", "rocker"], "at": [3, 0, 0], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
    },
    "drives": {"A": "t"},
}


@pytest.mark.slow
@pytest.mark.compiler
def test_a_branch_is_lost_where_another_one_of_its_group_has_a_solution(tmp_path: Path) -> None:
    whole = Whole(tmp_path, Mechanism.from_dict(CRANK_AND_LOOP), "lost", geometry="parameters", results=("bodies",))
    assert whole.module.layout.branches == (1, 4)
    draw, seen = np.random.default_rng(1), set()
    for _ in range(60):
        frames = draw.normal(size=(8, 7))
        frames[:, 3:] /= np.linalg.norm(frames[:, 3:], axis=1, keepdims=True)
        rows = []
        for branch in range(4):
            given = {"t": [0.3], "geometry": frames.ravel(), "branch": [0, branch]}
            compiled, vectorised = whole.c("position", 1, **given), whole.numpy("position", **given)
            rows.append(symgen.Status(int(compiled["status"][0])).name)
            assert symgen.Status(int(vectorised["status"][0])).name == rows[-1]
            assert int(compiled["group"][0]) == int(vectorised["group"][0]) == (0 if rows[-1] == "OK" else 2)
        allowed = {"OK", "SINGULAR", "BRANCH_LOST"} if {"OK", "SINGULAR"} & {*rows} else {"NO_ASSEMBLY"}
        assert {*rows} <= allowed, rows
        seen |= {*rows}
    assert {"OK", "BRANCH_LOST", "NO_ASSEMBLY"} <= seen


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("branch", [[0, -1], [0, 2]])
def test_a_branch_that_is_not_there_and_a_time_that_is_no_number_are_bad_input(
    branch: list[int], tmp_path: Path
) -> None:
    whole = Whole(tmp_path, Mechanism.from_dict(FOUR_BAR), "refusing")
    for run_with in (whole.numpy, lambda name, **given: whole.c(name, 1, **given)):
        assert int(run_with("position", t=[0.1], branch=branch)["status"][0]) == symgen.Status.BAD_INPUT
        assert int(run_with("position", t=[np.nan])["status"][0]) == symgen.Status.BAD_INPUT


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_files_compile_without_a_word_as_c_and_as_cpp(compiler: str, tmp_path: Path) -> None:
    for example, options in (("jansen_leg", {}), ("spatial_four_bar", {"geometry": "parameters", "drives": "inputs"})):
        whole = Whole(tmp_path / example, _load(example), f"strict_{example}", **options)
        for file in (f for p in ("double", "float") for f in whole.manifest["files"][p] if f.endswith(".c")):
            for flags in LANGUAGES.values():
                run(need(compiler), *WARNINGS, *flags, "-O1", "-c", tmp_path / example / file, "-o", tmp_path / "o")


@pytest.mark.slow
def test_same_mechanism_same_bytes(tmp_path: Path) -> None:
    first, second = (Whole(tmp_path, _load("jansen_leg"), "twice") for _ in range(2))
    assert first.texts == second.texts


@pytest.mark.slow
@pytest.mark.compiler
def test_the_embedded_example_walks_as_the_leg_does(tmp_path: Path) -> None:
    whole = Whole(tmp_path, _load("jansen_leg"), "leg")
    source = EXAMPLES / "c" / "leg.c"
    flags = (*WARNINGS, *LANGUAGES["c99"], "-O2", "-I", tmp_path)
    run(need("gcc"), *flags, source, tmp_path / "leg.c", "-lm", "-o", tmp_path / "walk")
    done = subprocess.run([tmp_path / "walk"], capture_output=True, text=True, check=True)
    rows = np.array([[float(part) for part in line.split(",")] for line in done.stdout.splitlines()[1:]])
    solved = symgen.solve(whole.module.plan.mechanism, rows[:, 0])
    toe = solved.points["foot.toe"]
    # six printed decimals
    np.testing.assert_allclose(rows[:, 1:3], toe.r[:, :2], atol=2e-6)
    np.testing.assert_allclose(rows[:, 3:5], toe.v[:, :2], atol=2e-5)
