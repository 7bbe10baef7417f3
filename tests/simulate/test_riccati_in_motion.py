"""Method riccati: order, energy, the other methods' motions, loops of every kind, what it refuses."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.errors import InputError, SolveError
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.request import Request
from symgen.simulate.results.result import SimulationResult
from symgen.status import Status

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
G = 9.81


def _example(name: str) -> Mechanism:
    return symgen.load(EXAMPLES / name / "mechanism.toml")


def _mechanism(**parts: Any) -> Mechanism:
    return Mechanism.from_dict({"schema": "symgen/mechanism/1", "name": "made here", "space": "spatial"} | parts)


def _body(**more: Any) -> dict[str, Any]:
    return {"mass": 2.0, "com": [0.3, 0.0, 0.0], "inertia": [0.01, 0.05, 0.06, 0.002, -0.001, 0.003], **more}


def _gap(one: SimulationResult, two: SimulationResult, *parts: str) -> float:
    """Return the largest difference of the bodies' motion over all rows, relative to its size."""
    np.testing.assert_allclose(one.times, two.times, atol=1e-12)
    return max(
        float(
            np.abs(getattr(one.bodies[body], part) - getattr(two.bodies[body], part)).max()
            / (1.0 + np.abs(getattr(two.bodies[body], part)).max())
        )
        for body in one.bodies
        for part in parts
    )


def _riccati(mechanism: Mechanism, step: float | None, until: float, sample: float, **how: Any) -> SimulationResult:
    """Integrate with the general engine, whatever special one the mechanism would get."""
    given: dict[str, Any] = {"backend": "c", "order": 4 if step else 8, **how}
    return RiccatiSession(Request(mechanism, until, step, sample=sample, method="riccati", **given)).result()


