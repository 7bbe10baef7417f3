"""Eigenfrequencies of random trees and loops against the dense eigenvalues of their energies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.vibration_energy import (
    MOTIONS,
    OracleJoint,
    OracleModel,
    frame,
    gradient_of,
    quaternion_matrix,
)

import symgen
from symgen.model.pairs import PAIR_TYPES

#: Second differences of the oracle are good to 1e-9 of the largest stiffness.
RELATIVE = 1e-7


class Made:
    """A random mechanism at rest and its oracle: joint forces balance weight and springs."""

    def __init__(self, seed: int, types: list[str], *, ties: int = 0, loops: int = 0, springs: float = 1.0) -> None:
        self.draw = np.random.default_rng(seed)
        draw = self.draw
        count = len(types)
        parents = [-1, *(int(draw.integers(-1 if k > 2 else 0, k)) for k in range(1, count))]
        joints, masses = [], []
        for k, (pair, parent) in enumerate(zip(types, parents, strict=True)):
            frames = tuple(frame(draw.uniform(-0.5, 0.5, 3), self.turn()) for _ in range(2))
            springs_here = {
                place: (springs * draw.uniform(20.0, 60.0), float(draw.uniform(-0.3, 0.3)), 0.0)
                for place in range(len(MOTIONS[pair]))
            }
            self.flip = bool(draw.integers(2))
            joints.append(OracleJoint(pair, parent, k, (frames[0], frames[1]), 0.1, springs_here))
            a = draw.uniform(-0.3, 0.3, (3, 3))
            masses.append((float(draw.uniform(0.5, 2.0)), draw.uniform(-0.3, 0.3, 3), a @ a.T + 0.05 * np.eye(3)))
        self.oracle = OracleModel(joints, masses, np.array([0.3, -0.5, -9.81]))
        self.q = draw.uniform(-0.6, 0.6, self.oracle.freedoms)
        poses = [np.real(pose) for pose in self.oracle.poses(self.q)]
        for _ in range(ties):
            one, two = (int(b) for b in draw.choice(np.arange(-1, count), 2, replace=False))
            points = draw.uniform(-0.4, 0.4, (2, 3))
            self.oracle.ties.append((one, points[0], two, points[1], 30.0, float(draw.uniform(0.1, 2.0))))
        linked = {frozenset((parent, k)) for k, parent in enumerate(parents)}
        while len(self.oracle.loops) < loops:  # a ball joint where the bodies happen to be
            one, two = (int(b) for b in draw.choice(np.arange(-1, count), 2, replace=False))
            if frozenset((one, two)) in linked:
                continue
            linked.add(frozenset((one, two)))
            place = np.append(draw.uniform(-0.5, 0.5, 3), 1.0)
            held = [place if b < 0 else np.linalg.inv(poses[b]) @ place for b in (one, two)]
            self.oracle.loops.append((one, held[0][:3], two, held[1][:3]))
        self.balance()
        self.poses = poses

    def turn(self) -> Any:
        q = self.draw.normal(size=4)
        return q / np.linalg.norm(q)

    def balance(self) -> None:
        """Give every spring the force that holds the joint where it is."""
        gradient = gradient_of(self.oracle.potential, self.q)
        k = 0
        for joint in self.oracle.joints:
            for place in range(len(MOTIONS[joint.type])):
                stiffness, rest, _ = joint.springs[place]
                joint.springs[place] = (stiffness, rest, float(gradient[k]))
                k += 1

    def mechanism(self) -> symgen.Mechanism:
        """Return the same as a mechanism file says it."""
        oracle = self.oracle
        names = ["ground", *(f"b{k}" for k in range(len(oracle.joints)))]
        bodies: dict[str, Any] = {"ground": {"points": {}}}
        for k, (mass, com, inertia) in enumerate(oracle.masses):
            xx, yy, zz = np.diag(inertia)
            bodies[f"b{k}"] = {
                "mass": mass, "com": list(com), "points": {},
                "inertia": [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]],
                "pose": {"r": list(self.poses[k][:3, 3]), "q": list(quaternion_of(self.poses[k][:3, :3]))},
            }  # fmt: skip
        joints, forces = {}, {}
        for k, joint in enumerate(oracle.joints):
            sides = (names[joint.first + 1], names[joint.second + 1])
            frames = {
                side: {"at": list(f[:3, 3]), "q": list(quaternion_of(f[:3, :3]))}
                for side, f in zip(sides, joint.frames, strict=True)
            }
            joints[f"j{k}"] = {"type": joint.type, "bodies": list(sides), "frames": frames}
            if joint.type == "H":
                joints[f"j{k}"]["pitch"] = joint.pitch
            for place, freedom in enumerate(PAIR_TYPES[joint.type].freedoms):
                stiffness, rest, value = joint.springs[place]
                forces[f"f{k}_{place}"] = {
                    "kind": "joint", "joint": f"j{k}", "freedom": freedom, "stiffness": stiffness, "rest": rest,
                    "value": value,
                }  # fmt: skip
        for k, (one, p, two, r, stiffness, length) in enumerate(oracle.ties):
            bodies[names[one + 1]]["points"][f"t{k}"] = list(p)
            bodies[names[two + 1]]["points"][f"u{k}"] = list(r)
            between = [f"{names[one + 1]}.t{k}", f"{names[two + 1]}.u{k}"]
            forces[f"s{k}"] = {"kind": "spring", "between": between, "stiffness": stiffness, "length": length}
        for k, (one, p, two, r) in enumerate(oracle.loops):
            sides = (names[one + 1], names[two + 1])
            frames = {sides[0]: {"at": list(p), "axis": [0, 0, 1]}, sides[1]: {"at": list(r), "axis": [0, 0, 1]}}
            joints[f"l{k}"] = {"type": "S", "bodies": list(sides), "frames": frames}
        return symgen.Mechanism.from_dict({
            "schema": "symgen/mechanism/1", "space": "spatial", "gravity": list(oracle.gravity), "bodies": bodies,
            "joints": joints, "forces": forces,
        })  # fmt: skip


def quaternion_of(matrix: Any) -> Any:
    """Return a quaternion of a rotation matrix, by its eigenvector of the eigenvalue 1 of the four-square form."""
    m = matrix
    form = np.array([
        [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [0, m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
        [0, 0, m[1, 1] - m[0, 0] - m[2, 2], m[1, 2] + m[2, 1]],
        [0, 0, 0, m[2, 2] - m[0, 0] - m[1, 1]],
    ])  # fmt: skip
    q = np.linalg.eigh(np.triu(form).T)[1][:, -1]
    assert np.abs(quaternion_matrix(q) - m).max() < 1e-12
    return q


def check(made: Made) -> None:
    expected = made.oracle.eigenvalues(made.q)
    found = symgen.vibrations(made.mechanism(), modes=len(expected))
    squares = np.concatenate(
        [-(np.array(found.growth[::-1]) ** 2), np.zeros(found.zero), (2 * np.pi * found.frequencies) ** 2]
    )
    assert len(squares) == len(expected)
    assert np.abs(np.sort(squares) - expected).max() < RELATIVE * np.abs(expected).max()


@pytest.mark.parametrize("pair", ["R", "P", "H", "C", "U", "S", "PL", "F"])
def test_one_body_on_any_joint_under_load(pair: str) -> None:
    check(Made(7, [pair]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_random_trees_with_joint_springs_and_weight(seed: int) -> None:
    draw = np.random.default_rng(100 + seed)
    check(Made(seed, list(draw.choice(["R", "P", "H", "C", "U", "S", "PL", "F", "W"], 6))))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_springs_between_points(seed: int) -> None:
    draw = np.random.default_rng(200 + seed)
    check(Made(10 + seed, list(draw.choice(["R", "P", "C", "U", "S"], 5)), ties=4))


@pytest.mark.parametrize("seed", range(4))
def test_weak_springs_leave_growing_motions(seed: int) -> None:
    check(Made(20 + seed, ["R", "U", "R", "R"], springs=0.02))


@pytest.mark.parametrize("seed", range(5))
def test_loops_closed_by_ball_joints(seed: int) -> None:
    draw = np.random.default_rng(300 + seed)
    check(Made(30 + seed, list(draw.choice(["R", "P", "C", "U", "S"], 5)), ties=1, loops=1 + seed % 2))
