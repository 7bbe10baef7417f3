"""The order of a sweep along the spanning tree, and which rows of loops are open where: the file ``loops.h``.

The sweep takes every body after all that it carries, one branch after the other, so that few loops are open at a time.
A row of a loop is open at the bodies of both ways from its ends to the body where they meet; there it is closed,
together with the rows that it hangs together with. Rows that meet at the ground are closed after the last branch that
has one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import CLOSING, LOOP_ROW, LOOPS_AT, OPEN_ROW
from symgen.simulate.tables.mechanism_tables import Table
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.problem_text import table_lines

_NONE = -1


@dataclass(frozen=True)
class LoopClosing:
    """Rows that are closed together.

    Parameters
    ----------
    body : where, or the number of bodies for the ground.
    rows : which.
    entries : of each row its entry in the list of open rows of the body; -1 at the ground.
    """

    body: int
    rows: tuple[int, ...]
    entries: tuple[int, ...]


@dataclass(frozen=True)
class LoopTables:
    """The order of the sweep and the open rows.

    Parameters
    ----------
    sweep : bodies, tips before what carries them.
    open_rows : of each body the rows that are open there, first those that close.
    closed : of each body how many of them close.
    closings : in the order of the sweep.
    at_body, at_ground : of each body the ranges of closings: before its joint, and at the ground after it.
    slots : of each row, where its multiplier is kept while it is open.
    ends : (rows, 2) entries of the bodies of each row, -1 for the ground.
    """

    sweep: tuple[int, ...]
    open_rows: tuple[tuple[int, ...], ...]
    closed: tuple[int, ...]
    closings: tuple[LoopClosing, ...]
    at_body: tuple[tuple[int, int], ...]
    at_ground: tuple[tuple[int, int], ...]
    slots: tuple[int, ...]
    ends: NDArray[np.int32] = field(repr=False)

    @property
    def first_open(self) -> list[int]:
        """Return where the list of each body begins in that of all, and where the last ends."""
        return [0, *np.cumsum([len(rows) for rows in self.open_rows], dtype=int).tolist()]


def make_loops(problem: Problem) -> LoopTables:
    """Return the tables of a problem in the coordinates of its tree."""
    parents = problem.tables["BODY"]["parent"].tolist()
    ends, meets = _rows_of(problem)
    ways = [_ways(parents, pair, meet) for pair, meet in zip(ends, meets, strict=True)]
    count = len(parents)
    open_after: list[list[int]] = [[] for _ in range(count)]
    for row, way in enumerate(ways):
        for body in way:
            open_after[body].append(row)
    groups = _closing_groups(count, meets, open_after)
    sweep = _sweep(parents, groups.get(count, []), open_after)
    closing_rows = [sorted(row for group in groups.get(body, []) for row in group) for body in range(count)]
    lists = [tuple([*closing_rows[b], *open_after[b]]) for b in range(count)]
    first = [0, *np.cumsum([len(rows) for rows in lists], dtype=int).tolist()]
    entry = [{row: first[b] + k for k, row in enumerate(rows)} for b, rows in enumerate(lists)]
    entries = [[entry[body][row] if body < count else _NONE for body in pair] for row, pair in enumerate(ends)]
    closings, at_body, at_ground = _schedule(sweep, parents, groups, open_after, entry)
    return LoopTables(
        tuple(sweep), tuple(lists), tuple(map(len, closing_rows)), tuple(closings), tuple(at_body), tuple(at_ground),
        tuple(_slots(sweep, lists, at_body, at_ground, closings, len(ends))),
        np.array(entries, dtype=np.int32).reshape(-1, 2),
    )  # fmt: skip


def _rows_of(problem: Problem) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the bodies of each row of a cut joint, and the body where their ways to the ground meet."""
    ends, meets = [], []
    cut = problem.tables["ELEMENT"][: problem.sizes["CUT_ELEMENTS"]]
    for one, two, meet, mask in cut[["body_1", "body_2", "meet", "rows"]].tolist():
        for _ in range(mask.bit_count()):
            ends.append((one, two))
            meets.append(meet)
    return ends, meets


