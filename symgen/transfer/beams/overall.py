"""The matrices of a flexible beam in the overall transfer equation.

From its other end to the end of its frame a beam has the transfer matrix of the element library; the other way it is
the inverse, with the wrenches turned. Further inputs act on the modes, too:

    a_k = B_k a_O + c_k + sum F_kj w_j,    B_k = A_k - Phi_k E^-1 N^T,    F_kj = Phi_k E^-1 Phi_j^T P
    w_O = S a_O + e + sum P B_j^T P w_j

and a_O follows from the main input, if B is not singular there: a beam of many modes does not feel its other end at
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.beams.modes import ModeFamily, mode_families
from symgen.beams.twin import in_unit
from symgen.errors import AccuracyError
from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.transfer import elements
from symgen.transfer.beams.element import HeldBeam
from symgen.transfer.elements import SWAP, cross, shifting
from symgen.transfer.overall.ports import EPS, LARGEST_ERROR, PLANE_A, PLANE_W, BodyMatrices, least_of
from symgen.transfer.snapshot import Snapshot

_P = np.eye(6)[SWAP]
#: Moments and forces change their sign where a chain is passed the other way.
_TURNED = np.repeat([1.0, -1.0], 6)
#: P between all accelerations and all wrenches.
_FORM = np.block([[np.zeros((6, 6)), _P], [-_P, np.zeros((6, 6))]])
#: Power of the loss in B^-1 that remains in what entries of U do together: as measured on random trees, 1 to 8 modes.
_WRONG_TOGETHER = 0.5
#: Sums over modes that the element takes, of bending (twice), stretching and torsion.
_BENDING = (
    "tip_tip tip_slope slope_slope tip_total tip_lever slope_total slope_lever total_total total_lever lever_lever"
)
_SUMS = (_BENDING, _BENDING, "tip_tip tip_total tip_lever total_total total_lever", "tip_tip tip_total total_total")


@dataclass(frozen=True)
class _CondensedBeam:
    """A beam between its output and its inputs, the modes eliminated; see the head of this file.

    Parameters
    ----------
    b, c : for each input (6, 6) and (6,).
    moves : for each input Phi, (6, n); `columns` N (6, n), `soft` E^-1 (n, n).
    s, e : (6, 6) and (6,) of the wrench at the output; `left` sizes of the terms that S is the rest of.
    """

    b: Sequence[Array]
    c: Sequence[Array]
    moves: Sequence[Array]
    columns: Array
    soft: Array
    s: Array
    e: Array
    left: Array

    def gain(self, k: int, j: int) -> Array:
        """Return F_kj (6, 6)."""
        found: Array = self.moves[k] @ self.soft @ self.moves[j].T[:, SWAP]
        return found

    def slope_size(self, j: int) -> Array:
        """Return the sizes (6, 6) of the terms of B_j."""
        whole = np.abs(self.moves[j]) @ np.abs(self.soft) @ np.abs(self.columns.T)
        found: Array = np.abs(self.b[j]) + whole
        return found

    def passed(self, j: int) -> Array:
        """Return P B_j^T P (6, 6)."""
        return self.b[j].T[SWAP][:, SWAP]


def beam_matrices(
    now: Snapshot, k: int, beam: HeldBeam, output: Array, inputs: Sequence[Array], *, planar: bool
) -> BodyMatrices:
    """Return the matrices of a beam.

    Parameters
    ----------
    beam : with its frame at the end of the output; of a free root anywhere.
    output, inputs : places (3,), the main input first.

    Raises
    ------
    AccuracyError
        The output of the beam does not follow its main input.
    """
    held = _hold(now, k, beam, output, inputs)
    b, size, worse = _sizes(now, k, beam, output, inputs[0])
    _check_pivot(now, k, b, size)
    x = np.linalg.inv(held.b[0])
    transfer = _main(now, k, beam, held, x, (output, inputs[0]))
    terms = worse**_WRONG_TOGETHER * np.abs(transfer[:12])
    terms[6:, :6] += held.left
    others = []
    for j in range(1, len(inputs)):
        give = -x @ held.gain(0, j)
        others.append(np.vstack([np.hstack([np.zeros((6, 6)), give]),
                                 np.hstack([np.zeros((6, 6)), held.passed(j) + held.s @ give])]))  # fmt: skip
    a, w = (list(PLANE_A), list(PLANE_W)) if planar else (list(range(6)), list(range(6)))
    both = [*a, *(6 + place for place in w)]
    count = range(len(inputs))
    return BodyMatrices(
        transfer[np.ix_([*both, 12], [*both, 12])],
        terms[6:, :6][np.ix_(w, a)],
        tuple(other[np.ix_(both, both)] for other in others),
        tuple((held.b[j][np.ix_(a, a)], held.c[j][a]) for j in count[1:]),
        tuple(held.slope_size(j)[np.ix_(a, a)] for j in count[1:]),
        tuple(tuple(held.gain(i, j)[np.ix_(a, w)] for j in count) for i in count[1:]),
        terms[np.ix_(both, [*both, 12])],
    )


def _hold(now: Snapshot, k: int, beam: HeldBeam, output: Array, inputs: Sequence[Array]) -> _CondensedBeam:
    """Eliminate the modes of a beam."""
    omega = now.omega[k]
    ps, e = elements.body(
        float(now.mass[k]), now.inertia[k], output - now.centre[k], omega, now.force[k], now.moment[k]
    )
    columns = shifting(beam.held - output).T @ beam.columns
    loads = beam.loads - beam.columns[:3].T @ cross(omega, cross(omega, beam.held - output))
    soft = np.linalg.inv(beam.mass)
    back = soft @ columns.T
    b, c, moves = [], [], [beam.moves(place) for place in inputs]
    for place, each in zip(inputs, moves, strict=True):
        arm, bias = shifting(place - output), np.zeros(6)
        bias[:3] = cross(omega, cross(omega, place - output))
        b.append(arm - each @ back)
        c.append(bias + each @ (soft @ loads))
    whole = e - (columns @ (soft @ loads))[SWAP]
    left = np.abs(ps) + np.abs(columns) @ np.abs(back)
    return _CondensedBeam(b, c, moves, columns, soft, (ps + columns @ back)[SWAP], whole, left[SWAP])


def _sizes(now: Snapshot, k: int, beam: HeldBeam, output: Array, place: Array) -> tuple[Array, Array, float]:
    """Return B (6, 6) of the main input and the sizes of its terms, in the axes of the beam, and by how much more than
    its last digit the entries of B^-1 are rounded.

    Across the axes of the beam bending, much of which cancels, does not hide what goes along them.
    """
    turn = np.kron(np.eye(2), now.rotation[k].T)
    columns, moves = turn @ shifting(beam.held - output).T @ beam.columns, turn @ beam.moves(place)
    arm = turn @ shifting(place - output) @ turn.T
    soft = np.linalg.inv(beam.mass)
    b = arm - moves @ soft @ columns.T
    size = np.abs(arm) + np.abs(moves) @ np.abs(soft) @ np.abs(columns).T
    least = np.linalg.svd(b, compute_uv=False)[-1]
    worse = np.abs(np.linalg.inv(b)) @ np.abs(b) if least > 0.0 else np.eye(6)
    return b, size, float(np.diag(worse).max())


def _main(now: Snapshot, k: int, beam: HeldBeam, held: _CondensedBeam, x: Array, ends: tuple[Array, Array]) -> Array:
    """Return the transfer matrix (13, 13) from the main input to the output; `ends` are the places of both."""
    if held.moves[0].any():
        return _element(now, k, beam, ends)
    found = np.eye(13)
    found[:6, :6], found[:6, 12] = x, -x @ held.c[0]
    found[6:12, :6], found[6:12, 6:12] = held.s @ x, held.passed(0)
    found[6:12, 12] = held.e + held.s @ found[:6, 12]
    return found


def _element(now: Snapshot, k: int, beam: HeldBeam, ends: tuple[Array, Array]) -> Array:
    """Return the matrix of the element library, from one end of a beam to the other."""
    planar = now.mechanism.space == "planar"
    given = in_unit(now.beams[k], now.unit)
    families = {family.kind: family for family in mode_families(given, planar)}
    free, fixed = (beam.held, beam.other) if beam.turned else (beam.other, beam.held)
    axis, aside = (free - fixed) / given.length, now.rotation[k][:, 1]
    axes = np.column_stack([axis, aside, cross(axis, aside)])
    gravity = np.array(now.mechanism.gravity) / now.unit
    (u, *_) = call(
        "beam_transfer_spatial", given.length, now.mass[k], axis @ now.inertia[k] @ axis, axes.ravel(), now.omega[k],
        now.force[k], now.moment[k], gravity,
        *(_sums(families.get(kind), sums) for kind, sums in zip(("y", "z", "stretch", "twist"), _SUMS, strict=True)),
    )  # fmt: skip
    u = u.reshape(13, 13)
    if beam.turned:  # from the end that the modes hold: wrenches count the other way
        back = -_FORM @ u[:12, :12].T @ _FORM
        rest = -back @ u[:12, 12]
        u = np.eye(13)
        u[:12, :12], u[:12, 12] = _TURNED[:, None] * back * _TURNED, _TURNED * rest
    output, place = ends
    found: Array = _lever(beam.held, output, now.omega[k]) @ u @ _lever(place, beam.other, now.omega[k])
    return found


def _lever(start: Array, end: Array, omega: Array) -> Array:
    """Return the matrix (13, 13) of a rod without mass."""
    none = np.zeros(3)
    (u,) = call("body_transfer_spatial", 0.0, np.zeros(6), none, end - start, omega, none, none)
    return u.reshape(13, 13)


def _sums(family: ModeFamily | None, kinds: str) -> Array:
    """Return sums of products over the modes of a family; zeros where a beam has none."""
    if family is None:
        return np.zeros(len(kinds.split()))
    pairs = (kind.split("_") for kind in kinds.split())
    return np.array([getattr(family, one) @ getattr(family, two) for one, two in pairs])


def _check_pivot(now: Snapshot, k: int, b: Array, size: Array) -> None:
    """Refuse a beam whose output does not follow its main input."""
    least = float(least_of(b, size))
    if least * LARGEST_ERROR > EPS:
        return
    raise AccuracyError(
        f"singular pivot at beam {now.mechanism.bodies[k].id}: with its modes the acceleration of its output does not "
        f"follow from that of its main input. The pivot is {least:.1e} of its terms; at least "
        f'{EPS / LARGEST_ERROR:.1e} is needed to keep enough digits; take fewer modes, or use method "riccati", which '
        "needs no such condition"
    )
