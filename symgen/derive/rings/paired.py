"""Rings with a spherical pair, a whole universal or cylindrical pair B, and one letter A more.

The kernels are those of `symgen.derive.rings.ball_kernel`: seen from the link between A and B, A moves the carried
point on a circle or a line, and B keeps it on a sphere about the universal centre or on a cylinder about the
cylindrical axis. Pair B is then settled in its own frame: the word E_1 E_2 y = t with y the point that A has moved.

Source: docs/closed-forms.md, "Loops through a spherical pair" and "Rings".
"""

from __future__ import annotations

from symgen.algebra import Expr
from symgen.derive.calls import CallResults
from symgen.derive.derivation import Derivation
from symgen.derive.rings.ball_kernel import FAMILIES, BallRingFamily
from symgen.derive.rings.group import RingGroup
from symgen.derive.rings.layout import HeldPoint
from symgen.derive.rings.spherical import Row, SphericalClosing, angle_of, counted
from symgen.derive.vectors import AXES, Vector


def paired_family(word: str) -> BallRingFamily | None:
    """Return the family that solves a word of `regional_reading` (UR, UP, CR, CP), or None."""
    return next((family for family in FAMILIES if family.b + family.a == word), None)


class PairedClosing(SphericalClosing):
    """Closes a chain at its spherical pair by the kernel of a family."""

    def __init__(self, cut: int, family: BallRingFamily) -> None:
        super().__init__(cut)
        self.family = family

    def input_branch(self, d: Derivation) -> object:
        """Declare the branch; the kernel says whether another branch is within reach."""
        return self.family.input_branch(d)

    def solve(self, group: RingGroup, row: Row, carried: HeldPoint, target: HeldPoint) -> tuple[Expr, ...]:
        """Call the kernel and settle both letters of pair B, then letter A."""
        d, (first, second, third) = group.d, row
        frame = second.source.frame
        goal = target.seen_in(d, frame, "target", "point to be reached, in the frame of the pair")
        given: dict[str, Vector | Expr] = {"a": third.source.axis, "p": third.source.point, "s0": carried.world}
        given |= {"c": frame.at, "u": second.source.axis, "branch": d.branch}
        if self.family.b == "U":
            text = "squared distance of the point from the universal centre"
            along = AXES.index(first.primitive.axis)
            given |= {"rho2": d.scalar("rho2", goal.dot(goal), text, "m^2"), "kappa": goal[along]}
        else:
            text = "squared distance of the point from the cylindrical axis"
            given["rad2"] = d.scalar("rad2", goal[0] * goal[0] + goal[1] * goal[1], text, "m^2")
        text = "The loop seen from the link between its pair and its other letter."
        found = d.call(group.kernel, {p.name: given[p.name] for p in group.kernel.inputs}, "loop", text)
        what = "from the pair to the moved point, seen from the link between"
        e = d.vector("e", found.vector("y") - frame.at, what, "m")
        g = d.vector("g", frame.axes.to_local(e), "the same in the frame of the pair", "m")
        if self.family.b == "U":
            both = _settle_universal(d, row, found.vector("v"), g, goal)
        else:
            sine, cosine = goal[1] * g[0] - goal[0] * g[1], goal[0] * g[0] + goal[1] * g[1]
            both = angle_of(first, sine, cosine), counted(second, goal[2] - g[2])
        return (*both, self._last(row, found))

    def _last(self, row: Row, found: CallResults) -> Expr:
        if self.family.a == "R":
            return angle_of(row[2], found.scalar("sin_q"), found.scalar("cos_q"))
        return counted(row[2], found.scalar("slide"))


def _settle_universal(d: Derivation, row: Row, v: Vector, g: Vector, goal: Vector) -> tuple[Expr, Expr]:
    """Return both angles: v = E_2^-1 a_1 gives the second; E_1 takes E_2 g to the goal.

    The pair turns about z and x of its frame, in either order, so that y is the third direction.
    """
    first, second, _ = row
    axes = second.source.frame.axes
    one, two = (AXES.index(letter.primitive.axis) for letter in (first, second))
    cosine = d.scalar("c_2", v.dot(first.source.axis), "cosine of the pair's second angle, as the kernel reads it")
    sine = d.scalar("s_2", v.dot(axes.y), "part of v along y: sine of that angle, with the sign that z x x = y has")
    raised = d.scalar("g_turned", cosine * g[1] - sine * g[one], "y part of g, turned by that angle", "m")
    x, y = g[two] * goal[two] + raised * goal[1], g[two] * goal[1] - raised * goal[two]
    if one == 0:  # x x z = -y
        sine, y = -sine, -y
    return angle_of(first, y, x), angle_of(second, sine, cosine)
