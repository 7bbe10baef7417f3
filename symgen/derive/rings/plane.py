"""Rings of three turns and a planar joint, cut at the planar joint, whatever joints and links they are spread over.

With E_A the held motions of the side of k1 and E_B those of the side of k2, both halves of the plane meet if
E_B^-1 E_A carries the plane on the side of k1 to that on the side of k2: a kernel that puts one plane on another by
three turns solves the group, wherever the known bodies and the planar joint are. Two turns of one universal pair have
a kernel of their own; where they come last, the chain is read backwards.

Rates close the placed planes: angular velocities differ along the normal only, velocities across it only.

Source: docs/closed-forms.md, "Rings with a planar joint"; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import SMALL_LENGTH, TWO, Expr, atan2
from symgen.derive.blocks.plane import plane_column
from symgen.derive.blocks.spatial import LinearTriple, SpatialMotion, acceleration_at, linear_triple
from symgen.derive.derivation import Derivation
from symgen.derive.rings import plane_kernel, plane_universal_kernel
from symgen.derive.rings.chain import RingChain
from symgen.derive.rings.group import Coordinates, RingGroup
from symgen.derive.rings.layout import HeldLetter, HeldSide
from symgen.derive.rings.rates import PlacedLetter, Rates, RateWalk, give_accelerations, give_rates, give_velocities
from symgen.derive.rings.words import WordLetter, cut_letters, pair_of, spherical_cut
from symgen.derive.spatial_group import WorldFrame, frame_in_world, give_coordinates
from symgen.derive.vectors import Vector


def planar_cut(chain: RingChain) -> int | None:
    """Return the number of the planar joint of a chain without an S that turns three times besides, or None."""
    if spherical_cut(chain) is not None:
        return None
    planes = [j.number for j in chain.joints if j.type == "PL" and not j.driven]
    if len(planes) != 1 or len(chain.letters) != 6:
        return None
    kinds = [letter.primitive.kind for letter in cut_letters(chain, planes[0])]
    return planes[0] if kinds == ["R", "R", "R"] else None


class PlaneClosing:
    """Closes a chain of three turns at its planar joint."""

    def __init__(self, chain: RingChain, cut: int) -> None:
        self._cut = cut
        first, second, third = cut_letters(chain, cut)
        self.concurrent = "U" in (pair_of(first, second), pair_of(second, third))

    @property
    def cut(self) -> int | None:
        """Number of the planar joint."""
        return self._cut

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch; of a universal pair the kernel says whether another branch is within reach."""
        return d.input_branch(plane_universal_kernel.BITS) if self.concurrent else plane_kernel.input_branch(d)

    def kernel(self) -> Derivation:
        """Derive the kernel."""
        return plane_universal_kernel.derive_kernel() if self.concurrent else plane_kernel.derive_kernel()

    @property
    def summary(self) -> str | None:
        """What the kernel says of itself."""
        return plane_universal_kernel.__doc__ if self.concurrent else plane_kernel.__doc__

    def derive(self, group: RingGroup) -> None:
        """Derive coordinates, place the bodies, derive the rates."""
        d, layouts = group.d, group.hold()
        near, far = (
            self._held_half(group, layout, name) for layout, name in zip(layouts, ("near", "far"), strict=True)
        )
        row, backwards = self._word(layouts)
        carried, wanted = (far, near) if backwards else (near, far)
        given: dict[str, Vector | Expr] = {"n0": carried.axes.z, "c0": carried.at, "n": wanted.axes.z, "c": wanted.at}
        for k, letter in enumerate(row, 1):
            given |= {f"a{k}": letter.source.axis, f"p{k}": letter.source.point}
        given |= {"o": row[0].source.point, "branch": d.branch}
        text = "The three turns between both halves of the planar joint."
        found = d.call(group.kernel, {p.name: given[p.name] for p in group.kernel.inputs}, "ring", text)
        coordinates: Coordinates = {}
        for k, letter in enumerate(row, 1):
            sine = found.scalar(f"sin_{k}")
            ahead = letter.forward == letter.source.passed.ahead
            coordinates[letter.source.slot] = atan2(sine if ahead else -sine, found.scalar(f"cos_{k}"))
        group.place(coordinates, *layouts)
        PlacedPlane(group, self._cut).derive_rates()

    def _held_half(self, group: RingGroup, layout: HeldSide, name: str) -> WorldFrame:
        local = group.sides[self._cut].frames[layout.body]
        return layout.frame(group.d, local, f"plane_{name}", f"{name} plane, held")

    def _word(self, layouts: tuple[HeldSide, HeldSide]) -> tuple[tuple[WordLetter[HeldLetter], ...], bool]:
        """Return the letters as the kernel reads them, and whether that is backwards."""
        a, b = layouts
        far = [WordLetter(x.passed.joint, x.primitive, False, x) for x in b.letters[::-1]]
        row = (*far, *(WordLetter(x.passed.joint, x.primitive, True, x) for x in a.letters))
        if self.concurrent and pair_of(row[0], row[1]) != "U":
            return tuple(letter.flipped() for letter in row[::-1]), True
        return row, False


