"""The sweeps of the Riccati form in NumPy; templates/c99/transfer/riccati has the same sweeps of derived elements.

At the centre of mass of every body the wrench that its joint exerts is w = S a + e + G lambda: S the articulated
inertia, e the load, G the wrenches of unit multipliers of open loops. What is to vanish on an open row is
-G^T a + L lambda + l. Columns H of a joint are the twists of its unknowns. Signs of S, e and G are turned against those
of the elements, whose wrench is that on the carrier; joints are eliminated by Cholesky's method.

Source: R. Featherstone 1983 (articulated inertia); the transfer matrix form: X. Rui et al. 2018, section on Riccati,
derived anew (docs/transfer-matrices.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array
from symgen.simulate.articulated.loops import LoopClosing, LoopTables
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.constants import constant
from symgen.simulate.tables.problem import Problem

_DEPENDENT, _NOISE, _IDLE = constant("DEPENDENT"), constant("PIVOT_NOISE"), constant("IDLE")


class IdleJointError(Exception):
    """A freedom of the joint that carries a body moves no mass."""

    def __init__(self, body: int) -> None:
        super().__init__(str(body))
        self.body = body


@dataclass(frozen=True)
class SweepSolution:
    """Accelerations of the unknowns, accelerations (n, 6) of the bodies, multipliers of the rows."""

    coordinate_acceleration: Array
    acceleration: Array
    multiplier: Array


class Sweep:
    """Sweeps along the tree of a problem; `factorise` comes before `solve`.

    Attributes
    ----------
    rank : how many rows of loops were independent in the last `factorise`.
    ranks : of each closing; -1: to be found by the next. While loops are a little open, within a step, rows that
        depend on each other seem not to: there are no more than at the start.
    """

    def __init__(self, problem: Problem, loops: LoopTables) -> None:
        self._loops = loops
        self._parents = problem.tables["BODY"]["parent"].tolist()
        self._count, self._unknowns = problem.sizes["BODIES"], problem.sizes["UNKNOWNS"]
        ranges = problem.tables["BODY"][["first_unknown", "end_unknown"]].tolist()
        self.unknowns = [slice(*each) for each in ranges]
        self._rows, self._element = problem.sizes["ROWS"], Routines(load_routines("transfer", "transfer.py"))
        self.rank, self.ranks = 0, np.full(len(loops.closings), -1, dtype=np.int32)

    def carry(self, body: int) -> Array:
        """Return A (6, 6) of a body: the twist of its carrier at the body's centre of mass."""
        found: Array = self._carry[body]
        return found

    def _carries(self, poses: Array) -> Array:
        """Return A (n, 6, 6) of all bodies; unit matrices for those on the ground."""
        carried = np.array([parent if parent < self._count else b for b, parent in enumerate(self._parents)], np.intp)
        lever = self._element.one("lever", poses[:, :3], poses[carried, :3])
        return self._element.one("geometric_spatial", lever, np.zeros(3)).reshape(-1, 6, 6)

    def factorise(
        self,
        poses: Array,
        columns: list[Array],
        inertia: Array,
        jacobian: Array,
        modal: Mapping[int, tuple[Array, Array]] | None = None,
    ) -> None:
        """Find articulated inertias and what open loops need of them.

        Parameters
        ----------
        poses : (n, 7).
        columns : of each body (6, f) of its joint's unknowns.
        inertia : (n, 6, 6) for twists [v, omega].
        jacobian : (rows, 6 n) of the loops.
        modal : of each body whose joint's unknowns are modes of a beam, inertia (6, f) between them and its carrier's
            motion, and (f, f) among them.

        Raises
        ------
        IdleJointError
            A freedom moves no mass.
        """
        self._poses, self._columns, self._carry = poses, columns, self._carries(poses)
        self._inertia, self.rank = inertia.copy(), 0
        self._modal = {body: (np.linalg.solve(self.carry(body).T, of), m) for body, (of, m) in (modal or {}).items()}
        self._link = np.zeros((self._rows, self._rows))
        self._terms, self._least = np.zeros(self._rows), 1.0  # what the diagonal could be; smallest pivot
        self._unit_wrench = np.zeros((self._count, 6, self._rows))
        self._unit_wrench -= jacobian.reshape(self._rows, self._count, 6).transpose(1, 2, 0)
        self._root: list[Array] = [np.empty((0, 0))] * self._count
        self._gain: list[Array] = [np.empty((6, 0))] * self._count
        self._along = [np.empty((0, 0))] * self._count
        self._held: dict[int, tuple[Array, Array, Array]] = {}
        sizes = np.zeros((self._count, 2))
        for body in self._loops.sweep:
            for k in range(*self._loops.at_body[body]):
                self._close(k, self._loops.closings[k])
            self._factorise_joint(body, sizes[body])
            made = self._trace(body)
            self._eliminate(body)
            self._pass_on(body, made, sizes)
            for k in range(*self._loops.at_ground[body]):
                self._close(k, self._loops.closings[k])

    def solve(
        self, load: Array, term: Array, swept: Array | None, driven: Mapping[int, Array] | None = None
    ) -> SweepSolution:
        """Return accelerations under loads and what is to vanish on the rows of loops.

        Parameters
        ----------
        load : (n, 6) what joints have to exert at rest: minus the forces.
        term : (rows,).
        swept : (n, 6) accelerations beyond the carrier's without those of the unknowns; None for none.
        driven : of each body whose joint's unknowns are modes, what drives them; None for nothing.
        """
        load, term, count = load.copy(), term.copy(), self._count
        shift: list[Array] = [np.empty(0)] * count
        offset = np.zeros(self._rows)
        for body in self._loops.sweep:
            self._settle(self._loops.at_body[body], load, term, offset)
            along = self._columns[body].T @ load[body]
            if driven is not None and body in driven:
                along -= driven[body]
                if swept is not None:  # modes feel the carrier's motion, and the joint adds what is swept to it
                    along -= self._modal[body][0].T @ swept[body]
            shift[body] = np.linalg.solve(self._root[body], along)
            open_ = self._still_open(body)
            term[open_] += self._along[body].T @ shift[body]
            wrench = load[body] - self._gain[body] @ shift[body]
            if swept is not None:
                term[open_] -= self._unit_wrench[body][:, open_].T @ swept[body]
                wrench = wrench + self._inertia[body] @ swept[body]
            if self._parents[body] < count:
                load[self._parents[body]] += self.carry(body).T @ wrench
            self._settle(self._loops.at_ground[body], load, term, offset)
        return self._spread(shift, offset, swept)

    # -- from the tips to the ground ---------------------------------------------------------------------------------

    def _still_open(self, body: int) -> list[int]:
        return list(self._loops.open_rows[body][self._loops.closed[body] :])

    def _factorise_joint(self, body: int, size: Array) -> None:
        columns = self._columns[body]
        along = self._inertia[body] @ columns
        whole = columns.T @ along
        if body in self._modal:
            along = along + self._modal[body][0]
            whole = whole + self._modal[body][1]
        root = np.zeros_like(whole)
        none = _IDLE * (
            np.diag(whole) + size[0] * np.sum(columns[:3] ** 2, axis=0) + size[1] * np.sum(columns[3:] ** 2, axis=0)
        )
        for k in range(len(whole)):
            for j in range(k):
                root[k, j] = (whole[k, j] - root[k, :j] @ root[j, :j]) / root[j, j]
            left = whole[k, k] - root[k, :k] @ root[k, :k]
            if not left > none[k]:
                raise IdleJointError(body)
            root[k, k] = np.sqrt(left)
        self._root[body] = root
        self._gain[body] = np.linalg.solve(root, along.T).T

    def _trace(self, body: int) -> tuple[float, float]:
        """Return the sizes of an inertia: rounding of what is left of it is a part of them."""
        inertia = self._inertia[body]
        return float(np.trace(inertia[:3, :3])), float(np.trace(inertia[3:, 3:]))

    def _eliminate(self, body: int) -> None:
        open_, gain = self._still_open(body), self._gain[body]
        self._inertia[body] -= gain @ gain.T
        unit_wrench, root = self._unit_wrench[body][:, open_], self._root[body]
        along = np.linalg.solve(root, self._columns[body].T @ unit_wrench)
        columns = self._columns[body]
        parts = slice(0, 3), slice(3, 6)
        size = sum(np.outer(_squares(columns[part]), _squares(unit_wrench[part])) for part in parts)
        size += np.tril(root, -1) ** 2 @ along**2
        self._terms[open_] += np.sum(size / np.diag(root)[:, None] ** 2, axis=0)
        self._unit_wrench[body][:, open_] -= gain @ along
        self._link[np.ix_(open_, open_)] += along.T @ along
        self._along[body] = along

    def _pass_on(self, body: int, made: tuple[float, float], sizes: Array) -> None:
        parent, open_ = self._parents[body], self._still_open(body)
        if parent == self._count:
            return
        carry = self.carry(body)
        self._inertia[parent] += carry.T @ self._inertia[body] @ carry
        self._unit_wrench[parent][:, open_] += carry.T @ self._unit_wrench[body][:, open_]
        far = float(np.sum((self._poses[body, :3] - self._poses[parent, :3]) ** 2))
        sizes[parent] += [made[0], made[1] + far * made[0]]

    # -- loops -------------------------------------------------------------------------------------------------------

    def _close(self, k: int, closing: LoopClosing) -> None:
        """Find multipliers lambda = K a - N lambda_open - inverse l of loops whose ends have come together.

        `by_acceleration` is K, `influence` is N.
        """
        rows, body = list(closing.rows), closing.body
        most = int(self.ranks[k])
        none = max(_DEPENDENT, _NOISE / self._least)
        link = self._link[np.ix_(rows, rows)]
        inverse, rank, least = scaled_inverse(link, self._terms[rows], len(rows) if most < 0 else most, none)
        self._least = min(self._least, least)
        self.ranks[k] = rank if most < 0 else most
        self.rank += rank
        if body == self._count:
            self._held[k] = inverse, np.zeros((len(rows), 6)), np.zeros((len(rows), 0))
            return
        open_, unit_wrench = self._still_open(body), self._unit_wrench[body]
        by_acceleration, influence = inverse @ unit_wrench[:, rows].T, inverse @ self._link[np.ix_(rows, open_)]
        self._inertia[body] += unit_wrench[:, rows] @ by_acceleration
        unit_wrench[:, open_] -= unit_wrench[:, rows] @ influence
        self._link[np.ix_(open_, open_)] -= self._link[np.ix_(open_, rows)] @ influence
        self._held[k] = inverse, by_acceleration, influence

    def _settle(self, closings: tuple[int, int], load: Array, term: Array, offset: Array) -> None:
        for k in range(*closings):
            closing, (inverse, by_acceleration, influence) = self._loops.closings[k], self._held[k]
            rows = list(closing.rows)
            offset[rows] = inverse @ term[rows]
            if closing.body < self._count:
                load[closing.body] -= by_acceleration.T @ term[rows]
                term[self._still_open(closing.body)] -= influence.T @ term[rows]

    # -- from the ground to the tips ---------------------------------------------------------------------------------

    def _spread(self, shift: list[Array], offset: Array, swept: Array | None) -> SweepSolution:
        count = self._count
        accelerations, found, multiplier = np.zeros(self._unknowns), np.zeros((count + 1, 6)), np.zeros(self._rows)
        for body in reversed(self._loops.sweep):
            self._find_multipliers(self._loops.at_ground[body], found, offset, multiplier)
            carried = self.carry(body) @ found[self._parents[body]]
            carried += 0.0 if swept is None else swept[body]
            loops = self._along[body] @ multiplier[self._still_open(body)]
            right = -(self._gain[body].T @ carried + shift[body] + loops)
            own = np.linalg.solve(self._root[body].T, right)
            accelerations[self.unknowns[body]] = own
            found[body] = carried + self._columns[body] @ own
            self._find_multipliers(self._loops.at_body[body], found, offset, multiplier)
        return SweepSolution(accelerations, found[:-1], multiplier)

    def _find_multipliers(self, closings: tuple[int, int], found: Array, offset: Array, multiplier: Array) -> None:
        for k in range(*closings):
            closing, (_, by_acceleration, influence) = self._loops.closings[k], self._held[k]
            rows = list(closing.rows)
            multiplier[rows] = by_acceleration @ found[closing.body] - offset[rows]
            if closing.body < self._count:
                multiplier[rows] -= influence @ multiplier[self._still_open(closing.body)]


