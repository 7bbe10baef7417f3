"""A structural group that certified Newton solves, along a path: followed from node to node, asked for at any place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.rotations import Array
from symgen.solve.newton import Certificates, NewtonPlan, NewtonStart, solve_newton
from symgen.solve.path import Drives, Path

Motions = Mapping[str, BodyMotion]


class NewtonCourse:
    """A group without a closed form along a path; see `symgen.solve.course.ClosedCourse`.

    Parameters
    ----------
    known : (n,) values of the parameter -> motions of the known bodies there.
    before : (n,) values of the parameter -> status of the groups that this one depends on.
    start : solution in the drawing.
    """

    def __init__(
        self,
        plan: NewtonPlan,
        path: Path,
        known: Callable[[Array], Motions],
        before: Callable[[Array], NDArray[np.int32]],
        start: NewtonStart,
    ) -> None:
        self.plan, self.path, self._known, self._before, self._start = plan, path, known, before, start

    def bodies(self, at: Array) -> Motions:
        """Return the motion of the group's bodies at (n,) values of the parameter."""
        return self.rows(at)[0].bodies

    def rows(self, at: Array) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
        """Return what `symgen.solve.newton.solve_newton` does, at (n,) values of the parameter in any order."""
        every = np.unique(np.concatenate([self.path.nodes, at]))
        upward = every[every >= self.path.begin]
        downward = every[every <= self.path.begin][::-1]
        ways = [way for way in (downward, upward) if np.isin(at, way).any()] or [upward]
        places = np.concatenate(ways)
        parts = [self._follow(way) for way in ways]
        # The first place that holds each of the values asked for; the beginning stands in both ways.
        order = np.argsort(places, kind="stable")
        pick = order[np.searchsorted(places[order], at)]
        motions = [part[0] for part in parts]
        bodies = {
            body: BodyMotion(
                *(
                    np.concatenate([getattr(motion.bodies[body], name) for motion in motions])[pick]
                    for name in ("pose", "twist", "acceleration")
                )
            )
            for body in motions[0].bodies
        }
        joints = {
            joint: {
                freedom: np.concatenate(
                    [
                        np.broadcast_to(motion.joints[joint][freedom], (len(way), 3))
                        for motion, way in zip(motions, ways, strict=True)
                    ]
                )[pick]
                for freedom in freedoms
            }
            for joint, freedoms in motions[0].joints.items()
        }
        certificates = Certificates(
            np.concatenate([part[3].certified for part in parts])[pick],
            np.concatenate([part[3].condition for part in parts])[pick],
            np.concatenate([part[3].limit for part in parts])[pick],
            next((part[3].reason for part in parts if part[3].reason), ""),
        )
        status, own = (np.concatenate([part[k] for part in parts])[pick] for k in (1, 2))
        return GroupMotion(bodies, joints), status, own, certificates

    def _follow(self, way: Array) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
        known, drives = self._motion_at(way)
        return solve_newton(self.plan, known, drives, way, self._before(way), self._start, self._motion_at)

    def _motion_at(self, at: Array) -> tuple[Motions, Drives]:
        every = self.path.evaluate(at)
        return self._known(at), {key: every[key] for key in self.plan.driven}
