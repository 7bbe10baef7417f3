"""Loops: the same frequencies wherever the loop is cut, with redundant constraints, in the plane and in space."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import symgen


def ring(order: tuple[int, ...]) -> symgen.Mechanism:
    """Return four bodies in a ring of R, S, C, U and H, on springs, under weight; joints in some order of the file."""
    places = [[0, 0, 0], [0.9, 0.1, 0.3], [1.1, 1.0, 0.2], [0.4, 1.2, -0.2], [-0.2, 0.7, 0.1]]
    names = ["ground", "a", "b", "c", "d"]
    types = ["R", "S", "C", "U", "H"]
    axes = [[0, 0, 1], [1, 0, 0], [0.6, 0, 0.8], [0, 1, 0], [0.8, 0.6, 0]]
    joints: dict[str, Any] = {}
    for k in order:
        joints[f"j{k}"] = {"type": types[k], "bodies": [names[k], names[(k + 1) % 5]], "at": places[k], "axis": axes[k]}
    joints["j3"]["axis2"] = [0, 0, 1]
    joints["j4"]["pitch"] = 0.2
    freedoms = {"R": ["angle"], "S": ["yaw", "pitch", "roll"], "C": ["slide", "angle"], "U": ["angle1", "angle2"],
                "H": ["angle"]}  # fmt: skip
    forces = {
        f"f{k}{f}": {"kind": "joint", "joint": f"j{k}", "freedom": f, "stiffness": 40.0 + 3 * k, "rest": 0.05 * k}
        for k in range(5)
        for f in freedoms[types[k]]
    }
    bodies: dict[str, Any] = {
        name: {"mass": 1.0 + 0.2 * k, "com": [0.5, 0.3, 0.1], "inertia": [0.05, 0.06, 0.07, 0, 0, 0.01]}
        for k, name in enumerate(names[1:])
    }
    bodies["b"]["points"] = {"P": [0.7, 0.8, 0.3]}
    bodies["ground"] = {"points": {"P": [2.0, 0.0, 1.0]}}
    forces["t"] = {"kind": "spring", "between": ["ground.P", "b.P"], "stiffness": 25.0, "length": 1.0}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81], "bodies": bodies,
        "joints": joints, "forces": forces,
    })  # fmt: skip


def test_a_loop_under_load_may_be_cut_at_any_joint() -> None:
    orders = [tuple((k + start) % 5 for k in range(5)) for start in range(5)]
    found = [symgen.vibrations(ring(order), settle=True) for order in orders]
    assert [len(each.modes) for each in found] == [3] * 5
    first = found[0].frequencies
    # rest is found to 1e-11 of the forces
    assert np.abs(np.array([each.frequencies for each in found]) / first - 1.0).max() < 1e-8


def four_bar(space: str, ends: str) -> symgen.Mechanism:
    z = [] if space == "planar" else [0.0]
    places = [[0, 0, *z], [0, 1, *z], [2, 1.5, *z], [2, 0, *z]]
    names = ["ground", "a", "b", "c"]
    types = ["R", "R", ends, "R"]
    joints: dict[str, Any] = {}
    for k, place in enumerate(places):
        joints[f"j{k}"] = {"type": types[k], "bodies": [names[k], names[(k + 1) % 4]], "at": place}
        if space != "planar":
            joints[f"j{k}"]["axis"] = [0, 0, 1]
    body = {"mass": 1.5, "com": [0.3, 0.2, *z], "inertia": [0.1, 0.1, 0.2, 0, 0, 0]}
    springs = {"s": {"kind": "joint", "joint": "j0", "freedom": "angle", "stiffness": 100.0}}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": space, "bodies": {name: dict(body) for name in names[1:]},
        "joints": joints, "forces": springs,
    })  # fmt: skip


def test_redundant_constraints_of_a_planar_loop_in_space_change_nothing() -> None:
    flat = symgen.vibrations(four_bar("planar", "R")).frequencies
    assert len(flat) == 1
    for ends in ("R", "S", "C"):
        assert symgen.vibrations(four_bar("spatial", ends)).frequencies == pytest.approx(flat, rel=1e-10)


def test_a_ring_of_pins_and_rods_against_its_one_freedom() -> None:
    """A parallelogram of massless rods with a mass on the coupler: the coupler only shifts."""
    joints = {
        f"j{k}": {"type": "R", "bodies": list(pair), "at": at}
        for k, (pair, at) in enumerate([
            (("ground", "a"), [0, 0]), (("a", "b"), [0, -1]), (("b", "c"), [2, -1]), (("c", "ground"), [2, 0]),
        ])
    }  # fmt: skip
    light = {"mass": 0.0, "inertia": [0] * 6}
    for order in itertools.permutations(joints):
        made = symgen.Mechanism.from_dict({
            "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0, -9.81],
            "bodies": {"a": light, "b": {"mass": 3.0, "com": [1.0, -1.0], "inertia": [0, 0, 0.4, 0, 0, 0]}, "c": light},
            "joints": {name: joints[name] for name in order},
        })  # fmt: skip
        assert symgen.vibrations(made).frequencies * math.tau == pytest.approx([math.sqrt(9.81)], rel=1e-10)
