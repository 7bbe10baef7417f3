"""Mechanisms with rods on two balls: solved as they are, the idle spin by the smallest rotation from the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle.mechanism_motion import derivatives, matrices, spins, stencil

from symgen.errors import StructureError
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.solve.motion import solve
from symgen.solve.result import MotionResult
from symgen.topology.idle import fix_idle_rotations

Solve = Callable[..., MotionResult]
TIMES = np.linspace(0.0, 1.0, 25)

RSSR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "RSSR",
    "space": "spatial",
    "bodies": {
        "crank": {},
        "rod": {"pose": {"r": [0.2, 0.1, 0.1], "q": [0.8, 0.0, 0.6, 0.0]}},
        "rocker": {"points": {"P": [0.4, 0.1, 0.25]}},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0, 0], "axis": [0.1, 0, 1]},
        "B": {"type": "S", "bodies": ["crank", "rod"], "at": [0.1, 0, 0]},
        "C": {"type": "S", "bodies": ["rod", "rocker"], "at": [0.5, 0.1, 0.35]},
        "D": {"type": "R", "bodies": ["rocker", "ground"], "at": [0.5, 0, 0], "axis": [0, 1, 0.1]},
    },
    "drives": {"A": "2*pi*t"},
}


@pytest.fixture(scope="module")
def solved(numpy_library: Library) -> Solve:
    return lambda mechanism, times, **more: solve(mechanism, times, library=numpy_library, **more)


def _ends(result: MotionResult, body: str, at: str) -> np.ndarray[Any, Any]:
    """Return where a point of a body, given in the reference in the world, is over time."""
    m = matrices(result.bodies[body].r, result.bodies[body].q)
    point = np.append(np.array(RSSR["joints"][at]["at"], dtype=float), 1.0)
    reference = matrices(*(np.asarray(x, dtype=float)[None] for x in _reference(body)))[0]
    return np.asarray((m @ np.linalg.solve(reference, point))[:, :3])


def _reference(body: str) -> tuple[list[float], list[float]]:
    pose = RSSR["bodies"][body].get("pose", {"r": [0, 0, 0], "q": [1, 0, 0, 0]})
    return pose["r"], pose["q"]


def test_a_rod_is_solved_without_a_universal_pair_in_its_place(solved: Solve) -> None:
    result = solved(Mechanism.from_dict(RSSR), TIMES)
    assert result.ok, result.first_failure()
    assert [group.signature for group in result.groups] == ["R* 3D", "R.S.S 3D"]
    for joint, (first, second) in {"B": ("crank", "rod"), "C": ("rod", "rocker")}.items():
        # lengths of order 1, some hundred roundings
        np.testing.assert_allclose(_ends(result, first, joint), _ends(result, second, joint), atol=1e-13)


def test_the_other_bodies_move_as_with_a_universal_pair(solved: Solve) -> None:
    mechanism = Mechanism.from_dict(RSSR)
    fixed, changed = fix_idle_rotations(mechanism)
    assert changed == ("C",)
    rod, universal = solved(mechanism, TIMES), solved(fixed, TIMES)
    for name in ("crank", "rocker"):
        np.testing.assert_allclose(rod.bodies[name].r, universal.bodies[name].r, atol=1e-12)
        np.testing.assert_allclose(rod.bodies[name].a, universal.bodies[name].a, atol=1e-9)


def test_the_rod_is_turned_by_the_smallest_rotation_seen_from_the_body_across(solved: Solve) -> None:
    """Seen from the crank, on which its outer ball is, its rotation from the reference has no part along e0 + e."""
    result = solved(Mechanism.from_dict(RSSR), TIMES)
    rod, crank = (matrices(b.r, b.q)[:, :3, :3] for b in (result.bodies["rod"], result.bodies["crank"]))
    own = matrices(*(np.asarray(x, dtype=float)[None] for x in _reference("rod")))[0, :3, :3]
    seen = np.swapaxes(crank, 1, 2) @ rod @ own.T
    e0 = np.array(RSSR["joints"]["C"]["at"]) - np.array(RSSR["joints"]["B"]["at"])
    e0 = e0 / np.linalg.norm(e0)
    cosines = np.einsum("i,tij,j->t", e0, seen, e0)
    np.testing.assert_allclose(np.trace(seen, axis1=1, axis2=2), 1 + 2 * cosines, atol=1e-12)
    assert np.ptp(cosines) > 0.01, "the rod moves against the crank"


def test_rates_are_derivatives_of_that_spin_too(solved: Solve) -> None:
    step = 2e-4  # five-point differences, see test_solved_motion_laws
    result = solved(Mechanism.from_dict(RSSR), stencil(np.linspace(0.05, 0.95, 5), step))
    middle, rod = slice(2, None, 5), result.bodies["rod"]
    _, v, a = derivatives(rod.r, step)
    omega, alpha = spins(matrices(rod.r, rod.q)[:, :3, :3], step)
    for found, expected, bound in (
        (rod.v, v, 1e-8),
        (rod.omega, omega, 1e-8),
        (rod.a, a, 2e-5),
        (rod.alpha, alpha, 2e-5),
    ):
        scale = 1.0 + np.max(np.abs(expected))
        np.testing.assert_allclose(found[middle], expected, atol=bound * scale)


def test_times_alone_decide_the_pose_not_the_way_there(solved: Solve) -> None:
    mechanism = Mechanism.from_dict(RSSR)
    forth, back = (solved(mechanism, times).bodies["rod"] for times in (TIMES, TIMES[::-1]))
    there, again = matrices(forth.r, forth.q), matrices(back.r, back.q)[::-1]
    np.testing.assert_allclose(there, again, atol=1e-12)
    np.testing.assert_allclose(there[-1], there[0], atol=1e-12)  # after one turn of the crank


def test_what_lacks_more_than_an_idle_spin_is_still_refused(solved: Solve) -> None:
    loose = {**RSSR, "joints": {**RSSR["joints"], "D": {**RSSR["joints"]["D"], "type": "C"}}}
    with pytest.raises(StructureError):
        solved(Mechanism.from_dict(loose), TIMES)
