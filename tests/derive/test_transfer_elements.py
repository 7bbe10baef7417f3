"""Elements of transfer matrices: every claim proved, the exact identities of bodies, what users are promised."""

from __future__ import annotations

import random

import numpy as np
import pytest
from oracle.transfer_elements import P6, Elements
from oracle.transfer_tree import MOTIONS, skew

from symgen.algebra import Expr, determinant, number, replace, symbol, vanishes
from symgen.derive.transfer import bodies, planar_bodies
from symgen.derive.transfer.kernels import transfer_kernels
from symgen.derive.transfer.objects import objects
from symgen.errors import DerivationError
from symgen.proofs import prove

#: Routines that only put numbers together have nothing to prove that is not what they are.
PLAIN = {
    *("hinge_force", "ball_back", "ball_input_back", "pin_back", "pin_input_back"),
    *(f"hinge_{word}_{freedoms}" for word in ("driven", "effort") for freedoms in (1, 2, 3)),
    *("riccati_size", "riccati_input_size", "riccati_hinge_size", "loop_hinge_size", "twist_along"),
    *("turned_body", "turned_lever", "reached_motion"),
    *("direction", "turned_lever_planar", "reached_motion_planar"),
    *(f"{joint}_column_{word}" for joint in ("ball", "pin") for word in ("out", "cross", "back")),
    *(f"{joint}_loop_{word}" for joint in ("ball", "pin") for word in ("other", "pair", "force", "share")),
}


@pytest.mark.slow
def test_every_claim_is_proved() -> None:
    for kernel in transfer_kernels():
        claims = prove(kernel.derivation)
        assert bool(claims) != (kernel.name in PLAIN), kernel.name


@pytest.mark.slow
def test_kernels_and_objects_have_names_of_their_own_and_sources() -> None:
    names = [kernel.name for kernel in transfer_kernels()]
    assert len(set(names)) == len(names)
    for name, found in objects().items():
        assert found.name == name
        assert found.source
        assert found.title
        assert len(found.entries) == int(np.prod(found.shape))


@pytest.mark.slow
def test_what_users_are_promised() -> None:
    found = objects()["body_transfer_spatial"]
    assert found.shape == (13, 13)
    assert [a.name for a in found.arguments] == ["mass", "inertia_world", "c", "l", "omega", "f", "moment"]
    assert objects()["body_transfer_planar"].shape == (7, 7)
    assert objects()["body_inverse_spatial"].shape == (12, 12)
    assert objects()["hinge_universal_h"].shape == (6, 2)
    assert objects()["hinge_fixed_h"].shape == (6, 0)
    assert objects()["hinge_free_h"].shape == (6, 6)
    for hinge in set(MOTIONS) - {"fixed"}:
        assert objects()[f"hinge_{hinge}_eta"].shape == (6,)


def _matrix(name: str) -> list[list[Expr]]:
    found = objects()[name]
    rows, columns = found.shape
    return [list(found.formula[columns * k : columns * k + columns]) for k in range(rows)]


def _vanish(rows: list[list[Expr]]) -> bool:
    return all(vanishes(value, {}) for row in rows for value in row)


def _product(a: list[list[Expr]], b: list[list[Expr]]) -> list[list[Expr]]:
    zero = number(0)
    return [[sum((x * y for x, y in zip(row, column, strict=True)), zero) for column in zip(*b, strict=True)]
            for row in a]  # fmt: skip


def _less(a: list[list[Expr]], b: list[list[Expr]]) -> list[list[Expr]]:
    return [[x - y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def _unit(size: int) -> list[list[Expr]]:
    return [[number(int(i == j)) for j in range(size)] for i in range(size)]


# -- the identities, of the emitted entries themselves -----------------------------------------------------------------


def test_the_determinant_of_a_body_is_one() -> None:
    for name in ("body_transfer_spatial", "body_transfer_planar"):
        assert vanishes(determinant(_matrix(name)) - number(1), {})


def test_the_matrix_of_a_body_is_symplectic() -> None:
    u = [row[:12] for row in _matrix("body_transfer_spatial")[:12]]
    half = [[number(int(v)) for v in row] for row in np.block([[np.zeros((6, 6)), P6], [-P6, np.zeros((6, 6))]])]
    transposed = [list(column) for column in zip(*u, strict=True)]
    assert _vanish(_less(_product(transposed, _product(half, u)), half))


def test_the_inverse_is_the_inverse() -> None:
    u = [row[:12] for row in _matrix("body_transfer_spatial")[:12]]
    back = _matrix("body_inverse_spatial")
    assert _vanish(_less(_product(u, back), _unit(12)))
    assert _vanish(_less(_product(back, u), _unit(12)))


def test_the_planar_matrix_is_the_spatial_one_cut_to_the_plane() -> None:
    places = (0, 1, 5, 8, 9, 10, 12)
    off = ("c_z", "l_z", "omega_x", "omega_y", "f_z", "moment_x", "moment_y", "j_xz", "j_yz")
    flat = {name: number(0) for name in off}
    names = {"j_zz": symbol("inertia"), "omega_z": symbol("omega"), "moment_z": symbol("moment")}
    whole = _matrix("body_transfer_spatial")
    cut = [[replace(whole[i][j], {**flat, **names}) for j in places] for i in places]
    assert _vanish(_less(cut, _matrix("body_transfer_planar")))


def test_a_spatial_body_in_the_plane_keeps_what_happens_off_it_apart() -> None:
    """Rows off the plane of the spatial matrix do not depend on the planar columns when the body is flat."""
    places = (0, 1, 5, 8, 9, 10)
    others = [k for k in range(12) if k not in places]
    flat = {name: number(0) for name in ("c_z", "l_z", "omega_x", "omega_y", "f_z", "j_xz", "j_yz")}
    whole = _matrix("body_transfer_spatial")
    assert all(vanishes(replace(whole[i][j], flat), {}) for i in others for j in places)


def test_inertia_about_the_input_comes_out_of_the_blocks() -> None:
    rng = random.Random(4)
    draw = [rng.uniform(-1, 1) for _ in range(30)]
    mass, inertia, c, lever = 1.7, np.array(draw[:6]), np.array(draw[6:9]), np.array(draw[9:12])
    u = Elements().body_transfer_spatial(mass, inertia, c, lever, draw[12:15], draw[15:18], draw[18:21]).reshape(13, 13)
    xx, yy, zz, xy, xz, yz = inertia
    about = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * skew(c) @ skew(c)
    wants = np.block([[mass * np.eye(3), -mass * skew(c)], [mass * skew(c), about]])
    assert np.abs(u[:6, :6].T @ P6 @ u[6:12, :6] + wants).max() < 1e-14  # sums of products of order one


def test_what_does_not_hold_is_refused() -> None:
    d = bodies.body_transfer()
    d.claim_identity("wrong", "the mass is two", [symbol("mass") - number(2)], squares={})
    with pytest.raises(DerivationError, match="wrong"):
        prove(d)
    p = planar_bodies.body_transfer_planar()
    assert {claim.name for claim in p.identities} == {"determinant", "symplectic", "inertia", "cut"}
