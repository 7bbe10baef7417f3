"""One branch of a group along a path: the motion that is smooth, also through change points.

Branches have numbers: signs of square roots, which stay with a branch until it meets another one, or ranks of zeros,
which may change at any time. Either way a number is a name at one time; the motion is what goes on smoothly.

    step    from one node to the next the branch is clear if no other one can be met on the way: it is further off than
            both could come together at the rates and accelerations at either end. Else the step is cut into parts.
    meeting where a step is as small as can be and still not clear, the branch meets another one. A polynomial through
            values, rates and accelerations of three times before tells where the smooth motion goes; of the branches
            behind the point the one that it meets goes on, if no other one comes near it (`symgen.library.smooth`).
    fold    where no branch is behind the point the motion ends. A branch named by signs comes back with its signs;
            a rank means nothing there, and the branch is lost.

Near misses, where branches come close and part again, need no special case: cutting ends where the parts are small
against the gap. What is closer than the solver can tell (SINGULAR) counts as met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from symgen.library.smooth import CLEAR, MotionSamples, clearest, evaluate, misfit
from symgen.poses import Array
from symgen.solve.branch_steps import APART, Branches, Look, is_free, length, nearest_branch, next_branches
from symgen.solve.meetings import Meeting, Verdict, looked_closer_from
from symgen.status import Status

#: A step that is not clear is cut into this many parts, or into parts of this share of the way to the nearest branch,
_PARTS = 4
_CLEAR_PART, _MOST_PARTS = 0.3, 32
#: down to these parts of the time scale; the second where the solver says that branches meet.
_LEAST, NEXT_TO_POINT = 1e-8, 1e-5
#: Meetings beyond which a motion is called too far to follow.
MOST_MEETINGS = 5000
#: Spacings of the times before and behind a meeting that are looked at, in parts of the time scale.
_SPACINGS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5)
_AROUND = np.array([1.0, 2.0, 3.0])
#: Of six samples around a meeting, those next to it.
_INNER = [1, 2, 3, 4]
#: Accelerations that are wrong by less than this part of the largest are as good as any: the narrowest spacing that
#: makes them so is taken, so that few rows are the polynomial's.
_GOOD = 1e-9
#: Places that are looked at for a gap, in which no branch is: lengths off by 1e-12 leave one of 1e-6.
_GAPS = 10.0 ** np.arange(-2.0, -7.5, -0.5)
#: What rounding makes of a misfit at most, in units of it over the spacing, or over the distance of the next branch
#: (some 3e6 was seen). Misfits beyond it that grow towards the point are those of branches that only come near.
_PARTED = 3e8
#: Branches that stay apart by this part of the size did not meet: the path has a corner.
_CORNER = 1e-3
#: Branches further off than this part of the size do not go on from where another one ended.
_NEAR = 1e-2
#: Why a motion is not followed any further.
TOO_FAR = "this time is too far from the times at which the branch is known, so it cannot be followed there"
_FIRST_ROWS, _MOST_ROWS = 32, 16_384
#: Where a way begins at a meeting, a gap shorter than this part of the time scale is what the solver's margin makes.
_ROUNDED_OFF = 1e-4
#: Places that are looked at in a gap.
_INSIDE = 7
#: Statuses with a position.
_PLACED = (Status.OK, Status.SINGULAR)
#: Widths of places where a branch is lost that met none, in parts of the time scale: up to a quarter of the widest
#: spacing of samples. A search for all assemblies loses them some 1e-4 to 1e-3 about a place.
_BRIDGES = 10.0 ** np.arange(-5.0, -1.5, 0.25)
#: Where a meeting is seen ahead, widths in units of the way to it: it need not be in the middle.
_BEYOND = np.array([2.0, 2.5, 3.5, 5.0])
#: Narrower bridges end before this share of the way to it.
_SHORT_OF_MEETING = 0.25
#: Places from which it is looked for, in parts of the time scale before the last one.
_BACK = np.array([0.0, 3e-4, 1e-3, 3e-3])
#: How near to 1 the ratio that tells a fold is: 1e-2 off where lengths a part 1e-5 off make the fold, 1 at a crossing.
_ROOT = 0.1
#: Rounds of Newton's method that find it; the branches come as near as this part of their distance.
_MEETING_ROUNDS, _MISSED = 3, 0.05
#: Joints count as closed with this many roundings of the size open: 1500 were seen, as a search leaves open up to 16 of
#: the sum of all lengths and the polynomial some times that. Lengths off by twice as much are told.
_CLOSED_ROUNDING = 2048.0
#: Were the place a fold, and another one where the branch comes back, joints would stay open amid both by some 0.1 to 1
#: times the square of half of the width, in parts of the size: roundings must be less than this of it to tell.
_FOLD_OPEN = 1e-2
_UNMET = (
    "the branch is found up to here and not after it, although it meets no other branch here. Branches come so near "
    "to each other that not all of them are found, and symgen cannot tell whether this one goes on or ends"
)

#: Beside a place where branches do not meet, in units of what changes the motion there; as far as that is looked for.
_BESIDE, _FAR_BEHIND = 3.0, 3e-2
#: Samples of the smooth motion are further from a meeting than this many times of it.
_BENT = 8.0
#: Places behind a meeting, in parts of the time scale, at which the next one is looked for; the distance of branches
#: falls to this part of what it was before; samples keep this share of the way to it.
_LADDER = 10.0 ** np.arange(-5.0, 0.0, 0.04)
_FALLEN, _SHORT_OF = 0.3, 0.8
#: Spacings of samples whose rates are compared, in parts of the time scale; rates of the branch that goes on differ by
#: this part of what others do; distances over the way to the meeting differ by no more than this where branches cross.
_BY_RATES = (3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
_SAME_RATES, _STRAIGHT = 0.25, 1.5
_DOUBT = "branches come so near to each other that, within the rounding of lengths, they may meet, part or end"

#: Called with the place that is reached, now and then.
PathProgress = Callable[[float], None]


@dataclass(frozen=True)
class Crossing:
    """A point where the branch met another one and went on smoothly.

    Parameters
    ----------
    at : where it is, as well as that can be told.
    start, end : it lies between them; within, the motion is the polynomial of the samples.
    times, labels : (6,) of the samples, three on each side, in the order of travel.
    rough : what the polynomial's accelerations are wrong by, as a part of the largest of the group.
    bridged : the solver loses the branch between `start` and `end`, where it is regular but next to the point itself.
    meets : whether branches meet; else a bridge has none, and `at` is its middle.
    """

    at: float
    start: float
    end: float
    times: Array
    labels: NDArray[np.int32]
    rough: float = 0.0
    bridged: bool = False
    meets: bool = True

    @property
    def before(self) -> int:
        """Branch before."""
        return int(self.labels[2])

    @property
    def after(self) -> int:
        """Branch after."""
        return int(self.labels[3])


#: By how much the joints of a group stay open at most where it moves as the samples of a crossing say [m].
LeftOpen = Callable[[Crossing], float]
#: What lengths say of a meeting that a branch comes to within a width of a place; None where that does not tell.
Examined = Callable[[int, float, float], Meeting | None]


@dataclass(frozen=True)
class Ending:
    """From here on the branch is not known any more, and why."""

    at: float
    status: Status
    why: str


@dataclass
class Journey:
    """What was found on the way in one direction: labels from some places on, crossings, gaps, how it ended.

    Parameters
    ----------
    starts, labels : label k holds from starts[k] on, in the order of travel.
    gaps : (from, to) in the order of travel, where the branch of these signs is not there.
    meets : the way begins where branches meet.
    """

    starts: list[float]
    labels: list[int]
    crossings: list[Crossing] = field(default_factory=list)
    gaps: list[tuple[float, float]] = field(default_factory=list)
    ending: Ending | None = None
    meets: bool = False


def travel(
    look: Look,
    nodes: Array,
    first: int,
    *,
    ranked: bool,
    size: float,
    scale: Callable[[float], float],
    precision: float,
    left_open: LeftOpen | None = None,
    examined: Examined | None = None,
    known_to: float = 0.0,
    progress: PathProgress | None = None,
) -> Journey:
    """Follow a branch from the first node to the last.

    Parameters
    ----------
    nodes : (n,) ascending or descending.
    first : branch at the first node.
    ranked : whether numbers of branches are ranks.
    size : length that makes angles comparable [m].
    scale : parameter -> length of it in which the drives go about a radian.
    precision : relative spacing of the solver's numbers.
    left_open : see `LeftOpen`; without it no branch is followed through places where the solver loses it.
    examined : see `Examined`; without it how smooth the motion is tells alone.
    known_to : relative spacing of the numbers that lengths are made of.
    progress : called with the place that is reached, now and then.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return _Traveller(look, nodes, first, ranked, size, scale, precision, left_open, examined, known_to).travel(
            progress
        )


