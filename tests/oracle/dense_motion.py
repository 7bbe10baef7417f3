"""Accelerations by the Newton-Euler equations and multipliers of all joints at once: no sweep, no tree."""

from __future__ import annotations

import numpy as np

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array, matrix
from symgen.simulate.central.numpy_rows import Surroundings
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.manifest import FOLDER, read_dynamics
from symgen.simulate.tables.problem import Problem


class DenseAccelerator:
    """See `symgen.simulate.articulated.numpy_motion.Accelerator`: M a = w + J^T lam, J a = -b, least multipliers."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._around = Surroundings(problem, read_dynamics(), Routines(load_routines(FOLDER, f"{FOLDER}.py")))

    def accelerations(self, time: float, poses: Array, twists: Array, wrench: Array) -> Array:
        """Return accelerations (n, 6) of the centres of mass under wrenches (n, 6), world axes."""
        law = np.array([float(each.evaluate({"t": time})) for each in self._problem.laws])
        rows = self._around.rows(poses, twists, law, self._problem.sizes["ELEMENTS"])
        count = len(poses)
        mass, right = np.zeros((6 * count, 6 * count)), wrench.copy()
        for b, inertia in enumerate(self._problem.tables["BODY"]["inertia"]):
            xx, yy, zz, xy, xz, yz = inertia
            turn = matrix(poses[b, 3:])
            world = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
            mass[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = self._problem.tables["BODY"]["mass"][b] * np.eye(3)
            mass[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = world
            right[b, 3:] -= np.cross(twists[b, 3:], world @ twists[b, 3:])
        free = np.linalg.solve(mass, right.reshape(-1))
        pull = np.linalg.solve(mass, rows.jacobian.T)
        lam = np.linalg.lstsq(rows.jacobian @ pull, -rows.bias - rows.jacobian @ free, rcond=1e-11)[0]
        found: Array = (free + pull @ lam).reshape(count, 6)
        return found

    def check(self) -> None:
        """Find nothing wrong with how the accelerations came about."""
