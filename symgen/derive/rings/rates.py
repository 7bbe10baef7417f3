"""Rates of a ring in its solved configuration: recursion along the walks, a linear system where they meet.

The velocity of every body follows from that of the one before by the joint between; free rates are what makes both
walks agree where they meet. Accelerations solve the same system; its right side is the difference of what the
recursion gives at zero joint accelerations.

Source: docs/closed-forms.md, "Velocities and accelerations"; recursion as in `symgen.derive.blocks.spatial`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Passage,
    SpatialMotion,
    acceleration_at,
    column,
    linear_triple,
    pass_acceleration,
    pass_velocity,
)
from symgen.derive.joints import Primitive
from symgen.derive.rings.group import PlacedJoint, RingGroup
from symgen.derive.spatial_group import give_coordinates, give_motion, zero
from symgen.derive.vectors import Vector

#: (number of the joint, freedom) -> rate or acceleration.
Rates = dict[tuple[int, str], Expr]

#: Body -> its linear and angular velocity or acceleration.
Motions = dict[str, tuple[Vector, Vector]]


@dataclass(frozen=True)
class PlacedLetter:
    """A free freedom in the solved configuration."""

    joint: PlacedJoint
    primitive: Primitive

    @property
    def slot(self) -> tuple[int, str]:
        """Joint and freedom."""
        return self.joint.passed.joint.number, self.primitive.freedom

    def moves(self, point: Vector) -> Vector:
        """Return how a point beyond it moves per unit of its coordinate in the direction of walking."""
        return column(self.primitive.kind, self.axis, self.joint.point, point)

    @property
    def axis(self) -> Vector:
        """World axis."""
        return self.joint.axes[self.primitive.freedom]


class RateWalk:
    """The joints from one known body on, with the recursion along them."""

    def __init__(self, group: RingGroup, name: str, base: SpatialMotion, joints: Sequence[PlacedJoint]) -> None:
        self.group, self.d, self.name, self.base, self.joints = group, group.d, name, base, joints
        self.letters = [PlacedLetter(j, p) for j in joints for p in j.passed.primitives if not j.passed.is_driven(p)]
        self.omega: list[Vector] = []
        self.passages: list[Passage] = []
        self.biases: list[SpatialMotion] = []

    def driven_velocity(self, point: Vector) -> Vector:
        """Return the velocity of a point beyond all joints at zero free rates, against the base body."""
        total = zero()
        for joint in self.joints:
            passed = joint.passed
            for p in passed.primitives:
                if passed.is_driven(p):
                    rate = passed.signed(passed.side.drives[p.freedom][1])
                    total = total + column(p.kind, joint.axes[p.freedom], joint.point, point) * rate
        return total

    def driven_turning(self) -> Vector:
        """Return the angular velocity after all joints at zero free rates, against the base body."""
        total = zero()
        for joint in self.joints:
            passed = joint.passed
            for p in passed.primitives:
                if passed.is_driven(p) and p.kind == "R":
                    total = total + joint.axes[p.freedom] * passed.signed(passed.side.drives[p.freedom][1])
        return total

    def passage(self, joint: PlacedJoint, rates: Mapping[tuple[int, str], Expr]) -> Passage:
        """Return a joint as the recursion passes it, all rates known."""
        passed, freedoms = joint.passed, []
        for p in passed.primitives:
            axis = joint.axes[p.freedom]
            if passed.is_driven(p):
                _, rate, acceleration = passed.side.drives[p.freedom]
                freedoms.append(JointFreedom(p.kind, axis, passed.signed(rate), passed.signed(acceleration)))
            else:
                rate = rates[passed.joint.number, p.freedom]
                freedoms.append(JointFreedom(p.kind, axis, passed.signed(rate), None))
        return Passage(passed.joint.name, joint.point, tuple(freedoms))

    def derive_velocities(self, rates: Mapping[tuple[int, str], Expr]) -> Motions:
        """Name the twists of the unknown bodies beyond the joints, all rates known; return them by body."""
        base, found = self.base, Motions()
        for joint in self.joints:
            passage, far = self.passage(joint, rates), joint.passed.far
            self.passages.append(passage)
            body = self.group.bodies[far]
            if far in ("k1", "k2"):
                assert body.motion is not None  # noqa: S101 - known bodies move
                self.omega.append(body.motion.omega)
                continue
            v, omega = pass_velocity(self.d, far, base, passage, body.r)
            found[far] = v, omega
            self.omega.append(omega)
            base = SpatialMotion(body.r, v, omega, v, omega)
        return found

    def derive_bias(self) -> SpatialMotion:
        """Name the motions after the joints at zero free joint accelerations; return the last one."""
        base = self.base
        for joint, passage, omega in zip(self.joints, self.passages, self.omega, strict=True):
            name = f"bias_{joint.passed.far}"
            base = pass_acceleration(self.d, name, base, passage, omega, accelerations=None)
            self.biases.append(base)
        return base

    def derive_accelerations(self, grown: Mapping[tuple[int, str], Expr]) -> Motions:
        """Name the accelerations of the unknown bodies: the bias and what the joint accelerations bring."""
        d, found = self.d, Motions()
        for k, (joint, bias) in enumerate(zip(self.joints, self.biases, strict=True)):
            far = joint.passed.far
            if far in ("k1", "k2"):
                continue
            body = self.group.bodies[far]
            a = acceleration_at(d, f"rest_{far}", bias, body.r, f"origin of {far} at zero joint accelerations")
            alpha = bias.alpha
            before = self.joints[: k + 1]
            for letter in self.letters:
                if letter.joint in before:
                    grows = letter.joint.passed.signed(grown[letter.slot])
                    a = a + letter.moves(body.r) * grows
                    alpha = alpha + letter.axis * grows if letter.primitive.kind == "R" else alpha
            a = d.vector(f"a_{far}", a, f"acceleration of the origin of {far}", "m/s^2")
            alpha = d.vector(f"alpha_{far}", alpha, f"angular acceleration of {far}", "rad/s^2")
            found[far] = a, alpha
        return found


def give_velocities(group: RingGroup, rates: Mapping[tuple[int, str], Expr], *walks: RateWalk) -> None:
    """Give the twists of all bodies that walks pass, all rates known."""
    _give(group, "v", [walk.derive_velocities(rates) for walk in walks])


def give_accelerations(group: RingGroup, grown: Mapping[tuple[int, str], Expr], *walks: RateWalk) -> None:
    """Give the accelerations of all bodies that walks pass, those of all joints known."""
    _give(group, "a", [walk.derive_accelerations(grown) for walk in walks])


def _give(group: RingGroup, kind: str, found: Sequence[Motions]) -> None:
    """Give motions in the order of the chain."""
    for name in group.chain.bodies:
        for motions in found:
            if name in motions:
                give_motion(group.d, kind, name, *motions[name])


def give_rates(group: RingGroup, values: Mapping[tuple[int, str], Expr], order: int) -> Rates:
    """Give rates (order 1) or accelerations (2) of all free freedoms that `values` has; return them as steps."""
    found: Rates = {}
    for joint in group.chain.joints:
        if joint.free and (joint.number, joint.free[0].freedom) in values:
            row = [values[joint.number, p.freedom] for p in joint.free]
            steps = give_coordinates(group.d, joint.name, joint.free, row, order)
            found |= {(joint.number, p.freedom): step for p, step in zip(joint.free, steps, strict=True)}
    return found


def derive_rates_at_point(group: RingGroup, s: Vector) -> None:
    """Derive the rates of a chain that is cut at a spherical joint with its centre at s: a 3 x 3 system."""
    d = group.d
    k1, k2 = group.k1.motion, group.k2.motion
    assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
    a = RateWalk(group, "a", k1, [group.placed[p.joint.number] for p in group.walk_a])
    b = RateWalk(group, "b", k2, [group.placed[p.joint.number] for p in group.walk_b])
    letters = [*((letter, 1) for letter in a.letters), *((letter, -1) for letter in b.letters)]
    with d.part("geometry"):
        columns = []
        for k, (letter, _) in enumerate(letters, 1):
            what = f"how S moves with {letter.primitive.freedom} of {letter.joint.passed.joint.name}"
            columns.append(d.vector(f"g{k}", letter.moves(s), what, "m" if letter.primitive.kind == "R" else "1"))
    system = linear_triple(d, columns, "the system of rates at S")

    def solve(opening: Vector) -> Rates:
        solution = zip(letters, system.solve(opening), strict=True)
        return {e.slot: e.joint.passed.signed(x if sign > 0 else -x) for (e, sign), x in solution}

    with d.part("velocity"):
        near, far = k1.velocity_at(s) + a.driven_velocity(s), k2.velocity_at(s) + b.driven_velocity(s)
        rates = give_rates(group, solve(d.vector("dv", far - near, "velocity at which S would open", "m/s")), 1)
        give_velocities(group, rates, a, b)
    with d.part("acceleration"):
        ends = (a.derive_bias(), b.derive_bias())
        text = "at zero joint accelerations"
        near, far = (acceleration_at(d, f"open{k}", m, s, f"S on side {k}, {text}") for k, m in enumerate(ends, 1))
        opening = d.vector("da", far - near, "acceleration at which S would open", "m/s^2")
        grown = give_rates(group, solve(opening), 2)
        give_accelerations(group, grown, a, b)
