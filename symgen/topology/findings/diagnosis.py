"""Findings in words: which bodies carry too much or too little, and which groups cannot move as counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from symgen.model.nearest import list_names
from symgen.topology.findings.ball_legs import BallLeg, find_ball_legs
from symgen.topology.findings.missing_inputs import IdleMotion, Remedy, find_remedy
from symgen.topology.findings.remedies import Exchange, SharingPairs, find_exchange, shared_rows, stressed_pairs
from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.matching import Assignment
from symgen.topology.rank.connectivity import find_stiff_part
from symgen.topology.rank.elimination import ADVICE_EFFORT
from symgen.topology.rank.generic import GenericRank, generic_rank, is_decided_by_count
from symgen.topology.rank.stiff_chains import find_blame
from symgen.topology.structure import Finding


def find_count_faults(graph: PairGraph, assignment: Assignment, waiting: Sequence[int]) -> list[Finding]:
    """Report over- and underdetermined sets (coarse Dulmage-Mendelsohn), one finding a connected part."""
    findings = [_inner(graph, joint_number) for joint_number in range(len(graph.inner))]
    findings = [finding for finding in findings if finding.excess]
    for part in connected_parts(graph, assignment.over):
        findings += [_over(graph, assignment, part), *_within(graph, assignment, part, "in addition,")]
    for part in connected_parts(graph, assignment.under):
        remedy = find_remedy(graph, assignment, part)
        findings.append(_under(graph, assignment, part, remedy))
        if remedy is not None and remedy.redundant:
            findings.append(_redundant(graph, assignment, part, remedy.redundant))
    if waiting:
        findings.append(
            Finding(
                "waiting",
                _names(graph, waiting),
                (),
                None,
                0,
                f"bodies {list_names(_names(graph, waiting))} have the right number of constraints, but depend on "
                "overdetermined bodies; symgen can divide them into groups only after those are corrected",
            )
        )
    for part in connected_parts(graph, waiting):
        words = f"bodies {list_names(_names(graph, part))} have the right number of constraints, but"
        findings += _within(graph, assignment, part, words)
    return findings


def _within(graph: PairGraph, assignment: Assignment, part: Sequence[int], lead: str) -> list[Finding]:
    """Report constraints lost (tests L2, L3) in bodies that form no groups; none if they have full rank."""
    rank = None if graph.reduced else generic_rank(graph, assignment.held, part, ADVICE_EFFORT)
    if rank is None or not rank.deficit:
        return []
    stiff = find_blame(graph, part) if lead != "in addition," else None
    if stiff is not None:
        return [_stiff(graph, part, stiff.excess, lead)]
    return [_dependent(graph, assignment.held, part, rank, lead)]


def _redundant(graph: PairGraph, assignment: Assignment, part: Sequence[int], count: int) -> Finding:
    """Report constraints of an underdetermined set that follow from its others."""
    blame = find_blame(graph, part)
    if blame is not None:
        return _stiff(graph, part, blame.excess, "in addition,")
    pairs = sorted({a // 2 for v in part for a in graph.incident[v]})
    shared = shared_rows(graph, pairs, part) or SharingPairs(tuple(pairs), ())
    joints = _joints(graph, shared.pairs)
    names = _names(graph, part)
    inputs = list_names(_joints(graph, shared.inputs))
    fewer = f", or remove an input ({inputs})" if inputs else ""
    words = (
        f"in addition, {count} of the constraints of bodies {list_names(names)} "
        f"{'follows' if count == 1 else 'follow'} from the others, whatever the geometry. The joints "
        f"concerned are {list_names(joints)}. Let {_one_of(graph, shared.joints)} allow more freedom{fewer}"
    )
    return Finding("singular_rank", names, joints, None, count, words)


def judge_group(
    graph: PairGraph, assignment: Assignment, vertices: tuple[int, ...], number: int, known_regular: bool
) -> Finding | None:
    """Report a group whose constraints depend on each other for every geometry (tests L3, then L2)."""
    if known_regular:
        return None
    return explain_group(graph, assignment, vertices, number, group_rank(graph, assignment.held, vertices))


def group_rank(graph: PairGraph, held: list[int], vertices: tuple[int, ...]) -> GenericRank | None:
    """Return the generic rank of a group by the cheapest way; None if it is not known."""
    if is_decided_by_count(graph, held, vertices) and find_stiff_part(graph, held, vertices) == (None, True):
        return GenericRank(0, ())
    return generic_rank(graph, held, vertices)


def explain_group(
    graph: PairGraph, assignment: Assignment, vertices: tuple[int, ...], number: int, rank: GenericRank | None
) -> Finding | None:
    """Report a group of this generic rank; test L2 says where a deficit lies, and decides if no rank is known."""
    if rank is not None and rank.deficit == 0:
        return None
    part, complete = find_stiff_part(graph, assignment.held, vertices)
    if part is not None:
        exchange = find_exchange(graph, assignment.held, vertices, rank.deficit) if rank and not graph.reduced else None
        lead = f"group {number} as a whole has the right number of constraints, but"
        return _stiff(graph, part.vertices, part.excess, lead, exchange)
    if rank is not None:
        lead = f"group {number} has the right number of constraints, but"
        return _dependent(graph, assignment.held, vertices, rank, lead)
    tested = "its rank was not tested. Its totals agree, and no part of it has more constraints than make it rigid"
    if not complete:
        tested = (
            "only its totals were tested, and they agree; neither its rank was tested, nor whether a part of it has "
            "more constraints than make it rigid"
        )
    words = (
        f"group {number} of {len(vertices)} bodies is too large to test in full, or has pair types of which only the "
        f"count is known; {tested}"
    )
    return Finding("unchecked", _names(graph, vertices), (), None, 0, words)


def _names(graph: PairGraph, vertices: Iterable[int]) -> tuple[str, ...]:
    return tuple(body for v in vertices for body in graph.members[v])


def _joints(graph: PairGraph, pairs: Iterable[int]) -> tuple[str, ...]:
    return tuple(graph.joints[p].id for p in sorted(set(pairs)))


def connected_parts(graph: PairGraph, vertices: Sequence[int]) -> list[list[int]]:
    """Split a vertex set into parts that pairs connect (not across the frame)."""
    left = set(vertices)
    parts = []
    for root in vertices:
        if root not in left:
            continue
        left.discard(root)
        part = [root]
        for v in part:  # grows while it is walked
            for a in graph.incident[v]:
                u = graph.end[a ^ 1]
                if u in left and graph.units[a // 2]:
                    left.discard(u)
                    part.append(u)
        parts.append(sorted(part))
    return parts


def _inner(graph: PairGraph, number: int) -> Finding:
    joint = graph.inner[number]
    excess = graph.freedoms - joint.grade + joint.driven
    return Finding(
        "overdetermined",
        tuple(joint.bodies),
        (joint.id,),
        excess,
        None,
        f"joint {joint.id} connects {joint.bodies[0]} and {joint.bodies[1]}, which welds already hold together; "
        "remove the joint or a weld",
    )


def _over(graph: PairGraph, assignment: Assignment, part: Sequence[int]) -> Finding:
    inside = {FRAME, *part}
    pairs = [a // 2 for v in part for a in graph.incident[v] if graph.end[a ^ 1] in inside and graph.units[a // 2]]
    freedoms = graph.freedoms * len(part)
    load = sum(assignment.load[v] for v in part)
    names, joints = _names(graph, part), _joints(graph, pairs)
    excess = load - freedoms
    known = None if graph.reduced else shared_rows(graph, sorted(set(pairs)), part)
    shared = known or SharingPairs(tuple(pairs), tuple(p for p in sorted(set(pairs)) if graph.joints[p].driven))
    freer = (
        "L for R or P"
        if graph.freedoms == 3
        else "C for R or P, for example"
        if excess == 1
        else "S for R, for example"
    )
    inputs = list_names(_joints(graph, shared.inputs))
    fewer = f"remove an input ({inputs}) or " if inputs else ""
    doubt = "" if known else " (which of them help is not known here)"
    return Finding(
        "overdetermined",
        names,
        joints,
        excess,
        None,
        f"{_bodies_have(names)} {freedoms} freedoms, but joints {list_names(joints)} impose {load} constraints: "
        f"{excess} too many; {fewer}let {_one_of(graph, shared.joints)} allow more freedom ({freer}){doubt}. If the "
        "mechanism moves all the same, it moves because of special proportions, which counting does not see: declare "
        "them under [special]",
    )


def _under(graph: PairGraph, assignment: Assignment, part: Sequence[int], remedy: Remedy | None) -> Finding:
    pairs = [a // 2 for v in part for a in graph.incident[v]]
    freedoms = graph.freedoms * len(part)
    load = sum(assignment.load[v] for v in part)
    missing = freedoms - load
    names, joints = _names(graph, part), _joints(graph, pairs)
    found = (
        f"{_bodies_have(names)} {freedoms} freedoms, but their joints impose only {load} "
        f"constraint{'' if load == 1 else 's'}: {missing} missing"
    )
    if not pairs:
        return Finding("underdetermined", names, joints, None, freedoms, f"{found}; no joint holds {names[0]}: add one")
    if remedy is None:
        advice = (
            f"{found}; drive {missing} more of the freedoms of their joints (symgen cannot tell here which of them "
            "help)"
        )
        return Finding("underdetermined", names, joints, None, missing, advice)
    if remedy.redundant:
        is_ = "is" if remedy.redundant == 1 else "are"
        found += f", and {remedy.redundant} of those {is_} redundant (the next finding says which joints to change)"
    advice = f"{found}; {_inputs_wanted(graph, remedy)}"
    advice += _loose_ends(graph, part) if remedy.needed else ""
    advice += "".join(f". {_idle_words(graph, motion)}" for motion in remedy.idle)
    return Finding("underdetermined", names, joints, None, missing, advice)


def _bodies_have(names: Sequence[str]) -> str:
    return f"body {names[0]} has" if len(names) == 1 else f"bodies {list_names(names)} have"


def _loose_ends(graph: PairGraph, part: Sequence[int]) -> str:
    """Name the bodies that one joint alone holds: where a mechanism should close, a joint has been forgotten."""
    holding = {v: [a // 2 for a in graph.incident[v] if graph.units[a // 2]] for v in part}
    ends = [
        f"body {graph.members[v][0]} hangs on joint {graph.joints[pairs[0]].id} alone"
        for v, pairs in holding.items()
        if len(pairs) == 1
    ]
    return f"; or add a joint: {list_names(ends)}" if ends else ""


def _inputs_wanted(graph: PairGraph, remedy: Remedy) -> str:
    if not remedy.needed:
        return "no further input is needed for the motion of the others"
    if not remedy.pairs:
        return "no joint freedom takes part in their motion: connect them with the frame"
    words = f"drive {remedy.needed} more of the freedoms of joints {list_names(_joints(graph, remedy.pairs))}"
    if len(remedy.example) == remedy.needed:
        times = Counter(graph.joints[p].id for p in remedy.example)
        words += f", for example {list_names(f'{n} of {name}' if n > 1 else name for name, n in times.items())}"
    elif remedy.example:
        words += f" (they supply {len(remedy.example)}; for the others, connect these bodies with the frame)"
    return words


def _idle_words(graph: PairGraph, motion: IdleMotion) -> str:
    names, count = _names(graph, motion.vertices), motion.count
    who = f"body {names[0]}" if len(names) == 1 else f"bodies {list_names(names)} together"
    if motion.on_balls:
        return (
            f"One freedom of {who} is the idle rotation about the line through {'its' if len(names) == 1 else 'their'} "
            f"two S joints: replace one of these joints by U ({graph.joints[motion.pair].id}, for example) to remove it"
        )
    return (
        f"{who.capitalize()} {'has' if len(names) == 1 else 'have'} {count} idle freedom{'' if count == 1 else 's'}, "
        f"which move{'s' * (count == 1)} no other body: let joint {graph.joints[motion.pair].id} allow less freedom"
    )


def _stiff(graph: PairGraph, part: Sequence[int], excess: int, lead: str, exchange: Exchange | None = None) -> Finding:
    """Report the smallest chain in the part that is stiffer than rigid, with the joint or the input to blame.

    Parameters
    ----------
    exchange : what to change instead, if it is known.
    """
    blame = find_blame(graph, part)
    chain = blame.vertices if blame is not None else tuple(part)
    excess = blame.excess if blame is not None else excess
    inside = set(chain)
    pairs = [a // 2 for v in chain for a in graph.incident[v] if graph.end[a ^ 1] in inside and graph.units[a // 2]]
    names, joints = _names(graph, chain), _joints(graph, pairs)
    last = f"joint {graph.joints[blame.pair].id}" if blame is not None else "a joint"
    take = exchange.take if exchange is not None else ()
    if blame is not None and blame.is_input and exchange is not None and blame.pair not in exchange.give:
        reason = (
            f"the input of {last} is not the only cause, because some constraints of the joints follow from the "
            "others; "
        )
        reason += f"let {_one_of(graph, exchange.relax)} allow more"
        reason += f" and drive {_one_of(graph, take)} instead" if take else ""
    elif blame is not None and blame.is_input:
        reason = f"the input of {last} drives bodies that the joints already hold rigid; "
        unknown = "drive a joint elsewhere"
        elsewhere = unknown if exchange is None else "no other joint freedom takes part in the motion that is left"
        reason += f"drive {_one_of(graph, take)} instead" if take else elsewhere
    else:
        reason = f"{last} is one joint too many there; remove it or let it allow more freedom"
        reason += f", and drive {_one_of(graph, take)} for the motion that is left" if take else ""
    return Finding(
        "singular_count",
        names,
        joints,
        excess,
        None,
        f"{lead} joints {list_names(joints)} alone hold bodies {list_names(names)} with {excess} "
        f"constraint{'' if excess == 1 else 's'} more than are needed to make them rigid: {reason}",
    )


def _dependent(graph: PairGraph, held: Sequence[int], vertices: Sequence[int], rank: GenericRank, lead: str) -> Finding:
    pairs = stressed_pairs(graph, held, vertices)
    names = _names(graph, (vertices[position] for position in rank.moving))
    legs = find_ball_legs(graph, vertices, {a // 2 for v in vertices for a in graph.incident[v] if held[a]})
    driven = {p: graph.named[p] for p in pairs if p in graph.named}
    reasons = [_spin_words(graph, leg) for leg in legs]
    reasons += [f"joint {graph.joints[p].id} has {list_names(which)} driven" for p, which in driven.items()]
    which = "of the constraints" if lead == "in addition," else "of them"
    reason = "; ".join(reasons) or "look for parallel directions and idle rotations"
    return Finding(
        "singular_rank",
        names,
        _joints(graph, pairs),
        None,
        rank.deficit,
        f"{lead} {rank.deficit} {which} {'follows' if rank.deficit == 1 else 'follow'} from the others, so "
        f"that {list_names(names)} can still move, whatever the geometry; {reason}. "
        f"{_exchange_words(graph, held, vertices, rank.deficit, legs)}",
    )


def _spin_words(graph: PairGraph, leg: BallLeg) -> str:
    names = _names(graph, leg.vertices)
    if len(names) == 1:
        return f"body {names[0]} spins about the line through its two S joints, whose distance is prescribed twice"
    return f"bodies {list_names(names)} together spin about the line through their two S joints"


def _exchange_words(
    graph: PairGraph, held: Sequence[int], vertices: Sequence[int], deficit: int, legs: Sequence[BallLeg]
) -> str:
    """Say which input, or joint, is one too many and what stops the motion that is left instead."""
    exchange = None if graph.reduced else find_exchange(graph, held, vertices, deficit)
    if exchange is None:
        return "Choose other inputs or another pair type"
    if legs:
        stop = f"replace one of its S joints by U ({graph.joints[legs[0].pair].id}, for example)"
    elif exchange.take:
        stop = f"drive a further freedom of {_one_of(graph, exchange.take)}"
    else:
        return "Choose another pair type"
    if exchange.give:
        begin = f"Remove an input ({list_names(_joints(graph, exchange.give))})"
        other = ", not the same one," if not legs and {*exchange.give} & {*exchange.take} - {*graph.named} else ""
    else:
        begin, other = f"Let {_one_of(graph, exchange.relax)} allow more", ""
    again = f"; then {deficit - 1} more are left, to be exchanged in the same way" if deficit > 1 else ""
    return f"{begin} and {stop}{other} instead{again}"


def _one_of(graph: PairGraph, pairs: Sequence[int]) -> str:
    names = _joints(graph, pairs)
    return f"joint {names[0]}" if len(names) == 1 else f"one of joints {list_names(names)}"
