"""Multiple joints: which pairs stand for several bodies on one pin, so that the groups are as small as possible.

Any of the n^(n-2) trees on the n bodies means the same for the motion, but not for the structural groups. Theorem:
with a node for the pin (`symgen.topology.shared_nodes`) the groups are the finest that any choice of trees gives,
and this choice reaches them: if the node is a group by itself, it depends on one body h of the joint alone (a pair
of which it took less than all would tie it into the group of that body), and the others are tied to h; otherwise
all are tied to any body of its group. One analysis for all joints together: polynomial.

Driven pairs must be pairs of the tree: between two bodies tied to the centre, the later one is tied to the earlier
instead. Where a body is driven against two earlier ones the optimum may be missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symgen.model.parts import Ends, MultipleJoint, star
from symgen.topology.findings.redundancy import settle_order
from symgen.topology.graph import WELD
from symgen.topology.shared_nodes import NODE, NodeOrder

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism


def choose_trees(mechanism: Mechanism, order: NodeOrder | None = None) -> Mechanism:
    """Return the mechanism with the best pairs for its multiple joints.

    Pairs that the file fixes are kept, except where they would hide that the bodies on the pin carry too many
    constraints: then the pairs are those that show it.

    Parameters
    ----------
    order : of the model with nodes, if it is known.
    """
    joints = [joint for joint in mechanism.multiple_joints if joint.type != WELD]
    if not joints:
        return mechanism
    if order is None:
        order = settle_order(mechanism)[0]
    trees = {
        joint.id: best_tree(joint, order, mechanism)
        for joint in joints
        if joint.tree is None or NODE + joint.id in order.over
    }
    return mechanism.with_trees(trees)


def best_tree(joint: MultipleJoint, order: NodeOrder, mechanism: Mechanism) -> tuple[Ends, ...]:
    """Return the tree that reaches the groups of the model with nodes."""
    rank = {body: number for number, body in enumerate(mechanism.body_ids)}
    bodies = sorted(joint.bodies, key=lambda body: (order.place[body], rank[body]))
    return star(bodies, joint.between, _centre(joint, order, bodies))


def _centre(joint: MultipleJoint, order: NodeOrder, bodies: list[str]) -> str:
    node = NODE + joint.id
    if order.place[bodies[0]] == 0:  # the frame is on it and carries the node
        return bodies[0]
    for part in (order.over, order.under):
        if node in part:
            return next((body for body in bodies if body in part), bodies[0])
    same = [body for body in bodies if order.place[body] == order.place[node]]
    carrier = [body for body in bodies if order.place[body] in order.before.get(node, ())]
    return (same or carrier or bodies)[0]
