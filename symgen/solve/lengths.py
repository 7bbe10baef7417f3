"""Links without a length: two joint centres of a body at one place, which no solver of the group can tell apart."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from symgen.solve.rigid import frame_array

if TYPE_CHECKING:
    from symgen.solve.plan import GroupPlan, Plan

#: Pairs that hold a point of their bodies; one that slides has no such length.
_HOLDING = frozenset({"R", "U", "ER", "S"})


def zero_lengths(plan: Plan, group: GroupPlan) -> list[str]:
    """Return a sentence for each body of a group on which two joint centres coincide."""
    found = []
    for body in group.bodies:
        held = []
        for joint in plan.mechanism.joints:
            ends = plan.rigid.ends(joint)
            if body in ends and joint.type in _HOLDING and joint.frames is not None:
                held.append((joint.id, frame_array(plan.rigid.frame(joint, ends.index(body)))[:3]))
        found += [
            f"{body} has length 0 between its joints {first} and {second}: give them different places, or weld them (W)"
            for (first, one), (second, other) in combinations(held, 2)
            if np.array_equal(one, other)
        ]
    return found
