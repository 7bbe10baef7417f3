"""Vibrating elements as derived: claims proved, matrices against exponentials of equations, planes against space."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from symgen.derive.transfer.vibration_kernels import vibration_kernels
from symgen.library.newton.numpy_engine import load_routines
from symgen.proofs import prove
from symgen.vibrations.beam_functions import bending_functions, wave_functions

ROUTINES = load_routines("transfer", "transfer.py")
#: Spatial state [x theta m q] -> planar state [x y theta m qx qy].
PLANE = [0, 1, 5, 8, 9, 10]
#: Deriving them takes a second: it waits for the tests.
NAMES = (
    "vibration_body_spatial",
    "vibration_body_planar",
    "vibration_body_stiffness",
    "vibration_rest_force",
    "vibration_hinge_rest",
    "vibration_spring_spatial",
    "vibration_spring_planar",
    "vibration_beam_spatial",
    "vibration_beam_planar",
    "vibration_beam_functions",
    "vibration_column_spatial",
    "vibration_column_planar",
    "vibration_column_functions",
)


@cache
def kernels() -> dict[str, Any]:
    return {each.name: each for each in vibration_kernels()}


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_of_a_vibrating_element_is_proved(name: str) -> None:
    assert kernels()[name].identities
    prove(kernels()[name])


def test_every_vibrating_element_is_named_here() -> None:
    assert list(kernels()) == list(NAMES)


def beam_matrix(x: float, square: float, give: tuple[float, ...], mass: float, polar: float) -> Any:
    axial, torsion, about_y, about_z = give
    z_y, z_z = (np.array(square * mass * c * x**4) for c in (about_y, about_z))
    found, status = ROUTINES.vibration_beam_spatial(
        x, mass, square, axial, polar, torsion, about_y, about_z,
        wave_functions(np.array(square * mass * axial * x**2)),
        wave_functions(np.array(square * polar * torsion * x**2)), bending_functions(z_y), bending_functions(z_z),
    )  # fmt: skip
    assert status == 0
    return found.reshape(12, 12)


def equations(square: float, give: tuple[float, ...], mass: float, polar: float) -> Any:
    """Return A of dz/dx = A z from the balance of a slice, written out here by hand."""
    axial, torsion, about_y, about_z = give
    a = mpmath.zeros(12)
    a[0, 9], a[9, 0] = -axial, square * mass
    a[3, 6], a[6, 3] = -torsion, square * polar
    a[1, 5], a[5, 8], a[8, 10], a[10, 1] = 1, -about_z, -1, square * mass
    a[2, 4], a[4, 7], a[7, 11], a[11, 2] = -1, -about_y, 1, square * mass
    return a


@pytest.mark.parametrize("square", [0.0, 3.0, 40.0, -25.0])
@pytest.mark.parametrize("rigid", [False, True])
def test_matrix_of_a_beam_is_the_exponential_of_its_equations(square: float, rigid: bool) -> None:
    give = (0.0, 0.0, 0.02, 0.05) if rigid else (0.01, 0.03, 0.02, 0.05)
    x, mass, polar = 0.9, 1.7, 0.4
    with mpmath.workdps(30):
        exact = mpmath.expm(equations(square, give, mass, polar) * x)
    expected = np.array(exact.tolist(), dtype=float)
    # entries are sums of a few terms of order ten
    assert np.abs(beam_matrix(x, square, give, mass, polar) - expected).max() < 1e-12 * np.abs(expected).max()


def test_matrix_of_two_lengths_is_the_product() -> None:
    give, square = (0.01, 0.03, 0.02, 0.05), 12.0
    one, two, both = (beam_matrix(x, square, give, 1.7, 0.4) for x in (0.3, 0.5, 0.8))
    assert np.abs(two @ one - both).max() < 1e-13 * np.abs(both).max()


def test_functions_of_beams_are_the_closed_forms_of_krylov() -> None:
    with mpmath.workdps(30):
        for b in (0.3, 1.1, 2.0):
            c, s, ch, sh = mpmath.cos(b), mpmath.sin(b), mpmath.cosh(b), mpmath.sinh(b)
            exact = [(ch + c) / 2, (sh + s) / (2 * b), (ch - c) / (2 * b**2), (sh - s) / (2 * b**3)]
            assert bending_functions(np.array(b**4)) == pytest.approx([float(e) for e in exact], rel=4e-16)
            exact = [mpmath.cos(b / 2), mpmath.sin(b / 2) / (b / 2)]
            assert wave_functions(np.array(b**2 / 4)) == pytest.approx([float(e) for e in exact], rel=4e-16)


def test_planar_elements_are_those_in_space_restricted() -> None:
    rng = np.random.default_rng(5)
    c, out = np.append(rng.normal(size=2), 0.0), np.append(rng.normal(size=2), 0.0)
    inertia = np.array([0.3, 0.4, 0.6, 0.0, 0.0, 0.0])
    gamma = np.array([0.0, 0.0, -1.3, 0.0, 0.0, 0.0])
    full, _ = ROUTINES.vibration_body_spatial(1.4, inertia, c, out, 7.0, gamma)
    flat, _ = ROUTINES.vibration_body_planar(1.4, 0.6, c[:2], out[:2], 7.0, -1.3)
    assert np.abs(full.reshape(12, 12)[np.ix_(PLANE, PLANE)] - flat.reshape(6, 6)).max() < 1e-14
    give = (0.01, 0.03, 0.02, 0.05)
    full = beam_matrix(0.7, 9.0, give, 1.7, 0.4)
    flat, _ = ROUTINES.vibration_beam_planar(
        0.7, 1.7, 9.0, 0.01, 0.05, wave_functions(np.array(9.0 * 1.7 * 0.01 * 0.49)),
        bending_functions(np.array(9.0 * 1.7 * 0.05 * 0.7**4)),
    )  # fmt: skip
    assert np.abs(full[np.ix_(PLANE, PLANE)] - flat.reshape(6, 6)).max() < 1e-14
    full, _ = ROUTINES.vibration_spring_spatial(*np.eye(3), [0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    flat, _ = ROUTINES.vibration_spring_planar([0.1, 0.2], 0.6)
    assert np.abs(full.reshape(12, 12)[np.ix_(PLANE, PLANE)] - flat.reshape(6, 6)).max() == 0.0
