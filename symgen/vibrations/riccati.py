"""The Riccati recursion of a vibrating mechanism, from its tips to its roots, for many frequencies at once.

Each place carries [q m] = -K [x theta] - B mu: the dynamic stiffness of all that it holds, and what the columns do. A
hinge H with stiffness k and g of the forces at rest leaves

    D = H^T K H + k,  n = K H + g,  h = B^T H,  K' = K - n n^T/D,  B' = B - n h^T/D,  L' = L - h h^T/D.

The product of all D is the determinant of the overall transfer equation; the number of negative ones, with those of L
at the end, is the number of eigenfrequencies below: the Sturm sequence of the mechanism. Nothing grows along a chain.

Source: G. C. Horner, W. D. Pilkey, The Riccati transfer matrix method, 1978; W. H. Wittrick, F. W. Williams, 1971.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.errors import MechanismError
from symgen.poses import Array
from symgen.transfer.elements import shifting
from symgen.vibrations.beam import Blocks, Piece, blocks, division
from symgen.vibrations.columns import Columns, independent_wrenches, make_columns
from symgen.vibrations.elements import body_stiffness, hinge_rest, rest_stiffness
from symgen.vibrations.nodes import NodeLayout, lay_out
from symgen.vibrations.rest import Rest, column_of
from symgen.vibrations.system import Element, VibratingSystem

#: A pivot below this part of the terms it is made of is none.
_NOTHING = 1e-13
#: Instead of an exact zero, as part of the terms a pivot is made of; terms of a hinge that holds nothing.
_SMALLEST, _EMPTY = 1e-17, 1e-60
#: Rows of a pivot below this part of the largest are empty; units differ by far less.
_LEAST_ROW = 1e-20


@dataclass(frozen=True)
class VibratingHinge:
    """A hinge of one freedom, ready: `lever` and `stiffness` of the way to it, H, g and k."""

    lever: Array
    stiffness: Array
    column: Array
    rest: Array
    spring: float


@dataclass
class Carried:
    """K (n, 6, 6) and B (n, 6, c) at a place."""

    stiffness: Array
    columns: Array

    def moved(self, lever: Array, extra: Array) -> Carried:
        """Return them at another place: `lever` from that place to this one; `extra` is the way's own stiffness."""
        return Carried(lever.T @ self.stiffness @ lever + extra, lever.T @ self.columns)


@dataclass(frozen=True)
class HingePivot:
    """How a hinge follows the root side: dq = (n a + h mu)/D, a of the tip side = a - H dq."""

    hinge: VibratingHinge
    pivot: Array
    row: Array
    column: Array


@dataclass(frozen=True)
class PiecePivot:
    """How the tip side of a part of a beam follows its root side, in the axes of the piece."""

    part: Piece
    blocks: Blocks
    axes: Array
    solved: Array


class RiccatiTrace:
    """What one run leaves: pivots on the way, for counting and for going back."""

    def __init__(self, squares: Array, coupling: Array) -> None:
        self.squares = squares
        self.coupling = np.broadcast_to(coupling, (len(squares), *coupling.shape)).copy()
        self.negative: NDArray[np.int64] = np.zeros(len(squares), dtype=np.int64)
        self.logarithm = np.zeros(len(squares))
        self.efforts: Array | None = None
        self.hinges: dict[int, list[HingePivot]] = {}
        self.pieces: dict[tuple[int, int, int], list[PiecePivot]] = {}


