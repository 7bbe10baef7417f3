"""Legs of planar platforms: from a start (the known bodies, or another platform) by two free pairs to the platform.

Seen from the start, a leg is what `symgen.derive.planar.triad_legs` calls rr, pr or rp; one of two slides (pp) settles
the angle of the platform alone. Its force line (see `symgen.derive.blocks.platform`) gives its row of the rates.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import ONE, SINGULAR_TOLERANCE, ZERO, Expr, absolute, atan2, sqrt
from symgen.derive.blocks.planar import rotated
from symgen.derive.blocks.platform import NO_FORCE
from symgen.derive.planar.group import PlanarGroup
from symgen.derive.planar.motion import Growth, PlanarMotions, Rates, Twist
from symgen.derive.planar.pairs import Pair, PassedPair, is_pin
from symgen.derive.planar_group import PlanarFrame
from symgen.derive.vectors import Vector
from symgen.status import Status

#: Start or link that is known.
GROUND = ""


@dataclass(frozen=True)
class PlanarPose:
    """Where a frame of coordinates is in another one: angle, cosine and sine, and a point of it in both."""

    phi: Expr
    c: Expr
    s: Expr
    point: Vector
    local: Vector

    def angle(self, local: Expr) -> Expr:
        """Return an angle in the outer coordinates."""
        return self.phi + local

    def to_outer(self, local: Vector) -> Vector:
        """Return a point in the outer coordinates."""
        return self.point + rotated(self.c, self.s, local - self.local)


STAY = PlanarPose(ZERO, ONE, ZERO, Vector((ZERO, ZERO)), Vector((ZERO, ZERO)))


class Leg:
    """A leg; `start`, `link`, `end` are bases of links, or GROUND."""

    def __init__(
        self, group: PlanarGroup, number: int, start: str, link: str, end: str, outer: Pair, inner: Pair
    ) -> None:
        self.group, self.d, self.number = group, group.d, number
        self.start, self.link, self.end, self.outer, self.inner = start, link, end, outer, inner
        self.kind = f"{outer.type}{inner.type}".lower()
        self.name = f"leg{number}"

    def _frame(self, pair: Pair, base: str) -> PlanarFrame:
        return self.group.ground(pair) if base == GROUND else self.group.side(pair, base)

    def _unit(self, name: str, angle: Expr) -> Vector:
        return Vector(self.group.cosine(f"{self.name}_{name}", angle))

    # -- position ----------------------------------------------------------------------------------------------------

    def elements(self) -> None:
        """Name what the leg is for the kernel: `anchor`, `direction` or `length`, and `point` on the platform."""
        d, name = self.d, self.name
        start, end = self._frame(self.outer, self.start), self._frame(self.inner, self.end)
        near, far = self._frame(self.outer, self.link), self._frame(self.inner, self.link)
        self.anchor, self.point = start.at, end.at
        if self.kind == "rr":
            self.span = d.vector(f"{name}_link", far.at - near.at, f"leg {self.number}, from pair to pair", "m")
            self.length = d.scalar(f"{name}_length", sqrt(self.span.dot(self.span)), "its length", "m")
        elif self.kind == "pr":
            self.direction = self._unit("line", start.angle)
            beside = self._beside(near, far.at - near.at)
            self.anchor = d.vector(
                f"{name}_start", start.at + self.direction.turned() * beside, "point of its line", "m"
            )
        elif self.kind == "rp":
            self.direction = self._unit("line", end.angle)
            beside = self._beside(far, near.at - far.at)
            self.point = d.vector(f"{name}_end", end.at + self.direction.turned() * beside, "point of its line", "m")

    def _beside(self, frame: PlanarFrame, apart: Vector) -> Expr:
        """Return how far a point of the leg lies beside its slide."""
        c, s = self._unit("frame", frame.angle)
        return self.d.scalar(f"{self.name}_beside", c * apart[1] - s * apart[0], "revolute pair beside the slide", "m")

    def platform_angle(self) -> Expr:
        """Return the angle of the platform against the start, which a leg of two slides settles."""
        angle = self._frame(self.outer, self.start).angle - self._frame(self.outer, self.link).angle
        return angle + self._frame(self.inner, self.link).angle - self._frame(self.inner, self.end).angle

    def place(self, start: PlanarPose, platform: PlanarPose) -> None:
        """Place the leg's own link; `platform` is seen from the start, `start` from the world."""
        if self.link == GROUND or is_pin(self.link):
            return
        at, end = self._frame(self.outer, self.start), self._frame(self.inner, self.end)
        near, far = self._frame(self.outer, self.link), self._frame(self.inner, self.link)
        tip = platform.to_outer(end.at)
        if self.kind == "rr":
            along = self.d.vector(f"{self.name}_along", tip - at.at, f"leg {self.number}, placed", "m")
            angle, point, local = self._turned_to(self.span, along), at.at, near.at
        elif self.kind == "rp":
            angle, point, local = platform.phi + end.angle - far.angle, at.at, near.at
        else:
            angle, point, local = at.angle - near.angle, tip, far.at
        if self.kind == "pp":
            point, local = self._between_slides(at, near, (tip, platform.phi + end.angle), far, angle), near.at
        self.group.place_link(self.link, start.angle(angle), start.to_outer(point), local)

    def _turned_to(self, local: Vector, world: Vector) -> Expr:
        return atan2(local.area(world), local.dot(world))

    def _between_slides(
        self, at: PlanarFrame, near: PlanarFrame, end: tuple[Vector, Expr], far: PlanarFrame, angle: Expr
    ) -> Vector:
        """Return where the outer frame of a link between two slides lies on the first of them."""
        d, name = self.d, self.name
        n1, n2 = self._unit("outer", at.angle), self._unit("inner", end[1])
        sine = d.scalar(f"{name}_sine", n1.area(n2), "sine of the angle between the slides")
        d.guard(absolute(sine), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, "the slides of a leg are parallel")
        c, s = self._unit("turn", angle)
        gap = d.vector(f"{name}_gap", end[0] - at.at + rotated(c, s, near.at - far.at), "what the slides close", "m")
        return at.at + n1 * (gap.area(n2) / sine)

    # -- rates -------------------------------------------------------------------------------------------------------

    @property
    def way(self) -> tuple[PassedPair, ...]:
        """All pairs from the body of the start to that of the platform."""
        links = self.group.links
        inside = links.path(links.side(self.outer, self.link), links.side(self.inner, self.link))
        first = PassedPair(self.outer, links.base(self.outer.second) == self.link)
        last = PassedPair(self.inner, links.base(self.inner.first) == self.link)
        return (first, *inside, last)

    def name_line(self) -> None:
        """Name the force of the leg in the world and a point of its line."""
        d, group = self.d, self.group
        if self.kind == "rr":
            self.contact, outer = group.centre(self.inner), group.centre(self.outer)
            self.i_length = d.scalar(f"i_{self.name}", 1 / self.length, "reciprocal of its length", "1/m")
            text = f"direction of leg {self.number}"
            self.force = d.vector(f"f{self.number}", (self.contact - outer) * self.i_length, text)
        elif self.kind == "pp":
            self.force = NO_FORCE
        else:
            slide, turning = (self.outer, self.inner) if self.kind == "pr" else (self.inner, self.outer)
            self.contact, self.force = group.centre(turning), group.direction(slide).turned()

    def power(self, v: Vector, omega: Expr) -> Expr:
        """Return the power of the leg's force, or couple, on a motion of its point."""
        return omega if self.kind == "pp" else self.force.dot(v)

    def opened(self, motions: PlanarMotions, ends: tuple[Twist, Twist]) -> Expr:
        """Return how fast the leg, its free pairs held, opens between its start and its end."""
        here = motions.passed(ends[0], self.way, motions.driven_rate, f"{self.name}_held")
        if self.kind == "pp":
            return here.omega - ends[1].omega
        return self.force.dot(here.velocity_at(self.contact) - ends[1].velocity_at(self.contact))

    def opened_twice(self, motions: PlanarMotions, ends: tuple[Growth, Growth]) -> Expr:
        """Return the same of accelerations, all rates being known."""
        here = motions.grown(ends[0], self.way, motions.driven_acceleration, f"{self.name}_held")
        if self.kind == "pp":
            return here.alpha - ends[1].alpha
        return self.force.dot(here.acceleration_at(self.contact) - ends[1].acceleration_at(self.contact))

    def follow_twists(self, motions: PlanarMotions) -> None:
        """Give the twists of the leg's bodies; start and platform have theirs."""
        if self.link == GROUND or is_pin(self.link):
            return
        first, last = self.way[0], self.way[-1]
        start, end = motions.twists[first.start], motions.twists[last.end]
        held = motions.passed(start, self.way, motions.driven_rate, f"{self.name}_free")
        point = self.group.bodies[last.end].r if self.kind == "pp" else self.contact
        gap = end.velocity_at(point) - held.velocity_at(point)
        value = self._outer(gap, end.omega - held.omega)
        rate = self.d.scalar(f"rate_{self.name}", value, f"rate of {self.outer.joint}, from its start inwards")
        motions.follow_twists(start, self.way[:-1], self._rates(motions.driven_rate, rate, first), self.name)
        motions.spread_twists(self.link)

    def follow_growths(self, motions: PlanarMotions) -> None:
        """Give the accelerations of the leg's bodies."""
        if self.link == GROUND or is_pin(self.link):
            return
        first, last = self.way[0], self.way[-1]
        start, end = motions.growths[first.start], motions.growths[last.end]
        held = motions.grown(start, self.way, motions.driven_acceleration, f"{self.name}_free")
        point = self.group.bodies[last.end].r if self.kind == "pp" else self.contact
        gap = end.acceleration_at(point) - held.acceleration_at(point)
        value = self._outer(gap, end.alpha - held.alpha)
        text = f"acceleration of {self.outer.joint}, from its start inwards"
        growth = self.d.scalar(f"growth_{self.name}", value, text)
        accelerations = self._rates(motions.driven_acceleration, growth, first)
        motions.follow_growths(start, self.way[:-1], accelerations, self.name)
        motions.spread_growths(self.link)

    def _outer(self, gap: Vector, turning: Expr) -> Expr:
        """Return the rate of the outer pair, passed inwards, that makes up for what the held leg misses."""
        if self.kind == "rr":
            return self.force.area(gap) * self.i_length
        if self.kind == "rp":
            return turning
        n = self.group.direction(self.outer)
        if self.kind == "pr":
            return n.dot(gap)
        n2 = self.group.direction(self.inner)
        return gap.area(n2) / n.area(n2)

    @staticmethod
    def _rates(driven: Rates, outer: Expr, first: PassedPair) -> Rates:
        own = outer if first.forward else -outer
        return lambda pair: own if pair is first.pair else driven(pair)
