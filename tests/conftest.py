"""Rules of the whole suite: a cache of its own, nothing derived unasked, what a machine can run, skips forbidden."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from symgen.build.compiler import find_compiler, python_include
from symgen.errors import BuildError

# Workers share the processors already, and no matrix here is worth a second thread. NumPy is not loaded yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
_FORBID_SKIPS = os.environ.get("SYMGEN_FORBID_SKIPS", "0") not in ("", "0")
_skipped: dict[str, str] = {}


def pytest_configure() -> None:
    """Hear Ctrl-C and SIGTERM: a shell without job control starts what it puts in the background deaf to Ctrl-C."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile into a folder of this run, never into the user's cache; workers of one run share it."""
    if "SYMGEN_CACHE" in os.environ:
        return
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    cache = base / "symgen-cache"
    cache.mkdir(mode=0o700, exist_ok=True)
    os.environ["SYMGEN_CACHE"] = str(cache)


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_derived() -> None:
    """Derive closed forms where a test asks for it: many groups here are there to be solved by certified Newton."""
    os.environ["SYMGEN_DERIVE"] = "0"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout these tests belong to."""
    return Path(__file__).resolve().parent.parent


def _lack(*needs: Callable[[], object]) -> str | None:
    """Return what the first need says is missing on this machine, or None."""
    try:
        for need in needs:
            need()
    except BuildError as error:
        return str(error)
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot be compiled here, with the reason that a user would be told."""
    lacks = {"compiler": _lack(find_compiler), "extension": _lack(find_compiler, python_include)}
    for marker, reason in lacks.items():
        for item in items if reason else ():
            if item.get_closest_marker(marker) is not None:
                item.add_marker(pytest.mark.skip(reason=reason or ""))


def _note_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    # An expected failure is reported as "skipped" too; it is none.
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        _skipped[report.nodeid] = str(reason).removeprefix("Skipped: ")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note_skip(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note_skip(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _FORBID_SKIPS and _skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not (_FORBID_SKIPS and _skipped):
        return
    terminalreporter.section("skips are forbidden (SYMGEN_FORBID_SKIPS)", red=True)
    for nodeid, reason in sorted(_skipped.items()):
        terminalreporter.line(f"SKIPPED {nodeid}: {reason}", red=True)