def _ways(parents: Sequence[int], ends: Iterable[int], meet: int) -> list[int]:
    """Return the bodies from both ends up to, and without, the one where they meet."""
    found = []
    for end in ends:
        body = end
        while body != meet:
            found.append(body)
            body = parents[body]
    return found


def _closing_groups(
    count: int, meets: Sequence[int], open_after: Sequence[Sequence[int]]
) -> dict[int, list[tuple[int, ...]]]:
    """Return for each body the rows that close there, in parts that have nothing to do with each other."""
    leader = list(range(len(meets)))

    def find(row: int) -> int:
        while leader[row] != row:
            leader[row] = leader[leader[row]]
            row = leader[row]
        return row

    for rows in open_after:
        last: dict[int, int] = {}
        for row in rows:
            other = last.setdefault(meets[row], row)
            leader[max(find(row), find(other))] = min(find(row), find(other))
    parts: dict[tuple[int, int], list[int]] = {}
    for row, meet in enumerate(meets):
        parts.setdefault((meet, find(row)), []).append(row)
    found: dict[int, list[tuple[int, ...]]] = {}
    for (meet, _), rows in parts.items():
        found.setdefault(meet, []).append(tuple(rows))
    return found


def _sweep(parents: Sequence[int], ground: Sequence[tuple[int, ...]], open_after: Sequence[Sequence[int]]) -> list[int]:
    """Return the bodies, each after those it carries.

    Of what a body carries, the largest branch comes first: the short sides of loops open late. Branches of the ground
    that share loops come one after the other.
    """
    count = len(parents)
    carried = [1] * count
    for body in reversed(range(count)):  # a body's carrier has a smaller number
        if parents[body] < count:
            carried[parents[body]] += carried[body]
    children: list[list[int]] = [[] for _ in range(count + 1)]
    for body in sorted(range(count), key=lambda each: (-carried[each], each)):
        children[parents[body]].append(body)
    part = {row: k for k, rows in enumerate(ground) for row in rows}
    found: list[int] = []
    waiting = sorted(children[count], key=lambda b: min((part[row] for row in open_after[b]), default=len(ground)))
    while waiting:  # from the ground up; reversed it is a sweep from the tips
        body = waiting.pop()
        found.append(body)
        waiting += children[body]
    return found[::-1]


