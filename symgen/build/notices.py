"""Things worth saying on standard error, once a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_said: set[str] = set()
#: How many ask to be told, without a terminal too, that something is compiled.
_asking = [0]


def say_once(topic: str, message: str) -> None:
    """Write a message to standard error unless something was already said on this topic."""
    if topic not in _said:
        _said.add(topic)
        print(f"symgen: {message}", file=sys.stderr)


def forget_notices() -> None:
    """Make every topic new again (for tests)."""
    _said.clear()


def tell_compiling(name: str) -> None:
    """Say on a terminal that a module is being compiled: it takes a while, but only once.

    Elsewhere it is said of the first module alone, to those that have asked for it: `first_compiling_told`.
    """
    if sys.stderr.isatty():
        print(f"symgen: compiling {name} (once: it is kept)", file=sys.stderr)
    elif _asking[0]:
        say_once("compiling", "compiling what is not in the cache yet: this takes some seconds, once")


@contextmanager
def first_compiling_told(*, quiet: bool) -> Iterator[None]:
    """Have a line say that something is compiled, before it is, where standard error is no terminal."""
    _asking[0] += not quiet
    try:
        yield
    finally:
        _asking[0] -= not quiet
