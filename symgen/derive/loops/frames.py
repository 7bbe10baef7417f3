"""What a path of joints has reached: a frame f = exp(s_1 Y_1 q_1) exp(s_2 Y_2 q_2) ..., grown joint by joint.

Passing a coordinate with axis e through the point y (screw Y = (y x e, e), reference configuration) uses the frame
f = (R, p) reached before it: its axis is now s R e through x = p + R y, which is its instantaneous screw
S = Ad_f(s Y), and the frame after it keeps x: p' = x - R' y. A slide moves p along s R e, a helical joint both.

Source: product of exponentials (R. Brockett 1984); A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from symgen.algebra import ONE, ZERO, Expr, cos, number, sin
from symgen.derive.derivation import Derivation
from symgen.derive.loops.inputs import LoopInputs
from symgen.derive.loops.screws import Screw
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector, unit_vector
from symgen.topology.loops.coordinates import Coordinate

_POE = "product of exponentials, Mueller 2015, Eq. (5)"
_SCREW = "instantaneous joint screw S = Ad_f Y, Mueller 2014"


class Frame(Protocol):
    """A frame that a path has reached."""

    @property
    def place(self) -> Vector:
        """Its origin."""
        ...

    def passed(self, inputs: LoopInputs, coordinate: Coordinate, sign: int, tag: str) -> tuple[Screw, Frame]:
        """Return the instantaneous screw of a coordinate, times `sign`, and the frame after it."""
        ...

    def moved(self, pose: Sequence[Expr], tag: str, meaning: str) -> Frame:
        """Return the frame that has a constant pose in this one."""
        ...

    def axis(self, name: str) -> Vector:
        """Return the axis x, y (or z) of the frame."""
        ...

    def pose(self) -> tuple[Expr, ...]:
        """Return the components of the frame's pose."""
        ...

    def half_turn(self) -> tuple[Vector, Expr]:
        """Return sine and cosine of half the angle, the sine times the axis; or a common multiple of both."""
        ...


@dataclass(frozen=True)
class SpatialFrame:
    """A frame in space; no rotation yet where `rotation` is None.

    `centre` is the joint whose centre has just been passed, and where that lies: the next axis of the same joint goes
    through it too.
    """

    derivation: Derivation
    place: Vector
    rotation: Quaternion | None = None
    triad: FrameAxes | None = None
    centre: tuple[str, Vector] | None = None

    def passed(self, inputs: LoopInputs, coordinate: Coordinate, sign: int, tag: str) -> tuple[Screw, SpatialFrame]:
        """Pass a turn, a slide or a helical motion."""
        d, q, name = self.derivation, inputs.value(coordinate), coordinate.name
        axis = self._turned(inputs.axis(coordinate)) * number(sign)
        direction = d.vector(f"d_{tag}", axis, f"{name}: direction now, along the path", "1", source=_SCREW)
        if coordinate.motion.kind == "slide":
            place = d.vector(
                f"p_{tag}", self.place + direction * q, f"{name}: point reached after it", "m", source=_POE
            )
            nothing = Vector((ZERO, ZERO, ZERO))
            return Screw(direction, nothing), SpatialFrame(d, place, self.rotation, self.triad)
        centre = inputs.centre(coordinate)
        if self.centre is not None and self.centre[0] == coordinate.joint:
            at = self.centre[1]
        else:
            at = d.vector(f"x_{tag}", self.place + self._turned(centre), f"{name}: a point of its axis now", "m")
        linear = at.cross(direction)
        cosine, sine = inputs.half_angle(coordinate)
        turn = Quaternion((cosine, *(inputs.axis(coordinate) * (sine * number(sign))).components))  # type: ignore[arg-type]
        rotation = turn if self.rotation is None else self.rotation * turn
        rotation = d.quaternion(f"rot_{tag}", rotation, f"{name}: rotation after it", source=_POE)
        triad = d.triad(f"r_{tag}_", rotation, f"{name}: rotation after it")
        place = at - triad.to_world(centre)
        passed = (coordinate.joint, at) if coordinate.motion.kind == "turn" else None
        if coordinate.motion.kind == "screw":
            pitch = inputs.pitch(coordinate.joint)
            linear, place = linear + direction * pitch, place + direction * (pitch * q)
        moment = d.vector(f"m_{tag}", linear, f"{name}: velocity at the origin per unit rate", "m", source=_SCREW)
        place = d.vector(f"p_{tag}", place, f"{name}: point reached after it", "m", source=_POE)
        return Screw(moment, direction), SpatialFrame(d, place, rotation, triad, passed)

    def moved(self, pose: Sequence[Expr], tag: str, meaning: str) -> SpatialFrame:
        """Move on by a constant pose [r, q]."""
        x, y, z, q0, q1, q2, q3 = pose
        there = Quaternion((q0, q1, q2, q3))
        place = self.derivation.vector(f"p_{tag}", self.place + self._turned(Vector((x, y, z))), meaning, "m")
        rotation = there if self.rotation is None else self.rotation * there
        rotation = self.derivation.quaternion(f"rot_{tag}", rotation, meaning)
        return SpatialFrame(self.derivation, place, rotation, self.derivation.triad(f"r_{tag}_", rotation, meaning))

    def axis(self, name: str) -> Vector:
        """Return an axis of the frame."""
        return unit_vector(name) if self.triad is None else self.triad.axis(name)

    def pose(self) -> tuple[Expr, ...]:
        """Return [r, q]."""
        rotation = self.rotation or Quaternion((ONE, ZERO, ZERO, ZERO))
        return (*self.place, *rotation.components)

    def half_turn(self) -> tuple[Vector, Expr]:
        """Return vector and scalar part of the quaternion."""
        q0, q1, q2, q3 = (self.rotation or Quaternion((ONE, ZERO, ZERO, ZERO))).components
        return Vector((q1, q2, q3)), q0

    def _turned(self, local: Vector) -> Vector:
        return local if self.triad is None else self.triad.to_world(local)