class Recursion:
    """A mechanism at rest, ready to be run at any frequencies.

    Parameters
    ----------
    system, rest : what it is made of, and the forces there.
    """

    def __init__(self, system: VibratingSystem, rest: Rest) -> None:
        self.system, self.rest = system, rest
        raw = make_columns(system, rest)
        self.layouts = lay_out(system, rest, raw)
        self.hinges = [self._hinges(k) for k in range(len(system.elements))]
        self.ways = [self._way_out(k) for k in range(len(system.elements))]
        self.inertias = [_inertia(element) for element in system.elements]
        self.combined = independent_wrenches(raw, self._rows(raw), _size(system))
        self.coupling = self.combined.T @ raw.stiffness @ self.combined
        self.wrenches: int = self.combined.shape[1] - int(np.count_nonzero(~raw.wrenches))
        #: Negative pivots that are no eigenfrequencies: one a constraint, one a spring between two bodies.
        self.constraints = self.wrenches + raw.negative
        self._check_inertia()

    @property
    def freedoms(self) -> int | None:
        """How many eigenfrequencies there are; None with beams, which have any number."""
        if any(element.beam is not None for element in self.system.elements):
            return None
        return sum(map(len, self.hinges)) + sum(len(cut.steps) for cut in self.system.cuts) - self.wrenches

    def count(self, squares: Array) -> NDArray[np.int64]:
        """Return how many eigenvalues w^2 lie below each of the given squares."""
        trace, _ = self.run(np.asarray(squares, dtype=np.float64))
        if not self.coupling.size:
            return trace.negative
        total: NDArray[np.int64] = trace.negative + _signs_and_inverse(trace.coupling)[0] - self.constraints
        return total

    def run(self, squares: Array, loads: Array | None = None, efforts: Array | None = None) -> tuple[RiccatiTrace, int]:
        """Go from the tips to the roots.

        Parameters
        ----------
        squares : (n,) squares of the angular frequency.
        loads : (elements, most nodes, 6, l) forces on the nodes; they are columns behind the others.
        efforts : (hinges, l) forces in the hinges beside them, those of elements first, then of cut joints.

        Returns
        -------
        Trace
        int
            How many columns are unknowns.
        """
        unknowns = self.combined.shape[1]
        width = unknowns + (0 if loads is None else loads.shape[-1])
        coupling = np.zeros((width, width))
        coupling[:unknowns, :unknowns] = self.coupling
        trace = RiccatiTrace(squares, coupling)
        if efforts is not None:
            self._push(trace, efforts, unknowns)
        carried: list[Carried] = []
        for k, element in enumerate(self.system.elements):
            layout = self.layouts[k]
            nodes = []
            for index, node in enumerate(layout.nodes):
                columns = np.zeros((6, width))
                columns[:, :unknowns] = node.columns @ self.combined
                if loads is not None:
                    columns[:, unknowns:] = -loads[k, index]
                here = Carried(
                    np.broadcast_to(node.stiffness, (len(squares), 6, 6)).copy(),
                    np.broadcast_to(columns, (len(squares), 6, width)).copy(),
                )  # fmt: skip
                for child, lever in node.children:
                    there = carried[child].moved(lever, np.zeros((6, 6)))
                    here.stiffness += there.stiffness
                    here.columns += there.columns
                nodes.append(here)
            if element.beam is None:
                nodes[0].stiffness += squares[:, None, None] * self.inertias[k]
            out = nodes[layout.out]
            for a, one in enumerate(layout.arms):
                self._along(trace, k, a, one, nodes, layout)
            at = out.moved(layout.shift, layout.stiffness)
            carried.append(self._through(trace, k, element, at))
        return trace, unknowns

    def _push(self, trace: RiccatiTrace, efforts: Array, unknowns: int) -> None:
        """Write forces in hinges to where they are met."""
        own = sum(map(len, self.hinges))
        trace.efforts = np.hstack([np.zeros((own, unknowns)), efforts[:own]])
        raw, first, row = np.zeros((len(self.combined), efforts.shape[1])), 0, own
        for cut in self.system.cuts:
            count = len(cut.steps)
            raw[first + 6 : first + 6 + count] = efforts[row : row + count]
            first, row = first + 6 + count, row + count
        trace.coupling[:, :unknowns, unknowns:] = -self.combined.T @ raw
        trace.coupling[:, unknowns:, :unknowns] = -raw.T @ self.combined

    # -- pieces and hinges -------------------------------------------------------------------------------------------

    def _along(
        self,
        trace: RiccatiTrace,
        k: int,
        a: int,
        arm: tuple[tuple[int, Piece], ...],
        nodes: list[Carried],
        layout: NodeLayout,
    ) -> None:
        """Take an arm of a beam from its outermost node into the output's."""
        largest = float(np.abs(trace.squares).max())
        for p, (index, piece) in enumerate(arm):
            turn = np.kron(np.eye(2), piece.axes)
            here = nodes[index].moved(turn, np.zeros((6, 6)))
            pivots, found = [], None
            for part in piece.parts(division(piece, largest)):
                if found is None or piece.gain:  # without they are all alike
                    found = blocks(part, trace.squares)
                here, pivot = _through_piece(trace, here, found, part, turn)
                pivots.append(pivot)
            trace.pieces[k, a, p] = pivots
            there = here.moved(turn.T, np.zeros((6, 6)))
            after = nodes[arm[p + 1][0] if p + 1 < len(arm) else layout.out]
            after.stiffness += there.stiffness
            after.columns += there.columns

    def _hinges(self, k: int) -> list[VibratingHinge]:
        element, found = self.system.elements[k], []
        point = element.port
        for step, wrench in zip(element.steps, self.rest.steps[k], strict=True):
            column, rest = hinge_rest(step.along, step.about, wrench[3:], wrench[:3])
            way = point - step.point
            found.append(VibratingHinge(shifting(way), rest_stiffness(way, wrench[:3]), column, rest, step.stiffness))
            point = step.point
        return found

    def _through(self, trace: RiccatiTrace, k: int, element: Element, here: Carried) -> Carried:
        pivots = []
        first = sum(map(len, self.hinges[:k])) if trace.efforts is not None else 0
        for h, hinge in enumerate(self.hinges[k]):
            here = here.moved(hinge.lever, hinge.stiffness)
            row = here.stiffness @ hinge.column + hinge.rest
            column = hinge.column @ here.columns
            if trace.efforts is not None:
                column = column + trace.efforts[first + h]
            pivot = here.stiffness @ hinge.column @ hinge.column + hinge.spring
            terms = np.abs(row).max(axis=1) * float(np.abs(hinge.column).max()) + abs(hinge.spring)
            least = _SMALLEST * np.maximum(terms, _EMPTY)
            pivot = np.where(np.abs(pivot) < least, least, pivot)
            trace.negative += pivot < 0.0
            trace.logarithm += np.log(np.abs(pivot))
            here = Carried(
                here.stiffness - row[:, :, None] * row[:, None, :] / pivot[:, None, None],
                here.columns - row[:, :, None] * column[:, None, :] / pivot[:, None, None],
            )  # fmt: skip
            trace.coupling -= column[:, :, None] * column[:, None, :] / pivot[:, None, None]
            pivots.append(HingePivot(hinge, pivot, row, column))
        trace.hinges[k] = pivots
        return here.moved(*self.ways[k])

    def _way_out(self, k: int) -> tuple[Array, Array]:
        """Return lever and stiffness of the way from the last hinge to the root side."""
        element = self.system.elements[k]
        way = (element.steps[-1].point if element.steps else element.port) - element.end
        return shifting(way), rest_stiffness(way, self.rest.ends[k][:3])

    # -- checks ------------------------------------------------------------------------------------------------------

    def _rows(self, raw: Columns) -> Array:
        """Return what each column does on each freedom of the tree and of the beams, (freedoms, c)."""
        rows: list[Array] = [np.zeros((0, raw.count))]
        ends: list[Array] = []
        for k, element in enumerate(self.system.elements):
            layout = self.layouts[k]
            nodes = [node.columns + sum((lever.T @ ends[child] for child, lever in node.children),
                                        np.zeros((6, raw.count))) for node in layout.nodes]  # fmt: skip
            for arm in layout.arms:
                for p, (index, piece) in enumerate(arm):
                    after = arm[p + 1][0] if p + 1 < len(arm) else layout.out
                    turn = np.kron(np.eye(2), piece.axes)
                    rows.append((turn.T @ nodes[index])[piece.bends])
                    way = layout.nodes[index].point - layout.nodes[after].point
                    nodes[after] = nodes[after] + shifting(way).T @ nodes[index]
            here = layout.shift.T @ nodes[layout.out]
            point = element.port
            for step in element.steps:
                here = shifting(point - step.point).T @ here
                rows.append((column_of(step) @ here)[None])
                point = step.point
            ends.append(shifting(point - element.end).T @ here)
        return np.vstack(rows)

    def _check_inertia(self) -> None:
        """Refuse a freedom that neither mass nor spring resists."""
        square = np.array([1.2345678])
        trace, _ = self.run(square)
        for k, pivots in trace.hinges.items():
            for pivot, step in zip(pivots, self.system.elements[k].steps, strict=True):
                terms = float(np.abs(pivot.row).max()) * float(np.abs(pivot.hinge.column).max()) + abs(
                    pivot.hinge.spring
                )
                if abs(float(pivot.pivot[0])) <= _NOTHING * max(terms, _EMPTY):
                    mechanism = self.system.mechanism
                    body = mechanism.bodies[self.system.elements[k].body].id
                    where = f"joints.{step.joint}.{step.freedom}" if step.joint else f"bodies.{body}"
                    raise MechanismError(
                        f"moves neither mass nor spring ({step.freedom} of body {body!r}); give mass or inertia to "
                        "the bodies on its tip side, or a stiffness to the freedom",
                        file=mechanism.file, field=where,
                    )  # fmt: skip


