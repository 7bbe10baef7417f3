"""What the Riccati recursion carries from port to port, and its three steps: through a body, through a hinge, and
closing loops.

    w = S a + e + G lam,    c = C a + L lam + l

w = [m q] is what the tip side exerts, a = [rdd Wd] the acceleration, lam the multipliers of the loops that are open at
the port and c their closure residual. P S and L are symmetric and C = (P G)^T, with P exchanging moment and force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.transfer import elements
from symgen.transfer.elements import SWAP
from symgen.transfer.hinges import HingeMotion

Rows = NDArray[np.intp]

#: Eigenvalues of the compliance of loops below this part of what their hinges could give are none: constraints that
#: others imply.
RANK = 1e-11
#: Inertia below this part of what hinges have taken away is rounding.
_ROUNDED = 1e-14


@dataclass(frozen=True)
class CarriedState:
    """What is carried through one port.

    Parameters
    ----------
    ps : P S, (6, 6).
    e : (6,).
    rows : places (k,) of the open multipliers among all, ascending.
    g : (6, k).
    compliance : L, (k, k).
    gap : l, (k,).
    most : (k,) compliance that the hinges behind would give each row if they moved along it: what L is measured by.
    lost : (2,) sizes, for ways and for turns, of inertia that the hinges behind have taken away: what is left of it is
        known to rounding of these.
    """

    ps: Array
    e: Array
    rows: Rows
    g: Array
    compliance: Array
    gap: Array
    most: Array
    lost: Array = field(default_factory=lambda: np.zeros(2))

    @property
    def c(self) -> Array:
        """C, (k, 6)."""
        return self.g[SWAP].T

    def wrench(self, acceleration: Array, multipliers: Array) -> Array:
        """Return w (6,) for an acceleration (6,) and all multipliers."""
        found: Array = (self.ps @ acceleration)[SWAP] + self.e + self.g @ multipliers[self.rows]
        return found


@dataclass(frozen=True)
class PassedHinge:
    """A hinge on the way back: qdd = by_acceleration a_O + constant + by_loops lam[rows].

    Parameters
    ----------
    motion : the hinge.
    by_acceleration : Ka (f, 6).
    constant : K0 (f,).
    by_loops : Kl (f, k).
    rows : places (k,) of the open multipliers.
    """

    motion: HingeMotion
    by_acceleration: Array
    constant: Array
    by_loops: Array
    rows: Rows

    def inboard(self, outboard: Array, multipliers: Array) -> Array:
        """Return the acceleration (6,) of the inboard port from that of the outboard port."""
        found = self.by_acceleration @ outboard + self.constant + self.by_loops @ multipliers[self.rows]
        back: Array = self.motion.back @ (outboard - self.motion.h @ found - self.motion.eta)
        return back


@dataclass(frozen=True)
class LoopMultipliers:
    """Multipliers of loops that close together: lam[rows] = -(by_acceleration a + by_others lam[others] + constant).

    Parameters
    ----------
    rows : places (m,) of their multipliers among those of all loops.
    others : places (k,) of those of loops that stay open.
    by_acceleration : (m, 6).
    by_others : (m, k).
    constant : (m,).
    stresses : (m, s) orthonormal: multipliers that move nothing.
    """

    rows: Rows
    others: Rows
    by_acceleration: Array
    by_others: Array
    constant: Array
    stresses: Array

    def multipliers(self, acceleration: Array, known: Array) -> Array:
        """Return lam[rows] (m,) for the acceleration (6,) of the port and all multipliers; others are known."""
        return -(self.by_acceleration @ acceleration + self.by_others @ known[self.others] + self.constant)


def no_rows() -> Rows:
    """Return no places."""
    return np.zeros(0, dtype=np.intp)


def loop_port(rows: Rows, g: Array, e: Array, gap: Array) -> CarriedState:
    """Return one side of a cut joint: nothing but its multipliers and the force in its freedoms."""
    count = len(rows)
    return CarriedState(np.zeros((6, 6)), e, rows, g, np.zeros((count, count)), gap, np.zeros(count))


def leave_body(own: tuple[Array, Array], omega: Array, inputs: Sequence[tuple[CarriedState, Array]]) -> CarriedState:
    """Return the output of a body.

    Parameters
    ----------
    own : P S (6, 6) and e (6,) of the body alone, at its output.
    omega : (3,) of the body.
    inputs : what enters, each with the lever (3,) from there to the output.
    """
    ps, e = own
    rows = np.unique(np.concatenate([no_rows(), *(port.rows for port, _ in inputs)]))
    count = len(rows)
    g, compliance, gap, most = np.zeros((6, count)), np.zeros((count, count)), np.zeros(count), np.zeros(count)
    lost = np.zeros(2)
    for port, lever in inputs:
        more = elements.carried(port.ps, port.e, lever, omega)
        ps, e, lost = ps + more[0], e + more[1], lost + _moved(port.lost, lever)
        if not port.rows.size:
            continue
        place = np.searchsorted(rows, port.rows)
        g[:, place] += elements.shifted_columns(port.g, lever)
        compliance[np.ix_(place, place)] += port.compliance
        gap[place] += port.gap + port.c @ elements.elsewhere(np.zeros(6), omega, -lever)
        most[place] += port.most
    return CarriedState(ps, e, rows, g, compliance, gap, most, lost)


def _moved(lost: Array, lever: Array) -> Array:
    """Return the sizes of lost inertia at another point of a body."""
    return np.array([lost[0], lost[1] + lost[0] * float(lever @ lever)])


def pass_hinge(port: CarriedState, motion: HingeMotion) -> tuple[CarriedState, PassedHinge]:
    """Return the outboard port of a hinge, and how to come back.

    Raises
    ------
    NoInertiaError
        The articulated inertia vanishes in a freedom of the hinge.
    """
    ps, e = elements.shifted(port.ps, port.e, motion.apart)
    g = elements.shifted_columns(port.g, motion.apart)
    lost = _moved(port.lost, motion.apart)
    felt = lost[0] * np.sum(motion.h[:3] ** 2, axis=0) + lost[1] * np.sum(motion.h[3:] ** 2, axis=0)
    step = elements.hinge(ps, e, motion.h, motion.eta, motion.tau, least=_ROUNDED * felt)
    behind, reach, by_loops = elements.hinge_columns(g, motion.h, step, ps)
    compliance = port.compliance - reach @ by_loops
    gap = port.gap - g[SWAP].T @ motion.eta - reach @ step.k0
    most = port.most + np.sum(g * g, axis=0) * float(np.linalg.norm(motion.h @ step.inverse @ motion.h.T))
    lost = np.maximum(lost, -np.array([np.trace(ps[:3, :3]), np.trace(ps[3:, 3:])]))
    ahead = CarriedState(step.ps, step.e, port.rows, behind, (compliance + compliance.T) / 2, gap, most, lost)
    return ahead, PassedHinge(motion, step.ka, step.k0, by_loops, port.rows)


def close_loops(port: CarriedState, rows: Rows) -> tuple[CarriedState, LoopMultipliers]:
    """Return a port without the multipliers `rows`, which are chosen so that their loops close."""
    mine = np.searchsorted(port.rows, rows)
    others = np.setdiff1d(np.arange(len(port.rows)), mine)
    inverse, stresses = pseudo_inverse(port.compliance[np.ix_(mine, mine)], port.most[mine])
    c, coupling = port.c, port.compliance[np.ix_(mine, others)]
    closing = LoopMultipliers(
        rows, port.rows[others], inverse @ c[mine], inverse @ coupling, inverse @ port.gap[mine], stresses
    )
    ps = port.ps - c[mine].T @ closing.by_acceleration
    compliance = port.compliance[np.ix_(others, others)] - coupling.T @ closing.by_others
    ahead = CarriedState(
        (ps + ps.T) / 2,
        port.e - port.g[:, mine] @ closing.constant,
        port.rows[others],
        port.g[:, others] - port.g[:, mine] @ closing.by_others,
        (compliance + compliance.T) / 2,
        port.gap[others] - coupling.T @ closing.constant,
        port.most[others],
        port.lost,
    )
    return ahead, closing


def pseudo_inverse(compliance: Array, most: Array) -> tuple[Array, Array]:
    """Return the inverse (m, m) of a symmetric positive semidefinite matrix on what it does not map to zero, and an
    orthonormal basis (m, s) of the rest.

    Parameters
    ----------
    most : (m,) what the diagonal is measured by; zero for a row that no hinge moves.

    Notes
    -----
    Solutions of equations that have some are those of least length. Measuring each row by itself keeps loops of
    different sizes apart, and tells what is stiff from what others have closed already, of which rounding is left.
    """
    if not compliance.size:
        return compliance, np.zeros((len(compliance), 0))
    units = np.sqrt(np.where(most > 0.0, most, 1.0))
    sizes, vectors = np.linalg.eigh(compliance / np.outer(units, units))
    kept = sizes > RANK
    base = vectors[:, kept] / units[:, None]
    rest = vectors[:, ~kept] / units[:, None]
    rest = np.linalg.qr(rest)[0] if rest.size else rest
    aside = np.eye(len(compliance)) - rest @ rest.T
    return aside @ (base / sizes[kept]) @ base.T @ aside, rest
