"""Rates of a chain of three turns and three slides: two systems of three axes, angular rates first.

The walks from both known bodies meet at the cut joint. The letters before it and its own count with their axes, those
behind it against them. Angular velocities settle the turns; what these leave open at the cut is left to the slides.

Source: docs/closed-forms.md, "Velocities and accelerations"; instantaneous screws of a serial chain, any text.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import Expr
from symgen.derive.blocks.rotations import AxisSystem
from symgen.derive.blocks.spatial import Kind, acceleration_at, pass_acceleration
from symgen.derive.rings.group import PlacedJoint, RingGroup
from symgen.derive.rings.rates import PlacedLetter, Rates, RateWalk, give_accelerations, give_rates, give_velocities
from symgen.derive.vectors import Vector


class TurnsThenSlides:
    """The rates of a chain whose joints are placed; the systems take the letters in the order from k1 to k2."""

    def __init__(self, group: RingGroup, cut: PlacedJoint, turns: AxisSystem, slides: AxisSystem) -> None:
        k1, k2 = group.k1.motion, group.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        self.group, self.d, self.k1, self.k2, self.point = group, group.d, k1, k2, cut.point
        self.turns, self.slides = turns, slides
        self.near = RateWalk(group, "a", k1, [group.placed[p.joint.number] for p in group.walk_a])
        self.far = RateWalk(group, "b", k2, [group.placed[p.joint.number] for p in group.walk_b])
        self.cut = RateWalk(group, "cut", k1, [cut])
        ahead = ((joint, 1) for joint in (*self.near.joints, cut))
        back = ((joint, -1) for joint in self.far.joints[::-1])
        self.letters = [(PlacedLetter(j, p), sign) for j, sign in (*ahead, *back) for p in j.passed.joint.free]

    def derive(self) -> None:
        """Derive velocities and accelerations of all bodies and joints."""
        d, s, near, far, cut = self.d, self.point, self.near, self.far, self.cut
        with d.part("velocity"):
            spin = self.k2.omega - self.k1.omega
            spin = spin + far.driven_turning() - near.driven_turning() - cut.driven_turning()
            spin = d.vector("opening", spin, "angular velocity at which the loop would open", "rad/s")
            turning = self._turn("turn_rate", "rate", spin, "rad/s")
            move = self.k2.velocity_at(s) - self.k1.velocity_at(s)
            move = move + far.driven_velocity(s) - near.driven_velocity(s) - cut.driven_velocity(s)
            move = d.vector("apart", self._left(move, turning), "velocity at which the slides let the cut open", "m/s")
            rates = give_rates(self.group, self._slide(turning, move), 1)
            give_velocities(self.group, rates, near, far)
        with d.part("acceleration"):
            passage, omega = cut.passage(cut.joints[0], rates), far.omega[-1] if far.omega else self.k2.omega
            here = pass_acceleration(d, "bias_cut", near.derive_bias(), passage, omega, accelerations=None)
            there = far.derive_bias()
            spin = d.vector("opened", there.alpha - here.alpha, "at zero joint accelerations", "rad/s^2")
            turning = self._turn("turn_acc", "acceleration", spin, "rad/s^2")
            text = "the cut joint on the side of k2, at zero joint accelerations"
            move = acceleration_at(d, "open_far", there, s, text) - here.a
            text = "acceleration at which the slides let the cut open"
            move = d.vector("opened_at", self._left(move, turning), text, "m/s^2")
            grown = give_rates(self.group, self._slide(turning, move), 2)
            give_accelerations(self.group, grown, near, far)

    def _of(self, kind: Kind) -> list[tuple[PlacedLetter, int]]:
        return [each for each in self.letters if each[0].primitive.kind == kind]

    def _turn(self, name: str, what: str, spin: Vector, unit: str) -> list[Expr]:
        """Name rates or accelerations of the turns, in their order along the walks."""
        values = enumerate(self.turns.solve(spin), 1)
        return [self.d.scalar(f"{name}_{k}", x, f"{what} of turn {k}", unit) for k, x in values]

    def _left(self, move: Vector, turning: Sequence[Expr]) -> Vector:
        """Return what turns of these rates or accelerations leave open."""
        for (letter, sign), value in zip(self._of("R"), turning, strict=True):
            column = letter.moves(self.point)
            move = move - (column if sign > 0 else -column) * value
        return move

    def _slide(self, turning: Sequence[Expr], move: Vector) -> Rates:
        """Solve for the slides; return all rates or accelerations as they count in the joints."""
        found = zip((*self._of("R"), *self._of("P")), (*turning, *self.slides.solve(move)), strict=True)
        return {letter.slot: letter.joint.passed.signed(x) for (letter, _), x in found}
