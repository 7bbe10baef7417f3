"""Rings with three turns and three slides, whatever joints and links they are spread over.

Followed from k1 to k2 such a ring turns about u1, u2, u3 and slides along three directions. What lies before the first
turn is oriented with k1, what follows the last one with k2, and the links fix the angles of the middle axis to both:
the axis in the middle follows from one square root (a spherical triangle), and all angles from it. The chain is cut at
a joint between the first turn and the last one: the bodies before it are oriented from k1, those behind it from k2, and
the slides close what is left open at the cut by one linear system.

Source: docs/closed-forms.md, "Rings"; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import SINGULAR_TOLERANCE, Expr, atan2, not_below_zero
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.rotations import AxisSystem, axis_system, guard_slides, guard_turns, slides_along_turns
from symgen.derive.derivation import Derivation
from symgen.derive.joints import Primitive
from symgen.derive.quaternions import Quaternion
from symgen.derive.rings.chain import RingChain, RingJoint
from symgen.derive.rings.group import Coordinates, PlacedJoint, RingGroup
from symgen.derive.rings.layout import PassedJoint, Reached, up_to_letter, walk_through, world_axes
from symgen.derive.rings.turning_kernel import BITS
from symgen.derive.rings.turning_rates import TurnsThenSlides
from symgen.derive.spatial_group import (
    WorldFrame,
    give_coordinates,
    name_origin,
    orient_body,
)
from symgen.derive.vectors import AXES, Vector, unit_vector
from symgen.status import Status


def turning_cut(chain: RingChain) -> int:
    """Return the number of the joint where a chain of three turns is cut: nearest to the middle between its turns.

    Bodies are oriented past all turns but those of the cut joint, so of two as near the one with more turns is taken.
    """
    turns = [letter.joint.number for letter in chain.letters if letter.primitive.kind == "R"]
    between = range(turns[0], turns[-1] + 1)
    return min(between, key=lambda number: (abs(2 * number - len(chain.joints) + 1), -turns.count(number)))


@dataclass(frozen=True)
class _Turn:
    """A free turn as walked from k1 to k2."""

    passed: PassedJoint
    primitive: Primitive

    def across(self, vector: Vector) -> tuple[Expr, Expr]:
        """Return the two components across the axis, in right-handed order."""
        k = AXES.index(self.primitive.axis)
        return vector[(k + 1) % 3], vector[(k + 2) % 3]

    def along(self, vector: Vector) -> Expr:
        """Return the component along the axis."""
        return vector[AXES.index(self.primitive.axis)]

    def angle(self, before: tuple[Expr, Expr], behind: tuple[Expr, Expr]) -> Expr:
        """Return the angle from one plane vector to another, as it counts in the joint."""
        (x, y), (c, s) = (before, behind) if self.passed.ahead else (behind, before)
        return atan2(x * s - y * c, x * c + y * s)

    def seen_through(self, d: Derivation, name: str, between: Quaternion | None, what: str) -> Vector:
        """Name its axis beyond a link; None is no link."""
        if between is None:
            return unit_vector(self.primitive.axis)
        return d.vector(name, between.axis(self.primitive.axis), what)


class TurningClosing:
    """Closes a chain of three turns and three slides at a joint between the first turn and the last one."""

    def __init__(self, chain: RingChain) -> None:
        self._cut = turning_cut(chain)

    @property
    def cut(self) -> int | None:
        """Number of the joint at which the slides close the chain."""
        return self._cut

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        return d.input_branch(BITS)

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        side, last = group.sides[self._cut], self._cut == len(group.sides) - 1
        across = PassedJoint(side, not last)
        near = _TurningSide(group, "near", (*group.walk_a, across))
        far = _TurningSide(group, "far", (*group.walk_b, PassedJoint(side, last)))
        coordinates = _derive_angles(group, near, far)
        while walking := [each for each in (near, far) if not each.is_at_the_cut]:
            for each in walking:  # side by side: turns of one side do not wait for the other
                each.turn(coordinates)
            for each in walking:
                each.orient(coordinates)
        _Slides(group, near, far, across, coordinates).derive()


class _TurningSide:
    """The orientations from one known body to the cut. Frames are without place: their origins are not used."""

    def __init__(self, group: RingGroup, name: str, passes: Sequence[PassedJoint]) -> None:
        self.group, self.d, self.name, self.passes = group, group.d, name, passes
        self.axes: dict[int, Mapping[str, Vector]] = {}
        self._number = 0
        self._reached: Reached | None = None

    @property
    def is_at_the_cut(self) -> bool:
        """Tell whether all bodies of the side are oriented."""
        return self._number == len(self.passes) - 1

    @property
    def reached(self) -> Reached:
        """How far the walk has come through the next joint; its frame on the body before it is named when asked for."""
        if self._reached is None:
            d, passed = self.d, self.passes[self._number]
            body, what = self.group.bodies[passed.near], f"joint {passed.joint.name} on {passed.near}"
            q = d.quaternion(f"{self.step(passed)}_o", body.q * passed.near_frame.q, f"orientation of {what}")
            self._reached = Reached(WorldFrame(body.r, q, d.triad(f"{self.step(passed)}_", q, what)))
        return self._reached

    def step(self, passed: PassedJoint) -> str:
        """Return what names of steps at a joint begin with; the joint at the cut is met from both sides."""
        return f"{passed.joint.name}_{self.name}" if passed is self.passes[-1] else passed.joint.name

    def walk_to_turn(self) -> WorldFrame:
        """Return the frame before the first turn; the bodies up to there are oriented."""
        while True:
            passed = self.passes[self._number]
            reached = self._reached = up_to_letter(self.d, passed, self.reached, ("R",), self.step(passed))
            if reached.taken < len(passed.primitives):
                return reached.frame
            self.orient({})

    def turn(self, coordinates: Coordinates) -> None:
        """Name the frame after the next joint."""
        passed = self.passes[self._number]
        self._reached = walk_through(self.d, passed, self.reached, turns_of(passed.joint, coordinates), ("R",))

    def orient(self, coordinates: Coordinates) -> None:
        """Orient the body beyond the joint that was walked through."""
        d, group, passed = self.d, self.group, self.passes[self._number]
        axes = orient_body(d, group.bodies[passed.far], self.reached.frame.q * passed.far_frame.q.conjugate)
        group.axes[passed.far] = axes
        own = turns_of(passed.joint, coordinates)
        self.axes[passed.joint.number] = world_axes(d, passed, self.reached, axes, own)
        self._number, self._reached = self._number + 1, None


def turns_of(joint: RingJoint, coordinates: Coordinates) -> dict[str, Expr]:
    """Return those coordinates of a joint's free turns that are known."""
    slots = {p.freedom: (joint.number, p.freedom) for p in joint.free if p.kind == "R"}
    return {freedom: coordinates[slot] for freedom, slot in slots.items() if slot in coordinates}


