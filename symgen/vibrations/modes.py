"""Mode shapes: the displacements that answer to forces near an eigenfrequency, from the roots back to the tips.

Forces go in as columns of the recursion; near an eigenfrequency the answer is almost the mode alone, and forces
proportional to its masses make it purer (inverse iteration). Modes of one frequency are found together and made
orthogonal in the mass. Inside of beams the transfer matrix gives the shape exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symgen.errors import AccuracyError
from symgen.model.parts import Beam
from symgen.poses import Array
from symgen.transfer.elements import shifting
from symgen.vibrations.beam import Piece, transfer_matrix
from symgen.vibrations.riccati import PiecePivot, Recursion, RiccatiTrace

#: Squares that agree to this part belong together (counts of a double one may differ by 1e-8); how far beside them is
#: solved: by this part, by more than their width, by less than this part of the gap to others.
_TOGETHER, _BESIDE, _WIDER, _OF_GAP = 1e-6, 1e-7, 10.0, 1e-2
#: Where quotients are taken for the last digits: parts of the gap to others (at most of the square), tried in turn, and
#: their multiples. Nearer by rounding grows; farther off the other modes do, which shows in how extrapolations differ.
_DISTANCES, _MULTIPLES, _SMOOTH = (3e-3, 1e-3, 1e-4, 1e-5), (1.0, 2.0, 4.0), 1e-8
_ROUNDS = 4
#: How far the quotient of a shape may be from its square: a part of that, and of the largest of the mechanism.
_AGREE, _ROUNDED = 1e-6, 1e-14
_GAUSS, _WEIGHTS = np.polynomial.legendre.leggauss(6)
_PLACES = tuple(float(place) for place in 0.5 * (1.0 + _GAUSS))
_WRENCH = [9, 10, 11, 6, 7, 8]


@dataclass(frozen=True)
class BeamPieceShape:
    """A part of a beam: displacements [x theta] (6, l) at both ends, in its axes; `start` (3,) its tip side."""

    pivot: PiecePivot
    start: Array
    tip: Array
    root: Array

    @property
    def piece(self) -> Piece:
        """The part itself."""
        return self.pivot.part


@dataclass(frozen=True)
class Shapes:
    """Displacements [x theta], world, of l motions.

    Parameters
    ----------
    nodes : of each element (nodes, 6, l); `ports` (6, l).
    steps : of each element (steps, l) changes of the coordinates of its hinges.
    cuts : the same of cut joints, one after the other, (freedoms, l).
    stretches : of each element, the parts of its beam.
    """

    nodes: tuple[Array, ...]
    ports: tuple[Array, ...]
    steps: tuple[Array, ...]
    cuts: Array
    stretches: tuple[tuple[BeamPieceShape, ...], ...]


def mode_shapes(
    recursion: Recursion, squares: Array, *, largest: float = 0.0, refine: bool = False
) -> list[tuple[Shapes, int, float]]:
    """Return for each eigenvalue (ascending) the shapes it is among, of modal mass 1 kg, its place there, and itself.

    It is as given, or refined.

    Parameters
    ----------
    largest : about the largest eigenvalue of the mechanism, whose rounding all have.
    refine : take quotients of the shapes; those of springs, where nothing else resists.

    Raises
    ------
    AccuracyError
        An eigenvalue is not that of its shape.
    """
    found: list[tuple[Shapes, int, float]] = []
    first, only_springs = 0, refine and _only_springs(recursion)
    while first < len(squares):
        last = first + 1
        while last < len(squares) and squares[last] - squares[first] <= _TOGETHER * abs(squares[last]):
            last += 1
        middle = float(squares[first:last].mean())
        others = np.delete(squares, slice(first, last))
        gap = float(np.abs(others - middle).min(initial=np.inf)) / abs(middle)
        width = float(squares[last - 1] - squares[first]) / abs(middle)
        beside = middle * (1.0 + min(max(_BESIDE, _WIDER * width), _OF_GAP * gap))
        shapes, quotients, loads = _cluster(recursion, beside, last - first)
        allowed = _AGREE * abs(middle) + _ROUNDED * largest
        values = squares[first:last]
        _confirm(values, quotients, allowed)
        if refine:
            better = _energies(recursion, shapes) if only_springs else _refined(recursion, middle, gap, loads)
            if better is not None:
                _confirm(values, better, allowed)
                values = better
        found += [(shapes, k, float(values[k])) for k in range(last - first)]
        first = last
    return found


def _only_springs(recursion: Recursion) -> bool:
    """Say whether all that resists are springs in the joints of rigid bodies without forces at rest."""
    system, rest = recursion.system, recursion.rest
    rigid = all(element.beam is None for element in system.elements)
    wrenches = (*rest.steps, rest.ports, rest.ends, rest.cuts)
    return rigid and not system.ties and not any(np.any(each) for each in wrenches)


def _energies(recursion: Recursion, shapes: Shapes) -> Array:
    """Return Rayleigh's quotients (l,) from the springs: errors of the shapes count with their squares only.

    Where a pivot's own frequency falls on an eigenfrequency, as in chains of equal masses, counts lose six digits.
    """
    system = recursion.system
    steps = [step for each in (system.elements, system.cuts) for part in each for step in part.steps]
    springs = np.array([step.stiffness for step in steps])
    changes = np.vstack([*shapes.steps, shapes.cuts])
    found: Array = np.linalg.eigvalsh(changes.T @ (springs[:, None] * changes))
    return found


def _confirm(squares: Array, quotients: Array, allowed: float) -> None:
    """Refuse eigenvalues that are not the quotients of their shapes; these were found without counts and zeros."""
    off = np.abs(quotients - squares)
    if float(off.max()) <= allowed:
        return
    worst = int(np.argmax(off))
    found, other = (math.copysign(math.sqrt(abs(v)), v) / math.tau for v in (squares[worst], quotients[worst]))
    raise AccuracyError(
        f"the frequency {found:.9g} Hz is not confirmed: its shape has {other:.9g} Hz by Rayleigh's quotient, so "
        "rounding hides the true frequency. Take fewer modes, or the other --method (riccati, determinant)"
    )


def _cluster(recursion: Recursion, square: float, count: int) -> tuple[Shapes, Array, Array]:
    """Return shapes near a square, the squares that they have by Rayleigh's quotient, ascending, and the forces."""
    loads = _first_loads(recursion, count)
    for _ in range(_ROUNDS):
        driving = loads
        shapes, basis, quotients = _quotients(recursion, square, driving)
        loads = _mass_loads(recursion, shapes, loads.shape) @ basis
    return _combined(shapes, basis), quotients, driving


