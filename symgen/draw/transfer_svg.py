"""The topology of a transfer system as SVG: tips at the left, roots at the right, all elements with their numbers.

Circles are bodies, dots hinges, dashed lines cut loop hinges; hatched bars are the ground. The same equation gives the
same bytes.
"""

from __future__ import annotations

from symgen.draw.short_names import short_names
from symgen.draw.svg_text import FONT, GREY, INK, number, plain
from symgen.errors import InputError
from symgen.transfer.overall.equation import DeducedBody, OverallEquation, is_root
from symgen.transfer.system.system import GROUND

#: Larger systems make no readable picture.
MOST_BODIES = 400

_COLUMN, _ROW, _RADIUS, _LEFT, _TOP = 104.0, 64.0, 17.0, 92.0, 92.0
_BLUE = "#1d4ed8"
_STYLE = f"""
text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; text-anchor: middle; }}
.title {{ font-size: 16px; font-weight: bold; text-anchor: start; }} .note {{ fill: {GREY}; text-anchor: start; }}
.body {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.6; }} .way {{ stroke: {INK}; stroke-width: 1.6; fill: none; }}
.hinge {{ fill: {INK}; }} .small {{ font-size: 10px; }} .tip {{ font-size: 11px; fill: {GREY}; text-anchor: end; }}
.loop {{ stroke: {_BLUE}; stroke-width: 1.6; stroke-dasharray: 6 4; fill: none; }} .cut {{ fill: {_BLUE}; }}
.ground {{ stroke: {INK}; stroke-width: 1.6; }} .hatch {{ stroke: {GREY}; stroke-width: 1; }}
"""
Point = tuple[float, float]


def transfer_svg(equation: OverallEquation) -> str:
    """Return the picture as SVG text.

    Raises
    ------
    InputError
        More than 400 bodies.
    """
    if len(equation.bodies) > MOST_BODIES:
        raise InputError(
            f"{len(equation.bodies)} bodies are too many for a readable picture (at most {MOST_BODIES}); "
            "leave out --picture, or write the report as .md"
        )
    places = _places(equation)
    right = max(x for x, _ in places.values())
    bottom = max(y for _, y in places.values())
    name = equation.system.mechanism.name or "mechanism"
    note = "Circles: bodies. Dots: hinges. Dashed: cut loop hinges. From the tips (left) to the root (right)."
    width = max(right + 110.0, 7.0 * len(note), 10.5 * len(name)) + 24.0
    height = bottom + _ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>Topology of {plain(name)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text class="title" x="24" y="30">{plain(name)}</text><text class="note" x="24" y="48">{note}</text>',
    ]
    for step in equation.bodies:
        lines += _output(equation, step, places)
    lines += _loops(equation, places)
    for step in equation.bodies:
        lines += _body(equation, step, places[step.body.body])
    return "\n".join([*lines, "</svg>", ""])


def _places(equation: OverallEquation) -> dict[int, Point]:
    """Return the middle of each body: a column for each distance from the root, tips in rows."""
    depth: dict[int, int] = {}
    for step in reversed(equation.bodies):
        output = step.body.output
        depth[step.body.body] = 0 if is_root(step.body) or output is None else depth[output.outboard] + 1
    deepest = max(depth.values())
    row: dict[int, float] = {}
    waiting = [step.body.body for step in reversed(equation.roots)]
    leaves = 0
    while waiting:
        body = waiting.pop()
        inputs = equation.system.by_index[body].inputs
        waiting += [hinge.inboard for hinge in reversed(inputs)]
        if not inputs:
            row[body], leaves = float(leaves), leaves + 1
    for step in equation.bodies:
        if step.body.inputs:
            rows = [row[hinge.inboard] for hinge in step.body.inputs]
            row[step.body.body] = (min(rows) + max(rows)) / 2
    return {body: (_LEFT + _COLUMN * (deepest - depth[body]), _TOP + _ROW * row[body]) for body in depth}


def _output(equation: OverallEquation, step: DeducedBody, places: dict[int, Point]) -> list[str]:
    """Draw the way from a body to the next or the ground, with its hinge."""
    output, (x, y) = step.body.output, places[step.body.body]
    if output is None:
        return []
    to = (x + 0.72 * _COLUMN, y) if output.outboard == GROUND else places[output.outboard]
    middle = ((x + to[0]) / 2, (y + to[1]) / 2) if output.outboard != GROUND else (x + 0.45 * _COLUMN, y)
    lines = [_line("way", (x, y), to)]
    if output.outboard == GROUND:
        lines += _ground(to, 1.0)
    pair = equation.system.mechanism.joint(output.joint).type
    label = str(output.number) if output.number else plain(short_names([output.joint], 9)[output.joint])
    return [*lines, *_hinge(middle, label, f"{output.joint}: {pair}", "hinge")]


def _loops(equation: OverallEquation, places: dict[int, Point]) -> list[str]:
    lines = []
    numbers = {loop.joint: loop.number for loop in equation.system.loops}
    for tip in equation.tips:
        x, y = places[tip.body]
        if tip.kind == "ground":
            end = (x - 0.5 * _COLUMN, y + 0.42 * _ROW)
            pair = equation.system.mechanism.joint(tip.joint).type
            lines += [_line("way", (x, y), end), *_ground(end, -1.0)]
            middle = ((x + end[0]) / 2, (y + end[1]) / 2)
            lines += _hinge(middle, str(numbers[tip.joint]), f"{tip.joint}: {pair}", "hinge")
        if tip.kind == "cut body":
            (u, v), joint = places[equation.tips[tip.partner - 1].body], tip.joint
            bend = min(x, u) - 0.55 * _COLUMN
            lines.append(
                f'<path class="loop" d="M{number(x)},{number(y)} Q{number(bend)},{number((y + v) / 2)} '
                f'{number(u)},{number(v)}"/>'
            )
            middle = (0.25 * x + 0.5 * bend + 0.25 * u, (y + v) / 2)
            pair = equation.system.mechanism.joint(joint).type
            lines += _hinge(middle, str(numbers[joint]), f"{joint}: {pair}", "hinge cut", aside=True)
    return lines


def _body(equation: OverallEquation, step: DeducedBody, place: Point) -> list[str]:
    x, y = place
    found = [
        f'<g><title>{plain(step.body.id)}</title><circle class="body" cx="{number(x)}" cy="{number(y)}" '
        f'r="{number(_RADIUS)}"/><text x="{number(x)}" y="{number(y + 4)}">{step.body.number}</text></g>'
    ]
    tips = [tip for tip in equation.tips if tip.body == step.body.body]
    if tips:
        label = " ".join(f"z{tip.number}" for tip in tips)
        found.append(f'<text class="tip" x="{number(x - _RADIUS - 6)}" y="{number(y - 8)}">{label}</text>')
    return found


def _hinge(place: Point, label: str, title: str, kind: str, *, aside: bool = False) -> list[str]:
    (x, y), (dx, dy) = place, (-14.0, 4.0) if aside else (0.0, -8.0)
    return [
        f'<g><title>{plain(title)}</title><circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="4"/></g>',
        f'<text class="small" x="{number(x + dx)}" y="{number(y + dy)}">{label}</text>',
    ]


def _ground(place: Point, side: float) -> list[str]:
    x, y = place
    bar = [_line("ground", (x, y - 14), (x, y + 14))]
    return bar + [_line("hatch", (x, y + k), (x + 7 * side, y + k + 6)) for k in (-14.0, -7.0, 0.0, 7.0)]


def _line(kind: str, one: Point, two: Point) -> str:
    (x1, y1), (x2, y2) = one, two
    return f'<line class="{kind}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"/>'
