"""Loop constraints of one mechanism.

Coordinates, joints, bodies and loops are numbered from 1 in the order of the mechanism file. Geometry comes in as
ports: axes, centres, pitches and poses in the reference configuration, where all coordinates of the tree are zero.

  poses         C_i = f_i(q) C_i,0 of every body, products of exponentials along the tree
  closure       what is left of f_l(q) = I around every fundamental cycle (cut-body)
  jacobian      instantaneous joint screws around every cycle: J dq/dt = 0
  bias_n        J q^(n) + bias = 0 is the closure of the n-th derivatives: Lie brackets of the screws
  cut           h_l(q) = 0 of every cotree joint, by its type (cut-joint; tree coordinates only)
  cut_jacobian  their derivatives: constraint wrenches times screws

Source: A. Mueller 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symgen.derive.derivation import Derivation
from symgen.derive.loops.cut_body import SOURCE, derive_bias, derive_closure, derive_jacobian
from symgen.derive.loops.cut_joint import derive_cut_constraints, derive_cut_jacobian
from symgen.derive.loops.tree import derive_poses
from symgen.derive.module import overview
from symgen.errors import InputError
from symgen.ir.nodes import Stage
from symgen.naming import check_identifier
from symgen.topology.loops.coordinates import LoopCoordinates, number_coordinates
from symgen.topology.loops.joint_motions import JOINT_MOTIONS
from symgen.topology.loops.topological_graph import TopologicalGraph

#: Derivatives beyond this make files that nobody can read; the recursion itself has no bound.
HIGHEST_ORDER = 8


@dataclass(frozen=True)
class LoopModule:
    """All derivations of a mechanism's loops: (name of the routine, stage, derivation)."""

    id: str
    title: str
    space: Literal["spatial", "planar"]
    source: str
    summary: tuple[str, ...]
    order: int
    graph: TopologicalGraph
    coordinates: LoopCoordinates
    parts: tuple[tuple[str, Stage, Derivation], ...]


def derive_loops(graph: TopologicalGraph, module_id: str, *, order: int = 2) -> LoopModule:
    """Derive poses, constraints, Jacobians and biases up to a derivative of order `order`.

    Raises
    ------
    InputError
        `order` is out of range, the id cannot stand in code, or a joint is a higher pair (no joint frames).
    """
    check_identifier(module_id)
    if not 1 <= order <= HIGHEST_ORDER:
        raise InputError(f"order: {order} is not one of 1 ... {HIGHEST_ORDER}")
    for arc in graph.arcs:
        if arc.type not in JOINT_MOTIONS:
            raise InputError(
                f"joints.{arc.joint}: loop constraints need joint frames, which {arc.type} does not have; "
                f"types with them: {', '.join(JOINT_MOTIONS)}"
            )
    title = f"loop constraints of {graph.name}" if graph.name else "loop constraints"
    parts: list[tuple[str, Stage, Derivation]] = [
        ("poses", "poses", derive_poses(graph, title)),
        ("closure", "closure", derive_closure(graph, title)),
        ("jacobian", "jacobian", derive_jacobian(graph, title)),
        *((f"bias_{n}", "bias", derive_bias(graph, f"order {n}, {title}", n)) for n in range(2, order + 1)),
        ("cut", "cut", derive_cut_constraints(graph, title)),
        ("cut_jacobian", "cut_jacobian", derive_cut_jacobian(graph, title)),
    ]
    return LoopModule(
        id=module_id,
        title=title,
        space="planar" if graph.space == "planar" else "spatial",
        source=SOURCE,
        summary=overview(__doc__),
        order=order,
        graph=graph,
        coordinates=number_coordinates(graph),
        parts=tuple(part for part in parts if part[2].outputs),
    )