#: Parts of all kinds: a driven table, a rod on it by a ball, a slider with spring and damper, a screw, point springs,
#: a torque that begins and ends, a free body on a rope.
FAIRGROUND: dict[str, Any] = {
    "gravity": [0, 0, -G],
    "bodies": {
        "table": _body(),
        "rod": _body(points={"P": [0.2, 0.1, 0]}),
        "slider": _body(mass=0.5),
        "nut": _body(mass=0.7),
        "stone": _body(mass=0.4, pose={"r": [1.5, 0.2, -0.4]}, points={"Q": [0.1, 0, 0]}),
    },
    "joints": {
        "T": {"type": "R", "bodies": ["ground", "table"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
        "B": {"type": "S", "bodies": ["rod", "table"], "at": [0.2, 0, 0]},
        "S": {"type": "C", "bodies": ["rod", "slider"], "at": [0.3, 0, 0], "axis": [1, 0, 0.2]},
        "N": {"type": "H", "bodies": ["nut", "table"], "pitch": 0.02, "at": [0, 0.3, 0], "axis": [0, 0.1, 1]},
    },
    "drives": {"T": "3*t + 0.4*sin(2*t)"},
    "initial": {
        "joints": {"S": {"slide": 0.05}, "N": {"rate": 2.0}},
        "bodies": {"stone": {"omega": [1.0, 2.0, 0.5], "v": [0.0, 0.3, 0.0]}},
    },
    "forces": {
        "spring": {"kind": "joint", "joint": "S", "freedom": "slide", "stiffness": 80.0, "damping": 1.5, "rest": 0.02},
        "brake": {"kind": "joint", "joint": "N", "freedom": "angle", "damping": 0.01, "value": "0.2*cos(t)"},
        "rope": {"kind": "spring", "between": ["rod.P", "stone.Q"], "stiffness": 20.0, "damping": 0.3,
                 "length": 0.4},
        "push": {"kind": "torque", "body": "slider", "value": [0.1, "0.2*t", 0.0], "axes": "body", "from": 0.03,
                 "until": 0.07},
    },
}  # fmt: skip

#: Three equal cranks carry a platform: one crank more than it needs, a plane with one freedom and nine redundant rows.
PLATFORM: dict[str, Any] = {
    "gravity": [0, 0, -G],
    "bodies": {
        **{f"crank{k}": _body(pose={"r": [k, 0.0, 0.0]}, com=[0, 0, 0.5]) for k in range(3)},
        "platform": _body(mass=5.0, pose={"r": [0.0, 0.0, 1.0]}, com=[1.0, 0, 0.1]),
    },
    "joints": {
        name: {"type": "R", "bodies": bodies, "at": [k, 0.0, height], "axis": [0, 1, 0]}
        for k in range(3)
        for name, bodies, height in (
            (f"A{k}", ["ground", f"crank{k}"], 0.0), (f"B{k}", [f"crank{k}", "platform"], 1.0)
        )
    },
    "initial": {"joints": {"A0": {"rate": 1.0}}},
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize(("order", "step"), [(4, 0.02), (8, 0.2)])
def test_order_is_that_of_the_scheme_with_loops_closed(order: int, step: float) -> None:
    mechanism = _example("bricard")
    fine = _riccati(mechanism, None, 1.2, 0.4, tolerance=1e-12)
    errors = [_gap(_riccati(mechanism, h, 1.2, 0.4, order=order), fine, "r", "q", "v") for h in (step, step / 2)]
    # halving gains 2^order; closing the loops moves the end of a step by its own error along what loops forbid
    assert order - 0.4 < np.log2(errors[0] / errors[1]) < order + 1.5


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "until", "step"),
    [("bricard", 1.0, 0.02), ("double_four_bar", 0.6, 0.01), ("spatial_slider_crank", 1.0, 0.001)],
)
def test_loops_move_as_by_the_variational_method_of_order_6(name: str, until: float, step: float) -> None:
    mechanism = _example(name)
    found = _riccati(mechanism, None, until, until / 10, tolerance=1e-11)
    wanted = symgen.simulate(mechanism, method="variational", order=6, step=step, until=until, sample=until / 10)
    assert found.ok
    # errors of order 6 at these steps: at most 2e-9, found by halving them
    assert _gap(found, wanted, "r", "q") < 2e-8
    assert _gap(found, wanted, "v", "omega") < 2e-7
    assert found.drift < 1e-9 * max(found.kinetic.max(), 1.0)
    assert found.largest_violation < 1e-13


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(("name", "until"), [("andrews", 0.02), ("flyball_governor", 0.2)])
def test_forces_with_and_without_damping_act_as_in_minimal_coordinates(name: str, until: float) -> None:
    mechanism = _example(name)
    found = symgen.simulate(mechanism, method="riccati", tolerance=1e-10, until=until, sample=until / 8, reactions=True)
    wanted = symgen.simulate(mechanism, method="group", tolerance=1e-10, until=until, sample=until / 8, reactions=True)
    assert _gap(found, wanted, "r", "q") < 1e-8
    # accelerations are as large as 1e5 m/s^2 and follow positions with their stiffness
    assert _gap(found, wanted, "a", "alpha") < 1e-5
    for body in found.resultants:
        size = 1.0 + np.abs(wanted.resultants[body]).max()
        assert np.abs(found.resultants[body] - wanted.resultants[body]).max() < 1e-5 * size
    for joint in found.reactions:
        size = 1.0 + np.abs(wanted.reactions[joint].force).max()
        assert np.abs(found.reactions[joint].force - wanted.reactions[joint].force).max() < 1e-5 * size


@pytest.mark.slow
@pytest.mark.compiler
def test_central_differences_converge_to_the_same_motion_with_order_2() -> None:
    mechanism = _mechanism(**FAIRGROUND)
    found = _riccati(mechanism, 1e-3, 0.1, 0.02)
    errors = [
        _gap(symgen.simulate(mechanism, method="dimcd", step=h, until=0.1, sample=0.02), found, "r", "q")
        for h in (1e-3, 5e-4)
    ]
    assert 1.7 < np.log2(errors[0] / errors[1]) < 2.3
    assert errors[1] < 1e-5


@pytest.mark.slow
@pytest.mark.compiler
def test_a_spinning_top_keeps_energy_and_moment_about_the_vertical() -> None:
    mechanism = _example("spinning_top")
    motion = _riccati(mechanism, None, 1.0, 0.05, tolerance=1e-10)
    assert motion.drift < 1e-8 * motion.kinetic.max()
    wanted = symgen.simulate(mechanism, method="variational", order=6, step=5e-4, until=1.0, sample=0.05)
    assert _gap(motion, wanted, "r", "q") < 1e-6  # a hundred radians of spin, order 6 by steps of 0.08 rad


@pytest.mark.slow
@pytest.mark.compiler
def test_redundant_loops_keep_their_energy_and_redundant_rows_do_not_matter() -> None:
    three = _riccati(_mechanism(**PLATFORM), 2e-3, 1.0, 0.1)
    two = dict(PLATFORM, joints={name: joint for name, joint in PLATFORM["joints"].items() if name[1] != "1"})
    two["bodies"] = {name: dict(body) for name, body in PLATFORM["bodies"].items() if name != "crank1"}
    # the crank that is missing moves like the others: its mass and inertia on them by half
    for name in ("crank0", "crank2"):
        body = two["bodies"][name]
        body["mass"], body["inertia"] = 1.5 * body["mass"], [1.5 * each for each in body["inertia"]]
    assert three.ok
    assert three.drift < 1e-9 * three.kinetic.max()
    assert three.largest_violation < 1e-13
    other = _riccati(_mechanism(**two), 2e-3, 1.0, 0.1)
    assert np.abs(three.bodies["platform"].r - other.bodies["platform"].r).max() < 1e-11
    assert np.abs(three.bodies["platform"].a - other.bodies["platform"].a).max() < 1e-9


@pytest.mark.slow
@pytest.mark.compiler
def test_loops_stay_closed_are_called_back_or_open() -> None:
    mechanism = _example("spatial_slider_crank")
    opened = {
        loops: _riccati(mechanism, 2e-3, 4.0, 0.1, loops=loops).violation.max()
        for loops in ("projection", "stabilised", "free")
    }
    assert opened["projection"] < 1e-13
    assert 1e-12 < opened["stabilised"] < 0.1 * opened["free"]


@pytest.mark.compiler
def test_equal_steps_pass_singular_positions() -> None:
    # the double four-bar lies flat twice a turn; its cranks are an exact pendulum that goes round
    motion = _riccati(_example("double_four_bar"), 2e-3, 3.0, 0.1)
    assert motion.ok
    assert np.abs(motion.joints["A0"].coordinates["angle"][-1]) > 2 * np.pi
    assert motion.drift < 1e-8 * motion.kinetic.max()
    assert motion.largest_violation < 1e-13


@pytest.mark.slow
@pytest.mark.compiler
def test_no_step_runs_across_the_beginning_of_a_torque() -> None:
    mechanism = _mechanism(**FAIRGROUND)
    one, two = (_riccati(mechanism, None, 0.1, 0.01, tolerance=each) for each in (1e-7, 1e-11))
    # with the jump inside of steps the error would be that of the step in which it lies
    assert _gap(one, two, "r", "v") < 1e-7
    assert {0.03, 0.07} <= {round(float(t), 12) for t in one.times}


@pytest.mark.compiler
def test_turns_of_joints_are_counted() -> None:
    motion = _riccati(_mechanism(**FAIRGROUND), None, 4.0, 0.5, tolerance=1e-6)
    wanted = 3 * motion.times + 0.4 * np.sin(2 * motion.times)
    np.testing.assert_allclose(motion.joints["T"].coordinates["angle"], wanted, atol=1e-12)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("how", [{"step": 0.004}, {"tolerance": 1e-7}])
@pytest.mark.parametrize("name", ["fairground", "platform", "andrews"])
def test_numpy_takes_the_same_steps(name: str, how: dict[str, float]) -> None:
    made = {"fairground": FAIRGROUND, "platform": PLATFORM}
    mechanism = _mechanism(**made[name]) if name in made else _example(name)
    until = 0.04 if name in made else 0.002
    share = {"step": how["step"] * until / 0.04} if "step" in how else how
    one, two = (
        _riccati(mechanism, share.get("step"), until, until / 4, tolerance=share.get("tolerance"), backend=backend)
        for backend in ("c", "numpy")
    )
    assert abs(one.run.steps - two.run.steps) <= 1
    # positions by rounding; with a tolerance, by what steps that differ by rounding make of it
    limit = 1e-12 if "step" in share else 1e-9
    assert _gap(one, two, "r", "q") < limit
    assert _gap(one, two, "a", "alpha") < 1e3 * limit
    for body in one.resultants:
        size = 1.0 + np.abs(two.resultants[body]).max()
        assert np.abs(one.resultants[body] - two.resultants[body]).max() < 1e3 * limit * size
    np.testing.assert_allclose(one.kinetic, two.kinetic, rtol=1e3 * limit, atol=1e-12)
    assert one.run.method == "riccati"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.compiler), "numpy"])
