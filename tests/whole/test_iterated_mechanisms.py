"""Groups without a closed form, and followed branches, in one function: the same motion as `symgen.solve`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run
from oracle.rod_mechanisms import TREES as RODS
from oracle.whole_modules import Whole, difference, expected
from solve.test_ranked_branches import _mechanism as ranked_mechanism

import symgen
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.status import Status
from symgen.whole.module import whole_module

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Both iterate to the last digit; condition numbers are below 1e4, accelerations gather three levels of it.
CLOSE = 1e-9
#: Float has 24 bits, and half of them at the condition numbers here.
CLOSE_FLOAT = 2e-3

pytestmark = pytest.mark.extension


def _load(example: str) -> Mechanism:
    return symgen.load(EXAMPLES / example / "mechanism.toml")


def _starts(whole: Whole, solved: Any) -> np.ndarray:
    """Return the poses that `symgen.solve` finds, moved by a little."""
    parts = [solved.bodies[body].pose for each in whole.module.layout.iterated for body, _ in each.bodies]
    return np.concatenate(parts, axis=1) + 1e-3


def _follow(whole: Whole, times: np.ndarray, language: str, **given: Any) -> tuple[dict[str, np.ndarray], int]:
    """Call `follow` from time to time; return the results of all calls that were OK, and the last status."""
    state, before = np.array(whole.manifest["reference"]["before"]), times[0]
    rows: list[dict[str, Any]] = []
    status = 0
    for t in times:
        inputs = {"t": [t], "dt": [t - before], "before": state[None], **given}
        found = whole.numpy("follow", **inputs) if language == "numpy" else whole.c("follow", 1, language, **inputs)
        status = int(found["status"][0])
        if status:
            break
        state, before = np.array(found["state"][0], dtype=float), t
        rows.append(found)
    names = [name for name in rows[0] if name not in ("status", "group")] if rows else []
    return {name: np.concatenate([np.atleast_2d(row[name]) for row in rows]) for name in names}, status


def _same(whole: Whole, found: Mapping[str, Any], solved: Any, close: float) -> None:
    for name, values in expected(whole, solved).items():
        assert difference(whole, name, found[name], values) < close, name


@pytest.mark.slow
def test_the_forward_problem_of_the_platform_is_one_function(tmp_path: Path) -> None:
    mechanism, times = _load("stewart_forward"), np.linspace(0.0, 0.2, 13)
    solved = symgen.solve(mechanism, times)
    whole = Whole(tmp_path, mechanism, "platform", ("double",), results=("bodies",))
    for found in (
        whole.numpy("motion", t=times, start=_starts(whole, solved)),
        whole.c("motion", len(times), t=times, start=_starts(whole, solved)),
    ):
        assert not np.any(found["status"])
        _same(whole, found, solved, CLOSE)
        certificates = solved.groups[0].certificates
        assert certificates is not None
        np.testing.assert_array_equal(found["certificates"][:, 0], 1.0)
        # the solver's unit of length is another, by less than a factor of two: a condition changes by at most four
        assert np.all(np.abs(np.log2(found["certificates"][:, 3] / certificates.condition)) < 2.0)
        assert np.all(found["certificates"][:, 1] < found["certificates"][:, 2])
    followed, status = _follow(whole, times, "double")
    assert status == Status.OK
    _same(whole, followed, solved, CLOSE)


@pytest.mark.slow
def test_closed_forms_ranked_branches_and_iteration_go_together(tmp_path: Path) -> None:
    mechanism, times = _load("micro_manipulator"), np.linspace(0.0, 1.0, 17)
    solved = symgen.solve(mechanism, times)
    whole = Whole(tmp_path, mechanism, "micro", ("double",), results=("bodies",))
    iterated = {each.number for each in whole.module.layout.iterated}
    several = {n for n, each in enumerate(whole.module.groups, start=1) if each.branches > 1}
    assert {each.number for each in whole.module.layout.followed} == iterated | several
    found, status = _follow(whole, times, "double")
    assert status == Status.OK
    _same(whole, found, solved, CLOSE)


@pytest.mark.slow
@pytest.mark.parametrize(("example", "geometry"), [("double_coupler", "constants"), ("screw_rod", "parameters")])
def test_every_language_and_precision_follows_the_branch_that_solve_follows(
    example: str, geometry: str, tmp_path: Path
) -> None:
    mechanism, times = _load(example), np.linspace(0.0, 0.25, 31)
    solved = symgen.solve(mechanism, times)
    assert solved.ok
    whole = Whole(tmp_path, mechanism, f"{example}_{geometry}", geometry=geometry)
    for language, close in (("numpy", CLOSE), ("double", CLOSE), ("float", CLOSE_FLOAT)):
        found, status = _follow(whole, times, language)
        assert status == Status.OK
        _same(whole, found, solved, close)


@pytest.mark.slow
def test_a_ranked_branch_keeps_its_motion_while_its_rank_changes(tmp_path: Path) -> None:
    mechanism, times = ranked_mechanism(3), np.linspace(0.0, 0.075, 16)
    solved = symgen.solve(mechanism, times)
    assert solved.ok
    whole = Whole(tmp_path, mechanism, "ranked", results=("bodies",))
    fixed = whole.numpy("motion", t=times)["poses"]
    assert difference(whole, "poses", fixed, expected(whole, solved)["poses"]) > 0.1, "the rank does change"
    for language, close in (("numpy", CLOSE), ("double", CLOSE), ("float", CLOSE_FLOAT)):
        found, status = _follow(whole, times, language)
        assert status == Status.OK
        _same(whole, found, solved, close)


@pytest.mark.slow
def test_a_step_too_long_to_follow_says_that_the_branch_is_lost(tmp_path: Path) -> None:
    """With drives as inputs nothing is known of the time between two calls."""
    for mechanism in (_load("screw_rod"), ranked_mechanism(12)):
        whole = Whole(tmp_path, mechanism, "lost", ("double",), results=("bodies",), drives="inputs")
        before = np.array(whole.manifest["reference"]["before"])
        laws = [mechanism.drives[key].evaluate(np.array([0.6])) for key in whole.module.layout.drives]
        drives = {
            name: np.array([[float(law[order][0]) for law in laws]]) for order, name in enumerate(("u", "ud", "udd"))
        }
        inputs = {"dt": [0.6], "before": before[None], **drives}
        for found in (whole.numpy("follow", **inputs), whole.c("follow", 1, **inputs)):
            assert int(found["status"][0]) in (Status.BRANCH_LOST, Status.AMBIGUOUS)
            assert np.isnan(found["poses"]).all()


def _parallelogram_in_space() -> Mechanism:
    """Four pairs R in space, planar by declaration: more equations than unknowns, so no determinant has a sign."""

    def joint(bodies: list[str], x: float, y: float, **more: Any) -> dict[str, Any]:
        return {"type": "R", "bodies": bodies, "at": [x, y, 0.1], "axis": [0, 0, 1], **more}

    x, y = 0.5 * np.cos(0.7), 0.5 * np.sin(0.7)
    joints = {
        "A": joint(["ground", "crank"], 0.0, 0.0, driven=["angle"]), "B": joint(["crank", "coupler"], x, y),
        "C": joint(["coupler", "rocker"], 1.3 + x, y), "D": joint(["ground", "rocker"], 1.3, 0.0),
    }  # fmt: skip
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "parallelogram", "space": "spatial", "joints": joints,
        "bodies": {"crank": {}, "coupler": {}, "rocker": {}}, "drives": {"A": "2*t"},
        "special": {"flat": {"kind": "planar", "joints": list("ABCD")}},
    })  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("step", [-0.07, 0.11, 0.31])
def test_without_a_determinant_a_change_point_is_passed_smoothly_or_the_motion_ends(
    step: float, tmp_path: Path
) -> None:
    """Crank and rocker turn alike. No row says OK at a condition above 2e7, and none is on the crossed branch."""
    mechanism = _parallelogram_in_space()
    whole = Whole(tmp_path, mechanism, "flat", ("double",), results=("bodies",))
    times = step * np.arange(12)
    for language in ("numpy", "double"):
        found, status = _follow(whole, times, language)
        rows = len(found["state"])
        assert rows > 1
        assert status in (0, Status.SINGULAR, Status.BRANCH_LOST)
        solved = symgen.solve(mechanism, times[:rows])
        _same(whole, found, solved, 1e-7)
        assert np.max(np.abs(solved.bodies["rocker"].omega[:, 2] - 2.0)) < 1e-6


def _spherical_kite(short: float) -> Mechanism:
    """Four axes through a point, coupler and rocker alike; the crank is that much shorter than the ground's link."""
    ground, crank, turn = 0.8, 0.8 * (1.0 - short), 1.0
    axis = {
        "A": np.array([0.0, 0.0, 1.0]),
        "B": np.array([np.sin(crank) * np.cos(turn), np.sin(crank) * np.sin(turn), np.cos(crank)]),
        "D": np.array([np.sin(ground), 0.0, np.cos(ground)]),
    }
    middle, across = axis["B"] + axis["D"], np.cross(axis["B"], axis["D"])
    apex = 0.6 * middle / np.linalg.norm(middle) + 0.8 * across / np.linalg.norm(across)
    axis["C"] = apex / np.linalg.norm(apex)
    bodies = {
        "A": ["ground", "crank"],
        "B": ["crank", "coupler"],
        "C": ["coupler", "rocker"],
        "D": ["ground", "rocker"],
    }
    joints = {
        name: {"type": "R", "bodies": bodies[name], "at": (0.5 * axis[name]).tolist(), "axis": axis[name].tolist()}
        for name in "ABCD"
    }
    joints["A"]["driven"] = ["angle"]
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "spherical kite", "space": "spatial", "joints": joints,
        "bodies": {"crank": {}, "coupler": {}, "rocker": {}}, "drives": {"A": "-t"},
        "special": {"ball": {"kind": "spherical", "joints": list("ABCD")}},
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("short", [0.0, 3e-5, 3e-2])
def test_without_a_determinant_a_near_miss_is_not_stepped_over(short: float, tmp_path: Path) -> None:
    """At t = 1 the crank's axis comes to the rocker's: the rocker turns half round in no time, or nobody can tell."""
    mechanism = _spherical_kite(short)
    whole = Whole(tmp_path, mechanism, "kite", ("double",), results=("bodies",))
    place = whole.module.layout.bodies.index("rocker")
    for times in (np.array([0.0, 0.5, 1.5]), np.array([0.0, 1.0])):
        every = np.unique(np.concatenate([times, np.linspace(0.0, times[-1], 120)]))  # as far as that can be told
        true = symgen.solve(mechanism, every).bodies["rocker"].q[np.searchsorted(every, times)]
        for language in ("numpy", "double"):
            found, status = _follow(whole, times, language)
            rows = len(found["state"])
            q = np.stack([np.ravel(pose).reshape(-1, 7)[place, 3:] for pose in found["poses"]])
            wrong = np.abs(np.sum(q * true[:rows], axis=1)) < 1.0 - 1e-9
            assert not wrong.any(), (language, times)
            assert status in (Status.OK, Status.SINGULAR, Status.BRANCH_LOST)
            if short == 3e-2:
                assert status == Status.OK


