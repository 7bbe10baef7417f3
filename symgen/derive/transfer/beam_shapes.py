"""Assumed shapes of a beam that is held at one end: integrals of its mass and stiffness, and what one mode does.

Shapes over xi = s/L, s from the held end: of bending the double integrals of Legendre's polynomials P_i(2 xi - 1), of
stretching and torsion their simple integrals. They hold the end as a clamp does, are complete with any force at the
other end, and their stiffness is a diagonal: int phi_i'' phi_j'' = delta_ij/(2 i + 1). All integrals are exact
fractions. The vibration modes that a simulation takes are combinations of them (`symgen.beams.modes`).

Source: W. Ritz 1909; floating frame at one end: A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5.
"""

from __future__ import annotations

from functools import cache

from symgen.algebra import ONE, Expr, antiderivative, integral, number, ratio, replace, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.vectors import Vector

SOURCE = "W. Ritz 1909; A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5"
#: How many shapes there are: those of the model's most modes, and some that make the highest of them good.
SHAPES = 12
_XI = "xi"


@cache
def legendre(count: int) -> tuple[Expr, ...]:
    """Return P_i(2 xi - 1), i = 0 ... count - 1, by Bonnet's recursion."""
    x = 2 * symbol(_XI) - 1
    found: list[Expr] = [ONE, x]
    for i in range(1, count - 1):
        found.append(((2 * i + 1) * x * found[i] - i * found[i - 1]) * ratio(1, i + 1))
    return tuple(found[:count])


@cache
def shapes(times: int) -> tuple[Expr, ...]:
    """Return the shapes: Legendre's polynomials integrated once or twice from xi = 0."""
    found = legendre(SHAPES)
    for _ in range(times):
        found = tuple(antiderivative(each, _XI) for each in found)
    return found


def bending() -> Derivation:
    """Derive the integrals of bending in one plane."""
    d = kernel("beam_bending_shapes", "integrals of the shapes of bending", SOURCE)
    length, mass = _size(d, "mass per unit length", "kg/m")
    stiffness = d.input_scalar("stiffness", meaning="stiffness of bending EI", unit="N m^2")
    phi = shapes(2)
    slope = shapes(1)
    results = Results(d)
    _put_mass(results, phi, mass * length)
    rigid = stiffness / (length * length * length)
    _put(results, "k", [rigid * ratio(1, 2 * i + 1) for i in range(SHAPES)], "stiffness, a diagonal", "N/m")
    sums, levers = [integral(p, _XI) for p in phi], [integral(symbol(_XI) * p, _XI) for p in phi]
    _put(results, "total", [mass * length * a for a in sums], "int mu phi ds", "kg")
    _put(results, "lever", [mass * length * length * b for b in levers], "int mu s phi ds", "kg m")
    tips = [_at_end(p) for p in phi]
    _put(results, "tip", tips, "phi at the other end", "1")
    _put(results, "slope", [_at_end(p) / length for p in slope], "dphi/ds at the other end", "1/m")
    xi = symbol(_XI)
    _claim_parts(d, [
        (sums, (1 - xi) * (1 - xi) * ratio(1, 2)),
        (levers, ratio(1, 3) - xi * ratio(1, 2) + xi * xi * xi * ratio(1, 6)),
        (tips, 1 - xi),
    ])  # fmt: skip
    _claim_orthogonal(d)
    return d


def rod() -> Derivation:
    """Derive the integrals of stretching, or of torsion."""
    d = kernel("beam_rod_shapes", "integrals of the shapes of stretching or torsion", SOURCE)
    length, mass = _size(d, "mass per unit length; of torsion polar inertia", "kg/m or kg m")
    stiffness = d.input_scalar("stiffness", meaning="stiffness EA or GJ", unit="N or N m^2")
    psi = shapes(1)
    results = Results(d)
    _put_mass(results, psi, mass * length)
    rigid = stiffness / length
    _put(results, "k", [rigid * ratio(1, 2 * i + 1) for i in range(SHAPES)], "stiffness, a diagonal", "N/m or N m")
    sums, levers = [integral(p, _XI) for p in psi], [integral(symbol(_XI) * p, _XI) for p in psi]
    _put(results, "total", [mass * length * a for a in sums], "int mu psi ds", "kg or kg m^2")
    _put(results, "lever", [mass * length * length * b for b in levers], "int mu s psi ds", "kg m")
    tips = [_at_end(p) for p in psi]
    _put(results, "tip", tips, "psi at the other end", "1")
    xi = symbol(_XI)
    _claim_parts(d, [(sums, 1 - xi), (levers, (1 - xi * xi) * ratio(1, 2)), (tips, ONE)])
    _claim_orthogonal(d)
    return d


