"""Suspensions and parallel robots whose rods hang on two balls: solved as drawn, analysis and solution agree.

Oracle: Newton's method on the poses of the other bodies, a rod being a distance (`oracle.rod_lengths`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle.mechanism_motion import derivatives, gap, matrices, motion_of, relative_frames, spins, stencil
from oracle.rod_lengths import RodMechanism
from oracle.rod_mechanisms import TREES

import symgen
from symgen.library.open import Library
from symgen.model.expressions import parse
from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Solve = Callable[..., MotionResult]
TIMES = np.linspace(0.0, 1.0, 11)

#: Idle rotations: a rod each, the piston rod of the MacPherson strut and the five-link suspension's telescope.
IDLE = {
    "double wishbone": 1, "MacPherson": 2, "five-link": 6, "Delta forward": 6, "Delta inverse": 6, "Orthoglide": 6,
    "Hexaglide": 6,
}  # fmt: skip
ORACLE_BODIES = {
    "double wishbone": ["lower", "upper", "rack", "upright"],
    "MacPherson": ["lower", "rack", "upright"],
    "five-link": ["carrier"],
    "Delta forward": ["arm0", "arm1", "arm2", "platform"],
    "Delta inverse": ["arm0", "arm1", "arm2", "platform"],
    "Orthoglide": ["slide0", "slide1", "slide2", "tool"],
    "Hexaglide": [*(f"slide{k}" for k in range(6)), "platform"],
}


def _law(text: str) -> Callable[[float], float]:
    law = parse(text, names=("t",))
    return lambda time: float(law.evaluate({"t": np.array(time)}))


def _oracle(name: str) -> RodMechanism:
    tree = TREES[name]
    joints = tree["joints"]
    drives: dict[str, Any] = {}
    for joint, law in tree["drives"].items():
        drives |= {f"{joint}.{k}": _law(v) for k, v in law.items()} if isinstance(law, dict) else {joint: _law(law)}
    rods = [
        (joints[end]["bodies"][0], joints[end]["at"], joints[far]["bodies"][1], joints[far]["at"], None)
        for end in joints
        if end.endswith("_1")
        for far in [end[:-1] + "2"]
    ]
    lines = []
    if name == "five-link":
        rods.append(("ground", joints["top"]["at"], "carrier", joints["foot"]["at"], "strut"))
    if name == "MacPherson":
        lines.append(("upright", joints["tube"]["at"], joints["tube"]["axis"], "ground", joints["top"]["at"]))
    return RodMechanism(tree, ORACLE_BODIES[name], drives, rods, lines)


@pytest.fixture(scope="module")
def solve(numpy_library: Library) -> Solve:
    return lambda name, times, **more: symgen.solve(
        Mechanism.from_dict(TREES[name]), times, library=numpy_library, **more
    )


@pytest.mark.parametrize("name", TREES)
def test_the_analysis_shows_every_group_and_what_spins(name: str) -> None:
    structure = symgen.analyse(Mechanism.from_dict(TREES[name]))
    assert structure.status == "determined"
    assert {body for group in structure.groups for body in group.bodies} == {*TREES[name]["bodies"]}
    idle = [finding for finding in structure.diagnosis if finding.kind == "idle"]
    assert len(idle) == IDLE[name] == len(structure.diagnosis)
    assert structure.mobility == structure.driven + IDLE[name]
    types = {name: joint["type"] for name, joint in TREES[name]["joints"].items()}
    for group in structure.groups:  # pairs are those of the file
        assert all(pair.type == types[pair.joint] for pair in (*group.external, *group.internal))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TREES)
def test_it_moves_as_bodies_do_that_rods_hold_at_their_lengths(solve: Solve, name: str) -> None:
    result = solve(name, TIMES)
    assert result.ok, result.first_failure()
    expected = _oracle(name).motion(TIMES)
    for body, motion in expected.items():
        found = matrices(result.bodies[body].r, result.bodies[body].q)
        # Both solve to some roundings times the condition of the Jacobian, below 1e3 for all of these.
        np.testing.assert_allclose(found, motion, atol=1e-11, err_msg=body)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TREES)
def test_joints_close_with_the_coordinates_of_the_pairs_in_the_file(solve: Solve, name: str) -> None:
    result = solve(name, TIMES)
    frames = relative_frames(result)
    for joint in result.mechanism.joints:
        assert joint.type == TREES[name]["joints"][joint.id]["type"]
        assert gap(joint.type, frames[joint.id]) < 1e-12, joint.id  # lengths of order 1, some hundred roundings
        turned = motion_of(joint.type, result.joints[joint.id].coordinates)[:, :3, :3]
        np.testing.assert_allclose(turned, frames[joint.id][:, :3, :3], atol=1e-12, err_msg=joint.id)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TREES)
def test_rates_are_derivatives_of_the_poses(solve: Solve, name: str) -> None:
    step = 1e-3  # five-point differences: step^4 of laws with rates up to 4 pi against roundings / step^2
    result = solve(name, stencil(np.linspace(0.05, 0.95, 4), step))
    assert result.ok
    middle = slice(2, None, 5)
    for body, track in result.bodies.items():
        _, v, a = derivatives(track.r, step)
        omega, alpha = spins(matrices(track.r, track.q)[:, :3, :3], step)
        for found, expected, bound in (
            (track.v, v, 1e-7), (track.omega, omega, 1e-7), (track.a, a, 1e-5), (track.alpha, alpha, 1e-5)
        ):  # fmt: skip
            np.testing.assert_allclose(
                found[middle], expected, atol=bound * (1.0 + np.max(np.abs(expected))), err_msg=body
            )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["double wishbone", "MacPherson"])
def test_assemblies_do_not_differ_by_idle_rotations_alone(name: str, numpy_library: Library) -> None:
    """A rod held by a U could also be turned by half a turn: that is the same assembly."""
    mechanism = Mechanism.from_dict(TREES[name])
    found = symgen.assemblies(mechanism, 0.0, library=numpy_library)
    uprights = [matrices(each.bodies["upright"][:3], each.bodies["upright"][3:])[0] for each in found]
    for k, one in enumerate(uprights):
        assert all(np.max(np.abs(one - other)) > 1e-3 for other in uprights[:k])
    (drawn,) = [each for each, pose in zip(found, uprights, strict=True) if np.allclose(pose, np.eye(4), atol=1e-9)]
    followed = symgen.solve(mechanism, TIMES[:4], assembly=drawn, library=numpy_library)
    plain = symgen.solve(mechanism, TIMES[:4], library=numpy_library)
    for body in mechanism.bodies:
        np.testing.assert_allclose(followed.bodies[body.id].r, plain.bodies[body.id].r, atol=1e-10)
