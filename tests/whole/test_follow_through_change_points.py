"""`follow` of a whole mechanism goes on smoothly through change points; a row that says OK is on the smooth motion.

The families and the reference are those of tests/solve/test_motion_through_change_points.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.change_point_families import FAMILIES, SEARCHED
from oracle.change_points import Track
from oracle.whole_modules import Whole
from solve.test_motion_through_change_points import faults, grids_of, reference

import symgen
from symgen.status import Status

pytestmark = pytest.mark.extension

Floats = NDArray[np.float64]
CLOSED = [family for family in FAMILIES if family not in SEARCHED]


@dataclass(frozen=True)
class Followed:
    """Rows of `follow` as the reference looks at them; what comes after a failure was not asked for."""

    times: Floats
    status: NDArray[np.int32]
    bodies: dict[str, Track]


def follow(whole: Whole, times: Floats, language: str = "double", start: float = 0.0) -> Followed:
    """Call `follow` from time to time, as the documentation does."""
    layout, planar = whole.module.layout, whole.module.layout.planar
    before, last = np.array(whole.manifest["reference"]["before"]), start
    names, status, rows = ("poses", "twists", "accelerations"), [], []
    for t in times:
        inputs: dict[str, Any] = {"t": [t], "dt": [t - last], "before": before[None]}
        found = whole.numpy("follow", **inputs) if language == "numpy" else whole.c("follow", 1, language, **inputs)
        status.append(int(found["status"][0]))
        rows.append([np.array(found[name][0], dtype=float) for name in names])
        if status[-1] not in (Status.OK, Status.SINGULAR):
            break
        before, last = np.array(found["state"][0], dtype=float), float(t)
    every = [np.stack(each).reshape(len(rows), len(layout.bodies), -1) for each in zip(*rows, strict=True)]
    tracks = {body: _track(*(each[:, k] for each in every), planar) for k, body in enumerate(layout.bodies)}
    return Followed(times[: len(rows)], np.array(status, dtype=np.int32), tracks)


def _track(pose: Floats, twist: Floats, growth: Floats, planar: bool) -> Track:
    if not planar:
        return Track(pose[:, :3], pose[:, 3:], twist[:, :3], twist[:, 3:], growth[:, :3], growth[:, 3:])
    zero, half = np.zeros(len(pose)), 0.5 * pose[:, 2]
    def flat(values: Floats) -> Floats:
        return np.column_stack([values[:, :2], zero])
    def turning(values: Floats) -> Floats:
        return np.column_stack([zero, zero, values[:, 2]])
    q = np.column_stack([np.cos(half), zero, zero, np.sin(half)])
    return Track(flat(pose), q, flat(twist), turning(twist), flat(growth), turning(growth))
