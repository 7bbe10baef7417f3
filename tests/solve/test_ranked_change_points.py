"""Groups whose branches are ranked zeros, through change points beside which the search loses some: on any grid.

Platforms on parallel cranks and spatial loops with parallel axes, planar ones of the same motion beside them. Their
motion is known in closed form (`oracle.crank_motions`). What is asked of every row: OK is right, nothing is given up
that goes on smoothly, and what a row says does not hang on the other times that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.crank_motions import TURN, Crossed, Triad, away_from, errors, random_crossed, random_triad, sized, tell

import symgen
from symgen.solve import continuation
from symgen.solve.result import MotionResult
from symgen.status import Status

Floats = NDArray[np.float64]

#: Largest errors of OK rows, in parts of the largest place, rate and acceleration.
RIGHT = (1e-8, 1e-6, 1e-4)
#: What counts as the point is 1e-5 rad about it; where it is is known to some 1e-7 rad.
POINT = 1e-5 / TURN


def assert_right(of: Triad | Crossed, result: MotionResult) -> None:
    """OK rows and limits are right; places are wherever a row has them."""
    off = errors(of, result)
    said = (result.status == Status.OK) | result.limit
    for each, most in zip((off.place, off.rate, off.second), RIGHT, strict=True):
        assert np.all(each[said] <= most), tell(of, result)
    assert np.all(off.place[result.status == Status.SINGULAR] <= RIGHT[0])


def grids(points: list[float], random: np.random.Generator) -> Iterator[Floats]:
    """Return grids of each kind: even ones on and back, about a point, irregular, single times."""
    yield np.linspace(0.0, 1.0, int(random.integers(8, 60)))
    yield np.linspace(-random.uniform(0.6, 1.1), 0.0, int(random.integers(8, 40)))
    yield random.choice(points) + np.linspace(-1.0, 1.0, int(random.integers(2, 40))) * 10.0 ** random.uniform(-5, -2)
    yield np.sort(np.concatenate([away_from(points, random), random.uniform(-1.0, 1.0, 8)]))
    for _ in range(2):
        yield np.array([random.choice(points) + random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-6.5, -2)])


def assert_passes(of: Triad | Crossed, random: np.random.Generator) -> None:
    """All points are passed on all grids, and rows say alone what they say among others."""
    mechanism, points = of.mechanism(), of.points(-1.0, 1.0)
    for times in grids(points, random):
        result = symgen.solve(mechanism, times)
        assert set(result.status.tolist()) <= {Status.OK, Status.SINGULAR}, (of, [str(each) for each in result.events])
        np.testing.assert_array_equal(result.limit, result.status == Status.SINGULAR)
        assert_right(of, result)
        near = np.abs(times[:, None] - np.array(points)).min(axis=1)
        told = np.flatnonzero(np.abs(near - POINT) > 0.05 * POINT)
        for k in random.choice(told, min(2, len(told)), replace=False):
            alone = symgen.solve(mechanism, [times[k]])
            assert alone.status[0] == result.status[k], (of, times[k])


#: The platforms and the spatial loop of which rows were lost, or called OK and wrong, each on some grids.
LOST = (
    Triad(1.24, 1.29, 1.15, 0.14, (0.2, -0.3), (1.48, -0.34), 2.0),
    Triad(1.0, 1.1, 0.9, 0.3, (0.2, -0.3), (1.3, 0.4), 0.7),
    Triad(1.0, 1.07, 0.81, 0.29, (0.2, -0.3), (1.14, -0.17), 4.7),
    Crossed(0.5, 1.2, 1.0, True, "SC", 0.3),
)


@pytest.mark.slow
@pytest.mark.parametrize("of", [LOST[3], *(pytest.param(each, marks=pytest.mark.slow) for each in LOST[:3])])
def test_branches_that_the_search_loses_are_found_behind_the_point(of: Triad | Crossed) -> None:
    assert_passes(of, np.random.default_rng(5))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 9))])
@pytest.mark.parametrize(
    "kind", ["SC", *(pytest.param(x, marks=pytest.mark.slow) for x in ("triad", "SU", "SS", "RR"))]
)
def test_points_are_passed_on_random_grids(kind: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    assert_passes(random_triad(random) if kind == "triad" else random_crossed(random, kind), random)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("first", "last", "steps"), [(0.65347, 0.66347, 2000), (0.5, 1.0, 100), (0.6534, 0.6536, 100), (0.0, 0.65349, 1)]
)
def test_a_platform_on_grids_beside_its_point(first: float, last: float, steps: int) -> None:
    of = LOST[0]
    result = symgen.solve(of.mechanism(), np.linspace(first, last, steps + 1))
    assert np.all((result.status == Status.OK) | result.limit)
    assert_right(of, result)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [1.0, 0.01, 100.0])
@pytest.mark.parametrize("kind", ["triad", "SC"])
def test_rows_before_a_point_that_is_not_passed_are_right_or_singular(
    kind: str, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no smooth motion is found behind a point nothing takes the place of rows next to it: roundings show there.

    Zeros that are almost double have large ones, which leave joints open: by 1e-13 of the size, and accelerations wrong
    by more than they are.
    """

    def nothing(*_: object) -> continuation._Judgement:
        return continuation._Judgement((), (), False, False, 0.0)

    monkeypatch.setattr(continuation._Traveller, "_bridge", lambda *_: None)
    monkeypatch.setattr(continuation._Traveller, "_judge", nothing)
    random = np.random.default_rng(3)
    for _ in range(3):
        of = sized(random_triad(random) if kind == "triad" else random_crossed(random, kind), size)
        point = of.points(0.0, 1.0)[0]
        way = np.sort(10.0 ** random.uniform(-6.5, -2.0, 80))[::-1]
        result = symgen.solve(of.mechanism(), point - way)
        assert np.any(result.status != Status.OK)
        assert not np.any(result.limit)
        assert_right(of, result)
        # That is told within some hundredths of a radian of the point, whatever the unit of length.
        assert np.all(result.status[way > 2e-3] == Status.OK)
        off = errors(of, result)
        hidden = result.status == Status.SINGULAR
        assert np.all(np.isnan(off.second[hidden]))


