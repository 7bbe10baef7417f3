"""The systems: chains and binary trees of rods on ball joints, in random attitudes and motion; no tool's terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])
SHAPES = ("chain", "tree")


@dataclass(frozen=True)
class System:
    """Rods of 0.5 m and 1 kg; each hangs with one end, at -output from its centre of mass, on the other end of another.

    Parameters
    ----------
    parent : (n,) the body that carries it, -1 the world; bodies come behind those that carry them.
    mass : (n,) [kg].
    inertia : (n, 3) principal moments about the centre of mass, along the body's axes [kg m^2].
    output : (n, 3) from the centre of mass to the joint that carries it [m, body axes].
    input : (n, 3) the same joint on the body that carries it, from that one's centre of mass [m, its axes].
    q, omega : (n, 4), (n, 3) orientation and angular velocity, both absolute, world axes.
    """

    name: str
    parent: np.ndarray
    mass: np.ndarray
    inertia: np.ndarray
    output: np.ndarray
    input: np.ndarray
    q: np.ndarray
    omega: np.ndarray

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.parent)

    @property
    def turns(self) -> np.ndarray:
        """Rotation matrices, (n, 3, 3)."""
        w, x, y, z = self.q.T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.array(rows).transpose(2, 0, 1)

    def relative_turns(self) -> np.ndarray:
        """Rotation of each body relative to the one that carries it, (n, 3, 3)."""
        turns = self.turns
        carrying = np.where((self.parent >= 0)[:, None, None], turns[self.parent], np.eye(3))
        return np.einsum("nji,njk->nik", carrying, turns)

    def relative(self, vectors: np.ndarray) -> np.ndarray:
        """Differences of vectors of the bodies and of those that carry them, (n, 3)."""
        return vectors - np.where((self.parent >= 0)[:, None], vectors[self.parent], 0.0)


def system(shape: str, bodies: int, seed: int = 1) -> System:
    """Return a chain or a binary tree."""
    rng = np.random.default_rng(seed)
    index = np.arange(bodies)
    parent = index - 1 if shape == "chain" else (index - 1) // 2
    output = np.tile([0.0, 0.0, 0.25], (bodies, 1))
    input_ = np.where((parent >= 0)[:, None], -output, 0.0)
    q = rng.normal(size=(bodies, 4)) * 0.2 + np.array([1.0, 0.0, 0.0, 0.0])
    q /= np.linalg.norm(q, axis=1)[:, None]
    inertia = np.tile([0.021, 0.021, 0.001], (bodies, 1))
    omega = rng.normal(size=(bodies, 3))
    return System(f"{shape} of {bodies}", parent, np.ones(bodies), inertia, output, input_, q, omega)


def relative_in_child(given: System, alpha: np.ndarray) -> np.ndarray:
    """Return rates of the relative angular velocities in the axes of the carried bodies, (n, 3)."""
    moved = given.relative(alpha) - np.cross(given.omega, given.relative(given.omega))
    return np.einsum("nji,nj->ni", given.turns, moved)


def relative_in_parent(given: System, alpha: np.ndarray) -> np.ndarray:
    """Return rates of the relative angular velocities in the axes of the carrying bodies, (n, 3)."""
    has = (given.parent >= 0)[:, None]
    carrying = np.where(has[..., None], given.turns[given.parent], np.eye(3))
    spin = np.where(has, given.omega[given.parent], 0.0)
    moved = given.relative(alpha) - np.cross(spin, given.relative(given.omega))
    return np.einsum("nji,nj->ni", carrying, moved)
