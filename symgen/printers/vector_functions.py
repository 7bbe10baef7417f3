"""The functions that emitted code calls for vectors: each by what it means, so that no language has its own formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import sympy

from symgen.algebra import Expr, symbol
from symgen.algebra.vector_forms import (
    VectorName,
    components_of,
    in_components,
    planar_area,
    planar_rotation,
    quarter_turn,
    quaternion_axis,
    quaternion_inverse,
    quaternion_product,
    size_of,
    vector_along,
    vector_cross,
    vector_dot,
)

#: Names of components, by the size of what they are of: a vector of the plane, of space, a quaternion.
FIELDS = {2: ("x", "y"), 3: ("x", "y", "z"), 4: ("q0", "q1", "q2", "q3")}
#: The types of C for them.
TYPES = {2: "vec2", 3: "vec3", 4: "quat"}


@dataclass(frozen=True)
class VectorFunction:
    """A function of vectors.

    Parameters
    ----------
    name : in C; in NumPy with an underscore before it.
    arguments : each with its size; 0: a number.
    form : what it returns.
    meaning : in words.
    is_operator : NumPy writes it with an operator.
    """

    name: str
    arguments: tuple[tuple[str, int], ...]
    form: Expr
    meaning: str
    is_operator: bool = False

    @property
    def size(self) -> int:
        """How many components the result has; 0: it is a number."""
        if isinstance(self.form, (vector_dot, planar_area)):
            return 0
        return size_of(self.form, dict(self.arguments))

    @property
    def values(self) -> tuple[Expr, ...]:
        """The result in components; that of an argument u is called u_x."""
        known = {
            name: tuple(symbol(f"{name}_{field}") for field in FIELDS[size]) for name, size in self.arguments if size
        }
        return components_of(self.form, known) if self.size else (in_components(self.form, known),)


def _name(name: str) -> Any:
    return VectorName(name, real=True)


def _functions() -> tuple[VectorFunction, ...]:
    u, v, p, q, f, ex, ey, ez = map(_name, ("u", "v", "p", "q", "f", "ex", "ey", "ez"))
    c, s = sympy.symbols("c s", real=True)
    found: list[VectorFunction] = []

    def add(name: str, sizes: str, form: Any, meaning: str, *, is_operator: bool = False) -> None:
        names = sizes.split()
        arguments = tuple((text[:-1], int(text[-1])) for text in names)
        found.append(VectorFunction(name, arguments, cast(Expr, form), meaning, is_operator))

    add("add", "u3 v3", u + v, "u + v", is_operator=True)
    add("sub", "u3 v3", u - v, "u - v", is_operator=True)
    add("scaled", "s0 u3", s * u, "s times u", is_operator=True)
    add("negated", "u3", -u, "-u", is_operator=True)
    add("dot", "u3 v3", vector_dot(u, v), "u . v")
    add("squared", "u3", vector_dot(u, u), "u . u: the squared length")
    add("cross", "u3 v3", vector_cross(u, v), "u x v")
    add("along_axes", "f3 ex3 ey3 ez3", vector_along(f, ex, ey, ez), "what has the components f along these axes")
    add("add2", "u2 v2", u + v, "u + v in the plane", is_operator=True)
    add("sub2", "u2 v2", u - v, "u - v in the plane", is_operator=True)
    add("scaled2", "s0 u2", s * u, "s times u in the plane", is_operator=True)
    add("negated2", "u2", -u, "-u in the plane", is_operator=True)
    add("dot2", "u2 v2", vector_dot(u, v), "u . v in the plane")
    add("squared2", "u2", vector_dot(u, u), "u . u in the plane")
    add("cross2", "u2 v2", planar_area(u, v), "u_x v_y - u_y v_x: the area that u and v span, from u to v")
    add("turned2", "u2", quarter_turn(u), "u turned by a quarter turn, from x to y")
    add("rotated2", "u2 c0 s0", planar_rotation(u, c, s), "u turned by the angle whose cosine and sine are c and s")
    add("along_axes2", "f2 ex2 ey2", vector_along(f, ex, ey), "what has the components f along these axes")
    add("quat_dot", "p4 q4", vector_dot(p, q), "p . q")
    add("quat_squared", "q4", vector_dot(q, q), "q . q: the squared length")
    add("quat_product", "p4 q4", quaternion_product(p, q), "the rotation that does q first, then p")
    add("quat_inverse", "q4", quaternion_inverse(q), "the opposite rotation")
    for k, axis in enumerate("xyz"):
        add(f"quat_{axis}_axis", "q4", quaternion_axis(q, k), f"the {axis} axis of a frame turned by q")
    return tuple(found)


VECTOR_FUNCTIONS = _functions()


#: What C calls for the product of a vector with itself: who follows bounds sees that it is not below zero.
SQUARES = {"dot2": "squared2", "dot": "squared", "quat_dot": "quat_squared"}


def function_name(node: Any, sizes: Mapping[str, int]) -> str:
    """Return the name of the function that a product of vectors stands for."""
    if isinstance(node, quaternion_axis):
        return f"quat_{'xyz'[int(node.args[1])]}_axis"
    if isinstance(node, vector_dot):
        return {2: "dot2", 3: "dot", 4: "quat_dot"}[size_of(node.args[0], sizes)]
    if isinstance(node, vector_along):
        return {2: "along_axes2", 3: "along_axes"}[size_of(node.args[1], sizes)]
    return {
        vector_cross: "cross", planar_area: "cross2", quarter_turn: "turned2", planar_rotation: "rotated2",
        quaternion_product: "quat_product", quaternion_inverse: "quat_inverse",
    }[node.func]  # fmt: skip
