"""Transfer matrix of a flexible beam in accelerations, z_O = U z_I, its frame held at the output: 13 x 13 and 7 x 7.

The modal accelerations are eliminated by the wrench at the other end (`beam_planes`), so that U needs nothing from
beyond the beam. Without modes it is the matrix of the straight rod, exactly; more modes make its pivots smaller: a beam
of infinitely many does not feel its other end at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from symgen.algebra import ONE, ZERO, Expr, ratio, replace, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.beam_planes import (
    BENDING_SUMS,
    STRETCH_SUMS,
    TWIST_SUMS,
    Plane,
    PlaneLoad,
    Rod,
    bending,
    stretching,
    sums_port,
    torsion,
    zero_sums,
)
from symgen.derive.transfer.bodies import closed, closed_form
from symgen.derive.transfer.newton_euler import NewtonEulerBody
from symgen.derive.transfer.planar_bodies import PLACES, put_planar
from symgen.derive.transfer.ports import load_ports, matrix_port, omega_port, put_transfer, vector_port
from symgen.derive.transfer.unfolding import unfolded
from symgen.derive.vectors import AXES, Vector

SOURCE = "X. Rui et al. 2018 (acceleration form); A. A. Shabana 2005, chapter 5 (floating frame), derived anew"
#: Where the states of a plane are in [rdd wd m q], and with which sign.
_Y, _Z = ((1, 1), (5, 1), (8, 1), (10, 1)), ((2, 1), (4, -1), (7, -1), (11, 1))
_X, _TURN = ((0, 1), (9, 1)), ((3, 1), (6, 1))


def beam_spatial() -> Derivation:
    """Derive U of a beam in space, in world axes."""
    d = kernel("beam_transfer_spatial", "transfer matrix of a flexible beam, held at its output: z_O = U z_I", SOURCE)
    rod = _rod(d)
    inertia = d.input_scalar("inertia", meaning="inertia about the axis of the beam", unit="kg m^2")
    axes = matrix_port(d, "axes", (3, 3), "axes of the beam as columns; x from the output O to the input I", "1")
    local = _local(d, axes, (omega_port(d), *load_ports(d), vector_port(d, "gravity", "gravity", "m/s^2")))
    omega, force, moment, gravity = local
    sums = (
        sums_port(d, "bend_y", BENDING_SUMS, "bending along y"),
        sums_port(d, "bend_z", BENDING_SUMS, "bending along z"),
        sums_port(d, "stretch", STRETCH_SUMS, "stretching"),
        sums_port(d, "twist", TWIST_SUMS, "torsion"),
    )
    along = Vector((ONE, ZERO, ZERO))
    swing = d.vector("swing", omega.cross(omega.cross(along)), "omega x (omega x x), beam axes", "1/s^2")
    held = Matrix(tuple(tuple(v) for v in ((inertia, ZERO, ZERO), (ZERO, rod.aside, ZERO), (ZERO, ZERO, rod.aside))))
    gyro = d.vector("gyro", omega.cross(held.apply(omega)), "gyroscopic torque of the rod, beam axes", "N m")
    about = d.vector("about", moment - gyro, "moment minus gyroscopic torque, beam axes", "N m")
    planes = (
        (_X, stretching(d, rod, sums[2], PlaneLoad(swing[0], gravity[0], force[0], ZERO))),
        (_TURN, torsion(d, inertia, sums[3], about[0])),
        (_Y, bending(d, "bend_y", rod, sums[0], PlaneLoad(swing[1], gravity[1], force[1], about[2]))),
        (_Z, bending(d, "bend_z", rod, sums[1], PlaneLoad(swing[2], gravity[2], force[2], ZERO - about[1]))),
    )
    found = _assembled(planes)
    _claim_rigid(
        d,
        found,
        sums,
        NewtonEulerBody(rod.mass, held, along * (ZERO - rod.half), along, force, moment, gyro, along),
        swing,
    )
    results = Results(d)
    put_transfer(results, _turned(found, axes), "transfer matrix from the input I to the output O, world axes")
    _put_pivots(results, "stretching, torsion, bending along y and along z", [plane for _, plane in planes])
    return d


def beam_planar() -> Derivation:
    """Derive U of a beam in the plane: bending and stretching."""
    d = kernel("beam_transfer_planar", "transfer matrix of a planar flexible beam, held at its output", SOURCE)
    rod = _rod(d)
    x, y = d.input_vector("along", 2, meaning="from the output O to the input I", unit="1", range="unit")
    axes = Matrix(((x, ZERO - y), (y, x)))
    omega = d.input_scalar("omega", meaning="angular velocity of the beam", unit="rad/s")
    given = d.input_vector("f", 2, meaning="force on the beam at its middle, its weight too", unit="N")
    moment = d.input_scalar("moment", meaning="moment on the beam", unit="N m")
    weight = d.input_vector("gravity", 2, meaning="gravity", unit="m/s^2")
    force = d.vector("local_f", axes.transposed.apply(given), "force, beam axes", "N")
    gravity = d.vector("local_gravity", axes.transposed.apply(weight), "gravity, beam axes", "m/s^2")
    bend = sums_port(d, "bend_y", BENDING_SUMS, "bending")
    stretch = sums_port(d, "stretch", STRETCH_SUMS, "stretching")
    swing = d.scalar("swing_x", ZERO - omega * omega, "omega x (omega x x), along the beam", "1/s^2")
    planes = (
        (((0, 1), (4, 1)), stretching(d, rod, stretch, PlaneLoad(swing, gravity[0], force[0], ZERO))),
        (
            ((1, 1), (2, 1), (3, 1), (5, 1)),
            bending(d, "bend_y", rod, bend, PlaneLoad(ZERO, gravity[1], force[1], moment)),
        ),
    )
    found = _turned_planar(_assembled(planes, 6), axes)
    _claim_cut(d, found)
    results = Results(d)
    put_planar(results, found, "transfer matrix from the input I to the output O")
    _put_pivots(results, "stretching and bending", [plane for _, plane in planes])
    return d


@cache
def beam_transfers() -> tuple[Derivation, ...]:
    """Derive the transfer matrices of beams."""
    return beam_spatial(), beam_planar()


def _put_pivots(results: Results, of: str, planes: Sequence[Plane]) -> None:
    pivots, sizes = [plane.pivot for plane in planes], [plane.size for plane in planes]
    results.put("pivots", pivots, f"pivots of {of}; without modes 1, where one vanishes there is no U", "1", "")
    results.put("scales", sizes, "sizes of the terms that cancel in the pivots", "1", "")


def _rod(d: Derivation) -> Rod:
    length = d.input_scalar("length", meaning="length of the beam", unit="m", range="positive")
    mass = d.input_scalar("mass", meaning="mass of the beam", unit="kg")
    return Rod(mass, length, d.scalar("aside", mass * length * length * ratio(1, 12), "inertia of the rod", "kg m^2"))


def _local(d: Derivation, axes: Matrix, vectors: Sequence[Vector]) -> tuple[Vector, ...]:
    names = (("omega", "rad/s"), ("f", "N"), ("moment", "N m"), ("gravity", "m/s^2"))
    back = axes.transposed
    return tuple(
        d.vector(f"local_{name}", back.apply(vector), f"{name}, beam axes", unit_text)
        for (name, unit_text), vector in zip(names, vectors, strict=True)
    )


def _assembled(planes: Sequence[tuple[Sequence[tuple[int, int]], Plane]], size: int = 12) -> Matrix:
    """Return U in the beam's axes."""
    rows = [[ZERO] * size + [ZERO] for _ in range(size)]
    for places, plane in planes:
        for (i, sign), row, rest in zip(places, plane.slope.rows, plane.rest, strict=True):
            for (j, other), value in zip(places, row, strict=True):
                rows[i][j] = value * (sign * other)
            rows[i][size] = rest * sign
    return closed(Matrix(tuple(tuple(row[:size]) for row in rows)), [row[size] for row in rows])


