"""The public functions of symgen take mechanisms alike: loaded, or as the path of a file; with one BLAS thread."""

from __future__ import annotations

import copy
import dataclasses
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import symgen
import symgen.model.load
from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError, MechanismError
from symgen.model.named import Named

PENDULUM = """\
schema = "symgen/mechanism/1"
name = "pendulum"
space = "planar"
gravity = [0.0, -9.81]
[bodies.rod]
mass = 2.0
com = [0.0, -0.5]
inertia = [0.15, 0.15, 0.3, 0.0, 0.0, 0.0]
[joints.A]
type = "R"
bodies = ["ground", "rod"]
at = [0.0, 0.0]
"""
DRIVEN = PENDULUM + 'driven = 1\n[drives]\nA = "t"\n'

#: Public function -> what it needs of the file, and a call.
FUNCTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "analyse": (DRIVEN, lambda given: symgen.analyse(given)),
    "transform": (PENDULUM, lambda given: symgen.transform(given)),
    "solve": (DRIVEN, lambda given: symgen.solve(given, [0.0, 0.1])),
    "assemblies": (DRIVEN, lambda given: symgen.assemblies(given)),
    "follow_assemblies": (DRIVEN, lambda given: next(symgen.follow_assemblies(given, [0.0, 0.1]))[1]),
    "simulate": (PENDULUM, lambda given: symgen.simulate(given, step=0.01, until=0.02, backend="numpy")),
    "accelerations": (PENDULUM, lambda given: symgen.accelerations(given)),
    "reactions": (PENDULUM, lambda given: symgen.reactions(given)),
    "vibrations": (PENDULUM, lambda given: symgen.vibrations(given)),
}
#: Those that solve with matrices.
NUMERICAL = ("solve", "assemblies", "simulate", "accelerations", "reactions", "vibrations")


def test_every_public_function_of_a_mechanism_is_looked_at() -> None:
    others = {"Mechanism", "Status", "Structure", "SymgenError", "__version__", "library", "load"}
    assert set(symgen.__all__) == others | set(FUNCTIONS)


def _said(answer: Any) -> str:
    """Return an answer as text, without the times that the work took."""
    document = answer.to_dict() if hasattr(answer, "to_dict") else repr(answer)
    if isinstance(document, dict):
        document = {name: value for name, value in document.items() if "seconds" not in name}
    return str(document)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_path_is_as_good_as_the_mechanism(name: str, tmp_path: Path) -> None:
    text, call = FUNCTIONS[name]
    path = tmp_path / "mechanism.toml"
    path.write_text(text)
    wanted = _said(call(symgen.load(path)))
    assert _said(call(path)) == wanted
    assert _said(call(str(path))) == wanted


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_neither_is_refused_with_the_way_to_one(name: str, tmp_path: Path) -> None:
    _, call = FUNCTIONS[name]
    with pytest.raises(MechanismError, match="there is no such file"):
        call(tmp_path / "none.toml")
    with pytest.raises(InputError, match=rf"symgen\.{name} takes a mechanism or the path.*found dict.*from_dict"):
        call({"name": "table"})
    with pytest.raises(InputError, match=rf"symgen\.{name} takes a mechanism or the path.*found NoneType$"):
        call(None)


def test_a_result_in_place_of_its_mechanism_is_told_where_that_is(tmp_path: Path) -> None:
    path = tmp_path / "mechanism.toml"
    path.write_text(DRIVEN)
    motion = symgen.solve(path, [0.0])
    with pytest.raises(InputError, match=r"found MotionResult; its \.mechanism is one"):
        symgen.accelerations(motion)  # type: ignore[arg-type]  # what is tested


