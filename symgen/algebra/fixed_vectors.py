"""Vectors that are fixed in a turning frame: their sums stay numbers times axes, their products are numbers.

A joint frame on a body is the body's frame turned by a constant quaternion; the vector between two of its joint centres
is numbers times the axes of the body. Read so, R C C^T is R, the distance of two joints of one body is a number, and
what the steps of a derivation do to frames and back again never gets into the code. What a vector is made of is read
from the vector forms of the steps (`symgen.algebra.vector_forms`).

Numbers have twice a double's bits. A part that is left over where larger ones cancel, below two roundings of a double
of the size of what was added, is zero: the geometry that comes from a file has as much rounding itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr, symbol
from symgen.algebra.folding import fold, rounded, shortened
from symgen.algebra.vector_forms import (
    VectorName,
    axis_of_quaternion,
    cross_of,
    inverse_of_quaternion,
    is_vector_form,
    product_of_quaternions,
    quaternion_axis,
    quaternion_inverse,
    quaternion_product,
    vector_along,
    vector_cross,
    vector_dot,
)

Components = tuple[Expr, ...]

#: Left over of a cancellation: zero, relative to what was added.
_ROUNDING = 2.0**-51
_ROOT_BITS = 120
_DIGITS = 40


@dataclass(frozen=True)
class Axis:
    """An axis of a frame: of the one that the quaternion `root` turns, of the world where that is empty."""

    root: Components
    number: int


@dataclass(frozen=True)
class FixedVector:
    """A sum of numbers times axes and times vectors that have names, which are told by their components."""

    parts: tuple[tuple[Axis | Components, Any], ...]

    @property
    def roots(self) -> frozenset[Components]:
        """The turning frames whose axes occur."""
        return frozenset(each.root for each, _ in self.parts if isinstance(each, Axis) and each.root)

    @property
    def is_rigid(self) -> bool:
        """Whether the vector is fixed in one frame, so that its length is a number."""
        frames = {each.root if isinstance(each, Axis) else None for each, _ in self.parts}
        return None not in frames and len(frames) <= 1

    @property
    def single_axis(self) -> Axis | None:
        """The axis of a turning frame that the vector is, if it is one."""
        if len(self.parts) == 1 and isinstance(self.parts[0][0], Axis) and self.parts[0][1] == 1:
            return self.parts[0][0] if self.parts[0][0].root else None
        return None

    @property
    def squared_length(self) -> Expr:
        """Squared length of a vector that is fixed in one frame."""
        return cast(Expr, shortened(sympy.Add(*(factor * factor for _, factor in self.parts))))


@dataclass(frozen=True)
class ComposedRotation:
    """A rotation: by the constant quaternion `turn`, then by the one whose components are `root`, if there is one."""

    root: Components
    turn: tuple[Any, ...]


@dataclass(frozen=True)
class _Local:
    """Components of a vector in a frame, which is told by its axes."""

    axes: tuple[FixedVector, ...]
    vector: FixedVector


@dataclass
class VectorReading:
    """Names in the text of a routine and what stands for them where it is written in.

    Parameters
    ----------
    vectors : name of a vector -> names of its components.
    known : name of a component, or of a number -> what stands for it.
    name_it : gives a vector that has no name one, and returns its components.
    """

    vectors: Mapping[str, tuple[str, ...]]
    known: Mapping[str, Expr]
    name_it: Callable[[FixedVector], Components]

    def components(self, name: str) -> Components:
        """Return what stands for the components of a vector."""
        return tuple(self.known.get(each, symbol(each)) for each in self.vectors[name])


@dataclass
class FixedVectors:
    """What is known of vectors and rotations, by their components."""

    _vectors: dict[Components, FixedVector] = field(default_factory=dict)
    _rotations: dict[Components, ComposedRotation] = field(default_factory=dict)
    _locals: dict[Components, _Local] = field(default_factory=dict)

    def copy(self) -> FixedVectors:
        """Return the same, to learn more apart."""
        return FixedVectors(self._vectors.copy(), self._rotations.copy(), self._locals.copy())

    def learn_vector(self, components: Components, vector: FixedVector, *, anew: bool = False) -> None:
        """Remember what a named vector is made of.

        With `anew` it is read so from now on: an axis about which a frame turns is one of the frame behind the turn.
        """
        if anew:
            self._vectors[components] = vector
        self._vectors.setdefault(components, vector)

    def learn_rotation(self, components: Components, rotation: ComposedRotation) -> None:
        """Remember what a named quaternion is made of."""
        self._rotations.setdefault(components, rotation)

    def learn_local(self, components: Components, forms: Sequence[Expr], reading: VectorReading) -> None:
        """Remember three numbers that are the components of a vector in a frame, if that is what the forms say."""
        found = self._local_of(forms, reading)
        if found is not None and not all(_is_number(each) for each in components):
            self._locals.setdefault(components, found)

    def vector_of(self, components: Components) -> FixedVector:
        """Return what a vector with these components is made of; by itself it is a vector with a name."""
        if all(map(_is_number, components)):
            return _sum([(Axis((), k), value) for k, value in enumerate(components)], 0.0)
        return self._vectors.get(components) or FixedVector(((components, sympy.Integer(1)),))

    def rotation_of(self, components: Components) -> ComposedRotation:
        """Return what a quaternion with these components is made of."""
        if all(map(_is_number, components)):
            return ComposedRotation((), _unit(components))
        return self._rotations.get(components) or ComposedRotation(components, _unit((1, 0, 0, 0)))

    def read(self, form: Expr, reading: VectorReading) -> FixedVector | ComposedRotation | None:
        """Return what a vector form is made of; None where it is more than numbers times axes and named vectors."""
        if _is_rotation(form, reading):
            return self._rotation(form, reading)
        if _is_planar(form, reading):
            return None
        for keep in (False, True):  # if several frames come together, what is named stays whole
            found = self._vector(form, reading, keep)
            if found is None or len(found.roots) <= 1:
                return found
        return None

    def number(self, form: Expr, reading: VectorReading) -> Expr | None:
        """Return an expression with the products in it that are known written as they are; None if there are none."""
        if not cast(Any, form).has(vector_dot):
            return None
        return cast(Expr | None, self._number(form, reading))

    def with_lengths(self, value: Expr, reading: VectorReading) -> Expr:
        """Put numbers in the place of squared lengths of vectors that are fixed in a frame, and of sums of the absolute
        values of their components, which stand for sizes: of these the largest that they may be, sqrt(3) times the
        length.
        """
        node = cast(Any, value)
        if not node.has(sympy.Pow, sympy.Abs) or not node.has(sympy.Add):
            return value
        return cast(Expr, self._with_lengths(node, self._rigid_of(node, reading)))

    # -- rotations -----------------------------------------------------------------------------------------------

    def _rotation(self, form: Any, reading: VectorReading) -> ComposedRotation | None:
        if isinstance(form, VectorName):
            return self.rotation_of(reading.components(form.name))
        if isinstance(form, quaternion_inverse):
            inner = self._rotation(form.args[0], reading)
            return (
                ComposedRotation((), inverse_of_quaternion(inner.turn))
                if inner is not None and not inner.root
                else None
            )
        first, second = form.args
        if isinstance(first, quaternion_inverse):  # the way from one frame to another on the same body
            p, q = self._rotation(first.args[0], reading), self._rotation(second, reading)
            if p is not None and q is not None and p.root == q.root:
                return ComposedRotation((), _unit(product_of_quaternions(inverse_of_quaternion(p.turn), q.turn)))
        p, q = self._rotation(first, reading), self._rotation(second, reading)
        if p is None or q is None:
            return None
        if not q.root:
            return ComposedRotation(p.root, _unit(product_of_quaternions(p.turn, q.turn)))
        return q if not p.root and _is_identity(p.turn) else None

    # -- vectors -------------------------------------------------------------------------------------------------

    def _vector(self, form: Any, reading: VectorReading, keep: bool) -> FixedVector | None:
        if isinstance(form, VectorName):
            components = reading.components(form.name)
            found = self.vector_of(components)
            is_whole = keep and found.roots and not all(isinstance(each, Axis) for each, _ in found.parts)
            return FixedVector(((components, sympy.Integer(1)),)) if is_whole else found
        if isinstance(form, sympy.Add):
            parts = [self._vector(part, reading, keep) for part in form.args]
            return None if None in parts else _added([(sympy.Integer(1), part) for part in parts if part is not None])
        if isinstance(form, sympy.Mul):
            (vector,) = (part for part in form.args if is_vector_form(part))
            factor = self._factor(sympy.Mul(*(part for part in form.args if part != vector)), reading)
            inner = self._vector(vector, reading, keep)
            return None if factor is None or inner is None else _added([(factor, inner)])
        if isinstance(form, quaternion_axis):
            turned = self._rotation(form.args[0], reading)
            return None if turned is None else axis_of(turned, int(form.args[1]))
        if isinstance(form, vector_along):
            return self._along(form, reading, keep)
        if isinstance(form, vector_cross):
            u, v = (self._vector(part, reading, keep) for part in form.args)
            return None if u is None or v is None else _crossed(u, v)
        return None

    def _factor(self, node: Any, reading: VectorReading) -> Any:
        found = self._number(node, reading)
        found = None if found is None else fold(found, {})
        return found if isinstance(found, sympy.Rational) else None

    def _along(self, form: Any, reading: VectorReading, keep: bool) -> FixedVector | None:
        local, *rest = form.args
        axes = [self._vector(part, reading, keep) for part in rest]
        if not isinstance(local, VectorName) or len(axes) != 3 or None in axes:
            return None
        components = reading.components(local.name)
        found = self._locals.get(components)
        if found is not None and found.axes == tuple(axes):
            return found.vector
        if not all(map(_is_number, components)):
            return None
        return _added([(f, axis) for f, axis in zip(components, axes, strict=True) if axis is not None])

    def _local_of(self, forms: Sequence[Any], reading: VectorReading) -> _Local | None:
        if len(forms) != 3 or not all(isinstance(form, vector_dot) for form in forms):
            return None
        for vector in forms[0].args:
            axes = [next((a for a in form.args if a != vector), None) for form in forms if vector in form.args]
            found = [self._vector(axis, reading, keep=False) for axis in axes if axis is not None]
            if len(found) == 3 and all(each is not None and each.is_rigid for each in found):
                whole = self._vector(vector, reading, keep=False)
                frame = tuple(each for each in found if each is not None)
                if whole is not None and len(whole.roots) <= 1 and _is_orthonormal(frame):
                    return _Local(frame, whole)
        return None

    # -- numbers -------------------------------------------------------------------------------------------------

    def _number(self, node: Any, reading: VectorReading) -> Any:
        """Return a number with its products of vectors written out; None if one of them says nothing new."""
        if isinstance(node, vector_dot):
            return self._product(node, reading)
        if not node.has(vector_dot):
            return fold(node, reading.known)
        parts = [self._number(part, reading) for part in node.args]
        return None if any(part is None for part in parts) else node.func(*parts)

    def _product(self, node: Any, reading: VectorReading) -> Any:
        first, second = (self._local_named(part, reading) for part in node.args)
        if first is not None and second is not None and first.axes == second.axes:
            u, v = first.vector, second.vector
            known = _dot(u, v)
            if known is None:
                p = reading.name_it(u)
                q = p if u == v else reading.name_it(v)
                return sympy.Add(*(a * b for a, b in zip(p, q, strict=True)))
            return known
        if any(_is_rotation(part, reading) or _is_planar(part, reading) for part in node.args):
            return None
        pair = [self._vector(part, reading, keep=False) for part in node.args]
        return None if pair[0] is None or pair[1] is None else _dot(pair[0], pair[1])

    def _local_named(self, part: Any, reading: VectorReading) -> _Local | None:
        return self._locals.get(reading.components(part.name)) if isinstance(part, VectorName) else None

    def _rigid_of(self, node: Any, reading: VectorReading) -> dict[tuple[Any, ...], FixedVector]:
        names = {str(each.name) for each in node.free_symbols}
        found = {}
        for name, components in reading.vectors.items():
            if len(components) == 3 and names.issuperset(components):
                vector = self.vector_of(reading.components(name))
                if vector.is_rigid:
                    found[tuple(map(symbol, components))] = vector
        return found

    def _with_lengths(self, node: Any, rigid: Mapping[tuple[Any, ...], FixedVector]) -> Any:
        if not node.args or not rigid:
            return node
        parts = [self._with_lengths(part, rigid) for part in node.args]
        if isinstance(node, sympy.Add):
            for components, vector in rigid.items():
                squares, sizes = [each**2 for each in components], [sympy.Abs(each) for each in components]
                if all(each in parts for each in squares):
                    parts = [*(p for p in parts if p not in squares), vector.squared_length]
                if all(each in parts for each in sizes):
                    largest = _root(3 * cast(Any, vector.squared_length))
                    parts = [*(p for p in parts if p not in sizes), largest]
        return node.func(*parts)


def axis_of(turned: ComposedRotation, number: int) -> FixedVector:
    """Return an axis of a turned frame."""
    local = axis_of_quaternion(turned.turn, number)
    return _sum([(Axis(turned.root, k), shortened(part)) for k, part in enumerate(local)], 1.0)


def turned_components(turned: ComposedRotation) -> Components:
    """Return the components of a rotation as expressions."""
    if not turned.root:
        return turned.turn
    return tuple(cast(Expr, value) for value in product_of_quaternions(turned.root, turned.turn))


def is_root(turned: ComposedRotation) -> bool:
    """Tell whether a rotation is nothing but its root."""
    return bool(turned.root) and _is_identity(turned.turn)


def _is_number(value: Any) -> bool:
    return isinstance(value, sympy.Rational)


def _is_rotation(form: Any, reading: VectorReading) -> bool:
    if isinstance(form, VectorName):
        return len(reading.vectors[form.name]) == 4
    return isinstance(form, (quaternion_product, quaternion_inverse))


def _is_planar(form: Any, reading: VectorReading) -> bool:
    return any(len(reading.vectors[str(name.name)]) == 2 for name in form.atoms(VectorName))


def _is_identity(turn: tuple[Any, ...]) -> bool:
    return bool(turn[0] == 1) and not any(turn[1:])


def _is_orthonormal(axes: tuple[FixedVector, ...]) -> bool:
    products = [_dot(axes[i], axes[k]) for i in range(3) for k in range(i, 3)]
    wanted = [1.0 if i == k else 0.0 for i in range(3) for k in range(i, 3)]
    return all(p is not None and abs(float(p) - w) < 1e-15 for p, w in zip(products, wanted, strict=True))


def _root(value: Any) -> Any:
    return rounded(sympy.sqrt(sympy.Float(value, _DIGITS)), _ROOT_BITS)


def _unit(turn: Sequence[Any]) -> tuple[Any, ...]:
    """Return a quaternion with unit length and without what is left over of roundings."""
    length = _root(sympy.Add(*(sympy.Rational(part) ** 2 for part in turn)))
    parts = [shortened(sympy.Rational(part) / length) for part in turn]
    parts = [sympy.Integer(0) if abs(part) < _ROUNDING else part for part in parts]
    if sum(part != 0 for part in parts) == 1:
        parts = [sympy.Integer(int(math.copysign(1, part))) if part else part for part in parts]
    return tuple(parts)


def _sum(parts: Sequence[tuple[Axis | Components, Any]], size: float) -> FixedVector:
    """Add parts with the same base; `size` is of the parts along axes that were added."""
    total: dict[Axis | Components, Any] = {}
    for base, factor in parts:
        total[base] = total.get(base, sympy.Integer(0)) + factor
    least = size * _ROUNDING
    kept = [
        (base, shortened(factor))
        for base, factor in total.items()
        if factor != 0 and (not isinstance(base, Axis) or abs(factor) > least)
    ]
    if size == 1.0 and len(kept) == 1 and abs(abs(kept[0][1]) - 1) < _ROUNDING:
        kept = [(kept[0][0], sympy.Integer(int(math.copysign(1, kept[0][1]))))]
    return FixedVector(tuple(sorted(kept, key=lambda part: str(part[0]))))


def _added(parts: Sequence[tuple[Any, FixedVector]]) -> FixedVector:
    size = max((float(abs(f)) * _size(vector) for f, vector in parts), default=0.0)
    return _sum([(base, f * factor) for f, vector in parts for base, factor in vector.parts], size)


def _size(vector: FixedVector) -> float:
    """Return the size of the numbers times axes; of what has a name only numbers are known."""
    return math.sqrt(sum(float(factor) ** 2 for base, factor in vector.parts if isinstance(base, Axis)))


def _dot(u: FixedVector, v: FixedVector) -> Any:
    """Return the product of two vectors that are fixed in the same frame, None of others."""
    if not u.parts or not v.parts:
        return sympy.Integer(0)
    frames = {base.root if isinstance(base, Axis) else None for base, _ in (*u.parts, *v.parts)}
    if None in frames or len(frames) > 1:
        return None
    second = dict(v.parts)
    terms = [factor * second[base] for base, factor in u.parts if base in second]
    found = shortened(sympy.Add(*terms))
    return sympy.Integer(0) if abs(found) < _ROUNDING * _size(u) * _size(v) else found


def _crossed(u: FixedVector, v: FixedVector) -> FixedVector | None:
    """Return the vector product of two vectors that are fixed in the same frame."""
    frames = {base.root for base, _ in (*u.parts, *v.parts) if isinstance(base, Axis)}
    if len(frames) > 1 or not all(isinstance(base, Axis) for base, _ in (*u.parts, *v.parts)):
        return None
    (root,) = frames or {()}
    local = [tuple(dict(each.parts).get(Axis(root, k), sympy.Integer(0)) for k in range(3)) for each in (u, v)]
    crossed = cross_of(local[0], local[1])
    return _sum([(Axis(root, k), part) for k, part in enumerate(crossed)], _size(u) * _size(v))