@dataclass(frozen=True)
class _Solving:
    """The system of the rates at the plane: its letters with +1 on the side of k1, -1 on that of k2."""

    system: LinearTriple
    letters: Sequence[tuple[PlacedLetter, int]]
    n: Vector
    per_length: Expr

    def solve(self, d: Derivation, name: str, turning: Vector, lifting: Vector) -> Rates:
        """Return rates or accelerations that make up for an angular and a linear opening."""
        value = self.n.cross(turning) + self.n * (self.n.dot(lifting) * self.per_length)
        opening = d.vector(name, value, "how the plane would open")
        solution = zip(self.letters, self.system.solve(opening), strict=True)
        return {x.slot: x.joint.passed.signed(v if sign > 0 else -v) for (x, sign), v in solution}


class PlacedPlane:
    """The planar joint of a group whose bodies are placed."""

    def __init__(self, group: RingGroup, cut: int) -> None:
        self.group, self.d, self.joint = group, group.d, group.chain.joints[cut]
        frames = []
        for k, name in enumerate(self.joint.ends, 1):
            body, local = group.bodies[name], group.sides[cut].frames[name]
            frames.append(
                frame_in_world(
                    self.d, f"{self.joint.name}_on{k}", body.r, body.q, group.axes[name], local, f"plane on {name}"
                )
            )
        self.first, self.second = frames
        apart = self.d.vector(f"{self.joint.name}_apart", self.second.at - self.first.at, "between its centres", "m")
        angle = atan2(self.second.axes.x.dot(self.first.axes.y), self.second.axes.x.dot(self.first.axes.x))
        self._give((apart.dot(self.first.axes.x), apart.dot(self.first.axes.y), angle), 0)

    def _give(self, values: Sequence[Expr], order: int) -> None:
        give_coordinates(self.d, self.joint.name, self.joint.free, values, order)

    def derive_rates(self) -> None:
        """Derive the rates: a 3 x 3 system; lengths are measured in the sum of all arms."""
        d, group = self.d, self.group
        k1, k2 = group.k1.motion, group.k2.motion
        assert k1 is not None and k2 is not None  # noqa: S101, PT018 - known bodies move
        a = RateWalk(group, "a", k1, [group.placed[p.joint.number] for p in group.walk_a])
        b = RateWalk(group, "b", k2, [group.placed[p.joint.number] for p in group.walk_b])
        end = group.walk_a[-1].far if group.walk_a else "k1"
        other = group.walk_b[-1].far if group.walk_b else "k2"
        half = self.first if self.joint.ends[0] == end else self.second
        s, n = half.at, half.axes.z
        solving = self._system(a, b, s, n)
        with d.part("velocity"):
            turning = k2.omega - k1.omega + b.driven_turning() - a.driven_turning()
            lifting = k2.velocity_at(s) - k1.velocity_at(s) + b.driven_velocity(s) - a.driven_velocity(s)
            rates = give_rates(group, solving.solve(d, "dv", turning, lifting), 1)
            give_velocities(group, rates, a, b)
            near, far = self._motion(end), self._motion(other)
            gliding = d.vector("gliding", near.velocity_at(s) - far.velocity_at(s), "velocity in the plane", "m/s")
            spin = d.scalar("spin", n.dot(near.omega - far.omega), "rate at which the halves turn", "rad/s")
            glide = self._give_rates()
        with d.part("acceleration"):
            ends = (a.derive_bias() if group.walk_a else k1, b.derive_bias() if group.walk_b else k2)
            text = "at zero joint accelerations"
            here, there = (acceleration_at(d, f"open{k}", m, s, f"side {k}, {text}") for k, m in enumerate(ends, 1))
            turning = d.vector(
                "turning", ends[1].alpha + far.omega.cross(n) * spin - ends[0].alpha, "turning left over", "rad/s^2"
            )
            lifting = d.vector("lifting", there + far.omega.cross(gliding) * TWO - here, "opening left over", "m/s^2")
            grown = give_rates(group, solving.solve(d, "da", turning, lifting), 2)
            give_accelerations(group, grown, a, b)
            self._give_accelerations(glide)

    def _system(self, a: RateWalk, b: RateWalk, s: Vector, n: Vector) -> _Solving:
        d = self.d
        letters = [*((letter, 1) for letter in a.letters), *((letter, -1) for letter in b.letters)]
        with d.part("geometry"):
            total: Expr = SMALL_LENGTH
            for letter, _ in letters:
                total = total + (s - letter.joint.point).size()
            size = d.scalar("arm_size", total, "sum of all arms", "m")
            per = d.scalar("per_length", 1 / size, "its reciprocal", "1/m")
            columns = []
            for k, (x, _) in enumerate(letters, 1):
                what = f"how {x.primitive.freedom} of {x.joint.passed.joint.name} opens the plane"
                columns.append(d.vector(f"g{k}", plane_column(n, x.axis, s - x.joint.point, per), what))
        return _Solving(linear_triple(d, columns, "the system of rates at the plane"), letters, n, per)

    # -- the joint's own coordinates -----------------------------------------------------------------------------

    def _motion(self, name: str, *, grown: bool = False) -> SpatialMotion:
        """Return the motion of a body; that of an unknown one is what has been given before."""
        body = self.group.bodies[name]
        if body.motion is not None:
            return body.motion
        v, omega = self._given("v", name), self._given("omega", name)
        return SpatialMotion(
            body.r, v, omega, *((self._given("a", name), self._given("alpha", name)) if grown else (v, omega))
        )

    def _given(self, what: str, name: str) -> Vector:
        return Vector(tuple(self.d.promise(f"{what}_{name}_{axis}") for axis in "xyz"))

    def _give_rates(self) -> Vector:
        """Give the rates; return how its centres move against each other."""
        one, two = (self._motion(name) for name in self.joint.ends)
        at, axes = self.second.at, self.first.axes
        value = two.velocity_at(at) - one.velocity_at(at)
        glide = self.d.vector(f"{self.joint.name}_glide", value, "velocity of its centres apart", "m/s")
        self._give((glide.dot(axes.x), glide.dot(axes.y), axes.z.dot(two.omega - one.omega)), 1)
        return glide

    def _give_accelerations(self, glide: Vector) -> None:
        d, at, axes, name = self.d, self.second.at, self.first.axes, self.joint.name
        one, two = (self._motion(body, grown=True) for body in self.joint.ends)
        a_1, a_2 = (
            acceleration_at(d, f"{name}_a{k}", m, at, f"its second centre, on its body {k}")
            for k, m in ((1, one), (2, two))
        )
        apart = d.vector(f"{name}_seen", a_2 - a_1 - one.omega.cross(glide) * TWO, "as its first body sees it", "m/s^2")
        self._give((apart.dot(axes.x), apart.dot(axes.y), axes.z.dot(two.alpha - one.alpha)), 2)
