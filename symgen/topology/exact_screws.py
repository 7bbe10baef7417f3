"""Joint screws in exact arithmetic, where the file gives the joints by decimal numbers in the world."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symgen.model.parameters import Numbers
from symgen.topology.loops import Loops
from symgen.topology.rank import reduce_rows
from symgen.topology.twists import PRIME, Vector, cross_product, slide, turn

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint

_UNITS: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def exact_rank(mechanism: Mechanism, joints: list[Joint], loops: Loops, width: int) -> int | None:
    """Return the rank of the loop equations modulo a prime; None if a joint is not given by `at` and `axis`.

    A decimal such as 0.1 means the fraction 1/10, not the double next to it. Numbers that are rounded (square roots)
    are taken as they stand, so the rank may then exceed the one that is meant.
    """
    numbers = Numbers(mechanism.parameters, mechanism.space)
    screws: dict[str, list[Vector]] = {}
    for joint in joints:
        found = _screws(joint, mechanism.source.get("joints", {}).get(joint.multiple or joint.id, {}), numbers)
        if found is None:
            return None
        screws[joint.id] = [tuple(screw[k] for k in (2, 3, 4)) if width == 3 else screw for screw in found]
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


def _screws(joint: Joint, entry: Mapping[str, Any], numbers: Numbers) -> list[Vector] | None:
    if "frames" in entry or joint.type in ("F", "FP"):
        return None
    at = _vector(entry, "at", numbers)
    axis = _vector(entry, "axis", numbers)
    if joint.type == "R" and numbers.space == "planar":
        axis = _UNITS[2]
    if joint.type == "S" and at is not None:
        return [turn(at, e) for e in _UNITS]
    if at is None or axis is None:
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
            axis2 = _vector(entry, "axis2", numbers)
            return None if axis2 is None else [turn(at, axis), turn(at, axis2)]
        case "PL":
            first = next(v for e in _UNITS if any(v := cross_product(axis, e)))
            return [slide(first), slide(cross_product(axis, first)), turn(at, axis)]
        case _:
            return None