def _schedule(
    sweep: Sequence[int],
    parents: Sequence[int],
    groups: dict[int, list[tuple[int, ...]]],
    open_after: Sequence[Sequence[int]],
    entry: Sequence[dict[int, int]],
) -> tuple[list[LoopClosing], list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the closings in the order of the sweep, and the range of each body's, and of those after it."""
    count = len(parents)
    last: dict[int, int] = {}  # the last branch of the ground that has a row
    for body in sweep:
        if parents[body] == count:
            last |= dict.fromkeys(open_after[body], body)
    after: dict[int, list[tuple[int, ...]]] = {}
    index = {body: k for k, body in enumerate(sweep)}
    for rows in groups.get(count, []):
        after.setdefault(max((last[row] for row in rows), key=index.__getitem__), []).append(rows)
    closings: list[LoopClosing] = []
    at_body, at_ground = [(0, 0)] * count, [(0, 0)] * count
    for body in sweep:
        begin = len(closings)
        closings += [LoopClosing(body, rows, tuple(entry[body][row] for row in rows)) for rows in groups.get(body, [])]
        middle = len(closings)
        closings += [LoopClosing(count, rows, (_NONE,) * len(rows)) for rows in after.get(body, [])]
        at_body[body], at_ground[body] = (begin, middle), (middle, len(closings))
    return closings, at_body, at_ground


def _slots(
    sweep: Sequence[int],
    lists: Sequence[Sequence[int]],
    at_body: Sequence[tuple[int, int]],
    at_ground: Sequence[tuple[int, int]],
    closings: Sequence[LoopClosing],
    rows: int,
) -> list[int]:
    """Return a slot for each row; one is used again as soon as its row is closed."""
    found, used = [_NONE] * rows, 0
    free: list[int] = []
    for body in sweep:
        for row in lists[body]:
            if found[row] == _NONE:
                if not free:
                    free.append(used)
                    used += 1
                found[row] = free.pop()
        for begin, end in (at_body[body], at_ground[body]):
            for closing in closings[begin:end]:
                free += [found[row] for row in closing.rows]
        free.sort(reverse=True)
    return found


def loops_header(problem: Problem, loops: LoopTables) -> str:
    """Return the text of ``loops.h`` for one mechanism: sizes and constant tables."""
    sizes, tables = loop_rows(problem, loops)
    lines = ["/* Order of the sweep of one mechanism, and which rows of loops are open where. */", ""]
    lines += [f"#define {name} {value}" for name, value in sizes.items()]
    lines.append("")
    for name, table in tables.items():
        lines += table_lines(name, table)
    return "\n".join([*lines, ""])


def loop_rows(problem: Problem, loops: LoopTables) -> tuple[dict[str, int], dict[str, Table]]:
    """Return the sizes of the tables of loops, and the tables."""
    first = loops.first_open
    count = problem.sizes["BODIES"]
    parents = problem.tables["BODY"]["parent"].tolist()
    entry = [{row: first[b] + k for k, row in enumerate(rows)} for b, rows in enumerate(loops.open_rows)]
    open_rows = []
    fresh = _fresh(loops)
    for body, rows in enumerate(loops.open_rows):
        for k, row in enumerate(rows):
            carried = k >= loops.closed[body] and parents[body] < count
            onward = entry[parents[body]][row] if carried else _NONE
            open_rows.append((row, onward, int((body, row) in fresh)))
    records, inverses, influences = [], 0, 0
    start = 0
    for closing in loops.closings:
        size = len(closing.rows)
        still = len(loops.open_rows[closing.body]) - loops.closed[closing.body] if closing.body < count else 0
        records.append((closing.body, start, size, inverses, influences, still))
        start, inverses, influences = start + size, inverses + size * size, influences + size * still
    sizes = {
        "OPEN": first[-1], "SLOTS": max(loops.slots, default=-1) + 1, "CLOSINGS": len(records), "INVERSES": inverses,
        "INFLUENCES": influences, "MOST_CLOSED": max((len(closing.rows) for closing in loops.closings), default=0),
        "AT_ONCE": _at_once(problem),
    }  # fmt: skip
    closed = np.array(loops.closed, dtype=np.int32)
    at_body, at_ground = (np.array(each, dtype=np.int32).T for each in (loops.at_body, loops.at_ground))
    tables: dict[str, Table] = {
        "SWEEP": _ints(loops.sweep),
        "LOOPS_AT": LOOPS_AT.filled(
            count, first_open=first[:-1], first_kept=first[:-1] + closed, end_open=first[1:],
            first_closing=at_body[0], end_closing=at_body[1], first_at_ground=at_ground[0], end_at_ground=at_ground[1],
        ),
        "OPEN_ROW": OPEN_ROW.of_rows(open_rows),
        "LOOP_ROW": LOOP_ROW.filled(
            len(loops.slots), slot=loops.slots, entry_1=loops.ends[:, 0], entry_2=loops.ends[:, 1]
        ),
        "CLOSING": CLOSING.of_rows(records),
        "CLOSING_ROW": _ints([row for closing in loops.closings for row in closing.rows]),
        "CLOSING_ENTRY": _ints([each for closing in loops.closings for each in closing.entries]),
    }  # fmt: skip
    return sizes, tables


def _at_once(problem: Problem) -> int:
    """Return how many unknowns of a joint are eliminated together at most: the engine compiles no kernels for more."""
    bodies = problem.tables["BODY"]
    held = bodies["end_unknown"] - bodies["first_unknown"]
    return min(3, max(1, int(held.max(initial=1))))


def _fresh(loops: LoopTables) -> set[tuple[int, int]]:
    """Return (body, row) where the sweep meets a row for the first time."""
    found: set[tuple[int, int]] = set()
    seen: set[int] = set()
    for body in loops.sweep:
        found |= {(body, row) for row in loops.open_rows[body] if row not in seen}
        seen.update(loops.open_rows[body])
    return found


def _ints(values: Sequence[object]) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32)
