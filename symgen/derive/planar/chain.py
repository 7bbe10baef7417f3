"""Chains between two known bodies that come down to a dyad: driven freedoms inside, pins in slots at either end.

Position: the three free pairs and the two links between them are a dyad of R and P; its kernel is called with elements
of the links. Rates: seen from both ends, the centre of one of the revolute pairs moves alike: a 2 x 2 system in the
rates of the other two free pairs.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, TINY, ZERO, Expr, atan2, sqrt
from symgen.derive.blocks.planar import linear_pair, rotated
from symgen.derive.derivation import Derivation
from symgen.derive.module import JointSlot
from symgen.derive.planar.group import PlanarGroup
from symgen.derive.planar.motion import PlanarMotions
from symgen.derive.planar.pairs import Links, Pair, PassedPair
from symgen.derive.planar_group import PlanarFrame
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.status import Status

#: Types of the free pairs along the chain -> module whose kernel solves it.
KERNELS = {"RRR": "dyad_rrr", "RRP": "dyad_rrp", "RPR": "dyad_rrp", "PRP": "dyad_prp", "RPP": "dyad_prp"}
_ORIGIN, _AHEAD = Vector((ZERO, ZERO)), Vector((ONE, ZERO))


def chain_of(links: Links, known: Sequence[str]) -> tuple[PassedPair, ...] | None:
    """Return all pairs from the first known body to the second in order, or None if the group is no such chain."""
    if len(known) != 2:
        return None
    body, way, left = known[0], [], list(links.pairs)
    while left:
        here = [pair for pair in left if body in pair.bodies]
        if len(here) != 1:
            return None
        left.remove(here[0])
        way.append(PassedPair(here[0], here[0].first == body))
        body = here[0].other(body)
    return tuple(way) if body == known[1] else None


def types_of(way: Sequence[PassedPair]) -> str:
    """Return the types of the free pairs, in the direction of the kernels."""
    word = "".join(step.pair.type for step in way if not step.pair.driven)
    return word if word in KERNELS else word[::-1]


class ChainPosition:
    """Places the two links of a chain by a dyad's kernel."""

    def __init__(self, group: PlanarGroup, kernel: Routine, way: Sequence[PassedPair]) -> None:
        self.group, self.d, self.kernel = group, group.d, kernel
        free = [step for step in way if not step.pair.driven]
        if "".join(step.pair.type for step in free) not in KERNELS:
            free = [step.reversed() for step in reversed(free)]
        self.one, self.two, self.three = (step.pair for step in free)
        self.a, self.b = (group.links.base(step.end) for step in free[:2])
        self.word = "".join(step.pair.type for step in free)

    def solve(self) -> None:
        """Call the kernel and place both links."""
        {"RRR": self._rrr, "RRP": self._rrp, "RPR": self._rpr, "PRP": self._prp, "RPP": self._rpp}[self.word]()

    def _call(self, given: dict[str, Vector | Expr], text: str) -> tuple[Vector, dict[str, Expr]]:
        if self.kernel.has_branch:
            given["branch"] = self.d.branch
        found = self.d.call(self.kernel, given, "dyad", text)
        return found.vector("p"), {name: values[0] for name, values in found.values.items() if len(values) == 1}

    def _on(self, pair: Pair, link: str) -> PlanarFrame:
        return self.group.side(pair, link)

    def _link(self, name: str, start: PlanarFrame, end: PlanarFrame) -> tuple[Vector, Expr]:
        link = self.d.vector(f"link_{name}", end.at - start.at, f"from pair to pair on the {name} link", "m")
        return link, self.d.scalar(f"l_{name}", sqrt(link.dot(link)), "its length", "m")

    def _angle(self, name: str, local: Vector, world: Vector) -> Expr:
        d = self.d
        c = d.scalar(f"dot_{name}", local.dot(world), f"cosine of the angle of the {name} link, scaled")
        s = d.scalar(f"area_{name}", local.area(world), f"sine of the angle of the {name} link, scaled")
        return d.scalar(f"angle_{name}", atan2(s, c), f"angle of the {name} link", "rad")

    def _unit(self, name: str, angle: Expr) -> Vector:
        return Vector(self.group.cosine(name, angle))

    def _seen(self, name: str, frame: PlanarFrame, point: Vector) -> Vector:
        """Name a point of a link in the axes and from the origin of one of its frames."""
        c, s = self._unit(f"frame_{name}", frame.angle)
        return self.d.vector(
            name, rotated(c, -s, point - frame.at), f"{name} end of the link in the slide's frame", "m"
        )

    def _rrr(self) -> None:
        a, b = self.group.ground(self.one).at, self.group.ground(self.three).at
        start, middle = self._on(self.one, self.a), self._on(self.two, self.a)
        end, middle_b = self._on(self.three, self.b), self._on(self.two, self.b)
        link1, l_a = self._link("first", start, middle)
        link2, l_b = self._link("second", end, middle_b)
        p, _ = self._call({"a": a, "b": b, "l_a": l_a, "l_b": l_b}, "Inner centre of the dyad.")
        phi1, phi2 = self._angle("first", link1, p - a), self._angle("second", link2, p - b)
        self.group.place_link(self.a, phi1, a, start.at)
        self.group.place_link(self.b, phi2, b, end.at)

    def _rrp(self) -> None:
        a, slide = self.group.ground(self.one).at, self.group.ground(self.three)
        start, middle, middle_b = self._on(self.one, self.a), self._on(self.two, self.a), self._on(self.two, self.b)
        n = self._unit("slide", slide.angle)
        link, l_a = self._link("first", start, middle)
        end = self._seen("inner", self._on(self.three, self.b), middle_b.at)
        given: dict[str, Vector | Expr] = {"a": a, "l_a": l_a, "c": slide.at, "n": n, "e": end[1]}
        p, _ = self._call(given, "Inner centre of the dyad, on a line.")
        self.group.place_link(self.a, self._angle("first", link, p - a), a, start.at)
        self.group.place_link(self.b, slide.angle - self._on(self.three, self.b).angle, p, middle_b.at)

    def _rpr(self) -> None:
        d = self.d
        a, b = self.group.ground(self.one).at, self.group.ground(self.three).at
        on_a, on_b = self._on(self.two, self.a), self._on(self.two, self.b)
        start, end = self._on(self.one, self.a), self._on(self.three, self.b)
        near, far = self._seen("near", on_a, start.at), self._seen("far", on_b, end.at)
        ab = d.vector("ab", b - a, "from outer centre to outer centre", "m")
        d2 = d.scalar("d2_ab", ab.dot(ab), "its squared length", "m^2")
        extent = d.scalar("extent", near.dot(near) + far.dot(far), "squared size of the links", "m^2")
        d.guard(d2, ">", TINY * extent, Status.DEGENERATE, "the outer centres coincide")
        given: dict[str, Vector | Expr] = {"a": near, "l_a": d.scalar("d_ab", sqrt(d2), "distance of the centres", "m")}
        given |= {"c": _ORIGIN, "n": _AHEAD, "e": far[1]}
        p, _ = self._call(given, "Second outer centre, seen from the slide's frame on the first link.")
        theta = self._angle("slide", d.vector("seen", p - near, "from centre to centre in the slide's frame", "m"), ab)
        self.group.place_link(self.a, theta - on_a.angle, a, start.at)
        self.group.place_link(self.b, theta - on_b.angle, b, end.at)

    def _reach(self, name: str, angle: Expr, local: Vector) -> Vector:
        c, s = self._unit(f"link_{name}", angle)
        return self.d.vector(f"reach_{name}", rotated(c, s, local), f"{name} link, turned", "m")

    def _prp(self) -> None:
        d, outer = self.d, []
        for name, pair, link in (("first", self.one, self.a), ("second", self.three, self.b)):
            ground, on_link, middle = self.group.ground(pair), self._on(pair, link), self._on(self.two, link)
            angle = ground.angle - on_link.angle
            point = ground.at + self._reach(name, angle, middle.at - on_link.at)
            point = d.vector(f"start_{name}", point, f"inner centre on the {name} link at zero slide", "m")
            outer.append((point, self._unit(f"slide_{name}", ground.angle), angle, middle.at, link))
        (p1, n1, phi1, at1, a), (p2, n2, phi2, at2, b) = outer
        p, _ = self._call({"p1": p1, "n1": n1, "p2": p2, "n2": n2}, "Inner centre, on two lines.")
        self.group.place_link(a, phi1, p, at1)
        self.group.place_link(b, phi2, p, at2)

    def _rpp(self) -> None:
        d = self.d
        a, slide = self.group.ground(self.one).at, self.group.ground(self.three)
        start, on_a = self._on(self.one, self.a), self._on(self.two, self.a)
        on_b, outer = self._on(self.two, self.b), self._on(self.three, self.b)
        phi2 = d.scalar("angle_second", slide.angle - outer.angle, "angle of the second link", "rad")
        phi1 = d.scalar("angle_first", phi2 + on_b.angle - on_a.angle, "angle of the first link", "rad")
        far, near = self._reach("second", phi2, on_b.at - outer.at), self._reach("first", phi1, start.at - on_a.at)
        p2 = d.vector("start_both", slide.at + far + near, "outer centre at zero slides", "m")
        n2, n3 = self._unit("slide_inner", phi2 + on_b.angle), self._unit("slide_outer", slide.angle)
        _, found = self._call(
            {"p1": a, "n1": n2, "p2": p2, "n2": n3}, "Slides that bring the outer centre to its place."
        )
        self.group.place_link(self.a, phi1, a, start.at)
        self.group.place_link(self.b, phi2, slide.at + n3 * found["s2"], outer.at)


