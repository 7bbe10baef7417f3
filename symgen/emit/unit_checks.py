"""Checks that a vector or a quaternion has unit length: asked by a function, which a file has if something asks."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from symgen.algebra import ONE, UNIT_TOLERANCE, absolute
from symgen.algebra.vector_forms import VectorName, vector_dot, vector_names
from symgen.emit.names import written_left
from symgen.ir.nodes import Flag, Guard
from symgen.printers.vector_functions import TYPES


@dataclass(frozen=True)
class UnitCheck:
    """A function that tells whether something has unit length: `dot` is the product it is made of."""

    name: str
    type: str
    dot: str
    what: str

    @property
    def numpy_name(self) -> str:
        """The name in NumPy."""
        return f"_{self.name}"

    @property
    def numpy_dot(self) -> str:
        """The name of the product in NumPy."""
        return f"_{self.dot}"


#: By the number of components.
UNIT_CHECKS = {
    2: UnitCheck("is_unit2", TYPES[2], "dot2", "a vector of the plane"),
    3: UnitCheck("is_unit", TYPES[3], "dot", "a vector"),
    4: UnitCheck("quat_is_unit", TYPES[4], "quat_dot", "a quaternion"),
}


def unit_vector(check: Guard | Flag) -> str:
    """Return the name of the vector that a check wants to be of unit length; empty if it asks something else."""
    left = written_left(check)
    names = vector_names(left)
    if len(names) != 1 or check.relation != "<=" or check.right != UNIT_TOLERANCE:
        return ""
    vector = VectorName(names[0], real=True)
    return names[0] if left == absolute(vector_dot(vector, vector) - ONE) else ""


def c_unit_checks(bodies: Collection[str]) -> tuple[UnitCheck, ...]:
    """Return the functions that bodies in C call."""
    return tuple(each for each in UNIT_CHECKS.values() if _is_called(each.name, bodies))


def numpy_unit_checks(bodies: Collection[str]) -> tuple[UnitCheck, ...]:
    """Return the functions that bodies in NumPy call."""
    return tuple(each for each in UNIT_CHECKS.values() if _is_called(each.numpy_name, bodies))


def _is_called(name: str, bodies: Collection[str]) -> bool:
    return any(re.search(rf"\b{name}\(", body) for body in bodies)
