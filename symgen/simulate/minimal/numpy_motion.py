"""Motion, forces and accelerations at one time in minimal coordinates, in NumPy; see templates/c99/dynamics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array
from symgen.simulate.central.numpy_rows import Surroundings
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.constants import constant
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.minimal.numpy_branches import Follower
from symgen.simulate.minimal.numpy_regions import MinimalStopError
from symgen.simulate.minimal.tables import MinimalProblem
from symgen.status import Status

_INDEFINITE = constant("INDEFINITE")


@dataclass(frozen=True)
class MinimalMotion:
    """What is known at one time: motion of the bodies, forces, and rates of the state."""

    poses: Array
    twist: Array
    acceleration: Array
    residual: Array
    potential: float
    law: Array
    angle: Array
    slope: Array
    rates: Array
    branch: NDArray[np.int32]
    columns: Array
    coordinates: Array


class MotionFinder:
    """Finds the motion of all bodies for coordinates and their rates.

    Attributes
    ----------
    follower : knows the branches of all groups; set anew at the start of a run.
    """

    def __init__(self, minimal: MinimalProblem, manifest: DynamicsManifest) -> None:
        self._minimal, self._problem = minimal, minimal.problem
        self._do = Routines(load_routines(FOLDER, f"{FOLDER}.py"))
        self._around = Surroundings(minimal.problem, manifest, self._do)
        self._module = minimal.module.load()
        self._ports = [port for port in minimal.module.motion.ports if port.direction == "in"]
        self._results = [port.name for port in minimal.module.motion.ports if port.direction == "out"]
        self._count, self._free = minimal.problem.sizes["BODIES"], minimal.problem.sizes["COORDINATES"]
        self._mass, self._inertia = minimal.problem.tables["BODY"]["mass"], minimal.problem.tables["BODY"]["inertia"]
        self.start(np.array(minimal.branch, dtype=np.int32))

    def start(self, branch: NDArray[np.int32]) -> None:
        """Begin with the branches of a position that is yet to come."""
        self.follower = Follower(self._minimal, self._bodies, branch)

    def _bodies(self, u: Array, ud: Array, udd: Array, branch: NDArray[np.int32]) -> tuple[Array, Array, Array]:
        """Return poses (n, 7), twists and accelerations (n, 6) of the centres of mass."""
        given = {"u": u, "ud": ud, "udd": udd, "branch": branch}
        *results, status = self._module.motion(*(given[port.name] for port in self._ports))
        found = dict(zip(self._results, results, strict=True))
        if int(status) != Status.OK:
            raise MinimalStopError(Status(int(status)), int(found["group"]))
        planar = self._minimal.planar
        order = self._minimal.module_bodies
        shaped = {name: found[name].reshape(self._count, -1)[order] for name in self._results if name != "group"}
        if not planar:
            poses = np.concatenate([shaped["points"], shaped["poses"][:, 3:]], axis=1)
            rates = [
                np.concatenate([shaped[point], shaped[frame][:, 3:]], axis=1)
                for point, frame in (("point_velocities", "twists"), ("point_accelerations", "accelerations"))
            ]
            return poses, rates[0], rates[1]
        com, tip = np.split(shaped["points"], 2, axis=1)
        cosine, sine = (tip - com).T
        none = np.zeros(self._count)
        larger = np.sqrt((1 + np.abs(cosine)) / 2)
        smaller = sine / (2 * larger)
        turn = np.where(cosine > 0, larger, smaller), none, none, np.where(cosine > 0, smaller, larger)
        poses = np.stack([*com.T, self._minimal.lift, *turn], axis=1)
        rates = []
        for name in ("point_velocities", "point_accelerations"):
            one, two = np.split(shaped[name], 2, axis=1)
            x, y = (two - one).T
            rates.append(np.stack([*one.T, none, none, none, cosine * y - sine * x], axis=1))
        return poses, rates[0], rates[1]

    def motion(self, time: float, state: Array, angle: Array, active: NDArray[np.int32]) -> MinimalMotion:
        """Return motion, forces and rates of the state at one time."""
        law = self._laws(time)
        sizes, free = self._problem.sizes, self._free
        own, other = self._minimal.drives["coordinate"], self._minimal.drives["law"]
        u, ud, udd = np.zeros((3, len(own)))
        coordinate, ruled = own >= 0, own < 0
        u[coordinate], ud[coordinate] = state[own[coordinate]], state[free + own[coordinate]]
        for values, first in ((u, 0), (ud, sizes["RATES"]), (udd, sizes["SECONDS"])):
            values[ruled] = law[first + other[ruled]]
        unit = np.eye(len(own))[self._minimal.inputs]
        follower = self.follower
        follower.go_to(u)
        branch = follower.branch.copy()
        if follower.blurred:
            (poses, twist, bias), columns = follower.limit(u, ud, udd, unit)
        else:
            poses, twist, bias = follower.near(follower.here, u, ud, udd, branch)
            columns = np.array([self._bodies(u, row, np.zeros(len(own)), branch)[1] for row in unit])
            columns = columns.reshape(free, self._count, 6)
        angle = angle.copy()
        forces = self._around.forces(poses, twist, law, active, angle)
        drag = forces.rows.T @ (forces.damping * (forces.rows @ twist.reshape(-1)))
        wrench = forces.wrench - drag.reshape(-1, 6)
        wrench[:, 3:] -= self._do.one("gyroscopic", poses[:, 3:], twist[:, 3:], self._inertia)
        if not (np.all(np.isfinite(wrench)) and np.isfinite(forces.potential)):
            raise MinimalStopError(Status.BAD_INPUT)
        inertia = self._do.one("body_inertia", poses[:, 3:], self._inertia)
        weighed = self._weigh(inertia, columns)
        mass = np.einsum("cbi,dbi->cd", weighed, columns)
        right = -np.einsum("bi,cbi->c", self._weigh(inertia, bias[None])[0] - wrench, columns)
        coordinate_acceleration = self._solve(mass, right)
        acceleration = bias + np.einsum("c,cbi->bi", coordinate_acceleration, columns)
        residual = self._weigh(inertia, acceleration[None])[0] - wrench
        slope = np.concatenate([state[free:], coordinate_acceleration])
        return MinimalMotion(
            poses,
            twist,
            acceleration,
            residual,
            forces.potential,
            law,
            angle,
            slope,
            ud,
            branch,
            columns,
            state[:free],
        )

    def _laws(self, time: float) -> Array:
        """Return the laws' values; those of forces may be NaN."""
        found = self._problem.law_values(time)
        if not np.all(np.isfinite(found[self._problem.needed_laws()])):
            raise MinimalStopError(Status.BAD_INPUT)
        return found

    def _weigh(self, inertia: Array, twists: Array) -> Array:
        """Return mass and inertia times twists (c, n, 6)."""
        xx, yy, zz, xy, xz, yz = inertia.T
        x, y, z = np.moveaxis(twists[..., 3:], -1, 0)
        turning = [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
        found: Array = np.concatenate([self._mass[:, None] * twists[..., :3], np.stack(turning, axis=-1)], axis=-1)
        return found

    @staticmethod
    def _solve(mass: Array, right: Array) -> Array:
        size = np.diag(mass)
        if not np.all(size > 0.0):
            raise MinimalStopError(Status.SINGULAR)
        scale = 1.0 / np.sqrt(size)
        scaled = mass * scale[:, None] * scale
        if len(right) and not np.linalg.eigvalsh(scaled)[0] > _INDEFINITE:
            raise MinimalStopError(Status.SINGULAR)
        found: Array = np.linalg.solve(scaled, right * scale) * scale
        if not np.all(np.isfinite(found)):
            raise MinimalStopError(Status.BAD_INPUT)
        return found

    def record(self, out: list[Array], row: int, now: MinimalMotion) -> None:
        """Write one row of a stretch."""
        back = now.poses.copy()
        back[:, 4:] *= -1
        violation = self._around.rows(now.poses, now.twist, now.law, self._problem.sizes["ELEMENTS"]).residual
        kinetic = self._do.one("kinetic", self._mass, now.poses[:, 3:], now.twist, self._inertia)
        motion = now.poses, now.twist, now.acceleration, now.residual, now.coordinates
        for array, values in zip(out[:-1], motion, strict=True):
            array[row] = values
        out[-1][row] = [float(np.sum(kinetic)), now.potential, np.abs(violation).max(initial=0.0), 0.0, 0.0]