def mode() -> Derivation:
    """Derive what one mode of bending or stretching does in a frame at the held end that moves, at rest in it.

    Its material has the acceleration rdd + Wd x (s t) + W x (W x s t) + phi e etadd; virtual displacement phi e.
    """
    d = kernel("beam_mode", "one assumed mode of a beam in its floating frame", SOURCE)
    total = d.input_scalar("total", meaning="int mu phi ds of the mode", unit="kg")
    lever = d.input_scalar("lever", meaning="int mu s phi ds of the mode", unit="kg m")
    tip = d.input_scalar("tip", meaning="phi at the other end", unit="1")
    slope = d.input_scalar("slope", meaning="dphi/ds at the other end; of stretching 0", unit="1/m")
    along = d.input_vector("along", 3, meaning="t, from the held end to the other", unit="1", range="unit")
    aside = d.input_vector("aside", 3, meaning="e, direction of the mode", unit="1", range="unit")
    omega = d.input_vector("omega", 3, meaning="angular velocity of the frame", unit="rad/s")
    gravity = d.input_vector("gravity", 3, meaning="acceleration of gravity", unit="m/s^2")
    turned = d.vector("turned", along.cross(aside), "t x e", "1")
    results = Results(d)
    column = (*(aside * total), *(turned * lever))
    results.put("column", column, "inertia between mode and frame: [rdd Wd]", "kg, kg m")
    swing = d.vector("swing", omega.cross(omega.cross(along)), "W x (W x t)", "1/s^2")
    load = d.scalar(
        "driving", aside.dot(gravity) * total - aside.dot(swing) * lever, "generalised force on the mode", "N"
    )
    d.output("load", load, meaning="weight minus centrifugal force on the mode", unit="N", frame="")
    results.put("end", (*(aside * tip), *(turned * slope)), "displacement and rotation of the other end", "1, 1/m")
    axes = [Vector(tuple(ONE if i == k else number(0) for i in range(3))) for k in range(3)]
    gaps = [aside.dot(axis.cross(along)) - turned.dot(axis) for axis in axes]
    d.claim_identity("moment", "e (Wd x t) = (t x e) Wd: the virtual power of a turning frame", gaps, squares={})
    return d


@cache
def beam_kernels() -> tuple[Derivation, ...]:
    """Derive the kernels of beams in accelerations."""
    return bending(), rod(), mode()


def _size(d: Derivation, what: str, unit: str) -> tuple[Expr, Expr]:
    length = d.input_scalar("length", meaning="length of the beam", unit="m", range="positive")
    return length, d.input_scalar("mass", meaning=what, unit=unit)


def _put_mass(results: Results, found: tuple[Expr, ...], scale: Expr) -> None:
    exact = {(i, j): integral(found[i] * found[j], _XI) for i in range(SHAPES) for j in range(i + 1)}
    entries = [scale * exact[max(i, j), min(i, j)] for i in range(SHAPES) for j in range(SHAPES)]
    results.put("m", entries, f"mass: {SHAPES} x {SHAPES}, row by row", "kg", "")


def _put(results: Results, name: str, values: list[Expr], meaning: str, unit: str) -> None:
    results.put(name, values, meaning, unit, "")


def _at_end(value: Expr) -> Expr:
    return replace(value, {_XI: ONE})


def _claim_parts(d: Derivation, pairs: list[tuple[list[Expr], Expr]]) -> None:
    """Claim that integrals over a shape are those over its polynomial with a weight: integration by parts."""
    gaps = [value - integral(weight * p, _XI) for values, weight in pairs
            for value, p in zip(values, legendre(SHAPES), strict=True)]  # fmt: skip
    d.claim_identity("parts", "integrals of the shapes, by parts over Legendre's polynomials", gaps, squares={})


def _claim_orthogonal(d: Derivation) -> None:
    found = legendre(SHAPES)
    gaps = [
        integral(found[i] * found[j], _XI) - (ratio(1, 2 * i + 1) if i == j else number(0))
        for i in range(SHAPES)
        for j in range(i + 1)
    ]
    d.claim_identity("stiffness", "Legendre's polynomials are orthogonal, int P_i P_i = 1/(2 i + 1)", gaps, squares={})
