"""Chains that end in a rod between two balls, and turn or slide once besides: R.S.S, P.S.S, C*slide.S.S, R*.P.S.S, ...

The chain is cut at the ball between the last two bodies. One freedom brings that ball to its distance from the one
on k2; the rod's idle spin is that of the smallest rotation from its reference, in which its joint frame on the ball of
k2 coincides with that of k2 (`symgen.derive.blocks.rods`). So the rod's pose is a function of the configuration, with
no memory of how it came there.

Source: docs/closed-forms.md, "Rods".
"""

from __future__ import annotations

from symgen.algebra import ONE, TWO, Expr, atan2, sqrt
from symgen.derive.blocks.rods import SpinningRod
from symgen.derive.blocks.spatial import acceleration_at
from symgen.derive.derivation import Derivation
from symgen.derive.quaternions import Quaternion
from symgen.derive.rings import rod_kernel
from symgen.derive.rings.chain import RingChain
from symgen.derive.rings.group import Coordinates, RingGroup
from symgen.derive.rings.rates import RateWalk, give_accelerations, give_rates, give_velocities
from symgen.derive.rings.rod_kernel import guard_grip, rate_of_rod
from symgen.derive.spatial_group import give_motion, locate_body, orient_body
from symgen.derive.vectors import Vector


def rod_cut(chain: RingChain) -> int | None:
    """Return the number of the ball before a rod that ends the chain, if one freedom is left before; else None."""
    cut = len(chain.joints) - 2
    balls = chain.joints[cut:]
    if cut < 1 or any(joint.type != "S" or joint.driven for joint in balls):
        return None
    return cut if sum(len(joint.free) for joint in chain.joints[:cut]) == 1 else None


