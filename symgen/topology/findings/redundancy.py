"""Where the constraints that declared special geometry makes redundant are left out.

A sub-chain whose motions stay in a subgroup of dimension d needs the B - d constraints of the subgroup once for every
body but one: they are kept at the joints of a spanning tree and left out at the others. The tree grows from the
bodies that are solved first (order of the model with a node for the subgroup, `symgen.topology.shared_nodes`), so
that no group is larger than it need be, as far as the joints of the sub-chain themselves allow that. Constraints
that follow from proportions are left out where that gives the most groups: where the drawing is known, so that those
kept are independent there (`symgen.topology.rank.drawn`), otherwise at one joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from symgen.errors import MechanismError
from symgen.model.check_special import joints_of
from symgen.model.nearest import list_names
from symgen.model.special import SpecialGeometry
from symgen.topology.graph import WELD, rigid_leaders
from symgen.topology.rank.drawn import DrawnRows, drawn_rows
from symgen.topology.shared_nodes import NODE, ModelBuilder, NodeOrder

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint, Mechanism

Dropped = dict[str, int]
"""Joint -> number of its constraints that are left out."""

_MOST_TRIED = 50


def settle_order(mechanism: Mechanism) -> tuple[NodeOrder, dict[str, Dropped]]:
    """Take the mechanism apart with nodes for multiple joints and subgroups.

    Returns
    -------
    order : of bodies and nodes.
    dropped : declaration -> constraints left out because of proportions, by joint.

    Raises
    ------
    MechanismError
        if the joints of a declaration do not have as many constraints to leave out.
    """
    placed: dict[str, Dropped] = {}
    drawn = drawn_rows(mechanism) if any(special.kind == "proportions" for special in mechanism.special) else None
    for special in mechanism.special:
        if special.redundant:
            choices = list(_drawn_places(mechanism, special, drawn)) if drawn is not None else []
            choices = choices or list(_places(mechanism, special, total(placed.values())))
            _check_placed(mechanism, special, choices)
            best = max(
                choices, key=lambda choice: _merit(order_with_nodes(mechanism, total([*placed.values(), choice])))
            )
            placed[special.id] = best
    return order_with_nodes(mechanism, total(placed.values())), placed


def total(parts: Iterable[Mapping[str, int]]) -> Dropped:
    """Return the sums by joint."""
    sums: Dropped = {}
    for part in parts:
        for joint, count in part.items():
            sums[joint] = sums.get(joint, 0) + count
    return sums


def order_with_nodes(mechanism: Mechanism, dropped: Mapping[str, int]) -> NodeOrder:
    """Take the mechanism apart with a node for every multiple joint and every subgroup."""
    builder = ModelBuilder(mechanism)
    subgroup = _subgroups(mechanism)
    for joint in mechanism.joints:
        if joint.multiple is None and joint.type != WELD:
            full = subgroup.get(joint.id, builder.freedoms) - joint.grade
            builder.tie(*joint.bodies, full + joint.driven - dropped.get(joint.id, 0))
    for shared in mechanism.multiple_joints:
        if shared.type == WELD:
            continue
        builder.node(NODE + shared.id, shared.pair.grade)
        for body in shared.bodies:
            builder.tie(body, NODE + shared.id, subgroup.get(shared.id, builder.freedoms) - shared.pair.grade)
        for ends in shared.between:
            builder.tie(*ends, shared.driven)
    leaders = rigid_leaders(mechanism) if mechanism.special else {}
    for special in mechanism.special:
        if special.dimension is not None:
            name = f"{NODE}{NODE}{special.id}"
            builder.node(name, special.dimension)
            bodies = dict.fromkeys(leaders[body] for joint in _declared(mechanism, special) for body in joint.bodies)
            pins = [NODE + joint.id for joint in mechanism.multiple_joints if joint.id in special.joints]
            for member in (*bodies, *pins):
                builder.tie(member, name, builder.freedoms - special.dimension)
    return builder.order()


def _subgroups(mechanism: Mechanism) -> dict[str, int]:
    """Return the dimension of the subgroup for each joint that lies in one."""
    return {
        joint: special.dimension
        for special in mechanism.special
        if special.dimension is not None
        for joint in special.joints
    }


def _declared(mechanism: Mechanism, special: SpecialGeometry) -> list[Joint]:
    return joints_of(special, mechanism.joints)


def _merit(order: NodeOrder) -> tuple[int, int, int]:
    """Return what is better if larger: few bodies at fault, many groups, the largest of them small."""
    sizes: dict[int, int] = {}
    for name, place in order.place.items():
        if place and not name.startswith(NODE):
            sizes[place] = sizes.get(place, 0) + 1
    return -len(order.over) - len(order.under), len(sizes), -max(sizes.values(), default=0)


def _drawn_places(mechanism: Mechanism, special: SpecialGeometry, drawn: DrawnRows) -> Iterator[Dropped]:
    """Yield the ways to leave constraints out that follow from those kept, in the drawing; none if it says otherwise.

    The joints of sub-chains come first, for what follows from others there is left out beside a tree of theirs.
    """
    if special.kind != "proportions":
        return
    subgroup = _subgroups(mechanism)
    named = [j.id for j in _declared(mechanism, special)[::-1] if j.multiple is None and j.id not in subgroup]
    first = [joint for joint in drawn.wrenches if joint not in named]
    steps = drawn.steps()
    near = sorted(named[::-1], key=lambda joint: steps[joint])  # the sort is stable: as in the file
    seen: list[Dropped] = []
    for last in named[:_MOST_TRIED]:
        order = [*first, *(joint for joint in near if joint != last), last]
        found = {joint: count for joint, count in drawn.dropped(order).items() if joint in named}
        if sum(found.values()) == special.redundant and found not in seen:
            seen.append(found)
            yield found


def _places(mechanism: Mechanism, special: SpecialGeometry, before: Mapping[str, int]) -> Iterator[Dropped]:
    """Yield the ways to leave the constraints out: all at one joint, or, if none has so many, from the last joint on.

    Joints that others follow come last, so that of equal ways the first found is the one at the last joint.
    """
    freedoms = 6 if mechanism.space == "spatial" else 3
    subgroup = _subgroups(mechanism)
    pairs = _declared(mechanism, special)[::-1]
    room = {
        joint.id: subgroup.get(joint.id, freedoms) - joint.grade - before.get(joint.id, 0)
        for joint in pairs
        if joint.multiple is None
    }
    count = special.redundant
    whole = [joint for joint, free in room.items() if free >= count]
    yield from ({joint: count} for joint in whole[:_MOST_TRIED])
    if not whole:
        spread: Dropped = {}
        for joint, free in room.items():
            spread[joint] = min(max(free, 0), count - sum(spread.values()))
        yield {joint: share for joint, share in spread.items() if share}


def _check_placed(mechanism: Mechanism, special: SpecialGeometry, choices: list[Dropped]) -> None:
    """Refuse a declaration of which some constraints found no joint that has them: nothing is cut silently."""
    room = max(sum(choice.values()) for choice in choices)
    if room >= special.redundant:
        return
    names = [joint.id for joint in _declared(mechanism, special) if joint.multiple is None]
    what = f"its joints {list_names(names)} have only {room} to leave out" if names else "it has no joint of two bodies"
    raise MechanismError(
        f"{special.redundant} constraints cannot be left out: {what}. Constraints of joints of more than two bodies "
        "stay, and none is left out twice; declare fewer constraints or name more joints",
        file=mechanism.file,
        field=f"special.{special.id}",
    )


def drop_beside_tree(mechanism: Mechanism, special: SpecialGeometry, order: NodeOrder) -> Dropped:
    """Return what is left out at the joints of a sub-chain beside a spanning tree from the bodies solved first.

    Parameters
    ----------
    mechanism : with the pairs chosen for multiple joints.
    """
    if special.dimension is None:
        return {}
    leaders = rigid_leaders(mechanism)
    rank = {body: number for number, body in enumerate(mechanism.body_ids)}
    around: dict[str, list[tuple[str, int, Joint]]] = {}
    pairs = _declared(mechanism, special)
    for number, joint in enumerate(pairs):
        first, second = (leaders[body] for body in joint.bodies)
        if first != second:
            around.setdefault(first, []).append((second, number, joint))
            around.setdefault(second, []).append((first, number, joint))

    def place(body: str) -> tuple[int, int]:
        return order.place[body], rank[body]

    kept: set[str] = set()
    reached: set[str] = set()
    for start in sorted(around, key=place):  # one round: the joints hang together
        if start in reached:
            continue
        queue: list[tuple[tuple[int, int], bool, int, str, str]] = [(place(start), False, -1, start, "")]
        while queue:
            _, _, _, body, joint_id = heappop(queue)
            if body in reached:
                continue
            reached.add(body)
            kept.add(joint_id)
            for other, number, joint in around[body]:
                if other not in reached:
                    idle = special.dimension - joint.grade + joint.driven == 0
                    heappush(queue, (place(other), idle, number, other, joint.id))
    freedoms = 6 if mechanism.space == "spatial" else 3
    return {
        joint.id: freedoms - special.dimension
        for joint in pairs
        if joint.id not in kept and leaders[joint.bodies[0]] != leaders[joint.bodies[1]]
    }
