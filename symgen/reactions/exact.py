"""Redundancy in exact arithmetic, where the file gives the joints by decimal numbers in the world."""

from __future__ import annotations

from symgen.model.mechanism import Mechanism
from symgen.topology.exact_screws import exact_rank
from symgen.topology.graph import WELD
from symgen.topology.instantaneous import MOST_EQUATIONS
from symgen.topology.loops import find_loops


def exact_redundancy(mechanism: Mechanism, redundant: int) -> bool | None:
    """Tell whether the loop equations of the drawing have so many redundant ones, exactly; None if it is not known.

    Self-stresses of the joints are the redundant equations of the loops, one for one. Welds in loops are passed over by
    the loops, so a weld beside other joints has its own redundant constraints; those are not looked at.
    """
    joints = [joint for joint in mechanism.joints if joint.type != WELD]
    width = mechanism.freedom_count
    if len(joints) < len(mechanism.joints) or not joints:
        return None
    loops = find_loops(mechanism, joints)
    if not loops.count or width * loops.count > MOST_EQUATIONS:
        return None
    rank = exact_rank(mechanism, joints, loops, width)
    return None if rank is None else width * loops.count - rank == redundant
