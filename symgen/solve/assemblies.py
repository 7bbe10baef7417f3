"""All ways in which a mechanism can be assembled at one time: every branch of every group, given those upstream.

The groups are solved in order; each assembly so far is a row, and a group multiplies the rows by its branches that
have a real solution there. A row without one ends: the bodies upstream can be put together, the whole cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError, SolveError
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_pose
from symgen.library.rotations import Array
from symgen.library.stages import run_stages
from symgen.model.face import refuse_path
from symgen.solve.plan import GroupPlan, Plan, make_plan
from symgen.solve.rigid import compose
from symgen.solve.tracks import spatial_pose
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.library.solved_type import Library
    from symgen.model.mechanism import Mechanism
    from symgen.solve.motion import Progress
    from symgen.solve.result import MotionResult

SCHEMA = "symgen/assemblies/1"
#: Rows that are kept at once unless the caller asks for more.
MOST = 4096


@dataclass(frozen=True)
class Assembly:
    """One way to put a mechanism together.

    Parameters
    ----------
    number : from 1, in ascending order of the branches, first group first.
    branches : branch of each group.
    status : OK, or SINGULAR where branches of a group meet: then the next assembly may be the same one.
    singular : numbers of the groups whose branches meet.
    bodies : moving body -> pose [r, q] (7,) [m, -], world.
    """

    number: int
    branches: tuple[int, ...]
    status: Status
    singular: tuple[int, ...]
    bodies: Mapping[str, Array] = field(hash=False, repr=False)

    @property
    def choice(self) -> dict[int | str, int]:
        """The branches as `symgen.solve(..., branch=...)` takes them."""
        return {number: branch for number, branch in enumerate(self.branches, start=1)}


@dataclass(frozen=True)
class Assemblies:
    """All assemblies at one time.

    Parameters
    ----------
    time : [s].
    every : the assemblies.
    ended : for each group how many partial assemblies had no solution there.
    groups : names of the groups.
    """

    mechanism: Mechanism = field(repr=False)
    time: float
    every: tuple[Assembly, ...]
    ended: tuple[int, ...]
    groups: tuple[str, ...]
    counts: tuple[int, ...]

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
            "groups": [
                {"number": number, "name": name, "branches": count, "without_solution": ended}
                for number, (name, count, ended) in enumerate(
                    zip(self.groups, self.counts, self.ended, strict=True), start=1
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


def assemblies(
    mechanism: Mechanism,
    time: float = 0.0,
    *,
    library: Library | None = None,
    most: int = MOST,
    progress: Progress | None = None,
) -> Assemblies:
    """Return all assemblies of a mechanism at one time.

    Parameters
    ----------
    mechanism : with joint frames and a law for each driven freedom.
    time : [s]; the laws say where the driven freedoms are.
    most : refuse more than this many.
    progress : called before each group and once at the end.

    Raises
    ------
    StructureError, UnsolvedTypeError, MechanismError
        As `symgen.solve` raises them.
    InputError
        There are more than `most`; the message says at which group.
    """
    refuse_path(mechanism, "assemblies")
    if library is None:
        from symgen.library.catalogue import library as open_library

        library = open_library()
    plan = make_plan(mechanism, library)
    axis = np.array([float(time)])
    drives = {key: np.stack(law.evaluate(axis), axis=-1)[0] for key, law in mechanism.drives.items()}
    rows = _Rows(plan)
    groups = plan.in_closed_form("all assemblies")
    for number, group in enumerate(groups):
        if progress is not None:
            progress(number, len(groups), str(group))
        rows.grow(group, drives, most)
    if progress is not None:
        progress(len(plan.groups), len(plan.groups), "")
    return Assemblies(
        plan.mechanism,
        float(time),
        tuple(rows.assemblies()),
        tuple(rows.ended),
        tuple(map(str, plan.groups)),
        tuple(group.solved.branches for group in groups),
    )


class _Rows:
    """Partial assemblies, one a row."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        ground = plan.mechanism.ground
        self.poses: dict[str, Array] = {ground: port_pose(plan.mechanism.ground_body.pose, plan.mechanism.space)[None]}
        self.branches: NDArray[np.int32] = np.zeros((1, 0), dtype=np.int32)
        self.singular: NDArray[np.bool_] = np.zeros((1, 0), dtype=bool)
        self.ended: list[int] = []

    def grow(self, group: GroupPlan, drives: Mapping[tuple[str, str], Array], most: int) -> None:
        """Solve a group for all rows and branches."""
        count, branches = len(self.branches), group.solved.branches
        known = {body: BodyMotion(self.poses[body]) for body in group.known}
        ports = group.adapter.ports(known, group.frames, drives)
        inputs = {name: np.broadcast_to(value, (count, value.shape[-1])) for name, value in ports.items()}
        found = [run_stages(group.solved, inputs, np.full(count, b, dtype=np.int32)) for b in range(branches)]
        status = np.stack([np.broadcast_to(each.status, (count,)) for each in found], axis=1)
        fine = (status == Status.OK) | (status == Status.SINGULAR)
        self.ended.append(int(np.count_nonzero(~np.any(fine, axis=1))))
        if np.count_nonzero(fine) > most:
            raise InputError(
                f"{self._where()}{group}: there are {np.count_nonzero(fine)} assemblies up to here and {most} are "
                "allowed; allow more (--most N, Python: most=N), or name branches of single groups with --branch"
            )
        row, branch = np.nonzero(fine)  # ascending by row, then by branch
        motions = [group.adapter.motion(ports, each.values).bodies for each in found]
        self.poses = {body: pose[row] for body, pose in self.poses.items()}
        for body in group.bodies:
            width = motions[0][body].pose.shape[-1]
            every = np.stack([np.broadcast_to(each[body].pose, (count, width)) for each in motions], axis=1)
            self.poses[body] = every[row, branch]
        self.branches = np.concatenate([self.branches[row], branch[:, None].astype(np.int32)], axis=1)
        self.singular = np.concatenate([self.singular[row], status[row, branch][:, None] == Status.SINGULAR], axis=1)

    def assemblies(self) -> Iterator[Assembly]:
        """Yield the rows that are left when all groups are in."""
        space, rigid = self.plan.mechanism.space, self.plan.rigid
        poses = {body: spatial_pose(pose, space) for body, pose in self.poses.items()}
        for row, branches in enumerate(self.branches):
            bodies = {}
            for body in self.plan.mechanism.bodies:
                leader = poses[rigid.leader[body.id]]
                pose = leader[row if len(leader) > 1 else 0]
                bodies[body.id] = pose if rigid.leader[body.id] == body.id else compose(pose, rigid.place[body.id])
            meeting = tuple(int(k) + 1 for k in np.flatnonzero(self.singular[row]))
            status = Status.SINGULAR if meeting else Status.OK
            yield Assembly(row + 1, tuple(map(int, branches)), status, meeting, bodies)

    def _where(self) -> str:
        return f"{self.plan.mechanism.file}: " if self.plan.mechanism.file else ""


def follow_assemblies(
    mechanism: Mechanism,
    times: Array,
    *,
    library: Library | None = None,
    most: int = 64,
    progress: Progress | None = None,
) -> Iterator[tuple[Assembly, MotionResult]]:
    """Yield every assembly of the first time with its motion over all times.

    Parameters
    ----------
    times : (n,) [s], increasing.
    most : refuse more assemblies than this.
    progress : called before each assembly and once at the end.

    Raises
    ------
    SolveError
        The mechanism does not assemble at the first time.
    """
    from symgen.solve.motion import solve

    axis = np.atleast_1d(np.asarray(times, dtype=np.float64))
    found = assemblies(mechanism, float(axis[0]), library=library, most=most)
    if not found:
        raise SolveError(
            f"{mechanism.file or mechanism.name}: there is no assembly at t = {axis[0]:g} s", Status.NO_ASSEMBLY
        )
    for number, assembly in enumerate(found):
        if progress is not None:
            progress(number, len(found), f"assembly {assembly.number}")
        yield assembly, solve(mechanism, axis, branch=assembly.choice, library=library)
    if progress is not None:
        progress(len(found), len(found), "")
