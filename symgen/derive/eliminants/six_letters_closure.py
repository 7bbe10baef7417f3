"""The closing equations of six letters: where they carry the last pair, and how each of them moves it.

The letters are walked through in order, a frame being carried along. What is missing to the wanted point and axes is
taken as a small motion, whose turning is half the sum of the cross products of axes and wanted axes; its six numbers
are what steps of the letters have to make up for. So the matrix is that of the rates.

Source: docs/closed-forms.md, "Rates"; instantaneous screws of a serial chain, any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import HALF, ONE, ZERO, Expr
from symgen.derive.assemblies import Closure, Coordinates
from symgen.derive.blocks.spatial import Kind
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import LastPair, turned
from symgen.derive.vectors import Vector

_AXES = (Vector((ONE, ZERO, ZERO)), Vector((ZERO, ONE, ZERO)), Vector((ZERO, ZERO, ONE)))
Frame = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class ClosureLetter:
    """A letter: held axis and held point of it."""

    kind: Kind
    axis: Vector
    point: Vector


def _carried(frame: Frame, vector: Vector) -> Vector:
    return frame[0] * vector[0] + frame[1] * vector[1] + frame[2] * vector[2]


@dataclass
class FrameWalk:
    """A frame carried through letters: its axes, and where the held origin of the world has come to, in the unit."""

    d: Derivation
    frame: Frame
    origin: Vector

    def axis(self, name: str, vector: Vector, what: str) -> Vector:
        """Name a held direction as it is carried."""
        return self.d.vector(name, _carried(self.frame, vector), what)

    def point(self, name: str, vector: Vector, what: str) -> Vector:
        """Name a held point as it is carried."""
        return self.d.vector(name, self.origin + _carried(self.frame, vector), what)

    def turn(self, k: int, axis: Vector, point: Vector, turn: tuple[Expr, Expr]) -> None:
        """Turn about a carried axis."""
        d = self.d
        one, two, three = (
            d.vector(f"frame_{k}_{j}", turned(axis, turn, vector), f"axis {j} of the frame after letter {k}")
            for j, vector in enumerate(self.frame, 1)
        )
        arm = d.vector(f"arm_{k}", self.origin - point, f"held origin from axis {k}")
        self.origin = d.vector(f"origin_{k}", point + turned(axis, turn, arm), f"held origin after letter {k}")
        self.frame = (one, two, three)

    def slide(self, k: int, axis: Vector, length: Expr) -> None:
        """Slide along a carried axis."""
        self.origin = self.d.vector(f"origin_{k}", self.origin + axis * length, f"held origin after letter {k}")


def close_six(
    d: Derivation, letters: Sequence[ClosureLetter], at: Coordinates, last: LastPair, per: Expr, place: int
) -> tuple[Closure, Vector]:
    """Name the closing equations; angles and slides stand in the order of the letters. `per` is the reciprocal unit.

    Returns
    -------
    The closure, ranked by the angle of turn `place` (from 0), and where the point of letter 3 is, from that of letter 1
    """
    start = letters[0].point

    def held(point: Vector) -> Vector:
        return (point - start) * per

    walk = FrameWalk(d, _AXES, Vector((ZERO,) * 3))
    axes, points = [], []
    turns, slides = iter(at.turns), iter(at.lengths)
    for k, letter in enumerate(letters, 1):
        local = d.vector(f"held_{k}", held(letter.point), f"held point of axis {k}")
        axes.append(letter.axis if k == 1 else walk.axis(f"w{k}", letter.axis, f"axis {k}"))
        points.append(local if k == 1 else walk.point(f"o{k}", local, f"point of axis {k}"))
        if letter.kind == "R":
            walk.turn(k, axes[-1], points[-1], next(turns))
        else:
            walk.slide(k, axes[-1], next(slides))
    reached = walk.point("reached", d.vector("held_end", held(last.centre), "held last point"), "last point")
    wanted = d.vector("wanted", held(last.wanted_centre), "its required position")
    apart = d.vector("apart_end", wanted - reached, "position error")
    spin, open2 = _turning(d, walk, last)
    turning_rows, moving_rows = _columns(d, letters, axes, points, reached)
    long2 = ONE
    for length in at.lengths:
        long2 = long2 + length * length
    open2 = open2 + apart.dot(apart) / long2
    rows = (*turning_rows, *moving_rows)
    return Closure((*spin, *apart), rows, open2, at.turns[place]), points[2]


def _turning(d: Derivation, walk: FrameWalk, last: LastPair) -> tuple[Vector, Expr]:
    """Name the small rotation that is still missing, and the sum of the squared errors."""
    held_third = d.vector("held_third", last.near.cross(last.far), "held third direction of the last pair")
    wanted_third = d.vector("wanted_third", last.wanted_near.cross(last.wanted_far), "its required direction")
    pairs = ((last.near, last.wanted_near), (last.far, last.wanted_far), (held_third, wanted_third))
    total, open2 = Vector((ZERO,) * 3), ZERO
    for name, (held, wanted) in zip(("near", "far", "third"), pairs, strict=True):
        here = walk.axis(f"{name}_reached", held, f"{name} axis of the last pair")
        rest = d.vector(f"{name}_rest", wanted - here, "direction error")
        total = total + here.cross(wanted)
        open2 = open2 + rest.dot(rest)
    return d.vector("spin", total * HALF, "small rotation that is still missing"), open2


def _columns(
    d: Derivation, letters: Sequence[ClosureLetter], axes: Sequence[Vector], points: Sequence[Vector], reached: Vector
) -> tuple[list[tuple[Expr, ...]], list[tuple[Expr, ...]]]:
    """Return rows of turning and of moving by steps: angles first, then slides."""
    turns, slides = [], []
    none = Vector((ZERO,) * 3)
    for k, (letter, axis, point) in enumerate(zip(letters, axes, points, strict=True), 1):
        if letter.kind == "P":
            slides.append((none, axis))
            continue
        turns.append(
            (
                axis,
                d.vector(
                    f"g{k}", axis.cross(reached - point), f"velocity of the last point per unit rate of letter {k}"
                ),
            )
        )
    columns = [*turns, *slides]
    return (
        [tuple(spin[i] for spin, _ in columns) for i in range(3)],
        [tuple(move[i] for _, move in columns) for i in range(3)],
    )
