"""Motion, forces and accelerations at one time in the coordinates of the tree, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import MOTION_KINDS
from symgen.library.generated_numpy import load_routines
from symgen.poses import Array
from symgen.simulate.articulated.loops import make_loops
from symgen.simulate.articulated.numpy_beams import Beams, BeamSpace, BentBeams
from symgen.simulate.articulated.numpy_sweep import IdleJointError, Sweep
from symgen.simulate.central.numpy_rows import ConstraintRows, Surroundings
from symgen.simulate.central.numpy_spaces import Configuration, Routines
from symgen.simulate.central.numpy_tree_space import TreeSpace
from symgen.simulate.constants import constant
from symgen.simulate.contract import EngineState
from symgen.simulate.explicit.numpy_steps import StepError
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.tables.problem import Problem
from symgen.status import Status

_ROUNDED, _OPENED, _LOOSE = constant("ROUNDED"), constant("WIDEST_OPEN"), constant("LOOSE")
_ROUNDS = int(constant("MOST_ROUNDS"))


class ArticulatedStopError(StepError):
    """A motion could not be found; `reason` says more than the status where there is more to say."""

    def __init__(self, status: Status, body: int = -1, reason: str = "") -> None:
        super().__init__(status)
        self.body, self.reason = body, reason


@dataclass(frozen=True)
class TreeMotion:
    """What is known at one time: motion of the bodies, forces, and rates of the state."""

    now: Configuration
    twist: Array
    acceleration: Array
    residual: Array
    potential: float
    law: Array
    angle: Array
    slope: Array
    kinetic: float = 0.0  # of beams


class Accelerator(Protocol):
    """Another way to find accelerations than the sweep's."""

    def accelerations(self, time: float, poses: Array, twists: Array, wrench: Array) -> Array:
        """Return accelerations (n, 6) of the centres of mass under wrenches (n, 6), world axes.

        Raises
        ------
        ArticulatedStopError
            There are none here.
        """

    def check(self) -> None:
        """Judge the accelerations that were found last; asked once a step.

        Raises
        ------
        ArticulatedStopError
            They have too few digits.
        """


