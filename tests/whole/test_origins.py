"""Where the frame of a body lies on it, its joints do not notice; with frames as inputs no code leads by way of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle.whole_modules import Whole

import symgen
from symgen.ir.nodes import Let
from symgen.model.mechanism import Mechanism
from symgen.pipeline.whole import lower_whole
from symgen.poses import matrix
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


@pytest.mark.parametrize("example", ["jansen_leg", "spatial_four_bar", pytest.param("rotor", marks=pytest.mark.slow)])
def test_frames_that_lie_elsewhere_on_their_bodies_move_along_and_joints_stay(example: str, tmp_path: Path) -> None:
    whole = Whole(tmp_path, _load(example), f"shifted_{example}", geometry="parameters", results=("bodies", "joints"))
    layout = whole.module.layout
    random, ground = np.random.default_rng(8), whole.module.plan.mechanism.ground
    count = 2 if layout.planar else 3
    shifts = {body: random.uniform(-0.2, 0.2, count) for body in layout.bodies}
    geometry = np.array(whole.manifest["reference"]["geometry"])
    shifted = geometry.copy()
    for _, body, offset, _ in layout.geometry:
        if body != ground:
            shifted[offset : offset + count] += shifts[body]
    first = whole.numpy("motion", t=TIMES)
    other = whole.numpy("motion", t=TIMES, geometry=shifted)
    assert not np.any(first["status"])
    assert not np.any(other["status"])
    for name in ("q", "qd", "qdd"):
        np.testing.assert_allclose(other[name], first[name], rtol=CLOSE, atol=CLOSE)
    width, rates = (3, 3) if layout.planar else (7, 6)
    for k, body in enumerate(layout.bodies):
        here, there = (each["poses"][:, width * k : width * (k + 1)] for each in (first, other))
        moved = here[:, :count] - _turns(here) @ shifts[body]
        np.testing.assert_allclose(there[:, :count], moved, atol=CLOSE)
        arm = -(_turns(here) @ shifts[body])
        spin = first["twists"][:, rates * k + count : rates * (k + 1)]
        about = np.stack([-arm[:, 1], arm[:, 0]], axis=-1) * spin if layout.planar else np.cross(spin, arm)
        v = first["twists"][:, rates * k : rates * k + count] + about
        np.testing.assert_allclose(other["twists"][:, rates * k : rates * k + count], v, rtol=CLOSE, atol=CLOSE)


def test_from_joint_to_joint_no_step_leads_by_way_of_the_frame() -> None:
    options = {"module_id": "leg", "geometry": "parameters", "drives": "inputs", "results": ("points",)}
    module = whole_module(_load("jansen_leg"), symgen.library(), **options)
    (routine,) = lower_whole(module, ("all",))
    names = {let.name for let in routine.body if isinstance(let, Let)}
    assert "j8_1" in names  # the shoulder on the upper bar, from the joint where that is found
    assert not [name for name in names if name.partition("_")[2].startswith(("arm_b", "r_b", "v_b1", "v_b2"))]