@pytest.mark.slow
def test_with_laws_a_long_step_is_many_short_ones(tmp_path: Path) -> None:
    mechanism = _load("screw_rod")
    whole = Whole(tmp_path, mechanism, "long_step", ("double",), results=("bodies",))
    for language in ("numpy", "double"):
        found, status = _follow(whole, np.array([0.0, 0.6]), language)
        assert status == Status.OK
        _same(whole, found, symgen.solve(mechanism, np.array([0.0, 0.6])), CLOSE)


@pytest.mark.slow
def test_where_to_begin_is_a_function_and_may_be_another_assembly(tmp_path: Path) -> None:
    mechanism = _load("screw_rod")
    every = symgen.assemblies(mechanism, 0.1)
    whole = Whole(tmp_path, mechanism, "second", ("double",), time=0.1, assembly=2, results=("bodies",))
    for begin in (whole.numpy("begin"), whole.c("begin", 1)):
        np.testing.assert_allclose(np.ravel(begin["state"]), whole.manifest["reference"]["before"], rtol=1e-15)
        np.testing.assert_allclose(np.ravel(begin["start"]), whole.manifest["reference"]["start"], rtol=1e-15)
    times = np.linspace(0.1, 0.2, 13)
    solved = symgen.solve(mechanism, times, assembly=every[1])
    found, status = _follow(whole, times, "double")
    assert status == Status.OK
    _same(whole, found, solved, CLOSE)
    with pytest.raises(InputError, match="there are"):
        Whole(tmp_path, mechanism, "none", assembly=99)


