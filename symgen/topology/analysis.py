"""Structural analysis: a mechanism becomes a sequence of structural groups.

    graph -> assignment of constraint units -> strongly connected components -> order -> groups -> findings

Where nothing is missing but that legs between two balls spin idly, the mechanism is counted with a U in the place of
one ball of each (`Structure.counted`), and the groups are shown with the pairs of the file.

Theory, with sources: docs/structure.md. Cost: linear in practice, no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from symgen.errors import InputError
from symgen.model.face import Path, loaded
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.topology.components import Component, find_components
from symgen.topology.findings.diagnosis import explain_group, find_count_faults, group_rank
from symgen.topology.graph import PairGraph, PairSource, build_graph
from symgen.topology.grouping import GroupTable
from symgen.topology.idle import IdleLeg, without_idle_rotations
from symgen.topology.local_shapes import Key
from symgen.topology.matching import Assignment, assign_units
from symgen.topology.ordering import order_pass, order_strict
from symgen.topology.pair_table import graph_of_table, read_pair_table
from symgen.topology.rank.generic import GenericRank
from symgen.topology.settle import Settled, settle
from symgen.topology.structure import Finding, Group, GroupChain, PairEnd, Status, Structure, pair_string

if TYPE_CHECKING:
    from symgen.model.pairs import Space
    from symgen.topology.pair_table import Numbers

__all__ = ["Finding", "Group", "GroupChain", "PairEnd", "Structure", "analyse", "analyse_pairs", "pair_string"]


def analyse(mechanism: PairSource | Path, *, order: str = "strict") -> Structure:
    """Take a mechanism apart into structural groups.

    Parameters
    ----------
    mechanism : bodies, joint types and driven freedoms, or the path of its file; geometry is not looked at. For joints
        of several bodies the pairs are chosen; ``structure.mechanism`` has them.
    order : ``"strict"`` (canonical: fewest bodies first, then lowest bodies) or ``"pass"`` (the paper's Algorithm 3).

    Returns
    -------
    structure : with status and findings; a mechanism that is not determined is an answer, not an error.

    Raises
    ------
    InputError
        If there is no such order.
    """
    _check_order(order)
    mechanism = loaded(mechanism, "analyse")
    parts = _take_apart(mechanism, order)
    structure = parts.settled.complete(_analyse(parts))
    if structure.status != "underdetermined" or not isinstance(mechanism, Mechanism):
        return structure
    counted, legs = without_idle_rotations(mechanism)
    return structure if not legs else _without_idle(mechanism, counted, legs, order) or structure


def analyse_pairs(
    space: Space,
    bodies: int,
    first: Numbers,
    second: Numbers,
    types: str | Sequence[str],
    driven: Numbers | int = 0,
    *,
    order: str = "strict",
) -> Structure:
    """Take a mechanism given as arrays apart into structural groups: for networks too large for a file.

    Parameters
    ----------
    space : ``"spatial"`` or ``"planar"``.
    bodies : number of bodies, frame included. Bodies are 0 (the frame), 1, ..., their ids the same as text.
    first, second : the two bodies of each pair, shape (pairs,), integers.
    types : pair type of each pair, or one for all. Bodies welded together must be one body.
    driven : number of driven freedoms of each pair, or one for all.
    order : as of `analyse`.

    Returns
    -------
    structure : as of `analyse`; joint ids are ``"j0"``, ``"j1"``, ... in the order of the arrays.

    Raises
    ------
    InputError
        If the arrays do not fit together: which, which entry, what is allowed.
    """
    _check_order(order)
    table = read_pair_table(space, bodies, first, second, types, driven)
    return _analyse(_count(table, graph_of_table(table), order))


def _check_order(order: str) -> None:
    if order not in ("strict", "pass"):
        raise InputError(f"order {order!r}: allowed are 'strict' and 'pass'")


@dataclass(frozen=True)
class _Parts:
    """A mechanism taken apart by its counts."""

    settled: Settled
    graph: PairGraph
    assignment: Assignment
    components: Sequence[Component]
    waiting: Sequence[int]
    sequence: Sequence[int]


def _take_apart(mechanism: PairSource, order: str) -> _Parts:
    settled = settle(mechanism)
    return replace(_count(settled.mechanism, settled.reduce(build_graph(settled.mechanism)), order), settled=settled)


def _count(mechanism: PairSource, graph: PairGraph, order: str) -> _Parts:
    assignment = assign_units(graph)
    components, waiting = find_components(graph, assignment)
    sequence = order_strict(components) if order == "strict" else order_pass(graph, components)
    return _Parts(Settled(mechanism, {}), graph, assignment, components, waiting, sequence)


def _analyse(parts: _Parts) -> Structure:
    mechanism, graph = parts.settled.mechanism, parts.graph
    table = GroupTable(mechanism, graph, parts.components, parts.sequence)
    findings = find_count_faults(graph, parts.assignment, parts.waiting)
    findings += _judge(graph, parts.assignment, table)
    return Structure(
        mechanism=mechanism,
        space=mechanism.space,
        bodies=graph.bodies,
        joints=len(graph.joints) + len(graph.inner),
        mobility=graph.mobility,
        driven=graph.driven,
        status=_status(findings),
        groups=table.groups,
        diagnosis=tuple(findings),
        rigid=graph.members,
    )


def _without_idle(mechanism: Mechanism, stand_in: Mechanism, legs: Sequence[IdleLeg], order: str) -> Structure | None:
    """Return the structure of a mechanism that lacks nothing but what holds its idle legs; None if it lacks more.

    Parameters
    ----------
    stand_in : the mechanism with a U for one ball of each leg.
    """
    parts = _take_apart(stand_in, order)
    counted = parts.settled.complete(_analyse(parts))
    if counted.status != "determined" or not isinstance(counted.mechanism, Mechanism):
        return None
    written = mechanism.with_trees(
        {joint.id: joint.tree for joint in counted.mechanism.multiple_joints if joint.tree is not None}
    )
    table = GroupTable(written, build_graph(written), parts.components, parts.sequence)
    return replace(
        counted,
        mechanism=written,
        mobility=counted.mobility + len(legs),
        groups=parts.settled.mark(table.groups),
        diagnosis=(*counted.diagnosis, *map(_idle, legs)),
        counted=counted,
    )


def _idle(leg: IdleLeg) -> Finding:
    first, second = leg.joints
    who = f"body {leg.bodies[0]} turns" if len(leg.bodies) == 1 else f"bodies {list_names(leg.bodies)} turn together"
    words = (
        f"{who} about the line through joints {first} and {second} without moving any other body. This is not a fault: "
        f"symgen leaves this rotation out and counts the groups with U in place of {leg.ball.id}"
    )
    return Finding("idle", leg.bodies, leg.joints, None, 1, words)


def _judge(graph: PairGraph, assignment: Assignment, table: GroupTable) -> list[Finding]:
    """Test every group; a rank is computed once for each shape."""
    ranks: dict[Key, GenericRank | None] = {}  # moving vertices by their places in the walk of the key
    findings = []
    for number, key in enumerate(table.keys, start=1):
        rank = ranks.get(key) if key is not None else None
        if rank is not None and rank.deficit == 0:
            continue
        vertices = table.vertices(number)
        if key is None:
            rank = group_rank(graph, assignment.held, vertices)
        elif key not in ranks:
            rank = group_rank(graph, assignment.held, vertices)
            ranks[key] = rank and _renumbered(rank, vertices, table.shapes.walk(vertices))
        elif rank is not None:
            rank = _renumbered(rank, table.shapes.walk(vertices), vertices)
        finding = explain_group(graph, assignment, vertices, number, rank)
        if finding is not None:
            findings.append(finding)
    return findings


def _renumbered(rank: GenericRank, old: Sequence[int], new: Sequence[int]) -> GenericRank:
    """Tell the moving vertices by their places in another listing of the same vertices."""
    if not rank.moving:
        return rank
    place = {v: number for number, v in enumerate(new)}
    return GenericRank(rank.deficit, tuple(sorted(place[old[number]] for number in rank.moving)))


def _status(findings: Sequence[Finding]) -> Status:
    kinds = {finding.kind for finding in findings}
    if "overdetermined" in kinds:
        return "overdetermined"
    if "underdetermined" in kinds:
        return "underdetermined"
    return "singular" if kinds & {"singular_count", "singular_rank"} else "determined"
