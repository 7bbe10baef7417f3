"""Who evaluates accelerations: a tool that holds one system, ready to be called again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


class LeftOutError(Exception):
    """A tool cannot take part; the text says why and goes into the report."""


@dataclass(frozen=True)
class Contestant:
    """One tool on one system.

    Parameters
    ----------
    call : evaluates the accelerations, from positions and velocities on; nothing of the call before is kept.
    error : () -> largest deviation from given angular accelerations (n, 3), world axes, relative to the largest.
    evaluations : how many a call makes.
    """

    tool: str
    call: Callable[[], object]
    error: Callable[[np.ndarray], float]
    evaluations: int = 1


def deviation(found: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest deviation, relative to the largest value."""
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
