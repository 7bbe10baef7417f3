"""Accelerations of mechanisms with flexible beams: mass points on the exact modes of a clamped beam, in free bodies.

Joints, forces and rigid bodies are those of `transfer.oracle_multibody`, where a beam is a straight rod; its modes are
unknowns beside the twists of all bodies. Inertia and loads of the modes are sums over Gauss points, shapes those of
theory (cosh, cos, sin): nothing of the package's shapes, elements or eliminations is used.

Source: the modes of a clamped beam, for instance in R. D. Blevins, Formulas for Natural Frequency and Mode Shape, 1979.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from transfer.oracle_multibody import Answer, Multibody

ROOTS = (1.875104068711961, 4.694091132974175, 7.854757438237613)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def clamped(k: int, s: Any, length: float, order: int = 0) -> Any:
    """Return the k-th mode of a beam clamped at s = 0, of mean square one, positive at the tip; or its derivative."""
    b = ROOTS[k] / length
    ratio = (math.cosh(b * length) + math.cos(b * length)) / (math.sinh(b * length) + math.sin(b * length))
    if order == 0:
        value = np.cosh(b * s) - np.cos(b * s) - ratio * (np.sinh(b * s) - np.sin(b * s))
    else:
        value = b * (np.sinh(b * s) + np.sin(b * s) - ratio * (np.cosh(b * s) - np.cos(b * s)))
    return value * (-1) ** k


def rod(k: int, s: Any, length: float) -> Any:
    """Return the k-th mode of a rod held at s = 0, of mean square one, positive at the tip."""
    return math.sqrt(2.0) * np.sin((2 * k + 1) * math.pi * s / (2 * length)) * (-1) ** k


class Modes:
    """The modes of one beam in the world.

    Parameters
    ----------
    beam : as in the file.
    r, turn : place (3,) of its frame and axes (3, 3).
    held : 0 or 1, the end that the modes hold.
    """

    def __init__(self, beam: Mapping[str, Any], r: Any, turn: Any, held: int, *, planar: bool) -> None:
        length, mu, polar = beam["length"], beam["mass_per_length"], beam.get("polar", 0.0)
        s = 0.5 * length * (NODES + 1.0)
        self.m, self.polar = 0.5 * length * WEIGHTS * mu, 0.5 * length * WEIGHTS * polar
        self.x = turn[:, 0] * (1 if held == 0 else -1)
        start = r + held * length * turn[:, 0]
        self.points, self.far = start + np.outer(s, self.x), start + length * self.x
        self.moves: list[Any] = []
        self.turns: list[Any] = []
        self.ends: list[Any] = []
        none, size = np.zeros((len(s), 3)), 1.0 / math.sqrt(mu * length)
        for k in range(beam["modes"]):
            for axis in (1,) if planar else (1, 2):
                e = turn[:, axis]
                tip, slope = clamped(k, length, length), clamped(k, length, length, 1)
                self._add(np.outer(clamped(k, s, length), e), 0 * s, tip * e, slope * np.cross(self.x, e), size)
            if "axial" in beam:
                self._add(np.outer(rod(k, s, length), self.x), 0 * s, rod(k, length, length) * self.x, 0 * e, size)
            if "torsion" in beam:
                end = rod(k, length, length) * self.x
                self._add(none, rod(k, s, length), 0 * e, end, 1.0 / math.sqrt(polar * length))

    def _add(self, move: Any, turn: Any, end: Any, slope: Any, size: float) -> None:
        self.moves.append(move * size)
        self.turns.append(turn * size)
        self.ends.append(np.concatenate([end, slope]) * size)

    @property
    def count(self) -> int:
        """Number of modes."""
        return len(self.ends)

    def inertia(self, centre: Any) -> Any:
        """Return inertia (6, n) with a twist about the centre, and (n, n) among modes."""
        arm = self.points - centre
        shared = [
            [*np.sum(self.m[:, None] * u, axis=0),
             *(np.sum(self.m[:, None] * np.cross(arm, u), axis=0) + np.sum(self.polar * t) * self.x)]
            for u, t in zip(self.moves, self.turns, strict=True)
        ]  # fmt: skip
        own = [
            [np.sum(self.m[:, None] * u * v) + np.sum(self.polar * s * t)
             for v, t in zip(self.moves, self.turns, strict=True)]
            for u, s in zip(self.moves, self.turns, strict=True)
        ]  # fmt: skip
        return np.array(shared).T, np.array(own)

    def load(self, centre: Any, omega: Any, gravity: Any) -> Any:
        """Return the virtual power (n,) of weight less centrifugal force."""
        pull = gravity - np.cross(omega, np.cross(omega, self.points - centre))
        return np.array([np.sum(self.m[:, None] * u * pull) for u in self.moves])

    def seen(self, place: Any, centre: Any) -> Any:
        """Return the twists (6, n) about the centre that modes look like at a joint."""
        if np.linalg.norm(place - self.far) > 1e-9:
            return np.zeros((6, self.count))
        return np.array([[*(e[:3] + np.cross(e[3:], centre - place)), *e[3:]] for e in self.ends]).T


def solve(rods: Any, beams: Mapping[str, Mapping[str, Any]], held: Mapping[str, int]) -> Answer:
    """Return accelerations and joint wrenches.

    Parameters
    ----------
    rods : the mechanism with rigid rods in place of its beams.
    beams : the beams by name, as in the file.
    held : which end, 0 or 1, the modes of each hold.
    """
    world = Multibody(rods)
    now, n = world.state(), len(world.names)
    applied, in_joints = world.applied(now, 0.0)
    turned = now.turn @ world.inertia @ np.swapaxes(now.turn, 1, 2)
    applied[:, 3:] -= np.cross(now.omega, np.einsum("nij,nj->ni", turned, now.omega))
    _, jacobian, _, bias, owners = world.constraints(now)
    modes = {}
    for name, beam in beams.items():
        k = world.names.index(name)
        modes[k] = Modes(beam, now.r[k] - now.turn[k] @ world.com[k], now.turn[k], held[name], planar=world.planar)
    total = sum(each.count for each in modes.values())
    mass, force = np.zeros((6 * n + total, 6 * n + total)), np.append(applied.reshape(-1), np.zeros(total))
    rows = np.hstack([jacobian, np.zeros((len(jacobian), total))])
    for k in range(n):
        mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = world.mass[k] * np.eye(3)
        mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = turned[k]
    places, first = {}, 6 * n
    for k, each in modes.items():
        mine, body = slice(first, first + each.count), slice(6 * k, 6 * k + 6)
        places[k], first = mine, first + each.count
        shared, own = each.inertia(now.r[k])
        mass[body, mine], mass[mine, body], mass[mine, mine] = shared, shared.T, own
        force[mine] = each.load(now.r[k], now.omega[k], world.gravity)
        for joint in rods.joints:
            if world.names[k] not in joint.bodies:
                continue
            side = joint.bodies.index(world.names[k])
            at = now.r[k] + now.turn[k] @ (np.array(joint.frames[side].at) - world.com[k])
            looks = each.seen(at, now.r[k])
            of_joint = np.array([owner == joint.id for owner in owners], dtype=bool)
            rows[of_joint, mine] += jacobian[of_joint, body] @ looks
            if joint.id in in_joints:
                force[mine] += looks.T @ in_joints[joint.id][side]
    columns = np.append(world.kept(), 6 * n + np.arange(total)).astype(int)
    there = np.abs(rows[:, columns]).max(axis=1, initial=0.0) > 1e-12
    local, bias = rows[there][:, columns], bias[there]
    kept = [owner for owner, is_there in zip(owners, there, strict=True) if is_there]
    size = len(columns)
    whole = np.block([[mass[np.ix_(columns, columns)], -local.T], [local, np.zeros((len(local), len(local)))]])
    found = np.linalg.lstsq(whole, np.append(force[columns], -bias), rcond=1e-12)[0]
    every = np.zeros(6 * n + total)
    every[columns] = found[:size]
    left, sizes, _ = np.linalg.svd(local)
    null = left[:, int(np.sum(sizes > 1e-9 * sizes[0])) :].T
    rigid = columns[columns < 6 * n]
    answer = world._answer(now, every[: 6 * n].reshape(n, 6), local[:, : len(rigid)], rigid, found[size:], null, kept,
                           in_joints)  # fmt: skip
    for k, each in modes.items():  # the origin of the body is the end x = 0
        if held[world.names[k]] == 1:
            more = np.array(each.ends).T @ every[places[k]]
            answer.a[world.names[k]] = answer.a[world.names[k]] + more[:3]
            answer.alpha[world.names[k]] = answer.alpha[world.names[k]] + more[3:]
    return answer
