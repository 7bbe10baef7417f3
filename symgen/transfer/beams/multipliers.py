"""The modes of beams as unknowns beside the motions of all bodies, for the method of multipliers.

A joint's row J on the twist of a beam at its centre is J T on the modes, T the twist of the straight frame that a mode
looks like at the joint; modes have mass 1 and share inertia with their frames.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.transfer.beams.balance import exerted_on
from symgen.transfer.beams.element import Bending, HeldBeam
from symgen.transfer.beams.hold import held_by_modes
from symgen.transfer.elements import cross, shifting
from symgen.transfer.snapshot import Snapshot


class ModesBeside:
    """All modes of a mechanism, in the order of its bodies in the equations.

    Parameters
    ----------
    snapshot : the state.
    order : (n,) bodies in the order of the equations.
    """

    def __init__(self, snapshot: Snapshot, order: NDArray[np.intp]) -> None:
        self._now = snapshot
        beams = held_by_modes(snapshot)
        self._place = {int(k): place for place, k in enumerate(order)}
        self._beams = dict(sorted(beams.items(), key=lambda item: self._place[item[0]]))
        self._first: dict[int, int] = {}
        self.count = 0
        for k, beam in self._beams.items():
            self._first[k], self.count = self.count, self.count + beam.count

    def rows(self, joint: str, rows: Array) -> Array:
        """Return what a joint's rows (m, 6 n) on the twists of bodies are on the modes, (m, modes)."""
        found, frames = np.zeros((len(rows), self.count)), self._now.frames[joint]
        for k, at in zip(frames.bodies, frames.centres, strict=True):
            if k in self._beams:
                looks = shifting(self._now.centre[k] - at) @ self._beams[k].moves(at)
                found[:, self._of(k)] += rows[:, self._columns(k)] @ looks
        return found

    def inertia(self) -> Array:
        """Return the inertia (6 n, modes) between twists and modes."""
        found = np.zeros((6 * len(self._place), self.count))
        for k, beam in self._beams.items():
            found[self._columns(k), self._of(k)] = shifting(beam.held - self._now.centre[k]).T @ beam.columns
        return found

    def loads(self, wrenches: Mapping[str, Array]) -> Array:
        """Return what drives the modes (modes,); `wrenches` are those of forces in joints, on the second body."""
        found = np.zeros(self.count)
        for k, beam in self._beams.items():
            omega, lever = self._now.omega[k], beam.held - self._now.centre[k]
            found[self._of(k)] = beam.loads - beam.columns[:3].T @ cross(omega, cross(omega, lever))
            found[self._of(k)] += exerted_on(self._now, k, beam, wrenches)
        return found

    def bent(self, rates: Array) -> dict[int, Bending]:
        """Return the beams in SI units with their rates, of all (modes,)."""
        if not self._beams:
            return {}
        unit = self._now.unit
        whole: dict[int, HeldBeam] = held_by_modes(self._now.scaled(1.0))
        return {k: Bending(whole[k], rates[self._of(k)] * unit) for k in self._beams}

    def _of(self, k: int) -> slice:
        return slice(self._first[k], self._first[k] + self._beams[k].count)

    def _columns(self, k: int) -> slice:
        return slice(6 * self._place[k], 6 * self._place[k] + 6)
