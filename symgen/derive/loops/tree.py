"""Poses of all bodies along the tree: C_i = f_i(q) C_i,0, and the instantaneous screws of its joints.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (5).
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.derivation import Derivation
from symgen.derive.loops.cut_body import SOURCE
from symgen.derive.loops.frames import Frame, root_frame
from symgen.derive.loops.inputs import LoopInputs
from symgen.derive.loops.screws import Screw
from symgen.topology.loops.topological_graph import TopologicalGraph


@dataclass(frozen=True)
class TreeFrames:
    """f_i of every body, and the screw of every coordinate of the tree by its number, sigma included."""

    frames: dict[str, Frame]
    screws: dict[int, Screw]


def grow_tree(inputs: LoopInputs) -> TreeFrames:
    """Walk from the root to every body."""
    graph = inputs.graph
    frames: dict[str, Frame] = {graph.root: root_frame(inputs)}
    screws: dict[int, Screw] = {}
    waiting = list(graph.tree)
    while waiting:
        left = []
        for entry in waiting:
            if entry.predecessor not in frames:
                left.append(entry)
                continue
            frame = frames[entry.predecessor]
            for coordinate, sign in inputs.coordinates.passages([(entry.joint, entry.sigma)]):
                screw, frame = frame.passed(inputs, coordinate, sign, str(coordinate.number))
                screws[coordinate.number] = screw
            frames[entry.body] = frame
        waiting = left
    return TreeFrames(frames, screws)


def derive_poses(graph: TopologicalGraph, title: str) -> Derivation:
    """Derive the pose of every body but the root."""
    d = Derivation("poses", level="loops", title=title, source=SOURCE)
    inputs = LoopInputs(d, graph)
    tree = grow_tree(inputs)
    for body in graph.bodies[1:]:
        number = inputs.body_number[body]
        product = " ".join(f"exp({'' if sigma > 0 else '-'}{joint})" for joint, sigma in graph.path(body))
        pose = tree.frames[body].moved(inputs.body(body), f"body{number}", f"pose of {body}").pose()
        unit = "m, m, rad" if inputs.planar else "m, m, m, 1, 1, 1, 1"
        inputs.output(f"body_{number}", pose, meaning=f"pose of {body}: {product} C_0", unit=unit)
    return d
