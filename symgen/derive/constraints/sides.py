"""The two sides of a pair: joint frames in the world, and how their axes and origins move.

A side has the pose [r, q] of its body (planar [x, y, phi]) and the joint frame [at, q] in it. With e an axis fixed in
the body and s the lever from the body's origin to the joint's,

    o = r + s,   e' = w x e,   e'' = w x (w x e) + alpha x e,   o'' = a + alpha x s + w x (w x s)

and the terms without accelerations are what a bias holds. In the plane w x e = w J e with J the quarter turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from symgen.algebra import Expr, cos, sin
from symgen.derive.derivation import Derivation
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector

ORDINAL = {1: "first", 2: "second"}


@dataclass
class Side:
    """One side of a pair; `rate` is the angular velocity where a bias is derived, else None."""

    derivation: Derivation
    number: int
    place: Vector
    lever: Vector
    origin: Vector
    axes: dict[str, Vector]
    rate: Vector | Expr | None = None
    velocity: Vector | None = None
    _named: dict[str, Vector] = field(default_factory=dict)

    def axis(self, name: str) -> Vector:
        """Return an axis of the joint frame, world."""
        return self.axes[name]

    def turned(self, vector: Vector) -> Vector:
        """Return w x vector."""
        if isinstance(self.rate, Vector):
            return self.rate.cross(vector)
        if self.rate is None:
            raise ValueError("a side without rates has no derivatives")
        return vector.turned() * self.rate

    def first(self, name: str) -> Vector:
        """Return the first derivative of an axis or, for "s", of the lever."""
        vector, what = (self.lever, "lever") if name == "s" else (self.axes[name], f"{name} axis")
        return self._once(f"{name}d{self.number}", lambda: self.turned(vector), f"{what}: derivative")

    def second(self, name: str) -> Vector:
        """Return w x (w x vector): the second derivative without the angular acceleration."""
        what = "lever" if name == "s" else f"{name} axis"
        meaning = f"{what}: second derivative without angular acceleration"
        return self._once(f"{name}dd{self.number}", lambda: self.turned(self.first(name)), meaning)

    def _once(self, name: str, make, meaning: str) -> Vector:  # type: ignore[no-untyped-def]
        if name not in self._named:
            text = f"{ORDINAL[self.number]} side, {meaning}"
            self._named[name] = self.derivation.vector(name, make(), text)
        return self._named[name]


def spatial_side(d: Derivation, number: int, *, rates: bool) -> Side:
    """Declare one side in space: ports `pose_k`, `frame_k` and, with rates, `twist_k`."""
    k, which = number, ORDINAL[number]
    parts = ("x", "y", "z", "0", "1", "2", "3")
    pose = d.input_array(
        f"pose_{k}", [f"p{k}_{part}" for part in parts],
        meaning=f"pose of the {which} body", unit="m, m, m, 1, 1, 1, 1", range="q unit",
    )  # fmt: skip
    frame = d.input_array(
        f"frame_{k}", [f"f{k}_{part}" for part in parts],
        meaning=f"joint frame on the {which} body", unit="m, m, m, 1, 1, 1, 1", frame=f"{which} body", range="q unit",
    )  # fmt: skip
    turn, held = _quaternion(pose), _quaternion(frame)
    body = d.triad(f"b{k}", turn, f"{which} body")
    lever = d.vector(f"s{k}", body.to_world(Vector(frame[:3])), f"from the {which} body's origin to the joint", "m")
    place = Vector(pose[:3])
    origin = d.vector(f"o{k}", place + lever, f"origin of the joint frame on the {which} body", "m")
    together = d.quaternion(f"t{k}", turn * held, f"orientation of the joint frame on the {which} body")
    triad: FrameAxes = d.triad(f"e{k}", together, f"joint frame on the {which} body")
    side = Side(d, k, place, lever, origin, {name: triad.axis(name) for name in "xyz"})
    if rates:
        twist = d.input_array(
            f"twist_{k}", [f"v{k}_{a}" for a in "xyz"] + [f"w{k}_{a}" for a in "xyz"],
            meaning=f"velocity of the {which} body's origin, angular velocity", unit="m/s, rad/s",
        )  # fmt: skip
        side.velocity, side.rate = Vector(twist[:3]), Vector(twist[3:])
    return side


def _quaternion(pose: Sequence[Expr]) -> Quaternion:
    q0, q1, q2, q3 = pose[3:]
    return Quaternion((q0, q1, q2, q3))


def planar_side(d: Derivation, number: int, *, rates: bool) -> Side:
    """Declare one side in the plane: the same ports with three numbers each."""
    k, which = number, ORDINAL[number]
    parts = ("x", "y", "phi")
    pose = d.input_array(
        f"pose_{k}", [f"p{k}_{part}" for part in parts], meaning=f"pose of the {which} body", unit="m, m, rad"
    )
    frame = d.input_array(
        f"frame_{k}", [f"f{k}_{part}" for part in parts],
        meaning=f"joint frame on the {which} body", unit="m, m, rad", frame=f"{which} body",
    )  # fmt: skip
    c, s = (
        d.scalar(f"{word[0]}{word[-1]}{k}", function(pose[2]), f"{which} body: {word} of its angle", "1")
        for word, function in (("cosine", cos), ("sine", sin))
    )
    x, y = frame[:2]
    lever = d.vector(
        f"s{k}", Vector((c * x - s * y, s * x + c * y)), f"from the {which} body's origin to the joint", "m"
    )
    place = Vector(pose[:2])
    origin = d.vector(f"o{k}", place + lever, f"origin of the joint frame on the {which} body", "m")
    angle = d.scalar(f"angle{k}", pose[2] + frame[2], f"angle of the joint frame on the {which} body", "rad")
    e_x = d.vector(f"e{k}x", Vector((cos(angle), sin(angle))), f"joint frame on the {which} body: x axis", "1")
    e_y = d.vector(f"e{k}y", e_x.turned(), f"joint frame on the {which} body: y axis", "1")
    side = Side(d, k, place, lever, origin, {"x": e_x, "y": e_y})
    if rates:
        twist = d.input_array(
            f"twist_{k}", [f"v{k}_x", f"v{k}_y", f"w{k}"],
            meaning=f"velocity of the {which} body's origin, angular velocity", unit="m/s, rad/s",
        )  # fmt: skip
        side.velocity, side.rate = Vector(twist[:2]), twist[2]
    return side
