"""Long commands say how far they are: a bar on a terminal, a line after some seconds elsewhere, nothing if quiet."""

from __future__ import annotations

import io
import sys
import threading
import time
from pathlib import Path

import pytest

from symgen.cli.terminal import progress as module
from symgen.cli.terminal.progress import progress_bar

ROOT = Path(__file__).parents[2]
#: Bars belong to `symgen/cli/terminal/progress.py` alone.
_OWN = "rich.progress"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first line after 20 ms instead of 10 s."""
    monkeypatch.setattr(module, "_FIRST", 0.02)
    monkeypatch.setattr(module, "_LONGEST", 0.02)


def wait_for(words: str, stream: io.StringIO) -> None:
    """Wait until something is written; the limit is for a machine that hangs."""
    until = time.monotonic() + 30.0
    while words not in stream.getvalue():
        assert time.monotonic() < until, stream.getvalue()
        time.sleep(0.005)


@pytest.mark.usefixtures("soon")
def test_without_a_terminal_lines_say_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    threads = threading.active_count()
    with progress_bar("certifying", 3) as progress:
        wait_for("certifying: 0/3\n", stream)
        progress.advance("dyad_rrr")
        wait_for("certifying dyad_rrr: 1/3\n", stream)
        progress.part(0.25)
        wait_for("certifying: 25 %\n", stream)
        progress.at(2, None)
        wait_for("certifying ...\n", stream)
    assert threading.active_count() == threads


def test_short_commands_and_quiet_ones_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("solving", 2) as progress:
        progress.advance()
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_bar("solving", 2, quiet=True) as progress:
        progress.advance()
        progress.line("solved")
    assert stream.getvalue() == ""
    assert isinstance(sys.stderr, Terminal)
    assert sys.stderr.getvalue() == "solved\n"


def test_a_line_that_stays_is_said_at_once_and_puts_off_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST", 0.05)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("generating", 2) as progress:
        began = time.monotonic()
        while time.monotonic() - began < 0.3:
            progress.line("written")
            time.sleep(0.001)
    lines = set(stream.getvalue().splitlines())
    # On a machine that stops for longer than the pause, the other line may come all the same.
    assert lines in ({"written"}, {"written", "generating: 0/2"})


def test_on_a_terminal_there_is_a_bar_that_goes_away_and_lines_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with progress_bar("compiling", 4) as progress:
        progress.line("[1/4] a module: compiled")
        progress.advance("dyad_rrr")
    text = stream.getvalue()
    assert "compiling dyad_rrr" in text
    assert "1/4" in text
    assert "[1/4] a module: compiled\n" in text
    assert text.rstrip().endswith("\x1b[2K")  # the line of the bar is cleared


def test_bars_are_drawn_in_one_place() -> None:
    files = [path for path in (ROOT / "symgen").rglob("*.py") if _OWN in path.read_text(encoding="utf-8")]
    assert [path.name for path in files] == ["progress.py"]
