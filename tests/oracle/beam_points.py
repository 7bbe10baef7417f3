"""A flexible beam as mass points with random modes: its state at the output from that at the input, by virtual power.

Nothing of a transfer matrix is in here. Points are Gauss's, so that they have mass, centre and inertia of the straight
rod; modes are any columns that are orthonormal in the mass, with any displacement and slope at the other end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle.transfer_elements import Elements
from oracle.transfer_tree import Array

MODES = 3
PLACES = [0, 1, 5, 8, 9, 10]


@dataclass(frozen=True)
class PointBeam:
    """Points at s (p,) of mass m (p,), polar inertia of all, axes (3, 3) with x from the output to the input.

    `shapes` are for stretching, bending along y and z, and torsion: columns (p, n) with tips (n,) and slopes (n,).
    """

    length: float
    s: Array
    m: Array
    inertia: float
    axes: Array
    shapes: tuple[tuple[Array, Array, Array], ...]

    def sums(self, family: int) -> dict[str, Array]:
        """Return tip, slope, total and lever of the modes of a family, (n,) each."""
        phi, tip, slope = self.shapes[family]
        m = self.m if family < 3 else self.m * self.inertia / self.m.sum()
        return {"tip": tip, "slope": slope, "total": m @ phi, "lever": (m * self.s) @ phi}

    def products(self, family: int) -> Array:
        """Return the sums of products that the element takes."""
        kinds = (
            "tip_tip tip_total tip_lever total_total total_lever",
            *["tip_tip tip_slope slope_slope tip_total tip_lever slope_total slope_lever total_total total_lever "
              "lever_lever"] * 2,
            "tip_tip tip_total total_total",
        )[family]  # fmt: skip
        own = self.sums(family)
        return np.array([own[a] @ own[b] for a, b in (kind.split("_") for kind in kinds.split())])

    def modes(self) -> list[tuple[Array, Array, Array, Array]]:
        """Return for each mode: accelerations of the points (p, 3), turns of the sections about x (p,), end."""
        found = []
        for family, (phi, tips, slopes) in enumerate(self.shapes):
            for column, tip, slope in zip(phi.T, tips, slopes, strict=True):
                x, e = self.axes[:, 0], self.axes[:, family % 3]
                if family == 3:
                    found.append((np.zeros((len(column), 3)), column, np.zeros(3), tip * x))
                    continue
                turn = slope * np.cross(x, e) if family else np.zeros(3)
                found.append((np.outer(column, e), np.zeros(len(column)), tip * e, turn))
        return found

    def state_at_output(self, z: Array, omega: Array, gravity: Array, extra: Array) -> Array:
        """Return [rdd wd m q] at the output from that at the input; `extra` [force moment] acts on the frame.

        Unknown are the acceleration of the frame at the output and of the modes.
        """
        x, modes = self.axes[:, 0], self.modes()
        points, polar = np.outer(self.s, x), self.m * self.inertia / self.m.sum()
        frame = [(np.tile(np.eye(3)[k], (len(self.s), 1)), np.zeros(3)) for k in range(3)]
        frame += [(np.cross(np.eye(3)[k], points), np.eye(3)[k]) for k in range(3)]
        moves = [(d, np.full(len(self.s), turn @ x)) for d, turn in frame] + [(d, t) for d, t, _, _ in modes]
        swing = np.cross(omega, np.cross(omega, points))
        mass = np.array([[np.sum(self.m[:, None] * d * e) + np.sum(polar * t * u) for e, u in moves] for d, t in moves])
        force = np.array([np.sum(self.m[:, None] * d * (gravity - swing)) for d, _ in moves])
        # The angular momentum of the sections is along the beam, and turns with it.
        force[3:6] -= np.cross(omega, self.inertia * (omega @ x) * x)
        middle = 0.5 * self.length * x
        force[:3] += extra[:3]
        force[3:6] += extra[3:] + np.cross(middle, extra[:3])
        arm = self.length * x
        reach = np.zeros((6, len(moves)))  # acceleration of the input by those of frame and modes
        reach[:, :3] = np.eye(6)[:, :3]
        reach[3:, 3:6] = np.eye(3)
        reach[:3, 3:6] = np.array([np.cross(e, arm) for e in np.eye(3)]).T
        reach[:, 6:] = np.array([[*d, *t] for _, _, d, t in modes]).T
        bias = np.array([*np.cross(omega, np.cross(omega, arm)), 0, 0, 0])
        wrench = np.array([*z[9:12], *z[6:9]])
        equations = np.vstack([reach, mass[6:]])
        right = np.concatenate([z[:6] - bias, force[6:] + reach[:, 6:].T @ wrench])
        y = np.linalg.solve(equations, right)
        q_m = force[:6] + reach[:, :6].T @ wrench - mass[:6] @ y
        return np.array([*y[:6], *q_m[3:], *q_m[:3], 1.0])


def draw_beam(rng: np.random.Generator, *, planar: bool) -> PointBeam:
    """Return a beam with random modes; a planar one stretches and bends in its plane."""
    length, mass = rng.uniform(0.5, 2, 2)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    s, m = 0.5 * length * (nodes + 1), 0.5 * mass * weights
    inertia = float(rng.uniform(0.05, 0.2))
    shapes = []
    for family in range(4):
        weight = m if family < 3 else m * inertia / mass
        count = 0 if planar and family > 1 else MODES
        columns = np.linalg.qr(rng.normal(size=(8, MODES)))[0][:, :count] / np.sqrt(weight)[:, None]
        tips, slopes = rng.uniform(-1, 1, (2, count)) / np.sqrt(weight.sum())
        shapes.append((columns, tips, slopes if family in (1, 2) else 0 * slopes))
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turned *= np.sign(np.linalg.det(turned))
    if planar:
        angle = rng.uniform(-3, 3)
        c, sine = np.cos(angle), np.sin(angle)
        turned = np.array([[c, -sine, 0], [sine, c, 0], [0, 0, 1]])
    return PointBeam(float(length), s, m, inertia, turned, tuple(shapes))


def matrix_of(elements: Elements, beam: PointBeam, given: Any, *, planar: bool) -> Array:
    """Return U of the element library for a beam; `given` are omega, force, moment and gravity."""
    omega, force, moment, gravity = given
    mass = float(beam.m.sum())
    if planar:
        u, *_ = elements.beam_transfer_planar(
            beam.length, mass, beam.axes[:2, 0], omega[2], force[:2], moment[2], gravity[:2], beam.products(1),
            beam.products(0),
        )  # fmt: skip
        return np.array(u).reshape(7, 7)
    u, *_ = elements.beam_transfer_spatial(
        beam.length, mass, beam.inertia, beam.axes.ravel(), omega, force, moment, gravity, beam.products(1),
        beam.products(2), beam.products(0), beam.products(3),
    )  # fmt: skip
    return np.array(u).reshape(13, 13)


def beam_error(elements: Elements, seed: int, *, planar: bool) -> float:
    """Return the error of a beam's transfer matrix, relative to its state at the output."""
    rng = np.random.default_rng(seed)
    beam = draw_beam(rng, planar=planar)
    omega, extra, about, gravity = rng.uniform(-1, 1, (4, 3))
    z = np.array([*rng.uniform(-1, 1, 12), 1.0])
    if planar:
        omega[:2], extra[2], about[:2], gravity[2] = 0, 0, 0, 0
        z[[2, 3, 4, 6, 7, 11]] = 0
    exact = beam.state_at_output(z, omega, gravity, np.array([*extra, *about]))
    weight = float(beam.m.sum()) * gravity
    u = matrix_of(elements, beam, (omega, extra + weight, about, gravity), planar=planar)
    if planar:
        places = [*PLACES, 12]
        found, exact = u @ z[places], exact[places]
    else:
        found = u @ z
    gap = np.abs(found - exact).max() / np.abs(exact).max()
    return float(gap) if np.isfinite(gap) else float("inf")
