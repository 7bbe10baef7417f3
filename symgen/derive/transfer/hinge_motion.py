"""The constraint of a pair, differentiated twice: the independent proof of X, H and eta of a hinge.

A moves with any velocity and acceleration. A vector fixed in A has the rate omega_A x itself, one fixed in B
omega_B x itself; coordinates have rates and accelerations of their own. The constraint says

    r_B = r_A + sum of directions times slides,    omega_B = omega_A + sum of axes times rates of angles.

Its derivatives, by the chain rule alone, must be X a_A + H qdd + eta for any acceleration of A and any qdd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, ZERO, Expr, derivative, name_of, replace, symbol, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.transfer.ports import array_port, unit
from symgen.derive.transfer.unfolding import unfolded
from symgen.derive.vectors import AXES, Vector

_STATEMENT = "X a_A + H qdd + eta is the second derivative of the pair's constraint"


@dataclass(frozen=True)
class HingeFreedoms:
    """What a pair lets through.

    Attributes
    ----------
    freedoms : number of coordinates.
    slides : directions fixed in A, the number of their coordinate, a factor (a pitch).
    turns : axes, the number of their coordinate, the side they are fixed in: "a", "b", "" (at rest in the world).
    units : axes that the proof takes to be of unit length.
    rates : ports of the routine for the rates of the coordinates, if it has any.
    """

    freedoms: int
    slides: tuple[tuple[Vector, int, Expr], ...] = ()
    turns: tuple[tuple[Vector, int, str], ...] = ()
    units: tuple[Vector, ...] = ()
    rates: tuple[Expr, ...] = ()


def turn_about(axis: Vector) -> HingeFreedoms:
    """Return the constraint of a revolute pair."""
    return HingeFreedoms(1, turns=((axis, 0, "a"),), units=(axis,))


def slide_along(axis: Vector) -> HingeFreedoms:
    """Return the constraint of a prismatic pair."""
    return HingeFreedoms(1, slides=((axis, 0, ONE),))


def screw_along(axis: Vector, pitch: Expr) -> HingeFreedoms:
    """Return the constraint of a screw pair."""
    return HingeFreedoms(1, ((axis, 0, pitch),), ((axis, 0, "a"),), (axis,))


def slides_and_turn(directions: Sequence[Vector], axis: Vector) -> HingeFreedoms:
    """Return the constraint of slides in directions fixed in A and a turn about an axis fixed in A."""
    count = len(directions)
    slides = tuple((direction, k, ONE) for k, direction in enumerate(directions))
    return HingeFreedoms(count + 1, slides, ((axis, count, "a"),), (axis,))


def two_turns(first: Vector, second: Vector, rates: Sequence[Expr]) -> HingeFreedoms:
    """Return the constraint of a universal pair; `rates` are the ports for the rates of its angles."""
    return HingeFreedoms(2, turns=((first, 0, "a"), (second, 1, "b")), rates=tuple(rates))


def ball(axes: Sequence[Vector]) -> HingeFreedoms:
    """Return the constraint of a ball-and-socket: any relative angular velocity, by components along axes at rest."""
    return HingeFreedoms(3, turns=tuple((axis, k, "") for k, axis in enumerate(axes)))


class Clock:
    """Differentiates expressions in time: symbols have rates, expressions the chain rule."""

    def __init__(self) -> None:
        self._rates: dict[str, Expr] = {}

    def set(self, symbols: Sequence[Expr] | Vector, rates: Sequence[Expr] | Vector) -> None:
        """Say what the rates of symbols are; those of others are zero."""
        self._rates |= {name_of(s): rate for s, rate in zip(symbols, rates, strict=True)}

    def rate(self, vector: Vector) -> Vector:
        """Return the rate of every component."""
        return Vector(tuple(self._rate(value) for value in vector))

    def _rate(self, value: Expr) -> Expr:
        total = ZERO
        for name in symbol_names(value):
            total = total + derivative(value, name) * self._rates.get(name, ZERO)
        return total


@dataclass(frozen=True)
class _Coordinates:
    """Coordinates of the pair, their rates and accelerations, and the acceleration of A: what the claim is for."""

    value: tuple[Expr, ...]
    rate: tuple[Expr, ...]
    second: tuple[Expr, ...]
    pull: tuple[Expr, ...]


def _coordinates(d: Derivation, freedoms: int, size: int) -> _Coordinates:
    texts = (("coordinate", "coordinates"), ("speed", "rates"), ("qdd", "accelerations"))
    value, rate, second = (
        array_port(d, name, freedoms, f"any {text} of the hinge, for the proof", "SI") for name, text in texts
    )
    pull = array_port(d, "a_inboard", size, "any acceleration of A, for the proof", "m/s^2, rad/s^2")
    return _Coordinates(value, rate, second, pull)


def _named(name: str, size: int = 3) -> Vector:
    return Vector(tuple(symbol(f"{name}_{a}") for a in AXES[:size]))


def claim(d: Derivation, pair: HingeFreedoms) -> None:
    """Claim that X, H, eta of a hinge are what the second derivative of the pair's constraint says."""
    q = _coordinates(d, pair.freedoms, 6)
    place, speed, inboard = (_named(name) for name in ("r_a", "v_a", "omega_a"))
    apart, turned = Vector((ZERO,) * 3), Vector((ZERO,) * 3)
    for direction, k, factor in pair.slides:
        apart = apart + direction * (q.value[k] * factor)
    for axis, k, _ in pair.turns:
        turned = turned + axis * q.rate[k]
    outboard = inboard + turned
    clock = Clock()
    clock.set([*place, *speed, *inboard], [*speed, *q.pull])
    clock.set([*q.value, *q.rate], [*q.rate, *q.second])
    for direction, _, _ in pair.slides:
        clock.set(direction, inboard.cross(direction))
    carriers = {"a": inboard, "b": outboard, "": Vector((ZERO,) * 3)}
    for axis, _, side in pair.turns:
        clock.set(axis, carriers[side].cross(axis))
    velocity = clock.rate(place + apart)
    wanted = [*clock.rate(velocity), *clock.rate(outboard)]
    by = _by("omega_b", outboard) | _by("s", apart) | _by("v_r", velocity - speed - inboard.cross(apart))
    by |= {name_of(port): rate for port, rate in zip(pair.rates, q.rate, strict=False)}
    squares = {name_of(axis[2]): ONE - axis[0] * axis[0] - axis[1] * axis[1] for axis in pair.units}
    _claim(d, wanted, _accelerations(d, q, by), squares)


