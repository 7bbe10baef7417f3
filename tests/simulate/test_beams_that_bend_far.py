"""Beams beyond small deflections: it is said, and a beam that is divided goes there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import symgen

LENGTH, EI = 2.0, 50.0


def cantilever(pieces: int, load: float, along: float = 0.0, **more: float) -> symgen.Mechanism:
    """Return a clamped beam without weight, in welded pieces of one mode and static shapes, with a heavy head."""
    part = LENGTH / pieces
    names = [f"b{k}" for k in range(pieces)]
    beam = {"length": part, "mass_per_length": 0.5, "bending": EI, "modes": 1, "end_shapes": 2, **more}
    chain = ["ground", *names, "head"]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar",
        "bodies": {**{name: {"beam": beam, "pose": {"r": [k * part, 0.0]}} for k, name in enumerate(names)},
                   "head": {"mass": 1.0, "inertia": [0, 0, 0.01, 0, 0, 0], "pose": {"r": [LENGTH, 0.0]}}},
        "joints": {f"J{k}": {"type": "W", "bodies": [one, two], "at": [k * part, 0.0]}
                   for k, (one, two) in enumerate(pairwise(chain))},
        "forces": {"f": {"kind": "force", "body": "head", "value": [along, load]}},
    })  # fmt: skip


def angles(result: symgen.SimulationResult) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how far the head has turned: in the plane the slope at the end of a beam clamped at the ground."""
    q = result.bodies["head"].q
    return np.abs(2.0 * np.arctan2(q[:, 3], q[:, 0]))


def test_slope_shortening_and_time_are_said_in_the_result_and_its_document() -> None:
    result = symgen.simulate(cantilever(1, 30.0), method="riccati", tolerance=1e-6, until=0.5)
    turned = angles(result)
    row = int(np.argmax(turned))
    (words,) = result.run.warnings
    assert f"beam b0 bends by slopes of up to {turned[row]:.3g} rad" in words
    assert f"at t = {result.times[row]:.6g} s" in words
    # the ends come together by what the head is nearer to the clamp than the beam is long
    assert f"{1.0 - result.bodies['head'].r[row, 0] / LENGTH:.2g} of its length" in words
    assert result.to_dict(rows=False)["warnings"] == [words]


def test_small_deflections_are_nothing_to_warn_of() -> None:
    result = symgen.simulate(cantilever(1, 1.0), method="riccati", tolerance=1e-6, until=0.5)
    assert 0.03 < angles(result).max() < 0.2
    assert result.run.warnings == ()


@pytest.mark.slow
def test_rods_that_stretch_far_are_said() -> None:
    made = cantilever(1, 0.0, along=10.0, axial=100.0)
    result = symgen.simulate(made, method="riccati", tolerance=1e-6, until=0.5)
    (words,) = result.run.warnings
    far = np.abs(result.bodies["head"].r[:, 0] / LENGTH - 1.0).max()
    assert f"beam b0 is stretched or pressed by up to {far:.2g} of its length" in words


@pytest.mark.slow
def test_a_divided_beam_bends_as_far_as_it_likes() -> None:
    """Pieces of 1/5 and 1/8 of the length agree where one beam in the whole is far away from both."""
    places = {}
    for pieces in (1, 5, 8):
        made = cantilever(pieces, 30.0, end_shapes=0)
        result = symgen.simulate(made, method="riccati", tolerance=1e-5, until=0.4)
        places[pieces] = result.bodies["head"].r[-1] / LENGTH
    apart = {pieces: float(np.linalg.norm(places[pieces] - places[8])) for pieces in places}
    # largest slopes of a piece are about 0.4 and 0.25: their cubes, as part of a piece, are 0.012 and 0.002
    assert apart[5] < 0.012 < 0.08 < apart[1]
