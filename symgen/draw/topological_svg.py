"""The oriented topological graph as SVG: the tree in bold from the root at the left, the cotree dashed.

Arrows follow the arcs, from the body a joint's coordinates refer to, to the body they move. The same graph gives the
same bytes.
"""

from __future__ import annotations

import math

from symgen.draw.svg_text import FONT, GREY, INK, number, plain
from symgen.errors import InputError
from symgen.topology.topological_graph import Arc, TopologicalGraph

#: Larger graphs make no readable picture.
MOST_BODIES = 400

_COLUMN, _ROW, _MARGIN, _TITLE, _HEIGHT = 168.0, 74.0, 34.0, 84.0, 30.0
_BLUE = "#1d4ed8"
_STYLE = f"""
text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }}
.title {{ font-size: 16px; font-weight: bold; }} .note {{ fill: {GREY}; }} .name {{ text-anchor: middle; }}
.body {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.4; }} .root {{ fill: #e4e7eb; }}
.tree {{ fill: none; stroke: {INK}; stroke-width: 3; marker-end: url(#ink); }}
.cotree {{ fill: none; stroke: {_BLUE}; stroke-width: 1.8; stroke-dasharray: 6 4; marker-end: url(#blue); }}
.label {{ font-size: 11px; text-anchor: middle; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }}
.cut {{ fill: {_BLUE}; }}
"""

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]


