"""Configurations in NumPy: coordinates of the spanning tree, or poses of all bodies, with the Jacobian to twists.

The same steps as the engine's C (templates/c99/dynamics), with whole matrices: to read, to check, and for machines
without a compiler. Every formula is a routine of the generated NumPy module.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import numpy as np

from symgen.library.rotations import Array
from symgen.simulate.engine import State
from symgen.simulate.mechanism_tables import KINDS
from symgen.simulate.problem import Problem


@dataclass(frozen=True)
class Configuration:
    """Poses (n, 7) with what they were made of, and the Jacobian (6 n, unknowns) to the twists.

    Parameters
    ----------
    values, balls : of the tree; empty for poses.
    driven : (6 n, motions) columns of driven motions, zero for others.
    """

    values: Array
    balls: Array
    poses: Array
    jacobian: Array
    driven: Array


class Space(Protocol):
    """What unknowns mean."""

    def start(self, state: State, law: Array) -> Configuration:
        """Return the configuration of a state."""

    def advance(self, now: Configuration, step: Array, law: Array) -> Configuration:
        """Add steps of the unknowns, and place driven motions."""

    def shorten(self, before: Configuration, now: Configuration) -> Array:
        """Take pairs of turns from the angles of both, so that they are rounded less; return what was taken."""

    def rates(self, one: Configuration, two: Configuration, span: float) -> Array:
        """Return rates of the unknowns over a span of time."""

    def bias(self, now: Configuration, law: Array, rate: Array, twist: Array) -> Array:
        """Return the accelerations (n, 6) of the bodies while the unknowns have no second derivative."""

    def keep(self, now: Configuration, state: State) -> None:
        """Write a configuration into a state."""


class Routines:
    """The generated routines by name, each giving its results without the status."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def call(self, name: str, *arguments: Array | float) -> tuple[Array, ...]:
        """Return the results of a routine."""
        found: tuple[Array, ...] = getattr(self._module, name)(*arguments)[:-1]
        return found

    def one(self, name: str, *arguments: Array | float) -> Array:
        """Return the first result of a routine."""
        return self.call(name, *arguments)[0]


class PoseSpace:
    """Unknowns are displacements and small turns of all bodies."""

    def __init__(self, problem: Problem, routines: Routines) -> None:
        self._count, self._do = problem.sizes["BODIES"], routines
        self._unit, self._none = np.eye(6 * self._count), np.zeros((6 * self._count, problem.sizes["MOTIONS"]))

    def start(self, state: State, law: Array) -> Configuration:
        """See `Space.start`."""
        return self._at(state.place[: 7 * self._count].reshape(-1, 7).copy())

    def advance(self, now: Configuration, step: Array, law: Array) -> Configuration:
        """See `Space.advance`."""
        steps = step.reshape(-1, 6)
        turned = self._do.one("spin", now.poses[:, 3:], steps[:, 3:])
        return self._at(np.concatenate([now.poses[:, :3] + steps[:, :3], turned], axis=1))

    def shorten(self, before: Configuration, now: Configuration) -> Array:
        """See `Space.shorten`."""
        return np.zeros(0)

    def rates(self, one: Configuration, two: Configuration, span: float) -> Array:
        """See `Space.rates`."""
        turn = self._do.call("world_turn", one.poses[:, 3:], two.poses[:, 3:])[0]
        found: Array = np.concatenate([two.poses[:, :3] - one.poses[:, :3], 2 * turn], axis=1).reshape(-1) / span
        return found

    def bias(self, now: Configuration, law: Array, rate: Array, twist: Array) -> Array:
        """See `Space.bias`."""
        return np.zeros((self._count, 6))

    def keep(self, now: Configuration, state: State) -> None:
        """See `Space.keep`."""
        state.place[: 7 * self._count] = now.poses.reshape(-1)

    def _at(self, poses: Array) -> Configuration:
        return Configuration(np.empty(0), np.empty((0, 4)), poses, self._unit, self._none)


