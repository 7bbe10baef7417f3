"""Labels and bodies of the oriented topological graph stand clear of each other, and arrowheads of all other lines."""

from __future__ import annotations

import itertools
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from symgen.draw.topological_svg import topological_svg
from symgen.draw.topological_ways import lay_out, points_of
from symgen.model.mechanism import Mechanism
from symgen.topology.loops.topological_graph import build_topological_graph

DATA = Path(__file__).resolve().parents[1] / "topology" / "data"
SVG = "{http://www.w3.org/2000/svg}"
PAPER = ["rotor", "stewart", "micro_manipulator", "nine_bar", "spatial_four_bar"]


def _graph(name):
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    tree = {
        "schema": "symgen/mechanism/1",
        "name": name,
        "space": "planar" if data["B"] == 3 else "spatial",
        "ground": "1",
        "bodies": {str(body): {} for body in range(2, data["bodies"] + 1)},
        "joints": {
            f"j{k}": {"type": pair["type"], "bodies": list(map(str, pair["bodies"]))}
            for k, pair in enumerate(data["pairs"], start=1)
        },
    }
    return build_topological_graph(Mechanism.from_dict(tree))


def _boxes(root, *classes):
    for rect in root.iter(f"{SVG}rect"):
        if rect.get("class") in classes:
            x, y = float(rect.get("x")), float(rect.get("y"))
            yield x, y, x + float(rect.get("width")), y + float(rect.get("height"))


@pytest.mark.parametrize("name", PAPER)
def test_no_label_covers_a_body_or_another_label_or_leaves_the_picture(name):
    graph = _graph(name)
    root = ET.fromstring(topological_svg(graph))  # noqa: S314 - our own text
    labels, bodies = list(_boxes(root, "patch")), list(_boxes(root, "body", "body root"))
    assert (len(labels), len(bodies)) == (len(graph.arcs), len(graph.bodies))
    for (a, b, c, d), (x, y, u, v) in itertools.chain(
        itertools.combinations(labels, 2), itertools.product(labels, bodies), itertools.combinations(bodies, 2)
    ):
        assert min(c, u) <= max(a, x) or min(d, v) <= max(b, y)
    width, height = float(root.get("width")), float(root.get("height"))
    assert all(x >= 0 and y >= 0 and u <= width and v <= height for x, y, u, v in labels + bodies)


def test_bodies_with_many_arcs_grow_into_no_neighbour_and_not_into_the_title():
    # Complete bipartite: two bodies of one column with thirty joints each.
    middle = [str(k) for k in range(2, 32)]
    ends = [*(("1", body) for body in middle), *((body, end) for body in middle for end in ("hub", "rim"))]
    tree = {
        "schema": "symgen/mechanism/1", "name": "many", "space": "spatial", "ground": "1",
        "bodies": {body: {} for body in (*middle, "hub", "rim")},
        "joints": {f"j{k}": {"type": "S", "bodies": list(pair)} for k, pair in enumerate(ends)},
    }  # fmt: skip
    root = ET.fromstring(topological_svg(build_topological_graph(Mechanism.from_dict(tree))))  # noqa: S314 - our own
    bodies = list(_boxes(root, "body", "body root"))
    assert len(bodies) == 33
    assert min(y for _, y, _, _ in bodies) > 55.0
    for (a, b, c, d), (x, y, u, v) in itertools.combinations(bodies, 2):
        assert min(c, u) <= max(a, x) or min(d, v) <= max(b, y)


@pytest.mark.parametrize("name", PAPER)
def test_arrowheads_meet_no_other_line_and_lines_no_foreign_body(name):
    graph = _graph(name)
    pills, ways = lay_out(graph, 2, 40.0)
    ends = {arc.joint: (arc.tail, arc.head) for arc in graph.arcs}
    for joint, way in ways.items():
        tip = way[3]
        for other, line in ways.items():
            # An arrowhead is some ten pixels wide: half of it on either side of its line.
            assert other == joint or all(abs(tip[0] - x) + abs(tip[1] - y) > 7.0 for x, y in points_of(line))
        for body, pill in pills.items():
            assert body in ends[joint] or not any(pill.holds(point) for point in points_of(way)), (joint, body)
