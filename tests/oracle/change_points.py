"""The smooth motion of a mechanism, through its change points: a reference that shares nothing with the solvers.

The motion is the analytic continuation of the drawing along time. At a regular time all unknowns are expanded in a
Taylor series by order, from one factored Jacobian, with 96 digits (`exact_series`). The series converges up to the
nearest *true* singularity of the motion in the complex plane of time. A change point, where branches cross, is none:
each branch is analytic there, although the Jacobian drops rank. So a series expanded before a change point is right
behind it, and the next centre is taken there, at least a fifth of a radius away: no expansion ever starts on the point
itself. Newton's method polishes the value at the new centre, regular again, and what it moves the value by must
be of the order of the truncation: that is the proof that the series went on along a branch, smoothly. Analytic
functions that agree on an interval are one, so the continuation is unique.

Where two solutions merge and vanish (a fold, a dead end), the radius shrinks to nothing: the motion ends there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracle.constraint_equations import MechanismEquations
from oracle.exact_series import BITS, ONE, Series, SingularError, as_float, fixed, sine_and_cosine, times

from symgen.model.mechanism import Mechanism

Floats = NDArray[np.float64]

#: Terms of a series, and how large its last ones are at the end of the piece, relative to the largest unknown.
ORDER = 40
TRUNCATION = 1e-24
#: The Jacobian is looked at up to here (in radii), so that the next centre keeps away from points beyond the end; the
#: truncation there is 1e-24 1.3^36 = 1e-20.
LOOK = 1.3
SAMPLES = 48
#: A smallest singular value below this part of the largest, at a minimum over time, is a change point. In doubles, with
#: the time found to 1e-13 of a radius, a true one comes out below 1e-12; lengths off by e leave sqrt(e).
DROPPED = 1e-10
#: A radius below this part of the time asked for: the motion ends. Lengths off by 1e-12 turn within 1e-6 and go on.
SHORTEST = 1e-8


class NoSmoothMotionError(ArithmeticError):
    """The drawing is itself singular, so no smooth motion through it is singled out; or the series does not hold."""


@dataclass(frozen=True)
class Piece:
    """The unknowns as polynomials in s = (t - centre)/radius, |s| <= 1; rows are orders."""

    centre: float
    radius: float
    unknowns: Floats
    laws: Floats


@dataclass(frozen=True)
class Track:
    """One body at n times: r, q (scalar first), v, omega, a, alpha; SI, world; of the origin of its frame."""

    r: Floats
    q: Floats
    v: Floats
    omega: Floats
    a: Floats
    alpha: Floats


@dataclass
class SmoothMotion:
    """The motion from `first` to `last`.

    Parameters
    ----------
    change_points : times where the Jacobian drops rank and the motion goes on.
    fold : where the motion ends going forward, or None.
    fold_back : where it ends going back, or None.
    misfit : the most by which Newton's method moved a value of a series at the next centre.
    """

    equations: MechanismEquations
    first: float = 0.0
    last: float = 0.0
    pieces: list[Piece] = field(default_factory=list)
    change_points: list[float] = field(default_factory=list)
    fold: float | None = None
    fold_back: float | None = None
    misfit: float = 0.0

    def _pieces_of(self, t: Floats) -> list[tuple[Piece, NDArray[np.bool_]]]:
        nearest = np.argmin([np.abs(t - p.centre) / p.radius for p in self.pieces], axis=0)
        return [(piece, nearest == k) for k, piece in enumerate(self.pieces) if np.any(nearest == k)]

    def unknowns(self, t: Any) -> tuple[Floats, Floats, Floats]:
        """Return the unknowns and their first and second derivatives at times, (n, unknowns) each."""
        t = np.asarray(t, dtype=np.float64)
        if np.any((t < self.first) | (t > self.last)):
            raise ValueError(f"the motion is known from {self.first} to {self.last}")
        out = np.empty((3, len(t), self.pieces[0].unknowns.shape[1]))
        for piece, here in self._pieces_of(t):
            s = (t[here] - piece.centre) / piece.radius
            for d in range(3):
                out[d, here] = _polynomial(piece.unknowns, s, d) / piece.radius**d
        return out[0], out[1], out[2]

    def regularity(self, t: Any) -> Floats:
        """Return the smallest singular value of the Jacobian over the largest: 0 at a change point.

        Where there is one equation more than unknowns, the worst of those choices that suffice elsewhere: a solver
        that leaves one out may have to pass a change point of its own, where the mechanism has none.
        """
        t = np.asarray(t, dtype=np.float64)
        out = np.empty(len(t))
        for piece, here in self._pieces_of(t):
            out[here] = _regularity(self.equations, piece, (t[here] - piece.centre) / piece.radius)
        rows, unknowns = len(self.equations.equations.rows), len(self.equations.equations.unknowns)
        return out if rows != unknowns + 1 else np.minimum(out, self._least_without_one(t))

    def _least_without_one(self, t: Floats) -> Floats:
        usual = np.linspace(self.first, self.last, 31)
        t = np.concatenate([usual, t])
        j = np.empty((len(t), len(self.equations.equations.rows), len(self.equations.equations.unknowns)))
        for piece, here in self._pieces_of(t):
            j[here] = _jacobians(self.equations, piece, (t[here] - piece.centre) / piece.radius)
        found = []
        for row in range(j.shape[1]):
            values = np.linalg.svd(np.delete(j, row, axis=1), compute_uv=False)
            if np.median(values[: len(usual), -1]) > DROPPED * np.median(values[: len(usual), 0]):
                found.append(values[len(usual) :, -1] / values[len(usual) :, 0])
        return np.asarray(np.min(found, axis=0))

    def bodies(self, t: Any) -> dict[str, Track]:
        """Return the motion of every body at times between `first` and `last`."""
        x, dx, ddx = self.unknowns(t)
        found = {}
        for body in self.equations.mechanism.bodies:
            k = self.equations.bodies[body.id].first
            split = self._planar if self.equations.planar else self._spatial
            r, q, v, omega, a, alpha = split(x[:, k:], dx[:, k:], ddx[:, k:])
            place, attitude = self.equations.pose(body.id)
            arm = _rotate(q, np.array([as_float(each) for each in place]))
            found[body.id] = Track(
                r + arm, _quaternion_product(q, np.array([as_float(each) for each in attitude])),
                v + np.cross(omega, arm), omega,
                a + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm)), alpha,
            )  # fmt: skip
        return found

    @staticmethod
    def _planar(x: Floats, dx: Floats, ddx: Floats) -> tuple[Floats, ...]:
        n = len(x)
        r, v, a, omega, alpha = (np.zeros((n, 3)) for _ in range(5))
        r[:, :2], v[:, :2], a[:, :2] = x[:, :2], dx[:, :2], ddx[:, :2]
        c, s = x[:, 2], x[:, 3]
        omega[:, 2] = c * dx[:, 3] - s * dx[:, 2]
        alpha[:, 2] = c * ddx[:, 3] - s * ddx[:, 2]
        half = np.arctan2(s, c) / 2
        q = np.stack([np.cos(half), np.zeros(n), np.zeros(n), np.sin(half)], axis=1)
        return r, q, v, omega, a, alpha

    @staticmethod
    def _spatial(x: Floats, dx: Floats, ddx: Floats) -> tuple[Floats, ...]:
        q = x[:, 3:7]
        back = q * np.array([1.0, -1.0, -1.0, -1.0])
        omega = 2 * _quaternion_product(dx[:, 3:7], back)[:, 1:]
        alpha = 2 * _quaternion_product(ddx[:, 3:7], back)[:, 1:]
        return x[:, :3], q, dx[:, :3], omega, ddx[:, :3], alpha


def _polynomial(coefficients: Floats, s: Floats, derivative: int = 0) -> Floats:
    """Return the value of polynomials (orders, unknowns) or of a derivative, by Horner's rule."""
    out = np.zeros((len(s), coefficients.shape[1]))
    for k in range(len(coefficients) - 1, derivative - 1, -1):
        out = out * s[:, None] + coefficients[k] * math.perm(k, derivative)
    return out


