"""All ways in which a mechanism can be assembled at one time: every branch of every group, given those upstream.

The groups are solved in order; each assembly so far is a row, and a group multiplies the rows by its branches that
have a real solution there. A row without one ends: the bodies upstream can be put together, the whole cannot.

A group that certified Newton solves has the branches that a search from many starts finds, and they are numbered by
pose: what is found is a solution, what is not found may still be one. Then the list is not known to be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.blas_threads import one_blas_thread
from symgen.errors import InputError, SolveError
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_pose
from symgen.library.stages import run_stages
from symgen.model.brief import Brief
from symgen.model.face import MechanismOrPath, loaded
from symgen.poses import Array, compose
from symgen.solve.branches import Choice, common_status, given_poses, mechanism_size, read_choice
from symgen.solve.idle_spins import idle_bodies, one_of_each
from symgen.solve.nearby import Nearby, bring_near
from symgen.solve.newton import NewtonPlan, NewtonStart
from symgen.solve.plan import GroupPlan, Plan, make_plan
from symgen.solve.tracks import spatial_pose
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.library.open import Library
    from symgen.model.mechanism import Mechanism
    from symgen.solve.result import MotionResult
    from symgen.solve.walk import Progress

SCHEMA = "symgen/assemblies/1"
#: Rows that are kept at once unless the caller asks for more.
MOST = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Brief):
    """One way to put a mechanism together.

    Parameters
    ----------
    number : from 1, in ascending order of the branches, first group first.
    branches : branch of each group at `time`; of one that certified Newton solves, its place among the solutions found.
    status : OK, or SINGULAR where branches of a group meet: then the next assembly may be the same one.
    singular : numbers of the groups whose branches meet.
    bodies : moving body -> pose [r, q] (7,) [m, -], world.
    time : [s].
    leading : of the mechanism near the origin (`symgen.solve.nearby`) the poses of the ground and of bodies that are
        welded to none before them, as ports of groups hold them.
    """

    number: int
    branches: tuple[int, ...]
    status: Status
    singular: tuple[int, ...]
    bodies: Mapping[str, Array] = field(hash=False, repr=False)
    time: float = 0.0
    leading: Mapping[str, Array] = field(default_factory=dict, hash=False, repr=False)

    @property
    def choice(self) -> dict[int | str, int]:
        """The branches as `symgen.solve(..., branch=...)` takes them, if all groups are solved in closed form."""
        return {number: branch for number, branch in enumerate(self.branches, start=1)}

    def start_of(self, group: NewtonPlan, drives: Mapping[tuple[str, str], Array]) -> NewtonStart:
        """Return where a group without a closed form starts from; `drives` hold (3,) at `time`."""
        still = {key: np.array([float(drives[key][0]), 0.0, 0.0]) for key in group.driven}
        known = {body: self.leading[body] for body in group.known}
        return NewtonStart(known, still, {body: self.leading[body] for body in group.bodies}, self.time)


@dataclass(frozen=True, eq=False, repr=False)
class Assemblies(Brief):
    """All assemblies at one time.

    Parameters
    ----------
    time : [s].
    every : the assemblies.
    ended : for each group how many partial assemblies had no solution there.
    groups : names of the groups.
    counts : branches of each group: of its type, or the most that a search found.
    searched : for each group whether its branches come from a search.
    reasons : for each group why partial assemblies had no solution there, OK if all had one.
    """

    mechanism: Mechanism = field(repr=False)
    time: float
    every: tuple[Assembly, ...]
    ended: tuple[int, ...]
    groups: tuple[str, ...]
    counts: tuple[int, ...]
    searched: tuple[bool, ...] = ()
    reasons: tuple[Status, ...] = ()

    @property
    def reason(self) -> Status:
        """Why there is no assembly: what the first group says that ended partial ones; OK if there are some."""
        return (
            next((each for each in self.reasons if each is not Status.OK), Status.NO_ASSEMBLY)
            if not self
            else Status.OK
        )

    @property
    def complete(self) -> bool:
        """Whether these are all: no group's branches come from a search."""
        return not any(self.searched)

    def __iter__(self) -> Iterator[Assembly]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.every)

    def __getitem__(self, index: int) -> Assembly:
        return self.every[index]

    def to_dict(self) -> dict[str, Any]:
        """Return the document symgen/assemblies/1 as JSON data."""
        return {
            "schema": SCHEMA,
            "mechanism": self.mechanism.name,
            "time": self.time,
            "complete": self.complete,
            "groups": [
                {"number": k, "name": name, "branches": count, "complete": not search, "without_solution": ended}
                for k, (name, count, search, ended) in enumerate(
                    zip(self.groups, self.counts, self.searched, self.ended, strict=True), start=1
                )
            ],
            "assemblies": [
                {
                    "number": each.number,
                    "branches": list(each.branches),
                    "status": each.status.name,
                    "singular": list(each.singular),
                    "bodies": {
                        body: {"r": [float(x) for x in pose[:3]], "q": [float(x) for x in pose[3:]]}
                        for body, pose in each.bodies.items()
                    },
                }
                for each in self.every
            ],
        }


