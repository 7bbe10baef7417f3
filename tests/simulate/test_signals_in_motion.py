"""A signal ends a simulation between two steps: the rows up to there stand, nothing writes on, no thread is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli import simulate as verb
from symgen.cli.main import main
from symgen.cli.terminal.progress import Progress
from symgen.model.mechanism import Mechanism
from symgen.signals import Interrupted
from symgen.simulate import calls
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.stopping import SimulationStopped

Patch = pytest.MonkeyPatch
_BODY = {"mass": 2.0, "com": [0.5, 0.1], "inertia": [0.1, 0.1, 0.2, 0.0, 0.0, 0.0]}


def swing(*, damped: bool = False) -> Mechanism:
    """Return a double pendulum; damped it is none for the special engines."""
    damper = {"kind": "joint", "joint": "A", "freedom": "angle", "damping": 0.1}
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1", "name": "swing", "space": "planar", "gravity": [0.0, -9.81],
            "bodies": {"a": _BODY, "b": {**_BODY, "pose": {"r": [1.0, 0.0]}}},
            "joints": {
                "A": {"type": "R", "bodies": ["ground", "a"], "at": [0.0, 0.0]},
                "B": {"type": "R", "bodies": ["a", "b"], "at": [1.0, 0.0]},
            },
            "forces": {"f": damper} if damped else {},
            "initial": {"joints": {"A": {"angle": 0.3, "rate": 1.2}, "B": {"angle": 0.7, "rate": -0.4}}},
        }
    )  # fmt: skip


def send(number: int, after: float) -> Callable[[float], None]:
    """Return what sends a signal to this process, once, where it is told that a part of the motion is done."""
    sent: list[float] = []

    def progress(part: float) -> None:
        if part >= after and not sent:
            sent.append(part)
            os.kill(os.getpid(), number)

    return progress


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch: Patch) -> None:
    monkeypatch.setattr(calls, "_LOOK", 1e-3)


CASES = [
    pytest.param(method, backend, damped, False, marks=[pytest.mark.compiler] if backend == "c" else [])
    for backend in ("c", "numpy")
    for method, damped in [("dimcd", True), ("variational", False), ("group", True), ("riccati", True)]
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("method", "backend", "damped", "chosen"),
    [
        *CASES,
        pytest.param("riccati", "c", False, False, marks=pytest.mark.compiler, id="special"),
        pytest.param("transfer", "auto", True, False, id="transfer"),
        pytest.param("group", "numpy", True, True, id="group chosen", marks=pytest.mark.slow),
        pytest.param("riccati", "numpy", True, True, id="riccati chosen", marks=pytest.mark.slow),
    ],
)
def test_rows_before_a_signal_are_those_of_the_whole_run(method: str, backend: str, damped: bool, chosen: bool) -> None:
    """C is told within a millisecond: a run is long enough for that, in rows of many steps."""
    slow = backend != "c"
    until, step = (1.0, 1e-2) if slow else (20.0, 1e-4)
    how: dict[str, Any] = {"tolerance": 1e-10} if chosen else {"step": step}
    more: dict[str, Any] = {"method": method, "backend": backend, "until": until, "sample": until / 50, **how}
    whole = symgen.simulate(swing(damped=damped), **more)
    stopped: SimulationStopped | None = None
    for _ in range(5):  # on a busy machine C may be done before the signal comes, and the signal too late for the run
        try:
            symgen.simulate(swing(damped=damped), progress=send(signal.SIGINT, 0.2), **more)
        except SimulationStopped as stop:
            stopped = stop
            break
        except KeyboardInterrupt:
            continue
    assert stopped is not None
    assert isinstance(stopped, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert [each for each in threading.enumerate() if each.name == "symgen engine"] == []
    found = stopped.result
    assert found is not None
    rows = len(found.times)
    assert rows >= 0.2 * 50
    assert np.array_equal(found.times, whole.times[:rows])
    for body, track in found.bodies.items():
        assert np.array_equal(track.r, whole.bodies[body].r[:rows])
        assert np.array_equal(track.v, whole.bodies[body].v[:rows])
    if slow:  # C may have come to its end before it was told
        assert rows < len(whole.times)
    if rows < len(whole.times):
        assert found.run.failure is not None
        assert str(found.run.failure).endswith("STOPPED (Ctrl-C ended the run)")
        assert found.times[-1] <= found.run.failure.time < until


@pytest.mark.compiler
def test_a_search_for_a_step_that_is_ended_has_no_rows_or_says_that_they_are_unconfirmed() -> None:
    with pytest.raises(SimulationStopped) as stopped:
        symgen.simulate(swing(), tolerance=1e-5, until=20.0, progress=send(signal.SIGINT, 0.02))
    assert stopped.value.result is not None
    assert "not yet estimated" in stopped.value.result.run.advice
    assert stopped.value.result.run.failure is not None


def test_nothing_is_held_where_nobody_would_let_it_go() -> None:
    from symgen.signals import StopRequest

    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    StopRequest().hold()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    with StopRequest() as stop:
        stop.hold()
        assert signal.getsignal(signal.SIGINT) != handlers[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_handler_of_somebody_else_is_left_alone() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        result = symgen.simulate(
            swing(), method="dimcd", step=1e-2, until=0.5, backend="numpy", progress=send(signal.SIGINT, 0.2)
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]
    assert result.ok


def test_a_simulation_in_another_thread_gets_no_signals() -> None:
    found: list[SimulationResult] = []
    worker = threading.Thread(
        target=lambda: found.append(symgen.simulate(swing(), method="dimcd", step=1e-2, until=0.1, backend="numpy"))
    )
    worker.start()
    worker.join()
    assert found[0].ok


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_call_has_ended_whenever_its_watcher_raises(error: type[BaseException]) -> None:
    """The call goes on for a while after it is told to stop, as a step of C does."""
    reached, ended = np.zeros(2, dtype=np.int64), threading.Event()

    def call() -> int:
        while not reached[1]:
            time.sleep(1e-3)
        time.sleep(0.05)
        ended.set()
        return 6

    def progress(_part: float) -> bool:
        raise error

    with pytest.raises(error):
        calls.watched(call, reached, progress, 1, ())
    assert ended.is_set()


_LOOP = """\
import os, random, signal, sys, threading, time
import numpy as np
from symgen.simulate import calls

