"""Joints of several bodies have one place. Oracle: the floating-point rank of all constraints at random."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest

from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse


def _twists(code, space, draw):
    """Return what the pair allows, at random: rows (omega, v), in the plane (omega, vx, vy)."""
    if space == "planar":
        x, y = draw.normal(size=2)
        return [[1, y, -x]] if code == "R" else [[0, x, y]]
    point, axis = draw.normal(size=3), draw.normal(size=3)

    def turn(e):
        return [*e, *np.cross(point, e)]

    across = np.cross(axis, draw.normal(size=3))
    return {
        "R": [turn(axis)],
        "P": [[0, 0, 0, *axis]],
        "C": [turn(axis), [0, 0, 0, *axis]],
        "S": [turn(e) for e in np.eye(3)],
        "PL": [turn(axis), [0, 0, 0, *across], [0, 0, 0, *np.cross(axis, across)]],
        "U": [turn(axis), turn(across)],
    }[code]


def _is_regular(tree) -> bool:
    space = tree["space"]
    width = 3 if space == "planar" else 6
    draw = np.random.default_rng(7)
    place = {body: k for k, body in enumerate(tree["bodies"])}
    rows = []
    for joint in tree["joints"].values():
        allowed = np.array(_twists(joint["type"], space, draw), dtype=float)
        normal = np.linalg.svd(allowed)[2][len(allowed) :]
        one, *others = joint["bodies"]
        for other in others:
            for row in [*normal, *draw.normal(size=(joint.get("driven", 0), width))]:
                entry = np.zeros(width * len(place))
                for body, sign in ((one, -1), (other, 1)):
                    if body in place:
                        entry[width * place[body] : width * (place[body] + 1)] += sign * row
                rows.append(entry)
    return len(rows) == width * len(place) == np.linalg.matrix_rank(np.array(rows), tol=1e-8)


def _random_tree(seed):
    """Return a mechanism with one joint of three or four bodies whose total count agrees; None if none came out."""
    draw = random.Random(seed)
    space = draw.choice(["planar", "spatial"])
    width, grade = (
        (3, {"R": 1, "P": 1}) if space == "planar" else (6, {"R": 1, "P": 1, "C": 2, "U": 2, "S": 3, "PL": 3})
    )
    names = ["ground", *(f"b{k}" for k in range(1, draw.choice([4, 6]) if space == "planar" else draw.randint(3, 5)))]
    pin = draw.sample(names, min(len(names), draw.randint(3, 4)))
    code = draw.choice([type_ for type_ in grade if type_ != "U"])
    joints = {"pin": {"type": code, "bodies": pin}}
    left = width * (len(names) - 1) - (len(pin) - 1) * (width - grade[code])
    ends = [pair for pair in combinations(names, 2) if not set(pair) <= set(pin)]
    draw.shuffle(ends)
    for pair in ends:
        type_ = draw.choice(list(grade))
        driven = int(draw.random() < 0.25)
        if width - grade[type_] + driven <= left:
            joints[f"j{len(joints)}"] = {"type": type_, "bodies": list(pair), "driven": driven}
            left -= width - grade[type_] + driven
    bodies = {name: {} for name in names[1:]}
    return None if left else {"schema": "symgen/mechanism/1", "space": space, "bodies": bodies, "joints": joints}


@pytest.mark.slow
def test_a_mechanism_is_determined_if_and_only_if_its_constraints_have_full_rank_with_the_joint_at_one_place():
    counted = {True: 0, False: 0}
    for seed in range(6000):
        tree = _random_tree(seed)
        if tree is None:
            continue
        status = analyse(Mechanism.from_dict(tree)).status
        if status in ("determined", "singular"):
            assert (status == "determined") == _is_regular(tree), seed
            counted[status == "determined"] += 1
    assert min(counted.values()) > 10


PIN = {
    "schema": "symgen/mechanism/1", "space": "planar",
    "bodies": {body: {} for body in ("rocker", "bar", "arm", "slider", "link")},
    "joints": {
        "O": {"type": "R", "bodies": ["ground", "rocker", "arm"]},
        "A": {"type": "R", "bodies": ["rocker", "bar"], "driven": 1},
        "B": {"type": "R", "bodies": ["bar", "arm"]},
        "C": {"type": "R", "bodies": ["link", "slider"]},
        "D": {"type": "P", "bodies": ["ground", "slider"]},
        "E": {"type": "R", "bodies": ["link", "rocker"]},
    },
}  # fmt: skip


def test_an_input_inside_a_rigid_triangle_on_one_pin_is_refused_whatever_tree_stands_for_the_pin():
    """Rocker, bar and arm are a triangle whose corner is the pin in the ground; the finding says what to drive."""
    trees = [None, [["ground", "rocker"], ["rocker", "arm"]], [["ground", "arm"], ["arm", "rocker"]]]
    for tree in trees:
        pin = PIN["joints"]["O"] | ({"tree": tree} if tree else {})
        structure = analyse(Mechanism.from_dict(PIN | {"joints": PIN["joints"] | {"O": pin}}))
        assert structure.status == "singular", tree
    free = {name: {key: x for key, x in joint.items() if key != "driven"} for name, joint in PIN["joints"].items()}
    free["D"]["driven"] = 1
    assert analyse(Mechanism.from_dict(PIN | {"joints": free})).status == "determined"
