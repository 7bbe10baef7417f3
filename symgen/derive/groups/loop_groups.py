"""The three arrangements of a spatial loop on poses and joint frames, re-rooted onto the loop's kernel.

    a_s_b: k1 -A- b1 -S- b2 -B- k2      X = the known bodies
    a_b_s: k1 -A- b1 -B- b2 -S- k2      X = b1, held at zero coordinate of A
    b_a_s: k1 -B- b1 -A- b2 -S- k2      X = b1, held at zero coordinates of B

Velocities and accelerations come from the solved pose: the three free rates are what brings the spherical centre on
both sides to the same velocity (a 3 x 3 system), its accelerations the same system with the bias of the recursion.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import Expr
from symgen.derive.blocks.spatial import (
    Freedom,
    Motion,
    Passage,
    acceleration_at,
    column,
    linear_triple,
    pass_acceleration,
    pass_velocity,
)
from symgen.derive.derivation import Derivation
from symgen.derive.groups.loop_positions import Form, LoopPositions
from symgen.derive.groups.loops import Family
from symgen.derive.joints import Primitive, pair_model
from symgen.derive.module import Arrangement, JointSlot
from symgen.derive.spatial_group import (
    give_coordinates,
    give_motion,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine


class LoopGroup(LoopPositions):
    """Derives one arrangement; the methods are the sections of the derivation."""

    def derive(self) -> Derivation:
        """Derive all sections."""
        {"a_s_b": self._place_a_s_b, "a_b_s": self._place_a_b_s, "b_a_s": self._place_b_a_s}[self.form]()
        self._derive_rates()
        return self.d

    # -- rates ---------------------------------------------------------------------------------------------------

    def _freedoms(self, slot: str, rates: dict[str, Expr]) -> tuple[Freedom, ...]:
        side = self.sides[slot]
        chain = (*side.pair.before, *side.pair.free, *side.pair.after)
        return tuple(
            Freedom(p.kind, self._world_axis(slot, p), side.drives[p.freedom][1], side.drives[p.freedom][2])
            if p.freedom in side.drives
            else Freedom(p.kind, self._world_axis(slot, p), rates[p.freedom], None)
            for p in chain
        )

    def _derive_rates(self) -> None:
        d, s = self.d, self._s
        order = ["b", "a"] if self.form == "b_a_s" else ["a", "b"]
        serial = self.form != "a_s_b"
        with d.part("geometry"):
            columns: list[Vector] = []
            free: list[tuple[str, Primitive]] = []
            for slot in order:
                for primitive in self.sides[slot].pair.free:
                    axis = self._world_axis(slot, primitive)
                    value = column(primitive.kind, axis, self._frames[slot][0].at, s)
                    joint = self.sides[slot].joint
                    unit = "m" if primitive.kind == "R" else "1"
                    columns.append(
                        d.vector(
                            f"g{len(columns) + 1}", value, f"how S moves with {primitive.freedom} of {joint}", unit
                        )
                    )
                    free.append((slot, primitive))
        system = linear_triple(d, columns, "the system of rates at S")
        k1, k2 = self.k1.motion, self.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        signs = [1 if slot == order[0] or serial else -1 for slot, _ in free]
        with d.part("velocity"):
            near, far = k1.velocity_at(s), k2.velocity_at(s)
            for slot in order:
                driven = self._driven_velocity(slot)
                near, far = (near + driven, far) if slot == order[0] or serial else (near, far + driven)
            dv = d.vector("dv", far - near, "velocity at which S would open at zero rates", "m/s")
            rates = self._give_rates(order, free, system.solve(dv), signs, 1)
            passages = {
                slot: Passage(self.sides[slot].joint, self._frames[slot][0].at, self._freedoms(slot, rates[slot]))
                for slot in order
            }
            motions = self._give_twists(order, passages, serial)
        with d.part("acceleration"):
            bias = {}
            base: Motion = k1
            for slot in order:
                base = k2 if slot == order[1] and not serial else base
                body = self._frames[slot][2]
                name = f"bias_{body.name}"
                base = pass_acceleration(d, name, base, passages[slot], motions[body.name].omega, accelerations=None)
                bias[slot] = base
            ends = [bias[order[1]]] if serial else [bias[order[0]], bias[order[1]]]
            opened = [
                acceleration_at(d, f"open{k}", m, s, f"S on side {k}, at zero joint accelerations")
                for k, m in enumerate(ends, 1)
            ]
            if serial:
                opened.append(acceleration_at(d, "open2", k2, s, "S on k2"))
            da = d.vector("da", opened[1] - opened[0], "acceleration at which S would open", "m/s^2")
            grown = self._give_rates(order, free, system.solve(da), signs, 2)
            self._give_accelerations(order, bias, grown, serial)

    def _driven_velocity(self, slot: str) -> Vector:
        side, total = self.sides[slot], None
        for p in (*side.pair.before, *side.pair.after):
            part = (
                column(p.kind, self._world_axis(slot, p), self._frames[slot][0].at, self._s) * side.drives[p.freedom][1]
            )
            total = part if total is None else total + part
        return total if total is not None else self._s * 0

    def _give_rates(
        self,
        order: Sequence[str],
        free: Sequence[tuple[str, Primitive]],
        solution: Sequence[Expr],
        signs: Sequence[int],
        level: int,
    ) -> dict[str, dict[str, Expr]]:
        rates: dict[str, dict[str, Expr]] = {}
        for slot in order:
            side = self.sides[slot]
            values = [
                x if sign > 0 else -x
                for (owner, _), x, sign in zip(free, solution, signs, strict=True)
                if owner == slot
            ]
            steps = give_coordinates(self.d, side.joint, side.pair.free, values, level)
            rates[slot] = {p.freedom: step for p, step in zip(side.pair.free, steps, strict=True)}
        return rates

    def _give_twists(self, order: Sequence[str], passages: dict[str, Passage], serial: bool) -> dict[str, Motion]:
        d = self.d
        motions: dict[str, Motion] = {}
        base = self.k1.motion
        for slot in order:
            body = self._frames[slot][2]
            if slot == order[1]:
                base = motions[self._frames[order[0]][2].name] if serial else self.k2.motion
            assert base is not None  # noqa: S101 - known bodies move
            v, omega = pass_velocity(d, body.name, base, passages[slot], body.r)
            give_motion(d, "v", body.name, v, omega)
            motions[body.name] = Motion(body.r, v, omega, v, omega)
        return motions

    def _give_accelerations(
        self, order: Sequence[str], bias: dict[str, Motion], grown: dict[str, dict[str, Expr]], serial: bool
    ) -> None:
        """Add to the bias what the joint accelerations bring; they enter linearly."""
        d = self.d
        for slot in order:
            body = self._frames[slot][2]
            a = acceleration_at(
                d, f"rest_{body.name}", bias[slot], body.r, f"origin of {body.name} at zero joint accelerations"
            )
            alpha = bias[slot].alpha
            upstream = [order[0], slot] if serial and slot != order[0] else [slot]
            for source in upstream:
                for primitive in self.sides[source].pair.free:
                    axis, grows = self._world_axis(source, primitive), grown[source][primitive.freedom]
                    a = a + column(primitive.kind, axis, self._frames[source][0].at, body.r) * grows
                    alpha = alpha + axis * grows if primitive.kind == "R" else alpha
            a = d.vector(f"a_{body.name}", a, f"acceleration of the origin of {body.name}", "m/s^2")
            alpha = d.vector(f"alpha_{body.name}", alpha, f"angular acceleration of {body.name}", "rad/s^2")
            give_motion(d, "a", body.name, a, alpha)

    def arrangement(self) -> Arrangement:
        """Derive and describe the arrangement."""
        derivation = self.derive()
        slots = []
        for k, pair in enumerate(self.pairs):
            if pair is None:
                slots.append(JointSlot(f"j{k + 1}", "S", self.ends[k], ("yaw", "pitch", "roll")))
            else:
                slots.append(
                    JointSlot(f"j{k + 1}", pair.type, self.ends[k], tuple(p.freedom for p in pair.free), pair.driven)
                )
        return Arrangement(self.id, "spatial", ("k1", "k2"), ("b1", "b2"), tuple(slots), derivation)


def loop_arrangement(
    family: Family, form: Form, kernel: Routine, a: tuple[str, tuple[str, ...]], b: tuple[str, tuple[str, ...]]
) -> Arrangement:
    """Derive one arrangement; `a` and `b` are the types of the pairs and their driven freedoms."""
    return LoopGroup(family, form, pair_model(*a), pair_model(*b), kernel).arrangement()
