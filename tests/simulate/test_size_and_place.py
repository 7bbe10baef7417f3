"""Similar mechanisms move alike whatever their size and place; what stays open ends a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.simulate.central.engine import Settings
from symgen.simulate.central.open_engine import open_engine
from symgen.simulate.central.simulation import CentralSession
from symgen.simulate.diagnosis import explain
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.request import NEWTON, Request
from symgen.simulate.start.started import start_state
from symgen.simulate.tables.problem import make_problem
from symgen.simulate.tables.scale import unit_of_length
from symgen.status import Status


def loop(size: float, at: float = 0.0, *, forces: bool = True, name: str = "") -> dict[str, Any]:
    """Return bodies, joints, drives and forces of a spatial loop with a screw, a driven slide and a chain on it.

    Masses and times stay, so forces grow with the size, torques and moments of inertia with its square.
    """

    def place(*values: float) -> list[float]:
        return [at + size * values[0], *(size * value for value in values[1:])]

    def body(*com: float) -> dict[str, Any]:
        inertia = [0.03 * size**2, 0.04 * size**2, 0.05 * size**2, 0, 0, 0]
        return {"mass": 1.0, "com": place(*com), "inertia": inertia, "points": {"P": place(*com)}}

    crank, rod, rocker, slide, nut = (f"{name}{each}" for each in ("crank", "rod", "rocker", "slide", "nut"))
    across = {"axis": [0, 0, 1]}
    joints = {
        "A": {"type": "R", "bodies": ["ground", crank], "at": place(0, 0, 0), **across},
        "B": {"type": "R", "bodies": [crank, rod], "at": place(0.1, 0.3, 0), **across},
        "C": {"type": "S", "bodies": [rod, rocker], "at": place(0.8, 0.6, 0)},
        "D": {"type": "R", "bodies": [rocker, "ground"], "at": place(0.9, 0, 0), **across},
        "E": {"type": "P", "bodies": ["ground", slide], "at": place(1, 1, 0), "axis": [1, 0, 0], "driven": 1},
        "F": {"type": "H", "bodies": [slide, nut], "at": place(1, 1.2, 0), "axis": [0, 1, 0], "pitch": 0.1 * size},
    }
    drives = {f"{name}E": f"{0.2 * size!r}*sin(2*t)"}
    pushes: dict[str, Any] = {
        "spring": {"kind": "spring", "between": [f"{crank}.P", f"{rocker}.P"], "stiffness": 20.0, "damping": 0.5,
                   "length": 0.4 * size},
        "turning": {"kind": "joint", "joint": f"{name}A", "freedom": "angle", "stiffness": 3.0 * size**2, "rest": 0.2,
                    "damping": 0.1 * size**2, "value": f"{size**2!r}*cos(t)"},
        "push": {"kind": "force", "body": rod, "at": place(0.5, 0.5, 0.1), "value": [size, 0, f"{size!r}*t"]},
        "twist": {"kind": "torque", "body": nut, "value": [0, 0.5 * size**2, 0]},
    }  # fmt: skip
    return {
        "bodies": {crank: body(0.05, 0.15, 0), rod: body(0.45, 0.45, 0), rocker: body(0.85, 0.3, 0),
                   slide: body(1, 1, 0), nut: body(1, 1.2, 0.1)},
        "joints": {f"{name}{key}": joint for key, joint in joints.items()},
        "drives": drives,
        "forces": pushes if forces else {},
    }  # fmt: skip


def mechanism(size: float, *parts: dict[str, Any]) -> symgen.Mechanism:
    whole: dict[str, Any] = {key: {} for key in parts[0]}
    for part in parts:
        for key, value in part.items():
            whole[key] |= value
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "loop", "space": "spatial", "ground": "ground",
        "gravity": [0.3 * size, -9.81 * size, 0.1 * size], **whole,
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_similar_mechanisms_move_alike(structure: str, backend: str) -> None:
    runs = {}
    for size in (1.0, 1e-6, 1e5):
        made = mechanism(size, loop(size))
        runs[size] = symgen.simulate(made, step=0.01, until=0.2, structure=structure, backend=backend, reactions=True)
        assert runs[size].ok
    one = runs[1.0]
    for size, run in runs.items():
        for point in one.points:
            # twenty steps of Newton's iteration, ended at corrections of 1e-10 that are right to their square
            assert np.abs(run.point(point) / size - one.point(point)).max() < 1e-11
        assert run.kinetic / size**2 == pytest.approx(one.kinetic, abs=1e-9)
        assert run.reactions["B"].force / size == pytest.approx(one.reactions["B"].force, abs=1e-7)
        assert run.reactions["A"].moment / size**2 == pytest.approx(one.reactions["A"].moment, abs=1e-7)
        assert run.resultants["rod"][:, 3:] / size**2 == pytest.approx(one.resultants["rod"][:, 3:], abs=1e-7)
        assert {k: v.unique for k, v in run.reactions.items()} == {k: v.unique for k, v in one.reactions.items()}


@pytest.mark.slow
def test_order_four_does_not_know_the_size_either() -> None:
    runs = []
    for size in (1.0, 3e-6, 7e4):
        part = loop(size)
        part["forces"]["spring"]["damping"] = part["forces"]["turning"]["damping"] = 0.0
        runs.append(symgen.simulate(mechanism(size, part), method="variational", order=4, step=0.02, until=0.2))
        assert np.abs(runs[-1].point("rod.P") / size - runs[0].point("rod.P")).max() < 1e-11


def test_the_unit_of_length_is_a_power_of_two_so_nothing_is_rounded() -> None:
    for size in (1e-6, 1.0, 3.0, 1e5):
        unit = unit_of_length(mechanism(size, loop(size)))
        assert np.frexp(unit)[0] == 0.5
        assert 0.2 * size < unit < 2.0 * size


@pytest.mark.slow
def test_a_mechanism_far_from_the_origin_moves_like_the_one_there() -> None:
    near = symgen.simulate(mechanism(1.0, loop(1.0)), step=0.01, until=0.2)
    far = symgen.simulate(mechanism(1.0, loop(1.0, at=1e6)), step=0.01, until=0.2)
    assert far.ok
    # the file's coordinates are rounded to 1.2e-10 m; speeds grow by a few units in 0.2 s
    assert np.abs(far.point("rod.P") - [1e6, 0, 0] - near.point("rod.P")).max() < 2e-7


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["dimcd", "variational"])
@pytest.mark.parametrize("structure", ["tree", "dense"])
def test_a_body_falls_as_far_as_it_likes(structure: str, method: str) -> None:
    made = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "fall", "space": "spatial", "ground": "ground",
        "gravity": [0, 0, -9.81], "joints": {},
        "bodies": {"b": {"mass": 1.0, "com": [0, 0, 0], "inertia": [0.1, 0.2, 0.2, 0, 0, 0]}},
    })  # fmt: skip
    result = symgen.simulate(made, step=0.1, until=1000.0, sample=10.0, structure=structure, method=method)
    assert result.ok
    # 10^4 steps, each rounding 5e6 m to 1e-9 m twice over the time that is left
    assert result.bodies["b"].r[-1, 2] == pytest.approx(-9.81 * 1000.0**2 / 2, rel=1e-8)


@pytest.mark.slow
def test_a_tiny_loop_beside_a_large_one_does_not_fall_apart_in_silence() -> None:
    """The rows of the one of 3e-7 m count as dependent beside those of the one of 1 m."""
    both = mechanism(1.0, loop(1.0, forces=False), loop(3e-7, at=3.0, forces=False, name="small_"))
    result = symgen.simulate(both, step=0.01, until=1.0)
    assert not result.ok
    assert not len(result.times) or result.largest_violation < 1e-8


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_a_loop_that_opens_ends_the_run(backend: str) -> None:
    """The engine is told of one freedom too many, so it drops a row that does matter."""
    made = mechanism(1.0, loop(1.0, forces=False))
    session = CentralSession(Request(made, 1.0, step=0.01, backend=backend))
    wrong = make_problem(
        made, read_dynamics(), "tree", lambda: session.problem.sizes["FREEDOMS"] + 1, session.started.rows
    )
    engine, state = open_engine(wrong, read_dynamics(), backend), start_state(made, wrong, session.started.state)
    samples = engine.run(Settings(0.0, 0.01, 100), state, np.zeros(1, dtype=np.int32))
    assert samples.status == Status.DEGENERATE
    assert 1e-8 < samples.correction < 1.0
    assert "stay open" in explain(made, 0.0, 0.01, samples)
    assert samples.scalars[:, 2].max(initial=0.0) < 1e-8 + 10 * NEWTON  # rows up to then are closed
