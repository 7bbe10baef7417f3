"""Expressions in vectors: names of whole vectors, products of them, and what their components are.

A vector expression is a sum of vectors times numbers. Its leaves are `VectorName`s; `vector_cross`, `vector_dot` and
the others below stand for products. Each has its meaning here, in components, once: passes recognise by it, tests
check the emitted functions against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr

#: Names of vectors, each with its components.
Components = Mapping[str, tuple[Expr, ...]]


class VectorName(sympy.Symbol):  # type: ignore[misc]
    """The name of a vector, or of a quaternion; never equal to a scalar of the same name."""

    __slots__ = ()


class vector_dot(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """vector_dot(u, v) = u . v: a number."""

    nargs = 2


class planar_area(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """planar_area(u, v) = u_x v_y - u_y v_x: a number."""

    nargs = 2


class vector_cross(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """vector_cross(u, v) = u x v."""

    nargs = 2


class quarter_turn(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """quarter_turn(u) = (-u_y, u_x)."""

    nargs = 1


class planar_rotation(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """planar_rotation(u, c, s) = c u + s quarter_turn(u): u turned by the angle with that cosine and sine."""

    nargs = 3


class vector_along(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """vector_along(f, x, y, z) = f_x x + f_y y + f_z z: in world axes what has the components f in a frame of these."""

    nargs = (3, 4)


class quaternion_axis(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """quaternion_axis(q, k): the image of the unit vector k (0: x) under a unit quaternion."""

    nargs = 2


class quaternion_product(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """quaternion_product(p, q): the rotation that does q first, then p."""

    nargs = 2


class quaternion_inverse(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """quaternion_inverse(q): the opposite rotation of a unit quaternion."""

    nargs = 1


#: What gives a number.
SCALAR_PRODUCTS = (vector_dot, planar_area)
#: What gives a vector.
VECTOR_PRODUCTS = (
    vector_cross, quarter_turn, planar_rotation, vector_along, quaternion_axis, quaternion_product, quaternion_inverse,
)  # fmt: skip


def is_vector_form(value: Any) -> bool:
    """Tell whether an expression is a vector."""
    if isinstance(value, (VectorName, *VECTOR_PRODUCTS)):
        return True
    return isinstance(value, (sympy.Add, sympy.Mul)) and any(map(is_vector_form, value.args))


def names_added(form: Any) -> int:
    """Return how many terms a sum of named vectors, taken once each, has; 0 of anything else."""
    terms = form.args if isinstance(form, sympy.Add) else (form,)
    return len(terms) if all(isinstance(term, VectorName) or isinstance(-term, VectorName) for term in terms) else 0


def axis_of_quaternion(q: tuple[Any, ...], k: int) -> tuple[Any, ...]:
    """Return the image of a unit vector in components."""
    a, b, c, d = q
    if k == 0:
        return 1 - 2 * (c * c + d * d), 2 * (b * c + a * d), 2 * (b * d - a * c)
    if k == 1:
        return 2 * (b * c - a * d), 1 - 2 * (b * b + d * d), 2 * (c * d + a * b)
    return 2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)


def product_of_quaternions(p: tuple[Any, ...], q: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the product of two quaternions in components."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g + c * e + d * f - b * h,
        a * h + b * g + d * e - c * f,
    )


def inverse_of_quaternion(q: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the conjugate in components."""
    return q[0], -q[1], -q[2], -q[3]


def cross_of(u: tuple[Any, ...], v: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the vector product in components."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def is_same(left: Expr, right: Expr) -> bool:
    """Tell whether two expressions are the same, or are once they are expanded."""
    return bool(cast(object, left) == right or sympy.expand(cast(sympy.Expr, left - right)) == 0)


def components_of(form: Expr, known: Components) -> tuple[Expr, ...]:
    """Return the components of a vector expression."""
    return cast(tuple[Expr, ...], _components(form, known))


def in_components(value: Expr, known: Components) -> Expr:
    """Return a number with the products of vectors in it written out."""
    return cast(Expr, _number(value, known))


def _number(node: Any, known: Components) -> Any:
    if isinstance(node, vector_dot):
        u, v = (_components(part, known) for part in node.args)
        return sympy.Add(*(a * b for a, b in zip(u, v, strict=True)))
    if isinstance(node, planar_area):
        u, v = (_components(part, known) for part in node.args)
        return u[0] * v[1] - u[1] * v[0]
    if not node.args or not node.has(*SCALAR_PRODUCTS):
        return node
    return node.func(*(_number(part, known) for part in node.args))


def _components(node: Any, known: Components) -> tuple[Any, ...]:
    if isinstance(node, VectorName):
        return known[node.name]
    if isinstance(node, sympy.Add):
        parts = [_components(part, known) for part in node.args]
        return tuple(sympy.Add(*each) for each in zip(*parts, strict=True))
    if isinstance(node, sympy.Mul):
        (vector,) = (part for part in node.args if is_vector_form(part))
        rest = _number(sympy.Mul(*(part for part in node.args if part != vector)), known)
        return tuple(rest * each for each in _components(vector, known))
    if isinstance(node, quaternion_axis):
        return axis_of_quaternion(_components(node.args[0], known), int(node.args[1]))
    if isinstance(node, planar_rotation):
        (x, y), c, s = _components(node.args[0], known), *(_number(part, known) for part in node.args[1:])
        return c * x - s * y, s * x + c * y
    parts = [_components(part, known) for part in node.args]
    if isinstance(node, vector_cross):
        return cross_of(*parts)
    if isinstance(node, quaternion_product):
        return product_of_quaternions(*parts)
    if isinstance(node, quaternion_inverse):
        return inverse_of_quaternion(*parts)
    if isinstance(node, quarter_turn):
        return -parts[0][1], parts[0][0]
    if isinstance(node, vector_along):
        local, *axes = parts
        return tuple(sympy.Add(*(f * a for f, a in zip(local, each, strict=True))) for each in zip(*axes, strict=True))
    raise ValueError(f"no vector: {node}")


#: Vector expressions that may be quaternions.
ROTATIONS = (VectorName, quaternion_product, quaternion_inverse)


def size_of(form: Expr, sizes: Mapping[str, int]) -> int:
    """Return how many components a vector expression has; `sizes` are those of the names in it."""
    return _size(form, sizes)


def _size(node: Any, sizes: Mapping[str, int]) -> int:
    if isinstance(node, VectorName):
        return sizes[node.name]
    if isinstance(node, (vector_cross, quaternion_axis)):
        return 3
    if isinstance(node, vector_along):
        return _size(node.args[1], sizes)
    return _size(next(part for part in node.args if is_vector_form(part)), sizes)


def vector_names(form: Expr) -> tuple[str, ...]:
    """Return the names of the vectors in an expression, sorted."""
    return tuple(sorted(str(s.name) for s in cast(sympy.Expr, form).atoms(VectorName)))