def whipping_platform() -> symgen.Mechanism:
    """A platform on two rockers, parallel to a coupler that whips round: 80 times as quick as the drive at a point."""
    x, y = 0.3 * np.cos(1.0), 0.3 * np.sin(1.0)
    c, s = 0.5 * np.cos(0.8), 0.5 * np.sin(0.8)

    def pin(one: str, two: str, at: list[float], **more: object) -> dict[str, object]:
        return {"type": "R", "bodies": [one, two], "at": [float(each) for each in at], **more}

    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "drives": {"A": "t"},
        "bodies": {"c0": {}, "b": {}, "l2": {}, "l3": {}, "pl": {}},
        "joints": {
            "A": pin("ground", "c0", [0, 0], driven=1), "B": pin("c0", "b", [x, y]),
            "C1": pin("b", "pl", [x + 0.5 * np.cos(0.4), y + 0.5 * np.sin(0.4)]),
            "D2": pin("ground", "l2", [1.1, 0.2]), "C2": pin("l2", "pl", [1.1 + c, 0.2 + s]),
            "D3": pin("ground", "l3", [0.4, 1.1]), "C3": pin("l3", "pl", [0.4 + c, 1.1 + s]),
        },
    })  # fmt: skip


@pytest.mark.slow
def test_branches_that_pass_each_other_far_off_make_no_fold() -> None:
    """From a report: a branch that moved across another one, far away, was said to end in a fold with it.

    The platform does not turn. Single times lead through both change points, at 1.95 and 5.61 s, in steps of their own.
    """
    mechanism = whipping_platform()
    passed = 0
    for time in (5.3, 5.614, 5.65, 5.7, 6.026, 6.654, 6.8, 7.0):
        result = symgen.solve(mechanism, [time])
        if result.status[0] == Status.OK:
            passed += 1
            assert abs(result.bodies["pl"].omega[0, 2]) < 1e-9
        assert result.status[0] in (Status.OK, Status.AMBIGUOUS)
        assert not any("fold" in note for note in result.notes)
    assert passed >= 6
