"""Structural analysis: a mechanism becomes a sequence of structural groups.

    graph -> assignment of constraint units -> strongly connected components -> order -> groups -> findings

Theory, with sources: docs/structure.md. Cost: linear in practice, no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symgen.errors import InputError
from symgen.topology.components import Component, find_components
from symgen.topology.diagnosis import find_count_faults, judge_group
from symgen.topology.graph import PairGraph, build_graph
from symgen.topology.grouping import build_groups
from symgen.topology.matching import Assignment, assign_units
from symgen.topology.ordering import order_pass, order_strict
from symgen.topology.rank import LARGEST
from symgen.topology.settle import settle
from symgen.topology.structure import Finding, Group, GroupChain, PairEnd, Status, Structure, pair_string

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism

__all__ = ["Finding", "Group", "GroupChain", "PairEnd", "Structure", "analyse", "pair_string"]


def analyse(mechanism: Mechanism, *, order: str = "strict") -> Structure:
    """Take a mechanism apart into structural groups.

    Parameters
    ----------
    mechanism : bodies, joint types and driven freedoms; geometry is not looked at. For joints of several bodies
        the pairs are chosen; ``structure.mechanism`` has them.
    order : ``"strict"`` (canonical: fewest bodies first, then lowest bodies) or ``"pass"`` (the paper's Algorithm 3).

    Returns
    -------
    structure : with status and findings; a mechanism that is not determined is an answer, not an error.

    Raises
    ------
    InputError
        If there is no such order.
    """
    if order not in ("strict", "pass"):
        raise InputError(f"order {order!r}: allowed are 'strict' and 'pass'")
    settled = settle(mechanism)
    mechanism = settled.mechanism
    graph = settled.reduce(build_graph(mechanism))
    assignment = assign_units(graph)
    components, waiting = find_components(graph, assignment)
    sequence = order_strict(components) if order == "strict" else order_pass(graph, components)
    groups = build_groups(mechanism, graph, components, sequence)
    findings = find_count_faults(graph, assignment, waiting)
    findings += _judge(graph, assignment, components, sequence, groups)
    structure = Structure(
        mechanism=mechanism,
        space=mechanism.space,
        bodies=graph.bodies,
        joints=len(graph.joints) + len(graph.inner),
        mobility=graph.mobility,
        driven=graph.driven,
        status=_status(findings),
        groups=groups,
        diagnosis=tuple(findings),
        rigid=graph.members,
    )
    return settled.complete(structure)


def _judge(
    graph: PairGraph,
    assignment: Assignment,
    components: Sequence[Component],
    sequence: Sequence[int],
    groups: Sequence[Group],
) -> list[Finding]:
    """Test every group; one of a signature that passed before is regular too."""
    regular: set[str] = set()
    findings = []
    for c, group in zip(sequence, groups, strict=True):
        vertices = components[c].vertices
        finding = judge_group(graph, assignment, vertices, group.number, group.signature in regular)
        if finding is not None:
            findings.append(finding)
        elif len(vertices) <= LARGEST:  # there the signature says all; see symgen.topology.signatures
            regular.add(group.signature)
    return findings


def _status(findings: Sequence[Finding]) -> Status:
    kinds = {finding.kind for finding in findings}
    if "overdetermined" in kinds:
        return "overdetermined"
    if "underdetermined" in kinds:
        return "underdetermined"
    return "singular" if kinds & {"singular_count", "singular_rank"} else "determined"
