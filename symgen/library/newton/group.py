"""A group ready for certified Newton: plan, scale and engine in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.newton.assemblies import NewtonAssembly, Search, assembly_near, distance, search_assemblies
from symgen.library.newton.continua import Continua, is_singular
from symgen.library.newton.coordinates import joint_coordinates
from symgen.library.newton.engine import Engine, read_engine
from symgen.library.newton.follow import FollowedSolution, follow
from symgen.library.newton.numbers import (
    Inputs,
    Scale,
    body_motions,
    measure_group,
    solver_inputs,
    solver_poses,
)
from symgen.library.newton.open_engine import open_engine
from symgen.library.newton.plan import SolverPlan, make_plan
from symgen.library.newton.problem import GroupProblem
from symgen.poses import Array
from symgen.status import Status

Drives = Mapping[tuple[str, str], Array]


@dataclass(frozen=True)
class Given:
    """What is known over some times: motions of known bodies, driven freedoms, and the solver's arrays of them."""

    known: Mapping[str, BodyMotion]
    drives: Drives
    scale: Scale
    inputs: Inputs


class NewtonGroup:
    """Solves one group by certified Newton.

    Parameters
    ----------
    problem : the group.
    precision, backend : as of `symgen.library.open.library`.

    Raises
    ------
    UnsolvedTypeError
        A pair type has no joint frames.
    StructureError
        The joints do not determine the bodies.
    """

    def __init__(self, problem: GroupProblem, precision: str = "double", backend: str = "auto") -> None:
        self.problem = problem
        self.plan: SolverPlan = make_plan(problem, read_engine(problem.space).rows)
        self.engine: Engine = open_engine(problem.space, precision, backend)

    def given(self, known: Mapping[str, BodyMotion], drives: Drives, rows: int = 1) -> Given:
        """Return the arrays of `rows` times; motions are (rows, ...) or one row for all."""
        scale = measure_group(self.problem, known)
        return Given(known, drives, scale, solver_inputs(self.plan, scale, known, drives, rows))

    def poses(self, given: Given, poses: Mapping[str, Array]) -> Array:
        """Return poses of the unknown bodies in the solver's order and units."""
        return solver_poses(self.plan, given.scale, poses)

    def assemblies(self, given: Given) -> tuple[NewtonAssembly, ...]:
        """Return all assemblies that are found in the first row."""
        return self.search(given).assemblies

    def search(self, given: Given) -> Search:
        """Return what a search of the first row finds: assemblies, and whether there are curves of solutions."""
        return search_assemblies(self.engine, self.plan, given.inputs)

    def is_on_curve(self, given: Given, assembly: NewtonAssembly) -> bool:
        """Tell whether an assembly of the first row is a point of a curve of solutions."""
        if assembly.status is not Status.SINGULAR:
            return False
        return bool(Continua(self.plan, given.inputs).lie_on_curves(assembly.poses[None])[0])

    def is_singular(self, given: Given, poses: Array) -> bool:
        """Tell whether poses (bodies, places) are a solution of the first row at which the Jacobian is singular."""
        return is_singular(self.plan, given.inputs, poses)

    def near(self, given: Given, start: Array) -> NewtonAssembly | None:
        """Return the assembly near a start in the first row."""
        return assembly_near(self.engine, self.plan, given.inputs, start)

    def follow(self, given: Given, times: Array, start: Array) -> FollowedSolution:
        """Follow an assembly over all rows."""
        return follow(self.engine, self.plan, given.inputs, times, start)

    def distance(self, given: Given, one: Array, other: Array) -> float:
        """Return how far two sets of the solver's poses are apart [m], turns at the group's size."""
        return given.scale.size * distance(np.array(one), np.array(other))

    def bodies(self, given: Given, poses: Array) -> dict[str, Array]:
        """Return the poses of the unknown bodies, as ports hold them, from the solver's (..., bodies, places)."""
        rest = np.zeros((*poses.shape[:-1], self.problem.freedoms))
        return {name: each.pose for name, each in body_motions(self.plan, given.scale, poses, rest, rest).items()}

    def motion(self, given: Given, poses: Array, twists: Array, accelerations: Array) -> GroupMotion:
        """Return bodies and joint coordinates from the solver's arrays (..., bodies, numbers)."""
        bodies = body_motions(self.plan, given.scale, poses, twists, accelerations)
        every = {**{body: given.known[body] for body in self.problem.known}, **bodies}
        with np.errstate(invalid="ignore"):
            return GroupMotion(bodies, joint_coordinates(self.problem, every, given.drives))
