"""Whether a position is singular: its joints hold less than those of positions nearby."""

from __future__ import annotations

from symgen.model.mechanism import Mechanism
from symgen.simulate.freedom_count import rank_of, ranks_nearby
from symgen.simulate.initial import InitialState
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.scale import size_of_mechanism

#: Bodies beyond which the ranks of positions nearby would cost more than all else.
_MOST = 100


def is_singular(mechanism: Mechanism, start: InitialState) -> bool:
    """Tell whether the constraints have a lower rank than a little away; not looked at beyond 100 bodies.

    Redundant constraints lower the rank everywhere: they are not singular.
    """
    if len(mechanism.bodies) > _MOST:
        return False
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    pairs = rows.joint_elements()
    driven = [
        rows.freedom_element(joint, freedom, 0.0)
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    elements = pairs + driven
    here = rank_of(rows.linearise(elements, start.poses).jacobian)
    return here < max(ranks_nearby(rows, pairs, elements, start.poses, []), default=here)
