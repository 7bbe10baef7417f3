"""The two sides of every cut joint as inputs of their bodies, with the places of its multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from symgen.poses import Array
from symgen.transfer.elements import SWAP
from symgen.transfer.hinges import HingeMotion
from symgen.transfer.riccati.ports import CarriedState, Rows, loop_port, no_rows
from symgen.transfer.system.system import Loop, TransferSystem


class LoopPorts:
    """The cut joints of a system: where they enter, and the places of their multipliers."""

    def __init__(self, system: TransferSystem, hinges: Mapping[str, HingeMotion]) -> None:
        self._loops, planar = system.loops, system.mechanism.space == "planar"
        self._motions = [hinges[loop.joint] for loop in self._loops]
        self._locked = [motion.locked(planar=planar) for motion in self._motions]
        ends = np.cumsum([0, *(locked.shape[1] for locked in self._locked)])
        self._rows: list[Rows] = [np.arange(one, two) for one, two in pairwise(ends)]
        self.count = int(ends[-1])
        self._on: dict[int, list[tuple[CarriedState, Array]]] = {}
        self._closing: dict[int, Rows] = {}
        for k, loop in enumerate(self._loops):
            self._add(k, loop)

    def on(self, body: int) -> list[tuple[CarriedState, Array]]:
        """Return the loop ports on a body, and where they are."""
        return self._on.get(body, [])

    def closing_at(self, body: int) -> Rows:
        """Return the places of the multipliers of loops that close at a body."""
        return self._closing.get(body, no_rows())

    def columns(self) -> list[tuple[Loop, HingeMotion, Array, Rows]]:
        """Return what the multipliers of every cut joint make its inboard side exert, (6, k), and their places."""
        exerted = [locked[SWAP] for locked in self._locked]
        return list(zip(self._loops, self._motions, exerted, self._rows, strict=True))

    def wrenches(self, multipliers: Array) -> list[tuple[Loop, HingeMotion, Array]]:
        """Return what the inboard side of every cut joint exerts on its outboard side, (6,)."""
        return [
            (loop, motion, exerted @ multipliers[rows] + force_in_freedoms(motion))
            for loop, motion, exerted, rows in self.columns()
        ]

    def _add(self, k: int, loop: Loop) -> None:
        motion, locked, rows = self._motions[k], self._locked[k], self._rows[k]
        exerted, given = locked[SWAP], force_in_freedoms(motion)
        ahead = loop_port(rows, exerted, given, np.zeros(len(rows)))
        behind = loop_port(rows, -motion.back @ exerted, -motion.back @ given, -locked.T @ motion.eta)
        self._on.setdefault(loop.outboard, []).append((ahead, motion.outboard))
        self._on.setdefault(loop.inboard, []).append((behind, motion.inboard))
        self._closing[loop.closes] = np.concatenate([self.closing_at(loop.closes), rows])


def force_in_freedoms(motion: HingeMotion) -> Array:
    """Return the wrench (6,) of the forces in the freedoms of a hinge, with H^T P w = tau."""
    if not np.any(motion.tau):
        return np.zeros(6)
    found: Array = (motion.h @ np.linalg.solve(motion.h.T @ motion.h, motion.tau))[SWAP]
    return found
