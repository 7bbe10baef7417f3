"""Class III triads of special shape: what comes back is an assembly, with its legs as long as they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle.modules import EPSILON, call

from symgen.status import Status

MODULE = "triad_rr_rr_rr"
Points = list[tuple[float, float]]

backends = pytest.mark.parametrize(
    "backend", ["numpy", *(pytest.param(b, marks=pytest.mark.compiler) for b in ("double", "float"))]
)


def _triangle(radius: float) -> Points:
    return [(radius * math.cos(2 * math.pi * k / 3), radius * math.sin(2 * math.pi * k / 3)) for k in range(3)]


def _assemblies(
    backend: str, centres: Points, platform: Points, lengths: tuple[float, float, float]
) -> list[tuple[Status, float, float]]:
    """Return for each branch its status, the platform's angle and by how much a leg is too long."""
    at, b = np.array(centres), np.array(platform)
    ports: dict[str, Any] = {f"a{k}": list(p) for k, p in enumerate(centres, 1)}
    ports |= {f"l{k}": length for k, length in enumerate(lengths, 1)}
    ports |= {"d2": list(b[1] - b[0]), "d3": list(b[2] - b[0])}
    found = []
    for branch in range(6):
        status, results = call(backend, MODULE, "kernel_position", {**ports, "branch": branch})
        if status not in (Status.OK, Status.SINGULAR):
            found.append((status, math.nan, math.nan))
            continue
        c, s, p = (np.asarray(results[name], dtype=float) for name in ("cos_phi", "sin_phi", "p"))
        rotation = np.array([[float(c), -float(s)], [float(s), float(c)]])
        tips = p + (b - b[0]) @ rotation.T
        gap = float(np.abs(np.linalg.norm(tips - at, axis=1) - lengths).max())
        found.append((status, math.atan2(float(s), float(c)), gap))
    return found


@pytest.mark.sampled(1)
@backends
def test_a_symmetric_platform_turns_both_ways(backend: str) -> None:
    """Concentric equilateral triangles: leg^2 = R^2 + r^2 - 2 R r cos phi (law of cosines), and no more by Newton."""
    big, small, leg = 1.0, 0.3, 0.8
    angle = math.acos((big**2 + small**2 - leg**2) / (2 * big * small))
    found = _assemblies(backend, _triangle(big), _triangle(small), (leg, leg, leg))
    assert [status for status, _, _ in found] == [Status.OK] * 2 + [Status.BRANCH_LOST] * 4
    # the cosine is good to some roundings, the angle to those over its sine, 0.66
    np.testing.assert_allclose([phi for _, phi, _ in found[:2]], [-angle, angle], atol=100 * EPSILON[backend])
    assert max(gap for _, _, gap in found[:2]) < 1024 * EPSILON[backend]


@pytest.mark.sampled(1)
@backends
@pytest.mark.parametrize("lengths", [(0.5, 0.5, 0.5), (0.5, 0.6, 0.7), (0.3, 0.31, 0.9)])
def test_a_platform_that_fits_on_the_centres_never_comes_back_torn(
    backend: str, lengths: tuple[float, float, float]
) -> None:
    """At angle zero w_2 = w_3 = 0 and F vanishes, whatever the legs: no assembly, or a parallelogram that moves."""
    found = _assemblies(backend, _triangle(1.0), _triangle(1.0), lengths)
    closed = [(status, gap) for status, _, gap in found if status in (Status.OK, Status.SINGULAR)]
    # an assembly closes to 1024 EPSILON; a fold loses half of the digits
    for status, gap in closed:
        assert gap < (1024 * EPSILON[backend] if status is Status.OK else EPSILON[backend] ** 0.5), (status, gap)


@backends
def test_points_in_a_line_are_a_platform_too(backend: str) -> None:
    centres = _triangle(1.0)
    found = _assemblies(backend, centres, [(-0.4, 0.0), (0.0, 0.0), (0.4, 0.0)], (1.0, 1.0, 1.0))
    assert [status for status, _, _ in found] == [Status.OK] * 2 + [Status.BRANCH_LOST] * 4
    assert max(gap for _, _, gap in found[:2]) < 1024 * EPSILON[backend]
