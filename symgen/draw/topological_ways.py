"""Where bodies and arcs of an oriented topological graph go: the tree from left to right.

An arc meets a body at a port of its own, on the right side, the left, the top or the bottom, so that no arrowhead lies
on another line; bodies grow with the number of their ports. Sizes in pixels, x to the right, y down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from symgen.topology.loops.topological_graph import Arc, TopologicalGraph

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
Side = Literal["left", "right", "top", "bottom"]

MARGIN, TITLE = 34.0, 84.0
_COLUMN, _ROW, _HEIGHT = 168.0, 74.0, 30.0
# Distance of two ports, and of an arrow's tip reference from the body.
_PORT, _TIP = 13.0, 9.0
_STEPS = 40


@dataclass(frozen=True, slots=True)
class Pill:
    """A body as drawn: its centre and half its size."""

    x: float
    y: float
    half_width: float
    half_height: float

    def holds(self, point: Point, room: float = 0.0) -> bool:
        """Tell whether a point lies within, or within `room` around."""
        return abs(point[0] - self.x) < self.half_width + room and abs(point[1] - self.y) < self.half_height + room


def lay_out(graph: TopologicalGraph, letters: int, label: float) -> tuple[dict[str, Pill], dict[str, Curve]]:
    """Return bodies, and the way of each joint's arc.

    Parameters
    ----------
    letters : of the longest name as drawn.
    label : width of the widest label, which finds room between two columns.
    """
    half = max(20.0, 9.0 + 3.75 * letters)
    centre = _centres(graph, half, max(_COLUMN, 2 * half + label + 52.0))
    bare = {body: Pill(x, y, half, _HEIGHT / 2) for body, (x, y) in centre.items()}
    sides = {arc.joint: _sides(graph, bare, arc, rank) for rank, arc in enumerate(graph.arcs)}
    offset, pills = _ports(graph, bare, sides)
    depth = max(pill.y + pill.half_height for pill in pills.values())
    ways = {}
    below = 0
    for arc in graph.arcs:
        start, goal = sides[arc.joint]
        if start == goal == "bottom":
            below += 1
        ends = (
            _end(pills[arc.tail], start, offset[arc.joint, 0], 0.0),
            _end(pills[arc.head], goal, offset[arc.joint, 1], _TIP),
        )
        ways[arc.joint] = _way(ends, (start, goal), depth + 30.0 + 17.0 * below)
    return pills, ways


def points_of(curve: Curve) -> Iterator[Point]:
    """Yield points along a curve, evenly in its parameter."""
    return (on_curve(curve, k / _STEPS) for k in range(_STEPS + 1))


def on_curve(curve: Curve, t: float) -> Point:
    """Return the point of a cubic Bezier curve at parameter t."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(w * point[0] for w, point in zip(weights, curve, strict=True))
    return x, sum(w * point[1] for w, point in zip(weights, curve, strict=True))


def _centres(graph: TopologicalGraph, half: float, column: float) -> dict[str, Point]:
    """Place bodies: columns by distance from the root, a row for each leaf, others in the middle of their children."""
    children: dict[str, list[str]] = {body: [] for body in graph.bodies}
    for entry in graph.tree:
        children[entry.predecessor].append(entry.body)
    depth = {graph.root: 0}
    stack = [graph.root]
    visit: list[str] = []
    while stack:
        body = stack.pop()
        visit.append(body)
        stack += reversed(children[body])
        for child in children[body]:
            depth[child] = depth[body] + 1
    row: dict[str, float] = {}
    leaves = 0
    for body in visit:
        if not children[body]:
            row[body] = float(leaves)
            leaves += 1
    for body in reversed(visit):
        if children[body]:
            row[body] = (row[children[body][0]] + row[children[body][-1]]) / 2
    return {body: (MARGIN + half + column * depth[body], TITLE + 8 + _ROW * row[body]) for body in graph.bodies}


