"""Laying a chain out: frames and axes with every free coordinate at zero (held) or at its value (placed).

Every joint is *passed* in one direction of walking, from the near body to the far one. What lies behind a joint
against the direction in which its coordinates count is reached by its motions in reverse order and with the opposite
sign; driven ones are at their values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from symgen.algebra import Expr
from symgen.derive.blocks.spatial import Kind
from symgen.derive.derivation import Derivation
from symgen.derive.joints import Primitive
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.rings.chain import RingJoint
from symgen.derive.spatial_group import (
    LocalFrame,
    SpatialBody,
    WorldFrame,
    body_triad,
    frame_in_world,
    half_turn,
    local_in_frame,
    moved_frame,
)
from symgen.derive.vectors import Vector

Drives = Mapping[str, tuple[Expr, Expr, Expr]]


@dataclass(frozen=True)
class RingSide:
    """The declared ports of a joint: both frames by body, value, rate and acceleration of driven freedoms."""

    joint: RingJoint
    frames: Mapping[str, LocalFrame]
    drives: Drives
    _turns: dict[str, Quaternion] = field(default_factory=dict, compare=False, repr=False)

    def driven_turn(self, d: Derivation, primitive: Primitive) -> Quaternion:
        """Return the turn of a driven freedom, which is named once, however often the joint is walked through."""
        freedom = primitive.freedom
        if freedom not in self._turns:
            name, what = f"{self.joint.name}_d_{freedom}", f"{freedom} of joint {self.joint.name}"
            self._turns[freedom] = half_turn(d, name, self.drives[freedom][0], primitive.axis, what)
        return self._turns[freedom]


@dataclass(frozen=True)
class PassedJoint:
    """A joint walked through: `ahead` if from its first body to its second."""

    side: RingSide
    ahead: bool

    @property
    def joint(self) -> RingJoint:
        """The joint."""
        return self.side.joint

    @property
    def near(self) -> str:
        """The body before the joint."""
        return self.joint.ends[0 if self.ahead else 1]

    @property
    def far(self) -> str:
        """The body beyond it."""
        return self.joint.ends[1 if self.ahead else 0]

    @property
    def near_frame(self) -> LocalFrame:
        """The joint frame on the body before."""
        return self.side.frames[self.near]

    @property
    def far_frame(self) -> LocalFrame:
        """The joint frame on the body beyond it."""
        return self.side.frames[self.far]

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """The freedoms in the order of walking."""
        return self.joint.primitives if self.ahead else self.joint.primitives[::-1]

    def is_driven(self, primitive: Primitive) -> bool:
        """Tell whether a freedom is driven."""
        return primitive.freedom in self.joint.driven

    def signed(self, value: Expr) -> Expr:
        """Return a coordinate as it counts in the direction of walking."""
        return value if self.ahead else -value

    def driven_turn(self, d: Derivation, primitive: Primitive) -> Quaternion:
        """Return the turn of a driven freedom in the direction of walking."""
        turn = self.side.driven_turn(d, primitive)
        return turn if self.ahead else turn.conjugate


@dataclass(frozen=True)
class HeldLetter:
    """A letter in the held layout: the frame in which it acts, and how it was walked through."""

    passed: PassedJoint
    primitive: Primitive
    frame: WorldFrame

    @property
    def axis(self) -> Vector:
        """World axis."""
        return self.frame.axes.axis(self.primitive.axis)

    @property
    def point(self) -> Vector:
        """A point of it."""
        return self.frame.at

    @property
    def slot(self) -> tuple[int, str]:
        """Joint and freedom."""
        return self.passed.joint.number, self.primitive.freedom


@dataclass(frozen=True)
class Reached:
    """How far a walk through a joint has come: the frame reached, the freedoms taken, and the world axes met.

    `axes` holds those that lie behind no free turn, `pivot` is the frame in front of the first free turn.
    """

    frame: WorldFrame
    taken: int = 0
    axes: Mapping[str, Vector] = field(default_factory=dict)
    pivot: WorldFrame | None = None


@dataclass(frozen=True)
class HeldPoint:
    """A point of the body that a side of a chain ends in: in the world, and in that body.

    `frame` is that of the last joint, `behind` the same in that body. On a known body there are none.
    """

    world: Vector
    local: Vector
    frame: WorldFrame | None = None
    behind: LocalFrame | None = None

    def seen_in(self, d: Derivation, frame: WorldFrame, name: str, what: str) -> Vector:
        """Name it in the axes of a frame, from its origin."""
        if frame is self.frame and self.behind is not None:
            return local_in_frame(d, name, self.behind, self.local, what)
        return d.vector(name, frame.axes.to_local(self.world - frame.at), what, "m")


@dataclass(frozen=True)
class HeldSide:
    """One side of a chain held at zero: its letters, where it ends, and where the placed walk begins.

    `start` is the first joint, walked up to its first letter: that far held and placed are the same. `end` is the frame
    of the last joint on the body beyond it, of which only what is asked for is named. A side without joints ends in
    its known body.
    """

    letters: tuple[HeldLetter, ...]
    start: Reached | None
    base: tuple[SpatialBody, FrameAxes]
    last: PassedJoint | None
    end: WorldFrame

    @property
    def body(self) -> str:
        """Name of the body that the side ends in."""
        return self.base[0].name if self.last is None else self.last.far

    def point(self, d: Derivation, local: Vector, name: str, what: str) -> HeldPoint:
        """Name a point of the body that the side ends in, given in that body."""
        body, axes = self.base
        if self.last is None:
            return HeldPoint(d.vector(name, body.r + axes.to_world(local), what, "m"), local)
        behind = self.last.far_frame
        _, held = _held_axes(d, self.last, self.end)
        arm = d.vector(f"{name}_arm", local - behind.at, f"from {self.last.joint.name} to {what}, in that body", "m")
        return HeldPoint(d.vector(name, self.end.at + held.to_world(arm), what, "m"), local, self.end, behind)

    def frame(self, d: Derivation, local: LocalFrame, name: str, what: str) -> WorldFrame:
        """Name a frame of the body that the side ends in."""
        body, axes = self.base
        if self.last is None:
            return frame_in_world(d, name, body.r, body.q, axes, local, what)
        return _held_frame(d, self.last, self.end, local, name, what)


def near_world_frame(d: Derivation, name: str, passed: PassedJoint, body: SpatialBody, axes: FrameAxes) -> WorldFrame:
    """Name a joint's frame on the body before it."""
    return frame_in_world(d, name, body.r, body.q, axes, passed.near_frame, f"joint {passed.joint.name}")