def topological_svg(graph: TopologicalGraph) -> str:
    """Return the picture as SVG text.

    Raises
    ------
    InputError
        More than 400 bodies.
    """
    if len(graph.bodies) > MOST_BODIES:
        raise InputError(f"{len(graph.bodies)} bodies are too many for a readable picture (at most {MOST_BODIES})")
    centre = _centres(graph)
    names = {body: body if len(body) <= 14 else f"{body[:13]}…" for body in graph.bodies}
    half = max(20.0, 9.0 + 3.75 * max(map(len, names.values())))
    cotree = set(graph.cotree)
    ways = {
        arc.joint: _cotree_curve(centre, half, arc, graph.cotree.index(arc.joint))
        if arc.joint in cotree
        else _tree_curve(centre, half, arc)
        for arc in graph.arcs
    }
    bottom = max([y for _, y in centre.values()] + [_on_curve(way, 0.5)[1] for way in ways.values()])
    summary = (
        f"{graph.space}, {len(graph.bodies)} bodies, {len(graph.arcs)} joints, {len(graph.cycles)} fundamental cycles, "
        f"generic mobility {graph.mobility}"
    )
    legend = "Bold: tree, with sigma where it is -1. Dashed: cotree. Arrows: from tail to head of each joint."
    width = max(max(x for x, _ in centre.values()) + half, 7.2 * max(len(summary), len(legend))) + _MARGIN
    width, height = max(width, 10.5 * len(graph.name) + 2 * _MARGIN), bottom + 66.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>Topological graph of {plain(graph.name)}</title>",
        f"<style>{_STYLE}</style>",
        f"<defs>{_marker('ink', INK, 4.2)}{_marker('blue', _BLUE, 6.5)}</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text class="title" x="{_MARGIN:.0f}" y="30">{plain(graph.name)}</text>',
        f'<text class="note" x="{_MARGIN:.0f}" y="48">{plain(summary)}</text>',
    ]
    labels = []
    taken: list[tuple[float, float, float]] = []
    against = {entry.joint for entry in graph.tree if entry.sigma < 0}
    for arc in graph.arcs:
        cut = arc.joint in cotree
        text = _text(arc) + (" −" if arc.joint in against else "")
        x, y = _place(ways[arc.joint], text, 4.0 if cut else -7.0, taken)
        kind, style = ("cotree", "label cut") if cut else ("tree", "label")
        lines.append(f'<path class="{kind}" d="{_path(ways[arc.joint])}"><title>{plain(_full(arc))}</title></path>')
        labels.append(f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{plain(text)}</text>')
    for body, (x, y) in centre.items():
        kind = "body root" if body == graph.root else "body"
        lines.append(
            f'<g><title>{plain(body)}</title><rect class="{kind}" x="{x - half:.1f}" y="{y - _HEIGHT / 2:.1f}" '
            f'width="{2 * half:.1f}" height="{_HEIGHT:.0f}" rx="{_HEIGHT / 2:.0f}"/>'
            f'<text class="name" x="{x:.1f}" y="{y + 4:.1f}">{plain(names[body])}</text></g>'
        )
    end = f'<text class="note" x="{_MARGIN:.0f}" y="{height - 18:.0f}">{legend}</text>'
    return "\n".join([*lines, *labels, end, "</svg>", ""])


def _centres(graph: TopologicalGraph) -> dict[str, Point]:
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
    longest = max(map(len, graph.bodies))
    label = max((len(_text(arc)) for arc in graph.arcs), default=0)
    column = max(_COLUMN, 7.5 * min(longest, 14) + 18 + 6.8 * label + 64)
    left = _MARGIN + max(20.0, 9.0 + 3.75 * min(longest, 14))
    return {body: (left + column * depth[body], _TITLE + 8 + _ROW * row[body]) for body in graph.bodies}


def _tree_curve(centre: dict[str, Point], half: float, arc: Arc) -> Curve:
    (x1, y1), (x2, y2) = centre[arc.tail], centre[arc.head]
    way = 1 if x2 > x1 else -1
    start, goal = x1 + way * half, x2 - way * (half + 9)
    bend = (goal - start) / 2
    return (start, y1), (start + bend, y1), (goal - bend, y2), (goal, y2)


def _cotree_curve(centre: dict[str, Point], half: float, arc: Arc, rank: int) -> Curve:
    """Return the way of a cotree arc: around the right in one column, between rows to near columns, else below."""
    (x1, y1), (x2, y2) = centre[arc.tail], centre[arc.head]
    if abs(x1 - x2) < 1.0:
        bulge = x1 + half + 40 + 0.25 * abs(y2 - y1)
        return (x1 + half, y1), (bulge, y1), (bulge, y2), (x2 + half + 9, y2)
    down = _HEIGHT / 2
    if abs(y2 - y1) > 1.0 and abs(x2 - x1) <= 1.5 * _column(centre):
        way = math.copysign(1.0, y2 - y1)
        start, goal = y1 + way * down, y2 - way * (down + 9)
        return (x1, start), (x1, (start + goal) / 2), (x2, (start + goal) / 2), (x2, goal)
    depth = max(y1, y2) + down + 34 + 15 * rank
    return (x1, y1 + down), (x1, depth), (x2, depth), (x2, y2 + down + 9)


def _column(centre: dict[str, Point]) -> float:
    """Return the distance of two columns."""
    places = sorted({x for x, _ in centre.values()})
    return places[1] - places[0] if len(places) > 1 else _COLUMN


def _on_curve(curve: Curve, t: float) -> Point:
    """Return the point of a cubic Bezier curve at parameter t."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(w * point[0] for w, point in zip(weights, curve, strict=True))
    return x, sum(w * point[1] for w, point in zip(weights, curve, strict=True))


def _path(curve: Curve) -> str:
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve
    return f"M{x1:.1f},{y1:.1f} C{x2:.1f},{y2:.1f} {x3:.1f},{y3:.1f} {x4:.1f},{y4:.1f}"


def _place(curve: Curve, text: str, lift: float, taken: list[tuple[float, float, float]]) -> Point:
    """Return a place for a label on a curve that no other label has; the first choice if all are taken."""
    half = 3.4 * len(text) + 3
    places = [(x, y + lift) for x, y in (_on_curve(curve, t) for t in (0.5, 0.62, 0.4, 0.7, 0.32))]
    free = (p for p in places if not any(abs(p[0] - x) < half + h and abs(p[1] - y) < 14 for x, y, h in taken))
    x, y = next(free, places[0])
    taken.append((x, y, half))
    return x, y


def _text(arc: Arc) -> str:
    name = arc.joint if len(arc.joint) <= 12 else f"{arc.joint[:11]}…"
    return f"{name} {arc.type}"


def _full(arc: Arc) -> str:
    return f"{arc.joint}: {arc.type} from {arc.tail} to {arc.head}"


def _marker(name: str, colour: str, size: float) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="{number(size)}" '
        f'markerHeight="{number(size)}" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
    )
