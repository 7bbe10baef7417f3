"""All assemblies of a loop: its parts, cut out of one derivation, for a search that no special geometry misleads.

A kernel with ranked branches eliminates all but one angle. Where two assemblies share that angle, or the geometry is
special otherwise (axes parallel or at right angles, points on axes), zeros of its polynomial meet, and the others do
not follow from them. So a kernel says twice what its loop is: how a zero of the polynomial gives *candidates* for the
coordinates, and which equations *close* the loop, with their derivatives. Newton's method on the latter closes every
candidate; where something is left doubtful, the same is done with the constants displaced a little, so that nothing
meets, and what was found is carried back (`symgen.ir.nodes.LoopAssemblies`).

Each part takes the constants of the loop, the kernel's own ports, as one array. A kernel is derived once for each
part: a `LoopPart` collects the ports; where it takes a zero, one part ends with the coefficients, another begins with
cosine and sine.

Source: docs/closed-forms.md, "Every assembly of a loop"; carrying solutions: Morgan, Sommese 1989 (parameter homotopy).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr, ratio, sqrt, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.items import AssembliesStep, Inner, Relation, When
from symgen.ir.nodes import Port
from symgen.status import Status

SOURCE = "docs/closed-forms.md (every assembly of a loop)"
E = TypeVar("E")
Turn = tuple[Expr, Expr]


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of an assembly: cosines and sines of `turns` angles, then `lengths` numbers, in a unit of length.

    Steps of Newton's method have the same order: angles, then lengths.
    """

    turns: tuple[Turn, ...]
    lengths: tuple[Expr, ...] = ()

    @property
    def flat(self) -> tuple[Expr, ...]:
        """All numbers."""
        return (*(value for turn in self.turns for value in turn), *self.lengths)


@dataclass(frozen=True)
class Closure:
    """The closing equations at given coordinates, all numbers without a unit.

    `lacks` is what steps have to make up for, `rows` are its derivatives by the steps; `open2` is a sum of squares of
    what is open, relative to the loop; `place` the angle that ranks assemblies, as multiples of cosine and sine.
    """

    lacks: tuple[Expr, ...]
    rows: tuple[tuple[Expr, ...], ...]
    open2: Expr
    place: Turn


