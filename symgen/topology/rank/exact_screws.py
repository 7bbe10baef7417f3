"""Joint screws in exact arithmetic, where the file gives the joints by decimal numbers in the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symgen.model.parameters import Numbers
from symgen.topology.graph import WELD
from symgen.topology.loops.independent import Loops
from symgen.topology.rank.generic import reduce_rows
from symgen.topology.rank.twists import PRIME, Vector, cross_product, slide, turn

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint

#: Of a twist (omega, v) or a wrench (M, F), the parts that count in the plane.
PLANE = (2, 3, 4)
_UNITS: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@dataclass(frozen=True)
class ExactJoint:
    """A joint in the world, in residues.

    Parameters
    ----------
    at : joint centre [m].
    axis, axis2 : as the file gives them, of any length; `axis2` made normal to `axis`. None where there is none.
    screws : twists of its freedoms, in their order, at the world's origin.
    """

    at: Vector
    axis: Vector | None
    axis2: Vector | None
    screws: tuple[Vector, ...]


def exact_joints(mechanism: Mechanism, joints: Sequence[Joint]) -> dict[str, ExactJoint] | None:
    """Return joints by name; None if one is not given by `at` and axes.

    A decimal such as 0.1 means the fraction 1/10, not the double next to it. Numbers that are rounded (square roots)
    are taken as they stand.
    """
    numbers = Numbers(mechanism.parameters, mechanism.space)
    found: dict[str, ExactJoint] = {}
    for joint in joints:
        each = _joint(joint, mechanism.source.get("joints", {}).get(joint.multiple or joint.id, {}), numbers)
        if each is None:
            return None
        found[joint.id] = each
    return found


def exact_rank(mechanism: Mechanism, joints: list[Joint], loops: Loops, width: int) -> int | None:
    """Return the rank of the loop equations modulo a prime; None if a joint is not given by `at` and axes.

    Of numbers that are rounded the rank may exceed the one that is meant.
    """
    found = exact_joints(mechanism, joints)
    if found is None:
        return None
    screws = {
        name: [tuple(screw[k] for k in PLANE) if width == len(PLANE) else screw for screw in joint.screws]
        for name, joint in found.items()
    }
    start: dict[str, int] = {}
    for joint in joints:
        start[joint.id] = sum(len(screws[name]) for name in start)
    rows: list[dict[int, int]] = []
    for loop in loops.members:
        for k in range(width):
            row = {
                start[name] + column: sign * screw[k] % PRIME
                for name, sign in loop
                for column, screw in enumerate(screws[name])
                if screw[k]
            }
            rows.append(row)
    return len(reduce_rows(rows))


def _vector(entry: Mapping[str, Any], key: str, numbers: Numbers) -> Vector | None:
    if key not in entry:
        return None
    return tuple(_residue(x) for x in numbers.vector(entry[key], key))


def _residue(x: float) -> int:
    fraction = Fraction(repr(x))
    return fraction.numerator * pow(fraction.denominator, -1, PRIME) % PRIME


def _joint(joint: Joint, entry: Mapping[str, Any], numbers: Numbers) -> ExactJoint | None:
    if "frames" in entry or joint.type in ("F", "FP"):
        return None
    at = _vector(entry, "at", numbers)
    axis, axis2 = _vector(entry, "axis", numbers), _vector(entry, "axis2", numbers)
    if numbers.space == "planar" and joint.type in ("R", "L"):
        axis = _UNITS[2]
    if at is None:
        return None
    if axis is not None and axis2 is not None:
        along, square = (sum(a * b for a, b in zip(axis, other, strict=True)) for other in (axis2, axis))
        axis2 = tuple((square * b - along * a) % PRIME for a, b in zip(axis, axis2, strict=True))
    screws = _screws(joint, at, axis, axis2)
    return None if screws is None else ExactJoint(at, axis, axis2, tuple(screws))


def _screws(joint: Joint, at: Vector, axis: Vector | None, axis2: Vector | None) -> list[Vector] | None:
    if joint.type == "S":
        return [turn(at, e) for e in reversed(_UNITS)]
    if joint.type == WELD:
        return []
    if axis is None:
        return None
    match joint.type:
        case "R":
            return [turn(at, axis)]
        case "P":
            return [slide(axis)]
        case "H":
            # The pitch belongs to a unit axis: exact only along one of the world's.
            pitch, largest = _residue(joint.pitch or 0.0), max(axis)
            return (
                [turn(at, axis, pitch * largest % PRIME)] if sum(x != 0 for x in axis) == 1 and largest == 1 else None
            )
        case "C":
            return [slide(axis), turn(at, axis)]
        case "U" | "ER":
            return None if axis2 is None else [turn(at, axis), turn(at, axis2)]
        case "L":
            return None if axis2 is None else [slide(axis2), turn(at, axis)]
        case "PL":
            first = axis2 or next(v for e in _UNITS if any(v := cross_product(axis, e)))
            return [slide(first), slide(cross_product(axis, first)), turn(at, axis)]
        case _:
            return None
