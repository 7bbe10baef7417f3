"""The mechanisms that are simulated, and where their points truly are.

References come from `tests/simulate/references/`: an extrapolation method on textbook equations for the Bricard
linkage, the pendulum that the parallel branch of the double four-bar is. No contestant uses either.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 0.2


@dataclass(frozen=True)
class Problem:
    """One mechanism over `until` seconds, looked at every `SAMPLE` seconds.

    points : "body.point" of the mechanism file.  reference : (times, points, 3) [m], the start left out.
    """

    name: str
    title: str
    until: float
    points: tuple[str, ...]
    reference: np.ndarray

    @property
    def samples(self) -> int:
        """Number of times looked at."""
        return len(self.reference)

    @property
    def file(self) -> Path:
        """The mechanism file."""
        return ROOT / "examples" / "dynamics" / self.name / "mechanism.toml"

    def error(self, found: Any) -> float:
        """Return the largest distance of a point from where it should be [m]; infinite if anything is missing."""
        places = np.asarray(found, dtype=float)
        if places.shape != self.reference.shape or not np.isfinite(places).all():
            return float("inf")
        return float(np.linalg.norm(places - self.reference, axis=-1).max())


def _problem(name: str, title: str) -> Problem:
    data = json.loads((ROOT / "tests" / "simulate" / "references" / f"{name}.json").read_text(encoding="utf-8"))
    points = tuple(data["points"])
    places = np.array([data["points"][point] for point in points]).transpose(1, 0, 2)[1:]
    return Problem(name, title, float(data["times"][-1]), points, places)


def problems() -> tuple[Problem, ...]:
    """Return all problems."""
    return (
        _problem("bricard", "Bricard linkage (IFToMM A04, section 0.1 m), 10 s"),
        _problem("double_four_bar", "double four-bar (IFToMM A02), 10 s through 20 singular positions"),
    )