def claim_planar(d: Derivation, axis: Vector, *, slot: bool) -> None:
    """Claim the same of a slide in the plane, with a pin that turns in it or without."""
    q = _coordinates(d, 2 if slot else 1, 3)
    place, speed, inboard = _named("r_a", 2), _named("v_a", 2), symbol("omega_a")
    apart = axis * q.value[0]
    outboard = inboard + q.rate[1] if slot else inboard
    clock = Clock()
    clock.set([*place, *speed, inboard], [*speed, *q.pull])
    clock.set([*q.value, *q.rate], [*q.rate, *q.second])
    clock.set(axis, axis.turned() * inboard)
    velocity = clock.rate(place + apart)
    wanted = [*clock.rate(velocity), *clock.rate(Vector((outboard,)))]
    by = _by("s", apart) | _by("v_r", velocity - speed - apart.turned() * inboard)
    _claim(d, wanted, _accelerations(d, q, by), {})


def _by(name: str, values: Vector) -> dict[str, Expr]:
    return {f"{name}_{a}": value for a, value in zip(AXES, values, strict=False)}


def _accelerations(d: Derivation, q: _Coordinates, by: dict[str, Expr]) -> list[Expr]:
    """Return X a_A + H qdd + eta of the routine, for the motion of the constraint."""
    size, columns = len(q.pull), len(q.second)
    x = _result(d, "x", by, size) if "x" in d.outputs else unit(size)
    h, eta = _result(d, "h", by, columns), _result(d, "eta", by, 1)
    parts = zip(x.times(q.pull), h.times(q.second), eta.entries, strict=True)
    return [a + b + c for a, b, c in parts]


def _result(d: Derivation, name: str, by: dict[str, Expr], columns: int) -> Matrix:
    values = [replace(v, by) for v in unfolded(d, [symbol(e) for e in d.outputs[name].elements])]
    return Matrix(tuple(tuple(values[k : k + columns]) for k in range(0, len(values), columns)))


def _claim(d: Derivation, wanted: Sequence[Expr], found: Sequence[Expr], squares: dict[str, Expr]) -> None:
    gaps = [a - b for a, b in zip(wanted, found, strict=True)]
    d.claim_identity("differentiated", _STATEMENT, gaps, squares=squares)
