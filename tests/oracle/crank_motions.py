"""Mechanisms with change points whose motion is known in closed form: parallel cranks, crossed cranks, planar and not.

triad      a four-bar linkage without change points turns a platform on parallel equal cranks, which only
           translates; where all its cranks point along the line between their centres it could begin to turn.
crossed    an antiparallelogram. With k = (b + a)/(b - a), a: cranks, b: coupler and ground, the angles of the
           cranks are tan(psi/2) = -k tan(theta/2): regular in the flat positions.
parallel   a parallelogram.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symgen
from symgen.status import Status

Floats = NDArray[np.float64]
Track = tuple[Floats, Floats, Floats]
TURN = 2 * np.pi


@dataclass(frozen=True)
class Turning:
    """A body in plane motion: a point of it, where that is drawn, how far the body has turned; with derivatives."""

    point: Track
    drawn: Floats
    angle: Track

    def origin(self) -> Track:
        """Return place, velocity and acceleration (n, 2) of the point that is drawn in the origin."""
        (place, rate, second), (angle, omega, alpha) = self.point, self.angle
        cos, sin = np.cos(angle), np.sin(angle)
        arm = -np.stack([cos * self.drawn[0] - sin * self.drawn[1], sin * self.drawn[0] + cos * self.drawn[1]], axis=-1)
        aside = np.stack([-arm[:, 1], arm[:, 0]], axis=-1)
        w, wd = omega[:, None], alpha[:, None]
        return place + arm, rate + w * aside, second + wd * aside - w**2 * arm


@dataclass(frozen=True)
class Errors:
    """Largest error over the bodies of each time: places over the size, rates and accelerations over their largest."""

    place: Floats
    rate: Floats
    second: Floats


def _arm(length: float, angle: Track) -> Track:
    value, rate, second = angle
    along = length * np.stack([np.cos(value), np.sin(value)], axis=-1)
    aside = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    w = rate[:, None]
    return along, w * aside, second[:, None] * aside - w**2 * along


def _turned(angle: Track, start: float) -> Track:
    return angle[0] - start, angle[1], angle[2]


def _still(t: Floats) -> Track:
    return np.zeros_like(t), np.zeros_like(t), np.zeros_like(t)


def _fixed(at: Floats, t: Floats) -> Track:
    none = np.zeros((len(t), 2))
    return none + at, none, none


def _plus(one: Track, other: Track) -> Track:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


@dataclass(frozen=True)
class Triad:
    """A double crank a, b, rocker on a ground g, whose rocker is one of three parallel equal cranks of a platform.

    Only two of these are there: the third one is the line from the four-bar's second centre to the pin of b.
    """

    crank: float
    coupler: float
    rocker: float
    ground: float
    first: tuple[float, float]
    second: tuple[float, float]
    start: float

    def _crank_at(self, psi: float) -> float:
        """Return the angle of the driven crank; b lies to its left or right all the way."""
        pin = np.array([self.ground + self.rocker * np.cos(psi), self.rocker * np.sin(psi)])
        away = float(np.hypot(*pin))
        corner = np.arccos((self.crank**2 + away**2 - self.coupler**2) / (2 * self.crank * away))
        return float(np.arctan2(pin[1], pin[0]) + corner)

    def places(self) -> dict[str, Floats]:
        """Return the joints as drawn."""
        th = self._crank_at(self.start)
        arm = self.rocker * np.array([np.cos(self.start), np.sin(self.start)])
        v = np.array([self.ground, 0.0])
        one, two = v + self.first, v + self.first + np.array(self.second)
        return {
            "A": np.zeros(2), "B": self.crank * np.array([np.cos(th), np.sin(th)]), "C": v + arm,
            "D": one + arm, "E": one, "F": two + arm, "G": two,
        }  # fmt: skip

    def mechanism(self) -> symgen.Mechanism:
        """Return it, its crank driven a turn a second."""
        ends = {"A": "ground a", "B": "a b", "C": "b p", "D": "p c", "E": "ground c", "F": "p d", "G": "ground d"}
        joints: dict[str, Any] = {
            name: {"type": "R", "bodies": ends[name].split(), "at": at.tolist()} for name, at in self.places().items()
        }
        return _mechanism("triad", "planar", joints)

    def points(self, first: float, last: float) -> list[float]:
        """Return the times of the change points."""
        line = float(np.arctan2(self.second[1], self.second[0]))
        start = self._crank_at(self.start)
        every = [(self._crank_at(line + half * np.pi) - start) / TURN + k for half in (0, 1) for k in range(-5, 6)]
        return sorted(t for t in every if first < t < last)

    def bodies(self, t: Floats) -> dict[str, Turning]:
        """Return the motion."""
        at = self.places()
        th = self._crank_at(self.start) + TURN * t
        crank: Track = (th, np.full_like(t, TURN), np.zeros_like(t))
        pin = _arm(self.crank, crank)
        gap = pin[0] - at["E"] + np.array(self.first)  # from the centre that the rocker would have
        away = np.hypot(gap[:, 0], gap[:, 1])
        corner = np.arccos((self.rocker**2 + away**2 - self.coupler**2) / (2 * self.rocker * away))
        # Seen from there the crank's pin is on the same side all the way: the drawing tells on which.
        line = np.arctan2(gap[:, 1], gap[:, 0])
        pinned, arm = at["B"] - at["E"] + np.array(self.first), at["C"] - at["E"] + np.array(self.first)
        psi = line + np.sign(pinned[0] * arm[1] - pinned[1] * arm[0]) * corner
        rod = np.array([self.ground, 0.0]) + _arm(self.rocker, (psi, 0 * t, 0 * t))[0] - pin[0]
        beta = np.arctan2(rod[:, 1], rod[:, 0])
        psi1, beta1, psi2, beta2 = _rates(self.crank, self.coupler, self.rocker, crank, beta, psi)
        rocker: Track = (psi, psi1, psi2)
        start_rod = at["C"] - at["B"]
        moved = _plus(_arm(self.rocker, rocker), _fixed(np.array([self.ground, 0.0]), t))
        turned = _turned(rocker, self.start)
        return {
            "a": Turning(_fixed(at["A"], t), at["A"], _turned(crank, self._crank_at(self.start))),
            "b": Turning(pin, at["B"], _turned((beta, beta1, beta2), float(np.arctan2(start_rod[1], start_rod[0])))),
            "p": Turning(moved, at["C"], _still(t)),
            "c": Turning(_fixed(at["E"], t), at["E"], turned),
            "d": Turning(_fixed(at["G"], t), at["G"], turned),
        }


def _rates(
    a: float, b: float, c: float, crank: Track, beta: Floats, psi: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return first and second derivatives of the rocker's and coupler's angles of a four-bar linkage."""
    th, w, _ = crank
    turned = np.sin(psi - beta)
    psi1 = a * w * np.sin(th - beta) / (c * turned)
    beta1 = a * w * np.sin(th - psi) / (b * np.sin(psi - beta))
    along = a * w**2 * np.cos(th - beta) + b * beta1**2 - c * psi1**2 * np.cos(psi - beta)
    across = a * w**2 * np.cos(th - psi) + b * beta1**2 * np.cos(beta - psi) - c * psi1**2
    return psi1, beta1, along / (c * turned), across / (b * turned)


