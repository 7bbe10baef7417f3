"""symgen itself, through its public function; compiled and warm, the seconds are those of the engine's call."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import symgen
from benchmarks.dynamics.contestant import Contestant
from benchmarks.dynamics.problems import SAMPLE, Problem

_SECOND = (0.02, 0.01, 0.005, 0.0025, 0.00125, 0.0005, 0.00025)
_FOURTH = (0.1, 0.05, 0.04, 0.02, 0.01, 0.005, 0.0025, 0.002, 0.00125)
_SIXTH = (0.1, 0.05, 0.04, 0.02, 0.0125, 0.01, 0.008, 0.00625, 0.005, 0.004)
#: Name in the report -> arguments, steps.
METHODS: dict[str, tuple[dict[str, Any], tuple[float, ...]]] = {
    "dimcd": ({"method": "dimcd"}, _SECOND),
    "variational, order 2": ({"method": "variational", "order": 2}, _SECOND),
    "variational, order 4": ({"method": "variational", "order": 4}, _FOURTH),
    "variational, order 6": ({"method": "variational", "order": 6}, _SIXTH),
}


def simulate(mechanism: Any, points: tuple[str, ...], until: float, **options: Any) -> tuple[float, np.ndarray]:
    """Return the engine's processor seconds and places of points (times, points, 3) every `SAMPLE` seconds."""
    motion = symgen.simulate(mechanism, until=until, sample=SAMPLE, **options)
    times = np.asarray(motion.times, dtype=float)
    wanted = SAMPLE * np.arange(1, round(until / SAMPLE) + 1)
    rows = np.abs(times[:, None] - wanted[None, :]).argmin(axis=0)
    late = float(np.abs(times[rows] - wanted).max())
    if late > 1e-9:
        raise ValueError(
            f"no sample within 1e-9 s of a wanted time: {late:.1e} s off, stopped early or sampled sparsely"
        )
    return motion.run.processor, np.stack([np.asarray(motion.point(point))[rows] for point in points], axis=1)


@lru_cache(maxsize=8)
def _load(file: str) -> Any:
    return symgen.load(file)


def contestants(problem: Problem) -> list[Contestant]:
    """Return symgen's methods."""

    def entry(method: str) -> Contestant:
        options, steps = METHODS[method]

        def run(step: float) -> tuple[float, np.ndarray]:
            return simulate(_load(str(problem.file)), problem.points, problem.until, step=step, **options)

        return Contestant("symgen", method, steps, run)

    return [entry(method) for method in METHODS]