def _sides(graph: TopologicalGraph, pills: Mapping[str, Pill], arc: Arc, rank: int) -> tuple[Side, Side]:
    """Return the sides at which an arc leaves and arrives: of the possible ones those that pass the fewest bodies."""
    tail, head = pills[arc.tail], pills[arc.head]
    if arc.joint not in graph.cotree:
        return ("right", "left") if head.x > tail.x else ("left", "right")
    choices: list[tuple[Side, Side]] = []
    if abs(tail.x - head.x) < 1.0:
        choices.append(("right", "right"))
    elif abs(tail.y - head.y) > 1.0:
        choices += [("bottom", "top") if head.y > tail.y else ("top", "bottom"), ("right", "right")]
        choices.append(("right", "left") if head.x > tail.x else ("left", "right"))
    choices.append(("bottom", "bottom"))
    depth = max(pill.y + pill.half_height for pill in pills.values()) + 47.0 + rank
    others = [pill for body, pill in pills.items() if body not in (arc.tail, arc.head)]

    def cost(sides: tuple[Side, Side]) -> tuple[int, float]:
        way = _way((_end(tail, sides[0], 0.0, 0.0), _end(head, sides[1], 0.0, _TIP)), sides, depth)
        points = list(points_of(way))
        passed = sum(any(pill.holds(point, 6.0) for pill in others) for point in points)
        return passed, math.fsum(math.dist(a, b) for a, b in pairwise(points))

    return min(choices, key=cost)


def _ports(
    graph: TopologicalGraph, pills: Mapping[str, Pill], sides: Mapping[str, tuple[Side, Side]]
) -> tuple[dict[tuple[str, int], float], dict[str, Pill]]:
    """Return the place of each arc's ends along their sides, from the middle, and the bodies grown to hold them."""
    ends: dict[tuple[str, Side], list[tuple[tuple[int, float], int, str, int]]] = {}
    for rank, arc in enumerate(graph.arcs):
        for end, (body, other) in enumerate(((arc.tail, arc.head), (arc.head, arc.tail))):
            side = sides[arc.joint][end]
            key = _order(pills[body], pills[other], sides[arc.joint])
            ends.setdefault((body, side), []).append((key, rank, arc.joint, end))
    offset: dict[tuple[str, int], float] = {}
    height = dict.fromkeys(pills, _HEIGHT)
    for (body, side), places in ends.items():
        room = 2 * pills[body].half_width - 22.0
        step = min(_PORT + 3.0, room / max(1, len(places) - 1))
        if side in ("left", "right"):
            step = min(_PORT, (_free_height(pills, body) - 8.0) / len(places))
            height[body] = max(height[body], step * len(places) + 8.0)
        for k, (_, _, joint, end) in enumerate(sorted(places)):
            offset[joint, end] = step * (k - (len(places) - 1) / 2)
    # Nothing grows into the title.
    down = max(0.0, *(TITLE - 14.0 - pill.y + height[body] / 2 for body, pill in pills.items()))
    grown = {body: Pill(pill.x, pill.y + down, pill.half_width, height[body] / 2) for body, pill in pills.items()}
    return offset, grown


def _free_height(pills: Mapping[str, Pill], body: str) -> float:
    """Return how high a body may grow before it touches one above or below it that has grown as much."""
    here = pills[body]
    around = (abs(pill.y - here.y) for pill in pills.values() if abs(pill.x - here.x) < 1.0 and pill is not here)
    return min(around, default=math.inf) - 12.0


def _order(here: Pill, there: Pill, sides: tuple[Side, Side]) -> tuple[int, float]:
    """Return where among the ports of a side an end belongs so that arcs do not cross at the body."""
    if sides == ("right", "right"):  # bulges, one inside the other: above all else, or below all else
        down = there.y - here.y
        return (2, -down) if down > 0 else (0, -down)
    return 1, there.y if sides[0] in ("left", "right") else there.x


def _end(pill: Pill, side: Side, offset: float, gap: float) -> Point:
    if side == "left":
        return pill.x - pill.half_width - gap, pill.y + offset
    if side == "right":
        return pill.x + pill.half_width + gap, pill.y + offset
    way = 1.0 if side == "bottom" else -1.0
    return pill.x + offset, pill.y + way * (pill.half_height + gap)


def _way(ends: tuple[Point, Point], sides: tuple[Side, Side], depth: float) -> Curve:
    """Return the curve between two ports that leaves and arrives square to their sides."""
    (x1, y1), (x2, y2) = ends
    if sides == ("right", "right"):
        bulge = max(x1, x2) + 44.0 + 0.22 * abs(y2 - y1)
        return (x1, y1), (bulge, y1), (bulge, y2), (x2, y2)
    if sides == ("bottom", "bottom"):
        # The middle of a curve comes three quarters of the way to its inner points; the flanks clear bodies too.
        level = (y1 + y2) / 2 + 1.45 * (depth - (y1 + y2) / 2)
        return (x1, y1), (x1, level), (x2, level), (x2, y2)
    if sides[0] in ("left", "right"):
        middle = (x1 + x2) / 2
        return (x1, y1), (middle, y1), (middle, y2), (x2, y2)
    middle = (y1 + y2) / 2
    return (x1, y1), (x1, middle), (x2, middle), (x2, y2)