@one_blas_thread
def assemblies(
    mechanism: MechanismOrPath,
    time: float = 0.0,
    *,
    branch: Choice | None = None,
    library: Library | None = None,
    most: int = MOST,
    progress: Progress | None = None,
) -> Assemblies:
    """Return all assemblies of a mechanism at one time.

    Parameters
    ----------
    mechanism : with joint frames and a law for each driven freedom; or the path of its file.
    time : [s]; the laws say where the driven freedoms are.
    branch : group number or signature -> the only branch to take, for groups solved in closed form.
    most : refuse more than this many.
    progress : called before each group and once at the end.

    Raises
    ------
    StructureError, UnsolvedTypeError, MechanismError
        As `symgen.solve` raises them.
    InputError
        There are more than `most`; the message says at which group. Or `branch` names no branch of closed form.
    """
    mechanism = loaded(mechanism, "assemblies")
    if library is None:
        from symgen.library.open import library as open_library

        library = open_library()
    near = bring_near(mechanism)
    plan = make_plan(near.mechanism, library)
    chosen = _chosen(plan, branch or {})
    drives = drives_at(mechanism, time)
    rows = _Rows(plan, float(time), most)
    for number, group in enumerate(plan.groups):
        if progress is not None:
            progress(number, len(plan.groups), str(group))
        if isinstance(group, NewtonPlan):
            rows.search(group, drives)
        else:
            rows.grow(group, drives, range(group.branches) if number not in chosen else (chosen[number],))
    if progress is not None:
        progress(len(plan.groups), len(plan.groups), "")
    return Assemblies(
        near.restored(mechanism, plan.mechanism),
        float(time),
        tuple(rows.assemblies(near)),
        tuple(rows.ended),
        tuple(map(str, plan.groups)),
        tuple(rows.counts),
        tuple(isinstance(group, NewtonPlan) for group in plan.groups),
        tuple(rows.reasons),
    )


def drives_at(mechanism: Mechanism, time: float) -> dict[tuple[str, str], Array]:
    """Return value, rate and acceleration of each driven freedom, (3,)."""
    axis = np.array([float(time)])
    return {key: np.stack(law.evaluate(axis), axis=-1)[0] for key, law in mechanism.drives.items()}


def _chosen(plan: Plan, branch: Choice) -> dict[int, int]:
    chosen = read_choice(plan, branch)
    for number in chosen:
        if isinstance(plan.groups[number], NewtonPlan):
            raise InputError(
                f"branch of {plan.groups[number]}: certified Newton solves it, and its solutions are found and "
                "numbered anew at each time; name branches only of groups in closed form"
            )
    return chosen