def test_a_joint_that_moves_no_mass_is_named(backend: str) -> None:
    light = _body(mass=0.0, inertia=[0.0] * 6)
    mechanism = _mechanism(
        gravity=[0, 0, -G],
        bodies={"light": light, "heavy": _body(), "other": _body(pose={"r": [0.3, 0.0, 0.4]})},
        joints={
            "A": {"type": "R", "bodies": ["ground", "light"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "D": {"type": "R", "bodies": ["other", "ground"], "at": [0.8, 0, 0.1], "axis": [0, 1, 0]},
            "C": {"type": "R", "bodies": ["heavy", "other"], "at": [0.3, 0, 0.4], "axis": [0, 1, 0]},
            "B": {"type": "R", "bodies": ["light", "heavy"], "at": [0.2, 0, 0], "axis": [0, 1, 0]},
        },
    )
    motion = _riccati(mechanism, 1e-3, 0.01, 0.01, backend=backend)
    assert motion.run.failure is not None
    assert motion.run.failure.status == Status.SINGULAR
    assert motion.run.failure.time == 0.0
    assert re.search("zero articulated inertia: body light.*joint A.*dimcd", motion.run.failure.message)


@pytest.mark.compiler
def test_an_unstable_step_is_told() -> None:
    motion = symgen.simulate(_example("flyball_governor"), method="riccati", step=1e-3, until=0.05)
    assert motion.run.failure is not None
    assert "the step is too large for the stiffness or damping" in motion.run.failure.message


def test_a_singular_start_is_refused() -> None:
    flat = {
        "gravity": [0, -G, 0],
        "bodies": {name: _body(pose={"r": [x, 0, 0]}) for name, x in (("a", 0.0), ("b", 1.0), ("d", 2.0))},
        "joints": {
            name: {"type": "R", "bodies": bodies, "at": [x, 0, 0], "axis": [0, 0, 1]}
            for name, bodies, x in (
                ("A", ["ground", "a"], 0), ("B", ["a", "b"], 1), ("C", ["b", "d"], 3), ("D", ["ground", "d"], 2),
            )
        },
        "initial": {"joints": {"A": {"rate": 1.0}, "D": {"rate": 1.0}}},
    }  # fmt: skip
    with pytest.raises(SolveError, match=r"starts in a singular position.*dimcd"):
        symgen.simulate(_mechanism(**flat), method="riccati", step=0.01, until=0.1, backend="numpy")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"order": 6}, "method riccati has orders 4 and 8"),
        ({"order": 4, "step": None, "tolerance": 1e-6}, "equal steps"),
        ({"structure": "dense"}, "coordinates of a tree"),
        ({"coordinates": ["A"]}, "method group"),
        ({"loops": "closed"}, "projection, stabilised, free"),
        ({"method": "dimcd", "loops": "free"}, "loops is an option of methods riccati and transfer"),
        ({"method": "transfer", "backend": "c"}, "NumPy only"),
        ({"method": "transfer", "loops": "stabilised"}, "has no constraint rows to add"),
    ],
)
def test_what_does_not_go_together_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        symgen.simulate(_example("spinning_top"), **{"method": "riccati", "step": 0.01, "until": 0.1, **how})