def _quotients(recursion: Recursion, square: float, loads: Array) -> tuple[Shapes, Array, Array]:
    """Return what answers to forces at a square, the combinations of that of modal mass 1, and Rayleigh's quotients.

    Forces p that move a mechanism by x at the square s say what its quotient is, whatever it is made of:
    x^T (K - s M) x = x^T p, so that x^T K x/x^T M x = s + x^T p/x^T M x.
    """
    shapes = respond(recursion, square, loads)
    basis = _orthonormal(mass_features(recursion, shapes, square))
    work = basis.T @ _work(shapes, loads) @ basis
    return shapes, basis, square + np.linalg.eigvalsh(0.5 * (work + work.T))


def _refined(recursion: Recursion, middle: float, gap: float, loads: Array) -> Array | None:
    """Return eigenvalues near a square from quotients on both sides of it, to the last digits; None: rounding is more.

    Counts, and quotients beside an eigenvalue, lose up to eight digits where a pivot's own frequency is one, too: those
    of a beam that is clamped at both ends come near to those that it has with one end free (to 4e-7 at the fifth).
    Farther off nothing is lost. What the other modes add to quotients is even in the distance but for its third power,
    which both sides together do not have: Richardson's extrapolation from d, 2 d and 4 d leaves its sixth power.
    """
    for part in _DISTANCES:
        d = part * min(gap, 1.0) * middle
        near, double, far = (_both_sides(recursion, middle, k * d, loads) for k in _MULTIPLES)
        first, second = near + (near - double) / 3.0, double + (double - far) / 3.0
        if float(np.abs(first - second).max()) <= _SMOOTH * abs(middle):
            found: Array = first + (first - second) / 15.0
            return found
    return None


def _both_sides(recursion: Recursion, middle: float, distance: float, loads: Array) -> Array:
    """Return the mean of the quotients at two squares beside another one."""
    above, below = (_quotients(recursion, middle + sign * distance, loads)[2] for sign in (1.0, -1.0))
    found: Array = 0.5 * (above + below)
    return found