@dataclass(frozen=True)
class PlanarLoopFrame:
    """A frame in the plane: place, angle, cosine and sine of the angle."""

    derivation: Derivation
    place: Vector
    angle: Expr = ZERO
    cosine: Expr = ONE
    sine: Expr = ZERO

    def passed(self, inputs: LoopInputs, coordinate: Coordinate, sign: int, tag: str) -> tuple[Screw, PlanarLoopFrame]:
        """Pass a turn or a slide."""
        d, q, name = self.derivation, inputs.value(coordinate), coordinate.name
        if coordinate.motion.kind == "slide":
            axis = self._turned(inputs.axis(coordinate)) * number(sign)
            direction = d.vector(f"d_{tag}", axis, f"{name}: direction now, along the path", "1", source=_SCREW)
            place = d.vector(
                f"p_{tag}", self.place + direction * q, f"{name}: point reached after it", "m", source=_POE
            )
            frame = PlanarLoopFrame(d, place, self.angle, self.cosine, self.sine)
            return Screw(direction, Vector((ZERO,))), frame
        centre = inputs.centre(coordinate)
        at = d.vector(f"x_{tag}", self.place + self._turned(centre), f"{name}: its centre now", "m")
        linear = at.turned() * number(-sign)
        moment = d.vector(f"m_{tag}", linear, f"{name}: velocity at the origin per unit rate", "m", source=_SCREW)
        turned = self._at_angle(self.angle + q * number(sign), tag, f"{name}: angle after it")
        place = d.vector(f"p_{tag}", at - turned._turned(centre), f"{name}: point reached after it", "m", source=_POE)
        frame = PlanarLoopFrame(d, place, turned.angle, turned.cosine, turned.sine)
        return Screw(moment, Vector((number(sign),))), frame

    def moved(self, pose: Sequence[Expr], tag: str, meaning: str) -> PlanarLoopFrame:
        """Move on by a constant pose [x, y, phi]."""
        x, y, phi = pose
        place = self.derivation.vector(f"p_{tag}", self.place + self._turned(Vector((x, y))), meaning, "m")
        turned = self._at_angle(self.angle + phi, tag, meaning)
        return PlanarLoopFrame(self.derivation, place, turned.angle, turned.cosine, turned.sine)

    def axis(self, name: str) -> Vector:
        """Return an axis of the frame."""
        along = Vector((self.cosine, self.sine))
        return along if name == "x" else along.turned()

    def pose(self) -> tuple[Expr, ...]:
        """Return [x, y, phi]."""
        return (*self.place, self.angle)

    def half_turn(self) -> tuple[Vector, Expr]:
        """Return sin(phi) and 1 + cos(phi): both 2 cos(phi/2) times those of half the angle."""
        return Vector((self.sine,)), 1 + self.cosine

    def _at_angle(self, angle: Expr, tag: str, meaning: str) -> PlanarLoopFrame:
        d = self.derivation
        phi = d.scalar(f"phi_{tag}", angle, meaning, "rad", source=_POE)
        cosine = d.scalar(f"c_{tag}", cos(phi), f"{meaning}: cosine", "1")
        return PlanarLoopFrame(d, self.place, phi, cosine, d.scalar(f"s_{tag}", sin(phi), f"{meaning}: sine", "1"))

    def _turned(self, local: Vector) -> Vector:
        return Vector((local[0] * self.cosine - local[1] * self.sine, local[0] * self.sine + local[1] * self.cosine))


def root_frame(inputs: LoopInputs) -> Frame:
    """Return the frame at the beginning of a path: the world."""
    if inputs.planar:
        return PlanarLoopFrame(inputs.derivation, Vector((ZERO, ZERO)))
    return SpatialFrame(inputs.derivation, Vector((ZERO, ZERO, ZERO)))
