"""symgen: the special engine for trees of bodies on ball joints; compiled once, a system is tables."""

from __future__ import annotations

import numpy as np

from benchmarks.transfer.contestant import Contestant, deviation
from benchmarks.transfer.systems import GRAVITY, System
from symgen.simulate.special.engine import SpecialEngine
from symgen.simulate.special.tree import make_tree


def contestant(given: System) -> Contestant:
    """Return the engine on a system."""
    inertia = np.pad(given.inertia, ((0, 0), (0, 3)))
    tree = make_tree("ball", given.parent, given.mass, inertia, given.output, given.input, GRAVITY)
    engine = SpecialEngine(tree)
    state = np.ascontiguousarray(np.concatenate([given.q, given.omega], axis=1)[tree.order])
    rate = np.empty_like(state)

    def error(alpha: np.ndarray) -> float:
        return deviation(rate[:, 4:], alpha[tree.order])

    return Contestant("symgen", engine.bound_call(state, rate), error)


def pins(bodies: int) -> Contestant:
    """Return the planar engine on a chain of pins."""
    ends = np.tile([0.0, 0.25], (bodies, 1))
    inputs = np.where(np.arange(bodies)[:, None] > 0, -ends, 0.0)
    parent = np.arange(bodies) - 1
    tree = make_tree("planar", parent, np.ones(bodies), np.full(bodies, 0.021), ends, inputs, np.array([0.0, -9.81]))
    engine = SpecialEngine(tree)
    state = np.random.default_rng(1).normal(size=(bodies, 2))
    rate = np.empty_like(state)
    return Contestant("symgen, pins in the plane", engine.bound_call(state, rate), lambda _: 0.0)


def angular_accelerations(given: System) -> np.ndarray:
    """Return angular accelerations (n, 3) to compare with, of an engine that others check."""
    inertia = np.pad(given.inertia, ((0, 0), (0, 3)))
    tree = make_tree("ball", given.parent, given.mass, inertia, given.output, given.input, GRAVITY)
    state = np.concatenate([given.q, given.omega], axis=1)[tree.order]
    found = np.empty((given.bodies, 3))
    found[tree.order] = SpecialEngine(tree).rates(state)[:, 4:]
    return found
