"""A single-loop group on poses and joint frames: ports, placing, joint coordinates, rates; for any number of bodies.

What a word of letters needs on top, held elements into joint coordinates, is a *closing* (`symgen.derive.rings.words`).
The chain is walked from k1, and from k2 where it is cut at a joint; each walk gives a held layout to the closing,
and places the bodies by the coordinates that come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, JointSlot
from symgen.derive.quaternions import FrameAxes
from symgen.derive.rings.chain import RingChain, RingJoint
from symgen.derive.rings.layout import (
    HeldPoint,
    HeldSide,
    PassedJoint,
    Reached,
    RingSide,
    Transport,
    lay_out,
    near_world_frame,
    up_to_letter,
    walk_through,
    world_axes,
)
from symgen.derive.spatial_group import (
    SpatialBody,
    body_triad,
    drive_ports,
    frame_in_world,
    give_coordinates,
    give_pose,
    joint_frame,
    known_body,
    name_origin,
    orient_body,
    unknown_body,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"

#: (number of the joint, freedom) -> coordinate.
Coordinates = dict[tuple[int, str], Expr]


@dataclass(frozen=True)
class PlacedJoint:
    """A joint in the solved configuration: world axis of each freedom, and a point of the axes of its turns."""

    passed: PassedJoint
    axes: Mapping[str, Vector]
    point: Vector


class RingClosing(Protocol):
    """What solves a word: where the chain is cut, the branches, and the steps from held elements to rates."""

    @property
    def cut(self) -> int | None:
        """Number of the joint at which the chain is cut (an S or a PL), or None: it is walked from k1 to k2."""
        ...

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch."""
        ...

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        ...


