"""`follow` over any time is what many short calls are: no OK row on another assembly, however long the call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.ring_motion import Ring, double_cardan, random_ring
from oracle.whole_modules import Whole
from solve.test_ranked_branches import _mechanism as ranked_mechanism

import symgen
from symgen.poses import matrix
from symgen.status import Status

pytestmark = pytest.mark.extension

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Short calls take so long [s], and go so far on either side.
SHORT, STEPS = 0.05, 60
#: Of places and entries of rotations: some roundings at conditions below 1e3; another assembly is 0.1 off at least.
CLOSE, CLOSE_FLOAT = 1e-9, 2e-3


def _call(whole: Whole, language: str, rows: int, **given: Any) -> dict[str, Any]:
    return whole.numpy("follow", **given) if language == "numpy" else whole.c("follow", rows, language, **given)


def _inputs(whole: Whole, speed: float, times: np.ndarray) -> dict[str, Any]:
    """Return the time, or where the drive is then and how fast."""
    if whole.manifest["drives_by"] == "laws":
        return {"t": times}
    column = np.ones((len(times), 1))
    return {"u": speed * times[:, None], "ud": speed * column, "udd": 0.0 * column}


def _short(whole: Whole, language: str) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of short calls from 0, back and forth, and the states there."""
    begin = np.array(whole.manifest["reference"]["before"])
    numbers, states = [], []
    for way in (1, -1):
        state = begin
        for k in range(STEPS):
            dt = way * SHORT if k else 0.0
            at = np.array([way * k * SHORT])
            found = _call(whole, language, 1, dt=np.array([dt]), before=state[None], t=at)
            assert found["status"][0] == Status.OK, at
            state = np.array(found["state"][0], dtype=float)
            numbers.append(way * k)
            states.append(state)
    return np.array(numbers), np.array(states)


def _true(ring: Ring) -> dict[int, np.ndarray]:
    times = SHORT * np.arange(STEPS)
    return {way * k: pose for way in (1, -1) for k, pose in enumerate(ring.poses(way * times))}


