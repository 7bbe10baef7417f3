"""symgen: divide and conquer in NumPy, the joins of each level of the binary tree in batches."""

from __future__ import annotations

import numpy as np

from benchmarks.transfer.contestant import Contestant, deviation
from benchmarks.transfer.mixed import MixedChain
from benchmarks.transfer.mixed_symgen import mechanism_of
from symgen.simulate.start.initial import initial_state
from symgen.simulate.tables.scale import unit_of_length
from symgen.transfer.assemblies.method import solve_divide_and_conquer
from symgen.transfer.solution import Solution
from symgen.transfer.start import take_snapshot
from symgen.transfer.system.system import deduce


def contestant(given: MixedChain) -> Contestant:
    """Return the method on a chain; the state and its loads are given."""
    mechanism = mechanism_of(given)
    snapshot, system = take_snapshot(mechanism, initial_state(mechanism)), deduce(mechanism)
    unit = unit_of_length(mechanism)

    def call() -> Solution:
        return solve_divide_and_conquer(snapshot, system, unit)

    def error(alpha: np.ndarray) -> float:
        return deviation(call().accelerations[:, 3:], alpha)

    return Contestant("symgen, divide and conquer", call, error)
