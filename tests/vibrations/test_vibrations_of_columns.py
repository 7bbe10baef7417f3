"""Beams under a load along themselves: eigenfrequencies against characteristic equations, with many digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import pytest

import symgen

L, EI, MU = 1.3, 90.0, 2.1
#: Critical loads in pi^2 EI/L^2.
CRITICAL = {"pinned": 1.0, "clamped-free": 0.25, "clamped-clamped": 4.0}
#: Matrices are exact; the stiffness of short pieces leaves some 1e-13, near a critical load over what of it is left.
EXACT = 1e-11
DIGITS = 30
METHODS = ("riccati", "determinant")


def zeros(f: Callable[[Any], Any], count: int, step: float) -> list[float]:
    """Return the lowest zeros of a function that has none twice within a step, as frequencies [Hz]."""
    found: list[float] = []
    w, before = mpmath.mpf(step) / 1000, f(mpmath.mpf(step) / 1000)
    while len(found) < count:
        after = f(w + step)
        if before * after < 0:
            root = mpmath.findroot(f, (w, w + step), solver="anderson", tol=1e-40)
            found.append(float(root / (2 * mpmath.pi)))
        w, before = w + step, after
    return found


UNIT = math.sqrt(EI / MU) / L**2


@lru_cache
def theory(ends: str, part: float, count: int) -> list[float]:
    """Return frequencies [Hz] of a beam under a constant part of its critical load: the determinant of its ends."""
    with mpmath.workdps(DIGITS):
        length, ei, mu = (mpmath.mpf(each) for each in (L, EI, MU))
        push = part * CRITICAL[ends] * mpmath.pi**2 / length**2

        def determinant(w: Any) -> Any:
            both = mpmath.sqrt(push**2 + 4 * w * w * mu / ei)
            a, b = mpmath.sqrt((both - push) / 2), mpmath.sqrt((both + push) / 2)
            rows = []  # of two exponentials, each 1 at its end, and of cosine and sine
            for place in (mpmath.mpf(0), length):
                far, near = mpmath.exp(-a * (length - place)), mpmath.exp(-a * place)
                c, s = mpmath.cos(b * place), mpmath.sin(b * place)
                v = [far, near, c, s]
                slope = [a * far, -a * near, -b * s, b * c]
                bend = [a**2 * far, a**2 * near, -(b**2) * c, -(b**2) * s]
                shear = [a**3 * far, -(a**3) * near, b**3 * s, -(b**3) * c]
                force = [q + push * t for q, t in zip(shear, slope, strict=True)]
                end = {"pinned": "pinned", "clamped-clamped": "clamped"}.get(ends, "free" if place else "clamped")
                rows += {"pinned": [v, bend], "clamped": [v, slope], "free": [bend, force]}[end]
            return mpmath.det(mpmath.matrix(rows))

        return zeros(determinant, count, 0.2 * UNIT)


def column(ends: str, part: float) -> symgen.Mechanism:
    """Return the same beam pressed by a force on a small body at its far end, which may slide along it."""
    force = part * CRITICAL[ends] * math.pi**2 * EI / L**2
    joint = "R" if ends == "pinned" else "W"
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "space": "planar",
        "bodies": {"b": {"beam": {"length": L, "mass_per_length": MU, "bending": EI}},
                   "e": {"mass": 1.0 if ends == "pinned" else 0.0, "inertia": [0] * 6, "pose": {"r": [L, 0]}}},
        "joints": {"A": {"type": joint, "bodies": ["ground", "b"], "at": [0, 0]},
                   "B": {"type": joint, "bodies": ["b", "e"], "at": [L, 0]}},
        "forces": {"push": {"kind": "force", "body": "e", "at": [0, 0], "value": [-force, 0], "axes": "world"}},
    }  # fmt: skip
    if ends != "clamped-free":
        tree["joints"]["C"] = {"type": "P", "bodies": ["ground", "e"], "at": [L, 0], "axis": [1, 0]}
    return symgen.Mechanism.from_dict(tree)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", [0.5, 0.99, -50.0])
@pytest.mark.parametrize("ends", CRITICAL)
def test_a_pressed_or_pulled_beam_vibrates_as_its_characteristic_equation_says(ends: str, part: float) -> None:
    expected, left = theory(ends, part, 4), min(1.0, abs(1.0 - part))
    for method in METHODS:
        found = symgen.vibrations(column(ends, part), modes=4, method=method)
        assert found.frequencies == pytest.approx(expected, rel=EXACT / left)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ends", CRITICAL)
def test_beyond_the_critical_load_one_motion_grows(ends: str) -> None:
    """A millionth is far above rounding, and far below what pieces with springs to the side would miss."""
    for method in METHODS:
        assert symgen.vibrations(column(ends, 1.0 - 1e-6), modes=1, method=method).growth == ()
        assert len(symgen.vibrations(column(ends, 1.0 + 1e-6), modes=1, method=method).growth) == 1


# -- own weight --------------------------------------------------------------------------------------------------------


def under_weight(gravity: float, head: float, count: int) -> list[float]:
    """Return frequencies [Hz] of a column with a free top: power series from the top, P = head + mu g x."""
    with mpmath.workdps(DIGITS):
        length, ei, mu = (mpmath.mpf(each) for each in (L, EI, MU))
        push, gain = mpmath.mpf(head) / ei, mu * gravity / ei

        def foot(w: Any, start: list[Any]) -> tuple[Any, Any]:
            c, z = list(start), w * w * mu / ei
            for n in range(120):
                pressed = gain * (n + 1) ** 2 * c[n + 1] + push * (n + 2) * (n + 1) * c[n + 2]
                c.append((z * c[n] - pressed) / ((n + 4) * (n + 3) * (n + 2) * (n + 1)))
            value = mpmath.fsum(a * length**n for n, a in enumerate(c))
            return value, mpmath.fsum(n * a * length ** (n - 1) for n, a in enumerate(c) if n)

        def determinant(w: Any) -> Any:
            # no moment at the top; EI v''' + P v' = 0
            (v, slope), (other, turned) = foot(w, [1, 0, 0, 0]), foot(w, [0, 1, 0, -push / 6])
            return v * turned - slope * other

        return zeros(determinant, count, 0.2 * UNIT)


def standing(gravity: float, head: float, *, turned: bool) -> symgen.Mechanism:
    """Return a column, clamped at its foot, under its weight and a force on its top; `turned`: its frame is there."""
    pose = {"r": [0, L], "angle": -math.pi / 2} if turned else {"r": [0, 0], "angle": math.pi / 2}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -gravity],
        "bodies": {"b": {"pose": pose, "beam": {"length": L, "mass_per_length": MU, "bending": EI}},
                   "e": {"mass": 0.0, "inertia": [0] * 6, "pose": {"r": [0, L]}}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": [0, 0]},
                   "B": {"type": "W", "bodies": ["b", "e"], "at": [0, L]}},
        "forces": {"head": {"kind": "force", "body": "e", "at": [0, 0], "value": [0, -head], "axes": "world"}},
    })  # fmt: skip


#: Of a clamped column under its own weight: mu g L^3/EI (A. G. Greenhill 1881).
GREENHILL = 7.837347438943


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("gravity", "head"),
    [(0.99 * GREENHILL * EI / (MU * L**3), 0.0), (-400.0, 0.0), (60.0, -80.0)],
)
def test_a_column_under_its_own_weight_vibrates_as_its_series_says(gravity: float, head: float, turned: bool) -> None:
    expected = under_weight(gravity, head, 3)
    left = 1e-2 if gravity > 100.0 else 1.0
    for method in METHODS:
        found = symgen.vibrations(standing(gravity, head, turned=turned), modes=3, method=method)
        assert found.frequencies == pytest.approx(expected, rel=EXACT / left)


def test_a_column_higher_than_greenhill_allows_falls() -> None:
    critical = GREENHILL * EI / (MU * L**3)
    for turned in (False, True):
        assert symgen.vibrations(standing(critical * (1 - 1e-6), 0.0, turned=turned), modes=1).growth == ()
        assert len(symgen.vibrations(standing(critical * (1 + 1e-6), 0.0, turned=turned), modes=1).growth) == 1


@pytest.mark.slow
def test_a_loaded_beam_bends_alike_in_both_planes_and_wherever_it_is_cut() -> None:
    """In space, cut in two by a weld: every frequency of the planar one, and twice."""
    beam = {"mass_per_length": MU, "bending": [EI, EI]}
    up = {"q": [math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0]}  # x of the beam along z
    made = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -100.0],
        "bodies": {"a": {"pose": {"r": [0, 0, 0], **up}, "beam": {"length": 0.4 * L, **beam}},
                   "b": {"pose": {"r": [0, 0, 0.4 * L], **up}, "beam": {"length": 0.6 * L, **beam}}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0, 0]},
                   "B": {"type": "W", "bodies": ["a", "b"], "at": [0, 0, 0.4 * L]}},
    })  # fmt: skip
    for method in METHODS:
        found = symgen.vibrations(made, modes=6, method=method).frequencies
        assert found == pytest.approx(np.repeat(under_weight(100.0, 0.0, 3), 2), rel=EXACT)


def test_shapes_of_a_loaded_beam_obey_its_equation_at_the_ends() -> None:
    """The shape of a beam on two pins is a sine under any load; modal mass 1 kg."""
    mode = symgen.vibrations(column("pinned", 0.9), modes=1).modes[0]
    shape = mode.beams["b"]
    assert np.abs(np.abs(shape.r[:, 1]) - math.sqrt(2.0 / (MU * L)) * np.sin(math.pi * shape.x / L)).max() < 1e-6


# -- without a load ----------------------------------------------------------------------------------------------------


def held_twice(space: str, bending: Any) -> symgen.Mechanism:
    """Return a beam welded to the ground at both ends, by a body without mass at one of them."""
    at = [0, 0] if space == "planar" else [0, 0, 0]
    end = [L, *at[1:]]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": space,
        "bodies": {"b": {"beam": {"length": L, "mass_per_length": MU, "bending": bending}},
                   "e": {"mass": 0.0, "inertia": [0] * 6, "pose": {"r": end}}},
        "joints": {"A": {"type": "W", "bodies": ["ground", "b"], "at": at},
                   "B": {"type": "W", "bodies": ["b", "e"], "at": end},
                   "C": {"type": "W", "bodies": ["e", "ground"], "at": end}},
    })  # fmt: skip


@pytest.mark.slow
def test_high_modes_between_two_clamps_keep_their_digits() -> None:
    """They come as near to those with one end free as exp(-sqrt w): counts alone leave 1e-8 from the fifth on."""
    expected = theory("clamped-clamped", 0.0, 12)
    for method in METHODS:
        found = symgen.vibrations(held_twice("planar", EI), modes=12, method=method)
        assert found.frequencies == pytest.approx(expected, rel=EXACT)


@pytest.mark.slow
def test_double_frequencies_between_two_clamps_are_found_twice_and_orthogonal() -> None:
    found = symgen.vibrations(held_twice("spatial", [EI, EI]), modes=12)
    assert found.frequencies == pytest.approx(np.repeat(theory("clamped-clamped", 0.0, 6), 2), rel=EXACT)
    for one, two in zip(found.modes[::2], found.modes[1::2], strict=True):
        a, b = one.beams["b"].r, two.beams["b"].r
        assert abs(np.sum(a * b)) < 1e-5 * np.sum(a * a)
