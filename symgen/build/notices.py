"""Things worth saying on standard error, once a process."""

from __future__ import annotations

import sys

_said: set[str] = set()


def say_once(topic: str, message: str) -> None:
    """Write a message to standard error unless something was already said on this topic."""
    if topic not in _said:
        _said.add(topic)
        print(f"symgen: {message}", file=sys.stderr)


def forget_notices() -> None:
    """Make every topic new again (for tests)."""
    _said.clear()


def tell_compiling(name: str) -> None:
    """Say on a terminal that a module is being compiled: it takes a while, but only once."""
    if sys.stderr.isatty():
        print(f"symgen: compiling {name} (once: it is kept)", file=sys.stderr)
