"""The dynamics without a compiler: the same discrete equations in NumPy, with whole matrices.

See templates/c99/dynamics for the C, step for step the same; here the null space is that of a singular value
decomposition, and open trees are solved as one system.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.simulate.central.engine import Settings
from symgen.simulate.central.numpy_rows import Forces
from symgen.simulate.central.numpy_spaces import Configuration
from symgen.simulate.central.numpy_step import CentralStopError, DiscreteStep, NumpySteps
from symgen.simulate.contract import SCALARS, EngineSamples, EngineState, StoppableProgress
from symgen.status import Status


class NumpyDynamics(NumpySteps):
    """See `symgen.simulate.central.engine.DynamicsEngine`."""

    name = "numpy"

    def run(
        self,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """See `DynamicsEngine.run`."""
        rows = settings.steps // settings.every + 1
        out = [np.full((rows, self._count, size), np.nan) for size in (7, 6, 6, 6)]
        out += [np.full((rows, size), np.nan) for size in (self._problem.sizes["WATCHED"], SCALARS)]
        self._done, self._correction, self._most = 0, 0.0, 0
        status = Status.OK
        with np.errstate(all="ignore"):
            try:
                run = self._central if settings.fractions is None else self._variational
                run(settings, state, active, out, progress or (lambda _: False))
            except CentralStopError as stop:
                status = stop.status
        done = self._done
        reached = rows if status == Status.OK else done // settings.every + (1 if done % settings.every else 0)
        poses, twists, accelerations, reactions, angles, scalars = (array[:reached] for array in out)
        return EngineSamples(poses, twists, accelerations, reactions, angles, scalars, status, done, self._correction)

    # -- central differences -----------------------------------------------------------------------------------------

    def _central(
        self,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        out: list[Array],
        progress: StoppableProgress,
    ) -> None:
        h = settings.step
        law, now, free = self._begin(settings, state)
        before, twist = now, state.twist.reshape(-1, 6).copy()
        half = 0.5 * h * twist[:, 3:]
        rate = state.rate[: self._problem.sizes["UNKNOWNS"]].copy()
        for n in range(settings.steps + 1):
            # a force may end with the last step
            law_next = self._law(settings.start + (n + 1) * h, active if n < settings.steps else None)
            forces = self._around.forces(now.poses, twist, law, active, state.angle)
            self._check(forces)
            form = "central" if n else "start"
            time = settings.start + n * h
            guess = self._guess(now, time, h, rate, law_next)
            known = self._known_terms(form, h, before, now, half, forces, twist)
            step = DiscreteStep(form, h, before, now, half, known, forces)
            after, free_next = self._newton(step, guess, law_next, free, settings)
            residual, _, half_next = self._momentum_residual(step, after)
            if n:
                twist = self._mean_twist(step, after, half_next)
            if n % settings.every == 0:
                row = n // settings.every
                ahead = after.poses[:, :3] - now.poses[:, :3]
                if n:
                    acceleration = (ahead - (now.poses[:, :3] - before.poses[:, :3])) / h**2
                else:
                    acceleration = 2 * (ahead - h * twist[:, :3]) / h**2
                turning = (half_next - half) * (2 if n else 4) / h**2
                whole = np.concatenate([acceleration, turning], axis=1)
                self._record(out, row, now, twist, whole, residual / (h if n else h / 2), law, forces.potential)
            if n < settings.steps:
                self._remember(now, after, time, h)
                before, now, half, law, free = now, after, half_next, law_next, free_next
                self._taken += self._space.shorten(before, now)
                self._watch(now)
                self._done = n + 1
                if progress((n + 1) / settings.steps) and n + 1 < settings.steps:
                    raise CentralStopError(Status.NOT_CONVERGED)
        self._end(state, now, twist, self._space.rates(before, after, 2 * h))

    # -- variational form --------------------------------------------------------------------------------------------

    def _variational(
        self,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        out: list[Array],
        progress: StoppableProgress,
    ) -> None:
        law, now, free = self._begin(settings, state)
        rate = state.rate[: self._problem.sizes["UNKNOWNS"]].copy()
        twist = state.twist.reshape(-1, 6)
        end_momentum = np.zeros((self._count, 6))
        end_momentum[:, :3] = self._mass[:, None] * twist[:, :3]
        end_momentum[:, 3:] = self._do.one("start_momentum_world", twist[:, 3:], self._inertias(now), 0.0)
        last, self._iterations = 0.0, 0
        for n in range(settings.steps + 1):
            forces = self._around.forces(now.poses, twist, law, active, state.angle)
            self._check(forces)
            if n % settings.every == 0 or n == settings.steps:
                found = self._motion(now, law, free, end_momentum + last / 2 * forces.wrench, forces)
                twist, rate = found[0], found[1]
                if n % settings.every == 0:
                    self._record(out, n // settings.every, now, twist, found[2], found[3], law, forces.potential)
            if n == settings.steps:
                break
            time = settings.start + n * settings.step
            for stage, fraction in enumerate(settings.fractions or ()):
                h = fraction * settings.step
                time += h
                if stage:
                    forces = self._around.forces(now.poses, twist, law, active, state.angle)
                whole = stage + 1 == len(settings.fractions or ())
                law_next = self._law(settings.start + (n + 1) * settings.step if whole else time, active)
                known = end_momentum + (last + h) / 2 * forces.wrench
                step = DiscreteStep("variational", h, now, now, np.zeros((self._count, 3)), known, forces)
                guess = self._guess(now, time - h, h, rate, law_next)
                after, free = self._newton(step, guess, law_next, free, settings)
                end_momentum[:, :3] = self._mass[:, None] * (after.poses[:, :3] - now.poses[:, :3]) / h
                # in world axes the momentum at the end of a step is the one at its start
                end_momentum[:, 3:] = self._do.one(
                    "variational_departure_world", now.poses[:, 3:], after.poses[:, 3:], self._inertias(now), h
                )
                self._remember(now, after, time - h, h)
                self._taken += self._space.shorten(now, after)
                now, law, last = after, law_next, h
                self._watch(now)
            self._done = n + 1
            if progress((n + 1) / settings.steps) and n + 1 < settings.steps:
                raise CentralStopError(Status.NOT_CONVERGED)
        self._end(state, now, twist, rate)

    def _motion(
        self, now: Configuration, law: Array, last: Array, momenta: Array, forces: Forces
    ) -> tuple[Array, Array, Array, Array]:
        """Return twists that have the momenta along free directions, rates, accelerations, and what joints exert."""
        mass = np.zeros((self._count, 6, self._count, 6))
        xx, yy, zz, xy, xz, yz = self._inertias(now).T
        for b in range(self._count):
            mass[b, :3, b, :3] = np.eye(3) * self._mass[b]
            mass[b, 3:, b, 3:] = [[xx[b], xy[b], xz[b]], [xy[b], yy[b], yz[b]], [xz[b], yz[b], zz[b]]]
        matrix = mass.reshape(6 * self._count, -1)
        given = now.driven @ self._driven_rates(law)
        rows = self._around.rows(now.poses, given.reshape(-1, 6), law, self._problem.sizes["CUT_ELEMENTS"])
        closing, free = self._close(now, law, last, -(rows.jacobian @ given + rows.rate))
        rate = self._project(now, now, free, free, closing, matrix, matrix @ given - momenta.reshape(-1))
        twist = (given + now.jacobian @ rate).reshape(-1, 6)
        bias = self._space.bias(now, law, rate, twist).reshape(-1)
        rows = self._around.rows(now.poses, twist, law, self._problem.sizes["CUT_ELEMENTS"])
        closing, free = self._close(now, law, last, -(rows.jacobian @ bias + rows.bias))
        load = forces.wrench.copy()
        load[:, 3:] -= self._do.one("gyroscopic", now.poses[:, 3:], twist[:, 3:], self._inertia)
        coordinate_acceleration = self._project(now, now, free, free, closing, matrix, matrix @ bias - load.reshape(-1))
        acceleration = bias + now.jacobian @ coordinate_acceleration
        reaction = (matrix @ acceleration - load.reshape(-1)).reshape(-1, 6)
        return twist, rate, acceleration.reshape(-1, 6), reaction

    def _watch(self, now: Configuration) -> None:
        """Keep in which turn the angles of joints are."""
        values = now.values + self._taken if self._problem.structure == "tree" else np.empty(0)
        self._watched[:] = self._around.watch(values, now.poses, self._watched)

    def _driven_rates(self, law: Array) -> Array:
        """Return the rate of each motion that follows a law, zero of the others."""
        motions, first = self._problem.tables["MOTION"], self._problem.sizes["RATES"]
        found = np.zeros(len(motions))
        driven = motions["law"] >= 0
        found[driven] = motions["sign"][driven] * law[first + motions["law"][driven]]
        return found

    # -- beginning, end, samples -------------------------------------------------------------------------------------

    def _begin(self, settings: Settings, state: EngineState) -> tuple[Array, Configuration, Array]:
        """Return laws, configuration and free directions at the start; a singular one goes on along the velocity."""
        law = self._law(settings.start)
        now = self._space.start(state, law)
        self._past, self._taken = [], np.zeros(len(now.values))
        self._watched = state.watched[: self._problem.sizes["WATCHED"]].copy()
        self._watch(now)
        ahead = self._law(settings.start + settings.step)
        rate = state.rate[: self._problem.sizes["UNKNOWNS"]]
        probe = self._space.advance(now, settings.step * rate, ahead)
        try:
            beyond = self._close(probe, ahead, None)[1]
        except CentralStopError:
            beyond = None
        return law, now, self._close(now, law, beyond)[1]

    def _law(self, time: float, active: NDArray[np.int32] | None = None) -> Array:
        """Return the laws' values; those of drives, and of acting forces if these are given, are numbers."""
        found = self._problem.law_values(time)
        if not np.all(np.isfinite(found[self._problem.needed_laws(active)])):
            raise CentralStopError(Status.BAD_INPUT)
        return found

    def _end(self, state: EngineState, now: Configuration, twist: Array, rate: Array) -> None:
        self._space.keep(now, state)
        state.coordinates[: len(self._taken)] += self._taken
        state.watched[: len(self._watched)] = self._watched
        state.twist.reshape(-1)[:] = twist.reshape(-1)
        state.rate[: len(rate)] = rate

    def _record(
        self, out: list[Array], row: int, now: Configuration, twist: Array, acceleration: Array, reaction: Array,
        law: Array, potential: float,
    ) -> None:  # fmt: skip
        poses, twists, accelerations, reactions, angles, scalars = out
        angles[row] = self._watched
        poses[row], twists[row], accelerations[row], reactions[row] = now.poses, twist, acceleration, reaction
        kinetic = float(np.sum(self._do.one("kinetic", self._mass, now.poses[:, 3:], twist, self._inertia)))
        every = self._around.rows(now.poses, twist, law, self._problem.sizes["ELEMENTS"])
        worst = float(np.abs(every.residual * self._around.row_units).max(initial=0.0))
        scalars[row] = kinetic, potential, worst, self._most, self._correction
        self._most = 0
