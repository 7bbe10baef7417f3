"""Out of memory: what needed how much, in words; it is the task that is too large, not a fault of the program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

_BYTES = 8  # of a double
_POINT, _BODY, _FREEDOM = 9, 19, 3
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@contextmanager
def memory_for_rows(mechanism: Mechanism, rows: float | None, way_out: str) -> Iterator[None]:
    """Say of a motion that does not fit what it needs.

    Parameters
    ----------
    rows : times that the motion is asked for at; None if nobody knows before.
    way_out : how to ask for fewer rows; ends the message.

    Raises
    ------
    InputError
        In the place of a `MemoryError`.
    """
    try:
        yield
    except MemoryError as error:
        numbers = numbers_of_row(mechanism)
        each = f"every row has {numbers} numbers, {size_words(numbers * _BYTES)}"
        if rows is not None:
            each = f"{rows:.0f} rows of {numbers} numbers are {size_words(rows * numbers * _BYTES)}"
        raise InputError(
            f"out of memory: {each}, and working on them takes several times that{_asked(error)}; {way_out}"
        ) from error


def numbers_of_row(mechanism: Mechanism) -> int:
    """Return how many numbers a motion has at one time: of bodies, points and freedoms of joints."""
    bodies = [*mechanism.bodies, *([] if mechanism.ground_body is None else [mechanism.ground_body])]
    points = sum(len(body.points) for body in bodies)
    freedoms = sum(len(joint.freedoms) for joint in mechanism.joints)
    return 1 + _POINT * points + _BODY * len(mechanism.bodies) + _FREEDOM * freedoms


def size_words(size: float) -> str:
    """Return a number of bytes with a unit that suits it, such as ``1.5 GB``."""
    power = 0
    while size >= 1000.0 and power < len(_UNITS) - 1:
        size, power = size / 1000.0, power + 1
    return f"{size:.3g} {_UNITS[power]}"


def memory_words(error: MemoryError) -> str:
    """Return what is known of a `MemoryError` that no verb has explained."""
    return f"out of memory{_asked(error)}; request less at once, or use a machine with more memory"


def _asked(error: MemoryError) -> str:
    # NumPy says which array needed how much; Python itself says nothing
    first = (str(error).splitlines() or [""])[0]
    return f" ({first[:1].lower()}{first[1:]})" if first else ""
