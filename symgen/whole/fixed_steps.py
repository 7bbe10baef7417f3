"""Steps of what is fixed in a frame: written as numbers times the axes of the frame, whatever way they came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from symgen.algebra import ONE, ZERO, Expr, cos, fold, is_number, is_symbol, name_of, sin
from symgen.algebra.fixed_vectors import (
    Axis,
    Components,
    ComposedRotation,
    FixedVector,
    FixedVectors,
    VectorReading,
    is_root,
    turned_components,
)
from symgen.algebra.turns import own_turn_of
from symgen.algebra.vector_forms import axis_of_quaternion, is_vector_form, names_added
from symgen.ir.nodes import HalfTurn, Let


class Namer(Protocol):
    """Names the components of a step and returns what stands for each: `symgen.whole.steps.Steps.lets`."""

    def __call__(  # noqa: D102 - the class says it
        self, name: str, targets: Sequence[str], values: Sequence[Expr], comment: str, known: Mapping[str, Expr]
    ) -> tuple[Expr, ...]: ...


class FixedSteps:
    """Writes steps in vectors by what they are made of, and remembers it.

    Parameters
    ----------
    name : names components.
    let_of : name -> its step; where it is known, axes behind a turn come from those before it, and nothing needs the
        quaternion.
    """

    def __init__(self, name: Namer, let_of: Callable[[str], Let | None] | None = None) -> None:
        self._name, self._let_of = name, let_of
        self._known = FixedVectors()
        #: Of turning frames: quaternion -> number of an axis -> its components, as far as they have names.
        self.axes: dict[Components, dict[int, Components]] = {}
        self._with_names: dict[FixedVector, Components] = {}
        #: Name of the cosine of half an angle -> the turn by this angle.
        self._turns: dict[str, HalfTurn] = {}

    def copy(self, name: Namer, let_of: Callable[[str], Let | None] | None) -> FixedSteps:
        """Return the same, to go on apart."""
        other = FixedSteps(name, None if self._let_of is None else let_of)
        other._known = self._known.copy()
        other.axes = {root: named.copy() for root, named in self.axes.items()}
        other._with_names = self._with_names.copy()
        other._turns = self._turns.copy()
        return other

    def reading(self, vectors: Mapping[str, tuple[str, ...]], known: Mapping[str, Expr], name: str) -> VectorReading:
        """Return how the names in a step are to be read; what has no name is named after the step."""
        return VectorReading(vectors, known, lambda vector: self._named(name, vector))

    def root_of(self, quaternion: Components) -> Components:
        """Return the quaternion of the turning frame in which a quaternion is constant; empty for one at rest."""
        return self._known.rotation_of(quaternion).root

    def number(self, form: Expr, reading: VectorReading) -> Expr | None:
        """Return a number with the products of vectors in it that are known; None if there are none."""
        return self._known.number(form, reading)

    def with_lengths(self, value: Expr, reading: VectorReading) -> Expr:
        """Put numbers in the place of lengths that are numbers."""
        return self._known.with_lengths(value, reading)

    def lets(self, let: Let, name: str, targets: Sequence[str], reading: VectorReading) -> tuple[Expr, ...]:
        """Name the components of a step; what is fixed in a frame is written so."""
        form = let.forms[0] if let.forms else None
        if form is None or not is_vector_form(form):
            return self._scalars(let, name, targets, reading)
        found = self._known.read(form, reading)
        if isinstance(found, ComposedRotation) and is_root(found):
            return found.root
        if isinstance(found, ComposedRotation):
            answers = self._name(name, targets, turned_components(found), let.comment, {})
            self._known.learn_rotation(answers, found)
            return answers
        if isinstance(found, FixedVector):
            axis = found.single_axis
            if axis is not None and axis.number in self.axes.get(axis.root, {}):
                return self.axes[axis.root][axis.number]
            terms = names_added(form)
            behind = None if axis is None else self._behind_turn(axis, name, targets, let.comment)
            if axis is not None and behind is not None:
                self.axes.setdefault(axis.root, {})[axis.number] = behind
                self._known.learn_vector(behind, found, anew=True)
                return behind
            if axis is None and not 0 < terms < len(found.parts):
                answers = self._name(name, targets, self._written(found, name), let.comment, {})
            else:
                values = let.values if axis is None else axis_of_quaternion(axis.root, axis.number)
                answers = self._name(name, targets, values, let.comment, {} if axis else reading.known)
            if axis is not None:
                self.axes.setdefault(axis.root, {})[axis.number] = answers
            self._known.learn_vector(answers, found)
            return answers
        return self._name(name, targets, let.values, let.comment, reading.known)

    def _behind_turn(self, axis: Axis, name: str, targets: Sequence[str], comment: str) -> Components | None:
        """Return an axis of a frame that another one becomes by a turn about an axis of its own; None if none does."""
        turn = None if self._let_of is None else own_turn_of(axis.root, self._value_of)
        if turn is None:
            return None
        if axis.number == turn.axis:
            return self._axis_before(turn.before, turn.axis, name)
        first, second = (turn.axis + 1) % 3, (turn.axis + 2) % 3
        u, v = (self._axis_before(turn.before, number, name) for number in (first, second))
        half = self._turns.get(turn.half_cosine, HalfTurn(turn.half_cosine, "the angle of a turn"))
        (c,) = self._name(f"{half.name}_c", (f"{half.name}_c",), (cos(turn.angle),), f"cosine of {half.what}", {})
        (s,) = self._name(f"{half.name}_s", (f"{half.name}_s",), (sin(turn.angle),), f"sine of {half.what}", {})
        if axis.number == first:
            values = [c * a + s * b for a, b in zip(u, v, strict=True)]
        else:
            values = [c * b - s * a for a, b in zip(u, v, strict=True)]
        return self._name(name, targets, values, comment, {})

    def _value_of(self, value: Expr) -> Expr:
        let = self._let_of(name_of(value)) if is_symbol(value) and self._let_of is not None else None
        return value if let is None else let.values[let.targets.index(name_of(value))]

    def _axis_before(self, root: Components, number: int, name: str) -> Components:
        if all(map(is_number, root)):
            return tuple(fold(value, {}) for value in axis_of_quaternion(root, number))
        return self._axis(Axis(root, number), name)

    def _scalars(self, let: Let, name: str, targets: Sequence[str], reading: VectorReading) -> tuple[Expr, ...]:
        """Name numbers; products of vectors that are fixed in one frame are numbers."""
        found = [self._known.number(form, reading) for form in let.forms]
        numbers = [each for each in found if each is not None]
        if numbers and len(numbers) == len(targets):
            answers = self._name(name, targets, numbers, let.comment, {})
        else:
            values = [self._known.with_lengths(value, reading) for value in let.values]
            answers = self._name(name, targets, values, let.comment, reading.known)
        self._known.learn_local(answers, let.forms, reading)
        if let.turn is not None and is_symbol(answers[0]):
            # steps are named after those of the group, behind what tells the group
            before = name[: len(name) - len(let.name)]
            self._turns.setdefault(name_of(answers[0]), HalfTurn(before + let.turn.name, let.turn.what))
        return answers

    def _written(self, vector: FixedVector, name: str) -> tuple[Expr, ...]:
        """Return the components of a vector as sums of numbers times those of its axes and names."""
        total = [ZERO, ZERO, ZERO]
        for base, factor in vector.parts:
            own = self._axis(base, name) if isinstance(base, Axis) else base
            total = [value + factor * component for value, component in zip(total, own, strict=True)]
        return tuple(total)

    def _axis(self, axis: Axis, name: str) -> Components:
        """Return the components of an axis; one that has no names yet gets some."""
        if not axis.root:
            return tuple(ONE if k == axis.number else ZERO for k in range(3))
        named = self.axes.setdefault(axis.root, {})
        if axis.number not in named:
            stem = f"{name}_frame_{'xyz'[axis.number]}"
            values = axis_of_quaternion(axis.root, axis.number)
            comment = "axis of the frame in which this is fixed"
            targets = [f"{stem}_{each}" for each in "xyz"]
            behind = self._behind_turn(axis, stem, targets, comment)
            named[axis.number] = behind or self._name(stem, targets, values, comment, {})
            one = FixedVector(((axis, ONE),))
            self._known.learn_vector(named[axis.number], one, anew=behind is not None)
        return named[axis.number]

    def _named(self, name: str, vector: FixedVector) -> Components:
        """Return the components of a vector that has no name in the text of the routine."""
        if vector not in self._with_names:
            stem = f"{name}_world"
            comment = f"vector used in {name.partition('_')[2]}, in world axes [m]"
            values = self._written(vector, stem)
            self._with_names[vector] = self._name(stem, [f"{stem}_{each}" for each in "xyz"], values, comment, {})
        return self._with_names[vector]