def _squares(columns: Array) -> Array:
    found: Array = np.sum(columns**2, axis=0)
    return found


def scaled_inverse(matrix: Array, terms: Array, most: int, none: float) -> tuple[Array, int, float]:
    """Return the pseudo-inverse of a symmetric positive semidefinite matrix, its rank and the least pivot.

    F F^T by Cholesky's method with pivoting; F = Q R gives the inverse Q (R R^T)^-1 Q^T.

    Parameters
    ----------
    terms : what the diagonal could be, by lengths of the vectors that it is made of: rows are scaled by it.
    most : the largest rank there may be.
    none : pivots up to this are rounding.
    """
    scale = np.where(terms > 0.0, 1.0 / np.sqrt(np.where(terms > 0.0, terms, 1.0)), 0.0)
    rest, least = matrix * np.outer(scale, scale), 1.0
    picked, factor = list(range(len(matrix))), np.zeros((len(matrix), 0))
    while factor.shape[1] < most:
        pivot = max(picked, key=lambda row: rest[row, row])
        if not rest[pivot, pivot] > none:
            break
        least = min(least, float(rest[pivot, pivot]))
        picked.remove(pivot)
        column = np.zeros(len(matrix))
        column[[pivot, *picked]] = rest[[pivot, *picked], pivot] / np.sqrt(rest[pivot, pivot])
        factor = np.column_stack([factor, column])
        rest = rest - np.outer(column, column)
    axes, upper = np.linalg.qr(factor)
    half = np.linalg.solve(upper, axes.T) * scale
    return half.T @ half, factor.shape[1], least
