"""Whether two branches meet: by how much lengths are off from those with which they do, against their rounding.

Near a change point the square of the distance of two branches, D, is a parabola over time. Branches that meet have its
vertex at 0. Lengths that are a little off lift it (the branches part again: a near miss) or lower it (in the gap
between the zeros nothing can be assembled: a fold). How far lengths are off is told by what displaced joint frames do
to the vertex. It is compared with the spacing of the numbers that the file gives, at one place and once for each
meeting, so that events, gaps and single times say the same on every grid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from symgen.poses import Array
from symgen.solve.branch_steps import Branches, Look
from symgen.status import Status

#: Lengths off by fewer roundings are as good as exact (a chain of groups adds up some tens); by more than the second,
#: they are meant to be so. Between the two it is not told.
_MET, _MEANT = 128.0, 512.0
#: How far joint frames are displaced, in parts of the size and in radians.
ASIDE = 1e-11
#: Places at which D is looked at, in units of a spacing about the vertex.
_PLACES = np.array([-2.0, -1.0, 1.0, 2.0])
#: The first spacing and the widest, in parts of the time scale; by what it grows where a branch is not there.
_FIRST, _WIDEST, _WIDER = 1e-6, 3e-2, 3.0
#: The vertex is found where the parabola rises by this many times what the vertex is off, or by this part of the size.
_RISE, _RISE_LEAST = 8.0, 3e-12
_ROUNDS = 12
#: Of a parabola the vertex stays where samples are wider apart; it must not be this many times as deep.
_STEEPER = 4.0
#: Branches that come no nearer than this part of the size do not meet.
_NEAR = 1e-2
#: What displaced frames do to D is expected to be less than this many times what they are displaced by, of one size.
_FELT = 1e3
_PLACED = (Status.OK, Status.SINGULAR)

#: Places -> all branches there with joint frames displaced in several ways.
Displaced = Callable[[Array], Sequence[Branches]]


class Verdict(Enum):
    """What lengths say of two branches that come near each other."""

    MET = "they meet"
    GAP = "nothing can be assembled between them"
    MISS = "they part again"
    DOUBT = "rounding hides which"


@dataclass(frozen=True)
class Meeting:
    """Where two branches come nearest to each other.

    Parameters
    ----------
    at : where.
    verdict : whether they meet.
    reach : how far from there on what lengths are off changes the motion: D is twice as large.
    told_from : distance from which on rounding is none of the difference of two branches [m].
    """

    at: float
    verdict: Verdict
    reach: float
    told_from: float


def looked_closer_from(known_to: float, size: float) -> float:
    """Return the distance of branches [m] from which on what lengths say of a meeting is looked at."""
    return float(size * np.sqrt(2.0 * _MEANT * known_to * _FELT))


def examine(
    look: Look, displaced: Displaced, label: int, at: float, width: float, scale: float, size: float, known_to: float
) -> Meeting | None:
    """Tell whether a branch, named by signs, meets another one; None where there is no such pair on both sides.

    Parameters
    ----------
    at, width : it is near at `at`, and `width` away.
    scale : in which the drives go about a radian.
    size : of the mechanism [m].
    known_to : relative spacing of the numbers that lengths are made of.
    """
    other = _mate(look(np.array([at])), label)
    if other is None:
        return None
    found = _vertex(look, label, other, at, max(2.0 * width, _FIRST * scale), scale, size)
    if found is None:
        return None
    vertex, off, bend = found
    here = np.array([vertex])
    direct = float(_squares(look(here), label, other)[0])
    if np.isfinite(direct):
        off = direct
    elif off > 0.0:
        return None
    moved = [float(_squares(each, label, other)[0]) - max(off, 0.0) for each in displaced(here)]
    felt = max((abs(each) for each in moved if np.isfinite(each)), default=0.0) / ASIDE
    rounding = known_to * max(felt, size**2)
    if abs(off) <= _MET * rounding:
        verdict = Verdict.MET
    elif abs(off) < _MEANT * rounding:
        verdict = Verdict.DOUBT
    else:
        verdict = Verdict.MISS if off > 0.0 else Verdict.GAP
    return Meeting(vertex, verdict, float(np.sqrt(abs(off) / bend)), float(np.sqrt(2.0 * _MEANT * rounding)))


def _mate(seen: Branches, label: int) -> int | None:
    """Return the branch nearest to one."""
    away = [float(_squares(seen, label, other)[0]) if other != label else np.inf for other in range(len(seen.status))]
    finite = np.where(np.isfinite(away), away, np.inf)
    best = int(np.argmin(finite))
    return best if np.isfinite(finite[best]) else None


def _squares(seen: Branches, label: int, other: int) -> Array:
    """Return the squared distances of two branches (n,), NaN where one is not there."""
    there = np.all(np.isin(seen.status[[label, other]], _PLACED), axis=0)
    square = np.mean(np.sum((seen.place[other] - seen.place[label]) ** 2, axis=-1), axis=-1).max(axis=-1)
    found: Array = np.where(there, square, np.nan)
    return found


def _vertex(
    look: Look, label: int, other: int, at: float, spacing: float, scale: float, size: float
) -> tuple[float, float, float] | None:
    """Return where D is least, what it is there and half of its second derivative, from samples on both sides."""
    found, last = None, (0.0, 0.0)
    for _ in range(_ROUNDS):
        if spacing > _WIDEST * scale:
            return found
        squares = _squares(look(at + spacing * _PLACES), label, other)
        if not np.all(np.isfinite(squares)):
            spacing *= _WIDER
            continue
        far, near = squares[0] + squares[3], squares[1] + squares[2]
        bend = (far - near) / 6.0
        slope = (2.0 * (squares[3] - squares[0]) + squares[2] - squares[1]) / 10.0
        if not bend > 0.0 or squares.min() > (_NEAR * size) ** 2:
            return None
        way = -0.5 * slope / bend
        off = (far + near) / 4.0 - 2.5 * bend - 0.25 * slope**2 / bend
        if abs(way) > 2.0:  # the vertex is elsewhere: these samples do not tell it well
            at += float(np.clip(way, -8.0, 8.0)) * spacing
            continue
        at += way * spacing
        if found is not None and off < _STEEPER * found[1] < 0.0 and spacing > last[0]:
            # A drive that turns round there makes D a quartic, whose parabolas lie the deeper the wider they are.
            return found[0], min(last[1], 0.0), found[2]
        found = at, float(off), float(bend / spacing**2)
        last = spacing, float(0.5 * near - (far - near) / 30.0)  # where D is m + q s^4, m
        wanted = float(np.sqrt(max(_RISE * abs(off), _RISE_LEAST * size**2) / bend))
        if 0.5 < wanted < 2.0:
            return found
        spacing = max(spacing * min(max(wanted, 0.05), 10.0), 64.0 * float(np.spacing(abs(at))))
    return found
