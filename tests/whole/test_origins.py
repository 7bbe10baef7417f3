"""Where the frame of a body lies on it, its joints do not notice; with frames as inputs no code leads by way of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from oracle.whole_modules import Whole

import symgen
from symgen.ir.nodes import Let
from symgen.model.mechanism import Mechanism
from symgen.pipeline.whole import lower_whole
from symgen.poses import matrix
from symgen.printers.operations import count_operations
from symgen.whole.module import whole_module

EXAMPLES = Path(__file__).parents[2] / "examples"
TIMES = np.linspace(0.0, 0.3, 7)
#: Shifts are of the size of the links: roundings grow by a few.
CLOSE = 1e-11


def _load(example: str) -> Mechanism:
    return symgen.load(EXAMPLES / example / "mechanism.toml")


def _turns(poses: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of poses, of the plane or of space."""
    if poses.shape[-1] == 3:
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
    return np.stack([matrix(pose[3:]) for pose in poses])


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("example", ["jansen_leg", "spatial_four_bar", pytest.param("rotor", marks=pytest.mark.slow)])
def test_points_move_along_with_frames_that_lie_elsewhere_and_joints_stay(example: str, tmp_path: Path) -> None:
    tree = _load(example).to_dict()
    for body in tree["bodies"].values():
        body.setdefault("points", {})["Q"] = [0.1, -0.2] if tree["space"] == "planar" else [0.1, -0.2, 0.3]
    mechanism = Mechanism.from_dict(tree)
    plain = Whole(tmp_path / "a", mechanism, "plain", geometry="parameters", results=("bodies",))
    whole = Whole(tmp_path / "b", mechanism, "moved", geometry="parameters", results=("joints", "points"))
    layout, random, ground = whole.module.layout, np.random.default_rng(8), mechanism.ground
    count = 2 if layout.planar else 3
    shifts = {body: random.uniform(-0.2, 0.2, count) for body in mechanism.body_ids if body != ground}
    shifted = np.array(whole.manifest["reference"]["geometry"])
    for _, body, offset, _ in layout.geometry:
        shifted[offset : offset + count] += shifts.get(body, 0.0)
    first, other = whole.numpy("motion", t=TIMES), whole.numpy("motion", t=TIMES, geometry=shifted)
    bodies = plain.numpy("motion", t=TIMES)
    assert not any(np.any(each["status"]) for each in (first, other, bodies))
    for name in ("q", "qd", "qdd"):
        np.testing.assert_allclose(other[name], first[name], rtol=CLOSE, atol=CLOSE)
    for k, (body, name, place) in enumerate(layout.points):
        number = plain.module.layout.bodies.index(body)
        kinds = [bodies[key].reshape(len(TIMES), len(shifts), -1) for key in ("poses", "twists", "accelerations")]
        pose, twist, rate = (each[:, number] for each in kinds)
        turns = _turns(pose)
        for found, local in ((first, place), (other, np.array(place, dtype=float) - shifts[body])):
            arm = turns @ np.array(local, dtype=float)
            wanted = _carried(pose, twist, rate, arm)
            for key, value in zip(("points", "point_velocities", "point_accelerations"), wanted, strict=True):
                here = found[key][:, count * k : count * (k + 1)]
                np.testing.assert_allclose(here, value, rtol=CLOSE, atol=CLOSE, err_msg=f"{body}.{name} {key}")


def _carried(pose: np.ndarray, twist: np.ndarray, rate: np.ndarray, arm: np.ndarray) -> list[np.ndarray]:
    """Return place, velocity and acceleration of a point by the vector product in space."""
    s = np.pad(arm, ((0, 0), (0, 3 - arm.shape[1])))
    if pose.shape[1] == 3:
        r, v, a = (np.pad(each[:, :2], ((0, 0), (0, 1))) for each in (pose, twist, rate))
        spin, growth = (np.pad(each[:, 2:], ((0, 0), (2, 0))) for each in (twist, rate))
    else:
        r, v, a = pose[:, :3], twist[:, :3], rate[:, :3]
        spin, growth = twist[:, 3:], rate[:, 3:]
    around = np.cross(spin, s)
    found = [r + s, v + around, a + np.cross(growth, s) + np.cross(spin, around)]
    return [each[:, : arm.shape[1]] for each in found]


def test_from_joint_to_joint_no_step_leads_by_way_of_the_frame() -> None:
    options = {"module_id": "leg", "geometry": "parameters", "drives": "inputs", "results": ("points",)}
    module = whole_module(_load("jansen_leg"), symgen.library(), **options)
    (routine,) = lower_whole(module, ("all",))
    names = {let.name for let in routine.body if isinstance(let, Let)}
    assert "j8_1" in names  # the shoulder on the upper bar, from the joint where that is found
    assert not [name for name in names if name.partition("_")[2].startswith(("arm_b", "r_b", "v_b1", "v_b2"))]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("results", [("points",), ("joints",), ("joints", "points"), ("bodies",)], ids="+".join)
@pytest.mark.parametrize("points", [0, 1, 4])
def test_no_function_has_more_operations_than_by_way_of_the_frames(results: tuple[str, ...], points: int) -> None:
    tree = _load("jansen_leg").to_dict()
    for body in tree["bodies"].values():
        body.setdefault("points", {}).update({f"Q{k}": [0.1 * k, 0.0] for k in range(points)})
    module = whole_module(Mechanism.from_dict(tree), symgen.library(), module_id="leg", geometry="parameters",
                          results=results)  # fmt: skip
    taken = lower_whole(module, ("position", "all"))
    by_frames = lower_whole(dataclasses.replace(module, at_joints=False), ("position", "all"))
    for one, other in zip(taken, by_frames, strict=True):
        assert sum(count_operations(one).values()) <= sum(count_operations(other).values())
