"""Platforms on three legs, between known bodies (class III) or between two platforms of one group (class IV).

Class IV: two platforms, each with a pair to a known body, joined by two legs. Seen from the first platform, the known
bodies are a third leg, so the kernels of the triads place the second one against it; that leg then places the first.

Rates, class III: the three force lines hold the platform. Class IV: each platform has one rate, that of its pair to a
known body, and the two legs between them give a 2 x 2 system.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, SINGULAR_TOLERANCE, ZERO, Expr, absolute, atan2
from symgen.derive.blocks.planar import linear_pair, rotated
from symgen.derive.blocks.platform import ForceLine, platform_system
from symgen.derive.derivation import Derivation
from symgen.derive.module import JointSlot
from symgen.derive.planar.group import PlanarGroup
from symgen.derive.planar.legs import GROUND, STAY, Leg, PlanarPose
from symgen.derive.planar.motion import Growth, PlanarMotions, Twist
from symgen.derive.planar.pairs import Links, PassedPair
from symgen.derive.planar.plans import PlatformPlan, platform_of
from symgen.derive.planar.triad_kernel import input_branch
from symgen.derive.planar.triad_legs import Kind
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.status import Status

_STILL = Vector((ZERO, ZERO))


class PlatformPosition:
    """Places a platform and its legs by the kernel of a triad, or of a dyad if a leg of slides settles its angle."""

    def __init__(
        self, group: PlanarGroup, plan: PlatformPlan, kernel: Routine, bits: Sequence[tuple[str, str]]
    ) -> None:
        self.group, self.d, self.plan, self.kernel, self.bits = group, group.d, plan, kernel, bits
        self.legs = [
            Leg(group, k, leg.start, leg.link, leg.end, leg.outer, leg.inner) for k, leg in enumerate(plan.legs, 1)
        ]

    def solve(self) -> None:
        """Name all poses."""
        for leg in self.legs:
            leg.elements()
        platform = self._dyad() if "pp" in self.plan.kinds else self._triad()
        start = STAY if self.plan.start == GROUND else self._place_start(platform)
        point = start.to_outer(platform.point)
        self.group.place_link(self.plan.platform, start.angle(platform.phi), point, platform.local)
        for leg in self.legs:
            leg.place(start, platform)

    def _triad(self) -> PlanarPose:
        d, kinds = self.d, [leg.kind for leg in self.legs]
        first, second, third = _kinds(kinds)
        input_branch(d, (first, second, third))
        given: dict[str, Vector | Expr] = {"branch": d.branch}
        for k, leg in enumerate(self.legs, 1):
            given["ac"[leg.kind == "pr"] + str(k)] = leg.anchor
            if leg.kind == "rr":
                given[f"l{k}"] = leg.length
            else:
                given[("n" if leg.kind == "pr" else "m") + str(k)] = leg.direction
            if k > 1:
                text = f"from the first to the {k}. leg's point on the platform"
                given[f"d{k}"] = d.vector(f"d{k}", leg.point - self.legs[0].point, text, "m")
        found = d.call(self.kernel, given, "triad", "The platform.")
        c, s = found.scalar("cos_phi"), found.scalar("sin_phi")
        phi = d.scalar("phi_found", atan2(s, c), "angle of the platform against the start", "rad")
        return PlanarPose(phi, c, s, found.vector("p"), self.legs[0].point)

    def _dyad(self) -> PlanarPose:
        """Settle the angle by the leg of two slides; the other two legs are circles and lines of one point."""
        d, (one, two, fixed) = self.d, self.legs
        if self.bits:
            d.input_branch(self.bits)
        phi = d.scalar("phi_found", fixed.platform_angle(), "angle of the platform against the start", "rad")
        c, s = self.group.cosine("found", phi)
        shift = d.vector("shift_second", rotated(c, s, two.point - one.point), "from point to point, turned", "m")
        anchor = d.vector("anchor_second", two.anchor - shift, "second leg's anchor, moved to the first point", "m")
        lines = [
            rotated(c, s, leg.direction) if leg.kind == "rp" else leg.direction if leg.kind == "pr" else _STILL
            for leg in (one, two)
        ]
        given: dict[str, Vector | Expr] = {"branch": d.branch} if self.bits else {}
        if one.kind == "rr":
            given |= {"a": one.anchor, "l_a": one.length}
            given |= {"b": anchor, "l_b": two.length} if two.kind == "rr" else {"c": anchor, "n": lines[1], "e": ZERO}
        else:
            given |= {"p1": one.anchor, "n1": lines[0], "p2": anchor, "n2": lines[1]}
        found = d.call(self.kernel, given, "dyad", "The first leg's point on the platform.")
        return PlanarPose(phi, c, s, found.vector("p"), one.point)

    def _place_start(self, platform: PlanarPose) -> PlanarPose:
        """Place the first platform of class IV by the leg that the known bodies are."""
        d, group, base = self.d, self.group, self.plan.start
        leg = next(each for each in self.legs if each.link == GROUND)
        at, end = group.side(leg.outer, base), group.side(leg.inner, self.plan.platform)
        known, beyond = group.ground(leg.outer), group.ground(leg.inner)
        tip = d.vector("tip", platform.to_outer(end.at), "pair of the second platform, seen from the first", "m")
        if leg.kind == "rr":
            local = d.vector("across", tip - at.at, "from pair to pair, seen from the first platform", "m")
            world = d.vector("outside", beyond.at - known.at, "from pair to pair", "m")
            phi, point, its = atan2(local.area(world), local.dot(world)), known.at, at.at
        elif leg.kind == "pr":
            phi, point, its = known.angle - at.angle, beyond.at, tip
        elif leg.kind == "rp":
            phi, point, its = beyond.angle - end.angle - platform.phi, known.at, at.at
        else:
            phi, point, its = known.angle - at.angle, known.at, at.at
        phi = d.scalar(f"phi_{base}", phi, f"angle of {base}", "rad")
        c, s = group.cosine(f"start_{base}", phi)
        if leg.kind == "pp":
            (n1, n2) = (Vector(group.cosine(f"known_{k}", f.angle)) for k, f in ((1, known), (2, beyond)))
            sine = d.scalar("known_sine", n1.area(n2), "sine of the angle between the outer slides")
            d.guard(absolute(sine), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, "the outer slides are parallel")
            text = "what the outer slides close"
            gap = d.vector("known_gap", beyond.at - known.at - rotated(c, s, tip - at.at), text, "m")
            point = known.at + n1 * (gap.area(n2) / sine)
        point = d.vector("start_point", point, f"a point of {base} in the world", "m")
        group.place_link(base, phi, point, its)
        return PlanarPose(phi, c, s, point, its)


def _kinds(kinds: Sequence[str]) -> list[Kind]:
    found: list[Kind] = []
    for kind in kinds:
        if kind not in ("rr", "pr", "rp"):
            raise ValueError(f"no leg of kind {kind}")
        found.append(kind)  # type: ignore[arg-type]
    return found


def add_platform_rates(group: PlanarGroup, plan: PlatformPlan, legs: Sequence[Leg]) -> None:
    """Derive velocities, accelerations and condition of a class III group whose bodies are placed."""
    d, motions, base = group.d, PlanarMotions(group), plan.platform
    with d.part("geometry"):
        for leg in legs:
            leg.name_line()
        at = legs[0].contact
        arms = [
            _STILL if leg.kind == "pp" or leg is legs[0]
            else d.vector(f"arm{leg.number}", leg.contact - at, "from the first leg's line to this one's", "m")
            for leg in legs
        ]  # fmt: skip
    system = platform_system(d, [ForceLine(leg.force, arm) for leg, arm in zip(legs, arms, strict=True)])
    with d.part("velocity"):
        right = []
        for leg in legs:
            inside = group.links.path(base, leg.way[-1].end)
            own = motions.passed(Twist(at, _STILL, ZERO), inside, motions.driven_rate, f"{leg.name}_end")
            value = leg.opened(motions, (motions.twists[leg.way[0].start], own))
            right.append(d.scalar(f"open{leg.number}", value, f"what leg {leg.number} requires of the rates"))
        v, omega = system.solve(d, "bent", right[0], right[1], right[2])
        turn = d.scalar("turning", omega, "angular velocity of the platform", "rad/s")
        motions.give_twist(base, Twist(at, d.vector("v_at", v, "velocity of its reference point", "m/s"), turn))
        motions.spread_twists(base)
        for leg in legs:
            leg.follow_twists(motions)
        motions.give_rates()
    with d.part("acceleration"):
        right = []
        still = Growth(at, _STILL, ZERO, motions.twists[base].omega)
        for leg in legs:
            inside = group.links.path(base, leg.way[-1].end)
            grown = motions.grown(still, inside, motions.driven_acceleration, f"{leg.name}_end")
            value = leg.opened_twice(motions, (motions.growths[leg.way[0].start], grown))
            right.append(d.scalar(f"open{leg.number}_2", value, f"what leg {leg.number} requires of the accelerations"))
        a, alpha = system.solve(d, "bent_2", right[0], right[1], right[2])
        a_at = d.vector("a_at", a, "acceleration of the reference point", "m/s^2")
        motions.give_growth(base, Growth(at, a_at, alpha, motions.twists[base].omega))
        motions.spread_growths(base)
        for leg in legs:
            leg.follow_growths(motions)
        motions.give_accelerations()


@dataclass(frozen=True)
class _PlatformSide:
    """A platform of class IV: its base, the way from its known body onto it, and its side of a leg."""

    base: str
    outer: PassedPair

    def way(self, links: Links, body: str) -> tuple[PassedPair, ...]:
        """Return the way from the known body to a body of the platform."""
        return (self.outer, *links.path(self.outer.end, body))


def add_ring_rates(group: PlanarGroup, plan: PlatformPlan, legs: Sequence[Leg]) -> None:
    """Derive velocities, accelerations and condition of a class IV group whose bodies are placed."""
    d, links, motions = group.d, group.links, PlanarMotions(group)
    ground = next(leg for leg in plan.legs if leg.link == GROUND)
    sides = [
        _PlatformSide(base, PassedPair(pair, links.base(pair.second) == base))
        for base, pair in ((plan.start, ground.outer), (plan.platform, ground.inner))
    ]
    inner = [leg for leg in legs if leg.link != GROUND]
    with d.part("geometry"):
        for leg in inner:
            leg.name_line()
        columns = [
            d.vector(
                f"column_{k}", Vector(tuple(_gain(group, leg, side, k) for leg in inner)), f"legs' share of side {k}"
            )
            for k, side in enumerate(sides, 1)
        ]
    system = linear_pair(d, columns[0], columns[1], "the system of the platforms' rates", unit="")
    with d.part("velocity"):
        right = []
        for leg in inner:
            ends = [
                motions.passed(
                    motions.twists[side.outer.start],
                    side.way(links, body),
                    motions.driven_rate,
                    f"{leg.name}_{side.base}",
                )
                for side, body in zip(sides, (leg.way[0].start, leg.way[-1].end), strict=True)
            ]
            right.append(-leg.opened(motions, (ends[0], ends[1])))
        x = system.solve(d.vector("open", Vector(tuple(right)), "velocity gap that the rates must close"))
        for k, (side, value) in enumerate(zip(sides, x, strict=True), 1):
            rate = d.scalar(f"rate_{k}", value, f"rate of {side.outer.pair.joint}, from its known body inwards")
            own = rate if side.outer.forward else -rate
            start = motions.twists[side.outer.start]
            motions.follow_twists(start, (side.outer,), lambda _, own=own: own, f"side{k}")  # type: ignore[misc]
            _spread(motions, side)
        for leg in inner:
            leg.follow_twists(motions)
        motions.give_rates()
    with d.part("acceleration"):
        right = []
        for leg in inner:
            ends_2 = [
                motions.grown(
                    motions.growths[side.outer.start], side.way(links, body), motions.driven_acceleration,
                    f"{leg.name}_{side.base}",
                )
                for side, body in zip(sides, (leg.way[0].start, leg.way[-1].end), strict=True)
            ]  # fmt: skip
            right.append(-leg.opened_twice(motions, (ends_2[0], ends_2[1])))
        x = system.solve(d.vector("open_2", Vector(tuple(right)), "acceleration gap that the accelerations must close"))
        for k, (side, value) in enumerate(zip(sides, x, strict=True), 1):
            growth = d.scalar(
                f"growth_{k}", value, f"acceleration of {side.outer.pair.joint}, from its known body inwards"
            )
            own = growth if side.outer.forward else -growth
            start_2 = motions.growths[side.outer.start]
            motions.follow_growths(start_2, (side.outer,), lambda _, own=own: own, f"side{k}")  # type: ignore[misc]
            _spread_growths(motions, side)
        for leg in inner:
            leg.follow_growths(motions)
        motions.give_accelerations()


def _gain(group: PlanarGroup, leg: Leg, side: _PlatformSide, k: int) -> Expr:
    """Return how fast a leg opens with the rate of a platform's outer pair: end less start."""
    sign = 1 if k == 1 else -1
    pair = side.outer.pair
    if leg.kind == "pp":
        return ONE * sign if pair.type == "R" else ZERO
    if pair.type == "P":
        direction = group.direction(pair)
        return leg.force.dot(direction) * sign
    return leg.force.dot((leg.contact - group.centre(pair)).turned()) * sign