@pytest.mark.slow
def test_out_of_reach_and_no_numbers_are_told_apart_and_nothing_is_written(tmp_path: Path) -> None:
    whole = Whole(tmp_path, _load("screw_rod"), "refusing", ("double",), drives="inputs", results=("bodies",))
    start = np.array(whole.manifest["reference"]["start"])
    far = start + 1e7
    for run_with in (whole.numpy, lambda name, **given: whole.c(name, 1, **given)):
        given = {"u": [[0.1]], "ud": [[0.0]], "udd": [[0.0]]}
        bad = run_with("motion", **given, start=np.full((1, start.size), np.nan))
        assert int(bad["status"][0]) == Status.BAD_INPUT
        lost = run_with("motion", **given, start=far[None])
        assert int(lost["status"][0]) in (Status.NOT_CONVERGED, Status.OK)
        assert np.isnan(bad["poses"]).all()


def test_free_balls_have_coordinates(tmp_path: Path) -> None:
    mechanism, times = _load("spatial_four_bar"), np.linspace(0.0, 1.0, 9)
    whole = Whole(tmp_path, mechanism, "balls", ("double",), results=("joints",))
    fewer = whole_module(mechanism, symgen.library(), results=("coordinates",))
    every = {(joint.id, freedom) for joint in mechanism.joints for freedom in joint.freedoms}
    assert {*whole.module.layout.coordinates} == every
    assert {*fewer.layout.coordinates} < every
    found = whole.numpy("motion", t=times)
    assert not np.any(found["status"])
    _same(whole, found, symgen.solve(mechanism, times), CLOSE)


