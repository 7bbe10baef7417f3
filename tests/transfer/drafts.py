"""Mechanisms written by the tests: bodies anywhere, joints that close by construction, velocities that fit.

A joint is put anywhere: its first frame is chosen, the second is the first moved by the joint's coordinates, so trees
and loops of any kind are closed from the start. Velocities are random ones made to fit by the oracle's equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from transfer.oracle_multibody import Multibody, rotation
from transfer.oracle_pairs import about_x, about_y, about_z, motion_of

import symgen
from symgen.model.mechanism import Mechanism

Tree = dict[str, Any]
FREEDOMS = {
    "W": (), "R": ("angle",), "P": ("slide",), "H": ("angle",), "C": ("slide", "angle"), "U": ("angle1", "angle2"),
    "ER": ("angle1", "angle2"), "S": ("yaw", "pitch", "roll"), "PL": ("x", "y", "angle"), "L": ("slide", "angle"),
    "FP": ("x", "y", "angle"), "F": ("x", "y", "z", "yaw", "pitch", "roll"),
}  # fmt: skip


def quaternion_of(turn: Any) -> list[float]:
    """Return the unit quaternion of a rotation matrix (from the eigenvector of Bar-Itzhack's matrix, 2000)."""
    m = np.asarray(turn)
    k = np.array([
        [m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
        [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
        [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(k)[1][:, -1]
    return [float(v) for v in (w, x, y, z)]


def random_turn(rng: np.random.Generator) -> Any:
    """Return a random rotation matrix."""
    return rotation(rng.normal(size=4))


class Draft:
    """A mechanism file in the making."""

    def __init__(self, name: str, *, space: str = "spatial", gravity: Sequence[float] = (0.0, 0.0, -9.81)) -> None:
        self.space = space
        self.tree: Tree = {
            "schema": "symgen/mechanism/1", "name": name, "space": space, "ground": "ground",
            "gravity": [float(g) for g in gravity], "bodies": {}, "joints": {},
        }  # fmt: skip
        self.places: dict[str, tuple[Any, Any]] = {"ground": (np.zeros(3), np.eye(3))}

    def body(self, name: str, r: Any, turn: Any, mass: float, com: Any, inertia: Any, **points: Any) -> None:
        """Add a body; `inertia` a 3 x 3 matrix."""
        m = np.asarray(inertia, dtype=float)
        q = quaternion_of(turn)
        self.places[name] = (np.asarray(r, dtype=float), rotation(q))
        self.tree["bodies"][name] = {
            "pose": {"r": _floats(r), "q": q}, "mass": float(mass), "com": _floats(com),
            "inertia": _floats([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]),
        }  # fmt: skip
        if points:
            self.tree["bodies"][name]["points"] = {key: _floats(at) for key, at in points.items()}

    def joint(
        self, name: str, code: str, bodies: tuple[str, str], at: Any, turn: Any = None, *,
        values: Mapping[str, float] | None = None, pitch: float | None = None, drives: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Add a joint: its first frame has the place `at` and the matrix `turn` in the world."""
        values = values or {}
        first = np.eye(4)
        first[:3, :3], first[:3, 3] = np.eye(3) if turn is None else turn, at
        second = first @ motion_of(code, values, pitch)
        frames = {}
        for body, frame in zip(bodies, (first, second), strict=True):
            r, axes = self.places[body]
            frames[body] = {"at": _floats(axes.T @ (frame[:3, 3] - r)), "q": quaternion_of(axes.T @ frame[:3, :3])}
        self.tree["joints"][name] = {"type": code, "bodies": list(bodies), "frames": frames}
        if pitch is not None:
            self.tree["joints"][name]["pitch"] = pitch
        if drives:
            self.tree["joints"][name]["driven"] = list(drives)
            laws = self.tree.setdefault("drives", {})
            for freedom, law in drives.items():
                laws[f"{name}.{freedom}" if len(drives) > 1 else name] = law

    def force(self, name: str, **keys: Any) -> None:
        """Add a force element."""
        self.tree.setdefault("forces", {})[name] = keys

    def moving(self, rng: np.random.Generator, speed: float = 1.0) -> Mechanism:
        """Return the mechanism with random velocities that fit."""
        wish = speed * rng.normal(size=(len(self.tree["bodies"]), 6))
        return self.with_velocities(wish)

    def with_velocities(self, wish: Any) -> Mechanism:
        """Return the mechanism with the velocities (n, 6) nearest to the wished ones that fit."""
        mechanism = Mechanism.from_dict(self.tree)
        bodies = Multibody(mechanism)
        now = bodies.velocities(bodies.state(), np.asarray(wish, dtype=float))
        initial = {
            name: {"v": _floats(now.v[k]), "omega": _floats(now.omega[k])} for k, name in enumerate(bodies.names)
        }
        self.tree["initial"] = {"bodies": initial}
        return Mechanism.from_dict(self.tree)

    def resting(self) -> Mechanism:
        """Return the mechanism at rest."""
        return Mechanism.from_dict(self.tree)


def _floats(values: Any) -> list[float]:
    return [float(v) for v in np.asarray(values).reshape(-1)]


def random_inertia(rng: np.random.Generator, size: float = 0.3, mass: float = 1.0) -> Any:
    """Return a physical, full inertia matrix (of random point masses)."""
    points = size * rng.normal(size=(8, 3))
    points -= points.mean(axis=0)
    return mass / 8 * sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)


def random_values(rng: np.random.Generator, code: str, size: float = 0.5) -> dict[str, float]:
    """Return coordinates for all freedoms."""
    return {name: float(size * rng.normal()) for name in FREEDOMS[code]}


def random_mechanism(
    rng: np.random.Generator, bodies: int, codes: Sequence[str], *, loops: int = 0, ground_share: float = 0.3,
    name: str = "random", forces: bool = True, driven: float = 0.0,
) -> Draft:  # fmt: skip
    """Return a random tree of bodies with random joints, with `loops` more joints between random pairs of bodies."""
    draft = Draft(name, gravity=rng.normal(size=3) * 5)
    names = [f"b{k}" for k in range(bodies)]
    for key in names:
        mass = float(rng.uniform(0.5, 3.0))
        inertia = random_inertia(rng, 0.3, mass)
        draft.body(key, rng.normal(size=3), random_turn(rng), mass, 0.2 * rng.normal(size=3), inertia,
                   P=0.3 * rng.normal(size=3))  # fmt: skip
    used: set[frozenset[str]] = set()
    pairs: list[tuple[str, str]] = []
    for k, key in enumerate(names):
        other = "ground" if k == 0 or rng.uniform() < ground_share / 3 else names[rng.integers(0, k)]
        pairs.append((other, key) if rng.uniform() < 0.5 else (key, other))
        used.add(frozenset((other, key)))
    while loops > 0 and len(used) < bodies * (bodies + 1) // 2:
        one, two = (str(x) for x in rng.choice([*names, "ground"], size=2, replace=False))
        if frozenset((one, two)) not in used:
            used.add(frozenset((one, two)))
            pairs.append((one, two))
            loops -= 1
    for k, pair in enumerate(pairs):
        code = str(rng.choice(list(codes)))
        values = random_values(rng, code)
        pitch = float(rng.choice([-1, 1]) * rng.uniform(0.05, 0.5)) if code == "H" else None
        drives = {}
        if FREEDOMS[code] and rng.uniform() < driven:
            chosen = [f for f in FREEDOMS[code] if rng.uniform() < 0.5] or [FREEDOMS[code][0]]
            drives = {f: f"{values[f]!r} + {rng.normal()!r}*t + {rng.normal()!r}*t**2" for f in chosen}
        draft.joint(
            f"j{k}", code, pair, rng.normal(size=3), random_turn(rng), values=values, pitch=pitch, drives=drives
        )
        if forces and FREEDOMS[code] and rng.uniform() < 0.5:
            freedom = str(rng.choice(list(FREEDOMS[code])))
            if freedom not in drives:
                stiffness, damping = float(rng.uniform(0, 20)), float(rng.uniform(0, 2))
                draft.force(f"s{k}", kind="joint", joint=f"j{k}", freedom=freedom, stiffness=stiffness,
                            damping=damping, rest=float(rng.normal()), value=float(rng.normal()))  # fmt: skip
    if forces:
        draft.force("push", kind="force", body=names[-1], at=_floats(0.3 * rng.normal(size=3)), axes="body",
                    value=_floats(rng.normal(size=3)))  # fmt: skip
        draft.force("twist", kind="torque", body=names[0], axes="world", value=_floats(rng.normal(size=3)))
        if bodies > 1:
            draft.force("spring", kind="spring", between=[f"{names[0]}.P", f"{names[-1]}.P"], stiffness=30.0,
                        damping=1.0, length=0.4)  # fmt: skip
    return draft


def chain(
    count: int, code: str, rng: np.random.Generator, *, ends: int = 1, ring: bool = False, name: str = "chain"
) -> Draft:
    """Return a chain hung at one end or both, or a closed ring hung at one joint; joints of one type (or a list)."""
    draft = Draft(name)
    codes = [code] * (count + 1) if isinstance(code, str) else list(code)
    if ring:
        corners = [np.array([np.cos(a), np.sin(a), 0.0]) for a in np.linspace(0, 2 * np.pi, count + 1)]
        corners = [0.2 * count / (2 * np.pi) * corner for corner in corners]
    else:
        corners = [np.array([0.2 * k, 0.05 * np.sin(k), -0.05 * np.cos(2 * k)]) for k in range(count + 1)]
    for k in range(count):
        middle = 0.5 * (corners[k] + corners[k + 1])
        draft.body(str(k + 1), middle, random_turn(rng), 1.0, 0.02 * rng.normal(size=3), random_inertia(rng, 0.1))
    for k in range(count + 1):
        if ring and k == count:
            continue
        before = str(count) if ring and k == 0 else "ground" if k == 0 else str(k)
        after = "ground" if k == count else str(k + 1)
        if after == "ground" and ends == 1:
            continue
        kind = codes[k]
        turn = random_turn(rng) if kind != "R" else _axis_turn(rng)
        draft.joint(f"j{k}", kind, (before, after), corners[k], turn, values=random_values(rng, kind, 0.2))
    if ring:
        draft.joint("hang", "S", ("ground", "1"), corners[0] + [0.0, 0.0, 0.1])
    return draft


def _axis_turn(rng: np.random.Generator) -> Any:
    return about_x(0.3 * rng.normal()) @ about_y(0.3 * rng.normal()) @ about_z(rng.normal())


__all__ = ["FREEDOMS", "Draft", "chain", "quaternion_of", "random_inertia", "random_mechanism", "random_turn",
           "random_values", "symgen"]  # fmt: skip


def random_planar(rng: np.random.Generator, bodies: int, *, loops: int = 0, space: str = "planar") -> Draft:
    """Return a random planar mechanism, as such or as a spatial one whose joints all lie in the plane."""
    draft = Draft("random planar", space=space, gravity=(*(5 * rng.normal(size=2)), 0.0))
    names = [f"b{k}" for k in range(bodies)]
    for key in names:
        r = [*rng.normal(size=2), 0.0]
        inertia = np.diag([0.03, 0.04, float(rng.uniform(0.02, 0.06))])
        draft.body(key, r, about_z(float(rng.normal())), float(rng.uniform(0.5, 2)), [*(0.2 * rng.normal(size=2)), 0.0],
                   inertia, P=[*(0.2 * rng.normal(size=2)), 0.0])  # fmt: skip
    pairs = [("ground" if k == 0 else names[int(rng.integers(0, k))], key) for k, key in enumerate(names)]
    while loops > 0 and len(pairs) < bodies * (bodies + 1) // 2:
        one, two = (str(x) for x in rng.choice([*names, "ground"], size=2, replace=False))
        if not any({one, two} == set(pair) for pair in pairs):
            pairs.append((one, two))
            loops -= 1
    guide = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z along x of the plane, y out of it
    for k, (one, two) in enumerate(pairs):
        code = str(rng.choice(["R", "R", "P", "L", "FP", "W"]))
        code = "PL" if code == "FP" and space == "spatial" else code
        axes = about_z(float(rng.normal())) @ (guide if code == "P" else np.eye(3))
        pair = (one, two) if rng.uniform() < 0.5 else (two, one)
        draft.joint(f"j{k}", code, pair, [*rng.normal(size=2), 0.0], axes, values=random_values(rng, code))
        if code == "R":
            draft.force(f"s{k}", kind="joint", joint=f"j{k}", stiffness=3.0, damping=0.2, rest=0.3, value=0.1)
    draft.force("push", kind="force", body=names[-1], at=[0.1, 0.2, 0.0], axes="body", value=[1.0, -2.0, 0.0])
    draft.force("twist", kind="torque", body=names[0], value=[0.0, 0.0, 0.7])
    draft.force("spring", kind="spring", between=[f"{names[0]}.P", f"{names[-1]}.P"], stiffness=20.0, damping=0.5,
                length=0.3) if bodies > 1 else None  # fmt: skip
    return draft
