"""How far a long command is: a bar on a terminal, elsewhere a line after some seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Without a terminal: seconds until the first line, and at most between two. A log of hours stays short.
_FIRST, _LONGEST = 10.0, 60.0


class Progress:
    """How far a command is; whoever works tells it, and what shows it reads `done`, `total` and `what`.

    Parameters
    ----------
    total : how many steps there are; None: not known yet.
    """

    def __init__(self, total: float | None = None) -> None:
        self.done = 0.0
        self.total = total
        self.what = ""
        self.is_part = False
        #: When a line was last written.
        self.spoke = 0.0
        self._tell: Callable[[], None] = lambda: None
        self._line: Callable[[str], None] = lambda text: click.echo(text, err=True)

    def at(self, done: float, total: float | None, what: str = "") -> None:
        """Say that `done` of `total` steps are done, and what comes next or was done last."""
        self.done, self.total, self.what = done, total, what
        self._tell()

    def part(self, part: float) -> None:
        """Say which part is done, 0 to 1."""
        self.is_part = True
        self.at(part, 1.0)

    def advance(self, what: str = "") -> None:
        """Say that one more step is done."""
        self.at(self.done + 1, self.total, what)

    def line(self, text: str) -> None:
        """Write a line that stays, on standard error, above the bar if there is one."""
        self.spoke = time.monotonic()
        self._line(text)


@contextmanager
def progress_bar(title: str, total: float | None = None, *, quiet: bool = False) -> Iterator[Progress]:
    """Show how far the commands inside are, until they end.

    Parameters
    ----------
    title : what is done, as in "compiling".
    quiet : show nothing, as with --json; lines that stay are written all the same.
    """
    progress = Progress(total)
    if quiet:
        yield progress
    elif sys.stderr.isatty():
        with _bar(title, progress):
            yield progress
    else:
        with _lines(title, progress):
            yield progress


@contextmanager
def _bar(title: str, progress: Progress) -> Iterator[None]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[share]}", markup=False),
        TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with Bars(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(title, total=progress.total, share="")

        def tell() -> None:
            described = f"{title} {progress.what}".strip()
            bar.update(
                task, completed=progress.done, total=progress.total, description=described, share=_share(progress)
            )

        tell()
        progress._tell = tell
        progress._line = lambda text: bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        yield


@contextmanager
def _lines(title: str, progress: Progress) -> Iterator[None]:
    ended = threading.Event()

    def tell() -> None:
        pause = _FIRST
        while not ended.wait(pause):
            if time.monotonic() - progress.spoke < pause:
                continue
            words = " ".join(filter(None, (title, progress.what)))
            share = _share(progress)
            click.echo(f"{words}: {share}" if share else f"{words} ...", err=True)
            pause = min(2.0 * pause, _LONGEST)

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _share(progress: Progress) -> str:
    """Say how much is done, as in "3/12" or, of a part, "40 %"."""
    done, total = progress.done, progress.total
    if total is None:
        return ""
    return f"{100.0 * done:.0f} %" if progress.is_part else f"{done:.0f}/{total:.0f}"
