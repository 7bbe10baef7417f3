"""Rings with three turns and three slides, whatever joints and links they are spread over.

Followed from k1 to k2 such a ring turns about u1, u2, u3 and slides along three directions. Held, the angles between
neighbouring axes are what they stay; u1 is placed with k1 and u3, moved as all letters move together, with k2. The
axis in the middle follows from one square root (a spherical triangle), all angles from it, and with them the
directions of the slides, which close what is left open by one linear system.

Source: docs/closed-forms.md, "Rings"; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Mapping

from symgen.algebra import SINGULAR_TOLERANCE, Expr, atan2, not_below_zero
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.rotations import AxisSystem, axis_system, guard_slides, guard_turns, slides_along_turns
from symgen.derive.derivation import Derivation
from symgen.derive.groups.turning_loops import BITS
from symgen.derive.quaternions import Triad
from symgen.derive.rings.group import Coordinates, PlacedJoint, RingGroup
from symgen.derive.rings.layout import HeldLetter, Layout, Passed, Reached, near_world_frame, walk_through, world_axes
from symgen.derive.rings.loop_rates import TurnsThenSlides, closing_point, derive_rates_of_loop, whole_walk
from symgen.derive.rings.rates import Walk
from symgen.derive.spatial_group import Body, give_coordinates, locate_body, orient_body
from symgen.derive.vectors import Vector
from symgen.status import Status


class TurningClosing:
    """Closes a chain of three turns and three slides."""

    @property
    def cut(self) -> int | None:
        """No joint is cut."""
        return None

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        return d.input_branch(BITS)

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        layout, _ = group.hold()
        angles = _derive_angles(group, layout)
        orientations = _Orientations(group, angles, layout)
        walk = orientations.walk()
        slides = orientations.slide_system(walk)
        turns = slides
        if not orientations.alike(walk):
            axes = [x.axis for x in walk.letters if x.primitive.kind == "R"]
            turns = axis_system(group.d, "turn", axes, "axes of the turns", guard_turns)
        _give_condition(group.d, turns, slides)
        orientations.slide_and_place(walk, slides)
        point = closing_point(group)
        placed = whole_walk(group)
        derive_rates_of_loop(group, placed, point, TurnsThenSlides(placed.letters, turns, slides, point))


def _give_condition(d: Derivation, turns: AxisSystem, slides: AxisSystem) -> None:
    worst = slides.condition
    with d.part("condition"):
        if turns is not slides:
            worst = worst + not_below_zero(turns.condition - worst)
        give_condition(d, worst)


def _derive_angles(group: RingGroup, layout: Layout) -> Coordinates:
    """Find the middle axis by the kernel; return the angles of the turns, counted as their joints count."""
    d = group.d
    one, two, three = (letter for letter in layout.letters if letter.primitive.kind == "R")
    u1, u2, u3 = one.axis, two.axis, three.axis
    move = group.transport(layout)
    last = d.vector("u3_placed", move.of_axis(u3), "third axis, placed")
    c12 = d.scalar("c_12", u1.dot(u2), "cosine of the angle between axes 1 and 2")
    c23 = d.scalar("c_23", u2.dot(u3), "cosine of the angle between axes 2 and 3")
    for name, first, second in (("12", one, two), ("23", two, three)):
        if first.passed.joint.number != second.passed.joint.number or len(first.passed.joint.driven) > 0:
            normal = d.vector(
                f"normal_{name}", first.axis.cross(second.axis), f"normal of axes {name[0]} and {name[1]}"
            )
            square = d.scalar(f"sine2_{name}", normal.dot(normal), "squared sine of the angle between them")
            text = "neighbouring axes are parallel: infinitely many assemblies, or none"
            d.guard(square, ">", SINGULAR_TOLERANCE * SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    given: dict[str, Vector | Expr] = {"u1": u1, "u3": last, "c_12": c12, "c_23": c23, "branch": d.branch}
    found = d.call(group.kernel, given, "ring", "The axis in the middle of the three turns.")
    middle = found.vector("u2")
    back = d.vector("u2_back", move.back(middle), "the middle axis, seen after the third turn")
    flat = d.scalar("flat", u1.dot(last) - c12 * c23, "cosine part of the second angle, placed")
    held_flat = d.scalar("held_flat", u1.dot(u3) - c12 * c23, "the same, held")
    triple = d.scalar("triple", u1.dot(middle.cross(last)), "sine part of the second angle, placed")
    held_triple = d.scalar("held_triple", u1.dot(u2.cross(u3)), "the same, held")
    angles = (
        atan2(u1.dot(u2.cross(middle)), u2.dot(middle) - c12 * c12),
        atan2(flat * held_triple - triple * held_flat, flat * held_flat + triple * held_triple),
        atan2(u3.dot(back.cross(u2)), u2.dot(back) - c23 * c23),
    )
    coordinates: Coordinates = {}
    for k, (letter, angle) in enumerate(zip((one, two, three), angles, strict=True), 1):
        value = d.scalar(f"angle_{k}", angle, f"angle of turn {k}, from k1 to k2", "rad")
        coordinates[letter.slot] = letter.passed.signed(value)
    return coordinates


class _Orientations:
    """The chain with its turns done and its slides still at zero."""

    def __init__(self, group: RingGroup, angles: Coordinates, layout: Layout) -> None:
        self.group, self.d, self.coordinates = group, group.d, dict(angles)
        self.move_letters: list[HeldLetter] = [x for x in layout.letters if x.primitive.kind == "P"]
        self.rest: dict[str, Vector] = {}
        self.axes: dict[int, Mapping[str, Vector]] = {}
        self.end: Vector = group.k1.r
        for k, passed in enumerate(group.walk_a):
            self._pass(passed, layout.start if k == 0 else None)

    def _pass(self, passed: Passed, start: Reached | None) -> None:
        d, group = self.d, self.group
        own = {p.freedom: self.coordinates[passed.joint.number, p.freedom] for p in passed.joint.free if p.kind == "R"}
        if start is None:
            near = group.bodies[passed.near]
            body = Body(near.name, self.rest[near.name], near.q)
            start = Reached(near_world_frame(d, passed.joint.name, passed, body, group.axes[near.name]))
        reached = walk_through(d, passed, start, own, slides=False)
        far_axes = self._orient(passed, reached)
        self.axes[passed.joint.number] = world_axes(d, passed, reached, far_axes, own)

    def _orient(self, passed: Passed, reached: Reached) -> Triad:
        d, group, name = self.d, self.group, passed.far
        if name == "k2":
            self.end = reached.frame.at
            return group.axes["k2"]
        axes = orient_body(d, group.bodies[name], reached.frame.q * passed.far_frame.q.conjugate)
        at = reached.frame.at - axes.to_world(passed.far_frame.at)
        self.rest[name] = d.vector(f"r_{name}_rest", at, f"origin of {name} at zero slides", "m")
        group.axes[name] = axes
        return axes

    def walk(self) -> Walk:
        """Return the letters with their axes; their points are not settled yet."""
        motion = self.group.k1.motion
        assert motion is not None  # noqa: S101 - known bodies move
        joints = [PlacedJoint(p, self.axes[p.joint.number], self.group.k1.r) for p in self.group.walk_a]
        return Walk(self.group, "rest", motion, joints)

    def alike(self, walk: Walk) -> bool:
        """Tell whether turns and slides share their axes: three cylindrical pairs."""
        joints = {x.slot[0] for x in walk.letters}
        return len(joints) == 3 and all(self.group.chain.joints[k].type == "C" for k in joints)

    def slide_system(self, walk: Walk) -> AxisSystem:
        """Factorise the system of the slides."""
        along = [x.axis for x in walk.letters if x.primitive.kind == "P"]
        refuse = guard_turns if self.alike(walk) else guard_slides
        return axis_system(self.d, "slide", along, "directions of the slides", refuse)

    def slide_and_place(self, walk: Walk, system: AxisSystem) -> None:
        """Close the loop by the slides; give coordinates and bodies."""
        d, group = self.d, self.group
        target = group.joint_on(len(group.sides) - 1, "k2", "far_at", "last joint on k2")
        gap = d.vector("gap", target - self.end, "what the slides have to close", "m")
        letters = [x for x in walk.letters if x.primitive.kind == "P"]
        if self.alike(walk):
            spread = target.size() + self.end.size()
            solution = slides_along_turns(d, [x.axis for x in letters], system.det, gap, spread)
        else:
            solution = system.solve(gap)
        slid: list[tuple[int, Vector]] = []
        for k, (letter, x) in enumerate(zip(letters, solution, strict=True), 1):
            value = d.scalar(f"slid_{k}", x, f"slide {k}, from k1 to k2", "m")
            self.coordinates[letter.slot] = letter.joint.passed.signed(value)
            slid.append((letter.slot[0], letter.axis * value))
        for k, passed in enumerate(group.walk_a):
            if passed.far != "k2":
                at = self.rest[passed.far]
                for number, part in slid:
                    at = at + part if number <= k else at
                locate_body(d, group.bodies[passed.far], at)
        for passed in group.walk_a:
            joint = passed.joint
            if joint.free:
                give_coordinates(
                    d, joint.name, joint.free, [self.coordinates[joint.number, p.freedom] for p in joint.free], 0
                )
            group.placed[joint.number] = PlacedJoint(passed, self.axes[joint.number], self._centre(passed))

    def _centre(self, passed: Passed) -> Vector:
        joint = passed.joint
        with self.d.part("geometry"):
            body = self.group.bodies[joint.ends[1]]
            local = passed.side.frames[body.name].at
            value = body.r + self.group.axes[body.name].to_world(local)
            return self.d.vector(f"{joint.name}_centre", value, f"centre of joint {joint.name} on {body.name}", "m")