@dataclass(frozen=True)
class Crossed:
    """Two equal cranks about parallel axes and a coupler as long as the ground: crossed, or parallel.

    Parameters
    ----------
    pairs : of the second and third joint; planar: "RR". With any other letters the mechanism is spatial.
    height : of the second crank's joints above the first one's; of a spatial one.
    """

    crank: float
    ground: float
    start: float
    crossed: bool = True
    pairs: str = "RR"
    height: float = 0.0

    def _rocker(self, th: Floats) -> Floats:
        if not self.crossed:
            return th
        k = (self.ground - self.crank) / (self.ground + self.crank)
        full = TURN * np.round(th / TURN)
        return -2 * np.arctan2(np.sin((th - full) / 2) / k, np.cos((th - full) / 2)) - full

    def places(self) -> dict[str, Floats]:
        """Return the joints as drawn."""
        psi = float(self._rocker(np.array(self.start)))
        d = np.array([self.ground, 0.0])
        return {
            "A": np.zeros(2), "B": self.crank * np.array([np.cos(self.start), np.sin(self.start)]),
            "C": d + self.crank * np.array([np.cos(psi), np.sin(psi)]), "D": d,
        }  # fmt: skip

    def mechanism(self) -> symgen.Mechanism:
        """Return it, its first crank driven a turn a second."""
        planar = self.pairs == "RR"
        kinds = {"A": "R", "B": self.pairs[0], "C": self.pairs[1], "D": "R"}
        ends = {"A": "ground a", "B": "a b", "C": "b c", "D": "ground c"}
        joints: dict[str, Any] = {}
        for name, at in self.places().items():
            joints[name] = {"type": kinds[name], "bodies": ends[name].split(), "at": at.tolist()}
            if not planar:
                joints[name]["at"] = [*at.tolist(), self.height if name in "CD" else 0.0]
                if kinds[name] == "U":  # the first axis lies across the coupler
                    x, y = at - self.places()["B"]
                    joints[name] |= {"axis": [float(-y), float(x), 0.0], "axis2": [0.0, 0.0, 1.0]}
                elif kinds[name] != "S":
                    joints[name]["axis"] = [0.0, 0.0, 1.0]
        return _mechanism("crossed", "planar" if planar else "spatial", joints)

    def points(self, first: float, last: float) -> list[float]:
        """Return the times of the change points."""
        every = [(k * np.pi - self.start) / TURN for k in range(-12, 13)]
        return sorted(t for t in every if first < t < last)

    def bodies(self, t: Floats) -> dict[str, Turning]:
        """Return the motion."""
        at, th = self.places(), self.start + TURN * t
        one = np.ones_like(t)
        crank: Track = (th, TURN * one, 0 * one)
        if self.crossed:
            k = (self.ground + self.crank) / (self.ground - self.crank)
            # psi = -2 atan(k tan(th/2)): psi' = -2 k / (1 + k^2 + (1 - k^2) cos th)
            low = 1 + k**2 + (1 - k**2) * np.cos(th)
            rocker: Track = (
                self._rocker(th), -2 * k / low * TURN, -2 * k * (1 - k**2) * np.sin(th) / low**2 * TURN**2
            )  # fmt: skip
        else:
            rocker = crank
        pin, far = _arm(self.crank, crank), _plus(_arm(self.crank, rocker), _fixed(at["D"], t))
        rod, rate, second = (far[k] - pin[k] for k in range(3))
        over = np.sum(rod**2, axis=-1)
        beta: Track = (np.arctan2(rod[:, 1], rod[:, 0]), _cross(rod, rate) / over, _cross(rod, second) / over)
        drawn = at["C"] - at["B"]
        return {
            "a": Turning(_fixed(at["A"], t), at["A"], _turned(crank, self.start)),
            "b": Turning(pin, at["B"], _turned(beta, float(np.arctan2(drawn[1], drawn[0])))),
            "c": Turning(_fixed(at["D"], t), at["D"], _turned(rocker, float(self._rocker(np.array(self.start))))),
        }


