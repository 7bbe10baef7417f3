"""Accelerations by divide and conquer: as the recursion's on chains and trees; refused where it cannot be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, chain, random_mechanism, random_planar
from transfer.judged import judge

import symgen
from symgen.errors import InputError, MechanismError
from symgen.transfer.assemblies.assemblies import JoinedHinge as Hinge
from symgen.transfer.assemblies.assemblies import Masses, join_level, leaves


def assert_alike(mechanism: symgen.Mechanism, **options: Any) -> None:
    """Compare with the recursion: 1e-10 of the largest acceleration and wrench."""
    one, two = symgen.accelerations(mechanism, **options), symgen.accelerations(mechanism, "dca", **options)
    assert two.ok
    largest = max(1.0, float(np.abs(one.table).max()))
    np.testing.assert_allclose(two.table, one.table, rtol=0, atol=1e-10 * largest)
    forces = max(1.0, *(float(np.abs([*load.force, *load.moment]).max()) for load in one.joints.values()))
    for name, load in one.joints.items():
        np.testing.assert_allclose(two.joints[name].force, load.force, rtol=0, atol=1e-10 * forces)
        np.testing.assert_allclose(two.joints[name].moment, load.moment, rtol=0, atol=1e-10 * forces)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(24))
def test_random_trees_of_all_hinges_and_drives(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draft = random_mechanism(rng, int(rng.integers(1, 12)), list(FREEDOMS), driven=0.3 if seed % 2 else 0.0)
    mechanism = draft.moving(rng)
    assert_alike(mechanism)
    judge(mechanism, "dca")  # against the oracle that knows nothing of either


@pytest.mark.parametrize("seed", range(6))
def test_planar_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_alike(random_planar(rng, 2 + seed).moving(rng))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [1, 2, 3, 16, 63, 64, 65, 200])
def test_a_chain_takes_as_many_levels_as_its_length_has_bits(count: int) -> None:
    mechanism = chain(count, "S", np.random.default_rng(count)).moving(np.random.default_rng(count))
    assert_alike(mechanism)
    levels = symgen.accelerations(mechanism, "dca").figures["levels"]
    # Neighbours pair up, not always all of them: at least a third of the joints are joined at a level.
    assert np.log2(count + 1) <= levels <= np.log(count + 1) / np.log(1.5) + 1


def test_springs_and_actuators_in_joints_count(repository: Path) -> None:
    """A tree with forces in its hinges, two ways."""
    assert_alike(symgen.load(repository / "examples" / "transfer" / "tree23" / "mechanism.toml"))
    assert_alike(symgen.load(repository / "examples" / "dynamics" / "flyball_governor" / "mechanism.toml"))


def test_joined_assemblies_are_what_dense_elimination_gives() -> None:
    """Phi of two bodies and a hinge: eliminate the hinge's wrench from all equations at once."""
    rng = np.random.default_rng(3)
    inertia = np.array([(a := rng.normal(size=(3, 3))) @ a.T + np.eye(3) for _ in range(2)])
    masses = Masses(rng.uniform(1, 2, 2), inertia, *(rng.normal(size=(2, 3)) for _ in range(4)))
    for held in range(7):
        t = rng.normal(size=(6, held))
        hinges = [
            Hinge("a", (0, -1), rng.normal(size=3), np.eye(6), np.zeros(6), np.zeros(6)),
            Hinge("j", (0, 1), rng.normal(size=3), t, rng.normal(size=6), rng.normal(size=6)),
            Hinge("b", (1, -2), rng.normal(size=3), np.eye(6), np.zeros(6), np.zeros(6)),
        ]
        one, two = leaves(masses, hinges, [0, 1])
        (join,) = join_level([(hinges[1], one, two)])
        assert join.found.handles == (("a", 0), ("b", 1))
        # unknowns: acceleration of the handles a, b, i, j and the multipliers; wrenches f_a, f_b are given
        for _ in range(3):
            f_a, f_b = rng.normal(size=6), rng.normal(size=6)
            eta, active = hinges[1].gap, hinges[1].active
            phi_1, phi_2 = _by_newton(masses, hinges, 0), _by_newton(masses, hinges, 1)

            def gap(amounts: Any) -> Any:
                on_two = t @ amounts + active  # noqa: B023 - called here
                a_i, a_j = phi_1({"a": f_a, "j": -on_two})["j"], phi_2({"b": f_b, "j": on_two})["j"]  # noqa: B023
                return t.T @ (a_j - a_i - eta)  # noqa: B023

            start = gap(np.zeros(held))
            slope = np.array([gap(unit) - start for unit in np.eye(held)]).T.reshape(held, held)
            on_two = t @ (np.linalg.solve(slope, -start) if held else np.zeros(0)) + active
            wanted = [phi_1({"a": f_a, "j": -on_two})["a"], phi_2({"b": f_b, "j": on_two})["b"]]
            found = np.einsum("hkij,kj->hi", join.found.phi, [f_a, f_b]) + join.found.rest
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10)  # U of random T: condition below 1e4


def _by_newton(masses: Masses, hinges: list[Hinge], k: int) -> Any:
    """Return a function: wrenches [q m] at handles of body k -> accelerations there, by Newton's and Euler's laws."""
    at = {hinge.joint: hinge.point - masses.centre[k] for hinge in hinges if k in hinge.ends}
    omega, inertia = masses.omega[k], masses.inertia[k]

    def moved(wrenches: dict[str, Any]) -> dict[str, Any]:
        force, moment = masses.force[k].copy(), masses.moment[k] - np.cross(omega, inertia @ omega)
        for name, wrench in wrenches.items():
            force += wrench[:3]
            moment += wrench[3:] + np.cross(at[name], wrench[:3])
        a, alpha = force / masses.mass[k], np.linalg.solve(inertia, moment)
        return {
            name: np.concatenate([a + np.cross(alpha, d) + np.cross(omega, np.cross(omega, d)), alpha])
            for name, d in at.items()
        }

    return moved


def test_loops_massless_bodies_and_beams_are_refused_with_the_method_that_can(repository: Path) -> None:
    examples = repository / "examples" / "transfer"
    with pytest.raises(InputError, match=r"loops are closed by C.*riccati"):
        symgen.accelerations(examples / "slider_crank" / "mechanism.toml", "dca")
    with pytest.raises(MechanismError, match=r"no mass or no inertia.*riccati"):
        symgen.accelerations(examples / "robot_arm" / "mechanism.toml", "dca")
    with pytest.raises(InputError, match="the mechanism has beams"):
        symgen.accelerations(examples / "flexible_arm" / "mechanism.toml", "dca")
