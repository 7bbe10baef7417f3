"""Rates of a chain that is walked from k1 to k2 without a cut: six equations in six free rates.

The walk must give the last joint frame the motion of k2: three equations of turning, three of moving a point of the
last joint, as one system.

Source: docs/closed-forms.md, "Velocities and accelerations"; instantaneous screws of a serial chain, any text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import Expr, sqrt
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.spatial import acceleration_at
from symgen.derive.derivation import Derivation
from symgen.derive.linear_systems import LinearSystem, linear_system
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.rates import PlacedLetter, Rates, RateWalk, give_accelerations, give_rates, give_velocities
from symgen.derive.spatial_group import zero
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class SixRates:
    """One system of six equations; lengths are measured in the sum of all arms."""

    letters: Sequence[PlacedLetter]
    system: LinearSystem
    per: Expr

    def solve(self, d: Derivation, stage: str, spin: Vector, move: Vector) -> Mapping[tuple[int, str], Expr]:
        """Solve it."""
        values = self.system.solve(f"{stage}_letter", [*spin, *(move * self.per)], f"{stage} of the letters.")
        return {letter.slot: x for letter, x in zip(self.letters, values, strict=True)}


def six_rates(d: Derivation, walk: RateWalk, point: Vector) -> SixRates:
    """Factorise the system of the placed letters; give its condition."""
    with d.part("geometry"):
        moves = [
            d.vector(f"g{k}", letter.moves(point), f"how the closing point moves with letter {k}", "SI")
            for k, letter in enumerate(walk.letters, 1)
        ]
        total = zero()[0]
        for letter, move in zip(walk.letters, moves, strict=True):
            total = total + move.size() if letter.primitive.kind == "R" else total
        size = d.scalar("arm_size", total, "sum of all arms", "m")
        per = d.scalar("per_arm", 1 / size, "its reciprocal", "1/m")
        spins = [x.axis if x.primitive.kind == "R" else zero() for x in walk.letters]
        rows = [[s[i] for s in spins] for i in range(3)] + [[g[i] * per for g in moves] for i in range(3)]
        system = linear_system(d, "letters", rows, "The system of rates: turning, then moving in that unit of length.")
    with d.part("condition"):
        columns = system.inverse("inverse")
        norm2 = d.scalar("norm2", _squares([v for row in rows for v in row]), "squared Frobenius norm of the system")
        inverse2 = d.scalar("inverse2", _squares([v for c in columns for v in c]), "the same of its inverse")
        give_condition(d, sqrt(norm2 * inverse2))
    return SixRates(walk.letters, system, per)


def _squares(values: Sequence[Expr]) -> Expr:
    total = zero()[0]
    for value in values:
        total = total + value * value
    return total


def whole_walk(group: RingGroup) -> RateWalk:
    """Return the walk from k1 to k2 of a group whose joints are all placed."""
    motion = group.k1.motion
    assert motion is not None  # noqa: S101 - known bodies move
    return RateWalk(group, "a", motion, [group.placed[p.joint.number] for p in group.walk_a])


def closing_point(group: RingGroup) -> Vector:
    """Name where the last joint lies on k2."""
    local = group.walk_a[-1].far_frame.at
    with group.d.part("geometry"):
        value = group.k2.r + group.axes["k2"].to_world(local)
        return group.d.vector("closing", value, "centre of the last joint on k2", "m")


def derive_rates_of_loop(group: RingGroup, walk: RateWalk, point: Vector, system: SixRates) -> None:
    """Derive velocities and accelerations of all bodies and joints."""
    d = group.d
    k1, k2 = group.k1.motion, group.k2.motion
    assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
    with d.part("velocity"):
        spin = k2.omega - k1.omega - walk.driven_turning()
        spin = d.vector("d_omega", spin, "angular velocity that the letters make up for", "rad/s")
        move = k2.velocity_at(point) - k1.velocity_at(point) - walk.driven_velocity(point)
        move = d.vector("d_v", move, "velocity of the closing point that the letters make up for", "m/s")
        rates = _by_joint(walk.letters, system.solve(d, "rate", spin, move))
        give_velocities(group, give_rates(group, rates, 1), walk)
    with d.part("acceleration"):
        reached = walk.derive_bias()
        here = acceleration_at(d, "open1", reached, point, "the closing point at zero joint accelerations")
        there = acceleration_at(d, "open2", k2, point, "the closing point on k2")
        spin = d.vector("d_alpha", k2.alpha - reached.alpha, "angular acceleration to make up for", "rad/s^2")
        move = d.vector("d_a", there - here, "acceleration to make up for", "m/s^2")
        grown = _by_joint(walk.letters, system.solve(d, "acceleration", spin, move))
        give_accelerations(group, give_rates(group, grown, 2), walk)


def _by_joint(letters: Sequence[PlacedLetter], values: Mapping[tuple[int, str], Expr]) -> Rates:
    return {letter.slot: letter.joint.passed.signed(values[letter.slot]) for letter in letters}
