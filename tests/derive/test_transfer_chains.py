"""Bodies against Newton and Euler, hinges against motions, chains and trees against virtual velocities."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.transfer_checks import body_error, hinge_error, planar_body_error, planar_hinge_error, relative
from oracle.transfer_elements import Elements, placed, solve_by_product, solve_by_riccati
from oracle.transfer_tree import MOTIONS, draw_chain, draw_tree

HINGES = [hinge for hinge in MOTIONS if hinge != "fixed"]
#: A single body or hinge: sums of some tens of products of order one to ten.
ROUNDING = 1e-13
#: The product loses digits with its length (a factor of a few a body) and with the pivots of random chains, which are
#: not smaller than 1e-3; the bar for five bodies is 1e-9.
PRODUCT = 1e-10
RICCATI = 1e-12
elements = Elements()


@pytest.mark.parametrize("seed", range(3))
def test_a_body_follows_newton_and_euler(seed: int) -> None:
    assert body_error(elements, seed) < ROUNDING
    assert planar_body_error(elements, seed) < ROUNDING


@pytest.mark.parametrize("hinge", HINGES)
def test_a_hinge_gives_the_acceleration_of_its_motion(hinge: str) -> None:
    assert max(hinge_error(elements, hinge, seed) for seed in range(3)) < ROUNDING


@pytest.mark.parametrize("slot", [False, True])
def test_a_planar_hinge_gives_the_acceleration_of_its_motion(slot: bool) -> None:
    assert max(planar_hinge_error(elements, slot, seed) for seed in range(3)) < ROUNDING


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("hinge", HINGES)
def test_chains_by_products_and_by_riccati(hinge: str, count: int) -> None:
    tree = draw_chain(np.random.default_rng(count), hinge, count)
    exact = tree.accelerations()
    assert relative(solve_by_product(elements, tree), exact) < PRODUCT
    assert relative(solve_by_riccati(elements, tree), exact) < RICCATI


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_of_every_hinge_by_riccati(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hinges = list(rng.permutation(HINGES))
    tree = draw_tree(rng, hinges, [2, 2, 5, 5, 5, 7, 7, -1])
    assert relative(solve_by_riccati(elements, tree), tree.accelerations()) < RICCATI


def test_a_hinge_passed_the_other_way_round_is_the_same_hinge() -> None:
    rng = np.random.default_rng(8)
    for hinge in HINGES:
        (part,) = placed(elements, draw_chain(rng, hinge, 1))
        freedoms = part.h.shape[1]
        back = getattr(elements, f"hinge_reverse_{freedoms}")(part.s, part.h.ravel(), part.eta)
        x, h, eta = back[0].reshape(6, 6), back[1].reshape(6, freedoms), back[2]
        inner, qdd = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, freedoms)
        outer = part.x @ inner + part.h @ qdd + part.eta
        assert np.abs(x @ outer + h @ qdd + eta - inner).max() < ROUNDING


def test_driven_hinges_and_their_effort() -> None:
    rng = np.random.default_rng(9)
    for freedoms in (1, 2, 3):
        h, qdd, eta, w = (rng.uniform(-1, 1, n) for n in (6 * freedoms, freedoms, 6, 6))
        columns = h.reshape(6, freedoms)
        driven = getattr(elements, f"hinge_driven_{freedoms}")(h, qdd, eta)
        assert np.abs(driven - (columns @ qdd + eta)).max() < ROUNDING
        effort = getattr(elements, f"hinge_effort_{freedoms}")(h, w)
        assert np.abs(effort - columns.T @ [*w[3:], *w[:3]]).max() < ROUNDING
    assert abs(elements.hinge_force(5.0, 2.0, 3.0, 0.7, 0.2, 0.1) - (5 - 2 * 0.5 - 3 * 0.1)) < ROUNDING


def test_pivots_say_where_nothing_has_inertia() -> None:
    """A point mass on a ball hinge: no inertia about the line to it; a mass at the hinge: none at all."""
    nothing, load = np.zeros(6), np.zeros(3)
    axes = elements.hinge_ball(*np.eye(3))
    for arm in (np.array([0.3, -0.8, 0.5]), np.zeros(3)):
        ps, e = elements.riccati_body(2.0, nothing, arm, load, load, load)
        with np.errstate(all="ignore"):
            *_, pivots, scales = elements.riccati_hinge_3(ps, e, axes[0], axes[1], load)
        assert not (pivots > 1e-12 * scales).all()


def test_the_percussion_centre_is_seen_by_the_far_side() -> None:
    """J = m c d about the axis of a pin: U32 vanishes by cancellation, not because the body is small."""
    mass, c, d = 1.3, 0.4, 0.35
    moments = (mass * c * d * (1 + eps) for eps in (0.0, 1e-3))
    sizes = []
    for inertia in moments:
        arms = (np.array([c, 0.0]), np.array([c + d, 0.0]))
        body = elements.body_transfer_planar(mass, inertia, *arms, 0.2, np.zeros(2), 0.0).reshape(7, 7)
        lever = (np.append(arm, 0.0) for arm in arms)
        size = elements.body_transfer_sizes(mass, [0.0, 0.0, inertia, 0.0, 0.0, 0.0], *lever).reshape(6, 6)[2, 5:]
        _, _, det, scale = elements.far_side_pin(body[3, :3], body[3, 3:6], body[3, 6:], [0.0], [0.0], size)
        sizes.append(abs(det) / scale)
    assert sizes[0] < 1e-15
    assert 1e-4 < sizes[1] < 1e-3
