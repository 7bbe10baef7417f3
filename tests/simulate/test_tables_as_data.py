"""Tables as data: an engine that was compiled once moves every mechanism that it has room for, each its own way."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.build.recipe import FileOnDemand, ModuleSources
from symgen.model.mechanism import Mechanism
from symgen.render.problem import ProblemView
from symgen.resources import source_path
from symgen.simulate.common_engines import common_engines
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.tables.problem_text import header_of
from symgen.simulate.tables.shapes import common_room

pytestmark = pytest.mark.compiler
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "dynamics"
METHODS: dict[str, dict[str, Any]] = {
    "dimcd": {"step": 0.002},
    "variational": {"order": 4, "step": 0.005},
    "riccati": {"step": 0.002},
}


def _heavier(mechanism: Mechanism, factor: float) -> Mechanism:
    """Return the mechanism with the masses of every other body changed, so that the motion is another one."""
    bodies = [
        replace(body, mass=body.mass * factor if body.mass and k % 2 else body.mass)
        for k, body in enumerate(mechanism.bodies)
    ]
    return replace(mechanism, bodies=tuple(bodies))


def _simulate(mechanism: Mechanism, method: str, backend: str) -> SimulationResult:
    return symgen.simulate(mechanism, method=method, until=0.2, sample=0.1, backend=backend, **METHODS[method])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", METHODS)
def test_other_masses_are_not_compiled_and_move_as_in_numpy(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    first = _simulate(mechanism, method, "c")

    def refused(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("symgen.build.compile.compile_module", refused)
    other = _heavier(mechanism, 3.0)
    found, wanted = _simulate(other, method, "c"), _simulate(other, method, "numpy")
    moved = 0.0
    for name, body in wanted.bodies.items():
        # NumPy solves the same discrete equations in another order: rounding of some hundred steps
        np.testing.assert_allclose(found.bodies[name].r, body.r, atol=1e-9)
        moved = max(moved, float(np.abs(found.bodies[name].r - first.bodies[name].r).max()))
    assert moved > 1e-4
    again = _simulate(mechanism, method, "c")
    assert all((again.bodies[name].r == body.r).all() for name, body in first.bodies.items())


def test_the_text_of_tables_is_written_only_where_an_engine_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    first = _simulate(mechanism, "dimcd", "c")

    def refused(*_: object) -> None:
        raise AssertionError("a template was filled")

    monkeypatch.setattr("symgen.render.environment.render", refused)
    assert np.array_equal(_simulate(mechanism, "dimcd", "c").total, first.total)


def test_the_text_of_tables_is_that_of_its_view() -> None:
    sources = dict(common_engines())["dimcd, tree, 4 bodies"]
    (problem,) = (file for file in sources.files if file.path.endswith("problem.h"))
    assert isinstance(problem, FileOnDemand)
    text = problem.text.decode()
    filled = re.findall(r"^    rows = symgen_take\(rows, (\w+), ", text, flags=re.MULTILINE)
    assert filled == re.findall(r"^static \w+ (\w+)\[", text, flags=re.MULTILINE)
    assert "#define ROOM_BODIES 4\n" in text
    assert "    memcpy(table, rows, size);\n" in text


def test_options_of_templates_decide_what_is_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    view = ProblemView((), (), (), (), (), "void f(void);", "void f(void)")
    first = header_of(view, "problem.h").decides
    options = tmp_path / "environment.py"
    options.write_bytes(source_path("symgen.render.environment").read_bytes())
    monkeypatch.setattr("symgen.simulate.tables.problem_text.source_path", lambda module: options)
    assert header_of(view, "problem.h").decides == first
    options.write_text(options.read_text(encoding="utf-8").replace("trim_blocks=True", "trim_blocks=False"))
    assert header_of(view, "problem.h").decides != first


def test_mechanisms_move_side_by_side() -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    asked = [_heavier(mechanism, factor) for factor in (1.0, 2.0, 3.0)]
    wanted = [_simulate(each, "dimcd", "c") for each in asked]
    found: list[SimulationResult | None] = [None] * len(asked)

    def work(k: int) -> None:
        for _ in range(3):
            found[k] = _simulate(asked[k], "dimcd", "c")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(found, wanted, strict=True):
        assert one is not None
        assert all((one.bodies[name].r == body.r).all() for name, body in other.bodies.items())


def _chain(bodies: int, *, forces: bool, damping: float = 0.5) -> Mechanism:
    """Return a pendulum of several bodies; with a damped spring and a force that follows a law of time."""
    names = [f"b{k}" for k in range(bodies)]
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "chain", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {
            name: {"mass": 1.0 + k, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0],
                   "pose": {"r": [float(k), 0.0, 0.0]}, "points": {"tip": [1.0, 0.0, 0.0]}}
            for k, name in enumerate(names)
        },
        "joints": {
            f"J{k}": {"type": "R" if k % 2 else "S", "bodies": [one, two], "at": [float(k), 0.0, 0.0],
                      **({"axis": [0.0, 1.0, 0.0]} if k % 2 else {})}
            for k, (one, two) in enumerate(zip(["ground", *names], names, strict=False))
        },
    }  # fmt: skip
    if forces:
        tree["forces"] = {
            "spring": {"kind": "spring", "between": ["b1.tip", f"{names[-1]}.tip"], "stiffness": 30.0, "length": 0.4,
                       "damping": damping},
            "push": {"kind": "force", "body": names[0], "value": ["sin(7*t)", "2", "-t**2"], "at": [0.2, 0.0, 0.1]},
        }  # fmt: skip
    return Mechanism.from_dict(tree)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", METHODS)
def test_one_engine_moves_mechanisms_of_different_sizes(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows are those of engines with just the room that each needs, bit by bit."""
    damping = 0.0 if method == "variational" else 0.5  # that method takes no dampers
    asked = [
        _chain(n, forces=forces, damping=damping)
        for n, forces in ((8, False), (5, True), (6, False), (7, True), (5, False))
    ]
    with monkeypatch.context() as patch:
        patch.setattr("symgen.simulate.tables.problem_text.common_room", lambda sizes: None)
        wanted = [_simulate(each, method, "c") for each in asked]
    _simulate(
        _chain(8, forces=True, damping=damping), method, "c"
    )  # dampers between bodies make the engine one for rows of loops
    _simulate(asked[0], method, "c")

    def refused(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("symgen.build.compile.compile_module", refused)
    for mechanism, own in zip(asked, wanted, strict=True):
        found = _simulate(mechanism, method, "c")
        for name, body in own.bodies.items():
            for what in ("r", "q", "v", "omega", "a", "alpha"):
                assert (getattr(found.bodies[name], what) == getattr(body, what)).all(), (mechanism.name, name, what)
        assert (found.total == own.total).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("bricard", {"method": "dimcd", "step": 0.01}),
        ("bricard", {"method": "dimcd", "step": 0.01, "structure": "dense"}),
        ("bricard", {"method": "riccati", "step": 0.01}),
        ("double_four_bar", {"method": "riccati", "tolerance": 1e-8}),
        ("andrews", {"method": "riccati", "step": 1e-4}),
        ("flyball_governor", {"method": "dimcd", "step": 1e-3}),
    ],
)
def test_loops_and_driven_freedoms_have_the_same_bits_in_a_common_engine(
    name: str, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    found = symgen.simulate(mechanism, until=0.02, sample=0.01, backend="c", **asked)
    with monkeypatch.context() as patch:
        patch.setattr("symgen.simulate.tables.problem_text.common_room", lambda sizes: None)
        own = symgen.simulate(mechanism, until=0.02, sample=0.01, backend="c", **asked)
    for body, motion in own.bodies.items():
        for what in ("r", "q", "v", "omega", "a", "alpha"):
            assert (getattr(found.bodies[body], what) == getattr(motion, what)).all(), (body, what)


def test_what_is_compiled_in_advance_is_what_simulations_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    names = dict(common_engines())
    keys = {sources.files: name for name, sources in names.items()}
    assert len(keys) == len(names)
    asked: list[str] = []

    class Seen(Exception):  # noqa: N818 - no error: it ends what follows
        pass

    def see(sources: ModuleSources) -> None:
        asked.append(keys.get(sources.files, "none"))
        raise Seen

    monkeypatch.setattr("symgen.simulate.central.engine.Copies", see)
    monkeypatch.setattr("symgen.simulate.articulated.engine.Copies", see)
    for bodies, forces, method in ((3, False, "dimcd"), (6, True, "dimcd"), (16, False, "riccati")):
        with pytest.raises(Seen):
            _simulate(_chain(bodies, forces=forces), method, "c")
    with pytest.raises(Seen):
        symgen.simulate(symgen.load(EXAMPLES / "bricard" / "mechanism.toml"), method="dimcd", structure="dense",
                        step=0.01, until=0.1, backend="c")  # fmt: skip
    assert asked == ["dimcd, tree, 4 bodies", "dimcd, loops, 8 bodies", "riccati, tree, 16 bodies",
                     "dimcd, dense, 8 bodies"]  # fmt: skip


def test_a_mechanism_beyond_the_common_sizes_has_an_engine_of_its_own() -> None:
    sizes = {"TREE": 1, "ELIMINATION": 1, "BODIES": 16, "UNKNOWNS": 40}
    assert common_room(sizes)
    assert common_room({**sizes, "LAW_RUNS": 900})
    with pytest.raises(KeyError, match="UNHEARD_OF"):  # nothing is without a bound
        common_room({**sizes, "UNHEARD_OF": 1})
    assert common_room({**sizes, "BODIES": 17}) is None
    assert common_room({**sizes, "UNKNOWNS": 49}) is None
    assert common_room({**sizes, "BEAMS": 1}) is None