class TreeMotions:
    """Finds the motion of all bodies for a state: values of motions, turns of balls, rates of the unknowns.

    Attributes
    ----------
    opened : how far loops were open when they were closed last.
    """

    def __init__(self, problem: Problem, manifest: DynamicsManifest, accelerator: Accelerator | None = None) -> None:
        self._problem, self._do = problem, Routines(load_routines(FOLDER, f"{FOLDER}.py"))
        self._element = Routines(load_routines("transfer", "transfer.py"))
        bent = bool(problem.sizes.get("BEAMS"))
        self._space = BeamSpace(problem, self._do) if bent else TreeSpace(problem, self._do)
        self._around, self._beams = Surroundings(problem, manifest, self._do), Beams(problem) if bent else None
        self._sweep, self._accelerator = Sweep(problem, make_loops(problem)), accelerator
        self._parents = np.asarray(problem.tables["BODY"]["parent"], dtype=np.intp)
        self._count, self._motions = problem.sizes["BODIES"], problem.sizes["MOTIONS"]
        self._balls, self._motion_rows = problem.sizes["BALLS"], problem.tables["MOTION"]
        self._mass, self._inertia = problem.tables["BODY"]["mass"], problem.tables["BODY"]["inertia"]
        self.opened = 0.0

    @property
    def coordinates(self) -> int:
        """How many numbers of a state are coordinates; rates follow."""
        return self._motions + 4 * self._balls

    def laws(self, time: float) -> Array:
        """Return the laws' values; those of forces may be NaN."""
        found = self._problem.law_values(time)
        if not np.all(np.isfinite(found[self._problem.needed_laws()])):
            raise ArticulatedStopError(Status.BAD_INPUT)
        return found

    def motion(self, time: float, state: Array, angle: Array, active: NDArray[np.int32], recall: float) -> TreeMotion:
        """Return motion, forces and rates of a state."""
        law, rate = self.laws(time), state[self.coordinates :]
        now = self._configuration(state, law)
        twist, swept = self._twists(now, law, rate)
        angle = angle.copy()
        forces = self._around.forces(now.poses, twist, law, active, angle)
        drag = self._element.one("damper_force", forces.damping, forces.rows @ twist.reshape(-1))
        applied = forces.wrench + (forces.rows.T @ drag).reshape(-1, 6)
        wrench = applied.copy()
        wrench[:, 3:] -= self._do.one("gyroscopic", now.poses[:, 3:], twist[:, 3:], self._inertia)
        if not (np.all(np.isfinite(wrench)) and np.isfinite(forces.potential)):
            raise ArticulatedStopError(Status.BAD_INPUT)
        beams = self._bend(now, twist, rate)
        for b, load in beams.load.items():
            wrench[b] += load
        if self._accelerator is None:
            rows = self._rows(now, twist, law)
            self._factorise(now, rows, beams)
            opening = rows.jacobian @ twist.reshape(-1) + rows.rate
            term = self._element.one("loop_recall", rows.bias, opening, rows.residual, recall)
            found = self._sweep.solve(-wrench, term, swept, {b: modal.load for b, modal in beams.modal.items()})
            coordinate_acceleration, acceleration = found.coordinate_acceleration, found.acceleration
        else:
            if np.any(self._sweep.ranks < 0):  # closing the loops asks for them
                self._factorise(now, self._rows(now, twist, law), beams)
            acceleration = self._accelerator.accelerations(time, now.poses, twist, applied)
            coordinate_acceleration = self._coordinate_accelerations(now, swept, acceleration)
        if not np.all(np.isfinite(coordinate_acceleration)):
            raise ArticulatedStopError(Status.BAD_INPUT)
        residual = np.einsum("bij,bj->bi", self._inertias(now, beams), acceleration) - wrench
        for b, modal in beams.modal.items():
            residual[self._parents[b]] += modal.coupling @ coordinate_acceleration[self._sweep.unknowns[b]]
        slope, potential = self._slope(state, rate, coordinate_acceleration), forces.potential + beams.potential
        return TreeMotion(now, twist, acceleration, residual, potential, law, angle, slope, beams.kinetic)

    def close(self, time: float, state: Array) -> Array:
        """Return the state with its loops closed, and rates that keep them closed."""
        law, rate = self.laws(time), state[self.coordinates :]
        now, before, still = self._configuration(state, law), np.inf, np.zeros((self._count, 6))
        moved = 0.0
        for turn in range(_ROUNDS):
            rows = self._rows(now, still, law)
            if turn == 0:
                self._factorise(now, rows, self._bend(now, still, np.zeros_like(rate)))
            size = float(np.abs(rows.residual).max(initial=0.0))
            self.opened = moved = size if turn == 0 else self.opened
            if not size <= _OPENED:
                raise ArticulatedStopError(Status.NOT_CONVERGED)
            if size <= _ROUNDED or size > before / 2 or turn + 1 == _ROUNDS:  # the rest is rounding
                if size > _LOOSE:
                    raise ArticulatedStopError(Status.NOT_CONVERGED)
                break
            before = size
            now = self._space.advance(now, self._sweep.solve(still, rows.residual, None).coordinate_acceleration, law)
        self.opened = 0.0
        return np.concatenate([now.values, now.balls.reshape(-1), self._close_rates(now, law, rate, moved)])

    def _close_rates(self, now: Configuration, law: Array, rate: Array, moved: float) -> Array:
        """Return rates that keep loops closed that had opened by `moved`: inertias are those of that state."""
        before, still = np.inf, np.zeros((self._count, 6))
        for _ in range(_ROUNDS):
            twist, _ = self._twists(now, law, rate)
            rows = self._rows(now, twist, law)
            opening = rows.jacobian @ twist.reshape(-1) + rows.rate
            size = float(np.abs(opening).max(initial=0.0))
            if size > before / 2:
                break
            before, rate = size, rate + self._sweep.solve(still, opening, None).coordinate_acceleration
            if not size * moved > _ROUNDED:  # as much is left
                break
        return rate

    def ranks_around(self, time: float, state: Array, way: float) -> tuple[int, int]:
        """Return how many rows of loops are independent in a state where they are closed, and a little beside it.

        Parameters
        ----------
        way : how far beside [rad or units of length]; loops open by its square, which has to be below the rank's cut.
        """
        law = self.laws(time)
        here = self._configuration(state, law)
        rank = self._rank(here, law)
        rates = np.random.default_rng(5).uniform(-1.0, 1.0, self._problem.sizes["UNKNOWNS"])  # none that is special
        still = np.zeros((self._count, 6))
        opening = self._rows(here, still, law).jacobian @ here.jacobian @ rates
        rates += self._sweep.solve(still, opening, None).coordinate_acceleration
        there = self._space.advance(here, way * rates / max(float(np.abs(rates).max(initial=0.0)), 1e-3), law)
        return rank, self._rank(there, law)

    def _rank(self, now: Configuration, law: Array) -> int:
        self._sweep.ranks[:] = -1
        still = np.zeros((self._count, 6))
        beams = self._bend(now, still, np.zeros(self._problem.sizes["UNKNOWNS"]))
        self._factorise(now, self._rows(now, still, law), beams)
        return self._sweep.rank

    def highest_frequency(self, state: Array) -> float:
        """Return the highest angular frequency [rad/s] that modes of beams have in a state, by stiffness alone."""
        if self._beams is None:
            return 0.0
        law, still = self.laws(0.0), np.zeros((self._count, 6))
        now = self._configuration(state, law)
        rows = self._rows(now, still, law)
        self._factorise(now, rows, self._bend(now, still, np.zeros(self._problem.sizes["UNKNOWNS"])))
        owners = [(beam, k) for beam in self._beams.beams for k in range(len(beam.stiffness))]
        modes = [beam.unknowns.start + k for beam, k in owners]
        root = np.sqrt([beam.stiffness[k] for beam, k in owners])
        answers = [
            self._sweep.solve(still, np.zeros_like(rows.residual), None, {beam.far: np.eye(len(beam.stiffness))[k]})
            for beam, k in owners
        ]
        mobility = np.array([answer.coordinate_acceleration[modes] for answer in answers])
        squares: Array = np.linalg.eigvalsh(root[:, None] * (mobility + mobility.T) / 2 * root)
        return float(np.sqrt(max(float(squares.max(initial=0.0)), 0.0)))

    def set_ranks(self, rank: NDArray[np.int32]) -> None:
        """Take how many rows of each closing are independent; -1: to be found."""
        self._sweep.ranks[:] = rank[: len(self._sweep.ranks)]

    def keep_ranks(self, rank: NDArray[np.int32]) -> None:
        """Give out what `set_ranks` takes."""
        rank[: len(self._sweep.ranks)] = self._sweep.ranks

    def unit(self, state: Array) -> Array:
        """Return the state with its balls made unit."""
        found = state.copy()
        balls = found[self._motions : self.coordinates].reshape(-1, 4)
        balls /= np.linalg.norm(balls, axis=1)[:, None]
        return found

    def check(self) -> None:
        """Judge the accelerations of the last motion, where another than the sweep found them."""
        if self._accelerator is not None:
            self._accelerator.check()

    # -- parts -------------------------------------------------------------------------------------------------------

    def _configuration(self, state: Array, law: Array) -> Configuration:
        nothing = np.empty(0)
        return self._space.start(EngineState(self.unit(state), nothing, nothing, nothing, nothing), law)

    def _columns(self, now: Configuration) -> list[Array]:
        whole = now.jacobian.reshape(self._count, 6, -1)
        return [whole[b][:, own] for b, own in enumerate(self._sweep.unknowns)]

    def _rows(self, now: Configuration, twist: Array, law: Array) -> ConstraintRows:
        return self._around.rows(now.poses, twist, law, self._problem.sizes["CUT_ELEMENTS"])

    def _bend(self, now: Configuration, twist: Array, rate: Array) -> BentBeams:
        return self._beams.find(now, twist, rate) if self._beams is not None else BentBeams({}, {}, {})

    def _inertias(self, now: Configuration, beams: BentBeams) -> Array:
        """Return the inertias (n, 6, 6) of the bodies for twists."""
        turning = self._do.one("body_inertia", now.poses[:, 3:], self._inertia)
        inertia = np.zeros((self._count, 6, 6))
        inertia[:, :3, :3] = self._mass[:, None, None] * np.eye(3)
        inertia[:, 3:, 3:] = turning[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)
        for b, held in beams.inertia.items():
            inertia[b] += held
        return inertia

    def _factorise(self, now: Configuration, rows: ConstraintRows, beams: BentBeams) -> None:
        """Sweep the inertias."""
        modal = {b: (each.coupling, each.mass) for b, each in beams.modal.items()}
        try:
            self._sweep.factorise(now.poses, self._columns(now), self._inertias(now, beams), rows.jacobian, modal)
        except IdleJointError as error:
            raise ArticulatedStopError(Status.SINGULAR, error.body) from None

    def _twists(self, now: Configuration, law: Array, rate: Array) -> tuple[Array, Array]:
        """Return twists (n, 6), and what each body accelerates by beyond its carrier while rates stay."""
        rates = np.zeros(self._motions)
        first = self._problem.sizes["RATES"]
        driven = self._motion_rows["law"] >= 0
        rates[driven] = self._motion_rows["sign"][driven] * law[first + self._motion_rows["law"][driven]]
        twist = (now.jacobian @ rate + now.driven @ rates).reshape(-1, 6)
        swept = self._space.bias(now, law, rate, twist)
        return twist, swept - self._carried(now, swept)

    def _carried(self, now: Configuration, motion: Array) -> Array:
        """Return what the motions (n, 6) of the carriers are at the bodies; nothing at those on the ground."""
        whole, places = np.vstack([motion, np.zeros(6)]), np.vstack([now.poses[:, :3], np.zeros(3)])
        return self._do.one("shift", whole[self._parents], places[:-1] - places[self._parents])

    def _coordinate_accelerations(self, now: Configuration, swept: Array, acceleration: Array) -> Array:
        """Return the accelerations of the unknowns that make those of the bodies."""
        found = np.zeros(self._problem.sizes["UNKNOWNS"])
        beyond = acceleration - self._carried(now, acceleration) - swept
        for each, column, own in zip(beyond, self._columns(now), self._sweep.unknowns, strict=True):
            found[own] = np.linalg.lstsq(column, each, rcond=None)[0]
        return found

    def _slope(self, state: Array, rate: Array, coordinate_acceleration: Array) -> Array:
        values, balls = np.zeros(self._motions), np.zeros((self._balls, 4))
        quaternions = state[self._motions : self.coordinates].reshape(-1, 4)
        for m, (kind, unknown, ball) in enumerate(self._motion_rows[["kind", "unknown", "ball"]].tolist()):
            if unknown >= 0 and MOTION_KINDS[kind] == "ball":
                balls[ball] = self._element.one("quaternion_rate", quaternions[ball], rate[unknown : unknown + 3])
            elif unknown >= 0:
                values[m] = rate[unknown]
        return np.concatenate([values, balls.reshape(-1), coordinate_acceleration])

    def record(self, out: list[Array], row: int, motion: TreeMotion, watched: Array) -> None:
        """Write one row of a stretch."""
        poses = motion.now.poses
        violation = self._around.rows(poses, motion.twist, motion.law, self._problem.sizes["ELEMENTS"]).residual
        kinetic = self._do.one("kinetic", self._mass, poses[:, 3:], motion.twist, self._inertia)
        out[4][row] = self.watch(motion.now, watched)
        for array, values in zip(out[:4], (poses, motion.twist, motion.acceleration, motion.residual), strict=True):
            array[row] = values
        if self._beams is not None:
            out[6][row] = self._beams.state(motion.now.values, motion.slope)
        worst = np.abs(self._around.row_units * violation).max(initial=0.0)
        out[5][row] = [float(np.sum(kinetic)) + motion.kinetic, motion.potential, worst, 0.0, 0.0]

    def watch(self, now: Configuration, watched: Array) -> Array:
        """Return the angles of joints with the turns that bring them nearest to `watched`."""
        return self._around.watch(now.values, now.poses, watched)