def _work(shapes: Shapes, loads: Array) -> Array:
    """Return what forces on nodes do on motions, (l, l)."""
    found: Array = np.zeros((loads.shape[-1],) * 2)
    for nodes, given in zip(shapes.nodes, loads, strict=True):
        found += np.einsum("nij,nik->jk", nodes, given[: len(nodes)])
    return found


def _orthonormal(features: Array) -> Array:
    """Return the combinations (l, l) of columns that are orthonormal; scaled columns first, for the digits."""
    scale = 1.0 / np.sqrt((features * features).sum(axis=0))
    values, vectors = np.linalg.eigh((features * scale).T @ (features * scale))
    combined: Array = scale[:, None] * vectors / np.sqrt(np.maximum(values, 1e-300))
    return combined


def _first_loads(recursion: Recursion, count: int) -> Array:
    """Return forces on all nodes that are like nothing in particular, the same every time."""
    most = max(len(layout.nodes) for layout in recursion.layouts)
    loads = np.random.default_rng(1).uniform(-1.0, 1.0, (len(recursion.layouts), most, 6, count))
    for k, element in enumerate(recursion.system.elements):
        reach = np.linalg.norm(element.port - element.centre) + 1e-3
        loads[k, :, 3:] *= reach
        if element.mass > 0.0:
            loads[k] *= element.mass
    return loads


def _mass_loads(recursion: Recursion, shapes: Shapes, shape: tuple[int, ...]) -> Array:
    loads = np.zeros(shape)
    for k, element in enumerate(recursion.system.elements):
        nodes = shapes.nodes[k]
        if element.beam is not None:
            loads[k, : len(nodes), :3] = element.mass / len(nodes) * nodes[:, :3]
            loads[k, : len(nodes), 3:] = element.beam.polar * element.beam.length / len(nodes) * nodes[:, 3:]
            continue
        lever = shifting(element.centre - element.port)
        centre = lever @ nodes[0]
        push = np.vstack([element.mass * centre[:3], element.inertia @ centre[3:]])
        loads[k, 0] = lever.T @ push
    return loads


def respond(recursion: Recursion, square: float, loads: Array, efforts: Array | None = None) -> Shapes:
    """Return the displacements under forces (elements, nodes, 6, l) of one frequency, and in hinges (hinges, l)."""
    trace, unknowns = recursion.run(np.array([square]), loads, efforts)
    count = loads.shape[-1]
    coupling = trace.coupling[0]
    held = np.zeros((0, count))
    if unknowns:
        scale = 1.0 / np.sqrt(np.maximum(np.abs(coupling[:unknowns, :unknowns]).max(axis=1), 1e-300))
        scaled = coupling[:unknowns, :unknowns] * scale[:, None] * scale
        held = -scale[:, None] * np.linalg.lstsq(scaled, scale[:, None] * coupling[:unknowns, unknowns:], rcond=None)[0]
    return _back(recursion, trace, np.vstack([held, np.eye(count)]), unknowns)


def _back(recursion: Recursion, trace: RiccatiTrace, held: Array, unknowns: int) -> Shapes:
    """Go from the roots to the tips."""
    system, count = recursion.system, held.shape[1]
    nodes: dict[int, Array] = {}
    ports: dict[int, Array] = {}
    steps: dict[int, Array] = {}
    stretches: dict[int, tuple[BeamPieceShape, ...]] = {}
    ends: list[Array] = [np.zeros((6, count)) for _ in system.elements]
    for k in reversed(range(len(system.elements))):
        element, layout = system.elements[k], recursion.layouts[k]
        last = element.steps[-1].point if element.steps else element.port
        here: Array = shifting(last - element.end) @ ends[k]
        changes = []
        for pivot in reversed(trace.hinges[k]):
            change = (pivot.row[0] @ here + pivot.column[0] @ held) / pivot.pivot[0]
            here = pivot.hinge.lever @ (here - np.outer(pivot.hinge.column, change))
            changes.append(change)
        steps[k] = np.array(changes[::-1]).reshape(len(changes), count)
        ports[k] = here
        places: Array = np.zeros((len(layout.nodes), 6, count))
        places[layout.out] = layout.shift @ here
        parts: list[BeamPieceShape] = []
        for a, arm in enumerate(layout.arms):
            here = places[layout.out]
            for p, (index, piece) in reversed(list(enumerate(arm))):
                here, made = _back_piece(trace.pieces[k, a, p], piece, layout.nodes[index].point, here, held)
                places[index] = here
                parts += made
        nodes[k], stretches[k] = places, tuple(parts)
        for index, node in enumerate(layout.nodes):
            for child, lever in node.children:
                ends[child] = lever @ places[index]
    every = range(len(system.elements))
    cuts = _cut_changes(recursion, held[:unknowns])
    of_nodes, of_ports, of_steps = (tuple(part[k] for k in every) for part in (nodes, ports, steps))
    return Shapes(of_nodes, of_ports, of_steps, cuts, tuple(stretches[k] for k in every))