def _rotations(d: Derivation, passed: PassedJoint) -> list[Quaternion | _Turn]:
    """Return what a joint turns by as it is walked through: fixed, driven and free turns."""
    found: list[Quaternion | _Turn] = [passed.near_frame.q]
    for primitive in (p for p in passed.primitives if p.kind == "R"):
        if passed.is_driven(primitive):
            found.append(passed.driven_turn(d, primitive))
        else:
            found.append(_Turn(passed, primitive))
    return [*found, passed.far_frame.q.conjugate]


def _turns_and_links(d: Derivation, walk: Sequence[PassedJoint]) -> tuple[list[_Turn], list[Quaternion | None]]:
    """Return the three turns, and the rotations between the first two and the last two of them."""
    turns: list[_Turn] = []
    links: list[Quaternion | None] = [None, None]
    joined = 0
    for rotation in (r for passed in walk for r in _rotations(d, passed)):
        if isinstance(rotation, _Turn):
            turns.append(rotation)
        elif len(turns) in (1, 2):
            k = len(turns) - 1
            before, joined = links[k], joined + 1
            text = f"rotation between turns {k + 1} and {k + 2}, as far as it is joined up"
            links[k] = rotation if before is None else d.quaternion(f"link_{joined}", before * rotation, text)
    return turns, links