def _cross(one: Floats, other: Floats) -> Floats:
    found: Floats = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
    return found


def _mechanism(name: str, space: str, joints: Mapping[str, Any]) -> symgen.Mechanism:
    joints["A"]["driven"] = 1
    bodies: dict[str, Any] = {body: {} for each in joints.values() for body in each["bodies"] if body != "ground"}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": name, "space": space, "bodies": bodies, "joints": dict(joints),
        "drives": {"A": "2*pi*t"},
    })  # fmt: skip


def errors(of: Triad | Crossed, result: Any) -> Errors:
    """Return how far a solved motion is from the true one; NaN where it says nothing.

    Parameters
    ----------
    result : with `times` and `bodies` as a `MotionResult` has them.
    """
    true = of.bodies(result.times)
    worst = [np.zeros(len(result.times)) for _ in range(3)]
    size = max(float(np.abs(at).max()) for at in of.places().values())
    scale = [size, 0.0, 0.0]
    for body in true.values():
        origin = body.origin()
        for k in (1, 2):
            scale[k] = max(scale[k], float(np.abs(origin[k]).max()), size * float(np.abs(body.angle[k]).max()))
    scale[2] = max(scale[2], scale[1] ** 2 / size)
    for name, body in true.items():
        if name == "b" and getattr(of, "pairs", "") == "SS":
            continue  # it spins about its own line as it likes
        found, origin = result.bodies[name], body.origin()
        angle = 2 * np.arctan2(found.q[:, 3], found.q[:, 0])
        turned = (found.omega[:, 2], found.alpha[:, 2])
        away = (angle - body.angle[0] + np.pi) % TURN - np.pi
        pairs = ((found.r, away), (found.v, turned[0] - body.angle[1]), (found.a, turned[1] - body.angle[2]))
        for k, (place, turn) in enumerate(pairs):
            off = np.maximum(np.abs(place[:, :2] - origin[k]).max(axis=-1), size * np.abs(turn)) / scale[k]
            worst[k] = np.maximum(worst[k], off)
    return Errors(*worst)


