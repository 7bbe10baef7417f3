"""What of the numbers of an answer is rounding of the others: tables show it as 0."""

from __future__ import annotations

from dataclasses import dataclass

from symgen.model.rounding import rounding
from symgen.simulate.tables.scale import unit_of_length
from symgen.transfer.acceleration_result import AccelerationResult


@dataclass(frozen=True)
class Least:
    """Sizes up to which numbers of a kind are rounding: of accelerations [m/s^2], angular ones, forces, moments."""

    linear: float
    turning: float
    force: float
    moment: float


def least_of(result: AccelerationResult) -> Least:
    """Return the sizes; what is at rest is measured by gravity, and what turns by what moves a size away."""
    size = unit_of_length(result.mechanism)
    bodies, joints = result.bodies.values(), result.joints.values()
    linear = rounding([result.mechanism.gravity, *(each.a for each in bodies)])
    force = rounding(each.force for each in joints)
    return Least(
        linear,
        max(linear / size, rounding(each.alpha for each in bodies)),
        force,
        max(force * size, rounding(each.moment for each in joints)),
    )
