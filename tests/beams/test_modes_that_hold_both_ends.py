"""Shapes of a beam whose far end is jointed: with that end held, they vibrate as the textbook's beams and rods."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symgen.beams.modes import ModeFamily, mode_families
from symgen.model.parts import Beam

#: R. D. Blevins 1979: roots of cos x cosh x = 1 (clamped, clamped) and tan x = tanh x (clamped, pinned).
ROOTS = {2: (4.730040744862704, 7.853204624095838, 10.995607838001671),
         1: (3.926602312047919, 7.068582745628732, 10.210176122813031)}  # fmt: skip


def constrained(family: ModeFamily, rows: list[np.ndarray]) -> np.ndarray:
    """Return the angular frequencies of modes of mass 1 where `rows` of them vanish."""
    free = np.linalg.svd(np.array(rows))[2][len(rows) :]
    squares = np.linalg.eigvalsh(free * family.omega**2 @ free.T)
    return np.sqrt(squares)


@pytest.mark.parametrize("loads", [1, 2])
def test_bending_with_the_far_end_held_has_frequencies_of_theory(loads: int) -> None:
    """Forces alone leave a far end that is held to its slope: pinned; with moments it is clamped."""
    (family,) = mode_families(Beam(1.3, 1.7, (1.0, 40.0), modes=3, end_shapes=loads), planar=True)
    found = constrained(family, [family.tip, family.slope][:loads])
    theory = np.array(ROOTS[loads]) ** 2 * math.sqrt(40.0 / 1.7) / 1.3**2
    assert len(family.omega) == 3 + loads
    assert found == pytest.approx(theory, rel=1e-6)  # ten or eleven polynomials are left of the twelve


def test_stretching_and_twisting_have_one_static_shape() -> None:
    beam = Beam(1.3, 1.7, (1.0, 1.0), axial=3e4, torsion=25.0, polar=6e-3, modes=3, end_shapes=2)
    for family in mode_families(beam, planar=False)[2:]:
        wave = {"stretch": math.sqrt(3e4 / 1.7), "twist": math.sqrt(25.0 / 6e-3)}[family.kind]
        assert len(family.omega) == 4
        assert constrained(family, [family.tip]) == pytest.approx(np.arange(1, 4) * math.pi / 1.3 * wave, rel=1e-8)


@pytest.mark.parametrize("modes", [1, 4, 8])
def test_a_load_at_the_far_end_bends_as_it_should(modes: int) -> None:
    """w = F L^3/(3 EI) + m L^2/(2 EI), slope F L^2/(2 EI) + m L/EI, whatever the number of modes."""
    (family,) = mode_families(Beam(1.3, 1.7, (1.0, 40.0), modes=modes, end_shapes=2), planar=True)
    ends = np.array([family.tip, family.slope])
    soft = ends / family.omega**2 @ ends.T
    length, ei = 1.3, 40.0
    exact = np.array([[length**3 / 3, length**2 / 2], [length**2 / 2, length]]) / ei
    np.testing.assert_allclose(soft, exact, rtol=1e-10)
