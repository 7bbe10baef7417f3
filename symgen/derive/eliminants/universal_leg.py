"""A link between two universal pairs, seen from one of them: where its far axis can point.

The pair's centre and its first axis u are placed, and the line e from there to the far centre is given. The second axis
v, normal to u and fixed in the link, has the given part kappa along e: with the part of e across u, of length sqrt(D),
and the direction g = u x e, both made unit vectors,

    v sqrt(D) = kappa across + s g,    s^2 = D - kappa^2,    two signs (T5 of docs/closed-forms.md)

The far axis w is fixed in the link too, so that w sqrt(D) = A + s B with A and B free of s. Nothing cancels where e
comes near u: A and B stay of the order of the lengths.

Source: docs/closed-forms.md (T5, norm elimination), derived there.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import SINGULAR_TOLERANCE, TINY, Expr, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


@dataclass(frozen=True)
class UniversalLink:
    """A link as it is held: its second axis and line e, an orthonormal basis of both, and its far axis in that basis.

    `shape` is what the elimination takes: parts of the far axis along v, e and v x e, then kappa.
    """

    basis: tuple[Vector, Vector, Vector]
    far: tuple[Expr, Expr, Expr]
    kappa: Expr
    across: Expr
    shape: tuple[Expr, Expr, Expr, Expr]

    def local(self, held: Vector) -> tuple[Expr, Expr, Expr]:
        """Return the components of a held direction in the link's basis."""
        one, two, three = self.basis
        return one.dot(held), two.dot(held), three.dot(held)


def held_link(d: Derivation, name: str, v: Vector, e: Vector, far: Vector, what: str) -> UniversalLink:
    """Name the shape of a link from its held elements."""
    kappa = d.scalar(f"{name}_kappa", v.dot(e), f"part of the line of {what} along its first axis")
    normal = d.vector(f"{name}_off", e - v * kappa, f"rest of the line of {what}")
    size2 = d.scalar(f"{name}_off2", normal.dot(normal), "its squared length")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE * e.dot(e)
    text = f"the axis of a universal pair lies along {what}: infinitely many poses, or none"
    d.guard(size2, ">", least, Status.DEGENERATE, text)
    across = d.scalar(f"{name}_across", sqrt(size2), "its length")
    i_across = d.scalar(f"{name}_i_across", 1 / across, "reciprocal of that")
    two = d.vector(f"{name}_two", normal * i_across, f"{what}: second direction of its basis")
    three = d.vector(f"{name}_three", v.cross(two), f"{what}: third direction of its basis")
    parts = [
        d.scalar(f"{name}_far{k}", axis.dot(far), f"{what}: part {k} of its far axis")
        for k, axis in enumerate((v, two, three), 1)
    ]
    along_e = d.scalar(f"{name}_along_e", parts[1] * i_across, f"far axis of {what} along e, oblique")
    along_v = d.scalar(f"{name}_along_v", parts[0] - along_e * kappa, f"far axis of {what} along v, oblique")
    beside = d.scalar(f"{name}_beside", parts[2] * i_across, f"far axis of {what} along v x e")
    return UniversalLink(
        (v, two, three), (parts[0], parts[1], parts[2]), kappa, across, (along_v, along_e, beside, kappa)
    )


@dataclass(frozen=True)
class UniversalLeg:
    """The far axis of a link, times sqrt(D), as A + s B, and s^2; `across` and `side` are unit vectors."""

    a: Vector
    b: Vector
    square: Expr
    root: Expr
    across: Vector
    side: Vector


def universal_leg(d: Derivation, name: str, u: Vector, e: Vector, shape: tuple[Expr, Expr, Expr, Expr]) -> UniversalLeg:
    """Name what the far axis of a link can be, its first axis u placed and its line e given."""
    along_v, along_e, beside, kappa = shape
    h = d.scalar(f"{name}_h", u.dot(e), "part of e along the first axis")
    off = d.vector(f"{name}_e_off", e - u * h, "part of e across the first axis")
    size2 = d.scalar(f"{name}_d", TINY + off.dot(off), "its squared length D, kept away from zero")
    root = d.scalar(f"{name}_root_d", sqrt(size2), "sqrt(D)")
    i_root = d.scalar(f"{name}_i_root", 1 / root, "reciprocal of sqrt(D)")
    across = d.vector(f"{name}_cross_e", off * i_root, "direction of that part")
    side = d.vector(f"{name}_side", u.cross(across), "that direction, turned by a quarter turn")
    a = across * (along_v * kappa) + e * (along_e * root) - side * (beside * kappa * h)
    b = side * along_v + (across * h - u * root) * beside
    return UniversalLeg(
        d.vector(f"{name}_a", a, "far axis, part without the square root"),
        d.vector(f"{name}_b", b, "far axis, factor of the square root"),
        d.scalar(f"{name}_s2", size2 - kappa * kappa, "squared square root; negative: out of reach"),
        root,
        across,
        side,
    )


def placed_link(
    d: Derivation, name: str, leg: UniversalLeg, link: UniversalLink, e: Vector, s: Expr
) -> tuple[Vector, Vector, Vector]:
    """Name the link's basis as it lies, with the square root s and its sign chosen."""
    i_root = d.scalar(f"{name}_per_root", 1 / leg.root, "reciprocal of sqrt(D)")
    v = d.vector(f"{name}_v", (leg.across * link.kappa + leg.side * s) * i_root, "second axis of the universal pair")
    two = d.vector(f"{name}_b2", (e - v * link.kappa) * (1 / link.across), "second direction of the link")
    return v, two, d.vector(f"{name}_b3", v.cross(two), "third direction of the link")


def carried(basis: tuple[Vector, Vector, Vector], local: tuple[Expr, Expr, Expr]) -> Vector:
    """Return the direction with these components in a basis."""
    one, two, three = basis
    return one * local[0] + two * local[1] + three * local[2]