def _jacobians(equations: MechanismEquations, piece: Piece, s: Floats) -> Floats:
    return equations.equations.jacobians(_polynomial(piece.unknowns, s), _polynomial(piece.laws, s))


def _regularity(equations: MechanismEquations, piece: Piece, s: Floats) -> Floats:
    values = np.linalg.svd(_jacobians(equations, piece, s), compute_uv=False)
    out: Floats = values[:, -1] / values[:, 0]
    return out


def _quaternion_product(a: Floats, b: Floats) -> Floats:
    w, x, y, z = np.moveaxis(a, -1, 0)
    p, q, r, s = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p,
        ],
        axis=-1,
    )  # fmt: skip


def _rotate(q: Floats, v: Floats) -> Floats:
    t = 2 * np.cross(q[:, 1:], v)
    out: Floats = v + q[:, :1] * t + np.cross(q[:, 1:], t)
    return out


def smooth_motion(mechanism: Mechanism, last: float, first: float = 0.0) -> SmoothMotion:
    """Return the smooth motion through the drawing, which is the mechanism at t = 0, from `first` <= 0 to `last` >= 0.

    Raises
    ------
    NoSmoothMotionError
        if the drawing is singular, or the laws are not 0 at t = 0.
    """
    equations = MechanismEquations(mechanism)
    motion = SmoothMotion(equations)
    if any(abs(law.value()) > ONE >> 200 for law in equations.laws):
        raise NoSmoothMotionError("the laws must be 0 at t = 0, where the mechanism is as drawn")
    for end in (last, first):
        if end != 0.0 or not motion.pieces:
            _Continuation(motion, end).run()
    motion.change_points.sort()
    return motion