def _spread(motions: PlanarMotions, side: _PlatformSide) -> None:
    links = motions.group.links
    for body in links.members(side.base):
        if body not in motions.twists:
            way = links.path(side.outer.end, body)
            motions.follow_twists(motions.twists[side.outer.end], way, motions.driven_rate, f"to_{body}")


def _spread_growths(motions: PlanarMotions, side: _PlatformSide) -> None:
    links = motions.group.links
    for body in links.members(side.base):
        if body not in motions.growths:
            way = links.path(side.outer.end, body)
            motions.follow_growths(motions.growths[side.outer.end], way, motions.driven_acceleration, f"to_{body}")


def derive_platform(
    name: str, arrangement: str, title: str, source: str, known: Sequence[str], bodies: Sequence[str],
    slots: Sequence[JointSlot], kernel: Routine, bits: Sequence[tuple[str, str]],
) -> Derivation:  # fmt: skip
    """Derive a group with a platform on three legs, on poses and joint frames.

    Parameters
    ----------
    bits : branch bits of the kernel, if it is a dyad's.
    """
    d = Derivation(f"{name} {arrangement}", level="group", title=title, source=source, arrangement=arrangement)
    group = PlanarGroup(d, known, bodies, slots)
    plan = platform_of(group.links)
    if plan is None:
        raise ValueError(f"{name}: {arrangement} has no platform on three legs")
    position = PlatformPosition(group, plan, kernel, bits)
    position.solve()
    group.give_coordinates()
    if plan.start == GROUND:
        add_platform_rates(group, plan, position.legs)
    else:
        add_ring_rates(group, plan, position.legs)
    return d
