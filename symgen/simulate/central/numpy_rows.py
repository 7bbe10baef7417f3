"""Constraints and forces of a configuration in NumPy, from the generated routines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import PUSH_KINDS
from symgen.poses import IDENTITY, Array
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.problem import Problem

_PUSH_WORLD, _PUSH_BODY, _TWIST_WORLD, _TWIST_BODY = range(len(PUSH_KINDS))


@dataclass(frozen=True)
class ConstraintRows:
    """Rows of constraints: residual (m,), Jacobian (m, 6 n) for twists, rate and bias (m,)."""

    residual: Array
    jacobian: Array
    rate: Array
    bias: Array


@dataclass(frozen=True)
class Forces:
    """Wrenches (n, 6) without dampers; rows (d, 6 n) and constants (d,) of the dampers; potential energy [J]."""

    wrench: Array
    rows: Array
    damping: Array
    potential: float


def points_meet(length: float, places: Sequence[Array]) -> bool:
    """Tell whether points that are so far apart meet, as far as rounding of what they are made of tells."""
    reach = sum(float(np.abs(each).sum()) for each in places)
    return not length > 16 * float(np.finfo(np.float64).eps) * reach


class Surroundings:
    """Joints and forces of a problem."""

    def __init__(self, problem: Problem, manifest: DynamicsManifest, routines: Routines) -> None:
        self._problem, self._do = problem, routines
        self._kinds = {kind.code: kind for kind in manifest.kinds}
        self._freedoms = {each.code: f"freedom_{each.pair}_{each.name}".lower() for each in manifest.freedoms}
        self._count = problem.sizes["BODIES"]
        self.row_units = np.array(
            [
                unit
                for element in problem.tables["ELEMENT"]
                for row, unit in enumerate(element["unit"][: self._kinds[int(element["kind"])].rows])
                if int(element["rows"]) & (1 << row)
            ]
        )

    def rows(self, poses: Array, twist: Array, law: Array, elements: int) -> ConstraintRows:
        """Return the rows of the first elements of the list."""
        parts: list[tuple[Array, Array, Array, Array]] = []
        for e in range(elements):
            element = self._problem.tables["ELEMENT"][e]
            one, two, mask = int(element["body_1"]), int(element["body_2"]), int(element["rows"])
            kind = self._kinds[int(element["kind"])]
            name = kind.name.lower()
            sides = [(self._pose(poses, one), element["frame_1"]), (self._pose(poses, two), element["frame_2"])]
            extra = self._extra(kind.name, element, law)
            found = self._do.call(f"{name}_constraint", *sides[0], *sides[1], *extra[:1])
            jacobian = np.zeros((kind.rows, 6 * (self._count + 1)))
            jacobian[:, 6 * one : 6 * one + 6] += found[1].reshape(kind.rows, 6)
            jacobian[:, 6 * two : 6 * two + 6] += found[2].reshape(kind.rows, 6)
            moving = [(*side, self._twist(twist, body)) for side, body in zip(sides, (one, two), strict=True)]
            # the bias of a slide does not depend on its value
            rates = self._do.call(f"{name}_bias", *moving[0], *moving[1], *extra[name.startswith("slide") :])
            rate = rates[0] if len(rates) > 1 else np.zeros(kind.rows)
            kept = [row for row in range(kind.rows) if mask & (1 << row)]  # in the plane some always vanish
            whole = (found[0], jacobian[:, : 6 * self._count], np.atleast_1d(rate), np.atleast_1d(rates[-1]))
            parts.append((whole[0][kept], whole[1][kept], whole[2][kept], whole[3][kept]))
        if not parts:
            return ConstraintRows(np.empty(0), np.empty((0, 6 * self._count)), np.empty(0), np.empty(0))
        residual, jacobian, rate, bias = (np.concatenate(part) for part in zip(*parts, strict=True))
        return ConstraintRows(residual, jacobian, rate, bias)

    def _extra(self, kind: str, element: Any, law: Array) -> list[float]:
        """Return what a routine takes beside the sides: the pitch of an H, or value, rate and acceleration of a law."""
        if kind == "H":
            return [float(element["pitch"])]
        if "_" not in kind and kind != "pitch":
            return []
        k = int(element["law"])
        if k < 0:
            return [0.0, 0.0, 0.0]
        sizes, factor = self._problem.sizes, float(element["factor"])
        return [factor * float(law[m]) for m in (k, sizes["RATES"] + k, sizes["SECONDS"] + k)]

    def forces(self, poses: Array, twist: Array, law: Array, active: NDArray[np.int32], angle: Array) -> Forces:
        """Return all forces at a configuration; `angle` keeps in which turn each joint force's freedom is.

        Parameters
        ----------
        twist : (n, 6) of the bodies, which tells where the points of a spring part that meet.
        """
        tables = self._problem.tables
        gravity = tables["BODY"]["mass"][:, None] * tables["GRAVITY"]
        wrench = np.zeros((self._count + 1, 6))
        wrench[:-1, :3] = gravity
        potential = -float(np.sum(gravity * poses[:, :3]))
        rows, damping = [], []
        for spring in tables["SPRING"]:
            one, two = bodies = int(spring["body_1"]), int(spring["body_2"])
            points, stiffness = (spring["point_1"], spring["point_2"]), spring["stiffness"]
            length, *both = self._do.call(
                "length_row", self._pose(poses, one), points[0], self._pose(poses, two), points[1]
            )
            ends = self._pose(poses, one)[:3], self._pose(poses, two)[:3], np.concatenate(points)
            if points_meet(float(length), ends):
                both = self._parting(bodies, points, poses, twist)
                if stiffness * spring["length"] > 0.0:  # its force has no direction, so no value
                    length = np.array(np.inf)
            longer = float(length) - spring["length"]
            self._load(wrench, bodies, both, -stiffness * longer)
            potential += float(stiffness * longer**2 / 2)
            rows.append(self._row(bodies, both))
            damping.append(float(spring["damping"]))
        for j, force in enumerate(tables["JOINT_FORCE"]):
            one, two = bodies = int(force["body_1"]), int(force["body_2"])
            found, *both = self._do.call(
                self._freedoms[int(force["freedom"])],
                *(self._pose(poses, one), force["frame_1"], self._pose(poses, two), force["frame_2"]),
            )
            value = float(found)
            if force["turns"]:
                value += 2 * np.pi * np.floor((angle[j] - value) / (2 * np.pi) + 0.5)
            angle[j] = value
            beyond = value - force["rest"]
            self._load(wrench, bodies, both, float(law[force["law"]] - force["stiffness"] * beyond))
            potential += float(force["stiffness"] * beyond**2 / 2)
            rows.append(self._row(bodies, both))
            damping.append(float(force["damping"]))
        for p, push in enumerate(tables["PUSH"]):
            body, k = int(push["body"]), int(push["law"])
            if active[p] and body < self._count:
                wrench[body] += self._push(poses[body], push["at"], law[k : k + 3], int(push["kind"]))
        stacked = np.array(rows).reshape(-1, 6 * self._count)
        return Forces(wrench[:-1], stacked, np.array(damping), potential)

    def _parting(self, bodies: tuple[int, int], points: tuple[Array, Array], poses: Array, twist: Array) -> list[Array]:
        """Return the rows of a spring whose points meet: along the velocity with which they part; else nothing."""
        frames = [self._pose(poses, body) for body in bodies]
        twists = [self._twist(twist, body) for body in bodies]
        speeds = [
            np.array([self._do.one("push", pose, at, axis) @ own for axis in np.eye(3)])
            for pose, at, own in zip(frames, points, twists, strict=True)
        ]
        along = speeds[1] - speeds[0]
        speed = float(np.linalg.norm(along))
        along = along / speed if speed > 0.0 else np.zeros(3)
        return [self._do.one("push", frames[0], points[0], -along), self._do.one("push", frames[1], points[1], along)]

    def watch(self, values: Array, poses: Array, watched: Array) -> Array:
        """Return the watched freedoms of joints, angles with the turns that bring them nearest to those `watched`.

        Parameters
        ----------
        values : of the motions of the tree; none where there is no tree.
        """
        found, watch = watched.copy(), self._problem.tables["WATCH"]
        of_tree = (watch["motion"] >= 0) & bool(len(values))
        motions = watch["motion"][of_tree]
        found[of_tree] = self._problem.tables["MOTION"]["sign"][motions] * values[motions]
        whole = np.vstack([poses, IDENTITY])
        for code in np.unique(watch["freedom"][~of_tree]):
            alike = ~of_tree & (watch["freedom"] == code)
            rows = watch[alike]
            value = self._do.one(
                self._freedoms[int(code)],
                *(whole[rows["body_1"]], rows["frame_1"], whole[rows["body_2"]], rows["frame_2"]),
            )
            found[alike] = value + 2 * np.pi * np.floor((watched[alike] - value) / (2 * np.pi) + 0.5)
        return found

    def _push(self, pose: Array, at: Array, value: Array, kind: int) -> Array:
        if kind == _PUSH_WORLD:
            return self._do.one("push", pose, at, value)
        if kind == _PUSH_BODY:
            return self._do.one("push_in_body", pose, at, value)
        if kind == _TWIST_BODY:
            return self._do.one("twist_in_body", pose, value)
        return np.concatenate([np.zeros(3), value])

    def _pose(self, poses: Array, body: int) -> Array:
        found: Array = poses[body] if body < self._count else IDENTITY
        return found

    def _twist(self, twist: Array, body: int) -> Array:
        found: Array = twist[body] if body < self._count else np.zeros(6)
        return found

    def _row(self, bodies: tuple[int, int], both: list[Array]) -> Array:
        row = np.zeros((self._count + 1, 6))
        for body, part in zip(bodies, both, strict=True):
            row[body] += part
        found: Array = row[:-1].reshape(-1)
        return found

    @staticmethod
    def _load(wrench: Array, bodies: tuple[int, int], both: list[Array], size: float) -> None:
        for body, part in zip(bodies, both, strict=True):
            wrench[body] += size * part
