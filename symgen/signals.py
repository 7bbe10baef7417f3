"""Signals that end a program: where they are raised, and where they only ask.

Ctrl-C (SIGINT) raises an exception in the main thread, between any two instructions of Python. Where C writes into
arrays meanwhile, or rows are to be kept, that is too early: there the signal is held back and noted, and who works
looks now and then whether one has come.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupted(KeyboardInterrupt):
    """A signal ended what was done.

    Parameters
    ----------
    number : of the signal.
    """

    def __init__(self, number: int = signal.SIGINT) -> None:
        self.number = number
        super().__init__(name_of(number))

    @property
    def exit_status(self) -> int:
        """What a shell gives for a process that the signal ends: 130 for Ctrl-C, 143 for SIGTERM."""
        return 128 + self.number


def name_of(number: int) -> str:
    """Return the words for a signal."""
    return "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise Interrupted(number)


@contextmanager
def passing_on_sigterm() -> Iterator[None]:
    """Have SIGTERM raise `Interrupted` where it would end the process at once: what is half done is then undone."""
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class StopRequest:
    """Whether a signal asks to stop: from `hold` to the end of the context the first is only noted.

    A second one is raised. Handlers of others are left alone, and so is a thread that gets no signals. Without a
    context nothing is held: nobody would let it go again.

    Attributes
    ----------
    number : of the signal, or None.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._entered = False
        self._before: list[tuple[int, Any]] = []

    @property
    def asked(self) -> bool:
        """Whether a signal has come."""
        return self.number is not None

    def __enter__(self) -> StopRequest:
        self._entered = True
        return self

    def __exit__(self, *_: object) -> None:
        while self._before:  # SIGTERM first: should one come meanwhile, Ctrl-C is the last to be held
            signal.signal(*self._before[-1])
            self._before.pop()

    def hold(self) -> None:
        """Note the signals that would raise KeyboardInterrupt instead of raising it."""
        if self._before or not self._entered or not _in_main_thread():
            return
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, _terminate)):
            if signal.getsignal(number) is handler:
                self._before.append((number, handler))
                signal.signal(number, self._note)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            raise Interrupted(number)
        self.number = number


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
