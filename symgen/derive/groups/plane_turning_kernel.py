"""Two turns and a slide, in any order, that put one plane on another: the rings of R, R, P and PL by one square root.

Slides leave directions alone, so both turns alone bring the carried normal n0 to the one wanted, n. With u1 the axis of
the first turn and u2 that of the second (held at zero in the world), the normal m between them, m = R2 n0 = R1' n, has

    u1 . m = u1 . n,    u2 . m = u2 . n0,    |m| = 1

which is the spherical triangle of loops of three turns: the normal of the plane is the axis in the middle (T6 of
docs/closed-forms.md). Then the slide, turned by what is before it, lifts the carried point to the plane: one linear
equation, whose factor is the sine of the slide against the plane.

Source: docs/closed-forms.md, derived there.
"""

from __future__ import annotations

from symgen.algebra import SINGULAR_TOLERANCE, SMALL_LENGTH, ZERO, Expr, absolute
from symgen.derive.blocks.rotations import middle_axis
from symgen.derive.derivation import Derivation
from symgen.derive.groups.plane_ring import (
    Moves,
    PlaneRing,
    Turn,
    angle_between,
    derive_rates,
    give_moves,
    place_ring,
    plane_ring,
)
from symgen.status import Status

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"

#: Sign of the square root.
BITS = (("sigma", "m . (u1 x u2) > 0: side on which the normal m between both turns lies of the plane of their axes"),)


def solve_moves(d: Derivation, ring: PlaneRing, sigma: Expr) -> tuple[Moves, Expr]:
    """Name the steps from held elements to both angles and the slide; return them, and the unit."""
    before, behind = ring.turns
    u1, u2 = ring.axes[before], ring.axes[behind]
    total = (ring.c - ring.point(before)).size() + (ring.c0 - ring.point(behind)).size()
    total = total + (ring.point(behind) - ring.point(before)).size()
    unit = d.scalar("unit", total + SMALL_LENGTH, "sum of all distances, which may all be zero", "m")
    c1 = d.scalar("c1", u1.dot(ring.n), "part of the normal wanted along the axis of the first turn")
    c2 = d.scalar("c2", u2.dot(ring.n0), "part of the carried normal along the axis of the second turn")
    m = middle_axis(d, u1, u2, c1, c2, sigma)
    turns = {
        before: angle_between(d, "", str(before + 1), u1, (m, ring.n), "first"),
        behind: angle_between(d, "", str(behind + 1), u2, (ring.n0, m), "second"),
    }
    (sliding,) = {0, 1, 2} - set(turns)
    zero = _moves(turns, sliding, ZERO)
    placed = place_ring(d, "flat_", ring, zero, ring.c0, None)
    slope = d.scalar("slope", ring.n.dot(placed.axes[sliding]), "sine of the slide against the plane wanted")
    text = "the slide runs along the plane: it closes nothing"
    d.guard(absolute(slope), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    gap = d.scalar("gap", ring.n.dot(ring.c - placed.point), "how far the carried point is below the plane wanted", "m")
    slide = d.scalar(f"slide_{sliding + 1}", gap / slope, "slide", "m")
    return _moves(turns, sliding, slide), unit


def _moves(turns: dict[int, Turn], sliding: int, slide: Expr) -> Moves:
    first, second, third = (slide if k == sliding else turns[k] for k in range(3))
    return first, second, third


def derive_kernel(letters: str) -> Derivation:
    """Derive the ring on world elements: `letters` says which freedom slides, for example "RPR"."""
    title = "two turns and a slide that put one plane on another, elements in one frame"
    d = Derivation(f"ring_{letters.lower()}e kernel", level="kernel", title=title, source=SOURCE)
    ring = plane_ring(d, letters)
    (sigma,) = d.input_branch(BITS)
    moves, unit = solve_moves(d, ring, sigma)
    give_moves(d, moves)
    derive_rates(d, ring, moves, unit)
    return d
