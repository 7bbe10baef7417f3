"""Ports of kernels on six letters, what is common to them: held elements, universal pairs, angles of letters.

The letters lie held: each turns about or slides along a held axis, and all together, one behind the other, carry the
held last body to its required position, E_1 ... E_6 X_held = X_target (docs/closed-forms.md, "Rings").

Source: docs/closed-forms.md; product of exponentials: Brockett 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, SINGULAR_TOLERANCE, TINY, Expr, absolute, number, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

#: Cosine and sine of a turn.
Turn = tuple[Expr, Expr]


def axis_input(d: Derivation, name: str, meaning: str) -> Vector:
    """Declare a unit vector."""
    vector = d.input_vector(name, 3, meaning=meaning, unit="1", range="unit")
    d.guard_unit(name, vector.dot(vector), name)
    return vector


def point_input(d: Derivation, name: str, meaning: str) -> Vector:
    """Declare a point."""
    return d.input_vector(name, 3, meaning=meaning, unit="m")


@dataclass(frozen=True)
class LastPair:
    """The last universal pair: held centre and axes, and the required centre and last axis.

    `wanted_near` is the held first axis of the pair, moved as the held last body to the wanted one.
    """

    centre: Vector
    near: Vector
    far: Vector
    wanted_centre: Vector
    wanted_near: Vector
    wanted_far: Vector


def second_axis(d: Derivation, name: str, first: Vector, meaning: str) -> Vector:
    """Declare an axis of a universal pair and name it at a right angle to the other one, whatever its rounding."""
    given = axis_input(d, name, f"{meaning}; its part at a right angle to the other axis of the pair counts")
    rest = d.vector(f"{name}_rest", given - first * first.dot(given), f"{meaning}, at a right angle to the other one")
    size2 = d.scalar(f"{name}_rest2", rest.dot(rest), "its squared length")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    text = "both axes of a universal pair are parallel"
    d.guard(size2, ">", least, Status.DEGENERATE, text)
    size = d.scalar(f"{name}_size", sqrt(size2), "its length")
    return d.vector(f"{name}_unit", rest * (1 / size), f"{meaning}, of unit length")


def last_pair_inputs(d: Derivation) -> LastPair:
    """Declare the last universal pair, letters 5 and 6."""
    centre = point_input(d, "p5", "held centre of the last universal pair, letters 5 and 6")
    far = axis_input(d, "a6", "held axis of letter 6")
    near = second_axis(d, "a5", far, "held axis of letter 5")
    wanted = point_input(d, "p_t", "required position of that centre")
    wanted_far = axis_input(d, "a6_t", "required axis of letter 6")
    text = "required axis of letter 5 at zero of letter 6, fixed in the last body"
    return LastPair(centre, near, far, wanted, second_axis(d, "a5_t", wanted_far, text), wanted_far)


def turn_between(axis: Vector, before: Vector, behind: Vector) -> Turn:
    """Return cosine and sine of the turn from one unit vector to another, both normal to the axis."""
    return before.dot(behind), axis.dot(before.cross(behind))


def turned(axis: Vector, turn: Turn, vector: Vector) -> Vector:
    """Return a vector turned about a unit axis."""
    cosine, sine = turn
    along = axis.dot(vector)
    return axis * along + (vector - axis * along) * cosine + axis.cross(vector) * sine


def give_turn(d: Derivation, k: int, turn: Turn) -> Turn:
    """Give cosine and sine of a letter as results."""
    cosine = d.scalar(f"cos_{k}", turn[0], f"cosine of the angle of letter {k}")
    sine = d.scalar(f"sin_{k}", turn[1], f"sine of the angle of letter {k}")
    d.output(f"cos_{k}", cosine, meaning=f"cosine of the angle of letter {k}", unit="")
    d.output(f"sin_{k}", sine, meaning=f"sine of the angle of letter {k}", unit="")
    return cosine, sine


def give_slide(d: Derivation, k: int, value: Expr) -> Expr:
    """Give the slide of a letter as a result."""
    slide = d.scalar(f"slide_{k}", value, f"slide of letter {k}", "m")
    d.output(f"slide_{k}", slide, meaning=f"slide of letter {k}", unit="m", frame="joint")
    return slide


def sign(d: Derivation, name: str, value: Expr, meaning: str) -> Expr:
    """Name the sign of a value; it must not be zero."""
    value = d.scalar(f"{name}_of", value, meaning)
    size = d.scalar(f"{name}_size", absolute(value), "its size")
    text = "two assemblies share this angle: it does not tell them apart"
    d.guard(size, ">", number(0), Status.DEGENERATE, text)
    return d.scalar(name, value / size, f"sign of {meaning}")


def across(d: Derivation, name: str, direction: Vector) -> tuple[Vector, Vector]:
    """Name two unit vectors normal to a unit vector and to each other (Duff et al. 2017).

    The jump lies where the third component vanishes from below; a tiny shift keeps it off zero itself.
    """
    x, y, z = direction
    shifted = d.scalar(f"{name}_z", z + TINY, "third component, off zero")
    side = d.scalar(f"{name}_side", shifted / absolute(shifted), "its sign")
    a = d.scalar(f"{name}_a", -ONE / (side + z), "factor of the construction")
    b = d.scalar(f"{name}_b", x * y * a, "product of both other components and it")
    one = Vector((ONE + side * a * x * x, side * b, -side * x))
    two = Vector((b, side + a * y * y, -y))
    return d.vector(f"{name}_1", one, "first normal direction"), d.vector(f"{name}_2", two, "second normal direction")


def lengths(vectors: Sequence[Vector]) -> Expr:
    """Return a sum of lengths, to measure others in."""
    total = number(0)
    for vector in vectors:
        total = total + vector.size()
    return total