def _blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.parametrize("name", NUMERICAL)
def test_numerical_functions_work_on_one_blas_thread(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen from the reading of the file, which they do inside."""
    text, call = FUNCTIONS[name]
    path = tmp_path / "mechanism.toml"
    path.write_text(text)
    seen: list[set[int]] = []
    real = symgen.model.load.load
    monkeypatch.setattr(symgen.model.load, "load", lambda given: seen.append(_blas_threads()) or real(given))
    with threadpool_limits(2, user_api="blas"):
        call(path)
        assert seen == [{1}]
        assert _blas_threads() == {2}
        with pytest.raises(MechanismError):
            call(tmp_path / "none.toml")
        assert _blas_threads() == {2}


def test_threads_that_overlap_leave_the_number_of_threads_as_it_was() -> None:
    """The first that comes leaves first, while another is inside, then the other way round."""
    before = _blas_threads()
    for first_leaves_first in (True, False):
        inside, leave = threading.Event(), threading.Event()

        def stay(inside: threading.Event = inside, leave: threading.Event = leave) -> None:
            with one_blas_thread, one_blas_thread:
                inside.set()
                leave.wait(10)

        other = threading.Thread(target=stay)
        other.start()
        assert inside.wait(10)
        assert _blas_threads() == {1}
        with one_blas_thread:
            assert _blas_threads() == {1}
            if first_leaves_first:
                leave.set()
                other.join(10)
        leave.set()
        other.join(10)
        assert _blas_threads() == before


def _records(value: Any, seen: dict[int, Any]) -> dict[int, Any]:
    """Return all records that a result holds, tables among them, itself included."""
    if id(value) in seen or isinstance(value, str | bytes):
        return seen
    if dataclasses.is_dataclass(value) or isinstance(value, Mapping):
        seen[id(value)] = value
    if dataclasses.is_dataclass(value):
        for each in dataclasses.fields(value):
            _records(getattr(value, each.name), seen)
    elif isinstance(value, Mapping):
        for each in value.values():
            _records(each, seen)
    elif isinstance(value, tuple | list):
        for each in value:
            _records(each, seen)
    return seen


#: Characters of a line and a half: what a person looks over. One part of a file may have all its fields there.
LONGEST = 600


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("follow_assemblies",)])
def test_records_of_a_result_are_shown_shortly_and_compared_safely(name: str, tmp_path: Path) -> None:
    text, call = FUNCTIONS[name]
    if name == "simulate":
        call = lambda given: symgen.simulate(given, step=0.01, until=1.0, backend="numpy", reactions=True)  # noqa: E731
    if name == "solve":
        call = lambda given: symgen.solve(given, [0.001 * k for k in range(1000)])  # noqa: E731
    path = tmp_path / "mechanism.toml"
    path.write_text(text)
    one, two = call(path), call(path)
    mechanism = one.mechanism if hasattr(one, "mechanism") else symgen.load(path)
    for result in (one, mechanism):
        others = [two, None, 3]
        for record in _records(result, {}).values():
            if isinstance(record, Mapping) and type(record) is not Named:
                continue  # a plain dict of the file's own
            assert len(repr(record)) <= LONGEST, type(record)
            assert "\n" not in repr(record)
            if isinstance(record, Mapping):
                continue
            assert record == record
            assert all(record != other or record is other for other in others if type(other) is not type(record))
            assert bool(record == copy.copy(record)) in (True, False)
            assert isinstance(hash(record), int)


def test_a_large_mechanism_is_shown_in_one_line_and_equals_itself_read_again(tmp_path: Path) -> None:
    joints = "".join(
        f'[joints.j{k}]\ntype = "R"\nbodies = ["b{k}", "b{k + 1}"]\nat = [{k}.0, 0.0]\n' for k in range(300)
    )
    bodies = "".join(f"[bodies.b{k + 1}]\n" for k in range(300))
    path = tmp_path / "chain.toml"
    path.write_text(f'schema = "symgen/mechanism/1"\nname = "chain"\nspace = "planar"\nground = "b0"\n{bodies}{joints}')
    one, two = symgen.load(path), symgen.load(path)
    assert repr(one) == "<Mechanism 'chain': planar, 300 moving bodies, 300 joints>"
    assert one == two
    assert hash(one) == hash(two)
    assert len({one, two}) == 1


def test_a_solved_motion_has_what_a_simulated_one_has(tmp_path: Path) -> None:
    path = tmp_path / "mechanism.toml"
    path.write_text(DRIVEN + "[bodies.rod.points]\nP = [0.0, -1.0]\n")
    times = np.linspace(0.0, 1.0, 5)
    motion = symgen.solve(path, times)
    np.testing.assert_allclose(
        motion.point("rod.P")[:, :2], np.stack([np.sin(times), -np.cos(times)], axis=1), atol=1e-15
    )
    np.testing.assert_allclose(motion.point_velocity("rod.P")[:, 0], np.cos(times), atol=1e-15)
    np.testing.assert_allclose(motion.point_acceleration("rod.P")[:, 0], -np.sin(times), atol=1e-15)
    with pytest.raises(InputError, match=r'no point "rod\.Q", written body\.point; did you mean "rod\.P"'):
        motion.point("rod.Q")
    with pytest.raises(InputError, match=r'no body "rood".*did you mean "rod"'):
        motion.bodies["rood"]
    with pytest.raises(InputError, match=r'no joint "B"; there are A'):
        motion.joints["B"]
    table = motion.table()
    assert table["A.angle"].tolist() == motion.joints["A"].coordinates["angle"].tolist()
    motion.write_csv(tmp_path / "motion.csv")
    head, *rows = (tmp_path / "motion.csv").read_text().splitlines()
    assert head.split(",") == [*table, "status"]
    assert [row.split(",")[-1] for row in rows] == ["OK"] * 5
    assert [float(row.split(",")[0]) for row in rows] == times.tolist()
