"""Systems with elements of their own: a loop by columns of multipliers, balls only, pins only, the paper's form."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import transfer_special as special
from oracle.transfer_elements import Elements, placed, square, upper
from oracle.transfer_tree import NONE, draw_chain

#: As for chains: a few bodies, sums of some tens of products of order one to ten.
CLOSE = 1e-11
elements = Elements()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_loop_closes_by_columns_of_multipliers(count: int) -> None:
    assert special.loop_error(elements, count) < CLOSE


def test_a_tree_of_balls_by_its_own_recursion() -> None:
    assert special.ball_tree_error(elements) < CLOSE


@pytest.mark.parametrize("count", [2, 3, 5])
def test_chains_of_balls_in_the_form_of_the_paper(count: int) -> None:
    assert special.ball_chain_error(elements, count) < CLOSE


def test_a_tree_of_pins_by_its_own_recursion() -> None:
    assert special.pin_tree_error(elements) < CLOSE


def test_chains_of_pins_in_the_form_of_the_paper() -> None:
    assert special.pin_chain_error(elements) < CLOSE


def test_what_is_left_behind_a_hinge_has_no_inertia_along_it() -> None:
    rng = np.random.default_rng(12)
    for hinge in ("screw", "cylindrical", "planar"):
        (part,) = placed(elements, draw_chain(rng, hinge, 1))
        given = (part.lever - part.c, part.omega, part.force, part.moment)
        ps, e = elements.riccati_body(part.mass, part.inertia, *given)
        assert np.linalg.eigvalsh(square(ps, 6)).max() < 0
        after, *_ = getattr(elements, f"riccati_hinge_{part.h.shape[1]}")(ps, e, part.h.ravel(), part.eta, part.tau)
        left = square(after, 6)
        assert np.abs(left @ part.h).max() < 1e-13 * np.abs(ps).max()
        assert np.linalg.eigvalsh(left).max() < 1e-13 * np.abs(ps).max()


def test_a_body_on_its_own_is_minus_its_inertia_at_the_output() -> None:
    rng = np.random.default_rng(13)
    mass, arm = 1.4, rng.uniform(-1, 1, 3)
    inertia = np.diag([1.0, 1.2, 0.7])
    ps, e = elements.riccati_body(mass, upper(inertia), arm, NONE, NONE, NONE)
    a = rng.uniform(-1, 1, 6)
    centre = a[:3] + np.cross(a[3:], -arm)
    power = mass * centre @ centre + a[3:] @ inertia @ a[3:]
    assert abs(a @ square(ps, 6) @ a + power) < 1e-13
    assert np.abs(e).max() == 0.0
