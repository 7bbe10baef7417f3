"""A planar group under derivation: ports, joint frames seen from links, poses, coordinates, centres and directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, ZERO, Expr, cos, is_number, is_symbol, name_of, sin
from symgen.derive.blocks.planar import rotated
from symgen.derive.derivation import Derivation
from symgen.derive.module import JointSlot
from symgen.derive.planar.pairs import Links, Pair, is_pin, pairs_of
from symgen.derive.planar_group import KnownBody, PlanarFrame, give_pose, joint_frame, known_body
from symgen.derive.vectors import Vector

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NOWHERE = Vector((ZERO, ZERO))


@dataclass(frozen=True)
class PlacedBody:
    """A placed body: origin, angle, its cosine and sine."""

    r: Vector
    phi: Expr
    c: Expr
    s: Expr

    def to_world(self, local: Vector) -> Vector:
        """Return the world components of a vector of this body."""
        return rotated(self.c, self.s, local)


class PlanarGroup:
    """Ports and places of a group; bodies are placed by `place_link`, after that coordinates can be given.

    Parameters
    ----------
    d : derivation that is written.
    known, bodies : names of the known and of the unknown bodies.
    slots : joints.
    """

    def __init__(self, d: Derivation, known: Sequence[str], bodies: Sequence[str], slots: Sequence[JointSlot]) -> None:
        self.d, self.unknown, self.slots = d, tuple(bodies), tuple(slots)
        self.pairs = pairs_of(slots)
        self.links = Links(known, bodies, self.pairs)
        self.known: dict[str, KnownBody] = {k: known_body(d, k, ORDINALS[n]) for n, k in enumerate(known)}
        self._frames: dict[tuple[str, str], PlanarFrame] = {}
        for slot in slots:
            for body in slot.bodies:
                self._frames[slot.name, body] = joint_frame(d, slot.name, body)
        self.drives = {pair: self._drive(slot, pair) for slot in slots for pair in self.pairs if _drives(slot, pair)}
        self._places: dict[str, PlanarFrame] = {}
        self._sides: dict[tuple[Pair, str], PlanarFrame] = {}
        self._centres: dict[Pair, Vector] = {}
        self._directions: dict[Pair, Vector] = {}
        self.bodies: dict[str, PlacedBody] = {k: PlacedBody(b.r, b.phi, b.c, b.s) for k, b in self.known.items()}
        for base in dict.fromkeys(self.links.base(body) for body in self.links.bodies):
            self._settle(base)

    def _drive(self, slot: JointSlot, pair: Pair) -> tuple[Expr, Expr, Expr]:
        """Declare the ports of a joint's drives with its first driven pair; return value, rate and acceleration."""
        d, port = self.d, f"u_{slot.name}"
        if port not in d.inputs:
            for prefix, suffix, what in (("u", "", "value"), ("ud", "/s", "rate"), ("udd", "/s^2", "acceleration")):
                d.input_array(
                    f"{prefix}_{slot.name}",
                    [f"{prefix}_{slot.name}_{f}" for f in slot.driven],
                    meaning=f"{what} of the driven freedoms of {slot.name}: {', '.join(slot.driven)}",
                    unit=", ".join(("rad" if f == "angle" else "m") + suffix for f in slot.driven),
                    frame="joint",
                )
        value, rate, growth = (d.promise(f"{p}_{slot.name}_{pair.freedom}") for p in ("u", "ud", "udd"))
        return value, rate, growth

    # -- links -------------------------------------------------------------------------------------------------------

    def frame(self, pair: Pair, body: str) -> PlanarFrame:
        """Return the frame of a pair in one of its bodies; that of a pin is its own."""
        return PlanarFrame(_NOWHERE, ZERO) if is_pin(body) else self._frames[pair.joint, body]

    def _settle(self, base: str) -> None:
        """Name the places of a link's bodies in the axes of its base."""
        d, links = self.d, self.links
        self._places[base] = PlanarFrame(_NOWHERE, ZERO)
        ways = {body: links.path(base, body) for body in links.members(base) if body != base}
        for body in sorted(ways, key=lambda each: len(ways[each])):
            last = ways[body][-1]
            here, value = self._places[last.start], self.drives[last.pair][0]
            near, far = self.frame(last.pair, last.start), self.frame(last.pair, body)
            moved = value if last.forward else -value
            at, angle = near.at, near.angle
            if last.pair.type == "P":
                c, s = self.cosine(f"near_{last.pair.name}", angle)
                at = at + Vector((c, s)) * moved
            else:
                angle = angle + moved
            turn = d.scalar(f"turn_{body}", here.angle + angle - far.angle, f"angle of {body} in its link", "rad")
            c0, s0 = self._turned(last.start, base)
            c1, s1 = self.cosine(f"turn_{body}", turn)
            place = here.at + rotated(c0, s0, at) - rotated(c1, s1, far.at)
            self._places[body] = PlanarFrame(
                d.vector(f"shift_{body}", place, f"origin of {body} in its link", "m"), turn
            )

    def _turned(self, body: str, base: str) -> tuple[Expr, Expr]:
        """Return cosine and sine of the angle of a settled body in its link."""
        return (ONE, ZERO) if body == base else (self.d.promise(f"c_turn_{body}"), self.d.promise(f"s_turn_{body}"))

    def cosine(self, name: str, angle: Expr) -> tuple[Expr, Expr]:
        """Name cosine and sine of an angle `c_<name>` and `s_<name>`; those of zero need no name."""
        if is_number(angle):
            return ONE, ZERO
        return (
            self.d.scalar(f"c_{name}", cos(angle), f"cosine of {name}"),
            self.d.scalar(f"s_{name}", sin(angle), f"sine of {name}"),
        )

    def side(self, pair: Pair, base: str) -> PlanarFrame:
        """Return the frame of a pair on a link, in the axes of the link's base."""
        body = self.links.side(pair, base)
        frame = self.frame(pair, body)
        if body == base:
            return frame
        if (pair, base) not in self._sides:
            place, name = self._places[body], f"{pair.name}_on_{body}"
            c, s = self._turned(body, base)
            at = self.d.vector(
                f"at_{name}", place.at + rotated(c, s, frame.at), f"{pair.joint} in the link of {body}", "m"
            )
            self._sides[pair, base] = PlanarFrame(at, place.angle + frame.angle)
        return self._sides[pair, base]

    def ground(self, pair: Pair) -> PlanarFrame:
        """Return the frame of a pair on a known link, in the world."""
        key = (pair, "world")
        if key not in self._sides:
            base = next(self.links.base(body) for body in pair.bodies if self.links.is_known(body))
            frame, body = self.side(pair, base), self.known[base]
            centre = self.d.vector(f"at_{pair.name}", body.point(frame.at), f"frame of {pair.joint} in the world", "m")
            self._sides[key] = PlanarFrame(centre, body.phi + frame.angle)
        return self._sides[key]

    # -- places ------------------------------------------------------------------------------------------------------

    def place_link(self, base: str, phi: Expr, point: Vector, local: Vector) -> None:
        """Name and give the poses of a link's bodies: its point `local` is at `point`, the angle of its base is phi."""
        if is_pin(base):
            return
        d = self.d
        angle = phi if self._is_step(phi, f"phi_{base}") else d.scalar(f"phi_{base}", phi, f"angle of {base}", "rad")
        c, s = self.cosine(base, angle)
        r = d.vector(f"r_{base}", point - rotated(c, s, local), f"origin of {base}", "m")
        self.bodies[base] = PlacedBody(r, angle, c, s)
        give_pose(d, base, r, angle)
        self.place_members(base)

    def place_members(self, base: str) -> None:
        """Name and give the poses of the other bodies of a link whose base is placed."""
        d, whole = self.d, self.bodies[base]
        for body in self.links.members(base):
            if body == base or is_pin(body):
                continue
            place = self._places[body]
            phi = d.scalar(f"phi_{body}", whole.phi + place.angle, f"angle of {body}", "rad")
            c, s = self.cosine(body, phi)
            r = d.vector(f"r_{body}", whole.r + whole.to_world(place.at), f"origin of {body}", "m")
            self.bodies[body] = PlacedBody(r, phi, c, s)
            give_pose(d, body, r, phi)

    @staticmethod
    def _is_step(value: Expr, name: str) -> bool:
        return is_symbol(value) and name_of(value) == name

    def centre(self, pair: Pair) -> Vector:
        """Return the centre of a revolute pair in the world, from a body that has a name."""
        if pair not in self._centres:
            body = next(b for b in pair.bodies if not is_pin(b))
            at = self.bodies[body]
            value = at.r + at.to_world(self.frame(pair, body).at)
            self._centres[pair] = self.d.vector(f"centre_{pair.joint}", value, f"centre of {pair.joint}", "m")
        return self._centres[pair]

    def direction(self, pair: Pair) -> Vector:
        """Return the direction of a prismatic pair in the world, from a body that has a name."""
        if pair not in self._directions:
            body = next(b for b in pair.bodies if not is_pin(b))
            angle = self.bodies[body].phi + self.frame(pair, body).angle
            self._directions[pair] = Vector(self.cosine(f"slide_{pair.joint}", angle))
        return self._directions[pair]

    def give_coordinates(self) -> None:
        """Name and give the coordinates of all free freedoms."""
        for slot in self.slots:
            ends = [(self.bodies[body], self._frames[slot.name, body]) for body in slot.bodies]
            (first, on_first), (second, on_second) = ends
            values = {"angle": second.phi + on_second.angle - first.phi - on_first.angle}
            if slot.type != "R":
                slide = next(pair for pair in self.pairs if pair.joint == slot.name and pair.type == "P")
                gap = second.r + second.to_world(on_second.at) - first.r - first.to_world(on_first.at)
                values["slide"] = self.direction(slide).dot(gap) if "slide" in slot.free else ZERO
            self.give("q", slot, values, "", "")

    def give(self, prefix: str, slot: JointSlot, values: dict[str, Expr], suffix: str, what: str) -> None:
        """Name and give the coordinates of a joint, or their rates or accelerations."""
        if not slot.free:
            return
        d = self.d
        steps = tuple(
            d.scalar(
                f"{prefix}_{slot.name}_{freedom}",
                values[freedom],
                f"{freedom}{what} of joint {slot.name}",
                ("rad" if freedom == "angle" else "m") + suffix,
            )
            for freedom in slot.free
        )
        unit = ", ".join(("rad" if freedom == "angle" else "m") + suffix for freedom in slot.free)
        text = f"{', '.join(slot.free)}{what} of joint {slot.name}"
        d.output(f"{prefix}_{slot.name}", steps, meaning=text, unit=unit, frame="joint")


def _drives(slot: JointSlot, pair: Pair) -> bool:
    return pair.driven and pair.joint == slot.name