class _Traveller:
    def __init__(
        self,
        look: Look,
        nodes: Array,
        first: int,
        ranked: bool,
        size: float,
        scale: Callable[[float], float],
        precision: float,
        left_open: LeftOpen | None,
        examined: Examined | None,
        known_to: float,
    ) -> None:
        self.look, self.nodes, self.ranked, self.size, self.scale = look, nodes, ranked, size, scale
        self.precision, self.left_open, self.examined = precision, left_open, examined
        self.side = 1.0 if nodes[-1] >= nodes[0] else -1.0
        self.look_closer = looked_closer_from(known_to, size)
        self.ahead: tuple[int, Meeting] | None = None  # what lengths say of the next meeting of a branch
        self.at = float(nodes[0])
        self.next = 1  # the first node that is still ahead
        self.regular_from = self.at  # no meeting and no fold since
        self.here = look(nodes[:1])
        self.label = first
        self.found = Journey([self.at], [first])

    def travel(self, progress: PathProgress | None) -> Journey:
        if not self.here.fine(self.label, 0):
            self._begin_elsewhere()
        rows = _FIRST_ROWS
        while self.found.ending is None and self.next < len(self.nodes):
            if progress is not None:
                progress(self.at)
            if self._cruise(rows):
                rows *= 2
                continue
            self._creep(float(self.nodes[self.next]))
            rows = _FIRST_ROWS
        return self.found

    def _cruise(self, rows: int) -> bool:
        """Go over the next nodes as far as each step is clear; tell whether that is all of them."""
        rows = max(1, min(rows, _MOST_ROWS // self.here.status.shape[0]))
        ahead = self.nodes[self.next : self.next + rows]
        seen = self.here.followed_by(self.look(ahead))
        times = np.concatenate([[self.at], ahead])
        row = 0
        while row < len(ahead):
            following = next_branches(seen.rows(slice(row, None)), np.diff(times[row:]), self.label, self.ranked)
            following = np.where(self._is_close(seen.rows(slice(row, -1))), -1, following)
            changed = np.flatnonzero(following != self.label)
            row += int(changed[0]) if changed.size else len(following)
            if not changed.size:
                break
            label = int(following[changed[0]])
            if label < 0:
                break
            row += 1
            self._rename(label, float(times[row]))
        self.at, self.here = float(times[row]), seen.rows(slice(row, row + 1))
        self.next += row
        return row == len(ahead)

    def _creep(self, target: float) -> None:
        """Go to the next node in parts, through what is met on the way."""
        stack, seen = [target], {target: self.look(np.array([target]))}
        while stack and self.found.ending is None:
            goal = stack[-1]
            there = seen[goal]
            step = goal - self.at
            label = int(next_branches(self.here.followed_by(there), np.array([step]), self.label, self.ranked)[0])
            doubtful = self._is_doubtful()
            if label >= 0 and not doubtful:
                self._rename(label, goal)
                self.at, self.here = goal, there
                del seen[stack.pop()]
                continue
            if not doubtful and not self._is_least(step, int(there.status[self.label, 0])):
                parts = self.at + self._parts(step)
                every = self.look(parts)
                for k in reversed(range(len(parts))):
                    stack.append(float(parts[k]))
                    seen[stack[-1]] = every.rows(slice(k, k + 1))
                continue
            self._pass_meeting(self._just_behind(goal) if doubtful else goal, stack)
            stack = [each for each in stack if (each - self.at) * self.side > 0.0]
        while self.next < len(self.nodes) and (self.nodes[self.next] - self.at) * self.side <= 0.0:
            self.next += 1

    def _is_close(self, seen: Branches) -> NDArray[np.bool_]:
        """Tell for each row whether another branch is so near that lengths are to be looked at."""
        found = np.zeros(seen.status.shape[1], dtype=np.bool_)
        if self.examined is not None:
            for other in range(seen.status.shape[0]):
                if other != self.label:
                    found |= length(seen.place[other] - seen.place[self.label]) <= self.look_closer
        return found

    def _is_doubtful(self) -> bool:
        """Tell whether a branch is ahead that is met as far as lengths tell, and so near that roundings matter.

        Steps that are cut however small would follow what roundings make of lengths.
        """
        if self.examined is None or not self._is_close(self.here)[0]:
            return False
        if self.ahead is None or self.ahead[0] != self.label or (self.ahead[1].at - self.at) * self.side <= 0.0:
            met = self.examined(self.label, self.at, _LEAST * self.scale(self.at))
            self.ahead = None if met is None else (self.label, met)
        if self.ahead is None:
            return False
        met = self.ahead[1]
        near = _distance_to_others(self.here, 0, self.label) <= met.told_from
        return near and met.verdict in (Verdict.MET, Verdict.DOUBT) and (met.at - self.at) * self.side > 0.0

    def _just_behind(self, goal: float) -> float:
        """Return a place behind the meeting that is ahead, no further than the goal: samples need room behind it."""
        assert self.ahead is not None  # noqa: S101 - only where one is ahead
        way = max(2.0 * abs(self.ahead[1].at - self.at), _LEAST * self.scale(self.at))
        return goal if abs(goal - self.at) <= way else self.at + self.side * way

    def _parts(self, step: float) -> Array:
        """Return the ends of the parts that a step is cut into, from here, the last one apart.

        Each part is a little less than what is clear if the nearest branch goes on at the rate it has here.
        """
        here = self.here
        near, approach, least = np.inf, None, np.inf
        for other in range(here.status.shape[0]):
            gap = (here.place[other, 0] - here.place[self.label, 0]).reshape(-1)
            rate = (here.rate[other, 0] - here.rate[self.label, 0]).reshape(-1)
            speed, distance = float(np.linalg.norm(rate)), float(np.linalg.norm(gap))
            if other != self.label and speed > 0.0 and distance / speed < least:
                least, approach, near = distance / speed, (gap, rate), speed
        parts: list[float] = []
        if approach is not None:
            gap, rate = approach
            at = 0.0
            while len(parts) < _MOST_PARTS:
                at += _CLEAR_PART * float(np.linalg.norm(gap + self.side * at * rate)) / near
                if at > 0.9 * abs(step) or (parts and at - parts[-1] < _LEAST * abs(step)):
                    break
                parts.append(at)
        if not parts or parts[0] > 0.5 * abs(step):  # every cut has to shorten the step, else it might go on for ever
            return step * np.arange(1, _PARTS) / _PARTS
        return self.side * np.array(parts)

    def _is_least(self, step: float, status: int) -> bool:
        """Tell whether a step is as small as can be."""
        part = NEXT_TO_POINT if status in (Status.SINGULAR, Status.DEGENERATE) else _LEAST
        return abs(step) <= max(part * self.scale(self.at), 64.0 * float(np.spacing(abs(self.at))))

    def _rename(self, label: int, at: float) -> None:
        if label != self.label:
            self.label = label
            self.found.starts.append(at)
            self.found.labels.append(label)

    # -- meetings ------------------------------------------------------------------------------------------------------

    def _pass_meeting(self, goal: float, stack: Sequence[float]) -> None:
        """Go on behind the point that lies between here and the goal."""
        if len(self.found.crossings) >= MOST_MEETINGS:
            self.found.ending = Ending(goal, Status.AMBIGUOUS, TOO_FAR)
            return
        width = abs(goal - self.at)
        unmet = self.ranked and bool(is_free(self.here, self.label, np.array([width]))[0])
        if unmet and self.left_open is not None:  # the joints tell better than how smooth the motion is
            bridge = self._bridge(width, self.left_open)
            judged = _Judgement(() if bridge is None else (bridge,), (), False, False, goal)
        else:
            met = None if self.examined is None else self.examined(self.label, self.at, width)
            if met is not None and met.verdict in (Verdict.GAP, Verdict.MISS):
                self._keep_apart(met, goal)
                return
            judged = self._judge(width) if met is None else self._judge_met(width, met)
            if met is not None and met.verdict is Verdict.DOUBT and not judged.keeps(self.label):
                self.found.ending = Ending(goal, Status.AMBIGUOUS, _DOUBT)
                return
        if judged.crossing is not None:
            crossing = judged.crossing
            self.found.crossings.append(crossing)
            self._rename(crossing.after, goal)
            # Ranks may change among the samples behind the point: what lies there is gone through as anything else.
            last = -1 if len(set(crossing.labels[3:].tolist())) == 1 else 3
            self._arrive(float(crossing.times[last]), int(crossing.labels[last]))
        elif unmet and not self._folds():
            self.found.ending = Ending(goal, Status.AMBIGUOUS, _UNMET)
        elif judged.apart:  # a corner in the drives, not in the branch
            self._arrive(judged.behind, self.label)
        elif judged.parted:
            why = "branches come so near to each other that symgen cannot tell whether they meet, and part again"
            self.found.ending = Ending(goal, Status.AMBIGUOUS, why)
        elif judged.near or judged.fine:
            names = ", ".join(map(str, judged.near or (self.label,)))
            why = f"branches meet, and of those that go on ({names}) none is clearly the smooth motion"
            self.found.ending = Ending(goal, Status.AMBIGUOUS, why)
        elif self.ranked:
            self._lose(goal)
        else:
            self._pass_gap(stack)

    def _judge_met(self, width: float, met: Meeting) -> _Judgement:
        """Say which branch goes on smoothly behind a point where lengths say that branches meet."""
        width = max(width, 2.0 * (met.at - self.at) * self.side)
        judged = self._judge(width, met=met)
        if judged.crossing is not None:
            return judged
        room = self._room_behind(met.at)
        if room is not None:  # samples lay beyond the next meeting
            judged = self._judge(width, met=met, room=room)
        if judged.crossing is None:
            crossing = self._by_rates(met, width, np.inf if room is None else room)
            judged = judged if crossing is None else replace(judged, every=(crossing,))
        return judged

    def _by_rates(self, met: Meeting, width: float, room: float) -> Crossing | None:
        """Return the crossing with the branch behind a meeting that has the rates of the one before.

        Next to the next meeting there is no room for samples that are apart, and of samples that are not the
        polynomial's roundings are too large. That branches cross, and do so once, is told by their distance there.
        """
        scale = self.scale(self.at)
        room = min(room, abs(float(self.nodes[-1]) - self.at) - width, abs(self.at - self.regular_from))
        for part in _BY_RATES:
            h = part * scale
            if 3.0 * h > room or h <= max(width, _BENT * met.reach, 64.0 * float(np.spacing(abs(self.at)))):
                continue
            before = self.at - self.side * h * _AROUND[::-1]
            behind = self.at + self.side * (width + h * _AROUND)
            times = np.concatenate([before, behind])
            seen = self.look(times)
            labels = self._trace_back(before, seen.rows(slice(0, 3)))
            if labels is None:
                continue
            away = np.array(
                [_distance_to_others(seen, row, int(label)) for row, label in enumerate([*labels, *[labels[2]] * 3])]
            )
            slopes = away / np.abs(times - met.at)
            off = length(seen.rate[:, 3] - seen.rate[labels[2], 2])
            off = np.where([seen.fine(branch, 3) for branch in range(len(off))], off, np.inf)
            order = np.argsort(off, kind="stable")
            best = int(order[0])
            clear = len(order) > 1 and off[order[1]] < np.inf and off[best] <= _SAME_RATES * off[order[1]]
            straight = np.all(np.isfinite(slopes)) and slopes.max() <= _STRAIGHT * slopes.min()
            if clear and straight and all(seen.fine(best, row) for row in (3, 4, 5)):
                every = np.concatenate([labels, np.full(3, best, dtype=np.int32)]).astype(np.int32)
                rough = self._roughness(_samples(times, seen, every), met.at)
                start, end = float(times[2]), float(times[3])
                return Crossing(met.at, min(start, end), max(start, end), times, every, rough)
        return None

    def _room_behind(self, at: float) -> float | None:
        """Return how far behind a meeting the next one is, less a margin; None if there is none in a radian or so.

        A drive that turns round just behind leads back through it: the distance of branches grows, and vanishes again.
        """
        away = self.scale(at) * _LADDER
        seen = self.look(at + self.side * away)
        every = np.array([_distance_to_others(seen, row, self.label) for row in range(len(away))])
        known = np.where(np.isfinite(every) & (seen.status[self.label] == Status.OK), every, 0.0)
        falls = np.flatnonzero((every <= _FALLEN * np.maximum.accumulate(known)) & (known >= 0.0))
        return _SHORT_OF * float(away[falls[0]]) if falls.size else None

    def _keep_apart(self, met: Meeting, goal: float) -> None:
        """Go on where lengths say that branches do not meet, or that it is not told; signs stay with a branch."""
        scale = self.scale(self.at)
        away = max(_BESIDE * met.reach, abs(goal - self.at))
        while met.verdict is not Verdict.DOUBT and away <= _FAR_BEHIND * scale:
            behind = met.at + self.side * away
            if (behind - goal) * self.side >= 0.0 and self.look(np.array([behind])).fine(self.label, 0):
                if met.verdict is Verdict.GAP:
                    self.found.gaps.append((met.at - self.side * met.reach, met.at + self.side * met.reach))
                self._arrive(behind, self.label)
                return
            away *= 2.0
        self.found.ending = Ending(goal, Status.AMBIGUOUS, _DOUBT)

    def _bridge(self, width: float, left_open: LeftOpen) -> Crossing | None:
        """Return the crossing with the smooth motion through a place where the branch is lost although it met none.

        No branch ends alone. A search for all assemblies may still lose one around a place where zeros of its
        polynomial are multiple (the loops nearby that it solves instead have none there). The smooth motion behind the
        place is looked for as behind a meeting, only wider; that the joints close all the way proves it.
        """
        scale = self.scale(self.at)
        least = max(2.0 * width, 2.0 * scale * np.sqrt(_CLOSED_ROUNDING * self.precision / _FOLD_OPEN))
        ahead = self._meeting_ahead(_BRIDGES[-1] * scale)
        ways: list[tuple[float, float | None]] = []
        if ahead is not None:
            # Where the point is nearer than widths that can be told from a fold, those are taken: it need not be amid.
            ways = [(part * max(ahead, least / _BEYOND[0]), ahead) for part in _BEYOND]
        # Widths that end well before a meeting that is seen ahead may be enough: zeros may be double because two
        # assemblies share an angle.
        short = _BRIDGES[_BRIDGES * scale <= (np.inf if ahead is None else _SHORT_OF_MEETING * ahead)]
        ways += [(part * scale, None) for part in short]
        for wide, met in ways:
            if not least <= wide <= _BRIDGES[-1] * scale:
                continue
            meeting = self.at + self.side * (0.5 * wide if met is None else met)
            # The smoothest one may be too wide for its joints to close within roundings where a narrower one is not.
            for found in self._judge(wide, meeting).every:
                if left_open(found) <= _CLOSED_ROUNDING * self.precision * self.size:
                    return replace(found, bridged=True, meets=met is not None)
        return None

    def _folds(self) -> bool:
        """Tell whether the branch and another one come near each other as the root of the time left, to end together.

        Of a distance d = a sqrt(t), d d'' / d'^2 is -1 and d / 2 d' the time left; of branches that cross it is 0. They
        go straight towards each other; others may be far off and move across. A search may lose both somewhat before.
        """
        for other in range(self.here.status.shape[0]):
            gap, rate, bend = (
                (part[other, 0] - part[self.label, 0]).reshape(-1)
                for part in (self.here.place, self.here.rate, self.here.second)
            )
            speed2 = float(rate @ rate)
            if other != self.label and speed2 > 0.0:
                left = -0.5 * self.side * float(gap @ rate) / speed2
                bent = -float(gap @ bend) / speed2
                straight = 2.0 * left * float(np.sqrt(speed2)) >= (1.0 - _ROOT) * float(np.linalg.norm(gap))
                if 0.0 < left <= NEXT_TO_POINT * self.scale(self.at) and abs(bent - 1.0) <= _ROOT and straight:
                    return True
        return False

    def _meeting_ahead(self, most: float) -> float | None:
        """Return how far ahead the branch meets another one as both move and accelerate; None if it does not.

        Next to the point the other one may have no rates: they are looked at further back, too.
        """
        places = self.at - self.side * self.scale(self.at) * _BACK
        for at in places[(places - self.regular_from) * self.side >= 0.0]:
            label, seen, back = self._label_at(float(at)), self.look(np.array([at])), abs(float(at) - self.at)
            ways = [self._way_to(seen, label, other, most + back) - back for other in range(seen.status.shape[0])]
            ahead = [way for way in ways if 0.0 < way <= most]
            if ahead and seen.fine(label, 0):
                return min(ahead)
        return None

    def _way_to(self, seen: Branches, label: int, other: int, most: float) -> float:
        """Return how far ahead of a place two branches meet; NaN if they do not within `most`."""
        gap, rate, bend = (
            (part[other, 0] - part[label, 0]).reshape(-1) for part in (seen.place, seen.rate, seen.second)
        )
        rate = self.side * rate
        way = -float(gap @ rate) / float(rate @ rate) if other != label else np.nan
        for _ in range(_MEETING_ROUNDS):
            off, slope = gap + way * rate + 0.5 * way**2 * bend, rate + way * bend
            way -= float(off @ slope) / float(slope @ slope)
        missed = float(np.linalg.norm(gap + way * rate + 0.5 * way**2 * bend))
        return way if 0.0 < way <= most and missed <= _MISSED * float(np.linalg.norm(gap)) else np.nan

    def _arrive(self, at: float, label: int) -> None:
        self._rename(label, at)
        self.at, self.here = at, self.look(np.array([at]))
        self.regular_from = at

    def _lose(self, at: float) -> None:
        self.found.ending = Ending(at, Status.BRANCH_LOST, "the branch ends in a fold, where it meets another one")

    def _begin_elsewhere(self) -> None:
        """Begin where the branch is not there: signs may come back, a rank is nothing to go on with."""
        begin, meets = self.at, bool(self.here.status[self.label, 0] == Status.SINGULAR)
        if not self.ranked:
            self.found.meets = meets
            self._pass_gap([])
            if meets and abs(self.at - begin) <= _ROUNDED_OFF * self.scale(begin):
                self.found.gaps.pop()
            return
        if meets:
            why = "branches meet where it should begin, and their ranks do not tell which one it is afterwards"
            self.found.ending = Ending(self.at, Status.AMBIGUOUS, why)
            return
        there = [str(label) for label in range(self.here.status.shape[0]) if self.here.fine(label, 0)]
        why = f"branch {self.label} is not there, but {', '.join(there)}" if there else "no branch is there"
        self.found.ending = Ending(self.at, Status.BRANCH_LOST, f"where it should begin {why}")

    def _pass_gap(self, stack: Sequence[float]) -> None:
        """Go to the next place where the branch of these signs is there again."""
        last = begin = self.at
        for goal in (*reversed(stack), *self.nodes[self.next :]):
            goal = float(goal)
            if (goal - last) * self.side <= 0.0:
                continue
            if self.look(np.array([goal])).fine(self.label, 0):
                self._return(last, goal)
                if self._is_free_within(begin, self.at):
                    why = "links may have any direction there, and nothing determines which branch goes on"
                    self.found.ending = Ending(begin, Status.AMBIGUOUS, why)
                else:
                    self.found.gaps.append((begin, self.at))
                return
            last = goal
        self.at, self.next = float(self.nodes[-1]), len(self.nodes)
        self.found.gaps.append((begin, self.at))

    def _is_free_within(self, begin: float, end: float) -> bool:
        """Tell whether it is not reach that fails between two places: points coincide, so that signs mean nothing."""
        inside = np.linspace(begin, end, _INSIDE + 2)[1:-1]
        return bool(np.any(self.look(inside).status[self.label] == Status.DEGENERATE))

    def _return(self, lost: float, there: float) -> None:
        """Set out again where the branch comes back between two places."""
        near = max(NEXT_TO_POINT * self.scale(there), 64.0 * np.spacing(abs(there)))
        while abs(there - lost) > near:
            middle = 0.5 * (lost + there)
            if self.look(np.array([middle])).fine(self.label, 0):
                there = middle
            else:
                lost = middle
        self._arrive(there, self.label)
        while self.next < len(self.nodes) and (self.nodes[self.next] - self.at) * self.side <= 0.0:
            self.next += 1

    def _judge(
        self, width: float, lost_around: float | None = None, met: Meeting | None = None, room: float = np.inf
    ) -> _Judgement:
        """Say which branch goes on smoothly behind the point within `width` from here.

        Parameters
        ----------
        lost_around : amid a width in which the branch is lost; whether branches part again is told otherwise then.
        met : where lengths say that branches meet; then there is no gap, and they do not part.
        room : how far behind samples may lie.
        """
        scale = self.scale(self.at)
        least = 0.0 if met is None else _BENT * met.reach
        room_before = abs(self.at - self.regular_from)
        room_behind = min(abs(float(self.nodes[-1]) - self.at) - width, room)
        spacings = [
            part * scale
            for part in _SPACINGS
            if 3.0 * part * scale <= min(room_before, room_behind)
            and part * scale > max(4.0 * width, 64.0 * np.spacing(abs(self.at)), least)
        ]
        if not spacings:
            seen = self.look(np.array([self.at + 2.0 * self.side * width]))
            fine = not self.ranked and seen.fine(self.label, 0)
            return _Judgement((), self._near(seen, 0, 2.0 * width), fine, False, self.at)
        before = np.concatenate([self.at - self.side * h * _AROUND[::-1] for h in spacings])
        behind = np.concatenate([self.at + self.side * (width + h * _AROUND) for h in spacings])
        seen = self.look(np.concatenate([before, behind]))
        every: list[Crossing] = []
        meeting = self._meeting(width) if lost_around is None else lost_around
        meeting = meeting if met is None else met.at
        agreed, wider = True, None
        parted, least, clear, unclear = False, np.inf, 0, 0
        for k, h in enumerate(spacings):
            early, late = slice(3 * k, 3 * k + 3), slice(len(before) + 3 * k, len(before) + 3 * k + 3)
            found = self._smooth(before[early], seen.rows(early), behind[3 * k : 3 * k + 3], seen.rows(late), h, scale)
            gap = self._least_gap(seen.rows(early), seen.rows(late))
            rounding = _PARTED * self.precision * self.size * max(scale / h, self.size / gap)
            if found is None:  # clear at a wider spacing, and the next branch is far enough to be clear at this one
                unclear += bool(every) and rounding < CLEAR * gap
                continue
            clear += 1
            error, labels = found
            parted |= error > rounding and error > 3.0 * least
            least = min(least, error)
            times = np.concatenate([before[early], behind[3 * k : 3 * k + 3]])
            samples = _samples(times, seen.rows(early).followed_by(seen.rows(late)), labels)
            agreed &= wider is None or self._agrees(wider, seen.rows(late), labels[3:], samples, h)
            wider = (samples, labels)
            rough = self._roughness(samples, meeting)
            start, end = float(times[2]), float(times[3])
            every.append(Crossing(meeting, min(start, end), max(start, end), times, labels, rough))
        row = len(before) + 3 * len(spacings) - 3  # the nearest place behind
        near = self._near(seen, row, width + spacings[-1])
        fine = not self.ranked and seen.fine(self.label, row)
        steps = np.array([width + spacings[-1]])
        there = seen.rows(slice(row, row + 1))
        apart = fine and self.label in near and self._is_apart(self.here, steps) and self._is_apart(there, steps)
        # A few unclear ones are no sign: at the narrowest spacings rates may be too rough for a clear answer.
        parted |= unclear > clear
        if met is None and self._has_gap(scale, width):
            return _Judgement((), (), False, False, float(behind[-3]))
        trusted = agreed and (lost_around is not None or met is not None or not parted)
        return _Judgement(_by_smoothness(every) if trusted else (), near, fine, apart, float(behind[-3]), parted)

    def _agrees(
        self,
        wider: tuple[MotionSamples, NDArray[np.int32]],
        late: Branches,
        labels: NDArray[np.int32],
        samples: MotionSamples,
        spacing: float,
    ) -> bool:
        """Tell whether samples at a wider spacing and at this one are of one motion behind the point.

        Signs say so. A rank does not: zeros that a search loses, or that end, between the two change it. The polynomial
        of the wider samples, which lies around these, then has to meet the same branch here as theirs does.
        """
        if labels[0] == wider[1][3]:
            return True
        if not self.ranked:
            return False
        misses = self._misses(wider[0], samples.times[3:], late, spacing)
        return bool(np.all(np.argmin(misses, axis=0) == labels))

    def _roughness(self, samples: MotionSamples, at: float) -> float:
        """Estimate what is wrong with accelerations amid the samples, as a part of the largest one.

        The four samples next to the point alone give another polynomial: it leaves out more of the motion (order 12,
        not 18), and other weights fall on the roundings, which grow with the third power of the nearness. A misfit
        behind the point does not tell: it is small in units of a narrow spacing, however wrong accelerations are.
        """
        every, inner = (evaluate(each, np.array([at])).second for each in (samples, samples.rows(_INNER)))
        largest = np.linalg.norm(samples.second, axis=-1).max()
        largest = largest + np.linalg.norm(samples.rate, axis=-1).max() ** 2 / self.size
        off = float(np.linalg.norm(every - inner))
        return off / float(largest) if largest > 0.0 else 0.0

    def _has_gap(self, scale: float, width: float) -> bool:
        """Tell whether no branch is there nearest to the point, on either side: a fold, however near its other end."""
        away = _GAPS[_GAPS * scale > 2.0 * width] * scale
        away = away[away > 64.0 * np.spacing(abs(self.at))]
        if not away.size:
            return False
        seen = self.look(np.concatenate([self.at - self.side * away, self.at + self.side * (width + away)]))
        gone = ~np.any(np.isin(seen.status, _PLACED), axis=0)
        return any(side[-1] and not side.all() for side in np.split(gone, 2))

    def _least_gap(self, early: Branches, late: Branches) -> float:
        """Return the least distance between branches next to the point, before it and behind."""
        count = early.status.shape[0]
        gaps = [
            _distance_to_others(seen, row, label) for seen, row in ((early, 2), (late, 0)) for label in range(count)
        ]
        return max(min(gaps), float(np.finfo(np.float64).tiny))

    def _is_apart(self, seen: Branches, steps: Array) -> bool:
        """Tell whether the branch cannot have met another one: it is far from all, also as they move."""
        far = _distance_to_others(seen, 0, self.label) > _CORNER * self.size
        return far and bool(is_free(seen, self.label, steps)[0])

    def _meeting(self, width: float) -> float:
        """Return where the nearest branch is met at the rate it comes near, within `width` or a little more."""
        ways = [0.5 * width]
        for other in range(self.here.status.shape[0]):
            gap = (self.here.place[other, 0] - self.here.place[self.label, 0]).reshape(-1)
            rate = self.side * (self.here.rate[other, 0] - self.here.rate[self.label, 0]).reshape(-1)
            way = -float(gap @ rate) / float(rate @ rate) if other != self.label else np.nan
            if 0.0 <= way <= APART * width:
                ways = [way]
        return self.at + self.side * ways[0]

    def _near(self, seen: Branches, row: int, way: float) -> tuple[int, ...]:
        """Return the branches behind the point, `way` from here, that may go on from here."""
        placed = np.flatnonzero(np.isin(seen.status[:, row], _PLACED))
        away = length(seen.place[placed, row] - self.here.place[self.label])
        speed = float(np.nan_to_num(length(self.here.rate[self.label])[0]))
        reach = _NEAR * self.size + APART * speed * way
        return tuple(int(branch) for branch, distance in zip(placed, away, strict=True) if distance <= reach)

    def _smooth(
        self, before: Array, early: Branches, behind: Array, late: Branches, spacing: float, scale: float
    ) -> tuple[float, NDArray[np.int32]] | None:
        """Return the misfit of the smooth continuation and the branches at all six times; None if it is not clear."""
        labels = self._trace_back(before, early)
        if labels is None:
            return None
        known = _samples(before, early, labels)
        misses = self._misses(known, behind, late, spacing)
        count = len(misses)
        floor = 16.0 * self.precision * self.size * scale / spacing
        # A lone branch goes on if it is met far better than the motion is long; at a fold none is.
        moved = max(float(np.linalg.norm(known.value[2] - known.value[0])), floor / CLEAR)
        if self.ranked:
            picks = [clearest([*misses[:, row], moved], floor) for row in range(3)]
        else:
            picks = [clearest([*misses.max(axis=1), moved], floor)] * 3
        if any(pick is None or pick == count for pick in picks):
            return None
        after_labels = np.array(picks, dtype=np.int32)
        error = max(float(misses[pick, row]) for row, pick in enumerate(after_labels))
        return error, np.concatenate([labels, after_labels])

    def _misses(self, known: MotionSamples, behind: Array, late: Branches, spacing: float) -> Array:
        """Return what each branch misses by at three times of what known samples expect there: (branches, 3)."""
        misses = np.full((late.status.shape[0], 3), np.inf)
        for branch in range(len(misses)):
            fine = np.array([late.fine(branch, row) for row in range(3)])
            if np.all(fine) or (self.ranked and np.any(fine)):  # a rank may be there at some of the times only
                after = _samples(behind, late, np.full(3, branch))
                misses[branch] = np.where(fine, misfit(known, after, spacing), np.inf)
        return misses

    def _label_at(self, at: float) -> int:
        """Return the branch at a place that is behind."""
        for start, label in zip(reversed(self.found.starts), reversed(self.found.labels), strict=True):
            if (at - start) * self.side >= 0.0:
                return label
        return self.found.labels[0]

    def _trace_back(self, before: Array, early: Branches) -> NDArray[np.int32] | None:
        """Return the branch at the three times before, which ends at the branch here."""
        labels = np.array([self._label_at(at) for at in before], dtype=np.int32)
        if self.ranked:  # a rank that changed within a step may have done so before or behind this time
            for row in (2, 1):
                pair = early.rows(slice(row - 1, row + 1))
                if nearest_branch(pair, before[row] - before[row - 1], int(labels[row - 1])) != labels[row]:
                    return None
        return labels if all(early.fine(int(label), row) for row, label in enumerate(labels)) else None


@dataclass(frozen=True)
class _Judgement:
    """What lies behind a meeting.

    Parameters
    ----------
    every : if one branch goes on smoothly, its samples at all spacings that tell it, those to be taken first.
    near : branches that may go on.
    fine : whether the branch of the same signs is there.
    apart : whether it kept its distance to all others, before and behind.
    behind : a place behind.
    parted : whether branches come near each other and part again, too near to be followed.
    """

    every: tuple[Crossing, ...]
    near: tuple[int, ...]
    fine: bool
    apart: bool
    behind: float
    parted: bool = False

    def keeps(self, label: int) -> bool:
        """Tell whether the branch goes on with its number."""
        return self.crossing is not None and set(self.crossing.labels.tolist()) == {label}

    @property
    def crossing(self) -> Crossing | None:
        """The smooth motion, from the samples to be taken first."""
        return self.every[0] if self.every else None


def _by_smoothness(every: Sequence[Crossing]) -> tuple[Crossing, ...]:
    """Return crossings, widest first, in the order in which they are to be taken.

    The narrowest one with good accelerations comes first: few rows are the polynomial's then.
    """
    good = [each for each in every if each.rough < _GOOD]
    rest = [each for each in every if not each.rough < _GOOD]
    return (*reversed(good), *sorted(rest, key=lambda each: each.rough))


def _samples(times: Array, seen: Branches, labels: NDArray[np.int32] | NDArray[np.int64]) -> MotionSamples:
    rows = np.arange(len(times))
    parts = (part[labels, rows].reshape(len(times), -1) for part in (seen.place, seen.rate, seen.second))
    return MotionSamples(times, *parts)


def _distance_to_others(seen: Branches, row: int, label: int) -> float:
    away = [
        float(length((seen.place[other, row] - seen.place[label, row])[None])[0])
        for other in range(seen.status.shape[0])
        if other != label
    ]
    finite = [each for each in away if np.isfinite(each)]
    return min(finite, default=np.inf)
