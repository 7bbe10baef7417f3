"""The Riccati form of the transfer equations with columns for open loops: one pass to the roots, one pass back.

A hinge needs no condition from beyond it: its force rows H^T P w = tau hold at the hinge itself once the wrench is
known by the acceleration, w = S a + e + G lam. A loop closes at the first body that carries both of its sides; at the
ground, where a = 0, all that are still open. Redundant constraints leave accelerations unique; of the multipliers the
shortest are taken.

In acceleration form this is the recursion of articulated bodies (R. Featherstone 1983); as transfer matrices: X. Rui et
al. 2018, acceleration form of the transfer matrix method. Loop columns: docs/transfer-matrices.md.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array
from symgen.model.mechanism import Mechanism
from symgen.transfer import elements
from symgen.transfer.elements import SWAP, NoInertiaError
from symgen.transfer.hinges import HingeMotion, hinge_motion
from symgen.transfer.ports import (
    Closing,
    Passed,
    Port,
    Rows,
    close_loops,
    leave_body,
    loop_port,
    no_rows,
    pass_hinge,
    pseudo_inverse,
)
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system import GROUND, Loop, TransferBody, TransferSystem

#: A self-stress loads a joint that it gives more than this part of itself.
_LOADED = 1e-6


def solve_riccati(snapshot: Snapshot, system: TransferSystem, unit: float) -> Solution:
    """Return accelerations and joint wrenches of a system.

    Parameters
    ----------
    unit : a length of the mechanism's size [m], for which rank and pivots are judged; best a power of two.

    Raises
    ------
    MechanismError
        A hinge carries no inertia in one of its freedoms; names body and joint.
    """
    return _Recursion(snapshot.scaled(unit), system).solve()


class _Recursion:
    def __init__(self, snapshot: Snapshot, system: TransferSystem) -> None:
        self._now, self._system = snapshot, system
        mechanism = system.mechanism
        self._motion = {
            body.body: _free_root(snapshot, body)
            if body.output is None
            else hinge_motion(snapshot, mechanism.joint(body.output.joint), reverse=body.output.reverse)
            for body in system.bodies
        }
        self._loops = _LoopPorts(snapshot, system)
        self._ports: dict[int, Port] = {}
        self._beyond: dict[int, Port] = {}
        self._passed: dict[int, Passed] = {}
        self._closings: dict[int, Closing] = {}

    def solve(self) -> Solution:
        for body in self._system.bodies:
            self._towards_root(body)
        self._close_ground()
        multipliers = np.zeros(self._loops.count)
        accelerations = self._towards_tips(multipliers)
        rank = sum(len(each.rows) - each.stresses.shape[1] for each in self._closings.values())
        return Solution(
            accelerations=self._at_centres(accelerations) * _units(self._now.unit),
            wrenches=self._wrenches(accelerations, multipliers),
            open=self._open(),
            rows=self._loops.count,
            rank=rank,
        )

    # -- towards the roots -------------------------------------------------------------------------------------------

    def _towards_root(self, body: TransferBody) -> None:
        k, now, where = body.body, self._now, self._motion[body.body].inboard
        own = elements.body(
            float(now.mass[k]), now.inertia[k], where - now.centre[k], now.omega[k], now.force[k], now.moment[k]
        )
        inputs = [(self._beyond[each.inboard], where - self._motion[each.inboard].outboard) for each in body.inputs]
        inputs += [(port, where - at) for port, at in self._loops.on(k)]
        port = leave_body(own, now.omega[k], inputs)
        closing = self._loops.closing_at(k)
        if closing.size:
            port, self._closings[k] = close_loops(port, closing)
        self._ports[k] = port
        try:
            self._beyond[k], self._passed[k] = pass_hinge(port, self._motion[k])
        except NoInertiaError:
            raise _no_inertia(self._system.mechanism, body) from None

    def _close_ground(self) -> None:
        """Close what is open at the roots, all trees together."""
        rows = self._loops.closing_at(GROUND)
        if not rows.size:
            return
        compliance, gap, most = np.zeros((len(rows), len(rows))), np.zeros(len(rows)), np.zeros(len(rows))
        for body in self._system.bodies:
            if body.output is not None and body.output.outboard == GROUND:
                port = self._beyond[body.body]
                place = np.searchsorted(rows, port.rows)
                compliance[np.ix_(place, place)] += port.compliance
                gap[place] += port.gap
                most[place] += port.most
        for port, _ in self._loops.on(GROUND):
            gap[np.searchsorted(rows, port.rows)] += port.gap
        inverse, stresses = pseudo_inverse(compliance, most)
        self._closings[GROUND] = Closing(
            rows, no_rows(), np.zeros((len(rows), 6)), np.zeros((len(rows), 0)), inverse @ gap, stresses
        )

    # -- towards the tips --------------------------------------------------------------------------------------------

    def _towards_tips(self, multipliers: Array) -> dict[int, Array]:
        """Return the acceleration (6,) of every body at its output; fill in the multipliers."""
        still: Array = np.zeros(6)
        found: dict[int, Array] = {}
        if GROUND in self._closings:
            multipliers[self._closings[GROUND].rows] = self._closings[GROUND].multipliers(still, multipliers)
        for body in reversed(self._system.bodies):
            k, output = body.body, body.output
            ahead = still
            if output is not None and output.outboard != GROUND:
                ahead = self._moved(output.outboard, found[output.outboard], self._motion[k].outboard)
            found[k] = self._passed[k].inboard(ahead, multipliers)
            if k in self._closings:
                multipliers[self._closings[k].rows] = self._closings[k].multipliers(found[k], multipliers)
        return found

    def _moved(self, body: int, acceleration: Array, to: Array) -> Array:
        """Return the acceleration (6,) of a body at another point, from that at its output."""
        lever, omega = to - self._motion[body].inboard, self._now.omega[body]
        found = acceleration.copy()
        found[:3] += np.cross(acceleration[3:], lever) + np.cross(omega, np.cross(omega, lever))
        return found

    def _at_centres(self, accelerations: dict[int, Array]) -> Array:
        return np.array([self._moved(k, accelerations[k], self._now.centre[k]) for k in range(len(accelerations))])

    # -- wrenches ----------------------------------------------------------------------------------------------------

    def _wrenches(self, accelerations: dict[int, Array], multipliers: Array) -> dict[str, Array]:
        """Return force and moment of the first body on the second, at the joint centre on the second."""
        found: dict[str, Array] = {}
        units = np.array([self._now.unit] * 3 + [self._now.unit**2] * 3)
        for body in self._system.bodies:
            if body.output is not None:
                inside = self._ports[body.body].wrench(accelerations[body.body], multipliers)
                found[body.output.joint] = _on_second(inside, self._motion[body.body], reverse=body.output.reverse)
        for loop, motion, wrench in self._loops.wrenches(multipliers):
            found[loop.joint] = _on_second(motion.back @ wrench, motion, reverse=loop.reverse)
        return {joint.id: found[joint.id][SWAP] * units for joint in self._system.mechanism.joints}

    def _open(self) -> frozenset[str]:
        """Return the joints that self-stresses load."""
        stresses = self._self_stresses()
        if not stresses.shape[1]:
            return frozenset()
        at: dict[int, Array] = {}
        loaded: set[str] = set()
        for body in self._system.bodies:
            k, where = body.body, self._motion[body.body].inboard
            at[k] = np.zeros((6, stresses.shape[1]))
            for each in body.inputs:
                motion = self._motion[each.inboard]
                at[k] += elements.shifting(where - motion.outboard) @ motion.x @ at[each.inboard]
            for port, place in self._loops.on(k):
                at[k] += elements.shifting(where - place) @ port.g @ stresses[port.rows]
            if body.output is not None and np.abs(at[k]).max() > _LOADED:
                loaded.add(body.output.joint)
        for loop, rows in self._loops.rows():
            if np.abs(stresses[rows]).max(initial=0.0) > _LOADED:
                loaded.add(loop.joint)
        return frozenset(loaded)

    def _self_stresses(self) -> Array:
        """Return a basis (rows, s) of multipliers that move nothing."""
        found: list[Array] = []
        order = [GROUND, *(body.body for body in reversed(self._system.bodies))]
        for place, k in enumerate(order):
            if k not in self._closings:
                continue
            for stress in self._closings[k].stresses.T:
                every = np.zeros(self._loops.count)
                every[self._closings[k].rows] = stress
                for inner in order[place + 1 :]:
                    if inner in self._closings:
                        closing = self._closings[inner]
                        every[closing.rows] -= closing.by_others @ every[closing.others]
                found.append(every)
        return np.array(found).reshape(len(found), self._loops.count).T


class _LoopPorts:
    """The cut joints of a system: where they enter, and the places of their multipliers."""

    def __init__(self, snapshot: Snapshot, system: TransferSystem) -> None:
        self._loops = system.loops
        mechanism, planar = system.mechanism, system.mechanism.space == "planar"
        self._motions = [
            hinge_motion(snapshot, mechanism.joint(loop.joint), reverse=loop.reverse) for loop in self._loops
        ]
        self._locked = [motion.locked(planar=planar) for motion in self._motions]
        ends = np.cumsum([0, *(locked.shape[1] for locked in self._locked)])
        self._rows: list[Rows] = [np.arange(one, two) for one, two in pairwise(ends)]
        self.count = int(ends[-1])
        self._on: dict[int, list[tuple[Port, Array]]] = {}
        self._closing: dict[int, Rows] = {}
        for k, loop in enumerate(self._loops):
            self._add(k, loop)

    def on(self, body: int) -> list[tuple[Port, Array]]:
        """Return the loop ports on a body, and where they are."""
        return self._on.get(body, [])

    def closing_at(self, body: int) -> Rows:
        """Return the places of the multipliers of loops that close at a body."""
        return self._closing.get(body, no_rows())

    def rows(self) -> list[tuple[Loop, Rows]]:
        """Return every loop with the places of its multipliers."""
        return list(zip(self._loops, self._rows, strict=True))

    def wrenches(self, multipliers: Array) -> list[tuple[Loop, HingeMotion, Array]]:
        """Return what the inboard side of every cut joint exerts on its outboard side, (6,)."""
        found: list[tuple[Loop, HingeMotion, Array]] = []
        for loop, motion, locked, rows in zip(self._loops, self._motions, self._locked, self._rows, strict=True):
            found.append((loop, motion, (locked @ multipliers[rows])[SWAP] + _in_freedoms(motion)))
        return found

    def _add(self, k: int, loop: Loop) -> None:
        motion, locked, rows = self._motions[k], self._locked[k], self._rows[k]
        exerted, given = locked[SWAP], _in_freedoms(motion)
        ahead = loop_port(rows, exerted, given, np.zeros(len(rows)))
        behind = loop_port(rows, -motion.back @ exerted, -motion.back @ given, -locked.T @ motion.eta)
        self._on.setdefault(loop.outboard, []).append((ahead, motion.outboard))
        self._on.setdefault(loop.inboard, []).append((behind, motion.inboard))
        self._closing[loop.closes] = np.concatenate([self.closing_at(loop.closes), rows])


def _in_freedoms(motion: HingeMotion) -> Array:
    """Return the wrench (6,) of the forces in the freedoms of a hinge, with H^T P w = tau."""
    if not np.any(motion.tau):
        return np.zeros(6)
    found: Array = (motion.h @ np.linalg.solve(motion.h.T @ motion.h, motion.tau))[SWAP]
    return found


def _on_second(inside: Array, motion: HingeMotion, *, reverse: bool) -> Array:
    """Return what the first body exerts on the second, there, from the wrench at the inboard port."""
    return -inside if reverse else motion.x @ inside


def _free_root(snapshot: Snapshot, body: TransferBody) -> HingeMotion:
    where = snapshot.centre[body.body]
    return HingeMotion(where, where, np.zeros(3), np.eye(6), np.zeros(6), np.zeros(6))


def _units(unit: float) -> Array:
    return np.array([unit] * 3 + [1.0] * 3)


def _no_inertia(mechanism: Mechanism, body: TransferBody) -> MechanismError:
    way = "the free root" if body.output is None else f"joint {body.output.joint}"
    return MechanismError(
        f"zero articulated inertia: {way} lets it move without moving any mass; give it mass and inertia in that "
        "freedom, cut another joint of a loop (--cut), or use method multiplier",
        file=mechanism.file,
        field=f"bodies.{body.id}",
    )
