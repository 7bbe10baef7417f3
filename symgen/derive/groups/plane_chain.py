"""A chain of joints between two known bodies, cut at its planar joint: held elements, placed bodies, motions.

    k1 - j1 - b1 - ... - PL - ... - bn - jm - k2

Both sides run from their known body to the planar joint. Laid out with every free coordinate zero and every driven one
at its value, each free freedom has a held axis in the world; turning and sliding along the held axes, the first
freedom of a side last, moves the side's half of the planar joint. The joints behind the cut are passed from their
second body to their first: in reverse, with coordinates negated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.joints import PairModel, Primitive
from symgen.derive.quaternions import Triad
from symgen.derive.spatial_group import (
    Body,
    LocalFrame,
    WorldFrame,
    body_triad,
    drive_ports,
    frame_in_world,
    joint_frame,
    known_body,
    moved_frame,
    place_body,
    unknown_body,
)
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class Joint:
    """A joint with its ports; the frames are those on its first and on its second body."""

    name: str
    pair: PairModel
    bodies: tuple[str, str]
    frames: tuple[LocalFrame, LocalFrame]
    drives: Mapping[str, tuple[Expr, Expr, Expr]]

    @property
    def chain(self) -> tuple[Primitive, ...]:
        """All freedoms, given and free, from the first frame to the second."""
        return (*self.pair.before, *self.pair.free, *self.pair.after)


@dataclass(frozen=True)
class Pass:
    """A joint as a side passes it: `ahead` from its first body to its second; the bodies before and behind."""

    joint: Joint
    ahead: bool

    @property
    def bodies(self) -> tuple[str, str]:
        """The bodies before and behind."""
        first, second = self.joint.bodies
        return (first, second) if self.ahead else (second, first)

    @property
    def frames(self) -> tuple[LocalFrame, LocalFrame]:
        """The frames on the bodies before and behind."""
        first, second = self.joint.frames
        return (first, second) if self.ahead else (second, first)

    @property
    def sign(self) -> int:
        """+1 if the motion along the side is that of the coordinate."""
        return 1 if self.ahead else -1

    @property
    def chain(self) -> tuple[Primitive, ...]:
        """The freedoms in the order of the side."""
        return self.joint.chain if self.ahead else self.joint.chain[::-1]


@dataclass(frozen=True)
class Letter:
    """A free freedom with its held axis and a point of it; it moves by sign times its coordinate."""

    step: Pass
    primitive: Primitive
    axis: Vector
    point: Vector
    sign: int

    def reversed(self) -> Letter:
        """Return the inverse motion."""
        return Letter(self.step, self.primitive, self.axis, self.point, -self.sign)


class PlaneChain:
    """The chain of a group: ports, sides, and the frames of the planar joint."""

    def __init__(self, d: Derivation, pairs: Sequence[PairModel]) -> None:
        self.d = d
        self.count = len(pairs) - 1
        self.k1, self.k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
        names = ["k1", *(f"b{k}" for k in range(1, self.count + 1))]
        self.bodies = {name: unknown_body(name) for name in names[1:]} | {"k1": self.k1, "k2": self.k2}
        self.joints: list[Joint] = []
        for k, pair in enumerate(pairs):
            ends = (names[k], names[k + 1]) if k < self.count else ("k2", names[-1])
            name = f"j{k + 1}"
            frames = (joint_frame(d, name, ends[0]), joint_frame(d, name, ends[1]))
            self.joints.append(Joint(name, pair, ends, frames, drive_ports(d, name, pair)))
        (self.cut,) = (k for k, pair in enumerate(pairs) if pair.type == "PL")
        self.plane = self.joints[self.cut]
        near = tuple(Pass(joint, ahead=True) for joint in self.joints[: self.cut])
        far = tuple(Pass(joint, ahead=joint is self.joints[-1]) for joint in self.joints[: self.cut : -1])
        self.sides: tuple[tuple[Pass, ...], tuple[Pass, ...]] = (near, far)
        self.ends = (near[-1].bodies[1] if near else "k1", far[-1].bodies[1] if far else "k2")
        self._outer: dict[str, WorldFrame] = {}

    def axes_of_known(self) -> None:
        """Name the axes of the known bodies."""
        self.axes: dict[str, Triad] = {body.name: body_triad(self.d, body) for body in (self.k1, self.k2)}

    def plane_frame(self, body: str) -> LocalFrame:
        """Return the frame of the planar joint on one of its bodies."""
        return self.plane.frames[self.plane.bodies.index(body)]

    # -- held ----------------------------------------------------------------------------------------------------

    def hold(self, side: int) -> tuple[list[Letter], WorldFrame]:
        """Name the held elements of a side; return its letters from the known body on, and its half of the plane."""
        d, letters = self.d, []
        steps = self.sides[side]
        body = self.k1 if side == 0 else self.k2
        r, q, axes = body.r, body.q, self.axes[body.name]
        for number, step in enumerate(steps):
            name = f"{step.joint.name}h"
            what = f"joint {step.joint.name}, held"
            if number == 0:
                frame = self._first_frame(step)
            else:
                frame = frame_in_world(d, name, r, q, axes, step.frames[0], what)
            for primitive in step.chain:
                if primitive.freedom in step.joint.drives:
                    frame = self._driven(frame, name, step, primitive, what)
                else:
                    letters.append(Letter(step, primitive, frame.axes.axis(primitive.axis), frame.at, step.sign))
            behind = step.bodies[1]
            q = d.quaternion(f"q_{behind}h", frame.q * step.frames[1].q.conjugate, f"orientation of {behind}, held")
            axes = d.triad(f"{behind}h_e", q, f"{behind}, held")
            r = d.vector(f"r_{behind}h", frame.at - axes.to_world(step.frames[1].at), f"origin of {behind}, held", "m")
        end = self.ends[side]
        name = f"{self.plane.name}h{side + 1}"
        return letters, frame_in_world(d, name, r, q, axes, self.plane_frame(end), f"the plane on {end}, held")

    def _first_frame(self, step: Pass) -> WorldFrame:
        """Name the frame of a side's first joint on the known body, once."""
        body = self.bodies[step.bodies[0]]
        if body.name not in self._outer:
            name = step.joint.name
            axes = self.axes[body.name]
            self._outer[body.name] = frame_in_world(
                self.d, name, body.r, body.q, axes, step.frames[0], f"joint {name} on {body.name}"
            )
        return self._outer[body.name]

    def _driven(self, frame: WorldFrame, name: str, step: Pass, primitive: Primitive, what: str) -> WorldFrame:
        value = step.joint.drives[primitive.freedom][0]
        return moved_frame(self.d, name, frame, [(primitive, value if step.ahead else -value)], what)

    # -- placed --------------------------------------------------------------------------------------------------

    def place(self, side: int, coordinates: Mapping[str, Mapping[str, Expr]]) -> None:
        """Place the bodies of a side by the coordinates of its joints."""
        d = self.d
        for number, step in enumerate(self.sides[side]):
            before, behind = step.bodies
            what = f"joint {step.joint.name}"
            if number == 0:
                frame = self._first_frame(step)
            else:
                body = self.bodies[before]
                frame = frame_in_world(
                    d, step.joint.name, body.r, body.q, self.axes[before], step.frames[0], f"{what} on {before}"
                )
            for primitive in step.chain:
                if primitive.freedom in step.joint.drives:
                    frame = self._driven(frame, step.joint.name, step, primitive, what)
                else:
                    value = coordinates[step.joint.name][primitive.freedom]
                    motion = [(primitive, value if step.ahead else -value)]
                    frame = moved_frame(d, step.joint.name, frame, motion, what)
            self.axes[behind] = place_body(d, self.bodies[behind], frame, step.frames[1])

    def world_axis(self, joint: Joint, primitive: Primitive) -> Vector:
        """Name a freedom's axis in the world, read off the bodies: a second axis is fixed in the second body."""
        second = joint.pair.type == "U" and primitive.axis == "x"
        name = f"{joint.name}_{'second' if second else 'axis'}"
        if name not in self._axes:
            body, frame = joint.bodies[second], joint.frames[second]
            local = self.d.vector(f"{name}_local", frame.q.axis(primitive.axis), f"axis of {joint.name} in {body}")
            self._axes[name] = self.d.vector(name, self.axes[body].to_world(local), f"axis of {joint.name}")
        return self._axes[name]

    def centre(self, step: Pass) -> Vector:
        """Name the centre of a joint on the body behind it."""
        name = f"{step.joint.name}_centre"
        if name not in self._axes:
            behind = self.bodies[step.bodies[1]]
            value = behind.r + self.axes[behind.name].to_world(step.frames[1].at)
            self._axes[name] = self.d.vector(name, value, f"centre of joint {step.joint.name} on {behind.name}", "m")
        return self._axes[name]

    def start_geometry(self) -> None:
        """Forget named axes, which are named anew with the geometry of the rates."""
        self._axes: dict[str, Vector] = {}

    def body(self, name: str) -> Body:
        """Return a body with its pose."""
        return self.bodies[name]
