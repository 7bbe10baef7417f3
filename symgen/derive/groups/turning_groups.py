"""Arrangements of spatial loops with three turns and three slides, on poses and joint frames.

    k1 -j1- b1 -j2- b2 -j3- k2

Followed from k1 to k2, the third joint backwards, the chain turns about u1, u2, u3. What lies before the first turn is
fixed to k1, what follows the last one is fixed to k2, so the kernel's triangle of axes settles all three angles;
then b1 is oriented from k1 and b2 from k2, and the slides close what is left open between them at j2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import SINGULAR_TOLERANCE, Expr, atan2, not_below_zero
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.rotations import AxisSystem, axis_system, guard_slides, guard_turns, slides_along_turns
from symgen.derive.blocks.spatial import Freedom, Motion, Passage, acceleration_at, pass_acceleration, pass_velocity
from symgen.derive.derivation import Derivation
from symgen.derive.groups.turning_loops import BITS, SOURCE, TurningFamily
from symgen.derive.joints import PairModel, Primitive, pair_model
from symgen.derive.module import Arrangement, JointSlot
from symgen.derive.quaternions import Quaternion, Triad
from symgen.derive.spatial_group import (
    LocalFrame,
    body_triad,
    give_coordinates,
    give_motion,
    half_turn,
    joint_frame,
    known_body,
    locate_body,
    orient_body,
    unknown_body,
)
from symgen.derive.vectors import AXES, Vector, unit_vector
from symgen.ir.nodes import Routine
from symgen.status import Status

ENDS = (("k1", "b1"), ("b1", "b2"), ("k2", "b2"))


@dataclass(frozen=True)
class Turn:
    """One of the three turns: joint (0 to 2) and freedom; `ahead` if its coordinate counts from k1 to k2."""

    joint: int
    primitive: Primitive
    ahead: bool

    @property
    def e(self) -> Vector:
        """Its axis in the frame reached so far."""
        return unit_vector(self.primitive.axis)

    def across(self, vector: Vector) -> tuple[Expr, Expr]:
        """Return the two components across the axis, in right-handed order."""
        k = AXES.index(self.primitive.axis)
        return vector[(k + 1) % 3], vector[(k + 2) % 3]


@dataclass(frozen=True)
class WorldFreedom:
    """A free freedom in the world: joint (0 to 2), primitive, axis, and whether it counts from k1 to k2."""

    joint: int
    primitive: Primitive
    axis: Vector
    ahead: bool

    @property
    def signed(self) -> Vector:
        """Its axis, reversed if it counts from k2 to k1."""
        return self.axis if self.ahead else -self.axis


class TurningGroup:
    """Derives one arrangement; the methods are the sections of the derivation."""

    def __init__(self, family: TurningFamily, types: Sequence[str], kernel: Routine) -> None:
        self.kernel = kernel
        self.pairs: tuple[PairModel, ...] = tuple(pair_model(t) for t in types)
        self.id = "_".join(t.lower() for t in types)
        title = f"{'.'.join(types)} group between two moving bodies"
        self.d = d = Derivation(
            f"{family.id} {self.id}", level="group", title=title, source=SOURCE, arrangement=self.id
        )
        self.k1, self.k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
        self.b1, self.b2 = unknown_body("b1"), unknown_body("b2")
        self.frames: list[tuple[LocalFrame, LocalFrame]] = []
        for k, ends in enumerate(ENDS):
            first, second = (joint_frame(d, f"j{k + 1}", body) for body in ends)
            self.frames.append((first, second))
        d.input_branch(BITS)
        self.k1_axes, self.k2_axes = body_triad(d, self.k1), body_triad(d, self.k2)
        rows = [[Turn(k, p, k < 2) for p in pair.free if p.kind == "R"] for k, pair in enumerate(self.pairs)]
        self.turns: tuple[Turn, ...] = (*rows[0], *rows[1], *rows[2][::-1])

    def derive(self) -> Derivation:
        """Derive all sections."""
        self._derive_frames()
        coordinates = self._derive_angles()
        self._orient(coordinates)
        self._gather_freedoms()
        self._derive_slides(coordinates)
        self._derive_velocities()
        self._derive_accelerations()
        return self.d

    # -- orientations --------------------------------------------------------------------------------------------

    def _derive_frames(self) -> None:
        """Name the outer joint frames, and the turns fixed in the links between two axes."""
        d = self.d
        (f1, g1), (f2, g2), (f3, g3) = self.frames
        self.o1 = d.quaternion("j1_o", self.k1.q * f1.q, "orientation of joint j1 on k1")
        self.o3 = d.quaternion("j3_o", self.k2.q * f3.q, "orientation of joint j3 on k2")
        self.j1_axes = d.triad("j1_", self.o1, "joint j1 on k1")
        self.j3_axes = d.triad("j3_", self.o3, "joint j3 on k2")
        in_b1 = d.quaternion("link_1", g1.q.conjugate * f2.q, "from joint j1 to joint j2 in b1")
        in_b2 = d.quaternion("link_2", g2.q.conjugate * g3.q, "from joint j2 to joint j3 in b2")
        gaps: list[Quaternion | None] = [self.o1, None, None, None]  # before, between and after the turns
        passed = 0
        for joint, link in ((0, in_b1), (1, in_b2), (2, None)):
            passed += sum(1 for turn in self.turns if turn.joint == joint)
            if link is not None:
                before = gaps[passed]
                gaps[passed] = link if before is None else d.quaternion(f"fixed_{passed}", before * link, "joined up")
        tail = gaps[3]
        self.near_o, self.far_o = gaps[0] or self.o1, self.o3
        self.near_axes, self.far_axes = self.j1_axes, self.j3_axes
        if self.near_o is not self.o1:
            self.near_axes = d.triad("near_", self.near_o, "frame before the first turn")
        if tail is not None:
            self.far_o = d.quaternion("far_o", self.o3 * tail.conjugate, "orientation after the last turn")
            self.far_axes = d.triad("far_", self.far_o, "frame after the last turn")
        self.between = (gaps[1], gaps[2])

    def _fixed_axes(self) -> tuple[Vector, Vector, Vector, Vector]:
        """Name, where the axes are skewed by a link, axis 2 in frames 1 and 3, and axes 1 and 3 in those of axis 2."""
        first, second, third = self.turns
        found = []
        for name, axis, by, text in (
            ("a21", second, self.between[0], "axis 2 seen at axis 1"),
            ("a23", second, self.between[1] and self.between[1].conjugate, "axis 2 seen at axis 3"),
            ("a12", first, self.between[0] and self.between[0].conjugate, "axis 1 seen at axis 2, on its side"),
            ("a32", third, self.between[1], "axis 3 seen at axis 2, on its side"),
        ):
            found.append(axis.e if by is None else self.d.vector(name, by.axis(axis.primitive.axis), text))
        return found[0], found[1], found[2], found[3]

    def _derive_angles(self) -> list[dict[str, Expr]]:
        """Find the middle axis by the kernel; return the angles by joint and freedom."""
        d = self.d
        first, second, third = self.turns
        a21, a23, a12, a32 = self._fixed_axes()
        k = {axis: AXES.index(axis) for axis in AXES}
        c12 = d.scalar("c_12", a21[k[first.primitive.axis]], "cosine of the angle between axes 1 and 2")
        c23 = d.scalar("c_23", a23[k[third.primitive.axis]], "cosine of the angle between axes 2 and 3")
        for name, turn, vector in (("12", first, a21), ("23", third, a23)):
            x, y = turn.across(vector)
            if self.between[0 if name == "12" else 1] is not None:
                square = d.scalar(f"sine2_{name}", x * x + y * y, "squared sine of that angle")
                text = "axes on one link are parallel: infinitely many assemblies, or none"
                d.guard(square, ">", SINGULAR_TOLERANCE * SINGULAR_TOLERANCE, Status.DEGENERATE, text)
        u1, u3 = self.near_axes.axis(first.primitive.axis), self.far_axes.axis(third.primitive.axis)
        given: dict[str, Vector | Expr] = {"u1": u1, "u3": u3, "c_12": c12, "c_23": c23, "branch": d.branch}
        found = d.call(self.kernel, given, "loop", "The axis in the middle of the three turns.")
        u2 = found.vector("u2")
        near = d.vector("u2_near", self.near_axes.to_local(u2), "the middle axis before the first turn")
        far = d.vector("u2_far", self.far_axes.to_local(u2), "the middle axis after the last turn")
        c13 = d.scalar("c_13", u1.dot(u3), "cosine of the angle between axes 1 and 3")
        triple = d.scalar("triple", u2.dot(u1.cross(u3)), "determinant of the axes")
        flat = d.scalar("flat", c13 - c12 * c23, "its cosine, seen along axis 2, of axes 1 and 3")
        (ax, ay), (bx, by) = second.across(a12), second.across(a32)
        dot = d.scalar("rest_c", ax * bx + ay * by, "the same cosine at zero angle")
        area = d.scalar("rest_s", ax * by - ay * bx, "the same sine at zero angle")
        angles = [
            _angle(first.across(a21), first.across(near)),
            atan2(triple * dot - flat * area, flat * dot + triple * area),
            _angle(third.across(a23), third.across(far)),
        ]
        if not second.ahead:
            angles[1] = -angles[1]
        if third.ahead:
            angles[2] = -angles[2]
        coordinates: list[dict[str, Expr]] = [{}, {}, {}]
        for number, (turn, angle) in enumerate(zip(self.turns, angles, strict=True), 1):
            text = f"{turn.primitive.freedom} of j{turn.joint + 1}"
            coordinates[turn.joint][turn.primitive.freedom] = d.scalar(f"angle_{number}", angle, text, "rad")
        return coordinates

    def _turned(self, joint: int, orientation: Quaternion, coordinates: dict[str, Expr]) -> Quaternion:
        """Name the orientation after a joint."""
        name = f"j{joint + 1}"
        for p in self.pairs[joint].free:
            if p.kind == "R":
                turn = half_turn(
                    self.d, f"{name}_{p.freedom}", coordinates[p.freedom], p.axis, f"{p.freedom} of {name}"
                )
                text = f"orientation of {name} after {p.freedom}"
                orientation = self.d.quaternion(f"{name}_{p.freedom}_o", orientation * turn, text)
        return orientation

    def _orient(self, coordinates: list[dict[str, Expr]]) -> None:
        """Orient b1 from k1 and b2 from k2; name the frame of joint j2 on b1."""
        d = self.d
        behind_1, behind_3 = self._turned(0, self.o1, coordinates[0]), self._turned(2, self.o3, coordinates[2])
        self.b1_axes = orient_body(d, self.b1, behind_1 * self.frames[0][1].q.conjugate)
        self.b2_axes = orient_body(d, self.b2, behind_3 * self.frames[2][1].q.conjugate)
        o2 = d.quaternion("j2_o", self.b1.q * self.frames[1][0].q, "orientation of joint j2 on b1")
        self.j2_axes = d.triad("j2_", o2, "joint j2 on b1")

    # -- freedoms ------------------------------------------------------------------------------------------------

    def _gather_freedoms(self) -> None:
        """List all freedoms from k1 to j2 and from k2 to j3, with their axes in the world, read off the bodies."""
        d = self.d
        axes: tuple[Triad, ...] = (self.j1_axes, self.j2_axes, self.j3_axes)
        behind = (self.b1_axes, self.b2_axes, self.b2_axes)
        self.freedoms: list[WorldFreedom] = []
        for k, pair in enumerate(self.pairs):
            for p in pair.free:
                axis = axes[k].axis(p.axis)
                if pair.type == "U" and p.axis == "x":
                    name = f"j{k + 1}_second"
                    local = d.vector(f"{name}_local", self.frames[k][1].q.axis("x"), f"second axis of j{k + 1}, local")
                    axis = d.vector(name, behind[k].to_world(local), f"second axis of j{k + 1}")
                self.freedoms.append(WorldFreedom(k, p, axis, k < 2))
        slides, turns = self._of("P"), self._of("R")
        along = [s.signed for s in slides]
        self.alike = [(s.joint, s.primitive.axis) for s in slides] == [(t.joint, t.primitive.axis) for t in turns]
        refuse = guard_turns if self.alike else guard_slides
        self.slide_system = axis_system(d, "slide", along, "directions of the slides", refuse)
        self.turn_system: AxisSystem = self.slide_system
        if not self.alike:
            self.turn_system = axis_system(d, "turn", [t.signed for t in turns], "axes of the turns", guard_turns)
        with d.part("condition"):
            worst = self.slide_system.condition
            if not self.alike:
                worst = worst + not_below_zero(self.turn_system.condition - worst)
            give_condition(d, worst)

    def _of(self, kind: str) -> list[WorldFreedom]:
        return [f for f in self.freedoms if f.primitive.kind == kind]

    # -- slides and places ---------------------------------------------------------------------------------------

    def _derive_slides(self, coordinates: list[dict[str, Expr]]) -> None:
        """Close the loop at joint j2 by the slides; place the bodies; give the coordinates."""
        d = self.d
        (f1, g1), (f2, g2), (f3, g3) = self.frames
        at1 = d.vector("j1_at", self.k1.r + self.k1_axes.to_world(f1.at), "centre of joint j1 on k1", "m")
        at3 = d.vector("j3_at", self.k2.r + self.k2_axes.to_world(f3.at), "centre of joint j3 on k2", "m")
        reach_1 = d.vector("reach_1", f2.at - g1.at, "from joint j1 to joint j2 in the axes of b1", "m")
        reach_2 = d.vector("reach_2", g2.at - g3.at, "from joint j3 to joint j2 in the axes of b2", "m")
        near = d.vector("near_at", at1 + self.b1_axes.to_world(reach_1), "joint j2 on b1 at zero slides", "m")
        far = d.vector("far_at", at3 + self.b2_axes.to_world(reach_2), "joint j2 on b2 at zero slides", "m")
        gap = d.vector("gap", far - near, "what the slides have to close", "m")
        slides = self._of("P")
        moved: list[Vector] = [at1, at3]
        if self.alike:
            along, spread = [s.signed for s in slides], near.size() + far.size()
            solution = slides_along_turns(d, along, self.slide_system.det, gap, spread)
        else:
            solution = self.slide_system.solve(gap)
        for number, (slide, x) in enumerate(zip(slides, solution, strict=True), 1):
            text = f"{slide.primitive.freedom} of j{slide.joint + 1}"
            value = d.scalar(f"slid_{number}", x, text, "m")
            coordinates[slide.joint][slide.primitive.freedom] = value
            if slide.joint != 1:
                end = 0 if slide.joint == 0 else 1
                moved[end] = moved[end] + slide.axis * value
        locate_body(d, self.b1, moved[0] - self.b1_axes.to_world(g1.at))
        locate_body(d, self.b2, moved[1] - self.b2_axes.to_world(g3.at))
        for k, pair in enumerate(self.pairs):
            give_coordinates(d, f"j{k + 1}", pair.free, [coordinates[k][p.freedom] for p in pair.free], 0)
        with d.part("geometry"):
            centres = ((self.b1, self.b1_axes, g1), (self.b2, self.b2_axes, g2), (self.b2, self.b2_axes, g3))
            self.centres = tuple(
                d.vector(f"j{k}_centre", body.r + axes.to_world(frame.at), f"centre of joint j{k} on {body.name}", "m")
                for k, (body, axes, frame) in enumerate(centres, 1)
            )

    # -- rates ---------------------------------------------------------------------------------------------------

    def _give(self, turns: Sequence[Expr], slides: Sequence[Expr], order: int) -> list[dict[str, Expr]]:
        """Give rates (order 1) or accelerations (2) of all joints; return them by joint and freedom."""
        values: list[dict[str, Expr]] = [{}, {}, {}]
        for freedoms, solution in ((self._of("R"), turns), (self._of("P"), slides)):
            for freedom, x in zip(freedoms, solution, strict=True):
                values[freedom.joint][freedom.primitive.freedom] = x
        found = []
        for k, pair in enumerate(self.pairs):
            steps = give_coordinates(self.d, f"j{k + 1}", pair.free, [values[k][p.freedom] for p in pair.free], order)
            found.append({p.freedom: step for p, step in zip(pair.free, steps, strict=True)})
        return found

    def _driven_apart(self, rates: Sequence[Expr]) -> Vector:
        """Return how the turns move joint j2 on b2 as the chain from k1 goes, less what it does from k2."""
        total: Vector | None = None
        for turn, rate in zip(self._of("R"), rates, strict=True):
            part = turn.signed.cross(self.centres[1] - self.centres[turn.joint]) * rate
            if turn.joint != 1:  # at j2 itself the arm is zero
                total = part if total is None else total + part
        return total if total is not None else self.centres[1] * 0

    def _derive_velocities(self) -> None:
        d, s = self.d, self.centres[1]
        k1, k2 = self.k1.motion, self.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        with d.part("velocity"):
            opening = d.vector("opening", k2.omega - k1.omega, "angular velocity at which the loop would open", "rad/s")
            turns = [
                d.scalar(f"turn_rate_{k}", x, f"rate of turn {k}", "rad/s")
                for k, x in enumerate(self.turn_system.solve(opening), 1)
            ]
            apart = k2.velocity_at(s) - k1.velocity_at(s) - self._driven_apart(turns)
            apart = d.vector("apart", apart, "velocity at which joint j2 would open at zero slide rates", "m/s")
            rates = self._give(turns, self.slide_system.solve(apart), 1)
            self.passages = [
                Passage(
                    f"j{k + 1}",
                    self.centres[k],
                    tuple(
                        Freedom(f.primitive.kind, f.axis, rates[k][f.primitive.freedom], None)
                        for f in self.freedoms
                        if f.joint == k
                    ),
                )
                for k in range(3)
            ]
            self.omega: dict[str, Vector] = {}
            for body, base, passage in ((self.b1, k1, self.passages[0]), (self.b2, k2, self.passages[2])):
                v, self.omega[body.name] = pass_velocity(d, body.name, base, passage, body.r)
                give_motion(d, "v", body.name, v, self.omega[body.name])

    def _derive_accelerations(self) -> None:
        """Solve for the joint accelerations; they enter linearly on top of the bias, turns first."""
        d, s = self.d, self.centres[1]
        k1, k2 = self.k1.motion, self.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        with d.part("acceleration"):
            first, second, third = self.passages
            omega_1, omega_2 = self.omega["b1"], self.omega["b2"]
            bias_1 = pass_acceleration(d, "bias_b1", k1, first, omega_1, accelerations=None)
            bias_2 = pass_acceleration(d, "bias_near", bias_1, second, omega_2, accelerations=None)
            bias_3 = pass_acceleration(d, "bias_b2", k2, third, omega_2, accelerations=None)
            opened = d.vector("opened", bias_3.alpha - bias_2.alpha, "at zero joint accelerations", "rad/s^2")
            turns = [
                d.scalar(f"turn_acc_{k}", x, f"acceleration of turn {k}", "rad/s^2")
                for k, x in enumerate(self.turn_system.solve(opened), 1)
            ]
            far = acceleration_at(d, "open_far", bias_3, s, "j2 on the side of k2, at zero joint accelerations")
            apart = far - bias_2.a - self._driven_apart(turns)
            apart = d.vector("opened_at", apart, "acceleration at which joint j2 would open without slides", "m/s^2")
            grown = self._give(turns, self.slide_system.solve(apart), 2)
            for body, bias, k in ((self.b1, bias_1, 0), (self.b2, bias_3, 2)):
                self._give_acceleration(body.name, body.r, bias, k, grown[k])

    def _give_acceleration(self, name: str, origin: Vector, bias: Motion, joint: int, grown: dict[str, Expr]) -> None:
        d = self.d
        a = acceleration_at(d, f"rest_{name}", bias, origin, f"origin of {name} at zero joint accelerations")
        alpha = bias.alpha
        for freedom in (f for f in self.freedoms if f.joint == joint):
            x = grown[freedom.primitive.freedom]
            if freedom.primitive.kind == "R":
                a = a + freedom.axis.cross(origin - self.centres[joint]) * x
                alpha = alpha + freedom.axis * x
            else:
                a = a + freedom.axis * x
        a = d.vector(f"a_{name}", a, f"acceleration of the origin of {name}", "m/s^2")
        alpha = d.vector(f"alpha_{name}", alpha, f"angular acceleration of {name}", "rad/s^2")
        give_motion(d, "a", name, a, alpha)


def _angle(before: tuple[Expr, Expr], behind: tuple[Expr, Expr]) -> Expr:
    """Return the angle from one plane vector to another."""
    (x, y), (c, s) = before, behind
    return atan2(x * s - y * c, x * c + y * s)


def turning_arrangement(family: TurningFamily, types: Sequence[str], kernel: Routine) -> Arrangement:
    """Derive and describe one arrangement."""
    group = TurningGroup(family, types, kernel)
    derivation = group.derive()
    slots = tuple(
        JointSlot(f"j{k + 1}", pair.type, ENDS[k], tuple(p.freedom for p in pair.free))
        for k, pair in enumerate(group.pairs)
    )
    return Arrangement(group.id, "spatial", ("k1", "k2"), ("b1", "b2"), slots, derivation)
