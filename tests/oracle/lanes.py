"""Rows for batches in lanes: solved ones, and failures of every kind strewn among them."""

from __future__ import annotations

import random

import numpy as np
from oracle.cases import solved_inputs
from oracle.compilers import Unit
from oracle.modules import DTYPE, Tree, inputs_of, manifest


def functions_in_lanes(module: str) -> list[Tree]:
    """Return the functions of a module whose batches run in lanes."""
    return [entry for entry in manifest(module)["functions"] if entry.get("lanes")]


def rows_of_inputs(unit: Unit, entry: Tree, rows: int) -> dict[str, np.ndarray]:
    """Return rows of inputs: solved ones, and among them NaN, infinity, zeros, huge numbers, branches that are none."""
    rng = random.Random(entry["name"])
    cases = [p for seed in range(3) for p in solved_inputs(unit.module, entry["arrangement"], seed)]
    arrays = {}
    for port in inputs_of(entry):
        dtype = np.int32 if port["kind"] == "int" else DTYPE[unit.precision]
        arrays[port["name"]] = np.array([cases[k % len(cases)][port["name"]] for k in range(rows)]).astype(dtype)
    for row in rng.sample(range(rows), rows // 5):
        port = rng.choice(inputs_of(entry))
        array = arrays[port["name"]]
        if port["kind"] == "int":
            array[row] = rng.choice((-1, 10**6))
        else:
            place = (row, rng.randrange(array.shape[1])) if array.ndim == 2 else row
            array[place] = rng.choice((np.nan, np.inf, 0.0, -1.0, 1e30, array[place] * 1.5))
    return arrays