def _inertia(element: Element) -> Array:
    """Return the dynamic stiffness (6, 6) of a rigid body at its port for w^2 = 1: it is linear in w^2."""
    arm = element.port - element.centre
    return body_stiffness(element.mass, element.inertia, arm, 1.0)


def _through_piece(
    trace: RiccatiTrace, here: Carried, piece: Blocks, part: Piece, turn: Array
) -> tuple[Carried, PiecePivot]:
    bends = piece.bends
    along = [k for k in range(6) if k not in bends]
    width = here.columns.shape[2]
    n = len(trace.squares)
    pivot = here.stiffness[:, bends][:, :, bends] + piece.tip
    right = np.zeros((n, len(bends), 6 + width))
    right[:, :, along] = here.stiffness[:, bends][:, :, along]
    right[:, :, bends] = piece.across
    right[:, :, 6:] = here.columns[:, bends]
    negative, inverse = _signs_and_inverse(pivot)
    trace.negative += negative
    solved = inverse @ right
    change = right.swapaxes(1, 2) @ solved
    stiffness = np.zeros((n, 6, 6))
    grid = np.ix_(range(n), along, along)
    stiffness[grid] = here.stiffness[grid]
    stiffness[np.ix_(range(n), bends, bends)] += piece.root
    stiffness += piece.rigid - 0.5 * (change[:, :6, :6] + change[:, :6, :6].swapaxes(1, 2))
    columns = np.zeros((n, 6, width))
    columns[:, along] = here.columns[:, along]
    columns -= change[:, :6, 6:]
    trace.coupling -= change[:, 6:, 6:]
    return Carried(stiffness, columns), PiecePivot(part, piece, turn, solved)


def _signs_and_inverse(matrix: Array) -> tuple[NDArray[np.int64], Array]:
    """Return how many eigenvalues of symmetric matrices (n, k, k) are negative, and the inverses.

    Rows and columns are scaled alike before: the signs stay. An eigenvalue that is nothing counts as a positive one.
    """
    rows = np.abs(matrix).max(axis=2)
    scale = 1.0 / np.sqrt(np.maximum(rows, np.maximum(_LEAST_ROW * rows.max(axis=1, keepdims=True), _EMPTY)))
    values, vectors = np.linalg.eigh(matrix * scale[:, :, None] * scale[:, None, :])
    values = np.where(np.abs(values) < _SMALLEST, _SMALLEST, values)
    vectors = scale[:, :, None] * vectors
    return (values < 0.0).sum(axis=1), (vectors / values[:, None, :]) @ vectors.swapaxes(1, 2)


def _size(system: VibratingSystem) -> float:
    places = np.array([[element.port, element.end, element.centre] for element in system.elements]).reshape(-1, 3)
    return max(float(np.ptp(places, axis=0).max()), 1e-3 * float(np.abs(places).max()), 1e-9)