class LoopKernel(ABC, Generic[E]):
    """What a kernel says of its loop; `turns` and `lengths` count its coordinates, `degree` is the polynomial's."""

    id: str
    degree: int
    turns: int
    lengths: int = 0

    @abstractmethod
    def declare(self, d: Derivation) -> E:
        """Declare the constants of the loop."""

    @abstractmethod
    def unit(self, d: Derivation, e: E) -> Expr:
        """Name the unit of length."""

    @abstractmethod
    def candidate(self, d: Derivation, e: E) -> Coordinates:
        """Name the steps to a candidate; it takes one zero."""

    @abstractmethod
    def closure(self, d: Derivation, e: E, at: Coordinates) -> Closure:
        """Name the closing equations."""

    # -- the search ------------------------------------------------------------------------------------------------

    def assemblies(self, d: Derivation, rank: Expr) -> Coordinates:
        """Name the coordinates of the assembly of a rank: `cos_a<k>`, `sin_a<k>`, `length_a<k>`."""
        polynomial = self._polynomial()
        parts = (polynomial, self._recovery(), self._closure(), self._stepped(), self._displaced())
        loop = polynomial.inputs[0].elements
        inputs = tuple(symbol(element) for element in loop)
        names = self._names("a")
        text = "The assembly of that rank."
        item = AssembliesStep(f"{self.id}_found", parts, inputs, rank, names, self.degree, text, d.current_part)
        return self._coordinates(d.append(item, [*inputs, rank], names))

    def _names(self, tag: str) -> tuple[str, ...]:
        turned = [f"{wave}_{tag}{k}" for k in range(1, self.turns + 1) for wave in ("cos", "sin")]
        return (*turned, *(f"length_{tag}{k}" for k in range(1, self.lengths + 1)))

    def _coordinates(self, values: Sequence[Expr]) -> Coordinates:
        turns = tuple((values[2 * k], values[2 * k + 1]) for k in range(self.turns))
        return Coordinates(turns, tuple(values[2 * self.turns :]))

    # -- the parts -------------------------------------------------------------------------------------------------

    def _part(self, kind: type[LoopPart], what: str) -> LoopPart:
        return kind(f"{self.id} {what}", level="kernel", title=f"{what.capitalize()} of the loop", source=SOURCE)

    def _polynomial(self) -> Inner:
        d = self._part(_PolynomialPart, "polynomial")
        self.candidate(d, self.declare(d))
        return Inner(f"{self.id}_polynomial", d)

    def _recovery(self) -> Inner:
        d = self._part(_RecoveryPart, "recovery")
        found = self.candidate(d, self.declare(d))
        _give(d, "coordinates", found.flat, "coordinates of a candidate")
        return Inner(f"{self.id}_recovery", d)

    def _closure(self) -> Inner:
        d = self._part(LoopPart, "closure")
        e = self.declare(d)
        names = self._names("at")
        at = self._coordinates(d.input_array("coordinates", names, meaning="coordinates", unit="1"))
        found = self.closure(d, e, at)
        _give(d, "lacks", found.lacks, "residual of each equation")
        _give(d, "jacobian", [value for row in found.rows for value in row], "derivatives, by rows")
        size = d.scalar("open_size", sqrt(found.open2), "total closure error, relative to the size of the loop")
        d.output("left_open", size, meaning="total closure error, relative to the size of the loop", unit="")
        for name, value in zip(("place_c", "place_s"), found.place, strict=True):
            d.output(name, d.scalar(f"{name}_at", value, "ranking angle"), meaning="ranking angle", unit="")
        return Inner(f"{self.id}_closure", d)

    def _stepped(self) -> Inner:
        title = "Coordinates of the loop, one step on"
        d = Derivation(f"{self.id} stepped", level="kernel", title=title, source=SOURCE)
        values = d.input_array("coordinates", self._names("at"), meaning="coordinates", unit="1")
        at = self._coordinates(values)
        labels = [f"step_{k}" for k in range(1, self.turns + self.lengths + 1)]
        steps = d.input_array("steps", labels, meaning="steps: angles, then lengths", unit="1")
        new: list[Expr] = []
        for k, ((cosine, sine), step) in enumerate(zip(at.turns, steps[: self.turns], strict=True), 1):
            new += _turned_on(d, k, cosine, sine, step)
        new += [length + step for length, step in zip(at.lengths, steps[self.turns :], strict=True)]
        _give(d, "reached", new, "coordinates after the step")
        return Inner(f"{self.id}_stepped", d)

    def _displaced(self) -> Inner:
        d = self._part(LoopPart, "displaced constants")
        unit = self.unit(d, self.declare(d))
        by = tuple(d.input_scalar(f"by_{k}", meaning=f"how far in direction {k}", unit="1") for k in (1, 2))
        new: list[Expr] = []
        for k, port in enumerate(d.constants):
            new += _displaced(d, k, port, by, unit)
        _give(d, "displaced", new, "constants of a loop nearby")
        return Inner(f"{self.id}_displaced", d)


class LoopPart(Derivation):
    """A derivation whose ports declared before `seal` are the elements of one array `loop`; it flags nothing."""

    def __init__(self, *args: str, **kwargs: str) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.constants: list[Port] = []

    def _declare(
        self,
        name: str,
        elements: tuple[str, ...],
        shape: tuple[int, ...],
        unit: str,
        frame: str,
        meaning: str,
        range: str,
    ) -> None:
        if name in _OWN_PORTS:
            super()._declare(name, elements, shape, unit, frame, meaning, range)
            return
        self._define(elements)
        self.constants.append(Port(name, "in", "real", shape, elements, unit, frame, meaning, range))
        every = tuple(element for port in self.constants for element in port.elements)
        self.inputs["loop"] = Port("loop", "in", "real", (len(every),), every, "SI", "world", "constants of the loop")

    def flag(self, left: Expr, relation: Relation, right: Expr, status: Status, meaning: str) -> None:
        """Leave it to the closure, which knows what is singular."""


#: Ports of parts that are no constants of the loop.
_OWN_PORTS = frozenset({"coordinates", "steps", "at_c", "at_s", "by_1", "by_2"})


