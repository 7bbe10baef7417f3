"""A ring of bodies whose first joint is driven, continued in its joint coordinates: products of exponentials.

Nothing of symgen: of the closure T(q) = 1 the steps are a fiftieth of a radian of the drive, each corrected by Newton's
method, and a ring that comes near a singular position, or turns much faster than its drive, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.model.mechanism import Mechanism

Array = NDArray[np.float64]

#: Step of the drive [rad], the largest step of another coordinate, and the worst condition of the closure.
_STEP, _FAR, _WORST = 2e-2, 0.16, 300.0


@dataclass(frozen=True)
class Joint:
    """A joint where it is drawn: R, P, C or U, a point of its axes, and their directions (unit, of U normal)."""

    type: str
    at: Array
    axis: Array
    axis2: Array

    def screws(self) -> list[Array]:
        """Return its screws (angular, linear about the origin)."""
        about = [np.concatenate([axis, np.cross(self.at, axis)]) for axis in (self.axis, self.axis2)]
        slide = np.concatenate([np.zeros(3), self.axis])
        return {"R": about[:1], "P": [slide], "C": [about[0], slide], "U": about}[self.type]


@dataclass(frozen=True)
class Ring:
    """Joints from the ground round to the ground, the first a driven R that turns at `speed` [rad/s]."""

    joints: Sequence[Joint]
    speed: float

    def mechanism(self, law: str = "") -> Mechanism:
        """Return it as a mechanism, by another law if given; bodies' frames are the ground's where it is drawn."""
        bodies = ["ground", *(f"b{k}" for k in range(1, len(self.joints))), "ground"]
        joints: dict[str, dict[str, Any]] = {}
        for k, joint in enumerate(self.joints):
            here = {"type": joint.type, "bodies": bodies[k : k + 2], "at": list(joint.at), "axis": list(joint.axis)}
            joints[f"J{k}"] = here | ({"axis2": list(joint.axis2)} if joint.type == "U" else {})
        joints["J0"]["driven"] = ["angle"]
        return Mechanism.from_dict({
            "schema": "symgen/mechanism/1", "name": "ring", "space": "spatial", "joints": joints,
            "bodies": {body: {} for body in bodies[1:-1]}, "drives": {"J0": law or f"{self.speed!r}*t"},
        })  # fmt: skip

    def poses(self, times: Array) -> Array:
        """Return the bodies' poses (n, bodies, 4, 4) at times in steps away from 0, all of one sign.

        Raises
        ------
        ValueError
            Not a ring to go on with: near a singular position, or far too fast.
        """
        q, rows = np.zeros(sum(len(joint.screws()) for joint in self.joints)), []
        for angle in self.speed * np.asarray(times):
            parts = int(np.ceil(abs(angle - q[0]) / _STEP))
            for goal in np.linspace(q[0], angle, parts + 1)[1:]:
                q = self._step(q, goal)
            rows.append(self._chain(q)[1])
        return np.array(rows)

    def _step(self, q: Array, angle: float) -> Array:
        columns = self._chain(q)[0]
        if np.linalg.cond(columns[:, 1:]) > _WORST:
            raise ValueError("singular")
        found = q.copy()
        found[0] = angle
        found[1:] -= np.linalg.solve(columns[:, 1:], columns[:, 0]) * (angle - q[0])
        for _ in range(20):
            columns, _, end = self._chain(found)
            turn = 0.5 * (end[:3, :3] - end[:3, :3].T)
            wrong = np.array([turn[2, 1], turn[0, 2], turn[1, 0], *end[:3, 3]])
            if np.max(np.abs(wrong)) < 1e-13:
                break
            found[1:] -= np.linalg.solve(columns[:, 1:], wrong)
        else:
            raise ValueError("not found")
        if np.max(np.abs(found - q)) > _FAR:
            raise ValueError("fast")
        return found

    def _chain(self, q: Array) -> tuple[Array, Array, Array]:
        """Return the screws as they lie now (6, n), the pose behind each joint but the last, the last pose."""
        here, columns, poses, k = np.eye(4), [], [], 0
        for joint in self.joints:
            for screw in joint.screws():
                w, v = here[:3, :3] @ screw[:3], here[:3, :3] @ screw[3:]
                columns.append(np.concatenate([w, v + np.cross(here[:3, 3], w)]))
                here = here @ _exponential(screw, q[k])
                k += 1
            poses.append(here)
        return np.array(columns).T, np.array(poses[:-1]), here


def _exponential(screw: Array, value: float) -> Array:
    """Return the motion along a screw of unit angular part, or of none."""
    (x, y, z), v = screw[:3], screw[3:]
    found = np.eye(4)
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + np.sin(value) * across + (1.0 - np.cos(value)) * across @ across
    found[:3, :3] = turn
    found[:3, 3] = (np.eye(3) - turn) @ np.cross(screw[:3], v) if np.any(screw[:3]) else value * v
    return found


def double_cardan() -> Ring:
    """Return a double Cardan joint with sliding middle: two shafts 15 degrees apart, inclined crosses."""
    x, up = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    middle, end = np.array([0.0, 0.6, 1.0]) / np.sqrt(1.36), np.array([0.0, 0.2, 1.0]) / np.sqrt(1.04)
    low, high = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.6, 2.0])
    return Ring(
        (
            Joint("R", np.zeros(3), up, x), Joint("U", low, x, np.array([0.0, 2.5, 1.0]) / np.sqrt(7.25)),
            Joint("P", low, middle, x), Joint("U", high, x, np.array([0.0, 5.0, 1.0]) / np.sqrt(26.0)),
            Joint("R", high, end, x),
        ),
        2.1,
    )  # fmt: skip


def random_ring(word: str, random: np.random.Generator) -> Ring:
    """Return a ring with joints of these types somewhere within a unit of the origin, its axes anywhere."""
    joints = []
    for letter in word:
        axis, other = (each / np.linalg.norm(each) for each in random.normal(size=(2, 3)))
        across = np.cross(axis, other)
        joints.append(Joint(letter, random.uniform(-1.0, 1.0, 3), axis, across / np.linalg.norm(across)))
    return Ring(tuple(joints), 2.0)
