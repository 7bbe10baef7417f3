"""The Riccati form of the transfer equations with columns for open loops: one pass to the roots, one pass back.

A hinge needs no condition from beyond it: its force rows H^T P w = tau hold at the hinge itself once the wrench is
known by the acceleration, w = S a + e + G lam. A loop closes at the first body that carries both of its sides; at the
ground, where a = 0, all that are still open. Redundant constraints leave accelerations unique; of the reactions the
least are taken (`symgen.transfer.self_stress`).

In acceleration form this is the recursion of articulated bodies (R. Featherstone 1983); as transfer matrices: X. Rui et
al. 2018, acceleration form of the transfer matrix method. Loop columns: docs/transfer-matrices.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symgen.poses import Array
from symgen.transfer import elements
from symgen.transfer.beams.balance import modes_apart
from symgen.transfer.beams.element import Bending, HeldBeam
from symgen.transfer.beams.hold import hold_beams, with_loads
from symgen.transfer.beams.recursion import ModesOut, eliminate_modes
from symgen.transfer.elements import SWAP, NoInertiaError
from symgen.transfer.hinges import HingeMotion
from symgen.transfer.remainder import hinge_motions, remainder
from symgen.transfer.riccati.loop_ports import LoopPorts
from symgen.transfer.riccati.ports import (
    CarriedState,
    LoopMultipliers,
    PassedHinge,
    close_loops,
    leave_body,
    no_rows,
    pass_hinge,
    pseudo_inverse,
)
from symgen.transfer.self_stress import with_least_reactions
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.system import GROUND, TransferBody, TransferSystem
from symgen.transfer.zero_inertia import zero_inertia


def solve_riccati(snapshot: Snapshot, system: TransferSystem, unit: float, *, refine: bool = True) -> Solution:
    """Return accelerations and joint wrenches of a system.

    Parameters
    ----------
    unit : a length of the mechanism's size [m], for which rank and pivots are judged; best a power of two.
    refine : solve once more for what a system with loops or beams leaves of its equations.

    Raises
    ------
    ZeroInertiaError
        A hinge carries no inertia in one of its freedoms; names body and joint.

    Notes
    -----
    With loops the solution is refined once: closing twice near a change point costs the digits of both, and what is
    then left of the equations is solved for in the same way.
    """
    now = snapshot.scaled(unit)
    hinges = hinge_motions(now, system)
    recursion = _Recursion(now, system, hinges, hold_beams(now, system))
    found = recursion.solve()
    if (system.loops or found.bent) and refine:
        found = refined(now, system, hinges, found)
    if found.rank < found.rows:
        found = with_least_reactions(now, found, recursion.stresses())
    units = np.array([unit] * 3 + [unit**2] * 3)
    bent = {k: Bending(beam, found.bent[k].rates * unit) for k, beam in hold_beams(snapshot, system).items()}
    return replace(
        found,
        accelerations=found.accelerations * np.array([unit] * 3 + [1.0] * 3),
        wrenches={name: wrench * units for name, wrench in found.wrenches.items()},
        bent=bent,
    )


def refined(
    snapshot: Snapshot, system: TransferSystem, hinges: Mapping[str, HingeMotion], solution: Solution
) -> Solution:
    """Return a solution with what it leaves of the equations solved for and added.

    Parameters
    ----------
    hinges : all joints in the direction of the system.
    solution : in the units of the snapshot.
    """
    rest, motions = remainder(snapshot, system, hinges, solution)
    missing, _ = modes_apart(snapshot, solution.bent, solution.accelerations, solution.wrenches)
    beams = with_loads({k: bending.beam for k, bending in solution.bent.items()}, missing)
    more = _Recursion(rest, system, motions, beams).solve()
    wrenches = {name: wrench + more.wrenches[name] for name, wrench in solution.wrenches.items()}
    bent = {k: Bending(each.beam, each.rates + more.bent[k].rates) for k, each in solution.bent.items()}
    accelerations = solution.accelerations + more.accelerations
    return replace(solution, accelerations=accelerations, wrenches=wrenches, bent=bent)


class _Recursion:
    """The recursion in the units of its snapshot, over hinges (by joint) in the direction of the system."""

    def __init__(
        self,
        snapshot: Snapshot,
        system: TransferSystem,
        hinges: Mapping[str, HingeMotion],
        beams: Mapping[int, HeldBeam],
    ) -> None:
        self._now, self._system, self._beams = snapshot, system, beams
        self._motion = {
            body.body: _free_root(snapshot, body) if body.output is None else hinges[body.output.joint]
            for body in system.bodies
        }
        self._loops = LoopPorts(system, hinges)
        self._ports: dict[int, CarriedState] = {}
        self._beyond: dict[int, CarriedState] = {}
        self._passed: dict[int, PassedHinge] = {}
        self._closings: dict[int, LoopMultipliers] = {}
        self._modes: dict[int, ModesOut] = {}
        self._bent: dict[int, Bending] = {}

    def solve(self) -> Solution:
        for body in self._system.bodies:
            self._towards_root(body)
        self._close_ground()
        multipliers = np.zeros(self._loops.count)
        accelerations = self._towards_tips(multipliers)
        rank = sum(len(each.rows) - each.stresses.shape[1] for each in self._closings.values())
        return Solution(
            accelerations=self._at_centres(accelerations),
            wrenches=self._wrenches(accelerations, multipliers),
            rows=self._loops.count,
            rank=rank,
            bent=self._bent,
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
        if k in self._beams:
            places = [(self._beyond[each.inboard], self._motion[each.inboard].outboard) for each in body.inputs]
            places += self._loops.on(k)
            port, self._modes[k] = eliminate_modes(port, self._beams[k], where, now.omega[k], places)
        closing = self._loops.closing_at(k)
        if closing.size:
            port, self._closings[k] = close_loops(port, closing)
        self._ports[k] = port
        try:
            self._beyond[k], self._passed[k] = pass_hinge(port, self._motion[k])
        except NoInertiaError:
            raise zero_inertia(self._system, body) from None

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
        inverse, stresses = pseudo_inverse(compliance, most)
        self._closings[GROUND] = LoopMultipliers(
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
                place = self._motion[k].outboard
                ahead = self._moved(output.outboard, found[output.outboard], place)
                if output.outboard in self._bent:
                    bending = self._bent[output.outboard]
                    ahead += bending.beam.moves(place) @ bending.rates
            found[k] = self._passed[k].inboard(ahead, multipliers)
            if k in self._closings:
                multipliers[self._closings[k].rows] = self._closings[k].multipliers(found[k], multipliers)
            if k in self._modes:
                self._bent[k] = self._modes[k].bending(found[k], multipliers)
        return found

    def _moved(self, body: int, acceleration: Array, to: Array) -> Array:
        """Return the acceleration (6,) of a body at another point, from that at its output."""
        lever, omega = to - self._motion[body].inboard, self._now.omega[body]
        return elements.elsewhere(acceleration, omega, lever)

    def _at_centres(self, accelerations: dict[int, Array]) -> Array:
        return np.array([self._moved(k, accelerations[k], self._now.centre[k]) for k in range(len(accelerations))])

    # -- wrenches ----------------------------------------------------------------------------------------------------

    def _wrenches(self, accelerations: dict[int, Array], multipliers: Array) -> dict[str, Array]:
        """Return force and moment of the first body on the second, at the joint centre on the second."""
        found: dict[str, Array] = {}
        for body in self._system.bodies:
            if body.output is not None:
                inside = self._ports[body.body].wrench(accelerations[body.body], multipliers)
                found[body.output.joint] = _on_second(inside, self._motion[body.body], reverse=body.output.reverse)
        for loop, motion, wrench in self._loops.wrenches(multipliers):
            found[loop.joint] = _on_second(motion.back @ wrench, motion, reverse=loop.reverse)
        return {joint.id: found[joint.id][SWAP] for joint in self._system.mechanism.joints}

    def stresses(self) -> dict[str, Array]:
        """Return what states of self-stress make each joint transmit, (6, s) [F M] at its centre on the second body."""
        states = self._self_stresses()
        found: dict[str, Array] = {}
        at: dict[int, Array] = {}
        for body in self._system.bodies:
            k, where = body.body, self._motion[body.body].inboard
            at[k] = np.zeros((6, states.shape[1]))
            for each in body.inputs:
                motion = self._motion[each.inboard]
                at[k] += elements.shifting(where - motion.outboard) @ motion.x @ at[each.inboard]
            for port, place in self._loops.on(k):
                at[k] += elements.shifting(where - place) @ port.g @ states[port.rows]
            if body.output is not None:
                found[body.output.joint] = _on_second(at[k], self._motion[k], reverse=body.output.reverse)
        for loop, motion, exerted, rows in self._loops.columns():
            found[loop.joint] = _on_second(motion.back @ exerted @ states[rows], motion, reverse=loop.reverse)
        return {joint.id: found[joint.id][SWAP] for joint in self._system.mechanism.joints}

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


def _on_second(inside: Array, motion: HingeMotion, *, reverse: bool) -> Array:
    """Return what the first body exerts on the second, there, from the wrench at the inboard port."""
    return -inside if reverse else motion.x @ inside


def _free_root(snapshot: Snapshot, body: TransferBody) -> HingeMotion:
    """Return a hinge to the ground that holds nothing; in the plane only what leads out of it."""
    where, free = snapshot.centre[body.body], np.eye(6)
    if snapshot.mechanism.space == "planar":
        free = free[:, [0, 1, 5]]
    return HingeMotion(where, where, np.zeros(3), free, np.zeros(6), np.zeros(free.shape[1]))
