"""No row that says OK is off the smooth motion, on any grid of times; and OK is said wherever it is due.

The reference is the analytic continuation of the drawing in 96 digits (`oracle.change_points`); the mechanisms are
those of `oracle.change_point_families`. `SYMGEN_MANY=1` takes 200 mechanisms on 5 grids each, compiled, instead of two
a family (one of those that need a search).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.change_point_families import FAMILIES, SEARCHED, Case, make_case
from oracle.change_points import NoSmoothMotionError, SmoothMotion, Track, smooth_motion

import symgen
from symgen.errors import SolveError, SymgenError
from symgen.library.open import Library
from symgen.status import Status

Floats = NDArray[np.float64]

MANY = os.environ.get("SYMGEN_MANY", "0") not in ("", "0")
CASES = [
    # NumPy takes certified Newton up to a second a row; compiled it is a matter of milliseconds.
    pytest.param(family, seed, marks=[pytest.mark.extension] if MANY or family in SEARCHED else [])
    for family in FAMILIES
    for seed in range(-(-200 // len(FAMILIES)) if MANY else 1 if family in SEARCHED else 2)
]
#: Rows whose Jacobian is worse than this part of its usual state may say other than OK: about that part of the time it
#: takes to go from one change point to the next. Certified Newton gives the limit wherever rounding would leave six
#: digits of accelerations (docs/certified-newton.md): some thousandths of the time in which things move by their size,
#: at which the Jacobian of six legs is up to a hundredth of its usual state.
NEAR, NEAR_SEARCHED = 1e-3, 2e-2
#: Below this part the Jacobian is that of the change point itself (its time is known to a rounding), and OK is a lie:
#: the position alone does not determine the rates.
ON_POINT = 1e-12
#: What roundings make of positions, rates and accelerations away from change points, in lengths of the mechanism and
#: in the largest rates: some thousand units in the last place. Before the first change point, closed forms stay below
#: a hundredth of it (accelerations: a tenth), the six legs' thirteen bodies below a third.
ROUNDED = 1e-12
#: Of a platform on three cranks one dyad after the other is solved, each a hundred times worse near its own flat
#: position than the whole, which has more equations than unknowns.
ROUNDED_OF = {"three_cranks": 1e-10}
#: At a change point itself positions are zeros of double multiplicity, known to the root of a rounding, 1e-8; limits of
#: rates and accelerations, where given, come from further derivatives.
AT_POINT = (1e-6, 1e-4, 1e-2)


@dataclass(frozen=True)
class Scale:
    """What differences are measured against: length, rates, accelerations; usual regularity, near part, rounding."""

    length: float
    rate: float
    acceleration: float
    regularity: float
    near: float
    rounded: float


@cache
def reference(family: str, seed: int) -> tuple[Case, symgen.Mechanism, SmoothMotion, Scale]:
    """Return a mechanism with its smooth motion."""
    case = make_case(family, seed)
    mechanism = symgen.Mechanism.from_dict(case.tree)
    motion = smooth_motion(mechanism, case.until)
    t = np.linspace(motion.first, motion.last, 201)
    tracks = motion.bodies(t).values()
    length = max(float(np.abs(track.r).max()) for track in tracks) + 0.1
    rate = max(max(float(np.abs(b.omega).max()), float(np.abs(b.v).max()) / length) for b in tracks) + 1.0
    acceleration = max(max(float(np.abs(b.alpha).max()), float(np.abs(b.a).max()) / length) for b in tracks) + 1.0
    usual = float(np.median(motion.regularity(t)))
    near = NEAR_SEARCHED if family in SEARCHED else NEAR
    return case, mechanism, motion, Scale(length, rate, acceleration, usual, near, ROUNDED_OF.get(family, ROUNDED))


# --- grids of times ------------------------------------------------------------------------------------------------


def _uniform_on_a_point(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    """A uniform grid that has the first change point (or any time) as a sample, and starts at 0."""
    point = motion.change_points[0] if motion.change_points else last / 3
    most = max(1, int(150 * point / last))
    steps = min(int(random.integers(1, 25)), most)
    times: Floats = point / steps * np.arange(int(steps * last / point) + 1)
    times[steps] = point
    return times


def _uniform(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    return np.linspace(0.0, last, int(random.integers(20, 140)))


def _random(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    return np.sort(random.uniform(0.0, last, 40))


def _coarse(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    return last * np.array([0.0, 0.31, 0.62, 0.93])


def _single(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    return np.array([last * float(random.uniform(0.9, 1.0))])


def _reversed(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    return np.linspace(0.0, last, 53)[::-1].copy()


def _astride(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    """Steps that have a change point exactly in their middle: a trapezoidal rule cannot see a kink there."""
    points = motion.change_points or [last / 2]
    gaps = [10.0 ** float(random.uniform(-3.0, -1.0)) * last for _ in points]
    times = [t for point, gap in zip(points, gaps, strict=True) for t in (point - gap, point + gap)]
    return np.sort([0.0, *(t for t in times if 0.0 < t <= last)])


def _from_a_point(motion: SmoothMotion, last: float, random: np.random.Generator) -> Floats:
    """A grid that starts at a change point: the drawing, at t = 0, tells how it is gone through."""
    point = motion.change_points[0] if motion.change_points else last / 3
    return np.linspace(point, last, 23)


GRIDS: dict[str, Callable[[SmoothMotion, float, np.random.Generator], Floats]] = {
    "on a point": _uniform_on_a_point,
    "uniform": _uniform,
    "random": _random,
    "coarse": _coarse,
    "single": _single,
    "reversed": _reversed,
    "astride": _astride,
    "from a point": _from_a_point,
}


def grids_of(family: str, seed: int) -> dict[str, Floats]:
    """Return five grids for a mechanism: three for all, two of the others in turn."""
    case, _, motion, _ = reference(family, seed)
    # A motion that ends is asked for a little beyond its end: far beyond, the mechanism may be assembled anew.
    last = min(case.until, motion.fold * 1.05) if motion.fold is not None else case.until
    random = np.random.default_rng([seed, 11, *family.encode()])
    names = list(GRIDS)
    others = names[3:]
    chosen = [*names[:3], others[seed % len(others)], others[(seed + 2) % len(others)]]
    return {name: GRIDS[name](motion, last, random) for name in chosen}


# --- the law ---------------------------------------------------------------------------------------------------------


def _off(found: Any, true: Track, row: int, k: int, rods: bool) -> tuple[float, float, float]:
    """Return how far position, rates and accelerations of a body are off; lengths times turns count as turns."""
    turned = 0.0
    if not rods:
        turned = min(float(np.abs(found.q[row] - true.q[k]).max()), float(np.abs(found.q[row] + true.q[k]).max()))
    place = float(np.abs(found.r[row] - true.r[k]).max())
    rates = [np.abs(found.v[row] - true.v[k])] + ([] if rods else [np.abs(found.omega[row] - true.omega[k])])
    seconds = [np.abs(found.a[row] - true.a[k])] + ([] if rods else [np.abs(found.alpha[row] - true.alpha[k])])
    return max(place, turned), float(np.max(rates)), float(np.max(seconds))


def faults(result: symgen.solve.MotionResult, motion: SmoothMotion, scale: Scale) -> list[str]:
    """Return in words each row that is wrong: OK and off the motion, or not OK where OK is due."""
    times = np.asarray(result.times)
    known = (times >= motion.first) & (times <= motion.last)
    true = motion.bodies(times[known])
    regular = motion.regularity(times[known]) / scale.regularity
    rows = np.flatnonzero(known)
    found = []
    beyond = np.inf if motion.fold is None else motion.fold
    for row in np.flatnonzero(times > beyond):
        if result.status[row] == Status.OK:
            found.append(f"t = {times[row]:.9g}: OK beyond the end of the motion")
    for k, row in enumerate(rows):
        status, well = Status(int(result.status[row])), min(float(regular[k]), 1.0)
        if status != Status.OK and well > scale.near:
            found.append(f"t = {times[row]:.9g}: {status.name} where OK is due")
        if status == Status.OK and well < ON_POINT:
            found.append(f"t = {times[row]:.9g}: OK at a change point")
        if status not in (Status.OK, Status.SINGULAR):
            continue  # what stands there is not claimed to be the motion
        # Each differentiation divides once more by the Jacobian, itself off by what the position is off.
        near = [scale.rounded / max(well, 1e-100) ** order for order in (1, 2, 3)]
        for name, track in true.items():
            off = _off(result.bodies[name], track, row, k, name in motion.equations.spins)
            for order, (gap, size) in enumerate(zip(off, (scale.length, scale.rate, scale.acceleration), strict=True)):
                if not np.isfinite(gap):
                    if status == Status.OK:
                        found.append(f"t = {times[row]:.9g}: OK with NaN")
                    continue
                if not gap <= min(near[order], AT_POINT[order]) * size * max(1.0, scale.length if order else 1.0):
                    what = ("position", "rates", "accelerations")[order]
                    found.append(f"t = {times[row]:.9g}: {status.name} and {name} off by {gap:.2g} in {what}")
    return found


def trial(family: str, seed: int, grid: str, library: Library | None) -> list[str]:
    """Solve one mechanism on one grid; return what is wrong."""
    _, mechanism, motion, scale = reference(family, seed)
    times = grids_of(family, seed)[grid]
    try:
        result = symgen.solve(mechanism, times, library=library)
    except SymgenError as error:
        return [f"{type(error).__name__}: {str(error)[:200]}"]
    return faults(result, motion, scale)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("family", "seed"), CASES)
def test_no_row_that_says_ok_is_off_the_smooth_motion(family: str, seed: int, numpy_library: Library) -> None:
    library = symgen.library() if MANY or family in SEARCHED else numpy_library
    wrong = {grid: trial(family, seed, grid, library) for grid in grids_of(family, seed)}
    told = [f"{grid}: {len(rows)} faults, first {rows[0]}" for grid, rows in wrong.items() if rows]
    assert not told, "\n".join(told)


def _with_time(tree: dict[str, Any], instead: str) -> symgen.Mechanism:
    """Return the mechanism with another expression for the time in its laws."""
    drives = {name: re.sub(r"\bt\b", f"({instead})", law) for name, law in tree["drives"].items()}
    return symgen.Mechanism.from_dict({**tree, "drives": drives})


QUICK = [family for family in FAMILIES if family not in SEARCHED]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", QUICK)
def test_a_mechanism_run_backwards_goes_through_the_same_places(family: str, numpy_library: Library) -> None:
    case, _, motion, scale = reference(family, 0)
    times = grids_of(family, 0)["uniform"]
    result = symgen.solve(_with_time(case.tree, "-t"), -times, library=numpy_library)
    # Seen in t, places and accelerations are the same and rates have the other sign.
    forward = {name: replace(track, v=-track.v, omega=-track.omega) for name, track in result.bodies.items()}
    wrong = faults(replace(result, times=times, bodies=forward), motion, scale)
    assert not wrong, wrong[0]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["parallelogram", "kite", "isosceles_slider_crank", "grazing_slot", "near_miss_3"])
def test_the_drawing_may_show_any_time_of_the_motion(family: str, numpy_library: Library) -> None:
    case, _, _, scale = reference(family, 1)
    motion = smooth_motion(symgen.Mechanism.from_dict(case.tree), case.until / 2, -case.until / 2)
    shift = case.until / 2
    mechanism = _with_time(case.tree, f"t - {shift!r}")
    result = symgen.solve(mechanism, np.linspace(0.0, case.until, 47), library=numpy_library)
    wrong = faults(replace(result, times=result.times - shift), motion, scale)
    assert not wrong, wrong[0]


@pytest.mark.parametrize("family", ["parallelogram", "isosceles_slider_crank", "rod_parallelogram"])
def test_a_drawing_at_a_change_point_is_singular(family: str, numpy_library: Library) -> None:
    """Both ways lead through it: unless a branch is named, no time is OK."""
    tree = make_case(family, 0).tree
    flat = np.pi / 2 if family == "isosceles_slider_crank" else 0.0
    exact = {"th": flat, **({"bx": 0.0} if flat else {"by": 0.0})}
    mechanism = symgen.Mechanism.from_dict({**tree, "parameters": tree["parameters"] | exact})
    with pytest.raises(NoSmoothMotionError, match="singular"):
        smooth_motion(mechanism, 0.1)
    with pytest.raises(SolveError) as told:
        symgen.solve(mechanism, np.linspace(0.0, 0.1, 11), library=numpy_library)
    assert told.value.status == Status.SINGULAR


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("family", "seed"), CASES)
def test_the_families_are_what_they_say(family: str, seed: int) -> None:
    """Else the law above would be tried on nothing."""
    case, _, motion, _ = reference(family, seed)
    assert bool(motion.change_points) == case.change_points
    assert (motion.fold is not None) == case.ends
    assert motion.misfit < 1e-20


def test_the_reference_is_the_closed_form_where_there_is_one() -> None:
    """A parallelogram's coupler does not turn; the isosceles slider-crank's block moves by a cosine."""
    case, _, motion, _ = reference("parallelogram", 0)
    coupler = motion.bodies(np.linspace(0.0, case.until, 300))["coupler"]
    # Polynomials of doubles, their coefficients rounded: a few units in the last place.
    assert np.abs(coupler.omega).max() < 1e-14
    assert np.ptp(coupler.q, axis=0).max() < 1e-15
    case, mechanism, motion, scale = reference("isosceles_slider_crank", 0)
    t = np.linspace(0.0, case.until, 300)
    u, rate, second = mechanism.drives["A", "angle"].evaluate(t)
    p = mechanism.parameters
    along = 2 * p["r"] * np.array([np.cos(p["th"] + u), -np.sin(p["th"] + u)])
    true = along[0] - along[0, 0], along[1] * rate, along[1] * second - along[0] * rate**2
    block = motion.bodies(t)["block"]
    found = np.array([x @ [p["ct"], p["st"], 0.0] for x in (block.r - block.r[0], block.v, block.a)])
    for ours, theirs, size in zip(found, true, (1.0, scale.rate, scale.acceleration), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-14 * size)


def test_the_reference_ends_in_a_fold_where_the_links_end() -> None:
    """A rod shorter than the crank: it stands upright on the guide, r sin = l, and no further."""
    tree = make_case("isosceles_slider_crank", 0).tree
    parameters = tree["parameters"] | {"th": 0.5, "l": "0.8*r", "cx": "bx + sqrt(l**2 - by**2)"}
    at = ["x0 + ct*cx", "y0 + st*cx"]
    joints = {name: {**joint, "at": at} if name in "CD" else joint for name, joint in tree["joints"].items()}
    tree = {**tree, "parameters": parameters, "joints": joints, "drives": {"A": "3*t"}}
    motion = smooth_motion(symgen.Mechanism.from_dict(tree), 1.0)
    assert not motion.change_points
    # It stops within 1e-8 of the time asked for; the distance beyond is estimated to some hundredths.
    assert motion.fold == pytest.approx((np.arcsin(0.8) - 0.5) / 3.0, abs=1e-9)
