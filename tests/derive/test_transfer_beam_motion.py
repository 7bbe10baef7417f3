"""Beams in motion as derived: claims proved; every result of every kernel against differences of one position."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import legendre

from symgen.derive.transfer.beam_motion import beam_motion_kernels
from symgen.derive.transfer.beam_motion_modes import beam_mode_kernels
from symgen.derive.transfer.beam_shapes import SHAPES
from symgen.library.newton.numpy_engine import load_routines
from symgen.proofs import prove

Array = np.ndarray[Any, Any]
ROUTINES = load_routines("transfer", "transfer.py")
RNG = np.random.default_rng(8)
#: Second differences over H: errors of H^2 and of rounding over H^2, some 1e-7 with quantities of order one.
H, NEAR = 3e-4, 2e-6

MODES = 3
PLACE, SHAPE, SLOPE = 0.7, RNG.uniform(-1, 1, (MODES, 3)), RNG.uniform(-1, 1, (MODES, 3))
HALF = RNG.uniform(-1, 1, (MODES, MODES))
DRAWS = HALF @ HALF.T
VALUE, RATE, OMEGA = (RNG.uniform(-0.5, 0.5, n) for n in (MODES, MODES, 3))
HALF_TURN = np.array([0.3, -0.8, 0.5]) / 2


def rotation(vector: Array) -> Array:
    """Return the turn about a vector by its length (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


def turned_by(after: Array, before: Array) -> Array:
    """Return the small vector that turns one frame into another."""
    turn = after @ before.T
    return np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2


FRAME = rotation(2 * HALF_TURN)
AXES = FRAME.T  # rows: along, aside, across
MASS, GRAVITY = 1.7, np.array([0.4, -1.0, -9.0])


def turn(t: float) -> Array:
    """Return the floating frame at a time: it turns steadily, its origin rests."""
    found: Array = rotation(OMEGA * t) @ FRAME
    return found


def inside(value: Array) -> Array:
    """Return a point in components of the frame: deflections, less the shortening along it."""
    found: Array = np.array([PLACE, 0, 0]) + value @ SHAPE - np.array([0.5 * value @ DRAWS @ value, 0, 0])
    return found


def point(t: float) -> Array:
    found: Array = turn(t) @ inside(VALUE + RATE * t)
    return found


def far(value: Array) -> Array:
    """Return how the far end is turned in the frame: about across by v', then aside by -w', then along by the twist."""
    bent, x, y, z = value @ SLOPE, *np.eye(3)
    found: Array = rotation(bent[0] * z) @ rotation(-bent[1] * y) @ rotation(bent[2] * x)
    return found


def second(function: Any) -> Array:
    found: Array = (function(H) - 2 * function(0.0) + function(-H)) / H**2
    return found


def ports() -> tuple[Array, Array, Array]:
    at = np.array([PLACE, 0, 0]) + VALUE @ SHAPE
    drawn = [0.5 * VALUE @ DRAWS @ VALUE, VALUE @ DRAWS @ RATE, RATE @ DRAWS @ RATE]
    return at, RATE @ SHAPE, np.array(drawn)


def columns() -> Array:
    """Return the ways (modes, 3) of the point, by complex steps."""
    steps = VALUE + 1j * 1e-30 * np.eye(MODES)
    found: Array = np.array([np.imag(_complex(each)) / 1e-30 for each in steps]) @ AXES
    return found


def _complex(value: Array) -> Array:
    found: Array = np.array([PLACE, 0, 0]) + value @ SHAPE - np.array([0.5 * value @ DRAWS @ value, 0, 0])
    return found


def station() -> tuple[Array, ...]:
    found: tuple[Array, ...] = ROUTINES.beam_station(MASS, *AXES, *ports(), OMEGA, GRAVITY)
    return found


@pytest.mark.parametrize("derivation", [*beam_motion_kernels(), *beam_mode_kernels()], ids=lambda d: d.name)
def test_every_claim_of_beams_in_motion_is_proved(derivation: Any) -> None:
    assert derivation.identities
    prove(derivation)


def test_shapes_at_a_place_are_integrals_of_legendres_polynomials() -> None:
    xi = np.linspace(0.0, 1.0, 41)
    found = ROUTINES.beam_shape_values(xi)
    for values, times in zip(found[:2], (2, 1), strict=True):
        wanted = [
            legendre.legval(2 * xi - 1, legendre.legint(np.eye(SHAPES)[i], m=times, lbnd=-1.0, scl=0.5))
            for i in range(SHAPES)
        ]
        assert np.abs(values - np.array(wanted).T).max() < 1e-15 * 10  # sums of some ten numbers below one


def test_a_mass_point_is_where_it_is_and_pulls_as_it_is_accelerated() -> None:
    r, speed, force, inertia, load, status = station()
    assert status == 0
    assert r == pytest.approx(point(0.0), abs=1e-15)
    slope = (inside(VALUE + H * RATE) - inside(VALUE - H * RATE)) / (2 * H)
    assert speed == pytest.approx(slope @ AXES, abs=NEAR)
    assert force == pytest.approx(MASS * (GRAVITY - second(point)), abs=10 * NEAR)
    assert load == pytest.approx([*force, *np.cross(r, force)], abs=1e-14)
    whole = np.zeros((6, 6))
    whole[np.tril_indices(6)] = inertia
    whole = whole + np.tril(whole, -1).T
    a = RNG.uniform(-1, 1, 6)
    push = MASS * (a[:3] + np.cross(a[3:], r))
    assert whole @ a == pytest.approx([*push, *np.cross(r, push)], abs=1e-14)


def test_a_mode_moves_a_mass_point_along_its_column() -> None:
    r, _, force, *_ = station()
    for k, column in enumerate(columns()):
        draws = DRAWS[k] @ VALUE
        found = ROUTINES.beam_station_mode(MASS, *AXES, r, force, SHAPE[k], draws)
        assert found[0] == pytest.approx(column, abs=1e-14)
        assert found[1] == pytest.approx([*(MASS * column), *(MASS * np.cross(r, column))], abs=1e-14)
        assert found[2] == pytest.approx(column @ force, abs=1e-13)


def test_polar_inertia_resists_by_the_rate_of_its_momentum() -> None:
    polar, spin, alpha, spun = 0.3, 0.7, RNG.uniform(-1, 1, 3), 1.1
    inertia, load, status = ROUTINES.beam_twist(polar, AXES[0], OMEGA, spin)
    assert status == 0

    def momentum(t: float) -> Array:
        along = rotation(OMEGA * t + alpha * t * t / 2) @ AXES[0]  # to first order in t
        found: Array = along * (polar * (OMEGA + alpha * t) @ along + spin + spun * t)
        return found

    whole = np.zeros((3, 3))
    whole[np.tril_indices(3)] = inertia
    whole = whole + np.tril(whole, -1).T
    rate = (momentum(1e-6) - momentum(-1e-6)) / 2e-6
    assert whole @ alpha + AXES[0] * spun - load == pytest.approx(rate, abs=1e-9)


def test_the_far_end_turns_and_is_accelerated_as_its_frame() -> None:
    half = float(np.linalg.norm(HALF_TURN))
    q = [np.cos(half), *(np.sin(half) / half * HALF_TURN)]
    origin = np.array([0.2, 0.1, -0.3])
    out, axes, swept, held, status = ROUTINES.beam_end(
        np.array([*origin, *q]), *ports(), VALUE @ SLOPE, RATE @ SLOPE, OMEGA
    )
    assert status == 0
    assert held.reshape(3, 3) == pytest.approx(AXES, abs=1e-15)
    assert out[:3] == pytest.approx(origin + point(0.0), abs=1e-15)
    size = np.linalg.norm(out[4:])
    found = rotation(2 * np.arctan2(size, out[3]) * out[4:] / size)
    assert found == pytest.approx(FRAME @ far(VALUE), abs=1e-14)
    assert swept[:3] == pytest.approx(second(point), abs=10 * NEAR)

    def spin(t: float) -> Array:
        h = 1e-4
        after, before = (turn(t + s * h) @ far(VALUE + RATE * (t + s * h)) for s in (1, -1))
        found: Array = turned_by(after, before) / (2 * h)
        return found

    assert swept[3:] == pytest.approx((spin(1e-3) - spin(-1e-3)) / 2e-3, abs=1e-5)  # differences of differences
    for k, column in enumerate(columns()):
        found, status = ROUTINES.beam_end_mode(*AXES, axes, SHAPE[k], DRAWS[k] @ VALUE, SLOPE[k])
        assert status == 0
        assert found[:3] == pytest.approx(column, abs=1e-14)
        step = 1e-5 * np.eye(MODES)[k]
        turned = turned_by(FRAME @ far(VALUE + step), FRAME @ far(VALUE - step))
        assert found[3:] == pytest.approx(turned / 2e-5, abs=1e-9)


def test_energies_are_those_of_the_mass_point() -> None:
    r, speed, _, inertia, *_ = station()
    twist, at = RNG.uniform(-1, 1, 6), RNG.uniform(-1, 1, 3)
    momentum = np.array([*(MASS * speed), *(MASS * np.cross(r, speed))])
    kinetic, potential, status = ROUTINES.beam_energy(inertia, twist, momentum, at, GRAVITY)
    velocity = twist[:3] + np.cross(twist[3:], r) + speed
    assert status == 0
    assert kinetic + 0.5 * MASS * speed @ speed == pytest.approx(0.5 * MASS * velocity @ velocity, rel=1e-13)
    assert potential == pytest.approx(-MASS * GRAVITY @ (at + r), rel=1e-13)


def test_modes_by_themselves_have_the_energy_of_the_point_and_give_back_what_they_store() -> None:
    one, two, own = columns()[0], columns()[1], RATE[:2]
    masses = np.zeros((2, 2))
    for (i, a), (j, b) in product(enumerate((one, two)), repeat=2):
        masses[i, j], status = ROUTINES.beam_mode_pair(MASS, a, b)
        assert status == 0
    stiffness, values = np.array([3.0, 7.0]), VALUE[:2]
    found = [ROUTINES.beam_mode_energy(*each) for each in zip(stiffness, values, own, masses @ own, strict=True)]
    speed = one * own[0] + two * own[1]
    assert sum(each[0] for each in found) == pytest.approx(0.5 * MASS * speed @ speed, rel=1e-14)
    assert [each[1] for each in found] == pytest.approx(0.5 * stiffness * values**2, rel=1e-14)
    for k, damping, turning in zip(range(2), (0.4, 0.9), (0.2, -0.3), strict=True):
        coupling, load, spin, status = ROUTINES.beam_mode_force(
            stiffness[k], damping, turning, AXES[0], values[k], own[k]
        )
        assert status == 0
        # power: what is stored comes back, what is damped does not
        assert load * own[k] == pytest.approx(-stiffness[k] * values[k] * own[k] - damping * own[k] ** 2, rel=1e-13)
        assert coupling * own[k] == pytest.approx(AXES[0] * spin, rel=1e-14)
        assert spin == pytest.approx(turning * own[k], rel=1e-15)
