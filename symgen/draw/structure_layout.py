"""Where bodies and joints of a structural graph go: columns by level, one box a group, routes between them.

All coordinates in pixels, x to the right, y down. The layout depends on the
structure alone and uses no random numbers: same structure, same picture.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

from symgen.topology.structure import Structure

PILL_HEIGHT = 30.0
#: Distance of two bodies on top of each other.
ROW = 66.0
_LAYER_GAP, _PAD, _HEAD = 96.0, 18.0, 26.0
_BOX_GAP, _COLUMN_GAP, _SLOT, _STUB, _STUB_DOWN = 30.0, 150.0, 26.0, 62.0, 24.0
_MARGIN, _TITLE = 24.0, 64.0

Point = tuple[float, float]


@dataclass(slots=True)
class Box:
    """One group, or (number 0) the bodies without one."""

    number: int
    column: int
    layers: list[list[int]]  # rigid bodies, leftmost layer first
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class Edge:
    """A joint between two moving bodies; `via` are the points it passes between boxes."""

    joint: int  # position in the mechanism's list
    first: int
    second: int
    via: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class Layout:
    """The finished layout."""

    width: float
    height: float
    pill: float
    boxes: list[Box]
    centre: dict[int, Point]
    edges: list[Edge]
    stubs: list[tuple[int, int]]  # joint, body: pairs with the frame


def lay_out(structure: Structure) -> Layout:
    """Place all bodies; vertex 0 of `structure.rigid` is the frame and is drawn as stubs."""
    vertex = {body: number for number, members in enumerate(structure.rigid) for body in members}
    edges: list[Edge] = []
    stubs: list[tuple[int, int]] = []
    for number, joint in enumerate(structure.mechanism.joints):
        first, second = (vertex[body] for body in joint.bodies)
        if first and second and first != second:
            edges.append(Edge(number, first, second))
        elif first != second:
            stubs.append((number, first or second))
    longest = max(len(name) for name in body_names(structure)) if structure.bodies > 1 else 1
    pill = max(40.0, 18.0 + 7.5 * longest)
    boxes = _boxes(structure, vertex, edges)
    home = {v: box for box in boxes for layer in box.layers for v in layer}
    grounded = {v for _, v in stubs}
    for box in boxes:
        rows = max(len(layer) for layer in box.layers)
        box.width = 2 * _PAD + _STUB + len(box.layers) * pill + (len(box.layers) - 1) * _LAYER_GAP
        box.height = _HEAD + 2 * _PAD + (rows - 1) * ROW + PILL_HEIGHT
        if any(v in grounded for layer in box.layers[1:] for v in layer):
            box.height += _STUB_DOWN
    columns = _columns(boxes, edges, home)
    width, height = _stack(columns)
    centre = {v: point for box in boxes for v, point in _centres(box, pill)}
    return Layout(width, height, pill, boxes, centre, edges, stubs)


def body_names(structure: Structure) -> list[str]:
    """Return the name of each rigid body as drawn: its first id, cut to 14 letters, and how many are welded to it."""
    names = []
    for members in structure.rigid:
        more = f" +{len(members) - 1}" if len(members) > 1 else ""
        names.append((members[0] if len(members[0]) <= 14 else f"{members[0][:13]}…") + more)
    return names


def _boxes(structure: Structure, vertex: dict[str, int], edges: list[Edge]) -> list[Box]:
    boxes = []
    placed: set[int] = set()
    for group in structure.groups:
        bodies = list(dict.fromkeys(vertex[body] for body in group.bodies))
        placed.update(bodies)
        chain = group.chain
        layers = _layers(bodies, edges) if chain is None else [[vertex[body] for body in chain.bodies]]
        boxes.append(Box(group.number, group.level, layers))
    rest = [v for v in range(1, structure.bodies) if v not in placed]
    if rest:
        last = max((box.column for box in boxes), default=0)
        boxes.append(Box(0, last + 1, _layers(rest, edges)))
    return boxes


def _layers(bodies: list[int], edges: list[Edge]) -> list[list[int]]:
    """Arrange bodies by their distance from the most connected one, that one at the right."""
    inside = set(bodies)
    around: dict[int, list[int]] = {v: [] for v in bodies}
    for edge in edges:
        if edge.first in inside and edge.second in inside:
            around[edge.first].append(edge.second)
            around[edge.second].append(edge.first)
    layers: list[list[int]] = [[]]
    seen: set[int] = set()
    for root in sorted(bodies, key=lambda v: -len(around[v])):
        if root in seen:
            continue
        seen.add(root)
        queue = deque([(root, 0)])
        while queue:
            v, depth = queue.popleft()
            while len(layers) <= depth:
                layers.append([])
            layers[depth].append(v)
            for u in around[v]:
                if u not in seen:
                    seen.add(u)
                    queue.append((u, depth + 1))
    return layers[::-1]


@dataclass(slots=True)
class _Slot:
    """Room for an edge that crosses a column."""

    edge: Edge
    x: float = 0.0
    y: float = 0.0
    height: float = _SLOT
    width: float = 0.0


def _columns(boxes: list[Box], edges: list[Edge], home: dict[int, Box]) -> list[list[Box | _Slot]]:
    """Order boxes and slots of each column by the mean place of what they come from (one sweep)."""
    count = max((box.column for box in boxes), default=0)
    columns: list[list[Box | _Slot]] = [[] for _ in range(count)]
    for box in boxes:
        columns[box.column - 1].append(box)
    trail: dict[int, list[Box | _Slot]] = {}
    for edge in edges:
        start, goal = sorted((home[edge.first], home[edge.second]), key=lambda box: box.column)
        slots = [_Slot(edge) for _ in range(start.column + 1, goal.column)]
        trail[id(edge)] = [start, *slots, goal]
        for offset, slot in enumerate(slots):
            columns[start.column + offset].append(slot)
    for number in range(1, count):
        place = {id(item): index for index, item in enumerate(columns[number - 1])}
        sources: dict[int, list[int]] = {}
        for path in trail.values():
            for before, after in pairwise(path):
                if id(before) in place:
                    sources.setdefault(id(after), []).append(place[id(before)])
        key = {
            id(item): sum(sources[id(item)]) / len(sources[id(item)]) if id(item) in sources else 1e9
            for item in columns[number]
        }
        columns[number].sort(key=lambda item: key[id(item)])
    return columns


def _stack(columns: list[list[Box | _Slot]]) -> tuple[float, float]:
    """Set the places of boxes and slots; return the size of the picture."""
    heights = [sum(item.height for item in column) + _BOX_GAP * (len(column) - 1) for column in columns]
    tallest = max(heights, default=0.0)
    x = _MARGIN
    for column, height in zip(columns, heights, strict=True):
        width = max((item.width for item in column), default=0.0)
        y = _TITLE + (tallest - height) / 2
        for item in column:
            item.x, item.y = x + (width - item.width) / 2, y
            y += item.height + _BOX_GAP
            if isinstance(item, _Slot):
                middle = item.y + item.height / 2
                item.edge.via += [(x, middle), (x + width, middle)]
        x += width + _COLUMN_GAP
    return x - _COLUMN_GAP + _MARGIN, _TITLE + tallest + 58.0


def _centres(box: Box, pill: float) -> list[tuple[int, Point]]:
    rows = max(len(layer) for layer in box.layers)
    found = []
    for number, layer in enumerate(box.layers):
        x = box.x + _PAD + _STUB + pill / 2 + number * (pill + _LAYER_GAP)
        top = box.y + _HEAD + _PAD + PILL_HEIGHT / 2 + (rows - len(layer)) * ROW / 2
        found += [(v, (x, top + row * ROW)) for row, v in enumerate(layer)]
    return found
