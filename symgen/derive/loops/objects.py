"""Derived objects of loop constraints: screws of joints, their exponentials, adjoint transformation, Lie bracket.

A screw is the velocity of the body point at the world's origin, then the angular velocity. The exponential of a screw
times a coordinate is the motion of the joint, a 4 x 4 matrix [R p; 0 1]; poses and closures are products of these.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146; R. Brockett 1984 for the product of exponentials.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Literal

from symgen.algebra import HALF, ONE, ZERO, Expr, cos, derivative, replace, sin, symbol
from symgen.derive.derived_object import DerivedObject, ObjectDerivation, Registry
from symgen.derive.dynamics.matrices import Matrix, diagonal, skew
from symgen.derive.dynamics.rotation_objects import axes_of, gaps, orientation, unit_squares
from symgen.derive.loops.screws import Screw, bracket
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector

Kind = Literal["turn", "slide", "helical"]

_NAMES: dict[Kind, str] = {"turn": "revolute joint", "slide": "prismatic joint", "helical": "helical joint"}
_POE = "product of exponentials, R. Brockett 1984; A. Mueller 2015, Eq. (5)"
_SCREWS = "A. Mueller, Mechanism and Machine Theory 76 (2014), 70-85"
_TWIST = "velocity of the body point at the origin, then angular velocity"


@cache
def objects() -> Mapping[str, DerivedObject]:
    """Return all derived objects of loop constraints."""
    found: dict[str, Callable[[], DerivedObject]] = {}
    for kind in _NAMES:
        found[f"screw_{kind}"] = partial(_screw, kind)
        found[f"exponential_{kind}"] = partial(_exponential, kind)
    return Registry({**found, "adjoint": _adjoint, "lie_bracket": _bracket, "screw_after": _after, "screw_rate": _rate})


def _screw(kind: Kind) -> DerivedObject:
    """Derive Y of a joint in the reference configuration."""
    d = ObjectDerivation(f"screw_{kind}", f"screw of a {_NAMES[kind]}: {_TWIST}", _SCREWS, "Y")
    axis, point, pitch = _joint(d, kind)
    screw = _screw_of(kind, axis, point, pitch)
    moved = screw.linear + screw.angular.cross(point)
    along = axis if kind == "slide" else axis * pitch
    d.claim_identity("axis", "points of the axis move along it only", gaps(moved, along), squares={})
    return d.give(screw.rows, "m, 1")


def _exponential(kind: Kind) -> DerivedObject:
    """Derive exp(Y q) of a joint."""
    title = f"motion exp(Y q) of a {_NAMES[kind]}: [R p; 0 1], by rows"
    d = ObjectDerivation(f"exponential_{kind}", title, _POE, "D")
    axis, point, pitch = _joint(d, kind)
    q = d.input_scalar("q", meaning="coordinate of the joint", unit="m" if kind == "slide" else "rad")
    made = _motion(d, kind, axis, point, pitch * q, q)
    wedge = _wedge(_screw_of(kind, axis, point, pitch))
    ahead = [_slope(value, kind) for value in made.entries]
    squares = _unit(axis)
    if kind != "slide":
        squares["c_half"] = ONE - symbol("s_half") * symbol("s_half")
    d.claim_identity(
        "slope", "its derivative is Y^ times itself", gaps(ahead, wedge @ made), squares=squares, keep=("s_half",)
    )
    start = [replace(value, {"c_half": ONE, "s_half": ZERO, "q": ZERO}) for value in made.entries]
    d.claim_identity("start", "it is the identity for q = 0", gaps(start, diagonal(ONE, 4)), squares={})
    return d.give(made, "1, m")


def _joint(d: ObjectDerivation, kind: Kind) -> tuple[Vector, Vector, Expr]:
    """Declare axis, a point of it and the pitch of a joint, as far as it has them."""
    axis = d.input_vector("e", 3, meaning="direction of the joint's axis", unit="1", range="unit")
    origin = Vector((ZERO, ZERO, ZERO))
    point = origin if kind == "slide" else d.input_vector("y", 3, meaning="a point of the axis", unit="m")
    pitch = d.input_scalar("h", meaning="slide by a turn of one radian", unit="m/rad") if kind == "helical" else ZERO
    return axis, point, pitch


def _screw_of(kind: Kind, axis: Vector, point: Vector, pitch: Expr) -> Screw:
    if kind == "slide":
        return Screw(axis, Vector((ZERO, ZERO, ZERO)))
    return Screw(point.cross(axis) + axis * pitch, axis)


def _motion(d: ObjectDerivation, kind: Kind, axis: Vector, point: Vector, slid: Expr, q: Expr) -> Matrix:
    if kind == "slide":
        return _homogeneous(diagonal(ONE), axis * q)
    cosine = d.scalar("c_half", cos(q * HALF), "cosine of half the angle", "1")
    sine = d.scalar("s_half", sin(q * HALF), "sine of half the angle", "1")
    x, y, z = axis * sine
    turned = axes_of(Quaternion((cosine, x, y, z)))
    return _homogeneous(turned, point - turned.apply(point) + axis * slid)


def _slope(value: Expr, kind: Kind) -> Expr:
    """Return the derivative for q: cosine and sine of half the angle change by half of each other."""
    own = derivative(value, "q")
    if kind == "slide":
        return own
    half = derivative(value, "s_half") * symbol("c_half") - derivative(value, "c_half") * symbol("s_half")
    return own + half * HALF


def _homogeneous(turned: Matrix, moved: Vector) -> Matrix:
    rows = [(*row, place) for row, place in zip(turned.rows, moved, strict=True)]
    return Matrix((*rows, (ZERO, ZERO, ZERO, ONE)))


def _wedge(screw: Screw) -> Matrix:
    """Return Y^ = [w^ v; 0 0]."""
    rows = [(*row, place) for row, place in zip(skew(screw.angular).rows, screw.linear, strict=True)]
    return Matrix((*rows, (ZERO, ZERO, ZERO, ZERO)))


def _unit(*vectors: Vector) -> dict[str, Expr]:
    """Return the squares of the first components of unit vectors."""
    return {str(x): ONE - y * y - z * z for x, y, z in vectors}


def _adjoint() -> DerivedObject:
    """Derive Ad of a frame [R p; 0 1]: what a screw becomes if it is carried there."""
    d = ObjectDerivation("adjoint", "adjoint transformation of a frame (p, r): [R r^ R; 0 R], by rows", _SCREWS, "Ad")
    turn, turned, place = _frame(d)
    found = _adjoint_of(turned, place)
    a, b = (_any_screw(d, name) for name in ("any_a", "any_b"))
    both = bracket(_applied(found, a), _applied(found, b))
    d.claim_identity(
        "bracket", "Ad [a, b] = [Ad a, Ad b] for any a, b", gaps(_applied(found, bracket(a, b)).rows, both.rows),
        squares=unit_squares(turn),
    )  # fmt: skip
    return _of(d, found, "1, m", ("p", "r"))


def _bracket() -> DerivedObject:
    """Derive the Lie bracket of two screws."""
    d = ObjectDerivation("lie_bracket", "Lie bracket [a, b] of two screws", _SCREWS, "[a, b]")
    a, b = _screw_port(d, "a", "a screw"), _screw_port(d, "b", "a screw")
    c = _any_screw(d, "any_c")
    found = bracket(a, b)
    product = _wedge(a) @ _wedge(b) - _wedge(b) @ _wedge(a)
    d.claim_identity("matrices", "[a, b]^ = a^ b^ - b^ a^", gaps(_wedge(found), product), squares={})
    cycle = bracket(a, bracket(b, c)) + bracket(b, bracket(c, a)) + bracket(c, found)
    d.claim_identity("cycle", "[a, [b, c]] + [b, [c, a]] + [c, [a, b]] = 0", list(cycle.rows), squares={})
    return _of(d, found.rows, "m/s^2, rad/s^2", ("a", "b"))


def _after() -> DerivedObject:
    """Derive the instantaneous screw of a joint that follows a frame."""
    d = ObjectDerivation(
        "screw_after", "instantaneous screw S = Ad Y of a joint that follows a frame (p, r)", _SCREWS, "S"
    )
    turn, turned, place = _frame(d)
    screw = _screw_port(d, "screw", "screw of the joint in the reference configuration")
    found = _applied(_adjoint_of(turned, place), screw)
    # C Y^ C^-1 with C = [R r; 0 1].
    there = _homogeneous(turned, place)
    back = _homogeneous(turned.transposed, turned.transposed.apply(place) * -1)
    d.claim_identity(
        "carried", "S^ = C Y^ C^-1", gaps(_wedge(found), there @ _wedge(screw) @ back), squares=unit_squares(turn)
    )
    return d.give(found.rows, "m, 1")


def _rate() -> DerivedObject:
    """Derive how fast the instantaneous screw of a joint changes."""
    title = "rate of an instantaneous screw S of a joint on a body that moves with the twist V: [V, S]"
    d = ObjectDerivation("screw_rate", title, _SCREWS, "dS/dt")
    twist, screw = _screw_port(d, "twist", "twist of the body before the joint"), _screw_port(d, "screw", "the screw")
    found = bracket(twist, screw)
    # S = (r x e + h e, e) of a line carried along: r' = v + w x r, e' = w x e.
    point = d.input_vector("any_r", 3, meaning="a point of an axis, for the proof", unit="m")
    axis = d.input_vector("any_e", 3, meaning="direction of that axis, for the proof", unit="1")
    pitch = d.input_scalar("any_h", meaning="pitch, for the proof", unit="m/rad")
    gone, turned = twist.linear + twist.angular.cross(point), twist.angular.cross(axis)
    line = _screw_of("helical", axis, point, pitch)
    moved = (*(gone.cross(axis) + point.cross(turned) + turned * pitch), *turned)
    d.claim_identity("line", "an axis that is carried along changes by it", gaps(bracket(twist, line).rows, moved),
                     squares={})  # fmt: skip
    return _of(d, found.rows, "m/s, 1/s", ("twist", "screw"))


def _frame(d: ObjectDerivation) -> tuple[Quaternion, Matrix, Vector]:
    turn = orientation(d, "p", "orientation of the frame")
    return turn, axes_of(turn), d.input_vector("r", 3, meaning="origin of the frame", unit="m")


def _adjoint_of(turned: Matrix, place: Vector) -> Matrix:
    lever = skew(place) @ turned
    upper = [(*a, *b) for a, b in zip(turned.rows, lever.rows, strict=True)]
    return Matrix((*upper, *((ZERO, ZERO, ZERO, *row) for row in turned.rows)))


def _screw_port(d: ObjectDerivation, name: str, meaning: str) -> Screw:
    x, y, z, a, b, c = d.input_array(name, [f"{name}_{k}" for k in range(6)], meaning=f"{meaning}: {_TWIST}", unit="SI")
    return Screw(Vector((x, y, z)), Vector((a, b, c)))


def _any_screw(d: ObjectDerivation, name: str) -> Screw:
    return _screw_port(d, name, "for the proof")


def _applied(matrix: Matrix, screw: Screw) -> Screw:
    x, y, z, a, b, c = matrix.times(screw.rows)
    return Screw(Vector((x, y, z)), Vector((a, b, c)))


def _of(d: ObjectDerivation, values: Matrix | Sequence[Expr], unit: str, arguments: tuple[str, ...]) -> DerivedObject:
    """Return an object of some of the ports: others are there for the proof."""
    return d.give(values, unit).of(arguments)
