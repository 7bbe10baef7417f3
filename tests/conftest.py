"""Rules of the whole suite: tiers, a cache of its own, nothing derived unasked, what a machine can run, no skips."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tiers import (
    COUNTS,
    EVERYTHING,
    SHARE_VARIABLE,
    SLOW,
    SLOW_VARIABLE,
    VARIABLE,
    is_of_provers,
    of_default_tier,
    with_share,
)

from symgen.build import notices
from symgen.build.compiler import find_compiler, python_include
from symgen.build.errors import CompilerFailedError
from symgen.errors import BuildError

# Workers share the processors already, and no matrix here is worth a second thread. NumPy is not loaded yet.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
_FORBID_SKIPS = os.environ.get("SYMGEN_FORBID_SKIPS", "0") not in ("", "0")
_skipped: dict[str, str] = {}
_LEFT_OUT = "left_out"
#: How many slow tests were left out, and how many of provers.
_left_out = [0, 0]


def pytest_configure() -> None:
    """Hear Ctrl-C and SIGTERM: a shell without job control starts what it puts in the background deaf to Ctrl-C."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> None:
    """Compile into a folder of this checkout that lasts, never into the user's cache.

    What is in it is found by its content and removed if it is not used for long: nothing stale can be found.
    """
    os.environ.pop("SYMGEN_CACHE_LIMIT", None)
    # The same bits at every level, which test_optimisation_levels.py proves, in two thirds of the time.
    os.environ.setdefault("SYMGEN_OPTIMISE", "1")
    if "SYMGEN_CACHE" in os.environ:
        return
    keeper = getattr(request.config, "cache", None)
    try:
        cache = keeper.mkdir("symgen-modules")
        cache.chmod(0o700)
    except (OSError, AttributeError):  # a checkout that cannot be written, or `-p no:cacheprovider`
        base = tmp_path_factory.getbasetemp()
        if "PYTEST_XDIST_WORKER" in os.environ:
            base = base.parent
        cache = base / "symgen-modules"
        cache.mkdir(mode=0o700, exist_ok=True)
    os.environ["SYMGEN_CACHE"] = str(cache)


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_derived() -> None:
    """Derive closed forms where a test asks for it: many groups here are there to be solved by certified Newton."""
    os.environ["SYMGEN_DERIVE"] = "0"


@pytest.fixture(autouse=True)
def _no_compiler_fails_unseen(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail where symgen went on in NumPy because a compiler refused what was generated: only the time would tell."""
    before = set(notices._said)
    yield
    failed = sorted(topic for topic in notices._said - before if CompilerFailedError.__name__ in topic)
    assert not failed or request.node.get_closest_marker("compiler_fails"), (
        "the compiler failed, NumPy was used instead"
    )


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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not of the default tier; skip what cannot be compiled here, as a user would be told."""
    _choose_tier(config, items)
    lacks = {"compiler": _lack(find_compiler), "extension": _lack(find_compiler, python_include)}
    for marker, reason in lacks.items():
        for item in items if reason else ():
            if item.get_closest_marker(marker) is not None:
                item.add_marker(pytest.mark.skip(reason=reason or ""))


def _choose_tier(config: pytest.Config, items: list[pytest.Item]) -> None:
    global _left_out
    chosen = of_default_tier(items)
    counts: dict[str, tuple[int, int]] = {}
    for item, is_chosen in zip(items, chosen, strict=True):
        file = item.nodeid.split("::")[0]
        some, every = counts.get(file, (0, 0))
        counts[file] = some + is_chosen, every + 1
    config.stash[COUNTS] = counts
    if any("::" in argument for argument in config.args):
        return
    of_share = with_share(chosen, os.environ.get(SHARE_VARIABLE, ""), [item.nodeid for item in items])
    takes = [
        SLOW if is_of_provers(item) else EVERYTHING or is_taken for item, is_taken in zip(items, of_share, strict=True)
    ]
    left = [item for item, is_taken in zip(items, takes, strict=True) if not is_taken]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item, is_taken in zip(items, takes, strict=True) if is_taken]
    of_provers = sum(map(is_of_provers, left))
    _left_out = [len(left) - of_provers, of_provers]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a worker of pytest-xdist how many tests were left out."""
    global _left_out
    _left_out = max(_left_out, getattr(node, "workeroutput", {}).get(_LEFT_OUT, [0, 0]))


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
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_LEFT_OUT] = _left_out
    if _FORBID_SKIPS and _skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    slow, of_provers = _left_out
    if slow:
        terminalreporter.line(f"{slow} slow tests were left out: make test-all ({VARIABLE}=1) runs everything")
    if of_provers:
        terminalreporter.line(f"{of_provers} tests of provers were left out: make test-slow ({SLOW_VARIABLE}=1)")
    if not (_FORBID_SKIPS and _skipped):
        return
    terminalreporter.section("skips are forbidden (SYMGEN_FORBID_SKIPS)", red=True)
    for nodeid, reason in sorted(_skipped.items()):
        terminalreporter.line(f"SKIPPED {nodeid}: {reason}", red=True)
