"""The tree of 23 elements on ball joints, with the special engine: accelerations and motion of the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.special.engine import SpecialEngine, SpecialSettings
from symgen.simulate.special.tree import GROUND, make_tree

pytestmark = pytest.mark.compiler
REFERENCE = Path(__file__).parents[1] / "transfer" / "references" / "mstmm_tree23.json"


def _reference_tree(document: dict[str, Any]) -> tuple[SpecialEngine, list[str]]:
    """Return the engine of the reference's system, and its bodies in the order of the engine."""
    system = document["system"]
    bodies = {body["id"]: body for body in system["bodies"]}
    ids = list(bodies)
    parent, inputs = [], []
    hinge_of = {hinge["inboard_body"]: hinge for hinge in system["hinges"]}
    for name in ids:
        outboard = hinge_of[name]["outboard"]
        carrier = None if outboard is None else bodies.get(outboard.get("body"))
        if carrier is None:
            parent.append(GROUND)
            inputs.append(np.array(system["root_point"]))
            continue
        parent.append(ids.index(carrier["id"]))
        inputs.append(np.array(carrier["inputs"][outboard["input"] - 1]) - np.array(carrier["com"]))
    tensors = [np.array(body["J_com_body"]) for body in bodies.values()]
    packed = [[j[0, 0], j[1, 1], j[2, 2], j[0, 1], j[0, 2], j[1, 2]] for j in tensors]
    outputs = [np.array(body["output"]) - np.array(body["com"]) for body in bodies.values()]
    masses = np.array([body["m"] for body in bodies.values()])
    tree = make_tree(
        "ball", parent, masses, np.array(packed), np.array(outputs), np.array(inputs), np.array(system["gravity"])
    )
    return SpecialEngine(tree), [str(ids[k]) for k in tree.order]


def test_the_reference_tree_has_the_accelerations_of_the_reference() -> None:
    document = json.loads(REFERENCE.read_text(encoding="utf-8"))
    engine, names = _reference_tree(document)
    for given_ in document["states"]:
        state = np.array([[*given_["quaternion"][name], *given_["omega"][name]] for name in names])
        exact = np.array([given_["alpha"][name] for name in names])
        assert np.abs(engine.rates(state)[:, 4:] - exact).max() <= 1e-11 * np.abs(exact).max()


def test_the_reference_tree_moves_as_in_the_reference() -> None:
    document = json.loads(REFERENCE.read_text(encoding="utf-8"))
    engine, names = _reference_tree(document)
    motion = document["trajectory"]
    state = np.array([[*motion["quaternion"][name][0], *motion["omega"][name][0]] for name in names])
    rows, end = len(motion["t"]) - 1, motion["t"][-1]
    for scheme, tolerance, bound in ((EXPLICIT[4], None, 1e-7), (EXPLICIT[8], 1e-11, 1e-8)):
        settings_ = SpecialSettings(0.0, end, rows, round(end / rows / 1e-3), tolerance=tolerance, scheme=scheme)
        found = engine.run(settings_, state)
        for k, name in enumerate(names):
            exact = np.array(motion["quaternion"][name])
            sign = np.sign(np.sum(exact * found.poses[:, k, 3:], axis=1))[:, None]
            assert np.abs(exact - sign * found.poses[:, k, 3:]).max() <= bound
