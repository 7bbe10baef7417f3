"""Why a mechanism has no valid choice of inputs."""

from __future__ import annotations

from dataclasses import replace

from symgen.model.nearest import list_names
from symgen.topology.findings.diagnosis import find_count_faults
from symgen.topology.transformations.ground_set import GroundSet, assign, greedy_matching


def explain_no_choice(ground: GroundSet) -> str:
    """Return in words why no choice within the bounds is valid."""
    graph = ground.graph
    nothing = (0,) * len(graph.joints)
    bare = assign(ground, nothing)
    undriven = replace(ground.graph_of(nothing), inner=tuple(replace(joint, driven=0) for joint in ground.graph.inner))
    faults = [each for each in find_count_faults(undriven, bare, ()) if each.kind == "overdetermined"]
    if faults:
        words = ". ".join(fault.advice for fault in faults)
        return f"no choice of inputs is valid, because the joints alone impose too many constraints: {words}"
    wanted = [joint.id for joint, low in zip(graph.joints, ground.lowest, strict=True) if low]
    if sum(ground.lowest) > ground.inputs:
        return (
            f"no choice of inputs is valid: joints {list_names(wanted)} must be driven with {sum(ground.lowest)} "
            f"freedoms together, but the mechanism has only {ground.inputs} to drive"
        )
    over = assign(ground, ground.lowest).over
    if over:
        bodies = [body for v in over for body in graph.members[v]]
        inside = {a // 2 for v in over for a in graph.incident[v]}
        blamed = [joint.id for p, joint in enumerate(graph.joints) if p in inside and ground.lowest[p]]
        return (
            f"no choice of inputs is valid: with joints {list_names(blamed)} driven, bodies {list_names(bodies)} "
            "carry more constraints than they have freedoms; drive fewer of these joints"
        )
    return _explain_shortage(ground)


def _explain_shortage(ground: GroundSet) -> str:
    graph = ground.graph
    matching = greedy_matching(ground)
    choice = matching.inputs if matching is not None else list(ground.lowest)
    under = assign(ground, choice).under
    bodies = [body for v in under for body in graph.members[v]]
    pairs = sorted({a // 2 for v in under for a in graph.incident[v]})
    more = [graph.joints[p].id for p in pairs if choice[p] < graph.joints[p].grade]
    text = (
        f"no choice of inputs is valid: even with everything driven that may be driven, bodies {list_names(bodies)} "
        f"still lack {ground.inputs - sum(choice)} of {ground.inputs} inputs"
    )
    if not more:
        return f"{text}, and no joint there has a freedom left to drive; join them to other bodies"
    return f"{text}; allow one of joints {list_names(more)} to be driven"
