"""Discrete momenta of one body: what leaves a pose towards the next one, and what arrived from the one before.

With q the orientation at t, q+ and q- those a step later and earlier, phi+ = Vec(q^-1 q+), s+ its scalar part, phi- of
the step before (body axes), I the inertia in body axes and R = R(q), the rotational part of Newton's and Euler's
equations is momentum out = momentum in + h torque, with

    central       out R [2 I phi+ + (phi+ + phi-) x I (phi+ + phi-)]/h     in R 2 I phi-/h                     (D)
    start         out R 2 I phi+/h                                         in R I w0 - (h/2) R (w0 x I w0)
    variational   out R (2/h) (s+ 1 + phi+^) I phi+                        in R (2/h) (s- 1 - phi-^) I phi-    (V)

A Newton step turns q+ -> exp(dtheta/2) q+, dtheta in world axes: d phi+ = 1/2 (s+ 1 - phi+^) R^T dtheta. All momenta
are polynomials of degree two in q+, so that the central difference over any turn is their derivative exactly: this is
how the tangents are proved.

In world axes there is no R: with turn = R phi+ = Vec(q+ q^-1) and the inertia of t in world axes the same formulas
hold, and a turn is carried to the next step unchanged, since R(q) phi+ = R(q+) phi+.

Source: corrected form of Urkullu, Fernandez de Bustos, Garcia-Marina and Uriarte, "Direct integration of the equations
of multibody dynamics through central differences and linearization", Eq. (53); (V) is our own, from the discrete
Lagrangian (2/h) phi . I phi (Marsden and West 2001).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal, name_matrix, skew
from symgen.derive.dynamics.ports import Results, inertia_port, kernel, quaternion_port, rotation, step_port
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector, unit_vector

SOURCE = "Urkullu et al., Eq. (53), as corrected; momentum form of the step"
VARIATIONAL = "J. E. Marsden and M. West 2001, discrete Legendre transforms of (2/h) phi . I phi"

Scheme = Literal["central", "start", "variational"]
Axes = Literal["body", "world"]
_MOMENTUM = "N m s"


def half_turn() -> Derivation:
    """Derive half the turn between two orientations: vector and scalar part of their quotient."""
    d = kernel("half_turn", "half the turn from one orientation to another", SOURCE)
    phi, s = _half_turn(d, "body")
    d.output("phi", phi, meaning="vector part of q_from^-1 q_to: sine of half the angle, along the axis", unit="1",
             frame="body")  # fmt: skip
    d.output("s", s, meaning="scalar part: cosine of half the angle", unit="1", frame="")
    d.claim_zero("unit", "vector and scalar part make a unit quaternion", [phi.dot(phi) + s * s - ONE])
    return d


def world_turn() -> Derivation:
    """Derive the same turn in world axes."""
    d = kernel("world_turn", "half the turn from one orientation to another, world axes", SOURCE)
    turn, s = _half_turn(d, "world")
    d.output("turn", turn, meaning="vector part of q_to q_from^-1: sine of half the angle, along the axis", unit="1")
    d.output("s", s, meaning="scalar part: cosine of half the angle", unit="1", frame="")
    q_from, q_to = _ends()
    body = Vector((q_from.conjugate * q_to).components[1:])
    for q, name in ((q_from, "from"), (q_to, "to")):
        gaps = [q.axis(a).dot(turn) - value for a, value in zip("xyz", body, strict=True)]
        d.claim_zero(name, "in the axes of either orientation it is the vector part of q_from^-1 q_to", gaps)
    return d


def departure(scheme: Scheme, axes: Axes = "body") -> Derivation:
    """Derive the momentum that leaves, and its tangent for a small turn of the next orientation."""
    end = "" if axes == "body" else "_world"
    source = VARIATIONAL if scheme == "variational" else SOURCE
    d = kernel(f"{scheme}_departure{end}", f"angular momentum at departure, {scheme} form", source)
    _declare_ends(d)
    before = None
    if scheme == "central":
        name, what = ("phi_before", "phi of the step before") if axes == "body" else ("turn_before", "the turn before")
        before = d.input_vector(name, 3, meaning=what, unit="1", frame=axes)
    inertia = inertia_port(d) if axes == "body" else inertia_port(d, "inertia_world", "world")
    h = step_port(d)
    phi, s = _name_turn(d, axes)
    step = _Step(d, scheme, phi, s, before, inertia, d.scalar("i_h", ONE / h, "reciprocal of the step", "1/s"))
    momentum, tangent = step.momentum(), step.tangent()
    if axes == "body":
        triad = rotation(d, _ends()[0], meaning="body at departure")
        momentum = triad.to_world(momentum)
        tangent = _to_world(d, triad, tangent)
    out = momentum
    if axes == "body":
        out = d.vector("out_momentum", momentum, "momentum at departure, world axes", _MOMENTUM)
    d.output("momentum", out, meaning="angular momentum about the centre of mass at departure", unit=_MOMENTUM)
    Results(d).put(
        "tangent", tangent.entries,
        "3 x 3 matrix by rows: its derivative with respect to a small rotation of q_to, world axes", f"{_MOMENTUM}/rad",
    )  # fmt: skip
    if scheme != "variational":
        name = "phi" if axes == "body" else "turn"
        d.output(name, phi, meaning="half the turn of this step: vector part", unit="1", frame=axes)
    _claim_tangent(d, scheme, axes, before, inertia, h)
    return d


def arrival(axes: Axes = "body") -> Derivation:
    """Derive the momentum that arrived, central form."""
    end = "" if axes == "body" else "_world"
    d = kernel(f"central_arrival{end}", "angular momentum at arrival, central form", SOURCE)
    if axes == "body":
        q = quaternion_port(d, "q", "orientation now")
        phi = d.input_vector("phi_before", 3, meaning="phi of the step before", unit="1", frame="body")
        inertia = inertia_port(d)
    else:
        phi = d.input_vector("turn_before", 3, meaning="the turn before", unit="1")
        inertia = inertia_port(d, "inertia_world", "world")
    h = step_port(d)
    turned = d.vector("inertial", inertia.apply(phi), "inertia times half the turn", "kg m^2")
    twice = d.scalar("two_i_h", TWO / h, "twice the reciprocal of the step", "1/s")
    local = turned * twice
    if axes == "body":
        local = rotation(d, q).to_world(d.vector("local", local, "momentum in body axes", _MOMENTUM))
    _put_momentum(d, local)
    return d


def start_momentum(axes: Axes = "body") -> Derivation:
    """Derive the momentum to start with: R I w0 - (h/2) R (w0 x I w0) from the angular velocity."""
    end = "" if axes == "body" else "_world"
    d = kernel(f"start_momentum{end}", "angular momentum of the first half step", SOURCE)
    if axes == "body":
        q = quaternion_port(d, "q", "orientation now")
        omega = d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")
        inertia, h = inertia_port(d), step_port(d)
        triad = rotation(d, q)
        local = d.vector("wb", triad.to_local(omega), "angular velocity in body axes", "rad/s")
        lump = d.vector("lb", inertia.apply(local), "angular momentum in body axes", _MOMENTUM)
        spin = triad.to_world(lump)
    else:
        omega = d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")
        inertia, h = inertia_port(d, "inertia_world", "world"), step_port(d)
        spin = inertia.apply(omega)
    spin = d.vector("spin", spin, "angular momentum", _MOMENTUM)
    half = d.scalar("half_h", HALF * h, "half the step", "s")
    _put_momentum(d, spin - omega.cross(spin) * half)
    return d


def variational_arrival() -> Derivation:
    """Derive the momentum that arrives, variational form, and prove that it is the one that left."""
    d = kernel("variational_arrival", "angular momentum at arrival, variational form", VARIATIONAL)
    q_from, q_to = _declare_ends(d)
    inertia, h = inertia_port(d), step_port(d)
    phi, s = _name_turn(d, "body")
    turned = d.vector("inertial", inertia.apply(phi), "inertia times half the turn", "kg m^2")
    twice = d.scalar("two_i_h", TWO / h, "twice the reciprocal of the step", "1/s")
    local = d.vector("local", (turned * s - phi.cross(turned)) * twice, "momentum in body axes at arrival", _MOMENTUM)
    momentum = _put_momentum(d, rotation(d, q_to, meaning="body at arrival").to_world(local))
    left = (turned * s + phi.cross(turned)) * twice
    gaps = list(momentum - _axes_of(q_from).to_world(left))
    d.claim_zero("carried", "in world axes it is the momentum that left: a step without torque keeps it", gaps)
    return d


# -- pieces ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Step:
    """Momentum and tangent of one scheme, in the axes in which phi and the inertia are given."""

    d: Derivation
    scheme: Scheme
    phi: Vector
    s: Expr
    before: Vector | None
    inertia: Matrix
    i_h: Expr

    def momentum(self) -> Vector:
        d = self.d
        turned = d.vector("inertial", self.inertia.apply(self.phi), "inertia times half the turn", "kg m^2")
        if self.scheme == "variational":
            value = (turned * self.s + self.phi.cross(turned)) * d.scalar("two_i_h", TWO * self.i_h, "2/h", "1/s")
        elif self.before is None:
            value = turned * d.scalar("two_i_h", TWO * self.i_h, "2/h", "1/s")
        else:
            both = d.vector("both", self.phi + self.before, "sum of both half turns: the body's rate times h", "1")
            lump = d.vector("lump", self.inertia.apply(both), "inertia times it", "kg m^2")
            value = (turned * TWO + both.cross(lump)) * self.i_h
        return d.vector("local", value, "momentum in these axes", _MOMENTUM)

    def tangent(self) -> Matrix:
        """Return 1/2 dp/dphi (s 1 - phi^), and for (V) - (2/h)/2 (I phi) phi^T, as s depends on phi."""
        d, phi = self.d, self.phi
        scale = d.scalar("half_i_h", HALF * self.i_h, "1/(2 h)", "1/s")
        turning = diagonal(self.s) - skew(phi)
        if self.before is None and self.scheme != "variational":
            slope = self.inertia * self.d.scalar("two_scale", TWO * scale, "2/(2 h)", "1/s")
            scaled = name_matrix(
                d, "slope", slope, "derivative of the momentum with respect to half the turn", "kg m^2/s"
            )
            return name_matrix(d, "inner", scaled @ turning, "tangent in these axes", _MOMENTUM)
        if self.scheme == "variational":
            turned = Vector(tuple(_known(d, f"inertial_{a}") for a in "xyz"))
            core = self.inertia * self.s - skew(turned) + skew(phi) @ self.inertia
            core = name_matrix(
                d, "core", core, "derivative of the momentum with respect to half the turn, s kept", "kg m^2"
            )
            outer = Matrix(tuple(tuple(a * b for b in phi) for a in turned))
            twice = d.scalar("two_scale", TWO * scale, "2/(2 h)", "1/s")
            return name_matrix(d, "inner", (core @ turning - outer) * twice, "tangent in these axes", _MOMENTUM)
        both, lump = (Vector(tuple(_known(d, f"{name}_{a}") for a in "xyz")) for name in ("both", "lump"))
        core = self.inertia * TWO + skew(both) @ self.inertia - skew(lump)
        core = name_matrix(d, "core", core, "derivative of the momentum with respect to half the turn", "kg m^2")
        part = d.vector("part", phi * scale, "half the turn over 2 h", "1/s")
        rest = d.scalar("rest", self.s * scale, "its cosine over 2 h", "1/s")
        return name_matrix(d, "inner", core @ (diagonal(rest) - skew(part)), "tangent in these axes", _MOMENTUM)


def _known(d: Derivation, name: str) -> Expr:
    return d.promise(name)


def _declare_ends(d: Derivation) -> tuple[Quaternion, Quaternion]:
    return (
        quaternion_port(d, "q_from", "orientation at departure", "qf"),
        quaternion_port(d, "q_to", "orientation at arrival", "qt"),
    )


def _ends() -> tuple[Quaternion, Quaternion]:
    a, b = (tuple(symbol(f"{name}_{k}") for k in range(4)) for name in ("qf", "qt"))
    return Quaternion(a), Quaternion(b)  # type: ignore[arg-type]


def _axes_of(q: Quaternion) -> FrameAxes:
    return FrameAxes(*(q.axis(a) for a in "xyz"))


def _quotient(q_from: Quaternion, q_to: Quaternion, axes: Axes) -> Quaternion:
    return q_from.conjugate * q_to if axes == "body" else q_to * q_from.conjugate


def _half_turn(d: Derivation, axes: Axes) -> tuple[Vector, Expr]:
    _declare_ends(d)
    return _name_turn(d, axes)


def _name_turn(d: Derivation, axes: Axes) -> tuple[Vector, Expr]:
    s, *vector = _quotient(*_ends(), axes).components
    phi = d.vector("half", Vector(tuple(vector)), f"sine of half the turn, along its axis, {axes} axes", "1")
    return phi, d.scalar("s_half", s, "cosine of half the turn", "1")


def _to_world(d: Derivation, triad: FrameAxes, local: Matrix) -> Matrix:
    """Return R M R^T."""
    axes = Matrix(tuple(zip(triad.x, triad.y, triad.z, strict=True)))
    right = name_matrix(d, "right", local @ axes.transposed, "tangent for world turns, momentum still local", "")
    return axes @ right


def _put_momentum(d: Derivation, value: Vector) -> Vector:
    found = d.vector("out_momentum", value, "momentum in world axes", _MOMENTUM)
    d.output("momentum", found, meaning="angular momentum about the centre of mass", unit=_MOMENTUM)
    return found


def _claim_tangent(d: Derivation, scheme: Scheme, axes: Axes, before: Vector | None, inertia: Matrix, h: Expr) -> None:
    """Claim that the tangent's columns are the central differences over half turns of q_to about the axes."""
    q_from, q_to = _ends()
    formula = _formula(scheme, inertia, before, h)

    def world(q: Quaternion) -> Vector:
        value = formula(_quotient(q_from, q, axes))
        if axes == "world":
            return value
        return _axes_of(q_from).to_world(value)

    gaps = []
    for k, axis in enumerate("xyz"):
        x, y, z = unit_vector(axis) * HALF
        turned = (Quaternion((ZERO, x, y, z)) * q_to).components
        ahead, behind = (
            world(Quaternion(tuple(q + sign * t for q, t in zip(q_to.components, turned, strict=True))))  # type: ignore[arg-type]
            for sign in (1, -1)
        )
        gaps += [HALF * (ahead[i] - behind[i]) - d.promise(_tangent_name(d, 3 * i + k)) for i in range(3)]
    d.claim_zero("tangent", "the tangent is the derivative of the momentum", gaps)


def _tangent_name(d: Derivation, place: int) -> str:
    return d.outputs["tangent"].elements[place]


def _formula(scheme: Scheme, inertia: Matrix, before: Vector | None, h: Expr) -> Callable[[Quaternion], Vector]:
    """Return the momentum as a function of the quotient of the orientations."""

    def momentum(turn: Quaternion) -> Vector:
        s, *rest = turn.components
        phi = Vector(tuple(rest))
        turned = inertia.apply(phi)
        if scheme == "variational":
            return (turned * s + phi.cross(turned)) * (TWO / h)
        if before is None:
            return turned * (TWO / h)
        both = phi + before
        return (turned * TWO + both.cross(inertia.apply(both))) * (ONE / h)

    return momentum