random.seed(5)
interrupted = 0
for _ in range(40):
    array, progress, state = np.zeros(100_000), np.zeros(2, dtype=np.int64), {"writes": False}

    def call():
        state["writes"] = True
        while not progress[1]:
            array[:] += 1
        for _ in range(20):
            array[:] += 1
        state["writes"] = False
        return 6

    def shower():
        for _ in range(6):
            time.sleep(random.random() * 4e-3)
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=shower)
    try:
        sender.start()
        calls.watched(call, progress, None, 1, (array,))
    except KeyboardInterrupt:
        interrupted += not state["writes"]
    while sender.is_alive():
        try:
            time.sleep(1e-3)
        except KeyboardInterrupt:
            pass
print(interrupted)
"""


def test_a_shower_of_interrupts_does_not_outrun_the_call() -> None:
    """The handler is Python's own, so that each signal raises wherever the main thread is."""
    done = subprocess.run([sys.executable, "-c", _LOOP], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["40"], done.stderr


# -- the verb --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_files_hold_the_rows_before_a_signal(
    number: int, status: int, tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def progress_bar(_title: str, *, quiet: bool) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(part=send(number, 0.3))

    monkeypatch.setattr(verb, "progress_bar", progress_bar)
    file, names = tmp_path / "swing.json", ("rows.csv", "rows.svg", "rows.html")
    file.write_text(json.dumps(swing().source), encoding="utf-8")
    options = [
        f"--{option}={tmp_path / name}" for option, name in zip(("output", "plot", "animate"), names, strict=True)
    ]
    run = ["simulate", str(file), "--step=0.01", "--until=1", "--backend=numpy", "--json"]
    assert main([*run, *options]) == status
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "STOPPED"
    assert 0.3 <= answer["failure"]["t"] < 0.4
    rows = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == answer["times"]["count"] + 1 in range(31, 41)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([*names, "swing.json"])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_sigterm_before_there_are_rows_ends_a_verb_with_nothing_written(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def progress_bar(_title: str, *, quiet: bool) -> Iterator[Progress]:
        os.kill(os.getpid(), signal.SIGTERM)
        yield Progress()

    monkeypatch.setattr(verb, "progress_bar", progress_bar)
    file = tmp_path / "swing.json"
    file.write_text(json.dumps(swing().source), encoding="utf-8")
    assert main(["simulate", str(file), "--step=0.01", "--until=1", f"--output={tmp_path / 'rows.csv'}"]) == 143
    assert capsys.readouterr().err.splitlines() == ["stopped"]
    assert not (tmp_path / "rows.csv").exists()


def test_an_interrupt_has_the_exit_status_of_a_shell() -> None:
    assert [Interrupted(each).exit_status for each in (signal.SIGINT, signal.SIGTERM)] == [130, 143]
