"""Transfer matrices of flexible beams: claims, mass points with random modes, and what must hold of the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.beam_points import beam_error, draw_beam, matrix_of
from oracle.transfer_elements import P6, Elements

from symgen.derive.transfer.beam_transfer import beam_transfers
from symgen.derive.transfer.objects import objects
from symgen.proofs import prove

FORM = np.block([[np.zeros((6, 6)), P6], [-P6, np.zeros((6, 6))]])
PLACES = [0, 1, 5, 8, 9, 10, 12]
#: Deriving them takes seconds: it waits for the tests.
NAMES = ("beam_transfer_spatial", "beam_transfer_planar")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", NAMES)
def test_every_claim_is_proved(name: str) -> None:
    derivation = {each.name: each for each in beam_transfers()}[name]
    names = {proof.name for proof in prove(derivation)}
    assert {"stretch_symplectic", "bend_y_determinant", "bend_y_back", "bend_y_free_end"} <= names
    assert names & {"rigid", "cut"}


def test_every_matrix_of_beams_is_named_here() -> None:
    assert [each.name for each in beam_transfers()] == list(NAMES)


def test_they_are_derived_objects() -> None:
    assert objects()["beam_transfer_spatial_u"].shape == (13, 13)
    assert objects()["beam_transfer_planar_u"].shape == (7, 7)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_beam_carries_the_state_as_its_mass_points_do(seed: int, planar: bool) -> None:
    # both solve systems whose condition is some hundreds for random modes
    assert beam_error(Elements(), seed, planar=planar) < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_in_the_world_is_symplectic_of_determinant_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    beam = draw_beam(rng, planar=False)
    u = matrix_of(Elements(), beam, rng.uniform(-1, 1, (4, 3)), planar=False)
    size = np.abs(u).max()
    assert np.abs(u[:12, :12].T @ FORM @ u[:12, :12] - FORM).max() < 1e-13 * size**2
    assert np.linalg.det(u) == pytest.approx(1.0, rel=1e-9)


def test_without_modes_it_is_the_rigid_rod() -> None:
    rng = np.random.default_rng(5)
    beam = draw_beam(rng, planar=False)
    omega, force, moment, gravity = rng.uniform(-1, 1, (4, 3))
    mass, x = float(beam.m.sum()), beam.axes[:, 0]
    none = [np.zeros(10), np.zeros(10), np.zeros(5), np.zeros(3)]
    u, pivots, _ = Elements().beam_transfer_spatial(
        beam.length, mass, beam.inertia, beam.axes.ravel(), omega, force, moment, gravity, *none
    )
    aside = mass * beam.length**2 / 12
    j = aside * np.eye(3) + (beam.inertia - aside) * np.outer(x, x)
    lever = -beam.length * x
    entries = j[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    rigid = Elements().body_transfer_spatial(mass, entries, lever / 2, lever, omega, force, moment)
    assert np.abs(u - rigid).max() < 1e-14 * np.abs(rigid).max()
    assert np.array_equal(pivots, np.ones(4))


def test_the_plane_is_that_of_space() -> None:
    rng = np.random.default_rng(8)
    beam = draw_beam(rng, planar=True)
    omega, force, moment, gravity = rng.uniform(-1, 1, (4, 3))
    omega[:2], force[2], moment[:2], gravity[2] = 0, 0, 0, 0
    given = (omega, force, moment, gravity)
    whole = matrix_of(Elements(), beam, given, planar=False)
    plane = matrix_of(Elements(), beam, given, planar=True)
    assert np.abs(whole[np.ix_(PLACES, PLACES)] - plane).max() < 1e-14 * np.abs(plane).max()