def lay_out(d: Derivation, passes: Sequence[PassedJoint], base: SpatialBody, base_axes: FrameAxes) -> HeldSide:
    """Walk along joints from a known body with every free coordinate at zero."""
    letters: list[HeldLetter] = []
    start, frame = None, WorldFrame(base.r, base.q, base_axes)
    for k, passed in enumerate(passes):
        name = passed.joint.name
        if k == 0:
            start = reached = up_to_letter(d, passed, Reached(near_world_frame(d, name, passed, base, base_axes)))
        else:
            what = f"joint {name}, held at zero"
            reached = Reached(_held_frame(d, passes[k - 1], frame, passed.near_frame, f"{name}h", what))
        frame = reached.frame
        for primitive in passed.primitives[reached.taken :]:
            if passed.is_driven(primitive):
                frame = _driven_on(d, f"{name}_h", frame, passed, primitive)
            else:
                letters.append(HeldLetter(passed, primitive, frame))
    return HeldSide(tuple(letters), start, (base, base_axes), passes[-1] if passes else None, frame)


def _held_axes(d: Derivation, passed: PassedJoint, frame: WorldFrame) -> tuple[Quaternion, FrameAxes]:
    """Name orientation and axes of the body beyond a joint, whose frame there is given."""
    name = f"held_{passed.far}"
    q = d.quaternion(f"q_{name}", frame.q * passed.far_frame.q.conjugate, f"orientation of {passed.far}, held at zero")
    return q, body_triad(d, SpatialBody(name, frame.at, q))


def _held_frame(
    d: Derivation, passed: PassedJoint, frame: WorldFrame, local: LocalFrame, name: str, what: str
) -> WorldFrame:
    """Name a frame of the body beyond a joint; its origin is reached from that of the joint."""
    q, axes = _held_axes(d, passed, frame)
    arm = d.vector(f"{name}_arm", local.at - passed.far_frame.at, f"from {passed.joint.name} to {what}", "m")
    return frame_in_world(d, name, frame.at, q, axes, LocalFrame(arm, local.q), what)


def _driven_on(d: Derivation, name: str, frame: WorldFrame, passed: PassedJoint, primitive: Primitive) -> WorldFrame:
    """Name the frame beyond a driven freedom."""
    what = f"joint {passed.joint.name}"
    if primitive.kind == "P":
        value = passed.signed(passed.side.drives[primitive.freedom][0])
        return moved_frame(d, name, frame, [(primitive, value)], what)
    step, what = f"{name}_{primitive.freedom}", f"{what} after {primitive.freedom}"
    q = d.quaternion(f"{step}_o", frame.q * passed.driven_turn(d, primitive), f"orientation of {what}")
    return WorldFrame(frame.at, q, d.triad(f"{step}_", q, what))


#: Kinds of freedoms that a walk takes; others stay at zero, driven ones too.
ALL_KINDS: tuple[Kind, ...] = ("R", "P")