def _turned(local: Matrix, axes: Matrix) -> Matrix:
    """Return U in world axes: blocks R U_ij R^T."""
    return _rotated(local, (axes, axes, axes, axes))


def _turned_planar(local: Matrix, axes: Matrix) -> Matrix:
    one = diagonal(ONE, 1)
    return _rotated(local, (axes, one, one, axes))


def _rotated(local: Matrix, turns: Sequence[Matrix]) -> Matrix:
    size = sum(len(turn.rows) for turn in turns)
    rows = [[ZERO] * size for _ in range(size)]
    rest: list[Expr] = []
    i = 0
    for turn in turns:
        j, height = 0, len(turn.rows)
        for other in turns:
            width = len(other.rows)
            block = Matrix(tuple(tuple(local.rows[i + m][j : j + width]) for m in range(height)))
            for m, row in enumerate((turn @ block @ other.transposed).rows):
                rows[i + m][j : j + width] = row
            j += width
        rest += turn.times([local.rows[i + m][size] for m in range(height)])
        i += height
    return closed(Matrix(tuple(map(tuple, rows))), rest)


def _claim_rigid(
    d: Derivation, found: Matrix, sums: Sequence[Mapping[str, Expr]], body: NewtonEulerBody, swing: Vector
) -> None:
    """Claim that without modes U is that of the rigid rod, in the beam's axes."""
    length = symbol("length")
    lever = Vector((ZERO - length, ZERO, ZERO))
    kinematic = swing * (ZERO - length)
    exact = closed_form(body, lever * ratio(1, 2), lever, (kinematic, kinematic * ratio(1, 2)))
    still = zero_sums(*sums)
    gaps = [replace(value, still) for value in unfolded(d, (found - exact).entries)]
    d.claim_identity("rigid", "without modes it is the matrix of the rigid rod", gaps, squares={})


def _claim_cut(d: Derivation, found: Matrix) -> None:
    """Claim that the planar matrix is the spatial one, cut to the plane."""
    spatial = beam_spatial()
    entries = unfolded(spatial, [symbol(e) for e in spatial.outputs["u"].elements])
    x, y = symbol("along_x"), symbol("along_y")
    flat = [[x, ZERO - y, ZERO], [y, x, ZERO], [ZERO, ZERO, ONE]]
    by: dict[str, Expr] = {f"axes_{i}{j}": flat[i][j] for i in range(3) for j in range(3)}
    by |= {f"{name}_z": ZERO for name in ("f", "gravity")}
    by |= {f"{name}_{axis}": ZERO for name in ("omega", "moment") for axis in AXES[:2]}
    by |= {"omega_z": symbol("omega"), "moment_z": symbol("moment")}
    own = unfolded(d, found.entries)
    cut = [replace(entries[13 * i + j], by) for i in PLACES for j in PLACES]
    d.claim_identity("cut", "it is the spatial matrix, cut to the plane",
                     [a - b for a, b in zip(own, cut, strict=True)], squares={})  # fmt: skip
