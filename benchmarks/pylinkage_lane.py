"""pylinkage's compiled simulation (numba) of the four-bar and the slider-crank, beside symgen's whole mechanisms.

It is given the arrays that its own solver runs on, so that nothing but its compiled loop is measured: crank by its
angle's step, pin or block by circles, the coupler's point by its polar place.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.entrant import LeftOutError

#: Codes of its joints.
_STATIC, _CRANK, _REVOLUTE, _FIXED, _PRISMATIC = range(5)


@dataclass(frozen=True)
class Lane:
    """One mechanism: seconds of a pass over all angles, and the places of the point that was asked for."""

    run: Callable[[], float]
    places: Callable[[], np.ndarray]


def pylinkage_lane(name: str, angles: np.ndarray) -> Lane:
    """Return the lane of `four_bar` or `slider_crank` over evenly spaced crank angles.

    Raises
    ------
    LeftOutError
        pylinkage or numba is not installed.
    """
    try:
        import numba  # noqa: F401
        from pylinkage.solver import simulate
    except ImportError as error:
        raise LeftOutError(f"not installed: {error.name}") from error
    step = float(angles[1] - angles[0])
    before = float(angles[0]) - step
    crank = [math.cos(before), math.sin(before)]
    if name == "four_bar":
        places = [[0.0, 0.0], [4.0, 0.0], crank, [4.0, 2.5], [3.0, 2.5]]
        types = [_STATIC, _STATIC, _CRANK, _REVOLUTE, _FIXED]
        parents = [[-1, -1, -1], [-1, -1, -1], [0, -1, -1], [2, 1, -1], [2, 3, -1]]
        turned = math.atan2(2.5, 2.0) - math.atan2(2.5, 3.0)
        constraints = [1.0, step, math.hypot(3.0, 2.5), 2.5, math.hypot(2.0, 2.5), turned]
        offsets, shift = [0, 0, 0, 2, 4], 0.0
    else:
        places = [[0.0, 0.0], [-9.0, 0.0], [9.0, 0.0], crank, [4.0, 0.0]]
        types = [_STATIC, _STATIC, _STATIC, _CRANK, _PRISMATIC]
        parents = [[-1, -1, -1], [-1, -1, -1], [-1, -1, -1], [0, -1, -1], [3, 1, 2]]
        constraints, offsets, shift = [1.0, step, 3.0], [0, 0, 0, 0, 2], -4.0
    integers = [np.array(values, dtype=np.int32) for values in (types, parents, offsets, range(5))]
    kind, parent, offset, order = integers
    start, numbers = np.array(places), np.array(constraints)

    def simulated() -> np.ndarray:
        return np.asarray(simulate(start.copy(), numbers, kind, parent, offset, order, len(angles), 1.0))

    def run() -> float:
        begun = time.perf_counter()
        simulated()
        return time.perf_counter() - begun

    return Lane(run, lambda: simulated()[:, 4] + np.array([shift, 0.0]))
