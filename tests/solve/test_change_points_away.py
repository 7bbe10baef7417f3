"""Change points of mechanisms that lie away from the origin, or whose bodies' frames lie away from their joints.

Closed forms tell the smooth motion: each has one whatever the mechanism's place is. A place is known to a part of its
distance from the origin, and lengths as little; no row that says OK may be off for that, on any grid of times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symgen
from symgen.library.open import Library
from symgen.solve.nearby import bring_near
from symgen.status import Status

Floats = NDArray[np.float64]
Points = dict[str, Any]

SPEED = 2.2
#: Away from the origin, in metres; links are of 0.3 to 0.7 m.
AWAY = [0.0, 2.0, 16.0, 128.0, 1000.0]
#: Up to here all rows have a motion; further away a branch may be AMBIGUOUS.
PASSED = 200.0


@dataclass(frozen=True)
class Kind:
    """A family: joints (type, bodies, place, axes) of a drawing at a crank angle, and a coordinate in closed form.

    Parameters
    ----------
    joints : (lengths, start) -> name -> (type, bodies, place, more fields); A is driven.
    of, motion : joint and freedom; (lengths, crank angle) -> its value, less that of the drawing.
    """

    joints: Callable[[Floats, float], dict[str, tuple[str, list[str], Any, dict[str, Any]]]]
    of: tuple[str, str]
    motion: Callable[[Floats, Floats], Floats]
    spatial: bool = False


def _arm(length: float, angle: float) -> Floats:
    return length * np.array([np.cos(angle), np.sin(angle), 0.0])


def _parallelogram(size: Floats, start: float) -> Any:
    pin, far = _arm(size[0], start), np.array([size[1], 0.0, 0.0])
    return {
        "A": ("R", ["ground", "crank"], 0 * far, {}),
        "B": ("R", ["crank", "bar"], pin, {}),
        "C": ("R", ["bar", "rocker"], pin + far, {}),
        "D": ("R", ["ground", "rocker"], far, {}),
    }


def _slider(size: Floats, start: float) -> Any:
    pin, end = _arm(size[0], start), np.array([2.0 * size[0] * np.cos(start), 0.0, 0.0])
    return {
        "A": ("R", ["ground", "crank"], 0 * pin, {}),
        "B": ("R", ["crank", "rod"], pin, {}),
        "C": ("R", ["rod", "block"], end, {}),
        "P": ("P", ["ground", "block"], end, {"axis": [1.0, 0.0, 0.0]}),
    }


def _whitworth(size: Floats, start: float) -> Any:
    pin, pivot = _arm(size[0], start), np.array([-size[0], 0.0, 0.0])
    return {
        "A": ("R", ["ground", "crank"], 0 * pin, {}),
        "B": ("R", ["crank", "block"], pin, {}),
        "P": ("P", ["wheel", "block"], pin, {"axis": (pin - pivot).tolist()}),
        "W": ("R", ["ground", "wheel"], pivot, {}),
    }


def _spatial(size: Floats, start: float) -> Any:
    joints = _parallelogram(size, start)
    lift = np.array([0.0, 0.0, 0.37])
    joints["B"] = ("S", ["crank", "bar"], joints["B"][2] + lift, {})
    joints["C"] = ("S", ["bar", "rocker"], joints["C"][2] + lift, {})
    for name in "AD":
        joints[name] = (*joints[name][:3], {"axis": [0.0, 0.0, 1.0]})
    return joints


KINDS = {
    "parallelogram": Kind(_parallelogram, ("D", "angle"), lambda size, turned: turned),
    "rhomb": Kind(lambda size, start: _parallelogram(size[[0, 0]], start), ("D", "angle"), lambda size, turned: turned),
    "slider": Kind(_slider, ("P", "slide"), lambda size, turned: 2.0 * size[0] * np.cos(turned)),
    "slot": Kind(_whitworth, ("W", "angle"), lambda size, turned: 0.5 * turned),
    "space": Kind(_spatial, ("D", "angle"), lambda size, turned: turned, spatial=True),
}


def placed(kind: Kind, size: Floats, start: float, shift: Floats, random: np.random.Generator | None) -> Any:
    """Return the mechanism with its drawing shifted, and with frames of bodies somewhere near the origin if asked."""
    joints = kind.joints(size, start)
    cut = 3 if kind.spatial else 2
    table: dict[str, Any] = {}
    for name, (code, bodies, place, more) in joints.items():
        fields = {key: value[:cut] for key, value in more.items()}
        table[name] = {"type": code, "bodies": bodies, "at": (place + shift)[:cut].tolist(), **fields}
    table["A"]["driven"] = 1
    names = dict.fromkeys(body for joint in joints.values() for body in joint[1] if body != "ground")
    bodies: dict[str, Any] = {name: {} for name in names}
    if random is not None:
        for name in bodies:
            q = random.normal(size=4)
            turn = {"q": (q / np.linalg.norm(q)).tolist()} if kind.spatial else {"angle": float(random.uniform(-3, 3))}
            bodies[name] = {"pose": {"r": random.uniform(-1, 1, cut).tolist(), **turn}}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "away", "space": "spatial" if kind.spatial else "planar",
        "bodies": bodies, "joints": table, "drives": {"A": f"{SPEED}*t"},
    })  # fmt: skip


def assert_right(kind: Kind, seed: int, away: float, library: Library) -> None:
    """Solve one mechanism on several grids: OK is right, and up to a distance all rows have a motion."""
    random = np.random.default_rng([seed, int(away)])
    size, start = random.uniform(0.3, 0.7, 2), float(random.uniform(0.4, 1.2))
    way = random.normal(size=3)
    shift = away * way / np.linalg.norm(way)
    mechanism = placed(kind, size, start, shift, random if seed % 2 else None)
    name, freedom = kind.of
    #: What lengths are known to makes of positions; of rates and accelerations beside a change point more.
    known = 1e-15 * max(1.0, away / 0.3)
    grids = [np.linspace(0, 3, 61), np.linspace(3, 0, 26), np.array([2.8]), np.sort(random.uniform(0, 3, 40))]
    for times in grids:
        result = symgen.solve(mechanism, times, library=library)
        turned = start + SPEED * times
        expected = kind.motion(size, turned) - kind.motion(size, np.array([start]))
        joint = result.joints[name]
        off = joint.coordinates[freedom] - expected
        if freedom == "angle":
            off = np.remainder(off + np.pi, 2 * np.pi) - np.pi
        ok = result.status == Status.OK
        label = f"seed {seed}, {away} m, {len(times)} times: {[str(event) for event in result.events][:2]}"
        assert away > PASSED or np.all(ok | result.limit), label
        beside = np.abs(np.sin(turned if name != "P" else turned - np.pi / 2))
        assert np.all(np.abs(off[ok]) <= 1e-9 + 1e2 * known / beside[ok]), label
        step = 1e-4
        second = kind.motion(size, turned + step) - 2 * kind.motion(size, turned) + kind.motion(size, turned - step)
        wrong = np.abs(joint.accelerations[freedom] - SPEED**2 * second / step**2)
        assert np.all(wrong[ok] <= 1e-4 + 1e3 * known / beside[ok] ** 3), label


@pytest.fixture(scope="module")
def library() -> Library:
    return symgen.library(backend="numpy")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "away", "seeds"),
    [
        ("rhomb", 128.0, [1]),
        ("slot", 16.0, [0]),
        *(pytest.param(kind, away, range(4), marks=pytest.mark.slow) for kind in KINDS for away in AWAY),
    ],
)
def test_no_row_is_off_however_far_away_a_mechanism_lies(
    kind: str, away: float, seeds: Sequence[int], library: Library
) -> None:
    for seed in seeds:
        assert_right(KINDS[kind], seed, away, library)


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 1), *(pytest.param(seed, 4, marks=pytest.mark.slow) for seed in range(6))]
)
def test_lengths_a_little_off_say_the_same_on_every_grid(seed: int, count: int, library: Library) -> None:
    """A bar of other length: within roundings it meets, well beyond it ends or parts; what says OK never differs."""
    random = np.random.default_rng(seed)
    size, start = random.uniform(0.3, 0.7, 2), float(random.uniform(0.4, 1.2))
    for off in random.permutation([-1.0, -1.0, 1.0, 1.0])[:count] * 10.0 ** random.uniform(-15.0, -11.5, count):
        joints = _parallelogram(size, start)
        joints["C"] = (*joints["C"][:2], joints["C"][2] + np.array([off, 0.0, 0.0]), {})
        kind = replace(KINDS["parallelogram"], joints=lambda *_, joints=joints: joints)  # type: ignore[misc]
        mechanism = placed(kind, size, start, np.zeros(3), None)
        far = 2.8
        every = [
            symgen.solve(mechanism, times, library=library)
            for times in (np.array([far]), np.append(np.linspace(0, 2.5, 37), far), np.linspace(far, 0, 26))
        ]
        found = [
            float(result.joints["D"].coordinates["angle"][row])
            for result in every
            for row in np.flatnonzero((result.times == far) & (result.status == Status.OK))
        ]
        np.testing.assert_allclose(
            np.exp(1j * np.array(found)), np.exp(1j * np.array(found[:1] * len(found))), atol=1e-6
        )


def test_a_place_away_is_brought_back_exactly(library: Library) -> None:
    """Dyadic numbers: bodies drawn in the axes of the world have no rounding at the start."""
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [64.0, -32.0], "driven": 1},
        "B": {"type": "R", "bodies": ["crank", "bar"], "at": [64.1875, -31.75]},
        "C": {"type": "R", "bodies": ["bar", "rocker"], "at": [64.8125, -31.75]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [64.625, -32.0]},
    }
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "far", "space": "planar", "joints": joints, "drives": {"A": "t"},
        "bodies": {"crank": {"points": {"B": [64.1875, -31.75]}}, "bar": {}, "rocker": {}},
    })  # fmt: skip
    near = bring_near(mechanism)
    assert [joint.frames for joint in near.mechanism.joints] != [joint.frames for joint in mechanism.joints]
    result = symgen.solve(mechanism, np.array([0.0, 0.5]), library=library)
    assert result.mechanism == mechanism
    assert np.all(result.bodies["bar"].r[0] == 0.0)
    assert np.all(result.points["crank.B"].r[0] == [64.1875, -31.75, 0.0])
    bar = np.array([64.0, -32.0]) + 0.3125 * np.array([np.cos(0.5 + np.arctan2(4, 3)), np.sin(0.5 + np.arctan2(4, 3))])
    np.testing.assert_allclose(result.points["crank.B"].r[1, :2], bar, atol=1e-13)
    assembly = symgen.assemblies(mechanism, 0.0, library=library)[0]
    assert np.allclose(assembly.bodies["crank"], result.bodies["crank"].pose[0], atol=1e-13)
    again = symgen.solve(mechanism, np.array([0.0, 0.5]), assembly=assembly, library=library)
    assert again.ok


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behind", "shift"),
    [
        (1e-4, 0.0),
        *(
            pytest.param(x, y, marks=pytest.mark.slow)
            for x in (0.0, 1e-6, 3e-5, 3e-4, 1e-3, -1e-6)
            for y in (0.0, 64.0)
        ),
    ],
)
def test_a_drive_turns_round_beside_a_change_point(behind: float, shift: float, library: Library) -> None:
    """The crank goes up to `behind` beyond the flat position and back: through the point twice, once or not at all."""
    joints = {
        name: (*joint[:3], joint[3]) for name, joint in _parallelogram(np.array([0.3125, 0.5]), np.pi / 2).items()
    }
    kind = replace(KINDS["parallelogram"], joints=lambda *_: joints)
    tree = placed(kind, np.zeros(2), 0.0, np.array([shift, -0.5 * shift, 0.0]), None).to_dict()
    most = -np.pi / 2 - behind
    tree["drives"]["A"] = f"{float(most)!r}*sin(t)"
    mechanism = symgen.Mechanism.from_dict(tree)
    for times in (np.linspace(0, 4, 81), np.linspace(4, 0, 23), np.array([4.0])):
        result = symgen.solve(mechanism, times, library=library)
        ok = result.status == Status.OK
        assert np.all(ok | result.limit)
        off = result.joints["D"].coordinates["angle"] - most * np.sin(times)
        assert np.abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi)[ok].max() <= 1e-8
