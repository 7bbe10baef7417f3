"""Eigenfrequencies against the oracle: accelerations a little beside rest, all pairs, loops, taut strings, pendula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transfer.drafts import FREEDOMS, Draft, random_inertia, random_mechanism, random_planar, random_turn
from transfer.oracle_multibody import Multibody
from transfer.oracle_pairs import about_x, about_y, about_z, coordinate
from vibrations.oracle_vibrations import frequencies

from symgen.model.mechanism import Mechanism
from symgen.vibrations.analysis import vibrations


def judge(mechanism: Mechanism, free: int = 0) -> None:
    """Compare all frequencies; `free` motions have none."""
    found = np.array([mode.omega for mode in vibrations(mechanism, modes=100).modes])
    squares = frequencies(mechanism)
    expected = np.sqrt(np.maximum(squares, 0.0))
    assert len(found) + free == len(expected)
    # differences of fourth order over 1e-4: 1e-11 of the largest square; a frequency at zero has its root
    np.testing.assert_allclose(found, expected[free:], rtol=1e-7, atol=1e-7 * float(expected.max(initial=1.0)))
    assert np.all(expected[:free] < 1e-4 * float(expected.max(initial=1.0)))


def relaxed(draft: Draft, rng: np.random.Generator) -> Mechanism:
    """Return the mechanism at rest: no weight, and a spring at its rest in every freedom of every joint."""
    draft.tree["gravity"] = [0, 0, 0]
    draft.tree.pop("forces", None)
    mechanism = Mechanism.from_dict(draft.tree)
    bodies = Multibody(mechanism)
    for joint in mechanism.joints:
        place, turn = bodies.relative(joint, bodies.state())
        for freedom in joint.freedoms:
            rest = float(coordinate(joint.type, freedom, place, turn, joint.pitch)[0, 12])
            draft.force(f"k_{joint.id}_{freedom}", kind="joint", joint=joint.id, freedom=freedom,
                        stiffness=float(rng.uniform(5, 50)), rest=rest)  # fmt: skip
    return draft.resting()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(16))
def test_springs_in_all_joints_of_random_trees_and_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    draft = (
        random_mechanism(rng, 1 + seed % 4, list(FREEDOMS)),
        random_mechanism(rng, 2 + seed % 3, ["S", "C", "U", "PL", "F", "R"], loops=1),
        random_planar(rng, 1 + seed % 5),
        random_planar(rng, 2 + seed % 4, loops=1),
    )[seed % 4]
    judge(relaxed(draft, rng))


@pytest.mark.parametrize(("codes", "free"), [("SSSS", 4), ("UUUU", 4), ("RRRR", 0), ("SURW", 2)])
def test_chains_that_hang_swing_under_their_weight(codes: str, free: int) -> None:
    rng, draft, z = np.random.default_rng(3), Draft("hanging"), 0.0
    for k, code in enumerate(codes):
        turn = random_turn(rng)
        draft.body(f"b{k}", [0, 0, z], turn, 1.0 + k, turn.T @ np.array([0, 0, -0.3]), random_inertia(rng, 0.1))
        ends = (f"b{k - 1}" if k else "ground", f"b{k}")
        axes = about_x(np.pi / 2) if code == "R" else np.eye(3)
        draft.joint(f"j{k}", code, ends if k % 2 else ends[::-1], [0, 0, z], axes)
        z -= 0.5
    judge(draft.resting(), free)


def test_a_taut_string_of_beads_swings_across_by_its_tension() -> None:
    draft, count = Draft("beads", gravity=(0, 0, 0)), 4
    for k in range(count):
        draft.body(f"b{k}", [k + 1.0, 0, 0], np.eye(3), 1.0, [0, 0, 0], 0.05 * np.eye(3), P=[0, 0, 0])
        draft.tree["joints"][f"f{k}"] = {"type": "F", "bodies": ["ground", f"b{k}"]}
    draft.tree["bodies"]["ground"] = {"points": {"A": [0, 0, 0], "B": [count + 1.0, 0, 0]}}
    ends = ["ground.A", *(f"b{k}.P" for k in range(count)), "ground.B"]
    for k in range(count + 1):
        draft.force(f"s{k}", kind="spring", between=[ends[k], ends[k + 1]], stiffness=100.0, length=0.6)
    mechanism = draft.resting()
    judge(mechanism, free=3 * count)
    # tension 40 N over links of 1 m across, twice; stiffness 100 N/m along
    waves = 2 * np.sin(np.arange(1, count + 1) * np.pi / (2 * (count + 1)))
    expected = np.sort(np.concatenate([np.sqrt(40.0) * waves, np.sqrt(40.0) * waves, 10.0 * waves]))
    found: Any = [mode.omega for mode in vibrations(mechanism, modes=100).modes]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_an_inverted_pendulum_grows_as_it_should() -> None:
    draft = Draft("inverted")
    draft.body("b", [0, 0, 0], about_y(0.0) @ about_z(0.0), 1.0, [0, 0, 0.3], 0.1 * np.eye(3))
    draft.joint("j", "S", ("ground", "b"), [0, 0, 0])
    found = vibrations(draft.resting(), modes=5)
    # J w'' = m g l w about the foot
    np.testing.assert_allclose(found.growth, [np.sqrt(9.81 * 0.3 / 0.19)] * 2, rtol=1e-9)
    assert found.zero == 1
