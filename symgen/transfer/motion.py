"""Accelerations by the overall transfer equation, for the integrator in the coordinates of the tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.errors import SymgenError
from symgen.model.mechanism import Mechanism
from symgen.poses import Array
from symgen.simulate.articulated.numpy_motion import ArticulatedStopError
from symgen.simulate.start.initial import InitialState
from symgen.simulate.tables.problem import Problem
from symgen.status import Status
from symgen.transfer.overall.direct import DirectMethod
from symgen.transfer.start import take_snapshot, unloaded_snapshot
from symgen.transfer.system.system import deduce


class DirectAccelerator:
    """See `symgen.simulate.articulated.numpy_motion.Accelerator`: the paper's method at every time.

    Raises
    ------
    SymgenError
        As `symgen.accelerations` with method ``"transfer"``: what it refuses at the start.
    """

    def __init__(self, mechanism: Mechanism, problem: Problem, start: InitialState) -> None:
        self._mechanism, self._problem, self._start = mechanism, problem, start
        self._order, self._unit = list(problem.order), problem.unit
        self._method = DirectMethod(deduce(mechanism, single_root=True))
        self._now = take_snapshot(mechanism, start)
        self._method.solve(self._now)

    def accelerations(self, time: float, poses: Array, twists: Array, wrench: Array) -> Array:
        """Return accelerations (n, 6) of the centres of mass under wrenches; bodies and units are the engine's.

        Raises
        ------
        ArticulatedStopError
            The equation is singular here.
        """
        unit, count = self._unit, len(self._order)
        back = np.argsort(self._order)
        lengths = np.array([unit] * 3 + [1.0] * 3)
        places, motions = poses[back].copy(), twists[back] * lengths
        places[:, :3] *= unit
        loads = np.zeros((count + 1, 6))
        loads[:-1] = wrench[back] * np.array([unit] * 3 + [unit**2] * 3)
        try:
            bare = unloaded_snapshot(self._mechanism, replace(self._start, poses=places, twists=motions), time)
            self._now = replace(bare, force=loads[:, :3], moment=loads[:, 3:])
            found = self._method.accelerations(self._now)
        except SymgenError as error:
            raise ArticulatedStopError(Status.SINGULAR, reason=str(error)) from error
        accelerations: Array = found[self._order] / lengths
        return accelerations

    def check(self) -> None:
        """Judge the accelerations found last by the error that is to be expected of them.

        Raises
        ------
        ArticulatedStopError
            The equation is too badly conditioned here.
        """
        try:
            self._method.solve(self._now)
        except SymgenError as error:
            raise ArticulatedStopError(Status.SINGULAR, reason=str(error)) from error
