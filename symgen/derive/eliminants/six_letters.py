"""Six letters, placed: velocity and acceleration between a base and a target body that both move.

The rates are those that give the last body the target's motion: six equations, three of turning and three of moving
the target's point, lengths measured in one that suits the letters. Accelerations solve the same system.

Source: docs/closed-forms.md, "Rates"; instantaneous screws of a serial chain, any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import Expr, number, sqrt
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Kind,
    Passage,
    SpatialMotion,
    acceleration_at,
    column,
    pass_acceleration,
)
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import Turn, lengths, turned
from symgen.derive.linear_systems import linear_system
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class LetterAt:
    """A letter: held axis, held point of it, and its coordinate once solved."""

    kind: Kind
    axis: Vector
    point: Vector
    coordinate: Turn | Expr

    def apply(self, d: Derivation, name: str, vector: Vector, what: str, *, point: bool) -> Vector:
        """Name a held vector or point moved by this letter."""
        if self.kind == "R":
            assert isinstance(self.coordinate, tuple)  # noqa: S101 - of a turn
            if not point:
                return d.vector(name, turned(self.axis, self.coordinate, vector), what)
            arm = d.vector(f"{name}_arm", vector - self.point, f"{what}: from the axis", "m")
            return d.vector(name, self.point + turned(self.axis, self.coordinate, arm), what, "m")
        assert not isinstance(self.coordinate, tuple)  # noqa: S101 - of a slide
        return d.vector(name, vector + self.axis * self.coordinate, what, "m") if point else vector


def placed(d: Derivation, letters: Sequence[LetterAt], axis: Vector, at: Vector, k: int) -> tuple[Vector, Vector]:
    """Name axis and point of what follows the first k letters, moved by them."""
    for j in range(k, 0, -1):
        axis = letters[j - 1].apply(d, f"w{k}_axis_{j}", axis, f"axis {k + 1}, letters from {j} done", point=False)
        at = letters[j - 1].apply(d, f"w{k}_at_{j}", at, f"point {k + 1}, letters from {j} done", point=True)
    return axis, at


def motion_inputs(d: Derivation, k: str, what: str, ref: Vector) -> SpatialMotion:
    """Declare the motion of a body at a point."""
    v, omega, a, alpha = (
        d.input_vector(f"{name}_{k}", 3, meaning=f"{word} of the {what}", unit=unit)
        for name, word, unit in (
            ("v", "velocity", "m/s"),
            ("omega", "angular velocity", "rad/s"),
            ("a", "acceleration", "m/s^2"),
            ("alpha", "angular acceleration", "rad/s^2"),
        )
    )
    return SpatialMotion(ref, v, omega, a, alpha)


def derive_six_rates(d: Derivation, letters: Sequence[LetterAt], base: SpatialMotion, target: SpatialMotion) -> None:
    """Derive rates and accelerations of the letters; both motions are given at the target's point."""
    t = target.r
    with d.part("geometry"):
        axes = [placed(d, letters, letter.axis, letter.point, k) for k, letter in enumerate(letters)]
        moves = [
            d.vector(f"g{k}", column(x.kind, axis, at, t), f"how the target moves with letter {k}", "SI")
            for k, (x, (axis, at)) in enumerate(zip(letters, axes, strict=True), 1)
        ]
        turns = [m for m, x in zip(moves, letters, strict=True) if x.kind == "R"]
        size = d.scalar("arm_size", lengths(turns), "sum of all arms", "m")
        per = d.scalar("per_arm", 1 / size, "its reciprocal", "1/m")
        none = Vector((number(0),) * 3)
        spins = [axis if x.kind == "R" else none for x, (axis, _) in zip(letters, axes, strict=True)]
        rows = [[s[i] for s in spins] for i in range(3)] + [[g[i] * per for g in moves] for i in range(3)]
        system = linear_system(d, "letters", rows, "The system of rates: turning, then moving in that unit of length.")
    with d.part("condition"):
        columns = system.inverse("inverse")
        norm2 = d.scalar("norm2", _squares(v for row in rows for v in row), "squared Frobenius norm of the system")
        inverse2 = d.scalar("inverse2", _squares(v for c in columns for v in c), "the same of its inverse")
        give_condition(d, sqrt(norm2 * inverse2))
    with d.part("velocity"):
        spin = d.vector("d_omega", target.omega - base.omega, "angular velocity to make up for", "rad/s")
        move = d.vector("d_v", target.v - base.v, "velocity to make up for", "m/s")
        rates = system.solve("rate", [*spin, *(move * per)], "Rates of the letters.")
        d.output("rates", rates, meaning="rates of the six letters", unit="SI", frame="joint")
    with d.part("acceleration"):
        reached = base
        for k, (x, (axis, at), rate) in enumerate(zip(letters, axes, rates, strict=True), 1):
            passage = Passage(f"letter{k}", at, (JointFreedom(x.kind, axis, rate, None),))
            turning = reached.omega + axis * rate if x.kind == "R" else reached.omega
            omega = d.vector(f"omega_behind_{k}", turning, f"angular velocity after letter {k}", "rad/s")
            reached = pass_acceleration(d, f"bias{k}", reached, passage, omega, accelerations=None)
        opened = acceleration_at(d, "opened", reached, t, "the target's point at zero joint accelerations")
        spin = d.vector("d_alpha", target.alpha - reached.alpha, "angular acceleration to make up for", "rad/s^2")
        move = d.vector("d_a", target.a - opened, "acceleration to make up for", "m/s^2")
        grown = system.solve("acc", [*spin, *(move * per)], "Accelerations of the letters.")
        d.output("accelerations", grown, meaning="accelerations of the six letters", unit="SI", frame="joint")


def _squares(values: object) -> Expr:
    total = number(0)
    for value in values:  # type: ignore[attr-defined]
        total = total + value * value
    return total


def claim_arrival(d: Derivation, letters: Sequence[LetterAt], held: Sequence[Vector], wanted: Sequence[Vector]) -> None:
    """Claim that the letters carry the last held point and axes to their required positions."""
    with d.part("proof"):
        residuals = []
        for name, start, end in zip(("point", "near", "far"), held, wanted, strict=True):
            vector = start
            for j in range(len(letters), 0, -1):
                what = f"{name}, letters from {j} done"
                vector = letters[j - 1].apply(d, f"done_{name}_{j}", vector, what, point=name == "point")
            residuals += [*(vector - end)]
    d.claim_zero("arrival", "the letters carry the last pair to its required position", residuals)
