"""The one table of status codes: C enum, Python enum, JSON names and documents all come from here.

Callers compare the numbers and store them: the order is the numeric value and never changes.
"""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How a call ended. Outputs are written for OK, and by position functions for SINGULAR too."""

    OK = 0
    NO_ASSEMBLY = 1
    SINGULAR = 2
    BRANCH_LOST = 3
    AMBIGUOUS = 4
    DEGENERATE = 5
    NOT_CONVERGED = 6
    BAD_INPUT = 7


MEANING: dict[Status, str] = {
    Status.OK: "solved",
    Status.NO_ASSEMBLY: "out of reach: no branch has a real solution",
    Status.SINGULAR: "branches meet here: position functions return the position, rates are not determined",
    Status.BRANCH_LOST: "the requested branch has no real solution, but another branch has one",
    Status.AMBIGUOUS: "it is not clear which branch is meant, or which branch continues the motion",
    Status.DEGENERATE: "geometry with no or infinitely many solutions",
    Status.NOT_CONVERGED: "an iteration reached its limit without converging",
    Status.BAD_INPUT: "NaN, infinite, out of range, axis or quaternion not of unit length, or no such branch",
}
