"""Kinematic pairs as chains of one-freedom motions between two joint frames.

F_j = F_i M_1(q_1) M_2(q_2) ...: each M turns about or slides along an axis of the frame reached so far. A driven
freedom is a given motion; moved to one end of the chain it becomes part of that side's frame, and a simpler pair is
left. Source: contract of the mechanism file, "Joint frames"; pair types of Celdran, Saura, Dopico 2022, Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.blocks.spatial import Kind


@dataclass(frozen=True)
class Primitive:
    """One freedom: R turns about, P slides along the x, y or z axis of the frame reached so far."""

    kind: Kind
    axis: str
    freedom: str


PRIMITIVES: dict[str, tuple[Primitive, ...]] = {
    "R": (Primitive("R", "z", "angle"),),
    "P": (Primitive("P", "z", "slide"),),
    "C": (Primitive("P", "z", "slide"), Primitive("R", "z", "angle")),
    "U": (Primitive("R", "z", "angle1"), Primitive("R", "x", "angle2")),
    "S": (Primitive("R", "z", "yaw"), Primitive("R", "y", "pitch"), Primitive("R", "x", "roll")),
    "PL": (Primitive("P", "x", "x"), Primitive("P", "y", "y"), Primitive("R", "z", "angle")),
    "F": (
        Primitive("P", "x", "x"),
        Primitive("P", "y", "y"),
        Primitive("P", "z", "z"),
        Primitive("R", "z", "yaw"),
        Primitive("R", "y", "pitch"),
        Primitive("R", "x", "roll"),
    ),
}

#: Order of the pair types in Table 3, as far as they have solvers; decides in which direction a signature reads.
TABLE_3_ORDER = ("R", "P", "C", "U", "S", "PL", "FP", "F")


@dataclass(frozen=True)
class PairModel:
    """A pair with some freedoms driven: given motions before and after the free ones."""

    type: str
    before: tuple[Primitive, ...]
    free: tuple[Primitive, ...]
    after: tuple[Primitive, ...]

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the driven freedoms, in the pair's order."""
        names = {p.freedom for p in (*self.before, *self.after)}
        return tuple(p.freedom for p in PRIMITIVES[self.type] if p.freedom in names)


def pair_model(type_: str, driven: tuple[str, ...] = ()) -> PairModel:
    """Return the pair with its driven freedoms moved to the ends.

    A slide and an angle about the same axis may change places, so a driven one of a C goes first.
    """
    chain = PRIMITIVES[type_]
    given = [p for p in chain if p.freedom in driven]
    free = tuple(p for p in chain if p.freedom not in driven)
    if type_ == "C" or not free:
        return PairModel(type_, tuple(given), free, ())
    first = chain.index(free[0])
    return PairModel(
        type_,
        tuple(p for p in given if chain.index(p) < first),
        free,
        tuple(p for p in given if chain.index(p) > first),
    )