#: A sliding bar, and a free pair between it and the ground that only measures.
BAR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "bar",
    "space": "planar",
    "bodies": {"crank": {}, "bar": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "bar"], "driven": 1, "at": [1, 0]},
        "M": {"type": "FP", "bodies": ["ground", "bar"], "at": [0.3, 0.1]},
    },
    "drives": {"A": "t", "B": "0.5*sin(3*t)"},
}


def test_a_pair_that_constrains_nothing_is_read_off_its_bodies(tmp_path: Path) -> None:
    mechanism, times = Mechanism.from_dict(BAR), np.linspace(0.0, 1.0, 9)
    whole = Whole(tmp_path, mechanism, "bar", ("double",), results=("joints",))
    assert [f for joint, f in whole.module.layout.coordinates if joint == "M"] == ["x", "y", "angle"]
    _same(whole, whole.numpy("motion", t=times), symgen.solve(mechanism, times), CLOSE)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the C files of a planar group, one with a screw, and a ranked one that is followed."""
    folder, found = tmp_path_factory.mktemp("strict"), []
    mechanisms = {"planar": _load("double_coupler"), "helix": _load("screw_rod"), "ranked": ranked_mechanism(3)}
    for name, mechanism in mechanisms.items():
        whole = Whole(folder / name, mechanism, f"strict_{name}", results=("bodies",))
        found += [folder / name / f for p in ("double", "float") for f in whole.manifest["files"][p] if f[-2:] == ".c"]
    return found


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_files_compile_without_a_word(compiler: str, files: list[Path], tmp_path: Path) -> None:
    for file in files:
        for flags in LANGUAGES.values():
            run(need(compiler), *WARNINGS, *flags, "-O0", "-c", file, "-o", tmp_path / "o")


@pytest.mark.slow
@pytest.mark.parametrize("geometry", ["constants", "parameters"])
def test_idle_rods_are_solved_with_a_universal_pair_and_read_as_the_ball_of_the_file(
    tmp_path: Path, geometry: str
) -> None:
    mechanism, times = Mechanism.from_dict(RODS["MacPherson"]), np.linspace(0.0, 0.2, 9)
    solved = symgen.solve(mechanism, times)
    whole = Whole(tmp_path, mechanism, "strut", ("double",), geometry=geometry)
    assert {("top", "yaw"), ("tie_2", "roll")} <= {*whole.module.layout.coordinates}
    for language in ("numpy", "double"):
        followed, status = _follow(whole, times, language)
        assert status == Status.OK
        _same(whole, followed, solved, CLOSE)
