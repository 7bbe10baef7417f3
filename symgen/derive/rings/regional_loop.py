"""Every assembly of three letters that carry a point to a point: E1 E2 E3 s = t, for words with ranked branches.

Source: docs/closed-forms.md, "Rings" and "Every assembly of a loop".
"""

from __future__ import annotations

from collections.abc import Callable

from symgen.algebra import ONE, SMALL_LENGTH, ZERO, Expr
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
from symgen.derive.blocks.spatial import column
from symgen.derive.derivation import Derivation
from symgen.derive.rings.elements import HeldElements, Solved
from symgen.derive.rings.turns import turned_about
from symgen.derive.vectors import Vector

Solver = Callable[[Derivation, HeldElements, Expr], tuple[Solved, ...]]


class RegionalLoop(LoopKernel[HeldElements]):
    """A word of three letters: coordinates are its turns, then its slides in a unit of length.

    Parameters
    ----------
    declare : declares the held elements on a derivation.
    solve : names the steps to a candidate.
    ranking : which letter (from 0) ranks assemblies.
    """

    degree = 2

    def __init__(
        self, name: str, letters: str, declare: Callable[[Derivation], HeldElements], solve: Solver, ranking: int
    ) -> None:
        self.id, self.letters, self._declare, self._solve = name, letters, declare, solve
        self.turns, self.lengths = letters.count("R"), letters.count("P")
        self._ranking = letters[:ranking].count("R")

    def declare(self, d: Derivation) -> HeldElements:
        """Declare the held elements."""
        return self._declare(d)

    def unit(self, d: Derivation, e: HeldElements) -> Expr:
        """Name the sum of the distances from s over the axes to t."""
        total, before = SMALL_LENGTH, e.t
        for point in (*e.points, e.s):
            if point is not None:
                total, before = total + (point - before).size(), point
        return d.scalar("loop_unit", total, "length used as the unit below", "m")

    def candidate(self, d: Derivation, e: HeldElements) -> Coordinates:
        """Name the letters from a zero."""
        solved = self._solve(d, e, ZERO)
        unit = self.unit(d, e) if self.lengths else ONE
        return Coordinates(
            tuple((x[0], x[1]) for x in solved if len(x) == 2), tuple(x[0] / unit for x in solved if len(x) == 1)
        )

    def letters_of(self, d: Derivation, e: HeldElements, at: Coordinates) -> tuple[Solved, ...]:
        """Return the letters of an assembly, slides as they are."""
        turns, lengths = iter(at.turns), iter(at.lengths)
        unit = self.unit(d, e) if self.lengths else ONE
        return tuple(next(turns) if kind == "R" else (next(lengths) * unit,) for kind in self.letters)

    def closure(self, d: Derivation, e: HeldElements, at: Coordinates) -> Closure:
        """Name how far s still is from t, and how it moves with the letters."""
        turns, lengths = iter(at.turns), iter(at.lengths)
        values: list[Solved] = [next(turns) if kind == "R" else (next(lengths),) for kind in self.letters]
        per = d.scalar("per_unit", ONE / self.unit(d, e), "reciprocal of the unit", "1/m")
        axes: list[Vector] = list(e.axes)
        points: list[Vector | None] = [
            None if p is None else d.vector(f"held_{k}", (p - e.t) * per, f"held point of axis {k} from t")
            for k, p in enumerate(e.points, 1)
        ]
        reached = d.vector("held_s", (e.s - e.t) * per, "held point that is carried, from t")
        for k in (2, 1, 0):
            moved = [reached, *(p for p in points[k + 1 :] if p is not None)]
            spun = axes[k + 1 :]
            if self.letters[k] == "R":
                base = points[k]
                assert base is not None  # noqa: S101 - of a turn
                turn = values[k]
                moved = [
                    base + turned_about(axes[k], turn[0], turn[1], d.vector(f"arm_{k}_{j}", p - base, "from that axis"))
                    for j, p in enumerate(moved)
                ]
                spun = [turned_about(axes[k], turn[0], turn[1], a) for a in spun]
            else:
                moved = [p + axes[k] * values[k][0] for p in moved]
            named = [d.vector(f"moved_{k}_{j}", p, f"moved by letter {k + 1}") for j, p in enumerate(moved)]
            reached, rest = named[0], iter(named[1:])
            points[k + 1 :] = [None if p is None else next(rest) for p in points[k + 1 :]]
            axes[k + 1 :] = [d.vector(f"spun_{k}_{j}", a, f"axis moved by letter {k + 1}") for j, a in enumerate(spun)]
        return self._closure_of(d, at, axes, points, reached)

    def _closure_of(
        self, d: Derivation, at: Coordinates, axes: list[Vector], points: list[Vector | None], reached: Vector
    ) -> Closure:
        columns = []
        for k, kind in sorted(enumerate(self.letters), key=lambda one: one[1] == "P"):
            point = points[k]
            moves = axes[k] if kind == "P" or point is None else column("R", axes[k], point, reached)
            columns.append(d.vector(f"g{k + 1}", moves, f"how s moves with letter {k + 1}"))
        long2 = ONE
        for length in at.lengths:
            long2 = long2 + length * length
        rows = tuple(tuple(g[i] for g in columns) for i in range(3))
        open2 = reached.dot(reached)
        if at.lengths:
            open2 = d.scalar("open2", open2 / long2, "squared closure error, relative to the range of the slides")
        return Closure(tuple(-x for x in reached), rows, open2, at.turns[self._ranking])