class _Rows:
    """Partial assemblies, one a row."""

    def __init__(self, plan: Plan, time: float, most: int) -> None:
        self.plan, self._time, self._most = plan, time, most
        self._idle, self._given = idle_bodies(plan), given_poses(plan)
        self._size = mechanism_size(plan) if self._idle else 1.0
        ground = plan.mechanism.ground
        self.poses: dict[str, Array] = {ground: port_pose(plan.mechanism.ground_body.pose, plan.mechanism.space)[None]}
        self.branches: NDArray[np.int32] = np.zeros((1, 0), dtype=np.int32)
        self.singular: NDArray[np.bool_] = np.zeros((1, 0), dtype=bool)
        self.ended: list[int] = []
        self.reasons: list[Status] = []
        self.counts: list[int] = []

    def grow(self, group: GroupPlan, drives: Mapping[tuple[str, str], Array], branches: Sequence[int]) -> None:
        """Solve a group for all rows and these branches."""
        count = len(self.branches)
        known = {body: BodyMotion(self.poses[body]) for body in group.known}
        ports = group.adapter.ports(known, group.frames, drives, group.pitches)
        inputs = {name: np.broadcast_to(value, (count, *value.shape[-1:])) for name, value in ports.items()}
        found = [run_stages(group.solved, inputs, np.full(count, b, dtype=np.int32)) for b in branches]
        status = np.stack([np.broadcast_to(each.status, (count,)) for each in found], axis=1)
        fine = (status == Status.OK) | (status == Status.SINGULAR)
        lost = ~np.any(fine, axis=1)
        self.ended.append(int(np.count_nonzero(lost)))
        self.reasons.append(common_status(status[lost].reshape(-1)) if np.any(lost) else Status.OK)
        self.counts.append(group.branches)
        self._bound(group, int(np.count_nonzero(fine)))
        row, place = np.nonzero(fine)  # ascending by row, then by branch
        motions = [group.adapter.motion(ports, each.values).bodies for each in found]
        poses = {}
        for body in group.bodies:
            width = motions[0][body].pose.shape[-1]
            every = np.stack([np.broadcast_to(each[body].pose, (count, width)) for each in motions], axis=1)
            poses[body] = every[row, place]
        self._keep(row, np.asarray(branches)[place], poses, status[row, place] == Status.SINGULAR)

    def search(self, group: NewtonPlan, drives: Mapping[tuple[str, str], Array]) -> None:
        """Search a group once for each place of its known bodies."""
        newton, own = group.newton, {key: drives[key] for key in group.driven}
        solved: dict[bytes, tuple[list[dict[str, Array]], list[bool]]] = {}
        places: list[bytes] = []
        total = 0
        for row in range(len(self.branches)):
            known = {body: self.poses[body][row if len(self.poses[body]) > 1 else 0] for body in group.known}
            place = b"".join(pose.tobytes() for pose in known.values())
            places.append(place)
            if place not in solved:
                given = newton.given({body: BodyMotion(pose) for body, pose in known.items()}, own)
                every = newton.assemblies(given)
                poses = [newton.bodies(given, each.poses) for each in every]
                solved[place] = poses, [each.status is Status.SINGULAR for each in every]
            total += len(solved[place][0])
            self._bound(group, total)
        numbers = [len(solved[place][0]) for place in places]
        self.ended.append(numbers.count(0))
        self.reasons.append(Status.NO_ASSEMBLY if 0 in numbers else Status.OK)
        rows = np.repeat(np.arange(len(places)), numbers)
        branch = np.concatenate([np.arange(number) for number in numbers]) if numbers else np.zeros(0, dtype=int)
        found = [pose for place in places for pose in solved[place][0]]
        width = newton.problem.places
        found_poses = {body: np.array([each[body] for each in found]).reshape(-1, width) for body in group.bodies}
        kept = self._keep(
            rows, branch, found_poses, np.array([s for place in places for s in solved[place][1]], dtype=bool)
        )
        self.counts.append(int(np.max(np.bincount(kept), initial=0)))

    def _keep(
        self, row: NDArray[np.intp], branch: NDArray[Any], poses: Mapping[str, Array], singular: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """Make a row of every solution: the row it belongs to, its branch, the poses of the group's bodies.

        Of solutions that differ by idle rotations alone one is kept. The rows that those kept belong to are returned.
        """
        one = one_of_each(poses, row, self._idle, self._given, self._size)
        row, branch, singular = row[one], branch[one], singular[one]
        poses = {body: pose[one] for body, pose in poses.items()}
        self.poses = {body: pose[row if len(pose) > 1 else np.zeros_like(row)] for body, pose in self.poses.items()}
        self.poses.update(poses)
        self.branches = np.concatenate([self.branches[row], branch[:, None].astype(np.int32)], axis=1)
        self.singular = np.concatenate([self.singular[row], singular[:, None]], axis=1)
        return row

    def _bound(self, group: GroupPlan | NewtonPlan, count: int) -> None:
        if count > self._most:
            raise InputError(
                f"{self._where()}{group}: there are {count} assemblies up to here and {self._most} are allowed; allow "
                "more (--most N, Python: most=N), or name the branches of single groups with --branch"
            )

    def assemblies(self, near: Nearby) -> Iterator[Assembly]:
        """Yield the rows that are left when all groups are in."""
        space, rigid = self.plan.mechanism.space, self.plan.rigid
        poses = {body: spatial_pose(pose, space) for body, pose in self.poses.items()}
        for row, branches in enumerate(self.branches):
            bodies = {}
            for body in self.plan.mechanism.bodies:
                leader = poses[rigid.leader[body.id]]
                pose = leader[row if len(leader) > 1 else 0]
                own = pose if rigid.leader[body.id] == body.id else compose(pose, rigid.place[body.id])
                bodies[body.id] = near.pose(body.id, own)
            meeting = tuple(int(k) + 1 for k in np.flatnonzero(self.singular[row]))
            status = Status.SINGULAR if meeting else Status.OK
            leading = {body: pose[row if len(pose) > 1 else 0] for body, pose in self.poses.items()}
            yield Assembly(row + 1, tuple(map(int, branches)), status, meeting, bodies, self._time, leading)

    def _where(self) -> str:
        return f"{self.plan.mechanism.file}: " if self.plan.mechanism.file else ""


def follow_assemblies(
    mechanism: MechanismOrPath,
    times: Array,
    *,
    branch: Choice | None = None,
    library: Library | None = None,
    most: int = 64,
    progress: Progress | None = None,
) -> Iterator[tuple[Assembly, MotionResult]]:
    """Yield every assembly of the first time with its motion over all times.

    Parameters
    ----------
    mechanism : with joint frames and a law for each driven freedom; or the path of its file.
    times : (n,) [s], increasing.
    branch : see `assemblies`.
    most : refuse more assemblies than this.
    progress : called before each assembly and once at the end.

    Raises
    ------
    SolveError
        The mechanism does not assemble at the first time.
    """
    from symgen.solve.motion import solve

    mechanism = loaded(mechanism, "follow_assemblies")
    axis = np.atleast_1d(np.asarray(times, dtype=np.float64))
    found = assemblies(mechanism, float(axis[0]), branch=branch, library=library, most=most)
    if not found:
        raise SolveError(
            f"{mechanism.file or mechanism.name}: there is no assembly at t = {axis[0]:g} s", Status.NO_ASSEMBLY
        )
    for number, assembly in enumerate(found):
        if progress is not None:
            progress(number, len(found), f"assembly {assembly.number}")
        yield assembly, solve(mechanism, axis, assembly=assembly, library=library)
    if progress is not None:
        progress(len(found), len(found), "")
