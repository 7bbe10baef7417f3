"""Random chains of bodies with springs at rest, and their dense matrices, for the characteristic determinant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft, random_inertia, random_turn

import symgen
from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

PITCH = 0.07
#: Axis of each freedom while all coordinates are zero: of its slide and of its turn.
SLIDES = {"slide": 2, "x": 0, "y": 1, "z": 2}
TURNS = {"angle": 2, "angle1": 2, "angle2": 0, "yaw": 2, "pitch": 1, "roll": 0}


class SpringChain:
    """A chain with springs at rest in its freedoms, and its dense matrices in the displacements of the bodies.

    A share `free` of the freedoms has none.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        codes: Sequence[str],
        *,
        first: bool = True,
        last: bool = False,
        space: str = "spatial",
        stiffness: tuple[float, float] = (20.0, 400.0),
        free: float = 0.0,
    ) -> None:
        self.rng, self.draft, self.space = rng, Draft("chain", space=space, gravity=(0, 0, 0)), space
        self.stiffness, self.free = stiffness, free
        count = len(codes) + 1 - first - last
        self.com = np.zeros((count, 3))
        self.mass = np.zeros((6 * count, 6 * count))
        self.springs = np.zeros_like(self.mass)
        self.rows: list[Any] = []
        for k in range(count):
            turn = random_turn(rng) if space == "spatial" else np.eye(3)
            place, arm = np.array([0.6 * k, 0, 0]) + self.point(0.1), self.point(0.15)
            mass, inertia = float(rng.uniform(0.5, 3.0)), random_inertia(rng, 0.2)
            self.draft.body(f"b{k}", place, turn, mass, arm, inertia)
            here = slice(6 * k, 6 * k + 6)
            self.com[k] = place + turn @ arm
            self.mass[here, here] = np.block([
                [mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), turn @ inertia @ turn.T],
            ])  # fmt: skip
        pairs = [(k - first, k + 1 - first) for k in range(len(codes))]
        for k, (code, pair) in enumerate(zip(codes, pairs, strict=True)):
            self.joint(k, code, *((one if 0 <= one < count else -1) for one in pair))

    def point(self, size: float) -> Any:
        return size * self.rng.normal(size=3) * np.array([1.0, 1.0, self.space == "spatial"])

    def joint(self, k: int, code: str, one: int, two: int) -> None:
        rng = self.rng
        names = tuple("ground" if body < 0 else f"b{body}" for body in (one, two))
        turn = random_turn(rng) if self.space == "spatial" else np.eye(3)
        place = np.array([0.6 * k - 0.3, 0, 0]) + self.point(0.1)
        swap = bool(rng.integers(2))
        self.draft.joint(f"j{k}", code, names[::-1] if swap else names, place, turn,
                         pitch=PITCH if code == "H" else None)  # fmt: skip
        relative = np.zeros((6, self.mass.shape[0]))
        for body, sign in ((one, -1.0), (two, 1.0)):
            if body >= 0:
                relative[:, 6 * body : 6 * body + 6] += sign * rigid(place - self.com[body])
        axes = []
        for freedom in FREEDOMS[code]:
            axis = np.zeros(6)
            if freedom in SLIDES:
                axis[:3] = turn[:, SLIDES[freedom]]
            else:
                axis[3:] = turn[:, TURNS[freedom]]
            if code == "H":
                axis[:3] = PITCH * axis[3:]
            axes.append(axis)
        spanned = np.array(axes).T.reshape(6, -1)
        values = rng.uniform(*self.stiffness, len(axes)) * (rng.uniform(size=len(axes)) >= self.free)
        for freedom, value in zip(FREEDOMS[code], values, strict=True):
            if not value:
                continue
            self.draft.force(f"k{k}_{freedom}", kind="joint", joint=f"j{k}", freedom=freedom, stiffness=float(value))
        change = np.linalg.pinv(spanned) @ relative
        self.springs += change.T @ (values[:, None] * change)
        self.rows += list((np.eye(6) - spanned @ np.linalg.pinv(spanned)) @ relative)

    @property
    def mechanism(self) -> Mechanism:
        return self.draft.resting()

    def squares(self) -> Any:
        """Return all squares of angular frequencies by a dense generalised eigenvalue solve."""
        rows = list(self.rows)
        if self.space == "planar":
            rows += [row for row in np.eye(len(self.mass)) if np.flatnonzero(row)[0] % 6 in (2, 3, 4)]
        free = np.eye(len(self.mass))
        if rows:
            _, sizes, vt = np.linalg.svd(np.array(rows))
            free = vt[int((sizes > 1e-9 * max(sizes.max(), 1.0)).sum()) :].T
        root = np.linalg.inv(np.linalg.cholesky(free.T @ self.mass @ free))
        return np.linalg.eigvalsh(root @ free.T @ self.springs @ free @ root.T)

    def zero(self) -> int:
        """Return how many motions meet no resistance."""
        squares = self.squares()
        return int((np.abs(squares) < 1e-10 * max(squares.max(initial=0.0), 1.0)).sum())


def rigid(lever: Any) -> Any:
    """Return displacement and turn at a lever from a body's centre."""
    x, y, z = lever
    found = np.eye(6)
    found[:3, 3:] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return found


def by_determinant(mechanism: Mechanism, **options: Any) -> symgen.Vibrations:
    found = symgen.vibrations(mechanism, method="determinant", **options)
    assert found.method == "determinant"
    return found


def refused(mechanism: Mechanism) -> str:
    with pytest.raises(MechanismError) as caught:
        by_determinant(mechanism)
    assert "--method riccati" in str(caught.value)
    return str(caught.value)
