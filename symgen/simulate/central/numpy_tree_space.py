"""Coordinates of the spanning tree in NumPy: poses, Jacobian and the part of accelerations that rates make.

The same steps as the engine's C (templates/c99/dynamics). Bodies that are equally far from the ground are treated
together, their motions of one kind by one call: a call of a routine costs more than its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import MOTION_KINDS
from symgen.poses import Array
from symgen.simulate.central.numpy_spaces import Configuration, Routines
from symgen.simulate.contract import EngineState
from symgen.simulate.tables.problem import Problem

_Indices = NDArray[np.intp]


@dataclass(frozen=True)
class _Alike:
    """Motions of one kind, with the bodies that they move."""

    kind: str
    motions: _Indices
    bodies: _Indices


@dataclass(frozen=True)
class TreeConfiguration(Configuration):
    """A configuration with what it was made of.

    Parameters
    ----------
    before, after : (motions, 7) frames before and after each motion.
    columns : of each motion (1 or 3, 6): twists of the body for unit rates.
    """

    before: Array
    after: Array
    columns: list[Array]


class TreeSpace:
    """Unknowns are the coordinates of the spanning tree; see `symgen.simulate.central.numpy_spaces.Space`."""

    def __init__(self, problem: Problem, routines: Routines) -> None:
        self._problem, self._do = problem, routines
        self._count, self._motions = problem.sizes["BODIES"], problem.sizes["MOTIONS"]
        self._unknowns, self._balls = problem.sizes["UNKNOWNS"], problem.sizes["BALLS"]
        self._motion_rows = problem.tables["MOTION"]
        kinds = np.array([kind.startswith("turn") for kind in MOTION_KINDS])
        self._free_turns = (self._motion_rows["unknown"] >= 0) & kinds[self._motion_rows["kind"]]
        self._rest = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        self._parents = np.asarray(problem.tables["BODY"]["parent"], dtype=np.intp)
        self._levels = self._bodies_by_level()
        every: _Indices = np.arange(self._count)
        self._steps = [self._motions_in_turn(bodies) for bodies in self._levels]
        self._all_steps = self._motions_in_turn(every)

    def _bodies_by_level(self) -> list[_Indices]:
        """Return the bodies by their distance from the ground; a carrier comes before what it carries."""
        level = np.zeros(self._count, dtype=np.intp)
        for body, parent in enumerate(self._parents):
            level[body] = 0 if parent == self._count else level[parent] + 1
        return [np.flatnonzero(level == k) for k in range(int(level.max(initial=-1)) + 1)]

    def _motions_in_turn(self, bodies: _Indices) -> list[list[_Alike]]:
        """Return the first motions of bodies, then the second ones, ..., those of one kind together."""
        rows = self._problem.tables["BODY"]
        turns: list[list[_Alike]] = []
        while True:
            alike: dict[str, list[tuple[int, int]]] = {}
            for body in bodies:
                m = int(rows["first_motion"][body]) + len(turns)
                if m < rows["end_motion"][body] and (kind := MOTION_KINDS[self._motion_rows["kind"][m]]) != "mode":
                    alike.setdefault(kind, []).append((m, int(body)))
            if not alike:
                return turns
            turns.append([_Alike(kind, *np.array(pairs, dtype=np.intp).T) for kind, pairs in alike.items()])

    def start(self, state: EngineState, law: Array) -> TreeConfiguration:
        """See `Space.start`."""
        end = self._motions + 4 * self._balls
        values, balls = state.coordinates[: self._motions].copy(), state.coordinates[self._motions : end]
        return self._find_poses(values, balls.reshape(-1, 4), law)

    def advance(self, now: Configuration, step: Array, law: Array) -> TreeConfiguration:
        """See `Space.advance`."""
        values, balls = now.values.copy(), now.balls.copy()
        for m, (kind, unknown, ball) in enumerate(self._motion_rows[["kind", "unknown", "ball"]].tolist()):
            if unknown >= 0 and MOTION_KINDS[kind] == "ball":
                balls[ball] = self._do.one("spin", balls[ball], step[unknown : unknown + 3])
            elif unknown >= 0:
                values[m] += step[unknown]
        return self._find_poses(values, balls, law)

    def shorten(self, before: Configuration, now: Configuration) -> Array:
        """See `Space.shorten`."""
        turns: Array = np.where(self._free_turns, 4 * np.pi * np.floor(now.values / (4 * np.pi) + 0.5), 0.0)
        now.values[:] -= turns
        if before is not now:
            before.values[:] -= turns
        return turns

    def rates(self, one: Configuration, two: Configuration, span: float) -> Array:
        """See `Space.rates`."""
        found = np.zeros(self._unknowns)
        for m, (kind, unknown, ball) in enumerate(self._motion_rows[["kind", "unknown", "ball"]].tolist()):
            if unknown >= 0 and MOTION_KINDS[kind] == "ball":
                half = self._do.call("half_turn", one.balls[ball], two.balls[ball])[0]
                found[unknown : unknown + 3] = 2 * half / span
            elif unknown >= 0:
                found[unknown] = (two.values[m] - one.values[m]) / span
        return found

    def keep(self, now: Configuration, state: EngineState) -> None:
        """See `Space.keep`."""
        state.coordinates[: self._motions] = now.values
        state.coordinates[self._motions : self._motions + 4 * self._balls] = now.balls.reshape(-1)

    def bias(self, now: Configuration, law: Array, rate: Array, twist: Array) -> Array:
        """See `Space.bias`."""
        if not isinstance(now, TreeConfiguration):
            raise TypeError("a configuration of the tree is wanted")
        poses, moving = np.vstack([now.poses, self._rest]), np.vstack([twist, np.zeros(6)])
        found = np.zeros((self._count + 1, 6))
        found[:-1] = self._own_bias(now, law, rate, moving)
        for bodies in self._levels:
            parents = self._parents[bodies]
            lever = poses[bodies, :3] - poses[parents, :3]
            found[bodies] += self._do.one("shift", found[parents], lever)
            found[bodies, :3] += np.cross(moving[parents, 3:], moving[bodies, :3] - moving[parents, :3])
        return found[:-1]

    def _own_bias(self, now: TreeConfiguration, law: Array, rate: Array, twist: Array) -> Array:
        """Return what the motions of each body (n, 6) add to what its carrier brings."""
        found = np.zeros((self._count, 6))
        carrier = self._carriers(now.poses, np.arange(self._count))
        poses = np.vstack([now.poses, self._rest])
        held = self._do.one("shift", twist[self._parents], carrier[:, :3] - poses[self._parents, :3])
        speed, omega = held[:, :3].copy(), held[:, 3:].copy()
        for alike in [each for turn in self._all_steps for each in turn]:
            bodies, motions = alike.bodies, alike.motions
            columns = np.array([now.columns[m] for m in motions])
            rated = [self._rates_of(int(m), law, rate) for m in motions]
            sizes, accelerations = np.array([each[0] for each in rated]), np.array([each[1] for each in rated])
            lever = now.poses[bodies, :3] - now.before[motions, :3]
            rates = self._column_rates(alike, columns, lever, omega[bodies], twist[bodies, :3] - speed[bodies])
            found[bodies] += np.einsum("mci,mc->mi", rates, sizes)
            found[bodies] += columns[:, 0] * accelerations[:, None]
            way = now.after[motions, :3] - now.before[motions, :3]
            speed[bodies] += np.cross(omega[bodies], way)
            turned = np.einsum("mci,mc->mi", columns, sizes)
            if alike.kind.startswith("slide"):
                speed[bodies] += turned[:, :3]
                continue
            if alike.kind == "screw_z":
                speed[bodies] += self._pitches(alike) * turned[:, 3:]
            omega[bodies] += turned[:, 3:]
        return found

    # -- poses -------------------------------------------------------------------------------------------------------

    def _find_poses(self, values: Array, balls: Array, law: Array) -> TreeConfiguration:
        follow = self._motion_rows["law"] >= 0
        values[follow] = self._motion_rows["sign"][follow] * law[self._motion_rows["law"][follow]]
        poses, before, after = np.zeros((self._count, 7)), np.zeros((self._motions, 7)), np.zeros((self._motions, 7))
        for bodies, steps in zip(self._levels, self._steps, strict=True):
            poses[bodies] = self._carriers(poses, bodies)
            for alike in [each for turn in steps for each in turn]:
                before[alike.motions] = poses[alike.bodies]
                after[alike.motions] = poses[alike.bodies] = self._moved(alike, poses[alike.bodies], values, balls)
            self._pass_beams(bodies, values, poses, before, after)
            poses[bodies] = self._do.one("compose", poses[bodies], self._problem.tables["BODY"]["after"][bodies])
        columns = self._columns(values, poses, before, after)
        jacobian, driven = self._jacobian(poses, columns)
        return TreeConfiguration(values, balls, poses, jacobian, driven, before, after, columns)

    def _carriers(self, poses: Array, bodies: _Indices) -> Array:
        """Return the frames (k, 7) of bodies on their carriers."""
        carrier = np.vstack([poses, self._rest])[self._parents[bodies]]
        return self._do.one("compose", carrier, self._problem.tables["BODY"]["before"][bodies])

    def _moved(self, alike: _Alike, frames: Array, values: Array, balls: Array) -> Array:
        if alike.kind == "ball":
            return self._do.one("ball", frames, balls[self._motion_rows["ball"][alike.motions]])
        if alike.kind == "screw_z":
            return self._do.one("screw_z", frames, values[alike.motions], self._pitches(alike)[:, 0])
        return self._do.one(alike.kind, frames, values[alike.motions])

    def _pitches(self, alike: _Alike) -> Array:
        found: Array = self._problem.tables["MOTION"]["pitch"][alike.motions][:, None]
        return found

    def _pass_beams(self, bodies: _Indices, values: Array, poses: Array, before: Array, after: Array) -> None:
        """Lead the frames of bodies that are far ends of beams there; a tree of rigid bodies has none."""

    def _columns(self, values: Array, poses: Array, before: Array, after: Array) -> list[Array]:
        found: list[Array] = [np.empty((0, 6))] * self._motions
        for alike in [each for turn in self._all_steps for each in turn]:
            point, ahead = poses[alike.bodies, :3], after[alike.motions]
            if alike.kind == "ball":
                parts = [self._do.one(f"turn_column_{axis}", before[alike.motions], point) for axis in "xyz"]
            elif alike.kind == "screw_z":
                parts = [self._do.one("screw_column_z", ahead, point, self._pitches(alike)[:, 0])]
            else:
                motion, _, axis = alike.kind.partition("_")
                parts = [self._do.one(f"{motion}_column_{axis}", *((ahead, point) if motion == "turn" else (ahead,)))]
            for k, m in enumerate(alike.motions):
                found[m] = np.array([part[k] for part in parts])
        return found

    def _jacobian(self, poses: Array, columns: list[Array]) -> tuple[Array, Array]:
        """Return twists for unit rates of the unknowns and of driven motions, (6 n, unknowns) and (6 n, motions)."""
        whole = np.zeros((self._count + 1, 6, self._unknowns + self._motions))
        padded, table = np.vstack([poses, self._rest]), self._problem.tables["BODY"]
        for bodies in self._levels:
            parents = self._parents[bodies]
            whole[bodies] = whole[parents]
            lever = padded[bodies, :3] - padded[parents, :3]
            turning = np.swapaxes(whole[parents, 3:], 1, 2)
            whole[bodies, :3] += np.swapaxes(np.cross(turning, lever[:, None]), 1, 2)
            for body in bodies:
                for m in range(int(table["first_motion"][body]), int(table["end_motion"][body])):
                    unknown = int(self._motion_rows["unknown"][m])
                    index = unknown if unknown >= 0 else self._unknowns + m
                    whole[body, :, index : index + len(columns[m])] = columns[m].T
        rows, parts = 6 * self._count, (whole[:-1, :, : self._unknowns], whole[:-1, :, self._unknowns :])
        return parts[0].reshape(rows, -1), parts[1].reshape(rows, -1)

    # -- rates -------------------------------------------------------------------------------------------------------

    def _rates_of(self, m: int, law: Array, rate: Array) -> tuple[Array, float]:
        """Return the rates of a motion's columns, and the acceleration of a driven one."""
        kind, unknown, k = (int(self._motion_rows[name][m]) for name in ("kind", "unknown", "law"))
        if unknown < 0:
            sign = float(self._problem.tables["MOTION"]["sign"][m])
            sizes = self._problem.sizes
            return np.array([sign * law[sizes["RATES"] + k]]), sign * float(law[sizes["SECONDS"] + k])
        return rate[unknown : unknown + (3 if MOTION_KINDS[kind] == "ball" else 1)], 0.0

    def _column_rates(self, alike: _Alike, columns: Array, lever: Array, omega: Array, lever_rate: Array) -> Array:
        """Return the rates (k, c, 6) of columns.

        Parameters
        ----------
        columns : (k, c, 6).
        lever : (k, 3) from the frames before the motions to the bodies.
        omega : (k, 3) of those frames.
        lever_rate : (k, 3) velocities of the bodies less those of the frames' origins.
        """
        if alike.kind.startswith("slide"):
            turned = np.cross(omega[:, None], columns[:, :, :3])
            return np.concatenate([turned, np.zeros_like(turned)], axis=-1)
        axes, given = columns[:, :, 3:], (each[:, None] for each in (lever, omega, lever_rate))
        found = self._do.one("turn_column_rate", axes, *given)
        if alike.kind == "screw_z":
            found = found.copy()
            found[..., :3] += self._pitches(alike)[:, None] * np.cross(omega[:, None], axes)
        return found
