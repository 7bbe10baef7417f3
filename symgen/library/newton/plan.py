"""In which order a group's bodies are eliminated, and the integers that tell the solver.

Each row of the Jacobian holds the columns of the one or two unknown bodies that its pair joins. Bodies are eliminated
one after another. The *front* of a body is the set of rows that still hold its columns; Gaussian elimination with
partial pivoting inside the front is that of the whole matrix, since every other row is zero there. Rows that are left
over go to the front of the next body that they hold. Six legs of a platform so cost six small fronts, not a matrix of
78 rows.

Source: I. S. Duff, J. K. Reid, "The multifrontal solution of indefinite sparse symmetric linear equations" (1983); here
for unsymmetric matrices with a fixed order of the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.errors import StructureError
from symgen.library.newton.problem import GroupProblem, NewtonElement, elements_of

#: Numbers of the plan before its elements, and of an element; right sides that are solved together: as in the solver.
HEAD, RECORD, WIDTH = 9, 6, 8


@dataclass(frozen=True)
class WaitingRows:
    """Rows that wait for a front: an element, or what a front has left over."""

    bodies: tuple[int, ...]
    rows: int
    element: int = -1
    child: int = -1


@dataclass(frozen=True)
class Front:
    """Elimination of one body (by its number in `GroupProblem.bodies`): blocks are bodies, its own first."""

    blocks: tuple[int, ...]
    parts: tuple[WaitingRows, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(part.rows for part in self.parts)


@dataclass(frozen=True)
class SolverPlan:
    """What the solver needs besides numbers.

    Parameters
    ----------
    problem : the group.
    elements : its elements, in the order of their rows.
    order : unknown bodies in the order of elimination (indices into `problem.bodies`); the solver numbers them so.
    integers : the plan as the solver reads it.
    """

    problem: GroupProblem
    elements: tuple[NewtonElement, ...]
    order: tuple[int, ...]
    integers: NDArray[np.int32]

    @property
    def drives(self) -> tuple[NewtonElement, ...]:
        """The driven freedoms in the order of the solver."""
        return tuple(element for element in self.elements if element.freedom is not None)


def make_plan(problem: GroupProblem, rows: Mapping[str, int]) -> SolverPlan:
    """Order the elimination of a group.

    Parameters
    ----------
    rows : kind of element -> number of rows, from the solver's manifest; its order gives the codes.

    Raises
    ------
    StructureError
        The joints do not determine the bodies.
    """
    elements = elements_of(problem)
    fronts = order_fronts(problem, elements, rows)
    return SolverPlan(
        problem, elements, tuple(front.blocks[0] for front in fronts), _encode(problem, elements, fronts, rows)
    )


def order_fronts(
    problem: GroupProblem, elements: Sequence[NewtonElement], rows: Mapping[str, int]
) -> tuple[Front, ...]:
    """Return the fronts; the next body is always one whose front has the fewest entries."""
    number = {body: k for k, body in enumerate(problem.bodies)}
    waiting = [
        WaitingRows(
            tuple(number[body] for body in problem.joints[each.joint].bodies if body in number), rows[each.kind], k
        )
        for k, each in enumerate(elements)
    ]
    left = set(number.values())
    fronts: list[Front] = []
    while left:
        front = min((_front(body, waiting) for body in sorted(left)), key=_size)
        body, others = front.blocks[0], front.blocks[1:]
        over = front.rows - problem.freedoms
        if over < 0:
            raise StructureError(_wrong_count(problem, elements, rows))
        taken = {id(part) for part in front.parts}
        waiting = [part for part in waiting if id(part) not in taken]
        if over and others:  # without others: rows that follow from the rest, thanks to special proportions
            waiting.append(WaitingRows(others, over, child=len(fronts)))
        fronts.append(front)
        left.remove(body)
    return tuple(fronts)


def _front(body: int, waiting: Sequence[WaitingRows]) -> Front:
    parts = tuple(part for part in waiting if body in part.bodies)
    others = sorted({other for part in parts for other in part.bodies} - {body})
    return Front((body, *others), parts)


def _size(front: Front) -> tuple[int, int]:
    return front.rows * len(front.blocks), front.blocks[0]


def _wrong_count(problem: GroupProblem, elements: Sequence[NewtonElement], rows: Mapping[str, int]) -> str:
    units = sum(rows[each.kind] for each in elements)
    return (
        f"bodies {', '.join(problem.bodies)} are not a structural group: they have "
        f"{problem.freedoms * len(problem.bodies)} freedoms, joints and driven freedoms impose {units} constraints, or "
        "some of the bodies have too few"
    )


def _encode(
    problem: GroupProblem, elements: Sequence[NewtonElement], fronts: Sequence[Front], rows: Mapping[str, int]
) -> NDArray[np.int32]:
    code = {kind: k for k, kind in enumerate(rows)}
    place = {front.blocks[0]: k for k, front in enumerate(fronts)}
    names = [problem.bodies[front.blocks[0]] for front in fronts] + list(problem.known)
    number = {body: k for k, body in enumerate(names)}
    records: list[int] = []
    first_row = drive = 0
    for each in elements:
        one, two = problem.joints[each.joint].bodies
        records += [code[each.kind], number[one], number[two], each.joint, -1, first_row]
        if each.freedom is not None:
            records[-2], drive = drive, drive + 1
        first_row += rows[each.kind]
    table: list[int] = []
    offsets: list[int] = []
    base = HEAD + len(records) + len(fronts)
    storage = stack = 0
    for front in fronts:
        offsets.append(base + len(table))
        table += _encode_front(front, fronts, place, storage, stack)
        storage += front.rows * len(front.blocks) * problem.freedoms
        stack += front.rows
    blocks = 2 * max(rows.values()) * problem.freedoms * len(elements)
    work = blocks + _workspace(problem, first_row, storage, stack)
    head = [len(problem.bodies), len(problem.known), len(elements), len(problem.joints), drive, storage, stack, work]
    head.append(first_row)
    return np.array([*head, *records, *offsets, *table], dtype=np.int32)


def _encode_front(
    front: Front, fronts: Sequence[Front], place: Mapping[int, int], storage: int, stack: int
) -> list[int]:
    inside = {body: k for k, body in enumerate(front.blocks)}
    # Elements come first, as the solver gathers them.
    elements = [part.element for part in front.parts if part.element >= 0]
    children = [part.child for part in front.parts if part.child >= 0]
    record = [len(front.blocks), front.rows, len(elements), len(children), storage, stack]
    record += [place[body] for body in front.blocks] + elements
    for child in children:
        record += [child, *(inside[body] for body in fronts[child].blocks[1:])]
    return record


def _workspace(problem: GroupProblem, rows: int, storage: int, stack: int) -> int:
    """Return how many numbers the solver lays out behind the Jacobian's blocks, as its `lay_out` does."""
    unknowns = problem.freedoms * len(problem.bodies)
    vectors = rows + WIDTH * (unknowns + rows) + (problem.places + 1) * len(problem.bodies)
    return storage + WIDTH * stack + vectors
