"""A chain of rods on hinges of five kinds in turn, all coordinates zero, in random motion; no tool's terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

#: Kinds in the order in which they repeat, and their freedoms: axes z z, x y z, ... of the joint frame.
KINDS = ("revolute", "universal", "ball", "prismatic", "cylindrical")
#: Columns [slide, turn] of each kind's freedoms in the joint frame.
SLIDES = {"prismatic": ["z"], "cylindrical": ["z"]}
TURNS = {"revolute": ["z"], "universal": ["z", "x"], "ball": ["x", "y", "z"], "cylindrical": ["z"]}


@dataclass(frozen=True)
class MixedChain:
    """Rods of 0.5 m and 1 kg; each hangs with one end on the other end of the one before.

    Parameters
    ----------
    kinds : of the hinges, the first to the world.
    places : (n, 3) of the hinges [m, world].
    frames : (n, 3, 3) joint frames, columns x y z in the world: axes of hinges are z, the universal's second one is x.
    turns : (n, 3, 3) body axes in the world; the rod is along z.
    centres : (n, 3) centres of mass [m, world].
    inertia : (3,) principal moments about the centre of mass, along the body's axes [kg m^2].
    rates : of each hinge's freedoms, slides before turns, in the order of `SLIDES` and `TURNS` [m/s, rad/s].
    """

    kinds: tuple[str, ...]
    places: np.ndarray
    frames: np.ndarray
    turns: np.ndarray
    centres: np.ndarray
    inertia: np.ndarray
    rates: tuple[np.ndarray, ...]

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.kinds)

    @property
    def name(self) -> str:
        """What the table is called."""
        return f"mixed hinges, chain of {self.bodies}"


def freedoms(kind: str) -> int:
    """Return how many freedoms a kind of hinge has."""
    return len(SLIDES.get(kind, [])) + len(TURNS.get(kind, []))


def mixed_chain(bodies: int, seed: int = 1) -> MixedChain:
    """Return a chain."""
    rng = np.random.default_rng(seed)
    kinds = tuple(KINDS[k % len(KINDS)] for k in range(bodies))
    turns = np.array([_turn(rng.normal(size=4) * 0.2 + np.array([1.0, 0, 0, 0])) for _ in kinds])
    frames = np.array([_turn(rng.normal(size=4)) for _ in kinds])
    along = turns[:, :, 2]
    ends = -0.5 * np.cumsum(along, axis=0)  # they hang down
    places = np.vstack([np.zeros(3), ends[:-1]])
    rates = tuple(rng.normal(size=freedoms(kind)) for kind in kinds)
    return MixedChain(
        kinds, places, frames, turns, places - 0.25 * along, np.array([0.021, 0.021, 0.001]), rates
    )  # fmt: skip


def quaternion(turn: np.ndarray) -> np.ndarray:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    symmetric = np.array([
        [a + e + i, h - f, c - g, d - b], [h - f, a - e - i, b + d, c + g],
        [c - g, b + d, e - a - i, f + h], [d - b, c + g, f + h, i - a - e],
    ])  # fmt: skip
    found: np.ndarray = np.linalg.eigh(symmetric)[1][:, -1]
    return found


def _turn(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