def _derive_angles(group: RingGroup, near: _TurningSide, far: _TurningSide) -> Coordinates:
    """Find the middle axis by the kernel; return the angles of the turns, counted as their joints count."""
    d = group.d
    walk = (*near.passes, *(PassedJoint(p.side, not p.ahead) for p in far.passes[-2::-1]))
    near_axes, far_axes = near.walk_to_turn().axes, far.walk_to_turn().axes
    (first, second, third), (link_1, link_2) = _turns_and_links(d, walk)
    back_1, back_2 = (link and link.conjugate for link in (link_1, link_2))
    a21 = second.seen_through(d, "a21", link_1, "axis 2 seen at axis 1")
    a23 = second.seen_through(d, "a23", back_2, "axis 2 seen at axis 3")
    a12 = first.seen_through(d, "a12", back_1, "axis 1 seen at axis 2, on its side")
    a32 = third.seen_through(d, "a32", link_2, "axis 3 seen at axis 2, on its side")
    c12 = d.scalar("c_12", first.along(a21), "cosine of the angle between axes 1 and 2")
    c23 = d.scalar("c_23", third.along(a23), "cosine of the angle between axes 2 and 3")
    for name, turn, vector, link in (("12", first, a21, link_1), ("23", third, a23, link_2)):
        if link is not None:
            x, y = turn.across(vector)
            square = d.scalar(f"sine2_{name}", x * x + y * y, "squared sine of that angle")
            text = "neighbouring axes are parallel: infinitely many assemblies, or none"
            d.guard(square, ">", SINGULAR_TOLERANCE * SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    u1, u3 = near_axes.axis(first.primitive.axis), far_axes.axis(third.primitive.axis)
    given: dict[str, Vector | Expr] = {"u1": u1, "u3": u3, "c_12": c12, "c_23": c23, "branch": d.branch}
    u2 = d.call(group.kernel, given, "loop", "The axis in the middle of the three turns.").vector("u2")
    seen_1 = d.vector("u2_near", near_axes.to_local(u2), "the middle axis before the first turn")
    seen_3 = d.vector("u2_far", far_axes.to_local(u2), "the middle axis after the last turn")
    triple = d.scalar("triple", u2.dot(u1.cross(u3)), "determinant of the axes")
    flat = d.scalar("flat", u1.dot(u3) - c12 * c23, "cosine of the angle between axes 1 and 3, seen along axis 2")
    (ax, ay), (bx, by) = second.across(a12), second.across(a32)
    dot = d.scalar("rest_c", ax * bx + ay * by, "the same cosine at zero angle")
    area = d.scalar("rest_s", ax * by - ay * bx, "the same sine at zero angle")
    angles = (
        first.angle(first.across(a21), first.across(seen_1)),
        second.angle((dot, area), (flat, triple)),
        third.angle(third.across(seen_3), third.across(a23)),
    )
    coordinates: Coordinates = {}
    for number, (turn, angle) in enumerate(zip((first, second, third), angles, strict=True), 1):
        joint, freedom = turn.passed.joint, turn.primitive.freedom
        coordinates[joint.number, freedom] = d.scalar(f"angle_{number}", angle, f"{freedom} of {joint.name}", "rad")
    return coordinates


class _Slides:
    """The chain with its turns done: the slides close it at the cut."""

    def __init__(
        self, group: RingGroup, near: _TurningSide, far: _TurningSide, across: PassedJoint, coordinates: Coordinates
    ) -> None:
        self.group, self.d, self.near, self.far, self.coordinates = group, group.d, near, far, coordinates
        self.across = across

    def derive(self) -> None:
        """Close the chain; place bodies and joints; derive the rates."""
        d, group, across = self.d, self.group, self.across
        own = turns_of(across.joint, self.coordinates)
        reached = walk_through(d, across, self.near.reached, own, ("R",))
        axes = {**self.near.axes, **self.far.axes}
        axes[across.joint.number] = world_axes(d, across, reached, group.axes[across.far], own)
        walked = (*((p, True) for p in (*group.walk_a, across)), *((p, False) for p in group.walk_b[::-1]))
        letters = [(p, f, axes[p.joint.number][f.freedom], ahead) for p, ahead in walked for f in p.joint.free]
        slides, turns = ([x for x in letters if x[1].kind == kind] for kind in "PR")
        alike = [(p.joint.number, f.axis) for p, f, _, _ in slides] == [
            (p.joint.number, f.axis) for p, f, _, _ in turns
        ]
        refuse = guard_turns if alike else guard_slides
        columns = [[axis if ahead else -axis for _, _, axis, ahead in row] for row in (slides, turns)]
        system = axis_system(d, "slide", columns[0], "directions of the slides", refuse)
        turning = system if alike else axis_system(d, "turn", columns[1], "axes of the turns", guard_turns)
        _give_condition(d, turning, system)
        rest, (here, there) = self._rest(axes)
        gap = d.vector("gap", there - here, "what the slides have to close", "m")
        if alike:
            spread = here.size() + there.size()
            solution = slides_along_turns(d, columns[0], system.det, gap, spread)
        else:
            solution = system.solve(gap)
        moved: dict[int, Vector] = {}
        for k, ((passed, freedom, axis, _), x) in enumerate(zip(slides, solution, strict=True), 1):
            number = passed.joint.number
            value = d.scalar(f"slid_{k}", x, f"slide {k}, away from its known body", "m")
            self.coordinates[number, freedom.freedom] = passed.signed(value)
            moved[number] = moved[number] + axis * value if number in moved else axis * value
        self._place(rest, moved, axes)
        TurnsThenSlides(group, group.placed[across.joint.number], turning, system).derive()

    def _rest(self, axes: Mapping[int, Mapping[str, Vector]]) -> tuple[dict[str, Vector], list[Vector]]:
        """Name where each joint is at zero slides; return its centre by the body beyond it, and both at the cut."""
        d, group, found, ends = self.d, self.group, dict[str, Vector](), list[Vector]()
        for side, base in ((self.near, group.k1), (self.far, group.k2)):
            at, before = base.r, None
            for passed in side.passes:
                what, arm = f"joint {passed.joint.name}, slides at zero", passed.near_frame.at
                if before is not None:
                    text = f"from {before.joint.name} to {passed.joint.name} in the axes of {passed.near}"
                    arm = d.vector(f"{side.step(passed)}_arm", arm - before.far_frame.at, text, "m")
                reach = group.axes[passed.near].to_world(arm)
                if passed is not self.far.passes[-1]:  # the cut joint is passed from k1
                    for p in (p for p in passed.primitives if p.kind == "P" and passed.is_driven(p)):
                        value = passed.signed(passed.side.drives[p.freedom][0])
                        reach = reach + axes[passed.joint.number][p.freedom] * value
                at = d.vector(f"{side.step(passed)}_at", at + reach, f"centre of {what}", "m")
                if passed is side.passes[-1]:
                    ends.append(at)
                else:
                    found[passed.far], before = at, passed
        return found, ends

    def _place(
        self, rest: Mapping[str, Vector], moved: Mapping[int, Vector], axes: Mapping[int, Mapping[str, Vector]]
    ) -> None:
        """Give bodies and coordinates; note the placed joints."""
        d, group = self.d, self.group
        for side in (self.near, self.far):
            so_far: list[Vector] = []
            for passed in side.passes[:-1]:
                so_far += [moved[passed.joint.number]] if passed.joint.number in moved else []
                at = rest[passed.far]
                for part in so_far:
                    at = at + part
                far_axes = group.axes[passed.far]
                name_origin(d, group.bodies[passed.far], at - far_axes.to_world(passed.far_frame.at))
        group.give_poses(group.chain.bodies)
        for joint in group.chain.joints:
            if joint.free:
                values = [self.coordinates[joint.number, p.freedom] for p in joint.free]
                give_coordinates(d, joint.name, joint.free, values, 0)
        for passed in (*group.walk_a, self.across, *group.walk_b):
            number, body = passed.joint.number, passed.joint.ends[1]
            with d.part("geometry"):
                text = f"centre of joint {passed.joint.name} on {body}"
                centre = group.joint_on(number, body, f"{passed.joint.name}_centre", text)
            group.placed[number] = PlacedJoint(passed, axes[number], centre)


def _give_condition(d: Derivation, turns: AxisSystem, slides: AxisSystem) -> None:
    worst = slides.condition
    with d.part("condition"):
        if turns is not slides:
            worst = worst + not_below_zero(turns.condition - worst)
        give_condition(d, worst)