def add_chain_rates(group: PlanarGroup, way: Sequence[PassedPair]) -> None:
    """Derive velocities, accelerations and condition of a chain whose bodies are placed."""
    d, motions = group.d, PlanarMotions(group)
    left, closing, right = _split(way)
    centre = group.centre(closing)
    free = [step for step in (*left, *right) if not step.pair.driven]
    columns = []
    for k, step in enumerate(free, 1):
        sign = 1 if (step in left) == step.forward else -1
        with d.part("geometry"):
            if step.pair.type == "P":
                value = group.direction(step.pair) * sign
            else:
                value = (centre - group.centre(step.pair)).turned() * sign
            columns.append(d.vector(f"column_{k}", value, f"how {closing.joint} opens with {step.pair.joint}"))
    word = "".join(step.pair.type for step in way if not step.pair.driven)
    parallel = Status.DEGENERATE if word.count("P") == 2 else Status.SINGULAR  # two slides: known with their directions
    system = linear_pair(d, columns[0], columns[1], "the system of joint rates", unit="m^2", parallel=parallel)
    starts = way[0].start, way[-1].end
    with d.part("velocity"):
        ends = [
            motions.passed(motions.twists[start], side, motions.driven_rate, f"{name}_held")
            for start, side, name in zip(starts, (left, right), ("left", "right"), strict=True)
        ]
        open_ = ends[1].velocity_at(centre) - ends[0].velocity_at(centre)
        x1, x2 = system.solve(d.vector("open", open_, "velocity gap that the rates must close", "m/s"))
        rates = {
            step.pair: d.scalar(f"rate_{k}", x, f"rate of {step.pair.joint}")
            for k, (step, x) in enumerate(zip(free, (x1, x2), strict=True), 1)
        }
        for start, side, name in zip(starts, (left, right), ("left", "right"), strict=True):
            motions.follow_twists(
                motions.twists[start], side, lambda pair: rates.get(pair, motions.driven_rate(pair)), name
            )
        motions.give_rates()
    with d.part("acceleration"):
        grown = [
            motions.grown(motions.growths[start], side, motions.driven_acceleration, f"{name}_held")
            for start, side, name in zip(starts, (left, right), ("left", "right"), strict=True)
        ]
        open_ = grown[1].acceleration_at(centre) - grown[0].acceleration_at(centre)
        x1, x2 = system.solve(d.vector("open_2", open_, "acceleration gap that the accelerations must close", "m/s^2"))
        growths = {
            step.pair: d.scalar(f"growth_{k}", x, f"acceleration of {step.pair.joint}")
            for k, (step, x) in enumerate(zip(free, (x1, x2), strict=True), 1)
        }
        for start, side, name in zip(starts, (left, right), ("left", "right"), strict=True):
            motions.follow_growths(
                motions.growths[start], side, lambda pair: growths.get(pair, motions.driven_acceleration(pair)), name
            )
        motions.give_accelerations()


