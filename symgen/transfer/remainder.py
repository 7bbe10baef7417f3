"""What a solution leaves of its equations, as a system of its own: the same bodies and hinges at rest, under the forces
and accelerations that are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symgen.poses import Array
from symgen.transfer.elements import SWAP, effort
from symgen.transfer.hinges import HingeMotion, hinge_motion
from symgen.transfer.residual import end_acceleration, unbalanced
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.system import Hinge, Loop, TransferSystem


def hinge_motions(snapshot: Snapshot, system: TransferSystem) -> dict[str, HingeMotion]:
    """Return all joints as hinges, in the direction in which the system passes them."""
    mechanism = system.mechanism
    return {
        each.joint: hinge_motion(snapshot, mechanism.joint(each.joint), reverse=each.reverse)
        for each in _joints(system)
    }


def remainder(
    snapshot: Snapshot, system: TransferSystem, hinges: Mapping[str, HingeMotion], solution: Solution
) -> tuple[Snapshot, dict[str, HingeMotion]]:
    """Return the system whose solution is missing in a solution.

    Parameters
    ----------
    solution : in the units of the snapshot.
    """
    apart, count = unbalanced(snapshot, solution), len(snapshot.centre) - 1
    force, moment = (np.vstack([part, np.zeros(3)]) for part in (apart[:, :3], apart[:, 3:]))
    still = replace(
        snapshot, velocity=np.zeros((count + 1, 3)), omega=np.zeros((count + 1, 3)), force=force, moment=moment
    )
    every = np.vstack([solution.accelerations, np.zeros(6)])
    planar = system.mechanism.space == "planar"
    missing: dict[str, HingeMotion] = {}
    for each in _joints(system):
        motion = hinges[each.joint]
        ends = [
            end_acceleration(snapshot, solution, every, body, place)
            for body, place in ((each.inboard, motion.inboard), (each.outboard, motion.outboard))
        ]
        locked = motion.locked(planar=planar)
        gap = locked @ (locked.T @ (ends[1] - motion.x @ ends[0] - motion.eta))
        exerted = _on_outboard(solution.wrenches[each.joint], motion, reverse=each.reverse)
        missing[each.joint] = replace(motion, eta=-gap, tau=motion.tau - effort(motion.h, exerted))
    return still, missing


def _joints(system: TransferSystem) -> list[Hinge | Loop]:
    return [*system.hinges, *system.loops]


def _on_outboard(wrench: Array, motion: HingeMotion, *, reverse: bool) -> Array:
    """Return [m q] (6,) on the outboard side, there, of force and moment of the first body on the second, at it."""
    found: Array = wrench[SWAP]
    return -(motion.x @ found) if reverse else found
