"""A planar slider-crank with spring, damper and torque as one equation of one freedom, by hand.

Crank about the origin, rod, slider on the line through the origin at an angle; accelerations by trigonometry:
x = r cos q + l cos p with r sin q + l sin p = e. Virtual power with the velocity coefficients (bodies at q' = 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from transfer.drafts import Draft
from transfer.oracle_pairs import about_z

from symgen.model.mechanism import Mechanism


@dataclass(frozen=True)
class SliderCrank:
    """Lengths r, l and offset e [m], angle and rate of the crank, masses, centres along and beside, inertias, loads."""

    r: float
    length: float
    e: float
    q: float
    rate: float
    masses: tuple[float, float, float]
    centres: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    inertias: tuple[float, float, float]
    torque: float
    stiffness: float
    damping: float
    rest: float
    gravity: tuple[float, float] = (0.4, -9.81)

    @classmethod
    def random(cls, rng: np.random.Generator) -> SliderCrank:
        """Return one with the rod long enough for all angles."""
        r = float(rng.uniform(0.1, 0.3))
        length, e = float(r * rng.uniform(2, 4)), float(0.3 * r * rng.normal())
        centre = lambda size: (float(size * rng.uniform(0.2, 0.8)), float(0.1 * size * rng.normal()))  # noqa: E731
        return cls(
            r, length, e, float(rng.uniform(-3, 3)), float(3 * rng.normal()),
            tuple(float(x) for x in rng.uniform(0.5, 3, 3)), (centre(r), centre(length), centre(0.1)),
            tuple(float(x) for x in rng.uniform(0.01, 0.1, 3)), float(rng.normal()), float(rng.uniform(10, 100)),
            float(rng.uniform(0.1, 2)), float(rng.uniform(0, 0.5)),
        )  # type: ignore[arg-type]  # fmt: skip

    def angles(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Return the rod's angle and the slider's place, each with first and second derivative by q."""
        s = (self.e - self.r * math.sin(self.q)) / self.length
        p = math.asin(s)
        dp = -self.r * math.cos(self.q) / (self.length * math.cos(p))
        ddp = (self.r * math.sin(self.q) + self.length * math.sin(p) * dp**2) / (self.length * math.cos(p))
        x = self.r * math.cos(self.q) + self.length * math.cos(p)
        dx = -self.r * math.sin(self.q) - self.length * math.sin(p) * dp
        ddx = -self.r * math.cos(self.q) - self.length * (math.cos(p) * dp**2 + math.sin(p) * ddp)
        return (p, dp, ddp), (x, dx, ddx)

    def _bodies(self) -> list[tuple[float, float, float, np.ndarray, np.ndarray, np.ndarray]]:
        """For each body angle, its derivatives, and the origin of its frame with derivatives by q."""
        (p, dp, ddp), (x, dx, ddx) = self.angles()
        c, s = math.cos(self.q), math.sin(self.q)
        pin = self.r * np.array([c, s]), self.r * np.array([-s, c]), -self.r * np.array([c, s])
        nothing = np.zeros(2)
        slider = np.array([x, self.e]), np.array([dx, 0.0]), np.array([ddx, 0.0])
        return [(self.q, 1.0, 0.0, nothing, nothing, nothing), (p, dp, ddp, *pin), (0.0, 0.0, 0.0, *slider)]

    def crank_acceleration(self) -> float:
        """Return q''."""
        inertia, bias, effort = 0.0, 0.0, self.torque
        for (angle, turn, bend, _, dr, ddr), m, j, at in zip(
            self._bodies(), self.masses, self.inertias, self.centres, strict=True
        ):
            arm = about_z(angle)[:2, :2] @ np.array(at)
            side = np.array([-arm[1], arm[0]])
            d, dd = dr + turn * side, ddr + bend * side - turn**2 * arm
            inertia += m * float(d @ d) + j * turn**2
            bias += m * float(d @ dd) + j * turn * bend
            effort += m * float(d @ np.array(self.gravity))
        _, (x, dx, _) = self.angles()
        effort += dx * (-self.stiffness * (x - self.rest) - self.damping * dx * self.rate)
        return (effort - bias * self.rate**2) / inertia

    def accelerations(self) -> dict[str, tuple[np.ndarray, float]]:
        """Return acceleration of the frame's origin and angular acceleration of each body."""
        qdd, w = self.crank_acceleration(), self.rate
        return {
            name: (dr * qdd + ddr * w**2, turn * qdd + bend * w**2)
            for name, (_, turn, bend, _, dr, ddr) in zip(("crank", "rod", "slider"), self._bodies(), strict=True)
        }

    def mechanism(self, space: str = "planar", *, reverse: bool = False) -> Mechanism:
        """Return it as a mechanism: R R R P, a torque on the crank, spring and damper at the slider."""
        draft = Draft("slider crank", space="spatial", gravity=(*self.gravity, 0.0))
        bodies = self._bodies()
        for name, (angle, _, _, r, _, _), m, j, at in zip(
            ("crank", "rod", "slider"), bodies, self.masses, self.inertias, self.centres, strict=True
        ):
            draft.body(name, [*r, 0.0], about_z(angle), m, [*at, 0.0], np.diag([0.7 * j, 0.8 * j, j]))
        pin, end = bodies[1][3], bodies[2][3]
        pairs = [("ground", "crank"), ("crank", "rod"), ("rod", "slider")]
        for name, pair, at in zip("ABC", pairs, (np.zeros(2), pin, end), strict=True):
            draft.joint(name, "R", pair[::-1] if reverse else pair, [*at, 0.0], np.eye(3))
        sense = -1.0 if reverse else 1.0
        along = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # z of the joint frame along x, y across the plane
        guide = ("slider", "ground") if reverse else ("ground", "slider")
        draft.joint(
            "D",
            "P",
            guide,
            [0.0, self.e, 0.0] if not reverse else [*end, 0.0],
            along,
            values={"slide": sense * float(end[0])},
        )
        draft.force("motor", kind="torque", body="crank", value=[0, 0, self.torque])
        draft.force("strut", kind="joint", joint="D", freedom="slide", stiffness=self.stiffness, damping=self.damping,
                    rest=sense * self.rest)  # fmt: skip
        speeds = []
        for angle, turn, _, _, dr, _ in bodies:
            arm = about_z(angle)[:2, :2] @ np.array(self.centres[len(speeds)])
            v = self.rate * (dr + turn * np.array([-arm[1], arm[0]]))
            speeds.append([*v, 0.0, 0.0, 0.0, self.rate * turn])
        draft.tree["space"] = space
        return draft.with_velocities(speeds)
