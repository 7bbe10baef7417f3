"""How the lines of a structural graph run, and where their labels stand: past bodies, and not on one another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from symgen.draw.structure_layout import PILL_HEIGHT, ROW, Box, Edge, Point, StructureLayout

#: A pair with the frame and a line from another group meet the same side of a body so far apart.
SIDE = 8.0
_LANE, _CLEAR, _INSET = 9.0, PILL_HEIGHT / 2 + 7.0, 10.0


@dataclass(slots=True)
class Occupied:
    """Rectangles on which no label may stand: (left, top, right, bottom)."""

    rectangles: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, left: float, top: float, right: float, bottom: float) -> None:
        """Take a rectangle."""
        self.rectangles.append((left, top, right, bottom))

    def overlap(self, left: float, top: float, right: float, bottom: float) -> float:
        """Return how much of a rectangle is taken, as an area."""
        return sum(
            max(0.0, min(right, r) - max(left, x)) * max(0.0, min(bottom, b) - max(top, y))
            for x, y, r, b in self.rectangles
        )

    def place(self, spots: Iterable[Point], width: float) -> Point:
        """Return the first spot where a label of this width stands free, else the least covered; and take it."""
        best, least = None, 0.0
        for x, y in spots:
            covered = self.overlap(x - width / 2, y - 11, x + width / 2, y + 4)
            if best is None or covered < least:
                best, least = (x, y), covered
            if not covered:
                break
        if best is None:
            raise ValueError("a label needs at least one spot")
        self.add(best[0] - width / 2, best[1] - 11, best[0] + width / 2, best[1] + 4)
        return best


class Routes:
    """Paths of the edges of one layout; lanes inside boxes are given out once."""

    def __init__(self, layout: StructureLayout) -> None:
        self.layout = layout
        self.home = {v: box for box in layout.boxes for layer in box.layers for v in layer}
        self._grounded = {v for _, v in layout.stubs}
        self._lanes: dict[tuple[int, str], list[float]] = {}
        self._entered = {
            max(edge.first, edge.second, key=lambda v: self.home[v].column)
            for edge in layout.edges
            if self.home[edge.first].column != self.home[edge.second].column
        }
        self._layer = {v: k for box in layout.boxes for k, layer in enumerate(box.layers) for v in layer}

    def enters(self, v: int) -> bool:
        """Tell whether a line from another group comes to this body from the left."""
        return v in self._entered

    def route(self, edge: Edge, rank: int) -> tuple[str, list[Point]]:
        """Return the path of a joint and spots for its label, the best first.

        Parameters
        ----------
        rank : how many joints between the same bodies were drawn before.
        """
        first, second = edge.first, edge.second
        centre, home = self.layout.centre, self.home
        if home[first].column > home[second].column or (home[first] is home[second] and centre[first] > centre[second]):
            first, second = second, first
        (x1, y1), (x2, y2) = centre[first], centre[second]
        if abs(x1 - x2) < 1.0 or (home[first].column == home[second].column and home[first] is not home[second]):
            return self._beside((x1, y1), (x2, y2), rank, same_box=home[first] is home[second])
        points = self._points(first, second, edge)
        return _curve(points, rank, inside=home[first] is home[second])

    def _beside(self, start: Point, goal: Point, rank: int, *, same_box: bool) -> tuple[str, list[Point]]:
        """Join bodies on top of each other: straight if they are neighbours, else round the right."""
        (x1, y1), (x2, y2) = start, goal
        half = self.layout.pill / 2
        if abs(abs(y1 - y2) - ROW) < 1.0 and same_box and not rank:
            down = PILL_HEIGHT / 2 * (1 if y2 > y1 else -1)
            return f"M{x1:.1f},{y1 + down:.1f} V{y2 - down:.1f}", [(x1, (y1 + y2) / 2 + 4)]
        bulge = max(x1, x2) + half + 26 + 0.12 * abs(y2 - y1) + 20 * rank
        path = f"M{x1 + half:.1f},{y1:.1f} C{bulge:.1f},{y1:.1f} {bulge:.1f},{y2:.1f} {x2 + half:.1f},{y2:.1f}"
        middle = 0.25 * max(x1, x2) + 0.25 * half + 0.75 * bulge
        return path, [(middle, y1 + (y2 - y1) * t + 4) for t in (0.5, 0.4, 0.6, 0.3, 0.7)]

    def _points(self, first: int, second: int, edge: Edge) -> list[Point]:
        """Return the points a line passes with a horizontal tangent."""
        centre, half = self.layout.centre, self.layout.pill / 2
        (x1, y1), (x2, y2) = centre[first], centre[second]
        start, goal = (x1 + half, y1), (x2 - half, y2)
        before, after = self.home[first], self.home[second]
        if before is after:
            return [start, goal]
        if second in self._grounded and self._layer[second] == 0:
            goal = (goal[0], y2 - SIDE)
        # Inside the columns lines run level, so that they bend in the gaps between columns only.
        out, into = self._lane_out(first), self._lane_in(second)
        out.append((before.right, out[-1][1] if out else y1))
        into.insert(0, (after.left, into[0][1] if into else goal[1]))
        return [start, *out, *edge.via, *into, goal]

    def _lane_out(self, v: int) -> list[Point]:
        """Return points past the layers to the right of a body, inside its box."""
        box, layer = self.home[v], self._layer[v]
        later = [u for bodies in box.layers[layer + 1 :] for u in bodies]
        if not later:
            return []
        left = min(self.layout.centre[u][0] for u in later) - self.layout.pill / 2 - _INSET
        y = self._free(box, "out", self.layout.centre[v][1], later)
        return [(left, y), (box.x + box.width - _INSET, y)]

    def _lane_in(self, v: int) -> list[Point]:
        """Return points past the layers to the left of a body, inside its box."""
        box, layer = self.home[v], self._layer[v]
        earlier = [u for bodies in box.layers[:layer] for u in bodies]
        if not earlier:
            return []
        right = max(self.layout.centre[u][0] for u in earlier) + self.layout.pill / 2 + _INSET
        y = self._free(box, "in", self.layout.centre[v][1], earlier)
        return [(box.x + _INSET, y), (right, y)]

    def _free(self, box: Box, side: str, wish: float, bodies: Sequence[int]) -> float:
        """Return a height near the wish that is clear of bodies and of lanes already given out, and take it."""
        rows = sorted({self.layout.centre[u][1] for u in bodies})
        taken = self._lanes.setdefault((box.number, side), [])
        top, bottom = box.y + 30.0, box.y + box.height - 8.0
        steps = range(int((bottom - top) / 4) + 1)
        heights = sorted((top + 4.0 * k for k in steps), key=lambda y: (abs(y - wish), y))
        clear = [y for y in heights if all(abs(y - row) >= _CLEAR for row in rows)] or heights
        y = next((y for y in clear if all(abs(y - other) >= _LANE for other in taken)), clear[0])
        taken.append(y)
        return y


def _curve(points: Sequence[Point], rank: int, *, inside: bool) -> tuple[str, list[Point]]:
    """Return the path through points with horizontal tangents, and spots along its curved parts, last part first."""
    lift = 14.0 * rank
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    bends: list[tuple[Point, Point]] = []
    for start, goal in pairwise(points):
        if abs(start[1] - goal[1]) < 0.05 and not lift:
            path += f" H{goal[0]:.1f}"
        else:
            bend = (goal[0] - start[0]) / 2
            path += (
                f" C{start[0] + bend:.1f},{start[1] - lift:.1f} {goal[0] - bend:.1f},{goal[1] - lift:.1f} "
                f"{goal[0]:.1f},{goal[1]:.1f}"
            )
        bends.append((start, goal))
    places = (0.34, 0.5, 0.42, 0.58, 0.27, 0.66) if inside else (0.56, 0.44, 0.66, 0.36, 0.74, 0.28, 0.5)
    # Long parts first: short ones leave no room; of equal ones the last, near the body that waits for the joint.
    order = sorted(range(len(bends)), key=lambda k: (-round(min(abs(bends[k][1][0] - bends[k][0][0]), 90.0)), -k))
    return path, [(x, y + 4 - 0.75 * lift) for k in order for x, y in (_on_curve(*bends[k], t) for t in places)]


def _on_curve(start: Point, goal: Point, t: float) -> Point:
    """Return a point of the curve with horizontal ends, at parameter t."""
    middle = (start[0] + goal[0]) / 2
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return a * start[0] + (b + c) * middle + d * goal[0], (a + b) * start[1] + (c + d) * goal[1]
