"""Rates and accelerations of a coordinate by differentiating the steps that give it.

Where one joint coordinate is all that is asked of a structural group, and square roots and rational operations give it,
its rate needs no other joint's: the length of a leg is |d|, its rate d . d' over the length. The steps of the position
are differentiated one by one, twice, from the motion of the known bodies; an axis of a body turns with its angular
velocity. Each step keeps its name: `x` has `x_rate` and `x_rate2`.
"""

from __future__ import annotations

from collections.abc import Mapping

from symgen.algebra import HALF, ZERO, Expr, is_number, is_symbol, name_of, symbol, symbol_names
from symgen.algebra.fixed_vectors import Components
from symgen.algebra.time_derivatives import (
    along_axes,
    halved,
    is_algebraic,
    is_sign,
    signed_root,
    time_derivative,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Let
from symgen.whole.steps import Steps

#: Of so many axes on a vector is differentiated as a whole: one axis may be that of many vectors.
_SEVERAL = 2
#: (rate, acceleration).
Rates = tuple[Expr, Expr]


class TimeRates:
    """Differentiates steps.

    Parameters
    ----------
    steps : what has been written so far; what is differentiated is written to it.
    motion : name of a symbol whose motion is known -> its rate and acceleration.
    spins : quaternion of a turning frame -> its angular velocity and acceleration in world axes.
    """

    def __init__(
        self, steps: Steps, motion: Mapping[str, Rates], spins: Mapping[Components, tuple[Components, Components]]
    ) -> None:
        self._steps = steps
        self._spins = spins
        self._found: dict[str, Rates] = dict(motion)
        #: Of a symbol, also of one that is a rate itself: its time derivative.
        self._derivative = {name: rate for name, (rate, _) in motion.items()}
        self._derivative |= {name_of(rate): growth for rate, growth in motion.values() if is_symbol(rate)}

    def can_differentiate(self, value: Expr) -> bool:
        """Tell whether a value comes from known motions by what can be differentiated; angles of vectors do not."""
        turning = self._axes()
        waiting, seen = [value], set[str]()
        while waiting:
            each = waiting.pop()
            if not is_algebraic(each):
                return False
            for name in symbol_names(each):
                if name in seen or name in self._found or name in turning or name.startswith(("branch_", "geometry_")):
                    continue
                seen.add(name)
                let = self._steps.let_of(name)
                if let is None:
                    return False
                waiting.append(_value(let, name))
        return True

    def rates(self, value: Expr) -> Rates:
        """Return rate and acceleration of a number or a named step."""
        return (ZERO, ZERO) if is_number(value) else self._rates(name_of(value))

    def _rates(self, name: str) -> Rates:
        if name in self._found:
            return self._found[name]
        axis = self._axes().get(name)
        let = self._steps.let_of(name)
        if axis is not None:
            self._turn(*axis)
        elif let is None:
            self._keep(name, ZERO, ZERO)
        else:
            root = signed_root(let.values[0], self._is_sign) if len(let.targets) == 1 else None
            if root is None:
                self._differentiate(let)
            else:
                self._root(let, *root)
        return self._found[name]

    def _keep(self, name: str, rate: Expr, growth: Expr) -> None:
        self._found[name] = rate, growth
        self._derivative[name] = rate
        if is_symbol(rate):
            self._derivative.setdefault(name_of(rate), growth)

    def _rate_of(self, name: str) -> Expr:
        """Return the time derivative of a symbol, which may be a rate."""
        return self._derivative[name] if name in self._derivative else self._rates(name)[0]

    def _differentiate(self, let: Let) -> None:
        let = self._with_arm(let)
        if all(target in self._found for target in let.targets):
            return
        for value in let.values:  # what they come from is written first
            for name in symbol_names(value):
                self._rate_of(name)
        first = [time_derivative(value, self._rate_of) for value in let.values]
        rates = self._named(let, "rate", first, _of("rate", let.comment))
        second = [time_derivative(value, self._rate_of) for value in first]
        growths = self._named(let, "rate2", second, _of("acceleration", let.comment))
        for target, rate, growth in zip(let.targets, rates, growths, strict=True):
            self._keep(target, rate, growth)

    def _with_arm(self, let: Let) -> Let:
        """Name what turns with a body in a vector of several axes; return the step with that name in it.

        A vector r that is fixed in a body has r' = omega x r, r'' = alpha x r + omega x r': fewer products, and fewer
        numbers to keep, than the rates of all axes that it is made of.
        """
        for root, (omega, alpha) in self._spins.items():
            axes = list(self._steps.frames.axes.get(root, {}).values())
            found = along_axes(let.values, axes) if len(let.targets) == 3 else None
            if found is None or found[2] < _SEVERAL:
                continue
            values, rest, _ = found
            name = f"{let.name}_arm"
            arm = self._vector(name, Vector(values), f"what of it turns with the body{_unit(let)}")
            if not all(map(is_symbol, arm)):
                continue
            names = tuple(map(name_of, arm))
            is_all = names == let.targets  # all of the vector turns with the body: it is its own arm
            if not is_all and set(names) & set(let.targets):
                continue
            let = (
                let
                if is_all
                else self._steps.put_before(let, arm, tuple(a + b for a, b in zip(rest, arm, strict=True)))
            )
            rate = self._vector(f"{name}_rate", Vector(omega).cross(Vector(arm)), _of("rate", f"that part{_unit(let)}"))
            second = Vector(alpha).cross(Vector(arm)) + Vector(omega).cross(Vector(rate))
            growth = self._vector(f"{name}_rate2", second, _of("acceleration", f"that part{_unit(let)}"))
            for component, one, two in zip(arm, rate, growth, strict=True):
                self._keep(name_of(component), one, two)
        return let

    def _is_sign(self, value: Expr) -> bool:
        let = self._steps.let_of(name_of(value)) if is_symbol(value) else None
        return is_sign(value if let is None else _value(let, name_of(value)))

    def _root(self, let: Let, square: Expr, radicand: Expr) -> None:
        """Differentiate t = c sqrt(x): t' = c^2 x'/(2 t), t'' = (c^2 x''/2 - t'^2)/t."""
        first, second = self._halves(radicand)
        (target,) = let.targets
        inverse = self._steps.let(f"{target}_inverse", 1 / symbol(target), "its reciprocal")
        rate = self._steps.let(f"{target}_rate", square * first * inverse, _of("rate", let.comment))
        growth = (square * second - rate * rate) * inverse
        self._keep(target, rate, self._steps.let(f"{target}_rate2", growth, _of("acceleration", let.comment)))

    def _halves(self, radicand: Expr) -> Rates:
        """Return half the rate and half the acceleration of a radicand; those of squares have no factor then."""
        let = self._steps.let_of(name_of(radicand)) if is_symbol(radicand) else None
        if let is not None and name_of(radicand) not in self._found:
            value = _value(let, name_of(radicand))
            for name in symbol_names(value):
                self._rate_of(name)
            first = time_derivative(value, self._rate_of)
            halves = halved(first), halved(time_derivative(first, self._rate_of))
            if halves[0] is not None and halves[1] is not None:
                stem = f"{name_of(radicand)}_half"
                rate = self._steps.let(f"{stem}_rate", halves[0], f"half the {_of('rate', let.comment)}")
                return rate, self._steps.let(f"{stem}_rate2", halves[1], f"half the {_of('acceleration', let.comment)}")
        for name in symbol_names(radicand):
            self._rate_of(name)
        first = time_derivative(radicand, self._rate_of)
        return HALF * first, HALF * time_derivative(first, self._rate_of)

    def _turn(self, root: Components, axis: Components) -> None:
        """Differentiate an axis u that turns with a body: u' = omega x u, u'' = alpha x u + omega x u'."""
        omega, alpha = (Vector(each) for each in self._spins[root])
        number = next(k for k, own in self._steps.frames.axes[root].items() if own == axis)
        frame = next(name_of(each) for each in root if is_symbol(each)).rpartition("_")[0]
        named = f"{frame}_e{'xyz'[number]}"  # components of two axes may be the same symbol
        rate = self._vector(f"{named}_rate", omega.cross(Vector(axis)), f"rate of the axis {named} [1/s]")
        second = alpha.cross(Vector(axis)) + omega.cross(Vector(rate))
        growth = self._vector(f"{named}_rate2", second, f"acceleration of the axis {named} [1/s^2]")
        for component, one, two in zip(axis, rate, growth, strict=True):
            if is_symbol(component):
                self._keep(name_of(component), one, two)

    def _vector(self, name: str, vector: Vector, comment: str) -> tuple[Expr, ...]:
        return self._steps.lets(name, [f"{name}_{each}" for each in "xyz"], tuple(vector), comment, {})

    def _named(self, let: Let, ending: str, values: list[Expr], comment: str) -> tuple[Expr, ...]:
        targets = [f"{let.name}_{ending}{_behind(target, let.name)}" for target in let.targets]
        return self._steps.lets(f"{let.name}_{ending}", targets, values, comment, {})

    def _axes(self) -> dict[str, tuple[Components, Components]]:
        """Return name of a component of an axis of a known body -> the body's quaternion, the axis."""
        return {
            name_of(component): (root, axis)
            for root, named in self._steps.frames.axes.items()
            if root in self._spins
            for axis in named.values()
            for component in axis
            if is_symbol(component)
        }


def _of(what: str, comment: str) -> str:
    """Return "rate of ..." of what a step says of itself, with its unit."""
    text, bracket, unit = comment.partition(" [")
    if not bracket:
        return f"{what} of {comment}"
    return f"{what} of {text} [{unit.rstrip(']')}/{'s' if what == 'rate' else 's^2'}]"


def _unit(let: Let) -> str:
    """Return the unit that a step says of itself, as it says it."""
    _, bracket, unit = let.comment.partition(" [")
    return bracket + unit


def _behind(target: str, name: str) -> str:
    """Return what tells a component of a step from the others."""
    return target.removeprefix(name) if target.startswith(name) else f"_{target}"


def _value(let: Let, name: str) -> Expr:
    return let.values[let.targets.index(name)]
