"""Assumed shapes of beams as derived: claims proved, integrals against quadrature, a mode against its mass points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.polynomial import legendre

from symgen.derive.transfer.beam_shapes import SHAPES, beam_kernels
from symgen.derive.transfer.objects import objects
from symgen.library.newton.numpy_engine import load_routines
from symgen.proofs import prove

ROUTINES = load_routines("transfer", "transfer.py")
NODES, WEIGHTS = legendre.leggauss(30)
XI = 0.5 * (NODES + 1.0)
#: Deriving them takes seconds: it waits for the tests.
NAMES = ("beam_bending_shapes", "beam_rod_shapes", "beam_mode")


def shape(i: int, times: int, xi: Any) -> Any:
    """Return Legendre's polynomial over 0 to 1, integrated from 0."""
    series = legendre.legint(np.eye(SHAPES)[i], m=times, lbnd=-1.0, scl=0.5)
    return legendre.legval(2.0 * xi - 1.0, series)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_claim_of_a_beam_is_proved(name: str) -> None:
    derivation = {each.name: each for each in beam_kernels()}[name]
    assert derivation.identities
    prove(derivation)


def test_every_kernel_of_beams_is_named_here() -> None:
    assert [each.name for each in beam_kernels()] == list(NAMES)


@pytest.mark.slow
def test_beams_are_derived_objects() -> None:
    found = objects()
    assert found["beam_bending_shapes_m"].shape == (SHAPES, SHAPES)
    assert found["vibration_beam_spatial"].shape == (12, 12)
    assert found["beam_mode_column"].shape == (6,)


@pytest.mark.parametrize(("name", "times", "power"), [("beam_bending_shapes", 2, 3), ("beam_rod_shapes", 1, 1)])
def test_integrals_are_those_of_quadrature(name: str, times: int, power: int) -> None:
    length, mass, stiffness = 1.3, 2.1, 40.0
    m, k, total, lever, tip, *rest, status = getattr(ROUTINES, name)(length, mass, stiffness)
    assert status == 0
    values = np.array([shape(i, times, XI) for i in range(SHAPES)])
    weights = 0.5 * WEIGHTS * mass * length
    assert np.abs(m.reshape(SHAPES, SHAPES) - (values * weights) @ values.T).max() < 1e-14  # thirty terms of order one
    bends = np.array([shape(i, 0, XI) for i in range(SHAPES)])
    exact = (bends * 0.5 * WEIGHTS) @ bends.T * stiffness / length**power
    assert np.abs(np.diag(k) - exact).max() < 1e-13 * exact.max()
    assert total == pytest.approx(values @ weights, abs=1e-14)
    assert lever == pytest.approx(values @ (weights * length * XI), abs=1e-14)
    assert tip == pytest.approx([shape(i, times, 1.0) for i in range(SHAPES)], abs=1e-14)
    if rest[:1]:
        assert rest[0] == pytest.approx([shape(i, 1, 1.0) / length for i in range(SHAPES)], abs=1e-14)


def test_one_mode_does_what_its_mass_points_do() -> None:
    """Virtual power of points r'' = a + alpha x r + omega x (omega x r) + phi e eta'' under gravity."""
    rng = np.random.default_rng(3)
    length, mass = 1.3, 2.1
    phi, weights = shape(2, 2, XI), 0.5 * WEIGHTS * mass * length
    along = rng.normal(size=3)
    along /= np.linalg.norm(along)
    aside = np.linalg.svd(along[None])[2][1]
    omega, gravity, a, alpha = rng.normal(size=(4, 3))
    slope = shape(2, 1, 1.0) / length
    column, load, end, status = ROUTINES.beam_mode(
        weights @ phi, weights @ (length * XI * phi), shape(2, 2, 1.0), slope, along, aside, omega, gravity
    )
    assert status == 0
    places = length * XI[:, None] * along
    moved = a + np.cross(alpha, places) + np.cross(omega, np.cross(omega, places))
    power = weights @ (phi * ((gravity - moved) @ aside))
    assert load - column @ np.concatenate([a, alpha]) == pytest.approx(power, rel=1e-12)
    assert end == pytest.approx([*(shape(2, 2, 1.0) * aside), *(slope * np.cross(along, aside))], abs=1e-15)
