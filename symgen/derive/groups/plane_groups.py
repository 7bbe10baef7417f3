"""Groups of any number of bodies in one ring with a planar joint, on poses and joint frames.

The chain is cut at the planar joint and laid out with free coordinates at zero (`symgen.derive.groups.plane_chain`).
With E_A the motions of the side of k1, E_B those of the side of k2, both halves of the plane meet if

    E_B^-1 E_A (plane on the side of k1) = plane on the side of k2

so a kernel that puts one plane on another by three freedoms (the word, read from the cut along the side of k2, and on
along that of k1) solves the group, wherever the known bodies and the planar joint are. Where the kernel's word reads the
other way round, the chain is inverted. A driven freedom only moves held elements.

Rates close the placed planes: their angular velocities differ along the normal only, their velocities across it only.

Source: docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import SMALL_LENGTH, TWO, ZERO, Expr, atan2
from symgen.derive.blocks.plane import plane_column
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
from symgen.derive.groups.plane_chain import Letter, Pass, PlaneChain
from symgen.derive.joints import PairModel, Primitive, pair_model
from symgen.derive.module import Arrangement, JointSlot
from symgen.derive.spatial_group import WorldFrame, frame_in_world, give_coordinates, give_motion
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.ir.nodes import Routine

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"

#: One joint of an arrangement: pair type and driven freedoms.
JointType = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class PlaneWord:
    """A kernel's word: its letters; in a `concurrent` one the first two turns meet, as those of a universal pair."""

    letters: str
    concurrent: bool = False

    def reads(self, word: Sequence[Letter]) -> bool:
        """Tell whether a chain of letters is this word."""
        fits = "".join(letter.primitive.kind for letter in word) == self.letters
        return fits and (not self.concurrent or word[0].step.joint is word[1].step.joint)


@dataclass(frozen=True)
class SideFreedom:
    """A free freedom in the placed configuration: which side, how far along it, world axis, and a point of it."""

    side: int
    place: int
    step: Pass
    primitive: Primitive
    axis: Vector
    point: Vector

    def moves(self, end: Vector) -> Vector:
        """Return how the point `end` of the side moves per unit of rate along the side."""
        return column(self.primitive.kind, self.axis, self.point, end)


