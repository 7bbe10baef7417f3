"""Accelerations by divide and conquer: bodies are joined two by two to assemblies, these again, up to one; then back.

For chains and trees. The joins of one level do not wait for each other: a chain of n bodies takes about log2 n levels.

Source: R. Featherstone, "A divide-and-conquer articulated-body algorithm", 1999; equations:
`symgen.derive.transfer.assembly`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.errors import InputError, MechanismError
from symgen.poses import Array
from symgen.transfer.assemblies.assemblies import (
    Join,
    JoinedBodies,
    JoinedHinge,
    Masses,
    SingularJoinError,
    at_centres,
    ground,
    join_level,
    leaves,
    wrenches_of,
)
from symgen.transfer.elements import cross
from symgen.transfer.hinges import HingeMotion
from symgen.transfer.remainder import hinge_motions
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.system import GROUND, Hinge, TransferSystem

__all__ = ["BinaryTree", "grow", "joined_hinge", "masses_of", "solve_divide_and_conquer"]


@dataclass(frozen=True, eq=False)
class BinaryTree:
    """Assemblies level by level.

    Parameters
    ----------
    levels : joins of each level, which do not wait for each other.
    roots : the assemblies that are left.
    """

    levels: tuple[tuple[Join, ...], ...]
    roots: tuple[JoinedBodies, ...]


def grow(assemblies: Sequence[JoinedBodies], hinges: Sequence[JoinedHinge]) -> BinaryTree:
    """Join assemblies by hinges between them, each hinge alone, as many at once as there can be.

    Those go first whose assembly has the fewest handles: leaves into what carries them, then neighbours in chains.
    """
    home: dict[tuple[str, int], JoinedBodies] = {handle: each for each in assemblies for handle in each.handles}
    left = dict.fromkeys(assemblies)
    waiting = list(hinges)
    levels: list[tuple[Join, ...]] = []
    while waiting:
        found = {hinge.joint: (home[hinge.joint, hinge.ends[0]], home[hinge.joint, hinge.ends[1]]) for hinge in waiting}
        counted = sorted(
            (len(found[hinge.joint][0].handles) + len(found[hinge.joint][1].handles), k)
            for k, hinge in enumerate(waiting)
        )
        busy: set[int] = set()
        pairs = []
        for _, k in counted:
            one, two = found[waiting[k].joint]
            if one is two:
                raise SingularJoinError(waiting[k].joint)
            if id(one) not in busy and id(two) not in busy:
                busy |= {id(one), id(two)}
                pairs.append((waiting[k], one, two))
        joins = tuple(join_level(pairs))
        levels.append(joins)
        done = {join.hinge.joint for join in joins}
        waiting = [hinge for hinge in waiting if hinge.joint not in done]
        for join in joins:
            del left[join.first], left[join.second]
            left[join.found] = None
            home |= dict.fromkeys(join.found.handles, join.found)
    return BinaryTree(tuple(levels), tuple(left))


def masses_of(snapshot: Snapshot) -> Masses:
    """Return the bodies of a snapshot; planar ones turn about all axes alike, which nothing makes them do."""
    inertia = snapshot.inertia[:-1]
    if snapshot.mechanism.space == "planar":
        inertia = inertia[:, 2, 2, None, None] * np.eye(3)
    return Masses(
        snapshot.mass[:-1], inertia, snapshot.centre[:-1], snapshot.omega[:-1], snapshot.force[:-1],
        snapshot.moment[:-1],
    )  # fmt: skip


def joined_hinge(snapshot: Snapshot, hinge: Hinge, motion: HingeMotion) -> JoinedHinge:
    """Return a joint of a system with both sides at its outboard centre."""
    omega = snapshot.omega[hinge.inboard]
    gap = motion.eta.copy()
    gap[:3] -= cross(omega, cross(omega, motion.apart))
    active = np.zeros(6)
    if motion.tau.any():
        active = np.linalg.pinv(motion.h).T @ motion.tau
    locked = motion.locked(planar=snapshot.mechanism.space == "planar")
    return JoinedHinge(hinge.joint, (hinge.inboard, hinge.outboard), motion.outboard, locked, gap, active)


def check_masses(snapshot: Snapshot) -> None:
    """Refuse bodies without mass or inertia: nothing would hold them while they are apart.

    Raises
    ------
    MechanismError
        Names the body.
    """
    masses = masses_of(snapshot)
    turning = np.linalg.eigvalsh(masses.inertia)
    for k, body in enumerate(snapshot.mechanism.bodies):
        if not (masses.mass[k] > 0.0 and turning[k, 0] > 1e-12 * turning[k, -1]):
            raise MechanismError(
                "has no mass or no inertia about some axis: divide and conquer treats bodies separately and needs "
                "both; use method riccati",
                file=snapshot.mechanism.file,
                field=f"bodies.{body.id}",
            )


def solve_divide_and_conquer(snapshot: Snapshot, system: TransferSystem, unit: float) -> Solution:
    """Return accelerations and joint wrenches of a system without loops.

    Parameters
    ----------
    unit : a length of the mechanism's size [m], for which ranks are judged; best a power of two.

    Raises
    ------
    InputError
        There are loops.
    MechanismError
        A body has no mass or no inertia.
    """
    if system.loops:
        names = ", ".join(loop.joint for loop in system.loops[:6])
        raise InputError(
            "method dca joins assemblies one joint at a time, so it takes only chains and trees; here loops are "
            f"closed by {names}: use method riccati"
        )
    now = snapshot.scaled(unit)
    check_masses(now)
    motions = hinge_motions(now, system)
    hinges = [joined_hinge(now, hinge, motions[hinge.joint]) for hinge in system.hinges]
    masses, bodies = masses_of(now), list(range(len(now.mechanism.bodies)))
    parts = [*leaves(masses, hinges, bodies), *(ground(h.joint, GROUND) for h in hinges if h.ends[1] == GROUND)]
    tree = grow(parts, hinges)
    wrenches = wrenches_of(tree.levels)
    accelerations = at_centres(masses, hinges, wrenches, bodies)
    if now.mechanism.space == "planar":
        accelerations[:, 2:5] = 0.0
    units = np.array([unit] * 3 + [unit**2] * 3)
    found = {
        hinge.joint: _on_second(wrenches[hinge.joint, hinge.outboard], motions[hinge.joint], reverse=hinge.reverse)
        for hinge in system.hinges
    }
    return Solution(
        accelerations=accelerations * np.array([unit] * 3 + [1.0] * 3),
        wrenches={joint.id: found[joint.id] * units for joint in system.mechanism.joints},
        figures={"levels": float(len(tree.levels))},
    )


def _on_second(on_outboard: Array, motion: HingeMotion, *, reverse: bool) -> Array:
    """Return force and moment of the first body on the second, at its centre there."""
    if not reverse:
        return on_outboard
    force, moment = on_outboard[:3], on_outboard[3:]
    return -np.concatenate([force, moment + cross(motion.outboard - motion.inboard, force)])