@pytest.mark.compiler
def test_the_verb_writes_rows_plot_and_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(EXAMPLES / "bricard" / "mechanism.toml")
    words = ["simulate", file, "--method", "riccati", "--tolerance", "1e-8", "--until", "0.2", "--sample", "0.05"]
    out = [f"--{name}={tmp_path / file}" for name, file in (("output", "m.csv"), ("plot", "p.svg"))]
    assert main([*words, *out, "--columns", "kinetic", "--reactions", "--loops", "stabilised"]) == 0
    assert len((tmp_path / "m.csv").read_text(encoding="utf-8").splitlines()) >= 6
    assert "<svg" in (tmp_path / "p.svg").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == "riccati"


@pytest.mark.slow
@pytest.mark.compiler
def test_the_c_to_take_away_compiles_strictly_and_gives_the_energies_of_simulate(tmp_path: Path) -> None:
    file = EXAMPLES / "bricard" / "mechanism.toml"
    words = ["generate", "--mechanism", str(file), "--dynamics", "--method", "riccati", "--name", "taken"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    folder = tmp_path / "taken"
    units = [folder / "example.c", folder / "taken.c"]
    run(need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O2", *units, "-lm", "-o", folder / "made")
    said = subprocess.run([folder / "made"], capture_output=True, text=True, check=True).stdout
    energies = [float(text) for text in re.findall(r"energy (\S+) J", said)]
    result = symgen.simulate(symgen.load(file), method="riccati", step=1e-3, until=1.0, sample=0.1)
    assert energies == pytest.approx(result.total, rel=1e-9)  # twelve digits printed, the same steps
