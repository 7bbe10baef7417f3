"""Configurations in NumPy: coordinates of the spanning tree, or poses of all bodies, with the Jacobian to twists.

The same steps as the engine's C (templates/c99/dynamics), with whole matrices: to read, to check, and for machines
without a compiler. Every formula is a routine of the generated NumPy module.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import numpy as np

from symgen.poses import Array
from symgen.simulate.contract import EngineState
from symgen.simulate.tables.problem import Problem


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

    def start(self, state: EngineState, law: Array) -> Configuration:
        """Return the configuration of a state."""

    def advance(self, now: Configuration, step: Array, law: Array) -> Configuration:
        """Add steps of the unknowns, and set driven motions."""

    def shorten(self, before: Configuration, now: Configuration) -> Array:
        """Take pairs of turns from the angles of both, so that they are rounded less; return what was taken."""

    def rates(self, one: Configuration, two: Configuration, span: float) -> Array:
        """Return rates of the unknowns over a span of time."""

    def bias(self, now: Configuration, law: Array, rate: Array, twist: Array) -> Array:
        """Return the accelerations (n, 6) of the bodies while the unknowns have no second derivative."""

    def keep(self, now: Configuration, state: EngineState) -> None:
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

    def start(self, state: EngineState, law: Array) -> Configuration:
        """See `Space.start`."""
        return self._at(state.coordinates[: 7 * self._count].reshape(-1, 7).copy())

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

    def keep(self, now: Configuration, state: EngineState) -> None:
        """See `Space.keep`."""
        state.coordinates[: 7 * self._count] = now.poses.reshape(-1)

    def _at(self, poses: Array) -> Configuration:
        return Configuration(np.empty(0), np.empty((0, 4)), poses, self._unit, self._none)