class RingGroup:
    """Derives one chain; ports as in all groups: k1, k2, b1 to bn, joints j1 to j(n+1)."""

    def __init__(self, chain: RingChain, closing: RingClosing, kernel: Routine) -> None:
        self.chain, self.closing, self.kernel = chain, closing, kernel
        title = f"{chain.key.removesuffix(' 3D')} group between two moving bodies"
        self.d = d = Derivation(f"ring {chain.key}", level="group", title=title, source=SOURCE, arrangement=chain.id)
        self.k1, self.k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
        self.bodies: dict[str, SpatialBody] = {"k1": self.k1, "k2": self.k2}
        self.bodies |= {name: unknown_body(name) for name in chain.bodies}
        self.sides = tuple(self._declare(joint) for joint in chain.joints)
        closing.input_branch(d)
        self.axes: dict[str, FrameAxes] = {name: body_triad(d, self.bodies[name]) for name in ("k1", "k2")}
        cut, last = closing.cut, len(self.sides) - 1
        end = last + 1 if cut is None else cut
        self.walk_a = tuple(PassedJoint(side, k != last) for k, side in enumerate(self.sides[:end]))
        self.walk_b = tuple(PassedJoint(side, k == 0) for k, side in enumerate(self.sides[:end:-1]))
        self.placed: dict[int, PlacedJoint] = {}

    def _declare(self, joint: RingJoint) -> RingSide:
        d = self.d
        oriented = not (joint.type == "S" and joint.number == self.closing.cut)
        frames = {body: joint_frame(d, joint.name, body, oriented=oriented) for body in joint.ends}
        return RingSide(joint, frames, drive_ports(d, joint.name, joint.pair))

    # -- held ----------------------------------------------------------------------------------------------------

    def hold(self) -> tuple[HeldSide, HeldSide]:
        """Lay out both sides held at zero; without a cut the first one is the whole chain."""
        a = lay_out(self.d, self.walk_a, self.k1, self.axes["k1"])
        return a, lay_out(self.d, self.walk_b, self.k2, self.axes["k2"])

    def held_centre(self, layout: HeldSide, number: int, name: str) -> HeldPoint:
        """Name where the centre of a joint lies on the body that a held side ends in."""
        local = self.sides[number].frames[layout.body]
        what = f"centre of {self.chain.joints[number].name} on {'held ' if layout.last else ''}{layout.body}"
        return layout.point(self.d, local.at, f"s_{name}", what)

    def joint_on(self, number: int, name: str, step: str, what: str) -> Vector:
        """Name where the centre of a joint lies on a placed body."""
        body, axes = self.bodies[name], self.axes[name]
        return self.d.vector(step, body.r + axes.to_world(self.sides[number].frames[name].at), what, "m")

    def transport(self, layout: HeldSide) -> Transport:
        """Name the frame in which a closed walk must end; return the motion that brings it there."""
        passed = self.walk_a[-1]
        what = f"joint {passed.joint.name} on k2"
        name = f"{passed.joint.name}_end"
        target = frame_in_world(self.d, name, self.k2.r, self.k2.q, self.axes["k2"], passed.far_frame, what)
        return Transport(layout.end, target)

    # -- placed --------------------------------------------------------------------------------------------------

    def place(self, coordinates: Coordinates, *layouts: HeldSide) -> None:
        """Give the coordinates of all walked joints, place all bodies from k1 and from k2, and give their poses."""
        for side in sorted((*self.walk_a, *self.walk_b), key=lambda p: p.joint.number):
            self.give_coordinates(side.joint, coordinates)
        placed: list[str] = []
        for walk, layout in zip((self.walk_a, self.walk_b), layouts, strict=False):
            for k, passed in enumerate(walk):
                if passed.far not in ("k1", "k2"):
                    self._place(passed, coordinates, layout.start if k == 0 else None)
                    placed.append(passed.far)
        self.give_poses(placed)
        if self.closing.cut is None:
            self._join(coordinates)

    def give_poses(self, placed: Sequence[str]) -> None:
        """Give the poses of placed bodies, in the order of the chain."""
        for name in self.chain.bodies:
            if name in placed:
                give_pose(self.d, self.bodies[name])

    def _join(self, coordinates: Coordinates) -> None:
        """Look up the axes of the joint that closes the chain at k2."""
        passed = self.walk_a[-1]
        own = {p.freedom: coordinates[passed.joint.number, p.freedom] for p in passed.joint.free}
        begun = self.near_frame(passed)
        reached = walk_through(self.d, passed, begun, own)
        axes = world_axes(self.d, passed, reached, self.axes["k2"], own)
        self.placed[passed.joint.number] = PlacedJoint(passed, axes, self.joint_point(passed, begun.frame.at))

    def give_coordinates(self, joint: RingJoint, coordinates: Coordinates) -> None:
        """Name and give the coordinates of a joint; `coordinates` then holds the names."""
        if joint.free and (joint.number, joint.free[0].freedom) in coordinates:  # the balls of a rod have none
            values = [coordinates[joint.number, p.freedom] for p in joint.free]
            steps = give_coordinates(self.d, joint.name, joint.free, values, 0)
            for p, step in zip(joint.free, steps, strict=True):
                coordinates[joint.number, p.freedom] = step

    def near_frame(self, passed: PassedJoint) -> Reached:
        """Name the frame of a joint on the placed body before it, driven freedoms in front of its letters passed."""
        body = self.bodies[passed.near]
        reached = Reached(near_world_frame(self.d, passed.joint.name, passed, body, self.axes[passed.near]))
        return up_to_letter(self.d, passed, reached) if passed.joint.free else reached

    def _place(self, passed: PassedJoint, coordinates: Coordinates, start: Reached | None) -> None:
        d, number = self.d, passed.joint.number
        own = {p.freedom: coordinates[number, p.freedom] for p in passed.joint.free}
        begun = start if start is not None else self.near_frame(passed)
        first = begun.frame
        reached = walk_through(d, passed, begun, own)
        body, local = self.bodies[passed.far], passed.far_frame
        far_axes = self.axes[passed.far] = orient_body(d, body, reached.frame.q * local.q.conjugate)
        name_origin(d, body, reached.frame.at - far_axes.to_world(local.at))
        axes = world_axes(d, passed, reached, far_axes, own)
        self.placed[number] = PlacedJoint(passed, axes, self.joint_point(passed, first.at))

    def joint_point(self, passed: PassedJoint, near: Vector) -> Vector:
        """Return a point of the joint's turning axes: for all but a planar walk the near centre is one."""
        joint = passed.joint
        slides_first = any(p.kind == "P" for p in joint.primitives) and joint.type not in ("P", "C")
        if not (slides_first and passed.ahead):
            return near
        body = self.bodies[joint.ends[1]]
        local = self.sides[joint.number].frames[body.name].at
        with self.d.part("geometry"):
            value = body.r + self.axes[body.name].to_world(local)
            return self.d.vector(f"{joint.name}_centre", value, f"centre of joint {joint.name} on {body.name}", "m")

    # -- description ---------------------------------------------------------------------------------------------

    def arrangement(self) -> Arrangement:
        """Derive and describe the arrangement."""
        self.closing.derive(self)
        slots = tuple(
            JointSlot(joint.name, joint.type, joint.ends, tuple(p.freedom for p in joint.free), joint.driven)
            for joint in self.chain.joints
        )
        return Arrangement(self.chain.id, "spatial", ("k1", "k2"), self.chain.bodies, slots, self.d)
