"""The modes of a beam in the Riccati recursion: eliminated on the spot, whatever enters at its ends, open loops too.

With P w_k = P S_k a_k + e_k + G_k lam at the inputs and a_k = A_k a + b_k + Phi_k eta'' their balance is

    E' eta'' = C^T a + p' + H lam,    E' = E - sum Phi^T P S Phi,    C = -N + sum A^T P S Phi,    H = sum Phi^T P G,

E' is positive definite, so that eta'' leaves the form of a rigid body: P S + C E'^-1 C^T, and so on. A loop closes with
c = ... + H^T eta''.

Source: A. A. Shabana, Dynamics of Multibody Systems, 2005, chapter 5; loop columns: docs/transfer-matrices.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.poses import Array
from symgen.transfer.beams.element import Bending, HeldBeam
from symgen.transfer.elements import SWAP, cross, shifting
from symgen.transfer.riccati.ports import CarriedState, Rows


@dataclass(frozen=True)
class ModesOut:
    """Modes eliminated: eta'' = by_acceleration a_O + constant + by_loops lam[rows]."""

    beam: HeldBeam
    by_acceleration: Array
    constant: Array
    by_loops: Array
    rows: Rows

    def bending(self, acceleration: Array, multipliers: Array) -> Bending:
        """Return the beam with its rates for an acceleration (6,) of the output and all multipliers."""
        rates = self.by_acceleration @ acceleration + self.constant + self.by_loops @ multipliers[self.rows]
        return Bending(self.beam, rates)


def eliminate_modes(
    port: CarriedState, beam: HeldBeam, where: Array, omega: Array, inputs: Sequence[tuple[CarriedState, Array]]
) -> tuple[CarriedState, ModesOut]:
    """Return the output of a beam from that of the rigid rod, and how its modes follow.

    Parameters
    ----------
    port : the output as a rigid body's, at `where` (3,).
    inputs : what enters, each with its place (3,).
    """
    coupling, own, driven = -shifting(beam.held - where).T @ beam.columns, beam.mass, beam.loads.copy()
    # The loads are those in a frame whose end is not accelerated: at the output's own place it may be.
    driven -= beam.columns[:3].T @ cross(omega, cross(omega, beam.held - where))
    held = np.zeros((beam.count, len(port.rows)))
    for entering, place in inputs:
        moves = beam.moves(place)
        if not moves.any():
            continue
        carried = entering.ps @ moves
        bias = cross(omega, cross(omega, place - where))
        coupling = coupling + shifting(place - where).T @ carried
        own = own - moves.T @ carried
        driven += moves.T @ (entering.e[SWAP] + entering.ps[:, :3] @ bias)
        held[:, np.searchsorted(port.rows, entering.rows)] += moves.T @ entering.g[SWAP]
    found = np.linalg.solve((own + own.T) / 2, np.column_stack([coupling.T, driven, held]))
    by_acceleration, constant, by_loops = found[:, :6], found[:, 6], found[:, 7:]
    ps, more = port.ps + coupling @ by_acceleration, held.T @ by_loops
    compliance = port.compliance + more
    ahead = CarriedState(
        (ps + ps.T) / 2,
        port.e + (coupling @ constant)[SWAP],
        port.rows,
        port.g + (coupling @ by_loops)[SWAP],
        (compliance + compliance.T) / 2,
        port.gap + held.T @ constant,
        port.most + np.diag(more),
        port.lost,
    )
    return ahead, ModesOut(beam, by_acceleration, constant, by_loops, port.rows)