def up_to_letter(
    d: Derivation, passed: PassedJoint, reached: Reached, kinds: Sequence[Kind] = ALL_KINDS, name: str = ""
) -> Reached:
    """Pass the freedoms in front of the first free one of these kinds."""
    frame, taken, axes = reached.frame, 0, dict(reached.axes)
    for primitive in passed.primitives:
        taking = primitive.kind in kinds
        if taking and not passed.is_driven(primitive):
            break
        axes[primitive.freedom] = frame.axes.axis(primitive.axis)
        frame = _driven_on(d, f"{name or passed.joint.name}_d", frame, passed, primitive) if taking else frame
        taken += 1
    return Reached(frame, taken, axes)


def walk_through(
    d: Derivation,
    passed: PassedJoint,
    reached: Reached,
    coordinates: Mapping[str, Expr],
    kinds: Sequence[Kind] = ALL_KINDS,
) -> Reached:
    """Name the frame after a joint, its free coordinates of these kinds given."""
    name, frame, axes, pivot = passed.joint.name, reached.frame, dict(reached.axes), reached.pivot
    for primitive in passed.primitives[reached.taken :]:
        driven = passed.is_driven(primitive)
        if pivot is None:
            axes[primitive.freedom] = frame.axes.axis(primitive.axis)
            if primitive.kind == "R" and not driven:
                pivot = frame
        if primitive.kind not in kinds:
            continue
        if driven:
            frame = _driven_on(d, f"{name}_d", frame, passed, primitive)
        else:
            value = passed.signed(coordinates[primitive.freedom])
            frame = moved_frame(d, name, frame, [(primitive, value)], f"joint {name}")
    return Reached(frame, len(passed.primitives), axes, pivot)


@dataclass(frozen=True)
class Transport:
    """The rigid motion T = X_target X_held^-1 that all letters make together."""

    held: WorldFrame
    target: WorldFrame

    def of_axis(self, vector: Vector) -> Vector:
        """Return a held direction, moved."""
        return self.target.axes.to_world(self.held.axes.to_local(vector))

    def of_point(self, point: Vector) -> Vector:
        """Return a held point, moved."""
        return self.target.at + self.of_axis(point - self.held.at)

    def back(self, vector: Vector) -> Vector:
        """Return the held direction that is moved to the given one."""
        return self.held.axes.to_world(self.target.axes.to_local(vector))


# -- world axes of a solved configuration ----------------------------------------------------------------------------


def world_axes(
    d: Derivation, passed: PassedJoint, reached: Reached, far_axes: FrameAxes, coordinates: Mapping[str, Expr]
) -> dict[str, Vector]:
    """Return the world axis of every freedom of a joint, from the poses of the bodies on both sides.

    Those behind no free turn were met from the near side; those in front of no other free turn come from the far
    side, those between two free turns from the coordinates.
    """
    axes = dict(reached.axes)
    turns = [k for k, p in enumerate(passed.primitives) if p.kind == "R" and not passed.is_driven(p)]
    for k, primitive in enumerate(passed.primitives):
        if primitive.freedom not in axes:
            behind = k >= turns[-1]
            axes[primitive.freedom] = (
                _far_axis(d, passed, far_axes, k) if behind else _middle_axis(d, passed, reached, k, coordinates)
            )
    return axes


def _far_axis(d: Derivation, passed: PassedJoint, far_axes: FrameAxes, k: int) -> Vector:
    """Name an axis from the frame on the body beyond it, driven turns after it taken off."""
    primitive, q = passed.primitives[k], passed.far_frame.q
    name = f"{passed.joint.name}_{primitive.freedom}"
    for after in passed.primitives[:k:-1]:
        if after.kind == "R":
            off = f"{name}_{after.freedom}_off"
            q = q * passed.driven_turn(d, after).conjugate
            q = d.quaternion(off, q, f"frame of {passed.joint.name}, drive taken off")
    what = f"axis of {primitive.freedom} of {passed.joint.name}"
    local = d.vector(f"{name}_local", q.axis(primitive.axis), f"{what} in {passed.far}")
    return d.vector(f"{name}_axis", far_axes.to_world(local), what)


def _middle_axis(
    d: Derivation, passed: PassedJoint, reached: Reached, k: int, coordinates: Mapping[str, Expr]
) -> Vector:
    """Name an axis that lies between a free turn and the next one."""
    assert reached.pivot is not None  # noqa: S101 - a free turn was walked through
    name, frame, primitive = passed.joint.name, reached.pivot, passed.primitives[k]
    begun = False
    for before in passed.primitives[:k]:
        driven = passed.is_driven(before)
        begun = begun or (before.kind == "R" and not driven)
        if before.kind == "R" and begun and driven:
            frame = _driven_on(d, f"{name}_m{k}", frame, passed, before)
        elif before.kind == "R" and begun:
            value = passed.signed(coordinates[before.freedom])
            frame = moved_frame(d, f"{name}_m{k}", frame, [(before, value)], f"joint {name}")
    what = f"axis of {primitive.freedom} of {name}"
    return d.vector(f"{name}_{primitive.freedom}_axis", frame.axes.axis(primitive.axis), what)