def _split(way: Sequence[PassedPair]) -> tuple[tuple[PassedPair, ...], Pair, tuple[PassedPair, ...]]:
    """Choose the revolute pair that closes the chain, the middle one if it turns; return what lies on either side."""
    free = [k for k, step in enumerate(way) if not step.pair.driven]
    turning = [k for k in (free[1], free[2], free[0]) if way[k].pair.type == "R"]
    at = turning[0]
    return tuple(way[:at]), way[at].pair, tuple(step.reversed() for step in reversed(way[at + 1 :]))


def derive_chain(
    name: str, arrangement: str, title: str, source: str, known: Sequence[str], bodies: Sequence[str],
    slots: Sequence[JointSlot], kernel: Routine, bits: Sequence[tuple[str, str]],
) -> Derivation:  # fmt: skip
    """Derive a chain on poses and joint frames.

    Parameters
    ----------
    bits : branch bits of the kernel.
    """
    d = Derivation(f"{name} {arrangement}", level="group", title=title, source=source, arrangement=arrangement)
    group = PlanarGroup(d, known, bodies, slots)
    way = chain_of(group.links, known)
    if way is None:
        raise ValueError(f"{name}: {arrangement} is no chain")
    if bits:
        d.input_branch(bits)
    ChainPosition(group, kernel, way).solve()
    group.give_coordinates()
    add_chain_rates(group, way)
    return d