def _back_piece(
    pivots: list[PiecePivot], piece: Piece, start: Array, here: Array, held: Array
) -> tuple[Array, list[BeamPieceShape]]:
    """Return the displacements at the tip side of a piece, and its parts."""
    turn = pivots[0].axes
    local = turn.T @ here
    length = piece.length / len(pivots)
    made = []
    for part in reversed(range(len(pivots))):
        pivot = pivots[part]
        bends = pivot.blocks.bends
        root, local = local, local.copy()
        local[bends] = -pivot.solved[0] @ np.vstack([root, held])
        made.append(BeamPieceShape(pivot, start + part * length * piece.axes[:, 0], local, root))
    return turn @ local, made


def _cut_changes(recursion: Recursion, held: Array) -> Array:
    """Return the changes of the coordinates of cut joints, (freedoms, l)."""
    full: Array = recursion.combined @ held
    rows: list[int] = []
    first = 0
    for cut in recursion.system.cuts:
        rows += list(range(first + 6, first + 6 + len(cut.steps)))
        first += 6 + len(cut.steps)
    return full[rows]


def inside(stretch: BeamPieceShape, shares: tuple[float, ...], square: float) -> Array:
    """Return the displacements [x theta] (s, 6, l) inside a part of a beam, in its axes; `shares` of its length."""
    bends = stretch.pivot.blocks.bends
    wrench = [_WRENCH[k] for k in bends]
    tip, root = stretch.tip[bends], stretch.root[bends]
    push = stretch.pivot.blocks.tip[0] @ tip + stretch.pivot.blocks.across[0] @ root
    piece = stretch.piece
    key = (piece.beam, piece.length, piece.push, piece.gain)
    u = _ways(*key, shares, square)
    found = np.broadcast_to(stretch.tip, (len(shares), *stretch.tip.shape)).copy()
    found[:, bends] = u[:, bends][:, :, bends] @ tip + u[:, bends][:, :, wrench] @ push
    return found


@lru_cache(maxsize=64)
def _ways(beam: Beam, length: float, push: float, gain: float, shares: tuple[float, ...], square: float) -> Array:
    piece = Piece(beam, length, np.eye(3), push, gain, planar=False)
    lengths = np.array(shares) * length
    none = lengths == 0.0
    ways = transfer_matrix(piece, np.where(none, length, lengths), np.full(len(shares), square))
    ways[none] = np.eye(12)
    return ways


def mass_features(recursion: Recursion, shapes: Shapes, square: float) -> Array:
    """Return (f, l): scalar products of the columns are those of the motions in the mass."""
    rows: list[Array] = []
    for k, element in enumerate(recursion.system.elements):
        if element.beam is None:
            centre = shifting(element.centre - element.port) @ shapes.nodes[k][0]
            values, vectors = np.linalg.eigh(element.inertia)
            rows += [np.sqrt(element.mass) * centre[:3]]
            rows += [np.sqrt(np.maximum(values, 0.0))[:, None] * (vectors.T @ centre[3:])]
            continue
        beam = element.beam
        for stretch in shapes.stretches[k]:
            weights = 0.5 * _WEIGHTS * stretch.piece.length
            here = inside(stretch, _PLACES, square)
            rows.append(
                (np.sqrt(weights * beam.mass_per_length)[:, None, None] * here[:, :3]).reshape(-1, here.shape[2])
            )
            rows.append(np.sqrt(weights * beam.polar)[:, None] * here[:, 3])
    return np.vstack(rows)


def _combined(shapes: Shapes, basis: Array) -> Shapes:
    """Return combinations of motions."""
    return Shapes(
        tuple(each @ basis for each in shapes.nodes), tuple(each @ basis for each in shapes.ports),
        tuple(each @ basis for each in shapes.steps), shapes.cuts @ basis,
        tuple(
            tuple(BeamPieceShape(s.pivot, s.start, s.tip @ basis, s.root @ basis) for s in parts)
            for parts in shapes.stretches
        ),
    )  # fmt: skip
