"""The structural graph as SVG: bodies in boxes by group, groups in columns by level, joints as labelled lines.

Pairs with the frame are short stubs to a ground mark. Driven pairs are bold and
starred, pairs without a constraint dotted. The file needs no font beyond a
plain sans-serif, holds no script, and is the same bytes for the same structure.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from symgen.draw.structure_layout import PILL_HEIGHT, ROW, Box, Edge, Layout, Point, body_names, lay_out
from symgen.errors import InputError
from symgen.topology.structure import Structure

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint

#: Larger mechanisms make no readable picture.
MOST_BODIES = 400

_LEGEND = "Columns: levels, left to right; a box: one group. Bold *: driven. Hatched mark: the frame."
_INK, _GREY, _BLUE, _RED = "#1f2933", "#7b8794", "#1d4ed8", "#b91c1c"
_BOX = "#f5f7fa"
_STYLE = f"""
text {{ font-family: 'DejaVu Sans', Arial, sans-serif; font-size: 12px; fill: {_INK}; }}
.title {{ font-size: 16px; font-weight: bold; }} .note {{ fill: {_GREY}; }} .name {{ text-anchor: middle; }}
.box {{ fill: {_BOX}; stroke: #cbd2d9; }} .fault {{ stroke: {_RED}; stroke-dasharray: 5 4; }}
.body {{ fill: #ffffff; stroke: {_INK}; stroke-width: 1.4; }}
.pair {{ fill: none; stroke: {_GREY}; stroke-width: 1.4; }} .driven {{ stroke: {_BLUE}; stroke-width: 3.4; }}
.free {{ stroke-dasharray: 2 4; }} .ground {{ stroke: {_INK}; stroke-width: 1.4; }}
.label {{ font-size: 11px; text-anchor: middle; }} .id {{ fill: {_GREY}; }}
.input {{ fill: {_BLUE}; font-weight: bold; }}
"""


def write_structure(structure: Structure, path: str | os.PathLike[str]) -> None:
    """Write the picture to a file, whole or not at all.

    Raises
    ------
    InputError
        If the name does not end in ``.svg`` or the mechanism is too large to draw.
    """
    target = Path(path)
    if target.suffix.lower() != ".svg":
        raise InputError(f"{target}: the structural graph is an SVG file; give a name that ends in .svg")
    text = structure_svg(structure)
    with NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=target.parent, suffix=".part", delete=False) as f:
        f.write(text)
    Path(f.name).chmod(0o644)
    Path(f.name).replace(target)


def structure_svg(structure: Structure) -> str:
    """Return the picture as SVG text.

    Raises
    ------
    InputError
        If the mechanism has more than 400 bodies.
    """
    if structure.bodies > MOST_BODIES:
        raise InputError(f"{structure.bodies} bodies are too many for a readable picture (at most {MOST_BODIES})")
    layout = lay_out(structure)
    names = body_names(structure)
    summary = _summary(structure)
    width = max(layout.width, 48 + 7.2 * max(len(summary), len(_LEGEND)), 48 + 10.5 * len(structure.mechanism.name))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{layout.height:.0f}" '
        f'viewBox="0 0 {width:.0f} {layout.height:.0f}">',
        f"<title>Structural graph of {escape(structure.mechanism.name)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width:.0f}" height="{layout.height:.0f}" fill="#ffffff"/>',
        f'<text class="title" x="24" y="30">{escape(structure.mechanism.name)}</text>',
        f'<text class="note" x="24" y="48">{escape(summary)}</text>',
    ]
    lines += [line for box in layout.boxes for line in _box(structure, box)]
    labels: list[str] = []
    home = {v: box for box in layout.boxes for layer in box.layers for v in layer}
    taken: list[Point] = []
    parallel: dict[tuple[int, int], int] = {}
    for edge in layout.edges:
        ends = (min(edge.first, edge.second), max(edge.first, edge.second))
        rank = parallel[ends] = parallel.get(ends, -1) + 1
        path, spots = _route(layout, home, edge, rank)
        spot = next((s for s in spots if not any(_overlap(s, t) for t in taken)), spots[0])
        taken.append(spot)
        joint = structure.mechanism.joints[edge.joint]
        lines.append(_line(structure, joint, path))
        labels.append(_label(joint, spot, inside=home[edge.first] is home[edge.second]))
    stacked: dict[int, int] = {}
    for number, v in layout.stubs:
        rank = stacked[v] = stacked.get(v, -1) + 1
        more_lines, label = _stub(structure, layout, structure.mechanism.joints[number], v, home[v], rank)
        lines += more_lines
        labels.append(label)
    for v, (x, y) in layout.centre.items():
        lines.append(_body(structure, names[v], v, (x, y), layout.pill))
    lines += [*labels, f'<text class="note" x="24" y="{layout.height - 18:.0f}">{_LEGEND}</text>', "</svg>", ""]
    return "\n".join(lines)


def _summary(structure: Structure) -> str:
    groups = len(structure.groups)
    return (
        f"{structure.space}, {structure.bodies} bodies with the frame, {structure.joints} joints, mobility "
        f"{structure.mobility}, inputs {structure.driven}: {structure.status}, {groups} group{'s' * (groups != 1)}"
    )


def _box(structure: Structure, box: Box) -> list[str]:
    if box.number:
        group = structure.groups[box.number - 1]
        title, note, kind = str(box.number), group.signature, "box"
    else:
        title, note, kind = "!", "not determined", "box fault"
    return [
        f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        'rx="10"/>',
        f'<text x="{box.x + 10:.1f}" y="{box.y + 19:.1f}"><tspan font-weight="bold">{title}</tspan>'
        f'<tspan class="note" dx="7">{escape(_cut(note, 26))}</tspan></text>',
    ]


def _route(layout: Layout, home: dict[int, Box], edge: Edge, rank: int) -> tuple[str, list[Point]]:
    """Return the path of a joint and places for its label, the best first."""
    first, second = edge.first, edge.second
    if home[first].column > home[second].column or (
        home[first] is home[second] and layout.centre[first] > layout.centre[second]
    ):
        first, second = second, first
    (x1, y1), (x2, y2) = layout.centre[first], layout.centre[second]
    half = layout.pill / 2
    if abs(x1 - x2) < 1.0 or (home[first].column == home[second].column and home[first] is not home[second]):
        if abs(abs(y1 - y2) - ROW) < 1.0 and home[first] is home[second] and not rank:
            down = PILL_HEIGHT / 2 * (1 if y2 > y1 else -1)
            return f"M{x1:.1f},{y1 + down:.1f} V{y2 - down:.1f}", [(x1, (y1 + y2) / 2 + 4)]
        bulge = max(x1, x2) + half + 26 + 0.12 * abs(y2 - y1) + 20 * rank
        start, goal = (x1 + half, y1), (x2 + half, y2)
        path = f"M{start[0]:.1f},{y1:.1f} C{bulge:.1f},{y1:.1f} {bulge:.1f},{y2:.1f} {goal[0]:.1f},{y2:.1f}"
        return path, [(0.25 * max(x1, x2) + 0.25 * half + 0.75 * bulge, (y1 + y2) / 2 + 4)]
    points = [(x1 + half, y1), *edge.via, (x2 - half, y2)]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    last = points[0], points[-1]
    for number, (start, goal) in enumerate(pairwise(points)):
        if number % 2:  # through a slot
            path += f" H{goal[0]:.1f}"
            continue
        bend = (goal[0] - start[0]) / 2
        lift = 14.0 * rank
        path += (
            f" C{start[0] + bend:.1f},{start[1] - lift:.1f} {goal[0] - bend:.1f},{goal[1] - lift:.1f} "
            f"{goal[0]:.1f},{goal[1]:.1f}"
        )
        last = start, goal
    places = (0.34, 0.5) if home[first] is home[second] else (0.56, 0.44, 0.68, 0.34, 0.78)
    return path, [(x, y + 4 - 12.0 * rank) for x, y in (_on_curve(*last, t) for t in places)]


def _overlap(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) < 46 and abs(a[1] - b[1]) < 14


def _on_curve(start: Point, goal: Point, t: float) -> Point:
    """Return a point of the curve with horizontal ends, at parameter t."""
    middle = (start[0] + goal[0]) / 2
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return a * start[0] + (b + c) * middle + d * goal[0], (a + b) * start[1] + (c + d) * goal[1]


def _line(structure: Structure, joint: Joint, path: str) -> str:
    freedoms = 3 if structure.space == "planar" else 6
    kind = "pair driven" if joint.driven else "pair free" if joint.grade == freedoms else "pair"
    if joint.type == "W":
        kind = "pair ground"
    return f'<path class="{kind}" d="{path}"><title>{escape(_full(joint))}</title></path>'


def _full(joint: Joint) -> str:
    return f"{joint.id}: {joint.type}{'*' * joint.driven} between {joint.bodies[0]} and {joint.bodies[1]}"


def _label(joint: Joint, spot: Point, *, inside: bool) -> str:
    """Return type and id of a joint on a patch of the background's colour."""
    name = _cut(joint.id, 8)
    kind = joint.type + "*" * joint.driven
    width = 6.9 * (len(kind) + len(name)) + 7
    code = f'<tspan class="input">{kind}</tspan>' if joint.driven else kind
    return (
        f'<rect x="{spot[0] - width / 2:.1f}" y="{spot[1] - 10:.1f}" width="{width:.1f}" height="13" rx="3" '
        f'fill="{_BOX if inside else "#ffffff"}"/><text class="label" x="{spot[0]:.1f}" y="{spot[1]:.1f}">{code} '
        f'<tspan class="id">{escape(name)}</tspan></text>'
    )


def _body(structure: Structure, name: str, v: int, centre: Point, pill: float) -> str:
    x, y = centre
    return (
        f'<g><title>{escape(", ".join(structure.rigid[v]))}</title><rect class="body" x="{x - pill / 2:.1f}" '
        f'y="{y - PILL_HEIGHT / 2:.1f}" width="{pill:.1f}" height="{PILL_HEIGHT:.0f}" rx="{PILL_HEIGHT / 2:.0f}"/>'
        f'<text class="name" x="{x:.1f}" y="{y + 4:.1f}">{escape(name)}</text></g>'
    )


def _stub(structure: Structure, layout: Layout, joint: Joint, v: int, box: Box, rank: int) -> tuple[list[str], str]:
    """Draw a pair with the frame: to the left in the leftmost layer of a box, else downwards."""
    x, y = layout.centre[v]
    if v in box.layers[0]:
        y += 16.0 * rank
        x -= layout.pill / 2
        wall = x - 48
        hatch = " ".join(f"M{wall:.1f},{y + d:.1f} l-6,5" for d in (-8, -2, 4))
        line = _line(structure, joint, f"M{x:.1f},{y:.1f} H{wall:.1f}")
        mark, spot = f"M{wall:.1f},{y - 8:.1f} V{y + 8:.1f} {hatch}", (x - 23, y - 5)
    else:
        x += 16.0 * rank
        y += PILL_HEIGHT / 2
        floor = y + 26
        hatch = " ".join(f"M{x + d:.1f},{floor:.1f} l-5,6" for d in (-4, 2, 8))
        line = _line(structure, joint, f"M{x:.1f},{y:.1f} V{floor:.1f}")
        mark, spot = f"M{x - 8:.1f},{floor:.1f} H{x + 8:.1f} {hatch}", (x, y + 16)
    return [line, f'<path class="ground" d="{mark}"/>'], _label(joint, spot, inside=True)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
