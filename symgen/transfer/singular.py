"""Whether a position is singular: its joints hold less than those of positions nearby, or free motions do not go on."""

from __future__ import annotations

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.beams import bend
from symgen.simulate.articulated.numpy_motion import ArticulatedStopError, TreeMotions
from symgen.simulate.articulated.simulation import AWAY, first_state
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.start.freedom_count import is_singular_at
from symgen.simulate.start.initial import InitialState
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.scale import size_of_mechanism

#: Bodies beyond which the ranks of positions nearby would cost more than all else.
_MOST = 100


def is_singular(mechanism: Mechanism, start: InitialState) -> bool:
    """Tell whether the constraints have a lower rank than a little away, or are shaky; not looked at beyond 100 bodies.

    Redundant constraints lower the rank everywhere: they are not singular.
    """
    if len(mechanism.bodies) > _MOST:
        return False
    return is_singular_at(mechanism, JointRows(mechanism, size_of_mechanism(mechanism)), start.poses)


def is_singular_with_beams(mechanism: Mechanism, start: InitialState) -> bool:
    """Tell the same of a mechanism whose beams bend: straight ones that cannot be stretched hold less than bent ones.

    Parameters
    ----------
    mechanism : with its beams.
    start : of the mechanism with straight rods in their place.
    """
    manifest = read_dynamics()
    try:
        bent = bend(mechanism, manifest)
        if bent.problem.sizes["BODIES"] > _MOST:
            return False
        vector = first_state(bent.split, bent.problem, bent.start(start), 1.0).vector
        here, there = TreeMotions(bent.problem, manifest).ranks_around(0.0, vector, AWAY)
    except (MechanismError, ArticulatedStopError):
        return False  # free in space, or without inertia in the tree of a simulation: it cannot be looked at
    return here < there
