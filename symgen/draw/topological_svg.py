"""The oriented topological graph as SVG: the tree in bold from the root at the left, the cotree dashed.

Arrows follow the arcs, from the body a joint's coordinates refer to, to the body they move. The same graph gives the
same bytes.
"""

from __future__ import annotations

from symgen.draw.label_places import ASCENT, HEIGHT, place_labels
from symgen.draw.short_names import short_names
from symgen.draw.svg_text import FONT, GREY, INK, number, plain
from symgen.draw.topological_ways import MARGIN, Curve, lay_out, points_of
from symgen.errors import InputError
from symgen.topology.loops.topological_graph import Arc, TopologicalGraph

#: Larger graphs make no readable picture.
MOST_BODIES = 400

_BLUE = "#1d4ed8"
_STYLE = f"""
text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }}
.title {{ font-size: 16px; font-weight: bold; }} .note {{ fill: {GREY}; }} .name {{ text-anchor: middle; }}
.body {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.4; }} .root {{ fill: #e4e7eb; }}
.tree {{ fill: none; stroke: {INK}; stroke-width: 3; marker-end: url(#ink); }}
.cotree {{ fill: none; stroke: {_BLUE}; stroke-width: 1.8; stroke-dasharray: 6 4; marker-end: url(#blue); }}
.label {{ font-size: 11px; text-anchor: middle; }} .patch {{ fill: #ffffff; }}
.cut {{ fill: {_BLUE}; }}
"""


def topological_svg(graph: TopologicalGraph) -> str:
    """Return the picture as SVG text.

    Raises
    ------
    InputError
        More than 400 bodies.
    """
    if len(graph.bodies) > MOST_BODIES:
        raise InputError(f"{len(graph.bodies)} bodies are too many for a readable picture (at most {MOST_BODIES})")
    names = short_names(graph.bodies, 14)
    joints = short_names((arc.joint for arc in graph.arcs), 12)
    against = {entry.joint for entry in graph.tree if entry.sigma < 0}
    texts = {
        arc.joint: f"{joints[arc.joint]} {arc.type}" + (" −" if arc.joint in against else "") for arc in graph.arcs
    }
    widths = {joint: 6.9 * len(text) + 6.0 for joint, text in texts.items()}
    pills, ways = lay_out(graph, max(map(len, names.values())), max(widths.values(), default=0.0))
    places = place_labels(ways, widths, list(pills.values()))
    cotree = set(graph.cotree)
    reach = [point for way in ways.values() for point in points_of(way)]
    bottom = max([pill.y + pill.half_height for pill in pills.values()] + [y for _, y in reach])
    right = max([pill.x + pill.half_width for pill in pills.values()] + [x for x, _ in reach])
    right = max([right, *(x + widths[joint] / 2 for joint, (x, _) in places.items())])
    summary = (
        f"{graph.space}, {len(graph.bodies)} bodies, {len(graph.arcs)} joints, {len(graph.cycles)} fundamental cycles, "
        f"generic mobility {graph.mobility}"
    )
    legend = "Bold: tree, with sigma where it is -1. Dashed: cotree. Arrows: from tail to head of each joint."
    width = max(right, 7.2 * max(len(summary), len(legend)), 10.5 * len(graph.name) + MARGIN) + MARGIN
    height = bottom + 56.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>Topological graph of {plain(graph.name)}</title>",
        f"<style>{_STYLE}</style>",
        f"<defs>{_marker('ink', INK, 4.2)}{_marker('blue', _BLUE, 6.5)}</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text class="title" x="{MARGIN:.0f}" y="30">{plain(graph.name)}</text>',
        f'<text class="note" x="{MARGIN:.0f}" y="48">{plain(summary)}</text>',
    ]
    labels = []
    # Thin lines lie under bold ones.
    for arc in sorted(graph.arcs, key=lambda each: each.joint not in cotree):
        cut = arc.joint in cotree
        (x, y), wide = places[arc.joint], widths[arc.joint]
        kind, style = ("cotree", "label cut") if cut else ("tree", "label")
        lines.append(f'<path class="{kind}" d="{_path(ways[arc.joint])}"><title>{plain(_full(arc))}</title></path>')
        labels.append(
            f'<rect class="patch" x="{x - wide / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{wide:.1f}" '
            f'height="{HEIGHT:.0f}" rx="3"/>'
            f'<text class="{style}" x="{x:.1f}" y="{y - HEIGHT / 2 + ASCENT:.1f}">{plain(texts[arc.joint])}</text>'
        )
    for body, pill in pills.items():
        kind = "body root" if body == graph.root else "body"
        lines.append(
            f'<g><title>{plain(body)}</title><rect class="{kind}" x="{pill.x - pill.half_width:.1f}" '
            f'y="{pill.y - pill.half_height:.1f}" width="{2 * pill.half_width:.1f}" '
            f'height="{2 * pill.half_height:.1f}" rx="15"/>'
            f'<text class="name" x="{pill.x:.1f}" y="{pill.y + 4:.1f}">{plain(names[body])}</text></g>'
        )
    end = f'<text class="note" x="{MARGIN:.0f}" y="{height - 18:.0f}">{legend}</text>'
    return "\n".join([*lines, *labels, end, "</svg>", ""])


def _path(curve: Curve) -> str:
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve
    return f"M{x1:.1f},{y1:.1f} C{x2:.1f},{y2:.1f} {x3:.1f},{y3:.1f} {x4:.1f},{y4:.1f}"


def _full(arc: Arc) -> str:
    return f"{arc.joint}: {arc.type} from {arc.tail} to {arc.head}"


def _marker(name: str, colour: str, size: float) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="{number(size)}" '
        f'markerHeight="{number(size)}" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
    )
