"""Where bodies and joints of a structural graph go: columns by level, one box a group, routes between them.

All coordinates in pixels, x to the right, y down. The layout depends on the
structure alone and uses no random numbers: same structure, same picture.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from symgen.draw.columns import ColumnLayout, ColumnLink, Item
from symgen.draw.level_graph import singular_groups
from symgen.draw.short_names import short_names
from symgen.topology.structure import Structure

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint

PILL_HEIGHT = 30.0
#: Distance of two bodies on top of each other.
ROW = 66.0
_LAYER_GAP, _PAD, _HEAD = 96.0, 18.0, 26.0
_BOX_GAP, _COLUMN_GAP, _SLOT, _WALL, _STUB_DOWN = 26.0, 150.0, 18.0, 8.0, 24.0
_MOST_LETTERS = 24
# Letters of bodies and of joints; between layers a label needs room for its line to be seen.
_BODY_LETTERS, _JOINT_LETTERS, _BESIDE_LABEL = 14, 12, 27.0
#: Room for the names of the levels.
_TITLE = 22.0

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
    stub: float = 0.0  # room for pairs with the frame at the left
    inset: float = 0.0  # from the left border to the bodies of the leftmost layer
    left: float = 0.0  # borders of its column, which is as wide as its widest box
    right: float = 0.0
    gap: float = _LAYER_GAP  # between layers


@dataclass(slots=True)
class Edge:
    """A joint between two moving bodies; `via` are the points it passes between boxes."""

    joint: int  # position in the mechanism's list
    first: int
    second: int
    via: list[Point] = field(default_factory=list)


@dataclass(slots=True)
class StructureLayout:
    """The finished layout."""

    width: float
    height: float
    pill: float
    boxes: list[Box]
    centre: dict[int, Point]
    edges: list[Edge]
    stubs: list[tuple[int, int]]  # joint, body: pairs with the frame
    stub: float  # their length
    names: dict[str, str]  # joint -> its id as drawn


def lay_out(structure: Structure) -> StructureLayout:
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
    joints = structure.mechanism.joints
    names = joint_names(structure)
    width_of = {number: label_width(joint, names[joint.id]) for number, joint in enumerate(joints)}
    stub = max([40.0, *(width_of[number] + 8.0 for number, _ in stubs)])
    singular = singular_groups(structure)
    for box in boxes:
        rows = max(len(layer) for layer in box.layers)
        if any(v in grounded for v in box.layers[0]):
            box.stub = stub + _WALL
        inner = [width_of[edge.joint] for edge in edges if home[edge.first] is box is home[edge.second]]
        if len(box.layers) > 1:
            box.gap = max([_LAYER_GAP, *(width + _BESIDE_LABEL for width in inner)])
        inside = 2 * _PAD + box.stub + len(box.layers) * pill + (len(box.layers) - 1) * box.gap
        letters = len(structure.groups[box.number - 1].signature) if box.number else 14
        if box.number in singular:
            letters += len("singular ")
        # Bodies on top of each other have the label of their joint between them, wider than they may be.
        beside = max(0.0, max(inner, default=0.0) + 12.0 - 2 * _PAD - pill) if len(box.layers) == 1 else 0.0
        box.width = max(inside + beside, 50.0 + 7.0 * min(letters, _MOST_LETTERS))
        box.inset = _PAD + box.stub + (box.width - inside) / 2
        box.height = _HEAD + 2 * _PAD + (rows - 1) * ROW + PILL_HEIGHT
        if any(v in grounded for layer in box.layers[1:] for v in layer):
            box.height += _STUB_DOWN
    width, height = _stack(boxes, edges, home, pill)
    centre = {v: point for box in boxes for v, point in _centres(box, pill)}
    return StructureLayout(width, height, pill, boxes, centre, edges, stubs, stub, names)


def body_names(structure: Structure) -> list[str]:
    """Return the name of each rigid body as drawn: its first id, cut to 14 letters, and how many are welded to it."""
    names = short_names((members[0] for members in structure.rigid), _BODY_LETTERS)
    return [names[members[0]] + (f" +{len(members) - 1}" if len(members) > 1 else "") for members in structure.rigid]


def joint_names(structure: Structure) -> dict[str, str]:
    """Return the id of each joint as drawn, cut to 12 letters."""
    return short_names((joint.id for joint in structure.mechanism.joints), _JOINT_LETTERS)


def label_width(joint: Joint, name: str) -> float:
    """Return the width of a joint's label.

    Parameters
    ----------
    name : its id as drawn.
    """
    letters = len(joint.type) + joint.driven + len(name)
    return 6.9 * letters + (15.0 if joint.driven else 7.0)


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


def _stack(boxes: list[Box], edges: list[Edge], home: dict[int, Box], pill: float) -> tuple[float, float]:
    """Set the places of boxes and of the slots in which edges pass columns; return the size of the whole."""
    count = max((box.column for box in boxes), default=0)
    items = {id(box): Item(box.height) for box in boxes}
    row = {v: y - box.y for box in boxes for v, (_, y) in _centres(box, pill)}
    columns: list[list[Item]] = [[] for _ in range(count)]
    for box in boxes:
        columns[box.column - 1].append(items[id(box)])
    links: list[ColumnLink] = []
    slots: list[tuple[Edge, int, Item]] = []
    for edge in edges:
        first, second = sorted((edge.first, edge.second), key=lambda v: home[v].column)
        start, goal = home[first], home[second]
        if start.column == goal.column:
            continue
        path: list[tuple[Item, float]] = [(items[id(start)], row[first])]
        for column in range(start.column + 1, goal.column):
            slot = Item(_SLOT)
            columns[column - 1].append(slot)
            slots.append((edge, column, slot))
            path.append((slot, _SLOT / 2))
        path.append((items[id(goal)], row[second]))
        links += [ColumnLink(*left, *right) for left, right in pairwise(path)]
    height = ColumnLayout(columns, links, _BOX_GAP).arrange()
    left, x = [], 0.0
    widths = [max((box.width for box in boxes if box.column == column), default=0.0) for column in range(1, count + 1)]
    for width in widths:
        left.append(x)
        x += width + _COLUMN_GAP
    for box in boxes:
        box.x = left[box.column - 1] + (widths[box.column - 1] - box.width) / 2
        box.y = _TITLE + items[id(box)].y
        box.left, box.right = left[box.column - 1], left[box.column - 1] + widths[box.column - 1]
    for edge, column, slot in slots:
        middle = _TITLE + slot.y + _SLOT / 2
        edge.via += [(left[column - 1], middle), (left[column - 1] + widths[column - 1], middle)]
    return max(0.0, x - _COLUMN_GAP), _TITLE + height


def _centres(box: Box, pill: float) -> list[tuple[int, Point]]:
    rows = max(len(layer) for layer in box.layers)
    found = []
    for number, layer in enumerate(box.layers):
        x = box.x + box.inset + pill / 2 + number * (pill + box.gap)
        top = box.y + _HEAD + _PAD + PILL_HEIGHT / 2 + (rows - len(layer)) * ROW / 2
        found += [(v, (x, top + row * ROW)) for row, v in enumerate(layer)]
    return found
