"""Mechanisms of the transfer tests: the tree of 23 elements, random trees and loops, rings and ladders."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgen.model.mechanism import Mechanism
from symgen.poses import Array, compose, inverse, matrix, multiply

Tree = dict[str, Any]
TYPES = ("W", "R", "P", "H", "C", "U", "ER", "L", "S", "PL", "F")
_TREE23 = (
    "5:1-9.1 6:2-10.1 7:3-11.1 8:4-12.1 13:9-17.1 14:10-17.2 15:11-18.1 16:12-18.2 19:17-21.1 20:18-21.2 22:21-23.1"
)
#: Pair type -> its motions in the order of the mechanism file's joint frames.
_MOTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "W": (),
    "R": (("turn", "z"),),
    "P": (("slide", "z"),),
    "H": (("screw", "z"),),
    "C": (("slide", "z"), ("turn", "z")),
    "U": (("turn", "z"), ("turn", "x")),
    "ER": (("turn", "z"), ("turn", "x")),
    "L": (("slide", "x"), ("turn", "z")),
    "S": (("turn", "z"), ("turn", "y"), ("turn", "x")),
    "PL": (("slide", "x"), ("slide", "y"), ("turn", "z")),
    "FP": (("slide", "x"), ("slide", "y"), ("turn", "z")),
    "F": (("slide", "x"), ("slide", "y"), ("slide", "z"), ("turn", "z"), ("turn", "y"), ("turn", "x")),
}
PITCH = 0.13


class Systems:
    """Makes mechanisms; every call with the same seed makes the same one."""

    reference: Mapping[str, Any]

    def __init__(self) -> None:
        path = Path(__file__).parent / "references" / "mstmm_tree23.json"
        self.reference = json.loads(path.read_text(encoding="utf-8"))

    def tree23(self, state: Mapping[str, Any] | None = None, more: Iterable[str] = (), **changes: Any) -> Mechanism:
        """Return the tree of 23 elements in a state of the reference, with more joints ``name:body-body.input``."""
        given = state or self.reference["states"][0]
        system = self.reference["system"]
        by_id = {str(body["id"]): body for body in system["bodies"]}
        bodies, initial, joints = {}, {}, {}
        for name, body in by_id.items():
            j = body["J_com_body"]
            bodies[name] = {
                "mass": body["m"],
                "com": body["com"],
                "inertia": [j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]],
                "pose": {"r": given["r_I1"][name], "q": given["quaternion"][name]},
            }
            lever = matrix(np.array(given["quaternion"][name])) @ np.array(body["com"])
            v = np.array(given["v_I1"][name]) + np.cross(given["omega"][name], lever)
            initial[name] = {"v": v.tolist(), "omega": given["omega"][name]}
        for word in (*_TREE23.split(), *more):
            name, ends = word.split(":")
            one, two = ends.split("-")
            two, place = two.split(".")
            at = by_id[two]["inputs"][int(place) - 1]
            joints[f"h{name}"] = {
                "type": "S", "bodies": [one, two], "frames": {one: {"at": by_id[one]["output"]}, two: {"at": at}},
            }  # fmt: skip
        joints["root"] = {
            "type": "S", "bodies": ["23", "ground"],
            "frames": {"23": {"at": by_id["23"]["output"]}, "ground": {"at": system["root_point"]}},
        }  # fmt: skip
        return Mechanism.from_dict(
            {
                "schema": "symgen/mechanism/1", "name": "tree of 23 elements", "space": "spatial",
                "gravity": system["gravity"], "bodies": bodies, "joints": joints, "initial": {"bodies": initial},
            }
            | changes
        )  # fmt: skip

    def random(
        self,
        seed: int,
        bodies: int,
        *,
        types: Sequence[str] = TYPES,
        loops: int = 0,
        grounded: int = 1,
        change: Callable[[Tree, np.random.Generator], None] | None = None,
    ) -> Mechanism:
        """Return a random mechanism: a tree of random pairs in either direction, and random loops, all closed.

        Parameters
        ----------
        loops : cut joints; between any two bodies or to the ground.
        grounded : how many bodies of the tree hang on the ground.
        change : alters the tree of the file.
        """
        generator = np.random.default_rng(seed)
        names = [f"b{k}" for k in range(bodies)]
        ends: list[tuple[int | None, int | None]] = [
            (None if k < grounded else int(generator.integers(k)), k) for k in range(bodies)
        ]
        joined = {frozenset(pair) for pair in ends}
        while len(ends) < bodies + loops:
            one, two = (None if k == bodies else int(k) for k in sorted(generator.choice(bodies + 1, 2, replace=False)))
            one, two = (two, one) if two is None else (one, two)
            if frozenset((one, two)) not in joined:  # two bodies may have one joint
                joined.add(frozenset((one, two)))
                ends.append((one, two))
        tree = self._bodies(generator, names)
        tree["joints"] = {}
        for number, (one, two) in enumerate(ends):
            pair = ["ground" if k is None else names[k] for k in (one, two)]
            if generator.random() < 0.5:
                pair.reverse()
            kind = str(generator.choice(list(types)))
            tree["joints"][f"j{number}"] = joint(generator, tree["bodies"], kind, pair)
        if change is not None:
            change(tree, generator)
        return Mechanism.from_dict(tree)

    def planar(self, seed: int, bodies: int, *, loops: int = 0) -> Mechanism:
        """Return a random planar mechanism: a tree of R, P, L and FP pairs hanging on the ground, and loops of R."""
        generator = np.random.default_rng(seed)
        names = [f"b{k}" for k in range(bodies)]
        tree = self._bodies(generator, names)
        tree |= {"space": "planar", "gravity": [0.3, -9.81, 0.0], "joints": {}}
        for name in names:
            body, half = tree["bodies"][name], float(generator.uniform(-1.5, 1.5))
            body["pose"] = {"r": [*body["pose"]["r"][:2], 0.0], "q": [math.cos(half), 0.0, 0.0, math.sin(half)]}
            body["com"][2] = 0.0
            body["inertia"][:2], body["inertia"][3:] = [0.1, 0.1], [0.0, 0.0, 0.0]
            tree["initial"]["bodies"][name] = {
                "v": [*generator.uniform(-1, 1, 2).tolist(), 0.0], "omega": [0.0, 0.0, float(generator.uniform(-2, 2))],
            }  # fmt: skip
        ends = [(None if k == 0 else int(generator.integers(k)), k) for k in range(bodies)]
        ends += [(int(one), bodies - 1 - k) for k, one in enumerate(generator.permutation(bodies // 2)[:loops])]
        for number, (one, two) in enumerate(ends):
            kind = "R" if number >= bodies else str(generator.choice(["R", "R", "P", "L", "FP"]))
            pair = ["ground" if one is None else names[one], names[two]]
            if any(set(each["bodies"]) == set(pair) for each in tree["joints"].values()):
                continue
            tree["joints"][f"j{number}"] = joint(generator, tree["bodies"], kind, pair, planar=True)
        return Mechanism.from_dict(tree)

    def linked(self, seed: int, pairs: Sequence[tuple[str, str, str]], bodies: int) -> Mechanism:
        """Return a mechanism of given pairs (type, first, second) between bodies b0, b1, ... and the ground, closed."""
        generator = np.random.default_rng(seed)
        tree = self._bodies(generator, [f"b{k}" for k in range(bodies)])
        tree["joints"] = {
            f"j{k}": joint(generator, tree["bodies"], kind, [one, two]) for k, (kind, one, two) in enumerate(pairs)
        }
        return Mechanism.from_dict(tree)

    def _bodies(self, generator: np.random.Generator, names: Sequence[str]) -> Tree:
        bodies: Tree = {}
        initial: Tree = {}
        for name in names:
            a = generator.normal(size=(3, 3))
            inertia = 0.05 * (a @ a.T + np.eye(3))
            q = generator.normal(size=4)
            bodies[name] = {
                "mass": float(generator.uniform(0.5, 3)),
                "com": generator.uniform(-0.4, 0.4, 3).tolist(),
                "inertia": [float(inertia[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
                "pose": {"r": generator.uniform(-1, 1, 3).tolist(), "q": (q / np.linalg.norm(q)).tolist()},
            }
            initial[name] = {
                "v": generator.uniform(-1, 1, 3).tolist(), "omega": generator.uniform(-2, 2, 3).tolist(),
            }  # fmt: skip
        return {
            "schema": "symgen/mechanism/1", "name": "random", "space": "spatial", "gravity": [0.3, -1.0, -9.81],
            "bodies": bodies, "initial": {"bodies": initial},
        }  # fmt: skip


def joint(
    generator: np.random.Generator,
    bodies: Mapping[str, Any],
    kind: str,
    pair: Sequence[str],
    *,
    planar: bool = False,
) -> Tree:
    """Return a joint with random frames and coordinates that closes at the poses of its bodies."""
    first = np.concatenate([generator.uniform(-0.5, 0.5, 3), generator.normal(size=4)])
    if planar:
        half = first[3]
        first[2:] = [0.0, math.cos(half), 0.0, 0.0, math.sin(half)]
        if kind == "P":  # slides along z of its frame
            first[3:] = multiply(first[3:], np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]))
    first[3:] /= np.linalg.norm(first[3:])
    reached = compose(_pose(bodies, pair[0]), first)
    for motion, axis in _MOTIONS[kind]:
        reached = compose(reached, _moved(motion, axis, float(generator.uniform(-1, 1))))
    second = compose(inverse(_pose(bodies, pair[1])), reached)
    if planar:
        second[2] = 0.0  # not a rounding
    found: Tree = {
        "type": kind, "bodies": list(pair),
        "frames": {
            name: {"at": frame[:3].tolist(), "q": frame[3:].tolist()}
            for name, frame in zip(pair, (first, second), strict=True)
        },
    }  # fmt: skip
    return found | ({"pitch": PITCH} if kind == "H" else {})


def _moved(motion: str, axis: str, value: float) -> Array:
    place = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    k = "xyz".index(axis)
    if motion == "slide":
        place[k] = 0.3 * value
        return place
    place[3], place[4 + k] = math.cos(value / 2), math.sin(value / 2)
    place[k] = PITCH * value if motion == "screw" else 0.0
    return place


def _pose(bodies: Mapping[str, Any], name: str) -> Array:
    if name == "ground":
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    pose = bodies[name]["pose"]
    return np.array([*pose["r"], *pose["q"]])


@pytest.fixture(scope="session")
def systems() -> Systems:
    """What makes the mechanisms."""
    return Systems()