def sized(of: Triad | Crossed, by: float) -> Triad | Crossed:
    """Return the same with all lengths times a number."""
    if isinstance(of, Crossed):
        return replace(of, crank=by * of.crank, ground=by * of.ground, height=by * of.height)
    first, second = ((by * x, by * y) for x, y in (of.first, of.second))
    return Triad(by * of.crank, by * of.coupler, by * of.rocker, by * of.ground, first, second, of.start)


def random_crossed(random: np.random.Generator, pairs: str) -> Crossed:
    """Return a crossed or a parallel one."""
    start = float(random.uniform(0.4, 2.7)) * (1.0 if random.random() < 0.5 else -1.0)
    crank, ground = float(random.uniform(0.2, 0.6)), float(random.uniform(0.8, 1.5))
    return Crossed(round(crank, 2), round(ground, 2), round(start, 1), bool(random.random() < 0.5), pairs, 0.3)


def random_triad(random: np.random.Generator) -> Triad:
    """Return one whose four-bar linkage is a double crank: its ground is shortest, and Grashof's law holds."""
    while True:
        a, b, c = (round(float(x), 2) for x in random.uniform(0.8, 1.3, 3))
        g = round(float(random.uniform(0.1, 0.35)), 2)
        if g + max(a, b, c) < sum((a, b, c)) - max(a, b, c) - 0.05:
            second = round(float(random.uniform(0.6, 1.6)), 2), round(float(random.uniform(-0.5, 0.5)), 2)
            return Triad(a, b, c, g, (0.2, -0.3), second, round(float(random.uniform(0, 6)), 1))


def away_from(points: list[float], random: np.random.Generator, least: float = 1e-7, most: float = 3e-2) -> Floats:
    """Return times beside points, on both sides, at distances of all orders [s]."""
    way = np.exp(random.uniform(np.log(least), np.log(most), (len(points), 10)))
    side = np.where(np.arange(10) % 2, 1.0, -1.0)
    found: Floats = (np.array(points)[:, None] + side * way).ravel()
    return found


def tell(of: Triad | Crossed, result: Any) -> str:
    """Return the worst rows that are called OK, for messages."""
    off = errors(of, result)
    ok = result.status == Status.OK
    worst = np.argsort(np.where(ok, np.nan_to_num(off.second, nan=np.inf), -1.0))[::-1][:3]
    return f"{of}: " + "; ".join(
        f"t = {result.times[k]:.17g}: {off.place[k]:.1e}, {off.rate[k]:.1e}, {off.second[k]:.1e}"
        for k in worst
        if ok[k]
    )