class RodClosing:
    """Closes a chain by a rod between its last two bodies, which are b(n-1) and the rod bn."""

    def __init__(self, chain: RingChain, cut: int) -> None:
        self._cut = cut
        (self.primitive,) = (p for joint in chain.joints[:cut] for p in joint.free)

    @property
    def cut(self) -> int | None:
        """Number of the ball between the last two bodies."""
        return self._cut

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        return d.input_branch(rod_kernel.bits(self.primitive.kind))

    def derive(self, group: RingGroup) -> None:
        """Derive the coordinate, place the bodies, derive the rates."""
        d = group.d
        layout, _ = group.hold()
        (letter,) = layout.letters
        held = group.held_centre(layout, self._cut, "ball").world
        fixed = group.joint_on(self._cut + 1, "k2", "ball_far", "second ball")
        reference, e0, rho2 = self._reference(group)
        given: dict[str, Vector | Expr] = {"a": letter.axis, "p": letter.point, "s0": held, "c": fixed}
        given |= {"e0": e0, "rho2": rho2, "branch": d.branch}
        text = "The rod between the ball that is carried and the one on k2."
        found = d.call(group.kernel, {p.name: given[p.name] for p in group.kernel.inputs}, "ring", text)
        value = (
            atan2(found.scalar("sin_q"), found.scalar("cos_q"))
            if letter.primitive.kind == "R"
            else found.scalar("slide")
        )
        coordinates: Coordinates = {letter.slot: letter.passed.signed(value)}
        group.place(coordinates, layout)
        rod = group.bodies[group.chain.bodies[-1]]
        w, x, y, z = found.values["rod_turn"]
        axes = orient_body(d, rod, Quaternion((w, x, y, z)) * reference)
        on_rod = group.sides[self._cut + 1].frames[rod.name].at
        locate_body(d, rod, fixed - axes.to_world(on_rod))
        self._derive_rates(group, letter.primitive.freedom, (fixed, e0), axes.to_world(on_rod))

    def _reference(self, group: RingGroup) -> tuple[Quaternion, Vector, Expr]:
        """Name the rod's orientation in its reference, its line there, and its squared length."""
        d, name = group.d, group.chain.bodies[-1]
        ball = group.sides[self._cut + 1].frames
        there, own = ball["k2"], ball[name]
        local = d.vector("rod_local", group.sides[self._cut].frames[name].at - own.at, "the rod's line in it", "m")
        rho2 = d.scalar("rho2", local.dot(local), "squared length of the rod", "m^2")
        length = d.scalar("rod_length", sqrt(rho2), "length of the rod", "m")
        turned = d.quaternion("ball_o", group.k2.q * there.q, "orientation of the ball's frame on k2")
        reference = d.quaternion("rod_o", turned * own.q.conjugate, "orientation of the rod in its reference")
        axes = d.triad("rod_o_", reference, "rod in its reference")
        return reference, d.vector("e0", axes.to_world(local) * (1 / length), "its line there"), rho2

    def _derive_rates(self, group: RingGroup, freedom: str, ends: tuple[Vector, Vector], reach: Vector) -> None:
        """Derive the rates in the placed configuration; `reach` leads from the rod's origin to the second ball."""
        d, (fixed, e0) = group.d, ends
        carrier, rod = group.walk_a[-1].far, group.chain.bodies[-1]
        k1, k2 = group.k1.motion, group.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        walk = RateWalk(group, "a", k1, [group.placed[p.joint.number] for p in group.walk_a])
        (letter,) = walk.letters
        unit = "rad" if letter.primitive.kind == "R" else "m"
        with d.part("geometry"):
            s = group.joint_on(self._cut, carrier, "s", "first ball")
            line = d.vector("line", s - fixed, "from the second ball to the first", "m")
            length = d.scalar("line_length", sqrt(line.dot(line)), "its length", "m")
            e = d.vector("e", line * (1 / length), "its direction")
            near = d.scalar("facing", ONE + e.dot(e0), "1 + cosine of the angle that the rod is turned by")
            path = d.vector("path", letter.moves(s), f"how the first ball moves with {freedom}")
            arm = d.vector("rod_arm", -reach, "from the second ball to the rod's origin", "m")
        guard_grip(d, e, path)
        spinning = SpinningRod(e, e0, k2, near)
        signed = letter.joint.passed.signed
        with d.part("velocity"):
            value = k2.velocity_at(s) - k1.velocity_at(s) - walk.driven_velocity(s)
            opening = d.vector("dv", value, "opening at zero rate", "m/s")
            rate = rate_of_rod(d, e, path, opening, "path_rate", "rate", f"{unit}/s")
            give_velocities(group, give_rates(group, {letter.slot: signed(rate)}, 1), walk)
            gliding = d.vector("gliding", path * rate - opening, "velocity of the first ball, seen from k2", "m/s")
            w = d.vector("w", gliding * (1 / length), "derivative of the rod's direction, seen there", "1/s")
            omega, against, spin = spinning.velocity(d, w)
            omega = d.vector(f"omega_{rod}", omega, f"angular velocity of {rod}", "rad/s")
            moved = k2.velocity_at(fixed) + omega.cross(arm)
            give_motion(d, "v", rod, d.vector(f"v_{rod}", moved, f"velocity of the origin of {rod}", "m/s"), omega)
        with d.part("acceleration"):
            here = acceleration_at(d, "open1", walk.derive_bias(), s, "the first ball at zero acceleration")
            there = acceleration_at(d, "open2", k2, s, "k2 at the first ball")
            carried = d.vector("carried", there + k2.omega.cross(gliding) * TWO, "contribution of k2", "m/s^2")
            bent = d.vector("bent", carried - here - e * (length * w.dot(w)), "opening at zero acceleration", "m/s^2")
            grown = rate_of_rod(d, e, path, bent, "path_acc", "acceleration", f"{unit}/s^2")
            give_accelerations(group, give_rates(group, {letter.slot: signed(grown)}, 2), walk)
            w2 = d.vector(
                "w2", (here + path * grown - carried) * (1 / length), "second derivative, seen there", "1/s^2"
            )
            alpha = spinning.acceleration(d, w, w2, against, spin)
            alpha = d.vector(f"alpha_{rod}", alpha, f"angular acceleration of {rod}", "rad/s^2")
            ball = acceleration_at(d, "ball_acc", k2, fixed, "the second ball")
            a_rod = ball + alpha.cross(arm) + omega.cross(omega.cross(arm))
            give_motion(
                d, "a", rod, d.vector(f"a_{rod}", a_rod, f"acceleration of the origin of {rod}", "m/s^2"), alpha
            )
