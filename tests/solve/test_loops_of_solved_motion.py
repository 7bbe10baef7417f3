"""Solved motions obey the loop constraints of their topological graph, which nothing of the solving knows of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.loop_modules import assembled, call, load_numpy, write_loops
from oracle.mechanism_motion import matrices

from symgen.model.mechanism import Mechanism
from symgen.solve.result import MotionResult

Array = NDArray[np.float64]
Loops = tuple[ModuleType, dict[str, Any], MotionResult, Array, Array, Array]

#: Residuals are sums of some ten products of size one or less (rates: up to 10 1/s, squared for accelerations), each
#: right to a few 1e-16, after a solution whose own error may be a thousand times that.
CLOSED, RATES = 1e-11, 1e-8


@pytest.fixture(scope="module")
def loops() -> dict[str, Loops]:
    return {}


@pytest.fixture
def case(
    mechanism: Mechanism,
    solved: Callable[..., MotionResult],
    loops: dict[str, Loops],
    tmp_path_factory: pytest.TempPathFactory,
) -> Loops:
    """Module, manifest, solved motion; coordinates, rates and accelerations (times, coordinates)."""
    if mechanism.name not in loops:
        folder = tmp_path_factory.mktemp("loops")
        manifest = write_loops(mechanism, "some_loops", folder, order=2)
        result = solved(mechanism, np.linspace(0.03, 0.97, 7))
        assert result.ok
        tracks = [
            [getattr(result.joints[c["joint"]], what)[c["freedom"]] for c in manifest["coordinates"]]
            for what in ("coordinates", "rates", "accelerations")
        ]
        q, qd, qdd = (np.stack(track, axis=-1) for track in tracks)
        loops[mechanism.name] = load_numpy(folder, "some_loops"), manifest, result, q, qd, qdd
    return loops[mechanism.name]


@pytest.mark.sampled(1)
def test_loops_close_along_solved_motions(case: Loops) -> None:
    module, manifest, _, q, _, _ = case
    for name in ("closure", "cut"):
        for values in call(module, manifest, name, q=q).values():
            assert np.max(np.abs(values)) < CLOSED, name


@pytest.mark.sampled(1)
def test_poses_are_those_of_the_solution(case: Loops) -> None:
    module, manifest, result, q, _, _ = case
    poses = call(module, manifest, "poses", q=q)
    for number, body in enumerate(manifest["graph"]["bodies"][1:], start=1):
        pose, track = poses[f"body_{number}"], result.bodies[body]
        if manifest["space"] == "planar":
            x, y, phi = pose.T
            pose = np.stack([x, y, 0 * x, np.cos(phi / 2), 0 * x, 0 * x, np.sin(phi / 2)], axis=-1)
        found = matrices(pose[:, :3], pose[:, 3:])
        assert np.max(np.abs(found - matrices(track.r, track.q))) < CLOSED, body


@pytest.mark.sampled(1)
def test_rates_are_in_the_null_space_of_both_jacobians(case: Loops) -> None:
    module, manifest, _, q, qd, _ = case
    for name, columns in (("jacobian", "columns"), ("cut_jacobian", "cut_columns")):
        matrix = assembled(manifest, call(module, manifest, name, q=q), name, columns)
        scale = 1.0 + np.max(np.abs(qd))
        assert np.max(np.abs(matrix @ qd[..., None])) < RATES * scale, name


@pytest.mark.sampled(3)
def test_accelerations_fulfil_the_second_derivative(case: Loops) -> None:
    module, manifest, _, q, qd, qdd = case
    matrix = assembled(manifest, call(module, manifest, "jacobian", q=q), "jacobian", "columns")
    bias = call(module, manifest, "bias_2", q=q, qd=qd)
    rest = np.concatenate([bias[f"bias_{k}"] for k in range(1, len(manifest["loops"]) + 1)], axis=-1)
    scale = 1.0 + np.max(np.abs(qd)) ** 2 + np.max(np.abs(qdd))
    assert np.max(np.abs((matrix @ qdd[..., None])[..., 0] + rest)) < RATES * scale


@pytest.mark.sampled(3)
def test_ranks_leave_the_generic_mobility(case: Loops) -> None:
    """All these are generic where they move: coordinates less rank are the freedoms, in both forms."""
    module, manifest, _, q, _, _ = case
    mobility, cotree = manifest["graph"]["mobility"], manifest["graph"]["cotree"]
    outside = sum(c["joint"] in cotree for c in manifest["coordinates"])
    for name, columns, count in (
        ("jacobian", "columns", q.shape[-1]),
        ("cut_jacobian", "cut_columns", q.shape[-1] - outside),
    ):
        matrix = assembled(manifest, call(module, manifest, name, q=q), name, columns)
        assert (count - np.linalg.matrix_rank(matrix, tol=1e-7) == mobility).all(), name


@pytest.mark.slow
def test_the_parallel_manipulator_has_three_freedoms(repository: Path, tmp_path: Path) -> None:
    from symgen.model.load import load

    mechanism = load(repository / "examples" / "graphs" / "parallel_manipulator.toml")
    manifest = write_loops(mechanism, "some_loops", tmp_path, order=1, cotree=["J11", "J12"])
    module = load_numpy(tmp_path, "some_loops")
    q = np.zeros(15)
    for values in call(module, manifest, "closure", q=q).values():
        assert np.max(np.abs(values)) < 1e-15  # drawn closed: sums of a few numbers below 1
    jacobian = assembled(manifest, call(module, manifest, "jacobian", q=q), "jacobian", "columns")
    assert jacobian.shape == (12, 15)
    assert np.linalg.matrix_rank(jacobian) == 12
    poses = call(module, manifest, "poses", q=q)
    assert np.allclose(poses["body_10"], [0, 0, 0.5, 1, 0, 0, 0], atol=1e-15)