def _off(poses: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return the largest error of places and rotations in rows of poses (n, 7 bodies)."""
    each = np.array(poses, dtype=float).reshape(*true.shape[:2], 7)
    gap = np.concatenate([each[..., :3, None] - true[..., :3, 3:], matrix(each[..., 3:]) - true[..., :3, :3]], axis=-1)
    return np.max(np.abs(gap), axis=(1, 2, 3))


def _check(folder: Path, ring: Ring, rows: int, *languages: str, drives: str = "laws") -> np.ndarray:
    """Check calls from random starts to random times; return how far they go [rad] and their status, (rows, 2)."""
    precisions = [each for each in ("double", "float") if each in languages] or ["double"]

    def made(by: str) -> Whole:
        given = {"results": ("bodies",), "checks": "all", "drives": by}
        return Whole(folder / by, ring.mechanism(), f"ring_by_{by}", precisions, **given)

    whole = made("laws")
    called = whole if drives == "laws" else made(drives)
    assert whole.module.layout.iterated
    true, random, found = _true(ring), np.random.default_rng(5), []
    for language in languages:
        close = CLOSE_FLOAT if language == "float" else CLOSE
        numbers, states = _short(whole, language)
        begin = random.integers(len(numbers), size=rows)
        begin[: rows // 4] = 0
        end = random.integers(len(numbers), size=rows)
        if drives == "inputs":  # short ones, too
            end[rows // 2 :] = np.clip(
                begin[rows // 2 :] + random.integers(-2, 3, rows - rows // 2), 0, len(numbers) - 1
            )
        times, dt = SHORT * numbers[end], SHORT * (numbers[end] - numbers[begin])
        told = _call(called, language, rows, dt=dt, before=states[begin], **_inputs(called, ring.speed, times))
        status = np.array(told["status"])
        ok = status == Status.OK
        off = _off(np.array(told["poses"])[ok], np.array([true[k] for k in numbers[end][ok]]))
        assert np.all(off < close), (language, times[ok][off >= close], dt[ok][off >= close])
        found.append(np.stack([np.abs(dt) * ring.speed, status], axis=1))
    return np.concatenate(found)


def test_a_long_call_does_not_end_on_another_assembly(tmp_path: Path) -> None:
    told = _check(tmp_path / "laws", double_cardan(), 200, "double")
    assert np.all(told[:, 1] == Status.OK)


@pytest.mark.slow
def test_every_language_goes_over_long_calls_alike(tmp_path: Path) -> None:
    told = _check(tmp_path / "laws", double_cardan(), 24, "numpy", "float")
    assert np.all(told[:, 1] == Status.OK)


@pytest.mark.slow
def test_with_drives_as_inputs_a_long_step_is_not_decided(tmp_path: Path) -> None:
    told = _check(tmp_path / "inputs", double_cardan(), 200, "double", "numpy", "float", drives="inputs")
    far = told[:, 0] > 0.5
    assert np.all(np.isin(told[far, 1], (Status.BRANCH_LOST, Status.AMBIGUOUS)))


@pytest.mark.slow
@pytest.mark.parametrize("word", ["RUPUR", "RUUPR", "RRUUR", "RCRUR"])
def test_no_call_of_a_random_ring_ends_on_another_assembly(word: str, tmp_path: Path) -> None:
    random = np.random.default_rng(sum(map(ord, word)))
    while True:
        ring = random_ring(word, random)
        try:
            _true(ring)
            break
        except (ValueError, np.linalg.LinAlgError):
            continue
    told = _check(tmp_path, ring, 400, "double")
    assert np.all(told[:, 1] == Status.OK)
    told = _check(tmp_path, ring, 400, "double", drives="inputs")
    assert np.any(told[:, 1] == Status.OK)
    assert np.all(told[told[:, 0] > 0.5, 1] != Status.OK)


@pytest.mark.slow
@pytest.mark.parametrize(("word", "seed"), [("RUPUR", 100025), ("RUCU", 200013)])
def test_a_full_turn_from_rest_to_rest_is_no_short_step(word: str, seed: int, tmp_path: Path) -> None:
    """Behind one turn of its crank such a ring is on another assembly; by a cycloid the turn has no rates at its ends.

    The first is solved by certified Newton. Branches of the second are ranked zeros, of which double precision says
    here that it cannot tell.
    """
    ring = random_ring(word, np.random.default_rng(seed))
    true = ring.poses(np.array([2.0 * np.pi / ring.speed]))
    assert np.max(np.abs(true - np.eye(4))) > 1.0
    mechanism = ring.mechanism("2*pi*t - sin(2*pi*t)")
    whole = Whole(tmp_path, mechanism, "cycloid", results=("bodies",), checks="all")
    before = np.array(whole.manifest["reference"]["before"])
    for language in ("numpy", "double", "float") if word == "RUPUR" else ("double", "float"):
        found = _call(whole, language, 1, t=np.ones(1), dt=np.ones(1), before=before[None])
        status = found["status"][0]
        assert status == Status.OK or (word, language, status) == ("RUCU", "double", Status.BRANCH_LOST)
        if status == Status.OK:
            assert _off(found["poses"], true)[0] < (CLOSE_FLOAT if language == "float" else 1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jansen_leg", "spatial_four_bar", "ranked", "screw_rod"])
def test_long_calls_of_every_kind_of_group_end_where_solve_does(name: str, tmp_path: Path) -> None:
    """Signs of square roots, ranks of zeros, a screw."""
    mechanism = ranked_mechanism(3) if name == "ranked" else symgen.load(EXAMPLES / name / "mechanism.toml")
    whole = Whole(tmp_path, mechanism, "long_calls", ("double",), results=("bodies",), checks="all")
    random = np.random.default_rng(2)
    end = 0.075 if name == "ranked" else 0.9  # it has no motion further on
    times, every = np.sort(random.uniform(0.0, end, 60)), np.linspace(0.0, end, 1801)
    solved = symgen.solve(mechanism, np.unique(np.concatenate([every, times])))
    place = np.searchsorted(solved.times, times)
    right = np.array(solved.status)[place] == Status.OK
    planar, bodies, went = whole.module.layout.planar, whole.module.layout.bodies, 0
    state = np.array(whole.manifest["reference"]["before"])
    for _ in range(3):
        starts = [(0.0, state)]
        for t in times[:: random.integers(4, 9)]:
            found = whole.c("follow", 1, t=np.array([t]), dt=np.array([t - starts[-1][0]]), before=starts[-1][1][None])
            if found["status"][0] != Status.OK:
                break
            starts.append((t, np.array(found["state"][0])))
        for begin, before in starts:
            rows = {"t": times, "dt": times - begin, "before": np.tile(before, (len(times), 1))}
            found = whole.c("follow", len(times), **rows)
            ok = (np.array(found["status"]) == Status.OK) & right
            went += int(np.sum(ok))
            each = found["poses"].reshape(len(times), len(bodies), -1)
            for k, body in enumerate(bodies):
                track = solved.bodies[body]
                if planar:
                    turn = np.exp(1j * each[ok, k, 2]) - np.exp(2j * np.arctan2(*track.q[place][ok][:, [3, 0]].T))
                    off = np.abs(np.column_stack([each[ok, k, :2] - track.r[place][ok, :2], turn]))
                else:
                    off = np.abs(matrix(each[ok, k, 3:]) - matrix(track.q[place][ok])).reshape(int(ok.sum()), -1)
                assert np.max(off, initial=0.0) < 1e-7, body
    assert went > 100
