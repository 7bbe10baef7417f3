"""What a method finds: accelerations of all bodies and what every joint transmits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symgen.poses import Array
from symgen.transfer.beams.element import Bending


@dataclass(frozen=True)
class Solution:
    """Accelerations and joint wrenches at one time, SI units, world axes.

    Parameters
    ----------
    accelerations : (n, 6) of the centres of mass [m/s^2] and angular [rad/s^2], rows as ``mechanism.bodies``.
    wrenches : joint -> (6,) force [N] and moment [N m] that its first body exerts on its second, about the joint centre
        on the second; springs, dampers, actuators and drives of the joint included.
    open : joints whose wrench is not unique: redundant constraints can load them against each other; of each, which of
        fx fy fz mx my mz are not (6,).
    rows : constraints that the method solved for (of the loops, or of all joints).
    rank : how many of them are independent.
    messages : warnings, one sentence each.
    bent : flexible bodies by index, with what their modes do; `accelerations` are then those of their straight frames,
        held at the output.
    figures : what else a method knows of its numbers, such as the condition of its equations.
    """

    accelerations: Array
    wrenches: Mapping[str, Array]
    open: Mapping[str, tuple[bool, ...]] = field(default_factory=dict)
    rows: int = 0
    rank: int = 0
    messages: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    bent: Mapping[int, Bending] = field(default_factory=dict)

    def seen(self, body: int, acceleration: Array, centre: Array, place: Array) -> Array:
        """Return the acceleration (6,) of a body's centre with which a rigid body would move as it does at a place."""
        return self.bent[body].seen(acceleration, centre, place) if body in self.bent else acceleration