class _Continuation:
    """One way along time, from the drawing to an end."""

    def __init__(self, motion: SmoothMotion, end: float) -> None:
        self.motion, self.end = motion, end
        self.sign = 1 if end >= 0 else -1
        self.span = abs(end) or 1.0

    def _laws(self, at: int, step: int, size: int) -> list[Series]:
        found: list[Series] = []
        for law in self.motion.equations.laws:
            u = law.series(at, step, size)
            found += [u, *sine_and_cosine(u)]
        return found

    def run(self) -> None:
        """Expand, look for change points, choose the next centre, polish; to the end or a fold."""
        motion, equations = self.motion, self.motion.equations.equations
        t, x, step = 0, self.motion.equations.start, fixed(self.span / 16)
        self._check_drawing(x)
        while True:
            self.motion.equations.hold_spins(x)
            try:
                laws = self._laws(t, step, ORDER)
                series = equations.expand(x, laws, ORDER)
            except SingularError as error:
                raise NoSmoothMotionError(f"singular at t = {as_float(t):.6g}: {error}") from None
            s = min(_radius(series), 64.0)
            s = min(s, 2.0 * self.span * ONE / step)
            piece = _piece(t, step, s, series, laws)
            motion.pieces.append(piece)
            if piece.radius < SHORTEST * self.span:
                return self._end_in_fold(piece)
            found = self._change_points(piece)
            target, done = self._next_centre(piece, found)
            motion.change_points += [c for c in found if c * self.sign <= target * self.sign]
            if done:
                return self._reached(self.end)
            t, x, step = self._move(t, step, series, target), self._x, fixed(piece.radius)

    def _check_drawing(self, x: Sequence[int]) -> None:
        equations = self.motion.equations.equations
        self.motion.equations.hold_spins(x)
        gap = equations.start(x, self._laws(0, 0, 1))
        if max(map(abs, gap), default=0) > ONE >> 200:
            raise NoSmoothMotionError("the drawing does not close")
        start = np.array([[as_float(each) for each in x]])
        laws = np.array([[0.0, 0.0, 1.0] * len(self.motion.equations.laws)])
        values = np.linalg.svd(equations.jacobians(start, laws)[0], compute_uv=False)
        if values[-1] < DROPPED * values[0]:
            raise NoSmoothMotionError("the drawing is singular")

    def _change_points(self, piece: Piece) -> list[float]:
        """Return the times from the centre to `LOOK` radii beyond where the smallest singular value touches zero."""
        look = min(LOOK, abs(self.end - piece.centre) / piece.radius * 1.05)
        s = self.sign * np.linspace(0.0, look, SAMPLES)
        values = _regularity(self.motion.equations, piece, s)
        low = [
            k
            for k in range(1, SAMPLES - 1)
            if values[k] <= min(values[k - 1], values[k + 1]) and values[k] < 0.3 * values.max()
        ]
        found = []
        for k in low:
            left, right = s[k - 1], s[k + 1]
            for _ in range(11):  # each round keeps a sixteenth: 16^-11 = 6e-14
                inner = np.linspace(left, right, 33)
                fine = _regularity(self.motion.equations, piece, inner)
                best = int(np.clip(np.argmin(fine), 1, 31))
                left, right = inner[best - 1], inner[best + 1]
            if fine.min() < DROPPED:
                found.append(piece.centre + piece.radius * float(inner[int(np.argmin(fine))]))
        return found

    def _next_centre(self, piece: Piece, found: Sequence[float]) -> tuple[float, bool]:
        """Return a time far along the piece and away from change points, and if the end is reached."""
        ahead = (self.end - piece.centre) * self.sign / piece.radius
        if ahead <= 1.0:
            return self.end, True
        points = [(c - piece.centre) * self.sign / piece.radius for c in found]
        choices = np.linspace(1.0, 0.3, 71)
        merit = [min([abs(c - p) for p in points] + [0.25]) + 0.3 * c for c in choices]
        return piece.centre + self.sign * piece.radius * float(choices[int(np.argmax(merit))]), False

    def _move(self, t: int, step: int, series: Sequence[Series], target: float) -> int:
        """Polish the value of the series at the next centre, and check that this moves it by its truncation only."""
        new = fixed(target)
        s = (new - t << BITS) // step
        x = []
        for c in series:
            value = 0
            for each in reversed(c):
                value = times(value, s) + each
            x.append(value)
        equations = self.motion.equations
        equations.hold_spins(x)
        # The spin of a rod is held anew at each centre; the row is linear and holds at x itself.
        self._x = equations.equations.polish(x, self._laws(new, 0, 1))
        size = max(max(map(abs, x)), ONE)
        misfit = max(abs(a - b) for a, b in zip(x, self._x, strict=True)) / size
        self.motion.misfit = max(self.motion.misfit, misfit)
        if misfit > 1e-18:
            raise NoSmoothMotionError(f"the series misses a branch by {misfit:.1e} at t = {target:.9g}")
        return new

    def _end_in_fold(self, piece: Piece) -> None:
        """Take the singularity from the ratio of the last terms: of (1 - t/d)^1/2 they are (1 - 3/(2k))/d."""
        sizes = np.abs(piece.unknowns).max(axis=1)
        k = len(sizes) - 1
        distance = piece.radius * sizes[k - 1] / sizes[k] * (1 - 1.5 / k)
        end = piece.centre + self.sign * distance
        if self.sign > 0:
            self.motion.fold = end
        else:
            self.motion.fold_back = end
        self._reached(piece.centre + self.sign * piece.radius)

    def _reached(self, end: float) -> None:
        if self.sign > 0:
            self.motion.last = end
        else:
            self.motion.first = end


def _sizes(series: Sequence[Series]) -> list[float]:
    return [max(abs(c[k]) for c in series) / ONE for k in range(len(series[0]))]


def _radius(series: Sequence[Series]) -> float:
    """Return the s up to which the last terms are below the truncation."""
    sizes = _sizes(series)
    scale = max(max(sizes[:2]), 1.0)
    return min(
        ((TRUNCATION * scale / sizes[k]) ** (1 / k) for k in range(ORDER - 6, ORDER) if sizes[k] > 0.0),
        default=math.inf,
    )


def _piece(t: int, step: int, s: float, series: Sequence[Series], laws: Sequence[Series]) -> Piece:
    powers = s ** np.arange(ORDER)
    return Piece(
        as_float(t),
        as_float(step) * s,
        np.array([[as_float(x) for x in c] for c in series]).T * powers[:, None],
        np.array([[as_float(x) for x in c] for c in laws]).T * powers[:, None],
    )