class TreeSpace:
    """Unknowns are the coordinates of the spanning tree."""

    def __init__(self, problem: Problem, routines: Routines) -> None:
        self._problem, self._do = problem, routines
        self._count, self._motions = problem.sizes["BODIES"], problem.sizes["MOTIONS"]
        self._unknowns, self._balls = problem.sizes["UNKNOWNS"], problem.sizes["BALLS"]
        self._records = problem.integers["MOTION"]
        free = [unknown >= 0 and KINDS[kind].startswith("turn") for kind, unknown, _, _ in self._records]
        self._free_turns = np.array(free, dtype=np.bool_)
        self._rest = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def start(self, state: State, law: Array) -> Configuration:
        """See `Space.start`."""
        end = self._motions + 4 * self._balls
        return self._place(state.place[: self._motions].copy(), state.place[self._motions : end].reshape(-1, 4), law)

    def advance(self, now: Configuration, step: Array, law: Array) -> Configuration:
        """See `Space.advance`."""
        values, balls = now.values.copy(), now.balls.copy()
        for m, (kind, unknown, _, ball) in enumerate(self._records):
            if unknown >= 0 and KINDS[kind] == "ball":
                balls[ball] = self._do.one("spin", balls[ball], step[unknown : unknown + 3])
            elif unknown >= 0:
                values[m] += step[unknown]
        return self._place(values, balls, law)

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
        for m, (kind, unknown, _, ball) in enumerate(self._records):
            if unknown >= 0 and KINDS[kind] == "ball":
                half = self._do.call("half_turn", one.balls[ball], two.balls[ball])[0]
                found[unknown : unknown + 3] = 2 * half / span
            elif unknown >= 0:
                found[unknown] = (two.values[m] - one.values[m]) / span
        return found

    def keep(self, now: Configuration, state: State) -> None:
        """See `Space.keep`."""
        state.place[: self._motions] = now.values
        state.place[self._motions : self._motions + 4 * self._balls] = now.balls.reshape(-1)

    def bias(self, now: Configuration, law: Array, rate: Array, twist: Array) -> Array:
        """See `Space.bias`."""
        found = np.zeros((self._count, 6))
        for b in range(self._count):
            self._add_bias(now, b, law, rate, twist, found)
        return found

    # -- one body ----------------------------------------------------------------------------------------------------

    def _add_bias(self, now: Configuration, b: int, law: Array, rate: Array, twist: Array, found: Array) -> None:
        """Write the bias of a body whose carrier's is known."""
        parent, carrier = self._carrier(now.poses, b)
        if parent is not None:
            lever = now.poses[b, :3] - now.poses[parent, :3]
            found[b] = self._do.one("shift", found[parent], lever)
            found[b, :3] += np.cross(twist[parent, 3:], twist[b, :3] - twist[parent, :3])
            held = self._do.one("shift", twist[parent], carrier[:3] - now.poses[parent, :3])
        else:
            held = np.zeros(6)
        speed, omega = held[:3].copy(), held[3:].copy()
        for m in self._motions_of(b):
            moved = self._moved(now, m, carrier)
            columns = self._columns(m, carrier, moved, now.poses[b, :3])
            rates, second = self._rates_of(m, law, rate)
            for column, size in zip(columns, rates, strict=True):
                found[b] += self._column_rate(m, column, carrier, now.poses[b, :3], omega, twist[b, :3] - speed) * size
                found[b] += column * second
            speed, omega = self._pass_on(m, columns, rates, moved[:3] - carrier[:3], speed, omega)
            carrier = moved

    def _place(self, values: Array, balls: Array, law: Array) -> Configuration:
        poses = np.zeros((self._count, 7))
        jacobian, driven = np.zeros((self._count, 6, self._unknowns)), np.zeros((self._count, 6, self._motions))
        signs = self._problem.numbers["MOTION_SIGN"]
        for m, (_, _, k, _) in enumerate(self._records):
            if k >= 0:
                values[m] = signs[m] * law[k]
        here = Configuration(values, balls, poses, jacobian, driven)
        for b in range(self._count):
            self._place_body(here, b)
        rows = 6 * self._count
        return Configuration(values, balls, poses, jacobian.reshape(rows, -1), driven.reshape(rows, -1))

    def _place_body(self, here: Configuration, b: int) -> None:
        """Write pose and columns, (n, 6, unknowns) and (n, 6, motions), of a body whose carrier's are known."""
        poses, jacobian, driven = here.poses, here.jacobian, here.driven
        parent, frame = self._carrier(poses, b)
        frames = [frame]
        for m in self._motions_of(b):
            frames.append(self._moved(here, m, frames[-1]))
        poses[b] = self._do.one("compose", frames[-1], self._problem.numbers["AFTER"][b])
        self._carry_columns(here, b, parent)
        for m, one, two in zip(self._motions_of(b), frames[:-1], frames[1:], strict=True):
            columns = self._columns(m, one, two, poses[b, :3])
            first = self._records[m][1]
            for k, column in enumerate(columns):
                if first >= 0:
                    jacobian[b, :, first + k] = column
                else:
                    driven[b, :, m] = column

    @staticmethod
    def _carry_columns(here: Configuration, b: int, parent: int | None) -> None:
        """Give a body the columns of its carrier, at its own place."""
        if parent is not None:
            lever = here.poses[b, :3] - here.poses[parent, :3]
            for whole in (here.jacobian, here.driven):
                whole[b] = whole[parent]
                whole[b, :3] += np.cross(whole[parent, 3:], lever, axisa=0).T

    # -- one motion --------------------------------------------------------------------------------------------------

    def _motions_of(self, b: int) -> range:
        first = self._problem.integers["FIRST_MOTION"]
        return range(int(first[b]), int(first[b + 1]))

    def _carrier(self, poses: Array, b: int) -> tuple[int | None, Array]:
        parent = int(self._problem.integers["PARENT"][b])
        on_ground = parent == self._count
        pose = self._rest if on_ground else poses[parent]
        return None if on_ground else parent, self._do.one("compose", pose, self._problem.numbers["BEFORE"][b])

    def _moved(self, here: Configuration, m: int, frame: Array) -> Array:
        kind = KINDS[self._records[m][0]]
        if kind == "ball":
            return self._do.one("ball", frame, here.balls[self._records[m][3]])
        if kind == "screw_z":
            return self._do.one("screw_z", frame, here.values[m], self._problem.numbers["MOTION_PITCH"][m])
        return self._do.one(kind, frame, here.values[m])

    def _columns(self, m: int, before: Array, after: Array, point: Array) -> list[Array]:
        kind = KINDS[self._records[m][0]]
        if kind == "ball":
            return [self._do.one(f"turn_column_{axis}", before, point) for axis in "xyz"]
        if kind == "screw_z":
            return [self._do.one("screw_column_z", after, point, self._problem.numbers["MOTION_PITCH"][m])]
        motion, _, axis = kind.partition("_")
        arguments = (after, point) if motion == "turn" else (after,)
        return [self._do.one(f"{motion}_column_{axis}", *arguments)]

    def _rates_of(self, m: int, law: Array, rate: Array) -> tuple[Array, float]:
        """Return the rates of a motion's columns, and the second derivative of a driven one."""
        kind, unknown, k, _ = self._records[m]
        if unknown < 0:
            sign = float(self._problem.numbers["MOTION_SIGN"][m])
            sizes = self._problem.sizes
            return np.array([sign * law[sizes["RATES"] + k]]), sign * float(law[sizes["SECONDS"] + k])
        return rate[unknown : unknown + (3 if KINDS[kind] == "ball" else 1)], 0.0

    def _column_rate(
        self, m: int, column: Array, carrier: Array, point: Array, omega: Array, lever_rate: Array
    ) -> Array:
        kind = KINDS[self._records[m][0]]
        if kind.startswith("slide"):
            return np.concatenate([np.cross(omega, column[:3]), np.zeros(3)])
        found = self._do.one("turn_column_rate", column[3:], point - carrier[:3], omega, lever_rate)
        if kind == "screw_z":
            found = found.copy()
            found[:3] += self._problem.numbers["MOTION_PITCH"][m] * np.cross(omega, column[3:])
        return found

    def _pass_on(
        self, m: int, columns: list[Array], rates: Array, way: Array, speed: Array, omega: Array
    ) -> tuple[Array, Array]:
        """Return speed and angular velocity of the frame behind a motion."""
        kind = KINDS[self._records[m][0]]
        speed = speed + np.cross(omega, way)
        for column, size in zip(columns, rates, strict=True):
            if kind.startswith("slide"):
                speed = speed + column[:3] * size
                continue
            if kind == "screw_z":
                speed = speed + self._problem.numbers["MOTION_PITCH"][m] * column[3:] * size
            omega = omega + column[3:] * size
        return speed, omega
