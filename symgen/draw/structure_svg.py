"""A mechanism's structure as SVG: the structural graph, the structural diagram, or both under one another.

Graph: bodies in boxes by group, groups in columns by level, joints as labelled
lines: bold inside a group, thin between groups and to the frame, which is a
hatched mark; driven pairs blue with a filled label and one star a driven freedom;
pairs without a constraint dotted. Nothing is told by colour alone. The file
needs no font beyond a plain sans-serif, holds no script, and is the same bytes
for the same structure.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from symgen.draw.level_graph import level_panel, short_type, singular_groups
from symgen.draw.picture import Panel, cut, picture
from symgen.draw.structure_edges import SIDE, Occupied, Routes
from symgen.draw.structure_layout import (
    PILL_HEIGHT,
    Box,
    Point,
    StructureLayout,
    body_names,
    label_width,
    lay_out,
)
from symgen.draw.svg_text import INK, RED, number, plain
from symgen.errors import InputError
from symgen.model.whole_files import write_whole
from symgen.topology.structure import Structure

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint

#: Larger mechanisms make no readable picture.
MOST_BODIES = 400

Picture = Literal["graph", "diagram", "both"]

_THIN, _BLUE, _BOX = "#52606d", "#0b5cad", "#f2f5f8"
_STYLE = f"""
.box {{ fill: {_BOX}; stroke: #b8c2cc; }} .fault {{ stroke: {RED}; stroke-width: 1.6; stroke-dasharray: 6 4; }}
.body {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.4; }}
.pair {{ fill: none; stroke: {_THIN}; stroke-width: 1.2; }} .inner {{ stroke: {INK}; stroke-width: 3; }}
.driven {{ stroke: {_BLUE}; }} .free {{ stroke-dasharray: 2 4; }} .weld {{ stroke-dasharray: 7 3; }}
.ground {{ fill: none; stroke: {INK}; stroke-width: 1.4; }}
.label {{ font-size: 11px; text-anchor: middle; }} .id {{ fill: #52606d; }}
.input {{ fill: #ffffff; font-weight: bold; }} .badge {{ fill: {_BLUE}; }}
"""


def write_structure(structure: Structure, path: str | os.PathLike[str], picture: Picture = "both") -> None:
    """Write the picture to a file, whole or not at all.

    Raises
    ------
    InputError
        If the name does not end in ``.svg``, it cannot be written, or the mechanism is too large to draw.
    """
    target = Path(path)
    if target.suffix.lower() != ".svg":
        raise InputError(f"{target}: the picture of a structure is an SVG file; give a name that ends in .svg")
    text = structure_svg(structure, picture)
    write_whole(target, lambda stream: stream.write(text))


def structure_svg(structure: Structure, what: Picture = "both") -> str:
    """Return the picture as SVG text.

    Parameters
    ----------
    what : ``"graph"`` (bodies and joints), ``"diagram"`` (groups and what they wait for) or ``"both"``. Without a
        group there is no diagram, with less than two `both` leaves it out.

    Raises
    ------
    InputError
        If the mechanism has more than 400 bodies, or has no group and only the diagram was asked for.
    """
    if what not in get_args(Picture):
        raise InputError(f"picture {what!r}: allowed are {', '.join(get_args(Picture))}")
    if structure.bodies > MOST_BODIES:
        raise InputError(f"{structure.bodies} bodies are too many for a readable picture (at most {MOST_BODIES})")
    if what == "diagram" and not structure.groups:
        raise InputError(f"{structure.mechanism.name}: there is no group, so there is no structural diagram to draw")
    panels = []
    if what != "diagram":
        panels.append(_graph(structure, "Structural graph" if what == "both" else ""))
    if what == "diagram" or (what == "both" and len(structure.groups) > 1):
        panels.append(_diagram(structure, "Structural diagram" if what == "both" else ""))
    name = structure.mechanism.name
    return picture(name, _summary(structure), _description(structure), panels)


def _summary(structure: Structure) -> str:
    groups = len(structure.groups)
    return (
        f"{structure.space}, {structure.bodies} bodies with the frame, {structure.joints} joints, mobility "
        f"{structure.mobility}, inputs {structure.driven}: {structure.status}, {groups} group{'s' * (groups != 1)}"
    )


def _description(structure: Structure) -> str:
    """Return the structure in words, for those who cannot see the picture."""
    words = [f"{_summary(structure)}."]
    for group in structure.groups:
        needs = f"after {', '.join(map(str, group.depends_on))}" if group.depends_on else "from the frame alone"
        words.append(f"Group {group.number} ({group.signature}): {', '.join(group.bodies)}, {needs}.")
    return " ".join(words)


def _diagram(structure: Structure, heading: str) -> Panel:
    singular = singular_groups(structure)
    words = {
        group.number: (short_type(group), *(("singular",) if group.number in singular else ()))
        for group in structure.groups
    }
    legend = (
        "Circle: group, (bodies, driven freedoms). Arrow: solved before. Groups of a level can be solved at once.",
    )
    return level_panel(structure, heading, words, legend)


def _graph(structure: Structure, heading: str) -> Panel:
    layout = lay_out(structure)
    routes, names = Routes(layout), body_names(structure)
    occupied = _taken(layout)
    lines = _levels(layout)
    lines += [line for box in layout.boxes for line in _box(structure, box)]
    labels: list[str] = []
    stacked: dict[int, int] = {}
    for index, v in layout.stubs:
        rank = stacked[v] = stacked.get(v, -1) + 1
        joint = structure.mechanism.joints[index]
        more, label = _stub(structure, routes, joint, v, rank, occupied)
        lines += more
        labels.append(label)
    parallel: dict[tuple[int, int], int] = {}
    inner = {id(edge): routes.home[edge.first] is routes.home[edge.second] for edge in layout.edges}
    # Inner pairs first: they have fewer places for their labels; thin lines lie under bold ones.
    drawn: dict[bool, list[str]] = {True: [], False: []}
    for edge in sorted(layout.edges, key=lambda each: not inner[id(each)]):
        ends = (min(edge.first, edge.second), max(edge.first, edge.second))
        rank = parallel[ends] = parallel.get(ends, -1) + 1
        inside = inner[id(edge)]
        joint = structure.mechanism.joints[edge.joint]
        path, spots = routes.route(edge, rank)
        drawn[inside].append(_line(structure, joint, path, inner=inside))
        spot = occupied.place(spots, label_width(joint, layout.names[joint.id]))
        on_box = any(
            box.x < spot[0] < box.x + box.width and box.y < spot[1] < box.y + box.height for box in layout.boxes
        )
        labels.append(_label(joint, layout.names[joint.id], spot, on_box=on_box))
    lines += drawn[False] + drawn[True]
    lines += [_body(structure, names[v], v, centre, layout.pill) for v, centre in layout.centre.items()]
    legend, width = _legend(structure, layout.height + 26.0)
    return Panel(heading, max(layout.width, width), layout.height + 36.0, [*lines, *labels, *legend], _STYLE)


def _taken(layout: StructureLayout) -> Occupied:
    """Return where bodies and the names of groups stand."""
    occupied = Occupied()
    for x, y in layout.centre.values():
        occupied.add(x - layout.pill / 2, y - PILL_HEIGHT / 2, x + layout.pill / 2, y + PILL_HEIGHT / 2)
    for box in layout.boxes:
        occupied.add(box.x, box.y, box.x + box.width, box.y + 24)
        for border in (box.x, box.x + box.width):
            occupied.add(border - 1, box.y, border + 1, box.y + box.height)
    return occupied


def _levels(layout: StructureLayout) -> list[str]:
    """Name the columns."""
    lines = []
    for column in sorted({box.column for box in layout.boxes if box.number}):
        boxes = [box for box in layout.boxes if box.column == column]
        middle = (min(box.x for box in boxes) + max(box.x + box.width for box in boxes)) / 2
        lines.append(f'<text class="level" x="{number(middle)}" y="9">level {column}</text>')
    return lines


def _box(structure: Structure, box: Box) -> list[str]:
    if box.number:
        group = structure.groups[box.number - 1]
        title, note, kind = str(box.number), group.signature, "box"
        if box.number in singular_groups(structure):
            note, kind = f"singular {note}", "box fault"
    else:
        title, note, kind = "!", "not determined", "box fault"
    letters = int((box.width - 26 - 8 * len(title)) / 7.0)
    return [
        f'<rect class="{kind}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'rx="10"><title>{plain(f"group {title}: {note}" if box.number else note)}</title></rect>',
        f'<text x="{box.x + 10:.1f}" y="{box.y + 19:.1f}"><tspan font-weight="bold">{title}</tspan>'
        f'<tspan class="note" dx="7">{plain(cut(note, max(4, letters)))}</tspan></text>',
    ]


def _line(structure: Structure, joint: Joint, path: str, *, inner: bool) -> str:
    kinds = ["pair"]
    if inner:
        kinds.append("inner")
    if joint.type == "W":
        kinds.append("weld")
    elif joint.driven:
        kinds.append("driven")
    elif joint.grade == (3 if structure.space == "planar" else 6):
        kinds.append("free")
    return f'<path class="{" ".join(kinds)}" d="{path}"><title>{plain(_full(joint))}</title></path>'


def _full(joint: Joint) -> str:
    return f"{joint.id}: {joint.type}{'*' * joint.driven} between {joint.bodies[0]} and {joint.bodies[1]}"


def _label(joint: Joint, name: str, spot: Point, *, on_box: bool) -> str:
    """Return type and id of a joint on a patch of the background's colour; a driven one's type on a filled badge."""
    x, y = spot
    code = joint.type + "*" * joint.driven
    width = label_width(joint, name)
    left = x - width / 2
    patch = (
        f'<rect x="{left:.1f}" y="{y - 11:.1f}" width="{width:.1f}" height="15" rx="3" '
        f'fill="{_BOX if on_box else "#ffffff"}"/>'
    )
    if not joint.driven:
        text = f'{code} <tspan class="id">{plain(name)}</tspan>'
        return f'{patch}<text class="label" x="{x:.1f}" y="{y:.1f}">{text}</text>'
    badge = 8.0 * len(code) + 5
    return (
        f'{patch}<rect class="badge" x="{left:.1f}" y="{y - 11:.1f}" width="{badge:.1f}" height="15" rx="4"/>'
        f'<text class="label input" x="{left + badge / 2:.1f}" y="{y:.1f}">{code}</text>'
        f'<text class="label id" x="{(left + badge + x + width / 2) / 2:.1f}" y="{y:.1f}">{plain(name)}</text>'
    )


def _body(structure: Structure, name: str, v: int, centre: Point, pill: float) -> str:
    x, y = centre
    return (
        f'<g><title>{plain(", ".join(structure.rigid[v]))}</title><rect class="body" x="{x - pill / 2:.1f}" '
        f'y="{y - PILL_HEIGHT / 2:.1f}" width="{pill:.1f}" height="{PILL_HEIGHT:.0f}" rx="{PILL_HEIGHT / 2:.0f}"/>'
        f'<text class="name" x="{x:.1f}" y="{y + 4:.1f}">{plain(name)}</text></g>'
    )


def _stub(
    structure: Structure, routes: Routes, joint: Joint, v: int, rank: int, occupied: Occupied
) -> tuple[list[str], str]:
    """Draw a pair with the frame: to the left in the leftmost layer of a box, else downwards."""
    layout = routes.layout
    x, y = layout.centre[v]
    if v in routes.home[v].layers[0]:
        shifted = routes.enters(v)
        y += 16.0 * rank + (SIDE if shifted else 0.0)
        x -= layout.pill / 2
        wall, middle = x - layout.stub, x - layout.stub / 2
        line = _line(structure, joint, f"M{x:.1f},{y:.1f} H{wall:.1f}", inner=False)
        mark = f"M{wall:.1f},{y - 8:.1f} V{y + 8:.1f} {_hatch(wall, y)}"
        spots = [(middle, y + 15), (middle, y - 5)] if shifted else [(middle, y - 5), (middle, y + 15)]
        occupied.add(wall - 6, y - 8, wall, y + 9)
    else:
        x += 16.0 * rank
        y += PILL_HEIGHT / 2
        floor = y + 26
        hatch = " ".join(f"M{x + d:.1f},{floor:.1f} l-5,6" for d in (-4, 2, 8))
        line = _line(structure, joint, f"M{x:.1f},{y:.1f} V{floor:.1f}", inner=False)
        mark, spots = f"M{x - 8:.1f},{floor:.1f} H{x + 8:.1f} {hatch}", [(x, y + 16)]
        occupied.add(x - 9, floor, x + 9, floor + 6)
    name = layout.names[joint.id]
    label = _label(joint, name, occupied.place(spots, label_width(joint, name)), on_box=True)
    return [line, f'<path class="ground" d="{mark}"/>'], label


def _hatch(wall: float, y: float) -> str:
    return " ".join(f"M{wall:.1f},{y + d:.1f} l-6,5" for d in (-8, -2, 4))


def _legend(structure: Structure, y: float) -> tuple[list[str], float]:
    """Return samples of what is drawn with their meaning, and the width of the row."""
    joints = structure.mechanism.joints
    free = any(joint.grade == (3 if structure.space == "planar" else 6) and not joint.driven for joint in joints)
    samples = [
        ('<path class="pair inner" d="M0,0 H26"/>', 26.0, "pair within a group"),
        ('<path class="pair" d="M0,0 H26"/>', 26.0, "between groups or to the frame"),
        (
            '<rect class="badge" x="0" y="-8" width="21" height="15" rx="4"/>'
            '<text class="label input" x="10.5" y="3.5">R*</text>',
            21.0,
            "driven, a star for each freedom",
        ),
        (f'<path class="ground" d="M8,-8 V8 {_hatch(8, 0)}"/>', 10.0, "frame"),
    ]
    if free:
        samples.append(('<path class="pair free" d="M0,0 H26"/>', 26.0, "no constraint"))
    if any(joint.type == "W" for joint in joints):
        samples.append(('<path class="pair weld" d="M0,0 H26"/>', 26.0, "welded"))
    lines = []
    x = 0.0
    for drawing, wide, text in samples:
        lines.append(
            f'<g transform="translate({number(x)} {number(y)})">{drawing}'
            f'<text class="note" x="{number(wide + 7)}" y="4">{text}</text></g>'
        )
        x += wide + 7 + 6.9 * len(text) + 20
    return lines, x