class PlaneGroup:
    """Derives one arrangement; the methods are the sections of the derivation."""

    def __init__(self, d: Derivation, word: PlaneWord, pairs: Sequence[PairModel], kernel: Routine) -> None:
        self.d, self.word, self.pairs, self.kernel = d, word, tuple(pairs), kernel
        self.chain = PlaneChain(d, pairs)

    def derive(self) -> None:
        """Derive all sections; the branch must have been declared."""
        self.chain.axes_of_known()
        coordinates = self._solve()
        for k, joint in enumerate(self.chain.joints):
            if k != self.chain.cut:
                values = [coordinates[joint.name][p.freedom] for p in joint.pair.free]
                if values:
                    named = give_coordinates(self.d, joint.name, joint.pair.free, values, 0)
                    coordinates[joint.name] = dict(zip(coordinates[joint.name], named, strict=True))
        self.chain.start_geometry()
        for side in (0, 1):
            self.chain.place(side, coordinates)
        self._derive_plane()
        self._derive_rates()

    # -- position ------------------------------------------------------------------------------------------------

    def _solve(self) -> dict[str, dict[str, Expr]]:
        """Call the kernel on the held elements; return the coordinates by joint and freedom."""
        d = self.d
        (near, carried), (far, wanted) = self.chain.hold(0), self.chain.hold(1)
        word = [*(letter.reversed() for letter in reversed(far)), *near]
        if not self.word.reads(word):
            word, carried, wanted = [letter.reversed() for letter in reversed(word)], wanted, carried
        if not self.word.reads(word):
            raise DerivationError(f"{d.name}: the chain does not read {self.word.letters}")
        given: dict[str, Vector | Expr] = {"n0": carried.axes.z, "c0": carried.at, "n": wanted.axes.z, "c": wanted.at}
        for k, letter in enumerate(word, 1):
            given |= {f"a{k}": letter.axis, f"p{k}": letter.point}
        given |= {"o": word[0].point, "branch": d.branch}
        text = "The ring cut at the planar joint: three freedoms put one plane on the other."
        found = d.call(self.kernel, {p.name: given[p.name] for p in self.kernel.inputs}, "ring", text)
        coordinates: dict[str, dict[str, Expr]] = {
            joint.name: {p.freedom: ZERO for p in joint.pair.free} for joint in self.chain.joints
        }
        for k, letter in enumerate(word, 1):
            if letter.primitive.kind == "R":
                sine = found.scalar(f"sin_{k}")
                value = atan2(sine if letter.sign > 0 else -sine, found.scalar(f"cos_{k}"))
            else:
                slide = found.scalar(f"slide_{k}")
                value = slide if letter.sign > 0 else -slide
            coordinates[letter.step.joint.name][letter.primitive.freedom] = value
        return coordinates

    def _derive_plane(self) -> None:
        """Name both frames of the planar joint and give its coordinates."""
        d, plane = self.d, self.chain.plane
        self.plane_frames: list[WorldFrame] = []
        for k, name in enumerate(plane.bodies):
            body = self.chain.body(name)
            frame = frame_in_world(
                d, f"{plane.name}_on{k + 1}", body.r, body.q, self.chain.axes[name], plane.frames[k], f"plane on {name}"
            )
            self.plane_frames.append(frame)
        first, second = self.plane_frames
        apart = d.vector(f"{plane.name}_apart", second.at - first.at, "from its first to its second centre", "m")
        x, y = first.axes.x, first.axes.y
        angle = atan2(second.axes.x.dot(y), second.axes.x.dot(x))
        give_coordinates(d, plane.name, plane.pair.free, (apart.dot(x), apart.dot(y), angle), 0)

    # -- rates ---------------------------------------------------------------------------------------------------

    def _gather(self) -> list[SideFreedom]:
        """List the free freedoms of both sides, with their axes in the world."""
        found = []
        for side, steps in enumerate(self.chain.sides):
            for place, step in enumerate(steps):
                for p in step.joint.pair.free:
                    axis = self.chain.world_axis(step.joint, p)
                    found.append(SideFreedom(side, place, step, p, axis, self.chain.centre(step)))
        return found

    def _passage(self, step: Pass, rates: dict[str, dict[str, Expr]]) -> Passage:
        """Return a joint as its side passes it, all rates known."""
        freedoms = []
        for p in step.chain:
            axis = self.chain.world_axis(step.joint, p)
            if p.freedom in step.joint.drives:
                _, rate, acceleration = step.joint.drives[p.freedom]
                grown: Expr | None = acceleration if step.ahead else -acceleration
            else:
                rate, grown = rates[step.joint.name][p.freedom], None
            freedoms.append(Freedom(p.kind, axis, rate if step.ahead else -rate, grown))
        return Passage(step.joint.name, self.chain.centre(step), tuple(freedoms))

    def _carried(self, side: int, s: Vector) -> tuple[Vector, Vector]:
        """Return angular velocity of a side's end, and velocity of its point at s, at zero free rates."""
        base = (self.chain.k1 if side == 0 else self.chain.k2).motion
        assert base is not None  # noqa: S101 - known bodies move
        omega, v = base.omega, base.velocity_at(s)
        for step in self.chain.sides[side]:
            for p in step.chain:
                if p.freedom in step.joint.drives:
                    axis, rate = self.chain.world_axis(step.joint, p), step.joint.drives[p.freedom][1]
                    rate = rate if step.ahead else -rate
                    v = v + column(p.kind, axis, self.chain.centre(step), s) * rate
                    omega = omega + axis * rate if p.kind == "R" else omega
        return omega, v

    def _derive_rates(self) -> None:
        d, chain = self.d, self.chain
        near = chain.plane.bodies.index(chain.ends[0])
        with d.part("geometry"):
            s, n = self.plane_frames[near].at, self.plane_frames[near].axes.z
            freedoms = self._gather()
            total: Expr = SMALL_LENGTH
            for freedom in freedoms:
                if freedom.primitive.kind == "R":
                    total = total + (s - freedom.point).size()
            per_length = d.scalar("per_length", 1 / d.scalar("unit", total, "size of the ring", "m"), "its reciprocal")
            columns = []
            for k, f in enumerate(freedoms, 1):
                value = plane_column(n, f.axis, s - f.point, per_length, f.primitive.kind)
                text = f"how {f.primitive.freedom} of {f.step.joint.name} opens the plane"
                columns.append(d.vector(f"g{k}", value, text))
        system = linear_triple(d, columns, "the system of rates at the plane")
        signs = [f.step.sign * (1 if f.side == 0 else -1) for f in freedoms]

        def opening(turning: Vector, lifting: Vector) -> Vector:
            return n.cross(turning) + n * (n.dot(lifting) * per_length)

        def sorted_out(solution: Sequence[Expr], order: int) -> dict[str, dict[str, Expr]]:
            values: dict[str, dict[str, Expr]] = {joint.name: {} for joint in chain.joints}
            for f, sign, x in zip(freedoms, signs, solution, strict=True):
                values[f.step.joint.name][f.primitive.freedom] = x if sign > 0 else -x
            for joint in chain.joints:
                free = joint.pair.free
                if joint is not chain.plane and free:
                    steps = give_coordinates(d, joint.name, free, [values[joint.name][p.freedom] for p in free], order)
                    values[joint.name] = {p.freedom: step for p, step in zip(free, steps, strict=True)}
            return values

        with d.part("velocity"):
            (omega_a, v_a), (omega_b, v_b) = self._carried(0, s), self._carried(1, s)
            dv = d.vector("dv", opening(omega_b - omega_a, v_b - v_a), "how the plane would open at zero rates", "1/s")
            rates = sorted_out(system.solve(dv), 1)
            passages = [[self._passage(step, rates) for step in steps] for steps in chain.sides]
            motions = self._give_velocities(passages)
            there = [motions[end] for end in chain.ends]
            gliding = d.vector("gliding", there[0].velocity_at(s) - there[1].velocity_at(s), "in the plane", "m/s")
            spin = d.scalar("spin", n.dot(there[0].omega - there[1].omega), "rate of one plane on the other", "rad/s")
            self._give_plane_rates(motions)
        with d.part("acceleration"):
            biases = [self._biases(side, passages[side], motions) for side in (0, 1)]
            ends = [biases[side][-1] if biases[side] else motions[chain.ends[side]] for side in (0, 1)]
            a_a, a_b = (
                acceleration_at(d, f"open{k}", m, s, f"side {k} of the plane, at zero joint accelerations")
                for k, m in enumerate(ends, 1)
            )
            turning = d.vector(
                "turning",
                ends[1].alpha + there[1].omega.cross(n) * spin - ends[0].alpha,
                "turning left over",
                "rad/s^2",
            )
            lifting = d.vector("lifting", a_b + there[1].omega.cross(gliding) * TWO - a_a, "left over", "m/s^2")
            da = d.vector("da", opening(turning, lifting), "how the plane would open", "1/s^2")
            grown = sorted_out(system.solve(da), 2)
            moved = dict(motions)
            for side in (0, 1):
                self._give_accelerations(side, biases[side], freedoms, grown, moved)
            self._give_plane_accelerations(moved)

    def _give_velocities(self, passages: list[list[Passage]]) -> dict[str, Motion]:
        chain = self.chain
        motions: dict[str, Motion] = {}
        for body in (chain.k1, chain.k2):
            assert body.motion is not None  # noqa: S101 - known bodies move
            motions[body.name] = body.motion
        for side, steps in enumerate(chain.sides):
            for step, passage in zip(steps, passages[side], strict=True):
                before, behind = step.bodies
                r = chain.body(behind).r
                v, omega = pass_velocity(self.d, behind, motions[before], passage, r)
                give_motion(self.d, "v", behind, v, omega)
                motions[behind] = Motion(r, v, omega, v, omega)
        return motions

    def _biases(self, side: int, passages: list[Passage], motions: dict[str, Motion]) -> list[Motion]:
        """Name the motions of a side's bodies at their joints, at zero free joint accelerations."""
        base = motions["k1" if side == 0 else "k2"]
        found = []
        for step, passage in zip(self.chain.sides[side], passages, strict=True):
            behind = step.bodies[1]
            base = pass_acceleration(self.d, f"bias_{behind}", base, passage, motions[behind].omega, accelerations=None)
            found.append(base)
        return found

    def _give_accelerations(
        self,
        side: int,
        biases: list[Motion],
        freedoms: Sequence[SideFreedom],
        grown: dict[str, dict[str, Expr]],
        motions: dict[str, Motion],
    ) -> None:
        """Add to the bias of a side's bodies what the joint accelerations before them bring."""
        d = self.d
        for place, (step, bias) in enumerate(zip(self.chain.sides[side], biases, strict=True)):
            name = step.bodies[1]
            r = self.chain.body(name).r
            a = acceleration_at(d, f"rest_{name}", bias, r, f"origin of {name} at zero joint accelerations")
            alpha = bias.alpha
            for f in freedoms:
                if f.side == side and f.place <= place:
                    x = grown[f.step.joint.name][f.primitive.freedom]
                    x = x if f.step.ahead else -x
                    a = a + f.moves(r) * x
                    alpha = alpha + f.axis * x if f.primitive.kind == "R" else alpha
            a = d.vector(f"a_{name}", a, f"acceleration of the origin of {name}", "m/s^2")
            alpha = d.vector(f"alpha_{name}", alpha, f"angular acceleration of {name}", "rad/s^2")
            give_motion(d, "a", name, a, alpha)
            motions[name] = Motion(r, motions[name].v, motions[name].omega, a, alpha)

    def _give_plane_rates(self, motions: dict[str, Motion]) -> None:
        d, plane = self.d, self.chain.plane
        first, second = (motions[name] for name in plane.bodies)
        axes, at = self.plane_frames[0].axes, self.plane_frames[1].at
        glide = d.vector(f"{plane.name}_glide", second.velocity_at(at) - first.velocity_at(at), "of its centres", "m/s")
        values = (glide.dot(axes.x), glide.dot(axes.y), axes.z.dot(second.omega - first.omega))
        give_coordinates(d, plane.name, plane.pair.free, values, 1)
        self.glide = glide

    def _give_plane_accelerations(self, motions: dict[str, Motion]) -> None:
        d, plane = self.d, self.chain.plane
        first, second = (motions[name] for name in plane.bodies)
        axes, at = self.plane_frames[0].axes, self.plane_frames[1].at
        a_1, a_2 = (
            acceleration_at(d, f"{plane.name}_a{k}", m, at, f"its second centre on its body {k}")
            for k, m in ((1, first), (2, second))
        )
        apart = d.vector(f"{plane.name}_rest", a_2 - a_1 - first.omega.cross(self.glide) * TWO, "seen there", "m/s^2")
        values = (apart.dot(axes.x), apart.dot(axes.y), axes.z.dot(second.alpha - first.alpha))
        give_coordinates(d, plane.name, plane.pair.free, values, 2)


def joint_text(joint: JointType) -> str:
    """Return a joint in a key."""
    type_, driven = joint
    return type_ + "".join(f"*{freedom}" for freedom in driven)