class _PolynomialPart(LoopPart):
    """Ends where a zero is taken: its results are the coefficients."""

    _ended = False

    def zero(
        self,
        name: str,
        coefficients: Sequence[Expr],
        rank: Expr,
        meaning: str,
        *,
        least: Expr | None = None,
        source: str = "",
    ) -> tuple[Expr, Expr]:
        """Give the coefficients; what follows is not asked for."""
        del rank, source
        _give(self, "coefficients", tuple(coefficients), meaning)
        bound = self.scalar("least_cosine", -TWO if least is None else least, "cosine above which zeros count")
        self.output("least", bound, meaning="cosine above which zeros count", unit="")
        self._ended = True
        self._define((f"cos_{name}", f"sin_{name}"))
        return symbol(f"cos_{name}"), symbol(f"sin_{name}")

    def guard(
        self,
        left: Expr,
        relation: Relation,
        right: Expr,
        status: Status,
        meaning: str,
        *,
        when: When = "always",
        port: str = "",
    ) -> None:
        """Ask before the zero only."""
        if not self._ended:
            super().guard(left, relation, right, status, meaning, when=when, port=port)


class _RecoveryPart(LoopPart):
    """Begins where a zero is taken: cosine and sine are ports."""

    def zero(
        self,
        name: str,
        coefficients: Sequence[Expr],
        rank: Expr,
        meaning: str,
        *,
        least: Expr | None = None,
        source: str = "",
    ) -> tuple[Expr, Expr]:
        """Take cosine and sine."""
        del name, coefficients, rank, least, source
        cosine = self.input_scalar("at_c", meaning=f"cosine: {meaning}", unit="")
        return cosine, self.input_scalar("at_s", meaning=f"sine: {meaning}", unit="")


def _give(d: Derivation, name: str, values: Sequence[Expr], meaning: str) -> None:
    """Give an array of values as a result; each is named."""
    steps = tuple(d.scalar(f"{name}_r{k}", value, meaning) for k, value in enumerate(values))
    d.output(name, steps, meaning=meaning, unit="SI")


def _turned_on(d: Derivation, k: int, cosine: Expr, sine: Expr, step: Expr) -> tuple[Expr, Expr]:
    """Name cosine and sine of an angle turned on, of unit length whatever rounding has left before."""
    half = d.scalar(f"half_{k}", HALF * step, "tangent of half of the step")
    scale = d.scalar(f"scale_{k}", ONE / (ONE + half * half), "squared cosine of that")
    cos_t = d.scalar(f"cos_step_{k}", (ONE - half * half) * scale, "cosine of the step")
    sin_t = d.scalar(f"sin_step_{k}", TWO * half * scale, "sine of the step")
    c = d.scalar(f"cos_on_{k}", cosine * cos_t - sine * sin_t, "cosine")
    s = d.scalar(f"sin_on_{k}", sine * cos_t + cosine * sin_t, "sine")
    size = d.scalar(f"size_{k}", sqrt(c * c + s * s), "length of both")
    per = d.scalar(f"per_{k}", ONE / size, "its reciprocal")
    return c * per, s * per


def _displaced(d: Derivation, k: int, port: Port, by: tuple[Expr, ...], unit: Expr) -> list[Expr]:
    """Return the displaced elements of one constant: unit vectors stay unit vectors."""
    values = [symbol(element) for element in port.elements]
    moved = []
    for j, value in enumerate(values):
        shift = by[0] * _direction(3 * k + j, 1) + by[1] * _direction(3 * k + j, 2)
        moved.append(d.scalar(f"moved_{k}_{j}", value + shift * (ONE if port.unit == "1" else unit), port.meaning))
    if port.unit != "1":
        return moved
    size2 = ZERO
    for value in moved:
        size2 = size2 + value * value
    size = d.scalar(f"moved_{k}_size", sqrt(size2), "length of that vector")
    per = d.scalar(f"moved_{k}_per", ONE / size, "its reciprocal")
    return [value * per for value in moved]


def _direction(k: int, which: int) -> Expr:
    """Return component k of a direction that nothing special has: multiples of irrational numbers, in thousandths."""
    golden = 0.6180339887498949 if which == 1 else 0.7548776662466927
    fraction = ((k + 1) * golden) % 1.0
    return ratio(2 * round(1000 * fraction) - 1000, 1000)
