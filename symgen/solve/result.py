"""What `solve` answers: arrays with a leading time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.model.brief import Brief
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.solve.limit_notes import limit_notes
from symgen.solve.newton import Certificates
from symgen.solve.recorded import Recorded
from symgen.solve.tracks import BodyTrack
from symgen.solve.trajectory import JointTrack, PointTrack, Quantity
from symgen.status import MEANING, Status


@dataclass(frozen=True)
class Event:
    """What happened to a group's branch, and when.

    Parameters
    ----------
    group : number of the group.
    first, last : [s]; a change point has one time, what cannot be solved a span.
    status : SINGULAR at a change point that the smooth motion goes through; else what the span's times say.
    text : in words.
    """

    group: int
    first: float
    last: float
    status: Status
    text: str

    def __str__(self) -> str:
        when = f"at t = {self.first:.6g} s"
        if self.last > self.first:
            first, last = _told_apart(self.first, self.last)
            when = f"from t = {first} s to {last} s"
        return f"{when} group {self.group}: {self.text}"


@dataclass(frozen=True, eq=False, repr=False)
class GroupTrack(Brief):
    """One structural group over time.

    Parameters
    ----------
    number, level, signature, bodies : as the structural analysis names them.
    module : the generated module that solved it.
    branch : branch at the first time, -1 if it is not known there.
    branches : number of branches its type has.
    status : (n,) int32 `symgen.Status`; behind a group that failed, that one's status.
    branch_rows : (n,) int32 branch at each time; it changes where branches meet and the smooth motion goes on.
    certificates : of a group that certified Newton solved, else None.
    meanings : what statuses mean, by name, where its solver is not symgen's and says so.
    """

    number: int
    level: int
    signature: str
    bodies: tuple[str, ...]
    module: str
    branch: int
    branches: int
    status: NDArray[np.int32]
    branch_rows: NDArray[np.int32]
    certificates: Certificates | None = None
    meanings: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def method(self) -> str:
        """How it was solved."""
        return "closed form" if self.certificates is None else "certified Newton"

    def counts(self) -> dict[Status, int]:
        """Return how many times have each status, those that occur."""
        return _counts(self.status)


@dataclass(frozen=True, eq=False, repr=False)
class MotionResult(Recorded):
    """Motion of a mechanism over n times; SI units, world axes.

    Parameters
    ----------
    mechanism : what was solved.
    times : (n,) [s].
    status : (n,) int32 `symgen.Status`: OK, or that of the first group (in solving order) that failed.
    failed : (n,) int32: number of that group, 0 where all are OK.
    bodies : moving body -> motion.
    joints : joint -> coordinates; every joint with named freedoms.
    points : "body.point" -> motion; those of the ground too.
    groups : the structural groups in solving order.
    limit : (n,) bool: at a change point, where branches meet, the position does not determine the rates; these rows say
        SINGULAR and hold the limit of the smooth motion.
    events : change points that the motion goes through, and where and why a branch cannot be followed.
    """

    mechanism: Mechanism = field(repr=False)
    times: Array
    status: NDArray[np.int32]
    failed: NDArray[np.int32]
    bodies: Mapping[str, BodyTrack] = field(repr=False)
    joints: Mapping[str, JointTrack] = field(repr=False)
    points: Mapping[str, PointTrack] = field(repr=False)
    groups: tuple[GroupTrack, ...] = field(repr=False)
    limit: NDArray[np.bool_] = field(repr=False)
    events: tuple[Event, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        words = ", ".join(f"{status.name} {count}" for status, count in self.counts().items())
        span = f" from {self.times[0]:g} s to {self.times[-1]:g} s" if len(self.times) else ""
        return f"<MotionResult of {self.mechanism.name!r}: {len(self.times)} times{span}, {words or 'none'}>"

    @property
    def ok(self) -> bool:
        """True if every time is solved."""
        return not bool(np.any(self.status))

    @property
    def picture(self) -> MotionResult:
        """What moving pictures show: the motion itself."""
        return self

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """Nothing but motion: no energies."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What else the user should know, in sentences: limits that the motion passes."""
        return limit_notes(self.mechanism, self.times, self.joints)

    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """The status of each time by name."""
        return {"status": [Status(int(code)).name for code in self.status]}

    @property
    def branches(self) -> dict[int, int]:
        """Group number -> branch."""
        return {group.number: group.branch for group in self.groups}

    def counts(self) -> dict[Status, int]:
        """Return how many times have each status, those that occur."""
        return _counts(self.status)

    @property
    def overall(self) -> Status:
        """OK, or the status of the first time that has no solution; limits at change points are solutions.

        NO_ASSEMBLY where the motion is out of reach between two times: what is behind is no continuation of it.
        """
        rows = np.flatnonzero((self.status != Status.OK) & ~self.limit)
        if not rows.size:
            return Status.OK if self._gap() is None else Status.NO_ASSEMBLY
        return Status(int(self.status[rows[0]]))

    def _gap(self) -> Event | None:
        low, high = float(np.min(self.times)), float(np.max(self.times))
        inside = (each for each in self.events if each.first >= low and each.last <= high)
        return next((each for each in inside if each.status is Status.NO_ASSEMBLY), None)

    def first_failure(self) -> str | None:
        """Return the first time without a solution in words: time, group, status; None if there is none.

        A change point that the smooth motion goes through is none, see `limit`.
        """
        rows = np.flatnonzero((self.status != Status.OK) & ~self.limit)
        if not rows.size:
            gap = self._gap()
            return None if gap is None else f"between two times: {gap}"
        row = int(rows[0])
        status, group = Status(int(self.status[row])), self.groups[int(self.failed[row]) - 1]
        bodies = f"{'body' if len(group.bodies) == 1 else 'bodies'} {', '.join(group.bodies)}"
        where = f"group {group.number} ({group.signature}, {bodies})"
        proof = group.certificates
        why = f"; {proof.reason}" if proof is not None and proof.reason else ""
        meaning = group.meanings.get(status.name, MEANING[status])
        return f"at t = {self.times[row]:.6g} s {where}: {status.name} ({meaning}{why})"

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/motion/1 as JSON data; what is not determined is null."""
        from symgen.solve.document import motion_document

        return motion_document(self)


def _told_apart(first: float, last: float) -> tuple[str, str]:
    """Return two numbers with six digits, or as many more as it takes to see the span between them."""
    for digits in range(6, 17):
        texts = f"{first:.{digits}g}", f"{last:.{digits}g}"
        span = float(texts[1]) - float(texts[0])
        if abs(span - (last - first)) <= 0.5 * (last - first):
            return texts
    return repr(float(first)), repr(float(last))


def _counts(codes: NDArray[np.int32]) -> dict[Status, int]:
    found, numbers = np.unique(codes, return_counts=True)
    return {Status(int(code)): int(count) for code, count in zip(found, numbers, strict=True)}
