"""Mechanisms with idle rods by Newton's method on the poses of the other bodies: a rod is a distance, nothing more.

Written apart from symgen's groups and solvers. A tree of a mechanism file is read, joints given by `at` and `axis` in
the drawing, all body frames in the world's. The unknowns are r and q of the bodies that are no rods; q is held to unit
length. The equations are polynomial, so that a complex step gives the exact Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracle.newton import matrices

Array = NDArray[Any]
Drive = Callable[[float], float]

_STEP = 1e-40
_CONVERGED = 1e-13


def _across(axis: Array) -> Array:
    """Return two directions normal to an axis and to each other, (2, 3)."""
    return np.linalg.svd(axis[None])[2][1:]


class RodMechanism:
    """Distances and joints between the bodies that are no rods.

    Parameters
    ----------
    tree : a mechanism file; of its joints those count that join `bodies` and the ground: R, P, S, and F with driven
        translations.
    bodies : those that are no rods.
    drives : driven freedom, as ``"A"`` or ``"A.x"``, -> its coordinate over time, zero in the drawing.
    rods : what holds bodies at a distance: (first body, point, second body, point, coordinate to add or None).
    lines : (body, point, direction, other body, point): the other body's point stays on the line.
    """

    def __init__(
        self,
        tree: Mapping[str, Any],
        bodies: Sequence[str],
        drives: Mapping[str, Drive],
        rods: Sequence[tuple[str, Any, str, Any, str | None]],
        lines: Sequence[tuple[str, Any, Any, str, Any]] = (),
    ) -> None:
        self.bodies, self.drives, self._rods, self._lines = list(bodies), drives, rods, lines
        joined = {"ground", *bodies}
        self.joints = {name: joint for name, joint in tree["joints"].items() if joined.issuperset(joint["bodies"])}

    def motion(self, times: Array, steps: int = 3) -> dict[str, Array]:
        """Return the matrices (n, 4, 4) of the bodies that are no rods; from t = 0 on, by small steps."""
        x = np.tile([0.0, 0, 0, 1, 0, 0, 0], (len(self.bodies), 1)).ravel()
        found = []
        before = 0.0
        for time in times:
            for part in np.linspace(before, time, steps + 1)[1:]:
                x = self._newton(x, part)
            found.append(x)
            before = time
        poses = matrices(np.array(found).reshape(len(times), len(self.bodies), 7), "spatial")
        return {body: poses[:, k] for k, body in enumerate(self.bodies)}

    def _newton(self, x: Array, time: float) -> Array:
        for _ in range(30):
            columns = [self._residual(x + 1j * _STEP * unit, time).imag / _STEP for unit in np.eye(len(x))]
            jacobian, residual = np.array(columns).T, self._residual(x, time).real
            step, _, rank, _ = np.linalg.lstsq(jacobian, -residual, rcond=1e-10)
            assert rank == len(x) == len(residual), "the mechanism without its rods is not determined"
            x = x + step
            if np.max(np.abs(step)) < _CONVERGED:
                return x
        raise AssertionError(f"the oracle does not converge at t = {time}")

    def _residual(self, x: Array, time: float) -> Array:
        x = np.asarray(x, dtype=complex)
        poses = {"ground": np.eye(4, dtype=complex)}
        every = x.reshape(-1, 7)
        poses.update({body: matrices(every[k], "spatial") for k, body in enumerate(self.bodies)})
        out: list[Any] = [row[3:] @ row[3:] - 1.0 for row in every]
        for first, at, second, there, driven in self._rods:
            span = _carried(poses[second], there) - _carried(poses[first], at)
            length = np.linalg.norm(np.subtract(there, at)) + (self.drives[driven](time) if driven else 0.0)
            out.append(span @ span - length**2)
        for body, at, axis, other, point in self._lines:
            away = poses[body][:3, :3].T @ (_carried(poses[other], point) - _carried(poses[body], at))
            out += list(_across(np.asarray(axis, dtype=float)) @ away)
        for name, joint in self.joints.items():
            out += self._joint(name, joint, poses, time)
        return np.array(out)

    def _joint(self, name: str, joint: Mapping[str, Any], poses: Mapping[str, Array], time: float) -> list[Any]:
        one, two = (poses[body] for body in joint["bodies"])
        turn = one[:3, :3].T @ two[:3, :3]  # of the second body, seen from the first
        if joint["type"] == "F":
            at = joint["frames"]["ground"]["at"]
            away = _carried(two, at) - at
            return [away[k] - self.drives[f"{name}.{axis}"](time) for k, axis in enumerate("xyz")]
        apart = one[:3, :3].T @ (_carried(two, joint["at"]) - _carried(one, joint["at"]))
        if joint["type"] == "S":
            return list(apart)
        axis = np.asarray(joint["axis"], dtype=float) / np.linalg.norm(joint["axis"])
        across = _across(axis)
        value = self.drives[name](time) if joint.get("driven") else None
        if joint["type"] == "P":
            skew = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
            return [*(across @ apart), *skew, *([] if value is None else [axis @ apart - value])]
        out = [*apart, *(across @ (turn @ axis))]
        if value is not None:
            x, y = across[0], np.cross(axis, across[0])
            moved = turn @ x
            out.append((y @ moved) * np.cos(value) - (x @ moved) * np.sin(value))
        return out


def _carried(pose: Array, point: Any) -> Array:
    return np.asarray(pose[:3, :3] @ np.asarray(point, dtype=float) + pose[:3, 3])
