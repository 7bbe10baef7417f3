"""One discrete step of the dynamics in NumPy: momenta, Newton's iteration, what constraints leave free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.library.generated_numpy import load_routines
from symgen.poses import Array
from symgen.simulate.central.engine import Settings
from symgen.simulate.central.numpy_rows import Forces, Surroundings
from symgen.simulate.central.numpy_spaces import Configuration, PoseSpace, Routines
from symgen.simulate.central.numpy_tree_space import TreeSpace
from symgen.simulate.constants import constant
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.tables.problem import Problem
from symgen.status import Status

_SINGULAR, _HUGE = constant("SINGULAR_PIVOT"), constant("UNBOUNDED")
_ROUNDED, _STAYS_OPEN = constant("ROUNDED"), constant("STAYS_OPEN")
_RENEWAL, _COARSE = 1e-14, 1e-3


class CentralStopError(Exception):
    """A step could not be taken."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


@dataclass
class DiscreteStep:
    """What a discrete step is made of; see dynamics.c of the engine."""

    form: str
    h: float
    before: Configuration
    now: Configuration
    half: Array
    known: Array
    forces: Forces


class NumpySteps:
    """One discrete step of the dynamics; see `symgen.simulate.central.numpy_engine.NumpyDynamics`."""

    def __init__(self, problem: Problem, manifest: DynamicsManifest) -> None:
        self._problem = problem
        self._do = Routines(load_routines(FOLDER, f"{FOLDER}.py"))
        space = TreeSpace if problem.structure == "tree" else PoseSpace
        self._space = space(problem, self._do)
        self._around = Surroundings(problem, manifest, self._do)
        self._count, self._free = problem.sizes["BODIES"], problem.sizes["FREEDOMS"]
        self._rank = problem.sizes["RANK"]
        self._past: list[tuple[float, Array]] = []
        self._done, self._most, self._correction = 0, 0, 0.0
        self._mass, self._inertia = problem.tables["BODY"]["mass"], problem.tables["BODY"]["inertia"]

    def _remember(self, now: Configuration, after: Configuration, time: float, h: float) -> None:
        """Keep the rates with which the next configuration was reached."""
        self._past = [(time + h / 2, self._space.rates(now, after, h)), *self._past[:2]]

    def _guess(self, now: Configuration, time: float, h: float, rate: Array, law: Array) -> Configuration:
        """Return a first guess: the rates of the last steps, extrapolated to the middle of this one."""
        middle = time + h / 2
        for k, (one, each) in enumerate(self._past):
            weight = np.prod([(middle - two) / (one - two) for j, (two, _) in enumerate(self._past) if j != k])
            rate = weight * each + (rate if k else 0.0)
        return self._space.advance(now, h * rate, law)

    def _known_terms(
        self, form: str, h: float, before: Configuration, now: Configuration, half: Array, forces: Forces, twist: Array
    ) -> Array:
        """Return the known part of the momenta (n, 6)."""
        known = np.zeros((self._count, 6))
        if form == "start":
            known[:, :3] = self._mass[:, None] * twist[:, :3]
            known[:, 3:] = self._do.one("start_momentum_world", twist[:, 3:], self._inertias(now), h)
            drag = forces.rows.T @ (forces.damping * (forces.rows @ twist.reshape(-1)))
            return known + h / 2 * (forces.wrench - drag.reshape(-1, 6))
        known[:, :3] = self._mass[:, None] * (now.poses[:, :3] - before.poses[:, :3]) / h
        known[:, 3:] = self._do.one("central_arrival_world", half, self._inertias(now), h)
        return known + h * forces.wrench

    def _momentum_residual(self, step: DiscreteStep, after: Configuration) -> tuple[Array, Array, Array]:
        """Return the momenta at the start of the step less the known ones (n, 6), the matrix (6 n, 6 n), half turns."""
        one, two, h = step.now.poses, after.poses, step.h
        arguments = [one[:, 3:], two[:, 3:]]
        if step.form == "central":
            arguments.append(step.half)
        found = self._do.call(f"{step.form}_departure_world", *arguments, self._inertias(step.now), h)
        spin, tangent = found[0], found[1].reshape(-1, 3, 3)
        half, cosine = self._do.call("world_turn", one[:, 3:], two[:, 3:])
        residual = np.zeros((self._count, 6))
        residual[:, :3] = self._mass[:, None] * (two[:, :3] - one[:, :3]) / h - step.known[:, :3]
        residual[:, 3:] = spin - step.known[:, 3:]
        matrix = np.zeros((self._count, 6, self._count, 6))
        for b in range(self._count):
            matrix[b, :3, b, :3] = np.eye(3) * self._mass[b] / h
            matrix[b, 3:, b, 3:] = tangent[b]
        whole: Array = matrix.reshape(6 * self._count, -1)
        if step.form == "central" and step.forces.damping.size:
            drag = h * step.forces.rows.T * step.forces.damping
            twist = self._mean_twist(step, after, half)
            residual += (drag @ (step.forces.rows @ twist.reshape(-1))).reshape(-1, 6)
            whole = whole + drag @ step.forces.rows @ self._twist_tangent(step, half, cosine)
        return residual, whole, half

    def _mean_twist(self, step: DiscreteStep, after: Configuration, half: Array) -> Array:
        moved = (after.poses[:, :3] - step.before.poses[:, :3]) / (2 * step.h)
        return np.concatenate([moved, (step.half + half) / step.h], axis=1)

    def _twist_tangent(self, step: DiscreteStep, half: Array, cosine: Array) -> Array:
        """Return how the mean twists depend on small twists of the next configuration, (6 n, 6 n)."""
        found = np.zeros((self._count, 6, self._count, 6))
        for b in range(self._count):
            found[b, :3, b, :3] = np.eye(3)
            found[b, 3:, b, 3:] = cosine[b] * np.eye(3) - np.cross(np.eye(3), half[b]).T
        whole: Array = found.reshape(6 * self._count, -1) / (2 * step.h)
        return whole

    def _inertias(self, now: Configuration) -> Array:
        """Return the inertias (n, 6) in world axes."""
        return self._do.one("body_inertia", now.poses[:, 3:], self._inertia)

    @staticmethod
    def _check(forces: Forces) -> None:
        if not (np.isfinite(forces.potential) and np.all(np.isfinite(forces.wrench))):
            raise CentralStopError(Status.BAD_INPUT)

    def _newton(
        self, step: DiscreteStep, guess: Configuration, law: Array, free: Array, settings: Settings
    ) -> tuple[Configuration, Array]:
        """Return the next configuration and its free directions (unknowns, freedoms)."""
        after, last = guess, 0.0
        for self._iterations in range(1, settings.most_iterations + 1):
            residual, matrix, _ = self._momentum_residual(step, after)
            closing, free_next = self._close(after, law, free)
            change = self._project(step.now, after, free, free_next, closing, matrix, residual.reshape(-1))
            size = float(np.abs(change).max(initial=0.0))
            self._correction = size
            self._most = max(self._most, self._iterations)
            if not size <= _HUGE:
                raise CentralStopError(Status.NOT_CONVERGED)
            after = self._space.advance(after, change, law)
            # near a singular position rounding is large: corrections that small and no smaller than the last
            stalled = self._iterations > 3 and last / 4 < size <= 100 * settings.tolerance
            if size <= settings.tolerance or stalled or (size <= _COARSE**2 and size <= _ROUNDED * self._reach(after)):
                if size > _RENEWAL:
                    free_next = self._close(after, law, free)[1]
                self._check_closed(after, settings)
                return after, free_next
            if self._iterations > 4 and size > last and size > _COARSE:
                break
            last = size
        raise CentralStopError(Status.NOT_CONVERGED)

    def _reach(self, at: Configuration) -> float:
        return float(max(np.abs(at.poses[:, :3]).max(initial=0.0), np.abs(at.values).max(initial=0.0)))

    def _check_closed(self, at: Configuration, settings: Settings) -> None:
        """Refuse what has converged but has not closed: rows are dependent there up to their tolerance."""
        if not (self._gap <= _STAYS_OPEN + 10 * settings.tolerance or self._gap <= _ROUNDED * self._reach(at)):
            self._correction = self._gap
            raise CentralStopError(Status.DEGENERATE)

    def _close(
        self, at: Configuration, law: Array, last: Array | None, right: Array | None = None
    ) -> tuple[Array, Array]:
        """Return the shortest change that closes the cut joints, and the free directions."""
        rows = self._around.rows(at.poses, np.zeros((self._count, 6)), law, self._problem.sizes["CUT_ELEMENTS"])
        matrix = rows.jacobian @ at.jacobian
        self._gap = float(np.abs(rows.residual).max(initial=0.0))
        wanted = -rows.residual if right is None else right
        if not self._rank:
            return np.zeros(matrix.shape[1]), np.eye(matrix.shape[1])
        left, sizes, across = np.linalg.svd(matrix)
        rank = min(self._rank, int(np.sum(sizes > _SINGULAR * sizes[0])))
        change = across[:rank].T @ ((left[:, :rank].T @ wanted) / sizes[:rank])
        null = across[rank:].T
        if rank < self._rank:
            if last is None:
                raise CentralStopError(Status.SINGULAR)
            null = np.linalg.qr(null @ (null.T @ last))[0]
        return change, null

    def _project(
        self, now: Configuration, at: Configuration, free: Array, free_next: Array, closing: Array, matrix: Array,
        residual: Array,
    ) -> Array:  # fmt: skip
        """Solve for a change of the unknowns along the free directions."""
        left, right = now.jacobian @ free, at.jacobian @ free_next
        try:
            amounts = np.linalg.solve(left.T @ matrix @ right, -left.T @ (residual + matrix @ (at.jacobian @ closing)))
        except np.linalg.LinAlgError:
            raise CentralStopError(Status.SINGULAR) from None
        found: Array = closing + free_next @ amounts
        return found
