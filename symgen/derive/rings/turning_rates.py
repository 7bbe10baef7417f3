"""Rates of a chain of three turns and three slides: two systems of three axes, angular rates first.

The walks from both known bodies meet at the cut joint. The letters before it and its own count with their axes, those
behind it against them. Angular velocities settle the turns; what these leave open at the cut is left to the slides.

Source: docs/closed-forms.md, "Velocities and accelerations"; instantaneous screws of a serial chain, any text.
"""

from __future__ import annotations

from symgen.algebra import Expr
from symgen.derive.blocks.rotations import AxisSystem
from symgen.derive.blocks.spatial import acceleration_at, pass_acceleration
from symgen.derive.rings.group import PlacedJoint, RingGroup
from symgen.derive.rings.rates import PlacedLetter, Rates, Walk, give_accelerations, give_rates, give_velocities
from symgen.derive.vectors import Vector


class TurnsThenSlides:
    """The rates of a chain whose joints are placed; the systems take the letters in the order from k1 to k2."""

    def __init__(self, group: RingGroup, cut: PlacedJoint, turns: AxisSystem, slides: AxisSystem) -> None:
        k1, k2 = group.k1.motion, group.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        self.group, self.d, self.k1, self.k2, self.point = group, group.d, k1, k2, cut.point
        self.turns, self.slides = turns, slides
        self.near = Walk(group, "a", k1, [group.placed[p.joint.number] for p in group.walk_a])
        self.far = Walk(group, "b", k2, [group.placed[p.joint.number] for p in group.walk_b])
        self.cut = Walk(group, "cut", k1, [cut])
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
            move = self.k2.velocity_at(s) - self.k1.velocity_at(s)
            move = move + far.driven_velocity(s) - near.driven_velocity(s) - cut.driven_velocity(s)
            rates = self._solve("rate", 1, spin, move)
            give_velocities(self.group, rates, near, far)
        with d.part("acceleration"):
            there = far.derive_bias()
            passage = cut.passage(cut.joints[0], rates)
            here = pass_acceleration(d, "bias_cut", near.derive_bias(), passage, there.omega, accelerations=None)
            spin = d.vector("opened", there.alpha - here.alpha, "at zero joint accelerations", "rad/s^2")
            text = "the cut joint on the side of k2, at zero joint accelerations"
            move = acceleration_at(d, "open_far", there, s, text) - here.a
            grown = self._solve("acceleration", 2, spin, move)
            give_accelerations(self.group, grown, near, far)

    def _solve(self, what: str, order: int, spin: Vector, move: Vector) -> Rates:
        """Solve for the turns, then for the slides; give rates (order 1) or accelerations (2) of all joints."""
        d, found = self.d, dict[tuple[int, str], Expr]()
        turning, sliding = ([x for x in self.letters if x[0].primitive.kind == kind] for kind in "RP")
        for k, ((letter, sign), x) in enumerate(zip(turning, self.turns.solve(spin), strict=True), 1):
            value = d.scalar(f"turn_{what}_{k}", x, f"{what} of turn {k}", "rad/s" if order == 1 else "rad/s^2")
            found[letter.slot] = letter.joint.passed.signed(value)
            moved = letter.moves(self.point) * value
            move = move - moved if sign > 0 else move + moved
        unit = "m/s" if order == 1 else "m/s^2"
        left = d.vector(f"left_{what}", move, "opening of the cut joint that is left to the slides", unit)
        for (letter, _), x in zip(sliding, self.slides.solve(left), strict=True):
            found[letter.slot] = letter.joint.passed.signed(x)
        return give_rates(self.group, found, order)
