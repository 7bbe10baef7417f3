"""Topological graph of a mechanism: oriented graph, spanning tree, predecessors, fundamental cycles.

Bodies are vertices, joints are arcs: Gamma(B, J). An arc points from its tail to its head; the joint's coordinates
measure the motion of the head relative to the tail. A spanning tree G, rooted at the ground, gives every other body i
a predecessor joint J_i and a predecessor body; sigma(i) = +1 where the arc of J_i points away from the root, so that
its coordinates measure body i relative to its predecessor, else -1. Each joint outside the tree (the cotree H) closes
one fundamental cycle with it, oriented as that joint's arc: sigma_l(i) = +1 where J_i points along the cycle l, -1
where it points against it, 0 where it is no part of it.

Source: A. Mueller, "Representation of the kinematic topology of mechanisms for kinematic analysis", Mechanical
Sciences 6 (2015), 137-146.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names
from symgen.model.pairs import PAIR_TYPES
from symgen.topology.loops.spanning_tree import Ends, Parents, fork, other_end, tree_by_rank, tree_without

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint, Mechanism

SCHEMA = "symgen/topological-graph/1"

#: Dimensions of the motion subgroups of SE(3) in which all bodies of a loop can move.
GROUP_DIMENSIONS = (1, 2, 3, 4, 6)

Signed = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Arc:
    """One joint: coordinates measure the head relative to the tail. `turned`: against the direction in the file."""

    joint: str
    type: str
    tail: str
    head: str
    freedoms: int
    turned: bool = False


@dataclass(frozen=True, slots=True)
class TreeArc:
    """How a body hangs in the tree: its predecessor joint and body, and sigma of that joint."""

    body: str
    joint: str
    predecessor: str
    sigma: int


@dataclass(frozen=True, slots=True)
class FundamentalCycle:
    """The cycle that a cotree joint closes.

    Parameters
    ----------
    joint : of the cotree; it comes with +1.
    start : the body nearest to the root; the cycle starts and ends there.
    before, after : (joint, sigma_l) from `start` to the tail of the cotree arc, and from its head back.
    dimension : g, of the motion group in which its bodies move.
    """

    joint: str
    start: str
    before: tuple[Signed, ...]
    after: tuple[Signed, ...]
    dimension: int

    @property
    def steps(self) -> tuple[Signed, ...]:
        """(joint, sigma_l) around the cycle."""
        return (*self.before, (self.joint, 1), *self.after)


@dataclass(frozen=True)
class TopologicalGraph:
    """Oriented graph, tree and cycles.

    Parameters
    ----------
    name, space : of the mechanism.
    bodies : all, the root first, then in the order of the file.
    arcs : in the order of the file.
    tree : for each body but the root, in the order of `bodies`.
    cycles : one for each cotree joint, in the order of the file.
    """

    name: str
    space: str
    bodies: tuple[str, ...]
    arcs: tuple[Arc, ...]
    tree: tuple[TreeArc, ...]
    cycles: tuple[FundamentalCycle, ...]

    @property
    def root(self) -> str:
        """The ground."""
        return self.bodies[0]

    @property
    def cotree(self) -> tuple[str, ...]:
        """The joints outside the tree."""
        return tuple(cycle.joint for cycle in self.cycles)

    @property
    def mobility(self) -> int:
        """Generic mobility: freedoms of the joints less g for each cycle (Kutzbach)."""
        return sum(arc.freedoms for arc in self.arcs) - sum(cycle.dimension for cycle in self.cycles)

    def arc(self, joint: str) -> Arc:
        """Return the arc of a joint."""
        return next(arc for arc in self.arcs if arc.joint == joint)

    def branch(self, body: str) -> TreeArc:
        """Return how a body other than the root hangs in the tree."""
        return next(entry for entry in self.tree if entry.body == body)

    def path(self, body: str) -> tuple[Signed, ...]:
        """Return (joint, sigma) from the root to a body."""
        hanging = {entry.body: entry for entry in self.tree}
        found: list[Signed] = []
        while body != self.root:
            entry = hanging[body]
            found.append((entry.joint, entry.sigma))
            body = entry.predecessor
        return tuple(reversed(found))

    def predecessor_joint(self, joint: str) -> str | None:
        """Return the joint before a tree joint on the way from the root; None if there is none."""
        entry = next(entry for entry in self.tree if entry.joint == joint)
        return None if entry.predecessor == self.root else self.branch(entry.predecessor).joint

    def path_matrix(self) -> tuple[tuple[int, ...], ...]:
        """Return sigma_i(j), a row for each body but the root, a column for each joint."""
        return tuple(self._row(self.path(body)) for body in self.bodies[1:])

    def cycle_matrix(self) -> tuple[tuple[int, ...], ...]:
        """Return sigma_l(j), a row for each cycle, a column for each joint."""
        return tuple(self._row(cycle.steps) for cycle in self.cycles)

    def _row(self, steps: Sequence[Signed]) -> tuple[int, ...]:
        signs = dict(steps)
        return tuple(signs.get(arc.joint, 0) for arc in self.arcs)

    def to_dict(self) -> dict[str, Any]:
        """Return the document ``symgen/topological-graph/1`` as JSON data."""
        return {
            "schema": SCHEMA,
            "mechanism": self.name,
            "space": self.space,
            "root": self.root,
            "bodies": list(self.bodies),
            "arcs": [
                {"joint": a.joint, "type": a.type, "tail": a.tail, "head": a.head, "freedoms": a.freedoms,
                 "turned": a.turned}
                for a in self.arcs
            ],
            "tree": [
                {"body": e.body, "joint": e.joint, "predecessor": e.predecessor, "sigma": e.sigma,
                 "predecessor_joint": self.predecessor_joint(e.joint)}
                for e in self.tree
            ],
            "cotree": list(self.cotree),
            "cycles": [
                {"joint": c.joint, "start": c.start, "dimension": c.dimension,
                 "steps": [{"joint": joint, "sigma": sigma} for joint, sigma in c.steps]}
                for c in self.cycles
            ],
            "cyclomatic_number": len(self.cycles),
            "mobility": self.mobility,
            "path_matrix": [list(row) for row in self.path_matrix()],
            "cycle_matrix": [list(row) for row in self.cycle_matrix()],
        }  # fmt: skip


def build_topological_graph(
    mechanism: Mechanism,
    *,
    cotree: Collection[str] | None = None,
    tree: Collection[str] | None = None,
    turned: Collection[str] = (),
    dimension: int | Mapping[str, int] | None = None,
) -> TopologicalGraph:
    """Return the topological graph of a mechanism; welds are arcs without a freedom.

    Parameters
    ----------
    cotree, tree : the joints outside, or inside, the spanning tree; give one of them or neither. Default: breadth
        first from the ground in the order of the file, lower pairs before free pairs before higher pairs.
    turned : joints whose arcs point from the file's second body to its first; their coordinates change sign.
    dimension : g of all loops, or of the loops that the given cotree joints close; default 3 in the plane, 6 in space.

    Raises
    ------
    InputError
        A name is not that of a joint; the choice leaves no tree (the loop or the bodies cut off are named); the
        mechanism falls apart; g is not the dimension of a motion group.
    """
    joints = mechanism.joints
    number = {joint.id: k for k, joint in enumerate(joints)}
    for option, names in (("cotree", cotree), ("tree", tree), ("turned joints", turned)):
        _check_names(option, names or (), number)
    if cotree is not None and tree is not None:
        raise InputError("give the joints of the cotree or those of the tree, not both")
    bodies = tuple(mechanism.body_ids)
    place = {body: k for k, body in enumerate(bodies)}
    ends = [(place[joint.bodies[0]], place[joint.bodies[1]]) for joint in joints]
    parents = tree_by_rank(len(bodies), ends, [_rank(joint) for joint in joints])
    apart = [bodies[b] for b in range(1, len(bodies)) if parents[b] < 0]
    if apart:
        raise InputError(f"no chain of joints leads from {list_names(apart)} to {bodies[0]}: join or remove")
    if tree is not None:
        inside = frozenset(tree)
        cotree = [joint.id for joint in joints if joint.id not in inside]
    if cotree is not None:
        parents = tree_without(len(bodies), ends, frozenset(number[name] for name in cotree))
        _check_tree(parents, ends, bodies, joints, set(cotree), "cotree" if tree is None else "tree")
    against = frozenset(turned)
    arcs = tuple(_arc(joint, joint.id in against) for joint in joints)
    hanging = tuple(_tree_arc(b, parents, ends, bodies, arcs) for b in range(1, len(bodies)))
    used = frozenset(parents)
    outside = [k for k in range(len(joints)) if k not in used]
    dimensions = _dimensions(dimension, [joints[k].id for k in outside], 3 if mechanism.space == "planar" else 6)
    cycles = tuple(_cycle(arcs[k], place, parents, ends, bodies, arcs, dimensions[arcs[k].joint]) for k in outside)
    return TopologicalGraph(mechanism.name, mechanism.space, bodies, arcs, hanging, cycles)


def _check_names(option: str, names: Collection[str], known: Mapping[str, int]) -> None:
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f"; there are {list_names(known)}"
            raise InputError(f"{option}: no joint has the id {name!r}{near}")


def _rank(joint: Joint) -> int:
    """Return 0 for lower pairs and welds, 1 for pairs that constrain nothing, 2 for higher pairs."""
    if joint.type == "L" or not PAIR_TYPES[joint.type].has_geometry:
        return 2
    return 1 if joint.type in ("F", "FP") else 0


def _arc(joint: Joint, turned: bool) -> Arc:
    tail, head = joint.bodies[::-1] if turned else joint.bodies
    return Arc(joint.id, joint.type, tail, head, joint.grade, turned)


def _tree_arc(body: int, parents: Parents, ends: Sequence[Ends], bodies: Sequence[str], arcs: Sequence[Arc]) -> TreeArc:
    arc = arcs[parents[body]]
    before = other_end(ends[parents[body]], body)
    return TreeArc(bodies[body], arc.joint, bodies[before], 1 if arc.tail == bodies[before] else -1)


def _cycle(
    arc: Arc,
    place: Mapping[str, int],
    parents: Parents,
    ends: Sequence[Ends],
    bodies: Sequence[str],
    arcs: Sequence[Arc],
    dimension: int,
) -> FundamentalCycle:
    """Walk from the last common body of both paths to the tail, through the arc, and back from its head."""
    to_tail, to_head = fork(parents, ends, place[arc.tail], place[arc.head])
    down = [_tree_arc(b, parents, ends, bodies, arcs) for b in to_tail[1:]]
    back = [_tree_arc(b, parents, ends, bodies, arcs) for b in reversed(to_head[1:])]
    before = tuple((entry.joint, entry.sigma) for entry in down)
    after = tuple((entry.joint, -entry.sigma) for entry in back)
    return FundamentalCycle(arc.joint, bodies[to_tail[0]], before, after, dimension)


def _check_tree(
    parents: Parents, ends: Sequence[Ends], bodies: Sequence[str], joints: Sequence[Joint], cotree: set[str], given: str
) -> None:
    """Refuse a cotree that cuts bodies off or leaves a loop; name them in the terms of what was given, or the tree."""
    lost = [bodies[b] for b in range(1, len(bodies)) if parents[b] < 0]
    if lost:
        lonely = set(lost)
        edge = [j.id for j in joints if j.id in cotree and len(lonely.intersection(j.bodies)) == 1]
        if given == "tree":
            raise InputError(
                f"tree: its joints do not hold {list_names(lost)} to {bodies[0]}; add {' or '.join(edge)} to the tree"
            )
        raise InputError(
            f"cotree: without {list_names(sorted(cotree, key=[j.id for j in joints].index))} nothing holds "
            f"{list_names(lost)} to {bodies[0]}; keep {' or '.join(edge)} in the tree"
        )
    used = set(parents)
    for k, joint in enumerate(joints):
        if joint.id in cotree or k in used:
            continue
        one, two = fork(parents, ends, *ends[k])
        loop = [parents[b] for b in (*one[:0:-1], *two[1:])]
        names = [joint.id, *(joints[i].id for i in loop)]
        if given == "tree":
            raise InputError(f"tree: the joints {list_names(names)} close a loop; leave one of them out")
        raise InputError(f"cotree: the joints {list_names(names)} still close a loop; add one of them to the cotree")


def _dimensions(given: int | Mapping[str, int] | None, cotree: Sequence[str], default: int) -> dict[str, int]:
    table: dict[str, int] = dict.fromkeys(cotree, given if isinstance(given, int) else default)
    if isinstance(given, Mapping):
        for joint, g in given.items():
            if joint not in table:
                near = did_you_mean(joint, table) or f"; the cotree is {list_names(cotree)}"
                raise InputError(f"dimension: {joint!r} closes no loop{near}")
            table[joint] = g
    for joint, g in table.items():
        if g not in GROUP_DIMENSIONS or g > default:
            allowed = ", ".join(str(d) for d in GROUP_DIMENSIONS if d <= default)
            raise InputError(f"dimension: the loop of {joint} cannot have g = {g}; motion groups have {allowed}")
    return table
