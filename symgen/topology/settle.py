"""What comes before and after the analysis proper: pairs for multiple joints, redundant constraints left out.

settle(mechanism) -> reduce(graph) ... the analysis ... -> complete(structure)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import list_names
from symgen.model.special import SUBGROUPS, SpecialGeometry
from symgen.topology.findings.redundancy import Dropped, drop_beside_tree, settle_order, total
from symgen.topology.graph import PairGraph, PairSource
from symgen.topology.multiple_joints import choose_trees
from symgen.topology.rank.drawn import drawn_rows
from symgen.topology.rank.instantaneous import Instantaneous, instantaneous_mobility
from symgen.topology.rank.special import JUDGED, judge_special, judged_bodies
from symgen.topology.structure import Finding, Group, Structure


@dataclass(frozen=True)
class Settled:
    """A mechanism ready for the analysis.

    Attributes
    ----------
    mechanism : with pairs for its multiple joints.
    dropped : declaration -> constraints left out because of it, by joint.
    """

    mechanism: PairSource
    dropped: dict[str, Dropped]

    def reduce(self, graph: PairGraph) -> PairGraph:
        """Return the pair graph without the redundant constraints."""
        if not self.dropped:
            return graph
        left_out = total(self.dropped.values())
        units = [units - left_out.get(joint.id, 0) for joint, units in zip(graph.joints, graph.units, strict=True)]
        return replace(graph, units=units, reduced=True)

    def mark(self, groups: Sequence[Group]) -> tuple[Group, ...]:
        """Return the groups, their signatures with the kinds of what is left out in them."""
        mechanism = self.mechanism
        if not self.dropped or not isinstance(mechanism, Mechanism):
            return tuple(groups)
        kinds = {
            joint: special.kind for special in reversed(mechanism.special) for joint in self.dropped.get(special.id, {})
        }
        marked = []
        for group in groups:
            marks = dict.fromkeys(kinds[p.joint] for p in (*group.external, *group.internal) if p.joint in kinds)
            signature = f"{group.signature} [{', '.join(marks)}]" if marks else group.signature
            marked.append(replace(group, signature=signature) if marks else group)
        return tuple(marked)

    def complete(self, structure: Structure) -> Structure:
        """Return the structure with what the declarations mean for it."""
        mechanism = self.mechanism
        if not isinstance(mechanism, Mechanism) or not mechanism.special:
            return structure
        count = sum(total(self.dropped.values()).values())
        _check_proportions(mechanism, count)
        dropped = self.dropped
        found = [_finding(mechanism, each, dropped[each.id]) for each in mechanism.special if dropped.get(each.id)]
        faults = judge_special(structure, mechanism.special)
        faults += self._drawn_faults(structure)
        judged = judged_bodies(structure, mechanism.special)
        before = [each for each in structure.diagnosis if each.kind != "unchecked" or each.bodies not in judged]
        singular = any(finding.kind == "singular_rank" for finding in faults)  # others were not tested: no fault
        status = "singular" if singular and structure.status == "determined" else structure.status
        return replace(
            structure,
            groups=self.mark(structure.groups),
            mobility=structure.mobility + count,
            status=status,
            diagnosis=(*before, *faults, *found),
        )

    def _drawn_faults(self, structure: Structure) -> list[Finding]:
        """Test the groups in the drawing where constraints are left out because of proportions: what rank they have."""
        mechanism = self.mechanism
        kinds = {special.id: special.kind for special in getattr(mechanism, "special", ())}
        dropped = total(self.dropped[name] for name, kind in kinds.items() if kind == "proportions")
        drawn = drawn_rows(mechanism) if dropped and isinstance(mechanism, Mechanism) else None
        if drawn is None or not isinstance(mechanism, Mechanism):
            return []
        whole = instantaneous_mobility(mechanism)
        held = isinstance(whole, Instantaneous) and whole.remaining == 0
        findings = []
        for group in structure.groups:
            missing = drawn.missing(group.bodies, [pair.joint for pair in (*group.external, *group.internal)])
            if missing:
                findings.append(_singular_as_drawn(group, missing, held))
        return findings


def _singular_as_drawn(group: Group, missing: int, held: bool) -> Finding:
    """Report a group that moves though its earlier bodies stand: a fault if all inputs together hold the mechanism."""
    advice = (
        "the inputs hold the mechanism all the same: declare the joints whose constraints follow from others"
        if held
        else (
            "the inputs of the whole mechanism do not stop this either: choose other inputs, unless this position is "
            "a dead centre"
        )
    )
    return Finding(
        "singular_rank" if held else "unchecked",
        group.bodies,
        tuple(pair.joint for pair in (*group.external, *group.internal)),
        None,
        missing,
        f"group {group.number} has the right number of constraints, but as drawn its joints and inputs leave "
        f"{missing} {'motion' if missing == 1 else 'motions'} of its bodies free even while all other bodies are "
        f"held; {advice}",
    )


def _check_proportions(mechanism: Mechanism, count: int) -> None:
    """Refuse more redundant constraints than the loops have in the reference configuration, if it is given."""
    named = [special.id for special in mechanism.special if special.kind == "proportions"]
    found = instantaneous_mobility(mechanism) if named else None
    if isinstance(found, Instantaneous) and found.redundant < count:
        raise MechanismError(
            f"{count} constraints of the mechanism are declared redundant, but in the reference configuration only "
            f"{found.redundant} of the loop equations follow from the others; check the geometry, or declare fewer "
            "constraints redundant",
            file=mechanism.file,
            field=f"special.{named[0]}",
        )


def _finding(mechanism: Mechanism, special: SpecialGeometry, dropped: Dropped) -> Finding:
    count = sum(dropped.values())
    names = set(special.joints)
    pairs = [joint for joint in mechanism.joints if joint.id in names or joint.multiple in names]
    bodies = {body for joint in pairs for body in joint.bodies}
    why = f" ({SUBGROUPS[special.kind].condition})" if special.kind in SUBGROUPS else ""
    tested = special.kind in JUDGED or (special.kind == "proportions" and drawn_rows(mechanism) is not None)
    doubt = "" if tested else "; in the groups there only the counts are tested, not the rank"
    some = "constraint follows" if count == 1 else "constraints follow"
    return Finding(
        "redundant",
        tuple(body for body in mechanism.body_ids if body in bodies),
        tuple(joint.id for joint in pairs),
        count,
        None,
        f"special.{special.id} ({special.kind}): {count} {some} from the others as declared{why}, left out at "
        f"{list_names(f'{joint} ({n})' for joint, n in dropped.items())}; this is not a fault, but the reactions of "
        f"these joints are not unique{doubt}",
    )


def settle(mechanism: PairSource) -> Settled:
    """Choose pairs for multiple joints and the places where redundant constraints are left out."""
    if not isinstance(mechanism, Mechanism) or not (mechanism.multiple_joints or mechanism.special):
        return Settled(mechanism, {})
    order, dropped = settle_order(mechanism)
    mechanism = choose_trees(mechanism, order)
    for special in mechanism.special:
        dropped[special.id] = total([drop_beside_tree(mechanism, special, order), dropped.get(special.id, {})])
    return Settled(mechanism, dropped)
