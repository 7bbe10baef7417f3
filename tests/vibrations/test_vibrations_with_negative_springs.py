"""Springs of negative stiffness (joints that snap, preloaded spirals): rest may be unstable, rates are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symgen


def chain(stiffness: list[float]) -> symgen.Mechanism:
    """Return wagons of 1 kg in a row, each held to the one before (the first to the ground)."""
    names = [f"b{k}" for k in range(len(stiffness))]
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar",
        "bodies": {name: {"mass": 1.0, "inertia": [0, 0, 0.1, 0, 0, 0], "pose": {"r": [k + 1.0, 0.0]}}
                   for k, name in enumerate(names)},
        "joints": {f"J{k}": {"type": "P", "bodies": [["ground", *names][k], name], "at": [k, 0], "axis": [1, 0]}
                   for k, name in enumerate(names)},
        "forces": {f"f{k}": {"kind": "joint", "joint": f"J{k}", "stiffness": each}
                   for k, each in enumerate(stiffness)},
    })  # fmt: skip


@pytest.mark.parametrize("method", ["riccati", "determinant"])
@pytest.mark.parametrize("negative", [-10.0, -100.0, -1e6])
def test_a_chain_with_a_negative_spring_has_the_eigenvalues_of_its_stiffness(negative: float, method: str) -> None:
    stiffness = [100.0, 100.0, negative, 100.0]
    dense = np.zeros((4, 4))
    for k, each in enumerate(stiffness):
        ends = np.eye(4)[k] - (np.eye(4)[k - 1] if k else 0.0)
        dense += each * np.outer(ends, ends)
    squares = np.linalg.eigvalsh(dense)
    found = symgen.vibrations(chain(stiffness), method=method)
    assert found.growth == pytest.approx([math.sqrt(-squares[0])], rel=1e-10)
    # rounding of the stiffest spring (1e6 against 100) is what the others lose
    assert [mode.omega**2 for mode in found.modes] == pytest.approx(list(squares[1:]), rel=1e-9)


@pytest.mark.parametrize(("spring", "settle"), [(-5.0, False), (-20.0, False), (-5.0, True), (-20.0, True)])
def test_a_negative_spring_about_the_pin_of_a_pendulum_at_rest_is_taken_from_the_weight(
    spring: float, settle: bool
) -> None:
    made = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "space": "planar", "gravity": [0.0, -9.81],
        "bodies": {"rod": {"mass": 2.0, "com": [0.0, -0.4], "inertia": [0, 0, 0.05, 0, 0, 0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0.0, 0.0]}},
        "forces": {"s": {"kind": "joint", "joint": "A", "stiffness": spring}},
    })  # fmt: skip
    square = (2.0 * 9.81 * 0.4 + spring) / (0.05 + 2.0 * 0.16)
    found = symgen.vibrations(made, settle=settle)
    rate = pytest.approx([math.sqrt(abs(square))], rel=1e-12)
    assert ([mode.omega for mode in found.modes] if square > 0.0 else list(found.growth)) == rate
    assert len(found.modes) + len(found.growth) == 1
